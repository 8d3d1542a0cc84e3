//===- SkipDivisions.cpp - branches around divisions ----------------------===//
//
// GPUs divide integers by some twenty instructions that follow each other, more
// than 100 cycles in all. What maps numbers of tiles to their places divides by
// numbers that are often the larger ones: by the tiles of a batch, of which
// there is one, or by those of a group that has all rows. The quotient is 0
// then, which a comparison finds out.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMSKIPDIVISIONS
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;

/// The quotient of two values: 0 without a division when the first one is
/// smaller.
static Value buildQuotient(OpBuilder &builder, Location loc, Value dividend,
                           Value divisor) {
  Value isLarge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        dividend, divisor);
  auto branch = scf::IfOp::create(
      builder, loc, isLarge,
      [&](OpBuilder &inner, Location loc) {
        Value quotient = arith::DivUIOp::create(inner, loc, dividend, divisor);
        scf::YieldOp::create(inner, loc, quotient);
      },
      [&](OpBuilder &inner, Location loc) {
        Value zero =
            arith::ConstantIntOp::create(inner, loc, dividend.getType(), 0);
        scf::YieldOp::create(inner, loc, zero);
      });
  return branch.getResult(0);
}

namespace {
struct SkipDivisions : bsmm::impl::BsmmSkipDivisionsBase<SkipDivisions> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation()->walk([&](Operation *op) {
      // What is divided by a constant is multiplied instead.
      if (isa<arith::DivUIOp, arith::RemUIOp>(op) &&
          op->getResult(0).getType().isSignlessInteger() &&
          !matchPattern(op->getOperand(1), m_Constant()))
        divisions.push_back(op);
    });
    // Quotient and remainder of the same values are one division.
    DenseMap<std::tuple<Block *, Value, Value>, Value> quotients;
    IRRewriter rewriter(&getContext());
    for (Operation *op : divisions) {
      Value dividend = op->getOperand(0), divisor = op->getOperand(1);
      Location loc = op->getLoc();
      rewriter.setInsertionPoint(op);
      Value &quotient = quotients[{op->getBlock(), dividend, divisor}];
      if (!quotient)
        quotient = buildQuotient(rewriter, loc, dividend, divisor);
      Value result = quotient;
      if (isa<arith::RemUIOp>(op)) {
        Value product = arith::MulIOp::create(rewriter, loc, quotient, divisor);
        result = arith::SubIOp::create(rewriter, loc, dividend, product);
      }
      rewriter.replaceOp(op, result);
    }
  }
};
} // namespace
