//===- TensorMap.cpp - the limits of cuTensorMapEncodeTiled ---------------===//
//
// CUDA driver API, cuTensorMapEncodeTiled (CUDA 13.0); swizzle modes: PTX ISA
// 5.5.7. Two limits are not in the documentation: the bytes of a box and the
// size of an address, measured with driver 13.0 on an H200.
//
//===----------------------------------------------------------------------===//

#include "TensorMapChecks.h"
#include <algorithm>

using namespace bsmm;
using namespace bsmm::runtime;
namespace tma = bsmm::target::tma;

/// Addresses begin below it. Measured with driver 13.0 on an H200.
static constexpr uint64_t addressLimit = uint64_t(1) << 57;

/// The most bytes that the driver may count of a box: the shared memory of an
/// SM. Measured with driver 13.0 on an H200: 233472 are accepted, the next
/// larger box is refused. Without a target, that of the largest SM.
static int64_t maxBoxBytes(const target::Gpu *gpu) {
  if (gpu)
    return gpu->sharedMemoryPerSM;
  int64_t most = 0;
  for (const target::Gpu &known : target::gpus)
    most = std::max<int64_t>(most, known.sharedMemoryPerSM);
  return most;
}

/// The bytes that the driver counts of a box against that limit: every extent,
/// the innermost one too, divided by its element stride and rounded down, even
/// to nothing. Found with driver 13.0 on an H200, whose answers to 60000 random
/// maps it gives.
/// The bytes that a copy brings (boxBytes) are more: extents are rounded up,
/// and the innermost stride has no effect. Whether those fit is known where a
/// copy is made, with its address; no copy of a box beyond shared memory is
/// legal. Extents are 1 to 256 here and strides 1 to 8, so that nothing
/// overflows.
static int64_t countedBoxBytes(const target::TensorMapElementInfo &type,
                               const std::vector<int64_t> &box,
                               const std::vector<int64_t> &strides) {
  int64_t elements = 1;
  for (size_t dim = 0; dim < box.size(); ++dim)
    elements *= box[dim] / (dim < strides.size() ? strides[dim] : 1);
  return elements * type.globalBits / 8;
}

static std::string at(std::string_view path, std::string_view key) {
  return std::string(path) + "." + std::string(key);
}
static std::string at(std::string_view path, std::string_view key, size_t i) {
  return at(path, key) + "[" + std::to_string(i) + "]";
}

std::string runtime::validateTensorMapBox(target::TensorMapElement element,
                                          target::Swizzle swizzle,
                                          const std::vector<int64_t> &box,
                                          const std::vector<int64_t> &strides,
                                          bool nanFill, std::string_view path,
                                          const target::Gpu *gpu) {
  const target::TensorMapElementInfo &type = target::info(element);
  const target::SwizzleInfo &mode = target::info(swizzle);
  auto number = [](int64_t value) { return std::to_string(value); };
  bool isAtomMode = swizzle == target::Swizzle::B128Atom32B ||
                    swizzle == target::Swizzle::B128Atom32BFlip8B ||
                    swizzle == target::Swizzle::B128Atom64B;
  if (gpu && type.isSubByte && !gpu->hasSubByteTma)
    return at(path, "element") + ": expected an element type of 8 bits or " +
           "more, since " + std::string(gpu->name) +
           " has no sub-byte tensor maps, got " + std::string(type.name) +
           "; use u8 with packed bytes";
  if (gpu && isAtomMode && !gpu->hasSubByteTma)
    return at(path, "swizzle") + ": expected none, 32B, 64B or 128B, since " +
           std::string(gpu->name) + " has no swizzle atom modes, got " +
           std::string(mode.name);
  if (box.empty() || box.size() > tma::maxRank)
    return at(path, "box") + ": expected 1 to 5 entries, got " +
           number(box.size());
  for (size_t i = 0; i < box.size(); ++i)
    if (box[i] < 1 || box[i] > tma::maxBoxDim)
      return at(path, "box", i) + ": expected 1 to 256 elements, got " +
             number(box[i]) + (box[i] > 256 ? "; use several boxes" : "");
  if (type.padded) {
    if (box[0] != tma::paddedInnerBox)
      return at(path, "box", 0) + ": expected 128 elements for " +
             std::string(type.name) + ", got " + number(box[0]);
    // 128 padded elements fill 128 bytes of a row.
    bool legal = swizzle == target::Swizzle::None ||
                 swizzle == target::Swizzle::B128 ||
                 swizzle == target::Swizzle::B128Atom32B ||
                 (swizzle == target::Swizzle::B128Atom64B &&
                  element == target::TensorMapElement::U6Align16B);
    if (!legal)
      return at(path, "swizzle") + ": expected none, 128B or 128B_atom32B " +
             "for " + std::string(type.name) + ", got " +
             std::string(mode.name);
  } else {
    int64_t innerBits = box[0] * type.globalBits;
    if (innerBits % (8 * tma::boxInnerMultiple) != 0) {
      int64_t step = 8 * tma::boxInnerMultiple / type.globalBits;
      return at(path, "box", 0) + ": expected an inner extent of a multiple " +
             "of 16 bytes (" + number(step) + " elements of " +
             std::string(type.name) + "), got " + number(box[0]) + " elements";
    }
    if (mode.innerBytes && innerBits / 8 > mode.innerBytes)
      return at(path, "box", 0) + ": expected at most " +
             number(mode.innerBytes) + " bytes (" +
             number(mode.innerBytes * 8 / type.globalBits) + " elements of " +
             std::string(type.name) + ") with swizzle " +
             std::string(mode.name) + ", got " + number(innerBits / 8) +
             " bytes; use several boxes";
  }
  int64_t bytes = countedBoxBytes(type, box, strides), most = maxBoxBytes(gpu);
  if (bytes > most)
    return at(path, "box") + ": expected at most " + number(most) +
           " bytes, the shared memory of an SM, got " + number(bytes) +
           "; use several boxes";
  if (nanFill && !type.isFloat)
    return at(path, "fill") + ": expected zero for " + std::string(type.name) +
           ", which is no floating-point type, got nan";
  return "";
}

