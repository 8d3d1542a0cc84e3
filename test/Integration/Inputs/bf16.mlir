// Operands of 16 bits, and a bias.
func.func @gemm(
    %a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>,
    %d: tensor<?x?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>)
      outs(%d : tensor<?x?x?xf32>)
      bias(%bias : tensor<?xf32>)
      -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
