// silu between a factor of the sum and one of the output.
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>,
    %d: tensor<?x?x?xf32>, %alpha: f32, %scale: f32) -> tensor<?x?x?xf32> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>)
      outs(%d : tensor<?x?x?xf32>) alpha(%alpha) out_scale(%scale)
      {activation = #bsmm.activation<silu>} -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
