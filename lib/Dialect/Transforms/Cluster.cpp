//===- Cluster.cpp - what the CTAs of a cluster have in common ------------===//

#include "Cluster.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace bsmm;

/// Whether `value` is the number of the CTA along x.
static bool isBlockNumber(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto id = value.getDefiningOp<gpu::BlockIdOp>();
  return id && id.getDimension() == gpu::Dimension::x;
}

namespace {
class Analysis {
public:
  explicit Analysis(int64_t ctas) : ctas(ctas) {}

  /// One value that differs makes all that it was looked at for differ, so that
  /// a value which depends on itself may be taken to be the same meanwhile.
  bool isSame(Value value) {
    return !visited.insert(value).second || compute(value);
  }

private:
  bool compute(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (isa<KernelOp>(owner))
        return true;
      auto loop = dyn_cast<scf::ForOp>(owner);
      if (!loop || !isSameTrips(loop))
        return false;
      if (argument == loop.getInductionVar())
        return true;
      // What a loop carries is the same when it starts and goes on so.
      unsigned index = argument.getArgNumber() - 1;
      return isSame(loop.getInitArgs()[index]) &&
             isSame(loop.getYieldedValues()[index]);
    }
    Operation *op = value.getDefiningOp();
    APInt divisor;
    if (auto quotient = dyn_cast<arith::DivUIOp>(op);
        quotient && isBlockNumber(quotient.getLhs()) &&
        matchPattern(quotient.getRhs(), m_ConstantInt(&divisor)) &&
        divisor.getSExtValue() > 0 && divisor.getSExtValue() % ctas == 0)
      return true;
    if (isa<ClusterRankOp>(op))
      return false;
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      return id.getDimension() != gpu::Dimension::x;
    if (isa<gpu::GridDimOp>(op))
      return true;
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           !isa<gpu::ThreadIdOp>(op) &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isSame(operand); });
  }

  bool isSameTrips(scf::ForOp loop) {
    return isSame(loop.getLowerBound()) && isSame(loop.getUpperBound()) &&
           isSame(loop.getStep());
  }

  int64_t ctas;
  DenseSet<Value> visited;
};
} // namespace

bool bsmm::isSameInCluster(Value value, int64_t ctas) {
  return Analysis(ctas).isSame(value);
}
