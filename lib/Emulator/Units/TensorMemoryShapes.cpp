//===- TensorMemoryShapes.cpp - Who holds what in tensor memory -----------===//

#include "bsmm/Emulator/Units/TensorMemoryShapes.h"

#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"

#include <cstring>

namespace bsmm::emulator::units {

//===-- tcgen05.ld and tcgen05.st -----------------------------------------===//

namespace {

/// Registers of .x1; a .num of N multiplies them.
uint32_t registersOfOne(LoadStoreShape shape) {
  switch (shape) {
  case LoadStoreShape::S32x32b:
  case LoadStoreShape::S16x64b:
  case LoadStoreShape::S16x32bx2:
    return 1;
  case LoadStoreShape::S16x128b:
    return 2;
  case LoadStoreShape::S16x256b:
    return 4;
  }
  return 1;
}

} // namespace

uint32_t loadStoreRegisters(LoadStoreShape shape, uint32_t num) {
  bool powerOfTwo = num != 0 && (num & (num - 1)) == 0;
  uint32_t registers = registersOfOne(shape) * num;
  // 128 registers is the most that one instruction moves per thread.
  return powerOfTwo && num <= 128 && registers <= 128 ? registers : 0;
}

uint32_t loadStoreLanes(LoadStoreShape shape) {
  return shape == LoadStoreShape::S32x32b ? 32 : 16;
}

uint32_t loadStoreColumns(LoadStoreShape shape, uint32_t num, bool packed16) {
  uint32_t columns = 0;
  switch (shape) {
  case LoadStoreShape::S32x32b:
  case LoadStoreShape::S16x32bx2:
    columns = num;
    break;
  case LoadStoreShape::S16x64b:
    columns = 2 * num;
    break;
  case LoadStoreShape::S16x128b:
    columns = 4 * num;
    break;
  case LoadStoreShape::S16x256b:
    columns = 8 * num;
    break;
  }
  return packed16 ? 2 * columns : columns;
}

TensorMemoryCell loadStoreCell(LoadStoreShape shape, uint32_t thread,
                               uint32_t reg, uint32_t halfSplitOffset,
                               bool packed16) {
  uint32_t width = packed16 ? 2 : 1;
  uint32_t quad = thread / 4, inQuad = thread % 4;
  switch (shape) {
  case LoadStoreShape::S32x32b:
    return {thread, reg * width};
  case LoadStoreShape::S16x64b:
    return {quad + 8 * (thread % 2), (inQuad / 2 + 2 * reg) * width};
  case LoadStoreShape::S16x128b:
    return {quad + 8 * (reg % 2), (inQuad + 4 * (reg / 2)) * width};
  case LoadStoreShape::S16x256b:
    return {quad + 8 * (reg / 2 % 2),
            (2 * inQuad + reg % 2 + 8 * (reg / 4)) * width};
  case LoadStoreShape::S16x32bx2:
    return {thread % 16, reg * width + (thread >= 16 ? halfSplitOffset : 0)};
  }
  return {0, 0};
}

//===-- tcgen05.cp --------------------------------------------------------===//

CopyShapeInfo copyShapeInfo(CopyShape shape) {
  switch (shape) {
  case CopyShape::S128x256b:
    return {128, 32, 8, 1};
  case CopyShape::S4x256b:
    return {4, 32, 8, 1};
  case CopyShape::S128x128b:
    return {128, 16, 4, 1};
  case CopyShape::S64x128bWarpx2_02_13:
  case CopyShape::S64x128bWarpx2_01_23:
    return {64, 16, 4, 2};
  case CopyShape::S32x128bWarpx4:
    return {32, 16, 4, 4};
  }
  return {0, 0, 0, 0};
}

uint32_t copyLane(CopyShape shape, uint32_t row, uint32_t copy) {
  switch (shape) {
  case CopyShape::S128x256b:
  case CopyShape::S128x128b:
    return row;
  case CopyShape::S4x256b:
    return 32 * row;
  case CopyShape::S64x128bWarpx2_02_13:
    return row + 64 * copy;
  case CopyShape::S64x128bWarpx2_01_23:
    return row % 32 + 64 * (row / 32) + 32 * copy;
  case CopyShape::S32x128bWarpx4:
    return row + 32 * copy;
  }
  return 0;
}

uint32_t tensorMemoryContainerShift(uint32_t elementBits) {
  return elementBits == 4 ? 2 : 0;
}

void decompressContainer(CopyDecompression decompression,
                         const uint8_t *container, uint8_t *bytes) {
  switch (decompression) {
  case CopyDecompression::None:
    std::memcpy(bytes, container, 16);
    return;
  case CopyDecompression::B6x16P32:
    unpackContainer(NumberFormat::E3M2, container, bytes);
    return;
  case CopyDecompression::B4x16P64:
    unpackContainer(NumberFormat::E2M1, container, bytes);
    for (unsigned i = 0; i < 16; ++i)
      bytes[i] =
          static_cast<uint8_t>(bytes[i] << tensorMemoryContainerShift(4));
    return;
  }
}

//===-- Accumulators ------------------------------------------------------===//

std::string accumulatorLayout(uint32_t ctaGroup, uint32_t m,
                              bool weightStationary, bool sparse,
                              AccumulatorLayout &layout) {
  if (weightStationary) {
    if (ctaGroup == 1 && (m == 32 || m == 64 || m == 128)) {
      layout = m == 32   ? AccumulatorLayout::G
               : m == 64 ? AccumulatorLayout::E
                         : AccumulatorLayout::D;
      return "";
    }
    return "expected M 32, 64 or 128 with cta_group::1 for .ws, got M = " +
           std::to_string(m) + " with cta_group::" + std::to_string(ctaGroup);
  }
  if (ctaGroup == 1 && (m == 64 || m == 128)) {
    layout = m == 64 ? AccumulatorLayout::F : AccumulatorLayout::D;
    return "";
  }
  if (ctaGroup == 2 && (m == 128 || m == 256)) {
    layout = m == 256 ? AccumulatorLayout::A
             : sparse ? AccumulatorLayout::C
                      : AccumulatorLayout::B;
    return "";
  }
  return "expected M 64 or 128 with cta_group::1, 128 or 256 with "
         "cta_group::2, got M = " +
         std::to_string(m) + " with cta_group::" + std::to_string(ctaGroup);
}

AccumulatorCell accumulatorCell(AccumulatorLayout layout, uint32_t m,
                                uint32_t n, uint32_t totalN) {
  auto everySixteenOf32 = [](uint32_t row) {
    return row % 16 + 32 * (row / 16);
  };
  uint32_t half = totalN / 2, quarter = totalN / 4;
  switch (layout) {
  case AccumulatorLayout::A:
    return {m / 128, m % 128, n};
  case AccumulatorLayout::B:
    return {m / 64, m % 64 + 64 * (n / half), n % half};
  case AccumulatorLayout::C:
    return {m / 64, everySixteenOf32(m % 64), n};
  case AccumulatorLayout::D:
    return {0, m, n};
  case AccumulatorLayout::E:
    return {0, m + 64 * (n / half), n % half};
  case AccumulatorLayout::F:
    return {0, everySixteenOf32(m), n};
  case AccumulatorLayout::G:
    return {0, m + 32 * (n / quarter), n % quarter};
  }
  return {0, 0, 0};
}

uint32_t accumulatorColumns(AccumulatorLayout layout, uint32_t totalN) {
  switch (layout) {
  case AccumulatorLayout::B:
  case AccumulatorLayout::E:
    return totalN / 2;
  case AccumulatorLayout::G:
    return totalN / 4;
  default:
    return totalN;
  }
}

//===-- Scale factors -----------------------------------------------------===//

ScaleFactorCell scaleFactorCell(ScaleSide side, uint32_t index, uint32_t kIndex,
                                uint32_t id, uint32_t totalN) {
  if (side == ScaleSide::BSplit) {
    uint32_t half = totalN / 2;
    uint32_t inHalf = index % half;
    return {inHalf % 32 + 64 * (index / half), 32, 2, inHalf / 32, id + kIndex};
  }
  return {index % 32, 32, 4, index / 32, id + kIndex};
}

ScaleFactorStep scaleFactorStep(uint32_t scaleVector, uint32_t step,
                                uint32_t blocks128) {
  // A 128x4 block of scale factors is one 32-bit word deep along K, so it
  // feeds 4 / scaleVector instructions.
  uint32_t stepsPerBlock = 4 / scaleVector;
  return {step % stepsPerBlock * scaleVector,
          step / stepsPerBlock * 4 * blocks128};
}

} // namespace bsmm::emulator::units
