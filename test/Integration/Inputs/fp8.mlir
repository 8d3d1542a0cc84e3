// FP8 without any scale.
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xbf16>)
      -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
