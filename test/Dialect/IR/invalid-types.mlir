// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{expected a tensor map of rank 1..5, got rank 0; view the tensor with fewer dimensions, e.g. scales as [L, M/128, groups/4, 2, 256]}}
func.func private @f(!bsmm.tensor_map<f16>)

// -----

// expected-error@below {{expected a tensor map of rank 1..5, got rank 6}}
func.func private @f(!bsmm.tensor_map<32x4x1x4x1x16xf8E4M3FN>)

// -----

// expected-error@below {{expected static positive extents in a tensor map, got 0}}
func.func private @f(!bsmm.tensor_map<0x16xf16>)

// -----

// expected-error@below {{expected static shape}}
func.func private @f(!bsmm.tensor_map<?x16xf16>)

// -----

// expected-error@below {{expected at most 16777216 elements in a tensor map, got more}}
func.func private @f(!bsmm.tensor_map<2147483648x16xf16>)

// -----

// The product of the extents does not overflow.
// expected-error@below {{expected at most 16777216 elements in a tensor map, got more}}
func.func private @f(!bsmm.tensor_map<16777216x16777216x16777216x16xf16>)

// -----

// expected-error@below {{expected at most 16777216 elements in a tensor map, got more}}
func.func private @f(!bsmm.tensor_map<9223372036854775807x9223372036854775807xf16>)

// -----

// expected-error@below {{invalid dimension}}
func.func private @f(!bsmm.tensor_map<9223372036854775808xf16>)

// -----

// expected-error@below {{expected elements of 4, 6, 8, 16 or 32 bits in a tensor map, got 'f64'}}
func.func private @f(!bsmm.tensor_map<16xf64>)

// -----

// expected-error@below {{expected elements of 4, 6, 8, 16 or 32 bits in a tensor map, got 'i1'}}
func.func private @f(!bsmm.tensor_map<128xi1>)

// -----

// expected-error@below {{expected elements of 4, 6, 8, 16 or 32 bits in a tensor map, got 'index'}}
func.func private @f(!bsmm.tensor_map<16xindex>)

// -----

// expected-error@below {{expected elements of 4, 6, 8, 16 or 32 bits in a tensor map, got 'vector<4xf32>'}}
func.func private @f(!bsmm.tensor_map<16xvector<4xf32>>)

// -----

// 511 elements of bf16 are 1022 bytes.
// expected-error@below {{expected an inner extent of a multiple of 16 bytes, got 511 elements of 'bf16' (8176 bits)}}
func.func private @f(!bsmm.tensor_map<64x511xbf16>)

// -----

// expected-error@below {{expected an inner extent of a multiple of 16 bytes, got 48 elements of 'f4E2M1FN' (192 bits)}}
func.func private @f(!bsmm.tensor_map<128x48xf4E2M1FN>)

// -----

// expected-error@below {{unknown  type `foo` in dialect `bsmm`}}
func.func private @f(!bsmm.foo)

// -----

// expected-error@below {{expected a buffer of rank 2, got rank 3}}
func.func private @f(!bsmm.buffer<1x128x64xf16, shared, swizzle_128B>)

// -----

// expected-error@below {{expected static positive extents in a buffer, got 0}}
func.func private @f(!bsmm.buffer<0x64xf16, shared, swizzle_128B>)

// -----

// expected-error@below {{expected at most 16777216 elements in a buffer, got more}}
func.func private @f(!bsmm.buffer<65536x65536xf16, shared, swizzle_128B>)

// -----

// expected-error@below {{expected elements of 4, 6, 8, 16 or 32 bits in a buffer, got 'tf32'}}
func.func private @f(!bsmm.buffer<8x64xtf32, shared, row_major>)

// -----

// expected-error@below {{expected one of [shared, tensor_memory] for memory of a buffer, got: global}}
func.func private @f(!bsmm.buffer<8x64xf16, global, row_major>)

// -----

// expected-error@below {{expected one of [row_major, swizzle_32B, swizzle_64B, swizzle_128B, scale_tiles, accumulator] for placement of a buffer's elements, got: swizzle_256B}}
func.func private @f(!bsmm.buffer<8x64xf16, shared, swizzle_256B>)

// -----

// expected-error@below {{expected layout accumulator or scale_tiles in tensor memory, got swizzle_128B}}
func.func private @f(!bsmm.buffer<128x64xf32, tensor_memory, swizzle_128B>)

// -----

// expected-error@below {{expected an accumulator in tensor memory, got shared}}
func.func private @f(!bsmm.buffer<128x64xf32, shared, accumulator>)

// -----

// expected-error@below {{expected rows of a multiple of 16 bytes, got 64 bits}}
func.func private @f(!bsmm.buffer<128x4xf16, shared, row_major>)

// -----

// expected-error@below {{expected scales of 8 bits, got 'f16'}}
func.func private @f(!bsmm.buffer<128x4xf16, shared, scale_tiles>)

// -----

// expected-error@below {{expected whole tiles of 128x4 scales, got 64x4}}
func.func private @f(!bsmm.buffer<64x4xf8E4M3FN, shared, scale_tiles>)

