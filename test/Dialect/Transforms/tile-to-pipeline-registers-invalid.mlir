// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --split-input-file --verify-diagnostics

// Dots into registers that cannot be lowered, each with its reason.

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      // expected-error@below {{expected a target with wgmma, got sm_100a; multiply with block scales there (bsmm.scaled_dot)}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_120a">} {
  // expected-error@below {{expected a target with tensor memory or wgmma, got sm_120a; the pipeline level of other targets is not built yet}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<320x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<320x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<320x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<320x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<320x128xf8E4M3FN> -> tensor<320x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      // expected-error@below {{expected 64, 128, 192 or 256 rows for the warpgroups of a CTA, got 320}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<320x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<320x128xf32>
      scf.yield %next : tensor<320x128xf32>
    }
    %out = arith.truncf %acc : tensor<320x128xf32> to tensor<320x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<320x128xbf16>, !bsmm.tensor_map<320x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<192x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<40x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<192x40xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<192x40xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<192x40xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<192x128xf8E4M3FN> -> tensor<192x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<40x128xf8E4M3FN> -> tensor<40x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<40x128xf8E4M3FN> to tensor<128x40xf8E4M3FN>
      // expected-error@below {{expected a multiple of 16 columns in a tile of 192 rows, whose columns two warpgroups share, got 40}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<192x128xf8E4M3FN>, tensor<128x40xf8E4M3FN>, tensor<192x40xf32>
      scf.yield %next : tensor<192x40xf32>
    }
    %out = arith.truncf %acc : tensor<192x40xf32> to tensor<192x40xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<192x40xbf16>, !bsmm.tensor_map<192x40xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x16xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x16xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 16 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x16xf8E4M3FN> -> tensor<128x16xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x16xf8E4M3FN> -> tensor<128x16xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x16xf8E4M3FN> to tensor<16x128xf8E4M3FN>
      // expected-error@below {{expected a multiple of 32 elements of K in a step of wgmma.f8, got 16}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x16xf8E4M3FN>, tensor<16x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x8xbf16>,
                 %b: !bsmm.tensor_map<128x8xbf16>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 8 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x8xbf16> -> tensor<128x8xbf16>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x8xbf16> -> tensor<128x8xbf16>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x8xbf16> to tensor<8x128xbf16>
      // expected-error@below {{expected a multiple of 16 elements of K in a step of wgmma.bf16, got 8}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x8xbf16>, tensor<8x128xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<264x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x264xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x264xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x264xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<264x128xf8E4M3FN> -> tensor<264x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<264x128xf8E4M3FN> to tensor<128x264xf8E4M3FN>
      // expected-error@below {{sm_90a wgmma: expected N of 8 to 256 in steps of 8, got 264; the nearest legal N is 256}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x264xf8E4M3FN>, tensor<128x264xf32>
      scf.yield %next : tensor<128x264xf32>
    }
    %out = arith.truncf %acc : tensor<128x264xf32> to tensor<128x264xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x264xbf16>, !bsmm.tensor_map<128x264xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x32xf8E4M3FN>,
                 %b: !bsmm.tensor_map<20x32xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x20xf32>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x20xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x20xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x32xf8E4M3FN> -> tensor<128x32xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<20x32xf8E4M3FN> -> tensor<20x32xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<20x32xf8E4M3FN> to tensor<32x20xf8E4M3FN>
      // expected-error@below {{sm_90a wgmma: expected N of 8 to 256 in steps of 8, got 20; the nearest legal N is 24}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x32xf8E4M3FN>, tensor<32x20xf8E4M3FN>, tensor<128x20xf32>
      scf.yield %next : tensor<128x20xf32>
    }
    %unused = arith.constant 0 : i32
    bsmm.tma_store %acc, %d[%c0, %c0] : tensor<128x20xf32>, !bsmm.tensor_map<128x20xf32>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf4E2M1FN>,
                 %b: !bsmm.tensor_map<128x128xf4E2M1FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf4E2M1FN> to tensor<128x128xf4E2M1FN>
      // expected-error@below {{sm_90a wgmma: expected an A element type of e4m3, e5m2, f16, bf16, tf32, s8 or u8, got e2m1}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf4E2M1FN>, tensor<128x128xf4E2M1FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<256x256xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<256x256xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<256x256xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<256x128xf8E4M3FN> to tensor<128x256xf8E4M3FN>
      // expected-error@below {{expected at most 192 registers of a thread for accumulators, got 256 for a tile of 256x256; use a smaller tile}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<256x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<256x256xf32>
      scf.yield %next : tensor<256x256xf32>
    }
    %out = arith.truncf %acc : tensor<256x256xf32> to tensor<256x256xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<256x256xbf16>, !bsmm.tensor_map<256x256xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x256xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x256xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<256x128xf8E4M3FN> to tensor<128x256xf8E4M3FN>
      // expected-error@below {{expected at most 192 registers of a thread for accumulators, got 256 for a tile of 128x256 with promote_every; use a smaller tile}}
      %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<128x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x256xbf16>, !bsmm.tensor_map<128x256xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      // expected-error@below {{expected promote_every to be a multiple of 32 elements of K of wgmma.f8, got 16}}
      %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 16 : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>, tile = #bsmm.tile<m = 128, n = 64, k = 128>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      // expected-error@below {{expected a tile of 128x64x128 as the kernel's 'tile' says, got 128x128x128}}
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %first = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      // expected-error@below {{expected promote_every on all dots of an accumulator or on none}}
      %next = bsmm.dot %a_tile, %b_tile, %first : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

