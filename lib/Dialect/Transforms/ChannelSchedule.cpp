//===- ChannelSchedule.cpp - the iterations of a channel's sides ----------===//

#include "ChannelSchedule.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace bsmm;

Value bsmm::getIteration(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AcquireOp, WaitOp, CommitOp, ReleaseOp>(
          [](auto access) -> Value { return access.getIteration(); });
}

bool SameValues::isSame(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  if (a.getType() != b.getType())
    return false;
  APInt constantA, constantB;
  if (matchPattern(a, m_ConstantInt(&constantA)) &&
      matchPattern(b, m_ConstantInt(&constantB)))
    return constantA == constantB;
  if (auto found = known.find({a, b}); found != known.end())
    return found->second;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  bool isEqual = depth != 0 && opA && opB && opA->getName() == opB->getName() &&
                 isPure(opA) && opA->getNumRegions() == 0 &&
                 opA->getAttrDictionary() == opB->getAttrDictionary() &&
                 opA->getNumOperands() == opB->getNumOperands() &&
                 cast<OpResult>(a).getResultNumber() ==
                     cast<OpResult>(b).getResultNumber();
  for (unsigned i = 0; isEqual && i < opA->getNumOperands(); ++i)
    isEqual = isSame(opA->getOperand(i), opB->getOperand(i), depth - 1);
  known[{a, b}] = isEqual;
  return isEqual;
}

Sum bsmm::findSum(Value value, unsigned depth) {
  // Other types wrap around elsewhere.
  if (!value.getType().isInteger(32))
    return {0, {{value, 1}}};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {int32_t(constant.getSExtValue()), {}};
  if (depth != 0) {
    auto addition = value.getDefiningOp<arith::AddIOp>();
    auto subtraction = value.getDefiningOp<arith::SubIOp>();
    if (addition || subtraction) {
      Operation *op = value.getDefiningOp();
      Sum sum = findSum(op->getOperand(0), depth - 1);
      sum.add(findSum(op->getOperand(1), depth - 1), addition ? 1 : -1);
      return sum;
    }
    if (auto product = value.getDefiningOp<arith::MulIOp>();
        product && matchPattern(product.getRhs(), m_ConstantInt(&constant))) {
      Sum sum;
      sum.add(findSum(product.getLhs(), depth - 1),
              int32_t(constant.getSExtValue()));
      return sum;
    }
  }
  return {0, {{value, 1}}};
}

/// Whether two sums of values of two roles are the same.
static bool isSame(const Sum &a, const Sum &b, SameValues &values) {
  // Factors of a minus factors of b, value by value.
  SmallVector<std::pair<Value, uint32_t>> rest;
  auto count = [&](Value value, uint32_t factor) {
    for (auto &[known, times] : rest)
      if (values.isSame(known, value)) {
        times += factor;
        return;
      }
    rest.push_back({value, factor});
  };
  for (auto [value, factor] : a.terms)
    count(value, factor);
  for (auto [value, factor] : b.terms)
    count(value, -uint32_t(factor));
  return a.constant == b.constant &&
         llvm::all_of(rest, [](const auto &term) { return term.second == 0; });
}

Value bsmm::findIncrement(BlockArgument argument, scf::ForOp loop) {
  auto sum = loop.getYieldedValues()[argument.getArgNumber() - 1]
                 .getDefiningOp<arith::AddIOp>();
  if (sum && sum.getLhs() == argument)
    return sum.getRhs();
  if (sum && sum.getRhs() == argument)
    return sum.getLhs();
  return {};
}

/// The value of a sum that is constant.
static std::optional<int64_t> getConstant(const Sum &sum) {
  if (sum.terms.empty())
    return sum.constant;
  // Of another type than i32.
  if (sum.terms.size() == 1 && sum.constant == 0 &&
      sum.terms.front().second == 1)
    return getSmallConstant(sum.terms.front().first);
  return std::nullopt;
}

