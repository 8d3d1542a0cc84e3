// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// A role that multiplies waits for its accumulator when the first operands are
// there, not before it waits for these; and, as there may be no step, before the
// commit.

!a = !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
!s = !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
!t = !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
!loads = !bsmm.channel<2, !a, !s, !a, !s>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!sums = !bsmm.channel<1, !acc>

gpu.module @kernels attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // CHECK-LABEL: llvm.func @first_step
  // CHECK-NOT: try_wait
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[SUMS:.+]][8]
  // CHECK: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK: nvvm.tcgen05.mma.block_scale
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[SUMS]][8]
  // CHECK: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NOT: try_wait
  // CHECK: nvvm.tcgen05.commit
  // CHECK: llvm.return
  bsmm.kernel @first_step(%n: i32, %j: i32) attributes {level = #bsmm.level<pipeline>,
                                               block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %1 = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !sums
    %ta = bsmm.alloc : !t
    %tb = bsmm.alloc : !t
    bsmm.warp_role 1 {
      %acc = bsmm.acquire %1[%j] : !sums -> !acc
      scf.for %i = %c0 to %n step %c1 : i32 {
        %slot:4 = bsmm.wait %0[%i] : !loads -> !a, !s, !a, !s
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %ta : !s to !t
          bsmm.copy_scales %slot#3 to %tb : !s to !t
          %adds = arith.cmpi ne, %i, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %ta, %slot#2 scales %tb, %acc accumulate %adds
              : !a, !t, !a, !t, !acc
          bsmm.release %0[%i] : !loads
        }
      }
      bsmm.leader {
        bsmm.commit %1[%j] : !sums
      }
    }
    bsmm.return
  }

  // A warp that loads as well waits for it once.
  // CHECK-LABEL: llvm.func @loads_too
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK-NOT: try_wait
  // CHECK: llvm.return
  bsmm.kernel @loads_too(%a: !bsmm.tensor_map<1x128x64xf4E2M1FN> {bsmm.role = #bsmm.role<a>}, %n: i32, %j: i32) attributes {level = #bsmm.level<pipeline>,
                                               block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %1 = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !sums
    %ta = bsmm.alloc : !t
    %tb = bsmm.alloc : !t
    bsmm.warp_role 1 {
      %acc = bsmm.acquire %1[%j] : !sums -> !acc
      scf.for %i = %c0 to %n step %c1 : i32 {
        %slot:4 = bsmm.wait %0[%i] : !loads -> !a, !s, !a, !s
        bsmm.leader {
          bsmm.load_async %a[%c0, %c0, %i] to %slot#0 signals %0[%i]
              : !bsmm.tensor_map<1x128x64xf4E2M1FN>, !a, !loads
          bsmm.copy_scales %slot#1 to %ta : !s to !t
          bsmm.copy_scales %slot#3 to %tb : !s to !t
          %adds = arith.cmpi ne, %i, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %ta, %slot#2 scales %tb, %acc accumulate %adds
              : !a, !t, !a, !t, !acc
          bsmm.release %0[%i] : !loads
        }
      }
      bsmm.leader {
        bsmm.commit %1[%j] : !sums
      }
    }
    bsmm.return
  }

  // A multiplication that adds in the first trip, too, does not wait for it.
  // CHECK-LABEL: llvm.func @always_adds
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK-NOT: try_wait
  // CHECK: llvm.return
  bsmm.kernel @always_adds(%n: i32, %j: i32) attributes {level = #bsmm.level<pipeline>,
                                                block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %yes = arith.constant true
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %1 = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !sums
    %ta = bsmm.alloc : !t
    %tb = bsmm.alloc : !t
    bsmm.warp_role 1 {
      %acc = bsmm.acquire %1[%j] : !sums -> !acc
      scf.for %i = %c0 to %n step %c1 : i32 {
        %slot:4 = bsmm.wait %0[%i] : !loads -> !a, !s, !a, !s
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %ta : !s to !t
          bsmm.copy_scales %slot#3 to %tb : !s to !t
          bsmm.scaled_mma %slot#0 scales %ta, %slot#2 scales %tb, %acc accumulate %yes
              : !a, !t, !a, !t, !acc
          bsmm.release %0[%i] : !loads
        }
      }
      bsmm.leader {
        bsmm.commit %1[%j] : !sums
      }
    }
    bsmm.return
  }

  // The only accumulator of a kernel is free from the start: nobody waits for it,
  // and nobody releases it. It has a full barrier alone, besides the two barriers
  // of the loads.
  // CHECK-LABEL: llvm.func @only_one
  // CHECK-COUNT-3: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK-NOT: try_wait
  // CHECK: nvvm.tcgen05.mma.block_scale
  // CHECK-NOT: try_wait
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NOT: nvvm.mbarrier.arrive
  // CHECK: llvm.return
  bsmm.kernel @only_one(%n: i32) attributes {level = #bsmm.level<pipeline>,
                                             block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !bsmm.channel<1, !a, !s, !a, !s>
    %1 = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !sums
    %ta = bsmm.alloc : !t
    %tb = bsmm.alloc : !t
    bsmm.warp_role 4 {
      %acc = bsmm.acquire %1[%c0] : !sums -> !acc
      scf.for %i = %c0 to %n step %c1 : i32 {
        %slot:4 = bsmm.wait %0[%i] : !bsmm.channel<1, !a, !s, !a, !s> -> !a, !s, !a, !s
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %ta : !s to !t
          bsmm.copy_scales %slot#3 to %tb : !s to !t
          %adds = arith.cmpi ne, %i, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %ta, %slot#2 scales %tb, %acc accumulate %adds
              : !a, !t, !a, !t, !acc
          bsmm.release %0[%i] : !bsmm.channel<1, !a, !s, !a, !s>
        }
      }
      bsmm.leader {
        bsmm.commit %1[%c0] : !sums
      }
    }
    bsmm.warp_role 0 count 4 {
      %acc = bsmm.wait %1[%c0] : !sums -> !acc
      bsmm.drain %acc columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !acc
      bsmm.release %1[%c0] : !sums
    }
    bsmm.return
  }
}
