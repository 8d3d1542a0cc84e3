//===- Machine.cpp - Setting up and taking down a grid ----------*- C++ -*-===//

#include "Machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bsmm::emulator {

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void Machine::diagnose(Severity severity, const char *kind,
                       const std::string &message, uint32_t line,
                       const Cta *cta, int warp, int lane) {
  if (severity == Severity::Strict && !options->strict)
    return;
  uint64_t key = diagnosticKey(kind, line);
  auto found = seen.find(key);
  if (found != seen.end()) {
    ++report.diagnostics[found->second].count;
    return;
  }
  size_t already = report.count(severity);
  if (already >= options->maxDiagnostics) {
    if (severity == Severity::Error)
      stopped = true;
    return;
  }
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.kind = kind;
  diagnostic.message = message;
  diagnostic.line = line;
  if (cta != nullptr)
    diagnostic.cta = cta->id;
  diagnostic.warp = warp;
  diagnostic.lane = lane;
  seen.emplace(key, report.diagnostics.size());
  report.diagnostics.push_back(std::move(diagnostic));
}

void Machine::launchError(const std::string &message) {
  diagnose(Severity::Error, "launch", message, 0, nullptr, -1, -1);
  // Each launch error has a text of its own.
  seen.clear();
}

std::string Machine::describe(const Cta &cta) const {
  return "(" + std::to_string(cta.id.x) + "," + std::to_string(cta.id.y) + "," +
         std::to_string(cta.id.z) + ")";
}

void Exec::error(const Inst &inst, const char *kind, const std::string &message,
                 int lane) {
  machine->diagnose(Severity::Error, kind, message, inst.line, cta,
                    static_cast<int>(warp->index), lane);
}

void Exec::strict(const Inst &inst, const char *kind,
                  const std::string &message, int lane) {
  machine->diagnose(Severity::Strict, kind, message, inst.line, cta,
                    static_cast<int>(warp->index), lane);
}

