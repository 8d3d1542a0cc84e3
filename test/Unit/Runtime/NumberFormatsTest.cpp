//===- NumberFormatsTest.cpp - codes against their definitions ------------===//

#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/ErrorMetrics.h"
#include "bsmm/Runtime/Random.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quietNaN = std::numeric_limits<double>::quiet_NaN();

const ElementType narrowTypes[] = {ElementType::E2M1, ElementType::E2M3,
                                   ElementType::E3M2, ElementType::E4M3,
                                   ElementType::E5M2, ElementType::UE4M3,
                                   ElementType::F16,  ElementType::BF16};

// Tables of the OCP Microscaling Formats specification, 5.3.
TEST(NumberFormats, SmallTables) {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned code = 0; code < 8; ++code) {
    EXPECT_EQ(decode(ElementType::E2M1, code), e2m1[code]);
    EXPECT_EQ(decode(ElementType::E2M1, code + 8), -e2m1[code]);
    EXPECT_TRUE(std::signbit(decode(ElementType::E2M1, code + 8)));
  }
  const double e3m2[] = {0,  .0625, .125, .1875, .25, .3125, .375, .4375,
                         .5, .625,  .75,  .875,  1,   1.25,  1.5,  1.75,
                         2,  2.5,   3,    3.5,   4,   5,     6,    7,
                         8,  10,    12,   14,    16,  20,    24,   28};
  for (unsigned code = 0; code < 32; ++code) {
    EXPECT_EQ(decode(ElementType::E3M2, code), e3m2[code]);
    EXPECT_EQ(decode(ElementType::E3M2, code + 32), -e3m2[code]);
    // e2m3: eighths below 2, quarters below 4, halves to 7.5.
    double e2m3 = code < 16   ? code / 8.0
                  : code < 24 ? 2 + (code - 16) / 4.0
                              : 4 + (code - 24) / 2.0;
    EXPECT_EQ(decode(ElementType::E2M3, code), e2m3);
    EXPECT_EQ(decode(ElementType::E2M3, code + 32), -e2m3);
  }
}

TEST(NumberFormats, EightBitLandmarks) {
  auto e4m3 = [](unsigned code) { return decode(ElementType::E4M3, code); };
  EXPECT_EQ(e4m3(0x7E), 448);
  EXPECT_EQ(e4m3(0x08), 0x1p-6);
  EXPECT_EQ(e4m3(0x01), 0x1p-9);
  EXPECT_EQ(e4m3(0x38), 1);
  EXPECT_EQ(e4m3(0xB8), -1);
  EXPECT_TRUE(std::isnan(e4m3(0x7F)) && std::isnan(e4m3(0xFF)));
  auto e5m2 = [](unsigned code) { return decode(ElementType::E5M2, code); };
  EXPECT_EQ(e5m2(0x7B), 57344);
  EXPECT_EQ(e5m2(0x04), 0x1p-14);
  EXPECT_EQ(e5m2(0x01), 0x1p-16);
  EXPECT_EQ(e5m2(0x7C), inf);
  EXPECT_EQ(e5m2(0xFC), -inf);
  for (unsigned code : {0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF})
    EXPECT_TRUE(std::isnan(e5m2(code)));
  for (unsigned code = 0; code < 255; ++code)
    EXPECT_EQ(decode(ElementType::UE8M0, code), std::pow(2.0, int(code) - 127));
  EXPECT_TRUE(std::isnan(decode(ElementType::UE8M0, 255)));
  // The sign of a ue4m3 scale is ignored.
  for (unsigned code = 0; code < 256; ++code) {
    double value = decode(ElementType::UE4M3, code);
    if ((code & 0x7F) == 0x7F)
      EXPECT_TRUE(std::isnan(value));
    else
      EXPECT_EQ(value, std::fabs(e4m3(code)));
  }
}

// f16 and bf16 against the machine's own f32 where the bits say the same.
TEST(NumberFormats, SixteenBitTypes) {
  for (uint32_t code = 0; code < 65536; ++code) {
    uint32_t bits = code << 16;
    float expected;
    std::memcpy(&expected, &bits, 4);
    double value = decode(ElementType::BF16, code);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value));
    else
      EXPECT_EQ(value, expected);
    // f16: shifted into f32's fields, a factor of 2^(127-15) too small.
    uint32_t magnitude = code & 0x7FFF;
    bits = magnitude << 13;
    std::memcpy(&expected, &bits, 4);
    value = decode(ElementType::F16, magnitude);
    if (magnitude > 0x7C00)
      EXPECT_TRUE(std::isnan(value));
    else if (magnitude == 0x7C00)
      EXPECT_EQ(value, inf);
    else
      EXPECT_EQ(value, double(expected) * 0x1p112);
  }
}

