// RUN: bsmm-opt %s --convert-bsmm-to-linalg --split-input-file | FileCheck %s --implicit-check-not=bsmm.
// RUN: bsmm-opt %s --convert-bsmm-to-linalg=accumulate=f32 --split-input-file | FileCheck %s --check-prefix=F32
// RUN: bsmm-opt %s --bsmm-to-cpu --split-input-file | FileCheck %s --check-prefix=LLVM --implicit-check-not=f4E2M1FN --implicit-check-not=f8E --implicit-check-not=bsmm.

// One step of K of one tile. The function takes the memory of nine operands,
// four sizes, two strides of six operands and three scalars.

// CHECK-LABEL: func.func @dot(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xi8>, %[[B:[a-z0-9]+]]: memref<?xi8>,
// CHECK-SAME:    %[[SFA:[a-z0-9]+]]: memref<?xi8>, %[[SFB:[a-z0-9]+]]: memref<?xi8>,
// CHECK-SAME:    memref<?xi8>, %[[D:[a-z0-9]+]]: memref<?xi8>, {{.*}}memref<?xi8>, {{.*}}memref<?xi8>, {{.*}}memref<?xi8>,
// CHECK-SAME:    %{{[a-z0-9]+}}: i64
// CHECK-SAME:    %{{[a-z0-9]+}}: f32, %{{[a-z0-9]+}}: f32, %{{[a-z0-9]+}}: f32) -> i64
// CHECK-SAME:    llvm.emit_c_interface

// Tables of all codes: e4m3 has NaN at 0x7F and 0xFF, e2m1 has sixteen values.
// CHECK-DAG:     %[[E4M3:.*]] = arith.constant dense<"0x00000000{{.*}}0000F07F00000080{{.*}}0000F0FF"> : tensor<256xf32>
// CHECK-DAG:     %[[E2M1:.*]] = arith.constant dense<[0.000000e+00, 5.000000e-01, 1.000000e+00, 1.500000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 6.000000e+00, -0.000000e+00, -5.000000e-01, -1.000000e+00, -1.500000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00, -6.000000e+00]> : tensor<16xf32>

// A is decoded once, outside of the loop over CTAs: byte k / 2, nibble k % 2.
// CHECK:         %[[A_BYTES:.*]] = bufferization.to_tensor %[[A]] restrict
// CHECK:         %[[A_VALUES:.*]] = scf.if
// CHECK:           linalg.generic
// CHECK:             %[[BYTE:.*]] = tensor.extract %[[A_BYTES]]
// CHECK:             %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK:             arith.shrui %[[WIDE]]
// CHECK:             tensor.extract %[[E2M1]]
// CHECK:         bufferization.to_tensor %[[B]] restrict
// CHECK:         %[[SFA_BYTES:.*]] = bufferization.to_tensor %[[SFA]] restrict
// CHECK:         scf.if {{.*}} -> (tensor<?x?x?x2x256xf32>)
// CHECK:             tensor.extract %[[SFA_BYTES]]
// CHECK:             tensor.extract %[[E4M3]]
// CHECK:         bufferization.to_tensor %[[SFB]] restrict

// The CTAs, one after another.
// CHECK:         scf.for
// A load reads zeros outside of the operand.
// CHECK:           %[[A_BOX:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x128x64xf32>)
// CHECK:             arith.cmpi ult
// CHECK:             %[[LOADED:.*]] = tensor.extract %[[A_VALUES]]
// CHECK:             arith.select %{{.*}}, %[[LOADED]], %{{.*}} : f32
// CHECK:           %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : tensor<1x128x64xf32> into tensor<8192xf32>
// CHECK:           tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [128, 64] : tensor<8192xf32> into tensor<128x64xf32>
// CHECK:           linalg.transpose ins(%{{.*}} : tensor<128x64xf32>) outs(%{{.*}} : tensor<64x128xf32>) permutation = [1, 0]
// CHECK:           linalg.transpose {{.*}} permutation = [0, 3, 2, 1, 4]

