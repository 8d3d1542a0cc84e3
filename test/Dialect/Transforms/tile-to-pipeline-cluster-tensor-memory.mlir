// Clusters with accumulators in tensor memory: what is the same in all CTAs is
// loaded by shares, operands by rows and scales by tiles, and the tensor core
// releases slots.

// Tiles below each other share B and its scales of 256 rows. Of four CTAs each
// brings 64 rows, and of the scales 128 rows (rank by 2) of 4 groups (remainder by
// 2): a tile of 512 bytes, which lies at the rank.
// RUN: bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile="chip=sm_100a block-n=256 block-k=128 cluster-m=4" --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=FOUR
// FOUR: bsmm.kernel @gemm(%[[A:[a-z0-9]+]]: !bsmm.tensor_map<1x128x128xf4E2M1FN> {{.*}}, %[[B:[a-z0-9]+]]: !bsmm.tensor_map<1x64x128xf4E2M1FN> {{.*}}, %[[SFA:[a-z0-9]+]]: !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> {{.*}}, %[[SFB:[a-z0-9]+]]: !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN>
// FOUR-SAME: block_size = 224 : i64, cluster_size = 4 : i64
// A warp each loads what a CTA has for itself and what it loads for all, where a
// step has at most 64 bytes of K a row: each has a channel, of which that of what
// is shared is the cluster's.
// FOUR: %[[OWN:.+]] = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : <7, <128x128xf4E2M1FN, shared, swizzle_64B>, <128x8xf8E4M3FN, shared, scale_tiles>>
// FOUR-NEXT: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>, cluster : <7, <256x128xf4E2M1FN, shared, swizzle_64B>, <256x8xf8E4M3FN, shared, scale_tiles>>
// FOUR: bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> overlap 64 :
// FOUR: bsmm.warp_role 4 {
// FOUR: %[[SLOT:.+]]:2 = bsmm.acquire %[[OWN]]
// FOUR-NEXT: bsmm.load_async %[[A]][%{{.*}}] to %[[SLOT]]#0 signals %[[OWN]][%{{[^ ]*}}] :
// FOUR-NEXT: bsmm.load_async %[[SFA]][%{{.*}}] to %[[SLOT]]#1 signals %[[OWN]][%{{[^ ]*}}] :
// FOUR-NEXT: bsmm.commit %[[OWN]]
// FOUR-NOT: bsmm.wait_released
// FOUR: bsmm.warp_role 6 {
// FOUR: %[[ALL:.+]]:2 = scf.for
// FOUR: %[[COLUMN:.+]] = arith.muli %{{.*}}, %c256_i32
// FOUR: scf.for %[[STEP:.+]] = %c0_i32 to
// FOUR: %[[K:.+]] = arith.muli %[[STEP]], %c128_i32
// FOUR: %[[GROUP:.+]] = arith.muli %[[STEP]], %c2_i32
// FOUR: %[[TILE:.+]] = arith.divui %[[COLUMN]], %c128_i32
// FOUR: %[[SLOT:.+]]:2 = bsmm.acquire %[[LOADS]]
// FOUR-NEXT: %[[RANK:.+]] = bsmm.cluster_rank
// FOUR-NEXT: %[[ROW:.+]] = arith.muli %[[RANK]], %c64_i32
// FOUR-NEXT: %[[PLACE:.+]] = arith.addi %[[COLUMN]], %[[ROW]]
// FOUR-NEXT: %[[SHARE:.+]] = bsmm.slice_rows %[[SLOT]]#0[%[[ROW]]] : {{.*}} to !bsmm.buffer<64x128xf4E2M1FN, shared, swizzle_64B>
// FOUR-NEXT: bsmm.load_async %[[B]][%{{.*}}, %[[PLACE]], %[[K]]] to %[[SHARE]] signals %[[LOADS]][%{{[^ ]*}}] multicast :
// FOUR-NEXT: %[[HALF:.+]] = arith.divui %[[RANK]], %c2_i32
// FOUR-NEXT: %[[QUARTER:.+]] = arith.remui %[[RANK]], %c2_i32
// FOUR-NEXT: %[[ROWS:.+]] = arith.addi %[[TILE]], %[[HALF]]
// FOUR-NEXT: %[[GROUPS:.+]] = arith.addi %[[GROUP]], %[[QUARTER]]
// FOUR-NEXT: %[[SHARE:.+]] = bsmm.slice_scales %[[SLOT]]#1[%[[RANK]]] : {{.*}} to !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
// FOUR-NEXT: bsmm.load_async %[[SFB]][%{{.*}}, %[[ROWS]], %[[GROUPS]], %c0_i32, %c0_i32] to %[[SHARE]] signals %[[LOADS]][%{{[^ ]*}}] multicast :
// FOUR-NEXT: bsmm.commit %[[LOADS]]
// The last slots are waited for after all tiles.
// FOUR: bsmm.wait_released %[[LOADS]][%[[ALL]]#0] :
// FOUR-NOT: multicast
// FOUR-NOT: bsmm.wait_released
// FOUR: bsmm.warp_role 5 {
// FOUR: %[[MINE:.+]]:2 = bsmm.wait %[[OWN]]
// FOUR-NEXT: %[[BOTH:.+]]:2 = bsmm.wait %[[LOADS]]
// FOUR: bsmm.scaled_mma %[[MINE]]#0 scales %{{.*}}, %[[BOTH]]#0 scales
// FOUR-NEXT: bsmm.release %[[OWN]]
// FOUR-NEXT: bsmm.release %[[LOADS]]

