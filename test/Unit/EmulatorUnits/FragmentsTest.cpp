//===- FragmentsTest.cpp - Register fragments -----------------------------===//

#include "bsmm/Emulator/Units/Fragments.h"

#include "gtest/gtest.h"

#include <set>
#include <utility>

using namespace bsmm::emulator::units;

namespace {

using Position = std::pair<uint32_t, uint32_t>;

Position at(MatrixElement element) { return {element.row, element.column}; }

/// Every element of a rows x columns matrix exactly once.
template <typename Map>
void expectBijection(uint32_t threads, uint32_t elements, uint32_t rows,
                     uint32_t columns, Map map) {
  std::set<Position> seen;
  for (uint32_t thread = 0; thread < threads; ++thread)
    for (uint32_t i = 0; i < elements; ++i) {
      MatrixElement element = map(thread, i);
      EXPECT_LT(element.row, rows);
      EXPECT_LT(element.column, columns);
      EXPECT_TRUE(seen.insert(at(element)).second);
    }
  EXPECT_EQ(seen.size(), size_t(rows) * columns);
}

TEST(Fragments, Wgmma) {
  for (uint32_t n = 8; n <= 256; n += 8)
    expectBijection(128, n / 2, 64, n, wgmmaAccumulator);
  EXPECT_EQ(at(wgmmaAccumulator(0, 0)), Position(0, 0));
  EXPECT_EQ(at(wgmmaAccumulator(33, 1)), Position(16, 3));
  EXPECT_EQ(at(wgmmaAccumulator(37, 2)), Position(25, 2));
  EXPECT_EQ(at(wgmmaAccumulator(127, 7)), Position(63, 15));
  for (uint32_t bits : {8u, 16u, 32u})
    expectBijection(128, 128 / bits, 64, 256 / bits,
                    [&](uint32_t thread, uint32_t i) {
                      return wgmmaAFragment(thread, i, bits);
                    });
  // Register r and byte b of the 8-bit form.
  for (uint32_t thread = 0; thread < 128; ++thread)
    for (uint32_t r = 0; r < 4; ++r)
      for (uint32_t b = 0; b < 4; ++b) {
        uint32_t lane = thread % 32;
        EXPECT_EQ(at(wgmmaAFragment(thread, 4 * r + b, 8)),
                  Position(16 * (thread / 32) + lane / 4 + 8 * (r % 2),
                           4 * (lane % 4) + b + 16 * (r / 2)));
      }
}

TEST(Fragments, MmaSync) {
  const struct {
    uint32_t k, bits;
  } forms[] = {{64, 4},  {32, 4}, {32, 8}, {16, 8},
               {16, 16}, {8, 16}, {8, 32}, {4, 32}};
  for (const auto &form : forms) {
    expectBijection(32, mmaAElements(form.k), 16, form.k,
                    [&](uint32_t lane, uint32_t i) {
                      return mmaAFragment(lane, i, form.bits);
                    });
    expectBijection(32, mmaBElements(form.k), form.k, 8,
                    [&](uint32_t lane, uint32_t i) {
                      return mmaBFragment(lane, i, form.bits);
                    });
  }
  expectBijection(32, 4, 16, 8, mmaAccumulator);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t g = lane / 4, t = lane % 4;
    // m16n8k64, 4 bits (PTX ISA, "Matrix Fragments for mma.m16n8k64").
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(at(mmaAFragment(lane, i, 4)),
                Position(i / 8 % 2 ? g + 8 : g, 8 * t + i % 8 + 32 * (i / 16)));
    for (uint32_t i = 0; i < 16; ++i)
      EXPECT_EQ(at(mmaBFragment(lane, i, 4)),
                Position(8 * t + i % 8 + 32 * (i / 8), g));
    // m16n8k32, 8 bits.
    for (uint32_t i = 0; i < 16; ++i)
      EXPECT_EQ(at(mmaAFragment(lane, i, 8)),
                Position(i / 4 % 2 ? g + 8 : g, 4 * t + i % 4 + 16 * (i / 8)));
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(at(mmaBFragment(lane, i, 8)),
                Position(4 * t + i % 4 + 16 * (i / 4), g));
    // m16n8k16, 16 bits: a0 a1 in row g, a2 a3 in row g + 8, a4.. to the right.
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(
          at(mmaAFragment(lane, i, 16)),
          Position((i & 2) ? g + 8 : g, 2 * t + (i & 1) + (i >= 4 ? 8 : 0)));
    // m16n8k8, tf32.
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(at(mmaAFragment(lane, i, 32)),
                Position((i & 1) ? g + 8 : g, t + (i >= 2 ? 4 : 0)));
    for (uint32_t i = 0; i < 2; ++i)
      EXPECT_EQ(at(mmaBFragment(lane, i, 32)), Position(t + 4 * i, g));
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(at(mmaAccumulator(lane, i)),
                Position(g + 8 * (i / 2), 2 * t + i % 2));
  }
  EXPECT_EQ(mmaContainerShift(4), 2u);
  EXPECT_EQ(mmaContainerShift(6), 0u);
  EXPECT_EQ(mmaContainerShift(8), 0u);
}

