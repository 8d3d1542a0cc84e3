//===- LinearLayoutTest.cpp -----------------------------------------------===//

#include "TestUtils.h"

#include <set>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

TEST(LinearMap, ApplyIsLinear) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    LinearMap map =
        randomMap(random, {{"x", 4}, {"a", 3}}, {{"p", 5}, {"q", 3}});
    EXPECT_EQ(map.applyPacked(0), 0u);
    forEachInput(map, [&](uint64_t x) {
      uint64_t y = random() & 127;
      EXPECT_EQ(map.applyPacked(x ^ y),
                map.applyPacked(x) ^ map.applyPacked(y));
      Coordinates in = map.unpackInput(x);
      EXPECT_EQ(get(map.packInput(in)), x);
      EXPECT_EQ(get(map.packOutput(get(map.apply(in)))), map.applyPacked(x));
    });
  }
}

TEST(LinearMap, NormalFormIgnoresOrderAndEmptyDims) {
  LinearMap a = get(LinearMap::get(
      {{"m", {{"lane", {1, 2}}, {"column", {1}}}}, {"k", {{"byte", {1}}}}},
      {{"lane", 2}, {"column", 1}, {"byte", 1}}));
  LinearMap b = get(
      LinearMap::get({{"unit", {}},
                      {"k", {{"byte", {1}}}},
                      {"m", {{"lane", {1, 2}}, {"column", {1}}}}},
                     {{"byte", 1}, {"none", 0}, {"column", 1}, {"lane", 2}}));
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.str(), b.str());
  EXPECT_EQ(a.str(), "(k:1, m:3) -> (byte:1, column:1, lane:2) k=[byte 1] "
                     "m=[lane 1, lane 2, column 1]");
  EXPECT_EQ(get(a.apply({{"m", 7}, {"k", 1}, {"unit", 0}})),
            (Coordinates{{"byte", 1}, {"column", 1}, {"lane", 3}}));
}

TEST(LinearMap, Text) {
  EXPECT_EQ(LinearMap().str(), "() -> ()");
  EXPECT_EQ(get(LinearMap::get({{"x", {{"p", {2, 0}}, {"q", {1}}}}},
                               {{"p", 2}, {"q", 1}}))
                .str(),
            "(x:3) -> (p:2, q:1) x=[p 2, 0, q 1]");
  // An image with parts in two outputs.
  LinearMap split = get(LinearMap::get({{"offset", {{"p", {1}}, {"q", {1}}}}},
                                       {{"p", 1}, {"q", 1}}));
  LinearMap both =
      get(LinearMap::get({{"x", {{"offset", {3}}}}}, {{"offset", 2}}));
  EXPECT_EQ(get(both.compose(split)).str(),
            "(x:1) -> (p:1, q:1) x=[p 1 + q 1]");
}

TEST(LinearMap, EqualityIsEqualityOfMaps) {
  std::mt19937_64 random(2);
  unsigned equal = 0;
  for (int round = 0; round < 2000; ++round) {
    LinearMap a = randomMap(random, {{"x", 1}, {"y", 1}}, {{"p", 1}, {"q", 1}});
    LinearMap b = randomMap(random, {{"x", 1}, {"y", 1}}, {{"p", 1}, {"q", 1}});
    bool same = true;
    forEachInput(a, [&](uint64_t x) {
      same &=
          a.unpackOutput(a.applyPacked(x)) == b.unpackOutput(b.applyPacked(x));
    });
    EXPECT_EQ(a == b, same);
    equal += same;
  }
  EXPECT_GT(equal, 50u);
}

