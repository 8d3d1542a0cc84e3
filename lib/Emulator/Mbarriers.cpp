//===- Mbarriers.cpp - mbarrier objects -------------------------*- C++ -*-===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier". A phase completes when no arrival and no transaction byte is
// missing; then the expected arrivals are set up again.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Tcgen05.h"

namespace bsmm::emulator {

constexpr int64_t MaxTransactions = (1 << 20) - 1;
/// The opaque state that an arrival returns: the phase and, above it, the
/// arrivals that were pending.
constexpr unsigned StatePhaseBits = 40;
constexpr uint64_t StatePhaseMask = (1ull << StatePhaseBits) - 1;

Mbarrier *Machine::findMbarrier(Cta &cta, uint32_t offset) {
  auto found = cta.mbarriers.find(offset);
  return found == cta.mbarriers.end() ? nullptr : &found->second;
}

void Machine::checkPhase(Cta &cta, uint32_t offset, Mbarrier &barrier,
                         uint32_t line) {
  if (barrier.pending != 0 || barrier.transactions != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.observed = false;
  barrier.completedLine = line;
  barrier.completed = barrier.current;
  barrier.completed.all.raise(
      barrier.agent, barrier.clockBase + static_cast<Clock>(barrier.phase));
  barrier.current = barrier.completed;
  ++changes;
  wake(*cta.cluster, WaitKind::Mbarrier, 0,
       cta.rank << SharedRankShift | offset);
}

void Machine::arriveMbarrier(Cta &cta, uint32_t offset, uint32_t count,
                             const Knowledge *knowledge, uint32_t line,
                             Warp *warp, int lane) {
  int warpIndex = warp ? static_cast<int>(warp->index) : -1;
  Mbarrier *barrier = findMbarrier(cta, offset);
  if (barrier == nullptr) {
    diagnose(Severity::Error, "mbarrier-uninitialised",
             "an arrival at " + hex(offset) +
                 ", where there is no initialised mbarrier",
             line, &cta, warpIndex, lane);
    return;
  }
  if (!barrier->observed)
    diagnose(Severity::Error, "mbarrier-phase-unobserved",
             "an arrival for phase " + std::to_string(barrier->phase) +
                 " of the mbarrier at " + hex(offset) +
                 " although no wait has observed phase " +
                 std::to_string(barrier->phase - 1) +
                 ", which completed at line " +
                 std::to_string(barrier->completedLine),
             line, &cta, warpIndex, lane);
  if (count > barrier->pending) {
    diagnose(Severity::Error, "mbarrier-overflow",
             std::to_string(count) + " arrivals at the mbarrier at " +
                 hex(offset) + " whose phase " +
                 std::to_string(barrier->phase) + " expects only " +
                 std::to_string(barrier->pending) + " more",
             line, &cta, warpIndex, lane);
    count = barrier->pending;
  }
  observeArrival(cta, offset, *barrier, warp);
  barrier->pending -= count;
  if (knowledge != nullptr)
    barrier->current.join(*knowledge);
  ++changes;
  checkPhase(cta, offset, *barrier, line);
}

void Machine::addTransactions(Cta &cta, uint32_t offset, int64_t bytes,
                              uint32_t line, Warp *warp, int lane) {
  int warpIndex = warp ? static_cast<int>(warp->index) : -1;
  Mbarrier *barrier = findMbarrier(cta, offset);
  if (barrier == nullptr) {
    diagnose(Severity::Error, "mbarrier-uninitialised",
             "transaction bytes for " + hex(offset) +
                 ", where there is no initialised mbarrier",
             line, &cta, warpIndex, lane);
    return;
  }
  observeArrival(cta, offset, *barrier, warp);
  barrier->transactions += bytes;
  if (barrier->transactions > MaxTransactions ||
      barrier->transactions < -MaxTransactions)
    diagnose(Severity::Error, "mbarrier-transactions",
             "the transaction count of the mbarrier at " + hex(offset) +
                 " leaves its range: " + std::to_string(barrier->transactions),
             line, &cta, warpIndex, lane);
  ++changes;
  // An expect-tx alone may bring the count to zero as well.
  checkPhase(cta, offset, *barrier, line);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Finds the CTA and offset of an mbarrier operand. Null after an error.
static Cta *barrierOperand(Exec &x, const Inst &i, const AddressRef &ref,
                           int lane, uint32_t &offset) {
  uint32_t address;
  if (!sharedAddressOf(x, ref, lane, address)) {
    x.error(i, "mbarrier-address",
            "the mbarrier address " + hex(addressOf(x, ref, lane)) +
                " is not in shared memory",
            lane);
    return nullptr;
  }
  Cta *cta = x.machine->sharedTarget(*x.cta, address, offset);
  if (cta == nullptr || offset < SharedReserved ||
      offset + 8 > x.machine->sharedEnd) {
    x.error(i, "mbarrier-address",
            "the mbarrier address " + hex(address) + " is out of range", lane);
    return nullptr;
  }
  if (offset % 8 != 0) {
    x.error(i, "mbarrier-address",
            "the mbarrier address " + hex(address) +
                " is not aligned to 8 bytes",
            lane);
    return nullptr;
  }
  if (cta != x.cta &&
      !x.machine->visit(*cta, x.machine->threadAccess(*x.warp, lane, i,
                                                      "an mbarrier operation")))
    return nullptr;
  return cta;
}

static bool ownBarrier(Exec &x, const Inst &i, const Cta *cta, int lane) {
  if (cta == x.cta)
    return true;
  x.error(i, "mbarrier-remote",
          "this operation is for mbarriers of the own CTA only", lane);
  return false;
}

static Step execInit(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    uint32_t offset;
    Cta *cta = barrierOperand(x, i, i.addr[0], lane, offset);
    if (cta == nullptr || !ownBarrier(x, i, cta, lane)) {
      failed = true;
      return;
    }
    uint32_t count = x.r<uint32_t>(i.o[0])[lane];
    if (count == 0 || count > (1u << 20) - 1) {
      x.error(i, "mbarrier-count",
              "an mbarrier expects 1 to 1048575 arrivals, got " +
                  std::to_string(count),
              lane);
      failed = true;
      return;
    }
    if (cta->mbarriers.count(offset))
      x.error(i, "mbarrier-initialised-twice",
              "there already is an mbarrier at " + hex(offset) +
                  ": mbarrier.inval is missing",
              lane);
    Mbarrier barrier;
    barrier.expected = barrier.pending = count;
    barrier.line = i.line;
    barrier.initWarp = x.warp;
    barrier.initLane = lane;
    barrier.initClock = x.warp->sequence[AgentThreads];
    barrier.agent = m.barrierAgent(*cta, offset);
    barrier.clockBase = cta->barrierAgents[offset].second;
    if (m.options->checkHazards) {
      SharedCell *cells = &cta->shadow[offset / 4];
      cells[0].flags &= static_cast<uint8_t>(~SharedCell::Barrier);
      cells[1].flags &= static_cast<uint8_t>(~SharedCell::Barrier);
      m.writeShared(*cta, offset, 8,
                    m.threadAccess(*x.warp, lane, i, "mbarrier.init"));
      cells[0].flags |= SharedCell::Barrier;
      cells[1].flags |= SharedCell::Barrier;
    }
    cta->mbarriers[offset] = std::move(barrier);
  });
  ++m.changes;
  return failed ? Step::Failed : Step::Next;
}

static Step execInval(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    uint32_t offset;
    Cta *cta = barrierOperand(x, i, i.addr[0], lane, offset);
    if (cta == nullptr || !ownBarrier(x, i, cta, lane)) {
      failed = true;
      return;
    }
    Mbarrier *barrier = m.findMbarrier(*cta, offset);
    if (barrier == nullptr) {
      x.error(i, "mbarrier-uninitialised",
              "there is no mbarrier at " + hex(offset), lane);
      return;
    }
    for (auto &op : x.cluster->pending)
      if (!op->done)
        for (auto &[target, at] : op->barriers)
          if (target == cta && at == offset)
            x.error(i, "mbarrier-in-use",
                    "the operation of line " + std::to_string(op->line) +
                        " has not completed on the mbarrier at " + hex(offset),
                    lane);
    cta->barrierAgents[offset].second =
        barrier->clockBase + static_cast<Clock>(barrier->phase) + 1;
    cta->mbarriers.erase(offset);
    if (m.options->checkHazards) {
      SharedCell *cells = &cta->shadow[offset / 4];
      cells[0].flags &= static_cast<uint8_t>(~SharedCell::Barrier);
      cells[1].flags &= static_cast<uint8_t>(~SharedCell::Barrier);
      m.writeShared(*cta, offset, 8,
                    m.threadAccess(*x.warp, lane, i, "mbarrier.inval"));
    }
  });
  ++m.changes;
  return failed ? Step::Failed : Step::Next;
}

