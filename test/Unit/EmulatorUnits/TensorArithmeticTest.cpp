//===- TensorArithmeticTest.cpp - Tiles against scalar models -------------===//
//
// Every rule is compared, output by output, with a slow scalar model that
// works on long double values and 128-bit integers and shares nothing with the
// library but the meaning of a code.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

using Bytes = std::vector<uint8_t>;
using Words = std::vector<uint32_t>;

//===-- Scalar models -----------------------------------------------------===//

/// value = significand * 2^exponent with the significand in [0, 2) and the
/// exponent not below the smallest normal one.
struct Term {
  long double significand;
  int exponent;
};

Term split(double value, int smallestExponent) {
  if (value == 0)
    return {0, -126};
  int exponent;
  long double significand = 2 * std::frexp(value, &exponent);
  --exponent;
  if (exponent < smallestExponent) {
    significand = std::ldexp(significand, exponent - smallestExponent);
    exponent = smallestExponent;
  }
  return {significand, exponent};
}

int smallestExponent(NumberFormat format) {
  return 1 - formatTraits(format).bias;
}

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Cut toward zero to a multiple of 2^-bits.
long double cut(long double value, int bits) {
  return std::ldexp(std::trunc(std::ldexp(value, bits)), -bits);
}

/// The f32 nearest toward zero with `bits` fraction bits. -0 never appears.
uint32_t cutToFloat(long double value, int bits) {
  if (value == 0)
    return 0;
  int exponent;
  std::frexp(value, &exponent);
  --exponent;
  exponent = std::max(exponent, -126);
  long double kept =
      std::ldexp(cut(std::ldexp(value, -exponent), bits), exponent);
  if (kept == 0)
    return 0;
  if (std::fabs(kept) >= std::ldexp(1.0L, 128))
    return kept < 0 ? 0xFF800000 : 0x7F800000;
  return bitsOf(static_cast<float>(kept)); // exact
}

uint32_t roundToHalf(long double value) {
  int exponent;
  std::frexp(value, &exponent);
  exponent = std::max(exponent - 1, -14);
  // nearbyint rounds to nearest even.
  long double kept = std::ldexp(
      std::nearbyint(std::ldexp(value, 10 - exponent)), exponent - 10);
  if (kept == 0)
    return 0;
  uint32_t sign = kept < 0 ? 0x8000 : 0;
  kept = std::fabs(kept);
  if (kept >= 65536)
    return sign | 0x7C00;
  std::frexp(kept, &exponent);
  --exponent;
  if (exponent < -14)
    return sign | static_cast<uint32_t>(std::ldexp(kept, 24));
  return sign | static_cast<uint32_t>((exponent + 15) << 10) |
         static_cast<uint32_t>(std::ldexp(kept, 10 - exponent) - 1024);
}

/// Sum of aligned terms; the first one is C and always takes part.
long double alignedSum(const std::vector<Term> &terms, int fractionBits) {
  int maximum = terms[0].exponent;
  for (const Term &term : terms)
    if (term.significand != 0)
      maximum = std::max(maximum, term.exponent);
  __int128 sum = 0;
  for (const Term &term : terms)
    sum += static_cast<__int128>(std::trunc(
        std::ldexp(term.significand, fractionBits + term.exponent - maximum)));
  return std::ldexp(static_cast<long double>(sum), maximum - fractionBits);
}

struct Problem {
  MmaSpec spec;
  Bytes a, b, sfa, sfb;

  uint32_t code(const Bytes &codes, NumberFormat format, bool packed,
                uint32_t row, uint32_t k) const {
    size_t i = size_t(row) * spec.k + k;
    if (packed)
      return i % 2 ? codes[i / 2] >> 4 : codes[i / 2] & 15;
    uint32_t value = 0;
    for (unsigned byte = 0; byte < codeBytes(format); ++byte)
      value |= uint32_t(codes[i * codeBytes(format) + byte]) << 8 * byte;
    return value;
  }
  double aValue(uint32_t row, uint32_t k) const {
    double value = decodeToDouble(spec.aFormat,
                                  code(a, spec.aFormat, spec.packedA, row, k));
    return spec.negateA ? -value : value;
  }
  double bValue(uint32_t row, uint32_t k) const {
    double value = decodeToDouble(spec.bFormat,
                                  code(b, spec.bFormat, spec.packedB, row, k));
    return spec.negateB ? -value : value;
  }
  NumberFormat scaleNumberFormat() const {
    return spec.scaleFormat == ScaleFormat::UE8M0 ? NumberFormat::UE8M0
                                                  : NumberFormat::UE4M3;
  }
  double scale(const Bytes &scales, uint32_t row, uint32_t k) const {
    if (spec.scaleFormat == ScaleFormat::None)
      return 1;
    uint32_t groups = spec.k / spec.scaleBlock;
    return decodeToDouble(scaleNumberFormat(),
                          scales[row * groups + k / spec.scaleBlock]);
  }
};

