// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

// Operations of the pipeline level stand in a kernel.
func.func @f() {
  // expected-error@below {{'bsmm.publish' op expected inside of a bsmm.kernel}}
  bsmm.publish
  return
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 1024, got -1024}}
    %0 = bsmm.alloc {offset = -1024 : i64} : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

// A swizzled buffer starts at its pattern.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 1024, got 128}}
    %0 = bsmm.alloc {offset = 128 : i64} : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 512, got 256}}
    %0 = bsmm.alloc {offset = 256 : i64} : !bsmm.buffer<64x32xf16, shared, swizzle_64B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 256, got 128}}
    %0 = bsmm.alloc {offset = 128 : i64} : !bsmm.buffer<64x16xf16, shared, swizzle_32B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 128, got 64}}
    %0 = bsmm.alloc {offset = 64 : i64} : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 1024, got 1099511627776}}
    %0 = bsmm.alloc {offset = 1099511627776 : i64} : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

// Tensor memory has 512 columns.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..511 that is a multiple of 1, got 512}}
    %0 = bsmm.alloc {offset = 512 : i64} : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a consumer that arrives by threads or mma_commit, got transaction: bytes are delivered by producers only}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <transaction>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected shared memory for a producer that arrives by transactions, got '!bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>'}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads>
        : !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected at most 1048575 bytes in a slot, the range of a barrier's transaction count, got 1048576; use a smaller tile}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<1, !bsmm.buffer<8192x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 1 offsets, one for each buffer of a slot, got 2}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {offsets = array<i64: 0, 16>}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 1 offsets, one for each buffer of a slot, got 0}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {offsets = array<i64>}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 1024, got 7}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {offsets = array<i64: 7>}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..511 that is a multiple of 1, got -1}}
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads> {offsets = array<i64: -1>}
        : !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

// Every slot starts at the swizzle pattern.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 1024, got 16512}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {offsets = array<i64: 0>, slot_stride = 16512 : i64}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a positive distance of slots, got 0}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {slot_stride = 0 : i64}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a positive distance of slots, got -16384}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {slot_stride = -16384 : i64}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected barriers at a multiple of 8 bytes, got 180227}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {barrier_offset = 180227 : i64}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected barriers at a multiple of 8 bytes, got -8}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> {barrier_offset = -8 : i64}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// Channels are known where they are used: they do not travel through loops.
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    %1 = scf.for %j = %i to %i step %i iter_args(%c = %0) -> (!bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>) : i32 {
      // expected-error@below {{'bsmm.acquire' op expected a channel of a bsmm.create_channel}}
      %2 = bsmm.acquire %c[%j] : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>> -> !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      scf.yield %c : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    %1 = scf.for %j = %i to %i step %i iter_args(%c = %0) -> (!bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>) : i32 {
      // expected-error@below {{'bsmm.wait' op expected a channel of a bsmm.create_channel}}
      %2 = bsmm.wait %c[%j] : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>> -> !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      scf.yield %c : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    %1 = scf.for %j = %i to %i step %i iter_args(%c = %0) -> (!bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>) : i32 {
      // expected-error@below {{'bsmm.commit' op expected a channel of a bsmm.create_channel}}
      bsmm.commit %c[%j] : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
      scf.yield %c : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    %1 = scf.for %j = %i to %i step %i iter_args(%c = %0) -> (!bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>) : i32 {
      // expected-error@below {{'bsmm.release' op expected a channel of a bsmm.create_channel}}
      bsmm.release %c[%j] : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
      scf.yield %c : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the buffers of a slot of '!bsmm.channel<2, <128x256xf4E2M1FN, shared, swizzle_128B>>' as results, got}}
        %0 = bsmm.acquire %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
            -> !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the buffers of a slot of}}
        %0:2 = bsmm.acquire %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
            -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the buffers of a slot of '!bsmm.channel<2, <128x256xf4E2M1FN, shared, swizzle_128B>>' as results, got}}
        %0 = bsmm.wait %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
            -> !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the buffers of a slot of}}
        %0:2 = bsmm.wait %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
            -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
      }
    }
    bsmm.return
  }
}

// -----

// One thread announces the bytes of a slot.
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      %0 = bsmm.acquire %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
          -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

// One thread issues what is not counted by threads.
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.commit %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
    bsmm.release %c[%i] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.load_async %a[%i, %i, %i] to %b signals %c[%i]
          : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x256xf4E2M1FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.store_async %b, %d[%i, %i, %i]
          : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.tensor_map<1x128x256xf4E2M1FN>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %d = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.copy_scales %s to %d : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
          to !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
          accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
          !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
          !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
          !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
          !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.wait_stores read
    }
    bsmm.return
  }
}

// -----

// Collective operations are executed by all threads.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
      bsmm.publish
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
        bsmm.publish
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
      bsmm.synchronize
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.warp_role 0 {
      // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
      bsmm.drain %acc columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    }
    bsmm.return
  }
}

// -----

// Not even the leader of a warpgroup executes them alone.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 4 {
      bsmm.leader {
        // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
        bsmm.publish
      }
    }
    bsmm.return
  }
}