Step Exec::fatal(const Inst &inst, const char *kind, const std::string &message,
                 int lane) {
  error(inst, kind, message, lane);
  machine->stopped = true;
  return Step::Failed;
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

Machine::Access Machine::pipeAccess(Exec &x, const Inst &inst, AgentKind kind,
                                    uint32_t sequence, int lane,
                                    const char *what) {
  return {&x.warp->knowledge,
          x.warp->firstAgent + kind,
          sequence,
          kind != AgentCpAsync, // through the generic proxy
          inst.line,
          x.warp,
          lane,
          what};
}

std::shared_ptr<AsyncOp> newOperation(Exec &x, const Inst &inst,
                                      AsyncOp::Kind kind, int lane) {
  auto op = std::make_shared<AsyncOp>();
  op->kind = kind;
  op->warp = x.warp;
  op->lane = lane;
  op->line = inst.line;
  return op;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// Shared memory a block may have (CUDA C++ Programming Guide, compute
/// capabilities).
static uint32_t sharedLimit(uint32_t target) {
  if (target >= 120)
    return 101376;
  if (target >= 90)
    return 232448;
  if (target == 80 || target == 87)
    return 166912;
  return 101376;
}

/// CTAs of a cluster. 8 are portable; a kernel may ask for 16 on sm_90 and
/// sm_100 (CUDA C++ Programming Guide, "Thread Block Clusters"). The launch
/// here has no such attribute: what the hardware can do is allowed.
static uint32_t clusterLimit(uint32_t target) {
  if (target < 90)
    return 1;
  return target < 110 ? 16 : 8;
}

bool Machine::prepare() {
  const Launch &l = *launch;
  // The entry.
  const CompiledFunction *only = nullptr;
  size_t entries = 0;
  for (const CompiledFunction &function : module->functions)
    if (function.source->isEntry && function.source->hasBody) {
      ++entries;
      if (l.entry.empty() || function.source->name == l.entry)
        only = &function;
    }
  if (only == nullptr || (l.entry.empty() && entries != 1)) {
    launchError(l.entry.empty() ? "the module has " + std::to_string(entries) +
                                      " entries: name one"
                                : "the module has no entry '" + l.entry + "'");
    return false;
  }
  entry = only;
  const ptx::Function &source = *entry->source;
  auto checkDim = [&](const Dim3 &dim, const char *what, const Dim3 &most,
                      uint64_t limit) {
    const uint32_t extents[] = {dim.x, dim.y, dim.z};
    const uint32_t limits[] = {most.x, most.y, most.z};
    uint64_t all = 1;
    for (unsigned k = 0; k < 3; ++k) {
      if (extents[k] == 0 || extents[k] > limits[k]) {
        launchError(std::string(what) + " has " + std::to_string(extents[k]) +
                    " in " + "xyz"[k] + ": expected 1 to " +
                    std::to_string(limits[k]));
        return false;
      }
      all *= extents[k]; // at most 2^31 * 2^16 * 2^16
    }
    if (all > limit) {
      launchError(std::string(what) + " has a size of " + std::to_string(all) +
                  ": expected at most " + std::to_string(limit));
      return false;
    }
    return true;
  };
  // CUDA C++ Programming Guide, "Compute Capabilities".
  if (!checkDim(l.grid, "the grid", {0x7FFFFFFF, 65535, 65535}, 1ull << 40) ||
      !checkDim(l.block, "the block", {1024, 1024, 64}, 1024))
    return false;
  clusterDim = l.cluster;
  const uint32_t *required = source.requiredCluster;
  if (required[0] != 0) {
    Dim3 wanted = {required[0], required[1], required[2]};
    bool isDefault = l.cluster.x == 1 && l.cluster.y == 1 && l.cluster.z == 1;
    if (isDefault)
      clusterDim = wanted;
    else if (wanted.x != l.cluster.x || wanted.y != l.cluster.y ||
             wanted.z != l.cluster.z) {
      launchError("the cluster differs from .reqnctapercluster");
      return false;
    }
  }
  uint32_t most = clusterLimit(module->targetNumber);
  if (!checkDim(clusterDim, "the cluster", {most, most, most}, most))
    return false;
  if (l.grid.x % clusterDim.x != 0 || l.grid.y % clusterDim.y != 0 ||
      l.grid.z % clusterDim.z != 0) {
    launchError("the grid is not a multiple of the cluster");
    return false;
  }
  threadsPerCta = l.block.x * l.block.y * l.block.z;
  const uint32_t *reqntid = source.requiredThreads;
  if (reqntid[0] != 0 && (reqntid[0] != l.block.x || reqntid[1] != l.block.y ||
                          reqntid[2] != l.block.z)) {
    launchError("the block differs from .reqntid " +
                std::to_string(reqntid[0]) + ", " + std::to_string(reqntid[1]) +
                ", " + std::to_string(reqntid[2]));
    return false;
  }
  const uint32_t *maxntid = source.maxThreads;
  if (maxntid[0] != 0 &&
      threadsPerCta > uint64_t(maxntid[0]) * maxntid[1] * maxntid[2]) {
    launchError("the block has " + std::to_string(threadsPerCta) +
                " threads, more than .maxntid allows");
    return false;
  }

  // Global memory.
  uint64_t address = GlobalBase;
  auto addRegion = [&](uint8_t *data, uint64_t bytes, bool readOnly,
                       const std::string &name) {
    Region region;
    region.address = address;
    region.bytes = bytes;
    region.data = data;
    region.readOnly = readOnly;
    region.name = name;
    regions.push_back(region);
    address += (bytes + 0x100000 + 1023) & ~uint64_t(1023);
    return region.address;
  };
  std::vector<uint64_t> bufferAddress;
  for (const Buffer &buffer : l.buffers) {
    if (buffer.data == nullptr && buffer.bytes != 0) {
      launchError("buffer '" + buffer.name + "' has no memory");
      return false;
    }
    bufferAddress.push_back(
        addRegion(buffer.data, buffer.bytes, buffer.readOnly, buffer.name));
  }
  // Module variables.
  const std::vector<ptx::Variable> &variables = module->source->variables;
  std::vector<uint64_t> variableAddress(variables.size(), 0);
  uint64_t constBytes = 0;
  for (size_t v = 0; v < variables.size(); ++v) {
    const ptx::Variable &variable = variables[v];
    if (variable.space == ptx::StateSpace::Global) {
      auto bytes = std::make_unique<std::vector<uint8_t>>(variable.initial);
      bytes->resize(std::max<uint64_t>(variable.bytes, 1), 0);
      variableAddress[v] = addRegion(bytes->data(), variable.bytes, false,
                                     "variable " + variable.name);
      owned.push_back(std::move(bytes));
    } else if (variable.space == ptx::StateSpace::Const) {
      constBytes = (constBytes + variable.alignment - 1) &
                   ~uint64_t(variable.alignment - 1);
      variableAddress[v] = ConstWindow + constBytes;
      constBytes += variable.bytes;
    }
  }
  constMemory.assign(constBytes, 0);
  // Shared memory of the entry and what it calls.
  std::vector<uint8_t> reached(module->functions.size(), 0);
  std::vector<uint32_t> work{
      static_cast<uint32_t>(entry - module->functions.data())};
  std::vector<uint8_t> sharedUsed(variables.size(), 0);
  while (!work.empty()) {
    uint32_t f = work.back();
    work.pop_back();
    if (reached[f])
      continue;
    reached[f] = 1;
    for (uint32_t callee : module->functions[f].callees)
      work.push_back(callee);
    for (uint32_t v : module->functions[f].sharedVariables)
      sharedUsed[v] = 1;
  }
  uint64_t shared = SharedReserved;
  uint32_t dynamicAlignment = 16;
  for (size_t v = 0; v < variables.size(); ++v) {
    if (!sharedUsed[v])
      continue;
    const ptx::Variable &variable = variables[v];
    if (variable.isUnsized || (variable.isExternal && variable.bytes == 0)) {
      dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
      continue;
    }
    shared =
        (shared + variable.alignment - 1) & ~uint64_t(variable.alignment - 1);
    variableAddress[v] = shared;
    shared += variable.bytes;
  }
  staticSharedEnd = static_cast<uint32_t>(shared);
  shared = (shared + dynamicAlignment - 1) & ~uint64_t(dynamicAlignment - 1);
  for (size_t v = 0; v < variables.size(); ++v)
    if (sharedUsed[v] && variableAddress[v] == 0)
      variableAddress[v] = shared;
  shared += l.dynamicSharedBytes;
  uint32_t limit = sharedLimit(module->targetNumber);
  if (shared - SharedReserved > limit) {
    launchError("the kernel needs " + std::to_string(shared - SharedReserved) +
                " bytes of shared memory, more than the " +
                std::to_string(limit) + " of " + module->source->target);
    return false;
  }
  sharedEnd = static_cast<uint32_t>(shared);
  // Initial contents with addresses.
  for (size_t v = 0; v < variables.size(); ++v) {
    const ptx::Variable &variable = variables[v];
    uint8_t *data = nullptr;
    if (variable.space == ptx::StateSpace::Const) {
      data = constMemory.data() + (variableAddress[v] - ConstWindow);
      std::copy(variable.initial.begin(), variable.initial.end(), data);
    } else if (variable.space == ptx::StateSpace::Global) {
      std::string none;
      for (Region &region : regions)
        if (region.address == variableAddress[v])
          data = region.data;
    }
    for (const ptx::Variable::Relocation &relocation : variable.relocations) {
      int target = relocation.target >= 0
                       ? relocation.target
                       : module->source->findVariable(relocation.symbol);
      if (target < 0 || data == nullptr ||
          relocation.offset + 8 > variable.bytes) {
        launchError("initialiser of '" + variable.name +
                    "' names an unknown variable '" + relocation.symbol + "'");
        return false;
      }
      uint64_t value = variableAddress[static_cast<size_t>(target)] +
                       static_cast<uint64_t>(relocation.addend);
      std::memcpy(data + relocation.offset, &value, 8);
    }
  }
  // Parameters.
  parameters.assign(entry->parameterBytes, 0);
  if (l.parameters.size() != source.parameters.size()) {
    launchError("entry '" + source.name + "' has " +
                std::to_string(source.parameters.size()) +
                " parameters, the launch gives " +
                std::to_string(l.parameters.size()));
    return false;
  }
  for (size_t p = 0; p < l.parameters.size(); ++p) {
    const Parameter &parameter = l.parameters[p];
    const ptx::Variable &declared = source.parameters[p];
    if (parameter.bytes.size() != declared.bytes) {
      launchError("parameter " + std::to_string(p) + " of '" + source.name +
                  "' has " + std::to_string(declared.bytes) +
                  " bytes, the launch gives " +
                  std::to_string(parameter.bytes.size()));
      return false;
    }
    uint8_t *to = parameters.data() + entry->parameterOffsets[p];
    std::copy(parameter.bytes.begin(), parameter.bytes.end(), to);
    for (const Parameter::Placement &placement : parameter.placements) {
      bool isMap = placement.kind == Parameter::Placement::Kind::TensorMap;
      if (placement.buffer >= bufferAddress.size() ||
          placement.offset + (isMap ? 128 : 8) > parameter.bytes.size()) {
        launchError("parameter " + std::to_string(p) +
                    " places an address outside itself or of no buffer");
        return false;
      }
      uint64_t value = bufferAddress[placement.buffer] + placement.byteOffset;
      if (!isMap) {
        std::memcpy(to + placement.offset, &value, 8);
        continue;
      }
      units::TensorMap map = placement.map;
      map.globalAddress = value;
      std::string wrong = units::checkTensorMap(map);
      if (!wrong.empty()) {
        launchError("tensor map of parameter " + std::to_string(p) + ": " +
                    wrong);
        return false;
      }
      uint8_t bytes[128];
      encodeTensorMap(map, bytes);
      std::memcpy(to + placement.offset, bytes, 128);
    }
  }
  std::sort(
      regions.begin(), regions.end(),
      [](const Region &a, const Region &b) { return a.address < b.address; });

  // The register file as every warp finds it.
  constants.resize(module->registerFileBytes);
  uint64_t state = options->seed * 0x9E3779B97F4A7C15ull + 0x1234567;
  for (uint8_t &byte : constants) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    byte = static_cast<uint8_t>(state >> 56);
  }
  for (const ConstantSlot &slot : module->constants) {
    uint64_t value = slot.value;
    switch (slot.kind) {
    case ConstantSlot::Kind::Value:
      break;
    case ConstantSlot::Kind::SharedVariable:
      value += variableAddress[slot.symbol];
      sharedConstants.push_back({slot.offset, slot.bits});
      break;
    case ConstantSlot::Kind::GlobalVariable:
    case ConstantSlot::Kind::ConstVariable:
      value += variableAddress[slot.symbol];
      break;
    case ConstantSlot::Kind::KernelParameter:
      value += ParamWindow;
      break;
    case ConstantSlot::Kind::Function:
      value += slot.symbol;
      break;
    }
    uint8_t *to = constants.data() + slot.offset;
    if (slot.bits == 1) {
      std::memcpy(to, &value, 4);
    } else if (slot.bits <= 32) {
      for (int lane = 0; lane < 32; ++lane)
        std::memcpy(to + 4 * lane, &value, 4);
    } else if (slot.bits == 64) {
      for (int lane = 0; lane < 32; ++lane)
        std::memcpy(to + 8 * lane, &value, 8);
    } else {
      std::memset(to, 0, 512);
      for (int lane = 0; lane < 32; ++lane)
        std::memcpy(to + 16 * lane, &value, 8);
    }
  }

  clusterGrid = {l.grid.x / clusterDim.x, l.grid.y / clusterDim.y,
                 l.grid.z / clusterDim.z};
  clusterCount = uint64_t(clusterGrid.x) * clusterGrid.y * clusterGrid.z;
  if (clusterCount > (1ull << 28)) {
    launchError("the grid is too large");
    return false;
  }
  instructionLimit = options->maxInstructions;
  return true;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Mixes the bits of a number well (the finaliser of splitmix64).
static uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ value >> 27) * 0x94D049BB133111EBull;
  return value ^ value >> 31;
}

