//===- Epilogue.cpp - what a kernel does with its sums --------------------===//

#include "bsmm/Dialect/Transforms/Epilogue.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace bsmm;

namespace {
/// Follows an epilogue from what is stored back to the sum, step by step.
class EpilogueReader {
public:
  explicit EpilogueReader(KernelOp kernel) : kernel(kernel) {}

  /// Whether the stored value is that of the schema.
  bool read(Value stored);

  /// What `read` has found.
  Activation activation = Activation::None;
  SmallVector<ArgumentRole> used;

private:
  bool isArgument(Value value, ArgumentRole role) {
    return value && value == kernel.findArgument(role);
  }
  bool isScalar(Value value, ArgumentRole role);
  bool isVector(Value value, ArgumentRole role, int64_t dimension);
  bool isMatrix(Value value);
  bool isBetaC(Value value);
  bool isSum(Value value);
  Value withoutSilu(Value value);
  /// If `value` is OpT of `isOther` and something, the something; else null.
  template <typename OpT>
  Value without(Value value, function_ref<bool(Value)> isOther);
  Value withoutBetaC(Value value);

  KernelOp kernel;
};
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

/// Looks through what changes shapes only.
static Value strip(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getSource();
  return value;
}

/// The value itself where it is made wider.
static Value stripExtension(Value value) {
  value = strip(value);
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = strip(extend.getIn());
  return value;
}

/// A scalar in every element.
bool EpilogueReader::isScalar(Value value, ArgumentRole role) {
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return isArgument(splat.getInput(), role);
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    return isArgument(broadcast.getSource(), role);
  return false;
}

/// A vector in global memory, repeated; in f32 as it is used.
bool EpilogueReader::isVector(Value value, ArgumentRole role,
                              int64_t dimension) {
  value = stripExtension(value);
  // One element: for rows and columns alike.
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>()) {
    auto extract = broadcast.getSource().getDefiningOp<vector::ExtractOp>();
    auto read =
        extract ? extract.getSource().getDefiningOp<ReadVectorOp>() : nullptr;
    return read && isArgument(read.getPointer(), role) &&
           cast<VectorType>(read.getResult().getType()).getNumElements() == 1;
  }
  if (auto read = value.getDefiningOp<ReadVectorOp>())
    return int64_t(read.getDimension()) == dimension &&
           isArgument(read.getPointer(), role);
  // In shared memory: what has been copied there.
  if (auto read = value.getDefiningOp<ReadStagedOp>()) {
    bool isStaged = false;
    for (Operation *user : read.getBuffer().getUsers())
      if (auto stage = dyn_cast<StageVectorOp>(user)) {
        if (!isArgument(stage.getPointer(), role))
          return false;
        isStaged = true;
      }
    return isStaged && int64_t(read.getDimension()) == dimension;
  }
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return false;
  auto load =
      stripExtension(broadcast.getSource()).getDefiningOp<VectorLoadOp>();
  return load && isArgument(load.getPointer(), role) &&
         (load.getType().getNumElements() == 1 ||
          int64_t(broadcast.getDimension()) == dimension);
}

bool EpilogueReader::isMatrix(Value value) {
  Operation *op = stripExtension(value).getDefiningOp();
  return isa_and_nonnull<PredicatedLoadOp, ReadGlobalOp>(op) &&
         isArgument(op->getOperand(0), ArgumentRole::C);
}

template <typename OpT>
Value EpilogueReader::without(Value value, function_ref<bool(Value)> isOther) {
  auto op = value.getDefiningOp<OpT>();
  if (!op)
    return {};
  if (isOther(op.getRhs()))
    return op.getLhs();
  if (isOther(op.getLhs()))
    return op.getRhs();
  return {};
}

bool EpilogueReader::isBetaC(Value value) {
  Value matrix = without<arith::MulFOp>(strip(value), [&](Value factor) {
    return isScalar(factor, ArgumentRole::Beta);
  });
  return matrix && isMatrix(matrix);
}

