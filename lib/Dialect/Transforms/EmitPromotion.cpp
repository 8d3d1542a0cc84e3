//===- EmitPromotion.cpp - partial sums added in full precision -----------===//

#include "PipelineBuilder.h"

#include <numeric>

using namespace mlir;
using namespace bsmm;

/// The parts of a step whose sums are promoted one by one: ranges of K, and of
/// columns or rows where two sums of all do not fit beside the main one.
SmallVector<PipelineBuilder::PromotedPart> PipelineBuilder::getPromotedParts() {
  SmallVector<PromotedPart> parts;
  for (TileKernel::Dot &dot : tile.dots) {
    int64_t depth = tile.loadTypes[dot.a].getShape()[1];
    for (int64_t k = 0; k < depth; k += dot.promoteEvery)
      for (int64_t row = 0; row < tile.promotedRowParts; ++row)
        for (int64_t column = 0; column < tile.promotedColumnParts; ++column)
          parts.push_back({&dot, k, column, row});
  }
  return parts;
}

/// What a thread needs of the scales of a step: those of its rows, and of its
/// columns of each part.
SmallVector<Value> PipelineBuilder::emitStepScales(Value inductionVar) {
  SmallVector<Value> scales;
  if (!tile.dots.front().rowScales)
    return scales;
  IRMapping local = mapping;
  local.map(tile.mainLoop.getInductionVar(), inductionVar);
  for (Operation &op : tile.mainLoop.getBody()->without_terminator())
    if (!isTensorOp(&op))
      emitScalar(op, local);
  AccumulatorType accumulator = getPromotedType();
  auto read = [&](ScaleLoadOp load, int64_t dimension, int64_t first,
                  int64_t alignment) -> Value {
    int64_t block = load.getBlock();
    auto type = VectorType::get(
        {ReadScalesOp::getNumScales(accumulator, dimension, block, alignment)},
        builder.getF32Type());
    Value batch = arith::ExtSIOp::create(builder, loc, builder.getI64Type(),
                                         local.lookup(load.getBatch()));
    Value base = arith::MulIOp::create(builder, loc, batch,
                                       local.lookup(load.getStrideBatch()));
    Value row = local.lookup(load.getRow());
    if (first != 0)
      row = arith::AddIOp::create(builder, loc, row, constant(first));
    return ReadScalesOp::create(
        builder, load.getLoc(), type, local.lookup(load.getPointer()), row,
        local.lookup(load.getGroup()), local.lookup(load.getLimitRow()),
        local.lookup(load.getLimitGroup()), base,
        local.lookup(load.getStrideRow()), local.lookup(load.getStrideGroup()),
        dimension, block, alignment, accumulator);
  };
  Value rows;
  for (PromotedPart &part : getPromotedParts()) {
    if (part.columnPart == 0)
      rows = read(part.dot->rowScales, 0, 0, 1);
    scales.push_back(rows);
    int64_t first = part.columnPart * accumulator.getShape()[1];
    scales.push_back(read(part.dot->columnScales, 1, first,
                          std::gcd(part.dot->columnAlignment, first)));
  }
  return scales;
}

Value PipelineBuilder::emitPartialSum(ValueRange buffers,
                                      const PromotedPart &part) {
  BufferType a = tile.loadTypes[part.dot->a];
  bool isWholeDepth = part.dot->promoteEvery == a.getShape()[1];
  bool isWholeTile = tile.promotedColumnParts == 1;
  AccumulatorType type = getPromotedType();
  auto attribute = [&](bool isWhole, int64_t value) {
    return isWhole ? IntegerAttr() : builder.getI64IntegerAttr(value);
  };
  Value rows = buffers[part.dot->a];
  if (tile.promotedRowParts != 1)
    rows = SliceRowsOp::create(
        builder, loc,
        BufferType::get(builder.getContext(),
                        {type.getShape()[0], a.getShape()[1]},
                        a.getElementType(), a.getMemorySpace(), a.getLayout()),
        rows, constant(part.rowPart * type.getShape()[0]));
  return MmaOp::create(
      builder, part.dot->op->getLoc(), type, rows, buffers[part.dot->b],
      Value(), attribute(isWholeTile, part.columnPart * type.getShape()[1]),
      attribute(isWholeDepth, part.k),
      attribute(isWholeDepth, part.dot->promoteEvery));
}

