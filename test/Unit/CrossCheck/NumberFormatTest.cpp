//===- NumberFormatTest.cpp - codes and conversions -----------------------===//
//
// The host side's number formats against the emulator's (OCP Microscaling
// Formats v1.0; PTX ISA, "Alternate Floating-Point Data Formats", cvt).
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Units/NumberFormats.h"
#include "bsmm/Runtime/NumberFormats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace bsmm;
using target::ElementType;
namespace units = bsmm::emulator::units;

namespace {

struct FormatPair {
  ElementType element;
  units::NumberFormat format;
};
constexpr FormatPair formatPairs[] = {
    {ElementType::E2M1, units::NumberFormat::E2M1},
    {ElementType::E2M3, units::NumberFormat::E2M3},
    {ElementType::E3M2, units::NumberFormat::E3M2},
    {ElementType::E4M3, units::NumberFormat::E4M3},
    {ElementType::E5M2, units::NumberFormat::E5M2},
    {ElementType::UE8M0, units::NumberFormat::UE8M0},
    {ElementType::UE4M3, units::NumberFormat::UE4M3},
    {ElementType::F16, units::NumberFormat::F16},
    {ElementType::BF16, units::NumberFormat::BF16},
    {ElementType::TF32, units::NumberFormat::TF32},
    {ElementType::F32, units::NumberFormat::F32}};

/// Equal, down to the sign of zero; any NaN equals any NaN.
bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The emulator's rounding that the runtime's encode stands for.
units::ConversionOptions options(const FormatPair &pair,
                                 runtime::Overflow overflow) {
  units::ConversionOptions result;
  // cvt has no rn for ue8m0; the runtime says that it rounds up, saturating.
  bool isUE8M0 = pair.element == ElementType::UE8M0;
  if (isUE8M0)
    result.rounding = units::RoundingMode::TowardPositive;
  result.saturateFinite = isUE8M0 || overflow == runtime::Overflow::Saturate;
  return result;
}

void checkEncode(const FormatPair &pair, double value) {
  for (runtime::Overflow overflow :
       {runtime::Overflow::Saturate, runtime::Overflow::Infinity}) {
    uint64_t ours = runtime::encode(pair.element, value, overflow);
    uint32_t theirs =
        units::encodeFromDouble(pair.format, value, options(pair, overflow));
    // e4m3 has no infinity and PTX no cvt to it without .satfinite: an
    // overflow to NaN keeps the sign here and is the canonical NaN there.
    bool isNaN = std::isnan(runtime::decode(pair.element, ours));
    if (pair.element == ElementType::E4M3 && isNaN && !std::isnan(value))
      ours &= 0x7F;
    ASSERT_EQ(ours, theirs)
        << target::name(pair.element) << " of " << value << " "
        << (overflow == runtime::Overflow::Saturate ? "saturate" : "infinity");
  }
  if (pair.element == ElementType::UE8M0) {
    units::ConversionOptions down;
    down.rounding = units::RoundingMode::TowardZero;
    down.saturateFinite = true;
    ASSERT_EQ(runtime::encodeUE8M0TowardZero(value),
              units::encodeFromDouble(pair.format, value, down))
        << value;
  }
}

void checkEncodeAll(double value) {
  for (const FormatPair &pair : formatPairs)
    checkEncode(pair, value);
}

TEST(CrossCheckNumberFormat, Traits) {
  for (const FormatPair &pair : formatPairs) {
    const target::ElementInfo &row = target::info(pair.element);
    const units::FormatTraits &traits = units::formatTraits(pair.format);
    SCOPED_TRACE(traits.name);
    EXPECT_EQ(row.name, traits.name);
    EXPECT_EQ(row.bits, traits.storageBits);
    EXPECT_EQ(row.exponentBits, traits.exponentBits);
    EXPECT_EQ(row.mantissaBits, traits.fractionBits);
    EXPECT_EQ(row.bias, traits.bias);
    EXPECT_EQ(row.isSigned, traits.hasSign);
    EXPECT_EQ(row.hasInfinity, traits.hasInfinity);
    EXPECT_EQ(row.hasNaN, traits.hasNaN);
    EXPECT_TRUE(row.isFloat);
    // The largest finite value, found by saturating.
    units::ConversionOptions saturate;
    saturate.saturateFinite = true;
    EXPECT_EQ(row.maxFinite,
              units::decodeToDouble(pair.format,
                                    units::encodeFromDouble(
                                        pair.format,
                                        std::numeric_limits<double>::infinity(),
                                        saturate)));
  }
}

TEST(CrossCheckNumberFormat, EveryCodeDecodes) {
  for (const FormatPair &pair : formatPairs) {
    SCOPED_TRACE(std::string(target::name(pair.element)));
    unsigned bits = target::bitWidth(pair.element);
    if (bits <= 16) {
      std::vector<double> table = runtime::decodeTable(pair.element);
      ASSERT_EQ(table.size(), size_t(1) << bits);
      for (uint32_t code = 0; code < table.size(); ++code) {
        double theirs = units::decodeToDouble(pair.format, code);
        ASSERT_TRUE(same(table[code], theirs)) << code;
        ASSERT_TRUE(same(runtime::decode(pair.element, code), theirs)) << code;
        ASSERT_TRUE(same(units::decodeToFloat(pair.format, code), theirs));
        // Bits above the code do not count on either side.
        ASSERT_TRUE(
            same(runtime::decode(pair.element, code | uint64_t(0xA5A5) << bits),
                 units::decodeToDouble(pair.format, code | 0xA5A5u << bits)));
      }
      continue;
    }
    std::mt19937 random(8);
    for (int i = 0; i < 1000000; ++i) {
      uint32_t code = random();
      ASSERT_TRUE(same(runtime::decode(pair.element, code),
                       units::decodeToDouble(pair.format, code)))
          << code;
    }
  }
}

/// Each code is what its value encodes to, and the points half way between
/// neighbours and next to them round alike.
TEST(CrossCheckNumberFormat, MidpointsEncode) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const FormatPair &pair : formatPairs) {
    unsigned bits = target::bitWidth(pair.element);
    uint32_t codes = 1u << (bits <= 16 ? bits : 16);
    for (uint32_t index = 0; index + 1 < codes; ++index) {
      // A part of the 32-bit codes: every sign, exponent, high fraction bit.
      uint32_t code = bits <= 16 ? index : index << 16;
      uint32_t unit = pair.element == ElementType::TF32 ? 1u << 13 : 1;
      double a = units::decodeToDouble(pair.format, code);
      double b = units::decodeToDouble(pair.format, code + unit);
      checkEncode(pair, a);
      if (!std::isfinite(a) || !std::isfinite(b))
        continue;
      double middle = a + (b - a) / 2;
      checkEncode(pair, middle);
      checkEncode(pair, std::nextafter(middle, infinity));
      checkEncode(pair, std::nextafter(middle, -infinity));
      if (HasFatalFailure())
        return;
    }
    // Around the largest finite value and the smallest subnormal.
    double largest = target::info(pair.element).maxFinite;
    double ulp = std::ldexp(1.0, std::ilogb(largest) -
                                     target::info(pair.element).mantissaBits);
    for (double sign : {1.0, -1.0})
      for (double factor : {0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 1e3})
        for (double toward : {-infinity, 0.0, infinity})
          checkEncode(pair,
                      sign * std::nextafter(largest + factor * ulp,
                                            toward == 0 ? largest + factor * ulp
                                                        : toward));
    if (HasFatalFailure())
      return;
  }
}

