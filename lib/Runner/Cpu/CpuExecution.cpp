//===- CpuExecution.cpp - run a kernel or function on the CPU -------------===//

#include "bsmm/Runner/CpuExecution.h"
#include "bsmm/Conversion/BSMMToLinalg.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Pipelines/Pipelines.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <vector>

using namespace mlir;
using namespace bsmm;

/// A name that no library has: the function of a kernel called `malloc` must
/// not become the process's malloc.
static constexpr StringLiteral entryName = "bsmm_reference_entry";

/// Most bytes of decoded operands: an allocation that fails would end the
/// process.
static constexpr int64_t maxDecodedBytes = int64_t(1) << 34;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// A memref<?xi8> as the C interface takes it.
struct ByteDescriptor {
  uint8_t *allocated, *aligned;
  int64_t offset, size, stride;
};

/// Arguments in the form of ExecutionEngine::invokePacked.
class ArgumentList {
public:
  void addMemory(MutableArrayRef<uint8_t> bytes) {
    int64_t size = bytes.size();
    memories.push_back({bytes.data(), bytes.data(), 0, size, 1});
    pointers.push_back(&memories.back());
    packed.push_back(&pointers.back());
  }
  void addInteger(int64_t value) { addBits(uint64_t(value)); }
  void addFloat(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    addBits(bits);
  }
  void addBits(uint64_t bits) {
    scalars.push_back(bits);
    packed.push_back(&scalars.back());
  }
  SmallVector<void *> packed;

private:
  // Addresses of elements must last.
  std::deque<ByteDescriptor> memories;
  std::deque<void *> pointers;
  std::deque<uint64_t> scalars;
};

/// How much memory an operand takes, and its strides with defaults filled in.
struct Extent {
  int64_t pitch = 0, batchStride = 0;
  std::string error;
};
} // namespace

static std::string text(int64_t value) { return std::to_string(value); }

/// a * b + c of values that are not negative; -1 when it does not fit.
static int64_t multiplyAdd(int64_t a, int64_t b, int64_t c) {
  int64_t result;
  if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(a, b, &result) ||
      __builtin_add_overflow(result, c, &result))
    return -1;
  return result;
}

static std::string checkBytes(StringRef name, const CpuOperand &operand,
                              int64_t required) {
  if (required < 0)
    return name.str() +
           ": expected strides and extents whose bytes fit 63 bits";
  if (int64_t(operand.bytes.size()) < required)
    return name.str() + ": expected at least " + text(required) +
           " bytes, got " + text(operand.bytes.size());
  return "";
}

/// Rows of packed codes.
static Extent resolveRows(StringRef name, const CpuOperand &operand,
                          unsigned bits, int64_t rows, int64_t columns,
                          int64_t batches) {
  Extent result;
  // Codes that end at a whole byte: 2 of 4 bits, 4 of 6 bits.
  int64_t unit = bits == 4 ? 2 : bits == 6 ? 4 : 1;
  result.pitch = operand.pitch == -1
                     ? llvm::alignTo(uint64_t(columns), uint64_t(unit))
                     : operand.pitch;
  if (result.pitch < columns) {
    result.error = name.str() + ": expected a pitch of at least " +
                   text(columns) + " elements, got " + text(result.pitch);
    return result;
  }
  result.batchStride = operand.batchStride == -1
                           ? multiplyAdd(rows, result.pitch, 0)
                           : operand.batchStride;
  for (auto [what, stride] : {std::pair{"pitch", result.pitch},
                              std::pair{"batch stride", result.batchStride}})
    if (stride % unit != 0 || stride < 0) {
      result.error = name.str() + ": expected a " + what +
                     " of whole bytes, a multiple of " + text(unit) +
                     " elements, got " + text(stride);
      return result;
    }
  int64_t required = 0;
  if (rows > 0 && columns > 0 && batches > 0) {
    int64_t last = multiplyAdd(rows - 1, result.pitch, 0);
    last = last < 0 ? -1 : multiplyAdd(batches - 1, result.batchStride, last);
    int64_t lastBits = last < 0 ? -1 : multiplyAdd(last, bits, 0);
    required = lastBits < 0
                   ? -1
                   : multiplyAdd(1, lastBits / 8, (columns * bits + 7) / 8);
  }
  result.error = checkBytes(name, operand, required);
  return result;
}

