//===- ProblemToTile.cpp - problem level to tile level --------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Target/BlockScaledCost.h"
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMPROBLEMTOTILE
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

/// Most CTAs that add to one output tile.
static constexpr int64_t maxAddedSplits = 1024;

/// Whether a vector of row scales is one value for the whole operand.
static bool isWhole(Value vector) {
  return cast<RankedTensorType>(vector.getType()).getDimSize(0) == 1;
}

namespace {
/// The shape of a kernel, from the pass options.
struct Configuration {
  int64_t blockM, blockN, blockK, group, stages, tileStages, split, clusterM,
      clusterN, epilogueWarps;
  /// The loop whose work is shared out over roles; empty for the usual one.
  StringRef specialize;
  bool flattens;
  bool isPersistent, usesPredicatedStore, isPingPong, groupsAll, swapsOperands;
  /// The CTAs that share the steps of a tile add to the output.
  bool addsToOutput;
  /// Null for the usual order.
  CacheEvictionAttr cacheA, cacheB;
  /// Whether a launch may begin while the one before it runs.
  bool isDependent = false;
};

/// Writes the tile-level kernel of one scaled_matmul.
class KernelBuilder {
public:
  KernelBuilder(ScaledMatmulOp op, const Configuration &config)
      : op(op), config(config), builder(op.getLoc(), op.getContext()) {
    auto elementOf = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getElementType();
    };
    a = elementOf(op.getA());
    b = elementOf(op.getB());
    if (usesScaledDot())
      scale = elementOf(op.getScaleA());
    out = elementOf(op.getInit());
    vec = op.getScaleVectorSize();
  }

  LogicalResult check();
  LogicalResult checkBlockScales();
  LogicalResult checkDense();
  LogicalResult checkSumScales();
  LogicalResult checkAddedSplits();
  LogicalResult checkLoops();
  /// Builds the kernel at the end of a gpu.module.
  LogicalResult build(gpu::GPUModuleOp module, StringRef name);

private:
  /// Extents of the accumulator, which may be the transpose of the output tile.
  int64_t getRows() const {
    return config.swapsOperands ? config.blockN : config.blockM;
  }
  int64_t getColumns() const {
    return config.swapsOperands ? config.blockM : config.blockN;
  }
  /// Columns that are multiplied for a tile. The tensor core reads the scales
  /// of column 0 from the first lane of tensor memory, where those of every
  /// 32nd column lie: tiles of odd multiples of 16 columns are multiplied from
  /// the 32nd before on.
  int64_t getMultipliedColumns() const {
    return alignsColumns ? getColumns() + layout::scaleColumnRows / 2
                         : getColumns();
  }
  /// Block scales of the operands, in contrast to those of sums.
  bool usesScaledDot() { return op.isBlockScaled() && !op.scalesSums(); }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
  }
  /// Rows of A or of B in a step.
  int64_t getLoadedRows(bool isA) const {
    return isA == config.swapsOperands ? getMultipliedColumns() : getRows();
  }
  /// Of the module's target; null without one.
  const target::Gpu *findGpu() {
    auto attr = op->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
        BsmmDialect::getTargetAttrName());
    return attr ? target::findGpu(std::string_view(attr.getChip())) : nullptr;
  }
  Value addArgument(Block *block, ArgumentRole role, Type type);
  Value loadScales(Value map, Value batch, Value rowTile, Value groupTile,
                   int64_t rowTiles, CacheEvictionAttr cache);
  void buildTile(Value batch, Value tileM, Value tileN);
  Value buildMainLoop(Value batch, Value m, Value n);
  Value loadSumScales(Value pointer, Value scales, Value batch, Value row,
                      Value rows, Value pitch, Value batchStride, Value step,
                      int64_t extent);
  Value buildScaledDot(Value tileA, Value tileB, Value accumulator, Value batch,
                       Value row, Value column, Value step);
  Value loadVector(Value pointer, Value vector, Value offset, Value limit,
                   int64_t dimension);
  Value buildFitsCache();
  Value buildSilu(Value x);
  Value buildEpilogue(Value accumulator, ValueRange coordinates);

  ScaledMatmulOp op;
  Configuration config;
  ImplicitLocOpBuilder builder;
  Type a, b, scale, out;
  int64_t vec;
  /// Scale tiles of the operand whose rows are columns of the accumulator.
  int64_t columnScaleTiles = 1;
  /// Whether columns are multiplied from a multiple of 32 on that may lie
  /// before the tile's first one.
  bool alignsColumns = false;
  int64_t promoteEvery = 0;
  Value groups;
  /// Which part of a tile's steps, where the parts are added in the output.
  Value part;

  SmallVector<Attribute> roles;
  Value mapA, mapB, mapScaleA, mapScaleB, scaleA, scaleB, pitchScaleA,
      batchStrideScaleA, pitchScaleB, batchStrideScaleB, c, d, rowScaleA,
      rowScaleB, bias, sizeM, sizeN, sizeK, sizeL, pitchC, batchStrideC, pitchD,
      batchStrideD, alpha, beta, outScale;
};
} // namespace

