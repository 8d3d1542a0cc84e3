//===- Scheduler.cpp - Which lanes run when ---------------------*- C++ -*-===//
//
// Splits run until they wait or their quantum is over. Pending asynchronous
// operations take effect early, at random, or only when nothing else can run,
// as the mode says. When even that frees nobody, the run is a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace bsmm::emulator {

/// Warp instructions without any effect after which a run is stuck.
constexpr uint64_t IdleLimit = 50'000'000;
/// ... after which polls are taken for waiting.
constexpr uint64_t IdlePatience = 20'000;

static bool registerHazards(Exec &x, const Inst &i, uint32_t mask);

/// Lanes that must run `i` together with the lanes `mask` of the split.
static uint32_t neededLanes(Exec &x, const Inst &i, uint32_t mask) {
  if (i.together == Together::Aligned)
    return x.warp->alive;
  uint32_t first = static_cast<uint32_t>(__builtin_ctz(mask));
  return x.r<uint32_t>(i.memberMask)[first] & x.warp->alive;
}

/// Merges split `other` into `into`; both are at the same pc.
static void mergeSplits(Machine &m, Warp &warp, uint32_t into, uint32_t other) {
  Split from = warp.splits[other];
  warp.splits[other].dead = true;
  Split &to = warp.splits[into];
  if (from.join != to.join) {
    // The lowest join that both are under.
    std::vector<int> ancestors;
    for (int j = to.join; j >= 0; j = warp.joins[static_cast<size_t>(j)].parent)
      ancestors.push_back(j);
    int common = from.join;
    while (common >= 0 && std::find(ancestors.begin(), ancestors.end(),
                                    common) == ancestors.end())
      common = warp.joins[static_cast<size_t>(common)].parent;
    int toJoin = to.join;
    uint32_t toMask = to.mask;
    m.leaveJoins(warp, from.join, common, from.mask);
    m.leaveJoins(warp, toJoin, common, toMask);
    warp.splits[into].join = common;
    warp.splits[into].joinPc =
        common < 0 ? NoOperand : warp.joins[static_cast<size_t>(common)].pc;
  }
  warp.splits[into].mask |= from.mask;
}

/// Brings the lanes together that `i` needs. False: the split must wait.
static bool gather(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  Warp &warp = *x.warp;
  if (mask != x.current().mask) {
    // Lanes whose predicate is false go on; they meet behind the instruction.
    Split rest = x.current();
    int join = m.newJoin(warp, x.pc + 1, rest.mask, rest.join, rest.returns);
    Split &own = x.current();
    own.join = join;
    own.joinPc = x.pc + 1;
    uint32_t skipped = rest.mask & ~mask;
    own.mask = mask;
    m.arriveJoin(warp, join, skipped);
  }
  uint32_t need = neededLanes(x, i, mask);
  uint32_t have = mask;
  for (const Split &split : warp.splits)
    if (!split.dead && split.wait == WaitKind::Together && split.pc == x.pc)
      have |= split.mask;
  if ((have & need) == need) {
    for (uint32_t k = 0; k < warp.splits.size(); ++k)
      if (k != x.split && !warp.splits[k].dead &&
          warp.splits[k].wait == WaitKind::Together &&
          warp.splits[k].pc == x.pc && (warp.splits[k].mask & need) != 0)
        mergeSplits(m, warp, x.split, k);
    return true;
  }
  x.current().wait = WaitKind::Together;
  return false;
}

