//===- ToPTX.cpp - kernels to PTX -----------------------------------------===//

#include "bsmm/Translation/ToPTX.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Pipelines/Pipelines.h"
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace bsmm;

namespace {
/// MLIR's serialization of a gpu.module up to PTX. The kernels call no device
/// library, so that none is looked for.
class PtxSerializer : public NVVM::SerializeGPUModuleBase {
public:
  using SerializeGPUModuleBase::SerializeGPUModuleBase;

  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &) override {
    return SmallVector<std::unique_ptr<llvm::Module>>();
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    FailureOr<SmallString<0>> ptx = translateModuleToISA(
        llvmModule, **machine, [&] { return getOperation().emitError(); });
    if (failed(ptx))
      return failure();
    return SmallVector<char, 0>(ptx->begin(), ptx->end());
  }
};
} // namespace

/// "+ptx88" for the version that the table emits for a target.
static std::string ptxFeature(const target::Gpu &gpu) {
  return "+ptx" + std::to_string(gpu.emittedPtx.number());
}

FailureOr<std::string> bsmm::translateToPTX(gpu::GPUModuleOp module) {
  auto targetAttr =
      module->getAttrOfType<TargetAttr>(BsmmDialect::getTargetAttrName());
  if (!targetAttr) {
    module.emitError("expected a target on the gpu.module; lower its kernels "
                     "with bsmm-to-nvvm first");
    return failure();
  }
  for (Operation &op : *module.getBody())
    if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op.getDialect())) {
      op.emitError("expected a module lowered with bsmm-to-nvvm, got '")
          << op.getName() << "'";
      return failure();
    }
  const target::Gpu *gpu =
      target::findGpu(std::string_view(targetAttr.getChip()));
  // The operations' own checks of the target are inconsistent in LLVM 22
  // (sm_103a is refused although the backend has it); ours have run before.
  auto nvvmTarget = NVVM::NVVMTargetAttr::get(
      module.getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda",
      targetAttr.getChip(), ptxFeature(*gpu), /*flags=*/nullptr,
      /*files=*/nullptr, /*verifyTarget=*/false);
  NVVM::SerializeGPUModuleBase::init();
  // The target's name is no attribute that LLVM IR knows.
  module->removeAttr(BsmmDialect::getTargetAttrName());
  std::optional<PtxSerializer> serializer;
  {
    // The base class looks for libdevice in the CUDA toolkit and complains when
    // there is none; PTX needs neither.
    ScopedDiagnosticHandler ignore(module.getContext(),
                                   [](Diagnostic &) { return success(); });
    serializer.emplace(*module, nvvmTarget);
  }
  std::optional<SmallVector<char, 0>> ptx = serializer->run();
  module->setAttr(BsmmDialect::getTargetAttrName(), targetAttr);
  if (!ptx)
    return failure();
  return std::string(ptx->begin(), ptx->end());
}

FailureOr<std::string> bsmm::lowerToPTX(ModuleOp module) {
  SmallVector<gpu::GPUModuleOp> gpuModules(module.getOps<gpu::GPUModuleOp>());
  if (gpuModules.size() != 1) {
    module.emitError("expected one gpu.module to translate, got ")
        << gpuModules.size()
        << (gpuModules.empty()
                ? "; bsmm-problem-to-tile makes one of problem-level functions"
                : "; --bsmm-to-artifact takes several");
    return failure();
  }
  // Only what bsmm has made and checked goes to the backend, which answers
  // instructions of another target with a fatal error.
  for (Operation &op : *gpuModules.front().getBody())
    if (!isa<KernelOp>(op)) {
      op.emitOpError("expected only bsmm.kernel operations in a gpu.module to "
                     "translate");
      return failure();
    }
  auto kernels = gpuModules.front().getOps<KernelOp>();
  if (kernels.empty()) {
    module.emitError("expected a bsmm.kernel to translate");
    return failure();
  }
  for (KernelOp kernel : kernels)
    if (!kernel.resolveTarget()) {
      kernel.emitOpError("expected a target, e.g. target = "
                         "#bsmm.target<\"sm_100a\">");
      return failure();
    }
  PassManager manager(module.getContext());
  buildBsmmToNVVM(manager);
  if (failed(manager.run(module)))
    return failure();
  return translateToPTX(gpuModules.front());
}
