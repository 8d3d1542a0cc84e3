// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --split-input-file --verify-diagnostics

// The kernel that the cases below are made of is right.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m {
  // expected-error@below {{expected a target, e.g. target = #bsmm.target<"sm_100a">}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_120a">} {
  // expected-error@below {{expected a target with tensor memory or wgmma, got sm_120a; the pipeline level of other targets is not built yet}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_121a">} {
  // expected-error@below {{expected a target with tensor memory or wgmma, got sm_121a; the pipeline level of other targets is not built yet}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected a bsmm.scaled_dot or bsmm.dot in a loop over K}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %a_tile = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    %b_rows = bsmm.tma_load %b[%c0, %c0]
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
    // expected-error@below {{expected to be directly in an scf.for over K}}
    %acc = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %zero
        : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
          tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      %p = arith.cmpi eq, %step, %c0 : i32
      %next = scf.if %p -> (tensor<128x128xf32>) {
        // expected-error@below {{expected to be directly in an scf.for over K}}
        %inner = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
        scf.yield %inner : tensor<128x128xf32>
      } else {
        scf.yield %sum : tensor<128x128xf32>
      }
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    scf.for %t0 = %c0 to %steps step %c1 : i32 {
    scf.for %t1 = %c0 to %steps step %c1 : i32 {
    // expected-error@below {{expected the loop over K in the kernel, or in one loop over output tiles}}
    %acc = scf.for %step = %c0 to %steps step %c1
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
    }
    }
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a loop over output tiles without values carried around it}}
    %x = scf.for %t0 = %c0 to %steps step %c1 iter_args(%y = %c0) -> (i32) : i32 {
    %acc = scf.for %step = %c0 to %steps step %c1
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
      scf.yield %y : i32
    }
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %i0 = arith.index_cast %c0 : i32 to index
    %i1 = arith.index_cast %c1 : i32 to index
    %in = arith.index_cast %steps : i32 to index
    // expected-error@below {{expected an i32 loop over K, got 'index'}}
    %acc = scf.for %step_i = %i0 to %in step %i1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %step = arith.index_cast %step_i : index to i32
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a signed loop in a kernel}}
    %acc = scf.for unsigned %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a signed loop in a kernel}}
    scf.for unsigned %t0 = %c0 to %steps step %c1 : i32 {
    %acc = scf.for %step = %c0 to %steps step %c1
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
    }
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a positive step, got 0}}
    %acc = scf.for %step = %c0 to %steps step %c0
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant -1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a positive step, got -1}}
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a constant step of the loop over K}}
    %acc = scf.for %step = %c0 to %steps step %steps
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected the accumulator as only value carried around the loop over K}}
    %acc:2 = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero, %y = %c0) -> (tensor<128x128xf32>, i32) : i32 {
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
      scf.yield %next, %y : tensor<128x128xf32>, i32
    }
    %out = arith.truncf %acc#0 : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<1.0> : tensor<128x128xf32>
    // expected-error@below {{expected the accumulator to start as a constant of zeros}}
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %f = arith.constant 0.0 : f32
    %zero = tensor.splat %f : tensor<128x128xf32>
    // expected-error@below {{expected the accumulator to start as a constant of zeros}}
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %acc2 = scf.for %step2 = %c0 to %steps step %c1
        iter_args(%sum2 = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step2, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %step2]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %step2]
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
      // expected-error@below {{expected all dots in one loop over K}}
      %other = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum2
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %other : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

// Both dots add to the same value: the first sum is lost.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      // expected-error@below {{expected to add to the one accumulator of the loop over K}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      %other = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      // expected-error@below {{expected to add to the one accumulator of the loop over K}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %zero
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected the loop over K to yield the sum of its dots}}
    %acc = scf.for %step = %c0 to %steps step %c1
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
      scf.yield %zero : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      // expected-error@below {{expected every load of the loop over K to feed a dot}}
      %unused = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      // expected-error@below {{expected only loads, reshapes, dots and scalar arithmetic in a loop over K}}
      %neg = arith.negf %zero : tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      %p = arith.cmpi eq, %step, %c0 : i32
      // expected-error@below {{expected only loads, reshapes, dots and scalar arithmetic in a loop over K}}
      scf.if %p {
      }
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %out = arith.constant dense<0.0> : tensor<128x128xf16>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      // expected-error@below {{expected only loads, reshapes, dots and scalar arithmetic in a loop over K}}
      bsmm.tma_store %out, %d[%c0, %c0]
          : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out2 = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_tile = bsmm.tma_load %a[%c0, %c0]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
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
      // expected-error@below {{expected its tiles to be loaded in the same loop body}}
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