bool halfOutput(const MmaSpec &spec) {
  return spec.accumulator == AccumulatorFormat::F16;
}

double decodeC(const MmaSpec &spec, uint32_t bits) {
  double value = halfOutput(spec) ? decodeToDouble(NumberFormat::F16, bits)
                                  : double(floatOf(bits));
  return std::ldexp(value, -int(spec.scaleInputD));
}

Term splitC(const MmaSpec &spec, uint32_t bits) {
  int smallest = (halfOutput(spec) ? -14 : -126) - int(spec.scaleInputD);
  return split(decodeC(spec, bits), smallest);
}

/// NaN and infinity by IEEE arithmetic in double, whose range no product here
/// leaves. True when the result is not finite.
bool specialOutput(const Problem &p, uint32_t row, uint32_t column, uint32_t c,
                   uint32_t &result) {
  double sum = decodeC(p.spec, c);
  for (uint32_t k = 0; k < p.spec.k; ++k)
    sum += p.aValue(row, k) * p.scale(p.sfa, row, k) *
           (p.bValue(column, k) * p.scale(p.sfb, column, k));
  bool half = halfOutput(p.spec);
  if (std::isnan(sum))
    result = half ? 0x7FFF : 0x7FFFFFFF;
  else if (std::isinf(sum))
    result = half ? (sum < 0 ? 0xFC00 : 0x7C00)
                  : (sum < 0 ? 0xFF800000 : 0x7F800000);
  else
    return false;
  return true;
}

uint32_t productModel(const Problem &p, uint32_t row, uint32_t column,
                      uint32_t c) {
  uint32_t special;
  if (specialOutput(p, row, column, c, special))
    return special;
  const MmaSpec &spec = p.spec;
  std::vector<Term> terms = {splitC(spec, c)};
  for (uint32_t k = 0; k < spec.k; ++k) {
    Term a = split(p.aValue(row, k), smallestExponent(spec.aFormat));
    Term b = split(p.bValue(column, k), smallestExponent(spec.bFormat));
    int scaleExponent = std::ilogb(p.scale(p.sfa, row, k)) +
                        std::ilogb(p.scale(p.sfb, column, k));
    terms.push_back({a.significand * b.significand,
                     a.exponent + b.exponent + scaleExponent});
  }
  bool thirteen = spec.rule == AccumulationRule::Fraction13;
  long double sum = alignedSum(terms, thirteen ? 13 : 25);
  return halfOutput(spec) ? roundToHalf(sum)
                          : cutToFloat(sum, thirteen ? 13 : 23);
}

uint32_t groupedModel(const Problem &p, uint32_t row, uint32_t column,
                      uint32_t c) {
  double cValue = decodeC(p.spec, c);
  bool nan = std::isnan(cValue);
  for (uint32_t k = 0; k < p.spec.k; ++k)
    nan = nan || std::isnan(p.scale(p.sfa, row, k)) ||
          std::isnan(p.scale(p.sfb, column, k));
  if (nan)
    return 0x7FFFFFFF;
  if (std::isinf(cValue))
    return c;
  Term cTerm = splitC(p.spec, c);
  std::vector<Term> terms = {cTerm};
  int maximum = cTerm.exponent;
  for (uint32_t group = 0; group < p.spec.k; group += 16) {
    double dot = 0;
    for (uint32_t k = group; k < group + 16; ++k)
      dot += p.aValue(row, k) * p.bValue(column, k);
    int smallest = smallestExponent(p.scaleNumberFormat());
    if (p.spec.scaleFormat == ScaleFormat::UE8M0)
      smallest = -127;
    Term sa = split(p.scale(p.sfa, row, group), smallest);
    Term sb = split(p.scale(p.sfb, column, group), smallest);
    terms.push_back(
        {dot * sa.significand * sb.significand, sa.exponent + sb.exponent});
    // Aligned on the scale exponents only: a group whose sum is zero counts.
    maximum = std::max(maximum, sa.exponent + sb.exponent);
  }
  __int128 sum = 0;
  for (const Term &term : terms)
    sum += static_cast<__int128>(
        std::trunc(std::ldexp(term.significand, 35 + term.exponent - maximum)));
  return cutToFloat(std::ldexp(static_cast<long double>(sum), maximum - 35),
                    23);
}

