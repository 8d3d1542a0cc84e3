//===- Quantize.cpp - NVFP4 and MX quantisation in C ----------------------===//

#include "FloatCodes.h"
#include "NumberArguments.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/bsmm_numbers.h"
#include <cmath>
#include <limits>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;
using target::ElementType;

namespace {

/// Largest block of one scale.
constexpr int64_t maxVector = 32;

constexpr float maxE2M1 = 6, maxE4M3 = 448;

/// Values, codes and scales of one call, checked.
struct Arrays {
  ElementType valueType = ElementType::None;
  ElementType codeType = ElementType::None;
  Extents values, codes, scales;
  int64_t vector = 0;
  int64_t scaleBatchBytes = 0; // blocked
};

/// Where the scale of a group lies.
class ScaleOrder {
public:
  ScaleOrder(const bsmm_block_scales &scales, const Arrays &arrays)
      : blocked(scales.layout == BSMM_LAYOUT_BLOCKED_128X4),
        extents(arrays.scales) {}

  int64_t operator()(int64_t batch, int64_t row, int64_t group) const {
    return batch * extents.batchStride +
           (blocked ? scaleTileOffset(row, group, extents.columns)
                    : row * extents.pitch + group);
  }

private:
  bool blocked;
  const Extents &extents;
};

} // namespace

static std::string typeName(bsmm_element type) {
  return elementType(type) == ElementType::None
             ? "type number " + std::to_string(static_cast<int>(type))
             : std::string(bsmm_element_name(type));
}

static std::string checkValues(const bsmm_values *values, Arrays &arrays,
                               bool resultsAreWritten) {
  if (!values)
    return "values: expected an address, got null";
  arrays.valueType = elementType(values->type);
  bool isLegal = arrays.valueType == ElementType::F32;
  if (!resultsAreWritten)
    isLegal |= arrays.valueType == ElementType::F16 ||
               arrays.valueType == ElementType::BF16;
  if (!isLegal)
    return std::string("values: type: expected ") +
           (resultsAreWritten ? "f32" : "f32, f16 or bf16") + ", got " +
           typeName(values->type);
  arrays.values = {values->batches, values->rows, values->columns,
                   values->pitch, values->batch_stride};
  std::string error =
      checkExtents("values", target::bitWidth(arrays.valueType), arrays.values);
  if (error.empty() && !values->data && !arrays.values.isEmpty())
    return "values: data: expected an address, got null";
  return error;
}

static std::string check(const bsmm_values *values, const bsmm_codes *codes,
                         const bsmm_block_scales *scales, int64_t vector,
                         Arrays &arrays, bool resultsAreWritten = false) {
  std::string error = checkValues(values, arrays, resultsAreWritten);
  if (!error.empty())
    return error;
  if (!codes || !scales)
    return std::string(codes ? "scales" : "codes") +
           ": expected an address, got null";
  if (vector != 16 && vector != 32)
    return "vector: expected 16 or 32, got " + std::to_string(vector);
  arrays.vector = vector;
  arrays.codeType = elementType(codes->type);
  switch (arrays.codeType) {
  case ElementType::E2M1:
  case ElementType::E2M3:
  case ElementType::E3M2:
  case ElementType::E4M3:
  case ElementType::E5M2:
    break;
  default:
    return "codes: type: expected e2m1, e2m3, e3m2, e4m3 or e5m2, got " +
           typeName(codes->type);
  }
  arrays.codes = {values->batches, values->rows, values->columns, codes->pitch,
                  codes->batch_stride};
  error =
      checkExtents("codes", target::bitWidth(arrays.codeType), arrays.codes);
  if (!error.empty())
    return error;
  if (scales->layout != BSMM_LAYOUT_ROWS &&
      scales->layout != BSMM_LAYOUT_BLOCKED_128X4)
    return "scales: layout: expected BSMM_LAYOUT_ROWS or "
           "BSMM_LAYOUT_BLOCKED_128X4, got " +
           std::to_string(static_cast<int>(scales->layout));
  int64_t groups = bsmm_scale_groups(values->columns, vector);
  bool isBlocked = scales->layout == BSMM_LAYOUT_BLOCKED_128X4;
  arrays.scales = {values->batches, values->rows, groups,
                   isBlocked ? 0 : scales->pitch,
                   isBlocked ? 0 : scales->batch_stride};
  error = checkExtents("scales", 8, arrays.scales);
  if (!error.empty())
    return error;
  if (isBlocked) {
    int64_t bytes = blockedBytes(values->rows, groups);
    int64_t stride = scales->batch_stride == 0 ? bytes : scales->batch_stride;
    if (bytes < 0 || (values->batches > 1 && stride < bytes))
      return "scales: batch stride: expected at least the " +
             std::to_string(bytes) + " bytes of the tiles, got " +
             std::to_string(scales->batch_stride);
    if (multiplyAdd(stride < 0 ? bytes : stride, values->batches, bytes) < 0)
      return "scales: the array is too large";
    arrays.scales.batchStride = values->batches > 1 ? stride : 0;
    arrays.scaleBatchBytes = bytes;
  }
  if (!arrays.values.isEmpty() && (!codes->data || !scales->data))
    return std::string(codes->data ? "scales" : "codes") +
           ": data: expected an address, got null";
  return "";
}

