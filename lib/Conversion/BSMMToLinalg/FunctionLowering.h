//===- FunctionLowering.h - operations that both levels have ----*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTOLINALG_FUNCTIONLOWERING_H
#define BSMM_LIB_CONVERSION_BSMMTOLINALG_FUNCTIONLOWERING_H

#include "Emitter.h"
#include "bsmm/Conversion/BSMMToLinalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace bsmm {

/// Rewrites the body of a kernel or function, operation by operation, into
/// upstream operations. Values of f16 and bf16 are carried as f32; what stands
/// for narrow types is the level's choice.
class FunctionLowering {
public:
  FunctionLowering(mlir::ImplicitLocOpBuilder &builder,
                   const CpuConversionOptions &options)
      : builder(builder), emit(builder), options(options) {}
  virtual ~FunctionLowering() = default;

protected:
  /// One operation of the level. Fails with an error.
  virtual mlir::LogicalResult lowerLevelOp(mlir::Operation &op) = 0;
  /// The element type that stands for a type.
  virtual mlir::Type storageOf(mlir::Type element) = 0;

  /// All operations of a block but its terminator.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);

  /// The new value of an old one. Accumulators are rounded to f32.
  mlir::Value get(mlir::Value old);
  /// The new value, in the accumulator's type.
  mlir::Value getAccumulator(mlir::Value old);
  /// Element type of accumulators.
  mlir::Type accumulatorType();
  /// acc + a * b, the product exact, the sum in the accumulator's type. All are
  /// scalars.
  mlir::Value multiplyAdd(mlir::Value accumulator, mlir::Value a,
                          mlir::Value b);
  /// scale * value of scalars, exact: in f32 where that holds every product.
  mlir::Value applyScale(mlir::Value value, mlir::Value scale,
                         mlir::Type scaleType);
  static mlir::Type productType(mlir::Type scaleType);

  /// Finds the values that are sums of dots, also around loops.
  void findAccumulators(mlir::Region &region);

  /// Marks the status bit when a condition does not hold.
  void require(mlir::Value condition, CpuStatus bit);
  /// Makes the function's status; at its entry.
  void createStatus();
  void returnStatus();

  /// A tensor of bytes of a memref<?xi8> argument.
  mlir::Value readable(mlir::Value memory);
  /// Stores a code of whole bytes if it lies inside of the memory.
  void storeChecked(mlir::Value memory, mlir::Value byte, mlir::Value code,
                    unsigned bits);
  mlir::Value clampToZero(mlir::Value index);

  mlir::ImplicitLocOpBuilder &builder;
  Emitter emit;
  CpuConversionOptions options;
  mlir::IRMapping mapping;
  llvm::DenseSet<mlir::Value> accumulators;
  mlir::Value status;

private:
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op);
  mlir::LogicalResult lowerElementwise(mlir::Operation &op);
  mlir::LogicalResult checkElementwise(mlir::Operation &op);
  mlir::Value lowerScalar(mlir::Operation &op, mlir::ValueRange operands);
  mlir::Type convert(mlir::Type type, bool isAccumulator = false);
  mlir::LogicalResult checkType(mlir::Operation &op, mlir::Type type);
};

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTOLINALG_FUNCTIONLOWERING_H
