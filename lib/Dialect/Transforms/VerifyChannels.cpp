//===- VerifyChannels.cpp - prove the protocol of channels ----------------===//

#include "Cluster.h"
#include "LateConsumer.h"
#include "SlotUses.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Target/Target.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMVERIFYCHANNELS
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

/// Threads that execute an operation; 0 when that is not known.
static int64_t countThreads(Operation *op) {
  auto role = op->getParentOfType<WarpRoleOp>();
  if (auto leader = op->getParentOfType<LeaderOp>())
    return leader.getEachWarpgroup()
               ? role.getCount() / target::threads::warpsPerWarpgroup
               : 1;
  if (role)
    return role.getCount() * target::threads::perWarp;
  return op->getParentOfType<KernelOp>().getBlockSize().value_or(0);
}

static LogicalResult expectOne(ArrayRef<Operation *> found, StringRef what) {
  if (found.size() == 1)
    return success();
  InFlightDiagnostic diagnostic = found[1]->emitOpError("expected one ")
                                  << what << " of a channel";
  diagnostic.attachNote(found[0]->getLoc()) << "the other one is here";
  return diagnostic;
}

/// As many threads or warps arrive as the channel says.
LogicalResult bsmm::verifyCount(Operation *leave, ArrivalAttr arrival) {
  bool countsWarps = arrival.getKind() == ArrivalKind::Warps;
  if (arrival.getKind() != ArrivalKind::Threads && !countsWarps)
    return success();
  int64_t arriving =
      countThreads(leave) / (countsWarps ? target::threads::perWarp : 1);
  if (arriving != 0 && arriving != arrival.getCount())
    return leave->emitOpError("expected ")
           << arrival.getCount() << (countsWarps ? " warps" : " threads")
           << " to arrive, got " << arriving;
  return success();
}

static LogicalResult verifyEnds(CreateChannelOp create, const Side &side,
                                StringRef enter, StringRef leave) {
  if (side.enters.empty() && side.leaves.empty())
    return create.emitOpError("expected a bsmm.") << enter << " of the channel";
  if (side.leaves.empty())
    return side.getEnter()->emitOpError("expected a bsmm.")
           << leave << " after the " << enter;
  if (side.enters.empty())
    return side.getLeave()->emitOpError("expected a bsmm.")
           << enter << " before the " << leave;
  return success();
}

/// A slot may be given away in both branches of an `if`: the branch. Null for
/// everything else.
static scf::IfOp findBranchOf(ArrayRef<Operation *> leaves) {
  if (leaves.size() != 2 || getIteration(leaves[0]) != getIteration(leaves[1]))
    return {};
  auto branch = dyn_cast<scf::IfOp>(leaves[0]->getParentOp());
  if (!branch || branch != leaves[1]->getParentOp() ||
      leaves[0]->getBlock() == leaves[1]->getBlock())
    return {};
  return branch;
}

/// Whether an operation drains columns that the slot does not share with the
/// next one: these stay the consumer's until it waits again. The next slot is
/// acquired when all threads have released this one, and the slot after that
/// when they have released the next one, i.e. have come past their drains of
/// this one.
static bool drainsOwnColumns(CreateChannelOp create, Value iteration,
                             Operation *op) {
  auto drain = dyn_cast<DrainOp>(op);
  if (!create.getOverlap() || !drain || !drain.getAt())
    return false;
  auto column = drain.getAt().getDefiningOp<SlotColumnOp>();
  return column && column.getChannel() == create.getChannel() &&
         column.getIteration() == iteration &&
         column.getFirst() >= *create.getOverlap() &&
         int64_t(column.getColumns()) == drain.getNumColumns();
}

