//===- Rates.h - How fast the parts of a GPU are ----------------*- C++ -*-===//
//
// The constants of the timeline, in one table, each with its source. They were
// written down before any result was read; docs/timeline.md names those that
// measured kernels have corrected since. They belong to the emulator's side:
// nothing here comes from the compiler's target table.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TIMELINE_RATES_H
#define BSMM_TIMELINE_RATES_H

#include <cstddef>
#include <string>
#include <string_view>

namespace bsmm::timeline {

/// How a rate is known.
enum class Evidence : unsigned char {
  Measured, ///< by its source, on that GPU
  Derived,  ///< follows from measurements or documents
  Assumed   ///< nothing was found
};

enum class RateId : unsigned char {
  Sms,
  Clock,
  TensorBytes,
  SharedBytes,
  FillShare,
  MmaCompletion,
  TensorCopyBytes,
  TensorLoadBytes,
  TensorLoadLatency,
  TensorStoreBytes,
  CopyIssue,
  CopyLatencyL2,
  CopyLatencyDram,
  SmL2Bandwidth,
  L2Bandwidth,
  L2Capacity,
  DramBandwidth,
  ClusterCopyLatency,
  ClusterArrival,
  BarrierObserved,
  BarrierInstruction,
  NamedBarrier,
  NamedBarrierWarp,
  ClusterBarrier,
  Instruction,
  SharedLoadLatency,
  GlobalLoadLatency,
  Launch,
  CtaStart,
  Count
};

constexpr size_t RateCount = static_cast<size_t>(RateId::Count);

struct Rate {
  double value = 0;
  Evidence evidence = Evidence::Assumed;
  std::string_view source; ///< keys of the list in docs/timeline.md
};

/// A row of the table: one column for each architecture.
struct RateRow {
  RateId id;
  std::string_view name; ///< as in `--rate NAME=VALUE`
  std::string_view unit;
  std::string_view meaning;
  Rate sm90;
  Rate sm100;
};

/// All rows, in the order of RateId.
const RateRow (&rateTable())[RateCount];

std::string_view evidenceName(Evidence evidence);

/// The numbers of one GPU. "clk" are cycles of the SM; bandwidths of L2 and
/// DRAM and latencies of copies are in seconds, because their clocks are not
/// the SM's.
struct Rates {
  std::string target;
  double values[RateCount] = {};
  double operator[](RateId id) const { return values[static_cast<size_t>(id)]; }
  double &operator[](RateId id) { return values[static_cast<size_t>(id)]; }
  /// Nanoseconds as cycles of the SM.
  double cycles(double nanoseconds) const {
    return nanoseconds * (*this)[RateId::Clock];
  }
  /// GB/s as bytes a cycle of the SM.
  double bytesPerCycle(double gigabytesPerSecond) const {
    return gigabytesPerSecond / (*this)[RateId::Clock];
  }
};

/// The rates for a `.target` of PTX. False for a target without any, with a
/// text that names those that have them.
bool ratesFor(const std::string &target, Rates &rates, std::string &error);

/// Sets the rate called `name`. False and a text for an unknown name or a value
/// that is not positive (0 is legal for fill_share and latencies).
bool setRate(Rates &rates, const std::string &name, double value,
             std::string &error);

/// The table as text, for people.
std::string formatRateTable();

} // namespace bsmm::timeline

#endif // BSMM_TIMELINE_RATES_H
