//===- ProblemToTile.cpp - problem level to tile level --------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMPROBLEMTOTILE
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

namespace {
/// The shape of a kernel, from the pass options.
struct Configuration {
  int64_t blockM, blockN, blockK, group, stages;
  bool isPersistent, usesPredicatedStore;
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
    scale = elementOf(op.getScaleA());
    out = elementOf(op.getInit());
    vec = op.getScaleVectorSize();
  }

  LogicalResult check();
  /// Builds the kernel at the end of a gpu.module.
  LogicalResult build(gpu::GPUModuleOp module, StringRef name);

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
  }
  Value addArgument(Block *block, ArgumentRole role, Type type);
  Value loadScales(Value map, Value batch, Value rowTile, Value groupTile,
                   int64_t rowTiles);
  void buildTile(Value batch, Value tileM, Value tileN);
  Value buildMainLoop(Value batch, Value m, Value n);
  Value buildEpilogue(Value accumulator);

  ScaledMatmulOp op;
  Configuration config;
  ImplicitLocOpBuilder builder;
  Type a, b, scale, out;
  int64_t vec;
  int64_t scaleTilesN = 1;

  SmallVector<Attribute> roles;
  Value mapA, mapB, mapScaleA, mapScaleB, d, sizeM, sizeN, sizeK, sizeL, pitchD,
      batchStrideD, alpha, outScale;
};
} // namespace

LogicalResult KernelBuilder::check() {
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
  if (op.getBeta() || op.getBias())
    return op.emitOpError("expected no ")
           << (op.getBeta() ? "beta" : "bias")
           << ": tile-level kernels do not load C or a bias yet";
  if (op.getActivation() == Activation::Silu)
    return op.emitOpError(
        "expected no silu: tile-level kernels have no exponential yet");
  if (NumericsAttr numerics = op.getNumericsAttr();
      numerics &&
      (!numerics.getAccumulate().isF32() || numerics.getPromoteEvery() != 0 ||
       numerics.getOverflow() != Overflow::Infinity))
    return op.emitOpError("expected numerics with accumulate = f32, "
                          "promote_every = 0 and overflow = infinity, which "
                          "tile-level kernels have, got ")
           << numerics;
  if (config.blockM != 128)
    return op.emitOpError("expected block-m 128, got ") << config.blockM;
  if (config.blockN < 64 || config.blockN > 256 || config.blockN % 64 != 0)
    return op.emitOpError("expected block-n 64, 128, 192 or 256, since scales "
                          "of B come in tiles of 128 rows, got ")
           << config.blockN;
  int64_t groupK = vec * layout::scaleTileGroups;
  if (config.blockK < groupK || config.blockK > 4096 ||
      config.blockK % groupK != 0)
    return op.emitOpError("expected block-k to be a multiple of ")
           << groupK << " (4 groups of " << vec << ") up to 4096, got "
           << config.blockK;
  if (config.group < 1 || config.group > 65536)
    return op.emitOpError("expected a group of 1 to 65536 tile rows, got ")
           << config.group;
  if (config.stages < 0 || config.stages > 64)
    return op.emitOpError("expected 0 to 64 stages, got ") << config.stages;
  auto tiles = layout::maxScaleTiles(config.blockN);
  if (!tiles)
    return op.emitOpError(tiles.error());
  scaleTilesN = *tiles;
  return success();
}

Value KernelBuilder::addArgument(Block *block, ArgumentRole role, Type type) {
  roles.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr(BsmmDialect::getRoleAttrName(),
                           ArgumentRoleAttr::get(builder.getContext(), role))));
  return block->addArgument(type, builder.getLoc());
}

Value KernelBuilder::loadScales(Value map, Value batch, Value rowTile,
                                Value groupTile, int64_t rowTiles) {
  int64_t groupTiles = config.blockK / vec / layout::scaleTileGroups;
  auto tensor = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, scale);
  };
  Value zero = constant(0);
  Value box =
      TmaLoadOp::create(builder, tensor({1, rowTiles, groupTiles, 2, 256}), map,
                        ValueRange{batch, rowTile, groupTile, zero, zero});
  Value split =
      ReshapeOp::create(builder, tensor({rowTiles, groupTiles, 32, 4, 4}), box);
  Value rows =
      TransOp::create(builder, tensor({rowTiles, 4, 32, groupTiles, 4}), split,
                      ArrayRef<int64_t>{0, 3, 2, 1, 4});
  return ReshapeOp::create(
      builder, tensor({rowTiles * layout::scaleTileRows, config.blockK / vec}),
      rows);
}

