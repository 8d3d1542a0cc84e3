//===- Warp.cpp - Divergence, control flow, special registers ---*- C++ -*-===//
//
// A warp is a set of splits: lanes with one pc. A branch that diverges makes a
// join at its immediate post-dominator, where the lanes wait for each other.
// Splits are scheduled independently, so a lane that spins for another lane
// does not stop it (independent thread scheduling of sm_70 and later).
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

//===----------------------------------------------------------------------===//
// Splits and joins
//===----------------------------------------------------------------------===//

uint32_t Machine::newSplit(Warp &warp, const Split &split) {
  for (size_t i = 0; i < warp.splits.size(); ++i)
    if (warp.splits[i].dead) {
      warp.splits[i] = split;
      return static_cast<uint32_t>(i);
    }
  warp.splits.push_back(split);
  return static_cast<uint32_t>(warp.splits.size() - 1);
}

int Machine::newJoin(Warp &warp, uint32_t pc, uint32_t mask, int parent,
                     const std::vector<uint32_t> &returns) {
  Join join;
  join.pc = pc;
  join.expected = mask;
  join.parent = parent;
  join.used = true;
  join.returns = returns;
  for (size_t i = 0; i < warp.joins.size(); ++i)
    if (!warp.joins[i].used) {
      warp.joins[i] = std::move(join);
      return static_cast<int>(i);
    }
  warp.joins.push_back(std::move(join));
  return static_cast<int>(warp.joins.size() - 1);
}

void Machine::moveSplit(Warp &warp, uint32_t index, uint32_t pc) {
  Split &split = warp.splits[index];
  split.pc = pc;
  if (split.joinPc != pc)
    return;
  split.dead = true;
  arriveJoin(warp, split.join, split.mask);
}

void Machine::arriveJoin(Warp &warp, int index, uint32_t mask) {
  Join &join = warp.joins[static_cast<size_t>(index)];
  join.arrived |= mask;
  if (join.arrived == join.expected)
    releaseJoin(warp, index);
}

void Machine::releaseJoin(Warp &warp, int index) {
  Join join = warp.joins[static_cast<size_t>(index)];
  warp.joins[static_cast<size_t>(index)].used = false;
  if (join.arrived == 0)
    return;
  Split split;
  split.mask = join.arrived;
  split.join = join.parent;
  split.joinPc = join.parent < 0
                     ? NoOperand
                     : warp.joins[static_cast<size_t>(join.parent)].pc;
  split.returns = join.returns;
  uint32_t created = newSplit(warp, split);
  moveSplit(warp, created, join.pc);
}

/// Takes lanes out of the joins from `index` up to, not including, `until`.
void Machine::leaveJoins(Warp &warp, int index, int until, uint32_t mask) {
  while (index >= 0 && index != until) {
    Join &join = warp.joins[static_cast<size_t>(index)];
    int parent = join.parent;
    join.expected &= ~mask;
    if (join.expected == join.arrived)
      releaseJoin(warp, index);
    index = parent;
  }
}

void Machine::exitLanes(Warp &warp, uint32_t index, uint32_t mask) {
  int join = warp.splits[index].join;
  if (options->checkHazards)
    publish(warp, mask, warp.cta->atExit);
  warp.alive &= ~mask;
  warp.splits[index].mask &= ~mask;
  if (warp.splits[index].mask == 0)
    warp.splits[index].dead = true;
  leaveJoins(warp, join, -1, mask);
  uint32_t lanes = static_cast<uint32_t>(__builtin_popcount(mask));
  warp.cta->liveThreads -= lanes;
  warp.cta->cluster->liveThreads -= lanes;
  uint32_t arrived = warp.clusterPending & mask;
  warp.clusterPending &= ~mask;
  warp.cta->cluster->barrierArrived -=
      static_cast<uint32_t>(__builtin_popcount(arrived));
  ++changes;
  if (warp.cta->liveThreads == 0 && options->checkHazards)
    checkVisits(*warp.cta);
  // Only the issuing thread can wait for a bulk store.
  if (warp.alive == 0 && warp.lastBulkStore != 0 &&
      warp.knowledge.all.get(warp.firstAgent + AgentBulkRead) <
          warp.sequence[AgentBulkRead])
    diagnose(Severity::Error, "copy-outstanding-at-exit",
             "the bulk store may still read shared memory when the CTA exits: "
             "cp.async.bulk.wait_group.read is missing",
             warp.lastBulkStore, warp.cta, static_cast<int>(warp.index), -1);
  else if (warp.alive == 0 && warp.lastBulkStore != 0 &&
           warp.knowledge.all.get(warp.firstAgent + AgentBulkWrite) <
               warp.sequence[AgentBulkRead])
    diagnose(Severity::Strict, "bulk-store-incomplete",
             "the CTA exits while the bulk store may still write global "
             "memory: cp.async.bulk.wait_group without .read is recommended "
             "(PTX ISA, cp.async.bulk.wait_group)",
             warp.lastBulkStore, warp.cta, static_cast<int>(warp.index), -1);
  // Barriers without a thread count, and instructions for all lanes, wait for
  // threads that have not exited only.
  for (uint32_t id = 0; id < 16; ++id)
    checkNamedBarrier(*warp.cta, id);
  checkClusterBarrier(*warp.cta->cluster);
  for (Split &split : warp.splits)
    if (!split.dead && split.wait == WaitKind::Together)
      split.wait = WaitKind::Ready;
}

