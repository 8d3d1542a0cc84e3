// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error@below {{expected level tile or pipeline, got problem; whole tensors belong in a func.func}}
  bsmm.kernel @k() attributes {level = #bsmm.level<problem>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected no results, got 1}}
  bsmm.kernel @k() -> i32 attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a body}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>}
}

// -----

gpu.module @m {
  // expected-error@below {{requires attribute 'level'}}
  bsmm.kernel @k() {
    bsmm.return
  }
}

// -----

// expected-error@below {{'bsmm.kernel' op expects parent op 'gpu.module'}}
bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
  bsmm.return
}

// -----

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  gpu.module @m {
    // expected-error@below {{target #bsmm.target<"sm_103a"> conflicts with #bsmm.target<"sm_100a"> of the enclosing module; remove one of them}}
    bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                                 target = #bsmm.target<"sm_103a">} {
      bsmm.return
    }
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected at most 232448 bytes of shared memory on sm_100a, got 232449; use a smaller tile or fewer stages}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               target = #bsmm.target<"sm_100a">,
                               dynamic_shared_memory = 232449 : i64} {
    bsmm.return
  }
}

// -----

module attributes {bsmm.target = #bsmm.target<"sm_120a">} {
  gpu.module @m {
    // expected-error@below {{expected at most 101376 bytes of shared memory on sm_120a, got 180000}}
    bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                                 dynamic_shared_memory = 180000 : i64} {
      bsmm.return
    }
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a block of whole warps, 32 to 1024 threads, got 0}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               block_size = 0 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a block of whole warps, 32 to 1024 threads, got 100}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               block_size = 100 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a block of whole warps, 32 to 1024 threads, got 1056}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               block_size = 1056 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a role such as #bsmm.role<a>, got "a"}}
  bsmm.kernel @k(%0: i32, %a: !bsmm.tensor_map<16xf16> {bsmm.role = "a"})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role a: expected a tensor map, got '!llvm.ptr<1>'}}
  bsmm.kernel @k(%a: !llvm.ptr<1> {bsmm.role = #bsmm.role<a>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role c: expected a tensor map, got 'i32'}}
  bsmm.kernel @k(%c: i32 {bsmm.role = #bsmm.role<c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role d: expected a tensor map or !llvm.ptr<1>, got '!llvm.ptr'}}
  bsmm.kernel @k(%d: !llvm.ptr {bsmm.role = #bsmm.role<d>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role bias: expected !llvm.ptr<1>, got 'f32'}}
  bsmm.kernel @k(%bias: f32 {bsmm.role = #bsmm.role<bias>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role sa: expected !llvm.ptr<1>, got '!llvm.ptr<3>'}}
  bsmm.kernel @k(%sa: !llvm.ptr<3> {bsmm.role = #bsmm.role<sa>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role m: expected i32, got 'i64'}}
  bsmm.kernel @k(%m: i64 {bsmm.role = #bsmm.role<m>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role k: expected i32, got 'index'}}
  bsmm.kernel @k(%k: index {bsmm.role = #bsmm.role<k>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role pitch_d: expected i64, got 'i32'}}
  bsmm.kernel @k(%p: i32 {bsmm.role = #bsmm.role<pitch_d>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role beta: expected f32, got 'f64'}}
  bsmm.kernel @k(%b: f64 {bsmm.role = #bsmm.role<beta>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role m is out of order or repeated; the order is a, b, sfa, sfb, c, d, sa, sb, bias, m, n, k, l, pitch_d, batch_stride_d, alpha, beta, out_scale}}
  bsmm.kernel @k(%n: i32 {bsmm.role = #bsmm.role<n>},
                 %m: i32 {bsmm.role = #bsmm.role<m>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #2: role m is out of order or repeated}}
  bsmm.kernel @k(%m: i32 {bsmm.role = #bsmm.role<m>}, %x: i32,
                 %again: i32 {bsmm.role = #bsmm.role<m>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a body of one block; use scf for control flow}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    cf.br ^next
  ^next:
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected the body to end with 'bsmm.return'}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    llvm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{block with no terminator}}
    %0 = arith.constant 0 : i32
  }
}

// -----

gpu.module @m {
  // expected-error@below {{empty block: expect at least a terminator}}
  "bsmm.kernel"() <{function_type = () -> (), level = #bsmm.level<tile>,
                    sym_name = "k"}> ({
  ^bb0:
  }) : () -> ()
}

// -----

gpu.module @m {
  // expected-error@below {{entry block must have 1 arguments to match function signature}}
  "bsmm.kernel"() <{function_type = (i32) -> (), level = #bsmm.level<tile>,
                    sym_name = "k"}> ({
    "bsmm.return"() : () -> ()
  }) : () -> ()
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{'bsmm.publish' op belongs to the pipeline level, but its kernel is at the tile level}}
    bsmm.publish
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<16xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    scf.for %j = %i to %i step %i : i32 {
      // expected-error@below {{'bsmm.tma_load' op belongs to the tile level, but its kernel is at the pipeline level}}
      %0 = bsmm.tma_load %a[%j] : !bsmm.tensor_map<16xf16> -> tensor<16xf16>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k(%0: tensor<128x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>)
      attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{'bsmm.pack_scales' op belongs to the problem level, but its kernel is at the tile level}}
    %1 = bsmm.pack_scales %0
        : tensor<128x4xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
        to tensor<128x4xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
    bsmm.return
  }
}

// -----

// expected-error@below {{'bsmm.return' op expects parent op 'bsmm.kernel'}}
bsmm.return
