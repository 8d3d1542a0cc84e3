//===- Arguments.h - arguments of the C ABI, checked ------------*- C++ -*-===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_ARGUMENTS_H
#define BSMM_LIB_RUNTIME_LIBRARY_ARGUMENTS_H

#include "Device.h"

namespace bsmm::runtime::library {

/// What a caller asks of a launch, as the runtime's own structures say it.
struct Arguments {
  LaunchRequest request;
  std::vector<OperandMemory> memory; // of the operands that have data
  bool mayRepack = false;
};

/// Reads and checks arguments against a kernel: each role once and used by the
/// kernel, types, layouts, strides, and for operands with data its size and
/// alignment. With `needsData`, operands that the kernel uses must be there (a
/// workspace need not). With `mayRepack`, what repacking mends is accepted.
[[nodiscard]] bsmm_status readArguments(const KernelManifest &manifest,
                                        const bsmm_arguments *given,
                                        bool needsData, Arguments &arguments);

/// Whether an operand that TMA reads lies so that TMA cannot read it: its
/// address, pitch or batch stride.
bool needsRepack(const OperandRules &rules, const OperandShape &shape,
                 uint64_t address, int64_t batches);

/// Fills in operands that are missing, so that a launch can be computed before
/// there is memory.
void addMissingOperands(const KernelManifest &manifest, LaunchRequest &request);

} // namespace bsmm::runtime::library

#endif // BSMM_LIB_RUNTIME_LIBRARY_ARGUMENTS_H
