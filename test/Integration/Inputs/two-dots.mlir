// Two scaled dots into one accumulator in each step of K (triton #10821).

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
      %c2 = arith.constant 2 : i32
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
      %c512 = arith.constant 512 : i32
      %steps = arith.ceildivui %K, %c512 : i32
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
          %part0 = arith.muli %step, %c2 : i32
          %part1 = arith.addi %part0, %c1 : i32
          %k0 = arith.muli %part0, %c256 : i32
          %scale_k0 = arith.muli %part0, %c4 : i32
          %a_box0 = bsmm.tma_load %a[%l, %m, %k0]
              : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
          %b_box0 = bsmm.tma_load %b[%l, %n, %k0]
              : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
          %a_tile0 = bsmm.reshape %a_box0
              : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
          %b_rows0 = bsmm.reshape %b_box0
              : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
          %b_tile0 = bsmm.trans %b_rows0 [1, 0]
              : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>

          %sfa_box0 = bsmm.tma_load %sfa[%l, %tile_m, %scale_k0, %c0, %c0]
              : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
          %sfa_5d0 = bsmm.reshape %sfa_box0
              : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfa_t0 = bsmm.trans %sfa_5d0 [0, 3, 2, 1, 4]
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfa_tile0 = bsmm.reshape %sfa_t0
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
          %sfb_box0 = bsmm.tma_load %sfb[%l, %tile_n, %scale_k0, %c0, %c0]
              : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
          %sfb_5d0 = bsmm.reshape %sfb_box0
              : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfb_t0 = bsmm.trans %sfb_5d0 [0, 3, 2, 1, 4]
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfb_tile0 = bsmm.reshape %sfb_t0
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>

          %first_group0 = arith.muli %part0, %c16 : i32
          %groups_left0 = arith.subi %groups, %first_group0 : i32
          %next0 = bsmm.scaled_dot %a_tile0 scales %sfa_tile0, %b_tile0 scales %sfb_tile0, %sum
              limit_k(%groups_left0)
              : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
                tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
          %k1 = arith.muli %part1, %c256 : i32
          %scale_k1 = arith.muli %part1, %c4 : i32
          %a_box1 = bsmm.tma_load %a[%l, %m, %k1]
              : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
          %b_box1 = bsmm.tma_load %b[%l, %n, %k1]
              : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
          %a_tile1 = bsmm.reshape %a_box1
              : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
          %b_rows1 = bsmm.reshape %b_box1
              : tensor<1x128x256xf4E2M1FN> to tensor<128x256xf4E2M1FN>
          %b_tile1 = bsmm.trans %b_rows1 [1, 0]
              : tensor<128x256xf4E2M1FN> to tensor<256x128xf4E2M1FN>

          %sfa_box1 = bsmm.tma_load %sfa[%l, %tile_m, %scale_k1, %c0, %c0]
              : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
          %sfa_5d1 = bsmm.reshape %sfa_box1
              : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfa_t1 = bsmm.trans %sfa_5d1 [0, 3, 2, 1, 4]
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfa_tile1 = bsmm.reshape %sfa_t1
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
          %sfb_box1 = bsmm.tma_load %sfb[%l, %tile_n, %scale_k1, %c0, %c0]
              : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN> -> tensor<1x1x4x2x256xf8E4M3FN>
          %sfb_5d1 = bsmm.reshape %sfb_box1
              : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfb_t1 = bsmm.trans %sfb_5d1 [0, 3, 2, 1, 4]
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
          %sfb_tile1 = bsmm.reshape %sfb_t1
              : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>

          %first_group1 = arith.muli %part1, %c16 : i32
          %groups_left1 = arith.subi %groups, %first_group1 : i32
          %next1 = bsmm.scaled_dot %a_tile1 scales %sfa_tile1, %b_tile1 scales %sfb_tile1, %next0
              limit_k(%groups_left1)
              : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
                tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>, tensor<128x128xf32>
          scf.yield %next1 : tensor<128x128xf32>
        } {bsmm.stages = 2 : i64}
        %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
        %out_box = bsmm.reshape %out : tensor<128x128xf16> to tensor<1x128x128xf16>
        bsmm.tma_store %out_box, %d[%l, %m, %n]
            : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
      }
      bsmm.return
    }
  }
}
