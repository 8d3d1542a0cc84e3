//===- Pipelines.cpp - the pipelines that users call ----------------------===//

#include "bsmm/Pipelines/Pipelines.h"
#include "bsmm/Conversion/Passes.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void bsmm::buildTileToPipeline(OpPassManager &manager) {
  manager.addPass(createBsmmVerifyLayouts());
  manager.addPass(createBsmmTileToPipeline());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createBsmmAssignMemory());
}

void bsmm::buildPipelineToNVVM(OpPassManager &manager) {
  OpPassManager &gpu = manager.nest<gpu::GPUModuleOp>();
  gpu.addPass(createConvertBsmmToNVVM());
  gpu.addPass(createCanonicalizerPass());
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

void bsmm::registerPipelines() {
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
