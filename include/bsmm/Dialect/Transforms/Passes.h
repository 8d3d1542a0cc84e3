//===- Passes.h - passes from bsmm to bsmm ----------------------*- C++ -*-===//

#ifndef BSMM_DIALECT_TRANSFORMS_PASSES_H
#define BSMM_DIALECT_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace bsmm {

#define GEN_PASS_DECL
#include "bsmm/Dialect/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "bsmm/Dialect/Transforms/Passes.h.inc"

} // namespace bsmm

#endif // BSMM_DIALECT_TRANSFORMS_PASSES_H
