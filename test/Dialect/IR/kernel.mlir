// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --mlir-print-op-generic %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

// CHECK: gpu.module @kernels
gpu.module @kernels {
  // CHECK-LABEL: bsmm.kernel @copy
  // CHECK-SAME: (%[[A:.+]]: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<a>}, %[[D:.+]]: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<d>})
  // CHECK-SAME: level = #bsmm.level<tile>
  // CHECK-SAME: target = #bsmm.target<"sm_100a">
  bsmm.kernel @copy(
      %a: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<a>},
      %d: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<d>})
      attributes {level = #bsmm.level<tile>,
                  target = #bsmm.target<"sm_100a">} {
    %c0 = arith.constant 0 : i32
    // CHECK: bsmm.tma_load
    %t = bsmm.tma_load %a[%c0, %c0, %c0]
        : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x128x64xf16>
    // CHECK: bsmm.tma_store
    bsmm.tma_store %t, %d[%c0, %c0, %c0]
        : tensor<1x128x64xf16>, !bsmm.tensor_map<1x128x64xf16>
    // CHECK: bsmm.return
    bsmm.return
  }

  // Every attribute.
  // CHECK-LABEL: bsmm.kernel @attributes
  // CHECK-SAME: block_size = 128 : i64
  // CHECK-SAME: dynamic_shared_memory = 232448 : i64
  // CHECK-SAME: grid = #bsmm.grid<tile>
  // CHECK-SAME: level = #bsmm.level<pipeline>
  // CHECK-SAME: target = #bsmm.target<"sm_103a">
  // CHECK-SAME: tensor_memory_columns = 512 : i64
  // CHECK-SAME: tile = #bsmm.tile<m = 128, n = 192, k = 256>
  bsmm.kernel @attributes() attributes {
      level = #bsmm.level<pipeline>, target = #bsmm.target<"sm_103a">,
      tile = #bsmm.tile<m = 128, n = 192, k = 256>, grid = #bsmm.grid<tile>,
      block_size = 128 : i64, dynamic_shared_memory = 232448 : i64,
      tensor_memory_columns = 512 : i64} {
    bsmm.publish
    bsmm.return
  }

  // Every role, in the order of the launch schema, with a plain pointer for D.
  // CHECK-LABEL: bsmm.kernel @roles
  // CHECK-SAME: {bsmm.role = #bsmm.role<a>}
  // CHECK-SAME: {bsmm.role = #bsmm.role<b>}
  // CHECK-SAME: {bsmm.role = #bsmm.role<sfa>}
  // CHECK-SAME: {bsmm.role = #bsmm.role<sfb>}
  // CHECK-SAME: {bsmm.role = #bsmm.role<c>}
  // CHECK-SAME: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>}
  // CHECK-SAME: !llvm.ptr<1> {bsmm.role = #bsmm.role<sa>}
  // CHECK-SAME: !llvm.ptr<1> {bsmm.role = #bsmm.role<sb>}
  // CHECK-SAME: !llvm.ptr<1> {bsmm.role = #bsmm.role<bias>}
  // CHECK-SAME: i32 {bsmm.role = #bsmm.role<m>}
  // CHECK-SAME: i32 {bsmm.role = #bsmm.role<n>}
  // CHECK-SAME: i32 {bsmm.role = #bsmm.role<k>}
  // CHECK-SAME: i32 {bsmm.role = #bsmm.role<l>}
  // CHECK-SAME: i64 {bsmm.role = #bsmm.role<pitch_d>}
  // CHECK-SAME: i64 {bsmm.role = #bsmm.role<batch_stride_d>}
  // CHECK-SAME: f32 {bsmm.role = #bsmm.role<alpha>}
  // CHECK-SAME: f32 {bsmm.role = #bsmm.role<beta>}
  // CHECK-SAME: f32 {bsmm.role = #bsmm.role<out_scale>}
  bsmm.kernel @roles(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %c: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<c>},
      %d: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>},
      %sa: !llvm.ptr<1> {bsmm.role = #bsmm.role<sa>},
      %sb: !llvm.ptr<1> {bsmm.role = #bsmm.role<sb>},
      %bias: !llvm.ptr<1> {bsmm.role = #bsmm.role<bias>},
      %m: i32 {bsmm.role = #bsmm.role<m>}, %n: i32 {bsmm.role = #bsmm.role<n>},
      %k: i32 {bsmm.role = #bsmm.role<k>}, %l: i32 {bsmm.role = #bsmm.role<l>},
      %pitch: i64 {bsmm.role = #bsmm.role<pitch_d>},
      %stride: i64 {bsmm.role = #bsmm.role<batch_stride_d>},
      %alpha: f32 {bsmm.role = #bsmm.role<alpha>},
      %beta: f32 {bsmm.role = #bsmm.role<beta>},
      %scale: f32 {bsmm.role = #bsmm.role<out_scale>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }

  // An argument may have no role, and roles may be left out.
  // CHECK-LABEL: bsmm.kernel @some_roles(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i32 {bsmm.role = #bsmm.role<k>})
  bsmm.kernel @some_roles(%p: !llvm.ptr<1>, %k: i32 {bsmm.role = #bsmm.role<k>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// The target of a module holds for its kernels; stating it twice is no
// conflict.
// CHECK: module attributes {bsmm.target = #bsmm.target<"sm_100a">}
module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // CHECK: gpu.module @inner attributes {bsmm.target = #bsmm.target<"sm_100a">}
  gpu.module @inner attributes {bsmm.target = #bsmm.target<"sm_100a">} {
    bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                                 target = #bsmm.target<"sm_100a">} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      // CHECK: {bsmm.stages = 4 : i64}
      scf.for %i = %c0 to %c1 step %c1 : i32 {
      } {bsmm.stages = 4 : i64}
      bsmm.return
    }
  }
}
