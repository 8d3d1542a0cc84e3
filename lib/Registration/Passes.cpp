//===- Passes.cpp - passes and pipelines ----------------------------------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/Transforms/Passes.h"

void bsmm::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
}