LogicalResult KernelBuilder::checkBlockScales() {
  auto order = [](Value scales) {
    return cast<ScalesAttr>(
               cast<RankedTensorType>(scales.getType()).getEncoding())
        .getOrder();
  };
  for (auto [name, value] :
       {std::pair{"A", op.getScaleA()}, std::pair{"B", op.getScaleB()}})
    if (order(value) != ScaleOrder::Blocked128x4)
      return op.emitOpError("expected the scales of ")
             << name
             << " in order blocked_128x4, which the tensor core reads, got "
                "linear; insert bsmm.pack_scales";
  // The tensor core's rows and columns.
  StringRef rowsName = config.swapsOperands ? "block-n" : "block-m";
  StringRef columnsName = config.swapsOperands ? "block-m" : "block-n";
  if (getRows() != 128)
    return op.emitOpError("expected ") << rowsName << " 128, got " << getRows();
  if (getColumns() < 16 || getColumns() > 256 || getColumns() % 16 != 0)
    return op.emitOpError("expected ")
           << columnsName << " to be a multiple of 16 from 16 to 256, got "
           << getColumns();
  int64_t groupK = vec * layout::scaleTileGroups;
  if (config.blockK < groupK || config.blockK > 4096 ||
      config.blockK % groupK != 0)
    return op.emitOpError("expected block-k to be a multiple of ")
           << groupK << " (4 groups of " << vec << ") up to 4096, got "
           << config.blockK;
  // Operands that are decoded first have no scales in tensor memory.
  const target::Gpu *gpu = findGpu();
  bool isOdd = getColumns() % layout::scaleColumnRows != 0;
  alignsColumns = isOdd && (!gpu || gpu->hasTcgen05);
  if (isOdd && !alignsColumns) {
    // The last multiple of 16 of a scale tile needs most.
    columnScaleTiles = llvm::divideCeil(
        layout::scaleTileRows - 16 + getColumns(), layout::scaleTileRows);
    return success();
  }
  auto tiles = layout::maxScaleTiles(
      getMultipliedColumns(), isOdd ? layout::scaleColumnRows : getColumns());
  if (!tiles)
    return op.emitOpError(tiles.error());
  columnScaleTiles = *tiles;
  return success();
}

LogicalResult KernelBuilder::checkDense() {
  if (!llvm::is_contained({64, 128, 192, 256}, config.blockM))
    return op.emitOpError("expected block-m 64, 128, 192 or 256, got ")
           << config.blockM;
  if (config.blockN < 16 || config.blockN > 256 || config.blockN % 16 != 0)
    return op.emitOpError("expected block-n to be a multiple of 16 from 16 to "
                          "256, got ")
           << config.blockN;
  // Rows of whole swizzle widths.
  int64_t unit = 8 * 32 / std::min(getElementBits(a), getElementBits(b));
  if (config.blockK < unit || config.blockK > 1024 || config.blockK % unit != 0)
    return op.emitOpError("expected block-k to be a multiple of ")
           << unit << " (32 bytes) up to 1024, got " << config.blockK;
  return success();
}

/// Scales of sums are applied to one step of the loop over K.
LogicalResult KernelBuilder::checkSumScales() {
  if (config.blockK != blockScaleElements)
    return op.emitOpError("expected block-k ")
           << blockScaleElements
           << " with block scales of f32, which multiply the sum of a step, "
              "got "
           << config.blockK;
  promoteEvery = blockScaleElements;
  return success();
}

/// What the CTAs of a tile add must be parts of a sum.
LogicalResult KernelBuilder::checkAddedSplits() {
  if (!out.isF32() || config.usesPredicatedStore)
    return op.emitOpError("expected an output of f32, stored by TMA, with "
                          "add-splits, got ")
           << out << (config.usesPredicatedStore ? ", predicated stores" : "");
  if (op.getBeta() || op.getBias() || op.getActivation() != Activation::None)
    return op.emitOpError("expected no beta, bias or activation with "
                          "add-splits: each CTA would apply it to its part");
  if (config.isPingPong || config.clusterM != 1 || config.clusterN != 1)
    return op.emitOpError("expected no ping-pong, cluster-m or cluster-n with "
                          "add-splits, whose tiles have different steps");
  return success();
}

/// Options of the two loops; what the target cannot do is refused when the
/// kernel gets its roles.
LogicalResult KernelBuilder::checkLoops() {
  if (!llvm::is_contained({"default", "tile-loop", "k-loop", "none"},
                          config.specialize))
    return op.emitOpError("expected specialize to be default, tile-loop, "
                          "k-loop or none, got ")
           << config.specialize;
  if (config.tileStages < 0 || config.tileStages > 64)
    return op.emitOpError("expected 0 to 64 tile-stages, got ")
           << config.tileStages;
  if (config.isPersistent)
    return success();
  if (config.specialize == "tile-loop")
    return op.emitOpError("expected specialize=k-loop or none with "
                          "persistent=false, which has no loop over output "
                          "tiles, got tile-loop");
  if (config.flattens)
    return op.emitOpError("expected flatten=false with persistent=false, whose "
                          "CTAs have one output tile each, got flatten=true");
  if (config.tileStages > 1)
    return op.emitOpError("expected tile-stages=1 with persistent=false, whose "
                          "CTAs have one output tile each, got tile-stages=")
           << config.tileStages;
  return success();
}

