// The dialect's version is in the bytecode. A newer one is refused: the second
// command raises the stored number 1 (03 as a variable-length integer) to 2.

// RUN: bsmm-opt --emit-bytecode %s -o %t.bc
// RUN: bsmm-opt %t.bc | FileCheck %s
// RUN: env LC_ALL=C sed 's/\x07\x03\x03/\x07\x03\x05/' %t.bc > %t.newer.bc
// RUN: not cmp -s %t.bc %t.newer.bc
// RUN: not bsmm-opt %t.newer.bc 2>&1 | FileCheck %s --check-prefix=NEWER
// RUN: not bsmm-translate --bsmm-to-ptx %t.newer.bc 2>&1 | FileCheck %s --check-prefix=NEWER

// CHECK: bsmm.reshape
// NEWER: error: expected bsmm bytecode of version 1 or older, got version 2; use a newer bsmm

gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<4x4xf16>
    %1 = bsmm.reshape %0 : tensor<4x4xf16> to tensor<16xf16>
    bsmm.return
  }
}
