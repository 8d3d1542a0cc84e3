//===- RegisterPatterns.cpp - accumulators in registers to NVVM -----------===//
//
// An accumulator becomes a structure with one structure for each block of 64
// rows that a warpgroup holds; that one has a thread's values of a wgmma in
// their order (PTX ISA 9.7.16.5.1).
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Layout/Descriptor.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace bsmm;

/// Rows of one wgmma (PTX ISA 9.7.16.2).
static constexpr int64_t blockRows = 64;

static LLVM::LLVMStructType getBlockType(AccumulatorType type) {
  SmallVector<Type> values(type.getWarpgroupColumns() / 2,
                           Float32Type::get(type.getContext()));
  return LLVM::LLVMStructType::getLiteral(type.getContext(), values);
}

LLVM::LLVMStructType bsmm::convertAccumulatorType(AccumulatorType type) {
  SmallVector<Type> blocks(type.getRowBlocks(), getBlockType(type));
  return LLVM::LLVMStructType::getLiteral(type.getContext(), blocks);
}

/// Row 16 w + l / 4 of warp w and lane l in a block of 64 rows: that of a
/// thread's first value.
static Value buildFragmentRow(OpBuilder &builder, Location loc,
                              const KernelValues &kernel) {
  Value lane = arith::AndIOp::create(builder, loc, kernel.thread,
                                     constantI32(builder, loc, 31));
  Value warp = arith::AndIOp::create(builder, loc, kernel.warp,
                                     constantI32(builder, loc, 3));
  return arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, warp, constantI32(builder, loc, 16)),
      arith::ShRUIOp::create(builder, loc, lane, constantI32(builder, loc, 2)));
}

static NVVM::WGMMATypes getOperandType(target::ElementType type) {
  switch (type) {
  case target::ElementType::E5M2:
    return NVVM::WGMMATypes::e5m2;
  case target::ElementType::F16:
    return NVVM::WGMMATypes::f16;
  case target::ElementType::BF16:
    return NVVM::WGMMATypes::bf16;
  case target::ElementType::TF32:
    return NVVM::WGMMATypes::tf32;
  default:
    return NVVM::WGMMATypes::e4m3;
  }
}

/// The values of a thread, block by block of 64 rows.
static SmallVector<SmallVector<Value>> getValues(OpBuilder &builder,
                                                 Location loc,
                                                 AccumulatorType type,
                                                 Value accumulator) {
  SmallVector<SmallVector<Value>> values(type.getRowBlocks());
  for (auto [block, ofBlock] : llvm::enumerate(values)) {
    Value source =
        LLVM::ExtractValueOp::create(builder, loc, accumulator, int64_t(block));
    for (int64_t index = 0; index < type.getWarpgroupColumns() / 2; ++index)
      ofBlock.push_back(
          LLVM::ExtractValueOp::create(builder, loc, source, index));
  }
  return values;
}

/// An accumulator of the values that `valueOf` has for an index in a block.
static Value buildAccumulator(OpBuilder &builder, Location loc,
                              AccumulatorType type,
                              function_ref<Value(int64_t, int64_t)> valueOf) {
  Value result =
      LLVM::UndefOp::create(builder, loc, convertAccumulatorType(type));
  for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
    Value sums = LLVM::UndefOp::create(builder, loc, getBlockType(type));
    for (int64_t index = 0; index < type.getWarpgroupColumns() / 2; ++index)
      sums = LLVM::InsertValueOp::create(builder, loc, sums,
                                         valueOf(block, index), index);
    result = LLVM::InsertValueOp::create(builder, loc, result, sums, block);
  }
  return result;
}

namespace {
struct ZeroAccumulatorPattern : KernelPattern<ZeroAccumulatorOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ZeroAccumulatorOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(
        op, convertAccumulatorType(op.getResult().getType()));
    return success();
  }
};