LogicalResult KernelBuilder::check() {
  if (NumericsAttr numerics = op.getNumericsAttr()) {
    int64_t promote = numerics.getPromoteEvery();
    bool isNarrow = isa<Float8E4M3FNType, Float8E5M2Type>(out);
    if (!numerics.getAccumulate().isF32() ||
        (numerics.getOverflow() == Overflow::Saturate) != isNarrow ||
        (promote != 0 && usesScaledDot()))
      return op.emitOpError("expected numerics with accumulate = f32, "
                            "overflow = infinity (saturate for an output of 8 "
                            "bits) and, with block scales, "
                            "promote_every = 0, which tile-level kernels have, "
                            "got ")
             << numerics;
    if (promote != 0 && config.blockK % promote != 0)
      return op.emitOpError("expected block-k to be a multiple of "
                            "promote_every, got ")
             << config.blockK << " and promote_every " << promote;
    promoteEvery = promote;
  }
  if (bool(op.getRowScaleA()) != bool(op.getRowScaleB()))
    return op.emitOpError("expected row scales of both operands or of neither "
                          "for a kernel; pass ones for the other");
  if (op.getRowScaleA() &&
      isWhole(op.getRowScaleA()) != isWhole(op.getRowScaleB()))
    return op.emitOpError("expected row scales of one value for both operands "
                          "or for neither for a kernel");
  if (config.group < 1 || config.group > 65536)
    return op.emitOpError("expected a group of 1 to 65536 tile rows, got ")
           << config.group;
  if (config.groupsAll && !findGpu())
    return op.emitOpError("expected a target, whose L2 cache group-all needs; "
                          "pass chip or set bsmm.target");
  if (config.stages < 0 || config.stages > 64)
    return op.emitOpError("expected 0 to 64 stages, got ") << config.stages;
  if (failed(checkLoops()))
    return failure();
  int64_t mostSplits =
      config.addsToOutput ? maxAddedSplits : target::cluster::maxPortable;
  if (config.split < 1 || config.split > mostSplits)
    return op.emitOpError("expected split-k in 1..")
           << mostSplits << ", got " << config.split;
  if (config.addsToOutput && failed(checkAddedSplits()))
    return failure();
  if (config.split != 1 && !config.addsToOutput && config.isPersistent)
    return op.emitOpError("expected split-k with persistent=false, got "
                          "split-k=")
           << config.split;
  if (config.swapsOperands && !usesScaledDot())
    return op.emitOpError("expected swap-operands with block scales, i.e. "
                          "accumulators in tensor memory");
  if (config.isPingPong && (!config.isPersistent || usesScaledDot()))
    return op.emitOpError("expected ping-pong with persistent=true and without "
                          "block scales");
  for (auto [name, ctas] : {std::pair{"cluster-m", config.clusterM},
                            std::pair{"cluster-n", config.clusterN}}) {
    if (ctas < 1 || ctas > target::cluster::maxPortable)
      return op.emitOpError("expected ")
             << name << " in 1.." << target::cluster::maxPortable << ", got "
             << ctas;
  }
  if (config.clusterM != 1 && config.clusterN != 1)
    return op.emitOpError("expected cluster-m or cluster-n, not both, got ")
           << config.clusterM << " and " << config.clusterN;
  if (config.clusterM * config.clusterN != 1 && config.split != 1)
    return op.emitOpError("expected no cluster-m or cluster-n with split-k: "
                          "the CTAs of a cluster share loads or the steps of a "
                          "tile, got split-k=")
           << config.split;
  if (config.epilogueWarps != 4 && config.epilogueWarps != 8)
    return op.emitOpError("expected 4 or 8 epilogue-warps, got ")
           << config.epilogueWarps;
  if (config.epilogueWarps != 4 && !usesScaledDot())
    return op.emitOpError("expected epilogue-warps=8 with block scales, i.e. "
                          "accumulators in tensor memory");
  if (op.scalesSums() && failed(checkSumScales()))
    return failure();
  return usesScaledDot() ? checkBlockScales() : checkDense();
}

Value KernelBuilder::addArgument(Block *block, ArgumentRole role, Type type) {
  roles.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr(BsmmDialect::getRoleAttrName(),
                           ArgumentRoleAttr::get(builder.getContext(), role))));
  return block->addArgument(type, builder.getLoc());
}

Value KernelBuilder::loadScales(Value map, Value batch, Value rowTile,
                                Value groupTile, int64_t rowTiles,
                                CacheEvictionAttr cache) {
  int64_t groupTiles = config.blockK / vec / layout::scaleTileGroups;
  auto tensor = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, scale);
  };
  Value zero = constant(0);
  Value box = TmaLoadOp::create(
      builder, tensor({1, rowTiles, groupTiles, 2, 256}), map,
      ValueRange{batch, rowTile, groupTile, zero, zero}, cache);
  Value split =
      ReshapeOp::create(builder, tensor({rowTiles, groupTiles, 32, 4, 4}), box);
  Value rows =
      TransOp::create(builder, tensor({rowTiles, 4, 32, groupTiles, 4}), split,
                      ArrayRef<int64_t>{0, 3, 2, 1, 4});
  return ReshapeOp::create(
      builder, tensor({rowTiles * layout::scaleTileRows, config.blockK / vec}),
      rows);
}

