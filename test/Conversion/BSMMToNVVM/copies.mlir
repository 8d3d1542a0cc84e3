// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

!packed = !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>
!rows = !bsmm.buffer<512x64xf16, shared, swizzle_128B>
!scales = !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
!split = !bsmm.channel<1, !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<512x64xf16, shared, swizzle_128B>, !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>>
!ring = !bsmm.channel<3, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!atom = !bsmm.buffer<8x64xf16, shared, swizzle_128B>

gpu.module @copies attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // A tile needs several boxes when its rows are wider than the swizzle (512
  // packed elements are two panels of 128 bytes) or when it has more than 256
  // rows (two boxes of 256). The announced bytes are those of all boxes:
  // 2 * 128 * 128 + 2 * 256 * 128 + 4096 = 32768 + 65536 + 4096.
  // Coordinates come innermost first, of packed elements in bytes.
  // CHECK-LABEL: llvm.func @boxes
  // CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr {llvm.align = 128 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
  // CHECK-SAME: %[[C:[a-z0-9]+]]: !llvm.ptr {
  // CHECK-SAME: %[[SF:[a-z0-9]+]]: !llvm.ptr {
  // CHECK-SAME: %[[L:[a-z0-9]+]]: i32, %[[M:[a-z0-9]+]]: i32, %[[K:[a-z0-9]+]]: i32)
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof @bsmm_dynamic_shared_memory
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: nvvm.barrier
  // CHECK: %[[FULL:.+]] = llvm.getelementptr %[[SHARED]][102400]
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %c102400_i32
  // CHECK-DAG: %[[ROWS:.+]] = llvm.getelementptr %[[SHARED]][32768]
  // CHECK-DAG: %[[SCALES:.+]] = llvm.getelementptr %[[SHARED]][98304]
  // CHECK-DAG: %[[BYTE:.+]] = arith.divsi %[[K]], %c2_i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[SHARED]], %[[A]], %[[FULL]], box[%[[BYTE]], %[[M]], %[[L]]] {isCTAOnly = true}
  // CHECK-DAG: %[[PANEL:.+]] = llvm.getelementptr %[[SHARED]][16384]
  // CHECK-DAG: %[[NEXT:.+]] = arith.addi %[[K]], %c256_i32
  // CHECK-DAG: %[[NEXT_BYTE:.+]] = arith.divsi %[[NEXT]], %c2_i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[PANEL]], %[[A]], %[[FULL]], box[%[[NEXT_BYTE]], %[[M]], %[[L]]] {isCTAOnly = true}
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[ROWS]], %[[C]], %[[FULL]], box[%[[K]], %[[M]], %[[L]]] {isCTAOnly = true}
  // CHECK-DAG: %[[HALF:.+]] = llvm.getelementptr %[[ROWS]][32768]
  // CHECK-DAG: %[[ROW:.+]] = arith.addi %[[M]], %c256_i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[HALF]], %[[C]], %[[FULL]], box[%[[K]], %[[ROW]], %[[L]]] {isCTAOnly = true}
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[SCALES]], %[[SF]], %[[FULL]], box[%{{.*}}, %{{.*}}, %[[K]], %[[M]], %[[L]]] {isCTAOnly = true}
  // CHECK-NOT: nvvm.cp.async.bulk
  // CHECK: llvm.return
  bsmm.kernel @boxes(%a: !bsmm.tensor_map<1x128x512xf4E2M1FN>,
                     %c: !bsmm.tensor_map<1x512x64xf16>,
                     %sf: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>, %l: i32,
                     %m: i32, %k: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit> : !split
    bsmm.warp_role 0 {
      bsmm.leader {
        %slot:3 = bsmm.acquire %ch[%c0] : !split -> !packed, !rows, !scales
        bsmm.load_async %a[%l, %m, %k] to %slot#0 signals %ch[%c0]
            : !bsmm.tensor_map<1x128x512xf4E2M1FN>, !packed, !split
        bsmm.load_async %c[%l, %m, %k] to %slot#1 signals %ch[%c0]
            : !bsmm.tensor_map<1x512x64xf16>, !rows, !split
        bsmm.load_async %sf[%l, %m, %k, %c0, %c0] to %slot#2 signals %ch[%c0]
            : !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>, !scales, !split
        bsmm.commit %ch[%c0] : !split
      }
    }
    bsmm.return
  }

  // A ring: the slot and the full barrier are those of the iteration mod 3; a
  // transaction commit is nothing of its own.
  // CHECK-LABEL: llvm.func @ring
  // CHECK-SAME: %[[I:[a-z0-9]+]]: i32)
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: nvvm.barrier
  // CHECK: %[[BARRIERS:.+]] = llvm.getelementptr %[[SHARED]][3072]
  // CHECK-DAG: %[[ROUND:.+]] = arith.divui %[[I]], %c3_i32
  // CHECK-DAG: %[[SLOT:.+]] = arith.remui %[[I]], %c3_i32
  // CHECK-DAG: %[[PHASE:.+]] = arith.andi %[[ROUND]], %c1_i32
  // CHECK-DAG: %[[BYTES:.+]] = arith.muli %[[SLOT]], %c8_i32
  // CHECK-DAG: %[[EMPTY0:.+]] = llvm.getelementptr %[[BARRIERS]][24]
  // CHECK-DAG: %[[EMPTY:.+]] = llvm.getelementptr %[[EMPTY0]][%[[BYTES]]]
  // CHECK-DAG: %[[OTHER:.+]] = arith.xori %[[PHASE]], %c1_i32
  // CHECK: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[OTHER]],
  // CHECK: %[[FULL:.+]] = llvm.getelementptr %[[BARRIERS]][%[[BYTES]]]
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %c1024_i32
  // CHECK: %[[OFFSET:.+]] = arith.muli %[[SLOT]], %c1024_i32
  // CHECK: %[[BUFFER:.+]] = llvm.getelementptr %[[SHARED]][%[[OFFSET]]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[BUFFER]], %{{.*}}, %[[FULL]], box[
  // CHECK-NOT: nvvm.mbarrier
  // CHECK-NOT: nvvm.tcgen05
  // CHECK: llvm.return
  bsmm.kernel @ring(%a: !bsmm.tensor_map<8x64xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit> : !ring
    bsmm.warp_role 0 {
      bsmm.leader {
        %slot = bsmm.acquire %ch[%i] : !ring -> !atom
        bsmm.load_async %a[%i, %i] to %slot signals %ch[%i]
            : !bsmm.tensor_map<8x64xf16>, !atom, !ring
        bsmm.commit %ch[%i] : !ring
      }
    }
    bsmm.return
  }

  // A store of 128 f16 columns is two boxes of 64 and one group.
  // CHECK-LABEL: llvm.func @store
  // CHECK-SAME: %[[D:[a-z0-9]+]]: !llvm.ptr {
  // CHECK-SAME: %[[M:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32)
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[D]], %[[SHARED]], box[%[[N]], %[[M]]]
  // CHECK-DAG: %[[PANEL:.+]] = llvm.getelementptr %[[SHARED]][16384]
  // CHECK-DAG: %[[COLUMN:.+]] = arith.addi %[[N]], %c64_i32
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[D]], %[[PANEL]], box[%[[COLUMN]], %[[M]]]
  // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0{{$}}
  bsmm.kernel @store(%d: !bsmm.tensor_map<128x128xf16>, %m: i32, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        bsmm.store_async %b, %d[%m, %n]
            : !bsmm.buffer<128x128xf16, shared, swizzle_128B>,
              !bsmm.tensor_map<128x128xf16>
        bsmm.wait_stores read
        bsmm.wait_stores
      }
    }
    bsmm.return
  }

  // Rows without swizzle: boxes of at most 256 rows, one after the other.
  // CHECK-LABEL: llvm.func @row_major
  // CHECK: %[[SYMBOL:.+]] = llvm.mlir.addressof
  // CHECK: %[[SHARED:.+]] = llvm.inline_asm asm_dialect = att "", "=l,0" %[[SYMBOL]]
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %[[SHARED]], box
  // CHECK: %[[HALF:.+]] = llvm.getelementptr %[[SHARED]][12288]
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %[[HALF]], box
  // CHECK-NOT: nvvm.cp.async.bulk.tensor
  // CHECK: llvm.return
  bsmm.kernel @row_major(%d: !bsmm.tensor_map<512x24xf16>, %m: i32, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<512x24xf16, shared, row_major>
    bsmm.warp_role 0 {
      bsmm.leader {
        bsmm.store_async %b, %d[%m, %n]
            : !bsmm.buffer<512x24xf16, shared, row_major>,
              !bsmm.tensor_map<512x24xf16>
      }
    }
    bsmm.return
  }

  // Scales to tensor memory: the descriptor has no swizzle, a stride of 8 rows
  // of 128 bytes and version 1 (0x0000400800000000). Tiles of 512 bytes, 32
  // units of 16 bytes, lie group by group in shared memory; in tensor memory
  // the two row tiles of a group are neighbours.
  // CHECK-LABEL: llvm.func @scales
  // CHECK: %[[BASE:.+]] = llvm.load
  // CHECK: %[[DESC:.+]] = arith.ori %{{.*}}, %c70403103916032_i64
  // CHECK: %[[T0:.+]] = llvm.inttoptr %[[BASE]]
  // CHECK: nvvm.tcgen05.cp %[[T0]], %[[DESC]] {multicast = #nvvm.tcgen05_cp_multicast<warpx4>, shape = #nvvm.tcgen05_cp_shape<shape_32x128b>}
  // CHECK-DAG: %[[D1:.+]] = arith.addi %[[DESC]], %c64_i64
  // CHECK-DAG: %[[C1:.+]] = arith.addi %[[BASE]], %c4_i32
  // CHECK-DAG: %[[T1:.+]] = llvm.inttoptr %[[C1]]
  // CHECK: nvvm.tcgen05.cp %[[T1]], %[[D1]]
  // CHECK-DAG: %[[D2:.+]] = arith.addi %[[DESC]], %c32_i64
  // CHECK-DAG: %[[C2:.+]] = arith.addi %[[BASE]], %c8_i32
  // CHECK-DAG: %[[T2:.+]] = llvm.inttoptr %[[C2]]
  // CHECK: nvvm.tcgen05.cp %[[T2]], %[[D2]]
  // CHECK-DAG: %[[D3:.+]] = arith.addi %[[DESC]], %c96_i64
  // CHECK-DAG: %[[C3:.+]] = arith.addi %[[BASE]], %c12_i32
  // CHECK-DAG: %[[T3:.+]] = llvm.inttoptr %[[C3]]
  // CHECK: nvvm.tcgen05.cp %[[T3]], %[[D3]]
  // CHECK-NOT: nvvm.tcgen05.cp
  // CHECK: llvm.return
  bsmm.kernel @scales() attributes {level = #bsmm.level<pipeline>,
                                    block_size = 128 : i64} {
    %s = bsmm.alloc : !bsmm.buffer<256x8xf8E4M3FN, shared, scale_tiles>
    %t = bsmm.alloc : !bsmm.buffer<256x8xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.copy_scales %s to %t
            : !bsmm.buffer<256x8xf8E4M3FN, shared, scale_tiles>
            to !bsmm.buffer<256x8xf8E4M3FN, tensor_memory, scale_tiles>
      }
    }
    bsmm.return
  }

  // Missing groups are masked word by word: a row's four scales are one word,
  // of which the low 8 * valid bits stay; a warp covers a tile in four steps of
  // 32 words. Then the writes are made visible to the tensor core, and the warp
  // meets.
  // CHECK-LABEL: llvm.func @mask
  // CHECK-SAME: %[[VALID:[a-z0-9]+]]: i32)
  // CHECK-DAG: %[[LANE:.+]] = arith.andi %{{.*}}, %c31_i32
  // CHECK-DAG: arith.muli %[[LANE]], %c4_i32
  // CHECK: %[[LEFT:.+]] = arith.maxsi %[[VALID]], %c0_i32
  // CHECK: arith.cmpi slt, %[[LEFT]], %c4_i32
  // CHECK: %[[BITS:.+]] = arith.muli %[[LEFT]], %c8_i32
  // CHECK: %[[BIT:.+]] = arith.shli %c1_i32, %[[BITS]]
  // CHECK: %[[KEEP:.+]] = arith.subi %[[BIT]], %c1_i32
  // CHECK-COUNT-4: arith.andi %{{.*}}, %[[KEEP]]
  // CHECK: arith.subi %[[VALID]], %c4_i32
  // CHECK-COUNT-4: llvm.store
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK-NEXT: nvvm.bar.warp.sync
  bsmm.kernel @mask(%valid: i32) attributes {level = #bsmm.level<pipeline>,
                                             block_size = 128 : i64} {
    %s = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 1 {
      bsmm.mask_scales %s from %valid
          : !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
    }
    bsmm.return
  }

  // Those of A and of B are made visible together.
  // CHECK-LABEL: llvm.func @mask_both
  // CHECK-COUNT-8: llvm.store
  // CHECK-NOT: llvm.store
  // CHECK: nvvm.fence.proxy
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-NOT: nvvm.fence.proxy
  // CHECK: llvm.return
  bsmm.kernel @mask_both(%valid: i32) attributes {level = #bsmm.level<pipeline>,
                                                  block_size = 128 : i64} {
    %a = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 1 {
      bsmm.mask_scales %a from %valid
          : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
      bsmm.mask_scales %b from %valid
          : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    }
    bsmm.return
  }
}
