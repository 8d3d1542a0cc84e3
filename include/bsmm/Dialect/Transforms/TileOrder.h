//===- TileOrder.h - grouped order as arithmetic ----------------*- C++ -*-===//

#ifndef BSMM_DIALECT_TRANSFORMS_TILEORDER_H
#define BSMM_DIALECT_TRANSFORMS_TILEORDER_H

#include "mlir/IR/Builders.h"

#include <utility>

namespace bsmm {

/// Arithmetic of bsmm.grouped_order on i32 values: row and column of the output
/// tile number `linear`. `all` may be null.
std::pair<mlir::Value, mlir::Value>
buildGroupedOrder(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value linear, mlir::Value tilesM, mlir::Value tilesN,
                  int64_t group, mlir::Value all);

} // namespace bsmm

#endif // BSMM_DIALECT_TRANSFORMS_TILEORDER_H