// -----

// The layouts are proved here too.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      // expected-note@below {{loaded here}}
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.reshape %b_rows
          : tensor<128x64xf4E2M1FN> to tensor<64x128xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_tile = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      // expected-error@below {{the layout of B is not what the tensor core reads}}
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<8x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x8xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x8xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x8xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<8x64xf4E2M1FN> -> tensor<8x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<8x64xf4E2M1FN> to tensor<64x8xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_all = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_tile = bsmm.extract_rows %sfb_all[%c0]
          : tensor<128x4xf8E4M3FN> to tensor<8x4xf8E4M3FN>
      // expected-error@below {{sm_100a tcgen05: expected N of 16 to 256 in steps of 16, got 8; the nearest legal N is 16}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x8xf4E2M1FN>, tensor<8x4xf8E4M3FN>, tensor<128x8xf32>
      scf.yield %next : tensor<128x8xf32>
    }
    %out = arith.truncf %acc : tensor<128x8xf32> to tensor<128x8xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x8xf16>, !bsmm.tensor_map<128x8xf16>
    bsmm.return
  }
}

// -----

// An offset that may be anything.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<64x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x64xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x64xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<64x64xf4E2M1FN> -> tensor<64x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<64x64xf4E2M1FN> to tensor<64x64xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_all = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_tile = bsmm.extract_rows %sfb_all[%steps]
          : tensor<128x4xf8E4M3FN> to tensor<64x4xf8E4M3FN>
      // expected-error@below {{expected the rows of the scales of B to start at a multiple of 32 in a scale tile, e.g. at the remainder by 128 of a multiple of 32}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x64xf4E2M1FN>, tensor<64x4xf8E4M3FN>, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %out = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x64xf16>, !bsmm.tensor_map<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<64x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x64xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x64xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<64x64xf4E2M1FN> -> tensor<64x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<64x64xf4E2M1FN> to tensor<64x64xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_all = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_tile = bsmm.extract_rows %sfb_all[%c16]
          : tensor<128x4xf8E4M3FN> to tensor<64x4xf8E4M3FN>
      // expected-error@below {{expected the rows of the scales of B to start at a multiple of 32 in a scale tile, e.g. at the remainder by 128 of a multiple of 32}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x64xf4E2M1FN>, tensor<64x4xf8E4M3FN>, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %out = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x64xf16>, !bsmm.tensor_map<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {tile = #bsmm.tile<m = 64, n = 128, k = 64>,
                  level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      // expected-error@below {{expected a tile of 64x128x64 as the kernel's 'tile' says, got 128x128x64}}
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<64x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<64x64xf4E2M1FN> -> tensor<64x64xf4E2M1FN>
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
      %sfa_all = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfa_tile = bsmm.extract_rows %sfa_all[%c0]
          : tensor<128x4xf8E4M3FN> to tensor<64x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_tile = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      // expected-error@below {{sm_100a tcgen05: expected M of 128, got 64}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<64x64xf4E2M1FN>, tensor<64x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    %out = arith.truncf %acc : tensor<64x128xf32> to tensor<64x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<64x128xf16>, !bsmm.tensor_map<64x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<4x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<4x256xf8E4M3FN> -> tensor<4x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x64xf4E2M1FN> to tensor<64x128xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<4x256xf8E4M3FN> to tensor<2x32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [0, 2, 1, 3]
          : tensor<2x32x4x4xf8E4M3FN> to tensor<2x4x32x4xf8E4M3FN>
      %sfa_all = bsmm.reshape %sfa_2 : tensor<2x4x32x4xf8E4M3FN> to tensor<256x4xf8E4M3FN>
      %sfa_tile = bsmm.extract_rows %sfa_all[%c0]
          : tensor<256x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_tile = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      // expected-error@below {{expected all rows of the loaded scales of A, which start at a multiple of 128 rows}}
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

// -----

