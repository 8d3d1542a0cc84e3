// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels --split-input-file | FileCheck %s

// bsmm.ping_pong on the loop over output tiles: two warpgroups with a tile each.

// The loader has every tile, the consumers every other one, of which the second
// one starts one trip later and after the steps of the first tile. They count
// the steps of two tiles. A turn lasts until the last step has been issued, and
// is passed on by a tile without steps, too. Each has staging buffers of its
// own, for every piece where the loads lose no slot by that: no piece waits for
// the store of another one.

// CHECK-LABEL: bsmm.kernel @k(
// CHECK-SAME: !bsmm.tensor_map<64x32xbf16>, %[[FIRST:[a-z0-9]+]]: i32, %[[TILES:[a-z0-9]+]]: i32, %[[CTAS:[a-z0-9]+]]: i32, %[[STEPS:[a-z0-9]+]]: i32)
// CHECK-SAME: block_size = 384 : i64
// CHECK: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : <8, <64x128xf8E4M3FN, shared, swizzle_128B>, <64x128xf8E4M3FN, shared, swizzle_128B>>
// CHECK-NEXT: %[[TURNS:.+]] = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : <1>
// CHECK-NEXT: %[[STAGING0:.+]] = bsmm.alloc : !bsmm.buffer<64x32xbf16, shared, swizzle_64B>
// CHECK-NEXT: %[[STAGING1:.+]] = bsmm.alloc : !bsmm.buffer<64x32xbf16, shared, swizzle_64B>
// CHECK-NEXT: %[[STAGING2:.+]] = bsmm.alloc : !bsmm.buffer<64x32xbf16, shared, swizzle_64B>
// CHECK-NEXT: %[[STAGING3:.+]] = bsmm.alloc : !bsmm.buffer<64x32xbf16, shared, swizzle_64B>
// CHECK: bsmm.warp_role 8 count 4 registers 24 {
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[TILES]] step %[[CTAS]] iter_args(%[[BASE:[^ ]+]] = %c0_i32, %{{.*}})
// CHECK: %[[MADE:.+]] = arith.maxsi %[[STEPS]], %c0_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[STEPS]] step %c1_i32 iter_args(%[[IT:.+]] = %[[BASE]])
// CHECK: bsmm.acquire %[[LOADS]][%[[IT]]]
// CHECK: arith.addi %[[BASE]], %[[MADE]]

// CHECK: bsmm.warp_role 0 count 4 registers 240 {
// CHECK-NEXT: %[[TWO:.+]] = arith.muli %[[CTAS]], %c2_i32
// CHECK-NEXT: scf.for %{{.*}} = %[[FIRST]] to %[[TILES]] step %[[TWO]] iter_args(%[[BASE:[^ ]+]] = %c0_i32, %[[TURN:.+]] = %c0_i32)
// CHECK: %[[MADE:.+]] = arith.maxsi %[[STEPS]], %c0_i32
// CHECK: bsmm.acquire %[[TURNS]][%[[TURN]]] : !bsmm.channel<1>
// CHECK: %[[SUM:.+]] = scf.if %{{.*}} -> (!bsmm.accumulator<64x64xf32>) {
// CHECK: bsmm.wait %[[LOADS]][%[[BASE]]]
// CHECK: bsmm.mma
// CHECK: %[[LOOP:.+]]:2 = scf.for
// CHECK: bsmm.mma
// CHECK: }
// CHECK-NEXT: bsmm.commit %[[TURNS]][%[[TURN]]]
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[LOOP]]#1 pending 0
// CHECK: bsmm.release %[[LOADS]]
// CHECK: } else {
// CHECK-NEXT: bsmm.commit %[[TURNS]][%[[TURN]]]
// CHECK-NEXT: bsmm.zero_accumulator
// CHECK: bsmm.leader {
// CHECK-NEXT: bsmm.wait_stores read{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: bsmm.synchronize{{$}}
// CHECK-NEXT: bsmm.drain %[[SUM]] columns 32 extent 32 {
// CHECK: bsmm.write_shared %{{.*}}, %[[STAGING0]]
// CHECK: bsmm.drain %[[SUM]] columns 32 first 32 extent 32 {
// CHECK: bsmm.write_shared %{{.*}}, %[[STAGING1]]
// CHECK: bsmm.publish{{$}}
// CHECK-NEXT: bsmm.leader {
// CHECK-NEXT: bsmm.store_async %[[STAGING0]], %{{.*}}[%[[ROW:.+]], %c0_i32]
// CHECK-NEXT: bsmm.store_async %[[STAGING1]], %{{.*}}[%[[ROW]], %c32_i32]
// CHECK-NEXT: }
// CHECK: %[[BOTH:.+]] = arith.muli %[[MADE]], %c2_i32
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[BASE]], %[[BOTH]]
// CHECK-NEXT: %[[NEXT_TURN:.+]] = arith.addi %[[TURN]], %c1_i32
// CHECK-NEXT: scf.yield %[[NEXT]], %[[NEXT_TURN]]
// CHECK: bsmm.leader {
// CHECK-NEXT: bsmm.wait_stores{{$}}