TEST(NumberFormats, Float32MatchesTheMachine) {
  Random random(5);
  for (int i = 0; i < 200000; ++i) {
    uint32_t code = static_cast<uint32_t>(random.next());
    float value;
    std::memcpy(&value, &code, 4);
    double decoded = decode(ElementType::F32, code);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(decoded));
      continue;
    }
    ASSERT_EQ(decoded, value);
    ASSERT_EQ(encode(ElementType::F32, decoded, Overflow::Infinity), code);
    // Halfway cases and others, against the machine's conversion.
    uint64_t bits = random.next();
    double wide;
    std::memcpy(&wide, &bits, 8);
    if (i % 2)
      wide = decoded * (1 + double(random.below(1 << 20)) * 0x1p-43);
    if (std::isnan(wide))
      continue;
    float narrow = static_cast<float>(wide);
    std::memcpy(&code, &narrow, 4);
    ASSERT_EQ(encode(ElementType::F32, wide, Overflow::Infinity), code) << wide;
  }
}

// Every code comes back, for every type of up to 16 bits.
TEST(NumberFormats, EncodeInvertsDecode) {
  for (ElementType type : narrowTypes) {
    unsigned bits = target::bitWidth(type);
    for (uint64_t code = 0; code < (uint64_t(1) << bits); ++code) {
      double value = decode(type, code);
      uint64_t back = encode(type, value, Overflow::Infinity);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decode(type, back)));
      else if (type == ElementType::UE4M3)
        EXPECT_EQ(back, code & 0x7F);
      else
        EXPECT_EQ(back, code) << target::name(type);
    }
  }
  for (unsigned code = 0; code < 256; ++code)
    EXPECT_EQ(encode(ElementType::UE8M0, decode(ElementType::UE8M0, code),
                     Overflow::Saturate),
              code);
}

// Between each two neighbouring codes: below, at and above the middle.
TEST(NumberFormats, RoundsToNearestEven) {
  for (ElementType type : narrowTypes) {
    std::map<double, uint64_t> positive;
    for (uint64_t code = 0; code < (uint64_t(1) << target::bitWidth(type));
         ++code) {
      double value = decode(type, code);
      if (std::isfinite(value) && !std::signbit(value))
        positive.emplace(value, code);
    }
    bool isSigned = target::info(type).isSigned;
    uint64_t sign = uint64_t(isSigned) << (target::bitWidth(type) - 1);
    for (auto low = positive.begin(), high = std::next(low);
         high != positive.end(); ++low, ++high) {
      double middle = low->first + (high->first - low->first) / 2;
      double below = std::nextafter(middle, 0),
             above = std::nextafter(middle, inf);
      uint64_t even = low->second % 2 == 0 ? low->second : high->second;
      auto check = [&](double value, uint64_t expected) {
        ASSERT_EQ(encode(type, value, Overflow::Saturate), expected)
            << target::name(type) << " " << value;
        ASSERT_EQ(encode(type, -value, Overflow::Saturate), expected | sign);
      };
      check(middle, even);
      check(below, low->second);
      check(above, high->second);
    }
  }
}