/// The number of trips of a loop with constant bounds.
static std::optional<int64_t> countTrips(const Schedule::Level &loop) {
  std::optional<int64_t> lower = getConstant(loop.lower);
  std::optional<int64_t> upper = getConstant(loop.upper);
  std::optional<int64_t> step = getSmallConstant(loop.step);
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return llvm::divideCeil(std::max<int64_t>(*upper - *lower, 0), *step);
}

/// The argument that is not 0 of a maximum with 0; null for other values.
static Value getIfPositive(Value value) {
  auto maximum = value.getDefiningOp<arith::MaxSIOp>();
  if (maximum && isConstant(maximum.getRhs(), 0))
    return maximum.getLhs();
  if (maximum && isConstant(maximum.getLhs(), 0))
    return maximum.getRhs();
  return {};
}

/// Whether `value` is the number of trips that a loop makes: 0 when its bounds
/// are the wrong way round.
static bool isTripCount(Value value, const Schedule::Level &loop,
                        SameValues &values) {
  if (std::optional<int64_t> trips = countTrips(loop))
    return isConstant(value, *trips);
  if (!isConstant(loop.step, 1)) {
    auto division = value.getDefiningOp<arith::CeilDivUIOp>();
    if (!division || !values.isSame(division.getRhs(), loop.step))
      return false;
    value = division.getLhs();
  }
  Value counted = getIfPositive(value);
  if (!counted)
    return false;
  Sum distance = loop.upper;
  distance.add(loop.lower, -1);
  return isSame(findSum(counted), distance, values);
}

bool bsmm::isWholeGroups(const Sum &sum, int32_t factor, int64_t group,
                         const Schedule::Level &loop) {
  for (auto [value, times] : sum.terms) {
    auto remainder = value.getDefiningOp<arith::RemUIOp>();
    if (!remainder || times != -factor ||
        !isConstant(remainder.getRhs(), group))
      continue;
    Sum whole = sum;
    whole.add({0, {{value, 1}}}, factor);
    Sum trips;
    trips.add(findSum(remainder.getLhs()), factor);
    SameValues values;
    return isSame(whole, trips, values) &&
           isTripCount(remainder.getLhs(), loop, values);
  }
  return false;
}

/// Whether `value` is at least 0: a constant, or a number of trips.
static bool isNotNegative(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  if (auto division = value.getDefiningOp<arith::CeilDivUIOp>())
    return bool(getIfPositive(division.getLhs()));
  return bool(getIfPositive(value));
}

/// Whether `value` is what a loop counts in all of its trips.
static bool isTotal(Value value, const Schedule::Level &loop,
                    SameValues &values) {
  if (std::optional<int64_t> trips = countTrips(loop)) {
    Sum product;
    product.add(findSum(loop.increment), int32_t(*trips));
    return isSame(findSum(value), product, values);
  }
  if (isConstant(loop.increment, 1))
    return isTripCount(value, loop, values);
  auto product = value.getDefiningOp<arith::MulIOp>();
  return product && ((isTripCount(product.getLhs(), loop, values) &&
                      values.isSame(product.getRhs(), loop.increment)) ||
                     (isTripCount(product.getRhs(), loop, values) &&
                      values.isSame(product.getLhs(), loop.increment)));
}

LogicalResult bsmm::verifyUses(Operation *access, const Schedule &schedule) {
  if (!isConstant(schedule.start, 0))
    return access->emitOpError("expected its iterations to be counted from 0");
  SameValues values;
  for (size_t i = 1; i < schedule.levels.size(); ++i) {
    const Schedule::Level &inner = schedule.levels[i - 1];
    Value counted = schedule.levels[i].increment;
    bool isCounted = isTripCount(counted, inner, values);
    if (i > 1) {
      auto product = counted.getDefiningOp<arith::MulIOp>();
      isCounted =
          product && ((isTripCount(product.getLhs(), inner, values) &&
                       values.isSame(product.getRhs(), inner.increment)) ||
                      (isTripCount(product.getRhs(), inner, values) &&
                       values.isSame(product.getLhs(), inner.increment)));
    }
    if (!isCounted)
      return access->emitOpError(
          "expected the loops around it to count what the loop inside has "
          "counted: max(upper - lower, 0), divided by the step and rounded up");
  }
  return success();
}

