//===- LaunchFile.h - Launch descriptions in JSON ---------------*- C++ -*-===//
//
// Reads a launch file (docs/abi.md, "Keys of the launch file"): the PTX, the
// entry, grid, block, cluster, dynamic shared memory, parameters, and buffers
// with what they must hold afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_LAUNCHFILE_H
#define BSMM_EMULATOR_LAUNCHFILE_H

#include "bsmm/Emulator/Emulator.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bsmm::emulator {

/// The part of a buffer that holds results. Bytes outside must not change.
struct LiveRegion {
  uint64_t rows = 0;
  uint64_t columns = 0; ///< elements
  uint64_t pitchBytes = 0;
  uint64_t batches = 1;
  uint64_t batchBytes = 0;
};

/// What a buffer must hold after the run.
struct Expectation {
  size_t buffer = 0;   ///< index into LaunchFile::storage
  std::string element; ///< f16, bf16, f32, u8, e4m3...; "" compares bytes
  std::vector<uint8_t> expected; ///< bytes; may be empty for rule bound
  bool isBound = false;
  std::vector<double> exact; ///< rule bound, an element each
  std::vector<float> bound;  ///< |got - exact| <= bound
  bool hasLive = false;
  LiveRegion live; ///< the whole buffer when !hasLive
};

struct Comparison {
  std::string buffer;
  uint64_t elements = 0;
  uint64_t equal = 0;       ///< to the expected file, bit by bit
  uint64_t withinBound = 0; ///< not equal, but within the bound
  uint64_t outside = 0;
  std::string firstOutside; ///< in words
  bool passed() const { return outside == 0; }
};

struct LaunchFile {
  std::string ptxPath;
  std::string ptx; ///< the text
  Launch launch;   ///< buffers point into `storage`
  std::vector<std::unique_ptr<std::vector<uint8_t>>> storage;
  std::vector<Expectation> expectations;

  /// Refills the buffers as they were before the run.
  void reset();
  std::vector<std::vector<uint8_t>> initial;
};

/// Reads `path`; file names in it are relative to its folder. False and
/// `error` on anything missing or malformed.
bool readLaunchFile(const std::string &path, LaunchFile &file,
                    std::string &error);

/// As readLaunchFile, with the text at hand. `folder` is empty or ends in a
/// slash. All buffers together may take `maximumBytes`.
bool parseLaunchFile(std::string_view text, const std::string &folder,
                     LaunchFile &file, std::string &error,
                     uint64_t maximumBytes = uint64_t(1) << 36);

/// Compares the buffers with what the file expects, one entry a buffer.
std::vector<Comparison> compareOutputs(const LaunchFile &file);

} // namespace bsmm::emulator

#endif // BSMM_EMULATOR_LAUNCHFILE_H
