//===- ScaleFactorLayout.h - scale factors everywhere -----------*- C++ -*-===//
//
// Scale factors (one byte each) come in tiles of 128 rows by 4 groups along K,
// 512 bytes, in an order that one tcgen05.cp.32x128b.warpx4 turns into what
// the block-scaled MMA reads (PTX ISA, tcgen05 block scaling; CUTLASS
// cutlass/detail/sm100_blockscaled_layout.hpp). "Row" is a row of A or of B
// (a column of the result); "group" is k / vector size.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_SCALEFACTORLAYOUT_H
#define BSMM_LAYOUT_SCALEFACTORLAYOUT_H

#include "bsmm/Layout/IndexChain.h"

namespace bsmm::layout {

inline constexpr int64_t scaleTileRows = 128;
inline constexpr int64_t scaleTileGroups = 4;
inline constexpr int64_t scaleTileBytes = 512;
/// Columns of tensor memory that one scale tile takes.
inline constexpr int64_t scaleTileColumns = 4;
/// Rows of scales that share a column of tensor memory, one a lane: tiles of B
/// start at a multiple of them, since the MMA reads row 0 from lane 0.
inline constexpr int64_t scaleColumnRows = 32;

//===----------------------------------------------------------------------===//
// Global and shared memory
//===----------------------------------------------------------------------===//

/// The tile: "m" (7 bits), "group" (2 bits) -> "offset" (9 bits, bytes):
/// (m % 32) * 16 + (m / 32) * 4 + group.
const LinearLayout &scaleTile();

/// Byte offset of the scale of row m, group g in a blocked tensor that has
/// `groups` groups: tile (m / 128) * ceil(groups / 4) + g / 4, then the place
/// in the tile. -1 for negative arguments, g >= groups rounded up to 4, or an
/// offset beyond 64 bits.
int64_t blockedScaleOffset(int64_t m, int64_t g, int64_t groups);

/// Bytes of a blocked tensor: rows rounded up to 128 times groups rounded up
/// to 4. -1 for negative arguments or a size beyond 64 bits.
int64_t blockedScaleBytes(int64_t rows, int64_t groups);

/// The same with a batch outermost.
int64_t blockedScaleOffset(int64_t batch, int64_t m, int64_t g, int64_t rows,
                           int64_t groups);

/// The whole tensor, "m", "group", "batch" -> "offset" over the padded
/// extents. Refused: counts below 1.
Result<TiledLayout> blockedScaleLayout(int64_t rows, int64_t groups,
                                       int64_t batches = 1);

/// What the MMA expects of a loaded box [1, restM, restK, 2, 256] of scales:
/// logical [restM * 128, restK * 4] -> byte offset in shared memory. A
/// program's chain after the load must equal this one. Refused: counts below 1.
Result<IndexChain> scaleTileChain(int64_t restM, int64_t restK);

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

/// What the MMA reads: "m" (7), "group" (2), "replica" (2) -> "lane" (7),
/// "column" (2), "byte" (2): m % 32 and the copy's number make the lane, m / 32
/// the column, the group the byte of the 32-bit word.
const LinearLayout &scaleTensorMemory();

/// The rows of 16 bytes that tcgen05.cp.32x128b.warpx4 reads from a tile of
/// contiguous bytes (descriptor without swizzle, SBO 128): "offset" (9) ->
/// "row" (5), "byte" (4).
const LinearLayout &scaleCopySource();

/// The obligation behind all of this: the tile, read as rows and copied by
/// tcgen05.cp.32x128b.warpx4, is scaleTensorMemory().
Status checkScaleCopy();

/// Column, relative to the base of the scales, of the tile for block mnBlock
/// of 128 rows and K group tile kGroup: (kGroup * mnBlocks + mnBlock) * 4.
int64_t scaleColumn(int64_t mnBlock, int64_t kGroup, int64_t mnBlocks);

/// Where MMA number `step` along K finds its scales.
struct ScaleStep {
  /// Added to the base column.
  int64_t column;
  /// The scale-factor id of the instruction descriptor, 0..3.
  int64_t id;
};
/// scalesPerRow is 1, 2 or 4 (scale_vec 1X, 2X, 4X); four bytes of a word
/// hold the scales of 4, 2, 1 steps. Refused: other numbers, negative steps,
/// mnBlocks below 1.
Result<ScaleStep> scaleStep(int64_t scalesPerRow, int64_t step,
                            int64_t mnBlocks);

/// The scale tiles that a tile of `extent` columns of the result starting at
/// column `start` needs.
struct ScaleCoverage {
  int64_t firstTile, tiles;
  /// Added to the base column: 0 to 3, the start within its scale tile in units
  /// of the 32 rows that share a column.
  int64_t column;
};
/// Refused: start not a multiple of 32, start negative, extent below 1.
Result<ScaleCoverage> scaleCoverage(int64_t start, int64_t extent);
/// Scale tiles that a tile of `extent` columns may need at any start that is a
/// multiple of `step`: what the buffer must hold. Refused: a step that is not
/// a multiple of 32, extent below 1.
Result<int64_t> maxScaleTiles(int64_t extent, int64_t step);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_SCALEFACTORLAYOUT_H