/// Blocked 128x4 tiles of scales.
static Extent resolveTiles(StringRef name, const CpuOperand &operand,
                           int64_t rows, int64_t groups, int64_t batches) {
  Extent result;
  result.pitch = groups;
  int64_t tileRows = llvm::divideCeil(uint64_t(rows), 128),
          tileGroups = llvm::divideCeil(uint64_t(groups), 4);
  int64_t batchBytes =
      multiplyAdd(multiplyAdd(tileRows, tileGroups, 0), 512, 0);
  result.batchStride =
      operand.batchStride == -1 ? batchBytes : operand.batchStride;
  if (result.batchStride < 0) {
    result.error = name.str() + ": expected a batch stride of 0 or more, got " +
                   text(result.batchStride);
    return result;
  }
  int64_t required =
      batches > 0 && batchBytes != 0
          ? multiplyAdd(batches - 1, result.batchStride, batchBytes)
          : 0;
  result.error = checkBytes(name, operand, required);
  return result;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static std::string toText(llvm::Error error) {
  return llvm::toString(std::move(error));
}

/// LLVM's pipeline. Vectorised loops pay; unrolling them doubles the time to
/// compile and gains nothing here.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = level >= 2;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  builder.buildPerModuleDefaultPipeline(levels[level]).run(module, modules);
}

/// Runs a module whose function has the name `entryName`. An error is a text.
static std::string compileAndRun(ModuleOp module, ArgumentList &arguments,
                                 const CpuExecutionOptions &options) {
  if (options.optimizationLevel > 3)
    return "expected an optimisation level of 0 to 3, got " +
           text(options.optimizationLevel);
  MLIRContext *context = module.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);

  std::string errors;
  std::mutex mutex;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::lock_guard<std::mutex> lock(mutex);
    auto append = [&](Diagnostic &each) {
      std::string line;
      llvm::raw_string_ostream os(line);
      if (!isa<UnknownLoc>(each.getLocation()))
        os << each.getLocation() << ": ";
      os << (each.getSeverity() == DiagnosticSeverity::Note ? "note: " : "")
         << each;
      errors += (errors.empty() ? "" : "\n") + line;
    };
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    append(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      append(note);
    return success();
  });
  auto failWith = [&](StringRef otherwise) {
    return errors.empty() ? otherwise.str() : errors;
  };

  PassManager manager(context);
  buildBsmmToCpu(manager, options.accumulateF64 ? "f64" : "f32",
                 options.persistentCtas);
  if (failed(manager.run(module)))
    return failWith("the reference conversion failed");

  static std::once_flag initialized;
  std::call_once(initialized, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto makeMachine =
      [&]() -> llvm::Expected<std::unique_ptr<llvm::TargetMachine>> {
    auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!host)
      return host.takeError();
    host->setCodeGenOptLevel(
        static_cast<llvm::CodeGenOptLevel>(options.optimizationLevel));
    return host->createTargetMachine();
  };
  auto machine = makeMachine(), engineMachine = makeMachine();
  if (!machine || !engineMachine) {
    std::string reason;
    for (auto *each : {&machine, &engineMachine})
      if (!*each)
        reason = toText(each->takeError());
    return "no code generator for this machine: " + reason;
  }
  auto transformer = [&](llvm::Module *llvmModule) {
    optimize(*llvmModule, **machine, options.optimizationLevel);
    return llvm::Error::success();
  };
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel =
      static_cast<llvm::CodeGenOptLevel>(options.optimizationLevel);
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto engine =
      ExecutionEngine::create(module, engineOptions, std::move(*engineMachine));
  if (!engine)
    return failWith(toText(engine.takeError()));

  int64_t status = 0;
  arguments.packed.push_back(&status);
  if (llvm::Error error = (*engine)->invokePacked(
          ("_mlir_ciface_" + entryName).str(), arguments.packed))
    return failWith(toText(std::move(error)));
  auto report = [&](CpuStatus bit, StringRef message) {
    if (status & bit)
      errors += (errors.empty() ? "" : "\n") + message.str();
  };
  report(cpuStoreOutOfBounds, "d: the program stores outside of the memory of "
                              "its output; those elements were not stored");
  report(cpuExtentsDisagree, "the extents of the operands of a "
                             "bsmm.scaled_matmul do not fit together");
  report(cpuLoadOutOfBounds,
         "the program loads outside of the memory of c, sa, sb or bias; those "
         "elements were taken as zero");
  report(cpuSliceOutOfRange, "bsmm.extract_rows or bsmm.extract_columns: the "
                             "rows or columns lie outside of the tile");
  return errors;
}

