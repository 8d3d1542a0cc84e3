// Swapped operands: the rows of B are the accumulator's rows, and its transpose
// is the output tile.

// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a block-m=64 swap-operands=true persistent=false" | FileCheck %s
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a block-m=64 block-k=64 split-k=2 swap-operands=true persistent=false" | bsmm-opt --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=PIPELINE

// CHECK: bsmm.kernel @gemm(%[[A:.+]]: !bsmm.tensor_map<1x64x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>}, %[[B:.+]]: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>}
// CHECK-SAME: !bsmm.tensor_map<1x64x128xf16> {bsmm.role = #bsmm.role<d>}
// CHECK-SAME: tile = #bsmm.tile<m = 64, n = 128, k = 256>
// CHECK: scf.for
// CHECK: %[[BOX_A:.+]] = bsmm.tma_load %[[A]]
// CHECK: %[[TILE_A:.+]] = bsmm.reshape %[[BOX_A]]
// CHECK: %[[BOX_B:.+]] = bsmm.tma_load %[[B]]
// CHECK: %[[TILE_B:.+]] = bsmm.reshape %[[BOX_B]]
// CHECK: %[[COLUMNS:.+]] = bsmm.trans %[[TILE_A]] [1, 0] : tensor<64x256xf4E2M1FN> to tensor<256x64xf4E2M1FN>
// The scales of 64 rows of A may start in the middle of a scale tile.
// CHECK: bsmm.extract_rows {{.*}} to tensor<64x16xf8E4M3FN>
// CHECK: bsmm.scaled_dot %[[TILE_B]] scales %{{.*}}, %[[COLUMNS]] scales
// CHECK: bsmm.trans %{{.*}} [1, 0] : tensor<128x64xf32> to tensor<64x128xf32>
// The bias belongs to columns of the output tile.
// CHECK: bsmm.broadcast %{{.*}} {{.*}}tensor<64x128xf32>
// CHECK: bsmm.tma_store %{{.*}} : tensor<1x64x128xf16>, !bsmm.tensor_map<1x64x128xf16>

// Each CTA sends the other one its columns, and stores half of the rows.
// PIPELINE: %[[STAGING:.+]] = bsmm.alloc : !bsmm.buffer<32x128xf16, shared, swizzle_128B>
// PIPELINE: %[[EXCHANGE:.+]] = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
// PIPELINE: %[[RANK:.+]] = bsmm.cluster_rank
// PIPELINE: %[[SOME:.+]] = arith.cmpi slt
// PIPELINE: bsmm.wait
// PIPELINE: bsmm.drain %{{.*}} at %{{.*}} when %[[SOME]] columns 32 extent 32 {
// PIPELINE: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[VALUES:.+]]: vector<32xf32>):
// PIPELINE: bsmm.send_partial %[[VALUES]], %[[EXCHANGE]][%[[ROW]], %[[COLUMN]]] to
// PIPELINE: bsmm.wait_partials
// PIPELINE: bsmm.drain %{{.*}} at %{{.*}} when %[[SOME]] columns 32 extent 32 transposed {
// PIPELINE: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[VALUES:.+]]: vector<32xf32>):
// PIPELINE: bsmm.add_partials %[[VALUES]], %[[EXCHANGE]][%[[COLUMN]], %[[ROW]]]
// PIPELINE: bsmm.read_vector %{{.*}}[%[[COLUMN]]] {{.*}}dimension 1
// PIPELINE: bsmm.write_shared %{{.*}}, %[[STAGING]][%[[ROW]], %[[COLUMN]]]
// PIPELINE: bsmm.store_async %[[STAGING]]

#blocked = #bsmm.scales<blocked_128x4, vec = 16>
func.func @gemm(
    %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #blocked>,
    %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #blocked>,
    %d: tensor<?x?x?xf16>, %bias: tensor<?xf32>) -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #blocked>,
        tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%d : tensor<?x?x?xf16>) bias(%bias : tensor<?xf32>)
      -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}

// What swapped operands do not go with.
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a swap-operands=true block-n=64" 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: {{.*}}expected block-n 128, got 64
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a swap-operands=true block-m=40" 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: {{.*}}expected block-m to be a multiple of 16 from 16 to 256, got 40

// Two warpgroups drain half of the accumulator's columns each, which are rows of
// the output tile; each has a buffer for its rows, and stores them.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a block-m=48 block-k=64 swap-operands=true epilogue-warps=8" | bsmm-opt --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=WARPS
// WARPS: bsmm.kernel @gemm
// WARPS-SAME: !bsmm.tensor_map<1x24x128xf16> {bsmm.role = #bsmm.role<d>}
// WARPS: %[[FIRST:.+]] = bsmm.alloc : !bsmm.buffer<24x128xf16, shared, swizzle_128B>
// WARPS: %[[SECOND:.+]] = bsmm.alloc : !bsmm.buffer<24x128xf16, shared, swizzle_128B>
// WARPS: bsmm.warp_role 0 count 8
// WARPS: %[[WARPGROUP:.+]] = bsmm.warpgroup_index
// WARPS: %[[STAGING:.+]] = bsmm.select_buffer %[[WARPGROUP]] of %[[FIRST]], %[[SECOND]]
// WARPS: %[[START:.+]] = arith.muli %{{.+}}, %c24_i32
// WARPS: %[[AT:.+]] = arith.addi %[[START]], %{{.+}}
// WARPS: bsmm.drain %{{.+}} at %[[AT]] {{.*}}columns 8 extent 24 transposed {
// WARPS-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %{{.+}}: vector<8xf32>):
// WARPS: bsmm.write_shared %{{.+}}, %[[STAGING]][%[[ROW]], %[[COLUMN]]]
// WARPS: bsmm.release
// WARPS: bsmm.publish each_warpgroup
// WARPS: bsmm.leader each_warpgroup {
// WARPS: %[[TO:.+]] = arith.addi %{{.+}}, %[[START]]
// WARPS: bsmm.store_async %[[STAGING]], %{{.+}}[%{{.+}}, %[[TO]], %{{.+}}]