uint64_t Machine::clusterAt(uint64_t position) const {
  if (options->ctaOrder == CtaOrder::Descending)
    return clusterCount - 1 - position;
  if (options->ctaOrder == CtaOrder::Ascending)
    return position;
  // A permutation without a table, so that memory doesn't grow with the grid:
  // four Feistel rounds over an even number of bits, again until the result
  // is a cluster.
  uint32_t half = 1;
  while ((uint64_t(1) << 2 * half) < clusterCount)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = position >> half, right = position & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (mixed(right + (round << 48) +
                                    0x9E3779B97F4A7C15ull * options->seed) &
                              mask);
      left = right;
      right = next;
    }
    position = left << half | right;
  } while (position >= clusterCount);
  return position;
}

Dim3 Machine::firstCta(uint64_t index) const {
  Dim3 at;
  at.x = static_cast<uint32_t>(index % clusterGrid.x) * clusterDim.x;
  at.y = static_cast<uint32_t>(index / clusterGrid.x % clusterGrid.y) *
         clusterDim.y;
  at.z = static_cast<uint32_t>(index / clusterGrid.x / clusterGrid.y) *
         clusterDim.z;
  return at;
}

std::unique_ptr<Cluster> Machine::makeCluster(uint64_t index) {
  auto cluster = std::make_unique<Cluster>();
  cluster->index = index;
  Dim3 at = firstCta(index);
  cluster->first = at;
  uint32_t ctas = clusterDim.x * clusterDim.y * clusterDim.z;
  uint32_t warps = (threadsPerCta + 31) / 32;
  const ptx::Function &source = *entry->source;
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = cluster.get();
    cta->rank = rank;
    // In a quarter of the random modes a CTA begins when the others of its
    // cluster cannot go on: what they do to one that is not ready shows.
    cta->isLate = options->mode == AsyncMode::Random && ctas > 1 &&
                  options->seed % 4 == 2 && rank == options->seed / 4 % ctas;
    cta->id = {at.x + rank % clusterDim.x,
               at.y + rank / clusterDim.x % clusterDim.y,
               at.z + rank / clusterDim.x / clusterDim.y};
    // Whatever another kernel left there.
    cta->shared.assign((sharedEnd + 15) & ~15u, 0xFF);
    if (options->mode == AsyncMode::Random) {
      uint64_t state = random();
      for (uint8_t &byte : cta->shared) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        byte = static_cast<uint8_t>(state >> 56);
      }
    }
    if (options->checkHazards) {
      size_t cells = (cta->shared.size() + 3) / 4;
      cta->shadow.reset(
          static_cast<SharedCell *>(std::calloc(cells, sizeof(SharedCell))));
      // calloc keeps untouched pages out of memory; "no agent" is stored
      // as 0 there, see Hazards.cpp.
    }
    size_t file = (module->registerFileBytes + 63) & ~size_t(63);
    size_t local = (size_t(module->localBytes) * 32 + 63) & ~size_t(63);
    cta->registers.reset(static_cast<uint8_t *>(
        std::aligned_alloc(64, std::max<size_t>(64, (file + local) * warps))));
    cta->liveThreads = threadsPerCta;
    cluster->liveThreads += threadsPerCta;
    uint32_t perThread = source.maxRegisters;
    if (perThread == 0) {
      uint32_t resident = std::max(1u, source.minCtas);
      perThread = 65536 / (warps * 32 * resident) / 8 * 8;
      perThread = std::min(perThread, 255u);
    }
    uint32_t pool = 65536 / std::max(1u, source.minCtas);
    uint32_t used = perThread * warps * 32;
    cta->registerPool = pool > used ? pool - used : 0;
    for (uint32_t w = 0; w < warps; ++w) {
      auto warp = std::make_unique<Warp>();
      warp->cta = cta.get();
      warp->index = w;
      warp->regs = cta->registers.get() + (file + local) * w;
      warp->local = warp->regs + file;
      std::copy(constants.begin(), constants.end(), warp->regs);
      std::memset(warp->local, 0xFF, local);
      if (rank != 0)
        for (auto &[offset, bits] : sharedConstants)
          for (int lane = 0; lane < 32; ++lane) {
            uint32_t add = rank << SharedRankShift;
            if (bits == 64)
              reinterpret_cast<uint64_t *>(warp->regs + offset)[lane] += add;
            else
              reinterpret_cast<uint32_t *>(warp->regs + offset)[lane] += add;
          }
      uint32_t lanes = std::min(32u, threadsPerCta - w * 32);
      warp->threads = lanes == 32 ? ~0u : (1u << lanes) - 1;
      warp->alive = warp->threads;
      warp->registersPerThread = perThread;
      if (options->mode == AsyncMode::Random)
        warp->priority = static_cast<uint32_t>(random());
      Split split;
      split.pc = entry->entryPc;
      split.mask = warp->alive;
      warp->splits.push_back(split);
      // Agent 0 stands for nobody.
      warp->firstAgent = AgentsPerWarp * (1 + rank * warps + w);
      for (uint32_t k = 0; k < AgentsPerWarp; ++k) {
        warp->sequence[k] = 1;
        warp->knowledge.all.raise(warp->firstAgent + k, 1);
      }
      cta->warps.push_back(std::move(warp));
    }
    cluster->ctas.push_back(std::move(cta));
    observeCta(*cluster->ctas.back());
  }
  cluster->agents = AgentsPerWarp * (1 + ctas * warps);
  ++changes;
  return cluster;
}

