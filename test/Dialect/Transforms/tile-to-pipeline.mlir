// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --canonicalize --cse | FileCheck %s

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
gpu.module @kernels {
  // The whole structure of a kernel that walks over output tiles: two channels, a
  // warp that loads, a warp that multiplies, and a warpgroup for the epilogue. Each
  // of them walks over the tiles; iterations of the channels go on from tile to
  // tile. Two accumulators and five slots fit.
  // CHECK-LABEL: bsmm.kernel @structure(
  // CHECK-SAME: block_size = 192 : i64
  // CHECK-SAME: level = #bsmm.level<pipeline>
  // CHECK: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : <5, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
  // CHECK: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : <2, <128x128xf32, tensor_memory, accumulator>>
  // CHECK: %[[SFA:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFB:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[OTHER_A:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[OTHER_B:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[FIRST:.+]] = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
  // CHECK: %[[SECOND:.+]] = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
  //
  // CHECK: bsmm.warp_role 4 {
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[TILE:.+]] = %c0_i32)
  // CHECK: %[[STEPS:.+]] = arith.maxsi
  // CHECK: scf.for %[[STEP:.+]] = %c0_i32 to %{{.*}} step %c1_i32 iter_args(%[[IT:.+]] = %[[BASE]])
  // CHECK-DAG: %[[K:.+]] = arith.muli %[[STEP]], %c256_i32
  // CHECK-DAG: %[[SCALE_K:.+]] = arith.muli %[[STEP]], %c4_i32
  // CHECK: %[[SLOT:.+]]:4 = bsmm.acquire %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[K]]] to %[[SLOT]]#2 signals %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[K]]] to %[[SLOT]]#0 signals
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[SCALE_K]], %c0_i32, %c0_i32] to %[[SLOT]]#3 signals
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[SCALE_K]], %c0_i32, %c0_i32] to %[[SLOT]]#1 signals
  // CHECK-NEXT: bsmm.commit %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[IT]], %c1_i32
  // CHECK-NEXT: scf.yield %[[NEXT]]
  // CHECK: %[[NEXT_BASE:.+]] = arith.addi %[[BASE]], %[[STEPS]]
  // CHECK-NEXT: %[[NEXT_TILE:.+]] = arith.addi %[[TILE]], %c1_i32
  // CHECK-NEXT: scf.yield %[[NEXT_BASE]], %[[NEXT_TILE]]
  //
  // CHECK: bsmm.warp_role 5 {
  // CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[TILE:.+]] = %c0_i32)
  // CHECK: %[[STEPS:.+]] = arith.maxsi
  // CHECK-NEXT: %[[ACC:.+]] = bsmm.acquire %[[RESULTS]][%[[TILE]]]
  // CHECK-NEXT: scf.for %[[STEP:.+]] = %c0_i32 to %{{.*}} step %c1_i32 iter_args(%[[IT:.+]] = %[[BASE]])
  // CHECK: %[[LEFT:.+]] = arith.subi
  // CHECK: %[[SLOT:.+]]:4 = bsmm.wait %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: %[[LAST:.+]] = arith.cmpi slt, %[[LEFT]], %c16_i32
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK-NEXT: bsmm.mask_scales %[[SLOT]]#1 from %[[LEFT]]
  // CHECK-NEXT: bsmm.mask_scales %[[SLOT]]#3 from %[[LEFT]]
  // CHECK-NEXT: }
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: %[[TURN_A:.+]] = bsmm.select_buffer %[[IT]] of %[[SFA]], %[[OTHER_A]]
  // CHECK-NEXT: %[[TURN_B:.+]] = bsmm.select_buffer %[[IT]] of %[[SFB]], %[[OTHER_B]]
  // CHECK-NEXT: bsmm.copy_scales %[[SLOT]]#1 to %[[TURN_A]]
  // CHECK-NEXT: bsmm.copy_scales %[[SLOT]]#3 to %[[TURN_B]]
  // CHECK-NEXT: %[[NOT_FIRST:.+]] = arith.cmpi ne, %[[STEP]], %c0_i32
  // CHECK-NEXT: bsmm.scaled_mma %[[SLOT]]#0 scales %[[TURN_A]], %[[SLOT]]#2 scales %[[TURN_B]], %[[ACC]] accumulate %[[NOT_FIRST]]
  // CHECK-NEXT: bsmm.release %[[LOADS]][%[[IT]]]
  // CHECK: bsmm.leader {
  // CHECK-NEXT: bsmm.commit %[[RESULTS]][%[[TILE]]]
  // CHECK: %[[NEXT_BASE:.+]] = arith.addi %[[BASE]], %[[STEPS]]
  // CHECK-NEXT: %[[NEXT_TILE:.+]] = arith.addi %[[TILE]], %c1_i32
  // CHECK-NEXT: scf.yield %[[NEXT_BASE]], %[[NEXT_TILE]]
  //
  // CHECK: bsmm.warp_role 0 count 4 {
  // CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[TILE:.+]] = %c0_i32)
  // CHECK: %[[STEPS:.+]] = arith.maxsi
  // The stores of the tile before have read their buffers long ago.
  // CHECK: bsmm.leader {
  // CHECK-NEXT: bsmm.wait_stores read
  // CHECK: bsmm.synchronize
  // CHECK-NEXT: %[[ACC:.+]] = bsmm.wait %[[RESULTS]][%[[TILE]]]
  // Nothing was added up when K is 0.
  // CHECK-NEXT: %[[ANY:.+]] = arith.cmpi ne, %[[STEPS]], %c0_i32
  // CHECK: bsmm.drain %[[ACC]] when %[[ANY]] columns 32 extent 64 {
  // CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[V:.+]]: vector<32xf32>):
  // CHECK-NEXT: %[[H:.+]] = arith.truncf %[[V]] : vector<32xf32> to vector<32xf16>
  // CHECK-NEXT: bsmm.write_shared %[[H]], %[[FIRST]][%[[ROW]], %[[COLUMN]]]
  // CHECK-NEXT: } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
  // CHECK: bsmm.drain %[[ACC]] when %[[ANY]] columns 32 first 64 extent 64 {
  // CHECK: %[[PLACE:.+]] = arith.subi %{{.*}}, %c64_i32
  // CHECK-NEXT: bsmm.write_shared %{{.*}}, %[[SECOND]][%{{.*}}, %[[PLACE]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: bsmm.release %[[RESULTS]][%[[TILE]]]
  // CHECK-NEXT: bsmm.publish
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: bsmm.store_async %[[FIRST]], %{{.*}}[%{{.*}}, %[[N:.+]]] :
  // CHECK-NEXT: %[[NEXT_N:.+]] = arith.addi %[[N]], %c64_i32
  // CHECK-NEXT: bsmm.store_async %[[SECOND]], %{{.*}}[%{{.*}}, %[[NEXT_N]]] :
  // CHECK: %[[NEXT_BASE:.+]] = arith.addi %[[BASE]], %[[STEPS]]
  // CHECK-NEXT: %[[NEXT_TILE:.+]] = arith.addi %[[TILE]], %c1_i32
  // CHECK-NEXT: scf.yield %[[NEXT_BASE]], %[[NEXT_TILE]]
  // The last store is complete before the CTA ends.
  // CHECK: bsmm.leader {
  // CHECK-NEXT: bsmm.wait_stores{{$}}
  // CHECK: bsmm.return
  bsmm.kernel @structure(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // One tile a CTA: loading and multiplying are work of two warps of the draining
  // warpgroup, and there is one accumulator.
  // CHECK-LABEL: bsmm.kernel @one_tile(
  // CHECK-SAME: block_size = 128 : i64
  // CHECK: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : <6, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
  // CHECK: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : <1, <128x128xf32, tensor_memory, accumulator>>
  // CHECK: %[[SFA:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFB:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[OTHER_A:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[OTHER_B:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[FIRST:.+]] = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B> over %[[LOADS]] :
  // CHECK: %[[SECOND:.+]] = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B> over %[[LOADS]] :
  // CHECK: %[[STEPS:.+]] = arith.maxsi
  // CHECK: bsmm.warp_role 0 {
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: scf.for %[[STEP:.+]] = %c0_i32 to %{{.*}} step %c1_i32 iter_args(%[[IT:.+]] = %c0_i32)
  // CHECK-DAG: %[[K:.+]] = arith.muli %[[STEP]], %c256_i32
  // CHECK-DAG: %[[SCALE_K:.+]] = arith.muli %[[STEP]], %c4_i32
  // CHECK: %[[SLOT:.+]]:4 = bsmm.acquire %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[K]]] to %[[SLOT]]#2 signals %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[K]]] to %[[SLOT]]#0 signals
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[SCALE_K]], %c0_i32, %c0_i32] to %[[SLOT]]#3 signals
  // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %[[SCALE_K]], %c0_i32, %c0_i32] to %[[SLOT]]#1 signals
  // CHECK-NEXT: bsmm.commit %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[IT]], %c1_i32
  // CHECK-NEXT: scf.yield %[[NEXT]]
  // CHECK: bsmm.warp_role 1 {
  // CHECK-NEXT: %[[ACC:.+]] = bsmm.acquire %[[RESULTS]][%c0_i32]
  // CHECK-NEXT: scf.for %[[STEP:.+]] = %c0_i32 to %{{.*}} step %c1_i32 iter_args(%[[IT:.+]] = %c0_i32)
  // CHECK: %[[LEFT:.+]] = arith.subi
  // CHECK: %[[SLOT:.+]]:4 = bsmm.wait %[[LOADS]][%[[IT]]]
  // CHECK-NEXT: %[[LAST:.+]] = arith.cmpi slt, %[[LEFT]], %c16_i32
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK-NEXT: bsmm.mask_scales %[[SLOT]]#1 from %[[LEFT]]
  // CHECK-NEXT: bsmm.mask_scales %[[SLOT]]#3 from %[[LEFT]]
  // CHECK-NEXT: }
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: %[[TURN_A:.+]] = bsmm.select_buffer %[[IT]] of %[[SFA]], %[[OTHER_A]]
  // CHECK-NEXT: %[[TURN_B:.+]] = bsmm.select_buffer %[[IT]] of %[[SFB]], %[[OTHER_B]]
  // CHECK-NEXT: bsmm.copy_scales %[[SLOT]]#1 to %[[TURN_A]]
  // CHECK-NEXT: bsmm.copy_scales %[[SLOT]]#3 to %[[TURN_B]]
  // CHECK-NEXT: %[[NOT_FIRST:.+]] = arith.cmpi ne, %[[STEP]], %c0_i32
  // CHECK-NEXT: bsmm.scaled_mma %[[SLOT]]#0 scales %[[TURN_A]], %[[SLOT]]#2 scales %[[TURN_B]], %[[ACC]] accumulate %[[NOT_FIRST]]
  // CHECK-NEXT: bsmm.release %[[LOADS]][%[[IT]]]
  // CHECK: bsmm.leader {
  // CHECK-NEXT: bsmm.commit %[[RESULTS]][%c0_i32]
  // CHECK: %[[ACC:.+]] = bsmm.wait %[[RESULTS]][%c0_i32]
  // CHECK-NEXT: %[[ANY:.+]] = arith.cmpi ne, %[[STEPS]], %c0_i32
  // CHECK: bsmm.drain %[[ACC]] when %[[ANY]] columns 32 extent 64 {
  // CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[V:.+]]: vector<32xf32>):
  // CHECK-NEXT: %[[H:.+]] = arith.truncf %[[V]] : vector<32xf32> to vector<32xf16>
  // CHECK-NEXT: bsmm.write_shared %[[H]], %[[FIRST]][%[[ROW]], %[[COLUMN]]]
  // CHECK-NEXT: } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
  // CHECK: bsmm.drain %[[ACC]] when %[[ANY]] columns 32 first 64 extent 64 {
  // CHECK: %[[PLACE:.+]] = arith.subi %{{.*}}, %c64_i32
  // CHECK-NEXT: bsmm.write_shared %{{.*}}, %[[SECOND]][%{{.*}}, %[[PLACE]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: bsmm.release %[[RESULTS]][%c0_i32]
  // CHECK-NEXT: bsmm.publish
  // CHECK-NEXT: bsmm.warp_role 0 {
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: bsmm.store_async %[[FIRST]], %{{.*}}[%{{.*}}, %[[N:.+]]] :
  // CHECK-NEXT: %[[NEXT_N:.+]] = arith.addi %[[N]], %c64_i32
  // CHECK-NEXT: bsmm.store_async %[[SECOND]], %{{.*}}[%{{.*}}, %[[NEXT_N]]] :
  // CHECK: bsmm.warp_role 0 {
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: bsmm.wait_stores{{$}}
  // CHECK: bsmm.return
  bsmm.kernel @one_tile(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %l = arith.divui %first, %tiles_mn : i32
    %tile_mn = arith.remui %first, %tiles_mn : i32
    %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
    %m = arith.muli %tile_m, %c128 : i32
    %n = arith.muli %tile_n, %c128 : i32
    %scale_n = arith.divui %n, %c128 : i32
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c256 : i32
      %scale_k = arith.muli %step, %c4 : i32
      %a_box = bsmm.tma_load %a[%l, %m, %k]
          : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
      %b_box = bsmm.tma_load %b[%l, %n, %k]
          : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
      %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
          : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
      %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
          : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
      %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
      %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
      %sfa_5d = bsmm.reshape %sfa_box
          : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
      %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
          : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_t
          : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
      %sfb_5d = bsmm.reshape %sfb_box
          : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
      %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
          : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
      %sfb_tile = bsmm.reshape %sfb_t
          : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
      %first_group = arith.muli %step, %c16 : i32
      %left = arith.subi %groups, %first_group : i32
      %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
          %b_tile scales %sfb_tile, %sum0 limit_k(%left)
          : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
            tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %sum1 : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
    bsmm.tma_store %out_box, %d[%l, %m, %n]
        : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    bsmm.return
  }

  // The stages that the loop states.
  // CHECK-LABEL: bsmm.kernel @stated_stages(
  // CHECK: bsmm.create_channel {{.*}} : <3, 
  bsmm.kernel @stated_stages(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      } {bsmm.stages = 3 : i64}
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // Small slots: no more than eight are taken.
  // CHECK-LABEL: bsmm.kernel @most_stages(
  // CHECK: bsmm.create_channel {{.*}} : <8, <128x64xf4E2M1FN, shared, swizzle_32B>, <128x4xf8E4M3FN, shared, scale_tiles>, <128x64xf4E2M1FN, shared, swizzle_32B>,
  bsmm.kernel @most_stages(
      %a: !bsmm.tensor_map<1x128x64xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x64xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c64 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c64 : i32
        %scale_k = arith.muli %step, %c1 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x64xf4E2M1FN> -> tensor<1x128x64xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x64xf4E2M1FN> -> tensor<1x128x64xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> -> tensor<1x1x1x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> -> tensor<1x1x1x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x64xf4E2M1FN> to tensor<128x64xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x64xf4E2M1FN> to tensor<128x64xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x64xf4E2M1FN> to tensor<64x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x1x2x256xf8E4M3FN> to tensor<1x1x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x1x32x4x4xf8E4M3FN> to tensor<1x4x32x1x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x1x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x1x2x256xf8E4M3FN> to tensor<1x1x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x1x32x4x4xf8E4M3FN> to tensor<1x4x32x1x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x1x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
        %first_group = arith.muli %step, %c4 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
              tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // One step alone: its loop folds away, the iterations of the channel still go on
  // from tile to tile.
  // CHECK-LABEL: bsmm.kernel @one_iteration(
  // CHECK: bsmm.create_channel {{.*}} : <4, 
  // CHECK: bsmm.warp_role 4
  // CHECK: scf.for %{{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[TILE:.+]] = %c0_i32)
  // CHECK: bsmm.acquire %{{.*}}[%[[BASE]]] : !bsmm.channel<4
  // CHECK: bsmm.warp_role 5
  // CHECK: scf.for %{{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[TILE:.+]] = %c0_i32)
  // CHECK: bsmm.wait %{{.*}}[%[[BASE]]] : !bsmm.channel<4
  // CHECK: bsmm.scaled_mma {{.*}} accumulate %false
  // CHECK: bsmm.release %{{.*}}[%[[BASE]]]
  // CHECK: %[[NEXT:.+]] = arith.addi %[[BASE]], %c1_i32
  // CHECK: scf.yield %[[NEXT]], %{{.*}}
  bsmm.kernel @one_iteration(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.constant 1 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      } {bsmm.stages = 4 : i64}
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // Two dots into one accumulator: the first one of the first step overwrites, all
  // others add. Each has its own scales in tensor memory.
  // CHECK-LABEL: bsmm.kernel @two_dots(
  // CHECK: bsmm.create_channel {{.*}} : <3, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
  // CHECK: %[[SFA0:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFB0:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFA1:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFB1:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFA2:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFB2:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFA3:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[SFB3:.+]] = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK-COUNT-8: bsmm.load_async
  // CHECK: %[[ACC:.+]] = bsmm.acquire
  // CHECK: %[[SLOT:.+]]:8 = bsmm.wait
  // CHECK-COUNT-4: bsmm.mask_scales
  // CHECK: %[[A0:.+]] = bsmm.select_buffer %{{.*}} of %[[SFA0]], %[[SFA2]]
  // CHECK: %[[B0:.+]] = bsmm.select_buffer %{{.*}} of %[[SFB0]], %[[SFB2]]
  // CHECK: %[[NOT_FIRST:.+]] = arith.cmpi ne
  // CHECK: bsmm.scaled_mma %[[SLOT]]#0 scales %[[A0]], %[[SLOT]]#2 scales %[[B0]], %[[ACC]] accumulate %[[NOT_FIRST]]
  // CHECK: %[[A1:.+]] = bsmm.select_buffer %{{.*}} of %[[SFA1]], %[[SFA3]]
  // CHECK: %[[B1:.+]] = bsmm.select_buffer %{{.*}} of %[[SFB1]], %[[SFB3]]
  // CHECK: bsmm.scaled_mma %[[SLOT]]#4 scales %[[A1]], %[[SLOT]]#6 scales %[[B1]], %[[ACC]] accumulate %true
  bsmm.kernel @two_dots(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        %a_box1 = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box1 = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box1 = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box1 = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile1 = bsmm.reshape %a_box1 : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows1 = bsmm.reshape %b_box1 : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile1 = bsmm.trans %b_rows1 [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d1 = bsmm.reshape %sfa_box1
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t1 = bsmm.trans %sfa_5d1 [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile1 = bsmm.reshape %sfa_t1
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d1 = bsmm.reshape %sfb_box1
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t1 = bsmm.trans %sfb_5d1 [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile1 = bsmm.reshape %sfb_t1
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sum2 = bsmm.scaled_dot %a_tile1 scales %sfa_tile1,
            %b_tile1 scales %sfb_tile1, %sum1 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum2 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // 256 columns: two accumulators and the scales are more than tensor memory
  // has, so they share 64, which are drained before the slot is released. The
  // stores follow the columns.
  // CHECK-LABEL: bsmm.kernel @columns_256(
  // CHECK: %[[RESULTS:.+]] = bsmm.create_channel {{.*}} overlap 64 : <2, <128x256xf32, tensor_memory, accumulator>>
  // CHECK: %[[ACC:.+]] = bsmm.wait %[[RESULTS]][%[[TILE:.+]]]
  // CHECK: %[[AT:.+]] = bsmm.slot_column %[[RESULTS]][%[[TILE]]] first 0 columns 64
  // CHECK-NEXT: bsmm.drain %[[ACC]] at %[[AT]] when %{{.*}} columns 32 extent 64 {
  // CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32,
  // CHECK: bsmm.write_shared %{{.*}}, %[[BUFFER:.+]][%[[ROW]], %[[COLUMN]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: bsmm.release %[[RESULTS]][%[[TILE]]]
  // CHECK: bsmm.publish
  // CHECK-NEXT: bsmm.leader {
  // CHECK-NEXT: %[[PLACE:.+]] = arith.addi %{{.*}}, %[[AT]]
  // CHECK-NEXT: bsmm.store_async %[[BUFFER]], %{{.*}}[%{{.*}}, %{{.*}}, %[[PLACE]]]
  // CHECK: bsmm.slot_column %[[RESULTS]][%[[TILE]]] first 64 columns 64
  // CHECK-NOT: bsmm.release
  // CHECK: bsmm.slot_column %[[RESULTS]][%[[TILE]]] first 192 columns 64
  bsmm.kernel @columns_256(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x256x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x256xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c256 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c256 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x256xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x256x256xf4E2M1FN> -> tensor<1x256x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> -> tensor<1x2x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x256x256xf4E2M1FN> to tensor<256x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<256x256xf4E2M1FN> to tensor<256x256xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x2x4x2x256xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<2x4x32x4x4xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<2x4x32x4x4xf8E4M3FN> to tensor<256x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x256xf4E2M1FN>, tensor<256x16xf8E4M3FN>, tensor<128x256xf32>
        scf.yield %sum1 : tensor<128x256xf32>
      }
      %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
      %out_box = bsmm.reshape %out : tensor<128x256xf16> to tensor<1x128x256xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x256xf16>, !bsmm.tensor_map<1x128x256xf16>
    }
    bsmm.return
  }

  // Two dots that read the same tiles: one load of each.
  // CHECK-LABEL: bsmm.kernel @shared_tiles(
  // CHECK-COUNT-4: bsmm.load_async
  // CHECK-NOT: bsmm.load_async
  // CHECK: bsmm.scaled_mma
  // CHECK: bsmm.scaled_mma
  bsmm.kernel @shared_tiles(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        %sum2 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum1 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum2 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // 64 columns: half a tile of scales. The offset is 0 or 64.
  // CHECK-LABEL: bsmm.kernel @columns_64(
  // CHECK: bsmm.create_channel {{.*}}<64x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
  // CHECK: bsmm.create_channel {{.*}} : <2, <128x64xf32, tensor_memory, accumulator>>
  // CHECK: %[[HALF:.+]] = arith.remui %{{.*}}, %c128_i32
  // CHECK: bsmm.scaled_mma %{{.*}} scales %{{.*}}, %{{.*}} scales %{{.*}} offset(%[[HALF]]), %{{.*}} accumulate
  bsmm.kernel @columns_64(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x64x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c64 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c64 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %half = arith.remui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x64xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x64x256xf4E2M1FN> -> tensor<1x64x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x64x256xf4E2M1FN> to tensor<64x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x256xf4E2M1FN> to tensor<256x64xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_all = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_tile = bsmm.extract_rows %sfb_all[%half]
            : tensor<128x16xf8E4M3FN> to tensor<64x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
        scf.yield %sum1 : tensor<128x64xf32>
      }
      %out = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
      %out_box = bsmm.reshape %out : tensor<128x64xf16> to tensor<1x128x64xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x64xf16>, !bsmm.tensor_map<1x128x64xf16>
    }
    bsmm.return
  }

  // 192 columns: two tiles of scales.
  // CHECK-LABEL: bsmm.kernel @columns_192(
  // CHECK: bsmm.create_channel {{.*}}<192x256xf4E2M1FN, shared, swizzle_128B>, <256x16xf8E4M3FN, shared, scale_tiles>>
  // CHECK: bsmm.alloc : !bsmm.buffer<256x16xf8E4M3FN, tensor_memory, scale_tiles>
  // CHECK: %[[HALF:.+]] = arith.remui %{{.*}}, %c128_i32
  // CHECK: bsmm.scaled_mma %{{.*}} scales %{{.*}}, %{{.*}} scales %{{.*}} offset(%[[HALF]]), %{{.*}} accumulate
  // CHECK: bsmm.drain %{{.*}} columns 32
  bsmm.kernel @columns_192(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x192x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x192xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %c192 = arith.constant 192 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c192 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c192 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %half = arith.remui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x192xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x192x256xf4E2M1FN> -> tensor<1x192x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> -> tensor<1x2x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x192x256xf4E2M1FN> to tensor<192x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<192x256xf4E2M1FN> to tensor<256x192xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x2x4x2x256xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<2x4x32x4x4xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
        %sfb_all = bsmm.reshape %sfb_t
            : tensor<2x4x32x4x4xf8E4M3FN> to tensor<256x16xf8E4M3FN>
        %sfb_tile = bsmm.extract_rows %sfb_all[%half]
            : tensor<256x16xf8E4M3FN> to tensor<192x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x192xf4E2M1FN>, tensor<192x16xf8E4M3FN>, tensor<128x192xf32>
        scf.yield %sum1 : tensor<128x192xf32>
      }
      %out = arith.truncf %acc : tensor<128x192xf32> to tensor<128x192xf16>
      %out_box = bsmm.reshape %out : tensor<128x192xf16> to tensor<1x128x192xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x192xf16>, !bsmm.tensor_map<1x128x192xf16>
    }
    bsmm.return
  }

  // 16 columns are drained at a time when 32 do not divide.
  // CHECK-LABEL: bsmm.kernel @columns_48(
  // CHECK: bsmm.drain %{{.*}} columns 16
  // CHECK: bsmm.write_shared {{.*}} : vector<16xf16>, !bsmm.buffer<128x16xf16, shared, swizzle_32B>
  bsmm.kernel @columns_48(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x48x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x48xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c48 = arith.constant 48 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x48xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c48 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c48 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %half = arith.constant 0 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x48xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x48x256xf4E2M1FN> -> tensor<1x48x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x48x256xf4E2M1FN> to tensor<48x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<48x256xf4E2M1FN> to tensor<256x48xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_all = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_tile = bsmm.extract_rows %sfb_all[%half]
            : tensor<128x16xf8E4M3FN> to tensor<48x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x48xf4E2M1FN>, tensor<48x16xf8E4M3FN>, tensor<128x48xf32>
        scf.yield %sum1 : tensor<128x48xf32>
      }
      %out = arith.truncf %acc : tensor<128x48xf32> to tensor<128x48xf16>
      %out_box = bsmm.reshape %out : tensor<128x48xf16> to tensor<1x128x48xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x48xf16>, !bsmm.tensor_map<1x128x48xf16>
    }
    bsmm.return
  }

  // Without a limit no scale is masked.
  // CHECK-LABEL: bsmm.kernel @no_limit(
  // CHECK-NOT: bsmm.mask_scales
  // CHECK: bsmm.return
  bsmm.kernel @no_limit(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // The predicated store: no staging buffer, no TMA store; row and column
  // limits are what is left from the tile on, offsets are 64-bit.
  // CHECK-LABEL: bsmm.kernel @predicated(
  // CHECK-NOT: bsmm.alloc : !bsmm.buffer<128x128xf16
  // CHECK: bsmm.wait %{{.*}}[%{{.*}}] : !bsmm.channel<2, <128x128xf32
  // CHECK-DAG: %[[BATCH:.+]] = arith.extsi %{{.*}} : i32 to i64
  // CHECK-DAG: arith.muli %[[BATCH]], %[[STRIDE:.+]] : i64
  // CHECK-DAG: %[[BASE:.+]] = arith.addi %{{.*}}, %{{.*}} : i64
  // CHECK: %[[ROWS:.+]] = arith.subi %{{.*}}, %{{.*}} : i32
  // CHECK: %[[COLUMNS:.+]] = arith.subi %{{.*}}, %{{.*}} : i32
  // CHECK: bsmm.drain
  // CHECK: bsmm.write_global %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] base %{{.*}} stride %{{.*}} limits[%[[ROWS]], %[[COLUMNS]]] : vector<32xf16>
  // CHECK-NOT: bsmm.wait_stores
  // CHECK-NOT: bsmm.store_async
  // CHECK: bsmm.return
  bsmm.kernel @predicated(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>},
      %pitch: i64 {bsmm.role = #bsmm.role<pitch_d>},
      %stride: i64 {bsmm.role = #bsmm.role<batch_stride_d>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.predicated_store %out_box, %d[%l, %m, %n] limits [%M, %N]
          strides [%stride, %pitch] : tensor<1x128x128xf16>
    }
    bsmm.return
  }

  // Elementwise operations, constants, scalars and the cast follow the
  // accumulator into the drain.
  // CHECK-LABEL: bsmm.kernel @epilogue(
  // CHECK: bsmm.drain
  // CHECK-DAG: %[[A:.+]] = vector.broadcast %{{.*}} : f32 to vector<32xf32>
  // CHECK: %[[P:.+]] = arith.mulf %{{.*}}, %{{.*}} : vector<32xf32>
  // CHECK: arith.maximumf %[[P]], %{{.*}} : vector<32xf32>
  // CHECK: arith.truncf %{{.*}} : vector<32xf32> to vector<32xbf16>
  // CHECK: bsmm.write_shared %{{.*}} : vector<32xbf16>, !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
  bsmm.kernel @epilogue(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xbf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>},
      %alpha: f32 {bsmm.role = #bsmm.role<alpha>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %alphas = tensor.splat %alpha : tensor<128x128xf32>
      %scaled = arith.mulf %alphas, %acc : tensor<128x128xf32>
      %epi = arith.maximumf %scaled, %zero : tensor<128x128xf32>
      %out = arith.truncf %epi : tensor<128x128xf32> to tensor<128x128xbf16>
      %out_box = bsmm.reshape %out : tensor<128x128xbf16> to tensor<1x128x128xbf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xbf16>, !bsmm.tensor_map<1x128x128xbf16>
    }
    bsmm.return
  }

  // f32 outputs need no cast: 128-byte panels of 32 columns.
  // CHECK-LABEL: bsmm.kernel @output_f32(
  // CHECK-COUNT-2: bsmm.alloc : !bsmm.buffer<128x32xf32, shared, swizzle_128B>
  // CHECK: bsmm.write_shared {{.*}} : vector<32xf32>
  bsmm.kernel @output_f32(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf32> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out_box = bsmm.reshape %acc : tensor<128x128xf32> to tensor<1x128x128xf32>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf32>, !bsmm.tensor_map<1x128x128xf32>
    }
    bsmm.return
  }

  // MXFP8: bytes, 128 elements of K are one swizzle atom and four scales.
  // CHECK-LABEL: bsmm.kernel @mxfp8(
  // CHECK: bsmm.create_channel {{.*}}<128x128xf8E4M3FN, shared, swizzle_128B>, <128x4xf8E8M0FNU, shared, scale_tiles>, <128x128xf8E5M2, shared, swizzle_128B>, <128x4xf8E8M0FNU, shared, scale_tiles>>
  // CHECK: bsmm.scaled_mma
  bsmm.kernel @mxfp8(
      %a: !bsmm.tensor_map<1x128x128xf8E4M3FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x128xf8E5M2> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c128 : i32
    %groups = arith.ceildivui %K, %c32 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c128 : i32
        %scale_k = arith.muli %step, %c1 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x128xf8E4M3FN> -> tensor<1x128x128xf8E4M3FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x128xf8E5M2> -> tensor<1x128x128xf8E5M2>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU> -> tensor<1x1x1x2x256xf8E8M0FNU>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU> -> tensor<1x1x1x2x256xf8E8M0FNU>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x128xf8E5M2> to tensor<128x128xf8E5M2>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x128xf8E5M2> to tensor<128x128xf8E5M2>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x1x2x256xf8E8M0FNU> to tensor<1x1x32x4x4xf8E8M0FNU>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x1x32x4x4xf8E8M0FNU> to tensor<1x4x32x1x4xf8E8M0FNU>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x1x4xf8E8M0FNU> to tensor<128x4xf8E8M0FNU>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x1x2x256xf8E8M0FNU> to tensor<1x1x32x4x4xf8E8M0FNU>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x1x32x4x4xf8E8M0FNU> to tensor<1x4x32x1x4xf8E8M0FNU>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x1x4xf8E8M0FNU> to tensor<128x4xf8E8M0FNU>
        %first_group = arith.muli %step, %c4 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x128xf8E4M3FN>, tensor<128x4xf8E8M0FNU>,
              tensor<128x128xf8E5M2>, tensor<128x4xf8E8M0FNU>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // MXFP4: 32 elements a scale.
  // CHECK-LABEL: bsmm.kernel @mxfp4(
  // CHECK: bsmm.create_channel {{.*}}<128x256xf4E2M1FN, shared, swizzle_128B>, <128x8xf8E8M0FNU, shared, scale_tiles>
  // CHECK: bsmm.scaled_mma
  bsmm.kernel @mxfp4(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c32 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c2 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU> -> tensor<1x1x2x2x256xf8E8M0FNU>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU> -> tensor<1x1x2x2x256xf8E8M0FNU>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x2x2x256xf8E8M0FNU> to tensor<1x2x32x4x4xf8E8M0FNU>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x2x32x4x4xf8E8M0FNU> to tensor<1x4x32x2x4xf8E8M0FNU>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x2x4xf8E8M0FNU> to tensor<128x8xf8E8M0FNU>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x2x2x256xf8E8M0FNU> to tensor<1x2x32x4x4xf8E8M0FNU>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x2x32x4x4xf8E8M0FNU> to tensor<1x4x32x2x4xf8E8M0FNU>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x2x4xf8E8M0FNU> to tensor<128x8xf8E8M0FNU>
        %first_group = arith.muli %step, %c8 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x8xf8E8M0FNU>,
              tensor<256x128xf4E2M1FN>, tensor<128x8xf8E8M0FNU>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }

  // Rows of 64 bytes have a 64-byte swizzle.
  // CHECK-LABEL: bsmm.kernel @swizzle_64B(
  // CHECK: bsmm.create_channel {{.*}}<128x128xf4E2M1FN, shared, swizzle_64B>, <128x8xf8E4M3FN, shared, scale_tiles>
  bsmm.kernel @swizzle_64B(
      %a: !bsmm.tensor_map<1x128x128xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x128xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c128 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c128 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c128 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = arith.muli %step, %c128 : i32
        %scale_k = arith.muli %step, %c2 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x128xf4E2M1FN> -> tensor<1x128x128xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x128x128xf4E2M1FN> -> tensor<1x128x128xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> -> tensor<1x1x2x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> -> tensor<1x1x2x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x128xf4E2M1FN> to tensor<128x128xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x128x128xf4E2M1FN> to tensor<128x128xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x128xf4E2M1FN> to tensor<128x128xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x2x2x256xf8E4M3FN> to tensor<1x2x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x2x32x4x4xf8E4M3FN> to tensor<1x4x32x2x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x2x4xf8E4M3FN> to tensor<128x8xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x2x2x256xf8E4M3FN> to tensor<1x2x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x2x32x4x4xf8E4M3FN> to tensor<1x4x32x2x4xf8E4M3FN>
        %sfb_tile = bsmm.reshape %sfb_t
            : tensor<1x4x32x2x4xf8E4M3FN> to tensor<128x8xf8E4M3FN>
        %first_group = arith.muli %step, %c8 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x128xf4E2M1FN>, tensor<128x8xf8E4M3FN>,
              tensor<128x128xf4E2M1FN>, tensor<128x8xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %sum1 : tensor<128x128xf32>
      }
      %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
      %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    }
    bsmm.return
  }
}
}