TEST(NumberFormats, Overflows) {
  auto saturate = [](ElementType type, double value) {
    return encode(type, value, Overflow::Saturate);
  };
  auto infinite = [](ElementType type, double value) {
    return encode(type, value, Overflow::Infinity);
  };
  EXPECT_EQ(saturate(ElementType::E4M3, 1e300), 0x7Eu);
  EXPECT_EQ(saturate(ElementType::E4M3, -inf), 0xFEu);
  EXPECT_EQ(infinite(ElementType::E4M3, 464), 0x7Eu); // a tie to even
  EXPECT_EQ(infinite(ElementType::E4M3, std::nextafter(464, inf)), 0x7Fu);
  EXPECT_EQ(saturate(ElementType::E5M2, inf), 0x7Bu);
  EXPECT_EQ(infinite(ElementType::E5M2, 61439), 0x7Bu);
  EXPECT_EQ(infinite(ElementType::E5M2, 61440), 0x7Cu);
  EXPECT_EQ(infinite(ElementType::F16, 65519), 0x7BFFu);
  EXPECT_EQ(infinite(ElementType::F16, 65520), 0x7C00u);
  EXPECT_EQ(saturate(ElementType::F16, -1e10), 0xFBFFu);
  EXPECT_EQ(infinite(ElementType::BF16, 1e300), 0x7F80u);
  // No NaN and no infinity: the largest value in both modes.
  for (auto mode : {Overflow::Saturate, Overflow::Infinity}) {
    EXPECT_EQ(encode(ElementType::E2M1, 7, mode), 0x7u);
    EXPECT_EQ(encode(ElementType::E2M1, -inf, mode), 0xFu);
    EXPECT_EQ(encode(ElementType::E2M1, quietNaN, mode), 0x7u);
    EXPECT_EQ(encode(ElementType::E2M3, inf, mode), 0x1Fu);
    EXPECT_EQ(encode(ElementType::E3M2, quietNaN, mode), 0x1Fu);
    EXPECT_EQ(encode(ElementType::E4M3, quietNaN, mode), 0x7Fu);
    EXPECT_EQ(encode(ElementType::E5M2, quietNaN, mode), 0x7Fu);
    EXPECT_EQ(encode(ElementType::F16, quietNaN, mode), 0x7FFFu);
    EXPECT_EQ(encode(ElementType::F32, quietNaN, mode), 0x7FFFFFFFu);
  }
  // PTX ISA, cvt to e2m1: decision points.
  const std::pair<double, unsigned> points[] = {{0.25, 0}, {0.75, 2}, {1.25, 2},
                                                {1.75, 4}, {2.5, 4},  {3.5, 6},
                                                {5, 6},    {-0.1, 8}};
  for (auto [value, code] : points)
    EXPECT_EQ(saturate(ElementType::E2M1, value), code) << value;
}

TEST(NumberFormats, ScaleRounding) {
  auto up = [](double value) {
    return encode(ElementType::UE8M0, value, Overflow::Saturate);
  };
  EXPECT_EQ(up(1), 127u);
  EXPECT_EQ(up(std::nextafter(1, 2)), 128u);
  EXPECT_EQ(up(1.6), 128u);
  EXPECT_EQ(up(-3), 129u);
  EXPECT_EQ(up(0), 0u);
  EXPECT_EQ(up(0x1p-140), 0u);
  EXPECT_EQ(up(0x1p127), 254u);
  EXPECT_EQ(up(1e300), 254u);
  EXPECT_EQ(up(inf), 254u);
  EXPECT_EQ(up(quietNaN), 255u);
  EXPECT_EQ(encodeUE8M0TowardZero(1.99), 127u);
  EXPECT_EQ(encodeUE8M0TowardZero(2), 128u);
  EXPECT_EQ(encodeUE8M0TowardZero(3.99), 128u);
  EXPECT_EQ(encodeUE8M0TowardZero(inf), 254u);
}

TEST(NumberFormats, PackedCodes) {
  // Two e2m1 codes a byte, low nibble first.
  const uint8_t bytes[] = {0x21, 0x43};
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(loadCode(bytes, i, 4), i + 1);
  Random random(6);
  for (unsigned width : {4u, 6u, 8u, 16u, 32u, 64u}) {
    const int64_t count = 101;
    std::vector<uint8_t> row(count * 8 + 8, 0xFF);
    std::vector<uint64_t> codes;
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    for (int64_t i = 0; i < count; ++i) {
      codes.push_back(random.next() & mask);
      storeCode(row.data(), i, width, codes.back() | ~mask);
    }
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(loadCode(row.data(), i, width), codes[i]) << width << " " << i;
    for (size_t i = (count * width + 7) / 8; i < row.size(); ++i)
      ASSERT_EQ(row[i], 0xFF);
  }
}

TEST(NumberFormats, ScaleTilesAreABijection) {
  for (auto [rows, groups] : {std::pair<int64_t, int64_t>{128, 4},
                              {256, 8},
                              {130, 5},
                              {1, 1},
                              {384, 12}}) {
    std::set<int64_t> seen;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t group = 0; group < groups; ++group) {
        int64_t offset = scaleTileOffset(row, group, groups);
        ASSERT_TRUE(seen.insert(offset).second);
        ASSERT_GE(offset, 0);
        ASSERT_LT(offset, scaleTileBytes(rows, groups));
      }
  }
  EXPECT_EQ(scaleTileBytes(130, 5), 2 * 2 * 512);
  EXPECT_EQ(scaleTileBytes(0, 5), 0);
  EXPECT_EQ(scaleTileOffset(1, 0, 4), 16);
  EXPECT_EQ(scaleTileOffset(32, 0, 4), 4);
  EXPECT_EQ(scaleTileOffset(0, 1, 4), 1);
  EXPECT_EQ(scaleTileOffset(0, 4, 8), 512);
  EXPECT_EQ(scaleTileOffset(128, 0, 8), 1024);
}

