//===- PipelineBuilder.h - writes a pipeline-level kernel -------*- C++ -*-===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_PIPELINEBUILDER_H
#define BSMM_LIB_DIALECT_TRANSFORMS_PIPELINEBUILDER_H

#include "TileKernel.h"
#include "mlir/IR/IRMapping.h"

namespace bsmm {

/// Builds the pipeline-level kernel of an analyzed tile-level kernel.
class PipelineBuilder {
public:
  explicit PipelineBuilder(TileKernel &tile)
      : tile(tile), kernel(tile.kernel), builder(tile.kernel.getContext()),
        loc(tile.kernel.getLoc()) {}

  /// Builds the new kernel before the old one and erases the old one. On
  /// failure an error has been emitted and nothing has changed.
  mlir::LogicalResult build();

private:
  using Value = mlir::Value;

  /// What of a tile a piece of code does: everything that is not the work of a
  /// role of its own, or one role's part.
  enum class Part {
    Everything,
    /// What the roles of warps that join for the epilogue do.
    Steps,
    Loads,
    /// Of what the CTAs of a cluster load together.
    SharedLoads,
    Multiplications,
    Epilogue,
    Consumer
  };
  mlir::LogicalResult emitTile(mlir::Block *block, Part part);
  mlir::LogicalResult emitTileLoop(Part part, int64_t consumer = 0);
  mlir::LogicalResult emitRoles();
  mlir::LogicalResult emitJoinedTiles();
  void emitStepRoles();
  void emitStepsInOrder(Value accumulator);
  void emitFlatSteps(Value accumulator);
  mlir::IRMapping emitTileScalars(Value tileNumber);
  void emitProducerRole(llvm::function_ref<void()> body);
  void emitConsumerRole(llvm::function_ref<void()> body, int64_t consumer = 0);
  void createChannels();
  void emitFinalStores();
  mlir::Type getArgumentType(mlir::BlockArgument argument);
  int64_t getBlockSize();
  /// Clones scalar code; operations of the tile level become what they mean.
  void emitScalar(mlir::Operation &op, mlir::IRMapping &local);
  void emitSteps();
  /// The scalars of one step, at `k` of the loop over K; `outer` maps what is
  /// defined around that loop.
  mlir::IRMapping emitStepScalars(const mlir::IRMapping &outer, Value k);
  Value emitShare(TmaLoadOp load, TensorMapType share, Value buffer,
                  llvm::SmallVectorImpl<Value> &coordinates);
  void emitLoads(unsigned group = 0);
  void emitLoadStep(mlir::IRMapping &local, Value iteration,
                    unsigned group = 0);
  unsigned getLoadPlace(unsigned load) const;
  llvm::SmallVector<mlir::Type> getSlotTypes(unsigned group);
  void emitMultiplyStep(mlir::IRMapping &local, Value iteration,
                        Value accumulator);
  void emitWaitReleased(Value count, unsigned group = 0);
  void emitTensorMemoryMultiplications();
  void emitRegisterMultiplications();
  void emitTurnStart();
  void emitTurnEnd();
  Value emitMultiply(mlir::ValueRange buffers, Value accumulator);
  /// A part of a step whose sum is promoted on its own.
  struct PromotedPart {
    TileKernel::Dot *dot;
    int64_t k, columnPart, rowPart;
    /// Number of its sum: only one of rows and columns has parts.
    int64_t getSum() const { return columnPart + rowPart; }
  };
  llvm::SmallVector<PromotedPart> getPromotedParts();
  Value emitPartialSum(mlir::ValueRange buffers, const PromotedPart &part);
  void emitPromotion(const PromotedPart &part, Value partial,
                     mlir::ValueRange scales,
                     llvm::MutableArrayRef<Value> sums);
  void emitPromotedMultiplications();
  void emitPromotionInTurn(llvm::ArrayRef<PromotedPart> parts, Value lower,
                           Value firstIteration,
                           llvm::SmallVectorImpl<Value> &sums);
  void emitOverlappedPromotion(llvm::ArrayRef<PromotedPart> parts,
                               llvm::SmallVectorImpl<Value> &sums);
  void emitDecodedMultiplications();
  llvm::SmallVector<Value> emitStepScales(Value inductionVar);
  /// The main loop's control for one role; `body` gets the induction variable's
  /// mapping and the channel iteration. Returns the iteration after its last.
  Value emitRoleLoop(
      llvm::function_ref<void(mlir::IRMapping &local, Value iteration)> body);
  void emitRole(int64_t warp, int64_t count, llvm::function_ref<void()> body,
                mlir::IntegerAttr registers = {});
  void emitLeader(llvm::function_ref<void()> body, bool eachWarpgroup = false);

