// Options of bsmm-problem-to-tile that make no kernel.

// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-m=64 2>&1 | FileCheck %s --check-prefix=BLOCKM
// BLOCKM: error: {{.*}}expected block-m 128, got 64
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-n=100 2>&1 | FileCheck %s --check-prefix=BLOCKN
// BLOCKN: error: {{.*}}expected block-n to be a multiple of 16 from 16 to 256, got 100
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-n=0 2>&1 | FileCheck %s --check-prefix=BLOCKN0
// BLOCKN0: error: {{.*}}expected block-n to be a multiple of 16 from 16 to 256, got 0
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-n=512 2>&1 | FileCheck %s --check-prefix=BLOCKN512
// BLOCKN512: error: {{.*}}got 512
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-k=96 2>&1 | FileCheck %s --check-prefix=BLOCKK
// BLOCKK: error: {{.*}}expected block-k to be a multiple of 64 (4 groups of 16) up to 4096, got 96
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-k=0 2>&1 | FileCheck %s --check-prefix=BLOCKK0
// BLOCKK0: error: {{.*}}expected block-k to be a multiple of 64 (4 groups of 16) up to 4096, got 0
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-k=4294967296 2>&1 | FileCheck %s --check-prefix=BLOCKKHUGE
// BLOCKKHUGE: error: {{.*}}got 4294967296
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=block-k=-64 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}got -64
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=group=0 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: error: {{.*}}expected a group of 1 to 65536 tile rows, got 0
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=stages=65 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: {{.*}}expected 0 to 64 stages, got 65
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=stages=-1 2>&1 | FileCheck %s --check-prefix=STAGESNEG
// STAGESNEG: error: {{.*}}expected 0 to 64 stages, got -1
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=chip=sm_75 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}option chip: unknown target 'sm_75'
// RUN: not bsmm-opt %s --bsmm-problem-to-tile=chip=sm_103a 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: error: {{.*}}option chip=sm_103a conflicts with #bsmm.target<"sm_100a"> of the module

// The same target again is no conflict.
// RUN: bsmm-opt %s --bsmm-problem-to-tile=chip=sm_100a | FileCheck %s
// CHECK: bsmm.kernel @f

#sf = #bsmm.scales<blocked_128x4, vec = 16>

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
             %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}
}