/// The exact sum in one integer per binary digit, rounded once.
uint32_t exactModel(const Problem &p, uint32_t row, uint32_t column,
                    uint32_t c) {
  uint32_t special;
  if (specialOutput(p, row, column, c, special))
    return special;
  constexpr int Low = -500, Count = 1000;
  std::vector<int64_t> digits(Count + 1, 0);
  auto add = [&](double value) { // a double of at most 53 bits
    if (value == 0)
      return;
    int exponent;
    int64_t mantissa =
        static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    for (int bit = 0; bit < 54; ++bit)
      if (std::llabs(mantissa) >> bit & 1)
        digits[exponent - 53 + bit - Low] += mantissa < 0 ? -1 : 1;
  };
  add(decodeC(p.spec, c));
  for (uint32_t k = 0; k < p.spec.k; ++k)
    add(p.aValue(row, k) * p.scale(p.sfa, row, k) *
        (p.bValue(column, k) * p.scale(p.sfb, column, k)));
  auto carry = [&] {
    for (int i = 0; i < Count; ++i) {
      int64_t up = digits[i] >> 1; // floor
      digits[i] -= 2 * up;
      digits[i + 1] += up;
    }
  };
  carry();
  bool negative = digits[Count] < 0;
  if (negative) {
    for (int64_t &digit : digits)
      digit = -digit;
    carry();
  }
  int top = Count;
  while (top >= 0 && !digits[top])
    --top;
  if (top < 0)
    return 0;
  int fraction = halfOutput(p.spec) ? 10 : 23;
  int lowest = halfOutput(p.spec) ? -24 : -149;
  int unit = std::max(top - fraction, lowest - Low);
  uint64_t kept = 0;
  for (int i = top; i >= unit; --i)
    kept = 2 * kept + static_cast<uint64_t>(digits[i]);
  bool half = unit > 0 && digits[unit - 1];
  bool rest = false;
  for (int i = 0; i < unit - 1; ++i)
    rest = rest || digits[i];
  if (half && (rest || kept % 2))
    ++kept;
  long double value = std::ldexp(static_cast<long double>(kept), unit + Low);
  if (value == 0)
    return 0;
  if (negative)
    value = -value;
  if (halfOutput(p.spec))
    return roundToHalf(value);
  return bitsOf(static_cast<float>(value));
}

uint32_t splitModel(const Problem &p, uint32_t row, uint32_t column,
                    uint32_t c) {
  uint32_t sum = 0;
  for (uint32_t which = 0; which < 2; ++which) {
    Problem part;
    part.spec = p.spec;
    part.spec.rule = AccumulationRule::Fraction25;
    part.spec.k = p.spec.k / 2;
    part.spec.m = part.spec.n = 1;
    for (uint32_t k = 0; k < p.spec.k; ++k)
      if ((k % 4 < 2) == (which == 0)) {
        part.a.push_back(p.a[row * p.spec.k + k]);
        part.b.push_back(p.b[column * p.spec.k + k]);
      }
    sum = productModel(part, 0, 0, sum);
  }
  if (halfOutput(p.spec)) {
    double total = decodeToDouble(NumberFormat::F16, sum) +
                   decodeToDouble(NumberFormat::F16, c);
    if (std::isnan(total))
      return 0x7FFF;
    if (std::isinf(total))
      return total < 0 ? 0xFC00 : 0x7C00;
    if (total == 0)
      return sum == 0x8000 && c == 0x8000 ? 0x8000 : 0;
    return roundToHalf(total);
  }
  volatile float total = floatOf(sum) + floatOf(c);
  return std::isnan(total) ? 0x7FFFFFFF : bitsOf(total);
}

