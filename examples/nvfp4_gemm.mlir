// An NVFP4 GEMM at the tile level: D = (A * SFA) (B * SFB), batched over L.
//
// A and B are e2m1, K-major, two elements a byte. Scales are e4m3, one for 16
// elements of K, in the order that the tensor core reads: memory holds 512-byte
// tiles of 128 rows by 4 groups, viewed as [L, M/128, K/16/4, 2, 256]. Output
// tiles are walked by persistent CTAs in groups of 4 tile rows.

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  gpu.module @kernels {
    bsmm.kernel @nvfp4_gemm(
        %a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>},
        %b: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<b>},
        %sfa: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfa>},
        %sfb: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> {bsmm.role = #bsmm.role<sfb>},
        %d: !bsmm.tensor_map<1x128x128xf16> {bsmm.role = #bsmm.role<d>},
        %M: i32 {bsmm.role = #bsmm.role<m>},
        %N: i32 {bsmm.role = #bsmm.role<n>},
        %K: i32 {bsmm.role = #bsmm.role<k>},
        %L: i32 {bsmm.role = #bsmm.role<l>})
        attributes {level = #bsmm.level<tile>,
                    tile = #bsmm.tile<m = 128, n = 128, k = 256>,
                    grid = #bsmm.grid<persistent>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %c16 = arith.constant 16 : i32
      %c128 = arith.constant 128 : i32
      %c256 = arith.constant 256 : i32
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %first_index = gpu.block_id x
      %first = arith.index_cast %first_index : index to i32
      %ctas_index = gpu.grid_dim x
      %ctas = arith.index_cast %ctas_index : index to i32
      %tiles_m = arith.ceildivui %M, %c128 : i32
      %tiles_n = arith.ceildivui %N, %c128 : i32
      %steps = arith.ceildivui %K, %c256 : i32
      %groups = arith.ceildivui %K, %c16 : i32
      %tiles_mn = arith.muli %tiles_m, %tiles_n : i32
      %tiles = arith.muli %tiles_mn, %L : i32
      scf.for %tile = %first to %tiles step %ctas : i32 {
        %l = arith.divui %tile, %tiles_mn : i32
        %tile_mn = arith.remui %tile, %tiles_mn : i32
        %tile_m, %tile_n = bsmm.grouped_order %tile_mn of %tiles_m, %tiles_n group 4
        %m = arith.muli %tile_m, %c128 : i32
        %n = arith.muli %tile_n, %c128 : i32
        %acc = scf.for %step = %c0 to %steps step %c1
            iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
          %k = arith.muli %step, %c256 : i32
          %scale_k = arith.muli %step, %c4 : i32
          %a_box = bsmm.tma_load %a[%l, %m, %k]
              : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
          %b_box = bsmm.tma_load %b[%l, %n, %k]
              : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
          %a_tile = bsmm.reshape %a_box
              : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
          %b_rows = bsmm.reshape %b_box
              : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
          %b_tile = bsmm.trans %b_rows [1, 0]
              : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>

          // [1, rest_m, rest_k, 2, 256] -> [rest_m, rest_k, 32, 4, 4]
          //   -> trans -> [rest_m, 4, 32, rest_k, 4] -> [128, 16]
          %sfa_box = bsmm.tma_load %sfa[%l, %tile_m, %scale_k, %c0, %c0]
              : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
          %sfa_5d = bsmm.reshape %sfa_box
              : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfa_t = bsmm.trans %sfa_5d [0, 3, 2, 1, 4]
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfa_tile = bsmm.reshape %sfa_t
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
          %sfb_box = bsmm.tma_load %sfb[%l, %tile_n, %scale_k, %c0, %c0]
              : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
          %sfb_5d = bsmm.reshape %sfb_box
              : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfb_t = bsmm.trans %sfb_5d [0, 3, 2, 1, 4]
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfb_tile = bsmm.reshape %sfb_t
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>

          // Groups of K that are left from this step on: padding groups of the
          // last scale tile may hold anything.
          %first_group = arith.muli %step, %c16 : i32
          %groups_left = arith.subi %groups, %first_group : i32
          %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum
              limit_k(%groups_left)
              : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
                tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
          scf.yield %next : tensor<128x128xf32>
        } {bsmm.stages = 4 : i64}
        %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
        %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
        bsmm.tma_store %out_box, %d[%l, %m, %n]
            : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
      }
      bsmm.return
    }
  }
}