/// Both ends of a side are there, run together and hold the slot's buffers.
static LogicalResult verifySide(CreateChannelOp create, const Side &side,
                                ArrivalAttr arrival, StringRef enter,
                                StringRef leave) {
  if (failed(verifyEnds(create, side, enter, leave)) ||
      failed(expectOne(side.enters, enter)))
    return failure();
  Operation *entered = side.getEnter(), *left = side.getLeave();
  Block *block = entered->getBlock();
  // An order channel holds nothing.
  if (create.getChannel().getType().getBuffers().empty()) {
    scf::IfOp branch = findBranchOf(side.leaves);
    if (!branch && failed(expectOne(side.leaves, leave)))
      return failure();
    Operation *leaveThere = branch ? branch.getOperation() : left;
    if (leaveThere->getBlock() != block ||
        !entered->isBeforeInBlock(leaveThere))
      return left->emitOpError("expected after its ")
             << enter << ", in the same block or in both branches of an scf.if "
             << "there";
    if (getIteration(entered) != getIteration(left))
      return left->emitOpError("expected the iteration of its ") << enter;
    for (Operation *each : side.leaves)
      if (failed(verifyCount(each, arrival)))
        return failure();
    return success();
  }
  if (failed(expectOne(side.leaves, leave)))
    return failure();
  Operation *leaveThere = block->findAncestorOpInBlock(*left);
  bool isInLeader = isa_and_nonnull<LeaderOp>(leaveThere) &&
                    left->getParentOp() == leaveThere;
  if ((leaveThere != left && !isInLeader) ||
      !entered->isBeforeInBlock(leaveThere))
    return left->emitOpError("expected after its ")
           << enter << ", in the same block or in a bsmm.leader there";
  if (getIteration(entered) != getIteration(left))
    return left->emitOpError("expected the iteration of its ") << enter;
  if (failed(verifyCount(left, arrival)) ||
      (isa<WaitOp>(entered) &&
       failed(verifyWaitedFor(block, entered, leaveThere))))
    return failure();
  for (Value buffer : entered->getResults()) {
    for (Operation *user : findUsers(buffer)) {
      if (failed(verifyDone(user, arrival, left)))
        return failure();
      Operation *there = block->findAncestorOpInBlock(*user);
      bool isHeld = there && there->isBeforeInBlock(leaveThere);
      if (there == leaveThere && isInLeader)
        if (Operation *inLeader =
                left->getBlock()->findAncestorOpInBlock(*user))
          isHeld = inLeader->isBeforeInBlock(left);
      if (isHeld || (there && isa<WaitOp>(entered) &&
                     drainsOwnColumns(create, getIteration(entered), user)))
        continue;
      InFlightDiagnostic diagnostic =
          user->emitOpError("uses a buffer of a slot that has been given away");
      diagnostic.attachNote(left->getLoc()) << "given away here";
      return diagnostic;
    }
  }
  return success();
}

/// The multicast load that fills the share of its CTA's rank: 1 / CTAs of the
/// rows or scale tiles, from rank times so many on. Null for other slices.
static LoadAsyncOp findShare(Operation *slice) {
  auto source = cast<BufferType>(slice->getOperand(0).getType());
  auto result = cast<BufferType>(slice->getResult(0).getType());
  auto kernel = slice->getParentOfType<KernelOp>();
  // Rows follow each other, and so do scale tiles.
  int64_t extent = result.getShape()[0];
  if (isa<SliceScalesOp>(slice))
    extent = result.getSharedBytes() / layout::scaleTileBytes;
  if (!slice->hasOneUse() ||
      result.getSharedBytes() * kernel.getNumClusterCtas() !=
          source.getSharedBytes())
    return {};
  Value first = slice->getOperand(1);
  auto start = first.getDefiningOp<arith::MulIOp>();
  bool isRank = extent == 1
                    ? bool(first.getDefiningOp<ClusterRankOp>())
                    : start && start.getLhs().getDefiningOp<ClusterRankOp>() &&
                          isConstant(start.getRhs(), extent);
  auto load = dyn_cast<LoadAsyncOp>(*slice->user_begin());
  return isRank && load && load.getMulticast() ? load : LoadAsyncOp();
}

