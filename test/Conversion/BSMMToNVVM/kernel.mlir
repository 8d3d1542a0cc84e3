// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// CHECK: gpu.module @kernels attributes {bsmm.target = #bsmm.target<"sm_100a">}
// CHECK: llvm.mlir.global external @bsmm_dynamic_shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
gpu.module @kernels {
  // Tensor maps are 128-byte grid constants, in the order of the arguments;
  // pointers and scalars stay.
  // CHECK-LABEL: llvm.func @arguments
  // CHECK-SAME: (%{{.*}}: !llvm.ptr {llvm.align = 128 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
  // CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %{{[a-z0-9]*}}: i32, %{{[a-z0-9]*}}: i64, %{{[a-z0-9]*}}: f32)
  // CHECK-SAME: attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 256, 1, 1>}
  bsmm.kernel @arguments(
      %a: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<a>},
      %d: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>},
      %k: i32 {bsmm.role = #bsmm.role<k>},
      %pitch: i64 {bsmm.role = #bsmm.role<pitch_d>},
      %alpha: f32 {bsmm.role = #bsmm.role<alpha>})
      attributes {level = #bsmm.level<pipeline>,
                  target = #bsmm.target<"sm_100a">, block_size = 256 : i64} {
    bsmm.return
  }

  // Without tensor memory there is nothing to allocate, fence or give back.
  // CHECK-LABEL: llvm.func @plain
  // CHECK-NOT: nvvm.tcgen05
  // CHECK: nvvm.barrier
  // CHECK-NOT: nvvm.tcgen05
  // CHECK: llvm.return
  bsmm.kernel @plain() attributes {level = #bsmm.level<pipeline>,
                                   target = #bsmm.target<"sm_100a">,
                                   block_size = 128 : i64} {
    bsmm.return
  }

  // A dependent launch waits when all that needs no global memory is done, before
  // anything else, and lets the next one begin.
  // CHECK-LABEL: llvm.func @dependent
  // CHECK: nvvm.prefetch tensormap
  // CHECK: nvvm.tcgen05.alloc
  // CHECK-NOT: nvvm.griddepcontrol
  // CHECK: nvvm.barrier
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: llvm.load
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  // CHECK-NOT: nvvm.griddepcontrol
  // CHECK: llvm.return
  bsmm.kernel @dependent(%a: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<a>})
      attributes {level = #bsmm.level<pipeline>, dependent_launch,
                  target = #bsmm.target<"sm_100a">,
                  block_size = 128 : i64} {
    %0 = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }

  // Tensor memory: warp 0 allocates and gives it back, all threads meet between,
  // and nobody allocates again.
  // CHECK-LABEL: llvm.func @tensor_memory
  // CHECK: %[[WARP:.+]] = arith.shrui %{{.*}}, %c5_i32
  // CHECK: scf.if
  // CHECK: nvvm.bar.warp.sync
  // CHECK-NEXT: nvvm.tcgen05.alloc %{{.*}}, %c64_i32
  // CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: %[[BASE:.+]] = llvm.load
  // CHECK: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: %[[POINTER:.+]] = llvm.inttoptr %[[BASE]]
  // CHECK-NEXT: nvvm.tcgen05.dealloc %[[POINTER]], %c64_i32
  bsmm.kernel @tensor_memory() attributes {level = #bsmm.level<pipeline>,
                                           target = #bsmm.target<"sm_100a">,
                                           block_size = 128 : i64} {
    %0 = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }

  // It is given back before a thread waits for the last stores.
  // CHECK-LABEL: llvm.func @last_stores
  // CHECK: nvvm.tcgen05.alloc
  // CHECK: nvvm.barrier
  // CHECK: nvvm.barrier
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK: nvvm.tcgen05.dealloc
  // CHECK: nvvm.cp.async.bulk.wait_group 0
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  bsmm.kernel @last_stores() attributes {level = #bsmm.level<pipeline>,
                                         target = #bsmm.target<"sm_100a">,
                                         block_size = 128 : i64} {
    %0 = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.warp_role 0 {
      bsmm.leader {
        bsmm.wait_stores
      }
    }
    bsmm.return
  }

  // A role is a branch of its warp, a leader one of the elected thread; the
  // warp meets again after each leader, once at the end of the role.
  // CHECK-LABEL: llvm.func @roles
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[WARP:.+]] = arith.shrui %[[THREAD]], %c5_i32
  // CHECK: %[[MINE:.+]] = arith.cmpi eq, %[[WARP]], %c3_i32
  // CHECK: scf.if %[[MINE]] {
  // CHECK-NEXT: %[[LEADER:.+]] = nvvm.elect.sync -> i1
  // CHECK-NEXT: scf.if %[[LEADER]] {
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT: }
  // CHECK: nvvm.bar.warp.sync
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: scf.if %[[LEADER]] {
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0
  // CHECK-NEXT: }
  // CHECK: nvvm.bar.warp.sync
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-NEXT: }
  bsmm.kernel @roles(%i: i32, %n: i32)
      attributes {level = #bsmm.level<pipeline>,
                  target = #bsmm.target<"sm_100a">, block_size = 128 : i64} {
    %c1 = arith.constant 1 : i32
    bsmm.warp_role 3 {
      bsmm.leader {
        bsmm.wait_stores read
      }
      scf.for %j = %i to %n step %c1 : i32 {
        bsmm.leader {
          bsmm.wait_stores
        }
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: llvm.func @barriers
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK-NEXT: nvvm.barrier
  bsmm.kernel @barriers() attributes {level = #bsmm.level<pipeline>,
                                      target = #bsmm.target<"sm_100a">,
                                      block_size = 128 : i64} {
    bsmm.publish
    bsmm.return
  }

  // A warpgroup is four warps. Its leader is the elected thread of the first
  // one, and its barriers are its own: number 1 for warps 0 to 3, 2 for the
  // next four, each of 128 threads; 0 is that of the CTA.
  // CHECK-LABEL: llvm.func @warpgroups
  // CHECK: %[[WARP:.+]] = arith.shrui %{{.*}}, %c5_i32
  // CHECK: %[[INDEX:.+]] = arith.subi %[[WARP]], %c4_i32
  // CHECK: %[[SECOND:.+]] = arith.cmpi ult, %[[INDEX]], %c4_i32
  // CHECK: scf.if %[[SECOND]] {
  // CHECK-NEXT: %[[ELECTED:.+]] = nvvm.elect.sync -> i1
  // CHECK-NEXT: %[[FIRST:.+]] = arith.cmpi eq, %[[WARP]], %c4_i32
  // CHECK-NEXT: %[[LEADER:.+]] = arith.andi %[[ELECTED]], %[[FIRST]]
  // CHECK-NEXT: scf.if %[[LEADER]] {
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0
  // CHECK-NEXT: }
  // CHECK: nvvm.bar.warp.sync
  // CHECK-NEXT: nvvm.barrier id = %c2_i32 number_of_threads = %c128_i32
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-NEXT: }
  // CHECK: arith.cmpi ult, %[[WARP]], %c4_i32
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK-NEXT: nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
  bsmm.kernel @warpgroups() attributes {level = #bsmm.level<pipeline>,
                                        target = #bsmm.target<"sm_100a">,
                                        block_size = 256 : i64} {
    bsmm.warp_role 4 count 4 {
      bsmm.leader {
        bsmm.wait_stores
      }
      bsmm.synchronize
    }
    bsmm.warp_role 0 count 4 {
      bsmm.publish
    }
    bsmm.return
  }

  // With tensor memory a barrier orders its operations too.
  // CHECK-LABEL: llvm.func @synchronize
  // CHECK: llvm.load
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.barrier{{$}}
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  bsmm.kernel @synchronize() attributes {level = #bsmm.level<pipeline>,
                                         target = #bsmm.target<"sm_100a">,
                                         block_size = 128 : i64} {
    %0 = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.synchronize
    bsmm.return
  }
}