  /// Where the values of one execution of a drain's body belong.
  struct Piece {
    Value row, column;
    int64_t size;
    mlir::IRMapping local;
  };
  /// A matrix in global memory at the tile at hand.
  struct GlobalTile {
    Value base, rowsLeft, columnsLeft;
  };
  mlir::LogicalResult emitEpilogue(Part part);
  mlir::LogicalResult emitDrain(Value accumulator, Value isNotEmpty,
                                int64_t first, int64_t extent, Value at,
                                Value staging, const GlobalTile &output);
  Value emitPieceColumn(int64_t first, int64_t extent);
  Value emitReduction(Value accumulator);
  void emitExchange(Value accumulator, Value isNotEmpty);
  void shiftCoordinates(llvm::SmallVectorImpl<Value> &coordinates);
  Value shiftColumn(Value column);
  Value toAccumulatorColumn(Value column);
  bool isKnownEarly(Value value);
  void emitElementLoad(VectorLoadOp load);
  void emitEarlyLoads();
  void emitPreloads();
  void createVectorBuffers();
  void emitVectorStaging();
  mlir::FailureOr<Value> emitElementwise(Value value, Piece &piece);
  GlobalTile emitGlobalTile(mlir::ValueRange coordinates, Value strideBatch,
                            Value strideRow, Value limitM, Value limitN);

  /// Consumer warpgroups drain and store their rows without waiting for each
  /// other, so that one multiplies while the other stores.
  bool storesByWarpgroup() const { return tile.consumerWarpgroups > 1; }

  /// Warps that load, multiply and drain, where they are the same.
  int64_t getJoinedWarps() const {
    return tile.consumerWarpgroups * target::threads::warpsPerWarpgroup;
  }
  /// Whether those have a role for the epilogue, and not all threads of a CTA
  /// with one tile.
  bool drainsInRole() const {
    return tile.joins() && (tile.tileLoop || tile.consumerWarpgroups > 1);
  }

  Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc,
                                              builder.getI32Type(), value);
  }
  AccumulatorType getRegisterType() {
    return AccumulatorType::get(builder.getContext(), {tile.rows, tile.columns},
                                builder.getF32Type(), tile.consumerWarpgroups,
                                tile.splitsByColumns);
  }
  /// Of a sum that is promoted on its own.
  AccumulatorType getPromotedType() {
    return AccumulatorType::get(builder.getContext(),
                                {tile.rows / tile.promotedRowParts,
                                 tile.columns / tile.promotedColumnParts},
                                builder.getF32Type(), tile.consumerWarpgroups,
                                tile.splitsByColumns);
  }

  TileKernel &tile;
  KernelOp kernel;
  mlir::OpBuilder builder;
  mlir::Location loc;
  int64_t epilogueDepth = 0;

  // What has been built.
  mlir::IRMapping mapping;
  /// The channel of the loads, or of each group of them.
  Value loadChannel;
  llvm::SmallVector<Value, 2> loadChannels;
  Value resultChannel;
  /// Whose turn it is to multiply, of two consumers: the first one's while its
  /// slot is empty. Null without turns.
  Value turnChannel;
  /// The consumer whose role is being built.
  int64_t consumer = 0;
  /// Staging buffers of all consumers, `tile.stagingSlots` for each.
  llvm::SmallVector<Value> staging;
  /// Scales in tensor memory: of each dot, and so again where they take turns.
  llvm::SmallVector<std::pair<Value, Value>> scaleBuffers;
  /// A and B of each dot that is decoded.
  llvm::SmallVector<std::pair<Value, Value>> decodedBuffers;
  llvm::DenseMap<mlir::Operation *, GlobalTile> globalTiles;
  /// Where the vectors of the epilogue lie while the tile is multiplied, for
  /// each consumer.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Value>> vectorBuffers;
  /// Loads of the epilogue that the role being built has read already.
  llvm::SmallPtrSet<mlir::Operation *, 4> earlyLoads;
  Value iterationBase, tileNumber, steps, loopLower, loopUpper, exchange;
  /// Where the steps of all tiles are one sequence for the loads: how far they
  /// have come before a tile, how far they come in it, and the number of steps
  /// in all; then the tile and the k of the first load.
  Value flatStart, flatEnd, flatTotal, loadTile, loadK;
  /// Whether this CTA has any of the steps that a cluster shares, with
  /// accumulators in tensor memory.
  Value hasSteps;
  /// The sum in registers, in the role that has it.
  Value registerSum;
  /// First column of the tile that this CTA stores; null for 0.
  Value columnOffset;
  /// First column of the tile that the warpgroup drains; null for 0.
  Value warpgroupColumn;
};

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_PIPELINEBUILDER_H
