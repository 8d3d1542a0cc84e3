// Everything that an epilogue may have.
#blocked = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(
    %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #blocked>,
    %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #blocked>,
    %d: tensor<?x?x?xbf16>,
    %ra: tensor<?xf32>, %rb: tensor<?xf32>, %bias: tensor<?xf32>,
    %alpha: f32, %beta: f32, %scale: f32) -> tensor<?x?x?xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb : tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>, tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%d : tensor<?x?x?xbf16>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      alpha(%alpha) beta(%beta) bias(%bias : tensor<?xf32>) out_scale(%scale)
      {activation = #bsmm.activation<relu>} -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
