//===- TileLevel.cpp - kernels as functions that run all their CTAs -------===//

#include "FunctionLowering.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace bsmm;

FailureOr<int64_t> bsmm::findScaleVectorSize(KernelOp kernel) {
  ScaledDotOp first;
  WalkResult walk = kernel.walk([&](ScaledDotOp op) {
    if (!first)
      first = op;
    if (first.getScaleVectorSize() == op.getScaleVectorSize())
      return WalkResult::advance();
    op.emitOpError("expected one scale vector size in a kernel, got ")
        << first.getScaleVectorSize() << " and " << op.getScaleVectorSize();
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return first ? first.getScaleVectorSize() : 0;
}

namespace {
class KernelLowering : public FunctionLowering {
public:
  KernelLowering(ImplicitLocOpBuilder &builder,
                 const CpuConversionOptions &options, KernelOp kernel)
      : FunctionLowering(builder, options), kernel(kernel) {}

  FailureOr<func::FuncOp> run();

protected:
  LogicalResult lowerLevelOp(Operation &op) override;
  /// Tiles of narrow types are decoded when they are loaded.
  Type storageOf(Type element) override {
    return isNarrowFloat(element) || isHalfFloat(element)
               ? Type(builder.getF32Type())
               : element;
  }

private:
  LogicalResult build();

  /// The memory of an operand.
  struct Memory {
    Value memory;
    Value pitch, batchStride;
  };
  /// An operand that is read, decoded.
  struct Decoded {
    Value values;
    SmallVector<Value> extents;
    /// Value of elements outside of the tensor: that of code 0.
    float outside = 0;
  };

  Value argument(ArgumentRole role);
  Value rowsOf(ArgumentRole role);
  FailureOr<ArgumentRole> roleOf(Operation *op, Value argument);
  LogicalResult decodeOperand(BlockArgument argument, ArgumentRole role,
                              Operation *user);
  FailureOr<Value> countCtas();
  LogicalResult lowerLoad(TmaLoadOp op);
  LogicalResult lowerStore(Operation *op, Value tile, ArgumentRole role,
                           ValueRange coordinates, ArrayRef<Value> limits,
                           Value batchStride, Value pitch);
  FailureOr<ArgumentRole> sourceOf(Operation *op, Value pointer);
  Value generateLoaded(RankedTensorType type, Value memory, Value isInBounds,
                       function_ref<std::pair<Value, Value>(ValueRange)> place);
  Value isInMemory(Value memory, Value first, Value last, int64_t bytes);
  LogicalResult lowerVectorLoad(VectorLoadOp op);
  LogicalResult lowerScaleLoad(ScaleLoadOp op);
  Value readOutput(Value memory, Value offset);
  Value addScaled(DotOp op, Value partial, Value sum);
  LogicalResult lowerPredicatedLoad(PredicatedLoadOp op);
  void lowerBroadcast(BroadcastOp op);
  void lowerReshape(ReshapeOp op);
  void lowerExtract(Operation *op, unsigned dimension);
  void lowerOrder(GroupedOrderOp op);
  Value multiply(Value a, Value b, Value accumulator);
  void lowerScaledDot(ScaledDotOp op);
  void lowerDot(DotOp op);

  KernelOp kernel;
  func::FuncOp function;
  DenseMap<ArgumentRole, Value> arguments;
  DenseMap<ArgumentRole, Memory> memories;
  DenseMap<Value, Decoded> decoded;
  int64_t vectorSize = 0;
  Value cta, ctas;
};
} // namespace

Value KernelLowering::argument(ArgumentRole role) { return arguments[role]; }

/// Rows of an operand.
Value KernelLowering::rowsOf(ArgumentRole role) {
  bool isN = role == ArgumentRole::B || role == ArgumentRole::ScaleB;
  return argument(isN ? ArgumentRole::N : ArgumentRole::M);
}

FailureOr<ArgumentRole> KernelLowering::roleOf(Operation *op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == &kernel.getBody().front())
      if (auto role = kernel.getArgAttrOfType<ArgumentRoleAttr>(
              argument.getArgNumber(), BsmmDialect::getRoleAttrName()))
        return role.getValue();
  return op->emitOpError("expected an argument of the kernel with a role, e.g. "
                         "{bsmm.role = #bsmm.role<a>}, for the reference "
                         "conversion");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::decodeOperand(BlockArgument argument,
                                            ArgumentRole role,
                                            Operation *user) {
  auto map = cast<TensorMapType>(argument.getType());
  ArrayRef<int64_t> shape = map.getShape();
  Type type = map.getElementType();
  unsigned bits = getElementBits(type);
  bool isScale = role == ArgumentRole::ScaleA || role == ArgumentRole::ScaleB;
  if (!isa<FloatType>(type))
    return user->emitOpError("expected a floating-point operand for the "
                             "reference conversion, got ")
           << map;
  if (role == ArgumentRole::D)
    return user->emitOpError("expected an input to load from, got the output; "
                             "the reference conversion reads d nowhere");

  const Memory &memory = memories.find(role)->second;
  Value rows = rowsOf(role), columns = this->argument(ArgumentRole::K),
        batches = this->argument(ArgumentRole::L);
  if (role == ArgumentRole::C)
    columns = this->argument(ArgumentRole::N);
  if (isScale) {
    if (vectorSize == 0)
      return user->emitOpError("expected a bsmm.scaled_dot in a kernel that "
                               "loads scales: it gives the number of groups");
    columns = emit.ceilDivide(columns, vectorSize);
  }
  Value bytes = readable(memory.memory);
  Decoded result;
  if (isa<Float8E8M0FNUType>(type))
    result.outside = 0x1p-127f; // code 0
  // One element at least, so that a load outside always has one to read.
  Value one = emit.index(1);
  auto sizes = [&] {
    return llvm::map_to_vector(result.extents, [&](Value extent) {
      return OpFoldResult(
          arith::MaxUIOp::create(builder, extent, one).getResult());
    });
  };

  if (!isScale && (shape.size() == 2 || shape.size() == 3)) {
    if (shape.size() == 3)
      result.extents.push_back(batches);
    result.extents.push_back(rows);
    result.extents.push_back(columns);
    // Elements of an empty operand are never read from memory.
    Value isThere = emit.compare(
        arith::CmpIPredicate::ugt,
        emit.multiply(emit.multiply(batches, rows), columns), emit.index(0));
    auto branch = scf::IfOp::create(
        builder,
        RankedTensorType::get(
            SmallVector<int64_t>(shape.size(), ShapedType::kDynamic),
            builder.getF32Type()),
        isThere, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value values =
        emit.generate(sizes(), builder.getF32Type(), [&](ValueRange indices) {
          Value start = emit.multiply(indices.drop_back().back(), memory.pitch);
          if (indices.size() == 3)
            start =
                emit.add(start, emit.multiply(indices[0], memory.batchStride));
          Value byte = emit.divide(emit.multiply(start, bits), 8);
          return emit.decode(emit.readCode(bytes, {byte, indices.back()}, bits),
                             type);
        });
    scf::YieldOp::create(builder, values);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, emit.fill(sizes(), emit.f32(result.outside)));
    result.values = branch.getResult(0);
  } else if (isScale && shape.size() == 5 && shape[3] == 2 && shape[4] == 256) {
    Value rowTiles = emit.ceilDivide(rows, 128);
    Value groupTiles = emit.ceilDivide(columns, 4);
    result.extents = {batches, rowTiles, groupTiles, emit.index(2),
                      emit.index(256)};
    Value isThere = emit.compare(
        arith::CmpIPredicate::ugt,
        emit.multiply(emit.multiply(batches, rowTiles), groupTiles),
        emit.index(0));
    auto isDynamic = ShapedType::kDynamic;
    auto branch = scf::IfOp::create(
        builder,
        RankedTensorType::get({isDynamic, isDynamic, isDynamic, 2, 256},
                              builder.getF32Type()),
        isThere, true);
    SmallVector<OpFoldResult> physical;
    auto makeSizes = [&] {
      physical = sizes();
      physical[3] = builder.getIndexAttr(2);
      physical[4] = builder.getIndexAttr(256);
    };
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    makeSizes();
    Value values =
        emit.generate(physical, builder.getF32Type(), [&](ValueRange indices) {
          Value tile =
              emit.add(emit.multiply(indices[1], groupTiles), indices[2]);
          Value inTile = emit.add(emit.multiply(indices[3], 256), indices[4]);
          Value byte = emit.add(emit.multiply(tile, 512), inTile);
          byte = emit.add(byte, emit.multiply(indices[0], memory.batchStride));
          return emit.decode(emit.readCode(bytes, {byte, emit.index(0)}, 8),
                             type);
        });
    scf::YieldOp::create(builder, values);
    builder.setInsertionPointToStart(branch.elseBlock());
    makeSizes();
    scf::YieldOp::create(builder,
                         emit.fill(physical, emit.f32(result.outside)));
    result.values = branch.getResult(0);
  } else {
    return user->emitOpError("expected ")
           << (isScale ? "blocked scales [L, rows / 128, groups / 4, 2, 256]"
                       : "rows [L, rows, columns] or [rows, columns]")
           << " for the reference conversion, got " << map;
  }
  decoded[argument] = result;
  return success();
}

FailureOr<Value> KernelLowering::countCtas() {
  auto rule = kernel.getGrid();
  auto tile = kernel.getTile();
  if (!rule && !tile)
    return emit.index(1);
  if (!rule || !tile)
    return kernel.emitOpError("expected both 'tile' and 'grid', which give the "
                              "number of CTAs, or none of them for one CTA");
  Value tilesM = emit.ceilDivide(argument(ArgumentRole::M), tile->getM());
  Value tilesN = emit.ceilDivide(argument(ArgumentRole::N), tile->getN());
  Value tiles =
      emit.multiply(emit.multiply(tilesM, tilesN), argument(ArgumentRole::L));
  // The CTAs of a cluster share the steps of one tile; here each of them takes
  // all steps. Or they have tiles of their own; then there are some to spare.
  int64_t cluster = kernel.getNumClusterCtas();
  // CTAs that add to one tile have a part of the steps each.
  tiles =
      emit.multiply(tiles, cluster * int64_t(kernel.getSplitK().value_or(1)));
  // Whole clusters.
  if (*rule == GridRule::Persistent)
    tiles = arith::MinUIOp::create(
        builder, tiles,
        emit.index(std::max<int64_t>(1, options.persistentCtas / cluster) *
                   cluster));
  return tiles;
}

FailureOr<func::FuncOp> KernelLowering::run() {
  if (succeeded(build()))
    return function;
  if (function)
    function.erase();
  return failure();
}

LogicalResult KernelLowering::build() {
  if (kernel.getLevel() != Level::Tile)
    return kernel.emitOpError("expected a kernel at the tile level, got ")
           << stringifyLevel(kernel.getLevel())
           << "; run the reference conversion before bsmm-tile-to-pipeline";
  FailureOr<int64_t> vector = findScaleVectorSize(kernel);
  if (failed(vector))
    return failure();
  vectorSize = *vector;

  auto bytesType = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  SmallVector<Type> types(std::size(cpuMemoryRoles), bytesType);
  types.append(std::size(cpuSizeRoles) + 2 * std::size(cpuStridedRoles),
               builder.getI64Type());
  types.append(std::size(cpuScalarRoles), builder.getF32Type());
  function = func::FuncOp::create(
      builder, kernel.getSymName(),
      builder.getFunctionType(types, builder.getI64Type()));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  emit.tables = entry;

  auto next = entry->args_begin();
  for (ArgumentRole role : cpuMemoryRoles)
    memories[role].memory = *next++;
  for (ArgumentRole role : cpuSizeRoles)
    arguments[role] = emit.toIndex(*next++);
  for (ArgumentRole role : cpuStridedRoles) {
    memories[role].pitch = emit.toIndex(*next++);
    memories[role].batchStride = emit.toIndex(*next++);
  }
  for (ArgumentRole role : cpuScalarRoles)
    arguments[role] = *next++;
  createStatus();

  auto mapStride = [&](BlockArgument argument, Value stride) {
    mapping.map(argument, builder.createOrFold<arith::IndexCastOp>(
                              builder.getI64Type(), stride));
  };
  for (BlockArgument argument : kernel.getArguments()) {
    if (argument.use_empty())
      continue;
    Operation *user = *argument.user_begin();
    builder.setLoc(argument.getLoc());
    FailureOr<ArgumentRole> role = roleOf(user, argument);
    if (failed(role))
      return failure();
    switch (*role) {
    case ArgumentRole::M:
    case ArgumentRole::N:
    case ArgumentRole::K:
    case ArgumentRole::L:
      mapping.map(argument, builder.createOrFold<arith::IndexCastOp>(
                                builder.getI32Type(), this->argument(*role)));
      break;
    case ArgumentRole::PitchScaleA:
      mapStride(argument, memories[ArgumentRole::ScaleA].pitch);
      break;
    case ArgumentRole::BatchStrideScaleA:
      mapStride(argument, memories[ArgumentRole::ScaleA].batchStride);
      break;
    case ArgumentRole::PitchScaleB:
      mapStride(argument, memories[ArgumentRole::ScaleB].pitch);
      break;
    case ArgumentRole::BatchStrideScaleB:
      mapStride(argument, memories[ArgumentRole::ScaleB].batchStride);
      break;
    case ArgumentRole::PitchC:
      mapStride(argument, memories[ArgumentRole::C].pitch);
      break;
    case ArgumentRole::BatchStrideC:
      mapStride(argument, memories[ArgumentRole::C].batchStride);
      break;
    case ArgumentRole::PitchD:
      mapStride(argument, memories[ArgumentRole::D].pitch);
      break;
    case ArgumentRole::BatchStrideD:
      mapStride(argument, memories[ArgumentRole::D].batchStride);
      break;
    case ArgumentRole::Alpha:
    case ArgumentRole::Beta:
    case ArgumentRole::OutScale:
      mapping.map(argument, this->argument(*role));
      break;
    default:
      for (Operation *each : argument.getUsers())
        if (isa<TmaLoadOp>(each) && !decoded.contains(argument) &&
            failed(decodeOperand(argument, *role, each)))
          return failure();
    }
  }

  findAccumulators(kernel.getBody());
  builder.setLoc(kernel.getLoc());
  FailureOr<Value> count = countCtas();
  if (failed(count))
    return failure();
  ctas = *count;
  auto loop = scf::ForOp::create(builder, emit.index(0), ctas, emit.index(1));
  cta = loop.getInductionVar();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    if (failed(lowerBlock(kernel.getBody().front())))
      return failure();
  }
  builder.setLoc(kernel.getLoc());
  returnStatus();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerLoad(TmaLoadOp op) {
  auto found = decoded.find(op.getMap());
  if (found == decoded.end()) {
    (void)roleOf(op, op.getMap());
    return failure();
  }
  Decoded &operand = found->second;
  SmallVector<Value> start;
  for (Value coordinate : op.getCoordinates())
    start.push_back(emit.toIndex(get(coordinate)));
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  Value outside = emit.f32(operand.outside);
  Value result = emit.generate(
      sizes, builder.getF32Type(), [&](ValueRange indices) -> Value {
        // Compared as unsigned: a negative coordinate is outside, too.
        Value zero = emit.index(0), isInside;
        SmallVector<Value> at, checks;
        for (auto [index, first, extent] :
             llvm::zip(indices, start, operand.extents)) {
          at.push_back(emit.add(index, first));
          Value check =
              emit.compare(arith::CmpIPredicate::ult, at.back(), extent);
          isInside =
              isInside
                  ? arith::AndIOp::create(builder, isInside, check).getResult()
                  : check;
        }
        for (Value &index : at)
          index = arith::SelectOp::create(builder, isInside, index, zero);
        Value value = tensor::ExtractOp::create(builder, operand.values, at);
        return arith::SelectOp::create(builder, isInside, value, outside);
      });
  mapping.map(op.getResult(), result);
  return success();
}

/// An f32 of the output, which stores change, or zero where there is none.
Value KernelLowering::readOutput(Value memory, Value offset) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto branch = scf::IfOp::create(
      builder, f32, isInMemory(memory, offset, offset, sizeof(float)), true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value first = emit.multiply(offset, sizeof(float)), code = emit.i32(0);
  for (int64_t byte = 0; byte < int64_t(sizeof(float)); ++byte) {
    Value place = emit.add(first, emit.index(byte));
    Value part = arith::ExtUIOp::create(
        builder, i32, memref::LoadOp::create(builder, memory, place));
    part = arith::ShLIOp::create(builder, part, emit.i32(8 * byte));
    code = arith::OrIOp::create(builder, code, part);
  }
  Value number = arith::BitcastOp::create(builder, f32, code);
  scf::YieldOp::create(builder, number);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, emit.f32(0.0f));
  return branch.getResult(0);
}

LogicalResult KernelLowering::lowerStore(Operation *op, Value tile,
                                         ArgumentRole role,
                                         ValueRange coordinates,
                                         ArrayRef<Value> limits,
                                         Value batchStride, Value pitch) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  if (role != ArgumentRole::D)
    return op->emitOpError("expected the output, the argument with role d, to "
                           "store to, got role ")
           << stringifyArgumentRole(role);
  if (!element.isF32() && !isHalfFloat(element) &&
      !isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return op->emitOpError("expected an output of f16, bf16, f32, f8E4M3FN or "
                           "f8E5M2 for the reference conversion, got ")
           << element;
  int64_t rank = type.getRank();
  if (rank != 2 && rank != 3)
    return op->emitOpError("expected a tile [rows, columns] or [L, rows, "
                           "columns] for the reference conversion, got ")
           << type;
  Value values = get(tile);
  Value memory = memories[ArgumentRole::D].memory;
  int64_t bytes = getElementBits(element) / 8;

  // Loops over the part of the tile that lies inside of the output.
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices;
  Value offset = emit.index(0);
  Value strides[] = {batchStride, pitch, emit.index(1)};
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value start = emit.toIndex(get(coordinates[dim]));
    Value zero = emit.index(0);
    Value first = clampToZero(arith::SubIOp::create(builder, zero, start));
    Value end = arith::SubIOp::create(builder, limits[3 - rank + dim], start);
    end =
        arith::MinSIOp::create(builder, end, emit.index(type.getDimSize(dim)));
    auto loop = scf::ForOp::create(builder, first, end, emit.index(1));
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    Value at = emit.add(loop.getInductionVar(), start);
    offset = emit.add(offset, emit.multiply(at, strides[3 - rank + dim]));
  }
  Value value = tensor::ExtractOp::create(builder, values, indices);
  if (auto store = dyn_cast<TmaStoreOp>(op); store && store.getAdd())
    value = arith::AddFOp::create(builder, value, readOutput(memory, offset));
  storeChecked(memory, emit.multiply(offset, bytes),
               emit.encode(value, element), bytes * 8);
  return success();
}

