//===- ProblemLevel.cpp - functions on whole tensors ----------------------===//
//
// Narrow types are carried as codes, one a byte, so that packing and unpacking
// of scales keeps every bit; a matmul decodes each of its operands once.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace bsmm;

bool bsmm::isProblemFunction(func::FuncOp function) {
  WalkResult walk = function.walk([](LevelOpInterface op) {
    return op.getLevel() == Level::Problem ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

namespace {
class ProblemLowering : public FunctionLowering {
public:
  ProblemLowering(ImplicitLocOpBuilder &builder,
                  const CpuConversionOptions &options, func::FuncOp old)
      : FunctionLowering(builder, options), old(old) {}

  LogicalResult run();

protected:
  LogicalResult lowerLevelOp(Operation &op) override;
  Type storageOf(Type element) override {
    if (isNarrowFloat(element))
      return builder.getI8Type();
    return isHalfFloat(element) ? Type(builder.getF32Type()) : element;
  }

private:
  /// A tensor in memory.
  struct Memory {
    RankedTensorType type;
    Value memory;
    SmallVector<Value> extents;
    Value pitch, batchStride;
    /// Dimensions from outermost to innermost, of dense tensors.
    SmallVector<int64_t> order;
  };

  LogicalResult build();
  LogicalResult checkBoundary(Type type, Twine what);
  SmallVector<int64_t> memoryOrder(Value argument);
  bool isRows(const Memory &memory);
  CodePlace place(const Memory &memory, ValueRange indices);
  SmallVector<OpFoldResult> sizesOf(const Memory &memory);
  Value load(const Memory &memory);
  LogicalResult store(Value tensor, const Memory &memory);

  void lowerMatmul(ScaledMatmulOp op);
  Value decodeOperand(ScaledMatmulOp op, bool isB);
  Value multiply(Value a, Value b, Value sums);
  Value multiplyPromoted(Value a, Value b, Value sums, int64_t every);
  Value computeMatmul(ScaledMatmulOp op, ArrayRef<OpFoldResult> sizes);
  Value checkExtents(ScaledMatmulOp op);
  void lowerView(ViewScalesOp op);

  func::FuncOp old, function;
};
} // namespace

//===----------------------------------------------------------------------===//
// The boundary
//===----------------------------------------------------------------------===//

static ScalesAttr getScales(RankedTensorType type) {
  return dyn_cast_or_null<ScalesAttr>(type.getEncoding());
}

static bool isBlocked(RankedTensorType type) {
  ScalesAttr scales = getScales(type);
  return scales && scales.getOrder() == ScaleOrder::Blocked128x4;
}

LogicalResult ProblemLowering::checkBoundary(Type type, Twine what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    if (type.isF32() || type.isIndex() || type.isInteger(1) ||
        type.isInteger(32) || type.isInteger(64))
      return success();
    return old.emitOpError("expected ranked tensors, f32, i1, i32, i64 or "
                           "index for the reference conversion, got ")
           << type << " as " << what;
  }
  if (tensor.getEncoding() && !getScales(tensor))
    return old.emitOpError("expected no encoding but #bsmm.scales, got ")
           << tensor << " as " << what;
  if (tensor.getRank() == 0)
    return old.emitOpError("expected tensors of rank 1 or more, got ")
           << tensor << " as " << what;
  Type element = tensor.getElementType();
  if (isNarrowFloat(element) || isHalfFloat(element) || element.isF32())
    return success();
  return old.emitOpError("expected floating-point tensors of at most 32 bits "
                         "for the reference conversion, got ")
         << tensor << " as " << what;
}

SmallVector<int64_t> ProblemLowering::memoryOrder(Value argument) {
  // The physical view of scales says where its dimensions lie.
  for (Operation *user : argument.getUsers())
    if (auto view = dyn_cast<ViewScalesOp>(user))
      return llvm::to_vector(view.getMemoryOrder());
  return llvm::to_vector(llvm::seq<int64_t>(
      0, cast<RankedTensorType>(argument.getType()).getRank()));
}

bool ProblemLowering::isRows(const Memory &memory) {
  return memory.type.getRank() <= 3 && !isBlocked(memory.type);
}

/// Where an element lies in memory.
CodePlace ProblemLowering::place(const Memory &memory, ValueRange indices) {
  unsigned bits = getElementBits(memory.type.getElementType());
  Value zero = emit.index(0);
  size_t rank = indices.size();
  if (isBlocked(memory.type)) {
    // PTX ISA, "Scale factor layouts" of tcgen05.mma.
    Value row = indices[rank - 2], group = indices[rank - 1];
    Value groupTiles = emit.ceilDivide(memory.extents.back(), 4);
    Value tile = emit.add(emit.multiply(emit.divide(row, 128), groupTiles),
                          emit.divide(group, 4));
    Value byte = emit.add(
        emit.multiply(tile, 512),
        emit.add(
            emit.multiply(emit.remainder(row, 32), 16),
            emit.add(emit.multiply(emit.remainder(emit.divide(row, 32), 4), 4),
                     emit.remainder(group, 4))));
    if (rank == 3)
      byte = emit.add(byte, emit.multiply(indices[0], memory.batchStride));
    return {byte, zero};
  }
  if (!isRows(memory)) {
    Value linear = zero;
    for (int64_t dim : memory.order)
      linear =
          emit.add(emit.multiply(linear, memory.extents[dim]), indices[dim]);
    return {zero, linear};
  }
  Value start = zero, row = rank >= 2 ? indices[rank - 2] : Value(),
        column = indices.back();
  if (ScalesAttr scales = getScales(memory.type);
      scales && scales.getOrder() == ScaleOrder::ColumnMajor)
    std::swap(row, column);
  if (rank >= 2)
    start = emit.multiply(row, memory.pitch);
  if (rank == 3)
    start = emit.add(start, emit.multiply(indices[0], memory.batchStride));
  return {emit.divide(emit.multiply(start, bits), 8), column};
}

SmallVector<OpFoldResult> ProblemLowering::sizesOf(const Memory &memory) {
  SmallVector<OpFoldResult> sizes;
  for (auto [extent, value] : llvm::zip(memory.type.getShape(), memory.extents))
    sizes.push_back(ShapedType::isDynamic(extent)
                        ? OpFoldResult(value)
                        : OpFoldResult(builder.getIndexAttr(extent)));
  return sizes;
}

Value ProblemLowering::load(const Memory &memory) {
  Type element = memory.type.getElementType();
  Value bytes = readable(memory.memory);
  return emit.generate(
      sizesOf(memory), storageOf(element), [&](ValueRange indices) {
        Value code = emit.readCode(bytes, place(memory, indices),
                                   getElementBits(element));
        if (!isNarrowFloat(element))
          return emit.decode(code, element);
        return arith::TruncIOp::create(builder, builder.getI8Type(), code)
            .getResult();
      });
}

LogicalResult ProblemLowering::store(Value tensor, const Memory &memory) {
  Type element = memory.type.getElementType();
  unsigned bits = getElementBits(element);
  if (bits % 8 != 0)
    return old.emitOpError("expected results of whole bytes for the reference "
                           "conversion, got ")
           << memory.type;
  for (int64_t dim = 0; dim < memory.type.getRank(); ++dim)
    if (memory.type.isDynamicDim(dim))
      require(emit.compare(arith::CmpIPredicate::eq, memory.extents[dim],
                           emit.toValue(emit.extent(tensor, dim))),
              cpuExtentsDisagree);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < memory.type.getRank(); ++dim) {
    auto loop = scf::ForOp::create(builder, emit.index(0),
                                   emit.toValue(emit.extent(tensor, dim)),
                                   emit.index(1));
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
  }
  Value value = tensor::ExtractOp::create(builder, tensor, indices);
  Value code =
      isNarrowFloat(element)
          ? arith::ExtUIOp::create(builder, builder.getI32Type(), value)
                .getResult()
          : emit.encode(value, element);
  CodePlace where = place(memory, indices);
  Value byte = emit.add(where.base, emit.multiply(where.column, bits / 8));
  storeChecked(memory.memory, byte, code, bits);
  return success();
}

LogicalResult ProblemLowering::run() {
  if (succeeded(build())) {
    old.erase();
    return success();
  }
  if (function)
    function.erase();
  return failure();
}

LogicalResult ProblemLowering::build() {
  if (old.isExternal())
    return success();
  if (!llvm::hasSingleElement(old.getBody()))
    return old.emitOpError("expected a body of one block for the reference "
                           "conversion; use scf for control flow");
  for (auto [number, type] : llvm::enumerate(old.getArgumentTypes()))
    if (failed(checkBoundary(type, "argument #" + Twine(number))))
      return failure();
  for (auto [number, type] : llvm::enumerate(old.getResultTypes()))
    if (!isa<RankedTensorType>(type))
      return old.emitOpError("expected tensors as results for the reference "
                             "conversion, got ")
             << type;
    else if (failed(checkBoundary(type, "result #" + Twine(number))))
      return failure();

  auto bytesType = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  SmallVector<Type> types;
  auto addBoundary = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      types.push_back(bytesType);
      types.append(tensor.getRank() + 2, builder.getI64Type());
    } else {
      types.push_back(type.isIndex() ? Type(builder.getI64Type()) : type);
    }
  };
  llvm::for_each(old.getArgumentTypes(), addBoundary);
  llvm::for_each(old.getResultTypes(), addBoundary);
  function = func::FuncOp::create(
      builder, old.getSymName(),
      builder.getFunctionType(types, builder.getI64Type()));
  function.setVisibility(SymbolTable::Visibility::Public);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  emit.tables = entry;
  createStatus();

  auto next = entry->args_begin();
  auto takeMemory = [&](RankedTensorType type) {
    Memory memory;
    memory.type = type;
    memory.memory = *next++;
    for (int64_t extent : type.getShape()) {
      Value given = *next++;
      memory.extents.push_back(ShapedType::isDynamic(extent)
                                   ? emit.toIndex(given)
                                   : emit.index(extent));
    }
    memory.pitch = emit.toIndex(*next++);
    memory.batchStride = emit.toIndex(*next++);
    return memory;
  };
  for (BlockArgument argument : old.getArguments()) {
    builder.setLoc(argument.getLoc());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      Value value = *next++;
      mapping.map(argument,
                  argument.getType().isIndex() ? emit.toIndex(value) : value);
      continue;
    }
    Memory memory = takeMemory(type);
    memory.order = memoryOrder(argument);
    if (argument.use_empty())
      continue;
    // An output that is only written to has a shape and no values.
    bool isRead = llvm::any_of(argument.getUses(), [](OpOperand &use) {
      auto matmul = dyn_cast<ScaledMatmulOp>(use.getOwner());
      return !matmul || matmul.getBeta() ||
             use.getOperandNumber() !=
                 matmul.getInitMutable().getOperandNumber();
    });
    mapping.map(argument, isRead ? load(memory)
                                 : tensor::EmptyOp::create(
                                       builder, sizesOf(memory),
                                       storageOf(type.getElementType()))
                                       .getResult());
  }
  SmallVector<Memory> results;
  for (Type type : old.getResultTypes()) {
    results.push_back(takeMemory(cast<RankedTensorType>(type)));
    results.back().order =
        llvm::to_vector(llvm::seq<int64_t>(0, results.back().type.getRank()));
  }

  if (failed(lowerBlock(old.getBody().front())))
    return failure();
  auto terminator =
      dyn_cast<func::ReturnOp>(old.getBody().front().getTerminator());
  if (!terminator)
    return old.emitOpError("expected the function to end with 'func.return'");
  builder.setLoc(terminator.getLoc());
  for (auto [value, memory] : llvm::zip(terminator.getOperands(), results))
    if (failed(store(get(value), memory)))
      return failure();
  returnStatus();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether a vector is one value for all rows.
