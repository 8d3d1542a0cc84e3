//===- NumberFormatsTest.cpp - Codes and conversions ----------------------===//

#include "bsmm/Emulator/Units/NumberFormats.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

const NumberFormat allFormats[] = {
    NumberFormat::E2M1,  NumberFormat::E2M3, NumberFormat::E3M2,
    NumberFormat::E4M3,  NumberFormat::E5M2, NumberFormat::UE8M0,
    NumberFormat::UE4M3, NumberFormat::F16,  NumberFormat::BF16,
    NumberFormat::TF32,  NumberFormat::F32};

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

const double infinity = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();

TEST(NumberFormats, FourAndSixBitValues) {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t code = 0; code < 16; ++code) {
    double want = e2m1[code & 7];
    EXPECT_EQ(decodeToDouble(NumberFormat::E2M1, code),
              code & 8 ? -want : want);
  }
  EXPECT_TRUE(std::signbit(decodeToDouble(NumberFormat::E2M1, 8)));
  const double e3m2[] = {0,  .0625, .125, .1875, .25, .3125, .375, .4375,
                         .5, .625,  .75,  .875,  1,   1.25,  1.5,  1.75,
                         2,  2.5,   3,    3.5,   4,   5,     6,    7,
                         8,  10,    12,   14,    16,  20,    24,   28};
  for (uint32_t code = 0; code < 32; ++code) {
    EXPECT_EQ(decodeToDouble(NumberFormat::E3M2, code), e3m2[code]);
    EXPECT_EQ(decodeToDouble(NumberFormat::E3M2, code | 32), -e3m2[code]);
    double e2m3 = code < 16   ? code * 0.125
                  : code < 24 ? 2 + (code - 16) * 0.25
                              : 4 + (code - 24) * 0.5;
    EXPECT_EQ(decodeToDouble(NumberFormat::E2M3, code), e2m3);
    EXPECT_EQ(decodeToDouble(NumberFormat::E2M3, code | 32), -e2m3);
  }
}

TEST(NumberFormats, EightBitLimits) {
  EXPECT_EQ(decodeToDouble(NumberFormat::E4M3, 0x7E), 448);
  EXPECT_EQ(decodeToDouble(NumberFormat::E4M3, 0xFE), -448);
  EXPECT_EQ(decodeToDouble(NumberFormat::E4M3, 0x08), std::ldexp(1, -6));
  EXPECT_EQ(decodeToDouble(NumberFormat::E4M3, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(decodeToDouble(NumberFormat::E5M2, 0x7B), 57344);
  EXPECT_EQ(decodeToDouble(NumberFormat::E5M2, 0x04), std::ldexp(1, -14));
  EXPECT_EQ(decodeToDouble(NumberFormat::E5M2, 0x01), std::ldexp(1, -16));
  EXPECT_EQ(decodeToDouble(NumberFormat::E5M2, 0x7C), infinity);
  EXPECT_EQ(decodeToDouble(NumberFormat::E5M2, 0xFC), -infinity);
  EXPECT_EQ(decodeToDouble(NumberFormat::UE8M0, 0), std::ldexp(1, -127));
  EXPECT_EQ(decodeToDouble(NumberFormat::UE8M0, 0x7F), 1);
  EXPECT_EQ(decodeToDouble(NumberFormat::UE8M0, 0xFE), std::ldexp(1, 127));
  for (uint32_t code = 0; code < 256; ++code) {
    EXPECT_EQ(std::isnan(decodeToDouble(NumberFormat::E4M3, code)),
              (code & 0x7F) == 0x7F);
    EXPECT_EQ(std::isnan(decodeToDouble(NumberFormat::E5M2, code)),
              (code & 0x7F) > 0x7C);
    EXPECT_EQ(std::isnan(decodeToDouble(NumberFormat::UE8M0, code)),
              code == 0xFF);
    // The sign bit of ue4m3 does not count.
    double scale = decodeToDouble(NumberFormat::UE4M3, code);
    double same = decodeToDouble(NumberFormat::E4M3, code & 0x7F);
    EXPECT_TRUE(scale == same || (std::isnan(scale) && std::isnan(same)));
  }
}

TEST(NumberFormats, RawFormMatchesTheValue) {
  for (NumberFormat format : allFormats) {
    uint32_t count =
        1u << std::min<unsigned>(16, formatTraits(format).storageBits);
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t code = formatTraits(format).storageBits == 32 ? i << 16 : i;
      DecodedNumber raw = decodeRaw(format, code);
      double value = decodeToDouble(format, code);
      switch (raw.numberClass) {
      case NumberClass::NaN:
        EXPECT_TRUE(std::isnan(value));
        EXPECT_EQ(bitsOf(decodeToFloat(format, code)), 0x7FFFFFFFu);
        break;
      case NumberClass::Infinity:
        EXPECT_EQ(value, raw.negative ? -infinity : infinity);
        break;
      default:
        EXPECT_EQ(std::ldexp(raw.negative ? -double(raw.significand)
                                          : double(raw.significand),
                             raw.exponent - formatTraits(format).fractionBits),
                  value);
        EXPECT_GE(raw.exponent, (format == NumberFormat::UE8M0 ? 0 : 1) -
                                    formatTraits(format).bias);
        EXPECT_LT(raw.significand, 2u << formatTraits(format).fractionBits);
        EXPECT_EQ(double(decodeToFloat(format, code)), value);
      }
    }
  }
}

// Every finite code survives a round trip, in every rounding mode.
TEST(NumberFormats, RoundTrip) {
  for (NumberFormat format : allFormats)
    for (int mode = 0; mode < 5; ++mode) {
      ConversionOptions options;
      options.rounding = static_cast<RoundingMode>(mode);
      unsigned bits = formatTraits(format).storageBits;
      uint32_t count = 1u << std::min<unsigned>(16, bits);
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t code = bits == 32 ? i << 16 : i;
        DecodedNumber raw = decodeRaw(format, code);
        if (raw.numberClass == NumberClass::NaN)
          continue;
        if (format == NumberFormat::UE4M3)
          code &= 0x7F;
        EXPECT_EQ(
            encodeFromDouble(format, decodeToDouble(format, code), options),
            code);
      }
    }
}

