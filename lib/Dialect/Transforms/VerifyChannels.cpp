//===- VerifyChannels.cpp - prove the protocol of channels ----------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Target/Target.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMVERIFYCHANNELS
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

namespace {
/// The iterations that one side of a channel runs through: the loops around it,
/// innermost first, what each adds to the count in a trip, and the first count.
struct Schedule {
  struct Level {
    scf::ForOp loop;
    Value increment;
  };
  SmallVector<Level> levels;
  Value start;
};

/// The two operations of one side: acquire and commit, or wait and release.
struct Side {
  Operation *enter = nullptr;
  Operation *leave = nullptr;
};
} // namespace

static Value getIteration(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AcquireOp, WaitOp, CommitOp, ReleaseOp>(
          [](auto access) -> Value { return access.getIteration(); });
}

static bool isConstant(Value value, int64_t expected) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.getSExtValue() == expected;
}

namespace {
/// Whether values of two roles are the same, where each role has its own copy
/// of the arithmetic: equal constants, the same operation on equal values, and
/// the induction variables of loops that have been found equal.
class SameValues {
public:
  void addEqual(Value a, Value b) { known[{a, b}] = true; }

  bool isSame(Value a, Value b, unsigned depth = 512) {
    if (a == b)
      return true;
    APInt constantA, constantB;
    if (matchPattern(a, m_ConstantInt(&constantA)) &&
        matchPattern(b, m_ConstantInt(&constantB)))
      return constantA == constantB;
    if (auto found = known.find({a, b}); found != known.end())
      return found->second;
    Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
    bool isEqual = opA && opB && opA->getName() == opB->getName() &&
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

private:
  DenseMap<std::pair<Value, Value>, bool> known;
};
} // namespace

/// Follows an iteration count outwards through the loops that carry it. The
/// innermost loop must count by one; the outer ones pass on what the inner ones
/// have counted, which is compared between the two sides.
static FailureOr<Schedule> findSchedule(Operation *access) {
  Schedule schedule;
  Value count = getIteration(access);
  for (Operation *outer = access->getParentOp(); !isa<KernelOp>(outer);
       outer = outer->getParentOp()) {
    if (isa<WarpRoleOp, LeaderOp>(outer))
      continue;
    auto loop = dyn_cast<scf::ForOp>(outer);
    if (!loop)
      return access->emitOpError("expected only loops and roles around it, so "
                                 "that its iterations are known, got '")
             << outer->getName() << "'";
    auto argument = dyn_cast<BlockArgument>(count);
    if (!argument || argument.getOwner() != loop.getBody() ||
        argument.getArgNumber() == 0)
      return access->emitOpError(
          "expected an iteration that the loop around it carries and counts");
    unsigned index = argument.getArgNumber() - 1;
    auto sum = loop.getYieldedValues()[index].getDefiningOp<arith::AddIOp>();
    Value increment;
    if (sum && sum.getLhs() == argument)
      increment = sum.getRhs();
    else if (sum && sum.getRhs() == argument)
      increment = sum.getLhs();
    if (!increment || (schedule.levels.empty() && !isConstant(increment, 1)))
      return access->emitOpError("expected its iteration to be counted up by "
                                 "one in each trip of the loop around it");
    schedule.levels.push_back({loop, increment});
    count = loop.getInitArgs()[index];
  }
  schedule.start = count;
  return schedule;
}

/// Threads that execute an operation; 0 when that is not known.
static int64_t countThreads(Operation *op) {
  if (op->getParentOfType<LeaderOp>())
    return 1;
  if (auto role = op->getParentOfType<WarpRoleOp>())
    return role.getCount() * target::threads::perWarp;
  return op->getParentOfType<KernelOp>().getBlockSize().value_or(0);
}

static LogicalResult setOnce(Operation *&place, Operation *user,
                             StringRef what) {
  if (!place) {
    place = user;
    return success();
  }
  InFlightDiagnostic diagnostic = user->emitOpError("expected one ")
                                  << what << " of a channel";
  diagnostic.attachNote(place->getLoc()) << "the other one is here";
  return diagnostic;
}

/// Both ends of a side are there, run together and hold the slot's buffers.
static LogicalResult verifySide(CreateChannelOp create, const Side &side,
                                ArrivalAttr arrival, StringRef enter,
                                StringRef leave) {
  if (!side.enter && !side.leave)
    return create.emitOpError("expected a bsmm.") << enter << " of the channel";
  if (!side.leave)
    return side.enter->emitOpError("expected a bsmm.")
           << leave << " after the " << enter;
  if (!side.enter)
    return side.leave->emitOpError("expected a bsmm.")
           << enter << " before the " << leave;

  Block *block = side.enter->getBlock();
  Operation *leaveThere = block->findAncestorOpInBlock(*side.leave);
  bool isInLeader = isa_and_nonnull<LeaderOp>(leaveThere) &&
                    side.leave->getParentOp() == leaveThere;
  if ((leaveThere != side.leave && !isInLeader) ||
      !side.enter->isBeforeInBlock(leaveThere))
    return side.leave->emitOpError("expected after its ")
           << enter << ", in the same block or in a bsmm.leader there";
  if (getIteration(side.enter) != getIteration(side.leave))
    return side.leave->emitOpError("expected the iteration of its ") << enter;
  if (arrival.getKind() == ArrivalKind::Threads) {
    int64_t threads = countThreads(side.leave);
    if (threads != 0 && threads != arrival.getCount())
      return side.leave->emitOpError("expected ")
             << arrival.getCount() << " threads to arrive, got " << threads;
  }
  for (Value buffer : side.enter->getResults()) {
    for (Operation *user : buffer.getUsers()) {
      Operation *there = block->findAncestorOpInBlock(*user);
      bool isHeld = there && there->isBeforeInBlock(leaveThere);
      if (there == leaveThere && isInLeader)
        if (Operation *inLeader =
                side.leave->getBlock()->findAncestorOpInBlock(*user))
          isHeld = inLeader->isBeforeInBlock(side.leave);
      if (isHeld)
        continue;
      InFlightDiagnostic diagnostic =
          user->emitOpError("uses a buffer of a slot that has been given away");
      diagnostic.attachNote(side.leave->getLoc()) << "given away here";
      return diagnostic;
    }
  }
  return success();
}

/// The bytes announced for a slot are the bytes delivered.
static LogicalResult verifyCopies(CreateChannelOp create, AcquireOp acquire) {
  for (auto [index, buffer] : llvm::enumerate(acquire.getBuffers())) {
    Operation *copy = nullptr;
    for (Operation *user : buffer.getUsers()) {
      auto load = dyn_cast<LoadAsyncOp>(user);
      if (!load)
        return user->emitOpError("expected only bsmm.load_async to fill a slot "
                                 "by transactions");
      if (load.getChannel() != create.getChannel() ||
          load.getIteration() != acquire.getIteration() ||
          load->getBlock() != acquire->getBlock())
        return load.emitOpError("expected to signal the slot that it fills, in "
                                "the block of its acquire");
      if (copy) {
        InFlightDiagnostic diagnostic =
            load.emitOpError("fills a buffer for the second time: its bytes "
                             "were announced once");
        diagnostic.attachNote(copy->getLoc()) << "filled here";
        return diagnostic;
      }
      copy = load;
    }
    if (!copy)
      return acquire.emitOpError("expected a bsmm.load_async for buffer #")
             << index << " of the slot, whose bytes are announced";
  }
  return success();
}

/// A warp that has both sides would wait for itself as soon as the slots are
/// used up.
static LogicalResult verifyWarps(const Side &producer, const Side &consumer) {
  auto a = producer.enter->getParentOfType<WarpRoleOp>();
  auto b = consumer.enter->getParentOfType<WarpRoleOp>();
  if (!a || !b || a.getWarp() + a.getCount() <= b.getWarp() ||
      b.getWarp() + b.getCount() <= a.getWarp())
    return success();
  InFlightDiagnostic diagnostic =
      consumer.enter->emitOpError(
          "expected other warps than the producer's, got warp ")
      << std::max(a.getWarp(), b.getWarp()) << " for both";
  diagnostic.attachNote(producer.enter->getLoc())
      << "the producer acquires here";
  return diagnostic;
}

/// Both sides run through the same iterations.
static LogicalResult verifySchedules(const Side &producer,
                                     const Side &consumer) {
  FailureOr<Schedule> a = findSchedule(producer.enter);
  FailureOr<Schedule> b = findSchedule(consumer.enter);
  if (failed(a) || failed(b))
    return failure();
  StringRef difference;
  SameValues values;
  if (a->levels.size() != b->levels.size())
    difference = "loops";
  else if (!values.isSame(a->start, b->start))
    difference = "starts";
  else
    // From the outermost loop inwards: what lies inside of equal loops may
    // depend on their induction variables.
    for (auto [levelA, levelB] :
         llvm::reverse(llvm::zip_equal(a->levels, b->levels))) {
      if (!values.isSame(levelA.loop.getLowerBound(),
                         levelB.loop.getLowerBound()) ||
          !values.isSame(levelA.loop.getUpperBound(),
                         levelB.loop.getUpperBound()) ||
          !values.isSame(levelA.loop.getStep(), levelB.loop.getStep())) {
        difference = "bounds";
        break;
      }
      values.addEqual(levelA.loop.getInductionVar(),
                      levelB.loop.getInductionVar());
      if (!values.isSame(levelA.increment, levelB.increment)) {
        difference = "counts";
        break;
      }
    }
  if (difference.empty())
    return success();
  InFlightDiagnostic diagnostic =
      consumer.enter->emitOpError(
          "expected the iterations of the producer, got other ")
      << difference;
  diagnostic.attachNote(producer.enter->getLoc())
      << "the producer acquires here";
  return diagnostic;
}

static LogicalResult verifyChannel(CreateChannelOp create) {
  // A loop that never runs takes its whole protocol with it.
  if (create.getChannel().use_empty())
    return success();
  // In the order of the program, so that notes point at the first one.
  SmallVector<Operation *> users;
  create->getParentOfType<KernelOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *op) {
        if (llvm::is_contained(op->getOperands(), create.getChannel()))
          users.push_back(op);
      });
  Side producer, consumer;
  for (Operation *user : users) {
    LogicalResult result = success();
    if (isa<AcquireOp>(user))
      result = setOnce(producer.enter, user, "acquire");
    else if (isa<CommitOp>(user))
      result = setOnce(producer.leave, user, "commit");
    else if (isa<WaitOp>(user))
      result = setOnce(consumer.enter, user, "wait");
    else if (isa<ReleaseOp>(user))
      result = setOnce(consumer.leave, user, "release");
    if (failed(result))
      return failure();
  }
  if (failed(verifySide(create, producer, create.getProducer(), "acquire",
                        "commit")) ||
      failed(verifySide(create, consumer, create.getConsumer(), "wait",
                        "release")))
    return failure();
  if (create.getProducer().getKind() == ArrivalKind::Transaction &&
      failed(verifyCopies(create, cast<AcquireOp>(producer.enter))))
    return failure();
  if (failed(verifyWarps(producer, consumer)))
    return failure();
  return verifySchedules(producer, consumer);
}

namespace {
struct VerifyChannels : bsmm::impl::BsmmVerifyChannelsBase<VerifyChannels> {
  void runOnOperation() override {
    getOperation()->walk([&](CreateChannelOp create) {
      if (failed(verifyChannel(create)))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
