// A problem-level function with run-time extents.
#scales = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(%a: tensor<?x?x?xf4E2M1FN>, %b: tensor<?x?x?xf4E2M1FN>,
                %sfa: tensor<?x?x?xf8E4M3FN, #scales>, %sfb: tensor<?x?x?xf8E4M3FN, #scales>,
                %out: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #scales>,
        tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #scales>)
      outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}
