//===- EmitEpilogue.cpp - from the accumulator to the output --------------===//

#include "PipelineBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace bsmm;

/// The one function that needs no device library.
static bool isExponential(Operation *op) {
  return isa<math::ExpOp>(op) && getElementTypeOrSelf(op->getResult(0)).isF32();
}

FailureOr<Value> PipelineBuilder::emitElementwise(Value value, Piece &piece) {
  if (Value known = piece.local.lookupOrNull(value);
      known && isa<VectorType>(known.getType()))
    return known;
  // An epilogue is a few operations; the stack is not for thousands.
  if (++epilogueDepth > 1000)
    return tile.store->emitOpError(
        "expected an epilogue of at most 1000 operations");
  Operation *op = value.getDefiningOp();
  auto tensor = cast<RankedTensorType>(value.getType());
  auto vectorType = VectorType::get({piece.size}, tensor.getElementType());
  DenseElementsAttr splat;
  if (op && matchPattern(value, m_Constant(&splat)) && splat.isSplat()) {
    auto attribute =
        DenseElementsAttr::get(vectorType, splat.getSplatValue<Attribute>());
    Value result =
        arith::ConstantOp::create(builder, op->getLoc(), vectorType, attribute);
    return result;
  }
  if (auto broadcast = dyn_cast_or_null<tensor::SplatOp>(op)) {
    Value result =
        vector::BroadcastOp::create(builder, op->getLoc(), vectorType,
                                    piece.local.lookup(broadcast.getInput()));
    return result;
  }
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    Value source = broadcast.getSource();
    auto load = source.getDefiningOp<VectorLoadOp>();
    if (!load)
      return broadcast.emitOpError("expected a vector of a bsmm.vector_load "
                                   "between the loop over K and the store");
    Value result;
    if (load.getType().getNumElements() == 1)
      result = vector::BroadcastOp::create(builder, op->getLoc(), vectorType,
                                           piece.local.lookup(source));
    else if (vectorBuffers.contains(load))
      result = ReadStagedOp::create(
          builder, op->getLoc(), vectorType, vectorBuffers[load][consumer],
          broadcast.getDimension() == 0 ? piece.row : shiftColumn(piece.column),
          broadcast.getDimension());
    else {
      bool isAlongRows = broadcast.getDimension() == 0;
      Value offset = piece.local.lookup(load.getOffset());
      result = ReadVectorOp::create(
          builder, op->getLoc(), vectorType,
          piece.local.lookup(load.getPointer()),
          isAlongRows ? piece.row : piece.column,
          isAlongRows == tile.isTransposed ? shiftColumn(offset) : offset,
          piece.local.lookup(load.getLimit()), broadcast.getDimension());
    }
    piece.local.map(value, result);
    return result;
  }
  if (auto load = dyn_cast_or_null<PredicatedLoadOp>(op)) {
    const GlobalTile &source = globalTiles.find(op)->second;
    Value result = ReadGlobalOp::create(builder, op->getLoc(), vectorType,
                                        piece.local.lookup(load.getPointer()),
                                        piece.row, piece.column, source.base,
                                        piece.local.lookup(load.getStrideRow()),
                                        source.rowsLeft, source.columnsLeft);
    piece.local.map(value, result);
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
    return emitElementwise(reshape.getSource(), piece);
  }
  if (auto cast = dyn_cast_or_null<SaturatingCastOp>(op)) {
    FailureOr<Value> source = emitElementwise(cast.getSource(), piece);
    if (failed(source))
      return failure();
    Value result =
        ConvertValuesOp::create(builder, op->getLoc(), vectorType, *source);
    return result;
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
  if (!op || op == tile.mainLoop || !op->hasTrait<OpTrait::Elementwise>() ||
      op->getNumResults() != 1 ||
      !(isa<arith::ArithDialect>(op->getDialect()) || isExponential(op)) ||
      isa<arith::RemFOp>(op) ||
      !llvm::all_of(op->getOperandTypes(), isLowered) ||
      !llvm::all_of(op->getResultTypes(), isLowered))
    return tile.store->emitOpError(
               "expected elementwise arith operations in f16, "
               "bf16 or f32, or math.exp of f32, on the accumulator, "
               "constants, loads "
               "and scalars before the store, got '")
           << (op ? op->getName().getStringRef() : StringRef("an argument"))
           << "' on the way";
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(piece.local.lookup(operand));
      continue;
    }
    FailureOr<Value> part = emitElementwise(operand, piece);
    if (failed(part))
      return failure();
    operands.push_back(*part);
  }
  OperationState state(op->getLoc(), op->getName(), operands, {vectorType},
                       op->getAttrs());
  Value result = builder.create(state)->getResult(0);
  piece.local.map(value, result);
  return result;
}

