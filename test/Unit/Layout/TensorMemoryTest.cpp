//===- TensorMemoryTest.cpp -----------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/TensorMemory.h"

#include <functional>
#include <set>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

TEST(TensorMemory, Addresses) {
  for (int64_t lane = 0; lane < 128; ++lane)
    for (int64_t column = 0; column < 512; ++column)
      ASSERT_EQ(get(tensorMemoryAddress(lane, column)),
                uint32_t(lane) * 65536u + uint32_t(column));
  expectError(tensorMemoryAddress(128, 0), "got lane 128 and column 0");
  expectError(tensorMemoryAddress(-1, 0), "got lane -1");
  expectError(tensorMemoryAddress(0, 512), "column 512");
  expectError(tensorMemoryAddress(0, -1), "column -1");
}

TEST(TensorMemory, AccumulatorsOfEverySize) {
  struct Case {
    AccumulatorLayout layout;
    int64_t m, step;
    std::function<Coordinates(int64_t m, int64_t n, int64_t size)> place;
  };
  const Case cases[] = {
      {AccumulatorLayout::A, 256, 16,
       [](int64_t m, int64_t n, int64_t) {
         return Coordinates{{"cta", m / 128}, {"lane", m % 128}, {"column", n}};
       }},
      {AccumulatorLayout::B, 128, 16,
       [](int64_t m, int64_t n, int64_t size) {
         return Coordinates{{"cta", m / 64},
                            {"lane", m % 64 + 64 * (n >= size / 2)},
                            {"column", n % (size / 2)}};
       }},
      {AccumulatorLayout::D, 128, 8,
       [](int64_t m, int64_t n, int64_t) {
         return Coordinates{{"lane", m}, {"column", n}};
       }},
      {AccumulatorLayout::F, 64, 8,
       [](int64_t m, int64_t n, int64_t) {
         return Coordinates{{"lane", m % 16 + 32 * (m / 16)}, {"column", n}};
       }},
  };
  for (const Case &c : cases)
    for (int64_t n = -8; n <= 264; ++n) {
      auto layout = accumulatorLayout(c.layout, n);
      ASSERT_EQ(bool(layout), n > 0 && n <= 256 && n % c.step == 0) << n;
      if (!layout)
        continue;
      EXPECT_EQ(layout->extent("m"), c.m);
      EXPECT_EQ(layout->extent("n"), n);
      EXPECT_EQ(layout->outputExtent("lane"), 128);
      EXPECT_EQ(layout->outputExtent("cta"),
                c.m == 256 || c.step == 16 ? 2 : 1);
      EXPECT_EQ(layout->outputExtent("column"),
                c.layout == AccumulatorLayout::B ? n / 2 : n);
      EXPECT_TRUE(get(layout->isInjective()));
      for (int64_t i = 0; i < c.m; i += 3)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(get(layout->apply({{"m", i}, {"n", j}})), c.place(i, j, n));
    }
  expectError(accumulatorLayout(AccumulatorLayout::D, 260),
              "N = 8 to 256 in steps of 8, got 260");
  expectError(accumulatorLayout(AccumulatorLayout::B, 24),
              "N = 16 to 256 in steps of 16, got 24");
  // M = 64 leaves half of the lanes to others.
  EXPECT_EQ(get(accumulatorLayout(AccumulatorLayout::F, 8)).atom().holeBits(),
            1u);
}

TEST(TensorMemory, LoadAndStoreShapes) {
  auto place = [](TransferShape shape, int64_t t, int64_t i, int64_t split) {
    switch (shape) {
    case TransferShape::Lanes32Bits32:
      return std::make_pair(t, i);
    case TransferShape::Lanes16Bits64:
      return std::make_pair(t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * i);
    case TransferShape::Lanes16Bits128:
      return std::make_pair(t / 4 + 8 * (i % 2), t % 4 + 4 * (i / 2));
    case TransferShape::Lanes16Bits256:
      return std::make_pair(t / 4 + 8 * (i / 2 % 2),
                            2 * (t % 4) + i % 2 + 8 * (i / 4));
    case TransferShape::Lanes16Bits32x2:
      break;
    }
    return std::make_pair(t % 16, i + (t >= 16 ? split : 0));
  };
  const int64_t registers[] = {1, 1, 2, 4, 1};
  const int64_t columns[] = {1, 2, 4, 8, 1};
  for (TransferShape shape : allTransferShapes) {
    int64_t perRepeat = registers[int(shape)];
    EXPECT_EQ(transferRegisters(shape), perRepeat);
    EXPECT_EQ(transferColumns(shape), columns[int(shape)]);
    EXPECT_EQ(maxTransferRepeat(shape), 128 / perRepeat);
    bool halves = shape == TransferShape::Lanes16Bits32x2;
    for (int64_t repeat = 1; repeat <= 128 / perRepeat; repeat *= 2)
      for (int64_t split : halves ? std::vector<int64_t>{repeat, 3 * repeat}
                                  : std::vector<int64_t>{0}) {
        LinearLayout layout = get(transferLayout(shape, repeat, split));
        EXPECT_EQ(int64_t(1) << layout.inputBits("register"),
                  repeat * perRepeat);
        std::set<Coordinates> places;
        int64_t lastColumn = 0;
        for (int64_t t = 0; t < 32; ++t)
          for (int64_t i = 0; i < repeat * perRepeat; ++i) {
            auto expected = place(shape, t, i, split);
            Coordinates found =
                get(layout.apply({{"thread", t}, {"register", i}}));
            ASSERT_EQ(found["lane"], expected.first);
            ASSERT_EQ(found["column"], expected.second);
            places.insert(found);
            lastColumn = std::max(lastColumn, expected.second);
          }
        EXPECT_EQ(int64_t(places.size()), 32 * repeat * perRepeat);
        if (!halves) {
          // Every word of the rectangle once.
          EXPECT_EQ(lastColumn + 1, repeat * columns[int(shape)]);
          EXPECT_TRUE(layout.isSurjective());
        }
      }
  }
}