void Machine::runSplit(Warp &warp, uint32_t index, uint32_t quantum) {
  Exec x;
  x.machine = this;
  x.warp = &warp;
  x.cta = warp.cta;
  x.cluster = warp.cta->cluster;
  x.regs = warp.regs;
  x.split = index;
  const Inst *code = module->code.data();
  uint64_t limit = instructionLimit;
  const bool tracing = !options->traceFile.empty();
  const bool observing = options->observer != nullptr;
  while (quantum-- != 0 && !stopped) {
    Split &split = warp.splits[index];
    x.pc = split.pc;
    const Inst &i = code[x.pc];
    uint32_t mask = split.mask;
    ++instructions;
    ++warp.instructions;
    if (i.pred != NoOperand) {
      uint32_t predicate = *x.r<uint32_t>(i.pred);
      mask &= i.predNegated ? ~predicate : predicate;
      if (mask == 0) {
        if (observing)
          observeInstruction(warp, x.pc, 0);
        split.pc = x.pc + 1;
        if (split.pc == split.joinPc) {
          moveSplit(warp, index, split.pc);
          return;
        }
        continue;
      }
    }
    if (i.together != Together::Alone &&
        (mask & neededLanes(x, i, mask)) != neededLanes(x, i, mask)) {
      if (!gather(x, i, mask)) {
        if (tracing)
          traceWait(warp, index, x.pc);
        return;
      }
      mask = warp.splits[index].mask;
    }
    report.statistics.threadInstructions +=
        static_cast<uint32_t>(__builtin_popcount(mask));
    if (!warp.hazards.empty() && !i.isTensor && !registerHazards(x, i, mask)) {
      stopped = true;
      return;
    }
    if (i.writesWgmma)
      warp.wgmmaFenced = false;
    if (limit != 0 && instructions > limit) {
      x.fatal(i, "instruction-limit",
              "the limit of " + std::to_string(options->maxInstructions) +
                  " warp instructions is reached");
      return;
    }
    Step step = i.fn(x, i, mask);
    if (observing && step != Step::Blocked)
      observeInstruction(warp, x.pc, mask);
    if (tracing) {
      if (step == Step::Blocked || step == Step::Waiting ||
          (step == Step::Jumped && index < warp.splits.size() &&
           warp.splits[index].wait != WaitKind::Ready)) {
        traceWait(warp, index, x.pc);
      } else {
        traceWaitEnd(warp, index);
        if (i.traced)
          traceInstruction(warp, x.pc);
      }
    }
    switch (step) {
    case Step::Next: {
      Split &after = warp.splits[index];
      after.pc = x.pc + 1;
      if (after.pc == after.joinPc) {
        moveSplit(warp, index, after.pc);
        return;
      }
      break;
    }
    case Step::Jumped:
      if (warp.splits[index].dead)
        return;
      if (warp.splits[index].wait != WaitKind::Ready)
        return;
      break;
    case Step::Blocked:
      return;
    case Step::Waiting:
      warp.splits[index].skipWaited = true;
      return;
    case Step::Exited:
      return;
    case Step::Failed:
      stopped = true;
      return;
    }
  }
}

/// Reports uses of registers that an asynchronous operation owns.
static bool registerHazards(Exec &x, const Inst &i, uint32_t mask) {
  Warp &warp = *x.warp;
  const std::vector<uint32_t> &lists = x.machine->module->lists;
  auto check = [&](uint32_t offset, bool isWrite) {
    auto range = warp.hazards.equal_range(offset);
    for (auto it = range.first; it != range.second; ++it) {
      const RegisterHazard &hazard = it->second;
      if (!isWrite && (hazard.isRead || !hazard.fromWgmma))
        continue;
      std::string name = x.machine->module->registerName(offset);
      x.error(i, hazard.fromWgmma ? "wgmma-register" : "tcgen05-ld-register",
              std::string(isWrite ? "writes " : "reads ") + name +
                  (hazard.fromWgmma
                       ? " which the wgmma.mma_async of line " +
                             std::to_string(hazard.line) +
                             " may still use: wgmma.wait_group is missing"
                       : " which the tcgen05.ld of line " +
                             std::to_string(hazard.line) +
                             " may still write: tcgen05.wait::ld is missing"),
              __builtin_ctz(mask));
      return;
    }
  };
  for (uint32_t k = 0; k < i.usesCount; ++k)
    check(lists[i.uses + k], false);
  for (uint32_t k = 0; k < i.defsCount; ++k)
    check(lists[i.defs + k], true);
  return !x.machine->stopped;
}

//===----------------------------------------------------------------------===//
// Waking
//===----------------------------------------------------------------------===//

