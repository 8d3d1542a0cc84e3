// C alone.
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xf16>, %beta: f32) -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xf16>)
      beta(%beta)
      -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
