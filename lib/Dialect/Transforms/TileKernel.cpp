//===- TileKernel.cpp - what a tile-level kernel computes -----------------===//

#include "TileKernel.h"
#include "Cluster.h"
#include "ScalarValues.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Dialect/Transforms/LayoutProof.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

#include <numeric>

using namespace mlir;
using namespace bsmm;

/// Most slots that a channel gets when the loop does not say how many.
static constexpr int64_t maxDefaultStages = 8;
/// Stages for which the output tile passes through narrower pieces: with fewer
/// than three the tensor core waits for loads.
static constexpr int64_t minDefaultStages = 3;
/// The same with accumulators in registers, where a slot is released one step
/// late, so that of three only one is being filled.
static constexpr int64_t minLateStages = 4;

/// Bytes of K of a row up to which a step's copies are issued by two warps
/// where CTAs of a cluster load together.
static constexpr int64_t shortStepBytes = 64;
/// Most registers of a thread that hold an accumulator: the rest of a thread's
/// 240 is for addresses and the epilogue.
static constexpr int64_t maxAccumulatorRegisters = 192;
/// The same for three of them in the loop over K, of which the epilogue has
/// one.
static constexpr int64_t maxTripRegisters = 216;
/// Of those, what block scales leave in a cluster (ptxas 13.0 spills).
static constexpr int64_t clusterRegisters = 16;
/// Registers that block scales, those of the next step and their addresses take
/// where warpgroups that take turns have few to spare (ptxas 13.0 spills).
static constexpr int64_t scaleRegisters = 32;
/// The same of exponentials for warpgroups that take turns in a cluster.
static constexpr int64_t exponentialRegisters = 24;

/// Columns of a part of a tile that is promoted on its own, at least. A wgmma
/// of 48 columns multiplies for 24 cycles, and reads 3.5 KB of operands: 28
/// cycles at 128 bytes a cycle.
static constexpr int64_t minPromotedColumns = 48;

