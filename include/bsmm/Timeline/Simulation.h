//===- Simulation.h - A recording with times --------------------*- C++ -*-===//
//
// A discrete-event simulation of a recording with the rates of a GPU. All SMs
// run at once and share L2 and DRAM; the first touch of a byte comes from DRAM.
// Warps issue in order. Servers (the TMA of an SM, its shared memory, its port
// to L2, L2, DRAM) serve in the order in which they are asked.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TIMELINE_SIMULATION_H
#define BSMM_TIMELINE_SIMULATION_H

#include "bsmm/Timeline/Rates.h"
#include "bsmm/Timeline/Recording.h"

#include <string>
#include <vector>

namespace bsmm::timeline {

/// What made a copy last longer than its latency.
enum class Limit : uint8_t { Nothing, Dram, L2, Port };

/// When an operation did what, in cycles.
struct OperationTimes {
  double request = -1; ///< a warp wants to issue it
  double accept = -1;  ///< the TMA or tensor core takes it; an Mma starts
  double end = -1;     ///< an Mma's multiplication is over
  double read = -1;    ///< a Store has read its source
  double done = -1;    ///< and those who wait can be told
  double transfer = 0; ///< of a copy: waiting for and using bandwidth
  double fill = 0;     ///< of a copy: waiting for shared memory
  Limit limit = Limit::Nothing;
  uint32_t warp = None;   ///< that issued it last
  uint32_t before = None; ///< Commit: the Mma that it followed
};

/// When a moment was complete, and what made it so.
struct MomentTimes {
  double time = 0;
  uint32_t missing = 0;
  uint32_t by = None; ///< a warp, or an operation
  bool byOperation = false;
  bool complete() const { return missing == 0; }
};

/// A warp did nothing from `begin` to `end`.
struct WarpWait {
  double begin = 0;
  double end = 0;
  uint32_t what = 0; ///< moment, or operation
  bool isOperation = false;
  uint32_t line = 0;
};

/// A stretch between two multiplications of a warp in which it stored results.
struct Stretch {
  double begin = 0;
  double end = 0;
};

struct WarpTimes {
  uint32_t cta = 0;
  double begin = 0;
  double end = 0;
  std::vector<WarpWait> waits;
  std::vector<Stretch> stores;
  bool multiplies = false; ///< issues MMAs
  bool loads = false;      ///< issues TMA loads
  bool drains = false;     ///< reads accumulators or stores results
};

/// A multiplication on the tensor core of an SM.
struct MmaRun {
  double issued = 0; ///< by its last issuer
  double start = 0;
  double end = 0;
  double compute = 0; ///< cycles of it that the arithmetic needs
  uint32_t operation = 0;
};

/// Servers keep how many of so many cycles they were busy.
constexpr double MeterCycles = 1024;

struct CtaTimes {
  uint32_t sm = 0;
  double begin = 0;
  double end = 0;
};

struct SmTimes {
  std::vector<MmaRun> runs;   ///< in order
  std::vector<uint32_t> ctas; ///< in order of their begin
  /// Busy cycles of each MeterCycles: the TMA, and the link to L2.
  std::vector<float> tmaBusy, portBusy;
};

struct SimulationResult {
  std::string error; ///< empty: all is well
  double end = 0;    ///< of the last CTA and its stores
  uint32_t smCount = 0;
  std::vector<SmTimes> sms;
  std::vector<CtaTimes> ctas;
  std::vector<WarpTimes> warps; ///< of all CTAs, one CTA after the other
  std::vector<OperationTimes> operations;
  std::vector<MomentTimes> moments;
  uint64_t loadedBytes = 0; ///< by TMA, from L2 or DRAM
  uint64_t dramBytes = 0;   ///< of them from DRAM
  uint64_t storedBytes = 0;
  uint64_t bytesAskedEarly = 0; ///< of those loaded, before any data arrived
  double firstLoad = -1;     ///< request of the first load
  double firstLoadDone = -1; ///< first arrival of data
  double lastLoadDone = -1;
  double lastTransfer = 0; ///< when the last load's bytes have left L2
  std::vector<float> l2Busy, dramBusy; ///< cycles of each MeterCycles
};

struct SimulationOptions {
  uint32_t ctasPerSm = 1;
};

SimulationResult simulate(const Recording &recording, const Rates &rates,
                          const SimulationOptions &options = {});

} // namespace bsmm::timeline

#endif // BSMM_TIMELINE_SIMULATION_H
