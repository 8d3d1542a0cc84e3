//===- Harness.h - Run a piece of PTX in a test -----------------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_EMULATOR_HARNESS_H
#define BSMM_TEST_UNIT_EMULATOR_HARNESS_H

#include "bsmm/Emulator/Emulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace bsmm::emulator::test {

/// A kernel `k(.param .u64 out, .param .u64 in)` with `body`.
inline std::string kernel(const std::string &body,
                          const std::string &target = "sm_100a",
                          const std::string &before = "") {
  return ".version 8.8\n.target " + target + "\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 out, .param .u64 in) {\n" + body +
         "\n}\n";
}

/// Registers that most bodies want: %r, %rd, %p, %f, %tid in %t, the buffers'
/// addresses in %out and %in, and %outt = out + 4 * tid.
inline std::string prologue() {
  return R"(
  .reg .b32 %r<100>; .reg .b64 %rd<100>; .reg .pred %p<20>;
  .reg .f32 %f<20>; .reg .f64 %fd<20>; .reg .b16 %h<20>;
  .reg .b32 %t; .reg .b64 %out, %in, %outt, %int;
  mov.u32 %t, %tid.x;
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  mad.wide.u32 %outt, %t, 4, %out;
  mad.wide.u32 %int, %t, 4, %in;
)";
}

struct Outcome {
  LoadResult loaded;
  Report report;
  std::vector<uint32_t> out;

  bool has(const std::string &kind, Severity severity = Severity::Error) const {
    for (const Diagnostic &diagnostic : report.diagnostics)
      if (diagnostic.kind == kind && diagnostic.severity == severity)
        return true;
    return false;
  }
  std::string text() const {
    std::string result;
    for (const SourceDiagnostic &error : loaded.errors)
      result +=
          "line " + std::to_string(error.line) + ": " + error.message + "\n";
    for (const Diagnostic &diagnostic : report.diagnostics)
      result += formatDiagnostic(diagnostic) + "\n";
    return result;
  }
  bool clean() const {
    return loaded.program && report.completed && !report.hasErrors();
  }
};

struct LaunchSetup {
  Dim3 grid, block = {32, 1, 1}, cluster;
  uint32_t dynamicShared = 0;
  size_t outWords = 1024;
  std::vector<uint32_t> in = std::vector<uint32_t>(1024, 0);
  Options options;
  std::vector<Parameter> more; ///< after out and in
};

inline Outcome run(const std::string &ptx, LaunchSetup setup = {}) {
  Outcome outcome;
  outcome.loaded = loadProgram(ptx);
  if (!outcome.loaded.program)
    return outcome;
  outcome.out.assign(setup.outWords, 0xCDCDCDCDu);
  Launch launch;
  launch.entry = "k";
  launch.grid = setup.grid;
  launch.block = setup.block;
  launch.cluster = setup.cluster;
  launch.dynamicSharedBytes = setup.dynamicShared;
  launch.buffers.push_back({"out",
                            reinterpret_cast<uint8_t *>(outcome.out.data()),
                            outcome.out.size() * 4, false});
  launch.buffers.push_back({"in", reinterpret_cast<uint8_t *>(setup.in.data()),
                            setup.in.size() * 4, true});
  launch.parameters = {Parameter::pointer(0), Parameter::pointer(1)};
  for (Parameter &parameter : setup.more)
    launch.parameters.push_back(parameter);
  outcome.report =
      emulator::run(*outcome.loaded.program, launch, setup.options);
  return outcome;
}

/// The three modes and some seeds.
inline std::vector<Options> allModes() {
  std::vector<Options> result(2);
  result[1].mode = AsyncMode::Lazy;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Options options;
    options.mode = AsyncMode::Random;
    options.seed = seed;
    result.push_back(options);
  }
  return result;
}

} // namespace bsmm::emulator::test

#endif // BSMM_TEST_UNIT_EMULATOR_HARNESS_H
