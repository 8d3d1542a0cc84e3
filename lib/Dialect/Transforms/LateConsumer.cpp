//===- LateConsumer.cpp - a consumer that releases late -------------------===//

#include "LateConsumer.h"
#include "SlotUses.h"

using namespace mlir;
using namespace bsmm;

LogicalResult bsmm::verifyWaitedFor(Block *block, Operation *enter,
                                    Operation *leave, Operation *others) {
  constexpr int64_t unknown = 1 << 20;
  int64_t running = enter ? 0 : unknown, allowed = 0;
  for (Operation &op : *block) {
    if (&op == leave)
      break;
    if (enter && !enter->isBeforeInBlock(&op))
      continue;
    if (isa<MmaOp>(op)) {
      allowed += others && others->isBeforeInBlock(&op);
      ++running;
    } else if (op.walk([](MmaOp) {
                   return WalkResult::interrupt();
                 }).wasInterrupted()) {
      running = unknown;
    }
    if (auto wait = dyn_cast<WaitMmaOp>(op))
      running = std::min(running, int64_t(wait.getPending()));
  }
  if (running <= allowed)
    return success();
  return leave->emitOpError("expected a bsmm.wait_mma before it, with at most ")
         << allowed << " pending groups: earlier ones still read the slot";
}

bool LateConsumer::isLate(const Side &side) {
  size_t waits = side.enters.size();
  return waits == side.leaves.size() &&
         (waits == 2 || (waits > 4 && waits % 2 == 1));
}

static LogicalResult fail(Operation *op, const Twine &what) {
  return op->emitOpError("expected one wait and one release of a channel, or a "
                         "first step before a loop that releases each slot one "
                         "step late: ")
         << what;
}

/// Whether an iteration is `count` + `addend`.
static bool isAfter(Value iteration, Value count, int64_t addend) {
  return getDifference(findSum(iteration), findSum(count)) == addend;
}

FailureOr<LateConsumer> LateConsumer::match(const Side &side) {
  LateConsumer match;
  size_t steps = side.enters.size() / 2;
  auto add = [](auto &place, ArrayRef<Operation *> found) {
    for (Operation *op : found)
      place.push_back(
          cast<typename std::decay_t<decltype(place)>::value_type>(op));
  };
  ArrayRef<Operation *> waits = side.enters, releases = side.leaves;
  add(match.first, waits.take_front(steps));
  add(match.inner, waits.slice(steps, steps));
  add(match.firstReleases, releases.take_front(steps - 1));
  match.late = cast<ReleaseOp>(releases[steps - 1]);
  add(match.innerReleases, releases.slice(steps, steps - 1));
  match.last = cast<ReleaseOp>(releases[2 * steps - 1]);
  if (failed(match.matchTrips()))
    return failure();
  if (steps != 1) {
    match.restWait = cast<WaitOp>(waits.back());
    match.restRelease = cast<ReleaseOp>(releases.back());
    if (failed(match.matchRest()))
      return failure();
  }
  return match;
}

