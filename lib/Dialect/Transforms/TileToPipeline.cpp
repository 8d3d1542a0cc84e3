//===- TileToPipeline.cpp - tile level to pipeline level ------------------===//
//
// A tile-level kernel says what is computed; this pass decides who does it and
// when. Three roles: one warp loads, one multiplies, a warpgroup drains. In a
// kernel that walks over output tiles each role has its own loop over them, so
// that the next tile is multiplied while the last one is drained; in others the
// first two are warps of the warpgroup. The roles meet only in channels:
//
//   loads     transaction bytes -> mma_commit    ring of `stages` slots
//   results   mma_commit -> 128 threads          one or two accumulators
//
//===----------------------------------------------------------------------===//

#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Dialect/Transforms/LayoutProof.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Dialect/Transforms/TileOrder.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMTILETOPIPELINE
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

/// Most slots that a channel gets when the loop does not say how many.
static constexpr int64_t maxDefaultStages = 8;
/// Columns of the accumulator that a thread holds at a time.
static constexpr int64_t drainColumns = 32;

static bool isTensorOp(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// The widest swizzle whose panels divide rows of `bits` bits.
static BufferLayout widestSwizzle(int64_t bits) {
  if (bits % (128 * 8) == 0)
    return BufferLayout::Swizzle128B;
  if (bits % (64 * 8) == 0)
    return BufferLayout::Swizzle64B;
  if (bits % (32 * 8) == 0)
    return BufferLayout::Swizzle32B;
  return BufferLayout::RowMajor;
}

/// Whether a value is provably a multiple of `divisor`. Looks through at most
/// `budget` operations: index arithmetic is short, and "not provable" is a safe
/// answer.
static bool isMultipleOf(Value value, int64_t divisor, unsigned &budget) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() % divisor == 0;
  if (budget == 0)
    return false;
  --budget;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isMultipleOf(loop.getLowerBound(), divisor, budget) &&
           isMultipleOf(loop.getStep(), divisor, budget);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MulIOp>(op))
    return isMultipleOf(op->getOperand(0), divisor, budget) ||
           isMultipleOf(op->getOperand(1), divisor, budget);
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::RemSIOp>(op))
    return isMultipleOf(op->getOperand(0), divisor, budget) &&
           isMultipleOf(op->getOperand(1), divisor, budget);
  return false;
}

static bool isMultipleOf(Value value, int64_t divisor) {
  unsigned budget = 64;
  return isMultipleOf(value, divisor, budget);
}

/// Whether a row of scales is provably 0 or 64: the places in a scale tile
/// where a tile of B may start (half a tile is two columns of tensor memory).
static bool isHalfTileOffset(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant == 0 || constant == layout::scaleTileRows / 2;
  auto remainder = value.getDefiningOp<arith::RemUIOp>();
  return remainder &&
         matchPattern(remainder.getRhs(), m_ConstantInt(&constant)) &&
         constant == layout::scaleTileRows &&
         isMultipleOf(remainder.getLhs(), layout::scaleTileRows / 2);
}

/// The TMA unit takes inner coordinates of whole 16 bytes only (seen on an
/// H200: an illegal instruction otherwise).
static LogicalResult checkInnerCoordinate(Operation *op, TensorMapType map,
                                          Value coordinate) {
  int64_t multiple =
      8 * target::tma::addressAlignment / getElementBits(map.getElementType());
  if (!isMultipleOf(coordinate, multiple))
    return op->emitOpError(
               "expected an inner coordinate that is a multiple of ")
           << multiple
           << " elements (16 bytes), such as a loop counter times the tile's "
              "extent";
  return success();
}

/// Scalar code that every thread may execute.
static bool isScalarCode(Operation *op) {
  auto isComputed = [](Type type) {
    return type.isIntOrIndex() || type.isF16() || type.isBF16() || type.isF32();
  };
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         isa<arith::ArithDialect, gpu::GPUDialect, BsmmDialect>(
             op->getDialect()) &&
         llvm::all_of(op->getOperandTypes(), isComputed) &&
         llvm::all_of(op->getResultTypes(), isComputed);
}

namespace {
/// One kernel on its way from the tile level to the pipeline level.
class KernelRewriter {
public:
  explicit KernelRewriter(KernelOp kernel)
      : kernel(kernel), builder(kernel.getContext()) {}

  /// Builds the pipeline-level kernel before the old one and erases the old
  /// one. On failure an error has been emitted and nothing has changed.
  LogicalResult run();

private:
  struct Dot {
    ScaledDotOp op;
    /// Numbers of its loads in `loads`.
    unsigned a, scaleA, b, scaleB;
    Value scaleBOffset;
  };

  LogicalResult analyze();
  LogicalResult analyzeDot(ScaledDotOp op);
  FailureOr<unsigned> addLoad(Operation *user, TmaLoadOp load, BufferType type);
  LogicalResult analyzeLoop(scf::ForOp loop);
  LogicalResult analyzeSurroundings();
  LogicalResult analyzeEpilogue();
  FailureOr<int64_t> chooseStages();

