//===- Emitter.cpp - numbers and tensors in upstream dialects -------------===//

#include "Emitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace mlir;
using namespace bsmm;

bool bsmm::isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

bool bsmm::isHalfFloat(Type type) { return type.isF16() || type.isBF16(); }

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value Emitter::i32(int64_t value) {
  // Written as bits: masks use the sign bit.
  auto attribute = builder.getIntegerAttr(
      builder.getI32Type(), APInt(32, uint64_t(value) & 0xFFFFFFFF));
  return arith::ConstantOp::create(builder, attribute);
}

Value Emitter::f32(float value) {
  return arith::ConstantOp::create(builder, builder.getF32FloatAttr(value));
}

Value Emitter::toIndex(Value integer) {
  if (integer.getType().isIndex())
    return integer;
  return builder.createOrFold<arith::IndexCastOp>(builder.getIndexType(),
                                                  integer);
}

Value Emitter::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(a, b);
}

Value Emitter::multiply(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(a, b);
}

Value Emitter::multiply(Value a, int64_t b) { return multiply(a, index(b)); }

Value Emitter::divide(Value a, int64_t b) {
  return b == 1 ? a : builder.createOrFold<arith::DivUIOp>(a, index(b));
}

Value Emitter::remainder(Value a, int64_t b) {
  return builder.createOrFold<arith::RemUIOp>(a, index(b));
}

Value Emitter::ceilDivide(Value a, int64_t b) {
  return builder.createOrFold<arith::CeilDivUIOp>(a, index(b));
}

Value Emitter::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(predicate, a, b);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

OpFoldResult Emitter::extent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return tensor::DimOp::create(builder, tensor, dim).getResult();
}

SmallVector<OpFoldResult> Emitter::extents(Value tensor) {
  SmallVector<OpFoldResult> result;
  for (int64_t dim = 0,
               rank = cast<RankedTensorType>(tensor.getType()).getRank();
       dim < rank; ++dim)
    result.push_back(extent(tensor, dim));
  return result;
}

Value Emitter::toValue(OpFoldResult extent) {
  if (auto value = dyn_cast<Value>(extent))
    return value;
  return index(cast<IntegerAttr>(cast<Attribute>(extent)).getInt());
}

Value Emitter::generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                       ArrayRef<utils::IteratorType> iterators,
                       function_ref<Value(ValueRange)> body) {
  auto op =
      linalg::GenericOp::create(builder, TypeRange(init.getType()), inputs,
                                ValueRange(init), maps, iterators);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    types.push_back(getElementTypeOrSelf(operand));
  SmallVector<Location> locations(types.size(), builder.getLoc());
  Region &region = op.getRegion();
  Block *block = region.empty()
                     ? builder.createBlock(&region, {}, types, locations)
                     : &region.front();
  builder.setInsertionPointToStart(block);
  Value result = body(block->getArguments());
  linalg::YieldOp::create(builder, result);
  return op.getResult(0);
}

Value Emitter::generate(ArrayRef<OpFoldResult> sizes, Type elementType,
                        function_ref<Value(ValueRange)> body) {
  Value init = tensor::EmptyOp::create(builder, sizes, elementType);
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  auto identity = builder.getMultiDimIdentityMap(sizes.size());
  return generic({}, init, identity, iterators, [&](ValueRange) {
    SmallVector<Value> indices;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      indices.push_back(linalg::IndexOp::create(builder, dim));
    return body(indices);
  });
}

Value Emitter::map(ValueRange inputs, Type elementType,
                   function_ref<Value(ValueRange)> body) {
  SmallVector<OpFoldResult> sizes = extents(inputs.front());
  Value init = tensor::EmptyOp::create(builder, sizes, elementType);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return generic(inputs, init, maps, iterators, [&](ValueRange arguments) {
    return body(arguments.drop_back());
  });
}