TEST(LinearMap, ComposeIsFunctionComposition) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    LinearMap a = randomMap(random, {{"x", 4}, {"y", 3}}, {{"p", 3}, {"q", 4}});
    // The next map names its inputs in another order and takes a wider p.
    LinearMap b = randomMap(random, {{"q", 4}, {"p", 5}}, {{"z", 6}, {"b", 2}});
    LinearMap c = get(a.compose(b));
    forEachInput(a, [&](uint64_t x) {
      Coordinates in = a.unpackInput(x);
      EXPECT_EQ(get(c.apply(in)), get(b.apply(get(a.apply(in)))));
    });
  }
}

TEST(LinearMap, ComposeRefusesLostDimensions) {
  LinearMap a = get(LinearMap::identity({{"p", 3}, {"q", 2}}));
  expectError(a.compose(get(LinearMap::identity({{"p", 3}}))),
              "'q' has 2 bits but the next map (p:3) takes 0");
  expectError(a.compose(get(LinearMap::identity({{"p", 2}, {"q", 2}}))),
              "'p' has 3 bits but the next map (p:2, q:2) takes 2");
  expectError(
      a.compose(get(LinearMap::identity({{"p", 3}, {"q", 2}, {"r", 1}}))),
      "takes 'r', which (p:3, q:2) does not produce");
}

TEST(LinearMap, ProductAndDivision) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 100; ++round) {
    LinearMap low =
        randomMap(random, {{"x", 2}, {"y", 2}}, {{"p", 3}, {"q", 1}});
    LinearMap high =
        randomMap(random, {{"y", 2}, {"w", 1}}, {{"p", 2}, {"r", 2}});
    LinearMap both = get(low.product(high));
    EXPECT_EQ(both.inputBits(), 7u);
    EXPECT_EQ(both.outputBits(), 8u);
    forEachInput(both, [&](uint64_t packed) {
      Coordinates in = both.unpackInput(packed);
      Coordinates l = get(low.apply({{"x", in["x"]}, {"y", in["y"] % 4}}));
      Coordinates h = get(high.apply({{"y", in["y"] / 4}, {"w", in["w"]}}));
      EXPECT_EQ(get(both.apply(in)),
                (Coordinates{
                    {"p", l["p"] + 8 * h["p"]}, {"q", l["q"]}, {"r", h["r"]}}));
    });
    EXPECT_EQ(get(both.divideLeft(low)), high);
    EXPECT_EQ(get(both.divideRight(high)), low);
    EXPECT_EQ(get(both.divideLeft(LinearMap())), both);
    EXPECT_EQ(get(both.divideLeft(both)), LinearMap());
    EXPECT_EQ(get(both.divideRight(both)), LinearMap());
    EXPECT_EQ(low.rank() + high.rank(), both.rank());
  }
}

TEST(LinearMap, DivisionIsExact) {
  // Whenever a division succeeds, the product gives the map back; whenever it
  // is refused, no quotient exists. Both are checked against every quotient.
  std::mt19937_64 random(5);
  unsigned divided = 0;
  for (int round = 0; round < 400; ++round) {
    LinearMap map = randomMap(random, {{"x", 2}}, {{"p", 2}});
    LinearMap part = randomMap(random, {{"x", 1}}, {{"p", 1}});
    unsigned left = 0, right = 0;
    for (int64_t image = 0; image < 2; ++image) {
      LinearMap other =
          get(LinearMap::get({{"x", {{"p", {image}}}}}, {{"p", 1}}));
      left += get(part.product(other)) == map;
      right += get(other.product(part)) == map;
    }
    auto l = map.divideLeft(part);
    auto r = map.divideRight(part);
    EXPECT_EQ(bool(l), left == 1);
    EXPECT_EQ(bool(r), right == 1);
    if (l) {
      EXPECT_EQ(get(part.product(*l)), map);
    }
    if (r) {
      EXPECT_EQ(get(r->product(part)), map);
    }
    divided += bool(l) + bool(r);
  }
  EXPECT_GT(divided, 50u);
  LinearMap map = get(LinearMap::identity({{"x", 2}}));
  expectError(map.divideLeft(get(LinearMap::identity({{"x", 3}}))),
              "the divisor has 3 bits of input 'x', the layout has 2");
  expectError(map.divideLeft(get(LinearMap::identity({{"y", 1}}))),
              "the divisor has 1 bits of input 'y', the layout has 0");
}

