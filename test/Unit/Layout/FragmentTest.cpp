//===- FragmentTest.cpp ---------------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/Fragment.h"

using namespace bsmm::layout;
using namespace bsmm::layout::test;

TEST(Fragment, WgmmaAccumulatorOfEverySize) {
  for (int64_t n = -8; n <= 264; ++n) {
    auto layout = wgmmaAccumulatorFragment(n);
    ASSERT_EQ(bool(layout), n > 0 && n <= 256 && n % 8 == 0) << n;
    if (!layout)
      continue;
    EXPECT_EQ(layout->extent("register"), n / 2);
    EXPECT_TRUE(get(layout->isInjective()));
    for (int64_t w = 0; w < 4; ++w)
      for (int64_t l = 0; l < 32; ++l)
        for (int64_t i = 0; i < n / 2; ++i)
          ASSERT_EQ(
              get(layout->apply({{"warp", w}, {"thread", l}, {"register", i}})),
              (Coordinates{{"row", 16 * w + l / 4 + 8 * (i / 2 % 2)},
                           {"column", 8 * (i / 4) + 2 * (l % 4) + i % 2}}));
  }
  expectError(wgmmaAccumulatorFragment(12), "in steps of 8, got 12");
}

TEST(Fragment, WgmmaOperand) {
  const LinearLayout &layout = wgmmaOperandFragment8Bit();
  EXPECT_TRUE(layout.isSurjective());
  for (int64_t w = 0; w < 4; ++w)
    for (int64_t l = 0; l < 32; ++l)
      for (int64_t r = 0; r < 4; ++r)
        for (int64_t b = 0; b < 4; ++b)
          EXPECT_EQ(
              get(layout.apply(
                  {{"warp", w}, {"thread", l}, {"register", r}, {"byte", b}})),
              (Coordinates{{"row", 16 * w + l / 4 + 8 * (r % 2)},
                           {"k", 4 * (l % 4) + b + 16 * (r / 2)}}));
}

TEST(Fragment, MmaSync4Bit) {
  EXPECT_TRUE(mmaOperandAFragment4Bit().isSurjective());
  EXPECT_TRUE(mmaOperandBFragment4Bit().isSurjective());
  for (int64_t l = 0; l < 32; ++l) {
    int64_t g = l / 4, t = l % 4;
    for (int64_t i = 0; i < 32; ++i)
      EXPECT_EQ(get(mmaOperandAFragment4Bit().apply(
                    {{"thread", l}, {"register", i / 8}, {"nibble", i % 8}})),
                (Coordinates{{"row", i / 8 % 2 == 0 ? g : g + 8},
                             {"k", 8 * t + i % 8 + 32 * (i / 16)}}));
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(
          get(mmaOperandBFragment4Bit().apply(
              {{"thread", l}, {"register", i / 8}, {"nibble", i % 8}})),
          (Coordinates{{"k", 8 * t + i % 8 + 32 * (i / 8)}, {"column", g}}));
  }
}

TEST(Fragment, MmaSync8Bit) {
  EXPECT_TRUE(mmaOperandAFragment8Bit().isSurjective());
  EXPECT_TRUE(mmaOperandBFragment8Bit().isSurjective());
  for (int64_t l = 0; l < 32; ++l) {
    int64_t g = l / 4, t = l % 4;
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(get(mmaOperandAFragment8Bit().apply(
                    {{"thread", l}, {"register", i / 4}, {"byte", i % 4}})),
                (Coordinates{{"row", i / 4 % 2 == 0 ? g : g + 8},
                             {"k", 4 * t + i % 4 + 16 * (i / 8)}}));
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(
          get(mmaOperandBFragment8Bit().apply(
              {{"thread", l}, {"register", i / 4}, {"byte", i % 4}})),
          (Coordinates{{"k", 4 * t + i % 4 + 16 * (i / 4)}, {"column", g}}));
  }
}

TEST(Fragment, MmaSyncAccumulator) {
  EXPECT_TRUE(mmaAccumulatorFragment().isSurjective());
  for (int64_t l = 0; l < 32; ++l)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(
          get(mmaAccumulatorFragment().apply({{"thread", l}, {"register", i}})),
          (Coordinates{{"row", l / 4 + 8 * (i / 2)},
                       {"column", 2 * (l % 4) + i % 2}}));
}

TEST(Fragment, MmaSyncScales) {
  for (int64_t perRow : {1, 2, 4}) {
    LinearLayout a = get(mmaScaleA(perRow)), b = get(mmaScaleB(perRow));
    for (int64_t byteSelector = 0; byteSelector < 4 / perRow; ++byteSelector)
      for (int64_t j = 0; j < perRow; ++j) {
        int64_t byte = byteSelector * perRow + j;
        // Selector 0: t = 0 gives row g, t = 1 row g + 8; selector 1: t = 2
        // and 3.
        for (int64_t selector = 0; selector < 2; ++selector)
          for (int64_t l = 0; l < 32; ++l) {
            int64_t g = l / 4, t = l % 4;
            if (t / 2 != selector)
              continue;
            int64_t row = t % 2 ? g + 8 : g;
            EXPECT_EQ(get(a.apply({{"row", row},
                                   {"group", j},
                                   {"threadSelector", selector},
                                   {"byteSelector", byteSelector}})),
                      (Coordinates{{"thread", l}, {"byte", byte}}));
          }
        for (int64_t l = 0; l < 32; ++l)
          EXPECT_EQ(get(b.apply({{"column", l / 4},
                                 {"group", j},
                                 {"threadSelector", l % 4},
                                 {"byteSelector", byteSelector}})),
                    (Coordinates{{"thread", l}, {"byte", byte}}));
      }
  }
  for (int64_t perRow : {-1, 0, 3, 5, 8}) {
    expectError(mmaScaleA(perRow), "expected 1, 2 or 4 scales a row, got");
    expectError(mmaScaleB(perRow), "expected 1, 2 or 4 scales a row, got");
  }
}