LogicalResult LateConsumer::matchTrips() {
  int64_t steps = first.size();
  bool isOne = steps == 1;
  loop = dyn_cast<scf::ForOp>(inner.front()->getParentOp());
  Block *block = first.front()->getBlock();
  if (!loop || loop->getBlock() != block ||
      !first.front()->isBeforeInBlock(loop))
    return fail(inner.front(), isOne ? "the second wait is not in a loop after "
                                       "the first"
                                     : "the first wait of the second half is "
                                       "not in a loop after those before");
  if (loop.getUnsignedCmp())
    return inner.front().emitOpError("expected only signed loops around it");
  auto next = dyn_cast<BlockArgument>(inner.front().getIteration());
  if (!next || next.getOwner() != loop.getBody() || next.getArgNumber() == 0 ||
      !findIncrement(next, loop) ||
      !isConstant(findIncrement(next, loop), steps))
    return fail(inner.front(),
                isOne ? "its iteration is not counted up by one in each trip "
                        "of the loop around it"
                      : "its iteration is not counted up by the number of "
                        "waits in each trip of the loop around it");
  unsigned index = next.getArgNumber() - 1;
  Value start = first.front().getIteration();
  if (!isAfter(loop.getInitArgs()[index], start, steps))
    return fail(inner.front(), "its iteration does not follow the first one");
  // The steps of a trip, in their order.
  auto matchStep = [&](WaitOp wait, ReleaseOp release, WaitOp before,
                       Value count, int64_t number) -> LogicalResult {
    if (wait->getBlock() != before->getBlock() ||
        !isAfter(wait.getIteration(), count, number))
      return fail(wait, "it does not wait for the next slot in the same trip");
    if (release->getBlock() != before->getBlock() ||
        !before->isBeforeInBlock(release) ||
        !isAfter(release.getIteration(), count, number - 1))
      return fail(release, "it does not release the slot of the wait before "
                           "the last one, in the same trip");
    return success();
  };
  for (int64_t number = 1; number < steps; ++number)
    if (failed(matchStep(first[number], firstReleases[number - 1],
                         first[number - 1], start, number)) ||
        failed(matchStep(inner[number], innerReleases[number - 1],
                         inner[number - 1], next, number)))
      return failure();
  for (ReleaseOp release : firstReleases)
    if (!release->isBeforeInBlock(loop))
      return fail(release, "it does not release a slot before the loop");
  if (late->getBlock() != loop.getBody() ||
      !isAfter(late.getIteration(), next, -1))
    return fail(late, "it does not release the last step's slot in each trip");
  if (last->getBlock() != block || !loop->isBeforeInBlock(last) ||
      !isAfter(last.getIteration(), loop.getResult(index), -1))
    return fail(last, "it does not release the loop's last slot after the "
                      "loop");
  // The first steps are there exactly when lower < upper.
  auto branch = dyn_cast<scf::IfOp>(first.front()->getParentOp());
  if (branch && block == branch.thenBlock())
    lower = getLowerOfLess(branch.getCondition(), loop.getUpperBound());
  if (lower && isOne && isSum(loop.getLowerBound(), lower, loop.getStep()))
    return success();
  std::optional<int64_t> tripStep = getSmallConstant(loop.getStep());
  if (lower && tripStep && isAfter(loop.getLowerBound(), lower, *tripStep))
    return success();
  return fail(first.front(), "it is not in a branch taken when lower < upper, "
                             "with a loop from lower + step to upper");
}

/// The trips have whole groups of the steps from `lower` to the last loop's
/// upper bound, which has the rest.
LogicalResult LateConsumer::matchRest() {
  int64_t steps = first.size();
  Operation *branch = first.front()->getParentOp();
  rest = dyn_cast<scf::ForOp>(restWait->getParentOp());
  if (!rest || restRelease->getParentOp() != rest ||
      rest->getBlock() != branch->getBlock() ||
      !branch->isBeforeInBlock(rest) || !restWait->isBeforeInBlock(restRelease))
    return fail(restWait, "the last wait is not in a loop with the last "
                          "release, after those with several");
  if (rest.getUnsignedCmp())
    return restWait.emitOpError("expected only signed loops around it");
  std::optional<int64_t> step = getSmallConstant(rest.getStep());
  if (!step || getSmallConstant(loop.getStep()) != *step * steps ||
      rest.getLowerBound() != loop.getUpperBound())
    return fail(restWait, "its loop does not go on where the one with several "
                          "waits ends, in steps of one of its waits");
  auto next = dyn_cast<BlockArgument>(restWait.getIteration());
  if (!next || next.getOwner() != rest.getBody() || next.getArgNumber() == 0 ||
      restRelease.getIteration() != next || !findIncrement(next, rest) ||
      !isConstant(findIncrement(next, rest), 1))
    return fail(restWait, "its iteration is not counted up by one in each trip "
                          "of the loop around it");
  Schedule::Level all = {findSum(lower), findSum(rest.getUpperBound()),
                         rest.getStep(), Value(), findIncrement(next, rest)};
  Sum extent = findSum(loop.getUpperBound());
  extent.add(all.lower, -1);
  Sum counted = findSum(rest.getInitArgs()[next.getArgNumber() - 1]);
  counted.add(findSum(first.front().getIteration()), -1);
  if (!isWholeGroups(extent, *step, steps, all) ||
      !isWholeGroups(counted, 1, steps, all))
    return fail(restWait,
                "the loop with several waits does not end after as many whole "
                "trips as there are, i.e. after s - s % " +
                    Twine(steps) +
                    " steps of s = max(upper - lower, 0) / step, rounded up");
  return success();
}

