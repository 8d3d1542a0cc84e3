//===- Pipelines.h - the pipelines that users call --------------*- C++ -*-===//

#ifndef BSMM_PIPELINES_PIPELINES_H
#define BSMM_PIPELINES_PIPELINES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace bsmm {

/// Tile level to pipeline level with assigned memory.
void buildTileToPipeline(mlir::OpPassManager &manager);

/// Pipeline level to NVVM and LLVM operations inside of gpu.module.
void buildPipelineToNVVM(mlir::OpPassManager &manager);

/// Tile level to NVVM: both of the above.
void buildBsmmToNVVM(mlir::OpPassManager &manager);

/// Problem and tile level to LLVM operations for the CPU. `accumulate` is the
/// type of the sum over K, f64 or f32; a persistent kernel runs at most
/// `persistentCtas` CTAs.
void buildBsmmToCpu(mlir::OpPassManager &manager,
                    llvm::StringRef accumulate = "f64",
                    int64_t persistentCtas = 3);

/// Registers `bsmm-to-cpu`, `bsmm-tile-to-pipeline-level`,
/// `bsmm-pipeline-level-to-nvvm` and `bsmm-to-nvvm`.
void registerPipelines();

} // namespace bsmm

#endif // BSMM_PIPELINES_PIPELINES_H
