//===- SlotUses.cpp - who uses the memory of slots, and when --------------===//

#include "SlotUses.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace bsmm;

void bsmm::findSides(CreateChannelOp create, Side &producer,
                     SmallVectorImpl<Side> &consumers) {
  llvm::MapVector<Operation *, Side> byRole;
  create->getParentOfType<KernelOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *op) {
        if (!llvm::is_contained(op->getOperands(), create.getChannel()))
          return;
        if (isa<AcquireOp>(op))
          producer.enters.push_back(op);
        else if (isa<CommitOp>(op))
          producer.leaves.push_back(op);
        else if (isa<WaitOp>(op))
          byRole[op->getParentOfType<WarpRoleOp>()].enters.push_back(op);
        else if (isa<ReleaseOp>(op))
          byRole[op->getParentOfType<WarpRoleOp>()].leaves.push_back(op);
      });
  for (auto &[role, side] : byRole)
    consumers.push_back(std::move(side));
  // An error names the missing consumer.
  if (consumers.empty())
    consumers.emplace_back();
}

bool bsmm::isBefore(Operation *op, Operation *leave) {
  for (Operation *outer = leave; outer && !isa<WarpRoleOp>(outer);
       outer = outer->getParentOp()) {
    Operation *there = outer->getBlock()->findAncestorOpInBlock(*op);
    if (!there)
      continue;
    if (there == outer)
      return isa<scf::IfOp>(outer);
    return there->isBeforeInBlock(outer);
  }
  return false;
}

SmallVector<Operation *> bsmm::findUsers(Value buffer) {
  SmallVector<Operation *> users;
  SmallVector<Value> values = {buffer};
  llvm::SmallPtrSet<Operation *, 4> derived;
  for (size_t index = 0; index < values.size(); ++index)
    for (Operation *user : values[index].getUsers()) {
      // Where such an operation stands does not matter: it uses no memory, and
      // CSE may have moved it to an earlier one that is the same.
      if (user->getNumResults() != 1 || !isPure(user) ||
          !isa<BufferType>(user->getResult(0).getType()))
        users.push_back(user);
      else if (derived.insert(user).second)
        values.push_back(user->getResult(0));
    }
  return users;
}

/// Whether the thread that has issued a store waits, behind it in its block,
/// until that has read shared memory.
static bool isWaitedFor(StoreAsyncOp store, Operation *leave) {
  int64_t later = 0;
  for (Operation *op = store->getNextNode(); op && op != leave;
       op = op->getNextNode()) {
    later += isa<StoreAsyncOp>(op);
    if (auto wait = dyn_cast<WaitStoresOp>(op);
        wait && int64_t(wait.getPending()) <= later)
      return true;
  }
  return false;
}

LogicalResult bsmm::verifyDone(Operation *user, ArrivalAttr arrival,
                               Operation *leave) {
  if (isa<scf::SCFDialect>(user->getDialect()))
    return user->emitOpError("expected the buffers of a slot to be used where "
                             "they are acquired or waited for, not carried by "
                             "loops and branches");
  if (isa<CopyScalesOp, ScaledMmaOp>(user) &&
      arrival.getKind() != ArrivalKind::MmaCommit) {
    InFlightDiagnostic diagnostic =
        user->emitOpError("expected a slot that is given away by mma_commit, "
                          "got ")
        << stringifyArrivalKind(arrival.getKind())
        << ": the tensor core reads and writes it later";
    diagnostic.attachNote(leave->getLoc()) << "given away here";
    return diagnostic;
  }
  if (auto store = dyn_cast<StoreAsyncOp>(user);
      store && !isWaitedFor(store, leave)) {
    InFlightDiagnostic diagnostic = store.emitOpError(
        "expected a bsmm.wait_stores behind it in the same block, before the "
        "slot that it reads is given away");
    diagnostic.attachNote(leave->getLoc()) << "given away here";
    return diagnostic;
  }
  return success();
}