/// All non-negative finite values of a small format, in order of their codes.
std::vector<double> ladder(NumberFormat format) {
  std::vector<double> values;
  uint32_t count = 1u << (formatTraits(format).exponentBits +
                          formatTraits(format).fractionBits);
  for (uint32_t code = 0; code < count; ++code) {
    double value = decodeToDouble(format, code);
    if (std::isfinite(value))
      values.push_back(value);
  }
  return values;
}

/// Rounds by searching the ladder, whose next rung above the last is the one
/// the exponent range would continue with.
uint32_t searchLadder(const std::vector<double> &values, double above,
                      RoundingMode mode, double magnitude, bool negative) {
  auto at = [&](size_t i) { return i < values.size() ? values[i] : above; };
  size_t low = 0;
  while (low < values.size() && at(low + 1) <= magnitude)
    ++low;
  double down = at(low), up = at(low + 1);
  if (magnitude == down)
    return static_cast<uint32_t>(low);
  double middle = (down + up) / 2;
  bool takeUp = false;
  switch (mode) {
  case RoundingMode::NearestEven:
    takeUp = magnitude > middle || (magnitude == middle && low % 2 == 1);
    break;
  case RoundingMode::NearestAway:
    takeUp = magnitude >= middle;
    break;
  case RoundingMode::TowardZero:
    break;
  case RoundingMode::TowardPositive:
    takeUp = !negative;
    break;
  case RoundingMode::TowardNegative:
    takeUp = negative;
    break;
  }
  return static_cast<uint32_t>(low + takeUp);
}