PipelineBuilder::GlobalTile
PipelineBuilder::emitGlobalTile(ValueRange coordinates, Value strideBatch,
                                Value strideRow, Value limitM, Value limitN) {
  Type i64 = builder.getI64Type();
  auto wide = [&](Value value) -> Value {
    return arith::ExtSIOp::create(builder, loc, i64, value);
  };
  GlobalTile result;
  Value batch =
      arith::MulIOp::create(builder, loc, wide(coordinates[0]), strideBatch);
  Value row =
      arith::MulIOp::create(builder, loc, wide(coordinates[1]), strideRow);
  result.base = arith::AddIOp::create(builder, loc, batch, row);
  result.base =
      arith::AddIOp::create(builder, loc, result.base, wide(coordinates[2]));
  result.rowsLeft = arith::SubIOp::create(builder, loc, limitM, coordinates[1]);
  result.columnsLeft =
      arith::SubIOp::create(builder, loc, limitN, coordinates[2]);
  return result;
}

/// Whether a scalar is known before the tile is multiplied.
bool PipelineBuilder::isKnownEarly(Value value) {
  Operation *def = value.getDefiningOp();
  return !def || def->getBlock() != tile.mainLoop->getBlock() ||
         def->isBeforeInBlock(tile.mainLoop);
}

/// Shared memory for the vectors of the epilogue, in roles that multiply and
/// drain: they arrive while the tile is multiplied.
void PipelineBuilder::createVectorBuffers() {
  if (!tile.accumulatesInRegisters())
    return;
  for (Operation &op : *tile.store->getBlock()) {
    auto load = dyn_cast<VectorLoadOp>(op);
    if (!load || load.getType().getNumElements() % 4 != 0 ||
        load.getType().getElementTypeBitWidth() != 32)
      continue;
    if (!isKnownEarly(load.getOffset()) || !isKnownEarly(load.getLimit()))
      continue;
    auto type = BufferType::get(
        builder.getContext(),
        {tile.consumerWarpgroups, load.getType().getNumElements()},
        load.getType().getElementType(), MemorySpace::Shared,
        BufferLayout::RowMajor);
    for (int64_t number = 0; number < tile.consumers; ++number)
      vectorBuffers[&op].push_back(AllocOp::create(builder, loc, type));
  }
}

void PipelineBuilder::emitVectorStaging() {
  // All threads have read the vectors of the tile before. With TMA stores the
  // last one came after a barrier anyway.
  if (!vectorBuffers.empty() && !isa<TmaStoreOp>(tile.store) && tile.tileLoop)
    SynchronizeOp::create(builder, loc, storesByWarpgroup());
  for (auto &[op, buffers] : vectorBuffers) {
    auto load = cast<VectorLoadOp>(op);
    StageVectorOp::create(builder, load.getLoc(),
                          mapping.lookup(load.getPointer()),
                          mapping.lookup(load.getOffset()),
                          mapping.lookup(load.getLimit()), buffers[consumer]);
  }
}

void PipelineBuilder::emitElementLoad(VectorLoadOp load) {
  // A constant may stand behind the loop over K.
  auto lookup = [&](Value value) -> Value {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return constant(number.getSExtValue());
    return mapping.lookup(value);
  };
  auto type = VectorType::get({1}, load.getType().getElementType());
  Value element = ReadVectorOp::create(
      builder, load.getLoc(), type, mapping.lookup(load.getPointer()),
      constant(0), lookup(load.getOffset()), lookup(load.getLimit()), 0);
  mapping.map(load.getResult(),
              vector::ExtractOp::create(builder, load.getLoc(), element, 0)
                  .getResult());
}

