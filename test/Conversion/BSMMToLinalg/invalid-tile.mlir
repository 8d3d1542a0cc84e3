// RUN: bsmm-opt %s --convert-bsmm-to-linalg --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @below {{expected a kernel at the tile level, got pipeline; run the reference conversion before bsmm-tile-to-pipeline}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.return
  }
}

// -----

// expected-note @below {{the other symbol}}
func.func private @k()
gpu.module @m {
  // expected-error @below {{expected a name that the module does not have, since the kernel becomes a function of it}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected both 'tile' and 'grid', which give the number of CTAs, or none of them for one CTA}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tile = #bsmm.tile<m = 128, n = 128, k = 64>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf16>)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected an argument of the kernel with a role, e.g. {bsmm.role = #bsmm.role<a>}, for the reference conversion}}
    %t = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<128x64xf16> -> tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<d>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected an input to load from, got the output}}
    %t = bsmm.tma_load %d[%c0, %c0]
        : !bsmm.tensor_map<128x64xf16> -> tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x1x128x64xf16> {bsmm.role = #bsmm.role<a>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected rows [L, rows, columns] or [rows, columns] for the reference conversion, got '!bsmm.tensor_map<1x1x128x64xf16>'}}
    %t = bsmm.tma_load %a[%c0, %c0, %c0, %c0]
        : !bsmm.tensor_map<1x1x128x64xf16> -> tensor<1x1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xi8> {bsmm.role = #bsmm.role<a>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected a floating-point operand for the reference conversion}}
    %t = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<128x64xi8> -> tensor<128x64xi8>
    bsmm.return
  }
}

// -----

// Without a scaled dot the number of groups is not known.
gpu.module @m {
  bsmm.kernel @k(%sfa: !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected a bsmm.scaled_dot in a kernel that loads scales: it gives the number of groups}}
    %t = bsmm.tma_load %sfa[%c0, %c0, %c0, %c0, %c0]
        : !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> -> tensor<1x1x1x2x256xf8E4M3FN>
    bsmm.return
  }
}

// -----

// Other views of the tiles of scales than the 5-D one.
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
                 %sfa: !bsmm.tensor_map<2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_tile = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    %b_tile = bsmm.trans %a_tile [1, 0]
        : tensor<128x64xf4E2M1FN> to tensor<64x128xf4E2M1FN>
    // expected-error @below {{expected blocked scales [L, rows / 128, groups / 4, 2, 256] for the reference conversion, got '!bsmm.tensor_map<2x256xf8E4M3FN>'}}
    %s_box = bsmm.tma_load %sfa[%c0, %c0]
        : !bsmm.tensor_map<2x256xf8E4M3FN> -> tensor<2x256xf8E4M3FN>
    %s = bsmm.reshape %s_box : tensor<2x256xf8E4M3FN> to tensor<128x4xf8E4M3FN>
    %sum = bsmm.scaled_dot %a_tile scales %s, %b_tile scales %s, %zero
        : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
          tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<a>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %t = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<128x64xf16> -> tensor<128x64xf16>
    // expected-error @below {{expected the output, the argument with role d, to store to, got role a}}
    bsmm.tma_store %t, %a[%c0, %c0]
        : tensor<128x64xf16>, !bsmm.tensor_map<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<128x64xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
                 %d: !bsmm.tensor_map<128x64xf4E2M1FN> {bsmm.role = #bsmm.role<d>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %t = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<128x64xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    // expected-error @below {{expected an output of f16, bf16, f32, f8E4M3FN or f8E5M2 for the reference conversion, got 'f4E2M1FN'}}
    bsmm.tma_store %t, %d[%c0, %c0]
        : tensor<128x64xf4E2M1FN>, !bsmm.tensor_map<128x64xf4E2M1FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x1x128x64xf16> {bsmm.role = #bsmm.role<d>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %t = arith.constant dense<1.0> : tensor<1x1x128x64xf16>
    // expected-error @below {{expected a tile [rows, columns] or [L, rows, columns] for the reference conversion}}
    bsmm.tma_store %t, %d[%c0, %c0, %c0, %c0]
        : tensor<1x1x128x64xf16>, !bsmm.tensor_map<1x1x128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%n: i32 {bsmm.role = #bsmm.role<n>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{'scf.while' op has no reference conversion; expected bsmm operations, elementwise arith and math}}
    scf.while : () -> () {
      %0 = arith.cmpi eq, %n, %c0 : i32
      scf.condition(%0)
    } do {
      scf.yield
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<1.0> : tensor<128x64xf32>
    // expected-error @below {{has no reference conversion for 'f8E4M3FN'}}
    %0 = arith.truncf %t : tensor<128x64xf32> to tensor<128x64xf8E4M3FN>
    bsmm.return
  }
}

// -----

// From f64 through f32 it would be rounded twice.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<1.0> : tensor<128x64xf64>
    // expected-error @below {{has no reference conversion for 'f64'}}
    %0 = arith.truncf %t : tensor<128x64xf64> to tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<1.0> : tensor<128x64xf32>
    // expected-error @below {{expected rounding to nearest even, got downward}}
    %0 = arith.truncf %t downward : tensor<128x64xf32> to tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<1.0> : tensor<128x64xf16>
    // expected-error @below {{has no reference conversion for 'f16'}}
    %0 = math.exp %t : tensor<128x64xf16>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error @below {{expected a constant with its elements written out}}
    %t = arith.constant dense_resource<blob> : tensor<2xf32>
    bsmm.return
  }
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000000000000000"
    }
  }
#-}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>}, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected an input to load from, got the output; the reference conversion reads d nowhere}}
    %t = bsmm.vector_load %p[%c0] limit %c0 : tensor<128xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1> {bsmm.role = #bsmm.role<bias>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected floating-point elements for the reference conversion, got 'i32'}}
    %t = bsmm.vector_load %p[%c0] limit %c0 : tensor<128xi32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %s: i64 {bsmm.role = #bsmm.role<pitch_c>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected an argument of the kernel with a role, e.g. {bsmm.role = #bsmm.role<a>}, for the reference conversion}}
    %t = bsmm.predicated_load %p[%c0, %c0, %c0] limits [%c0, %c0]
        strides [%s, %s] : tensor<1x128x8xf32>
    bsmm.return
  }
}