void Machine::finishCluster(Cluster &cluster) {
  // What nobody waited for still happens, but shared memory is gone.
  // Arrivals of commits join the others when the commits are done.
  for (size_t index = 0; index < cluster.pending.size(); ++index) {
    std::shared_ptr<AsyncOp> op = cluster.pending[index];
    if (op->done)
      continue;
    if (op->kind == AsyncOp::Kind::BulkLoad ||
        op->kind == AsyncOp::Kind::CpAsync ||
        op->kind == AsyncOp::Kind::BulkShared)
      diagnose(Severity::Error, "copy-outstanding-at-exit",
               "the copy to shared memory may still be running when the CTA "
               "exits: nothing waited for it",
               op->line, op->warp->cta, static_cast<int>(op->warp->index),
               op->lane);
    force(cluster, op);
  }
  for (auto &cta : cluster.ctas) {
    const std::pair<const uint32_t, Mbarrier> *left = nullptr;
    for (const auto &entry : cta->mbarriers)
      if (entry.second.transactions != 0 &&
          (left == nullptr || entry.first < left->first))
        left = &entry;
    if (left != nullptr) {
      int64_t bytes = left->second.transactions;
      diagnose(Severity::Error, "mbarrier-transactions",
               "the CTA exits when the mbarrier at " + hex(left->first) +
                   " has " + std::to_string(std::abs(bytes)) +
                   (bytes > 0 ? " bytes to come: fewer were delivered than "
                                "expected"
                              : " bytes too many: fewer were expected than "
                                "delivered"),
               left->second.line, cta.get(), -1, -1);
    }
    if (cta->tensor)
      for (uint32_t column = 0; column < 512; ++column)
        if (cta->tensor->owner[column] != 0) {
          diagnose(Severity::Error, "tensor-memory-leak",
                   "tensor memory is still allocated (column " +
                       std::to_string(column) + ") when the CTA exits",
                   cta->tensor->lastAllocation, cta.get(), -1, -1);
          break;
        }
    ++finishedCtas;
    ++report.statistics.ctas;
  }
  cluster.finished = true;
}

} // namespace bsmm::emulator