  LogicalResult build();
  /// What of a tile a piece of code does.
  enum class Part { Everything, Loads, Multiplications, Epilogue };
  LogicalResult emitTile(Block *block, Part part);
  LogicalResult emitTileLoop(Part part);
  LogicalResult emitRoles();
  /// Clones scalar code; operations of the tile level become what they mean.
  void emitScalar(Operation &op, IRMapping &local);
  void emitSteps();
  void emitLoads();
  void emitMultiplications();
  LogicalResult emitEpilogue(Part part);
  FailureOr<Value> emitElementwise(Value value, IRMapping &local,
                                   int64_t columns);
  /// The main loop's control for one role; `body` gets the induction variable's
  /// mapping and the channel iteration.
  void emitRoleLoop(function_ref<void(IRMapping &local, Value iteration)> body);
  void emitRole(int64_t warp, int64_t count, function_ref<void()> body);
  void emitLeader(function_ref<void()> body);

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }

  KernelOp kernel;
  OpBuilder builder;
  Location loc = kernel.getLoc();

  // What the analysis finds.
  scf::ForOp mainLoop, tileLoop;
  const target::Gpu *gpu = nullptr;
  SmallVector<Dot> dots;
  SmallVector<TmaLoadOp> loads;
  SmallVector<BufferType> loadTypes;
  BufferType accumulatorType, stagingType;
  int64_t stages = 1, accumulators = 1;
  int64_t epilogueDepth = 0;
  Operation *store = nullptr;

