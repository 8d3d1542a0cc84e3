//===- IndexChainTest.cpp -------------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/IndexChain.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

namespace {
using Shape = std::vector<int64_t>;

/// The same operations on an array that holds the offset of every element:
/// reshape keeps it, transpose moves the values.
struct Array {
  Shape shape;
  std::vector<int64_t> values;

  static int64_t count(const Shape &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<int64_t>());
  }
  static Array rowMajor(Shape shape) {
    Array array = {shape, std::vector<int64_t>(count(shape))};
    std::iota(array.values.begin(), array.values.end(), 0);
    return array;
  }
  static Shape unravel(int64_t index, const Shape &shape) {
    Shape coordinate(shape.size());
    for (size_t i = shape.size(); i-- > 0;) {
      coordinate[i] = index % shape[i];
      index /= shape[i];
    }
    return coordinate;
  }
  Array reshape(Shape to) const { return {to, values}; }
  Array transpose(const Shape &permutation) const {
    Shape to;
    for (int64_t p : permutation)
      to.push_back(shape[p]);
    Array result = {to, std::vector<int64_t>(values.size())};
    for (size_t i = 0; i < values.size(); ++i) {
      Shape coordinate = unravel(i, to);
      Shape source(shape.size());
      for (size_t d = 0; d < to.size(); ++d)
        source[permutation[d]] = coordinate[d];
      int64_t index = 0;
      for (size_t d = 0; d < shape.size(); ++d)
        index = index * shape[d] + source[d];
      result.values[i] = values[index];
    }
    return result;
  }
};

void expectSame(const IndexChain &chain, const Array &array) {
  ASSERT_EQ(chain.shape(), array.shape);
  ASSERT_EQ(chain.elementCount(), int64_t(array.values.size()));
  for (size_t i = 0; i < array.values.size(); ++i)
    ASSERT_EQ(chain.offset(Array::unravel(i, array.shape)), array.values[i])
        << chain.str() << " at " << i;
}

/// All ways to write n as an ordered product of up to `rank` factors, ones
/// included.
void forEachShape(int64_t n, int rank, Shape &prefix,
                  const std::function<void(const Shape &)> &body) {
  if (rank == 1) {
    prefix.push_back(n);
    body(prefix);
    prefix.pop_back();
    return;
  }
  for (int64_t d = 1; d <= n; ++d)
    if (n % d == 0) {
      prefix.push_back(d);
      forEachShape(n / d, rank - 1, prefix, body);
      prefix.pop_back();
    }
}

Shape randomShape(std::mt19937_64 &random, int64_t count) {
  Shape shape;
  while (count > 1 && shape.size() < 5) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= count; ++d)
      if (count % d == 0)
        divisors.push_back(d);
    shape.push_back(divisors[random() % divisors.size()]);
    count /= shape.back();
  }
  shape.push_back(count);
  return shape;
}

/// Is the function of one dimension expressible by factors, i.e. is the
/// sequence of values a sum over the digits of the index in a mixed radix?
bool isStrided(const std::vector<int64_t> &values) {
  size_t n = values.size();
  if (n == 1)
    return true;
  for (size_t extent = 2; extent <= n; ++extent) {
    if (n % extent)
      continue;
    bool fits = true;
    for (size_t i = 0; fits && i < n; ++i)
      fits = values[i] - values[i / extent * extent] ==
             int64_t(i % extent) * (values[1] - values[0]);
    if (!fits)
      continue;
    std::vector<int64_t> outer;
    for (size_t i = 0; i < n; i += extent)
      outer.push_back(values[i]);
    if (isStrided(outer))
      return true;
  }
  return false;
}

/// Is the array a sum of one strided function for each dimension?
bool isStrided(const Array &array) {
  std::vector<std::vector<int64_t>> lines;
  for (size_t d = 0; d < array.shape.size(); ++d)
    lines.emplace_back(array.shape[d]);
  for (size_t i = 0; i < array.values.size(); ++i) {
    Shape coordinate = Array::unravel(i, array.shape);
    for (size_t d = 0; d < coordinate.size(); ++d) {
      Shape others = coordinate;
      others[d] = 0;
      if (std::all_of(others.begin(), others.end(),
                      [](int64_t x) { return x == 0; }))
        lines[d][coordinate[d]] = array.values[i];
    }
  }
  for (size_t i = 0; i < array.values.size(); ++i) {
    Shape coordinate = Array::unravel(i, array.shape);
    int64_t sum = 0;
    for (size_t d = 0; d < coordinate.size(); ++d)
      sum += lines[d][coordinate[d]];
    if (sum != array.values[i])
      return false;
  }
  return std::all_of(
      lines.begin(), lines.end(),
      [](const std::vector<int64_t> &line) { return isStrided(line); });
}
} // namespace

