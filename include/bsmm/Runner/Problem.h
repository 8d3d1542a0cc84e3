//===- Problem.h - a matrix multiplication to run ---------------*- C++ -*-===//

#ifndef BSMM_RUNNER_PROBLEM_H
#define BSMM_RUNNER_PROBLEM_H

#include "bsmm/Runtime/HostGemm.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bsmm::runner {

/// What a kernel computes and for which sizes.
struct Problem {
  std::string kernel;
  /// True for a bsmm.scaled_matmul in a function, false for a bsmm.kernel.
  bool isProblemLevel = false;
  /// True for a bsmm.kernel at the pipeline level, which only the emulator
  /// runs.
  bool isPipelineLevel = false;
  runtime::ProblemTypes types;
  /// 0: not fixed by the types of the kernel.
  int64_t m = 0, n = 0, k = 0, l = 0;
  /// Distance of two rows, in elements. Negative: the extent rounded up to 16
  /// bytes (of D: exactly N when D is stored without TMA).
  int64_t pitchA = -1, pitchB = -1, pitchC = -1, pitchD = -1;
  bool storesWithoutTma = false;
  bool hasAlpha = false, hasBeta = false, hasOutScale = false;
  /// Elements of K whose sum is added to the accumulator in f32; 0: all.
  int64_t promoteEvery = 0;
  /// The tensor core keeps only 13 bits of fraction of a sum (wgmma with 8-bit
  /// operands).
  bool hasCoarseSums = false;
  /// False: the kernel's epilogue computes something else than that of the
  /// launch schema (docs/abi.md), which the float64 computation has.
  bool knowsEpilogue = true;
  float alpha = 1, beta = 0, outScale = 1;
  uint64_t seed = 0;
  /// Random scales of every code instead of those up to 2.
  bool fullRange = false;
  /// Byte that fills all padding: between K and the pitch, and the rows and
  /// groups that complete scale tiles. 0xFF and 0x7F are NaN scales.
  uint8_t poison = 0xFF;
};

/// Operands as they lie in memory; those that the problem does not have are
/// empty. `d` is poisoned with 0xFF before a run.
struct Operands {
  std::vector<uint8_t> a, b, sfa, sfb, c, d, sa, sb, bias;
};

/// Fills in kernel name, level and types from the one kernel of a module, or
/// the one called `name`. Returns the reason on failure.
std::string describeKernel(mlir::ModuleOp module, const std::string &name,
                           Problem &problem);

/// Scales of f32 in memory: rows, elements of a row, and from row to row.
struct SumScales {
  int64_t rows, columns, pitch;
};
SumScales getSumScales(const Problem &problem, bool isB);

/// Checks sizes and pitches and fills in the pitches that are negative.
std::string checkSizes(Problem &problem);

/// Random operands over the full range of codes, with poisoned padding.
Operands makeOperands(const Problem &problem);

/// The comparison of an output with the float64 computation.
struct Comparison {
  /// Elements that equal the exact result rounded once, and of those that do
  /// not, how many lie within and outside of the bound that follows from the
  /// accumulation in f32.
  int64_t equal = 0, withinBound = 0, outside = 0;
  /// Elements whose partial sums are all exact in f32 and that still differ.
  int64_t inexact = 0;
  /// Elements that differ where partial sums may overflow f32: not judged.
  int64_t overflowed = 0;
  /// Bytes outside of the output that changed.
  int64_t damaged = 0;
  /// Largest error of an element that was judged and is not equal, and how much
  /// of its bound such an error used.
  double largestError = 0, largestFraction = 0;
  /// absmax, mean absolute and squared error, cosine similarity.
  std::string metrics;
  /// The first element outside of its bound, in words.
  std::string firstFault;

  bool isGood() const { return outside == 0 && inexact == 0 && damaged == 0; }
};

/// absmax, mean absolute and squared error and cosine similarity of one output
/// against another one.
std::string compareOutputs(const Problem &problem,
                           const std::vector<uint8_t> &got,
                           const std::vector<uint8_t> &expected);

/// Compares operands.d with an independent computation in float64. Returns the
/// reason when it can't be computed.
std::string compareOutput(const Problem &problem, const Operands &operands,
                          Comparison &comparison);

} // namespace bsmm::runner

#endif // BSMM_RUNNER_PROBLEM_H
