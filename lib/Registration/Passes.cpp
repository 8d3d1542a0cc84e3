//===- Passes.cpp - passes and pipelines ----------------------------------===//

#include "bsmm/Conversion/Passes.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Pipelines/Pipelines.h"
#include "bsmm/Registration/Registration.h"
#include "mlir/Transforms/Passes.h"

void bsmm::registerPasses() {
  registerBsmmTransformsPasses();
  registerBsmmConversionPasses();
  registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
}
