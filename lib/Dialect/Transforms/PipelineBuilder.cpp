//===- PipelineBuilder.cpp - writes a pipeline-level kernel ---------------===//
//
// A tile-level kernel says what is computed; this decides who does it and when.
// The roles meet only in channels.
//
// With accumulators in tensor memory there are three roles: one warp loads, one
// multiplies, a warpgroup drains. In a kernel that walks over output tiles each
// role has its own loop over them, so that the next tile is multiplied while
// the last one is drained; in others the first two are warps of the warpgroup
// (EmitJoined.cpp).
//
//   loads     transaction bytes -> mma_commit    ring of `stages` slots; where
//                                                CTAs of a cluster load
//                                                together one for each operand,
//                                                whose loads are work of a warp
//                                                each
//   results   mma_commit -> 128 threads          accumulators, of which two may
//                                                share columns
//
// Two warpgroups drain where the kernel says so, each half of the columns; then
// the warpgroup of the other two roles gives registers to them.
//
// With accumulators in registers there are two: consumer warpgroups multiply
// and drain, each its rows of the tile, and one thread of a last warpgroup
// loads; that one gives most of its registers to the others.
//
//   loads     transaction bytes -> warps         ring of `stages` slots
//
// With bsmm.ping_pong the two consumer warpgroups are roles of their own, each
// with every other output tile: one multiplies while the other one drains. An
// order channel says whose turn it is to multiply.
//
//   turns     warps -> warps                     one slot without buffers
//
//===----------------------------------------------------------------------===//

#include "PipelineBuilder.h"
#include "bsmm/Dialect/Transforms/TileOrder.h"
#include "bsmm/Layout/ScaleFactorLayout.h"

#include <numeric>

using namespace mlir;
using namespace bsmm;

/// Registers of a thread that only loads, or multiplies into tensor memory as
/// well, or that waits for the one that does.
static int64_t getProducerRegisters(const TileKernel &tile) {
  return tile.accumulatesInRegisters() ? 24 : 40;
}

void PipelineBuilder::emitRole(int64_t warp, int64_t count,
                               function_ref<void()> body,
                               IntegerAttr registers) {
  auto role = WarpRoleOp::create(builder, loc, warp, count, registers);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&role.getBody());
  body();
}

void PipelineBuilder::emitLeader(function_ref<void()> body,
                                 bool eachWarpgroup) {
  auto leader = LeaderOp::create(builder, loc, eachWarpgroup);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&leader.getBody());
  body();
}

void PipelineBuilder::emitScalar(Operation &op, IRMapping &local) {
  if (auto order = dyn_cast<GroupedOrderOp>(op)) {
    auto [row, column] = buildGroupedOrder(
        builder, op.getLoc(), local.lookup(order.getLinear()),
        local.lookup(order.getTilesM()), local.lookup(order.getTilesN()),
        order.getGroup(), local.lookupOrNull(order.getAll()));
    local.map(order.getRow(), row);
    local.map(order.getColumn(), column);
    return;
  }
  builder.clone(op, local);
}

IRMapping PipelineBuilder::emitStepScalars(const IRMapping &outer, Value k) {
  IRMapping local = outer;
  local.map(tile.mainLoop.getInductionVar(), k);
  for (Operation &op : tile.mainLoop.getBody()->without_terminator())
    if (!isTensorOp(&op))
      emitScalar(op, local);
  return local;
}

