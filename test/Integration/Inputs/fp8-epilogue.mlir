// Everything that an epilogue may have.
func.func @gemm(
    %a: tensor<?x?x?xf8E5M2>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xbf16>,
    %ra: tensor<?xf32>, %rb: tensor<?xf32>, %bias: tensor<?xf32>,
    %alpha: f32, %beta: f32, %scale: f32) -> tensor<?x?x?xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E5M2>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xbf16>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      alpha(%alpha) beta(%beta) bias(%bias : tensor<?xf32>) out_scale(%scale)
      {activation = #bsmm.activation<relu>} -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
