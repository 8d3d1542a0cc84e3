// Accumulators that share columns, and drains of them, that the verifiers refuse.
// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected two slots of one accumulator in tensor memory to share columns, got}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 16
        : !bsmm.channel<1, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected two slots of one accumulator in tensor memory to share columns, got}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 16
        : !bsmm.channel<3, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected two slots of one accumulator in tensor memory to share columns, got}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 16
        : !bsmm.channel<2, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected two slots of one accumulator in tensor memory to share columns, got}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 16
        : !bsmm.channel<2, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 1 to 128 shared columns, at most half of them, got 0}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 0
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 1 to 128 shared columns, at most half of them, got -1}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap -1
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected 1 to 128 shared columns, at most half of them, got 129}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 129
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected a consumer that arrives by threads when slots share columns}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <mma_commit> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    // expected-error@below {{expected slots at a distance of 192 columns, got 256}}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 {slot_stride = 256 : i64}
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    // expected-error@below {{expected a channel whose slots share columns}}
    %1 = bsmm.slot_column %0[%i] first 0 columns 32 : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    // expected-error@below {{expected columns of the warpgroup's 256, got 32 from 256}}
    %1 = bsmm.slot_column %0[%i] first 256 columns 32 : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    // expected-error@below {{expected columns of the warpgroup's 256, got 32 from -1}}
    %1 = bsmm.slot_column %0[%i] first -1 columns 32 : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    // expected-error@below {{expected columns of the warpgroup's 256, got 0 from 0}}
    %1 = bsmm.slot_column %0[%i] first 0 columns 0 : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    // expected-error@below {{expected columns of the warpgroup's 256, got 32 from 240}}
    %1 = bsmm.slot_column %0[%i] first 240 columns 32 : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected columns of the warpgroup's 128, got 32 from 128}}
      %1 = bsmm.slot_column %0[%i] first 128 columns 32 : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    // expected-error@below {{expected 'at' with an extent, without 'first' and for tensor memory only}}
    bsmm.drain %acc at %i columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    // expected-error@below {{expected 'at' with an extent, without 'first' and for tensor memory only}}
    bsmm.drain %acc at %i columns 32 first 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

gpu.module @m {
  bsmm.kernel @k(%i: i32) attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %z = bsmm.zero_accumulator : !bsmm.accumulator<128x64xf32, warpgroups = 2>
      // expected-error@below {{expected 'at' with an extent, without 'first' and for tensor memory only}}
      bsmm.drain %z at %i columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
      } : !bsmm.accumulator<128x64xf32, warpgroups = 2>
    }
    bsmm.return
  }
}
