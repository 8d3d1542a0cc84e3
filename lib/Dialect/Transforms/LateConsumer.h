//===- LateConsumer.h - a consumer that releases late -----------*- C++ -*-===//
//
// The part of bsmm-verify-channels that knows consumers which issue the next
// step's multiplications before they wait for the last one's.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_LATECONSUMER_H
#define BSMM_LIB_DIALECT_TRANSFORMS_LATECONSUMER_H

#include "ChannelSchedule.h"

namespace bsmm {

/// The operations of one side: acquire and commit, or wait and release. Several
/// consumers that take turns are a side each.
struct Side {
  llvm::SmallVector<mlir::Operation *, 2> enters, leaves;

  mlir::Operation *getEnter() const { return enters.front(); }
  mlir::Operation *getLeave() const { return leaves.front(); }
};

/// As many threads or warps arrive as the channel says.
mlir::LogicalResult verifyCount(mlir::Operation *leave, ArrivalAttr arrival);

/// Multiplications into registers go on reading their operands until they have
/// been waited for. At `leave` only groups may still run that read other slots:
/// those that `block` has issued from `others` on, if any. Operations up to
/// `enter`, if any, have nothing to do with the slot; without it the block
/// begins while groups run.
mlir::LogicalResult verifyWaitedFor(mlir::Block *block, mlir::Operation *enter,
                                    mlir::Operation *leave,
                                    mlir::Operation *others = nullptr);

/// A consumer that releases each slot one step late, while the next step's
/// multiplications run:
///
///   if lower < upper {
///     wait[first]
///     for lower + step .. upper, carrying next = first + 1 {
///       wait[next]; release[next - 1]
///     }
///     release[next - 1]
///   }
///
/// A trip may have several steps, of which those that fill no trip follow one
/// by one. With two:
///
///   inTrips = steps - steps % 2, split = lower + inTrips * step
///   if lower < split {
///     wait[first]; wait[first + 1]; release[first]
///     for lower + 2 * step .. split, by 2 * step, carrying next = first + 2 {
///       release[next - 1]; wait[next]; wait[next + 1]; release[next]
///     }
///     release[next - 1]
///   }
///   for split .. upper, carrying rest = first + inTrips {
///     wait[rest]; release[rest]
///   }
class LateConsumer {
public:
  /// Whether a side has as many operations as one of these forms.
  static bool isLate(const Side &side);
  /// Finds the form in a side for which `isLate` holds. Emits an error for
  /// others.
  static mlir::FailureOr<LateConsumer> match(const Side &side);

  /// Whether slots are used before they are given away, by all who arrive.
  mlir::LogicalResult verify(ArrivalAttr arrival, int64_t slots);
  mlir::FailureOr<Schedule> findSchedule();

private:
  mlir::LogicalResult matchTrips();
  mlir::LogicalResult matchRest();

  /// Waits of a trip's steps before the loop and in it, and the release of each
  /// but the last.
  llvm::SmallVector<WaitOp, 2> first, inner;
  llvm::SmallVector<ReleaseOp, 2> firstReleases, innerReleases;
  /// Releases of a trip's last slot, in the next trip and after the last one.
  ReleaseOp late, last;
  mlir::scf::ForOp loop;
  /// The steps that fill no trip; null where a trip has one.
  mlir::scf::ForOp rest;
  WaitOp restWait;
  ReleaseOp restRelease;
  mlir::Value lower;
};

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_LATECONSUMER_H
