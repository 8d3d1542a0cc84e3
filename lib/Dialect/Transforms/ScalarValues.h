//===- ScalarValues.h - constants and sums of index arithmetic --*- C++ -*-===//
//
// What passes recognise of the scalar arithmetic around channels and loops.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_SCALARVALUES_H
#define BSMM_LIB_DIALECT_TRANSFORMS_SCALARVALUES_H

#include "mlir/IR/Value.h"
#include <optional>

namespace bsmm {

/// The value of a constant that fits 32 bits, so that sums and products of two
/// fit 64. Others, of whatever type, count as unknown: no kernel counts so far.
std::optional<int64_t> getSmallConstant(mlir::Value value);

bool isConstant(mlir::Value value, int64_t expected);

/// Whether `value` is `base` + `addend`, as an operation or as constants.
bool isSum(mlir::Value value, mlir::Value base, mlir::Value addend);

/// Whether `value` is `base` + `addend`; canonical forms subtract by adding.
bool isSum(mlir::Value value, mlir::Value base, int64_t addend);

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_SCALARVALUES_H