Value Emitter::fill(ArrayRef<OpFoldResult> sizes, Value scalar) {
  Value init = tensor::EmptyOp::create(builder, sizes, scalar.getType());
  return linalg::FillOp::create(builder, ValueRange(scalar), ValueRange(init))
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

Value Emitter::readCode(Value bytes, CodePlace place, unsigned bits) {
  Type i32Type = builder.getI32Type();
  auto byteAt = [&](Value at) -> Value {
    Value byte = tensor::ExtractOp::create(builder, bytes, at);
    return arith::ExtUIOp::create(builder, i32Type, byte);
  };
  auto shiftOf = [&](Value amount) -> Value {
    return arith::IndexCastOp::create(builder, i32Type, amount);
  };
  if (bits == 4) {
    Value byte = byteAt(add(place.base, divide(place.column, 2)));
    Value shift = shiftOf(multiply(remainder(place.column, 2), 4));
    Value code = arith::ShRUIOp::create(builder, byte, shift);
    return arith::AndIOp::create(builder, code, i32(0xF));
  }
  if (bits == 6) {
    // Bit 6 * i of the row is bit 0 of code i: a code lies in one or two bytes,
    // and the last code of a row in its last byte alone.
    Value bit = multiply(place.column, 6);
    Value first = add(place.base, divide(bit, 8));
    Value last =
        arith::SubIOp::create(builder, toValue(extent(bytes, 0)), index(1));
    Value second = arith::MinUIOp::create(builder, add(first, index(1)), last);
    Value high = arith::ShLIOp::create(builder, byteAt(second), i32(8));
    Value both = arith::OrIOp::create(builder, byteAt(first), high);
    Value code =
        arith::ShRUIOp::create(builder, both, shiftOf(remainder(bit, 8)));
    return arith::AndIOp::create(builder, code, i32(0x3F));
  }
  int64_t count = bits / 8;
  Value first = add(place.base, multiply(place.column, count));
  Value code = byteAt(first);
  for (int64_t byte = 1; byte < count; ++byte) {
    Value part = arith::ShLIOp::create(builder, byteAt(add(first, index(byte))),
                                       i32(8 * byte));
    code = arith::OrIOp::create(builder, code, part);
  }
  return code;
}

void Emitter::writeCode(Value memory, Value byte, Value code, unsigned bits) {
  for (unsigned part = 0; part < bits / 8; ++part) {
    Value shifted =
        part == 0
            ? code
            : arith::ShRUIOp::create(builder, code, i32(8 * part)).getResult();
    Value low = arith::TruncIOp::create(builder, builder.getI8Type(), shifted);
    memref::StoreOp::create(builder, low, memory, add(byte, index(part)));
  }
}

Value Emitter::decode(Value code, Type type) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  auto toFloat = [&](Value bits) -> Value {
    return arith::BitcastOp::create(builder, f32Type, bits);
  };
  auto shiftLeft = [&](Value bits, int64_t by) -> Value {
    return arith::ShLIOp::create(builder, bits, i32(by));
  };
  auto mask = [&](Value bits, int64_t by) -> Value {
    return arith::AndIOp::create(builder, bits, i32(by));
  };
  if (type.isF32())
    return toFloat(code);
  if (type.isBF16())
    return toFloat(shiftLeft(code, 16));
  if (type.isF16()) {
    Value magnitude = mask(code, 0x7FFF);
    // Normal numbers: rebias the exponent from 15 to 127.
    Value shifted = shiftLeft(magnitude, 13);
    Value normal = arith::AddIOp::create(builder, shifted, i32(112 << 23));
    // Infinity and NaN keep their mantissa.
    Value special = arith::OrIOp::create(builder, shifted, i32(0x7F800000));
    Value isSpecial =
        compare(arith::CmpIPredicate::uge, magnitude, i32(0x7C00));
    Value large = arith::SelectOp::create(builder, isSpecial, special, normal);
    Value fraction = arith::UIToFPOp::create(builder, f32Type, magnitude);
    Value small = arith::BitcastOp::create(
        builder, i32Type,
        arith::MulFOp::create(builder, fraction, f32(0x1p-24f)));
    Value isSmall = compare(arith::CmpIPredicate::ult, magnitude, i32(0x400));
    Value bits = arith::SelectOp::create(builder, isSmall, small, large);
    Value sign = shiftLeft(mask(code, 0x8000), 16);
    return toFloat(arith::OrIOp::create(builder, bits, sign));
  }

  Value &table = decodeTables[type];
  if (!table) {
    auto floatType = cast<FloatType>(type);
    unsigned bits = floatType.getWidth();
    SmallVector<APFloat> values;
    for (uint64_t number = 0; number < (uint64_t(1) << bits); ++number) {
      APFloat value(floatType.getFloatSemantics(), APInt(bits, number));
      bool losesInformation = false;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                    &losesInformation);
      assert(!losesInformation && "f32 holds all values of narrow types");
      values.push_back(value);
    }
    auto tableType = RankedTensorType::get({int64_t(values.size())}, f32Type);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(tables);
    table = arith::ConstantOp::create(
        builder, DenseElementsAttr::get(tableType, values));
  }
  Value at =
      arith::IndexCastUIOp::create(builder, builder.getIndexType(), code);
  return tensor::ExtractOp::create(builder, table, at);
}

