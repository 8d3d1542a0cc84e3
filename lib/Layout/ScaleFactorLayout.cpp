//===- ScaleFactorLayout.cpp - scale factors everywhere -------------------===//

#include "bsmm/Layout/ScaleFactorLayout.h"

#include "bsmm/Layout/Obligation.h"
#include "bsmm/Layout/TensorMemory.h"

using namespace bsmm::layout;

const LinearLayout &bsmm::layout::scaleTile() {
  static const LinearLayout layout =
      *LinearLayout::get({{"m", {{"offset", {16, 32, 64, 128, 256, 4, 8}}}},
                          {"group", {{"offset", {1, 2}}}}},
                         {{"offset", 9}});
  return layout;
}

static int64_t ceilDivide(int64_t value, int64_t by) {
  return value / by + (value % by != 0);
}

/// a * b + c of numbers that are not negative; false when it overflows.
static bool multiplyAdd(int64_t a, int64_t b, int64_t c, int64_t &result) {
  return !__builtin_mul_overflow(a, b, &result) &&
         !__builtin_add_overflow(result, c, &result);
}

int64_t bsmm::layout::blockedScaleOffset(int64_t m, int64_t g, int64_t groups) {
  if (m < 0 || g < 0 || groups < 0)
    return -1;
  int64_t groupTiles = ceilDivide(groups, scaleTileGroups);
  if (g / scaleTileGroups >= groupTiles)
    return -1;
  int64_t tile = 0, offset = 0;
  int64_t inside = m % 32 * 16 + m / 32 % 4 * 4 + g % 4;
  if (!multiplyAdd(m / scaleTileRows, groupTiles, g / scaleTileGroups, tile) ||
      !multiplyAdd(tile, scaleTileBytes, inside, offset))
    return -1;
  return offset;
}

int64_t bsmm::layout::blockedScaleBytes(int64_t rows, int64_t groups) {
  if (rows < 0 || groups < 0)
    return -1;
  int64_t tiles = 0, bytes = 0;
  if (!multiplyAdd(ceilDivide(rows, scaleTileRows),
                   ceilDivide(groups, scaleTileGroups), 0, tiles) ||
      !multiplyAdd(tiles, scaleTileBytes, 0, bytes))
    return -1;
  return bytes;
}

int64_t bsmm::layout::blockedScaleOffset(int64_t batch, int64_t m, int64_t g,
                                         int64_t rows, int64_t groups) {
  int64_t batchBytes = blockedScaleBytes(rows, groups);
  int64_t inside = blockedScaleOffset(m, g, groups);
  int64_t offset = 0;
  if (batch < 0 || batchBytes < 0 || inside < 0 || inside >= batchBytes ||
      !multiplyAdd(batch, batchBytes, inside, offset))
    return -1;
  return offset;
}

Result<TiledLayout> bsmm::layout::blockedScaleLayout(int64_t rows,
                                                     int64_t groups,
                                                     int64_t batches) {
  if (rows < 1 || groups < 1 || batches < 1)
    return makeError("expected at least one row, group and batch, got ", rows,
                     ", ", groups, " and ", batches);
  // Rounding up cannot overflow in units of tiles.
  int64_t rowTiles = ceilDivide(rows, scaleTileRows);
  int64_t groupTiles = ceilDivide(groups, scaleTileGroups);
  int64_t batchBytes = blockedScaleBytes(rows, groups);
  if (batchBytes < 0)
    return makeError("scales of ", rows, " rows and ", groups,
                     " groups exceed 64-bit offsets");
  return TiledLayout::get(scaleTile(),
                          {{"group", groupTiles, {{"offset", scaleTileBytes}}},
                           {"m", rowTiles, {{"offset", batchBytes / rowTiles}}},
                           {"batch", batches, {{"offset", batchBytes}}}});
}

