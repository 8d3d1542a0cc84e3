//===- Files.cpp - pack, inspect and devices ------------------------------===//

#include "Commands.h"
#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/bsmm_runtime.h"
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>

using namespace bsmm;
using namespace bsmm::runtime;

static bool readFile(const std::string &path, std::string &bytes) {
  std::ifstream file(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(file),
               std::istreambuf_iterator<char>());
  return !file.fail() || file.eof();
}

int launch::packCommand(int count, char **words) {
  OptionReader options(count, words);
  std::string output, name;
  struct Source {
    std::string name, manifest;
  };
  std::vector<Source> sources;
  while (options.next()) {
    if (options.isPositional())
      sources.push_back({name, options.word()});
    else if (options.is("o") || options.is("output"))
      output = options.value();
    else if (options.is("name"))
      name = options.value();
    else
      options.fail("unknown option '" + options.word() + "'");
  }
  if (!options.error.empty())
    return usageError(options.error);
  if (output.empty() || sources.empty())
    return usageError("pack: expected -o FILE.bsmm and manifests");
  Artifact artifact;
  artifact.producer = "bsmm-launch pack";
  // Files stay where they are while the artifact's views point to them.
  std::deque<std::string> files;
  for (const Source &source : sources) {
    std::string text;
    if (!readFile(source.manifest, text))
      return fail(source.manifest + ": cannot be read");
    Result<KernelManifest> manifest = parseManifest(text);
    if (!manifest)
      return fail(source.manifest + ": " + manifest.error());
    ArtifactKernel kernel;
    kernel.name = source.name.empty() ? manifest->entry : source.name;
    kernel.manifest = *manifest;
    size_t slash = source.manifest.rfind('/');
    std::string folder =
        slash == std::string::npos ? "" : source.manifest.substr(0, slash + 1);
    for (auto [file, view] : {std::pair{&manifest->ptx, &kernel.ptx},
                              std::pair{&manifest->cubin, &kernel.cubin}}) {
      if (file->empty())
        continue;
      files.emplace_back();
      if (!readFile(folder + *file, files.back()) || files.back().empty())
        return fail(folder + *file + ": cannot be read, or is empty");
      *view = files.back();
    }
    artifact.kernels.push_back(std::move(kernel));
  }
  std::string text = writeArtifactFile(output, artifact);
  if (!text.empty())
    return fail(text);
  std::printf("%s: %zu kernels\n", output.c_str(), artifact.kernels.size());
  return 0;
}

int launch::inspectCommand(int count, char **words) {
  OptionReader options(count, words);
  std::string path;
  while (options.next()) {
    if (options.isPositional() && path.empty())
      path = options.word();
    else
      options.fail("unexpected '" + options.word() + "'");
  }
  if (!options.error.empty())
    return usageError(options.error);
  if (path.empty())
    return usageError("inspect: expected an artifact");
  Result<Artifact> artifact = readArtifactFile(path);
  if (!artifact)
    return fail(artifact.error());
  std::printf("%s\n", describeArtifact(*artifact).c_str());
  return 0;
}

int launch::devicesCommand(int count, char **) {
  if (count != 0)
    return usageError("devices: expected no arguments");
  int32_t found = 0;
  if (bsmm_cuda_device_count(&found) != BSMM_OK)
    return fail(bsmm_last_error());
  for (int32_t ordinal = 0; ordinal < found; ++ordinal) {
    bsmm_device *device = nullptr;
    bsmm_device_info info{};
    info.struct_size = sizeof(info);
    if (bsmm_device_open_cuda(ordinal, &device) != BSMM_OK ||
        bsmm_device_info_get(device, &info) != BSMM_OK)
      return fail(bsmm_last_error());
    std::printf("cuda:%d  %s, %s, %d SMs, %.1f GiB, driver %d.%d\n", ordinal,
                info.name, *info.target ? info.target : "no target of bsmm",
                info.sm_count, double(info.memory_bytes) / (1 << 30),
                info.driver_version / 1000, info.driver_version % 1000 / 10);
    bsmm_device_close(device);
  }
  std::printf("emulator  every target\n");
  return 0;
}
