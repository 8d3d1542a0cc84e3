//===- bsmm-reduce.cpp - shrink a failing bsmm input ----------------------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  bsmm::hideLibraryOptions();
  mlir::DialectRegistry registry;
  bsmm::registerDialects(registry);
  bsmm::registerPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