// CHECK: bsmm.warp_role 4 count 4 registers 240 {
// CHECK-DAG: %[[MADE:.+]] = arith.maxsi %[[STEPS]], %c0_i32
// CHECK-DAG: %[[SECOND:.+]] = arith.addi %[[FIRST]], %[[CTAS]]
// CHECK-DAG: %[[TWO:.+]] = arith.muli %[[CTAS]], %c2_i32
// CHECK: scf.for %{{.*}} = %[[SECOND]] to %[[TILES]] step %[[TWO]] iter_args(%[[BASE:[^ ]+]] = %[[MADE]], %[[TURN:.+]] = %c0_i32)
// CHECK: bsmm.wait %[[TURNS]][%[[TURN]]] : !bsmm.channel<1>
// CHECK: %[[SUM:.+]] = scf.if %{{.*}} -> (!bsmm.accumulator<64x64xf32>) {
// CHECK: bsmm.wait %[[LOADS]][%[[BASE]]]
// CHECK: bsmm.mma
// CHECK: %[[LOOP:.+]]:2 = scf.for
// CHECK: bsmm.mma
// CHECK: }
// CHECK-NEXT: bsmm.release %[[TURNS]][%[[TURN]]]
// CHECK-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[LOOP]]#1 pending 0
// CHECK: bsmm.release %[[LOADS]]
// CHECK: } else {
// CHECK-NEXT: bsmm.release %[[TURNS]][%[[TURN]]]
// CHECK-NEXT: bsmm.zero_accumulator
// CHECK: bsmm.write_shared %{{.*}}, %[[STAGING2]]
// CHECK: bsmm.write_shared %{{.*}}, %[[STAGING3]]
// CHECK: bsmm.store_async %[[STAGING2]]
// CHECK: bsmm.store_async %[[STAGING3]]
// CHECK: %[[BOTH:.+]] = arith.muli %[[MADE]], %c2_i32
// CHECK-NEXT: arith.addi %[[BASE]], %[[BOTH]]
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// A warpgroup has all 192 rows of its tile, which two would share by columns.
// Bounds that are the same for all tiles may be computed in the loop.

