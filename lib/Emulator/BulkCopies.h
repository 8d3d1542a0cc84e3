//===- BulkCopies.h - Destinations of copies --------------------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_BULKCOPIES_H
#define BSMM_LIB_EMULATOR_BULKCOPIES_H

#include "MemoryAccess.h"

namespace bsmm::emulator {

/// Known of it: stores whose completion was waited for, by the sequence of
/// AgentBulkRead. It accesses nothing itself.
constexpr uint32_t AgentBulkWrite = AgentsPerWarp - 1;

/// The CTAs that get the data of a copy to shared memory, and the mbarriers
/// that learn of it.
struct Destinations {
  struct Target {
    Cta *cta;
    Cta *barrierCta;
    uint32_t barrierOffset;
    Agent agent;
    Clock clock;
    uint64_t phase; ///< of the mbarrier at issue
  };
  std::vector<Target> targets;
  uint32_t offset = 0; ///< in each CTA's shared memory

  /// False after an error. `pair`: .cta_group::2.
  bool find(Exec &x, const Inst &i, int lane, uint32_t address,
            uint32_t barrierAddress, bool multicast, uint32_t mask, bool pair);
  /// Notes that the copy writes these bytes of every target.
  void track(Exec &x, const Inst &i, int lane, uint32_t at, uint32_t bytes,
             const char *what, bool reduces = false) const;
  void attach(AsyncOp &op) const;
  /// Tells the mbarriers.
  void complete(Machine &m, uint32_t bytes, uint32_t line, Warp *warp, int lane,
                const Knowledge &knowledge) const;
};

/// The global memory of a copy, for an observer (Observe.cpp).
void describeRows(const std::vector<units::BoxPiece> &pieces,
                  std::vector<ObservedRows> &rows);

/// Takes a reduction's modifier: its number in units::ReductionOperation, or
/// -1.
int takeReduction(Decoder &d);

/// Reads the map that an instruction names. False after an error.
bool readMap(Exec &x, const Inst &i, const AddressRef &ref, int lane,
             units::TensorMap &map);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_BULKCOPIES_H
