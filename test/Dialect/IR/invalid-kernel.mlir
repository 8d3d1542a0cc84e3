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
  // expected-error@below {{argument #0 with role c: expected a tensor map or !llvm.ptr<1>, got 'i32'}}
  bsmm.kernel @k(%c: i32 {bsmm.role = #bsmm.role<c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role d: expected a tensor map or !llvm.ptr<1>, got 'i32'}}
  bsmm.kernel @k(%d: i32 {bsmm.role = #bsmm.role<d>})
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
  // expected-error@below {{argument #0 with role sa: expected !llvm.ptr<1>, got 'i64'}}
  bsmm.kernel @k(%sa: i64 {bsmm.role = #bsmm.role<sa>})
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
  // expected-error@below {{argument #0 with role k: expected i32, got 'f32'}}
  bsmm.kernel @k(%k: f32 {bsmm.role = #bsmm.role<k>})
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
  // expected-error@below {{argument #0 with role beta: expected f32, got 'i32'}}
  bsmm.kernel @k(%b: i32 {bsmm.role = #bsmm.role<beta>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role m is out of order or repeated; the order is a, b, sfa, sfb, c, d (tensor maps before pointers), sa, sb, bias, m, n, k, l, pitch and batch_stride of sfa, sfb, c and d, alpha, beta, out_scale}}
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

// expected-error@below {{'bsmm.return' op expects parent op 'bsmm.kernel'}}
bsmm.return

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @"foo-bar"() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @"a b"() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @"9lives"() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @""() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @llvm.foo() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @"gr\C3\B6\C3\9Fe"() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @"a\0Ab"() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a name that PTX can have: letters, digits, '_' and '$', a letter or '_' first}}
  bsmm.kernel @"$a"() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got 'index'}}
  bsmm.kernel @k(%0: i32, %1: index)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got 'f64'}}
  bsmm.kernel @k(%0: i32, %1: f64)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got '!llvm.ptr'}}
  bsmm.kernel @k(%0: i32, %1: !llvm.ptr)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got '!llvm.ptr<3>'}}
  bsmm.kernel @k(%0: i32, %1: !llvm.ptr<3>)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got 'tensor<4xf32>'}}
  bsmm.kernel @k(%0: i32, %1: tensor<4xf32>)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got 'memref<4xf4E2M1FN>'}}
  bsmm.kernel @k(%0: i32, %1: memref<4xf4E2M1FN>)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got 'vector<4xf32>'}}
  bsmm.kernel @k(%0: i32, %1: vector<4xf32>)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got '!bsmm.buffer<8x64xf16, shared, swizzle_128B>'}}
  bsmm.kernel @k(%0: i32, %1: !bsmm.buffer<8x64xf16, shared, swizzle_128B>)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got '!bsmm.channel<1, <8x64xf16, shared, swizzle_128B>>'}}
  bsmm.kernel @k(%0: i32, %1: !bsmm.channel<1, <8x64xf16, shared, swizzle_128B>>)
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected shared memory of a multiple of 8 bytes, got -8}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>, dynamic_shared_memory = -8 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected shared memory of a multiple of 8 bytes, got 12}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>, dynamic_shared_memory = 12 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got 0}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = 0 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got -32}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = -32 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got 16}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = 16 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got 33}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = 33 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got 96}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = 96 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got 1024}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = 1024 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a power of two of 32 to 512 columns of tensor memory, got 4294967296}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               tensor_memory_columns = 4294967296 : i64} {
    bsmm.return
  }
}

// -----

// Instructions of other targets would stop the backend.
gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    nvvm.wgmma.fence.aligned
    bsmm.return
  }
}

// -----

// A memref of a 4-bit type would be indexed by whole bytes.
gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    %0 = memref.alloc() : memref<4xf4E2M1FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    %0 = tensor.empty() : tensor<4xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    %0 = gpu.thread_id x
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and vector operations and math.exp of f32 in a kernel at the pipeline level}}
    gpu.barrier
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    gpu.printf "x"
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k(%x: f32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and vector operations and math.exp of f32 in a kernel at the pipeline level}}
    %0 = math.log %x : f32
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k(%x: f32) attributes {level = #bsmm.level<pipeline>} {
    %0 = arith.truncf %x : f32 to f16
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and vector operations and math.exp of f32 in a kernel at the pipeline level}}
    %1 = math.exp %0 : f16
    bsmm.return
  }
}

// -----