static bool isOne(Value vector) { return tensorOf(vector).getDimSize(0) == 1; }

/// Whether the run-time extents of the operands fit together; null when the
/// types say so.
Value ProblemLowering::checkExtents(ScaledMatmulOp op) {
  Value result;
  auto check = [&](arith::CmpIPredicate predicate, Value a, int64_t dimA,
                   Value b, int64_t dimB, int64_t divisor) {
    OpFoldResult extentA = emit.extent(a, dimA), extentB = emit.extent(b, dimB);
    if (isa<Attribute>(extentA) && isa<Attribute>(extentB))
      return;
    Value holds = emit.compare(predicate, emit.toValue(extentA),
                               emit.ceilDivide(emit.toValue(extentB), divisor));
    result = result ? arith::AndIOp::create(builder, result, holds).getResult()
                    : holds;
  };
  Value a = get(op.getA()), b = get(op.getB()), init = get(op.getInit());
  int64_t rank = tensorOf(op.getA()).getRank();
  auto eq = arith::CmpIPredicate::eq, uge = arith::CmpIPredicate::uge;
  if (rank == 3)
    for (Value other : {b, init})
      check(eq, a, 0, other, 0, 1);
  check(eq, a, rank - 1, b, rank - 1, 1);
  check(eq, a, rank - 2, init, rank - 2, 1);
  check(eq, b, rank - 2, init, rank - 1, 1);
  if (op.isBlockScaled())
    for (auto [operand, scales] :
         {std::pair{a, get(op.getScaleA())}, {b, get(op.getScaleB())}}) {
      if (rank == 3)
        check(eq, a, 0, scales, 0, 1);
      // A view of unknown extents may show the padding, too.
      check(uge, scales, rank - 2, operand, rank - 2,
            operand == b ? getScales(tensorOf(op.getScaleB())).getRows() : 1);
      check(uge, scales, rank - 1, operand, rank - 1, op.getScaleVectorSize());
    }
  for (auto [vector, dim] :
       {std::pair{op.getRowScaleA(), rank - 2}, {op.getRowScaleB(), rank - 1}})
    if (vector && !isOne(vector))
      check(eq, get(vector), 0, init, dim, 1);
  if (op.getBias())
    check(eq, get(op.getBias()), 0, init, rank - 1, 1);
  return result;
}