void KernelLowering::lowerReshape(ReshapeOp op) {
  Value value = get(op.getSource());
  auto source = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = op.getType().getShape();
  // Through one dimension, which fits every pair of shapes.
  auto allDims = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  };
  if (source.getRank() > 1)
    value = tensor::CollapseShapeOp::create(builder, value,
                                            allDims(source.getRank()));
  if (shape.size() > 1)
    value = tensor::ExpandShapeOp::create(
        builder, RankedTensorType::get(shape, source.getElementType()), value,
        allDims(shape.size()));
  mapping.map(op.getResult(), value);
}

/// Some rows (dimension 0) or columns of a tile from a run-time offset on.
void KernelLowering::lowerExtract(Operation *op, unsigned dimension) {
  Value source = get(op->getOperand(0));
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  int64_t all = cast<RankedTensorType>(source.getType()).getDimSize(dimension);
  Value offset = emit.toIndex(get(op->getOperand(1)));
  Value last = emit.index(all - shape[dimension]);
  require(emit.compare(arith::CmpIPredicate::ule, offset, last),
          cpuSliceOutOfRange);
  SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0)),
      strides(2, builder.getIndexAttr(1));
  offsets[dimension] =
      arith::MinSIOp::create(builder, clampToZero(offset), last).getResult();
  mapping.map(op->getResult(0),
              tensor::ExtractSliceOp::create(
                  builder, source, offsets,
                  getAsIndexOpFoldResult(builder.getContext(), shape), strides)
                  .getResult());
}

