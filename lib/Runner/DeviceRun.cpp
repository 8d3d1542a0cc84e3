//===- DeviceRun.cpp - launch through the runtime's library ---------------===//

#include "DeviceRun.h"
#include "bsmm/Runtime/Artifact.h"

#include <algorithm>
#include <list>

using namespace bsmm;
using namespace bsmm::runner;

/// An artifact of one kernel, through its bytes.
static std::string packOne(const CompiledKernel &compiled,
                           std::optional<bsmm::Artifact> &artifact) {
  runtime::Artifact contents;
  runtime::ArtifactKernel code;
  code.name = compiled.manifest.entry;
  code.manifest = compiled.manifest;
  code.ptx = compiled.ptx;
  contents.kernels.push_back(code);
  runtime::Result<std::string> bytes = runtime::formatArtifact(contents);
  if (!bytes)
    return bytes.error();
  Outcome<bsmm::Artifact> opened =
      bsmm::Artifact::openMemory(bytes->data(), bytes->size());
  if (!opened.ok())
    return opened.text();
  artifact = std::move(*opened);
  return "";
}

std::string runner::launchOnDevice(
    Device &device, const CompiledKernel &compiled, const Problem &problem,
    Operands &operands, const RunOptions &options,
    const std::function<std::string(Kernel &, const Arguments &)> &afterwards) {
  std::optional<bsmm::Artifact> artifact;
  if (std::string reason = packOne(compiled, artifact); !reason.empty())
    return reason;
  Outcome<Kernel> kernel = Kernel::load(device, *artifact, 0);
  if (!kernel.ok())
    return kernel.text();

  Arguments arguments(problem.m, problem.n, problem.k, problem.l);
  arguments.alpha(problem.alpha)
      .beta(problem.beta)
      .outScale(problem.outScale)
      .smCount(int32_t(options.smCount));
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
    Outcome<DeviceMemory> place = device.allocate(binding.data->size());
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
  return afterwards(*kernel, arguments);
}
