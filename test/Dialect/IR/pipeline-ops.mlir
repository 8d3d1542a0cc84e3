// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --mlir-print-op-generic %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!scales_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!scales256_tm = !bsmm.buffer<256x16xf8E4M3FN, tensor_memory, scale_tiles>
!accumulator = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!staging = !bsmm.buffer<128x128xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!overlapping = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
!map = !bsmm.tensor_map<1x128x256xf4E2M1FN>
!rows_a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!rows_b = !bsmm.buffer<160x128xf8E5M2, shared, swizzle_128B>
!operands = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>, !bsmm.buffer<160x128xf8E5M2, shared, swizzle_128B>>
!sum = !bsmm.accumulator<128x160xf32, warpgroups = 2>

gpu.module @pipeline_operations {
  // CHECK-LABEL: bsmm.kernel @memory
  bsmm.kernel @memory() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %0 = bsmm.alloc : !scales_tm
    // CHECK: bsmm.alloc {offset = 1024 : i64} : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    %1 = bsmm.alloc {offset = 1024 : i64} : !staging
    // CHECK: bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : <2, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
    %2 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !loads
    // CHECK: bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> {barrier_offset = 64 : i64, offsets = array<i64: 0>, slot_stride = 128 : i64} : <1, <128x128xf32, tensor_memory, accumulator>>
    %3 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128>
        {barrier_offset = 64 : i64, offsets = array<i64: 0>,
         slot_stride = 128 : i64} : !results
    // CHECK: bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> overlap 64 {slot_stride = 192 : i64} : <2, <128x256xf32, tensor_memory, accumulator>>
    %4 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        {slot_stride = 192 : i64} : !overlapping
    bsmm.return
  }

  // A channel without buffers: nothing to give out, nothing to place but its
  // barriers.
  // CHECK-LABEL: bsmm.kernel @turns
  bsmm.kernel @turns(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    // CHECK: %[[TURNS:.+]] = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : <1>
    %turns = bsmm.create_channel producer = <warps, count = 4>,
        consumer = <warps, count = 4> : !bsmm.channel<1>
    // CHECK: bsmm.create_channel producer = <threads, count = 32>, consumer = <mma_commit> {barrier_offset = 64 : i64, offsets = array<i64>, slot_stride = 1 : i64} : <1>
    %placed = bsmm.create_channel producer = <threads, count = 32>,
        consumer = <mma_commit>
        {barrier_offset = 64 : i64, offsets = array<i64>,
         slot_stride = 1 : i64} : !bsmm.channel<1>
    // CHECK: bsmm.warp_role 0 count 4 {
    bsmm.warp_role 0 count 4 {
      // CHECK-NEXT: bsmm.acquire %[[TURNS]][%{{.*}}] : !bsmm.channel<1>{{$}}
      bsmm.acquire %turns[%i] : !bsmm.channel<1>
      // CHECK-NEXT: bsmm.commit %[[TURNS]][%{{.*}}] : !bsmm.channel<1>{{$}}
      bsmm.commit %turns[%i] : !bsmm.channel<1>
    }
    // CHECK: bsmm.warp_role 4 count 4 {
    bsmm.warp_role 4 count 4 {
      // CHECK-NEXT: bsmm.wait %[[TURNS]][%{{.*}}] : !bsmm.channel<1>{{$}}
      bsmm.wait %turns[%i] : !bsmm.channel<1>
      // CHECK-NEXT: bsmm.release %[[TURNS]][%{{.*}}] : !bsmm.channel<1>{{$}}
      bsmm.release %turns[%i] : !bsmm.channel<1>
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @producer
  bsmm.kernel @producer(%a: !map, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit> : !loads
    // CHECK: bsmm.warp_role 0 {
    bsmm.warp_role 0 {
      // CHECK-NEXT: bsmm.leader {
      bsmm.leader {
        // CHECK-NEXT: %[[SLOT:.+]]:2 = bsmm.acquire %{{.*}}[%{{.*}}] : !bsmm.channel<2, {{.*}}> -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
        %slot:2 = bsmm.acquire %loads[%i] : !loads -> !operand, !scales
        // CHECK-NEXT: bsmm.load_async %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] to %[[SLOT]]#0 signals %{{.*}}[%{{.*}}] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.channel<2,
        bsmm.load_async %a[%i, %i, %i] to %slot#0 signals %loads[%i]
            : !map, !operand, !loads
        // CHECK-NEXT: bsmm.commit %{{.*}}[%{{.*}}] : !bsmm.channel<2,
        bsmm.commit %loads[%i] : !loads
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @mma
  bsmm.kernel @mma(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> : !results
    %sfa = bsmm.alloc : !scales_tm
    %sfb = bsmm.alloc : !scales256_tm
    %p = arith.constant true
    // CHECK: bsmm.warp_role 31 {
    bsmm.warp_role 31 {
      // CHECK-NEXT: %[[ACC:.+]] = bsmm.acquire
      %acc = bsmm.acquire %results[%i] : !results -> !accumulator
      // CHECK-NEXT: %[[SLOT:.+]]:2 = bsmm.wait %{{.*}}[%{{.*}}] : !bsmm.channel<2,
      %slot:2 = bsmm.wait %loads[%i] : !loads -> !operand, !scales
      // CHECK-NEXT: bsmm.mask_scales %[[SLOT]]#1 from %{{.*}} : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
      bsmm.mask_scales %slot#1 from %i : !scales
      // CHECK-NEXT: bsmm.leader
      bsmm.leader {
        // CHECK-NEXT: bsmm.copy_scales %[[SLOT]]#1 to %{{.*}} : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
        bsmm.copy_scales %slot#1 to %sfa : !scales to !scales_tm
        // CHECK-NEXT: bsmm.scaled_mma %[[SLOT]]#0 scales %{{.*}}, %[[SLOT]]#0 scales %{{[^ ,]*}}, %[[ACC]] accumulate %{{.*}} : !bsmm.buffer
        bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfb, %acc
            accumulate %p : !operand, !scales_tm, !operand, !scales256_tm,
            !accumulator
        // CHECK-NEXT: bsmm.scaled_mma %[[SLOT]]#0 scales %{{.*}}, %[[SLOT]]#0 scales %{{.*}} offset(%{{.*}}), %[[ACC]] accumulate %{{.*}} : !bsmm.buffer
        bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfb offset(%i), %acc
            accumulate %p : !operand, !scales_tm, !operand, !scales256_tm,
            !accumulator
        // CHECK-NEXT: bsmm.release %{{.*}}[%{{.*}}] : !bsmm.channel<2,
        bsmm.release %loads[%i] : !loads
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @epilogue
  bsmm.kernel @epilogue(%d: !bsmm.tensor_map<1x128x128xf16>, %p: !llvm.ptr<1>,
                        %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !accumulator
    %staging = bsmm.alloc : !staging
    // CHECK: bsmm.drain %{{.*}} columns 32 {
    // CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[VALUES:.+]]: vector<32xf32>):
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %half = arith.truncf %values : vector<32xf32> to vector<32xf16>
      // CHECK: bsmm.write_shared %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]] : vector<32xf16>, !bsmm.buffer<128x128xf16, shared, swizzle_128B>
      bsmm.write_shared %half, %staging[%row, %column] : vector<32xf16>, !staging
      // CHECK: bsmm.write_global %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]] base %{{.*}} stride %{{.*}} limits[%{{.*}}, %{{.*}}] : vector<32xf16>
      bsmm.write_global %half, %p[%row, %column] base %s stride %s
          limits [%i, %i] : vector<32xf16>
    // CHECK: } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    } : !accumulator
    // CHECK-NEXT: bsmm.publish
    bsmm.publish
    // CHECK-NEXT: bsmm.synchronize
    bsmm.synchronize
    // A role of a warpgroup meets at its own barriers.
    // CHECK-NEXT: bsmm.warp_role 4 count 4 {
    bsmm.warp_role 4 count 4 {
      // CHECK-NEXT: bsmm.publish
      bsmm.publish
      // CHECK-NEXT: bsmm.synchronize
      bsmm.synchronize
    }
    // Warps of a role may have roles of their own.
    // CHECK: bsmm.warp_role 8 count 4 registers 40 {
    // CHECK-NEXT: bsmm.warp_role 9 {
    bsmm.warp_role 8 count 4 registers 40 {
      bsmm.warp_role 9 {
      }
    }
    // A count of one is not written.
    // CHECK: bsmm.warp_role 2 {
    bsmm.warp_role 2 count 1 {
    }
    bsmm.warp_role 0 {
      bsmm.leader {
        // CHECK: bsmm.store_async %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !bsmm.buffer<128x128xf16, shared, swizzle_128B>, !bsmm.tensor_map<1x128x128xf16>
        bsmm.store_async %staging, %d[%i, %i, %i]
            : !staging, !bsmm.tensor_map<1x128x128xf16>
        // CHECK-NEXT: bsmm.wait_stores read
        bsmm.wait_stores read
        // CHECK-NEXT: bsmm.wait_stores{{$}}
        bsmm.wait_stores
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @overlap
  bsmm.kernel @overlap(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %results = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !overlapping
    bsmm.warp_role 0 count 4 {
      // CHECK: %[[ACC:.+]] = bsmm.wait
      %acc = bsmm.wait %results[%i] : !overlapping
          -> !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      // CHECK-NEXT: %[[AT:.+]] = bsmm.slot_column %{{.*}}[%{{.*}}] first 64 columns 32 : !bsmm.channel<2, <128x256xf32, tensor_memory, accumulator>>
      %at = bsmm.slot_column %results[%i] first 64 columns 32 : !overlapping
      // CHECK-NEXT: bsmm.drain %[[ACC]] at %[[AT]] columns 16 extent 32 {
      bsmm.drain %acc at %at columns 16 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
      } : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      // CHECK: %[[ANY:.+]] = arith.cmpi
      %any = arith.cmpi sgt, %i, %at : i32
      // CHECK-NEXT: bsmm.drain %[[ACC]] when %[[ANY]] columns 64 {
      bsmm.drain %acc when %any columns 64 {
      ^bb0(%row: i32, %column: i32, %values: vector<64xf32>):
      } : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      // CHECK: bsmm.drain %[[ACC]] at %[[AT]] when %[[ANY]] columns 16 extent 32 {
      bsmm.drain %acc at %at when %any columns 16 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
      } : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @registers
  bsmm.kernel @registers(%p: !llvm.ptr<1>, %i: i32, %l: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    // CHECK: bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> :
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <warps, count = 8> : !operands
    %staging = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // CHECK: bsmm.warp_role 8 count 4 registers 24 {
    bsmm.warp_role 8 count 4 registers 24 {
    }
    // CHECK: bsmm.warp_role 0 count 8 registers 240 {
    bsmm.warp_role 0 count 8 registers 240 {
      // CHECK-NEXT: %[[ZERO:.+]] = bsmm.zero_accumulator : !bsmm.accumulator<128x160xf32, warpgroups = 2>
      %zero = bsmm.zero_accumulator : !sum
      // CHECK-NEXT: %[[SLOT:.+]]:2 = bsmm.wait
      %slot:2 = bsmm.wait %loads[%i] : !operands -> !rows_a, !rows_b
      // CHECK-NEXT: %[[FIRST:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>, !bsmm.buffer<160x128xf8E5M2, shared, swizzle_128B> -> !bsmm.accumulator<128x160xf32, warpgroups = 2>
      %first = bsmm.mma %slot#0, %slot#1 : !rows_a, !rows_b -> !sum
      // CHECK-NEXT: %[[SECOND:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 add %[[FIRST]] : !bsmm.buffer<{{.*}}>, !bsmm.buffer<{{.*}}> -> !bsmm.accumulator<128x160xf32, warpgroups = 2>
      %second = bsmm.mma %slot#0, %slot#1 add %first : !rows_a, !rows_b -> !sum
      // CHECK-NEXT: %[[SOME:.+]] = bsmm.wait_mma %[[SECOND]] pending 7 : !bsmm.accumulator<128x160xf32, warpgroups = 2>
      %some = bsmm.wait_mma %second pending 7 : !sum
      // CHECK-NEXT: %[[ALL:.+]] = bsmm.wait_mma %[[SOME]] pending 0
      %all = bsmm.wait_mma %some pending 0 : !sum
      // CHECK-NEXT: bsmm.release %{{.*}}[%{{.*}}]
      bsmm.release %loads[%i] : !operands
      // CHECK-NEXT: %[[SUM:.+]] = bsmm.add_accumulators %[[ZERO]], %[[ALL]] : !bsmm.accumulator<128x160xf32, warpgroups = 2>
      %sum = bsmm.add_accumulators %zero, %all : !sum
      // CHECK: %[[LEFT:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 0 k 32 for 64 : {{.*}} -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
      %left = bsmm.mma %slot#0, %slot#1 column 0 k 32 for 64
          : !rows_a, !rows_b -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
      // CHECK-NEXT: %[[RIGHT:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 80 : {{.*}} -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
      %right = bsmm.mma %slot#0, %slot#1 column 80
          : !rows_a, !rows_b -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
      // CHECK-NEXT: %[[LEFT_SUM:.+]] = bsmm.wait_mma %[[LEFT]] pending 1 complete : !bsmm.accumulator<128x80xf32, warpgroups = 2>
      %left_sum = bsmm.wait_mma %left pending 1 complete
          : !bsmm.accumulator<128x80xf32, warpgroups = 2>
      %right_sum = bsmm.wait_mma %right pending 0
          : !bsmm.accumulator<128x80xf32, warpgroups = 2>
      // CHECK: bsmm.join_accumulators %[[LEFT_SUM]], %{{.*}} : !bsmm.accumulator<128x80xf32, warpgroups = 2>, !bsmm.accumulator<128x80xf32, warpgroups = 2> -> !bsmm.accumulator<128x160xf32, warpgroups = 2>
      %joined = bsmm.join_accumulators %left_sum, %right_sum
          : !bsmm.accumulator<128x80xf32, warpgroups = 2>,
            !bsmm.accumulator<128x80xf32, warpgroups = 2> -> !sum
      // CHECK: bsmm.read_vector %{{.*}}[%{{.*}}] offset %{{.*}} limit %{{.*}} dimension 1 : vector<1xf32>
      %one = bsmm.read_vector %p[%i] offset %i limit %i dimension 1
          : vector<1xf32>
      // CHECK: bsmm.drain %[[SUM]] columns 32 first 32 extent 64 {
      // CHECK-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[VALUES:.+]]: vector<16xf32>):
      bsmm.drain %sum columns 32 first 32 extent 64 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
        // CHECK-NEXT: bsmm.read_vector %{{.*}}[%[[ROW]]] offset %{{.*}} limit %{{.*}} dimension 0 : vector<16xf32>
        %scales = bsmm.read_vector %p[%row] offset %i limit %i dimension 0
            : vector<16xf32>
        // CHECK-NEXT: bsmm.read_global %{{.*}}[%[[ROW]], %[[COLUMN]]] base %{{.*}} stride %{{.*}} limits[%{{.*}}, %{{.*}}] : vector<16xbf16>
        %c = bsmm.read_global %p[%row, %column] base %l stride %l
            limits [%i, %i] : vector<16xbf16>
        // CHECK-NEXT: bsmm.write_shared
        bsmm.write_shared %c, %staging[%row, %column]
            : vector<16xbf16>, !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
      // CHECK-NEXT: } : !bsmm.accumulator<128x160xf32, warpgroups = 2>
      } : !sum
      bsmm.leader {
        // CHECK: bsmm.wait_stores read pending 63
        bsmm.wait_stores read pending 63
        // CHECK-NEXT: bsmm.wait_stores pending 1
        bsmm.wait_stores pending 1
      }
    }
    bsmm.return
  }

  // All threads of a block may be the accumulator's warpgroups; a branch on
  // what every thread knows alike is no obstacle.
  // CHECK-LABEL: bsmm.kernel @whole_block
  bsmm.kernel @whole_block(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %a = bsmm.alloc : !rows_a
    %b = bsmm.alloc : !rows_b
    %block = gpu.block_id x
    %number = arith.index_cast %block : index to i32
    %p = arith.cmpi slt, %number, %i : i32
    // CHECK: scf.if
    // CHECK-NEXT: bsmm.mma
    scf.if %p {
      %sum = bsmm.mma %a, %b : !rows_a, !rows_b -> !sum
    }
    bsmm.return
  }

  // Memory that slots have had.
  // CHECK-LABEL: bsmm.kernel @over
  bsmm.kernel @over() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: %[[SLOTS:.+]] = bsmm.create_channel
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !loads
    // CHECK: bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B> over %[[SLOTS]] : !bsmm.channel<2, <128x256xf4E2M1FN, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
    %0 = bsmm.alloc : !staging over %slots : !loads
    // CHECK: bsmm.alloc {offset = 1024 : i64} : !bsmm.buffer<128x128xf16, shared, swizzle_128B> over %[[SLOTS]] :
    %1 = bsmm.alloc {offset = 1024 : i64} : !staging over %slots : !loads
    bsmm.return
  }

  // The CTAs of a cluster add their sums; warpgroups store on their own; what an
  // epilogue reads is copied beforehand.
  // CHECK-LABEL: bsmm.kernel @cluster
  // CHECK-SAME: cluster_size = 2 : i64
  bsmm.kernel @cluster(%p: !llvm.ptr<1>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64,
                  cluster_size = 2 : i64} {
    %staging = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    %exchange = bsmm.alloc : !bsmm.buffer<128x80xf32, shared, row_major>
    %vectors = bsmm.alloc : !bsmm.buffer<2x80xf32, shared, row_major>
    // CHECK: bsmm.cluster_rank
    %rank = bsmm.cluster_rank
    bsmm.warp_role 0 count 8 {
      // CHECK: bsmm.stage_vector %{{.*}}[%{{.*}}] limit %{{.*}} to %{{.*}} : !bsmm.buffer<2x80xf32, shared, row_major>
      bsmm.stage_vector %p[%i] limit %i to %vectors
          : !bsmm.buffer<2x80xf32, shared, row_major>
      %zero = bsmm.zero_accumulator : !sum
      // CHECK: bsmm.reduce_cluster %{{.*}} through %{{.*}} : !bsmm.accumulator<128x160xf32, warpgroups = 2>, !bsmm.buffer<128x80xf32, shared, row_major> -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
      %total = bsmm.reduce_cluster %zero through %exchange : !sum,
          !bsmm.buffer<128x80xf32, shared, row_major>
          -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
      // CHECK-NEXT: bsmm.wait_vectors
      bsmm.wait_vectors
      // CHECK-NEXT: bsmm.synchronize each_warpgroup
      bsmm.synchronize each_warpgroup
      bsmm.drain %total columns 16 {
      ^bb0(%row: i32, %column: i32, %values: vector<8xf32>):
        // CHECK: bsmm.read_staged %{{.*}}[%{{.*}}] dimension 1 : !bsmm.buffer<2x80xf32, shared, row_major> -> vector<8xf32>
        %bias = bsmm.read_staged %vectors[%column] dimension 1
            : !bsmm.buffer<2x80xf32, shared, row_major> -> vector<8xf32>
      } : !bsmm.accumulator<128x80xf32, warpgroups = 2>
      // CHECK: bsmm.publish each_warpgroup
      bsmm.publish each_warpgroup
      // CHECK-NEXT: %[[NUMBER:.+]] = bsmm.warpgroup_index
      %number = bsmm.warpgroup_index
      // CHECK-NEXT: bsmm.slice_rows %{{.*}}[%[[NUMBER]]] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<64x64xbf16, shared, swizzle_128B>
      %rows = bsmm.slice_rows %staging[%number]
          : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
          to !bsmm.buffer<64x64xbf16, shared, swizzle_128B>
      // CHECK-NEXT: bsmm.leader each_warpgroup {
      bsmm.leader each_warpgroup {
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @partials
  bsmm.kernel @partials(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64,
                  cluster_size = 2 : i64} {
    %exchange = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    %staging = bsmm.alloc : !bsmm.buffer<32x128xf32, shared, swizzle_128B>
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    // CHECK: bsmm.drain %{{.*}} at %{{.*}} columns 32 extent 32 {
    bsmm.drain %acc at %i columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      // CHECK: bsmm.send_partial %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
      bsmm.send_partial %values, %exchange[%row, %column] to %i
          : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    // CHECK: bsmm.wait_partials %{{.*}} : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.wait_partials %exchange : !bsmm.buffer<128x32xf32, shared, row_major>
    // CHECK: bsmm.synchronize_cluster
    bsmm.synchronize_cluster
    // CHECK: bsmm.drain %{{.*}} columns 32 extent 32 transposed {
    bsmm.drain %acc columns 32 extent 32 transposed {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      // CHECK: bsmm.add_partials %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
      %sum = bsmm.add_partials %values, %exchange[%column, %row]
          : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
      bsmm.write_shared %sum, %staging[%row, %column]
          : vector<32xf32>, !bsmm.buffer<32x128xf32, shared, swizzle_128B>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @together
  bsmm.kernel @together(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 2 : i64} {
    %even = bsmm.alloc : !scales_tm
    %odd = bsmm.alloc : !scales_tm
    // CHECK: bsmm.select_buffer %{{.*}} of %{{.*}}, %{{.*}} : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %turn = bsmm.select_buffer %i of %even, %odd : !scales_tm
    // CHECK: bsmm.create_channel producer = <transaction>, consumer = <mma_commit>, cluster :
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot:2 = bsmm.acquire %loads[%i] : !loads -> !operand, !scales
        // CHECK: bsmm.slice_scales %{{.*}}[%{{.*}}] : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
        %half = bsmm.slice_scales %slot#1[%i] : !scales
            to !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
        // CHECK: bsmm.wait_released %{{.*}}[%{{.*}}] : !bsmm.channel<2,
        bsmm.wait_released %loads[%i] : !loads
      }
    }
    bsmm.return
  }
}
