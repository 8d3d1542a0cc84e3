//===- NumberFormats.cpp - narrow floating-point codes --------------------===//

#include "bsmm/Runtime/NumberFormats.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Largest finite magnitude as a code without its sign.
static uint64_t largestCode(const target::ElementInfo &type) {
  uint64_t allOnes =
      (uint64_t(1) << (type.exponentBits + type.mantissaBits)) - 1;
  if (type.hasInfinity) // the top exponent is infinity and NaN
    return (((uint64_t(1) << type.exponentBits) - 1) << type.mantissaBits) - 1;
  return type.hasNaN ? allOnes - 1 : allOnes;
}

double runtime::decode(ElementType elementType, uint64_t code) {
  const target::ElementInfo &type = target::info(elementType);
  switch (elementType) {
  case ElementType::None:
    return nan_;
  case ElementType::S8:
    return static_cast<int8_t>(code);
  case ElementType::U8:
    return static_cast<uint8_t>(code);
  case ElementType::S32:
    return static_cast<int32_t>(static_cast<uint32_t>(code));
  case ElementType::F64: {
    double value;
    std::memcpy(&value, &code, sizeof(value));
    return value;
  }
  case ElementType::UE8M0:
    code &= 0xFF;
    return code == 0xFF ? nan_ : std::ldexp(1.0, static_cast<int>(code) - 127);
  case ElementType::TF32:
    code >>= 13; // the low 13 bits of the 32-bit container are not read
    break;
  default:
    break;
  }
  unsigned magnitudeBits = type.exponentBits + type.mantissaBits;
  uint64_t magnitude = code & ((uint64_t(1) << magnitudeBits) - 1);
  bool negative = type.isSigned && ((code >> magnitudeBits) & 1);
  double value;
  if (magnitude > largestCode(type)) {
    bool isInfinity = type.hasInfinity && magnitude == largestCode(type) + 1;
    value = isInfinity ? infinity : nan_;
  } else {
    uint64_t exponent = magnitude >> type.mantissaBits;
    uint64_t fraction = magnitude & ((uint64_t(1) << type.mantissaBits) - 1);
    // Subnormals have the exponent of the smallest normals, no hidden bit.
    if (exponent != 0)
      fraction |= uint64_t(1) << type.mantissaBits;
    int scale = static_cast<int>(exponent ? exponent : 1) - type.bias -
                type.mantissaBits;
    value = std::ldexp(static_cast<double>(fraction), scale);
  }
  return negative ? -value : value;
}

std::vector<double> runtime::decodeTable(ElementType type) {
  unsigned bits = target::bitWidth(type);
  std::vector<double> table;
  if (bits == 0 || bits > 16)
    return table;
  table.resize(size_t(1) << bits);
  for (size_t code = 0; code < table.size(); ++code)
    table[code] = decode(type, code);
  return table;
}

/// Nearest integer of a non-negative value below 2^52, ties to even, whatever
/// the rounding mode of the thread is.
static uint64_t roundToEven(double value) {
  uint64_t floor = static_cast<uint64_t>(value);
  double rest = value - static_cast<double>(floor);
  if (rest > 0.5 || (rest == 0.5 && (floor & 1)))
    ++floor;
  return floor;
}

static uint64_t encodeInteger(const target::ElementInfo &type, double value) {
  double low = type.isSigned ? -type.maxFinite : 0;
  double high = type.isSigned ? type.maxFinite - 1 : type.maxFinite;
  if (std::isnan(value))
    return 0;
  value = std::fmin(std::fmax(value, low), high);
  uint64_t magnitude = roundToEven(std::fabs(value));
  uint64_t code = value < 0 ? 0 - magnitude : magnitude;
  return code & ((uint64_t(1) << type.bits) - 1);
}

static uint8_t encodeUE8M0(double value, bool up) {
  value = std::fabs(value);
  if (std::isnan(value))
    return 0xFF;
  if (std::isinf(value))
    return 0xFE;
  if (value == 0)
    return 0;
  int exponent; // value = fraction * 2^exponent with fraction in [0.5, 1)
  double fraction = std::frexp(value, &exponent);
  exponent -= 1;
  if (up && fraction != 0.5)
    exponent += 1;
  if (exponent < -127)
    return 0;
  return exponent > 127 ? 0xFE : static_cast<uint8_t>(exponent + 127);
}

uint8_t runtime::encodeUE8M0TowardZero(double value) {
  return encodeUE8M0(value, /*up=*/false);
}

uint64_t runtime::encode(ElementType elementType, double value,
                         Overflow overflow) {
  const target::ElementInfo &type = target::info(elementType);
  if (elementType == ElementType::None)
    return 0;
  if (!type.isFloat)
    return encodeInteger(type, value);
  if (elementType == ElementType::UE8M0)
    return encodeUE8M0(value, /*up=*/true);
  if (elementType == ElementType::F64) {
    uint64_t code;
    std::memcpy(&code, &value, sizeof(code));
    return code;
  }
  unsigned magnitudeBits = type.exponentBits + type.mantissaBits;
  unsigned shift = elementType == ElementType::TF32 ? 13 : 0;
  uint64_t largest = largestCode(type);
  uint64_t magnitudeMask = (uint64_t(1) << magnitudeBits) - 1;
  if (std::isnan(value))
    return (type.hasNaN ? magnitudeMask : largest) << shift;
  uint64_t sign =
      type.isSigned && std::signbit(value) ? uint64_t(1) << magnitudeBits : 0;
  double magnitude = std::fabs(value);
  uint64_t code = 0;
  // The top of the type's exponents is at most 2^128: compare before frexp.
  if (magnitude > 2 * type.maxFinite) {
    code = largest + 1;
  } else if (magnitude > 0) {
    int exponent;
    std::frexp(magnitude, &exponent);
    exponent -= 1;
    int smallest = 1 - type.bias;
    if (exponent < smallest)
      exponent = smallest;
    // In units of the last place; below 2^(mantissaBits + 1).
    uint64_t units =
        roundToEven(std::ldexp(magnitude, type.mantissaBits - exponent));
    // A carry out of the fraction lands in the exponent by itself.
    code = (static_cast<uint64_t>(exponent - smallest) << type.mantissaBits) +
           units;
  }
  if (code > largest) {
    if (overflow == Overflow::Infinity && type.hasInfinity)
      code = largest + 1;
    else if (overflow == Overflow::Infinity && type.hasNaN)
      code = magnitudeMask;
    else
      code = largest;
  }
  return (sign | code) << shift;
}
