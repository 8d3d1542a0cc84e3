//===- ToArtifact.cpp - kernels to runtime artifacts ----------------------===//

#include "bsmm/Translation/ToArtifact.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Pipelines/Pipelines.h"
#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Translation/ToManifest.h"
#include "bsmm/Translation/ToPTX.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace bsmm;

FailureOr<std::vector<CompiledKernel>> bsmm::compileKernels(ModuleOp module) {
  // Places that pipeline-level kernels state are kept.
  bool isPlaced = true;
  module.walk([&](KernelOp kernel) {
    isPlaced &= kernel.getLevel() == Level::Pipeline &&
                kernel.getDynamicSharedMemory().has_value();
  });
  if (!isPlaced) {
    PassManager manager(module.getContext());
    buildTileToPipeline(manager);
    if (failed(manager.run(module)))
      return failure();
  }
  // Manifests are made of the pipeline level; the PTX follows below it.
  std::vector<CompiledKernel> kernels;
  SmallVector<size_t> counts;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    counts.push_back(0);
    for (auto kernel : gpuModule.getOps<KernelOp>()) {
      FailureOr<runtime::KernelManifest> manifest = buildManifest(kernel);
      if (failed(manifest))
        return failure();
      kernels.push_back({std::move(*manifest), ""});
      ++counts.back();
    }
  }
  if (kernels.empty())
    return module.emitError("expected a bsmm.kernel in a gpu.module; "
                            "bsmm-problem-to-tile makes one of problem-level "
                            "functions");
  PassManager lower(module.getContext());
  buildPipelineToNVVM(lower);
  if (failed(lower.run(module)))
    return failure();
  auto kernel = kernels.begin();
  for (auto [gpuModule, count] :
       llvm::zip(module.getOps<gpu::GPUModuleOp>(), counts)) {
    if (count == 0)
      continue;
    FailureOr<std::string> ptx = translateToPTX(gpuModule);
    if (failed(ptx))
      return failure();
    for (size_t i = 0; i < count; ++i)
      (kernel++)->ptx = *ptx;
  }
  return kernels;
}

FailureOr<std::string> bsmm::buildArtifact(ModuleOp module) {
  FailureOr<std::vector<CompiledKernel>> kernels = compileKernels(module);
  if (failed(kernels))
    return failure();
  runtime::Artifact artifact;
  artifact.producer = "bsmm-translate";
  bool hasPtxas = !findPtxas().empty();
  // Cubins by their PTX: kernels of one gpu.module share one.
  std::map<std::string, std::string> cubins;
  for (CompiledKernel &compiled : *kernels) {
    runtime::ArtifactKernel kernel;
    kernel.name = compiled.manifest.entry;
    kernel.ptx = compiled.ptx;
    if (hasPtxas) {
      auto [entry, isNew] = cubins.try_emplace(compiled.ptx);
      if (isNew) {
        FailureOr<AssembledKernel> assembled =
            assemble(module.getLoc(), compiled.ptx, compiled.manifest.target);
        if (failed(assembled))
          return failure();
        entry->second = std::move(assembled->cubin);
      }
      kernel.cubin = entry->second;
      compiled.manifest.cubin = "kernel.cubin";
    }
    kernel.manifest = compiled.manifest;
    artifact.kernels.push_back(std::move(kernel));
  }
  runtime::Result<std::string> bytes = runtime::formatArtifact(artifact);
  if (!bytes)
    return module.emitError("cannot be made an artifact: ") << bytes.error();
  return *bytes;
}