/// Vectors of one element, read while the tile is multiplied: what comes from
/// memory then, as in a kernel's first tile, is there when the sums are.
void PipelineBuilder::emitEarlyLoads() {
  for (Operation &op : *tile.store->getBlock()) {
    auto load = dyn_cast<VectorLoadOp>(op);
    auto isKnown = [&](Value value) {
      return isKnownEarly(value) || matchPattern(value, m_Constant());
    };
    if (!load || load.getType().getNumElements() != 1 ||
        !isKnown(load.getOffset()) || !isKnown(load.getLimit()))
      continue;
    emitElementLoad(load);
    earlyLoads.insert(load);
  }
}

/// What the epilogue reads once for a tile: vectors of one element, and where
/// matrices start.
void PipelineBuilder::emitPreloads() {
  for (Operation &op : *tile.store->getBlock()) {
    if (auto load = dyn_cast<VectorLoadOp>(op);
        load && load.getType().getNumElements() == 1 && !earlyLoads.erase(load))
      emitElementLoad(load);
    if (auto load = dyn_cast<PredicatedLoadOp>(op)) {
      SmallVector<Value> coordinates;
      for (Value coordinate : load.getCoordinates())
        coordinates.push_back(mapping.lookup(coordinate));
      shiftCoordinates(coordinates);
      globalTiles[&op] = emitGlobalTile(
          coordinates, mapping.lookup(load.getStrideBatch()),
          mapping.lookup(load.getStrideRow()), mapping.lookup(load.getLimitM()),
          mapping.lookup(load.getLimitN()));
    }
  }
}

/// Where some columns of an accumulator begin that are not at the same place in
/// every tile; null for others.
Value PipelineBuilder::emitPieceColumn(int64_t first, int64_t extent) {
  if (tile.accumulatesInRegisters())
    return {};
  if (tile.overlap == 0 && tile.consumerWarpgroups == 1)
    return {};
  if (tile.overlap == 0) {
    Value index = WarpgroupIndexOp::create(builder, loc, builder.getI32Type());
    Value start = arith::MulIOp::create(builder, loc, index,
                                        constant(tile.getDrainedColumns()));
    return arith::AddIOp::create(builder, loc, start, constant(first));
  }
  return SlotColumnOp::create(builder, loc, builder.getI32Type(), resultChannel,
                              tileNumber, first, extent);
}

/// Some columns of the tile: computed, and written to the staging buffer or to
/// the output. They begin at `first`, or at the value `at` if it is not null.
/// `isNotEmpty` is null for a sum that is valid in any case.
LogicalResult PipelineBuilder::emitDrain(Value accumulator, Value isNotEmpty,
                                         int64_t first, int64_t extent,
                                         Value at, Value stagingBuffer,
                                         const GlobalTile &output) {
  int64_t columns = drainColumns;
  while (extent % columns != 0)
    columns /= 2;
  // Of an accumulator that the CTAs of a cluster share, the piece lies beyond
  // this CTA's first column; of one that is wider than the tile, beyond the
  // tile's.
  bool isShared = exchange && !tile.accumulatesInRegisters();
  if (!at && (isShared || tile.extract))
    at = constant(first);
  Value drainAt = at;
  if (at)
    drainAt = toAccumulatorColumn(isShared ? shiftColumn(at) : at);
  bool isWhole = !drainAt && extent == tile.getDrainedColumns();
  if (at)
    first = 0;
  auto drain = DrainOp::create(
      builder, loc, accumulator, drainAt, isNotEmpty, columns, first,
      isWhole ? IntegerAttr() : builder.getI64IntegerAttr(extent),
      tile.isTransposed);
  OpBuilder::InsertionGuard guard(builder);
  VectorType valuesType = drain.getValuesType();
  Type i32 = builder.getI32Type();
  Block *body = builder.createBlock(&drain.getBody(), {},
                                    {i32, i32, valuesType}, {loc, loc, loc});
  Piece piece;
  piece.row = body->getArgument(0);
  // Its place in the piece that the warpgroup stores.
  Value column = body->getArgument(1);
  piece.column = column;
  if (at) {
    Value &place = tile.isTransposed ? piece.row : piece.column;
    place = arith::AddIOp::create(builder, loc, place, at);
  }
  piece.size = valuesType.getDimSize(0);
  piece.local = mapping;
  Value values = body->getArgument(2);
  if (isShared) {
    Value row = piece.row, place = piece.column;
    if (tile.isTransposed)
      std::swap(row, place);
    values = AddPartialsOp::create(builder, loc, valuesType, values, exchange,
                                   row, place);
  }
  piece.local.map(tile.sum, values);
  FailureOr<Value> result = emitElementwise(tile.store->getOperand(0), piece);
  if (failed(result))
    return failure();
  if (!stagingBuffer) {
    auto store = cast<PredicatedStoreOp>(tile.store);
    WriteGlobalOp::create(
        builder, loc, *result, mapping.lookup(store.getPointer()), piece.row,
        piece.column, output.base, mapping.lookup(store.getStrideRow()),
        output.rowsLeft, output.columnsLeft);
    return success();
  }
  if (first != 0)
    column = arith::SubIOp::create(builder, loc, column, constant(first));
  if (warpgroupColumn)
    column = arith::SubIOp::create(builder, loc, column, warpgroupColumn);
  WriteSharedOp::create(builder, loc, *result, stagingBuffer,
                        tile.isTransposed ? body->getArgument(0) : piece.row,
                        column);
  return success();
}

