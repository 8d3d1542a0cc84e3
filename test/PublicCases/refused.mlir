// RUN: bsmm-opt %s --verify-diagnostics --split-input-file --bsmm-problem-to-tile=chip=sm_100a

#sf = #bsmm.scales<blocked_128x4, vec = 16>
// triton #11348: no scales at all.
func.func @no_groups(%a: tensor<16x48xf4E2M1FN>, %b: tensor<32x48xf4E2M1FN>,
                     %sa: tensor<16x0xf8E4M3FN, #sf>, %sb: tensor<32x0xf8E4M3FN, #sf>,
                     %c: tensor<16x32xf16>) -> tensor<16x32xf16> {
  // expected-error @below {{expected ceil(K / vec) = ceil(48 / 16) = 3 scales in every row, got 0}}
  %d = bsmm.scaled_matmul ins(%a scales %sa, %b scales %sb : tensor<16x48xf4E2M1FN>, tensor<16x0xf8E4M3FN, #sf>, tensor<32x48xf4E2M1FN>, tensor<32x0xf8E4M3FN, #sf>) outs(%c : tensor<16x32xf16>) -> tensor<16x32xf16>
  return %d : tensor<16x32xf16>
}

// -----

#sf = #bsmm.scales<blocked_128x4, vec = 16>
// triton #11348: 5 groups for K = 48.
func.func @groups_do_not_divide(%a: tensor<16x48xf4E2M1FN>, %b: tensor<32x48xf4E2M1FN>,
                                %sa: tensor<16x5xf8E4M3FN, #sf>, %sb: tensor<32x5xf8E4M3FN, #sf>,
                                %c: tensor<16x32xf16>) -> tensor<16x32xf16> {
  // expected-error @below {{expected ceil(K / vec) = ceil(48 / 16) = 3 scales in every row, got 5}}
  %d = bsmm.scaled_matmul ins(%a scales %sa, %b scales %sb : tensor<16x48xf4E2M1FN>, tensor<16x5xf8E4M3FN, #sf>, tensor<32x48xf4E2M1FN>, tensor<32x5xf8E4M3FN, #sf>) outs(%c : tensor<16x32xf16>) -> tensor<16x32xf16>
  return %d : tensor<16x32xf16>
}

// -----

#sf = #bsmm.scales<blocked_128x4, vec = 16>
// triton #11734: B packed along N, i.e. given as [K, N].
func.func @packed_along_n(%a: tensor<16x64xf4E2M1FN>, %b: tensor<64x32xf4E2M1FN>,
                          %sa: tensor<16x4xf8E4M3FN, #sf>, %sb: tensor<32x4xf8E4M3FN, #sf>,
                          %c: tensor<16x32xf16>) -> tensor<16x32xf16> {
  // expected-error @below {{expected one N, got 64 in B and 32 in the scales of B}}
  %d = bsmm.scaled_matmul ins(%a scales %sa, %b scales %sb : tensor<16x64xf4E2M1FN>, tensor<16x4xf8E4M3FN, #sf>, tensor<64x32xf4E2M1FN>, tensor<32x4xf8E4M3FN, #sf>) outs(%c : tensor<16x32xf16>) -> tensor<16x32xf16>
  return %d : tensor<16x32xf16>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#sf = #bsmm.scales<blocked_128x4, vec = 16>
// pytorch/ao #4929: linear scales for a consumer of blocked ones.
func.func @linear_scales(%a: tensor<16x64xf4E2M1FN>, %b: tensor<32x64xf4E2M1FN>,
                         %sa: tensor<16x4xf8E4M3FN, #linear>, %sb: tensor<32x4xf8E4M3FN, #sf>,
                         %c: tensor<16x32xf16>) -> tensor<16x32xf16> {
  // expected-error @below {{expected the scales of A in order blocked_128x4, which the tensor core reads, got linear; insert bsmm.pack_scales}}
  %d = bsmm.scaled_matmul ins(%a scales %sa, %b scales %sb : tensor<16x64xf4E2M1FN>, tensor<16x4xf8E4M3FN, #linear>, tensor<32x64xf4E2M1FN>, tensor<32x4xf8E4M3FN, #sf>) outs(%c : tensor<16x32xf16>) -> tensor<16x32xf16>
  return %d : tensor<16x32xf16>
}

// -----

#sf = #bsmm.scales<blocked_128x4, vec = 16>
// nvFuser #4745: (4, 32) taken for (32, 4).
func.func @swapped_rows(%s: tensor<4x32x2x4x16x1xf8E4M3FN>) -> tensor<1x256x64xf8E4M3FN, #sf> {
  // expected-error @below {{expected extent 32 in dimension 0 of the 6-D view [32, 4, rest_m, 4, rest_k, L], got 4}}
  %0 = bsmm.view_scales %s memory_order [5, 2, 4, 0, 1, 3] : tensor<4x32x2x4x16x1xf8E4M3FN> to tensor<1x256x64xf8E4M3FN, #sf>
  return %0 : tensor<1x256x64xf8E4M3FN, #sf>
}

// -----

// DeepGEMM #112: f32 scales where powers of two are needed.
#sf32 = #bsmm.scales<blocked_128x4, vec = 32>
// expected-error @below {{expected scales of f8E4M3FN or f8E8M0FNU, got 'f32'}}
func.func @f32_scales(%sa: tensor<16x4xf32, #sf32>)
