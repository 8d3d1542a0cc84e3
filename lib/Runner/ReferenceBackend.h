//===- ReferenceBackend.h - the meaning on the CPU --------------*- C++ -*-===//

#ifndef BSMM_LIB_RUNNER_REFERENCEBACKEND_H
#define BSMM_LIB_RUNNER_REFERENCEBACKEND_H

#include "bsmm/Runner/Backend.h"

namespace bsmm::runner {

class ReferenceBackend : public Backend {
public:
  std::string getName() const override { return "reference"; }
  std::string getDescription() const override {
    return "convert to linalg and run the meaning on the CPU";
  }
  bool runsKernels() const override { return false; }
  std::string run(mlir::ModuleOp module, const Problem &problem,
                  Operands &operands, const RunOptions &options,
                  llvm::raw_ostream &log) override;
};

} // namespace bsmm::runner

#endif // BSMM_LIB_RUNNER_REFERENCEBACKEND_H
