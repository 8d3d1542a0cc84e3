//===- ToArtifact.h - kernels to runtime artifacts --------------*- C++ -*-===//

#ifndef BSMM_TRANSLATION_TOARTIFACT_H
#define BSMM_TRANSLATION_TOARTIFACT_H

#include "bsmm/Runtime/LaunchDescription.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace bsmm {

/// A kernel as the runtime needs it.
struct CompiledKernel {
  runtime::KernelManifest manifest;
  std::string ptx;
};

/// Lowers all kernels of a module at the tile or pipeline level, in place, and
/// describes them. Kernels of one gpu.module share its PTX.
mlir::FailureOr<std::vector<CompiledKernel>>
compileKernels(mlir::ModuleOp module);

/// The bytes of an artifact (docs/runtime.md) with the kernels of a module,
/// which is lowered in place. With ptxas on this machine (findPtxas) each
/// kernel has a cubin as well.
mlir::FailureOr<std::string> buildArtifact(mlir::ModuleOp module);

} // namespace bsmm

#endif // BSMM_TRANSLATION_TOARTIFACT_H
