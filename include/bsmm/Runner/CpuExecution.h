//===- CpuExecution.h - run a kernel or function on the CPU -----*- C++ -*-===//
//
// Compiles the reference conversion (bsmm/Conversion/BSMMToLinalg.h) just in
// time and calls it. Errors are texts; nothing here ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNNER_CPUEXECUTION_H
#define BSMM_RUNNER_CPUEXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace bsmm {

struct CpuExecutionOptions {
  /// Type of the sum over K: f64, or f32 rounded after each addition.
  bool accumulateF64 = true;
  /// Most CTAs of a persistent kernel.
  int64_t persistentCtas = 3;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optimizationLevel = 2;
};

/// Memory of one operand, packed as docs/abi.md says. Strides count elements;
/// -1: rows without gaps (rounded up to whole bytes), batches without gaps. The
/// pitch of blocked scales is not used.
struct CpuOperand {
  llvm::MutableArrayRef<uint8_t> bytes;
  int64_t pitch = -1;
  int64_t batchStride = -1;
};

/// D = cast(act(alpha * (A SFA B SFB * sa * sb) + beta * C + bias) *
/// out_scale). Inputs are not written to. Operands and scalars that the program
/// does not have are not looked at; those that it has and that are absent here
/// are errors, but c with beta = 0. Row scales are f32, M and N values or one.
struct CpuGemm {
  int64_t m = 0, n = 0, k = 0, l = 1;
  CpuOperand a, b, scaleA, scaleB, c, d, rowScaleA, rowScaleB, bias;
  float alpha = 1, beta = 0, outScale = 1;
};

/// Runs the tile-level kernel or the problem-level function `name` of a module,
/// which stays as it is. A problem-level function must consist of one
/// bsmm.scaled_matmul whose operands are arguments, directly or through
/// bsmm.view_scales, pack_scales, unpack_scales or tensor.cast, and return its
/// result alone. Sizes that types fix must be those of `gemm`. Nothing is
/// computed when M, N or L is 0.
///
/// The module's context must have the dialects and translations of
/// `registerDialects`. Empty text on success; else one error a line.
std::string executeGemmOnCpu(mlir::ModuleOp module, llvm::StringRef name,
                             const CpuGemm &gemm,
                             const CpuExecutionOptions &options = {});

/// One argument or result of a problem-level function: a tensor with its memory
/// and run-time extents, or a scalar.
struct CpuArgument {
  CpuOperand operand;
  llvm::ArrayRef<int64_t> shape;
  /// Bits of a scalar, in the low bytes.
  uint64_t scalar = 0;
};

/// Runs any problem-level function: its arguments, then its results, which are
/// written to.
std::string executeFunctionOnCpu(mlir::ModuleOp module, llvm::StringRef name,
                                 llvm::ArrayRef<CpuArgument> arguments,
                                 const CpuExecutionOptions &options = {});

} // namespace bsmm

#endif // BSMM_RUNNER_CPUEXECUTION_H
