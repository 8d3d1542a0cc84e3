//===- ProblemOps.cpp - operations on whole tensors -----------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace bsmm;

static ScalesAttr getScales(RankedTensorType type) {
  return dyn_cast_or_null<ScalesAttr>(type.getEncoding());
}

static bool compatible(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// ScaledMatmulOp
//===----------------------------------------------------------------------===//

int64_t ScaledMatmulOp::getScaleVectorSize() {
  if (!isBlockScaled())
    return 0;
  return getScales(cast<RankedTensorType>(getScaleA().getType())).getVec();
}

bool ScaledMatmulOp::scalesSums() {
  return isBlockScaled() &&
         cast<RankedTensorType>(getScaleA().getType()).getElementType().isF32();
}

/// Block scales of both operands state their order and fit each other.
static LogicalResult verifyBlockScales(ScaledMatmulOp op, RankedTensorType a,
                                       RankedTensorType b, RankedTensorType sfa,
                                       RankedTensorType sfb) {
  ScalesAttr scalesA = getScales(sfa), scalesB = getScales(sfb);
  for (auto [name, type, scales] :
       {std::tuple{"A", sfa, scalesA}, std::tuple{"B", sfb, scalesB}})
    if (!scales)
      return op.emitOpError("expected the scales of ")
             << name
             << " to state their order, e.g. #bsmm.scales<blocked_128x4, vec "
                "= 16>, got "
             << type;
  if (scalesA.getVec() != scalesB.getVec())
    return op.emitOpError("expected one scale vector size, got ")
           << scalesA.getVec() << " for A and " << scalesB.getVec() << " for B";
  if (sfa.getElementType() != sfb.getElementType())
    return op.emitOpError("expected scales of one type, got ")
           << sfa.getElementType() << " for A and " << sfb.getElementType()
           << " for B";
  std::string reason;
  if (op.scalesSums()) {
    if (scalesA.getRows() != 1 || scalesB.getRows() != blockScaleElements)
      return op.emitOpError("expected scales of 1 row of A and of ")
             << blockScaleElements << " rows of B, got " << scalesA.getRows()
             << " and " << scalesB.getRows()
             << "; e.g. #bsmm.scales<linear, vec = 128, rows = 128> for B";
    if (NumericsAttr numerics = op.getNumericsAttr();
        numerics && numerics.getPromoteEvery() != 0 &&
        numerics.getPromoteEvery() != blockScaleElements)
      return op.emitOpError("expected promote_every = ")
             << blockScaleElements << ", the elements of a scale, or none, got "
             << numerics.getPromoteEvery();
    reason = whyNotBlockScaledSums(a.getElementType(), b.getElementType());
  } else {
    reason = whyNotScaledFormat(a.getElementType(), b.getElementType(),
                                sfa.getElementType(), scalesA.getVec());
  }
  if (!reason.empty())
    return op.emitOpError(reason);
  return success();
}

LogicalResult ScaledMatmulOp::verify() {
  auto typeOf = [](Value value) {
    return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
  };
  RankedTensorType a = typeOf(getA()), b = typeOf(getB()),
                   sfa = typeOf(getScaleA()), sfb = typeOf(getScaleB()),
                   init = typeOf(getInit());
  if (bool(sfa) != bool(sfb))
    return emitOpError("expected block scales for both operands or for "
                       "neither, got them for ")
           << (sfa ? "A" : "B") << " only";

  int64_t rank = a.getRank();
  if (rank != 2 && rank != 3)
    return emitOpError("expected operands of rank 2, or 3 with a batch, got "
                       "rank ")
           << rank;
  for (auto [name, type] :
       {std::pair{"B", b}, std::pair{"the scales of A", sfa},
        std::pair{"the scales of B", sfb}, std::pair{"the output", init}})
    if (type && type.getRank() != rank)
      return emitOpError("expected ") << name << " to have rank " << rank
                                      << " like A, got " << type.getRank();
  if (getResult().getType() != init)
    return emitOpError("expected the result to have the type of 'outs' ")
           << init << ", got " << getResult().getType();

  for (auto [name, type] :
       {std::pair{"A", a}, std::pair{"B", b}, std::pair{"the output", init}})
    if (type.getEncoding())
      return emitOpError("expected no encoding on ")
             << name << ", got " << type.getEncoding();
  if (sfa) {
    if (failed(verifyBlockScales(*this, a, b, sfa, sfb)))
      return failure();
  } else if (std::string reason =
                 whyNotDenseFormat(a.getElementType(), b.getElementType());
             !reason.empty()) {
    return emitOpError(reason);
  }
  Type out = init.getElementType();
  bool isNarrow = isa<Float8E4M3FNType, Float8E5M2Type>(out);
  if (!out.isF16() && !out.isBF16() && !out.isF32() && !isNarrow)
    return emitOpError("expected an output of f16, bf16, f32, f8E4M3FN or "
                       "f8E5M2, got ")
           << out;
  // The instruction that rounds to 8 bits saturates, as the launch schema says.
  if (NumericsAttr numerics = getNumericsAttr();
      isNarrow && (!numerics || numerics.getOverflow() != Overflow::Saturate))
    return emitOpError("expected numerics with overflow = saturate for an "
                       "output of ")
           << out;
  if (isNarrow && getBeta())
    return emitOpError("expected no beta with an output of ")
           << out
           << ": C has the output's type, and sums read f16, bf16 or f32";

  // Every extent that is stated anywhere must agree with every other statement
  // of it.
  struct Statement {
    StringRef where;
    int64_t extent;
  };
  auto unify = [&](StringRef what, ArrayRef<Statement> statements,
                   int64_t &extent) -> LogicalResult {
    extent = ShapedType::kDynamic;
    StringRef first;
    for (const Statement &statement : statements) {
      if (ShapedType::isDynamic(statement.extent))
        continue;
      if (ShapedType::isDynamic(extent)) {
        extent = statement.extent;
        first = statement.where;
      } else if (extent != statement.extent) {
        return emitOpError("expected one ")
               << what << ", got " << extent << " in " << first << " and "
               << statement.extent << " in " << statement.where;
      }
    }
    return success();
  };
  int64_t m, n, k, groups, batch, blocksB;
  // A scale of several rows: as many rows of scales as blocks of them.
  int64_t rowsOfB = sfb ? getScales(sfb).getRows() : 1;
  auto dim = [&](RankedTensorType type, int64_t fromEnd) {
    return type ? type.getDimSize(rank - fromEnd) : ShapedType::kDynamic;
  };
  if (rank == 3 && failed(unify("batch",
                                {{"A", dim(a, 3)},
                                 {"B", dim(b, 3)},
                                 {"the scales of A", dim(sfa, 3)},
                                 {"the scales of B", dim(sfb, 3)},
                                 {"the output", dim(init, 3)}},
                                batch)))
    return failure();
  if (failed(unify("M",
                   {{"A", dim(a, 2)},
                    {"the scales of A", dim(sfa, 2)},
                    {"the output", dim(init, 2)}},
                   m)) ||
      failed(unify("N",
                   {{"B", dim(b, 2)},
                    {"the scales of B",
                     rowsOfB == 1 ? dim(sfb, 2) : ShapedType::kDynamic},
                    {"the output", dim(init, 1)}},
                   n)) ||
      failed(unify("K", {{"A", dim(a, 1)}, {"B", dim(b, 1)}}, k)) ||
      failed(unify(
          "number of groups",
          {{"the scales of A", dim(sfa, 1)}, {"the scales of B", dim(sfb, 1)}},
          groups)))
    return failure();
  for (auto [name, extent] :
       {std::pair{"M", m}, std::pair{"N", n}, std::pair{"K", k}})
    if (extent == 0 || extent > std::numeric_limits<int32_t>::max())
      return emitOpError("expected ")
             << name << " in 1..2147483647, got " << extent;
  blocksB = dim(sfb, 2);
  if (rowsOfB != 1 && !ShapedType::isDynamic(n) &&
      !ShapedType::isDynamic(blocksB) && blocksB != ceilDiv(n, rowsOfB))
    return emitOpError("expected ceil(N / ")
           << rowsOfB << ") = " << ceilDiv(n, rowsOfB)
           << " rows of scales of B, got " << blocksB;
  // Two elements of 4 bits share a byte: an odd K would leave half a byte
  // whose other half belongs to nobody.
  for (auto [name, type] : {std::pair{"A", a}, std::pair{"B", b}})
    if (!ShapedType::isDynamic(k) &&
        k * getElementBits(type.getElementType()) % 8 != 0)
      return emitOpError("expected rows of whole bytes, got K = ")
             << k << " elements of " << type.getElementType() << " in " << name
             << "; pad K with zeros";
  if (int64_t vec = getScaleVectorSize();
      vec != 0 && !ShapedType::isDynamic(k) && !ShapedType::isDynamic(groups) &&
      groups != ceilDiv(k, vec))
    return emitOpError("expected ceil(K / vec) = ceil(")
           << k << " / " << vec << ") = " << ceilDiv(k, vec)
           << " scales in every row, got " << groups;
  for (auto [name, value, extent] :
       {std::tuple{"M", getRowScaleA(), m}, std::tuple{"N", getRowScaleB(), n}})
    if (RankedTensorType type = typeOf(value);
        type &&
        (type.getRank() != 1 || !type.getElementType().isF32() ||
         type.getEncoding() ||
         (type.getDimSize(0) != 1 && !compatible(type.getDimSize(0), extent))))
      return emitOpError("expected row scales of 1 or ")
             << name << " f32 values, got " << type;
  if (getBias()) {
    auto bias = cast<RankedTensorType>(getBias().getType());
    if (bias.getRank() != 1 || !bias.getElementType().isF32() ||
        !compatible(bias.getDimSize(0), n))
      return emitOpError("expected a bias of N f32 values, got ") << bias;
  }
  return success();
}

namespace {
/// beta = 0 does not read C: the same as no beta.
struct DropZeroBeta : OpRewritePattern<ScaledMatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaledMatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getBeta() || !matchPattern(op.getBeta(), m_AnyZeroFloat()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getBetaMutable().clear(); });
    return success();
  }
};

