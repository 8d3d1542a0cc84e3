// Eight warps drain: two warpgroups, each half of the columns, with buffers,
// barriers and stores of their own. The warpgroup that loads and multiplies gives
// registers to them, as a whole; inside of it two warps have their roles.

// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=128 epilogue-warps=8" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefixes=CHECK,OVERLAP
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=128 epilogue-warps=8" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefixes=CHECK,APART
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=128 epilogue-warps=8" | bsmm-translate --bsmm-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="epilogue-warps=6" 2>&1 | FileCheck %s --check-prefix=SIX
// RUN: bsmm-opt %s --bsmm-problem-to-tile="epilogue-warps=8 persistent=false" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=ONETILE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=64 persistent=false split-k=2 epilogue-warps=8" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=SPLIT
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=80 persistent=false split-k=2 epilogue-warps=8" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile="stages=2" | sed "s/bsmm.stages = 2/bsmm.epilogue_warps = 8/" > %t.fp8.mlir
// RUN: not bsmm-opt %t.fp8.mlir --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=TILELEVEL

// TILELEVEL: error: 'scf.for' op expected bsmm.epilogue_warps = 8 with accumulators in tensor memory only
// UNEVEN: error: 'scf.for' op expected a multiple of 32 columns for two warpgroups that share them in each CTA of the cluster, got 80
// SIX: error: {{.*}}expected 4 or 8 epilogue-warps, got 6

// In a kernel of one output tile all eight warps join for the epilogue.
// ONETILE-LABEL: bsmm.kernel @f(
// ONETILE-SAME: block_size = 256 : i64
// ONETILE: bsmm.warp_role 0 {
// ONETILE: bsmm.load_async
// ONETILE: bsmm.warp_role 1 {
// ONETILE: bsmm.scaled_mma
// ONETILE: bsmm.warp_role 0 count 8 {
// ONETILE-NEXT: %[[ACC:.+]] = bsmm.wait
// ONETILE: bsmm.drain %[[ACC]] at

// Of the other CTA's 32 columns, and of its own ones, a warpgroup has 16.
// SPLIT: %[[EXCHANGE:.+]] = bsmm.alloc {{.*}} : !bsmm.buffer<128x32xf32, shared, row_major>
// SPLIT: %[[RANK:.+]] = bsmm.cluster_rank
// SPLIT: bsmm.warp_role 0 count 8 {
// SPLIT: %[[ACC:.+]] = bsmm.wait
// SPLIT: %[[MINE:.+]] = arith.muli %[[RANK]], %c32_i32
// SPLIT: %[[GROUP:.+]] = bsmm.warpgroup_index
// SPLIT: %[[FIRST:.+]] = arith.muli %[[GROUP]], %c16_i32
// SPLIT: %[[THEIRS:.+]] = arith.muli %[[TO:.+]], %c32_i32
// SPLIT: %[[AT:.+]] = arith.addi %[[THEIRS]], %[[FIRST]]
// SPLIT: bsmm.drain %[[ACC]] at %[[AT]] when %[[ANY:.+]] columns 16 extent 16 {
// SPLIT-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[VALUES:.+]]: vector<16xf32>):
// SPLIT-NEXT: %[[PLACE:.+]] = arith.addi %[[COLUMN]], %[[FIRST]]
// SPLIT-NEXT: bsmm.send_partial %[[VALUES]], %[[EXCHANGE]][%[[ROW]], %[[PLACE]]] to %[[TO]]
// SPLIT: bsmm.wait_partials
// SPLIT: %[[FIRST2:.+]] = arith.muli %{{.*}}, %c16_i32
// SPLIT-NEXT: %[[OWN:.+]] = arith.addi %[[FIRST2]], %[[MINE]]
// SPLIT-NEXT: bsmm.drain %[[ACC]] at %[[OWN]] when %[[ANY]] columns 16 extent 16 {
// SPLIT-NEXT: ^bb0(%[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[VALUES:.+]]: vector<16xf32>):
// SPLIT-NEXT: %[[PLACE:.+]] = arith.addi %[[COLUMN]], %[[FIRST2]]
// SPLIT-NEXT: bsmm.add_partials %[[VALUES]], %[[EXCHANGE]][%[[ROW]], %[[PLACE]]]

// CHECK-LABEL: bsmm.kernel @f(
// CHECK-SAME: block_size = 384 : i64
// OVERLAP: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 256> overlap 64 {{.*}} : <2, <128x256xf32, tensor_memory, accumulator>>
// APART: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 256> {{.*}} : <2, <128x128xf32, tensor_memory, accumulator>>
// OVERLAP: %[[FIRST:.+]] = bsmm.alloc {{.*}} : !bsmm.buffer<256x64xf16, shared, swizzle_128B>
// OVERLAP: %[[SECOND:.+]] = bsmm.alloc {{.*}} : !bsmm.buffer<256x64xf16, shared, swizzle_128B>
// APART: %[[FIRST:.+]] = bsmm.alloc {{.*}} : !bsmm.buffer<256x64xf16, shared, swizzle_128B>

// CHECK: bsmm.warp_role 8 count 4 registers 40 {
// CHECK-NEXT: bsmm.warp_role 8 {
// CHECK-NEXT: bsmm.leader {
// CHECK: bsmm.load_async
// CHECK: bsmm.warp_role 9 {
// CHECK: bsmm.scaled_mma

// CHECK: bsmm.warp_role 0 count 8 registers 232 {
// CHECK: bsmm.leader each_warpgroup {
// CHECK-NEXT: bsmm.wait_stores read
// CHECK: bsmm.synchronize each_warpgroup
// CHECK: %[[ACC:.+]] = bsmm.wait %[[RESULTS]][%[[TILE:.+]]]
// CHECK: %[[GROUP:.+]] = bsmm.warpgroup_index
// CHECK-NEXT: %[[ROW:.+]] = arith.muli %[[GROUP]], %c128_i32
// CHECK: %[[PIECE:.+]] = bsmm.slice_rows %[[FIRST]][%[[ROW]]]
// OVERLAP: %[[AT:.+]] = bsmm.slot_column %[[RESULTS]][%[[TILE]]] first 0 columns 64
// APART: %[[AT:.+]] = arith.muli %{{.*}}, %c64_i32
// CHECK-NEXT: bsmm.drain %[[ACC]] at %[[AT]] when %{{.*}} columns 32 extent 64 {
// CHECK-NEXT: ^bb0(%[[R:.+]]: i32, %[[C:.+]]: i32,
// CHECK: bsmm.write_shared %{{.*}}, %[[PIECE]][%[[R]], %[[C]]]
// CHECK: bsmm.release %[[RESULTS]][%[[TILE]]]
// OVERLAP: bsmm.slice_rows %[[SECOND]]
// OVERLAP: bsmm.slot_column %[[RESULTS]][%[[TILE]]] first 64 columns 64
// OVERLAP: bsmm.drain
// CHECK: bsmm.publish each_warpgroup
// CHECK-NEXT: bsmm.leader each_warpgroup {
// CHECK-NEXT: %[[PLACE:.+]] = arith.addi %{{.*}}, %[[AT]]
// CHECK-NEXT: bsmm.store_async %[[PIECE]], %{{.*}}[%{{.*}}, %{{.*}}, %[[PLACE]]]
// CHECK: bsmm.wait_stores{{$}}
// CHECK: bsmm.return

// PTX: .reqntid 384
// PTX: setmaxnreg.dec.sync.aligned.u32 40
// PTX: setmaxnreg.inc.sync.aligned.u32 232

#sf = #bsmm.scales<blocked_128x4, vec = 16>

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
             %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}
}
