// Sums of 128 elements of K are added in f32.
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xbf16>,
    %ra: tensor<?xf32>, %rb: tensor<?xf32>) -> tensor<?x?x?xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xbf16>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      {numerics = #bsmm.numerics<accumulate = f32, promote_every = 128>}
      -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
