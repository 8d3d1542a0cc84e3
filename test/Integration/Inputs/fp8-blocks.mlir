// FP8 with f32 scales of 1x128 blocks of A and of 128x128 blocks of B.
#rows = #bsmm.scales<column_major, vec = 128>
#blocks = #bsmm.scales<linear, vec = 128, rows = 128>
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %sfa: tensor<?x?x?xf32, #rows>,
    %b: tensor<?x?x?xf8E4M3FN>, %sfb: tensor<?x?x?xf32, #blocks>,
    %d: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf32, #rows>,
            tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf32, #blocks>)
      outs(%d : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