struct JoinAccumulatorsPattern : KernelPattern<JoinAccumulatorsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(JoinAccumulatorsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    AccumulatorType type = op.getResult().getType();
    // Parts side by side have the same blocks of rows; others follow each
    // other.
    SmallVector<SmallVector<Value>> values(type.getRowBlocks());
    size_t firstBlock = 0;
    for (auto [part, converted] :
         llvm::zip_equal(op.getParts(), adaptor.getParts())) {
      auto partType = cast<AccumulatorType>(part.getType());
      for (auto [block, ofBlock] :
           llvm::enumerate(getValues(rewriter, loc, partType, converted)))
        llvm::append_range(values[firstBlock + block], ofBlock);
      if (type.getByColumns())
        firstBlock += partType.getRowBlocks();
    }
    Value result = buildAccumulator(
        rewriter, loc, type,
        [&](int64_t block, int64_t index) { return values[block][index]; });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct AddAccumulatorsPattern : KernelPattern<AddAccumulatorsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(AddAccumulatorsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    AccumulatorType type = op.getResult().getType();
    auto lhs = getValues(rewriter, loc, type, adaptor.getLhs());
    auto rhs = getValues(rewriter, loc, type, adaptor.getRhs());
    rewriter.replaceOp(
        op, buildAccumulator(
                rewriter, loc, type, [&](int64_t block, int64_t index) {
                  return arith::AddFOp::create(rewriter, loc, lhs[block][index],
                                               rhs[block][index]);
                }));
    return success();
  }
};

/// sum + partial * (sa * sb), a multiplication of the scales and one fused
/// operation for each value.
struct AddScaledPattern : KernelPattern<AddScaledOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(AddScaledOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    AccumulatorType type = op.getResult().getType();
    int64_t columns = type.getWarpgroupColumns(), block = op.getBlock();
    int64_t unit = ReadScalesOp::getUnit(type, block, op.getAlignment());
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    // The warpgroup's first column in its block.
    Value inBlock;
    if (unit != block) {
      Value start = op.getStart();
      if (type.getByColumns() && type.getWarpgroups() > 1)
        start = arith::AddIOp::create(
            rewriter, loc, start,
            arith::MulIOp::create(rewriter, loc,
                                  buildWarpgroupInRole(rewriter, op),
                                  constant(columns)));
      inBlock = arith::RemUIOp::create(rewriter, loc, start, constant(block));
    }
    auto scaleOf = [&](Value scales, int64_t index) -> Value {
      return vector::ExtractOp::create(rewriter, loc, scales, index);
    };
    // The scale of 8 columns, which lie in one block.
    auto columnScale = [&](int64_t column) -> Value {
      int64_t first = column / block, last = (block - unit + column) / block;
      Value scale = scaleOf(adaptor.getScaleB(), first);
      if (first == last)
        return scale;
      Value isNext =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::uge,
                                inBlock, constant(last * block - column));
      return arith::SelectOp::create(rewriter, loc, isNext,
                                     scaleOf(adaptor.getScaleB(), last), scale);
    };
    // Products of scales where they are the same for all columns of a block.
    llvm::SmallDenseMap<std::pair<int64_t, int64_t>, Value> products;
    auto sums = getValues(rewriter, loc, type, adaptor.getSum());
    auto partials = getValues(rewriter, loc, type, adaptor.getPartial());
    auto valueOf = [&](int64_t rows, int64_t index) -> Value {
      // As getValueOffset has it for a drain.
      int64_t half = index / 2 % 2, column = 8 * (index / 4);
      int64_t place = unit == block ? column / block : column;
      Value &scale = products[{2 * rows + half, place}];
      if (!scale)
        scale = arith::MulFOp::create(
            rewriter, loc, scaleOf(adaptor.getScaleA(), 2 * rows + half),
            columnScale(column));
      return LLVM::FMAOp::create(rewriter, loc, partials[rows][index], scale,
                                 sums[rows][index]);
    };
    rewriter.replaceOp(op, buildAccumulator(rewriter, loc, type, valueOf));
    return success();
  }
};

