//===- Emitter.h - numbers and tensors in upstream dialects -----*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTOLINALG_EMITTER_H
#define BSMM_LIB_CONVERSION_BSMMTOLINALG_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace bsmm {

/// Whether a type is a floating-point type of at most 8 bits.
bool isNarrowFloat(mlir::Type type);

/// f16 or bf16: values are carried as f32 and rounded where the program
/// rounds, since not every host converts these types.
bool isHalfFloat(mlir::Type type);

/// Where the code of one element lies: `column` elements after byte `base`.
struct CodePlace {
  mlir::Value base, column;
};

/// Writes scalar and tensor arithmetic. All indices are of type index.
class Emitter {
public:
  Emitter(mlir::ImplicitLocOpBuilder &builder) : builder(builder) {}

  mlir::Value index(int64_t value);
  mlir::Value i32(int64_t value);
  mlir::Value f32(float value);
  mlir::Value toIndex(mlir::Value integer);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, int64_t b);
  mlir::Value divide(mlir::Value a, int64_t b);
  mlir::Value remainder(mlir::Value a, int64_t b);
  mlir::Value ceilDivide(mlir::Value a, int64_t b);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);

  /// The extent of a tensor: an attribute where it is static.
  mlir::OpFoldResult extent(mlir::Value tensor, int64_t dim);
  llvm::SmallVector<mlir::OpFoldResult> extents(mlir::Value tensor);
  mlir::Value toValue(mlir::OpFoldResult extent);

  /// linalg.generic with one result.
  mlir::Value generic(mlir::ValueRange inputs, mlir::Value init,
                      llvm::ArrayRef<mlir::AffineMap> maps,
                      llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                      llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
  /// A tensor whose elements are a function of their indices.
  mlir::Value generate(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Type elementType,
                       llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
  /// An elementwise function of tensors of one shape.
  mlir::Value map(mlir::ValueRange inputs, mlir::Type elementType,
                  llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
  mlir::Value fill(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   mlir::Value scalar);

  /// The code of an element as i32. `bytes` is a tensor<?xi8>.
  mlir::Value readCode(mlir::Value bytes, CodePlace place, unsigned bits);
  /// Writes a code of whole bytes given as i32 to a memref<?xi8>.
  void writeCode(mlir::Value memory, mlir::Value byte, mlir::Value code,
                 unsigned bits);

  /// Value of a code, f32. Types of at most 8 bits go through a table that is
  /// placed at the start of `tables`.
  mlir::Value decode(mlir::Value code, mlir::Type type);
  mlir::Block *tables = nullptr;

  /// Code of a value that the type has, as i32; every NaN becomes the positive
  /// one with all mantissa bits set. f16, bf16 and f32.
  mlir::Value encode(mlir::Value value, mlir::Type type);
  /// An f32 value rounded to f16 or bf16, nearest even; overflow gives
  /// infinity.
  mlir::Value roundTo(mlir::Value value, mlir::Type type);

  mlir::ImplicitLocOpBuilder &builder;

private:
  llvm::DenseMap<mlir::Type, mlir::Value> decodeTables;
};

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTOLINALG_EMITTER_H
