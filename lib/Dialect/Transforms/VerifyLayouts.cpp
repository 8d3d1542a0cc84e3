//===- VerifyLayouts.cpp - prove the layouts of scaled dots ---------------===//

#include "bsmm/Dialect/Transforms/LayoutProof.h"
#include "bsmm/Dialect/Transforms/Passes.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMVERIFYLAYOUTS
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

namespace {
struct VerifyLayouts : bsmm::impl::BsmmVerifyLayoutsBase<VerifyLayouts> {
  using BsmmVerifyLayoutsBase::BsmmVerifyLayoutsBase;

  void runOnOperation() override {
    bool failedOnce = false;
    getOperation()->walk([&](ScaledDotOp op) {
      FailureOr<ScaledDotTiles> tiles = proveScaledDot(op);
      if (failed(tiles)) {
        failedOnce = true;
        return;
      }
      if (!print)
        return;
      auto remark = [&](StringRef what, LoadedTile &tile, StringRef reads) {
        op.emitRemark() << "proved: " << what << " "
                        << tile.load.getMap().getType() << " -> "
                        << tile.chain.str() << " is what " << reads << " reads";
      };
      remark("A", tiles->a, "a K-major shared-memory descriptor");
      remark("B^T", tiles->b, "a K-major shared-memory descriptor");
      remark("the scales of A", tiles->scaleA,
             "tcgen05.cp.32x128b.warpx4 for the MMA");
      remark("the scales of B", tiles->scaleB,
             "tcgen05.cp.32x128b.warpx4 for the MMA");
    });
    getOperation()->walk([&](DotOp op) {
      FailureOr<DotTiles> tiles = proveDot(op);
      if (failed(tiles)) {
        failedOnce = true;
        return;
      }
      if (!print)
        return;
      for (auto [what, tile] :
           {std::pair{"A", &tiles->a}, std::pair{"B^T", &tiles->b}})
        op.emitRemark() << "proved: " << what << " "
                        << tile->load.getMap().getType() << " -> "
                        << tile->chain.str()
                        << " is what a K-major shared-memory descriptor reads";
    });
    if (failedOnce)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
