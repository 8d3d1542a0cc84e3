// RUN: bsmm-opt %s --bsmm-verify-level=level=pipeline | FileCheck %s
// RUN: not bsmm-opt %s --bsmm-verify-level=level=tile 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not bsmm-opt %s --bsmm-verify-level=level=problem 2>&1 | FileCheck %s --check-prefix=PROBLEM
// RUN: not bsmm-opt %s --bsmm-verify-level=level=kernel 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not bsmm-opt %s --bsmm-verify-level=level= 2>&1 | FileCheck %s --check-prefix=EMPTY

// CHECK: bsmm.publish
// TILE: error: 'bsmm.publish' op belongs to the pipeline level, expected only the tile level here
// PROBLEM: error: 'bsmm.publish' op belongs to the pipeline level, expected only the problem level here
// UNKNOWN: error: expected level problem, tile or pipeline, got 'kernel'
// EMPTY: error: expected level problem, tile or pipeline, got ''
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>} {
    bsmm.publish
    bsmm.return
  }
}