// CHECK-LABEL: bsmm.kernel @rows192(
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: i32) attributes
// CHECK: bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : <5, <192x128xf8E4M3FN, shared, swizzle_128B>, <128x128xf8E4M3FN, shared, swizzle_128B>>
// CHECK-COUNT-2: bsmm.alloc : !bsmm.buffer<192x32xbf16, shared, swizzle_64B>
// CHECK-NOT: bsmm.alloc
// CHECK: bsmm.warp_role 0 count 4 registers 240 {
// CHECK: scf.if %{{.*}} -> (!bsmm.accumulator<192x128xf32>) {
// CHECK-COUNT-4: bsmm.store_async
// CHECK-NOT: bsmm.store_async
// CHECK: bsmm.warp_role 4 count 4 registers 240 {
// CHECK: scf.if %{{.*}} -> (!bsmm.accumulator<192x128xf32>) {
// CHECK-COUNT-4: bsmm.store_async
// CHECK-NOT: bsmm.store_async
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @rows192(%a: !bsmm.tensor_map<192x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<192x128xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 192 : i32
    %zero = arith.constant dense<0.0> : tensor<192x128xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %same = arith.addi %steps, %c1 : i32
      %acc = scf.for %step = %c0 to %same step %c1
          iter_args(%sum = %zero) -> (tensor<192x128xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<192x128xf8E4M3FN> -> tensor<192x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<192x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<192x128xf32>
        scf.yield %next : tensor<192x128xf32>
      }
      %out = arith.truncf %acc : tensor<192x128xf32> to tensor<192x128xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<192x128xbf16>, !bsmm.tensor_map<192x128xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// Promoted sums: the turn ends behind the loop, when each step has been waited
// for.

// CHECK-LABEL: bsmm.kernel @promoted(
// CHECK: %[[TURNS:.+]] = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : <1>
// CHECK: bsmm.warp_role 0 count 4
// CHECK: bsmm.acquire %[[TURNS]]
// CHECK: scf.for
// CHECK: bsmm.wait
// CHECK-NEXT: %[[PARTIAL:.+]] = bsmm.mma
// CHECK-NEXT: bsmm.wait_mma %[[PARTIAL]] pending 0
// CHECK-NEXT: bsmm.release
// CHECK-NEXT: bsmm.add_accumulators
// CHECK: }
// CHECK-NEXT: bsmm.commit %[[TURNS]]
// CHECK-NOT: bsmm.commit %[[TURNS]]
// CHECK: bsmm.warp_role 4 count 4
// CHECK: bsmm.wait %[[TURNS]]
// CHECK: bsmm.add_accumulators
// CHECK: }
// CHECK-NEXT: bsmm.release %[[TURNS]]
// CHECK-NOT: bsmm.release %[[TURNS]]
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @promoted(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// Without turns, 128 columns of bf16 in two pieces. As many stages as fit leave
// room for a buffer of each: no piece waits for a store, and the threads meet
// once.

// CHECK-LABEL: bsmm.kernel @own_buffers(
// CHECK-COUNT-2: bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
// CHECK-NOT: bsmm.alloc
// CHECK: bsmm.warp_role 0 count 8
// CHECK: bsmm.wait_stores read{{$}}
// CHECK: bsmm.synchronize
// CHECK: bsmm.drain
// CHECK-NOT: bsmm.publish
// CHECK-NOT: bsmm.wait_stores
// CHECK: bsmm.drain
// CHECK: bsmm.publish
// CHECK-COUNT-2: bsmm.store_async
// CHECK-NOT: bsmm.store_async
// CHECK: bsmm.wait_stores{{$}}
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @own_buffers(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %next : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    }
    bsmm.return
  }
}

// -----

// Four pieces: with the stages that fit beside two buffers two take turns. From
// the second piece on, the store before the last has been read when the threads
// meet for the next one.

