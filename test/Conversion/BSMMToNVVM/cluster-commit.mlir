// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// A channel of a cluster whose slots the tensor core releases.

!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!share = !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
!loads = !bsmm.channel<3, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // The empty barriers count a commit of each of the four CTAs.
  // CHECK-LABEL: llvm.func @four
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
  // CHECK-COUNT-3: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK-COUNT-3: nvvm.mbarrier.init %{{.*}}, %c4_i32
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait

  // A share of the scales begins at its tile's 512 bytes. Empty barriers lie 24
  // bytes behind the full ones.
  // CHECK: %[[EMPTY0:.+]] = llvm.getelementptr %{{.*}}[24]
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c18432_i32
  // CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: %[[BYTES:.+]] = arith.muli %[[RANK]], %c512_i32
  // CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[BYTES]]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %c15_i16

  // The waits for empty slots after the last iteration: the iterations that would
  // use them next.
  // CHECK: scf.for %{{.*}} = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%[[NEXT:.+]] = %arg3) -> (i32)
  // CHECK-DAG: %[[ROUND:.+]] = arith.divui %[[NEXT]], %c3_i32
  // CHECK-DAG: %[[NUMBER:.+]] = arith.remui %[[NEXT]], %c3_i32
  // CHECK-DAG: %[[PARITY:.+]] = arith.andi %[[ROUND]], %c1_i32
  // CHECK-DAG: %[[OTHER:.+]] = arith.xori %[[PARITY]], %c1_i32
  // CHECK-DAG: %[[OFFSET:.+]] = arith.muli %[[NUMBER]], %c8_i32
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[EMPTY0]][%[[OFFSET]]]
  // CHECK: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[OTHER]]
  // CHECK: arith.addi %[[NEXT]], %c1_i32

  // A release is one commit that arrives in all four.
  // CHECK: nvvm.tcgen05.commit %{{.*}}, multicast_mask = %c15_i16

  // The producer has waited: CTAs need not end together.
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  bsmm.kernel @four(%a: !bsmm.tensor_map<128x256xf4E2M1FN>,
                    %s: !bsmm.tensor_map<1x512xf8E4M3FN>, %i: i32, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot:2 = bsmm.acquire %loads[%i] : !loads -> !operand, !scales
        %rank = bsmm.cluster_rank
        bsmm.load_async %a[%i, %c0] to %slot#0 signals %loads[%i]
            : !bsmm.tensor_map<128x256xf4E2M1FN>, !operand, !loads
        %part = bsmm.slice_scales %slot#1[%rank] : !scales to !share
        bsmm.load_async %s[%rank, %c0] to %part signals %loads[%i] multicast
            : !bsmm.tensor_map<1x512xf8E4M3FN>, !share, !loads
        bsmm.commit %loads[%i] : !loads
        bsmm.wait_released %loads[%n] : !loads
      }
    }
    bsmm.warp_role 5 {
      %full:2 = bsmm.wait %loads[%i] : !loads -> !operand, !scales
      bsmm.leader {
        bsmm.release %loads[%i] : !loads
      }
    }
    bsmm.return
  }

  // Without a cluster a release arrives in its own CTA.
  // CHECK-LABEL: llvm.func @one
  // CHECK: nvvm.tcgen05.commit %{{.*}} : !llvm.ptr<3>
  bsmm.kernel @one(%a: !bsmm.tensor_map<128x256xf4E2M1FN>,
                   %s: !bsmm.tensor_map<4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot:2 = bsmm.acquire %loads[%i] : !loads -> !operand, !scales
        bsmm.load_async %a[%i, %c0] to %slot#0 signals %loads[%i]
            : !bsmm.tensor_map<128x256xf4E2M1FN>, !operand, !loads
        bsmm.load_async %s[%i, %c0, %c0] to %slot#1 signals %loads[%i]
            : !bsmm.tensor_map<4x2x256xf8E4M3FN>, !scales, !loads
        bsmm.commit %loads[%i] : !loads
      }
    }
    bsmm.warp_role 5 {
      %full:2 = bsmm.wait %loads[%i] : !loads -> !operand, !scales
      bsmm.leader {
        bsmm.release %loads[%i] : !loads
      }
    }
    bsmm.return
  }
}