void Machine::wake(Cluster &cluster, WaitKind kind, uint32_t id,
                   uint32_t address) {
  for (auto &cta : cluster.ctas)
    for (auto &warp : cta->warps)
      for (uint32_t k = 0; k < warp->splits.size(); ++k) {
        Split &split = warp->splits[k];
        if (split.dead || split.wait != kind)
          continue;
        if (kind == WaitKind::Mbarrier && split.waitAddress != address)
          continue;
        if (kind == WaitKind::NamedBarrier &&
            (split.waitId != id || split.waitAddress != address))
          continue;
        split.wait = WaitKind::Ready;
        if (split.skipWaited) {
          split.skipWaited = false;
          traceWaitEnd(*warp, k);
          moveSplit(*warp, k, split.pc + 1);
        }
      }
}

void Machine::wakeSpinners(Cluster &cluster) {
  wake(cluster, WaitKind::Spin, 0, 0);
}

//===----------------------------------------------------------------------===//
// Stalls
//===----------------------------------------------------------------------===//

/// Nothing can run. Lets something happen that was put off; false when there
/// is nothing left.
bool Machine::resolveStall() {
  // 1. What a waiting thread needs. Of very many operations, as the lanes of
  // st.async make, some together: it goes on only when all of them are done.
  for (auto &cluster : active) {
    std::vector<uint32_t> waiting;
    for (auto &cta : cluster->ctas)
      for (auto &warp : cta->warps)
        for (Split &split : warp->splits)
          if (!split.dead && split.wait == WaitKind::Mbarrier)
            waiting.push_back(split.waitAddress);
    if (waiting.empty())
      continue;
    std::unordered_map<uint32_t, std::vector<std::shared_ptr<AsyncOp>>> needed;
    for (uint32_t address : waiting)
      needed[address];
    for (auto &op : cluster->pending) {
      if (op->done)
        continue;
      for (auto &[cta, offset] : op->barriers) {
        auto found = needed.find(cta->rank << SharedRankShift | offset);
        if (found != needed.end())
          found->second.push_back(op);
      }
    }
    if (options->mode == AsyncMode::Random)
      std::shuffle(waiting.begin(), waiting.end(), random);
    for (uint32_t address : waiting) {
      auto &ops = needed[address];
      if (ops.empty())
        continue;
      for (size_t k = 0, count = (ops.size() + 15) / 16; k < count; ++k) {
        std::swap(ops[k], ops[k + random() % (ops.size() - k)]);
        force(*cluster, ops[k]);
      }
      return true;
    }
  }
  // 2. Another cluster, which this one may wait for.
  if (nextCluster < clusterCount &&
      active.size() < options->maxResidentClusters) {
    if (overlay != nullptr) {
      abandon();
      return true;
    }
    active.push_back(makeCluster(clusterAt(nextCluster++)));
    return true;
  }
  // 3. Any pending operation.
  for (auto &cluster : active)
    for (auto &op : cluster->pending)
      if (!op->done) {
        force(*cluster, op);
        return true;
      }
  return false;
}

