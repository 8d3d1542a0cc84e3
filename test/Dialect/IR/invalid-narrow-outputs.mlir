// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

func.func @beta(%a: tensor<8x32xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>,
                %d: tensor<8x16xf8E5M2>, %beta: f32) {
  // expected-error@below {{expected no beta with an output of 'f8E5M2': C has the output's type, and sums read f16, bf16 or f32}}
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<8x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>)
      outs(%d : tensor<8x16xf8E5M2>) beta(%beta)
      {numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>}
      -> tensor<8x16xf8E5M2>
  return
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<1.0> : tensor<64x32xf16>
    // expected-error@below {{expected f32 to f8E4M3FN or f8E5M2, got 'tensor<64x32xf16>' to 'tensor<64x32xf8E4M3FN>'}}
    %1 = bsmm.saturating_cast %0 : tensor<64x32xf16> to tensor<64x32xf8E4M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<64x32xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<1.0> : tensor<64x32xf16>
    // expected-error@below {{expected f32 elements to add, got 'tensor<64x32xf16>'}}
    bsmm.tma_store %0, %d[%i, %i] add : tensor<64x32xf16>, !bsmm.tensor_map<64x32xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<64x64xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %buffer = bsmm.alloc : !bsmm.buffer<64x64xf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected f32 elements to add, got '!bsmm.tensor_map<64x64xf16>'}}
        bsmm.store_async %buffer, %d[%i, %i] add
            : !bsmm.buffer<64x64xf16, shared, swizzle_128B>, !bsmm.tensor_map<64x64xf16>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = arith.constant dense<1.0> : vector<3xf32>
    // expected-error@below {{expected an even number of f32 to as many f8E4M3FN or f8E5M2, got 'vector<3xf32>' to 'vector<3xf8E4M3FN>'}}
    %1 = bsmm.convert_values %0 : vector<3xf32> to vector<3xf8E4M3FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected 1 to 65536 CTAs that add to an output tile, got 0}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>, split_k = 0 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf6E2M3FN, shared, row_major>
    %scales = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %decoded = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected the operand with layout swizzle_32B, swizzle_64B or swizzle_128B}}
      bsmm.decode_operand %codes scales %scales row %i valid %i to %decoded
          : !bsmm.buffer<128x64xf6E2M3FN, shared, row_major>,
            !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
          to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
    %scales = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %decoded = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected an operand of f4E2M1FN, f8E4M3FN or f8E5M2, got}}
      bsmm.decode_operand %codes scales %scales row %i valid %i to %decoded
          : !bsmm.buffer<128x64xf16, shared, swizzle_128B>,
            !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
          to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %scales = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
    %decoded = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected a scale for every 16 or 32 elements of each of the 128 rows, got}}
      bsmm.decode_operand %codes scales %scales row %i valid %i to %decoded
          : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>,
            !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
          to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %scales = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %decoded = bsmm.alloc : !bsmm.buffer<128x128xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected a result of the operand's shape, of f16 or bf16, got}}
      bsmm.decode_operand %codes scales %scales row %i valid %i to %decoded
          : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>,
            !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
          to !bsmm.buffer<128x128xbf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %scales = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %decoded = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // expected-error@below {{expected inside of the bsmm.warp_role of warpgroups}}
    bsmm.decode_operand %codes scales %scales row %i valid %i to %decoded
        : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>,
          !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
        to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    bsmm.return
  }
}
