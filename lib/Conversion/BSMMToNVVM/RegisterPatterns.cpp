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
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace bsmm;

/// Rows of one wgmma (PTX ISA 9.7.16.2).
static constexpr int64_t blockRows = 64;

static LLVM::LLVMStructType getBlockType(AccumulatorType type) {
  SmallVector<Type> values(type.getShape()[1] / 2,
                           Float32Type::get(type.getContext()));
  return LLVM::LLVMStructType::getLiteral(type.getContext(), values);
}

LLVM::LLVMStructType bsmm::convertAccumulatorType(AccumulatorType type) {
  SmallVector<Type> blocks(type.getRowBlocks(), getBlockType(type));
  return LLVM::LLVMStructType::getLiteral(type.getContext(), blocks);
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

/// Applies `body` to every value of accumulators.
static Value mapValues(OpBuilder &builder, Location loc, AccumulatorType type,
                       ValueRange accumulators,
                       function_ref<Value(ValueRange)> body) {
  LLVM::LLVMStructType blockType = getBlockType(type);
  Value result =
      LLVM::UndefOp::create(builder, loc, convertAccumulatorType(type));
  for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
    Value sums = LLVM::UndefOp::create(builder, loc, blockType);
    SmallVector<Value> sources;
    for (Value accumulator : accumulators)
      sources.push_back(
          LLVM::ExtractValueOp::create(builder, loc, accumulator, block));
    for (int64_t index = 0; index < type.getShape()[1] / 2; ++index) {
      SmallVector<Value> elements;
      for (Value source : sources)
        elements.push_back(
            LLVM::ExtractValueOp::create(builder, loc, source, index));
      sums = LLVM::InsertValueOp::create(builder, loc, sums, body(elements),
                                         index);
    }
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

struct AddAccumulatorsPattern : KernelPattern<AddAccumulatorsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(AddAccumulatorsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    rewriter.replaceOp(op, mapValues(rewriter, loc, op.getResult().getType(),
                                     {adaptor.getLhs(), adaptor.getRhs()},
                                     [&](ValueRange values) -> Value {
                                       return arith::AddFOp::create(
                                           rewriter, loc, values[0], values[1]);
                                     }));
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
    int64_t k = a.getShape()[1], n = b.getShape()[0];
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
    int64_t rowBytes =
        layout::swizzleWidth(getSwizzleMode(a.getLayout())) * blockRows;
    Value pointerA = adaptor.getA();
    if (type.getWarpgroups() > 1) {
      Value bytes = arith::MulIOp::create(
          rewriter, loc, buildWarpgroupInRole(rewriter, op),
          constantI32(rewriter, loc, type.getRowBlocks() * rowBytes));
      pointerA = advance(rewriter, loc, pointerA, bytes);
    }
    FailureOr<Value> descriptorA = descriptorOf(a, pointerA);
    FailureOr<Value> descriptorB = descriptorOf(b, adaptor.getB());
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
    for (int64_t step = 0; step < k / form->k; ++step)
      for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
        bool starts = step == 0 && !op.getAccumulator();
        sums[block] = NVVM::WgmmaMmaAsyncOp::create(
            rewriter, loc, blockType, sums[block],
            advanceDescriptor(*descriptorA,
                              stepOffset(a, step) + block * rowBytes),
            advanceDescriptor(*descriptorB, stepOffset(b, step)), shape,
            wgmmaType(a.getElementType()), wgmmaType(b.getElementType()),
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
    if (op.getPending() != 0) {
      rewriter.replaceOp(op, adaptor.getAccumulator());
      return success();
    }
    // The values pass through an empty piece of assembly with side effects:
    // LLVM does not know that the wait writes them and could move a use above
    // it.
    AccumulatorType type = op.getResult().getType();
    LLVM::LLVMStructType blockType = getBlockType(type);
    int64_t count = type.getShape()[1] / 2;
    std::string constraints;
    for (int64_t index = 0; index < count; ++index)
      constraints += "=f,";
    for (int64_t index = 0; index < count; ++index)
      constraints += std::to_string(index) + (index + 1 < count ? "," : "");
    Value result =
        LLVM::UndefOp::create(rewriter, loc, convertAccumulatorType(type));
    for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
      Value source = LLVM::ExtractValueOp::create(
          rewriter, loc, adaptor.getAccumulator(), block);
      SmallVector<Value> values;
      for (int64_t index = 0; index < count; ++index)
        values.push_back(
            LLVM::ExtractValueOp::create(rewriter, loc, source, index));
      Value done =
          LLVM::InlineAsmOp::create(
              rewriter, loc, blockType, values, /*asm_string=*/"", constraints,
              /*has_side_effects=*/true, /*is_align_stack=*/false,
              LLVM::TailCallKind::None,
              LLVM::AsmDialectAttr::get(op.getContext(),
                                        LLVM::AsmDialect::AD_ATT),
              ArrayAttr())
              .getResult(0);
      result = LLVM::InsertValueOp::create(rewriter, loc, result, done, block);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

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
    const KernelValues &kernel = getKernelValues(op);
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto plus = [&](Value value, int64_t addend) -> Value {
      if (addend == 0)
        return value;
      return arith::AddIOp::create(rewriter, loc, value, constant(addend));
    };
    // Row 16 w + l / 4 and column 2 (l mod 4) of warp w and lane l.
    Value lane =
        arith::AndIOp::create(rewriter, loc, kernel.thread, constant(31));
    Value warp = arith::AndIOp::create(rewriter, loc, kernel.warp, constant(3));
    Value row = arith::AddIOp::create(
        rewriter, loc, arith::MulIOp::create(rewriter, loc, warp, constant(16)),
        arith::ShRUIOp::create(rewriter, loc, lane, constant(2)));
    if (type.getWarpgroups() > 1)
      row = arith::AddIOp::create(
          rewriter, loc, row,
          arith::MulIOp::create(rewriter, loc,
                                buildWarpgroupInRole(rewriter, op),
                                constant(type.getRowBlocks() * blockRows)));
    Value column = arith::MulIOp::create(
        rewriter, loc, arith::AndIOp::create(rewriter, loc, lane, constant(3)),
        constant(2));

    Block &body = op.getBody().front();
    int64_t step = op.getColumns();
    for (int64_t block = 0; block < type.getRowBlocks(); ++block) {
      Value source = LLVM::ExtractValueOp::create(
          rewriter, loc, adaptor.getAccumulator(), block);
      Value blockRow = plus(row, block * blockRows);
      for (int64_t first = op.getFirst(),
                   end = int64_t(op.getFirst()) + op.getNumColumns();
           first < end; first += step) {
        SmallVector<Value> values;
        for (int64_t index = first / 2; index < (first + step) / 2; ++index)
          values.push_back(
              LLVM::ExtractValueOp::create(rewriter, loc, source, index));
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

void bsmm::populateRegisterToNVVMPatterns(const LLVMTypeConverter &converter,
                                          const KernelValuesMap &values,
                                          RewritePatternSet &patterns) {
  patterns.add<AddAccumulatorsPattern, DrainRegistersPattern, MmaPattern,
               WaitMmaPattern, ZeroAccumulatorPattern>(converter, values);
}
