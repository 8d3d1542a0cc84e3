//===- TileOps.cpp - the program of one CTA over tensors ------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace bsmm;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Copies name their tensor map: there is no way to choose one at run time.
static LogicalResult verifyIsArgument(Operation *op, Value map) {
  auto argument = dyn_cast<BlockArgument>(map);
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return op->emitOpError(
        "expected a tensor map that is an argument of the kernel");
  return success();
}

/// Shape and element type of a tile must be those of its tensor map.
static LogicalResult verifyMapAccess(Operation *op, TensorMapType map,
                                     Type tileType, size_t numCoordinates) {
  auto tile = cast<RankedTensorType>(tileType);
  if (tile.getShape() != map.getShape() ||
      tile.getElementType() != map.getElementType())
    return op->emitOpError("expected a tile ")
           << RankedTensorType::get(map.getShape(), map.getElementType())
           << " as the tensor map says, got " << tile;
  if (numCoordinates != map.getShape().size())
    return op->emitOpError("expected ")
           << map.getShape().size()
           << " coordinates, one for each dimension of the tensor map, got "
           << numCoordinates;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  if (failed(verifyIsArgument(*this, getMap())))
    return failure();
  return verifyMapAccess(*this, getMap().getType(), getResult().getType(),
                         getCoordinates().size());
}

LogicalResult TmaStoreOp::verify() {
  if (failed(verifyIsArgument(*this, getMap())))
    return failure();
  if (getAdd() && !tensorOf(getTile()).getElementType().isF32())
    return emitOpError("expected f32 elements to add, got ")
           << tensorOf(getTile());
  return verifyMapAccess(*this, getMap().getType(), getTile().getType(),
                         getCoordinates().size());
}

/// Elements that are loaded or stored one by one.
static LogicalResult verifyWholeBytes(Operation *op, RankedTensorType tile) {
  unsigned bits = getElementBits(tile.getElementType());
  if (bits != 8 && bits != 16 && bits != 32)
    return op->emitOpError("expected elements of 8, 16 or 32 bits, got ")
           << tile.getElementType();
  if (tile.getEncoding())
    return op->emitOpError("expected a tile without encoding, got ") << tile;
  return success();
}

/// A tile of a matrix in global memory that is accessed element by element.
static LogicalResult verifyPredicated(Operation *op, RankedTensorType tile,
                                      size_t numCoordinates) {
  if (tile.getRank() != 3 || tile.getDimSize(0) != 1)
    return op->emitOpError("expected a tile [1, rows, columns], got ") << tile;
  if (numCoordinates != 3)
    return op->emitOpError("expected 3 coordinates [batch, row, column], got ")
           << numCoordinates;
  return verifyWholeBytes(op, tile);
}

LogicalResult PredicatedStoreOp::verify() {
  return verifyPredicated(*this, tensorOf(getTile()), getCoordinates().size());
}

LogicalResult PredicatedLoadOp::verify() {
  return verifyPredicated(*this, getType(), getCoordinates().size());
}

LogicalResult VectorLoadOp::verify() {
  if (getType().getRank() != 1)
    return emitOpError("expected a vector, i.e. a tile of rank 1, got ")
           << getType();
  return verifyWholeBytes(*this, getType());
}

LogicalResult ScaleLoadOp::verify() {
  RankedTensorType type = getType();
  if (type.getRank() != 1 || !type.getElementType().isF32() ||
      type.getEncoding())
    return emitOpError("expected a vector of f32, got ") << type;
  if (int64_t(getBlock()) < 1 || int64_t(getBlock()) > 65536)
    return emitOpError("expected a block of 1 to 65536 rows, got ")
           << int64_t(getBlock());
  return success();
}

LogicalResult SaturatingCastOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = getType();
  if (!source.getElementType().isF32() ||
      !isa<Float8E4M3FNType, Float8E5M2Type>(result.getElementType()) ||
      source.getEncoding() || result.getEncoding())
    return emitOpError("expected f32 to f8E4M3FN or f8E5M2, got ")
           << source << " to " << result;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = getType();
  int64_t dimension = int64_t(getDimension());
  if (dimension != 0 && dimension != 1)
    return emitOpError("expected dimension 0 or 1, got ") << dimension;
  if (source.getRank() != 1 || result.getRank() != 2 ||
      source.getElementType() != result.getElementType() ||
      source.getEncoding() || result.getEncoding())
    return emitOpError("expected a tile of rank 2 from a vector of the same "
                       "elements, got ")
           << result << " from " << source;
  if (source.getDimSize(0) != 1 &&
      source.getDimSize(0) != result.getDimSize(dimension))
    return emitOpError("expected a vector of 1 or ")
           << result.getDimSize(dimension) << " elements along dimension "
           << dimension << ", got " << source.getDimSize(0);
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected one element type, got ")
           << source.getElementType() << " and " << result.getElementType();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expected the same number of elements, got ")
           << source.getNumElements() << " and " << result.getNumElements();
  if (source.getEncoding() || result.getEncoding())
    return emitOpError("expected tiles without encoding: the order of scales "
                       "is a property of whole tensors");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

