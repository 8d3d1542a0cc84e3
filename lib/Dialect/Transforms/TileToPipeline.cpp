//===- TileToPipeline.cpp - tile level to pipeline level ------------------===//

#include "PipelineBuilder.h"
#include "bsmm/Dialect/Transforms/Passes.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMTILETOPIPELINE
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

static LogicalResult lower(KernelOp kernel) {
  TileKernel tile(kernel);
  if (failed(tile.analyze()))
    return failure();
  return PipelineBuilder(tile).build();
}

namespace {
struct TileToPipeline : bsmm::impl::BsmmTileToPipelineBase<TileToPipeline> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      if (kernel.getLevel() == Level::Tile)
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(lower(kernel)))
        return signalPassFailure();
  }
};
} // namespace
