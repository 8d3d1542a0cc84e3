//===- ToManifest.h - kernels to launch manifests ---------------*- C++ -*-===//

#ifndef BSMM_TRANSLATION_TOMANIFEST_H
#define BSMM_TRANSLATION_TOMANIFEST_H

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Runtime/LaunchDescription.h"

namespace bsmm {

/// The manifest (docs/abi.md) of a pipeline-level kernel whose memory has been
/// assigned. Emits an error when an argument has no role in the schema.
mlir::FailureOr<runtime::KernelManifest> buildManifest(KernelOp kernel);

} // namespace bsmm

#endif // BSMM_TRANSLATION_TOMANIFEST_H
