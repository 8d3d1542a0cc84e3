//===- BSMMToNVVM.cpp - pipeline-level kernels to NVVM --------------------===//

#include "Common.h"
#include "EarlyAddresses.h"
#include "EarlyLoads.h"
#include "LateAcquires.h"
#include "bsmm/Conversion/Passes.h"
#include "bsmm/Target/Target.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace bsmm {
#define GEN_PASS_DEF_CONVERTBSMMTONVVM
#include "bsmm/Conversion/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

static constexpr StringLiteral sharedName = "bsmm_dynamic_shared_memory";

/// Alignment of dynamic shared memory: the largest swizzle pattern.
static constexpr int64_t sharedAlignment = 1024;

/// Runs `body` in an `if` on an i1.
static scf::IfOp buildIf(OpBuilder &builder, Location loc, Value condition,
                         function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
  return branch;
}

static Value isEqual(OpBuilder &builder, Location loc, Value value,
                     int64_t constant) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                               constantI32(builder, loc, constant));
}

static void buildWarpSync(OpBuilder &builder, Location loc) {
  NVVM::SyncWarpOp::create(builder, loc, constantI32(builder, loc, -1));
}

/// Registers of a thread when the kernel starts: an equal share of the register
/// file, in steps of 8, which ptxas keeps to when it knows the block's size.
static int64_t getLaunchRegisters(KernelOp kernel) {
  const target::Gpu *gpu =
      target::findGpu(std::string_view(kernel.resolveTarget().getChip()));
  int64_t share = gpu->registersPerSM / int64_t(*kernel.getBlockSize());
  return std::min<int64_t>(share / 8 * 8, 256);
}

static void buildRegisterBudget(OpBuilder &builder, Location loc,
                                KernelOp kernel, int64_t registers) {
  auto action = registers < getLaunchRegisters(kernel)
                    ? NVVM::SetMaxRegisterAction::decrease
                    : NVVM::SetMaxRegisterAction::increase;
  NVVM::SetMaxRegisterOp::create(builder, loc, registers, action);
}

/// The roles right behind `role` that have no warp in common with it and with
/// each other.
static SmallVector<WarpRoleOp> findAlternatives(WarpRoleOp role) {
  SmallVector<WarpRoleOp> apart = {role};
  for (Operation *next = role->getNextNode();; next = next->getNextNode()) {
    auto other = dyn_cast_or_null<WarpRoleOp>(next);
    bool isApart =
        other && llvm::all_of(apart, [&](WarpRoleOp known) {
          return known.getWarp() + known.getCount() <= other.getWarp() ||
                 other.getWarp() + other.getCount() <= known.getWarp();
        });
    if (!isApart)
      break;
    apart.push_back(other);
  }
  apart.erase(apart.begin());
  return apart;
}

