//===- CNumbers.h - formats by their definitions, for tests -----*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_RUNTIME_CNUMBERS_H
#define BSMM_TEST_UNIT_RUNTIME_CNUMBERS_H

#include "bsmm/Runtime/bsmm_numbers.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace cnumbers {

/// A format of at most 16 bits: OCP Microscaling Formats v1.0, 5.3; OCP 8-bit
/// Floating Point v1.0; IEEE 754.
struct Format {
  const char *name;
  int exponentBits, mantissaBits, bias;
  bool isSigned, hasNaN, hasInfinity;
  uint32_t largest; // code of the largest finite value
  uint32_t nanCode; // what NaN becomes

  int bits() const {
    return std::string(name) == "ue4m3"
               ? 8
               : exponentBits + mantissaBits + (isSigned ? 1 : 0);
  }
  uint32_t largestMagnitudeCode() const {
    return (1u << (exponentBits + mantissaBits)) - 1;
  }
};

inline Format formatOf(bsmm_element type) {
  switch (type) {
  case BSMM_E2M1:
    return {"e2m1", 2, 1, 1, true, false, false, 0x7, 0x7};
  case BSMM_E2M3:
    return {"e2m3", 2, 3, 1, true, false, false, 0x1F, 0x1F};
  case BSMM_E3M2:
    return {"e3m2", 3, 2, 3, true, false, false, 0x1F, 0x1F};
  case BSMM_E4M3:
    return {"e4m3", 4, 3, 7, true, true, false, 0x7E, 0x7F};
  case BSMM_E5M2:
    return {"e5m2", 5, 2, 15, true, true, true, 0x7B, 0x7F};
  case BSMM_UE8M0:
    return {"ue8m0", 8, 0, 127, false, true, false, 0xFE, 0xFF};
  case BSMM_UE4M3:
    return {"ue4m3", 4, 3, 7, false, true, false, 0x7E, 0x7F};
  case BSMM_F16:
    return {"f16", 5, 10, 15, true, true, true, 0x7BFF, 0x7FFF};
  default:
    return {"bf16", 8, 7, 127, true, true, true, 0x7F7F, 0x7FFF};
  }
}

/// (-1)^s * 2^(e - bias) * (1 + f), or * f with e = 1 when e is 0.
inline double valueOf(const Format &format, uint32_t code) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::string(format.name) == "ue8m0")
    return code == 0xFF ? nan : std::pow(2.0, int(code) - 127);
  uint32_t magnitude = code & format.largestMagnitudeCode();
  double sign =
      format.isSigned && code > format.largestMagnitudeCode() ? -1 : 1;
  if (magnitude > format.largest) {
    if (format.hasInfinity && magnitude == format.largest + 1)
      return sign * std::numeric_limits<double>::infinity();
    return nan;
  }
  int exponent = int(magnitude >> format.mantissaBits);
  double fraction = double(magnitude % (1u << format.mantissaBits)) /
                    double(1u << format.mantissaBits);
  if (exponent == 0)
    return sign * std::pow(2.0, 1 - format.bias) * fraction;
  return sign * std::pow(2.0, exponent - format.bias) * (1 + fraction);
}

/// The nearest code, saturating, found by comparing float64 distances to the
/// two neighbours.
struct Nearest {
  explicit Nearest(Format format) : format(format) {
    for (uint32_t code = 0; code <= format.largest; ++code)
      values.push_back(valueOf(format, code));
  }

  uint32_t operator()(double value) const {
    if (std::isnan(value))
      return format.nanCode;
    uint32_t sign = format.isSigned && std::signbit(value)
                        ? format.largestMagnitudeCode() + 1
                        : 0;
    double magnitude = std::fabs(value);
    if (magnitude >= values.back())
      return format.largest | sign;
    // The first value that is larger, and the one before it.
    uint32_t high =
        uint32_t(std::upper_bound(values.begin(), values.end(), magnitude) -
                 values.begin());
    if (std::string(format.name) == "ue8m0") // rounds up
      return high > 0 && values[high - 1] == magnitude ? high - 1 : high;
    uint32_t low = high - 1;
    // Exact: neighbours of at most 16 bits and an f32, or a double beside a
    // tie.
    double middle = (values[low] + values[high]) / 2;
    if (magnitude > middle || (magnitude == middle && low % 2 == 1))
      return high | sign;
    return low | sign;
  }

  /// Log-uniform over the range of the format and a little beyond.
  template <typename Random> double random(Random &generator) const {
    double low = std::log2(values[values[0] == 0 ? 1 : 0]) - 2;
    double high = std::log2(values.back()) + 1;
    std::uniform_real_distribution<double> exponent(low, high);
    double value = std::exp2(exponent(generator));
    return generator() % 2 ? value : -value;
  }

  Format format;
  std::vector<double> values;
};

inline uint32_t codeAt(const uint8_t *packed, int64_t index, int bits) {
  uint32_t code = 0;
  for (int bit = 0; bit < bits; ++bit) {
    int64_t at = index * bits + bit;
    code |= uint32_t(packed[at / 8] >> (at % 8) & 1) << bit;
  }
  return code;
}

} // namespace cnumbers

#endif // BSMM_TEST_UNIT_RUNTIME_CNUMBERS_H
