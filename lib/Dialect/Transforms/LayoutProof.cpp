//===- LayoutProof.cpp - what a scaled dot reads --------------------------===//

#include "bsmm/Dialect/Transforms/LayoutProof.h"
#include "bsmm/Layout/ScaleFactorLayout.h"

using namespace mlir;
using namespace bsmm;

FailureOr<LoadedTile> bsmm::traceToLoad(Operation *user, StringRef what,
                                        Value value) {
  // Collect the chain from the operand back to the load, then compose forward.
  SmallVector<Operation *> renamings;
  Value rowOffset;
  Operation *op = value.getDefiningOp();
  if (auto extract = dyn_cast_or_null<ExtractRowsOp>(op)) {
    rowOffset = extract.getOffset();
    op = extract.getSource().getDefiningOp();
  }
  while (isa_and_nonnull<ReshapeOp, TransOp>(op)) {
    renamings.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<TmaLoadOp>(op);
  if (!load) {
    InFlightDiagnostic diagnostic =
        user->emitOpError("expected ")
        << what
        << " to come from a bsmm.tma_load through bsmm.reshape and bsmm.trans, "
           "with bsmm.extract_rows last";
    if (op)
      diagnostic.attachNote(op->getLoc())
          << "it comes from '" << op->getName() << "'";
    return failure();
  }
  auto chain = layout::IndexChain::rowMajor(
      std::vector<int64_t>(load.getMap().getType().getShape()));
  for (Operation *renaming : llvm::reverse(renamings)) {
    if (!chain)
      break;
    if (auto trans = dyn_cast<TransOp>(renaming))
      chain = chain->transpose(std::vector<int64_t>(trans.getOrder()));
    else
      chain = chain->reshape(
          std::vector<int64_t>(cast<ReshapeOp>(renaming).getType().getShape()));
  }
  if (!chain) {
    user->emitOpError("the layout of ") << what << ": " << chain.error();
    return failure();
  }
  return LoadedTile{load, *chain, rowOffset};
}

/// Compares a chain with what the tensor core reads.
static LogicalResult compareChain(Operation *user, StringRef what,
                                  const LoadedTile &tile,
                                  const layout::IndexChain &expected) {
  if (tile.chain == expected)
    return success();
  InFlightDiagnostic diagnostic = user->emitOpError("the layout of ")
                                  << what
                                  << " is not what the tensor core reads: "
                                  << tile.chain.describeMismatch(expected);
  diagnostic.attachNote(tile.load->getLoc()) << "loaded here";
  return failure();
}

/// A is [m, k] and B [k, n], both K-major in shared memory.
static LogicalResult proveOperands(Operation *op, const LoadedTile &a,
                                   const LoadedTile &b, int64_t m, int64_t n,
                                   int64_t k) {
  for (auto [what, tile] : {std::pair{"A", &a}, std::pair{"B", &b}})
    if (tile->rowOffset)
      return op->emitOpError("expected all rows of the loaded tile for ")
             << what << "; only scales are loaded in tiles of 128 rows";
  auto expectedA = layout::IndexChain::rowMajor({m, k});
  auto expectedB = layout::IndexChain::rowMajor({n, k});
  // B is given as [k, n].
  if (expectedB)
    expectedB = expectedB->transpose({1, 0});
  if (!expectedA || !expectedB)
    return op->emitOpError(expectedA ? expectedB.error() : expectedA.error());
  return success(succeeded(compareChain(op, "A", a, *expectedA)) &&
                 succeeded(compareChain(op, "B", b, *expectedB)));
}

FailureOr<DotTiles> bsmm::proveDot(DotOp op) {
  auto a = traceToLoad(op, "A", op.getA());
  auto b = traceToLoad(op, "B", op.getB());
  if (failed(a) || failed(b) ||
      failed(proveOperands(op, *a, *b, op.getM(), op.getN(), op.getK())))
    return failure();
  return DotTiles{*a, *b};
}

FailureOr<ScaledDotTiles> bsmm::proveScaledDot(ScaledDotOp op) {
  auto a = traceToLoad(op, "A", op.getA());
  auto scaleA = traceToLoad(op, "the scales of A", op.getScaleA());
  auto b = traceToLoad(op, "B", op.getB());
  auto scaleB = traceToLoad(op, "the scales of B", op.getScaleB());
  if (failed(a) || failed(scaleA) || failed(b) || failed(scaleB))
    return failure();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  if (failed(proveOperands(op, *a, *b, m, n, k)))
    return failure();

  for (auto [what, tile, rows] : {std::tuple{"the scales of A", &*scaleA, m},
                                  std::tuple{"the scales of B", &*scaleB, n}}) {
    ArrayRef<int64_t> shape = tile->chain.shape();
    int64_t groups = shape.size() == 2 ? shape[1] : 0;
    if (shape.size() != 2 || shape[0] % layout::scaleTileRows != 0 ||
        groups % layout::scaleTileGroups != 0)
      return op.emitOpError("expected ")
             << what << " to be loaded in whole tiles of "
             << layout::scaleTileRows << " rows by " << layout::scaleTileGroups
             << " groups, got [" << shape
             << "]; extract rows after the last reshape";
    auto expected = layout::scaleTileChain(shape[0] / layout::scaleTileRows,
                                           groups / layout::scaleTileGroups);
    if (!expected)
      return op.emitOpError(expected.error());
    if (failed(compareChain(op, what, *tile, *expected)))
      return failure();
  }
  return ScaledDotTiles{*a, *scaleA, *b, *scaleB};
}