// Values times |scale|, exact in f32, then sums in f64 in order of K.
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<128x64xf32>, tensor<128x4xf32>)
// CHECK:             %[[ABS:.*]] = math.absf
// CHECK:             arith.cmpi slt
// CHECK:             %[[SCALE:.*]] = arith.select %{{.*}}, %[[ABS]], %{{.*}} : f32
// CHECK:             arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x128xf32>, tensor<128x4xf32>)
// CHECK:           %[[SUM:.*]] = linalg.generic
// CHECK-SAME:        iterator_types = ["parallel", "reduction", "parallel"]
// CHECK-SAME:        ins(%{{.*}}, %{{.*}} : tensor<128x64xf32>, tensor<64x128xf32>)
// CHECK-SAME:        outs(%{{.*}} : tensor<128x128xf64>)
// CHECK:             arith.extf %{{.*}} : f32 to f64
// CHECK:             arith.extf %{{.*}} : f32 to f64
// CHECK:             arith.mulf {{.*}} : f64
// CHECK:             arith.addf {{.*}} : f64
// The sum is rounded to f32, then to f16: overflow is beyond 65504.
// CHECK:           linalg.generic {{.*}} ins(%[[SUM]] : tensor<128x128xf64>)
// CHECK:             arith.truncf %{{.*}} : f64 to f32
// CHECK:             arith.constant 1199562752 : i32

// The store is clipped, and bytes are written inside of the memory only.
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 memref.dim %[[D]]
// CHECK:                 scf.if
// CHECK:                   memref.store %{{.*}}, %[[D]]
// CHECK:                   memref.store %{{.*}}, %[[D]]
// CHECK:                 } else {
// CHECK:         return %{{.*}} : i64

// With f32 each partial sum is rounded to f32; products are exact all the same.
// F32-LABEL:   func.func @dot(
// F32:           linalg.generic
// F32:             iterator_types = ["parallel", "reduction", "parallel"]
// F32-SAME:        outs(%{{.*}} : tensor<128x128xf32>)
// F32:             arith.mulf {{.*}} : f64
// F32:             arith.addf {{.*}} : f64
// F32:             arith.truncf %{{.*}} : f64 to f32

