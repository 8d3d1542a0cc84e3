//===- NumberFormats.h - Number formats of PTX operands ---------*- C++ -*-===//
//
// Codes of the 4-, 6-, 8-, 16-, 19- and 32-bit floating-point formats that PTX
// instructions read and write, and the conversions of `cvt` between them
// (PTX ISA, "Alternate Floating-Point Data Formats" and "cvt").
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_NUMBERFORMATS_H
#define BSMM_EMULATOR_UNITS_NUMBERFORMATS_H

#include <cstdint>

namespace bsmm::emulator::units {

/// Where a code lives: E2M1 in the low 4 bits, E2M3 and E3M2 in the low 6,
/// E4M3, E5M2, UE8M0 and UE4M3 in 8, F16 and BF16 in 16, TF32 and F32 in 32
/// (a TF32 code is a 32-bit register whose low 13 bits do not count).
enum class NumberFormat : uint8_t {
  E2M1,
  E2M3,
  E3M2,
  E4M3,
  E5M2,
  UE8M0,
  UE4M3,
  F16,
  BF16,
  TF32,
  F32
};

/// Fixed properties of a format.
struct FormatTraits {
  const char *name;     ///< PTX spelling, e.g. "e4m3".
  uint8_t storageBits;  ///< 4, 6, 8, 16 or 32.
  uint8_t exponentBits; ///< Width of the exponent field.
  uint8_t fractionBits; ///< Width of the fraction field that counts.
  int16_t bias;         ///< Exponent bias.
  bool hasSign;         ///< False for UE8M0 and UE4M3.
  bool hasInfinity;     ///< E5M2, F16, BF16, TF32, F32.
  bool hasNaN;          ///< All but the 4- and 6-bit formats.
};
const FormatTraits &formatTraits(NumberFormat format);

/// Bytes that one element takes in an array of codes: 1 for everything up to
/// 8 bits, 2 for F16 and BF16, 4 for TF32 and F32.
unsigned codeBytes(NumberFormat format);

enum class NumberClass : uint8_t { Zero, Finite, Infinity, NaN };

/// A code taken apart, *not* normalised: a finite value is
/// (-1)^negative * significand * 2^(exponent - fractionBits of the format),
/// where the significand includes the hidden bit of normal numbers and the
/// exponent of a subnormal is that of the smallest normal number.
struct DecodedNumber {
  NumberClass numberClass = NumberClass::Zero;
  bool negative = false;
  int32_t exponent = 0;
  uint32_t significand = 0;
};

/// Takes a code apart. Bits above the format's storage are ignored, and so is
/// bit 7 of UE4M3. Zero has significand 0 and the exponent of subnormals.
DecodedNumber decodeRaw(NumberFormat format, uint32_t code);

/// The exact value of a code; NaN codes give a quiet NaN.
double decodeToDouble(NumberFormat format, uint32_t code);

/// The exact value of a code as f32 (every format fits). NaN codes give the
/// canonical NaN 0x7FFFFFFF.
float decodeToFloat(NumberFormat format, uint32_t code);

/// Rounding modifiers of `cvt`.
enum class RoundingMode : uint8_t {
  NearestEven,    ///< .rn
  TowardZero,     ///< .rz
  TowardPositive, ///< .rp
  TowardNegative, ///< .rm
  NearestAway     ///< .rna, ties away from zero
};

/// Modifiers of a conversion to a floating-point format.
struct ConversionOptions {
  RoundingMode rounding = RoundingMode::NearestEven;
  /// .satfinite: a magnitude above the largest finite one, infinity included,
  /// gives that largest finite magnitude with the sign kept. The formats
  /// without infinity and NaN (4 and 6 bits) always behave so.
  bool saturateFinite = false;
  /// .relu: negative results, -0 included, become +0. NaN stays NaN.
  bool relu = false;
};

/// The code nearest to `value` under `options`. NaN gives the canonical
/// positive NaN (E4M3, E5M2 and UE4M3 0x7F, UE8M0 0xFF, F16 and BF16 0x7FFF,
/// TF32 0x7FFFE000, F32 0x7FFFFFFF), in formats without NaN the largest
/// positive value (E2M1 0x7, E2M3 and E3M2 0x1F). Without saturateFinite an
/// overflow gives infinity, in E4M3, UE4M3 and UE8M0 NaN; modes that round
/// toward zero for this sign give the largest finite value instead. UE8M0 and
/// UE4M3 take the magnitude; UE8M0 has no zero and gives 0x00 (2^-127) for
/// anything that small. Subnormals are kept everywhere.
uint32_t encodeFromDouble(NumberFormat format, double value,
                          ConversionOptions options = {});
uint32_t encodeFromFloat(NumberFormat format, float value,
                         ConversionOptions options = {});

/// The two-element form `cvt.*.<format>x2 d, a, b`: `a` goes to the upper
/// half, `b` to the lower half. The result has 8 bits for E2M1 (two nibbles),
/// 16 bits for 6- and 8-bit formats (two bytes, a 6-bit code in the low bits
/// of its byte), 32 bits for F16 and BF16.
uint32_t convertPairFromFloat(NumberFormat format, float a, float b,
                              ConversionOptions options = {});

/// Splits a packed pair of `format` as made by convertPairFromFloat.
void unpackPair(NumberFormat format, uint32_t packed, uint32_t &upper,
                uint32_t &lower);

/// `cvt.rn{.relu}.<to>x2.<from>x2`: both elements of a packed pair converted
/// (for example e4m3x2 to f16x2, ue8m0x2 to bf16x2, f16x2 to e5m2x2).
uint32_t convertPair(NumberFormat to, NumberFormat from, uint32_t packed,
                     ConversionOptions options = {});

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_NUMBERFORMATS_H
