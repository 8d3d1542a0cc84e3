// D[m, n] = sum over k of A[m, k] B[n, k] in bf16, so that the output of one
// launch is an operand of the next.
module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  func.func @gemm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                  %init: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
    %d = bsmm.scaled_matmul
        ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
        outs(%init : tensor<?x?xbf16>) -> tensor<?x?xbf16>
    return %d : tensor<?x?xbf16>
  }
}
