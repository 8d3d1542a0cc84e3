//===- DeviceRun.h - launch through the runtime's library -------*- C++ -*-===//

#ifndef BSMM_LIB_RUNNER_DEVICERUN_H
#define BSMM_LIB_RUNNER_DEVICERUN_H

#include "CompileOne.h"
#include "bsmm/Runner/Backend.h"
#include "bsmm/Runtime/Runtime.h"

#include <functional>

namespace bsmm::runner {

/// Launches a kernel on a device through the C ABI, as every other caller does,
/// options.launches times on the same memory, and reads operands.d back; all
/// launches must give the same bytes. Then calls `afterwards`, while the
/// operands are still in memory. Returns the reason on failure.
std::string launchOnDevice(
    Device &device, const CompiledKernel &compiled, const Problem &problem,
    Operands &operands, const RunOptions &options,
    const std::function<std::string(Kernel &, const Arguments &)> &afterwards);

} // namespace bsmm::runner

#endif // BSMM_LIB_RUNNER_DEVICERUN_H
