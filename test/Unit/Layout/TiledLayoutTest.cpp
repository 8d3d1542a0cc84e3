//===- TiledLayoutTest.cpp ------------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/TiledLayout.h"

#include <set>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

/// Four rows of two columns, row by row, one pair of bits swapped over.
static LinearLayout atom() {
  return get(LinearLayout::get(
      {{"row", {{"offset", {2, 4 ^ 1}}}}, {"column", {{"offset", {1}}}}},
      {{"offset", 3}}));
}

TEST(TiledLayout, AppliesAtomsAndStrides) {
  // 12 rows of 10 columns: 3 x 5 atoms, rows first.
  TiledLayout layout = get(TiledLayout::dense(
      atom(), {{"row", 12}, {"column", 10}}, {"row", "column"}, "offset"));
  EXPECT_EQ(layout.extent("row"), 12);
  EXPECT_EQ(layout.extent("column"), 10);
  EXPECT_EQ(layout.extent("other"), 1);
  EXPECT_EQ(layout.outputExtent("offset"), 120);
  std::set<int64_t> places;
  for (int64_t r = 0; r < 12; ++r)
    for (int64_t c = 0; c < 10; ++c) {
      int64_t inside = (r % 2 * 2) ^ (r / 2 % 2 * 5) ^ (c % 2);
      int64_t expected = inside + 8 * (r / 4) + 24 * (c / 2);
      EXPECT_EQ(get(layout.apply({{"row", r}, {"column", c}})),
                (Coordinates{{"offset", expected}}));
      places.insert(expected);
    }
  EXPECT_EQ(places.size(), 120u);
  EXPECT_TRUE(get(layout.isInjective()));
  expectError(layout.apply({{"row", 12}}), "expected 'row' in 0..11, got 12");
  expectError(layout.apply({{"row", -1}}), "got -1");
  expectError(layout.apply({{"depth", 1}}), "expected 'depth' in 0..0, got 1");
}

TEST(TiledLayout, NormalForm) {
  TiledLayout whole = get(TiledLayout::get(
      atom(), {{"row", 12, {{"offset", 8}}}, {"column", 5, {{"offset", 96}}}}));
  TiledLayout split = get(
      TiledLayout::get(atom(), {{"column", 5, {{"offset", 96}, {"other", 0}}},
                                {"row", 3, {{"offset", 8}}},
                                {"row", 1, {{"offset", 7}}},
                                {"row", 4, {{"offset", 24}}}}));
  EXPECT_EQ(whole, split);
  EXPECT_EQ(whole.str(), split.str());
  EXPECT_EQ(whole.str(),
            "{(column:1, row:2) -> (offset:3) column=[1] row=[2, 5]} tiled "
            "column 5 x {offset 96}, row 12 x {offset 8}");
  EXPECT_EQ(get(TiledLayout::get(
                    {}, {{"x", 2, {{"p", 3}, {"q", 1}}}, {"y", 2, {{"p", 1}}}}))
                .str(),
            "{() -> ()} tiled x 2 x {p 3, q 1}, y 2 x {p 1}");
  // Other strides or the other order are other layouts.
  EXPECT_NE(whole,
            get(TiledLayout::get(atom(), {{"row", 4, {{"offset", 24}}},
                                          {"row", 3, {{"offset", 8}}},
                                          {"column", 5, {{"offset", 96}}}})));
  EXPECT_NE(whole,
            get(TiledLayout::get(atom(), {{"row", 12, {{"offset", 8}}},
                                          {"column", 5, {{"offset", 104}}}})));
}

TEST(TiledLayout, NormalFormIsEqualityOfMaps) {
  // Random splits into factors: equal exactly when equal at every element.
  std::mt19937_64 random(11);
  unsigned equal = 0;
  auto make = [&] {
    int64_t first = 1 + int64_t(random() % 3), stride = 8 * first;
    if (random() % 2)
      stride += 8;
    int64_t second = 6 / first;
    return get(
        TiledLayout::get(atom(), {{"row", first, {{"offset", 8}}},
                                  {"row", second, {{"offset", stride}}}}));
  };
  for (int round = 0; round < 300; ++round) {
    TiledLayout a = make(), b = make();
    bool same = a.extent("row") == b.extent("row");
    for (int64_t r = 0; same && r < a.extent("row"); ++r)
      same = get(a.apply({{"row", r}})) == get(b.apply({{"row", r}}));
    EXPECT_EQ(a == b, same) << a.str() << "\n" << b.str();
    equal += same;
  }
  EXPECT_GT(equal, 30u);
  EXPECT_LT(equal, 300u);
}

