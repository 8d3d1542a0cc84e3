// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

// Operations of the tile level stand in a kernel.
func.func @f(%i: i32) {
  // expected-error@below {{'bsmm.grouped_order' op expected inside of a bsmm.kernel}}
  %m, %n = bsmm.grouped_order %i of %i, %i group 4
  return
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<16777216x2xf16>
    // expected-error@below {{expected a tile of 1 to 16777216 elements, got 'tensor<16777216x2xf16>'}}
    %1 = bsmm.reshape %0 : tensor<16777216x2xf16> to tensor<33554432xf16>
    bsmm.return
  }
}

// -----

// The number of elements does not overflow.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4294967296x4294967296xf16>
    // expected-error@below {{expected a tile of 1 to 16777216 elements, got 'tensor<4294967296x4294967296xf16>'}}
    %1 = bsmm.reshape %0 : tensor<4294967296x4294967296xf16> to tensor<0xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a tile of 1 to 16777216 elements, got 'tensor<0x8xf16>'}}
    %1 = bsmm.extract_rows %0[%i] : tensor<4x8xf16> to tensor<0x8xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a tile 'tensor<1x128x64xf16>' as the tensor map says, got 'tensor<128x64xf16>'}}
    %0 = bsmm.tma_load %a[%i, %i, %i] : !bsmm.tensor_map<1x128x64xf16> -> tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a tile 'tensor<1x128x64xf16>' as the tensor map says, got 'tensor<1x128x64xbf16>'}}
    %0 = bsmm.tma_load %a[%i, %i, %i] : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x128x64xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected 3 coordinates, one for each dimension of the tensor map, got 2}}
    %0 = bsmm.tma_load %a[%i, %i] : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected 3 coordinates, one for each dimension of the tensor map, got 0}}
    %0 = bsmm.tma_load %a[] : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x64x128xf16>
    // expected-error@below {{expected a tile 'tensor<1x128x64xf16>' as the tensor map says, got 'tensor<1x64x128xf16>'}}
    bsmm.tma_store %t, %d[%i, %i, %i] : tensor<1x64x128xf16>, !bsmm.tensor_map<1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x128x64xf16>
    // expected-error@below {{expected 3 coordinates, one for each dimension of the tensor map, got 4}}
    bsmm.tma_store %t, %d[%i, %i, %i, %i]
        : tensor<1x128x64xf16>, !bsmm.tensor_map<1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{result #0 must be statically shaped tensor of any type values, but got 'tensor<1x?x64xf16>'}}
    %0 = bsmm.tma_load %a[%i, %i, %i] : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x?x64xf16>
    bsmm.return
  }
}

// -----

// A copy names its tensor map.
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16xf16>, %b: !bsmm.tensor_map<16xf16>,
                 %i: i32) attributes {level = #bsmm.level<tile>} {
    %p = arith.cmpi eq, %i, %i : i32
    %c = arith.select %p, %a, %b : !bsmm.tensor_map<16xf16>
    // expected-error@below {{'bsmm.tma_load' op expected a tensor map that is an argument of the kernel}}
    %0 = bsmm.tma_load %c[%i] : !bsmm.tensor_map<16xf16> -> tensor<16xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %t = bsmm.tma_load %a[%i] : !bsmm.tensor_map<16xf16> -> tensor<16xf16>
    %0 = scf.for %j = %i to %i step %i iter_args(%map = %a)
        -> (!bsmm.tensor_map<16xf16>) : i32 {
      // expected-error@below {{'bsmm.tma_store' op expected a tensor map that is an argument of the kernel}}
      bsmm.tma_store %t, %map[%j] : tensor<16xf16>, !bsmm.tensor_map<16xf16>
      scf.yield %map : !bsmm.tensor_map<16xf16>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<128x64xf16>
    // expected-error@below {{expected a tile [1, rows, columns], got 'tensor<128x64xf16>'}}
    bsmm.predicated_store %t, %p[%i, %i, %i] limits [%i, %i]
        strides [%s, %s] : tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<2x128x64xf16>
    // expected-error@below {{expected a tile [1, rows, columns], got 'tensor<2x128x64xf16>'}}
    bsmm.predicated_store %t, %p[%i, %i, %i] limits [%i, %i]
        strides [%s, %s] : tensor<2x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x128x64xf16>
    // expected-error@below {{expected 3 coordinates [batch, row, column], got 2}}
    bsmm.predicated_store %t, %p[%i, %i] limits [%i, %i]
        strides [%s, %s] : tensor<1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x128x64xf4E2M1FN>
    // expected-error@below {{expected elements of 8, 16 or 32 bits, got 'f4E2M1FN'}}
    bsmm.predicated_store %t, %p[%i, %i, %i] limits [%i, %i]
        strides [%s, %s] : tensor<1x128x64xf4E2M1FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x128x64xf64>
    // expected-error@below {{expected elements of 8, 16 or 32 bits, got 'f64'}}
    bsmm.predicated_store %t, %p[%i, %i, %i] limits [%i, %i]
        strides [%s, %s] : tensor<1x128x64xf64>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x4xf16>
    // expected-error@below {{expected one element type, got 'f16' and 'bf16'}}
    %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<16xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x4xf4E2M1FN>
    // expected-error@below {{expected one element type, got 'f4E2M1FN' and 'i8'}}
    %1 = bsmm.reshape %0 : tensor<4x4xf4E2M1FN> to tensor<8xi8>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x4xf16>
    // expected-error@below {{expected the same number of elements, got 16 and 15}}
    %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<15xf16>
    bsmm.return
  }
}