TEST(TensorMemory, RefusesBadTransfers) {
  for (TransferShape shape : allTransferShapes)
    for (int64_t repeat = -2; repeat <= 260; ++repeat) {
      bool halves = shape == TransferShape::Lanes16Bits32x2;
      bool power = repeat > 0 && (repeat & (repeat - 1)) == 0;
      EXPECT_EQ(bool(transferLayout(shape, repeat, halves ? 256 : 0)),
                power && repeat <= 128 / transferRegisters(shape));
    }
  expectError(transferLayout(TransferShape::Lanes16Bits256, 64),
              "expected a repeat of .16x256b that is a power of two in 1..32, "
              "got 64");
  expectError(transferLayout(TransferShape::Lanes32Bits32, 1, 8),
              "expected no half split for .32x32b, got 8");
  expectError(transferLayout(TransferShape::Lanes16Bits32x2, 4, 0),
              "positive multiple of its 4 columns");
  expectError(transferLayout(TransferShape::Lanes16Bits32x2, 4, 6), "got 6");
  expectError(transferLayout(TransferShape::Lanes16Bits32x2, 4, 512),
              "got 512");
  expectError(transferLayout(TransferShape::Lanes16Bits32x2, 4, -4), "got -4");
}

TEST(TensorMemory, EpilogueOfOneWarpgroup) {
  // Four warps with .32x32b, warp w at lane 32 w: thread t of warp w holds row
  // 32 w + t, register i is column i.
  LinearMap warps =
      get(LinearMap::get({{"warp", {{"lane", {1, 2}}}}}, {{"lane", 2}}));
  LinearLayout transfer = get(transferLayout(TransferShape::Lanes32Bits32, 64));
  LinearMap all = get(transfer.product(warps));
  // Undo the accumulator to see rows and columns.
  TiledLayout accumulator = get(accumulatorLayout(AccumulatorLayout::D, 64));
  for (int64_t w = 0; w < 4; ++w)
    for (int64_t t = 0; t < 32; ++t)
      for (int64_t i = 0; i < 64; ++i)
        ASSERT_EQ(get(all.apply({{"warp", w}, {"thread", t}, {"register", i}})),
                  get(accumulator.apply({{"m", 32 * w + t}, {"n", i}})));
}

TEST(TensorMemory, CopyShapes) {
  struct Expected {
    int64_t rows, bytes;
    std::function<std::vector<int64_t>(int64_t row)> lanes;
  };
  const Expected expected[] = {
      {128, 32, [](int64_t r) { return std::vector<int64_t>{r}; }},
      {128, 16, [](int64_t r) { return std::vector<int64_t>{r}; }},
      {4, 32, [](int64_t r) { return std::vector<int64_t>{32 * r}; }},
      {64, 16,
       [](int64_t r) {
         return std::vector<int64_t>{r, r + 64};
       }},
      {64, 16,
       [](int64_t r) {
         int64_t first = r < 32 ? r : r + 32;
         return std::vector<int64_t>{first, first + 32};
       }},
      {32, 16,
       [](int64_t r) {
         return std::vector<int64_t>{r, r + 32, r + 64, r + 96};
       }},
  };
  for (CopyShape shape : allCopyShapes) {
    const LinearLayout &layout = copyLayout(shape);
    const Expected &e = expected[int(shape)];
    EXPECT_EQ(int64_t(1) << layout.inputBits("row"), e.rows);
    EXPECT_EQ(int64_t(1) << layout.inputBits("byte"), e.bytes);
    for (int64_t row = 0; row < e.rows; ++row)
      for (int64_t byte = 0; byte < e.bytes; ++byte) {
        std::vector<int64_t> lanes = e.lanes(row);
        EXPECT_EQ(int64_t(1) << layout.replicationBits(),
                  int64_t(lanes.size()));
        for (size_t copy = 0; copy < lanes.size(); ++copy) {
          Coordinates in = {{"row", row}, {"byte", byte}};
          if (copy)
            in["replica"] = int64_t(copy);
          EXPECT_EQ(get(layout.apply(in)), (Coordinates{{"lane", lanes[copy]},
                                                        {"column", byte / 4},
                                                        {"byte", byte % 4}}));
        }
      }
  }
  EXPECT_STREQ(copyShapeName(CopyShape::Rows32Bits128), ".32x128b.warpx4");
}
