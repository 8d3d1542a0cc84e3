//===- Overlay.cpp - Global memory of clusters that run ahead ---*- C++ -*-===//

#include "Overlay.h"

#include "Machine.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

constexpr uint64_t LineBytes = 64;
constexpr uint64_t PageBytes = 4096;

template <typename T> static T *zeroed(uint64_t count) {
  return static_cast<T *>(std::calloc(std::max<uint64_t>(count, 1), sizeof(T)));
}

bool GlobalOverlay::noteRead(size_t region, uint64_t offset, uint64_t bytes) {
  Part &part = parts[region];
  if (!part.read) {
    part.read.reset(
        zeroed<uint8_t>(regions[region].bytes / (8 * LineBytes) + 1));
    if (!part.read)
      return false;
  }
  uint64_t last = (offset + bytes - 1) / LineBytes;
  for (uint64_t line = offset / LineBytes; line <= last; ++line)
    part.read[line / 8] |= static_cast<uint8_t>(1u << line % 8);
  return true;
}

bool GlobalOverlay::copyPages(size_t region, uint64_t offset, uint64_t bytes) {
  Part &part = parts[region];
  const Region &source = regions[region];
  if (!part.data) {
    uint64_t pages = source.bytes / PageBytes + 1;
    part.data.reset(zeroed<uint8_t>(pages * PageBytes));
    part.dirty.reset(zeroed<uint64_t>(pages * (PageBytes / LineBytes)));
    part.valid.reset(zeroed<uint8_t>(pages));
    if (!part.data || !part.dirty || !part.valid) {
      part.data.reset();
      return false;
    }
  }
  uint64_t last = (offset + bytes - 1) / PageBytes;
  for (uint64_t page = offset / PageBytes; page <= last; ++page) {
    if (part.valid[page])
      continue;
    uint64_t begin = page * PageBytes;
    std::memcpy(part.data.get() + begin, source.data + begin,
                std::min(PageBytes, source.bytes - begin));
    part.valid[page] = 1;
    part.pages.push_back(page);
  }
  return true;
}

uint8_t *GlobalOverlay::access(size_t region, uint64_t offset, uint64_t bytes,
                               GlobalUse use) {
  const Region &source = regions[region];
  if (bytes == 0 || use == GlobalUse::CheckRead ||
      use == GlobalUse::CheckWrite || source.readOnly)
    return source.data + offset;
  Part &part = parts[region];
  if (use != GlobalUse::Write && !noteRead(region, offset, bytes))
    return nullptr;
  if (use == GlobalUse::Read) {
    bool copied = false;
    if (part.data)
      for (uint64_t page = offset / PageBytes;
           page <= (offset + bytes - 1) / PageBytes; ++page)
        copied |= part.valid[page] != 0;
    if (!copied)
      return source.data + offset;
  }
  if (!copyPages(region, offset, bytes))
    return nullptr;
  if (use != GlobalUse::Read) {
    uint64_t end = offset + bytes;
    for (uint64_t at = offset; at < end;) {
      uint64_t in = at % LineBytes;
      uint64_t count = std::min(LineBytes - in, end - at);
      uint64_t bits = count == LineBytes ? ~uint64_t(0)
                                         : ((uint64_t(1) << count) - 1) << in;
      part.dirty[at / LineBytes] |= bits;
      at += count;
    }
  }
  return part.data.get() + offset;
}

bool GlobalOverlay::hasRead(const std::vector<GlobalLine> &lines) const {
  for (const GlobalLine &line : lines) {
    const Part &part = parts[line.region];
    if (part.read && part.read[line.line / 8] >> line.line % 8 & 1)
      return true;
  }
  return false;
}

void GlobalOverlay::commit(std::vector<GlobalLine> &lines) const {
  for (size_t region = 0; region < parts.size(); ++region) {
    const Part &part = parts[region];
    for (uint64_t page : part.pages)
      for (uint64_t k = 0; k < PageBytes / LineBytes; ++k) {
        uint64_t line = page * (PageBytes / LineBytes) + k;
        uint64_t bits = part.dirty[line];
        if (bits == 0)
          continue;
        uint8_t *to = regions[region].data + line * LineBytes;
        const uint8_t *from = part.data.get() + line * LineBytes;
        if (bits == ~uint64_t(0))
          std::memcpy(to, from, LineBytes);
        else
          for (; bits != 0; bits &= bits - 1)
            to[__builtin_ctzll(bits)] = from[__builtin_ctzll(bits)];
        lines.push_back({static_cast<uint32_t>(region), line});
      }
  }
}

} // namespace bsmm::emulator