// -----

// An encoding is not dropped.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<1x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    // expected-error@below {{expected tiles without encoding: the order of scales is a property of whole tensors}}
    %1 = bsmm.reshape %0 : tensor<1x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>> to tensor<4xf8E4M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4xf8E4M3FN>
    // expected-error@below {{expected tiles without encoding}}
    %1 = bsmm.reshape %0 : tensor<4xf8E4M3FN> to tensor<1x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x4xf16>
    // expected-error@below {{result #0 must be statically shaped tensor of any type values, but got 'tensor<?xf16>'}}
    %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<?xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected one element type, got 'f16' and 'bf16'}}
    %1 = bsmm.trans %0 [1, 0] : tensor<4x8xf16> to tensor<8x4xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<1x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    // expected-error@below {{expected tiles without encoding: the order of scales is a property of whole tensors}}
    %1 = bsmm.trans %0 [1, 0] : tensor<1x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>> to tensor<4x1xf8E4M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a permutation of the 2 dimensions, got [1, 1]}}
    %1 = bsmm.trans %0 [1, 1] : tensor<4x8xf16> to tensor<8x8xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a permutation of the 2 dimensions, got [0]}}
    %1 = bsmm.trans %0 [0] : tensor<4x8xf16> to tensor<4xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a permutation of the 2 dimensions, got [0, 1, 2]}}
    %1 = bsmm.trans %0 [0, 1, 2] : tensor<4x8xf16> to tensor<4x8x1xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a permutation of the 2 dimensions, got [-1, 0]}}
    %1 = bsmm.trans %0 [-1, 0] : tensor<4x8xf16> to tensor<8x4xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a permutation of the 2 dimensions, got [9223372036854775807, 0]}}
    %1 = bsmm.trans %0 [9223372036854775807, 0] : tensor<4x8xf16> to tensor<8x4xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected a result of shape [8, 4], got [4, 8]}}
    %1 = bsmm.trans %0 [1, 0] : tensor<4x8xf16> to tensor<4x8xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<2x4x8xf16>
    // expected-error@below {{expected rows of a tile of rank 2, got 'tensor<4x8xf16>' from 'tensor<2x4x8xf16>'}}
    %1 = bsmm.extract_rows %0[%i] : tensor<2x4x8xf16> to tensor<4x8xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected rows of a tile of rank 2, got}}
    %1 = bsmm.extract_rows %0[%i] : tensor<4x8xf16> to tensor<8xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected rows of a tile of rank 2, got}}
    %1 = bsmm.extract_rows %0[%i] : tensor<4x8xf16> to tensor<4x4xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected rows of a tile of rank 2, got}}
    %1 = bsmm.extract_rows %0[%i] : tensor<4x8xf16> to tensor<2x8xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected at most 4 rows, got 5}}
    %1 = bsmm.extract_rows %0[%i] : tensor<4x8xf16> to tensor<5x8xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected columns of a tile of rank 2, got 'tensor<2x4xf16>' from 'tensor<4x8xf16>'}}
    %1 = bsmm.extract_columns %0[%i] : tensor<4x8xf16> to tensor<2x4xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    // expected-error@below {{expected at most 8 columns, got 9}}
    %1 = bsmm.extract_columns %0[%i] : tensor<4x8xf16> to tensor<4x9xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x8xf16>
    %i = arith.constant 5 : i32
    // expected-error@below {{expected columns inside of the tile, got 4 columns from column 5 of 8}}
    %1 = bsmm.extract_columns %0[%i] : tensor<4x8xf16> to tensor<4x4xf16>
    bsmm.return
  }
}

