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
      // expected-error@below {{expected no role inside of a role, but those of single warps of the role right around them}}
      bsmm.warp_role 1 {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected no role inside of a role, but those of single warps of the role right around them}}
      bsmm.warp_role 4 count 4 {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 4 count 4 {
      // expected-error@below {{expected no role inside of a role, but those of single warps of the role right around them}}
      bsmm.warp_role 8 {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 4 count 4 {
      // expected-error@below {{expected no role inside of a role, but those of single warps of the role right around them}}
      bsmm.warp_role 3 {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%n: i32) attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 4 count 4 {
      scf.for %i = %n to %n step %n : i32 {
        // expected-error@below {{expected no role inside of a role, but those of single warps of the role right around them}}
        bsmm.warp_role 4 {
        }
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
        // expected-error@below {{expected scales for 128 rows of B after an offset of 32, got 128}}
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

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got 16}}
    bsmm.warp_role 0 count 4 registers 16 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got 20}}
    bsmm.warp_role 0 count 4 registers 20 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got 28}}
    bsmm.warp_role 0 count 4 registers 28 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got 257}}
    bsmm.warp_role 0 count 4 registers 257 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got 264}}
    bsmm.warp_role 0 count 4 registers 264 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got 0}}
    bsmm.warp_role 0 count 4 registers 0 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 24 to 256 registers in steps of 8, got -8}}
    bsmm.warp_role 0 count 4 registers -8 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected whole warpgroups to give other registers to, got one warp}}
    bsmm.warp_role 0 registers 40 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a role of 1 warp or of the 4 of each of its warpgroups, got 6}}
    bsmm.warp_role 0 count 6 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 8 from 2}}
    bsmm.warp_role 2 count 8 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected warps in 0..31, those of a warpgroup from a multiple of 4 on, got 8 from 28}}
    bsmm.warp_role 28 count 8 {
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    // expected-error@below {{expected a warp of the block of 128 threads, got warp 7}}
    bsmm.warp_role 0 count 8 {
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 0 count 8 {
      bsmm.leader {
        // expected-error@below {{expected outside of a bsmm.leader: each warp arrives by a thread of its own}}
        bsmm.release %ch[%i] : !loads
      }
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected to be executed by 2 warpgroups as '!bsmm.accumulator<128x64xf32, warpgroups = 2>' says, got 1}}
      %s = bsmm.mma %a, %b : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 {
      // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
      %s = bsmm.mma %a, %b : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected A in shared, got '!bsmm.buffer<128x128xf32, tensor_memory, accumulator>'}}
      %s = bsmm.mma %a, %b : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !bsmm.buffer<64x128xf8E4M3FN, shared, row_major>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected B with layout swizzle_32B, swizzle_64B or swizzle_128B, which its descriptor describes, got '!bsmm.buffer<64x128xf8E4M3FN, shared, row_major>'}}
      %s = bsmm.mma %a, %b : !a, !bsmm.buffer<64x128xf8E4M3FN, shared, row_major> -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !bsmm.buffer<64x64xf8E4M3FN, shared, swizzle_64B>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected A [m, k] and B [n, k] with one k, got 128 and 64}}
      %s = bsmm.mma %a, %b : !a, !bsmm.buffer<64x64xf8E4M3FN, shared, swizzle_64B> -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected an accumulator of 128x64, got '!bsmm.accumulator<128x128xf32, warpgroups = 2>'}}
      %s = bsmm.mma %a, %b : !a, !b -> !bsmm.accumulator<128x128xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected an accumulator of 128x64, got '!bsmm.accumulator<256x64xf32, warpgroups = 2>'}}
      %s = bsmm.mma %a, %b : !a, !b -> !bsmm.accumulator<256x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      %c0 = arith.constant 0 : i32
      %loop = scf.for %j = %c0 to %i step %i iter_args(%q = %c0) -> (i32) : i32 {
        %p = arith.cmpi eq, %q, %c0 : i32
        scf.if %p {
          // expected-error@below {{expected outside of drains, and of branches that threads may take differently: all its threads execute it}}
          %s = bsmm.mma %a, %b : !a, !b -> !acc
        }
        scf.yield %q : i32
      }
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    // expected-error@below {{expected to be executed by 2 warpgroups as '!bsmm.accumulator<128x64xf32, warpgroups = 2>' says, got 3}}
    %z = bsmm.zero_accumulator : !acc
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 3 {
      // expected-error@below {{expected to be executed by 2 warpgroups as '!bsmm.accumulator<128x64xf32, warpgroups = 2>' says, got 0}}
      %z = bsmm.zero_accumulator : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 0 to 7 pending groups, got -1}}
      %w = bsmm.wait_mma %z pending -1 : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 0 to 7 pending groups, got 8}}
      %w = bsmm.wait_mma %z pending 8 : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %z = "bsmm.zero_accumulator"() : () -> !acc
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected to be executed by 2 warpgroups as '!bsmm.accumulator<128x64xf32, warpgroups = 2>' says, got 1}}
      %w = bsmm.wait_mma %z pending 0 : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %z = "bsmm.zero_accumulator"() : () -> !acc
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected to be executed by 2 warpgroups as '!bsmm.accumulator<128x64xf32, warpgroups = 2>' says, got 1}}
      %w = bsmm.add_accumulators %z, %z : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 8 to 256 columns in steps of 8, got 0}}
      bsmm.drain %z columns 0 {
      ^bb0(%row: i32, %column: i32, %v: vector<4xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 8 to 256 columns in steps of 8, got 4}}
      bsmm.drain %z columns 4 {
      ^bb0(%row: i32, %column: i32, %v: vector<4xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 8 to 256 columns in steps of 8, got 12}}
      bsmm.drain %z columns 12 {
      ^bb0(%row: i32, %column: i32, %v: vector<4xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 8 to 256 columns in steps of 8, got 264}}
      bsmm.drain %z columns 264 {
      ^bb0(%row: i32, %column: i32, %v: vector<4xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected 8 to 256 columns in steps of 8, got -8}}
      bsmm.drain %z columns -8 {
      ^bb0(%row: i32, %column: i32, %v: vector<4xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected columns of the accumulator's 64, got 64 from 32}}
      bsmm.drain %z columns 32 first 32 extent 64 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected columns of the accumulator's 64, got 32 from 64}}
      bsmm.drain %z columns 32 first 64 extent 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected columns of the accumulator's 64, got 32 from -32}}
      bsmm.drain %z columns 32 first -32 extent 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected columns of the accumulator's 64, got 0 from 0}}
      bsmm.drain %z columns 32 extent 0 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected a number of columns that divides 24 columns from 0, got 16}}
      bsmm.drain %z columns 16 extent 24 {
      ^bb0(%row: i32, %column: i32, %v: vector<8xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected a number of columns that divides 32 columns from 8, got 16}}
      bsmm.drain %z columns 16 first 8 extent 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<8xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected block arguments (i32, i32, 'vector<16xf32>'), got ('i32', 'i32', 'vector<32xf32>')}}
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      } : !acc
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected the role of one warpgroup, or 'at', got 8 warps}}
      bsmm.drain %acc columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected dimension 0 (rows) or 1 (columns), got 2}}
        %r = bsmm.read_vector %p[%row] offset %i limit %i dimension 2 : vector<16xf32>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected dimension 0 (rows) or 1 (columns), got -1}}
        %r = bsmm.read_vector %p[%row] offset %i limit %i dimension -1 : vector<16xf32>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of 16 elements like the drain's values, got 'vector<32xf32>'}}
        %r = bsmm.read_vector %p[%row] offset %i limit %i dimension 0 : vector<32xf32>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<4x4xf32>'}}
        %r = bsmm.read_vector %p[%row] offset %i limit %i dimension 0 : vector<4x4xf32>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<16xf64>'}}
        %r = bsmm.read_vector %p[%row] offset %i limit %i dimension 0 : vector<16xf64>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of 16 elements like the drain's values, got 'vector<8xf16>'}}
        %r = bsmm.read_global %p[%row, %column] base %l stride %l limits [%i, %i] : vector<8xf16>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<[16]xf16>'}}
        %r = bsmm.read_global %p[%row, %column] base %l stride %l limits [%i, %i] : vector<[16]xf16>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of rank 1 with elements of 8, 16 or 32 bits, got 'vector<16xf4E2M1FN>'}}
        %r = bsmm.read_global %p[%row, %column] base %l stride %l limits [%i, %i] : vector<16xf4E2M1FN>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      %w = arith.constant dense<0.0> : vector<8xf32>
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of 16 elements like the drain's values, got 'vector<8xf32>'}}
        bsmm.write_shared %w, %s[%row, %column] : vector<8xf32>, !bsmm.buffer<128x64xf32, shared, swizzle_128B>
      } : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      %w = arith.constant dense<0.0> : vector<8xf32>
      bsmm.drain %z columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of 16 elements like the drain's values, got 'vector<8xf32>'}}
        bsmm.write_global %w, %p[%row, %column] base %l stride %l limits [%i, %i] : vector<8xf32>
      } : !acc
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected inside of a bsmm.drain, whose values say what to read}}
    %r = bsmm.read_vector %p[%i] offset %i limit %i dimension 0 : vector<16xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32, %l: i64) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected inside of a bsmm.drain, whose values say what to read}}
    %r = bsmm.read_global %p[%i, %i] base %l stride %l limits [%i, %i] : vector<16xf32>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected 0 to 63 pending stores, got -1}}
        bsmm.wait_stores read pending -1
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected 0 to 63 pending stores, got 64}}
        bsmm.wait_stores read pending 64
      }
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %i, %c0 : i32
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %s = bsmm.mma %a, %b : !a, !b -> !acc
    // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
    bsmm.drain %s columns 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
    } : !acc
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %i, %c0 : i32
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %s = bsmm.mma %a, %b : !a, !b -> !acc
    %w = bsmm.wait_mma %s pending 1 : !acc
    // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
    bsmm.drain %w columns 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
    } : !acc
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %i, %c0 : i32
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %z = bsmm.zero_accumulator : !acc
    %s = bsmm.mma %a, %b : !a, !b -> !acc
    // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
    %t = bsmm.add_accumulators %z, %s : !acc
    bsmm.return
  }
}

