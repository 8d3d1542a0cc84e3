//===- EmitTensorMemory.cpp - multiplications into tensor memory ----------===//

#include "PipelineBuilder.h"

using namespace mlir;
using namespace bsmm;

/// The multiplications of one step, by one warp.
void PipelineBuilder::emitMultiplyStep(IRMapping &local, Value iteration,
                                       Value accumulator) {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
  for (TileKernel::Dot &dot : tile.dots) {
    if (!dot.limitK)
      continue;
    Value left = local.lookup(dot.limitK);
    Value groups = constant(tile.loadTypes[dot.scaleA].getShape()[1]);
    Value isLast = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, left, groups);
    auto branch = scf::IfOp::create(builder, loc, isLast, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    MaskScalesOp::create(builder, loc, slot.getBuffers()[dot.scaleA], left);
    MaskScalesOp::create(builder, loc, slot.getBuffers()[dot.scaleB], left);
  }
  emitLeader([&] {
    Value lowerBound = loopLower;
    for (auto [index, dot] : llvm::enumerate(tile.dots)) {
      auto [scaleA, scaleB] = scaleBuffers[index];
      if (tile.scaleTurns == 2) {
        auto [otherA, otherB] = scaleBuffers[tile.dots.size() + index];
        scaleA =
            SelectBufferOp::create(builder, loc, iteration, scaleA, otherA);
        scaleB =
            SelectBufferOp::create(builder, loc, iteration, scaleB, otherB);
      }
      CopyScalesOp::create(builder, dot.op->getLoc(),
                           slot.getBuffers()[dot.scaleA], scaleA);
      CopyScalesOp::create(builder, dot.op->getLoc(),
                           slot.getBuffers()[dot.scaleB], scaleB);
      Value accumulate;
      if (index == 0)
        accumulate = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne,
            local.lookup(tile.mainLoop.getInductionVar()), lowerBound);
      else
        accumulate =
            arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
      Value offset;
      if (dot.scaleBOffset)
        offset = local.lookup(dot.scaleBOffset);
      ScaledMmaOp::create(builder, dot.op->getLoc(), slot.getBuffers()[dot.a],
                          scaleA, slot.getBuffers()[dot.b], scaleB, accumulator,
                          accumulate, offset);
    }
    ReleaseOp::create(builder, loc, loadChannel, iteration);
  });
}

/// The multiplications of a tile's steps, by one warp, which loads as well
/// where there are no roles.
void PipelineBuilder::emitTensorMemoryMultiplications() {
  auto result = AcquireOp::create(builder, loc, TypeRange{tile.accumulatorType},
                                  resultChannel, tileNumber);
  Value accumulator = result.getBuffers()[0];
  if (tile.specialization != Specialization::None)
    emitRoleLoop([&](IRMapping &local, Value iteration) {
      emitMultiplyStep(local, iteration, accumulator);
    });
  else if (tile.flattens)
    emitFlatSteps(accumulator);
  else
    emitStepsInOrder(accumulator);
  emitLeader(
      [&] { CommitOp::create(builder, loc, resultChannel, tileNumber); });
}