// -----

// A constant offset is checked where it is written.
gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %i = arith.constant 65 : i32
    // expected-error@below {{expected rows inside of the tile, got 64 rows from row 65 of 128}}
    %1 = bsmm.extract_rows %0[%i] : tensor<128x16xf8E4M3FN> to tensor<64x16xf8E4M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %i = arith.constant -64 : i32
    // expected-error@below {{expected rows inside of the tile, got 64 rows from row -64 of 128}}
    %1 = bsmm.extract_rows %0[%i] : tensor<128x16xf8E4M3FN> to tensor<64x16xf8E4M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<1x128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected A to have rank 2, got 'tensor<1x128x256xf4E2M1FN>'; drop the batch with bsmm.reshape}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<1x128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<1x256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected B to have rank 2, got 'tensor<1x256x64xf4E2M1FN>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<1x256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<1x4x32x4x4xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected the scales of A to have rank 2, got 'tensor<1x4x32x4x4xf8E4M3FN>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<1x4x32x4x4xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<1024xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected the scales of B to have rank 2, got 'tensor<1024xf8E4M3FN>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<1024xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<1x128x64xf32>
    // expected-error@below {{expected the accumulator to have rank 2, got 'tensor<1x128x64xf32>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<1x128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected the scales of A without encoding, got}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN, #bsmm.scales<linear, vec = 16>>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN, "x">
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected B without encoding, got}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN, "x">, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<64x256xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected A [m, k] and B [k, n] with one k, got 256 and 64; a tile of B loaded as [n, k] needs bsmm.trans [1, 0]}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<64x256xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<64x128xf32>
    // expected-error@below {{expected an accumulator 'tensor<128x64xf32>', got 'tensor<64x128xf32>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<64x128xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf16>
    // expected-error@below {{expected an accumulator 'tensor<128x64xf32>', got 'tensor<128x64xf16>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected 128 rows of scales for A, got 64}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<64x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

// A tile of 64 columns needs bsmm.extract_rows of the 128-row scale tile.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected 64 rows of scales for B, got 128}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x5xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected the scales of A to divide k = 256 evenly, got 5 groups}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x5xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x512xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected the scales of B to divide k = 256 evenly, got 512 groups}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x512xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

// No scale at all is not a scale of one.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<> : tensor<64x0xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected a tile of 1 to 16777216 elements, got 'tensor<64x0xf8E4M3FN>'}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x0xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x8xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected one number of groups along k, got 16 for A and 8 for B}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x8xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E8M0FNU>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected scales of one type, got 'f8E4M3FN' for A and 'f8E8M0FNU' for B}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E8M0FNU>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0> : tensor<128x256xi4>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected operands of f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E4M3FN or f8E5M2, got i4 and f4E2M1FN}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xi4>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