/// Names that `name` could have been.
static std::string describeCandidates(ModuleOp module) {
  std::string names;
  auto add = [&](StringRef name) {
    names += (names.empty() ? "" : ", ") + name.str();
  };
  module.walk([&](KernelOp kernel) { add(kernel.getSymName()); });
  for (auto function : module.getOps<func::FuncOp>())
    if (isProblemFunction(function))
      add(function.getSymName());
  return names.empty() ? "; the module has no kernel and no function with "
                         "bsmm operations"
                       : "; the module has " + names;
}

static func::FuncOp findProblemFunction(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  return function && isProblemFunction(function) ? function : nullptr;
}

/// A module of its own for a kernel or function, under the entry's name.
static OwningOpRef<ModuleOp> isolate(Operation *op) {
  OwningOpRef<ModuleOp> result = ModuleOp::create(op->getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(result->getBody());
  if (isa<KernelOp>(op)) {
    auto parent =
        gpu::GPUModuleOp::create(builder, op->getLoc(), "bsmm_reference");
    builder.setInsertionPointToStart(parent.getBody());
  }
  Operation *copy = builder.clone(*op);
  SymbolTable::setSymbolName(copy, entryName);
  // A stated target has no meaning here and needs no enclosing module.
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Element type of the matrix behind a pointer, which its loads and stores
/// have; null without any.
static Type findElementType(BlockArgument pointer) {
  for (Operation *user : pointer.getUsers()) {
    if (auto store = dyn_cast<PredicatedStoreOp>(user))
      return getElementTypeOrSelf(store.getTile());
    if (isa<PredicatedLoadOp, ScaleLoadOp, VectorLoadOp>(user))
      return getElementTypeOrSelf(user->getResult(0));
  }
  return {};
}

static std::string executeKernel(KernelOp kernel, const CpuGemm &gemm,
                                 const CpuExecutionOptions &options) {
  std::string error;
  int64_t vector = 0;
  {
    ScopedDiagnosticHandler handler(kernel.getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      error = diagnostic.str();
                                      return success();
                                    });
    FailureOr<int64_t> found = findScaleVectorSize(kernel);
    if (failed(found))
      return error;
    vector = *found;
  }
  int64_t groups =
      vector ? int64_t(llvm::divideCeil(uint64_t(gemm.k), uint64_t(vector)))
             : 0;

  auto operandOf = [&](ArgumentRole role) -> CpuOperand {
    switch (role) {
    case ArgumentRole::A:
      return gemm.a;
    case ArgumentRole::B:
      return gemm.b;
    case ArgumentRole::ScaleA:
      return gemm.scaleA;
    case ArgumentRole::ScaleB:
      return gemm.scaleB;
    case ArgumentRole::C:
      return gemm.c;
    case ArgumentRole::D:
      return gemm.d;
    case ArgumentRole::RowScaleA:
      return gemm.rowScaleA;
    case ArgumentRole::RowScaleB:
      return gemm.rowScaleB;
    case ArgumentRole::Bias:
      return gemm.bias;
    default:
      return {};
    }
  };
  std::vector<uint8_t> zeros;
  DenseMap<ArgumentRole, CpuOperand> operands;
  DenseMap<ArgumentRole, Extent> extents;
  int64_t decodedBytes = 0;
  for (ArgumentRole role : cpuStridedRoles) {
    CpuOperand &operand = operands[role];
    operand = operandOf(role);
    BlockArgument argument = kernel.findArgument(role);
    if (!argument || argument.use_empty())
      continue;
    std::string name = stringifyArgumentRole(role).str();
    bool isN = role == ArgumentRole::B || role == ArgumentRole::ScaleB;
    bool isScale = role == ArgumentRole::ScaleA || role == ArgumentRole::ScaleB;
    bool isOutput = role == ArgumentRole::D || role == ArgumentRole::C;
    int64_t rows = isN ? gemm.n : gemm.m;
    int64_t columns = isScale ? groups : isOutput ? gemm.n : gemm.k;
    auto map = dyn_cast<TensorMapType>(argument.getType());
    Type type = map ? map.getElementType() : findElementType(argument);
    if (!type)
      continue;
    // Scales of sums, in rows of their own.
    bool isTiled = isScale && map;
    if (isScale && !map)
      for (Operation *user : argument.getUsers())
        if (auto load = dyn_cast<ScaleLoadOp>(user)) {
          rows = llvm::divideCeil(uint64_t(rows), uint64_t(load.getBlock()));
          columns = llvm::divideCeil(uint64_t(gemm.k), blockScaleElements);
          if (matchPattern(load.getStrideRow(), m_One()))
            std::swap(rows, columns);
          break;
        }
    auto resolve = [&] {
      return isTiled ? resolveTiles(name, operand, rows, columns, gemm.l)
                     : resolveRows(name, operand, getElementBits(type), rows,
                                   columns, gemm.l);
    };
    Extent extent = resolve();
    if (role == ArgumentRole::C && operand.bytes.empty() && gemm.beta == 0) {
      // C is not read; zeros stand for it.
      int64_t bytes = multiplyAdd(multiplyAdd(rows, columns, 0),
                                  gemm.l * getElementBits(type) / 8, 0);
      if (bytes < 0 || bytes > maxDecodedBytes)
        return "c: expected the output to fit the memory of the host";
      zeros.resize(bytes);
      operand = {zeros, -1, -1};
      extent = resolve();
    }
    if (!extent.error.empty())
      return extent.error;
    extents[role] = extent;
    if (role != ArgumentRole::D) {
      int64_t more =
          multiplyAdd(multiplyAdd(llvm::alignTo(uint64_t(rows), 128),
                                  llvm::alignTo(uint64_t(columns), 4), 0),
                      4 * gemm.l, decodedBytes);
      if (more < 0 || more > maxDecodedBytes)
        return "expected decoded operands of at most " + text(maxDecodedBytes) +
               " bytes; use a smaller problem";
      decodedBytes = more;
    }
  }

  // A kernel that adds to its output finds zeros there.
  bool addsToOutput = kernel
                          .walk([](TmaStoreOp op) {
                            return op.getAdd() ? WalkResult::interrupt()
                                               : WalkResult::advance();
                          })
                          .wasInterrupted();
  if (const Extent &d = extents[ArgumentRole::D]; addsToOutput)
    for (int64_t batch = 0; batch < gemm.l; ++batch)
      for (int64_t row = 0; row < gemm.m; ++row)
        std::memset(gemm.d.bytes.data() +
                        (batch * d.batchStride + row * d.pitch) * sizeof(float),
                    0, gemm.n * sizeof(float));

  ArgumentList arguments;
  for (ArgumentRole role : cpuMemoryRoles)
    arguments.addMemory(operands.count(role) ? operands[role].bytes
                                             : operandOf(role).bytes);
  for (int64_t size : {gemm.m, gemm.n, gemm.k, gemm.l})
    arguments.addInteger(size);
  for (ArgumentRole role : cpuStridedRoles) {
    arguments.addInteger(extents[role].pitch);
    arguments.addInteger(extents[role].batchStride);
  }
  for (float scalar : {gemm.alpha, gemm.beta, gemm.outScale})
    arguments.addFloat(scalar);
  OwningOpRef<ModuleOp> isolated = isolate(kernel);
  return compileAndRun(*isolated, arguments, options);
}

//===----------------------------------------------------------------------===//
// Problem-level functions
//===----------------------------------------------------------------------===//

/// Checks one tensor argument and adds its values to the call.
static std::string addTensor(ArgumentList &list, StringRef name,
                             RankedTensorType type, const CpuOperand &operand,
                             ArrayRef<int64_t> shape, bool isRead,
                             int64_t &decodedBytes) {
  int64_t rank = type.getRank();
  if (int64_t(shape.size()) != rank)
    return name.str() + ": expected " + text(rank) + " extents, got " +
           text(shape.size());
  int64_t count = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (shape[dim] < 0 || shape[dim] > std::numeric_limits<int32_t>::max())
      return name.str() + ": expected extents of 0 to 2147483647, got " +
             text(shape[dim]);
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != shape[dim])
      return name.str() + ": expected extent " + text(type.getDimSize(dim)) +
             " in dimension " + text(dim) + ", which the type fixes, got " +
             text(shape[dim]);
    count = multiplyAdd(count, shape[dim], 0);
  }
  // A code is carried in a byte and decoded into up to 8.
  int64_t more = multiplyAdd(count, 9, decodedBytes);
  if (count < 0 || more < 0 || more > maxDecodedBytes)
    return "expected decoded operands of at most " + text(maxDecodedBytes) +
           " bytes; use a smaller problem";
  decodedBytes = more;

  unsigned bits = getElementBits(type.getElementType());
  auto scales = dyn_cast_or_null<ScalesAttr>(type.getEncoding());
  Extent extent;
  if (!isRead) {
    extent.pitch = rank > 0 ? shape.back() : 0;
  } else if (scales && scales.getOrder() == ScaleOrder::Blocked128x4) {
    extent = resolveTiles(name, operand, shape[rank - 2], shape[rank - 1],
                          rank == 3 ? shape[0] : 1);
  } else if (rank <= 3) {
    int64_t rows = rank >= 2 ? shape[rank - 2] : 1,
            columns = rank >= 1 ? shape[rank - 1] : 1;
    if (scales && scales.getOrder() == ScaleOrder::ColumnMajor)
      std::swap(rows, columns);
    extent = resolveRows(name, operand, bits, rows, columns,
                         rank == 3 ? shape[0] : 1);
  } else {
    int64_t allBits = multiplyAdd(count, bits, 7);
    extent.error = checkBytes(name, operand, allBits < 0 ? -1 : allBits / 8);
  }
  if (!extent.error.empty())
    return extent.error;
  list.addMemory(operand.bytes);
  for (int64_t size : shape)
    list.addInteger(size);
  list.addInteger(extent.pitch);
  list.addInteger(extent.batchStride);
  return "";
}

