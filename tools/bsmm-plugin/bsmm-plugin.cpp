//===- bsmm-plugin.cpp - bsmm for programs that load MLIR plugins ---------===//
//
//   mlir-opt --load-dialect-plugin=BSMMPlugin.so
//            --load-pass-plugin=BSMMPlugin.so --bsmm-to-nvvm kernel.mlir
//
//===----------------------------------------------------------------------===//

#include "bsmm/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static const char version[] = "0.1";

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "bsmm", version,
          [](mlir::DialectRegistry *registry) {
            bsmm::registerDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "bsmm", version,
          [] { bsmm::registerPasses(); }};
}
