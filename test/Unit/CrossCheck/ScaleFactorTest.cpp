//===- ScaleFactorTest.cpp - scale factors from memory to the MMA ---------===//
//
// The layout library says where scales lie and how they are copied, the
// emulator says what tcgen05.cp moves and what the block-scaled MMA reads (PTX
// ISA, tcgen05.cp and tcgen05 "Block scaling").
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include "bsmm/Emulator/Units/TensorMemoryShapes.h"
#include "bsmm/Runtime/NumberFormats.h"

#include <vector>

using namespace bsmm;
using namespace bsmm::crosscheck;
using layout::Coordinates;
namespace units = bsmm::emulator::units;

namespace {

/// Tensor memory in which each byte remembers the shared memory address that
/// it was copied from; -1 where nothing was.
class TracedTensorMemory {
public:
  TracedTensorMemory() : origin(128 * 512 * 4, -1) {}

  int64_t &at(uint32_t lane, uint32_t column, uint32_t byte) {
    return origin[(lane * 512 + column) * 4 + byte];
  }

  /// tcgen05.cp of one scale tile by the emulator's rules.
  void copyTile(uint64_t descriptorBits, uint32_t column) {
    units::SharedMemoryDescriptor descriptor;
    ASSERT_EQ(units::decodeSharedMemoryDescriptor(
                  descriptorBits, units::DescriptorForm::Sm100, descriptor),
              "");
    units::CopyShape shape = units::CopyShape::S32x128bWarpx4;
    units::CopyShapeInfo info = units::copyShapeInfo(shape);
    for (uint32_t row = 0; row < info.rows; ++row)
      for (uint32_t byte = 0; byte < info.rowBytes; ++byte)
        for (uint32_t copy = 0; copy < info.copies; ++copy)
          at(units::copyLane(shape, row, copy), column + byte / 4, byte % 4) =
              units::kMajorAddress(descriptor, row, byte / 16 * 16) + byte % 16;
  }