std::string bsmm::executeFunctionOnCpu(ModuleOp module, StringRef name,
                                       ArrayRef<CpuArgument> arguments,
                                       const CpuExecutionOptions &options) {
  func::FuncOp function = findProblemFunction(module, name);
  if (!function)
    return "expected a function with bsmm operations, got '" + name.str() +
           "'" + describeCandidates(module);
  size_t expected = function.getNumArguments() + function.getNumResults();
  if (arguments.size() != expected)
    return "expected " + text(expected) + " arguments and results, got " +
           text(arguments.size());
  ArgumentList list;
  int64_t decodedBytes = 0;
  auto add = [&](StringRef what, size_t number, Type type,
                 const CpuArgument &argument) -> std::string {
    std::string place = what.str() + " #" + text(number);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return addTensor(list, place, tensor, argument.operand, argument.shape,
                       true, decodedBytes);
    list.addBits(argument.scalar);
    return "";
  };
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (std::string error = add("argument", number, type, arguments[number]);
        !error.empty())
      return error;
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (std::string error = add("result", number, type,
                                arguments[function.getNumArguments() + number]);
        !error.empty())
      return error;
  OwningOpRef<ModuleOp> isolated = isolate(function);
  return compileAndRun(*isolated, list, options);
}

/// The argument that a value is, looking through what only renames it.
static BlockArgument traceToArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ViewScalesOp, PackScalesOp, UnpackScalesOp, tensor::CastOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

