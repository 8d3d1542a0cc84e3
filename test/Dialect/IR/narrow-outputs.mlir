// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --mlir-print-op-generic %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

// Outputs of 8 bits, and stores that add.

gpu.module @kernels {
  // CHECK-LABEL: bsmm.kernel @tile
  // CHECK-SAME: split_k = 3 : i64
  bsmm.kernel @tile(%d: !bsmm.tensor_map<1x64x32xf32>, %i: i32)
      attributes {level = #bsmm.level<tile>, split_k = 3 : i64} {
    %0 = arith.constant dense<1.0> : tensor<64x32xf32>
    // CHECK: bsmm.saturating_cast %{{.*}} : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
    %1 = bsmm.saturating_cast %0 : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
    // CHECK: bsmm.saturating_cast %{{.*}} : tensor<64x32xf32> to tensor<64x32xf8E5M2>
    %2 = bsmm.saturating_cast %0 : tensor<64x32xf32> to tensor<64x32xf8E5M2>
    %3 = bsmm.reshape %0 : tensor<64x32xf32> to tensor<1x64x32xf32>
    // CHECK: bsmm.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] add : tensor<1x64x32xf32>, !bsmm.tensor_map<1x64x32xf32>
    bsmm.tma_store %3, %d[%i, %i, %i] add
        : tensor<1x64x32xf32>, !bsmm.tensor_map<1x64x32xf32>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @pipeline
  bsmm.kernel @pipeline(%d: !bsmm.tensor_map<1x64x32xf32>, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %buffer = bsmm.alloc : !bsmm.buffer<64x32xf32, shared, swizzle_128B>
    %values = arith.constant dense<1.0> : vector<16xf32>
    // CHECK: bsmm.convert_values %{{.*}} : vector<16xf32> to vector<16xf8E4M3FN>
    %0 = bsmm.convert_values %values : vector<16xf32> to vector<16xf8E4M3FN>
    bsmm.warp_role 0 {
      bsmm.leader {
        // CHECK: bsmm.store_async %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] add : !bsmm.buffer<64x32xf32, shared, swizzle_128B>, !bsmm.tensor_map<1x64x32xf32>
        bsmm.store_async %buffer, %d[%i, %i, %i] add
            : !bsmm.buffer<64x32xf32, shared, swizzle_128B>, !bsmm.tensor_map<1x64x32xf32>
        bsmm.wait_stores
      }
    }
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @decode
  bsmm.kernel @decode(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %scales = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %decoded = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      // CHECK: bsmm.decode_operand %{{.*}} scales %{{.*}} row %{{.*}} valid %{{.*}} to %{{.*}} : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>, !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
      bsmm.decode_operand %codes scales %scales row %i valid %i to %decoded
          : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>,
            !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
          to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// CHECK-LABEL: func.func @problem
// CHECK: outs(%{{.*}} : tensor<8x16xf8E5M2>)
// CHECK-SAME: overflow = saturate
func.func @problem(%a: tensor<8x32xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>,
                   %d: tensor<8x16xf8E5M2>) -> tensor<8x16xf8E5M2> {
  %0 = bsmm.scaled_matmul
      ins(%a, %b : tensor<8x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>)
      outs(%d : tensor<8x16xf8E5M2>)
      {numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>}
      -> tensor<8x16xf8E5M2>
  return %0 : tensor<8x16xf8E5M2>
}
