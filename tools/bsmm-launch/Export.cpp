//===- Export.cpp - a launch as PTX and launch file -----------------------===//

#include "Commands.h"
#include "bsmm/Runtime/Artifact.h"
#include <cstdio>
#include <filesystem>
#include <system_error>

using namespace bsmm;
using namespace bsmm::runtime;

/// The kernel by its number, or the first of the family that takes the request.
static std::string choose(const Artifact &artifact, const std::string &family,
                          int64_t index, const LaunchRequest &request,
                          const ArtifactKernel *&chosen) {
  if (index >= 0) {
    if (static_cast<size_t>(index) >= artifact.kernels.size())
      return "--index: expected a number below " +
             std::to_string(artifact.kernels.size()) + ", got " +
             std::to_string(index);
    chosen = &artifact.kernels[static_cast<size_t>(index)];
    return "";
  }
  std::string reason = family.empty() ? "the artifact has no kernel"
                                      : "there is no kernel '" + family + "'";
  for (const ArtifactKernel &kernel : artifact.kernels) {
    if (!family.empty() && kernel.name != family)
      continue;
    std::string why = whyNotSizes(kernel.manifest, request);
    if (why.empty()) {
      chosen = &kernel;
      return "";
    }
    reason = "kernel '" + kernel.name + "': " + why;
  }
  return reason;
}

int launch::exportCommand(int count, char **words) {
  OptionReader options(count, words);
  std::string path, folder, family;
  LaunchRequest request;
  request.m = request.n = 128;
  request.k = 256;
  int64_t index = -1;
  constexpr int64_t most = INT32_MAX, mostPitch = int64_t(1) << 40;
  while (options.next()) {
    if (options.isPositional() && path.empty())
      path = options.word();
    else if (options.is("o") || options.is("output"))
      folder = options.value();
    else if (options.is("kernel"))
      family = options.value();
    else if (options.is("index"))
      index = options.integer(0, most);
    else if (options.is("M"))
      request.m = options.integer(1, most);
    else if (options.is("N"))
      request.n = options.integer(1, most);
    else if (options.is("K"))
      request.k = options.integer(1, most);
    else if (options.is("L"))
      request.l = options.integer(1, most);
    else if (options.is("pitch-a"))
      request.operands[Role::A].pitch = options.integer(1, mostPitch);
    else if (options.is("pitch-b"))
      request.operands[Role::B].pitch = options.integer(1, mostPitch);
    else if (options.is("pitch-c"))
      request.operands[Role::C].pitch = options.integer(1, mostPitch);
    else if (options.is("pitch-d"))
      request.operands[Role::D].pitch = options.integer(1, mostPitch);
    else if (options.is("sms"))
      request.smCount = options.integer(1, 4096);
    else
      options.fail("unexpected '" + options.word() + "'");
  }
  if (!options.error.empty())
    return usageError(options.error);
  if (path.empty() || folder.empty())
    return usageError("export: expected an artifact and -o FOLDER");
  Result<Artifact> artifact = readArtifactFile(path);
  if (!artifact)
    return fail(artifact.error());
  const ArtifactKernel *kernel = nullptr;
  std::string wrong = choose(*artifact, family, index, request, kernel);
  if (!wrong.empty())
    return fail(wrong);
  if (kernel->ptx.empty())
    return fail("kernel '" + kernel->name + "' has no PTX");

  // Memory of every operand, filled with one byte.
  std::map<std::string, LaunchBuffer> buffers;
  for (const ManifestParam &param : kernel->manifest.params) {
    if (param.kind != ManifestParam::Kind::TensorMap &&
        param.kind != ManifestParam::Kind::Pointer)
      continue;
    std::string name(roleName(param.role));
    if (buffers.count(name))
      continue;
    request.operands[param.role].data.buffer = name;
    LaunchBuffer buffer;
    buffer.fill = 0;
    if (param.role == Role::Workspace) {
      Result<int64_t> bytes = workspaceBytes(kernel->manifest, request);
      if (!bytes)
        return fail(bytes.error());
      buffer.bytes = *bytes;
    } else {
      Result<OperandShape> shape =
          operandShape(kernel->manifest, request, param.role);
      if (!shape)
        return fail(shape.error());
      buffer.bytes = shape->bytes;
    }
    buffers[name] = buffer;
  }
  Result<Launch> launch = resolve(kernel->manifest, request);
  if (!launch)
    return fail(launch.error());
  launch->ptx = "kernel.ptx";
  launch->buffers = std::move(buffers);
  wrong = validateLaunch(*launch);
  if (wrong.empty()) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code)
      wrong = folder + ": cannot be made: " + code.message();
  }
  if (wrong.empty())
    wrong = writeFileInOneStep(folder + "/kernel.ptx", kernel->ptx);
  if (wrong.empty())
    wrong = writeFileInOneStep(folder + "/launch.json", writeLaunch(*launch));
  if (!wrong.empty())
    return fail(wrong);
  std::printf("%s/launch.json: %s for %s, %lldx%lldx%lld\n", folder.c_str(),
              kernel->manifest.entry.c_str(), kernel->manifest.target.c_str(),
              static_cast<long long>(request.m),
              static_cast<long long>(request.n),
              static_cast<long long>(request.k));
  return 0;
}