/// Bits of f32 values of a piece of a row.
static void loadBits(ElementType type, const void *data, int64_t at,
                     int64_t count, uint32_t *bits) {
  if (type == ElementType::F32) {
    std::memcpy(bits, static_cast<const uint8_t *>(data) + 4 * at,
                static_cast<size_t>(count) * 4);
    return;
  }
  uint16_t halves[maxVector];
  std::memcpy(halves, static_cast<const uint8_t *>(data) + 2 * at,
              static_cast<size_t>(count) * 2);
  for (int64_t i = 0; i < count; ++i)
    bits[i] =
        type == ElementType::F16 ? widenF16(halves[i]) : widenBF16(halves[i]);
}

/// Calls quantizeGroup(bits, count, largestMagnitudeBits, codes) -> scale for
/// each group, and stores what comes out.
template <typename QuantizeGroup>
static void quantizeRows(const bsmm_values &values, const bsmm_codes &codes,
                         const bsmm_block_scales &scales, const Arrays &arrays,
                         uint8_t nanScale, QuantizeGroup quantizeGroup) {
  if (arrays.values.isEmpty())
    return;
  ScaleOrder scaleAt(scales, arrays);
  if (scales.layout == BSMM_LAYOUT_BLOCKED_128X4)
    for (int64_t batch = 0; batch < values.batches; ++batch)
      std::memset(scales.data + batch * arrays.scales.batchStride,
                  scales.padding, static_cast<size_t>(arrays.scaleBatchBytes));
  unsigned bits = target::bitWidth(arrays.codeType);
  for (int64_t batch = 0; batch < values.batches; ++batch)
    for (int64_t row = 0; row < values.rows; ++row) {
      int64_t first =
          batch * arrays.values.batchStride + row * arrays.values.pitch;
      uint8_t *out =
          static_cast<uint8_t *>(codes.data) +
          (batch * arrays.codes.batchStride + row * arrays.codes.pitch) * bits /
              8;
      for (int64_t group = 0; group < arrays.scales.columns; ++group) {
        int64_t begin = group * arrays.vector;
        int64_t count = values.columns - begin;
        if (count > arrays.vector)
          count = arrays.vector;
        uint32_t value[maxVector], code[maxVector];
        loadBits(arrays.valueType, values.data, first + begin, count, value);
        uint32_t largest = 0;
        for (int64_t i = 0; i < count; ++i) {
          uint32_t magnitude = value[i] & 0x7FFFFFFF;
          largest = magnitude > largest ? magnitude : largest;
        }
        uint8_t scale = nanScale;
        if (largest >= infinityBits)
          std::memset(code, 0, sizeof(code));
        else
          scale = quantizeGroup(value, count, largest, code);
        scales.data[scaleAt(batch, row, group)] = scale;
        for (int64_t i = 0; i < count; ++i)
          appendCode(out, begin + i, bits, code[i]);
      }
    }
}