/// The role of the memory that an epilogue reads through a pointer.
FailureOr<ArgumentRole> KernelLowering::sourceOf(Operation *op, Value pointer) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!isa<FloatType>(element))
    return op->emitOpError("expected floating-point elements for the "
                           "reference conversion, got ")
           << element;
  FailureOr<ArgumentRole> role = roleOf(op, pointer);
  if (succeeded(role) && *role == ArgumentRole::D)
    return op->emitOpError("expected an input to load from, got the output; "
                           "the reference conversion reads d nowhere");
  return role;
}

/// Whether the elements `first` to `last` (index) lie inside of a memory.
Value KernelLowering::isInMemory(Value memory, Value first, Value last,
                                 int64_t bytes) {
  Value count = emit.divide(memref::DimOp::create(builder, memory, 0), bytes);
  // Compared as signed: a negative place is outside, too.
  return arith::AndIOp::create(
      builder, emit.compare(arith::CmpIPredicate::sge, first, emit.index(0)),
      emit.compare(arith::CmpIPredicate::slt, last, count));
}

/// A tile whose elements are read from memory, decoded. `place` says for the
/// indices of an element whether there is one and where, counted in elements.
Value KernelLowering::generateLoaded(
    RankedTensorType type, Value memory, Value isInBounds,
    function_ref<std::pair<Value, Value>(ValueRange)> place) {
  Type element = type.getElementType(), f32 = builder.getF32Type();
  unsigned bits = getElementBits(element);
  Value bytes = readable(memory);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  return emit.generate(sizes, f32, [&](ValueRange indices) -> Value {
    auto [isThere, at] = place(indices);
    isThere = arith::AndIOp::create(builder, isThere, isInBounds);
    // A branch and no selection: there may be no memory at all.
    auto branch = scf::IfOp::create(builder, f32, isThere, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value code = emit.readCode(bytes, {emit.index(0), at}, bits);
    scf::YieldOp::create(builder, emit.decode(code, element));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, emit.f32(0.0f));
    return branch.getResult(0);
  });
}

