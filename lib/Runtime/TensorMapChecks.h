//===- TensorMapChecks.h - the static part of a tensor map ------*- C++ -*-===//

#ifndef BSMM_LIB_RUNTIME_TENSORMAPCHECKS_H
#define BSMM_LIB_RUNTIME_TENSORMAPCHECKS_H

#include "bsmm/Runtime/LaunchDescription.h"

namespace bsmm::runtime {

/// What is known of a tensor map before its addresses and extents are: element
/// type, swizzle, box, element strides (none: all 1; each at least 1) and fill.
/// Empty when legal.
std::string validateTensorMapBox(target::TensorMapElement element,
                                 target::Swizzle swizzle,
                                 const std::vector<int64_t> &box,
                                 const std::vector<int64_t> &strides,
                                 bool nanFill, std::string_view path,
                                 const target::Gpu *gpu);

/// Why a grid, block, cluster or amount of shared memory is not launchable on
/// the target; empty when it is. Null `grid`: not known yet.
std::string validateLaunchShape(std::string_view target, const Dim3 *grid,
                                const Dim3 &block, const Dim3 &cluster,
                                int64_t dynamicSharedMemory);

} // namespace bsmm::runtime

#endif // BSMM_LIB_RUNTIME_TENSORMAPCHECKS_H