struct ReadScalesPattern : KernelPattern<ReadScalesOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ReadScalesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto accumulator = cast<AccumulatorType>(op.getAccumulator());
    auto type = cast<VectorType>(op.getResult().getType());
    Type i64 = rewriter.getI64Type();
    bool isRows = op.getDimension() == 0;
    int64_t block = op.getBlock();
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto add = [&](Value a, Value b) -> Value {
      return arith::AddIOp::create(rewriter, loc, a, b);
    };
    auto wide = [&](Value value) -> Value {
      return arith::ExtSIOp::create(rewriter, loc, i64, value);
    };
    Value first = adaptor.getStart();
    if (accumulator.getWarpgroups() > 1 &&
        accumulator.getByColumns() == !isRows) {
      int64_t extent = isRows ? accumulator.getWarpgroupRows()
                              : accumulator.getWarpgroupColumns();
      first = add(first, arith::MulIOp::create(
                             rewriter, loc, buildWarpgroupInRole(rewriter, op),
                             constant(extent)));
    }
    if (isRows)
      first = add(first, buildFragmentRow(rewriter, loc, getKernelValues(op)));
    else
      first = arith::DivUIOp::create(rewriter, loc, first, constant(block));
    Value isGroup =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              adaptor.getGroup(), adaptor.getLimitGroup());
    Value base =
        add(adaptor.getBase(),
            arith::MulIOp::create(rewriter, loc, wide(adaptor.getGroup()),
                                  adaptor.getStrideGroup()));
    SmallVector<Value> values;
    for (int64_t index = 0; index < type.getDimSize(0); ++index) {
      // Two rows of a thread for each block of 64 rows.
      int64_t offset = isRows ? index / 2 * blockRows + index % 2 * 8 : index;
      Value place = add(first, constant(offset));
      Value row = place;
      if (block != 1)
        row = arith::MulIOp::create(rewriter, loc, place, constant(block));
      Value isThere = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, row, adaptor.getLimit());
      isThere = arith::AndIOp::create(rewriter, loc, isThere, isGroup);
      values.push_back(buildGuardedLoad(
          rewriter, loc, type.getElementType(), isThere, [&]() -> Value {
            Value element =
                add(base, arith::MulIOp::create(rewriter, loc, wide(place),
                                                adaptor.getStride()));
            Value address = LLVM::GEPOp::create(
                rewriter, loc, adaptor.getPointer().getType(),
                type.getElementType(), adaptor.getPointer(),
                ValueRange{element});
            return LLVM::LoadOp::create(rewriter, loc, type.getElementType(),
                                        address);
          }));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, values);
    return success();
  }
};