LogicalResult KernelLowering::lowerVectorLoad(VectorLoadOp op) {
  FailureOr<ArgumentRole> role = sourceOf(op, op.getPointer());
  if (failed(role))
    return failure();
  Value memory = memories[*role].memory;
  RankedTensorType type = op.getType();
  int64_t bytes = getElementBits(type.getElementType()) / 8;
  Value offset = emit.toIndex(get(op.getOffset()));
  Value limit = emit.toIndex(get(op.getLimit()));
  Value end = arith::MinSIOp::create(
      builder, limit, emit.add(offset, emit.index(type.getDimSize(0))));
  Value isEmpty = emit.compare(arith::CmpIPredicate::sle, end, offset);
  Value last = arith::SubIOp::create(builder, end, emit.index(1));
  Value isInBounds = arith::OrIOp::create(
      builder, isEmpty, isInMemory(memory, offset, last, bytes));
  require(isInBounds, cpuLoadOutOfBounds);
  mapping.map(op.getResult(),
              generateLoaded(type, memory, isInBounds, [&](ValueRange indices) {
                Value at = emit.add(indices[0], offset);
                return std::pair(
                    emit.compare(arith::CmpIPredicate::slt, at, limit), at);
              }));
  return success();
}

LogicalResult KernelLowering::lowerScaleLoad(ScaleLoadOp op) {
  FailureOr<ArgumentRole> role = sourceOf(op, op.getPointer());
  if (failed(role))
    return failure();
  Value memory = memories[*role].memory;
  RankedTensorType type = op.getType();
  auto toIndex = [&](Value value) { return emit.toIndex(get(value)); };
  Value start = toIndex(op.getRow()), stride = toIndex(op.getStrideRow());
  Value first = clampToZero(start);
  Value end =
      arith::MinSIOp::create(builder, toIndex(op.getLimitRow()),
                             emit.add(start, emit.index(type.getDimSize(0))));
  Value group = toIndex(op.getGroup());
  Value isGroup = emit.compare(arith::CmpIPredicate::ult, group,
                               toIndex(op.getLimitGroup()));
  Value base = emit.add(
      emit.multiply(toIndex(op.getBatch()), toIndex(op.getStrideBatch())),
      emit.multiply(group, toIndex(op.getStrideGroup())));
  auto place = [&](Value row) {
    return emit.add(base,
                    emit.multiply(emit.divide(row, op.getBlock()), stride));
  };
  // What is read first and last: places are linear in the row.
  Value last = arith::SubIOp::create(builder, end, emit.index(1));
  Value lowest = place(first), highest = place(last);
  Value isInBounds = isInMemory(
      memory, arith::MinSIOp::create(builder, lowest, highest),
      arith::MaxSIOp::create(builder, lowest, highest), sizeof(float));
  Value isEmpty = emit.compare(arith::CmpIPredicate::sle, end, first);
  isEmpty = arith::OrIOp::create(builder, isEmpty,
                                 emit.compare(arith::CmpIPredicate::uge, group,
                                              toIndex(op.getLimitGroup())));
  isInBounds = arith::OrIOp::create(builder, isEmpty, isInBounds);
  require(isInBounds, cpuLoadOutOfBounds);
  mapping.map(
      op.getResult(),
      generateLoaded(type, memory, isInBounds, [&](ValueRange indices) {
        Value row = emit.add(indices[0], start);
        Value isThere = emit.compare(arith::CmpIPredicate::slt, row, end);
        isThere = arith::AndIOp::create(
            builder, isThere,
            emit.compare(arith::CmpIPredicate::sge, row, first));
        return std::pair(
            arith::AndIOp::create(builder, isThere, isGroup).getResult(),
            place(row));
      }));
  return success();
}

