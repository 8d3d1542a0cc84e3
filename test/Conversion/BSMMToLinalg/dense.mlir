// RUN: bsmm-opt %s --convert-bsmm-to-linalg --split-input-file | FileCheck %s --implicit-check-not=bsmm.
// RUN: bsmm-opt %s --convert-bsmm-to-linalg=accumulate=f32 --split-input-file | FileCheck %s --check-prefix=F32
// RUN: bsmm-opt %s --bsmm-to-cpu --split-input-file | FileCheck %s --check-prefix=LLVM --implicit-check-not=f8E --implicit-check-not=bsmm.

// Products without block scales, and what an epilogue loads.

// CHECK-LABEL: func.func @matmul(
// Each operand is decoded once; there is nothing to multiply it by.
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<100x96xf32>)
// CHECK-NOT:       math.absf
// CHECK-NOT:       arith.mulf
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<96x40xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction", "parallel"]
// CHECK-SAME:      outs(%{{.*}} : tensor<100x40xf64>)
// The row scales: a vector along rows, one value for all columns.
// CHECK:         %[[ONE:.+]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<1xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<100x40xf64>, tensor<100xf32>) outs(%{{.*}} : tensor<100x40xf32>)
// CHECK:           %[[ACC:.+]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:           %[[BY_ROW:.+]] = arith.mulf %[[ACC]], %{{.*}} : f32
// CHECK:           arith.mulf %[[BY_ROW]], %[[ONE]] : f32

// With sums in f32 those of 32 elements are promoted: a loop over K, each step a
// sum from zero that is added.
// F32-LABEL:   func.func @matmul(
// F32:           scf.for %[[FIRST:.+]] = %{{.*}} to %{{.*}} step %c32{{.*}} iter_args(%[[SUM:.+]] = %{{.*}}) -> (tensor<100x40xf32>)
// F32:             %[[LEFT:.+]] = arith.subi %{{.*}}, %[[FIRST]] : index
// F32:             %[[EXTENT:.+]] = arith.minui %[[LEFT]], %{{.*}} : index
// F32:             %[[A:.+]] = tensor.extract_slice %{{.*}}[0, %[[FIRST]]] [100, %[[EXTENT]]] [1, 1] : tensor<100x96xf32> to tensor<100x?xf32>
// F32:             %[[B:.+]] = tensor.extract_slice %{{.*}}[%[[FIRST]], 0] [%[[EXTENT]], 40] [1, 1] : tensor<96x40xf32> to tensor<?x40xf32>
// F32:             %[[PARTIAL:.+]] = linalg.generic
// F32-SAME:          ins(%[[A]], %[[B]] : tensor<100x?xf32>, tensor<?x40xf32>)
// F32:             linalg.generic {{.*}} ins(%[[PARTIAL]] : tensor<100x40xf32>) outs(%[[SUM]] :
// F32:               arith.addf {{.*}} : f32
// LLVM-LABEL:  llvm.func @matmul(
func.func @matmul(%a: tensor<100x96xf8E4M3FN>, %b: tensor<40x96xf8E5M2>,
                  %c: tensor<100x40xf16>, %ra: tensor<100xf32>,
                  %rb: tensor<1xf32>) -> tensor<100x40xf16> {
  %d = bsmm.scaled_matmul
      ins(%a, %b : tensor<100x96xf8E4M3FN>, tensor<40x96xf8E5M2>)
      outs(%c : tensor<100x40xf16>)
      row_scale_a(%ra : tensor<100xf32>) row_scale_b(%rb : tensor<1xf32>)
      {numerics = #bsmm.numerics<accumulate = f32, promote_every = 32>}
      -> tensor<100x40xf16>
  return %d : tensor<100x40xf16>
}

// -----

// Run-time extents of row scales are compared, too; operands of 16 bits are
// carried as f32.

// CHECK-LABEL: func.func @dynamic(
// CHECK-COUNT-5: arith.cmpi eq
// CHECK:         scf.if %{{.*}} -> (tensor<?x?xf32>)
// F32-LABEL:   func.func @dynamic(
// LLVM-LABEL:  llvm.func @dynamic(
func.func @dynamic(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                   %c: tensor<?x?xf32>, %ra: tensor<?xf32>,
                   %rb: tensor<?xf32>) -> tensor<?x?xf32> {
  %d = bsmm.scaled_matmul
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%c : tensor<?x?xf32>)
      row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)
      -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// The tile level.

// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xi8>, %[[B:[a-z0-9]+]]: memref<?xi8>, %{{[a-z0-9]+}}: memref<?xi8>, %{{[a-z0-9]+}}: memref<?xi8>,
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<?xi8>, %[[D:[a-z0-9]+]]: memref<?xi8>, %[[RA:[a-z0-9]+]]: memref<?xi8>, %{{[a-z0-9]+}}: memref<?xi8>, %[[BIAS:[a-z0-9]+]]: memref<?xi8>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x32xf32>)
// CHECK-SAME:      outs(%{{.*}} : tensor<64x32xf64>)

