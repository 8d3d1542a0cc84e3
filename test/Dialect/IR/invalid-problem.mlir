// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<1x1x128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected operands of rank 2, or 3 with a batch, got rank 4}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<1x1x128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected operands of rank 2, or 3 with a batch, got rank 1}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<1x512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected B to have rank 2 like A, got 3}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<1x512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<1x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected the scales of A to have rank 2 like A, got 3}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<1x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<1x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected the scales of B to have rank 2 like A, got 3}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<1x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<1x128x512xf16>) {
  // expected-error@below {{expected the output to have rank 2 like A, got 3}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<1x128x512xf16>) -> tensor<1x128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected the result to have the type of 'outs' 'tensor<128x512xf16>', got 'tensor<128x512xf32>'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf32>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected no encoding on A, got #bsmm.scales<blocked_128x4, vec = 16>}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf8E4M3FN, #bsmm.scales<linear, vec = 16>>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected no encoding on B, got #bsmm.scales<linear, vec = 16>}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf8E4M3FN, #bsmm.scales<linear, vec = 16>>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16, "row">) {
  // expected-error@below {{expected no encoding on the output, got "row"}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16, "row">) -> tensor<128x512xf16, "row">
  return
}

// -----

// Scales without a stated order are not taken for any order.
func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected the scales of A to state their order, e.g. #bsmm.scales<blocked_128x4, vec = 16>, got 'tensor<128x64xf8E4M3FN>'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, "blocked">,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected the scales of B to state their order}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, "blocked">)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x32xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 32>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected one scale vector size, got 16 for A and 32 for B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x32xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 32>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected scales of one type, got 'f8E4M3FN' for A and 'f8E8M0FNU' for B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xi4>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected operands of f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E4M3FN or f8E5M2, got i4 and f4E2M1FN}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xi4>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

// e4m3 scales exist for e2m1 only.
func.func @f(%a: tensor<128x1024xf8E4M3FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf8E4M3FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{no target multiplies f8E4M3FN and f8E4M3FN with scales of f8E4M3FN for every 16 elements; expected one of}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf8E4M3FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf8E4M3FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 32>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 32>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{no target multiplies f4E2M1FN and f4E2M1FN with scales of f8E4M3FN for every 32 elements}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 32>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 32>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf64>) {
  // expected-error@below {{expected an output of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'f64'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf64>) -> tensor<128x512xf64>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf8E4M3FN>) {
  // expected-error@below {{expected numerics with overflow = saturate for an output of 'f8E4M3FN'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf8E4M3FN>) -> tensor<128x512xf8E4M3FN>
  return
}

// -----

func.func @f(%a: tensor<2x128x1024xf4E2M1FN>,
             %sa: tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<3x512x1024xf4E2M1FN>,
             %sb: tensor<2x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<2x128x512xf16>) {
  // expected-error@below {{expected one batch, got 2 in A and 3 in B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<2x128x1024xf4E2M1FN>,
          tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<3x512x1024xf4E2M1FN>,
          tensor<2x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<2x128x512xf16>) -> tensor<2x128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<2x128x1024xf4E2M1FN>,
             %sa: tensor<1x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<2x512x1024xf4E2M1FN>,
             %sb: tensor<2x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<2x128x512xf16>) {
  // expected-error@below {{expected one batch, got 2 in A and 1 in the scales of A}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<2x128x1024xf4E2M1FN>,
          tensor<1x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<2x512x1024xf4E2M1FN>,
          tensor<2x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<2x128x512xf16>) -> tensor<2x128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<2x128x1024xf4E2M1FN>,
             %sa: tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<2x512x1024xf4E2M1FN>,
             %sb: tensor<0x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<2x128x512xf16>) {
  // expected-error@below {{expected one batch, got 2 in A and 0 in the scales of B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<2x128x1024xf4E2M1FN>,
          tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<2x512x1024xf4E2M1FN>,
          tensor<0x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<2x128x512xf16>) -> tensor<2x128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<2x128x1024xf4E2M1FN>,
             %sa: tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<2x512x1024xf4E2M1FN>,
             %sb: tensor<2x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<4x128x512xf16>) {
  // expected-error@below {{expected one batch, got 2 in A and 4 in the output}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<2x128x1024xf4E2M1FN>,
          tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<2x512x1024xf4E2M1FN>,
          tensor<2x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<4x128x512xf16>) -> tensor<4x128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<0x1024xf4E2M1FN>,
             %sa: tensor<0x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<0x512xf16>) {
  // expected-error@below {{expected M in 1..2147483647, got 0}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<0x1024xf4E2M1FN>,
          tensor<0x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<0x512xf16>) -> tensor<0x512xf16>
  return
}

