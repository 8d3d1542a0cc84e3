//===- ScalarValues.cpp - constants and sums of index arithmetic ----------===//

#include "ScalarValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

std::optional<int64_t> bsmm::getSmallConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(32))
    return std::nullopt;
  return constant.getSExtValue();
}

bool bsmm::isConstant(Value value, int64_t expected) {
  return getSmallConstant(value) == expected;
}

bool bsmm::isSum(Value value, Value base, Value addend) {
  if (auto op = value.getDefiningOp<arith::AddIOp>())
    if (op.getLhs() == base && op.getRhs() == addend)
      return true;
  std::optional<int64_t> constant = getSmallConstant(addend);
  std::optional<int64_t> sum = getSmallConstant(value);
  std::optional<int64_t> first = getSmallConstant(base);
  return constant && sum && first && *sum == *first + *constant;
}

bool bsmm::isSum(Value value, Value base, int64_t addend) {
  if (auto op = value.getDefiningOp<arith::AddIOp>())
    if (op.getLhs() == base && isConstant(op.getRhs(), addend))
      return true;
  if (auto op = value.getDefiningOp<arith::SubIOp>())
    if (op.getLhs() == base && isConstant(op.getRhs(), -addend))
      return true;
  std::optional<int64_t> sum = getSmallConstant(value);
  std::optional<int64_t> first = getSmallConstant(base);
  return sum && first && *sum == *first + addend;
}
