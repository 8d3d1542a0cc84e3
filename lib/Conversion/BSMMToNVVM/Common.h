//===- Common.h - helpers of the conversion to NVVM -------------*- C++ -*-===//

#ifndef BSMM_LIB_CONVERSION_BSMMTONVVM_COMMON_H
#define BSMM_LIB_CONVERSION_BSMMTONVVM_COMMON_H

#include "bsmm/Conversion/BSMMToNVVM.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Target/Target.h"
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

/// An inline assembly of nothing: the values in registers of which LLVM knows
/// nothing. With `staysInPlace` it is not moved, out of a loop for example.
inline mlir::Value buildOpaque(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Type type, mlir::ValueRange values,
                               llvm::StringRef constraints, bool staysInPlace) {
  return mlir::LLVM::InlineAsmOp::create(
             builder, loc, type, values, /*asm_string=*/"", constraints,
             /*has_side_effects=*/staysInPlace, /*is_align_stack=*/false,
             mlir::LLVM::TailCallKind::None,
             mlir::LLVM::AsmDialectAttr::get(builder.getContext(),
                                             mlir::LLVM::AsmDialect::AD_ATT),
             mlir::ArrayAttr())
      .getResult(0);
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

// Notes on operations whose surroundings are lowered before themselves.
/// First warp and number of warps of the role around an operation; without it
/// the whole CTA executes it.
inline constexpr llvm::StringLiteral roleAttrName = "bsmm_role_warps";
/// On what stood in a drain from registers: values are in the order of wgmma.
inline constexpr llvm::StringLiteral fragmentAttrName = "bsmm_fragment";
/// On what stood in a drain of a transposed accumulator: the values are
/// consecutive rows.
inline constexpr llvm::StringLiteral transposedAttrName = "bsmm_transposed";

/// On a drain of tensor memory: the threads have arrived at the cluster's
/// barrier, for which the drain waits when it has issued its first loads.
inline constexpr llvm::StringLiteral waitsForClusterAttrName =
    "bsmm_waits_for_cluster";

/// The same for what other CTAs send: the place of the barrier in shared
/// memory.
inline constexpr llvm::StringLiteral waitsForPartialsAttrName =
    "bsmm_waits_for_partials";

/// On a create_channel: each slot is filled once, so that its producer waits
/// for nothing. There are no empty barriers then.
inline constexpr llvm::StringLiteral isFilledOnceAttrName =
    "bsmm_is_filled_once";

/// Rows and columns from the first value of a drain's vector to value `index`,
/// for an operation that stood in the drain.
inline std::pair<int64_t, int64_t> getValueOffset(mlir::Operation *op,
                                                  int64_t index) {
  if (op->hasAttr(transposedAttrName))
    return {index, 0};
  if (!op->hasAttr(fragmentAttrName))
    return {0, index};
  return {8 * (index / 2 % 2), 8 * (index / 4) + index % 2};
}

/// Waits at the cluster's barrier, at which the thread has arrived.
void buildClusterWait(mlir::OpBuilder &builder, mlir::Location loc,
                      const KernelValues &kernel);

/// Waits for what other CTAs send, by the barrier of a bsmm.wait_partials.
void buildPartialsWait(mlir::OpBuilder &builder, mlir::Location loc,
                       const KernelValues &kernel, int64_t barrierOffset);

/// The number of the thread in the epilogue of an output tile, of accumulators
/// in registers: the opaque value that a drain before `op` has made of it, else
/// `thread` itself. LLVM would compute what depends on a thread alone,
/// addresses of the output in shared memory, before the loop over tiles, and so
/// take registers from the accumulators.
mlir::Value findEpilogueThread(mlir::Operation *op, mlir::Value thread);

/// The barrier of the CTA, of the operation's role, or of each warpgroup of it.
void buildBarrier(mlir::OpBuilder &builder, mlir::Operation *op,
                  mlir::Value warp, bool eachWarpgroup);

/// Bytes from the start of a buffer of rows to byte `byte` of row `row` (i32),
/// at its swizzled place.
mlir::Value buildRowOffset(mlir::OpBuilder &builder, mlir::Location loc,
                           BufferType type, mlir::Value row, mlir::Value byte);

/// The value that `load` builds where `condition` holds, or zero.
mlir::Value buildGuardedLoad(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Type type, mlir::Value condition,
                             llvm::function_ref<mlir::Value()> load);

/// The row of the target table that the kernels are compiled for; null without.
const target::Gpu *findTargetGpu(mlir::Operation *op);

mlir::LLVM::LLVMStructType convertAccumulatorType(AccumulatorType type);

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

  /// The warpgroup's number in the role of the operation, i32.
  mlir::Value buildWarpgroupInRole(mlir::OpBuilder &builder,
                                   mlir::Operation *op) const {
    mlir::Location loc = op->getLoc();
    mlir::Value number = mlir::arith::ShRUIOp::create(
        builder, loc, getKernelValues(op).warp, constantI32(builder, loc, 2));
    auto role = op->getAttrOfType<mlir::DenseI64ArrayAttr>(roleAttrName);
    if (!role || role[0] == 0)
      return number;
    return mlir::arith::SubIOp::create(builder, loc, number,
                                       constantI32(builder, loc, role[0] / 4));
  }

  const KernelValuesMap &values;
};

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_COMMON_H
