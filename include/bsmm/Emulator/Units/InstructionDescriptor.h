//===- InstructionDescriptor.h - tcgen05.mma's idesc ------------*- C++ -*-===//
//
// The 32-bit instruction descriptor of tcgen05.mma in its three forms (PTX
// ISA, tcgen05 "Instruction descriptor").
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_INSTRUCTIONDESCRIPTOR_H
#define BSMM_EMULATOR_UNITS_INSTRUCTIONDESCRIPTOR_H

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include <cstdint>
#include <string>

namespace bsmm::emulator::units {

/// The `.kind::` qualifier.
enum class MmaKind : uint8_t {
  F16,
  TF32,
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4
};

/// The qualifiers of the instruction that the descriptor must agree with.
struct MmaQualifiers {
  MmaKind kind = MmaKind::F16;
  uint32_t ctaGroup = 1;         ///< 1 or 2
  bool weightStationary = false; ///< .ws
  bool sparse = false;           ///< .sp
  /// Scale factors a row per 32 bytes of K, i.e. 1, 2 or 4 of
  /// .scale_vec::NX: mxf8f6f4 1; .block32 of the 4-bit kinds 2; .block16 4.
  /// 0 for kinds without scales.
  uint32_t scaleVector = 0;
  bool aInTensorMemory = false;
};

/// What a descriptor says.
struct InstructionDescriptor {
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0; ///< from the kind: 8, 16, 32 or 64 (dense)
  NumberFormat aFormat = NumberFormat::F16;
  NumberFormat bFormat = NumberFormat::F16;
  IntegerFormat aInteger = IntegerFormat::None;
  IntegerFormat bInteger = IntegerFormat::None;
  AccumulatorFormat accumulator = AccumulatorFormat::F32;
  bool sparse = false;
  uint8_t sparsitySelector = 0;
  bool saturate = false;
  bool negateA = false;
  bool negateB = false;
  bool transposeA = false; ///< true: MN-major
  bool transposeB = false;
  uint8_t maxShift = 0; ///< .ws: 0, 8, 16 or 32
  ScaleFormat scaleFormat = ScaleFormat::None;
  uint32_t scaleBlock = 0; ///< elements of K under one scale: 16 or 32
  uint8_t scaleIdA = 0;
  uint8_t scaleIdB = 0;
};

/// Decodes `bits` for an instruction with `qualifiers`. Returns an empty text,
/// or what is wrong: a reserved bit, a format, a shape, a scale-factor id. The
/// K = 96 form of sm_103a and sparse forms are refused.
std::string decodeInstructionDescriptor(uint32_t bits,
                                        const MmaQualifiers &qualifiers,
                                        InstructionDescriptor &descriptor);

/// The arithmetic of a decoded descriptor, with m, n, k, formats, negation,
/// scales, and the rule of tcgen05. packedA/packedB are set for the 4-bit
/// kinds, whose operands are packed in shared memory.
MmaSpec mmaSpec(const InstructionDescriptor &descriptor, MmaKind kind);

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_INSTRUCTIONDESCRIPTOR_H
