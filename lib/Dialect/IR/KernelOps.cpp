//===- KernelOps.cpp - the kernel and its return --------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Target/Target.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace bsmm;

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFunctionType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFunctionType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

TargetAttr KernelOp::resolveTarget() {
  if (TargetAttr target = getTargetAttr())
    return target;
  for (Operation *op = getOperation()->getParentOp(); op;
       op = op->getParentOp())
    if (auto target =
            op->getAttrOfType<TargetAttr>(BsmmDialect::getTargetAttrName()))
      return target;
  return {};
}

BlockArgument KernelOp::findArgument(ArgumentRole role) {
  for (auto [index, argument] : llvm::enumerate(getArguments()))
    if (auto attribute = getArgAttrOfType<ArgumentRoleAttr>(
            index, BsmmDialect::getRoleAttrName()))
      if (attribute.getValue() == role)
        return argument;
  return {};
}

/// What the launch schema allows as type of a role; empty text when it fits.
static StringRef expectedForRole(ArgumentRole role, Type type) {
  switch (role) {
  case ArgumentRole::A:
  case ArgumentRole::B:
    return isa<TensorMapType>(type) ? "" : "a tensor map";
  case ArgumentRole::ScaleA:
  case ArgumentRole::ScaleB:
  case ArgumentRole::C:
  case ArgumentRole::D: {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return isa<TensorMapType>(type) ||
                   (pointer && pointer.getAddressSpace() == 1)
               ? ""
               : "a tensor map or !llvm.ptr<1>";
  }
  case ArgumentRole::RowScaleA:
  case ArgumentRole::RowScaleB:
  case ArgumentRole::Bias: {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && pointer.getAddressSpace() == 1 ? "" : "!llvm.ptr<1>";
  }
  case ArgumentRole::M:
  case ArgumentRole::N:
  case ArgumentRole::K:
  case ArgumentRole::L:
    return type.isSignlessInteger(32) ? "" : "i32";
  case ArgumentRole::PitchScaleA:
  case ArgumentRole::BatchStrideScaleA:
  case ArgumentRole::PitchScaleB:
  case ArgumentRole::BatchStrideScaleB:
  case ArgumentRole::PitchC:
  case ArgumentRole::BatchStrideC:
  case ArgumentRole::PitchD:
  case ArgumentRole::BatchStrideD:
    return type.isSignlessInteger(64) ? "" : "i64";
  case ArgumentRole::Alpha:
  case ArgumentRole::Beta:
  case ArgumentRole::OutScale:
    return type.isF32() ? "" : "f32";
  }
  return "";
}

