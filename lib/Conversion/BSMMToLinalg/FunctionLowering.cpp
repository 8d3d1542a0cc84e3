//===- FunctionLowering.cpp - operations that both levels have ------------===//

#include "FunctionLowering.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace bsmm;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type FunctionLowering::accumulatorType() {
  return options.accumulateF64 ? Type(builder.getF64Type())
                               : Type(builder.getF32Type());
}

/// A scalar or the elements of a tensor in another floating-point type.
static Value castFloat(Emitter &emit, Value value, Type type) {
  auto castScalar = [&](Value scalar) -> Value {
    if (scalar.getType() == type)
      return scalar;
    if (scalar.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(emit.builder, type, scalar);
    return arith::TruncFOp::create(emit.builder, type, scalar);
  };
  if (getElementTypeOrSelf(value) == type)
    return value;
  if (!isa<RankedTensorType>(value.getType()))
    return castScalar(value);
  // A tensor of one value stays one.
  if (auto filled = value.getDefiningOp<linalg::FillOp>())
    return emit.fill(emit.extents(value), castScalar(filled.getInputs()[0]));
  return emit.map(value, type, [&](ValueRange arguments) {
    return castScalar(arguments[0]);
  });
}

Value FunctionLowering::get(Value old) {
  Value value = mapping.lookup(old);
  if (accumulators.contains(old))
    return castFloat(emit, value, builder.getF32Type());
  return value;
}

Value FunctionLowering::getAccumulator(Value old) {
  return castFloat(emit, mapping.lookup(old), accumulatorType());
}

Value FunctionLowering::multiplyAdd(Value accumulator, Value a, Value b) {
  Type f64 = builder.getF64Type();
  Value product = arith::MulFOp::create(builder, castFloat(emit, a, f64),
                                        castFloat(emit, b, f64));
  Value sum = arith::AddFOp::create(builder, castFloat(emit, accumulator, f64),
                                    product);
  return castFloat(emit, sum, accumulator.getType());
}

Type FunctionLowering::productType(Type scaleType) {
  // Values and e4m3 scales have at most 4 significant bits and moderate
  // exponents; a power of two may lead out of the range of f32.
  MLIRContext *context = scaleType.getContext();
  return isa<Float8E4M3FNType>(scaleType) ? Type(Float32Type::get(context))
                                          : Type(Float64Type::get(context));
}

Value FunctionLowering::applyScale(Value value, Value scale, Type scaleType) {
  Type type = productType(scaleType);
  return arith::MulFOp::create(builder, castFloat(emit, value, type),
                               castFloat(emit, scale, type));
}

void FunctionLowering::findAccumulators(Region &region) {
  auto insert = [&](auto dot) {
    accumulators.insert(dot.getResult());
    accumulators.insert(dot.getAccumulator());
  };
  region.walk([&](ScaledDotOp op) { insert(op); });
  region.walk([&](DotOp op) { insert(op); });
  // What is carried around a loop or out of a branch has one type.
  bool changed = true;
  auto join = [&](ArrayRef<Value> values) {
    if (llvm::none_of(
            values, [&](Value value) { return accumulators.contains(value); }))
      return;
    for (Value value : values)
      changed |= accumulators.insert(value).second;
  };
  while (changed) {
    changed = false;
    region.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        for (auto [init, argument, yielded, result] :
             llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), loop.getResults())) {
          bool isSum = accumulators.contains(argument) ||
                       accumulators.contains(yielded) ||
                       accumulators.contains(result);
          if (isSum)
            join({argument, yielded, result});
        }
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (auto [number, result] : llvm::enumerate(branch.getResults()))
          join({result, branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)});
      }
    });
  }
}

//===----------------------------------------------------------------------===//
// Memory and status
//===----------------------------------------------------------------------===//

void FunctionLowering::createStatus() {
  auto type = MemRefType::get({1}, builder.getI64Type());
  status = memref::AllocaOp::create(builder, type);
  Value zero = arith::ConstantIntOp::create(builder, builder.getI64Type(), 0);
  memref::StoreOp::create(builder, zero, status, emit.index(0));
}

