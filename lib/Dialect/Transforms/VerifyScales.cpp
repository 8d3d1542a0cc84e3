//===- VerifyScales.cpp - the order of scales is never lost ---------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMVERIFYSCALES
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

static ScalesAttr getScales(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<ScalesAttr>(tensor.getEncoding())
                : ScalesAttr();
}

/// Operations that hand values on as they are, and those that only ask.
static bool keepsValues(Operation *op) {
  return isa<CallOpInterface, func::ReturnOp, scf::ForOp, scf::IfOp,
             scf::WhileOp, scf::YieldOp, scf::ConditionOp, cf::BranchOp,
             cf::CondBranchOp, arith::SelectOp, tensor::DimOp, tensor::EmptyOp,
             UnrealizedConversionCastOp>(op);
}

namespace {
struct VerifyScales : bsmm::impl::BsmmVerifyScalesBase<VerifyScales> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (failed(verify(op)))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }

  static LogicalResult verify(Operation *op) {
    if (isa_and_nonnull<BsmmDialect>(op->getDialect()) || keepsValues(op))
      return success();
    ScalesAttr known;
    for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                        llvm::to_vector(op->getResultTypes())))
      if (ScalesAttr scales = getScales(type))
        known = scales;
    if (!known)
      return success();
    // A cast changes what is known of the extents, never the order.
    if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      if (getScales(cast.getSource().getType()) == getScales(cast.getType()))
        return success();
      return op->emitOpError("expected to keep the order of scales, got ")
             << cast.getSource().getType() << " to " << cast.getType()
             << "; use bsmm.pack_scales or bsmm.unpack_scales";
    }
    return op->emitOpError("expected only bsmm operations on scales in order ")
           << known
           << ": their bytes do not lie as the shape says; use "
              "bsmm.unpack_scales first";
  }
};
} // namespace