  // What has been built.
  IRMapping mapping;
  Value loadChannel, resultChannel, staging;
  SmallVector<std::pair<Value, Value>> scaleBuffers; // of each dot
  Value iterationBase, tileNumber, steps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

FailureOr<unsigned> KernelRewriter::addLoad(Operation *user, TmaLoadOp load,
                                            BufferType type) {
  if (!type)
    return failure();
  if (load->getBlock() != mainLoop.getBody())
    return user->emitOpError("expected its tiles to be loaded in the same "
                             "loop body");
  for (auto [index, known] : llvm::enumerate(loads)) {
    if (known != load)
      continue;
    if (loadTypes[index] != type)
      return user->emitOpError("expected one use of a loaded tile, got it as ")
             << loadTypes[index] << " and as " << type;
    return unsigned(index);
  }
  loads.push_back(load);
  loadTypes.push_back(type);
  return unsigned(loads.size() - 1);
}

LogicalResult KernelRewriter::analyzeDot(ScaledDotOp op) {
  FailureOr<ScaledDotTiles> tiles = proveScaledDot(op);
  if (failed(tiles))
    return failure();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  Type aType = cast<RankedTensorType>(op.getA().getType()).getElementType();
  Type bType = cast<RankedTensorType>(op.getB().getType()).getElementType();
  Type scaleType =
      cast<RankedTensorType>(op.getScaleA().getType()).getElementType();
  std::string reason;
  const target::InstructionForm *form = selectTcgen05Form(
      *gpu, aType, bType, scaleType, op.getScaleVectorSize(), m, n, reason);
  if (!form)
    return op.emitOpError(reason);
  for (Type type : {aType, bType})
    if (form->sharedBits(getOperandElementType(type)) != getElementBits(type))
      return op.emitOpError("expected operands of 8 bits for ")
             << StringRef(form->name) << ", got " << type
             << ": elements padded to a byte in shared memory are not lowered "
                "yet";
  if (k % form->k != 0)
    return op.emitOpError("expected a multiple of ")
           << form->k << " elements of K in a step of " << StringRef(form->name)
           << ", got " << k;
  if (tiles->scaleA.rowOffset)
    return op.emitOpError(
        "expected all rows of the loaded scales of A, which start at a "
        "multiple of 128 rows");

  if (tiles->scaleB.rowOffset && !isHalfTileOffset(tiles->scaleB.rowOffset))
    return op.emitOpError("expected the rows of the scales of B to start at 0 "
                          "or 64 of a scale tile, e.g. at the remainder by 128 "
                          "of a multiple of 64");
  if (TileAttr tile = kernel.getTileAttr();
      tile && (tile.getM() != m || tile.getN() != n || tile.getK() % k != 0))
    return op.emitOpError("expected a tile of ")
           << tile.getM() << "x" << tile.getN() << "x" << tile.getK()
           << " as the kernel's 'tile' says, got " << m << "x" << n << "x" << k;

  auto emitError = [&] { return op.emitOpError(); };
  MLIRContext *context = op.getContext();
  auto operandType = [&](Type element, int64_t rows) {
    return BufferType::getChecked(
        emitError, context, ArrayRef<int64_t>{rows, k}, element,
        MemorySpace::Shared, widestSwizzle(k * getElementBits(element)));
  };
  auto scalesType = [&](const LoadedTile &tile) {
    return BufferType::getChecked(
        emitError, context, ArrayRef<int64_t>(tile.chain.shape()), scaleType,
        MemorySpace::Shared, BufferLayout::ScaleTiles);
  };
  FailureOr<unsigned> a = addLoad(op, tiles->a.load, operandType(aType, m));
  FailureOr<unsigned> scaleA =
      addLoad(op, tiles->scaleA.load, scalesType(tiles->scaleA));
  FailureOr<unsigned> b = addLoad(op, tiles->b.load, operandType(bType, n));
  FailureOr<unsigned> scaleB =
      addLoad(op, tiles->scaleB.load, scalesType(tiles->scaleB));
  if (failed(a) || failed(scaleA) || failed(b) || failed(scaleB))
    return failure();
  for (auto [type, rows] :
       {std::pair{loadTypes[*a], m}, std::pair{loadTypes[*b], n}})
    if (type.getLayout() == BufferLayout::RowMajor)
      return op.emitOpError("expected rows of a multiple of 32 bytes along k, "
                            "got ")
             << type;
  for (unsigned load : {*a, *scaleA, *b, *scaleB})
    if (failed(planBoxes(loads[load], loads[load].getMap().getType(),
                         loadTypes[load])))
      return failure();
  for (unsigned load : {*a, *scaleA, *b, *scaleB})
    if (failed(checkInnerCoordinate(loads[load], loads[load].getMap().getType(),
                                    loads[load].getCoordinates().back())))
      return failure();
  // A box of scales starts at a tile: in the dimensions that make up its 512
  // bytes coordinates are whole extents.
  for (unsigned load : {*scaleA, *scaleB}) {
    int64_t inside = 1;
    for (auto [extent, coordinate] : llvm::reverse(
             llvm::zip_equal(loads[load].getMap().getType().getShape(),
                             loads[load].getCoordinates()))) {
      inside *= extent;
      if (inside > layout::scaleTileBytes)
        break;
      if (extent != 1 && !isMultipleOf(coordinate, extent))
        return loads[load].emitOpError(
                   "expected scales to start at a 512-byte tile, i.e. at a "
                   "multiple of ")
               << extent << " in a dimension of extent " << extent;
    }
  }
  // Scales of missing groups are set to zero where they were loaded.
  for (Dot &other : dots)
    if ((other.scaleA == *scaleA || other.scaleB == *scaleB) &&
        other.op.getLimitK() != op.getLimitK())
      return op.emitOpError("expected one limit_k for scaled dots that share "
                            "loaded scales");
  // Row 0 is where the buffer starts.
  Value scaleBOffset = tiles->scaleB.rowOffset;
  if (APInt offset; scaleBOffset &&
                    matchPattern(scaleBOffset, m_ConstantInt(&offset)) &&
                    offset.isZero())
    scaleBOffset = Value();
  dots.push_back({op, *a, *scaleA, *b, *scaleB, scaleBOffset});
  return success();
}

LogicalResult KernelRewriter::analyze() {
  TargetAttr targetAttr = kernel.resolveTarget();
  if (!targetAttr)
    return kernel.emitOpError(
        "expected a target, e.g. target = #bsmm.target<\"sm_100a\">");
  gpu = target::findGpu(std::string_view(targetAttr.getChip()));
  if (!gpu->hasTcgen05)
    return kernel.emitOpError("expected a target with tensor memory, got ")
           << targetAttr.getChip()
           << "; the pipeline level of other targets is not built yet";

  SmallVector<ScaledDotOp> found;
  kernel.walk([&](ScaledDotOp op) { found.push_back(op); });
  if (found.empty())
    return kernel.emitOpError("expected a bsmm.scaled_dot in a loop over K");
  mainLoop = dyn_cast<scf::ForOp>(found.front()->getParentOp());
  if (!mainLoop)
    return found.front().emitOpError("expected to be directly in an scf.for "
                                     "over K");
  Operation *outer = mainLoop->getParentOp();
  tileLoop = dyn_cast<scf::ForOp>(outer);
  if (outer != kernel && (!tileLoop || tileLoop->getParentOp() != kernel))
    return mainLoop.emitOpError("expected the loop over K in the kernel, or in "
                                "one loop over output tiles");
  if (tileLoop && tileLoop.getNumResults() != 0)
    return tileLoop.emitOpError("expected a loop over output tiles without "
                                "values carried around it");
  if (!mainLoop.getInductionVar().getType().isSignlessInteger(32))
    return mainLoop.emitOpError("expected an i32 loop over K, got ")
           << mainLoop.getInductionVar().getType();

  if (failed(analyzeLoop(mainLoop)) ||
      (tileLoop && failed(analyzeLoop(tileLoop))))
    return failure();
  APInt step;
  if (!matchPattern(mainLoop.getStep(), m_ConstantInt(&step)))
    return mainLoop.emitOpError("expected a constant step of the loop over K");

  if (mainLoop.getNumResults() != 1)
    return mainLoop.emitOpError("expected the accumulator as only value "
                                "carried around the loop over K");
  if (!matchPattern(mainLoop.getInitArgs()[0], m_PosZeroFloat()))
    return mainLoop.emitOpError(
        "expected the accumulator to start as a constant of zeros");
  Value sum = mainLoop.getRegionIterArg(0);
  for (ScaledDotOp op : found) {
    if (op->getParentOp() != mainLoop)
      return op.emitOpError("expected all scaled dots in one loop over K");
    if (op.getAccumulator() != sum || !op.getAccumulator().hasOneUse())
      return op.emitOpError("expected to add to the one accumulator of the "
                            "loop over K");
    sum = op.getResult();
    if (failed(analyzeDot(op)))
      return failure();
  }
  auto yield = cast<scf::YieldOp>(mainLoop.getBody()->getTerminator());
  if (yield.getOperand(0) != sum)
    return mainLoop.emitOpError("expected the loop over K to yield the sum of "
                                "its scaled dots");
  for (Operation &op : mainLoop.getBody()->without_terminator()) {
    if (isa<TmaLoadOp, ReshapeOp, TransOp, ExtractRowsOp, ScaledDotOp>(op)) {
      if (auto load = dyn_cast<TmaLoadOp>(op);
          load && !llvm::is_contained(loads, load))
        return load.emitOpError("expected every load of the loop over K to "
                                "feed a scaled dot");
      continue;
    }
    if (!isScalarCode(&op))
      return op.emitOpError("expected only loads, reshapes, scaled dots and "
                            "scalar arithmetic in a loop over K");
  }

  accumulatorType = BufferType::getChecked(
      [&] { return found.front().emitOpError(); }, kernel.getContext(),
      ArrayRef<int64_t>{found.front().getM(), found.front().getN()},
      Type(builder.getF32Type()), MemorySpace::TensorMemory,
      BufferLayout::Accumulator);
  if (!accumulatorType || failed(analyzeEpilogue()) ||
      failed(analyzeSurroundings()))
    return failure();
  FailureOr<int64_t> chosen = chooseStages();
  if (failed(chosen))
    return failure();
  stages = *chosen;
  // Two accumulators where tensor memory holds them beside the scales: the next
  // tile's multiplications need not wait for the epilogue.
  int64_t scaleColumns = 0;
  for (Dot &dot : dots)
    for (unsigned load : {dot.scaleA, dot.scaleB})
      scaleColumns +=
          loadTypes[load].getShape()[0] / layout::scaleTileRows *
          (loadTypes[load].getShape()[1] / layout::scaleTileGroups) *
          layout::scaleTileColumns;
  if (tileLoop && 2 * accumulatorType.getTensorMemoryColumns() + scaleColumns <=
                      gpu->tensorMemoryColumns)
    accumulators = 2;
  return success();
}

LogicalResult KernelRewriter::analyzeEpilogue() {
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (!isa<TmaStoreOp, PredicatedStoreOp>(op))
      return WalkResult::advance();
    if (store) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("expected one store in a kernel");
      diagnostic.attachNote(store->getLoc()) << "the first store is here";
      return WalkResult::interrupt();
    }
    store = op;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!store || store->getBlock() != mainLoop->getBlock() ||
      !mainLoop->isBeforeInBlock(store))
    return kernel.emitOpError("expected a store of the result after the loop "
                              "over K");
  auto stored = cast<RankedTensorType>(store->getOperand(0).getType());
  if (Type element = stored.getElementType();
      !element.isF16() && !element.isBF16() && !element.isF32())
    return store->emitOpError("expected an output of f16, bf16 or f32, got ")
           << element;
  ArrayRef<int64_t> shape = accumulatorType.getShape();
  if (stored.getNumElements() != shape[0] * shape[1] || stored.getRank() < 2 ||
      stored.getShape().take_back(2) != shape)
    return store->emitOpError("expected a tile of ")
           << shape[0] << "x" << shape[1] << " like the accumulator, got "
           << stored;
  if (isa<TmaStoreOp>(store)) {
    stagingType = BufferType::getChecked(
        [&] { return store->emitOpError(); }, kernel.getContext(), shape,
        stored.getElementType(), MemorySpace::Shared,
        widestSwizzle(shape[1] * getElementBits(stored.getElementType())));
    if (!stagingType ||
        failed(checkInnerCoordinate(
            store, cast<TmaStoreOp>(store).getMap().getType(),
            cast<TmaStoreOp>(store).getCoordinates().back())) ||
        failed(planBoxes(store, cast<TmaStoreOp>(store).getMap().getType(),
                         stagingType)))
      return failure();
  }
  return success();
}

