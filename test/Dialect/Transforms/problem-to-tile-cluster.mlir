// The option cluster-m of bsmm-problem-to-tile: CTAs of a cluster have output
// tiles below each other.

// RUN: not bsmm-opt %s --bsmm-problem-to-tile=cluster-m=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: {{.*}}expected cluster-m in 1..8, got 0
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=cluster-m=9 2>&1 | FileCheck %s --check-prefix=NINE
// NINE: error: {{.*}}expected cluster-m in 1..8, got 9
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=cluster-m=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}expected cluster-m in 1..8, got -2
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="cluster-m=2 split-k=2 persistent=false" 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: {{.*}}expected no cluster-m or cluster-n with split-k: the CTAs of a cluster share loads or the steps of a tile, got split-k=2
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="cluster-m=2 split-k=2" 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: {{.*}}expected split-k with persistent=false, got split-k=2
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=cluster-n=0 2>&1 | FileCheck %s --check-prefix=ZERO-N
// ZERO-N: error: {{.*}}expected cluster-n in 1..8, got 0
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="cluster-m=2 cluster-n=4" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: {{.*}}expected cluster-m or cluster-n, not both, got 2 and 4
// RUN: not bsmm-opt %source_dir/test/Integration/Inputs/nvfp4-f32.mlir --bsmm-problem-to-tile="cluster-n=2 add-splits=true split-k=2" 2>&1 | FileCheck %s --check-prefix=ADD
// ADD: error: {{.*}}expected no ping-pong, cluster-m or cluster-n with add-splits, whose tiles have different steps

// With one CTA nothing of it is there.
// RUN: bsmm-opt %s --bsmm-problem-to-tile=cluster-m=1 | FileCheck %s --check-prefix=ONE
// ONE-NOT: cluster
// ONE: %[[ID:.+]] = gpu.block_id x
// ONE: %[[FIRST:.+]] = arith.index_cast %[[ID]] : index to i32
// ONE-NOT: arith.divui
// ONE: scf.for %{{.*}} = %[[FIRST]] to

// The grid's CTAs are numbered by clusters of two: number by 2 is the cluster,
// the remainder the CTA's place in it. Clusters walk over pairs of tile rows,
// so that M is divided by 2 * 64; row = 2 * pair + place.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="cluster-m=2 block-m=64 block-n=96 block-k=128 group=3" --canonicalize --cse | FileCheck %s --check-prefix=TWO
// TWO: bsmm.kernel @f(
// TWO-SAME: %{{.*}}: !bsmm.tensor_map<1x64x128xf8E4M3FN> {bsmm.role = #bsmm.role<a>}
// TWO-SAME: %{{.*}}: !bsmm.tensor_map<1x96x128xf8E4M3FN> {bsmm.role = #bsmm.role<b>}
// TWO-SAME: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}, %[[N:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<n>}, %[[K:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<k>}, %[[L:[a-z0-9]+]]: i32
// TWO-SAME: cluster_size = 2 : i64, grid = #bsmm.grid<persistent>
// TWO: %[[ID:.+]] = gpu.block_id x
// TWO-NEXT: %[[CTA:.+]] = arith.index_cast %[[ID]] : index to i32
// TWO-NEXT: %[[PLACE:.+]] = arith.remui %[[CTA]], %c2_i32
// TWO-NEXT: %[[CLUSTER:.+]] = arith.divui %[[CTA]], %c2_i32
// TWO-NEXT: %[[PAIRS:.+]] = arith.ceildivui %[[M]], %c128_i32
// TWO-NEXT: %[[TILES_N:.+]] = arith.ceildivui %[[N]], %c96_i32
// TWO-NEXT: %[[TILES:.+]] = arith.muli %[[PAIRS]], %[[TILES_N]]
// TWO-NEXT: %[[DIM:.+]] = gpu.grid_dim x
// TWO-NEXT: %[[CTAS:.+]] = arith.index_cast %[[DIM]] : index to i32
// TWO-NEXT: %[[CLUSTERS:.+]] = arith.divui %[[CTAS]], %c2_i32
// TWO-NEXT: %[[ALL:.+]] = arith.muli %[[TILES]], %[[L]]
// TWO-NEXT: scf.for %[[NUMBER:.+]] = %[[CLUSTER]] to %[[ALL]] step %[[CLUSTERS]] : i32 {
// TWO: %[[IN_BATCH:.+]] = arith.remui %[[NUMBER]], %[[TILES]]
// TWO-NEXT: %[[PAIR:.+]], %[[COLUMN:.+]] = bsmm.grouped_order %[[IN_BATCH]] of %[[PAIRS]], %[[TILES_N]] group 3
// TWO-NEXT: %[[TOP:.+]] = arith.muli %[[PAIR]], %c2_i32
// TWO-NEXT: %[[ROW:.+]] = arith.addi %[[TOP]], %[[PLACE]]
// TWO-NEXT: %[[ROWS:.+]] = arith.muli %[[ROW]], %c64_i32
// TWO-NEXT: %[[COLUMNS:.+]] = arith.muli %[[COLUMN]], %c96_i32
// TWO: bsmm.tma_load %{{.*}}[%{{.*}}, %[[ROWS]], %{{.*}}] : !bsmm.tensor_map<1x64x128xf8E4M3FN>
// TWO: bsmm.tma_load %{{.*}}[%{{.*}}, %[[COLUMNS]], %{{.*}}] : !bsmm.tensor_map<1x96x128xf8E4M3FN>
// TWO: bsmm.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %[[ROWS]], %[[COLUMNS]]]

