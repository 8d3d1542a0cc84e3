//===- LayoutProof.h - what a scaled dot reads ------------------*- C++ -*-===//
//
// Operands of a scaled dot are loaded and then renamed by reshapes and
// transposes that move no data. These functions compose such a chain into one
// layout and prove that it is what the tensor core reads.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_DIALECT_TRANSFORMS_LAYOUTPROOF_H
#define BSMM_DIALECT_TRANSFORMS_LAYOUTPROOF_H

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Layout/IndexChain.h"

namespace bsmm {

/// A tile in shared memory seen through reshapes and transposes.
struct LoadedTile {
  /// The load that brings the box.
  TmaLoadOp load;
  /// Coordinates of the tile -> offset in the box, in elements.
  layout::IndexChain chain;
  /// First row of the operand in the tile; null for 0.
  mlir::Value rowOffset;
};

/// The four operands of a scaled dot.
struct ScaledDotTiles {
  LoadedTile a, scaleA, b, scaleB;
};

/// The two operands of a dot.
struct DotTiles {
  LoadedTile a, b;
};

/// Follows a value back to its load. Emits an error on `user` when the value is
/// not a chain of reshape, trans and at most one extract_rows after a load.
mlir::FailureOr<LoadedTile> traceToLoad(mlir::Operation *user,
                                        mlir::StringRef what,
                                        mlir::Value value);

/// Proves that the operands of a scaled dot lie in shared memory as the tensor
/// core reads them: A [m, k] and B [n, k] row by row, scales as 512-byte tiles.
/// Emits an error with both layouts and the first coordinate that differs.
mlir::FailureOr<ScaledDotTiles> proveScaledDot(ScaledDotOp op);

/// The same for the operands of a dot without block scales.
mlir::FailureOr<DotTiles> proveDot(DotOp op);

} // namespace bsmm

#endif // BSMM_DIALECT_TRANSFORMS_LAYOUTPROOF_H
