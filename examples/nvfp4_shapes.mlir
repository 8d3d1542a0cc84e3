// Three decoder-layer GEMMs as problem-level functions with fixed extents. Each
// becomes a kernel of its own:
//
//   bsmm-opt --bsmm-problem-to-tile=chip=sm_100a nvfp4_shapes.mlir
//       | bsmm-translate --bsmm-to-cubin -o shapes.cubin

#scales = #bsmm.scales<blocked_128x4, vec = 16>

func.func @gemm_128x7168x16384(
    %a: tensor<1x128x16384xf4E2M1FN>, %sfa: tensor<1x128x1024xf8E4M3FN, #scales>,
    %b: tensor<1x7168x16384xf4E2M1FN>, %sfb: tensor<1x7168x1024xf8E4M3FN, #scales>,
    %out: tensor<1x128x7168xf16>) -> tensor<1x128x7168xf16> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x128x16384xf4E2M1FN>, tensor<1x128x1024xf8E4M3FN, #scales>,
        tensor<1x7168x16384xf4E2M1FN>, tensor<1x7168x1024xf8E4M3FN, #scales>)
      outs(%out : tensor<1x128x7168xf16>) -> tensor<1x128x7168xf16>
  return %d : tensor<1x128x7168xf16>
}

func.func @gemm_128x4096x7168(
    %a: tensor<1x128x7168xf4E2M1FN>, %sfa: tensor<1x128x448xf8E4M3FN, #scales>,
    %b: tensor<1x4096x7168xf4E2M1FN>, %sfb: tensor<1x4096x448xf8E4M3FN, #scales>,
    %out: tensor<1x128x4096xf16>) -> tensor<1x128x4096xf16> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x128x7168xf4E2M1FN>, tensor<1x128x448xf8E4M3FN, #scales>,
        tensor<1x4096x7168xf4E2M1FN>, tensor<1x4096x448xf8E4M3FN, #scales>)
      outs(%out : tensor<1x128x4096xf16>) -> tensor<1x128x4096xf16>
  return %d : tensor<1x128x4096xf16>
}

func.func @gemm_128x7168x2048(
    %a: tensor<1x128x2048xf4E2M1FN>, %sfa: tensor<1x128x128xf8E4M3FN, #scales>,
    %b: tensor<1x7168x2048xf4E2M1FN>, %sfb: tensor<1x7168x128xf8E4M3FN, #scales>,
    %out: tensor<1x128x7168xf16>) -> tensor<1x128x7168xf16> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x128x2048xf4E2M1FN>, tensor<1x128x128xf8E4M3FN, #scales>,
        tensor<1x7168x2048xf4E2M1FN>, tensor<1x7168x128xf8E4M3FN, #scales>)
      outs(%out : tensor<1x128x7168xf16>) -> tensor<1x128x7168xf16>
  return %d : tensor<1x128x7168xf16>
}