void Machine::reportDeadlock() {
  std::string message = "deadlock: no thread can go on";
  unsigned shown = 0;
  const Cta *firstCta = nullptr;
  int firstWarp = -1;
  uint32_t firstLine = 0;
  for (auto &cluster : active)
    for (auto &cta : cluster->ctas)
      for (auto &warp : cta->warps) {
        auto add = [&](uint32_t pc, uint32_t mask, const std::string &what) {
          if (firstCta == nullptr) {
            firstCta = cta.get();
            firstWarp = static_cast<int>(warp->index);
            firstLine = module->code[pc].line;
          }
          if (++shown > 64)
            return;
          message += "; cta " + describe(*cta) + " warp " +
                     std::to_string(warp->index) + " lanes " + hex(mask) +
                     " at line " + std::to_string(module->code[pc].line) + " " +
                     what;
        };
        for (const Split &split : warp->splits) {
          if (split.dead)
            continue;
          switch (split.wait) {
          case WaitKind::Ready:
          case WaitKind::Spin:
            add(split.pc, split.mask, "polls");
            break;
          case WaitKind::Together:
            add(split.pc, split.mask,
                "waits for other lanes of its warp to execute the same " +
                    std::string(module->code[split.pc].opcode));
            break;
          case WaitKind::NamedBarrier: {
            const NamedBarrier &barrier = cta->named[split.waitId];
            add(split.pc, split.mask,
                "waits at barrier " + std::to_string(split.waitId) + " (" +
                    std::to_string(barrier.arrived) + " of " +
                    std::to_string(barrier.sized ? barrier.expected
                                                 : cta->liveThreads) +
                    " threads)");
            break;
          }
          case WaitKind::ClusterBarrier:
            add(split.pc, split.mask, "waits at the cluster barrier");
            break;
          case WaitKind::Mbarrier: {
            uint32_t offset = split.waitAddress & SharedOffsetMask;
            auto found = cta->mbarriers.find(offset);
            std::string state = "that is not initialised";
            if (found != cta->mbarriers.end())
              state = "(phase " + std::to_string(found->second.phase) + ", " +
                      std::to_string(found->second.pending) + " of " +
                      std::to_string(found->second.expected) +
                      " arrivals and " +
                      std::to_string(found->second.transactions) +
                      " bytes missing)";
            add(split.pc, split.mask,
                "waits for phase " + std::to_string(split.waitPhase) +
                    " of the mbarrier at shared memory " + hex(offset) + " " +
                    state);
            break;
          }
          case WaitKind::TensorAllocation:
            add(split.pc, split.mask, "waits for tensor memory columns");
            break;
          case WaitKind::RegisterPool:
            add(split.pc, split.mask, "waits for registers");
            break;
          }
        }
        for (const Join &join : warp->joins)
          if (join.used && join.arrived != 0)
            add(join.pc, join.arrived, "waits for diverged lanes");
      }
  if (shown > 64)
    message += "; and " + std::to_string(shown - 64) + " more";
  diagnose(Severity::Error, "deadlock", message, firstLine, firstCta, firstWarp,
           -1);
  stopped = true;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool Machine::reportProgress(uint64_t now) {
  if (!options->progress || now < nextProgress)
    return true;
  nextProgress = now + options->progressInterval;
  if (options->progress(
          finishedCtas,
          uint64_t(launch->grid.x) * launch->grid.y * launch->grid.z, now))
    return true;
  diagnose(Severity::Error, "stopped", "stopped by the caller", 0, nullptr, -1,
           -1);
  stopped = true;
  return false;
}

/// Runs the next group of clusters to its end, and those that it waits for.
void Machine::runGroup() {
  bool isRandom = options->mode == AsyncMode::Random;
  uint64_t lastChanges = changes;
  uint64_t idleSince = instructions;
  uint64_t counted = instructions;
  uint32_t wokenInVain = 0;
  groupFirst = nextCluster;
  groupInstructions = instructions;
  uint64_t end = groupEnd(groupFirst);
  // Of the group alone, so that it does the same wherever and whenever it runs.
  random.seed(options->seed ^ (groupFirst + 1) * 0x9E3779B97F4A7C15ull);
  struct Runnable {
    Cluster *cluster;
    Warp *warp;
    uint32_t split;
  };
  std::vector<Runnable> ready;
  while (!stopped) {
    // Start clusters.
    uint32_t wanted = 1;
    if (isRandom)
      wanted = 1 + static_cast<uint32_t>(random() % 3);
    while (active.size() < std::min(wanted, options->maxResidentClusters) &&
           nextCluster < end)
      active.push_back(makeCluster(clusterAt(nextCluster++)));
    if (active.empty())
      break;
    if (epoch != nullptr) {
      epoch->instructions += instructions - counted;
      counted = instructions;
      if (epoch->cancelled)
        return abandon();
    } else if (!reportProgress(instructions)) {
      return;
    }
    ready.clear();
    for (auto &cluster : active)
      for (auto &cta : cluster->ctas)
        for (auto &warp : cta->warps)
          for (uint32_t k = 0; k < warp->splits.size() && !cta->isLate; ++k)
            if (!warp->splits[k].dead &&
                warp->splits[k].wait == WaitKind::Ready)
              ready.push_back({cluster.get(), warp.get(), k});
    // Half of the random modes let one warp run for as long as it can, so that
    // others fall far behind.
    bool byPriority = isRandom && options->seed % 2 == 0;
    if (isRandom) {
      std::shuffle(ready.begin(), ready.end(), random);
      if (byPriority)
        std::stable_sort(ready.begin(), ready.end(),
                         [](const Runnable &a, const Runnable &b) {
                           return a.warp->priority > b.warp->priority;
                         });
    } else if (options->ctaOrder == CtaOrder::Descending) {
      std::reverse(ready.begin(), ready.end());
    }
    bool ran = false;
    for (const Runnable &entry : ready) {
      if (stopped)
        break;
      if (entry.split >= entry.warp->splits.size())
        continue;
      Split &split = entry.warp->splits[entry.split];
      if (split.dead || split.wait != WaitKind::Ready)
        continue;
      uint32_t quantum = 4096;
      if (isRandom)
        quantum =
            random() % 8 == 0 ? 4096 : 1 + static_cast<uint32_t>(random() % 64);
      uint64_t changesBefore = changes;
      runSplit(*entry.warp, entry.split, quantum);
      ran = true;
      if (isRandom) {
        randomEffects(*entry.cluster);
        if (byPriority) {
          // A warp without any effect may be polling for what others do.
          if (random() % 64 == 0)
            entry.warp->priority = static_cast<uint32_t>(random());
          else if (changes == changesBefore && random() % 4 == 0)
            entry.warp->priority = static_cast<uint32_t>(random() % 1024);
          break;
        }
        // Another order after a few slices.
        if (random() % 4 == 0)
          break;
      }
    }
    if (stopped)
      break;
    // Finished clusters.
    bool finished = false;
    for (size_t k = 0; k < active.size();) {
      collect(*active[k]);
      if (active[k]->liveThreads == 0) {
        finishCluster(*active[k]);
        active.erase(active.begin() + static_cast<long>(k));
        finished = true;
      } else {
        ++k;
      }
    }
    if (finished || changes != lastChanges) {
      lastChanges = changes;
      idleSince = instructions;
      wokenInVain = 0;
      for (auto &cluster : active)
        wakeSpinners(*cluster);
      if (ran)
        continue;
    }
    if (ran && instructions - idleSince < IdlePatience)
      continue;
    if (resolveStall()) {
      // An effect: threads that poll look again.
      if (changes == lastChanges)
        ++changes;
      continue;
    }
    bool begins = false;
    for (auto &cluster : active)
      for (auto &cta : cluster->ctas)
        begins |= std::exchange(cta->isLate, false);
    if (begins)
      continue;
    if (ran && wokenInVain == 0) {
      // Lanes that spin may wait for lanes that wait for them to converge, as
      // around a lock: those go on alone.
      bool broken = false;
      for (auto &cluster : active)
        for (auto &cta : cluster->ctas)
          for (auto &warp : cta->warps)
            broken |= breakJoins(*warp);
      if (broken) {
        idleSince = instructions;
        continue;
      }
      if (instructions - idleSince < IdleLimit)
        continue;
    }
    // Everything has happened that can. Suspended try_waits may return false,
    // and lanes need not wait for diverged lanes forever.
    if (wokenInVain < 3) {
      ++wokenInVain;
      bool any = false;
      for (auto &cluster : active)
        for (auto &cta : cluster->ctas)
          for (auto &warp : cta->warps) {
            if (wokenInVain >= 2)
              any |= breakJoins(*warp);
            for (Split &split : warp->splits)
              if (!split.dead && split.wait == WaitKind::Mbarrier &&
                  !split.skipWaited) {
                split.returnFalse = true;
                split.wait = WaitKind::Ready;
                any = true;
              } else if (!split.dead && split.wait == WaitKind::Spin) {
                split.wait = WaitKind::Ready;
                any = true;
              }
          }
      idleSince = instructions;
      if (any || wokenInVain < 2)
        continue;
    }
    reportDeadlock();
  }
}

} // namespace bsmm::emulator
