//===- EmulatorBackend.cpp - compile and execute the PTX ------------------===//

#include "EmulatorBackend.h"
#include "DeviceRun.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

/// Keeps the first text of the runtime's log: what the first launch did.
static void keepFirst(void *user, bsmm_log_level level, const char *text) {
  auto *first = static_cast<std::string *>(user);
  if (first->empty() && level == BSMM_LOG_INFO)
    *first = text;
}

std::string EmulatorBackend::run(ModuleOp module, const Problem &problem,
                                 Operands &operands, const RunOptions &options,
                                 raw_ostream &log) {
  bsmm_emulator_options how = BSMM_EMULATOR_OPTIONS_INIT;
  how.mode = options.mode.c_str();
  how.arithmetic = options.arithmetic.c_str();
  how.strict = options.strict;
  Outcome<Device> device = Device::emulator(how);
  if (!device.ok())
    return device.text();
  CompiledKernel compiled;
  if (std::string reason = compileOne(module, problem.kernel, compiled);
      !reason.empty())
    return reason;

  std::string statistics;
  bsmm_set_log(keepFirst, &statistics);
  llvm::scope_exit quiet([] { bsmm_set_log(nullptr, nullptr); });
  auto report = [&](Kernel &, const Arguments &) -> std::string {
    // "emulator: ENTRY: 4 CTAs, ...", of which the entry is known.
    StringRef rest = statistics;
    rest.consume_front("emulator: " + compiled.manifest.entry + ": ");
    log << "emulator: " << rest << ", mode " << options.mode << "\n";
    return "";
  };
  return launchOnDevice(*device, compiled, problem, operands, options, report);
}
