//===- CompileOne.cpp - the code of one kernel of a module ----------------===//

#include "CompileOne.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace bsmm;

std::string runner::compileOne(ModuleOp module, const std::string &name,
                               CompiledKernel &compiled) {
  OwningOpRef<ModuleOp> clone(cast<ModuleOp>(module->clone()));
  FailureOr<std::vector<CompiledKernel>> kernels = compileKernels(*clone);
  if (failed(kernels))
    return "the kernel does not compile";
  for (CompiledKernel &kernel : *kernels)
    if (kernel.manifest.entry == name) {
      compiled = std::move(kernel);
      return "";
    }
  return "expected a kernel '" + name + "' after compiling";
}