/// When nothing else can go on: lets lanes go that wait for lanes which may
/// themselves wait for them.
bool Machine::breakJoins(Warp &warp) {
  bool any = false;
  for (size_t i = 0; i < warp.joins.size(); ++i) {
    if (!warp.joins[i].used || warp.joins[i].arrived == 0)
      continue;
    Join copy = warp.joins[i];
    warp.joins[i].expected &= ~copy.arrived;
    warp.joins[i].arrived = 0;
    if (warp.joins[i].expected == 0)
      warp.joins[i].used = false;
    Split split;
    split.mask = copy.arrived;
    split.join = copy.parent;
    split.joinPc = copy.parent < 0
                       ? NoOperand
                       : warp.joins[static_cast<size_t>(copy.parent)].pc;
    split.returns = copy.returns;
    uint32_t created = newSplit(warp, split);
    moveSplit(warp, created, copy.pc);
    any = true;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Splits the lanes of `mask` off to `target`, the others go on behind `x.pc`.
static void diverge(Exec &x, const Inst &i, uint32_t mask, uint32_t target) {
  Machine &m = *x.machine;
  Warp &warp = *x.warp;
  uint32_t rest = warp.splits[x.split].mask & ~mask;
  if (rest == 0) {
    m.moveSplit(warp, x.split, target);
    return;
  }
  Split other = warp.splits[x.split];
  if (i.reconverge != NoOperand && other.joinPc != i.reconverge) {
    int join =
        m.newJoin(warp, i.reconverge, other.mask, other.join, other.returns);
    other.join = join;
    other.joinPc = i.reconverge;
    warp.splits[x.split].join = join;
    warp.splits[x.split].joinPc = i.reconverge;
  }
  other.mask = rest;
  warp.splits[x.split].mask = mask;
  uint32_t created = m.newSplit(warp, other);
  m.moveSplit(warp, created, x.pc + 1);
  m.moveSplit(warp, x.split, target);
}

Step execBranch(Exec &x, const Inst &i, uint32_t mask) {
  diverge(x, i, mask, i.target);
  return Step::Jumped;
}

Step execBranchIndexed(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  const uint32_t *index = x.r<uint32_t>(i.o[0]);
  uint32_t left = mask;
  bool diverged = false;
  while (left != 0) {
    uint32_t value = index[__builtin_ctz(left)];
    uint32_t same = 0;
    forLanes(left, [&](int lane) {
      if (index[lane] == value)
        same |= 1u << lane;
    });
    if (value >= i.listCount)
      return x.fatal(i, "branch-index",
                     "brx.idx index " + std::to_string(value) +
                         " is not below the " + std::to_string(i.listCount) +
                         " targets of the list",
                     __builtin_ctz(same));
    uint32_t target = x.machine->module->lists[i.list + value];
    left &= ~same;
    Warp &warp = *x.warp;
    if (warp.splits[x.split].mask == same) {
      m.moveSplit(warp, x.split, target);
      return Step::Jumped;
    }
    Split other = warp.splits[x.split];
    if (!diverged && i.reconverge != NoOperand &&
        other.joinPc != i.reconverge) {
      int join =
          m.newJoin(warp, i.reconverge, other.mask, other.join, other.returns);
      other.join = join;
      other.joinPc = i.reconverge;
      warp.splits[x.split].join = join;
      warp.splits[x.split].joinPc = i.reconverge;
    }
    diverged = true;
    other.mask = same;
    warp.splits[x.split].mask &= ~same;
    uint32_t created = m.newSplit(warp, other);
    m.moveSplit(warp, created, target);
  }
  m.moveSplit(*x.warp, x.split, x.pc + 1);
  return Step::Jumped;
}

static void copyLocals(Exec &x, uint32_t list, uint32_t count, uint32_t mask) {
  const std::vector<uint32_t> &lists = x.machine->module->lists;
  uint32_t stride = x.machine->module->localBytes;
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t *entry = &lists[list + 3 * k];
    forLanes(mask, [&](int lane) {
      uint8_t *local = x.warp->local + static_cast<size_t>(lane) * stride;
      std::memmove(local + entry[0], local + entry[1], entry[2]);
    });
  }
}

Step execCall(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  Warp &warp = *x.warp;
  if (warp.splits[x.split].returns.size() > 64)
    return x.fatal(i, "recursion", "calls are nested more than 64 deep");
  copyLocals(x, i.list, i.listCount, mask);
  Split other = warp.splits[x.split];
  // All lanes meet behind the call.
  int join = m.newJoin(warp, x.pc + 1, other.mask, other.join, other.returns);
  Split &callee = warp.splits[x.split];
  callee.join = join;
  callee.joinPc = x.pc + 1;
  callee.mask = mask;
  callee.returns.push_back(x.pc);
  callee.pc = m.module->functions[i.extra].entryPc;
  uint32_t rest = other.mask & ~mask;
  if (rest != 0)
    m.arriveJoin(warp, join, rest);
  return Step::Jumped;
}

Step execReturn(Exec &x, const Inst &, uint32_t mask) {
  Machine &m = *x.machine;
  Warp &warp = *x.warp;
  Split leaving = warp.splits[x.split];
  uint32_t rest = leaving.mask & ~mask;
  uint32_t caller = leaving.returns.back();
  const Inst &call = m.module->code[caller];
  copyLocals(x, call.list2, call.list2Count, mask);
  leaving.returns.pop_back();
  leaving.mask = mask;
  uint32_t index = x.split;
  if (rest != 0) {
    warp.splits[x.split].mask = rest;
    index = m.newSplit(warp, leaving);
    m.moveSplit(warp, x.split, x.pc + 1);
  } else {
    warp.splits[x.split] = leaving;
  }
  m.moveSplit(warp, index, caller + 1);
  return Step::Jumped;
}

Step execExit(Exec &x, const Inst &, uint32_t mask) {
  Warp &warp = *x.warp;
  bool all = warp.splits[x.split].mask == mask;
  x.machine->exitLanes(warp, x.split, mask);
  if (all)
    return Step::Exited;
  x.machine->moveSplit(warp, x.split, x.pc + 1);
  return Step::Jumped;
}

Step execTrap(Exec &x, const Inst &i, uint32_t mask) {
  return x.fatal(i, "trap", "the kernel executed trap", __builtin_ctz(mask));
}

Step execNothing(Exec &, const Inst &, uint32_t) { return Step::Next; }

//===----------------------------------------------------------------------===//
// Special registers (PTX ISA, "Special Registers")
//===----------------------------------------------------------------------===//

namespace {
struct SpecialName {
  const char *name;
  uint8_t bits;
};
const SpecialName specials[] = {{"%tid.x", 32},
                                {"%tid.y", 32},
                                {"%tid.z", 32},
                                {"%ntid.x", 32},
                                {"%ntid.y", 32},
                                {"%ntid.z", 32},
                                {"%ctaid.x", 32},
                                {"%ctaid.y", 32},
                                {"%ctaid.z", 32},
                                {"%nctaid.x", 32},
                                {"%nctaid.y", 32},
                                {"%nctaid.z", 32},
                                {"%laneid", 32},
                                {"%warpid", 32},
                                {"%nwarpid", 32},
                                {"%smid", 32},
                                {"%nsmid", 32},
                                {"%gridid", 64},
                                {"%clock", 32},
                                {"%clock64", 64},
                                {"%clock_hi", 32},
                                {"%lanemask_eq", 32},
                                {"%lanemask_le", 32},
                                {"%lanemask_lt", 32},
                                {"%lanemask_ge", 32},
                                {"%lanemask_gt", 32},
                                {"%clusterid.x", 32},
                                {"%clusterid.y", 32},
                                {"%clusterid.z", 32},
                                {"%nclusterid.x", 32},
                                {"%nclusterid.y", 32},
                                {"%nclusterid.z", 32},
                                {"%cluster_ctaid.x", 32},
                                {"%cluster_ctaid.y", 32},
                                {"%cluster_ctaid.z", 32},
                                {"%cluster_nctaid.x", 32},
                                {"%cluster_nctaid.y", 32},
                                {"%cluster_nctaid.z", 32},
                                {"%cluster_ctarank", 32},
                                {"%cluster_nctarank", 32},
                                {"%is_explicit_cluster", 1},
                                {"%globaltimer", 64},
                                {"%globaltimer_lo", 32},
                                {"%globaltimer_hi", 32},
                                {"%dynamic_smem_size", 32},
                                {"%total_smem_size", 32},
                                {"%aggr_smem_size", 32},
                                {"%reserved_smem_offset_begin", 32},
                                {"%reserved_smem_offset_end", 32},
                                {"%reserved_smem_offset_cap", 32}};
} // namespace

int specialRegisterId(std::string_view name) {
  for (size_t i = 0; i < std::size(specials); ++i)
    if (name == specials[i].name)
      return static_cast<int>(i);
  return -1;
}

uint32_t specialRegisterBits(int id) {
  return specials[static_cast<size_t>(id)].bits;
}

/// Grows from one group of clusters to the next, and doesn't depend on how long
/// earlier ones took.
static uint64_t globalTimer(const Machine &m) {
  return (m.groupFirst << 32) + (m.instructions - m.groupInstructions);
}

Step execSpecial(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  const Cta &cta = *x.cta;
  const Launch &launch = *m.launch;
  auto xyz = [](const Dim3 &dim, uint32_t k) {
    return k == 0 ? dim.x : k == 1 ? dim.y : dim.z;
  };
  Dim3 inCluster = {cta.id.x % m.clusterDim.x, cta.id.y % m.clusterDim.y,
                    cta.id.z % m.clusterDim.z};
  Dim3 clusterId = {cta.id.x / m.clusterDim.x, cta.id.y / m.clusterDim.y,
                    cta.id.z / m.clusterDim.z};
  uint32_t id = i.extra;
  if (id == 40) {
    *x.r<uint32_t>(i.o[0]) =
        m.clusterDim.x * m.clusterDim.y * m.clusterDim.z > 1 ? ~0u : 0;
    return Step::Next;
  }
  auto value = [&](uint32_t lane) -> uint64_t {
    uint32_t thread = x.warp->index * 32 + lane;
    switch (id) {
    case 0:
      return thread % launch.block.x;
    case 1:
      return thread / launch.block.x % launch.block.y;
    case 2:
      return thread / launch.block.x / launch.block.y;
    case 3:
    case 4:
    case 5:
      return xyz(launch.block, id - 3);
    case 6:
    case 7:
    case 8:
      return xyz(cta.id, id - 6);
    case 9:
    case 10:
    case 11:
      return xyz(launch.grid, id - 9);
    case 12:
      return lane;
    case 13:
      return x.warp->index;
    case 14:
      return cta.warps.size();
    case 15:
      return (x.cluster->index * cta.cluster->ctas.size() + cta.rank) % 148;
    case 16:
      return 148;
    case 17:
      return 1;
    case 18:
      return (m.instructions - m.groupInstructions) & 0xFFFFFFFFu;
    case 19:
      return m.instructions - m.groupInstructions;
    case 20:
      return (m.instructions - m.groupInstructions) >> 32;
    case 21:
      return 1u << lane;
    case 22:
      return (2ull << lane) - 1;
    case 23:
      return (1u << lane) - 1;
    case 24:
      return ~((1u << lane) - 1) & 0xFFFFFFFFu;
    case 25:
      return ~((2ull << lane) - 1) & 0xFFFFFFFFu;
    case 26:
    case 27:
    case 28:
      return xyz(clusterId, id - 26);
    case 29:
    case 30:
    case 31:
      return xyz(m.clusterGrid, id - 29);
    case 32:
    case 33:
    case 34:
      return xyz(inCluster, id - 32);
    case 35:
    case 36:
    case 37:
      return xyz(m.clusterDim, id - 35);
    case 38:
      return cta.rank;
    case 39:
      return cta.cluster->ctas.size();
    case 41:
      return globalTimer(m);
    case 42:
      return globalTimer(m) & 0xFFFFFFFFu;
    case 43:
      return globalTimer(m) >> 32;
    case 44:
      return launch.dynamicSharedBytes;
    case 45:
      return m.sharedEnd - SharedReserved;
    case 46:
      return m.sharedEnd;
    case 48:
    case 49:
      return SharedReserved;
    default:
      return 0;
    }
  };
  // Read ahead of a predicated instruction: all lanes get it.
  mask = ~0u;
  if (i.a == 64)
    forLanes(mask, [&](int lane) {
      x.r<uint64_t>(i.o[0])[lane] = value(static_cast<uint32_t>(lane));
    });
  else
    forLanes(mask, [&](int lane) {
      x.r<uint32_t>(i.o[0])[lane] =
          static_cast<uint32_t>(value(static_cast<uint32_t>(lane)));
    });
  return Step::Next;
}

} // namespace bsmm::emulator