// -----

// The sum that a loop carries: its last step may still run.
!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %i, %c0 : i32
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %z = bsmm.zero_accumulator : !acc
    %s = scf.for %j = %c0 to %i step %i iter_args(%t = %z) -> (!acc) : i32 {
      %n = bsmm.mma %a, %b add %t : !a, !b -> !acc
      %w = bsmm.wait_mma %n pending 1 : !acc
      scf.yield %w : !acc
    }
    // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
    bsmm.drain %s columns 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
    } : !acc
    bsmm.return
  }
}

// -----

// Inside of the loop it is what the last step has left.
!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %i, %c0 : i32
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %z = bsmm.zero_accumulator : !acc
    %s = scf.for %j = %c0 to %i step %i iter_args(%t = %z) -> (!acc) : i32 {
      // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
      %u = bsmm.add_accumulators %t, %t : !acc
      %n = bsmm.mma %a, %b add %u : !a, !b -> !acc
      scf.yield %n : !acc
    }
    bsmm.return
  }
}

// -----

// One way through a branch is enough.
!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %i, %c0 : i32
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %s = scf.if %p -> (!acc) {
      %z = bsmm.zero_accumulator : !acc
      scf.yield %z : !acc
    } else {
      %n = bsmm.mma %a, %b : !a, !b -> !acc
      scf.yield %n : !acc
    }
    // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
    bsmm.drain %s columns 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
    } : !acc
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x64xf32, warpgroups = 2>
!wide = !bsmm.accumulator<128x128xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    %z = bsmm.zero_accumulator : !wide
    // expected-error@below {{expected to add to an accumulator of its own type '!bsmm.accumulator<128x64xf32, warpgroups = 2>', got '!bsmm.accumulator<128x128xf32, warpgroups = 2>'}}
    %s = "bsmm.mma"(%a, %b, %z) : (!a, !b, !wide) -> !acc
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<64x128xi8, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %a = bsmm.alloc : !a
    // expected-error@below {{no target multiplies i8 and i8 without block scales into f32; expected f16, bf16 or tf32 for both, or types of 8, 6 and 4 bits}}
    %s = bsmm.mma %a, %a : !a, !a -> !bsmm.accumulator<64x64xf32>
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    // expected-error@below {{no target multiplies f8E4M3FN and f16 without block scales into f32}}
    %s = bsmm.mma %a, %b : !a, !b -> !bsmm.accumulator<64x64xf32>
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!other = !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %p = arith.constant true
    %a = bsmm.alloc : !a
    %s = bsmm.alloc : !scales
    %o = bsmm.alloc : !other
    %acc = bsmm.alloc : !acc
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected scales of one type, got 'f8E4M3FN' for A and 'f8E8M0FNU' for B}}
        bsmm.scaled_mma %a scales %s, %a scales %o, %acc accumulate %p
            : !a, !scales, !a, !other, !acc
      }
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %p = arith.constant true
    %a = bsmm.alloc : !a
    %s = bsmm.alloc : !scales
    %acc = bsmm.alloc : !acc
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{no target multiplies f4E2M1FN and f4E2M1FN with scales of f8E4M3FN for every 32 elements}}
        bsmm.scaled_mma %a scales %s, %a scales %s, %acc accumulate %p
            : !a, !scales, !a, !scales, !acc
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 5 {
      // expected-error@below {{expected each_warpgroup in the bsmm.warp_role of warpgroups only}}
      bsmm.leader each_warpgroup {
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected each_warpgroup in the bsmm.warp_role of warpgroups only}}
    bsmm.publish each_warpgroup
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected each_warpgroup in the bsmm.warp_role of warpgroups only}}
    bsmm.synchronize each_warpgroup
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected inside of the bsmm.warp_role of warpgroups}}
    %w = bsmm.warpgroup_index
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 3 {
      // expected-error@below {{expected inside of the bsmm.warp_role of warpgroups}}
      %w = bsmm.warpgroup_index
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    // expected-error@below {{expected the source in shared, got '!bsmm.buffer<128x64xf32, tensor_memory, accumulator>'}}
    %s = bsmm.slice_rows %b[%i] : !bsmm.buffer<128x64xf32, tensor_memory, accumulator> to !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // expected-error@below {{expected a number of rows that divides those of '!bsmm.buffer<128x64xbf16, shared, swizzle_128B>' and is a multiple of 8, got '!bsmm.buffer<48x64xbf16, shared, swizzle_128B>'}}
    %s = bsmm.slice_rows %b[%i] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<48x64xbf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // expected-error@below {{expected a number of rows that divides those of '!bsmm.buffer<128x64xbf16, shared, swizzle_128B>' and is a multiple of 8, got '!bsmm.buffer<64x32xbf16, shared, swizzle_64B>'}}
    %s = bsmm.slice_rows %b[%i] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<64x32xbf16, shared, swizzle_64B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // expected-error@below {{expected a number of rows that divides those of '!bsmm.buffer<128x64xbf16, shared, swizzle_128B>' and is a multiple of 8, got '!bsmm.buffer<64x64xf16, shared, swizzle_128B>'}}
    %s = bsmm.slice_rows %b[%i] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<64x64xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // expected-error@below {{expected a number of rows that divides those of '!bsmm.buffer<128x64xbf16, shared, swizzle_128B>' and is a multiple of 8, got '!bsmm.buffer<64x64xbf16, shared, row_major>'}}
    %s = bsmm.slice_rows %b[%i] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<64x64xbf16, shared, row_major>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x128xbf16, shared, swizzle_128B>
    // expected-error@below {{expected a buffer of one panel, whose rows follow each other, got '!bsmm.buffer<128x128xbf16, shared, swizzle_128B>'}}
    %s = bsmm.slice_rows %b[%i] : !bsmm.buffer<128x128xbf16, shared, swizzle_128B> to !bsmm.buffer<64x128xbf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected a kernel with a cluster_size of at least 2}}
      %s = bsmm.reduce_cluster %a through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x32xf32, shared, row_major> -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected a result of 128 rows and 1 / 2 of 64 columns}}
      %s = bsmm.reduce_cluster %a through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x32xf32, shared, row_major> -> !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 4 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected a result of 128 rows and 1 / 4 of 64 columns}}
      %s = bsmm.reduce_cluster %a through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x32xf32, shared, row_major> -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected a buffer of 4096 f32, a place of the result's size for each of the other CTAs, got '!bsmm.buffer<128x64xf32, shared, row_major>'}}
      %s = bsmm.reduce_cluster %a through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x64xf32, shared, row_major> -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf16, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected a buffer of 4096 f32, a place of the result's size for each of the other CTAs, got '!bsmm.buffer<128x32xf16, shared, row_major>'}}
      %s = bsmm.reduce_cluster %a through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x32xf16, shared, row_major> -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected the buffer with layout row_major, got '!bsmm.buffer<128x32xf32, shared, swizzle_128B>'}}
      %s = bsmm.reduce_cluster %a through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x32xf32, shared, swizzle_128B> -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    %a = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
    %c = bsmm.alloc : !bsmm.buffer<64x64xf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %s = bsmm.mma %a, %c : !bsmm.buffer<128x64xf16, shared, swizzle_128B>, !bsmm.buffer<64x64xf16, shared, swizzle_128B> -> !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
      %t = bsmm.reduce_cluster %s through %b : !bsmm.accumulator<128x64xf32, warpgroups = 2>, !bsmm.buffer<128x32xf32, shared, row_major> -> !bsmm.accumulator<128x32xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<8x64xf32, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected the buffer with layout row_major, got '!bsmm.buffer<8x64xf32, shared, swizzle_128B>'}}
      bsmm.stage_vector %p[%i] limit %i to %b : !bsmm.buffer<8x64xf32, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<1x64xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected a buffer of 2 rows of 32-bit elements, one for each warpgroup, got '!bsmm.buffer<1x64xf32, shared, row_major>'}}
      bsmm.stage_vector %p[%i] limit %i to %b : !bsmm.buffer<1x64xf32, shared, row_major>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf16, shared, row_major>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected a buffer of 2 rows of 32-bit elements, one for each warpgroup, got '!bsmm.buffer<2x64xf16, shared, row_major>'}}
      bsmm.stage_vector %p[%i] limit %i to %b : !bsmm.buffer<2x64xf16, shared, row_major>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
    bsmm.warp_role 2 {
      // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
      bsmm.stage_vector %p[%i] limit %i to %b : !bsmm.buffer<2x64xf32, shared, row_major>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
    // expected-error@below {{expected inside of the bsmm.warp_role of warpgroups}}
    bsmm.stage_vector %p[%i] limit %i to %b : !bsmm.buffer<2x64xf32, shared, row_major>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 2 {
      // expected-error@below {{expected outside of a bsmm.warp_role, or in that of a warpgroup: all its threads execute it}}
      bsmm.wait_vectors
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      bsmm.drain %a columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected dimension 0 (rows) or 1 (columns), got 2}}
        %r = bsmm.read_staged %b[%row] dimension 2 : !bsmm.buffer<2x64xf32, shared, row_major> -> vector<16xf32>
      } : !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      bsmm.drain %a columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected elements of '!bsmm.buffer<2x64xf32, shared, row_major>', got 'vector<16xf16>'}}
        %r = bsmm.read_staged %b[%row] dimension 0 : !bsmm.buffer<2x64xf32, shared, row_major> -> vector<16xf16>
      } : !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      bsmm.drain %a columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
        // expected-error@below {{expected a vector of 16 elements like the drain's values, got 'vector<8xf32>'}}
        %r = bsmm.read_staged %b[%row] dimension 0 : !bsmm.buffer<2x64xf32, shared, row_major> -> vector<8xf32>
      } : !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%p: !llvm.ptr<1>, %i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<2x64xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected inside of a bsmm.drain, whose values say what to read}}
      %r = bsmm.read_staged %b[%i] dimension 0 : !bsmm.buffer<2x64xf32, shared, row_major> -> vector<16xf32>
    }
    bsmm.return
  }
}

