//===- ToPTX.h - kernels to PTX and cubin -----------------------*- C++ -*-===//
//
// The last steps, after the pipeline `bsmm-to-nvvm`. PTX is made by LLVM's
// NVPTX backend through MLIR's NVVM serialization; a cubin by ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TRANSLATION_TOPTX_H
#define BSMM_TRANSLATION_TOPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace bsmm {

/// PTX of a gpu.module that the pipeline `bsmm-to-nvvm` has lowered. Needs no
/// CUDA toolkit. Errors are emitted as diagnostics.
mlir::FailureOr<std::string> translateToPTX(mlir::gpu::GPUModuleOp module);

/// Lowers all kernels of a module at the tile or pipeline level and gives the
/// PTX of its one gpu.module.
mlir::FailureOr<std::string> lowerToPTX(mlir::ModuleOp module);

/// A cubin and what ptxas said about it.
struct AssembledKernel {
  std::string cubin;
  std::string log;
};

/// The ptxas of `CUDA_HOME`, /usr/local/cuda or PATH; empty when there is none.
std::string findPtxas();

/// Assembles PTX for a target such as "sm_100a". Fails with a diagnostic when
/// there is no ptxas or when it refuses the PTX.
mlir::FailureOr<AssembledKernel> assemble(mlir::Location loc,
                                          llvm::StringRef ptx,
                                          llvm::StringRef chip);

} // namespace bsmm

#endif // BSMM_TRANSLATION_TOPTX_H