/// The values of an operand, times its block scales where it has some, decoded
/// once: [L, M, K] of A, [L, K, N] of B.
Value ProblemLowering::decodeOperand(ScaledMatmulOp op, bool isB) {
  Value codes = get(isB ? op.getB() : op.getA());
  Type type = tensorOf(isB ? op.getB() : op.getA()).getElementType();
  int64_t rank = tensorOf(codes).getRank(), vec = op.getScaleVectorSize();
  Type i32 = builder.getI32Type();
  Value scales;
  Type scaleType;
  int64_t rowsOfScale = 1;
  if (op.isBlockScaled()) {
    Value old = isB ? op.getScaleB() : op.getScaleA();
    scales = get(old);
    rowsOfScale = getScales(tensorOf(old)).getRows();
    scaleType = tensorOf(old).getElementType();
  }
  auto decode = [&](Value code, Type codeType) -> Value {
    if (!isNarrowFloat(codeType))
      return code; // carried as f32
    return emit.decode(arith::ExtUIOp::create(builder, i32, code), codeType);
  };
  SmallVector<OpFoldResult> extents = emit.extents(codes);
  if (isB)
    std::swap(extents[rank - 1], extents[rank - 2]);
  Type element = scales ? productType(scaleType) : Type(builder.getF32Type());
  return emit.generate(extents, element, [&](ValueRange indices) -> Value {
    SmallVector<Value> at(indices);
    if (isB)
      std::swap(at[rank - 1], at[rank - 2]);
    Value value = decode(tensor::ExtractOp::create(builder, codes, at), type);
    if (!scales)
      return value;
    at.back() = emit.divide(at.back(), vec);
    if (rowsOfScale != 1)
      at[rank - 2] = emit.divide(at[rank - 2], rowsOfScale);
    Value scale =
        decode(tensor::ExtractOp::create(builder, scales, at), scaleType);
    if (isa<Float8E4M3FNType>(scaleType))
      scale = math::AbsFOp::create(builder, scale);
    return applyScale(value, scale, scaleType);
  });
}

