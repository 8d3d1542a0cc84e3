// Options of bsmm-problem-to-tile that make no kernel of a product without block
// scales, and sums that are promoted.

// RUN: sed "s/, promote_every = 128//" %s > %t.mlir
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-m=320 2>&1 | FileCheck %s --check-prefix=BLOCKM
// BLOCKM: error: {{.*}}expected block-m 64, 128, 192 or 256, got 320
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-m=0 2>&1 | FileCheck %s --check-prefix=BLOCKM0
// BLOCKM0: error: {{.*}}expected block-m 64, 128, 192 or 256, got 0
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-n=24 2>&1 | FileCheck %s --check-prefix=BLOCKN
// BLOCKN: error: {{.*}}expected block-n to be a multiple of 16 from 16 to 256, got 24
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-n=272 2>&1 | FileCheck %s --check-prefix=BLOCKN272
// BLOCKN272: error: {{.*}}expected block-n to be a multiple of 16 from 16 to 256, got 272
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-n=-16 2>&1 | FileCheck %s --check-prefix=BLOCKNNEG
// BLOCKNNEG: error: {{.*}}expected block-n to be a multiple of 16 from 16 to 256, got -16
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-k=48 2>&1 | FileCheck %s --check-prefix=BLOCKK
// BLOCKK: error: {{.*}}expected block-k to be a multiple of 32 (32 bytes) up to 1024, got 48
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile=block-k=2048 2>&1 | FileCheck %s --check-prefix=BLOCKK2048
// BLOCKK2048: error: {{.*}}expected block-k to be a multiple of 32 (32 bytes) up to 1024, got 2048
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile="split-k=0" 2>&1 | FileCheck %s --check-prefix=SPLIT0
// SPLIT0: error: {{.*}}expected split-k in 1..8, got 0
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile="split-k=9 persistent=false" 2>&1 | FileCheck %s --check-prefix=SPLIT9
// SPLIT9: error: {{.*}}expected split-k in 1..8, got 9
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile="split-k=2" 2>&1 | FileCheck %s --check-prefix=SPLIT2
// SPLIT2: error: {{.*}}expected split-k with persistent=false, got split-k=2

// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile="ping-pong=true persistent=false" 2>&1 | FileCheck %s --check-prefix=PINGPONGTILE
// PINGPONGTILE: error: {{.*}}expected ping-pong with persistent=true and without block scales
// RUN: not bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile="ping-pong=true" 2>&1 | FileCheck %s --check-prefix=PINGPONGSCALES
// PINGPONGSCALES: error: {{.*}}expected ping-pong with persistent=true and without block scales

// The loop over output tiles says so, and no other.
// RUN: bsmm-opt %t.mlir --bsmm-problem-to-tile="ping-pong=true" | FileCheck %s --check-prefix=PINGPONG
// PINGPONG: grid = #bsmm.grid<persistent>
// PINGPONG: scf.for
// PINGPONG: scf.for
// PINGPONG-NOT: bsmm.ping_pong
// PINGPONG: bsmm.tma_store
// PINGPONG-NEXT: } {bsmm.ping_pong}
// RUN: bsmm-opt %t.mlir --bsmm-problem-to-tile="ping-pong=false" | FileCheck %s --check-prefix=NOPINGPONG
// NOPINGPONG: bsmm.tma_store
// NOPINGPONG-NOT: bsmm.ping_pong

// All tile rows are one group where A takes at most a third of the L2 cache:
// 50 MiB on sm_90a, of values of 8 bits. Nobody knows the cache of no target.
// RUN: bsmm-opt %t.mlir --bsmm-problem-to-tile="chip=sm_90a group=8 group-all" | FileCheck %s --check-prefix=GROUPALL
// GROUPALL: bsmm.kernel @f(
// GROUPALL-SAME: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}, %{{[a-z0-9]+}}: i32 {bsmm.role = #bsmm.role<n>}, %[[K:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<k>}
// GROUPALL: %[[M64:.+]] = arith.extui %[[M]] : i32 to i64
// GROUPALL: %[[K64:.+]] = arith.extui %[[K]] : i32 to i64
// GROUPALL: %[[VALUES:.+]] = arith.muli %[[M64]], %[[K64]] : i64
// GROUPALL: %[[FITS:.+]] = arith.cmpi ule, %[[VALUES]], %c17476266_i64 : i64
// GROUPALL: bsmm.grouped_order %{{.*}} of %{{.*}}, %{{.*}} group 8 all %[[FITS]]
// RUN: bsmm-opt %t.mlir --bsmm-problem-to-tile="chip=sm_90a group=8 group-all" | bsmm-opt --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=SIZEOFGROUP
// SIZEOFGROUP: %[[FITS:.+]] = arith.cmpi ule
// SIZEOFGROUP: arith.select %[[FITS]], %{{.*}}, %c8_i32 : i32
// RUN: not bsmm-opt %t.mlir --bsmm-problem-to-tile="group-all" 2>&1 | FileCheck %s --check-prefix=NOTARGET
// NOTARGET: error: {{.*}}expected a target, whose L2 cache group-all needs; pass chip or set bsmm.target

// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-k=192 2>&1 | FileCheck %s --check-prefix=PROMOTE
// PROMOTE: error: {{.*}}expected block-k to be a multiple of promote_every, got 192 and promote_every 128
// RUN: bsmm-opt %s --bsmm-problem-to-tile=block-k=256 | FileCheck %s --check-prefix=TWO
// TWO: bsmm.dot %{{.*}}, %{{.*}}, %{{[^ ]*}} promote_every 128 : tensor<128x256xf8E4M3FN>

// RUN: bsmm-opt %s --bsmm-problem-to-tile=block-k=128 | FileCheck %s
// CHECK: bsmm.dot %{{.*}}, %{{.*}}, %{{[^ ]*}} promote_every 128 : tensor<128x128xf8E4M3FN>
func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>,
             %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %d = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>)
      outs(%c : tensor<?x?xbf16>)
      {numerics = #bsmm.numerics<accumulate = f32, promote_every = 128>}
      -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}
