// RUN: bsmm-opt %s --convert-bsmm-to-linalg --split-input-file | FileCheck %s --implicit-check-not=bsmm.
// RUN: bsmm-opt %s --convert-bsmm-to-linalg=accumulate=f32 --split-input-file | FileCheck %s --check-prefix=F32
// RUN: bsmm-opt %s --bsmm-to-cpu --split-input-file | FileCheck %s --check-prefix=LLVM --implicit-check-not=f4E2M1FN --implicit-check-not=f8E --implicit-check-not=f6E --implicit-check-not=bsmm.

#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// Each tensor is its memory, its extents, a pitch and a batch stride; the result
// comes last. An output that is only written to is not read.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xi8>, %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64,
// CHECK-SAME:    %[[SA:[a-z0-9]+]]: memref<?xi8>,
// CHECK-SAME:    -> i64 attributes {llvm.emit_c_interface}
// CHECK:         bufferization.to_tensor %[[A]] restrict
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<100x96xi8>)
// The byte of a blocked scale: (row % 32) * 16 + (row / 32 % 4) * 4 + group % 4.
// CHECK:         bufferization.to_tensor %[[SA]] restrict
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<100x6xi8>)
// CHECK:         tensor.empty() : tensor<100x40xf32>
// A, and B with N innermost, times their scales; decoded there and only there.
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<100x96xf32>)
// CHECK:           math.absf
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<96x40xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction", "parallel"]
// CHECK-SAME:      outs(%{{.*}} : tensor<100x40xf64>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<100x40xf32>)
// CHECK:           arith.truncf %{{.*}} : f64 to f32
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK-COUNT-2:       memref.store %{{.*}} : memref<?xi8>
// F32-LABEL:   func.func @matmul(
// F32:           outs(%{{.*}} : tensor<100x40xf32>)
// F32-NOT:       outs(%{{.*}} : tensor<100x40xf64>)
// LLVM-LABEL:  llvm.func @matmul(
func.func @matmul(%a: tensor<100x96xf4E2M1FN>,
                  %sa: tensor<100x6xf8E4M3FN, #blocked>,
                  %b: tensor<40x96xf4E2M1FN>,
                  %sb: tensor<40x6xf8E4M3FN, #blocked>,
                  %c: tensor<100x40xf16>) -> tensor<100x40xf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<100x96xf4E2M1FN>,
          tensor<100x6xf8E4M3FN, #blocked>, tensor<40x96xf4E2M1FN>,
          tensor<40x6xf8E4M3FN, #blocked>)
      outs(%c : tensor<100x40xf16>) -> tensor<100x40xf16>
  return %d : tensor<100x40xf16>
}

// -----

#linear = #bsmm.scales<linear, vec = 32>

// Run-time extents are compared before anything is read. A scale that is a power
// of two may lead out of the range of f32: products are f64.

