//===- Fragments.cpp - Which lane holds which matrix element --------------===//

#include "bsmm/Emulator/Units/Fragments.h"

namespace bsmm::emulator::units {

//===-- wgmma -------------------------------------------------------------===//

MatrixElement wgmmaAccumulator(uint32_t thread, uint32_t i) {
  uint32_t warp = thread / 32, lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * (i / 2 % 2),
          8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

MatrixElement wgmmaAFragment(uint32_t thread, uint32_t i,
                             uint32_t elementBits) {
  MatrixElement element = mmaAFragment(thread % 32, i, elementBits);
  element.row += 16 * (thread / 32);
  return element;
}

//===-- mma.sync ----------------------------------------------------------===//

uint32_t mmaScaleLaneA(uint32_t row, uint32_t threadSelector) {
  return row % 8 * 4 + 2 * threadSelector + row / 8;
}

uint32_t mmaScaleLaneB(uint32_t column, uint32_t threadSelector) {
  return column * 4 + threadSelector;
}

bool mmaScaleSelectorsValid(uint32_t scaleVector, uint32_t byteSelectorA,
                            uint32_t threadSelectorA, uint32_t byteSelectorB,
                            uint32_t threadSelectorB) {
  if (scaleVector != 1 && scaleVector != 2 && scaleVector != 4)
    return false;
  // The scales of one row must lie inside one 32-bit register.
  auto byteValid = [&](uint32_t selector) {
    return selector % scaleVector == 0 && selector + scaleVector <= 4;
  };
  return byteValid(byteSelectorA) && byteValid(byteSelectorB) &&
         threadSelectorA < 2 && threadSelectorB < 4;
}

//===-- ldmatrix and stmatrix ---------------------------------------------===//

namespace {

bool isM16N16(MatrixShape shape) {
  return shape == MatrixShape::M16N16B8 ||
         shape == MatrixShape::M16N16B6x16P32 ||
         shape == MatrixShape::M16N16B4x16P64;
}

} // namespace

uint32_t matrixRegisters(MatrixShape shape) { return isM16N16(shape) ? 2 : 1; }

uint32_t matrixRows(MatrixShape shape) { return isM16N16(shape) ? 16 : 8; }

uint32_t matrixAddressLane(MatrixShape shape, uint32_t matrix, uint32_t row) {
  return matrix * matrixRows(shape) + row;
}

MatrixElement matrixFragment(MatrixShape shape, bool transposed, uint32_t lane,
                             uint32_t reg, uint32_t i) {
  uint32_t quad = lane / 4, inQuad = lane % 4;
  switch (shape) {
  case MatrixShape::M8N8B16:
    if (transposed)
      return {2 * inQuad + i, quad};
    return {quad, 2 * inQuad + i};
  case MatrixShape::M8N16B6x16P32:
  case MatrixShape::M8N16B4x16P64:
    return {quad, 4 * inQuad + i};
  case MatrixShape::M16N16B8:
  case MatrixShape::M16N16B6x16P32:
  case MatrixShape::M16N16B4x16P64:
    // A quad's thread takes four rows, two of them in each register; source:
    // CUTLASS, cute/atom/copy_traits_sm100.hpp, SM100_U8x8_LDSM_T.
    return {4 * inQuad + 2 * reg + i % 2, quad + 8 * (i / 2)};
  case MatrixShape::M16N8B8:
    // Memory holds the transpose: 8 rows of 16 bytes; source: CUTLASS,
    // cute/atom/copy_traits_sm100.hpp, SM100_U8x4_STSM_T.
    return {2 * inQuad + i % 2, quad + 8 * (i / 2)};
  }
  return {0, 0};
}

} // namespace bsmm::emulator::units