LogicalResult KernelRewriter::analyzeLoop(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return loop.emitOpError("expected a signed loop in a kernel");
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return loop.emitOpError("expected a positive step, got ")
           << step.getSExtValue();
  return success();
}

/// Around the loop over K stand scalar arithmetic, done by every thread, and
/// the elementwise operations of the epilogue.
LogicalResult KernelRewriter::analyzeSurroundings() {
  SmallVector<Block *> blocks = {&kernel.getBody().front()};
  if (tileLoop)
    blocks.push_back(tileLoop.getBody());
  for (Block *block : blocks) {
    for (Operation &op : *block) {
      if (&op == tileLoop || &op == mainLoop || &op == store ||
          op.hasTrait<OpTrait::IsTerminator>())
        continue;
      bool isTileCode = isTensorOp(&op) && op.getNumRegions() == 0 &&
                        isMemoryEffectFree(&op) &&
                        llvm::all_of(op.getResultTypes(), [](Type type) {
                          return isa<RankedTensorType>(type);
                        });
      if (!isTileCode && !isScalarCode(&op))
        return op.emitOpError("expected only scalar arithmetic and elementwise "
                              "operations on tiles around the loop over K");
    }
  }
  return success();
}

FailureOr<int64_t> KernelRewriter::chooseStages() {
  if (auto stated = mainLoop->getAttrOfType<IntegerAttr>(
          BsmmDialect::getStagesAttrName()))
    return stated.getInt();
  int64_t slot = 0;
  for (BufferType type : loadTypes)
    slot += type.getSharedBytes();
  // Room for the alignment of the buffers and for the barriers.
  int64_t rest = gpu->sharedMemoryPerBlock - 4096 -
                 (stagingType ? stagingType.getSharedBytes() : 0);
  return std::clamp<int64_t>(rest / slot, 1, maxDefaultStages);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

void KernelRewriter::emitRole(int64_t warp, int64_t count,
                              function_ref<void()> body) {
  auto role = WarpRoleOp::create(builder, loc, warp, count);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&role.getBody());
  body();
}

