// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// Buffers that take turns: the first one in even iterations. In tensor memory they
// are columns, in shared memory addresses.
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!columns = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // CHECK-LABEL: llvm.func @turns
  // CHECK: %[[BASE:.+]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: %[[OTHER:.+]] = arith.addi %[[BASE]], %c16_i32
  // CHECK: %[[NUMBER:.+]] = arith.remui %arg0, %c2_i32
  // CHECK: %[[EVEN:.+]] = arith.cmpi eq, %[[NUMBER]], %c0_i32
  // CHECK: llvm.select %[[EVEN]], %[[BASE]], %[[OTHER]] : i1, i32
  // CHECK: llvm.select %[[EVEN]], %{{.*}}, %{{.*}} : i1, !llvm.ptr<3>
  // CHECK: nvvm.tcgen05.cp
  bsmm.kernel @turns(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                          block_size = 128 : i64} {
    %0 = bsmm.alloc : !columns
    %1 = bsmm.alloc : !columns
    %2 = bsmm.alloc : !scales
    %3 = bsmm.alloc : !scales
    bsmm.warp_role 0 {
      bsmm.leader {
        %to = bsmm.select_buffer %i of %0, %1 : !columns
        %from = bsmm.select_buffer %i of %2, %3 : !scales
        bsmm.copy_scales %from to %to : !scales to !columns
      }
    }
    bsmm.return
  }
}