gpu.module @m {
  llvm.func @g(f32) -> f32
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k(%x: f32) attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    %0 = llvm.call @g(%x) : (f32) -> f32
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k(%p: !llvm.ptr<1>, %x: i32) attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and tensor.splat or math in a kernel at the tile level}}
    llvm.store %x, %p : i32, !llvm.ptr<1>
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-note@below {{the kernel's level is stated here}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %0 = arith.constant dense<1.0> : vector<4xf32>
    // expected-error@below {{expected bsmm, arith, scf, gpu.block_id, gpu.grid_dim and vector operations and math.exp of f32 in a kernel at the pipeline level}}
    vector.print %0 : vector<4xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%x: i64) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected integers of at most 64 bits in a kernel, got 'i128'}}
    %0 = arith.extui %x : i64 to i128
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<128x64xf16>) attributes {level = #bsmm.level<tile>} {
    // expected-error@below {{expected integers of at most 64 bits in a kernel, got 'tensor<128x64xi65>'}}
    %0 = arith.constant dense<0> : tensor<128x64xi65>
    bsmm.return
  }
}

// -----

// There are no instructions for arithmetic on narrow floats.
gpu.module @m {
  bsmm.kernel @k(%x: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected arithmetic on integers, f16, bf16 or f32}}
    %0 = arith.sitofp %x : i32 to f8E4M3FN
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%x: f32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected arithmetic on integers, f16, bf16 or f32}}
    %0 = arith.extf %x : f32 to f64
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role sa: expected !llvm.ptr<1>, got 'f32'}}
  bsmm.kernel @k(%x: f32 {bsmm.role = #bsmm.role<sa>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role sb: expected !llvm.ptr<1>, got 'f32'}}
  bsmm.kernel @k(%x: f32 {bsmm.role = #bsmm.role<sb>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role bias: expected !llvm.ptr<1>, got 'f32'}}
  bsmm.kernel @k(%x: f32 {bsmm.role = #bsmm.role<bias>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role pitch_c: expected i64, got 'i32'}}
  bsmm.kernel @k(%x: i32 {bsmm.role = #bsmm.role<pitch_c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role batch_stride_c: expected i64, got 'i32'}}
  bsmm.kernel @k(%x: i32 {bsmm.role = #bsmm.role<batch_stride_c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #0 with role beta: expected f32, got 'i32'}}
  bsmm.kernel @k(%x: i32 {bsmm.role = #bsmm.role<beta>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role d is out of order or repeated; the order is a, b, sfa, sfb, c, d (tensor maps before pointers), sa, sb, bias, m, n, k, l, pitch and batch_stride of sfa, sfb, c and d, alpha, beta, out_scale}}
  bsmm.kernel @k(%c: !llvm.ptr<1> {bsmm.role = #bsmm.role<c>},
                 %d: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<d>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role c is out of order or repeated; the order is a, b, sfa, sfb, c, d (tensor maps before pointers), sa, sb, bias, m, n, k, l, pitch and batch_stride of sfa, sfb, c and d, alpha, beta, out_scale}}
  bsmm.kernel @k(%d: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>},
                 %c: !llvm.ptr<1> {bsmm.role = #bsmm.role<c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role c is out of order or repeated; the order is a, b, sfa, sfb, c, d (tensor maps before pointers), sa, sb, bias, m, n, k, l, pitch and batch_stride of sfa, sfb, c and d, alpha, beta, out_scale}}
  bsmm.kernel @k(%d: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<d>},
                 %c: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role pitch_c is out of order or repeated; the order is a, b, sfa, sfb, c, d (tensor maps before pointers), sa, sb, bias, m, n, k, l, pitch and batch_stride of sfa, sfb, c and d, alpha, beta, out_scale}}
  bsmm.kernel @k(%d: i64 {bsmm.role = #bsmm.role<pitch_d>},
                 %c: i64 {bsmm.role = #bsmm.role<pitch_c>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{argument #1: role sa is out of order or repeated; the order is a, b, sfa, sfb, c, d (tensor maps before pointers), sa, sb, bias, m, n, k, l, pitch and batch_stride of sfa, sfb, c and d, alpha, beta, out_scale}}
  bsmm.kernel @k(%d: !llvm.ptr<1> {bsmm.role = #bsmm.role<sb>},
                 %c: !llvm.ptr<1> {bsmm.role = #bsmm.role<sa>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a cluster of 1 to 8 CTAs, got 0}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               cluster_size = 0 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a cluster of 1 to 8 CTAs, got 9}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>,
                               cluster_size = 9 : i64} {
    bsmm.return
  }
}
