//===- EmitRegisters.cpp - multiplications into registers -----------------===//

#include "PipelineBuilder.h"

using namespace mlir;
using namespace bsmm;

/// The dots of a step, each a group of multiplications; `accumulator` is null
/// at the start of a sum.
Value PipelineBuilder::emitMultiply(ValueRange buffers, Value accumulator) {
  for (TileKernel::Dot &dot : tile.dots)
    accumulator = MmaOp::create(builder, dot.op->getLoc(), getRegisterType(),
                                buffers[dot.a], buffers[dot.b], accumulator);
  return accumulator;
}

/// The first of two consumers is the producer of the turns: it has the slot
/// while it multiplies, and gives it away full.
void PipelineBuilder::emitTurnStart() {
  if (!turnChannel)
    return;
  if (consumer == 0)
    AcquireOp::create(builder, loc, TypeRange(), turnChannel, tileNumber);
  else
    WaitOp::create(builder, loc, TypeRange(), turnChannel, tileNumber);
}

void PipelineBuilder::emitTurnEnd() {
  if (!turnChannel)
    return;
  if (consumer == 0)
    CommitOp::create(builder, loc, turnChannel, tileNumber);
  else
    ReleaseOp::create(builder, loc, turnChannel, tileNumber);
}

/// Block-scaled operands that are decoded first, one step after the other: the
/// warpgroups write the operands of all of them, and the next step's only when
/// all have multiplied. A slot is free when its codes have been read.
void PipelineBuilder::emitDecodedMultiplications() {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  AccumulatorType type = getRegisterType();
  Value zero = ZeroAccumulatorOp::create(builder, loc, type);
  auto loop = scf::ForOp::create(
      builder, tile.mainLoop.getLoc(), loopLower, loopUpper,
      mapping.lookup(tile.mainLoop.getStep()), ValueRange{iterationBase, zero});
  registerSum = loop.getResult(1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping local = mapping;
  local.map(tile.mainLoop.getInductionVar(), loop.getInductionVar());
  for (Operation &op : tile.mainLoop.getBody()->without_terminator())
    if (!isTensorOp(&op))
      emitScalar(op, local);
  Value iteration = loop.getRegionIterArg(0), sum = loop.getRegionIterArg(1);
  auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
  for (auto [dot, buffers] : llvm::zip(tile.dots, decodedBuffers)) {
    Value groups = constant(tile.loadTypes[dot.scaleA].getShape()[1]);
    Value valid = dot.limitK ? local.lookup(dot.limitK) : groups;
    Value row = dot.scaleBOffset ? local.lookup(dot.scaleBOffset) : constant(0);
    Location at = dot.op->getLoc();
    DecodeOperandOp::create(builder, at, slot.getBuffers()[dot.a],
                            slot.getBuffers()[dot.scaleA], constant(0), valid,
                            buffers.first);
    DecodeOperandOp::create(builder, at, slot.getBuffers()[dot.b],
                            slot.getBuffers()[dot.scaleB], row, valid,
                            buffers.second);
  }
  ReleaseOp::create(builder, loc, loadChannel, iteration);
  for (auto [dot, buffers] : llvm::zip(tile.dots, decodedBuffers))
    sum = MmaOp::create(builder, dot.op->getLoc(), type, buffers.first,
                        buffers.second, sum);
  sum = WaitMmaOp::create(builder, loc, type, sum, 0);
  SynchronizeOp::create(builder, loc, /*each_warpgroup=*/false);
  Value next = arith::AddIOp::create(builder, loc, iteration, constant(1));
  scf::YieldOp::create(builder, loc, ValueRange{next, sum});
}

/// The multiplications of a tile's steps, by all consumer warpgroups. The first
/// step starts the sum. Each further step is issued before the last one is
/// waited for, so that the tensor core always has work; a slot is therefore
/// released one step late. A turn ends when the last step has been issued.
void PipelineBuilder::emitRegisterMultiplications() {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  AccumulatorType type = getRegisterType();
  Value one = constant(1);
  Value lower = loopLower, upper = loopUpper;
  emitVectorStaging();
  emitEarlyLoads();
  emitTurnStart();
  Value step = mapping.lookup(tile.mainLoop.getStep());
  OpBuilder::InsertionGuard guard(builder);

  if (tile.dots.front().promoteEvery)
    return emitPromotedMultiplications();
  if (tile.dots.front().decodedA)
    return emitDecodedMultiplications();
  // With one slot each step is waited for: the next one is not loaded before
  // this one's slot is released.
  if (tile.stages == 1) {
    Value zero = ZeroAccumulatorOp::create(builder, loc, type);
    auto loop =
        scf::ForOp::create(builder, tile.mainLoop.getLoc(), lower, upper, step,
                           ValueRange{iterationBase, zero});
    registerSum = loop.getResult(1);
    builder.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getRegionIterArg(0), sum = loop.getRegionIterArg(1);
    auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
    sum = emitMultiply(slot.getBuffers(), sum);
    sum = WaitMmaOp::create(builder, loc, type, sum, 0);
    ReleaseOp::create(builder, loc, loadChannel, iteration);
    Value next = arith::AddIOp::create(builder, loc, iteration, one);
    scf::YieldOp::create(builder, loc, ValueRange{next, sum});
    builder.setInsertionPointAfter(loop);
    emitTurnEnd();
    return;
  }

  Value isNotEmpty = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, lower, upper);
  auto branch = scf::IfOp::create(builder, loc, TypeRange{type}, isNotEmpty,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  registerSum = branch.getResult(0);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitTurnEnd();
  scf::YieldOp::create(
      builder, loc, ZeroAccumulatorOp::create(builder, loc, type).getResult());

  builder.setInsertionPointToStart(branch.thenBlock());
  auto first =
      WaitOp::create(builder, loc, slotTypes, loadChannel, iterationBase);
  Value sum = emitMultiply(first.getBuffers(), Value());
  Value second = arith::AddIOp::create(builder, loc, lower, step);
  Value secondIteration =
      arith::AddIOp::create(builder, loc, iterationBase, one);
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), second, upper,
                                 step, ValueRange{secondIteration, sum});
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getRegionIterArg(0);
    auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
    sum = emitMultiply(slot.getBuffers(), loop.getRegionIterArg(1));
    sum = WaitMmaOp::create(builder, loc, type, sum, int64_t(tile.dots.size()));
    Value previous = arith::SubIOp::create(builder, loc, iteration, one);
    ReleaseOp::create(builder, loc, loadChannel, previous);
    Value next = arith::AddIOp::create(builder, loc, iteration, one);
    scf::YieldOp::create(builder, loc, ValueRange{next, sum});
  }
  emitTurnEnd();
  Value done = WaitMmaOp::create(builder, loc, type, loop.getResult(1), 0);
  Value last = arith::SubIOp::create(builder, loc, loop.getResult(0), one);
  ReleaseOp::create(builder, loc, loadChannel, last);
  scf::YieldOp::create(builder, loc, done);
}
