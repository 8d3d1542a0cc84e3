// The cost model chooses the tile for fixed extents (choose-tile).

// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a choose-tile=true" | FileCheck %s
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_103a choose-tile=true" | FileCheck %s
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a choose-tile=true" --bsmm-tile-to-pipeline-level -o %t.mlir

#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// Many tiles: wide ones, of which two below each other share the loads of B.
// CHECK: bsmm.kernel @large
// CHECK-SAME: cluster_size = 2 : i64, grid = #bsmm.grid<persistent>, {{.*}}tile = #bsmm.tile<m = 128, n = 256, k = 128>
func.func @large(
    %a: tensor<4096x8192xf4E2M1FN>, %sfa: tensor<4096x512xf8E4M3FN, #blocked>,
    %b: tensor<4096x8192xf4E2M1FN>, %sfb: tensor<4096x512xf8E4M3FN, #blocked>,
    %d: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<4096x8192xf4E2M1FN>, tensor<4096x512xf8E4M3FN, #blocked>,
        tensor<4096x8192xf4E2M1FN>, tensor<4096x512xf8E4M3FN, #blocked>)
      outs(%d : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// Few tiles: narrow ones, whose steps four CTAs share.
// CHECK: bsmm.kernel @few
// CHECK-SAME: cluster_size = 4 : i64, grid = #bsmm.grid<tile>, {{.*}}tile = #bsmm.tile<m = 128, n = 64, k = 256>
// CHECK: bsmm.split = 4
func.func @few(
    %a: tensor<1x128x7168xf4E2M1FN>, %sfa: tensor<1x128x448xf8E4M3FN, #blocked>,
    %b: tensor<1x1536x7168xf4E2M1FN>, %sfb: tensor<1x1536x448xf8E4M3FN, #blocked>,
    %d: tensor<1x128x1536xf16>) -> tensor<1x128x1536xf16> {
  %0 = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x128x7168xf4E2M1FN>, tensor<1x128x448xf8E4M3FN, #blocked>,
        tensor<1x1536x7168xf4E2M1FN>, tensor<1x1536x448xf8E4M3FN, #blocked>)
      outs(%d : tensor<1x128x1536xf16>) -> tensor<1x128x1536xf16>
  return %0 : tensor<1x128x1536xf16>
}

// At most 64 rows: swapped operands.
// CHECK: bsmm.kernel @narrow
// CHECK-SAME: tile = #bsmm.tile<m = 16, n = 128, k = 256>
// CHECK: bsmm.extract_columns %{{.*}} : tensor<128x32xf32> to tensor<128x16xf32>
// CHECK: bsmm.trans %{{.*}} [1, 0] : tensor<128x16xf32> to tensor<16x128xf32>
func.func @narrow(
    %a: tensor<1x16x7168xf4E2M1FN>, %sfa: tensor<1x16x448xf8E4M3FN, #blocked>,
    %b: tensor<1x7168x7168xf4E2M1FN>, %sfb: tensor<1x7168x448xf8E4M3FN, #blocked>,
    %d: tensor<1x16x7168xf16>) -> tensor<1x16x7168xf16> {
  %0 = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x16x7168xf4E2M1FN>, tensor<1x16x448xf8E4M3FN, #blocked>,
        tensor<1x7168x7168xf4E2M1FN>, tensor<1x7168x448xf8E4M3FN, #blocked>)
      outs(%d : tensor<1x16x7168xf16>) -> tensor<1x16x7168xf16>
  return %0 : tensor<1x16x7168xf16>
}

// What cannot be chosen.
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a choose-tile=true block-n=64" 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: {{.*}}expected choose-tile without block-m, block-n, block-k, split-k, cluster-m, cluster-n, epilogue-warps, persistent and swap-operands, which it chooses
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="chip=sm_110a choose-tile=true" 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}expected block scales and a target of sm_100 or sm_103 for choose-tile; say block-m, block-n and block-k otherwise
// RUN: sed -e 's/1x16x/1x?x/g; s/1x7168x/1x?x/g' %s > %t.mlir
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile="chip=sm_100a choose-tile=true" 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: {{.*}}expected fixed extents for choose-tile, got 'tensor<1x?x7168xf4E2M1FN>' and

// Outputs of 8 bits: what a warpgroup stores has rows of whole 16 bytes.
// CHECK: bsmm.kernel @narrow_outputs
// CHECK: bsmm.tma_store
func.func @narrow_outputs(
    %a: tensor<1x1024x7168xf4E2M1FN>, %sfa: tensor<1x1024x448xf8E4M3FN, #blocked>,
    %b: tensor<1x4096x7168xf4E2M1FN>, %sfb: tensor<1x4096x448xf8E4M3FN, #blocked>,
    %out: tensor<1x1024x4096xf8E4M3FN>, %scale: f32) -> tensor<1x1024x4096xf8E4M3FN> {
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x1024x7168xf4E2M1FN>, tensor<1x1024x448xf8E4M3FN, #blocked>,
        tensor<1x4096x7168xf4E2M1FN>, tensor<1x4096x448xf8E4M3FN, #blocked>)
      outs(%out : tensor<1x1024x4096xf8E4M3FN>) out_scale(%scale)
      {numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>} -> tensor<1x1024x4096xf8E4M3FN>
  return %d : tensor<1x1024x4096xf8E4M3FN>
}