// FP8 by FP4: the tensor core reads padded FP4, which is not made yet.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E8M0FNU>,
                 %sfb: !bsmm.tensor_map<2x256xf8E8M0FNU>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E8M0FNU> -> tensor<2x256xf8E8M0FNU>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E8M0FNU> -> tensor<2x256xf8E8M0FNU>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf4E2M1FN> to tensor<128x128xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E8M0FNU> to tensor<32x4x4xf8E8M0FNU>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E8M0FNU> to tensor<4x32x4xf8E8M0FNU>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E8M0FNU> to tensor<128x4xf8E8M0FNU>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E8M0FNU> to tensor<32x4x4xf8E8M0FNU>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E8M0FNU> to tensor<4x32x4xf8E8M0FNU>
      %sfb_tile = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E8M0FNU> to tensor<128x4xf8E8M0FNU>
      // expected-error@below {{expected operands of 8 bits for}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x128xf8E4M3FN>, tensor<128x4xf8E8M0FNU>,
            tensor<128x128xf4E2M1FN>, tensor<128x4xf8E8M0FNU>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

// The rows of a load are the rows of the operand: boxes of other rows would lie
// elsewhere, although the elements are in order.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8192xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      // expected-error@below {{expected a tensor map of 128 rows of 64 elements, with extent 1 in the outer dimensions, got '!bsmm.tensor_map<8192xf4E2M1FN>'}}
      %a_box = bsmm.tma_load %a[%k]
          : !bsmm.tensor_map<8192xf4E2M1FN> -> tensor<8192xf4E2M1FN>
      %a_tile = bsmm.reshape %a_box
          : tensor<8192xf4E2M1FN> to tensor<128x64xf4E2M1FN>
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      // expected-error@below {{expected a tensor map of 128 rows of 64 elements, with extent 1 in the outer dimensions, got '!bsmm.tensor_map<64x128xf4E2M1FN>'}}
      %a_box = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<64x128xf4E2M1FN> -> tensor<64x128xf4E2M1FN>
      %a_tile = bsmm.reshape %a_box
          : tensor<64x128xf4E2M1FN> to tensor<128x64xf4E2M1FN>
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<256x32xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      // expected-error@below {{expected a tensor map of 128 rows of 64 elements, with extent 1 in the outer dimensions, got '!bsmm.tensor_map<256x32xf4E2M1FN>'}}
      %a_box = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<256x32xf4E2M1FN> -> tensor<256x32xf4E2M1FN>
      %a_tile = bsmm.reshape %a_box
          : tensor<256x32xf4E2M1FN> to tensor<128x64xf4E2M1FN>
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<2x64x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      // expected-error@below {{expected a tensor map of 128 rows of 64 elements, with extent 1 in the outer dimensions, got '!bsmm.tensor_map<2x64x64xf4E2M1FN>'}}
      %a_box = bsmm.tma_load %a[%c0, %c0, %k]
          : !bsmm.tensor_map<2x64x64xf4E2M1FN> -> tensor<2x64x64xf4E2M1FN>
      %a_tile = bsmm.reshape %a_box
          : tensor<2x64x64xf4E2M1FN> to tensor<128x64xf4E2M1FN>
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x2x32xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      // expected-error@below {{expected a tensor map of 128 rows of 64 elements, with extent 1 in the outer dimensions, got '!bsmm.tensor_map<128x2x32xf4E2M1FN>'}}
      %a_box = bsmm.tma_load %a[%c0, %c0, %k]
          : !bsmm.tensor_map<128x2x32xf4E2M1FN> -> tensor<128x2x32xf4E2M1FN>
      %a_tile = bsmm.reshape %a_box
          : tensor<128x2x32xf4E2M1FN> to tensor<128x64xf4E2M1FN>
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

// -----

// Scales are masked where they were loaded.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum limit_k(%steps)
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      // expected-error@below {{expected one limit_k for scaled dots that share loaded scales}}
      %other = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %next limit_k(%c1)
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %other : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum limit_k(%steps)
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      // expected-error@below {{expected one limit_k for scaled dots that share loaded scales}}
      %other = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %next
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %other : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected a store of the result after the loop over K}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected a store of the result after the loop over K}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %out = arith.constant dense<0.0> : tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %again = arith.constant dense<0.0> : tensor<128x128xf16>
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    // expected-note@below {{the first store is here}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    // expected-error@below {{expected one store in a kernel}}
    bsmm.tma_store %again, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

