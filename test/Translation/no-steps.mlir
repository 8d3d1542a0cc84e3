// A sum over nothing is zero: K = 0 known at compile time is a program like
// any other, which multiplies nothing and stores zeros.

// RUN: bsmm-translate --bsmm-to-ptx %s | FileCheck %s

// CHECK: .entry k
// CHECK-NOT: tcgen05.mma
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: ret;
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %c0 step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x64xf4E2M1FN> to tensor<64x128xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_tile = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}
