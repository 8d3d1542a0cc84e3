// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --mlir-print-op-generic %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

// Scales of f32 for blocks of 128 elements of K, at each level.

#rows = #bsmm.scales<column_major, vec = 128>
#blocks = #bsmm.scales<linear, vec = 128, rows = 128>
#one = #bsmm.scales<linear, vec = 128, rows = 1>

// CHECK-LABEL: func.func @problem
// CHECK: bsmm.scaled_matmul ins(%{{.*}} scales %{{.*}}, %{{.*}} scales %{{.*}} : tensor<300x700xf8E4M3FN>, tensor<300x6xf32, #bsmm.scales<column_major, vec = 128>>, tensor<264x700xf8E5M2>, tensor<3x6xf32, #bsmm.scales<linear, vec = 128, rows = 128>>)
func.func @problem(
    %a: tensor<300x700xf8E4M3FN>, %sfa: tensor<300x6xf32, #rows>,
    %b: tensor<264x700xf8E5M2>, %sfb: tensor<3x6xf32, #blocks>,
    %d: tensor<300x264xbf16>) -> tensor<300x264xbf16> {
  %0 = bsmm.scaled_matmul
      ins(%a scales %sfa, %b scales %sfb
          : tensor<300x700xf8E4M3FN>, tensor<300x6xf32, #rows>,
            tensor<264x700xf8E5M2>, tensor<3x6xf32, #blocks>)
      outs(%d : tensor<300x264xbf16>) -> tensor<300x264xbf16>
  return %0 : tensor<300x264xbf16>
}

// CHECK-LABEL: func.func private @linear(tensor<?x?xf32, #bsmm.scales<linear, vec = 128>>)
func.func private @linear(tensor<?x?xf32, #one>)

gpu.module @kernels {
  // CHECK-LABEL: bsmm.kernel @tile
  bsmm.kernel @tile(
      %sfa: !llvm.ptr<1> {bsmm.role = #bsmm.role<sfa>},
      %m: i32 {bsmm.role = #bsmm.role<m>},
      // CHECK: #bsmm.role<pitch_sfa>
      %pa: i64 {bsmm.role = #bsmm.role<pitch_sfa>},
      // CHECK: #bsmm.role<batch_stride_sfa>
      %ba: i64 {bsmm.role = #bsmm.role<batch_stride_sfa>},
      // CHECK: #bsmm.role<pitch_sfb>
      %pb: i64 {bsmm.role = #bsmm.role<pitch_sfb>},
      // CHECK: #bsmm.role<batch_stride_sfb>
      %bb: i64 {bsmm.role = #bsmm.role<batch_stride_sfb>},
      %pc: i64 {bsmm.role = #bsmm.role<pitch_c>})
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<64x128xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<128x32xf8E5M2>
    %acc = arith.constant dense<1.0> : tensor<64x32xf32>
    // CHECK: %[[SA:.+]] = bsmm.scale_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] limits[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}, %{{.*}}] block 1 : tensor<64xf32>
    %sa = bsmm.scale_load %sfa[%m, %m, %m] limits [%m, %m]
        strides [%ba, %pa, %pb] block 1 : tensor<64xf32>
    // CHECK: %[[SB:.+]] = bsmm.scale_load {{.*}} block 128 : tensor<32xf32>
    %sb = bsmm.scale_load %sfa[%m, %m, %m] limits [%m, %m]
        strides [%ba, %pa, %pb] block 128 : tensor<32xf32>
    // CHECK: bsmm.dot %{{.*}}, %{{.*}}, %{{.*}} promote_every 128 scales(%[[SA]], %[[SB]]) : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E5M2>, tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
    %d = bsmm.dot %a, %b, %acc promote_every 128 scales(%sa, %sb)
        : tensor<64x128xf8E4M3FN>, tensor<128x32xf8E5M2>, tensor<64x32xf32>,
          tensor<64xf32>, tensor<32xf32>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @pipeline
  bsmm.kernel @pipeline(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    bsmm.warp_role 0 count 8 {
      %zero = bsmm.zero_accumulator : !bsmm.accumulator<256x192xf32, warpgroups = 2>
      // CHECK: %[[SA:.+]] = bsmm.read_scales %{{.*}}[%{{.*}}] group %{{.*}} limits[%{{.*}}, %{{.*}}] base %{{.*}} strides[%{{.*}}, %{{.*}}] dimension 0 block 1 alignment 1 of !bsmm.accumulator<256x192xf32, warpgroups = 2> : vector<4xf32>
      %sa = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 0 block 1 alignment 1
          of !bsmm.accumulator<256x192xf32, warpgroups = 2> : vector<4xf32>
      // Of 192 columns from a multiple of 64 on: two blocks. Of one of 8 on: three.
      // CHECK: %[[SB:.+]] = bsmm.read_scales {{.*}} dimension 1 block 128 alignment 64 {{.*}} : vector<2xf32>
      %sb = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 1 block 128 alignment 64
          of !bsmm.accumulator<256x192xf32, warpgroups = 2> : vector<2xf32>
      // CHECK: bsmm.read_scales {{.*}} dimension 1 block 128 alignment 8 {{.*}} : vector<3xf32>
      %sc = bsmm.read_scales %p[%i] group %i limits [%i, %i] base %s
          strides [%s, %s] dimension 1 block 128 alignment 8
          of !bsmm.accumulator<256x192xf32, warpgroups = 2> : vector<3xf32>
      // CHECK: bsmm.add_scaled %[[Z:.+]], %[[Z]] scales %[[SA]], %[[SB]] start %{{.*}} block 128 alignment 64 : !bsmm.accumulator<256x192xf32, warpgroups = 2>, vector<4xf32>, vector<2xf32>
      %sum = bsmm.add_scaled %zero, %zero scales %sa, %sb start %i block 128
          alignment 64 : !bsmm.accumulator<256x192xf32, warpgroups = 2>,
          vector<4xf32>, vector<2xf32>
    }
    bsmm.return
  }
}
