//===- Obligation.h - what must hold between layouts ------------*- C++ -*-===//
//
// The proofs a verifier asks for before a lowering may rely on a layout. Each
// takes microseconds: linear algebra on at most 62 bits.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_OBLIGATION_H
#define BSMM_LAYOUT_OBLIGATION_H

#include "bsmm/Layout/Descriptor.h"

namespace bsmm::layout {

/// No two inputs share a place; the reason names two that do.
Status checkInjective(const LinearMap &map);

/// The two maps are equal; else the reason shows both and the smallest input
/// at which they differ.
Status checkEqual(const LinearMap &actual, const LinearMap &expected);

/// A copy moves a source layout into a destination layout: source, then copy,
/// is the destination. Inputs of the copy that the source does not produce
/// (copies made by multicast) are carried along.
Status checkCopy(const LinearMap &source, const LinearMap &copy,
                 const LinearMap &destination);

/// The tile is made of whole copies of the atom: the atom divides its atom on
/// the left.
Status checkDivides(const LinearLayout &atom, const TiledLayout &tile);

/// The descriptor makes the MMA read exactly this K-major operand tile ("row",
/// "byte" -> "offset"), panel by panel.
Status checkDescriptor(const MatrixDescriptor &desc,
                       const TiledLayout &operand);

/// How many times shared memory is accessed for one request of a warp: 1 is
/// free of conflicts. `access` maps "thread" (and nothing else) to "offset" in
/// bytes; accessBytes, 4, 8 or 16, is what each thread reads or writes there.
/// Shared memory has 32 banks of 4 bytes; a request of 8 or 16 bytes a thread
/// is served in 2 or 4 parts of 16 or 8 threads, which counts as free of
/// conflicts (CUDA C++ Programming Guide, shared memory). Threads of one part
/// on the same word share it. Refused: other inputs, sizes or misaligned
/// offsets.
Result<int64_t> bankConflictDegree(const LinearMap &access,
                                   int64_t accessBytes);

/// The bank bits have full rank: bankConflictDegree is 1.
Status checkBankConflictFree(const LinearMap &access, int64_t accessBytes);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_OBLIGATION_H