/// Roles and leaders as branches. The threads of a warp meet again at the end
/// of a role, before any collective operation that follows. `areAlternatives`:
/// roles of different warps become one chain of branches. ptxas takes branches
/// behind each other on the number of the warp, where another one on it comes
/// before them, for divergent: it then adds barriers of convergence and keeps
/// fewer values in uniform registers.
static void expandRoles(KernelOp kernel, const KernelValues &values,
                        bool areAlternatives) {
  SmallVector<WarpRoleOp> roles;
  kernel.walk([&](WarpRoleOp role) { roles.push_back(role); });
  for (WarpRoleOp role : roles) {
    Location loc = role.getLoc();
    OpBuilder builder(role);
    SmallVector<WarpRoleOp> alternatives;
    if (areAlternatives)
      alternatives = findAlternatives(role);
    // A comparison of the warp's number, which ptxas knows to be the same in
    // all threads of a warp: the role's code can use uniform registers.
    Value isMine;
    if (role.getCount() > 1) {
      Value first = constantI32(builder, loc, role.getWarp());
      isMine = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult,
          arith::SubIOp::create(builder, loc, values.warp, first),
          constantI32(builder, loc, role.getCount()));
    } else {
      isMine = isEqual(builder, loc, values.warp, role.getWarp());
    }
    auto branch = scf::IfOp::create(builder, loc, isMine,
                                    /*withElseRegion=*/!alternatives.empty());
    for (WarpRoleOp alternative : alternatives)
      alternative->moveBefore(branch.elseBlock()->getTerminator());
    Block *block = branch.thenBlock();
    builder.setInsertionPointToStart(block);
    if (auto registers = role.getRegisters())
      buildRegisterBudget(builder, loc, kernel, *registers);
    SmallVector<LeaderOp> leaders;
    bool hasWarpgroupLeaders = false;
    role.walk([&](LeaderOp leader) {
      leaders.push_back(leader);
      hasWarpgroupLeaders |= leader.getEachWarpgroup();
    });
    // The same lane for the same mask each time (PTX ISA, elect.sync): later
    // roles of the warp have the same leader.
    Value isLeader;
    if (!leaders.empty())
      isLeader =
          NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(), Value());
    Value isWarpgroupLeader = isLeader;
    if (hasWarpgroupLeaders) {
      Value inWarpgroup = arith::AndIOp::create(
          builder, loc, values.warp,
          constantI32(builder, loc, target::threads::warpsPerWarpgroup - 1));
      isWarpgroupLeader = arith::AndIOp::create(
          builder, loc, isLeader, isEqual(builder, loc, inWarpgroup, 0));
    }
    if (isLeader && role.isWarpgroup()) {
      Value isFirst = isEqual(builder, loc, values.warp, role.getWarp());
      isLeader = arith::AndIOp::create(builder, loc, isLeader, isFirst);
    }
    if (role.isWarpgroup())
      role.walk([&](Operation *op) {
        if (isa<PublishOp, SynchronizeOp, DrainOp, MmaOp, WarpgroupIndexOp,
                ReduceClusterOp, StageVectorOp, ReadStagedOp, SlotColumnOp,
                ReadScalesOp, AddScaledOp, DecodeOperandOp>(op))
          op->setAttr(roleAttrName,
                      builder.getDenseI64ArrayAttr(
                          {int64_t(role.getWarp()), int64_t(role.getCount())}));
      });
    for (LeaderOp leader : leaders) {
      OpBuilder inner(leader);
      auto only = scf::IfOp::create(
          inner, leader.getLoc(),
          leader.getEachWarpgroup() ? isWarpgroupLeader : isLeader, false);
      only.thenBlock()->getOperations().splice(
          only.thenBlock()->begin(), leader.getBody().front().getOperations());
      // The other threads wait for the leader: what follows may be collective
      // (bar.sync and tcgen05.ld want whole warps). The end of the role does it
      // for a leader that comes last.
      if (leader->getParentOp() != role || leader->getNextNode())
        buildWarpSync(inner, leader.getLoc());
      leader.erase();
    }
    Operation *yield = block->getTerminator();
    block->getOperations().splice(Block::iterator(yield),
                                  role.getBody().front().getOperations());
    builder.setInsertionPoint(yield);
    buildWarpSync(builder, loc);
    role.erase();
  }
}

namespace {
/// Makes the kernels of a gpu.module ready for the patterns.
struct KernelPreparation {
  gpu::GPUModuleOp module;

  LogicalResult run(KernelValuesMap &values) {
    SmallVector<KernelOp> kernels;
    for (KernelOp kernel : module.getOps<KernelOp>())
      kernels.push_back(kernel);
    if (kernels.empty())
      return success();
    if (Operation *other = module.lookupSymbol(sharedName))
      return other->emitError("expected no symbol '")
             << sharedName << "', which names the kernels' shared memory";
    for (KernelOp kernel : kernels) {
      if (failed(checkKernel(kernel)))
        return failure();
      markFilledOnce(kernel);
      std::optional<EarlyLoads> early = findEarlyLoads(kernel);
      values[kernel.getSymName()] = buildEntry(kernel, early);
      acquireLate(kernel);
      expandRoles(kernel, values[kernel.getSymName()],
                  /*areAlternatives=*/early.has_value());
    }
    return success();
  }