/// One step with block scales: loads them and multiplies. The first operand has
/// the accumulator's rows, the other one its columns.
Value KernelBuilder::buildScaledDot(Value tileA, Value tileB, Value accumulator,
                                    Value batch, Value row, Value column,
                                    Value step) {
  Value mapRows = mapScaleA, mapColumns = mapScaleB;
  CacheEvictionAttr cacheRows = config.cacheA, cacheColumns = config.cacheB;
  if (config.swapsOperands) {
    std::swap(mapRows, mapColumns);
    std::swap(cacheRows, cacheColumns);
  }
  Value groupTile = arith::MulIOp::create(
      builder, step, constant(config.blockK / vec / layout::scaleTileGroups));
  Value scaleRows = constant(layout::scaleTileRows);
  Value scaleA = loadScales(
      mapRows, batch, arith::DivUIOp::create(builder, row, scaleRows),
      groupTile, getRows() / layout::scaleTileRows, cacheRows);
  Value scaleB = loadScales(mapColumns, batch,
                            arith::DivUIOp::create(builder, column, scaleRows),
                            groupTile, columnScaleTiles, cacheColumns);
  if (columnScaleTiles * layout::scaleTileRows != getMultipliedColumns()) {
    // Only tiles of whole scale tiles start at one at every place.
    Value offset = arith::RemUIOp::create(builder, column, scaleRows);
    scaleB = ExtractRowsOp::create(
        builder,
        RankedTensorType::get({getMultipliedColumns(), config.blockK / vec},
                              scale),
        scaleB, offset);
  }
  Value firstGroup =
      arith::MulIOp::create(builder, step, constant(config.blockK / vec));
  Value groupsLeft = arith::SubIOp::create(builder, groups, firstGroup);
  return ScaledDotOp::create(builder, accumulator.getType(), tileA, scaleA,
                             tileB, scaleB, accumulator, groupsLeft);
}

/// The scales of a tile's rows for the sums of one step.
Value KernelBuilder::loadSumScales(Value pointer, Value scales, Value batch,
                                   Value row, Value rows, Value pitch,
                                   Value batchStride, Value step,
                                   int64_t extent) {
  auto encoding =
      cast<ScalesAttr>(cast<RankedTensorType>(scales.getType()).getEncoding());
  Value one = arith::ConstantIntOp::create(builder, builder.getI64Type(), 1);
  bool isLinear = encoding.getOrder() == ScaleOrder::Linear;
  return ScaleLoadOp::create(
      builder, RankedTensorType::get({extent}, builder.getF32Type()), pointer,
      batch, row, step, rows, groups, batchStride, isLinear ? pitch : one,
      isLinear ? one : pitch, encoding.getRows());
}

Value KernelBuilder::buildMainLoop(Value batch, Value m, Value n) {
  Value zero = constant(0), one = constant(1);
  Value steps =
      arith::CeilDivUIOp::create(builder, sizeK, constant(config.blockK));
  if (op.isBlockScaled())
    groups = arith::CeilDivUIOp::create(builder, sizeK, constant(vec));
  Value firstColumn;
  if (alignsColumns) {
    Value &column = config.swapsOperands ? m : n;
    Value step = constant(layout::scaleColumnRows);
    Value before = arith::DivUIOp::create(builder, column, step);
    firstColumn = arith::RemUIOp::create(builder, column, step);
    column = arith::MulIOp::create(builder, before, step);
  }
  auto accumulatorType = RankedTensorType::get(
      {getRows(), getMultipliedColumns()}, builder.getF32Type());
  Value zeros = arith::ConstantOp::create(builder, accumulatorType,
                                          builder.getZeroAttr(accumulatorType));
  Value lower = zero, upper = steps;
  if (part) {
    // An equal share of the steps; the last parts may have fewer or none.
    Value share =
        arith::CeilDivUIOp::create(builder, steps, constant(config.split));
    lower = arith::MulIOp::create(builder, part, share);
    upper = arith::MinSIOp::create(
        builder, arith::AddIOp::create(builder, lower, share).getResult(),
        steps);
  }
  auto loop = scf::ForOp::create(builder, lower, upper, one, ValueRange{zeros});
  if (config.stages != 0)
    loop->setAttr(BsmmDialect::getStagesAttrName(),
                  builder.getI64IntegerAttr(config.stages));
  if (config.split != 1 && !config.addsToOutput)
    loop->setAttr(BsmmDialect::getSplitAttrName(),
                  builder.getI64IntegerAttr(config.split));
  if (config.epilogueWarps != 4)
    loop->setAttr(BsmmDialect::getEpilogueWarpsAttrName(),
                  builder.getI64IntegerAttr(config.epilogueWarps));
  if (config.specialize == "k-loop" || config.specialize == "none")
    loop->setAttr(BsmmDialect::getWarpSpecializeAttrName(),
                  builder.getBoolAttr(config.specialize == "k-loop"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value k = arith::MulIOp::create(builder, step, constant(config.blockK));

  auto loadOperand = [&](Value map, Type element, Value row, int64_t rows,
                         CacheEvictionAttr cache) {
    Value box = TmaLoadOp::create(
        builder, RankedTensorType::get({1, rows, config.blockK}, element), map,
        ValueRange{batch, row, k}, cache);
    return ReshapeOp::create(
               builder, RankedTensorType::get({rows, config.blockK}, element),
               box)
        .getResult();
  };
  Value tileA = loadOperand(mapA, a, m, getLoadedRows(true), config.cacheA);
  Value tileB = loadOperand(mapB, b, n, getLoadedRows(false), config.cacheB);
  if (config.swapsOperands) {
    std::swap(tileA, tileB);
    std::swap(m, n);
  }
  tileB = TransOp::create(
      builder,
      RankedTensorType::get(
          {config.blockK, getMultipliedColumns()},
          cast<RankedTensorType>(tileB.getType()).getElementType()),
      tileB, ArrayRef<int64_t>{1, 0});
  Value sum;
  if (usesScaledDot()) {
    sum = buildScaledDot(tileA, tileB, loop.getRegionIterArg(0), batch, m, n,
                         step);
  } else {
    SmallVector<Value> scales;
    if (op.scalesSums()) {
      scales.push_back(loadSumScales(scaleA, op.getScaleA(), batch, m, sizeM,
                                     pitchScaleA, batchStrideScaleA, step,
                                     config.blockM));
      scales.push_back(loadSumScales(scaleB, op.getScaleB(), batch, n, sizeN,
                                     pitchScaleB, batchStrideScaleB, step,
                                     config.blockN));
    }
    sum = DotOp::create(
        builder, accumulatorType, tileA, tileB, loop.getRegionIterArg(0),
        promoteEvery ? builder.getI64IntegerAttr(promoteEvery) : IntegerAttr(),
        scales);
  }
  scf::YieldOp::create(builder, sum);
  builder.setInsertionPointAfter(loop);
  Value result = loop.getResult(0);
  if (firstColumn)
    result = ExtractColumnsOp::create(
        builder,
        RankedTensorType::get({getRows(), getColumns()}, builder.getF32Type()),
        result, firstColumn);
  if (!config.swapsOperands)
    return result;
  return TransOp::create(builder,
                         RankedTensorType::get({config.blockM, config.blockN},
                                               builder.getF32Type()),
                         result, ArrayRef<int64_t>{1, 0});
}

/// What belongs to the rows (dimension 0) or columns of the tile: `vector` is
/// the operand of the problem, of one value or of one for each row or column.
Value KernelBuilder::loadVector(Value pointer, Value vector, Value offset,
                                Value limit, int64_t dimension) {
  int64_t extent = dimension == 0 ? config.blockM : config.blockN;
  if (isWhole(vector)) {
    offset = constant(0);
    limit = constant(1);
    extent = 1;
  }
  Type f32 = builder.getF32Type();
  Value values = VectorLoadOp::create(
      builder, RankedTensorType::get({extent}, f32), pointer, offset, limit);
  return BroadcastOp::create(
      builder, RankedTensorType::get({config.blockM, config.blockN}, f32),
      values, dimension);
}

/// Whether A of one batch entry leaves room in the L2 cache for what is read
/// and written beside it: a third of the cache, from times on an H200
/// (docs/hopper.md). Null where the order of tiles does not depend on it.
Value KernelBuilder::buildFitsCache() {
  if (!config.groupsAll)
    return {};
  int64_t values =
      target::typicalProduct(*findGpu()).l2Bytes / 3 * 8 / getElementBits(a);
  Type i64 = builder.getI64Type();
  Value m = arith::ExtUIOp::create(builder, i64, sizeM);
  Value k = arith::ExtUIOp::create(builder, i64, sizeK);
  Value size = arith::MulIOp::create(builder, m, k);
  return arith::CmpIOp::create(
      builder, arith::CmpIPredicate::ule, size,
      arith::ConstantIntOp::create(builder, i64, values));
}

/// x / (1 + exp(-x)); for x < 0 x exp(x) / (1 + exp(x)), which does not
/// overflow. NaN passes.
Value KernelBuilder::buildSilu(Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(builder, type,
                                     DenseElementsAttr::get(type, value));
  };
  Value negated = arith::NegFOp::create(builder, x);
  Value magnitude = arith::MaximumFOp::create(builder, x, negated);
  Value power = math::ExpOp::create(
      builder, arith::NegFOp::create(builder, magnitude).getResult());
  Value isPositive =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OGE, x, number(0));
  Value product = arith::MulFOp::create(builder, x, power);
  Value numerator = arith::SelectOp::create(builder, isPositive, x, product);
  Value denominator = arith::AddFOp::create(builder, power, number(1));
  return arith::DivFOp::create(builder, numerator, denominator);
}