std::string runtime::validateTensorMap(const TensorMap &map,
                                       std::string_view path,
                                       const target::Gpu *gpu) {
  const target::TensorMapElementInfo &type = target::info(map.element);
  auto number = [](int64_t value) { return std::to_string(value); };
  if (map.dims.empty() || map.dims.size() > tma::maxRank)
    return at(path, "dims") + ": expected 1 to 5 dimensions, got " +
           number(map.dims.size());
  size_t rank = map.dims.size();
  if (map.box.size() != rank)
    return at(path, "box") + ": expected " + number(rank) +
           " entries, one a dimension, got " + number(map.box.size());
  if (map.stridesBytes.size() != rank - 1)
    return at(path, "strides_bytes") + ": expected " + number(rank - 1) +
           " entries, one a dimension but the innermost, got " +
           number(map.stridesBytes.size());
  if (!map.elementStrides.empty() && map.elementStrides.size() != rank)
    return at(path, "element_strides") + ": expected " + number(rank) +
           " entries, one a dimension, got " +
           number(map.elementStrides.size());

  // Named buffers start at multiples of 256.
  uint64_t base = map.data.buffer.empty() ? map.data.address : 0;
  if (map.data.offset < 0)
    return at(path, "offset") + ": expected 0 or more bytes, got " +
           number(map.data.offset);
  uint64_t alignment =
      type.padded ? tma::addressAlignmentWide : tma::addressAlignment;
  uint64_t address = base + static_cast<uint64_t>(map.data.offset);
  if (address % alignment != 0)
    return at(path, "data") + ": expected an address that is a multiple of " +
           std::to_string(alignment) + " bytes for " + std::string(type.name) +
           ", got " + std::to_string(address);
  // The first comparison keeps the sum from wrapping around.
  if (base >= addressLimit || address >= addressLimit)
    return at(path, "data") + ": expected an address below 2^57, got " +
           std::to_string(base >= addressLimit ? base : address);
  for (size_t i = 0; i < rank; ++i)
    if (map.dims[i] < 1 || map.dims[i] > tma::maxDim)
      return at(path, "dims", i) + ": expected 1 to 2^32 elements, got " +
             number(map.dims[i]);
  if (type.padded && map.dims[0] % tma::paddedInnerDimMultiple != 0)
    return at(path, "dims", 0) + ": expected a multiple of 128 for " +
           std::string(type.name) + ", got " + number(map.dims[0]);
  if (map.element == target::TensorMapElement::U4Align8B &&
      map.dims[0] % 2 != 0)
    return at(path, "dims", 0) + ": expected an even number of elements for " +
           std::string(type.name) + ", got " + number(map.dims[0]);
  int64_t strideMultiple =
      type.padded ? tma::strideMultipleWide : tma::strideMultiple;
  for (size_t i = 0; i + 1 < rank; ++i) {
    int64_t stride = map.stridesBytes[i];
    if (stride < 0 || stride >= tma::maxStride)
      return at(path, "strides_bytes", i) +
             ": expected 0 to 2^40 - 1 bytes, got " + number(stride);
    if (stride % strideMultiple != 0)
      return at(path, "strides_bytes", i) + ": expected a multiple of " +
             number(strideMultiple) + " bytes for " + std::string(type.name) +
             ", got " + number(stride) + "; the next one is " +
             number((stride / strideMultiple + 1) * strideMultiple);
  }
  for (size_t i = 0; i < map.elementStrides.size(); ++i)
    if (map.elementStrides[i] < 1 ||
        map.elementStrides[i] > tma::maxElementStride)
      return at(path, "element_strides", i) + ": expected 1 to 8, got " +
             number(map.elementStrides[i]);
  return validateTensorMapBox(map.element, map.swizzle, map.box,
                              map.elementStrides, map.nanFill, path, gpu);
}