uint32_t model(const Problem &p, uint32_t row, uint32_t column, uint32_t c) {
  switch (p.spec.rule) {
  case AccumulationRule::GroupedFraction35:
    return groupedModel(p, row, column, c);
  case AccumulationRule::Exact:
    return exactModel(p, row, column, c);
  case AccumulationRule::SplitFraction25:
    return splitModel(p, row, column, c);
  default:
    return productModel(p, row, column, c);
  }
}

//===-- Random problems ---------------------------------------------------===//

enum class Codes {
  FullRange, ///< any bits, NaN and infinity included
  Finite,    ///< any bits but those
  NearOne,   ///< small spread, so that nothing is cut
  Sparse     ///< three quarters are zero
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  uint32_t code(NumberFormat format, Codes kind) {
    unsigned bits = formatTraits(format).storageBits;
    for (;;) {
      uint32_t code = static_cast<uint32_t>(random());
      if (bits < 32)
        code &= (1u << bits) - 1;
      if (kind == Codes::Sparse && random() % 4)
        code &= 1u << (bits - 1);
      if (kind == Codes::NearOne)
        code = encodeFromDouble(format, (double(random() % 2000) - 1000) / 500);
      NumberClass numberClass = decodeRaw(format, code).numberClass;
      bool finite = numberClass == NumberClass::Zero ||
                    numberClass == NumberClass::Finite;
      if (finite || (kind == Codes::FullRange && random() % 4 == 0))
        return code;
    }
  }

  Bytes operand(NumberFormat format, bool packed, uint32_t count, Codes kind) {
    Bytes bytes;
    if (packed) {
      for (uint32_t i = 0; i < count / 2; ++i)
        bytes.push_back(
            static_cast<uint8_t>(code(format, kind) | code(format, kind) << 4));
      return bytes;
    }
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t value = code(format, kind);
      for (unsigned byte = 0; byte < codeBytes(format); ++byte)
        bytes.push_back(static_cast<uint8_t>(value >> 8 * byte));
    }
    return bytes;
  }

  uint8_t scale(ScaleFormat format, Codes kind) {
    for (;;) {
      uint8_t byte = static_cast<uint8_t>(random());
      if (kind == Codes::NearOne)
        byte = static_cast<uint8_t>(
            (format == ScaleFormat::UE8M0 ? 0x7C : 0x34) + random() % 8);
      bool nan =
          format == ScaleFormat::UE8M0 ? byte == 0xFF : (byte & 0x7F) == 0x7F;
      if (!nan || (kind == Codes::FullRange && random() % 4 == 0))
        return byte;
    }
  }

  uint32_t addend(bool half, Codes kind) {
    switch (random() % 6) {
    case 0:
      return 0;
    case 1:
      return half ? 0x8000u : 0x80000000u;
    case 2: // subnormals
      return static_cast<uint32_t>(random()) & (half ? 0x83FF : 0x807FFFFF);
    case 3:
      return half ? code(NumberFormat::F16, kind)
                  : code(NumberFormat::F32, kind);
    default:
      break;
    }
    double value =
        std::ldexp(double(random() % 2000001) - 1e6, -int(random() % 24));
    return encodeFromDouble(half ? NumberFormat::F16 : NumberFormat::F32,
                            value);
  }

  Problem problem(MmaSpec spec, Codes kind) {
    Problem p;
    p.spec = spec;
    p.a = operand(spec.aFormat, spec.packedA, spec.m * spec.k, kind);
    p.b = operand(spec.bFormat, spec.packedB, spec.n * spec.k, kind);
    if (spec.scaleFormat != ScaleFormat::None) {
      for (uint32_t i = 0; i < spec.m * (spec.k / spec.scaleBlock); ++i)
        p.sfa.push_back(scale(spec.scaleFormat, kind));
      for (uint32_t i = 0; i < spec.n * (spec.k / spec.scaleBlock); ++i)
        p.sfb.push_back(scale(spec.scaleFormat, kind));
    }
    return p;
  }

  std::mt19937_64 random;
};

