// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s
// RUN: bsmm-opt %s --bsmm-assign-memory | FileCheck %s --check-prefix=PLACED

// An order channel: two barriers and no memory beside them. With one slot the
// parity is that of the iteration.

// PLACED-LABEL: bsmm.kernel @turns
// PLACED: bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 8> {barrier_offset = 16384 : i64, offsets = array<i64>, slot_stride = 0 : i64} : <1>

gpu.module @turns attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // The full barrier has as many arrivals as the producer has warps, the empty
  // one as many as the consumer has.
  // CHECK-LABEL: llvm.func @turns
  // CHECK-SAME: %[[I:[a-z0-9]+]]: i32)
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[WARP:.+]] = arith.shrui %[[THREAD]], %c5_i32
  // CHECK: scf.if
  // CHECK-NEXT: %[[FULL:.+]] = llvm.getelementptr %[[SHARED]][16384]
  // CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %c4_i32
  // CHECK-NEXT: %[[EMPTY:.+]] = llvm.getelementptr %[[SHARED]][16392]
  // CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY]], %c8_i32
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: %[[FULL:.+]] = llvm.getelementptr %[[SHARED]][16384]

  // Roles are found by the number of the warp, counted from the role's first.
  // The producer waits for the other parity of the empty barrier, so that the
  // first turn is its own; one elected thread of each warp arrives at the full
  // barrier, when the warp is together. Nothing is announced.
  // CHECK: %[[INDEX:.+]] = arith.subi %[[WARP]], %c8_i32
  // CHECK-NEXT: %[[MINE:.+]] = arith.cmpi ult, %[[INDEX]], %c4_i32
  // CHECK-NEXT: scf.if %[[MINE]] {
  // CHECK: %[[PARITY:.+]] = arith.andi %[[I]], %c1_i32
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[FULL]][8]
  // CHECK: %[[OTHER:.+]] = arith.xori %[[PARITY]], %c1_i32
  // CHECK-NEXT: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[OTHER]],
  // CHECK-NEXT: nvvm.bar.warp.sync %c-1_i32
  // CHECK-NEXT: %[[ELECTED:.+]] = nvvm.elect.sync
  // CHECK-NEXT: scf.if %[[ELECTED]] {
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[FULL]] :
  // CHECK-NEXT: }
  // CHECK-NOT: expect_tx

  // The consumer the other way round.
  // CHECK: %[[MINE:.+]] = arith.cmpi ult, %[[WARP]], %c8_i32
  // CHECK-NEXT: scf.if %[[MINE]] {
  // CHECK: %[[PARITY:.+]] = arith.andi %[[I]], %c1_i32
  // CHECK: nvvm.mbarrier.try_wait.parity %[[FULL]], %[[PARITY]],
  // CHECK-NEXT: %[[EMPTY:.+]] = llvm.getelementptr %[[FULL]][8]
  // CHECK-NEXT: nvvm.bar.warp.sync %c-1_i32
  // CHECK-NEXT: %[[ELECTED:.+]] = nvvm.elect.sync
  // CHECK-NEXT: scf.if %[[ELECTED]] {
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]] :
  // CHECK-NEXT: }
  bsmm.kernel @turns(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                          block_size = 384 : i64} {
    %buffer = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
    %turns = bsmm.create_channel producer = <warps, count = 4>,
        consumer = <warps, count = 8> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.acquire %turns[%i] : !bsmm.channel<1>
      bsmm.commit %turns[%i] : !bsmm.channel<1>
    }
    bsmm.warp_role 0 count 8 {
      bsmm.wait %turns[%i] : !bsmm.channel<1>
      bsmm.release %turns[%i] : !bsmm.channel<1>
    }
    bsmm.return
  }

  // A role of one warp is compared for equality; by threads all arrive.
  // CHECK-LABEL: llvm.func @by_threads
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c32_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK: %[[MINE:.+]] = arith.cmpi eq, %{{.*}}, %c1_i32
  // CHECK-NEXT: scf.if %[[MINE]] {
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK-NOT: nvvm.elect.sync
  // CHECK: nvvm.mbarrier.arrive
  bsmm.kernel @by_threads(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                               block_size = 64 : i64} {
    %turns = bsmm.create_channel producer = <threads, count = 32>,
        consumer = <threads> : !bsmm.channel<1>
    bsmm.warp_role 1 {
      bsmm.acquire %turns[%i] : !bsmm.channel<1>
      bsmm.commit %turns[%i] : !bsmm.channel<1>
    }
    bsmm.warp_role 0 {
      bsmm.leader {
        bsmm.wait %turns[%i] : !bsmm.channel<1>
        bsmm.release %turns[%i] : !bsmm.channel<1>
      }
    }
    bsmm.return
  }
}
