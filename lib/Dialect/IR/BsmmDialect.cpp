//===- BsmmDialect.cpp - the bsmm dialect ---------------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Target/Target.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace bsmm;

#include "bsmm/Dialect/IR/BsmmDialect.cpp.inc"
#include "bsmm/Dialect/IR/BsmmInterfaces.cpp.inc"

/// More elements than any memory of a CTA holds; keeps products from
/// overflowing.
static constexpr int64_t maxTileElements = int64_t(1) << 24;

LogicalResult bsmm::detail::verifyLevelOp(Operation *op) {
  auto level = cast<LevelOpInterface>(op).getLevel();
  bool isInKernel(op->getParentOfType<KernelOp>());
  if (level == Level::Problem) {
    if (isInKernel)
      return op->emitOpError("expected outside of a bsmm.kernel: whole tensors "
                             "belong in a func.func");
    return success();
  }
  if (!isInKernel)
    return op->emitOpError("expected inside of a bsmm.kernel");
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      continue;
    int64_t count = 1;
    for (int64_t extent : tensor.getShape()) {
      if (extent < 1 || extent > maxTileElements ||
          count * extent > maxTileElements)
        return op->emitOpError("expected a tile of 1 to ")
               << maxTileElements << " elements, got " << tensor;
      count *= extent;
    }
  }
  return success();
}

namespace {
/// Version of the dialect in bytecode. Raised when an op, type or attribute
/// changes its meaning or its stored form.
constexpr int64_t currentBytecodeVersion = 1;

struct BsmmDialectVersion : public DialectVersion {
  explicit BsmmDialectVersion(int64_t number) : number(number) {}
  int64_t number;
};

struct BsmmBytecodeInterface : public BytecodeDialectInterface {
  explicit BsmmBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(currentBytecodeVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > uint64_t(currentBytecodeVersion)) {
      reader.emitError() << "expected bsmm bytecode of version "
                         << currentBytecodeVersion << " or older, got version "
                         << number << "; use a newer bsmm";
      return nullptr;
    }
    return std::make_unique<BsmmDialectVersion>(number);
  }
};
} // namespace

void BsmmDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
  addInterfaces<BsmmBytecodeInterface>();
}

LogicalResult BsmmDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == getTargetAttrName()) {
    if (!isa<ModuleOp, gpu::GPUModuleOp>(op))
      return op->emitOpError()
             << "expected '" << getTargetAttrName()
             << "' on a module or a gpu.module; a bsmm.kernel has its own "
                "'target'";
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expected '" << getTargetAttrName()
             << "' to be a target such as #bsmm.target<\"sm_100a\">, got "
             << attribute.getValue();
    for (Operation *outer = op->getParentOp(); outer;
         outer = outer->getParentOp())
      if (auto known = outer->getAttrOfType<TargetAttr>(getTargetAttrName());
          known && known != attribute.getValue())
        return op->emitOpError()
               << "target " << attribute.getValue() << " conflicts with "
               << known << " of the enclosing module; remove one of them";
    return success();
  }
  if (attribute.getName() == getStagesAttrName()) {
    auto stages = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForOp>(op) || !stages ||
        !stages.getType().isSignlessInteger(64) || stages.getInt() < 1 ||
        stages.getInt() > 64)
      return op->emitOpError() << "expected '" << getStagesAttrName()
                               << "' to be an i64 in 1..64 on an scf.for, got "
                               << attribute.getValue();
    return success();
  }
  if (attribute.getName() == getSplitAttrName()) {
    auto split = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForOp>(op) || !split ||
        !split.getType().isSignlessInteger(64) || split.getInt() < 1 ||
        split.getInt() > target::cluster::maxPortable)
      return op->emitOpError()
             << "expected '" << getSplitAttrName() << "' to be an i64 in 1.."
             << target::cluster::maxPortable << " on an scf.for, got "
             << attribute.getValue();
    return success();
  }
  if (attribute.getName() == getPingPongAttrName()) {
    if (!isa<scf::ForOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError() << "expected '" << getPingPongAttrName()
                               << "' to be a unit attribute on an scf.for, got "
                               << attribute.getValue();
    return success();
  }
  if (attribute.getName() == getWarpSpecializeAttrName()) {
    if (!isa<scf::ForOp>(op) || !isa<BoolAttr>(attribute.getValue()))
      return op->emitOpError() << "expected '" << getWarpSpecializeAttrName()
                               << "' to be a bool on an scf.for, got "
                               << attribute.getValue();
    return success();
  }
  if (attribute.getName() == getFlattenAttrName()) {
    if (!isa<scf::ForOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError() << "expected '" << getFlattenAttrName()
                               << "' to be a unit attribute on an scf.for, got "
                               << attribute.getValue();
    return success();
  }
  if (attribute.getName() == getEpilogueWarpsAttrName()) {
    auto warps = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForOp>(op) || !warps ||
        !warps.getType().isSignlessInteger(64) ||
        (warps.getInt() != 4 && warps.getInt() != 8))
      return op->emitOpError() << "expected '" << getEpilogueWarpsAttrName()
                               << "' to be an i64 of 4 or 8 on an scf.for, got "
                               << attribute.getValue();
    return success();
  }
  return op->emitOpError() << "unknown bsmm attribute '"
                           << attribute.getName().getValue() << "'; known are '"
                           << getTargetAttrName() << "' on modules and '"
                           << getStagesAttrName() << "', '"
                           << getSplitAttrName() << "', '"
                           << getWarpSpecializeAttrName() << "', '"
                           << getFlattenAttrName() << "', '"
                           << getPingPongAttrName() << "' and '"
                           << getEpilogueWarpsAttrName() << "' on loops";
}

LogicalResult BsmmDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != getRoleAttrName())
    return op->emitOpError("argument #")
           << argument << ": unknown bsmm attribute '"
           << attribute.getName().getValue() << "'; known is '"
           << getRoleAttrName() << "' on arguments of a bsmm.kernel";
  if (!isa<KernelOp>(op))
    return op->emitOpError("argument #")
           << argument << ": expected '" << getRoleAttrName()
           << "' on arguments of a bsmm.kernel only";
  return success();
}
