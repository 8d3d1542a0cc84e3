//===- Passes.h - conversions from and to bsmm ------------------*- C++ -*-===//

#ifndef BSMM_CONVERSION_PASSES_H
#define BSMM_CONVERSION_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace bsmm {

#define GEN_PASS_DECL
#include "bsmm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "bsmm/Conversion/Passes.h.inc"

} // namespace bsmm

#endif // BSMM_CONVERSION_PASSES_H