// A store outside of the loop over tiles is not forgotten.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %again = arith.constant dense<0.0> : tensor<128x128xf16>
    scf.for %t0 = %c0 to %steps step %c1 : i32 {
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-note@below {{the first store is here}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    }
    // expected-error@below {{expected one store in a kernel}}
    bsmm.tma_store %again, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf4E2M1FN>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf4E2M1FN>
    // expected-error@below {{expected an output of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'f4E2M1FN'}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf4E2M1FN>, !bsmm.tensor_map<128x128xf4E2M1FN>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xi8>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %out = arith.fptosi %acc : tensor<128x128xf32> to tensor<128x128xi8>
    // expected-error@below {{expected an output of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'i8'}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xi8>, !bsmm.tensor_map<128x128xi8>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xi32>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %out = arith.fptosi %acc : tensor<128x128xf32> to tensor<128x128xi32>
    // expected-error@below {{expected an output of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'i32'}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xi32>, !bsmm.tensor_map<128x128xi32>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<256x64xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %box = bsmm.reshape %out : tensor<128x128xf16> to tensor<256x64xf16>
    // expected-error@below {{expected a tile of 128x128 like the accumulator, got 'tensor<256x64xf16>'}}
    bsmm.tma_store %box, %d[%c0, %c0]
        : tensor<256x64xf16>, !bsmm.tensor_map<256x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %p = arith.cmpi eq, %steps, %c0 : i32
    // expected-error@below {{expected only scalar arithmetic and elementwise operations on tiles around the loop over K}}
    scf.if %p {
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %p = arith.cmpi eq, %steps, %c0 : i32
    // expected-error@below {{expected only scalar arithmetic and elementwise operations on tiles around the loop over K}}
    %x = scf.if %p -> (tensor<128x128xf32>) {
      scf.yield %zero : tensor<128x128xf32>
    } else {
      scf.yield %acc : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-error@below {{expected only scalar arithmetic and elementwise operations on tiles around the loop over K}}
    %old = bsmm.tma_load %d[%c0, %c0]
        : !bsmm.tensor_map<128x128xf16> -> tensor<128x128xf16>
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %x = math.log %acc : tensor<128x128xf32>
    %out = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
    // expected-error@below {{expected elementwise arith operations in f16, bf16 or f32, or math.exp of f32, on the accumulator, constants, loads and scalars before the store, got 'math.log' on the way}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %x = arith.remf %acc, %acc : tensor<128x128xf32>
    %out = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
    // expected-error@below {{expected elementwise arith operations in f16, bf16 or f32, or math.exp of f32, on the accumulator, constants, loads and scalars before the store, got 'arith.remf' on the way}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %x = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    %out = bsmm.trans %x [1, 0]
        : tensor<128x128xf16> to tensor<128x128xf16>
    // expected-error@below {{expected elementwise arith operations in f16, bf16 or f32, or math.exp of f32, on the accumulator, constants, loads and scalars before the store, got 'bsmm.trans' on the way}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-error@below {{expected to be the only user of the loop over K}}
    %t = bsmm.trans %acc [1, 0]
        : tensor<128x128xf32> to tensor<128x128xf32>
    %x = arith.addf %t, %acc : tensor<128x128xf32>
    %out = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 3 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected a number of columns that is a multiple of 24 for 3 CTAs, got 128}}
    %acc = scf.for %step = %c0 to %steps step %c1
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
    } {bsmm.split = 3 : i64}
    %x = bsmm.trans %acc [1, 0]
        : tensor<128x128xf32> to tensor<128x128xf32>
    %out = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %y = arith.extf %acc : tensor<128x128xf32> to tensor<128x128xf64>
    %x = arith.truncf %y : tensor<128x128xf64> to tensor<128x128xf32>
    %out = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
    // expected-error@below {{expected elementwise arith operations in f16, bf16 or f32, or math.exp of f32, on the accumulator, constants, loads and scalars before the store, got 'arith.truncf' on the way}}
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %y = bsmm.reshape %acc : tensor<128x128xf32> to tensor<256x64xf32>
    // expected-error@below {{expected only dimensions of extent 1 to come or go between the loop over K and the store}}
    %x = bsmm.reshape %y : tensor<256x64xf32> to tensor<128x128xf32>
    %out = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

