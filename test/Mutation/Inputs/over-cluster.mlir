// Two CTAs with output tiles below each other, of 64 columns in all: both
// multiply the same rows of B, of which each loads half for both. The parameters
// are those that bsmm-problem-to-tile gives such a product.
!a = tensor<128x64xf8E4M3FN>
!b = tensor<64x64xf8E4M3FN>
module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  gpu.module @kernels {
    bsmm.kernel @gemm(%a: !bsmm.tensor_map<1x128x64xf8E4M3FN> {bsmm.role = #bsmm.role<a>},
                      %b: !bsmm.tensor_map<1x64x64xf8E4M3FN> {bsmm.role = #bsmm.role<b>},
                      %d: !bsmm.tensor_map<1x128x64xbf16> {bsmm.role = #bsmm.role<d>},
                      %m: i32 {bsmm.role = #bsmm.role<m>},
                      %n: i32 {bsmm.role = #bsmm.role<n>},
                      %k: i32 {bsmm.role = #bsmm.role<k>},
                      %l: i32 {bsmm.role = #bsmm.role<l>})
        attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
      %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c64 = arith.constant 64 : i32
      %c128 = arith.constant 128 : i32
      %block = gpu.block_id x
      %number = arith.index_cast %block : index to i32
      %row = arith.muli %number, %c128 : i32
      %steps = arith.ceildivui %k, %c64 : i32
      %sum = scf.for %step = %c0 to %steps step %c1
          iter_args(%acc = %zeros) -> (tensor<128x64xf32>) : i32 {
        %first = arith.muli %step, %c64 : i32
        %a3 = bsmm.tma_load %a[%c0, %row, %first]
            : !bsmm.tensor_map<1x128x64xf8E4M3FN> -> tensor<1x128x64xf8E4M3FN>
        %a2 = bsmm.reshape %a3 : tensor<1x128x64xf8E4M3FN> to !a
        %b3 = bsmm.tma_load %b[%c0, %c0, %first]
            : !bsmm.tensor_map<1x64x64xf8E4M3FN> -> tensor<1x64x64xf8E4M3FN>
        %b2 = bsmm.reshape %b3 : tensor<1x64x64xf8E4M3FN> to !b
        %bt = bsmm.trans %b2 [1, 0] : !b to !b
        %next = bsmm.dot %a2, %bt, %acc : !a, !b, tensor<128x64xf32>
        scf.yield %next : tensor<128x64xf32>
      } {bsmm.stages = 3 : i64}
      %rounded = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xbf16>
      %tile = bsmm.reshape %rounded : tensor<128x64xbf16> to tensor<1x128x64xbf16>
      bsmm.tma_store %tile, %d[%c0, %row, %c0]
          : tensor<1x128x64xbf16>, !bsmm.tensor_map<1x128x64xbf16>
      bsmm.return
    }
  }
}
