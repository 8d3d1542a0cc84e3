// RUN: bsmm-opt %s --bsmm-problem-to-tile="chip=sm_90a block-n=64 block-k=64 stages=2" --bsmm-tile-to-pipeline --canonicalize --cse --bsmm-verify-channels | FileCheck %s
// RUN: not bsmm-opt %s --bsmm-problem-to-tile="chip=sm_90a block-n=64 block-k=64 ping-pong=true" 2>&1 | FileCheck %s --check-prefix=TURNS

// NVFP4 without block-scaled tensor cores: all consumers decode, then multiply.

#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// TURNS: expected ping-pong with persistent=true and without block scales

// CHECK-LABEL: bsmm.kernel @gemm(
// CHECK: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : <2, <128x64xf4E2M1FN, shared, swizzle_32B>, <128x4xf8E4M3FN, shared, scale_tiles>, <64x64xf4E2M1FN, shared, swizzle_32B>, <128x4xf8E4M3FN, shared, scale_tiles>>
// CHECK-DAG: %[[A:.+]] = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
// CHECK-DAG: %[[B:.+]] = bsmm.alloc : !bsmm.buffer<64x64xbf16, shared, swizzle_128B>
// CHECK: bsmm.warp_role 0 count 8
// CHECK: scf.for %{{.*}} iter_args(%[[IT:.+]] = %{{.*}}, %[[SUM:.+]] = %{{.*}}) -> (i32, !bsmm.accumulator
// CHECK: %[[SLOT:.+]]:4 = bsmm.wait %[[LOADS]][%[[IT]]]
// CHECK: bsmm.decode_operand %[[SLOT]]#0 scales %[[SLOT]]#1 row %c0_i32 valid %[[VALID:.+]] to %[[A]]
// CHECK: bsmm.decode_operand %[[SLOT]]#2 scales %[[SLOT]]#3 row %{{.*}} valid %[[VALID]] to %[[B]]
// CHECK-NEXT: bsmm.release %[[LOADS]][%[[IT]]]
// CHECK-NEXT: %[[NEW:.+]] = bsmm.mma %[[A]], %[[B]] add %[[SUM]]
// CHECK-NEXT: bsmm.wait_mma %[[NEW]] pending 0
// CHECK-NEXT: bsmm.synchronize
func.func @gemm(
    %a: tensor<?x?x?xf4E2M1FN>, %sfa: tensor<?x?x?xf8E4M3FN, #blocked>,
    %b: tensor<?x?x?xf4E2M1FN>, %sfb: tensor<?x?x?xf8E4M3FN, #blocked>,
    %d: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #blocked>,
            tensor<?x?x?xf4E2M1FN>, tensor<?x?x?xf8E4M3FN, #blocked>)
      outs(%d : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