struct MmaPattern : KernelPattern<MmaOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType a = op.getA().getType(), b = op.getB().getType();
    AccumulatorType type = op.getResult().getType();
    int64_t k = op.getDepth(), n = type.getWarpgroupColumns();
    const target::Gpu *gpu = findTargetGpu(op);
    if (!gpu)
      return op.emitOpError("expected a target on the gpu.module");
    std::string reason;
    const target::InstructionForm *form = selectWgmmaForm(
        *gpu, a.getElementType(), b.getElementType(), n, reason);
    if (!form)
      return op.emitOpError(reason);
    if (k % form->k != 0)
      return op.emitOpError("expected a multiple of ")
             << form->k << " elements of K, got " << k;

    auto descriptorOf = [&](BufferType buffer,
                            Value pointer) -> FailureOr<Value> {
      auto description = layout::kMajorDescriptor(
          getSwizzleMode(buffer.getLayout()), buffer.getShape()[0], 0);
      auto bits =
          description
              ? layout::encodeMatrixDescriptorSm90(*description)
              : layout::Result<uint64_t>(layout::Error{description.error()});
      if (!bits)
        return op.emitOpError(bits.error());
      return buildDescriptor(rewriter, loc, pointer, *bits);
    };
    // Rows of a panel follow each other at the swizzle's width.
    auto rowBytes = [&](BufferType buffer, int64_t rows) {
      return layout::swizzleWidth(getSwizzleMode(buffer.getLayout())) * rows;
    };
    // Each warpgroup has its rows of A, or its columns: rows of B.
    Value pointerA = adaptor.getA(), pointerB = adaptor.getB();
    if (type.getWarpgroups() > 1) {
      int64_t bytes = type.getByColumns()
                          ? rowBytes(b, type.getWarpgroupColumns())
                          : rowBytes(a, type.getWarpgroupRows());
      Value offset = arith::MulIOp::create(rewriter, loc,
                                           buildWarpgroupInRole(rewriter, op),
                                           constantI32(rewriter, loc, bytes));
      Value &pointer = type.getByColumns() ? pointerB : pointerA;
      pointer = advance(rewriter, loc, pointer, offset);
    }
    // A part of the columns and of K.
    int64_t columnBytes = rowBytes(b, op.getColumn().value_or(0));
    int64_t firstStep = int64_t(op.getK().value_or(0)) / form->k;
    FailureOr<Value> descriptorA = descriptorOf(a, pointerA);
    FailureOr<Value> descriptorB = descriptorOf(b, pointerB);
    if (failed(descriptorA) || failed(descriptorB))
      return failure();
    // The start-address field counts 16 bytes.
    auto advanceDescriptor = [&](Value base, int64_t bytes) -> Value {
      if (bytes == 0)
        return base;
      return arith::AddIOp::create(rewriter, loc, base,
                                   constantI64(rewriter, loc, bytes / 16));
    };
    auto stepOffset = [&](BufferType buffer, int64_t step) {
      int64_t byte =
          getPackedBytes(buffer.getElementType(), step * int64_t(form->k));
      return layout::kMajorStepOffset(getSwizzleMode(buffer.getLayout()),
                                      buffer.getShape()[0], byte);
    };

    MLIRContext *context = op.getContext();
    auto shape = NVVM::MMAShapeAttr::get(context, blockRows, n, form->k);
    auto wgmmaType = [&](Type element) {
      return NVVM::WGMMATypesAttr::get(
          context, getOperandType(getOperandElementType(element)));
    };
    auto positive =
        NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    // K-major operands: A by rows, B by columns.
    auto row = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row);
    auto column = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::col);
    LLVM::LLVMStructType blockType = getBlockType(type);

    NVVM::WgmmaFenceAlignedOp::create(rewriter, loc);
    SmallVector<Value> sums;
    for (int64_t block = 0; block < type.getRowBlocks(); ++block)
      sums.push_back(
          op.getAccumulator()
              ? LLVM::ExtractValueOp::create(rewriter, loc,
                                             adaptor.getAccumulator(), block)
                    .getResult()
              : LLVM::UndefOp::create(rewriter, loc, blockType).getResult());
    for (int64_t step = firstStep; step < firstStep + k / form->k; ++step)
      for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
        bool starts = step == firstStep && !op.getAccumulator();
        sums[block] = NVVM::WgmmaMmaAsyncOp::create(
            rewriter, loc, blockType, sums[block],
            advanceDescriptor(*descriptorA, stepOffset(a, step) +
                                                rowBytes(a, block * blockRows)),
            advanceDescriptor(*descriptorB, stepOffset(b, step) + columnBytes),
            shape, wgmmaType(a.getElementType()), wgmmaType(b.getElementType()),
            NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::f32),
            NVVM::WGMMAScaleOutAttr::get(context,
                                         starts ? NVVM::WGMMAScaleOut::zero
                                                : NVVM::WGMMAScaleOut::one),
            positive, positive, row, column, NVVM::MMAIntOverflowAttr());
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    Value result =
        LLVM::UndefOp::create(rewriter, loc, convertAccumulatorType(type));
    for (auto [block, sum] : llvm::enumerate(sums))
      result = LLVM::InsertValueOp::create(rewriter, loc, result, sum,
                                           int64_t(block));
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct WaitMmaPattern : KernelPattern<WaitMmaOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WaitMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    NVVM::WgmmaWaitGroupSyncOp::create(rewriter, loc, op.getPending());
    if (!op.isComplete()) {
      rewriter.replaceOp(op, adaptor.getAccumulator());
      return success();
    }
    // The values pass through an empty piece of assembly with side effects:
    // LLVM does not know that the wait writes them and could move a use above
    // it.
    AccumulatorType type = op.getResult().getType();
    LLVM::LLVMStructType blockType = getBlockType(type);
    int64_t count = type.getWarpgroupColumns() / 2;
    std::string constraints;
    for (int64_t index = 0; index < count; ++index)
      constraints += "=f,";
    for (int64_t index = 0; index < count; ++index)
      constraints += std::to_string(index) + (index + 1 < count ? "," : "");
    Value result =
        LLVM::UndefOp::create(rewriter, loc, convertAccumulatorType(type));
    for (auto [block, values] : llvm::enumerate(
             getValues(rewriter, loc, type, adaptor.getAccumulator()))) {
      Value done = buildOpaque(rewriter, loc, blockType, values, constraints,
                               /*staysInPlace=*/true);
      result = LLVM::InsertValueOp::create(rewriter, loc, result, done,
                                           int64_t(block));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct WarpgroupIndexPattern : KernelPattern<WarpgroupIndexOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WarpgroupIndexOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildWarpgroupInRole(rewriter, op));
    return success();
  }
};