// A vector is read inside of its memory and below its limit only.
// CHECK:         %[[END:.+]] = arith.minsi
// CHECK:         memref.dim %[[RA]]
// CHECK:         bufferization.to_tensor %[[RA]] restrict
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64xf32>)
// CHECK:           arith.cmpi slt
// CHECK:           scf.if %{{.*}} -> (f32) {
// CHECK-COUNT-4:     tensor.extract
// CHECK:           } else {
// CHECK:             arith.constant 0.000000e+00 : f32

// Row i of the tile takes element i.
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
// CHECK:           %[[ROW:.+]] = linalg.index 0
// CHECK:           tensor.extract %{{.*}}[%[[ROW]]] : tensor<64xf32>
// One element stands for all.
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1xf32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
// CHECK:           tensor.extract %{{.*}}[%c0{{.*}}] : tensor<1xf32>

// A matrix: the corners of the part inside are compared with the memory.
// CHECK:         memref.dim %[[C]]
// CHECK:         bufferization.to_tensor %[[C]] restrict
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64x32xf32>)
// CHECK:           scf.if %{{.*}} -> (f32) {
// CHECK-COUNT-2:     tensor.extract

// F32-LABEL:   func.func @tile(
// F32-COUNT-2:   tensor.extract_slice %{{.*}} [64, 32] [1, 1] : tensor<64x64xf32> to tensor<64x32xf32>
// F32:           arith.addf {{.*}} : f32
// LLVM-LABEL:  llvm.func @tile(
gpu.module @m {
  bsmm.kernel @tile(
      %a: !bsmm.tensor_map<64x64xf8E4M3FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<32x64xf8E4M3FN> {bsmm.role = #bsmm.role<b>},
      %d: !bsmm.tensor_map<1x64x32xbf16> {bsmm.role = #bsmm.role<d>},
      %c: !llvm.ptr<1> {bsmm.role = #bsmm.role<c>},
      %ra: !llvm.ptr<1> {bsmm.role = #bsmm.role<sa>},
      %bias: !llvm.ptr<1> {bsmm.role = #bsmm.role<bias>},
      %M: i32 {bsmm.role = #bsmm.role<m>}, %N: i32 {bsmm.role = #bsmm.role<n>},
      %pitch: i64 {bsmm.role = #bsmm.role<pitch_c>},
      %batch: i64 {bsmm.role = #bsmm.role<batch_stride_c>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %a_tile = bsmm.tma_load %a[%c0, %c0]
        : !bsmm.tensor_map<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %b_rows = bsmm.tma_load %b[%c0, %c0]
        : !bsmm.tensor_map<32x64xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
    %b_tile = bsmm.trans %b_rows [1, 0]
        : tensor<32x64xf8E4M3FN> to tensor<64x32xf8E4M3FN>
    %sum = bsmm.dot %a_tile, %b_tile, %zero promote_every 32
        : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
    %rows = bsmm.vector_load %ra[%c0] limit %M : tensor<64xf32>
    %row_tile = bsmm.broadcast %rows dimension 0
        : tensor<64xf32> to tensor<64x32xf32>
    %0 = arith.mulf %sum, %row_tile : tensor<64x32xf32>
    %one = bsmm.vector_load %bias[%c0] limit %N : tensor<1xf32>
    %one_tile = bsmm.broadcast %one dimension 1
        : tensor<1xf32> to tensor<64x32xf32>
    %1 = arith.addf %0, %one_tile : tensor<64x32xf32>
    %c_box = bsmm.predicated_load %c[%c0, %c0, %c0] limits [%M, %N]
        strides [%batch, %pitch] : tensor<1x64x32xbf16>
    %c_tile = bsmm.reshape %c_box
        : tensor<1x64x32xbf16> to tensor<64x32xbf16>
    %c_wide = arith.extf %c_tile : tensor<64x32xbf16> to tensor<64x32xf32>
    %2 = arith.addf %1, %c_wide : tensor<64x32xf32>
    %out = arith.truncf %2 : tensor<64x32xf32> to tensor<64x32xbf16>
    %box = bsmm.reshape %out : tensor<64x32xbf16> to tensor<1x64x32xbf16>
    bsmm.tma_store %box, %d[%c0, %c0, %c0]
        : tensor<1x64x32xbf16>, !bsmm.tensor_map<1x64x32xbf16>
    bsmm.return
  }
}

// -----

// The CTAs of a cluster that share the steps of a tile: here each takes all.
// CHECK-LABEL: func.func @split(
// CHECK:         %[[TWO:.+]] = arith.constant 2 : index
// CHECK:         %[[CTAS:.+]] = arith.muli %{{.*}}, %[[TWO]] : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[CTAS]]
// F32-LABEL:   func.func @split(
// LLVM-LABEL:  llvm.func @split(
gpu.module @m {
  bsmm.kernel @split() attributes {
      level = #bsmm.level<tile>, tile = #bsmm.tile<m = 64, n = 32, k = 32>,
      grid = #bsmm.grid<tile>, cluster_size = 2 : i64} {
    bsmm.return
  }
}
