//===- Passes.td - conversions from and to bsmm ------------*- tablegen -*-===//

#ifndef BSMM_CONVERSION_PASSES_TD
#define BSMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertBsmmToNVVM : Pass<"convert-bsmm-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "pipeline-level kernels to NVVM";
  let description = [{
    Turns every pipeline-level `bsmm.kernel` whose memory has been assigned into
    an `llvm.func` with `nvvm.kernel`: tensor maps become 128-byte grid-constant
    parameters, channels become mbarriers, copies and matrix operations become
    NVVM operations with the descriptors that the Layout library computes. What
    remains is upstream's scf, arith and vector.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // BSMM_CONVERSION_PASSES_TD
