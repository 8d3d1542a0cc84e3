//===- BoxPlan.h - the TMA boxes of a tile ----------------------*- C++ -*-===//
//
// A tile may need several TMA boxes: the inner extent of a box is at most the
// width of the swizzle and every extent at most 256 (CUDA driver API,
// cuTensorMapEncodeTiled). The lowering of copies and the launch manifest both
// ask for this plan, so that they cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_DIALECT_TRANSFORMS_BOXPLAN_H
#define BSMM_DIALECT_TRANSFORMS_BOXPLAN_H

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Layout/Swizzle.h"
#include "bsmm/Target/Target.h"

namespace bsmm {

struct BoxPlan {
  /// Element type of the tensor map and how many of the tile's elements one of
  /// its elements holds (2 for packed 4-bit types).
  target::TensorMapElement element;
  int64_t elementsPerUnit;
  layout::SwizzleMode swizzle;
  /// Extents of the box in elements of the map, outermost dimension first.
  llvm::SmallVector<int64_t> box;
  struct Box {
    /// First element of the box in the tile, in elements of the tile.
    llvm::SmallVector<int64_t> start;
    /// Its place in the buffer, in bytes.
    int64_t sharedOffset;
  };
  llvm::SmallVector<Box> boxes;
};

/// Plans the copy between a tile of a tensor map and a buffer. Emits an error
/// on `user` when the tile cannot be copied by whole boxes.
mlir::FailureOr<BoxPlan> planBoxes(mlir::Operation *user, TensorMapType map,
                                   BufferType buffer);

} // namespace bsmm

#endif // BSMM_DIALECT_TRANSFORMS_BOXPLAN_H