void KernelRewriter::emitLeader(function_ref<void()> body) {
  auto leader = LeaderOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&leader.getBody());
  body();
}

void KernelRewriter::emitScalar(Operation &op, IRMapping &local) {
  if (auto order = dyn_cast<GroupedOrderOp>(op)) {
    auto [row, column] =
        buildGroupedOrder(builder, op.getLoc(), local.lookup(order.getLinear()),
                          local.lookup(order.getTilesM()),
                          local.lookup(order.getTilesN()), order.getGroup());
    local.map(order.getRow(), row);
    local.map(order.getColumn(), column);
    return;
  }
  builder.clone(op, local);
}

void KernelRewriter::emitRoleLoop(function_ref<void(IRMapping &, Value)> body) {
  Value one = constant(1);
  auto loop = scf::ForOp::create(
      builder, mainLoop.getLoc(), mapping.lookup(mainLoop.getLowerBound()),
      mapping.lookup(mainLoop.getUpperBound()),
      mapping.lookup(mainLoop.getStep()), ValueRange{iterationBase});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping local = mapping;
  local.map(mainLoop.getInductionVar(), loop.getInductionVar());
  for (Operation &op : mainLoop.getBody()->without_terminator())
    if (!isTensorOp(&op))
      emitScalar(op, local);
  Value iteration = loop.getRegionIterArg(0);
  body(local, iteration);
  Value next = arith::AddIOp::create(builder, loc, iteration, one);
  scf::YieldOp::create(builder, loc, next);
}

void KernelRewriter::emitSteps() {
  // Steps that the loop makes, 0 when its bounds are the wrong way round.
  Value lower = mapping.lookup(mainLoop.getLowerBound());
  Value distance = arith::SubIOp::create(
      builder, loc, mapping.lookup(mainLoop.getUpperBound()), lower);
  distance = arith::MaxSIOp::create(builder, loc, distance, constant(0));
  steps = arith::CeilDivUIOp::create(builder, loc, distance,
                                     mapping.lookup(mainLoop.getStep()));
}

/// The loads of a tile's steps, by one thread.
void KernelRewriter::emitLoads() {
  SmallVector<Type> slotTypes(loadTypes.begin(), loadTypes.end());
  emitRoleLoop([&](IRMapping &local, Value iteration) {
    auto slot =
        AcquireOp::create(builder, loc, slotTypes, loadChannel, iteration);
    for (auto [load, buffer] : llvm::zip(loads, slot.getBuffers())) {
      SmallVector<Value> coordinates;
      for (Value coordinate : load.getCoordinates())
        coordinates.push_back(local.lookup(coordinate));
      LoadAsyncOp::create(builder, load.getLoc(), local.lookup(load.getMap()),
                          coordinates, buffer, loadChannel, iteration);
    }
    CommitOp::create(builder, loc, loadChannel, iteration);
  });
}