/// sums + A B of decoded operands.
Value ProblemLowering::multiply(Value a, Value b, Value sums) {
  int64_t rank = tensorOf(sums).getRank();
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> dims;
  for (int64_t dim = 0; dim <= rank; ++dim)
    dims.push_back(builder.getAffineDimExpr(dim));
  // Iteration [L], M, K, N: K ascends, rows of B are read contiguously.
  AffineExpr m = dims[rank - 2], k = dims[rank - 1], n = dims[rank];
  auto mapOf = [&](AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> results;
    if (rank == 3)
      results.push_back(dims[0]);
    results.append({row, column});
    return AffineMap::get(rank + 1, 0, results, context);
  };
  AffineMap maps[] = {mapOf(m, k), mapOf(k, n), mapOf(m, n)};
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators[rank - 1] = utils::IteratorType::reduction;
  return emit.generic({a, b}, sums, maps, iterators, [&](ValueRange arguments) {
    return multiplyAdd(arguments[2], arguments[0], arguments[1]);
  });
}

/// The same, where the sums of `every` elements of K are added in f32.
Value ProblemLowering::multiplyPromoted(Value a, Value b, Value sums,
                                        int64_t every) {
  int64_t rank = tensorOf(sums).getRank();
  Value k = emit.toValue(emit.extent(a, rank - 1));
  auto loop = scf::ForOp::create(builder, emit.index(0), k, emit.index(every),
                                 ValueRange{sums});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Value left = arith::SubIOp::create(builder, k, first);
  Value extent = arith::MinUIOp::create(builder, left, emit.index(every));
  auto slice = [&](Value tensor, int64_t dim) -> Value {
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)),
        strides(rank, builder.getIndexAttr(1)), sizes = emit.extents(tensor);
    offsets[dim] = first;
    sizes[dim] = extent;
    return tensor::ExtractSliceOp::create(builder, tensor, offsets, sizes,
                                          strides);
  };
  Value sum = loop.getRegionIterArg(0);
  Value zeros = emit.fill(emit.extents(sum), emit.f32(0.0f));
  Value sliceA = slice(a, rank - 1), sliceB = slice(b, rank - 2);
  Value partial = multiply(sliceA, sliceB, zeros);
  // In place: a sum that a loop carries stays where it is.
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Value added = emit.generic(
      partial, sum, maps, iterators, [&](ValueRange values) -> Value {
        return arith::AddFOp::create(builder, values[1], values[0]);
      });
  scf::YieldOp::create(builder, added);
  return loop.getResult(0);
}

