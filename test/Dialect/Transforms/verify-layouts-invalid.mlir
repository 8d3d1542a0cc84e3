// RUN: bsmm-opt %s --bsmm-verify-layouts --split-input-file --verify-diagnostics

// A wrong permutation: the digits of a row exchanged.
gpu.module @m {
  bsmm.kernel @permutation(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    // expected-note@below {{loaded here}}
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
    %sa_1 = bsmm.trans %sa_0 [0, 2, 3, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x32x4x4x4xf8E4M3FN>
    %sa_2 = bsmm.reshape %sa_1 : tensor<1x32x4x4x4xf8E4M3FN>
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
    // expected-error@below {{the layout of the scales of A is not what the tensor core reads: expected layout (4,32)x(4,4) : (4,16)x(512,1), got (128)x(4,4) : (4)x(512,1); first difference at (1, 0): expected offset 16, got 4}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// No transpose at all: the scales taken for row-major ones.
gpu.module @m {
  bsmm.kernel @no_transpose(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    // expected-note@below {{loaded here}}
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
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
    // expected-error@below {{the layout of the scales of A is not what the tensor core reads: expected layout (4,32)x(4,4) : (4,16)x(512,1), got (128)x(16) : (16)x(1); first difference at}}
    %d = bsmm.scaled_dot %a_0 scales %sa_0, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// (4, 32) taken for (32, 4).
gpu.module @m {
  bsmm.kernel @wrong_shape(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    // expected-note@below {{loaded here}}
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x4x32x4xf8E4M3FN>
    %sa_1 = bsmm.trans %sa_0 [0, 2, 3, 1, 4] : tensor<1x4x4x32x4xf8E4M3FN>
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
    // expected-error@below {{the layout of the scales of A is not what the tensor core reads: expected layout (4,32)x(4,4) : (4,16)x(512,1), got}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Groups of a tile and tiles exchanged.
gpu.module @m {
  bsmm.kernel @groups_first(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    // expected-note@below {{loaded here}}
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<4x1x32x4x4xf8E4M3FN>
    %sa_1 = bsmm.trans %sa_0 [1, 3, 2, 4, 0] : tensor<4x1x32x4x4xf8E4M3FN>
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
    // expected-error@below {{the layout of the scales of A is not what the tensor core reads: expected layout (4,32)x(4,4) : (4,16)x(512,1), got (4,32)x(4,4) : (4,16)x(1,512); first difference at (0, 1): expected offset 1, got 512}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Tiles follow each other along groups, then rows: not the other way.
gpu.module @m {
  bsmm.kernel @tile_order(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x192x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x4x2x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x192xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x192x256xf4E2M1FN> -> tensor<1x192x256xf4E2M1FN>
    // expected-note@below {{loaded here}}
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x4x2x2x256xf8E4M3FN> -> tensor<1x4x2x2x256xf8E4M3FN>
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
    %sb_0 = bsmm.reshape %sb_box : tensor<1x4x2x2x256xf8E4M3FN>
        to tensor<4x2x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [1, 3, 2, 0, 4] : tensor<4x2x32x4x4xf8E4M3FN>
        to tensor<2x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<2x4x32x4x4xf8E4M3FN>
        to tensor<256x16xf8E4M3FN>
    %sb_3 = bsmm.extract_rows %sb_2[%i] : tensor<256x16xf8E4M3FN>
        to tensor<192x16xf8E4M3FN>
    // expected-error@below {{the layout of the scales of B is not what the tensor core reads: expected layout (2,4,32)x(4,4) : (2048,4,16)x(512,1), got (2,4,32)x(4,4) : (512,4,16)x(1024,1); first difference at (0, 4): expected offset 512, got 1024}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_3, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x192xf4E2M1FN>, tensor<192x16xf8E4M3FN>, tensor<128x192xf32>
    bsmm.return
  }
}

// -----

// A loaded M-major: 4-bit operands are K-major.
gpu.module @m {
  bsmm.kernel @a_transposed(%a: !bsmm.tensor_map<256x128xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-note@below {{loaded here}}
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<256x128xf4E2M1FN> -> tensor<256x128xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.trans %a_box [1, 0] : tensor<256x128xf4E2M1FN>
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
    // expected-error@below {{the layout of A is not what the tensor core reads: expected layout (128)x(256) : (256)x(1), got (128)x(256) : (1)x(128); first difference at (0, 1): expected offset 1, got 128}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// B reshaped to [k, n] instead of transposed.
gpu.module @m {
  bsmm.kernel @b_reshaped(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    // expected-note@below {{loaded here}}
    %b_box = bsmm.tma_load %b[%i, %i]
        : !bsmm.tensor_map<128x256xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
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
    %b_0 = bsmm.reshape %b_box : tensor<128x256xf4E2M1FN>
        to tensor<256x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    // expected-error@below {{the layout of B is not what the tensor core reads: expected layout (256)x(128) : (1)x(256), got (256)x(128) : (128)x(1); first difference at (0, 1): expected offset 256, got 1}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_0 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// A wrong vector size for the load: 64 elements of K are half a scale tile.
gpu.module @m {
  bsmm.kernel @groups_2(%a: !bsmm.tensor_map<128x64xf8E4M3FN>,
      %sa: !bsmm.tensor_map<1x1x1x256xf8E8M0FNU>,
      %b: !bsmm.tensor_map<128x64xf8E4M3FN>,
      %sb: !bsmm.tensor_map<1x1x1x256xf8E8M0FNU>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x1x256xf8E8M0FNU> -> tensor<1x1x1x256xf8E8M0FNU>
    %b_box = bsmm.tma_load %b[%i, %i]
        : !bsmm.tensor_map<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x1x256xf8E8M0FNU> -> tensor<1x1x1x256xf8E8M0FNU>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x1x256xf8E8M0FNU>
        to tensor<128x2xf8E8M0FNU>
    %b_0 = bsmm.trans %b_box [1, 0] : tensor<128x64xf8E4M3FN>
        to tensor<64x128xf8E4M3FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x1x256xf8E8M0FNU>
        to tensor<128x2xf8E8M0FNU>
    // expected-error@below {{expected the scales of A to be loaded in whole tiles of 128 rows by 4 groups, got [128, 2]; extract rows after the last reshape}}
    %d = bsmm.scaled_dot %a_box scales %sa_0, %b_0 scales %sb_0, %acc
        : tensor<128x64xf8E4M3FN>, tensor<128x2xf8E8M0FNU>,
          tensor<64x128xf8E4M3FN>, tensor<128x2xf8E8M0FNU>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Scales of vectors of 16 in the order of another vector size.
gpu.module @m {
  bsmm.kernel @vector_32_as_16(%a: !bsmm.tensor_map<128x128xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU>,
      %b: !bsmm.tensor_map<128x128xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<128x128xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
    // expected-note@below {{loaded here}}
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU> -> tensor<1x1x2x2x256xf8E8M0FNU>
    %b_box = bsmm.tma_load %b[%i, %i]
        : !bsmm.tensor_map<128x128xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x2x2x256xf8E8M0FNU> -> tensor<1x1x2x2x256xf8E8M0FNU>
    %sa_0 = bsmm.reshape %sa_box : tensor<1x1x2x2x256xf8E8M0FNU>
        to tensor<1x2x32x4x4xf8E8M0FNU>
    %sa_1 = bsmm.trans %sa_0 [0, 3, 2, 4, 1] : tensor<1x2x32x4x4xf8E8M0FNU>
        to tensor<1x4x32x4x2xf8E8M0FNU>
    %sa_2 = bsmm.reshape %sa_1 : tensor<1x4x32x4x2xf8E8M0FNU>
        to tensor<128x8xf8E8M0FNU>
    %b_0 = bsmm.trans %b_box [1, 0] : tensor<128x128xf4E2M1FN>
        to tensor<128x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x2x2x256xf8E8M0FNU>
        to tensor<1x2x32x4x4xf8E8M0FNU>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x2x32x4x4xf8E8M0FNU>
        to tensor<1x4x32x2x4xf8E8M0FNU>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x2x4xf8E8M0FNU>
        to tensor<128x8xf8E8M0FNU>
    // expected-error@below {{the layout of the scales of A is not what the tensor core reads: expected layout (4,32)x(2,4) : (4,16)x(512,1), got (4,32)x(4,2) : (4,16)x(1,512); first difference at (0, 1): expected offset 1, got 512}}
    %d = bsmm.scaled_dot %a_box scales %sa_2, %b_0 scales %sb_2, %acc
        : tensor<128x128xf4E2M1FN>, tensor<128x8xf8E8M0FNU>,
          tensor<128x128xf4E2M1FN>, tensor<128x8xf8E8M0FNU>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Rows are extracted last.
gpu.module @m {
  bsmm.kernel @extract_before(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
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
        to tensor<128x16xf8E4M3FN>
    // expected-note@below {{it comes from 'bsmm.extract_rows'}}
    %sb_1 = bsmm.extract_rows %sb_0[%i] : tensor<128x16xf8E4M3FN>
        to tensor<64x16xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<64x16xf8E4M3FN>
        to tensor<64x16xf8E4M3FN>
    // expected-error@below {{expected the scales of B to come from a bsmm.tma_load through bsmm.reshape and bsmm.trans, with bsmm.extract_rows last}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

// Half a scale tile can't be loaded.
gpu.module @m {
  bsmm.kernel @extract_64_of_64(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x64x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<64x16xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x64xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x64x256xf4E2M1FN> -> tensor<1x64x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i]
        : !bsmm.tensor_map<64x16xf8E4M3FN> -> tensor<64x16xf8E4M3FN>
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
    // expected-error@below {{expected the scales of B to be loaded in whole tiles of 128 rows by 4 groups, got [64, 16]; extract rows after the last reshape}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_box, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @extract_of_a(%a: !bsmm.tensor_map<256x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<256x256xf4E2M1FN> -> tensor<256x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.extract_rows %a_box[%i] : tensor<256x256xf4E2M1FN>
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
    // expected-error@below {{expected all rows of the loaded tile for A; only scales are loaded in tiles of 128 rows}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @extract_of_b(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i]
        : !bsmm.tensor_map<128x256xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
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
    %b_0 = bsmm.trans %b_box [1, 0] : tensor<128x256xf4E2M1FN>
        to tensor<256x128xf4E2M1FN>
    %b_1 = bsmm.extract_rows %b_0[%i] : tensor<256x128xf4E2M1FN>
        to tensor<256x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_1 = bsmm.trans %sb_0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    %sb_2 = bsmm.reshape %sb_1 : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<128x16xf8E4M3FN>
    // expected-error@below {{expected all rows of the loaded tile for B; only scales are loaded in tiles of 128 rows}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// A transpose of the box itself.
gpu.module @m {
  bsmm.kernel @uneven(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    // expected-note@below {{loaded here}}
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %a_0 = bsmm.reshape %a_box : tensor<1x128x256xf4E2M1FN>
        to tensor<128x256xf4E2M1FN>
    %sa_0 = bsmm.trans %sa_box [0, 1, 4, 2, 3] : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x1x256x4x2xf8E4M3FN>
    %sa_1 = bsmm.reshape %sa_0 : tensor<1x1x256x4x2xf8E4M3FN>
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
    // expected-error@below {{the layout of the scales of A is not what the tensor core reads}}
    %d = bsmm.scaled_dot %a_0 scales %sa_1, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// A reshape that no strided layout expresses.
gpu.module @m {
  bsmm.kernel @no_stride(%a: !bsmm.tensor_map<128x384xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x3x2x512xf8E4M3FN>,
      %b: !bsmm.tensor_map<128x384xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x3x2x512xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<128x384xf4E2M1FN> -> tensor<128x384xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i]
        : !bsmm.tensor_map<1x3x2x512xf8E4M3FN> -> tensor<1x3x2x512xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i]
        : !bsmm.tensor_map<128x384xf4E2M1FN> -> tensor<128x384xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i]
        : !bsmm.tensor_map<1x3x2x512xf8E4M3FN> -> tensor<1x3x2x512xf8E4M3FN>
    %sa_0 = bsmm.trans %sa_box [0, 2, 1, 3] : tensor<1x3x2x512xf8E4M3FN>
        to tensor<1x2x3x512xf8E4M3FN>
    %sa_1 = bsmm.reshape %sa_0 : tensor<1x2x3x512xf8E4M3FN>
        to tensor<4x768xf8E4M3FN>
    %sa_2 = bsmm.reshape %sa_1 : tensor<4x768xf8E4M3FN>
        to tensor<128x24xf8E4M3FN>
    %b_0 = bsmm.trans %b_box [1, 0] : tensor<128x384xf4E2M1FN>
        to tensor<384x128xf4E2M1FN>
    %sb_0 = bsmm.reshape %sb_box : tensor<1x3x2x512xf8E4M3FN>
        to tensor<128x24xf8E4M3FN>
    // expected-error@below {{the layout of the scales of A:}}
    %d = bsmm.scaled_dot %a_box scales %sa_2, %b_0 scales %sb_0, %acc
        : tensor<128x384xf4E2M1FN>, tensor<128x24xf8E4M3FN>,
          tensor<384x128xf4E2M1FN>, tensor<128x24xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Data that is computed is not where the tensor core reads.
gpu.module @m {
  bsmm.kernel @computed(%a: !bsmm.tensor_map<128x256xf4E2M1FN>,
      %sa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
      %b: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
      %sb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%i, %i]
        : !bsmm.tensor_map<128x256xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
    %sa_box = bsmm.tma_load %sa[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    %b_box = bsmm.tma_load %b[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %sb_box = bsmm.tma_load %sb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    // expected-note@below {{it comes from 'arith.negf'}}
    %a_0 = arith.negf %a_box : tensor<128x256xf4E2M1FN>
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
    // expected-error@below {{expected A to come from a bsmm.tma_load through bsmm.reshape and bsmm.trans, with bsmm.extract_rows last}}
    %d = bsmm.scaled_dot %a_0 scales %sa_2, %b_1 scales %sb_2, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

// Every operand is reported; a value of a loop has no load.
gpu.module @m {
  bsmm.kernel @constants(%i: i32) attributes {level = #bsmm.level<tile>} {
    // expected-note@below {{it comes from 'arith.constant'}}
    %a = arith.constant dense<1.0> : tensor<128x256xf4E2M1FN>
    // expected-note@below {{it comes from 'arith.constant'}}
    %sa = arith.constant dense<1.0> : tensor<128x16xf8E4M3FN>
    // expected-note@below {{it comes from 'arith.constant'}}
    %b = arith.constant dense<1.0> : tensor<256x128xf4E2M1FN>
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %r:2 = scf.for %j = %i to %i step %i iter_args(%sb = %sa, %c = %acc)
        -> (tensor<128x16xf8E4M3FN>, tensor<128x128xf32>) : i32 {
      // expected-error@below {{expected A to come from a bsmm.tma_load}}
      // expected-error@below {{expected the scales of A to come from a bsmm.tma_load}}
      // expected-error@below {{expected B to come from a bsmm.tma_load}}
      // expected-error@below {{expected the scales of B to come from a bsmm.tma_load}}
      %d = bsmm.scaled_dot %a scales %sa, %b scales %sb, %c
          : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
            tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
            tensor<128x128xf32>
      scf.yield %sb, %d : tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
    }
    bsmm.return
  }
}
