//===- EarlyLoads.cpp - a warp that loads before the CTA is together ------===//

#include "EarlyLoads.h"
#include "Common.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace bsmm;

static bool isInTensorMemory(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return buffer.getMemorySpace() == MemorySpace::TensorMemory;
  if (auto channel = dyn_cast<ChannelType>(type))
    return channel.getMemorySpace() == MemorySpace::TensorMemory;
  return false;
}

static bool usesTensorMemory(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isInTensorMemory) ||
         llvm::any_of(op->getResultTypes(), isInTensorMemory);
}

/// Whether a warp executes an operation.
static bool executes(int64_t warp, Operation *op) {
  auto role = op->getParentOfType<WarpRoleOp>();
  return !role || (warp >= int64_t(role.getWarp()) &&
                   warp < int64_t(role.getWarp() + role.getCount()));
}

/// Whether an operation reaches other CTAs of the cluster.
static bool reachesCluster(Operation *op) {
  if (auto load = dyn_cast<LoadAsyncOp>(op); load && load.getMulticast())
    return true;
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto create = operand.getDefiningOp<CreateChannelOp>();
    return create && create.getCluster();
  });
}

/// Whether an operation outside of `role`, which loads, reaches other CTAs
/// without waiting for what that has loaded: in a channel of the role consumers
/// do only.
static bool reachesClusterFirst(Operation *op, WarpRoleOp role) {
  if (isa<LoadAsyncOp>(op))
    return reachesCluster(op);
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto create = operand.getDefiningOp<CreateChannelOp>();
    return create && create.getCluster() &&
           llvm::none_of(operand.getUsers(), [&](Operation *user) {
             return isa<LoadAsyncOp>(user) && role->isProperAncestor(user);
           });
  });
}

/// Whether the CTAs of a cluster meet later.
static bool meetsCluster(KernelOp kernel) {
  return kernel
      .walk([&](Operation *op) {
        return isa<SynchronizeClusterOp, ReduceClusterOp>(op) ||
                       endsTogether(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether what an operation sends to another CTA has been waited for: an
/// accumulator that others than `role`, which have waited for the cluster, have
/// completed.
static bool sendsWhatOthersComplete(SendPartialOp send, WarpRoleOp role) {
  auto drain = send->getParentOfType<DrainOp>();
  auto wait = drain.getAccumulator().getDefiningOp<WaitOp>();
  return wait &&
         llvm::none_of(wait.getChannel().getUsers(), [&](Operation *op) {
           return isa<CommitOp>(op) && role->isAncestor(op);
         });
}

bool bsmm::endsTogether(Operation *op) {
  auto create = dyn_cast<CreateChannelOp>(op);
  return create && create.getCluster() &&
         create.getConsumer().getKind() != ArrivalKind::MmaCommit;
}

std::optional<EarlyLoads> bsmm::findEarlyLoads(KernelOp kernel) {
  if (!kernel.getTensorMemoryColumns())
    return std::nullopt;
  // Named barriers of warpgroups from the seventh one on have the numbers that
  // are used here.
  int64_t threads = int64_t(kernel.getBlockSize().value_or(0));
  if (threads <= target::threads::perWarp ||
      threads > 6 * target::threads::perWarpgroup ||
      threads % target::threads::perWarp != 0)
    return std::nullopt;
  // The first one that loads; others meet before they do.
  EarlyLoads result;
  bool isGood = true;
  kernel.walk([&](LoadAsyncOp load) {
    auto role = load->getParentOfType<WarpRoleOp>();
    isGood &= bool(role);
    if (!result.role)
      result.role = role;
  });
  if (!isGood || !result.role || result.role.getCount() != 1)
    return std::nullopt;
  // The first thing that its warp does.
  Operation *outermost = result.role;
  for (Operation *op = result.role;; op = op->getParentOp()) {
    for (Operation &before : *op->getBlock()) {
      if (&before == op)
        break;
      bool isHarmless =
          isa<AllocOp, CreateChannelOp>(before) || isMemoryEffectFree(&before);
      if (isa<WarpRoleOp>(before) || !isHarmless)
        return std::nullopt;
    }
    outermost = op;
    if (op->getParentOp() == kernel.getOperation())
      break;
    if (!isa<WarpRoleOp>(op->getParentOp()))
      return std::nullopt;
  }
  result.warp = int64_t(result.role.getWarp());
  bool isFree = true;
  result.role->walk([&](Operation *op) {
    isFree &= !usesTensorMemory(op);
    result.reachesCluster |= reachesCluster(op);
  });
  if (!isFree)
    return std::nullopt;
  kernel.walk([&](Operation *op) {
    if (!isa<AllocOp, CreateChannelOp>(op) && usesTensorMemory(op) &&
        executes(result.warp, op))
      result.usesTensorMemoryLater = true;
    if (!result.role->isAncestor(op))
      result.othersReachCluster |= reachesClusterFirst(op, result.role);
  });
  result.meetsClusterAgain = meetsCluster(kernel);
  kernel.walk([&](SendPartialOp send) {
    result.othersReachCluster = true;
    result.sendsLater |= executes(result.warp, send) &&
                         !sendsWhatOthersComplete(send, result.role);
  });
  if (result.usesTensorMemoryLater && outermost != result.role)
    return std::nullopt;
  return result;
}
