//===- CarryRemainders.cpp - counters instead of divisions ----------------===//
//
// The slot of a channel is an iteration's remainder by the number of slots, and
// its phase the quotient. Where a loop counts the iteration, both are counters
// as well: an addition, a comparison and a selection in each trip instead of a
// division, whose multiplications wait for the registers that the tensor core
// is using.
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
  unsigned index;
  int64_t divisor;
  /// Whether the value before it is divided, too.
  bool hasPrevious;
};
} // namespace

static std::optional<Counter> findCounter(scf::ForOp loop) {
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Operation *next = loop.getYieldedValues()[index].getDefiningOp();
    if (!argument.getType().isSignlessInteger() || !next ||
        !isSum(next, argument, 1))
      continue;
    std::optional<Counter> found;
    auto note = [&](Operation *user, Value value, bool isPrevious) {
      int64_t divisor = getDivisor(user, value);
      // Masks and shifts are cheap.
      if (divisor <= 1 || llvm::isPowerOf2_64(divisor) ||
          (found && found->divisor != divisor))
        return;
      if (!found)
        found = Counter{unsigned(index), divisor, false};
      found->hasPrevious |= isPrevious;
    };
    for (Operation *user : argument.getUsers()) {
      note(user, argument, false);
      if (isSum(user, argument, -1))
        for (Operation *inner : user->getResult(0).getUsers())
          if (isa<arith::RemUIOp>(inner))
            note(inner, user->getResult(0), true);
    }
    if (found)
      return found;
  }
  return std::nullopt;
}

/// Makes the loop carry the remainder and the quotient of a counter.
static scf::ForOp carry(scf::ForOp loop, const Counter &counter,
                        IRRewriter &rewriter) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value init = loop.getInitArgs()[counter.index];
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
  Value value = larger.getRegionIterArg(counter.index);
  auto carried = larger.getRegionIterArgs().take_back(inits.size());
  SmallVector<std::pair<Operation *, Value>> replaced;
  for (Operation *user : value.getUsers()) {
    if (getDivisor(user, value) == counter.divisor)
      replaced.push_back({user, carried[isa<arith::RemUIOp>(user) ? 0 : 1]});
    if (counter.hasPrevious && isSum(user, value, -1))
      for (Operation *inner : user->getResult(0).getUsers())
        if (isa<arith::RemUIOp>(inner) &&
            getDivisor(inner, user->getResult(0)) == counter.divisor)
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
