//===- Emulator.h - Run PTX without a GPU -----------------------*- C++ -*-===//
//
// Executes a PTX entry over a whole grid: warps with divergence, shared,
// global, parameter and tensor memory, mbarriers, bulk tensor copies, tcgen05,
// wgmma and mma.sync. Asynchronous operations take effect at a time that the
// chosen mode picks between their issue and the moment the program has
// observed their completion, and accesses that PTX's ordering leaves open are
// reported (PTX ISA, "Memory Consistency Model", "Asynchronous Operations").
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_EMULATOR_H
#define BSMM_EMULATOR_EMULATOR_H

#include "bsmm/Emulator/Units/TensorMap.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bsmm::emulator {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A place in the PTX text and what is wrong there.
struct SourceDiagnostic {
  uint32_t line = 0; ///< 1-based; 0 when no line applies
  std::string message;
};

struct CompiledModule;
class Observer;

/// A PTX module that can be run. Immutable; may be run by several threads at
/// once.
class Program {
public:
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Names of the entries, in the order of the text.
  std::vector<std::string> entries() const;
  /// The `.target`, e.g. "sm_100a".
  const std::string &target() const;
  /// Bytes of the parameters of `entry`, each; empty for an unknown entry.
  std::vector<uint64_t> parameterSizes(const std::string &entry) const;

  const CompiledModule &compiled() const { return *module; }

private:
  friend struct ProgramBuilder;
  explicit Program(std::unique_ptr<CompiledModule> module);
  std::unique_ptr<CompiledModule> module;
};

struct LoadResult {
  std::unique_ptr<Program> program; ///< null when there are errors
  std::vector<SourceDiagnostic> errors;
};

/// Reads PTX text (ISA 8.0 to 9.x). Syntax errors and instructions that the
/// emulator doesn't know are errors with their line, found before anything
/// runs; all unknown instructions are listed, each distinct one once.
LoadResult loadProgram(std::string ptx);

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

/// Host memory that the kernel sees as global memory. It gets a 1024-byte
/// aligned device address of its own with unmapped space around it.
struct Buffer {
  std::string name;        ///< for messages
  uint8_t *data = nullptr; ///< must outlive the run
  size_t bytes = 0;
  bool readOnly = false; ///< a store is an error
};

/// A kernel parameter: bytes, with device addresses and tensor maps put into
/// them when the launch starts.
struct Parameter {
  struct Placement {
    enum class Kind : uint8_t { Pointer, TensorMap };
    Kind kind = Kind::Pointer;
    size_t offset = 0;     ///< in the parameter
    size_t buffer = 0;     ///< index into Launch::buffers
    size_t byteOffset = 0; ///< added to the buffer's address
    /// globalAddress is replaced by the buffer's address + byteOffset.
    units::TensorMap map;
  };
  std::vector<uint8_t> bytes;
  std::vector<Placement> placements;

  static Parameter i32(int32_t value);
  static Parameter i64(int64_t value);
  static Parameter f32(float value);
  static Parameter null();
  static Parameter pointer(size_t buffer, size_t byteOffset = 0);
  static Parameter tensorMap(const units::TensorMap &map, size_t buffer,
                             size_t byteOffset = 0);
};

struct Launch {
  std::string entry; ///< may be empty when the module has one entry
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  uint32_t dynamicSharedBytes = 0;
  std::vector<Parameter> parameters;
  std::vector<Buffer> buffers;
};

/// The 128 bytes that the emulator takes for a tensor map. Opaque, as a
/// CUtensorMap is; for maps that a kernel finds in global memory.
void encodeTensorMap(const units::TensorMap &map, uint8_t (&bytes)[128]);

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// When asynchronous operations take effect.
enum class AsyncMode : uint8_t {
  Eager, ///< at their issue
  Lazy,  ///< only when something must observe them
  Random ///< at a seeded random time in between
};

enum class CtaOrder : uint8_t { Ascending, Descending, Shuffled };

enum class Arithmetic : uint8_t {
  Hardware, ///< alignment and truncation as tensor cores do
  Exact     ///< exact sums, rounded once
};

struct Options {
  AsyncMode mode = AsyncMode::Eager;
  uint64_t seed = 0; ///< for Random, Shuffled and memory poison
  bool strict = false;
  /// Happens-before checks of shared and tensor memory.
  bool checkHazards = true;
  Arithmetic arithmetic = Arithmetic::Hardware;
  CtaOrder ctaOrder = CtaOrder::Ascending;
  /// Clusters that may be resident at once; more start only when the resident
  /// ones can't go on alone.
  uint32_t maxResidentClusters = 148;
  /// Host threads; 0: all cores. Result, report and trace don't depend on it.
  uint32_t threads = 0;
  uint64_t maxInstructions = 0; ///< warp instructions; 0: no limit
  uint32_t maxDiagnostics = 32; ///< per severity; the run stops at that
  /// Called now and then; returning false stops the run.
  std::function<bool(uint64_t finishedCtas, uint64_t ctas,
                     uint64_t instructions)>
      progress;
  uint64_t progressInterval = 1u << 22; ///< warp instructions
  std::string traceFile;                ///< Chrome trace JSON; empty: none
  /// Told of every step; must outlive the run, which then uses one host thread.
  Observer *observer = nullptr;
  /// Tensor cores and bulk copies neither compute nor move data, and what they
  /// would have written keeps what it held. For observers that need the order
  /// of events alone: right as long as no such data decides where a warp goes.
  bool skipData = false;
};

enum class Severity : uint8_t { Error, Strict };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string kind; ///< stable identifier, e.g. "shared-memory-race"
  std::string message;
  uint32_t line = 0; ///< of the PTX text
  Dim3 cta = {0, 0, 0};
  int warp = -1; ///< -1: no one warp
  int lane = -1;
  uint64_t count = 1; ///< how often the same line had it
};

struct Statistics {
  uint64_t warpInstructions = 0;
  uint64_t threadInstructions = 0;
  uint64_t tensorInstructions = 0;
  uint64_t multiplyAdds = 0; ///< of tensor instructions
  uint64_t bulkCopies = 0;
  uint64_t bulkBytes = 0;
  uint32_t tensorColumns = 0; ///< of tensor memory, most that a CTA held
  uint64_t ctas = 0;
  double seconds = 0;
};

struct Report {
  std::vector<Diagnostic> diagnostics;
  Statistics statistics;
  bool completed = false; ///< every CTA ran to its end
  bool hasErrors() const;
  size_t count(Severity severity) const;
};

/// Runs one launch to its end. Bad launches (unknown entry, parameter sizes,
/// shared memory over the target's limit, invalid tensor maps) give a report
/// with errors and nothing run.
Report run(const Program &program, const Launch &launch,
           const Options &options);

/// One line a diagnostic: "error: line 12: ... [cta (0,0,0) warp 1 lane 3]".
std::string formatDiagnostic(const Diagnostic &diagnostic);

/// The report as JSON text (schema bsmm.emulator.report/1).
std::string reportToJson(const Report &report);

} // namespace bsmm::emulator

#endif // BSMM_EMULATOR_EMULATOR_H
