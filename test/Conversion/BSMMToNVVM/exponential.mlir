// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s
// RUN: bsmm-translate --bsmm-to-ptx %s | FileCheck %s --check-prefix=PTX

// exp(x) = 2^n exp(r), in arithmetic: no approximation, no call.

// CHECK-LABEL: llvm.func @scalar(
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr<1>, %[[X:[a-z0-9]+]]: f32)
// CHECK: %[[ABOVE:.+]] = arith.maximumf %[[X]], %{{.*}} : f32
// CHECK: %[[BOUNDED:.+]] = arith.minimumf %[[ABOVE]], %{{.*}} : f32
// CHECK: %[[SUM:.+]] = llvm.intr.fma(%[[BOUNDED]], %{{.*}}, %[[MAGIC:.+]]) : (f32, f32, f32) -> f32
// CHECK: %[[N:.+]] = arith.subf %[[SUM]], %[[MAGIC]]
// CHECK: %[[BITS:.+]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK: %[[FIRST:.+]] = llvm.intr.fma(%[[N]], %{{.*}}, %[[BOUNDED]])
// CHECK: %[[R:.+]] = llvm.intr.fma(%[[N]], %{{.*}}, %[[FIRST]])
// CHECK-COUNT-7: llvm.intr.fma(%{{.*}}, %[[R]], %{{.*}})
// CHECK: arith.shrsi
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: math.exp

// PTX-LABEL: .entry scalar(
// NaN fails both comparisons and passes.
// PTX: setp.le.f32
// PTX-NEXT: selp.f32
// PTX-NEXT: setp.ge.f32
// PTX-NEXT: selp.f32
// PTX-COUNT-10: fma.rn.f32
// PTX-COUNT-2: mul.rn.f32
// PTX-NOT: ex2
// PTX-NOT: call
gpu.module @kernels attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @scalar(%p: !llvm.ptr<1>, %x: f32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %o = arith.constant 0 : i64
    %0 = math.exp %x : f32
    %v = vector.broadcast %0 : f32 to vector<4xf32>
    bsmm.write_global %v, %p[%c0, %c0] base %o stride %o limits [%c64, %c64]
        : vector<4xf32>
    bsmm.return
  }

  // CHECK-LABEL: llvm.func @vectors(
  // CHECK-COUNT-10: llvm.intr.fma{{.*}} : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CHECK-NOT: math.exp
  bsmm.kernel @vectors(%p: !llvm.ptr<1>, %x: f32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %o = arith.constant 0 : i64
    %v = vector.broadcast %x : f32 to vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    bsmm.write_global %e, %p[%c0, %c0] base %o stride %o limits [%c64, %c64]
        : vector<4xf32>
    bsmm.return
  }
}