/// Adds the sum of a part, which has been waited for, to that of its columns.
void PipelineBuilder::emitPromotion(const PromotedPart &part, Value partial,
                                    ValueRange scales,
                                    MutableArrayRef<Value> sums) {
  Value &sum = sums[part.getSum()];
  if (scales.empty()) {
    sum = AddAccumulatorsOp::create(builder, loc, sum, partial);
    return;
  }
  int64_t first = part.columnPart * getPromotedType().getShape()[1];
  Value start = mapping.lookup(part.dot->columnScales.getRow());
  if (first != 0)
    start = arith::AddIOp::create(builder, loc, start, constant(first));
  sum = AddScaledOp::create(builder, loc, sum, partial, scales[0], scales[1],
                            start, int64_t(part.dot->columnScales.getBlock()),
                            std::gcd(part.dot->columnAlignment, first));
}

/// Sums that are promoted. Scales are read a step ahead: they are there when
/// the sum is.
void PipelineBuilder::emitPromotedMultiplications() {
  SmallVector<PromotedPart> parts = getPromotedParts();
  Value zero = ZeroAccumulatorOp::create(builder, loc, getPromotedType());
  SmallVector<Value> sums(tile.promotedColumnParts * tile.promotedRowParts,
                          zero);
  if (tile.overlapsPromotion)
    emitOverlappedPromotion(parts, sums);
  else
    emitPromotionInTurn(parts, loopLower, iterationBase, sums);
  registerSum = sums.front();
  if (sums.size() > 1)
    registerSum =
        JoinAccumulatorsOp::create(builder, loc, getRegisterType(), sums);
}

/// Each part is waited for before the next one starts. The steps from `lower`
/// on, which is the channel's `firstIteration`.
void PipelineBuilder::emitPromotionInTurn(ArrayRef<PromotedPart> parts,
                                          Value lower, Value firstIteration,
                                          SmallVectorImpl<Value> &sums) {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  Value step = mapping.lookup(tile.mainLoop.getStep());
  size_t numSums = sums.size();
  SmallVector<Value> carried = {firstIteration};
  carried.append(sums);
  carried.append(emitStepScales(lower));
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), lower,
                                 loopUpper, step, carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getRegionIterArg(0);
    ValueRange scales = loop.getRegionIterArgs().drop_front(1 + numSums);
    SmallVector<Value> stepSums(loop.getRegionIterArgs().slice(1, numSums));
    SmallVector<Value> nextScales;
    if (!scales.empty())
      nextScales = emitStepScales(
          arith::AddIOp::create(builder, loc, loop.getInductionVar(), step));
    auto slot = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
    for (auto [number, part] : llvm::enumerate(parts)) {
      Value partial = emitPartialSum(slot.getBuffers(), part);
      partial = WaitMmaOp::create(builder, loc, getPromotedType(), partial, 0);
      if (number + 1 == parts.size())
        ReleaseOp::create(builder, loc, loadChannel, iteration);
      emitPromotion(part, partial,
                    scales.empty() ? scales : scales.slice(2 * number, 2),
                    stepSums);
    }
    SmallVector<Value> next = {
        arith::AddIOp::create(builder, loc, iteration, constant(1))};
    next.append(stepSums);
    next.append(nextScales);
    scf::YieldOp::create(builder, loc, next);
  }
  sums.assign(loop.getResults().slice(1, numSums).begin(),
              loop.getResults().slice(1, numSums).end());
  emitTurnEnd();
}

