//===- BSMMToNVVM.h - patterns from the pipeline level to NVVM --*- C++ -*-===//
//
// The pieces of convert-bsmm-to-nvvm, for conversions of other compilers:
//
//   bsmm::KernelValuesMap values;
//   if (failed(bsmm::prepareKernelsForNVVM(gpuModule, values)))
//     return failure();
//   mlir::LLVMTypeConverter converter(context, options);
//   bsmm::populateBsmmToNVVMTypeConversions(converter);
//   bsmm::populateKernelToNVVMPatterns(converter, values, patterns);
//   ... the other patterns, populateGpuToNVVMConversionPatterns, and
//   scf::populateSCFStructuralTypeConversionsAndLegality
//
// arith, vector and scf remain for upstream's conversions.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_CONVERSION_BSMMTONVVM_H
#define BSMM_CONVERSION_BSMMTONVVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace bsmm {

/// Values that every operation of a kernel may use; made at its entry.
struct KernelValues {
  /// CTAs of a cluster.
  int64_t clusterSize = 1;
  /// Start of dynamic shared memory, !llvm.ptr<3>.
  mlir::Value sharedBase;
  /// Thread and warp number in the CTA, i32.
  mlir::Value thread, warp;
  /// Address of the kernel's tensor memory, i32; null without.
  mlir::Value tensorMemoryBase;
};

/// By name of the kernel.
using KernelValuesMap = llvm::StringMap<KernelValues>;

/// Makes the pipeline-level kernels of a module ready for the patterns: checks
/// what these rely on (level, target, places of memory, registers of the
/// roles), writes each kernel's prologue and epilogue (barriers, tensor
/// memory), turns roles and leaders into branches, and fills in the values that
/// the patterns use. Adds the kernels' shared memory and `bsmm.target` to the
/// module. Emits an error and fails when a kernel cannot be converted.
mlir::LogicalResult prepareKernelsForNVVM(mlir::gpu::GPUModuleOp module,
                                          KernelValuesMap &values);

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
void populateDecodeToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                  const KernelValuesMap &values,
                                  mlir::RewritePatternSet &patterns);
void populateEpilogueToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                    const KernelValuesMap &values,
                                    mlir::RewritePatternSet &patterns);
/// What the CTAs of a cluster send each other of sums in tensor memory.
void populatePartialToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                   const KernelValuesMap &values,
                                   mlir::RewritePatternSet &patterns);
/// math.exp of f32, the one function that kernels may have, as arithmetic: NVVM
/// has only an approximation.
void populateExponentialToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                       mlir::RewritePatternSet &patterns);

} // namespace bsmm

#endif // BSMM_CONVERSION_BSMMTONVVM_H
