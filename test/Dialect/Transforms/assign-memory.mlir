// RUN: bsmm-opt %s --bsmm-assign-memory | FileCheck %s

gpu.module @kernels attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // A slot is 16384 + 2048 + 16384 + 2048 bytes, a multiple of 1024, so slots
  // follow each other without a gap. Then come the staging buffer, the barriers
  // (two for each of 4 + 1 slots) and the word that receives the address of
  // tensor memory: 147456 + 32768 + 80 + 8. Tensor memory holds the
  // accumulator and the scales, 128 + 16 + 16 columns, of which a power of two
  // is taken.
  // CHECK-LABEL: bsmm.kernel @nvfp4
  // CHECK-SAME: dynamic_shared_memory = 180312 : i64
  // CHECK-SAME: tensor_memory_columns = 256 : i64
  bsmm.kernel @nvfp4() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 180224 : i64, offsets = array<i64: 0, 16384, 18432, 34816>, slot_stride = 36864 : i64}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<4, <128x256xf4E2M1FN, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>,
                           <128x256xf4E2M1FN, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>>
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 180288 : i64, offsets = array<i64: 0>, slot_stride = 128 : i64}
    %1 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128>
        : !bsmm.channel<1, <128x128xf32, tensor_memory, accumulator>>
    // CHECK: bsmm.alloc {offset = 128 : i64}
    %2 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    // CHECK: bsmm.alloc {offset = 144 : i64}
    %3 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    // CHECK: bsmm.alloc {offset = 147456 : i64}
    %4 = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.return
  }

  // Every buffer of every slot starts at its swizzle pattern: a multiple of 1024
  // bytes for 128B, 512 for 64B, 256 for 32B, and of 128 at least. So a slot of
  // 1024 + 16 bytes takes 2048.
  // CHECK-LABEL: bsmm.kernel @alignment
  // CHECK-SAME: dynamic_shared_memory = 12520 : i64
  bsmm.kernel @alignment() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 12288 : i64, offsets = array<i64: 0, 512>, slot_stride = 1536 : i64}
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<3, <128x4xf8E4M3FN, shared, scale_tiles>,
                           <16x32xf16, shared, swizzle_64B>>
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 12336 : i64, offsets = array<i64: 4608>, slot_stride = 128 : i64}
    %1 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<3, <1x8xf16, shared, row_major>>
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 12384 : i64, offsets = array<i64: 5120>, slot_stride = 256 : i64}
    %2 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<5, <8x16xf16, shared, swizzle_32B>>
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 12464 : i64, offsets = array<i64: 7168, 8192>, slot_stride = 2048 : i64}
    %3 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, <8x64xf16, shared, swizzle_128B>,
                           <1x8xf16, shared, row_major>>
    // CHECK: bsmm.alloc {offset = 11264 : i64}
    %4 = bsmm.alloc : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 12496 : i64, offsets = array<i64: 0>, slot_stride = 8 : i64}
    %5 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<1, <128x8xf32, tensor_memory, accumulator>>
    bsmm.return
  }

  // Slots of tensor memory are ranges of columns; 32 columns are the least.
  // CHECK-LABEL: bsmm.kernel @tensor_memory_slots
  // CHECK-SAME: dynamic_shared_memory = 40 : i64
  // CHECK-SAME: tensor_memory_columns = 32 : i64
  bsmm.kernel @tensor_memory_slots() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: bsmm.create_channel {{.*}} {barrier_offset = 0 : i64, offsets = array<i64: 0>, slot_stride = 8 : i64}
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<2, <128x8xf32, tensor_memory, accumulator>>
    // 256 rows of scales are eight columns for four groups.
    // CHECK: bsmm.alloc {offset = 16 : i64}
    %1 = bsmm.alloc : !bsmm.buffer<256x4xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }

  // Slots that share columns overlap, and have one full and one empty barrier:
  // columns 0..255 and 192..447, then the scales.
  // CHECK-LABEL: bsmm.kernel @overlapping_slots
  // CHECK-SAME: dynamic_shared_memory = 24 : i64
  // CHECK-SAME: tensor_memory_columns = 512 : i64
  bsmm.kernel @overlapping_slots() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: bsmm.create_channel {{.*}} overlap 64 {barrier_offset = 0 : i64, offsets = array<i64: 0>, slot_stride = 192 : i64}
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, <128x256xf32, tensor_memory, accumulator>>
    // CHECK: bsmm.alloc {offset = 448 : i64}
    %1 = bsmm.alloc : !bsmm.buffer<256x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.return
  }

  // All 512 columns.
  // CHECK-LABEL: bsmm.kernel @all_columns
  // CHECK-SAME: tensor_memory_columns = 512 : i64
  bsmm.kernel @all_columns() attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.create_channel producer = <mma_commit>, consumer = <threads>
        : !bsmm.channel<2, <128x256xf32, tensor_memory, accumulator>>
    bsmm.return
  }

  // Buffers over the slots of a channel take no memory of their own, one after
  // the other from the first slot on, each at its alignment. Here the second
  // channel has 4 slots of 18432 bytes from 1024 on; the last buffer ends where
  // they do.
  // CHECK-LABEL: bsmm.kernel @over_slots
  // CHECK-SAME: dynamic_shared_memory = 75880 : i64
  bsmm.kernel @over_slots() attributes {level = #bsmm.level<pipeline>} {
    // CHECK: %[[SMALL:.+]] = bsmm.create_channel {{.*}} {barrier_offset = 75776 : i64, offsets = array<i64: 0>, slot_stride = 512 : i64}
    %small = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, <128x4xf8E4M3FN, shared, scale_tiles>>
    // CHECK: %[[SLOTS:.+]] = bsmm.create_channel {{.*}} {barrier_offset = 75808 : i64, offsets = array<i64: 1024, 17408>, slot_stride = 18432 : i64}
    %slots = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<4, <128x64xf16, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>>
    // CHECK: bsmm.alloc {offset = 1024 : i64} : !bsmm.buffer<4x32xf32, shared, row_major> over %[[SLOTS]] : !bsmm.channel<4, <128x64xf16, shared, swizzle_128B>, <128x16xf8E4M3FN, shared, scale_tiles>>
    %0 = bsmm.alloc : !bsmm.buffer<4x32xf32, shared, row_major> over %slots
        : !bsmm.channel<4, <128x64xf16, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>>
    // CHECK: bsmm.alloc {offset = 2048 : i64} : !bsmm.buffer<128x128xf16, shared, swizzle_128B> over %[[SLOTS]]
    %1 = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<4, <128x64xf16, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>>
    // A buffer of its own lies behind the slots.
    // CHECK: bsmm.alloc {offset = 74752 : i64} : !bsmm.buffer<8x64xf16, shared, swizzle_128B>{{$}}
    %2 = bsmm.alloc : !bsmm.buffer<8x64xf16, shared, swizzle_128B>
    // CHECK: bsmm.alloc {offset = 0 : i64} : !bsmm.buffer<2x128xf32, shared, row_major> over %[[SMALL]]
    %3 = bsmm.alloc : !bsmm.buffer<2x128xf32, shared, row_major> over %small
        : !bsmm.channel<2, <128x4xf8E4M3FN, shared, scale_tiles>>
    // CHECK: bsmm.alloc {offset = 34816 : i64} : !bsmm.buffer<312x64xf16, shared, swizzle_128B> over %[[SLOTS]]
    %4 = bsmm.alloc : !bsmm.buffer<312x64xf16, shared, swizzle_128B> over %slots
        : !bsmm.channel<4, <128x64xf16, shared, swizzle_128B>,
                           <128x16xf8E4M3FN, shared, scale_tiles>>
    bsmm.return
  }

  // A kernel without tensor memory gets none; what was stated before is
  // replaced.
  // CHECK-LABEL: bsmm.kernel @no_tensor_memory
  // CHECK-SAME: dynamic_shared_memory = 8 : i64
  // CHECK-NOT: tensor_memory_columns
  // CHECK-SAME: {
  bsmm.kernel @no_tensor_memory() attributes {
      level = #bsmm.level<pipeline>, dynamic_shared_memory = 1024 : i64} {
    bsmm.return
  }

  // Tile-level kernels have no memory yet.
  // CHECK-LABEL: bsmm.kernel @tile_level
  // CHECK-NOT: dynamic_shared_memory
  bsmm.kernel @tile_level() attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}