// CHECK-LABEL: bsmm.kernel @two_buffers(
// CHECK: %[[S0:.+]] = bsmm.alloc
// CHECK-NEXT: %[[S1:.+]] = bsmm.alloc
// CHECK-NOT: bsmm.alloc
// CHECK: bsmm.warp_role 0 count 8
// CHECK: bsmm.wait_stores read{{$}}
// CHECK: bsmm.write_shared %{{.*}}, %[[S0]]
// CHECK-NOT: bsmm.wait_stores
// CHECK: bsmm.publish
// CHECK: bsmm.store_async
// CHECK: bsmm.write_shared %{{.*}}, %[[S1]]
// CHECK: bsmm.wait_stores read{{$}}
// CHECK: bsmm.publish
// CHECK: bsmm.store_async
// CHECK: bsmm.write_shared %{{.*}}, %[[S0]]
// CHECK: bsmm.wait_stores read{{$}}
// CHECK: bsmm.publish
// CHECK: bsmm.store_async
// CHECK: bsmm.write_shared %{{.*}}, %[[S1]]
// CHECK-NOT: bsmm.wait_stores
// CHECK: bsmm.publish
// CHECK: bsmm.store_async
// CHECK: bsmm.wait_stores{{$}}
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @two_buffers(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x256xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<128x256xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<256x128xf8E4M3FN> to tensor<128x256xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<128x256xf32>
        scf.yield %next : tensor<128x256xf32>
      } {bsmm.stages = 4 : i64}
      %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<128x256xbf16>, !bsmm.tensor_map<128x256xbf16>
    }
    bsmm.return
  }
}

// -----

// One piece in one buffer.

// CHECK-LABEL: bsmm.kernel @one_buffer(
// CHECK: %[[S0:.+]] = bsmm.alloc
// CHECK-NOT: bsmm.alloc
// CHECK: bsmm.warp_role 0 count 8
// CHECK: bsmm.wait_stores read{{$}}
// CHECK: bsmm.synchronize
// CHECK: bsmm.write_shared %{{.*}}, %[[S0]]
// CHECK-NOT: bsmm.wait_stores
// CHECK: bsmm.publish
// CHECK: bsmm.store_async
// CHECK-NOT: bsmm.store_async
// CHECK: bsmm.wait_stores{{$}}
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @one_buffer(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<128x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<128x64xf32>
        scf.yield %next : tensor<128x64xf32>
      }
      %out = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<128x64xbf16>, !bsmm.tensor_map<128x64xbf16>
    }
    bsmm.return
  }
}

// -----

// Of three tiles one consumer would have one: no loop, and no turns to take.

// CHECK-LABEL: bsmm.kernel @three_tiles(
// CHECK: bsmm.create_channel
// CHECK-NOT: bsmm.create_channel
// CHECK: bsmm.warp_role 4 count 4
// CHECK: bsmm.warp_role 0 count 4
// CHECK-NOT: bsmm.warp_role
// CHECK: bsmm.return
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @three_tiles(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %count = arith.constant 3 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %c0 to %count step %c1 : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// Four are two for each.

// CHECK-LABEL: bsmm.kernel @four_tiles(
// CHECK: bsmm.create_channel
// CHECK: bsmm.create_channel
// CHECK: bsmm.warp_role 0 count 4
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32 step %c2_i32
// CHECK: bsmm.warp_role 4 count 4
// CHECK: scf.for %{{.*}} = %c1_i32 to %c4_i32 step %c2_i32
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @four_tiles(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %count = arith.constant 4 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %c0 to %count step %c1 : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// One step is no loop: the consumers count two steps in each trip.

// CHECK-LABEL: bsmm.kernel @one_step(
// CHECK: bsmm.warp_role 8 count 4
// CHECK: scf.for {{.*}} iter_args(%[[BASE:[^ ]+]] = %c0_i32
// CHECK: bsmm.acquire %{{.*}}[%[[BASE]]]
// CHECK: arith.addi %[[BASE]], %c1_i32
// CHECK: bsmm.warp_role 0 count 4
// CHECK: scf.for {{.*}} iter_args(%[[BASE:[^ ]+]] = %c0_i32
// CHECK: bsmm.wait %{{.*}}[%[[BASE]]]
// CHECK: arith.addi %[[BASE]], %c2_i32
// CHECK: bsmm.warp_role 4 count 4
// CHECK: scf.for {{.*}} iter_args(%[[BASE:[^ ]+]] = %c1_i32
// CHECK: bsmm.wait %{{.*}}[%[[BASE]]]
// CHECK: arith.addi %[[BASE]], %c2_i32
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @one_step(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %count = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %count step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}
