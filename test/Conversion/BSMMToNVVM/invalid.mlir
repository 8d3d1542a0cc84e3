// RUN: bsmm-opt %s --pass-pipeline='builtin.module(gpu.module(convert-bsmm-to-nvvm))' --split-input-file --verify-diagnostics

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected the pipeline level, got tile; run bsmm-tile-to-pipeline first}}
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a target, e.g. target = #bsmm.target<"sm_100a">}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, target = #bsmm.target<"sm_100a">,
      block_size = 128 : i64, dynamic_shared_memory = 8 : i64} {
    bsmm.return
  }
  // expected-error@below {{expected one target for the kernels of a gpu.module, got #bsmm.target<"sm_103a"> and #bsmm.target<"sm_100a">}}
  bsmm.kernel @other() attributes {
      level = #bsmm.level<pipeline>, target = #bsmm.target<"sm_103a">,
      block_size = 128 : i64, dynamic_shared_memory = 8 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected a block size and the places of memory; run bsmm-assign-memory first}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 128 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected a block size and the places of memory; run bsmm-assign-memory first}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               dynamic_shared_memory = 8 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%i: i32) attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 1032 : i64} {
    %p = arith.cmpi eq, %i, %i : i32
    scf.if %p {
      // expected-error@below {{expected at the kernel's top level, since its memory lives as long as the CTA}}
      %0 = bsmm.alloc {offset = 0 : i64}
          : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    }
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 1032 : i64} {
    // expected-error@below {{expected a place; run bsmm-assign-memory first}}
    %0 = bsmm.alloc : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 1056 : i64} {
    // expected-error@below {{expected a place; run bsmm-assign-memory first}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 0>, slot_stride = 1024 : i64}
        : !bsmm.channel<1, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// Tensor memory without columns.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected the columns of its tensor memory; run bsmm-assign-memory first}}
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8 : i64} {
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

// Places stated by hand lie inside of what the kernel has ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 1536 : i64} {
    // expected-error@below {{expected a place inside of the 1536 bytes of shared memory, got 1024..2047}}
    %0 = bsmm.alloc {offset = 1024 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8 : i64, tensor_memory_columns = 64 : i64} {
    // expected-error@below {{expected a place inside of the 64 columns of tensor memory, got 8..71}}
    %0 = bsmm.alloc {offset = 8 : i64}
        : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

// ... the last word of which receives the address of tensor memory ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 16 : i64, tensor_memory_columns = 64 : i64} {
    // expected-error@below {{expected a place inside of the 8 bytes of shared memory, got 0..15}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128>
        {offsets = array<i64: 0>, slot_stride = 64 : i64,
         barrier_offset = 0 : i64}
        : !bsmm.channel<1, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

// ... and apart from each other.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 4096 : i64} {
    // expected-note@below {{the other one is here}}
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<16x64xf16, shared, swizzle_128B>
    // expected-error@below {{overlaps other shared memory at 1024}}
    %1 = bsmm.alloc {offset = 1024 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 4096 : i64} {
    // expected-note@below {{the other one is here}}
    // expected-error@below {{overlaps other shared memory at 2048}}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 0>, slot_stride = 2048 : i64,
         barrier_offset = 2048 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8 : i64, tensor_memory_columns = 128 : i64} {
    // expected-note@below {{the other one is here}}
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    // expected-error@below {{overlaps other tensor memory at 63}}
    %1 = bsmm.alloc {offset = 63 : i64}
        : !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }
}

// -----

// A buffer over slots lies inside of them: not behind ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 1024>, slot_stride = 1024 : i64,
         barrier_offset = 4096 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected a place inside of the channel's slots, bytes 1024..3071, got 2048..4095}}
    %0 = bsmm.alloc {offset = 2048 : i64}
        : !bsmm.buffer<16x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// ... nor in front, in memory that nothing else has ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 1024>, slot_stride = 1024 : i64,
         barrier_offset = 4096 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected a place inside of the channel's slots, bytes 1024..3071, got 0..1023}}
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// ... also where the first buffer of a slot is not the first one in memory ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 2048, 0>, slot_stride = 1024 : i64,
         barrier_offset = 4096 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected a place inside of the channel's slots, bytes 0..4095, got 4096..5119}}
    %0 = bsmm.alloc {offset = 4096 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// ... apart from other buffers there ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 0>, slot_stride = 1024 : i64,
         barrier_offset = 4096 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected a place that it shares with the channel's slots only, got bytes 0..2047}}
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<16x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-note@below {{the other one is here}}
    %1 = bsmm.alloc {offset = 1024 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// ... from other buffers between the slots ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 0>, slot_stride = 2048 : i64,
         barrier_offset = 4096 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-note@below {{the other one is here}}
    %own = bsmm.alloc {offset = 1024 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    // expected-error@below {{expected a place that it shares with the channel's slots only, got bytes 0..2047}}
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<16x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// ... from slots of other channels there ...
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 0>, slot_stride = 2048 : i64,
         barrier_offset = 4096 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-note@below {{the other one is here}}
    %others = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 1024>, slot_stride = 2048 : i64,
         barrier_offset = 4160 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected a place that it shares with the channel's slots only, got bytes 1024..2047}}
    %0 = bsmm.alloc {offset = 1024 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// ... and from barriers there, its own channel's included.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8192 : i64} {
    // expected-note@below {{the other one is here}}
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        {offsets = array<i64: 0>, slot_stride = 2048 : i64,
         barrier_offset = 1536 : i64}
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected a place that it shares with the channel's slots only, got bytes 1024..2047}}
    %0 = bsmm.alloc {offset = 1024 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

// The rows of a copy are the rows of its buffer.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%d: !bsmm.tensor_map<16x32xf16>, %i: i32) attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 1032 : i64} {
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected a tensor map of 8 rows of 64 elements, with extent 1 in the outer dimensions, got '!bsmm.tensor_map<16x32xf16>'}}
        // expected-error@below {{failed to legalize operation 'bsmm.store_async'}}
        bsmm.store_async %0, %d[%i, %i]
            : !bsmm.buffer<8x64xf16, shared, swizzle_128B>,
              !bsmm.tensor_map<16x32xf16>
      }
    }
    bsmm.return
  }
}

