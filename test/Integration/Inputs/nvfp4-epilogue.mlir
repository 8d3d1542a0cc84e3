// alpha, relu and out_scale around an NVFP4 multiplication.
#scales = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(%a: tensor<?x?xf4E2M1FN>, %b: tensor<?x?xf4E2M1FN>,
                %sfa: tensor<?x?xf8E4M3FN, #scales>, %sfb: tensor<?x?xf8E4M3FN, #scales>,
                %out: tensor<?x?xf16>, %alpha: f32, %out_scale: f32) -> tensor<?x?xf16> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN, #scales>,
        tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN, #scales>)
      outs(%out : tensor<?x?xf16>) alpha(%alpha) out_scale(%out_scale)
      {activation = #bsmm.activation<relu>} -> tensor<?x?xf16>
  return %d : tensor<?x?xf16>
}