/// act(alpha * (acc * sa * sb) + beta * C + bias) * out_scale, each step
/// rounded to f32, then the cast.
Value KernelBuilder::buildEpilogue(Value value, ValueRange coordinates) {
  auto type = cast<RankedTensorType>(value.getType());
  auto splat = [&](Value scalar) -> Value {
    return tensor::SplatOp::create(builder, scalar, type);
  };
  if (rowScaleA) {
    Value scales =
        loadVector(rowScaleA, op.getRowScaleA(), coordinates[1], sizeM, 0);
    value = arith::MulFOp::create(builder, value, scales);
    scales = loadVector(rowScaleB, op.getRowScaleB(), coordinates[2], sizeN, 1);
    value = arith::MulFOp::create(builder, value, scales);
  }
  if (alpha)
    value = arith::MulFOp::create(builder, splat(alpha), value);
  if (beta) {
    // Beta of zero: C is not read (its pointer may be null), nothing is added.
    Value zero = arith::ConstantOp::create(builder, beta.getType(),
                                           builder.getZeroAttr(beta.getType()));
    Value isRead =
        arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, beta, zero);
    // The limit is the tile's own first row then, which takes no register
    // around the loop over tiles as another constant would.
    Value rows =
        arith::SelectOp::create(builder, isRead, sizeM, coordinates[1]);
    Value box = PredicatedLoadOp::create(
        builder, RankedTensorType::get({1, config.blockM, config.blockN}, out),
        c, coordinates, rows, sizeN, batchStrideC, pitchC);
    Value source = ReshapeOp::create(
        builder, RankedTensorType::get(type.getShape(), out), box);
    if (!out.isF32())
      source = arith::ExtFOp::create(builder, type, source);
    source = arith::MulFOp::create(builder, splat(beta), source);
    Value sum = arith::AddFOp::create(builder, value, source);
    value = arith::SelectOp::create(builder, isRead, sum, value);
  }
  if (bias)
    value = arith::AddFOp::create(
        builder, value,
        loadVector(bias, op.getBias(), coordinates[2], sizeN, 1));
  if (op.getActivation() == Activation::Relu) {
    // NaN passes.
    Value zero =
        arith::ConstantOp::create(builder, type, builder.getZeroAttr(type));
    Value isKept =
        arith::CmpFOp::create(builder, arith::CmpFPredicate::UGT, value, zero);
    value = arith::SelectOp::create(builder, isKept, value, zero);
  }
  if (op.getActivation() == Activation::Silu)
    value = buildSilu(value);
  if (outScale)
    value = arith::MulFOp::create(builder, value, splat(outScale));
  if (out.isF32())
    return value;
  auto outType = RankedTensorType::get(type.getShape(), out);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(out))
    return SaturatingCastOp::create(builder, outType, value);
  return arith::TruncFOp::create(builder, outType, value);
}

