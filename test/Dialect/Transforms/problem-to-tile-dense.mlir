// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-n=160 block-k=128" --canonicalize | FileCheck %s
// RUN: bsmm-opt %s --bsmm-problem-to-tile="block-m=64 block-n=16 block-k=1024 persistent=false predicated-store=true stages=3" --canonicalize | FileCheck %s --check-prefix=PREDICATED

// Products without block scales, and the whole epilogue: row scales, alpha, C
// and a bias, in the order of docs/abi.md.

// CHECK-LABEL: bsmm.kernel @rows(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !bsmm.tensor_map<1x128x128xf8E4M3FN> {bsmm.role = #bsmm.role<a>}
// CHECK-SAME: %[[B:[a-z0-9]+]]: !bsmm.tensor_map<1x160x128xf8E5M2> {bsmm.role = #bsmm.role<b>}
// CHECK-SAME: %[[D:[a-z0-9]+]]: !bsmm.tensor_map<1x128x160xbf16> {bsmm.role = #bsmm.role<d>}
// CHECK-SAME: %[[C:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<c>}
// CHECK-SAME: %[[SA:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<sa>}
// CHECK-SAME: %[[SB:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<sb>}
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<bias>}
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<m>}
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32 {bsmm.role = #bsmm.role<n>}
// CHECK-SAME: %{{.*}}: i32 {bsmm.role = #bsmm.role<k>}, %{{.*}}: i32 {bsmm.role = #bsmm.role<l>}
// CHECK-SAME: %[[PITCH:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<pitch_c>}
// CHECK-SAME: %[[BATCH:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<batch_stride_c>}
// CHECK-SAME: %[[ALPHA:[a-z0-9]+]]: f32 {bsmm.role = #bsmm.role<alpha>}
// CHECK-SAME: %[[BETA:[a-z0-9]+]]: f32 {bsmm.role = #bsmm.role<beta>}
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: f32 {bsmm.role = #bsmm.role<out_scale>})
// CHECK-SAME: tile = #bsmm.tile<m = 128, n = 160, k = 128>

// CHECK: scf.for
// CHECK: %[[ROW:.+]] = arith.muli %row, %c128_i32 : i32
// CHECK: %[[COLUMN:.+]] = arith.muli %column, %c160_i32 : i32
// CHECK: %[[ACC:.+]] = scf.for {{.*}} -> (tensor<128x160xf32>)
// CHECK:   bsmm.dot %{{.*}}, %{{.*}}, %{{[^ ]*}} : tensor<128x128xf8E4M3FN>, tensor<128x160xf8E5M2>, tensor<128x160xf32>
// CHECK: %[[SA_ROWS:.+]] = bsmm.vector_load %[[SA]][%[[ROW]]] limit %[[M]] : tensor<128xf32>
// CHECK: %[[SA_TILE:.+]] = bsmm.broadcast %[[SA_ROWS]] dimension 0 : tensor<128xf32> to tensor<128x160xf32>
// CHECK: %[[V0:.+]] = arith.mulf %[[ACC]], %[[SA_TILE]]
// CHECK: %[[SB_COLUMNS:.+]] = bsmm.vector_load %[[SB]][%[[COLUMN]]] limit %[[N]] : tensor<160xf32>
// CHECK: %[[SB_TILE:.+]] = bsmm.broadcast %[[SB_COLUMNS]] dimension 1 : tensor<160xf32> to tensor<128x160xf32>
// CHECK: %[[V1:.+]] = arith.mulf %[[V0]], %[[SB_TILE]]
// CHECK: %[[ALPHAS:.+]] = tensor.splat %[[ALPHA]]
// CHECK: %[[V2:.+]] = arith.mulf %[[ALPHAS]], %[[V1]]

// With beta = 0 no element of C is read and nothing is added.
// CHECK: %[[IS_READ:.+]] = arith.cmpf une, %[[BETA]], %cst{{.*}} : f32
// CHECK: %[[ROWS:.+]] = arith.select %[[IS_READ]], %[[M]], %[[ROW]] : i32
// CHECK: %[[C_BOX:.+]] = bsmm.predicated_load %[[C]][%{{.*}}, %[[ROW]], %[[COLUMN]]] limits[%[[ROWS]], %[[N]]] strides[%[[BATCH]], %[[PITCH]]] : tensor<1x128x160xbf16>
// CHECK: %[[C_TILE:.+]] = bsmm.reshape %[[C_BOX]]
// CHECK: %[[C_WIDE:.+]] = arith.extf %[[C_TILE]] : tensor<128x160xbf16> to tensor<128x160xf32>
// CHECK: %[[BETAS:.+]] = tensor.splat %[[BETA]]
// CHECK: %[[C_SCALED:.+]] = arith.mulf %[[BETAS]], %[[C_WIDE]]
// CHECK: %[[V3:.+]] = arith.addf %[[V2]], %[[C_SCALED]]
// CHECK: %[[V4:.+]] = arith.select %[[IS_READ]], %[[V3]], %[[V2]] : tensor<128x160xf32>

// CHECK: %[[BIAS_COLUMNS:.+]] = bsmm.vector_load %[[BIAS]][%[[COLUMN]]] limit %[[N]] : tensor<160xf32>
// CHECK: %[[BIAS_TILE:.+]] = bsmm.broadcast %[[BIAS_COLUMNS]] dimension 1
// CHECK: %[[V5:.+]] = arith.addf %[[V4]], %[[BIAS_TILE]]
// CHECK: %[[IS_KEPT:.+]] = arith.cmpf ugt, %[[V5]], %{{.*}}
// CHECK: %[[V6:.+]] = arith.select %[[IS_KEPT]], %[[V5]], %{{.*}}
// CHECK: %[[SCALES:.+]] = tensor.splat %[[SCALE]]
// CHECK: %[[V7:.+]] = arith.mulf %[[V6]], %[[SCALES]]
// CHECK: %[[OUT:.+]] = arith.truncf %[[V7]] : tensor<128x160xf32> to tensor<128x160xbf16>
// CHECK: %[[BOX:.+]] = bsmm.reshape %[[OUT]]
// CHECK: bsmm.tma_store %[[BOX]], %[[D]]

// With predicated stores the output is a pointer after C, with its strides
// after those of C.
// PREDICATED-LABEL: bsmm.kernel @rows(
// PREDICATED-SAME: !bsmm.tensor_map<1x64x1024xf8E4M3FN>
// PREDICATED-SAME: !llvm.ptr<1> {bsmm.role = #bsmm.role<c>}, %[[D:[a-z0-9]+]]: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>}
// PREDICATED-SAME: #bsmm.role<batch_stride_c>}, %[[PITCH:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<pitch_d>}, %[[BATCH:[a-z0-9]+]]: i64 {bsmm.role = #bsmm.role<batch_stride_d>}
// PREDICATED-SAME: grid = #bsmm.grid<tile>
// PREDICATED: bsmm.dot {{.*}} : tensor<64x1024xf8E4M3FN>, tensor<1024x16xf8E5M2>, tensor<64x16xf32>
// PREDICATED: } {bsmm.stages = 3 : i64}
// PREDICATED: bsmm.predicated_store %{{.*}}, %[[D]][%{{.*}}] limits[%{{.*}}, %{{.*}}] strides[%[[BATCH]], %[[PITCH]]] : tensor<1x64x16xbf16>
func.func @rows(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>,
                %c: tensor<?x?xbf16>, %ra: tensor<?xf32>, %rb: tensor<?xf32>,
                %bias: tensor<?xf32>, %alpha: f32, %beta: f32, %scale: f32)
    -> tensor<?x?xbf16> {
  %d = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>)
      outs(%c : tensor<?x?xbf16>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      alpha(%alpha) beta(%beta) bias(%bias : tensor<?xf32>) out_scale(%scale)
      {activation = #bsmm.activation<relu>} -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// One scale for each operand is loaded from element 0; an output of f32 needs no
// cast.
// CHECK-LABEL: bsmm.kernel @whole(
// CHECK: %[[ONE:.+]] = bsmm.vector_load %{{.*}}[%c0_i32] limit %c1_i32 : tensor<1xf32>
// CHECK: bsmm.broadcast %[[ONE]] dimension 0 : tensor<1xf32> to tensor<128x160xf32>
// CHECK: bsmm.vector_load %{{.*}}[%c0_i32] limit %c1_i32 : tensor<1xf32>
// CHECK: bsmm.predicated_load {{.*}} : tensor<1x128x160xf32>
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: bsmm.tma_store
// PREDICATED-LABEL: bsmm.kernel @whole(
func.func @whole(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>,
                 %c: tensor<?x?x?xf32>, %ra: tensor<1xf32>, %rb: tensor<1xf32>,
                 %beta: f32) -> tensor<?x?x?xf32> {
  %d = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%c : tensor<?x?x?xf32>)
      row_scale_a(%ra : tensor<1xf32>) row_scale_b(%rb : tensor<1xf32>)
      beta(%beta) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}

// silu in a form that does not overflow: with p = exp(-|x|), (x >= 0 ? x : x p)
// / (p + 1).
// CHECK-LABEL: bsmm.kernel @silu(
// CHECK: %[[X:.+]] = scf.for {{.*}} -> (tensor<128x160xf32>)
// CHECK: %[[NEGATED:.+]] = arith.negf %[[X]]
// CHECK: %[[MAGNITUDE:.+]] = arith.maximumf %[[X]], %[[NEGATED]]
// CHECK: %[[BELOW:.+]] = arith.negf %[[MAGNITUDE]]
// CHECK: %[[P:.+]] = math.exp %[[BELOW]]
// CHECK: %[[IS_POSITIVE:.+]] = arith.cmpf oge, %[[X]], %{{.*}}
// CHECK: %[[PRODUCT:.+]] = arith.mulf %[[X]], %[[P]]
// CHECK: %[[NUMERATOR:.+]] = arith.select %[[IS_POSITIVE]], %[[X]], %[[PRODUCT]]
// CHECK: %[[DENOMINATOR:.+]] = arith.addf %[[P]], %{{.*}}
// CHECK: arith.divf %[[NUMERATOR]], %[[DENOMINATOR]]
// PREDICATED-LABEL: bsmm.kernel @silu(
func.func @silu(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %d = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
      outs(%c : tensor<?x?xf32>)
      {activation = #bsmm.activation<silu>} -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