struct ClusterRankPattern : KernelPattern<ClusterRankOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ClusterRankOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterId>(op, rewriter.getI32Type());
    return success();
  }
};

struct SliceRowsPattern : KernelPattern<SliceRowsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SliceRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BufferType type = op.getSource().getType();
    int64_t rowBytes =
        getPackedBytes(type.getElementType(), type.getShape()[1]);
    Value bytes =
        arith::MulIOp::create(rewriter, op.getLoc(), adaptor.getRow(),
                              constantI32(rewriter, op.getLoc(), rowBytes));
    rewriter.replaceOp(
        op, advance(rewriter, op.getLoc(), adaptor.getSource(), bytes));
    return success();
  }
};

struct SliceScalesPattern : KernelPattern<SliceScalesOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SliceScalesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value bytes = arith::MulIOp::create(
        rewriter, op.getLoc(), adaptor.getTile(),
        constantI32(rewriter, op.getLoc(), layout::scaleTileBytes));
    rewriter.replaceOp(
        op, advance(rewriter, op.getLoc(), adaptor.getSource(), bytes));
    return success();
  }
};

/// Each thread sends what the same thread of another CTA adds: the buffer
/// holds, for each sender, vectors of four values, thread by thread.
struct ReduceClusterPattern : KernelPattern<ReduceClusterOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ReduceClusterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    AccumulatorType source = op.getAccumulator().getType();
    AccumulatorType result = op.getResult().getType();
    int64_t ctas = source.getShape()[1] / result.getShape()[1];
    int64_t blocks = result.getRowBlocks();
    int64_t perBlock = result.getShape()[1] / 2;
    int64_t threads =
        result.getWarpgroups() * int64_t(target::threads::perWarpgroup);
    int64_t placeBytes = result.getShape()[0] * result.getShape()[1] * 4;
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto role = op->getAttrOfType<DenseI64ArrayAttr>(roleAttrName);
    Value thread = getKernelValues(op).thread;
    if (role && role[0] != 0)
      thread = arith::SubIOp::create(
          rewriter, loc, thread, constant(role[0] * target::threads::perWarp));
    Value threadOffset =
        arith::MulIOp::create(rewriter, loc, thread, constant(16));
    Value rank = NVVM::ClusterId::create(rewriter, loc, rewriter.getI32Type());

    // values[share][i]: what this CTA has for a share of the columns.
    SmallVector<SmallVector<Value>> values(ctas);
    for (ArrayRef<Value> ofBlock :
         getValues(rewriter, loc, source, adaptor.getAccumulator()))
      for (int64_t share = 0; share < ctas; ++share)
        llvm::append_range(values[share],
                           ofBlock.slice(share * perBlock, perBlock));
    int64_t count = blocks * perBlock;
    auto vectorType = VectorType::get({4}, rewriter.getF32Type());
    auto isRank = [&](arith::CmpIPredicate predicate, int64_t other) -> Value {
      return arith::CmpIOp::create(rewriter, loc, predicate, rank,
                                   constant(other));
    };
    // Place of sender `from` in the buffer of receiver `to`.
    auto placeOf = [&](Value from, Value to) -> Value {
      Value isBefore = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ult, from, to);
      Value previous = arith::SubIOp::create(rewriter, loc, from, constant(1));
      Value place =
          arith::SelectOp::create(rewriter, loc, isBefore, from, previous);
      return arith::MulIOp::create(rewriter, loc, place, constant(placeBytes));
    };
    auto addressOf = [&](Value base, int64_t index) {
      return advance(rewriter, loc, base, index / 4 * threads * 16);
    };

    for (int64_t share = 0; share < ctas; ++share) {
      auto branch = scf::IfOp::create(
          rewriter, loc, isRank(arith::CmpIPredicate::ne, share), false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      Value offset = arith::AddIOp::create(rewriter, loc, threadOffset,
                                           placeOf(rank, constant(share)));
      Value local = advance(rewriter, loc, adaptor.getBuffer(), offset);
      auto clusterPointer = LLVM::LLVMPointerType::get(
          op.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
      Value remote = NVVM::MapaOp::create(rewriter, loc, clusterPointer, local,
                                          constant(share));
      for (int64_t index = 0; index < count; index += 4) {
        Value vector = vector::FromElementsOp::create(
            rewriter, loc, vectorType,
            ArrayRef<Value>(values[share]).slice(index, 4));
        LLVM::StoreOp::create(rewriter, loc, vector, addressOf(remote, index),
                              /*alignment=*/16);
      }
    }
    // Threads that have left count as arrived (PTX ISA, barrier.cluster).
    NVVM::ClusterArriveOp::create(rewriter, loc, rewriter.getUnitAttr());
    NVVM::ClusterWaitOp::create(rewriter, loc, rewriter.getUnitAttr());

    // This CTA's own share.
    SmallVector<Value> own = values[0];
    for (int64_t share = 1; share < ctas; ++share) {
      Value isMine = isRank(arith::CmpIPredicate::eq, share);
      for (auto [index, value] : llvm::enumerate(own))
        value = arith::SelectOp::create(rewriter, loc, isMine,
                                        values[share][index], value);
    }
    // In the order of the ranks; what is read in the place of the own one, that
    // of a neighbour, does not count.
    SmallVector<Value> sums(count);
    for (int64_t from = 0; from < ctas; ++from) {
      Value isMine = isRank(arith::CmpIPredicate::eq, from);
      Value sender = constant(from);
      if (from == 0) {
        Value other = constant(1);
        sender = arith::SelectOp::create(rewriter, loc, isMine, other, sender);
      }
      Value offset = arith::AddIOp::create(rewriter, loc, threadOffset,
                                           placeOf(sender, rank));
      Value base = advance(rewriter, loc, adaptor.getBuffer(), offset);
      for (int64_t index = 0; index < count; index += 4) {
        Value vector = LLVM::LoadOp::create(rewriter, loc, vectorType,
                                            addressOf(base, index),
                                            /*alignment=*/16);
        for (int64_t lane = 0; lane < 4; ++lane) {
          Value received =
              vector::ExtractOp::create(rewriter, loc, vector, lane);
          Value term = arith::SelectOp::create(rewriter, loc, isMine,
                                               own[index + lane], received);
          Value &sum = sums[index + lane];
          sum = sum ? arith::AddFOp::create(rewriter, loc, sum, term) : term;
        }
      }
    }
    Value total = buildAccumulator(rewriter, loc, result,
                                   [&](int64_t block, int64_t index) {
                                     return sums[block * perBlock + index];
                                   });
    rewriter.replaceOp(op, total);
    return success();
  }
};