// -----

!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %loads = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 count 8 {
      bsmm.leader each_warpgroup {
        // expected-error@below {{expected in a bsmm.leader without each_warpgroup: one thread issues it}}
        %slot = bsmm.acquire %loads[%i] : !loads -> !operand
      }
    }
    bsmm.return
  }
}

// -----

!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<128x128xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %loads = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    %buffer = bsmm.alloc : !operand
    bsmm.warp_role 0 count 8 {
      bsmm.leader each_warpgroup {
        // expected-error@below {{expected in a bsmm.leader without each_warpgroup: one thread issues it}}
        bsmm.load_async %map[%i, %i] to %buffer signals %loads[%i]
            : !bsmm.tensor_map<128x128xf8E4M3FN>, !operand, !loads
      }
    }
    bsmm.return
  }
}

// -----

// A turn is the producer's or the consumer's: channels without buffers.
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected one slot and no transactions for a channel without buffers, which says whose turn it is, got 2 slots and a producer that arrives by warps}}
    %0 = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<2>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected one slot and no transactions for a channel without buffers, which says whose turn it is, got 1 slots and a producer that arrives by transaction}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a consumer that arrives by threads or mma_commit, got transaction: bytes are delivered by producers only}}
    %0 = bsmm.create_channel producer = <warps, count = 4>, consumer = <transaction> : !bsmm.channel<1>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 0 offsets, one for each buffer of a slot, got 1}}
    %0 = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4>
        {barrier_offset = 0 : i64, offsets = array<i64: 0>, slot_stride = 1 : i64} : !bsmm.channel<1>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected the buffers of a slot of '!bsmm.channel<1>' as results, got}}
      %1 = bsmm.acquire %0[%i] : !bsmm.channel<1> -> !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected the buffers of a slot of '!bsmm.channel<1>' as results, got}}
      %1 = bsmm.wait %0[%i] : !bsmm.channel<1> -> !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads> : !bsmm.channel<1, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected the buffers of a slot of '!bsmm.channel<1, <8x64xf16, shared, swizzle_128B>>' as results, got}}
      bsmm.wait %0[%i] : !bsmm.channel<1, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <warps, count = 1>, consumer = <warps, count = 1> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      bsmm.leader {
        // expected-error@below {{expected outside of a bsmm.leader: each warp arrives by a thread of its own}}
        bsmm.commit %0[%i] : !bsmm.channel<1>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <warps, count = 1>, consumer = <warps, count = 1> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      bsmm.leader {
        // expected-error@below {{expected outside of a bsmm.leader: each warp arrives by a thread of its own}}
        bsmm.release %0[%i] : !bsmm.channel<1>
      }
    }
    bsmm.return
  }
}

