// One scale for each operand.
func.func @gemm(
    %a: tensor<?x?x?xf8E5M2>, %b: tensor<?x?x?xf8E5M2>,
    %d: tensor<?x?x?xf16>,
    %ra: tensor<1xf32>, %rb: tensor<1xf32>) -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E5M2>, tensor<?x?x?xf8E5M2>)
      outs(%d : tensor<?x?x?xf16>)
      row_scale_a(%ra : tensor<1xf32>) row_scale_b(%rb : tensor<1xf32>)
      -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
