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

    Example:

    ```mlir
    bsmm.copy_scales %s to %t
        : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
        to !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
    ```

    becomes

    ```mlir
    nvvm.tcgen05.cp %address, %descriptor {multicast = #nvvm.tcgen05_cp_multicast<warpx4>, shape = #nvvm.tcgen05_cp_shape<shape_32x128b>}
    ```

    with the descriptor made of the address of `%s` and fixed bits.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertBsmmToLinalg : Pass<"convert-bsmm-to-linalg", "::mlir::ModuleOp"> {
  let summary = "problem and tile level to linalg: their meaning on a CPU";
  let description = [{
    The reference conversion. Every tile-level `bsmm.kernel` becomes a
    `func.func` outside of its `gpu.module` that runs the CTAs of the grid one
    after another, and every function with problem-level operations is converted
    in place. What remains are linalg, tensor, scf, arith and math over bytes:
    memory is `memref<?xi8>`, operands are decoded once into f32, sums over K
    are f64 or f32, and outputs are written as bytes inside of their bounds.
    bsmm/Conversion/BSMMToLinalg.h says what the functions take.

    Example: `bsmm.scaled_dot` becomes

    ```mlir
    %sum = linalg.generic {iterator_types = ["parallel", "reduction", "parallel"], ...}
        ins(%a_scaled, %b_scaled : tensor<128x256xf32>, tensor<256x128xf32>)
        outs(%acc : tensor<128x128xf64>) {
    ^bb0(%x: f32, %y: f32, %z: f64):
      %0 = arith.extf %x : f32 to f64
      %1 = arith.extf %y : f32 to f64
      %2 = arith.mulf %0, %1 : f64
      %3 = arith.addf %z, %2 : f64
      linalg.yield %3 : f64
    } -> tensor<128x128xf64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"accumulate", "accumulate", "std::string", "\"f64\"",
           "type of the sum over K: f64, or f32 rounded after each addition">,
    Option<"persistentCtas", "persistent-ctas", "int64_t", "3",
           "most CTAs of a persistent kernel">
  ];
}

#endif // BSMM_CONVERSION_PASSES_TD