// -----

// expected-error@below {{expected whole tiles of 128x4 scales, got 128x6}}
func.func private @f(!bsmm.buffer<128x6xf8E4M3FN, tensor_memory, scale_tiles>)

// -----

// expected-error@below {{expected an accumulator of f32, got 'f16'}}
func.func private @f(!bsmm.buffer<128x64xf16, tensor_memory, accumulator>)

// -----

// expected-error@below {{expected an accumulator of 128 rows and 8 to 256 columns in steps of 8, got 64x64}}
func.func private @f(!bsmm.buffer<64x64xf32, tensor_memory, accumulator>)

// -----

// expected-error@below {{expected an accumulator of 128 rows and 8 to 256 columns in steps of 8, got 128x12}}
func.func private @f(!bsmm.buffer<128x12xf32, tensor_memory, accumulator>)

// -----

// expected-error@below {{expected an accumulator of 128 rows and 8 to 256 columns in steps of 8, got 128x264}}
func.func private @f(!bsmm.buffer<128x264xf32, tensor_memory, accumulator>)

// -----

// expected-error@below {{expected whole swizzle atoms of 8 rows by 128 bytes, got 12 rows of 1024 bits}}
func.func private @f(!bsmm.buffer<12x64xf16, shared, swizzle_128B>)

// -----

// expected-error@below {{expected whole swizzle atoms of 8 rows by 64 bytes, got 64 rows of 768 bits}}
func.func private @f(!bsmm.buffer<64x48xf16, shared, swizzle_64B>)

// -----

// expected-error@below {{expected whole swizzle atoms of 8 rows by 32 bytes, got 64 rows of 128 bits}}
func.func private @f(!bsmm.buffer<64x32xf4E2M1FN, shared, swizzle_32B>)

// -----

// expected-error@below {{expected 1 to 64 slots in a channel, got 0}}
func.func private @f(!bsmm.channel<0, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>)

// -----

// expected-error@below {{expected 1 to 64 slots in a channel, got 65}}
func.func private @f(!bsmm.channel<65, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>)

// -----

// expected-error@below {{expected 1 to 64 slots in a channel, got -1}}
func.func private @f(!bsmm.channel<-1, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>)

// -----

// expected-error@below {{expected '<'}}
// expected-error@below {{failed to parse Bsmm_ChannelType parameter 'buffers'}}
func.func private @f(!bsmm.channel<2, i32>)

// -----

// expected-error@below {{expected the buffers of a slot in one memory, got shared and tensor_memory}}
func.func private @f(!bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>>)

// -----

// expected-error@below {{expected an accumulator of f32, got 'f16'}}
func.func private @f(!bsmm.accumulator<128x64xf16>)

// -----

// expected-error@below {{expected 1 to 8 warpgroups, got 0}}
func.func private @f(!bsmm.accumulator<128x64xf32, warpgroups = 0>)

// -----

// expected-error@below {{expected 1 to 8 warpgroups, got -1}}
func.func private @f(!bsmm.accumulator<128x64xf32, warpgroups = -1>)

// -----

// expected-error@below {{expected 1 to 8 warpgroups, got 9}}
func.func private @f(!bsmm.accumulator<576x64xf32, warpgroups = 9>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 128 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [64, 64]}}
func.func private @f(!bsmm.accumulator<64x64xf32, warpgroups = 2>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 128 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [192, 64]}}
func.func private @f(!bsmm.accumulator<192x64xf32, warpgroups = 2>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [1088, 64]}}
func.func private @f(!bsmm.accumulator<1088x64xf32>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [64, 4]}}
func.func private @f(!bsmm.accumulator<64x4xf32>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [64, 12]}}
func.func private @f(!bsmm.accumulator<64x12xf32>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [64, 264]}}
func.func private @f(!bsmm.accumulator<64x264xf32>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [64]}}
func.func private @f(!bsmm.accumulator<64xf32>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 8 to 256 columns in steps of 8 (64 rows and 8 columns for each warpgroup), got [1, 64, 64]}}
func.func private @f(!bsmm.accumulator<1x64x64xf32>)

// -----

// expected-error@below {{expected 'warpgroups'}}
func.func private @f(!bsmm.accumulator<64x64xf32, groups = 1>)

// -----

// expected-error@below {{expected an accumulator of a multiple of 64 rows up to 1024 and of 16 to 256 columns in steps of 16 (64 rows and 8 columns for each warpgroup), got [192, 24]}}
func.func private @f(!bsmm.accumulator<192x24xf32, warpgroups = 2 by_columns>)

// -----

// expected-error@below {{expected '>'}}
func.func private @f(!bsmm.accumulator<192x64xf32, warpgroups = 2 by_rows>)

// -----

// expected-error@below {{expected 1 to 64 slots in a channel, got 0}}
func.func private @f(!bsmm.channel<0>)

// -----

// expected-error@below {{expected '<'}}
// expected-error@below {{failed to parse Bsmm_ChannelType parameter 'buffers'}}
func.func private @f(!bsmm.channel<1, >)