void FunctionLowering::returnStatus() {
  Value value = memref::LoadOp::create(builder, status, emit.index(0));
  func::ReturnOp::create(builder, value);
}

void FunctionLowering::require(Value condition, CpuStatus bit) {
  Type i64 = builder.getI64Type();
  Value zero = arith::ConstantIntOp::create(builder, i64, 0);
  Value wrong = arith::ConstantIntOp::create(builder, i64, bit);
  Value bits = arith::SelectOp::create(builder, condition, zero, wrong);
  Value at = emit.index(0);
  Value known = memref::LoadOp::create(builder, status, at);
  memref::StoreOp::create(builder, arith::OrIOp::create(builder, known, bits),
                          status, at);
}

Value FunctionLowering::readable(Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  return bufferization::ToTensorOp::create(
      builder, RankedTensorType::get(type.getShape(), type.getElementType()),
      memory, /*restrict=*/true);
}

void FunctionLowering::storeChecked(Value memory, Value byte, Value code,
                                    unsigned bits) {
  Value end = emit.add(byte, emit.index(bits / 8));
  Value size = memref::DimOp::create(builder, memory, 0);
  // Compared as signed: a negative offset is outside, too.
  Value isInside = arith::AndIOp::create(
      builder, emit.compare(arith::CmpIPredicate::sge, byte, emit.index(0)),
      emit.compare(arith::CmpIPredicate::sle, end, size));
  auto branch = scf::IfOp::create(builder, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emit.writeCode(memory, byte, code, bits);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value never = arith::ConstantIntOp::create(builder, builder.getI1Type(), 0);
  require(never, cpuStoreOutOfBounds);
}

Value FunctionLowering::clampToZero(Value index) {
  return arith::MaxSIOp::create(builder, index, emit.index(0));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult FunctionLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lowerOp(op)))
      return failure();
  return success();
}

Type FunctionLowering::convert(Type type, bool isAccumulator) {
  Type element =
      isAccumulator ? accumulatorType() : storageOf(getElementTypeOrSelf(type));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element);
  return element;
}

LogicalResult FunctionLowering::checkType(Operation &op, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (type.isIntOrIndex() || type.isF32() || type.isF64() ||
      isHalfFloat(type) || isNarrowFloat(type))
    return success();
  return op.emitOpError("expected integers and floating-point numbers for the "
                        "reference conversion, got ")
         << type;
}

