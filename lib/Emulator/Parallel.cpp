//===- Parallel.cpp - Groups of clusters on several host threads *- C++ -*-===//
//
// A run is a sequence of groups of clusters. Several groups run ahead at the
// same time, each from the memory as it is before the first of them; then they
// are taken over one by one in their order (Overlay.h). A group that can't be
// taken over - it read what one before it wrote, waited for another, or did
// anything else that needs to know of the others - runs again, alone. Results,
// reports and traces are those of one thread, whatever the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace bsmm::emulator {

/// Warp instructions after which a group that runs ahead is given up: it may
/// wait for a value that only a group before it will write.
constexpr uint64_t AheadLimit = uint64_t(1) << 27;

/// One position behind the last cluster of the group that begins at `first`.
/// With random asynchrony up to three clusters share a group, and so mix.
uint64_t Machine::groupEnd(uint64_t first) const {
  uint64_t size = 1;
  if (options->mode == AsyncMode::Random) {
    uint64_t hash = (options->seed + 1) * 0x9E3779B97F4A7C15ull +
                    first * 0xD1B54A32D192ED03ull;
    size = 1 + (hash ^ hash >> 29) % 3;
  }
  return std::min(clusterCount, first + size);
}

/// A machine of the same launch that sees global memory through `memory`.
std::unique_ptr<Machine> Machine::fork(GlobalOverlay &memory,
                                       Epoch &shared) const {
  auto ahead = std::make_unique<Machine>();
  ahead->module = module;
  ahead->entry = entry;
  ahead->launch = launch;
  ahead->options = options;
  ahead->constants = constants;
  ahead->sharedConstants = sharedConstants;
  ahead->parameters = parameters;
  ahead->constMemory = constMemory;
  ahead->regions = regions;
  ahead->staticSharedEnd = staticSharedEnd;
  ahead->sharedEnd = sharedEnd;
  ahead->threadsPerCta = threadsPerCta;
  ahead->clusterDim = clusterDim;
  ahead->clusterGrid = clusterGrid;
  ahead->clusterCount = clusterCount;
  ahead->overlay = &memory;
  ahead->epoch = &shared;
  ahead->instructionLimit = AheadLimit;
  if (instructionLimit != 0)
    ahead->instructionLimit =
        std::min(AheadLimit, instructionLimit - instructions);
  return ahead;
}

/// Makes what a group did ahead of its turn part of this run. False, and
/// nothing has changed, when it must run again. `written` are the lines that
/// groups of the same epoch wrote before it.
bool Machine::takeOver(Machine &ahead, std::vector<GlobalLine> &written) {
  if (ahead.abandoned || ahead.stopped || ahead.groupFirst != nextCluster ||
      ahead.overlay->hasRead(written))
    return false;
  if (instructionLimit != 0 &&
      ahead.instructions > instructionLimit - instructions)
    return false;
  // Diagnostics are capped: a group that comes near the cap runs again.
  for (Severity severity : {Severity::Error, Severity::Strict})
    if (ahead.report.count(severity) != 0 &&
        report.count(severity) + ahead.report.count(severity) >=
            options->maxDiagnostics)
      return false;
  for (Diagnostic &diagnostic : ahead.report.diagnostics) {
    auto found = seen.find(diagnosticKey(diagnostic.kind, diagnostic.line));
    if (found != seen.end()) {
      report.diagnostics[found->second].count += diagnostic.count;
      continue;
    }
    seen.emplace(diagnosticKey(diagnostic.kind, diagnostic.line),
                 report.diagnostics.size());
    report.diagnostics.push_back(std::move(diagnostic));
  }
  for (TraceEvent &event : ahead.trace) {
    if (trace.size() >= TraceLimit)
      break;
    event.begin += instructions;
    event.end += instructions;
    trace.push_back(event);
  }
  Statistics &sum = report.statistics;
  const Statistics &more = ahead.report.statistics;
  sum.threadInstructions += more.threadInstructions;
  sum.tensorInstructions += more.tensorInstructions;
  sum.multiplyAdds += more.multiplyAdds;
  sum.bulkCopies += more.bulkCopies;
  sum.bulkBytes += more.bulkBytes;
  sum.tensorColumns = std::max(sum.tensorColumns, more.tensorColumns);
  sum.ctas += more.ctas;
  finishedCtas += ahead.finishedCtas;
  instructions += ahead.instructions;
  nextCluster = ahead.nextCluster;
  ahead.overlay->commit(written);
  return true;
}