Value bsmm::getLowerOfLess(Value condition, Value upper) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  if (compare.getPredicate() == arith::CmpIPredicate::slt &&
      compare.getRhs() == upper)
    return compare.getLhs();
  if (compare.getPredicate() == arith::CmpIPredicate::sgt &&
      compare.getLhs() == upper)
    return compare.getRhs();
  return {};
}

std::optional<int32_t> bsmm::getDifference(const Sum &a, const Sum &b) {
  SameValues values;
  Sum difference = a;
  difference.add(b, -1);
  Sum constant = {difference.constant, {}};
  if (!isSame(difference, constant, values))
    return std::nullopt;
  return difference.constant;
}

/// How many steps lie between two bounds of a loop, up to a slot number that no
/// channel has.
static std::optional<int64_t> countSteps(const Sum &distance, Value step) {
  for (int32_t steps = 0; steps <= 64; ++steps) {
    Sum product;
    product.add(findSum(step), steps);
    if (getDifference(distance, product) == 0)
      return steps;
  }
  return std::nullopt;
}

namespace {
/// What branches on a loop's counter leave of its trips: those from the one
/// numbered `skipped`, counter >= `first`, up to counter < `upper`.
struct Trips {
  int64_t skipped = 0;
  std::optional<Sum> first;
  Sum upper;
  bool hasEnd = false;
};
} // namespace

/// Understands the branches between a loop and what is inside of it. Fails
/// without an error.
static FailureOr<Trips> findTrips(scf::ForOp loop,
                                  ArrayRef<scf::IfOp> branches) {
  Trips trips;
  trips.upper = findSum(loop.getUpperBound());
  for (scf::IfOp branch : branches) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return failure();
    arith::CmpIPredicate predicate = compare.getPredicate();
    Value bound = compare.getRhs();
    if (compare.getLhs() != loop.getInductionVar()) {
      if (compare.getRhs() != loop.getInductionVar())
        return failure();
      bound = compare.getLhs();
      switch (predicate) {
      case arith::CmpIPredicate::sgt:
        predicate = arith::CmpIPredicate::slt;
        break;
      case arith::CmpIPredicate::sge:
        predicate = arith::CmpIPredicate::sle;
        break;
      case arith::CmpIPredicate::slt:
        predicate = arith::CmpIPredicate::sgt;
        break;
      case arith::CmpIPredicate::sle:
        predicate = arith::CmpIPredicate::sge;
        break;
      default:
        return failure();
      }
    }
    Sum limit = findSum(bound);
    switch (predicate) {
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      if (trips.first)
        return failure();
      limit.constant += predicate == arith::CmpIPredicate::sgt;
      trips.first = limit;
      break;
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::slt:
      if (trips.hasEnd)
        return failure();
      limit.constant += predicate == arith::CmpIPredicate::sle;
      trips.upper = limit;
      trips.hasEnd = true;
      break;
    default:
      return failure();
    }
  }
  return trips;
}

/// The trips in which an access is there, in a loop that runs at least as far.
static FailureOr<Trips> findBoundedTrips(scf::ForOp loop,
                                         ArrayRef<scf::IfOp> branches) {
  FailureOr<Trips> trips = findTrips(loop, branches);
  if (failed(trips))
    return failure();
  if (trips->first) {
    Sum distance = *trips->first;
    distance.add(findSum(loop.getLowerBound()), -1);
    std::optional<int64_t> skipped = countSteps(distance, loop.getStep());
    if (!skipped)
      return failure();
    trips->skipped = *skipped;
  }
  Sum distance = findSum(loop.getUpperBound());
  distance.add(trips->upper, -1);
  if (trips->hasEnd && !countSteps(distance, loop.getStep()))
    return failure();
  return trips;
}

