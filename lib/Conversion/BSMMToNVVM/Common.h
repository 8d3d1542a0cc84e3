//===- Common.h - helpers of the conversion to NVVM -------------*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTONVVM_COMMON_H
#define BSMM_LIB_CONVERSION_BSMMTONVVM_COMMON_H

#include "bsmm/Conversion/BSMMToNVVM.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace bsmm {

/// Address space of shared memory in NVVM.
inline constexpr unsigned sharedAddressSpace = 3;

inline mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc,
                               int64_t value) {
  return mlir::arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                            value);
}

inline mlir::Value constantI64(mlir::OpBuilder &builder, mlir::Location loc,
                               uint64_t value) {
  return mlir::arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                            int64_t(value));
}

/// pointer + bytes in shared memory; bytes is i32.
inline mlir::Value advance(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value pointer, mlir::Value bytes) {
  return mlir::LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                   builder.getI8Type(), pointer,
                                   mlir::ValueRange{bytes});
}

inline mlir::Value advance(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return mlir::LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      llvm::ArrayRef<mlir::LLVM::GEPArg>{int32_t(bytes)});
}

/// An i32 tensor-memory address plus columns, as pointer.
inline mlir::Value tensorMemoryPointer(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Value address,
                                       int64_t columns = 0) {
  if (columns != 0)
    address = mlir::arith::AddIOp::create(builder, loc, address,
                                          constantI32(builder, loc, columns));
  auto type = mlir::LLVM::LLVMPointerType::get(
      builder.getContext(), unsigned(mlir::NVVM::NVVMMemorySpace::Tensor));
  return mlir::LLVM::IntToPtrOp::create(builder, loc, type, address);
}

/// Marks barriers of a warpgroup with their number while roles are expanded.
inline constexpr llvm::StringLiteral barrierAttrName = "bsmm_barrier_number";

/// The barrier of the CTA, or of a warpgroup when the operation is marked.
void buildBarrier(mlir::OpBuilder &builder, mlir::Operation *op);

/// The 64-bit matrix descriptor whose start address is `pointer` (shared
/// memory) and whose other fields are `fixedBits`.
mlir::Value buildDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value pointer, uint64_t fixedBits);

/// A pattern that knows the values of its kernel.
template <typename OpT>
class KernelPattern : public mlir::ConvertOpToLLVMPattern<OpT> {
public:
  KernelPattern(const mlir::LLVMTypeConverter &converter,
                const KernelValuesMap &values)
      : mlir::ConvertOpToLLVMPattern<OpT>(converter), values(values) {}

protected:
  const KernelValues &getKernelValues(mlir::Operation *op) const {
    if (auto kernel = op->getParentOfType<KernelOp>())
      return values.find(kernel.getSymName())->second;
    return values
        .find(op->getParentOfType<mlir::LLVM::LLVMFuncOp>().getSymName())
        ->second;
  }

  const KernelValuesMap &values;
};

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_COMMON_H
