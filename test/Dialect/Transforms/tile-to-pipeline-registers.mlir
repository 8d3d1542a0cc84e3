// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels --split-input-file | FileCheck %s

// Accumulators in registers: consumer warpgroups multiply and drain, one thread
// of a last warpgroup loads.

// A CTA with one tile: pieces of 64 columns have a staging buffer each where the
// operands were, when both warpgroups have multiplied; each stores its own 64
// rows. The first step starts the sum, each further one is issued before the
// last one is waited for.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK-SAME: !bsmm.tensor_map<64x64xbf16>
// CHECK-SAME: block_size = 384 : i64
// CHECK: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : <5, <128x128xf8E4M3FN, shared, swizzle_128B>, <192x128xf8E4M3FN, shared, swizzle_128B>>
// CHECK-NEXT: %[[S0:.+]] = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> over %[[LOADS]] :
// CHECK-NEXT: %[[S1:.+]] = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> over %[[LOADS]] :
// CHECK-NEXT: %[[S2:.+]] = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> over %[[LOADS]] :
// CHECK: bsmm.warp_role 8 count 4 registers 24 {
// CHECK-NEXT: bsmm.leader {
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[IT:.+]] = %c0_i32)
// CHECK: %[[SLOT:.+]]:2 = bsmm.acquire %[[LOADS]][%[[IT]]]
// CHECK-NEXT: bsmm.load_async %{{.*}} to %[[SLOT]]#0 signals %[[LOADS]][%[[IT]]]
// CHECK-NEXT: bsmm.load_async %{{.*}} to %[[SLOT]]#1 signals %[[LOADS]][%[[IT]]]
// CHECK-NEXT: bsmm.commit %[[LOADS]][%[[IT]]]
// CHECK: bsmm.warp_role 0 count 8 registers 240 {
// CHECK: %[[SUM:.+]] = scf.if %{{.*}} -> (!bsmm.accumulator<128x192xf32, warpgroups = 2>) {
// CHECK-NEXT: %[[W0:.+]]:2 = bsmm.wait %[[LOADS]][%c0_i32]
// CHECK-NEXT: %[[FIRST:.+]] = bsmm.mma %[[W0]]#0, %[[W0]]#1 :
// CHECK-NEXT: %[[LOOP:.+]]:2 = scf.for {{.*}} iter_args(%[[IT:.+]] = %c1_i32, %[[OLD:.+]] = %[[FIRST]])
// CHECK-NEXT: %[[W:.+]]:2 = bsmm.wait %[[LOADS]][%[[IT]]]
// CHECK-NEXT: %[[NEW:.+]] = bsmm.mma %[[W]]#0, %[[W]]#1 add %[[OLD]]
// CHECK-NEXT: %[[PENDING:.+]] = bsmm.wait_mma %[[NEW]] pending 1
// CHECK-NEXT: %[[PREVIOUS:.+]] = arith.subi %[[IT]], %c1_i32
// CHECK-NEXT: bsmm.release %[[LOADS]][%[[PREVIOUS]]]
// CHECK: scf.yield %{{.*}}, %[[PENDING]]
// CHECK: %[[DONE:.+]] = bsmm.wait_mma %[[LOOP]]#1 pending 0
// CHECK-NEXT: %[[LAST:.+]] = arith.subi %[[LOOP]]#0, %c1_i32
// CHECK-NEXT: bsmm.release %[[LOADS]][%[[LAST]]]
// CHECK-NEXT: scf.yield %[[DONE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ZERO:.+]] = bsmm.zero_accumulator
// CHECK-NEXT: scf.yield %[[ZERO]]
// CHECK: bsmm.synchronize{{$}}
// CHECK-DAG: %[[GROUP:.+]] = bsmm.warpgroup_index
// CHECK-DAG: %[[ROW:.+]] = arith.muli %[[GROUP]], %c64_i32
// CHECK: bsmm.drain %[[SUM]] columns 32 extent 64 {
// CHECK: bsmm.write_shared %{{.*}}, %[[S0]][%{{.*}}, %{{.*}}] : vector<16xbf16>
// CHECK-NOT: bsmm.publish
// CHECK: bsmm.drain %[[SUM]] columns 32 first 64 extent 64 {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %[[COLUMN:.+]]: i32,
// CHECK: %[[IN_PIECE:.+]] = arith.subi %[[COLUMN]], %c64_i32
// CHECK-NEXT: bsmm.write_shared %{{.*}}, %[[S1]][%{{.*}}, %[[IN_PIECE]]]
// CHECK-NOT: bsmm.publish
// CHECK: bsmm.drain %[[SUM]] columns 32 first 128 extent 64 {
// CHECK: bsmm.write_shared %{{.*}}, %[[S2]]
// CHECK: bsmm.publish each_warpgroup
// CHECK-NEXT: bsmm.leader each_warpgroup {
// CHECK-NEXT: %[[ROWS:.+]] = bsmm.slice_rows %[[S0]][%[[ROW]]] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<64x64xbf16, shared, swizzle_128B>
// CHECK-NEXT: bsmm.store_async %[[ROWS]], %{{.*}}[%[[ROW]], %c0_i32]
// CHECK: bsmm.store_async %{{.*}}, %{{.*}}[%[[ROW]], %c64_i32]
// CHECK: bsmm.store_async %{{.*}}, %{{.*}}[%[[ROW]], %c128_i32]
// CHECK-NEXT: }
// CHECK-NEXT: bsmm.leader each_warpgroup {
// CHECK-NEXT: bsmm.wait_stores{{$}}
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<192x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x192xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x192xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<192x128xf8E4M3FN> -> tensor<192x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<192x128xf8E4M3FN> to tensor<128x192xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x192xf8E4M3FN>, tensor<128x192xf32>
      scf.yield %next : tensor<128x192xf32>
    }
    %out = arith.truncf %acc : tensor<128x192xf32> to tensor<128x192xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x192xbf16>, !bsmm.tensor_map<128x192xbf16>
    bsmm.return
  }
}

