//===- Translations.cpp - what bsmm-translate writes ----------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Registration/Registration.h"
#include "bsmm/Pipelines/Pipelines.h"
#include "bsmm/Translation/ToArtifact.h"
#include "bsmm/Translation/ToManifest.h"
#include "bsmm/Translation/ToPTX.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace bsmm;

void bsmm::registerTranslations() {
  TranslateFromMLIRRegistration toPTX(
      "bsmm-to-ptx", "kernels at the tile or pipeline level to PTX",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> ptx = lowerToPTX(module);
        if (failed(ptx))
          return failure();
        os << *ptx;
        return success();
      },
      registerDialects);
  TranslateFromMLIRRegistration toCubin(
      "bsmm-to-cubin",
      "kernels to a cubin with ptxas; what ptxas reports goes to stderr",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> ptx = lowerToPTX(module);
        if (failed(ptx))
          return failure();
        auto gpuModule = *module.getOps<gpu::GPUModuleOp>().begin();
        auto target = gpuModule->getAttrOfType<TargetAttr>(
            BsmmDialect::getTargetAttrName());
        FailureOr<AssembledKernel> kernel =
            assemble(module.getLoc(), *ptx, target.getChip());
        if (failed(kernel))
          return failure();
        llvm::errs() << kernel->log;
        os << kernel->cubin;
        return success();
      },
      registerDialects);
  TranslateFromMLIRRegistration toArtifact(
      "bsmm-to-artifact",
      "kernels at the tile or pipeline level to an artifact for the runtime, "
      "with cubins where ptxas is",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> artifact = buildArtifact(module);
        if (failed(artifact))
          return failure();
        os << *artifact;
        return success();
      },
      registerDialects);
  TranslateFromMLIRRegistration toManifest(
      "bsmm-to-manifest",
      "one kernel at the tile or pipeline level to its launch manifest",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        PassManager manager(module.getContext());
        buildTileToPipeline(manager);
        if (failed(manager.run(module)))
          return failure();
        SmallVector<KernelOp> kernels;
        module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
        if (kernels.size() != 1)
          return module.emitError("expected one bsmm.kernel, got ")
                 << kernels.size();
        FailureOr<runtime::KernelManifest> manifest =
            buildManifest(kernels.front());
        if (failed(manifest))
          return failure();
        os << runtime::writeManifest(*manifest);
        return success();
      },
      registerDialects);
}