/// Runs tiles of `spec` with every kind of codes and compares all outputs.
void compare(MmaSpec spec, int rounds, uint64_t seed) {
  Generator generator(seed);
  bool half = halfOutput(spec);
  const Codes kinds[] = {Codes::FullRange, Codes::Finite, Codes::NearOne,
                         Codes::Sparse};
  for (int round = 0; round < rounds; ++round)
    for (Codes kind : kinds) {
      Problem p = generator.problem(spec, kind);
      size_t pitch = spec.n + round % 3;
      Words c(spec.m * pitch);
      for (uint32_t &word : c)
        word = generator.addend(half, kind);
      bool accumulate = generator.random() % 4 != 0;
      Words d = c;
      ASSERT_EQ(mmaTile(spec, p.a.data(), p.b.data(), p.sfa.data(),
                        p.sfb.data(), d.data(), accumulate, pitch),
                "");
      int shown = 0;
      for (uint32_t row = 0; row < spec.m; ++row) {
        for (uint32_t column = 0; column < spec.n; ++column) {
          size_t i = row * pitch + column;
          uint32_t want = model(p, row, column, accumulate ? c[i] : 0);
          if (d[i] != want && shown++ < 3)
            ADD_FAILURE() << std::hex << "row " << row << " column " << column
                          << " C " << c[i] << " got " << d[i] << " want "
                          << want << " kind " << int(kind);
        }
        for (size_t i = spec.n; i < pitch; ++i)
          ASSERT_EQ(d[row * pitch + i], c[row * pitch + i]);
      }
    }
}

MmaSpec makeSpec(AccumulationRule rule, NumberFormat a, NumberFormat b,
                 AccumulatorFormat accumulator, uint32_t m, uint32_t n,
                 uint32_t k) {
  MmaSpec spec;
  spec.rule = rule;
  spec.aFormat = a;
  spec.bFormat = b;
  spec.accumulator = accumulator;
  spec.m = m;
  spec.n = n;
  spec.k = k;
  return spec;
}

const NumberFormat smallFormats[] = {NumberFormat::E4M3, NumberFormat::E5M2,
                                     NumberFormat::E2M3, NumberFormat::E3M2,
                                     NumberFormat::E2M1};

TEST(TensorArithmetic, WgmmaEightBits) {
  for (NumberFormat a : {NumberFormat::E4M3, NumberFormat::E5M2})
    for (NumberFormat b : {NumberFormat::E4M3, NumberFormat::E5M2})
      for (auto accumulator : {AccumulatorFormat::F32, AccumulatorFormat::F16})
        compare(makeSpec(AccumulationRule::Fraction13, a, b, accumulator, 64,
                         24, 32),
                3, 1);
}

TEST(TensorArithmetic, EightBitsAndSmallerWith25FractionBits) {
  for (NumberFormat a : smallFormats)
    for (NumberFormat b : smallFormats)
      for (auto accumulator : {AccumulatorFormat::F32, AccumulatorFormat::F16})
        for (uint32_t n : {8u, 40u}) { // 8: narrow blocks, as mma.sync has
          MmaSpec spec = makeSpec(AccumulationRule::Fraction25, a, b,
                                  accumulator, 16, n, 32);
          spec.negateA = a == NumberFormat::E2M3;
          spec.negateB = b == NumberFormat::E5M2;
          compare(spec, 2, 2);
        }
}

TEST(TensorArithmetic, SixteenAndThirtyTwoBits) {
  for (auto accumulator : {AccumulatorFormat::F32, AccumulatorFormat::F16})
    compare(makeSpec(AccumulationRule::Fraction25, NumberFormat::F16,
                     NumberFormat::F16, accumulator, 64, 32, 16),
            6, 3);
  compare(makeSpec(AccumulationRule::Fraction25, NumberFormat::BF16,
                   NumberFormat::BF16, AccumulatorFormat::F32, 64, 32, 16),
          6, 4);
  compare(makeSpec(AccumulationRule::Fraction25, NumberFormat::TF32,
                   NumberFormat::TF32, AccumulatorFormat::F32, 64, 32, 8),
          6, 5);
  MmaSpec scaled =
      makeSpec(AccumulationRule::Fraction25, NumberFormat::F16,
               NumberFormat::F16, AccumulatorFormat::F32, 16, 8, 16);
  for (uint32_t shift : {1u, 7u, 15u}) {
    scaled.scaleInputD = shift;
    compare(scaled, 6, 6);
  }
}

