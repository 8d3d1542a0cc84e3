// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

// CHECK-LABEL: func.func private @tensor_maps
// CHECK-SAME: !bsmm.tensor_map<256xf16>
// CHECK-SAME: !bsmm.tensor_map<128x32xf4E2M1FN>
// CHECK-SAME: !bsmm.tensor_map<1x256x128xf6E2M3FN>
// CHECK-SAME: !bsmm.tensor_map<2x1x128x16xf8E8M0FNU>
// CHECK-SAME: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>
func.func private @tensor_maps(
    !bsmm.tensor_map<256xf16>, !bsmm.tensor_map<128x32xf4E2M1FN>,
    !bsmm.tensor_map<1x256x128xf6E2M3FN>,
    !bsmm.tensor_map<2x1x128x16xf8E8M0FNU>,
    !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>)

// Every inner extent of a multiple of 16 bytes is accepted.
// CHECK-LABEL: func.func private @inner_extents
// CHECK-SAME: !bsmm.tensor_map<64x8xf16>, !bsmm.tensor_map<64x32xf16>, !bsmm.tensor_map<64x200xf16>
func.func private @inner_extents(
    !bsmm.tensor_map<64x8xf16>, !bsmm.tensor_map<64x32xf16>,
    !bsmm.tensor_map<64x200xf16>)

// CHECK-LABEL: func.func private @buffers
// CHECK-SAME: !bsmm.buffer<3x24xf16, shared, row_major>
// CHECK-SAME: !bsmm.buffer<8x64xf4E2M1FN, shared, swizzle_32B>
// CHECK-SAME: !bsmm.buffer<64x32xf16, shared, swizzle_64B>
// CHECK-SAME: !bsmm.buffer<160x128xf8E5M2, shared, swizzle_128B>
// CHECK-SAME: !bsmm.buffer<256x4xf8E8M0FNU, shared, scale_tiles>
// CHECK-SAME: !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
// CHECK-SAME: !bsmm.buffer<128x8xf32, tensor_memory, accumulator>
func.func private @buffers(
    !bsmm.buffer<3x24xf16, shared, row_major>,
    !bsmm.buffer<8x64xf4E2M1FN, shared, swizzle_32B>,
    !bsmm.buffer<64x32xf16, shared, swizzle_64B>,
    !bsmm.buffer<160x128xf8E5M2, shared, swizzle_128B>,
    !bsmm.buffer<256x4xf8E8M0FNU, shared, scale_tiles>,
    !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
    !bsmm.buffer<128x8xf32, tensor_memory, accumulator>)

// CHECK-LABEL: func.func private @channels
// CHECK-SAME: !bsmm.channel<1, <8x64xf16, shared, swizzle_128B>>
// CHECK-SAME: !bsmm.channel<1>
// CHECK-SAME: !bsmm.channel<64, <128x4xf8E4M3FN, shared, scale_tiles>, <8x64xf16, shared, swizzle_128B>>
func.func private @channels(
    !bsmm.channel<1, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>,
    !bsmm.channel<1>,
    !bsmm.channel<64, <128x4xf8E4M3FN, shared, scale_tiles>,
                      <8x64xf16, shared, swizzle_128B>>)

// Every legal number of warpgroups and the limits of rows and columns; one
// warpgroup is not printed.
// CHECK-LABEL: func.func private @accumulators
// CHECK-SAME: !bsmm.accumulator<64x8xf32>
// CHECK-SAME: !bsmm.accumulator<128x256xf32, warpgroups = 2>
// CHECK-SAME: !bsmm.accumulator<256x160xf32, warpgroups = 2>
// CHECK-SAME: !bsmm.accumulator<512x16xf32, warpgroups = 8>
// CHECK-SAME: !bsmm.accumulator<1024x8xf32>
// CHECK-SAME: !bsmm.accumulator<192x160xf32, warpgroups = 2 by_columns>
func.func private @accumulators(
    !bsmm.accumulator<64x8xf32, warpgroups = 1>,
    !bsmm.accumulator<128x256xf32, warpgroups = 2>,
    !bsmm.accumulator<256x160xf32, warpgroups = 2>,
    !bsmm.accumulator<512x16xf32, warpgroups = 8>,
    !bsmm.accumulator<1024x8xf32>,
    !bsmm.accumulator<192x160xf32, warpgroups = 2 by_columns>)

// CHECK-LABEL: func.func private @scales
// CHECK-SAME: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
// CHECK-SAME: tensor<?x128x4xf8E8M0FNU, #bsmm.scales<linear, vec = 32>>
func.func private @scales(
    tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>,
    tensor<?x128x4xf8E8M0FNU, #bsmm.scales<linear, vec = 32>>)

// CHECK-LABEL: func.func private @attributes
// CHECK-SAME: activations = [#bsmm.activation<none>, #bsmm.activation<relu>, #bsmm.activation<silu>]
// CHECK-SAME: arrivals = [#bsmm.arrival<transaction>, #bsmm.arrival<mma_commit>, #bsmm.arrival<threads, count = 128>, #bsmm.arrival<threads>, #bsmm.arrival<warps, count = 8>]
// CHECK-SAME: grids = [#bsmm.grid<tile>, #bsmm.grid<persistent>]
// CHECK-SAME: levels = [#bsmm.level<problem>, #bsmm.level<tile>, #bsmm.level<pipeline>]
// CHECK-SAME: numerics = [#bsmm.numerics<accumulate = f32>, #bsmm.numerics<accumulate = f64, promote_every = 32, contract = true, overflow = saturate>]
// CHECK-SAME: targets = [#bsmm.target<"sm_90a">, #bsmm.target<"sm_100a">, #bsmm.target<"sm_103a">, #bsmm.target<"sm_120a">, #bsmm.target<"sm_121a">]
// CHECK-SAME: tile = #bsmm.tile<m = 1, n = 65536, k = 96>
func.func private @attributes() attributes {
    activations = [#bsmm.activation<none>, #bsmm.activation<relu>,
                   #bsmm.activation<silu>],
    arrivals = [#bsmm.arrival<transaction>, #bsmm.arrival<mma_commit, count = 1>,
                #bsmm.arrival<threads, count = 128>, #bsmm.arrival<threads>,
                #bsmm.arrival<warps, count = 8>],
    grids = [#bsmm.grid<tile>, #bsmm.grid<persistent>],
    levels = [#bsmm.level<problem>, #bsmm.level<tile>, #bsmm.level<pipeline>],
    numerics = [#bsmm.numerics<accumulate = f32, promote_every = 0,
                               contract = false, overflow = infinity>,
                #bsmm.numerics<accumulate = f64, overflow = saturate,
                               contract = true, promote_every = 32>],
    targets = [#bsmm.target<"sm_90a">, #bsmm.target<"sm_100a">,
               #bsmm.target<"sm_103a">, #bsmm.target<"sm_120a">,
               #bsmm.target<"sm_121a">],
    tile = #bsmm.tile<k = 96, m = 1, n = 65536>}