TEST(Random, KnownStreamAndRange) {
  // splitmix64 of seed 0 begins with 0xE220A8397B1DCDAF; xoshiro256** makes of
  // its first four numbers 0x99EC5F36CB75F2B4.
  Random random(0);
  EXPECT_EQ(random.next(), 0x99EC5F36CB75F2B4u);
  std::vector<int> counts(7);
  for (int i = 0; i < 7000; ++i)
    ++counts.at(random.below(7));
  for (int count : counts)
    EXPECT_GT(count, 800);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, CodesAndPoison) {
  EXPECT_EQ(codesIn(ElementType::E2M1, {}).size(), 16u);
  EXPECT_EQ(codesIn(ElementType::E4M3, {}).size(), 254u);
  EXPECT_EQ(codesIn(ElementType::E5M2, {}).size(), 256u - 8);
  CodeRange all;
  all.nan = all.infinity = true;
  EXPECT_EQ(codesIn(ElementType::E5M2, all).size(), 256u);
  CodeRange near;
  near.minMagnitude = 0.25;
  near.maxMagnitude = 4;
  EXPECT_EQ(codesIn(ElementType::UE8M0, near).size(), 5u);

  Random random(7);
  RowsShape shape;
  shape.type = ElementType::E2M1;
  shape.rows = 5;
  shape.columns = 7;
  shape.pitch = 32;
  shape.batches = 2;
  shape.batchStride = 5 * 32 + 64;
  std::vector<uint8_t> data = randomRows(random, shape, {}, 0xA5);
  ASSERT_EQ(data.size(), static_cast<size_t>((5 * 32 + 64 + 5 * 32) / 2));
  for (int64_t i = 0; i < int64_t(data.size()) * 2; ++i) {
    int64_t inBatch = i % shape.batchStride;
    bool live = inBatch < 5 * 32 && inBatch % 32 < 7;
    if (!live) {
      EXPECT_EQ(loadCode(data.data(), i, 4), i % 2 ? 0xAu : 0x5u) << i;
    }
  }
  shape.pitch = 6;
  EXPECT_TRUE(randomRows(random, shape).empty());

  std::vector<uint8_t> scales =
      randomScaleTiles(random, ElementType::UE4M3, 130, 5, 1);
  ASSERT_EQ(scales.size(), 2048u);
  size_t poisoned = 0;
  for (uint8_t byte : scales)
    poisoned += byte == 0xFF;
  // No live scale is NaN, so only the padding holds 0xFF.
  EXPECT_EQ(poisoned, 2048u - 130 * 5);
}

TEST(ErrorMetrics, Numbers) {
  const double expected[] = {1, -2, 0, quietNaN, inf, 3};
  const double got[] = {1.5, -2, -0.0, quietNaN, inf, quietNaN};
  ErrorMetrics metrics = compareValues(got, expected, 6);
  EXPECT_EQ(metrics.count, 6u);
  EXPECT_EQ(metrics.mismatches, 2u);
  EXPECT_EQ(metrics.nanMismatches, 1u);
  EXPECT_EQ(metrics.first, 0u);
  EXPECT_EQ(metrics.absMax, 0.5);
  EXPECT_EQ(metrics.worst, 0u);
  EXPECT_DOUBLE_EQ(metrics.meanAbs, 0.125);
  EXPECT_DOUBLE_EQ(metrics.meanSquared, 0.0625);
  EXPECT_DOUBLE_EQ(metrics.cosineSimilarity,
                   (1.5 + 4) / (std::sqrt(2.25 + 4) * std::sqrt(5.0)));
  const double infinite[] = {inf};
  const double finite[] = {1};
  EXPECT_EQ(compareValues(infinite, finite, 1).absMax, inf);
  const double bound[] = {0.5};
  const double near[] = {1.5}, far[] = {1.51};
  EXPECT_EQ(compareValues(near, finite, 1, bound).outOfBound, 0u);
  EXPECT_EQ(compareValues(far, finite, 1, bound).outOfBound, 1u);
  EXPECT_EQ(compareValues(nullptr, nullptr, 0).cosineSimilarity, 1);
  const uint8_t a[] = {0, 0xFF, 3}, b[] = {0, 0xFE, 0};
  BitMismatches bits = compareBits(a, b, 3);
  EXPECT_EQ(bits.bytes, 2u);
  EXPECT_EQ(bits.bits, 3u);
  EXPECT_EQ(bits.first, 1u);
}

} // namespace