TEST(Fragments, BlockScaleLanes) {
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t selector = 0; selector < 2; ++selector) {
      uint32_t lane = mmaScaleLaneA(row, selector);
      EXPECT_EQ(lane / 4, row % 8);
      EXPECT_EQ(lane % 4, 2 * selector + (row < 8 ? 0 : 1));
    }
  for (uint32_t column = 0; column < 8; ++column)
    for (uint32_t selector = 0; selector < 4; ++selector)
      EXPECT_EQ(mmaScaleLaneB(column, selector), 4 * column + selector);
  for (uint32_t vector : {1u, 2u, 4u})
    for (uint32_t byteA = 0; byteA < 5; ++byteA)
      for (uint32_t threadA = 0; threadA < 3; ++threadA)
        for (uint32_t byteB = 0; byteB < 5; ++byteB)
          for (uint32_t threadB = 0; threadB < 5; ++threadB) {
            auto legal = [&](uint32_t byte) {
              return vector == 1   ? byte < 4
                     : vector == 2 ? byte == 0 || byte == 2
                                   : byte == 0;
            };
            EXPECT_EQ(
                mmaScaleSelectorsValid(vector, byteA, threadA, byteB, threadB),
                legal(byteA) && legal(byteB) && threadA < 2 && threadB < 4);
          }
  EXPECT_FALSE(mmaScaleSelectorsValid(3, 0, 0, 0, 0));
}

TEST(Fragments, LoadAndStoreMatrix) {
  const struct {
    MatrixShape shape;
    uint32_t rows, elements, registers;
  } table[] = {{MatrixShape::M8N8B16, 8, 8, 1},
               {MatrixShape::M8N16B6x16P32, 8, 16, 1},
               {MatrixShape::M8N16B4x16P64, 8, 16, 1},
               {MatrixShape::M16N16B8, 16, 16, 2},
               {MatrixShape::M16N16B6x16P32, 16, 16, 2},
               {MatrixShape::M16N16B4x16P64, 16, 16, 2},
               {MatrixShape::M16N8B8, 8, 16, 1}};
  for (const auto &c : table) {
    EXPECT_EQ(matrixRows(c.shape), c.rows);
    EXPECT_EQ(matrixRegisters(c.shape), c.registers);
    uint32_t perRegister = c.rows * c.elements / 32 / c.registers;
    for (bool transposed : {false, true})
      expectBijection(32, perRegister * c.registers, c.rows, c.elements,
                      [&](uint32_t lane, uint32_t i) {
                        return matrixFragment(c.shape, transposed, lane,
                                              i / perRegister, i % perRegister);
                      });
    EXPECT_EQ(matrixAddressLane(c.shape, 1, 3), c.rows + 3);
  }
  // ldmatrix x4 of an m16n8k16 A tile gives the mma fragment: matrix j is
  // register j.
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < 4; ++reg)
      for (uint32_t i = 0; i < 2; ++i) {
        MatrixElement in =
            matrixFragment(MatrixShape::M8N8B16, false, lane, 0, i);
        MatrixElement want = mmaAFragment(lane, 2 * reg + i, 16);
        EXPECT_EQ(in.row + 8 * (reg % 2), want.row);
        EXPECT_EQ(in.column + 8 * (reg / 2), want.column);
        // With .trans row and column change places.
        MatrixElement b =
            matrixFragment(MatrixShape::M8N8B16, true, lane, 0, i);
        EXPECT_EQ(at(b), Position(in.column, in.row));
      }
  // The expanding form gives 8-bit A fragments.
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(
          at(matrixFragment(MatrixShape::M8N16B4x16P64, false, lane, 0, i)),
          at(mmaAFragment(lane, i, 8)));
  // CUTLASS, cute/atom/copy_traits_sm100.hpp: bits of an image of 16-byte rows.
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t bit =
          256 * (lane % 4) + 8 * (lane / 4) + 128 * (i % 2) + 64 * (i / 2);
      EXPECT_EQ(at(matrixFragment(MatrixShape::M16N8B8, true, lane, 0, i)),
                Position(bit / 128, bit % 128 / 8));
      for (uint32_t reg = 0; reg < 2; ++reg) {
        // There, address lane L holds row L % 2 + 8 * (L / 2 % 2) + 2 * (L / 4)
        // of the image.
        uint32_t imageRow = (bit + 1024 * reg) / 128;
        uint32_t addressLane =
            4 * (imageRow / 2 % 4) + 2 * (imageRow / 8) + imageRow % 2;
        EXPECT_EQ(at(matrixFragment(MatrixShape::M16N16B8, true, lane, reg, i)),
                  Position(addressLane, bit % 128 / 8));
      }
    }
}

} // namespace