// -----

// 64 rows are work of one warpgroup, which needs no reallocation of registers.
// A predicated store has no staging buffer and no stores to wait for.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK-SAME: block_size = 256 : i64
// CHECK: bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : <8, <64x64xf8E5M2, shared, swizzle_64B>, <24x64xf8E5M2, shared, swizzle_64B>>
// CHECK-NOT: bsmm.alloc
// CHECK: bsmm.warp_role 4 count 4 {
// CHECK: bsmm.warp_role 0 count 4 {
// CHECK: bsmm.drain %[[SUM:.+]] columns 8 {
// CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %{{.*}}: vector<4xf32>):
// CHECK: bsmm.write_global %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]] base %{{.*}} stride %{{.*}} limits[%{{.*}}, %{{.*}}] : vector<4xbf16>
// CHECK-NEXT: } : !bsmm.accumulator<64x24xf32>
// CHECK-NOT: bsmm.wait_stores
// CHECK: bsmm.return
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x64xf8E5M2>,
                 %b: !bsmm.tensor_map<24x64xf8E5M2>,
                 %d: !llvm.ptr<1>, %steps: i32,
                 %M: i32, %N: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x24xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<64x24xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<64x64xf8E5M2> -> tensor<64x64xf8E5M2>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<24x64xf8E5M2> -> tensor<24x64xf8E5M2>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<24x64xf8E5M2> to tensor<64x24xf8E5M2>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x64xf8E5M2>, tensor<64x24xf8E5M2>, tensor<64x24xf32>
      scf.yield %next : tensor<64x24xf32>
    }
    %half = arith.truncf %acc : tensor<64x24xf32> to tensor<64x24xbf16>
    %out = bsmm.reshape %half : tensor<64x24xbf16> to tensor<1x64x24xbf16>
    bsmm.predicated_store %out, %d[%c0, %c0, %c0] limits [%M, %N]
        strides [%s, %s] : tensor<1x64x24xbf16>
    bsmm.return
  }
}

// -----

