// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels --split-input-file | FileCheck %s

// cluster_size without bsmm.split: what the CTAs of a cluster load alike is
// shared out over them.

// B has the same coordinates in both CTAs, A has not: each brings 32 of the 64
// rows of B, from 32 * rank on, in both memories, and its own A. The tensor map
// of B has the rows of a share. Consumers release in all CTAs (cluster), with
// the count of one.

// CHECK-LABEL: bsmm.kernel @two(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !bsmm.tensor_map<64x128xf8E4M3FN>, %[[B:[a-z0-9]+]]: !bsmm.tensor_map<32x128xf8E4M3FN>, %{{[a-z0-9]+}}: !bsmm.tensor_map<64x64xbf16>
// CHECK-SAME: cluster_size = 2 : i64
// CHECK: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4>, cluster : <8, <64x128xf8E4M3FN, shared, swizzle_128B>, <64x128xf8E4M3FN, shared, swizzle_128B>>
// CHECK-NOT: bsmm.create_channel
// CHECK: scf.for %[[TILE:.+]] = %{{.*}} to
// CHECK: %[[ROW:.+]] = arith.muli %[[TILE]], %c128_i32
// CHECK: %[[MINE:.+]] = arith.addi %[[ROW]], %{{.*}}
// CHECK: scf.for %[[STEP:.+]] = %c0_i32 to
// CHECK: %[[K:.+]] = arith.muli %[[STEP]], %c128_i32
// CHECK: %[[SLOT:.+]]:2 = bsmm.acquire %[[LOADS]]
// CHECK-NEXT: bsmm.load_async %[[A]][%[[MINE]], %[[K]]] to %[[SLOT]]#0 signals %[[LOADS]][%{{[^ ]*}}] :
// CHECK-NEXT: %[[RANK:.+]] = bsmm.cluster_rank
// CHECK-NEXT: %[[FIRST:.+]] = arith.muli %[[RANK]], %c32_i32
// CHECK-NEXT: %[[PLACE:.+]] = arith.addi %[[FIRST]], %c192_i32
// CHECK-NEXT: %[[SHARE:.+]] = bsmm.slice_rows %[[SLOT]]#1[%[[FIRST]]] : {{.*}} to !bsmm.buffer<32x128xf8E4M3FN, shared, swizzle_128B>
// CHECK-NEXT: bsmm.load_async %[[B]][%[[PLACE]], %[[K]]] to %[[SHARE]] signals %[[LOADS]][%{{[^ ]*}}] multicast :
// CHECK-NEXT: bsmm.commit %[[LOADS]]
// CHECK-NOT: multicast
// CHECK-NOT: bsmm.cluster_rank
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @two(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                   %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                   %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %above = arith.muli %in_cluster, %rows : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %extent : i32
      %row = arith.addi %pair, %above : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// Without a loop over tiles; both operands are the same in four CTAs, which
// multiply alike. A load of 64 rows is 16 rows of each, of 96 rows 24.

// CHECK-LABEL: bsmm.kernel @both(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !bsmm.tensor_map<16x128xf8E4M3FN>, %[[B:[a-z0-9]+]]: !bsmm.tensor_map<24x128xf8E4M3FN>
// CHECK: bsmm.create_channel {{.*}}, cluster : <4, <64x128xf8E4M3FN, shared, swizzle_128B>, <96x128xf8E4M3FN, shared, swizzle_128B>>
// CHECK: %[[SLOT:.+]]:2 = bsmm.acquire
// CHECK: %[[FIRST:.+]] = arith.muli %{{.*}}, %c16_i32
// CHECK: %[[SHARE:.+]] = bsmm.slice_rows %[[SLOT]]#0[%[[FIRST]]] : {{.*}} to !bsmm.buffer<16x128xf8E4M3FN, shared, swizzle_128B>
// CHECK-NEXT: bsmm.load_async %[[A]][%[[FIRST]], %{{.*}}] to %[[SHARE]] signals %{{.*}} multicast :
// CHECK: %[[FIRST:.+]] = arith.muli %{{.*}}, %c24_i32
// CHECK: %[[SHARE:.+]] = bsmm.slice_rows %[[SLOT]]#1[%[[FIRST]]] : {{.*}} to !bsmm.buffer<24x128xf8E4M3FN, shared, swizzle_128B>
// CHECK-NEXT: bsmm.load_async %[[B]][%[[FIRST]], %{{.*}}] to %[[SHARE]] signals %{{.*}} multicast :
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @both(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                    %b: !bsmm.tensor_map<96x128xf8E4M3FN>,
                    %d: !bsmm.tensor_map<64x96xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<64x96xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<64x96xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<96x128xf8E4M3FN> -> tensor<96x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<96x128xf8E4M3FN> to tensor<128x96xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x96xf8E4M3FN>, tensor<64x96xf32>
      scf.yield %next : tensor<64x96xf32>
    } {bsmm.stages = 4 : i64}
    %out = arith.truncf %acc : tensor<64x96xf32> to tensor<64x96xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<64x96xbf16>, !bsmm.tensor_map<64x96xbf16>
    bsmm.return
  }
}

// -----

// One buffer is of 80 rows, which are no whole number of 8 rows for each of four
// CTAs: they load it on their own, and share the other one.

// CHECK-LABEL: bsmm.kernel @rows(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !bsmm.tensor_map<16x128xf8E4M3FN>, %[[B:[a-z0-9]+]]: !bsmm.tensor_map<80x128xf8E4M3FN>
// CHECK: bsmm.create_channel {{.*}}, cluster :
// CHECK: %[[SLOT:.+]]:2 = bsmm.acquire
// CHECK: bsmm.load_async %[[A]]{{.*}} multicast :
// CHECK-NEXT: bsmm.load_async %[[B]][%c0_i32, %{{.*}}] to %[[SLOT]]#1 signals %{{[^ ]*}}[%{{[^ ]*}}] :
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @rows(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                    %b: !bsmm.tensor_map<80x128xf8E4M3FN>,
                    %d: !bsmm.tensor_map<64x80xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<64x80xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<64x80xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<80x128xf8E4M3FN> -> tensor<80x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<80x128xf8E4M3FN> to tensor<128x80xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x80xf8E4M3FN>, tensor<64x80xf32>
      scf.yield %next : tensor<64x80xf32>
    } {bsmm.stages = 4 : i64}
    %out = arith.truncf %acc : tensor<64x80xf32> to tensor<64x80xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<64x80xbf16>, !bsmm.tensor_map<64x80xbf16>
    bsmm.return
  }
}
