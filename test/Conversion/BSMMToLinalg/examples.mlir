// RUN: bsmm-opt %examples/nvfp4_gemm.mlir --bsmm-to-cpu | FileCheck %s --implicit-check-not=bsmm. --implicit-check-not=gpu. --implicit-check-not=unrealized
// RUN: bsmm-opt %s --bsmm-problem-to-tile --bsmm-to-cpu | FileCheck %s --check-prefix=TILE --implicit-check-not=bsmm. --implicit-check-not=unrealized
// RUN: bsmm-opt %s "--bsmm-problem-to-tile=persistent predicated-store block-n=192" "--bsmm-to-cpu=accumulate=f32 persistent-ctas=2" | FileCheck %s --check-prefix=TILE --implicit-check-not=bsmm. --implicit-check-not=unrealized

// Tiles are heap memory that is freed.
// CHECK-LABEL: llvm.func @nvfp4_gemm(
// CHECK:         llvm.call @malloc
// CHECK:         llvm.call @free
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func @_mlir_ciface_nvfp4_gemm(

// TILE-LABEL:  llvm.func @gemm(
// TILE-LABEL:  llvm.func @_mlir_ciface_gemm(
#blocked = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(%a: tensor<?x?x?xf4E2M1FN>,
                %sa: tensor<?x?x?xf8E4M3FN, #blocked>,
                %b: tensor<?x?x?xf4E2M1FN>,
                %sb: tensor<?x?x?xf8E4M3FN, #blocked>,
                %c: tensor<?x?x?xf16>, %alpha: f32) -> tensor<?x?x?xf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>, tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%c : tensor<?x?x?xf16>) alpha(%alpha)
      {activation = #bsmm.activation<relu>} -> tensor<?x?x?xf16>
  return %d : tensor<?x?x?xf16>
}
