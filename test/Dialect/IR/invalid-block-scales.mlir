// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{expected scales of one row, linear or blocked_128x4, for a vector of 32 elements, got 128 rows, linear}}
func.func private @f(tensor<?x?xf8E8M0FNU, #bsmm.scales<linear, vec = 32, rows = 128>>)

// -----

// expected-error@below {{expected scales of one row, linear or blocked_128x4, for a vector of 16 elements, got 1 rows, column_major}}
func.func private @f(tensor<?x?xf8E4M3FN, #bsmm.scales<column_major, vec = 16>>)

// -----

// expected-error@below {{expected scales of 128 elements to be linear or column_major, got blocked_128x4}}
func.func private @f(tensor<?x?xf32, #bsmm.scales<blocked_128x4, vec = 128>>)

// -----

// expected-error@below {{expected scales of 1 or 128 rows, got 64}}
func.func private @f(tensor<?x?xf32, #bsmm.scales<linear, vec = 128, rows = 64>>)

// -----

// expected-error@below {{expected scales of f32 for 128 elements, got 'f8E4M3FN'}}
func.func private @f(tensor<?x?xf8E4M3FN, #bsmm.scales<linear, vec = 128>>)

// -----

// expected-error@below {{expected scales of f8E4M3FN or f8E8M0FNU, got 'f32'}}
func.func private @f(tensor<?x?xf32, #bsmm.scales<linear, vec = 32>>)

// -----

#one = #bsmm.scales<linear, vec = 128>
func.func @rows(
    %a: tensor<8x256xf8E4M3FN>, %sfa: tensor<8x2xf32, #one>,
    %b: tensor<8x256xf8E4M3FN>, %sfb: tensor<8x2xf32, #one>,
    %d: tensor<8x8xf32>) {
  // expected-error@below {{expected scales of 1 row of A and of 128 rows of B, got 1 and 1; e.g. #bsmm.scales<linear, vec = 128, rows = 128> for B}}
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<8x256xf8E4M3FN>, tensor<8x2xf32, #one>,
            tensor<8x256xf8E4M3FN>, tensor<8x2xf32, #one>)
      outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

#one = #bsmm.scales<linear, vec = 128>
#blocks = #bsmm.scales<linear, vec = 128, rows = 128>
func.func @types(
    %a: tensor<8x256xf16>, %sfa: tensor<8x2xf32, #one>,
    %b: tensor<8x256xf16>, %sfb: tensor<1x2xf32, #blocks>,
    %d: tensor<8x8xf32>) {
  // expected-error@below {{expected operands of f8E4M3FN or f8E5M2 with block scales of f32, got f16 and f16}}
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<8x256xf16>, tensor<8x2xf32, #one>,
            tensor<8x256xf16>, tensor<1x2xf32, #blocks>)
      outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

#one = #bsmm.scales<linear, vec = 128>
#blocks = #bsmm.scales<linear, vec = 128, rows = 128>
func.func @blocks(
    %a: tensor<8x256xf8E4M3FN>, %sfa: tensor<8x2xf32, #one>,
    %b: tensor<129x256xf8E4M3FN>, %sfb: tensor<1x2xf32, #blocks>,
    %d: tensor<8x129xf32>) {
  // expected-error@below {{expected ceil(N / 128) = 2 rows of scales of B, got 1}}
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<8x256xf8E4M3FN>, tensor<8x2xf32, #one>,
            tensor<129x256xf8E4M3FN>, tensor<1x2xf32, #blocks>)
      outs(%d : tensor<8x129xf32>) -> tensor<8x129xf32>
  return
}

// -----

#one = #bsmm.scales<linear, vec = 128>
#blocks = #bsmm.scales<linear, vec = 128, rows = 128>
func.func @promotion(
    %a: tensor<8x256xf8E4M3FN>, %sfa: tensor<8x2xf32, #one>,
    %b: tensor<128x256xf8E4M3FN>, %sfb: tensor<1x2xf32, #blocks>,
    %d: tensor<8x128xf32>) {
  // expected-error@below {{expected promote_every = 128, the elements of a scale, or none, got 64}}
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<8x256xf8E4M3FN>, tensor<8x2xf32, #one>,
            tensor<128x256xf8E4M3FN>, tensor<1x2xf32, #blocks>)
      outs(%d : tensor<8x128xf32>)
      {numerics = #bsmm.numerics<accumulate = f32, promote_every = 64>}
      -> tensor<8x128xf32>
  return
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a vector of f32, got 'tensor<64x1xf32>'}}
    %0 = bsmm.scale_load %p[%i, %i, %i] limits [%i, %i] strides [%s, %s, %s]
        block 1 : tensor<64x1xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a block of 1 to 65536 rows, got 0}}
    %0 = bsmm.scale_load %p[%i, %i, %i] limits [%i, %i] strides [%s, %s, %s]
        block 0 : tensor<64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<64x128xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<128x32xf8E4M3FN>
    %acc = arith.constant dense<1.0> : tensor<64x32xf32>
    %sa = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected scales of the rows of A and of the columns of B, got 1 vectors}}
    %d = bsmm.dot %a, %b, %acc promote_every 128 scales(%sa)
        : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>, tensor<64x32xf32>,
          tensor<64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<64x128xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<128x32xf8E4M3FN>
    %acc = arith.constant dense<1.0> : tensor<64x32xf32>
    %sa = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected 32 f32 scales of B, got 'tensor<64xf32>'}}
    %d = bsmm.dot %a, %b, %acc promote_every 128 scales(%sa, %sa)
        : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>, tensor<64x32xf32>,
          tensor<64xf32>, tensor<64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<32x128xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<128x32xf8E4M3FN>
    %acc = arith.constant dense<1.0> : tensor<32x32xf32>
    %sa = arith.constant dense<1.0> : tensor<32xf32>
    // expected-error@below {{expected promote_every 128 with scales, which multiply the sum of a step}}
    %d = bsmm.dot %a, %b, %acc promote_every 64 scales(%sa, %sa)
        : tensor<32x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>, tensor<32x32xf32>,
          tensor<32xf32>, tensor<32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected a scale for each row, i.e. block 1, got 128}}
      %0 = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 0 block 128 alignment 128
          of !bsmm.accumulator<64x32xf32> : vector<2xf32>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected blocks and an alignment of multiples of 8 columns, got 128 and 4}}
      %0 = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 1 block 128 alignment 4
          of !bsmm.accumulator<64x32xf32> : vector<2xf32>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected a result of 'vector<1xf32>', got 'vector<2xf32>'}}
      %0 = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 1 block 128 alignment 32
          of !bsmm.accumulator<64x32xf32> : vector<2xf32>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected dimension 0 (rows) or 1 (columns), got 2}}
      %0 = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 2 block 128 alignment 32
          of !bsmm.accumulator<64x32xf32> : vector<2xf32>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected the type of an accumulator in registers, got 'f32'}}
      %0 = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 1 block 128 alignment 32 of f32
          : vector<2xf32>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 4 {
      %zero = bsmm.zero_accumulator : !bsmm.accumulator<64x32xf32>
      %scales = arith.constant dense<1.0> : vector<2xf32>
      // expected-error@below {{expected scales of columns 'vector<1xf32>', got 'vector<2xf32>'}}
      %0 = bsmm.add_scaled %zero, %zero scales %scales, %scales start %i
          block 128 alignment 32 : !bsmm.accumulator<64x32xf32>, vector<2xf32>,
          vector<2xf32>
    }
    bsmm.return
  }
}

// -----

// A sum that may still be in the making.
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %a = bsmm.alloc : !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<32x128xf8E4M3FN, shared, swizzle_128B>
    bsmm.warp_role 0 count 4 {
      %zero = bsmm.zero_accumulator : !bsmm.accumulator<64x32xf32>
      %rows = arith.constant dense<1.0> : vector<2xf32>
      %columns = arith.constant dense<1.0> : vector<1xf32>
      %sum = bsmm.mma %a, %b
          : !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>,
            !bsmm.buffer<32x128xf8E4M3FN, shared, swizzle_128B>
          -> !bsmm.accumulator<64x32xf32>
      // expected-error@below {{expected a sum that has been waited for}}
      %0 = bsmm.add_scaled %zero, %sum scales %rows, %columns start %i
          block 128 alignment 32 : !bsmm.accumulator<64x32xf32>, vector<2xf32>,
          vector<1xf32>
    }
    bsmm.return
  }
}
