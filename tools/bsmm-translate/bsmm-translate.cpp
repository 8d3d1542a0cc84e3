//===- bsmm-translate.cpp - bsmm IR to PTX, cubin and manifests -----------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  bsmm::hideLibraryOptions();
  bsmm::installFatalErrorHandler();
  bsmm::registerTranslations();
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv, "bsmm-translate: bsmm IR to PTX, cubin or launch manifest"));
}
