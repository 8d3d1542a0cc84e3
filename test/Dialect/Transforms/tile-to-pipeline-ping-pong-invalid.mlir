// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --split-input-file --verify-diagnostics
// RUN: sed -z 's/}\n      bsmm.return/} {bsmm.ping_pong}\n      bsmm.return/' %examples/nvfp4_gemm.mlir > %t.mlir
// RUN: not bsmm-opt %t.mlir --bsmm-tile-to-pipeline 2>&1 | FileCheck %s
// CHECK: error: 'scf.for' op expected no bsmm.ping_pong with accumulators in tensor memory: draining is a role of its own there

// Kernels whose warpgroups cannot take turns, each with its reason.

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      // expected-error@below {{expected bsmm.ping_pong on a loop over output tiles, got it on the loop over K}}
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      } {bsmm.ping_pong}
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// On both.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      // expected-error@below {{expected bsmm.ping_pong on a loop over output tiles, got it on the loop over K}}
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      } {bsmm.ping_pong}
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// A consumer cannot count the steps of the other one's tiles.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %varying = arith.addi %steps, %tile : i32
      // expected-error@below {{expected bounds that are the same for all output tiles, which bsmm.ping_pong needs}}
      %acc = scf.for %step = %c0 to %varying step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %varying = arith.remui %tile, %steps : i32
      // expected-error@below {{expected bounds that are the same for all output tiles, which bsmm.ping_pong needs}}
      %acc = scf.for %step = %varying to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      // expected-error@below {{expected at least 2 stages with bsmm.ping_pong, got 1}}
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      } {bsmm.stages = 1 : i64}
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// One warpgroup has the whole tile.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<128x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<256x128xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<256x128xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<256x128xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<128x128xf8E4M3FN> to tensor<128x128xf8E4M3FN>
        // expected-error@below {{expected at most 192 registers of a thread for accumulators, got 256 for a tile of 256x128; use a smaller tile}}
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<256x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<256x128xf32>
        scf.yield %next : tensor<256x128xf32>
      }
      %out = arith.truncf %acc : tensor<256x128xf32> to tensor<256x128xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<256x128xbf16>, !bsmm.tensor_map<256x128xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<256x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x256xbf16>,
                 %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x256xf32>
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x256xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<256x128xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<256x128xf8E4M3FN> to tensor<128x256xf8E4M3FN>
        // expected-error@below {{expected at most 192 registers of a thread for accumulators, got 256 for a tile of 64x256 with promote_every; use a smaller tile}}
        %next = bsmm.dot %a_tile, %b_tile, %sum promote_every 128 : tensor<64x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<64x256xf32>
        scf.yield %next : tensor<64x256xf32>
      }
      %out = arith.truncf %acc : tensor<64x256xf32> to tensor<64x256xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x256xbf16>, !bsmm.tensor_map<64x256xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}

// -----

// Slots are counted along the trips.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>,
                 %first: i64, %tiles: i64, %ctas: i64, %steps: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k_extent = arith.constant 128 : i32
    %m_extent = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@below {{expected an i32 loop over output tiles with bsmm.ping_pong, got 'i64'}}
    scf.for %tile_wide = %first to %tiles step %ctas : i64 {
      %tile = arith.trunci %tile_wide : i64 to i32
      %row = arith.muli %tile, %m_extent : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %k_extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%c0, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %c0] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    } {bsmm.ping_pong}
    bsmm.return
  }
}
