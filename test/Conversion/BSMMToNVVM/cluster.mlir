// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// A channel of a cluster: loads to all of its CTAs, and releases in all of them.

!shared = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<32x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!halves = !bsmm.channel<1, !bsmm.buffer<32x64xf16, shared, swizzle_128B>>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // One producer of each CTA arrives at its own full barriers, 4 warps of each
  // of 4 CTAs at every empty one. Barriers are there before another CTA arrives.
  // CHECK-LABEL: llvm.func @four
  // CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[B:[a-z0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[I:[a-z0-9]+]]: i32
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: llvm.getelementptr %[[SHARED]][10240]
  // CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK-NEXT: llvm.getelementptr %[[SHARED]][10248]
  // CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK-NEXT: llvm.getelementptr %[[SHARED]][10256]
  // CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c16_i32
  // CHECK-NEXT: llvm.getelementptr %[[SHARED]][10264]
  // CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c16_i32
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}

  // The bytes of the whole slot are announced, those of other CTAs' shares, too.
  // A share lies rank * 8 rows of 128 bytes from the buffer's start, and goes to
  // CTAs 0 to 3 (mask 15); what is loaded alone has no mask.
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:.+]], %c5120_i32
  // CHECK: %[[SLOT:.+]] = llvm.getelementptr %[[SHARED]][%{{.*}}]
  // CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: %[[ROW:.+]] = arith.muli %[[RANK]], %c8_i32
  // CHECK: %[[BYTES:.+]] = arith.muli %[[RANK]], %c1024_i32
  // CHECK: %[[SHARE:.+]] = llvm.getelementptr %[[SLOT]][%[[BYTES]]]
  // CHECK: %[[TO:.+]] = llvm.addrspacecast %[[SHARE]] : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TO]], %[[A]], %[[FULL]], box[%[[I]], %[[ROW]]] multicast_mask = %c15_i16 : !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[B]], %[[FULL]], box[%[[I]], %[[I]]] : !llvm.ptr<7>

  // One elected thread of each warp releases the slot in every CTA.
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %[[EMPTY0:.+]] = llvm.getelementptr %{{.*}}[16]
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[EMPTY0]][%{{.*}}]
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-NEXT: %[[ELECTED:.+]] = nvvm.elect.sync
  // CHECK-NEXT: scf.if %[[ELECTED]] {
  // CHECK-NEXT: %[[AT:.+]] = nvvm.mapa %[[EMPTY]], %c0_i32 : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[AT]] : !llvm.ptr<7>
  // CHECK-NEXT: %[[AT:.+]] = nvvm.mapa %[[EMPTY]], %c1_i32 : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[AT]] : !llvm.ptr<7>
  // CHECK-NEXT: %[[AT:.+]] = nvvm.mapa %[[EMPTY]], %c2_i32 : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[AT]] : !llvm.ptr<7>
  // CHECK-NEXT: %[[AT:.+]] = nvvm.mapa %[[EMPTY]], %c3_i32 : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[AT]] : !llvm.ptr<7>
  // CHECK-NEXT: }
  // CHECK-NOT: nvvm.mbarrier.arrive

  // No CTA ends while others write to its memory.
  // CHECK: }
  // CHECK-NEXT: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK-NEXT: llvm.return
  bsmm.kernel @four(%a: !bsmm.tensor_map<8x64xf16>,
                    %b: !bsmm.tensor_map<8x64xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 4 : i64} {
    %c8 = arith.constant 8 : i32
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <warps, count = 4>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot:2 = bsmm.acquire %loads[%i] : !loads -> !shared, !alone
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c8 : i32
        %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
        bsmm.load_async %a[%row, %i] to %part signals %loads[%i] multicast
            : !bsmm.tensor_map<8x64xf16>, !share, !loads
        bsmm.load_async %b[%i, %i] to %slot#1 signals %loads[%i]
            : !bsmm.tensor_map<8x64xf16>, !alone, !loads
        bsmm.commit %loads[%i] : !loads
      }
    }
    bsmm.warp_role 0 count 4 {
      %full:2 = bsmm.wait %loads[%i] : !loads -> !shared, !alone
      bsmm.release %loads[%i] : !loads
    }
    bsmm.return
  }

  // Two CTAs, a consumer that arrives by threads, and an order channel: its
  // barriers are of one CTA.
  // CHECK-LABEL: llvm.func @two
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c256_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c32_i32
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c4096_i32
  // CHECK: multicast_mask = %c3_i16
  // CHECK: %[[EMPTY:.+]] = nvvm.mapa %{{.*}}, %c0_i32
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]] : !llvm.ptr<7>
  // CHECK-NEXT: %[[EMPTY:.+]] = nvvm.mapa %{{.*}}, %c1_i32
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]] : !llvm.ptr<7>
  // CHECK-NOT: nvvm.mapa
  // CHECK: nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<3>
  // CHECK-NOT: nvvm.mapa
  // CHECK: nvvm.cluster.wait {aligned}
  // CHECK-NEXT: llvm.return
  bsmm.kernel @two(%a: !bsmm.tensor_map<16x64xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 2 : i64} {
    %c16 = arith.constant 16 : i32
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !halves
    %turns = bsmm.create_channel producer = <threads, count = 128>,
        consumer = <threads, count = 32> : !bsmm.channel<1>
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot = bsmm.acquire %loads[%i] : !halves -> !shared
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c16 : i32
        %part = bsmm.slice_rows %slot[%row] : !shared to !half
        bsmm.load_async %a[%row, %i] to %part signals %loads[%i] multicast
            : !bsmm.tensor_map<16x64xf16>, !half, !halves
        bsmm.commit %loads[%i] : !halves
      }
    }
    bsmm.warp_role 0 count 4 {
      %full = bsmm.wait %loads[%i] : !halves -> !shared
      bsmm.release %loads[%i] : !halves
      bsmm.acquire %turns[%i] : !bsmm.channel<1>
      bsmm.commit %turns[%i] : !bsmm.channel<1>
    }
    bsmm.warp_role 5 {
      bsmm.wait %turns[%i] : !bsmm.channel<1>
      bsmm.release %turns[%i] : !bsmm.channel<1>
    }
    bsmm.return
  }

  // Clusters without such channels meet at the start only, and arrive at their
  // own barriers.
  // CHECK-LABEL: llvm.func @apart
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK-NOT: nvvm.cluster
  // CHECK-NOT: nvvm.mapa
  // CHECK: llvm.return
  bsmm.kernel @apart(%a: !bsmm.tensor_map<32x64xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 2 : i64} {
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !halves
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot = bsmm.acquire %loads[%i] : !halves -> !shared
        bsmm.load_async %a[%i, %i] to %slot signals %loads[%i]
            : !bsmm.tensor_map<32x64xf16>, !shared, !halves
        bsmm.commit %loads[%i] : !halves
      }
    }
    bsmm.warp_role 0 count 4 {
      %full = bsmm.wait %loads[%i] : !halves -> !shared
      bsmm.release %loads[%i] : !halves
    }
    bsmm.return
  }
}
