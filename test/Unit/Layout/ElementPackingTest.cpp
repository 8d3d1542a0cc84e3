//===- ElementPackingTest.cpp ---------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/ElementPacking.h"

using namespace bsmm::layout;
using namespace bsmm::layout::test;

TEST(ElementPacking, PositionOfEveryElement) {
  struct Case {
    ElementPacking packing;
    int64_t granule;
    int64_t (*bit)(int64_t k);
    int64_t (*packed)(int64_t n);
    int64_t (*shared)(int64_t n);
  };
  const Case cases[] = {
      {ElementPacking::Packed4, 2,
       [](int64_t k) { return k / 2 * 8 + k % 2 * 4; },
       [](int64_t n) { return n / 2; }, [](int64_t n) { return n / 2; }},
      {ElementPacking::Bytes, 1, [](int64_t k) { return k * 8; },
       [](int64_t n) { return n; }, [](int64_t n) { return n; }},
      {ElementPacking::Padded4, 16,
       [](int64_t k) { return k / 16 * 128 + k % 16 * 4; },
       [](int64_t n) { return n / 2; }, [](int64_t n) { return n; }},
      {ElementPacking::Padded6, 16,
       [](int64_t k) { return k / 16 * 128 + k % 16 * 6; },
       [](int64_t n) { return n / 4 * 3; }, [](int64_t n) { return n; }},
  };
  for (const Case &c : cases) {
    EXPECT_EQ(elementGranule(c.packing), c.granule);
    for (int64_t n = -4; n <= 260; ++n) {
      bool whole = n >= 0 && n % c.granule == 0;
      auto packed = packedBytes(c.packing, n);
      auto shared = sharedBytes(c.packing, n);
      auto row = packedRow(c.packing, n);
      EXPECT_EQ(bool(packed), whole);
      EXPECT_EQ(bool(shared), whole);
      EXPECT_EQ(bool(row), whole && n > 0);
      if (!whole)
        continue;
      EXPECT_EQ(*packed, c.packed(n));
      EXPECT_EQ(*shared, c.shared(n));
      if (!row)
        continue;
      EXPECT_EQ(row->extent("k"), n);
      EXPECT_TRUE(get(row->isInjective()));
      for (int64_t k = 0; k < n; ++k) {
        int64_t bit = get(row->apply({{"k", k}}))["bit"];
        EXPECT_EQ(bit, c.bit(k));
        EXPECT_LE(bit + elementBits(c.packing), 8 * *shared);
      }
    }
  }
  expectError(packedBytes(ElementPacking::Padded6, 24),
              "expected a multiple of 16 elements in 0..2^48, got 24");
  expectError(sharedBytes(ElementPacking::Bytes, int64_t(1) << 49), "got");
}