/// A slot that the CTAs of a cluster fill together is filled when all have come
/// to it: they make the same trips.
static LogicalResult verifyCluster(CreateChannelOp create, Operation *acquire,
                                   const Schedule &schedule) {
  int64_t ctas = create->getParentOfType<KernelOp>().getNumClusterCtas();
  for (const Schedule::Level &level : schedule.levels) {
    SmallVector<Value> values = {level.step, level.increment};
    for (const Sum &bound : {level.lower, level.upper})
      llvm::append_range(values, llvm::make_first_range(bound.terms));
    for (Value value : values)
      if (!isSameInCluster(value, ctas))
        return acquire->emitOpError("expected the same trips in all ")
               << ctas << " CTAs of the cluster, which fill the slots of the "
               << "channel together";
  }
  return success();
}

/// The bytes announced for a slot are the bytes delivered.
static LogicalResult verifyCopies(CreateChannelOp create, AcquireOp acquire) {
  for (auto [index, buffer] : llvm::enumerate(acquire.getBuffers())) {
    Operation *copy = nullptr;
    for (Operation *user : buffer.getUsers()) {
      auto load = dyn_cast<LoadAsyncOp>(user);
      // The CTAs of a cluster bring a share of the rows each, to all.
      if (isa<SliceRowsOp, SliceScalesOp>(user)) {
        load = findShare(user);
        if (!load)
          return user->emitOpError("expected the share of the CTA's rank, with "
                                   "one multicast load of it");
      } else if (load && load.getMulticast()) {
        return load.emitOpError("expected a share of the buffer by a "
                                "bsmm.slice_rows or bsmm.slice_scales for a "
                                "multicast load");
      }
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

/// No bytes arrive at a channel's barriers but those announced: copies that
/// signal it fill its slots.
static LogicalResult verifyNoOtherCopies(CreateChannelOp create,
                                         Operation *acquire) {
  bool announces = create.getProducer().getKind() == ArrivalKind::Transaction;
  for (Operation *user : create.getChannel().getUsers()) {
    auto load = dyn_cast<LoadAsyncOp>(user);
    if (!load)
      continue;
    Value filled = load.getDestination();
    if (Operation *slice = filled.getDefiningOp();
        isa_and_nonnull<SliceRowsOp, SliceScalesOp>(slice))
      filled = slice->getOperand(0);
    if (!announces || filled.getDefiningOp() != acquire)
      return load.emitOpError("expected to signal a channel whose slots it "
                              "fills by transactions: other bytes are not "
                              "announced");
  }
  return success();
}

/// Where two operations lie in the innermost block that has both; nulls where
/// one operation of it has them in different regions.
static std::pair<Operation *, Operation *> findInCommonBlock(Operation *a,
                                                             Operation *b) {
  for (Operation *outer = a; outer && !isa<KernelOp>(outer);
       outer = outer->getParentOp())
    if (Operation *there = outer->getBlock()->findAncestorOpInBlock(*b))
      return there == outer ? std::pair<Operation *, Operation *>()
                            : std::pair{outer, there};
  return {};
}

/// A warp that has both sides waits for itself unless it always does first what
/// it waits for: in each trip of the loop that both sides stand in it fills a
/// slot before it waits for one, and has released the slot that it fills.
/// Returns what is wrong; empty text when nothing is.
static std::string findWaitForItself(CreateChannelOp create,
                                     const Side &producer,
                                     const Side &consumer) {
  if (producer.enters.size() != 1 || producer.leaves.size() != 1 ||
      consumer.enters.size() != 1 || consumer.leaves.size() != 1)
    return "one place where slots are filled and one where they are used";
  Operation *acquire = producer.getEnter(), *wait = consumer.getEnter();
  if (acquire->getParentOfType<scf::ForOp>() !=
      wait->getParentOfType<scf::ForOp>())
    return "both sides in the same loops";
  auto [made, used] = findInCommonBlock(acquire, wait);
  if (!made)
    return "both sides in one block or one after the other";
  auto ahead = getDifference(findSum(getIteration(acquire)),
                             findSum(getIteration(wait)));
  if (!ahead)
    return "iterations a constant number apart";
  Block *block = made->getBlock();
  Operation *committed = block->findAncestorOpInBlock(*producer.getLeave());
  Operation *released = block->findAncestorOpInBlock(*consumer.getLeave());
  if (!committed || !released)
    return "both ends of each side in one block";
  int64_t slots = create.getBarrierSlots(), least, most;
  std::string order;
  if (committed == made ? made->isBeforeInBlock(used)
                        : committed->isBeforeInBlock(used)) {
    least = 0;
    most = slots - 1;
    order = "before it waits";
  } else if (released->isBeforeInBlock(made)) {
    least = 1;
    most = slots;
    order = "after it has released one";
  } else {
    return "one side after the other in each trip";
  }
  if (*ahead >= least && *ahead <= most)
    return {};
  return (Twine("the slot that it fills ") + order + " to be " + Twine(least) +
          " to " + Twine(most) + " iterations ahead of the one that it waits " +
          "for, with " + Twine(slots) + " slots, got " + Twine(*ahead))
      .str();
}

/// A warp that has both sides does not wait for itself. `producer` may be
/// another consumer, which must be other warps.
static LogicalResult verifyWarps(CreateChannelOp create, const Side &producer,
                                 const Side &consumer) {
  Operation *first = producer.getEnter(), *second = consumer.getEnter();
  auto a = first->getParentOfType<WarpRoleOp>();
  auto b = second->getParentOfType<WarpRoleOp>();
  if (a && b &&
      (a.getWarp() + a.getCount() <= b.getWarp() ||
       b.getWarp() + b.getCount() <= a.getWarp()))
    return success();
  bool isProducer = isa<AcquireOp>(first);
  StringRef who = isProducer ? "the producer" : "the consumer";
  std::string missing;
  if (isProducer) {
    missing = findWaitForItself(create, producer, consumer);
    if (missing.empty())
      return success();
  }
  InFlightDiagnostic diagnostic = second->emitOpError("expected other warps ")
                                  << "than " << who << "'s, got ";
  if (!a || !b)
    diagnostic << "all warps for one of them";
  else
    diagnostic << "warp " << std::max(a.getWarp(), b.getWarp()) << " for both";
  if (!missing.empty())
    diagnostic << "; a warp that has both sides needs " << missing;
  diagnostic.attachNote(first->getLoc())
      << who << (isProducer ? " acquires here" : " waits here");
  return diagnostic;
}

/// Both sides run through the same iterations.
static LogicalResult verifySchedules(Operation *producer, Operation *consumer,
                                     const FailureOr<Schedule> &a,
                                     const FailureOr<Schedule> &b,
                                     int64_t number = 0,
                                     int64_t consumers = 1) {
  if (failed(a) || failed(b))
    return failure();
  StringRef difference = findDifference(*a, *b, number, consumers);
  if (difference.empty())
    return success();
  InFlightDiagnostic diagnostic =
      consumer->emitOpError(
          "expected the iterations of the producer, got other ")
      << difference;
  if (consumers != 1)
    diagnostic << " for consumer " << number << " of " << consumers
               << " that take turns with the trips of the outermost loop";
  diagnostic.attachNote(producer->getLoc()) << "the producer acquires here";
  return diagnostic;
}

/// A producer that runs ahead over the end of a trip of a loop: the slots that
/// it fills before the consumer's next trip begins are free by then.
static LogicalResult verifyAhead(CreateChannelOp create, Operation *acquire,
                                 const FailureOr<Schedule> &produced,
                                 Operation *wait,
                                 const FailureOr<Schedule> &consumed) {
  if (failed(produced) || failed(consumed))
    return success();
  // The producer's uses have been verified, and the consumer is compared with
  // them only where both have the same loops.
  if (produced->ahead && failed(verifyUses(wait, *consumed)))
    return failure();
  int64_t slots = create.getBarrierSlots();
  if (produced->ahead && *produced->ahead > slots)
    return acquire->emitOpError("expected at most ")
           << slots
           << " iterations ahead of the consumer at the end of a trip, "
           << "one for each slot, got " << *produced->ahead;
  if (consumed->ahead && !produced->ahead)
    return wait->emitOpError("expected the producer to run through a part of "
                             "the iterations of all trips, too");
  return success();
}

/// A wait looks at the parity of a barrier's phase alone: it is right when the
/// consumer before has seen the phases before. So two consumers wait for slots
/// only while it is their turn by an order channel.
static LogicalResult verifyTurns(CreateChannelOp create, const Side &first,
                                 const Side &second) {
  KernelOp kernel = create->getParentOfType<KernelOp>();
  bool isOrdered = false;
  kernel.walk([&](CreateChannelOp order) {
    if (isOrdered || !order.getChannel().getType().getBuffers().empty())
      return;
    Side producer;
    SmallVector<Side> consumers;
    findSides(order, producer, consumers);
    auto covers = [](const Side &turn, const Side &side) {
      // A turn is a trip of the outermost loop.
      if (turn.enters.empty() || turn.leaves.empty())
        return false;
      auto loop = dyn_cast<scf::ForOp>(turn.getEnter()->getParentOp());
      return loop && !loop->getParentOfType<scf::ForOp>() &&
             llvm::all_of(side.enters, [&](Operation *wait) {
               Operation *there =
                   turn.getEnter()->getBlock()->findAncestorOpInBlock(*wait);
               return there && turn.getEnter()->isBeforeInBlock(there) &&
                      llvm::all_of(turn.leaves, [&](Operation *leave) {
                        return isBefore(wait, leave);
                      });
             });
    };
    isOrdered = covers(producer, first) && covers(consumers.front(), second);
  });
  if (isOrdered)
    return success();
  InFlightDiagnostic diagnostic = second.getEnter()->emitOpError(
      "expected an order channel (without buffers) around the waits of two "
      "consumers, acquired and committed by the first, waited for and released "
      "by the second: without turns a wait may see the phase before the last");
  diagnostic.attachNote(first.getEnter()->getLoc())
      << "the first consumer waits here";
  return diagnostic;
}

/// The iterations that a producer has had after its loops; null without loops.
static Value findTotal(Operation *acquire) {
  Value count = getIteration(acquire);
  for (Operation *outer = acquire->getParentOp(); !isa<KernelOp>(outer);
       outer = outer->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(outer);
    if (!loop)
      continue;
    unsigned index = cast<BlockArgument>(count).getArgNumber() - 1;
    if (!loop->getParentOfType<scf::ForOp>())
      return loop.getResult(index);
    count = loop.getInitArgs()[index];
  }
  return {};
}

/// What arrives when the tensor core is done arrives in all CTAs of a cluster:
/// each producer waits for it after its last slot, before the CTA may end.
static LogicalResult verifyReleased(CreateChannelOp create,
                                    Operation *acquire) {
  SmallVector<Operation *, 2> waits;
  create->getParentOfType<KernelOp>().walk([&](WaitReleasedOp wait) {
    if (wait.getChannel() == create.getChannel())
      waits.push_back(wait);
  });
  if (waits.size() > 1)
    return expectOne(waits, "bsmm.wait_released");
  if (waits.empty()) {
    if (!create.getCluster() ||
        create.getConsumer().getKind() != ArrivalKind::MmaCommit)
      return success();
    return acquire->emitOpError(
        "expected a bsmm.wait_released after the producer's last slot: the "
        "tensor cores of all CTAs of the cluster arrive at the barriers of "
        "each, which may not end before");
  }
  auto found = cast<WaitReleasedOp>(waits.front());
  Value total = findTotal(acquire);
  if (total ? found.getIteration() != total
            : !isSum(found.getIteration(), getIteration(acquire), 1))
    return found.emitOpError("expected the number of iterations that the "
                             "producer has had, which its outermost loop "
                             "counts");
  Operation *before = acquire;
  if (total)
    before = total.getDefiningOp();
  if (before->getBlock() != found->getBlock() ||
      !before->isBeforeInBlock(found))
    return found.emitOpError("expected after the producer's last slot, by the "
                             "same thread");
  return success();
}

static LogicalResult verifyChannel(CreateChannelOp create) {
  // A loop that never runs takes its whole protocol with it.
  if (llvm::all_of(create.getChannel().getUsers(),
                   [](Operation *user) { return isa<AllocOp>(user); }))
    return success();
  Side producer;
  SmallVector<Side> consumers;
  findSides(create, producer, consumers);
  if (failed(verifySide(create, producer, create.getProducer(), "acquire",
                        "commit")))
    return failure();
  Operation *acquire = producer.getEnter();
  if (create.getProducer().getKind() == ArrivalKind::Transaction &&
      failed(verifyCopies(create, cast<AcquireOp>(acquire))))
    return failure();
  if (failed(verifyNoOtherCopies(create, acquire)))
    return failure();
  FailureOr<Schedule> produced = findSchedule(acquire);
  if (create.getCluster() && succeeded(produced) &&
      failed(verifyCluster(create, acquire, *produced)))
    return failure();
  if (succeeded(produced) && (failed(verifyUses(acquire, *produced)) ||
                              failed(verifyReleased(create, acquire))))
    return failure();
  bool isOrder = create.getChannel().getType().getBuffers().empty();
  if (consumers.size() > 2 || (isOrder && consumers.size() != 1))
    return consumers.back().enters.empty()
               ? create.emitOpError("expected at most two consumers")
               : consumers.back().getEnter()->emitOpError("expected ")
                     << (isOrder ? "one consumer of an order channel"
                                 : "at most two consumers of a channel");
  // What is drained after a release is over when the next slot is released only
  // if the same threads do both.
  if (create.getOverlap() && consumers.size() != 1)
    return create.emitOpError("expected one consumer of a channel whose slots "
                              "share columns");
  for (auto [number, consumer] : llvm::enumerate(consumers)) {
    FailureOr<LateConsumer> late = failure();
    if (!isOrder && LateConsumer::isLate(consumer)) {
      late = LateConsumer::match(consumer);
      if (failed(late) ||
          failed(late->verify(create.getConsumer(),
                              create.getChannel().getType().getSlots())))
        return failure();
    } else if (failed(verifySide(create, consumer, create.getConsumer(), "wait",
                                 "release"))) {
      return failure();
    }
    Operation *wait = consumer.getEnter();
    if (failed(verifyWarps(create, producer, consumer)))
      return failure();
    FailureOr<Schedule> consumed =
        succeeded(late) ? late->findSchedule()
                        : findSchedule(wait, int64_t(consumers.size()));
    if (failed(verifyAhead(create, acquire, produced, wait, consumed)))
      return failure();
    // The roles of an order channel may have every other trip.
    if (isOrder && succeeded(produced) && succeeded(consumed) &&
        isSecondOfTwo(*produced, *consumed))
      continue;
    if (failed(verifySchedules(acquire, wait, produced, consumed, number,
                               consumers.size())))
      return failure();
  }
  if (failed(verifyOver(create, consumers)))
    return failure();
  if (consumers.size() == 1)
    return success();
  return success(succeeded(verifyWarps(create, consumers[0], consumers[1])) &&
                 succeeded(verifyTurns(create, consumers[0], consumers[1])));
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
