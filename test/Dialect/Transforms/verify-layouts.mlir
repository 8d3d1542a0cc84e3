// RUN: bsmm-opt %s --bsmm-verify-layouts=print=true --split-input-file --verify-diagnostics
// RUN: bsmm-opt %examples/nvfp4_gemm.mlir --bsmm-verify-layouts 2>&1 | FileCheck %s --implicit-check-not=remark

// Without the option a proof is silent and changes nothing.
// CHECK: bsmm.scaled_dot

// The operands of the NVFP4 kernel: 128x256 tiles, four scale tiles each.
gpu.module @m {
  bsmm.kernel @nvfp4(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sa_1 = bsmm.trans %sa_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sa_2 = bsmm.reshape %sa_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    %b_0 = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %b_1 = bsmm.trans %b_0 [1, 0] : tensor<128x256xf4E2M1FN>
        to tensor<256x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    // expected-remark@below {{proved: A '!bsmm.tensor_map<1x128x256xf4E2M1FN>' -> (128)x(256) : (256)x(1) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: B^T '!bsmm.tensor_map<1x128x256xf4E2M1FN>' -> (256)x(128) : (1)x(256) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: the scales of A '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    // expected-remark@below {{proved: the scales of B '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// 192 columns out of two rows of scale tiles.
gpu.module @m {
  bsmm.kernel @extract_192(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x192x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x192xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x192x256xf4E2M1FN> -> tensor<1x192x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> -> tensor<1x2x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sa_1 = bsmm.trans %sa_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sa_2 = bsmm.reshape %sa_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    %b_0 = bsmm.reshape %b_box : tensor<1x192x256xf4E2M1FN>
        to tensor<192x256xf4E2M1FN>
    %b_1 = bsmm.trans %b_0 [1, 0] : tensor<192x256xf4E2M1FN>
        to tensor<256x192xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x2x4x2x256xf8E4M3FN>
        to tensor<2x4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<2x4x32x4x4xf8E4M3FN>
        to tensor<2x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<2x4x32x4x4xf8E4M3FN>
        to tensor<256x16xf8E4M3FN>
    %sb_3 = bsmm.extract_rows %sb_2[%i] : tensor<256x16xf8E4M3FN>
        to tensor<192x16xf8E4M3FN>
    // expected-remark@below {{proved: A '!bsmm.tensor_map<1x128x256xf4E2M1FN>' -> (128)x(256) : (256)x(1) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: B^T '!bsmm.tensor_map<1x192x256xf4E2M1FN>' -> (256)x(192) : (1)x(256) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: the scales of A '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    // expected-remark@below {{proved: the scales of B '!bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>' -> (2,4,32)x(4,4) : (2048,4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_3, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x192xf4E2M1FN>, tensor<192x16xf8E4M3FN>, tensor<128x192xf32>
    bsmm.return
  }
}

// -----

// 64 columns out of one.
gpu.module @m {
  bsmm.kernel @extract_64(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x64x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x64xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x64x256xf4E2M1FN> -> tensor<1x64x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sa_1 = bsmm.trans %sa_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sa_2 = bsmm.reshape %sa_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    %b_0 = bsmm.reshape %b_box : tensor<1x64x256xf4E2M1FN>
        to tensor<64x256xf4E2M1FN>
    %b_1 = bsmm.trans %b_0 [1, 0] : tensor<64x256xf4E2M1FN>
        to tensor<256x64xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    %sb_3 = bsmm.extract_rows %sb_2[%i] : tensor<128x16xf8E4M3FN>
        to tensor<64x16xf8E4M3FN>
    // expected-remark@below {{proved: A '!bsmm.tensor_map<1x128x256xf4E2M1FN>' -> (128)x(256) : (256)x(1) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: B^T '!bsmm.tensor_map<1x64x256xf4E2M1FN>' -> (256)x(64) : (1)x(256) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: the scales of A '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    // expected-remark@below {{proved: the scales of B '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_3, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

// MXFP8: one scale tile for 128 elements of K.
gpu.module @m {
  bsmm.kernel @mxfp8(%a: !bsmm.tensor_map<1x128x128xf8E4M3FN>,
      %sa: !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU>,
      %b: !bsmm.tensor_map<1x128x128xf8E5M2>,
      %sb: !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x128xf8E4M3FN> -> tensor<1x128x128xf8E4M3FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU> -> tensor<1x1x1x2x256xf8E8M0FNU>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x128xf8E5M2> -> tensor<1x128x128xf8E5M2>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU> -> tensor<1x1x1x2x256xf8E8M0FNU>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x128xf8E4M3FN>
        to tensor<128x128xf8E4M3FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x1x2x256xf8E8M0FNU>
        to tensor<1x1x32x4x4xf8E8M0FNU>
    %sa_1 = bsmm.trans %sa_0 [0, 3, 2, 1, 4] : tensor<1x1x32x4x4xf8E8M0FNU>
        to tensor<1x4x32x1x4xf8E8M0FNU>
    %sa_2 = bsmm.reshape %sa_1 : tensor<1x4x32x1x4xf8E8M0FNU>
        to tensor<128x4xf8E8M0FNU>
    %b_0 = bsmm.reshape %b_box : tensor<1x128x128xf8E5M2>
        to tensor<128x128xf8E5M2>
    %b_1 = bsmm.trans %b_0 [1, 0] : tensor<128x128xf8E5M2>
        to tensor<128x128xf8E5M2>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x1x2x256xf8E8M0FNU>
        to tensor<1x1x32x4x4xf8E8M0FNU>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x1x32x4x4xf8E8M0FNU>
        to tensor<1x4x32x1x4xf8E8M0FNU>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x1x4xf8E8M0FNU>
        to tensor<128x4xf8E8M0FNU>
    // expected-remark@below {{proved: A '!bsmm.tensor_map<1x128x128xf8E4M3FN>' -> (128)x(128) : (128)x(1) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: B^T '!bsmm.tensor_map<1x128x128xf8E5M2>' -> (128)x(128) : (1)x(128) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: the scales of A '!bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU>' -> (4,32)x(4) : (4,16)x(1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    // expected-remark@below {{proved: the scales of B '!bsmm.tensor_map<1x1x1x2x256xf8E8M0FNU>' -> (4,32)x(4) : (4,16)x(1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x128xf8E4M3FN>, tensor<128x4xf8E8M0FNU>,
          tensor<128x128xf8E5M2>, tensor<128x4xf8E8M0FNU>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Another way to write the same layout: the proof is about the composition,
// not about the operations.
gpu.module @m {
  bsmm.kernel @other_chain(%a: !bsmm.tensor_map<128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<4x512xf8E4M3FN>,
      %b: !bsmm.tensor_map<128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<4x512xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<128x256xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i]
        : !bsmm.tensor_map<4x512xf8E4M3FN> -> tensor<4x512xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i]
        : !bsmm.tensor_map<128x256xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i]
        : !bsmm.tensor_map<4x512xf8E4M3FN> -> tensor<4x512xf8E4M3FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<4x512xf8E4M3FN>
        to tensor<4x32x4x4xf8E4M3FN>
    %sa_1 = bsmm.trans %sa_0 [2, 1, 0, 3] : tensor<4x32x4x4xf8E4M3FN>
        to tensor<4x32x4x4xf8E4M3FN>
    %sa_2 = bsmm.reshape %sa_1 : tensor<4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    %b_0 = bsmm.trans %b_box [1, 0] : tensor<128x256xf4E2M1FN>
        to tensor<256x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<4x512xf8E4M3FN>
        to tensor<4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [2, 1, 0, 3] : tensor<4x32x4x4xf8E4M3FN>
        to tensor<4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    // expected-remark@below {{proved: A '!bsmm.tensor_map<128x256xf4E2M1FN>' -> (128)x(256) : (256)x(1) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: B^T '!bsmm.tensor_map<128x256xf4E2M1FN>' -> (256)x(128) : (1)x(256) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: the scales of A '!bsmm.tensor_map<4x512xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    // expected-remark@below {{proved: the scales of B '!bsmm.tensor_map<4x512xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    %d = bsmm.scaled_dot %a_box scales %sa_2, %b_0 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Two transposes that make one.
gpu.module @m {
  bsmm.kernel @two_transposes(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<4x2x16x16xf8E4M3FN>
    %sa_1 = bsmm.reshape %sa_0 : tensor<4x2x16x16xf8E4M3FN>
        to tensor<4x32x4x4xf8E4M3FN>
    %sa_2 = bsmm.trans %sa_1 [2, 0, 1, 3] : tensor<4x32x4x4xf8E4M3FN>
        to tensor<4x4x32x4xf8E4M3FN>
    %sa_3 = bsmm.trans %sa_2 [0, 2, 1, 3] : tensor<4x4x32x4xf8E4M3FN>
        to tensor<4x32x4x4xf8E4M3FN>
    %sa_4 = bsmm.reshape %sa_3 : tensor<4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    %b_0 = bsmm.reshape %b_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %b_1 = bsmm.trans %b_0 [1, 0] : tensor<128x256xf4E2M1FN>
        to tensor<256x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    // expected-remark@below {{proved: A '!bsmm.tensor_map<1x128x256xf4E2M1FN>' -> (128)x(256) : (256)x(1) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: B^T '!bsmm.tensor_map<1x128x256xf4E2M1FN>' -> (256)x(128) : (1)x(256) is what a K-major shared-memory descriptor reads}}
    // expected-remark@below {{proved: the scales of A '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    // expected-remark@below {{proved: the scales of B '!bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>' -> (4,32)x(4,4) : (4,16)x(512,1) is what tcgen05.cp.32x128b.warpx4 for the MMA reads}}
    %d = bsmm.scaled_dot %a_0 scales %sa_4, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}
