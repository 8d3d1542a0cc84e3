//===- CarryRemainders.cpp - counters instead of divisions ----------------===//
//
// The slot of a channel is an iteration's remainder by the number of slots, and
// its phase the quotient. Where a loop counts the iteration, both are counters
// as well: an addition, a comparison and a selection in each trip instead of a
// division, whose multiplications wait for the registers that the tensor core
// is using. An iteration some trips before has a comparison and a selection.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMCARRYREMAINDERS
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;

/// `value` + `addend`, a constant; canonical forms subtract by adding.
static bool isSum(Operation *op, Value value, int64_t addend) {
  APInt constant;
  if (auto sum = dyn_cast<arith::AddIOp>(op))
    return sum.getLhs() == value &&
           matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
           constant.getSExtValue() == addend;
  if (auto difference = dyn_cast<arith::SubIOp>(op))
    return difference.getLhs() == value &&
           matchPattern(difference.getRhs(), m_ConstantInt(&constant)) &&
           constant.getSExtValue() == -addend;
  return false;
}

/// The constant by which an unsigned division or remainder divides `value`; 0
/// for other operations.
static int64_t getDivisor(Operation *op, Value value) {
  APInt constant;
  if (isa<arith::RemUIOp, arith::DivUIOp>(op) && op->getOperand(0) == value &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return 0;
}

namespace {
/// A value that a loop counts, and by what it is divided.
struct Counter {
  /// Of the values that the loop carries; none for its induction variable.
  std::optional<unsigned> index;
  int64_t divisor;
  /// Whether the value before it is divided, too.
  bool hasPrevious;

  Value getValue(scf::ForOp loop) const {
    return index ? Value(loop.getRegionIterArg(*index))
                 : loop.getInductionVar();
  }
  Value getInit(scf::ForOp loop) const {
    return index ? loop.getInitArgs()[*index] : loop.getLowerBound();
  }
};
} // namespace

/// What an operation subtracts from a value, a positive constant; 0 for other
/// operations.
static int64_t getSubtracted(Operation *op, Value value) {
  APInt constant;
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || op->getOperand(0) != value ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return 0;
  int64_t subtracted = isa<arith::SubIOp>(op) ? constant.getSExtValue()
                                              : -constant.getSExtValue();
  return std::max<int64_t>(subtracted, 0);
}

/// The lower bound that a comparison states for `value`: value >= bound + more.
static std::optional<std::pair<Value, int64_t>> getBound(Value condition,
                                                         Value value) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getLhs() != value)
    return std::nullopt;
  if (compare.getPredicate() == arith::CmpIPredicate::sge)
    return std::pair{compare.getRhs(), int64_t(0)};
  if (compare.getPredicate() == arith::CmpIPredicate::sgt)
    return std::pair{compare.getRhs(), int64_t(1)};
  return std::nullopt;
}

/// Whether `op` is executed only when a counter of the loop is at least
/// `least`: in a branch on the counter, or on the loop's induction variable
/// where so many trips have been made.
static bool isAtLeast(Operation *op, scf::ForOp loop, Value counter,
                      int64_t least) {
  APInt lower, step, constant;
  bool isStepKnown = matchPattern(loop.getStep(), m_ConstantInt(&step));
  for (Operation *outer = op->getParentOp(); outer != loop;
       op = outer, outer = outer->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(outer);
    if (!branch || op->getParentRegion() != &branch.getThenRegion())
      continue;
    Value condition = branch.getCondition();
    if (auto bound = getBound(condition, counter);
        bound && matchPattern(bound->first, m_ConstantInt(&constant)) &&
        constant.getSExtValue() + bound->second >= least)
      return true;
    auto bound = getBound(condition, loop.getInductionVar());
    if (!bound || !isStepKnown || !step.isStrictlyPositive())
      continue;
    int64_t distance = least * step.getSExtValue() - bound->second;
    if (matchPattern(bound->first, m_ConstantInt(&constant)) &&
        matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
        constant.getSExtValue() - lower.getSExtValue() >= distance)
      return true;
    auto sum = bound->first.getDefiningOp<arith::AddIOp>();
    if (sum && sum.getLhs() == loop.getLowerBound() &&
        matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
        constant.getSExtValue() >= distance)
      return true;
  }
  return false;
}

/// Divisions of a value some trips behind the counter, by `divisor`.
static SmallVector<std::pair<Operation *, int64_t>>
findBehind(scf::ForOp loop, Value value, int64_t divisor) {
  SmallVector<std::pair<Operation *, int64_t>> found;
  for (Operation *user : value.getUsers()) {
    int64_t behind = getSubtracted(user, value);
    if (behind == 0 || behind >= divisor)
      continue;
    for (Operation *inner : user->getResult(0).getUsers())
      if (getDivisor(inner, user->getResult(0)) == divisor &&
          isAtLeast(inner, loop, value, behind))
        found.push_back({inner, behind});
  }
  return found;
}

/// Whether a value is provably at least 0 where sums and products do not
/// overflow. A value that a loop carries may be taken to be so meanwhile.
static bool isNotNegative(Value value, DenseSet<Value> &seen) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  if (!seen.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return false;
    if (argument == loop.getInductionVar())
      return isNotNegative(loop.getLowerBound(), seen);
    unsigned index = argument.getArgNumber() - 1;
    return isNotNegative(loop.getInitArgs()[index], seen) &&
           isNotNegative(loop.getYieldedValues()[index], seen);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MaxSIOp>(op)) {
    DenseSet<Value> others = seen;
    return isNotNegative(op->getOperand(0), others) ||
           isNotNegative(op->getOperand(1), seen);
  }
  return isa<arith::AddIOp, arith::MulIOp, arith::CeilDivUIOp>(op) &&
         isNotNegative(op->getOperand(0), seen) &&
         isNotNegative(op->getOperand(1), seen);
}

