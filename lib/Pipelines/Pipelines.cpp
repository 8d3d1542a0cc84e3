//===- Pipelines.cpp - the pipelines that users call ----------------------===//

#include "bsmm/Pipelines/Pipelines.h"
#include "bsmm/Conversion/Passes.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void bsmm::buildTileToPipeline(OpPassManager &manager) {
  manager.addPass(createBsmmVerifyScales());
  manager.addPass(createBsmmVerifyLayouts());
  manager.addPass(createBsmmTileToPipeline());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createBsmmVerifyChannels());
  manager.addPass(createBsmmAssignMemory());
}

void bsmm::buildPipelineToNVVM(OpPassManager &manager) {
  manager.addPass(createBsmmVerifyChannels());
  OpPassManager &gpu = manager.nest<gpu::GPUModuleOp>();
  gpu.addPass(createConvertBsmmToNVVM());
  gpu.addPass(createCanonicalizerPass());
  gpu.addPass(createCSEPass());
  gpu.addPass(createBsmmCarryRemainders());
  gpu.addPass(createBsmmSkipDivisions());
  gpu.addPass(createCSEPass());
  gpu.addPass(arith::createArithExpandOpsPass());
  gpu.addPass(createSCFToControlFlowPass());
  gpu.addPass(createConvertVectorToLLVMPass());
  gpu.addPass(createConvertToLLVMPass());
  gpu.addPass(createReconcileUnrealizedCastsPass());
  gpu.addPass(createCanonicalizerPass());
  gpu.addPass(createCSEPass());
}

void bsmm::buildBsmmToNVVM(OpPassManager &manager) {
  buildTileToPipeline(manager);
  buildPipelineToNVVM(manager);
}

void bsmm::buildBsmmToCpu(OpPassManager &manager, StringRef accumulate,
                          int64_t persistentCtas) {
  ConvertBsmmToLinalgOptions conversion;
  conversion.accumulate = accumulate.str();
  conversion.persistentCtas = persistentCtas;
  manager.addPass(createBsmmVerifyScales());
  manager.addPass(createConvertBsmmToLinalg(conversion));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  bufferization::OneShotBufferizePassOptions bufferization;
  bufferization.bufferizeFunctionBoundaries = true;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferization));
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Tiles are heap memory, freed at the end of the loop body that makes them.
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

namespace {
struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<std::string> accumulate{
      *this, "accumulate",
      llvm::cl::desc("type of the sum over K: f64, or f32 rounded after each "
                     "addition"),
      llvm::cl::init("f64")};
  Option<int64_t> persistentCtas{
      *this, "persistent-ctas",
      llvm::cl::desc("most CTAs of a persistent kernel"), llvm::cl::init(3)};
};
} // namespace

void bsmm::registerPipelines() {
  PassPipelineRegistration<CpuPipelineOptions>(
      "bsmm-to-cpu",
      "problem-level functions and tile-level kernels to LLVM operations for "
      "the CPU",
      [](OpPassManager &manager, const CpuPipelineOptions &options) {
        buildBsmmToCpu(manager, options.accumulate, options.persistentCtas);
      });
  PassPipelineRegistration<>(
      "bsmm-tile-to-pipeline-level",
      "prove the layouts of tile-level kernels, give them their asynchronous "
      "form and their memory",
      buildTileToPipeline);
  PassPipelineRegistration<>(
      "bsmm-pipeline-level-to-nvvm",
      "pipeline-level kernels with assigned memory to NVVM and LLVM operations",
      buildPipelineToNVVM);
  PassPipelineRegistration<>("bsmm-to-nvvm",
                             "tile-level kernels to NVVM and LLVM operations",
                             buildBsmmToNVVM);
}
