// An output of 8 bits, with row scales and a scale of the output. It saturates.
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xf8E4M3FN>, %ra: tensor<?xf32>, %rb: tensor<?xf32>,
    %scale: f32) -> tensor<?x?x?xf8E4M3FN> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xf8E4M3FN>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      out_scale(%scale)
      {numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>}
      -> tensor<?x?x?xf8E4M3FN>
  return %0 : tensor<?x?x?xf8E4M3FN>
}
