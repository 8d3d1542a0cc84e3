//===- BsmmDialect.cpp - the bsmm dialect ---------------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace bsmm;

#include "bsmm/Dialect/IR/BsmmDialect.cpp.inc"
#include "bsmm/Dialect/IR/BsmmInterfaces.cpp.inc"

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
    return success();
  }
  if (attribute.getName() == getStagesAttrName()) {
    auto stages = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForOp>(op) || !stages || stages.getInt() < 1)
      return op->emitOpError() << "expected '" << getStagesAttrName()
                               << "' to be a positive integer on an scf.for";
    return success();
  }
  return op->emitOpError() << "unknown bsmm attribute '" << attribute.getName()
                           << "'; known are '" << getTargetAttrName()
                           << "' on modules and '" << getStagesAttrName()
                           << "' on loops";
}