/// Without the addend beta * C, or C alone, where there is one. C counts only
/// when beta is not 0: its memory need not be there.
Value EpilogueReader::withoutBetaC(Value value) {
  auto isAddend = [&](Value addend) {
    return isBetaC(addend) || isMatrix(addend);
  };
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::UNE ||
      !isArgument(compare.getLhs(), ArgumentRole::Beta) ||
      !isZero(compare.getRhs()))
    return without<arith::AddFOp>(value, isAddend);
  Value rest = without<arith::AddFOp>(strip(select.getTrueValue()), isAddend);
  return rest && rest == select.getFalseValue() ? rest : Value();
}

/// x of x / (1 + exp(-x)) in the form that does not overflow: with p =
/// exp(-|x|), (x >= 0 ? x : x p) / (p + 1).
Value EpilogueReader::withoutSilu(Value value) {
  auto quotient = value.getDefiningOp<arith::DivFOp>();
  auto select =
      quotient ? quotient.getLhs().getDefiningOp<arith::SelectOp>() : nullptr;
  if (!select)
    return {};
  Value x = select.getTrueValue();
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  Value power = without<arith::AddFOp>(quotient.getRhs(), [](Value other) {
    return matchPattern(other, m_OneFloat());
  });
  auto exponential = power ? power.getDefiningOp<math::ExpOp>() : nullptr;
  auto negated = exponential
                     ? exponential.getOperand().getDefiningOp<arith::NegFOp>()
                     : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGE ||
      compare.getLhs() != x || !isZero(compare.getRhs()) || !negated ||
      without<arith::MulFOp>(select.getFalseValue(),
                             [&](Value other) { return other == power; }) != x)
    return {};
  Value other = without<arith::MaximumFOp>(
      negated.getOperand(), [&](Value side) { return side == x; });
  auto mirrored = other ? other.getDefiningOp<arith::NegFOp>() : nullptr;
  return mirrored && mirrored.getOperand() == x ? x : Value();
}

/// What the loop over K yields, or the values of a drain: zeros when the loop
/// has no step.
bool EpilogueReader::isSum(Value value) {
  value = strip(value);
  if (auto partials = value.getDefiningOp<AddPartialsOp>())
    value = partials.getValues();
  if (auto transpose = value.getDefiningOp<TransOp>();
      transpose && transpose.getOrder() == ArrayRef<int64_t>{1, 0})
    value = transpose.getSource();
  if (auto extract = value.getDefiningOp<ExtractColumnsOp>())
    value = extract.getSource();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<DrainOp>(argument.getOwner()->getParentOp()) &&
           argument.getArgNumber() == 2;
  Operation *op = value.getDefiningOp();
  return isa<scf::ForOp>(op) && isa<RankedTensorType>(value.getType());
}

bool EpilogueReader::read(Value value) {
  value = strip(value);
  if (auto truncate = value.getDefiningOp<arith::TruncFOp>())
    value = strip(truncate.getIn());
  else if (Operation *op = value.getDefiningOp();
           isa_and_nonnull<SaturatingCastOp, ConvertValuesOp>(op))
    value = strip(op->getOperand(0));
  if (!getElementTypeOrSelf(value).isF32())
    return false;
  // From the last step to the first; each may be left out.
  auto drop = [&](Value rest, ArgumentRole role) {
    if (!rest)
      return;
    value = strip(rest);
    used.push_back(role);
  };
  auto dropFactor = [&](ArgumentRole role) {
    auto isFactor = [&](Value other) { return isScalar(other, role); };
    drop(without<arith::MulFOp>(value, isFactor), role);
  };
  dropFactor(ArgumentRole::OutScale);
  // x > 0, or NaN, gives x.
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (compare && compare.getPredicate() == arith::CmpFPredicate::UGT &&
        compare.getLhs() == select.getTrueValue() && isZero(compare.getRhs()) &&
        isZero(select.getFalseValue())) {
      activation = Activation::Relu;
      value = strip(select.getTrueValue());
    }
  }
  if (Value rest = withoutSilu(value)) {
    activation = Activation::Silu;
    value = strip(rest);
  }
  auto isBias = [&](Value other) {
    return isVector(other, ArgumentRole::Bias, 1);
  };
  drop(without<arith::AddFOp>(value, isBias), ArgumentRole::Bias);
  drop(withoutBetaC(value), ArgumentRole::C);
  dropFactor(ArgumentRole::Alpha);
  auto isScaleB = [&](Value other) {
    return isVector(other, ArgumentRole::RowScaleB, 1);
  };
  drop(without<arith::MulFOp>(value, isScaleB), ArgumentRole::RowScaleB);
  auto isScaleA = [&](Value other) {
    return isVector(other, ArgumentRole::RowScaleA, 0);
  };
  drop(without<arith::MulFOp>(value, isScaleA), ArgumentRole::RowScaleA);
  return isSum(value);
}

