//===- EarlyAddresses.h - addresses while accumulators are read -*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYADDRESSES_H
#define BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYADDRESSES_H

#include "mlir/IR/Operation.h"

namespace bsmm {

/// Computes the addresses of what is done with an accumulator in tensor memory
/// before it is read.
void computeAddressesEarly(mlir::Operation *module);

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYADDRESSES_H