Result<IndexChain> bsmm::layout::scaleTileChain(int64_t restM, int64_t restK) {
  // Tiles of a loaded box are in the order of a small blocked tensor.
  constexpr int64_t most = int64_t(1) << 40;
  if (restM < 1 || restK < 1 || restM > most || restK > most)
    return makeError("expected 1 to 2^40 scale tiles along each dimension, "
                     "got ",
                     restM, " x ", restK);
  auto layout =
      blockedScaleLayout(restM * scaleTileRows, restK * scaleTileGroups);
  if (!layout)
    return Error{layout.error()};
  return IndexChain::fromTiled(*layout, {"m", "group"}, "offset");
}

const LinearLayout &bsmm::layout::scaleTensorMemory() {
  static const LinearLayout layout = *LinearLayout::get(
      {{"m", {{"lane", {1, 2, 4, 8, 16}}, {"column", {1, 2}}}},
       {"group", {{"byte", {1, 2}}}},
       {"replica", {{"lane", {32, 64}}}}},
      {{"lane", 7}, {"column", 2}, {"byte", 2}}, {"replica"});
  return layout;
}

const LinearLayout &bsmm::layout::scaleCopySource() {
  static const LinearLayout layout = *LinearLayout::get(
      {{"offset", {{"byte", {1, 2, 4, 8}}, {"row", {1, 2, 4, 8, 16}}}}},
      {{"row", 5}, {"byte", 4}});
  return layout;
}

Status bsmm::layout::checkScaleCopy() {
  auto source = scaleTile().compose(scaleCopySource());
  if (!source)
    return Error{source.error()};
  return checkCopy(*source, copyLayout(CopyShape::Rows32Bits128),
                   scaleTensorMemory());
}

int64_t bsmm::layout::scaleColumn(int64_t mnBlock, int64_t kGroup,
                                  int64_t mnBlocks) {
  return (kGroup * mnBlocks + mnBlock) * scaleTileColumns;
}

Result<ScaleStep> bsmm::layout::scaleStep(int64_t scalesPerRow, int64_t step,
                                          int64_t mnBlocks) {
  if (scalesPerRow != 1 && scalesPerRow != 2 && scalesPerRow != 4)
    return makeError("expected 1, 2 or 4 scales a row, got ", scalesPerRow);
  if (step < 0 || mnBlocks < 1 || step > tensorMemoryColumns ||
      mnBlocks > tensorMemoryColumns)
    return makeError("expected a step in 0..", tensorMemoryColumns,
                     " and 1 to ", tensorMemoryColumns, " blocks, got ", step,
                     " and ", mnBlocks);
  int64_t group = step * scalesPerRow;
  return ScaleStep{scaleColumn(0, group / scaleTileGroups, mnBlocks),
                   group % scaleTileGroups};
}

Result<ScaleCoverage> bsmm::layout::scaleCoverage(int64_t start,
                                                  int64_t extent) {
  constexpr int64_t most = int64_t(1) << 61;
  if (start < 0 || start > most || start % scaleColumnRows != 0)
    return makeError("expected a tile that starts at a multiple of ",
                     scaleColumnRows, " columns of its scales, got ", start);
  if (extent < 1 || extent > most)
    return makeError("expected a positive tile extent, got ", extent);
  int64_t inside = start % scaleTileRows;
  return ScaleCoverage{start / scaleTileRows,
                       ceilDivide(inside + extent, scaleTileRows),
                       inside / scaleColumnRows};
}

Result<int64_t> bsmm::layout::maxScaleTiles(int64_t extent, int64_t step) {
  if (step < 1 || step % scaleColumnRows != 0)
    return makeError("expected tiles that start at multiples of ",
                     scaleColumnRows, " columns, got multiples of ", step);
  // The multiples of a step reach every multiple of what it has in common with
  // a scale tile; the last one before the end of a scale tile needs most.
  int64_t common = scaleColumnRows;
  while (common < scaleTileRows && step % (2 * common) == 0)
    common *= 2;
  auto coverage = scaleCoverage(scaleTileRows - common, extent);
  if (!coverage)
    return Error{coverage.error()};
  return coverage->tiles;
}
