// FP8 with a scale for each row of A and of B, for Hopper.
module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  func.func @fp8_gemm(
      %a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %d: tensor<?x?xbf16>,
      %sa: tensor<?xf32>, %sb: tensor<?xf32>) -> tensor<?x?xbf16> {
    %0 = bsmm.scaled_matmul
        ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>)
        outs(%d : tensor<?x?xbf16>)
        row_scale_a(%sa : tensor<?xf32>) row_scale_b(%sb : tensor<?xf32>)
        -> tensor<?x?xbf16>
    return %0 : tensor<?x?xbf16>
  }
}
