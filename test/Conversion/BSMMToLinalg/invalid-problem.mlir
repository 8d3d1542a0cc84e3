// RUN: bsmm-opt %s --convert-bsmm-to-linalg --split-input-file --verify-diagnostics

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected ranked tensors, f32, i1, i32, i64 or index for the reference conversion, got 'memref<4xf32>' as argument #1}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %m: memref<4xf32>)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected floating-point tensors of at most 32 bits for the reference conversion, got 'tensor<4xi32>' as argument #1}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %m: tensor<4xi32>)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected tensors of rank 1 or more, got 'tensor<f32>' as argument #1}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %m: tensor<f32>)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected no encoding but #bsmm.scales, got 'tensor<4xf32, "mine">' as argument #1}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %m: tensor<4xf32, "mine">)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected tensors as results for the reference conversion, got 'f32'}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %x: f32)
    -> (tensor<8x4xf8E4M3FN, #blocked>, f32) {
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0, %x : tensor<8x4xf8E4M3FN, #blocked>, f32
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected results of whole bytes for the reference conversion, got 'tensor<4xf4E2M1FN>'}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %x: tensor<4xf4E2M1FN>)
    -> (tensor<8x4xf8E4M3FN, #blocked>, tensor<4xf4E2M1FN>) {
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0, %x : tensor<8x4xf8E4M3FN, #blocked>, tensor<4xf4E2M1FN>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// expected-error @below {{expected a body of one block for the reference conversion; use scf for control flow}}
func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  cf.br ^next
^next:
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

func.func @f() -> tensor<8x4xf8E4M3FN, #blocked> {
  // expected-error @below {{expected no constants of 'f8E4M3FN' in a function on whole tensors}}
  %s = arith.constant dense<1.0> : tensor<8x4xf8E4M3FN, #linear>
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

func.func @f(%s: tensor<8x4xf8E4M3FN, #linear>, %t: tensor<4x4xf32>)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  // expected-error @below {{'linalg.softmax' op has no reference conversion}}
  %1 = "linalg.softmax"(%t, %t) <{dimension = 1 : i64}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = bsmm.pack_scales %s
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %0 : tensor<8x4xf8E4M3FN, #blocked>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

func.func @f(%s: tensor<?x?xf8E4M3FN, #linear>)
    -> tensor<8x4xf8E4M3FN, #blocked> {
  // expected-error @below {{expected a cast that forgets extents}}
  %0 = tensor.cast %s
      : tensor<?x?xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #linear>
  %1 = bsmm.pack_scales %0
      : tensor<8x4xf8E4M3FN, #linear> to tensor<8x4xf8E4M3FN, #blocked>
  return %1 : tensor<8x4xf8E4M3FN, #blocked>
}
