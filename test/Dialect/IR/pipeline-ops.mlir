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
!map = !bsmm.tensor_map<1x128x256xf4E2M1FN>

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
}