// -----

// A barrier under a branch would wait for threads that went another way.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %p = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %p) -> (i1) : i32 {
    scf.if %q {
      // expected-error@below {{expected outside of drains, and of branches that threads may take differently: all its threads execute it}}
      bsmm.synchronize
    }
    scf.yield %q : i1
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      // expected-error@below {{expected outside of drains, and of branches that threads may take differently: all its threads execute it}}
      bsmm.publish
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected in the bsmm.warp_role of one warp and not in its bsmm.leader: the whole warp executes it}}
    bsmm.mask_scales %b from %i : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected in the bsmm.warp_role of one warp and not in its bsmm.leader: the whole warp executes it}}
        bsmm.mask_scales %b from %i : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected in the bsmm.warp_role of one warp and not in its bsmm.leader: the whole warp executes it}}
      bsmm.mask_scales %b from %i : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a role of 1 warp or of the 4 of each of its warpgroups, got 2}}
    bsmm.warp_role 0 count 2 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a role of 1 warp or of the 4 of each of its warpgroups, got 0}}
    bsmm.warp_role 0 count 0 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 4 from 2}}
    bsmm.warp_role 2 count 4 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 4 from 32}}
    bsmm.warp_role 32 count 4 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 1 from -1}}
    bsmm.warp_role -1 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 1 from 32}}
    bsmm.warp_role 32 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 1 from 1099511627776}}
    bsmm.warp_role 1099511627776 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      // expected-error@below {{expected no role inside of a role}}
      bsmm.warp_role 1 {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 192 : i64} {
    // expected-error@below {{expected a warp of the block of 192 threads, got warp 7}}
    bsmm.warp_role 4 count 4 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 128 : i64} {
    // expected-error@below {{expected a warp of the block of 128 threads, got warp 4}}
    bsmm.warp_role 4 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{'bsmm.leader' op expects parent op to be one of 'bsmm.warp_role, scf.for, scf.if'}}
    bsmm.leader {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %p = arith.constant true
    scf.if %p {
      // expected-error@below {{expected to be inside of a bsmm.warp_role, whose leader it is}}
      bsmm.leader {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the tile in shared, got '!bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>'}}
        bsmm.load_async %a[%i, %i, %i] to %b signals %c[%i]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected 3 coordinates, one for each dimension of the tensor map, got 2}}
        bsmm.load_async %a[%i, %i] to %b signals %c[%i]
            : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
      }
    }
    bsmm.return
  }
}

// -----

