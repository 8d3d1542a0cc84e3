// RUN: bsmm-opt %s --bsmm-assign-memory --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error@below {{expected a target to place memory for, e.g. target = #bsmm.target<"sm_100a">}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.return
  }
}

// -----

// Seven slots are too many: the message shows the sum.
gpu.module @m {
  // expected-error@below {{expected at most 232448 bytes of shared memory on sm_100a, got 290936 = 258048 (channel of 7 slots) + 32768 (buffer) + 120 (barriers); use at most 5 stages or a smaller tile}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_100a">} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<7, <128x256xf4E2M1FN, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>,
                           <128x256xf4E2M1FN, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>>
    %1 = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.return
  }
}

// -----

// Exactly too much by one barrier word.
gpu.module @m {
  // expected-error@below {{expected at most 232448 bytes of shared memory on sm_100a, got 232456 = 232448 (buffer) + 8 (barriers)}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_100a">} {
    %0 = bsmm.alloc : !bsmm.buffer<227x1024xi8, shared, row_major>
    bsmm.return
  }
}

// -----

// Other targets have less.
gpu.module @m {
  // expected-error@below {{expected at most 101376 bytes of shared memory on sm_120a, got 131080 = 131072 (buffer) + 8 (barriers)}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_120a">} {
    %0 = bsmm.alloc : !bsmm.buffer<128x1024xi8, shared, row_major>
    bsmm.return
  }
}

// -----

// 2^30 bytes do not overflow anything.
gpu.module @m {
  // expected-error@below {{got 1073742856 = 1073741824 (channel of 64 slots) + 1032 (barriers)}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_100a">} {
    %0 = bsmm.create_channel producer = <threads>, consumer = <threads>
        : !bsmm.channel<64, <4096x4096xi8, shared, row_major>>
    bsmm.return
  }
}

// -----

// The accumulators alone fill tensor memory: no column is left for scales.
gpu.module @m {
  // expected-error@below {{expected at most 512 columns of tensor memory, got 528 = 512 (channel of 2 slots) + 16 (buffer); use a smaller tile}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_100a">} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<2, <128x256xf32, tensor_memory, accumulator>>
    %1 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected a target with tensor memory, got sm_90a}}
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_90a">} {
    %0 = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// -----

// Buffers that are larger than the slots which they lie over, by what the second
// one's alignment takes.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>,
                               target = #bsmm.target<"sm_90a">} {
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, <8x64xf16, shared, swizzle_128B>>
    %1 = bsmm.alloc : !bsmm.buffer<1x32xf32, shared, row_major> over %0
        : !bsmm.channel<2, <8x64xf16, shared, swizzle_128B>>
    // expected-error@below {{expected at most 2048 bytes of buffers over the channel's slots, got 3072; use more stages or no 'over'}}
    %2 = bsmm.alloc : !bsmm.buffer<16x64xf16, shared, swizzle_128B> over %0
        : !bsmm.channel<2, <8x64xf16, shared, swizzle_128B>>
    %3 = bsmm.alloc : !bsmm.buffer<8x64xf16, shared, swizzle_128B> over %0
        : !bsmm.channel<2, <8x64xf16, shared, swizzle_128B>>
    bsmm.return
  }
}
