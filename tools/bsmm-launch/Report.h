//===- Report.h - what bsmm-launch prints and writes ------------*- C++ -*-===//

#ifndef BSMM_TOOLS_BSMM_LAUNCH_REPORT_H
#define BSMM_TOOLS_BSMM_LAUNCH_REPORT_H

#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/KernelCheck.h"
#include "bsmm/Runtime/bsmm_runtime.h"

namespace bsmm::launch {

struct Shape {
  int64_t m = 128, n = 128, k = 256, l = 1;
};

/// Everything that is known of one problem.
struct Measurement {
  Shape shape;
  size_t index = 0;
  const runtime::ArtifactKernel *kernel = nullptr;
  bsmm_kernel_resources resources{};
  int64_t traffic = 0; // bytes, each operand once
  bool isRepeatable = true;
  int64_t damagedGuards = 0;
  std::string changedInputs;
  bool isVerified = false;
  runtime::Verification verdict;
  std::vector<double> milliseconds; // empty: not measured

  /// A kernel with float atomics may differ from launch to launch.
  bool isGood() const {
    return (isRepeatable || kernel->manifest.numerics.orderDependent) &&
           damagedGuards == 0 && changedInputs.empty() &&
           (!isVerified || verdict.isGood());
  }
};

/// The value below which `fraction` of the times lie, between neighbours
/// linearly.
double percentile(std::vector<double> values, double fraction);

/// Prints problems as they are done, and writes them all.
class Report {
public:
  Report(const bsmm_device_info &device, const runtime::TestDataOptions &data,
         int64_t warmup, bool flush)
      : device(device), data(data), warmup(warmup), flush(flush) {}

  void add(const Measurement &result);
  /// Empty on success.
  std::string write(const std::string &path) const;

private:
  const bsmm_device_info device;
  const runtime::TestDataOptions data;
  const int64_t warmup;
  const bool flush;
  std::vector<Measurement> results;
  bool hasTable = false;
};

} // namespace bsmm::launch

#endif // BSMM_TOOLS_BSMM_LAUNCH_REPORT_H
