//===- ChannelPatterns.cpp - channels and memory to NVVM ------------------===//
//
// A channel of N slots has N full barriers followed by N empty barriers. The
// slot of iteration i is i mod N, and the parity of its phase (i / N) mod 2: a
// consumer waits for that parity of the full barrier, a producer for the other
// parity of the empty barrier, which a fresh barrier has "completed" (PTX ISA
// 9.7.14.16, mbarrier.test_wait). Slots that share columns have one full and
// one empty barrier: each iteration is the next phase of both.
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include "bsmm/Target/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace bsmm;

/// Suspend-time hint of a wait, in nanoseconds (CUTLASS uses the same); it only
/// bounds how long the hardware sleeps before the loop looks again.
static constexpr int64_t suspendHint = 10000000;

namespace {
struct Slot {
  Value number, parity;
};
} // namespace

static Slot buildSlot(OpBuilder &builder, Location loc, Value iteration,
                      int64_t slots) {
  Value one = constantI32(builder, loc, 1);
  if (slots == 1)
    return {constantI32(builder, loc, 0),
            arith::AndIOp::create(builder, loc, iteration, one)};
  Value count = constantI32(builder, loc, slots);
  Value round = arith::DivUIOp::create(builder, loc, iteration, count);
  return {arith::RemUIOp::create(builder, loc, iteration, count),
          arith::AndIOp::create(builder, loc, round, one)};
}

/// The slot of a channel's barriers.
static Slot buildBarrierSlot(OpBuilder &builder, Location loc, Value iteration,
                             CreateChannelOp create) {
  return buildSlot(builder, loc, iteration, create.getBarrierSlots());
}

/// The full (or empty) barrier of a slot.
static Value buildBarrierAddress(OpBuilder &builder, Location loc,
                                 Value channel, const Slot &slot, int64_t slots,
                                 bool isEmpty) {
  Value bytes =
      arith::MulIOp::create(builder, loc, slot.number,
                            constantI32(builder, loc, target::mbarrier::bytes));
  Value first = advance(builder, loc, channel,
                        isEmpty ? slots * target::mbarrier::bytes : int64_t(0));
  return advance(builder, loc, first, bytes);
}

static void buildWait(OpBuilder &builder, Location loc, Value barrier,
                      Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(builder, loc, barrier, parity,
                                        constantI32(builder, loc, suspendHint));
}

/// Arrives at the barrier of the same place in every CTA of the cluster. What
/// the arrival says is that the tensor core has read a slot, which has been
/// waited for: nothing that this thread wrote is to be seen elsewhere, so that
/// release at the scope of the CTA will do, as in CUTLASS (ClusterBarrier). At
/// the scope of the cluster ptxas makes it a fence of the whole GPU.
static void buildClusterArrivals(OpBuilder &builder, Location loc,
                                 Value barrier, int64_t ctas) {
  auto pointer = LLVM::LLVMPointerType::get(
      builder.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t rank = 0; rank < ctas; ++rank) {
    Value remote = NVVM::MapaOp::create(builder, loc, pointer, barrier,
                                        constantI32(builder, loc, rank));
    NVVM::MBarrierArriveOp::create(builder, loc, Type(), remote, Value(),
                                   NVVM::MemScopeKind::CTA, false);
  }
}

static int64_t slotBytes(ChannelType type) {
  int64_t bytes = 0;
  for (BufferType buffer : type.getBuffers())
    bytes += buffer.getSharedBytes();
  return bytes;
}

static bool isInTensorMemory(ChannelType type) {
  return type.getMemorySpace() == MemorySpace::TensorMemory;
}

/// tcgen05 operations of other threads are ordered by the barrier only together
/// with these fences (PTX ISA 9.7.17.6).
static void buildTensorFence(OpBuilder &builder, Location loc,
                             NVVM::Tcgen05FenceKind kind) {
  NVVM::Tcgen05FenceOp::create(builder, loc, kind);
}

namespace {
struct AllocPattern : KernelPattern<AllocOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("expected a place; run bsmm-assign-memory first");
    const KernelValues &kernel = getKernelValues(op);
    Location loc = op.getLoc();
    if (op.getBuffer().getType().getMemorySpace() == MemorySpace::Shared)
      rewriter.replaceOp(
          op, advance(rewriter, loc, kernel.sharedBase, *op.getOffset()));
    else
      rewriter.replaceOp(
          op, arith::AddIOp::create(rewriter, loc, kernel.tensorMemoryBase,
                                    constantI32(rewriter, loc, *op.getOffset()))
                  .getResult());
    return success();
  }
};

