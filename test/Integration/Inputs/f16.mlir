// Operands of 16 bits.
func.func @gemm(
    %a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>,
    %d: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%d : tensor<?x?x?xf16>)
      -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