// With promote_every each step is a sum of its own that is added in full
// precision, here while the next one is multiplied: two in each trip. Steps that
// fill no trip follow. One piece passes through one staging buffer, which is
// free when its last store has read it.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: i32)
// CHECK: %[[STAGING:.+]] = bsmm.alloc : !bsmm.buffer<256x64xbf16, shared, swizzle_128B>
// CHECK-NOT: bsmm.alloc
// CHECK: bsmm.warp_role 0 count 8
// CHECK: %[[ZERO:.+]] = bsmm.zero_accumulator : !bsmm.accumulator<256x64xf32, warpgroups = 2>
// CHECK: %[[REST:.+]] = arith.remui %{{.*}}, %c2_i32
// CHECK: %[[SPLIT:.+]] = arith.subi %{{.*}}, %[[REST]]
// CHECK: %[[IF:.+]] = scf.if
// CHECK-NEXT: %[[S0:.+]]:2 = bsmm.wait %{{.*}}[%c0_i32]
// CHECK-NEXT: %[[M0:.+]] = bsmm.mma %[[S0]]#0, %[[S0]]#1 :
// CHECK-NEXT: %[[S1:.+]]:2 = bsmm.wait %{{.*}}[%c1_i32]
// CHECK-NEXT: %[[M1:.+]] = bsmm.mma %[[S1]]#0, %[[S1]]#1 :
// CHECK-NEXT: %[[W0:.+]] = bsmm.wait_mma %[[M0]] pending 1 complete
// CHECK-NEXT: bsmm.release %{{.*}}[%c0_i32]
// CHECK-NEXT: %[[A0:.+]] = bsmm.add_accumulators %[[ZERO]], %[[W0]]
// CHECK-NEXT: %[[LOOP:.+]]:3 = scf.for {{.*}} = %c2_i32 to %[[SPLIT]] step %c2_i32 iter_args(%[[IT:.+]] = %c2_i32, %[[LAST:.+]] = %[[M1]], %[[OLD:.+]] = %[[A0]])
// CHECK-NEXT: %[[S2:.+]]:2 = bsmm.wait %{{.*}}[%[[IT]]]
// CHECK-NEXT: %[[W1:.+]] = bsmm.wait_mma %[[LAST]] pending 0
// CHECK-NEXT: %[[M2:.+]] = bsmm.mma %[[S2]]#0, %[[S2]]#1 :
// CHECK-NEXT: %[[BEFORE:.+]] = arith.subi %[[IT]], %c1_i32
// CHECK-NEXT: bsmm.release %{{.*}}[%[[BEFORE]]]
// CHECK-NEXT: %[[A1:.+]] = bsmm.add_accumulators %[[OLD]], %[[W1]]
// CHECK-NEXT: %[[SECOND:.+]] = arith.addi %[[IT]], %c1_i32
// CHECK-NEXT: %[[S3:.+]]:2 = bsmm.wait %{{.*}}[%[[SECOND]]]
// CHECK-NEXT: %[[M3:.+]] = bsmm.mma %[[S3]]#0, %[[S3]]#1 :
// CHECK-NEXT: %[[W2:.+]] = bsmm.wait_mma %[[M2]] pending 1 complete
// CHECK-NEXT: bsmm.release %{{.*}}[%[[IT]]]
// CHECK-NEXT: %[[A2:.+]] = bsmm.add_accumulators %[[A1]], %[[W2]]
// CHECK: scf.yield %{{.*}}, %[[M3]], %[[A2]]
// CHECK: %[[W3:.+]] = bsmm.wait_mma %[[LOOP]]#1 pending 0
// CHECK: bsmm.release
// CHECK-NEXT: %[[A3:.+]] = bsmm.add_accumulators %[[LOOP]]#2, %[[W3]]
// CHECK-NEXT: scf.yield %[[A3]]
// CHECK: %[[LOOP:.+]]:2 = scf.for {{.*}} = %[[SPLIT]] to %[[STEPS]] step %c1_i32 iter_args(%[[IT:.+]] = %[[SPLIT]], %[[OLD:.+]] = %[[IF]])
// CHECK-NEXT: %[[SLOT:.+]]:2 = bsmm.wait %{{.*}}[%[[IT]]]
// CHECK-NEXT: %[[PARTIAL:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 :
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[PARTIAL]] pending 0
// CHECK-NEXT: bsmm.release %{{.*}}[%[[IT]]]
// CHECK-NEXT: %[[NEW:.+]] = bsmm.add_accumulators %[[OLD]], %[[DONE]]
// CHECK: scf.yield %{{.*}}, %[[NEW]]
// CHECK: bsmm.drain %[[LOOP]]#1 columns 32 {
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<256x64xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<256x64xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<256x64xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<256x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<256x64xf32>
      scf.yield %next : tensor<256x64xf32>
    }
    %out = arith.truncf %acc : tensor<256x64xf32> to tensor<256x64xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<256x64xbf16>, !bsmm.tensor_map<256x64xbf16>
    bsmm.return
  }
}