/// Registers of a thread from which on an accumulator leaves few to an
/// epilogue.
constexpr int64_t largeAccumulator = 128;

/// Drains of buffers are those of tensor memory.
struct DrainRegistersPattern : KernelPattern<DrainOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(DrainOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<AccumulatorType>(op.getAccumulator().getType());
    if (!type)
      return failure();
    Location loc = op.getLoc();
    KernelValues kernel = getKernelValues(op);
    Value thread = findEpilogueThread(op, kernel.thread);
    if (thread == kernel.thread)
      thread = buildOpaque(rewriter, loc, thread.getType(), thread, "=r,0",
                           /*staysInPlace=*/true);
    kernel.thread = thread;
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto plus = [&](Value value, int64_t addend) -> Value {
      if (addend == 0)
        return value;
      return arith::AddIOp::create(rewriter, loc, value, constant(addend));
    };
    // Column 2 (l mod 4) of lane l.
    Value lane =
        arith::AndIOp::create(rewriter, loc, kernel.thread, constant(31));
    Value row = buildFragmentRow(rewriter, loc, kernel);
    Value column = arith::MulIOp::create(
        rewriter, loc, arith::AndIOp::create(rewriter, loc, lane, constant(3)),
        constant(2));
    if (type.getWarpgroups() > 1) {
      Value offset = arith::MulIOp::create(
          rewriter, loc, buildWarpgroupInRole(rewriter, op),
          constant(type.getByColumns() ? type.getWarpgroupColumns()
                                       : type.getWarpgroupRows()));
      Value &place = type.getByColumns() ? column : row;
      place = arith::AddIOp::create(rewriter, loc, place, offset);
    }

    Block &body = op.getBody().front();
    int64_t step = op.getColumns();
    auto sums = getValues(rewriter, loc, type, adaptor.getAccumulator());
    // Beside a large accumulator the loads of one piece at a time fit: ptxas
    // (13.0) would have as many at once as fit, and one more. They do not move
    // across a barrier of the warp.
    int64_t registers = type.getRowBlocks() * type.getWarpgroupColumns() / 2;
    bool meets =
        registers >= largeAccumulator && !body.getOps<ReadGlobalOp>().empty();
    for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
      Value blockRow = plus(row, block * blockRows);
      for (int64_t first = op.getFirst(),
                   end = int64_t(op.getFirst()) + op.getNumColumns();
           first < end; first += step) {
        if (meets)
          NVVM::SyncWarpOp::create(rewriter, loc, constant(-1));
        auto values = ArrayRef(sums[block]).slice(first / 2, step / 2);
        IRMapping mapping;
        mapping.map(body.getArgument(0), blockRow);
        mapping.map(body.getArgument(1), plus(column, first));
        mapping.map(body.getArgument(2),
                    vector::FromElementsOp::create(rewriter, loc,
                                                   op.getValuesType(), values)
                        .getResult());
        for (Operation &inner : body) {
          Operation *clone = rewriter.clone(inner, mapping);
          if (clone->getDialect() == op->getDialect())
            clone->setAttr(fragmentAttrName, rewriter.getUnitAttr());
        }
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

/// The row of a buffer that belongs to the executing warpgroup.
static Value buildWarpgroupRow(OpBuilder &builder, Location loc,
                               BufferType type, Value buffer, Value warpgroup) {
  if (type.getShape()[0] == 1)
    return buffer;
  int64_t bytes = getPackedBytes(type.getElementType(), type.getShape()[1]);
  return advance(builder, loc, buffer,
                 arith::MulIOp::create(builder, loc, warpgroup,
                                       constantI32(builder, loc, bytes)));
}

namespace {
struct StageVectorPattern : KernelPattern<StageVectorOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(StageVectorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType type = op.getBuffer().getType();
    Value row = buildWarpgroupRow(rewriter, loc, type, adaptor.getBuffer(),
                                  buildWarpgroupInRole(rewriter, op));
    constexpr int64_t threads = target::threads::perWarpgroup;
    Value thread =
        arith::AndIOp::create(rewriter, loc, getKernelValues(op).thread,
                              constantI32(rewriter, loc, threads - 1));
    int64_t elements = type.getShape()[1];
    for (int64_t first = 0; first < elements; first += threads) {
      OpBuilder::InsertionGuard guard(rewriter);
      Value element = arith::AddIOp::create(rewriter, loc, thread,
                                            constantI32(rewriter, loc, first));
      if (elements - first < threads) {
        Value isInside = arith::CmpIOp::create(
            rewriter, loc, arith::CmpIPredicate::slt, element,
            constantI32(rewriter, loc, elements));
        auto branch = scf::IfOp::create(rewriter, loc, isInside, false);
        rewriter.setInsertionPointToStart(branch.thenBlock());
      }
      Value index =
          arith::AddIOp::create(rewriter, loc, adaptor.getOffset(), element);
      Value isValid = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, index, adaptor.getLimit());
      // Nothing is read beyond the limit: the address stays at the start.
      Value zero = constantI32(rewriter, loc, 0);
      Value safe = arith::SelectOp::create(rewriter, loc, isValid, index, zero);
      Value bytes = arith::SelectOp::create(
          rewriter, loc, isValid, constantI32(rewriter, loc, 4), zero);
      Value source =
          LLVM::GEPOp::create(rewriter, loc, adaptor.getPointer().getType(),
                              type.getElementType(), adaptor.getPointer(),
                              ValueRange{arith::ExtSIOp::create(
                                  rewriter, loc, rewriter.getI64Type(), safe)});
      Value offset = arith::MulIOp::create(rewriter, loc, element,
                                           constantI32(rewriter, loc, 4));
      NVVM::CpAsyncOp::create(rewriter, loc,
                              advance(rewriter, loc, row, offset), source, 4,
                              NVVM::LoadCacheModifierKind::CA, bytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitVectorsPattern : KernelPattern<WaitVectorsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WaitVectorsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, 0);
    return success();
  }
};

struct ReadStagedPattern : KernelPattern<ReadStagedOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ReadStagedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getResult().getType());
    Value row = buildWarpgroupRow(rewriter, loc, op.getBuffer().getType(),
                                  adaptor.getBuffer(),
                                  buildWarpgroupInRole(rewriter, op));
    Value start =
        advance(rewriter, loc, row,
                arith::MulIOp::create(rewriter, loc, adaptor.getStart(),
                                      constantI32(rewriter, loc, 4)));
    llvm::SmallDenseMap<int64_t, Value> loaded;
    SmallVector<Value> values;
    for (int64_t index = 0; index < type.getDimSize(0); ++index) {
      auto [rowOffset, columnOffset] = getValueOffset(op, index);
      int64_t offset = op.getDimension() == 0 ? rowOffset : columnOffset;
      Value &value = loaded[offset];
      if (!value)
        value = LLVM::LoadOp::create(rewriter, loc, type.getElementType(),
                                     advance(rewriter, loc, start, offset * 4));
      values.push_back(value);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, values);
    return success();
  }
};
} // namespace

void bsmm::populateRegisterToNVVMPatterns(const LLVMTypeConverter &converter,
                                          const KernelValuesMap &values,
                                          RewritePatternSet &patterns) {
  patterns.add<AddAccumulatorsPattern, AddScaledPattern, ReadScalesPattern,
               ClusterRankPattern, DrainRegistersPattern,
               JoinAccumulatorsPattern, MmaPattern, ReduceClusterPattern,
               ReadStagedPattern, SliceRowsPattern, SliceScalesPattern,
               StageVectorPattern, WaitVectorsPattern, WaitMmaPattern,
               WarpgroupIndexPattern, ZeroAccumulatorPattern>(converter,
                                                              values);
}
