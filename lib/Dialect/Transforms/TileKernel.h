//===- TileKernel.h - what a tile-level kernel computes ---------*- C++ -*-===//
//
// The analysis of bsmm-tile-to-pipeline: a loop over K around dots, perhaps in
// a loop over output tiles, then an epilogue and one store.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_TILEKERNEL_H
#define BSMM_LIB_DIALECT_TRANSFORMS_TILEKERNEL_H

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Target/Target.h"

namespace bsmm {

/// Whether an operation works on tiles rather than scalars.
bool isTensorOp(mlir::Operation *op);

/// Columns of an accumulator in tensor memory that a thread drains at a time.
inline constexpr int64_t drainColumns = 32;

/// Trips of a signed loop whose bounds are constants.
std::optional<int64_t> countTrips(mlir::scf::ForOp loop);

/// The loop whose work is shared out over roles, each of which runs through it
/// on its own: the one over output tiles, or the one over K, after which the
/// roles' warps drain together; or neither, so that one warp loads and
/// multiplies.
enum class Specialization { TileLoop, KLoop, None };

/// What the analysis finds.
struct TileKernel {
  explicit TileKernel(KernelOp kernel) : kernel(kernel) {}

  /// Fills in the rest. Emits an error for what cannot be lowered.
  mlir::LogicalResult analyze();

  /// Whether the target accumulates in registers (wgmma) and not in tensor
  /// memory (tcgen05).
  bool accumulatesInRegisters() const { return !gpu->hasTcgen05; }
  /// Whether the warps that load and multiply drain, too: with accumulators in
  /// tensor memory, where the loop over output tiles is not shared out.
  bool joins() const {
    return !accumulatesInRegisters() &&
           specialization != Specialization::TileLoop;
  }
  /// Steps that loads are issued before their multiplications, where the order
  /// of the program says so. One warp that loads and multiplies has one slot
  /// less than there are, so that it waits for the multiplication before the
  /// last one, and not for the last one, before it loads the next step.
  int64_t getAhead() const {
    return specialization == Specialization::None
               ? std::max<int64_t>(stages - 1, 1)
               : stages;
  }
  /// Pieces of the output tile that pass through shared memory one after the
  /// other; 1 when the store does not use it.
  int64_t getStagingPieces() const {
    return stagingType && !isTransposed
               ? getDrainedColumns() / stagingType.getShape()[1]
               : 1;
  }
  /// Columns that a CTA stores.
  int64_t getOutputColumns() const { return columns / split; }
  /// Rows and columns of that for those who drain together: one warpgroup of
  /// several.
  int64_t getDrainedRows() const {
    return accumulatesInRegisters() && !splitsByColumns
               ? rows / consumerWarpgroups
               : rows;
  }
  int64_t getConsumerWarpgroups() const {
    return consumers * consumerWarpgroups;
  }
  int64_t getDrainedColumns() const {
    return getOutputColumns() / (splitsByColumns ? consumerWarpgroups : 1);
  }

  /// What one store moves out of the staging buffer, and its tensor map.
  BufferType getStoreType() const;
  TensorMapType getStoreMapType(TmaStoreOp op) const;

  struct Dot {
    mlir::Operation *op;
    /// Numbers of its loads in `loads`.
    unsigned a, b, scaleA = 0, scaleB = 0;
    /// Of block-scaled dots; null when not there.
    mlir::Value scaleBOffset, limitK;
    /// Where its block-scaled operands lie when they have been decoded for a
    /// tensor core without block scales; null without.
    BufferType decodedA, decodedB;
    /// Elements of K whose sum is added to the accumulator in full precision;
    /// 0 for sums of the tensor core.
    int64_t promoteEvery = 0;
    /// Scales of its sum's rows and columns, and the multiple at which its
    /// columns start; null without.
    ScaleLoadOp rowScales, columnScales;
    int64_t columnAlignment = 1;
  };

