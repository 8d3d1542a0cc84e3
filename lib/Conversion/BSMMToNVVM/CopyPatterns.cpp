//===- CopyPatterns.cpp - asynchronous copies to NVVM ---------------------===//

#include "Common.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Layout/Descriptor.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace bsmm;

/// Coordinates of a box for the TMA unit: innermost dimension first, in
/// elements of the tensor map.
static SmallVector<Value> buildCoordinates(OpBuilder &builder, Location loc,
                                           const BoxPlan &plan,
                                           const BoxPlan::Box &box,
                                           ValueRange tileCoordinates) {
  SmallVector<Value> coordinates;
  for (auto [index, coordinate] : llvm::enumerate(tileCoordinates)) {
    Value value = coordinate;
    if (box.start[index] != 0)
      value = arith::AddIOp::create(
          builder, loc, value, constantI32(builder, loc, box.start[index]));
    if (index + 1 == tileCoordinates.size() && plan.elementsPerUnit != 1)
      value = arith::DivSIOp::create(
          builder, loc, value, constantI32(builder, loc, plan.elementsPerUnit));
    coordinates.push_back(value);
  }
  return llvm::to_vector(llvm::reverse(coordinates));
}

/// The policies that createpolicy.fractional.L2 makes for whole ranges of
/// memory, as constants (CUTLASS, cute/arch/copy_sm90_desc.hpp, CacheHintSm90).
static Value buildCachePolicy(OpBuilder &builder, LoadAsyncOp op) {
  auto cache = op.getCache();
  if (!cache)
    return {};
  return constantI64(builder, op.getLoc(),
                     *cache == CacheEviction::EvictFirst ? 0x12F0000000000000
                                                         : 0x14F0000000000000);
}