Value KernelBuilder::buildMainLoop(Value batch, Value m, Value n) {
  Value zero = constant(0), one = constant(1);
  Value steps =
      arith::CeilDivUIOp::create(builder, sizeK, constant(config.blockK));
  Value groups = arith::CeilDivUIOp::create(builder, sizeK, constant(vec));
  auto accumulatorType = RankedTensorType::get({config.blockM, config.blockN},
                                               builder.getF32Type());
  Value zeros = arith::ConstantOp::create(builder, accumulatorType,
                                          builder.getZeroAttr(accumulatorType));
  auto loop = scf::ForOp::create(builder, zero, steps, one, ValueRange{zeros});
  if (config.stages != 0)
    loop->setAttr(BsmmDialect::getStagesAttrName(),
                  builder.getI64IntegerAttr(config.stages));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value k = arith::MulIOp::create(builder, step, constant(config.blockK));
  Value groupTile = arith::MulIOp::create(
      builder, step, constant(config.blockK / vec / layout::scaleTileGroups));

  auto loadOperand = [&](Value map, Type element, Value row, int64_t rows) {
    Value box = TmaLoadOp::create(
        builder, RankedTensorType::get({1, rows, config.blockK}, element), map,
        ValueRange{batch, row, k});
    return ReshapeOp::create(
               builder, RankedTensorType::get({rows, config.blockK}, element),
               box)
        .getResult();
  };
  Value tileA = loadOperand(mapA, a, m, config.blockM);
  Value rowsB = loadOperand(mapB, b, n, config.blockN);
  Value tileB = TransOp::create(
      builder, RankedTensorType::get({config.blockK, config.blockN}, b), rowsB,
      ArrayRef<int64_t>{1, 0});
  Value scaleRows = constant(layout::scaleTileRows);
  Value scaleA = loadScales(mapScaleA, batch,
                            arith::DivUIOp::create(builder, m, scaleRows),
                            groupTile, config.blockM / layout::scaleTileRows);
  Value scaleB = loadScales(mapScaleB, batch,
                            arith::DivUIOp::create(builder, n, scaleRows),
                            groupTile, scaleTilesN);
  if (scaleTilesN * layout::scaleTileRows != config.blockN) {
    // Tiles of 64 and 192 columns start in the middle of a scale tile at every
    // other place.
    Value offset = arith::RemUIOp::create(builder, n, scaleRows);
    scaleB = ExtractRowsOp::create(
        builder,
        RankedTensorType::get({config.blockN, config.blockK / vec}, scale),
        scaleB, offset);
  }
  Value firstGroup =
      arith::MulIOp::create(builder, step, constant(config.blockK / vec));
  Value groupsLeft = arith::SubIOp::create(builder, groups, firstGroup);
  Value sum =
      ScaledDotOp::create(builder, accumulatorType, tileA, scaleA, tileB,
                          scaleB, loop.getRegionIterArg(0), groupsLeft);
  scf::YieldOp::create(builder, sum);
  return loop.getResult(0);
}

/// act(alpha * acc) * out_scale, each step rounded to f32, then the cast.
Value KernelBuilder::buildEpilogue(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto splat = [&](Value scalar) -> Value {
    return tensor::SplatOp::create(builder, scalar, type);
  };
  if (alpha)
    value = arith::MulFOp::create(builder, splat(alpha), value);
  if (op.getActivation() == Activation::Relu) {
    // NaN passes.
    Value zero =
        arith::ConstantOp::create(builder, type, builder.getZeroAttr(type));
    Value isKept =
        arith::CmpFOp::create(builder, arith::CmpFPredicate::UGT, value, zero);
    value = arith::SelectOp::create(builder, isKept, value, zero);
  }
  if (outScale)
    value = arith::MulFOp::create(builder, value, splat(outScale));
  if (out.isF32())
    return value;
  return arith::TruncFOp::create(
      builder, RankedTensorType::get(type.getShape(), out), value);
}