static std::string executeFunction(func::FuncOp function, const CpuGemm &gemm,
                                   const CpuExecutionOptions &options) {
  SmallVector<ScaledMatmulOp> matmuls;
  function.walk([&](ScaledMatmulOp op) { matmuls.push_back(op); });
  if (matmuls.size() != 1 || !function.getBody().hasOneBlock())
    return "expected a function of one bsmm.scaled_matmul in one block, got " +
           text(matmuls.size());
  ScaledMatmulOp matmul = matmuls.front();
  Operation *terminator = function.getBody().front().getTerminator();
  Value returned =
      terminator->getNumOperands() == 1 ? terminator->getOperand(0) : Value();
  while (returned && isa_and_nonnull<tensor::CastOp>(returned.getDefiningOp()))
    returned = returned.getDefiningOp()->getOperand(0);
  if (returned != matmul.getResult())
    return "expected a function that returns the result of its "
           "bsmm.scaled_matmul alone";

  // Which operand an argument is.
  DenseMap<Value, ArgumentRole> roles;
  std::string error;
  auto assign = [&](Value value, ArgumentRole role, bool isNeeded) {
    BlockArgument argument = value ? traceToArgument(value) : BlockArgument();
    if (!argument || argument.getOwner() != &function.getBody().front()) {
      if (value && isNeeded)
        error = stringifyArgumentRole(role).str() +
                ": expected an argument of the function, directly or through "
                "bsmm.view_scales, pack_scales, unpack_scales or tensor.cast";
      return;
    }
    if (!roles.insert({argument, role}).second)
      error = "expected different arguments for " +
              stringifyArgumentRole(roles[argument]).str() + " and " +
              stringifyArgumentRole(role).str();
  };
  bool readsC = bool(matmul.getBeta());
  assign(matmul.getA(), ArgumentRole::A, true);
  assign(matmul.getB(), ArgumentRole::B, true);
  assign(matmul.getScaleA(), ArgumentRole::ScaleA, true);
  assign(matmul.getScaleB(), ArgumentRole::ScaleB, true);
  assign(matmul.getInit(), ArgumentRole::C, readsC);
  assign(matmul.getRowScaleA(), ArgumentRole::RowScaleA, true);
  assign(matmul.getRowScaleB(), ArgumentRole::RowScaleB, true);
  assign(matmul.getBias(), ArgumentRole::Bias, true);
  // Scalars may be constants.
  assign(matmul.getAlpha(), ArgumentRole::Alpha, false);
  assign(matmul.getBeta(), ArgumentRole::Beta, false);
  assign(matmul.getOutScale(), ArgumentRole::OutScale, false);
  if (!error.empty())
    return error;

  int64_t vector = matmul.getScaleVectorSize();
  int64_t groups =
      vector ? int64_t(llvm::divideCeil(uint64_t(gemm.k), uint64_t(vector)))
             : 0;
  int64_t rank = cast<RankedTensorType>(matmul.getA().getType()).getRank();
  if (rank == 2 && gemm.l != 1)
    return "L: expected 1 for a function on tensors without batch, got " +
           text(gemm.l);
  auto withBatch = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> shape;
    if (rank == 3)
      shape.push_back(gemm.l);
    shape.append({rows, columns});
    return shape;
  };
  ArgumentList list;
  int64_t decodedBytes = 0;
  std::vector<uint8_t> zeros;
  for (BlockArgument argument : function.getArguments()) {
    auto found = roles.find(argument);
    if (found == roles.end())
      return "argument #" + text(argument.getArgNumber()) +
             ": expected an operand of the bsmm.scaled_matmul";
    ArgumentRole role = found->second;
    std::string name = stringifyArgumentRole(role).str();
    bool isScaleA = role == ArgumentRole::ScaleA;
    switch (role) {
    case ArgumentRole::Alpha:
      list.addFloat(gemm.alpha);
      continue;
    case ArgumentRole::Beta:
      list.addFloat(gemm.beta);
      continue;
    case ArgumentRole::OutScale:
      list.addFloat(gemm.outScale);
      continue;
    default:
      break;
    }
    auto type = cast<RankedTensorType>(argument.getType());
    CpuOperand operand;
    SmallVector<int64_t> shape;
    bool isRead = true;
    switch (role) {
    case ArgumentRole::A:
      operand = gemm.a;
      shape = withBatch(gemm.m, gemm.k);
      break;
    case ArgumentRole::B:
      operand = gemm.b;
      shape = withBatch(gemm.n, gemm.k);
      break;
    case ArgumentRole::ScaleA:
    case ArgumentRole::ScaleB: {
      operand = isScaleA ? gemm.scaleA : gemm.scaleB;
      int64_t rows = isScaleA ? gemm.m : gemm.n;
      if (auto scales = dyn_cast_or_null<ScalesAttr>(type.getEncoding()))
        rows = llvm::divideCeil(uint64_t(rows), uint64_t(scales.getRows()));
      shape = withBatch(rows, groups);
      if (type.getRank() < 5)
        break;
      // The physical view, which has no gaps between batches.
      int64_t tileRows = llvm::divideCeil(uint64_t(rows), 128),
              tileGroups = llvm::divideCeil(uint64_t(groups), 4);
      if (type.getRank() == 6)
        shape = {32, 4, tileRows, 4, tileGroups, gemm.l};
      else
        shape = {gemm.l, tileRows, tileGroups, 2, 256};
      int64_t dense = multiplyAdd(tileRows * tileGroups, 512, 0);
      if (gemm.l > 1 && operand.batchStride != -1 &&
          operand.batchStride != dense)
        return name + ": expected a batch stride of " + text(dense) +
               " bytes, as the view of the scales has no gaps, got " +
               text(operand.batchStride);
      break;
    }
    case ArgumentRole::C:
      operand = gemm.c;
      shape = withBatch(gemm.m, gemm.n);
      isRead = readsC;
      if (isRead && operand.bytes.empty() && gemm.beta == 0 &&
          roles.count(matmul.getBeta())) {
        // C is not read; zeros stand for it.
        int64_t bytes =
            multiplyAdd(multiplyAdd(gemm.m, gemm.n, 0),
                        gemm.l * getElementBits(type.getElementType()) / 8, 0);
        if (bytes < 0 || bytes > maxDecodedBytes)
          return "c: expected the output to fit the memory of the host";
        zeros.resize(bytes);
        operand = {zeros, -1, -1};
      }
      break;
    case ArgumentRole::RowScaleA:
    case ArgumentRole::RowScaleB: {
      bool isA = role == ArgumentRole::RowScaleA;
      operand = isA ? gemm.rowScaleA : gemm.rowScaleB;
      shape = {type.getDimSize(0) == 1 ? 1 : isA ? gemm.m : gemm.n};
      break;
    }
    default:
      operand = gemm.bias;
      shape = {gemm.n};
      break;
    }
    error = addTensor(list, name, type, operand, shape, isRead, decodedBytes);
    if (!error.empty())
      return error;
  }
  error = addTensor(list, "d",
                    cast<RankedTensorType>(function.getResultTypes().front()),
                    gemm.d, withBatch(gemm.m, gemm.n), true, decodedBytes);
  if (!error.empty())
    return error;
  OwningOpRef<ModuleOp> isolated = isolate(function);
  return compileAndRun(*isolated, list, options);
}

std::string bsmm::executeGemmOnCpu(ModuleOp module, StringRef name,
                                   const CpuGemm &gemm,
                                   const CpuExecutionOptions &options) {
  for (auto [size, what] : {std::pair{gemm.m, "M"}, std::pair{gemm.n, "N"},
                            std::pair{gemm.k, "K"}, std::pair{gemm.l, "L"}})
    if (size < 0 || size > std::numeric_limits<int32_t>::max())
      return std::string(what) + ": expected 0 to 2147483647, got " +
             text(size);
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) {
    if (kernel.getSymName() == name)
      kernels.push_back(kernel);
  });
  func::FuncOp function = findProblemFunction(module, name);
  if (kernels.size() + (function ? 1 : 0) != 1)
    return "expected one kernel or function on whole tensors called '" +
           name.str() + "', got " + text(kernels.size() + (function ? 1 : 0)) +
           describeCandidates(module);
  if (gemm.m == 0 || gemm.n == 0 || gemm.l == 0)
    return "";
  return function ? executeFunction(function, gemm, options)
                  : executeKernel(kernels.front(), gemm, options);
}