// -----

// Two dots a step: two groups, and both may run when the last slot is released.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK: bsmm.create_channel {{.*}} : <8, <128x64xbf16, shared, swizzle_128B>, <32x64xbf16, shared, swizzle_128B>>
// CHECK: %[[W0:.+]]:2 = bsmm.wait
// CHECK-NEXT: %[[M0:.+]] = bsmm.mma %[[W0]]#0, %[[W0]]#1 :
// CHECK-NEXT: %[[M1:.+]] = bsmm.mma %[[W0]]#0, %[[W0]]#1 add %[[M0]]
// CHECK: scf.for
// CHECK-NEXT: %[[W:.+]]:2 = bsmm.wait
// CHECK-NEXT: %[[M2:.+]] = bsmm.mma %[[W]]#0, %[[W]]#1 add
// CHECK-NEXT: %[[M3:.+]] = bsmm.mma %[[W]]#0, %[[W]]#1 add %[[M2]]
// CHECK-NEXT: bsmm.wait_mma %[[M3]] pending 2
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xbf16>,
                 %b: !bsmm.tensor_map<32x64xbf16>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x32xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x32xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xbf16> -> tensor<128x64xbf16>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<32x64xbf16> -> tensor<32x64xbf16>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<32x64xbf16> to tensor<64x32xbf16>
      %first = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x64xbf16>, tensor<64x32xbf16>, tensor<128x32xf32>
      %next = bsmm.dot %a_tile, %b_tile, %first : tensor<128x64xbf16>, tensor<64x32xbf16>, tensor<128x32xf32>
      scf.yield %next : tensor<128x32xf32>
    }

    bsmm.tma_store %acc, %d[%c0, %c0] : tensor<128x32xf32>, !bsmm.tensor_map<128x32xf32>
    bsmm.return
  }
}

// -----

// A row of 24 columns of bf16 is no whole swizzle: the staging buffer lies in
// rows.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK: bsmm.alloc : !bsmm.buffer<128x24xbf16, shared, row_major>
// CHECK: bsmm.drain %{{.*}} columns 8 {
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf8E4M3FN>,
                 %b: !bsmm.tensor_map<24x64xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x24xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x24xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x24xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<24x64xf8E4M3FN> -> tensor<24x64xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<24x64xf8E4M3FN> to tensor<64x24xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x64xf8E4M3FN>, tensor<64x24xf8E4M3FN>, tensor<128x24xf32>
      scf.yield %next : tensor<128x24xf32>
    }
    %out = arith.truncf %acc : tensor<128x24xf32> to tensor<128x24xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x24xbf16>, !bsmm.tensor_map<128x24xbf16>
    bsmm.return
  }
}

// -----

