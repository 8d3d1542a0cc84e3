//===- DecodePatterns.cpp - block-scaled operands to 16-bit floats --------===//
//
// Tensor cores without block scales multiply values that have been decoded:
// each value times its scale, in f32, rounded to f16 or bf16. Products of e2m1
// with e4m3 have at most 6 significant bits and are exact in both.
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace bsmm;

/// Values that a thread decodes at a time; they share a scale.
static constexpr int64_t unitValues = 16;

namespace {
/// Builds f32 numbers from codes (i32).
class CodeDecoder {
public:
  CodeDecoder(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(cast<FloatType>(type)) {}

  /// The value of the lowest bits of a code; `isUnsigned` leaves its sign out.
  Value decode(Value code, bool isUnsigned) {
    if (isa<Float8E8M0FNUType>(type))
      return decodePowerOfTwo(code);
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    int64_t bits = type.getWidth();
    int64_t fraction = llvm::APFloat::semanticsPrecision(semantics) - 1;
    int64_t bias = 1 - llvm::APFloat::semanticsMinExponent(semantics);
    Value magnitude = bitAnd(code, (int64_t(1) << (bits - 1)) - 1);
    // Exponent and fraction where f32 has them: the value but for the bias.
    // That of the smallest ones is a subnormal of f32 and loses nothing either.
    Value number = toFloat(shiftLeft(magnitude, 23 - fraction));
    number = arith::MulFOp::create(builder, loc, number,
                                   constantF32(std::ldexp(1.0f, 127 - bias)));
    // Codes of infinities and NaN.
    int64_t special = isa<Float8E4M3FNType>(type) ? 0x7F
                      : isa<Float8E5M2Type>(type) ? 0x7C
                                                  : 0;
    if (special != 0) {
      Value isSpecial =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                magnitude, constantI32(builder, loc, special));
      Value rest =
          shiftLeft(bitAnd(magnitude, (1 << fraction) - 1), 23 - fraction);
      Value other = toFloat(arith::OrIOp::create(
          builder, loc, rest, constantI32(builder, loc, 0x7F800000)));
      number = arith::SelectOp::create(builder, loc, isSpecial, other, number);
    }
    if (isUnsigned)
      return number;
    Value sign = bitAnd(shiftLeft(code, 32 - bits), int64_t(1) << 31);
    return toFloat(arith::OrIOp::create(
        builder, loc,
        arith::BitcastOp::create(builder, loc, builder.getI32Type(), number),
        sign));
  }

private:
  /// 2^(code - 127); the largest code is NaN.
  Value decodePowerOfTwo(Value code) {
    Value number = shiftLeft(code, 23);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         code, constantI32(builder, loc, 0));
    number = arith::SelectOp::create(
        builder, loc, isZero, constantI32(builder, loc, 1 << 22), number);
    Value isNan = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        code, constantI32(builder, loc, 0xFF));
    number = arith::SelectOp::create(
        builder, loc, isNan, constantI32(builder, loc, 0x7FC00000), number);
    return toFloat(number);
  }
  Value bitAnd(Value value, int64_t mask) {
    return arith::AndIOp::create(builder, loc, value,
                                 constantI32(builder, loc, int32_t(mask)));
  }
  Value shiftLeft(Value value, int64_t bits) {
    return arith::ShLIOp::create(builder, loc, value,
                                 constantI32(builder, loc, bits));
  }
  Value toFloat(Value bits) {
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }
  Value constantF32(float value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }

  OpBuilder &builder;
  Location loc;
  FloatType type;
};

