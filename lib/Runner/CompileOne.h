//===- CompileOne.h - the code of one kernel of a module --------*- C++ -*-===//

#ifndef BSMM_LIB_RUNNER_COMPILEONE_H
#define BSMM_LIB_RUNNER_COMPILEONE_H

#include "bsmm/Translation/ToArtifact.h"

namespace bsmm::runner {

/// Compiles a copy of the module and gives the kernel of a name. Returns the
/// reason on failure.
std::string compileOne(mlir::ModuleOp module, const std::string &name,
                       CompiledKernel &compiled);

} // namespace bsmm::runner

#endif // BSMM_LIB_RUNNER_COMPILEONE_H
