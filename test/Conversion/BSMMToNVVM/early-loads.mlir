// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// The warp that loads begins before the others have met: it initialises the
// barriers, only arrives where they wait, and goes on.

!map = !bsmm.tensor_map<1x128x64xf16>
!tile = !bsmm.buffer<128x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !tile>
!acc = !bsmm.buffer<128x32xf32, tensor_memory, accumulator>
!wide = !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
!results = !bsmm.channel<1, !wide>

gpu.module @kernels attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // Warp 4 loads and warp 0 allocates. Warp 4 does not read the address of
  // tensor memory, which may not be there yet.
  // CHECK-LABEL: llvm.func @loads_first
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[WARP:.+]] = arith.shrui %[[THREAD]], %c5_i32
  // CHECK: %[[LOADS:.+]] = arith.cmpi eq, %[[WARP]], %c4_i32
  // CHECK: %[[BASE:.+]] = scf.if %[[LOADS]] -> (i32) {
  // CHECK-NEXT: %[[FIRST:.+]] = arith.cmpi eq, %[[THREAD]], %c128_i32
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-COUNT-4: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%c15_i32, %c160_i32)
  // CHECK-NEXT: scf.yield %c0_i32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[ALLOCATES:.+]] = arith.cmpi eq, %[[WARP]], %c0_i32
  // CHECK-NEXT: scf.if %[[ALLOCATES]] {
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-NEXT: nvvm.tcgen05.alloc
  // CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.barrier id = %c15_i32 number_of_threads = %c160_i32
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: %[[ADDRESS:.+]] = llvm.load
  // CHECK-NEXT: scf.yield %[[ADDRESS]]
  // CHECK-NEXT: }
  // CHECK: scf.if %[[LOADS]] {
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK: nvvm.tcgen05.ld
  // CHECK: nvvm.barrier
  // CHECK-NOT: id
  // CHECK: nvvm.tcgen05.dealloc
  bsmm.kernel @loads_first(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.alloc : !acc
    bsmm.warp_role 4 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !acc
    }
    bsmm.return
  }

  // Warp 0 loads, and drains with the others then: another one allocates, and
  // says so at a barrier of the two, for which warp 0 waits when it has loaded.
  // What lies in tensor memory has its address from there on.
  // CHECK-LABEL: llvm.func @drains_later
  // CHECK: %[[EARLY:.+]] = scf.if %[[LOADS:.+]] -> (i32) {
  // CHECK: "llvm.nvvm.barrier.cta.arrive.aligned.count"(%c15_i32, %c128_i32)
  // CHECK: } else {
  // CHECK: nvvm.tcgen05.relinquish_alloc_permit
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%c14_i32, %c64_i32)
  // CHECK: nvvm.barrier id = %c15_i32 number_of_threads = %c128_i32
  // CHECK: }
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK: %[[BASE:.+]] = scf.if %[[LOADS]] -> (i32) {
  // CHECK-NEXT: nvvm.barrier id = %c14_i32 number_of_threads = %c64_i32
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: %[[ADDRESS:.+]] = llvm.load
  // CHECK-NEXT: scf.yield %[[ADDRESS]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[EARLY]]
  // CHECK: %[[LANE:.+]] = arith.addi %[[BASE]], %{{.*}}
  // CHECK: llvm.inttoptr %[[LANE]]
  // CHECK-NEXT: nvvm.tcgen05.ld
  // CHECK: %[[GIVES_BACK:.+]] = arith.cmpi eq, %{{.*}}, %c1_i32
  // CHECK: scf.if %[[GIVES_BACK]]
  // CHECK-NEXT: llvm.inttoptr %[[BASE]]
  // CHECK-NEXT: nvvm.tcgen05.dealloc
  bsmm.kernel @drains_later(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.alloc : !acc
    bsmm.warp_role 0 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !acc
    }
    bsmm.return
  }

  // Loads for other CTAs of the cluster come when those have arrived. All meet
  // at the end, before which each waits.
  // CHECK-LABEL: llvm.func @multicast
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK: } else {
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK: nvvm.tcgen05.alloc
  // CHECK: nvvm.barrier id = %c15_i32
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK: }
  // CHECK-NOT: nvvm.cluster
  // CHECK: cp.async.bulk.tensor{{.*}} multicast_mask
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  bsmm.kernel @multicast(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64,
                  cluster_size = 2 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads>, cluster : !bsmm.channel<2, !bsmm.buffer<256x64xf16, shared, swizzle_128B>>
    %1 = bsmm.alloc : !acc
    bsmm.warp_role 4 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !bsmm.channel<2, !bsmm.buffer<256x64xf16, shared, swizzle_128B>> -> !bsmm.buffer<256x64xf16, shared, swizzle_128B>
        %rank = bsmm.cluster_rank
        %c128 = arith.constant 128 : i32
        %row = arith.muli %rank, %c128 : i32
        %3 = bsmm.slice_rows %2[%row] : !bsmm.buffer<256x64xf16, shared, swizzle_128B> to !tile
        bsmm.load_async %a[%i, %i, %i] to %3 signals %0[%i] multicast : !map, !tile, !bsmm.channel<2, !bsmm.buffer<256x64xf16, shared, swizzle_128B>>
        bsmm.commit %0[%i] : !bsmm.channel<2, !bsmm.buffer<256x64xf16, shared, swizzle_128B>>
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !acc
    }
    bsmm.return
  }

  // In a cluster whose CTAs load on their own and meet later, the warp that loads
  // waits for the others when it has.
  // CHECK-LABEL: llvm.func @cluster
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } else {
  // CHECK: nvvm.cluster.wait {aligned}
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK: nvvm.barrier id = %c14_i32
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  bsmm.kernel @cluster(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64,
                  cluster_size = 2 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.alloc : !acc
    bsmm.warp_role 0 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !acc
    }
    bsmm.synchronize_cluster
    bsmm.return
  }

  // Where tensor cores release what was loaded, the CTAs meet no more. The others
  // reach other CTAs when they have what was loaded, for which the warp that
  // loads has waited, and need not wait.
  // CHECK-LABEL: llvm.func @released_by_commit
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK-NEXT: llvm.call_intrinsic
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  bsmm.kernel @released_by_commit(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 2 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>, cluster : !loads
    %1 = bsmm.alloc : !acc
    bsmm.warp_role 4 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
        bsmm.wait_released %0[%i] : !loads
      }
    }
    bsmm.warp_role 5 {
      bsmm.leader {
        %2 = bsmm.wait %0[%i] : !loads -> !tile
        bsmm.release %0[%i] : !loads
      }
    }
    bsmm.return
  }

  // What the warp that loads sends other CTAs then is complete when another warp
  // has waited for these and multiplied: it need not wait.
  // CHECK-LABEL: llvm.func @sends_results
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK: nvvm.cluster.wait {aligned}
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK: nvvm.barrier id = %c14_i32
  // CHECK-NOT: nvvm.cluster
  // CHECK: st.async
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  bsmm.kernel @sends_results(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64,
                  cluster_size = 2 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %1 = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    %exchange = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.warp_role 0 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %2 = bsmm.wait %0[%i] : !loads -> !tile
        %3 = bsmm.acquire %1[%i] : !results -> !wide
        bsmm.release %0[%i] : !loads
        bsmm.commit %1[%i] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %2 = bsmm.wait %1[%i] : !results -> !wide
      bsmm.drain %2 at %i columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.send_partial %values, %exchange[%row, %column] to %i
            : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
      } : !wide
      bsmm.wait_partials %exchange : !bsmm.buffer<128x32xf32, shared, row_major>
      bsmm.release %1[%i] : !results
    }
    bsmm.return
  }

  // Where nobody has waited with what it sends, it waits when it has loaded.
  // CHECK-LABEL: llvm.func @sends_anything
  // CHECK: nvvm.barrier id = %c14_i32
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK: st.async
  bsmm.kernel @sends_anything(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64,
                  cluster_size = 2 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.alloc : !wide
    %exchange = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.warp_role 0 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.drain %1 at %i columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.send_partial %values, %exchange[%row, %column] to %i
            : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
      } : !wide
      bsmm.wait_partials %exchange : !bsmm.buffer<128x32xf32, shared, row_major>
    }
    bsmm.return
  }

  // A warp that first does something else, or whose role has tensor memory to
  // use, meets the others first.
  // CHECK-LABEL: llvm.func @stores_first
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: nvvm.barrier
  bsmm.kernel @stores_first(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.alloc : !acc
    bsmm.warp_role 0 count 4 {
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !acc
    }
    bsmm.warp_role 4 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: llvm.func @loads_and_commits
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: nvvm.barrier
  bsmm.kernel @loads_and_commits(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !bsmm.channel<1, !acc>
    bsmm.warp_role 0 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
        bsmm.commit %1[%i] : !bsmm.channel<1, !acc>
      }
    }
    bsmm.return
  }

  // Of two warps that load the first one begins, and the other one meets the
  // others. In a cluster only those wait for other CTAs where the first one does
  // not reach them.
  // CHECK-LABEL: llvm.func @two_warps
  // CHECK: %[[LOADS:.+]] = arith.cmpi eq, %{{.*}}, %c1_i32
  // CHECK: scf.if %[[LOADS]]
  // CHECK: nvvm.cluster.arrive.relaxed
  // CHECK-NEXT: llvm.call_intrinsic
  // CHECK-NEXT: scf.yield
  // CHECK: nvvm.cluster.wait
  // CHECK: scf.if %[[LOADS]] {
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK-NOT: nvvm.cluster
  // CHECK: } else {
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  bsmm.kernel @two_warps(%a: !map {bsmm.role = #bsmm.role<a>}, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64,
                  cluster_size = 2 : i64} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %1 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>, cluster : !loads
    %acc = bsmm.alloc : !acc
    bsmm.warp_role 1 {
      bsmm.leader {
        %2 = bsmm.acquire %0[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %0[%i] : !map, !tile, !loads
        bsmm.commit %0[%i] : !loads
      }
    }
    bsmm.warp_role 2 {
      bsmm.leader {
        %2 = bsmm.acquire %1[%i] : !loads -> !tile
        bsmm.load_async %a[%i, %i, %i] to %2 signals %1[%i] : !map, !tile, !loads
        bsmm.commit %1[%i] : !loads
        bsmm.wait_released %1[%i] : !loads
      }
    }
    bsmm.return
  }
}
