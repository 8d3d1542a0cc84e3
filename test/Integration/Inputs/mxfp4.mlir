// A problem-level function with run-time extents.
#scales = #bsmm.scales<blocked_128x4, vec = 32>
func.func @gemm(%a: tensor<?x?x?xf4E2M1FN>, %b: tensor<?x?x?xf4E2M1FN>,
                %sfa: tensor<?x?x?xf8E8M0FNU, #scales>, %sfb: tensor<?x?x?xf8E8M0FNU, #scales>,
                %out: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E8M0FNU, #scales>,
        tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E8M0FNU, #scales>)
      outs(%out : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %d : tensor<?x?x?xbf16>
}
