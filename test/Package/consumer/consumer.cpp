//===- consumer.cpp - an opt of another project that knows bsmm -----------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  bsmm::registerDialects(registry);
  bsmm::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "consumer", registry));
}
