//===- TileOrder.cpp - grouped order as arithmetic ------------------------===//

#include "bsmm/Dialect/Transforms/TileOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

std::pair<Value, Value> bsmm::buildGroupedOrder(OpBuilder &builder,
                                                Location loc, Value linear,
                                                Value tilesM, Value tilesN,
                                                int64_t group, Value all) {
  Value size =
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), group);
  if (all)
    size = arith::SelectOp::create(builder, loc, all, tilesM, size);
  Value tilesOfGroup = arith::MulIOp::create(builder, loc, tilesN, size);
  Value number = arith::DivUIOp::create(builder, loc, linear, tilesOfGroup);
  Value firstRow = arith::MulIOp::create(builder, loc, number, size);
  // The last group may have fewer rows.
  Value rowsLeft = arith::SubIOp::create(builder, loc, tilesM, firstRow);
  Value rows = arith::MinUIOp::create(builder, loc, rowsLeft, size);
  Value inGroup = arith::RemUIOp::create(builder, loc, linear, tilesOfGroup);
  Value rowInGroup = arith::RemUIOp::create(builder, loc, inGroup, rows);
  Value row = arith::AddIOp::create(builder, loc, firstRow, rowInGroup);
  Value column = arith::DivUIOp::create(builder, loc, inGroup, rows);
  return {row, column};
}
