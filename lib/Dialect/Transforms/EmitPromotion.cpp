//===- EmitPromotion.cpp - partial sums added in full precision -----------===//

#include "PipelineBuilder.h"

#include <numeric>

using namespace mlir;
using namespace bsmm;

/// The parts of a step whose sums are promoted one by one: ranges of K, and of
/// columns where two sums of all columns do not fit beside the main one.
SmallVector<PipelineBuilder::PromotedPart> PipelineBuilder::getPromotedParts() {
  SmallVector<PromotedPart> parts;
  int64_t columns = tile.columns / tile.promotedColumnParts;
  for (TileKernel::Dot &dot : tile.dots) {
    int64_t depth = tile.loadTypes[dot.a].getShape()[1];
    for (int64_t k = 0; k < depth; k += dot.promoteEvery)
      for (int64_t column = 0; column < tile.columns; column += columns)
        parts.push_back({&dot, k, column / columns});
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
  return MmaOp::create(
      builder, part.dot->op->getLoc(), type, buffers[part.dot->a],
      buffers[part.dot->b], Value(),
      attribute(isWholeTile, part.columnPart * type.getShape()[1]),
      attribute(isWholeDepth, part.k),
      attribute(isWholeDepth, part.dot->promoteEvery));
}

/// Adds the sum of a part, which has been waited for, to that of its columns.
void PipelineBuilder::emitPromotion(const PromotedPart &part, Value partial,
                                    ValueRange scales,
                                    MutableArrayRef<Value> sums) {
  Value &sum = sums[part.columnPart];
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
  SmallVector<Value> sums(tile.promotedColumnParts, zero);
  if (tile.overlapsPromotion)
    emitOverlappedPromotion(parts, sums);
  else
    emitPromotionInTurn(parts, sums);
  registerSum = sums.front();
  if (sums.size() > 1)
    registerSum =
        JoinAccumulatorsOp::create(builder, loc, getRegisterType(), sums);
}

/// Each part is waited for before the next one starts.
void PipelineBuilder::emitPromotionInTurn(ArrayRef<PromotedPart> parts,
                                          SmallVectorImpl<Value> &sums) {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  Value step = mapping.lookup(tile.mainLoop.getStep());
  size_t numSums = sums.size();
  SmallVector<Value> carried = {iterationBase};
  carried.append(sums);
  carried.append(emitStepScales(loopLower));
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), loopLower,
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
/// sums are alive. The last part of a step is waited for before the next step's
/// first one is issued: across the trips of a loop ptxas does not see which
/// groups are complete, and serialises multiplications that run while such a
/// sum is read.
void PipelineBuilder::emitOverlappedPromotion(ArrayRef<PromotedPart> parts,
                                              SmallVectorImpl<Value> &sums) {
  SmallVector<Type> slotTypes(tile.loadTypes.begin(), tile.loadTypes.end());
  Value step = mapping.lookup(tile.mainLoop.getStep()), one = constant(1);
  AccumulatorType type = getPromotedType();
  size_t numSums = sums.size(), numParts = parts.size();
  // The scales of a step, and of the last part before it.
  bool hasScales = bool(tile.dots.front().rowScales);
  auto scalesOf = [&](ValueRange scales, size_t part) {
    return hasScales ? scales.slice(2 * part, 2) : ValueRange();
  };

  Value isNotEmpty = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, loopLower, loopUpper);
  SmallVector<Type> sumTypes(numSums, type);
  auto branch = scf::IfOp::create(builder, loc, sumTypes, isNotEmpty,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitTurnEnd();
  scf::YieldOp::create(builder, loc, sums);

  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> scales = emitStepScales(loopLower);
  auto slot =
      WaitOp::create(builder, loc, slotTypes, loadChannel, iterationBase);
  Value running = emitPartialSum(slot.getBuffers(), parts[0]);
  auto emitFurtherParts = [&](ValueRange buffers, ValueRange partScales,
                              MutableArrayRef<Value> partSums) {
    for (size_t part = 1; part < numParts; ++part) {
      Value next = emitPartialSum(buffers, parts[part]);
      Value done = WaitMmaOp::create(builder, loc, type, running, 1,
                                     /*complete=*/true);
      emitPromotion(parts[part - 1], done, scalesOf(partScales, part - 1),
                    partSums);
      running = next;
    }
  };
  emitFurtherParts(slot.getBuffers(), scales, sums);

  Value second = arith::AddIOp::create(builder, loc, loopLower, step);
  SmallVector<Value> carried = {
      arith::AddIOp::create(builder, loc, iterationBase, one), running};
  carried.append(sums.begin(), sums.end());
  if (hasScales) {
    llvm::append_range(carried, scalesOf(scales, numParts - 1));
    carried.append(emitStepScales(second));
  }
  auto loop = scf::ForOp::create(builder, tile.mainLoop.getLoc(), second,
                                 loopUpper, step, carried);
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange arguments = loop.getRegionIterArgs();
    Value iteration = arguments[0], last = arguments[1];
    SmallVector<Value> loopSums(arguments.slice(2, numSums));
    ValueRange lastScales = arguments.drop_front(2 + numSums);
    ValueRange stepScales = hasScales ? lastScales.drop_front(2) : lastScales;
    SmallVector<Value> nextScales;
    if (hasScales)
      nextScales = emitStepScales(
          arith::AddIOp::create(builder, loc, loop.getInductionVar(), step));
    Value done = WaitMmaOp::create(builder, loc, type, last, 0);
    ReleaseOp::create(builder, loc, loadChannel,
                      arith::SubIOp::create(builder, loc, iteration, one));
    auto next = WaitOp::create(builder, loc, slotTypes, loadChannel, iteration);
    running = emitPartialSum(next.getBuffers(), parts[0]);
    emitPromotion(parts.back(), done,
                  hasScales ? lastScales.take_front(2) : ValueRange(),
                  loopSums);
    emitFurtherParts(next.getBuffers(), stepScales, loopSums);
    SmallVector<Value> yielded = {
        arith::AddIOp::create(builder, loc, iteration, one), running};
    yielded.append(loopSums);
    if (hasScales) {
      llvm::append_range(yielded, scalesOf(stepScales, numParts - 1));
      yielded.append(nextScales);
    }
    scf::YieldOp::create(builder, loc, yielded);
  }
  emitTurnEnd();
  ValueRange results = loop.getResults();
  Value done = WaitMmaOp::create(builder, loc, type, results[1], 0);
  ReleaseOp::create(builder, loc, loadChannel,
                    arith::SubIOp::create(builder, loc, results[0], one));
  sums.assign(results.slice(2, numSums).begin(),
              results.slice(2, numSums).end());
  emitPromotion(parts.back(), done,
                hasScales ? results.slice(2 + numSums, 2) : ValueRange(), sums);
  scf::YieldOp::create(builder, loc, sums);
  sums.assign(branch.result_begin(), branch.result_end());
}