/// Whether an operation is executed once, after `before` is over, by the
/// threads of the same role.
static bool isOnceAfter(Operation *op, Operation *before) {
  return isBefore(before, op) && !op->getParentOfType<scf::ForOp>() &&
         before->getParentOfType<WarpRoleOp>() ==
             op->getParentOfType<WarpRoleOp>();
}

/// The operations after which all slots of a channel have been read, for those
/// who execute them. Of consumers that arrive themselves that is a barrier
/// after the last release; what tensor cores read has been read when they are
/// done with what was issued after it. The consumer has waited for as many
/// slots as have been filled, so that nothing is written there any more.
static SmallVector<Operation *> findEnds(CreateChannelOp create,
                                         const Side &consumer) {
  auto isAfterReleases = [&](Operation *op) {
    return llvm::all_of(consumer.leaves, [&](Operation *leave) {
      return isOnceAfter(op, leave);
    });
  };
  SmallVector<Operation *> ends;
  create->getParentOfType<KernelOp>().walk([&](Operation *op) {
    if (create.getConsumer().getKind() != ArrivalKind::MmaCommit) {
      auto barrier = dyn_cast<SynchronizeOp>(op);
      if (barrier && !barrier.getEachWarpgroup() && isAfterReleases(op))
        ends.push_back(op);
      return;
    }
    auto wait = dyn_cast<WaitOp>(op);
    if (!wait || op->getParentOfType<scf::ForOp>())
      return;
    auto results = wait.getChannel().getDefiningOp<CreateChannelOp>();
    if (results.getProducer().getKind() != ArrivalKind::MmaCommit)
      return;
    Side producer;
    SmallVector<Side> consumers;
    findSides(results, producer, consumers);
    if (!producer.leaves.empty() &&
        llvm::all_of(producer.leaves, isAfterReleases))
      ends.push_back(op);
  });
  return ends;
}

/// Why `user` may not use a buffer over the slots of a channel; empty when it
/// may.
static std::string findUseTooEarly(CreateChannelOp create, Operation *user,
                                   ArrayRef<Operation *> ends) {
  if (isa<ReduceClusterOp, SendPartialOp>(user))
    return "expected a buffer that lies over no channel: other CTAs write to "
           "it, which do not know when the slots of this one have been read";
  for (Operation *end : ends)
    if (Operation *there = end->getBlock()->findAncestorOpInBlock(*user);
        there && end->isBeforeInBlock(there))
      return {};
  std::string end = "a bsmm.synchronize of its consumers, all together, that "
                    "follows their last bsmm.release";
  if (create.getConsumer().getKind() == ArrivalKind::MmaCommit)
    end = "a bsmm.wait for results that were committed after the last "
          "bsmm.release of the slots";
  return "expected a buffer over the slots of a channel after " + end +
         ", outside of loops";
}

LogicalResult bsmm::verifyOver(CreateChannelOp create,
                               ArrayRef<Side> consumers) {
  SmallVector<AllocOp> allocs;
  create->getParentOfType<KernelOp>().walk([&](AllocOp alloc) {
    if (alloc.getOver() == create.getChannel())
      allocs.push_back(alloc);
  });
  if (allocs.empty())
    return success();
  if (consumers.size() != 1) {
    InFlightDiagnostic diagnostic =
        allocs.front().emitOpError("expected to lie over a channel with one "
                                   "consumer, got ")
        << consumers.size();
    diagnostic.attachNote(create.getLoc()) << "the channel is here";
    return diagnostic;
  }
  SmallVector<Operation *> ends = findEnds(create, consumers.front());
  for (AllocOp alloc : allocs) {
    SmallVector<Operation *> users = findUsers(alloc.getBuffer());
    // The first one in the program.
    WalkResult walk =
        create->getParentOfType<KernelOp>().walk([&](Operation *op) {
          if (!llvm::is_contained(users, op))
            return WalkResult::advance();
          std::string wrong = findUseTooEarly(create, op, ends);
          if (wrong.empty())
            return WalkResult::advance();
          InFlightDiagnostic diagnostic = op->emitOpError(wrong);
          diagnostic.attachNote(alloc.getLoc()) << "the buffer is here";
          return WalkResult::interrupt();
        });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}