LogicalResult KernelLowering::lowerPredicatedLoad(PredicatedLoadOp op) {
  FailureOr<ArgumentRole> role = sourceOf(op, op.getPointer());
  if (failed(role))
    return failure();
  Value memory = memories[*role].memory;
  RankedTensorType type = op.getType();
  int64_t bytes = getElementBits(type.getElementType()) / 8;
  auto toIndex = [&](Value value) { return emit.toIndex(get(value)); };
  Value strideRow = toIndex(op.getStrideRow());
  Value base = emit.multiply(toIndex(op.getCoordinates()[0]),
                             toIndex(op.getStrideBatch()));
  // The part of the tile that lies inside of the matrix, and its corners in
  // memory: offsets are linear in row and column.
  Value limits[] = {op.getLimitM(), op.getLimitN()};
  Value starts[2], firsts[2], ends[2], isEmpty;
  for (auto [dim, limit] : llvm::enumerate(limits)) {
    starts[dim] = toIndex(op.getCoordinates()[1 + dim]);
    firsts[dim] = clampToZero(starts[dim]);
    Value end = emit.add(starts[dim], emit.index(type.getDimSize(1 + dim)));
    ends[dim] = arith::MinSIOp::create(builder, end, toIndex(limit));
    Value isNothing =
        emit.compare(arith::CmpIPredicate::sle, ends[dim], firsts[dim]);
    isEmpty =
        isEmpty ? arith::OrIOp::create(builder, isEmpty, isNothing).getResult()
                : isNothing;
  }
  auto before = [&](Value end) -> Value {
    return arith::SubIOp::create(builder, end, emit.index(1));
  };
  auto rowStart = [&](Value row) {
    return emit.add(base, emit.multiply(row, strideRow));
  };
  Value firstRow = rowStart(firsts[0]), lastRow = rowStart(before(ends[0]));
  Value lowest =
      emit.add(arith::MinSIOp::create(builder, firstRow, lastRow), firsts[1]);
  Value highest = emit.add(arith::MaxSIOp::create(builder, firstRow, lastRow),
                           before(ends[1]));
  Value isInBounds = arith::OrIOp::create(
      builder, isEmpty, isInMemory(memory, lowest, highest, bytes));
  require(isInBounds, cpuLoadOutOfBounds);
  mapping.map(
      op.getResult(),
      generateLoaded(type, memory, isInBounds, [&](ValueRange indices) {
        Value isThere;
        Value at[2];
        for (int64_t dim : {0, 1}) {
          at[dim] = emit.add(indices[1 + dim], starts[dim]);
          for (Value check :
               {emit.compare(arith::CmpIPredicate::sge, at[dim], firsts[dim]),
                emit.compare(arith::CmpIPredicate::slt, at[dim], ends[dim])})
            isThere =
                isThere
                    ? arith::AndIOp::create(builder, isThere, check).getResult()
                    : check;
        }
        return std::pair(isThere, emit.add(rowStart(at[0]), at[1]));
      }));
  return success();
}