Value PipelineBuilder::emitRoleLoop(
    function_ref<void(IRMapping &, Value)> body) {
  Value one = constant(1);
  auto loop = scf::ForOp::create(
      builder, tile.mainLoop.getLoc(), loopLower, loopUpper,
      mapping.lookup(tile.mainLoop.getStep()), ValueRange{iterationBase});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping local = emitStepScalars(mapping, loop.getInductionVar());
  Value iteration = loop.getRegionIterArg(0);
  body(local, iteration);
  Value next = arith::AddIOp::create(builder, loc, iteration, one);
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

void PipelineBuilder::emitSteps() {
  // Steps that the loop makes, 0 when its bounds are the wrong way round.
  loopLower = mapping.lookup(tile.mainLoop.getLowerBound());
  loopUpper = mapping.lookup(tile.mainLoop.getUpperBound());
  Value step = mapping.lookup(tile.mainLoop.getStep());
  Value distance = arith::SubIOp::create(builder, loc, loopUpper, loopLower);
  distance = arith::MaxSIOp::create(builder, loc, distance, constant(0));
  steps = arith::CeilDivUIOp::create(builder, loc, distance, step);
  if (tile.split == 1)
    return;
  // Each CTA of the cluster makes an equal share of them, the last ones perhaps
  // fewer.
  Value share =
      arith::CeilDivUIOp::create(builder, loc, steps, constant(tile.split));
  share = arith::MulIOp::create(builder, loc, share, step);
  Value rank = ClusterRankOp::create(builder, loc, builder.getI32Type());
  Value start = arith::MulIOp::create(builder, loc, rank, share);
  loopLower = arith::AddIOp::create(builder, loc, loopLower, start);
  Value end = arith::AddIOp::create(builder, loc, loopLower, share);
  loopUpper = arith::MinSIOp::create(builder, loc, loopUpper, end);
  if (tile.accumulatesInRegisters())
    return;
  // A CTA without a step makes one whose sum does not count, so that all CTAs
  // use their channels alike.
  hasSteps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                   loopLower, loopUpper);
  Value next = arith::AddIOp::create(builder, loc, loopLower, step);
  loopUpper = arith::MaxSIOp::create(builder, loc, loopUpper, next);
}

/// This CTA's share of a load for all: where it lies in `buffer`. Moves the
/// coordinates there.
Value PipelineBuilder::emitShare(TmaLoadOp load, TensorMapType share,
                                 Value buffer,
                                 SmallVectorImpl<Value> &coordinates) {
  auto type = cast<BufferType>(buffer.getType());
  auto map = cast<TensorMapType>(load.getMap().getType());
  Value rank = ClusterRankOp::create(builder, loc, builder.getI32Type());
  // The rank has a digit for each dimension that is shared out, the outermost
  // one first: shares lie in the order of ranks.
  Value digits = rank;
  int64_t left = tile.multicast;
  for (auto [coordinate, whole, part] :
       llvm::zip_equal(coordinates, map.getShape(), share.getShape())) {
    int64_t count = whole / part;
    if (count == 1)
      continue;
    left /= count;
    Value digit = digits;
    if (left != 1) {
      digit = arith::DivUIOp::create(builder, loc, digits, constant(left));
      digits = arith::RemUIOp::create(builder, loc, digits, constant(left));
    }
    if (part != 1)
      digit = arith::MulIOp::create(builder, loc, digit, constant(part));
    coordinate = arith::AddIOp::create(builder, loc, coordinate, digit);
  }
  SmallVector<int64_t> shape(type.getShape());
  bool isScales = type.getLayout() == BufferLayout::ScaleTiles;
  int64_t extent;
  if (isScales) {
    // All groups of some rows, or some of 128 rows.
    int64_t rowParts =
        std::gcd(shape[0] / layout::scaleTileRows, int64_t(tile.multicast));
    shape[0] /= rowParts;
    shape[1] /= tile.multicast / rowParts;
    extent =
        shape[0] / layout::scaleTileRows * shape[1] / layout::scaleTileGroups;
  } else {
    extent = shape[0] /= tile.multicast;
  }
  auto slice = BufferType::get(type.getContext(), shape, type.getElementType(),
                               type.getMemorySpace(), type.getLayout());
  Value first = rank;
  if (extent != 1)
    first = arith::MulIOp::create(builder, loc, rank, constant(extent));
  if (isScales)
    return SliceScalesOp::create(builder, loc, slice, buffer, first);
  return SliceRowsOp::create(builder, loc, slice, buffer, first);
}

/// The buffers of a slot of a group's channel.
SmallVector<Type> PipelineBuilder::getSlotTypes(unsigned group) {
  return llvm::map_to_vector(
      tile.loadGroups[group],
      [&](unsigned load) -> Type { return tile.loadTypes[load]; });
}

