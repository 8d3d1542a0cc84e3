// RUN: bsmm-opt %s --bsmm-problem-to-tile --split-input-file --verify-diagnostics

#sf = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #linear>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
             %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  // expected-error@below {{expected the scales of A in order blocked_128x4, which the tensor core reads, got linear; insert bsmm.pack_scales}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #linear>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}

// -----

#sf = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #linear>,
             %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  // expected-error@below {{expected the scales of B in order blocked_128x4, which the tensor core reads, got linear; insert bsmm.pack_scales}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #linear>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}

// -----

#sf = #bsmm.scales<blocked_128x4, vec = 16>
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
             %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  // expected-error@below {{expected only bsmm.view_scales and one bsmm.scaled_matmul in a function that becomes a kernel}}
  %0 = arith.constant 0.0 : f32
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}

// -----

#sf = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %s: tensor<128x64xf8E4M3FN, #linear>,
             %c: tensor<128x128xf16>) -> tensor<128x128xf16> {
  // expected-error@below {{expected only bsmm.view_scales and one bsmm.scaled_matmul in a function that becomes a kernel}}
  %sa = bsmm.pack_scales %s : tensor<128x64xf8E4M3FN, #linear>
      to tensor<128x64xf8E4M3FN, #sf>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %a scales %sa : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x128xf16>) -> tensor<128x128xf16>
  return %d : tensor<128x128xf16>
}