// -----

!buf = !bsmm.buffer<128x64xf16, shared, swizzle_128B>
!chan = !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<1x128x64xf16>)
      attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !chan
    bsmm.warp_role 0 {
      bsmm.leader {
        %buffer = bsmm.acquire %ch[%c0] : !chan -> !buf
        // expected-error@below {{expected a channel with 'cluster' for a multicast load: its bytes arrive in every CTA}}
        bsmm.load_async %a[%c0, %c0, %c0] to %buffer signals %ch[%c0] multicast
            : !bsmm.tensor_map<1x128x64xf16>, !buf, !chan
      }
    }
    bsmm.return
  }
}

// -----

!chan = !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a kernel with a cluster_size of more than one CTA for a channel with 'cluster'}}
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads>, cluster : !chan
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      // expected-error@below {{expected a kernel with a cluster_size of at least 2}}
      bsmm.send_partial %v, %b[%row, %column] to %i : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<64x32xf32, shared, row_major>
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      // expected-error@below {{expected a buffer of 1 x 128 rows and 32 to 32 columns of f32, a place for each of the other CTAs, got}}
      bsmm.send_partial %v, %b[%row, %column] to %i : vector<32xf32>, !bsmm.buffer<64x32xf32, shared, row_major>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xf32, shared, row_major>
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      // expected-error@below {{expected a buffer of 1 x 128 rows and 32 to 32 columns of f32, a place for each of the other CTAs, got}}
      %s = bsmm.add_partials %v, %b[%row, %column] : vector<32xf32>, !bsmm.buffer<128x64xf32, shared, row_major>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 2 extent 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<2xf32>):
      // expected-error@below {{expected a multiple of 4 values in f32, as many as the drain's 2, got 'vector<2xf32>'}}
      %s = bsmm.add_partials %v, %b[%row, %column] : vector<2xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, swizzle_128B>
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      // expected-error@below {{expected the buffer with layout row_major}}
      %s = bsmm.add_partials %v, %b[%row, %column] : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, swizzle_128B>
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %v = arith.constant dense<1.0> : vector<32xf32>
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    // expected-error@below {{expected inside of a bsmm.drain from tensor memory}}
    bsmm.send_partial %v, %b[%i, %i] to %i : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    // expected-error@below {{expected a kernel with a cluster_size of at least 2}}
    bsmm.wait_partials %b : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%n: i32) attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error@below {{expected outside of loops: the others send once}}
      bsmm.wait_partials %b : !bsmm.buffer<128x32xf32, shared, row_major>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    // expected-error@below {{expected one bsmm.wait_partials for a buffer}}
    bsmm.wait_partials %b : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.wait_partials %b : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<8192x32xf32, shared, row_major>
    // expected-error@below {{expected at most 1048575 bytes, which a barrier counts, got 1048576}}
    bsmm.wait_partials %b : !bsmm.buffer<8192x32xf32, shared, row_major>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    // expected-error@below {{expected the buffer}}
    bsmm.wait_partials %b : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    %b = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.warp_role 0 {
      // expected-error@below {{expected}}
      bsmm.wait_partials %b : !bsmm.buffer<128x32xf32, shared, row_major>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a kernel with a cluster_size of at least 2}}
    bsmm.synchronize_cluster
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64} {
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected outside of a bsmm.warp_role: all threads of the cluster execute it}}
      bsmm.synchronize_cluster
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected 'transposed' for tensor memory only}}
      bsmm.drain %a columns 32 transposed {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
      } : !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%n: i32, %m: i32) attributes {level = #bsmm.level<pipeline>} {
    %any = arith.cmpi ne, %n, %m : i32
    bsmm.warp_role 0 count 8 {
      %a = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected 'when' for tensor memory only}}
      bsmm.drain %a when %any columns 32 {
      ^bb0(%row: i32, %column: i32, %v: vector<16xf32>):
      } : !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected columns from 0 to 64, the first one a multiple of 8, got 32 from 36 on}}
      %s = bsmm.mma %a, %b column 36 : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected columns from 0 to 64, the first one a multiple of 8, got 32 from 40 on}}
      %s = bsmm.mma %a, %b column 40 : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected columns from 0 to 64, the first one a multiple of 8, got 32 from -8 on}}
      %s = bsmm.mma %a, %b column -8 : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected an accumulator that is split by rows with 'column', got '!bsmm.accumulator<128x32xf32, warpgroups = 2 by_columns>'}}
      %s = bsmm.mma %a, %b column 0 : !a, !b -> !bsmm.accumulator<128x32xf32, warpgroups = 2 by_columns>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected elements of K from 0 to 128, in multiples of 32 (32 bytes), got 64 from 96 on}}
      %s = bsmm.mma %a, %b column 0 k 96 for 64 : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected elements of K from 0 to 128, in multiples of 32 (32 bytes), got 48 from 0 on}}
      %s = bsmm.mma %a, %b column 0 k 0 for 48 : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected elements of K from 0 to 128, in multiples of 32 (32 bytes), got 32 from 16 on}}
      %s = bsmm.mma %a, %b column 0 k 16 for 32 : !a, !b -> !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      %s = bsmm.mma %a, %b column 0 : !a, !b -> !acc
      // expected-error@below {{expected at least 1 bsmm.mma between the one of a complete sum and the wait, got 0; wait with 0 pending groups}}
      %t = bsmm.wait_mma %s pending 1 complete : !acc
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      %c0 = arith.constant 0 : i32
      %first = bsmm.mma %a, %b column 0 : !a, !b -> !acc
      %end = scf.for %j = %c0 to %i step %i iter_args(%last = %first) -> (!acc) : i32 {
        // Of the trip before nothing else has been issued.
        // expected-error@below {{expected at least 1 bsmm.mma between the one of a complete sum and the wait, got 0; wait with 0 pending groups}}
        %t = bsmm.wait_mma %last pending 1 complete : !acc
        %s = bsmm.mma %a, %b column 0 : !a, !b -> !acc
        scf.yield %s : !acc
      }
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      %s = bsmm.mma %a, %b column 0 : !a, !b -> !acc
      %t = bsmm.mma %a, %b column 32 : !a, !b -> !acc
      %u = bsmm.wait_mma %t pending 0 : !acc
      // expected-error@below {{expected a sum that has been waited for, got one whose multiplications may still run; insert bsmm.wait_mma with 0 pending groups}}
      %v = bsmm.join_accumulators %s, %u : !acc, !acc -> !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected accumulators of 96 columns together, got 64}}
      %v = bsmm.join_accumulators %z, %z : !acc, !acc -> !bsmm.accumulator<128x96xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!b = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!acc = !bsmm.accumulator<128x32xf32, warpgroups = 2>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !a
    %b = bsmm.alloc : !b
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected accumulators with the rows, the warpgroups and their split of the result '!bsmm.accumulator<256x64xf32, warpgroups = 2>', got '!bsmm.accumulator<128x32xf32, warpgroups = 2>'}}
      %v = bsmm.join_accumulators %z, %z : !acc, !acc -> !bsmm.accumulator<256x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

