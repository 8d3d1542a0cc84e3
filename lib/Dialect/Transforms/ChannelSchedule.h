//===- ChannelSchedule.h - the iterations of a channel's sides --*- C++ -*-===//
//
// What bsmm-verify-channels knows of loops: through which iterations one side
// of a channel runs, and whether two sides run through the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_CHANNELSCHEDULE_H
#define BSMM_LIB_DIALECT_TRANSFORMS_CHANNELSCHEDULE_H

#include "ScalarValues.h"
#include "bsmm/Dialect/IR/Bsmm.h"

namespace bsmm {

/// Whether values of two roles are the same, where each role has its own copy
/// of the arithmetic: equal constants, the same operation on equal values, and
/// the induction variables of loops that have been found equal.
class SameValues {
public:
  void addEqual(mlir::Value a, mlir::Value b) { known[{a, b}] = true; }
  bool isSame(mlir::Value a, mlir::Value b, unsigned depth = 512);

private:
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> known;
};

/// A sum of values with constant factors, which wraps around as i32 arithmetic
/// does, and a constant.
struct Sum {
  int32_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int32_t>> terms;

  void add(const Sum &other, int32_t factor) {
    constant += uint32_t(other.constant) * uint32_t(factor);
    for (auto [value, times] : other.terms)
      terms.push_back({value, uint32_t(times) * uint32_t(factor)});
  }
};

Sum findSum(mlir::Value value, unsigned depth = 16);

/// `a` - `b` where that is a constant.
std::optional<int32_t> getDifference(const Sum &a, const Sum &b);

/// The lower value of a comparison that holds when it is less than `upper`;
/// null for other conditions.
mlir::Value getLowerOfLess(mlir::Value condition, mlir::Value upper);

/// What a loop adds to a value that it carries; null when it is no sum.
mlir::Value findIncrement(mlir::BlockArgument argument, mlir::scf::ForOp loop);

/// The iterations that one side of a channel runs through: the loops around it,
/// innermost first, what each adds to the count in a trip, and the first count.
///
/// Branches on a loop's counter leave out its first or last trips, and a side
/// may be some iterations behind the loop's count: what counts are the trips in
/// which the side is there, as if the loop were shifted by so many steps.
struct Schedule {
  struct Level {
    Sum lower, upper;
    mlir::Value step;
    /// Null when nothing inside depends on it.
    mlir::Value inductionVar;
    mlir::Value increment;
  };
  llvm::SmallVector<Level> levels;
  mlir::Value start;
  /// In a loop that has a part of the iterations of all trips of the loop
  /// around it, which then is the only level and counts those of a trip: how
  /// far it is ahead of that count when it ends.
  std::optional<int64_t> ahead;
};

/// The iteration of an acquire, commit, wait or release.
mlir::Value getIteration(mlir::Operation *op);

/// Whether `sum` is `factor` times the part of a loop's trips that fills whole
/// groups of `group`: trips - trips % group.
bool isWholeGroups(const Sum &sum, int32_t factor, int64_t group,
                   const Schedule::Level &loop);

/// Each loop around the innermost one counts what that one has counted, from 0
/// on: slots and phases follow from the number of uses.
mlir::LogicalResult verifyUses(mlir::Operation *access,
                               const Schedule &schedule);

/// Follows an iteration count outwards through the loops that carry it. The
/// innermost loop must count by one, or by all `consumers` that have a trip
/// each, which is compared with the producer's; the outer ones pass on what the
/// inner ones have counted, which is compared between the two sides. `access`
/// stands for the operation that errors are about, `outer` for where to begin.
mlir::LogicalResult followCount(mlir::Operation *access, mlir::Operation *outer,
                                mlir::Value count, int64_t consumers,
                                Schedule &schedule);

/// The iterations of an acquire or a wait.
mlir::FailureOr<Schedule> findSchedule(mlir::Operation *access,
                                       int64_t consumers = 1);

/// Where the consumer's schedule differs from the one it must have; empty when
/// it does not. Consumer `number` of `consumers` that take turns starts that
/// many trips of the outermost loop later and skips the others'.
mlir::StringRef findDifference(const Schedule &producer,
                               const Schedule &consumer, int64_t number,
                               int64_t consumers);

/// Whether two roles that take turns have the same loops, except that the
/// second one's first trip lies half a step of the outermost loop after the
/// first one's: it makes as many trips or one fewer.
bool isSecondOfTwo(const Schedule &first, const Schedule &second);

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_CHANNELSCHEDULE_H