static std::optional<Counter> findCounter(scf::ForOp loop) {
  SmallVector<Counter> candidates;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Operation *next = loop.getYieldedValues()[index].getDefiningOp();
    if (argument.getType().isSignlessInteger() && next &&
        isSum(next, argument, 1))
      candidates.push_back({unsigned(index), 0, false});
  }
  // Signed, where remainders are not.
  APInt step;
  DenseSet<Value> seen;
  if (loop.getInductionVar().getType().isSignlessInteger() &&
      matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isOne() &&
      isNotNegative(loop.getLowerBound(), seen))
    candidates.push_back({std::nullopt, 0, false});
  for (Counter &found : candidates) {
    Value value = found.getValue(loop);
    auto note = [&](Operation *user, Value divided, bool isPrevious) {
      int64_t divisor = getDivisor(user, divided);
      // Masks and shifts are cheap.
      if (divisor <= 1 || llvm::isPowerOf2_64(divisor) ||
          (found.divisor != 0 && found.divisor != divisor))
        return;
      found.divisor = divisor;
      found.hasPrevious |= isPrevious;
    };
    for (Operation *user : value.getUsers()) {
      note(user, value, false);
      int64_t behind = getSubtracted(user, value);
      if (behind == 0)
        continue;
      for (Operation *inner : user->getResult(0).getUsers())
        if (isAtLeast(inner, loop, value, behind)) {
          if (behind < getDivisor(inner, user->getResult(0)))
            note(inner, user->getResult(0), false);
        } else if (behind == 1 && isa<arith::RemUIOp>(inner)) {
          note(inner, user->getResult(0), true);
        }
    }
    if (found.divisor != 0)
      return found;
  }
  return std::nullopt;
}

/// Makes the loop carry the remainder and the quotient of a counter.
static scf::ForOp carry(scf::ForOp loop, const Counter &counter,
                        IRRewriter &rewriter) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value init = counter.getInit(loop);
  Type type = init.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, type, value);
  };
  Value divisor = constant(counter.divisor), zero = constant(0),
        one = constant(1);
  SmallVector<Value> inits = {
      arith::RemUIOp::create(rewriter, loc, init, divisor),
      arith::DivUIOp::create(rewriter, loc, init, divisor)};
  if (counter.hasPrevious) {
    Value previous = arith::SubIOp::create(rewriter, loc, init, one);
    inits.push_back(arith::RemUIOp::create(rewriter, loc, previous, divisor));
  }
  auto count = [&](OpBuilder &builder, Location loc,
                   ArrayRef<BlockArgument> carried) {
    Value next = arith::AddIOp::create(builder, loc, carried[0], one);
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        next, divisor);
    Value round = arith::AddIOp::create(builder, loc, carried[1], one);
    SmallVector<Value> values = {
        arith::SelectOp::create(builder, loc, wraps, zero, next),
        arith::SelectOp::create(builder, loc, wraps, round, carried[1])};
    if (counter.hasPrevious)
      values.push_back(carried[0]);
    return values;
  };
  // Fails for no scf.for.
  FailureOr<LoopLikeOpInterface> result = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, count);
  auto larger = cast<scf::ForOp>(result->getOperation());
  Value value = counter.getValue(larger);
  auto carried = larger.getRegionIterArgs().take_back(inits.size());
  SmallVector<std::pair<Operation *, Value>> replaced;
  // A value some trips behind is in the same round, or at the end of the one
  // before.
  for (auto [op, behind] : findBehind(larger, value, counter.divisor)) {
    rewriter.setInsertionPoint(op);
    Value isSameRound = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::uge, carried[0], constant(behind));
    bool isRemainder = isa<arith::RemUIOp>(op);
    Value same = carried[1], other;
    if (isRemainder) {
      same = arith::SubIOp::create(rewriter, loc, carried[0], constant(behind));
      other = arith::AddIOp::create(rewriter, loc, carried[0],
                                    constant(counter.divisor - behind));
    } else {
      other = arith::SubIOp::create(rewriter, loc, carried[1], one);
    }
    replaced.push_back(
        {op, arith::SelectOp::create(rewriter, loc, isSameRound, same, other)});
  }
  for (Operation *user : value.getUsers()) {
    if (getDivisor(user, value) == counter.divisor)
      replaced.push_back({user, carried[isa<arith::RemUIOp>(user) ? 0 : 1]});
    if (counter.hasPrevious && isSum(user, value, -1))
      for (Operation *inner : user->getResult(0).getUsers())
        if (isa<arith::RemUIOp>(inner) &&
            getDivisor(inner, user->getResult(0)) == counter.divisor &&
            !isAtLeast(inner, larger, value, 1))
          replaced.push_back({inner, carried[2]});
  }
  for (auto [op, result] : replaced)
    rewriter.replaceOp(op, result);
  return larger;
}

namespace {
struct CarryRemainders : bsmm::impl::BsmmCarryRemaindersBase<CarryRemainders> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      while (std::optional<Counter> counter = findCounter(loop))
        loop = carry(loop, *counter, rewriter);
  }
};
} // namespace