//===----------------------------------------------------------------------===//
// NVFP4
//===----------------------------------------------------------------------===//

bsmm_status bsmm_largest_magnitude(const bsmm_values *values, float *amax) {
  return guarded([&]() -> bsmm_status {
    Arrays arrays;
    std::string error =
        checkValues(values, arrays, /*resultsAreWritten=*/false);
    if (error.empty() && !amax)
      error = "amax: expected an address, got null";
    if (!error.empty())
      return invalidArgument(error);
    uint32_t largest = 0;
    for (int64_t batch = 0; batch < values->batches; ++batch)
      for (int64_t row = 0; row < values->rows; ++row) {
        int64_t first =
            batch * arrays.values.batchStride + row * arrays.values.pitch;
        for (int64_t at = 0; at < values->columns; at += maxVector) {
          int64_t count = values->columns - at;
          if (count > maxVector)
            count = maxVector;
          uint32_t bits[maxVector];
          loadBits(arrays.valueType, values->data, first + at, count, bits);
          for (int64_t i = 0; i < count; ++i) {
            uint32_t magnitude = bits[i] & 0x7FFFFFFF;
            if (magnitude < infinityBits && magnitude > largest)
              largest = magnitude;
          }
        }
      }
    *amax = floatOf(largest);
    return BSMM_OK;
  });
}

float bsmm_nvfp4_global_scale(float amax) {
  if (!(amax >= 0) || std::isinf(amax))
    return std::numeric_limits<float>::quiet_NaN();
  if (amax == 0)
    return 1;
  float scale = amax / (maxE4M3 * maxE2M1);
  float smallest = std::numeric_limits<float>::min();
  return scale < smallest ? smallest : scale;
}

bsmm_status bsmm_quantize_nvfp4(const bsmm_values *values, float global_scale,
                                float min_scale, const bsmm_codes *codes,
                                const bsmm_block_scales *scales) {
  return guarded([&]() -> bsmm_status {
    Arrays arrays;
    std::string error = check(values, codes, scales, 16, arrays);
    if (error.empty() && arrays.codeType != ElementType::E2M1)
      error = "codes: type: expected e2m1, got " + typeName(codes->type);
    if (error.empty() && !(global_scale > 0 && std::isfinite(global_scale)))
      error = "global_scale: expected a positive finite number, got " +
              std::to_string(global_scale);
    if (error.empty() && !(min_scale >= 0 && min_scale <= maxE4M3))
      error = "min_scale: expected a number from 0 to 448, got " +
              std::to_string(min_scale);
    if (!error.empty())
      return invalidArgument(error);

    const CodeFormat e2m1 = codeFormat(ElementType::E2M1);
    const CodeFormat ue4m3 = codeFormat(ElementType::UE4M3);
    float scaleValues[128];
    for (unsigned code = 0; code < 128; ++code)
      scaleValues[code] =
          static_cast<float>(runtime::decode(ElementType::UE4M3, code));
    quantizeRows(
        *values, *codes, *scales, arrays, /*nanScale=*/0x7F,
        [&](const uint32_t *bits, int64_t count, uint32_t largest,
            uint32_t *code) -> uint8_t {
          float scale = floatOf(largest) / maxE2M1 / global_scale;
          scale = scale < min_scale ? min_scale : scale;
          uint32_t scaleCode = encodeF32(ue4m3, bitsOf(scale));
          float total = global_scale * scaleValues[scaleCode];
          for (int64_t i = 0; i < count; ++i)
            code[i] = total == 0
                          ? bits[i] >> 31 << 3
                          : encodeF32(e2m1, bitsOf(floatOf(bits[i]) / total));
          return static_cast<uint8_t>(scaleCode);
        });
    return BSMM_OK;
  });
}

//===----------------------------------------------------------------------===//
// MX
//===----------------------------------------------------------------------===//

/// Exponent of the block scale, -127..127, of a largest magnitude.
static int blockExponent(uint32_t largest, bsmm_exponent_rule rule,
                         const Normalized &typeMax) {
  if (largest == 0)
    return -127;
  Normalized value = normalize(largest);
  int exponent = value.exponent - typeMax.exponent;
  // amax <= max * 2^exponent compares the fractions: no rounding anywhere.
  if (rule == BSMM_EXPONENT_ROUND_UP && value.mantissa > typeMax.mantissa)
    ++exponent;
  return exponent < -127 ? -127 : exponent > 127 ? 127 : exponent;
}