// -----

func.func @f(%a: tensor<2147483648x1024xf4E2M1FN>,
             %sa: tensor<2147483648x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<2147483648x512xf16>) {
  // expected-error@below {{expected M in 1..2147483647, got 2147483648}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<2147483648x1024xf4E2M1FN>,
          tensor<2147483648x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<2147483648x512xf16>) -> tensor<2147483648x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<4294967296x1024xf4E2M1FN>,
             %sb: tensor<?x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x?xf16>) {
  // expected-error@below {{expected N in 1..2147483647, got 4294967296}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<4294967296x1024xf4E2M1FN>,
          tensor<?x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x?xf16>) -> tensor<128x?xf16>
  return
}

// -----

func.func @f(%a: tensor<128x0xf4E2M1FN>,
             %sa: tensor<128x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x0xf4E2M1FN>,
             %sb: tensor<512x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected K in 1..2147483647, got 0}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x0xf4E2M1FN>,
          tensor<128x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x0xf4E2M1FN>,
          tensor<512x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

// B is K-major: [N, K], not [K, N].
func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<1024x512xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected one N, got 1024 in B and 512 in the scales of B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<1024x512xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<512x128xf16>) {
  // expected-error@below {{expected one M, got 128 in A and 512 in the output}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<512x128xf16>) -> tensor<512x128xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x511xf16>) {
  // expected-error@below {{expected one N, got 512 in B and 511 in the output}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x511xf16>) -> tensor<128x511xf16>
  return
}

// -----

func.func @f(%a: tensor<128x33xf4E2M1FN>,
             %sa: tensor<128x3xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x33xf4E2M1FN>,
             %sb: tensor<512x3xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected rows of whole bytes, got K = 33 elements of 'f4E2M1FN' in A; pad K with zeros}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x33xf4E2M1FN>,
          tensor<128x3xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x33xf4E2M1FN>,
          tensor<512x3xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x33xf8E4M3FN>,
             %sa: tensor<128x2xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 32>>,
             %b: tensor<512x33xf4E2M1FN>,
             %sb: tensor<512x2xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 32>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected rows of whole bytes, got K = 33 elements of 'f4E2M1FN' in B; pad K with zeros}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x33xf8E4M3FN>,
          tensor<128x2xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 32>>,
          tensor<512x33xf4E2M1FN>,
          tensor<512x2xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 32>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<64x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected one M, got 128 in A and 64 in the scales of A}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<64x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<1024x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected one N, got 512 in B and 1024 in the scales of B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<1024x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected ceil(K / vec) = ceil(1024 / 16) = 64 scales in every row, got 32}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1000xf4E2M1FN>,
             %sa: tensor<128x62xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1000xf4E2M1FN>,
             %sb: tensor<512x62xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected ceil(K / vec) = ceil(1000 / 16) = 63 scales in every row, got 62}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1000xf4E2M1FN>,
          tensor<128x62xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1000xf4E2M1FN>,
          tensor<512x62xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

// Groups that do not divide K evenly.
func.func @f(%a: tensor<128x48xf4E2M1FN>,
             %sa: tensor<128x5xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x48xf4E2M1FN>,
             %sb: tensor<512x5xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected ceil(K / vec) = ceil(48 / 16) = 3 scales in every row, got 5}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x48xf4E2M1FN>,
          tensor<128x5xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x48xf4E2M1FN>,
          tensor<512x5xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x16xf4E2M1FN>,
             %sa: tensor<128x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x16xf4E2M1FN>,
             %sb: tensor<512x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected ceil(K / vec) = ceil(16 / 16) = 1 scales in every row, got 0}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x16xf4E2M1FN>,
          tensor<128x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x16xf4E2M1FN>,
          tensor<512x0xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x512xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected one K, got 1024 in A and 512 in B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x512xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

