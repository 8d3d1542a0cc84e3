// NVFP4 with an output of 8 bits.
#blocked = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(
    %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #blocked>,
    %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #blocked>,
    %d: tensor<?x?x?xf8E4M3FN>, %scale: f32) -> tensor<?x?x?xf8E4M3FN> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #blocked>,
            tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%d : tensor<?x?x?xf8E4M3FN>) out_scale(%scale)
      {numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>}
      -> tensor<?x?x?xf8E4M3FN>
  return %0 : tensor<?x?x?xf8E4M3FN>
}
