// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// Sums of a cluster's CTAs: stores whose bytes a barrier of the receiver counts.
// While it waits, each loads its own share from its tensor memory.

!acc = !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
!exchange = !bsmm.buffer<128x32xf32, shared, row_major>
!d = !bsmm.buffer<128x32xf16, shared, swizzle_64B>

gpu.module @partials attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // The barrier is behind those of channels, of which there are none; a whole
  // buffer comes in its one phase.
  // CHECK-LABEL: llvm.func @exchange
  // CHECK: %[[BARRIER:.+]] = llvm.getelementptr %{{.*}}[24576]
  // CHECK-NEXT: nvvm.mbarrier.init %[[BARRIER]], %{{.*}}
  // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES:[^ ]+]]
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-DAG: %[[THERE:.+]] = nvvm.mapa %{{.*}}, %[[TO:.+]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-DAG: %[[SIGNAL:.+]] = nvvm.mapa %{{.*}}, %[[TO]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-COUNT-8: llvm.inline_asm has_side_effects asm_dialect = att "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [$0+$6], {$1, $2, $3, $4}, [$5];"{{.*}} %[[SIGNAL]], %
  // CHECK-NOT: nvvm.cluster
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [$0], 0;
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
    bsmm.wait_partials %1 : !exchange
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
  // CHECK: try_wait.parity.acquire.cluster
  // CHECK: nvvm.fence.proxy
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  bsmm.kernel @not_behind() attributes {level = #bsmm.level<pipeline>,
      block_size = 128 : i64, cluster_size = 2 : i64} {
    %0 = bsmm.alloc : !acc
    %1 = bsmm.alloc : !exchange
    bsmm.wait_partials %1 : !exchange
    bsmm.publish
    bsmm.drain %0 columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %sum = bsmm.add_partials %values, %1[%row, %column] : vector<32xf32>, !exchange
    } : !acc
    bsmm.return
  }

  // A barrier of all CTAs: the drain behind it loads while they meet.
  // CHECK-LABEL: llvm.func @meet
  // CHECK: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.cluster.arrive {aligned}
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  bsmm.kernel @meet() attributes {level = #bsmm.level<pipeline>,
      block_size = 128 : i64, cluster_size = 2 : i64} {
    %0 = bsmm.alloc : !acc
    %1 = bsmm.alloc : !d
    bsmm.synchronize_cluster
    bsmm.drain %0 columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %half = arith.truncf %values : vector<32xf32> to vector<32xf16>
      bsmm.write_shared %half, %1[%row, %column] : vector<32xf16>, !d
    } : !acc
    bsmm.return
  }
}