TEST(NumberFormats, RoundingAgainstASearch) {
  std::mt19937_64 random(7);
  for (NumberFormat format :
       {NumberFormat::E2M1, NumberFormat::E2M3, NumberFormat::E3M2,
        NumberFormat::E4M3, NumberFormat::E5M2, NumberFormat::UE4M3}) {
    std::vector<double> values = ladder(format);
    double last = values.back();
    double above = last + (last - values[values.size() - 2]);
    unsigned magnitudeBits =
        formatTraits(format).exponentBits + formatTraits(format).fractionBits;
    std::vector<double> inputs;
    for (size_t i = 0; i < values.size(); ++i) {
      double next = i + 1 < values.size() ? values[i + 1] : above;
      double middle = (values[i] + next) / 2;
      for (double value :
           {values[i], middle, std::nextafter(middle, 0),
            std::nextafter(middle, 1e30), std::nextafter(next, 0), next})
        inputs.push_back(value);
    }
    for (int i = 0; i < 2000; ++i)
      inputs.push_back(above * 1.2 * double(random() >> 11) / (1ull << 53));
    for (double magnitude : inputs)
      for (int mode = 0; mode < 5; ++mode)
        for (bool negative : {false, true}) {
          if (negative && !formatTraits(format).hasSign)
            continue;
          ConversionOptions options;
          options.rounding = static_cast<RoundingMode>(mode);
          uint32_t index = searchLadder(values, above, options.rounding,
                                        std::min(magnitude, above), negative);
          options.saturateFinite = true;
          uint32_t sign = negative ? 1u << magnitudeBits : 0;
          double value = negative ? -magnitude : magnitude;
          uint32_t saturated = std::min<uint32_t>(
              index, static_cast<uint32_t>(values.size() - 1));
          EXPECT_EQ(encodeFromDouble(format, value, options), saturated | sign)
              << formatTraits(format).name << " " << value << " mode " << mode;
          options.relu = true;
          EXPECT_EQ(encodeFromDouble(format, value, options),
                    negative ? 0 : saturated);
        }
  }
}

TEST(NumberFormats, DecisionPointsOfE2M1) {
  const struct {
    float value;
    uint32_t code;
  } cases[] = {{0.25f, 0},  {0.75f, 2},  {1.25f, 2}, {1.75f, 4},
               {2.5f, 4},   {3.5f, 6},   {5.0f, 6},  {-0.1f, 8},
               {100.0f, 7}, {-7.0f, 15}, {5.01f, 7}, {0.26f, 1}};
  for (const auto &c : cases)
    EXPECT_EQ(encodeFromFloat(NumberFormat::E2M1, c.value), c.code) << c.value;
}

TEST(NumberFormats, OverflowAndNaN) {
  ConversionOptions plain, saturating;
  saturating.saturateFinite = true;
  EXPECT_EQ(encodeFromDouble(NumberFormat::E4M3, 464, plain), 0x7Eu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::E4M3, 464.01, plain), 0x7Fu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::E4M3, -464.01, saturating), 0xFEu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::E4M3, infinity, saturating), 0x7Eu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::E5M2, 61439, plain), 0x7Bu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::E5M2, 61440, plain), 0x7Cu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::E5M2, -infinity, saturating), 0xFBu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::F16, 65520, plain), 0x7C00u);
  EXPECT_EQ(encodeFromDouble(NumberFormat::F16, 65519.9, plain), 0x7BFFu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::F16, -infinity, saturating),
            0xFBFFu);
  ConversionOptions towardZero;
  towardZero.rounding = RoundingMode::TowardZero;
  EXPECT_EQ(encodeFromDouble(NumberFormat::F16, 1e9, towardZero), 0x7BFFu);
  EXPECT_EQ(encodeFromDouble(NumberFormat::F16, infinity, towardZero), 0x7C00u);

  const uint32_t nans[] = {0x7,  0x1F,   0x1F,   0x7F,       0x7F,      0xFF,
                           0x7F, 0x7FFF, 0x7FFF, 0x7FFFE000, 0x7FFFFFFF};
  for (unsigned i = 0; i < 11; ++i)
    for (bool relu : {false, true}) {
      ConversionOptions options;
      options.relu = relu;
      EXPECT_EQ(encodeFromDouble(allFormats[i], notANumber, options), nans[i]);
      EXPECT_EQ(encodeFromDouble(allFormats[i], -notANumber, options), nans[i]);
    }
}

// Rounding f32 to f16 and bf16 against the usual integer formulas.
TEST(NumberFormats, HalfFormatsAgainstIntegerRounding) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200000; ++i) {
    uint32_t bits = static_cast<uint32_t>(random());
    if ((bits & 0x7F800000) == 0x7F800000)
      continue;
    float value = floatOf(bits);
    uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
    EXPECT_EQ(encodeFromFloat(NumberFormat::BF16, value), rounded >> 16);
    // tf32, ties away from zero: half a unit is added to the magnitude.
    ConversionOptions away;
    away.rounding = RoundingMode::NearestAway;
    EXPECT_EQ(encodeFromFloat(NumberFormat::TF32, value, away),
              (bits + 0x1000) & 0xFFFFE000);
    EXPECT_EQ(encodeFromDouble(NumberFormat::F32, double(value)), bits);
  }
}

