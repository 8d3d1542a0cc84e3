//===- EarlyLoads.h - a warp that loads at once -----------------*- C++ -*-===//
//
// The warp that loads needs the barriers of its channels, and nothing else that
// a kernel's prologue makes: it initialises them itself and begins, while the
// others allocate tensor memory and meet.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYLOADS_H
#define BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYLOADS_H

#include "bsmm/Dialect/IR/Bsmm.h"
#include <optional>

namespace bsmm {

struct EarlyLoads {
  /// The role of a warp that loads; what its warp does first.
  WarpRoleOp role;
  int64_t warp = 0;
  /// Whether it writes to, or arrives at barriers of, other CTAs of the
  /// cluster, for whose barriers it then waits first.
  bool reachesCluster = false;
  /// Whether the warp has tensor memory to use after that role.
  bool usesTensorMemoryLater = false;
};

/// The warp of a kernel with tensor memory that can load before the threads of
/// the CTA have met: the first one that loads, and none where it does more.
std::optional<EarlyLoads> findEarlyLoads(KernelOp kernel);

/// Named barriers of the prologue (those of roles have lower numbers): all
/// threads, of which the warp that loads only arrives; and that warp with the
/// one that has allocated tensor memory.
inline constexpr int64_t entryBarrier = 15, tensorMemoryBarrier = 14;

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYLOADS_H
