// Block scales in the other orders, of mixed operands, and an epilogue.
#rows = #bsmm.scales<linear, vec = 128>
#blocks = #bsmm.scales<column_major, vec = 128, rows = 128>
func.func @gemm(
    %a: tensor<?x?x?xf8E5M2>, %sfa: tensor<?x?x?xf32, #rows>,
    %b: tensor<?x?x?xf8E4M3FN>, %sfb: tensor<?x?x?xf32, #blocks>,
    %d: tensor<?x?x?xf32>, %bias: tensor<?xf32>, %alpha: f32, %beta: f32)
    -> tensor<?x?x?xf32> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<?x?x?xf8E5M2>, tensor<?x?x?xf32, #rows>,
            tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf32, #blocks>)
      outs(%d : tensor<?x?x?xf32>) alpha(%alpha) beta(%beta)
      bias(%bias : tensor<?xf32>)
      {numerics = #bsmm.numerics<accumulate = f32, promote_every = 128>}
      -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
