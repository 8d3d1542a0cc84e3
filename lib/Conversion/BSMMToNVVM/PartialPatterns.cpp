//===- PartialPatterns.cpp - sums of a cluster's tensor memories to NVVM --===//
//
// The buffer of a CTA has a place for each of the other CTAs, in the order of
// their ranks. A place holds vectors of four columns, row by row: the threads
// of a warp, which have neighbouring rows, access consecutive 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace bsmm;

/// Columns that are moved together: 16 bytes of f32.
static constexpr int64_t unitColumns = 4;

/// Assembly of what NVVM has no operation for.
static void buildAssembly(OpBuilder &builder, Location loc, StringRef text,
                          StringRef constraints, ValueRange operands) {
  LLVM::InlineAsmOp::create(
      builder, loc, TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

namespace {
/// The places in a buffer through which CTAs send each other sums.
struct Places {
  Places(OpBuilder &builder, Operation *op, const KernelValues &kernel,
         BufferType buffer)
      : builder(builder), loc(op->getLoc()), ctas(kernel.clusterSize),
        rows(buffer.getShape()[0] / (ctas - 1)), columns(buffer.getShape()[1]) {
  }

  Value constant(int64_t value) { return constantI32(builder, loc, value); }

  /// Bytes from the start of a place to four values of a row.
  Value unitOffset(Value row, Value column) {
    Value unit =
        arith::DivUIOp::create(builder, loc, column, constant(unitColumns));
    Value index = arith::MulIOp::create(builder, loc, unit, constant(rows));
    index = arith::AddIOp::create(builder, loc, index, row);
    return arith::MulIOp::create(builder, loc, index, constant(16));
  }
  /// From one unit of a row to the next.
  int64_t unitStride() const { return rows * 16; }
  int64_t placeBytes() const { return rows * columns * 4; }

  OpBuilder &builder;
  Location loc;
  int64_t ctas, rows, columns;
};

struct SendPartialPattern : KernelPattern<SendPartialOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SendPartialOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarrierOffset())
      return op.emitOpError(
          "expected the place of a barrier; run bsmm-assign-memory first, with "
          "a bsmm.wait_partials of the buffer");
    Location loc = op.getLoc();
    Places places(rewriter, op, getKernelValues(op), op.getBuffer().getType());
    // The receiver has no place for itself: later ranks move up.
    Value rank = NVVM::ClusterId::create(rewriter, loc, rewriter.getI32Type());
    Value isBefore = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, rank, adaptor.getCta());
    Value previous =
        arith::SubIOp::create(rewriter, loc, rank, places.constant(1));
    Value place =
        arith::SelectOp::create(rewriter, loc, isBefore, rank, previous);
    Value offset = arith::MulIOp::create(rewriter, loc, place,
                                         places.constant(places.placeBytes()));
    offset = arith::AddIOp::create(
        rewriter, loc, offset,
        places.unitOffset(adaptor.getRow(), adaptor.getColumn()));
    auto clusterPointer = LLVM::LLVMPointerType::get(
        op.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    Value remote = NVVM::MapaOp::create(
        rewriter, loc, clusterPointer,
        advance(rewriter, loc, adaptor.getBuffer(), offset), adaptor.getCta());
    Value barrier = NVVM::MapaOp::create(rewriter, loc, clusterPointer,
                                         advance(rewriter, loc,
                                                 getKernelValues(op).sharedBase,
                                                 *op.getBarrierOffset()),
                                         adaptor.getCta());
    int64_t count = cast<VectorType>(op.getValues().getType()).getDimSize(0);
    for (int64_t first = 0; first < count; first += unitColumns) {
      SmallVector<Value> operands = {remote};
      for (int64_t index = 0; index < unitColumns; ++index)
        operands.push_back(vector::ExtractOp::create(
            rewriter, loc, adaptor.getValues(), first + index));
      operands.push_back(barrier);
      // The distance between units is part of the address.
      operands.push_back(constantI32(
          rewriter, loc, first / unitColumns * places.unitStride()));
      buildAssembly(rewriter, loc,
                    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
                    ".v4.f32 [$0+$6], {$1, $2, $3, $4}, [$5];",
                    "l,f,f,f,f,l,n,~{memory}", operands);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AddPartialsPattern : KernelPattern<AddPartialsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(AddPartialsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Places places(rewriter, op, getKernelValues(op), op.getBuffer().getType());
    Value rank = NVVM::ClusterId::create(rewriter, loc, rewriter.getI32Type());
    SmallVector<Value> isBefore, isMine;
    for (int64_t from = 0; from < places.ctas; ++from) {
      auto compare = [&](arith::CmpIPredicate predicate) -> Value {
        return arith::CmpIOp::create(rewriter, loc, predicate,
                                     places.constant(from), rank);
      };
      isBefore.push_back(compare(arith::CmpIPredicate::ult));
      isMine.push_back(compare(arith::CmpIPredicate::eq));
    }
    Value base =
        advance(rewriter, loc, adaptor.getBuffer(),
                places.unitOffset(adaptor.getRow(), adaptor.getColumn()));
    auto unitType = VectorType::get({unitColumns}, rewriter.getF32Type());
    auto resultType = cast<VectorType>(op.getResult().getType());
    int64_t count = resultType.getDimSize(0), others = places.ctas - 1;
    // All loads come before the sums, so that none waits for the one before.
    SmallVector<Value> loaded;
    for (int64_t first = 0; first < count; first += unitColumns)
      for (int64_t place = 0; place < others; ++place)
        loaded.push_back(LLVM::LoadOp::create(
            rewriter, loc, unitType,
            advance(rewriter, loc, base,
                    place * places.placeBytes() +
                        first / unitColumns * places.unitStride()),
            /*alignment=*/16));
    Value result = arith::ConstantOp::create(rewriter, loc, resultType,
                                             rewriter.getZeroAttr(resultType));
    for (int64_t first = 0; first < count; first += unitColumns) {
      Value own = vector::ExtractStridedSliceOp::create(
          rewriter, loc, adaptor.getValues(), ArrayRef<int64_t>{first},
          ArrayRef<int64_t>{unitColumns}, ArrayRef<int64_t>{1});
      ArrayRef<Value> received =
          ArrayRef(loaded).slice(first / unitColumns * others, others);
      // In the order of the ranks, of which this CTA's is somewhere.
      Value sum;
      for (int64_t from = 0; from < places.ctas; ++from) {
        Value term = own;
        if (from > 0)
          term = arith::SelectOp::create(rewriter, loc, isMine[from], own,
                                         received[from - 1]);
        if (from + 1 < places.ctas)
          term = arith::SelectOp::create(rewriter, loc, isBefore[from],
                                         received[from], term);
        sum = sum ? arith::AddFOp::create(rewriter, loc, sum, term) : term;
      }
      result = vector::InsertStridedSliceOp::create(rewriter, loc, sum, result,
                                                    ArrayRef<int64_t>{first},
                                                    ArrayRef<int64_t>{1});
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The drain of tensor memory that follows, with nothing between that must come
/// after the barrier: it loads while the CTAs meet.
static DrainOp findDrainBehind(Operation *op) {
  Operation *next = op->getNextNode();
  while (next && isMemoryEffectFree(next) && !isa<DrainOp>(next))
    next = next->getNextNode();
  auto drain = dyn_cast_or_null<DrainOp>(next);
  return drain && !drain.isFromRegisters() ? drain : DrainOp();
}

struct WaitPartialsPattern : KernelPattern<WaitPartialsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WaitPartialsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarrierOffset())
      return op.emitOpError(
          "expected the place of a barrier; run bsmm-assign-memory first");
    if (DrainOp drain = findDrainBehind(op))
      rewriter.modifyOpInPlace(drain, [&] {
        drain->setAttr(waitsForPartialsAttrName, op.getBarrierOffsetAttr());
      });
    else
      buildPartialsWait(rewriter, op.getLoc(), getKernelValues(op),
                        *op.getBarrierOffset());
    rewriter.eraseOp(op);
    return success();
  }
};

struct SynchronizeClusterPattern : KernelPattern<SynchronizeClusterOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SynchronizeClusterOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (getKernelValues(op).tensorMemoryBase)
      NVVM::Tcgen05FenceOp::create(rewriter, loc,
                                   NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    // Arrival releases and the wait acquires at the scope of the cluster (PTX
    // ISA, barrier.cluster).
    NVVM::ClusterArriveOp::create(rewriter, loc, rewriter.getUnitAttr());
    if (DrainOp drain = findDrainBehind(op))
      rewriter.modifyOpInPlace(drain, [&] {
        drain->setAttr(waitsForClusterAttrName, rewriter.getUnitAttr());
      });
    else
      buildClusterWait(rewriter, loc, getKernelValues(op));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void bsmm::buildClusterWait(OpBuilder &builder, Location loc,
                            const KernelValues &kernel) {
  NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
  if (kernel.tensorMemoryBase)
    NVVM::Tcgen05FenceOp::create(builder, loc,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

void bsmm::buildPartialsWait(OpBuilder &builder, Location loc,
                             const KernelValues &kernel,
                             int64_t barrierOffset) {
  // Other CTAs' stores are acquired at the scope of the cluster, which the wait
  // of NVVM does not have.
  buildAssembly(
      builder, loc,
      "{\n\t"
      ".reg .pred P1;\n\t"
      "LAB_WAIT:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [$0], 0;"
      "\n\t"
      "@P1 bra.uni DONE;\n\t"
      "bra.uni LAB_WAIT;\n\t"
      "DONE:\n\t"
      "}",
      "l,~{memory}", advance(builder, loc, kernel.sharedBase, barrierOffset));
  if (kernel.tensorMemoryBase)
    NVVM::Tcgen05FenceOp::create(builder, loc,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

void bsmm::populatePartialToNVVMPatterns(const LLVMTypeConverter &converter,
                                         const KernelValuesMap &values,
                                         RewritePatternSet &patterns) {
  patterns.add<AddPartialsPattern, SendPartialPattern,
               SynchronizeClusterPattern, WaitPartialsPattern>(converter,
                                                               values);
}