/// Runs up to `groups` groups ahead and takes them over. Returns how many were;
/// when one could not be, it has been run again and the rest is void.
uint64_t Machine::runEpoch(uint32_t threads, uint64_t groups) {
  struct Ahead {
    std::unique_ptr<GlobalOverlay> memory;
    std::unique_ptr<Machine> machine;
  };
  Epoch shared;
  std::vector<Ahead> line;
  for (uint64_t first = nextCluster;
       first < clusterCount && line.size() < groups; first = groupEnd(first)) {
    Ahead ahead;
    ahead.memory = std::make_unique<GlobalOverlay>(regions);
    ahead.machine = fork(*ahead.memory, shared);
    ahead.machine->nextCluster = first;
    line.push_back(std::move(ahead));
  }
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  size_t running = 0;
  auto work = [&]() {
    for (size_t k = next++; k < line.size() && !shared.cancelled; k = next++) {
      line[k].machine->runGroup();
      // Clusters take memory; what they leave is in the overlay.
      line[k].machine->abandoned |= !line[k].machine->active.empty();
      line[k].machine->active.clear();
    }
    std::lock_guard<std::mutex> lock(mutex);
    --running;
    finished.notify_all();
  };
  std::vector<std::thread> pool;
  for (uint32_t k = 0; k < std::min<uint64_t>(threads, line.size()); ++k) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++running;
    }
    try {
      pool.emplace_back(work);
    } catch (const std::system_error &) {
      // The host gives no more threads.
      std::lock_guard<std::mutex> lock(mutex);
      --running;
      break;
    }
  }
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (running != 0) {
      finished.wait_for(lock, std::chrono::milliseconds(100));
      if (!stopped && !reportProgress(instructions + shared.instructions))
        shared.cancelled = true;
    }
  }
  for (std::thread &thread : pool)
    thread.join();
  std::vector<GlobalLine> written;
  uint64_t taken = 0;
  for (Ahead &ahead : line) {
    if (stopped)
      break;
    if (!takeOver(*ahead.machine, written)) {
      runGroup();
      break;
    }
    ++taken;
    ahead = Ahead();
    if (!reportProgress(instructions))
      break;
  }
  return taken;
}

/// Whether buffers of the launch share host memory: an overlay would not see
/// that a write to one is a write to the other.
static bool regionsOverlap(const std::vector<Region> &regions) {
  std::vector<std::pair<const uint8_t *, const uint8_t *>> ranges;
  for (const Region &region : regions)
    if (region.bytes != 0)
      ranges.push_back({region.data, region.data + region.bytes});
  std::sort(ranges.begin(), ranges.end());
  for (size_t k = 1; k < ranges.size(); ++k)
    if (ranges[k].first < ranges[k - 1].second)
      return true;
  return false;
}

void Machine::execute() {
  nextProgress = options->progressInterval;
  uint32_t threads = options->threads;
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  if (regionsOverlap(regions) || options->observer != nullptr)
    threads = 1;
  uint64_t width = threads; // groups in an epoch
  uint64_t alone = 0;       // groups to run without running ahead
  uint64_t penalty = 1;
  while (!stopped && nextCluster < clusterCount) {
    bool last = groupEnd(nextCluster) >= clusterCount;
    bool spent = instructionLimit != 0 && instructions >= instructionLimit;
    if (threads == 1 || alone != 0 || last || spent) {
      runGroup();
      alone -= alone != 0;
      continue;
    }
    uint64_t taken = runEpoch(threads, width);
    if (taken >= 2) {
      // Kernels whose CTAs are independent, mostly.
      width = std::min<uint64_t>(2 * width, 8 * uint64_t(threads));
      penalty = 1;
    } else {
      alone = penalty;
      penalty = std::min<uint64_t>(2 * penalty, 1024);
      width = threads;
    }
  }
}

} // namespace bsmm::emulator
