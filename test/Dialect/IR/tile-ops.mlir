// RUN: bsmm-opt %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --mlir-print-op-generic %s | bsmm-opt | FileCheck %s
// RUN: bsmm-opt --emit-bytecode %s | bsmm-opt | FileCheck %s

// CHECK-LABEL: bsmm.kernel @memory
gpu.module @tile_operations {
  bsmm.kernel @memory(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                      %d: !bsmm.tensor_map<1x128x128xf16>, %p: !llvm.ptr<1>,
                      %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    %tile = arith.constant dense<1.0> : tensor<1x128x128xf16>
    %bytes = arith.constant dense<1.0> : tensor<1x64x48xf8E4M3FN>
    // CHECK: bsmm.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    %0 = bsmm.tma_load %a[%i, %i, %i]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    // CHECK: bsmm.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    bsmm.tma_store %tile, %d[%i, %i, %i]
        : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    // CHECK: bsmm.predicated_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] limits[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] : tensor<1x128x128xf16>
    bsmm.predicated_store %tile, %p[%i, %i, %i] limits [%i, %i] strides [%s, %s]
        : tensor<1x128x128xf16>
    // CHECK: bsmm.predicated_store {{.*}} : tensor<1x64x48xf8E4M3FN>
    bsmm.predicated_store %bytes, %p[%i, %i, %i] limits [%i, %i] strides [%s, %s]
        : tensor<1x64x48xf8E4M3FN>
    bsmm.return
  }

  // Maps of the smallest and the largest rank.
  // CHECK-LABEL: bsmm.kernel @ranks
  bsmm.kernel @ranks(%a: !bsmm.tensor_map<256xf16>,
                     %b: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    // CHECK: bsmm.tma_load %{{.*}}[%{{.*}}] : !bsmm.tensor_map<256xf16> -> tensor<256xf16>
    %0 = bsmm.tma_load %a[%i] : !bsmm.tensor_map<256xf16> -> tensor<256xf16>
    // CHECK: bsmm.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>
    %1 = bsmm.tma_load %b[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @renamings
  bsmm.kernel @renamings(%sfb: !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN>, %i: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = bsmm.tma_load %sfb[%i, %i, %i, %i, %i]
        : !bsmm.tensor_map<1x2x4x2x256xf8E4M3FN> -> tensor<1x2x4x2x256xf8E4M3FN>
    // CHECK: bsmm.reshape %{{.*}} : tensor<1x2x4x2x256xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
    %1 = bsmm.reshape %0 : tensor<1x2x4x2x256xf8E4M3FN>
        to tensor<2x4x32x4x4xf8E4M3FN>
    // CHECK: bsmm.trans %{{.*}} [0, 3, 2, 1, 4] : tensor<2x4x32x4x4xf8E4M3FN> to tensor<2x4x32x4x4xf8E4M3FN>
    %2 = bsmm.trans %1 [0, 3, 2, 1, 4] : tensor<2x4x32x4x4xf8E4M3FN>
        to tensor<2x4x32x4x4xf8E4M3FN>
    %3 = bsmm.reshape %2 : tensor<2x4x32x4x4xf8E4M3FN>
        to tensor<256x16xf8E4M3FN>
    // CHECK: bsmm.extract_rows %{{.*}}[%{{.*}}] : tensor<256x16xf8E4M3FN> to tensor<192x16xf8E4M3FN>
    %4 = bsmm.extract_rows %3[%i] : tensor<256x16xf8E4M3FN>
        to tensor<192x16xf8E4M3FN>
    // CHECK: bsmm.extract_columns %{{.*}}[%{{.*}}] : tensor<192x16xf8E4M3FN> to tensor<192x8xf8E4M3FN>
    %columns = bsmm.extract_columns %4[%i] : tensor<192x16xf8E4M3FN>
        to tensor<192x8xf8E4M3FN>
    // The last rows, at a constant offset.
    %c64 = arith.constant 64 : i32
    // CHECK: bsmm.extract_rows
    %5 = bsmm.extract_rows %3[%c64] : tensor<256x16xf8E4M3FN>
        to tensor<192x16xf8E4M3FN>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @dots
  bsmm.kernel @dots(%groups: i32) attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<1.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<256x64xf4E2M1FN>
    %sb = arith.constant dense<1.0> : tensor<64x16xf8E4M3FN>
    %acc = arith.constant dense<0.0> : tensor<128x64xf32>
    // CHECK: bsmm.scaled_dot %{{.*}} scales %{{.*}}, %{{.*}} scales %{{.*}}, %{{[^ ]*}} :
    // CHECK-SAME: tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    %0 = bsmm.scaled_dot %a scales %sa, %b scales %sb, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x64xf4E2M1FN>, tensor<64x16xf8E4M3FN>, tensor<128x64xf32>
    %a8 = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %sa8 = arith.constant dense<1.0> : tensor<128x2xf8E8M0FNU>
    %b8 = arith.constant dense<1.0> : tensor<64x64xf8E5M2>
    %sb8 = arith.constant dense<1.0> : tensor<64x2xf8E8M0FNU>
    // CHECK: bsmm.scaled_dot {{.*}} limit_k(%{{.*}}) :
    // CHECK-SAME: tensor<128x64xf8E4M3FN>, tensor<128x2xf8E8M0FNU>, tensor<64x64xf8E5M2>, tensor<64x2xf8E8M0FNU>, tensor<128x64xf32>
    %1 = bsmm.scaled_dot %a8 scales %sa8, %b8 scales %sb8, %0 limit_k(%groups)
        : tensor<128x64xf8E4M3FN>, tensor<128x2xf8E8M0FNU>,
          tensor<64x64xf8E5M2>, tensor<64x2xf8E8M0FNU>, tensor<128x64xf32>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @order
  bsmm.kernel @order(%linear: i32, %tiles_m: i32, %tiles_n: i32)
      attributes {level = #bsmm.level<tile>} {
    // CHECK: %{{.*}}, %{{.*}} = bsmm.grouped_order %{{.*}} of %{{.*}}, %{{.*}} group 65536
    %m, %n = bsmm.grouped_order %linear of %tiles_m, %tiles_n group 65536
    // CHECK: %{{.*}}, %{{.*}} = bsmm.grouped_order %{{.*}} of %{{.*}}, %{{.*}} group 4 all %{{.*}}
    %all = arith.cmpi ult, %tiles_m, %tiles_n : i32
    %i, %j = bsmm.grouped_order %linear of %tiles_m, %tiles_n group 4 all %all
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @dense_dots
  bsmm.kernel @dense_dots() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<64x160xf8E5M2>
    %acc = arith.constant dense<0.0> : tensor<128x160xf32>
    // CHECK: bsmm.dot %{{.*}}, %{{.*}}, %{{[^ ]*}} : tensor<128x64xf8E4M3FN>, tensor<64x160xf8E5M2>, tensor<128x160xf32>
    %0 = bsmm.dot %a, %b, %acc : tensor<128x64xf8E4M3FN>,
        tensor<64x160xf8E5M2>, tensor<128x160xf32>
    // CHECK: bsmm.dot %{{.*}}, %{{.*}}, %{{[^ ]*}} promote_every 32 : tensor<128x64xf8E4M3FN>
    %1 = bsmm.dot %a, %b, %0 promote_every 32 : tensor<128x64xf8E4M3FN>,
        tensor<64x160xf8E5M2>, tensor<128x160xf32>
    %a16 = arith.constant dense<1.0> : tensor<64x16xbf16>
    %b16 = arith.constant dense<1.0> : tensor<16x8xbf16>
    %acc16 = arith.constant dense<0.0> : tensor<64x8xf32>
    // CHECK: bsmm.dot {{.*}} : tensor<64x16xbf16>, tensor<16x8xbf16>, tensor<64x8xf32>
    %2 = bsmm.dot %a16, %b16, %acc16 : tensor<64x16xbf16>, tensor<16x8xbf16>,
        tensor<64x8xf32>
    bsmm.return
  }

  // CHECK-LABEL: bsmm.kernel @epilogue_loads
  bsmm.kernel @epilogue_loads(%p: !llvm.ptr<1>, %i: i32, %s: i64)
      attributes {level = #bsmm.level<tile>} {
    // CHECK: bsmm.predicated_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] limits[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] : tensor<1x128x24xbf16>
    %c = bsmm.predicated_load %p[%i, %i, %i] limits [%i, %i]
        strides [%s, %s] : tensor<1x128x24xbf16>
    // CHECK: bsmm.vector_load %{{.*}}[%{{.*}}] limit %{{.*}} : tensor<128xf32>
    %rows = bsmm.vector_load %p[%i] limit %i : tensor<128xf32>
    // CHECK: bsmm.vector_load {{.*}} : tensor<1xf8E4M3FN>
    %one = bsmm.vector_load %p[%i] limit %i : tensor<1xf8E4M3FN>
    // CHECK: bsmm.broadcast %{{.*}} dimension 0 : tensor<128xf32> to tensor<128x24xf32>
    %0 = bsmm.broadcast %rows dimension 0
        : tensor<128xf32> to tensor<128x24xf32>
    // CHECK: bsmm.broadcast %{{.*}} dimension 1 : tensor<128xf32> to tensor<24x128xf32>
    %1 = bsmm.broadcast %rows dimension 1
        : tensor<128xf32> to tensor<24x128xf32>
    // CHECK: bsmm.broadcast %{{.*}} dimension 1 : tensor<1xf8E4M3FN> to tensor<24x128xf8E4M3FN>
    %2 = bsmm.broadcast %one dimension 1
        : tensor<1xf8E4M3FN> to tensor<24x128xf8E4M3FN>
    bsmm.return
  }
}
