//===- SwizzleTest.cpp ----------------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/IndexChain.h"
#include "bsmm/Layout/Swizzle.h"

#include <set>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

/// The published form by rows: for a row r of S bytes, the 16-byte chunk c is
/// stored at chunk c ^ f(r) (PTX ISA, swizzling modes).
static uint64_t byRows(SwizzleMode mode, uint64_t offset) {
  uint64_t width = 1, unit = 1, row = 0, chunk = 0, low = 0;
  auto split = [&](uint64_t s, uint64_t u) {
    width = s;
    unit = u;
    row = offset / s;
    chunk = offset % s / u;
    low = offset % u;
  };
  switch (mode) {
  case SwizzleMode::None:
    return offset;
  case SwizzleMode::Bytes32:
    split(32, 16);
    chunk ^= row / 4 % 2;
    break;
  case SwizzleMode::Bytes64:
    split(64, 16);
    chunk ^= row / 2 % 4;
    break;
  case SwizzleMode::Bytes128:
    split(128, 16);
    chunk ^= row % 8;
    break;
  case SwizzleMode::Bytes128Atom32:
    split(128, 32);
    chunk ^= row % 4;
    break;
  }
  return row * width + chunk * unit + low;
}

TEST(Swizzle, EveryModeEveryOffset) {
  for (SwizzleMode mode : allSwizzleModes) {
    LinearLayout layout = get(swizzleLayout(mode, 12));
    std::set<uint64_t> places;
    for (uint64_t offset = 0; offset < 4096; ++offset) {
      uint64_t expected = byRows(mode, offset);
      ASSERT_EQ(swizzledOffset(mode, offset), expected)
          << swizzleName(mode) << " " << offset;
      ASSERT_EQ(layout.applyPacked(offset), expected);
      ASSERT_EQ(swizzledOffset(mode, expected), offset);
      places.insert(expected);
    }
    EXPECT_EQ(places.size(), 4096u);
    EXPECT_EQ(get(layout.compose(layout)),
              get(LinearMap::identity({{"offset", 12}})));
  }
}

TEST(Swizzle, Sizes) {
  const int64_t widths[] = {16, 32, 64, 128, 128};
  const int64_t patterns[] = {16, 256, 512, 1024, 512};
  const int64_t alignments[] = {128, 256, 512, 1024, 1024};
  for (SwizzleMode mode : allSwizzleModes) {
    EXPECT_EQ(swizzleWidth(mode), widths[int(mode)]);
    EXPECT_EQ(swizzlePatternBytes(mode), patterns[int(mode)]);
    EXPECT_EQ(sharedTileAlignment(mode), alignments[int(mode)]);
    // The pattern size is where the permutation repeats, and no earlier.
    auto repeats = [&](uint64_t period) {
      for (uint64_t offset = 0; offset < 4096; ++offset)
        if (swizzledOffset(mode, offset + period) !=
            swizzledOffset(mode, offset) + period)
          return false;
      return true;
    };
    EXPECT_TRUE(repeats(patterns[int(mode)]));
    if (mode != SwizzleMode::None) {
      EXPECT_FALSE(repeats(patterns[int(mode)] / 2));
    }
  }
  expectError(swizzleLayout(SwizzleMode::Bytes128, 9),
              "expected 10 to 62 address bits for the 128B swizzle, got 9");
  expectError(swizzleLayout(SwizzleMode::Bytes32, 63), "got 63");
}

static constexpr SwizzleMode kMajorModes[] = {
    SwizzleMode::None, SwizzleMode::Bytes32, SwizzleMode::Bytes64,
    SwizzleMode::Bytes128};

TEST(Swizzle, OperandAtoms) {
  for (SwizzleMode mode : kMajorModes) {
    LinearLayout atom = get(operandAtom(mode));
    int64_t width = swizzleWidth(mode);
    EXPECT_EQ(int64_t(1) << atom.inputBits(), 8 * width);
    EXPECT_TRUE(atom.isSurjective());
    for (int64_t row = 0; row < 8; ++row)
      for (int64_t byte = 0; byte < width; ++byte)
        EXPECT_EQ(get(atom.apply({{"row", row}, {"byte", byte}}))["offset"],
                  int64_t(byRows(mode, uint64_t(row * width + byte))));
  }
  expectError(operandAtom(SwizzleMode::Bytes128Atom32), "128B_atom_32B");
}