TEST(TensorArithmetic, BlockScaledEightBitsAndSmaller) {
  for (NumberFormat a : smallFormats)
    for (NumberFormat b : smallFormats)
      for (uint32_t n : {5u, 8u, 24u}) {
        MmaSpec spec = makeSpec(AccumulationRule::Fraction25, a, b,
                                AccumulatorFormat::F32, 32, n, 32);
        spec.scaleFormat = ScaleFormat::UE8M0;
        spec.scaleBlock = 32;
        compare(spec, 2, 7);
        spec.k = 64; // two scales a row
        compare(spec, 1, 7);
      }
}

TEST(TensorArithmetic, BlockScaledFourBits) {
  for (ScaleFormat format : {ScaleFormat::UE8M0, ScaleFormat::UE4M3})
    for (uint32_t block : {16u, 32u})
      for (bool packed : {false, true})
        for (uint32_t n : {5u, 8u, 48u}) {
          MmaSpec spec =
              makeSpec(AccumulationRule::GroupedFraction35, NumberFormat::E2M1,
                       NumberFormat::E2M1, AccumulatorFormat::F32, 128, n, 64);
          spec.scaleFormat = format;
          spec.scaleBlock = block;
          spec.packedA = spec.packedB = packed;
          spec.negateA = block == 32;
          compare(spec, 2, 8);
        }
}

TEST(TensorArithmetic, MmaSyncEightBitsOnHopper) {
  for (NumberFormat format : {NumberFormat::E4M3, NumberFormat::E5M2})
    for (uint32_t k : {16u, 32u})
      for (auto accumulator : {AccumulatorFormat::F32, AccumulatorFormat::F16})
        compare(makeSpec(AccumulationRule::SplitFraction25, format, format,
                         accumulator, 16, 8, k),
                20, 9);
}

TEST(TensorArithmetic, ExactSums) {
  for (auto accumulator : {AccumulatorFormat::F32, AccumulatorFormat::F16}) {
    compare(makeSpec(AccumulationRule::Exact, NumberFormat::E4M3,
                     NumberFormat::E5M2, accumulator, 16, 16, 32),
            3, 10);
    compare(makeSpec(AccumulationRule::Exact, NumberFormat::F16,
                     NumberFormat::F16, accumulator, 16, 16, 16),
            3, 11);
  }
  compare(makeSpec(AccumulationRule::Exact, NumberFormat::BF16,
                   NumberFormat::BF16, AccumulatorFormat::F32, 16, 16, 16),
          4, 12);
  compare(makeSpec(AccumulationRule::Exact, NumberFormat::TF32,
                   NumberFormat::TF32, AccumulatorFormat::F32, 16, 16, 8),
          4, 13);
  MmaSpec scaled =
      makeSpec(AccumulationRule::Exact, NumberFormat::E2M1, NumberFormat::E2M1,
               AccumulatorFormat::F32, 16, 16, 64);
  scaled.packedA = scaled.packedB = true;
  scaled.scaleBlock = 16;
  for (ScaleFormat format : {ScaleFormat::UE4M3, ScaleFormat::UE8M0}) {
    scaled.scaleFormat = format;
    compare(scaled, 3, 14);
  }
  scaled = makeSpec(AccumulationRule::Exact, NumberFormat::E5M2,
                    NumberFormat::E3M2, AccumulatorFormat::F32, 16, 16, 32);
  scaled.scaleFormat = ScaleFormat::UE8M0;
  scaled.scaleBlock = 32;
  compare(scaled, 4, 15);
}

TEST(TensorArithmetic, Integers) {
  std::mt19937 random(16);
  for (int signs = 0; signs < 4; ++signs)
    for (bool saturate : {false, true}) {
      MmaSpec spec;
      spec.rule = AccumulationRule::Integer;
      spec.aInteger = signs & 1 ? IntegerFormat::S8 : IntegerFormat::U8;
      spec.bInteger = signs & 2 ? IntegerFormat::S8 : IntegerFormat::U8;
      spec.accumulator = AccumulatorFormat::S32;
      spec.saturate = saturate;
      spec.m = 64;
      spec.n = 24;
      spec.k = 32;
      Bytes a(spec.m * spec.k), b(spec.n * spec.k);
      for (uint8_t &byte : a)
        byte = static_cast<uint8_t>(random());
      for (uint8_t &byte : b)
        byte = static_cast<uint8_t>(random());
      Words c(spec.m * spec.n);
      for (uint32_t &word : c)
        word = random() % 3 ? random() : 0x7FFFFFFF - random() % 1000;
      Words d = c;
      ASSERT_EQ(
          mmaTile(spec, a.data(), b.data(), nullptr, nullptr, d.data(), true),
          "");
      for (uint32_t row = 0; row < spec.m; ++row)
        for (uint32_t column = 0; column < spec.n; ++column) {
          size_t i = row * spec.n + column;
          int64_t sum = static_cast<int32_t>(c[i]);
          for (uint32_t k = 0; k < spec.k; ++k) {
            uint8_t x = a[row * spec.k + k], y = b[column * spec.k + k];
            sum += (signs & 1 ? int64_t(int8_t(x)) : int64_t(x)) *
                   (signs & 2 ? int64_t(int8_t(y)) : int64_t(y));
          }
          if (saturate)
            sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
          ASSERT_EQ(d[i], static_cast<uint32_t>(sum));
        }
    }
}

