//===- MmaPatterns.cpp - matrix operations to NVVM ------------------------===//

#include "Common.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Layout/Descriptor.h"
#include "bsmm/Layout/ScaleFactorLayout.h"

using namespace mlir;
using namespace bsmm;

static layout::OperandType operandType(target::ElementType type) {
  switch (type) {
  case target::ElementType::E5M2:
    return layout::OperandType::E5M2;
  case target::ElementType::E2M3:
    return layout::OperandType::E2M3;
  case target::ElementType::E3M2:
    return layout::OperandType::E3M2;
  case target::ElementType::E2M1:
    return layout::OperandType::E2M1;
  default:
    return layout::OperandType::E4M3;
  }
}

/// The instruction descriptor of one operation of a form.
static layout::Result<uint32_t> encodeForm(const target::InstructionForm &form,
                                           ScaledMmaOp op, int64_t idA,
                                           int64_t idB) {
  BufferType a = op.getA().getType(), b = op.getB().getType();
  if (form.kind == target::Kind::MXF8F6F4) {
    layout::MxF8F6F4Instruction instruction;
    instruction.a = operandType(getOperandElementType(a.getElementType()));
    instruction.b = operandType(getOperandElementType(b.getElementType()));
    instruction.m = a.getShape()[0];
    instruction.n = b.getShape()[0];
    instruction.scaleIdA = idA;
    instruction.scaleIdB = idB;
    return layout::encodeInstruction(instruction);
  }
  layout::Fp4Instruction instruction;
  instruction.kind = form.kind == target::Kind::MXF4
                         ? layout::Fp4Kind::MxF4
                         : layout::Fp4Kind::MxF4NvF4;
  instruction.scalesPerRow = form.scalesPerInstruction();
  instruction.scaleType = form.scaleType == target::ElementType::UE8M0
                              ? layout::ScaleType::UE8M0
                              : layout::ScaleType::UE4M3;
  instruction.m = a.getShape()[0];
  instruction.n = b.getShape()[0];
  instruction.scaleIdA = idA;
  instruction.scaleIdB = idB;
  return layout::encodeInstruction(instruction);
}

static NVVM::MMABlockScaleKind blockScaleKind(target::Kind kind) {
  switch (kind) {
  case target::Kind::MXF4:
    return NVVM::MMABlockScaleKind::MXF4;
  case target::Kind::MXF4NVF4:
    return NVVM::MMABlockScaleKind::MXF4NVF4;
  default:
    return NVVM::MMABlockScaleKind::MXF8F6F4;
  }
}

namespace {
struct ScaledMmaPattern : KernelPattern<ScaledMmaOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ScaledMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType a = op.getA().getType(), b = op.getB().getType();
    BufferType scaleA = op.getScaleA().getType();
    BufferType scaleB = op.getScaleB().getType();
    int64_t k = a.getShape()[1];
    const target::Gpu *gpu = findTargetGpu(op);
    if (!gpu)
      return op.emitOpError("expected a target on the gpu.module");
    std::string reason;
    const target::InstructionForm *form = selectTcgen05Form(
        *gpu, a.getElementType(), b.getElementType(), scaleA.getElementType(),
        k / scaleA.getShape()[1], a.getShape()[0], b.getShape()[0], reason);
    if (!form)
      return op.emitOpError(reason);
    if (k % form->k != 0)
      return op.emitOpError("expected a multiple of ")
             << form->k << " elements of K, got " << k;

    auto descriptorOf = [&](BufferType type,
                            Value pointer) -> FailureOr<Value> {
      auto description = layout::kMajorDescriptor(
          getSwizzleMode(type.getLayout()), type.getShape()[0], 0);
      auto bits =
          description
              ? layout::encodeMatrixDescriptorSm100(*description)
              : layout::Result<uint64_t>(layout::Error{description.error()});
      if (!bits)
        return op.emitOpError(bits.error());
      return buildDescriptor(rewriter, loc, pointer, *bits);
    };
    FailureOr<Value> descriptorA = descriptorOf(a, adaptor.getA());
    FailureOr<Value> descriptorB = descriptorOf(b, adaptor.getB());
    if (failed(descriptorA) || failed(descriptorB))
      return failure();
    // The start-address field counts 16 bytes.
    auto stepDescriptor = [&](BufferType type, Value base, int64_t step) {
      int64_t byte =
          getPackedBytes(type.getElementType(), step * int64_t(form->k));
      int64_t offset = layout::kMajorStepOffset(
          getSwizzleMode(type.getLayout()), type.getShape()[0], byte);
      return arith::AddIOp::create(rewriter, loc, base,
                                   constantI64(rewriter, loc, offset / 16))
          .getResult();
    };

    Value scaleBBase = adaptor.getScaleB();
    if (op.getScaleBOffset()) {
      // 32 rows of scales share a column.
      Value columns =
          arith::ShRUIOp::create(rewriter, loc, adaptor.getScaleBOffset(),
                                 constantI32(rewriter, loc, 5));
      scaleBBase = arith::AddIOp::create(rewriter, loc, scaleBBase, columns);
    }
    Value accumulator =
        tensorMemoryPointer(rewriter, loc, adaptor.getAccumulator());
    auto blockScale = form->kind != target::Kind::MXF4NVF4
                          ? NVVM::Tcgen05MMABlockScale::DEFAULT
                      : form->scaleVector == 16
                          ? NVVM::Tcgen05MMABlockScale::BLOCK16
                          : NVVM::Tcgen05MMABlockScale::BLOCK32;

    for (int64_t step = 0; step < k / form->k; ++step) {
      auto stepA =
          layout::scaleStep(form->scalesPerInstruction(), step,
                            scaleA.getShape()[0] / layout::scaleTileRows);
      auto stepB =
          layout::scaleStep(form->scalesPerInstruction(), step,
                            scaleB.getShape()[0] / layout::scaleTileRows);
      if (!stepA || !stepB)
        return op.emitOpError(stepA ? stepB.error() : stepA.error());
      auto instruction = encodeForm(*form, op, stepA->id, stepB->id);
      if (!instruction)
        return op.emitOpError(instruction.error());
      Value accumulate = adaptor.getAccumulate();
      if (step != 0)
        accumulate = arith::ConstantIntOp::create(rewriter, loc,
                                                  rewriter.getI1Type(), 1);
      NVVM::Tcgen05MMABlockScaleOp::create(
          rewriter, loc, blockScaleKind(form->kind), NVVM::CTAGroupKind::CTA_1,
          blockScale, NVVM::Tcgen05MMACollectorOp::DISCARD, accumulator,
          stepDescriptor(a, *descriptorA, step),
          stepDescriptor(b, *descriptorB, step),
          constantI32(rewriter, loc, int32_t(*instruction)), accumulate,
          tensorMemoryPointer(rewriter, loc, adaptor.getScaleA(),
                              stepA->column),
          tensorMemoryPointer(rewriter, loc, scaleBBase, stepB->column));
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void bsmm::populateMmaToNVVMPatterns(const LLVMTypeConverter &converter,
                                     const KernelValuesMap &values,
                                     RewritePatternSet &patterns) {
  patterns.add<ScaledMmaPattern>(converter, values);
}