TEST(Swizzle, OperandTilesOfEverySize) {
  for (SwizzleMode mode : kMajorModes) {
    int64_t width = swizzleWidth(mode);
    for (int64_t rows : {8, 24, 64, 128, 192, 256})
      for (int64_t panels : {1, 2, 3}) {
        int64_t rowBytes = panels * width;
        TiledLayout tile = get(kMajorOperand(mode, rows, rowBytes));
        EXPECT_EQ(tile.extent("row"), rows);
        EXPECT_EQ(tile.extent("byte"), rowBytes);
        EXPECT_EQ(tile.outputExtent("offset"), rows * rowBytes);
        EXPECT_TRUE(get(tile.isInjective()));
        for (int64_t row = 0; row < rows; row += row % 8 == 7 ? 9 : 1)
          for (int64_t byte = 0; byte < rowBytes; byte += 5) {
            // TMA: a box of the panel, row by row, then the address bits.
            int64_t base = byte / width * rows * width;
            int64_t expected =
                base +
                int64_t(byRows(mode, uint64_t(row * width + byte % width)));
            // The canonical form of the descriptor.
            OperandStrides strides = kMajorStrides(mode, rows);
            int64_t canonical =
                mode == SwizzleMode::None
                    ? row / 8 * strides.stride + row % 8 * 16 +
                          byte / 16 * strides.leading + byte % 16
                    : base +
                          int64_t(swizzledOffset(
                              mode, uint64_t(row / 8 * strides.stride +
                                             row % 8 * width + byte % width)));
            EXPECT_EQ(canonical, expected);
            EXPECT_EQ(kMajorOffset(mode, rows, row, byte), expected);
            EXPECT_EQ(get(tile.apply({{"row", row}, {"byte", byte}}))["offset"],
                      expected);
          }
      }
    for (int64_t rows = -8; rows <= 40; ++rows)
      EXPECT_EQ(bool(kMajorOperand(mode, rows, width)),
                rows > 0 && rows % 8 == 0);
    for (int64_t bytes = -width; bytes <= 3 * width; ++bytes)
      EXPECT_EQ(bool(kMajorOperand(mode, 8, bytes)),
                bytes > 0 && bytes % width == 0);
  }
  expectError(kMajorOperand(SwizzleMode::Bytes128, 12, 128),
              "expected whole atoms of 8 rows, got 12 rows");
  expectError(kMajorOperand(SwizzleMode::Bytes128, 8, 96),
              "expected rows of a multiple of 128 bytes for the 128B swizzle, "
              "got 96");
  expectError(kMajorOperand(SwizzleMode::None, int64_t(1) << 60, 16),
              "at most 2^40");
}

TEST(Swizzle, DescriptorStrides) {
  OperandStrides none = kMajorStrides(SwizzleMode::None, 128);
  EXPECT_EQ(none.leading, 2048);
  EXPECT_EQ(none.stride, 128);
  const int64_t strides[] = {128, 256, 512, 1024};
  for (SwizzleMode mode : kMajorModes) {
    EXPECT_EQ(kMajorStrides(mode, 128).stride, strides[int(mode)]);
    EXPECT_EQ(kMajorStrides(mode, 128).panel, 128 * swizzleWidth(mode));
  }
}

TEST(Swizzle, StepsInsideAnAtomMoveTheStartAddress) {
  // The start address moves by 32 bytes; XORing the final address with its own
  // higher bits must give the bytes of that K step.
  for (SwizzleMode mode :
       {SwizzleMode::Bytes32, SwizzleMode::Bytes64, SwizzleMode::Bytes128}) {
    int64_t width = swizzleWidth(mode), rows = 24, rowBytes = 3 * width;
    for (int64_t start : {0, 4096})
      for (int64_t step = 0; step < rowBytes; step += 32) {
        int64_t moved = start + kMajorStepOffset(mode, rows, step);
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t byte = 0; byte < 32; ++byte) {
            int64_t address =
                moved + row / 8 * 8 * width + row % 8 * width + byte;
            EXPECT_EQ(int64_t(swizzledOffset(mode, uint64_t(address))),
                      start + kMajorOffset(mode, rows, row, step + byte));
          }
      }
  }
  EXPECT_EQ(kMajorStepOffset(SwizzleMode::None, 128, 32), 2 * 128 * 16);
}