Value ProblemLowering::computeMatmul(ScaledMatmulOp op,
                                     ArrayRef<OpFoldResult> sizes) {
  int64_t rank = sizes.size();
  MLIRContext *context = builder.getContext();
  Type f32 = builder.getF32Type();
  Value a = decodeOperand(op, false), b = decodeOperand(op, true);
  Value zero = arith::ConstantOp::create(
      builder, builder.getZeroAttr(accumulatorType()));
  Value sums = emit.fill(sizes, zero);
  NumericsAttr numerics = op.getNumericsAttr();
  if (int64_t every = numerics ? numerics.getPromoteEvery() : 0;
      every != 0 && !options.accumulateF64)
    sums = multiplyPromoted(a, b, sums, every);
  else
    sums = multiply(a, b, sums);

  // The epilogue, each step rounded to f32.
  auto scalar = [&](Value value) { return value ? get(value) : Value(); };
  Value alpha = scalar(op.getAlpha()), beta = scalar(op.getBeta()),
        outScale = scalar(op.getOutScale());
  SmallVector<Value> inputs = {sums};
  SmallVector<AffineMap> inputMaps = {builder.getMultiDimIdentityMap(rank)};
  // Of one value: that value; else an input.
  Value rowScales[] = {op.getRowScaleA(), op.getRowScaleB()}, wholeScales[2];
  for (auto [number, vector] : llvm::enumerate(rowScales)) {
    if (!vector)
      continue;
    if (isOne(vector)) {
      wholeScales[number] =
          tensor::ExtractOp::create(builder, get(vector), emit.index(0));
      continue;
    }
    inputs.push_back(get(vector));
    inputMaps.push_back(AffineMap::get(
        rank, 0, builder.getAffineDimExpr(rank - 2 + number), context));
  }
  if (beta) {
    inputs.push_back(get(op.getInit()));
    inputMaps.push_back(builder.getMultiDimIdentityMap(rank));
  }
  if (op.getBias()) {
    inputs.push_back(get(op.getBias()));
    inputMaps.push_back(
        AffineMap::get(rank, 0, builder.getAffineDimExpr(rank - 1), context));
  }
  inputMaps.push_back(builder.getMultiDimIdentityMap(rank));
  Type out = tensorOf(op.getInit()).getElementType();
  bool saturates = numerics && numerics.getOverflow() == Overflow::Saturate;
  Value init = tensor::EmptyOp::create(builder, sizes, storageOf(out));
  SmallVector<utils::IteratorType> elementwise(rank,
                                               utils::IteratorType::parallel);
  return emit.generic(
      inputs, init, inputMaps, elementwise, [&](ValueRange arguments) {
        Value value = arguments[0];
        if (value.getType() != f32)
          value = arith::TruncFOp::create(builder, f32, value);
        size_t used = 1;
        for (auto [number, vector] : llvm::enumerate(rowScales)) {
          if (!vector)
            continue;
          Value scale =
              isOne(vector) ? wholeScales[number] : Value(arguments[used++]);
          value = arith::MulFOp::create(builder, value, scale);
        }
        if (alpha)
          value = arith::MulFOp::create(builder, alpha, value);
        if (beta) {
          Value scaled =
              arith::MulFOp::create(builder, beta, arguments[used++]);
          Value sum = arith::AddFOp::create(builder, value, scaled);
          Value reads = arith::CmpFOp::create(
              builder, arith::CmpFPredicate::UNE, beta, emit.f32(0.0f));
          value = arith::SelectOp::create(builder, reads, sum, value);
        }
        if (op.getBias())
          value = arith::AddFOp::create(builder, value, arguments[used++]);
        switch (op.getActivation()) {
        case Activation::None:
          break;
        case Activation::Relu: {
          Value isKept = arith::CmpFOp::create(
              builder, arith::CmpFPredicate::UGT, value, emit.f32(0.0f));
          value =
              arith::SelectOp::create(builder, isKept, value, emit.f32(0.0f));
          break;
        }
        case Activation::Silu: {
          // One function of an f32: computed in f64, rounded once.
          Type f64 = builder.getF64Type();
          Value x = arith::ExtFOp::create(builder, f64, value);
          Value one =
              arith::ConstantOp::create(builder, builder.getF64FloatAttr(1.0));
          Value exponential =
              math::ExpOp::create(builder, arith::NegFOp::create(builder, x));
          Value quotient = arith::DivFOp::create(
              builder, x, arith::AddFOp::create(builder, one, exponential));
          value = arith::TruncFOp::create(builder, f32, quotient);
          break;
        }
        }
        if (outScale)
          value = arith::MulFOp::create(builder, value, outScale);
        if (isNarrowFloat(out))
          return arith::TruncIOp::create(builder, builder.getI8Type(),
                                         emit.encode(value, out))
              .getResult();
        if (isHalfFloat(out))
          value = emit.roundTo(value, out);
        if (saturates) {
          auto type = cast<FloatType>(out);
          APFloat largest = APFloat::getLargest(type.getFloatSemantics());
          bool losesInformation;
          largest.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                          &losesInformation);
          Value bound = emit.f32(largest.convertToFloat());
          Value negative = emit.f32(-largest.convertToFloat());
          // These keep a NaN.
          value = arith::MinimumFOp::create(builder, value, bound);
          value = arith::MaximumFOp::create(builder, value, negative);
        }
        return value;
      });
}

