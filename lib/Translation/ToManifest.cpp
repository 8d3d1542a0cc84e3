//===- ToManifest.cpp - kernels to launch manifests -----------------------===//

#include "bsmm/Translation/ToManifest.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Dialect/Transforms/Epilogue.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace bsmm;

static target::Swizzle mapSwizzle(layout::SwizzleMode mode) {
  switch (mode) {
  case layout::SwizzleMode::Bytes32:
    return target::Swizzle::B32;
  case layout::SwizzleMode::Bytes64:
    return target::Swizzle::B64;
  case layout::SwizzleMode::Bytes128:
    return target::Swizzle::B128;
  default:
    return target::Swizzle::None;
  }
}

static std::optional<runtime::Role> operandRole(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::A:
    return runtime::Role::A;
  case ArgumentRole::B:
    return runtime::Role::B;
  case ArgumentRole::ScaleA:
    return runtime::Role::SFA;
  case ArgumentRole::ScaleB:
    return runtime::Role::SFB;
  case ArgumentRole::C:
    return runtime::Role::C;
  case ArgumentRole::D:
    return runtime::Role::D;
  case ArgumentRole::RowScaleA:
    return runtime::Role::SA;
  case ArgumentRole::RowScaleB:
    return runtime::Role::SB;
  case ArgumentRole::Bias:
    return runtime::Role::Bias;
  default:
    return std::nullopt;
  }
}

/// The copy that uses a tensor map says how its boxes look.
static FailureOr<BoxPlan> findPlan(KernelOp kernel, BlockArgument map) {
  for (Operation *user : map.getUsers()) {
    auto type = cast<TensorMapType>(map.getType());
    if (auto load = dyn_cast<LoadAsyncOp>(user))
      return planBoxes(load, type, load.getDestination().getType());
    if (auto store = dyn_cast<StoreAsyncOp>(user))
      return planBoxes(store, type, store.getSource().getType());
  }
  return kernel.emitOpError("argument #")
         << map.getArgNumber() << ": expected a copy through the tensor map";
}

static FailureOr<runtime::ManifestParam>
buildParameter(KernelOp kernel, BlockArgument argument, ArgumentRole role) {
  using Kind = runtime::ManifestParam::Kind;
  runtime::ManifestParam param;
  if (auto operand = operandRole(role)) {
    param.role = *operand;
    if (!isa<TensorMapType>(argument.getType())) {
      param.kind = Kind::Pointer;
      return param;
    }
    param.kind = Kind::TensorMap;
    FailureOr<BoxPlan> plan = findPlan(kernel, argument);
    if (failed(plan))
      return failure();
    bool isScale = role == ArgumentRole::ScaleA || role == ArgumentRole::ScaleB;
    param.view = isScale ? runtime::View::ScaleTiles : runtime::View::Matrix;
    param.element = plan->element;
    param.box.assign(plan->box.rbegin(), plan->box.rend());
    param.swizzle = mapSwizzle(plan->swizzle);
    return param;
  }
  auto size = [&](unsigned index) {
    param.kind = Kind::Size;
    param.size = index;
    return param;
  };
  auto stride = [&](Kind kind, runtime::Role operand) {
    param.kind = kind;
    param.role = operand;
    return param;
  };
  auto scalar = [&](runtime::ManifestParam::ScalarName name) {
    param.kind = Kind::Scalar;
    param.scalar = name;
    return param;
  };
  switch (role) {
  case ArgumentRole::M:
    return size(0);
  case ArgumentRole::N:
    return size(1);
  case ArgumentRole::K:
    return size(2);
  case ArgumentRole::L:
    return size(3);
  case ArgumentRole::PitchScaleA:
    return stride(Kind::Pitch, runtime::Role::SFA);
  case ArgumentRole::BatchStrideScaleA:
    return stride(Kind::BatchStride, runtime::Role::SFA);
  case ArgumentRole::PitchScaleB:
    return stride(Kind::Pitch, runtime::Role::SFB);
  case ArgumentRole::BatchStrideScaleB:
    return stride(Kind::BatchStride, runtime::Role::SFB);
  case ArgumentRole::PitchC:
    return stride(Kind::Pitch, runtime::Role::C);
  case ArgumentRole::BatchStrideC:
    return stride(Kind::BatchStride, runtime::Role::C);
  case ArgumentRole::PitchD:
    return stride(Kind::Pitch, runtime::Role::D);
  case ArgumentRole::BatchStrideD:
    return stride(Kind::BatchStride, runtime::Role::D);
  case ArgumentRole::Alpha:
    return scalar(runtime::ManifestParam::ScalarName::Alpha);
  case ArgumentRole::Beta:
    return scalar(runtime::ManifestParam::ScalarName::Beta);
  case ArgumentRole::OutScale:
    return scalar(runtime::ManifestParam::ScalarName::OutScale);
  default:
    break;
  }
  return kernel.emitOpError("argument #")
         << argument.getArgNumber() << ": expected a role of the launch schema";
}

