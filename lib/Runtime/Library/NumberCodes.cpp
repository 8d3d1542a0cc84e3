//===- NumberCodes.cpp - types, sizes, codes and packing in C -------------===//

#include "FloatCodes.h"
#include "NumberArguments.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/bsmm_numbers.h"

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;
using target::ElementType;

bsmm_element bsmm_element_from_name(const char *name) {
  if (!name)
    return BSMM_ELEMENT_NONE;
  return static_cast<bsmm_element>(target::elementTypeFromName(name));
}

double bsmm_element_max(bsmm_element type) {
  return target::info(elementType(type)).maxFinite;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Bits of a packed code, signed for arithmetic; 0 for what is no type.
static int64_t bitsOfCode(bsmm_element type) {
  return target::bitWidth(elementType(type));
}

static int64_t roundUp(int64_t value, int64_t step) {
  if (value < 0 || step <= 0 || value > INT64_MAX - (step - 1))
    return -1;
  return (value + step - 1) / step * step;
}

int64_t bsmm_packed_bytes(bsmm_element type, int64_t count) {
  int64_t bits = multiplyAdd(bitsOfCode(type), count, 7);
  return bitsOfCode(type) == 0 || bits < 0 ? -1 : bits / 8;
}

int64_t bsmm_padded_pitch(bsmm_element type, int64_t columns) {
  int64_t bits = bitsOfCode(type);
  if (bits == 0)
    return -1;
  // A padded sub-byte map of 6-bit codes wants whole 128 codes (96 bytes).
  return roundUp(columns, bits == 6 ? 128 : 128 / bits);
}

int64_t bsmm_scale_groups(int64_t columns, int64_t vector) {
  if (columns < 0 || vector <= 0)
    return -1;
  return columns / vector + (columns % vector != 0);
}

int64_t bsmm_blocked_rows(int64_t rows) { return roundUp(rows, 128); }

int64_t bsmm_blocked_groups(int64_t groups) { return roundUp(groups, 4); }

int64_t bsmm_blocked_bytes(int64_t rows, int64_t groups, int64_t batches) {
  return multiplyAdd(blockedBytes(rows, groups), batches);
}

int64_t bsmm_blocked_offset(int64_t row, int64_t group, int64_t groups) {
  if (row < 0 || group < 0 || group >= groups || row > INT64_MAX - 128 ||
      blockedBytes(row + 1, groups) < 0)
    return -1;
  return scaleTileOffset(row, group, groups);
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

static bool isFloatOfAtMost16Bits(ElementType type) {
  const target::ElementInfo &info = target::info(type);
  return info.isFloat && info.bits <= 16;
}

static std::string typeError(const char *argument, const char *expected,
                             bsmm_element type) {
  return std::string(argument) + ": expected " + expected + ", got " +
         (elementType(type) == ElementType::None
              ? "type number " + std::to_string(static_cast<int>(type))
              : std::string(bsmm_element_name(type)));
}

static std::string checkArray(const char *name, const void *data, int64_t count,
                              int bits) {
  if (count < 0)
    return "count: expected at least 0, got " + std::to_string(count);
  if (multiplyAdd(count, bits, 7) < 0)
    return "count: the array is too large";
  if (count > 0 && !data)
    return std::string(name) + ": expected an address, got null";
  return "";
}

bsmm_status bsmm_encode(bsmm_element type, bsmm_overflow overflow,
                        bsmm_element value_type, const void *values,
                        int64_t count, void *packed) {
  return guarded([&]() -> bsmm_status {
    ElementType to = elementType(type), from = elementType(value_type);
    if (!isFloatOfAtMost16Bits(to))
      return invalidArgument(
          typeError("type", "a floating-point type of at most 16 bits", type));
    if (overflow != BSMM_OVERFLOW_SATURATE &&
        overflow != BSMM_OVERFLOW_INFINITY)
      return invalidArgument("overflow: expected BSMM_OVERFLOW_SATURATE or "
                             "BSMM_OVERFLOW_INFINITY, "
                             "got " +
                             std::to_string(static_cast<int>(overflow)));
    if (from != ElementType::F32 && from != ElementType::F16 &&
        from != ElementType::BF16 && from != ElementType::F64)
      return invalidArgument(
          typeError("value_type", "f32, f16, bf16 or f64", value_type));
    unsigned bits = target::bitWidth(to);
    std::string error =
        checkArray("values", values, count, target::bitWidth(from));
    if (error.empty())
      error = checkArray("packed", packed, count, bits);
    if (!error.empty())
      return invalidArgument(error);

    auto *out = static_cast<uint8_t *>(packed);
    auto *in = static_cast<const uint8_t *>(values);
    const CodeFormat format = codeFormat(to);
    for (int64_t i = 0; i < count; ++i) {
      uint64_t code;
      if (from == ElementType::F64 || to == ElementType::UE8M0) {
        // One rounding: f64 values must not pass through f32.
        double value = decode(from, loadCode(in, i, target::bitWidth(from)));
        code = encode(to, value,
                      overflow == BSMM_OVERFLOW_INFINITY ? Overflow::Infinity
                                                         : Overflow::Saturate);
      } else {
        uint32_t value;
        if (from == ElementType::F32) {
          std::memcpy(&value, in + 4 * i, 4);
        } else {
          uint16_t half;
          std::memcpy(&half, in + 2 * i, 2);
          value = from == ElementType::F16 ? widenF16(half) : widenBF16(half);
        }
        code = encodeF32(format, value, overflow);
      }
      appendCode(out, i, bits, code);
    }
    return BSMM_OK;
  });
}

bsmm_status bsmm_decode(bsmm_element type, const void *packed, int64_t count,
                        float *values) {
  return guarded([&]() -> bsmm_status {
    ElementType from = elementType(type);
    if (!isFloatOfAtMost16Bits(from) && from != ElementType::F32)
      return invalidArgument(typeError(
          "type", "f32 or a floating-point type of at most 16 bits", type));
    unsigned bits = target::bitWidth(from);
    std::string error = checkArray("packed", packed, count, bits);
    if (error.empty())
      error = checkArray("values", values, count, 32);
    if (!error.empty())
      return invalidArgument(error);
    auto *in = static_cast<const uint8_t *>(packed);
    if (bits == 32) {
      std::memmove(values, in, static_cast<size_t>(count) * 4);
      return BSMM_OK;
    }
    if (bits == 16) {
      for (int64_t i = 0; i < count; ++i) {
        uint16_t half;
        std::memcpy(&half, in + 2 * i, 2);
        values[i] = floatOf(from == ElementType::F16 ? widenF16(half)
                                                     : widenBF16(half));
      }
      return BSMM_OK;
    }
    // At most 256 different values: on the stack, computed once.
    float table[256];
    for (unsigned code = 0; code < 1u << bits; ++code)
      table[code] = static_cast<float>(runtime::decode(from, code));
    for (int64_t i = 0; i < count; ++i)
      values[i] = table[loadCode(in, i, bits)];
    return BSMM_OK;
  });
}

static std::string checkPacking(int bits, const void *from,
                                const char *fromName, const void *to,
                                const char *toName, int64_t count) {
  if (bits != 4 && bits != 6)
    return "bits: expected 4 or 6, got " + std::to_string(bits);
  std::string error = checkArray(fromName, from, count, 8);
  return error.empty() ? checkArray(toName, to, count, 8) : error;
}

bsmm_status bsmm_pack(int bits, const uint8_t *codes, int64_t count,
                      uint8_t *packed) {
  return guarded([&]() -> bsmm_status {
    std::string error =
        checkPacking(bits, codes, "codes", packed, "packed", count);
    if (!error.empty())
      return invalidArgument(error);
    for (int64_t i = 0; i < count; ++i)
      appendCode(packed, i, static_cast<unsigned>(bits),
                 codes[i] & ((1u << bits) - 1));
    return BSMM_OK;
  });
}

bsmm_status bsmm_unpack(int bits, const uint8_t *packed, int64_t count,
                        uint8_t *codes) {
  return guarded([&]() -> bsmm_status {
    std::string error =
        checkPacking(bits, packed, "packed", codes, "codes", count);
    if (!error.empty())
      return invalidArgument(error);
    for (int64_t i = 0; i < count; ++i)
      codes[i] = static_cast<uint8_t>(
          loadCode(packed, i, static_cast<unsigned>(bits)));
    return BSMM_OK;
  });
}