TEST(TiledLayout, RefusesTilesThatAreNotWholeAtoms) {
  for (int64_t rows = -4; rows <= 64; ++rows) {
    auto layout =
        TiledLayout::dense(atom(), {{"row", rows}}, {"row"}, "offset");
    EXPECT_EQ(bool(layout), rows > 0 && rows % 4 == 0) << rows;
    if (!layout)
      expectError(layout, "expected 'row' to be whole atoms, a positive "
                          "multiple of 4, got " +
                              std::to_string(rows));
  }
  expectError(TiledLayout::dense(atom(), {{"row", 8}}, {}, "offset"),
              "expected 'row' in the order of the tiles: it has 2 atoms");
}

TEST(TiledLayout, RefusesBadFactors) {
  expectError(TiledLayout::get(atom(), {{"row", 0, {{"offset", 8}}}}),
              "expected a positive extent along 'row', got 0");
  expectError(TiledLayout::get(atom(), {{"row", 2, {{"offset", -8}}}}),
              "not negative, got -8");
  expectError(TiledLayout::get(atom(), {{"row", 2, {}}}),
              "its 2 atoms would share their places");
  int64_t huge = int64_t(1) << 61;
  expectError(TiledLayout::get(atom(), {{"row", huge, {{"offset", 8}}}}),
              "more than 2^62 elements");
  expectError(TiledLayout::get(atom(), {{"row", huge, {{"offset", 8}}},
                                        {"row", huge, {{"offset", 9}}}}),
              "more than 2^62 elements");
  expectError(TiledLayout::get(atom(), {{"row", 3, {{"offset", huge}}}}),
              "goes beyond 2^62");
  expectError(
      TiledLayout::get(atom(), {{"row", 2, {{"offset", 4 * (huge - 1)}}}}),
      "goes beyond 2^62");
  expectError(TiledLayout::dense(atom(), {{"row", huge}, {"column", huge}},
                                 {"row", "column"}, "offset"),
              "goes beyond 2^62");
}

TEST(TiledLayout, InjectivityAgainstEnumeration) {
  std::mt19937_64 random(12);
  unsigned yes = 0, no = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<TileFactor> factors;
    for (const char *dim : {"row", "column", "depth"})
      factors.push_back({dim,
                         1 + int64_t(random() % 4),
                         {{"offset", 1 + int64_t(random() % 40)},
                          {"plane", int64_t(random() % 2)}}});
    TiledLayout layout = get(TiledLayout::get(atom(), factors));
    std::set<Coordinates> places;
    int64_t elements = 0;
    for (int64_t r = 0; r < layout.extent("row"); ++r)
      for (int64_t c = 0; c < layout.extent("column"); ++c)
        for (int64_t d = 0; d < layout.extent("depth"); ++d, ++elements) {
          Coordinates place =
              get(layout.apply({{"row", r}, {"column", c}, {"depth", d}}));
          for (const auto &entry : place)
            EXPECT_LT(entry.second, layout.outputExtent(entry.first));
          places.insert(place);
        }
    bool injective = int64_t(places.size()) == elements;
    EXPECT_EQ(get(layout.isInjective()), injective) << layout.str();
    ++(injective ? yes : no);
  }
  EXPECT_GT(yes, 100u);
  EXPECT_GT(no, 100u);
}

TEST(TiledLayout, InjectivityUsesHolesOfTheAtom) {
  // Two atoms interleaved: one fills the holes that the other leaves, so the
  // stride is smaller than the extent of the atom.
  LinearLayout even =
      get(LinearLayout::get({{"m", {{"lane", {1, 4}}}}}, {{"lane", 3}}));
  int64_t many = int64_t(1) << 40;
  TiledLayout layout = get(TiledLayout::get(
      even, {{"n", 2, {{"lane", 2}}}, {"k", many, {{"lane", 8}}}}));
  EXPECT_TRUE(get(layout.isInjective()));
  TiledLayout overlapping = get(TiledLayout::get(
      even, {{"n", 2, {{"lane", 4}}}, {"k", many, {{"lane", 16}}}}));
  expectError(overlapping.isInjective(), "the strides do not nest");
  EXPECT_FALSE(get(
      get(TiledLayout::get(even, {{"n", 2, {{"lane", 4}}}})).isInjective()));
}
