//===- FloatCodes.h - narrow codes by integer arithmetic --------*- C++ -*-===//
//
// Rounding to narrow types on the bits of f32 values: exact, fast, and the same
// in every rounding mode. NumberFormats.h has the definitions; tests compare
// the two for every code and around every tie.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_FLOATCODES_H
#define BSMM_LIB_RUNTIME_LIBRARY_FLOATCODES_H

#include "bsmm/Target/Target.h"
#include <cstdint>
#include <cstring>

namespace bsmm::runtime::library {

inline constexpr uint32_t infinityBits = 0x7F800000;

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Index of the highest set bit of a number that is not zero.
inline int highestBit(uint32_t bits) {
#if defined(__GNUC__)
  return 31 - __builtin_clz(bits);
#else
  int index = 0;
  while (bits >>= 1)
    ++index;
  return index;
#endif
}

/// A finite f32 magnitude that is not zero as mantissa * 2^(exponent - 23),
/// with bit 23 of the mantissa set.
struct Normalized {
  uint32_t mantissa;
  int exponent;
};

inline Normalized normalize(uint32_t magnitude) {
  uint32_t fraction = magnitude & 0x7FFFFF;
  int exponent = static_cast<int>(magnitude >> 23);
  if (exponent != 0)
    return {fraction | 0x800000, exponent - 127};
  int shift = 23 - highestBit(fraction);
  return {fraction << shift, -126 - shift};
}

/// f32 bits of an f16 pattern; NaNs keep their payload.
inline uint32_t widenF16(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1F;
  uint32_t fraction = bits & 0x3FF;
  if (exponent == 0x1F)
    return sign | infinityBits | fraction << 13;
  if (exponent != 0)
    return sign | (exponent + 112) << 23 | fraction << 13;
  if (fraction == 0)
    return sign;
  int high = highestBit(fraction); // value = fraction * 2^-24
  return sign | static_cast<uint32_t>(high - 24 + 127) << 23 |
         ((fraction << (23 - high)) & 0x7FFFFF);
}

inline uint32_t widenBF16(uint16_t bits) {
  return static_cast<uint32_t>(bits) << 16;
}

/// What rounding to a floating-point type of at most 16 bits needs to know.
struct CodeFormat {
  int mantissaBits;
  int smallestExponent;     // of normal values
  uint32_t largest;         // code of the largest finite magnitude
  uint32_t signBit;         // 0 in unsigned types
  uint32_t nanCode;         // of a NaN; `largest` in types without one
  uint32_t overflowCode[2]; // by bsmm_overflow
};

constexpr CodeFormat codeFormat(target::ElementType elementType) {
  const target::ElementInfo &type = target::info(elementType);
  CodeFormat format{};
  uint32_t allOnes = (1u << (type.exponentBits + type.mantissaBits)) - 1;
  format.mantissaBits = type.mantissaBits;
  format.smallestExponent = 1 - type.bias;
  format.largest = allOnes;
  if (type.hasInfinity)
    format.largest = (((1u << type.exponentBits) - 1) << type.mantissaBits) - 1;
  else if (type.hasNaN)
    format.largest = allOnes - 1;
  format.signBit = type.isSigned ? allOnes + 1 : 0;
  format.nanCode = type.hasNaN ? allOnes : format.largest;
  format.overflowCode[0] = format.largest;
  format.overflowCode[1] =
      type.hasInfinity ? format.largest + 1 : format.nanCode;
  return format;
}

/// Code of the magnitude 2^-scale * value of a finite f32 magnitude, rounded to
/// nearest even; beyond `largest` on overflow.
inline uint32_t roundMagnitude(const CodeFormat &format, uint32_t magnitude,
                               int scale = 0) {
  if (magnitude == 0)
    return 0;
  Normalized value = normalize(magnitude);
  int exponent = value.exponent - scale;
  // Subnormals have the exponent of the smallest normals.
  int unit =
      exponent < format.smallestExponent ? format.smallestExponent : exponent;
  int shift = 23 - format.mantissaBits + unit - exponent;
  if (shift > 25) // below a quarter of the smallest value
    return 0;
  uint32_t units = value.mantissa >> shift;
  uint32_t rest = value.mantissa & ((1u << shift) - 1);
  uint32_t half = 1u << shift >> 1;
  if (rest > half || (rest == half && rest != 0 && (units & 1)))
    ++units;
  // A carry out of the fraction lands in the exponent by itself. The exponent
  // of an f32 with a scale is below 2^9: no code wraps around.
  return (static_cast<uint32_t>(unit - format.smallestExponent)
          << format.mantissaBits) +
         units;
}

/// Code of an f32 value; `overflow` as bsmm_overflow.
inline uint32_t encodeF32(const CodeFormat &format, uint32_t bits,
                          int overflow = 0, int scale = 0) {
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > infinityBits)
    return format.nanCode;
  uint32_t code = magnitude == infinityBits
                      ? format.largest + 1
                      : roundMagnitude(format, magnitude, scale);
  if (code > format.largest)
    code = format.overflowCode[overflow];
  return code | (bits >> 31 ? format.signBit : 0);
}

/// Stores code `index` of a row that is written from its start to its end: bits
/// behind it in its last byte become zero.
inline void appendCode(uint8_t *row, int64_t index, unsigned bits,
                       uint64_t code) {
  uint64_t bit = static_cast<uint64_t>(index) * bits;
  uint8_t *byte = row + bit / 8;
  unsigned at = bit % 8;
  if (at == 0)
    *byte = static_cast<uint8_t>(code);
  else
    *byte = static_cast<uint8_t>(*byte | code << at);
  for (unsigned done = 8 - at; done < bits; done += 8)
    *++byte = static_cast<uint8_t>(code >> done);
}

} // namespace bsmm::runtime::library

#endif // BSMM_LIB_RUNTIME_LIBRARY_FLOATCODES_H