// Packed bytes: two elements share one.
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x128xf4E2M1FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected a buffer of 8192 bytes of 'f4E2M1FN' for '!bsmm.tensor_map<1x128x128xf4E2M1FN>', got '!bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>'}}
        bsmm.load_async %a[%i, %i, %i] to %b signals %c[%i]
            : !bsmm.tensor_map<1x128x128xf4E2M1FN>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x128xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %c = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected a buffer of 16384 bytes of 'f8E4M3FN' for '!bsmm.tensor_map<1x128x128xf8E4M3FN>', got '!bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>'}}
        bsmm.load_async %a[%i, %i, %i] to %b signals %c[%i]
            : !bsmm.tensor_map<1x128x128xf8E4M3FN>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %1 = scf.for %j = %i to %i step %i iter_args(%c = %0) -> (!bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>) : i32 {
      bsmm.warp_role 0 {
      bsmm.leader {
      // expected-error@below {{'bsmm.load_async' op expected a channel of a bsmm.create_channel}}
      bsmm.load_async %a[%j, %j, %j] to %b signals %c[%j]
          : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
      }
      }
      scf.yield %c : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x128xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the tile in shared, got '!bsmm.buffer<128x128xf32, tensor_memory, accumulator>'}}
        bsmm.store_async %b, %d[%i, %i, %i]
            : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>, !bsmm.tensor_map<1x128x128xf16>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x128xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected 3 coordinates, one for each dimension of the tensor map, got 1}}
        bsmm.store_async %b, %d[%i]
            : !bsmm.buffer<128x128xf16, shared, swizzle_128B>, !bsmm.tensor_map<1x128x128xf16>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x128xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x128xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected a buffer of 32768 bytes of 'f16' for '!bsmm.tensor_map<1x128x128xf16>', got}}
        bsmm.store_async %b, %d[%i, %i, %i]
            : !bsmm.buffer<128x128xbf16, shared, swizzle_128B>, !bsmm.tensor_map<1x128x128xf16>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%d: !bsmm.tensor_map<1x128x64xf16>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected a buffer of 16384 bytes of 'f16' for '!bsmm.tensor_map<1x128x64xf16>', got}}
        bsmm.store_async %b, %d[%i, %i, %i]
            : !bsmm.buffer<128x128xf16, shared, swizzle_128B>, !bsmm.tensor_map<1x128x64xf16>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 0 {
      // expected-error@below {{expected the scales in shared, got '!bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>'}}
      bsmm.mask_scales %b from %i : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    bsmm.warp_role 0 {
      // expected-error@below {{expected the scales with layout scale_tiles, got '!bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>'}}
      bsmm.mask_scales %b from %i : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %d = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the source in shared, got}}
        bsmm.copy_scales %s to %d : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
            to !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %d = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the source with layout scale_tiles, got}}
        bsmm.copy_scales %s to %d : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
            to !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %d = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the destination in tensor_memory, got}}
        bsmm.copy_scales %s to %d : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
            to !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %d = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the destination with layout scale_tiles, got}}
        bsmm.copy_scales %s to %d : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
            to !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %d = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales of one shape and type, got}}
        bsmm.copy_scales %s to %d : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
            to !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %d = bsmm.alloc : !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales of one shape and type, got}}
        bsmm.copy_scales %s to %d : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
            to !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected A in shared, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected B in shared, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the scales of A in tensor_memory, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the scales of A with layout scale_tiles, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the scales of B in tensor_memory, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the scales of B with layout scale_tiles, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the accumulator in tensor_memory, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected the accumulator with layout accumulator, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, row_major>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected A with layout swizzle_32B, swizzle_64B or swizzle_128B, which its descriptor describes, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, row_major>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected B with layout swizzle_32B, swizzle_64B or swizzle_128B, which its descriptor describes, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected A [m, k] and B [n, k] with one k, got 256 and 512}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected an accumulator of 128x64, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected an accumulator of 64x128, got}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales that divide k = 256 alike, got 16 groups for A and 8 for B}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x12xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x12xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales that divide k = 256 alike, got 12 groups for A and 12 for B}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x12xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x12xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<256x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales for 128 rows of A and 256 rows of B, got 128 and 128}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<256x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %p = arith.constant true
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales for 128 rows of B after an offset of 64, got 128}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb offset(%i), %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
            !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 96 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected a block of at least 128 threads, one for each row, got 96}}
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    // expected-error@below {{expected the accumulator in tensor_memory, got}}
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    // expected-error@below {{expected the accumulator with layout accumulator, got}}
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected a power of two of columns, at most 128, got 0}}
    bsmm.drain %acc columns 0 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected a power of two of columns, at most 128, got -32}}
    bsmm.drain %acc columns -32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected a power of two of columns, at most 128, got 24}}
    bsmm.drain %acc columns 24 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected a power of two of columns, at most 128, got 256}}
    bsmm.drain %acc columns 256 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x192xf32, tensor_memory, accumulator>
    // expected-error@below {{expected a number of columns that divides 192 columns from 0, got 128}}
    bsmm.drain %acc columns 128 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x192xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected block arguments (i32, i32, 'vector<64xf32>'), got ('i32', 'i32', 'vector<32xf32>')}}
    bsmm.drain %acc columns 64 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected block arguments (i32, i32, 'vector<32xf32>'), got ('index', 'i32', 'vector<32xf32>')}}
    bsmm.drain %acc columns 32 {
    ^bb0(%row: index, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected block arguments (i32, i32, 'vector<32xf32>'), got ()}}
    bsmm.drain %acc columns 32 {
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<32xf32>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    // expected-error@below {{expected the buffer in shared, got}}
    bsmm.write_shared %v, %b[%i, %i] : vector<32xf32>,
        !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<32xf32>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    // expected-error@below {{expected a vector of 'f16', got 'vector<32xf32>'}}
    bsmm.write_shared %v, %b[%i, %i] : vector<32xf32>,
        !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<4x8xf16>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    // expected-error@below {{expected a vector of 'f16', got 'vector<4x8xf16>'}}
    bsmm.write_shared %v, %b[%i, %i] : vector<4x8xf16>,
        !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<[32]xf16>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    // expected-error@below {{expected a vector of 'f16', got 'vector<[32]xf16>'}}
    bsmm.write_shared %v, %b[%i, %i] : vector<[32]xf16>,
        !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<4xf16>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    // expected-error@below {{expected a multiple of 16 bytes, got 64 bits}}
    bsmm.write_shared %v, %b[%i, %i] : vector<4xf16>,
        !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<16xf8E4M3FN>
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected a buffer of rows, got '!bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>'}}
    bsmm.write_shared %v, %b[%i, %i] : vector<16xf8E4M3FN>,
        !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<4x8xf32>
    // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<4x8xf32>'}}
    bsmm.write_global %v, %p[%i, %i] base %s stride %s limits [%i, %i]
        : vector<4x8xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<[8]xf32>
    // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<[8]xf32>'}}
    bsmm.write_global %v, %p[%i, %i] base %s stride %s limits [%i, %i]
        : vector<[8]xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<32xf4E2M1FN>
    // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<32xf4E2M1FN>'}}
    bsmm.write_global %v, %p[%i, %i] base %s stride %s limits [%i, %i]
        : vector<32xf4E2M1FN>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<8xf64>
    // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<8xf64>'}}
    bsmm.write_global %v, %p[%i, %i] base %s stride %s limits [%i, %i]
        : vector<8xf64>
    bsmm.return
  }
}