namespace {
struct LoadAsyncPattern : KernelPattern<LoadAsyncOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(LoadAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<BoxPlan> plan =
        planBoxes(op, op.getMap().getType(), op.getDestination().getType());
    if (failed(plan))
      return failure();
    Location loc = op.getLoc();
    // The full barrier of the slot.
    int64_t slots = op.getChannel().getType().getSlots();
    Value barrier = adaptor.getChannel();
    if (slots > 1) {
      Value number =
          arith::RemUIOp::create(rewriter, loc, adaptor.getIteration(),
                                 constantI32(rewriter, loc, slots));
      Value bytes = arith::MulIOp::create(
          rewriter, loc, number,
          constantI32(rewriter, loc, target::mbarrier::bytes));
      barrier = advance(rewriter, loc, barrier, bytes);
    }
    const target::Gpu *gpu = findTargetGpu(op);
    if (!gpu)
      return op.emitOpError("expected a target on the gpu.module");
    // Copies into the CTA's own memory have a form of their own since PTX 8.6;
    // before that its address in the cluster's window says the same.
    bool isCTAOnly = gpu->emittedPtx >= target::tma::sharedCtaDestinationPtx &&
                     !op.getMulticast();
    // The bytes arrive at the same addresses of every CTA.
    Value mask;
    if (op.getMulticast()) {
      int64_t ctas = getKernelValues(op).clusterSize;
      mask = arith::ConstantIntOp::create(rewriter, loc, rewriter.getI16Type(),
                                          (int64_t(1) << ctas) - 1);
    }
    Value policy = buildCachePolicy(rewriter, op);
    for (const BoxPlan::Box &box : plan->boxes) {
      Value destination =
          advance(rewriter, loc, adaptor.getDestination(), box.sharedOffset);
      if (!isCTAOnly)
        destination = LLVM::AddrSpaceCastOp::create(
            rewriter, loc,
            LLVM::LLVMPointerType::get(
                op.getContext(),
                unsigned(NVVM::NVVMMemorySpace::SharedCluster)),
            destination);
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          rewriter, loc, destination, adaptor.getMap(),
          buildCoordinates(rewriter, loc, *plan, box, adaptor.getCoordinates()),
          barrier, ValueRange{}, mask, policy, NVVM::TMALoadMode::TILE,
          isCTAOnly, NVVM::CTAGroupKindAttr(), Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreAsyncPattern : KernelPattern<StoreAsyncOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(StoreAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<BoxPlan> plan =
        planBoxes(op, op.getMap().getType(), op.getSource().getType());
    if (failed(plan))
      return failure();
    Location loc = op.getLoc();
    for (const BoxPlan::Box &box : plan->boxes) {
      Value source =
          advance(rewriter, loc, adaptor.getSource(), box.sharedOffset);
      SmallVector<Value> coordinates =
          buildCoordinates(rewriter, loc, *plan, box, adaptor.getCoordinates());
      if (op.getAdd())
        NVVM::CpAsyncBulkTensorReduceOp::create(
            rewriter, loc, adaptor.getMap(), source, NVVM::TMAReduxKind::ADD,
            NVVM::TMAStoreMode::TILE, coordinates, Value());
      else
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            rewriter, loc, adaptor.getMap(), source, coordinates, Value(),
            NVVM::TMAStoreMode::TILE, Value());
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitStoresPattern : KernelPattern<WaitStoresOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WaitStoresOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, rewriter.getI32IntegerAttr(op.getPending()),
        op.getRead() ? rewriter.getUnitAttr() : UnitAttr());
    return success();
  }
};

/// Every lane owns rows of the scale tiles: the four scales of a row are one
/// 32-bit word.
struct MaskScalesPattern : KernelPattern<MaskScalesOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(MaskScalesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType type = op.getBuffer().getType();
    int64_t rowTiles = type.getShape()[0] / layout::scaleTileRows;
    int64_t groupTiles = type.getShape()[1] / layout::scaleTileGroups;
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    Value lane =
        arith::AndIOp::create(rewriter, loc, getKernelValues(op).thread,
                              constant(target::threads::perWarp - 1));
    Value laneBytes = arith::MulIOp::create(rewriter, loc, lane, constant(4));
    Value zero = constant(0), all = constant(layout::scaleTileGroups);
    for (int64_t group = 0; group < groupTiles; ++group) {
      Value left =
          arith::SubIOp::create(rewriter, loc, adaptor.getValid(),
                                constant(group * layout::scaleTileGroups));
      left = arith::MaxSIOp::create(rewriter, loc, left, zero);
      Value isPartial = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, left, all);
      auto branch = scf::IfOp::create(rewriter, loc, isPartial, false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      // The low 8 * left bits stay.
      Value bits = arith::MulIOp::create(rewriter, loc, left, constant(8));
      Value keep = arith::ShLIOp::create(rewriter, loc, constant(1), bits);
      keep = arith::SubIOp::create(rewriter, loc, keep, constant(1));
      for (int64_t row = 0; row < rowTiles; ++row) {
        int64_t tile = (row * groupTiles + group) * layout::scaleTileBytes;
        for (int64_t word = 0; word < layout::scaleTileBytes;
             word += 4 * target::threads::perWarp) {
          Value address =
              advance(rewriter, loc,
                      advance(rewriter, loc, adaptor.getBuffer(), tile + word),
                      laneBytes);
          Value scales = LLVM::LoadOp::create(rewriter, loc,
                                              rewriter.getI32Type(), address);
          scales = arith::AndIOp::create(rewriter, loc, scales, keep);
          LLVM::StoreOp::create(rewriter, loc, scales, address);
        }
      }
    }
    // The last of several masks makes all of them visible to the copies: a
    // proxy fence orders all earlier writes of its thread.
    if (!isa_and_nonnull<MaskScalesOp>(op->getNextNode())) {
      NVVM::FenceProxyOp::create(
          rewriter, loc, NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(op.getContext(),
                                     NVVM::SharedSpace::shared_cta));
      NVVM::SyncWarpOp::create(rewriter, loc, constant(-1));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct CopyScalesPattern : KernelPattern<CopyScalesOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(CopyScalesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType type = op.getSource().getType();
    int64_t rowTiles = type.getShape()[0] / layout::scaleTileRows;
    int64_t groupTiles = type.getShape()[1] / layout::scaleTileGroups;
    auto fixed = layout::scaleCopyDescriptor(0);
    auto bits = fixed ? layout::encodeMatrixDescriptorSm100(*fixed)
                      : layout::Result<uint64_t>(layout::Error{fixed.error()});
    if (!bits)
      return op.emitOpError(bits.error());
    Value descriptor =
        buildDescriptor(rewriter, loc, adaptor.getSource(), *bits);
    for (int64_t group = 0; group < groupTiles; ++group) {
      for (int64_t row = 0; row < rowTiles; ++row) {
        int64_t bytes = (row * groupTiles + group) * layout::scaleTileBytes;
        // The start-address field counts 16 bytes.
        Value source = arith::AddIOp::create(
            rewriter, loc, descriptor, constantI64(rewriter, loc, bytes / 16));
        NVVM::Tcgen05CpOp::create(
            rewriter, loc, NVVM::Tcgen05CpShape::SHAPE_32x128b,
            NVVM::CTAGroupKind::CTA_1, NVVM::Tcgen05CpMulticast::WARPX4,
            NVVM::Tcgen05CpSrcFormatAttr(),
            tensorMemoryPointer(rewriter, loc, adaptor.getDestination(),
                                layout::scaleColumn(row, group, rowTiles)),
            source);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// The barrier of publish and synchronize. Operations on tensor memory of other
/// threads are ordered by it only together with these fences (PTX ISA
/// 9.7.17.6).
template <typename OpT>
static void buildOrderingBarrier(OpBuilder &builder, OpT op,
                                 const KernelValues &kernel) {
  auto fence = [&](NVVM::Tcgen05FenceKind kind) {
    if (kernel.tensorMemoryBase)
      NVVM::Tcgen05FenceOp::create(builder, op.getLoc(), kind);
  };
  fence(NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  buildBarrier(builder, op, kernel.warp, op.getEachWarpgroup());
  fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

struct PublishPattern : KernelPattern<PublishOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(PublishOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::FenceProxyOp::create(
        rewriter, op.getLoc(), NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    buildOrderingBarrier(rewriter, op, getKernelValues(op));
    rewriter.eraseOp(op);
    return success();
  }
};

struct SynchronizePattern : KernelPattern<SynchronizeOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(SynchronizeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    buildOrderingBarrier(rewriter, op, getKernelValues(op));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void bsmm::buildBarrier(OpBuilder &builder, Operation *op, Value warp,
                        bool eachWarpgroup) {
  Location loc = op->getLoc();
  auto role = op->getAttrOfType<DenseI64ArrayAttr>(roleAttrName);
  if (!role) {
    NVVM::BarrierOp::create(builder, loc);
    return;
  }
  // 0 is the CTA's barrier, 1..7 those of roles by their first warpgroup, 8..15
  // those of single warpgroups of larger roles.
  constexpr int64_t perWarpgroup = target::threads::warpsPerWarpgroup;
  int64_t threads = role[1] * target::threads::perWarp;
  Value number = constantI32(builder, loc, 1 + role[0] / perWarpgroup);
  if (eachWarpgroup && role[1] > perWarpgroup) {
    threads = target::threads::perWarpgroup;
    number = arith::ShRUIOp::create(builder, loc, warp,
                                    constantI32(builder, loc, 2));
    number = arith::AddIOp::create(builder, loc, number,
                                   constantI32(builder, loc, 8));
  }
  NVVM::BarrierOp::create(builder, loc, Type(), number,
                          constantI32(builder, loc, threads),
                          NVVM::BarrierReductionAttr(), Value());
}

const target::Gpu *bsmm::findTargetGpu(Operation *op) {
  auto target =
      op->getParentOfType<gpu::GPUModuleOp>()->getAttrOfType<TargetAttr>(
          BsmmDialect::getTargetAttrName());
  return target ? target::findGpu(std::string_view(target.getChip())) : nullptr;
}

Value bsmm::buildDescriptor(OpBuilder &builder, Location loc, Value pointer,
                            uint64_t fixedBits) {
  // Start address: bits 4..17 of the shared-memory address in bits 0..13.
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
  address = arith::AndIOp::create(builder, loc, address,
                                  constantI32(builder, loc, 0x3FFFF));
  address = arith::ShRUIOp::create(builder, loc, address,
                                   constantI32(builder, loc, 4));
  Value wide =
      arith::ExtUIOp::create(builder, loc, builder.getI64Type(), address);
  return arith::OrIOp::create(builder, loc, wide,
                              constantI64(builder, loc, fixedBits));
}

void bsmm::populateCopyToNVVMPatterns(const LLVMTypeConverter &converter,
                                      const KernelValuesMap &values,
                                      RewritePatternSet &patterns) {
  patterns.add<CopyScalesPattern, LoadAsyncPattern, MaskScalesPattern,
               PublishPattern, StoreAsyncPattern, SynchronizePattern,
               WaitStoresPattern>(converter, values);
}