/// The multiplications of a tile's steps, by one warp.
void KernelRewriter::emitMultiplications() {
  SmallVector<Type> slotTypes(loadTypes.begin(), loadTypes.end());
  auto result = AcquireOp::create(builder, loc, TypeRange{accumulatorType},
                                  resultChannel, tileNumber);
  Value accumulator = result.getBuffers()[0];
  emitRoleLoop([&](IRMapping &local, Value iteration) {
    auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
    for (Dot &dot : dots) {
      if (!dot.op.getLimitK())
        continue;
      Value left = local.lookup(dot.op.getLimitK());
      Value groups = constant(loadTypes[dot.scaleA].getShape()[1]);
      Value isLast = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, left, groups);
      auto branch = scf::IfOp::create(builder, loc, isLast, false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      MaskScalesOp::create(builder, loc, slot.getBuffers()[dot.scaleA], left);
      MaskScalesOp::create(builder, loc, slot.getBuffers()[dot.scaleB], left);
    }
    emitLeader([&] {
      Value lowerBound = mapping.lookup(mainLoop.getLowerBound());
      for (auto [index, dot] : llvm::enumerate(dots)) {
        auto [scaleA, scaleB] = scaleBuffers[index];
        CopyScalesOp::create(builder, dot.op.getLoc(),
                             slot.getBuffers()[dot.scaleA], scaleA);
        CopyScalesOp::create(builder, dot.op.getLoc(),
                             slot.getBuffers()[dot.scaleB], scaleB);
        Value accumulate;
        if (index == 0)
          accumulate = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ne,
              local.lookup(mainLoop.getInductionVar()), lowerBound);
        else
          accumulate = arith::ConstantIntOp::create(builder, loc,
                                                    builder.getI1Type(), 1);
        Value offset;
        if (dot.scaleBOffset)
          offset = local.lookup(dot.scaleBOffset);
        ScaledMmaOp::create(builder, dot.op.getLoc(), slot.getBuffers()[dot.a],
                            scaleA, slot.getBuffers()[dot.b], scaleB,
                            accumulator, accumulate, offset);
      }
      ReleaseOp::create(builder, loc, loadChannel, iteration);
    });
  });
  emitLeader(
      [&] { CommitOp::create(builder, loc, resultChannel, tileNumber); });
}

FailureOr<Value> KernelRewriter::emitElementwise(Value value, IRMapping &local,
                                                 int64_t columns) {
  if (Value known = local.lookupOrNull(value);
      known && isa<VectorType>(known.getType()))
    return known;
  // An epilogue is a few operations; the stack is not for thousands.
  if (++epilogueDepth > 1000)
    return store->emitOpError(
        "expected an epilogue of at most 1000 operations");
  Operation *op = value.getDefiningOp();
  auto tensor = cast<RankedTensorType>(value.getType());
  auto vectorType = VectorType::get({columns}, tensor.getElementType());
  DenseElementsAttr splat;
  if (op && matchPattern(value, m_Constant(&splat)) && splat.isSplat()) {
    auto attribute =
        DenseElementsAttr::get(vectorType, splat.getSplatValue<Attribute>());
    Value result =
        arith::ConstantOp::create(builder, op->getLoc(), vectorType, attribute);
    return result;
  }
  if (auto broadcast = dyn_cast_or_null<tensor::SplatOp>(op)) {
    Value result = vector::BroadcastOp::create(
        builder, op->getLoc(), vectorType, local.lookup(broadcast.getInput()));
    return result;
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
    auto withoutUnits = [](ArrayRef<int64_t> shape) {
      return llvm::to_vector(llvm::make_filter_range(
          shape, [](int64_t extent) { return extent != 1; }));
    };
    auto source = cast<RankedTensorType>(reshape.getSource().getType());
    if (withoutUnits(source.getShape()) != withoutUnits(tensor.getShape()))
      return reshape.emitOpError("expected only dimensions of extent 1 to "
                                 "come or go between the loop over K and the "
                                 "store");
    return emitElementwise(reshape.getSource(), local, columns);
  }
  if (auto cast = dyn_cast_or_null<arith::TruncFOp>(op);
      cast && cast.getRoundingmode() &&
      *cast.getRoundingmode() != arith::RoundingMode::to_nearest_even)
    return cast.emitOpError("expected rounding to nearest even in an epilogue");
  auto isLowered = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() || element.isBF16() || element.isF32() ||
           element.isInteger(1) || element.isSignlessInteger(32);
  };
  // Remainders and the functions of math become calls of a device library.
  if (!op || op == mainLoop || !op->hasTrait<OpTrait::Elementwise>() ||
      op->getNumResults() != 1 || !isa<arith::ArithDialect>(op->getDialect()) ||
      isa<arith::RemFOp>(op) ||
      !llvm::all_of(op->getOperandTypes(), isLowered) ||
      !llvm::all_of(op->getResultTypes(), isLowered))
    return store->emitOpError("expected elementwise arith operations in f16, "
                              "bf16 or f32 on the accumulator, constants and "
                              "scalars before the store, got '")
           << (op ? op->getName().getStringRef() : StringRef("an argument"))
           << "' on the way";
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(local.lookup(operand));
      continue;
    }
    FailureOr<Value> piece = emitElementwise(operand, local, columns);
    if (failed(piece))
      return failure();
    operands.push_back(*piece);
  }
  OperationState state(op->getLoc(), op->getName(), operands, {vectorType},
                       op->getAttrs());
  Value result = builder.create(state)->getResult(0);
  local.map(value, result);
  return result;
}

