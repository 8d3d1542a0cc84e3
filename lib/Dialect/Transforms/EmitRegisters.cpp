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

/// What a thread needs of the scales of a step: those of its rows and of its
/// columns, for each dot.
SmallVector<Value> PipelineBuilder::emitStepScales(Value inductionVar) {
  SmallVector<Value> scales;
  if (!tile.dots.front().rowScales)
    return scales;
  IRMapping local = mapping;
  local.map(tile.mainLoop.getInductionVar(), inductionVar);
  for (Operation &op : tile.mainLoop.getBody()->without_terminator())
    if (!isTensorOp(&op))
      emitScalar(op, local);
  AccumulatorType accumulator = getRegisterType();
  auto read = [&](ScaleLoadOp load, int64_t dimension, int64_t alignment) {
    int64_t block = load.getBlock();
    auto type = VectorType::get(
        {ReadScalesOp::getNumScales(accumulator, dimension, block, alignment)},
        builder.getF32Type());
    Value batch = arith::ExtSIOp::create(builder, loc, builder.getI64Type(),
                                         local.lookup(load.getBatch()));
    Value base = arith::MulIOp::create(builder, loc, batch,
                                       local.lookup(load.getStrideBatch()));
    scales.push_back(ReadScalesOp::create(
        builder, load.getLoc(), type, local.lookup(load.getPointer()),
        local.lookup(load.getRow()), local.lookup(load.getGroup()),
        local.lookup(load.getLimitRow()), local.lookup(load.getLimitGroup()),
        base, local.lookup(load.getStrideRow()),
        local.lookup(load.getStrideGroup()), dimension, block, alignment,
        accumulator));
  };
  for (TileKernel::Dot &dot : tile.dots) {
    read(dot.rowScales, 0, 1);
    read(dot.columnScales, 1, dot.columnAlignment);
  }
  return scales;
}

/// Sums that are promoted, waited for one by one. Scales are read a step ahead:
/// they are there when the sum is.
void PipelineBuilder::emitPromotedMultiplications() {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  AccumulatorType type = getRegisterType();
  Value zero = ZeroAccumulatorOp::create(builder, loc, type);
  Value step = mapping.lookup(tile.mainLoop.getStep());
  SmallVector<Value> carried = {iterationBase, zero};
  carried.append(emitStepScales(loopLower));
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), loopLower,
                                 loopUpper, step, carried);
  registerSum = loop.getResult(1);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getRegionIterArg(0), sum = loop.getRegionIterArg(1);
    ValueRange scales = loop.getRegionIterArgs().drop_front(2);
    SmallVector<Value> nextScales;
    if (!scales.empty())
      nextScales = emitStepScales(
          arith::AddIOp::create(builder, loc, loop.getInductionVar(), step));
    auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
    for (auto [number, dot] : llvm::enumerate(tile.dots)) {
      Value partial = MmaOp::create(builder, dot.op->getLoc(), type,
                                    slot.getBuffers()[dot.a],
                                    slot.getBuffers()[dot.b], Value());
      partial = WaitMmaOp::create(builder, loc, type, partial, 0);
      if (&dot == &tile.dots.back())
        ReleaseOp::create(builder, loc, loadChannel, iteration);
      if (scales.empty()) {
        sum = AddAccumulatorsOp::create(builder, loc, sum, partial);
        continue;
      }
      sum = AddScaledOp::create(
          builder, loc, sum, partial, scales[2 * number],
          scales[2 * number + 1], mapping.lookup(dot.columnScales.getRow()),
          int64_t(dot.columnScales.getBlock()), dot.columnAlignment);
    }
    SmallVector<Value> next = {
        arith::AddIOp::create(builder, loc, iteration, constant(1)), sum};
    next.append(nextScales);
    scf::YieldOp::create(builder, loc, next);
  }
  emitTurnEnd();
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
  emitTurnStart();
  Value step = mapping.lookup(tile.mainLoop.getStep());
  OpBuilder::InsertionGuard guard(builder);

  if (tile.dots.front().isPromoted)
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
