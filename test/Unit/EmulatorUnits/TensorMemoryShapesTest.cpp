//===- TensorMemoryShapesTest.cpp - Cells of tensor memory ----------------===//

#include "bsmm/Emulator/Units/TensorMemoryShapes.h"

#include "gtest/gtest.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

using Cell = std::pair<uint32_t, uint32_t>;

const LoadStoreShape shapes[] = {
    LoadStoreShape::S32x32b, LoadStoreShape::S16x64b, LoadStoreShape::S16x128b,
    LoadStoreShape::S16x256b, LoadStoreShape::S16x32bx2};

TEST(TensorMemoryShapes, LegalNums) {
  const std::map<LoadStoreShape, std::pair<uint32_t, uint32_t>> table = {
      {LoadStoreShape::S32x32b, {1, 128}},
      {LoadStoreShape::S16x64b, {1, 128}},
      {LoadStoreShape::S16x32bx2, {1, 128}},
      {LoadStoreShape::S16x128b, {2, 64}},
      {LoadStoreShape::S16x256b, {4, 32}}};
  for (const auto &[shape, limits] : table)
    for (uint32_t num = 0; num <= 256; ++num) {
      bool power = num && (num & (num - 1)) == 0;
      EXPECT_EQ(loadStoreRegisters(shape, num),
                power && num <= limits.second ? num * limits.first : 0);
    }
}

// Registers and cells are a bijection: nothing twice, nothing left out.
TEST(TensorMemoryShapes, EveryCellOnce) {
  for (LoadStoreShape shape : shapes)
    for (uint32_t num = 1; num <= 128; num *= 2) {
      uint32_t registers = loadStoreRegisters(shape, num);
      if (!registers)
        continue;
      for (bool packed : {false, true}) {
        std::set<Cell> cells;
        uint32_t offset = loadStoreColumns(shape, num, packed);
        for (uint32_t thread = 0; thread < 32; ++thread)
          for (uint32_t reg = 0; reg < registers; ++reg) {
            TensorMemoryCell cell =
                loadStoreCell(shape, thread, reg, offset, packed);
            for (uint32_t half = 0; half < (packed ? 2u : 1u); ++half)
              EXPECT_TRUE(cells.insert({cell.lane, cell.column + half}).second);
          }
        uint32_t parts = shape == LoadStoreShape::S16x32bx2 ? 2 : 1;
        std::set<Cell> want;
        for (uint32_t lane = 0; lane < loadStoreLanes(shape); ++lane)
          for (uint32_t column = 0; column < parts * offset; ++column)
            want.insert({lane, column});
        EXPECT_EQ(cells, want) << int(shape) << " x" << num;
      }
    }
}

// The thread-value layouts of CUTLASS (cute/atom/copy_traits_sm100.hpp), which
// count bits of a row-major image of lanes.
TEST(TensorMemoryShapes, AgainstThreadValueLayouts) {
  auto expectBit = [](LoadStoreShape shape, uint32_t thread, uint32_t reg,
                      uint32_t bit, uint32_t laneBits) {
    TensorMemoryCell cell = loadStoreCell(shape, thread, reg, 1);
    EXPECT_EQ(cell.lane, bit / laneBits);
    EXPECT_EQ(cell.column, bit % laneBits / 32);
  };
  for (uint32_t t = 0; t < 32; ++t) {
    expectBit(LoadStoreShape::S16x64b, t, 0,
              512 * (t % 2) + 32 * (t / 2 % 2) + 64 * (t / 4), 64);
    expectBit(LoadStoreShape::S16x32bx2, t, 0, 64 * (t % 16) + 32 * (t / 16),
              64);
    for (uint32_t reg = 0; reg < 4; ++reg)
      expectBit(LoadStoreShape::S16x256b, t, reg,
                64 * (t % 4) + 256 * (t / 4) + 32 * (reg % 2) +
                    2048 * (reg / 2),
                256);
    for (uint32_t reg = 0; reg < 2; ++reg)
      expectBit(LoadStoreShape::S16x128b, t, reg,
                32 * (t % 4) + 128 * (t / 4) + 1024 * reg, 128);
  }
  // .xN repeats to the right.
  for (LoadStoreShape shape :
       {LoadStoreShape::S32x32b, LoadStoreShape::S16x64b,
        LoadStoreShape::S16x128b, LoadStoreShape::S16x256b}) {
    uint32_t registers = loadStoreRegisters(shape, 1);
    uint32_t columns = loadStoreColumns(shape, 1, false);
    for (uint32_t t = 0; t < 32; ++t)
      for (uint32_t reg = 0; reg < 8 * registers; ++reg) {
        TensorMemoryCell first = loadStoreCell(shape, t, reg % registers);
        TensorMemoryCell cell = loadStoreCell(shape, t, reg);
        EXPECT_EQ(cell.lane, first.lane);
        EXPECT_EQ(cell.column, first.column + reg / registers * columns);
      }
  }
}