// What an epilogue reads: vectors for the rows or columns of each value, copied
// to shared memory while the tile is multiplied; a vector of one element, read
// once for the tile before that; and a matrix at the tile's place.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[M:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32, %[[SB:[a-z0-9]+]]: i64, %[[SM:[a-z0-9]+]]: i64)
// CHECK: %[[ROW_BUFFER:.+]] = bsmm.alloc : !bsmm.buffer<2x128xf32, shared, row_major>
// CHECK: %[[COLUMN_BUFFER:.+]] = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
// CHECK: bsmm.warp_role 0 count 8
// CHECK: bsmm.stage_vector %[[P]][%c1_i32] limit %[[M]] to %[[ROW_BUFFER]]
// CHECK-NEXT: bsmm.stage_vector %[[P]][%c1_i32] limit %[[N]] to %[[COLUMN_BUFFER]]
// CHECK-NEXT: %[[ONE:.+]] = bsmm.read_vector %[[P]][%c0_i32] offset %c0_i32 limit %c1_i32 dimension 0 : vector<1xf32>
// CHECK-NEXT: %[[SCALAR:.+]] = vector.extract %[[ONE]][0]
// CHECK: bsmm.mma
// CHECK: %[[BASE:.+]] = arith.addi {{.*}} : i64
// CHECK: bsmm.wait_vectors
// CHECK-NEXT: bsmm.synchronize{{$}}
// CHECK: bsmm.drain %{{.*}} columns 32 {
// CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[V:.+]]: vector<16xf32>):
// CHECK-NEXT: %[[ROWS:.+]] = bsmm.read_staged %[[ROW_BUFFER]][%[[ROW]]] dimension 0 : !bsmm.buffer<2x128xf32, shared, row_major> -> vector<16xf32>
// CHECK-NEXT: %[[V0:.+]] = arith.mulf %[[V]], %[[ROWS]]
// CHECK-NEXT: %[[COLUMNS:.+]] = bsmm.read_staged %[[COLUMN_BUFFER]][%[[COLUMN]]] dimension 1 : !bsmm.buffer<2x64xf32, shared, row_major> -> vector<16xf32>
// CHECK-NEXT: %[[V1:.+]] = arith.addf %[[V0]], %[[COLUMNS]]
// CHECK-NEXT: %[[SPLAT:.+]] = vector.broadcast %[[SCALAR]] : f32 to vector<16xf32>
// CHECK-NEXT: %[[V2:.+]] = arith.mulf %[[V1]], %[[SPLAT]]
// CHECK-NEXT: %[[C:.+]] = bsmm.read_global %[[P]][%[[ROW]], %[[COLUMN]]] base %[[BASE]] stride %[[SM]] limits[%{{.*}}, %{{.*}}] : vector<16xbf16>
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[C]]
// CHECK-NEXT: arith.addf %[[V2]], %[[WIDE]]
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x64xbf16>, %steps: i32,
                 %p: !llvm.ptr<1>, %M: i32, %N: i32, %sb: i64, %sm: i64)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x64xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %rows_v = bsmm.vector_load %p[%c1] limit %M : tensor<128xf32>
    %rows = bsmm.broadcast %rows_v dimension 0 : tensor<128xf32> to tensor<128x64xf32>
    %columns_v = bsmm.vector_load %p[%c1] limit %N : tensor<64xf32>
    %columns = bsmm.broadcast %columns_v dimension 1 : tensor<64xf32> to tensor<128x64xf32>
    %one_v = bsmm.vector_load %p[%c0] limit %c1 : tensor<1xf32>
    %one = bsmm.broadcast %one_v dimension 1 : tensor<1xf32> to tensor<128x64xf32>
    %c_box = bsmm.predicated_load %p[%c0, %c1, %c1] limits [%M, %N]
        strides [%sb, %sm] : tensor<1x128x64xbf16>
    %c = bsmm.reshape %c_box : tensor<1x128x64xbf16> to tensor<128x64xbf16>
    %0 = arith.mulf %acc, %rows : tensor<128x64xf32>
    %1 = arith.addf %0, %columns : tensor<128x64xf32>
    %2 = arith.mulf %1, %one : tensor<128x64xf32>
    %wide = arith.extf %c : tensor<128x64xbf16> to tensor<128x64xf32>
    %3 = arith.addf %2, %wide : tensor<128x64xf32>
    %out = arith.truncf %3 : tensor<128x64xf32> to tensor<128x64xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x64xbf16>, !bsmm.tensor_map<128x64xbf16>
    bsmm.return
  }
}

// -----

// One slot: each step is waited for before its slot is released, since the next
// one is not loaded earlier.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK: bsmm.create_channel {{.*}} : <1,
// CHECK: %[[ZERO:.+]] = bsmm.zero_accumulator
// CHECK: scf.for {{.*}} iter_args(%[[IT:.+]] = %c0_i32, %[[OLD:.+]] = %[[ZERO]])
// CHECK-NEXT: %[[SLOT:.+]]:2 = bsmm.wait %{{.*}}[%[[IT]]]
// CHECK-NEXT: %[[NEW:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 add %[[OLD]]
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[NEW]] pending 0
// CHECK-NEXT: bsmm.release %{{.*}}[%[[IT]]]
// CHECK: scf.yield %{{.*}}, %[[DONE]]
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    } {bsmm.stages = 1 : i64}
    %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    bsmm.return
  }
}

// -----

