// RUN: bsmm-opt %s --canonicalize | FileCheck %s

#blocked = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>

gpu.module @tile_level {
  // CHECK-LABEL: bsmm.kernel @reshape_to_same
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.tma_store %[[TILE]]
  bsmm.kernel @reshape_to_same(%a: !bsmm.tensor_map<4x8xf16>,
      %d: !bsmm.tensor_map<4x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<4x8xf16> -> tensor<4x8xf16>
    %1 = bsmm.reshape %0 : tensor<4x8xf16> to tensor<4x8xf16>
    bsmm.tma_store %1, %d[%i, %i] : tensor<4x8xf16>, !bsmm.tensor_map<4x8xf16>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @reshape_of_reshape
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: %[[R:.+]] = bsmm.reshape %[[TILE]] : tensor<4x8xf16> to tensor<2x16xf16>
  // CHECK-NEXT: bsmm.tma_store %[[R]]
  bsmm.kernel @reshape_of_reshape(%a: !bsmm.tensor_map<4x8xf16>,
      %d: !bsmm.tensor_map<2x16xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<4x8xf16> -> tensor<4x8xf16>
    %1 = bsmm.reshape %0 : tensor<4x8xf16> to tensor<32xf16>
    %2 = bsmm.reshape %1 : tensor<32xf16> to tensor<8x4xf16>
    %3 = bsmm.reshape %2 : tensor<8x4xf16> to tensor<2x16xf16>
    bsmm.tma_store %3, %d[%i, %i] : tensor<2x16xf16>, !bsmm.tensor_map<2x16xf16>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @reshape_there_and_back
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.tma_store %[[TILE]]
  bsmm.kernel @reshape_there_and_back(%a: !bsmm.tensor_map<4x8xf16>,
      %d: !bsmm.tensor_map<4x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<4x8xf16> -> tensor<4x8xf16>
    %1 = bsmm.reshape %0 : tensor<4x8xf16> to tensor<32xf16>
    %2 = bsmm.reshape %1 : tensor<32xf16> to tensor<4x8xf16>
    bsmm.tma_store %2, %d[%i, %i] : tensor<4x8xf16>, !bsmm.tensor_map<4x8xf16>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @identity_trans
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.tma_store %[[TILE]]
  bsmm.kernel @identity_trans(%a: !bsmm.tensor_map<2x3x8xf16>,
      %d: !bsmm.tensor_map<2x3x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i, %i] : !bsmm.tensor_map<2x3x8xf16> -> tensor<2x3x8xf16>
    %1 = bsmm.trans %0 [0, 1, 2] : tensor<2x3x8xf16> to tensor<2x3x8xf16>
    bsmm.tma_store %1, %d[%i, %i, %i] : tensor<2x3x8xf16>, !bsmm.tensor_map<2x3x8xf16>
    bsmm.return
  }

  // Result dimension 0 is dimension 1 of the middle tile, which is dimension 2
  // of the source.
  // CHECK-LABEL: bsmm.kernel @trans_of_trans
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: %[[T:.+]] = bsmm.trans %[[TILE]] [2, 0, 1] : tensor<2x8x16xf16> to tensor<16x2x8xf16>
  // CHECK-NEXT: bsmm.tma_store %[[T]]
  bsmm.kernel @trans_of_trans(%a: !bsmm.tensor_map<2x8x16xf16>,
      %d: !bsmm.tensor_map<16x2x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i, %i] : !bsmm.tensor_map<2x8x16xf16> -> tensor<2x8x16xf16>
    %1 = bsmm.trans %0 [1, 2, 0] : tensor<2x8x16xf16> to tensor<8x16x2xf16>
    %2 = bsmm.trans %1 [1, 2, 0] : tensor<8x16x2xf16> to tensor<16x2x8xf16>
    bsmm.tma_store %2, %d[%i, %i, %i] : tensor<16x2x8xf16>, !bsmm.tensor_map<16x2x8xf16>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @trans_there_and_back
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.tma_store %[[TILE]]
  bsmm.kernel @trans_there_and_back(%a: !bsmm.tensor_map<2x3x8xf16>,
      %d: !bsmm.tensor_map<2x3x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i, %i] : !bsmm.tensor_map<2x3x8xf16> -> tensor<2x3x8xf16>
    %1 = bsmm.trans %0 [1, 2, 0] : tensor<2x3x8xf16> to tensor<3x8x2xf16>
    %2 = bsmm.trans %1 [2, 0, 1] : tensor<3x8x2xf16> to tensor<2x3x8xf16>
    bsmm.tma_store %2, %d[%i, %i, %i] : tensor<2x3x8xf16>, !bsmm.tensor_map<2x3x8xf16>
    bsmm.return
  }

  // Exchanging dimensions of the same extent moves elements: no identity.
  // CHECK-LABEL: bsmm.kernel @square_trans
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.trans %[[TILE]] [1, 0]
  bsmm.kernel @square_trans(%a: !bsmm.tensor_map<8x8xf16>,
      %d: !bsmm.tensor_map<8x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<8x8xf16> -> tensor<8x8xf16>
    %1 = bsmm.trans %0 [1, 0] : tensor<8x8xf16> to tensor<8x8xf16>
    bsmm.tma_store %1, %d[%i, %i] : tensor<8x8xf16>, !bsmm.tensor_map<8x8xf16>
    bsmm.return
  }

  // A transpose between reshapes keeps them apart.
  // CHECK-LABEL: bsmm.kernel @reshape_trans_reshape
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.reshape
  // CHECK-NEXT: bsmm.trans %{{.*}} [0, 3, 2, 1, 4]
  // CHECK-NEXT: bsmm.reshape
  bsmm.kernel @reshape_trans_reshape(%a: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %d: !bsmm.tensor_map<128x16xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i, %i, %i, %i] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %1 = bsmm.reshape %0 : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
    %2 = bsmm.trans %1 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
    %3 = bsmm.reshape %2 : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
    bsmm.tma_store %3, %d[%i, %i] : tensor<128x16xf8E4M3FN>, !bsmm.tensor_map<128x16xf8E4M3FN>
    bsmm.return
  }

  // All rows: no offset but 0 is inside of the tile.
  // CHECK-LABEL: bsmm.kernel @extract_all_rows
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.tma_store %[[TILE]]
  bsmm.kernel @extract_all_rows(%a: !bsmm.tensor_map<8x8xf16>,
      %d: !bsmm.tensor_map<8x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<8x8xf16> -> tensor<8x8xf16>
    %1 = bsmm.extract_rows %0[%i] : tensor<8x8xf16> to tensor<8x8xf16>
    bsmm.tma_store %1, %d[%i, %i] : tensor<8x8xf16>, !bsmm.tensor_map<8x8xf16>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @extract_all_columns
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.tma_store %[[TILE]]
  bsmm.kernel @extract_all_columns(%a: !bsmm.tensor_map<8x8xf16>,
      %d: !bsmm.tensor_map<8x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<8x8xf16> -> tensor<8x8xf16>
    %1 = bsmm.extract_columns %0[%i] : tensor<8x8xf16> to tensor<8x8xf16>
    bsmm.tma_store %1, %d[%i, %i] : tensor<8x8xf16>, !bsmm.tensor_map<8x8xf16>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @extract_some_rows
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-NEXT: bsmm.extract_rows
  bsmm.kernel @extract_some_rows(%a: !bsmm.tensor_map<8x8xf16>,
      %d: !bsmm.tensor_map<4x8xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<8x8xf16> -> tensor<8x8xf16>
    %1 = bsmm.extract_rows %0[%i] : tensor<8x8xf16> to tensor<4x8xf16>
    bsmm.tma_store %1, %d[%i, %i] : tensor<4x8xf16>, !bsmm.tensor_map<4x8xf16>
    bsmm.return
  }

  // A reshape with another use stays for that use.
  // CHECK-LABEL: bsmm.kernel @reshape_with_two_uses
  // CHECK: %[[TILE:.+]] = bsmm.tma_load
  // CHECK-DAG: bsmm.reshape %[[TILE]] : tensor<4x8xf16> to tensor<32xf16>
  // CHECK-DAG: bsmm.reshape %[[TILE]] : tensor<4x8xf16> to tensor<2x16xf16>
  bsmm.kernel @reshape_with_two_uses(%a: !bsmm.tensor_map<4x8xf16>,
      %d: !bsmm.tensor_map<32xf16>, %e: !bsmm.tensor_map<2x16xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<4x8xf16> -> tensor<4x8xf16>
    %1 = bsmm.reshape %0 : tensor<4x8xf16> to tensor<32xf16>
    %2 = bsmm.reshape %1 : tensor<32xf16> to tensor<2x16xf16>
    bsmm.tma_store %1, %d[%i] : tensor<32xf16>, !bsmm.tensor_map<32xf16>
    bsmm.tma_store %2, %e[%i, %i]
        : tensor<2x16xf16>, !bsmm.tensor_map<2x16xf16>
    bsmm.return
  }

  // What nobody uses goes; stores stay.
  // CHECK-LABEL: bsmm.kernel @unused
  // CHECK-NOT: bsmm.tma_load
  // CHECK-NOT: bsmm.extract_rows
  // CHECK-NOT: bsmm.grouped_order
  // CHECK-NOT: bsmm.scaled_dot
  // CHECK: bsmm.tma_store
  // CHECK-NEXT: bsmm.predicated_store
  // CHECK-NEXT: bsmm.return
  bsmm.kernel @unused(%a: !bsmm.tensor_map<1x8x8xf16>, %p: !llvm.ptr<1>,
                      %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<1.0> : tensor<1x8x8xf16>
    %0 = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x8x8xf16> -> tensor<1x8x8xf16>
    %1 = bsmm.reshape %0 : tensor<1x8x8xf16> to tensor<8x8xf16>
    %2 = bsmm.extract_rows %1[%i] : tensor<8x8xf16> to tensor<4x8xf16>
    %m, %n = bsmm.grouped_order %i of %i, %i group 4
    %o = arith.constant dense<1.0> : tensor<16x64xf4E2M1FN>
    %b = bsmm.trans %o [1, 0] : tensor<16x64xf4E2M1FN> to tensor<64x16xf4E2M1FN>
    %f = arith.constant dense<1.0> : tensor<16x4xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<16x16xf32>
    %d = bsmm.scaled_dot %o scales %f, %b scales %f, %c
        : tensor<16x64xf4E2M1FN>, tensor<16x4xf8E4M3FN>,
          tensor<64x16xf4E2M1FN>, tensor<16x4xf8E4M3FN>, tensor<16x16xf32>
    bsmm.tma_store %t, %a[%i, %i, %i]
        : tensor<1x8x8xf16>, !bsmm.tensor_map<1x8x8xf16>
    bsmm.predicated_store %t, %p[%i, %i, %i] limits [%i, %i] strides [%s, %s]
        : tensor<1x8x8xf16>
    bsmm.return
  }
}

// CHECK-LABEL: func.func @unpack_of_pack
// CHECK-SAME: (%[[ARG:[a-z0-9]+]]:
// CHECK-NEXT: return %[[ARG]]
func.func @unpack_of_pack(%0: tensor<100x63xf8E4M3FN, #linear>)
    -> tensor<100x63xf8E4M3FN, #linear> {
  %1 = bsmm.pack_scales %0 : tensor<100x63xf8E4M3FN, #linear>
      to tensor<100x63xf8E4M3FN, #blocked>
  %2 = bsmm.unpack_scales %1 : tensor<100x63xf8E4M3FN, #blocked>
      to tensor<100x63xf8E4M3FN, #linear>
  return %2 : tensor<100x63xf8E4M3FN, #linear>
}

// CHECK-LABEL: func.func @pack_of_unpack
// CHECK-SAME: (%[[ARG:[a-z0-9]+]]:
// CHECK-NEXT: return %[[ARG]]
func.func @pack_of_unpack(%0: tensor<100x63xf8E4M3FN, #blocked>)
    -> tensor<100x63xf8E4M3FN, #blocked> {
  %1 = bsmm.unpack_scales %0 : tensor<100x63xf8E4M3FN, #blocked>
      to tensor<100x63xf8E4M3FN, #linear>
  %2 = bsmm.pack_scales %1 : tensor<100x63xf8E4M3FN, #linear>
      to tensor<100x63xf8E4M3FN, #blocked>
  return %2 : tensor<100x63xf8E4M3FN, #blocked>
}

// CHECK-LABEL: func.func @unused_view
// CHECK-NEXT: return
func.func @unused_view(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN> to tensor<1x256x64xf8E4M3FN, #blocked>
  return
}

// beta = 0 means that C is not read; alpha = 1 and out_scale = 1 change
// nothing.
// CHECK-LABEL: func.func @neutral_factors
// CHECK: bsmm.scaled_matmul
// CHECK-NOT: alpha
// CHECK-NOT: beta
// CHECK-NOT: out_scale
// CHECK: return
func.func @neutral_factors(
    %a: tensor<16x16xf4E2M1FN>, %sa: tensor<16x1xf8E4M3FN, #linear>,
    %b: tensor<32x16xf4E2M1FN>, %sb: tensor<32x1xf8E4M3FN, #linear>,
    %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<16x16xf4E2M1FN>,
          tensor<16x1xf8E4M3FN, #linear>, tensor<32x16xf4E2M1FN>,
          tensor<32x1xf8E4M3FN, #linear>)
      outs(%c : tensor<16x32xf32>) alpha(%one) beta(%zero) out_scale(%one)
      -> tensor<16x32xf32>
  return %d : tensor<16x32xf32>
}

// -0 is zero too.
// CHECK-LABEL: func.func @negative_zero_beta
// CHECK: bsmm.scaled_matmul
// CHECK-NOT: beta
// CHECK: return
func.func @negative_zero_beta(
    %a: tensor<16x16xf4E2M1FN>, %sa: tensor<16x1xf8E4M3FN, #linear>,
    %b: tensor<32x16xf4E2M1FN>, %sb: tensor<32x1xf8E4M3FN, #linear>,
    %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant -0.0 : f32
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<16x16xf4E2M1FN>,
          tensor<16x1xf8E4M3FN, #linear>, tensor<32x16xf4E2M1FN>,
          tensor<32x1xf8E4M3FN, #linear>)
      outs(%c : tensor<16x32xf32>) beta(%zero) -> tensor<16x32xf32>
  return %d : tensor<16x32xf32>
}

// Factors that do something stay, and so do the other operands.
// CHECK-LABEL: func.func @factors_stay
// CHECK: bsmm.scaled_matmul
// CHECK-SAME: alpha(%{{.*}}) beta(%{{.*}}) bias(%{{.*}} : tensor<32xf32>) out_scale(%{{.*}})
func.func @factors_stay(
    %a: tensor<16x16xf4E2M1FN>, %sa: tensor<16x1xf8E4M3FN, #linear>,
    %b: tensor<32x16xf4E2M1FN>, %sb: tensor<32x1xf8E4M3FN, #linear>,
    %c: tensor<16x32xf32>, %bias: tensor<32xf32>, %scale: f32)
    -> tensor<16x32xf32> {
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<16x16xf4E2M1FN>,
          tensor<16x1xf8E4M3FN, #linear>, tensor<32x16xf4E2M1FN>,
          tensor<32x1xf8E4M3FN, #linear>)
      outs(%c : tensor<16x32xf32>) alpha(%two) beta(%one)
      bias(%bias : tensor<32xf32>) out_scale(%scale) -> tensor<16x32xf32>
  return %d : tensor<16x32xf32>
}

// Operands keep their places when the ones in front of them go.
// CHECK-LABEL: func.func @only_alpha_goes
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<32xf32>, %[[SCALE:[a-z0-9]+]]: f32)
// CHECK: bsmm.scaled_matmul
// CHECK-NOT: alpha
// CHECK-SAME: bias(%[[BIAS]] : tensor<32xf32>) out_scale(%[[SCALE]])
func.func @only_alpha_goes(
    %a: tensor<16x16xf4E2M1FN>, %sa: tensor<16x1xf8E4M3FN, #linear>,
    %b: tensor<32x16xf4E2M1FN>, %sb: tensor<32x1xf8E4M3FN, #linear>,
    %c: tensor<16x32xf32>, %bias: tensor<32xf32>, %scale: f32)
    -> tensor<16x32xf32> {
  %one = arith.constant 1.0 : f32
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<16x16xf4E2M1FN>,
          tensor<16x1xf8E4M3FN, #linear>, tensor<32x16xf4E2M1FN>,
          tensor<32x1xf8E4M3FN, #linear>)
      outs(%c : tensor<16x32xf32>) alpha(%one)
      bias(%bias : tensor<32xf32>) out_scale(%scale) -> tensor<16x32xf32>
  return %d : tensor<16x32xf32>
}
