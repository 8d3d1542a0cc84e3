//===- Overlay.h - Global memory of clusters that run ahead -----*- C++ -*-===//
//
// Clusters that run on other host threads must not see each other. Each group
// of them gets an overlay: what it writes stays there, what it reads is noted.
// When its turn has come in the order of a single-threaded run, its writes are
// taken over unless it has read something that a group before it changed
// meanwhile; then it is run again. So every run has the result of a
// single-threaded one, whatever kernels tell each other through global memory.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_EMULATOR_OVERLAY_H
#define BSMM_LIB_EMULATOR_OVERLAY_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace bsmm::emulator {

struct Region;

/// What an instruction wants of a place in global memory.
enum class GlobalUse : uint8_t {
  CheckRead, ///< is it there; no data moves
  CheckWrite,
  Read,
  Write,
  Update ///< reads and writes
};

inline bool writes(GlobalUse use) {
  return use != GlobalUse::CheckRead && use != GlobalUse::Read;
}

/// 64 bytes of a region.
struct GlobalLine {
  uint32_t region;
  uint64_t line;
};

class GlobalOverlay {
public:
  explicit GlobalOverlay(const std::vector<Region> &regions)
      : regions(regions), parts(regions.size()) {}

  /// Where the bytes [offset, offset + bytes) of a region are for now; valid
  /// until the next call. They lie inside the region. Null when the host has
  /// no memory for it.
  uint8_t *access(size_t region, uint64_t offset, uint64_t bytes,
                  GlobalUse use);

  /// Whether any of the lines was read.
  bool hasRead(const std::vector<GlobalLine> &lines) const;

  /// Moves what was written into the regions and appends its lines.
  void commit(std::vector<GlobalLine> &lines) const;

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  /// Zeroed; large ones take host memory only where they are touched.
  template <typename T> using Zeroed = std::unique_ptr<T[], Free>;

  /// Copies of pages of one region, made when something is written there.
  struct Part {
    Zeroed<uint8_t> data;
    Zeroed<uint64_t> dirty; ///< a bit a byte, a word a line
    Zeroed<uint8_t> valid;  ///< by page: copied
    Zeroed<uint8_t> read;   ///< a bit a line
    std::vector<uint64_t> pages;
  };

  bool copyPages(size_t region, uint64_t offset, uint64_t bytes);
  bool noteRead(size_t region, uint64_t offset, uint64_t bytes);

  const std::vector<Region> &regions;
  std::vector<Part> parts;
};

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_OVERLAY_H