void KernelBuilder::buildTile(Value batch, Value tileM, Value tileN) {
  Value m = arith::MulIOp::create(builder, tileM, constant(config.blockM));
  Value n = arith::MulIOp::create(builder, tileN, constant(config.blockN));
  SmallVector<Value> coordinates = {batch, m, n};
  Value result = buildEpilogue(buildMainLoop(batch, m, n), coordinates);
  Value box = ReshapeOp::create(
      builder, RankedTensorType::get({1, config.blockM, config.blockN}, out),
      result);
  if (config.usesPredicatedStore)
    PredicatedStoreOp::create(builder, box, d, coordinates, sizeM, sizeN,
                              batchStrideD, pitchD);
  else
    TmaStoreOp::create(builder, box, d, coordinates, config.addsToOutput);
}

LogicalResult KernelBuilder::build(gpu::GPUModuleOp module, StringRef name) {
  MLIRContext *context = builder.getContext();
  auto emitError = [&] { return op.emitOpError("cannot be tiled so: "); };
  auto map = [&](ArrayRef<int64_t> shape, Type element) {
    return TensorMapType::getChecked(emitError, context, shape, element);
  };
  Type typeA = map({1, getLoadedRows(true), config.blockK}, a);
  Type typeB = map({1, getLoadedRows(false), config.blockK}, b);
  Type typeD = map({1, config.blockM, config.blockN}, out);
  if (!typeA || !typeB || !typeD)
    return failure();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type(),
       f32 = builder.getF32Type();
  Type pointer = LLVM::LLVMPointerType::get(context, 1);

  Region body;
  Block *entry = new Block;
  body.push_back(entry);
  mapA = addArgument(entry, ArgumentRole::A, typeA);
  mapB = addArgument(entry, ArgumentRole::B, typeB);
  if (usesScaledDot()) {
    int64_t groupTiles = config.blockK / vec / layout::scaleTileGroups;
    int64_t tilesA = getRows() / layout::scaleTileRows;
    int64_t tilesB = columnScaleTiles;
    if (config.swapsOperands)
      std::swap(tilesA, tilesB);
    Type typeScaleA = map({1, tilesA, groupTiles, 2, 256}, scale);
    Type typeScaleB = map({1, tilesB, groupTiles, 2, 256}, scale);
    if (!typeScaleA || !typeScaleB)
      return failure();
    mapScaleA = addArgument(entry, ArgumentRole::ScaleA, typeScaleA);
    mapScaleB = addArgument(entry, ArgumentRole::ScaleB, typeScaleB);
  }
  if (!config.usesPredicatedStore)
    d = addArgument(entry, ArgumentRole::D, typeD);
  if (op.scalesSums()) {
    scaleA = addArgument(entry, ArgumentRole::ScaleA, pointer);
    scaleB = addArgument(entry, ArgumentRole::ScaleB, pointer);
  }
  if (op.getBeta())
    c = addArgument(entry, ArgumentRole::C, pointer);
  if (config.usesPredicatedStore)
    d = addArgument(entry, ArgumentRole::D, pointer);
  if (op.getRowScaleA()) {
    rowScaleA = addArgument(entry, ArgumentRole::RowScaleA, pointer);
    rowScaleB = addArgument(entry, ArgumentRole::RowScaleB, pointer);
  }
  if (op.getBias())
    bias = addArgument(entry, ArgumentRole::Bias, pointer);
  sizeM = addArgument(entry, ArgumentRole::M, i32);
  sizeN = addArgument(entry, ArgumentRole::N, i32);
  sizeK = addArgument(entry, ArgumentRole::K, i32);
  sizeL = addArgument(entry, ArgumentRole::L, i32);
  if (op.scalesSums()) {
    pitchScaleA = addArgument(entry, ArgumentRole::PitchScaleA, i64);
    batchStrideScaleA =
        addArgument(entry, ArgumentRole::BatchStrideScaleA, i64);
    pitchScaleB = addArgument(entry, ArgumentRole::PitchScaleB, i64);
    batchStrideScaleB =
        addArgument(entry, ArgumentRole::BatchStrideScaleB, i64);
  }
  if (op.getBeta()) {
    pitchC = addArgument(entry, ArgumentRole::PitchC, i64);
    batchStrideC = addArgument(entry, ArgumentRole::BatchStrideC, i64);
  }
  if (config.usesPredicatedStore) {
    pitchD = addArgument(entry, ArgumentRole::PitchD, i64);
    batchStrideD = addArgument(entry, ArgumentRole::BatchStrideD, i64);
  }
  if (op.getAlpha())
    alpha = addArgument(entry, ArgumentRole::Alpha, f32);
  if (op.getBeta())
    beta = addArgument(entry, ArgumentRole::Beta, f32);
  if (op.getOutScale())
    outScale = addArgument(entry, ArgumentRole::OutScale, f32);

  builder.setInsertionPointToEnd(entry);
  auto toI32 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, i32, index);
  };
  Value first = toI32(gpu::BlockIdOp::create(builder, gpu::Dimension::x));
  // The CTAs of a cluster work on one tile, or on as many below or beside each
  // other.
  Value rank;
  int64_t parts = config.addsToOutput ? config.split : 1;
  int64_t together = config.clusterM * config.clusterN;
  int64_t clusterSize = config.split / parts * together;
  if (together != 1)
    rank = arith::RemUIOp::create(builder, first, constant(clusterSize));
  if (clusterSize != 1)
    first = arith::DivUIOp::create(builder, first, constant(clusterSize));
  Value tilesM = arith::CeilDivUIOp::create(
      builder, sizeM, constant(config.blockM * config.clusterM));
  Value tilesN = arith::CeilDivUIOp::create(
      builder, sizeN, constant(config.blockN * config.clusterN));
  Value tilesMN = arith::MulIOp::create(builder, tilesM, tilesN);
  Value fitsCache = buildFitsCache();
  auto buildTileNumber = [&](Value number) {
    if (parts != 1) {
      part = arith::RemUIOp::create(builder, number, constant(parts));
      number = arith::DivUIOp::create(builder, number, constant(parts));
    }
    Value batch = arith::DivUIOp::create(builder, number, tilesMN);
    Value inBatch = arith::RemUIOp::create(builder, number, tilesMN);
    auto order = GroupedOrderOp::create(builder, i32, i32, inBatch, tilesM,
                                        tilesN, config.group, fitsCache);
    Value row = order.getRow(), column = order.getColumn();
    for (auto [place, ctas] : {std::pair{&row, config.clusterM},
                               std::pair{&column, config.clusterN}}) {
      if (ctas == 1)
        continue;
      *place = arith::MulIOp::create(builder, *place, constant(ctas));
      *place = arith::AddIOp::create(builder, *place, rank);
    }
    buildTile(batch, row, column);
  };
  if (config.isPersistent) {
    Value ctas = toI32(gpu::GridDimOp::create(builder, gpu::Dimension::x));
    if (clusterSize != 1)
      ctas = arith::DivUIOp::create(builder, ctas, constant(clusterSize));
    Value tiles = arith::MulIOp::create(builder, tilesMN, sizeL);
    if (parts != 1)
      tiles = arith::MulIOp::create(builder, tiles, constant(parts));
    auto loop = scf::ForOp::create(builder, first, tiles, ctas);
    if (config.isPingPong)
      loop->setAttr(BsmmDialect::getPingPongAttrName(), builder.getUnitAttr());
    if (config.specialize == "tile-loop")
      loop->setAttr(BsmmDialect::getWarpSpecializeAttrName(),
                    builder.getBoolAttr(true));
    if (config.flattens)
      loop->setAttr(BsmmDialect::getFlattenAttrName(), builder.getUnitAttr());
    if (config.tileStages != 0)
      loop->setAttr(BsmmDialect::getStagesAttrName(),
                    builder.getI64IntegerAttr(config.tileStages));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    buildTileNumber(loop.getInductionVar());
  } else {
    buildTileNumber(first);
  }
  ReturnOp::create(builder);

  builder.setInsertionPointToEnd(module.getBody());
  auto kernel = KernelOp::create(
      builder, name, builder.getFunctionType(entry->getArgumentTypes(), {}),
      Level::Tile, /*target=*/TargetAttr(),
      TileAttr::get(context, config.blockM, config.blockN, config.blockK),
      GridRuleAttr::get(context, config.isPersistent ? GridRule::Persistent
                                                     : GridRule::Tile),
      /*block_size=*/IntegerAttr(),
      clusterSize == 1 ? IntegerAttr() : builder.getI64IntegerAttr(clusterSize),
      parts == 1 ? IntegerAttr() : builder.getI64IntegerAttr(parts),
      config.isDependent,
      /*dynamic_shared_memory=*/IntegerAttr(),
      /*tensor_memory_columns=*/IntegerAttr(), builder.getArrayAttr(roles),
      /*res_attrs=*/ArrayAttr());
  kernel.getBody().takeBody(body);
  return success();
}

