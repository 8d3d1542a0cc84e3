//===- Emulator.cpp - Public interface --------------------------*- C++ -*-===//

#include "bsmm/Emulator/Emulator.h"

#include "Machine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace bsmm::emulator {

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Program::Program(std::unique_ptr<CompiledModule> module)
    : module(std::move(module)) {}
Program::~Program() = default;

/// PTX ISA, "Kernel Function Parameters".
constexpr uint64_t MaximumParameterBytes = 32764;

struct ProgramBuilder {
  static LoadResult load(std::string ptx) {
    LoadResult result;
    auto module = std::make_unique<CompiledModule>();
    ptx::SourceError parseError;
    module->source = ptx::parseModule(std::move(ptx), parseError);
    if (!module->source) {
      result.errors.push_back({parseError.line, parseError.message});
      return result;
    }
    for (char c : module->source->target) {
      if (c >= '0' && c <= '9' && module->targetNumber < 100000)
        module->targetNumber =
            module->targetNumber * 10 + static_cast<uint32_t>(c - '0');
    }
    size_t count = module->source->functions.size();
    module->functions.resize(count);
    for (size_t k = 0; k < count; ++k)
      layOut(*module, *module->source->functions[k], module->functions[k]);
    std::vector<ptx::SourceError> errors;
    for (size_t k = 0; k < count; ++k) {
      if (!module->source->functions[k]->hasBody) {
        module->functions[k].source = module->source->functions[k].get();
        continue;
      }
      std::string error;
      Decoder decoder(*module, static_cast<uint32_t>(k), error);
      std::vector<ptx::SourceError> own;
      decoder.run(own);
      for (ptx::SourceError &entry : own) {
        bool repeated = false;
        for (const ptx::SourceError &old : errors)
          repeated |= old.message == entry.message;
        if (!repeated)
          errors.push_back(std::move(entry));
      }
    }
    if (errors.empty() && recursive(*module))
      errors.push_back({0, "recursive calls are not supported"});
    for (size_t k = 0; k < count; ++k)
      if (module->source->functions[k]->isEntry &&
          module->functions[k].parameterBytes > MaximumParameterBytes)
        errors.push_back(
            {module->source->functions[k]->line,
             "the parameters of entry '" + module->source->functions[k]->name +
                 "' take " +
                 std::to_string(module->functions[k].parameterBytes) +
                 " bytes: expected at most " +
                 std::to_string(MaximumParameterBytes)});
    if (module->localBytes > MaximumLocalBytes)
      errors.push_back(
          {0, "local memory exceeds the limit of 512 KiB a thread"});
    if (module->registerFileBytes > (1u << 28))
      errors.push_back({0, "the registers take more than 256 MiB a warp"});
    if (!errors.empty()) {
      for (ptx::SourceError &entry : errors)
        result.errors.push_back({entry.line, std::move(entry.message)});
      return result;
    }
    if (!module->wgmmaRegisters.empty())
      for (Inst &inst : module->code)
        for (uint32_t d = 0; d < inst.defsCount && !inst.isTensor; ++d)
          inst.writesWgmma |=
              module->wgmmaRegisters.count(module->lists[inst.defs + d]) != 0;
    static const std::string_view traced[] = {
        "mbarrier",   "bar",      "barrier",   "cp",
        "tcgen05",    "wgmma",    "mma",       "fence",
        "setmaxnreg", "st.async", "red.async", "clusterlaunchcontrol"};
    for (Inst &inst : module->code)
      for (std::string_view name : traced)
        inst.traced |= inst.opcode.substr(0, name.size()) == name;
    result.program.reset(new Program(std::move(module)));
    return result;
  }

  static void layOut(CompiledModule &module, const ptx::Function &function,
                     CompiledFunction &compiled) {
    compiled.source = &function;
    auto align = [](uint64_t offset, uint32_t alignment) {
      return (offset + alignment - 1) & ~uint64_t(alignment - 1);
    };
    uint64_t offset = function.isEntry ? 0 : module.localBytes;
    for (const ptx::Variable &parameter : function.parameters) {
      offset = align(offset, std::max(parameter.alignment, 1u));
      compiled.parameterOffsets.push_back(static_cast<uint32_t>(offset));
      offset += parameter.bytes;
    }
    if (function.isEntry) {
      compiled.parameterBytes = offset;
      return;
    }
    for (const ptx::Variable &result : function.results) {
      offset = align(offset, std::max(result.alignment, 1u));
      compiled.resultOffsets.push_back(static_cast<uint32_t>(offset));
      offset += result.bytes;
    }
    module.localBytes = align(offset, 16);
  }

  static bool recursive(const CompiledModule &module) {
    size_t count = module.functions.size();
    // 0 new, 1 on the path, 2 done.
    std::vector<uint8_t> state(count, 0);
    for (size_t root = 0; root < count; ++root) {
      std::vector<std::pair<size_t, size_t>> stack{{root, 0}};
      if (state[root] != 0)
        continue;
      state[root] = 1;
      while (!stack.empty()) {
        auto &[f, at] = stack.back();
        const std::vector<uint32_t> &callees = module.functions[f].callees;
        if (at == callees.size()) {
          state[f] = 2;
          stack.pop_back();
          continue;
        }
        uint32_t callee = callees[at++];
        if (state[callee] == 1)
          return true;
        if (state[callee] == 0) {
          state[callee] = 1;
          stack.push_back({callee, 0});
        }
      }
    }
    return false;
  }
};