/// Sends the other CTAs of the cluster what this one has for their shares of an
/// accumulator in tensor memory; the drains of its own share add what they have
/// sent. `isNotEmpty`: whether this CTA had any step.
void PipelineBuilder::emitExchange(Value accumulator, Value isNotEmpty) {
  Value rank = ClusterRankOp::create(builder, loc, builder.getI32Type());
  Value extent = constant(tile.getOutputColumns());
  columnOffset = arith::MulIOp::create(builder, loc, rank, extent);
  int64_t columns = drainColumns;
  while (tile.getDrainedColumns() % columns != 0)
    columns /= 2;
  // Of each share, a warpgroup sends what it drains of its own CTA's.
  Value first = emitPieceColumn(0, tile.getDrainedColumns());
  // Each starts with its neighbour, so that no CTA gets everything at once.
  auto loop = scf::ForOp::create(builder, loc, constant(1),
                                 constant(tile.split), constant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value to =
        arith::AddIOp::create(builder, loc, rank, loop.getInductionVar());
    to = arith::RemUIOp::create(builder, loc, to, constant(tile.split));
    Value at = arith::MulIOp::create(builder, loc, to, extent);
    if (first)
      at = arith::AddIOp::create(builder, loc, at, first);
    auto drain = DrainOp::create(
        builder, loc, accumulator, toAccumulatorColumn(at), isNotEmpty, columns,
        /*first=*/0, builder.getI64IntegerAttr(tile.getDrainedColumns()),
        false);
    VectorType valuesType = drain.getValuesType();
    Type i32 = builder.getI32Type();
    Block *body = builder.createBlock(&drain.getBody(), {},
                                      {i32, i32, valuesType}, {loc, loc, loc});
    Value column = body->getArgument(1);
    if (first)
      column = arith::AddIOp::create(builder, loc, column, first);
    SendPartialOp::create(builder, loc, body->getArgument(2), exchange,
                          body->getArgument(0), column, to,
                          /*barrier_offset=*/IntegerAttr());
  }
  WaitPartialsOp::create(builder, loc, exchange,
                         /*barrier_offset=*/IntegerAttr());
}

/// The sum of all CTAs of the cluster for this CTA's share of the columns.
Value PipelineBuilder::emitReduction(Value accumulator) {
  auto type = AccumulatorType::get(
      builder.getContext(), {tile.rows, tile.getOutputColumns()},
      builder.getF32Type(), tile.consumerWarpgroups, /*byColumns=*/false);
  Value rank = ClusterRankOp::create(builder, loc, builder.getI32Type());
  columnOffset = arith::MulIOp::create(builder, loc, rank,
                                       constant(tile.getOutputColumns()));
  return ReduceClusterOp::create(builder, loc, type, accumulator, exchange);
}

