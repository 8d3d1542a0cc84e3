//===- Backend.h - ways to run a kernel -------------------------*- C++ -*-===//
//
// bsmm-run gives a kernel and its operands to a backend and compares what comes
// out with an independent float64 computation. Backends register under a name;
// the tool knows no more of them.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNNER_BACKEND_H
#define BSMM_RUNNER_BACKEND_H

#include "bsmm/Runner/Problem.h"
#include "bsmm/Runtime/MeasurementReport.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace bsmm::runner {

/// What the user asked for beyond the problem itself.
struct RunOptions {
  /// Emulator: when asynchronous operations take effect ("eager", "lazy",
  /// "random:SEED").
  std::string mode = "eager";
  /// Emulator: sum as tensor cores do ("hardware") or exactly ("exact").
  std::string arithmetic = "hardware";
  /// Emulator: also report recommended fences that are missing.
  bool strict = true;
  /// Reference: type of the accumulator, "f64" or "f32".
  std::string accumulate = "f64";
  /// CTAs of a persistent kernel are at most this many; 0: the target's SMs.
  int64_t smCount = 0;
  /// How often the kernel is launched on the same memory.
  int64_t launches = 2;
  /// GPU: where times go, and what was measured there; null: nothing is.
  runtime::Measurement *measurement = nullptr;
  runtime::MeasurementSetting *setting = nullptr;
  /// Launches before the measured ones, and measured ones.
  int64_t warmup = 10;
  int64_t repetitions = 100;
  /// Whether the L2 cache is overwritten before each measured launch.
  bool flush = true;
};

class Backend {
public:
  virtual ~Backend();
  virtual std::string getName() const = 0;
  /// One line for --help.
  virtual std::string getDescription() const = 0;
  /// Whether it runs tile-level kernels only, so that problem-level functions
  /// have to be lowered for it.
  virtual bool runsKernels() const = 0;
  /// Runs `kernel` of `module` (problem level or tile level) and writes the
  /// output into operands.d. Returns the reason on failure. What is worth
  /// telling goes to `log`.
  virtual std::string run(mlir::ModuleOp module, const Problem &problem,
                          Operands &operands, const RunOptions &options,
                          llvm::raw_ostream &log) = 0;
};

/// All registered backends, in order of registration.
std::vector<std::unique_ptr<Backend>> &getBackends();
/// The backend of a name, or nullptr.
Backend *findBackend(const std::string &name);
/// Registers the backends that this build has: reference, emulator,
/// cuda.
void registerBackends();

} // namespace bsmm::runner

#endif // BSMM_RUNNER_BACKEND_H
