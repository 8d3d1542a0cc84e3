// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm))' | FileCheck %s

// Products of a part of the columns and of K, one of which is read while the
// other one runs. The start address of a descriptor counts 16 bytes: 32 elements
// of K are 2, a row of B is 8, i.e. 16 rows are 128.

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<32x128xf8E4M3FN, shared, swizzle_128B>
!part = !bsmm.accumulator<128x16xf32, warpgroups = 2>
gpu.module @parts attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // CHECK-LABEL: llvm.func @parts
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK: %[[B4:.+]] = arith.addi %{{.*}}, %c4_i64
  // CHECK: %[[A4:.+]] = arith.addi %{{.*}}, %c4_i64
  // CHECK: %[[LEFT:.+]] = nvvm.wgmma.mma_async %[[A4]], %[[B4]], %{{.*}}, <m = 64, n = 16, k = 32>, D[<f32>, <zero>]
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: %[[LEFT_PART:.+]] = llvm.insertvalue %[[LEFT]], %{{.*}}[0]
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK: %[[B130:.+]] = arith.addi %[[B:.+]], %c130_i64
  // CHECK: %[[A2:.+]] = arith.addi %[[A:.+]], %c2_i64
  // CHECK: %[[FIRST:.+]] = nvvm.wgmma.mma_async %[[A2]], %[[B130]], %{{.*}}, D[<f32>, <zero>]
  // CHECK: %[[B132:.+]] = arith.addi %[[B]], %c132_i64
  // CHECK: %[[A4:.+]] = arith.addi %[[A]], %c4_i64
  // CHECK: %[[RIGHT:.+]] = nvvm.wgmma.mma_async %[[A4]], %[[B132]], %[[FIRST]], {{.*}}, D[<f32>, <one>]
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: %[[RIGHT_PART:.+]] = llvm.insertvalue %[[RIGHT]], %{{.*}}[0]

  // A complete sum passes through assembly as with no pending group.
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK: %[[BLOCK:.+]] = llvm.extractvalue %[[LEFT_PART]][0]
  // CHECK: %[[V0:.+]] = llvm.extractvalue %[[BLOCK]][0]
  // CHECK: %[[LEFT_DONE:.+]] = llvm.inline_asm has_side_effects {{.*}} "", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7" %[[V0]],
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK: %[[RIGHT_DONE:.+]] = llvm.inline_asm has_side_effects
  // CHECK: %[[RIGHT_SUM:.+]] = llvm.insertvalue %[[RIGHT_DONE]], %{{.*}}[0]

  // Side by side: the values of the right one follow.
  // CHECK: %[[RIGHT_BLOCK:.+]] = llvm.extractvalue %[[RIGHT_SUM]][0]
  // CHECK: %[[V8:.+]] = llvm.extractvalue %[[RIGHT_BLOCK]][0]
  // CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
  // CHECK: llvm.insertvalue %[[V8]], %{{.*}}[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
  bsmm.kernel @parts() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %left = bsmm.mma %a, %b column 0 k 64 for 32 : !a, !b -> !part
    %right = bsmm.mma %a, %b column 16 k 32 for 64 : !a, !b -> !part
    %left_sum = bsmm.wait_mma %left pending 1 complete : !part
    %right_sum = bsmm.wait_mma %right pending 0 : !part
    %sum = bsmm.join_accumulators %left_sum, %right_sum
        : !part, !part -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    bsmm.return
  }

  // Below each other: a block of rows for each part.
  // CHECK-LABEL: llvm.func @row_parts(
  // CHECK: %[[TOP:.+]] = llvm.extractvalue %[[TOP_PART:.+]][0] : !llvm.struct<(struct<(f32, f32, f32, f32, f32, f32, f32, f32)>)>
  // CHECK: %[[BOTTOM:.+]] = llvm.extractvalue %[[BOTTOM_PART:.+]][0] : !llvm.struct<(struct<(f32, f32, f32, f32, f32, f32, f32, f32)>)>
  // CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[0] : !llvm.struct<(struct<(f32, f32, f32, f32, f32, f32, f32, f32)>, struct<(f32, f32, f32, f32, f32, f32, f32, f32)>)>
  // CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1] : !llvm.struct<(struct<(f32, f32, f32, f32, f32, f32, f32, f32)>, struct<(f32, f32, f32, f32, f32, f32, f32, f32)>)>
  bsmm.kernel @row_parts() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %zero = bsmm.zero_accumulator : !bsmm.accumulator<64x32xf32, warpgroups = 2 by_columns>
    %sum = bsmm.join_accumulators %zero, %zero
        : !bsmm.accumulator<64x32xf32, warpgroups = 2 by_columns>,
          !bsmm.accumulator<64x32xf32, warpgroups = 2 by_columns>
        -> !bsmm.accumulator<128x32xf32, warpgroups = 2 by_columns>
    bsmm.return
  }
}