/// The place of a load in the order in which those of a step are issued, with
/// accumulators in tensor memory: operands before their scales, and first what
/// belongs to the columns of the output tile. With few rows that is what no
/// other CTA loads, so that memory has to bring it.
unsigned PipelineBuilder::getLoadPlace(unsigned load) const {
  if (tile.accumulatesInRegisters())
    return 0;
  bool isScales = false, isOfRows = false;
  for (const TileKernel::Dot &dot : tile.dots) {
    isScales |= load == dot.scaleA || load == dot.scaleB;
    isOfRows |= load == dot.a || load == dot.scaleA;
  }
  return 2 * isScales + (isOfRows != tile.isTransposed);
}

/// The loads of a group in one step, by one thread.
void PipelineBuilder::emitLoadStep(IRMapping &local, Value iteration,
                                   unsigned group) {
  Value channel = loadChannels[group];
  auto slot =
      AcquireOp::create(builder, loc, getSlotTypes(group), channel, iteration);
  SmallVector<std::pair<unsigned, Value>> order;
  for (auto [number, buffer] :
       llvm::zip(tile.loadGroups[group], slot.getBuffers()))
    order.push_back({number, buffer});
  llvm::stable_sort(order, [&](const auto &a, const auto &b) {
    return getLoadPlace(a.first) < getLoadPlace(b.first);
  });
  for (auto [number, buffer] : order) {
    TmaLoadOp load = tile.loads[number];
    TensorMapType share = tile.shares[number];
    SmallVector<Value> coordinates;
    for (Value coordinate : load.getCoordinates())
      coordinates.push_back(local.lookup(coordinate));
    Value destination = buffer;
    if (share)
      destination = emitShare(load, share, buffer, coordinates);
    LoadAsyncOp::create(builder, load.getLoc(), local.lookup(load.getMap()),
                        coordinates, destination, channel, iteration,
                        bool(share), load.getCacheAttr());
  }
  CommitOp::create(builder, loc, channel, iteration);
}

/// The loads of a tile's steps, by one thread.
void PipelineBuilder::emitLoads(unsigned group) {
  Value count = emitRoleLoop([&](IRMapping &local, Value iteration) {
    emitLoadStep(local, iteration, group);
  });
  if (!tile.tileLoop)
    emitWaitReleased(count, group);
}

/// Tensor cores of a cluster arrive at the barriers of all CTAs, for slots that
/// no producer waits for again.
void PipelineBuilder::emitWaitReleased(Value count, unsigned group) {
  Value channel = loadChannels[group];
  if (channel.getDefiningOp<CreateChannelOp>().getCluster() &&
      !tile.accumulatesInRegisters())
    WaitReleasedOp::create(builder, loc, channel, count);
}