TEST(LinearMap, RankInverseAndImage) {
  std::mt19937_64 random(6);
  unsigned injective = 0;
  for (int round = 0; round < 300; ++round) {
    LinearMap map =
        randomMap(random, {{"x", 3}, {"y", 2}}, {{"p", 4}, {"q", 3}});
    std::set<uint64_t> images;
    forEachInput(map, [&](uint64_t x) { images.insert(map.applyPacked(x)); });
    EXPECT_EQ(images.size(), size_t(1) << map.rank());
    EXPECT_EQ(map.isInjective(), images.size() == 32);
    EXPECT_EQ(map.holeBits(), 7 - map.rank());
    for (uint64_t y = 0; y < 128; ++y)
      EXPECT_EQ(map.isImage(y), images.count(y) == 1);
    auto inverse = map.leftInverse();
    EXPECT_EQ(bool(inverse), map.isInjective());
    if (!inverse)
      continue;
    ++injective;
    EXPECT_EQ(get(map.compose(*inverse)),
              get(LinearMap::identity({{"x", 3}, {"y", 2}})));
  }
  EXPECT_GT(injective, 100u);
}

TEST(LinearMap, LeftInverseIgnoresBitsItDoesNotNeed) {
  // The element is in the lower bits and repeated above: the lower ones decide.
  LinearMap map = get(LinearMap::get({{"x", {{"p", {5, 10}}}}}, {{"p", 5}}));
  LinearMap inverse = get(map.leftInverse());
  EXPECT_EQ(inverse.str(), "(p:5) -> (x:2) p=[1, 2, 0, 0, 0]");
}

TEST(LinearMap, RestrictProjectRename) {
  std::mt19937_64 random(7);
  LinearMap map =
      randomMap(random, {{"x", 3}, {"y", 2}, {"z", 2}}, {{"p", 4}, {"q", 3}});
  LinearMap part = get(map.restrictTo({"z", "x"}));
  LinearMap shadow = get(map.projectTo({"q"}));
  LinearMap renamed =
      get(get(map.renameInput("x", "zz")).renameOutput("p", "w"));
  forEachInput(map, [&](uint64_t packed) {
    Coordinates in = map.unpackInput(packed), out = get(map.apply(in));
    EXPECT_EQ(get(shadow.apply(in)), (Coordinates{{"q", out["q"]}}));
    EXPECT_EQ(
        get(renamed.apply({{"zz", in["x"]}, {"y", in["y"]}, {"z", in["z"]}})),
        (Coordinates{{"w", out["p"]}, {"q", out["q"]}}));
    if (in["y"] == 0) {
      EXPECT_EQ(get(part.apply({{"x", in["x"]}, {"z", in["z"]}})), out);
    }
  });
  expectError(map.restrictTo({"w"}), "expected inputs out of (x:3, y:2, z:2)");
  expectError(map.projectTo({"x"}), "expected outputs out of (p:4, q:3)");
  expectError(map.renameInput("x", "y"), "given more than once");
  expectError(map.renameInput("w", "y"), "got 'w'");
  expectError(map.renameOutput("p", "q"), "given more than once");
}