// Every stated extent counts, also where A is dynamic.
func.func @f(%a: tensor<128x?xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x?xf4E2M1FN>,
             %sb: tensor<512x63xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected one number of groups, got 64 in the scales of A and 63 in the scales of B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x?xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x?xf4E2M1FN>,
          tensor<512x63xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<?x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<256x512xf16>) {
  // expected-error@below {{expected one M, got 128 in the scales of A and 256 in the output}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<256x512xf16>) -> tensor<256x512xf16>
  return
}

// -----

func.func @f(%a: tensor<?x128x1024xf4E2M1FN>,
             %sa: tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<?x512x1024xf4E2M1FN>,
             %sb: tensor<3x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<?x128x512xf16>) {
  // expected-error@below {{expected one batch, got 2 in the scales of A and 3 in the scales of B}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x128x1024xf4E2M1FN>,
          tensor<2x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<?x512x1024xf4E2M1FN>,
          tensor<3x512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<?x128x512xf16>) -> tensor<?x128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x?xf4E2M1FN>,
             %sa: tensor<128x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x33xf4E2M1FN>,
             %sb: tensor<512x3xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected rows of whole bytes, got K = 33 elements of 'f4E2M1FN' in A; pad K with zeros}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x?xf4E2M1FN>,
          tensor<128x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x33xf4E2M1FN>,
          tensor<512x3xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x?xf4E2M1FN>,
             %sa: tensor<128x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x63xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected ceil(K / vec) = ceil(1024 / 16) = 64 scales in every row, got 63}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x?xf4E2M1FN>,
          tensor<128x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x63xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x?xf4E2M1FN>,
             %sa: tensor<128x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x4294967296xf4E2M1FN>,
             %sb: tensor<512x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>) {
  // expected-error@below {{expected K in 1..2147483647, got 4294967296}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x?xf4E2M1FN>,
          tensor<128x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x4294967296xf4E2M1FN>,
          tensor<512x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>, %bias: tensor<512xf16>) {
  // expected-error@below {{expected a bias of N f32 values, got 'tensor<512xf16>'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) bias(%bias : tensor<512xf16>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>, %bias: tensor<128xf32>) {
  // expected-error@below {{expected a bias of N f32 values, got 'tensor<128xf32>'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) bias(%bias : tensor<128xf32>) -> tensor<128x512xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>,
             %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<512x1024xf4E2M1FN>,
             %sb: tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %c: tensor<128x512xf16>, %bias: tensor<1x512xf32>) {
  // expected-error@below {{expected a bias of N f32 values, got 'tensor<1x512xf32>'}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x512xf16>) bias(%bias : tensor<1x512xf32>) -> tensor<128x512xf16>
  return
}

// -----

// A blocked tensor is not packed twice.
func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>) {
  // expected-error@below {{expected a source with #bsmm.scales<linear, ...>, got 'tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>'}}
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
      to tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN>) {
  // expected-error@below {{expected a source with #bsmm.scales<linear, ...>, got 'tensor<128x64xf8E4M3FN>'}}
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN>
      to tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  // expected-error@below {{expected a result with #bsmm.scales<blocked_128x4, ...>, got 'tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>'}}
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
      to tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  // expected-error@below {{expected the same shape, element type and vector size, got}}
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
      to tensor<128x32xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  // expected-error@below {{expected the same shape, element type and vector size, got}}
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
      to tensor<128x64xf8E8M0FNU, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  // expected-error@below {{expected the same shape, element type and vector size, got}}
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
      to tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 32>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  // expected-error@below {{expected a source with #bsmm.scales<blocked_128x4, ...>, got}}
  %1 = bsmm.unpack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
      to tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>) {
  // expected-error@below {{expected a result with #bsmm.scales<linear, ...>, got}}
  %1 = bsmm.unpack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
      to tensor<128x64xf8E4M3FN>
  return
}

// -----