// LLVM:        llvm.func @malloc
// LLVM-LABEL:  llvm.func @dot(
// LLVM:        llvm.func @_mlir_ciface_dot(
gpu.module @m {
  bsmm.kernel @dot(
      %a: !bsmm.tensor_map<1x128x64xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
      %b: !bsmm.tensor_map<1x128x64xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
      %sfa: !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
      %sfb: !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
      %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
      %groups: i32 {bsmm.role = #bsmm.role<k>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a_box = bsmm.tma_load %a[%c0, %c0, %c0]
        : !bsmm.tensor_map<1x128x64xf4E2M1FN> -> tensor<1x128x64xf4E2M1FN>
    %b_box = bsmm.tma_load %b[%c0, %c0, %c0]
        : !bsmm.tensor_map<1x128x64xf4E2M1FN> -> tensor<1x128x64xf4E2M1FN>
    %a_tile = bsmm.reshape %a_box
        : tensor<1x128x64xf4E2M1FN> to tensor<128x64xf4E2M1FN>
    %b_rows = bsmm.reshape %b_box
        : tensor<1x128x64xf4E2M1FN> to tensor<128x64xf4E2M1FN>
    %b_tile = bsmm.trans %b_rows [1, 0]
        : tensor<128x64xf4E2M1FN> to tensor<64x128xf4E2M1FN>
    %sfa_box = bsmm.tma_load %sfa[%c0, %c0, %c0, %c0, %c0]
        : !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> -> tensor<1x1x1x2x256xf8E4M3FN>
    %sfa_5d = bsmm.reshape %sfa_box
        : tensor<1x1x1x2x256xf8E4M3FN> to tensor<1x1x32x4x4xf8E4M3FN>
    %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
        : tensor<1x1x32x4x4xf8E4M3FN> to tensor<1x4x32x1x4xf8E4M3FN>
    %sfa_tile = bsmm.reshape %sfa_t
        : tensor<1x4x32x1x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
    %sfb_box = bsmm.tma_load %sfb[%c0, %c0, %c0, %c0, %c0]
        : !bsmm.tensor_map<1x1x1x2x256xf8E4M3FN> -> tensor<1x1x1x2x256xf8E4M3FN>
    %sfb_5d = bsmm.reshape %sfb_box
        : tensor<1x1x1x2x256xf8E4M3FN> to tensor<1x1x32x4x4xf8E4M3FN>
    %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
        : tensor<1x1x32x4x4xf8E4M3FN> to tensor<1x4x32x1x4xf8E4M3FN>
    %sfb_tile = bsmm.reshape %sfb_t
        : tensor<1x4x32x1x4xf8E4M3FN> to tensor<128x4xf8E4M3FN>
    %sum = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %zero
        limit_k(%groups)
        : tensor<128x64xf4E2M1FN>, tensor<128x4xf8E4M3FN>,
          tensor<64x128xf4E2M1FN>, tensor<128x4xf8E4M3FN>, tensor<128x128xf32>
    %out = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
    %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
    bsmm.tma_store %out_box, %d[%c0, %c0, %c0]
        : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    bsmm.return
  }
}

// -----

// A persistent grid has at most three CTAs unless an option says otherwise; the
// kernel's loop over tiles then runs several times in a CTA. Its step, the grid,
// can't be zero.

// CHECK-LABEL: func.func @persistent(
// CHECK:         %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         %[[CTAS:.*]] = arith.minui %{{.*}}, %[[THREE]] : index
// CHECK:         scf.for %[[CTA:.*]] = %{{.*}} to %[[CTAS]] step
// CHECK:           %[[FIRST:.*]] = arith.index_cast %[[CTA]] : index to i32
// CHECK:           %[[STEP:.*]] = arith.index_cast %[[CTAS]] : index to i32
// CHECK:           %[[GUARDED:.*]] = arith.maxsi %[[STEP]], %{{.*}} : i32
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[GUARDED]]
// F32-LABEL:   func.func @persistent(
// LLVM-LABEL:  llvm.func @persistent(
gpu.module @m {
  bsmm.kernel @persistent(
      %a: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<a>},
      %d: !bsmm.tensor_map<128x64xf16> {bsmm.role = #bsmm.role<d>},
      %tiles: i32 {bsmm.role = #bsmm.role<m>})
      attributes {level = #bsmm.level<tile>,
                  tile = #bsmm.tile<m = 128, n = 64, k = 64>,
                  grid = #bsmm.grid<persistent>} {
    %c0 = arith.constant 0 : i32
    %block = gpu.block_id x
    %first = arith.index_cast %block : index to i32
    %grid = gpu.grid_dim x
    %ctas = arith.index_cast %grid : index to i32
    scf.for %tile = %first to %tiles step %ctas : i32 {
      %t = bsmm.tma_load %a[%tile, %c0]
          : !bsmm.tensor_map<128x64xf16> -> tensor<128x64xf16>
      bsmm.tma_store %t, %d[%tile, %c0]
          : tensor<128x64xf16>, !bsmm.tensor_map<128x64xf16>
    }
    bsmm.return
  }
}

// -----

// Rows of a tile of scales, predicated stores and the order of tiles.

// CHECK-LABEL: func.func @pieces(
// CHECK:         scf.for
// grouped_order: a group has no more rows than there are.
// CHECK:           %[[SIZE:.*]] = arith.minui %[[ROWS:.*]], %{{.*}} : i32
// CHECK:           arith.muli %[[SIZE]], %{{.*}} : i32
// The offset is checked, then kept inside of the tile.
// CHECK:           arith.cmpi ule
// CHECK:           %[[OFFSET:.*]] = arith.minsi
// CHECK:           tensor.extract_slice %{{.*}}[%[[OFFSET]], 0] [128, 4] [1, 1] : tensor<1024x4xf32> to tensor<128x4xf32>
// CHECK:           math.exp
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK-COUNT-4:       memref.store %{{.*}} : memref<?xi8>
// F32-LABEL:   func.func @pieces(
// LLVM-LABEL:  llvm.func @pieces(
gpu.module @m {
  bsmm.kernel @pieces(
      %a: !bsmm.tensor_map<128x32xf32> {bsmm.role = #bsmm.role<a>},
      %d: !llvm.ptr<1> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>}, %N: i32 {bsmm.role = #bsmm.role<n>},
      %pitch: i64 {bsmm.role = #bsmm.role<pitch_d>},
      %batch: i64 {bsmm.role = #bsmm.role<batch_stride_d>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %row, %column = bsmm.grouped_order %c0 of %M, %N group 4
    %t = bsmm.tma_load %a[%row, %column]
        : !bsmm.tensor_map<128x32xf32> -> tensor<128x32xf32>
    %flat = bsmm.reshape %t : tensor<128x32xf32> to tensor<1024x4xf32>
    %some = bsmm.reshape %flat : tensor<1024x4xf32> to tensor<8x128x4xf32>
    %back = bsmm.trans %some [1, 0, 2]
        : tensor<8x128x4xf32> to tensor<128x8x4xf32>
    %tall = bsmm.reshape %back : tensor<128x8x4xf32> to tensor<1024x4xf32>
    %short = bsmm.extract_rows %tall[%row]
        : tensor<1024x4xf32> to tensor<128x4xf32>
    %e = math.exp %short : tensor<128x4xf32>
    %box = bsmm.reshape %e : tensor<128x4xf32> to tensor<1x128x4xf32>
    bsmm.predicated_store %box, %d[%c0, %row, %column] limits [%M, %N]
        strides [%batch, %pitch] : tensor<1x128x4xf32>
    bsmm.return
  }
}

// -----

// bf16 arithmetic is that of f32, rounded after each operation; fast-math flags
// have no effect; integer division by a run-time value is guarded.

// CHECK-LABEL: func.func @arithmetic(
// CHECK:         scf.for
// CHECK:           arith.divui
// CHECK:           %[[IS_ZERO:.*]] = arith.cmpi eq, %[[BY:.*]], %{{.*}} : i32
// CHECK:           %[[DIVISOR:.*]] = arith.select %[[IS_ZERO]], %{{.*}}, %[[BY]] : i32
// CHECK:           arith.divui %{{.*}}, %[[DIVISOR]] : i32
// CHECK:           linalg.generic
// CHECK:             %[[SUM:.*]] = arith.addf %{{.*}}, %{{[a-z0-9_]+}} : f32
// CHECK:             arith.bitcast %[[SUM]] : f32 to i32
// CHECK:             arith.constant 32767 : i32
// CHECK:             arith.constant -65536 : i32
// F32-LABEL:   func.func @arithmetic(
// LLVM-LABEL:  llvm.func @arithmetic(
gpu.module @m {
  bsmm.kernel @arithmetic(
      %a: !bsmm.tensor_map<128x32xbf16> {bsmm.role = #bsmm.role<a>},
      %d: !bsmm.tensor_map<128x32xbf16> {bsmm.role = #bsmm.role<d>},
      %M: i32 {bsmm.role = #bsmm.role<m>}, %N: i32 {bsmm.role = #bsmm.role<n>})
      attributes {level = #bsmm.level<tile>} {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %q = arith.divui %M, %c128 : i32
    %row = arith.divui %q, %N : i32
    %t = bsmm.tma_load %a[%row, %c0]
        : !bsmm.tensor_map<128x32xbf16> -> tensor<128x32xbf16>
    %twice = arith.addf %t, %t fastmath<fast> : tensor<128x32xbf16>
    bsmm.tma_store %twice, %d[%row, %c0]
        : tensor<128x32xbf16>, !bsmm.tensor_map<128x32xbf16>
    bsmm.return
  }
}
