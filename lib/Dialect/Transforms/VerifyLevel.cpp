//===- VerifyLevel.cpp - one level at a time ------------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"

namespace bsmm {
#define GEN_PASS_DEF_BSMMVERIFYLEVEL
#include "bsmm/Dialect/Transforms/Passes.h.inc"
} // namespace bsmm

using namespace mlir;
using namespace bsmm;

namespace {
struct VerifyLevel : bsmm::impl::BsmmVerifyLevelBase<VerifyLevel> {
  using BsmmVerifyLevelBase::BsmmVerifyLevelBase;

  void runOnOperation() override {
    std::optional<Level> wanted = symbolizeLevel(level);
    if (!wanted) {
      getOperation()->emitError()
          << "expected level problem, tile or pipeline, got '" << level << "'";
      return signalPassFailure();
    }
    getOperation()->walk([&](LevelOpInterface op) {
      if (op.getLevel() == *wanted)
        return;
      op->emitOpError("belongs to the ")
          << stringifyLevel(op.getLevel()) << " level, expected only the "
          << level << " level here";
      signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
