// RUN: bsmm-opt %s --bsmm-problem-to-tile=block-k=128 --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>, %r: tensor<?xf32>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected row scales of both operands or of neither for a kernel; pass ones for the other}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) row_scale_a(%r : tensor<?xf32>) -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>, %r: tensor<?xf32>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected row scales of both operands or of neither for a kernel; pass ones for the other}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) row_scale_b(%r : tensor<?xf32>) -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>, %r: tensor<1xf32>, %s: tensor<?xf32>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected row scales of one value for both operands or for neither for a kernel}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) row_scale_a(%r : tensor<1xf32>) row_scale_b(%s : tensor<?xf32>) -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected numerics with accumulate = f32, overflow = infinity (saturate for an output of 8 bits) and, with block scales, promote_every = 0, which tile-level kernels have, got #bsmm.numerics<accumulate = f64>}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) {numerics = #bsmm.numerics<accumulate = f64>} -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected numerics with accumulate = f32, overflow = infinity (saturate for an output of 8 bits) and, with block scales, promote_every = 0, which tile-level kernels have, got #bsmm.numerics<accumulate = f32, overflow = saturate>}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) {numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>} -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected different values for its operands in a function that becomes a kernel}}
  %d = bsmm.scaled_matmul ins(%a, %a : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>, %r: tensor<?xf32>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected different values for its operands in a function that becomes a kernel}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) row_scale_a(%r : tensor<?xf32>) row_scale_b(%r : tensor<?xf32>) -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  // expected-error@below {{expected to return the product alone in a function that becomes a kernel}}
  return %c : tensor<?x?xbf16>
}

// -----

func.func @f(%a: tensor<?x?xf4E2M1FN>, %sa: tensor<?x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<?x?xf4E2M1FN>, %sb: tensor<?x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error@below {{expected numerics with accumulate = f32, overflow = infinity (saturate for an output of 8 bits) and, with block scales, promote_every = 0, which tile-level kernels have, got #bsmm.numerics<accumulate = f32, promote_every = 256>}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<?x?xf16>)
      {numerics = #bsmm.numerics<accumulate = f32, promote_every = 256>}
      -> tensor<?x?xf16>
  return %d : tensor<?x?xf16>
}

// -----

func.func @f(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error@below {{expected only bsmm.view_scales and one bsmm.scaled_matmul in a function that becomes a kernel}}
  %alpha = arith.constant 2.0 : f32
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xbf16>) alpha(%alpha) -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}
