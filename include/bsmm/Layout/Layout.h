//===- Layout.h - layouts: where each element sits --------------*- C++ -*-===//
//
// Tensor cores ask for their data in particular places: swizzled rows in
// shared memory, lanes and columns of tensor memory, registers of threads. A
// layout says which place holds which element. This library has one kind of
// object for all of them, so that "does this load put the scales where the MMA
// reads them" is an equality test.
//
// The idea. Every building block of the hardware - a swizzle atom of 8 rows, a
// scale tile of 128 x 4, an MMA fragment - has extents that are powers of two.
// Write coordinates in binary. Then a place is computed by moving bits around
// and XORing some of them, nothing else. Take the scale tile: row m (seven bits
// m0..m6) and group g (two bits) sit at byte (m % 32) * 16 + (m / 32) * 4 + g,
// so
//
//     g0 g1 -> 1 2      m0 m1 m2 m3 m4 -> 16 32 64 128 256      m5 m6 -> 4 8
//
// and the place of any element is the XOR of the numbers of its bits that are
// one. Such a map is *linear* over the field with two elements, and one number
// an input bit is all there is to store. A swizzle is linear as well: bit 7 of
// the address goes to 128 ^ 16. What follows is ordinary linear algebra:
//
//   apply, compose     matrix times vector, matrix times matrix
//   product            two maps side by side: the direct sum
//   divide             the other factor of a product: "made of these atoms"
//   rank               the number of independent bits. Injective: rank equals
//                      the number of inputs, so no two elements share a place
//   leftInverse        from the place back to the element
//   equality           of the stored numbers
//
// Copies are not hidden: tensor memory keeps scales four times, so that layout
// has an input "replica" of two bits and stays injective. Holes, places that
// hold nothing, are outputs of the map that no input reaches.
//
// A layout maps the logical side (what) to the hardware side (where);
// fragments and transfer shapes map what issues ("thread", "register") to what
// it touches.
//
//   LinearLayout.h       those maps, and text pictures of them
//   TiledLayout.h        any number of atoms: N = 192 is 24 atoms of 8 rows.
//                        Inside an atom bits, between atoms index * stride
//   IndexChain.h         load -> reshape -> transpose -> reshape, folded
//   ScaleFactorLayout.h  block scales in global, shared and tensor memory
//   Swizzle.h            shared-memory swizzles and operand tiles
//   ElementPacking.h     4- and 6-bit elements in global and shared memory
//   TensorMemory.h       accumulators, tcgen05.ld / st / cp
//   Fragment.h           wgmma and mma.sync registers
//   Descriptor.h         the bit fields the instructions take
//   Obligation.h         what must hold between layouts
//
// Names: the outputs are "offset" (bytes of shared or global memory), "lane",
// "column", "byte" (tensor memory), "thread", "register".
//
// An example: the scales of a tile are loaded by TMA as they are, and
// tcgen05.cp.32x128b.warpx4 copies them to tensor memory. Is that what the MMA
// reads?
//
//   scaleTile()                          m, group -> offset
//     .compose(scaleCopySource())        -> row, byte
//     .product(identity({replica, 2}))   carry the copies along
//     .compose(copyLayout(CopyShape::Rows32Bits128))   -> lane, column, byte
//   == scaleTensorMemory()
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_LAYOUT_H
#define BSMM_LAYOUT_LAYOUT_H

#include "bsmm/Layout/Descriptor.h"
#include "bsmm/Layout/ElementPacking.h"
#include "bsmm/Layout/Fragment.h"
#include "bsmm/Layout/IndexChain.h"
#include "bsmm/Layout/LinearLayout.h"
#include "bsmm/Layout/Obligation.h"
#include "bsmm/Layout/Result.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Layout/Swizzle.h"
#include "bsmm/Layout/TensorMemory.h"
#include "bsmm/Layout/TiledLayout.h"

#endif // BSMM_LAYOUT_LAYOUT_H
