//===- ElementPacking.h - sub-byte elements in memory -----------*- C++ -*-===//
//
// How the elements of one operand row follow each other along K. The fp4 kinds
// take e2m1 packed two a byte; the f8f6f4 kinds take 4- and 6-bit elements in
// groups of 16 that are padded to 16 bytes in shared memory, which TMA does
// while it copies (PTX ISA, tcgen05 packing formats; cuda.h,
// CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B and 16U6_ALIGN16B). The padding is a
// hole of the layout: its contents are unspecified.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_ELEMENTPACKING_H
#define BSMM_LAYOUT_ELEMENTPACKING_H

#include "bsmm/Layout/TiledLayout.h"

namespace bsmm::layout {

enum class ElementPacking {
  /// Two elements a byte, the even one in the low nibble.
  Packed4,
  /// One element a byte.
  Bytes,
  /// 16 elements in 8 bytes, then 8 bytes of padding.
  Padded4,
  /// 16 elements in 12 bytes, then 4 bytes of padding.
  Padded6,
};

inline constexpr ElementPacking allElementPackings[] = {
    ElementPacking::Packed4, ElementPacking::Bytes, ElementPacking::Padded4,
    ElementPacking::Padded6};

/// Bits of an element: 4, 8, 4, 6.
int64_t elementBits(ElementPacking packing);

/// Elements that must come together: 2, 1, 16, 16.
int64_t elementGranule(ElementPacking packing);

/// Bytes of `elements` elements in global memory, which is also what a TMA copy
/// of them counts on its barrier: padding does not count. Refused: counts that
/// are negative, not whole granules or above 2^48.
Result<int64_t> packedBytes(ElementPacking packing, int64_t elements);

/// Bytes that they take in shared memory, padding included. Refused as above.
Result<int64_t> sharedBytes(ElementPacking packing, int64_t elements);

/// "k" -> "bit", the position of the lowest bit of each element from the start
/// of the row in shared memory. Refused as above, and for no elements.
Result<TiledLayout> packedRow(ElementPacking packing, int64_t elements);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_ELEMENTPACKING_H