// Warpgroups that share the columns have rows in parts.
!acc = !bsmm.accumulator<64x32xf32, warpgroups = 2 by_columns>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected accumulators of 192 rows together, got 128}}
      %v = bsmm.join_accumulators %z, %z : !acc, !acc -> !bsmm.accumulator<192x32xf32, warpgroups = 2 by_columns>
    }
    bsmm.return
  }
}

// -----

!acc = !bsmm.accumulator<64x32xf32, warpgroups = 2 by_columns>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !acc
      // expected-error@below {{expected accumulators with the columns, the warpgroups and their split of the result '!bsmm.accumulator<64x64xf32, warpgroups = 2 by_columns>', got '!bsmm.accumulator<64x32xf32, warpgroups = 2 by_columns>'}}
      %v = bsmm.join_accumulators %z, %z : !acc, !acc -> !bsmm.accumulator<64x64xf32, warpgroups = 2 by_columns>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    // expected-error@below {{expected the source in shared, got '!bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles> to !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    // expected-error@below {{expected the source with layout scale_tiles, got '!bsmm.buffer<128x64xbf16, shared, swizzle_128B>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<128x64xbf16, shared, swizzle_128B> to !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected the result in shared, got '!bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected all groups of rows that divide those of '!bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>', or groups of 128 rows that divide those, got '!bsmm.buffer<256x8xf8E4M3FN, shared, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<256x8xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<384x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected all groups of rows that divide those of '!bsmm.buffer<384x16xf8E4M3FN, shared, scale_tiles>', or groups of 128 rows that divide those, got '!bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<384x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected all groups of rows that divide those of '!bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>', or groups of 128 rows that divide those, got '!bsmm.buffer<128x12xf8E4M3FN, shared, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<128x12xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected all groups of rows that divide those of '!bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>', or groups of 128 rows that divide those, got '!bsmm.buffer<128x8xf8E8M0FNU, shared, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<128x8xf8E8M0FNU, shared, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %b = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    // expected-error@below {{expected all groups of rows that divide those of '!bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>', or groups of 128 rows that divide those, got '!bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>'}}
    %s = bsmm.slice_scales %b[%i] : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles> to !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
    bsmm.return
  }
}

