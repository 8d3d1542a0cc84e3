//===- TensorSupport.h - Shared by the tensor instructions ------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_TENSORSUPPORT_H
#define BSMM_LIB_EMULATOR_TENSORSUPPORT_H

#include "Machine.h"

#include "bsmm/Emulator/Units/TensorArithmetic.h"

namespace bsmm::emulator {

/// Appends the offsets of a vector of `count` registers (a lone register
/// counts as a vector of one).
bool registerVector(Decoder &d, const ptx::Operand &operand, uint32_t count,
                    uint32_t bits, bool isDestination,
                    std::vector<uint32_t> &offsets);

/// As registerVector, into the module's lists.
bool registerList(Decoder &d, const ptx::Operand &operand, uint32_t count,
                  uint32_t bits, bool isDestination, uint32_t &list,
                  uint32_t &listCount);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_TENSORSUPPORT_H
