// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --mlir-print-op-generic %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

#blocked16 = #bsmm.scales<blocked_128x4, vec = 16>
#blocked32 = #bsmm.scales<blocked_128x4, vec = 32>
#linear16 = #bsmm.scales<linear, vec = 16>

// CHECK-LABEL: func.func @nvfp4
func.func @nvfp4(
    %a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #blocked16>,
    %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #blocked16>,
    %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  // CHECK: bsmm.scaled_matmul
  // CHECK-SAME: ins(%{{.*}} scales %{{.*}}, %{{.*}} scales %{{.*}} : tensor<128x1024xf4E2M1FN>, tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>, tensor<512x1024xf4E2M1FN>, tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
  // CHECK-SAME: outs(%{{.*}} : tensor<128x512xf16>) -> tensor<128x512xf16>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #blocked16>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #blocked16>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}

// Every part of the epilogue, a batch, and a K that is no multiple of the
// vector size.
// CHECK-LABEL: func.func @epilogue
func.func @epilogue(
    %a: tensor<3x128x1000xf8E4M3FN>, %sa: tensor<3x128x32xf8E8M0FNU, #blocked32>,
    %b: tensor<3x512x1000xf8E5M2>, %sb: tensor<3x512x32xf8E8M0FNU, #blocked32>,
    %c: tensor<3x128x512xbf16>, %alpha: f32, %beta: f32, %bias: tensor<512xf32>,
    %scale: f32) -> tensor<3x128x512xbf16> {
  // CHECK: bsmm.scaled_matmul
  // CHECK-SAME: alpha(%{{.*}}) beta(%{{.*}}) bias(%{{.*}} : tensor<512xf32>) out_scale(%{{.*}})
  // CHECK-SAME: activation = #bsmm.activation<relu>
  // CHECK-SAME: numerics = #bsmm.numerics<accumulate = f32, promote_every = 128, contract = true, overflow = saturate>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<3x128x1000xf8E4M3FN>,
          tensor<3x128x32xf8E8M0FNU, #blocked32>, tensor<3x512x1000xf8E5M2>,
          tensor<3x512x32xf8E8M0FNU, #blocked32>)
      outs(%c : tensor<3x128x512xbf16>)
      alpha(%alpha) beta(%beta) bias(%bias : tensor<512xf32>) out_scale(%scale)
      {activation = #bsmm.activation<relu>,
       numerics = #bsmm.numerics<accumulate = f32, promote_every = 128,
                                 contract = true, overflow = saturate>}
      -> tensor<3x128x512xbf16>
  return %d : tensor<3x128x512xbf16>
}

// A single scale is a scale, not its absence.
// CHECK-LABEL: func.func @one_scale
func.func @one_scale(
    %a: tensor<16x16xf4E2M1FN>, %sa: tensor<16x1xf8E4M3FN, #linear16>,
    %b: tensor<32x16xf4E2M1FN>, %sb: tensor<32x1xf8E4M3FN, #linear16>,
    %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // CHECK: bsmm.scaled_matmul
  // CHECK-SAME: tensor<16x1xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<16x16xf4E2M1FN>,
          tensor<16x1xf8E4M3FN, #linear16>, tensor<32x16xf4E2M1FN>,
          tensor<32x1xf8E4M3FN, #linear16>)
      outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %d : tensor<16x32xf32>
}

// ue8m0 scales with vectors of 16 are a legal form of mxf4nvf4.
// CHECK-LABEL: func.func @ue8m0_vector_16
func.func @ue8m0_vector_16(
    %a: tensor<128x128xf4E2M1FN>, %sa: tensor<128x8xf8E8M0FNU, #blocked16>,
    %b: tensor<128x128xf4E2M1FN>, %sb: tensor<128x8xf8E8M0FNU, #blocked16>,
    %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // CHECK: bsmm.scaled_matmul
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x128xf4E2M1FN>,
          tensor<128x8xf8E8M0FNU, #blocked16>, tensor<128x128xf4E2M1FN>,
          tensor<128x8xf8E8M0FNU, #blocked16>)
      outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(
    %a: tensor<?x?x?xf4E2M1FN>, %sa: tensor<?x?x?xf8E4M3FN, #blocked16>,
    %b: tensor<?x?x?xf4E2M1FN>, %sb: tensor<?x?x?xf8E4M3FN, #blocked16>,
    %c: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  // CHECK: bsmm.scaled_matmul
  // CHECK-SAME: activation = #bsmm.activation<silu>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked16>, tensor<?x?x?xf4E2M1FN>,
          tensor<?x?x?xf8E4M3FN, #blocked16>)
      outs(%c : tensor<?x?x?xf16>) {activation = #bsmm.activation<silu>}
      -> tensor<?x?x?xf16>
  return %d : tensor<?x?x?xf16>
}

// CHECK-LABEL: func.func @reorder
func.func @reorder(%0: tensor<100x63xf8E4M3FN, #linear16>)
    -> tensor<100x63xf8E4M3FN, #linear16> {
  // CHECK: bsmm.pack_scales %{{.*}} : tensor<100x63xf8E4M3FN, #bsmm.scales<linear, vec = 16>> to tensor<100x63xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  %1 = bsmm.pack_scales %0 : tensor<100x63xf8E4M3FN, #linear16>
      to tensor<100x63xf8E4M3FN, #blocked16>
  // CHECK: bsmm.unpack_scales %{{.*}} : tensor<100x63xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>> to tensor<100x63xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
  %2 = bsmm.unpack_scales %1 : tensor<100x63xf8E4M3FN, #blocked16>
      to tensor<100x63xf8E4M3FN, #linear16>
  return %2 : tensor<100x63xf8E4M3FN, #linear16>
}

// The user's 6-D view, the 5-D view of the TMA unit, and views of scales whose
// rows and groups are padded to whole tiles.
// CHECK-LABEL: func.func @views
func.func @views(
    %user: tensor<32x4x2x4x16x1xf8E4M3FN>, %tma: tensor<3x2x16x2x256xf8E4M3FN>,
    %padded: tensor<32x4x3x4x12x1xf8E4M3FN>, %dynamic: tensor<32x4x?x4x?x?xf8E4M3FN>)
    -> (tensor<1x256x64xf8E4M3FN, #blocked16>,
        tensor<3x256x64xf8E4M3FN, #blocked16>,
        tensor<320x45xf8E4M3FN, #blocked16>,
        tensor<?x?x?xf8E4M3FN, #blocked16>) {
  // CHECK: bsmm.view_scales %{{.*}} memory_order [5, 2, 4, 0, 1, 3] : tensor<32x4x2x4x16x1xf8E4M3FN> to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  %0 = bsmm.view_scales %user memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #blocked16>
  // CHECK: bsmm.view_scales %{{.*}} memory_order [0, 1, 2, 3, 4] : tensor<3x2x16x2x256xf8E4M3FN> to tensor<3x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  %1 = bsmm.view_scales %tma memory_order [0, 1, 2, 3, 4]
      : tensor<3x2x16x2x256xf8E4M3FN>
      to tensor<3x256x64xf8E4M3FN, #blocked16>
  // CHECK: tensor<32x4x3x4x12x1xf8E4M3FN> to tensor<320x45xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  %2 = bsmm.view_scales %padded memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x3x4x12x1xf8E4M3FN>
      to tensor<320x45xf8E4M3FN, #blocked16>
  // CHECK: tensor<32x4x?x4x?x?xf8E4M3FN> to tensor<?x?x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  %3 = bsmm.view_scales %dynamic memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x?x4x?x?xf8E4M3FN>
      to tensor<?x?x?xf8E4M3FN, #blocked16>
  return %0, %1, %2, %3
      : tensor<1x256x64xf8E4M3FN, #blocked16>,
        tensor<3x256x64xf8E4M3FN, #blocked16>,
        tensor<320x45xf8E4M3FN, #blocked16>,
        tensor<?x?x?xf8E4M3FN, #blocked16>
}

// Dimensions of extent 1 have no place in memory of their own: the order of
// the batch does not matter when there is one.
// CHECK-LABEL: func.func @view_order_of_unit_dimension
func.func @view_order_of_unit_dimension(%0: tensor<32x4x2x4x16x1xf8E8M0FNU>)
    -> tensor<256x64xf8E8M0FNU, #blocked32> {
  // CHECK: bsmm.view_scales %{{.*}} memory_order [2, 4, 0, 1, 3, 5]
  %1 = bsmm.view_scales %0 memory_order [2, 4, 0, 1, 3, 5]
      : tensor<32x4x2x4x16x1xf8E8M0FNU>
      to tensor<256x64xf8E8M0FNU, #blocked32>
  return %1 : tensor<256x64xf8E8M0FNU, #blocked32>
}

// Without block scales, with row scales of every extent, and row scales beside
// block scales.
// CHECK-LABEL: func.func @row_scales
func.func @row_scales(
    %a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E5M2>,
    %c: tensor<128x512xbf16>, %ra: tensor<128xf32>, %rb: tensor<512xf32>,
    %one: tensor<1xf32>, %any: tensor<?xf32>) -> tensor<128x512xbf16> {
  // CHECK: bsmm.scaled_matmul ins(%{{.*}}, %{{[^ ]*}} : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E5M2>) outs(%{{.*}} : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E5M2>)
      outs(%c : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  // CHECK: outs(%{{.*}} : tensor<128x512xbf16>) row_scale_a(%{{.*}} : tensor<128xf32>) row_scale_b(%{{.*}} : tensor<512xf32>) ->
  %1 = bsmm.scaled_matmul
      ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E5M2>)
      outs(%c : tensor<128x512xbf16>)
      row_scale_a(%ra : tensor<128xf32>) row_scale_b(%rb : tensor<512xf32>)
      -> tensor<128x512xbf16>
  // CHECK: row_scale_b(%{{.*}} : tensor<1xf32>) ->
  %2 = bsmm.scaled_matmul
      ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E5M2>)
      outs(%c : tensor<128x512xbf16>) row_scale_b(%one : tensor<1xf32>)
      -> tensor<128x512xbf16>
  // CHECK: row_scale_a(%{{.*}} : tensor<?xf32>) ->
  %3 = bsmm.scaled_matmul
      ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E5M2>)
      outs(%c : tensor<128x512xbf16>) row_scale_a(%any : tensor<?xf32>)
      -> tensor<128x512xbf16>
  return %3 : tensor<128x512xbf16>
}

// CHECK-LABEL: func.func @row_and_block_scales
func.func @row_and_block_scales(
    %a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #blocked16>,
    %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #blocked16>,
    %c: tensor<128x512xf16>, %ra: tensor<128xf32>, %alpha: f32)
    -> tensor<128x512xf16> {
  // CHECK: bsmm.scaled_matmul ins(%{{[a-z0-9]+}} scales
  // CHECK-SAME: row_scale_a(%{{.*}} : tensor<128xf32>) alpha(%{{.*}})
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #blocked16>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #blocked16>)
      outs(%c : tensor<128x512xf16>) row_scale_a(%ra : tensor<128xf32>)
      alpha(%alpha) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}