FailureOr<Schedule> LateConsumer::findSchedule() {
  Schedule schedule;
  scf::ForOp end = rest ? rest : loop;
  auto next =
      cast<BlockArgument>((rest ? restWait : inner.front()).getIteration());
  schedule.levels.push_back({findSum(lower), findSum(end.getUpperBound()),
                             end.getStep(), Value(), findIncrement(next, end)});
  // The branch has been matched: it is taken when the loop has a step.
  if (failed(followCount(first.front(),
                         first.front()->getParentOp()->getParentOp(),
                         first.front().getIteration(), 1, schedule)))
    return failure();
  return schedule;
}

/// The buffers of a slot and parts of them are used before `end`.
static LogicalResult verifyUsers(WaitOp wait, Operation *end,
                                 ReleaseOp release) {
  ArrivalAttr arrival =
      wait.getChannel().getDefiningOp<CreateChannelOp>().getConsumer();
  for (Value buffer : wait.getBuffers())
    for (Operation *user : findUsers(buffer)) {
      if (failed(verifyDone(user, arrival, release)))
        return failure();
      Operation *there = end->getBlock()->findAncestorOpInBlock(*user);
      if (there && there->isBeforeInBlock(end))
        continue;
      InFlightDiagnostic diagnostic =
          user->emitOpError("uses a buffer of a slot that has been given away");
      diagnostic.attachNote(release.getLoc()) << "given away here";
      return diagnostic;
    }
  return success();
}

LogicalResult LateConsumer::verify(ArrivalAttr arrival, int64_t slots) {
  if (slots < 2 && (first.size() > 1 || inner.front()->isBeforeInBlock(late)))
    return inner.back().emitOpError(
        "expected a channel of at least 2 slots, got 1: the consumer waits for "
        "the next slot before it releases the last one");
  SmallVector<ReleaseOp> releases = {late, last};
  releases.append(firstReleases);
  releases.append(innerReleases);
  if (rest)
    releases.push_back(restRelease);
  for (ReleaseOp release : releases)
    if (failed(verifyCount(release, arrival)))
      return failure();
  // A step's multiplications are issued before the next slot is waited for.
  for (size_t step = 0; step + 1 < first.size(); ++step)
    if (failed(
            verifyUsers(first[step], first[step + 1], firstReleases[step])) ||
        failed(
            verifyUsers(inner[step], inner[step + 1], innerReleases[step])) ||
        failed(verifyWaitedFor(first[step]->getBlock(), nullptr,
                               firstReleases[step], first[step + 1])) ||
        failed(verifyWaitedFor(loop.getBody(), nullptr, innerReleases[step],
                               inner[step + 1])))
      return failure();
  if (failed(verifyUsers(first.back(), loop, late)) ||
      failed(verifyWaitedFor(loop.getBody(), nullptr, late, inner.front())) ||
      failed(verifyWaitedFor(loop->getBlock(), nullptr, last)))
    return failure();
  if (!rest)
    return success();
  return success(
      succeeded(verifyUsers(restWait, restRelease, restRelease)) &&
      succeeded(verifyWaitedFor(rest.getBody(), restWait, restRelease)));
}
