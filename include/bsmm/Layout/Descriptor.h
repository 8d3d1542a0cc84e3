//===- Descriptor.h - matrix and instruction descriptors --------*- C++ -*-===//
//
// The 64-bit shared-memory matrix descriptors of wgmma (sm_90a) and tcgen05
// (sm_100a), and the 32-bit instruction descriptors of tcgen05.mma (PTX ISA,
// "Matrix descriptor format", "Shared memory descriptor", "Instruction
// descriptor"; CUTLASS cute/arch/mma_sm90_desc.hpp, mma_sm100_desc.hpp). The
// encoders refuse a value that does not fit its field: a silent overflow into
// the neighbouring field is a wrong answer. Which instruction shape a target
// has is not decided here.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_DESCRIPTOR_H
#define BSMM_LAYOUT_DESCRIPTOR_H

#include "bsmm/Layout/Swizzle.h"

namespace bsmm::layout {

//===----------------------------------------------------------------------===//
// Shared-memory matrix descriptor
//===----------------------------------------------------------------------===//

struct MatrixDescriptor {
  /// Shared-memory address in bytes; a multiple of 16 below 2^18.
  int64_t startAddress = 0;
  /// Leading and stride dimension byte offsets; multiples of 16 below 2^18.
  int64_t leadingByteOffset = 0;
  int64_t strideByteOffset = 0;
  SwizzleMode swizzle = SwizzleMode::None;
  /// 0 when the swizzle pattern starts at a multiple of its size, else bits 7-9
  /// of the address where it starts.
  int64_t baseOffset = 0;

  bool operator==(const MatrixDescriptor &other) const {
    return startAddress == other.startAddress &&
           leadingByteOffset == other.leadingByteOffset &&
           strideByteOffset == other.strideByteOffset &&
           swizzle == other.swizzle && baseOffset == other.baseOffset;
  }
};

/// tcgen05.mma and tcgen05.cp: bit 46 (version) set, swizzle in bits 61-63.
Result<uint64_t> encodeMatrixDescriptorSm100(const MatrixDescriptor &desc);
/// wgmma: swizzle in bits 62-63. Refused: Bytes128Atom32.
Result<uint64_t> encodeMatrixDescriptorSm90(const MatrixDescriptor &desc);
/// The inverses. Refused: reserved bits that are set, unknown swizzle codes.
Result<MatrixDescriptor> decodeMatrixDescriptorSm100(uint64_t bits);
Result<MatrixDescriptor> decodeMatrixDescriptorSm90(uint64_t bits);

/// The descriptor `byteOffset` further in shared memory: adds to the start
/// address alone. Refused: not a multiple of 16, or a start address that leaves
/// its field.
Result<uint64_t> advanceMatrixDescriptor(uint64_t bits, int64_t byteOffset);

/// The descriptor of a K-major tile of `rows` rows at `startAddress`, which
/// must have the alignment of the swizzle; see kMajorOperand.
Result<MatrixDescriptor> kMajorDescriptor(SwizzleMode mode, int64_t rows,
                                          int64_t startAddress);

/// The descriptor of one 512-byte scale tile, or of consecutive ones, for
/// tcgen05.cp.32x128b.warpx4.
Result<MatrixDescriptor> scaleCopyDescriptor(int64_t startAddress);

/// The operand tile that a descriptor makes the MMA read: "row", "byte" ->
/// "offset" relative to the start, `rows` rows of `rowBytes` bytes. Refused:
/// rows not a multiple of 8, bytes that do not fit the swizzle's width.
Result<TiledLayout> describedOperand(const MatrixDescriptor &desc, int64_t rows,
                                     int64_t rowBytes);

//===----------------------------------------------------------------------===//
// tcgen05.mma instruction descriptor
//===----------------------------------------------------------------------===//

enum class OperandType {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  E2M3,
  E3M2,
  E2M1,
  U8,
  S8
};
enum class AccumulatorType { F16, F32, S32 };
enum class ScaleType { UE4M3, UE8M0 };

/// "f16", "e4m3" and so on.
const char *operandTypeName(OperandType type);

/// Kinds without block scales.
enum class DenseKind { F16, TF32, F8F6F4, I8 };

/// M and N of the whole instruction; both CTAs together with cta_group::2.
/// M: 64, 128, 256. N: 8 to 256 in steps of 8.
struct DenseInstruction {
  DenseKind kind = DenseKind::F8F6F4;
  OperandType a = OperandType::E4M3, b = OperandType::E4M3;
  AccumulatorType d = AccumulatorType::F32;
  int64_t m = 128, n = 128;
  bool negateA = false, negateB = false;
  /// True: MN-major. Refused for 4- and 6-bit types.
  bool transposeA = false, transposeB = false;
  /// kind::i8 only.
  bool saturate = false;
};
Result<uint32_t> encodeInstruction(const DenseInstruction &instruction);

/// kind::mxf8f6f4: scales ue8m0, one for 32 elements. M: 128, 256.
struct MxF8F6F4Instruction {
  OperandType a = OperandType::E4M3, b = OperandType::E4M3;
  int64_t m = 128, n = 128;
  /// Which byte of the word of scales, 0..3.
  int64_t scaleIdA = 0, scaleIdB = 0;
  bool negateA = false, negateB = false;
  /// True: MN-major. Refused for 4- and 6-bit types.
  bool transposeA = false, transposeB = false;
};
Result<uint32_t> encodeInstruction(const MxF8F6F4Instruction &instruction);

enum class Fp4Kind { MxF4, MxF4NvF4 };

/// kind::mxf4 and kind::mxf4nvf4: e2m1 operands, K-major, K = 64 dense. M: 128,
/// 256.
struct Fp4Instruction {
  Fp4Kind kind = Fp4Kind::MxF4NvF4;
  /// Scales per row and instruction: 2 (block of 32) or 4 (block of 16; not
  /// for MxF4).
  int64_t scalesPerRow = 4;
  /// MxF4: UE8M0. MxF4NvF4 with 2 per row: UE8M0. With 4: either.
  ScaleType scaleType = ScaleType::UE4M3;
  int64_t m = 128, n = 128;
  /// 2 per row: 0 or 2; 4 per row: 0.
  int64_t scaleIdA = 0, scaleIdB = 0;
  bool negateA = false, negateB = false;
};
Result<uint32_t> encodeInstruction(const Fp4Instruction &instruction);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_DESCRIPTOR_H
