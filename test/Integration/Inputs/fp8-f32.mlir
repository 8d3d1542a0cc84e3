// FP8 with row scales and an output of f32.
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xf32>, %ra: tensor<?xf32>, %rb: tensor<?xf32>)
    -> tensor<?x?x?xf32> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xf32>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