TEST(CrossCheckNumberFormat, EveryF16Encodes) {
  for (uint32_t code = 0; code < 0x10000 && !HasFatalFailure(); ++code)
    checkEncodeAll(units::decodeToDouble(units::NumberFormat::F16, code));
}

TEST(CrossCheckNumberFormat, RandomF32Encodes) {
  std::mt19937 random(9);
  for (int i = 0; i < 500000 && !HasFatalFailure(); ++i)
    checkEncodeAll(double(floatFromBits(random())));
  // Values in the range of the narrow types.
  for (int i = 0; i < 500000 && !HasFatalFailure(); ++i) {
    uint32_t exponent = 127 - 26 + random() % 45;
    checkEncodeAll(
        double(floatFromBits((random() & 0x807FFFFF) | exponent << 23)));
  }
}

TEST(CrossCheckNumberFormat, SpecialsEncode) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double value : {0.0, -0.0, infinity, -infinity, nan, -nan, 5e-324,
                       -5e-324, 1e308, -1e308, 2.2250738585072014e-308})
    checkEncodeAll(value);
}

/// The runtime's packed rows are the emulator's packed pairs and containers.
TEST(CrossCheckNumberFormat, PackedRows) {
  for (uint32_t upper = 0; upper < 16; ++upper)
    for (uint32_t lower = 0; lower < 16; ++lower) {
      uint8_t row[1] = {0xFF};
      runtime::storeCode(row, 0, 4, lower);
      runtime::storeCode(row, 1, 4, upper);
      uint32_t gotUpper, gotLower;
      units::unpackPair(units::NumberFormat::E2M1, row[0], gotUpper, gotLower);
      ASSERT_EQ(gotUpper, upper);
      ASSERT_EQ(gotLower, lower);
      ASSERT_EQ(runtime::loadCode(row, 0, 4), lower);
      ASSERT_EQ(runtime::loadCode(row, 1, 4), upper);
    }
}

} // namespace
