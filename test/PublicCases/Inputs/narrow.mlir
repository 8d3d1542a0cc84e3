// A product of e4m3 whose output tiles have NN columns.
module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  gpu.module @kernels {
    bsmm.kernel @narrow(
        %a: !bsmm.tensor_map<1x64x32xf8E4M3FN> {bsmm.role = #bsmm.role<a>},
        %b: !bsmm.tensor_map<1xNNx32xf8E4M3FN> {bsmm.role = #bsmm.role<b>},
        %d: !bsmm.tensor_map<1x64xNNxbf16> {bsmm.role = #bsmm.role<d>},
        %M: i32 {bsmm.role = #bsmm.role<m>},
        %N: i32 {bsmm.role = #bsmm.role<n>},
        %K: i32 {bsmm.role = #bsmm.role<k>})
        attributes {level = #bsmm.level<tile>, grid = #bsmm.grid<tile>,
                    tile = #bsmm.tile<m = 64, n = NN, k = 32>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %c64 = arith.constant 64 : i32
      %columns = arith.constant NN : i32
      %block = gpu.block_id x
      %number = arith.index_cast %block : index to i32
      %tiles_m = arith.ceildivui %M, %c64 : i32
      %tiles_n = arith.ceildivui %N, %columns : i32
      %tiles = arith.muli %tiles_m, %tiles_n : i32
      %l = arith.divui %number, %tiles : i32
      %tile = arith.remui %number, %tiles : i32
      %tile_m = arith.remui %tile, %tiles_m : i32
      %tile_n = arith.divui %tile, %tiles_m : i32
      %m = arith.muli %tile_m, %c64 : i32
      %n = arith.muli %tile_n, %columns : i32
      %steps = arith.ceildivui %K, %c32 : i32
      %zero = arith.constant dense<0.0> : tensor<64xNNxf32>
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64xNNxf32>) : i32 {
        %k = arith.muli %step, %c32 : i32
        %a_box = bsmm.tma_load %a[%l, %m, %k]
            : !bsmm.tensor_map<1x64x32xf8E4M3FN> -> tensor<1x64x32xf8E4M3FN>
        %b_box = bsmm.tma_load %b[%l, %n, %k]
            : !bsmm.tensor_map<1xNNx32xf8E4M3FN> -> tensor<1xNNx32xf8E4M3FN>
        %a_tile = bsmm.reshape %a_box
            : tensor<1x64x32xf8E4M3FN> to tensor<64x32xf8E4M3FN>
        %b_rows = bsmm.reshape %b_box
            : tensor<1xNNx32xf8E4M3FN> to tensor<NNx32xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<NNx32xf8E4M3FN> to tensor<32xNNxf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum
            : tensor<64x32xf8E4M3FN>, tensor<32xNNxf8E4M3FN>, tensor<64xNNxf32>
        scf.yield %next : tensor<64xNNxf32>
      }
      %half = arith.truncf %acc : tensor<64xNNxf32> to tensor<64xNNxbf16>
      %out = bsmm.reshape %half : tensor<64xNNxbf16> to tensor<1x64xNNxbf16>
      bsmm.tma_store %out, %d[%l, %m, %n]
          : tensor<1x64xNNxbf16>, !bsmm.tensor_map<1x64xNNxbf16>
      bsmm.return
    }
  }
}