// -----

!chan = !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !chan
    %1 = scf.for %j = %i to %i step %i iter_args(%c = %0) -> (!chan) : i32 {
      // expected-error@below {{'bsmm.wait_released' op expected a channel of a bsmm.create_channel}}
      bsmm.wait_released %c[%i] : !chan
      scf.yield %c : !chan
    }
    bsmm.return
  }
}

// -----

!chan = !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !chan
    bsmm.warp_role 4 {
      // expected-error@below {{expected in a bsmm.leader: one thread issues it}}
      bsmm.wait_released %ch[%i] : !chan
    }
    bsmm.return
  }
}

// -----

// Slots are given away, and may not be when a buffer's turn comes again.
!shared = !bsmm.buffer<128x64xf16, shared, swizzle_128B>
!chan = !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %own = bsmm.alloc : !shared
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !chan
    bsmm.warp_role 4 {
      bsmm.leader {
        %slot = bsmm.wait %ch[%i] : !chan -> !shared
        // expected-error@below {{expected two buffers of bsmm.alloc}}
        %turn = bsmm.select_buffer %i of %own, %slot : !shared
      }
    }
    bsmm.return
  }
}

// -----

// Slots of shared memory may be lain over, by buffers in shared memory.
!chan = !bsmm.channel<1, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !chan
    // expected-error@below {{expected a buffer and a channel in shared memory with 'over', got '!bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>' and '!bsmm.channel<1, <128x64xf16, shared, swizzle_128B>>'}}
    %0 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
        over %ch : !chan
    bsmm.return
  }
}

