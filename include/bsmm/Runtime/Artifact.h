//===- Artifact.h - kernels with their code in one file ---------*- C++ -*-===//
//
// An artifact holds the kernels of one operation: a manifest (docs/abi.md), PTX
// and perhaps a cubin for each target and configuration. docs/runtime.md has
// the format. Reading trusts no length or offset of the file.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_ARTIFACT_H
#define BSMM_RUNTIME_ARTIFACT_H

#include "bsmm/Runtime/LaunchDescription.h"
#include <memory>

namespace bsmm::runtime {

inline constexpr std::string_view artifactSchema = "bsmm.artifact/1";

/// One kernel: a target and a configuration.
struct ArtifactKernel {
  /// Kernels with the same name are one family; the better choice comes first.
  std::string name;
  KernelManifest manifest;
  /// Empty: none. Views of Artifact::file, or of the caller's memory when an
  /// artifact is made.
  std::string_view ptx;
  std::string_view cubin;
};

struct Artifact {
  std::string producer; ///< who wrote it, for people
  std::vector<ArtifactKernel> kernels;
  /// The bytes that the views point into; null for an artifact made here.
  std::shared_ptr<const std::string> file;
};

/// Why an artifact could not be read.
enum class ArtifactFault { None, CannotRead, Version, Damaged };

/// The artifact of a whole file. `fault`, when given, receives the kind of the
/// error.
Result<Artifact> parseArtifact(std::string bytes,
                               ArtifactFault *fault = nullptr);
Result<Artifact> readArtifactFile(const std::string &fileName,
                                  ArtifactFault *fault = nullptr);

/// The bytes of a file. Equal codes are stored once. An error names the kernel
/// that is illegal.
Result<std::string> formatArtifact(const Artifact &artifact);
/// Writes a file and then moves it to its name, so that readers see the old
/// contents or the new. Empty on success.
std::string writeArtifactFile(const std::string &fileName,
                              const Artifact &artifact);

/// Writes bytes to a file in the same way. Empty on success.
std::string writeFileInOneStep(const std::string &fileName,
                               std::string_view bytes);

/// The artifact as JSON for people: kernels with manifests, sizes and CRCs.
std::string describeArtifact(const Artifact &artifact);

/// CRC-32 of IEEE 802.3 (polynomial 0xEDB88320, reflected), as in zlib.
uint32_t crc32(std::string_view bytes, uint32_t previous = 0);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_ARTIFACT_H
