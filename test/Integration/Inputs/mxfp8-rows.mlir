// Block scales and row scales, and C in f32.
#blocked = #bsmm.scales<blocked_128x4, vec = 32>
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %sfa: tensor<?x?x?xf8E8M0FNU, #blocked>,
    %b: tensor<?x?x?xf8E5M2>, %sfb: tensor<?x?x?xf8E8M0FNU, #blocked>,
    %d: tensor<?x?x?xf32>,
    %ra: tensor<?xf32>, %rb: tensor<?xf32>, %beta: f32) -> tensor<?x?x?xf32> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb : tensor<?x?x?xf8E4M3FN>,
          tensor<?x?x?xf8E8M0FNU, #blocked>, tensor<?x?x?xf8E5M2>,
          tensor<?x?x?xf8E8M0FNU, #blocked>)
      outs(%d : tensor<?x?x?xf32>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      beta(%beta)
      -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
