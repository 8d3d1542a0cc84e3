// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

!results = !bsmm.channel<2, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
!acc = !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>

gpu.module @channels attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // Two full barriers for the producer, two empty ones for the consumer, with
  // their counts; then the fence that makes them visible.
  // CHECK-LABEL: llvm.func @barriers
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[THREAD]], %c0_i32
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: nvvm.mbarrier.init %[[SHARED]], %c1_i32
  // CHECK-NEXT: %[[B1:.+]] = llvm.getelementptr %[[SHARED]][8]
  // CHECK-NEXT: nvvm.mbarrier.init %[[B1]], %c1_i32
  // CHECK-NEXT: %[[B2:.+]] = llvm.getelementptr %[[SHARED]][16]
  // CHECK-NEXT: nvvm.mbarrier.init %[[B2]], %c128_i32
  // CHECK-NEXT: %[[B3:.+]] = llvm.getelementptr %[[SHARED]][24]
  // CHECK-NEXT: nvvm.mbarrier.init %[[B3]], %c128_i32
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK-NEXT: }
  bsmm.kernel @barriers() attributes {level = #bsmm.level<pipeline>,
                                      block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> : !results
    bsmm.return
  }

  // The tensor core fills a slot: it waits for the other parity of the empty
  // barrier, and its commit arrives at the full one. The columns of the slot
  // follow.
  // CHECK-LABEL: llvm.func @producer
  // CHECK-SAME: %[[I:[a-z0-9]+]]: i32)
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: %[[BASE:.+]] = llvm.load
  // CHECK-DAG: %[[ROUND:.+]] = arith.divui %[[I]], %c2_i32
  // CHECK-DAG: %[[SLOT:.+]] = arith.remui %[[I]], %c2_i32
  // CHECK-DAG: %[[PHASE:.+]] = arith.andi %[[ROUND]], %c1_i32
  // CHECK-DAG: %[[BYTES:.+]] = arith.muli %[[SLOT]], %c8_i32
  // CHECK-DAG: %[[EMPTY0:.+]] = llvm.getelementptr %[[SHARED]][16]
  // CHECK-DAG: %[[EMPTY:.+]] = llvm.getelementptr %[[EMPTY0]][%[[BYTES]]]
  // CHECK-DAG: %[[OTHER:.+]] = arith.xori %[[PHASE]], %c1_i32
  // CHECK: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[OTHER]],
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK: %[[FULL:.+]] = llvm.getelementptr %[[SHARED]][%[[BYTES]]]
  // CHECK-NEXT: nvvm.tcgen05.commit %[[FULL]] : !llvm.ptr<3>
  bsmm.kernel @producer(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                             block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> : !results
    bsmm.warp_role 1 {
      %1 = bsmm.acquire %0[%i] : !results -> !acc
      bsmm.leader {
        bsmm.commit %0[%i] : !results
      }
    }
    bsmm.return
  }

  // The threads read a slot: they wait for the parity of the full barrier and
  // arrive at the empty one, with the fences of tensor memory around.
  // CHECK-LABEL: llvm.func @consumer
  // CHECK-SAME: (%[[I:[a-z0-9]+]]: i32,
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: %[[BASE:.+]] = llvm.load
  // CHECK-DAG: %[[ROUND:.+]] = arith.divui %[[I]], %c2_i32
  // CHECK-DAG: %[[SLOT:.+]] = arith.remui %[[I]], %c2_i32
  // CHECK-DAG: %[[PHASE:.+]] = arith.andi %[[ROUND]], %c1_i32
  // CHECK-DAG: %[[BYTES:.+]] = arith.muli %[[SLOT]], %c8_i32
  // CHECK-DAG: %[[FULL:.+]] = llvm.getelementptr %[[SHARED]][%[[BYTES]]]
  // CHECK: nvvm.mbarrier.try_wait.parity %[[FULL]], %[[PHASE]],
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK: %[[COLUMNS:.+]] = arith.muli %[[SLOT]], %c64_i32
  // CHECK: %[[ACC:.+]] = arith.addi %[[BASE]], %[[COLUMNS]]
  // CHECK: arith.addi %[[ACC]],
  // CHECK: nvvm.tcgen05.ld
  // CHECK: %[[EMPTY0:.+]] = llvm.getelementptr %[[SHARED]][16]
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[EMPTY0]][%[[BYTES]]]
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]]
  bsmm.kernel @consumer(%i: i32, %p: !llvm.ptr<1>, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> : !results
    %1 = bsmm.wait %0[%i] : !results -> !acc
    bsmm.drain %1 columns 64 {
    ^bb0(%row: i32, %column: i32, %values: vector<64xf32>):
      bsmm.write_global %values, %p[%row, %column] base %s stride %s
          limits [%i, %i] : vector<64xf32>
    } : !acc
    bsmm.release %0[%i] : !results
    bsmm.return
  }

  // One slot: no division, the parity is that of the iteration.
  // CHECK-LABEL: llvm.func @one_slot
  // CHECK-SAME: %[[I:[a-z0-9]+]]: i32)
  // CHECK-NOT: arith.divui
  // CHECK-NOT: arith.remui
  // CHECK: %[[PHASE:.+]] = arith.andi %[[I]], %c1_i32
  // CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[PHASE]],
  bsmm.kernel @one_slot(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                             block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128>
        : !bsmm.channel<1, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
    %1 = bsmm.wait %0[%i]
        : !bsmm.channel<1, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
        -> !acc
    bsmm.return
  }

  // Two slots that share columns have one full and one empty barrier, of which
  // each iteration is the next phase; the slot is that of the iteration still.
  // The shared columns come first: the last ones of slot 0, the first ones of
  // slot 1.
  // CHECK-LABEL: llvm.func @overlap
  // CHECK-SAME: %[[I:[a-z0-9]+]]: i32)
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: nvvm.mbarrier.init %[[SHARED]], %c1_i32
  // CHECK-NEXT: %[[EMPTY:.+]] = llvm.getelementptr %[[SHARED]][8]
  // CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY]], %c128_i32
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK: %[[BASE:.+]] = llvm.load
  // CHECK: %[[PHASE:.+]] = arith.andi %[[I]], %c1_i32
  // CHECK: nvvm.mbarrier.try_wait.parity %[[SHARED]], %[[PHASE]],
  // CHECK: %[[SLOT:.+]] = arith.remui %[[I]], %c2_i32
  // CHECK: %[[STEP:.+]] = arith.muli %[[SLOT]], %c192_i32
  // CHECK: %[[ACC:.+]] = arith.addi %[[BASE]], %[[STEP]]
  // CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[SLOT]], %c0_i32
  // CHECK: %[[AT:.+]] = arith.select %[[IS_FIRST]], %c208_i32, %c32_i32
  // CHECK: %[[LANE:.+]] = arith.addi %[[ACC]],
  // CHECK: %[[PLACE:.+]] = arith.addi %[[LANE]], %[[AT]]
  // CHECK: %[[POINTER:.+]] = llvm.inttoptr %[[PLACE]] : i32 to !llvm.ptr<6>
  // CHECK: nvvm.tcgen05.ld %[[POINTER]]
  bsmm.kernel @overlap(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.warp_role 0 count 4 {
      %1 = bsmm.wait %0[%i]
          : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
          -> !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      %at = bsmm.slot_column %0[%i] first 32 columns 16
          : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
      bsmm.drain %1 at %at columns 16 extent 16 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
      } : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    }
    bsmm.return
  }

  // Slots that the tensor core releases: the commit goes to the empty barrier.
  // CHECK-LABEL: llvm.func @release_by_commit
  // CHECK: %[[BARRIERS:.+]] = llvm.getelementptr %{{.*}}[2048]
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK: %[[EMPTY0:.+]] = llvm.getelementptr %{{.*}}[16]
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[EMPTY0]][%{{.*}}]
  // CHECK-NEXT: nvvm.tcgen05.commit %[[EMPTY]]
  bsmm.kernel @release_by_commit(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit> : !loads
    bsmm.warp_role 1 {
      %1 = bsmm.wait %0[%i] : !loads -> !tile
      bsmm.leader {
        bsmm.release %0[%i] : !loads
      }
    }
    bsmm.return
  }
}
