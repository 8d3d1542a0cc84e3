// An output tile leaves tensor memory in pieces of a swizzle's width: 128 bytes,
// or less where the stages that are asked for leave less room.

// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=256 stages=3" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=WIDE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=256 stages=4" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=NARROW
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=128 block-k=256 stages=5" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=FIVE
// With accumulators in registers one buffer leaves the loads a fourth slot.
// RUN: bsmm-opt %source_dir/examples/fp8_gemm.mlir --bsmm-problem-to-tile="block-m=192 block-n=192 block-k=128" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=FOURTH
// FOURTH: bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> {{.*}} : <4, <192x128xf8E4M3FN
// FOURTH: bsmm.alloc {{.*}} : !bsmm.buffer<384x32xbf16, shared, swizzle_64B>
// FOURTH-NOT: bsmm.alloc {{.*}}xbf16, shared

// RUN: not bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=256 stages=5" --bsmm-tile-to-pipeline-level 2>&1 | FileCheck %s --check-prefix=FULL

// Without a number of stages they are narrow only to make room for three.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=256" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=WIDE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=128" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=SEVEN
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=256 block-k=512" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=TWO

// A slot has 16384 + 2048 + 32768 + 4096 bytes.
// WIDE: dynamic_shared_memory = 198728 : i64
// WIDE: bsmm.create_channel {{.*}} : <3, <128x256xf4E2M1FN
// WIDE-COUNT-2: bsmm.alloc {{.*}} : !bsmm.buffer<128x32xf32, shared, swizzle_128B>
// WIDE-COUNT-8: bsmm.store_async {{.*}} : !bsmm.buffer<128x32xf32, shared, swizzle_128B>, !bsmm.tensor_map<1x128x32xf32>
// WIDE-NOT: bsmm.store_async

// NARROW: bsmm.create_channel {{.*}} : <4, <128x256xf4E2M1FN
// NARROW-COUNT-2: bsmm.alloc {{.*}} : !bsmm.buffer<128x8xf32, shared, swizzle_32B>
// NARROW-COUNT-32: bsmm.store_async {{.*}} : !bsmm.buffer<128x8xf32, shared, swizzle_32B>, !bsmm.tensor_map<1x128x8xf32>
// NARROW-NOT: bsmm.store_async

// FIVE: bsmm.create_channel {{.*}} : <5, <128x256xf4E2M1FN
// FIVE-COUNT-2: bsmm.alloc {{.*}} : !bsmm.buffer<128x32xf32, shared, swizzle_128B>

// FULL: error: {{.*}}expected at most 232448 bytes of shared memory on sm_100a, got {{[0-9]+}} = 276480 (channel of 5 slots) + 4096 (buffer) + 4096 (buffer) + {{[0-9]+}} (barriers); use at most 4 stages or a smaller tile

// SEVEN: bsmm.create_channel {{.*}} : <7, <128x128xf4E2M1FN
// SEVEN-COUNT-2: bsmm.alloc {{.*}} : !bsmm.buffer<128x32xf32, shared, swizzle_128B>

// Three slots of 110592 bytes are too many in any case, two leave 11264.
// TWO: bsmm.create_channel {{.*}} : <2, <128x512xf4E2M1FN
// TWO-COUNT-2: bsmm.alloc {{.*}} : !bsmm.buffer<128x8xf32, shared, swizzle_32B>

#sf = #bsmm.scales<blocked_128x4, vec = 16>

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
             %c: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x512xf32>) -> tensor<128x512xf32>
  return %d : tensor<128x512xf32>
}
}
