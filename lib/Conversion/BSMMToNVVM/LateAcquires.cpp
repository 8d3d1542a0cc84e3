//===- LateAcquires.cpp - accumulators that are waited for late -----------===//
//
// A role that multiplies acquires an accumulator, waits for the first operands
// and multiplies. It has to wait for the accumulator only before it multiplies,
// and what drains the last tile is what it waits for. So each step waits for
// it, which is over at once in all but the first: a branch would make LLVM peel
// the loop, and ptxas lose sight of what is the same in all threads of the
// warp. The only accumulator of a kernel is free from the start.
//
//===----------------------------------------------------------------------===//

#include "LateAcquires.h"
#include "Common.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace bsmm;

/// The multiplication that writes an acquired accumulator first: it does so in
/// the first trip of the loop behind the acquire, and adds in all others. Null
/// where that is not plain.
static ScaledMmaOp findFirstWriter(AcquireOp acquire) {
  if (acquire.getBuffers().size() != 1 ||
      acquire.getChannel().getType().getMemorySpace() !=
          MemorySpace::TensorMemory)
    return {};
  Value buffer = acquire.getBuffers()[0];
  scf::ForOp loop;
  for (Operation *op = acquire->getNextNode(); op && !loop;
       op = op->getNextNode())
    loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !llvm::all_of(buffer.getUsers(), [&](Operation *user) {
        return loop->isProperAncestor(user);
      }))
    return {};
  ScaledMmaOp first;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!llvm::is_contained(op->getOperands(), buffer))
      return WalkResult::advance();
    first = dyn_cast<ScaledMmaOp>(op);
    return WalkResult::interrupt();
  });
  if (!first || !first.getAccumulate())
    return {};
  // In each trip.
  Operation *parent = first->getParentOp();
  if (isa<LeaderOp>(parent))
    parent = parent->getParentOp();
  auto compare = first.getAccumulate().getDefiningOp<arith::CmpIOp>();
  return parent == loop && compare &&
                 compare.getPredicate() == arith::CmpIPredicate::ne &&
                 compare.getLhs() == loop.getInductionVar() &&
                 compare.getRhs() == loop.getLowerBound()
             ? first
             : ScaledMmaOp();
}

void bsmm::markFilledOnce(KernelOp kernel) {
  for (CreateChannelOp create : kernel.getBody().getOps<CreateChannelOp>()) {
    if (create.getCluster() || create.getChannel().getType().getMemorySpace() !=
                                   MemorySpace::TensorMemory)
      continue;
    // All acquires are of the first phase of a barrier.
    bool isFilled = false, isFilledAgain = false;
    for (Operation *user : create.getChannel().getUsers()) {
      isFilledAgain |= isa<WaitReleasedOp>(user);
      auto acquire = dyn_cast<AcquireOp>(user);
      if (!acquire)
        continue;
      isFilled = true;
      APInt iteration;
      isFilledAgain |=
          !matchPattern(acquire.getIteration(), m_ConstantInt(&iteration)) ||
          iteration.uge(create.getBarrierSlots());
    }
    if (isFilled && !isFilledAgain)
      create->setAttr(isFilledOnceAttrName, UnitAttr::get(kernel.getContext()));
  }
}

void bsmm::acquireLate(KernelOp kernel) {
  SmallVector<AcquireOp> acquires;
  kernel.walk([&](AcquireOp acquire) { acquires.push_back(acquire); });
  for (AcquireOp acquire : acquires) {
    // It waits for nothing.
    if (auto create = acquire.getChannel().getDefiningOp<CreateChannelOp>();
        create && create->hasAttr(isFilledOnceAttrName))
      continue;
    // A warp that loads as well has no time for a wait in each step.
    auto role = acquire->getParentOfType<WarpRoleOp>();
    if (role && role.walk([](LoadAsyncOp) { return WalkResult::interrupt(); })
                    .wasInterrupted())
      continue;
    ScaledMmaOp first = findFirstWriter(acquire);
    CommitOp commit;
    for (Operation *user : acquire.getChannel().getUsers())
      if (auto found = dyn_cast<CommitOp>(user);
          found && found.getIteration() == acquire.getIteration())
        commit = found;
    if (!first || !commit)
      continue;
    auto outsideOfLeader = [](Operation *op) {
      return isa<LeaderOp>(op->getParentOp()) ? op->getParentOp() : op;
    };
    // Without a trip the commit waits: the consumer counts tiles.
    Operation *last = acquire->clone();
    outsideOfLeader(commit)->getBlock()->getOperations().insert(
        Block::iterator(outsideOfLeader(commit)), last);
    acquire->moveBefore(outsideOfLeader(first));
  }
}
