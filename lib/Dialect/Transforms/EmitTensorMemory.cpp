//===- EmitTensorMemory.cpp - multiplications into tensor memory ----------===//

#include "PipelineBuilder.h"

using namespace mlir;
using namespace bsmm;

/// The multiplications of one step, by one warp.
void PipelineBuilder::emitMultiplyStep(IRMapping &local, Value iteration,
                                       Value accumulator) {
  SmallVector<Value> buffers(tile.loads.size());
  for (unsigned group = 0; group < tile.loadGroups.size(); ++group) {
    auto slot = WaitOp::create(builder, loc, getSlotTypes(group),
                               loadChannels[group], iteration);
    for (auto [load, buffer] :
         llvm::zip(tile.loadGroups[group], slot.getBuffers()))
      buffers[load] = buffer;
  }
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
    MaskScalesOp::create(builder, loc, buffers[dot.scaleA], left);
    MaskScalesOp::create(builder, loc, buffers[dot.scaleB], left);
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
      CopyScalesOp::create(builder, dot.op->getLoc(), buffers[dot.scaleA],
                           scaleA);
      CopyScalesOp::create(builder, dot.op->getLoc(), buffers[dot.scaleB],
                           scaleB);
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
      ScaledMmaOp::create(builder, dot.op->getLoc(), buffers[dot.a], scaleA,
                          buffers[dot.b], scaleB, accumulator, accumulate,
                          offset);
    }
    for (Value channel : loadChannels)
      ReleaseOp::create(builder, loc, channel, iteration);
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
