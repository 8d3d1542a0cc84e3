// MXFP8 with e5m2 times e4m3 and f32 results.
#scales = #bsmm.scales<blocked_128x4, vec = 32>
module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  func.func @mxfp8_gemm(
      %a: tensor<?x?xf8E5M2>, %sfa: tensor<?x?xf8E8M0FNU, #scales>,
      %b: tensor<?x?xf8E4M3FN>, %sfb: tensor<?x?xf8E8M0FNU, #scales>,
      %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = bsmm.scaled_matmul
        ins(%a scales %sfa, %b scales %sfb : tensor<?x?xf8E5M2>,
            tensor<?x?xf8E8M0FNU, #scales>, tensor<?x?xf8E4M3FN>,
            tensor<?x?xf8E8M0FNU, #scales>)
        outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}
