// C, a bias and one scale for each operand.
#blocked = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(
    %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #blocked>,
    %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #blocked>,
    %d: tensor<?x?x?xf16>,
    %ra: tensor<1xf32>, %rb: tensor<1xf32>, %beta: f32,
    %bias: tensor<?xf32>) -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb : tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>, tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%d : tensor<?x?x?xf16>)
      row_scale_a(%ra : tensor<1xf32>) row_scale_b(%rb : tensor<1xf32>)
      beta(%beta) bias(%bias : tensor<?xf32>)
      -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
