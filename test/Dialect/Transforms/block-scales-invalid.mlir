// RUN: bsmm-opt %s --split-input-file --verify-diagnostics --bsmm-tile-to-pipeline

// Scales of sums that a step does not load as it must.

module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  gpu.module @m {
    bsmm.kernel @k(
        %a: !bsmm.tensor_map<64x128xf8E4M3FN>, %b: !bsmm.tensor_map<32x128xf8E4M3FN>,
        %d: !bsmm.tensor_map<64x32xf32>, %p: !llvm.ptr<1>, %k: i32, %n: i32, %s: i64)
        attributes {level = #bsmm.level<tile>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c128 = arith.constant 128 : i32
      %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
      %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
        %at = arith.muli %i, %c128 : i32
        %0 = bsmm.tma_load %a[%c0, %at] : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %1 = bsmm.tma_load %b[%c0, %at] : !bsmm.tensor_map<32x128xf8E4M3FN> -> tensor<32x128xf8E4M3FN>
        %2 = bsmm.trans %1 [1, 0] : tensor<32x128xf8E4M3FN> to tensor<128x32xf8E4M3FN>
        %sa = bsmm.scale_load %p[%c0, %c0, %i] limits [%k, %k] strides [%s, %s, %s] block 1 : tensor<64xf32>
        // expected-error@below {{expected a first column that is a multiple of 8, such as the tile's number times its columns}}
        %sb = bsmm.scale_load %p[%c0, %n, %i] limits [%k, %k] strides [%s, %s, %s] block 128 : tensor<32xf32>
        %3 = bsmm.dot %0, %2, %acc promote_every 128 scales(%sa, %sb)
            : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>, tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
        scf.yield %3 : tensor<64x32xf32>
      }
      bsmm.tma_store %sum, %d[%c0, %c0] : tensor<64x32xf32>, !bsmm.tensor_map<64x32xf32>
      bsmm.return
    }
  }
}

// -----

module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  gpu.module @m {
    bsmm.kernel @k(
        %a: !bsmm.tensor_map<64x128xf8E4M3FN>, %b: !bsmm.tensor_map<32x128xf8E4M3FN>,
        %d: !bsmm.tensor_map<64x32xf32>, %p: !llvm.ptr<1>, %k: i32, %s: i64)
        attributes {level = #bsmm.level<tile>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c128 = arith.constant 128 : i32
      %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
      %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
        %at = arith.muli %i, %c128 : i32
        %0 = bsmm.tma_load %a[%c0, %at] : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %1 = bsmm.tma_load %b[%c0, %at] : !bsmm.tensor_map<32x128xf8E4M3FN> -> tensor<32x128xf8E4M3FN>
        %2 = bsmm.trans %1 [1, 0] : tensor<32x128xf8E4M3FN> to tensor<128x32xf8E4M3FN>
        // expected-error@below {{expected a scale for each row of A, i.e. block 1, got 128}}
        %sa = bsmm.scale_load %p[%c0, %c0, %i] limits [%k, %k] strides [%s, %s, %s] block 128 : tensor<64xf32>
        %sb = bsmm.scale_load %p[%c0, %c0, %i] limits [%k, %k] strides [%s, %s, %s] block 128 : tensor<32xf32>
        %3 = bsmm.dot %0, %2, %acc promote_every 128 scales(%sa, %sb)
            : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>, tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
        scf.yield %3 : tensor<64x32xf32>
      }
      bsmm.tma_store %sum, %d[%c0, %c0] : tensor<64x32xf32>, !bsmm.tensor_map<64x32xf32>
      bsmm.return
    }
  }
}

// -----

module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  gpu.module @m {
    bsmm.kernel @k(
        %a: !bsmm.tensor_map<64x128xf8E4M3FN>, %b: !bsmm.tensor_map<32x128xf8E4M3FN>,
        %d: !bsmm.tensor_map<64x32xf32>, %p: !llvm.ptr<1>, %k: i32, %s: i64)
        attributes {level = #bsmm.level<tile>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c128 = arith.constant 128 : i32
      %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
      %sb = bsmm.scale_load %p[%c0, %c0, %c0] limits [%k, %k] strides [%s, %s, %s] block 128 : tensor<32xf32>
      %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
        %at = arith.muli %i, %c128 : i32
        %0 = bsmm.tma_load %a[%c0, %at] : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %1 = bsmm.tma_load %b[%c0, %at] : !bsmm.tensor_map<32x128xf8E4M3FN> -> tensor<32x128xf8E4M3FN>
        %2 = bsmm.trans %1 [1, 0] : tensor<32x128xf8E4M3FN> to tensor<128x32xf8E4M3FN>
        %sa = bsmm.scale_load %p[%c0, %c0, %i] limits [%k, %k] strides [%s, %s, %s] block 1 : tensor<64xf32>
        // expected-error@below {{expected scales of a bsmm.scale_load in the same loop body}}
        %3 = bsmm.dot %0, %2, %acc promote_every 128 scales(%sa, %sb)
            : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>, tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
        scf.yield %3 : tensor<64x32xf32>
      }
      bsmm.tma_store %sum, %d[%c0, %c0] : tensor<64x32xf32>, !bsmm.tensor_map<64x32xf32>
      bsmm.return
    }
  }
}
