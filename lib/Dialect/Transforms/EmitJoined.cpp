//===- EmitJoined.cpp - warps that load, multiply and drain ---------------===//
//
// Where the loop over output tiles is not shared out over roles, the warps that
// load and multiply are warps of those that drain: a tile's steps are work of
// two roles (bsmm.warp_specialize on the loop over K) or of one warp, then all
// warps join in its epilogue.
//
// One warp runs through the steps of the loads, and `ahead` steps behind them
// through those of the multiplications:
//
//   for t = lower .. upper + ahead * step, iteration j
//     if t >= lower + ahead * step: wait[j - ahead]; multiply; release
//     if t < upper:                 acquire[j]; load; commit
//
// With bsmm.flatten the steps of all tiles are one sequence for the loads, of
// which each tile has a part: the first tile loads `ahead` steps of the tiles
// behind it as well, each further tile what comes after that.
//
//   for tile, base counting the steps, flat = 0 at first
//     next = base + steps + ahead
//     for j = flat .. next
//       if j >= ahead: wait[j - ahead]; multiply; release
//       if j < total:  acquire[j]; load; commit
//     flat = next
//
// With N accumulators a tile is multiplied before the one N - 1 tiles before it
// is drained.
//
//===----------------------------------------------------------------------===//

#include "PipelineBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace bsmm;

/// Runs `body` in a branch.
static void emitIf(OpBuilder &builder, Location loc, Value condition,
                   function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// What the loads of a step take from the tile around it: values of the loop
/// over output tiles.
static SetVector<Value> findTileInputs(TileKernel &tile) {
  SetVector<Value> inputs;
  SmallVector<Value> rest;
  llvm::SmallDenseSet<Value> seen;
  for (TmaLoadOp load : tile.loads)
    llvm::append_range(rest, load.getCoordinates());
  while (!rest.empty()) {
    Value value = rest.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (value.getParentBlock() == tile.tileLoop.getBody())
      inputs.insert(value);
    else if (Operation *op = value.getDefiningOp();
             op && op->getBlock() == tile.mainLoop.getBody())
      llvm::append_range(rest, op->getOperands());
  }
  return inputs;
}

/// The scalars of an output tile.
IRMapping PipelineBuilder::emitTileScalars(Value tileNumber) {
  IRMapping local = mapping;
  local.map(tile.tileLoop.getInductionVar(), tileNumber);
  for (Operation &op : *tile.tileLoop.getBody()) {
    if (&op == tile.mainLoop)
      break;
    if (!isTensorOp(&op) && !isa<VectorLoadOp, PredicatedLoadOp>(op))
      emitScalar(op, local);
  }
  return local;
}

/// The steps of a tile, by one warp.
void PipelineBuilder::emitStepsInOrder(Value accumulator) {
  Value step = mapping.lookup(tile.mainLoop.getStep());
  Value ahead = constant(tile.getAhead());
  Value distance = arith::MulIOp::create(builder, loc, step, ahead);
  Value first = arith::AddIOp::create(builder, loc, loopLower, distance);
  Value last = arith::AddIOp::create(builder, loc, loopUpper, distance);
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), loopLower,
                                 last, step, ValueRange{iterationBase});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar(), iteration = loop.getRegionIterArg(0);
  Value isLoaded =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, k, first);
  emitIf(builder, loc, isLoaded, [&] {
    IRMapping local = emitStepScalars(
        mapping, arith::SubIOp::create(builder, loc, k, distance));
    emitMultiplyStep(local,
                     arith::SubIOp::create(builder, loc, iteration, ahead),
                     accumulator);
  });
  Value isMore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       k, loopUpper);
  emitIf(builder, loc, isMore, [&] {
    emitLeader([&] {
      IRMapping local = emitStepScalars(mapping, k);
      emitLoadStep(local, iteration);
    });
  });
  Value next = arith::AddIOp::create(builder, loc, iteration, constant(1));
  scf::YieldOp::create(builder, loc, next);
}