struct SelectBufferPattern : KernelPattern<SelectBufferOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SelectBufferOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Slot slot = buildSlot(rewriter, loc, adaptor.getIteration(), 2);
    Value isFirst =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                              slot.number, constantI32(rewriter, loc, 0));
    rewriter.replaceOpWithNewOp<LLVM::SelectOp>(op, isFirst, adaptor.getFirst(),
                                                adaptor.getSecond());
    return success();
  }
};

struct CreateChannelPattern : KernelPattern<CreateChannelOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(CreateChannelOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarrierOffset() || !op.getOffsets() || !op.getSlotStride())
      return op.emitOpError("expected a place; run bsmm-assign-memory first");
    rewriter.replaceOp(op, advance(rewriter, op.getLoc(),
                                   getKernelValues(op).sharedBase,
                                   *op.getBarrierOffset()));
    return success();
  }
};

/// Shared columns come first: the last ones of slot 0, the first ones of
/// slot 1.
struct SlotColumnPattern : KernelPattern<SlotColumnOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SlotColumnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t all = op.getChannel().getType().getBuffers().front().getShape()[1];
    auto role = op->getAttrOfType<DenseI64ArrayAttr>(roleAttrName);
    int64_t warpgroups =
        role ? role[1] / target::threads::warpsPerWarpgroup : 1;
    int64_t part = all / warpgroups, first = op.getFirst();
    Slot slot = buildSlot(rewriter, loc, adaptor.getIteration(), 2);
    Value isFirstSlot =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                              slot.number, constantI32(rewriter, loc, 0));
    Value column = arith::SelectOp::create(
        rewriter, loc, isFirstSlot,
        constantI32(rewriter, loc, part - first - int64_t(op.getColumns())),
        constantI32(rewriter, loc, first));
    if (warpgroups > 1) {
      Value start = arith::MulIOp::create(rewriter, loc,
                                          buildWarpgroupInRole(rewriter, op),
                                          constantI32(rewriter, loc, part));
      column = arith::AddIOp::create(rewriter, loc, column, start);
    }
    rewriter.replaceOp(op, column);
    return success();
  }
};

/// What acquire and wait have in common: wait for a barrier, then give out the
/// buffers of the slot.
template <typename OpT, bool isProducer>
struct ChannelAccessPattern : KernelPattern<OpT> {
  using KernelPattern<OpT>::KernelPattern;
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto create = op.getChannel().template getDefiningOp<CreateChannelOp>();
    if (!create)
      return op.emitOpError("expected a channel made in the same kernel");
    const KernelValues &kernel = this->getKernelValues(op);
    Location loc = op.getLoc();
    ChannelType type = op.getChannel().getType();
    int64_t slots = create.getBarrierSlots();
    Slot slot = buildBarrierSlot(rewriter, loc, adaptor.getIteration(), create);
    Value barrier = buildBarrierAddress(rewriter, loc, adaptor.getChannel(),
                                        slot, slots, isProducer);
    Value parity = slot.parity;
    if (isProducer)
      parity = arith::XOrIOp::create(rewriter, loc, parity,
                                     constantI32(rewriter, loc, 1));
    bool waits = !isProducer || !create->hasAttr(isFilledOnceAttrName);
    if (waits)
      buildWait(rewriter, loc, barrier, parity);
    if (isProducer &&
        create.getProducer().getKind() == ArrivalKind::Transaction) {
      Value full = buildBarrierAddress(rewriter, loc, adaptor.getChannel(),
                                       slot, slots, false);
      NVVM::MBarrierArriveExpectTxOp::create(
          rewriter, loc, Type(), full,
          constantI32(rewriter, loc, slotBytes(type)), NVVM::MemScopeKind::CTA,
          false, Value());
    }
    if (waits && (create.getProducer().getKind() == ArrivalKind::MmaCommit ||
                  create.getConsumer().getKind() == ArrivalKind::MmaCommit ||
                  isInTensorMemory(type)))
      if (!(isProducer &&
            create.getProducer().getKind() == ArrivalKind::Transaction))
        buildTensorFence(rewriter, loc,
                         NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);

    if (create.getOverlap())
      slot = buildSlot(rewriter, loc, adaptor.getIteration(), type.getSlots());
    Value step = arith::MulIOp::create(
        rewriter, loc, slot.number,
        constantI32(rewriter, loc, *create.getSlotStride()));
    SmallVector<Value> buffers;
    ArrayRef<int64_t> offsets = *create.getOffsets();
    for (int64_t offset : offsets) {
      if (isInTensorMemory(type)) {
        Value base =
            arith::AddIOp::create(rewriter, loc, kernel.tensorMemoryBase,
                                  constantI32(rewriter, loc, offset));
        buffers.push_back(arith::AddIOp::create(rewriter, loc, base, step));
      } else {
        Value base = advance(rewriter, loc, kernel.sharedBase, offset);
        buffers.push_back(advance(rewriter, loc, base, step));
      }
    }
    rewriter.replaceOp(op, buffers);
    return success();
  }
};

