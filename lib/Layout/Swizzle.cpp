//===- Swizzle.cpp - shared-memory swizzles and operand tiles -------------===//

#include "bsmm/Layout/Swizzle.h"

using namespace bsmm::layout;

namespace {
/// XOR `count` address bits from `target` on with those from bit 7 on.
struct Permutation {
  unsigned target, count;
};
} // namespace

static Permutation permutationOf(SwizzleMode mode) {
  switch (mode) {
  case SwizzleMode::None:
    return {4, 0};
  case SwizzleMode::Bytes32:
    return {4, 1};
  case SwizzleMode::Bytes64:
    return {4, 2};
  case SwizzleMode::Bytes128:
    return {4, 3};
  case SwizzleMode::Bytes128Atom32:
    return {5, 2};
  }
  return {4, 0};
}

const char *bsmm::layout::swizzleName(SwizzleMode mode) {
  switch (mode) {
  case SwizzleMode::None:
    return "none";
  case SwizzleMode::Bytes32:
    return "32B";
  case SwizzleMode::Bytes64:
    return "64B";
  case SwizzleMode::Bytes128:
    return "128B";
  case SwizzleMode::Bytes128Atom32:
    return "128B_atom_32B";
  }
  return "unknown";
}

int64_t bsmm::layout::swizzleWidth(SwizzleMode mode) {
  switch (mode) {
  case SwizzleMode::None:
    return 16;
  case SwizzleMode::Bytes32:
    return 32;
  case SwizzleMode::Bytes64:
    return 64;
  case SwizzleMode::Bytes128:
  case SwizzleMode::Bytes128Atom32:
    return 128;
  }
  return 16;
}

int64_t bsmm::layout::swizzlePatternBytes(SwizzleMode mode) {
  Permutation permutation = permutationOf(mode);
  if (permutation.count == 0)
    return 16;
  return int64_t(128) << permutation.count;
}

int64_t bsmm::layout::sharedTileAlignment(SwizzleMode mode) {
  // The base offset of the 32-byte units is defined like that of the other
  // 128-byte mode, so they get its alignment.
  if (mode == SwizzleMode::Bytes128Atom32)
    return 1024;
  int64_t pattern = swizzlePatternBytes(mode);
  return pattern < 128 ? 128 : pattern;
}

uint64_t bsmm::layout::swizzledOffset(SwizzleMode mode, uint64_t byteOffset) {
  Permutation permutation = permutationOf(mode);
  uint64_t mask = (uint64_t(1) << permutation.count) - 1;
  return byteOffset ^ (((byteOffset >> 7) & mask) << permutation.target);
}

Result<LinearLayout> bsmm::layout::swizzleLayout(SwizzleMode mode,
                                                 unsigned addressBits) {
  Permutation permutation = permutationOf(mode);
  unsigned needed = permutation.count ? 7 + permutation.count : 4;
  if (addressBits < needed || addressBits > LinearMap::maxBits)
    return makeError("expected ", needed, " to ", LinearMap::maxBits,
                     " address bits for the ", swizzleName(mode),
                     " swizzle, got ", addressBits);
  std::vector<int64_t> images;
  for (unsigned bit = 0; bit < addressBits; ++bit)
    images.push_back(int64_t(swizzledOffset(mode, uint64_t(1) << bit)));
  return LinearLayout::get({{"offset", {{"offset", images}}}},
                           {{"offset", addressBits}});
}

static unsigned log2Exact(int64_t value) {
  unsigned bits = 0;
  while ((int64_t(1) << bits) < value)
    ++bits;
  return bits;
}

Result<LinearLayout> bsmm::layout::operandAtom(SwizzleMode mode) {
  if (mode == SwizzleMode::Bytes128Atom32)
    return makeError("expected swizzle none, 32B, 64B or 128B for a K-major "
                     "operand, got 128B_atom_32B");
  unsigned widthBits = log2Exact(swizzleWidth(mode));
  std::vector<int64_t> rows, bytes;
  for (unsigned bit = 0; bit < widthBits; ++bit)
    bytes.push_back(int64_t(1) << bit);
  for (unsigned bit = 0; bit < 3; ++bit)
    rows.push_back(int64_t(1) << (widthBits + bit));
  unsigned bits = widthBits + 3;
  auto plain = LinearMap::get(
      {{"row", {{"offset", rows}}}, {"byte", {{"offset", bytes}}}},
      {{"offset", bits}});
  if (!plain)
    return Error{plain.error()};
  auto swizzle = swizzleLayout(mode, bits);
  if (!swizzle)
    return Error{swizzle.error()};
  auto atom = plain->compose(*swizzle);
  if (!atom)
    return Error{atom.error()};
  return LinearLayout::get(*atom);
}

Result<TiledLayout> bsmm::layout::kMajorOperand(SwizzleMode mode, int64_t rows,
                                                int64_t rowBytes) {
  auto atom = operandAtom(mode);
  if (!atom)
    return Error{atom.error()};
  int64_t width = swizzleWidth(mode);
  if (rows < 8 || rows % 8 != 0)
    return makeError("expected whole atoms of 8 rows, got ", rows, " rows");
  if (rowBytes < width || rowBytes % width != 0)
    return makeError("expected rows of a multiple of ", width,
                     " bytes for the ", swizzleName(mode), " swizzle, got ",
                     rowBytes);
  if (rows > (int64_t(1) << 40) || rowBytes > (int64_t(1) << 40))
    return makeError("expected a tile of at most 2^40 rows and bytes, got ",
                     rows, " rows of ", rowBytes, " bytes");
  OperandStrides strides = kMajorStrides(mode, rows);
  return TiledLayout::get(
      *atom, {{"row", rows / 8, {{"offset", strides.stride}}},
              {"byte", rowBytes / width, {{"offset", strides.panel}}}});
}

OperandStrides bsmm::layout::kMajorStrides(SwizzleMode mode, int64_t rows) {
  int64_t width = swizzleWidth(mode);
  int64_t panel = rows * width;
  // Without swizzle a panel is one core matrix wide and the hardware finds the
  // next one by itself; with swizzle it never leaves the panel and the field
  // is not used.
  return {mode == SwizzleMode::None ? panel : 0, 8 * width, panel};
}

int64_t bsmm::layout::kMajorOffset(SwizzleMode mode, int64_t rows, int64_t row,
                                   int64_t byte) {
  int64_t width = swizzleWidth(mode);
  return byte / width * rows * width +
         int64_t(swizzledOffset(mode, uint64_t(row * width + byte % width)));
}

int64_t bsmm::layout::kMajorStepOffset(SwizzleMode mode, int64_t rows,
                                       int64_t byte) {
  int64_t width = swizzleWidth(mode);
  return byte / width * rows * width + byte % width;
}