void KernelLowering::lowerBroadcast(BroadcastOp op) {
  Value source = get(op.getSource());
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), op.getType().getShape());
  bool isOne = type.getDimSize(0) == 1;
  mapping.map(
      op.getResult(),
      emit.generate(
          sizes, type.getElementType(), [&](ValueRange indices) -> Value {
            Value at = isOne ? emit.index(0) : indices[op.getDimension()];
            return tensor::ExtractOp::create(builder, source, at);
          }));
}

/// accumulator + A B of tiles, in the accumulator's type.
Value KernelLowering::multiply(Value a, Value b, Value accumulator) {
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1),
             d2 = builder.getAffineDimExpr(2);
  MLIRContext *context = builder.getContext();
  auto parallel = utils::IteratorType::parallel,
       reduction = utils::IteratorType::reduction;
  AffineMap maps[] = {AffineMap::get(3, 0, {d0, d1}, context),
                      AffineMap::get(3, 0, {d1, d2}, context),
                      AffineMap::get(3, 0, {d0, d2}, context)};
  // K in the middle: sums run in ascending order of K, rows of B contiguously.
  return emit.generic(
      {a, b}, accumulator, maps, {parallel, reduction, parallel},
      [&](ValueRange arguments) {
        return multiplyAdd(arguments[2], arguments[0], arguments[1]);
      });
}

