//===- CudaBackend.cpp - compile and launch on a GPU ----------------------===//

#include "CudaBackend.h"
#include "DeviceRun.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

/// A line that is written over, for people at a terminal.
static int32_t showProgress(void *, int32_t done, int32_t repetitions) {
  bool isLast = done == repetitions;
  if (done % 8 == 0 || isLast)
    std::fprintf(stderr, "\rmeasuring %d of %d%s", done, repetitions,
                 isLast ? "\r\033[K" : "");
  return 0;
}

static std::string measure(Kernel &kernel, const Arguments &arguments,
                           const Problem &problem, const RunOptions &options) {
  bsmm_measure_options how = BSMM_MEASURE_OPTIONS_INIT;
  how.warmup = int32_t(options.warmup);
  how.repetitions = int32_t(options.repetitions);
  how.flush_l2 = options.flush;
  if (llvm::sys::Process::StandardErrIsDisplayed())
    how.progress = showProgress;
  Outcome<std::vector<double>> times = kernel.measure(arguments, how);
  if (!times.ok())
    return times.text();
  runtime::Measurement &result = *options.measurement;
  result.milliseconds = std::move(*times);
  runtime::LaunchRequest request;
  request.m = problem.m;
  request.n = problem.n;
  request.k = problem.k;
  request.l = problem.l;
  result.traffic = runtime::trafficBytes(result.manifest, request);
  return "";
}

std::string CudaBackend::run(ModuleOp module, const Problem &problem,
                             Operands &operands, const RunOptions &options,
                             raw_ostream &log) {
  Outcome<Device> device = Device::cuda(0);
  if (!device.ok())
    return device.text();
  CompiledKernel compiled;
  if (std::string reason = compileOne(module, problem.kernel, compiled);
      !reason.empty())
    return reason;
  auto report = [&](Kernel &kernel, const Arguments &arguments) -> std::string {
    bsmm_kernel_resources resources = kernel.resources();
    bsmm_device_info info = device->info();
    log << "cuda: " << info.name << ", " << resources.registers
        << " registers, " << resources.local_bytes
        << " bytes of local memory\n";
    if (!options.measurement)
      return "";
    runtime::MeasurementSetting &setting = *options.setting;
    setting.device = info.name;
    setting.target = info.target;
    setting.smCount = info.sm_count;
    setting.driverVersion = info.driver_version;
    options.measurement->name = compiled.manifest.entry;
    options.measurement->manifest = compiled.manifest;
    options.measurement->resources = resources;
    return measure(kernel, arguments, problem, options);
  };
  return launchOnDevice(*device, compiled, problem, operands, options, report);
}
