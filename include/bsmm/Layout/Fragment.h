//===- Fragment.h - register fragments of wgmma and mma.sync ----*- C++ -*-===//
//
// Which element each register of each thread holds (PTX ISA, wgmma register
// fragments and mma.m16n8k32 / m16n8k64 fragments; CUTLASS
// cute/atom/mma_traits_sm90_gmma.hpp, mma_traits_sm120.hpp). Inputs are
// "thread" (lane of the warp, 5 bits), "warp" (of the warpgroup, 2 bits),
// "register" and "byte" or "nibble" inside the register, low bits first;
// outputs are matrix coordinates.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_FRAGMENT_H
#define BSMM_LAYOUT_FRAGMENT_H

#include "bsmm/Layout/TiledLayout.h"

namespace bsmm::layout {

/// wgmma m64nNkK, D in f32: "thread", "warp", "register" -> "row" (64),
/// "column". N is a multiple of 8 up to 256. For f16 the same with register
/// counting elements: elements 2j and 2j + 1 share register j.
Result<TiledLayout> wgmmaAccumulatorFragment(int64_t n);

/// wgmma m64nNk32, A of 8-bit elements in registers: "thread", "warp",
/// "register" (2), "byte" (2) -> "row" (6), "k" (5).
const LinearLayout &wgmmaOperandFragment8Bit();

/// mma.sync.m16n8k64, A of e2m1: "thread", "register" (2), "nibble" (3) ->
/// "row" (4), "k" (6).
const LinearLayout &mmaOperandAFragment4Bit();
/// mma.sync.m16n8k64, B of e2m1: "thread", "register" (1), "nibble" (3) ->
/// "k" (6), "column" (3).
const LinearLayout &mmaOperandBFragment4Bit();
/// mma.sync.m16n8k32, A in 8-bit containers: "thread", "register" (2), "byte"
/// (2) -> "row" (4), "k" (5).
const LinearLayout &mmaOperandAFragment8Bit();
/// mma.sync.m16n8k32, B in 8-bit containers: "thread", "register" (1), "byte"
/// (2) -> "k" (5), "column" (3).
const LinearLayout &mmaOperandBFragment8Bit();
/// mma.sync.m16n8kK, C and D in f32: "thread", "register" (2) -> "row" (4),
/// "column" (3).
const LinearLayout &mmaAccumulatorFragment();

/// mma.sync block_scale: which thread and byte supplies a scale of A: "row"
/// (4), "group" (log2 of scalesPerRow), "threadSelector" (1), "byteSelector"
/// -> "thread" (5), "byte" (2). scalesPerRow is 1, 2 or 4; the byte selector
/// has 2, 1, 0 bits and counts in units of scalesPerRow bytes, so the PTX
/// operand is byteSelector * scalesPerRow.
Result<LinearLayout> mmaScaleA(int64_t scalesPerRow);
/// The same for B: "column" (3), "group", "threadSelector" (2),
/// "byteSelector" -> "thread", "byte".
Result<LinearLayout> mmaScaleB(int64_t scalesPerRow);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_FRAGMENT_H