// RUN: bsmm-opt %s --bsmm-problem-to-tile="cluster-m=4 block-m=128 block-n=96 block-k=128 ping-pong=true" --canonicalize --cse | FileCheck %s --check-prefix=FOUR
// FOUR: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}
// FOUR-SAME: cluster_size = 4 : i64
// FOUR: %[[PLACE:.+]] = arith.remui %[[CTA:.+]], %c4_i32
// FOUR-NEXT: %[[CLUSTER:.+]] = arith.divui %[[CTA]], %c4_i32
// FOUR-NEXT: arith.ceildivui %[[M]], %c512_i32
// FOUR: %[[CLUSTERS:.+]] = arith.divui %{{.*}}, %c4_i32
// FOUR: scf.for %{{.*}} = %[[CLUSTER]] to %{{.*}} step %[[CLUSTERS]]
// FOUR: %[[TOP:.+]] = arith.muli %{{.*}}, %c4_i32
// FOUR-NEXT: arith.addi %[[TOP]], %[[PLACE]]
// FOUR: } {bsmm.ping_pong}

// One tile for each CTA: the cluster's tile is that of its number.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="cluster-m=2 persistent=false block-n=96" --canonicalize --cse | FileCheck %s --check-prefix=TILE
// TILE: cluster_size = 2 : i64, grid = #bsmm.grid<tile>
// TILE: %[[PLACE:.+]] = arith.remui %[[CTA:.+]], %c2_i32
// TILE-NEXT: %[[CLUSTER:.+]] = arith.divui %[[CTA]], %c2_i32
// TILE-NEXT: arith.ceildivui %{{.*}}, %c256_i32
// TILE: arith.remui %[[CLUSTER]]
// TILE: %[[TOP:.+]] = arith.muli %{{.*}}, %c2_i32
// TILE-NEXT: arith.addi %[[TOP]], %[[PLACE]]

// The same with tiles beside each other: N is divided by 2 * 96, and the column
// is 2 * pair + place.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="cluster-n=2 block-m=64 block-n=96 block-k=128 group=3" --canonicalize --cse | FileCheck %s --check-prefix=BESIDE
// BESIDE: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}, %[[N:[a-z0-9]+]]: i32
// BESIDE-SAME: cluster_size = 2 : i64
// BESIDE: %[[PLACE:.+]] = arith.remui %[[CTA:.+]], %c2_i32
// BESIDE-NEXT: %[[CLUSTER:.+]] = arith.divui %[[CTA]], %c2_i32
// BESIDE-NEXT: %[[TILES_M:.+]] = arith.ceildivui %[[M]], %c64_i32
// BESIDE-NEXT: %[[PAIRS:.+]] = arith.ceildivui %[[N]], %c192_i32
// BESIDE-NEXT: arith.muli %[[TILES_M]], %[[PAIRS]]
// BESIDE: %[[ROW:.+]], %[[PAIR:.+]] = bsmm.grouped_order %{{.*}} of %[[TILES_M]], %[[PAIRS]] group 3
// BESIDE-NEXT: %[[LEFT:.+]] = arith.muli %[[PAIR]], %c2_i32
// BESIDE-NEXT: %[[COLUMN:.+]] = arith.addi %[[LEFT]], %[[PLACE]]
// BESIDE-NEXT: %[[ROWS:.+]] = arith.muli %[[ROW]], %c64_i32
// BESIDE-NEXT: %[[COLUMNS:.+]] = arith.muli %[[COLUMN]], %c96_i32
// BESIDE: bsmm.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %[[ROWS]], %[[COLUMNS]]]

module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>,
               %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
    %d = bsmm.scaled_matmul
        ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>)
        outs(%c : tensor<?x?xbf16>)
        {numerics = #bsmm.numerics<accumulate = f32>} -> tensor<?x?xbf16>
    return %d : tensor<?x?xbf16>
  }
}