/// Types of the problem, from the matrix operations and what is stored.
static LogicalResult buildProblem(KernelOp kernel,
                                  runtime::ProblemTypes &problem) {
  BufferType a, b, scale;
  kernel.walk([&](ScaledMmaOp op) {
    a = op.getA().getType();
    b = op.getB().getType();
    scale = op.getScaleA().getType();
  });
  kernel.walk([&](MmaOp op) {
    a = op.getA().getType();
    b = op.getB().getType();
  });
  // Block-scaled operands that were decoded for it.
  kernel.walk([&](DecodeOperandOp op) {
    scale = op.getScales().getType();
    BufferType source = op.getSource().getType();
    bool isA =
        llvm::any_of(op.getDestination().getUsers(), [&](Operation *user) {
          auto mma = dyn_cast<MmaOp>(user);
          return mma && mma.getA() == op.getDestination();
        });
    (isA ? a : b) = source;
  });
  if (!a)
    return kernel.emitOpError("expected a bsmm.scaled_mma or bsmm.mma");
  problem.a = getOperandElementType(a.getElementType());
  problem.b = getOperandElementType(b.getElementType());
  if (scale) {
    problem.scaleType = getScaleElementType(scale.getElementType());
    problem.scaleVector = a.getShape()[1] / scale.getShape()[1];
  }
  // Scales of sums: the strides say how they lie.
  kernel.walk([&](ReadScalesOp op) {
    auto layout = matchPattern(op.getStride(), m_One())
                      ? runtime::ScaleLayout::ColumnMajor
                      : runtime::ScaleLayout::Linear;
    problem.scaleType = target::ElementType::F32;
    problem.scaleVector = a.getShape()[1];
    if (op.getDimension() == 0) {
      problem.scaleLayout = layout;
      return;
    }
    problem.scaleLayoutB = layout;
    problem.scaleRowsB = op.getBlock();
  });
  Epilogue epilogue = readEpilogue(kernel);
  if (!epilogue.out)
    return kernel.emitOpError("expected a store of the result");
  problem.out = getOperandElementType(epilogue.out);
  if (epilogue.c)
    problem.c = getOperandElementType(epilogue.c);
  if (epilogue.bias)
    problem.bias = getOperandElementType(epilogue.bias);
  if (epilogue.rowScales == RowScaleExtent::Rows)
    problem.rowScales = runtime::RowScales::F32;
  if (epilogue.rowScales == RowScaleExtent::Tensor)
    problem.rowScales = runtime::RowScales::Tensor;
  if (epilogue.isKnown && epilogue.activation == Activation::Relu)
    problem.activation = runtime::Activation::Relu;
  if (epilogue.isKnown && epilogue.activation == Activation::Silu)
    problem.activation = runtime::Activation::Silu;
  return success();
}

