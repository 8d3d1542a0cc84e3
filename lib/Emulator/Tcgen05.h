//===- Tcgen05.h - Shared by the tcgen05 instructions -----------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_TCGEN05_H
#define BSMM_LIB_EMULATOR_TCGEN05_H

#include "MemoryAccess.h"
#include "TensorSupport.h"

namespace bsmm::emulator {

/// Takes .cta_group::1/2 into inst.imm.
bool takeCtaGroup(Decoder &d);
/// [taddr + immediate].
bool tensorOperand(Decoder &d, const ptx::Operand &operand, uint32_t &offset,
                   int64_t &immediate);
/// tcgen05.mma, .cp or .shift, in the pipe of the thread that issues it.
std::shared_ptr<AsyncOp> newTensorOperation(Exec &x, const Inst &i,
                                            uint32_t sequence, int lane);
/// The CTA itself, or with cta_group::2 the pair, the even one first.
std::vector<Cta *> ctasOfGroup(Exec &x, uint32_t group);
bool checkCtaGroup(Exec &x, const Inst &i, uint32_t group);
/// Tensor memory of `cta` at `address` exists and is allocated.
bool checkTensorRange(Exec &x, const Inst &i, const Cta &cta, uint32_t address,
                      uint32_t columns, const char *what, int lane);
/// A descriptor without its base offset when there is no swizzle pattern whose
/// start it could give: Triton fills the field in all the same
/// (MMAv5.cpp), and the kernels run.
inline uint64_t withoutIdleBaseOffset(uint64_t bits) {
  return bits >> 61 == 0 ? bits & ~(7ull << 49) : bits;
}
/// The strict findings about missing fences: before what orders the operations
/// of tcgen05 (`what`), and behind it.
void beforeThreadSync(Exec &x, const Inst &i, const char *what);
void afterThreadSync(Exec &x, const Inst &i);
void registerTcgen05Mma(OpTable &table);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_TCGEN05_H
