//===- BSMMToLinalg.cpp - the reference conversion as a pass --------------===//

#include "bsmm/Conversion/BSMMToLinalg.h"
#include "bsmm/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"

namespace bsmm {
#define GEN_PASS_DEF_CONVERTBSMMTOLINALG
#include "bsmm/Conversion/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

namespace {
struct ConvertBsmmToLinalg
    : bsmm::impl::ConvertBsmmToLinalgBase<ConvertBsmmToLinalg> {
  using ConvertBsmmToLinalgBase::ConvertBsmmToLinalgBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertBsmmToLinalgBase::getDependentDialects(registry);
    // What the result needs on its way to LLVM.
    arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
        registry);
    cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    memref::registerAllocationOpInterfaceExternalModels(registry);
    scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    CpuConversionOptions options;
    if (accumulate != "f64" && accumulate != "f32")
      return module.emitError("option accumulate: expected f64 or f32, got '")
             << accumulate << "'";
    options.accumulateF64 = accumulate == "f64";
    if (persistentCtas < 1)
      return module.emitError(
                 "option persistent-ctas: expected 1 or more, got ")
             << int64_t(persistentCtas);
    options.persistentCtas = persistentCtas;

    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (isProblemFunction(function))
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(convertProblemFunctionToLinalg(function, options)))
        return failure();

    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (Operation *other = module.lookupSymbol(kernel.getSymName())) {
        InFlightDiagnostic diagnostic = kernel.emitOpError(
            "expected a name that the module does not have, since the kernel "
            "becomes a function of it");
        diagnostic.attachNote(other->getLoc()) << "the other symbol";
        return diagnostic;
      }
      OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
      if (failed(convertKernelToLinalg(builder, kernel, options)))
        return failure();
    }
    for (KernelOp kernel : kernels) {
      auto parent = kernel->getParentOfType<gpu::GPUModuleOp>();
      kernel.erase();
      if (parent.getBody()->empty())
        parent.erase();
    }
    // Of no meaning on a CPU.
    module->removeAttr(BsmmDialect::getTargetAttrName());
    return success();
  }
};
} // namespace