/// a: 1 expect-tx first, b: releases, c: drops, d: has a state. o[0]: state,
/// o[1]: count or bytes.
static Step execArrive(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    uint32_t offset;
    Cta *cta = barrierOperand(x, i, i.addr[0], lane, offset);
    if (cta == nullptr) {
      failed = true;
      return;
    }
    uint32_t value = x.r<uint32_t>(i.o[1])[lane];
    Mbarrier *barrier = m.findMbarrier(*cta, offset);
    if (barrier == nullptr) {
      x.error(i, "mbarrier-uninitialised",
              "there is no initialised mbarrier at " + hex(offset), lane);
      failed = true;
      return;
    }
    if (i.d) {
      if (!ownBarrier(x, i, cta, lane)) {
        failed = true;
        return;
      }
      x.r<uint64_t>(i.o[0])[lane] =
          (barrier->phase & StatePhaseMask) | uint64_t(barrier->pending)
                                                  << StatePhaseBits;
    }
    if (i.a)
      barrier->transactions += value;
    if (i.c && barrier->expected > 0)
      --barrier->expected;
    if (m.options->checkHazards && cta == x.cta)
      m.readShared(*cta, offset, 8,
                   m.threadAccess(*x.warp, lane, i, "mbarrier.arrive"));
    m.arriveMbarrier(*cta, offset, i.a ? 1 : value,
                     i.b ? &knownTo(*x.warp, lane) : &x.warp->released, i.line,
                     x.warp, lane);
  });
  beforeThreadSync(x, i, "an arrival");
  m.release(*x.warp);
  return failed ? Step::Failed : Step::Next;
}

