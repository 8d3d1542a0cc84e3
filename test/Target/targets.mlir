// Every row of the target table, from the IR: what is a target, what has tensor
// memory, how much shared memory there is, and which PTX version is emitted.

// RUN: bsmm-opt %s | FileCheck %s
// RUN: sed "s/sm_100a/sm_110a/" %examples/nvfp4_gemm.mlir > %t.mlir
// RUN: bsmm-translate --bsmm-to-ptx %t.mlir | FileCheck %s --check-prefix=SM110
// RUN: sed "s/sm_100a/sm_103a/" %examples/nvfp4_gemm.mlir > %t.mlir
// RUN: bsmm-translate --bsmm-to-ptx %t.mlir | FileCheck %s --check-prefix=SM103
// RUN: bsmm-opt --bsmm-problem-to-tile=block-k=128 %examples/fp8_gemm.mlir | bsmm-translate --bsmm-to-ptx | FileCheck %s --check-prefix=SM90
// RUN: sed "s/sm_100a/sm_90a/; s/bsmm.stages = 4/bsmm.stages = 1/" %examples/nvfp4_gemm.mlir > %t.mlir
// RUN: bsmm-translate --bsmm-to-ptx %t.mlir 2>&1 | FileCheck %s --check-prefix=SCALED
// RUN: sed "s/sm_100a/sm_120a/" %examples/nvfp4_gemm.mlir > %t.mlir
// RUN: not bsmm-translate --bsmm-to-ptx %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed "s/sm_100a/sm_121a/" %examples/nvfp4_gemm.mlir > %t.mlir
// RUN: not bsmm-translate --bsmm-to-ptx %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// SM103: .version 8.8
// SM103: .target sm_103a
// SM110: .version 9.0
// SM110: .target sm_110a
// SM110: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16
// SM90: .version 8.0
// SM90: .target sm_90a
// SM90: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3
// SCALED: .target sm_90a
// SCALED: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// NONE: error: {{.*}}expected a target with tensor memory or wgmma, got sm_{{120a|121a}}

gpu.module @targets {
  // CHECK: target = #bsmm.target<"sm_90a">
  bsmm.kernel @sm_90a() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_90a">,
      dynamic_shared_memory = 232448 : i64} {
    bsmm.return
  }
  // CHECK: target = #bsmm.target<"sm_100a">
  bsmm.kernel @sm_100a() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_100a">,
      dynamic_shared_memory = 232448 : i64} {
    bsmm.return
  }
  // CHECK: target = #bsmm.target<"sm_103a">
  bsmm.kernel @sm_103a() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_103a">,
      dynamic_shared_memory = 232448 : i64} {
    bsmm.return
  }
  // CHECK: target = #bsmm.target<"sm_110a">
  bsmm.kernel @sm_110a() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_110a">,
      dynamic_shared_memory = 232448 : i64} {
    bsmm.return
  }
  // CHECK: target = #bsmm.target<"sm_120a">
  bsmm.kernel @sm_120a() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_120a">,
      dynamic_shared_memory = 101376 : i64} {
    bsmm.return
  }
  // CHECK: target = #bsmm.target<"sm_121a">
  bsmm.kernel @sm_121a() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_121a">,
      dynamic_shared_memory = 101376 : i64} {
    bsmm.return
  }
}
