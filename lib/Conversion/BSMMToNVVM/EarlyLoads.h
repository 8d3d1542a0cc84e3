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
  /// Whether threads arrive at the cluster's barrier again, which each may only
  /// do when it has waited (PTX ISA, barrier.cluster).
  bool meetsClusterAgain = false;
  /// Whether it sends something to other CTAs later that nobody else has waited
  /// with.
  bool sendsLater = false;
  /// Whether others reach other CTAs before what this role has loaded is there,
  /// for which it has waited.
  bool othersReachCluster = false;
  /// Whether the warp has tensor memory to use after that role.
  bool usesTensorMemoryLater = false;

  /// Whether its threads, or the others, wait for the CTAs of the cluster.
  bool waitsForCluster() const {
    return reachesCluster || meetsClusterAgain || sendsLater;
  }
  bool othersWaitForCluster() const {
    return othersReachCluster || meetsClusterAgain;
  }
};

/// The warp of a kernel with tensor memory that can load before the threads of
/// the CTA have met: the first one that loads, and none where it does more.
std::optional<EarlyLoads> findEarlyLoads(KernelOp kernel);

/// Whether an operation makes a channel whose consumers arrive at barriers of
/// other CTAs, so that none may end before the others: all meet at the end.
/// Where tensor cores arrive the producer has waited for the last arrivals,
/// which come after all copies.
bool endsTogether(mlir::Operation *op);

/// Named barriers of the prologue (those of roles have lower numbers): all
/// threads, of which the warp that loads only arrives; and that warp with the
/// one that has allocated tensor memory.
inline constexpr int64_t entryBarrier = 15, tensorMemoryBarrier = 14;

} // namespace bsmm

#endif // BSMM_LIB_CONVERSION_BSMMTONVVM_EARLYLOADS_H
