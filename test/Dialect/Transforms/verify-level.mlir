// RUN: bsmm-opt %s --bsmm-verify-level --split-input-file --verify-diagnostics

// The tile level is the default.
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16xf16>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %a[%i] : !bsmm.tensor_map<16xf16> -> tensor<16xf16>
    bsmm.return
  }
}

// -----

// Operations of no level, the kernel and its return pass.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %c0 = arith.constant 0 : i32
    bsmm.return
  }
}

// -----

func.func @problem(%0: tensor<128x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  // expected-error@below {{'bsmm.pack_scales' op belongs to the problem level, expected only the tile level here}}
  %1 = bsmm.pack_scales %0
      : tensor<128x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
      to tensor<128x4xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
  return
}

// -----

// Every operation of a wrong level is named, wherever it is.
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    scf.for %j = %i to %i step %i : i32 {
      // expected-error@below {{'bsmm.publish' op belongs to the pipeline level, expected only the tile level here}}
      bsmm.publish
    }
    // expected-error@below {{'bsmm.synchronize' op belongs to the pipeline level, expected only the tile level here}}
    bsmm.synchronize
    bsmm.return
  }
}