void ProblemLowering::lowerMatmul(ScaledMatmulOp op) {
  // An operation that asks for f64 gets it, whatever the option says.
  bool usesF64 = options.accumulateF64;
  if (NumericsAttr numerics = op.getNumericsAttr())
    options.accumulateF64 |= numerics.getAccumulate().isF64();
  llvm::scope_exit restore([&] { options.accumulateF64 = usesF64; });
  SmallVector<OpFoldResult> sizes = emit.extents(get(op.getInit()));
  Value fits = checkExtents(op);
  if (!fits) {
    mapping.map(op.getResult(), computeMatmul(op, sizes));
    return;
  }
  require(fits, cpuExtentsDisagree);
  Type element = storageOf(tensorOf(op.getResult()).getElementType());
  auto type =
      RankedTensorType::get(tensorOf(op.getResult()).getShape(), element);
  auto branch = scf::IfOp::create(builder, type, fits, true);
  mapping.map(op.getResult(), branch.getResult(0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, computeMatmul(op, sizes));
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero =
      arith::ConstantOp::create(builder, element, builder.getZeroAttr(element));
  scf::YieldOp::create(builder, emit.fill(sizes, zero));
}

void ProblemLowering::lowerView(ViewScalesOp op) {
  Value source = get(op.getSource());
  bool isUserView = tensorOf(source).getRank() == 6;
  RankedTensorType type = tensorOf(op.getResult());
  // Batch, tiles of rows and tiles of groups in [32, 4, rest_m, 4, rest_k, L];
  // the other view [L, rest_m, rest_k, 2, 256] begins with them.
  static constexpr int64_t userDims[] = {5, 2, 4};
  // Extents that the type leaves open are those with padding; those that it
  // states must be there at run time.
  SmallVector<OpFoldResult> sizes;
  Value fits;
  int64_t rank = type.getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t extent = type.getDimSize(dim);
    bool isBatch = rank == 3 && dim == 0, isRow = dim == rank - 2;
    int64_t perTile = isBatch ? 1 : isRow ? 128 : 4;
    int64_t number = isBatch ? 0 : isRow ? 1 : 2;
    int64_t from = isUserView ? userDims[number] : number;
    OpFoldResult tiles = emit.extent(source, from);
    if (ShapedType::isDynamic(extent)) {
      sizes.push_back(emit.multiply(emit.toValue(tiles), perTile));
      continue;
    }
    sizes.push_back(builder.getIndexAttr(extent));
    if (isa<Attribute>(tiles))
      continue;
    Value holds = emit.compare(
        isBatch ? arith::CmpIPredicate::eq : arith::CmpIPredicate::uge,
        emit.toValue(tiles),
        emit.index(llvm::divideCeil(uint64_t(extent), uint64_t(perTile))));
    fits =
        fits ? arith::AndIOp::create(builder, fits, holds).getResult() : holds;
  }
  auto gather = [&] {
    return emit.generate(
        sizes, builder.getI8Type(), [&](ValueRange indices) -> Value {
          Value batch = rank == 3 ? indices[0] : emit.index(0);
          Value row = indices[rank - 2], group = indices[rank - 1];
          Value row32 = emit.remainder(row, 32),
                row4 = emit.remainder(emit.divide(row, 32), 4),
                rowTile = emit.divide(row, 128),
                group4 = emit.remainder(group, 4),
                groupTile = emit.divide(group, 4);
          SmallVector<Value> at;
          if (isUserView) {
            at = {row32, row4, rowTile, group4, groupTile, batch};
          } else {
            Value inTile = emit.add(emit.multiply(row32, 16),
                                    emit.add(emit.multiply(row4, 4), group4));
            at = {batch, rowTile, groupTile, emit.divide(inTile, 256),
                  emit.remainder(inTile, 256)};
          }
          return tensor::ExtractOp::create(builder, source, at);
        });
  };
  if (!fits) {
    mapping.map(op.getResult(), gather());
    return;
  }
  require(fits, cpuExtentsDisagree);
  auto branch = scf::IfOp::create(
      builder, RankedTensorType::get(type.getShape(), builder.getI8Type()),
      fits, true);
  mapping.map(op.getResult(), branch.getResult(0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, gather());
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantIntOp::create(builder, builder.getI8Type(), 0);
  scf::YieldOp::create(builder, emit.fill(sizes, zero));
}

LogicalResult ProblemLowering::lowerLevelOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ScaledMatmulOp matmul) {
        lowerMatmul(matmul);
        return success();
      })
      .Case([&](ViewScalesOp view) {
        lowerView(view);
        return success();
      })
      // The order of scales is a matter of memory; values have none.
      .Case<PackScalesOp, UnpackScalesOp>([&](auto reorder) {
        mapping.map(reorder.getResult(), get(reorder.getSource()));
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        return other->emitOpError("has no reference conversion in a function "
                                  "on whole tensors");
      });
}

LogicalResult
bsmm::convertProblemFunctionToLinalg(func::FuncOp function,
                                     const CpuConversionOptions &options) {
  ImplicitLocOpBuilder builder(function.getLoc(), function);
  return ProblemLowering(builder, options, function).run();
}