//===-- Known single results ----------------------------------------------===//

uint32_t one(AccumulationRule rule, NumberFormat format,
             std::vector<uint32_t> a, std::vector<uint32_t> b, uint32_t c,
             AccumulatorFormat accumulator = AccumulatorFormat::F32) {
  MmaSpec spec = makeSpec(rule, format, format, accumulator, 1, 1,
                          static_cast<uint32_t>(a.size()));
  Bytes x, y;
  for (size_t i = 0; i < a.size(); ++i)
    for (unsigned byte = 0; byte < codeBytes(format); ++byte) {
      x.push_back(static_cast<uint8_t>(a[i] >> 8 * byte));
      y.push_back(static_cast<uint8_t>(b[i] >> 8 * byte));
    }
  EXPECT_EQ(mmaTile(spec, x.data(), y.data(), nullptr, nullptr, &c, true), "");
  return c;
}

TEST(TensorArithmetic, KnownResults) {
  using R = AccumulationRule;
  const NumberFormat e4m3 = NumberFormat::E4M3;
  // A = B = 0 on Hopper leaves C without its low 10 bits.
  EXPECT_EQ(one(R::Fraction13, e4m3, {0, 0}, {0, 0}, 0x40490FDB), 0x40490C00u);
  EXPECT_EQ(one(R::Fraction13, e4m3, {0x80}, {0x38}, 0x80000000), 0u);
  // 448 * 448 and a product 2^-13 below the largest exponent's unit is lost.
  EXPECT_EQ(one(R::Fraction13, e4m3, {0x7E, 0x08}, {0x7E, 0x08}, 0),
            bitsOf(448.0f * 448.0f));
  EXPECT_EQ(one(R::Fraction25, e4m3, {0x7E, 0x20}, {0x7E, 0x20}, 0),
            bitsOf(448.0f * 448.0f + 0.015625f));
  // Cut toward zero, in sign and magnitude: 1 - 2^-26 keeps all of the 1.
  EXPECT_EQ(one(R::Fraction25, NumberFormat::BF16, {0x3F80, 0xB280},
                {0x3F80, 0x3F80}, 0),
            bitsOf(1.0f));
  EXPECT_EQ(
      one(R::Exact, NumberFormat::BF16, {0x3F80, 0xB300}, {0x3F80, 0x3F80}, 0),
      bitsOf(1.0f - std::ldexp(1.0f, -25)));
  // Zero times a huge number is no reason to cut anything.
  EXPECT_EQ(one(R::Fraction25, NumberFormat::BF16, {0x0000, 0x2F81},
                {0x7F00, 0x3F80}, 0),
            0x2F810000u);
  // Infinity and NaN.
  const NumberFormat e5m2 = NumberFormat::E5M2;
  EXPECT_EQ(one(R::Fraction25, e5m2, {0x7C}, {0x3C}, 0), 0x7F800000u);
  EXPECT_EQ(one(R::Fraction25, e5m2, {0x7C}, {0xBC}, 0), 0xFF800000u);
  EXPECT_EQ(one(R::Fraction25, e5m2, {0x7C}, {0x00}, 0), 0x7FFFFFFFu);
  EXPECT_EQ(one(R::Fraction25, e5m2, {0x7C}, {0x3C}, 0xFF800000), 0x7FFFFFFFu);
  EXPECT_EQ(one(R::Fraction25, e5m2, {0x7C, 0xFC}, {0x3C, 0x3C}, 0,
                AccumulatorFormat::F16),
            0x7FFFu);
  // Overflow of f16.
  EXPECT_EQ(one(R::Fraction13, e4m3, {0x7E}, {0x7E}, 0, AccumulatorFormat::F16),
            0x7C00u);
  // Overflow of f32.
  EXPECT_EQ(one(R::Fraction25, NumberFormat::BF16, {0xFF7F}, {0x7F7F}, 0),
            0xFF800000u);
}

