//===- BsmmAttributes.cpp - attributes of the bsmm dialect ----------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace bsmm;

#include "bsmm/Dialect/IR/BsmmEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "bsmm/Dialect/IR/BsmmAttributes.cpp.inc"

void BsmmDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "bsmm/Dialect/IR/BsmmAttributes.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef chip) {
  std::string reason = target::whyNotGpu(std::string_view(chip));
  if (!reason.empty())
    return emitError() << reason;
  return success();
}

LogicalResult ScalesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ScaleOrder order, int64_t vec, int64_t rows) {
  if (vec != 16 && vec != 32 && vec != blockScaleElements)
    return emitError() << "expected a scale vector of 16, 32 or "
                       << blockScaleElements << " elements, got " << vec;
  if (vec != blockScaleElements) {
    if (order == ScaleOrder::ColumnMajor || rows != 1)
      return emitError() << "expected scales of one row, linear or "
                            "blocked_128x4, for a vector of "
                         << vec << " elements, got " << rows << " rows, "
                         << stringifyScaleOrder(order);
    return success();
  }
  if (order == ScaleOrder::Blocked128x4)
    return emitError() << "expected scales of " << blockScaleElements
                       << " elements to be linear or column_major, got "
                          "blocked_128x4";
  if (rows != 1 && rows != blockScaleElements)
    return emitError() << "expected scales of 1 or " << blockScaleElements
                       << " rows, got " << rows;
  return success();
}

LogicalResult
ScalesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 2 && shape.size() != 3)
    return emitError() << "expected a scale tensor [rows, groups] or [batch, "
                          "rows, groups], got rank "
                       << shape.size();
  if (getVec() == blockScaleElements) {
    if (!elementType.isF32())
      return emitError() << "expected scales of f32 for " << blockScaleElements
                         << " elements, got " << elementType;
  } else if (elementType.isF32() ||
             getScaleElementType(elementType) == target::ElementType::None) {
    return emitError() << "expected scales of f8E4M3FN or f8E8M0FNU, got "
                       << elementType;
  }
  return success();
}

LogicalResult NumericsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Type accumulate, int64_t promoteEvery,
                                   bool contract, Overflow overflow) {
  if (!accumulate.isF32() && !accumulate.isF64())
    return emitError() << "expected accumulation in f32, or f64 for the "
                          "reference, got "
                       << accumulate;
  if (promoteEvery < 0 || promoteEvery % 32 != 0)
    return emitError()
           << "expected 'promote_every' to be 0 or a multiple of 32, got "
           << promoteEvery;
  return success();
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t m, int64_t n, int64_t k) {
  // 2^16 keeps every product of two extents far from overflow.
  for (auto [name, extent] :
       {std::pair{"m", m}, std::pair{"n", n}, std::pair{"k", k}})
    if (extent < 1 || extent > 65536)
      return emitError() << "expected tile extent " << name
                         << " in 1..65536, got " << extent;
  return success();
}

LogicalResult ArrivalAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrivalKind kind, int64_t count) {
  if (count < target::mbarrier::minCount || count > target::mbarrier::maxCount)
    return emitError() << "expected an arrival count in "
                       << target::mbarrier::minCount << ".."
                       << target::mbarrier::maxCount << ", got " << count;
  if (kind != ArrivalKind::Threads && kind != ArrivalKind::Warps && count != 1)
    return emitError() << "expected a count of 1 for '"
                       << stringifyArrivalKind(kind)
                       << "', where one thread arrives, got " << count;
  return success();
}