  /// The address that the MMA's scale comes from; fails unless all copies
  /// agree.
  int64_t read(const units::ScaleFactorCell &cell, uint32_t column) {
    int64_t first = at(cell.lane, column + cell.column, cell.byte);
    for (uint32_t copy = 1; copy < cell.copies; ++copy)
      EXPECT_EQ(at(cell.lane + copy * cell.laneStride, column + cell.column,
                   cell.byte),
                first);
    return first;
  }

private:
  std::vector<int64_t> origin;
};

TEST(CrossCheckScaleFactors, GlobalOffsets) {
  for (int64_t rows : {1, 31, 127, 128, 129, 300})
    for (int64_t groups : {1, 3, 4, 5, 8, 13}) {
      ASSERT_EQ(layout::blockedScaleBytes(rows, groups),
                runtime::scaleTileBytes(rows, groups));
      layout::TiledLayout whole =
          get(layout::blockedScaleLayout(rows, groups, 2));
      for (int64_t m = 0; m < (rows + 127) / 128 * 128; ++m)
        for (int64_t g = 0; g < (groups + 3) / 4 * 4; ++g) {
          int64_t offset = layout::blockedScaleOffset(m, g, groups);
          ASSERT_EQ(offset, runtime::scaleTileOffset(m, g, groups));
          ASSERT_EQ(get(whole.apply({{"m", m}, {"group", g}})).at("offset"),
                    offset);
          int64_t second = layout::blockedScaleOffset(1, m, g, rows, groups);
          ASSERT_EQ(second, runtime::scaleTileBytes(rows, groups) + offset);
          ASSERT_EQ(get(whole.apply({{"m", m}, {"group", g}, {"batch", 1}}))
                        .at("offset"),
                    second);
        }
    }
}

/// One tile: scaleTensorMemory is what the emulator's copy makes and what its
/// MMA reads.
TEST(CrossCheckScaleFactors, OneTile) {
  ASSERT_TRUE(bool(layout::checkScaleCopy()));
  TracedTensorMemory memory;
  const int64_t start = 4096;
  memory.copyTile(get(layout::encodeMatrixDescriptorSm100(
                      get(layout::scaleCopyDescriptor(start)))),
                  0);
  for (int64_t m = 0; m < 128; ++m)
    for (int64_t group = 0; group < 4; ++group) {
      units::ScaleFactorCell cell = units::scaleFactorCell(
          units::ScaleSide::A, uint32_t(m), uint32_t(group), 0);
      ASSERT_EQ(cell.copies, 4u);
      for (int64_t replica = 0; replica < 4; ++replica) {
        Coordinates place = get(layout::scaleTensorMemory().apply(
            {{"m", m}, {"group", group}, {"replica", replica}}));
        ASSERT_EQ(place.at("lane"), cell.lane + replica * cell.laneStride);
        ASSERT_EQ(place.at("column"), cell.column);
        ASSERT_EQ(place.at("byte"), cell.byte);
        int64_t offset =
            get(layout::scaleTile().apply({{"m", m}, {"group", group}}))
                .at("offset");
        ASSERT_EQ(offset, layout::blockedScaleOffset(m, group, 4));
        ASSERT_EQ(memory.at(uint32_t(place.at("lane")),
                            uint32_t(place.at("column")),
                            uint32_t(place.at("byte"))),
                  start + offset);
      }
    }
}

TEST(CrossCheckScaleFactors, Steps) {
  for (uint32_t perRow : {1u, 2u, 4u})
    for (uint32_t blocks = 1; blocks <= 8; ++blocks)
      for (uint32_t step = 0; step <= 64; ++step) {
        layout::ScaleStep ours = get(layout::scaleStep(perRow, step, blocks));
        units::ScaleFactorStep theirs =
            units::scaleFactorStep(perRow, step, blocks);
        ASSERT_EQ(ours.column, theirs.columnOffset);
        ASSERT_EQ(ours.id, theirs.id);
      }
}

/// Loads the tiles [mnBlocks, kTiles] that begin at `start` of shared memory in
/// the order of the hardware and copies them to `column` by the layout
/// library's numbers.
void copyTiles(TracedTensorMemory &memory, int64_t start, int64_t mnBlocks,
               int64_t kTiles, int64_t column) {
  for (int64_t block = 0; block < mnBlocks; ++block)
    for (int64_t k = 0; k < kTiles; ++k) {
      int64_t offset =
          layout::blockedScaleOffset(block * 128, k * 4, kTiles * 4);
      memory.copyTile(
          get(layout::encodeMatrixDescriptorSm100(
              get(layout::scaleCopyDescriptor(start + offset)))),
          uint32_t(column + layout::scaleColumn(block, k, mnBlocks)));
    }
}

/// Every step, id and block: the MMA reads the scale that the layout library
/// put there.
TEST(CrossCheckScaleFactors, EveryStepReadsItsScale) {
  for (int64_t perRow : {1, 2, 4})
    for (int64_t mnBlocks : {1, 2, 3})
      for (int64_t kTiles : {1, 2, 4}) {
        SCOPED_TRACE(std::to_string(perRow) + "X, " + std::to_string(mnBlocks) +
                     " blocks, " + std::to_string(kTiles) + " tiles along K");
        TracedTensorMemory memory;
        const int64_t start = 2048, base = 256;
        copyTiles(memory, start, mnBlocks, kTiles, base);
        for (int64_t step = 0; step < kTiles * 4 / perRow; ++step) {
          layout::ScaleStep at = get(layout::scaleStep(perRow, step, mnBlocks));
          for (int64_t row = 0; row < mnBlocks * 128; ++row)
            for (int64_t k = 0; k < perRow; ++k) {
              // Blocks are M = 128 instructions of their own.
              units::ScaleFactorCell cell = units::scaleFactorCell(
                  units::ScaleSide::A, uint32_t(row % 128), uint32_t(k),
                  uint32_t(at.id));
              int64_t column = base + at.column +
                               layout::scaleColumn(row / 128, 0, mnBlocks);
              ASSERT_LT(cell.byte, 4u);
              ASSERT_EQ(memory.read(cell, uint32_t(column)),
                        start + layout::blockedScaleOffset(
                                    row, step * perRow + k, kTiles * 4))
                  << "step " << step << " row " << row << " k " << k;
            }
        }
      }
}

/// SFB of tiles of N columns that start anywhere at a multiple of 32: the tiles
/// that scaleCoverage names, read from the column that it names, which counts
/// the 32 rows of scales in a column.
TEST(CrossCheckScaleFactors, ColumnsOfB) {
  for (int64_t n = 32; n <= 256; n += 32)
    for (int64_t start = 0; start < 384; start += 32)
      for (int64_t perRow : {1, 2, 4}) {
        SCOPED_TRACE("N " + std::to_string(n) + " at " + std::to_string(start));
        const int64_t kTiles = 2, shared = 1024, base = 128;
        layout::ScaleCoverage coverage = get(layout::scaleCoverage(start, n));
        ASSERT_EQ(coverage.firstTile, start / 128);
        ASSERT_LE(coverage.tiles, get(layout::maxScaleTiles(n, 32)));
        ASSERT_EQ(coverage.column, start % 128 / 32);
        // The covered tiles are loaded to `shared` as a small blocked tensor.
        TracedTensorMemory memory;
        copyTiles(memory, shared, coverage.tiles, kTiles, base);
        for (int64_t step = 0; step < kTiles * 4 / perRow; ++step) {
          layout::ScaleStep at =
              get(layout::scaleStep(perRow, step, coverage.tiles));
          for (int64_t column = 0; column < n; ++column)
            for (int64_t k = 0; k < perRow; ++k) {
              units::ScaleFactorCell cell = units::scaleFactorCell(
                  units::ScaleSide::B, uint32_t(column), uint32_t(k),
                  uint32_t(at.id), uint32_t(n));
              int64_t loadedRow = start + column - coverage.firstTile * 128;
              ASSERT_EQ(memory.read(
                            cell, uint32_t(base + coverage.column + at.column)),
                        shared + layout::blockedScaleOffset(
                                     loadedRow, step * perRow + k, kTiles * 4))
                  << "step " << step << " column " << column;
            }
        }
      }
}

} // namespace
