//===- CudaBackend.h - compile and launch on a GPU --------------*- C++ -*-===//

#ifndef BSMM_LIB_RUNNER_CUDABACKEND_H
#define BSMM_LIB_RUNNER_CUDABACKEND_H

#include "bsmm/Runner/Backend.h"

namespace bsmm::runner {

/// Goes through the runtime's C ABI, as every other caller does.
class CudaBackend : public Backend {
public:
  std::string getName() const override { return "cuda"; }
  std::string getDescription() const override {
    return "compile to PTX and launch it on a GPU";
  }
  bool runsKernels() const override { return true; }
  std::string run(mlir::ModuleOp module, const Problem &problem,
                  Operands &operands, const RunOptions &options,
                  llvm::raw_ostream &log) override;
};

} // namespace bsmm::runner

#endif // BSMM_LIB_RUNNER_CUDABACKEND_H
