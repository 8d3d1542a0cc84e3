//===- CarryRemainders.cpp - counters instead of divisions ----------------===//
//
// The slot of a channel is an iteration's remainder by the number of slots, and
// its phase the quotient. Where a loop counts the iteration, both are counters
// as well: an addition, a comparison and a selection in each trip instead of a
// division, whose multiplications wait for the registers that the tensor core
// is using. An iteration some steps before or after has a comparison and a
// selection.
//
//===----------------------------------------------------------------------===//

#include "ScalarValues.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMCARRYREMAINDERS
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

/// The constant by which an unsigned division or remainder divides `value`; 0
/// for other operations.
static int64_t getDivisor(Operation *op, Value value) {
  if (isa<arith::RemUIOp, arith::DivUIOp>(op) && op->getOperand(0) == value)
    return getSmallConstant(op->getOperand(1)).value_or(0);
  return 0;
}

namespace {
/// A value that a loop counts, and by what it is divided.
struct Counter {
  /// Of the values that the loop carries; none for its induction variable.
  std::optional<unsigned> index;
  int64_t divisor;
  /// What a trip adds to it, at most the divisor.
  int64_t step;
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

/// The constant that an operation adds to a value; 0 for other operations.
static int64_t getAddend(Operation *op, Value value) {
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || op->getOperand(0) != value)
    return 0;
  int64_t constant = getSmallConstant(op->getOperand(1)).value_or(0);
  return isa<arith::AddIOp>(op) ? constant : -constant;
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
  std::optional<int64_t> step = getSmallConstant(loop.getStep());
  std::optional<int64_t> lower = getSmallConstant(loop.getLowerBound());
  for (Operation *outer = op->getParentOp(); outer != loop;
       op = outer, outer = outer->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(outer);
    if (!branch || op->getParentRegion() != &branch.getThenRegion())
      continue;
    Value condition = branch.getCondition();
    if (auto bound = getBound(condition, counter)) {
      std::optional<int64_t> constant = getSmallConstant(bound->first);
      if (constant && *constant + bound->second >= least)
        return true;
    }
    auto bound = getBound(condition, loop.getInductionVar());
    if (!bound || !step || *step <= 0)
      continue;
    int64_t distance = least * *step - bound->second;
    std::optional<int64_t> constant = getSmallConstant(bound->first);
    if (constant && lower && *constant - *lower >= distance)
      return true;
    auto sum = bound->first.getDefiningOp<arith::AddIOp>();
    if (sum && sum.getLhs() == loop.getLowerBound() &&
        getSmallConstant(sum.getRhs()).value_or(INT64_MIN) >= distance)
      return true;
  }
  return false;
}

/// Divisions by `divisor` of a value that is the counter and a constant.
static SmallVector<std::pair<Operation *, int64_t>>
findBeside(scf::ForOp loop, Value value, int64_t divisor) {
  SmallVector<std::pair<Operation *, int64_t>> found;
  for (Operation *user : value.getUsers()) {
    int64_t addend = getAddend(user, value);
    if (addend == 0 || std::abs(addend) >= divisor)
      continue;
    for (Operation *inner : user->getResult(0).getUsers())
      if (getDivisor(inner, user->getResult(0)) == divisor &&
          (addend > 0 || isAtLeast(inner, loop, value, -addend)))
        found.push_back({inner, addend});
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
    if (!argument.getType().isSignlessInteger() || !next)
      continue;
    if (int64_t step = getAddend(next, argument); step > 0)
      candidates.push_back({unsigned(index), 0, step, false});
  }
  // Signed, where remainders are not.
  DenseSet<Value> seen;
  if (loop.getInductionVar().getType().isSignlessInteger() &&
      isConstant(loop.getStep(), 1) &&
      isNotNegative(loop.getLowerBound(), seen))
    candidates.push_back({std::nullopt, 0, 1, false});
  for (Counter &found : candidates) {
    Value value = found.getValue(loop);
    auto note = [&](Operation *user, Value divided, bool isPrevious) {
      int64_t divisor = getDivisor(user, divided);
      // Masks and shifts are cheap.
      if (divisor <= 1 || llvm::isPowerOf2_64(divisor) ||
          found.step > divisor ||
          (found.divisor != 0 && found.divisor != divisor))
        return;
      found.divisor = divisor;
      found.hasPrevious |= isPrevious;
    };
    for (Operation *user : value.getUsers()) {
      note(user, value, false);
      int64_t addend = getAddend(user, value);
      if (addend == 0)
        continue;
      for (Operation *inner : user->getResult(0).getUsers())
        if (addend > 0 || isAtLeast(inner, loop, value, -addend)) {
          if (std::abs(addend) < getDivisor(inner, user->getResult(0)))
            note(inner, user->getResult(0), false);
        } else if (addend == -1 && isa<arith::RemUIOp>(inner)) {
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
        one = constant(1),
        step = counter.step == 1 ? one : constant(counter.step);
  SmallVector<Value> inits = {
      arith::RemUIOp::create(rewriter, loc, init, divisor),
      arith::DivUIOp::create(rewriter, loc, init, divisor)};
  // Remainder or quotient of the counter and a constant: in the same round, or
  // in the one before or after.
  auto getBeside = [&](OpBuilder &builder, Location loc,
                       ArrayRef<BlockArgument> carried, int64_t addend,
                       bool isRemainder) -> Value {
    auto add = [&](Value value, int64_t addend) -> Value {
      if (addend < 0)
        return arith::SubIOp::create(builder, loc, value, constant(-addend));
      return arith::AddIOp::create(builder, loc, value, constant(addend));
    };
    bool isAhead = addend > 0;
    int64_t limit = isAhead ? counter.divisor - addend : -addend;
    Value isSameRound = arith::CmpIOp::create(
        builder, loc,
        isAhead ? arith::CmpIPredicate::ult : arith::CmpIPredicate::uge,
        carried[0], constant(limit));
    Value same = carried[1], other;
    int64_t round = isAhead ? 1 : -1;
    if (isRemainder) {
      same = add(carried[0], addend);
      other = add(carried[0], addend - round * counter.divisor);
    } else {
      other = add(carried[1], round);
    }
    return arith::SelectOp::create(builder, loc, isSameRound, same, other);
  };
  if (counter.hasPrevious) {
    Value previous = arith::SubIOp::create(rewriter, loc, init, one);
    inits.push_back(arith::RemUIOp::create(rewriter, loc, previous, divisor));
  }
  auto count = [&](OpBuilder &builder, Location loc,
                   ArrayRef<BlockArgument> carried) {
    Value next = arith::AddIOp::create(builder, loc, carried[0], step);
    auto predicate = counter.step == 1 ? arith::CmpIPredicate::eq
                                       : arith::CmpIPredicate::uge;
    Value wraps = arith::CmpIOp::create(builder, loc, predicate, next, divisor);
    Value wrapped = zero;
    if (counter.step != 1)
      wrapped = arith::SubIOp::create(builder, loc, next, divisor);
    Value round = arith::AddIOp::create(builder, loc, carried[1], one);
    SmallVector<Value> values = {
        arith::SelectOp::create(builder, loc, wraps, wrapped, next),
        arith::SelectOp::create(builder, loc, wraps, round, carried[1])};
    if (counter.hasPrevious)
      values.push_back(counter.step == 1
                           ? Value(carried[0])
                           : getBeside(builder, loc, carried, counter.step - 1,
                                       /*isRemainder=*/true));
    return values;
  };
  // Fails for no scf.for.
  FailureOr<LoopLikeOpInterface> result = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, count);
  auto larger = cast<scf::ForOp>(result->getOperation());
  Value value = counter.getValue(larger);
  auto carried = larger.getRegionIterArgs().take_back(inits.size());
  SmallVector<std::pair<Operation *, Value>> replaced;
  for (auto [op, addend] : findBeside(larger, value, counter.divisor)) {
    rewriter.setInsertionPoint(op);
    replaced.push_back({op, getBeside(rewriter, loc, carried, addend,
                                      isa<arith::RemUIOp>(op))});
  }
  for (Operation *user : value.getUsers()) {
    if (getDivisor(user, value) == counter.divisor)
      replaced.push_back({user, carried[isa<arith::RemUIOp>(user) ? 0 : 1]});
    if (counter.hasPrevious && user->getNumResults() == 1 &&
        isSum(user->getResult(0), value, -1))
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
