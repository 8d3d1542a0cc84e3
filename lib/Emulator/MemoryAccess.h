//===- MemoryAccess.h - Resolving addresses ---------------------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_MEMORYACCESS_H
#define BSMM_LIB_EMULATOR_MEMORYACCESS_H

#include "Machine.h"

namespace bsmm::emulator {

/// Where an address leads.
struct Place {
  uint8_t *pointer = nullptr;
  Cta *shared = nullptr; ///< of shared memory: whose
  uint32_t offset = 0;   ///< in it
};

/// Null pointer and a text that continues "reads " or "writes " on errors.
/// `bytes` is a power of two and the alignment.
Place resolve(Exec &x, Space space, uint64_t address, uint32_t bytes,
              GlobalUse use, int lane, std::string &error);

inline uint64_t addressOf(Exec &x, const AddressRef &ref, int lane) {
  if (ref.wide)
    return x.r<uint64_t>(ref.offset)[lane] +
           static_cast<uint64_t>(static_cast<int64_t>(ref.immediate));
  return x.r<uint32_t>(ref.offset)[lane] + static_cast<uint32_t>(ref.immediate);
}

/// An address of shared memory (shared::cluster form) from a reference that
/// may be generic. False: not shared memory.
inline bool sharedAddressOf(Exec &x, const AddressRef &ref, int lane,
                            uint32_t &result) {
  uint64_t address = addressOf(x, ref, lane);
  if (address - SharedWindow < SharedWindowBytes)
    address -= SharedWindow;
  if (address >= SharedWindowBytes)
    return false;
  result = static_cast<uint32_t>(address);
  return true;
}

bool takeSpace(Decoder &d, Space &space);
void takeCacheHints(Decoder &d);
uint8_t takeOrder(Decoder &d);
void synchronise(Exec &x, const Inst &i, const Place &place, int lane);
void registerAtomics(OpTable &table);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_MEMORYACCESS_H