/// expect_tx and complete_tx. a: 1 for complete.
static Step execTransactions(Exec &x, const Inst &i, uint32_t mask) {
  bool failed = false;
  forLanes(mask, [&](int lane) {
    uint32_t offset;
    Cta *cta = barrierOperand(x, i, i.addr[0], lane, offset);
    if (cta == nullptr) {
      failed = true;
      return;
    }
    int64_t bytes = x.r<uint32_t>(i.o[1])[lane];
    if (!i.a) {
      Mbarrier *barrier = x.machine->findMbarrier(*cta, offset);
      if (barrier != nullptr)
        barrier->current.join(knownTo(*x.warp, lane));
    }
    x.machine->addTransactions(*cta, offset, i.a ? -bytes : bytes, i.line,
                               x.warp, lane);
  });
  return failed ? Step::Failed : Step::Next;
}

/// a: parity form, b: may suspend, c: acquires. o[0]: predicate, o[1]: state
/// or parity.
static Step execWait(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  Split &split = x.current();
  uint32_t result = 0;
  uint32_t waiting = 0;
  uint32_t waitOffset = 0;
  uint64_t waitPhase = 0;
  bool failed = false;
  // Lanes that succeed at the same mbarrier learn together.
  const Mbarrier *seen = nullptr;
  uint32_t learning = 0;
  auto learn = [&] {
    if (seen == nullptr)
      return;
    if (i.c)
      m.learn(*x.warp, learning, seen->completed);
    else
      x.warp->toAcquire.join(seen->completed);
  };
  forLanes(mask, [&](int lane) {
    uint32_t offset;
    Cta *cta = barrierOperand(x, i, i.addr[0], lane, offset);
    if (cta == nullptr || !ownBarrier(x, i, cta, lane)) {
      failed = true;
      return;
    }
    Mbarrier *barrier = m.findMbarrier(*cta, offset);
    if (barrier == nullptr) {
      x.error(i, "mbarrier-uninitialised",
              "waits at " + hex(offset) +
                  ", where there is no initialised mbarrier",
              lane);
      failed = true;
      return;
    }
    bool complete;
    if (i.a)
      complete = (barrier->phase & 1) != (x.r<uint32_t>(i.o[1])[lane] & 1);
    else
      complete = (x.r<uint64_t>(i.o[1])[lane] & StatePhaseMask) <
                 (barrier->phase & StatePhaseMask);
    if (!complete) {
      waiting |= 1u << lane;
      waitOffset = offset;
      waitPhase = barrier->phase;
      return;
    }
    result |= 1u << lane;
    m.observeWait(*x.warp, *cta, offset, *barrier);
    barrier->observed = true;
    if (m.options->checkHazards)
      m.readShared(*cta, offset, 8,
                   m.threadAccess(*x.warp, lane, i, "the mbarrier wait"));
    if (barrier != seen) {
      learn();
      seen = barrier;
      learning = 0;
    }
    learning |= 1u << lane;
  });
  learn();
  if (failed)
    return Step::Failed;
  if (result != 0)
    x.warp->needsTensorFence = true;
  bool giveUp =
      split.returnFalse ||
      (i.b && m.options->mode == AsyncMode::Random && m.random() % 16 == 0);
  split.returnFalse = false;
  if (i.b && waiting != 0 && result == 0 && !giveUp) {
    split.wait = WaitKind::Mbarrier;
    split.waitAddress = x.cta->rank << SharedRankShift | waitOffset;
    split.waitPhase = waitPhase;
    return Step::Blocked;
  }
  uint32_t &predicate = *x.r<uint32_t>(i.o[0]);
  predicate = (predicate & ~mask) | result;
  if (!i.b && waiting != 0 && result == 0 && ++split.failedPolls > 64) {
    // A loop around test_wait: nothing it could see changes for now.
    split.failedPolls = 0;
    split.wait = WaitKind::Mbarrier;
    split.waitAddress = x.cta->rank << SharedRankShift | waitOffset;
    split.waitPhase = waitPhase;
    return Step::Waiting;
  }
  if (result != 0)
    split.failedPolls = 0;
  return Step::Next;
}

