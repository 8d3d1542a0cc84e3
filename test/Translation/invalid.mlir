// RUN: bsmm-translate --bsmm-to-ptx %s --split-input-file --verify-diagnostics

// expected-error@below {{expected one gpu.module to translate, got 0; bsmm-problem-to-tile makes one of problem-level functions}}
module {
}

// -----

// expected-error@below {{expected one gpu.module to translate, got 0; bsmm-problem-to-tile makes one of problem-level functions}}
module {
  func.func @f() {
    return
  }
}

// -----

// expected-error@below {{expected one gpu.module to translate, got 2; --bsmm-to-artifact takes several}}
module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  gpu.module @a {
    bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                                 block_size = 128 : i64} {
      bsmm.return
    }
  }
  gpu.module @b {
    bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                                 block_size = 128 : i64} {
      bsmm.return
    }
  }
}

// -----

// expected-error@below {{expected one gpu.module to translate, got 0}}
module {
  module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
    gpu.module @m {
      bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
        bsmm.return
      }
    }
  }
}

// -----

module {
  gpu.module @m {
    // expected-error@below {{expected a target, e.g. target = #bsmm.target<"sm_100a">}}
    bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
      bsmm.return
    }
  }
}

// -----

// A function beside the kernel that is not lowered.
module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  gpu.module @m {
    // expected-error@below {{expected only bsmm.kernel operations in a gpu.module to translate}}
    func.func private @f(tensor<4xf32>)
    bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                                 block_size = 128 : i64} {
      bsmm.return
    }
  }
}

// -----

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  gpu.module @m {
    // expected-error@below {{expected a bsmm.scaled_dot or bsmm.dot in a loop over K}}
    bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
        attributes {level = #bsmm.level<tile>} {
      %t = bsmm.tma_load %a[%i, %i, %i]
          : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x128x64xf16>
      bsmm.tma_store %t, %a[%i, %i, %i]
          : tensor<1x128x64xf16>, !bsmm.tensor_map<1x128x64xf16>
      bsmm.return
    }
  }
}
