//===- Barriers.cpp - CTA, cluster and warp barriers, fences ----*- C++ -*-===//
//
// PTX ISA, "bar, barrier", "barrier.cluster", "bar.warp.sync", "membar,
// fence", "griddepcontrol", "setmaxnreg".
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Tcgen05.h"

#include <algorithm>

namespace bsmm::emulator {

void registerMbarriers(OpTable &table);

//===----------------------------------------------------------------------===//
// CTA barriers
//===----------------------------------------------------------------------===//

void Machine::checkNamedBarrier(Cta &cta, uint32_t id) {
  NamedBarrier &barrier = cta.named[id];
  if (barrier.arrived == 0)
    return;
  uint32_t wanted = barrier.sized ? barrier.expected : cta.liveThreads;
  if (barrier.arrived < wanted)
    return;
  Knowledge knowledge = std::move(barrier.knowledge);
  uint32_t trueThreads = barrier.trueThreads;
  uint32_t voters = barrier.voters;
  uint64_t generation = barrier.generation;
  uint32_t line = barrier.lastLine;
  std::vector<Agent> arrived = std::move(barrier.arriving);
  barrier = NamedBarrier();
  barrier.generation = generation + 1;
  barrier.lastLine = line;
  ++changes;
  for (auto &warp : cta.warps) {
    uint32_t woken = 0;
    for (Split &split : warp->splits) {
      if (split.dead || split.wait != WaitKind::NamedBarrier ||
          split.waitId != id)
        continue;
      split.wait = WaitKind::Ready;
      split.resumed = true;
      split.waitPhase = uint64_t(trueThreads) << 32 | voters;
      woken |= split.mask;
    }
    if (woken != 0) {
      learn(*warp, woken, knowledge);
      synchroniseLanes(*warp, woken);
      warp->needsTensorFence = true;
      barrier.participants.push_back(
          {warp->firstAgent, warp->sequence[AgentThreads]});
    } else if (std::find(arrived.begin(), arrived.end(), warp->firstAgent) !=
               arrived.end()) {
      // bar.arrive: it may be used again by those who know that it is over.
      barrier.participants.push_back({warp->firstAgent, ~0u});
    }
  }
}

/// A barrier must not be used again by others before its last use is over, as
/// far as they know: threads would be counted for the wrong one.
static void checkReuse(Exec &x, const Inst &i, NamedBarrier &barrier,
                       uint32_t id, int lane) {
  Warp &warp = *x.warp;
  if (barrier.participants.empty())
    return;
  for (auto &[agent, clock] : barrier.participants)
    if (agent == warp.firstAgent || knownTo(warp, lane).all.get(agent) >= clock)
      return;
  x.error(i, "barrier-reuse",
          "barrier " + std::to_string(id) +
              " is used again, by a warp that does not know that its use at "
              "line " +
              std::to_string(barrier.lastLine) + " is over",
          lane);
}

/// a: 0 sync, 1 arrive, 2 red.popc, 3 red.and, 4 red.or; b: aligned;
/// o[0] id, o[1] threads, o[2] result, o[3] predicate.
static Step execBarrier(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  Split &split = x.current();
  int first = __builtin_ctz(mask);
  if (split.resumed) {
    split.resumed = false;
    m.observeNamed(*x.warp, split.waitId, split.waitUse, false);
    uint32_t trueThreads = static_cast<uint32_t>(split.waitPhase >> 32);
    uint32_t voters = static_cast<uint32_t>(split.waitPhase);
    if (i.a == 2)
      forLanes(mask,
               [&](int lane) { x.r<uint32_t>(i.o[2])[lane] = trueThreads; });
    if (i.a >= 3) {
      bool value = i.a == 3 ? trueThreads == voters : trueThreads != 0;
      uint32_t &predicate = *x.r<uint32_t>(i.o[2]);
      predicate = value ? predicate | mask : predicate & ~mask;
    }
    return Step::Next;
  }
  uint32_t id = x.r<uint32_t>(i.o[0])[first];
  if (id >= 16)
    return x.fatal(i, "barrier-id",
                   "barriers are numbered 0 to 15, got " + std::to_string(id),
                   first);
  bool sized = i.o[1] != NoOperand;
  NamedBarrier &barrier = x.cta->named[id];
  if (barrier.arrived != 0 && barrier.sized != sized)
    return x.fatal(i, "barrier-count",
                   "barrier " + std::to_string(id) +
                       " is used with and without a thread count at once",
                   first);
  if (sized) {
    uint32_t threads = x.r<uint32_t>(i.o[1])[first];
    if (threads == 0 || threads % 32 != 0 ||
        threads > (m.threadsPerCta + 31) / 32 * 32)
      return x.fatal(i, "barrier-count",
                     "a barrier takes a multiple of 32 threads up to the " +
                         std::to_string(m.threadsPerCta) + " of the CTA, got " +
                         std::to_string(threads),
                     first);
    if (barrier.arrived != 0 && barrier.expected != threads)
      return x.fatal(i, "barrier-count",
                     "barrier " + std::to_string(id) + " waits for " +
                         std::to_string(barrier.expected) +
                         " threads, here for " + std::to_string(threads),
                     first);
    barrier.expected = threads;
  }
  if (x.machine->options->checkHazards)
    checkReuse(x, i, barrier, id, first);
  if (std::find(barrier.arriving.begin(), barrier.arriving.end(),
                x.warp->firstAgent) == barrier.arriving.end())
    barrier.arriving.push_back(x.warp->firstAgent);
  barrier.lastLine = i.line;
  barrier.sized = sized;
  m.observeNamed(*x.warp, id, barrier.generation, true);
  barrier.arrived +=
      sized && i.b ? 32 : static_cast<uint32_t>(__builtin_popcount(mask));
  if (i.a >= 2) {
    uint32_t votes = *x.r<uint32_t>(i.o[3]);
    if (i.c)
      votes = ~votes;
    barrier.trueThreads +=
        static_cast<uint32_t>(__builtin_popcount(votes & mask));
    barrier.voters += static_cast<uint32_t>(__builtin_popcount(mask));
  }
  m.publish(*x.warp, mask, barrier.knowledge);
  beforeThreadSync(x, i, "a barrier");
  m.release(*x.warp);
  ++m.changes;
  if (sized && barrier.arrived > barrier.expected)
    return x.fatal(i, "barrier-count",
                   std::to_string(barrier.arrived) +
                       " threads arrive at barrier " + std::to_string(id) +
                       " for " + std::to_string(barrier.expected),
                   first);
  if (i.a == 1) {
    m.checkNamedBarrier(*x.cta, id);
    return Step::Next;
  }
  split.wait = WaitKind::NamedBarrier;
  split.waitId = id;
  split.waitUse = barrier.generation;
  m.checkNamedBarrier(*x.cta, id);
  // The last one to come goes on at once, through `resumed`.
  return Step::Blocked;
}

static bool decodeBarrier(Decoder &d, bool isBar) {
  Inst &i = d.inst;
  d.take("cta");
  bool aligned = d.take("aligned") || isBar;
  int op = d.takeOne({"sync", "arrive", "red"});
  if (op < 0)
    return d.fail("expected .sync, .arrive or .red");
  i.a = static_cast<uint8_t>(op);
  i.b = aligned;
  i.fn = execBarrier;
  if (aligned)
    i.together = Together::Aligned;
  size_t first = 0;
  if (op == 2) {
    int reduction = d.takeOne({"popc", "and", "or"});
    if (reduction < 0)
      return d.fail("expected .popc, .and or .or");
    i.a = static_cast<uint8_t>(2 + reduction);
    d.takeType();
    if (!d.count(3, 4))
      return false;
    i.o[2] = d.destination(0, reduction == 0 ? Ty::U32 : Ty::Pred);
    i.o[3] = d.source(d.operandCount() - 1, Ty::Pred);
    first = 1;
    i.o[0] = d.source(1, Ty::U32);
    if (d.operandCount() == 4)
      i.o[1] = d.source(2, Ty::U32);
    return !d.failed();
  }
  if (!d.count(first + 1, first + 2))
    return false;
  i.o[0] = d.source(first, Ty::U32);
  if (d.operandCount() > first + 1)
    i.o[1] = d.source(first + 1, Ty::U32);
  else if (op == 1)
    return d.fail("bar.arrive needs a thread count");
  return !d.failed();
}

static Step execWarpSync(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t members = x.r<uint32_t>(i.memberMask)[__builtin_ctz(mask)] & mask;
  x.machine->synchroniseLanes(*x.warp, members);
  return Step::Next;
}

static bool decodeWarpSync(Decoder &d) {
  Inst &i = d.inst;
  if (!d.count(1, 1))
    return false;
  i.fn = execWarpSync;
  i.together = Together::MemberMask;
  i.memberMask = d.source(0, Ty::B32);
  return !d.failed();
}

//===----------------------------------------------------------------------===//
// Cluster barriers
//===----------------------------------------------------------------------===//

void Machine::checkClusterBarrier(Cluster &cluster) {
  if (cluster.barrierArrived == 0 ||
      cluster.barrierArrived < cluster.liveThreads)
    return;
  cluster.barrierArrived = 0;
  ++cluster.barrierGeneration;
  cluster.barrierCompleted = cluster.barrierKnowledge;
  ++changes;
  for (auto &cta : cluster.ctas)
    for (auto &warp : cta->warps) {
      warp->clusterPending = 0;
      for (Split &split : warp->splits)
        if (!split.dead && split.wait == WaitKind::ClusterBarrier)
          split.wait = WaitKind::Ready;
    }
}

static Step execClusterArrive(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  Cluster &cluster = *x.cluster;
  Warp &warp = *x.warp;
  // Also where the phase of the first arrival is complete by now.
  if ((warp.clusterArrived & mask) != 0)
    return x.fatal(i, "cluster-barrier",
                   "arrives twice at the cluster barrier without waiting",
                   __builtin_ctz(warp.clusterArrived & mask));
  warp.clusterPending |= mask;
  warp.clusterArrived |= mask;
  forLanes(mask, [&](int lane) {
    warp.clusterGeneration[lane] = cluster.barrierGeneration;
  });
  cluster.barrierArrived += static_cast<uint32_t>(__builtin_popcount(mask));
  m.observeCluster(warp, cluster.barrierGeneration, true);
  if (i.a)
    m.publish(warp, mask, cluster.barrierKnowledge);
  else
    cluster.barrierKnowledge.join(warp.released);
  beforeThreadSync(x, i, "a barrier");
  m.release(warp);
  ++m.changes;
  m.checkClusterBarrier(cluster);
  return Step::Next;
}

static Step execClusterWait(Exec &x, const Inst &i, uint32_t mask) {
  Cluster &cluster = *x.cluster;
  Warp &warp = *x.warp;
  if ((mask & ~warp.clusterArrived) != 0)
    return x.fatal(i, "cluster-barrier",
                   "waits at the cluster barrier without having arrived: all "
                   "threads would wait for this one",
                   __builtin_ctz(mask & ~warp.clusterArrived));
  bool complete = true;
  forLanes(mask, [&](int lane) {
    complete &= warp.clusterGeneration[lane] < cluster.barrierGeneration;
  });
  if (!complete) {
    x.current().wait = WaitKind::ClusterBarrier;
    return Step::Blocked;
  }
  warp.clusterArrived &= ~mask;
  x.machine->observeCluster(warp, warp.clusterGeneration[__builtin_ctz(mask)],
                            false);
  x.machine->learn(warp, mask, cluster.barrierCompleted);
  warp.needsTensorFence = true;
  return Step::Next;
}

static bool decodeCluster(Decoder &d) {
  Inst &i = d.inst;
  if (d.take("aligned"))
    i.together = Together::Aligned;
  bool arrive = d.take("arrive");
  bool wait = d.take("wait");
  if (arrive == wait)
    return d.fail("expected .arrive or .wait");
  i.a = !d.take("relaxed");
  d.takeOne({"release", "acquire"});
  i.fn = arrive ? execClusterArrive : execClusterWait;
  return d.count(0, 0);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// A fence is for what its own thread did, or has learnt of from others.
static void fenceInitialisations(Exec &x, uint32_t mask) {
  const Warp &warp = *x.warp;
  for (auto &[offset, barrier] : x.cta->mbarriers)
    forLanes(mask, [&, &init = barrier](int lane) {
      if (init.initWarp != &warp)
        init.initFenced |=
            knownTo(warp, lane).all.get(init.initWarp->firstAgent) >=
            init.initClock;
      else
        init.initFenced |=
            lane == init.initLane ||
            init.initClock < warp.laneKnown[static_cast<size_t>(lane)];
    });
}

static Step execProxyFence(Exec &x, const Inst &, uint32_t mask) {
  Warp &warp = *x.warp;
  fenceInitialisations(x, mask);
  warp.knowledge.fenced.join(warp.knowledge.all);
  if (warp.own)
    forLanes(mask, [&](int lane) {
      Knowledge &own = (*warp.own)[static_cast<size_t>(lane)];
      own.fenced.join(own.all);
    });
  x.machine->release(warp);
  return Step::Next;
}

static Step execFence(Exec &x, const Inst &, uint32_t mask) {
  x.machine->fence(*x.warp, mask);
  return Step::Next;
}

static Step execMbarrierInitFence(Exec &x, const Inst &, uint32_t mask) {
  x.machine->fence(*x.warp, mask);
  fenceInitialisations(x, mask);
  return Step::Next;
}

static bool decodeFence(Decoder &d) {
  Inst &i = d.inst;
  i.fn = execNothing;
  bool proxy = d.take("proxy");
  if (d.take("mbarrier_init")) {
    i.fn = execMbarrierInitFence;
    d.take("release");
    d.takeOne({"cluster", "cta"});
    return d.count(0, 0);
  }
  if (!proxy) {
    d.takeOne({"sc", "acq_rel", "acquire", "release"});
    d.takeOne({"cta", "cluster", "gpu", "sys", "gl"});
    d.takePrefix("sync_restrict::");
    i.fn = execFence;
    return d.count(0, 0);
  }
  if (d.take("async")) {
    d.takeOne({"global", "shared::cta", "shared::cluster"});
    i.fn = execProxyFence;
    return d.count(0, 0);
  }
  if (!d.takePrefix("async::generic").empty()) {
    d.takeOne({"acquire", "release"});
    d.takePrefix("sync_restrict::");
    d.takeOne({"cta", "cluster"});
    i.fn = execProxyFence;
    return d.count(0, 0);
  }
  if (!d.takePrefix("tensormap::generic").empty()) {
    bool acquire = d.take("acquire");
    d.take("release");
    d.takeOne({"cta", "cluster", "gpu", "sys"});
    if (!acquire)
      return d.count(0, 0);
    int64_t size;
    if (!d.count(2, 2) || !d.address(d.operand(0), Space::Generic, i.addr[0]) ||
        !d.immediate(d.operand(1), size))
      return false;
    if (size != 128)
      return d.fail("expected the size 128, got " + std::to_string(size));
    return true;
  }
  if (d.takeOne({"alias"}) >= 0)
    return d.count(0, 0);
  return d.fail("unknown proxy fence");
}

/// The grids before have run by then; whoever synchronises with the lanes
/// knows.
static Step execGridWait(Exec &x, const Inst &, uint32_t mask) {
  if (x.machine->options->checkHazards)
    x.machine->learnClock(*x.warp, mask, GridsBefore, 1);
  return Step::Next;
}

static bool decodeNothing(Decoder &d) {
  d.inst.fn = execNothing;
  return true;
}

//===----------------------------------------------------------------------===//
// Register pools
//===----------------------------------------------------------------------===//

static Step execSetmaxnreg(Exec &x, const Inst &i, uint32_t) {
  Warp &warp = *x.warp;
  uint32_t wanted = static_cast<uint32_t>(i.imm);
  uint32_t have = warp.registersPerThread;
  if (i.a) {
    // inc waits until the CTA has the registers.
    if (wanted > have) {
      uint32_t more = (wanted - have) * 32;
      if (more > x.cta->registerPool) {
        x.current().wait = WaitKind::RegisterPool;
        return Step::Blocked;
      }
      x.cta->registerPool -= more;
    }
    warp.registersPerThread = std::max(have, wanted);
    return Step::Next;
  }
  if (wanted > have) {
    x.error(i, "setmaxnreg",
            "setmaxnreg.dec to " + std::to_string(wanted) +
                " registers, but a thread has only " + std::to_string(have));
    return Step::Next;
  }
  x.cta->registerPool += (have - wanted) * 32;
  warp.registersPerThread = wanted;
  ++x.machine->changes;
  x.machine->wake(*x.cluster, WaitKind::RegisterPool, 0, 0);
  return Step::Next;
}

static bool decodeSetmaxnreg(Decoder &d) {
  Inst &i = d.inst;
  int op = d.takeOne({"dec", "inc"});
  d.take("sync");
  d.take("aligned");
  d.take("u32");
  int64_t value;
  if (op < 0 || !d.count(1, 1) || !d.immediate(d.operand(0), value))
    return d.fail("expected .inc or .dec and a register count");
  if (value < 24 || value > 256 || value % 8 != 0)
    return d.fail("expected 24 to 256 registers in steps of 8, got " +
                  std::to_string(value));
  i.a = static_cast<uint8_t>(op);
  i.imm = value;
  i.fn = execSetmaxnreg;
  i.together = Together::Aligned;
  return true;
}

void registerBarriers(OpTable &table) {
  table["bar"] = [](Decoder &d) { return decodeBarrier(d, true); };
  table["barrier"] = [](Decoder &d) { return decodeBarrier(d, false); };
  table["bar.warp.sync"] = decodeWarpSync;
  table["barrier.cluster"] = decodeCluster;
  table["fence"] = decodeFence;
  table["membar"] = decodeFence;
  table["griddepcontrol"] = [](Decoder &d) {
    int which = d.takeOne({"launch_dependents", "wait"});
    if (which < 0)
      return d.fail("expected .launch_dependents or .wait");
    d.function.controlsGrids = true;
    d.inst.fn = which == 0 ? execNothing : execGridWait;
    return d.count(0, 0);
  };
  table["nanosleep"] = [](Decoder &d) {
    d.take("u32");
    d.source(0, Ty::U32);
    return decodeNothing(d) && !d.failed();
  };
  table["setmaxnreg"] = decodeSetmaxnreg;
  registerMbarriers(table);
}

} // namespace bsmm::emulator
