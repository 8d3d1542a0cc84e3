//===- Recording.h - What a kernel does, without any time -------*- C++ -*-===//
//
// The programs of all warps of a grid as short steps: work, memory accesses,
// asynchronous operations, and moments that steps wait for and contribute to.
// A moment is a phase of a barrier. The recorder makes a recording from a run
// of the emulator; tests write small ones by hand.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TIMELINE_RECORDING_H
#define BSMM_TIMELINE_RECORDING_H

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/Observer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bsmm::timeline {

constexpr uint32_t None = ~0u;

/// A step of a warp. What `a` and `b` are is said with each kind.
struct Step {
  enum class Kind : uint8_t {
    Work,        ///< a instructions, b of them at half rate
    SharedLoad,  ///< a bytes
    SharedStore, ///< a bytes
    GlobalLoad,  ///< a bytes
    GlobalStore, ///< a bytes
    TensorLoad,  ///< tcgen05.ld, a bytes
    TensorStore, ///< tcgen05.st, a bytes
    Use,         ///< waits for load number a of the warp and all before it
    Signal,      ///< contributes to moment a
    Wait,        ///< waits for moment a
    Start,       ///< issues operation a
    Finish,      ///< waits for operation a; b: only until it read its source
  };
  Kind kind = Kind::Work;
  uint32_t line = 0; ///< of the PTX
  uint32_t a = 0;
  uint32_t b = 0;
};

/// An asynchronous operation.
struct Operation {
  enum class Kind : uint8_t {
    Load,        ///< TMA, global to shared memory
    Store,       ///< TMA, shared to global memory
    ClusterCopy, ///< TMA, to shared memory of the cluster
    StAsync,     ///< st.async of a warp
    CpAsync,
    Mma,        ///< wgmma or tcgen05.mma
    TensorCopy, ///< tcgen05.cp
    Commit,     ///< done when all tensor operations of the warp before it are
  };
  Kind kind = Kind::Load;
  uint8_t issuers = 1;      ///< warps that must start it: 4 for a wgmma
  uint8_t ctas = 1;         ///< whose tensor core an Mma uses: 1, or the pair
  uint8_t destinations = 1; ///< CTAs that a Load delivers to
  uint32_t line = 0;
  uint32_t bytes = 0; ///< moved; Mma, TensorCopy: read from shared memory
  /// Mma: rows x columns x bytes of K that one SM multiplies.
  uint32_t product = 0;
  /// Columns of tensor memory that hold scale factors: an Mma reads them, a
  /// TensorCopy writes the first.
  uint16_t scaleColumn[2] = {0, 0};
  uint16_t scaleColumns[2] = {0, 0};
  uint32_t firstRow = 0, rowCount = 0;       ///< into Recording::rows
  uint32_t firstMoment = 0, momentCount = 0; ///< into Recording::signals
};

/// A phase of a barrier.
struct Moment {
  emulator::ObservedBarrier::Kind kind =
      emulator::ObservedBarrier::Kind::Mbarrier;
  uint32_t contributions = 0; ///< until it is complete
  uint32_t owner = None;      ///< CTA of an mbarrier or named barrier
  uint32_t number = 0;        ///< shared memory offset, or barrier number
  uint32_t phase = 0;
};

struct WarpProgram {
  std::vector<Step> steps;
};

struct CtaProgram {
  uint32_t cluster = 0;
  uint32_t rank = 0; ///< in the order of the cluster's CTAs
  std::vector<WarpProgram> warps;
};

struct Recording {
  std::string target;
  std::vector<CtaProgram> ctas;
  uint32_t clusterCtas = 1;
  std::vector<Operation> operations;
  std::vector<emulator::ObservedRows> rows;
  std::vector<uint32_t> signals; ///< moments that operations contribute to
  std::vector<Moment> moments;
  uint64_t instructions = 0; ///< of warps
};

struct RecordResult {
  Recording recording;
  /// Errors that the emulator found; the recording is good when there are none.
  emulator::Report report;
  std::string error; ///< why there is no recording, if not for the report's
};

/// Steps and operations of a recording; more than that are an error.
constexpr uint64_t MostSteps = 200'000'000;

/// Runs the launch in the emulator without its arithmetic and records it.
/// Where a warp goes must not depend on what tensor cores compute or bulk
/// copies move. A CTA that takes its work from a shared counter gets what it
/// got in the emulator.
RecordResult record(const emulator::Program &program,
                    const emulator::Launch &launch,
                    uint64_t maxInstructions = 0,
                    uint64_t mostSteps = MostSteps);

} // namespace bsmm::timeline

#endif // BSMM_TIMELINE_RECORDING_H