/// Goes outwards to the next loop, over roles and the branches that it notes.
/// Null at the kernel, or, with an error, at anything else.
static FailureOr<scf::ForOp> findLoop(Operation *access, Operation *&outer,
                                      SmallVectorImpl<scf::IfOp> &branches) {
  for (; !isa<KernelOp>(outer); outer = outer->getParentOp()) {
    if (isa<WarpRoleOp, LeaderOp>(outer))
      continue;
    auto branch = dyn_cast<scf::IfOp>(outer);
    if (branch &&
        branch.getThenRegion().isAncestor(access->getParentRegion())) {
      branches.push_back(branch);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(outer);
    if (!loop)
      return access->emitOpError("expected only loops and roles around it, so "
                                 "that its iterations are known, got '")
             << outer->getName() << "'";
    if (loop.getUnsignedCmp())
      return access->emitOpError("expected only signed loops around it");
    return loop;
  }
  if (!branches.empty())
    return access->emitOpError("expected only loops and roles around it, so "
                               "that its iterations are known, got '")
           << branches.front()->getName() << "'";
  return scf::ForOp();
}

static LogicalResult emitUnknownBranch(Operation *access) {
  return access->emitOpError(
      "expected branches around it that leave out first or last trips of the "
      "loop around them, by a comparison of its counter with a bound that is "
      "some steps away from the loop's");
}

LogicalResult bsmm::followCount(Operation *access, Operation *outer,
                                Value count, int64_t consumers,
                                Schedule &schedule) {
  while (true) {
    SmallVector<scf::IfOp> branches;
    FailureOr<scf::ForOp> found = findLoop(access, outer, branches);
    if (failed(found))
      return failure();
    scf::ForOp loop = *found;
    if (!loop)
      break;
    FailureOr<Trips> trips = findBoundedTrips(loop, branches);
    if (failed(trips))
      return emitUnknownBranch(access);
    // The innermost loop's iteration may be some trips behind its count.
    int64_t behind = 0;
    if (Sum sum = findSum(count); schedule.levels.empty() &&
                                  sum.terms.size() == 1 &&
                                  sum.terms.front().second == 1) {
      behind = -int64_t(sum.constant);
      count = sum.terms.front().first;
    }
    auto argument = dyn_cast<BlockArgument>(count);
    if (!argument || argument.getOwner() != loop.getBody() ||
        argument.getArgNumber() == 0)
      return access->emitOpError(
          "expected an iteration that the loop around it carries and counts");
    if (behind != trips->skipped)
      return access->emitOpError("expected an iteration that is as many trips "
                                 "behind the count of the loop around it as a "
                                 "branch leaves out first, got ")
             << behind << " behind and " << trips->skipped << " left out";
    Value increment = findIncrement(argument, loop);
    // With one step in each trip, consumers that take turns count the others'.
    if (!increment || (schedule.levels.empty() && !isConstant(increment, 1) &&
                       !isConstant(increment, consumers)))
      return access->emitOpError("expected its iteration to be counted up by "
                                 "one in each trip of the loop around it");
    Schedule::Level level = {findSum(loop.getLowerBound()), trips->upper,
                             loop.getStep(), loop.getInductionVar(), increment};
    if (behind != 0) {
      level.upper.add(findSum(loop.getStep()), int32_t(-behind));
      level.inductionVar = Value();
    }
    schedule.levels.push_back(level);
    count = loop.getInitArgs()[argument.getArgNumber() - 1];
    outer = loop->getParentOp();
  }
  schedule.start = count;
  return success();
}

/// The iterations of a loop whose counter they are, and that has a part of the
/// iterations of all trips of a loop around it:
///
///   for ..., carrying base + perTrip and flat = next, both 0 at first
///     next = base + perTrip + ahead
///     for j = flat .. next: an access, in the producer if j < total, and in
///     the
///                           consumer if j >= ahead, with iteration j - ahead
static FailureOr<Schedule> findFlatSchedule(Operation *access, scf::ForOp inner,
                                            ArrayRef<scf::IfOp> branches,
                                            int64_t behind) {
  auto fail = [&](const Twine &what) {
    return access->emitOpError("expected the counter of a loop as its "
                               "iteration only where that loop has a part of "
                               "the iterations of all trips of another one: ")
           << what;
  };
  auto flat = dyn_cast<BlockArgument>(inner.getLowerBound());
  auto loop = flat ? dyn_cast<scf::ForOp>(flat.getOwner()->getParentOp())
                   : scf::ForOp();
  if (!isConstant(inner.getStep(), 1) || !loop || flat.getArgNumber() == 0 ||
      loop.getYieldedValues()[flat.getArgNumber() - 1] != inner.getUpperBound())
    return fail("it does not begin in steps of one where the loop around it "
                "carries the end of the trip before");
  Operation *outer = inner->getParentOp();
  SmallVector<scf::IfOp> outerBranches, outermost;
  FailureOr<scf::ForOp> around = findLoop(access, outer, outerBranches);
  if (failed(around))
    return failure();
  Operation *rest = loop->getParentOp();
  FailureOr<scf::ForOp> others = findLoop(access, rest, outermost);
  if (failed(others))
    return failure();
  if (*around != loop || *others)
    return fail("it is not in one loop alone");
  FailureOr<Trips> trips = findBoundedTrips(loop, outerBranches);
  if (failed(trips) || trips->skipped != 0)
    return emitUnknownBranch(access);

  Schedule schedule;
  schedule.start = loop.getInitArgs()[flat.getArgNumber() - 1];
  Schedule::Level level = {findSum(loop.getLowerBound()), trips->upper,
                           loop.getStep(), loop.getInductionVar(), Value()};
  for (BlockArgument base : loop.getRegionIterArgs()) {
    Value increment = findIncrement(base, loop);
    if (!increment || !base.getType().isInteger(32) ||
        !isConstant(loop.getInitArgs()[base.getArgNumber() - 1], 0))
      continue;
    Sum counted = findSum(base);
    counted.add(findSum(increment), 1);
    if (auto ahead = getDifference(findSum(inner.getUpperBound()), counted);
        ahead && *ahead >= 0) {
      level.increment = increment;
      schedule.ahead = *ahead;
      break;
    }
  }
  if (!schedule.ahead)
    return fail("it does not end a constant number of iterations after what "
                "the loop around it has counted from 0, trip by trip");
  if (!loop.isDefinedOutsideOfLoop(level.increment) ||
      !isNotNegative(level.increment))
    return fail("the loop around it does not count the same number, at least "
                "0, in every trip");
  // Which of the iterations from 0 to `ahead` after the last one are the
  // access's.
  SameValues values;
  FailureOr<Trips> parts = findTrips(inner, branches);
  if (failed(parts))
    return emitUnknownBranch(access);
  int64_t skipped = 0;
  if (parts->first) {
    std::optional<int64_t> first = getConstant(*parts->first);
    if (!first || *first < 0)
      return emitUnknownBranch(access);
    skipped = *first;
  }
  bool isEndKnown =
      parts->hasEnd
          ? behind == 0 && parts->upper.constant == 0 &&
                parts->upper.terms.size() == 1 &&
                isTotal(parts->upper.terms.front().first, level, values)
          : behind == *schedule.ahead;
  if (parts->hasEnd && parts->upper.terms.empty()) {
    std::optional<int64_t> perTrip = getConstant(findSum(level.increment));
    std::optional<int64_t> count = countTrips(level);
    isEndKnown = behind == 0 && perTrip && count &&
                 *perTrip * *count == parts->upper.constant;
  }
  if (skipped != behind || !isEndKnown)
    return fail("it does not run from iteration 0 to the last one of the last "
                "trip");
  schedule.levels.push_back(level);
  return schedule;
}

FailureOr<Schedule> bsmm::findSchedule(Operation *access, int64_t consumers) {
  Schedule schedule;
  Value iteration = getIteration(access);
  Sum sum = findSum(iteration);
  if (sum.terms.size() == 1 && sum.terms.front().second == 1)
    if (auto counter = dyn_cast<BlockArgument>(sum.terms.front().first))
      if (auto loop = dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp());
          loop && counter == loop.getInductionVar()) {
        SmallVector<scf::IfOp> branches;
        Operation *outer = access->getParentOp();
        FailureOr<scf::ForOp> found = findLoop(access, outer, branches);
        if (failed(found))
          return failure();
        if (*found == loop)
          return findFlatSchedule(access, loop, branches,
                                  -int64_t(sum.constant));
      }
  if (failed(followCount(access, access->getParentOp(), iteration, consumers,
                         schedule)))
    return failure();
  return schedule;
}

