// Hints to the L2 cache go from an option to the loads of an operand and of its
// scales, and from there to the copies.

// RUN: bsmm-opt %s --bsmm-problem-to-tile="cache-a=evict_last cache-b=evict_first" | FileCheck %s --check-prefix=TILE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="cache-b=evict_first" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=PIPELINE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="cache-a=evict_last cache-b=evict_first" | bsmm-translate --bsmm-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: bsmm-opt %s --bsmm-problem-to-tile | bsmm-translate --bsmm-to-ptx | FileCheck %s --check-prefix=NONE
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="cache-a=first" 2>&1 | FileCheck %s --check-prefix=WRONG

// TILE: bsmm.kernel @f(%[[A:.+]]: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>}, %[[B:.+]]: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>}, %[[SFA:.+]]: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>}, %[[SFB:.+]]: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
// TILE-DAG: bsmm.tma_load %[[A]][{{.*}}] {cache = #bsmm.cache<evict_last>} :
// TILE-DAG: bsmm.tma_load %[[SFA]][{{.*}}] {cache = #bsmm.cache<evict_last>} :
// TILE-DAG: bsmm.tma_load %[[B]][{{.*}}] {cache = #bsmm.cache<evict_first>} :
// TILE-DAG: bsmm.tma_load %[[SFB]][{{.*}}] {cache = #bsmm.cache<evict_first>} :

// PIPELINE: bsmm.load_async %{{.*}}[{{[^{]*}}] to %[[SLOT:.+]]#2 signals %{{.*}}[%{{.*}}] {cache = #bsmm.cache<evict_first>} :
// PIPELINE: bsmm.load_async %{{.*}}[{{[^{]*}}] to %[[SLOT]]#0 signals %{{.*}}[%{{.*}}] :
// PIPELINE: bsmm.load_async %{{.*}}[{{[^{]*}}] to %[[SLOT]]#3 signals %{{.*}}[%{{.*}}] {cache = #bsmm.cache<evict_first>} :
// PIPELINE: bsmm.load_async %{{.*}}[{{[^{]*}}] to %[[SLOT]]#1 signals %{{.*}}[%{{.*}}] :

// The policies that createpolicy makes.
// PTX: mov.b64 [[FIRST:%rd[0-9]+]], 1364590687093260288;
// PTX: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint {{.*}}, [[FIRST]];
// PTX: mov.b64 [[LAST:%rd[0-9]+]], 1508705875169116160;
// PTX: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint {{.*}}, [[LAST]];
// PTX: cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint {{.*}}, [[FIRST]];
// PTX: cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint {{.*}}, [[LAST]];

// NONE-NOT: cache_hint

// WRONG: error: {{.*}}expected a cache hint of normal, evict_first or evict_last, got first

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