bsmm_status bsmm_quantize_mx(const bsmm_values *values, bsmm_exponent_rule rule,
                             int64_t vector, const bsmm_codes *codes,
                             const bsmm_block_scales *scales) {
  return guarded([&]() -> bsmm_status {
    Arrays arrays;
    std::string error = check(values, codes, scales, vector, arrays);
    if (error.empty() && rule != BSMM_EXPONENT_FLOOR &&
        rule != BSMM_EXPONENT_ROUND_UP)
      error = "rule: expected BSMM_EXPONENT_FLOOR or BSMM_EXPONENT_ROUND_UP, "
              "got " +
              std::to_string(static_cast<int>(rule));
    if (error.empty() && vector == 16 && arrays.codeType != ElementType::E2M1)
      error = "vector: expected 32 for " + typeName(codes->type) +
              ", got 16, which only e2m1 has";
    if (!error.empty())
      return invalidArgument(error);

    const CodeFormat format = codeFormat(arrays.codeType);
    const Normalized typeMax = normalize(
        bitsOf(static_cast<float>(target::info(arrays.codeType).maxFinite)));
    quantizeRows(*values, *codes, *scales, arrays, /*nanScale=*/0xFF,
                 [&](const uint32_t *bits, int64_t count, uint32_t largest,
                     uint32_t *code) -> uint8_t {
                   int exponent = blockExponent(largest, rule, typeMax);
                   for (int64_t i = 0; i < count; ++i)
                     code[i] = encodeF32(format, bits[i],
                                         BSMM_OVERFLOW_SATURATE, exponent);
                   return static_cast<uint8_t>(exponent + 127);
                 });
    return BSMM_OK;
  });
}

//===----------------------------------------------------------------------===//
// Back to f32
//===----------------------------------------------------------------------===//

bsmm_status bsmm_dequantize(const bsmm_codes *codes,
                            const bsmm_block_scales *scales,
                            bsmm_element scale_type, int64_t vector,
                            float global_scale, const bsmm_values *values) {
  return guarded([&]() -> bsmm_status {
    Arrays arrays;
    std::string error = check(values, codes, scales, vector, arrays,
                              /*resultsAreWritten=*/true);
    ElementType scaleType = elementType(scale_type);
    if (error.empty() && scaleType != ElementType::UE8M0 &&
        scaleType != ElementType::UE4M3)
      error =
          "scale_type: expected ue8m0 or ue4m3, got " + typeName(scale_type);
    if (!error.empty())
      return invalidArgument(error);
    if (arrays.values.isEmpty())
      return BSMM_OK;
    unsigned bits = target::bitWidth(arrays.codeType);
    float codeValues[256], scaleValues[256];
    for (unsigned code = 0; code < 256; ++code) {
      codeValues[code] =
          static_cast<float>(runtime::decode(arrays.codeType, code));
      scaleValues[code] = static_cast<float>(runtime::decode(scaleType, code));
    }
    ScaleOrder scaleAt(*scales, arrays);
    // The caller's description of where results go.
    auto *out = static_cast<float *>(const_cast<void *>(values->data));
    for (int64_t batch = 0; batch < values->batches; ++batch)
      for (int64_t row = 0; row < values->rows; ++row) {
        auto *in =
            static_cast<const uint8_t *>(codes->data) +
            (batch * arrays.codes.batchStride + row * arrays.codes.pitch) *
                bits / 8;
        float *line =
            out + batch * arrays.values.batchStride + row * arrays.values.pitch;
        for (int64_t column = 0; column < values->columns; ++column) {
          uint8_t scale =
              scales->data[scaleAt(batch, row, column / arrays.vector)];
          line[column] = codeValues[loadCode(in, column, bits)] *
                         scaleValues[scale] * global_scale;
        }
      }
    return BSMM_OK;
  });
}