LogicalResult FunctionLowering::lowerOp(Operation &op) {
  builder.setLoc(op.getLoc());
  if (isa<LevelOpInterface>(op))
    return lowerLevelOp(op);
  if (op.getName().getDialectNamespace() == "gpu")
    return lowerLevelOp(op);
  for (Type type : op.getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Type type : op.getOperandTypes())
    if (failed(checkType(op, type)))
      return failure();

  auto tensorResult = [&]() {
    return dyn_cast<RankedTensorType>(op.getResult(0).getType());
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp loop) { return lowerFor(loop); })
      .Case([&](scf::IfOp branch) { return lowerIf(branch); })
      .Case([&](arith::ConstantOp constant) { return lowerConstant(constant); })
      .Case([&](tensor::SplatOp splat) {
        Value scalar = get(splat.getInput());
        if (scalar.getType() != storageOf(tensorResult().getElementType()))
          return LogicalResult(splat.emitOpError(
              "expected elements of at least 16 bits for the reference "
              "conversion"));
        SmallVector<OpFoldResult> sizes;
        auto dynamic = splat.getDynamicSizes().begin();
        RankedTensorType type = tensorResult();
        for (int64_t extent : type.getShape())
          if (ShapedType::isDynamic(extent))
            sizes.push_back(get(*dynamic++));
          else
            sizes.push_back(builder.getIndexAttr(extent));
        mapping.map(splat.getResult(), emit.fill(sizes, scalar));
        return success();
      })
      .Case([&](tensor::EmptyOp empty) {
        // The values are unspecified; zeros keep runs alike.
        SmallVector<OpFoldResult> sizes;
        for (OpFoldResult size : empty.getMixedSizes())
          sizes.push_back(
              isa<Value>(size) ? OpFoldResult(get(cast<Value>(size))) : size);
        Type element = storageOf(tensorResult().getElementType());
        Value zero =
            arith::ConstantOp::create(builder, builder.getZeroAttr(element));
        mapping.map(empty.getResult(), emit.fill(sizes, zero));
        return success();
      })
      .Case([&](tensor::DimOp dim) {
        mapping.map(dim.getResult(),
                    tensor::DimOp::create(builder, get(dim.getSource()),
                                          get(dim.getIndex()))
                        .getResult());
        return success();
      })
      .Case([&](tensor::CastOp castOp) {
        auto type = dyn_cast<RankedTensorType>(castOp.getType());
        auto source = dyn_cast<RankedTensorType>(castOp.getSource().getType());
        if (!type || !source)
          return LogicalResult(castOp.emitOpError("expected ranked tensors"));
        for (auto [from, to] : llvm::zip(source.getShape(), type.getShape()))
          if (ShapedType::isDynamic(from) && !ShapedType::isDynamic(to))
            return LogicalResult(
                castOp.emitOpError("expected a cast that forgets extents, got ")
                << source << " to " << type
                << "; a wrong extent would read other memory");
        mapping.map(castOp.getResult(),
                    tensor::CastOp::create(builder, convert(type),
                                           get(castOp.getSource()))
                        .getResult());
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        StringRef dialect = other->getName().getDialectNamespace();
        if ((dialect == "arith" || dialect == "math") &&
            other->getNumResults() == 1 && other->getNumRegions() == 0)
          return lowerElementwise(*other);
        return other->emitOpError(
            "has no reference conversion; expected bsmm operations, "
            "elementwise arith and math, scf.for, scf.if, or tensor.splat, "
            "empty, dim and cast");
      });
}

LogicalResult FunctionLowering::lowerFor(scf::ForOp op) {
  Value lower = get(op.getLowerBound()), upper = get(op.getUpperBound());
  Value step = get(op.getStep());
  // A step of zero or less never ends; the meaning of such a loop is open.
  APInt known;
  bool isPositive =
      matchPattern(op.getStep(), m_ConstantInt(&known)) &&
      (op.getUnsignedCmp() ? !known.isZero() : known.isStrictlyPositive());
  if (!isPositive) {
    Value one = arith::ConstantOp::create(
        builder, builder.getIntegerAttr(step.getType(), 1));
    step = op.getUnsignedCmp()
               ? arith::MaxUIOp::create(builder, step, one).getResult()
               : arith::MaxSIOp::create(builder, step, one).getResult();
  }
  SmallVector<Value> inits;
  for (auto [init, argument] :
       llvm::zip(op.getInitArgs(), op.getRegionIterArgs()))
    inits.push_back(accumulators.contains(argument) ? getAccumulator(init)
                                                    : get(init));
  auto loop = scf::ForOp::create(builder, lower, upper, step, inits, nullptr,
                                 op.getUnsignedCmp());
  for (auto [result, value] : llvm::zip(op.getResults(), loop.getResults()))
    mapping.map(result, value);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  mapping.map(op.getInductionVar(), loop.getInductionVar());
  for (auto [argument, value] :
       llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    mapping.map(argument, value);
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  if (op.getNumResults() == 0)
    return success();
  SmallVector<Value> yielded;
  for (auto [value, argument] :
       llvm::zip(op.getYieldedValues(), op.getRegionIterArgs()))
    yielded.push_back(accumulators.contains(argument) ? getAccumulator(value)
                                                      : get(value));
  builder.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(builder, yielded);
  return success();
}

LogicalResult FunctionLowering::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(convert(result.getType(), accumulators.contains(result)));
  auto branch =
      scf::IfOp::create(builder, types, get(op.getCondition()),
                        /*withElseRegion=*/!op.getElseRegion().empty());
  for (auto [result, value] : llvm::zip(op.getResults(), branch.getResults()))
    mapping.map(result, value);
  for (auto [from, to] :
       {std::pair{&op.getThenRegion(), &branch.getThenRegion()},
        std::pair{&op.getElseRegion(), &branch.getElseRegion()}}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&to->front());
    if (failed(lowerBlock(from->front())))
      return failure();
    if (types.empty())
      continue;
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip(
             from->front().getTerminator()->getOperands(), op.getResults()))
      yielded.push_back(accumulators.contains(result) ? getAccumulator(value)
                                                      : get(value));
    builder.setInsertionPointToEnd(&to->front());
    scf::YieldOp::create(builder, yielded);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

