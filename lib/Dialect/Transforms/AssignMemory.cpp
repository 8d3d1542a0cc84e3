//===- AssignMemory.cpp - places of buffers and barriers ------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Target/Target.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMASSIGNMEMORY
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

namespace {
struct AssignMemory : bsmm::impl::BsmmAssignMemoryBase<AssignMemory> {
  void runOnOperation() override {
    getOperation()->walk([&](KernelOp kernel) {
      if (kernel.getLevel() == Level::Pipeline && failed(assign(kernel)))
        signalPassFailure();
    });
  }

  /// Places the buffers of a slot one after the other; the slot's size is
  /// rounded so that every slot has the alignment of the first.
  static SmallVector<int64_t> placeSlot(CreateChannelOp op, int64_t &cursor,
                                        int64_t &stride) {
    ChannelType type = op.getChannel().getType();
    bool isShared = type.getMemorySpace() == MemorySpace::Shared;
    int64_t slotAlignment = 1;
    if (isShared)
      for (BufferType buffer : type.getBuffers())
        slotAlignment = std::max(slotAlignment, buffer.getSharedAlignment());
    cursor = llvm::alignTo(cursor, slotAlignment);
    int64_t start = cursor;
    SmallVector<int64_t> offsets;
    for (BufferType buffer : type.getBuffers()) {
      if (isShared)
        cursor = llvm::alignTo(cursor, buffer.getSharedAlignment());
      offsets.push_back(cursor);
      cursor +=
          isShared ? buffer.getSharedBytes() : buffer.getTensorMemoryColumns();
    }
    stride = llvm::alignTo(cursor - start, slotAlignment);
    if (op.getOverlap()) {
      stride = op.getOverlappingStride();
      cursor += stride;
      return offsets;
    }
    cursor = start + stride * type.getSlots();
    return offsets;
  }

  /// Places a buffer over the slots of its channel, behind `used` bytes of
  /// others.
  static LogicalResult placeOverSlots(AllocOp op, int64_t &used) {
    auto create = op.getOver().getDefiningOp<CreateChannelOp>();
    BufferType type = op.getBuffer().getType();
    int64_t start = create.getOffsets()->front();
    int64_t offset = llvm::alignTo(start + used, type.getSharedAlignment());
    op.setOffsetAttr(Builder(op.getContext()).getI64IntegerAttr(offset));
    used = offset + type.getSharedBytes() - start;
    int64_t bytes = int64_t(*create.getSlotStride()) *
                    create.getChannel().getType().getSlots();
    if (used <= bytes)
      return success();
    return op.emitOpError("expected at most ")
           << bytes << " bytes of buffers over the channel's slots, got "
           << used << "; use more stages or no 'over'";
  }

  /// Slots that the largest channel may have so that `excess` bytes less are
  /// used; 0 when other things are too large as well.
  static int64_t countFittingSlots(KernelOp kernel, int64_t excess) {
    int64_t largest = 0, slots = 0;
    kernel.walk([&](CreateChannelOp op) {
      ChannelType type = op.getChannel().getType();
      if (type.getMemorySpace() != MemorySpace::Shared ||
          type.getBuffers().empty())
        return;
      int64_t slot = int64_t(*op.getSlotStride());
      if (slot * type.getSlots() <= largest)
        return;
      largest = slot * type.getSlots();
      // The slot and its two barriers.
      slots = type.getSlots() -
              llvm::divideCeil(excess, slot + 2 * target::mbarrier::bytes);
    });
    return std::max<int64_t>(slots, 0);
  }

