//===- TensorArithmetic.cpp - Tensor-core dot products --------------------===//
//
// The inner loops run over a block of output columns with K outermost, so that
// every lane is one output element: no horizontal sums, and the alignment
// shifts are per lane. A block has 16 columns, or 8 for the tiles of mma.sync,
// which have no more. On x86-64 they are compiled a second time for AVX2,
// whose per-lane shifts are what makes them fast; both copies come from the
// same source.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

// The tests define this as 0 to cover the portable copy on any machine.
#ifndef BSMM_UNITS_AVX2
#if defined(__x86_64__) && defined(__GNUC__)
#define BSMM_UNITS_AVX2 1
#else
#define BSMM_UNITS_AVX2 0
#endif
#endif

namespace bsmm::emulator::units {

namespace {

//===-- Operands decoded once per tile ------------------------------------===//

/// The exponent of a zero operand: low enough never to be the largest one of
/// an instruction, since zero products take no part in the alignment.
constexpr int32_t ZeroExponent = -100000;

/// The exponent that the model gives to a scale factor of zero.
constexpr int32_t ZeroScaleExponent = -126;

/// Longest K of one instruction, in any kind.
constexpr uint32_t MaximumK = 256;

constexpr uint32_t F32NaN = 0x7FFFFFFF;
constexpr uint32_t F16NaN = 0x7FFF;

/// One code, ready for the inner loops.
struct Element {
  int32_t magnitude = 0;
  int32_t exponent = ZeroExponent;
  int32_t sign = 0; ///< 0 or -1
  bool special = false;
};

Element toElement(NumberFormat format, uint32_t code) {
  DecodedNumber number = decodeRaw(format, code);
  Element element;
  element.sign = number.negative ? -1 : 0;
  if (number.numberClass == NumberClass::Finite) {
    element.magnitude = static_cast<int32_t>(number.significand);
    element.exponent = number.exponent;
  }
  element.special = number.numberClass == NumberClass::Infinity ||
                    number.numberClass == NumberClass::NaN;
  return element;
}

using ElementTable = std::array<Element, 256>;

ElementTable makeTable(NumberFormat format) {
  ElementTable table;
  for (uint32_t code = 0; code < 256; ++code)
    table[code] = toElement(format, code);
  return table;
}

/// All codes of a format of at most 8 bits.
const ElementTable &elementTable(NumberFormat format) {
  static const std::array<ElementTable, 7> tables = {
      makeTable(NumberFormat::E2M1),  makeTable(NumberFormat::E2M3),
      makeTable(NumberFormat::E3M2),  makeTable(NumberFormat::E4M3),
      makeTable(NumberFormat::E5M2),  makeTable(NumberFormat::UE8M0),
      makeTable(NumberFormat::UE4M3),
  };
  return tables[static_cast<unsigned>(format)];
}

/// One operand as the caller gave it.
struct Operand {
  const uint8_t *codes;
  const uint8_t *scales;
  NumberFormat format;
  IntegerFormat integer;
  bool packed;
  bool negate;
  uint32_t rows;
  uint32_t k;
  ScaleFormat scaleFormat;
  uint32_t scaleBlock;

  uint32_t code(uint32_t row, uint32_t index) const {
    size_t position = size_t(row) * k + index;
    if (packed)
      return codes[position / 2] >> (position % 2 * 4) & 0xF;
    switch (codeBytes(format)) {
    case 1:
      return codes[position];
    case 2:
      return codes[2 * position] | codes[2 * position + 1] << 8;
    default: {
      const uint8_t *bytes = codes + 4 * position;
      return bytes[0] | bytes[1] << 8 | bytes[2] << 16 |
             static_cast<uint32_t>(bytes[3]) << 24;
    }
    }
  }

  uint32_t scaleGroups() const { return k / scaleBlock; }

  Element scale(uint32_t row, uint32_t group) const {
    uint8_t byte = scales[size_t(row) * scaleGroups() + group];
    NumberFormat format = scaleFormat == ScaleFormat::UE8M0
                              ? NumberFormat::UE8M0
                              : NumberFormat::UE4M3;
    Element element = elementTable(format)[byte];
    if (element.magnitude == 0 && !element.special)
      element.exponent = ZeroScaleExponent;
    return element;
  }

  bool scaled() const { return scaleFormat != ScaleFormat::None; }

