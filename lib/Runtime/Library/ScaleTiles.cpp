//===- ScaleTiles.cpp - linear and blocked block scales in C --------------===//

#include "NumberArguments.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/bsmm_numbers.h"
#include <cstring>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;

namespace {

/// Both orders of one tensor of scales, checked.
struct Orders {
  Extents linear;
  int64_t blockedBatch = 0; // bytes
};

} // namespace

static std::string check(const void *linear, const void *blocked,
                         const Extents &extents, Orders &orders) {
  orders.linear = extents;
  std::string error = checkExtents("linear", 8, orders.linear);
  if (!error.empty())
    return error;
  orders.blockedBatch = blockedBytes(extents.rows, extents.columns);
  if (multiplyAdd(orders.blockedBatch, extents.batches) < 0)
    return "blocked: the array is too large";
  if (!orders.linear.isEmpty() && (!linear || !blocked))
    return std::string(linear ? "blocked" : "linear") +
           ": expected an address, got null";
  return "";
}

bsmm_status bsmm_scales_to_blocked(const uint8_t *linear, int64_t batches,
                                   int64_t rows, int64_t groups, int64_t pitch,
                                   int64_t batch_stride, uint8_t padding,
                                   uint8_t *blocked) {
  return guarded([&]() -> bsmm_status {
    Orders orders;
    std::string error = check(
        linear, blocked, {batches, rows, groups, pitch, batch_stride}, orders);
    if (!error.empty())
      return invalidArgument(error);
    if (orders.linear.isEmpty())
      return BSMM_OK;
    std::memset(blocked, padding,
                static_cast<size_t>(orders.blockedBatch * batches));
    for (int64_t batch = 0; batch < batches; ++batch)
      for (int64_t row = 0; row < rows; ++row) {
        const uint8_t *from = linear + batch * orders.linear.batchStride +
                              row * orders.linear.pitch;
        uint8_t *to = blocked + batch * orders.blockedBatch;
        for (int64_t group = 0; group < groups; ++group)
          to[scaleTileOffset(row, group, groups)] = from[group];
      }
    return BSMM_OK;
  });
}

bsmm_status bsmm_scales_from_blocked(const uint8_t *blocked, int64_t batches,
                                     int64_t rows, int64_t groups,
                                     int64_t pitch, int64_t batch_stride,
                                     uint8_t *linear) {
  return guarded([&]() -> bsmm_status {
    Orders orders;
    std::string error = check(
        linear, blocked, {batches, rows, groups, pitch, batch_stride}, orders);
    if (!error.empty())
      return invalidArgument(error);
    if (orders.linear.isEmpty())
      return BSMM_OK;
    for (int64_t batch = 0; batch < batches; ++batch)
      for (int64_t row = 0; row < rows; ++row) {
        uint8_t *to = linear + batch * orders.linear.batchStride +
                      row * orders.linear.pitch;
        const uint8_t *from = blocked + batch * orders.blockedBatch;
        for (int64_t group = 0; group < groups; ++group)
          to[group] = from[scaleTileOffset(row, group, groups)];
      }
    return BSMM_OK;
  });
}
