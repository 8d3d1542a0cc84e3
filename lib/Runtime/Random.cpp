//===- Random.cpp - seeded codes over the full range ----------------------===//

#include "bsmm/Runtime/Random.h"
#include <cmath>

using namespace bsmm;
using namespace bsmm::runtime;

std::vector<uint32_t> runtime::codesIn(target::ElementType type,
                                       const CodeRange &range) {
  std::vector<uint32_t> codes;
  std::vector<double> values = decodeTable(type);
  for (size_t code = 0; code < values.size(); ++code) {
    double value = values[code];
    double magnitude = std::fabs(value);
    bool keep;
    if (std::isnan(value))
      keep = range.nan;
    else if (std::isinf(value))
      keep = range.infinity;
    else if (value == 0)
      keep = range.zero;
    else
      keep = magnitude >= range.minMagnitude && magnitude <= range.maxMagnitude;
    if (keep)
      codes.push_back(static_cast<uint32_t>(code));
  }
  return codes;
}

int64_t runtime::bytesOf(const RowsShape &shape) {
  int64_t bits = target::bitWidth(shape.type);
  if (shape.rows < 0 || shape.columns < 0 || shape.pitch < shape.columns ||
      shape.batches < 0 || shape.batchStride < 0 || bits == 0)
    return -1;
  int64_t last, rows, elements, all;
  if (__builtin_mul_overflow(shape.rows, shape.pitch, &rows) ||
      __builtin_mul_overflow(shape.batches > 0 ? shape.batches - 1 : 0,
                             shape.batchStride, &last) ||
      __builtin_add_overflow(rows, last, &elements) ||
      __builtin_mul_overflow(elements, bits, &all) || all > INT64_MAX - 7)
    return -1;
  if (shape.batches == 0)
    return 0;
  if (shape.batches > 1 && shape.batchStride < rows)
    return -1;
  if (shape.pitch * bits % 8 != 0 || shape.batchStride % 8 * bits % 8 != 0)
    return -1;
  return (all + 7) / 8;
}

std::vector<uint8_t> runtime::randomRows(Random &random, const RowsShape &shape,
                                         const CodeRange &range,
                                         uint8_t poison) {
  int64_t bytes = bytesOf(shape);
  std::vector<uint32_t> codes = codesIn(shape.type, range);
  if (bytes < 0 || codes.empty())
    return {};
  std::vector<uint8_t> data(static_cast<size_t>(bytes), poison);
  unsigned bits = target::bitWidth(shape.type);
  for (int64_t batch = 0; batch < shape.batches; ++batch)
    for (int64_t row = 0; row < shape.rows; ++row) {
      uint8_t *begin =
          data.data() +
          (batch * shape.batchStride + row * shape.pitch) * bits / 8;
      for (int64_t column = 0; column < shape.columns; ++column)
        storeCode(begin, column, bits, codes[random.below(codes.size())]);
    }
  return data;
}

std::vector<uint8_t>
runtime::randomScaleTiles(Random &random, target::ElementType type,
                          int64_t rows, int64_t groups, int64_t batches,
                          const CodeRange &range, uint8_t poison) {
  std::vector<uint32_t> codes = codesIn(type, range);
  if (target::bitWidth(type) != 8 || codes.empty() || rows < 0 || groups < 0 ||
      batches < 0 || rows > INT32_MAX || groups > INT32_MAX)
    return {};
  int64_t batchBytes = scaleTileBytes(rows, groups);
  int64_t bytes;
  if (__builtin_mul_overflow(batchBytes, batches, &bytes))
    return {};
  std::vector<uint8_t> data(static_cast<size_t>(bytes), poison);
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t group = 0; group < groups; ++group)
        data[batch * batchBytes + scaleTileOffset(row, group, groups)] =
            static_cast<uint8_t>(codes[random.below(codes.size())]);
  return data;
}