func.func @f(%0: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>) {
  // expected-error@below {{expected the same shape, element type and vector size, got}}
  %1 = bsmm.unpack_scales %0 : tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
      to tensor<64x128xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected a result with #bsmm.scales<blocked_128x4, ...>, got 'tensor<1x256x64xf8E4M3FN>'}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected a result with #bsmm.scales<blocked_128x4, ...>, got}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN, "x">) {
  // expected-error@below {{expected a source without encoding, got}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN, "x">
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E8M0FNU>) {
  // expected-error@below {{expected one element type, got 'f8E8M0FNU' and 'f8E4M3FN'}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E8M0FNU>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected 'memory_order' to be a permutation of the 6 dimensions, got [5, 2, 4, 0, 1]}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected 'memory_order' to be a permutation of the 6 dimensions, got [5, 2, 4, 0, 1, 1]}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 1]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected 'memory_order' to be a permutation of the 6 dimensions, got [5, 2, 4, 0, 1, -3]}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, -3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected 'memory_order' to be a permutation of the 6 dimensions, got [5, 2, 4, 0, 1, 6]}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 6]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<256x64xf8E4M3FN>) {
  // expected-error@below {{expected the 6-D view [32, 4, rest_m, 4, rest_k, L] or the 5-D view [L, rest_m, rest_k, 2, 256], got 'tensor<256x64xf8E4M3FN>'}}
  %1 = bsmm.view_scales %0 memory_order [0, 1]
      : tensor<256x64xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

// (4, 32) is not (32, 4): the outer digit of a row comes second.
func.func @f(%0: tensor<4x32x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected extent 32 in dimension 0 of the 6-D view [32, 4, rest_m, 4, rest_k, L], got 4}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<4x32x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<1x2x16x256x2xf8E4M3FN>) {
  // expected-error@below {{expected extent 2 in dimension 3 of the 5-D view [L, rest_m, rest_k, 2, 256], got 256}}
  %1 = bsmm.view_scales %0 memory_order [0, 1, 2, 3, 4]
      : tensor<1x2x16x256x2xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<1x2x16x2x128xf8E4M3FN>) {
  // expected-error@below {{expected extent 256 in dimension 4 of the 5-D view [L, rest_m, rest_k, 2, 256], got 128}}
  %1 = bsmm.view_scales %0 memory_order [0, 1, 2, 3, 4]
      : tensor<1x2x16x2x128xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x0x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected positive extents, got shape (1, 0, 16, 32, 4, 4)}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x0x4x16x1xf8E4M3FN>
      to tensor<1x0x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x4611686018427387904x4x16x1xf8E4M3FN>) {
  // expected-error@below {{has more than 2^62 elements}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x4611686018427387904x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

// 32 and 4 exchanged in memory: row 1 is 4 bytes after row 0 instead of 16.
func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{the view is not a blocked scale tensor: expected layout (1)x(2,4,32)x(16,4) : (0)x(8192,4,16)x(512,1), got (1)x(2,128)x(16,4) : (0)x(8192,4)x(512,1); first difference at (0, 1, 0): expected offset 16, got 4}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 1, 0, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

// Tiles follow each other along groups first, then rows.
func.func @f(%0: tensor<1x2x16x2x256xf8E4M3FN>) {
  // expected-error@below {{the view is not a blocked scale tensor: expected layout}}
  %1 = bsmm.view_scales %0 memory_order [0, 2, 1, 3, 4]
      : tensor<1x2x16x2x256xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

// The order of dynamic dimensions is checked too.
func.func @f(%0: tensor<32x4x?x4x?x?xf8E4M3FN>) {
  // expected-error@below {{the view is not a blocked scale tensor: expected layout}}
  %1 = bsmm.view_scales %0 memory_order [5, 4, 2, 0, 1, 3]
      : tensor<32x4x?x4x?x?xf8E4M3FN>
      to tensor<?x?x?xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x2xf8E4M3FN>) {
  // expected-error@below {{expected a result with a batch dimension for batch 2}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x2xf8E4M3FN>
      to tensor<256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x2xf8E4M3FN>) {
  // expected-error@below {{expected batch 2, got 1}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x2xf8E4M3FN>
      to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

// ceil, not floor.
func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected rest_m = ceil(257 / 128) = 3, got 2}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x257x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected rest_m = ceil(128 / 128) = 1, got 2}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

func.func @f(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  // expected-error@below {{expected rest_k = ceil(60 / 4) = 15, got 16}}
  %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x16x1xf8E4M3FN>
      to tensor<1x256x60xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<1.0>
        : tensor<128x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    // expected-error@below {{'bsmm.pack_scales' op expected outside of a bsmm.kernel: whole tensors belong in a func.func}}
    %1 = bsmm.pack_scales %0
        : tensor<128x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
        to tensor<128x4xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
    bsmm.return
  }
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<128x1024xf4E2M1FN>, %c: tensor<128x128xf16>) {
  // expected-error@below {{expected block scales for both operands or for neither, got them for A only}}
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b : tensor<128x1024xf4E2M1FN>, tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
          tensor<128x1024xf4E2M1FN>)
      outs(%c : tensor<128x128xf16>) -> tensor<128x128xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sb: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
             %b: tensor<128x1024xf4E2M1FN>, %c: tensor<128x128xf16>) {
  // expected-error@below {{expected block scales for both operands or for neither, got them for B only}}
  %d = bsmm.scaled_matmul
      ins(%a, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x1024xf4E2M1FN>, tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)
      outs(%c : tensor<128x128xf16>) -> tensor<128x128xf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf16>, %c: tensor<128x512xbf16>) {
  // expected-error@below {{no target multiplies f8E4M3FN and f16 without block scales into f32; expected f16, bf16 or tf32 for both, or types of 8, 6 and 4 bits}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf16>) outs(%c : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf32>, %b: tensor<512x1024xf32>, %c: tensor<128x512xbf16>) {
  // expected-error@below {{no target multiplies f32 and f32 without block scales}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf32>, tensor<512x1024xf32>) outs(%c : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xi8>, %b: tensor<512x1024xi8>, %c: tensor<128x512xbf16>) {
  // expected-error@below {{no target multiplies i8 and i8 without block scales}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xi8>, tensor<512x1024xi8>) outs(%c : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1040xf8E4M3FN>, %c: tensor<128x512xbf16>) {
  // expected-error@below {{expected one K, got 1024 in A and 1040 in B}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1040xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<64x512xbf16>) {
  // expected-error@below {{expected one M, got 128 in A and 64 in the output}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x256xbf16>) {
  // expected-error@below {{expected one N, got 512 in B and 256 in the output}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x256xbf16>) -> tensor<128x256xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xf8E4M3FN>) {
  // expected-error@below {{expected numerics with overflow = saturate for an output of 'f8E4M3FN'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xf8E4M3FN>) -> tensor<128x512xf8E4M3FN>
  return
}

