//===- PipelineOps.cpp - explicit asynchrony, memory and channels ---------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Target/Target.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace bsmm;

static LogicalResult expectBuffer(Operation *op, StringRef what,
                                  BufferType type, MemorySpace space,
                                  std::optional<BufferLayout> layout = {}) {
  if (type.getMemorySpace() != space)
    return op->emitOpError("expected ")
           << what << " in " << stringifyMemorySpace(space) << ", got " << type;
  if (layout && type.getLayout() != *layout)
    return op->emitOpError("expected ")
           << what << " with layout " << stringifyBufferLayout(*layout)
           << ", got " << type;
  return success();
}

/// Who executes an operation: one leader, or one of each warpgroup.
enum class Executor { Warpgroups, Warp, Leader, Leaders };

/// Whether all threads of the CTA have the same value: it comes from arguments,
/// constants and the place of the CTA, and from loops over such values. Looks
/// at `budget` operations at most.
static bool isUniform(Value value, unsigned &budget) {
  if (budget == 0)
    return false;
  --budget;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<KernelOp>(parent))
      return true;
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument == loop.getInductionVar() &&
           isUniform(loop.getLowerBound(), budget) &&
           isUniform(loop.getStep(), budget);
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, ClusterRankOp>(op))
    return true;
  return isa<arith::ArithDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return isUniform(v, budget); });
}

static bool isUniform(Value value) {
  unsigned budget = 256;
  return isUniform(value, budget);
}

/// Collective operations are executed by all the threads they speak of, and
/// those that one thread issues by the leader of a warp.
static LogicalResult verifyExecutor(Operation *op, Executor executor) {
  auto role = op->getParentOfType<WarpRoleOp>();
  bool isInLeader(op->getParentOfType<LeaderOp>());
  switch (executor) {
  case Executor::Warpgroups:
    // A barrier under a branch would wait for threads that went another way.
    for (Operation *outer = op->getParentOp(); outer && !isa<KernelOp>(outer);
         outer = outer->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(outer);
      if (!isa<scf::ForOp, WarpRoleOp, LeaderOp>(outer) &&
          !(branch && isUniform(branch.getCondition())))
        return op->emitOpError(
            "expected outside of drains, and of branches that threads may take "
            "differently: all its threads execute it");
    }
    if ((role && !role.isWarpgroup()) || isInLeader)
      return op->emitOpError("expected outside of a bsmm.warp_role, or in that "
                             "of a warpgroup: all its threads execute it");
    return success();
  case Executor::Warp:
    if (!role || role.isWarpgroup() || isInLeader)
      return op->emitOpError("expected in the bsmm.warp_role of one warp and "
                             "not in its bsmm.leader: the whole warp executes "
                             "it");
    return success();
  case Executor::Leader:
  case Executor::Leaders:
    if (!isInLeader)
      return op->emitOpError("expected in a bsmm.leader: one thread issues it");
    if (executor == Executor::Leader &&
        op->getParentOfType<LeaderOp>().getEachWarpgroup())
      return op->emitOpError("expected in a bsmm.leader without "
                             "each_warpgroup: one thread issues it");
    return success();
  }
  return success();
}

/// An offset that bsmm-assign-memory would give.
static LogicalResult verifyPlace(Operation *op, BufferType buffer,
                                 int64_t offset) {
  bool isShared = buffer.getMemorySpace() == MemorySpace::Shared;
  int64_t alignment = isShared ? buffer.getSharedAlignment() : 1;
  int64_t limit = isShared ? int64_t(1) << 20 : target::tensor_memory::columns;
  if (offset < 0 || offset >= limit || offset % alignment != 0)
    return op->emitOpError("expected an offset in 0..")
           << limit - 1 << " that is a multiple of " << alignment << ", got "
           << offset;
  return success();
}

LogicalResult AllocOp::verify() {
  if (Value over = getOver()) {
    auto channel = cast<ChannelType>(over.getType());
    if (channel.getBuffers().empty() ||
        channel.getMemorySpace() != MemorySpace::Shared ||
        getBuffer().getType().getMemorySpace() != MemorySpace::Shared)
      return emitOpError(
                 "expected a buffer and a channel in shared memory with "
                 "'over', got ")
             << getBuffer().getType() << " and " << channel;
    if (!over.getDefiningOp<CreateChannelOp>())
      return emitOpError("expected the channel of a bsmm.create_channel with "
                         "'over'");
  }
  if (auto offset = getOffset())
    return verifyPlace(*this, getBuffer().getType(), int64_t(*offset));
  return success();
}

