// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_90a block-n=192 block-k=128" --canonicalize --cse | FileCheck %s --check-prefix=TILE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_90a block-n=192 block-k=128" --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=PIPELINE
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="chip=sm_90a block-n=128 block-k=64" 2>&1 | FileCheck %s --check-prefix=DEPTH

// Scales of f32 for blocks of 128 elements of K.

#rows = #bsmm.scales<column_major, vec = 128>
#blocks = #bsmm.scales<linear, vec = 128, rows = 128>

// DEPTH: expected block-k 128 with block scales of f32, which multiply the sum of a step, got 64

// Column-major: rows follow each other. Row-major: groups do.
// TILE-LABEL: bsmm.kernel @gemm(
// TILE-SAME: %[[SFA:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<sfa>}
// TILE-SAME: %[[SFB:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<sfb>}
// TILE-SAME: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}, %[[N:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<n>}, %[[K:[a-z0-9]+]]: i32
// TILE-SAME: %[[PA:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<pitch_sfa>}, %[[BA:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<batch_stride_sfa>}, %[[PB:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<pitch_sfb>}, %[[BB:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<batch_stride_sfb>}
// TILE-DAG: %[[ONE:.+]] = arith.constant 1 : i64
// TILE-DAG: %[[GROUPS:.+]] = arith.ceildivui %[[K]], %c128_i32
// TILE: scf.for %[[STEP:.+]] = %c0_i32 to %[[GROUPS]]
// TILE: %[[SA:.+]] = bsmm.scale_load %[[SFA]][%[[L:.+]], %[[ROW:.+]], %[[STEP]]] limits[%[[M]], %[[GROUPS]]] strides[%[[BA]], %[[ONE]], %[[PA]]] block 1 : tensor<128xf32>
// TILE: %[[SB:.+]] = bsmm.scale_load %[[SFB]][%[[L]], %[[COLUMN:.+]], %[[STEP]]] limits[%[[N]], %[[GROUPS]]] strides[%[[BB]], %[[PB]], %[[ONE]]] block 128 : tensor<192xf32>
// TILE: bsmm.dot %{{.*}}, %{{.*}}, %{{.*}} promote_every 128 scales(%[[SA]], %[[SB]])

// Two halves of the columns are promoted in turn. Scales of the next step are
// read before this one's operands are waited for; those of the last part of a
// step are still needed in the next one.
// PIPELINE-LABEL: bsmm.kernel @gemm(
// PIPELINE: bsmm.warp_role 0 count 8 registers 240 {
// PIPELINE: scf.if
// PIPELINE: %[[SA0:.+]] = bsmm.read_scales %{{.*}} group %c0_i32 {{.*}} dimension 0 block 1 alignment 1 of !bsmm.accumulator<128x96xf32, warpgroups = 2> : vector<2xf32>
// PIPELINE: %[[LEFT0:.+]] = bsmm.read_scales %{{.*}}[%[[N:.+]]] group %c0_i32 {{.*}} dimension 1 block 128 alignment 64 of !bsmm.accumulator<128x96xf32, warpgroups = 2> : vector<2xf32>
// PIPELINE: %[[N96:.+]] = arith.addi %[[N]], %c96_i32
// PIPELINE: %[[RIGHT0:.+]] = bsmm.read_scales %{{.*}}[%[[N96]]] group %c0_i32 {{.*}} dimension 1 block 128 alignment 32 of !bsmm.accumulator<128x96xf32, warpgroups = 2> : vector<2xf32>
// PIPELINE: scf.for %[[STEP:.+]] = %{{.*}} to %{{.*}} step %c1_i32 iter_args(%[[IT:[a-z0-9]+]] = %{{[^,]*}}, %[[LAST:[a-z0-9]+]] = %{{[^,]*}}, %[[SUM0:[a-z0-9]+]] = %{{[^,]*}}, %[[SUM1:[a-z0-9]+]] = %{{[^,]*}}, %[[OLDA:[a-z0-9]+]] = %[[SA0]], %[[OLDB:[a-z0-9]+]] = %[[RIGHT0]], %[[SA:[a-z0-9]+]] = %{{[^,]*}}, %[[LEFT:[a-z0-9]+]] = %{{[^,]*}}, %[[RIGHT:[a-z0-9]+]] = %{{[^,]*}})
// PIPELINE-NEXT: %[[NEXT:.+]] = arith.addi %[[STEP]], %c1_i32
// PIPELINE: %[[SA1:.+]] = bsmm.read_scales %{{.*}} group %[[NEXT]]
// PIPELINE: %[[LEFT1:.+]] = bsmm.read_scales %{{.*}}[%[[N]]] group %[[NEXT]]
// PIPELINE: %[[RIGHT1:.+]] = bsmm.read_scales %{{.*}}[%[[N96]]] group %[[NEXT]]
// PIPELINE-NEXT: %[[SLOT:.+]]:2 = bsmm.wait
// PIPELINE-NEXT: %[[DONE:.+]] = bsmm.wait_mma %[[LAST]] pending 0
// PIPELINE-NEXT: %[[M0:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 0 :
// PIPELINE: bsmm.release
// PIPELINE-NEXT: %[[NEW1:.+]] = bsmm.add_scaled %[[SUM1]], %[[DONE]] scales %[[OLDA]], %[[OLDB]] start %[[N96]] block 128 alignment 32
// PIPELINE-NEXT: %[[M1:.+]] = bsmm.mma %[[SLOT]]#0, %[[SLOT]]#1 column 96 :
// PIPELINE-NEXT: %[[PARTIAL:.+]] = bsmm.wait_mma %[[M0]] pending 1 complete
// PIPELINE-NEXT: %[[NEW0:.+]] = bsmm.add_scaled %[[SUM0]], %[[PARTIAL]] scales %[[SA]], %[[LEFT]] start %[[N]] block 128 alignment 64
// PIPELINE: scf.yield %{{.*}}, %[[M1]], %[[NEW0]], %[[NEW1]], %[[SA]], %[[RIGHT]], %[[SA1]], %[[LEFT1]], %[[RIGHT1]]
func.func @gemm(
    %a: tensor<?x?x?xf8E4M3FN>, %sfa: tensor<?x?x?xf32, #rows>,
    %b: tensor<?x?x?xf8E4M3FN>, %sfb: tensor<?x?x?xf32, #blocks>,
    %d: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf32, #rows>,
            tensor<?x?x?xf8E4M3FN>, tensor<?x?x?xf32, #blocks>)
      outs(%d : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