// Two dots that are promoted: each is a sum of its own. One is added while the
// other one is multiplied, also over the end of a step.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK: %[[ZERO:.+]] = bsmm.zero_accumulator
// CHECK: %[[SUM:.+]] = scf.if %{{.*}} -> (!bsmm.accumulator<128x32xf32, warpgroups = 2>) {
// CHECK-NEXT: bsmm.wait
// CHECK-NEXT: %[[M0:.+]] = bsmm.mma %{{.*}}, %{{.*}} :
// CHECK-NEXT: %[[M1:.+]] = bsmm.mma %{{.*}}, %{{.*}} :
// CHECK-NEXT: %[[W0:.+]] = bsmm.wait_mma %[[M0]] pending 1 complete
// CHECK-NEXT: %[[S0:.+]] = bsmm.add_accumulators %[[ZERO]], %[[W0]]
// CHECK: %[[LOOP:.+]]:3 = scf.for {{.*}} iter_args(%[[IT:.+]] = %{{.*}}, %[[LAST:.+]] = %[[M1]], %[[OLD:.+]] = %[[S0]])
// CHECK-NEXT: bsmm.wait %{{.*}}[%[[IT]]]
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[LAST]] pending 0
// CHECK-NEXT: %[[M2:.+]] = bsmm.mma
// CHECK-NEXT: %[[PREVIOUS:.+]] = arith.subi %[[IT]]
// CHECK-NEXT: bsmm.release %{{.*}}[%[[PREVIOUS]]]
// CHECK-NEXT: %[[S1:.+]] = bsmm.add_accumulators %[[OLD]], %[[DONE]]
// CHECK-NEXT: %[[M3:.+]] = bsmm.mma
// CHECK-NEXT: %[[W2:.+]] = bsmm.wait_mma %[[M2]] pending 1 complete
// CHECK-NEXT: %[[S2:.+]] = bsmm.add_accumulators %[[S1]], %[[W2]]
// CHECK: scf.yield %{{.*}}, %[[M3]], %[[S2]]
// CHECK: %[[W3:.+]] = bsmm.wait_mma %[[LOOP]]#1 pending 0
// CHECK: bsmm.release
// CHECK-NEXT: %[[S3:.+]] = bsmm.add_accumulators %[[LOOP]]#2, %[[W3]]
// CHECK-NEXT: scf.yield %[[S3]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[ZERO]]
// CHECK: bsmm.drain %[[SUM]]
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xbf16>,
                 %b: !bsmm.tensor_map<32x64xbf16>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x32xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x32xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xbf16> -> tensor<128x64xbf16>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<32x64xbf16> -> tensor<32x64xbf16>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<32x64xbf16> to tensor<64x32xbf16>
      %first = bsmm.dot %a_tile, %b_tile, %sum promote_every 64 : tensor<128x64xbf16>, tensor<64x32xbf16>, tensor<128x32xf32>
      %next = bsmm.dot %a_tile, %b_tile, %first promote_every 64 : tensor<128x64xbf16>, tensor<64x32xbf16>, tensor<128x32xf32>
      scf.yield %next : tensor<128x32xf32>
    }

    bsmm.tma_store %acc, %d[%c0, %c0] : tensor<128x32xf32>, !bsmm.tensor_map<128x32xf32>
    bsmm.return
  }
}

// -----

// Two parts of the columns, and of K: four sums of 72 columns, two of which are
// alive at a time.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[LAST:.+]] = %{{.*}}, %[[LEFT:.+]] = %{{.*}}, %[[RIGHT:.+]] = %{{.*}})
// CHECK: %[[SLOT:.+]]:2 = bsmm.wait
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[LAST]] pending 0 : !bsmm.accumulator<128x72xf32, warpgroups = 2>
// CHECK-NEXT: %[[M0:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 0 k 0 for 128 :
// CHECK: bsmm.release
// CHECK-NEXT: %[[R0:.+]] = bsmm.add_accumulators %[[RIGHT]], %[[DONE]]
// CHECK-NEXT: %[[M1:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 72 k 0 for 128 :
// CHECK-NEXT: %[[W0:.+]] = bsmm.wait_mma %[[M0]] pending 1 complete
// CHECK-NEXT: %[[L0:.+]] = bsmm.add_accumulators %[[LEFT]], %[[W0]]
// CHECK-NEXT: %[[M2:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 0 k 128 for 128 :
// CHECK-NEXT: %[[W1:.+]] = bsmm.wait_mma %[[M1]] pending 1 complete
// CHECK-NEXT: %[[R1:.+]] = bsmm.add_accumulators %[[R0]], %[[W1]]
// CHECK-NEXT: %[[M3:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 72 k 128 for 128 :
// CHECK-NEXT: %[[W2:.+]] = bsmm.wait_mma %[[M2]] pending 1 complete
// CHECK-NEXT: %[[L1:.+]] = bsmm.add_accumulators %[[L0]], %[[W2]]
// CHECK: scf.yield %{{.*}}, %[[M3]], %[[L1]], %[[R1]]
// CHECK: bsmm.join_accumulators %{{.*}}, %{{.*}} : !bsmm.accumulator<128x72xf32, warpgroups = 2>, !bsmm.accumulator<128x72xf32, warpgroups = 2> -> !bsmm.accumulator<128x144xf32, warpgroups = 2>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x256xf8E4M3FN>,
                 %b: !bsmm.tensor_map<144x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x144xf32>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x144xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x144xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x256xf8E4M3FN> -> tensor<128x256xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<144x256xf8E4M3FN> -> tensor<144x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<144x256xf8E4M3FN> to tensor<256x144xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<128x256xf8E4M3FN>, tensor<256x144xf8E4M3FN>, tensor<128x144xf32>
      scf.yield %next : tensor<128x144xf32>
    } {bsmm.stages = 2}
    bsmm.tma_store %acc, %d[%c0, %c0] : tensor<128x144xf32>, !bsmm.tensor_map<128x144xf32>
    bsmm.return
  }
}