/// sum + partial * (sa * sb); in f32 one rounding of the product of the scales
/// and one of the rest.
Value KernelLowering::addScaled(DotOp op, Value partial, Value sum) {
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps = {AffineMap::get(2, 0, {d0, d1}, context),
                                 AffineMap::get(2, 0, {d0}, context),
                                 AffineMap::get(2, 0, {d1}, context),
                                 AffineMap::get(2, 0, {d0, d1}, context)};
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  return emit.generic(
      {partial, get(op.getScales()[0]), get(op.getScales()[1])}, sum, maps,
      iterators, [&](ValueRange values) -> Value {
        Type type = values[3].getType();
        auto cast = [&](Value value) -> Value {
          if (value.getType() == type)
            return value;
          return arith::ExtFOp::create(builder, type, value);
        };
        Value scale =
            arith::MulFOp::create(builder, cast(values[1]), cast(values[2]));
        return math::FmaOp::create(builder, values[0], scale, values[3]);
      });
}

/// Sums of `promote_every` elements are added to the accumulator; in f64 that
/// is the sum itself.
void KernelLowering::lowerDot(DotOp op) {
  Value a = get(op.getA()), b = get(op.getB());
  Value sum = getAccumulator(op.getAccumulator());
  auto every = op.getPromoteEvery();
  if (!op.getScales().empty()) {
    Value zero = arith::ConstantOp::create(
        builder, builder.getZeroAttr(accumulatorType()));
    Value partial = multiply(a, b, emit.fill(emit.extents(sum), zero));
    mapping.map(op.getResult(), addScaled(op, partial, sum));
    return;
  }
  if (!every || options.accumulateF64) {
    mapping.map(op.getResult(), multiply(a, b, sum));
    return;
  }
  int64_t extent = *every;
  auto slice = [&](Value tile, unsigned dim, int64_t first) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> offsets(2, 0), sizes(type.getShape());
    offsets[dim] = first;
    sizes[dim] = extent;
    MLIRContext *context = builder.getContext();
    return tensor::ExtractSliceOp::create(
        builder, tile, getAsIndexOpFoldResult(context, offsets),
        getAsIndexOpFoldResult(context, sizes),
        SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
  };
  for (int64_t first = 0; first < op.getK(); first += extent) {
    Value zeros = emit.fill(emit.extents(sum), emit.f32(0.0f));
    Value sliceA = slice(a, 1, first), sliceB = slice(b, 0, first);
    Value partial = multiply(sliceA, sliceB, zeros);
    // In place: a sum that a loop carries stays where it is.
    SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    sum = emit.generic(
        partial, sum, maps, iterators, [&](ValueRange values) -> Value {
          return arith::AddFOp::create(builder, values[1], values[0]);
        });
  }
  mapping.map(op.getResult(), sum);
}

void KernelLowering::lowerScaledDot(ScaledDotOp op) {
  Type scaleType =
      cast<RankedTensorType>(op.getScaleA().getType()).getElementType();
  int64_t m = op.getM(), n = op.getN(), k = op.getK(),
          vec = op.getScaleVectorSize();
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  MLIRContext *context = builder.getContext();
  auto parallel = utils::IteratorType::parallel;
  Value limit;
  if (op.getLimitK())
    limit = emit.toIndex(get(op.getLimitK()));

  // Operands times scales, once for each element of the tile.
  auto scaled = [&](Value values, Value scales, int64_t rows, int64_t columns,
                    AffineExpr group, AffineExpr row, unsigned dimOfK) {
    Value init = tensor::EmptyOp::create(
        builder, ArrayRef<int64_t>{rows, columns}, productType(scaleType));
    AffineMap maps[] = {AffineMap::get(2, 0, {d0, d1}, context),
                        AffineMap::get(2, 0, {row, group}, context),
                        AffineMap::get(2, 0, {d0, d1}, context)};
    return emit.generic(
        {values, scales}, init, maps, {parallel, parallel},
        [&](ValueRange arguments) -> Value {
          Value scale = arguments[1];
          if (isa<Float8E4M3FNType>(scaleType))
            scale = math::AbsFOp::create(builder, scale);
          if (limit) {
            Value number =
                emit.divide(linalg::IndexOp::create(builder, dimOfK), vec);
            Value isValid =
                emit.compare(arith::CmpIPredicate::slt, number, limit);
            scale = arith::SelectOp::create(builder, isValid, scale,
                                            emit.f32(0.0f));
          }
          return applyScale(arguments[0], scale, scaleType);
        });
  };
  Value a = scaled(get(op.getA()), get(op.getScaleA()), m, k, d1.floorDiv(vec),
                   d0, 1);
  Value b = scaled(get(op.getB()), get(op.getScaleB()), k, n, d0.floorDiv(vec),
                   d1, 0);
  mapping.map(op.getResult(),
              multiply(a, b, getAccumulator(op.getAccumulator())));
}

