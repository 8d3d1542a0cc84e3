// RUN: bsmm-opt %s --bsmm-problem-to-tile=chip=sm_100a | FileCheck %s
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_103a block-n=192 stages=3 group=8" | FileCheck %s --check-prefix=N192
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a persistent=false predicated-store=true" | FileCheck %s --check-prefix=PREDICATED

// What comes out goes all the way down.
// RUN: bsmm-opt %s --bsmm-problem-to-tile=chip=sm_100a | bsmm-translate --bsmm-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_100a persistent=false predicated-store=true" | bsmm-translate --bsmm-to-ptx | FileCheck %s --check-prefix=PTX

// PTX: .entry gemm
// PTX: .entry epilogue

#sf = #bsmm.scales<blocked_128x4, vec = 16>

// CHECK: module attributes {bsmm.target = #bsmm.target<"sm_100a">}
// CHECK-NOT: func.func
// CHECK: gpu.module @kernels
// N192: module attributes {bsmm.target = #bsmm.target<"sm_103a">}

// Roles in the order of the launch schema; extents are arguments; the user's
// view of the scales leaves no trace.
// CHECK-LABEL: bsmm.kernel @gemm
// CHECK-SAME: (%[[A:[a-z0-9]+]]: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>}
// CHECK-SAME: %[[B:[a-z0-9]+]]: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>}
// CHECK-SAME: %[[SFA:[a-z0-9]+]]: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>}
// CHECK-SAME: %[[SFB:[a-z0-9]+]]: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>}
// CHECK-SAME: %[[D:[a-z0-9]+]]: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>}
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}, %[[N:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<n>}, %[[K:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<k>}, %[[L:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<l>})
// CHECK-SAME: grid = #bsmm.grid<persistent>, level = #bsmm.level<tile>, tile = #bsmm.tile<m = 128, n = 128, k = 256>
// CHECK: gpu.block_id x
// CHECK: gpu.grid_dim x
// CHECK: scf.for
// CHECK: bsmm.grouped_order %{{.*}} of %{{.*}}, %{{.*}} group 4
// CHECK: arith.ceildivui %[[K]], %c256_i32
// CHECK: arith.ceildivui %[[K]], %c16_i32
// CHECK: scf.for {{.*}} -> (tensor<128x128xf32>)
// CHECK: bsmm.tma_load %[[A]]
// CHECK: bsmm.tma_load %[[B]]
// CHECK: bsmm.trans %{{.*}} [1, 0] : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>
// CHECK: bsmm.tma_load %[[SFA]]
// CHECK: bsmm.trans %{{.*}} [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
// CHECK: bsmm.tma_load %[[SFB]]
// CHECK-NOT: bsmm.extract_rows
// CHECK: bsmm.scaled_dot {{.*}} limit_k(%{{.*}})
// CHECK: arith.truncf %{{.*}} : tensor<128x128xf32> to tensor<128x128xf16>
// CHECK: bsmm.tma_store %{{.*}}, %[[D]]
// CHECK: bsmm.return

// 192 columns: two rows of scale tiles, of which some rows are taken.
// N192-LABEL: bsmm.kernel @gemm
// N192-SAME: !bsmm.tensor_map<1x192x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>}
// N192-SAME: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>}
// N192-SAME: !bsmm.tensor_map<1x128x192xf16> {bsmm.role = #bsmm.role<d>}
// N192-SAME: tile = #bsmm.tile<m = 128, n = 192, k = 256>
// N192: bsmm.grouped_order %{{.*}} of %{{.*}}, %{{.*}} group 8
// N192: %[[HALF:.+]] = arith.remui %{{.*}}, %{{.*}} : i32
// N192: bsmm.extract_rows %{{.*}}[%[[HALF]]] : tensor<256x16xf8E4M3FN> to tensor<192x16xf8E4M3FN>
// N192: {bsmm.stages = 3 : i64}

// One CTA a tile, stores element by element: D is a pointer with strides.
// PREDICATED-LABEL: bsmm.kernel @gemm
// PREDICATED-SAME: %[[D:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>}
// PREDICATED-SAME: %[[PITCH:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<pitch_d>}, %[[STRIDE:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<batch_stride_d>})
// PREDICATED-SAME: grid = #bsmm.grid<tile>
// PREDICATED-NOT: gpu.grid_dim
// PREDICATED: bsmm.predicated_store %{{.*}}, %[[D]][%{{.*}}, %{{.*}}, %{{.*}}] limits[%{{.*}}, %{{.*}}] strides[%[[STRIDE]], %[[PITCH]]]
func.func @gemm(%a: tensor<1x256x1024xf4E2M1FN>,
                %sfa: tensor<32x4x2x4x16x1xf8E4M3FN>,
                %b: tensor<1x512x1024xf4E2M1FN>,
                %sfb: tensor<1x4x16x2x256xf8E4M3FN>,
                %c: tensor<1x256x512xf16>) -> tensor<1x256x512xf16> {
  %sa = bsmm.view_scales %sfa memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN> to tensor<1x256x64xf8E4M3FN, #sf>
  %sb = bsmm.view_scales %sfb memory_order [0, 1, 2, 3, 4]
      : tensor<1x4x16x2x256xf8E4M3FN> to tensor<1x512x64xf8E4M3FN, #sf>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<1x256x1024xf4E2M1FN>,
          tensor<1x256x64xf8E4M3FN, #sf>, tensor<1x512x1024xf4E2M1FN>,
          tensor<1x512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<1x256x512xf16>) -> tensor<1x256x512xf16>
  return %d : tensor<1x256x512xf16>
}

// alpha, then the activation, then the scale of the output, then the cast. NaN
// passes through relu.
// CHECK-LABEL: bsmm.kernel @epilogue
// CHECK-SAME: %[[ALPHA:[a-z0-9]+]]: f32 {bsmm.role = #bsmm.role<alpha>}, %[[SCALE:[a-z0-9]+]]: f32 {bsmm.role = #bsmm.role<out_scale>})
// CHECK: %[[ACC:.+]] = scf.for {{.*}} -> (tensor<128x128xf32>)
// CHECK: %[[ALPHAS:.+]] = tensor.splat %[[ALPHA]]
// CHECK: %[[P:.+]] = arith.mulf %[[ALPHAS]], %[[ACC]]
// CHECK: %[[KEPT:.+]] = arith.cmpf ugt, %[[P]], %[[ZERO:.+]] :
// CHECK: %[[R:.+]] = arith.select %[[KEPT]], %[[P]], %[[ZERO]]
// CHECK: %[[SCALES:.+]] = tensor.splat %[[SCALE]]
// CHECK: %[[Q:.+]] = arith.mulf %[[R]], %[[SCALES]]
// CHECK: arith.truncf %[[Q]] : tensor<128x128xf32> to tensor<128x128xbf16>
func.func @epilogue(%a: tensor<?x?xf4E2M1FN>,
                    %sa: tensor<?x?xf8E4M3FN, #sf>,
                    %b: tensor<?x?xf4E2M1FN>,
                    %sb: tensor<?x?xf8E4M3FN, #sf>,
                    %c: tensor<?x?xbf16>, %alpha: f32, %scale: f32)
    -> tensor<?x?xbf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x?xf4E2M1FN>,
          tensor<?x?xf8E4M3FN, #sf>, tensor<?x?xf4E2M1FN>,
          tensor<?x?xf8E4M3FN, #sf>)
      outs(%c : tensor<?x?xbf16>) alpha(%alpha) out_scale(%scale)
      {activation = #bsmm.activation<relu>} -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}