bool bsmm::isTensorOp(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

std::optional<int64_t> bsmm::countTrips(scf::ForOp loop) {
  std::optional<int64_t> lower = getSmallConstant(loop.getLowerBound());
  std::optional<int64_t> upper = getSmallConstant(loop.getUpperBound());
  std::optional<int64_t> step = getSmallConstant(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return llvm::divideCeil(std::max<int64_t>(*upper - *lower, 0), *step);
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

/// Whether a buffer of rows consists of one panel, in which rows follow each
/// other.
static bool isOnePanel(BufferType type) {
  return getPackedBytes(type.getElementType(), type.getShape()[1]) ==
         layout::swizzleWidth(getSwizzleMode(type.getLayout()));
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

/// The last row of a scale tile at which a tile of B provably starts, if that
/// is provably a multiple of `step`.
static std::optional<int64_t> findLastScaleRow(Value value, int64_t step) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    int64_t row = constant.getSExtValue();
    if (row < 0 || row >= layout::scaleTileRows || row % step != 0)
      return std::nullopt;
    return row;
  }
  auto remainder = value.getDefiningOp<arith::RemUIOp>();
  if (!remainder ||
      !matchPattern(remainder.getRhs(), m_ConstantInt(&constant)) ||
      constant != layout::scaleTileRows)
    return std::nullopt;
  int64_t divisor = layout::scaleTileRows;
  while (divisor > step && !isMultipleOf(remainder.getLhs(), divisor))
    divisor /= 2;
  if (divisor > 1 && !isMultipleOf(remainder.getLhs(), divisor))
    return std::nullopt;
  return layout::scaleTileRows - divisor;
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

//===----------------------------------------------------------------------===//
// Loads and dots
//===----------------------------------------------------------------------===//

FailureOr<unsigned> TileKernel::addLoad(Operation *user, TmaLoadOp load,
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

/// The tile of a dot is the one that the kernel states.
LogicalResult TileKernel::checkTile(Operation *op, int64_t m, int64_t n,
                                    int64_t k) {
  int64_t stored = extract ? extract.getType().getDimSize(1) : n;
  int64_t tileM = isTransposed ? stored : m, tileN = isTransposed ? m : stored;
  if (TileAttr tile = kernel.getTileAttr();
      tile &&
      (tile.getM() != tileM || tile.getN() != tileN || tile.getK() % k != 0))
    return op->emitOpError("expected a tile of ")
           << tile.getM() << "x" << tile.getN() << "x" << tile.getK()
           << " as the kernel's 'tile' says, got " << tileM << "x" << tileN
           << "x" << k;
  if (dots.empty()) {
    rows = m;
    accumulatorColumns = n;
    columns = extract ? extract.getType().getDimSize(1) : n;
  }
  return success();
}

/// An operand tile in shared memory, K-major.
static BufferType operandType(Operation *op, Type element, int64_t rows,
                              int64_t k) {
  return BufferType::getChecked([&] { return op->emitOpError(); },
                                op->getContext(), ArrayRef<int64_t>{rows, k},
                                element, MemorySpace::Shared,
                                widestSwizzle(k * getElementBits(element)));
}

/// Boxes and coordinates of a dot's loads are what the TMA unit can copy and
/// the tensor core read.
LogicalResult TileKernel::checkLoads(Operation *op, const Dot &dot) {
  for (unsigned load : {dot.a, dot.b})
    if (loadTypes[load].getLayout() == BufferLayout::RowMajor)
      return op->emitOpError("expected rows of a multiple of 32 bytes along k, "
                             "got ")
             << loadTypes[load];
  SmallVector<unsigned> all = {dot.a, dot.scaleA, dot.b, dot.scaleB};
  if (!isa<ScaledDotOp>(op))
    all = {dot.a, dot.b};
  for (unsigned load : all)
    if (failed(planBoxes(loads[load], loads[load].getMap().getType(),
                         loadTypes[load])))
      return failure();
  for (unsigned load : all)
    if (failed(checkInnerCoordinate(loads[load], loads[load].getMap().getType(),
                                    loads[load].getCoordinates().back())))
      return failure();
  return success();
}

/// The block-scaled instruction that multiplies a tile.
LogicalResult TileKernel::checkScaledForm(ScaledDotOp op) {
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
  return success();
}

/// Without block-scaled instructions the operands are decoded to bf16 in shared
/// memory. Its exponents are those of f32 and of ue8m0 scales; its 8 bits hold
/// every product of a value with a scale.
LogicalResult TileKernel::analyzeDecoding(ScaledDotOp op, Dot &dot) {
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  Type bf16 = BFloat16Type::get(op.getContext());
  for (Value operand : {op.getA(), op.getB()}) {
    Type type = cast<RankedTensorType>(operand.getType()).getElementType();
    if (!isa<Float4E2M1FNType, Float8E4M3FNType, Float8E5M2Type>(type))
      return op.emitOpError("expected operands of f4E2M1FN, f8E4M3FN or f8E5M2 "
                            "to decode on a target without block-scaled tensor "
                            "cores, got ")
             << type;
  }
  std::string reason;
  const target::InstructionForm *form =
      selectWgmmaForm(*gpu, bf16, bf16, n, reason);
  if (!form)
    return op.emitOpError(reason);
  if (k % form->k != 0 || m != 128 || consumers != 1)
    return op.emitOpError("expected 128 rows, a multiple of ")
           << form->k << " elements of K and no bsmm.ping_pong with operands "
           << "that are decoded, got " << m << "x" << n << "x" << k;
  consumerWarpgroups = 2;
  dot.decodedA = operandType(op, bf16, m, k);
  dot.decodedB = operandType(op, bf16, n, k);
  return success(dot.decodedA && dot.decodedB);
}

LogicalResult TileKernel::analyzeScaledDot(ScaledDotOp op) {
  FailureOr<ScaledDotTiles> tiles = proveScaledDot(op);
  if (failed(tiles))
    return failure();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  Type aType = cast<RankedTensorType>(op.getA().getType()).getElementType();
  Type bType = cast<RankedTensorType>(op.getB().getType()).getElementType();
  Type scaleType =
      cast<RankedTensorType>(op.getScaleA().getType()).getElementType();
  if (!accumulatesInRegisters() && failed(checkScaledForm(op)))
    return failure();
  if (tiles->scaleA.rowOffset)
    return op.emitOpError(
        "expected all rows of the loaded scales of A, which start at a "
        "multiple of 128 rows");

  if (Value offset = tiles->scaleB.rowOffset) {
    // 32 rows are a column of tensor memory; others are read row by row.
    int64_t step = accumulatesInRegisters() ? 1 : layout::scaleColumnRows;
    auto last = findLastScaleRow(offset, step);
    if (!last)
      return op.emitOpError("expected the rows of the scales of B to start at "
                            "a multiple of ")
             << step << " in a scale tile, e.g. at the remainder by "
             << layout::scaleTileRows << " of a multiple of " << step;
    int64_t loaded = tiles->scaleB.chain.shape()[0];
    if (*last + n > loaded)
      return op.emitOpError("expected scales for ")
             << n << " rows of B from row " << *last
             << " of a scale tile on, got " << loaded << " rows";
  }
  if (failed(checkTile(op, m, n, k)))
    return failure();

  auto emitError = [&] { return op.emitOpError(); };
  MLIRContext *context = op.getContext();
  auto scalesType = [&](const LoadedTile &tile) {
    return BufferType::getChecked(
        emitError, context, ArrayRef<int64_t>(tile.chain.shape()), scaleType,
        MemorySpace::Shared, BufferLayout::ScaleTiles);
  };
  FailureOr<unsigned> a =
      addLoad(op, tiles->a.load, operandType(op, aType, m, k));
  FailureOr<unsigned> scaleA =
      addLoad(op, tiles->scaleA.load, scalesType(tiles->scaleA));
  FailureOr<unsigned> b =
      addLoad(op, tiles->b.load, operandType(op, bType, n, k));
  FailureOr<unsigned> scaleB =
      addLoad(op, tiles->scaleB.load, scalesType(tiles->scaleB));
  if (failed(a) || failed(scaleA) || failed(b) || failed(scaleB))
    return failure();
  Dot dot;
  dot.op = op;
  if (accumulatesInRegisters() && failed(analyzeDecoding(op, dot)))
    return failure();
  dot.a = *a;
  dot.b = *b;
  dot.scaleA = *scaleA;
  dot.scaleB = *scaleB;
  dot.limitK = op.getLimitK();
  if (failed(checkLoads(op, dot)))
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
        other.limitK != dot.limitK)
      return op.emitOpError("expected one limit_k for scaled dots that share "
                            "loaded scales");
  // Row 0 is where the buffer starts.
  APInt offset;
  if (tiles->scaleB.rowOffset &&
      !(matchPattern(tiles->scaleB.rowOffset, m_ConstantInt(&offset)) &&
        offset.isZero()))
    dot.scaleBOffset = tiles->scaleB.rowOffset;
  dots.push_back(dot);
  return success();
}

/// The scales that a sum is multiplied with are loaded for the step at hand.
LogicalResult TileKernel::analyzeSumScales(DotOp op, Dot &dot) {
  if (op.getScales().empty())
    return success();
  ScaleLoadOp *places[] = {&dot.rowScales, &dot.columnScales};
  for (auto [place, scales] : llvm::zip(places, op.getScales())) {
    *place = scales.getDefiningOp<ScaleLoadOp>();
    if (!*place || (*place)->getBlock() != mainLoop.getBody())
      return op.emitOpError("expected scales of a bsmm.scale_load in the same "
                            "loop body");
  }
  if (dot.rowScales.getBlock() != 1)
    return dot.rowScales.emitOpError("expected a scale for each row of A, i.e. "
                                     "block 1, got ")
           << int64_t(dot.rowScales.getBlock());
  int64_t block = dot.columnScales.getBlock();
  if (block < 8 || block % 8 != 0)
    return dot.columnScales.emitOpError("expected a scale for a multiple of 8 "
                                        "columns, got ")
           << block;
  if (!mainLoop.isDefinedOutsideOfLoop(dot.columnScales.getRow()))
    return dot.columnScales.emitOpError("expected the same columns in every "
                                        "step of the loop over K");
  // Where a tile starts in its block of columns.
  int64_t alignment = block;
  while (alignment % 8 == 0 &&
         !isMultipleOf(dot.columnScales.getRow(), alignment))
    alignment /= 2;
  if (alignment % 8 != 0)
    return dot.columnScales.emitOpError(
        "expected a first column that is a multiple of 8, such as the tile's "
        "number times its columns");
  dot.columnAlignment = alignment;
  return success();
}

/// How the sums of a step with so many parts of K are promoted: an accumulator
/// of their own beside the main one, of `registers` of a thread. Two of them,
/// of fewer columns if need be, take turns, so that one is added while the next
/// one is multiplied; where they do not fit there is one. Returns their
/// registers.
int64_t TileKernel::choosePromotion(int64_t depthParts, bool hasSumScales,
                                    bool hasOnePanel, int64_t registers,
                                    int64_t most) {
  // The scales of more rows need more registers around them, of two steps.
  int64_t rowBlocks = rows / 64 / (splitsByColumns ? 1 : consumerWarpgroups);
  int64_t rowRegisters = hasSumScales ? 16 * (rowBlocks - 1) : 0;
  // Two steps, the sum of each in an accumulator of its own. Consumers that
  // take turns would end theirs late: behind the steps that fill no trip.
  int64_t mostInTrips = hasSumScales ? most - rowRegisters : maxTripRegisters;
  if (hasSumScales && kernel.getNumClusterCtas() != 1)
    mostInTrips -= clusterRegisters;
  if (depthParts == 1 && consumers == 1 && !countTrips(mainLoop) &&
      3 * registers <= mostInTrips) {
    overlapsPromotion = true;
    promotedTripSteps = 2;
    return 2 * registers;
  }
  // The dots of a step have the same parts of columns.
  SmallVector<int64_t> counts = {1, 2, 4};
  if (!dots.empty())
    counts = {promotedColumnParts};
  for (int64_t parts : counts) {
    if (depthParts * parts < 2 ||
        (parts > 2 && (consumers != 1 || hasSumScales)))
      continue;
    // Each part reads the rows of A again from shared memory: with few columns
    // the tensor core would wait for that.
    if (parts > 1 && (splitsByColumns || columns % (8 * parts) != 0 ||
                      columns / parts < minPromotedColumns))
      continue;
    // More parts need more registers around them, too.
    int64_t others = (parts > 2 ? 16 : 0) + rowRegisters;
    if (registers + 2 * registers / parts > most - others)
      continue;
    promotedColumnParts = parts;
    overlapsPromotion = dots.empty() || overlapsPromotion;
    return 2 * registers / parts;
  }
  // Warpgroups that share the columns have rows in parts, which reads no
  // operand more often. Rows of A are together in one panel only.
  overlapsPromotion = false;
  if (numDots == 1 && splitsByColumns && hasOnePanel && !hasSumScales &&
      rowBlocks > 1 && registers + 2 * registers / rowBlocks <= most) {
    promotedRowParts = rowBlocks;
    overlapsPromotion = true;
    return 2 * registers / rowBlocks;
  }
  return registers / promotedColumnParts;
}

LogicalResult TileKernel::analyzeDot(DotOp op) {
  FailureOr<DotTiles> tiles = proveDot(op);
  if (failed(tiles))
    return failure();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  Type aType = cast<RankedTensorType>(op.getA().getType()).getElementType();
  Type bType = cast<RankedTensorType>(op.getB().getType()).getElementType();
  std::string reason;
  const target::InstructionForm *form =
      selectWgmmaForm(*gpu, aType, bType, n, reason);
  if (!form)
    return op.emitOpError(reason);
  if (k % form->k != 0)
    return op.emitOpError("expected a multiple of ")
           << form->k << " elements of K in a step of " << StringRef(form->name)
           << ", got " << k;
  if (failed(checkTile(op, m, n, k)))
    return failure();
  if (m != 64 && m != 128 && m != 192 && m != 256)
    return op.emitOpError("expected 64, 128, 192 or 256 rows for the "
                          "warpgroups of a CTA, got ")
           << m;
  // Two warpgroups have the same number of 64-row blocks, or else of columns;
  // with turns each has all of both.
  splitsByColumns = m == 192 && consumers == 1;
  if (splitsByColumns && n % 16 != 0)
    return op.emitOpError("expected a multiple of 16 columns in a tile of 192 "
                          "rows, whose columns two warpgroups share, got ")
           << n;
  consumerWarpgroups = m == 64 || consumers != 1 ? 1 : 2;

  Dot dot;
  dot.op = op;
  if (auto every = op.getPromoteEvery()) {
    if (*every % form->k != 0)
      return op.emitOpError("expected promote_every to be a multiple of ")
             << form->k << " elements of K of " << StringRef(form->name)
             << ", got " << int64_t(*every);
    dot.promoteEvery = int64_t(*every);
  }
  if (failed(analyzeSumScales(op, dot)))
    return failure();
  int64_t registers = m / 64 * (n / 2) / consumerWarpgroups;
  int64_t most = maxAccumulatorRegisters;
  if (dot.rowScales && consumers != 1)
    most -= scaleRegisters;
  bool hasExponential =
      kernel.walk([](math::ExpOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (hasExponential && consumers != 1 && kernel.getNumClusterCtas() != 1)
    most -= exponentialRegisters;
  BufferType aBuffer = operandType(op, aType, m, k);
  if (!aBuffer)
    return failure();
  if (dot.promoteEvery)
    registers +=
        choosePromotion(numDots * k / dot.promoteEvery, bool(dot.rowScales),
                        isOnePanel(aBuffer), registers, most);
  if (registers > most && promotedTripSteps == 1)
    return op.emitOpError("expected at most ")
           << most << " registers of a thread for accumulators, got "
           << registers << " for a tile of " << m << "x" << n
           << (dot.promoteEvery ? " with promote_every" : "")
           << "; use a smaller tile";
  FailureOr<unsigned> a = addLoad(op, tiles->a.load, aBuffer);
  FailureOr<unsigned> b =
      addLoad(op, tiles->b.load, operandType(op, bType, n, k));
  if (failed(a) || failed(b))
    return failure();
  dot.a = *a;
  dot.b = *b;
  if (failed(checkLoads(op, dot)))
    return failure();
  if (!dots.empty() &&
      (dots.front().promoteEvery == 0) != (dot.promoteEvery == 0))
    return op.emitOpError("expected promote_every on all dots of an "
                          "accumulator or on none");
  if (!dots.empty() && bool(dots.front().rowScales) != bool(dot.rowScales))
    return op.emitOpError("expected scales on all dots of an accumulator or on "
                          "none");
  dots.push_back(dot);
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel around them
//===----------------------------------------------------------------------===//

LogicalResult TileKernel::analyze() {
  TargetAttr targetAttr = kernel.resolveTarget();
  if (!targetAttr)
    return kernel.emitOpError(
        "expected a target, e.g. target = #bsmm.target<\"sm_100a\">");
  gpu = target::findGpu(std::string_view(targetAttr.getChip()));
  if (!gpu->hasTcgen05 && !gpu->hasWgmma)
    return kernel.emitOpError("expected a target with tensor memory or wgmma, "
                              "got ")
           << targetAttr.getChip()
           << "; the pipeline level of other targets is not built yet";

  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) {
    if (isa<ScaledDotOp, DotOp>(op))
      found.push_back(op);
  });
  if (found.empty())
    return kernel.emitOpError("expected a bsmm.scaled_dot or bsmm.dot in a "
                              "loop over K");
  for (Operation *op : found) {
    if (isa<DotOp>(op) && !gpu->hasWgmma)
      return op->emitOpError("expected a target with wgmma, got ")
             << targetAttr.getChip()
             << "; multiply with block scales there (bsmm.scaled_dot)";
  }
  mainLoop = dyn_cast<scf::ForOp>(found.front()->getParentOp());
  if (!mainLoop)
    return found.front()->emitOpError("expected to be directly in an scf.for "
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

  if (failed(analyzeSpecialization()) || failed(analyzeFlattening()) ||
      failed(analyzePingPong()))
    return failure();
  if (mainLoop.getNumResults() != 1)
    return mainLoop.emitOpError("expected the accumulator as only value "
                                "carried around the loop over K");
  if (!matchPattern(mainLoop.getInitArgs()[0], m_PosZeroFloat()))
    return mainLoop.emitOpError(
        "expected the accumulator to start as a constant of zeros");
  if (failed(analyzeTranspose()))
    return failure();
  Value sum = mainLoop.getRegionIterArg(0);
  numDots = int64_t(found.size());
  for (Operation *op : found) {
    if (op->getParentOp() != mainLoop)
      return op->emitOpError("expected all dots in one loop over K");
    auto scaled = dyn_cast<ScaledDotOp>(op);
    Value accumulator =
        scaled ? scaled.getAccumulator() : cast<DotOp>(op).getAccumulator();
    if (accumulator != sum || !accumulator.hasOneUse())
      return op->emitOpError("expected to add to the one accumulator of the "
                             "loop over K");
    sum = op->getResult(0);
    if (failed(scaled ? analyzeScaledDot(scaled) : analyzeDot(cast<DotOp>(op))))
      return failure();
  }
  auto yield = cast<scf::YieldOp>(mainLoop.getBody()->getTerminator());
  if (yield.getOperand(0) != sum)
    return mainLoop.emitOpError("expected the loop over K to yield the sum of "
                                "its dots");
  for (Operation &op : mainLoop.getBody()->without_terminator()) {
    if (auto scales = dyn_cast<ScaleLoadOp>(op);
        scales && !llvm::any_of(dots, [&](Dot &dot) {
          return dot.rowScales == scales || dot.columnScales == scales;
        }))
      return scales.emitOpError("expected every load of the loop over K to "
                                "feed a dot");
    if (isa<TmaLoadOp, ScaleLoadOp, ReshapeOp, TransOp, ExtractRowsOp,
            ScaledDotOp, DotOp>(op)) {
      if (auto load = dyn_cast<TmaLoadOp>(op);
          load && !llvm::is_contained(loads, load))
        return load.emitOpError("expected every load of the loop over K to "
                                "feed a dot");
      continue;
    }
    if (!isScalarCode(&op))
      return op.emitOpError("expected only loads, reshapes, dots and "
                            "scalar arithmetic in a loop over K");
  }

  if (!accumulatesInRegisters()) {
    accumulatorType = BufferType::getChecked(
        [&] { return found.front()->emitOpError(); }, kernel.getContext(),
        ArrayRef<int64_t>{rows, accumulatorColumns},
        Type(Float32Type::get(kernel.getContext())), MemorySpace::TensorMemory,
        BufferLayout::Accumulator);
    if (!accumulatorType)
      return failure();
  }
  return success(succeeded(analyzeSplit()) &&
                 succeeded(analyzeEpilogueWarps()) &&
                 succeeded(analyzeStore()) &&
                 succeeded(analyzeSurroundings()) && succeeded(chooseMemory()));
}

/// Where the stored columns start is provably inside of the accumulator.
LogicalResult TileKernel::checkFirstColumn() {
  int64_t left = extract.getSource().getType().getDimSize(1) -
                 extract.getType().getDimSize(1);
  Value offset = extract.getOffset();
  APInt constant;
  // Constants have been verified.
  if (matchPattern(offset, m_ConstantInt(&constant)))
    return success();
  auto remainder = offset.getDefiningOp<arith::RemUIOp>();
  if (!remainder ||
      !matchPattern(remainder.getRhs(), m_ConstantInt(&constant)) ||
      !constant.isStrictlyPositive())
    return extract.emitOpError("expected an offset that is a constant or a "
                               "remainder by one");
  // The largest remainder of a multiple of a power of two.
  int64_t divisor = constant.getSExtValue(), step = 1;
  while (divisor % (2 * step) == 0 &&
         isMultipleOf(remainder.getLhs(), 2 * step))
    step *= 2;
  if (divisor - step > left)
    return extract.emitOpError("expected columns inside of the tile, got "
                               "offsets up to ")
           << divisor - step << ", of which at most " << left << " are legal";
  return success();
}

/// Whether the epilogue is that of some columns of the sum, or of the
/// transposed sum.
LogicalResult TileKernel::analyzeTranspose() {
  sum = mainLoop.getResult(0);
  for (Operation *user : sum.getUsers())
    if (auto found = dyn_cast<ExtractColumnsOp>(user))
      extract = found;
  if (extract) {
    if (accumulatesInRegisters())
      return extract.emitOpError("expected the accumulator of the loop over K "
                                 "as it is: only of those in tensor memory "
                                 "some columns are stored");
    if (!sum.hasOneUse())
      return extract.emitOpError("expected to be the only user of the loop "
                                 "over K");
    if (failed(checkFirstColumn()))
      return failure();
    sum = extract.getResult();
  }
  TransOp transpose;
  for (Operation *user : sum.getUsers())
    if (auto found = dyn_cast<TransOp>(user);
        found && found.getOrder() == ArrayRef<int64_t>{1, 0})
      transpose = found;
  if (!transpose)
    return success();
  if (accumulatesInRegisters())
    return transpose.emitOpError("expected the accumulator of the loop over K "
                                 "as it is: only those in tensor memory are "
                                 "stored transposed");
  if (!sum.hasOneUse())
    return transpose.emitOpError("expected to be the only user of the loop "
                                 "over K");
  sum = transpose.getResult();
  isTransposed = true;
  return success();
}

LogicalResult TileKernel::analyzeStore() {
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
      !element.isF16() && !element.isBF16() && !element.isF32() &&
      !isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return store->emitOpError("expected an output of f16, bf16, f32, f8E4M3FN "
                              "or f8E5M2, got ")
           << element;
  SmallVector<int64_t, 2> extents = {rows, columns};
  if (isTransposed)
    std::swap(extents[0], extents[1]);
  if (stored.getNumElements() != rows * columns || stored.getRank() < 2 ||
      stored.getShape().take_back(2) != ArrayRef<int64_t>(extents))
    return store->emitOpError("expected a tile of ")
           << extents[0] << "x" << extents[1]
           << (isTransposed ? " like the transposed accumulator"
                            : " like the accumulator")
           << ", got " << stored;
  if (auto tmaStore = dyn_cast<TmaStoreOp>(store))
    return chooseStaging(tmaStore, stored.getElementType());
  return success();
}

/// The next narrower swizzle; the narrowest one stays.
static BufferLayout narrowSwizzle(BufferLayout layout) {
  return layout == BufferLayout::Swizzle128B ? BufferLayout::Swizzle64B
                                             : BufferLayout::Swizzle32B;
}

/// The part of the output tile that lies in shared memory at a time: pieces of
/// a swizzle's width that take turns leave more memory to the loads.
LogicalResult TileKernel::chooseStaging(TmaStoreOp op, Type element) {
  if (failed(checkInnerCoordinate(op, op.getMap().getType(),
                                  op.getCoordinates().back())))
    return failure();
  return setStaging(op, element,
                    widestSwizzle((isTransposed ? rows : getDrainedColumns()) *
                                  getElementBits(element)));
}

LogicalResult TileKernel::setStaging(TmaStoreOp op, Type element,
                                     BufferLayout layout) {
  int64_t bits = getElementBits(element);
  int64_t drainedColumns = getDrainedColumns();
  int64_t pieceColumns = drainedColumns;
  stagingSlots = 1;
  // The columns of the output tile are rows of the accumulator: each drain
  // writes all of them. Warpgroups that share the accumulator's columns have a
  // buffer each for their rows of the output tile.
  if (isTransposed) {
    stagingSlots = consumerWarpgroups;
    stagingType = BufferType::getChecked(
        [&] { return op.emitOpError(); }, op.getContext(),
        ArrayRef<int64_t>{drainedColumns, rows}, element, MemorySpace::Shared,
        layout);
    if (!stagingType)
      return failure();
    return success(
        succeeded(planBoxes(op, getStoreMapType(op), getStoreType())));
  }
  // Consumers that take turns have a buffer each and time to wait for it: small
  // pieces leave memory to the loads.
  if (consumers != 1 && layout == BufferLayout::Swizzle128B)
    layout = BufferLayout::Swizzle64B;
  if (layout != BufferLayout::RowMajor) {
    pieceColumns = layout::swizzleWidth(getSwizzleMode(layout)) * 8 / bits;
    stagingSlots = drainedColumns == pieceColumns || consumers != 1 ? 1 : 2;
  }
  stagingType = BufferType::getChecked(
      [&] { return op.emitOpError(); }, op.getContext(),
      ArrayRef<int64_t>{getDrainedRows() * consumerWarpgroups, pieceColumns},
      element, MemorySpace::Shared, layout);
  if (!stagingType)
    return failure();
  return success(succeeded(planBoxes(op, getStoreMapType(op), getStoreType())));
}

BufferType TileKernel::getStoreType() const {
  if (isTransposed)
    return stagingType;
  return BufferType::get(stagingType.getContext(),
                         {getDrainedRows(), stagingType.getShape()[1]},
                         stagingType.getElementType(), MemorySpace::Shared,
                         stagingType.getLayout());
}

TensorMapType TileKernel::getStoreMapType(TmaStoreOp op) const {
  TensorMapType map = op.getMap().getType();
  SmallVector<int64_t> shape(map.getShape());
  ArrayRef<int64_t> stored = getStoreType().getShape();
  shape[shape.size() - 2] = stored[0];
  shape.back() = stored[1];
  return TensorMapType::get(op.getContext(), shape, map.getElementType());
}

/// The map of a CTA's share of a load of scale tiles: the outermost dimensions
/// that are not 1 are shared out, so that a share's tiles lie side by side.
/// Null when the CTAs do not divide them.
static TensorMapType findScaleShare(TensorMapType map, BufferType type,
                                    int64_t ctas) {
  // All groups of some rows, or some groups of 128 rows.
  int64_t rowTiles = type.getShape()[0] / layout::scaleTileRows;
  int64_t groupTiles = type.getShape()[1] / layout::scaleTileGroups;
  int64_t rowParts = std::gcd(rowTiles, ctas);
  if (rowParts != ctas &&
      (rowParts != rowTiles || groupTiles % (ctas / rowParts) != 0))
    return {};
  SmallVector<int64_t> shape(map.getShape());
  for (int64_t dim = 0, inner = map.getShape().size(); dim < inner; ++dim) {
    int64_t tiles = 1;
    for (int64_t extent : ArrayRef(shape).drop_front(dim + 1))
      tiles *= extent;
    // What is left of a tile stays whole.
    if (tiles % layout::scaleTileBytes != 0)
      return {};
    int64_t parts = std::gcd(shape[dim], ctas);
    if (parts != shape[dim] && parts != ctas)
      return {};
    shape[dim] /= parts;
    ctas /= parts;
    if (ctas == 1)
      return TensorMapType::get(map.getContext(), shape, map.getElementType());
  }
  return {};
}

/// The map of a CTA's share of a load; null when the load has no equal shares
/// whose bytes lie side by side.
static TensorMapType findShare(TensorMapType map, BufferType type,
                               int64_t ctas) {
  if (type.getLayout() == BufferLayout::ScaleTiles)
    return findScaleShare(map, type, ctas);
  // Whole atoms of the one panel that the buffer consists of.
  if (type.getShape()[0] % (8 * ctas) != 0 || !isOnePanel(type))
    return {};
  SmallVector<int64_t> shape(map.getShape());
  shape[shape.size() - 2] /= ctas;
  return TensorMapType::get(map.getContext(), shape, map.getElementType());
}

/// Which loads the CTAs of a cluster share out.
LogicalResult TileKernel::analyzeMulticast() {
  multicast = kernel.getNumClusterCtas();
  // The thread that loads waits for the last slots after all of its tiles.
  if (!accumulatesInRegisters() &&
      specialization !=
          (tileLoop ? Specialization::TileLoop : Specialization::KLoop))
    return mainLoop.emitOpError("expected bsmm.warp_specialize = true on the "
                                "loop over ")
           << (tileLoop ? "output tiles" : "K") << " alone, with " << multicast
           << " CTAs of a cluster that load together";
  for (scf::ForOp loop : {tileLoop, mainLoop})
    for (Value bound : loop ? loop.getOperands().take_front(3) : ValueRange())
      if (!isSameInCluster(bound, multicast))
        return loop.emitOpError("expected bounds that are the same in all ")
               << multicast << " CTAs of the cluster, which load together; "
               << "divide block_id x by the cluster's size";
  for (auto [index, load] : llvm::enumerate(loads)) {
    bool isSame = llvm::all_of(load.getCoordinates(), [&](Value coordinate) {
      return isSameInCluster(coordinate, multicast);
    });
    if (isSame && load.getMap().hasOneUse())
      shares[index] =
          findShare(load.getMap().getType(), loadTypes[index], multicast);
  }
  bool isShared = llvm::any_of(
      dots, [&](Dot &dot) { return shares[dot.a] || shares[dot.b]; });
  if (!isShared)
    return kernel.emitOpError("expected a load that is the same in all ")
           << multicast
           << " CTAs of the cluster, of one swizzle's width and a multiple of "
           << 8 * multicast << " rows";
  // One warp takes longer to issue the copies of a short step than the tensor
  // core to multiply it. Two warps share them, of which the one that loads what
  // each CTA has for itself need not wait for the other CTAs at the start.
  bool isShort = llvm::all_of(dots, [&](const Dot &dot) {
    BufferType a = loadTypes[dot.a];
    return getPackedBytes(a.getElementType(), a.getShape()[1]) <=
           shortStepBytes;
  });
  if (accumulatesInRegisters() || !tileLoop || !isShort)
    return success();
  SmallVector<unsigned> own, together;
  for (unsigned index = 0; index < loads.size(); ++index) {
    bool isTogether = llvm::any_of(dots, [&](const Dot &dot) {
      return (shares[dot.a] && (index == dot.a || index == dot.scaleA)) ||
             (shares[dot.b] && (index == dot.b || index == dot.scaleB));
    });
    (isTogether ? together : own).push_back(index);
  }
  if (!own.empty())
    loadGroups = {own, together};
  return success();
}

/// How many CTAs share the steps of the loop over K.
LogicalResult TileKernel::analyzeSplit() {
  auto stated =
      mainLoop->getAttrOfType<IntegerAttr>(BsmmDialect::getSplitAttrName());
  if (stated)
    split = stated.getInt();
  int64_t ctas = kernel.getNumClusterCtas();
  shares.assign(loads.size(), TensorMapType());
  loadGroups.assign(1, llvm::to_vector(llvm::seq(unsigned(loads.size()))));
  if (!stated && ctas != 1)
    return analyzeMulticast();
  if (ctas != split)
    return kernel.emitOpError("expected a cluster_size of ")
           << split << " CTAs, those that share the steps of the loop over K, "
           << "got " << ctas;
  if (split == 1)
    return success();
  if (tileLoop)
    return mainLoop.emitOpError("expected no bsmm.split in a loop over output "
                                "tiles");
  if (splitsByColumns)
    return mainLoop.emitOpError("expected no bsmm.split with a tile of 192 "
                                "rows, whose columns two warpgroups share");
  // Two columns of each thread in units of four; 16 bytes of f16.
  int64_t unit = accumulatesInRegisters() ? 16 : 8;
  if (columns % (unit * split) != 0)
    return mainLoop.emitOpError("expected a number of columns that is a "
                                "multiple of ")
           << unit * split << " for " << split << " CTAs, got " << columns;
  exchangeType = BufferType::getChecked(
      [&] { return mainLoop.emitOpError(); }, kernel.getContext(),
      ArrayRef<int64_t>{(split - 1) * rows, getOutputColumns()},
      Type(Float32Type::get(kernel.getContext())), MemorySpace::Shared,
      BufferLayout::RowMajor);
  return success(bool(exchangeType));
}

/// Whether warpgroups take turns with output tiles.
LogicalResult TileKernel::analyzePingPong() {
  for (scf::ForOp loop : {mainLoop, tileLoop}) {
    if (!loop || !loop->hasAttr(BsmmDialect::getPingPongAttrName()))
      continue;
    if (loop != tileLoop)
      return loop.emitOpError("expected bsmm.ping_pong on a loop over output "
                              "tiles, got it on the loop over K");
    if (!accumulatesInRegisters())
      return loop.emitOpError("expected no bsmm.ping_pong with accumulators in "
                              "tensor memory: draining is a role of its own "
                              "there");
    // Up to three tiles leave a consumer a single one, and no loop that could
    // be compared with the producer's.
    if (countTrips(tileLoop).value_or(4) > 3)
      consumers = 2;
  }
  if (consumers == 1)
    return success();
  if (Type type = tileLoop.getInductionVar().getType();
      !type.isSignlessInteger(32))
    return tileLoop.emitOpError("expected an i32 loop over output tiles with "
                                "bsmm.ping_pong, got ")
           << type;
  // A consumer counts the steps of the tiles that it leaves to the other one.
  moveLoopInvariantCode(tileLoop);
  for (Value bound :
       {mainLoop.getLowerBound(), mainLoop.getUpperBound(), mainLoop.getStep()})
    if (!tileLoop.isDefinedOutsideOfLoop(bound))
      return mainLoop.emitOpError("expected bounds that are the same for all "
                                  "output tiles, which bsmm.ping_pong needs");
  return success();
}

/// How many warpgroups drain a tile in tensor memory: two share its columns,
/// since each reads all rows.
LogicalResult TileKernel::analyzeEpilogueWarps() {
  auto stated = mainLoop->getAttrOfType<IntegerAttr>(
      BsmmDialect::getEpilogueWarpsAttrName());
  if (!stated || stated.getInt() == target::threads::warpsPerWarpgroup)
    return success();
  if (accumulatesInRegisters())
    return mainLoop.emitOpError("expected bsmm.epilogue_warps = 8 with "
                                "accumulators in tensor memory only");
  if (columns % (16 * split) != 0)
    return mainLoop.emitOpError("expected a multiple of ")
           << 16 * split << " columns for two warpgroups that share them"
           << (split == 1 ? "" : " in each CTA of the cluster") << ", got "
           << columns;
  consumerWarpgroups = stated.getInt() / target::threads::warpsPerWarpgroup;
  splitsByColumns = true;
  return success();
}

LogicalResult TileKernel::analyzeLoop(scf::ForOp loop) {
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
LogicalResult TileKernel::analyzeSurroundings() {
  SmallVector<Block *> blocks = {&kernel.getBody().front()};
  if (tileLoop)
    blocks.push_back(tileLoop.getBody());
  for (Block *block : blocks) {
    for (Operation &op : *block) {
      if (&op == tileLoop || &op == mainLoop || &op == store ||
          op.hasTrait<OpTrait::IsTerminator>())
        continue;
      bool isTileCode = isTensorOp(&op) && op.getNumRegions() == 0 &&
                        (isMemoryEffectFree(&op) ||
                         isa<VectorLoadOp, PredicatedLoadOp>(op)) &&
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

/// Shared memory of a slot of the loads, of all their groups.
int64_t TileKernel::getSlotBytes() const {
  int64_t bytes = 0;
  for (ArrayRef<unsigned> group : loadGroups) {
    int64_t slot = 0, alignment = 1;
    for (unsigned load : group) {
      BufferType type = loadTypes[load];
      slot = llvm::alignTo(slot, type.getSharedAlignment()) +
             type.getSharedBytes();
      alignment = std::max(alignment, type.getSharedAlignment());
    }
    bytes += llvm::alignTo(slot, alignment);
  }
  return bytes;
}

/// Slots of the load channel of a kernel with accumulators in registers that
/// fit beside the rest of shared memory.
int64_t TileKernel::countStages() const {
  // Room for the barriers. Operands in rows of a swizzle's width leave none
  // between them.
  int64_t rest = gpu->sharedMemoryPerBlock - 1024;
  if (stagingType && !stagesOverSlots)
    rest -= consumers * stagingSlots * stagingType.getSharedBytes();
  if (exchangeType)
    rest -= exchangeType.getSharedBytes();
  for (const Dot &dot : dots)
    if (dot.decodedA)
      rest -= dot.decodedA.getSharedBytes() + dot.decodedB.getSharedBytes();
  // Vectors of the epilogue, for each warpgroup.
  for (Operation &op : *store->getBlock())
    if (auto load = dyn_cast<VectorLoadOp>(op))
      rest -= consumers * llvm::alignTo(consumerWarpgroups * 4 *
                                            load.getType().getNumElements(),
                                        target::tma::sharedAlignment);
  return rest / getSlotBytes();
}

/// Shared memory of a kernel with accumulators in tensor memory, at most: what
/// bsmm-assign-memory places.
int64_t TileKernel::getSharedBytes(int64_t slots) const {
  // The slots of each group begin at their alignment.
  int64_t bytes = slots * getSlotBytes();
  for (ArrayRef<unsigned> group : ArrayRef(loadGroups).drop_front())
    for (unsigned load : group)
      bytes = llvm::alignTo(bytes, loadTypes[load].getSharedAlignment());
  for (int64_t index = 0;
       stagingType && !stagesOverSlots && index < stagingSlots; ++index)
    bytes = llvm::alignTo(bytes, stagingType.getSharedAlignment()) +
            stagingType.getSharedBytes();
  if (exchangeType)
    bytes = llvm::alignTo(bytes, exchangeType.getSharedAlignment()) +
            exchangeType.getSharedBytes();
  // Two barriers for each slot and each accumulator, of which there are two at
  // least in this sum: a single one leaves room for the barrier of what CTAs
  // send each other. And the word that receives the address of tensor memory.
  int64_t places =
      int64_t(loadGroups.size()) * slots + std::max<int64_t>(accumulators, 2);
  return llvm::alignTo(bytes, target::mbarrier::alignment) +
         (2 * places + 1) * target::mbarrier::bytes;
}

/// Slots of a loop that does not say how many: those that fit, up to a limit.
int64_t TileKernel::countDefaultStages() const {
  if (accumulatesInRegisters())
    return std::clamp<int64_t>(countStages(), 1, maxDefaultStages);
  int64_t slots = maxDefaultStages;
  while (slots > 1 && getSharedBytes(slots) > gpu->sharedMemoryPerBlock)
    --slots;
  return slots;
}

/// Stages the output where the operands were, when a CTA has one tile: nothing
/// is loaded any more then. Returns whether that is possible with the slots
/// that are stated, or that fit (0).
bool TileKernel::stageOverSlots(int64_t stated) {
  // Warps that decode operands write and read other buffers, too.
  if (tileLoop || !stagingType || dots.front().decodedA)
    return false;
  int64_t previous = stagingSlots;
  stagesOverSlots = true;
  stagingSlots = isTransposed ? consumerWarpgroups : getStagingPieces();
  int64_t slots = stated != 0 ? stated : countDefaultStages();
  // The channel is the first thing in shared memory: buffers of any alignment
  // begin with it.
  if (stagingSlots * stagingType.getSharedBytes() <= slots * getSlotBytes())
    return true;
  stagesOverSlots = false;
  stagingSlots = previous;
  return false;
}

/// Stages of a kernel with accumulators in tensor memory. Where the widest
/// pieces of the output tile leave too little memory, narrower ones take turns.
LogicalResult TileKernel::chooseStages(int64_t stated) {
  auto fits = [&](int64_t slots) {
    return getSharedBytes(slots) <= gpu->sharedMemoryPerBlock;
  };
  auto store = dyn_cast<TmaStoreOp>(this->store);
  if (stageOverSlots(stated))
    store = {};
  BufferType widest = stagingType;
  auto use = [&](BufferLayout layout) {
    return setStaging(store, widest.getElementType(), layout);
  };
  for (int64_t wanted = stated != 0 ? stated : minDefaultStages; store;
       --wanted) {
    while (stagingType.getLayout() != BufferLayout::RowMajor &&
           stagingType.getLayout() != BufferLayout::Swizzle32B && !fits(wanted))
      if (failed(use(narrowSwizzle(stagingType.getLayout()))))
        return failure();
    if (stated != 0 || wanted == 1 || fits(wanted))
      break;
    if (failed(use(widest.getLayout())))
      return failure();
  }
  stages = stated != 0 ? stated : countDefaultStages();
  return success();
}

LogicalResult TileKernel::chooseMemory() {
  if (failed(chooseAccumulators()))
    return failure();
  auto stated =
      mainLoop->getAttrOfType<IntegerAttr>(BsmmDialect::getStagesAttrName());
  if (!accumulatesInRegisters()) {
    if (failed(chooseStages(stated ? stated.getInt() : 0)))
      return failure();
  } else {
    bool isOver = stageOverSlots(stated ? stated.getInt() : 0);
    // One more slot for loads is worth more than a second buffer.
    if (!isOver && !stated && stagingSlots == 2 &&
        countStages() < minLateStages) {
      stagingSlots = 1;
      if (countStages() < minLateStages)
        stagingSlots = 2;
    }
    stages = stated ? stated.getInt() : countDefaultStages();
  }
  // A second step is waited for before the first one's slot is given away.
  if (stages == 1 && promotedTripSteps != 1) {
    promotedTripSteps = 1;
    overlapsPromotion = false;
  }
  // More buffers for the output, where the loads lose no slot by them: a piece
  // that has one of its own waits for no store.
  if (stagingType && accumulatesInRegisters())
    while (stagingSlots < getStagingPieces()) {
      ++stagingSlots;
      if (countStages() < stages) {
        --stagingSlots;
        break;
      }
    }
  if (consumers != 1 && stages == 1)
    return mainLoop.emitOpError("expected at least 2 stages with "
                                "bsmm.ping_pong, got 1");
  return success();
}