Epilogue bsmm::readEpilogue(KernelOp kernel) {
  Epilogue result;
  auto isUsed = [&](ArgumentRole role) {
    BlockArgument argument = kernel.findArgument(role);
    return argument && !argument.use_empty();
  };
  result.hasAlpha = isUsed(ArgumentRole::Alpha);
  result.hasBeta = isUsed(ArgumentRole::Beta);
  result.hasOutScale = isUsed(ArgumentRole::OutScale);

  // All pieces of an output are computed alike.
  bool isKnown = true;
  auto addStore = [&](Value stored) {
    EpilogueReader reader(kernel);
    bool isFirst = !result.out;
    isKnown &= reader.read(stored) &&
               (isFirst || reader.activation == result.activation);
    // What is used counts: it is in the chain of steps.
    for (ArgumentRole role :
         {ArgumentRole::Alpha, ArgumentRole::OutScale, ArgumentRole::C,
          ArgumentRole::RowScaleA, ArgumentRole::RowScaleB, ArgumentRole::Bias})
      isKnown &= !isUsed(role) || llvm::is_contained(reader.used, role);
    result.activation = reader.activation;
    result.out = getElementTypeOrSelf(stored);
  };
  constexpr ArgumentRole scaleRoles[] = {ArgumentRole::RowScaleA,
                                         ArgumentRole::RowScaleB};
  RowScaleExtent scales[2] = {RowScaleExtent::None, RowScaleExtent::None};
  kernel.walk([&](Operation *op) {
    if (isa<TmaStoreOp, PredicatedStoreOp, WriteSharedOp, WriteGlobalOp>(op)) {
      addStore(op->getOperand(0));
      result.storesPredicated |= isa<PredicatedStoreOp, WriteGlobalOp>(op);
    }
    if (isa<PredicatedLoadOp, ReadGlobalOp>(op))
      result.c = getElementTypeOrSelf(op->getResult(0));
    if (!isa<VectorLoadOp, ReadVectorOp, StageVectorOp>(op))
      return;
    Value pointer = op->getOperand(0);
    Type element;
    int64_t count;
    if (auto stage = dyn_cast<StageVectorOp>(op)) {
      // A row of the buffer for each warpgroup.
      element = stage.getBuffer().getType().getElementType();
      count = stage.getBuffer().getType().getShape()[1];
    } else {
      auto type = cast<ShapedType>(op->getResult(0).getType());
      element = type.getElementType();
      count = type.getNumElements();
    }
    if (pointer == kernel.findArgument(ArgumentRole::Bias))
      result.bias = element;
    for (auto [number, role] : llvm::enumerate(scaleRoles))
      if (pointer == kernel.findArgument(role)) {
        scales[number] =
            std::max(scales[number], count == 1 ? RowScaleExtent::Tensor
                                                : RowScaleExtent::Rows);
        isKnown &= element.isF32();
      }
  });
  // The schema has row scales of both operands, or of neither, of one kind.
  result.rowScales = std::max(scales[0], scales[1]);
  result.isKnown = isKnown && result.out && scales[0] == scales[1];
  return result;
}
