//===- Observer.h - What a run does, step by step ---------------*- C++ -*-===//
//
// An observer is told of every warp instruction, asynchronous operation,
// arrival and wait of a run, in the order in which the emulator does them: for
// each warp that is program order, and whatever a wait needs was told before
// it. So the calls are an order in which the program can run, from which
// timing models and profiles can be made without knowing any PTX.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_OBSERVER_H
#define BSMM_EMULATOR_OBSERVER_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace bsmm::emulator {

/// A warp of the grid. CTAs are numbered with x innermost.
struct ObservedWarp {
  uint64_t cta = 0;
  uint32_t warp = 0;
};

/// A CTA that begins.
struct ObservedCta {
  uint64_t cta = 0;
  uint64_t cluster = 0; ///< number of its cluster
  uint32_t clusterCtas = 1;
  uint32_t warps = 0;
};

/// A warp instruction that was executed.
struct ObservedInstruction {
  uint32_t pc = 0; ///< a number of its own for each instruction of the program
  uint32_t line = 0;
  std::string_view opcode; ///< with all modifiers, as in the PTX text
  uint32_t lanes = 0;      ///< mask; 0: predicated off for all
  /// Registers that it names, as numbers of the program. tcgen05.ld and .st
  /// move `vector` registers a lane.
  const uint32_t *reads = nullptr;
  uint32_t readCount = 0;
  const uint32_t *writes = nullptr;
  uint32_t writeCount = 0;
  uint32_t vector = 0;
};

/// Bytes [address + k * stride, + bytes) of global memory for k below count.
struct ObservedRows {
  uint64_t address = 0;
  uint64_t stride = 0;
  uint32_t bytes = 0;
  uint32_t count = 1;
};

/// An asynchronous operation at its issue.
struct ObservedOperation {
  enum class Kind : uint8_t {
    Load,       ///< bulk copy, global to shared memory
    Store,      ///< bulk copy, shared to global memory
    SharedCopy, ///< bulk copy to shared memory of the cluster
    StAsync,    ///< st.async or red.async of a lane
    CpAsync,    ///< cp.async of a warp
    Wgmma,      ///< a warp's quarter of a wgmma
    TensorMma,  ///< tcgen05.mma
    TensorCopy, ///< tcgen05.cp, tcgen05.shift
    Commit,     ///< arrives when what its thread issued before is done
  };
  Kind kind = Kind::Load;
  uint64_t id = 0; ///< of this run; never 0
  uint32_t line = 0;
  /// Bytes moved. Of tensor-core operations: bytes that it reads from the
  /// shared memory of one CTA (of a wgmma: all four warps together).
  uint64_t bytes = 0;
  uint32_t destinations = 1; ///< CTAs that get the data
  /// wgmma, tcgen05.mma: the instruction's shape, and the bits of an element
  /// of A.
  uint32_t m = 0, n = 0, k = 0;
  uint32_t elementBits = 0;
  uint32_t ctas = 1; ///< of a tcgen05 operation: 1, or the pair
  /// Columns of tensor memory: the scale factors of A and B that a tcgen05.mma
  /// reads; the first, what a tcgen05.cp writes.
  uint32_t scaleColumn[2] = {0, 0};
  uint32_t scaleColumns[2] = {0, 0};
  std::vector<ObservedRows> rows; ///< Load, Store: global memory
};

/// A barrier of a CTA, or of its cluster.
struct ObservedBarrier {
  enum class Kind : uint8_t { Mbarrier, Named, Cluster };
  Kind kind = Kind::Mbarrier;
  uint64_t owner = 0;  ///< CTA, or cluster
  uint32_t number = 0; ///< shared memory offset, or the barrier's number
  uint64_t phase = 0;  ///< counted from 0 over the life of the CTA
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual void beginCta(const ObservedCta &) {}
  virtual void instruction(const ObservedWarp &, const ObservedInstruction &) {}
  virtual void operation(const ObservedWarp &, const ObservedOperation &) {}
  /// Something that the phase of a barrier needs: an arrival of a warp, or the
  /// completion of asynchronous operation `operation` when that is not 0.
  virtual void arrival(const ObservedWarp &, const ObservedBarrier &,
                       uint64_t /*operation*/) {}
  /// The warp goes on only now that the phase is complete.
  virtual void observed(const ObservedWarp &, const ObservedBarrier &) {}
  /// The warp goes on only now that the operation is complete; `readOnly`: has
  /// read its source.
  virtual void finished(const ObservedWarp &, uint64_t /*operation*/,
                        bool /*readOnly*/) {}
};

} // namespace bsmm::emulator

#endif // BSMM_EMULATOR_OBSERVER_H