TEST(IndexChain, RowMajor) {
  expectSame(get(IndexChain::rowMajor({3, 1, 4, 5})),
             Array::rowMajor({3, 1, 4, 5}));
  IndexChain scalar = get(IndexChain::rowMajor({}));
  EXPECT_EQ(scalar.offset({}), 0);
  EXPECT_EQ(scalar.str(), "() : ()");
  EXPECT_EQ(get(IndexChain::rowMajor({6, 1, 4})).str(),
            "(6)x(1)x(4) : (4)x(0)x(1)");
}

TEST(IndexChain, ReshapeOfRowMajorAlwaysWorks) {
  for (int64_t n : {1, 7, 12, 36, 64}) {
    Shape prefix;
    forEachShape(n, 3, prefix, [&](const Shape &from) {
      IndexChain chain = get(IndexChain::rowMajor(from));
      Shape inner;
      forEachShape(n, 3, inner, [&](const Shape &to) {
        IndexChain reshaped = get(chain.reshape(to));
        EXPECT_EQ(reshaped, get(IndexChain::rowMajor(to)));
        EXPECT_EQ(reshaped.shape(), to);
      });
    });
  }
}

TEST(IndexChain, RandomChainsAgainstArrays) {
  std::mt19937_64 random(21);
  unsigned accepted = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    int64_t count = std::vector<int64_t>{24, 36, 64, 96, 120}[random() % 5];
    Shape shape = randomShape(random, count);
    IndexChain chain = get(IndexChain::rowMajor(shape));
    Array array = Array::rowMajor(shape);
    for (int step = 0; step < 4; ++step) {
      Shape permutation(array.shape.size());
      std::iota(permutation.begin(), permutation.end(), 0);
      std::shuffle(permutation.begin(), permutation.end(), random);
      chain = get(chain.transpose(permutation));
      array = array.transpose(permutation);
      Shape to = randomShape(random, count);
      auto reshaped = chain.reshape(to);
      Array expected = array.reshape(to);
      // Refused exactly when no strided map exists.
      ASSERT_EQ(bool(reshaped), isStrided(expected))
          << chain.str() << " " << reshaped.error();
      if (!reshaped) {
        ++refused;
        expectError(reshaped, "without moving data");
        continue;
      }
      ++accepted;
      chain = *reshaped;
      array = expected;
      expectSame(chain, array);
    }
  }
  EXPECT_GT(accepted, 500u);
  EXPECT_GT(refused, 500u);
}

TEST(IndexChain, EqualityAndFirstMismatchAgainstEnumeration) {
  // All permutations of all three-part shapes, viewed as the same shape,
  // against each other.
  std::vector<IndexChain> chains;
  Shape prefix;
  forEachShape(24, 3, prefix, [&](const Shape &shape) {
    Shape permutation = {0, 1, 2};
    do {
      auto chain = get(get(IndexChain::rowMajor(shape)).transpose(permutation))
                       .reshape({2, 12});
      if (chain)
        chains.push_back(*chain);
      chain = get(get(IndexChain::rowMajor(shape)).transpose(permutation))
                  .reshape({24});
      if (chain)
        chains.push_back(*chain);
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  });
  ASSERT_GT(chains.size(), 50u);
  unsigned different = 0;
  for (const IndexChain &a : chains)
    for (const IndexChain &b : chains) {
      auto mismatch = a.firstMismatch(b);
      EXPECT_EQ(a == b, !mismatch);
      EXPECT_EQ(a.describeMismatch(b).empty(), a == b);
      if (a.shape() != b.shape()) {
        ASSERT_TRUE(mismatch);
        EXPECT_TRUE(mismatch->coordinate.empty());
        continue;
      }
      std::optional<Mismatch> expected;
      for (int64_t i = 0; i < 24 && !expected; ++i) {
        Shape at = Array::unravel(i, a.shape());
        if (a.offset(at) != b.offset(at))
          expected = Mismatch{at, b.offset(at), a.offset(at)};
      }
      ASSERT_EQ(bool(mismatch), bool(expected)) << a.str() << " | " << b.str();
      if (!expected)
        continue;
      ++different;
      EXPECT_EQ(mismatch->coordinate, expected->coordinate)
          << a.str() << " | " << b.str();
      EXPECT_EQ(mismatch->expected, expected->expected);
      EXPECT_EQ(mismatch->actual, expected->actual);
    }
  EXPECT_GT(different, 100u);
}

TEST(IndexChain, MismatchOfHugeTensors) {
  // Found from the factors: enumeration would never end.
  IndexChain a = get(IndexChain::rowMajor({int64_t(1) << 30, 3, 1 << 20}));
  IndexChain b = get(get(IndexChain::rowMajor({3, int64_t(1) << 30, 1 << 20}))
                         .transpose({1, 0, 2}));
  auto mismatch = a.firstMismatch(b);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->coordinate, (Shape{0, 1, 0}));
  EXPECT_EQ(mismatch->actual, 1 << 20);
  EXPECT_EQ(mismatch->expected, int64_t(1) << 50);
}

