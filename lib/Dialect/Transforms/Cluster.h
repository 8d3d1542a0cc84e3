//===- Cluster.h - what the CTAs of a cluster have in common ----*- C++ -*-===//

#ifndef BSMM_LIB_DIALECT_TRANSFORMS_CLUSTER_H
#define BSMM_LIB_DIALECT_TRANSFORMS_CLUSTER_H

#include "mlir/IR/Value.h"

namespace bsmm {

/// Whether a scalar is provably the same in all CTAs of a cluster of `ctas`
/// along x: arguments, constants, extents of the grid, the number of the
/// cluster (block_id x divided by its CTAs), counters of loops with such bounds,
/// and arithmetic on them.
bool isSameInCluster(mlir::Value value, int64_t ctas);

} // namespace bsmm

#endif // BSMM_LIB_DIALECT_TRANSFORMS_CLUSTER_H