std::string runtime::warnOfTensorMap(const TensorMap &map,
                                     std::string_view path) {
  if (int64_t bytes = boxBytes(map), most = maxBoxBytes(nullptr); bytes > most)
    return at(path, "box") + ": a copy brings " + std::to_string(bytes) +
           " bytes, more than the " + std::to_string(most) +
           " of the shared memory of an SM: no copy with this map is legal";
  TensorMap inner = map;
  for (size_t i = 1; i < map.dims.size() && i <= map.stridesBytes.size(); ++i) {
    if (map.dims[i] <= 1)
      continue;
    // What one step of this dimension must pass over.
    inner.dims.assign(map.dims.begin(), map.dims.begin() + ptrdiff_t(i));
    inner.stridesBytes.assign(map.stridesBytes.begin(),
                              map.stridesBytes.begin() + ptrdiff_t(i - 1));
    int64_t bytes = footprintBytes(inner), stride = map.stridesBytes[i - 1];
    if (stride < bytes)
      return at(path, "strides_bytes", i - 1) + ": " + std::to_string(stride) +
             " bytes are fewer than the " + std::to_string(bytes) +
             " that lie in between: elements overlap";
  }
  return "";
}

int64_t runtime::footprintBytes(const TensorMap &map) {
  if (map.dims.empty() || map.stridesBytes.size() + 1 != map.dims.size())
    return -1;
  const target::TensorMapElementInfo &type = target::info(map.element);
  int64_t bits;
  if (map.dims[0] < 0 ||
      __builtin_mul_overflow(map.dims[0], int64_t(type.globalBits), &bits) ||
      bits > INT64_MAX - 7)
    return -1;
  int64_t bytes = (bits + 7) / 8;
  for (size_t i = 1; i < map.dims.size(); ++i) {
    int64_t reach;
    if (map.dims[i] < 1 || map.stridesBytes[i - 1] < 0 ||
        __builtin_mul_overflow(map.dims[i] - 1, map.stridesBytes[i - 1],
                               &reach) ||
        __builtin_add_overflow(bytes, reach, &bytes))
      return -1;
  }
  return bytes;
}

int64_t runtime::boxBytes(const TensorMap &map) {
  // With an element stride s a box of n reads ceil(n / s) elements; the stride
  // of dimension 0 is ignored without interleave (cuTensorMapEncodeTiled).
  int64_t elements = 1;
  for (size_t dim = 0; dim < map.box.size(); ++dim) {
    int64_t extent = map.box[dim];
    int64_t stride = dim > 0 && dim < map.elementStrides.size()
                         ? map.elementStrides[dim]
                         : 1;
    if (extent < 0 || stride < 1)
      return -1;
    extent = extent / stride + (extent % stride != 0);
    if (__builtin_mul_overflow(elements, extent, &elements))
      return -1;
  }
  int64_t bits;
  if (__builtin_mul_overflow(
          elements, int64_t(target::info(map.element).globalBits), &bits))
    return -1;
  return bits / 8;
}
