//===- TensorMemory.h - layouts of tcgen05 tensor memory --------*- C++ -*-===//
//
// Tensor memory has 128 lanes of 512 columns of 32 bits (PTX ISA, Tensor
// Memory). Outputs are named "lane", "column" and, inside a word, "byte".
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_TENSORMEMORY_H
#define BSMM_LAYOUT_TENSORMEMORY_H

#include "bsmm/Layout/TiledLayout.h"

namespace bsmm::layout {

inline constexpr int64_t tensorMemoryLanes = 128;
inline constexpr int64_t tensorMemoryColumns = 512;

/// The 32-bit address: lane in bits 31-16, column in bits 15-0. Refused: lanes
/// and columns that do not exist.
Result<uint32_t> tensorMemoryAddress(int64_t lane, int64_t column);

/// Accumulator layouts, by the letters of the PTX ISA (tcgen05 data path
/// layouts).
enum class AccumulatorLayout {
  /// M = 256, cta_group::2: each CTA holds 128 rows.
  A,
  /// M = 128, cta_group::2: 64 rows a CTA, the second half of N in lanes 64..
  B,
  /// M = 128, cta_group::1.
  D,
  /// M = 64, cta_group::1: 16 rows in each quarter of 32 lanes; lanes 16..31
  /// of each quarter are holes (or belong to a second accumulator).
  F,
};

/// "m", "n" -> "lane", "column" and, for A and B, "cta"; 32 bits an element.
/// n is a multiple of 8 (A and B, of a CTA pair: 16) up to 256. Refused: other n.
Result<TiledLayout> accumulatorLayout(AccumulatorLayout layout, int64_t n);

/// tcgen05.ld and tcgen05.st shapes.
enum class TransferShape {
  Lanes32Bits32,   // .32x32b
  Lanes16Bits64,   // .16x64b
  Lanes16Bits128,  // .16x128b
  Lanes16Bits256,  // .16x256b
  Lanes16Bits32x2, // .16x32bx2
};
inline constexpr TransferShape allTransferShapes[] = {
    TransferShape::Lanes32Bits32, TransferShape::Lanes16Bits64,
    TransferShape::Lanes16Bits128, TransferShape::Lanes16Bits256,
    TransferShape::Lanes16Bits32x2};

/// ".32x32b" and so on.
const char *transferShapeName(TransferShape shape);
/// Registers of a thread for .x1: 1, 1, 2, 4, 1.
int64_t transferRegisters(TransferShape shape);
/// The largest .num: 128, 128, 64, 32, 128.
int64_t maxTransferRepeat(TransferShape shape);
/// Columns that .x1 reads: 1, 2, 4, 8, 1.
int64_t transferColumns(TransferShape shape);

/// What one warp moves: "thread" (5 bits), "register" -> "lane", "column",
/// relative to the address. `repeat` is .num, a power of two. halfSplit is the
/// column distance of the second half of .16x32bx2 and must be a multiple of
/// `repeat` there (other values are legal PTX but not linear), 0 elsewhere.
Result<LinearLayout> transferLayout(TransferShape shape, int64_t repeat,
                                    int64_t halfSplit = 0);

/// tcgen05.cp shapes with their multicast.
enum class CopyShape {
  Rows128Bits256,          // .128x256b
  Rows128Bits128,          // .128x128b
  Rows4Bits256,            // .4x256b
  Rows64Bits128Pairs02_13, // .64x128b.warpx2::02_13
  Rows64Bits128Pairs01_23, // .64x128b.warpx2::01_23
  Rows32Bits128,           // .32x128b.warpx4
};
inline constexpr CopyShape allCopyShapes[] = {
    CopyShape::Rows128Bits256,
    CopyShape::Rows128Bits128,
    CopyShape::Rows4Bits256,
    CopyShape::Rows64Bits128Pairs02_13,
    CopyShape::Rows64Bits128Pairs01_23,
    CopyShape::Rows32Bits128};

/// ".128x256b" and so on, with the multicast qualifier.
const char *copyShapeName(CopyShape shape);

/// "row", "byte" of the source and, with multicast, "replica" -> "lane",
/// "column", "byte".
const LinearLayout &copyLayout(CopyShape shape);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_TENSORMEMORY_H
