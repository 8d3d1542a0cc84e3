//===- KernelPatterns.cpp - the kernel itself to NVVM ---------------------===//

#include "Common.h"
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace bsmm;

void bsmm::populateBsmmToNVVMTypeConversions(LLVMTypeConverter &converter) {
  converter.addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  converter.addConversion([](AccumulatorType type) -> Type {
    return convertAccumulatorType(type);
  });
  converter.addConversion([](ChannelType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), sharedAddressSpace);
  });
  converter.addConversion([](BufferType type) -> Type {
    if (type.getMemorySpace() == MemorySpace::TensorMemory)
      return IntegerType::get(type.getContext(), 32);
    return LLVM::LLVMPointerType::get(type.getContext(), sharedAddressSpace);
  });
}

namespace {
/// bsmm.kernel -> llvm.func. gpu.func is no way station: it refuses
/// grid-constant arguments.
struct KernelOpPattern : KernelPattern<KernelOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(KernelOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    const LLVMTypeConverter &converter = *this->getTypeConverter();
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    SmallVector<Type> types;
    for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
      Type converted = converter.convertType(type);
      if (!converted)
        return op.emitOpError("cannot convert argument type ") << type;
      types.push_back(converted);
      signature.addInputs(index, converted);
    }
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), op.getSymName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    if (auto threads = op.getBlockSize()) {
      function->setAttr(
          NVVM::NVVMDialect::getReqntidAttrName(),
          rewriter.getDenseI32ArrayAttr({int32_t(*threads), 1, 1}));
      // Gives ptxas the register bound (PTX ISA, .minnctapersm).
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        rewriter.getI32IntegerAttr(1));
    }
    if (int64_t ctas = op.getNumClusterCtas(); ctas != 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        rewriter.getDenseI32ArrayAttr({int32_t(ctas), 1, 1}));
    for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
      if (!isa<TensorMapType>(type))
        continue;
      function.setArgAttr(
          index, LLVM::LLVMDialect::getByValAttrName(),
          TypeAttr::get(LLVM::LLVMArrayType::get(
              rewriter.getI8Type(), target::tma::descriptorBytes)));
      function.setArgAttr(
          index, LLVM::LLVMDialect::getAlignAttrName(),
          rewriter.getI64IntegerAttr(target::tma::descriptorAlignment));
      function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                          rewriter.getUnitAttr());
    }
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    FailureOr<Block *> entry =
        rewriter.convertRegionTypes(&function.getBody(), converter, &signature);
    if (failed(entry))
      return failure();
    prefetchMaps(rewriter, op, **entry);
    rewriter.eraseOp(op);
    return success();
  }

  /// The first use of a tensor map need not wait for the map itself (PTX ISA,
  /// prefetch.tensormap).
  void prefetchMaps(ConversionPatternRewriter &rewriter, KernelOp op,
                    Block &entry) const {
    Value thread = values.find(op.getSymName())->second.thread;
    if (llvm::none_of(op.getArgumentTypes(), llvm::IsaPred<TensorMapType>))
      return;
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(thread);
    Value isFirst =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, thread,
                              constantI32(rewriter, loc, 0));
    auto only = scf::IfOp::create(rewriter, loc, isFirst, false);
    rewriter.setInsertionPointToStart(only.thenBlock());
    for (auto [type, argument] :
         llvm::zip(op.getArgumentTypes(), entry.getArguments()))
      if (isa<TensorMapType>(type))
        NVVM::PrefetchOp::create(
            rewriter, loc, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
            /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(), argument,
            /*predicate=*/Value(), /*tensormap=*/rewriter.getUnitAttr(),
            /*uniform=*/UnitAttr(),
            /*in_param_space=*/rewriter.getUnitAttr());
  }
};

struct ReturnPattern : KernelPattern<ReturnOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange{});
    return success();
  }
};
} // namespace

void bsmm::populateKernelToNVVMPatterns(const LLVMTypeConverter &converter,
                                        const KernelValuesMap &values,
                                        RewritePatternSet &patterns) {
  patterns.add<KernelOpPattern, ReturnPattern>(converter, values);
}