// A that is not K-major.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      // expected-note@below {{loaded here}}
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %a_t = bsmm.trans %a_tile [1, 0] : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      // expected-error@below {{the layout of A is not what the tensor core reads}}
      %next = bsmm.dot %a_t, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

// B that was loaded as rows of K.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      // expected-note@below {{loaded here}}
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      // expected-error@below {{the layout of B is not what the tensor core reads}}
      %next = bsmm.dot %a_tile, %b_rows, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %ones = arith.constant dense<1.0> : tensor<128xf32>
    // expected-error@below {{expected a vector of a bsmm.vector_load between the loop over K and the store}}
    %scales = bsmm.broadcast %ones dimension 0 : tensor<128xf32> to tensor<128x128xf32>
    %scaled = arith.mulf %acc, %scales : tensor<128x128xf32>
    %out = arith.truncf %scaled : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %half = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    %flat = bsmm.reshape %half : tensor<128x128xbf16> to tensor<64x256xbf16>
    // expected-error@below {{expected only dimensions of extent 1 to come or go between the loop over K and the store}}
    %out = bsmm.reshape %flat : tensor<64x256xbf16> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

// Loads of the epilogue stand behind the loop over K, not in it.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x128xbf16>, %steps: i32,
                 %p: !llvm.ptr<1>)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      // expected-error@below {{expected only loads, reshapes, dots and scalar arithmetic in a loop over K}}
      %v = bsmm.vector_load %p[%c0] limit %c1 : tensor<128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x128xbf16>, !bsmm.tensor_map<128x128xbf16>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x112xbf16>, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %extent = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %step = %c0 to %steps step %c1
        iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %k = arith.muli %step, %extent : i32
      %a_tile = bsmm.tma_load %a[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_rows = bsmm.tma_load %b[%c0, %k]
          : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b_tile = bsmm.trans %b_rows [1, 0]
          : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
      %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    // expected-error@below {{expected the accumulator of the loop over K as it is: only of those in tensor memory some columns are stored}}
    %some = bsmm.extract_columns %acc[%c0] : tensor<128x128xf32> to tensor<128x112xf32>
    %out = arith.truncf %some : tensor<128x112xf32> to tensor<128x112xbf16>
    bsmm.tma_store %out, %d[%c0, %c0] : tensor<128x112xbf16>, !bsmm.tensor_map<128x112xbf16>
    bsmm.return
  }
}