  /// What the lowering relies on and the verifier of an operation can't see.
  LogicalResult checkKernel(KernelOp kernel) {
    if (kernel.getLevel() != Level::Pipeline)
      return kernel.emitOpError("expected the pipeline level, got ")
             << stringifyLevel(kernel.getLevel())
             << "; run bsmm-tile-to-pipeline first";
    TargetAttr target = kernel.resolveTarget();
    if (!target)
      return kernel.emitOpError("expected a target, e.g. target = "
                                "#bsmm.target<\"sm_100a\">");
    auto known =
        module->getAttrOfType<TargetAttr>(BsmmDialect::getTargetAttrName());
    if (known && known != target)
      return kernel.emitOpError("expected one target for the kernels of a "
                                "gpu.module, got ")
             << target << " and " << known;
    module->setAttr(BsmmDialect::getTargetAttrName(), target);
    if (!kernel.getBlockSize() || !kernel.getDynamicSharedMemory())
      return kernel.emitOpError("expected a block size and the places of "
                                "memory; run bsmm-assign-memory first");
    Block &entry = kernel.getBody().front();
    WalkResult walk = kernel.walk([&](Operation *op) {
      // Nothing of what a kernel says is left out silently.
      if (auto create = dyn_cast<CreateChannelOp>(op);
          create && create.getCluster() &&
          create.getProducer().getKind() == ArrivalKind::MmaCommit) {
        op->emitOpError("expected a producer of a channel of a cluster that "
                        "arrives by transactions or threads: multiplications "
                        "write tensor memory of their own CTA");
        return WalkResult::interrupt();
      }
      if (isa<AllocOp, CreateChannelOp>(op) && op->getBlock() != &entry) {
        op->emitOpError("expected at the kernel's top level, since its memory "
                        "lives as long as the CTA");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    return success(succeeded(checkRegisters(kernel)) &&
                   succeeded(checkPlaces(kernel)));
  }

  /// The roles' registers fit the register file, or a role would wait for ever.
  LogicalResult checkRegisters(KernelOp kernel) {
    const target::Gpu *gpu =
        target::findGpu(std::string_view(kernel.resolveTarget().getChip()));
    int64_t others = int64_t(*kernel.getBlockSize()), sum = 0;
    bool isStated = false;
    kernel.walk([&](WarpRoleOp role) {
      auto registers = role.getRegisters();
      if (!registers)
        return;
      isStated = true;
      others -= role.getNumThreads();
      sum += role.getNumThreads() * int64_t(*registers);
    });
    if (!isStated)
      return success();
    if (!gpu->hasSetMaxRegisters)
      return kernel.emitOpError("expected roles without 'registers' on ")
             << StringRef(gpu->name);
    sum += std::max<int64_t>(others, 0) * getLaunchRegisters(kernel);
    if (sum > gpu->registersPerSM)
      return kernel.emitOpError(
                 "expected the registers of its roles to fit the ")
             << gpu->registersPerSM << " of " << StringRef(gpu->name)
             << ", got " << sum << "; give some roles fewer";
    return success();
  }

  /// What lies at a place of shared or tensor memory.
  struct Place {
    int64_t start, end;
    Operation *op;
    /// Whether it is of a channel's slots.
    bool isSlot = false;
  };

  /// A buffer over the slots of a channel lies inside of them and apart from
  /// everything else.
  static LogicalResult checkPlaceOver(const Place &place,
                                      ArrayRef<Place> shared,
                                      ArrayRef<Place> over, int64_t limit) {
    auto alloc = cast<AllocOp>(place.op);
    auto create = alloc.getOver().getDefiningOp<CreateChannelOp>();
    auto isOwn = [&](const Place &other) {
      return other.isSlot && other.op == create;
    };
    int64_t first = llvm::find_if(shared, isOwn)->start, last = first;
    for (const Place &other : shared)
      if (isOwn(other))
        last = std::max(last, other.end);
    // Each slot is as large as their distance.
    int64_t bytes = int64_t(*create.getSlotStride()) *
                    create.getChannel().getType().getSlots();
    last = std::max(last, std::min(first + bytes, limit));
    if (place.start < first || place.end > last)
      return alloc.emitOpError("expected a place inside of the channel's slots, "
                               "bytes ")
             << first << ".." << last - 1 << ", got " << place.start << ".."
             << place.end - 1;
    for (ArrayRef<Place> places : {shared, over})
      for (const Place &other : places) {
        if (other.op == alloc || isOwn(other) || other.end <= place.start ||
            place.end <= other.start)
          continue;
        InFlightDiagnostic diagnostic = alloc.emitOpError(
            "expected a place that it shares with the channel's slots only, "
            "got bytes ");
        diagnostic << place.start << ".." << place.end - 1;
        diagnostic.attachNote(other.op->getLoc()) << "the other one is here";
        return diagnostic;
      }
    return success();
  }

  /// Buffers and barriers lie inside of the kernel's memory and apart from each
  /// other: places may have been written by hand.
  LogicalResult checkPlaces(KernelOp kernel) {
    SmallVector<Place> shared, columns, over;
    WalkResult walk = kernel.walk([&](Operation *op) {
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        BufferType type = alloc.getBuffer().getType();
        bool isShared = type.getMemorySpace() == MemorySpace::Shared;
        if (!alloc.getOffset()) {
          op->emitOpError("expected a place; run bsmm-assign-memory first");
          return WalkResult::interrupt();
        }
        int64_t start = *alloc.getOffset();
        (alloc.getOver() ? over : isShared ? shared : columns)
            .push_back({start,
                        start + (isShared ? type.getSharedBytes()
                                          : type.getTensorMemoryColumns()),
                        op});
      }
      auto create = dyn_cast<CreateChannelOp>(op);
      if (!create)
        return WalkResult::advance();
      if (!create.getOffsets() || !create.getSlotStride() ||
          !create.getBarrierOffset()) {
        op->emitOpError("expected a place; run bsmm-assign-memory first");
        return WalkResult::interrupt();
      }
      ChannelType type = create.getChannel().getType();
      ArrayRef<int64_t> offsets = *create.getOffsets();
      for (auto [buffer, offset] : llvm::zip(type.getBuffers(), offsets)) {
        bool isShared = buffer.getMemorySpace() == MemorySpace::Shared;
        int64_t size = isShared ? buffer.getSharedBytes()
                                : buffer.getTensorMemoryColumns();
        // Slots of one channel may share columns: they are one place.
        if (create.getOverlap())
          size += int64_t(*create.getSlotStride());
        for (int64_t slot = 0; slot < create.getBarrierSlots(); ++slot) {
          int64_t start = offset + slot * int64_t(*create.getSlotStride());
          (isShared ? shared : columns)
              .push_back({start, start + size, op, /*isSlot=*/true});
        }
      }
      int64_t barriers = *create.getBarrierOffset();
      shared.push_back(
          {barriers,
           barriers + 2 * create.getBarrierSlots() * target::mbarrier::bytes,
           op});
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    if (!columns.empty() && !kernel.getTensorMemoryColumns())
      return kernel.emitOpError(
          "expected the columns of its tensor memory; run "
          "bsmm-assign-memory first");
    // The last word of shared memory receives the address of tensor memory.
    int64_t sharedBytes = *kernel.getDynamicSharedMemory();
    if (!columns.empty())
      sharedBytes -= target::mbarrier::bytes;
    int64_t numColumns = kernel.getTensorMemoryColumns().value_or(0);
    for (auto [places, limit, what] :
         {std::tuple{&shared, sharedBytes, "shared memory"},
          std::tuple{&columns, numColumns, "tensor memory"}}) {
      llvm::sort(*places, [](const Place &a, const Place &b) {
        return a.start < b.start;
      });
      for (auto [index, place] : llvm::enumerate(*places)) {
        if (place.end > limit)
          return place.op->emitOpError("expected a place inside of the ")
                 << limit << (places == &shared ? " bytes of " : " columns of ")
                 << what << ", got " << place.start << ".." << place.end - 1;
        if (index > 0 && place.start < (*places)[index - 1].end) {
          InFlightDiagnostic diagnostic =
              place.op->emitOpError("overlaps other ")
              << what << " at " << place.start;
          diagnostic.attachNote((*places)[index - 1].op->getLoc())
              << "the other one is here";
          return diagnostic;
        }
      }
    }
    for (const Place &place : over)
      if (failed(checkPlaceOver(place, shared, over, sharedBytes)))
        return failure();
    return success();
  }

  LLVM::GlobalOp getSharedMemory() {
    if (auto known = module.lookupSymbol<LLVM::GlobalOp>(sharedName))
      return known;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    return LLVM::GlobalOp::create(
        builder, module.getLoc(),
        LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, sharedName, Attribute(),
        sharedAlignment, sharedAddressSpace);
  }

  /// The barriers of what other CTAs send, by one thread: one phase, in which
  /// the bytes of a whole buffer arrive.
  static void buildPartialBarriers(OpBuilder &builder, KernelOp kernel,
                                   const KernelValues &values, int64_t warp) {
    SmallVector<WaitPartialsOp> waits;
    kernel.walk([&](WaitPartialsOp op) { waits.push_back(op); });
    if (waits.empty())
      return;
    Location loc = kernel.getLoc();
    Value isFirst =
        isEqual(builder, loc, values.thread, warp * target::threads::perWarp);
    buildIf(builder, loc, isFirst, [&] {
      for (WaitPartialsOp op : waits) {
        Value barrier =
            advance(builder, loc, values.sharedBase, *op.getBarrierOffset());
        NVVM::MBarrierInitOp::create(builder, loc, barrier,
                                     constantI32(builder, loc, 1), Value());
        NVVM::MBarrierArriveExpectTxOp::create(
            builder, loc, Type(), barrier,
            constantI32(builder, loc,
                        op.getBuffer().getType().getSharedBytes()),
            NVVM::MemScopeKind::CTA, false, Value());
      }
      NVVM::FenceMbarrierInitOp::create(builder, loc);
    });
  }

  /// One thread initialises the barriers of all channels.
  static void buildBarriers(OpBuilder &builder, KernelOp kernel,
                            const KernelValues &values, int64_t warp) {
    Location loc = kernel.getLoc();
    Value isFirst =
        isEqual(builder, loc, values.thread, warp * target::threads::perWarp);
    buildIf(builder, loc, isFirst, [&] {
      kernel.walk([&](CreateChannelOp op) {
        int64_t slots = op.getBarrierSlots();
        bool hasEmpty = !op->hasAttr(isFilledOnceAttrName);
        for (int64_t index = 0; index < (hasEmpty ? 2 : 1) * slots; ++index) {
          ArrivalAttr arrival =
              index < slots ? op.getProducer() : op.getConsumer();
          // Consumers of all CTAs release the slot of each.
          int64_t count = arrival.getCount();
          if (op.getCluster() && index >= slots)
            count *= values.clusterSize;
          NVVM::MBarrierInitOp::create(
              builder, loc,
              advance(builder, loc, values.sharedBase,
                      *op.getBarrierOffset() + index * target::mbarrier::bytes),
              constantI32(builder, loc, count), Value());
        }
      });
      NVVM::FenceMbarrierInitOp::create(builder, loc);
    });
  }

  /// By a whole warp.
  static void buildAllocation(OpBuilder &builder, KernelOp kernel,
                              Value addressSlot) {
    Location loc = kernel.getLoc();
    buildWarpSync(builder, loc);
    NVVM::Tcgen05AllocOp::create(
        builder, loc, addressSlot,
        constantI32(builder, loc, *kernel.getTensorMemoryColumns()),
        NVVM::CTAGroupKind::CTA_1);
    NVVM::Tcgen05RelinquishAllocPermitOp::create(builder, loc,
                                                 NVVM::CTAGroupKind::CTA_1);
  }

  static bool onlyWaitsForStores(WarpRoleOp role) {
    return !role.walk([](Operation *op) {
                  return isa<WarpRoleOp, LeaderOp, WaitStoresOp>(op)
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  static int64_t getAllocatingWarp(const EarlyLoads &early) {
    return early.warp == 0 ? 1 : 0;
  }

  /// Barriers, tensor memory, and one barrier of the CTA after both.
  static void buildCommonEntry(OpBuilder &builder, KernelOp kernel,
                               KernelValues &values, Value addressSlot) {
    Location loc = kernel.getLoc();
    buildBarriers(builder, kernel, values, 0);
    buildPartialBarriers(builder, kernel, values, 0);
    if (addressSlot)
      buildIf(builder, loc, isEqual(builder, loc, values.warp, 0),
              [&] { buildAllocation(builder, kernel, addressSlot); });
    // Without tcgen05.fence::before_thread_sync, which orders asynchronous
    // operations: tcgen05.alloc is none, and its write to shared memory is
    // ordered like any other one (PTX ISA 9.7.17.6.1).
    if (values.clusterSize == 1) {
      NVVM::BarrierOp::create(builder, loc);
    } else {
      // No CTA writes to another one's memory before that one runs and its
      // barriers exist.
      NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
      NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
    }
    if (!addressSlot)
      return;
    NVVM::Tcgen05FenceOp::create(builder, loc,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    values.tensorMemoryBase =
        LLVM::LoadOp::create(builder, loc, builder.getI32Type(), addressSlot);
  }

  /// The same where the warp that loads begins at once: it initialises the
  /// barriers and only arrives where the others meet.
  static void buildEarlyEntry(OpBuilder &builder, KernelOp kernel,
                              KernelValues &values, Value addressSlot,
                              const EarlyLoads &early) {
    Location loc = kernel.getLoc();
    int64_t threads = int64_t(*kernel.getBlockSize());
    Type i32 = builder.getI32Type();
    auto buildFence = [&] {
      NVVM::Tcgen05FenceOp::create(builder, loc,
                                   NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    };
    // The operation of NVVM is inline assembly, which LLVM may duplicate.
    auto buildArrive = [&](int64_t barrier, int64_t count) {
      LLVM::CallIntrinsicOp::create(
          builder, loc,
          builder.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
          ValueRange{constantI32(builder, loc, barrier),
                     constantI32(builder, loc, count)});
    };
    auto buildSync = [&](int64_t barrier, int64_t count) {
      NVVM::BarrierOp::create(builder, loc, Type(),
                              constantI32(builder, loc, barrier),
                              constantI32(builder, loc, count), {}, {});
    };
    // A thread need not wait for what another one has waited for before.
    bool isCluster = values.clusterSize != 1 &&
                     (early.waitsForCluster() || early.othersWaitForCluster());
    // Other CTAs are to see nothing but barriers, which have a fence of their
    // own (PTX ISA, fence.mbarrier_init): CUTLASS arrives like this as well
    // (cluster_arrive_relaxed in sm90_gemm_tma_warpspecialized_pingpong.hpp).
    auto buildClusterArrive = [&] {
      if (isCluster)
        NVVM::ClusterArriveRelaxedOp::create(builder, loc,
                                             builder.getUnitAttr());
    };
    auto buildClusterWait = [&](bool waits) {
      if (isCluster && waits)
        NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
    };
    // Where it reaches no other CTA, those need not exist before it has loaded.
    bool waitsLater = early.waitsForCluster() && !early.reachesCluster;
    Value isLoading = isEqual(builder, loc, values.warp, early.warp);
    auto entry = scf::IfOp::create(builder, loc, TypeRange{i32}, isLoading,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(entry.thenBlock());
      buildBarriers(builder, kernel, values, early.warp);
      buildWarpSync(builder, loc);
      buildClusterArrive();
      buildArrive(entryBarrier, threads);
      buildClusterWait(early.reachesCluster);
      // Its role does not use tensor memory.
      scf::YieldOp::create(builder, loc, constantI32(builder, loc, 0));

      builder.setInsertionPointToStart(entry.elseBlock());
      buildPartialBarriers(builder, kernel, values, getAllocatingWarp(early));
      buildClusterArrive();
      Value isAllocating =
          isEqual(builder, loc, values.warp, getAllocatingWarp(early));
      buildIf(builder, loc, isAllocating, [&] {
        buildAllocation(builder, kernel, addressSlot);
        if (early.usesTensorMemoryLater)
          buildArrive(tensorMemoryBarrier, 2 * target::threads::perWarp);
      });
      buildSync(entryBarrier, threads);
      buildClusterWait(early.othersWaitForCluster());
      buildFence();
      Value address = LLVM::LoadOp::create(builder, loc, i32, addressSlot);
      scf::YieldOp::create(builder, loc, address);
    }
    values.tensorMemoryBase = entry.getResult(0);
    OpBuilder::InsertionGuard guard(builder);
    if (!early.usesTensorMemoryLater) {
      builder.setInsertionPointToEnd(&early.role->getRegion(0).front());
      buildClusterWait(waitsLater);
      return;
    }
    builder.setInsertionPointAfter(early.role);
    auto after = scf::IfOp::create(builder, loc, TypeRange{i32}, isLoading,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
    builder.setInsertionPointToStart(after.thenBlock());
    buildSync(tensorMemoryBarrier, 2 * target::threads::perWarp);
    buildClusterWait(waitsLater);
    buildFence();
    Value address = LLVM::LoadOp::create(builder, loc, i32, addressSlot);
    scf::YieldOp::create(builder, loc, address);
    builder.setInsertionPointToStart(after.elseBlock());
    scf::YieldOp::create(builder, loc, values.tensorMemoryBase);
    values.tensorMemoryBase = after.getResult(0);
    // Places in tensor memory are known from there on.
    Operation *last = after;
    for (AllocOp alloc : llvm::to_vector(kernel.getBody().getOps<AllocOp>()))
      if (alloc.getBuffer().getType().getMemorySpace() ==
          MemorySpace::TensorMemory) {
        alloc->moveAfter(last);
        last = alloc;
      }
  }

  /// Prologue, and epilogue: tensor memory is given back when all threads are
  /// done.
  KernelValues buildEntry(KernelOp kernel,
                          const std::optional<EarlyLoads> &early) {
    LLVM::GlobalOp shared = getSharedMemory();
    Location loc = kernel.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    KernelValues values;
    values.clusterSize = kernel.getNumClusterCtas();
    // LLVM would write the symbol into every instruction with a constant offset
    // else, ptxas computes the symbol's address anew where one thread stands
    // alone, into the register of the base, and takes all addresses made from
    // that for different ones in the lanes of a warp: no uniform registers, and
    // a conversion of each descriptor of wgmma.
    Value base = LLVM::AddressOfOp::create(builder, loc, shared);
    values.sharedBase = buildOpaque(builder, loc, base.getType(), base, "=l,0",
                                    /*staysInPlace=*/false);
    values.thread =
        NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
    values.warp = arith::ShRUIOp::create(builder, loc, values.thread,
                                         constantI32(builder, loc, 5));
    // The descriptors of wgmma are read from uniform registers: a value that is
    // plainly the same in a warp saves a conversion at each of them.
    bool hasMma = kernel.walk([](MmaOp) { return WalkResult::interrupt(); })
                      .wasInterrupted();
    if (hasMma)
      values.warp = NVVM::ShflOp::create(
          builder, loc, builder.getI32Type(), constantI32(builder, loc, -1),
          values.warp, constantI32(builder, loc, 0),
          constantI32(builder, loc, 31), NVVM::ShflKind::idx, UnitAttr());

    auto columns = kernel.getTensorMemoryColumns();
    Value addressSlot;
    if (columns)
      addressSlot =
          advance(builder, loc, values.sharedBase,
                  *kernel.getDynamicSharedMemory() - target::mbarrier::bytes);
    if (early)
      buildEarlyEntry(builder, kernel, values, addressSlot, *early);
    else
      buildCommonEntry(builder, kernel, values, addressSlot);
    if (kernel.getDependentLaunch()) {
      // All of the above is done while the launch before still runs. Its memory
      // operations are visible from the wait on (PTX ISA, griddepcontrol); that
      // every thread waits orders all that follows, stores over what it reads
      // included. The next launch waits in turn, so that it may begin at once.
      NVVM::GriddepcontrolOp::create(builder, loc,
                                     NVVM::GridDepActionKind::wait);
      NVVM::GriddepcontrolOp::create(
          builder, loc, NVVM::GridDepActionKind::launch_dependents);
    }
    // A CTA whose memory others still write to, or at whose barriers they
    // arrive, does not end.
    bool isNeededByOthers = kernel
                                .walk([](Operation *op) {
                                  return endsTogether(op)
                                             ? WalkResult::interrupt()
                                             : WalkResult::advance();
                                })
                                .wasInterrupted();
    if (isNeededByOthers) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(kernel.getBody().front().getTerminator());
      NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
      NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
    }
    if (!columns)
      return values;
    // Who waits for the last stores need not be waited for.
    Operation *end = kernel.getBody().front().getTerminator();
    if (auto role = dyn_cast_or_null<WarpRoleOp>(end->getPrevNode());
        role && onlyWaitsForStores(role))
      end = role;
    builder.setInsertionPoint(end);
    NVVM::Tcgen05FenceOp::create(builder, loc,
                                 NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    NVVM::BarrierOp::create(builder, loc);
    NVVM::Tcgen05FenceOp::create(builder, loc,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    Value isAllocating = isEqual(builder, loc, values.warp,
                                 early ? getAllocatingWarp(*early) : 0);
    buildIf(builder, loc, isAllocating, [&] {
      NVVM::Tcgen05DeallocOp::create(
          builder, loc,
          tensorMemoryPointer(builder, loc, values.tensorMemoryBase),
          constantI32(builder, loc, *columns), NVVM::CTAGroupKind::CTA_1);
    });
    return values;
  }
};

struct ConvertToNVVM : bsmm::impl::ConvertBsmmToNVVMBase<ConvertToNVVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (module.getOps<KernelOp>().empty())
      return;
    KernelValuesMap values;
    if (failed(prepareKernelsForNVVM(module, values)))
      return signalPassFailure();

    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter converter(&getContext(), options);
    populateBsmmToNVVMTypeConversions(converter);
    RewritePatternSet patterns(&getContext());
    populateKernelToNVVMPatterns(converter, values, patterns);
    populateChannelToNVVMPatterns(converter, values, patterns);
    populateCopyToNVVMPatterns(converter, values, patterns);
    populateMmaToNVVMPatterns(converter, values, patterns);
    populateRegisterToNVVMPatterns(converter, values, patterns);
    populateDecodeToNVVMPatterns(converter, values, patterns);
    populateEpilogueToNVVMPatterns(converter, values, patterns);
    populatePartialToNVVMPatterns(converter, values, patterns);
    populateExponentialToNVVMPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<BsmmDialect>();
    target.addIllegalOp<math::ExpOp>();
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    target.addLegalDialect<arith::ArithDialect, LLVM::LLVMDialect,
                           NVVM::NVVMDialect, scf::SCFDialect,
                           vector::VectorDialect>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    computeAddressesEarly(module);
  }
};
} // namespace

LogicalResult bsmm::prepareKernelsForNVVM(gpu::GPUModuleOp module,
                                          KernelValuesMap &values) {
  return KernelPreparation{module}.run(values);
}
