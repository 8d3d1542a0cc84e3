//===- EmulatorBackend.h - compile and execute the PTX ----------*- C++ -*-===//

#ifndef BSMM_LIB_RUNNER_EMULATORBACKEND_H
#define BSMM_LIB_RUNNER_EMULATORBACKEND_H

#include "bsmm/Runner/Backend.h"

namespace bsmm::runner {

class EmulatorBackend : public Backend {
public:
  std::string getName() const override { return "emulator"; }
  std::string getDescription() const override {
    return "compile to PTX and execute it in the emulator";
  }
  bool runsKernels() const override { return true; }
  std::string run(mlir::ModuleOp module, const Problem &problem,
                  Operands &operands, const RunOptions &options,
                  llvm::raw_ostream &log) override;
};

} // namespace bsmm::runner

#endif // BSMM_LIB_RUNNER_EMULATORBACKEND_H