Value Emitter::roundTo(Value value, Type type) {
  Type i32Type = builder.getI32Type(), f32Type = builder.getF32Type();
  Value bits = arith::BitcastOp::create(builder, i32Type, value);
  Value magnitude = arith::AndIOp::create(builder, bits, i32(0x7FFFFFFF));
  // Add just less than half of the last place that stays, and one more when
  // that place is odd; the carry may run into the exponent, as it should.
  int64_t dropped = type.isF16() ? 13 : 16;
  Value odd = arith::AndIOp::create(
      builder, arith::ShRUIOp::create(builder, magnitude, i32(dropped)),
      i32(1));
  Value carried = arith::AddIOp::create(
      builder,
      arith::AddIOp::create(builder, magnitude,
                            i32((int64_t(1) << (dropped - 1)) - 1)),
      odd);
  Value rounded =
      arith::AndIOp::create(builder, carried, i32(-(int64_t(1) << dropped)));
  if (type.isF16()) {
    // Beyond the largest f16, 65504.
    Value overflows =
        compare(arith::CmpIPredicate::ugt, rounded, i32(0x477FE000));
    rounded =
        arith::SelectOp::create(builder, overflows, i32(0x7F800000), rounded);
    // Below 2^-14 the places are multiples of 2^-24, as those of 0.5 + x.
    Value positive = arith::BitcastOp::create(builder, f32Type, magnitude);
    Value half = f32(0.5f);
    Value sum = arith::AddFOp::create(builder, positive, half);
    Value small = arith::BitcastOp::create(
        builder, i32Type, arith::SubFOp::create(builder, sum, half));
    Value isSmall =
        compare(arith::CmpIPredicate::ult, magnitude, i32(0x38800000));
    rounded = arith::SelectOp::create(builder, isSmall, small, rounded);
  }
  Value sign = arith::AndIOp::create(builder, bits, i32(0x80000000));
  Value result = arith::BitcastOp::create(
      builder, f32Type, arith::OrIOp::create(builder, rounded, sign));
  Value isNan =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(builder, isNan, value, result);
}