StringRef bsmm::findDifference(const Schedule &producer,
                               const Schedule &consumer, int64_t number,
                               int64_t consumers) {
  SameValues values;
  bool takesTurns = consumers != 1;
  // Iterations of all trips of one loop, on one side or on both.
  if (producer.ahead || consumer.ahead) {
    if (takesTurns || producer.levels.empty() || consumer.levels.empty() ||
        producer.levels.size() > 2 || consumer.levels.size() > 2)
      return "loops";
    const Schedule::Level &made = producer.levels.back();
    const Schedule::Level &used = consumer.levels.back();
    if (!isSame(made.lower, used.lower, values) ||
        !isSame(made.upper, used.upper, values) ||
        !values.isSame(made.step, used.step))
      return "bounds";
    if (made.inductionVar != used.inductionVar)
      return "loops";
    return values.isSame(made.increment, used.increment) ? "" : "counts";
  }
  if (producer.levels.size() != consumer.levels.size())
    return "loops";
  if (takesTurns && producer.levels.empty())
    return "loops";
  auto isSum = [&](const Sum &value, const Sum &base, Value addend,
                   int64_t factor) {
    Sum sum = base;
    sum.add(findSum(addend), factor);
    return isSame(value, sum, values);
  };
  auto isProduct = [&](Value value, Value other, int64_t factor) {
    Sum product;
    product.add(findSum(other), factor);
    return isSame(findSum(value), product, values);
  };
  if (!takesTurns && !values.isSame(producer.start, consumer.start))
    return "starts";
  // From the outermost loop inwards: what lies inside of equal loops may depend
  // on their induction variables.
  bool isOutermost = true;
  for (auto [made, used] :
       llvm::reverse(llvm::zip_equal(producer.levels, consumer.levels))) {
    if (takesTurns && isOutermost) {
      if (!isSum(used.lower, made.lower, made.step, number) ||
          !isSame(made.upper, used.upper, values) ||
          !isProduct(used.step, made.step, consumers))
        return "bounds";
      if (!isProduct(used.increment, made.increment, consumers))
        return "counts";
      if (!isSum(findSum(consumer.start), findSum(producer.start),
                 made.increment, number))
        return "starts";
    } else {
      if (!isSame(made.lower, used.lower, values) ||
          !isSame(made.upper, used.upper, values) ||
          !values.isSame(made.step, used.step))
        return "bounds";
      if (made.inductionVar && used.inductionVar)
        values.addEqual(made.inductionVar, used.inductionVar);
      if (!values.isSame(made.increment, used.increment))
        return "counts";
    }
    isOutermost = false;
  }
  return "";
}

bool bsmm::isSecondOfTwo(const Schedule &first, const Schedule &second) {
  SameValues values;
  if (first.levels.size() != second.levels.size() || first.levels.empty() ||
      !values.isSame(first.start, second.start))
    return false;
  const Schedule::Level &a = first.levels.back(), &b = second.levels.back();
  // Half a step, not half of what it may have wrapped around to.
  Sum half = findSum(a.step), start = a.lower;
  if (half.constant % 2 != 0)
    return false;
  half.constant /= 2;
  for (auto &[value, factor] : half.terms) {
    if (factor % 2 != 0)
      return false;
    factor /= 2;
  }
  start.add(half, 1);
  if (!isSame(a.upper, b.upper, values) || !values.isSame(a.step, b.step) ||
      !isSame(b.lower, start, values) ||
      !values.isSame(a.increment, b.increment))
    return false;
  for (auto [levelA, levelB] :
       llvm::drop_end(llvm::zip_equal(first.levels, second.levels)))
    if (!isSame(levelA.lower, levelB.lower, values) ||
        !isSame(levelA.upper, levelB.upper, values) ||
        !values.isSame(levelA.step, levelB.step) ||
        !values.isSame(levelA.increment, levelB.increment))
      return false;
  return true;
}