  KernelOp kernel;
  const target::Gpu *gpu = nullptr;
  mlir::scf::ForOp mainLoop, tileLoop;
  Specialization specialization = Specialization::KLoop;
  /// Whether loads run through the steps of all tiles as one sequence where
  /// the warps join.
  bool flattens = false;
  llvm::SmallVector<Dot> dots;
  llvm::SmallVector<TmaLoadOp> loads;
  llvm::SmallVector<BufferType> loadTypes;
  /// Extents of the output tile in the accumulator, the columns of all of the
  /// accumulator, and its type in tensor memory (null for registers).
  int64_t rows = 0, columns = 0, accumulatorColumns = 0;
  BufferType accumulatorType;
  /// What the epilogue starts from, and whether that is the transpose of the
  /// accumulator, whose columns are then rows of the output tile.
  mlir::Value sum;
  bool isTransposed = false;
  /// Which columns of the accumulator are the output tile's; null for all.
  ExtractColumnsOp extract;
  /// Store of the result, a TmaStoreOp or a PredicatedStoreOp.
  mlir::Operation *store = nullptr;
  /// Shared memory that a TMA store reads: a piece of the output tile, and how
  /// many of them there are, or one for each warpgroup that drains a transposed
  /// accumulator; null for other stores.
  BufferType stagingType;
  int64_t stagingSlots = 1;
  /// Whether they lie where the operands were: in a kernel whose CTAs have one
  /// tile each.
  bool stagesOverSlots = false;
  /// Slots of the load channel, accumulators that take turns.
  int64_t stages = 1, accumulators = 1;
  /// Parts of the columns that are promoted one after the other, whether one
  /// part is added while the next one is multiplied, and the steps in each trip
  /// of the loop that does so.
  int64_t promotedColumnParts = 1;
  /// The same of the rows, where warpgroups share the columns.
  int64_t promotedRowParts = 1;
  bool overlapsPromotion = false;
  int64_t promotedTripSteps = 1;
  /// Places for the scales of a step in tensor memory, which take turns.
  int64_t scaleTurns = 1;
  /// Columns that two accumulators share; 0 for accumulators apart.
  int64_t overlap = 0;
  /// CTAs of a cluster that share the steps of the loop over K; each stores its
  /// share of the columns.
  int64_t split = 1;
  /// CTAs of a cluster, each with output tiles of its own, that load together
  /// what is the same for all; 1 without.
  int64_t multicast = 1;
  /// The tensor map of a CTA's share of each such load; null for others.
  llvm::SmallVector<TensorMapType> shares;
  /// Loads of a slot that one warp issues, by their numbers: all of them, or
  /// first those that each CTA of a cluster has for itself, and then those of
  /// the operand that they load together, which another warp issues. Each group
  /// has a channel of its own.
  llvm::SmallVector<llvm::SmallVector<unsigned>, 2> loadGroups;
  /// Shared memory through which they add their sums; null without.
  BufferType exchangeType;
  /// Warpgroups that multiply and drain one accumulator in registers, or drain
  /// one in tensor memory.
  int64_t consumerWarpgroups = 1;
  /// Consumers that take turns with output tiles, each of so many warpgroups:
  /// 2 with bsmm.ping_pong.
  int64_t consumers = 1;
  /// Whether they share the tile's columns rather than its rows.
  bool splitsByColumns = false;

private:
  /// Dots of a step, of which `dots` has those analyzed so far.
  int64_t numDots = 0;

  mlir::LogicalResult analyzeSpecialization();
  mlir::LogicalResult analyzeFlattening();
  mlir::LogicalResult chooseAccumulators();
  mlir::LogicalResult analyzeDots(llvm::ArrayRef<mlir::Operation *> found);
  mlir::LogicalResult analyzeScaledDot(ScaledDotOp op);
  mlir::LogicalResult checkScaledForm(ScaledDotOp op);
  mlir::LogicalResult analyzeDecoding(ScaledDotOp op, Dot &dot);
  mlir::LogicalResult analyzeDot(DotOp op);
  mlir::LogicalResult analyzeSumScales(DotOp op, Dot &dot);
  int64_t choosePromotion(int64_t depthParts, bool hasSumScales,
                          bool hasOnePanel, int64_t registers, int64_t most);
  mlir::LogicalResult checkTile(mlir::Operation *op, int64_t m, int64_t n,
                                int64_t k);
  mlir::LogicalResult checkLoads(mlir::Operation *op, const Dot &dot);
  mlir::FailureOr<unsigned> addLoad(mlir::Operation *user, TmaLoadOp load,
                                    BufferType type);
  mlir::LogicalResult analyzeLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult analyzeSurroundings();
  mlir::LogicalResult analyzeSplit();
  mlir::LogicalResult analyzePingPong();
  mlir::LogicalResult analyzeMulticast();
  mlir::LogicalResult analyzeEpilogueWarps();
  mlir::LogicalResult analyzeTranspose();
  mlir::LogicalResult checkFirstColumn();
  mlir::LogicalResult analyzeStore();
  mlir::LogicalResult chooseStaging(TmaStoreOp op, mlir::Type element);
  mlir::LogicalResult setStaging(TmaStoreOp op, mlir::Type element,
                                 BufferLayout layout);
  int64_t getSharedBytes(int64_t slots) const;
  mlir::LogicalResult chooseStages(int64_t stated);
  mlir::LogicalResult chooseMemory();
  int64_t countStages() const;
  int64_t countDefaultStages() const;
  int64_t getSlotBytes() const;
  bool stageOverSlots(int64_t stated);
};

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_TILEKERNEL_H
