//===- Epilogue.h - what a kernel does with its sums ------------*- C++ -*-===//
//
// Epilogues are free code. Most are the one of the launch schema (docs/abi.md),
//
//   out = cast(act(alpha * (acc * sa_m * sb_n) + beta * C + bias_n) *
//   out_scale)
//
// with any of its steps left out; those are recognised here, at the tile level
// and at the pipeline level.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_DIALECT_TRANSFORMS_EPILOGUE_H
#define BSMM_DIALECT_TRANSFORMS_EPILOGUE_H

#include "bsmm/Dialect/IR/Bsmm.h"

namespace bsmm {

/// Row scales that an epilogue reads: none, one value for each operand, or one
/// for each row of A and of B.
enum class RowScaleExtent { None, Tensor, Rows };

struct Epilogue {
  /// Whether it is that of the schema. The other members hold in any case, but
  /// `activation`.
  bool isKnown = false;
  Activation activation = Activation::None;
  /// Scalars that it uses.
  bool hasAlpha = false, hasBeta = false, hasOutScale = false;
  RowScaleExtent rowScales = RowScaleExtent::None;
  /// Element types of what it reads and writes; null when it does not.
  mlir::Type c, bias, out;
  /// Whether it stores element by element.
  bool storesPredicated = false;
};

/// Reads the epilogue of a tile-level or pipeline-level kernel.
Epilogue readEpilogue(KernelOp kernel);

} // namespace bsmm

#endif // BSMM_DIALECT_TRANSFORMS_EPILOGUE_H