/// A tile's part of the steps of all tiles: the loads, and before each one,
/// with an accumulator, the multiplications of `ahead` steps before. By one
/// warp, or by its leader where there is no accumulator.
void PipelineBuilder::emitFlatSteps(Value accumulator) {
  SetVector<Value> inputs = findTileInputs(tile);
  Value step = mapping.lookup(tile.mainLoop.getStep());
  Value tileStep = mapping.lookup(tile.tileLoop.getStep());
  SmallVector<Value> inits = {loadTile, loadK};
  auto addInputs = [&](const IRMapping &local, SmallVector<Value> &values) {
    for (Value input : inputs)
      values.push_back(local.lookup(input));
  };
  addInputs(emitTileScalars(loadTile), inits);
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), flatStart,
                                 flatEnd, constant(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value iteration = loop.getInductionVar();
  if (accumulator) {
    Value ahead = constant(tile.getAhead());
    Value isLoaded = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge, iteration, ahead);
    emitIf(builder, loc, isLoaded, [&] {
      Value behind = arith::SubIOp::create(builder, loc, iteration, ahead);
      Value number = arith::SubIOp::create(builder, loc, behind, iterationBase);
      Value k = arith::AddIOp::create(
          builder, loc, loopLower,
          arith::MulIOp::create(builder, loc, number, step).getResult());
      IRMapping local = emitStepScalars(mapping, k);
      emitMultiplyStep(local, behind, accumulator);
    });
  }
  Value currentTile = loop.getRegionIterArg(0), k = loop.getRegionIterArg(1);
  Value isMore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       iteration, flatTotal);
  emitIf(builder, loc, isMore, [&] {
    auto emitLoad = [&] {
      IRMapping outer = mapping;
      for (auto [input, value] :
           llvm::zip(inputs, loop.getRegionIterArgs().drop_front(2)))
        outer.map(input, value);
      IRMapping local = emitStepScalars(outer, k);
      emitLoadStep(local, iteration);
    };
    if (accumulator)
      emitLeader(emitLoad);
    else
      emitLoad();
  });
  // The next step, of this tile or of the next one.
  Value nextK = arith::AddIOp::create(builder, loc, k, step);
  Value isInTile = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, nextK, loopUpper);
  auto branch = scf::IfOp::create(
      builder, loc, ValueRange(loop.getRegionIterArgs()).getTypes(), isInTile,
      /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> same(loop.getRegionIterArgs());
    same[1] = nextK;
    scf::YieldOp::create(builder, loc, same);
    builder.setInsertionPointToStart(branch.elseBlock());
    Value nextTile = arith::AddIOp::create(builder, loc, currentTile, tileStep);
    SmallVector<Value> other = {nextTile, loopLower};
    addInputs(emitTileScalars(nextTile), other);
    scf::YieldOp::create(builder, loc, other);
  }
  scf::YieldOp::create(builder, loc, branch.getResults());
}

/// The roles of a tile's steps.
void PipelineBuilder::emitStepRoles() {
  if (tile.specialization == Specialization::None) {
    emitRole(0, 1, [&] { emitTensorMemoryMultiplications(); });
    return;
  }
  emitRole(0, 1, [&] {
    emitLeader([&] {
      if (tile.flattens)
        emitFlatSteps(/*accumulator=*/Value());
      else
        emitLoads();
    });
  });
  emitRole(1, 1, [&] { emitTensorMemoryMultiplications(); });
}

