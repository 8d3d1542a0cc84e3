//===- Judge.cpp - Does a run notice a mutant? ------------------*- C++ -*-===//

#include "bsmm/Emulator/Mutation.h"

namespace bsmm::emulator::mutation {

namespace {
struct Mode {
  const char *name;
  AsyncMode mode;
  uint64_t seed;
  CtaOrder order;
  uint32_t resident;
};
} // namespace

/// Random modes vary the order of warps and lanes' splits too.
static const Mode modes[] = {
    {"eager", AsyncMode::Eager, 0, CtaOrder::Ascending, 148},
    {"lazy", AsyncMode::Lazy, 0, CtaOrder::Ascending, 148},
    {"random:1", AsyncMode::Random, 1, CtaOrder::Ascending, 148},
    {"random:2,shuffled", AsyncMode::Random, 2, CtaOrder::Shuffled, 148},
    {"lazy,descending", AsyncMode::Lazy, 3, CtaOrder::Descending, 148},
    {"random:4,resident 2", AsyncMode::Random, 4, CtaOrder::Descending, 2},
    {"random:5", AsyncMode::Random, 5, CtaOrder::Ascending, 148},
    {"random:6,shuffled", AsyncMode::Random, 6, CtaOrder::Shuffled, 148},
};

size_t Judge::modeCount() { return sizeof(modes) / sizeof(modes[0]); }
std::string Judge::modeName(size_t mode) { return modes[mode].name; }

Judge::Judge(LaunchFile &file, bool strict) : file(file), strict(strict) {}

Report Judge::runOnce(const Program &program, size_t mode, uint64_t limit,
                      uint32_t maxDiagnostics) {
  file.reset();
  Options options;
  options.mode = modes[mode].mode;
  options.seed = modes[mode].seed;
  options.ctaOrder = modes[mode].order;
  options.maxResidentClusters = modes[mode].resident;
  options.strict = strict;
  options.maxInstructions = limit;
  options.maxDiagnostics = maxDiagnostics; // the first one decides
  return run(program, file.launch, options);
}

std::vector<uint8_t> Judge::outputs() const {
  std::vector<uint8_t> bytes;
  for (size_t k = 0; k < file.storage.size(); ++k)
    if (!file.launch.buffers[k].readOnly)
      bytes.insert(bytes.end(), file.storage[k]->begin(),
                   file.storage[k]->end());
  return bytes;
}

bool Judge::baseline(std::string &error) {
  LoadResult loaded = loadProgram(file.ptx);
  if (!loaded.program) {
    error = loaded.errors.empty() ? "cannot be loaded"
                                  : loaded.errors.front().message;
    return false;
  }
  instructions.clear();
  std::vector<uint8_t> first;
  for (size_t mode = 0; mode < modeCount(); ++mode) {
    Report report = runOnce(*loaded.program, mode, 0);
    std::string where = "unmutated, mode " + modeName(mode) + ": ";
    if (!report.diagnostics.empty()) {
      error = where + formatDiagnostic(report.diagnostics.front());
      return false;
    }
    if (!report.completed) {
      error = where + "did not complete";
      return false;
    }
    for (const Comparison &comparison : compareOutputs(file))
      if (!comparison.passed()) {
        error = where + "buffer " + comparison.buffer + ": " +
                comparison.firstOutside;
        return false;
      }
    if (mode == 0) {
      first = outputs();
    } else if (first != outputs()) {
      error = where + "the output differs from the one of mode " + modeName(0);
      return false;
    }
    instructions.push_back(report.statistics.warpInstructions);
  }
  if (file.expectations.empty())
    expected = std::move(first);
  return true;
}

Verdict Judge::runModes(const Program &program) {
  Verdict verdict;
  std::vector<uint8_t> first;
  for (size_t mode = 0; mode < modeCount(); ++mode) {
    // A mutant that polls for what never comes must end: a few times what the
    // kernel takes in this mode.
    uint64_t limit = 4 * instructions[mode] + 100000;
    Report report = runOnce(program, mode, limit);
    ++verdict.runs;
    auto killed = [&](const std::string &kind, const std::string &message) {
      verdict.outcome = Outcome::Killed;
      verdict.mode = modeName(mode);
      verdict.kind = kind;
      verdict.message = message;
      return verdict;
    };
    if (!report.diagnostics.empty()) {
      const Diagnostic &diagnostic = report.diagnostics.front();
      bool timedOut = diagnostic.kind == "instruction-limit";
      return killed(timedOut ? "time-out" : diagnostic.kind,
                    formatDiagnostic(diagnostic));
    }
    if (!report.completed)
      return killed("incomplete", "did not complete");
    for (const Comparison &comparison : compareOutputs(file))
      if (!comparison.passed())
        return killed("result", "buffer " + comparison.buffer + ": " +
                                    comparison.firstOutside);
    std::vector<uint8_t> now = outputs();
    if (!expected.empty() && now != expected)
      return killed("result", "not the output of the unmutated kernel");
    if (mode == 0)
      first = std::move(now);
    else if (now != first)
      return killed("mode-difference",
                    "the output differs from the one of mode " + modeName(0));
  }
  return verdict;
}

Verdict Judge::judgeText(const std::string &ptx) {
  LoadResult loaded = loadProgram(ptx);
  if (loaded.program)
    return runModes(*loaded.program);
  Verdict verdict;
  verdict.outcome = Outcome::Refused;
  verdict.kind = "refused";
  if (!loaded.errors.empty())
    verdict.message = "line " + std::to_string(loaded.errors.front().line) +
                      ": " + loaded.errors.front().message;
  return verdict;
}

Verdict Judge::judge(const Mutant &mutant) {
  if (mutant.map.field == MapChange::Field::None)
    return judgeText(mutatedText(file.ptx, mutant));
  units::TensorMap &map = file.launch.parameters[mutant.map.parameter]
                              .placements[mutant.map.placement]
                              .map;
  units::TensorMap unmutated = map;
  unsigned dim = mutant.map.dim;
  switch (mutant.map.field) {
  case MapChange::Field::None:
    break;
  case MapChange::Field::Swizzle:
    map.swizzle = static_cast<units::TensorMapSwizzle>(mutant.map.value);
    break;
  case MapChange::Field::Box:
    map.box[dim] = static_cast<uint32_t>(mutant.map.value);
    break;
  case MapChange::Field::Dim:
    map.dims[dim] = mutant.map.value;
    break;
  case MapChange::Field::Stride:
    map.strides[dim] = mutant.map.value;
    break;
  case MapChange::Field::ElementStride:
    map.elementStrides[dim] = static_cast<uint32_t>(mutant.map.value);
    break;
  }
  Verdict verdict = judgeText(file.ptx);
  map = unmutated;
  return verdict;
}

/// The lines that a message names, such as those of the two sides of a race.
static std::string linesIn(const std::string &message) {
  std::string lines;
  for (size_t at = message.find("line "); at != std::string::npos;
       at = message.find("line ", at + 1)) {
    size_t end = message.find_first_not_of("0123456789", at + 5);
    lines += " " + message.substr(at + 5, end - at - 5);
  }
  return lines;
}

std::set<std::string> Judge::faults(const std::string &ptx) {
  std::set<std::string> faults;
  LoadResult loaded = loadProgram(ptx);
  if (!loaded.program)
    return faults;
  constexpr uint32_t MaxDiagnostics = 64;
  constexpr size_t Modes = 3; // eager, lazy, random
  for (size_t mode = 0; mode < Modes; ++mode) {
    Report report = runOnce(*loaded.program, mode,
                            4 * instructions[mode] + 100000, MaxDiagnostics);
    for (const Diagnostic &diagnostic : report.diagnostics)
      faults.insert(diagnostic.kind + ":" + std::to_string(diagnostic.line) +
                    linesIn(diagnostic.message));
    bool wrong = false;
    if (report.completed) {
      for (const Comparison &comparison : compareOutputs(file))
        wrong |= !comparison.passed();
      wrong |= !expected.empty() && outputs() != expected;
    }
    if (wrong)
      faults.insert("result");
  }
  return faults;
}

bool Judge::traps(const std::string &ptx) {
  LoadResult loaded = loadProgram(ptx);
  if (!loaded.program)
    return false;
  Report report = runOnce(*loaded.program, 0, 4 * instructions[0] + 100000);
  return !report.diagnostics.empty() &&
         report.diagnostics.front().kind == "trap";
}

bool Judge::trapsInSomeMode(const std::string &ptx) {
  LoadResult loaded = loadProgram(ptx);
  for (size_t mode = 0; loaded.program && mode < modeCount(); ++mode) {
    Report report =
        runOnce(*loaded.program, mode, 4 * instructions[mode] + 100000);
    if (!report.diagnostics.empty() &&
        report.diagnostics.front().kind == "trap")
      return true;
  }
  return false;
}

} // namespace bsmm::emulator::mutation