/// Slots of channels are given away: only the roles' own buffers take turns.
LogicalResult SelectBufferOp::verify() {
  for (Value buffer : {getFirst(), getSecond()})
    if (!buffer.getDefiningOp<AllocOp>())
      return emitOpError("expected two buffers of bsmm.alloc");
  return success();
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

LogicalResult CreateChannelOp::verify() {
  ChannelType type = getChannel().getType();
  if (auto kernel = (*this)->getParentOfType<KernelOp>();
      getCluster() && kernel && kernel.getNumClusterCtas() == 1)
    return emitOpError("expected a kernel with a cluster_size of more than one "
                       "CTA for a channel with 'cluster'");
  if (getConsumer().getKind() == ArrivalKind::Transaction)
    return emitOpError("expected a consumer that arrives by threads or "
                       "mma_commit, got transaction: bytes are delivered by "
                       "producers only");
  bool isShared = type.getMemorySpace() == MemorySpace::Shared;
  if (type.getBuffers().empty() &&
      (type.getSlots() != 1 ||
       getProducer().getKind() == ArrivalKind::Transaction))
    return emitOpError("expected one slot and no transactions for a channel "
                       "without buffers, which says whose turn it is, got ")
           << type.getSlots() << " slots and a producer that arrives by "
           << stringifyArrivalKind(getProducer().getKind());
  if (getProducer().getKind() == ArrivalKind::Transaction) {
    if (!isShared)
      return emitOpError("expected shared memory for a producer that arrives "
                         "by transactions, got ")
             << type;
    int64_t bytes = 0;
    for (BufferType buffer : type.getBuffers())
      bytes += buffer.getSharedBytes();
    if (bytes > target::mbarrier::maxTransactionBytes)
      return emitOpError("expected at most ")
             << target::mbarrier::maxTransactionBytes
             << " bytes in a slot, the range of a barrier's transaction "
                "count, got "
             << bytes << "; use a smaller tile";
  }
  if (auto offsets = getOffsets();
      offsets && offsets->size() != type.getBuffers().size())
    return emitOpError("expected ")
           << type.getBuffers().size() << " offsets, one for each buffer of a "
           << "slot, got " << offsets->size();
  if (auto offsets = getOffsets())
    for (auto [buffer, offset] :
         llvm::zip(type.getBuffers(), ArrayRef<int64_t>(*offsets)))
      for (int64_t slot = 0; slot < type.getSlots(); ++slot)
        if (failed(verifyPlace(
                *this, buffer,
                offset + slot * int64_t(getSlotStride().value_or(0)))))
          return failure();
  if (auto overlap = getOverlap()) {
    BufferType buffer = type.getBuffers().front();
    if (type.getSlots() != 2 || type.getBuffers().size() != 1 ||
        buffer.getLayout() != BufferLayout::Accumulator)
      return emitOpError("expected two slots of one accumulator in tensor "
                         "memory to share columns, got ")
             << type;
    int64_t columns = buffer.getShape()[1];
    if (int64_t(*overlap) < 1 || int64_t(*overlap) > columns / 2)
      return emitOpError("expected 1 to ")
             << columns / 2 << " shared columns, at most half of them, got "
             << int64_t(*overlap);
    if (getConsumer().getKind() != ArrivalKind::Threads)
      return emitOpError("expected a consumer that arrives by threads when "
                         "slots share columns");
    if (auto stride = getSlotStride();
        stride && int64_t(*stride) != getOverlappingStride())
      return emitOpError("expected slots at a distance of ")
             << getOverlappingStride() << " columns, got " << int64_t(*stride);
  }
  if (auto stride = getSlotStride();
      stride && type.getSlots() > 1 &&
      (int64_t(*stride) < 1 || int64_t(*stride) > (1 << 20)))
    return emitOpError("expected a positive distance of slots, got ")
           << int64_t(*stride);
  if (auto barrier = getBarrierOffset();
      barrier && (int64_t(*barrier) < 0 || int64_t(*barrier) >= (1 << 20) ||
                  *barrier % target::mbarrier::alignment != 0))
    return emitOpError("expected barriers at a multiple of ")
           << target::mbarrier::alignment << " bytes, got "
           << int64_t(*barrier);
  return success();
}

int64_t CreateChannelOp::getOverlappingStride() {
  return getChannel().getType().getBuffers().front().getShape()[1] -
         int64_t(*getOverlap());
}

/// Only channels made in the kernel are known to the lowering.
static FailureOr<CreateChannelOp> getCreate(Operation *op, Value channel) {
  auto create = channel.getDefiningOp<CreateChannelOp>();
  if (!create)
    return op->emitOpError("expected a channel of a bsmm.create_channel");
  return create;
}

LogicalResult SlotColumnOp::verify() {
  FailureOr<CreateChannelOp> create = getCreate(*this, getChannel());
  if (failed(create))
    return failure();
  if (!create->getOverlap())
    return emitOpError("expected a channel whose slots share columns");
  int64_t all = getChannel().getType().getBuffers().front().getShape()[1];
  if (auto role = (*this)->getParentOfType<WarpRoleOp>();
      role && role.isWarpgroup())
    all /= role.getCount() / target::threads::warpsPerWarpgroup;
  int64_t first = getFirst(), columns = getColumns();
  if (first < 0 || first >= all || columns < 1 || columns > all - first)
    return emitOpError("expected columns of the warpgroup's ")
           << all << ", got " << columns << " from " << first;
  return success();
}

/// Commits and releases are done by the threads that the arrival counts.
static LogicalResult verifySignal(Operation *op, ArrivalAttr arrival) {
  if (arrival.getKind() == ArrivalKind::Threads)
    return success();
  if (arrival.getKind() == ArrivalKind::Warps) {
    if (op->getParentOfType<LeaderOp>())
      return op->emitOpError("expected outside of a bsmm.leader: each warp "
                             "arrives by a thread of its own");
    return success();
  }
  return verifyExecutor(op, Executor::Leader);
}

LogicalResult CommitOp::verify() {
  FailureOr<CreateChannelOp> create = getCreate(*this, getChannel());
  if (failed(create))
    return failure();
  return verifySignal(*this, create->getProducer());
}

LogicalResult ReleaseOp::verify() {
  FailureOr<CreateChannelOp> create = getCreate(*this, getChannel());
  if (failed(create))
    return failure();
  return verifySignal(*this, create->getConsumer());
}

LogicalResult WaitReleasedOp::verify() {
  FailureOr<CreateChannelOp> create = getCreate(*this, getChannel());
  if (failed(create))
    return failure();
  if (create->getProducer().getKind() == ArrivalKind::Transaction)
    return verifyExecutor(*this, Executor::Leader);
  return success();
}

/// Without iterations there is nothing to wait for.
LogicalResult WaitReleasedOp::canonicalize(WaitReleasedOp op,
                                           PatternRewriter &rewriter) {
  if (!matchPattern(op.getIteration(), m_Zero()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

static LogicalResult verifyChannelAccess(Operation *op, ChannelType channel,
                                         TypeRange results) {
  if (!llvm::equal(channel.getBuffers(), results))
    return op->emitOpError("expected the buffers of a slot of ")
           << channel << " as results, got " << results;
  return success();
}

LogicalResult AcquireOp::verify() {
  FailureOr<CreateChannelOp> create = getCreate(*this, getChannel());
  if (failed(create))
    return failure();
  // One thread announces the bytes.
  if (create->getProducer().getKind() == ArrivalKind::Transaction &&
      failed(verifyExecutor(*this, Executor::Leader)))
    return failure();
  return verifyChannelAccess(*this, getChannel().getType(), getResultTypes());
}

LogicalResult WaitOp::verify() {
  if (failed(getCreate(*this, getChannel())))
    return failure();
  return verifyChannelAccess(*this, getChannel().getType(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult WarpRoleOp::verify() {
  int64_t first = getWarp(), count = getCount();
  constexpr int64_t maxWarps =
      target::threads::maxPerBlock / target::threads::perWarp;
  constexpr int64_t perGroup = target::threads::warpsPerWarpgroup;
  if (count < 1 || count > maxWarps || (count != 1 && count % perGroup != 0))
    return emitOpError("expected a role of 1 warp or of the 4 of each of its "
                       "warpgroups, got ")
           << count;
  if (first < 0 || first > maxWarps - count ||
      (count != 1 && first % perGroup != 0))
    return emitOpError("expected warps in 0..")
           << maxWarps - 1 << ", those of a warpgroup from a multiple of 4 on, "
           << "got " << count << " from " << first;
  if (auto registers = getRegisters()) {
    int64_t number = int64_t(*registers);
    if (number > target::registers::setMax ||
        !target::registers::isLegalSetMaxRegisters(int(number)))
      return emitOpError("expected ")
             << target::registers::setMin << " to " << target::registers::setMax
             << " registers in steps of " << target::registers::setMultiple
             << ", got " << number;
    if (!isWarpgroup())
      return emitOpError(
          "expected whole warpgroups to give other registers to, "
          "got one warp");
  }
  // A warpgroup that gives registers up does so as a whole; its warps may have
  // roles of their own then.
  if (auto outer = (*this)->getParentOfType<WarpRoleOp>())
    if (outer != (*this)->getParentOp() || isWarpgroup() ||
        first < int64_t(outer.getWarp()) ||
        first >= int64_t(outer.getWarp() + outer.getCount()))
      return emitOpError("expected no role inside of a role, but those of "
                         "single warps of the role right around them");
  if (auto kernel = (*this)->getParentOfType<KernelOp>())
    if (auto threads = kernel.getBlockSize();
        threads && first + count > int64_t(*threads) / target::threads::perWarp)
      return emitOpError("expected a warp of the block of ")
             << *threads << " threads, got warp " << first + count - 1;
  return success();
}

int64_t WarpRoleOp::getNumThreads() {
  return getCount() * target::threads::perWarp;
}

/// What each warpgroup of a role does on its own needs such a role.
static LogicalResult verifyEachWarpgroup(Operation *op, bool isStated) {
  auto role = op->getParentOfType<WarpRoleOp>();
  if (isStated && (!role || !role.isWarpgroup()))
    return op->emitOpError("expected each_warpgroup in the bsmm.warp_role of "
                           "warpgroups only");
  return success();
}

LogicalResult LeaderOp::verify() {
  if (!(*this)->getParentOfType<WarpRoleOp>())
    return emitOpError("expected to be inside of a bsmm.warp_role, whose "
                       "leader it is");
  return verifyEachWarpgroup(*this, getEachWarpgroup());
}

LogicalResult WarpgroupIndexOp::verify() {
  auto role = (*this)->getParentOfType<WarpRoleOp>();
  if (!role || !role.isWarpgroup())
    return emitOpError("expected inside of the bsmm.warp_role of warpgroups");
  return success();
}

LogicalResult SliceRowsOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (failed(expectBuffer(*this, "the source", source, MemorySpace::Shared)))
    return failure();
  int64_t rows = result.getShape()[0];
  if (result.getElementType() != source.getElementType() ||
      result.getMemorySpace() != source.getMemorySpace() ||
      result.getLayout() != source.getLayout() ||
      result.getShape()[1] != source.getShape()[1] ||
      source.getShape()[0] % rows != 0 || rows % 8 != 0)
    return emitOpError("expected a number of rows that divides those of ")
           << source << " and is a multiple of 8, got " << result;
  // Panels hold all rows of the buffer.
  int64_t rowBytes =
      getPackedBytes(source.getElementType(), source.getShape()[1]);
  layout::SwizzleMode mode = getSwizzleMode(source.getLayout());
  bool isOnePanel = mode == layout::SwizzleMode::None
                        ? source.getLayout() == BufferLayout::RowMajor
                        : rowBytes == layout::swizzleWidth(mode);
  if (!isOnePanel)
    return emitOpError("expected a buffer of one panel, whose rows follow each "
                       "other, got ")
           << source;
  return success();
}

LogicalResult SliceScalesOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (failed(expectBuffer(*this, "the source", source, MemorySpace::Shared,
                          BufferLayout::ScaleTiles)) ||
      failed(expectBuffer(*this, "the result", result, MemorySpace::Shared,
                          BufferLayout::ScaleTiles)))
    return failure();
  int64_t rows = result.getShape()[0], groups = result.getShape()[1];
  bool hasAllGroups = groups == source.getShape()[1];
  if (result.getElementType() != source.getElementType() ||
      source.getShape()[0] % rows != 0 || source.getShape()[1] % groups != 0 ||
      (!hasAllGroups && rows != layout::scaleTileRows))
    return emitOpError("expected all groups of rows that divide those of ")
           << source << ", or groups of " << layout::scaleTileRows
           << " rows that divide those, got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Copies and matrix operations
//===----------------------------------------------------------------------===//

/// A tile in global memory and its copy in shared memory hold the same bytes.
static LogicalResult verifyTileCopy(Operation *op, TensorMapType map,
                                    size_t coordinates, BufferType buffer) {
  if (failed(expectBuffer(op, "the tile", buffer, MemorySpace::Shared)))
    return failure();
  if (coordinates != map.getShape().size())
    return op->emitOpError("expected ")
           << map.getShape().size()
           << " coordinates, one for each dimension of the tensor map, got "
           << coordinates;
  int64_t count = 1;
  for (int64_t extent : map.getShape())
    count *= extent;
  int64_t bytes = getPackedBytes(map.getElementType(), count);
  if (bytes != buffer.getSharedBytes() ||
      map.getElementType() != buffer.getElementType())
    return op->emitOpError("expected a buffer of ")
           << bytes << " bytes of " << map.getElementType() << " for " << map
           << ", got " << buffer;
  return success();
}

LogicalResult LoadAsyncOp::verify() {
  FailureOr<CreateChannelOp> create = getCreate(*this, getChannel());
  if (failed(verifyExecutor(*this, Executor::Leader)) || failed(create))
    return failure();
  if (getMulticast() && !create->getCluster())
    return emitOpError("expected a channel with 'cluster' for a multicast "
                       "load: its bytes arrive in every CTA");
  return verifyTileCopy(*this, getMap().getType(), getCoordinates().size(),
                        getDestination().getType());
}

LogicalResult StoreAsyncOp::verify() {
  if (getAdd() && !getMap().getType().getElementType().isF32())
    return emitOpError("expected f32 elements to add, got ")
           << getMap().getType();
  if (failed(verifyExecutor(*this, Executor::Leaders)))
    return failure();
  return verifyTileCopy(*this, getMap().getType(), getCoordinates().size(),
                        getSource().getType());
}

LogicalResult MaskScalesOp::verify() {
  if (failed(verifyExecutor(*this, Executor::Warp)))
    return failure();
  return expectBuffer(*this, "the scales", getBuffer().getType(),
                      MemorySpace::Shared, BufferLayout::ScaleTiles);
}

LogicalResult CopyScalesOp::verify() {
  if (failed(verifyExecutor(*this, Executor::Leader)))
    return failure();
  BufferType source = getSource().getType();
  BufferType destination = getDestination().getType();
  if (failed(expectBuffer(*this, "the source", source, MemorySpace::Shared,
                          BufferLayout::ScaleTiles)) ||
      failed(expectBuffer(*this, "the destination", destination,
                          MemorySpace::TensorMemory, BufferLayout::ScaleTiles)))
    return failure();
  if (source.getShape() != destination.getShape() ||
      source.getElementType() != destination.getElementType())
    return emitOpError("expected scales of one shape and type, got ")
           << source << " and " << destination;
  return success();
}

static LogicalResult verifySwizzled(Operation *op, StringRef name,
                                    BufferType type) {
  if (llvm::is_contained({BufferLayout::Swizzle32B, BufferLayout::Swizzle64B,
                          BufferLayout::Swizzle128B},
                         type.getLayout()))
    return success();
  return op->emitOpError("expected ")
         << name
         << " with layout swizzle_32B, swizzle_64B or swizzle_128B, which its "
            "descriptor describes, got "
         << type;
}

LogicalResult ScaledMmaOp::verify() {
  if (failed(verifyExecutor(*this, Executor::Leader)))
    return failure();
  BufferType a = getA().getType(), b = getB().getType(),
             sfa = getScaleA().getType(), sfb = getScaleB().getType(),
             accumulator = getAccumulator().getType();
  if (failed(expectBuffer(*this, "A", a, MemorySpace::Shared)) ||
      failed(expectBuffer(*this, "B", b, MemorySpace::Shared)) ||
      failed(expectBuffer(*this, "the scales of A", sfa,
                          MemorySpace::TensorMemory,
                          BufferLayout::ScaleTiles)) ||
      failed(expectBuffer(*this, "the scales of B", sfb,
                          MemorySpace::TensorMemory,
                          BufferLayout::ScaleTiles)) ||
      failed(expectBuffer(*this, "the accumulator", accumulator,
                          MemorySpace::TensorMemory,
                          BufferLayout::Accumulator)))
    return failure();
  if (failed(verifySwizzled(*this, "A", a)) ||
      failed(verifySwizzled(*this, "B", b)))
    return failure();
  int64_t m = a.getShape()[0], k = a.getShape()[1], n = b.getShape()[0];
  if (b.getShape()[1] != k)
    return emitOpError("expected A [m, k] and B [n, k] with one k, got ")
           << k << " and " << b.getShape()[1];
  if (accumulator.getShape()[0] != m || accumulator.getShape()[1] != n)
    return emitOpError("expected an accumulator of ")
           << m << "x" << n << ", got " << accumulator;
  if (sfa.getShape()[1] != sfb.getShape()[1] || k % sfa.getShape()[1] != 0)
    return emitOpError("expected scales that divide k = ")
           << k << " alike, got " << sfa.getShape()[1] << " groups for A and "
           << sfb.getShape()[1] << " for B";
  if (sfa.getElementType() != sfb.getElementType())
    return emitOpError("expected scales of one type, got ")
           << sfa.getElementType() << " for A and " << sfb.getElementType()
           << " for B";
  if (std::string reason =
          whyNotScaledFormat(a.getElementType(), b.getElementType(),
                             sfa.getElementType(), k / sfa.getShape()[1]);
      !reason.empty())
    return emitOpError(reason);
  if (sfa.getShape()[0] < m || sfb.getShape()[0] < n)
    return emitOpError("expected scales for ")
           << m << " rows of A and " << n << " rows of B, got "
           << sfa.getShape()[0] << " and " << sfb.getShape()[0];
  // What the offset may be is known where it is computed; the smallest one that
  // is not 0 is a column of scales.
  if (getScaleBOffset() && sfb.getShape()[0] < n + layout::scaleColumnRows)
    return emitOpError("expected scales for ")
           << n << " rows of B after an offset of " << layout::scaleColumnRows
           << ", got " << sfb.getShape()[0];
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulators in registers
//===----------------------------------------------------------------------===//

LogicalResult DecodeOperandOp::verify() {
  BufferType source = getSource().getType(), scales = getScales().getType(),
             destination = getDestination().getType();
  if (failed(verifyExecutor(*this, Executor::Warpgroups)) ||
      failed(expectBuffer(*this, "the operand", source, MemorySpace::Shared)) ||
      failed(expectBuffer(*this, "the scales", scales, MemorySpace::Shared,
                          BufferLayout::ScaleTiles)) ||
      failed(expectBuffer(*this, "the result", destination,
                          MemorySpace::Shared)) ||
      failed(verifySwizzled(*this, "the operand", source)) ||
      failed(verifySwizzled(*this, "the result", destination)))
    return failure();
  if (auto role = (*this)->getParentOfType<WarpRoleOp>();
      !role || !role.isWarpgroup())
    return emitOpError("expected inside of the bsmm.warp_role of warpgroups");
  if (!isa<Float4E2M1FNType, Float8E4M3FNType, Float8E5M2Type>(
          source.getElementType()))
    return emitOpError("expected an operand of f4E2M1FN, f8E4M3FN or f8E5M2, "
                       "got ")
           << source;
  if (!isa<Float8E4M3FNType, Float8E8M0FNUType>(scales.getElementType()))
    return emitOpError("expected scales of f8E4M3FN or f8E8M0FNU, got ")
           << scales;
  if ((!destination.getElementType().isF16() &&
       !destination.getElementType().isBF16()) ||
      destination.getShape() != source.getShape())
    return emitOpError("expected a result of the operand's shape, of f16 or "
                       "bf16, got ")
           << destination;
  int64_t k = source.getShape()[1], groups = scales.getShape()[1];
  if (k % groups != 0 || (k / groups != 16 && k / groups != 32) ||
      scales.getShape()[0] < source.getShape()[0])
    return emitOpError(
               "expected a scale for every 16 or 32 elements of each of "
               "the ")
           << source.getShape()[0] << " rows, got " << scales;
  return success();
}

/// An accumulator lives in the registers of the role's warpgroups.
static LogicalResult verifyAccumulatorRole(Operation *op,
                                           AccumulatorType type) {
  int64_t warpgroups = 0;
  if (auto role = op->getParentOfType<WarpRoleOp>())
    warpgroups = role.getCount() / target::threads::warpsPerWarpgroup;
  else if (auto kernel = op->getParentOfType<KernelOp>();
           kernel && kernel.getBlockSize())
    warpgroups = *kernel.getBlockSize() / target::threads::perWarpgroup;
  else
    return success();
  if (warpgroups != type.getWarpgroups())
    return op->emitOpError("expected to be executed by ")
           << type.getWarpgroups() << " warpgroups as " << type << " says, got "
           << warpgroups;
  return success();
}

/// Whether multiplications into a sum may still run: it comes from a bsmm.mma
/// without a wait for all groups. Operations around it may not have been
/// verified yet.
static bool isUnfinished(Value sum, llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(sum).second)
    return false;
  auto isAny = [&](std::initializer_list<Value> values) {
    return llvm::any_of(values,
                        [&](Value v) { return v && isUnfinished(v, seen); });
  };
  auto yielded = [](Region &region, unsigned number) -> Value {
    if (region.empty() || region.front().empty())
      return {};
    Operation &last = region.front().back();
    return number < last.getNumOperands() ? last.getOperand(number) : Value();
  };
  auto carried = [&](scf::ForOp loop, unsigned number) {
    Value init = number < loop.getInitArgs().size()
                     ? Value(loop.getInitArgs()[number])
                     : Value();
    return isAny({init, yielded(loop.getRegion(), number)});
  };
  if (auto argument = dyn_cast<BlockArgument>(sum)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument.getArgNumber() > 0 &&
           carried(loop, argument.getArgNumber() - 1);
  }
  Operation *op = sum.getDefiningOp();
  unsigned number = cast<OpResult>(sum).getResultNumber();
  if (isa<MmaOp>(op))
    return true;
  if (auto wait = dyn_cast<WaitMmaOp>(op))
    return !wait.isComplete() && isAny({wait.getAccumulator()});
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carried(loop, number);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isAny({yielded(branch.getThenRegion(), number),
                  yielded(branch.getElseRegion(), number)});
  return false;
}

static LogicalResult expectFinished(Operation *op, Value sum) {
  llvm::SmallPtrSet<Value, 16> seen;
  if (isUnfinished(sum, seen))
    return op->emitOpError("expected a sum that has been waited for, got one "
                           "whose multiplications may still run; insert "
                           "bsmm.wait_mma with 0 pending groups");
  return success();
}

/// Groups that have been issued between the last one that adds to `sum` and
/// `op`, at least: those in the blocks on the way, whatever regions of other
/// operations there do. Stops at `enough`. Operations around may not have been
/// verified yet.
static int64_t countIssuedSince(Value sum, Operation *op, int64_t enough,
                                llvm::SmallPtrSetImpl<Value> &seen) {
  Block *block = op->getBlock();
  auto count = [&](Operation *start) {
    int64_t issued = 0;
    for (Operation &each : *block) {
      if (&each == op)
        break;
      if (isa<MmaOp>(each) && (!start || start->isBeforeInBlock(&each)))
        ++issued;
    }
    return issued;
  };
  // What a loop carries comes from before it or from its last trip.
  auto countCarried = [&](scf::ForOp loop, unsigned number, int64_t issued) {
    Block *body = loop.getBody();
    if (issued >= enough || !seen.insert(sum).second || body->empty() ||
        number >= loop.getInitArgs().size() ||
        number >= body->back().getNumOperands())
      return issued;
    int64_t missing = enough - issued;
    return issued + std::min(countIssuedSince(loop.getInitArgs()[number], loop,
                                              missing, seen),
                             countIssuedSince(body->back().getOperand(number),
                                              &body->back(), missing, seen));
  };
  if (sum.getParentBlock() != block) {
    Operation *parent = op->getParentOp();
    if (!isa_and_nonnull<scf::IfOp>(parent))
      return 0;
    return count(nullptr) + countIssuedSince(sum, parent, enough, seen);
  }
  if (auto argument = dyn_cast<BlockArgument>(sum)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
    if (!loop || argument.getArgNumber() == 0)
      return 0;
    return countCarried(loop, argument.getArgNumber() - 1, count(nullptr));
  }
  Operation *definition = sum.getDefiningOp();
  int64_t issued = count(definition);
  if (auto wait = dyn_cast<WaitMmaOp>(definition))
    return issued +
           countIssuedSince(wait.getAccumulator(), wait, enough - issued, seen);
  if (auto loop = dyn_cast<scf::ForOp>(definition))
    return countCarried(loop, cast<OpResult>(sum).getResultNumber(), issued);
  return isa<MmaOp>(definition) ? issued : 0;
}

LogicalResult ZeroAccumulatorOp::verify() {
  return verifyAccumulatorRole(*this, getResult().getType());
}

LogicalResult MmaOp::verify() {
  AccumulatorType accumulator = getResult().getType();
  if (getAccumulator() && getAccumulator().getType() != accumulator)
    return emitOpError("expected to add to an accumulator of its own type ")
           << accumulator << ", got " << getAccumulator().getType();
  if (failed(verifyExecutor(*this, Executor::Warpgroups)) ||
      failed(verifyAccumulatorRole(*this, accumulator)))
    return failure();
  BufferType a = getA().getType(), b = getB().getType();
  for (auto [name, type] : {std::pair{"A", a}, std::pair{"B", b}}) {
    if (failed(expectBuffer(*this, name, type, MemorySpace::Shared)) ||
        failed(verifySwizzled(*this, name, type)))
      return failure();
  }
  if (std::string reason =
          whyNotDenseFormat(a.getElementType(), b.getElementType());
      !reason.empty())
    return emitOpError(reason);
  int64_t m = a.getShape()[0], k = a.getShape()[1], n = b.getShape()[0];
  if (b.getShape()[1] != k)
    return emitOpError("expected A [m, k] and B [n, k] with one k, got ")
           << k << " and " << b.getShape()[1];
  if (getNumK()) {
    int64_t first = *getK(), depth = *getNumK();
    int64_t unit = 8 * 32 /
                   std::min(getElementBits(a.getElementType()),
                            getElementBits(b.getElementType()));
    if (first < 0 || first % unit != 0 || depth < unit || depth % unit != 0 ||
        depth > k - first)
      return emitOpError("expected elements of K from 0 to ")
             << k << ", in multiples of " << unit << " (32 bytes), got "
             << depth << " from " << first << " on";
  }
  if (getColumn()) {
    int64_t first = *getColumn(), columns = accumulator.getShape()[1];
    if (accumulator.getByColumns())
      return emitOpError("expected an accumulator that is split by rows with "
                         "'column', got ")
             << accumulator;
    if (first < 0 || first % 8 != 0 || columns > n - first)
      return emitOpError("expected columns from 0 to ")
             << n << ", the first one a multiple of 8, got " << columns
             << " from " << first << " on";
    n = columns;
  }
  if (accumulator.getShape()[0] != m || accumulator.getShape()[1] != n)
    return emitOpError("expected an accumulator of ")
           << m << "x" << n << ", got " << accumulator;
  return success();
}

LogicalResult WaitMmaOp::verify() {
  if (failed(verifyExecutor(*this, Executor::Warpgroups)) ||
      failed(verifyAccumulatorRole(*this, getAccumulator().getType())))
    return failure();
  // wgmma.wait_group takes an immediate; more groups than these are never of
  // use, since each holds a slot of operands.
  if (int64_t pending = int64_t(getPending()); pending < 0 || pending > 7)
    return emitOpError("expected 0 to 7 pending groups, got ") << pending;
  if (!getComplete())
    return success();
  llvm::SmallPtrSet<Value, 16> seen;
  int64_t enough = int64_t(getPending());
  int64_t issued = countIssuedSince(getAccumulator(), *this, enough, seen);
  if (issued < enough)
    return emitOpError("expected at least ")
           << enough << " bsmm.mma between the one of a complete sum and the "
           << "wait, got " << issued << "; wait with " << issued
           << " pending groups";
  return success();
}

LogicalResult JoinAccumulatorsOp::verify() {
  AccumulatorType result = getResult().getType();
  if (getParts().empty())
    return emitOpError("expected accumulators to join");
  // What the warpgroups do not share is joined.
  int64_t joined = result.getByColumns() ? 0 : 1, extent = 0;
  for (Value part : getParts()) {
    auto type = cast<AccumulatorType>(part.getType());
    extent += type.getShape()[joined];
    if (type.getShape()[1 - joined] != result.getShape()[1 - joined] ||
        type.getElementType() != result.getElementType() ||
        type.getWarpgroups() != result.getWarpgroups() ||
        type.getByColumns() != result.getByColumns())
      return emitOpError("expected accumulators with the ")
             << (joined == 0 ? "columns" : "rows")
             << ", the warpgroups and their split of the result " << result
             << ", got " << type;
    if (failed(expectFinished(*this, part)))
      return failure();
  }
  if (extent != result.getShape()[joined])
    return emitOpError("expected accumulators of ")
           << result.getShape()[joined] << (joined == 0 ? " rows" : " columns")
           << " together, got " << extent;
  return verifyAccumulatorRole(*this, result);
}

LogicalResult ReduceClusterOp::verify() {
  AccumulatorType source = getAccumulator().getType();
  AccumulatorType result = getResult().getType();
  BufferType buffer = getBuffer().getType();
  if (failed(verifyExecutor(*this, Executor::Warpgroups)) ||
      failed(verifyAccumulatorRole(*this, source)) ||
      failed(expectFinished(*this, getAccumulator())) ||
      failed(expectBuffer(*this, "the buffer", buffer, MemorySpace::Shared,
                          BufferLayout::RowMajor)))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  int64_t ctas = kernel ? kernel.getNumClusterCtas() : 1;
  if (ctas < 2)
    return emitOpError("expected a kernel with a cluster_size of at least 2");
  if (source.getByColumns() || result.getByColumns() ||
      result.getShape()[0] != source.getShape()[0] ||
      result.getShape()[1] * ctas != source.getShape()[1] ||
      result.getWarpgroups() != source.getWarpgroups())
    return emitOpError("expected a result of ")
           << source.getShape()[0] << " rows and 1 / " << ctas << " of "
           << source.getShape()[1]
           << " columns, split among warpgroups by rows like the source, got "
           << result;
  int64_t elements = (ctas - 1) * result.getShape()[0] * result.getShape()[1];
  if (!buffer.getElementType().isF32() ||
      buffer.getShape()[0] * buffer.getShape()[1] != elements)
    return emitOpError("expected a buffer of ")
           << elements
           << " f32, a place of the result's size for each of the other CTAs, "
              "got "
           << buffer;
  return success();
}

/// What CTAs of a cluster send each other of accumulators in tensor memory.
static LogicalResult verifyPartials(Operation *op, VectorType values,
                                    BufferType buffer) {
  auto drain = op->getParentOfType<DrainOp>();
  if (!drain || drain.isFromRegisters())
    return op->emitOpError(
        "expected inside of a bsmm.drain from tensor memory");
  if (values.getRank() != 1 || values.isScalable() ||
      values.getShape() != drain.getValuesType().getShape() ||
      !values.getElementType().isF32() || values.getDimSize(0) % 4 != 0)
    return op->emitOpError("expected a multiple of 4 values in f32, as many as "
                           "the drain's ")
           << drain.getValuesType().getDimSize(0) << ", got " << values;
  if (failed(expectBuffer(op, "the buffer", buffer, MemorySpace::Shared,
                          BufferLayout::RowMajor)))
    return failure();
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t ctas = kernel ? kernel.getNumClusterCtas() : 1;
  if (ctas < 2)
    return op->emitOpError("expected a kernel with a cluster_size of at least "
                           "2");
  auto accumulator = cast<BufferType>(drain.getAccumulator().getType());
  int64_t rows = accumulator.getShape()[0], columns = accumulator.getShape()[1];
  // Not all columns of an accumulator need be the output tile's.
  if (!buffer.getElementType().isF32() ||
      buffer.getShape()[0] != (ctas - 1) * rows ||
      buffer.getShape()[1] < drain.getNumColumns() ||
      buffer.getShape()[1] > columns / ctas)
    return op->emitOpError("expected a buffer of ")
           << ctas - 1 << " x " << rows << " rows and " << drain.getNumColumns()
           << " to " << columns / ctas
           << " columns of f32, a place for each of the other CTAs, got "
           << buffer;
  return success();
}

LogicalResult SendPartialOp::verify() {
  return verifyPartials(*this, cast<VectorType>(getValues().getType()),
                        getBuffer().getType());
}

LogicalResult AddPartialsOp::verify() {
  return verifyPartials(*this, cast<VectorType>(getValues().getType()),
                        getBuffer().getType());
}

LogicalResult WaitPartialsOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (failed(expectBuffer(*this, "the buffer", buffer, MemorySpace::Shared,
                          BufferLayout::RowMajor)) ||
      failed(verifyExecutor(*this, Executor::Warpgroups)))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.getNumClusterCtas() < 2)
    return emitOpError("expected a kernel with a cluster_size of at least 2");
  // One phase of its barrier counts what is sent in the life of the CTA.
  if ((*this)->getParentOfType<scf::ForOp>())
    return emitOpError("expected outside of loops: the others send once");
  for (Operation *user : getBuffer().getUsers())
    if (isa<WaitPartialsOp>(user) && user != getOperation())
      return emitOpError("expected one bsmm.wait_partials for a buffer");
  if (buffer.getSharedBytes() > target::mbarrier::maxTransactionBytes)
    return emitOpError("expected at most ")
           << target::mbarrier::maxTransactionBytes
           << " bytes, which a barrier counts, got " << buffer.getSharedBytes();
  return success();
}

LogicalResult SynchronizeClusterOp::verify() {
  // Threads of other roles would wait for the CTA's end, not here.
  if ((*this)->getParentOfType<WarpRoleOp>())
    return emitOpError("expected outside of a bsmm.warp_role: all threads of "
                       "the cluster execute it");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.getNumClusterCtas() < 2)
    return emitOpError("expected a kernel with a cluster_size of at least 2");
  return verifyExecutor(*this, Executor::Warpgroups);
}

/// Columns of a warpgroup start at a multiple of this many in their block.
int64_t ReadScalesOp::getUnit(AccumulatorType type, int64_t block,
                              int64_t alignment) {
  int64_t unit = std::gcd(block, alignment);
  return type.getByColumns() ? std::gcd(unit, type.getWarpgroupColumns())
                             : unit;
}

int64_t ReadScalesOp::getNumScales(AccumulatorType type, int64_t dimension,
                                   int64_t block, int64_t alignment) {
  if (dimension == 0)
    return 2 * type.getRowBlocks();
  int64_t unit = getUnit(type, block, alignment);
  return llvm::divideCeil(block - unit + type.getWarpgroupColumns(), block);
}

/// Blocks of scales that a warpgroup's columns or rows can be told apart by.
static LogicalResult verifyScaleBlock(Operation *op, int64_t block,
                                      int64_t alignment) {
  if (block < 8 || block % 8 != 0 || alignment < 8 || alignment % 8 != 0)
    return op->emitOpError("expected blocks and an alignment of multiples of 8 "
                           "columns, got ")
           << block << " and " << alignment;
  return success();
}

LogicalResult ReadScalesOp::verify() {
  auto type = dyn_cast<AccumulatorType>(getAccumulator());
  if (!type)
    return emitOpError("expected the type of an accumulator in registers, got ")
           << getAccumulator();
  int64_t dimension = int64_t(getDimension()), block = int64_t(getBlock()),
          alignment = int64_t(getAlignment());
  if (dimension != 0 && dimension != 1)
    return emitOpError("expected dimension 0 (rows) or 1 (columns), got ")
           << dimension;
  if (dimension == 0 && (block != 1 || alignment < 1))
    return emitOpError("expected a scale for each row, i.e. block 1, got ")
           << block;
  if (dimension == 1 && failed(verifyScaleBlock(*this, block, alignment)))
    return failure();
  auto expected =
      VectorType::get({getNumScales(type, dimension, block, alignment)},
                      Float32Type::get(getContext()));
  if (getResult().getType() != expected)
    return emitOpError("expected a result of ")
           << expected << ", got " << getResult().getType();
  if (failed(verifyExecutor(*this, Executor::Warpgroups)))
    return failure();
  return verifyAccumulatorRole(*this, type);
}

LogicalResult AddScaledOp::verify() {
  for (Value sum : {getSum(), getPartial()})
    if (failed(expectFinished(*this, sum)))
      return failure();
  AccumulatorType type = getResult().getType();
  int64_t block = int64_t(getBlock()), alignment = int64_t(getAlignment());
  if (failed(verifyScaleBlock(*this, block, alignment)))
    return failure();
  for (auto [dimension, scales] :
       {std::pair{0, getScaleA()}, std::pair{1, getScaleB()}}) {
    auto expected = VectorType::get(
        {ReadScalesOp::getNumScales(type, dimension, block, alignment)},
        Float32Type::get(getContext()));
    if (scales.getType() != expected)
      return emitOpError("expected scales of ")
             << (dimension == 0 ? "rows " : "columns ") << expected << ", got "
             << scales.getType();
  }
  return verifyAccumulatorRole(*this, type);
}

LogicalResult AddAccumulatorsOp::verify() {
  for (Value sum : getOperands())
    if (failed(expectFinished(*this, sum)))
      return failure();
  return verifyAccumulatorRole(*this, getResult().getType());
}

//===----------------------------------------------------------------------===//
// Drains
//===----------------------------------------------------------------------===//

bool DrainOp::isFromRegisters() {
  return isa<AccumulatorType>(getAccumulator().getType());
}

int64_t DrainOp::getAllColumns() {
  if (auto type = dyn_cast<AccumulatorType>(getAccumulator().getType()))
    return type.getWarpgroupColumns();
  return cast<BufferType>(getAccumulator().getType()).getShape()[1];
}

int64_t DrainOp::getNumColumns() {
  return getExtent() ? int64_t(*getExtent())
                     : getAllColumns() - int64_t(getFirst());
}

VectorType DrainOp::getValuesType() {
  int64_t columns = int64_t(getColumns());
  return VectorType::get({isFromRegisters() ? columns / 2 : columns},
                         Float32Type::get(getContext()));
}

LogicalResult DrainOp::verify() {
  if (failed(verifyExecutor(*this, Executor::Warpgroups)))
    return failure();
  int64_t columns = int64_t(getColumns());
  if (auto accumulator =
          dyn_cast<AccumulatorType>(getAccumulator().getType())) {
    if (failed(verifyAccumulatorRole(*this, accumulator)) ||
        failed(expectFinished(*this, getAccumulator())))
      return failure();
    if (columns < 8 || columns > 256 || columns % 8 != 0)
      return emitOpError("expected 8 to 256 columns in steps of 8, got ")
             << columns;
  } else {
    auto buffer = cast<BufferType>(getAccumulator().getType());
    if (auto role = (*this)->getParentOfType<WarpRoleOp>();
        role && !getAt() &&
        role.getNumThreads() != target::threads::perWarpgroup)
      return emitOpError("expected the role of one warpgroup, or 'at', got ")
             << role.getCount() << " warps";
    if (auto kernel = (*this)->getParentOfType<KernelOp>())
      if (auto threads = kernel.getBlockSize();
          threads && *threads < target::threads::perWarpgroup)
        return emitOpError("expected a block of at least ")
               << target::threads::perWarpgroup
               << " threads, one for each row, got " << *threads;
    if (failed(expectBuffer(*this, "the accumulator", buffer,
                            MemorySpace::TensorMemory,
                            BufferLayout::Accumulator)))
      return failure();
    // .num of tcgen05.ld.32x32b (PTX ISA 9.7.17.8): powers of two to 128.
    if (columns < 1 || columns > 128 || (columns & (columns - 1)) != 0)
      return emitOpError("expected a power of two of columns, at most 128, "
                         "got ")
             << columns;
  }
  int64_t all = getAllColumns(), first = int64_t(getFirst());
  int64_t extent = getNumColumns();
  if (getTransposed() && isFromRegisters())
    return emitOpError("expected 'transposed' for tensor memory only");
  if (getWhen() && isFromRegisters())
    return emitOpError("expected 'when' for tensor memory only");
  if (getAt() && (isFromRegisters() || first != 0 || !getExtent()))
    return emitOpError("expected 'at' with an extent, without 'first' and for "
                       "tensor memory only");
  if (first < 0 || first >= all || extent < 1 || extent > all - first)
    return emitOpError("expected columns of the accumulator's ")
           << all << ", got " << extent << " from " << first;
  if (extent % columns != 0 || first % columns != 0)
    return emitOpError("expected a number of columns that divides ")
           << extent << " columns from " << first << ", got " << columns;
  Block &body = getBody().front();
  Type i32 = IntegerType::get(getContext(), 32);
  VectorType values = getValuesType();
  if (!llvm::equal(body.getArgumentTypes(), ArrayRef<Type>{i32, i32, values}))
    return emitOpError("expected block arguments (i32, i32, ")
           << values << "), got (" << body.getArgumentTypes() << ")";
  return success();
}

/// A vector that holds one element for each of the drain's values.
static LogicalResult verifyDrainValues(Operation *op, VectorType values) {
  auto drain = op->getParentOfType<DrainOp>();
  if (!drain)
    return op->emitOpError("expected inside of a bsmm.drain, whose values say "
                           "what to read");
  if (values.getRank() != 1 || values.isScalable() ||
      values.getShape() != drain.getValuesType().getShape())
    return op->emitOpError("expected a vector of ")
           << drain.getValuesType().getDimSize(0)
           << " elements like the drain's values, got " << values;
  return success();
}

/// Elements that are moved one by one.
static LogicalResult verifyGlobalElements(Operation *op, VectorType values) {
  unsigned bits = getElementBits(values.getElementType());
  if (values.getRank() != 1 || values.isScalable() ||
      (bits != 8 && bits != 16 && bits != 32))
    return op->emitOpError("expected a vector of rank 1 with elements of 8, 16 "
                           "or 32 bits, got ")
           << values;
  return success();
}

LogicalResult ReadVectorOp::verify() {
  if (int64_t dimension = int64_t(getDimension());
      dimension != 0 && dimension != 1)
    return emitOpError("expected dimension 0 (rows) or 1 (columns), got ")
           << dimension;
  auto type = cast<VectorType>(getResult().getType());
  if (failed(verifyGlobalElements(*this, type)))
    return failure();
  // One element belongs to all values and may be read before the drain.
  if (type.getNumElements() == 1 && !(*this)->getParentOfType<DrainOp>())
    return success();
  return verifyDrainValues(*this, type);
}

/// A vector of 32-bit elements for each warpgroup of the role.
static LogicalResult verifyStaged(Operation *op, BufferType buffer) {
  if (failed(expectBuffer(op, "the buffer", buffer, MemorySpace::Shared,
                          BufferLayout::RowMajor)))
    return failure();
  auto role = op->getParentOfType<WarpRoleOp>();
  if (!role || !role.isWarpgroup())
    return op->emitOpError("expected inside of the bsmm.warp_role of "
                           "warpgroups");
  int64_t warpgroups = role.getCount() / target::threads::warpsPerWarpgroup;
  if (buffer.getShape()[0] != warpgroups ||
      getElementBits(buffer.getElementType()) != 32)
    return op->emitOpError("expected a buffer of ")
           << warpgroups << " rows of 32-bit elements, one for each warpgroup, "
           << "got " << buffer;
  return success();
}

LogicalResult StageVectorOp::verify() {
  if (failed(verifyExecutor(*this, Executor::Warpgroups)))
    return failure();
  return verifyStaged(*this, getBuffer().getType());
}

LogicalResult WaitVectorsOp::verify() {
  return verifyExecutor(*this, Executor::Warpgroups);
}

LogicalResult ReadStagedOp::verify() {
  if (int64_t dimension = int64_t(getDimension());
      dimension != 0 && dimension != 1)
    return emitOpError("expected dimension 0 (rows) or 1 (columns), got ")
           << dimension;
  auto type = cast<VectorType>(getResult().getType());
  if (type.getElementType() != getBuffer().getType().getElementType())
    return emitOpError("expected elements of ")
           << getBuffer().getType() << ", got " << type;
  if (failed(verifyStaged(*this, getBuffer().getType())))
    return failure();
  return verifyDrainValues(*this, type);
}

LogicalResult ReadGlobalOp::verify() {
  auto type = cast<VectorType>(getResult().getType());
  if (failed(verifyGlobalElements(*this, type)))
    return failure();
  return verifyDrainValues(*this, type);
}

LogicalResult ConvertValuesOp::verify() {
  auto source = cast<VectorType>(getSource().getType());
  auto result = cast<VectorType>(getResult().getType());
  if (source.getRank() != 1 || source.isScalable() ||
      source.getShape() != result.getShape() || source.getDimSize(0) % 2 != 0 ||
      !source.getElementType().isF32() ||
      !isa<Float8E4M3FNType, Float8E5M2Type>(result.getElementType()))
    return emitOpError("expected an even number of f32 to as many f8E4M3FN or "
                       "f8E5M2, got ")
           << source << " to " << result;
  return success();
}

LogicalResult WriteSharedOp::verify() {
  auto values = cast<VectorType>(getValues().getType());
  BufferType buffer = getBuffer().getType();
  if (failed(expectBuffer(*this, "the buffer", buffer, MemorySpace::Shared)))
    return failure();
  if (values.getRank() != 1 || values.isScalable() ||
      values.getElementType() != buffer.getElementType())
    return emitOpError("expected a vector of ")
           << buffer.getElementType() << ", got " << values;
  if (buffer.getLayout() == BufferLayout::ScaleTiles)
    return emitOpError("expected a buffer of rows, got ") << buffer;
  if (auto drain = (*this)->getParentOfType<DrainOp>();
      drain && (drain.isFromRegisters() || drain.getTransposed()))
    return verifyDrainValues(*this, values);
  int64_t bits = values.getDimSize(0) * getElementBits(values.getElementType());
  if (bits % 128 != 0)
    return emitOpError("expected a multiple of 16 bytes, got ")
           << bits << " bits";
  return success();
}

LogicalResult WriteGlobalOp::verify() {
  auto values = cast<VectorType>(getValues().getType());
  if (failed(verifyGlobalElements(*this, values)))
    return failure();
  if (auto drain = (*this)->getParentOfType<DrainOp>();
      drain && (drain.isFromRegisters() || drain.getTransposed()))
    return verifyDrainValues(*this, values);
  return success();
}

LogicalResult WaitStoresOp::verify() {
  if (int64_t pending = int64_t(getPending()); pending < 0 || pending > 63)
    return emitOpError("expected 0 to 63 pending stores, got ") << pending;
  return verifyExecutor(*this, Executor::Leaders);
}

LogicalResult PublishOp::verify() {
  if (failed(verifyEachWarpgroup(*this, getEachWarpgroup())))
    return failure();
  return verifyExecutor(*this, Executor::Warpgroups);
}

LogicalResult SynchronizeOp::verify() {
  if (failed(verifyEachWarpgroup(*this, getEachWarpgroup())))
    return failure();
  return verifyExecutor(*this, Executor::Warpgroups);
}