/// alpha or out_scale of one changes nothing.
struct DropUnitFactors : OpRewritePattern<ScaledMatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaledMatmulOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    auto drop = [&](Value factor, MutableOperandRange operand) {
      if (!factor || !matchPattern(factor, m_OneFloat()))
        return;
      rewriter.modifyOpInPlace(op, [&] { operand.clear(); });
      changed = true;
    };
    drop(op.getAlpha(), op.getAlphaMutable());
    drop(op.getOutScale(), op.getOutScaleMutable());
    return success(changed);
  }
};
} // namespace

void ScaledMatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<DropZeroBeta, DropUnitFactors>(context);
}

//===----------------------------------------------------------------------===//
// PackScalesOp, UnpackScalesOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyReorder(Operation *op, Type sourceType,
                                   Type resultType, ScaleOrder from,
                                   ScaleOrder to) {
  auto source = cast<RankedTensorType>(sourceType);
  auto result = cast<RankedTensorType>(resultType);
  ScalesAttr sourceScales = getScales(source), resultScales = getScales(result);
  if (!sourceScales || sourceScales.getOrder() != from)
    return op->emitOpError("expected a source with #bsmm.scales<")
           << stringifyScaleOrder(from) << ", ...>, got " << source;
  if (!resultScales || resultScales.getOrder() != to)
    return op->emitOpError("expected a result with #bsmm.scales<")
           << stringifyScaleOrder(to) << ", ...>, got " << result;
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType() ||
      sourceScales.getVec() != resultScales.getVec())
    return op->emitOpError("expected the same shape, element type and vector "
                           "size, got ")
           << source << " and " << result;
  return success();
}