TEST(TensorMemoryShapes, Copies) {
  using S = CopyShape;
  const struct {
    S shape;
    uint32_t rows, bytes, copies;
    std::vector<uint32_t> lanesOfRow5, lanesOfLastRow;
  } table[] = {
      {S::S128x256b, 128, 32, 1, {5}, {127}},
      {S::S128x128b, 128, 16, 1, {5}, {127}},
      {S::S64x128bWarpx2_02_13, 64, 16, 2, {5, 69}, {63, 127}},
      {S::S64x128bWarpx2_01_23, 64, 16, 2, {5, 37}, {95, 127}},
      {S::S32x128bWarpx4, 32, 16, 4, {5, 37, 69, 101}, {31, 63, 95, 127}},
  };
  for (const auto &c : table) {
    CopyShapeInfo info = copyShapeInfo(c.shape);
    EXPECT_EQ(info.rows, c.rows);
    EXPECT_EQ(info.rowBytes, c.bytes);
    EXPECT_EQ(info.columns, c.bytes / 4);
    ASSERT_EQ(info.copies, c.copies);
    std::multiset<uint32_t> lanes;
    for (uint32_t row = 0; row < info.rows; ++row)
      for (uint32_t copy = 0; copy < info.copies; ++copy)
        lanes.insert(copyLane(c.shape, row, copy));
    // All 128 lanes, each once.
    EXPECT_EQ(lanes.size(), 128u);
    EXPECT_EQ(std::set<uint32_t>(lanes.begin(), lanes.end()).size(), 128u);
    for (uint32_t copy = 0; copy < info.copies; ++copy) {
      EXPECT_EQ(copyLane(c.shape, 5, copy), c.lanesOfRow5[copy]);
      EXPECT_EQ(copyLane(c.shape, info.rows - 1, copy), c.lanesOfLastRow[copy]);
    }
  }
  for (uint32_t row = 0; row < 4; ++row)
    EXPECT_EQ(copyLane(S::S4x256b, row, 0), 32 * row);
}

TEST(TensorMemoryShapes, Decompression) {
  uint8_t container[16], bytes[16];
  for (uint32_t i = 0; i < 16; ++i)
    container[i] = static_cast<uint8_t>(0x11 * i + 3);
  decompressContainer(CopyDecompression::B4x16P64, container, bytes);
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(bytes[i], (container[i / 2] >> 4 * (i % 2) & 15) << 2);
  decompressContainer(CopyDecompression::B6x16P32, container, bytes);
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t value = 0;
    for (uint32_t b = 0; b < 6; ++b)
      value |= (container[(6 * i + b) / 8] >> (6 * i + b) % 8 & 1u) << b;
    EXPECT_EQ(bytes[i], value);
  }
  decompressContainer(CopyDecompression::None, container, bytes);
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(bytes[i], container[i]);
}

TEST(TensorMemoryShapes, AccumulatorSelection) {
  using L = AccumulatorLayout;
  AccumulatorLayout layout;
  const std::map<std::tuple<uint32_t, uint32_t, bool, bool>, L> table = {
      {{1, 128, false, false}, L::D}, {{1, 64, false, false}, L::F},
      {{2, 256, false, false}, L::A}, {{2, 128, false, false}, L::B},
      {{2, 128, false, true}, L::C},  {{1, 128, false, true}, L::D},
      {{1, 64, false, true}, L::F},   {{2, 256, false, true}, L::A},
      {{1, 32, true, false}, L::G},   {{1, 64, true, false}, L::E},
      {{1, 128, true, false}, L::D},  {{1, 32, true, true}, L::G},
      {{1, 64, true, true}, L::E},    {{1, 128, true, true}, L::D}};
  for (uint32_t group : {0u, 1u, 2u, 3u})
    for (uint32_t m : {16u, 32u, 64u, 96u, 128u, 256u})
      for (bool ws : {false, true})
        for (bool sparse : {false, true}) {
          auto found = table.find({group, m, ws, sparse});
          std::string error = accumulatorLayout(group, m, ws, sparse, layout);
          EXPECT_EQ(error.empty(), found != table.end())
              << group << " " << m << ws << sparse;
          if (found != table.end()) {
            EXPECT_EQ(layout, found->second);
          }
        }
}

