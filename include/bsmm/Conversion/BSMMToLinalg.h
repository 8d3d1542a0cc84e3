//===- BSMMToLinalg.h - the meaning of bsmm on a CPU ------------*- C++ -*-===//
//
// The reference conversion: problem-level functions and tile-level kernels
// become `func.func` over bytes, written in linalg, tensor, scf, arith and
// math. No tensor of a 4-, 6- or 8-bit floating-point type remains: memory is
// bytes, operands are decoded once, and decoded values are f32, which holds
// every value of these types exactly.
//
// A kernel becomes a function outside of its gpu.module that runs all CTAs of
// the grid one after another:
//
//   func.func @NAME(
//       memref<?xi8> x 9   memory of a, b, sfa, sfb, c, d, sa, sb, bias,
//       i64 x 4            M, N, K, L,
//       i64 x 12           row pitch and batch stride of a, b, sfa, sfb, c, d,
//       f32 x 3            alpha, beta, out_scale) -> i64
//
// in the order of `cpuMemoryRoles`, `cpuSizeRoles`, `cpuStridedRoles` and
// `cpuScalarRoles`. Every kernel has all arguments; what it does not use is not
// read. Memory is as docs/abi.md says: rows of packed codes, scales linear or
// in blocked tiles. Strides count elements, and rows start at whole bytes; the
// pitch of blocked scales is not used. The caller resolves every default.
//
// A problem-level function is converted in place. A tensor argument becomes
//
//   memref<?xi8>, i64 x rank (extents), i64 (row pitch), i64 (batch stride)
//
// and so does every result, after the arguments, as memory to write to. Scalars
// of type f32, i1, i32 and i64 stay, index becomes i64. Tensors of rank 1 to 3
// are rows of packed codes; tensors with a blocked encoding are blocked tiles;
// others are dense, in the memory order of the `bsmm.view_scales` that reads
// them or else row-major.
//
// Both return 0, or the sum of the `CpuStatus` bits of what went wrong; neither
// writes outside of the given memory.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_CONVERSION_BSMMTOLINALG_H
#define BSMM_CONVERSION_BSMMTOLINALG_H

#include "bsmm/Dialect/IR/Bsmm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace bsmm {

struct CpuConversionOptions {
  /// Type of the sum over K: f64, or f32 rounded after each addition. Products
  /// are exact either way.
  bool accumulateF64 = true;
  /// Most CTAs of a persistent kernel.
  int64_t persistentCtas = 3;
};

/// What the function of a kernel takes, in this order.
inline constexpr ArgumentRole cpuMemoryRoles[] = {
    ArgumentRole::A,         ArgumentRole::B,         ArgumentRole::ScaleA,
    ArgumentRole::ScaleB,    ArgumentRole::C,         ArgumentRole::D,
    ArgumentRole::RowScaleA, ArgumentRole::RowScaleB, ArgumentRole::Bias};
inline constexpr ArgumentRole cpuSizeRoles[] = {
    ArgumentRole::M, ArgumentRole::N, ArgumentRole::K, ArgumentRole::L};
inline constexpr ArgumentRole cpuStridedRoles[] = {
    ArgumentRole::A,      ArgumentRole::B, ArgumentRole::ScaleA,
    ArgumentRole::ScaleB, ArgumentRole::C, ArgumentRole::D};
inline constexpr ArgumentRole cpuScalarRoles[] = {
    ArgumentRole::Alpha, ArgumentRole::Beta, ArgumentRole::OutScale};

/// Bits of the value that a converted function returns.
enum CpuStatus : int64_t {
  /// A store outside of the output's memory was not made.
  cpuStoreOutOfBounds = 1,
  /// Run-time extents of operands do not fit together; nothing was computed.
  cpuExtentsDisagree = 2,
  /// bsmm.extract_rows or bsmm.extract_columns was asked for what the tile does
  /// not have.
  cpuSliceOutOfRange = 4,
  /// A vector_load or predicated_load outside of its operand's memory was not
  /// made; its elements are zero.
  cpuLoadOutOfBounds = 8,
};

/// Elements of K that share a scale, the same for all scaled dots of a kernel;
/// 0 without any. Fails with an error when they differ.
mlir::FailureOr<int64_t> findScaleVectorSize(KernelOp kernel);

/// Whether a function belongs to the problem level: it has one of its
/// operations.
bool isProblemFunction(mlir::func::FuncOp function);

/// Writes the function of a tile-level kernel where `builder` stands. The
/// kernel stays. Fails with an error on what has no meaning on a CPU yet.
mlir::FailureOr<mlir::func::FuncOp>
convertKernelToLinalg(mlir::OpBuilder &builder, KernelOp kernel,
                      const CpuConversionOptions &options);

/// Replaces a problem-level function.
mlir::LogicalResult
convertProblemFunctionToLinalg(mlir::func::FuncOp function,
                               const CpuConversionOptions &options);

} // namespace bsmm

#endif // BSMM_CONVERSION_BSMMTOLINALG_H
