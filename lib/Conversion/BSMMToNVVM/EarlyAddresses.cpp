//===- EarlyAddresses.cpp - addresses while accumulators are read ---------===//
//
// What reads tensor memory only where it has been written is a branch, over
// which LLVM moves nothing: the addresses of what follows would be computed
// when the values are there, and delay them. They do not depend on these, and
// other threads are waited for meanwhile.
//
//===----------------------------------------------------------------------===//

#include "EarlyAddresses.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace bsmm;

/// Addresses that wait in registers for the accumulator: those of the first few
/// accesses.
static constexpr unsigned mostMoved = 32;

static bool readsTensorMemory(scf::IfOp branch) {
  return llvm::any_of(branch.thenBlock()->getOps<NVVM::Tcgen05WaitOp>(),
                      [](NVVM::Tcgen05WaitOp wait) {
                        return wait.getKind() == NVVM::Tcgen05WaitKind::LOAD;
                      });
}

/// An address, or what one is computed from.
static bool isAddress(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isa<IntegerType, LLVM::LLVMPointerType>(op->getResult(0).getType()) &&
         (isPure(op) || isa<NVVM::MapaOp>(op));
}

/// The wait in the same block for the accumulator that a branch reads.
static Operation *findWait(scf::IfOp branch) {
  Operation *op = branch->getPrevNode();
  while (op && !isa<NVVM::MBarrierTryWaitParityOp>(op))
    op = op->getPrevNode();
  return op;
}

/// Moves addresses behind `from` before `wait`, at most `most`; returns how
/// many.
static unsigned moveAddresses(Operation *from, Operation *wait, unsigned most) {
  unsigned moved = 0;
  Operation *next = from->getNextNode();
  while (next && moved < most && next->getNumRegions() == 0) {
    Operation *op = std::exchange(next, next->getNextNode());
    bool isKnown = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !def || def->getBlock() != wait->getBlock() ||
             def->isBeforeInBlock(wait);
    });
    if (!isAddress(op) || !isKnown)
      continue;
    op->moveBefore(wait);
    moved += !op->hasTrait<OpTrait::ConstantLike>();
  }
  return moved;
}

void bsmm::computeAddressesEarly(Operation *module) {
  SmallVector<std::pair<scf::IfOp, Operation *>> branches;
  module->walk([&](scf::IfOp branch) {
    if (Operation *wait =
            readsTensorMemory(branch) ? findWait(branch) : nullptr)
      branches.push_back({branch, wait});
  });
  llvm::DenseMap<Operation *, unsigned> moved;
  for (auto [branch, wait] : branches) {
    // What lies between the two first.
    unsigned &count = moved[wait];
    count += moveAddresses(wait, wait, mostMoved - count);
    count += moveAddresses(branch, wait, mostMoved - count);
  }
}
