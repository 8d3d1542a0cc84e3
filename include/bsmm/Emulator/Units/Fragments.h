//===- Fragments.h - Which lane holds which matrix element ------*- C++ -*-===//
//
// Register fragments of wgmma, mma.sync, ldmatrix and stmatrix (PTX ISA,
// "Matrix Fragments for mma.m16n8k*", "Register Fragments" of wgmma,
// "ldmatrix", "stmatrix").
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_FRAGMENTS_H
#define BSMM_EMULATOR_UNITS_FRAGMENTS_H

#include <cstdint>

namespace bsmm::emulator::units {

/// Row and column of an element. For B fragments `row` is the K index and
/// `column` the N index.
struct MatrixElement {
  uint32_t row;
  uint32_t column;
};

//===-- wgmma -------------------------------------------------------------===//

/// Element `i` (0 .. N/2 - 1) of thread `thread` (0..127 in the warpgroup) of
/// the 64 x N accumulator. f32: register i. f16: half i % 2 of register i / 2.
MatrixElement wgmmaAccumulator(uint32_t thread, uint32_t i);

/// Element `i` of the 64 x K A fragment in four registers; elementBits 8
/// (i 0..15, K = 32), 16 (i 0..7, K = 16) or 32 (i 0..3, K = 8). Element i is
/// bits [i*elementBits % 32 ...] of register i*elementBits / 32.
MatrixElement wgmmaAFragment(uint32_t thread, uint32_t i, uint32_t elementBits);

//===-- mma.sync m16n8kK -------------------------------------------------===//

/// Shapes with a row.col A of 16 x K and B of K x 8. `elementBits` is the space
/// that an element takes in its register: 4 (e2m1 in m16n8k64, s4/u4), 8
/// (m16n8k32 and k16), 16 (m16n8k16 and k8), 32 (tf32 m16n8k8 and k4).
/// Elements fill registers from the low bits up.

/// Elements a thread holds: A 16*K/32, B 8*K/32.
constexpr uint32_t mmaAElements(uint32_t k) { return k / 2; }
constexpr uint32_t mmaBElements(uint32_t k) { return k / 4; }

/// Element `i` of lane `lane` of A; row 0..15, column = k.
inline MatrixElement mmaAFragment(uint32_t lane, uint32_t i,
                                  uint32_t elementBits) {
  uint32_t perRegister = 32 / elementBits;
  uint32_t reg = i / perRegister;
  return {lane / 4 + 8 * (reg % 2), perRegister * (lane % 4) + i % perRegister +
                                        4 * perRegister * (reg / 2)};
}

/// Element `i` of lane `lane` of B; row = k, column = n (0..7).
inline MatrixElement mmaBFragment(uint32_t lane, uint32_t i,
                                  uint32_t elementBits) {
  uint32_t perRegister = 32 / elementBits;
  uint32_t reg = i / perRegister;
  return {perRegister * (lane % 4) + i % perRegister + 4 * perRegister * reg,
          lane / 4};
}

/// Element `i` (0..3) of the 16 x 8 C and D. f32 and s32: register i; f16: half
/// i % 2 of register i / 2.
inline MatrixElement mmaAccumulator(uint32_t lane, uint32_t i) {
  return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2};
}

/// Bits by which an element is shifted left in its 8-bit container in the
/// m16n8k32 kinds f8f6f4 and mxf8f6f4: 2 for e2m1, 0 otherwise.
constexpr uint32_t mmaContainerShift(uint32_t elementBits) {
  return elementBits == 4 ? 2 : 0;
}

/// The lane whose scale register supplies row `row` (0..15) of SFA for thread
/// selector 0 or 1, and column `column` (0..7) of SFB for selector 0..3. The
/// scale of K block j is byte (byte selector + j) of that register.
uint32_t mmaScaleLaneA(uint32_t row, uint32_t threadSelector);
uint32_t mmaScaleLaneB(uint32_t column, uint32_t threadSelector);

/// True when (byte selector, thread selector) are legal for `.scale_vec::NX`.
bool mmaScaleSelectorsValid(uint32_t scaleVector, uint32_t byteSelectorA,
                            uint32_t threadSelectorA, uint32_t byteSelectorB,
                            uint32_t threadSelectorB);

//===-- ldmatrix and stmatrix --------------------------------------------===//

/// Shapes of ldmatrix and stmatrix.
enum class MatrixShape : uint8_t {
  M8N8B16,        ///< .m8n8 .b16
  M16N16B8,       ///< .m16n16 .b8 (ldmatrix, always .trans)
  M16N16B6x16P32, ///< .m16n16 .b8x16.b6x16_p32 (always .trans)
  M16N16B4x16P64, ///< .m16n16 .b8x16.b4x16_p64 (always .trans)
  M8N16B6x16P32,  ///< .m8n16 .b8x16.b6x16_p32
  M8N16B4x16P64,  ///< .m8n16 .b8x16.b4x16_p64
  M16N8B8         ///< .m16n8 .b8 (stmatrix, always .trans)
};

/// 32-bit registers a thread holds for each matrix: 1, or 2 for m16n16.
uint32_t matrixRegisters(MatrixShape shape);

/// Rows of one matrix that have an address each: 8 or 16.
uint32_t matrixRows(MatrixShape shape);

/// Bytes read or written at each row address, in every shape (for the
/// b4x16_p64 and b6x16_p32 forms 8 and 12 of them are data).
constexpr uint32_t MatrixRowBytes = 16;

/// The lane that supplies the address of row `row` of matrix `matrix`.
uint32_t matrixAddressLane(MatrixShape shape, uint32_t matrix, uint32_t row);

/// Element `i` of register `reg` of lane `lane`: which row and element of the
/// row *as stored in memory* it holds. M8N8B16 has 2 elements of 16 bits a
/// register, every other shape 4 of 8 bits (element i is bits 8i..8i+7). A row
/// of the b6x16_p32 and b4x16_p64 forms has 16 elements, each in the low bits
/// of its byte.
MatrixElement matrixFragment(MatrixShape shape, bool transposed, uint32_t lane,
                             uint32_t reg, uint32_t i);

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_FRAGMENTS_H