namespace {
/// reshape(reshape(x)) is one reshape: the order of elements never changes.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSource());
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

//===----------------------------------------------------------------------===//
// TransOp
//===----------------------------------------------------------------------===//

static bool isPermutation(ArrayRef<int64_t> order, int64_t rank) {
  SmallVector<bool> seen(rank);
  for (int64_t dim : order) {
    if (dim < 0 || dim >= rank || seen[dim])
      return false;
    seen[dim] = true;
  }
  return int64_t(order.size()) == rank;
}

LogicalResult TransOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected one element type, got ")
           << source.getElementType() << " and " << result.getElementType();
  if (source.getEncoding() || result.getEncoding())
    return emitOpError("expected tiles without encoding: the order of scales "
                       "is a property of whole tensors");
  if (!isPermutation(getOrder(), source.getRank()))
    return emitOpError("expected a permutation of the ")
           << source.getRank() << " dimensions, got [" << getOrder() << "]";
  SmallVector<int64_t> expected = llvm::map_to_vector(
      getOrder(), [&](int64_t dim) { return source.getDimSize(dim); });
  if (result.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError("expected a result of shape [")
           << ArrayRef<int64_t>(expected) << "], got [" << result.getShape()
           << "]";
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor) {
  for (auto [index, dim] : llvm::enumerate(getOrder()))
    if (int64_t(index) != dim)
      return {};
  return getSource();
}

namespace {
/// trans(trans(x)) is one trans.
struct MergeTransposes : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> order = llvm::map_to_vector(
        op.getOrder(), [&](int64_t dim) { return inner.getOrder()[dim]; });
    rewriter.replaceOpWithNewOp<TransOp>(op, op.getType(), inner.getSource(),
                                         order);
    return success();
  }
};
} // namespace

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}

//===----------------------------------------------------------------------===//
// ExtractRowsOp
//===----------------------------------------------------------------------===//

LogicalResult ExtractRowsOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = getType();
  if (source.getRank() != 2 || result.getRank() != 2 ||
      source.getDimSize(1) != result.getDimSize(1) ||
      source.getElementType() != result.getElementType())
    return emitOpError("expected rows of a tile of rank 2, got ")
           << result << " from " << source;
  if (result.getDimSize(0) > source.getDimSize(0))
    return emitOpError("expected at most ")
           << source.getDimSize(0) << " rows, got " << result.getDimSize(0);
  APInt offset;
  if (matchPattern(getOffset(), m_ConstantInt(&offset)) &&
      (offset.isNegative() ||
       offset.getSExtValue() + result.getDimSize(0) > source.getDimSize(0)))
    return emitOpError("expected rows inside of the tile, got ")
           << result.getDimSize(0) << " rows from row " << offset.getSExtValue()
           << " of " << source.getDimSize(0);
  return success();
}

OpFoldResult ExtractRowsOp::fold(FoldAdaptor) {
  // All rows: whatever the offset says, only 0 is legal.
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// ExtractColumnsOp
//===----------------------------------------------------------------------===//

LogicalResult ExtractColumnsOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = getType();
  if (source.getRank() != 2 || result.getRank() != 2 ||
      source.getDimSize(0) != result.getDimSize(0) ||
      source.getElementType() != result.getElementType())
    return emitOpError("expected columns of a tile of rank 2, got ")
           << result << " from " << source;
  if (result.getDimSize(1) > source.getDimSize(1))
    return emitOpError("expected at most ")
           << source.getDimSize(1) << " columns, got " << result.getDimSize(1);
  APInt offset;
  if (matchPattern(getOffset(), m_ConstantInt(&offset)) &&
      (offset.isNegative() ||
       offset.getSExtValue() + result.getDimSize(1) > source.getDimSize(1)))
    return emitOpError("expected columns inside of the tile, got ")
           << result.getDimSize(1) << " columns from column "
           << offset.getSExtValue() << " of " << source.getDimSize(1);
  return success();
}

