//===- OperandTest.cpp - swizzles and operand tiles -----------------------===//
//
// Where the layout library puts the bytes of a K-major operand against where
// the emulator's matrix units and tensor maps look for them (PTX ISA,
// "Swizzling modes", tcgen05 and wgmma canonical layouts).
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include "bsmm/Target/Target.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace bsmm;
using namespace bsmm::crosscheck;
namespace units = bsmm::emulator::units;

namespace {

TEST(CrossCheckSwizzle, EveryOffsetOfTwoPatterns) {
  for (const SwizzlePair &pair : swizzlePairs) {
    SCOPED_TRACE(layout::swizzleName(pair.layout));
    ASSERT_EQ(layout::swizzleWidth(pair.layout),
              int64_t(units::swizzleRowBytes(pair.matrix)));
    layout::LinearLayout map = get(layout::swizzleLayout(pair.layout, 18));
    uint32_t pattern =
        static_cast<uint32_t>(layout::swizzlePatternBytes(pair.layout));
    for (uint32_t base : {0u, 1024u, 2048u, 5u * 1024, 7u * 512, 16u * 1024,
                          100u * 1024, 226u * 1024, 3u * 128, 144u}) {
      for (uint32_t offset = 0; offset < 2 * std::max(pattern, 1024u);
           ++offset) {
        uint32_t address = base + offset;
        uint64_t ours = layout::swizzledOffset(pair.layout, address);
        ASSERT_EQ(ours, units::swizzleAddress(pair.matrix, address));
        ASSERT_EQ(ours, units::swizzleBoxAddress(pair.map, address));
        ASSERT_EQ(ours, map.applyPacked(address));
        // Counting from a pattern-aligned place is the same permutation.
        if (base % pattern == 0) {
          ASSERT_EQ(ours, base + layout::swizzledOffset(pair.layout, offset));
        }
      }
    }
  }
}

/// A base offset shifts the pattern: the emulator's addresses of a tile whose
/// pattern starts at p are those of a tile at 0, plus p.
TEST(CrossCheckSwizzle, BaseOffsetShiftsThePattern) {
  for (const SwizzlePair &pair : swizzlePairs) {
    if (pair.layout == layout::SwizzleMode::None)
      continue;
    uint32_t pattern =
        static_cast<uint32_t>(layout::swizzlePatternBytes(pair.layout));
    for (uint32_t start = 0; start < 4096; start += 128)
      for (uint32_t offset = 0; offset < 2 * pattern; ++offset)
        ASSERT_EQ(
            units::swizzleAddress(pair.matrix, start + offset, start >> 7 & 7),
            start + layout::swizzledOffset(pair.layout, offset));
  }
}

TEST(CrossCheckSwizzle, TargetTable) {
  for (const SwizzlePair &pair : swizzlePairs) {
    const target::SwizzleInfo &row =
        target::info(static_cast<target::Swizzle>(pair.map));
    EXPECT_EQ(row.patternBytes, layout::sharedTileAlignment(pair.layout))
        << row.name;
    if (pair.layout != layout::SwizzleMode::None) {
      EXPECT_EQ(row.innerBytes, layout::swizzleWidth(pair.layout));
    }
  }
}

//===----------------------------------------------------------------------===//
// K-major operands
//===----------------------------------------------------------------------===//

units::SharedMemoryDescriptor decodeFor(units::DescriptorForm form,
                                        uint64_t bits) {
  units::SharedMemoryDescriptor decoded;
  std::string error = units::decodeSharedMemoryDescriptor(bits, form, decoded);
  EXPECT_EQ(error, "");
  return decoded;
}

TEST(CrossCheckOperand, KMajorAddressesOfEveryStep) {
  for (unsigned s = 0; s < numKMajorSwizzles; ++s) {
    const SwizzlePair &pair = swizzlePairs[s];
    SCOPED_TRACE(layout::swizzleName(pair.layout));
    for (int64_t rows : {8, 16, 64, 96, 128, 160, 192, 256}) {
      for (int64_t rowBytes : {32, 64, 128, 256, 384}) {
        int64_t width = layout::swizzleWidth(pair.layout);
        if (rowBytes % width != 0)
          continue;
        SCOPED_TRACE(std::to_string(rows) + " rows of " +
                     std::to_string(rowBytes) + " bytes");
        layout::TiledLayout tile =
            get(layout::kMajorOperand(pair.layout, rows, rowBytes));
        for (int64_t start : {int64_t(0), int64_t(1024), int64_t(37 * 1024)}) {
          layout::MatrixDescriptor desc =
              get(layout::kMajorDescriptor(pair.layout, rows, start));
          uint64_t bits100 = get(layout::encodeMatrixDescriptorSm100(desc));
          uint64_t bits90 = get(layout::encodeMatrixDescriptorSm90(desc));
          // One instruction reads 32 bytes of each row.
          for (int64_t step = 0; step < rowBytes; step += 32) {
            int64_t advance = layout::kMajorStepOffset(pair.layout, rows, step);
            units::SharedMemoryDescriptor at100 = decodeFor(
                units::DescriptorForm::Sm100,
                get(layout::advanceMatrixDescriptor(bits100, advance)));
            units::SharedMemoryDescriptor at90 = decodeFor(
                units::DescriptorForm::Sm90,
                get(layout::advanceMatrixDescriptor(bits90, advance)));
            for (int64_t row = 0; row < rows; ++row)
              for (int64_t byte = 0; byte < 32; ++byte) {
                int64_t expected =
                    start +
                    layout::kMajorOffset(pair.layout, rows, row, step + byte);
                ASSERT_EQ(expected, int64_t(units::kMajorAddress(
                                        at100, uint32_t(row), uint32_t(byte))));
                ASSERT_EQ(expected, int64_t(units::kMajorAddress(
                                        at90, uint32_t(row), uint32_t(byte))));
                if (start == 0 && rows <= 128 && rowBytes <= 128) {
                  ASSERT_EQ(expected, get(tile.apply({{"row", row},
                                                      {"byte", step + byte}}))
                                          .at("offset"));
                }
              }
          }
        }
      }
    }
  }
}

/// describedOperand is the layout library's own reading of a descriptor: for
/// every descriptor that it takes it must be the emulator's.
TEST(CrossCheckOperand, DescribedOperand) {
  for (unsigned s = 0; s < numKMajorSwizzles; ++s) {
    const SwizzlePair &pair = swizzlePairs[s];
    SCOPED_TRACE(layout::swizzleName(pair.layout));
    bool plain = pair.layout == layout::SwizzleMode::None;
    int64_t width = layout::swizzleWidth(pair.layout);
    unsigned taken = 0;
    for (int64_t start : {0, 512, 1024, 8192 + 256, 80 * 1024 + 128})
      for (int64_t stride :
           {0, 128, 256, 512, 1024, 1024 + 128, 2048, 4096, 4096 + 16})
        for (int64_t leading : {0, 16, 128, 2048, 8192}) {
          layout::MatrixDescriptor desc;
          desc.startAddress = start;
          desc.strideByteOffset = stride;
          desc.leadingByteOffset = leading;
          desc.swizzle = pair.layout;
          int64_t rows = 32, rowBytes = plain ? 64 : width;
          auto tile = layout::describedOperand(desc, rows, rowBytes);
          if (!tile)
            continue;
          ++taken;
          SCOPED_TRACE("start " + std::to_string(start) + " stride " +
                       std::to_string(stride) + " leading " +
                       std::to_string(leading));
          units::SharedMemoryDescriptor decoded =
              decodeFor(units::DescriptorForm::Sm100,
                        get(layout::encodeMatrixDescriptorSm100(desc)));
          bool same = true;
          for (int64_t row = 0; row < rows && same; ++row)
            for (int64_t byte = 0; byte < rowBytes && same; ++byte) {
              int64_t ours =
                  start +
                  get(tile->apply({{"row", row}, {"byte", byte}})).at("offset");
              int64_t theirs =
                  units::kMajorAddress(decoded, uint32_t(row), uint32_t(byte));
              EXPECT_EQ(ours, theirs) << "row " << row << " byte " << byte;
              same = ours == theirs;
            }
        }
    EXPECT_GT(taken, 0u);
  }
}

/// Codes through the whole chain: packed along K by ElementPacking, put into
/// shared memory by kMajorOffset, gathered by the emulator for every K step.
TEST(CrossCheckOperand, CodesArriveAtTheMma) {
  struct Case {
    units::NumberFormat format;
    bool packedFp4;
    layout::ElementPacking packing;
  };
  const Case cases[] = {
      {units::NumberFormat::E2M1, true, layout::ElementPacking::Packed4},
      {units::NumberFormat::E4M3, false, layout::ElementPacking::Bytes},
      {units::NumberFormat::E2M1, false, layout::ElementPacking::Padded4},
      {units::NumberFormat::E2M3, false, layout::ElementPacking::Padded6},
      {units::NumberFormat::E3M2, false, layout::ElementPacking::Padded6}};
  std::mt19937_64 random(4);
  for (const Case &test : cases) {
    uint32_t bits = units::formatTraits(test.format).storageBits;
    ASSERT_EQ(layout::elementBits(test.packing), bits);
    for (unsigned s = 0; s < numKMajorSwizzles; ++s) {
      const SwizzlePair &pair = swizzlePairs[s];
      SCOPED_TRACE(std::string(layout::swizzleName(pair.layout)) + " " +
                   units::formatTraits(test.format).name);
      const int64_t rows = 72, rowBytes = 256, start = 3072;
      const int64_t k = test.packedFp4 ? 512 : 256;
      ASSERT_EQ(get(layout::sharedBytes(test.packing, k)), rowBytes);
      layout::TiledLayout packed = get(layout::packedRow(test.packing, k));
      std::vector<int64_t> bitOf(k);
      for (int64_t i = 0; i < k; ++i)
        bitOf[i] = get(packed.apply({{"k", i}})).at("bit");
      std::vector<uint8_t> codes(rows * k), shared(1 << 16);
      for (uint8_t &code : codes)
        code = uint8_t(random() & ((1u << bits) - 1));
      // Padding holds anything.
      for (uint8_t &byte : shared)
        byte = uint8_t(random());
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < k; ++i)
          for (uint32_t bit = 0; bit < bits; ++bit) {
            int64_t place = bitOf[i] + bit;
            uint8_t &byte =
                shared[size_t(start + layout::kMajorOffset(pair.layout, rows,
                                                           row, place / 8))];
            uint8_t mask = uint8_t(1u << (place % 8));
            bool set = codes[row * k + i] >> bit & 1;
            byte = uint8_t(set ? byte | mask : byte & ~mask);
          }
      uint64_t descBits = get(layout::encodeMatrixDescriptorSm100(
          get(layout::kMajorDescriptor(pair.layout, rows, start))));
      for (int64_t step = 0; step < rowBytes; step += 32) {
        units::OperandTile tile;
        tile.descriptor = decodeFor(
            units::DescriptorForm::Sm100,
            get(layout::advanceMatrixDescriptor(
                descBits, layout::kMajorStepOffset(pair.layout, rows, step))));
        tile.format = test.format;
        tile.packedFp4 = test.packedFp4;
        tile.rows = uint32_t(rows);
        tile.k = test.packedFp4 ? 64 : 32;
        std::vector<uint8_t> gathered(rows * 32);
        ASSERT_EQ(units::gatherOperand(tile, shared.data(), shared.size(),
                                       gathered.data()),
                  "");
        int64_t first = step * k / rowBytes;
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t i = 0; i < int64_t(tile.k); ++i) {
            uint8_t got = test.packedFp4
                              ? gathered[row * 32 + i / 2] >> (4 * (i % 2)) & 15
                              : gathered[row * 32 + i];
            ASSERT_EQ(got, codes[row * k + first + i])
                << "row " << row << " k " << first + i;
          }
      }
    }
  }
}

} // namespace
