//===- Report.h - Where the cycles of a kernel go ---------------*- C++ -*-===//
//
// Every cycle of every SM's tensor core goes to one cause. When it idles, the
// cause is found by walking back from the multiplication that ends the gap to
// what it waited for, and to what that waited for, until the gap began. Where
// L2 or DRAM is busy all the time around the gap, it is the cause whatever the
// walk says: nothing that is asked for earlier would come earlier.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TIMELINE_REPORT_H
#define BSMM_TIMELINE_REPORT_H

#include "bsmm/Timeline/Simulation.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bsmm::timeline {

enum class Cause : uint8_t {
  Multiply, ///< the tensor core multiplies
  // The machine's limits, in the steady state.
  SharedMemory,
  Dram,
  L2,
  LoadLatency, ///< data on its way that more slots would have hidden
  CopyIssue,
  ScaleCopy,  ///< tcgen05.cp
  Completion, ///< from the end of a multiplication until others can know
  CtaChange,
  // The kernel's own schedule, in the steady state.
  Epilogue, ///< it holds the accumulator, or the warps that multiply
  Barrier,  ///< data is ready, but the wait has not seen it yet
  Issue,    ///< data is ready and seen, but the instruction comes late
  // Outside of the steady state.
  Launch,
  Fill,   ///< until the SM's first multiplication
  Drain,  ///< after the SM's last one, until its CTA ends
  NoTile, ///< no CTA left for the SM
  Count
};

constexpr size_t CauseCount = static_cast<size_t>(Cause::Count);

std::string_view causeName(Cause cause); ///< for JSON, e.g. "load_latency"
std::string_view causeText(Cause cause); ///< for people
bool isOwnSchedule(Cause cause);
bool isSteady(Cause cause);

/// A stretch of an SM's tensor core.
struct Span {
  double begin = 0;
  double end = 0;
  Cause cause = Cause::Multiply;
  uint32_t line = 0; ///< of the PTX; 0: none
};

/// Cycles of a cause at a line of the PTX: the wait that came late or after
/// which something was issued late, or the operation waited for.
struct LineCycles {
  Cause cause = Cause::Issue;
  uint32_t line = 0; ///< 0: none
  double cycles = 0;
};

struct Attribution {
  /// Cycles of all SMs, by cause; their sum is the SMs times the run's cycles.
  std::array<double, CauseCount> cycles = {};
  double total = 0;
  double steady =
      0; ///< of them from each SM's first multiplication to its last
  double steadyOf(Cause cause) const {
    return steady > 0 ? cycles[static_cast<size_t>(cause)] / steady : 0;
  }
  /// Part of the steady state that the kernel's own schedule loses.
  double ownSchedule() const;
  /// The causes of the steady state but Multiply by line, longest first.
  std::vector<LineCycles> lines;
};

/// Spans of SM `sm`, without gaps, from 0 to the end of the run.
std::vector<Span> attributeSm(const Recording &recording,
                              const SimulationResult &result, uint32_t sm);

Attribution attribute(const Recording &recording,
                      const SimulationResult &result);

/// The times of a launch whose tensor cores hardly matter: how long until data
/// flows, how it flows, and what comes after.
struct Streaming {
  double untilLoad = 0; ///< cycles until the first load is asked for
  double before = 0;    ///< ... until the first data arrives
  double during = 0;    ///< cycles from then until the last arrives
  double after = 0;
  double bytes = 0;       ///< that come from DRAM
  double shareOfDram = 0; ///< of the bandwidth while loads are served
  double shareOfL2 = 0;   ///< all bytes loaded, of L2's
  /// Of all bytes loaded, those that are asked for before the first data
  /// arrives: where all are, they come in one burst, and nothing streams.
  double shareAskedEarly = 0;
};

Streaming streaming(const SimulationResult &result, const Rates &rates);

/// Everything a report needs.
struct Timeline {
  std::string name; ///< of the kernel
  Rates rates;
  Recording recording;
  SimulationResult result;
  Attribution attribution;
  uint64_t multiplyAdds = 0; ///< of all tensor instructions
  uint32_t ctasPerSm = 1;
  uint32_t sharedBytes = 0;   ///< dynamic, of a CTA
  uint32_t tensorColumns = 0; ///< of tensor memory, of a CTA
};

std::string formatReport(const Timeline &timeline);
/// Schema bsmm.timeline/1.
std::string timelineToJson(const Timeline &timeline);
/// Chrome's trace format, for Perfetto: a process for each SM of `sms`, tracks
/// for the tensor core and why it idles, its TMA and the warps. Times are
/// cycles.
std::string timelineToTrace(const Timeline &timeline,
                            const std::vector<uint32_t> &sms);

} // namespace bsmm::timeline

#endif // BSMM_TIMELINE_REPORT_H
