//===- bsmm-opt.cpp - run passes on bsmm IR -------------------------------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  bsmm::hideLibraryOptions();
  mlir::DialectRegistry registry;
  bsmm::registerDialects(registry);
  bsmm::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "bsmm-opt: read, verify and transform bsmm IR, one pass or pipeline at a "
      "time\n",
      registry));
}