OpFoldResult ExtractColumnsOp::fold(FoldAdaptor) {
  // All columns: whatever the offset says, only 0 is legal.
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// ScaledDotOp
//===----------------------------------------------------------------------===//

int64_t ScaledDotOp::getM() { return tensorOf(getA()).getDimSize(0); }
int64_t ScaledDotOp::getN() { return tensorOf(getB()).getDimSize(1); }
int64_t ScaledDotOp::getK() { return tensorOf(getA()).getDimSize(1); }
int64_t ScaledDotOp::getScaleVectorSize() {
  return getK() / tensorOf(getScaleA()).getDimSize(1);
}

LogicalResult ScaledDotOp::verify() {
  RankedTensorType a = tensorOf(getA()), b = tensorOf(getB()),
                   sfa = tensorOf(getScaleA()), sfb = tensorOf(getScaleB()),
                   accumulator = tensorOf(getAccumulator());
  for (auto [name, type] :
       {std::pair{"A", a}, std::pair{"B", b}, std::pair{"the scales of A", sfa},
        std::pair{"the scales of B", sfb},
        std::pair{"the accumulator", accumulator}}) {
    if (type.getRank() != 2)
      return emitOpError("expected ") << name << " to have rank 2, got " << type
                                      << "; drop the batch with bsmm.reshape";
    if (type.getEncoding())
      return emitOpError("expected ")
             << name << " without encoding, got " << type;
  }
  int64_t m = a.getDimSize(0), k = a.getDimSize(1), n = b.getDimSize(1);
  if (b.getDimSize(0) != k)
    return emitOpError("expected A [m, k] and B [k, n] with one k, got ")
           << k << " and " << b.getDimSize(0)
           << "; a tile of B loaded as [n, k] needs bsmm.trans [1, 0]";
  if (accumulator.getDimSize(0) != m || accumulator.getDimSize(1) != n ||
      !accumulator.getElementType().isF32())
    return emitOpError("expected an accumulator ")
           << RankedTensorType::get({m, n}, Float32Type::get(getContext()))
           << ", got " << accumulator;
  for (auto [name, type, rows] :
       {std::tuple{"A", sfa, m}, std::tuple{"B", sfb, n}}) {
    if (type.getDimSize(0) != rows)
      return emitOpError("expected ") << rows << " rows of scales for " << name
                                      << ", got " << type.getDimSize(0);
    int64_t groups = type.getDimSize(1);
    if (groups < 1 || k % groups != 0)
      return emitOpError("expected the scales of ")
             << name << " to divide k = " << k << " evenly, got " << groups
             << " groups";
  }
  if (sfa.getDimSize(1) != sfb.getDimSize(1))
    return emitOpError("expected one number of groups along k, got ")
           << sfa.getDimSize(1) << " for A and " << sfb.getDimSize(1)
           << " for B";
  if (sfa.getElementType() != sfb.getElementType())
    return emitOpError("expected scales of one type, got ")
           << sfa.getElementType() << " for A and " << sfb.getElementType()
           << " for B";
  std::string reason =
      whyNotScaledFormat(a.getElementType(), b.getElementType(),
                         sfa.getElementType(), getScaleVectorSize());
  if (!reason.empty())
    return emitOpError(reason);
  return success();
}

//===----------------------------------------------------------------------===//
// DotOp
//===----------------------------------------------------------------------===//

int64_t DotOp::getM() { return tensorOf(getA()).getDimSize(0); }
int64_t DotOp::getN() { return tensorOf(getB()).getDimSize(1); }
int64_t DotOp::getK() { return tensorOf(getA()).getDimSize(1); }

LogicalResult DotOp::verify() {
  RankedTensorType a = tensorOf(getA()), b = tensorOf(getB()),
                   accumulator = tensorOf(getAccumulator());
  for (auto [name, type] : {std::pair{"A", a}, std::pair{"B", b},
                            std::pair{"the accumulator", accumulator}}) {
    if (type.getRank() != 2)
      return emitOpError("expected ") << name << " to have rank 2, got " << type
                                      << "; drop the batch with bsmm.reshape";
    if (type.getEncoding())
      return emitOpError("expected ")
             << name << " without encoding, got " << type;
  }
  if (b.getDimSize(0) != getK())
    return emitOpError("expected A [m, k] and B [k, n] with one k, got ")
           << getK() << " and " << b.getDimSize(0)
           << "; a tile of B loaded as [n, k] needs bsmm.trans [1, 0]";
  auto expected =
      RankedTensorType::get({getM(), getN()}, Float32Type::get(getContext()));
  if (accumulator != expected)
    return emitOpError("expected an accumulator ")
           << expected << ", got " << accumulator;
  std::string reason =
      whyNotDenseFormat(a.getElementType(), b.getElementType());
  if (!reason.empty())
    return emitOpError(reason);
  if (auto every = getPromoteEvery();
      every && (int64_t(*every) < 1 || getK() % int64_t(*every) != 0))
    return emitOpError("expected promote_every to divide k = ")
           << getK() << ", got " << int64_t(*every);
  if (getScales().empty())
    return success();
  if (getScales().size() != 2)
    return emitOpError("expected scales of the rows of A and of the columns of "
                       "B, got ")
           << getScales().size() << " vectors";
  for (auto [name, scales, extent] : {std::tuple{"A", getScales()[0], getM()},
                                      std::tuple{"B", getScales()[1], getN()}})
    if (scales.getType() !=
        RankedTensorType::get({extent}, Float32Type::get(getContext())))
      return emitOpError("expected ") << extent << " f32 scales of " << name
                                      << ", got " << scales.getType();
  if (!getPromoteEvery() || int64_t(*getPromoteEvery()) != getK())
    return emitOpError("expected promote_every ")
           << getK() << " with scales, which multiply the sum of a step";
  return success();
}

LogicalResult GroupedOrderOp::verify() {
  int64_t group = getGroupAttr().getValue().getSExtValue();
  if (group < 1 || group > 65536)
    return emitOpError("expected a group of 1 to 65536 tile rows, got ")
           << group;
  return success();
}
