//===- Handles.h - the opaque objects of the C ABI --------------*- C++ -*-===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_HANDLES_H
#define BSMM_LIB_RUNTIME_LIBRARY_HANDLES_H

#include "Arguments.h"
#include <mutex>

namespace bsmm::runtime::library {

/// An artifact and the texts that its handle gives out. Immutable.
struct ArtifactData {
  Artifact artifact;
  std::vector<std::string> manifests; // JSON, of each kernel
  std::string description;
};

/// A launch that was prepared before. The key holds every argument.
struct CachedLaunch {
  uint64_t hash = 0;
  std::string key;
  std::shared_ptr<const PreparedLaunch> launch;
};

/// A bounded set of prepared launches, so that a repeated launch neither
/// resolves nor encodes again.
class LaunchCache {
public:
  std::shared_ptr<const PreparedLaunch> find(const std::string &key);
  void insert(std::string key, std::shared_ptr<const PreparedLaunch> launch);

private:
  static constexpr size_t capacity = 64;
  std::mutex mutex;
  std::vector<CachedLaunch> entries;
  size_t next = 0;
};

} // namespace bsmm::runtime::library

struct bsmm_artifact {
  std::shared_ptr<const bsmm::runtime::library::ArtifactData> data;
};

struct bsmm_kernel {
  // Members are destroyed in reverse order: launches, kernel, device, code.
  std::shared_ptr<const bsmm::runtime::library::ArtifactData> data;
  std::shared_ptr<bsmm::runtime::library::Device> device;
  size_t index = 0;
  std::unique_ptr<bsmm::runtime::library::LoadedKernel> loaded;
  // By the arguments as the caller gave them, for launches that need nothing
  // but the launch; and by what was made of them.
  bsmm::runtime::library::LaunchCache plainLaunches;
  bsmm::runtime::library::LaunchCache launches;

  const bsmm::runtime::KernelManifest &manifest() const {
    return data->artifact.kernels[index].manifest;
  }
};

#endif // BSMM_LIB_RUNTIME_LIBRARY_HANDLES_H
