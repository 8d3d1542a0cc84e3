// RUN: bsmm-opt %s --canonicalize | FileCheck %s

#blocked = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>

// CHECK-LABEL: func.func @reshape_to_same
// CHECK-SAME: (%[[ARG:.+]]: tensor<4x4xf16>)
// CHECK-NEXT: return %[[ARG]]
func.func @reshape_to_same(%0: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}

// CHECK-LABEL: func.func @reshape_of_reshape
// CHECK-SAME: (%[[ARG:.+]]: tensor<4x4xf16>)
// CHECK-NEXT: %[[R:.+]] = bsmm.reshape %[[ARG]] : tensor<4x4xf16> to tensor<2x8xf16>
// CHECK-NEXT: return %[[R]]
func.func @reshape_of_reshape(%0: tensor<4x4xf16>) -> tensor<2x8xf16> {
  %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<16xf16>
  %2 = bsmm.reshape %1 : tensor<16xf16> to tensor<8x2xf16>
  %3 = bsmm.reshape %2 : tensor<8x2xf16> to tensor<2x8xf16>
  return %3 : tensor<2x8xf16>
}

// CHECK-LABEL: func.func @reshape_there_and_back
// CHECK-SAME: (%[[ARG:.+]]: tensor<4x4xf16>)
// CHECK-NEXT: return %[[ARG]]
func.func @reshape_there_and_back(%0: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<16xf16>
  %2 = bsmm.reshape %1 : tensor<16xf16> to tensor<4x4xf16>
  return %2 : tensor<4x4xf16>
}

// A reshape with another use stays for that use.
// CHECK-LABEL: func.func @reshape_with_two_uses
// CHECK-SAME: (%[[ARG:.+]]: tensor<4x4xf16>)
// CHECK-DAG: %[[A:.+]] = bsmm.reshape %[[ARG]] : tensor<4x4xf16> to tensor<16xf16>
// CHECK-DAG: %[[B:.+]] = bsmm.reshape %[[ARG]] : tensor<4x4xf16> to tensor<2x8xf16>
// CHECK: return %[[A]], %[[B]]
func.func @reshape_with_two_uses(%0: tensor<4x4xf16>)
    -> (tensor<16xf16>, tensor<2x8xf16>) {
  %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<16xf16>
  %2 = bsmm.reshape %1 : tensor<16xf16> to tensor<2x8xf16>
  return %1, %2 : tensor<16xf16>, tensor<2x8xf16>
}

// CHECK-LABEL: func.func @identity_trans
// CHECK-SAME: (%[[ARG:.+]]: tensor<2x3x4xf16>)
// CHECK-NEXT: return %[[ARG]]
func.func @identity_trans(%0: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %1 = bsmm.trans %0 [0, 1, 2] : tensor<2x3x4xf16> to tensor<2x3x4xf16>
  return %1 : tensor<2x3x4xf16>
}

// Result dimension 0 is dimension 1 of the middle tile, which is dimension 2
// of the source.
// CHECK-LABEL: func.func @trans_of_trans
// CHECK-SAME: (%[[ARG:.+]]: tensor<2x3x4xf16>)
// CHECK-NEXT: %[[T:.+]] = bsmm.trans %[[ARG]] [2, 0, 1] : tensor<2x3x4xf16> to tensor<4x2x3xf16>
// CHECK-NEXT: return %[[T]]
func.func @trans_of_trans(%0: tensor<2x3x4xf16>) -> tensor<4x2x3xf16> {
  %1 = bsmm.trans %0 [1, 2, 0] : tensor<2x3x4xf16> to tensor<3x4x2xf16>
  %2 = bsmm.trans %1 [1, 2, 0] : tensor<3x4x2xf16> to tensor<4x2x3xf16>
  return %2 : tensor<4x2x3xf16>
}

// CHECK-LABEL: func.func @trans_there_and_back
// CHECK-SAME: (%[[ARG:.+]]: tensor<2x3x4xf16>)
// CHECK-NEXT: return %[[ARG]]
func.func @trans_there_and_back(%0: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %1 = bsmm.trans %0 [1, 2, 0] : tensor<2x3x4xf16> to tensor<3x4x2xf16>
  %2 = bsmm.trans %1 [2, 0, 1] : tensor<3x4x2xf16> to tensor<2x3x4xf16>
  return %2 : tensor<2x3x4xf16>
}

// Exchanging dimensions of the same extent moves elements: no identity.
// CHECK-LABEL: func.func @square_trans
// CHECK: bsmm.trans %{{.*}} [1, 0]
func.func @square_trans(%0: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %1 = bsmm.trans %0 [1, 0] : tensor<4x4xf16> to tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}

// A transpose between reshapes keeps them apart.
// CHECK-LABEL: func.func @reshape_trans_reshape
// CHECK: bsmm.reshape
// CHECK: bsmm.trans %{{.*}} [0, 3, 2, 1, 4]
// CHECK: bsmm.reshape
func.func @reshape_trans_reshape(%0: tensor<1x1x4x2x256xf8E4M3FN>)
    -> tensor<128x16xf8E4M3FN> {
  %1 = bsmm.reshape %0 : tensor<1x1x4x2x256xf8E4M3FN>
      to tensor<1x4x32x4x4xf8E4M3FN>
  %2 = bsmm.trans %1 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
      to tensor<1x4x32x4x4xf8E4M3FN>
  %3 = bsmm.reshape %2 : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
  return %3 : tensor<128x16xf8E4M3FN>
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

// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%0: tensor<32x4x2x4x16x1xf8E4M3FN>, %i: i32,
                  %t: tensor<4x4xf16>, %a: !bsmm.tensor_map<16xf16>) {
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN> to tensor<1x256x64xf8E4M3FN, #blocked>
  %2 = bsmm.extract_rows %t[%i] : tensor<4x4xf16> to tensor<2x4xf16>
  %m, %n = bsmm.grouped_order %i of %i, %i group 4
  %l = bsmm.tma_load %a[%i] : !bsmm.tensor_map<16xf16> -> tensor<16xf16>
  return
}

// Memory operations stay.
// CHECK-LABEL: func.func @stores_stay
// CHECK-NEXT: bsmm.tma_store
// CHECK-NEXT: bsmm.predicated_store
func.func @stores_stay(%t: tensor<1x1x16xf16>, %p: !llvm.ptr<1>,
                       %d: !bsmm.tensor_map<1x1x16xf16>, %i: i32, %s: i64) {
  bsmm.tma_store %t, %d[%i, %i, %i]
      : tensor<1x1x16xf16>, !bsmm.tensor_map<1x1x16xf16>
  bsmm.predicated_store %t, %p[%i, %i, %i] limits [%i, %i] strides [%s, %s]
      : tensor<1x1x16xf16>
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