// -----

gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%d: !bsmm.tensor_map<8x64xi16>, %i: i32) attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 1032 : i64} {
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<8x64xi16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{to copy with TMA, got 'i16'}}
        // expected-error@below {{failed to legalize operation 'bsmm.store_async'}}
        bsmm.store_async %0, %d[%i, %i]
            : !bsmm.buffer<8x64xi16, shared, swizzle_128B>,
              !bsmm.tensor_map<8x64xi16>
      }
    }
    bsmm.return
  }
}

// -----

// A row that no box holds, inside of other rows.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k(%d: !bsmm.tensor_map<8x512xf16>, %i: i32) attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8200 : i64} {
    %0 = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<8x512xf16, shared, row_major>
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-error@below {{expected extents of at most 256 elements of the tensor map inside of other dimensions, got '!bsmm.tensor_map<8x512xf16>'; view the tensor with a smaller inner extent}}
        // expected-error@below {{failed to legalize operation 'bsmm.store_async'}}
        bsmm.store_async %0, %d[%i, %i]
            : !bsmm.buffer<8x512xf16, shared, row_major>,
              !bsmm.tensor_map<8x512xf16>
      }
    }
    bsmm.return
  }
}

// -----

// What the target's tensor core does not multiply.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 5128 : i64, tensor_memory_columns = 32 : i64} {
    %acc = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<128x8xf32, tensor_memory, accumulator>
    %sa = bsmm.alloc {offset = 8 : i64}
        : !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
    %sb = bsmm.alloc {offset = 12 : i64}
        : !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc {offset = 0 : i64}
        : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %b = bsmm.alloc {offset = 4096 : i64}
        : !bsmm.buffer<8x64xf4E2M1FN, shared, swizzle_32B>
    %p = arith.constant true
    bsmm.warp_role 1 {
      bsmm.leader {
        // expected-error@below {{sm_100a tcgen05: expected N of 16 to 256 in steps of 16, got 8; the nearest legal N is 16}}
        // expected-error@below {{failed to legalize operation 'bsmm.scaled_mma'}}
        bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc accumulate %p
            : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>,
              !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>,
              !bsmm.buffer<8x64xf4E2M1FN, shared, swizzle_32B>,
              !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>,
              !bsmm.buffer<128x8xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}

// -----

// The name of the shared memory is the conversion's own.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{expected no symbol 'bsmm_dynamic_shared_memory', which names the kernels' shared memory}}
  llvm.mlir.global external @bsmm_dynamic_shared_memory() {addr_space = 3 : i32} : i32
  bsmm.kernel @k() attributes {
      level = #bsmm.level<pipeline>, block_size = 128 : i64,
      dynamic_shared_memory = 8 : i64} {
    bsmm.return
  }
}

// -----

!a = !bsmm.buffer<64x64xf8E4M3FN, shared, swizzle_64B>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 128 : i64,
                               dynamic_shared_memory = 32768 : i64} {
    %a = bsmm.alloc {offset = 0 : i64} : !a
    // expected-error@below {{sm_100a: expected instruction family tcgen05 or mma_sync, got wgmma, which needs sm_90a}}
    // expected-error@below {{failed to legalize operation 'bsmm.mma'}}
    %0 = bsmm.mma %a, %a : !a, !a -> !bsmm.accumulator<64x64xf32>
    bsmm.return
  }
}

// -----

// Two warpgroups with 240 registers a thread, and 128 threads with the 168 that
// all start with.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected the registers of its roles to fit the 65536 of sm_90a, got 82944; give some roles fewer}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 384 : i64,
                               dynamic_shared_memory = 32768 : i64} {
    bsmm.warp_role 0 count 8 registers 240 {
    }
    bsmm.return
  }
}

// -----

// One register block of 8 too many.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected the registers of its roles to fit the 65536 of sm_90a, got 66560; give some roles fewer}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               block_size = 384 : i64,
                               dynamic_shared_memory = 32768 : i64} {
    bsmm.warp_role 8 count 4 registers 40 {
    }
    bsmm.warp_role 0 count 8 registers 240 {
    }
    bsmm.return
  }
}

// -----

// Only releases of the tensor core go to all CTAs of a cluster.
!chan = !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64,
      block_size = 128 : i64, dynamic_shared_memory = 65536 : i64} {
    // expected-error@below {{expected a producer of a channel of a cluster that arrives by transactions or threads: multiplications write tensor memory of their own CTA}}
    %ch = bsmm.create_channel producer = <mma_commit>, consumer = <threads>, cluster
        {barrier_offset = 32768 : i64, offsets = array<i64: 0>, slot_stride = 16384 : i64} : !chan
    bsmm.return
  }
}