static Step execPendingCount(Exec &x, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    x.r<uint32_t>(i.o[0])[lane] =
        static_cast<uint32_t>(x.r<uint64_t>(i.o[1])[lane] >> StatePhaseBits);
  });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static void barrierSpace(Decoder &d) {
  d.takeOne({"shared", "shared::cta", "shared::cluster"});
  d.take("b64");
}

static bool decodeInit(Decoder &d) {
  barrierSpace(d);
  d.inst.fn = execInit;
  if (!d.count(2, 2) ||
      !d.address(d.operand(0), Space::Generic, d.inst.addr[0]))
    return false;
  d.inst.o[0] = d.source(1, Ty::U32);
  return !d.failed();
}

static bool decodeInval(Decoder &d) {
  barrierSpace(d);
  d.inst.fn = execInval;
  return d.count(1, 1) &&
         d.address(d.operand(0), Space::Generic, d.inst.addr[0]);
}

static bool decodeArrive(Decoder &d, bool drops) {
  Inst &i = d.inst;
  i.a = d.take("expect_tx");
  i.c = drops;
  bool noComplete = d.take("noComplete");
  (void)noComplete;
  i.b = !d.take("relaxed");
  d.take("release");
  d.takeOne({"cta", "cluster"});
  barrierSpace(d);
  i.fn = execArrive;
  size_t first = 0;
  if (d.operand(0).kind != ptx::Operand::Kind::Address) {
    first = 1;
    if (d.operand(0).kind != ptx::Operand::Kind::Sink) {
      i.o[0] = d.destination(0, Ty::B64);
      i.d = 1;
    }
  }
  if (!d.count(first + 1, first + 2) ||
      !d.address(d.operand(first), Space::Generic, i.addr[0]))
    return false;
  if (d.operandCount() == first + 2)
    i.o[1] = d.source(first + 1, Ty::U32);
  else if (i.a)
    return d.fail("expected a number of bytes");
  else
    i.o[1] = d.constant(1, 32);
  return !d.failed();
}

static bool decodeTransactions(Decoder &d, bool complete) {
  Inst &i = d.inst;
  i.a = complete;
  d.take("relaxed");
  d.takeOne({"cta", "cluster"});
  barrierSpace(d);
  i.fn = execTransactions;
  if (!d.count(2, 2) || !d.address(d.operand(0), Space::Generic, i.addr[0]))
    return false;
  i.o[1] = d.source(1, Ty::U32);
  return !d.failed();
}

static bool decodeWait(Decoder &d, bool mayBlock) {
  Inst &i = d.inst;
  i.a = d.take("parity");
  i.b = mayBlock;
  i.c = !d.take("relaxed");
  d.take("acquire");
  d.takeOne({"cta", "cluster"});
  barrierSpace(d);
  i.fn = execWait;
  if (!d.count(3, mayBlock ? 4 : 3))
    return false;
  i.o[0] = d.destination(0, Ty::Pred);
  if (!d.address(d.operand(1), Space::Generic, i.addr[0]))
    return false;
  i.o[1] = d.source(2, i.a ? Ty::U32 : Ty::B64);
  if (d.operandCount() == 4)
    d.source(3, Ty::U32); // time limit: a hint
  return !d.failed();
}

void registerMbarriers(OpTable &table) {
  table["mbarrier.init"] = decodeInit;
  table["mbarrier.inval"] = decodeInval;
  table["mbarrier.arrive"] = [](Decoder &d) { return decodeArrive(d, false); };
  table["mbarrier.arrive_drop"] = [](Decoder &d) {
    return decodeArrive(d, true);
  };
  table["mbarrier.expect_tx"] = [](Decoder &d) {
    return decodeTransactions(d, false);
  };
  table["mbarrier.complete_tx"] = [](Decoder &d) {
    return decodeTransactions(d, true);
  };
  table["mbarrier.test_wait"] = [](Decoder &d) { return decodeWait(d, false); };
  table["mbarrier.try_wait"] = [](Decoder &d) { return decodeWait(d, true); };
  table["mbarrier.pending_count"] = [](Decoder &d) {
    d.take("b64");
    d.inst.fn = execPendingCount;
    d.inst.o[0] = d.destination(0, Ty::U32);
    d.inst.o[1] = d.source(1, Ty::B64);
    return !d.failed();
  };
}

} // namespace bsmm::emulator
