//===- TensorArithmetic.h - Tensor-core dot products ------------*- C++ -*-===//
//
// D = A * B (+ D) as the tensor cores compute it, bit by bit. PTX leaves the
// order and the intermediate rounding open; the rules here are those of the
// published model MMA-Sim (Xie et al., arXiv 2511.10909, github
// microsoft/MMA-Sim): the products of one instruction and C are aligned to the
// largest un-normalised exponent, each is cut toward zero to F fraction bits,
// they are summed exactly, and the sum is rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_TENSORARITHMETIC_H
#define BSMM_EMULATOR_UNITS_TENSORARITHMETIC_H

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bsmm::emulator::units {

/// How one instruction adds its products.
enum class AccumulationRule : uint8_t {
  /// wgmma with 8-bit inputs: F = 13; an f32 result is cut toward zero to 13
  /// fraction bits (its low 10 mantissa bits are 0), an f16 result is rounded
  /// to nearest even.
  Fraction13,
  /// wgmma with f16/bf16/tf32 inputs, tcgen05 f16/tf32/f8f6f4/mxf8f6f4,
  /// mma.sync with f16/bf16/tf32 inputs and the 8-bit and smaller ones of
  /// sm_120a: F = 25; f32 is cut toward zero, f16 is rounded to nearest even.
  /// Block scales add to the product exponents.
  Fraction25,
  /// mma.sync with 8-bit inputs on sm_90, which has no such unit: the products
  /// of the elements k with k % 4 < 2, then those with k % 4 >= 2, as two
  /// Fraction25 sums chained through the D format and started at zero; C is
  /// added last, to nearest even (seen on an H200).
  SplitFraction25,
  /// mxf4 and mxf4nvf4: exact sums of groups of 16 products, each multiplied by
  /// its two scale significands and aligned on the scale exponents only;
  /// F = 35, f32 cut toward zero.
  GroupedFraction35,
  /// Exact integer dot product in 32 bits (s8/u8 inputs).
  Integer,
  /// The exact sum, rounded once to nearest even: what an ideal tensor core
  /// would return (`--arithmetic=exact`).
  Exact
};

enum class AccumulatorFormat : uint8_t { F32, F16, S32 };

/// 8-bit integer operands have no NumberFormat of their own.
enum class IntegerFormat : uint8_t { None, U8, S8 };

enum class ScaleFormat : uint8_t { None, UE8M0, UE4M3 };

/// The rule of the hardware for an instruction.
enum class TensorInstruction : uint8_t {
  Wgmma,       ///< wgmma.mma_async (sm_90a)
  Tcgen05,     ///< tcgen05.mma (sm_100a and its family)
  MmaSyncSm90, ///< mma.sync on sm_90
  MmaSync      ///< mma.sync on sm_100 and later
};

/// One MMA: D[m][n] (+)= sum over k of A[m][k] * SFA * B[n][k] * SFB.
///
/// Operand arrays are row-major with K contiguous, A is m x k and B is n x k,
/// each element codeBytes(format) bytes, little endian (integers 1 byte). With
/// `packedA`/`packedB` (E2M1 only) two elements share a byte, the lower k in
/// the low nibble. Scales are bytes, SFA m x (k / scaleBlock), SFB
/// n x (k / scaleBlock). D is m x n 32-bit words: f32 bits, s32, or an f16
/// code in the low 16 bits (upper bits written as 0, ignored when read).
struct MmaSpec {
  AccumulationRule rule = AccumulationRule::Fraction25;
  NumberFormat aFormat = NumberFormat::E4M3;
  NumberFormat bFormat = NumberFormat::E4M3;
  IntegerFormat aInteger = IntegerFormat::None;
  IntegerFormat bInteger = IntegerFormat::None;
  AccumulatorFormat accumulator = AccumulatorFormat::F32;
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0; ///< at most 256
  bool packedA = false;
  bool packedB = false;
  bool negateA = false;
  bool negateB = false;
  ScaleFormat scaleFormat = ScaleFormat::None;
  uint32_t scaleBlock = 0; ///< elements of K under one scale: 16 or 32
  bool saturate = false;   ///< Integer: clamp to s32 instead of wrapping
  /// tcgen05 scale-input-d: the old D counts times 2^-scaleInputD (0..15).
  uint32_t scaleInputD = 0;
};

/// The rule that `instruction` uses for these operands; block-scaled 4-bit
/// kinds pass `blockScaledFp4`.
AccumulationRule accumulationRule(TensorInstruction instruction,
                                  NumberFormat aFormat, bool blockScaledFp4);

/// Empty when mmaTile can compute `spec`, else what is wrong with it.
std::string checkMmaSpec(const MmaSpec &spec);

/// Computes a whole tile in place. `accumulate` false ignores the old D.
/// `sfa` and `sfb` are read only when spec.scaleFormat is not None.
/// `dPitch` is the distance between rows of D in words (0: spec.n).
/// Returns checkMmaSpec(spec); D is untouched unless that is empty.
std::string mmaTile(const MmaSpec &spec, const uint8_t *a, const uint8_t *b,
                    const uint8_t *sfa, const uint8_t *sfb, uint32_t *d,
                    bool accumulate, size_t dPitch = 0);

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_TENSORARITHMETIC_H