// -----

!chan = !bsmm.channel<1, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <mma_commit>, consumer = <threads> : !chan
    // expected-error@below {{expected a buffer and a channel in shared memory with 'over', got '!bsmm.buffer<128x64xf16, shared, swizzle_128B>' and '!bsmm.channel<1, <128x64xf32, tensor_memory, accumulator>>'}}
    %1 = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
        over %ch : !chan
    bsmm.return
  }
}

// -----

// An order channel has no memory.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <threads>, consumer = <threads> : !bsmm.channel<1>
    // expected-error@below {{expected a buffer and a channel in shared memory with 'over', got '!bsmm.buffer<128x64xf16, shared, swizzle_128B>' and '!bsmm.channel<1>'}}
    %0 = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
        over %ch : !bsmm.channel<1>
    bsmm.return
  }
}

// -----

!chan = !bsmm.channel<1, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%n: i32) attributes {level = #bsmm.level<pipeline>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !chan
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%same = %ch) -> (!chan) : i32 {
      // expected-error@below {{expected the channel of a bsmm.create_channel with 'over'}}
      %0 = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
          over %same : !chan
      scf.yield %same : !chan
    }
    bsmm.return
  }
}

// -----

// The place of a buffer over slots is a place like others.
!chan = !bsmm.channel<1, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !chan
    // expected-error@below {{expected an offset in 0..1048575 that is a multiple of 1024, got 512}}
    %0 = bsmm.alloc {offset = 512 : i64}
        : !bsmm.buffer<128x64xf16, shared, swizzle_128B> over %ch : !chan
    bsmm.return
  }
}
