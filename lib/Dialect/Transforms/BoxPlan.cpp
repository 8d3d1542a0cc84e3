//===- BoxPlan.cpp - the TMA boxes of a tile ------------------------------===//

#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Dialect/IR/ElementTypes.h"

using namespace mlir;
using namespace bsmm;

/// 8-bit and packed 4-bit types travel as bytes: the driver's sub-byte types
/// have rules of their own and are refused by older drivers.
static std::optional<target::TensorMapElement> mapElement(Type type) {
  if (type.isF16())
    return target::TensorMapElement::F16;
  if (type.isBF16())
    return target::TensorMapElement::BF16;
  if (type.isF32())
    return target::TensorMapElement::F32;
  unsigned bits = getElementBits(type);
  if (bits == 4 || bits == 8)
    return target::TensorMapElement::U8;
  return std::nullopt;
}

/// The largest divisor of an extent that a box may have and that is a multiple
/// of `unit`, which divides the extent.
static int64_t largestBoxExtent(int64_t extent, int64_t unit = 1) {
  int64_t box = std::min<int64_t>(extent, target::tma::maxBoxDim / unit * unit);
  while (extent % box != 0)
    box -= unit;
  return box;
}

FailureOr<BoxPlan> bsmm::planBoxes(Operation *user, TensorMapType map,
                                   BufferType buffer) {
  auto element = mapElement(map.getElementType());
  if (!element)
    return user->emitOpError("expected elements of 4, 8, 16 or 32 bits to "
                             "copy with TMA, got ")
           << map.getElementType();
  // The rows of the tile are the rows of the buffer. Scale tiles are bytes in
  // the order of the tensor map, whatever its shape.
  ArrayRef<int64_t> rows = map.getShape().take_back(2);
  if (buffer.getLayout() != BufferLayout::ScaleTiles &&
      (rows != buffer.getShape() ||
       llvm::any_of(map.getShape().drop_back(rows.size()),
                    [](int64_t extent) { return extent != 1; })))
    return user->emitOpError("expected a tensor map of ")
           << buffer.getShape()[0] << " rows of " << buffer.getShape()[1]
           << " elements, with extent 1 in the outer dimensions, got " << map;
  BoxPlan plan;
  plan.element = *element;
  plan.elementsPerUnit =
      target::info(*element).globalBits / getElementBits(map.getElementType());
  plan.swizzle = getSwizzleMode(buffer.getLayout());
  ArrayRef<int64_t> shape = map.getShape();
  int64_t rank = shape.size();
  int64_t unitBytes = target::info(*element).globalBits / 8;

  plan.box.resize(rank);
  bool isSwizzled = plan.swizzle != layout::SwizzleMode::None;
  // Every box of a swizzled tile starts at the pattern, which has 8 rows.
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    plan.box[dim] =
        largestBoxExtent(shape[dim], isSwizzled && dim + 2 == rank ? 8 : 1);
  int64_t innerUnits = shape[rank - 1] / plan.elementsPerUnit;
  plan.box[rank - 1] = isSwizzled
                           ? layout::swizzleWidth(plan.swizzle) / unitBytes
                           : largestBoxExtent(innerUnits);

  if (!isSwizzled) {
    // Boxes of a row-major buffer are contiguous only when all dimensions
    // inside of the first one that is split are whole.
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t extent = dim + 1 == rank ? innerUnits : shape[dim];
      if (plan.box[dim] == extent)
        continue;
      for (int64_t outer = 0; outer < dim; ++outer)
        if (shape[outer] != 1)
          return user->emitOpError("expected extents of at most ")
                 << target::tma::maxBoxDim
                 << " elements of the tensor map inside of other dimensions, "
                    "got "
                 << map << "; view the tensor with a smaller inner extent";
    }
  }

  // Boxes in row-major order of their starts, panels outermost when swizzled.
  SmallVector<int64_t> counts(rank);
  int64_t total = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t extent = dim + 1 == rank ? innerUnits : shape[dim];
    counts[dim] = extent / plan.box[dim];
    total *= counts[dim];
  }
  for (int64_t number = 0; number < total; ++number) {
    BoxPlan::Box box;
    box.start.resize(rank);
    int64_t rest = number;
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      int64_t unit = dim + 1 == rank ? plan.elementsPerUnit : 1;
      box.start[dim] = rest % counts[dim] * plan.box[dim] * unit;
      rest /= counts[dim];
    }
    if (isSwizzled) {
      int64_t row = rank > 1 ? box.start[rank - 2] : 0;
      int64_t byte = box.start[rank - 1] / plan.elementsPerUnit * unitBytes;
      box.sharedOffset =
          byte / layout::swizzleWidth(plan.swizzle) *
              layout::kMajorStrides(plan.swizzle, buffer.getShape()[0]).panel +
          row * layout::swizzleWidth(plan.swizzle);
    } else {
      int64_t offset = 0;
      for (int64_t dim = 0; dim < rank; ++dim)
        offset = offset * shape[dim] + box.start[dim];
      box.sharedOffset = getPackedBytes(map.getElementType(), offset);
    }
    plan.boxes.push_back(std::move(box));
  }
  return plan;
}