namespace {
struct ProblemToTile : bsmm::impl::BsmmProblemToTileBase<ProblemToTile> {
  using BsmmProblemToTileBase::BsmmProblemToTileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(setTarget(module)))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.getOps<ScaledMatmulOp>().empty())
        functions.push_back(function);
    if (functions.empty())
      return;
    Configuration config{blockM,       blockN,          blockK,     group,
                         stages,       tileStages,      splitK,     clusterM,
                         clusterN,     epilogueWarps,   specialize, flatten,
                         persistent,   predicatedStore, pingPong,   groupAll,
                         swapOperands, addSplits,       {},         {}};
    config.isDependent = dependentLaunch;
    for (auto [text, hint] : {std::pair{StringRef(cacheA), &config.cacheA},
                              std::pair{StringRef(cacheB), &config.cacheB}}) {
      if (text == "normal")
        continue;
      auto eviction = symbolizeCacheEviction(text);
      if (!eviction) {
        module.emitError("expected a cache hint of normal, evict_first or "
                         "evict_last, got ")
            << text;
        return signalPassFailure();
      }
      *hint = CacheEvictionAttr::get(&getContext(), *eviction);
    }
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto gpuModule = module.lookupSymbol<gpu::GPUModuleOp>("kernels");
    if (!gpuModule)
      gpuModule = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    for (func::FuncOp function : functions)
      if (failed(lower(function, gpuModule, config)))
        return signalPassFailure();
  }

  /// `chip` fills a target that is absent; one that differs is an error.
  LogicalResult setTarget(ModuleOp module) {
    if (chip.empty())
      return success();
    auto wanted = TargetAttr::getChecked(
        [&] { return module.emitError("option chip: "); }, &getContext(),
        StringRef(chip));
    if (!wanted)
      return failure();
    Attribute known = module->getAttr(BsmmDialect::getTargetAttrName());
    if (known && known != wanted)
      return module.emitError("option chip=")
             << chip << " conflicts with " << known << " of the module";
    module->setAttr(BsmmDialect::getTargetAttrName(), wanted);
    return success();
  }

  /// Fills in what the cost model chooses for the extents of a problem.
  LogicalResult choose(ScaledMatmulOp op, Configuration &config) {
    if (blockM.hasValue() || blockN.hasValue() || blockK.hasValue() ||
        splitK.hasValue() || persistent.hasValue() || swapOperands.hasValue() ||
        clusterM.hasValue() || clusterN.hasValue() || epilogueWarps.hasValue())
      return op.emitOpError("expected choose-tile without block-m, block-n, "
                            "block-k, split-k, cluster-m, cluster-n, "
                            "epilogue-warps, persistent and swap-operands, "
                            "which it chooses");
    auto attribute = op->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
        BsmmDialect::getTargetAttrName());
    std::string_view chip;
    if (attribute)
      chip = std::string_view(attribute.getChip());
    if (!op.isBlockScaled() || op.scalesSums() ||
        !target::hasBlockScaledRates(chip))
      return op.emitOpError("expected block scales and a target of sm_100 or "
                            "sm_103 for choose-tile; say block-m, block-n and "
                            "block-k otherwise");
    const target::Gpu *gpu = target::findGpu(chip);
    auto a = cast<RankedTensorType>(op.getA().getType());
    auto b = cast<RankedTensorType>(op.getB().getType());
    if (!a.hasStaticShape() || !b.hasStaticShape())
      return op.emitOpError("expected fixed extents for choose-tile, got ")
             << a << " and " << b;
    target::BlockScaledProblem problem;
    int64_t rank = a.getRank();
    problem.m = double(a.getDimSize(rank - 2));
    problem.n = double(b.getDimSize(rank - 2));
    problem.k = double(a.getDimSize(rank - 1));
    problem.batch = rank == 3 ? double(a.getDimSize(0)) : 1;
    problem.bitsA = getElementBits(a.getElementType());
    problem.bitsB = getElementBits(b.getElementType());
    problem.bitsOut = getElementBits(
        cast<RankedTensorType>(op.getInit().getType()).getElementType());
    problem.vector = op.getScaleVectorSize();
    target::BlockScaledChoice choice = target::chooseBlockScaled(
        problem, target::typicalProduct(*gpu).sms, gpu->sharedMemoryPerBlock);
    if (choice.cycles == 0)
      return op.emitOpError("expected a configuration that fits ")
             << StringRef(gpu->name) << "; say block-n and block-k";
    const target::BlockScaledKernel &kernel = choice.kernel;
    config.blockM = kernel.isTransposed ? kernel.columns : kernel.rows;
    config.blockN = kernel.isTransposed ? kernel.rows : kernel.columns;
    config.blockK = kernel.k;
    config.split = kernel.split;
    // CTAs that share the columns' operand have rows of their own.
    (kernel.isTransposed == kernel.sharesRows ? config.clusterM
                                              : config.clusterN) =
        kernel.together;
    config.isPersistent = kernel.isPersistent;
    config.epilogueWarps = kernel.epilogueWarps;
    config.swapsOperands = kernel.isTransposed;
    return success();
  }

  LogicalResult lower(func::FuncOp function, gpu::GPUModuleOp gpuModule,
                      const Configuration &config) {
    auto matmul = *function.getOps<ScaledMatmulOp>().begin();
    for (Operation &op : function.getBody().front())
      if (&op != matmul && !isa<ViewScalesOp, func::ReturnOp>(op))
        return op.emitOpError("expected only bsmm.view_scales and one "
                              "bsmm.scaled_matmul in a function that becomes a "
                              "kernel");
    // Each operand gets a tensor map of its own role.
    llvm::SmallDenseSet<Value> operands;
    for (Value operand : matmul->getOperands())
      if (!operands.insert(operand).second)
        return matmul.emitOpError("expected different values for its operands "
                                  "in a function that becomes a kernel");
    auto terminator =
        cast<func::ReturnOp>(function.getBody().front().getTerminator());
    if (terminator.getNumOperands() != 1 ||
        terminator.getOperand(0) != matmul.getResult())
      return terminator.emitOpError("expected to return the product alone in a "
                                    "function that becomes a kernel");
    for (Value operand : matmul->getOperands())
      if (!isa<BlockArgument>(operand) &&
          !operand.getDefiningOp<ViewScalesOp>())
        return matmul.emitOpError("expected its operands to be arguments of "
                                  "the function");
    Configuration chosen = config;
    if (chooseTile && failed(choose(matmul, chosen)))
      return failure();
    KernelBuilder kernel(matmul, chosen);
    if (failed(kernel.check()) ||
        failed(kernel.build(gpuModule, function.getSymName())))
      return failure();
    function.erase();
    return success();
  }
};
} // namespace