TEST(TensorArithmetic, ScaleCodes) {
  MmaSpec spec =
      makeSpec(AccumulationRule::GroupedFraction35, NumberFormat::E2M1,
               NumberFormat::E2M1, AccumulatorFormat::F32, 1, 1, 64);
  spec.scaleFormat = ScaleFormat::UE4M3;
  spec.scaleBlock = 16;
  Bytes a(64, 0), b(64, 0);
  a[0] = 0x2; // 1
  b[0] = 0x7; // 6
  for (uint32_t code = 0; code < 256; ++code) {
    Bytes sfa(4, 0x38), sfb(4, 0x38);
    sfa[0] = static_cast<uint8_t>(code);
    uint32_t d = 0;
    ASSERT_EQ(
        mmaTile(spec, a.data(), b.data(), sfa.data(), sfb.data(), &d, false),
        "");
    double scale = decodeToDouble(NumberFormat::E4M3, code & 0x7F);
    EXPECT_EQ(d, std::isnan(scale) ? 0x7FFFFFFFu
                                   : bitsOf(static_cast<float>(6 * scale)));
    // A NaN scale counts even over zeros.
    std::swap(sfa[0], sfa[2]);
    d = 0;
    ASSERT_EQ(
        mmaTile(spec, a.data(), b.data(), sfa.data(), sfb.data(), &d, false),
        "");
    EXPECT_EQ(d, std::isnan(scale) ? 0x7FFFFFFFu : bitsOf(6.0f));
  }
}

TEST(TensorArithmetic, RuleOfAnInstruction) {
  using I = TensorInstruction;
  using R = AccumulationRule;
  EXPECT_EQ(accumulationRule(I::Wgmma, NumberFormat::E4M3, false),
            R::Fraction13);
  EXPECT_EQ(accumulationRule(I::Wgmma, NumberFormat::F16, false),
            R::Fraction25);
  EXPECT_EQ(accumulationRule(I::Tcgen05, NumberFormat::E4M3, false),
            R::Fraction25);
  EXPECT_EQ(accumulationRule(I::Tcgen05, NumberFormat::E2M1, true),
            R::GroupedFraction35);
  EXPECT_EQ(accumulationRule(I::MmaSyncSm90, NumberFormat::E5M2, false),
            R::SplitFraction25);
  EXPECT_EQ(accumulationRule(I::MmaSyncSm90, NumberFormat::BF16, false),
            R::Fraction25);
  EXPECT_EQ(accumulationRule(I::MmaSync, NumberFormat::E5M2, false),
            R::Fraction25);
}

TEST(TensorArithmetic, RefusesWhatItCannotCompute) {
  const MmaSpec good =
      makeSpec(AccumulationRule::Fraction25, NumberFormat::E4M3,
               NumberFormat::E4M3, AccumulatorFormat::F32, 16, 8, 32);
  EXPECT_EQ(checkMmaSpec(good), "");
  auto refused = [](MmaSpec spec) { return !checkMmaSpec(spec).empty(); };
  MmaSpec spec = good;
  spec.m = 0;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.n = 257;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.k = 0;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.packedA = true;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.aFormat = NumberFormat::UE8M0;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.accumulator = AccumulatorFormat::S32;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.scaleFormat = ScaleFormat::UE4M3;
  spec.scaleBlock = 32;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.scaleFormat = ScaleFormat::UE8M0;
  spec.scaleBlock = 0;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.rule = AccumulationRule::GroupedFraction35;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.rule = AccumulationRule::Fraction13;
  spec.aFormat = NumberFormat::F16;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.rule = AccumulationRule::Integer;
  EXPECT_TRUE(refused(spec));
  spec = good;
  spec.scaleInputD = 16;
  EXPECT_TRUE(refused(spec));
  uint32_t d = 0x1234;
  EXPECT_NE(mmaTile(spec, nullptr, nullptr, nullptr, nullptr, &d, true), "");
  EXPECT_EQ(d, 0x1234u);
}

} // namespace
