// An FP8 product for Hopper: D = (A B^T) * sa * sb, with a scale for each row of
// A and of B, e4m3 operands and a bf16 result. It is stated for whole tensors;
//
//   bsmm-opt --bsmm-problem-to-tile="block-n=256 block-k=128" fp8_gemm.mlir
//
// makes a kernel of it that walks over output tiles of 128x256. Extents are
// run-time arguments of the kernel, in the order of docs/abi.md.
module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  func.func @fp8_gemm(
      %a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>,
      %d: tensor<?x?xbf16>, %sa: tensor<?xf32>, %sb: tensor<?xf32>)
      -> tensor<?x?xbf16> {
    %0 = bsmm.scaled_matmul
        ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>)
        outs(%d : tensor<?x?xbf16>)
        row_scale_a(%sa : tensor<?xf32>) row_scale_b(%sb : tensor<?xf32>)
        -> tensor<?x?xbf16>
    return %0 : tensor<?x?xbf16>
  }
}
