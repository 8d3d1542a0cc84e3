//===- Timeline.cpp - bsmm-emu timeline -------------------------*- C++ -*-===//

#include "Timeline.h"

#include "bsmm/Emulator/LaunchFile.h"
#include "bsmm/Timeline/Report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace bsmm;
using namespace bsmm::timeline;

static int usageError(const std::string &message) {
  std::fprintf(stderr, "bsmm-emu: %s\nTry 'bsmm-emu --help'.\n",
               message.c_str());
  return 2;
}

static int failure(const std::string &message) {
  std::fprintf(stderr, "bsmm-emu: error: %s\n", message.c_str());
  return 1;
}

static bool writeText(const std::string &path, const std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (file == nullptr)
    return false;
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && good;
}

static bool wholeNumber(const std::string &text, uint64_t most,
                        uint64_t &value) {
  char *end = nullptr;
  value = std::strtoull(text.c_str(), &end, 10);
  return !text.empty() && text[0] >= '0' && text[0] <= '9' && *end == '\0' &&
         value <= most;
}

static bool realNumber(const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// CTAs that fit on an SM by shared memory and threads (CUDA C++ Programming
/// Guide, "Technical Specifications per Compute Capability" 9.0 and 10.x:
/// 228 KiB, of which each CTA costs one more, 2048 threads, 32 CTAs). What
/// registers allow is not in PTX.
static uint32_t residentCtas(const emulator::Launch &launch) {
  uint64_t shared = launch.dynamicSharedBytes + 1024;
  uint64_t threads = uint64_t(launch.block.x) * launch.block.y * launch.block.z;
  uint64_t count = std::min<uint64_t>(228 * 1024 / shared, 32);
  count = std::min<uint64_t>(count, 2048 / std::max<uint64_t>(1, threads));
  return static_cast<uint32_t>(std::max<uint64_t>(1, count));
}

int ratesCommand() {
  std::fputs(formatRateTable().c_str(), stdout);
  return 0;
}

int timelineCommand(int argc, char **argv) {
  std::string path, jsonPath, tracePath, error;
  std::vector<std::pair<std::string, double>> changed;
  std::vector<uint32_t> traced = {0};
  uint64_t resident = 0, maxInstructions = 0;
  for (int k = 0; k < argc; ++k) {
    std::string argument = argv[k], value;
    auto valueOf = [&](const char *name) {
      std::string option = name;
      if (argument.compare(0, option.size() + 1, option + "=") == 0) {
        value = argument.substr(option.size() + 1);
        return true;
      }
      if (argument == option && k + 1 < argc) {
        value = argv[++k];
        return true;
      }
      return false;
    };
    double number = 0;
    uint64_t whole = 0;
    if (valueOf("--sms")) {
      if (!wholeNumber(value, 4096, whole) || whole == 0)
        return usageError("expected --sms=1 to 4096, got '" + value + "'");
      changed.push_back({"sms", static_cast<double>(whole)});
    } else if (valueOf("--clock")) {
      if (!realNumber(value, number) || !(number > 0 && number < 100))
        return usageError("expected --clock=GHz, got '" + value + "'");
      changed.push_back({"clock", number});
    } else if (valueOf("--rate")) {
      size_t equals = value.find('=');
      if (equals == std::string::npos ||
          !realNumber(value.substr(equals + 1), number))
        return usageError("expected --rate=NAME=NUMBER, got '" + value + "'");
      changed.push_back({value.substr(0, equals), number});
    } else if (valueOf("--ctas-per-sm")) {
      if (!wholeNumber(value, 32, resident) || resident == 0)
        return usageError("expected --ctas-per-sm=1 to 32, got '" + value +
                          "'");
    } else if (valueOf("--trace-sms")) {
      traced.clear();
      for (size_t at = 0; at <= value.size();) {
        size_t comma = std::min(value.find(',', at), value.size());
        if (!wholeNumber(value.substr(at, comma - at), 4095, whole))
          return usageError("expected --trace-sms=N,N,..., got '" + value +
                            "'");
        traced.push_back(static_cast<uint32_t>(whole));
        at = comma + 1;
      }
    } else if (valueOf("--max-instructions")) {
      if (!wholeNumber(value, ~uint64_t(0), maxInstructions))
        return usageError("expected a number of instructions");
    } else if (valueOf("--trace")) {
      tracePath = value;
    } else if (valueOf("--json")) {
      jsonPath = value;
    } else if (argument.size() > 1 && argument[0] == '-') {
      return usageError("unknown option '" + argument + "'");
    } else if (path.empty()) {
      path = argument;
    } else {
      return usageError("more than one launch file");
    }
  }
  if (path.empty())
    return usageError("expected a launch file");

  emulator::LaunchFile file;
  if (!emulator::readLaunchFile(path, file, error)) {
    std::fprintf(stderr, "%s: error: %s\n", path.c_str(), error.c_str());
    return 1;
  }
  emulator::LoadResult loaded = emulator::loadProgram(file.ptx);
  for (const emulator::SourceDiagnostic &wrong : loaded.errors)
    std::fprintf(stderr, "%s:%u: error: %s\n", file.ptxPath.c_str(), wrong.line,
                 wrong.message.c_str());
  if (!loaded.program)
    return 1;
  Timeline timeline;
  if (!ratesFor(loaded.program->target(), timeline.rates, error))
    return failure(error);
  for (auto &[name, value] : changed)
    if (!setRate(timeline.rates, name, value, error))
      return usageError(error);

  RecordResult recorded = record(*loaded.program, file.launch, maxInstructions);
  if (!recorded.error.empty())
    return failure(recorded.error);
  for (const emulator::Diagnostic &diagnostic : recorded.report.diagnostics)
    std::fprintf(stderr, "%s: %s\n", file.ptxPath.c_str(),
                 emulator::formatDiagnostic(diagnostic).c_str());
  if (recorded.report.hasErrors() || !recorded.report.completed)
    return 1;
  timeline.name = file.launch.entry;
  if (timeline.name.empty() && !loaded.program->entries().empty())
    timeline.name = loaded.program->entries().front();
  timeline.recording = std::move(recorded.recording);
  timeline.sharedBytes = file.launch.dynamicSharedBytes;
  timeline.tensorColumns = recorded.report.statistics.tensorColumns;
  timeline.multiplyAdds = recorded.report.statistics.multiplyAdds;
  timeline.ctasPerSm = resident != 0 ? static_cast<uint32_t>(resident)
                                     : residentCtas(file.launch);
  SimulationOptions options;
  options.ctasPerSm = timeline.ctasPerSm;
  timeline.result = simulate(timeline.recording, timeline.rates, options);
  if (!timeline.result.error.empty())
    return failure(timeline.result.error);
  timeline.attribution = attribute(timeline.recording, timeline.result);
  std::fputs(formatReport(timeline).c_str(), stdout);
  if (!jsonPath.empty() && !writeText(jsonPath, timelineToJson(timeline)))
    return failure("cannot write '" + jsonPath + "'");
  if (!tracePath.empty() &&
      !writeText(tracePath, timelineToTrace(timeline, traced)))
    return failure("cannot write '" + tracePath + "'");
  return 0;
}
