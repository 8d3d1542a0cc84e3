//===- Bsmm.h - the bsmm dialect --------------------------------*- C++ -*-===//
//
// Operations, types and attributes of the bsmm dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_DIALECT_IR_BSMM_H
#define BSMM_DIALECT_IR_BSMM_H

#include "bsmm/Layout/Swizzle.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "bsmm/Dialect/IR/BsmmDialect.h.inc"
#include "bsmm/Dialect/IR/BsmmEnums.h.inc"

namespace bsmm::detail {
/// What every operation of a level owes: tile and pipeline operations stand in
/// a kernel, problem operations do not; tiles have a sane size.
mlir::LogicalResult verifyLevelOp(mlir::Operation *op);
} // namespace bsmm::detail

#include "bsmm/Dialect/IR/BsmmInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "bsmm/Dialect/IR/BsmmAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "bsmm/Dialect/IR/BsmmTypes.h.inc"

#define GET_OP_CLASSES
#include "bsmm/Dialect/IR/BsmmOps.h.inc"

namespace bsmm {
/// The swizzle of a shared-memory layout; none for layouts without one.
layout::SwizzleMode getSwizzleMode(BufferLayout layout);
} // namespace bsmm

#endif // BSMM_DIALECT_IR_BSMM_H