TEST(TensorMemoryShapes, AccumulatorCells) {
  using L = AccumulatorLayout;
  const struct {
    L layout;
    uint32_t m, ctas;
  } table[] = {{L::A, 256, 2}, {L::B, 128, 2}, {L::C, 128, 2}, {L::D, 128, 1},
               {L::E, 64, 1},  {L::F, 64, 1},  {L::G, 32, 1}};
  for (const auto &c : table)
    for (uint32_t n : {64u, 128u, 256u}) {
      std::set<std::tuple<uint32_t, uint32_t, uint32_t>> cells;
      for (uint32_t row = 0; row < c.m; ++row)
        for (uint32_t column = 0; column < n; ++column) {
          AccumulatorCell cell = accumulatorCell(c.layout, row, column, n);
          EXPECT_LT(cell.cta, c.ctas);
          EXPECT_LT(cell.lane, 128u);
          EXPECT_LT(cell.column, accumulatorColumns(c.layout, n));
          EXPECT_TRUE(cells.insert({cell.cta, cell.lane, cell.column}).second);
        }
    }
  auto cell = [](L layout, uint32_t m, uint32_t n, uint32_t totalN) {
    AccumulatorCell c = accumulatorCell(layout, m, n, totalN);
    return std::make_tuple(c.cta, c.lane, c.column);
  };
  EXPECT_EQ(cell(L::A, 200, 5, 256), std::make_tuple(1u, 72u, 5u));
  EXPECT_EQ(cell(L::B, 70, 130, 256), std::make_tuple(1u, 70u, 2u));
  EXPECT_EQ(cell(L::C, 70, 130, 256), std::make_tuple(1u, 6u, 130u));
  EXPECT_EQ(cell(L::D, 100, 9, 16), std::make_tuple(0u, 100u, 9u));
  EXPECT_EQ(cell(L::E, 10, 40, 64), std::make_tuple(0u, 74u, 8u));
  EXPECT_EQ(cell(L::F, 17, 3, 64), std::make_tuple(0u, 33u, 3u));
  EXPECT_EQ(cell(L::F, 63, 3, 64), std::make_tuple(0u, 111u, 3u));
  EXPECT_EQ(cell(L::G, 3, 50, 64), std::make_tuple(0u, 99u, 2u));
}

// The 512-byte scale tile, copied by 32x128b.warpx4, is what the MMA reads.
TEST(TensorMemoryShapes, ScaleTileThroughTheCopy) {
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t k = 0; k < 4; ++k) {
      uint32_t byte = row % 32 * 16 + row / 32 * 4 + k;
      ScaleFactorCell cell = scaleFactorCell(ScaleSide::A, row, k, 0);
      EXPECT_EQ(cell.copies, 4u);
      for (uint32_t copy = 0; copy < 4; ++copy)
        EXPECT_EQ(cell.lane + copy * cell.laneStride,
                  copyLane(CopyShape::S32x128bWarpx4, byte / 16, copy));
      EXPECT_EQ(cell.column, byte % 16 / 4);
      EXPECT_EQ(cell.byte, byte % 4);
    }
}

TEST(TensorMemoryShapes, ScaleFactors) {
  ScaleFactorCell cell = scaleFactorCell(ScaleSide::B, 200, 1, 2);
  EXPECT_EQ(cell.lane, 200u % 32);
  EXPECT_EQ(cell.column, 6u);
  EXPECT_EQ(cell.byte, 3u);
  // The pair with M = 128: halves of N in lanes 0-63 and 64-127.
  cell = scaleFactorCell(ScaleSide::BSplit, 37, 0, 1, 128);
  EXPECT_EQ(cell.lane, 5u);
  EXPECT_EQ(cell.column, 1u);
  EXPECT_EQ(cell.copies, 2u);
  EXPECT_EQ(cell.byte, 1u);
  cell = scaleFactorCell(ScaleSide::BSplit, 64 + 37, 0, 1, 128);
  EXPECT_EQ(cell.lane, 69u);
  EXPECT_EQ(cell.column, 1u);

  // Steps along K of a tile with two blocks of 128 rows.
  const struct {
    uint32_t vector, step, id, offset;
  } steps[] = {{1, 0, 0, 0}, {1, 3, 3, 0}, {1, 4, 0, 8}, {1, 6, 2, 8},
               {2, 0, 0, 0}, {2, 1, 2, 0}, {2, 2, 0, 8}, {2, 3, 2, 8},
               {4, 0, 0, 0}, {4, 1, 0, 8}, {4, 3, 0, 24}};
  for (const auto &s : steps) {
    ScaleFactorStep step = scaleFactorStep(s.vector, s.step, 2);
    EXPECT_EQ(step.id, s.id);
    EXPECT_EQ(step.columnOffset, s.offset);
  }
}

} // namespace