LogicalResult KernelRewriter::emitEpilogue(Part part) {
  // One thread, always the same one, stores and waits for its stores.
  auto emitStoringThread = [&](function_ref<void()> body) {
    if (part == Part::Epilogue)
      emitLeader(body);
    else
      emitRole(0, 1, [&] { emitLeader(body); });
  };
  auto tmaStore = dyn_cast<TmaStoreOp>(store);
  auto predicatedStore = dyn_cast<PredicatedStoreOp>(store);
  if (tmaStore) {
    // The staging buffer is free when the previous tile's store has read it.
    emitStoringThread([&] { WaitStoresOp::create(builder, loc, true); });
    SynchronizeOp::create(builder, loc);
  }
  auto result = WaitOp::create(builder, loc, TypeRange{accumulatorType},
                               resultChannel, tileNumber);
  SmallVector<Value> coordinates;
  for (Value coordinate :
       tmaStore ? tmaStore.getCoordinates() : predicatedStore.getCoordinates())
    coordinates.push_back(mapping.lookup(coordinate));

  Value isNotEmpty = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, steps, constant(0));
  Value base, rowsLeft, columnsLeft;
  if (predicatedStore) {
    Type i64 = builder.getI64Type();
    auto wide = [&](Value value) -> Value {
      return arith::ExtSIOp::create(builder, loc, i64, value);
    };
    Value batch =
        arith::MulIOp::create(builder, loc, wide(coordinates[0]),
                              mapping.lookup(predicatedStore.getStrideBatch()));
    Value row =
        arith::MulIOp::create(builder, loc, wide(coordinates[1]),
                              mapping.lookup(predicatedStore.getStrideRow()));
    base = arith::AddIOp::create(builder, loc, batch, row);
    base = arith::AddIOp::create(builder, loc, base, wide(coordinates[2]));
    rowsLeft = arith::SubIOp::create(
        builder, loc, mapping.lookup(predicatedStore.getLimitM()),
        coordinates[1]);
    columnsLeft = arith::SubIOp::create(
        builder, loc, mapping.lookup(predicatedStore.getLimitN()),
        coordinates[2]);
  }

  int64_t columns = drainColumns;
  while (accumulatorType.getShape()[1] % columns != 0)
    columns /= 2;
  auto drain = DrainOp::create(builder, loc, result.getBuffers()[0],
                               builder.getI64IntegerAttr(columns));
  {
    OpBuilder::InsertionGuard guard(builder);
    auto valuesType = VectorType::get({columns}, builder.getF32Type());
    Type i32 = builder.getI32Type();
    Block *body = builder.createBlock(&drain.getBody(), {},
                                      {i32, i32, valuesType}, {loc, loc, loc});
    Value row = body->getArgument(0), column = body->getArgument(1);
    Value zeros = arith::ConstantOp::create(builder, loc, valuesType,
                                            builder.getZeroAttr(valuesType));
    Value values = arith::SelectOp::create(builder, loc, isNotEmpty,
                                           body->getArgument(2), zeros);
    IRMapping local = mapping;
    local.map(mainLoop.getResult(0), values);
    FailureOr<Value> piece =
        emitElementwise(store->getOperand(0), local, columns);
    if (failed(piece))
      return failure();
    if (tmaStore)
      WriteSharedOp::create(builder, loc, *piece, staging, row, column);
    else
      WriteGlobalOp::create(
          builder, loc, *piece, mapping.lookup(predicatedStore.getPointer()),
          row, column, base, mapping.lookup(predicatedStore.getStrideRow()),
          rowsLeft, columnsLeft);
  }
  ReleaseOp::create(builder, loc, resultChannel, tileNumber);
  if (!tmaStore)
    return success();
  PublishOp::create(builder, loc);
  emitStoringThread([&] {
    StoreAsyncOp::create(builder, tmaStore.getLoc(), staging,
                         mapping.lookup(tmaStore.getMap()), coordinates);
  });
  return success();
}

/// The loop over output tiles of one role.
LogicalResult KernelRewriter::emitTileLoop(Part part) {
  Value zero = constant(0), one = constant(1);
  auto loop = scf::ForOp::create(
      builder, tileLoop.getLoc(), mapping.lookup(tileLoop.getLowerBound()),
      mapping.lookup(tileLoop.getUpperBound()),
      mapping.lookup(tileLoop.getStep()), ValueRange{zero, zero});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  mapping.map(tileLoop.getInductionVar(), loop.getInductionVar());
  iterationBase = loop.getRegionIterArg(0);
  tileNumber = loop.getRegionIterArg(1);
  if (failed(emitTile(tileLoop.getBody(), part)))
    return failure();
  Value nextIteration =
      arith::AddIOp::create(builder, loc, iterationBase, steps);
  Value nextTile = arith::AddIOp::create(builder, loc, tileNumber, one);
  scf::YieldOp::create(builder, loc, ValueRange{nextIteration, nextTile});
  return success();
}

