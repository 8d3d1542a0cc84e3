//===- Hazards.cpp - Accesses without an order ------------------*- C++ -*-===//

#include "Machine.h"

#include <algorithm>

namespace bsmm::emulator {

Machine::Access Machine::threadAccess(Warp &warp, int lane, const Inst &inst,
                                      const char *what) const {
  return {&warp.knowledge,
          warp.firstAgent,
          warp.sequence[AgentThreads],
          false,
          inst.line,
          &warp,
          lane,
          what};
}

Agent Machine::barrierAgent(Cta &cta, uint32_t offset) {
  auto found = cta.barrierAgents.find(offset);
  if (found != cta.barrierAgents.end())
    return found->second.first;
  // Cells have 16 bits for an agent; beyond that nothing is tracked.
  if (cta.cluster->agents >= 0xFFFF)
    return 0;
  Agent agent = cta.cluster->agents++;
  cta.barrierAgents[offset] = {agent, 0};
  return agent;
}

std::string Machine::agentName(const Cluster &cluster, Agent agent) const {
  static const char *const kinds[AgentsPerWarp] = {
      "threads",          "tcgen05 operations",
      "wgmma operations", "bulk stores",
      "cp.async copies",  "tcgen05.ld",
      "tcgen05.st",       ""};
  for (const auto &cta : cluster.ctas) {
    for (const auto &warp : cta->warps)
      if (agent >= warp->firstAgent && agent < warp->firstAgent + AgentsPerWarp)
        return std::string(kinds[agent - warp->firstAgent]) + " of warp " +
               std::to_string(warp->index) +
               (cluster.ctas.size() > 1
                    ? " of CTA rank " + std::to_string(cta->rank)
                    : "");
    for (const auto &[offset, entry] : cta->barrierAgents)
      if (entry.first == agent)
        return "copies that complete on the mbarrier at " + hex(offset);
  }
  return "an unknown agent";
}

/// A launch that may overlap the one before it must not read what that one
/// still writes, nor write what it still reads, until griddepcontrol.wait has
/// returned in a thread that this one has synchronised with (PTX ISA,
/// griddepcontrol). Buffers that no earlier grid touches may be, so that it is
/// no error.
void Exec::touchGlobal(int lane) {
  if (!machine->entry->controlsGrids || !machine->options->checkHazards ||
      knownTo(*warp, lane).all.get(GridsBefore) != 0)
    return;
  strict(machine->module->code[pc], "missing-grid-wait",
         "global memory is accessed before griddepcontrol.wait, while the grid "
         "before may still use it",
         lane);
}

/// Agents of warps do things in order; copies that complete on one mbarrier
/// don't.
static inline bool inOrder(const Machine::Access &access, Agent other) {
  return access.agent == other &&
         access.agent <
             AgentsPerWarp * (1 + access.warp->cta->cluster->ctas.size() *
                                      access.warp->cta->warps.size());
}

/// Does what accesses know of an access of `other` at `clock`, by lane `lane`
/// when it was a thread's?
static inline bool knows(const Machine::Access &access, Agent other,
                         Clock clock, int lane) {
  if (other == access.warp->firstAgent)
    return lane < 0 || access.lane < 0 || lane == access.lane ||
           clock < access.warp->laneKnown[static_cast<size_t>(access.lane)];
  return inOrder(access, other) ||
         knownTo(*access.warp, access.lane).all.get(other) >= clock;
}

/// Of tensor operations of one thread, a tcgen05.mma comes behind another one
/// that wrote its accumulator only if the shapes are the same, and nothing else
/// comes behind a tcgen05.mma that wrote what it reads (PTX ISA, "Pipelined
/// tcgen05 Instructions").
static inline bool isPipelined(const Machine::Access &access,
                               const TensorCell &cell) {
  return cell.writer != access.agent || cell.shape == 0 ||
         cell.shape == access.shape ||
         knownTo(*access.warp, access.lane).all.get(cell.writer) >=
             cell.writeClock;
}

static const char *missing(const Machine::Access &access, Agent other) {
  if (other == access.warp->firstAgent)
    return "bar.warp.sync, a barrier or an mbarrier between the lanes is "
           "missing";
  Agent warps = static_cast<Agent>(AgentsPerWarp *
                                   (1 + access.warp->cta->cluster->ctas.size() *
                                            access.warp->cta->warps.size()));
  if (other >= warps)
    return "a wait on that mbarrier is missing";
  switch (other % AgentsPerWarp) {
  case AgentTcgen05:
    return "tcgen05.commit and a wait on its mbarrier are missing";
  case AgentWgmma:
    return "wgmma.wait_group, or a barrier after it, is missing";
  case AgentBulkRead:
    return "cp.async.bulk.wait_group.read, or a barrier after it, is missing";
  case AgentCpAsync:
    return "cp.async.wait_group, or a barrier after it, is missing";
  case AgentTensorLoad:
    return "tcgen05.wait::ld, or a barrier after it, is missing";
  case AgentTensorStore:
    return "tcgen05.wait::st, or a barrier after it, is missing";
  default:
    return "a barrier or mbarrier between them is missing";
  }
}

bool Machine::visit(Cta &cta, const Access &access) {
  if (cta.liveThreads == 0) {
    diagnose(Severity::Error, "cluster-exit",
             std::string(access.what) + " in the shared memory of CTA " +
                 describe(cta) + ", which has exited",
             access.line, access.warp->cta,
             static_cast<int>(access.warp->index), access.lane);
    return false;
  }
  Visit visit = {access.agent, access.clock, access.line,
                 access.warp,  access.lane,  access.what};
  for (Visit &other : cta.visits)
    if (other.agent == visit.agent) {
      other = visit;
      return true;
    }
  cta.visits.push_back(visit);
  return true;
}

void Machine::checkVisits(Cta &cta) {
  for (const Visit &visit : cta.visits)
    if (cta.atExit.all.get(visit.agent) < visit.clock)
      diagnose(Severity::Error, "cluster-exit",
               std::string(visit.what) + " in the shared memory of CTA " +
                   describe(cta) +
                   " may come when that one has exited: no thread of it has "
                   "observed the access, or waited at a barrier of the cluster "
                   "behind it",
               visit.line, visit.warp->cta, static_cast<int>(visit.warp->index),
               visit.lane);
  cta.visits.clear();
}

void Machine::readShared(Cta &cta, uint32_t offset, uint32_t bytes,
                         const Access &access) {
  if (!cta.shadow)
    return;
  if (access.warp->cta != &cta)
    visit(cta, access);
  uint32_t end = offset + bytes;
  for (uint32_t cell = offset / 4; cell * 4 < end; ++cell) {
    uint32_t from = offset > cell * 4 ? offset - cell * 4 : 0;
    uint32_t to = end < cell * 4 + 4 ? end - cell * 4 : 4;
    uint8_t mask = static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
    SharedCell &c = cta.shadow[cell];
    if (c.writer != 0 && (c.writeMask & mask) != 0) {
      Agent writer = c.writer;
      if (!knows(access, writer, c.writeClock, c.writeLane)) {
        diagnose(Severity::Error, "shared-memory-race",
                 std::string(access.what) + " reads shared memory " +
                     hex(cell * 4) + " that " +
                     agentName(*cta.cluster, writer) + " wrote at line " +
                     std::to_string(c.writeLine) +
                     " without having observed it: " + missing(access, writer),
                 access.line, access.warp->cta,
                 static_cast<int>(access.warp->index), access.lane);
        c.writer = 0;
      } else if (access.isAsync && (c.flags & SharedCell::Async) == 0 &&
                 knownTo(*access.warp, access.lane).fenced.get(writer) <
                     c.writeClock) {
        diagnose(Severity::Error, "missing-proxy-fence",
                 std::string(access.what) + " reads shared memory " +
                     hex(cell * 4) + " through the async proxy, which " +
                     agentName(*cta.cluster, writer) + " wrote at line " +
                     std::to_string(c.writeLine) +
                     " through the generic proxy: fence.proxy.async is "
                     "missing",
                 access.line, access.warp->cta,
                 static_cast<int>(access.warp->index), access.lane);
        c.flags |= SharedCell::Async;
      }
    }
    if (access.isAsync && (c.flags & SharedCell::Initialised) == 0) {
      c.flags |= SharedCell::Initialised;
      diagnose(Severity::Strict, "shared-memory-uninitialised",
               std::string(access.what) + " reads shared memory " +
                   hex(cell * 4) + " that nothing has written",
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
    }
    unsigned slot = 4;
    for (unsigned k = 0; k < 4; ++k) {
      if (c.readers[k] == access.agent) {
        slot = k;
        break;
      }
      if (slot == 4 &&
          (c.readers[k] == 0 ||
           knows(access, c.readers[k], c.readClocks[k], c.readLanes[k])))
        slot = k;
    }
    if (slot == 4)
      slot = cell & 3;
    if (c.readers[slot] != access.agent || c.readClocks[slot] != access.clock) {
      c.readMasks[slot] = 0;
      c.readLanes[slot] = static_cast<int8_t>(access.lane);
    } else if (c.readLanes[slot] != access.lane) {
      c.readLanes[slot] = SharedCell::AnyLane;
    }
    c.readers[slot] = static_cast<uint16_t>(access.agent);
    c.readClocks[slot] = access.clock;
    c.readMasks[slot] |= mask;
    c.readLines[slot] = access.line;
  }
}

void Machine::writeShared(Cta &cta, uint32_t offset, uint32_t bytes,
                          const Access &access) {
  if (!cta.shadow)
    return;
  if (access.warp->cta != &cta)
    visit(cta, access);
  uint32_t end = offset + bytes;
  for (uint32_t cell = offset / 4; cell * 4 < end; ++cell) {
    uint32_t from = offset > cell * 4 ? offset - cell * 4 : 0;
    uint32_t to = end < cell * 4 + 4 ? end - cell * 4 : 4;
    uint8_t mask = static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
    SharedCell &c = cta.shadow[cell];
    auto report = [&](Agent other, uint32_t line, const char *did) {
      diagnose(Severity::Error, "shared-memory-race",
               std::string(access.what) + " overwrites shared memory " +
                   hex(cell * 4) + " that " + agentName(*cta.cluster, other) +
                   " " + did + " at line " + std::to_string(line) +
                   " without having observed that it is done: " +
                   missing(access, other),
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
    };
    // Of lanes that write one place with one instruction, some lane wins.
    bool together = c.writer == access.agent && c.writeLine == access.line &&
                    c.writeClock == access.clock;
    bool merges = access.reduces && (c.flags & SharedCell::Reduced);
    if (c.writer != 0 && (c.writeMask & mask) != 0 && !together && !merges &&
        !knows(access, c.writer, c.writeClock, c.writeLane))
      report(c.writer, c.writeLine, "wrote");
    if (access.reduces && (c.flags & SharedCell::Initialised) == 0)
      diagnose(Severity::Strict, "shared-memory-uninitialised",
               std::string(access.what) + " reads shared memory " +
                   hex(cell * 4) + " that nothing has written",
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
    for (unsigned k = 0; k < 4; ++k) {
      if (c.readers[k] == 0 || (c.readMasks[k] & mask) == 0)
        continue;
      if (!knows(access, c.readers[k], c.readClocks[k], c.readLanes[k]))
        report(c.readers[k], c.readLines[k], "read");
      c.readMasks[k] &= static_cast<uint8_t>(~mask);
      if (c.readMasks[k] == 0)
        c.readers[k] = 0;
    }
    if (c.flags & SharedCell::Barrier)
      diagnose(Severity::Error, "mbarrier-overwritten",
               std::string(access.what) + " overwrites shared memory " +
                   hex(cell * 4) +
                   " that holds an mbarrier: mbarrier.inval is missing",
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
    if (c.writer == access.agent && c.writeClock == access.clock) {
      c.writeMask |= mask;
      if (c.writeLane != access.lane)
        c.writeLane = SharedCell::AnyLane;
    } else {
      c.writeMask = mask;
      c.writeLane = static_cast<int8_t>(access.lane);
    }
    c.writer = static_cast<uint16_t>(access.agent);
    c.writeClock = access.clock;
    c.writeLine = access.line;
    c.flags = static_cast<uint8_t>(SharedCell::Initialised |
                                   (access.isAsync ? SharedCell::Async : 0) |
                                   (access.reduces ? SharedCell::Reduced : 0));
  }
}

void Machine::readTensor(Cta &cta, uint32_t quarter, uint32_t column,
                         uint32_t columns, const Access &access) {
  if (!options->checkHazards || !cta.tensor)
    return;
  for (uint32_t k = column; k < column + columns && k < 512; ++k) {
    TensorCell &c = cta.tensor->shadow[quarter * 512 + k];
    if (c.writer != 0 &&
        (!knows(access, c.writer, c.writeClock, SharedCell::AnyLane) ||
         !isPipelined(access, c))) {
      diagnose(Severity::Error, "tensor-memory-race",
               std::string(access.what) + " reads tensor memory column " +
                   std::to_string(k) + " that " +
                   agentName(*cta.cluster, c.writer) + " wrote at line " +
                   std::to_string(c.writeLine) +
                   " without having observed it: " + missing(access, c.writer),
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
      c.writer = 0;
    }
    if (c.writer == 0 && (c.flags & SharedCell::Initialised) == 0) {
      c.flags |= SharedCell::Initialised;
      diagnose(Severity::Error, "tensor-memory-uninitialised",
               std::string(access.what) + " reads tensor memory column " +
                   std::to_string(k) + " that nothing has written",
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
    }
    unsigned slot = 4;
    for (unsigned r = 0; r < 4; ++r) {
      if (c.readers[r] == access.agent) {
        slot = r;
        break;
      }
      if (slot == 4 &&
          (c.readers[r] == 0 ||
           knows(access, c.readers[r], c.readClocks[r], SharedCell::AnyLane)))
        slot = r;
    }
    if (slot == 4)
      slot = k & 3;
    c.readers[slot] = static_cast<uint16_t>(access.agent);
    c.readClocks[slot] = access.clock;
    c.readLines[slot] = access.line;
  }
}

void Machine::writeTensor(Cta &cta, uint32_t quarter, uint32_t column,
                          uint32_t columns, const Access &access) {
  if (!options->checkHazards || !cta.tensor)
    return;
  for (uint32_t k = column; k < column + columns && k < 512; ++k) {
    TensorCell &c = cta.tensor->shadow[quarter * 512 + k];
    auto report = [&](Agent other, uint32_t line, const char *did) {
      diagnose(Severity::Error, "tensor-memory-race",
               std::string(access.what) + " overwrites tensor memory column " +
                   std::to_string(k) + " that " +
                   agentName(*cta.cluster, other) + " " + did + " at line " +
                   std::to_string(line) +
                   " without having observed that it is done: " +
                   missing(access, other),
               access.line, access.warp->cta,
               static_cast<int>(access.warp->index), access.lane);
    };
    if (c.writer != 0 &&
        (!knows(access, c.writer, c.writeClock, SharedCell::AnyLane) ||
         (access.shape != 0 && !isPipelined(access, c))))
      report(c.writer, c.writeLine, "wrote");
    for (unsigned r = 0; r < 4; ++r) {
      if (c.readers[r] == 0)
        continue;
      if (!knows(access, c.readers[r], c.readClocks[r], SharedCell::AnyLane))
        report(c.readers[r], c.readLines[r], "read");
      c.readers[r] = 0;
    }
    c.writer = static_cast<uint16_t>(access.agent);
    c.writeClock = access.clock;
    c.writeLine = access.line;
    c.shape = access.shape;
    c.flags = SharedCell::Initialised;
  }
}

/// After something that others may learn of: what the warp does from now on is
/// not part of it.
void Machine::release(Warp &warp) {
  ++warp.sequence[AgentThreads];
  warp.knowledge.all.raise(warp.firstAgent, warp.sequence[AgentThreads]);
  if (warp.own)
    for (Knowledge &own : *warp.own)
      own.all.raise(warp.firstAgent, warp.sequence[AgentThreads]);
}

static bool isWholeWarp(const Warp &warp, uint32_t mask) {
  return (warp.alive & ~mask) == 0;
}

static void separate(Warp &warp, uint32_t mask) {
  if (warp.own || isWholeWarp(warp, mask))
    return;
  warp.own = std::make_unique<std::array<Knowledge, 32>>();
  warp.own->fill(warp.knowledge);
}

void Machine::learn(Warp &warp, uint32_t mask, const Knowledge &news) {
  separate(warp, mask);
  warp.knowledge.join(news);
  // An arrival of this warp at clock c is behind its accesses up to c.
  Clock known = news.all.get(warp.firstAgent) + 1;
  forLanes(mask, [&](int lane) {
    Clock &lanes = warp.laneKnown[static_cast<size_t>(lane)];
    lanes = std::max(lanes, known);
    if (warp.own)
      (*warp.own)[static_cast<size_t>(lane)].join(news);
  });
}

void Machine::learnClock(Warp &warp, uint32_t mask, Agent agent, Clock clock) {
  separate(warp, mask);
  warp.knowledge.all.raise(agent, clock);
  if (warp.own)
    forLanes(mask, [&](int lane) {
      (*warp.own)[static_cast<size_t>(lane)].all.raise(agent, clock);
    });
}

void Machine::publish(const Warp &warp, uint32_t mask, Knowledge &to) const {
  if (!warp.own) {
    to.join(warp.knowledge);
    return;
  }
  forLanes(mask, [&](int lane) { to.join(knownTo(warp, lane)); });
}

void Machine::synchroniseLanes(Warp &warp, uint32_t mask) {
  Clock now = warp.sequence[AgentThreads] + 1;
  release(warp);
  forLanes(mask,
           [&](int lane) { warp.laneKnown[static_cast<size_t>(lane)] = now; });
  if (!warp.own)
    return;
  if (isWholeWarp(warp, mask)) {
    warp.own.reset();
    return;
  }
  Knowledge together;
  publish(warp, mask, together);
  forLanes(mask, [&](int lane) {
    (*warp.own)[static_cast<size_t>(lane)] = together;
  });
}

void Machine::fence(Warp &warp, uint32_t mask) {
  learn(warp, mask, warp.toAcquire);
  warp.released = warp.knowledge;
  release(warp);
}

} // namespace bsmm::emulator
