//===- KernelCheck.h - operands for a kernel and its verdict ----*- C++ -*-===//
//
// Seeded operands of every role that a manifest names, and the comparison of
// what a kernel made of them with the float64 reference (HostGemm.h).
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_KERNELCHECK_H
#define BSMM_RUNTIME_KERNELCHECK_H

#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Runtime/Result.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bsmm::runtime {

/// What random operands look like.
enum class Distribution {
  /// Every finite code of A, B and the block scales up to 2, so that most
  /// outputs are finite. Row scales, bias and C have signs and some octaves.
  Moderate,
  /// Also block scales of every finite code (ue8m0: up to 2^40).
  Full,
  /// A and B of -1, 0 and 1, scales that are powers of two: every partial sum
  /// is exact, also in the coarse sums of wgmma up to K = 8192, so that an
  /// output has one right value whatever the order of summation is.
  Exact
};

struct TestDataOptions {
  uint64_t seed = 0;
  Distribution distribution = Distribution::Moderate;
  uint8_t poison = 0xFF; ///< of padding; 0xFF and 0x7F are NaN scales
};

/// The bytes of each operand that the kernel takes, but the workspace. D is
/// poisoned. Shapes are those of operandShape.
using TestOperands = std::map<Role, std::vector<uint8_t>>;

/// Random operands for a request, whose operands say pitches and strides.
Result<TestOperands> makeTestOperands(const KernelManifest &manifest,
                                      const LaunchRequest &request,
                                      const TestDataOptions &options);

struct VerificationOptions {
  uint8_t poison = 0xFF; ///< that D was filled with
  /// Multiply-adds of the reference; a larger problem is judged at rows and
  /// columns that are drawn, the first and last ones always among them.
  int64_t maxMultiplyAdds = int64_t(1) << 30;
  uint64_t seed = 0;
  unsigned threads = 2;
  /// The operands are of Distribution::Exact: with factors that are powers of
  /// two, every output has one right value.
  bool hasExactSums = false;
};

struct Verification {
  int64_t outputs = 0;     ///< of the kernel
  int64_t judged = 0;      ///< compared with the reference
  int64_t equal = 0;       ///< to the exact result, rounded once
  int64_t withinBound = 0; ///< not equal, but within the bound
  int64_t outside = 0;
  /// Outputs that differ although every partial sum is exact.
  int64_t inexact = 0;
  /// Outputs that differ where partial sums may leave the range of f32: not
  /// judged further.
  int64_t overflowed = 0;
  int64_t damaged = 0;        ///< bytes outside of the rows of D that changed
  double largestError = 0;    ///< |got - exact|
  double largestFraction = 0; ///< of the bound that an error used
  std::string firstFault;     ///< in words; empty without one
  bool isGood() const { return outside == 0 && inexact == 0 && damaged == 0; }
};

/// Compares D with the reference. The bound of an output follows from how
/// kernels sum: in f32, and in the 13 fraction bits of wgmma with 8-bit
/// operands on targets that have it.
Result<Verification> verifyOutput(const KernelManifest &manifest,
                                  const LaunchRequest &request,
                                  const TestOperands &operands,
                                  const VerificationOptions &options = {});

/// Bytes that a launch must move at least: each operand once.
int64_t trafficBytes(const KernelManifest &manifest,
                     const LaunchRequest &request);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_KERNELCHECK_H