TEST(IndexChain, Text) {
  IndexChain chain = get(get(get(get(IndexChain::rowMajor({1, 3, 4, 2, 256}))
                                     .reshape({3, 4, 32, 4, 4}))
                                 .transpose({0, 3, 2, 1, 4}))
                             .reshape({384, 16}));
  EXPECT_EQ(chain.str(), "(3,4,32)x(4,4) : (2048,4,16)x(512,1)");
  IndexChain wrong = get(get(get(IndexChain::rowMajor({1, 3, 4, 2, 256}))
                                 .reshape({3, 4, 32, 4, 4}))
                             .transpose({0, 2, 3, 1, 4}));
  wrong = get(wrong.reshape({384, 16}));
  EXPECT_EQ(wrong.describeMismatch(chain),
            "expected layout (3,4,32)x(4,4) : (2048,4,16)x(512,1), got "
            "(3,128)x(4,4) : (2048,4)x(512,1); first difference at (1, 0): "
            "expected offset 16, got 4");
  EXPECT_EQ(chain.describeMismatch(get(IndexChain::rowMajor({16, 384}))),
            "expected shape (16, 384), got (384, 16)");
}

TEST(IndexChain, RefusesBadInput) {
  expectError(IndexChain::rowMajor({3, 0}),
              "expected positive extents, got shape (3, 0)");
  expectError(IndexChain::rowMajor({-3, -2}), "expected positive extents");
  expectError(IndexChain::rowMajor({int64_t(1) << 40, int64_t(1) << 40}),
              "has more than 2^62 elements");
  EXPECT_TRUE(bool(IndexChain::rowMajor({int64_t(1) << 31, int64_t(1) << 31})));
  IndexChain chain = get(IndexChain::rowMajor({4, 6}));
  expectError(chain.reshape({5, 5}),
              "cannot reshape (4, 6) to (5, 5): expected 24 elements, got 25");
  expectError(chain.reshape({}), "expected 24 elements, got 1");
  expectError(chain.reshape({24, 0}), "expected positive extents");
  IndexChain turned = get(chain.transpose({1, 0}));
  expectError(turned.reshape({8, 3}),
              "cannot reshape (6, 4) to (8, 3) without moving data: ");
  EXPECT_EQ(get(turned.reshape({3, 8})).str(), "(3)x(2,4) : (2)x(1,6)");
  expectError(turned.reshape({4, 6}), "would cut a run of 4 elements with "
                                      "stride 6 unevenly in (6)x(4) : (1)x(6)");
  expectError(chain.transpose({0}), "expected a permutation of the 2 "
                                    "dimensions of (4, 6), got (0)");
  expectError(chain.transpose({0, 0}), "got (0, 0)");
  expectError(chain.transpose({0, 2}), "got (0, 2)");
  expectError(chain.transpose({-1, 0}), "got (-1, 0)");
  EXPECT_EQ(chain.offset({4, 0}), -1);
  EXPECT_EQ(chain.offset({0, -1}), -1);
  EXPECT_EQ(chain.offset({0}), -1);
  int64_t half = int64_t(1) << 31;
  EXPECT_EQ(get(IndexChain::strided({{{half, half}}, {{half, 1}}})),
            get(IndexChain::rowMajor({half, half})));
  expectError(IndexChain::strided({{{2, 0}}}), "expected positive extents");
  expectError(IndexChain::strided({{{3, int64_t(1) << 61}}, {{2, 1}}}),
              "beyond 2^62");
  expectError(IndexChain::strided({{{2, int64_t(1) << 62}}, {{2, 1}}}),
              "beyond 2^62");
}

TEST(IndexChain, FromTiled) {
  LinearLayout atom = get(LinearLayout::get(
      {{"m", {{"offset", {8, 16, 1}}}}, {"k", {{"offset", {2, 4}}}}},
      {{"offset", 5}}));
  TiledLayout layout = get(TiledLayout::get(
      atom, {{"m", 3, {{"offset", 160}}}, {"k", 5, {{"offset", 32}}}}));
  IndexChain chain = get(IndexChain::fromTiled(layout, {"m", "k"}, "offset"));
  EXPECT_EQ(chain.shape(), (Shape{24, 20}));
  for (int64_t m = 0; m < 24; ++m)
    for (int64_t k = 0; k < 20; ++k)
      EXPECT_EQ(chain.offset({m, k}),
                get(layout.apply({{"m", m}, {"k", k}}))["offset"]);
  expectError(IndexChain::fromTiled(layout, {"m"}, "offset"), "'k' is missing");
  expectError(IndexChain::fromTiled(layout, {"m", "k", "m"}, "offset"),
              "twice");
  expectError(IndexChain::fromTiled(layout, {"m", "k"}, "byte"),
              "expected 'byte' to be the only output, got 'offset'");
  TiledLayout swizzled = get(TiledLayout::get(
      get(LinearLayout::get({{"m", {{"offset", {1, 3}}}}}, {{"offset", 2}})),
      {}));
  expectError(IndexChain::fromTiled(swizzled, {"m"}, "offset"),
              "expected a strided atom");
}