LogicalResult FunctionLowering::lowerConstant(arith::ConstantOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  Type storage = storageOf(element);
  auto convertFloat = [&](APFloat value) {
    bool losesInformation;
    value.convert(cast<FloatType>(storage).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInformation);
    return value;
  };
  bool isFloat = isa<FloatType>(element);
  if (isFloat && !isa<FloatType>(storage))
    return op.emitOpError("expected no constants of ")
           << element << " in a function on whole tensors";
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    TypedAttr value = op.getValue();
    if (isFloat)
      value = builder.getFloatAttr(
          storage, convertFloat(cast<FloatAttr>(value).getValue()));
    mapping.map(op.getResult(),
                arith::ConstantOp::create(builder, value).getResult());
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitOpError("expected a constant with its elements written out");
  auto newType = RankedTensorType::get(type.getShape(), storage);
  if (elements.isSplat()) {
    TypedAttr scalar;
    if (isFloat)
      scalar = builder.getFloatAttr(
          storage, convertFloat(elements.getSplatValue<APFloat>()));
    else
      scalar = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    SmallVector<OpFoldResult> sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    mapping.map(op.getResult(),
                emit.fill(sizes, arith::ConstantOp::create(builder, scalar)));
    return success();
  }
  DenseElementsAttr converted = elements;
  if (isFloat) {
    SmallVector<APFloat> values;
    for (APFloat value : elements.getValues<APFloat>())
      values.push_back(convertFloat(value));
    converted = DenseElementsAttr::get(newType, values);
  }
  mapping.map(op.getResult(),
              arith::ConstantOp::create(builder, converted).getResult());
  return success();
}

/// Operations whose result of f16 or bf16 is that of f32, rounded: f32 has more
/// than twice the places (Figueroa, "When is double rounding innocuous?").
static bool roundsFromF32(Operation &op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, arith::ExtFOp,
             arith::TruncFOp, math::AbsFOp, math::SqrtOp>(op);
}

LogicalResult FunctionLowering::checkElementwise(Operation &op) {
  auto refuse = [&](Type type) {
    return op.emitOpError("has no reference conversion for ") << type;
  };
  bool hasTensor = false;
  for (Value operand : op.getOperands())
    hasTensor |= isa<RankedTensorType>(operand.getType());
  Type result = op.getResult(0).getType();
  hasTensor |= isa<RankedTensorType>(result);
  if (hasTensor && !op.hasTrait<OpTrait::Elementwise>() &&
      !isa<arith::SelectOp>(op))
    return op.emitOpError("has no reference conversion");
  Type resultElement = getElementTypeOrSelf(result);
  bool isNarrow = isNarrowFloat(resultElement);
  if (isNarrow || (isHalfFloat(resultElement) && !roundsFromF32(op)))
    return refuse(resultElement);
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    Type from = getElementTypeOrSelf(truncate.getIn());
    if (from.isF64() && isHalfFloat(resultElement))
      return refuse(from);
    auto mode = truncate.getRoundingmode();
    if (mode && *mode != arith::RoundingMode::to_nearest_even)
      return op.emitOpError("expected rounding to nearest even, got ")
             << arith::stringifyRoundingMode(*mode);
  }
  for (Value operand : op.getOperands()) {
    Type element = getElementTypeOrSelf(operand);
    if (isNarrowFloat(element) && !isa<arith::ExtFOp>(op))
      return refuse(element);
    if (isHalfFloat(element) && isa<arith::BitcastOp>(op))
      return refuse(element);
  }
  if (isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return op.emitOpError("has no reference conversion: multiply by the "
                          "extended scale instead");
  return success();
}