// The TMA unit takes whole 16 bytes of a row: 32 elements of 4 bits.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      // expected-error@below {{expected an inner coordinate that is a multiple of 32 elements (16 bytes), such as a loop counter times the tile's extent}}
      %a_tile = bsmm.tma_load %a[%c0, %step]
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %odd = arith.addi %k, %c1 : i32
      // expected-error@below {{expected an inner coordinate that is a multiple of 32 elements (16 bytes), such as a loop counter times the tile's extent}}
      %b_rows = bsmm.tma_load %b[%c0, %odd]
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-error@below {{expected an inner coordinate that is a multiple of 8 elements (16 bytes), such as a loop counter times the tile's extent}}
    bsmm.tma_store %out, %d[%c0, %steps]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-error@below {{expected rounding to nearest even in an epilogue}}
    %out = arith.truncf %acc toward_zero : tensor<128x128xf32> to tensor<128x128xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x128xf16>, !bsmm.tensor_map<128x128xf16>
    bsmm.return
  }
}

// -----

// Scalars are integers, f16, bf16 or f32.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error@below {{expected only scalar arithmetic and elementwise operations on tiles around the loop over K}}
    %f = arith.sitofp %steps : i32 to f64
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %f = arith.sitofp %steps : i32 to f32
    // expected-error@below {{expected only scalar arithmetic and elementwise operations on tiles around the loop over K}}
    %g = math.exp %f : f32
    %acc = scf.for %step = %c0 to %steps step %c1
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

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %f = arith.sitofp %step : i32 to f32
      // expected-error@below {{expected only loads, reshapes, dots and scalar arithmetic in a loop over K}}
      %g = math.exp %f : f32
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

// -----