void KernelLowering::lowerOrder(GroupedOrderOp op) {
  auto atLeastOne = [&](Value value) -> Value {
    return arith::MaxUIOp::create(builder, value, emit.i32(1));
  };
  Value linear = get(op.getLinear());
  Value tilesM = atLeastOne(get(op.getTilesM())),
        tilesN = atLeastOne(get(op.getTilesN()));
  // A group of more rows than there are is one of all rows; its number of tiles
  // fits i32.
  Value size = arith::MinUIOp::create(builder, tilesM, emit.i32(op.getGroup()));
  if (op.getAll())
    size = arith::SelectOp::create(builder, get(op.getAll()), tilesM, size);
  Value tilesOfGroup = arith::MulIOp::create(builder, size, tilesN);
  Value group = arith::DivUIOp::create(builder, linear, tilesOfGroup);
  Value inGroup = arith::RemUIOp::create(builder, linear, tilesOfGroup);
  Value firstRow = arith::MulIOp::create(builder, group, size);
  Value rowsLeft = arith::SubIOp::create(builder, tilesM, firstRow);
  // Only a number beyond the last tile finds no rows left.
  Value rows =
      atLeastOne(arith::MinUIOp::create(builder, rowsLeft, size).getResult());
  Value column = arith::DivUIOp::create(builder, inGroup, rows);
  Value rowInGroup = arith::RemUIOp::create(builder, inGroup, rows);
  mapping.map(op.getRow(),
              arith::AddIOp::create(builder, firstRow, rowInGroup).getResult());
  mapping.map(op.getColumn(), column);
}

LogicalResult KernelLowering::lowerLevelOp(Operation &op) {
  auto launchValue = [&](Value result, gpu::Dimension dimension, Value x,
                         int64_t other) {
    mapping.map(result, dimension == gpu::Dimension::x ? x : emit.index(other));
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](gpu::BlockIdOp id) {
        return launchValue(id.getResult(), id.getDimension(), cta, 0);
      })
      .Case([&](gpu::GridDimOp dim) {
        return launchValue(dim.getResult(), dim.getDimension(), ctas, 1);
      })
      .Case([&](TmaLoadOp load) { return lowerLoad(load); })
      .Case([&](TmaStoreOp store) -> LogicalResult {
        FailureOr<ArgumentRole> role = roleOf(store, store.getMap());
        if (failed(role))
          return failure();
        const Memory &d = memories[ArgumentRole::D];
        return lowerStore(store, store.getTile(), *role, store.getCoordinates(),
                          {argument(ArgumentRole::L), argument(ArgumentRole::M),
                           argument(ArgumentRole::N)},
                          d.batchStride, d.pitch);
      })
      .Case([&](PredicatedStoreOp store) -> LogicalResult {
        FailureOr<ArgumentRole> role = roleOf(store, store.getPointer());
        if (failed(role))
          return failure();
        auto toIndex = [&](Value value) { return emit.toIndex(get(value)); };
        return lowerStore(
            store, store.getTile(), *role, store.getCoordinates(),
            {argument(ArgumentRole::L), toIndex(store.getLimitM()),
             toIndex(store.getLimitN())},
            toIndex(store.getStrideBatch()), toIndex(store.getStrideRow()));
      })
      .Case([&](ReshapeOp reshape) {
        lowerReshape(reshape);
        return success();
      })
      .Case([&](TransOp trans) {
        Value source = get(trans.getSource());
        Value init = tensor::EmptyOp::create(
            builder, trans.getType().getShape(),
            cast<RankedTensorType>(source.getType()).getElementType());
        auto transposed = linalg::TransposeOp::create(builder, source, init,
                                                      trans.getOrder());
        mapping.map(trans.getResult(), transposed->getResult(0));
        return success();
      })
      .Case([&](ExtractRowsOp extract) {
        lowerExtract(extract, 0);
        return success();
      })
      .Case([&](ExtractColumnsOp extract) {
        lowerExtract(extract, 1);
        return success();
      })
      .Case([&](VectorLoadOp load) { return lowerVectorLoad(load); })
      .Case([&](ScaleLoadOp load) { return lowerScaleLoad(load); })
      .Case([&](PredicatedLoadOp load) { return lowerPredicatedLoad(load); })
      .Case([&](BroadcastOp broadcast) {
        lowerBroadcast(broadcast);
        return success();
      })
      .Case([&](SaturatingCastOp cast) {
        Type type = cast.getType().getElementType();
        Value source = get(cast.getSource());
        mapping.map(cast.getResult(),
                    emit.generate(emit.extents(source), builder.getF32Type(),
                                  [&](ValueRange indices) -> Value {
                                    Value value = tensor::ExtractOp::create(
                                        builder, source, indices);
                                    return emit.decode(emit.encode(value, type),
                                                       type);
                                  }));
        return success();
      })
      .Case([&](ScaledDotOp dot) {
        lowerScaledDot(dot);
        return success();
      })
      .Case([&](DotOp dot) {
        lowerDot(dot);
        return success();
      })
      .Case([&](GroupedOrderOp order) {
        lowerOrder(order);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        return other->emitOpError("has no reference conversion in a tile-level "
                                  "kernel");
      });
}

FailureOr<func::FuncOp>
bsmm::convertKernelToLinalg(OpBuilder &opBuilder, KernelOp kernel,
                            const CpuConversionOptions &options) {
  ImplicitLocOpBuilder builder(kernel.getLoc(), opBuilder);
  return KernelLowering(builder, options, kernel).run();
}