/// The loop over output tiles of one role.
LogicalResult PipelineBuilder::emitTileLoop(Part part, int64_t consumer) {
  this->consumer = consumer;
  Value zero = constant(0), one = constant(1);
  Value lower = mapping.lookup(tile.tileLoop.getLowerBound());
  Value upper = mapping.lookup(tile.tileLoop.getUpperBound());
  Value step = mapping.lookup(tile.tileLoop.getStep());
  bool takesTurns = part == Part::Consumer && tile.consumers != 1;
  Value firstIteration = zero, turns = constant(tile.consumers);
  if (takesTurns) {
    // From the consumer's first tile on, those between are the others'.
    emitSteps();
    if (consumer != 0) {
      Value number = constant(consumer);
      firstIteration = arith::MulIOp::create(builder, loc, steps, number);
      Value distance = arith::MulIOp::create(builder, loc, step, number);
      lower = arith::AddIOp::create(builder, loc, lower, distance);
    }
    step = arith::MulIOp::create(builder, loc, step, turns);
  }
  auto loop = scf::ForOp::create(builder, tile.tileLoop.getLoc(), lower, upper,
                                 step, ValueRange{firstIteration, zero});
  if (part == Part::Loads)
    emitWaitReleased(loop.getResult(0));
  if (part == Part::SharedLoads)
    emitWaitReleased(loop.getResult(0), 1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  mapping.map(tile.tileLoop.getInductionVar(), loop.getInductionVar());
  iterationBase = loop.getRegionIterArg(0);
  tileNumber = loop.getRegionIterArg(1);
  if (failed(emitTile(tile.tileLoop.getBody(), part)))
    return failure();
  Value counted = steps;
  if (takesTurns)
    counted = arith::MulIOp::create(builder, loc, steps, turns);
  Value nextIteration =
      arith::AddIOp::create(builder, loc, iterationBase, counted);
  Value nextTile = arith::AddIOp::create(builder, loc, tileNumber, one);
  scf::YieldOp::create(builder, loc, ValueRange{nextIteration, nextTile});
  return success();
}

/// Loads are the work of one thread of a last warpgroup, which keeps few
/// registers.
void PipelineBuilder::emitProducerRole(function_ref<void()> body) {
  IntegerAttr registers;
  if (tile.getConsumerWarpgroups() > 1)
    registers = builder.getI64IntegerAttr(getProducerRegisters(tile));
  emitRole(
      tile.getConsumerWarpgroups() * target::threads::warpsPerWarpgroup,
      target::threads::warpsPerWarpgroup, [&] { emitLeader(body); }, registers);
}

void PipelineBuilder::emitConsumerRole(function_ref<void()> body,
                                       int64_t consumer) {
  IntegerAttr registers;
  if (tile.getConsumerWarpgroups() > 1) {
    // What a thread of each consumer can have when the producers keep theirs.
    int64_t perThread =
        tile.gpu->registersPerSM / target::threads::perWarpgroup;
    int64_t share =
        (perThread - getProducerRegisters(tile)) / tile.getConsumerWarpgroups();
    registers = builder.getI64IntegerAttr(share / 8 * 8);
  }
  int64_t warps = tile.consumerWarpgroups * target::threads::warpsPerWarpgroup;
  emitRole(consumer * warps, warps, body, registers);
}

/// A role for each part, with its own loop over output tiles.
LogicalResult PipelineBuilder::emitRoles() {
  bool isGood = true;
  auto emit = [&](Part part, int64_t consumer = 0) {
    isGood &= succeeded(emitTileLoop(part, consumer));
  };
  if (tile.accumulatesInRegisters()) {
    emitProducerRole([&] { emit(Part::Loads); });
    for (int64_t consumer = 0; consumer < tile.consumers; ++consumer)
      emitConsumerRole(
          [&] {
            emit(Part::Consumer, consumer);
            emitFinalStores();
          },
          consumer);
    return success(isGood);
  }
  if (tile.consumerWarpgroups > 1) {
    // Loading and multiplying are work of two warps of a warpgroup, which as a
    // whole gives registers to those that drain.
    constexpr int64_t perWarpgroup = target::threads::warpsPerWarpgroup;
    int64_t first = tile.consumerWarpgroups * perWarpgroup;
    emitRole(
        first, perWarpgroup,
        [&] {
          emitRole(first, 1, [&] { emitLeader([&] { emit(Part::Loads); }); });
          if (tile.loadGroups.size() != 1)
            emitRole(first + 2, 1,
                     [&] { emitLeader([&] { emit(Part::SharedLoads); }); });
          emitRole(first + 1, 1, [&] { emit(Part::Multiplications); });
        },
        builder.getI64IntegerAttr(getProducerRegisters(tile)));
    emitConsumerRole([&] {
      emit(Part::Epilogue);
      emitFinalStores();
    });
    return success(isGood);
  }
  // The warpgroup that drains comes first: tensor memory is read in quarters by
  // the number of the warp in its warpgroup.
  emitRole(target::threads::warpsPerWarpgroup, 1,
           [&] { emitLeader([&] { emit(Part::Loads); }); });
  if (tile.loadGroups.size() != 1)
    emitRole(target::threads::warpsPerWarpgroup + 2, 1,
             [&] { emitLeader([&] { emit(Part::SharedLoads); }); });
  emitRole(target::threads::warpsPerWarpgroup + 1, 1,
           [&] { emit(Part::Multiplications); });
  emitRole(0, target::threads::warpsPerWarpgroup, [&] {
    emit(Part::Epilogue);
    emitFinalStores();
  });
  return success(isGood);
}

/// A CTA does not end before its stores are complete.
void PipelineBuilder::emitFinalStores() {
  if (isa<TmaStoreOp>(tile.store))
    emitLeader([&] { WaitStoresOp::create(builder, loc, false); },
               storesByWarpgroup());
}

LogicalResult PipelineBuilder::emitTile(Block *block, Part part) {
  bool isInRegisters = tile.accumulatesInRegisters();
  for (Operation &op : *block) {
    if (&op == tile.tileLoop) {
      if (failed(tile.joins() ? emitJoinedTiles() : emitRoles()))
        return failure();
      continue;
    }
    if (&op == tile.mainLoop) {
      emitSteps();
      switch (part) {
      case Part::Everything:
        if (isInRegisters) {
          emitProducerRole([&] { emitLoads(); });
          break;
        }
        emitStepRoles();
        break;
      case Part::Steps:
        emitStepRoles();
        break;
      case Part::Loads:
        emitLoads();
        break;
      case Part::SharedLoads:
        emitLoads(1);
        break;
      case Part::Multiplications:
        emitTensorMemoryMultiplications();
        break;
      case Part::Consumer:
        emitRegisterMultiplications();
        break;
      case Part::Epilogue:
        break;
      }
      continue;
    }
    if (&op == tile.store) {
      LogicalResult result = success();
      if (part == Part::Everything && isInRegisters)
        emitConsumerRole([&] {
          emitRegisterMultiplications();
          result = emitEpilogue(Part::Consumer);
          emitFinalStores();
        });
      else if (part == Part::Everything && drainsInRole())
        emitRole(0, getJoinedWarps(),
                 [&] { result = emitEpilogue(Part::Epilogue); });
      else if (part == Part::Everything || part == Part::Epilogue ||
               part == Part::Consumer)
        result = emitEpilogue(part);
      if (failed(result))
        return failure();
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    // The epilogue takes what it needs of these.
    if (isTensorOp(&op) || isa<VectorLoadOp, PredicatedLoadOp>(op))
      continue;
    if (op.getNumRegions() != 0)
      return op.emitOpError("expected only scalar arithmetic around the loop "
                            "over K");
    emitScalar(op, mapping);
  }
  return success();
}

int64_t PipelineBuilder::getBlockSize() {
  if (tile.joins())
    return getJoinedWarps() * target::threads::perWarp;
  if (tile.accumulatesInRegisters() || tile.consumerWarpgroups > 1)
    return (tile.getConsumerWarpgroups() + 1) * target::threads::perWarpgroup;
  int64_t singleWarps = 1 + int64_t(tile.loadGroups.size());
  return target::threads::perWarpgroup + singleWarps * target::threads::perWarp;
}

/// A tensor map describes what one copy moves: a piece of the output, a CTA's
/// share of a load.
Type PipelineBuilder::getArgumentType(BlockArgument argument) {
  auto store = dyn_cast<TmaStoreOp>(tile.store);
  if (store && store.getMap() == argument)
    return tile.getStoreMapType(store);
  for (auto [load, share] : llvm::zip(tile.loads, tile.shares))
    if (share && load.getMap() == argument)
      return share;
  return argument.getType();
}

void PipelineBuilder::createChannels() {
  MLIRContext *context = builder.getContext();
  auto create = [&](int64_t slots, ArrayRef<BufferType> buffers,
                    ArrivalAttr producer, ArrivalAttr consumer,
                    bool isOfCluster = false, IntegerAttr overlap = {}) {
    return CreateChannelOp::create(
        builder, loc, ChannelType::get(context, slots, buffers), producer,
        consumer, isOfCluster ? builder.getUnitAttr() : UnitAttr(), overlap,
        nullptr, nullptr, nullptr);
  };
  auto transaction = ArrivalAttr::get(context, ArrivalKind::Transaction, 1);
  if (tile.accumulatesInRegisters()) {
    int64_t warps =
        tile.consumerWarpgroups * target::threads::warpsPerWarpgroup;
    auto consumerWarps = ArrivalAttr::get(context, ArrivalKind::Warps, warps);
    loadChannel =
        create(tile.stages, tile.loadTypes, transaction, consumerWarps,
               /*isOfCluster=*/tile.multicast != 1);
    loadChannels = {loadChannel};
    if (tile.consumers != 1)
      turnChannel = create(1, {}, consumerWarps, consumerWarps);
    for (TileKernel::Dot &dot : tile.dots)
      if (dot.decodedA)
        decodedBuffers.push_back({AllocOp::create(builder, loc, dot.decodedA),
                                  AllocOp::create(builder, loc, dot.decodedB)});
    return;
  }
  auto mmaCommit = ArrivalAttr::get(context, ArrivalKind::MmaCommit, 1);
  for (ArrayRef<unsigned> group : tile.loadGroups) {
    SmallVector<BufferType> buffers;
    for (unsigned load : group)
      buffers.push_back(tile.loadTypes[load]);
    bool isOfCluster = llvm::any_of(
        group, [&](unsigned load) { return bool(tile.shares[load]); });
    loadChannels.push_back(
        create(tile.stages, buffers, transaction, mmaCommit, isOfCluster));
  }
  loadChannel = loadChannels.front();
  IntegerAttr overlap;
  if (tile.overlap != 0)
    overlap = builder.getI64IntegerAttr(tile.overlap);
  resultChannel = create(
      tile.accumulators, tile.accumulatorType, mmaCommit,
      ArrivalAttr::get(context, ArrivalKind::Threads,
                       tile.consumerWarpgroups * target::threads::perWarpgroup),
      /*isOfCluster=*/false, overlap);
  auto inTensorMemory = [&](BufferType type) -> Value {
    return AllocOp::create(
        builder, loc,
        BufferType::get(context, type.getShape(), type.getElementType(),
                        MemorySpace::TensorMemory, BufferLayout::ScaleTiles));
  };
  for (int64_t turn = 0; turn < tile.scaleTurns; ++turn)
    for (TileKernel::Dot &dot : tile.dots)
      scaleBuffers.push_back({inTensorMemory(tile.loadTypes[dot.scaleA]),
                              inTensorMemory(tile.loadTypes[dot.scaleB])});
}

LogicalResult PipelineBuilder::build() {
  builder.setInsertionPoint(kernel);
  auto pipeline = cast<KernelOp>(builder.insert(kernel->cloneWithoutRegions()));
  pipeline.setLevel(Level::Pipeline);
  pipeline.setBlockSizeAttr(builder.getI64IntegerAttr(getBlockSize()));
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (BlockArgument argument : kernel.getArguments()) {
    types.push_back(getArgumentType(argument));
    locations.push_back(argument.getLoc());
  }
  pipeline.setFunctionType(builder.getFunctionType(types, {}));
  Block *entry = builder.createBlock(&pipeline.getBody(), {}, types, locations);
  mapping.map(kernel.getArguments(), entry->getArguments());

  createChannels();
  if (tile.stagingType)
    for (int64_t slot = 0; slot < tile.consumers * tile.stagingSlots; ++slot)
      staging.push_back(
          AllocOp::create(builder, loc, tile.stagingType, IntegerAttr(),
                          tile.stagesOverSlots ? loadChannel : Value()));
  createVectorBuffers();
  if (tile.exchangeType)
    exchange = AllocOp::create(builder, loc, tile.exchangeType);
  iterationBase = constant(0);
  tileNumber = constant(0);

  if (failed(emitTile(&kernel.getBody().front(), Part::Everything))) {
    pipeline.erase();
    return failure();
  }
  if (tile.joins() && isa<TmaStoreOp>(tile.store))
    emitRole(0, drainsInRole() ? getJoinedWarps() : 1,
             [&] { emitFinalStores(); });
  ReturnOp::create(builder, loc);
  kernel.erase();
  return success();
}
