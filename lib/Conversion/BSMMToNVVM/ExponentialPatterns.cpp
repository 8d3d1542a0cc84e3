//===- ExponentialPatterns.cpp - exp without a device library -------------===//
//
// exp(x) = 2^n exp(r) with n the integer nearest to x / ln 2, so that |r| is at
// most ln 2 / 2. n * ln 2 is subtracted in two parts, of which the first is
// exact; r^8 / 8!, where the series of exp(r) is cut, is below 2^-27. The
// result is within one unit in the last place of the exact one; it overflows to
// infinity, underflows gradually, and is NaN for NaN.
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace bsmm;

namespace {
struct ExponentialPattern : OpConversionPattern<math::ExpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(math::ExpOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF32())
      return op.emitOpError("expected f32, got ") << type;
    Type integer = rewriter.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      integer = vector.clone(integer);
    auto constantOf = [&](Type of, TypedAttr value) -> Value {
      if (auto vector = dyn_cast<VectorType>(of))
        return arith::ConstantOp::create(
            rewriter, loc, DenseElementsAttr::get(vector, Attribute(value)));
      return arith::ConstantOp::create(rewriter, loc, value);
    };
    auto number = [&](double value) {
      return constantOf(type, rewriter.getF32FloatAttr(float(value)));
    };
    auto count = [&](int32_t value) {
      return constantOf(integer, rewriter.getI32IntegerAttr(value));
    };
    auto multiplyAdd = [&](Value a, Value b, Value c) -> Value {
      return LLVM::FMAOp::create(rewriter, loc, type, a, b, c);
    };

    // Beyond these the result is 0 or infinity all the same.
    Value x = arith::MaximumFOp::create(rewriter, loc, adaptor.getOperand(),
                                        number(-104));
    x = arith::MinimumFOp::create(rewriter, loc, x, number(89));
    // 1.5 * 2^23: the sum has its integer part in the low bits.
    Value magic = number(0x1.8p23);
    Value sum = multiplyAdd(x, number(1.4426950408889634), magic);
    Value n = arith::SubFOp::create(rewriter, loc, sum, magic);
    Value bits = arith::BitcastOp::create(rewriter, loc, integer, sum);
    Value exponent =
        arith::SubIOp::create(rewriter, loc, bits, count(0x4B400000));
    // The first part of ln 2 has 16 bits.
    Value r = multiplyAdd(n, number(-0x1.62e4p-1), x);
    r = multiplyAdd(n, number(-0x1.7f7d1cp-20), r);
    Value series = number(1.0 / 5040);
    for (double term : {1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
      series = multiplyAdd(series, r, number(term));
    // Two factors, since 2^n alone may be out of range.
    Value half = arith::ShRSIOp::create(rewriter, loc, exponent, count(1));
    Value rest = arith::SubIOp::create(rewriter, loc, exponent, half);
    for (Value part : {half, rest}) {
      Value biased = arith::AddIOp::create(rewriter, loc, part, count(127));
      Value power = arith::ShLIOp::create(rewriter, loc, biased, count(23));
      Value factor = arith::BitcastOp::create(rewriter, loc, type, power);
      series = arith::MulFOp::create(rewriter, loc, series, factor);
    }
    rewriter.replaceOp(op, series);
    return success();
  }
};
} // namespace

void bsmm::populateExponentialToNVVMPatterns(const LLVMTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  // Before the pattern of upstream's GPU to NVVM, which calls a device library.
  patterns.add<ExponentialPattern>(converter, &converter.getContext(),
                                   PatternBenefit(10));
}
