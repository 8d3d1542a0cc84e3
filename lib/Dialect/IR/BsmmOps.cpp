//===- BsmmOps.cpp - generated parts of the operations --------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace bsmm;

#define GET_OP_CLASSES
#include "bsmm/Dialect/IR/BsmmOps.cpp.inc"

void BsmmDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "bsmm/Dialect/IR/BsmmOps.cpp.inc"
      >();
}
