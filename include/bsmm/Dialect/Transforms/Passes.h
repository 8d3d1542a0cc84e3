//===- Passes.h - passes from bsmm to bsmm ----------------------*- C++ -*-===//

#ifndef BSMM_DIALECT_TRANSFORMS_PASSES_H
#define BSMM_DIALECT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
namespace vector {
class VectorDialect;
} // namespace vector
} // namespace mlir

namespace bsmm {

#define GEN_PASS_DECL
#include "bsmm/Dialect/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "bsmm/Dialect/Transforms/Passes.h.inc"

} // namespace bsmm

#endif // BSMM_DIALECT_TRANSFORMS_PASSES_H
