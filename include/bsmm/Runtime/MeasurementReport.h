//===- MeasurementReport.h - what measuring prints and writes ---*- C++ -*-===//
//
// One table and one JSON schema, "bsmm.measurement/1", for every program that
// runs and measures kernels.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_MEASUREMENTREPORT_H
#define BSMM_RUNTIME_MEASUREMENTREPORT_H

#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/KernelCheck.h"
#include "bsmm/Runtime/bsmm_runtime.h"

namespace bsmm::runtime {

/// M, N, K and L of a problem.
struct Shape {
  int64_t m = 128, n = 128, k = 256, l = 1;
};

/// Everything that is known of one problem.
struct Measurement {
  Shape shape;
  size_t index = 0; // of the kernel in its artifact
  std::string name; // of its family
  KernelManifest manifest;
  bsmm_kernel_resources resources{};
  int64_t traffic = 0; // bytes, each operand once
  bool isRepeatable = true;
  int64_t damagedGuards = 0;
  std::string changedInputs;
  bool isVerified = false;
  Verification verdict;
  std::vector<double> milliseconds; // empty: not measured

  /// A kernel with float atomics may differ from launch to launch.
  bool isGood() const {
    return (isRepeatable || manifest.numerics.orderDependent) &&
           damagedGuards == 0 && changedInputs.empty() &&
           (!isVerified || verdict.isGood());
  }
};

/// How everything of a report was run.
struct MeasurementSetting {
  std::string device, target;
  int64_t smCount = 0;
  int64_t driverVersion = 0; // 13000 for CUDA 13.0
  uint64_t seed = 0;
  std::string distribution; // of the operands
  int64_t warmup = 0;       // launches
  bool flush = true;        // the L2 cache before each launch
};

/// The value below which `fraction` of the values lie, between neighbours
/// linearly; 0 without values.
double percentile(std::vector<double> values, double fraction);

/// Words for problems as they are done, and a file for all.
class MeasurementReport {
public:
  explicit MeasurementReport(MeasurementSetting setting)
      : setting(std::move(setting)) {}

  /// Lines to print: a row of the table for what was measured, after the
  /// table's head when it is the first, and else a sentence; then what is
  /// wrong.
  std::string add(const Measurement &result);
  /// Writes JSON. Empty on success, else the reason.
  std::string write(const std::string &path) const;

private:
  const MeasurementSetting setting;
  std::vector<Measurement> results;
  bool hasTable = false;
};

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_MEASUREMENTREPORT_H
