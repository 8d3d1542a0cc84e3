//===- bsmm-lsp-server.cpp - language server for bsmm IR ------------------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  bsmm::hideLibraryOptions();
  mlir::DialectRegistry registry;
  bsmm::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
