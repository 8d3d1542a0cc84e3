//===- LoopOptions.cpp - what the loops of a tile-level kernel ask for ----===//
//
// Attributes of the two loops that say how their work is shared out over warps
// and how far it runs ahead, and whether the target can do so.
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace bsmm;

/// Which loop is shared out over roles: without a word of the loops the one
/// over output tiles, if there is one.
LogicalResult TileKernel::analyzeSpecialization() {
  auto read = [](scf::ForOp loop) {
    return loop ? loop->getAttrOfType<BoolAttr>(
                      BsmmDialect::getWarpSpecializeAttrName())
                : BoolAttr();
  };
  BoolAttr ofTiles = read(tileLoop), ofSteps = read(mainLoop);
  bool overTiles = ofTiles && ofTiles.getValue();
  bool overSteps = ofSteps && ofSteps.getValue();
  if (overTiles && overSteps)
    return mainLoop.emitOpError("expected bsmm.warp_specialize = true on one "
                                "loop, got it on the loop over output tiles, "
                                "too; remove one of them");
  Specialization usual =
      tileLoop ? Specialization::TileLoop : Specialization::KLoop;
  specialization = usual;
  if (ofTiles || ofSteps)
    specialization = overTiles   ? Specialization::TileLoop
                     : overSteps ? Specialization::KLoop
                                 : Specialization::None;
  if (accumulatesInRegisters() && specialization != usual)
    return mainLoop.emitOpError("expected bsmm.warp_specialize = true on the "
                                "loop over ")
           << (tileLoop ? "output tiles" : "K")
           << " alone with accumulators in registers, which stay with the "
              "warpgroups that drain them; other forms need a target with "
              "tensor memory, such as sm_100a, got "
           << StringRef(gpu->name);
  return success();
}

/// Whether loads run ahead over the border of tiles where the warps join at
/// each one. Roles that walk over the tiles on their own do so anyway.
LogicalResult TileKernel::analyzeFlattening() {
  StringRef name = BsmmDialect::getFlattenAttrName();
  if (mainLoop->hasAttr(name))
    return mainLoop.emitOpError("expected bsmm.flatten on a loop over output "
                                "tiles, with the loop over K inside of it, got "
                                "it on the loop over K");
  if (!tileLoop || !tileLoop->hasAttr(name) || !joins())
    return success();
  // A single tile has no border.
  if (countTrips(tileLoop).value_or(2) <= 1)
    return success();
  if (Type type = tileLoop.getInductionVar().getType();
      !type.isSignlessInteger(32))
    return tileLoop.emitOpError("expected an i32 loop over output tiles with "
                                "bsmm.flatten, got ")
           << type;
  moveLoopInvariantCode(tileLoop);
  for (Value bound :
       {mainLoop.getLowerBound(), mainLoop.getUpperBound(), mainLoop.getStep()})
    if (!tileLoop.isDefinedOutsideOfLoop(bound))
      return mainLoop.emitOpError(
          "expected bounds that are the same for all output tiles with "
          "bsmm.flatten, which numbers the steps of all of them; remove "
          "bsmm.flatten or share out the loop over output tiles "
          "(bsmm.warp_specialize)");
  flattens = true;
  return success();
}

/// How many accumulators take turns with the output tiles: as many as the loop
/// says, else two where tensor memory holds them beside the scales, so that the
/// next tile's multiplications need not wait for the epilogue.
LogicalResult TileKernel::chooseAccumulators() {
  auto stated = tileLoop ? tileLoop->getAttrOfType<IntegerAttr>(
                               BsmmDialect::getStagesAttrName())
                         : IntegerAttr();
  if (accumulatesInRegisters() && stated)
    return tileLoop.emitOpError("expected no bsmm.stages on a loop over output "
                                "tiles with accumulators in registers, of "
                                "which each consumer has one; stages of this "
                                "loop need a target with tensor memory, such "
                                "as sm_100a, got ")
           << StringRef(gpu->name) << " and " << stated.getInt() << " stages";
  if (accumulatesInRegisters())
    return success();
  int64_t scaleColumns = 0;
  for (const Dot &dot : dots)
    for (unsigned load : {dot.scaleA, dot.scaleB})
      scaleColumns +=
          loadTypes[load].getShape()[0] / layout::scaleTileRows *
          (loadTypes[load].getShape()[1] / layout::scaleTileGroups) *
          layout::scaleTileColumns;
  if (!tileLoop) {
    if (accumulatorColumns + 2 * scaleColumns <= gpu->tensorMemoryColumns)
      scaleTurns = 2;
    return success();
  }
  // Where it holds two not quite, they share columns, which are drained first.
  auto countShared = [&](int64_t columnsOfAll) {
    int64_t missing = columnsOfAll - gpu->tensorMemoryColumns;
    return int64_t(llvm::alignTo(std::max<int64_t>(missing, 0), drainColumns));
  };
  // Warps that multiply the next tile before they drain this one need two
  // accumulators apart. Where the tile's first column is not always the same,
  // neither is what lies in shared ones.
  auto canShare = [&](int64_t shared) {
    return shared == 0 ||
           (shared <= columns / 2 && !isTransposed && !extract && !joins());
  };
  // The slots of more than two lie apart.
  auto fits = [&](int64_t number) {
    int64_t shared = countShared(number * accumulatorColumns + scaleColumns);
    return number == 2 ? canShare(shared) : shared == 0;
  };
  int64_t wanted = stated ? stated.getInt() : joins() ? 1 : 2;
  if (stated && wanted > 1 && !fits(wanted)) {
    int64_t most = wanted - 1;
    while (most > 1 && !fits(most))
      --most;
    InFlightDiagnostic diagnostic =
        tileLoop.emitOpError("expected stages of the loop over output tiles "
                             "that tensor memory holds, got ");
    diagnostic << wanted << " = " << wanted * accumulatorColumns
               << " (accumulators) + " << scaleColumns
               << " (scales) = " << wanted * accumulatorColumns + scaleColumns
               << " of " << gpu->tensorMemoryColumns << " columns";
    if (wanted > 2)
      diagnostic << ", and more than two accumulators share none";
    else if (isTransposed)
      diagnostic << ", and an accumulator that is stored transposed shares "
                    "none";
    else if (extract)
      diagnostic << ", and accumulators of which some columns are stored share "
                    "none";
    else if (joins())
      diagnostic << ", and warps that multiply before they drain share none";
    else
      diagnostic << ", of which accumulators share at most " << columns / 2;
    return diagnostic << (most == 1 ? "; use " : "; use at most ") << most;
  }
  if (Type type = tileLoop.getInductionVar().getType();
      wanted > 1 && joins() && !type.isSignlessInteger(32))
    return tileLoop.emitOpError("expected an i32 loop over output tiles with ")
           << wanted << " stages and without roles of its own, got " << type;
  if (wanted > 1 && fits(wanted)) {
    accumulators = wanted;
    overlap = countShared(wanted * accumulatorColumns + scaleColumns);
  }
  // The scales of a step are copied while the last step multiplies, where there
  // is room for both: what accumulators share more is drained before the next
  // tile is multiplied, which costs more than two drains gain.
  int64_t sharedByTwo =
      countShared(accumulators * accumulatorColumns + 2 * scaleColumns);
  if (sharedByTwo == 0 || (accumulators == 2 && canShare(sharedByTwo) &&
                           sharedByTwo <= 2 * drainColumns)) {
    scaleTurns = 2;
    overlap = sharedByTwo;
  }
  return success();
}
