//===- LateAcquires.h - accumulators that are waited for late ---*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTONVVM_LATEACQUIRES_H
#define BSMM_LIB_CONVERSION_BSMMTONVVM_LATEACQUIRES_H

#include "bsmm/Dialect/IR/Bsmm.h"

namespace bsmm {

/// Moves acquires of accumulators to the first multiplications into these,
/// where that is in the first trip of a loop, and waits before their commits.
void acquireLate(KernelOp kernel);

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_LATEACQUIRES_H