/// The loop over output tiles of warps that join in each tile.
LogicalResult PipelineBuilder::emitJoinedTiles() {
  Value zero = constant(0), one = constant(1);
  Value lower = mapping.lookup(tile.tileLoop.getLowerBound());
  Value upper = mapping.lookup(tile.tileLoop.getUpperBound());
  Value step = mapping.lookup(tile.tileLoop.getStep());
  SmallVector<Value> inits = {zero, zero};
  Value tilesAhead, nextLoadK;
  if (tile.flattens) {
    emitSteps();
    Value distance = arith::SubIOp::create(builder, loc, upper, lower);
    distance = arith::MaxSIOp::create(builder, loc, distance, zero);
    Value tiles = arith::CeilDivUIOp::create(builder, loc, distance, step);
    flatTotal = arith::MulIOp::create(builder, loc, tiles, steps);
    // Behind its first tile a CTA's loads are as many tiles and steps ahead.
    Value ahead = constant(tile.getAhead());
    Value atLeastOne = arith::MaxSIOp::create(builder, loc, steps, one);
    tilesAhead = arith::DivUIOp::create(builder, loc, ahead, atLeastOne);
    Value stepsAhead = arith::RemUIOp::create(builder, loc, ahead, atLeastOne);
    Value distanceK = arith::MulIOp::create(
        builder, loc, stepsAhead, mapping.lookup(tile.mainLoop.getStep()));
    nextLoadK = arith::AddIOp::create(builder, loc, loopLower, distanceK);
    inits.append({zero, lower, loopLower});
  }
  // Each tile is drained as many trips later as there are further accumulators.
  int64_t tripsLate = tile.accumulators - 1;
  bool drainsLate = tripsLate != 0;
  Value last = upper, distance = step, numTripsLate = one;
  if (tripsLate > 1) {
    numTripsLate = constant(tripsLate);
    distance = arith::MulIOp::create(builder, loc, step, numTripsLate);
  }
  if (drainsLate)
    last = arith::AddIOp::create(builder, loc, upper, distance);
  auto loop = scf::ForOp::create(builder, tile.tileLoop.getLoc(), lower, last,
                                 step, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  mapping.map(tile.tileLoop.getInductionVar(), number);
  iterationBase = loop.getRegionIterArg(0);
  tileNumber = loop.getRegionIterArg(1);
  Value nextTileNumber = arith::AddIOp::create(builder, loc, tileNumber, one);
  if (tile.flattens) {
    flatStart = loop.getRegionIterArg(2);
    loadTile = loop.getRegionIterArg(3);
    loadK = loop.getRegionIterArg(4);
    flatEnd = arith::AddIOp::create(builder, loc, iterationBase, steps);
    flatEnd =
        arith::AddIOp::create(builder, loc, flatEnd, constant(tile.getAhead()));
  }
  LogicalResult result = success();
  if (!drainsLate) {
    result = emitTile(tile.tileLoop.getBody(), Part::Everything);
  } else {
    // The steps of a tile may depend on it.
    mapping = emitTileScalars(number);
    emitSteps();
    IRMapping outer = mapping;
    Value counted = steps;
    Value isMore = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, number, upper);
    emitIf(builder, loc, isMore,
           [&] { result = emitTile(tile.tileLoop.getBody(), Part::Steps); });
    Value first = arith::AddIOp::create(builder, loc, lower, distance);
    Value isBehind = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge, number, first);
    emitIf(builder, loc, isBehind, [&] {
      mapping = outer;
      mapping.map(tile.tileLoop.getInductionVar(),
                  arith::SubIOp::create(builder, loc, number, distance));
      tileNumber =
          arith::SubIOp::create(builder, loc, tileNumber, numTripsLate);
      emitRole(0, getJoinedWarps(), [&] {
        if (succeeded(result))
          result = emitTile(tile.tileLoop.getBody(), Part::Epilogue);
      });
    });
    steps = counted;
  }
  if (failed(result))
    return failure();
  SmallVector<Value> next = {
      arith::AddIOp::create(builder, loc, iterationBase, steps),
      nextTileNumber};
  if (tile.flattens) {
    Value nextTile = arith::AddIOp::create(
        builder, loc, number,
        arith::MulIOp::create(
            builder, loc, step,
            arith::AddIOp::create(builder, loc, tilesAhead, one).getResult())
            .getResult());
    next.append({flatEnd, nextTile, nextLoadK});
  }
  scf::YieldOp::create(builder, loc, next);
  return success();
}