// -----

func.func @f(%a: tensor<128x33xf4E2M1FN>, %b: tensor<512x33xf4E2M1FN>, %c: tensor<128x512xbf16>) {
  // expected-error@below {{expected rows of whole bytes, got K = 33 elements of 'f4E2M1FN' in A; pad K with zeros}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x33xf4E2M1FN>, tensor<512x33xf4E2M1FN>) outs(%c : tensor<128x512xbf16>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<127xf32>) {
  // expected-error@below {{expected row scales of 1 or M f32 values, got 'tensor<127xf32>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) row_scale_a(%r : tensor<127xf32>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<512xf32>) {
  // expected-error@below {{expected row scales of 1 or M f32 values, got 'tensor<512xf32>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) row_scale_a(%r : tensor<512xf32>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<128xf16>) {
  // expected-error@below {{expected row scales of 1 or M f32 values, got 'tensor<128xf16>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) row_scale_a(%r : tensor<128xf16>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<128x1xf32>) {
  // expected-error@below {{expected row scales of 1 or M f32 values, got 'tensor<128x1xf32>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) row_scale_a(%r : tensor<128x1xf32>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<128xf32>) {
  // expected-error@below {{expected row scales of 1 or N f32 values, got 'tensor<128xf32>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) row_scale_b(%r : tensor<128xf32>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<0xf32>) {
  // expected-error@below {{expected row scales of 1 or N f32 values, got 'tensor<0xf32>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) row_scale_b(%r : tensor<0xf32>) -> tensor<128x512xbf16>
  return
}

// -----

func.func @f(%a: tensor<128x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>, %c: tensor<128x512xbf16>, %r: tensor<1xf32>) {
  // expected-error@below {{expected a bias of N f32 values, got 'tensor<1xf32>'}}
  %d = bsmm.scaled_matmul ins(%a, %b : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%c : tensor<128x512xbf16>) bias(%r : tensor<1xf32>) -> tensor<128x512xbf16>
  return
}