// One load, as scales of 128 rows and as scales of 256 rows: both are legal
// layouts of the same bytes, but a slot has one type.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x256xf4E2M1FN>,
                 %b: !bsmm.tensor_map<192x256xf4E2M1FN>,
                 %sf: !bsmm.tensor_map<8x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<16x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x192xf16>, %steps: i32,
                 %a2: !bsmm.tensor_map<128x128xf4E2M1FN>,
                 %b2: !bsmm.tensor_map<192x128xf4E2M1FN>,
                 %sfa2: !bsmm.tensor_map<4x256xf8E4M3FN>)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x192xf32>) : i32 {
      %k = arith.muli %step, %c256 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x256xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<192x256xf4E2M1FN> -> tensor<192x256xf4E2M1FN>
      %a2_tile = bsmm.tma_load %a2[%c0, %k]
          : !bsmm.tensor_map<128x128xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
      %b2_rows = bsmm.tma_load %b2[%c0, %k]
          : !bsmm.tensor_map<192x128xf4E2M1FN> -> tensor<192x128xf4E2M1FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<192x256xf4E2M1FN> to tensor<256x192xf4E2M1FN>
      %b2_tile = bsmm.trans %b2_rows [1, 0]
          : tensor<192x128xf4E2M1FN> to tensor<128x192xf4E2M1FN>
      %sf_0 = bsmm.tma_load %sf[%c0, %c0]
          : !bsmm.tensor_map<8x256xf8E4M3FN> -> tensor<8x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<16x256xf8E4M3FN> -> tensor<16x256xf8E4M3FN>
      %sfa2_0 = bsmm.tma_load %sfa2[%c0, %c0]
          : !bsmm.tensor_map<4x256xf8E4M3FN> -> tensor<4x256xf8E4M3FN>
      %sfa_1 = bsmm.reshape %sf_0 : tensor<8x256xf8E4M3FN> to tensor<4x32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [2, 1, 0, 3]
          : tensor<4x32x4x4xf8E4M3FN> to tensor<4x32x4x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<16x256xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [0, 3, 2, 1, 4]
          : tensor<2x4x32x4x4xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
      %sfb_all = bsmm.reshape %sfb_2 : tensor<2x4x32x4x4xf8E4M3FN> to tensor<256x16xf8E4M3FN>
      %sfb_tile = bsmm.extract_rows %sfb_all[%c0]
          : tensor<256x16xf8E4M3FN> to tensor<192x16xf8E4M3FN>
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
            tensor<256x192xf4E2M1FN>, tensor<192x16xf8E4M3FN>, tensor<128x192xf32>
      %sfa2_1 = bsmm.reshape %sfa2_0 : tensor<4x256xf8E4M3FN> to tensor<2x32x4x4xf8E4M3FN>
      %sfa2_2 = bsmm.trans %sfa2_1 [2, 1, 0, 3]
          : tensor<2x32x4x4xf8E4M3FN> to tensor<4x32x2x4xf8E4M3FN>
      %sfa2_tile = bsmm.reshape %sfa2_2 : tensor<4x32x2x4xf8E4M3FN> to tensor<128x8xf8E4M3FN>
      %sfb2_1 = bsmm.reshape %sf_0 : tensor<8x256xf8E4M3FN> to tensor<2x2x32x4x4xf8E4M3FN>
      %sfb2_2 = bsmm.trans %sfb2_1 [0, 3, 2, 1, 4]
          : tensor<2x2x32x4x4xf8E4M3FN> to tensor<2x4x32x2x4xf8E4M3FN>
      %sfb2_all = bsmm.reshape %sfb2_2 : tensor<2x4x32x2x4xf8E4M3FN> to tensor<256x8xf8E4M3FN>
      %sfb2_tile = bsmm.extract_rows %sfb2_all[%c0]
          : tensor<256x8xf8E4M3FN> to tensor<192x8xf8E4M3FN>
      // expected-error@below {{expected one use of a loaded tile, got it as '!bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>' and as '!bsmm.buffer<256x8xf8E4M3FN, shared, scale_tiles>'}}
      %last = bsmm.scaled_dot %a2_tile scales %sfa2_tile, %b2_tile scales %sfb2_tile, %next
          : tensor<128x128xf4E2M1FN>, tensor<128x8xf8E4M3FN>,
            tensor<128x192xf4E2M1FN>, tensor<192x8xf8E4M3FN>, tensor<128x192xf32>
      scf.yield %last : tensor<128x192xf32>
    }
    %out = arith.truncf %acc : tensor<128x192xf32> to tensor<128x192xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x192xf16>, !bsmm.tensor_map<128x192xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @columns_48(
      %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x48x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x40xf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>},
      %N: i32 {bsmm.role = #bsmm.role<n>},
      %K: i32 {bsmm.role = #bsmm.role<k>},
      %L: i32 {bsmm.role = #bsmm.role<l>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c48 = arith.constant 48 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<128x48xf32>
    %tile_x = gpu.block_id x
    %first = arith.index_cast %tile_x : index to i32
    %steps = arith.ceildivui %K, %c256 : i32
    %groups = arith.ceildivui %K, %c16 : i32
    %tiles_m = arith.ceildivui %M, %c128 : i32
    %tiles_n = arith.ceildivui %N, %c48 : i32
    %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
    %ctas_x = gpu.grid_dim x
    %ctas = arith.index_cast %ctas_x : index to i32
    %tiles = arith.muli %tiles_mn, %L : i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %l = arith.divui %tile, %tiles_mn : i32
      %tile_mn = arith.remui %tile, %tiles_mn : i32
      %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
      %m = arith.muli %tile_m, %c128 : i32
      %n = arith.muli %tile_n, %c48 : i32
      %scale_n = arith.divui %n, %c128 : i32
      %half = arith.constant 0 : i32
      // expected-error@below {{expected a multiple of 16 columns for two warpgroups that share them, got 40}}
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum0 = %zero) -> (tensor<128x48xf32>) : i32 {
        %k = arith.muli %step, %c256 : i32
        %scale_k = arith.muli %step, %c4 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1x48x256xf4E2M1FN> -> tensor<1x48x256xf4E2M1FN>
        %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %sfb_box = bsmm.tma_load %sfb[%l, %scale_n, %scale_k, %c0, %c0]
            : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
        %b_rows = bsmm.reshape %b_box : tensor<1x48x256xf4E2M1FN> to tensor<48x256xf4E2M1FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<48x256xf4E2M1FN> to tensor<256x48xf4E2M1FN>
        %sfa_5d = bsmm.reshape %sfa_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfa_tile = bsmm.reshape %sfa_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_5d = bsmm.reshape %sfb_box
            : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
        %sfb_all = bsmm.reshape %sfb_t
            : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
        %sfb_tile = bsmm.extract_rows %sfb_all[%half]
            : tensor<128x16xf8E4M3FN> to tensor<48x16xf8E4M3FN>
        %first_group = arith.muli %step, %c16 : i32
        %left = arith.subi %groups, %first_group : i32
        %sum1 = bsmm.scaled_dot %a_tile scales %sfa_tile,
            %b_tile scales %sfb_tile, %sum0 limit_k(%left)
            : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
              tensor<256x48xf4E2M1FN>, tensor<48x16xf8E4M3FN>, tensor<128x48xf32>
        scf.yield %sum1 : tensor<128x48xf32>
      } {bsmm.epilogue_warps = 8 : i64}
      %some = bsmm.extract_columns %acc[%c0] : tensor<128x48xf32> to tensor<128x40xf32>
      %out = arith.truncf %some : tensor<128x40xf32> to tensor<128x40xf16>
      %out_box = bsmm.reshape %out : tensor<128x40xf16> to tensor<1x128x40xf16>
      bsmm.tma_store %out_box, %d[%l, %m, %n]
          : tensor<1x128x40xf16>, !bsmm.tensor_map<1x128x40xf16>
    }
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x112xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-error@below {{expected to be the only user of the loop over K}}
    %some = bsmm.extract_columns %acc[%c0] : tensor<128x128xf32> to tensor<128x112xf32>
    %other = bsmm.extract_columns %acc[%c0] : tensor<128x128xf32> to tensor<128x112xf32>
    %t = arith.addf %some, %other : tensor<128x112xf32>
    %out = arith.truncf %t : tensor<128x112xf32> to tensor<128x112xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x112xf16>, !bsmm.tensor_map<128x112xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x112xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    // expected-error@below {{expected an offset that is a constant or a remainder by one}}
    %t = bsmm.extract_columns %acc[%steps] : tensor<128x128xf32> to tensor<128x112xf32>
    %out = arith.truncf %t : tensor<128x112xf32> to tensor<128x112xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x112xf16>, !bsmm.tensor_map<128x112xf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x112xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
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
    %first = arith.remui %steps, %c64 : i32
    // expected-error@below {{expected columns inside of the tile, got offsets up to 63, of which at most 16 are legal}}
    %t = bsmm.extract_columns %acc[%first] : tensor<128x128xf32> to tensor<128x112xf32>
    %out = arith.truncf %t : tensor<128x112xf32> to tensor<128x112xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x112xf16>, !bsmm.tensor_map<128x112xf16>
    bsmm.return
  }
}

