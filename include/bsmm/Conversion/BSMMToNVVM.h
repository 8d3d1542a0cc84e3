//===- BSMMToNVVM.h - patterns from the pipeline level to NVVM --*- C++ -*-===//

#ifndef BSMM_CONVERSION_BSMMTONVVM_H
#define BSMM_CONVERSION_BSMMTONVVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace bsmm {

/// Values that every operation of a kernel may use; made at its entry.
struct KernelValues {
  /// Start of dynamic shared memory, !llvm.ptr<3>.
  mlir::Value sharedBase;
  /// Thread and warp number in the CTA, i32.
  mlir::Value thread, warp;
  /// Address of the kernel's tensor memory, i32; null without.
  mlir::Value tensorMemoryBase;
};

/// By name of the kernel.
using KernelValuesMap = llvm::StringMap<KernelValues>;

/// Tensor maps become !llvm.ptr, shared buffers and channels !llvm.ptr<3>,
/// tensor-memory buffers their i32 address, accumulators in registers
/// structures of f32.
void populateBsmmToNVVMTypeConversions(mlir::LLVMTypeConverter &converter);

/// The patterns, by concern. `values` must outlive them.
void populateKernelToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                  const KernelValuesMap &values,
                                  mlir::RewritePatternSet &patterns);
void populateChannelToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                   const KernelValuesMap &values,
                                   mlir::RewritePatternSet &patterns);
void populateCopyToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                const KernelValuesMap &values,
                                mlir::RewritePatternSet &patterns);
void populateMmaToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                               const KernelValuesMap &values,
                               mlir::RewritePatternSet &patterns);
void populateRegisterToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                    const KernelValuesMap &values,
                                    mlir::RewritePatternSet &patterns);
void populateEpilogueToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                    const KernelValuesMap &values,
                                    mlir::RewritePatternSet &patterns);

} // namespace bsmm

#endif // BSMM_CONVERSION_BSMMTONVVM_H