struct DecodeOperandPattern : KernelPattern<DecodeOperandOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(DecodeOperandOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType source = op.getSource().getType();
    int64_t rows = source.getShape()[0], k = source.getShape()[1];
    int64_t perRow = k / unitValues;
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto role = op->getAttrOfType<DenseI64ArrayAttr>(roleAttrName);
    const KernelValues &kernel = getKernelValues(op);
    Value thread = kernel.thread;
    int64_t threads = role[1] * int64_t(target::threads::perWarp);
    if (role[0] != 0)
      thread = arith::SubIOp::create(
          rewriter, loc, thread, constant(role[0] * target::threads::perWarp));
    auto loop = scf::ForOp::create(rewriter, loc, thread,
                                   constant(rows * perRow), constant(threads));
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value unit = loop.getInductionVar();
      decodeUnit(rewriter, op, adaptor,
                 arith::DivUIOp::create(rewriter, loc, unit, constant(perRow)),
                 arith::RemUIOp::create(rewriter, loc, unit, constant(perRow)));
    }
    NVVM::FenceProxyOp::create(
        rewriter, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    buildBarrier(rewriter, op, kernel.warp, /*eachWarpgroup=*/false);
    rewriter.eraseOp(op);
    return success();
  }

  /// 16 values of a row.
  void decodeUnit(ConversionPatternRewriter &rewriter, DecodeOperandOp op,
                  OpAdaptor adaptor, Value row, Value unit) const {
    Location loc = op.getLoc();
    BufferType source = op.getSource().getType();
    BufferType scales = op.getScales().getType();
    BufferType destination = op.getDestination().getType();
    int64_t bits = getElementBits(source.getElementType());
    int64_t vec = source.getShape()[1] / scales.getShape()[1];
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto multiply = [&](Value value, int64_t factor) -> Value {
      return arith::MulIOp::create(rewriter, loc, value, constant(factor));
    };
    Value group =
        arith::DivUIOp::create(rewriter, loc, unit, constant(vec / unitValues));
    Value isValid = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::slt, group, adaptor.getValid());
    Value scale = loadScale(
        rewriter, op, adaptor.getScales(),
        arith::AddIOp::create(rewriter, loc, adaptor.getRow(), row), group);

    int64_t words = unitValues * bits / 32;
    auto wordsType = VectorType::get({words}, rewriter.getI32Type());
    Value place = advance(
        rewriter, loc, adaptor.getSource(),
        buildRowOffset(rewriter, loc, source, row, multiply(unit, words * 4)));
    Value codes = LLVM::LoadOp::create(rewriter, loc, wordsType, place,
                                       /*alignment=*/unsigned(words * 4));
    CodeDecoder decoder(rewriter, loc, source.getElementType());
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getF32FloatAttr(0.0f));
    SmallVector<Value> values;
    for (int64_t index = 0; index < unitValues; ++index) {
      int64_t bit = index * bits;
      Value word = vector::ExtractOp::create(rewriter, loc, codes, bit / 32);
      if (bit % 32 != 0)
        word = arith::ShRUIOp::create(rewriter, loc, word, constant(bit % 32));
      Value value = decoder.decode(word, /*isUnsigned=*/false);
      value = arith::MulFOp::create(rewriter, loc, value, scale);
      values.push_back(
          arith::SelectOp::create(rewriter, loc, isValid, value, zero));
    }
    // 16 bytes at a time.
    constexpr int64_t perStore = 8;
    Type element = destination.getElementType();
    auto pieceType = VectorType::get({perStore}, element);
    for (int64_t first = 0; first < unitValues; first += perStore) {
      Value wide = vector::FromElementsOp::create(
          rewriter, loc, VectorType::get({perStore}, rewriter.getF32Type()),
          ArrayRef<Value>(values).slice(first, perStore));
      Value narrow = arith::TruncFOp::create(rewriter, loc, pieceType, wide);
      Value packed = vector::BitCastOp::create(
          rewriter, loc, VectorType::get({4}, rewriter.getI32Type()), narrow);
      Value byte = arith::AddIOp::create(
          rewriter, loc, multiply(unit, 2 * unitValues), constant(2 * first));
      LLVM::StoreOp::create(
          rewriter, loc, packed,
          advance(rewriter, loc, adaptor.getDestination(),
                  buildRowOffset(rewriter, loc, destination, row, byte)),
          /*alignment=*/16);
    }
  }

  /// The scale of a row and group in 128x4 tiles (PTX ISA 9.7.17.10.7).
  static Value loadScale(ConversionPatternRewriter &rewriter,
                         DecodeOperandOp op, Value scales, Value row,
                         Value group) {
    Location loc = op.getLoc();
    BufferType type = op.getScales().getType();
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto multiply = [&](Value value, int64_t factor) -> Value {
      return arith::MulIOp::create(rewriter, loc, value, constant(factor));
    };
    auto add = [&](Value a, Value b) -> Value {
      return arith::AddIOp::create(rewriter, loc, a, b);
    };
    auto bitsOf = [&](Value value, int64_t shift, int64_t mask) -> Value {
      Value shifted =
          arith::ShRUIOp::create(rewriter, loc, value, constant(shift));
      return arith::AndIOp::create(rewriter, loc, shifted, constant(mask));
    };
    int64_t groupTiles = type.getShape()[1] / layout::scaleTileGroups;
    Value tile =
        add(multiply(arith::ShRUIOp::create(rewriter, loc, row, constant(7)),
                     groupTiles),
            arith::ShRUIOp::create(rewriter, loc, group, constant(2)));
    Value byte =
        add(multiply(tile, layout::scaleTileBytes),
            add(multiply(bitsOf(row, 0, 31), 16),
                add(multiply(bitsOf(row, 5, 3), 4), bitsOf(group, 0, 3))));
    Value code = LLVM::LoadOp::create(rewriter, loc, rewriter.getI8Type(),
                                      advance(rewriter, loc, scales, byte));
    code = arith::ExtUIOp::create(rewriter, loc, rewriter.getI32Type(), code);
    return CodeDecoder(rewriter, loc, type.getElementType())
        .decode(code, /*isUnsigned=*/true);
  }
};
} // namespace

void bsmm::populateDecodeToNVVMPatterns(const LLVMTypeConverter &converter,
                                        const KernelValuesMap &values,
                                        RewritePatternSet &patterns) {
  patterns.add<DecodeOperandPattern>(converter, values);
}
