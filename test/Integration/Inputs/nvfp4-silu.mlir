// silu around an NVFP4 multiplication with a factor of the sum and a bias.
#blocked = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(
    %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #blocked>,
    %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #blocked>,
    %d: tensor<?x?x?xf16>, %alpha: f32, %bias: tensor<?xf32>)
    -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb : tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>, tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%d : tensor<?x?x?xf16>) alpha(%alpha) bias(%bias : tensor<?xf32>)
      {activation = #bsmm.activation<silu>} -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