// Seen on an H200: cvt.rna.tf32.f32 drops the low bits of a NaN.
// (Signalling NaNs are left out: they may be quieted on their way through a
// float.)
TEST(NumberFormats, Tf32NaNs) {
  ConversionOptions away;
  away.rounding = RoundingMode::NearestAway;
  const struct {
    uint32_t in, out;
  } cases[] = {{0x7F802000, 0x7F802000}, {0x7FFFFFFF, 0x7FFFE000},
               {0xFFFFFFFF, 0xFFFFE000}, {0x7F7FFFFF, 0x7F800000},
               {0x7F7FEFFF, 0x7F7FE000}, {0x00001000, 0x00002000},
               {0x00000FFF, 0x00000000}};
  for (const auto &c : cases) {
    EXPECT_EQ(encodeFromFloat(NumberFormat::TF32, floatOf(c.in), away), c.out)
        << std::hex << c.in;
  }
  EXPECT_EQ(encodeFromFloat(NumberFormat::TF32, floatOf(0xFFC00001)),
            0x7FFFE000u);
}

TEST(NumberFormats, ScaleExponents) {
  ConversionOptions up, down;
  up.rounding = RoundingMode::TowardPositive;
  down.rounding = RoundingMode::TowardZero;
  for (int exponent = -127; exponent <= 127; ++exponent) {
    double power = std::ldexp(1.0, exponent);
    uint32_t code = static_cast<uint32_t>(exponent + 127);
    EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, power, up), code);
    EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, -power, down), code);
    double more = std::nextafter(power, 1e300);
    EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, more, down), code);
    EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, more, up), code + 1);
  }
  EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, 0, up), 0u);
  EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, std::ldexp(1, -149), up), 0u);
  EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, infinity, up), 0xFFu);
  up.saturateFinite = true;
  EXPECT_EQ(encodeFromDouble(NumberFormat::UE8M0, infinity, up), 0xFEu);
  EXPECT_EQ(encodeFromFloat(NumberFormat::UE8M0, 3.4e38f, up), 0xFEu);
}

TEST(NumberFormats, PackedPairs) {
  EXPECT_EQ(convertPairFromFloat(NumberFormat::E2M1, 6.0f, -0.5f), 0x79u);
  EXPECT_EQ(convertPairFromFloat(NumberFormat::E4M3, 1.0f, -2.0f), 0x38C0u);
  EXPECT_EQ(convertPairFromFloat(NumberFormat::E2M3, 7.5f, -0.125f), 0x1F21u);
  EXPECT_EQ(convertPairFromFloat(NumberFormat::F16, 1.0f, -2.0f), 0x3C00C000u);
  for (NumberFormat format :
       {NumberFormat::E2M1, NumberFormat::E2M3, NumberFormat::E3M2,
        NumberFormat::E4M3, NumberFormat::E5M2, NumberFormat::UE8M0}) {
    uint32_t count = 1u << formatTraits(format).storageBits;
    unsigned stride = formatTraits(format).storageBits == 4 ? 4 : 8;
    for (uint32_t high = 0; high < count; ++high) {
      uint32_t low = (high * 7 + 3) % count;
      uint32_t upper, lower;
      unpackPair(format, high << stride | low, upper, lower);
      EXPECT_EQ(upper, high);
      EXPECT_EQ(lower, low);
      // Widening is exact for what fits.
      NumberFormat wide = format == NumberFormat::UE8M0 ? NumberFormat::BF16
                                                        : NumberFormat::F16;
      uint32_t pair = convertPair(wide, format, high << stride | low);
      double value = decodeToDouble(wide, pair >> 16);
      double want = decodeToDouble(format, high);
      EXPECT_TRUE(value == want || (std::isnan(value) && std::isnan(want)));
      value = decodeToDouble(wide, pair & 0xFFFF);
      want = decodeToDouble(format, low);
      EXPECT_TRUE(value == want || (std::isnan(value) && std::isnan(want)));
    }
  }
}

} // namespace