/// Each part is multiplied while the one before it is added, also over the end
/// of a step, so that the tensor core does not wait for additions. Two partial
/// sums are alive. The last part of a trip is waited for before the next trip's
/// first one is issued: across the trips of a loop ptxas does not see which
/// groups are complete, and serialises multiplications that run while such a
/// sum is read. A trip has several steps, then, and those that are left over
/// follow one by one.
void PipelineBuilder::emitOverlappedPromotion(ArrayRef<PromotedPart> parts,
                                              SmallVectorImpl<Value> &sums) {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  int64_t tripSteps = tile.promotedTripSteps;
  Value step = mapping.lookup(tile.mainLoop.getStep()), one = constant(1);
  AccumulatorType type = getPromotedType();
  size_t numSums = sums.size();
  bool hasScales = bool(tile.dots.front().rowScales);
  Value tripStep = step, tripsUpper = loopUpper, restIteration;
  if (tripSteps != 1) {
    tripStep = arith::MulIOp::create(builder, loc, step, constant(tripSteps));
    Value extent = arith::SubIOp::create(builder, loc, loopUpper, loopLower);
    extent = arith::MaxSIOp::create(builder, loc, extent, constant(0));
    Value steps = arith::CeilDivUIOp::create(builder, loc, extent, step);
    Value inTrips = arith::SubIOp::create(
        builder, loc, steps,
        arith::RemUIOp::create(builder, loc, steps, constant(tripSteps)));
    tripsUpper = arith::AddIOp::create(
        builder, loc, loopLower,
        arith::MulIOp::create(builder, loc, inTrips, step));
    restIteration = arith::AddIOp::create(builder, loc, iterationBase, inTrips);
  }

  // What is known when a step begins: its scales, the sum that runs, the scales
  // of that one.
  struct {
    Value inductionVar, iteration, running;
    SmallVector<Value> sums, runningScales, stepScales;
  } at;
  auto emitStep = [&](bool startsTrip) {
    Value next = arith::AddIOp::create(builder, loc, at.inductionVar, step);
    SmallVector<Value> nextScales;
    if (hasScales)
      nextScales = emitStepScales(next);
    ValueRange buffers;
    auto emitSlot = [&] {
      buffers =
          WaitOp::create(builder, loc, slotTypes, loadChannel, at.iteration)
              .getBuffers();
    };
    auto emitRelease = [&] {
      Value last = arith::SubIOp::create(builder, loc, at.iteration, one);
      ReleaseOp::create(builder, loc, loadChannel, last);
    };
    for (auto [number, part] : llvm::enumerate(parts)) {
      const PromotedPart &last = number == 0 ? parts.back() : parts[number - 1];
      Value done;
      auto emitDone = [&] {
        done = WaitMmaOp::create(builder, loc, type, at.running, 0);
      };
      // Nothing is multiplied between this wait and the next product: whatever
      // else can be done before or after is. With one slot it must be free
      // before it is waited for.
      bool waitsFirst = number == 0 && at.running && startsTrip;
      if (waitsFirst && tile.stages == 1) {
        emitDone();
        emitRelease();
      }
      if (number == 0)
        emitSlot();
      if (waitsFirst && tile.stages != 1)
        emitDone();
      Value issued = emitPartialSum(buffers, part);
      if (at.running && !done)
        done = WaitMmaOp::create(builder, loc, type, at.running, 1,
                                 /*complete=*/true);
      if (number == 0 && done && !(waitsFirst && tile.stages == 1))
        emitRelease();
      if (done)
        emitPromotion(last, done, at.runningScales, at.sums);
      at.running = issued;
      if (hasScales)
        at.runningScales.assign(at.stepScales.begin() + 2 * number,
                                at.stepScales.begin() + 2 * number + 2);
    }
    at.stepScales = std::move(nextScales);
    at.inductionVar = next;
    at.iteration = arith::AddIOp::create(builder, loc, at.iteration, one);
  };
  auto getCarried = [&] {
    SmallVector<Value> carried = {at.iteration, at.running};
    carried.append(at.sums);
    carried.append(at.runningScales);
    carried.append(at.stepScales);
    return carried;
  };
  auto setCarried = [&](ValueRange carried) {
    at.iteration = carried[0];
    at.running = carried[1];
    carried = carried.drop_front(2);
    for (SmallVector<Value> *place :
         {&at.sums, &at.runningScales, &at.stepScales}) {
      size_t size = place->size();
      place->assign(carried.begin(), carried.begin() + size);
      carried = carried.drop_front(size);
    }
  };

  Value isNotEmpty = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, loopLower, tripsUpper);
  SmallVector<Type> sumTypes(numSums, type);
  auto branch = scf::IfOp::create(builder, loc, sumTypes, isNotEmpty,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    if (tripSteps == 1)
      emitTurnEnd();
    scf::YieldOp::create(builder, loc, sums);

    builder.setInsertionPointToStart(branch.thenBlock());
    at.inductionVar = loopLower;
    at.iteration = iterationBase;
    at.sums.assign(sums.begin(), sums.end());
    at.stepScales = emitStepScales(loopLower);
    for (int64_t number = 0; number < tripSteps; ++number)
      emitStep(/*startsTrip=*/number == 0);

    auto loop =
        scf::ForOp::create(builder, tile.mainLoop.getLoc(), at.inductionVar,
                           tripsUpper, tripStep, getCarried());
    {
      OpBuilder::InsertionGuard inner(builder);
      builder.setInsertionPointToStart(loop.getBody());
      setCarried(loop.getRegionIterArgs());
      at.inductionVar = loop.getInductionVar();
      for (int64_t number = 0; number < tripSteps; ++number)
        emitStep(/*startsTrip=*/number == 0);
      scf::YieldOp::create(builder, loc, getCarried());
    }
    if (tripSteps == 1)
      emitTurnEnd();
    setCarried(loop.getResults());
    Value done = WaitMmaOp::create(builder, loc, type, at.running, 0);
    ReleaseOp::create(builder, loc, loadChannel,
                      arith::SubIOp::create(builder, loc, at.iteration, one));
    emitPromotion(parts.back(), done, at.runningScales, at.sums);
    scf::YieldOp::create(builder, loc, at.sums);
  }
  sums.assign(branch.result_begin(), branch.result_end());
  if (tripSteps != 1)
    emitPromotionInTurn(parts, tripsUpper, restIteration, sums);
}
