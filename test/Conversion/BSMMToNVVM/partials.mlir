// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// Sums of a cluster's CTAs. What a CTA has sent is complete when all have
// arrived; while they meet, each loads its own share from its tensor memory.

!acc = !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
!exchange = !bsmm.buffer<128x32xf32, shared, row_major>
!d = !bsmm.buffer<128x32xf16, shared, swizzle_64B>

gpu.module @partials attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // CHECK-LABEL: llvm.func @exchange
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-COUNT-8: llvm.store {{.*}} vector<4xf32>, !llvm.ptr<7>
  // CHECK: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.cluster.arrive {aligned}
  // CHECK-NOT: nvvm.cluster.wait
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // All that was received is loaded before it is added, in the order of ranks.
  // CHECK-COUNT-8: llvm.load {{.*}} -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-8: arith.addf {{.*}} vector<4xf32>
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  bsmm.kernel @exchange(%to: i32) attributes {level = #bsmm.level<pipeline>,
      block_size = 128 : i64, cluster_size = 2 : i64} {
    %c32 = arith.constant 32 : i32
    %0 = bsmm.alloc : !acc
    %1 = bsmm.alloc : !exchange
    %2 = bsmm.alloc : !d
    %at = arith.muli %to, %c32 : i32
    bsmm.drain %0 at %at columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      bsmm.send_partial %values, %1[%row, %column] to %to : vector<32xf32>, !exchange
    } : !acc
    bsmm.synchronize_cluster
    %rank = bsmm.cluster_rank
    %own = arith.muli %rank, %c32 : i32
    bsmm.drain %0 at %own columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %sum = bsmm.add_partials %values, %1[%row, %column] : vector<32xf32>, !exchange
      %half = arith.truncf %sum : vector<32xf32> to vector<32xf16>
      bsmm.write_shared %half, %2[%row, %column] : vector<32xf16>, !d
    } : !acc
    bsmm.return
  }

  // Where something else comes first, the threads wait there.
  // CHECK-LABEL: llvm.func @not_behind
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK: nvvm.fence.proxy
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  bsmm.kernel @not_behind() attributes {level = #bsmm.level<pipeline>,
      block_size = 128 : i64, cluster_size = 2 : i64} {
    %0 = bsmm.alloc : !acc
    %1 = bsmm.alloc : !exchange
    bsmm.synchronize_cluster
    bsmm.publish
    bsmm.drain %0 columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %sum = bsmm.add_partials %values, %1[%row, %column] : vector<32xf32>, !exchange
    } : !acc
    bsmm.return
  }
}