/// How the two loops are worked through, where that is not the usual: seen by
/// who loads and who waits for the loads. Returns by how many steps the counter
/// of the loop over K goes beyond its end.
static int64_t describeLoops(CreateChannelOp loads,
                             runtime::KernelManifest &manifest) {
  AcquireOp acquire;
  WaitOp wait;
  for (Operation *user : loads.getChannel().getUsers()) {
    if (auto op = dyn_cast<AcquireOp>(user))
      acquire = op;
    if (auto op = dyn_cast<WaitOp>(user))
      wait = op;
  }
  if (!acquire || !wait)
    return 1;
  auto producer = acquire->getParentOfType<WarpRoleOp>();
  bool isOneWarp = producer == wait->getParentOfType<WarpRoleOp>();
  bool joins = producer && producer->getParentOfType<scf::ForOp>();
  if (isOneWarp)
    manifest.configuration["specialize"] = std::string("none");
  else if (joins)
    manifest.configuration["specialize"] = std::string("k-loop");
  auto loop = acquire->getParentOfType<scf::ForOp>();
  if (loop && acquire.getIteration() == loop.getInductionVar())
    manifest.configuration["flatten"] = true;
  // More accumulators than one where a tile is drained when the next ones have
  // been multiplied, and than two where roles walk over the tiles.
  loads->getParentOfType<KernelOp>().walk([&](CreateChannelOp op) {
    ChannelType type = op.getChannel().getType();
    if (type.getSlots() > (joins ? 1 : 2) &&
        type.getMemorySpace() == MemorySpace::TensorMemory)
      manifest.configuration["tile_stages"] = type.getSlots();
  });
  // One warp's loop ends behind its last multiplication, whose loads were as
  // many steps before as there are other slots.
  return isOneWarp ? 1 + loads.getChannel().getType().getSlots() : 1;
}