void KernelBuilder::buildTile(Value batch, Value tileM, Value tileN) {
  Value m = arith::MulIOp::create(builder, tileM, constant(config.blockM));
  Value n = arith::MulIOp::create(builder, tileN, constant(config.blockN));
  Value result = buildEpilogue(buildMainLoop(batch, m, n));
  Value box = ReshapeOp::create(
      builder, RankedTensorType::get({1, config.blockM, config.blockN}, out),
      result);
  SmallVector<Value> coordinates = {batch, m, n};
  if (config.usesPredicatedStore)
    PredicatedStoreOp::create(builder, box, d, coordinates, sizeM, sizeN,
                              batchStrideD, pitchD);
  else
    TmaStoreOp::create(builder, box, d, coordinates);
}

LogicalResult KernelBuilder::build(gpu::GPUModuleOp module, StringRef name) {
  MLIRContext *context = builder.getContext();
  auto emitError = [&] { return op.emitOpError("cannot be tiled so: "); };
  auto map = [&](ArrayRef<int64_t> shape, Type element) {
    return TensorMapType::getChecked(emitError, context, shape, element);
  };
  int64_t groupTiles = config.blockK / vec / layout::scaleTileGroups;
  Type typeA = map({1, config.blockM, config.blockK}, a);
  Type typeB = map({1, config.blockN, config.blockK}, b);
  Type typeScaleA = map(
      {1, config.blockM / layout::scaleTileRows, groupTiles, 2, 256}, scale);
  Type typeScaleB = map({1, scaleTilesN, groupTiles, 2, 256}, scale);
  Type typeD = map({1, config.blockM, config.blockN}, out);
  if (!typeA || !typeB || !typeScaleA || !typeScaleB || !typeD)
    return failure();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type(),
       f32 = builder.getF32Type();

  Region body;
  Block *entry = new Block;
  body.push_back(entry);
  mapA = addArgument(entry, ArgumentRole::A, typeA);
  mapB = addArgument(entry, ArgumentRole::B, typeB);
  mapScaleA = addArgument(entry, ArgumentRole::ScaleA, typeScaleA);
  mapScaleB = addArgument(entry, ArgumentRole::ScaleB, typeScaleB);
  d = addArgument(entry, ArgumentRole::D,
                  config.usesPredicatedStore
                      ? Type(LLVM::LLVMPointerType::get(context, 1))
                      : typeD);
  sizeM = addArgument(entry, ArgumentRole::M, i32);
  sizeN = addArgument(entry, ArgumentRole::N, i32);
  sizeK = addArgument(entry, ArgumentRole::K, i32);
  sizeL = addArgument(entry, ArgumentRole::L, i32);
  if (config.usesPredicatedStore) {
    pitchD = addArgument(entry, ArgumentRole::PitchD, i64);
    batchStrideD = addArgument(entry, ArgumentRole::BatchStrideD, i64);
  }
  if (op.getAlpha())
    alpha = addArgument(entry, ArgumentRole::Alpha, f32);
  if (op.getOutScale())
    outScale = addArgument(entry, ArgumentRole::OutScale, f32);

  builder.setInsertionPointToEnd(entry);
  auto toI32 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, i32, index);
  };
  Value first = toI32(gpu::BlockIdOp::create(builder, gpu::Dimension::x));
  Value tilesM =
      arith::CeilDivUIOp::create(builder, sizeM, constant(config.blockM));
  Value tilesN =
      arith::CeilDivUIOp::create(builder, sizeN, constant(config.blockN));
  Value tilesMN = arith::MulIOp::create(builder, tilesM, tilesN);
  auto buildTileNumber = [&](Value number) {
    Value batch = arith::DivUIOp::create(builder, number, tilesMN);
    Value inBatch = arith::RemUIOp::create(builder, number, tilesMN);
    auto order = GroupedOrderOp::create(builder, i32, i32, inBatch, tilesM,
                                        tilesN, config.group);
    buildTile(batch, order.getRow(), order.getColumn());
  };
  if (config.isPersistent) {
    Value ctas = toI32(gpu::GridDimOp::create(builder, gpu::Dimension::x));
    Value tiles = arith::MulIOp::create(builder, tilesMN, sizeL);
    auto loop = scf::ForOp::create(builder, first, tiles, ctas);
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
      /*block_size=*/IntegerAttr(), /*dynamic_shared_memory=*/IntegerAttr(),
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
    Configuration config{blockM, blockN,     blockK,         group,
                         stages, persistent, predicatedStore};
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
    KernelBuilder kernel(matmul, config);
    if (failed(kernel.check()) ||
        failed(kernel.build(gpuModule, function.getSymName())))
      return failure();
    function.erase();
    return success();
  }
};
} // namespace