// CHECK-LABEL: func.func @dynamic(
// CHECK:         arith.cmpi eq
// CHECK:         arith.andi
// CHECK:         scf.if %{{.*}} -> (tensor<?x?x?xf32>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?x?xf64>)
// CHECK-NOT:         math.absf
// CHECK:             arith.mulf {{.*}} : f64
// CHECK:           iterator_types = ["parallel", "parallel", "reduction", "parallel"]
// CHECK:         } else {
// CHECK:           linalg.fill
// F32-LABEL:   func.func @dynamic(
// LLVM-LABEL:  llvm.func @dynamic(
func.func @dynamic(%a: tensor<?x?x?xf6E2M3FN>,
                   %sa: tensor<?x?x?xf8E8M0FNU, #linear>,
                   %b: tensor<?x?x?xf8E5M2>,
                   %sb: tensor<?x?x?xf8E8M0FNU, #linear>,
                   %c: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<?x?x?xf6E2M3FN>,
          tensor<?x?x?xf8E8M0FNU, #linear>, tensor<?x?x?xf8E5M2>,
          tensor<?x?x?xf8E8M0FNU, #linear>)
      outs(%c : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %d : tensor<?x?x?xbf16>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// Each step of the epilogue is rounded to f32; beta = 0 drops C, NaN included.

// CHECK-LABEL: func.func @epilogue(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<128x128xf64>, tensor<128x128xf32>, tensor<128xf32>)
// CHECK:           %[[ACC:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:           %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[ACC]] : f32
// CHECK:           %[[C:.*]] = arith.mulf %[[BETA:.*]], %{{.*}} : f32
// CHECK:           %[[WITH_C:.*]] = arith.addf %[[SCALED]], %[[C]] : f32
// CHECK:           %[[READS:.*]] = arith.cmpf une, %[[BETA]]
// CHECK:           %[[SUM:.*]] = arith.select %[[READS]], %[[WITH_C]], %[[SCALED]]
// CHECK:           %[[BIASED:.*]] = arith.addf %[[SUM]], %{{.*}} : f32
// CHECK:           %[[X:.*]] = arith.extf %[[BIASED]] : f32 to f64
// CHECK:           math.exp %{{.*}} : f64
// CHECK:           arith.divf %[[X]], %{{.*}} : f64
// CHECK:           %[[SILU:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:           arith.mulf %[[SILU]], %{{.*}} : f32
// CHECK:           arith.minimumf
// CHECK:           arith.maximumf
// F32-LABEL:   func.func @epilogue(
// LLVM-LABEL:  llvm.func @epilogue(
func.func @epilogue(%a: tensor<128x64xf4E2M1FN>,
                    %sa: tensor<128x4xf8E4M3FN, #linear>,
                    %b: tensor<128x64xf4E2M1FN>,
                    %sb: tensor<128x4xf8E4M3FN, #blocked>,
                    %c: tensor<128x128xbf16>, %alpha: f32, %beta: f32,
                    %bias: tensor<128xf32>, %scale: f32)
    -> tensor<128x128xbf16> {
  %sa_blocked = bsmm.pack_scales %sa
      : tensor<128x4xf8E4M3FN, #linear> to tensor<128x4xf8E4M3FN, #blocked>
  %d = bsmm.scaled_matmul
      ins(%a scales %sa_blocked, %b scales %sb : tensor<128x64xf4E2M1FN>,
          tensor<128x4xf8E4M3FN, #blocked>, tensor<128x64xf4E2M1FN>,
          tensor<128x4xf8E4M3FN, #blocked>)
      outs(%c : tensor<128x128xbf16>) alpha(%alpha) beta(%beta)
      bias(%bias : tensor<128xf32>) out_scale(%scale)
      {activation = #bsmm.activation<silu>,
       numerics = #bsmm.numerics<accumulate = f32, overflow = saturate>}
      -> tensor<128x128xbf16>
  return %d : tensor<128x128xbf16>
}

// -----

#linear = #bsmm.scales<linear, vec = 16>
#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// Scales are carried as codes: packing moves bytes and changes none.

// CHECK-LABEL: func.func @pack(
// CHECK:         %[[CODES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<130x5xi8>)
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             tensor.extract %[[CODES]]
// CHECK:             memref.store %{{.*}} : memref<?xi8>
// F32-LABEL:   func.func @pack(
// LLVM-LABEL:  llvm.func @pack(
func.func @pack(%linear: tensor<130x5xf8E4M3FN, #linear>)
    -> tensor<130x5xf8E4M3FN, #blocked> {
  %0 = bsmm.pack_scales %linear
      : tensor<130x5xf8E4M3FN, #linear> to tensor<130x5xf8E4M3FN, #blocked>
  return %0 : tensor<130x5xf8E4M3FN, #blocked>
}

// The memory of a physical view lies in the order that the view states.

// CHECK-LABEL: func.func @views(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<32x4x2x4x3x1xi8>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x3x2x256xi8>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x200x10xi8>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x200x10xi8>)
// F32-LABEL:   func.func @views(
// LLVM-LABEL:  llvm.func @views(
func.func @views(%user: tensor<32x4x2x4x3x1xf8E4M3FN>,
                 %tma: tensor<1x2x3x2x256xf8E4M3FN>)
    -> (tensor<1x200x10xf8E4M3FN, #linear>, tensor<1x200x10xf8E4M3FN, #linear>) {
  %0 = bsmm.view_scales %user memory_order [5, 2, 4, 0, 1, 3]
      : tensor<32x4x2x4x3x1xf8E4M3FN> to tensor<1x200x10xf8E4M3FN, #blocked>
  %1 = bsmm.view_scales %tma memory_order [0, 1, 2, 3, 4]
      : tensor<1x2x3x2x256xf8E4M3FN> to tensor<1x200x10xf8E4M3FN, #blocked>
  %2 = bsmm.unpack_scales %0
      : tensor<1x200x10xf8E4M3FN, #blocked> to tensor<1x200x10xf8E4M3FN, #linear>
  %3 = bsmm.unpack_scales %1
      : tensor<1x200x10xf8E4M3FN, #blocked> to tensor<1x200x10xf8E4M3FN, #linear>
  return %2, %3
      : tensor<1x200x10xf8E4M3FN, #linear>, tensor<1x200x10xf8E4M3FN, #linear>
}

// Functions of other dialects stay as they are.

// CHECK-LABEL: func.func @other(%{{.*}}: f32) -> f32 {
// CHECK-NEXT:    return
// F32-LABEL:   func.func @other(
// LLVM-LABEL:  llvm.func @other(
func.func @other(%x: f32) -> f32 {
  return %x : f32
}

// -----

#blocked = #bsmm.scales<blocked_128x4, vec = 16>

// An operation that asks for sums in f64 gets them with either option.

// CHECK-LABEL: func.func @sums_in_f64(
// CHECK:           outs(%{{.*}} : tensor<8x8xf64>)
// F32-LABEL:   func.func @sums_in_f64(
// F32:             outs(%{{.*}} : tensor<8x8xf64>)
// LLVM-LABEL:  llvm.func @sums_in_f64(
func.func @sums_in_f64(%a: tensor<8x64xf4E2M1FN>,
                       %s: tensor<8x4xf8E4M3FN, #blocked>,
                       %b: tensor<8x64xf4E2M1FN>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %d = bsmm.scaled_matmul
      ins(%a scales %s, %b scales %s : tensor<8x64xf4E2M1FN>,
          tensor<8x4xf8E4M3FN, #blocked>, tensor<8x64xf4E2M1FN>,
          tensor<8x4xf8E4M3FN, #blocked>)
      outs(%c : tensor<8x8xf32>)
      {numerics = #bsmm.numerics<accumulate = f64>} -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#blocked = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>

// A view that states more rows than its source turns out to have is not read.

// CHECK-LABEL: func.func @view_of_unknown_extent(
// CHECK:         arith.cmpi uge
// CHECK:         scf.if %{{.*}} -> (tensor<1x200x10xi8>)
// CHECK:           tensor.extract
// CHECK:         } else {
// CHECK:           linalg.fill
// F32-LABEL:   func.func @view_of_unknown_extent(
// LLVM-LABEL:  llvm.func @view_of_unknown_extent(
func.func @view_of_unknown_extent(%tma: tensor<1x?x3x2x256xf8E4M3FN>)
    -> tensor<1x200x10xf8E4M3FN, #linear> {
  %0 = bsmm.view_scales %tma memory_order [0, 1, 2, 3, 4]
      : tensor<1x?x3x2x256xf8E4M3FN> to tensor<1x200x10xf8E4M3FN, #blocked>
  %1 = bsmm.unpack_scales %0
      : tensor<1x200x10xf8E4M3FN, #blocked> to tensor<1x200x10xf8E4M3FN, #linear>
  return %1 : tensor<1x200x10xf8E4M3FN, #linear>
}
