//===- LateAcquires.h - accumulators that are waited for late ---*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTONVVM_LATEACQUIRES_H
#define BSMM_LIB_CONVERSION_BSMMTONVVM_LATEACQUIRES_H

#include "bsmm/Dialect/IR/Bsmm.h"

namespace bsmm {

/// Moves acquires of accumulators to the first multiplications into these,
/// where that is in the first trip of a loop, and waits before their commits.
void acquireLate(KernelOp kernel);

/// Marks channels in tensor memory whose slots are filled once only, as those
/// of a kernel with one tile a CTA: their producers wait for nothing, so that
/// they have no empty barriers and nobody releases.
void markFilledOnce(KernelOp kernel);

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_LATEACQUIRES_H