LoadResult loadProgram(std::string ptx) {
  return ProgramBuilder::load(std::move(ptx));
}

std::vector<std::string> Program::entries() const {
  std::vector<std::string> names;
  for (const auto &function : module->source->functions)
    if (function->isEntry && function->hasBody)
      names.push_back(function->name);
  return names;
}

const std::string &Program::target() const { return module->source->target; }

std::vector<uint64_t> Program::parameterSizes(const std::string &entry) const {
  std::vector<uint64_t> sizes;
  const ptx::Function *function = module->source->findFunction(entry);
  if (function != nullptr && function->isEntry)
    for (const ptx::Variable &parameter : function->parameters)
      sizes.push_back(parameter.bytes);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

template <typename T> static Parameter scalar(T value) {
  Parameter parameter;
  parameter.bytes.resize(sizeof(T));
  std::memcpy(parameter.bytes.data(), &value, sizeof(T));
  return parameter;
}

Parameter Parameter::i32(int32_t value) { return scalar(value); }
Parameter Parameter::i64(int64_t value) { return scalar(value); }
Parameter Parameter::f32(float value) { return scalar(value); }
Parameter Parameter::null() { return scalar(uint64_t(0)); }

Parameter Parameter::pointer(size_t buffer, size_t byteOffset) {
  Parameter parameter = scalar(uint64_t(0));
  Placement placement;
  placement.kind = Placement::Kind::Pointer;
  placement.buffer = buffer;
  placement.byteOffset = byteOffset;
  parameter.placements.push_back(placement);
  return parameter;
}

Parameter Parameter::tensorMap(const units::TensorMap &map, size_t buffer,
                               size_t byteOffset) {
  Parameter parameter;
  parameter.bytes.resize(128);
  Placement placement;
  placement.kind = Placement::Kind::TensorMap;
  placement.buffer = buffer;
  placement.byteOffset = byteOffset;
  placement.map = map;
  parameter.placements.push_back(placement);
  return parameter;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Report run(const Program &program, const Launch &launch,
           const Options &options) {
  auto begin = std::chrono::steady_clock::now();
  auto machine = std::make_unique<Machine>();
  machine->module = &program.compiled();
  machine->launch = &launch;
  machine->options = &options;
  if (machine->prepare()) {
    machine->execute();
    machine->report.completed = !machine->stopped && machine->active.empty() &&
                                machine->nextCluster == machine->clusterCount;
    if (!options.traceFile.empty())
      machine->writeTrace();
  }
  machine->report.statistics.warpInstructions = machine->instructions;
  machine->report.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return std::move(machine->report);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

bool Report::hasErrors() const { return count(Severity::Error) != 0; }

size_t Report::count(Severity severity) const {
  size_t result = 0;
  for (const Diagnostic &diagnostic : diagnostics)
    result += diagnostic.severity == severity;
  return result;
}

std::string formatDiagnostic(const Diagnostic &diagnostic) {
  std::string text =
      diagnostic.severity == Severity::Error ? "error: " : "strict: ";
  if (diagnostic.line != 0)
    text += "line " + std::to_string(diagnostic.line) + ": ";
  text += diagnostic.message + " [" + diagnostic.kind;
  if (diagnostic.warp >= 0) {
    text += ", cta (" + std::to_string(diagnostic.cta.x) + "," +
            std::to_string(diagnostic.cta.y) + "," +
            std::to_string(diagnostic.cta.z) + ") warp " +
            std::to_string(diagnostic.warp);
    if (diagnostic.lane >= 0)
      text += " lane " + std::to_string(diagnostic.lane);
  }
  if (diagnostic.count > 1)
    text += ", " + std::to_string(diagnostic.count) + " times";
  return text + "]";
}

std::string reportToJson(const Report &report) {
  nlohmann::ordered_json json;
  json["schema"] = "bsmm.emulator.report/1";
  json["completed"] = report.completed;
  json["errors"] = report.count(Severity::Error);
  json["strict"] = report.count(Severity::Strict);
  json["diagnostics"] = nlohmann::ordered_json::array();
  for (const Diagnostic &diagnostic : report.diagnostics) {
    nlohmann::ordered_json entry;
    entry["severity"] =
        diagnostic.severity == Severity::Error ? "error" : "strict";
    entry["kind"] = diagnostic.kind;
    entry["message"] = diagnostic.message;
    entry["line"] = diagnostic.line;
    entry["cta"] = {diagnostic.cta.x, diagnostic.cta.y, diagnostic.cta.z};
    entry["warp"] = diagnostic.warp;
    entry["lane"] = diagnostic.lane;
    entry["count"] = diagnostic.count;
    json["diagnostics"].push_back(entry);
  }
  const Statistics &s = report.statistics;
  json["statistics"] = {{"warp_instructions", s.warpInstructions},
                        {"thread_instructions", s.threadInstructions},
                        {"tensor_instructions", s.tensorInstructions},
                        {"multiply_adds", s.multiplyAdds},
                        {"bulk_copies", s.bulkCopies},
                        {"bulk_bytes", s.bulkBytes},
                        {"tensor_columns", s.tensorColumns},
                        {"ctas", s.ctas},
                        {"seconds", s.seconds}};
  return json.dump(1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace bsmm::emulator
