// NVFP4, batched.
#scales = #bsmm.scales<blocked_128x4, vec = 16>
module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  func.func @nvfp4_gemm(
      %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #scales>,
      %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #scales>,
      %d: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
    %0 = bsmm.scaled_matmul
        ins(%a scales %sfa, %b scales %sfb : tensor<?x?x?xf4E2M1FN>,
            tensor<?x?x?xf8E4M3FN, #scales>, tensor<?x?x?xf4E2M1FN>,
            tensor<?x?x?xf8E4M3FN, #scales>)
        outs(%d : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
    return %0 : tensor<?x?x?xf16>
  }
}
