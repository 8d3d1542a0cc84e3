//===- CudaBackend.cpp - compile and launch on a GPU ----------------------===//

#include "CudaBackend.h"
#include "CompileOne.h"
#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/Runtime.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <list>

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

/// The value below which `fraction` of the sorted times lie.
static double percentile(const std::vector<double> &sorted, double fraction) {
  double at = fraction * double(sorted.size() - 1);
  size_t low = size_t(at), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - double(low));
}

static std::string measure(Kernel &kernel, const Arguments &arguments,
                           const Problem &problem, const RunOptions &options,
                           raw_ostream &log) {
  bsmm_measure_options how = BSMM_MEASURE_OPTIONS_INIT;
  how.repetitions = int32_t(options.repetitions);
  Outcome<std::vector<double>> times = kernel.measure(arguments, how);
  if (!times.ok())
    return times.text();
  std::sort(times->begin(), times->end());
  double median = percentile(*times, 0.5);
  double operations =
      2.0 * double(problem.m) * problem.n * problem.k * problem.l;
  log << "cuda: median "
      << llvm::format("%.2f us, p20 %.2f us, p80 %.2f us, %.1f TFLOP/s",
                      1e3 * median, 1e3 * percentile(*times, 0.2),
                      1e3 * percentile(*times, 0.8), operations / median / 1e9)
      << ", " << times->size() << " launches, L2 cache flushed\n";
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
  runtime::Artifact contents;
  runtime::ArtifactKernel code;
  code.name = compiled.manifest.entry;
  code.manifest = compiled.manifest;
  code.ptx = compiled.ptx;
  contents.kernels.push_back(code);
  runtime::Result<std::string> bytes = runtime::formatArtifact(contents);
  if (!bytes)
    return bytes.error();
  Outcome<bsmm::Artifact> artifact =
      bsmm::Artifact::openMemory(bytes->data(), bytes->size());
  if (!artifact.ok())
    return artifact.text();
  Outcome<Kernel> kernel = Kernel::load(*device, *artifact, 0);
  if (!kernel.ok())
    return kernel.text();

  Arguments arguments(problem.m, problem.n, problem.k, problem.l);
  arguments.alpha(problem.alpha).beta(problem.beta).outScale(problem.outScale);
  struct Binding {
    bsmm_role role;
    std::vector<uint8_t> *data;
    int64_t pitch;
  };
  const Binding bindings[] = {{BSMM_ROLE_A, &operands.a, problem.pitchA},
                              {BSMM_ROLE_B, &operands.b, problem.pitchB},
                              {BSMM_ROLE_SFA, &operands.sfa, 0},
                              {BSMM_ROLE_SFB, &operands.sfb, 0},
                              {BSMM_ROLE_C, &operands.c, problem.pitchC},
                              {BSMM_ROLE_D, &operands.d, problem.pitchD},
                              {BSMM_ROLE_SA, &operands.sa, 0},
                              {BSMM_ROLE_SB, &operands.sb, 0},
                              {BSMM_ROLE_BIAS, &operands.bias, 0}};
  std::list<DeviceMemory> memory;
  DeviceMemory *output = nullptr;
  for (const Binding &binding : bindings) {
    if (binding.data->empty())
      continue;
    Outcome<DeviceMemory> place = device->allocate(binding.data->size());
    if (!place.ok())
      return place.text();
    memory.push_back(std::move(*place));
    if (Status status = memory.back().write(binding.data->data()); !status.ok())
      return status.text();
    if (binding.role == BSMM_ROLE_D)
      output = &memory.back();
    arguments.operand(binding.role, memory.back(),
                      std::max<int64_t>(binding.pitch, 0));
  }
  if (!output)
    return "expected a kernel with an output";

  std::vector<uint8_t> first;
  for (int64_t number = 0; number < options.launches; ++number) {
    if (Status status = kernel->launch(arguments); !status.ok())
      return status.text();
    if (Status status = output->read(operands.d.data()); !status.ok())
      return status.text();
    if (number == 0)
      first = operands.d;
    else if (first != operands.d)
      return "a second launch gave another result";
  }
  bsmm_kernel_resources resources = kernel->resources();
  log << "cuda: " << device->info().name << ", " << resources.registers
      << " registers, " << resources.local_bytes << " bytes of local memory\n";
  if (options.repetitions > 0)
    return measure(*kernel, arguments, problem, options, log);
  return "";
}
