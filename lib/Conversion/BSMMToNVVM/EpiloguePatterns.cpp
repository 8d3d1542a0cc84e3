//===- EpiloguePatterns.cpp - the way out of tensor memory to NVVM --------===//

#include "Common.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace bsmm;

namespace {
/// Warp w reads lanes 32w..32w+31 (PTX ISA 9.7.17.8): with .32x32b thread t of
/// the warpgroup owns row t, register i holds column i.
struct DrainPattern : KernelPattern<DrainOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(DrainOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const KernelValues &kernel = getKernelValues(op);
    BufferType type = op.getAccumulator().getType();
    int64_t columns = op.getColumns();
    Value warp = arith::AndIOp::create(
        rewriter, loc, kernel.warp,
        constantI32(rewriter, loc, target::threads::warpsPerWarpgroup - 1));
    Value row = arith::AndIOp::create(
        rewriter, loc, kernel.thread,
        constantI32(rewriter, loc, target::threads::perWarpgroup - 1));
    // The lane lies in bits 16..31 of an address.
    Value lane = arith::ShLIOp::create(
        rewriter, loc, warp,
        constantI32(rewriter, loc, 16 + 5 /* 32 lanes a warp */));
    Value base =
        arith::AddIOp::create(rewriter, loc, adaptor.getAccumulator(), lane);
    Type words = columns == 1
                     ? Type(rewriter.getI32Type())
                     : Type(VectorType::get({columns}, rewriter.getI32Type()));
    auto values = VectorType::get({columns}, rewriter.getF32Type());
    Block &body = op.getBody().front();
    for (int64_t column = 0; column < type.getShape()[1]; column += columns) {
      Value loaded = NVVM::Tcgen05LdOp::create(
          rewriter, loc, words, /*pack=*/UnitAttr(),
          NVVM::Tcgen05LdStShapeAttr::get(op.getContext(),
                                          NVVM::Tcgen05LdStShape::SHAPE_32X32B),
          tensorMemoryPointer(rewriter, loc, base, column), Value());
      NVVM::Tcgen05WaitOp::create(rewriter, loc, NVVM::Tcgen05WaitKind::LOAD);
      if (columns == 1)
        loaded = vector::BroadcastOp::create(
            rewriter, loc, VectorType::get({1}, rewriter.getI32Type()), loaded);
      IRMapping mapping;
      mapping.map(body.getArgument(0), row);
      mapping.map(body.getArgument(1), constantI32(rewriter, loc, column));
      mapping.map(
          body.getArgument(2),
          vector::BitCastOp::create(rewriter, loc, values, loaded).getResult());
      for (Operation &inner : body)
        rewriter.clone(inner, mapping);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct WriteSharedPattern : KernelPattern<WriteSharedOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WriteSharedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType type = op.getBuffer().getType();
    auto vectorType = cast<VectorType>(op.getValues().getType());
    int64_t bits = getElementBits(type.getElementType());
    layout::SwizzleMode mode = getSwizzleMode(type.getLayout());
    bool isSwizzled = mode != layout::SwizzleMode::None;
    int64_t rowBytes =
        getPackedBytes(type.getElementType(), type.getShape()[1]);
    int64_t width = isSwizzled ? layout::swizzleWidth(mode) : rowBytes;
    int64_t panel = type.getShape()[0] * width;
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    Value rowOffset =
        arith::MulIOp::create(rewriter, loc, adaptor.getRow(), constant(width));
    Value firstByte = arith::DivUIOp::create(
        rewriter, loc,
        arith::MulIOp::create(rewriter, loc, adaptor.getColumn(),
                              constant(bits)),
        constant(8));
    int64_t perUnit = 128 / bits;
    for (int64_t unit = 0; unit < vectorType.getDimSize(0) / perUnit; ++unit) {
      Value byte =
          arith::AddIOp::create(rewriter, loc, firstByte, constant(unit * 16));
      Value panelNumber =
          arith::DivUIOp::create(rewriter, loc, byte, constant(width));
      Value inRow =
          arith::RemUIOp::create(rewriter, loc, byte, constant(width));
      Value offset = arith::AddIOp::create(
          rewriter, loc,
          arith::MulIOp::create(rewriter, loc, panelNumber, constant(panel)),
          arith::AddIOp::create(rewriter, loc, rowOffset, inRow));
      if (isSwizzled) {
        // Address bits 4.. ^= bits 7.. (PTX ISA 5.5.7); the buffer starts at a
        // multiple of the pattern.
        Value high = arith::ShRUIOp::create(rewriter, loc, offset, constant(3));
        high = arith::AndIOp::create(rewriter, loc, high,
                                     constant((width / 16 - 1) << 4));
        offset = arith::XOrIOp::create(rewriter, loc, offset, high);
      }
      Value piece = vector::ExtractStridedSliceOp::create(
          rewriter, loc, adaptor.getValues(), ArrayRef<int64_t>{unit * perUnit},
          ArrayRef<int64_t>{perUnit}, ArrayRef<int64_t>{1});
      Value words = vector::BitCastOp::create(
          rewriter, loc, VectorType::get({4}, rewriter.getI32Type()), piece);
      LLVM::StoreOp::create(rewriter, loc, words,
                            advance(rewriter, loc, adaptor.getBuffer(), offset),
                            /*alignment=*/16);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct WriteGlobalPattern : KernelPattern<WriteGlobalOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WriteGlobalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto vectorType = cast<VectorType>(op.getValues().getType());
    Type element = vectorType.getElementType();
    Type i64 = rewriter.getI64Type();
    Value isRow =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              adaptor.getRow(), adaptor.getLimitRow());
    auto inRow = scf::IfOp::create(rewriter, loc, isRow, false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(inRow.thenBlock());
    Value row = arith::ExtSIOp::create(rewriter, loc, i64, adaptor.getRow());
    Value offset =
        arith::MulIOp::create(rewriter, loc, row, adaptor.getStride());
    offset = arith::AddIOp::create(rewriter, loc, offset, adaptor.getBase());
    Value column =
        arith::ExtSIOp::create(rewriter, loc, i64, adaptor.getColumn());
    offset = arith::AddIOp::create(rewriter, loc, offset, column);
    Value start =
        LLVM::GEPOp::create(rewriter, loc, adaptor.getPointer().getType(),
                            element, adaptor.getPointer(), ValueRange{offset});
    for (int64_t index = 0; index < vectorType.getDimSize(0); ++index) {
      Value current = arith::AddIOp::create(rewriter, loc, adaptor.getColumn(),
                                            constantI32(rewriter, loc, index));
      Value isColumn =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                current, adaptor.getLimitColumn());
      auto inColumn = scf::IfOp::create(rewriter, loc, isColumn, false);
      OpBuilder::InsertionGuard inner(rewriter);
      rewriter.setInsertionPointToStart(inColumn.thenBlock());
      Value value =
          vector::ExtractOp::create(rewriter, loc, adaptor.getValues(), index);
      Value address =
          LLVM::GEPOp::create(rewriter, loc, start.getType(), element, start,
                              ArrayRef<LLVM::GEPArg>{int32_t(index)});
      LLVM::StoreOp::create(rewriter, loc, value, address);
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void bsmm::populateEpilogueToNVVMPatterns(const LLVMTypeConverter &converter,
                                          const KernelValuesMap &values,
                                          RewritePatternSet &patterns) {
  patterns.add<DrainPattern, WriteGlobalPattern, WriteSharedPattern>(converter,
                                                                     values);
}
