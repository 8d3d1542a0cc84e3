//===- TensorMemoryShapes.h - Who holds what in tensor memory ---*- C++ -*-===//
//
// Tensor memory is 128 lanes x 512 columns of 32 bits. This file says which
// cells tcgen05.ld/st registers, tcgen05.cp rows, accumulators and scale
// factors occupy (PTX ISA, "Tensor Memory" and the data movement shapes).
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_TENSORMEMORYSHAPES_H
#define BSMM_EMULATOR_UNITS_TENSORMEMORYSHAPES_H

#include <cstdint>
#include <string>

namespace bsmm::emulator::units {

constexpr uint32_t TensorMemoryLanes = 128;
constexpr uint32_t TensorMemoryColumns = 512;

/// A 32-bit cell, relative to the address operand of the instruction.
struct TensorMemoryCell {
  uint32_t lane;
  uint32_t column;
};

//===-- tcgen05.ld and tcgen05.st -----------------------------------------===//

enum class LoadStoreShape : uint8_t {
  S32x32b,
  S16x64b,
  S16x128b,
  S16x256b,
  S16x32bx2
};

/// 32-bit registers a thread passes for `.xNum`; 0 when the shape has no such
/// .num. The count does not change with .pack::16b or .unpack::16b.
uint32_t loadStoreRegisters(LoadStoreShape shape, uint32_t num);

/// Lanes that the shape touches: 32, or 16 (which must start at lane 0 or 16 of
/// the warp's quarter).
uint32_t loadStoreLanes(LoadStoreShape shape);

/// Columns touched from the base column, without the gap of 16x32bx2; twice as
/// many when `packed16`.
uint32_t loadStoreColumns(LoadStoreShape shape, uint32_t num, bool packed16);

/// The cell that register `reg` of thread `thread` (0..31) holds, relative to
/// the address. `halfSplitOffset` is the immediate of 16x32bx2, in columns.
/// With .pack::16b/.unpack::16b the register's low half is the low half of
/// column `column` and its high half the low half of column `column` + 1; the
/// returned column is then already doubled.
TensorMemoryCell loadStoreCell(LoadStoreShape shape, uint32_t thread,
                               uint32_t reg, uint32_t halfSplitOffset = 0,
                               bool packed16 = false);

//===-- tcgen05.cp --------------------------------------------------------===//

enum class CopyShape : uint8_t {
  S128x256b,
  S4x256b,
  S128x128b,
  S64x128bWarpx2_02_13,
  S64x128bWarpx2_01_23,
  S32x128bWarpx4
};

struct CopyShapeInfo {
  uint32_t rows;     ///< rows read from shared memory
  uint32_t rowBytes; ///< 16 or 32, as stored in tensor memory
  uint32_t columns;  ///< 4 or 8
  uint32_t copies;   ///< lanes that each row is written to
};
CopyShapeInfo copyShapeInfo(CopyShape shape);

/// Lane that copy `copy` of row `row` goes to. Byte b of the row goes to
/// column b / 4, byte b % 4.
uint32_t copyLane(CopyShape shape, uint32_t row, uint32_t copy);

/// Decompression suffixes .b8x16.b6x16_p32 and .b8x16.b4x16_p64.
enum class CopyDecompression : uint8_t { None, B6x16P32, B4x16P64 };

/// Expands one 16-byte container of 16 elements to 16 bytes. The place of the
/// element in its byte is that of the 8-bit container that the MMA reads from
/// tensor memory: see tensorMemoryContainerShift.
void decompressContainer(CopyDecompression decompression,
                         const uint8_t *container, uint8_t *bytes);

/// Bits by which a 4-bit (2) or a 6-bit (0) element is shifted left inside its
/// 8-bit container in tensor memory.
uint32_t tensorMemoryContainerShift(uint32_t elementBits);

//===-- Accumulators ------------------------------------------------------===//

/// PTX's names of the data path layouts.
enum class AccumulatorLayout : uint8_t {
  A, ///< M = 256, cta_group::2
  B, ///< M = 128, cta_group::2, dense
  C, ///< M = 128, cta_group::2, sparse
  D, ///< M = 128, cta_group::1
  E, ///< M = 64, .ws
  F, ///< M = 64, cta_group::1
  G  ///< M = 32, .ws
};

/// The layout of an MMA, or an error text.
std::string accumulatorLayout(uint32_t ctaGroup, uint32_t m,
                              bool weightStationary, bool sparse,
                              AccumulatorLayout &layout);

struct AccumulatorCell {
  uint32_t cta; ///< 0, or 0/1 in the CTA pair (even CTA = 0)
  uint32_t lane;
  uint32_t column; ///< relative to the base column
};

/// Where element (m, n) of an M x N accumulator lives. Every element takes a
/// whole 32-bit cell (f16 in the low half). Layout C and F add the base
/// address' lane offset (0 or 16), which the caller does.
AccumulatorCell accumulatorCell(AccumulatorLayout layout, uint32_t m,
                                uint32_t n, uint32_t totalN);

/// Columns that an M x N accumulator takes.
uint32_t accumulatorColumns(AccumulatorLayout layout, uint32_t totalN);

//===-- Scale factors -----------------------------------------------------===//

struct ScaleFactorCell {
  uint32_t lane;       ///< of the first copy
  uint32_t laneStride; ///< distance of the copies in lanes
  uint32_t copies;     ///< equal copies that must exist
  uint32_t column;     ///< relative to the base column
  uint32_t byte;       ///< byte in the 32-bit word
};

/// Which matrix the scale belongs to, seen from one CTA.
enum class ScaleSide : uint8_t {
  A,     ///< `index` = row of A that this CTA holds (0..127)
  B,     ///< `index` = column of D, full N, also in a CTA pair of M = 256
  BSplit ///< SFB of cta_group::2 with M = 128: see scaleFactorCell
};

/// The cell of scale factor `kIndex` (0.. scaleVector-1 inside this
/// instruction) of row or column `index`, for scale-factor id `id`. For
/// ScaleSide::BSplit `totalN` is N of the pair: columns below N/2 are in lanes
/// 0-63, the others in lanes 64-127, each 32-lane group twice.
ScaleFactorCell scaleFactorCell(ScaleSide side, uint32_t index, uint32_t kIndex,
                                uint32_t id, uint32_t totalN = 0);

/// The id and the base column offset that step `step` along K uses when the
/// scales of `blocks128` 128-row blocks are stored MN-block fastest, 4 columns
/// a 128x4 block. scaleVector is 1, 2 or 4.
struct ScaleFactorStep {
  uint32_t id;
  uint32_t columnOffset;
};
ScaleFactorStep scaleFactorStep(uint32_t scaleVector, uint32_t step,
                                uint32_t blocks128);

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_TENSORMEMORYSHAPES_H
