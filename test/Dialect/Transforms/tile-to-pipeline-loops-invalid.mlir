// Options of the loops that cannot be had, at the problem and the tile level.

// RUN: not bsmm-opt %s --bsmm-problem-to-tile="specialize=outer" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'bsmm.scaled_matmul' op expected specialize to be default, tile-loop, k-loop or none, got outer
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="tile-stages=65" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="tile-stages=-1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: 'bsmm.scaled_matmul' op expected 0 to 64 tile-stages, got {{65|-1}}
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="persistent=false specialize=tile-loop" 2>&1 | FileCheck %s --check-prefix=NOLOOP
// NOLOOP: error: 'bsmm.scaled_matmul' op expected specialize=k-loop or none with persistent=false, which has no loop over output tiles, got tile-loop
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="persistent=false flatten=true" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: 'bsmm.scaled_matmul' op expected flatten=false with persistent=false, whose CTAs have one output tile each, got flatten=true
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="persistent=false tile-stages=2" 2>&1 | FileCheck %s --check-prefix=ONETILE
// ONETILE: error: 'bsmm.scaled_matmul' op expected tile-stages=1 with persistent=false, whose CTAs have one output tile each, got tile-stages=2
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="persistent=false tile-stages=3" 2>&1 | FileCheck %s --check-prefix=ONETILE3
// ONETILE3: error: 'bsmm.scaled_matmul' op expected tile-stages=1 with persistent=false, whose CTAs have one output tile each, got tile-stages=3

// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=512 stages=1 specialize=none tile-stages=2" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=APART
// APART: error: 'scf.for' op expected stages of the loop over output tiles that tensor memory holds, got 2 = 512 (accumulators) + 96 (scales) = 608 of 512 columns, and warps that multiply before they drain share none; use 1
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-m=256 block-n=128 stages=2 tile-stages=2 swap-operands=true" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: error: 'scf.for' op expected stages of the loop over output tiles that tensor memory holds, got 2 = 512 (accumulators) + 48 (scales) = 560 of 512 columns, and an accumulator that is stored transposed shares none; use 1
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=1024 stages=1 tile-stages=2" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: 'scf.for' op expected stages of the loop over output tiles that tensor memory holds, got 2 = 512 (accumulators) + 192 (scales) = 704 of 512 columns, of which accumulators share at most 128; use 1

// More than two have columns of their own. As many as are advised compile.
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="tile-stages=4" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="tile-stages=4 specialize=none" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: 'scf.for' op expected stages of the loop over output tiles that tensor memory holds, got 4 = 512 (accumulators) + 32 (scales) = 544 of 512 columns, and more than two accumulators share none; use at most 3
// RUN: bsmm-opt %s --bsmm-problem-to-tile="tile-stages=3" --bsmm-tile-to-pipeline-level -o /dev/null
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=16 block-k=64 tile-stages=64" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: 'scf.for' op expected stages of the loop over output tiles that tensor memory holds, got 64 = 2048 (accumulators) + 8 (scales) = 2056 of 512 columns, and more than two accumulators share none; use at most 15
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=16 block-k=64 tile-stages=15" --bsmm-tile-to-pipeline-level -o /dev/null
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=128 tile-stages=3" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: error: 'scf.for' op expected stages {{.*}}, got 3 = 768 (accumulators) + 24 (scales) = 792 of 512 columns, and more than two accumulators share none; use at most 2
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=128 tile-stages=2" --bsmm-tile-to-pipeline-level -o /dev/null
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=128 tile-stages=3 specialize=k-loop" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=JOINED
// JOINED: error: 'scf.for' op expected stages {{.*}}, got 3 = 768 (accumulators) + 24 (scales) = 792 of 512 columns, and more than two accumulators share none; use 1

// Both loops cannot be shared out.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=k-loop tile-stages=2" > %t.mlir
// RUN: sed "s/bsmm.stages = 2 : i64/bsmm.warp_specialize = true/" %t.mlir | not bsmm-opt --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: 'scf.for' op expected bsmm.warp_specialize = true on one loop, got it on the loop over output tiles, too; remove one of them
// RUN: sed "s/bsmm.stages = 2 : i64/bsmm.stages = 4 : i64/" %t.mlir | not bsmm-opt --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: sed "s/bsmm.stages = 3 : i64/bsmm.flatten/" %t.mlir | not bsmm-opt --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=INNER
// INNER: error: 'scf.for' op expected bsmm.flatten on a loop over output tiles, with the loop over K inside of it, got it on the loop over K

// Added splits have steps of their own in each tile.
// RUN: not bsmm-opt %S/../../Integration/Inputs/nvfp4-f32.mlir --bsmm-problem-to-tile="chip=sm_100a split-k=3 add-splits=true specialize=none flatten=true" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: 'scf.for' op expected bounds that are the same for all output tiles with bsmm.flatten, which numbers the steps of all of them; remove bsmm.flatten or share out the loop over output tiles (bsmm.warp_specialize)

// Accumulators in registers.
// RUN: not bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile="specialize=none" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile="specialize=k-loop" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: 'scf.for' op expected bsmm.warp_specialize = true on the loop over output tiles alone with accumulators in registers, which stay with the warpgroups that drain them; other forms need a target with tensor memory, such as sm_100a, got sm_90a
// RUN: not bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile="specialize=none persistent=false" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=REGISTERSK
// REGISTERSK: error: 'scf.for' op expected bsmm.warp_specialize = true on the loop over K alone with accumulators in registers
// RUN: not bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile="tile-stages=2" --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=REGISTERSTAGES
// REGISTERSTAGES: error: 'scf.for' op expected no bsmm.stages on a loop over output tiles with accumulators in registers, of which each consumer has one; stages of this loop need a target with tensor memory, such as sm_100a, got sm_90a and 2 stages
// The roles walk over the tiles, so that loads run ahead over their border.
// RUN: bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile="specialize=tile-loop flatten=true" --bsmm-tile-to-pipeline-level > %t.flat.mlir
// RUN: bsmm-opt %examples/fp8_gemm.mlir --bsmm-problem-to-tile --bsmm-tile-to-pipeline-level | diff - %t.flat.mlir

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