LogicalResult PackScalesOp::verify() {
  return verifyReorder(*this, getSource().getType(), getResult().getType(),
                       ScaleOrder::Linear, ScaleOrder::Blocked128x4);
}

LogicalResult UnpackScalesOp::verify() {
  return verifyReorder(*this, getSource().getType(), getResult().getType(),
                       ScaleOrder::Blocked128x4, ScaleOrder::Linear);
}

OpFoldResult PackScalesOp::fold(FoldAdaptor) {
  if (auto unpack = getSource().getDefiningOp<UnpackScalesOp>())
    if (unpack.getSource().getType() == getType())
      return unpack.getSource();
  return {};
}

OpFoldResult UnpackScalesOp::fold(FoldAdaptor) {
  if (auto pack = getSource().getDefiningOp<PackScalesOp>())
    if (pack.getSource().getType() == getType())
      return pack.getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// ViewScalesOp
//===----------------------------------------------------------------------===//

LogicalResult ViewScalesOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  ScalesAttr scales = getScales(result);
  if (!scales || scales.getOrder() != ScaleOrder::Blocked128x4)
    return emitOpError("expected a result with #bsmm.scales<blocked_128x4, "
                       "...>, got ")
           << result;
  if (source.getEncoding())
    return emitOpError("expected a source without encoding, got ") << source;
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected one element type, got ")
           << source.getElementType() << " and " << result.getElementType();
  ArrayRef<int64_t> order = getMemoryOrder();
  SmallVector<bool> seen(source.getRank());
  for (int64_t dim : order) {
    if (dim < 0 || dim >= source.getRank() || seen[dim])
      break;
    seen[dim] = true;
  }
  if (int64_t(order.size()) != source.getRank() ||
      llvm::is_contained(seen, false))
    return emitOpError("expected 'memory_order' to be a permutation of the ")
           << source.getRank() << " dimensions, got [" << order << "]";

  // The order of the physical dimensions in memory, outermost first.
  SmallVector<int64_t> memory = llvm::map_to_vector(
      order, [&](int64_t dim) { return source.getDimSize(dim); });
  bool isUserView = source.getRank() == 6;
  if (!isUserView && source.getRank() != 5)
    return emitOpError("expected the 6-D view [32, 4, rest_m, 4, rest_k, L] "
                       "or the 5-D view [L, rest_m, rest_k, 2, 256], got ")
           << source;

  // Where the view puts scale (l, m, group): its logical indices by the view's
  // definition, its place by the memory order. Compared with the encoding on a
  // chain over [L, rest_m, 4, 32, rest_k, 4] (the digits of batch, row and
  // group). Dynamic extents are replaced by small distinct ones: the claim is
  // about the order of the dimensions, which does not depend on them.
  auto concrete = [](int64_t extent, int64_t instead) {
    return ShapedType::isDynamic(extent) ? instead : extent;
  };
  int64_t batchDim = isUserView ? 5 : 0, restMDim = isUserView ? 2 : 1,
          restKDim = isUserView ? 4 : 2;
  int64_t batch = concrete(source.getDimSize(batchDim), 2);
  int64_t restM = concrete(source.getDimSize(restMDim), 3);
  int64_t restK = concrete(source.getDimSize(restKDim), 5);
  SmallVector<int64_t> expectedShape =
      isUserView ? SmallVector<int64_t>{32, 4, restM, 4, restK, batch}
                 : SmallVector<int64_t>{batch, restM, restK, 2, 256};
  for (auto [index, extent] : llvm::enumerate(expectedShape))
    if (!compatible(source.getDimSize(index), extent))
      return emitOpError("expected extent ")
             << extent << " in dimension " << index << " of the "
             << (isUserView ? "6-D view [32, 4, rest_m, 4, rest_k, L]"
                            : "5-D view [L, rest_m, rest_k, 2, 256]")
             << ", got " << source.getDimSize(index);

  std::vector<int64_t> concreteMemory;
  std::vector<int64_t> inverse(order.size());
  for (auto [place, dim] : llvm::enumerate(order)) {
    concreteMemory.push_back(expectedShape[dim]);
    inverse[dim] = place;
  }
  auto memoryChain = layout::IndexChain::rowMajor(concreteMemory);
  if (!memoryChain)
    return emitOpError(memoryChain.error());
  // The view's own coordinates -> offset.
  auto view = memoryChain->transpose(inverse);
  if (!view)
    return emitOpError(view.error());
  // -> [L, rest_m, i_m, g_m, rest_k, i_k]
  layout::Result<layout::IndexChain> logical = *view;
  if (isUserView) {
    logical = view->transpose({5, 2, 1, 0, 4, 3});
  } else {
    logical = view->reshape({batch, restM, restK, 32, 4, 4});
    if (logical)
      logical = logical->transpose({0, 1, 4, 3, 2, 5});
  }
  if (logical)
    logical = logical->reshape({batch, restM * 128, restK * 4});
  if (!logical)
    return emitOpError("the view is not a blocked scale tensor: ")
           << logical.error();
  auto tiles = layout::IndexChain::rowMajor({batch, restM, restK, 32, 4, 4});
  auto expected = tiles->transpose({0, 1, 4, 3, 2, 5})
                      ->reshape({batch, restM * 128, restK * 4});
  if (*logical != *expected)
    return emitOpError("the view is not a blocked scale tensor: ")
           << logical->describeMismatch(*expected);

  // Extents of the result.
  int64_t rank = result.getRank();
  int64_t rows = result.getDimSize(rank - 2),
          groups = result.getDimSize(rank - 1);
  if (rank == 2 && batch != 1)
    return emitOpError("expected a result with a batch dimension for batch ")
           << batch;
  if (rank == 3 &&
      !compatible(result.getDimSize(0), source.getDimSize(batchDim)))
    return emitOpError("expected batch ")
           << source.getDimSize(batchDim) << ", got " << result.getDimSize(0);
  if (!ShapedType::isDynamic(rows) &&
      !compatible(ceilDiv(rows, 128), source.getDimSize(restMDim)))
    return emitOpError("expected rest_m = ceil(")
           << rows << " / 128) = " << ceilDiv(rows, 128) << ", got "
           << source.getDimSize(restMDim);
  if (!ShapedType::isDynamic(groups) &&
      !compatible(ceilDiv(groups, 4), source.getDimSize(restKDim)))
    return emitOpError("expected rest_k = ceil(")
           << groups << " / 4) = " << ceilDiv(groups, 4) << ", got "
           << source.getDimSize(restKDim);
  return success();
}