// -----

// An offset that may be anything.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN>,
                 %b: !bsmm.tensor_map<64x64xf4E2M1FN>,
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %sfb: !bsmm.tensor_map<2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x64xf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x64xf32>) : i32 {
      %k = arith.muli %step, %c64 : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<64x64xf4E2M1FN> -> tensor<64x64xf4E2M1FN>
      %sfa_0 = bsmm.tma_load %sfa[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %sfb_0 = bsmm.tma_load %sfb[%c0, %c0]
          : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<64x64xf4E2M1FN> to tensor<64x64xf4E2M1FN>
      %sfa_1 = bsmm.reshape %sfa_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfa_2 = bsmm.trans %sfa_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfa_tile = bsmm.reshape %sfa_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %sfb_1 = bsmm.reshape %sfb_0 : tensor<2x256xf8E4M3FN> to tensor<32x4x4xf8E4M3FN>
      %sfb_2 = bsmm.trans %sfb_1 [1, 0, 2]
          : tensor<32x4x4xf8E4M3FN> to tensor<4x32x4xf8E4M3FN>
      %sfb_all = bsmm.reshape %sfb_2 : tensor<4x32x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
      %c32 = arith.constant 32 : i32
      %c128 = arith.constant 128 : i32
      %n = arith.muli %steps, %c32 : i32
      %row = arith.remui %n, %c128 : i32
      %sfb_tile = bsmm.extract_rows %sfb_all[%row]
          : tensor<128x4xf8E4M3FN> to tensor<64x4xf8E4M3FN>
      // expected-error@below {{expected scales for 64 rows of B from row 96 of a scale tile on, got 128 rows}}
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
          : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
            tensor<64x64xf4E2M1FN>, tensor<64x4xf8E4M3FN>, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %out = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
    bsmm.tma_store %out, %d[%c0, %c0]
        : tensor<128x64xf16>, !bsmm.tensor_map<128x64xf16>
    bsmm.return
  }
}