// With two warpgroups that drain, both are warps of the third one.
// RUN: bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile="chip=sm_100a block-n=256 block-k=128 cluster-m=2 epilogue-warps=8" --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=EIGHT
// EIGHT: block_size = 384 : i64
// EIGHT: bsmm.warp_role 8 count 4 registers 40 {
// EIGHT: bsmm.warp_role 8 {
// EIGHT-NOT: multicast
// EIGHT: bsmm.warp_role 10 {
// EIGHT-COUNT-2: multicast
// EIGHT: bsmm.warp_role 9 {
// EIGHT: bsmm.scaled_mma

// Tiles beside each other share A and its scales: 128 rows of 16 groups are four
// tiles, two for each of two CTAs.
// RUN: bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile="chip=sm_100a cluster-n=2" --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=TWO
// TWO: bsmm.kernel @gemm(%[[A:[a-z0-9]+]]: !bsmm.tensor_map<1x64x256xf4E2M1FN> {{.*}}, %[[B:[a-z0-9]+]]: !bsmm.tensor_map<1x128x256xf4E2M1FN> {{.*}}, %[[SFA:[a-z0-9]+]]: !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> {{.*}}, %[[SFB:[a-z0-9]+]]: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>
// Steps of 128 bytes of K are loaded by one warp.
// TWO-SAME: block_size = 192 : i64
// TWO: %[[SLOT:.+]]:4 = bsmm.acquire
// TWO-NEXT: bsmm.load_async %[[B]][%{{.*}}] to %[[SLOT]]#2
// TWO: %[[RANK:.+]] = bsmm.cluster_rank
// TWO: bsmm.load_async %[[A]]{{.*}} multicast :
// TWO-NEXT: bsmm.load_async %[[SFB]][%{{.*}}] to %[[SLOT]]#3
// TWO-NEXT: %[[FIRST:.+]] = arith.muli %[[RANK]], %c2_i32
// TWO-NEXT: %[[GROUPS:.+]] = arith.addi %{{.*}}, %[[FIRST]]
// TWO-NEXT: %[[SHARE:.+]] = bsmm.slice_scales %[[SLOT]]#1[%[[FIRST]]] : {{.*}} to !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
// TWO-NEXT: bsmm.load_async %[[SFA]][%{{.*}}, %{{.*}}, %[[GROUPS]], %c0_i32, %c0_i32] to %[[SHARE]] signals {{.*}} multicast :
// TWO-NOT: multicast

// Three CTAs share 192 rows of B, but not its scales of four tiles, which each
// loads on its own.
// RUN: bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile="chip=sm_100a block-n=192 block-k=128 cluster-m=3" --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s --check-prefix=THREE
// THREE: !bsmm.tensor_map<1x64x128xf4E2M1FN> {{.*}}, %[[SFA:[a-z0-9]+]]: !bsmm.tensor_map<1x1x2x2x256xf8E4M3FN> {{.*}}, %[[SFB:[a-z0-9]+]]: !bsmm.tensor_map<1x2x2x2x256xf8E4M3FN>
// THREE: bsmm.slice_rows {{.*}} to !bsmm.buffer<64x128xf4E2M1FN, shared, swizzle_64B>
// THREE-NEXT: bsmm.load_async {{.*}} multicast :
// THREE-NEXT: bsmm.load_async %[[SFB]]
// THREE-NOT: bsmm.slice_scales
// THREE-NOT: multicast
