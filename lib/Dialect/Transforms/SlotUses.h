//===- SlotUses.h - who uses the memory of slots, and when ------*- C++ -*-===//
//
// The part of bsmm-verify-channels that knows what operations do with the
// buffers of slots, and with buffers that lie over them.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_SLOTUSES_H
#define BSMM_LIB_DIALECT_TRANSFORMS_SLOTUSES_H

#include "LateConsumer.h"

namespace bsmm {

/// The sides of a channel, in the order of the program, so that notes point at
/// the first operation. Consumers in several roles are a side each.
void findSides(CreateChannelOp create, Side &producer,
               llvm::SmallVectorImpl<Side> &consumers);

/// Whether `op` can only be executed before `leave` in a trip of the loops that
/// they share.
bool isBefore(mlir::Operation *op, mlir::Operation *leave);

/// Everything that uses a buffer, some rows or scale tiles of it, or one of two
/// buffers.
llvm::SmallVector<mlir::Operation *> findUsers(mlir::Value buffer);

/// What `user`, which stands before `leave`, does with the buffers of a slot
/// is over when `leave` arrives: copies to global memory have been waited for,
/// and the tensor core itself arrives for what it reads.
mlir::LogicalResult verifyDone(mlir::Operation *user, ArrivalAttr arrival,
                               mlir::Operation *leave);

/// The buffers over the slots of a channel are used when all of the slots have
/// been filled and read for the last time.
mlir::LogicalResult verifyOver(CreateChannelOp create,
                               llvm::ArrayRef<Side> consumers);

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_SLOTUSES_H