// -----

// Warpgroups that share the columns: the blocks of 64 rows are promoted one
// after the other, two of their sums are alive at a time.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[LAST:.+]] = %{{.*}}, %[[TOP:.+]] = %{{.*}}, %[[MIDDLE:.+]] = %{{.*}}, %[[BOTTOM:.+]] = %{{.*}})
// CHECK: %[[SLOT:.+]]:2 = bsmm.wait
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[LAST]] pending 0 : !bsmm.accumulator<64x144xf32, warpgroups = 2 by_columns>
// CHECK-NEXT: %[[A0:.+]] = bsmm.slice_rows %[[SLOT]]#0[%c0_i32] : !bsmm.buffer<192x128xf8E4M3FN, shared, swizzle_128B> to !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
// CHECK-NEXT: %[[M0:.+]] = bsmm.mma %[[A0]], %[[SLOT]]#1 :
// CHECK: bsmm.release
// CHECK-NEXT: %[[B0:.+]] = bsmm.add_accumulators %[[BOTTOM]], %[[DONE]]
// CHECK-NEXT: %[[A1:.+]] = bsmm.slice_rows %[[SLOT]]#0[%c64_i32]
// CHECK-NEXT: %[[M1:.+]] = bsmm.mma %[[A1]], %[[SLOT]]#1 :
// CHECK-NEXT: %[[W0:.+]] = bsmm.wait_mma %[[M0]] pending 1 complete
// CHECK-NEXT: %[[T0:.+]] = bsmm.add_accumulators %[[TOP]], %[[W0]]
// CHECK-NEXT: %[[A2:.+]] = bsmm.slice_rows %[[SLOT]]#0[%c128_i32]
// CHECK-NEXT: %[[M2:.+]] = bsmm.mma %[[A2]], %[[SLOT]]#1 :
// CHECK-NEXT: %[[W1:.+]] = bsmm.wait_mma %[[M1]] pending 1 complete
// CHECK-NEXT: %[[N0:.+]] = bsmm.add_accumulators %[[MIDDLE]], %[[W1]]
// CHECK: scf.yield %{{.*}}, %[[M2]], %[[T0]], %[[N0]], %[[B0]]
// CHECK: bsmm.join_accumulators %{{.*}}, %{{.*}}, %{{.*}} : {{.*}} -> !bsmm.accumulator<192x144xf32, warpgroups = 2 by_columns>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<192x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<144x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<192x144xf32>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<192x144xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<192x144xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<192x128xf8E4M3FN> -> tensor<192x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<144x128xf8E4M3FN> -> tensor<144x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<144x128xf8E4M3FN> to tensor<128x144xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<192x128xf8E4M3FN>, tensor<128x144xf8E4M3FN>, tensor<192x144xf32>
      scf.yield %next : tensor<192x144xf32>
    }
    bsmm.tma_store %acc, %d[%c0, %c0] : tensor<192x144xf32>, !bsmm.tensor_map<192x144xf32>
    bsmm.return
  }
}