/// The column of the accumulator that is a column of the tile.
Value PipelineBuilder::toAccumulatorColumn(Value column) {
  if (!tile.extract)
    return column;
  return arith::AddIOp::create(builder, loc, column,
                               mapping.lookup(tile.extract.getOffset()));
}

/// A column of the tile at column 0 of what this CTA stores.
Value PipelineBuilder::shiftColumn(Value column) {
  if (!columnOffset)
    return column;
  return arith::AddIOp::create(builder, loc, column, columnOffset);
}

/// Coordinates of the tile to those of what this CTA stores.
void PipelineBuilder::shiftCoordinates(SmallVectorImpl<Value> &coordinates) {
  Value &place = coordinates[coordinates.size() - (tile.isTransposed ? 2 : 1)];
  place = shiftColumn(place);
}

LogicalResult PipelineBuilder::emitEpilogue(Part part) {
  // One thread, always the same one, stores and waits for its stores.
  auto emitStoringThread = [&](function_ref<void()> body) {
    if (part == Part::Everything)
      emitRole(0, 1, [&] { emitLeader(body); });
    else
      emitLeader(body, storesByWarpgroup());
  };
  auto emitWaitForStores = [&](int64_t pending) {
    emitStoringThread(
        [&] { WaitStoresOp::create(builder, loc, /*read=*/true, pending); });
  };
  auto tmaStore = dyn_cast<TmaStoreOp>(tile.store);
  auto predicatedStore = dyn_cast<PredicatedStoreOp>(tile.store);
  int64_t pieces = tile.getStagingPieces(), slots = tile.stagingSlots;
  int64_t extent = tile.getDrainedColumns() / pieces;
  // The only staging buffer is free when the last store has read it.
  bool isSingleBuffer = tmaStore && slots == 1;
  auto emitFreeStaging = [&] {
    emitWaitForStores(0);
    SynchronizeOp::create(builder, loc, storesByWarpgroup());
  };
  Value accumulator = registerSum, isNotEmpty;
  if (!tile.accumulatesInRegisters()) {
    emitEarlyLoads();
    // The stores of the tile before have read their buffers long ago.
    if (tmaStore && tile.tileLoop)
      emitFreeStaging();
    accumulator = WaitOp::create(builder, loc, TypeRange{tile.accumulatorType},
                                 resultChannel, tileNumber)
                      .getBuffers()[0];
  }
  SmallVector<Value> coordinates;
  for (Value coordinate :
       tmaStore ? tmaStore.getCoordinates() : predicatedStore.getCoordinates())
    coordinates.push_back(mapping.lookup(coordinate));
  if (tile.split != 1)
    isNotEmpty = hasSteps;
  else if (!tile.accumulatesInRegisters())
    isNotEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       steps, constant(0));
  if (tile.split != 1) {
    if (tile.accumulatesInRegisters())
      accumulator = emitReduction(accumulator);
    else
      emitExchange(accumulator, isNotEmpty);
    shiftCoordinates(coordinates);
  }
  GlobalTile output;
  if (predicatedStore)
    output = emitGlobalTile(coordinates,
                            mapping.lookup(predicatedStore.getStrideBatch()),
                            mapping.lookup(predicatedStore.getStrideRow()),
                            mapping.lookup(predicatedStore.getLimitM()),
                            mapping.lookup(predicatedStore.getLimitN()));
  emitPreloads();
  // The stores of the tile before have read their buffers long ago.
  bool isStoreAwaited =
      tmaStore && tile.accumulatesInRegisters() && tile.tileLoop;
  if (isStoreAwaited)
    emitWaitForStores(0);
  if (!vectorBuffers.empty())
    WaitVectorsOp::create(builder, loc);
  // Where the operands were all warps have multiplied before one writes.
  bool isShared = tile.stagesOverSlots && tile.accumulatesInRegisters();
  if (isStoreAwaited || !vectorBuffers.empty() || isShared)
    SynchronizeOp::create(builder, loc, !isShared && storesByWarpgroup());

  // What a store moves: all of a piece, or what the warpgroup has of it.
  Value warpgroup, firstRow;
  if (tmaStore && storesByWarpgroup()) {
    warpgroup = WarpgroupIndexOp::create(builder, loc, builder.getI32Type());
    firstRow = arith::MulIOp::create(builder, loc, warpgroup,
                                     constant(tile.getDrainedRows()));
    // The column of a piece of tensor memory says where the warpgroup's columns
    // are.
    Value offset = tile.accumulatesInRegisters() ? firstRow : constant(0);
    if (tile.splitsByColumns && tile.accumulatesInRegisters())
      offset = warpgroupColumn = arith::MulIOp::create(
          builder, loc, warpgroup, constant(tile.getDrainedColumns()));
    Value &place =
        coordinates[coordinates.size() - (tile.splitsByColumns ? 1 : 2)];
    place = arith::AddIOp::create(builder, loc, place, offset);
  }
  // Without a staging buffer shared columns are a piece of their own.
  SmallVector<std::pair<int64_t, int64_t>> columns;
  for (int64_t index = 0; index < pieces; ++index)
    columns.push_back({index * extent, extent});
  if (!tmaStore && tile.overlap != 0 && tile.overlap < extent)
    columns = {{0, tile.overlap}, {tile.overlap, extent - tile.overlap}};
  // With columns of their own the warpgroups have a piece each, below each
  // other in the buffer, or in a buffer each where the columns are rows of the
  // output; with rows they have theirs of one piece.
  bool isSliced = tmaStore && tile.splitsByColumns;
  SmallVector<Value> buffers, starts;
  auto emitStore = [&](int64_t index) {
    SmallVector<Value> place = coordinates;
    Value &start = place[place.size() - (tile.isTransposed ? 2 : 1)];
    if (starts[index])
      start = arith::AddIOp::create(builder, loc, start, starts[index]);
    else if (int64_t first = columns[index].first)
      place.back() =
          arith::AddIOp::create(builder, loc, place.back(), constant(first));
    Value buffer = buffers[index];
    if (firstRow && !isSliced)
      buffer = SliceRowsOp::create(builder, loc, tile.getStoreType(), buffer,
                                   firstRow);
    StoreAsyncOp::create(builder, tmaStore.getLoc(), buffer,
                         mapping.lookup(tmaStore.getMap()), place,
                         tmaStore.getAdd());
  };
  // Where every piece has a buffer, the threads meet once for all.
  bool isStoredAtOnce = tmaStore && pieces > 1 && slots == pieces;
  bool isReleased = tile.accumulatesInRegisters();
  for (auto [number, piece] : llvm::enumerate(columns)) {
    auto [first, extent] = piece;
    int64_t index = int64_t(number);
    if (isSingleBuffer && index != 0)
      emitFreeStaging();
    Value buffer;
    if (tmaStore)
      buffer = staging[consumer * slots + index % slots];
    if (isSliced && tile.isTransposed)
      buffer = SelectBufferOp::create(builder, loc, warpgroup, staging[0],
                                      staging[1]);
    else if (isSliced)
      buffer = SliceRowsOp::create(builder, loc, tile.getStoreType(), buffer,
                                   firstRow);
    buffers.push_back(buffer);
    starts.push_back(emitPieceColumn(first, extent));
    if (failed(emitDrain(accumulator, isNotEmpty, first, extent, starts.back(),
                         buffer, output)))
      return failure();
    bool isLast = number + 1 == columns.size();
    if (!isReleased &&
        (isLast || (tile.overlap != 0 && first + extent >= tile.overlap))) {
      ReleaseOp::create(builder, loc, resultChannel, tileNumber);
      isReleased = true;
    }
    if (!tmaStore || (isStoredAtOnce && !isLast))
      continue;
    // What the next piece overwrites has been read before the threads meet.
    if (slots > 1 && !isLast && index + 1 >= slots)
      emitWaitForStores(slots - 2);
    PublishOp::create(builder, loc, storesByWarpgroup());
    emitStoringThread([&] {
      for (int64_t stored = isStoredAtOnce ? 0 : index; stored <= index;
           ++stored)
        emitStore(stored);
    });
  }
  return success();
}