/// The code of an f32 in 8 bits, rounded to nearest even; beyond the largest
/// finite value that one.
static Value encodeByte(Emitter &emit, Value value, FloatType type) {
  ImplicitLocOpBuilder &builder = emit.builder;
  Type i32Type = builder.getI32Type();
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int fractionBits = int(llvm::APFloat::semanticsPrecision(semantics)) - 1;
  int bias = 1 - llvm::APFloat::semanticsMinExponent(semantics);
  bool losesInformation;
  llvm::APFloat largest = llvm::APFloat::getLargest(semantics);
  largest.convert(llvm::APFloat::IEEEsingle(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInformation);
  Value isNan =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  Value bits = arith::BitcastOp::create(builder, i32Type, value);
  Value sign = arith::AndIOp::create(
      builder, arith::ShRUIOp::create(builder, bits, emit.i32(24)),
      emit.i32(0x80));
  Value magnitude =
      arith::MinNumFOp::create(builder, math::AbsFOp::create(builder, value),
                               emit.f32(largest.convertToFloat()));
  // Below the normal numbers codes count steps of one size.
  Value isSmall =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, magnitude,
                            emit.f32(std::ldexp(1.0f, 1 - bias)));
  Value small =
      arith::SelectOp::create(builder, isSmall, magnitude, emit.f32(0.0f));
  small = math::RoundEvenOp::create(
      builder,
      arith::MulFOp::create(
          builder, small, emit.f32(std::ldexp(1.0f, bias - 1 + fractionBits))));
  small = arith::FPToUIOp::create(builder, i32Type, small);
  // Others keep the leading bits of the fraction; the carry may run into the
  // exponent, as it should.
  int dropped = 23 - fractionBits;
  Value normal = arith::BitcastOp::create(builder, i32Type, magnitude);
  Value odd = arith::AndIOp::create(
      builder, arith::ShRUIOp::create(builder, normal, emit.i32(dropped)),
      emit.i32(1));
  normal = arith::AddIOp::create(
      builder, normal,
      arith::AddIOp::create(builder, odd,
                            emit.i32((int64_t(1) << (dropped - 1)) - 1)));
  normal = arith::SubIOp::create(
      builder, arith::ShRUIOp::create(builder, normal, emit.i32(dropped)),
      emit.i32(int64_t(127 - bias) << fractionBits));
  Value code = arith::SelectOp::create(builder, isSmall, small, normal);
  code = arith::OrIOp::create(builder, code, sign);
  return arith::SelectOp::create(builder, isNan, emit.i32(0x7F), code);
}

Value Emitter::encode(Value value, Type type) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return encodeByte(*this, value, cast<FloatType>(type));
  Type i32Type = builder.getI32Type();
  Value bits = arith::BitcastOp::create(builder, i32Type, value);
  Value isNan =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  if (type.isF32())
    return arith::SelectOp::create(builder, isNan, i32(0x7FFFFFFF), bits);
  Value high = arith::ShRUIOp::create(builder, bits, i32(16));
  if (type.isBF16())
    return arith::SelectOp::create(builder, isNan, i32(0x7FFF), high);
  Value magnitude = arith::AndIOp::create(builder, bits, i32(0x7FFFFFFF));
  Value normal = arith::SubIOp::create(
      builder, arith::ShRUIOp::create(builder, magnitude, i32(13)),
      i32(112 << 10));
  Value isInfinite =
      compare(arith::CmpIPredicate::uge, magnitude, i32(0x7F800000));
  Value large =
      arith::SelectOp::create(builder, isInfinite, i32(0x7C00), normal);
  Value isSmall =
      compare(arith::CmpIPredicate::ult, magnitude, i32(0x38800000));
  Value positive =
      arith::BitcastOp::create(builder, builder.getF32Type(), magnitude);
  // Kept in range where the result is not taken: the cast would be undefined.
  Value bounded =
      arith::SelectOp::create(builder, isSmall, positive, f32(0.0f));
  Value small = arith::FPToUIOp::create(
      builder, i32Type, arith::MulFOp::create(builder, bounded, f32(0x1p24f)));
  Value code = arith::SelectOp::create(builder, isSmall, small, large);
  Value sign = arith::AndIOp::create(builder, high, i32(0x8000));
  code = arith::OrIOp::create(builder, code, sign);
  return arith::SelectOp::create(builder, isNan, i32(0x7FFF), code);
}