/// Whether block scales are used whole: padding groups of the last scale tile,
/// whose bytes may be NaN codes, would reach the sums.
static bool usesPaddingGroups(KernelOp kernel) {
  auto usesPadding = [](Operation *op) {
    bool isUsed = false;
    if (auto copy = dyn_cast<CopyScalesOp>(op))
      isUsed = llvm::none_of(copy.getSource().getUsers(),
                             llvm::IsaPred<MaskScalesOp>);
    else if (auto decode = dyn_cast<DecodeOperandOp>(op))
      isUsed = matchPattern(decode.getValid(), m_Constant());
    return isUsed ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(usesPadding).wasInterrupted();
}

FailureOr<runtime::KernelManifest> bsmm::buildManifest(KernelOp kernel) {
  TargetAttr target = kernel.resolveTarget();
  if (!target || !kernel.getTile() || !kernel.getGrid() ||
      !kernel.getBlockSize() || !kernel.getDynamicSharedMemory())
    return kernel.emitOpError(
        "expected target, tile, grid, block size and assigned memory for a "
        "launch manifest; run bsmm-tile-to-pipeline-level first");
  runtime::KernelManifest manifest;
  manifest.entry = kernel.getSymName().str();
  manifest.ptx = "kernel.ptx";
  manifest.target = target.getChip().str();
  manifest.grid.rule = kernel.getGrid() == GridRule::Persistent
                           ? runtime::GridRule::Persistent
                           : runtime::GridRule::Tile;
  manifest.block = {int64_t(*kernel.getBlockSize()), 1, 1};
  if (int64_t ctas = kernel.getNumClusterCtas(); ctas != 1) {
    manifest.cluster = {ctas, 1, 1};
    // The CTAs of a cluster share the steps along K of one tile, or loads.
    auto isReduction = [](Operation *op) {
      return isa<ReduceClusterOp, AddPartialsOp>(op) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
    };
    if (kernel.walk(isReduction).wasInterrupted())
      manifest.grid.splitK = ctas;
  }
  if (auto parts = kernel.getSplitK())
    manifest.grid.splitK = *parts;
  kernel.walk([&](StoreAsyncOp op) {
    manifest.addsToOutput |= op.getAdd();
    manifest.numerics.orderDependent |= op.getAdd();
  });
  manifest.dependentLaunch = kernel.getDependentLaunch();
  manifest.dynamicSharedMemory = *kernel.getDynamicSharedMemory();
  TileAttr tile = kernel.getTileAttr();
  manifest.tile = {tile.getM(), tile.getN(), tile.getK()};
  if (failed(buildProblem(kernel, manifest.problem)))
    return failure();
  // Sums of so many elements of K are added in f32.
  bool isPromoted = kernel
                        .walk([](Operation *op) {
                          return isa<AddAccumulatorsOp, AddScaledOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (isPromoted)
    kernel.walk([&](MmaOp op) {
      manifest.numerics.promoteEvery = op.getDepth();
      // Parts of the steps of a trip, of which one is added while another one
      // is multiplied.
      auto parts = op->getBlock()->getOps<MmaOp>();
      auto steps = op->getBlock()->getOps<WaitOp>();
      int64_t number = std::distance(parts.begin(), parts.end());
      if (!isa<scf::ForOp>(op->getParentOp()) || number == 1)
        return;
      manifest.configuration["promotion_parts"] = number;
      manifest.configuration["promotion_steps"] =
          int64_t(std::distance(steps.begin(), steps.end()));
    });
  int64_t stepsBeyond = 1;
  kernel.walk([&](CreateChannelOp op) {
    if (op.getProducer().getKind() == ArrivalKind::Transaction) {
      manifest.configuration["stages"] = op.getChannel().getType().getSlots();
      stepsBeyond = describeLoops(op, manifest);
    }
    // Turns of the warpgroups that multiply.
    if (op.getChannel().getType().getBuffers().empty())
      manifest.configuration["ping_pong"] = int64_t(1);
  });
  // What the CTAs of a cluster load together.
  kernel.walk([&](LoadAsyncOp op) {
    auto map = dyn_cast<BlockArgument>(op.getMap());
    if (!op.getMulticast() || !map)
      return;
    auto role = kernel.getArgAttrOfType<ArgumentRoleAttr>(
        map.getArgNumber(), BsmmDialect::getRoleAttrName());
    if (role && role.getValue() == ArgumentRole::A)
      manifest.configuration["multicast_a"] = int64_t(1);
    if (role && role.getValue() == ArgumentRole::B)
      manifest.configuration["multicast_b"] = int64_t(1);
  });
  // Those that have the same columns of B have rows of A of their own, in tiles
  // below each other.
  if (manifest.configuration.count("multicast_a") !=
      manifest.configuration.count("multicast_b"))
    (manifest.configuration.count("multicast_b") ? manifest.grid.togetherM
                                                 : manifest.grid.togetherN) =
        kernel.getNumClusterCtas();
  if (target::bitWidth(manifest.problem.out) < 16)
    manifest.numerics.overflow = runtime::Overflow::Saturate;
  // Each part of a split sum makes a step, which may lie behind all of K, but
  // not behind operands that are not there.
  if (manifest.grid.splitK != 1)
    manifest.shapes[2].min = 1;
  // The K loop's counter and its next values are i32.
  manifest.shapes[2].max -= stepsBeyond * tile.getK();
  // Rows of packed operands are whole bytes.
  for (target::ElementType type : {manifest.problem.a, manifest.problem.b})
    if (target::bitWidth(type) < 8)
      manifest.shapes[2].multipleOf = 2;
  // Whole scale tiles of 4 groups have no padding.
  if (usesPaddingGroups(kernel))
    manifest.shapes[2].multipleOf = 4 * manifest.problem.scaleVector;

  // A TMA store clips rows at 16 bytes only: up to 15 bytes after the last
  // column would change (seen on hardware; triton-lang/triton #11583).
  if (auto d = kernel.findArgument(ArgumentRole::D);
      d && isa<TensorMapType>(d.getType()))
    manifest.shapes[1].multipleOf =
        std::max<int64_t>(1, 8 * target::tma::addressAlignment /
                                 target::bitWidth(manifest.problem.out));

  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    auto role = kernel.getArgAttrOfType<ArgumentRoleAttr>(
        index, BsmmDialect::getRoleAttrName());
    if (!role)
      return kernel.emitOpError("argument #")
             << index << ": expected a role, e.g. bsmm.role = #bsmm.role<a>";
    auto param = buildParameter(kernel, argument, role.getValue());
    if (failed(param))
      return failure();
    manifest.params.push_back(*param);
  }
  if (std::string reason = runtime::validateManifest(manifest); !reason.empty())
    return kernel.emitOpError("cannot be described for a launch: ") << reason;
  return manifest;
}