  LogicalResult assign(KernelOp kernel) {
    TargetAttr targetAttr = kernel.resolveTarget();
    if (!targetAttr)
      return kernel.emitOpError(
          "expected a target to place memory for, e.g. target = "
          "#bsmm.target<\"sm_100a\">");
    const target::Gpu *gpu =
        target::findGpu(std::string_view(targetAttr.getChip()));

    Builder builder(&getContext());
    int64_t shared = 0, columns = 0;
    std::string sharedSum, columnSum;
    llvm::raw_string_ostream sharedText(sharedSum), columnText(columnSum);
    auto note = [](llvm::raw_string_ostream &text, StringRef what,
                   int64_t size) {
      text << (text.tell() ? " + " : "") << size << " (" << what << ")";
    };

    kernel.walk([&](CreateChannelOp op) {
      ChannelType type = op.getChannel().getType();
      bool isShared = type.getMemorySpace() == MemorySpace::Shared;
      int64_t &cursor = isShared ? shared : columns;
      int64_t stride = 0;
      op.setOffsetsAttr(
          builder.getDenseI64ArrayAttr(placeSlot(op, cursor, stride)));
      op.setSlotStrideAttr(builder.getI64IntegerAttr(stride));
      note(isShared ? sharedText : columnText,
           (Twine("channel of ") + Twine(type.getSlots()) +
            (op.getOverlap() ? " overlapping slots" : " slots"))
               .str(),
           stride * type.getSlots() + int64_t(op.getOverlap().value_or(0)));
    });
    bool isGood = true;
    DenseMap<Value, int64_t> usedOver;
    kernel.walk([&](AllocOp op) {
      if (Value over = op.getOver()) {
        isGood = isGood && succeeded(placeOverSlots(op, usedOver[over]));
        return;
      }
      BufferType type = op.getBuffer().getType();
      if (type.getMemorySpace() == MemorySpace::Shared) {
        shared = llvm::alignTo(shared, type.getSharedAlignment());
        op.setOffsetAttr(builder.getI64IntegerAttr(shared));
        shared += type.getSharedBytes();
        note(sharedText, "buffer", type.getSharedBytes());
      } else {
        op.setOffsetAttr(builder.getI64IntegerAttr(columns));
        columns += type.getTensorMemoryColumns();
        note(columnText, "buffer", type.getTensorMemoryColumns());
      }
    });
    if (!isGood)
      return failure();
    // Full and empty barriers of every slot, then the word that receives the
    // address of the tensor memory.
    shared = llvm::alignTo(shared, target::mbarrier::alignment);
    int64_t barriers = shared;
    kernel.walk([&](CreateChannelOp op) {
      op.setBarrierOffsetAttr(builder.getI64IntegerAttr(shared));
      shared += 2 * op.getBarrierSlots() * target::mbarrier::bytes;
    });
    // Of what other CTAs send as well.
    kernel.walk([&](WaitPartialsOp op) {
      auto offset = builder.getI64IntegerAttr(shared);
      op.setBarrierOffsetAttr(offset);
      for (Operation *user : op.getBuffer().getUsers())
        if (auto send = dyn_cast<SendPartialOp>(user))
          send.setBarrierOffsetAttr(offset);
      shared += target::mbarrier::bytes;
    });
    shared += target::mbarrier::bytes;
    note(sharedText, "barriers", shared - barriers);

    if (int64_t excess = shared - gpu->sharedMemoryPerBlock; excess > 0) {
      InFlightDiagnostic diagnostic = kernel.emitOpError("expected at most ");
      diagnostic << gpu->sharedMemoryPerBlock << " bytes of shared memory on "
                 << targetAttr.getChip() << ", got " << shared << " = "
                 << sharedSum;
      if (int64_t stages = countFittingSlots(kernel, excess))
        return diagnostic << "; use at most " << stages
                          << (stages == 1 ? " stage" : " stages")
                          << " or a smaller tile";
      return diagnostic << "; use a smaller tile";
    }
    kernel.setDynamicSharedMemoryAttr(builder.getI64IntegerAttr(shared));
    if (columns == 0)
      return success();
    if (!gpu->hasTcgen05)
      return kernel.emitOpError("expected a target with tensor memory, got ")
             << targetAttr.getChip();
    int64_t allocation = target::tensor_memory::allocationColumns(columns);
    if (allocation == 0)
      return kernel.emitOpError("expected at most ")
             << gpu->tensorMemoryColumns << " columns of tensor memory, got "
             << columns << " = " << columnSum << "; use a smaller tile";
    kernel.setTensorMemoryColumnsAttr(builder.getI64IntegerAttr(allocation));
    return success();
  }
};
} // namespace