TEST(LinearMap, RefusesBadInput) {
  expectError(LinearMap::get({{"x", {{"p", {4}}}}}, {{"p", 2}}),
              "image of 'x': expected 'p' in 0..3, got 4");
  expectError(LinearMap::get({{"x", {{"p", {-1}}}}}, {{"p", 2}}), "got -1");
  expectError(LinearMap::get({{"x", {{"q", {1}}}}}, {{"p", 2}}),
              "expected one of (p:2), got 'q'");
  expectError(LinearMap::get({{"x", {}}, {"x", {}}}, {}),
              "input dimension 'x' is given more than once");
  expectError(LinearMap::get({}, {{"p", 40}, {"q", 23}}),
              "expected at most 62 output bits, got 63");
  expectError(LinearMap::get({}, {{"p", ~0u}, {"q", 2}}), "output bits");
  expectError(LinearMap::get({{"", {{"p", {1}}}}}, {{"p", 1}}),
              "expected a name");
  LinearMap map = get(LinearMap::identity({{"p", 3}}));
  expectError(map.apply({{"p", 8}}), "expected 'p' in 0..7, got 8");
  expectError(map.apply({{"p", -1}}), "got -1");
  expectError(map.apply({{"q", 1}}), "expected one of (p:3), got 'q'");
  expectError(map.product(get(LinearMap::identity({{"p", 60}}))),
              "at most 62 input bits");
}

TEST(LinearMap, SixtyTwoBits) {
  LinearMap map = get(LinearMap::identity({{"p", 62}}));
  int64_t last = (int64_t(1) << 62) - 1;
  EXPECT_EQ(get(map.apply({{"p", last}})), (Coordinates{{"p", last}}));
  EXPECT_EQ(get(map.leftInverse()), map);
  EXPECT_EQ(map.rank(), 62u);
}

TEST(LinearLayout, IsInjective) {
  expectError(LinearLayout::get({{"x", {{"p", {1, 2, 3}}}}}, {{"p", 2}}),
              "expected an injective map, got rank 2 on 3 input bits");
  expectError(LinearLayout::get({{"x", {{"p", {1}}}}}, {{"p", 2}}, {"copy"}),
              "expected replication inputs out of (x:1), got 'copy'");
}

TEST(LinearLayout, ReplicationIsPartOfTheLayout) {
  std::vector<InputDim> inputs = {{"x", {{"p", {1, 2}}}},
                                  {"copy", {{"p", {4, 8}}}}};
  LinearLayout copies = get(LinearLayout::get(inputs, {{"p", 5}}, {"copy"}));
  LinearLayout elements = get(LinearLayout::get(inputs, {{"p", 5}}));
  EXPECT_NE(copies, elements);
  EXPECT_EQ(copies.replicationBits(), 2u);
  EXPECT_EQ(elements.replicationBits(), 0u);
  EXPECT_EQ(copies.holeBits(), 1u);
  EXPECT_EQ(copies.str(),
            "(copy:2, x:2) -> (p:5) copy=[4, 8] x=[1, 2] copies copy");
}

TEST(LinearLayout, Picture) {
  // Four rows of two columns, a copy in the columns, a hole in the rows.
  LinearLayout layout = get(
      LinearLayout::get({{"m", {{"lane", {2}}}}, {"copy", {{"column", {1}}}}},
                        {{"lane", 2}, {"column", 1}}, {"copy"}));
  EXPECT_EQ(get(picture(layout, {"lane", "column", {}})),
            "        column 0  column 1\n"
            "lane 0  m=0       m=0\n"
            "lane 1  .         .\n"
            "lane 2  m=1       m=1\n"
            "lane 3  .         .\n");
  EXPECT_EQ(get(picture(layout, {"lane", "column", {}, 1, 1})),
            "        column 0\n"
            "lane 0  m=0\n");
  expectError(picture(layout, {"lane", "lane", {}}), "'lane' twice");
  expectError(picture(layout, {"lane", "byte", {}}), "got 'byte'");
  expectError(picture(layout, {"lane", "column", {{"lane", 9}}}),
              "expected 'lane' in 0..3, got 9");
  LinearLayout large =
      get(LinearLayout::get({{"m", {{"p", {1}}}}}, {{"p", 31}, {"q", 31}}));
  expectError(picture(large, {"p", "q", {}}), "too large");
  EXPECT_TRUE(bool(picture(large, {"p", "q", {}, 4, 4})));
}