// f32 scales are not rounded silently.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf32>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf32>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected scales of f8E4M3FN or f8E8M0FNU, got f32; convert the scales explicitly, since rounding them to another type changes their value}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf32>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf32>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x8xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x8xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{no target multiplies f4E2M1FN and f4E2M1FN with scales of f8E4M3FN for every 32 elements; expected one of}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf4E2M1FN>, tensor<128x8xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x8xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf8E4M3FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<64x16xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{no target multiplies f8E4M3FN and f4E2M1FN with scales of f8E4M3FN for every 16 elements}}
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
        : tensor<128x256xf8E4M3FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a group of 1 to 65536 tile rows, got 0}}
    %m, %n = bsmm.grouped_order %i of %i, %i group 0
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a group of 1 to 65536 tile rows, got 65537}}
    %m, %n = bsmm.grouped_order %i of %i, %i group 65537
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a group of 1 to 65536 tile rows, got -1}}
    %m, %n = bsmm.grouped_order %i of %i, %i group -1
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a tile [1, rows, columns], got 'tensor<128x64xf16>'}}
    %t = bsmm.predicated_load %p[%i, %i, %i] limits [%i, %i] strides [%s, %s] : tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a tile [1, rows, columns], got 'tensor<2x128x64xf16>'}}
    %t = bsmm.predicated_load %p[%i, %i, %i] limits [%i, %i] strides [%s, %s] : tensor<2x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected 3 coordinates [batch, row, column], got 2}}
    %t = bsmm.predicated_load %p[%i, %i] limits [%i, %i] strides [%s, %s] : tensor<1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected elements of 8, 16 or 32 bits, got 'f4E2M1FN'}}
    %t = bsmm.predicated_load %p[%i, %i, %i] limits [%i, %i] strides [%s, %s] : tensor<1x128x64xf4E2M1FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a tile without encoding, got 'tensor<1x128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>'}}
    %t = bsmm.predicated_load %p[%i, %i, %i] limits [%i, %i] strides [%s, %s] : tensor<1x128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected a vector, i.e. a tile of rank 1, got 'tensor<1x256xf32>'}}
    %v = bsmm.vector_load %p[%i] limit %i : tensor<1x256xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected elements of 8, 16 or 32 bits, got 'f64'}}
    %v = bsmm.vector_load %p[%i] limit %i : tensor<256xf64>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected elements of 8, 16 or 32 bits, got 'f6E2M3FN'}}
    %v = bsmm.vector_load %p[%i] limit %i : tensor<256xf6E2M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected dimension 0 or 1, got 2}}
    %b = bsmm.broadcast %v dimension 2 : tensor<64xf32> to tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected dimension 0 or 1, got -1}}
    %b = bsmm.broadcast %v dimension -1 : tensor<64xf32> to tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<1x64xf32>
    // expected-error@below {{expected a tile of rank 2 from a vector of the same elements, got 'tensor<64x64xf32>' from 'tensor<1x64xf32>'}}
    %b = bsmm.broadcast %v dimension 1 : tensor<1x64xf32> to tensor<64x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected a tile of rank 2 from a vector of the same elements, got 'tensor<1x128x64xf32>' from 'tensor<64xf32>'}}
    %b = bsmm.broadcast %v dimension 1 : tensor<64xf32> to tensor<1x128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected a tile of rank 2 from a vector of the same elements, got 'tensor<128x64xf16>' from 'tensor<64xf32>'}}
    %b = bsmm.broadcast %v dimension 1 : tensor<64xf32> to tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error@below {{expected a vector of 1 or 128 elements along dimension 0, got 64}}
    %b = bsmm.broadcast %v dimension 0 : tensor<64xf32> to tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %v = arith.constant dense<1.0> : tensor<128xf32>
    // expected-error@below {{expected a vector of 1 or 64 elements along dimension 1, got 128}}
    %b = bsmm.broadcast %v dimension 1 : tensor<128xf32> to tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<1x128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected A to have rank 2, got 'tensor<1x128x64xf8E4M3FN>'; drop the batch with bsmm.reshape}}
    %d = bsmm.dot %a, %b, %c : tensor<1x128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<1x64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected B to have rank 2, got 'tensor<1x64x32xf8E4M3FN>'; drop the batch with bsmm.reshape}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<1x64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<1x128x32xf32>
    // expected-error@below {{expected the accumulator to have rank 2, got 'tensor<1x128x32xf32>'; drop the batch with bsmm.reshape}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<1x128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected A without encoding, got 'tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>'}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>, tensor<64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<32x64xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected A [m, k] and B [k, n] with one k, got 64 and 32; a tile of B loaded as [n, k] needs bsmm.trans [1, 0]}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error@below {{expected an accumulator 'tensor<128x32xf32>', got 'tensor<128x64xf32>'}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf16>
    // expected-error@below {{expected an accumulator 'tensor<128x32xf32>', got 'tensor<128x32xf16>'}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x32xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{no target multiplies f8E4M3FN and f16 without block scales into f32; expected f16, bf16 or tf32 for both, or types of 8, 6 and 4 bits}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<64x32xf16>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf32>
    %b = arith.constant dense<1.0> : tensor<64x32xf32>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{no target multiplies f32 and f32 without block scales into f32}}
    %d = bsmm.dot %a, %b, %c : tensor<128x64xf32>, tensor<64x32xf32>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected promote_every to divide k = 64, got 0}}
    %d = bsmm.dot %a, %b, %c promote_every 0 : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected promote_every to divide k = 64, got -32}}
    %d = bsmm.dot %a, %b, %c promote_every -32 : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected promote_every to divide k = 64, got 48}}
    %d = bsmm.dot %a, %b, %c promote_every 48 : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x32xf32>
    // expected-error@below {{expected promote_every to divide k = 64, got 128}}
    %d = bsmm.dot %a, %b, %c promote_every 128 : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<128x32xf32>
    bsmm.return
  }
}
