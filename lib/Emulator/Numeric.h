//===- Numeric.h - Bits and floats ------------------------------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_NUMERIC_H
#define BSMM_LIB_EMULATOR_NUMERIC_H

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace bsmm::emulator {

template <typename T> struct BitsOf;
template <> struct BitsOf<float> { using type = uint32_t; };
template <> struct BitsOf<double> { using type = uint64_t; };

template <typename T> inline typename BitsOf<T>::type toBits(T value) {
  typename BitsOf<T>::type bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <typename T> inline T fromBits(typename BitsOf<T>::type bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// NVIDIA's arithmetic gives one NaN.
inline float canonical(float value) {
  return value != value ? fromBits<float>(0x7FFFFFFFu) : value;
}
inline double canonical(double value) {
  return value != value ? fromBits<double>(0x7FFFFFFFFFFFFFFFull) : value;
}

/// .ftz: subnormals become zeros with their sign.
inline float flush(float value) {
  uint32_t bits = toBits(value);
  return (bits & 0x7F800000u) == 0 ? fromBits<float>(bits & 0x80000000u)
                                   : value;
}

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_NUMERIC_H