/// Commit arrives at the full barrier, release at the empty one.
template <typename OpT, bool isProducer>
struct ChannelSignalPattern : KernelPattern<OpT> {
  using KernelPattern<OpT>::KernelPattern;
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto create = op.getChannel().template getDefiningOp<CreateChannelOp>();
    if (!create)
      return op.emitOpError("expected a channel made in the same kernel");
    ArrivalAttr arrival =
        isProducer ? create.getProducer() : create.getConsumer();
    // The copies themselves deliver the announced bytes, or no producer waits.
    bool isAwaited = isProducer || !create->hasAttr(isFilledOnceAttrName);
    if (arrival.getKind() == ArrivalKind::Transaction || !isAwaited) {
      rewriter.eraseOp(op);
      return success();
    }
    Location loc = op.getLoc();
    ChannelType type = op.getChannel().getType();
    Slot slot = buildBarrierSlot(rewriter, loc, adaptor.getIteration(), create);
    Value barrier =
        buildBarrierAddress(rewriter, loc, adaptor.getChannel(), slot,
                            create.getBarrierSlots(), !isProducer);
    OpBuilder::InsertionGuard guard(rewriter);
    if (arrival.getKind() == ArrivalKind::Warps) {
      // The warp's other threads have read what this one arrives for.
      NVVM::SyncWarpOp::create(rewriter, loc, constantI32(rewriter, loc, -1));
      Value isElected = NVVM::ElectSyncOp::create(
          rewriter, loc, rewriter.getI1Type(), Value());
      auto only = scf::IfOp::create(rewriter, loc, isElected, false);
      rewriter.setInsertionPointToStart(only.thenBlock());
    }
    int64_t ctas =
        create.getCluster() ? this->getKernelValues(op).clusterSize : 1;
    if (arrival.getKind() == ArrivalKind::MmaCommit) {
      // A release arrives at the same place of every CTA of the cluster.
      Value mask;
      if (!isProducer && ctas != 1)
        mask = arith::ConstantIntOp::create(
            rewriter, loc, rewriter.getI16Type(), (int64_t(1) << ctas) - 1);
      NVVM::Tcgen05CommitOp::create(rewriter, loc, barrier, mask,
                                    NVVM::CTAGroupKind::CTA_1);
    } else {
      if (isInTensorMemory(type))
        buildTensorFence(rewriter, loc,
                         NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
      if (isProducer || ctas == 1)
        NVVM::MBarrierArriveOp::create(rewriter, loc, Type(), barrier, Value(),
                                       NVVM::MemScopeKind::CTA, false);
      else
        buildClusterArrivals(rewriter, loc, barrier, ctas);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Waits as an acquire of each slot would, after the producer's last one.
struct WaitReleasedPattern : KernelPattern<WaitReleasedOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WaitReleasedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto create = op.getChannel().getDefiningOp<CreateChannelOp>();
    if (!create)
      return op.emitOpError("expected a channel made in the same kernel");
    Location loc = op.getLoc();
    int64_t slots = create.getBarrierSlots();
    Value one = constantI32(rewriter, loc, 1);
    auto loop = scf::ForOp::create(rewriter, loc, constantI32(rewriter, loc, 0),
                                   constantI32(rewriter, loc, slots), one,
                                   adaptor.getIteration());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getRegionIterArg(0);
    Slot slot = buildBarrierSlot(rewriter, loc, iteration, create);
    buildWait(rewriter, loc,
              buildBarrierAddress(rewriter, loc, adaptor.getChannel(), slot,
                                  slots, /*isEmpty=*/true),
              arith::XOrIOp::create(rewriter, loc, slot.parity, one));
    Value next = arith::AddIOp::create(rewriter, loc, iteration, one);
    scf::YieldOp::create(rewriter, loc, next);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void bsmm::populateChannelToNVVMPatterns(const LLVMTypeConverter &converter,
                                         const KernelValuesMap &values,
                                         RewritePatternSet &patterns) {
  patterns.add<AllocPattern, SelectBufferPattern, CreateChannelPattern,
               SlotColumnPattern, ChannelAccessPattern<AcquireOp, true>,
               ChannelAccessPattern<WaitOp, false>,
               ChannelSignalPattern<CommitOp, true>,
               ChannelSignalPattern<ReleaseOp, false>, WaitReleasedPattern>(
      converter, values);
}
