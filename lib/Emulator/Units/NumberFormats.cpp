//===- NumberFormats.cpp - Number formats of PTX operands -----------------===//

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace bsmm::emulator::units {

const FormatTraits &formatTraits(NumberFormat format) {
  // Indexed by NumberFormat. PTX ISA, "Alternate Floating-Point Data Formats".
  static const FormatTraits table[] = {
      {"e2m1", 4, 2, 1, 1, true, false, false},
      {"e2m3", 6, 2, 3, 1, true, false, false},
      {"e3m2", 6, 3, 2, 3, true, false, false},
      {"e4m3", 8, 4, 3, 7, true, false, true},
      {"e5m2", 8, 5, 2, 15, true, true, true},
      {"ue8m0", 8, 8, 0, 127, false, false, true},
      {"ue4m3", 8, 4, 3, 7, false, false, true},
      {"f16", 16, 5, 10, 15, true, true, true},
      {"bf16", 16, 8, 7, 127, true, true, true},
      {"tf32", 32, 8, 10, 127, true, true, true},
      {"f32", 32, 8, 23, 127, true, true, true},
  };
  return table[static_cast<unsigned>(format)];
}

unsigned codeBytes(NumberFormat format) {
  unsigned bits = formatTraits(format).storageBits;
  return bits <= 8 ? 1 : bits / 8;
}

namespace {

/// Bits below the fraction that do not count: a TF32 register keeps its 19
/// bits at the top.
unsigned unusedLowBits(NumberFormat format) {
  return format == NumberFormat::TF32 ? 13 : 0;
}

/// The largest finite magnitude, without the unused low bits.
uint32_t largestFinite(NumberFormat format) {
  const FormatTraits &traits = formatTraits(format);
  uint32_t allOnes = (1u << (traits.exponentBits + traits.fractionBits)) - 1;
  if (traits.hasInfinity) // the last exponent is infinity and NaN
    return allOnes - (1u << traits.fractionBits);
  if (traits.hasNaN) // E4M3 and UE4M3 spend one code on NaN
    return allOnes - 1;
  return allOnes;
}

uint32_t canonicalNaN(NumberFormat format) {
  switch (format) {
  case NumberFormat::E2M1:
    return 0x7;
  case NumberFormat::E2M3:
  case NumberFormat::E3M2:
    return 0x1F;
  case NumberFormat::E4M3:
  case NumberFormat::E5M2:
  case NumberFormat::UE4M3:
    return 0x7F;
  case NumberFormat::UE8M0:
    return 0xFF;
  case NumberFormat::F16:
  case NumberFormat::BF16:
    return 0x7FFF;
  case NumberFormat::TF32:
    return 0x7FFFE000;
  case NumberFormat::F32:
    return 0x7FFFFFFF;
  }
  return 0;
}

/// True when a non-zero remainder makes the magnitude grow. `half` compares
/// the remainder with half a unit: -1 below, 0 equal, 1 above.
bool roundsUp(RoundingMode rounding, bool negative, bool odd, int half) {
  switch (rounding) {
  case RoundingMode::NearestEven:
    return half > 0 || (half == 0 && odd);
  case RoundingMode::NearestAway:
    return half >= 0;
  case RoundingMode::TowardZero:
    return false;
  case RoundingMode::TowardPositive:
    return !negative;
  case RoundingMode::TowardNegative:
    return negative;
  }
  return false;
}

/// A finite non-zero double as significand * 2^exponent.
void splitDouble(double magnitude, uint64_t &significand, int &exponent) {
  uint64_t bits;
  std::memcpy(&bits, &magnitude, sizeof(bits));
  int field = static_cast<int>(bits >> 52) & 0x7FF;
  significand = bits & ((uint64_t(1) << 52) - 1);
  if (field == 0) {
    exponent = -1074;
  } else {
    significand |= uint64_t(1) << 52;
    exponent = field - 1075;
  }
}

/// Position of the highest set bit of a non-zero value.
int highestBit(uint64_t value) { return 63 - __builtin_clzll(value); }

/// UE8M0 has neither sign nor zero, and cvt rounds it only .rz and .rp
/// (PTX ISA, cvt).
uint32_t encodeUE8M0(double magnitude, ConversionOptions options) {
  if (std::isinf(magnitude))
    return options.saturateFinite ? 0xFE : 0xFF;
  if (magnitude == 0)
    return 0;
  uint64_t significand;
  int exponent;
  splitDouble(magnitude, significand, exponent);
  int top = highestBit(significand);
  exponent += top;
  bool exact = significand == uint64_t(1) << top;
  bool up = options.rounding == RoundingMode::TowardPositive;
  if (up && !exact)
    ++exponent;
  if (exponent < -127)
    return 0;
  if (exponent > 127)
    return options.saturateFinite || !up ? 0xFE : 0xFF;
  return static_cast<uint32_t>(exponent + 127);
}

} // namespace

DecodedNumber decodeRaw(NumberFormat format, uint32_t code) {
  const FormatTraits &traits = formatTraits(format);
  DecodedNumber number;
  code >>= unusedLowBits(format);
  unsigned magnitudeBits = traits.exponentBits + traits.fractionBits;
  if (traits.hasSign)
    number.negative = (code >> magnitudeBits) & 1;
  uint32_t magnitude = code & ((1u << magnitudeBits) - 1);

  if (format == NumberFormat::UE8M0) {
    if (magnitude == 0xFF) {
      number.numberClass = NumberClass::NaN;
      return number;
    }
    number.numberClass = NumberClass::Finite;
    number.exponent = static_cast<int32_t>(magnitude) - traits.bias;
    number.significand = 1;
    return number;
  }

  if (magnitude > largestFinite(format)) {
    bool infinity =
        traits.hasInfinity && magnitude == largestFinite(format) + 1;
    number.numberClass = infinity ? NumberClass::Infinity : NumberClass::NaN;
    return number;
  }
  int32_t field = static_cast<int32_t>(magnitude >> traits.fractionBits);
  number.significand = magnitude & ((1u << traits.fractionBits) - 1);
  if (field == 0) {
    number.exponent = 1 - traits.bias;
  } else {
    number.exponent = field - traits.bias;
    number.significand |= 1u << traits.fractionBits;
  }
  number.numberClass =
      number.significand ? NumberClass::Finite : NumberClass::Zero;
  return number;
}

double decodeToDouble(NumberFormat format, uint32_t code) {
  DecodedNumber number = decodeRaw(format, code);
  double value = 0;
  switch (number.numberClass) {
  case NumberClass::Zero:
    break;
  case NumberClass::Finite:
    value = std::ldexp(static_cast<double>(number.significand),
                       number.exponent - formatTraits(format).fractionBits);
    break;
  case NumberClass::Infinity:
    value = std::numeric_limits<double>::infinity();
    break;
  case NumberClass::NaN:
    return std::numeric_limits<double>::quiet_NaN();
  }
  return number.negative ? -value : value;
}

float decodeToFloat(NumberFormat format, uint32_t code) {
  DecodedNumber number = decodeRaw(format, code);
  if (number.numberClass == NumberClass::NaN) {
    uint32_t bits = 0x7FFFFFFF;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  return static_cast<float>(decodeToDouble(format, code));
}

uint32_t encodeFromDouble(NumberFormat format, double value,
                          ConversionOptions options) {
  if (std::isnan(value))
    return canonicalNaN(format);
  if (format == NumberFormat::UE8M0)
    return encodeUE8M0(std::fabs(value), options);

  const FormatTraits &traits = formatTraits(format);
  bool negative = traits.hasSign && std::signbit(value);
  if (negative && options.relu)
    return 0;
  double magnitude = std::fabs(value);
  unsigned lowBits = unusedLowBits(format);
  uint32_t sign =
      negative ? 1u << (traits.exponentBits + traits.fractionBits) : 0;
  if (magnitude == 0)
    return sign << lowBits;

  uint64_t largest = largestFinite(format);
  uint64_t code = largest + 1;
  bool infinite = std::isinf(magnitude);
  if (!infinite) {
    uint64_t significand;
    int exponent;
    splitDouble(magnitude, significand, exponent);
    // The unit of the result is that of the value's binade, but never below
    // that of the subnormals.
    int smallestNormal = 1 - traits.bias;
    int binade = exponent + highestBit(significand);
    if (binade < smallestNormal)
      binade = smallestNormal;
    int shift = binade - traits.fractionBits - exponent;
    uint64_t kept = 0;
    int half = -1;
    bool inexact = true;
    if (shift <= 0) {
      kept = significand << -shift;
      inexact = false;
    } else if (shift < 64) {
      kept = significand >> shift;
      uint64_t rest = significand - (kept << shift);
      uint64_t middle = uint64_t(1) << (shift - 1);
      half = rest > middle ? 1 : rest == middle ? 0 : -1;
      inexact = rest != 0;
    }
    if (inexact && roundsUp(options.rounding, negative, kept & 1, half))
      ++kept;
    // With the hidden bit counted in `kept`, a carry out of the fraction runs
    // into the exponent field by itself.
    code = kept + (static_cast<uint64_t>(binade - smallestNormal)
                   << traits.fractionBits);
  }
  if (code > largest) {
    bool towardZero =
        options.rounding == RoundingMode::TowardZero ||
        (options.rounding == RoundingMode::TowardPositive && negative) ||
        (options.rounding == RoundingMode::TowardNegative && !negative);
    if (options.saturateFinite || !traits.hasNaN || (towardZero && !infinite))
      code = largest;
    else if (traits.hasInfinity)
      code = largest + 1;
    else
      return canonicalNaN(format);
  }
  return (sign | static_cast<uint32_t>(code)) << lowBits;
}

uint32_t encodeFromFloat(NumberFormat format, float value,
                         ConversionOptions options) {
  if (format == NumberFormat::TF32 && std::isnan(value) &&
      options.rounding == RoundingMode::NearestAway) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits & 0xFFFFE000;
  }
  return encodeFromDouble(format, static_cast<double>(value), options);
}

namespace {

/// Distance of the two elements of a packed pair, in bits.
unsigned pairStride(NumberFormat format) {
  unsigned bits = formatTraits(format).storageBits;
  return bits == 6 ? 8 : bits;
}

} // namespace

uint32_t convertPairFromFloat(NumberFormat format, float a, float b,
                              ConversionOptions options) {
  return encodeFromFloat(format, a, options) << pairStride(format) |
         encodeFromFloat(format, b, options);
}

void unpackPair(NumberFormat format, uint32_t packed, uint32_t &upper,
                uint32_t &lower) {
  unsigned stride = pairStride(format);
  uint32_t mask = (1u << formatTraits(format).storageBits) - 1;
  upper = packed >> stride & mask;
  lower = packed & mask;
}

uint32_t convertPair(NumberFormat to, NumberFormat from, uint32_t packed,
                     ConversionOptions options) {
  uint32_t upper, lower;
  unpackPair(from, packed, upper, lower);
  uint32_t a = encodeFromDouble(to, decodeToDouble(from, upper), options);
  uint32_t b = encodeFromDouble(to, decodeToDouble(from, lower), options);
  return a << pairStride(to) | b;
}

} // namespace bsmm::emulator::units
