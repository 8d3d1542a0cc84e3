//===- ElementTypes.h - MLIR types and rows of the target table -*- C++ -*-===//
//
// The one place where MLIR's element types meet those of the target table.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_DIALECT_IR_ELEMENTTYPES_H
#define BSMM_DIALECT_IR_ELEMENTTYPES_H

#include "bsmm/Target/Target.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace bsmm {

/// Elements of K, and rows of B, that share a block scale of f32.
inline constexpr int64_t blockScaleElements = 128;

/// Element type of an operand or accumulator; None for types that the table
/// does not have.
target::ElementType getOperandElementType(mlir::Type type);

/// Element type of a scale: f8E8M0FNU gives ue8m0, f8E4M3FN gives ue4m3, and
/// f32, which no tensor core reads, stays.
target::ElementType getScaleElementType(mlir::Type type);

/// Bits of one packed element; 0 for types that have no fixed width.
unsigned getElementBits(mlir::Type type);

/// Bytes of `count` packed elements, rounded up.
int64_t getPackedBytes(mlir::Type type, int64_t count);

/// Why no target at all multiplies these types with these scales; empty when
/// some target does.
std::string whyNotScaledFormat(mlir::Type a, mlir::Type b, mlir::Type scale,
                               int64_t vectorSize);

/// The same for f32 scales, which multiply sums of blocks in registers.
std::string whyNotBlockScaledSums(mlir::Type a, mlir::Type b);

/// Why no target at all multiplies these types without block scales; empty when
/// some target does.
std::string whyNotDenseFormat(mlir::Type a, mlir::Type b);

/// The wgmma form that multiplies tiles of these types and of `n` columns into
/// f32, or nullptr; then `reason` says why and what would be legal.
const target::InstructionForm *selectWgmmaForm(const target::Gpu &gpu,
                                               mlir::Type a, mlir::Type b,
                                               int64_t n, std::string &reason);

/// The block-scaled tcgen05 form that multiplies tiles of these types and of
/// `m` rows and `n` columns, or nullptr; then `reason` says why and what would
/// be legal. Where several forms fit, the one that reads packed elements is
/// taken.
const target::InstructionForm *
selectTcgen05Form(const target::Gpu &gpu, mlir::Type a, mlir::Type b,
                  mlir::Type scale, int64_t vectorSize, int64_t m, int64_t n,
                  std::string &reason);

} // namespace bsmm

#endif // BSMM_DIALECT_IR_ELEMENTTYPES_H