LogicalResult KernelOp::verify() {
  if (getLevel() == Level::Problem)
    return emitOpError("expected level tile or pipeline, got problem; whole "
                       "tensors belong in a func.func");
  if (!getResultTypes().empty())
    return emitOpError("expected no results, got ") << getResultTypes().size();
  if (isExternal())
    return emitOpError("expected a body");
  // PTX ISA 4.4, identifiers; LLVM keeps `llvm.` for itself.
  auto isFirst = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  auto isNext = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  StringRef name = getSymName();
  if (name.empty() || !isFirst(name.front()) || !llvm::all_of(name, isNext))
    return emitOpError("expected a name that PTX can have: letters, digits, "
                       "'_' and '$', a letter or '_' first");
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    bool isScalar = type.isSignlessInteger(32) || type.isSignlessInteger(64) ||
                    type.isF32();
    if (!isScalar && !isa<TensorMapType>(type) &&
        !(pointer && pointer.getAddressSpace() == 1))
      return emitOpError("argument #")
             << index
             << ": expected a tensor map, !llvm.ptr<1>, i32, i64 or f32, got "
             << type;
  }

  if (TargetAttr own = getTargetAttr())
    for (Operation *op = getOperation()->getParentOp(); op;
         op = op->getParentOp())
      if (auto outer =
              op->getAttrOfType<TargetAttr>(BsmmDialect::getTargetAttrName()))
        if (outer != own)
          return emitOpError("target ")
                 << own << " conflicts with " << outer
                 << " of the enclosing module; remove one of them";

  if (TargetAttr target = resolveTarget()) {
    const target::Gpu *gpu =
        target::findGpu(std::string_view(target.getChip()));
    if (auto bytes = getDynamicSharedMemory();
        gpu && bytes && int64_t(*bytes) > gpu->sharedMemoryPerBlock)
      return emitOpError("expected at most ")
             << gpu->sharedMemoryPerBlock << " bytes of shared memory on "
             << target.getChip() << ", got " << *bytes
             << "; use a smaller tile or fewer stages";
  }
  if (auto threads = getBlockSize();
      threads && (*threads < 32 || *threads > target::threads::maxPerBlock ||
                  *threads % target::threads::perWarp != 0))
    return emitOpError("expected a block of whole warps, 32 to ")
           << target::threads::maxPerBlock << " threads, got " << *threads;

  if (auto ctas = getClusterSize();
      ctas && (*ctas < 1 || *ctas > target::cluster::maxPortable))
    return emitOpError("expected a cluster of 1 to ")
           << target::cluster::maxPortable << " CTAs, got " << int64_t(*ctas);
  if (auto split = getSplitK(); split && (*split < 1 || *split > 65536))
    return emitOpError("expected 1 to 65536 CTAs that add to an output tile, "
                       "got ")
           << int64_t(*split);
  if (auto bytes = getDynamicSharedMemory();
      bytes && (int64_t(*bytes) < 0 || *bytes % target::mbarrier::bytes != 0))
    return emitOpError("expected shared memory of a multiple of ")
           << target::mbarrier::bytes << " bytes, got " << int64_t(*bytes);
  if (auto columns = getTensorMemoryColumns();
      columns &&
      (int64_t(*columns) < target::tensor_memory::minAllocation ||
       int64_t(*columns) > target::tensor_memory::maxAllocation ||
       target::tensor_memory::allocationColumns(*columns) != int64_t(*columns)))
    return emitOpError("expected a power of two of 32 to 512 columns of tensor "
                       "memory, got ")
           << int64_t(*columns);

  // Roles appear once, in the order of the launch schema, with their types.
  int64_t last = -1;
  for (unsigned index = 0, end = getNumArguments(); index < end; ++index) {
    for (NamedAttribute attribute :
         function_interface_impl::getArgAttrs(*this, index)) {
      if (attribute.getName() != BsmmDialect::getRoleAttrName())
        continue;
      auto role = dyn_cast<ArgumentRoleAttr>(attribute.getValue());
      if (!role)
        return emitOpError("argument #")
               << index << ": expected a role such as #bsmm.role<a>, got "
               << attribute.getValue();
      Type type = getArgument(index).getType();
      if (StringRef expected = expectedForRole(role.getValue(), type);
          !expected.empty())
        return emitOpError("argument #")
               << index << " with role "
               << stringifyArgumentRole(role.getValue()) << ": expected "
               << expected << ", got " << type;
      // Tensor maps come first, then pointers, each in the order of the roles.
      int64_t place = int64_t(role.getValue());
      if (!isa<TensorMapType>(type))
        place += int64_t(ArgumentRole::D) + 1;
      if (place <= last)
        return emitOpError("argument #")
               << index << ": role " << stringifyArgumentRole(role.getValue())
               << " is out of order or repeated; the order is a, b, sfa, sfb, "
                  "c, d (tensor maps before pointers), sa, sb, bias, m, n, k, "
                  "l, pitch and batch_stride of sfa, sfb, c and d, alpha, "
                  "beta, out_scale";
      last = place;
    }
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (!llvm::hasSingleElement(getBody()))
    return emitOpError("expected a body of one block; use scf for control "
                       "flow");
  if (!isa<ReturnOp>(getBody().front().back()))
    return emitOpError("expected the body to end with 'bsmm.return'");
  // What the lowerings know how to treat; a backend would answer anything else
  // with a fatal error.
  WalkResult foreign = getBody().walk([&](Operation *op) {
    StringRef dialect = op->getDialect() ? op->getDialect()->getNamespace()
                                         : StringRef("unknown");
    bool isAllowed = llvm::is_contained({"bsmm", "arith", "scf"}, dialect) ||
                     isa<gpu::BlockIdOp, gpu::GridDimOp>(op) ||
                     (getLevel() == Level::Tile &&
                      (dialect == "math" ||
                       op->getName().getStringRef() == "tensor.splat")) ||
                     (getLevel() == Level::Pipeline && dialect == "vector" &&
                      isMemoryEffectFree(op)) ||
                     (op->getName().getStringRef() == "math.exp" &&
                      getElementTypeOrSelf(op->getResult(0)).isF32());
    // Arithmetic on narrow floats has no instructions; tiles of them are loaded
    // and multiplied only.
    auto isComputed = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return element.isIntOrIndex() || element.isF16() || element.isBF16() ||
             element.isF32();
    };
    if (isAllowed && dialect == "arith" && getLevel() == Level::Pipeline &&
        !(llvm::all_of(op->getOperandTypes(), isComputed) &&
          llvm::all_of(op->getResultTypes(), isComputed))) {
      op->emitOpError("expected arithmetic on integers, f16, bf16 or f32");
      return WalkResult::interrupt();
    }
    // No GPU counts so far, and no pass reckons with it.
    auto isWide = [](Type type) {
      auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
      return element && element.getWidth() > 64;
    };
    if (auto wide = llvm::find_if(op->getResultTypes(), isWide);
        isAllowed && wide != op->getResultTypes().end()) {
      op->emitOpError("expected integers of at most 64 bits in a kernel, got ")
          << *wide;
      return WalkResult::interrupt();
    }
    if (isAllowed)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        op->emitOpError("expected bsmm, arith, scf, gpu.block_id, "
                        "gpu.grid_dim and ")
        << (getLevel() == Level::Tile ? "tensor.splat or math"
                                      : "vector operations and math.exp of f32")
        << " in a kernel at the " << stringifyLevel(getLevel()) << " level";
    diagnostic.attachNote(getLoc()) << "the kernel's level is stated here";
    return WalkResult::interrupt();
  });
  if (foreign.wasInterrupted())
    return failure();
  WalkResult walk = getBody().walk([&](LevelOpInterface op) {
    if (op.getLevel() == getLevel())
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError("belongs to the ")
                                    << stringifyLevel(op.getLevel())
                                    << " level, but its kernel is at the "
                                    << stringifyLevel(getLevel()) << " level";
    diagnostic.attachNote(getLoc()) << "the kernel's level is stated here";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
