//===- EmulatorBackend.cpp - compile and execute the PTX ------------------===//

#include "EmulatorBackend.h"
#include "CompileOne.h"
#include "bsmm/Emulator/Emulator.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

static emulator::Dim3 toEmulator(const runtime::Dim3 &dim) {
  return {uint32_t(dim[0]), uint32_t(dim[1]), uint32_t(dim[2])};
}

/// The two descriptions of a tensor map are separate on purpose (the emulator
/// shares nothing with the compiler); their enumerations are cuda.h's.
static emulator::units::TensorMap toEmulator(const runtime::TensorMap &map) {
  emulator::units::TensorMap result;
  result.element = emulator::units::TensorMapElement(uint8_t(map.element));
  result.swizzle = emulator::units::TensorMapSwizzle(uint8_t(map.swizzle));
  result.fill = map.nanFill ? emulator::units::TensorMapFill::NaN
                            : emulator::units::TensorMapFill::Zero;
  result.rank = map.dims.size();
  for (size_t i = 0; i < map.dims.size(); ++i) {
    result.dims[i] = map.dims[i];
    result.box[i] = map.box[i];
    if (i != 0)
      result.strides[i] = map.stridesBytes[i - 1];
    if (!map.elementStrides.empty())
      result.elementStrides[i] = map.elementStrides[i];
  }
  return result;
}

static std::string parseMode(const std::string &text,
                             emulator::Options &options) {
  if (text == "eager") {
    options.mode = emulator::AsyncMode::Eager;
    return "";
  }
  if (text == "lazy") {
    options.mode = emulator::AsyncMode::Lazy;
    return "";
  }
  StringRef rest = text;
  if (rest.consume_front("random:") && !rest.getAsInteger(10, options.seed)) {
    options.mode = emulator::AsyncMode::Random;
    return "";
  }
  return "expected mode eager, lazy or random:SEED, got '" + text + "'";
}

std::string EmulatorBackend::run(ModuleOp module, const Problem &problem,
                                 Operands &operands, const RunOptions &options,
                                 raw_ostream &log) {
  emulator::Options emulatorOptions;
  if (std::string reason = parseMode(options.mode, emulatorOptions);
      !reason.empty())
    return reason;
  if (options.arithmetic != "hardware" && options.arithmetic != "exact")
    return "expected arithmetic hardware or exact, got '" + options.arithmetic +
           "'";
  emulatorOptions.arithmetic = options.arithmetic == "exact"
                                   ? emulator::Arithmetic::Exact
                                   : emulator::Arithmetic::Hardware;
  emulatorOptions.strict = options.strict;

  CompiledKernel compiled;
  if (std::string reason = compileOne(module, problem.kernel, compiled);
      !reason.empty())
    return reason;

  // Describe the launch.
  runtime::LaunchRequest request;
  request.m = problem.m;
  request.n = problem.n;
  request.k = problem.k;
  request.l = problem.l;
  request.alpha = problem.alpha;
  request.beta = problem.beta;
  request.outScale = problem.outScale;
  request.smCount = options.smCount;
  struct Binding {
    const char *name;
    runtime::Role role;
    std::vector<uint8_t> *data;
    int64_t pitch;
    bool readOnly;
  };
  Binding bindings[] = {
      {"a", runtime::Role::A, &operands.a, problem.pitchA, true},
      {"b", runtime::Role::B, &operands.b, problem.pitchB, true},
      {"sfa", runtime::Role::SFA, &operands.sfa, -1, true},
      {"sfb", runtime::Role::SFB, &operands.sfb, -1, true},
      {"c", runtime::Role::C, &operands.c, problem.pitchC, true},
      {"d", runtime::Role::D, &operands.d, problem.pitchD, false},
      {"sa", runtime::Role::SA, &operands.sa, -1, true},
      {"sb", runtime::Role::SB, &operands.sb, -1, true},
      {"bias", runtime::Role::Bias, &operands.bias, -1, true}};
  for (Binding &binding : bindings) {
    if (binding.data->empty())
      continue;
    runtime::OperandBinding bound;
    bound.data.buffer = binding.name;
    bound.pitch = binding.pitch;
    request.operands[binding.role] = bound;
  }
  runtime::Result<runtime::Launch> launch =
      runtime::resolve(compiled.manifest, request);
  if (!launch)
    return launch.error();

  emulator::Launch emulated;
  emulated.entry = launch->entry;
  emulated.grid = toEmulator(launch->grid);
  emulated.block = toEmulator(launch->block);
  emulated.cluster = toEmulator(launch->cluster);
  emulated.dynamicSharedBytes = launch->dynamicSharedMemory;
  for (Binding &binding : bindings)
    emulated.buffers.push_back({binding.name, binding.data->data(),
                                binding.data->size(), binding.readOnly});
  auto bufferIndex = [&](const std::string &name) {
    size_t index = 0;
    while (bindings[index].name != name)
      ++index;
    return index;
  };
  for (const runtime::LaunchParam &param : launch->params) {
    using Kind = runtime::LaunchParam::Kind;
    switch (param.kind) {
    case Kind::TensorMap:
      emulated.parameters.push_back(emulator::Parameter::tensorMap(
          toEmulator(param.map), bufferIndex(param.map.data.buffer),
          param.map.data.offset));
      break;
    case Kind::I32:
      emulated.parameters.push_back(
          emulator::Parameter::i32(int32_t(param.integer)));
      break;
    case Kind::I64:
      emulated.parameters.push_back(emulator::Parameter::i64(param.integer));
      break;
    case Kind::F32: {
      float value;
      std::memcpy(&value, &param.floatBits, sizeof(value));
      emulated.parameters.push_back(emulator::Parameter::f32(value));
      break;
    }
    case Kind::Pointer:
      emulated.parameters.push_back(emulator::Parameter::pointer(
          bufferIndex(param.pointer.buffer), param.pointer.offset));
      break;
    case Kind::Null:
      emulated.parameters.push_back(emulator::Parameter::null());
      break;
    case Kind::Struct:
      return "bsmm kernels take no parameters by structure";
    }
  }

  // Run.
  emulator::LoadResult loaded = emulator::loadProgram(compiled.ptx);
  if (!loaded.program) {
    std::string text = "the emulator refuses the PTX";
    for (const emulator::SourceDiagnostic &error : loaded.errors)
      text += "\n  line " + std::to_string(error.line) + ": " + error.message;
    return text;
  }
  std::vector<uint8_t> first;
  for (int64_t number = 0; number < options.launches; ++number) {
    emulator::Report report =
        emulator::run(*loaded.program, emulated, emulatorOptions);
    std::string faults;
    for (const emulator::Diagnostic &diagnostic : report.diagnostics)
      faults += "\n  " + emulator::formatDiagnostic(diagnostic);
    if (!report.diagnostics.empty() || !report.completed)
      return "the emulator found faults" + faults;
    if (number == 0) {
      log << "emulator: " << report.statistics.ctas << " CTAs, "
          << report.statistics.warpInstructions << " warp instructions, "
          << report.statistics.tensorInstructions << " tensor instructions, "
          << report.statistics.bulkCopies << " bulk copies, mode "
          << options.mode << "\n";
      first = operands.d;
    } else if (first != operands.d) {
      return "a second launch gave another result";
    }
  }
  return "";
}