  /// Calls visit(row, k, element) for every element, decoded.
  template <typename Visitor> void forEach(Visitor visit) const {
    bool bytes = codeBytes(format) == 1 && !packed;
    bool small = bytes || packed;
    const ElementTable &table =
        elementTable(small ? format : NumberFormat::E2M1);
    int32_t flip = negate ? -1 : 0;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint8_t *rowCodes = codes + size_t(row) * k; // if one a byte
      for (uint32_t index = 0; index < k; ++index) {
        Element element;
        if (bytes)
          element = table[rowCodes[index]];
        else if (small)
          element = table[code(row, index)];
        else
          element = toElement(format, code(row, index));
        element.sign ^= flip;
        visit(row, index, element);
      }
    }
  }
};

/// The accumulator C, taken apart.
struct Addend {
  uint64_t magnitude;
  int32_t exponent;
  bool negative;
  bool infinity;
  bool nan;
};

/// Fraction bits of the C and D format.
uint32_t addendFractionBits(AccumulatorFormat format) {
  return format == AccumulatorFormat::F16 ? 10 : 23;
}

/// A zero of either format has the exponent -126: that of f32's subnormals.
Addend decodeAddend(AccumulatorFormat format, uint32_t bits,
                    uint32_t scaleInputD) {
  Addend addend;
  if (format == AccumulatorFormat::F32) {
    uint32_t field = bits >> 23 & 0xFF;
    uint32_t fraction = bits & 0x7FFFFF;
    addend.negative = bits >> 31;
    addend.infinity = field == 0xFF && fraction == 0;
    addend.nan = field == 0xFF && fraction != 0;
    addend.magnitude = field ? fraction | 0x800000 : fraction;
    addend.exponent = static_cast<int32_t>(field ? field : 1) - 127;
  } else {
    DecodedNumber number = decodeRaw(NumberFormat::F16, bits & 0xFFFF);
    addend.negative = number.negative;
    addend.infinity = number.numberClass == NumberClass::Infinity;
    addend.nan = number.numberClass == NumberClass::NaN;
    addend.magnitude = number.significand;
    addend.exponent = number.significand ? number.exponent : -126;
  }
  if (addend.magnitude)
    addend.exponent -= static_cast<int32_t>(scaleInputD);
  return addend;
}

//===-- Rounding of the sum -----------------------------------------------===//

/// 2^exponent for exponents of normal doubles.
inline double powerOfTwo(int32_t exponent) {
  uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// f32 bits of an exact sum, cut toward zero, with the mantissa bits outside
/// `mask` cleared. A magnitude of 2^128 or more is infinity; a result of zero
/// is +0.
inline uint32_t cutToF32(double value, uint32_t mask) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint32_t sign = static_cast<uint32_t>(bits >> 63) << 31;
  bits &= ~(uint64_t(1) << 63);
  int32_t exponent = static_cast<int32_t>(bits >> 52) - 1023;
  if (exponent >= -126 && exponent <= 127)
    return sign |
           (static_cast<uint32_t>((bits >> 29) - (uint64_t(896) << 23)) & mask);
  if (exponent > 127)
    return sign | 0x7F800000;
  if (exponent < -149)
    return 0;
  uint64_t significand =
      (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  uint32_t magnitude =
      static_cast<uint32_t>(significand >> (29 + (-126 - exponent))) & mask;
  // Never zero here: the sum is a multiple of 2^-151 when all 23 bits stay and
  // of 2^-139 when 13 do.
  return sign | magnitude;
}

/// f16 code of an exact sum, nearest even; a result of zero is +0.
uint32_t roundToF16(double value) {
  uint32_t code = encodeFromDouble(NumberFormat::F16, value);
  return code == 0x8000 ? 0 : code;
}

/// The output rounding of a rule.
struct Output {
  AccumulatorFormat format;
  uint32_t mask;

  uint32_t round(double value) const {
    return format == AccumulatorFormat::F16 ? roundToF16(value)
                                            : cutToF32(value, mask);
  }
  uint32_t nan() const {
    return format == AccumulatorFormat::F16 ? F16NaN : F32NaN;
  }
  uint32_t infinity(bool negative) const {
    if (format == AccumulatorFormat::F16)
      return negative ? 0xFC00 : 0x7C00;
    return negative ? 0xFF800000 : 0x7F800000;
  }
};

//===-- NaN and infinity --------------------------------------------------===//

/// The result when an operand, a scale or C is NaN or infinite: any NaN, zero
/// times infinity and infinities of both signs give NaN. False when nothing of
/// that kind is involved in this output element.
bool specialResult(const Operand &a, const Operand &b, uint32_t row,
                   uint32_t column, const Addend *addend, const Output &output,
                   uint32_t &result) {
  bool nan = addend && addend->nan;
  bool positive = addend && addend->infinity && !addend->negative;
  bool negative = addend && addend->infinity && addend->negative;
  for (uint32_t k = 0; k < a.k && !nan; ++k) {
    DecodedNumber x = decodeRaw(a.format, a.code(row, k));
    DecodedNumber y = decodeRaw(b.format, b.code(column, k));
    if (x.numberClass == NumberClass::NaN || y.numberClass == NumberClass::NaN)
      nan = true;
    bool infinite = x.numberClass == NumberClass::Infinity ||
                    y.numberClass == NumberClass::Infinity;
    bool zero = x.numberClass == NumberClass::Zero ||
                y.numberClass == NumberClass::Zero;
    if (infinite && zero)
      nan = true;
    if (infinite) {
      bool sign = x.negative ^ y.negative ^ a.negate ^ b.negate;
      (sign ? negative : positive) = true;
    }
  }
  if (a.scaled())
    for (uint32_t group = 0; group < a.scaleGroups(); ++group)
      nan =
          nan || a.scale(row, group).special || b.scale(column, group).special;
  if (nan || (positive && negative))
    result = output.nan();
  else if (positive || negative)
    result = output.infinity(negative);
  else
    return false;
  return true;
}

//===-- Products aligned one by one ---------------------------------------===//

/// Columns of one block: 16, or 8 where a tile has no more.
constexpr uint32_t WideBlock = 16;
constexpr uint32_t NarrowBlock = 8;

/// A row-major, B in blocks of columns [block][k][block width].
struct ProductOperands {
  std::vector<int32_t> aMagnitude, aExponent, aSign;
  std::vector<int32_t> bMagnitude, bExponent, bSign;
  std::vector<uint8_t> aSpecial, bSpecial;
};

/// What the inner loop hands back for one row and one block of columns.
template <uint32_t BlockWidth> struct BlockResult {
  int32_t maximum[BlockWidth];
  int64_t sum[BlockWidth];
};

/// Sums the products of one row of A with one block of columns of B, aligned
/// to the largest exponent, which starts at `maximum`. A's magnitudes are
/// already shifted so that a product has F fraction bits.
template <uint32_t BlockWidth>
inline __attribute__((always_inline)) void
sumProductsBody(const int32_t *aMagnitude, const int32_t *aExponent,
                const int32_t *aSign, const int32_t *bMagnitude,
                const int32_t *bExponent, const int32_t *bSign, uint32_t k,
                BlockResult<BlockWidth> &result) {
  int32_t maximum[BlockWidth];
  for (uint32_t w = 0; w < BlockWidth; ++w)
    maximum[w] = result.maximum[w];
  for (uint32_t index = 0; index < k; ++index) {
    const int32_t *exponents = bExponent + index * BlockWidth;
    int32_t exponent = aExponent[index];
    for (uint32_t w = 0; w < BlockWidth; ++w)
      maximum[w] = std::max(maximum[w], exponent + exponents[w]);
  }
  int64_t sum[BlockWidth] = {};
  // A product is below 4, i.e. below 2^27 with F = 25, so 16 of them fit in 32
  // bits.
  for (uint32_t start = 0; start < k; start += 16) {
    uint32_t end = std::min(start + 16, k);
    int32_t partial[BlockWidth] = {};
    for (uint32_t index = start; index < end; ++index) {
      const int32_t *magnitudes = bMagnitude + index * BlockWidth;
      const int32_t *exponents = bExponent + index * BlockWidth;
      const int32_t *signs = bSign + index * BlockWidth;
      int32_t magnitude = aMagnitude[index];
      int32_t exponent = aExponent[index];
      int32_t aSignBits = aSign[index];
      for (uint32_t w = 0; w < BlockWidth; ++w) {
        uint32_t product = static_cast<uint32_t>(magnitude * magnitudes[w]);
        uint32_t shift =
            static_cast<uint32_t>(maximum[w] - exponent - exponents[w]);
        product >>= std::min(shift, 31u);
        int32_t sign = aSignBits ^ signs[w];
        partial[w] += (static_cast<int32_t>(product) ^ sign) - sign;
      }
    }
    for (uint32_t w = 0; w < BlockWidth; ++w)
      sum[w] += partial[w];
  }
  for (uint32_t w = 0; w < BlockWidth; ++w) {
    result.maximum[w] = maximum[w];
    result.sum[w] = sum[w];
  }
}

template <uint32_t BlockWidth>
using SumProducts = void (*)(const int32_t *, const int32_t *, const int32_t *,
                             const int32_t *, const int32_t *, const int32_t *,
                             uint32_t, BlockResult<BlockWidth> &);

template <uint32_t BlockWidth>
void sumProductsPortable(const int32_t *aMagnitude, const int32_t *aExponent,
                         const int32_t *aSign, const int32_t *bMagnitude,
                         const int32_t *bExponent, const int32_t *bSign,
                         uint32_t k, BlockResult<BlockWidth> &result) {
  sumProductsBody(aMagnitude, aExponent, aSign, bMagnitude, bExponent, bSign, k,
                  result);
}

#if BSMM_UNITS_AVX2
template <uint32_t BlockWidth>
__attribute__((target("avx2"))) void
sumProductsAvx2(const int32_t *aMagnitude, const int32_t *aExponent,
                const int32_t *aSign, const int32_t *bMagnitude,
                const int32_t *bExponent, const int32_t *bSign, uint32_t k,
                BlockResult<BlockWidth> &result) {
  sumProductsBody(aMagnitude, aExponent, aSign, bMagnitude, bExponent, bSign, k,
                  result);
}
#endif

#if BSMM_UNITS_AVX2
bool haveAvx2() {
  static const bool have = __builtin_cpu_supports("avx2");
  return have;
}
#endif

template <uint32_t BlockWidth> SumProducts<BlockWidth> sumProductsFunction() {
#if BSMM_UNITS_AVX2
  if (haveAvx2())
    return sumProductsAvx2<BlockWidth>;
#endif
  return sumProductsPortable<BlockWidth>;
}

/// C cut to `fractionBits` below the largest exponent, with sign.
int64_t alignedAddend(const Addend &addend, uint32_t addendFraction,
                      uint32_t fractionBits, int32_t maximum) {
  // 24 significant bits below bit 60, so that only right shifts remain.
  uint64_t magnitude = addend.magnitude << 36;
  int64_t shift = int64_t(36) + addendFraction - fractionBits +
                  (int64_t(maximum) - addend.exponent);
  magnitude = shift > 63 ? 0 : magnitude >> shift;
  int64_t value = static_cast<int64_t>(magnitude);
  return addend.negative ? -value : value;
}

/// `width`: columns of a block of B.
void decodeProductOperands(const Operand &a, const Operand &b,
                           uint32_t fractionBits, uint32_t width,
                           ProductOperands &decoded) {
  uint32_t productFraction =
      formatTraits(a.format).fractionBits + formatTraits(b.format).fractionBits;
  uint32_t shift = fractionBits - productFraction;
  uint32_t k = a.k;
  uint32_t blocks = (b.rows + width - 1) / width;
  size_t aSize = size_t(a.rows) * k;
  size_t bSize = size_t(blocks) * k * width;
  decoded.aMagnitude.resize(aSize);
  decoded.aExponent.resize(aSize);
  decoded.aSign.resize(aSize);
  decoded.bMagnitude.assign(bSize, 0);
  decoded.bExponent.assign(bSize, ZeroExponent);
  decoded.bSign.assign(bSize, 0);
  decoded.aSpecial.assign(a.rows, 0);
  decoded.bSpecial.assign(b.rows, 0);
  auto bRow = [&](uint32_t row) {
    return size_t(row / width) * k * width + row % width;
  };
  auto decode = [](const Operand &operand, uint32_t shift, auto rowStart,
                   size_t step, int32_t *magnitudes, int32_t *exponents,
                   int32_t *signs, uint8_t *special) {
    operand.forEach([&, start = size_t(0)](uint32_t row, uint32_t index,
                                           const Element &element) mutable {
      if (index == 0)
        start = rowStart(row);
      size_t position = start + index * step;
      magnitudes[position] = element.magnitude << shift;
      exponents[position] = element.exponent;
      signs[position] = element.sign;
      special[row] |= element.special;
    });
    if (!operand.scaled())
      return;
    // One scale for many elements, so in a pass of its own.
    for (uint32_t row = 0; row < operand.rows; ++row) {
      size_t position = rowStart(row);
      for (uint32_t group = 0; group < operand.scaleGroups(); ++group) {
        Element scale = operand.scale(row, group);
        special[row] |= scale.special;
        for (uint32_t index = 0; index < operand.scaleBlock; ++index) {
          exponents[position] += scale.exponent;
          position += step;
        }
      }
    }
  };
  decode(
      a, shift, [&](uint32_t row) { return size_t(row) * k; }, 1,
      decoded.aMagnitude.data(), decoded.aExponent.data(), decoded.aSign.data(),
      decoded.aSpecial.data());
  decode(b, 0, bRow, width, decoded.bMagnitude.data(), decoded.bExponent.data(),
         decoded.bSign.data(), decoded.bSpecial.data());
}

template <uint32_t BlockWidth>
void productBlocks(const MmaSpec &spec, const Operand &a, const Operand &b,
                   uint32_t *d, bool accumulate, size_t pitch) {
  uint32_t fractionBits = spec.rule == AccumulationRule::Fraction13 ? 13 : 25;
  // The f32 of Fraction13 keeps 13 mantissa bits.
  Output output{spec.accumulator,
                fractionBits == 13 ? 0xFFFFFC00u : 0xFFFFFFFFu};
  uint32_t addendFraction = addendFractionBits(spec.accumulator);
  static thread_local ProductOperands decoded;
  decodeProductOperands(a, b, fractionBits, BlockWidth, decoded);
  SumProducts<BlockWidth> sumProducts = sumProductsFunction<BlockWidth>();
  uint32_t k = spec.k;

  for (uint32_t first = 0; first < spec.n; first += BlockWidth) {
    uint32_t width = std::min(BlockWidth, spec.n - first);
    size_t bStart = size_t(first) * k;
    for (uint32_t row = 0; row < spec.m; ++row) {
      uint32_t *out = d + row * pitch + first;
      Addend addends[BlockWidth];
      BlockResult<BlockWidth> result;
      for (uint32_t w = 0; w < BlockWidth; ++w) {
        addends[w] =
            decodeAddend(spec.accumulator, accumulate && w < width ? out[w] : 0,
                         spec.scaleInputD);
        // C always takes part; when it is zero, with the exponent -126.
        result.maximum[w] = addends[w].exponent;
      }
      size_t aStart = size_t(row) * k;
      sumProducts(&decoded.aMagnitude[aStart], &decoded.aExponent[aStart],
                  &decoded.aSign[aStart], &decoded.bMagnitude[bStart],
                  &decoded.bExponent[bStart], &decoded.bSign[bStart], k,
                  result);
      for (uint32_t w = 0; w < width; ++w) {
        const Addend &addend = addends[w];
        if (decoded.aSpecial[row] || decoded.bSpecial[first + w] ||
            addend.nan || addend.infinity) {
          uint32_t bits;
          if (specialResult(a, b, row, first + w, &addend, output, bits)) {
            out[w] = bits;
            continue;
          }
        }
        int64_t sum =
            result.sum[w] + alignedAddend(addend, addendFraction, fractionBits,
                                          result.maximum[w]);
        out[w] = output.round(
            static_cast<double>(sum) *
            powerOfTwo(result.maximum[w] - static_cast<int32_t>(fractionBits)));
      }
    }
  }
}

void productTile(const MmaSpec &spec, const Operand &a, const Operand &b,
                 uint32_t *d, bool accumulate, size_t pitch) {
  if (spec.n <= NarrowBlock)
    productBlocks<NarrowBlock>(spec, a, b, d, accumulate, pitch);
  else
    productBlocks<WideBlock>(spec, a, b, d, accumulate, pitch);
}

//===-- Two chained halves, C added last ----------------------------------===//

/// The sum of two results in their own format, to nearest even.
uint32_t addRounded(AccumulatorFormat format, uint32_t a, uint32_t b) {
  if (format == AccumulatorFormat::F32) {
    float x, y;
    std::memcpy(&x, &a, sizeof(x));
    std::memcpy(&y, &b, sizeof(y));
    float sum = x + y;
    // Normal means that neither was NaN or infinite and nothing overflowed.
    // Subnormals are left to integers: a host may flush them.
    auto subnormal = [](uint32_t bits) {
      return (bits & 0x7F800000) == 0 && (bits & 0x7FFFFF) != 0;
    };
    if (std::isnormal(sum) && !subnormal(a) && !subnormal(b)) {
      uint32_t bits;
      std::memcpy(&bits, &sum, sizeof(bits));
      return bits;
    }
  }
  NumberFormat number =
      format == AccumulatorFormat::F16 ? NumberFormat::F16 : NumberFormat::F32;
  return encodeFromDouble(number, decodeToDouble(number, a) +
                                      decodeToDouble(number, b));
}

void splitTile(const MmaSpec &spec, const Operand &a, const Operand &b,
               uint32_t *d, bool accumulate, size_t pitch) {
  static thread_local std::vector<uint8_t> aHalf, bHalf;
  static thread_local std::vector<uint32_t> sum;
  MmaSpec halfSpec = spec;
  halfSpec.k = spec.k / 2;
  sum.assign(size_t(spec.m) * spec.n, 0);
  auto half = [&](const Operand &operand, uint32_t which,
                  std::vector<uint8_t> &codes) {
    codes.resize(size_t(operand.rows) * halfSpec.k);
    for (uint32_t row = 0; row < operand.rows; ++row)
      // Pairs of bytes: the operands are unpacked 8-bit codes.
      for (uint32_t k = 0; k < halfSpec.k; k += 2)
        std::memcpy(&codes[size_t(row) * halfSpec.k + k],
                    operand.codes + size_t(row) * operand.k + 2 * k + 2 * which,
                    2);
    Operand result = operand;
    result.codes = codes.data();
    result.k = halfSpec.k;
    return result;
  };
  for (uint32_t which = 0; which < 2; ++which) {
    Operand aPart = half(a, which, aHalf), bPart = half(b, which, bHalf);
    productTile(halfSpec, aPart, bPart, sum.data(), which == 1, spec.n);
  }
  for (uint32_t row = 0; row < spec.m; ++row)
    for (uint32_t column = 0; column < spec.n; ++column) {
      uint32_t &out = d[row * pitch + column];
      uint32_t products = sum[size_t(row) * spec.n + column];
      out = accumulate ? addRounded(spec.accumulator, products, out) : products;
    }
}

//===-- 4-bit products in exact groups of 16 ------------------------------===//

constexpr uint32_t GroupSize = 16;

/// Values in half units (e2m1 times 2), so that a product counts quarters.
struct GroupedOperands {
  std::vector<int16_t> aValue, bValue;
  std::vector<int32_t> aScale, aScaleExponent, bScale, bScaleExponent;
  std::vector<uint8_t> aSpecial, bSpecial;
};

/// e2m1 codes in half units. Subnormals have exponent 0 like the ones next to
/// them: the code 1 is 1/2.
const std::array<int16_t, 256> &halfUnits() {
  static const std::array<int16_t, 256> table = [] {
    std::array<int16_t, 256> result;
    for (uint32_t code = 0; code < 256; ++code) {
      Element element = toElement(NumberFormat::E2M1, code);
      int32_t magnitude =
          element.magnitude ? element.magnitude << element.exponent : 0;
      result[code] =
          static_cast<int16_t>(element.sign ? -magnitude : magnitude);
    }
    return result;
  }();
  return table;
}

/// `width`: rows of a block, 1 for A.
void decodeGrouped(const Operand &operand, uint32_t width,
                   std::vector<int16_t> &value, std::vector<int32_t> &scale,
                   std::vector<int32_t> &scaleExponent,
                   std::vector<uint8_t> &special) {
  uint32_t k = operand.k, groups = k / GroupSize;
  uint32_t scaleGroups = operand.scaleGroups();
  uint32_t groupsPerScale = operand.scaleBlock / GroupSize;
  size_t rows = (operand.rows + width - 1) / width * width;
  value.assign(rows * k, 0);
  scale.assign(rows * groups, 0);
  scaleExponent.assign(rows * groups, ZeroScaleExponent);
  special.assign(operand.rows, 0);
  const std::array<int16_t, 256> &table = halfUnits();
  int16_t flip = operand.negate ? -1 : 0;
  for (uint32_t row = 0; row < operand.rows; ++row) {
    size_t block = size_t(row / width) * width, within = row % width;
    int16_t *to = &value[block * k + within];
    if (operand.packed) {
      const uint8_t *codes = operand.codes + size_t(row) * k / 2;
      for (uint32_t index = 0; index < k; index += 2) {
        uint8_t pair = codes[index / 2];
        to[index * width] =
            static_cast<int16_t>((table[pair & 15] ^ flip) - flip);
        to[(index + 1) * width] =
            static_cast<int16_t>((table[pair >> 4] ^ flip) - flip);
      }
    } else {
      const uint8_t *codes = operand.codes + size_t(row) * k;
      for (uint32_t index = 0; index < k; ++index)
        to[index * width] =
            static_cast<int16_t>((table[codes[index]] ^ flip) - flip);
    }
    size_t position = block * groups + within;
    for (uint32_t scaleGroup = 0; scaleGroup < scaleGroups; ++scaleGroup) {
      Element element = operand.scale(row, scaleGroup);
      special[row] |= element.special;
      for (uint32_t group = 0; group < groupsPerScale; ++group) {
        scale[position] = element.magnitude;
        if (!element.special)
          scaleExponent[position] = element.exponent;
        position += width;
      }
    }
  }
}

template <uint32_t BlockWidth>
inline __attribute__((always_inline)) void sumGroupsBody(
    const int16_t *aValue, const int32_t *aScale, const int32_t *aScaleExponent,
    const int16_t *bValue, const int32_t *bScale, const int32_t *bScaleExponent,
    uint32_t groups, uint32_t shiftUp, BlockResult<BlockWidth> &result) {
  int32_t maximum[BlockWidth];
  for (uint32_t w = 0; w < BlockWidth; ++w)
    maximum[w] = result.maximum[w];
  for (uint32_t group = 0; group < groups; ++group)
    for (uint32_t w = 0; w < BlockWidth; ++w)
      maximum[w] =
          std::max(maximum[w], aScaleExponent[group] +
                                   bScaleExponent[group * BlockWidth + w]);
  int64_t sum[BlockWidth] = {};
  for (uint32_t group = 0; group < groups; ++group) {
    // At most 16 * 12 * 12, so 16 bits hold the sum.
    int16_t dot[BlockWidth] = {};
    for (uint32_t index = 0; index < GroupSize; ++index) {
      int16_t value = aValue[group * GroupSize + index];
      const int16_t *values = bValue + (group * GroupSize + index) * BlockWidth;
      for (uint32_t w = 0; w < BlockWidth; ++w)
        dot[w] = static_cast<int16_t>(dot[w] + value * values[w]);
    }
    const int32_t *scales = bScale + group * BlockWidth;
    const int32_t *exponents = bScaleExponent + group * BlockWidth;
    int32_t scale = aScale[group], exponent = aScaleExponent[group];
    int32_t product[BlockWidth], shift[BlockWidth];
    for (uint32_t w = 0; w < BlockWidth; ++w) {
      product[w] = dot[w] * (scale * scales[w]);
      shift[w] = std::min(maximum[w] - exponent - exponents[w], 63);
    }
    for (uint32_t w = 0; w < BlockWidth; ++w) {
      int64_t sign = product[w] < 0 ? -1 : 0;
      uint64_t magnitude = static_cast<uint64_t>((product[w] ^ sign) - sign);
      magnitude = magnitude << shiftUp >> shift[w];
      sum[w] += (static_cast<int64_t>(magnitude) ^ sign) - sign;
    }
  }
  for (uint32_t w = 0; w < BlockWidth; ++w) {
    result.maximum[w] = maximum[w];
    result.sum[w] = sum[w];
  }
}

template <uint32_t BlockWidth>
using SumGroups = void (*)(const int16_t *, const int32_t *, const int32_t *,
                           const int16_t *, const int32_t *, const int32_t *,
                           uint32_t, uint32_t, BlockResult<BlockWidth> &);

template <uint32_t BlockWidth>
void sumGroupsPortable(const int16_t *aValue, const int32_t *aScale,
                       const int32_t *aScaleExponent, const int16_t *bValue,
                       const int32_t *bScale, const int32_t *bScaleExponent,
                       uint32_t groups, uint32_t shiftUp,
                       BlockResult<BlockWidth> &result) {
  sumGroupsBody(aValue, aScale, aScaleExponent, bValue, bScale, bScaleExponent,
                groups, shiftUp, result);
}

#if BSMM_UNITS_AVX2
template <uint32_t BlockWidth>
__attribute__((target("avx2"))) void sumGroupsAvx2(
    const int16_t *aValue, const int32_t *aScale, const int32_t *aScaleExponent,
    const int16_t *bValue, const int32_t *bScale, const int32_t *bScaleExponent,
    uint32_t groups, uint32_t shiftUp, BlockResult<BlockWidth> &result) {
  sumGroupsBody(aValue, aScale, aScaleExponent, bValue, bScale, bScaleExponent,
                groups, shiftUp, result);
}
#endif

template <uint32_t BlockWidth> SumGroups<BlockWidth> sumGroupsFunction() {
#if BSMM_UNITS_AVX2
  if (haveAvx2())
    return sumGroupsAvx2<BlockWidth>;
#endif
  return sumGroupsPortable<BlockWidth>;
}

template <uint32_t BlockWidth>
void groupedBlocks(const MmaSpec &spec, const Operand &a, const Operand &b,
                   uint32_t *d, bool accumulate, size_t pitch) {
  constexpr uint32_t FractionBits = 35;
  Output output{AccumulatorFormat::F32, 0xFFFFFFFFu};
  // Quarters from the two e2m1, and the fractions of the two scales.
  uint32_t productFraction =
      spec.scaleFormat == ScaleFormat::UE4M3 ? 2 + 3 + 3 : 2;
  static thread_local GroupedOperands decoded;
  decodeGrouped(a, 1, decoded.aValue, decoded.aScale, decoded.aScaleExponent,
                decoded.aSpecial);
  decodeGrouped(b, BlockWidth, decoded.bValue, decoded.bScale,
                decoded.bScaleExponent, decoded.bSpecial);
  SumGroups<BlockWidth> sumGroups = sumGroupsFunction<BlockWidth>();
  uint32_t k = spec.k, groups = k / GroupSize;

  for (uint32_t first = 0; first < spec.n; first += BlockWidth) {
    uint32_t width = std::min(BlockWidth, spec.n - first);
    size_t bStart = size_t(first) * k, bGroup = size_t(first) * groups;
    for (uint32_t row = 0; row < spec.m; ++row) {
      uint32_t *out = d + row * pitch + first;
      Addend addends[BlockWidth];
      BlockResult<BlockWidth> result;
      for (uint32_t w = 0; w < BlockWidth; ++w) {
        addends[w] = decodeAddend(AccumulatorFormat::F32,
                                  accumulate && w < width ? out[w] : 0, 0);
        result.maximum[w] = addends[w].exponent;
      }
      size_t aGroup = size_t(row) * groups;
      sumGroups(&decoded.aValue[size_t(row) * k], &decoded.aScale[aGroup],
                &decoded.aScaleExponent[aGroup], &decoded.bValue[bStart],
                &decoded.bScale[bGroup], &decoded.bScaleExponent[bGroup],
                groups, FractionBits - productFraction, result);
      for (uint32_t w = 0; w < width; ++w) {
        const Addend &addend = addends[w];
        if (decoded.aSpecial[row] || decoded.bSpecial[first + w] ||
            addend.nan) {
          out[w] = output.nan();
          continue;
        }
        if (addend.infinity) {
          out[w] = output.infinity(addend.negative);
          continue;
        }
        int64_t sum = result.sum[w] + alignedAddend(addend, 23, FractionBits,
                                                    result.maximum[w]);
        out[w] = output.round(
            static_cast<double>(sum) *
            powerOfTwo(result.maximum[w] - static_cast<int32_t>(FractionBits)));
      }
    }
  }
}

void groupedTile(const MmaSpec &spec, const Operand &a, const Operand &b,
                 uint32_t *d, bool accumulate, size_t pitch) {
  if (spec.n <= NarrowBlock)
    groupedBlocks<NarrowBlock>(spec, a, b, d, accumulate, pitch);
  else
    groupedBlocks<WideBlock>(spec, a, b, d, accumulate, pitch);
}

//===-- Integers ----------------------------------------------------------===//

int32_t integerValue(IntegerFormat format, uint8_t byte) {
  return format == IntegerFormat::S8 ? static_cast<int8_t>(byte) : byte;
}

void integerTile(const MmaSpec &spec, const Operand &a, const Operand &b,
                 uint32_t *d, bool accumulate, size_t pitch) {
  static thread_local std::vector<int32_t> values;
  values.resize((size_t(spec.m) + spec.n) * spec.k);
  int32_t *aValues = values.data();
  int32_t *bValues = aValues + size_t(spec.m) * spec.k;
  for (size_t i = 0; i < size_t(spec.m) * spec.k; ++i)
    aValues[i] = integerValue(a.integer, a.codes[i]);
  for (size_t i = 0; i < size_t(spec.n) * spec.k; ++i)
    bValues[i] = integerValue(b.integer, b.codes[i]);
  for (uint32_t row = 0; row < spec.m; ++row)
    for (uint32_t column = 0; column < spec.n; ++column) {
      const int32_t *x = aValues + size_t(row) * spec.k;
      const int32_t *y = bValues + size_t(column) * spec.k;
      int32_t dot = 0; // at most 256 * 255 * 255
      for (uint32_t k = 0; k < spec.k; ++k)
        dot += x[k] * y[k];
      uint32_t &out = d[row * pitch + column];
      int64_t sum = int64_t(dot) + (accumulate ? static_cast<int32_t>(out) : 0);
      if (spec.saturate)
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      out = static_cast<uint32_t>(sum);
    }
}

//===-- The exact sum -----------------------------------------------------===//

/// Fixed point, two's complement, wide enough for every product of the formats
/// here: bit 0 is worth 2^LowestExponent.
class WideSum {
public:
  /// Products go down to 2^-(126 + 126 + 20) for 16- and 32-bit formats and to
  /// 2^-(28 + 254 + 8) for scaled ones; scaled C to 2^-(149 + 15).
  static constexpr int32_t LowestExponent = -320;
  static constexpr uint32_t Words = 12; ///< up to 2^447

  /// Adds (-1)^negative * magnitude * 2^exponent.
  void add(uint64_t magnitude, int32_t exponent, bool negative) {
    if (!magnitude)
      return;
    uint32_t position = static_cast<uint32_t>(exponent - LowestExponent);
    uint32_t word = position / 64, bit = position % 64;
    uint64_t low = magnitude << bit;
    uint64_t high = bit ? magnitude >> (64 - bit) : 0;
    if (!negative) {
      uint64_t carry = addWord(word, low);
      carry = addWord(word + 1, high, carry);
      for (uint32_t i = word + 2; carry && i < Words; ++i)
        carry = addWord(i, 0, carry);
    } else {
      uint64_t borrow = subtractWord(word, low);
      borrow = subtractWord(word + 1, high, borrow);
      for (uint32_t i = word + 2; borrow && i < Words; ++i)
        borrow = subtractWord(i, 0, borrow);
    }
  }

  /// The sum to nearest even as f32 bits or f16 code; zero is +0.
  uint32_t round(AccumulatorFormat format) {
    bool negative = words[Words - 1] >> 63;
    if (negative) {
      uint64_t carry = 1;
      for (uint64_t &word : words) {
        word = ~word + carry;
        carry = carry && word == 0;
      }
    }
    int32_t top = -1;
    for (uint32_t i = Words; i-- > 0 && top < 0;)
      if (words[i])
        top = static_cast<int32_t>(64 * i + 63) - __builtin_clzll(words[i]);
    if (top < 0)
      return 0;
    // 53 bits with a sticky last one round like the whole: every target keeps
    // at most 24, so the sticky bit is always below the rounding bit.
    int32_t lowest = std::max(top - 52, 0);
    uint64_t significand = 0;
    for (int32_t i = top; i >= lowest; --i)
      significand = significand << 1 | bitAt(static_cast<uint32_t>(i));
    bool sticky = false;
    for (int32_t i = 0; i < lowest && !sticky; ++i)
      sticky = bitAt(static_cast<uint32_t>(i));
    significand |= sticky;
    double value =
        static_cast<double>(significand) * powerOfTwo(lowest + LowestExponent);
    uint32_t code =
        encodeFromDouble(format == AccumulatorFormat::F16 ? NumberFormat::F16
                                                          : NumberFormat::F32,
                         negative ? -value : value);
    uint32_t signBit = format == AccumulatorFormat::F16 ? 0x8000 : 0x80000000;
    return code == signBit ? 0 : code;
  }

private:
  uint64_t addWord(uint32_t index, uint64_t value, uint64_t carry = 0) {
    uint64_t partial = words[index] + value;
    uint64_t out = partial < value;
    words[index] = partial + carry;
    return out | (words[index] < partial);
  }
  uint64_t subtractWord(uint32_t index, uint64_t value, uint64_t borrow = 0) {
    uint64_t partial = words[index] - value;
    uint64_t out = words[index] < value;
    words[index] = partial - borrow;
    return out | (partial < borrow);
  }
  bool bitAt(uint32_t position) const {
    return words[position / 64] >> position % 64 & 1;
  }

  uint64_t words[Words] = {};
};

/// One element with its scale, ready for an exact product.
struct ExactElement {
  uint32_t magnitude;
  int32_t exponent; ///< of the least significant bit
  bool negative;
  bool special;
};

void decodeExact(const Operand &operand, std::vector<ExactElement> &elements,
                 std::vector<uint8_t> &special) {
  elements.resize(size_t(operand.rows) * operand.k);
  special.assign(operand.rows, 0);
  int32_t fraction = formatTraits(operand.format).fractionBits;
  int32_t scaleFraction = operand.scaleFormat == ScaleFormat::UE4M3 ? 3 : 0;
  operand.forEach([&](uint32_t row, uint32_t index, const Element &element) {
    ExactElement exact{static_cast<uint32_t>(element.magnitude),
                       element.exponent - fraction, element.sign != 0,
                       element.special};
    if (operand.scaled()) {
      Element scale = operand.scale(row, index / operand.scaleBlock);
      exact.magnitude *= static_cast<uint32_t>(scale.magnitude);
      exact.exponent += scale.exponent - scaleFraction;
      exact.special |= scale.special;
    }
    special[row] |= exact.special;
    elements[size_t(row) * operand.k + index] = exact;
  });
}

void exactTile(const MmaSpec &spec, const Operand &a, const Operand &b,
               uint32_t *d, bool accumulate, size_t pitch) {
  static thread_local std::vector<ExactElement> aElements, bElements;
  static thread_local std::vector<uint8_t> aSpecial, bSpecial;
  decodeExact(a, aElements, aSpecial);
  decodeExact(b, bElements, bSpecial);
  Output output{spec.accumulator, 0xFFFFFFFFu};
  int32_t addendFraction =
      static_cast<int32_t>(addendFractionBits(spec.accumulator));
  for (uint32_t row = 0; row < spec.m; ++row)
    for (uint32_t column = 0; column < spec.n; ++column) {
      uint32_t &out = d[row * pitch + column];
      Addend addend = decodeAddend(spec.accumulator, accumulate ? out : 0,
                                   spec.scaleInputD);
      if ((aSpecial[row] || bSpecial[column] || addend.nan ||
           addend.infinity) &&
          specialResult(a, b, row, column, &addend, output, out))
        continue;
      WideSum sum;
      sum.add(addend.magnitude, addend.exponent - addendFraction,
              addend.negative);
      const ExactElement *x = &aElements[size_t(row) * spec.k];
      const ExactElement *y = &bElements[size_t(column) * spec.k];
      for (uint32_t k = 0; k < spec.k; ++k)
        sum.add(uint64_t(x[k].magnitude) * y[k].magnitude,
                x[k].exponent + y[k].exponent, x[k].negative ^ y[k].negative);
      out = sum.round(spec.accumulator);
    }
}

} // namespace

AccumulationRule accumulationRule(TensorInstruction instruction,
                                  NumberFormat aFormat, bool blockScaledFp4) {
  if (blockScaledFp4)
    return AccumulationRule::GroupedFraction35;
  bool eightBits = formatTraits(aFormat).storageBits <= 8;
  if (instruction == TensorInstruction::Wgmma && eightBits)
    return AccumulationRule::Fraction13;
  if (instruction == TensorInstruction::MmaSyncSm90 && eightBits)
    return AccumulationRule::SplitFraction25;
  return AccumulationRule::Fraction25;
}

std::string checkMmaSpec(const MmaSpec &spec) {
  if (spec.m == 0 || spec.m > 256 || spec.n == 0 || spec.n > 256)
    return "expected M and N from 1 to 256, got " + std::to_string(spec.m) +
           " and " + std::to_string(spec.n);
  if (spec.k == 0 || spec.k > MaximumK)
    return "expected K from 1 to " + std::to_string(MaximumK) + ", got " +
           std::to_string(spec.k);
  if (spec.rule == AccumulationRule::Integer) {
    if (spec.aInteger == IntegerFormat::None ||
        spec.bInteger == IntegerFormat::None ||
        spec.accumulator != AccumulatorFormat::S32)
      return "expected 8-bit integer operands and an s32 accumulator for an "
             "integer MMA";
    if (spec.packedA || spec.packedB || spec.negateA || spec.negateB ||
        spec.scaleFormat != ScaleFormat::None || spec.scaleInputD)
      return "expected no packing, negation or scaling for an integer MMA";
    return "";
  }
  if (spec.aInteger != IntegerFormat::None ||
      spec.bInteger != IntegerFormat::None ||
      spec.accumulator == AccumulatorFormat::S32)
    return "expected floating-point operands and an f32 or f16 accumulator";
  if (spec.saturate)
    return "expected no saturation for floating-point operands";
  for (NumberFormat format : {spec.aFormat, spec.bFormat})
    if (format == NumberFormat::F32 || format == NumberFormat::UE8M0 ||
        format == NumberFormat::UE4M3)
      return std::string("expected an operand format of the tensor cores, "
                         "got ") +
             formatTraits(format).name;
  if ((spec.packedA && spec.aFormat != NumberFormat::E2M1) ||
      (spec.packedB && spec.bFormat != NumberFormat::E2M1))
    return "expected e2m1 elements for a packed operand";
  if ((spec.packedA || spec.packedB) && spec.k % 2 != 0)
    return "expected an even K for a packed operand, got " +
           std::to_string(spec.k);
  if (spec.scaleInputD > 15)
    return "expected scale-input-d from 0 to 15, got " +
           std::to_string(spec.scaleInputD);
  bool scaled = spec.scaleFormat != ScaleFormat::None;
  if (scaled && (spec.scaleBlock == 0 || spec.k % spec.scaleBlock != 0))
    return "expected K to be a multiple of the scale block, got K = " +
           std::to_string(spec.k) + " and blocks of " +
           std::to_string(spec.scaleBlock);
  if (scaled && spec.accumulator != AccumulatorFormat::F32)
    return "expected an f32 accumulator for a block-scaled MMA";
  switch (spec.rule) {
  case AccumulationRule::Fraction13:
    if (codeBytes(spec.aFormat) + codeBytes(spec.bFormat) != 2)
      return "expected operands of at most 8 bits with 13 fraction bits";
    if (scaled)
      return "expected no block scales with 13 fraction bits";
    break;
  case AccumulationRule::Fraction25:
    if (spec.scaleFormat == ScaleFormat::UE4M3)
      return "expected ue8m0 scales with products aligned one by one, got "
             "ue4m3";
    break;
  case AccumulationRule::SplitFraction25:
    if (scaled || spec.packedA || spec.packedB || spec.scaleInputD ||
        codeBytes(spec.aFormat) + codeBytes(spec.bFormat) != 2 ||
        spec.k % 4 != 0)
      return "expected unscaled 8-bit operands and a K of whole groups of 4 "
             "for sums in two halves";
    break;
  case AccumulationRule::GroupedFraction35:
    if (spec.aFormat != NumberFormat::E2M1 ||
        spec.bFormat != NumberFormat::E2M1 || !scaled)
      return "expected block-scaled e2m1 operands for sums in groups of 16";
    if (spec.scaleBlock % GroupSize != 0 || spec.scaleInputD)
      return "expected scale blocks of 16 or 32 and no scale-input-d for sums "
             "in groups of 16";
    break;
  case AccumulationRule::Exact:
    if (scaled && codeBytes(spec.aFormat) + codeBytes(spec.bFormat) != 2)
      return "expected block scales only with operands of at most 8 bits";
    break;
  case AccumulationRule::Integer:
    break;
  }
  return "";
}

std::string mmaTile(const MmaSpec &spec, const uint8_t *a, const uint8_t *b,
                    const uint8_t *sfa, const uint8_t *sfb, uint32_t *d,
                    bool accumulate, size_t dPitch) {
  std::string error = checkMmaSpec(spec);
  if (!error.empty())
    return error;
  size_t pitch = dPitch ? dPitch : spec.n;
  Operand aOperand{a,
                   sfa,
                   spec.aFormat,
                   spec.aInteger,
                   spec.packedA,
                   spec.negateA,
                   spec.m,
                   spec.k,
                   spec.scaleFormat,
                   spec.scaleBlock};
  Operand bOperand{b,
                   sfb,
                   spec.bFormat,
                   spec.bInteger,
                   spec.packedB,
                   spec.negateB,
                   spec.n,
                   spec.k,
                   spec.scaleFormat,
                   spec.scaleBlock};
  switch (spec.rule) {
  case AccumulationRule::Fraction13:
  case AccumulationRule::Fraction25:
    productTile(spec, aOperand, bOperand, d, accumulate, pitch);
    break;
  case AccumulationRule::SplitFraction25:
    splitTile(spec, aOperand, bOperand, d, accumulate, pitch);
    break;
  case AccumulationRule::GroupedFraction35:
    groupedTile(spec, aOperand, bOperand, d, accumulate, pitch);
    break;
  case AccumulationRule::Integer:
    integerTile(spec, aOperand, bOperand, d, accumulate, pitch);
    break;
  case AccumulationRule::Exact:
    exactTile(spec, aOperand, bOperand, d, accumulate, pitch);
    break;
  }
  return "";
}

} // namespace bsmm::emulator::units