Value FunctionLowering::lowerScalar(Operation &op, ValueRange operands) {
  Type type = getElementTypeOrSelf(op.getResult(0));
  Type storage = storageOf(type);
  Value result;
  if (isa<arith::ExtFOp>(op)) {
    Value value = operands[0];
    Type from = getElementTypeOrSelf(op.getOperand(0));
    // A level that carries codes decodes them here.
    if (isNarrowFloat(from) && !isa<FloatType>(value.getType()))
      value = emit.decode(
          arith::ExtUIOp::create(builder, builder.getI32Type(), value), from);
    return castFloat(emit, value, storage);
  }
  if (isa<arith::TruncFOp>(op)) {
    result = castFloat(emit, operands[0], storage);
  } else {
    SmallVector<Value> values(operands);
    // Integer division by zero would end the process; its value is open.
    if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::DivSIOp,
            arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op)) {
      Type integer = values[1].getType();
      auto constant = [&](const APInt &value) -> Value {
        return arith::ConstantOp::create(
            builder, builder.getIntegerAttr(integer, value));
      };
      unsigned width = integer.isIndex() ? 64 : integer.getIntOrFloatBitWidth();
      APInt divisor;
      bool isSafe = matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) &&
                    !divisor.isZero() && !divisor.isAllOnes();
      if (!isSafe) {
        Value one = constant(APInt(width, 1));
        Value isBad = emit.compare(arith::CmpIPredicate::eq, values[1],
                                   constant(APInt::getZero(width)));
        if (!isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op)) {
          Value overflows = arith::AndIOp::create(
              builder,
              emit.compare(arith::CmpIPredicate::eq, values[1],
                           constant(APInt::getAllOnes(width))),
              emit.compare(arith::CmpIPredicate::eq, values[0],
                           constant(APInt::getSignedMinValue(width))));
          isBad = arith::OrIOp::create(builder, isBad, overflows);
        }
        values[1] = arith::SelectOp::create(builder, isBad, one, values[1]);
      }
    }
    // The reference takes no liberties with rounding.
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute attribute : op.getAttrs())
      if (attribute.getName() != "fastmath")
        attributes.push_back(attribute);
    OperationState state(builder.getLoc(), op.getName(), values, {storage},
                         attributes);
    result = builder.create(state)->getResult(0);
  }
  return isHalfFloat(type) ? emit.roundTo(result, type) : result;
}

LogicalResult FunctionLowering::lowerElementwise(Operation &op) {
  if (failed(checkElementwise(op)))
    return failure();
  SmallVector<Value> operands, tensors;
  for (Value operand : op.getOperands()) {
    operands.push_back(get(operand));
    if (isa<RankedTensorType>(operand.getType()))
      tensors.push_back(operands.back());
  }
  if (tensors.empty()) {
    mapping.map(op.getResult(0), lowerScalar(op, operands));
    return success();
  }
  Value result = emit.map(
      tensors, storageOf(getElementTypeOrSelf(op.getResult(0))),
      [&](ValueRange elements) {
        SmallVector<Value> scalars;
        auto next = elements.begin();
        for (Value operand : operands)
          scalars.push_back(isa<RankedTensorType>(operand.getType()) ? *next++
                                                                     : operand);
        return lowerScalar(op, scalars);
      });
  mapping.map(op.getResult(0), result);
  return success();
}