/// A role for each part, with its own loop over output tiles. The warpgroup
/// that drains comes first: tensor memory is read in quarters by the number of
/// the warp in its warpgroup.
LogicalResult KernelRewriter::emitRoles() {
  bool isGood = true;
  auto emit = [&](Part part) { isGood &= succeeded(emitTileLoop(part)); };
  emitRole(target::threads::warpsPerWarpgroup, 1,
           [&] { emitLeader([&] { emit(Part::Loads); }); });
  emitRole(target::threads::warpsPerWarpgroup + 1, 1,
           [&] { emit(Part::Multiplications); });
  emitRole(0, target::threads::warpsPerWarpgroup, [&] {
    emit(Part::Epilogue);
    if (isa<TmaStoreOp>(store))
      emitLeader([&] { WaitStoresOp::create(builder, loc, false); });
  });
  return success(isGood);
}

LogicalResult KernelRewriter::emitTile(Block *block, Part part) {
  for (Operation &op : *block) {
    if (&op == tileLoop) {
      if (failed(emitRoles()))
        return failure();
      continue;
    }
    if (&op == mainLoop) {
      emitSteps();
      if (part == Part::Everything) {
        emitRole(0, 1, [&] { emitLeader([&] { emitLoads(); }); });
        emitRole(1, 1, [&] { emitMultiplications(); });
      } else if (part == Part::Loads) {
        emitLoads();
      } else if (part == Part::Multiplications) {
        emitMultiplications();
      }
      continue;
    }
    if (&op == store) {
      if ((part == Part::Everything || part == Part::Epilogue) &&
          failed(emitEpilogue(part)))
        return failure();
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    // The epilogue takes what it needs of these.
    if (isTensorOp(&op))
      continue;
    if (op.getNumRegions() != 0)
      return op.emitOpError("expected only scalar arithmetic around the loop "
                            "over K");
    emitScalar(op, mapping);
  }
  return success();
}

LogicalResult KernelRewriter::build() {
  builder.setInsertionPoint(kernel);
  auto pipeline = cast<KernelOp>(builder.insert(kernel->cloneWithoutRegions()));
  pipeline.setLevel(Level::Pipeline);
  pipeline.setBlockSizeAttr(
      builder.getI64IntegerAttr(target::threads::perWarpgroup +
                                (tileLoop ? 2 * target::threads::perWarp : 0)));
  Block *entry = builder.createBlock(
      &pipeline.getBody(), {}, kernel.getArgumentTypes(),
      llvm::map_to_vector(kernel.getArguments(),
                          [](BlockArgument a) { return a.getLoc(); }));
  mapping.map(kernel.getArguments(), entry->getArguments());

  MLIRContext *context = builder.getContext();
  auto arrival = [&](ArrivalKind kind, int64_t count = 1) {
    return ArrivalAttr::get(context, kind, count);
  };
  loadChannel = CreateChannelOp::create(
      builder, loc, ChannelType::get(context, stages, loadTypes),
      arrival(ArrivalKind::Transaction), arrival(ArrivalKind::MmaCommit),
      nullptr, nullptr, nullptr);
  resultChannel = CreateChannelOp::create(
      builder, loc, ChannelType::get(context, accumulators, accumulatorType),
      arrival(ArrivalKind::MmaCommit),
      arrival(ArrivalKind::Threads, target::threads::perWarpgroup), nullptr,
      nullptr, nullptr);
  auto inTensorMemory = [&](BufferType type) -> Value {
    return AllocOp::create(
        builder, loc,
        BufferType::get(context, type.getShape(), type.getElementType(),
                        MemorySpace::TensorMemory, BufferLayout::ScaleTiles),
        nullptr);
  };
  for (Dot &dot : dots)
    scaleBuffers.push_back({inTensorMemory(loadTypes[dot.scaleA]),
                            inTensorMemory(loadTypes[dot.scaleB])});
  if (stagingType)
    staging = AllocOp::create(builder, loc, stagingType, nullptr);
  iterationBase = constant(0);
  tileNumber = constant(0);

  if (failed(emitTile(&kernel.getBody().front(), Part::Everything))) {
    pipeline.erase();
    return failure();
  }
  if (isa<TmaStoreOp>(store) && !tileLoop)
    emitRole(0, 1, [&] {
      emitLeader([&] { WaitStoresOp::create(builder, loc, false); });
    });
  ReturnOp::create(builder, loc);
  kernel.erase();
  return success();
}

LogicalResult KernelRewriter::run() {
  return success(succeeded(analyze()) && succeeded(build()));
}

namespace {
struct TileToPipeline : bsmm::impl::BsmmTileToPipelineBase<TileToPipeline> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      if (kernel.getLevel() == Level::Tile)
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(KernelRewriter(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
