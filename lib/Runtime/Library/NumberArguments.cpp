//===- NumberArguments.cpp - checks of what C callers pass ----------------===//

#include "NumberArguments.h"

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;

static std::string number(int64_t value) { return std::to_string(value); }

std::string library::checkExtents(const char *name, unsigned bits,
                                  Extents &extents) {
  std::string prefix = std::string(name) + ": ";
  const int64_t sizes[] = {extents.batches, extents.rows, extents.columns};
  static const char *const sizeNames[] = {"batches", "rows", "columns"};
  for (int i = 0; i < 3; ++i)
    if (sizes[i] < 0)
      return prefix + sizeNames[i] + ": expected at least 0, got " +
             number(sizes[i]);
  // Rows of packed codes begin at whole bytes.
  int64_t step = bits % 8 == 0 ? 1 : bits == 4 ? 2 : 4;
  if (extents.columns > INT64_MAX - step)
    return prefix + "the array is too large";
  int64_t dense = (extents.columns + step - 1) / step * step;
  if (extents.pitch == 0)
    extents.pitch = dense;
  if (extents.pitch < extents.columns && extents.rows > 1)
    return prefix + "pitch: expected at least the " + number(extents.columns) +
           " columns, got " + number(extents.pitch);
  if (extents.pitch < 0)
    return prefix + "pitch: expected at least 0, got " + number(extents.pitch);
  if (extents.pitch % step != 0 && extents.rows > 1)
    return prefix + "pitch: expected whole bytes, a multiple of " +
           number(step) + " codes, got " + number(extents.pitch);
  int64_t batch = multiplyAdd(extents.rows, extents.pitch);
  if (batch < 0)
    return prefix + "the array is too large";
  if (extents.batchStride == 0)
    extents.batchStride = batch;
  // The last row of a batch need not be followed by its gap.
  int64_t live =
      extents.isEmpty() ? 0 : batch - extents.pitch + extents.columns;
  if (extents.batches > 1) {
    if (extents.batchStride < live)
      return prefix + "batch stride: expected at least " + number(live) +
             ", got " + number(extents.batchStride);
    if (extents.batchStride % step != 0)
      return prefix + "batch stride: expected whole bytes, a multiple of " +
             number(step) + " codes, got " + number(extents.batchStride);
  } else {
    extents.batchStride = 0;
  }
  int64_t elements = multiplyAdd(extents.batches, extents.batchStride, batch);
  if (multiplyAdd(elements, bits, 7) < 0)
    return prefix + "the array is too large";
  return "";
}

int64_t library::blockedBytes(int64_t rows, int64_t groups) {
  if (rows < 0 || groups < 0 || rows > INT64_MAX - 127 ||
      groups > INT64_MAX - 3)
    return -1;
  return multiplyAdd(multiplyAdd((rows + 127) / 128, (groups + 3) / 4), 512);
}
