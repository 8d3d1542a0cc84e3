// RUN: bsmm-opt %s --bsmm-tile-to-pipeline --split-input-file --verify-diagnostics -o %t

// RUN: bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile=chip=sm_100a | sed 's/grid = #bsmm.grid<persistent>/cluster_size = 2 : i64, &/' > %t.mlir
// RUN: not bsmm-opt %t.mlir --bsmm-tile-to-pipeline 2>&1 | FileCheck %s
// CHECK: error: 'scf.for' op expected bounds that are the same in all 2 CTAs of the cluster, which load together; divide block_id x by the cluster's size

// Steps of 512 elements are two panels, of which a share of the rows is no place;
// so that only scales would be shared.
// RUN: bsmm-opt %source_dir/test/Integration/Inputs/nvfp4.mlir --bsmm-problem-to-tile="chip=sm_100a block-k=512 cluster-m=2" -o %t.mlir
// RUN: not bsmm-opt %t.mlir --bsmm-tile-to-pipeline 2>&1 | FileCheck %s --check-prefix=PANELS
// PANELS: error: 'bsmm.kernel' op expected a load that is the same in all 2 CTAs of the cluster, of one swizzle's width and a multiple of 16 rows

// Clusters whose CTAs cannot load together, each with its reason.

// Both operands are the CTA's own.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a load that is the same in all 2 CTAs of the cluster, of one swizzle's width and a multiple of 16 rows}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// B from rows that depend on the CTA's rank.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a load that is the same in all 2 CTAs of the cluster, of one swizzle's width and a multiple of 16 rows}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %own = arith.muli %in_cluster, %rows : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%own, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// B in two panels, whose rows do not follow each other.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a load that is the same in all 2 CTAs of the cluster, of one swizzle's width and a multiple of 16 rows}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x256xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 256 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x256xf8E4M3FN> -> tensor<64x256xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x256xf8E4M3FN> -> tensor<64x256xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x256xf8E4M3FN> to tensor<256x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x256xf8E4M3FN>, tensor<256x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// 24 rows are no two times 8.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a load that is the same in all 2 CTAs of the cluster, of one swizzle's width and a multiple of 16 rows}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<24x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x24xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x24xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x24xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<24x128xf8E4M3FN> -> tensor<24x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<24x128xf8E4M3FN> to tensor<128x24xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x24xf8E4M3FN>, tensor<64x24xf32>
        scf.yield %next : tensor<64x24xf32>
      }
      %out = arith.truncf %acc : tensor<64x24xf32> to tensor<64x24xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x24xbf16>, !bsmm.tensor_map<64x24xbf16>
    }
    bsmm.return
  }
}

// -----

// 80 rows are no four times 8.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a load that is the same in all 4 CTAs of the cluster, of one swizzle's width and a multiple of 32 rows}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<80x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x80xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x80xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x80xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<80x128xf8E4M3FN> -> tensor<80x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<80x128xf8E4M3FN> to tensor<128x80xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x80xf8E4M3FN>, tensor<64x80xf32>
        scf.yield %next : tensor<64x80xf32>
      }
      %out = arith.truncf %acc : tensor<64x80xf32> to tensor<64x80xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x80xbf16>, !bsmm.tensor_map<64x80xbf16>
    }
    bsmm.return
  }
}

// -----

// One tensor map for A and B: a map says how many rows a copy moves.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a load that is the same in all 2 CTAs of the cluster, of one swizzle's width and a multiple of 16 rows}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %a[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// Tiles by the number of the CTA.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    // expected-error@below {{expected bounds that are the same in all 2 CTAs of the cluster, which load together; divide block_id x by the cluster's size}}
    scf.for %tile = %block to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// Pairs of CTAs in a cluster of four.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    // expected-error@below {{expected bounds that are the same in all 4 CTAs of the cluster, which load together; divide block_id x by the cluster's size}}
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// A last tile that differs.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %last = arith.addi %tiles, %in_cluster : i32
    // expected-error@below {{expected bounds that are the same in all 2 CTAs of the cluster, which load together; divide block_id x by the cluster's size}}
    scf.for %tile = %cluster to %last step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// A distance of tiles that differs.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %far = arith.addi %in_cluster, %c1 : i32
    // expected-error@below {{expected bounds that are the same in all 2 CTAs of the cluster, which load together; divide block_id x by the cluster's size}}
    scf.for %tile = %cluster to %tiles step %far : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// More steps in one CTA than in the other.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %more = arith.addi %steps, %in_cluster : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      // expected-error@below {{expected bounds that are the same in all 2 CTAs of the cluster, which load together; divide block_id x by the cluster's size}}
      %acc = scf.for %step = %c0 to %more step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}

// -----

// Steps shared by four CTAs of a cluster of two.
gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // expected-error@below {{expected a cluster_size of 4 CTAs, those that share the steps of the loop over K, got 2}}
  bsmm.kernel @k(%a: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %b: !bsmm.tensor_map<64x128xf8E4M3FN>,
                 %d: !bsmm.tensor_map<64x64xbf16>, %tiles: i32, %steps: i32)
      attributes {level = #bsmm.level<tile>, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant 192 : i32
    %extent = arith.constant 128 : i32
    %rows = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %cluster = arith.divui %block, %c2 : i32
    %in_cluster = arith.remui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    scf.for %tile = %cluster to %tiles step %clusters : i32 {
      %pair = arith.muli %tile, %c2 : i32
      %number = arith.addi %pair, %in_cluster : i32
      %row = arith.muli %number, %rows : i32
      %acc = scf.for %step = %c0 to %steps step %c1
          iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = arith.muli %step, %extent : i32
        %a_tile = bsmm.tma_load %a[%row, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_rows = bsmm.tma_load %b[%column, %k]
            : !bsmm.tensor_map<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
        %b_tile = bsmm.trans %b_rows [1, 0]
            : tensor<64x128xf8E4M3FN> to tensor<128x64xf8E4M3FN>
        %next = bsmm.dot %a_tile, %b_tile, %sum : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      } {bsmm.split = 4 : i64}
      %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      bsmm.tma_store %out, %d[%row, %column] : tensor<64x64xbf16>, !bsmm.tensor_map<64x64xbf16>
    }
    bsmm.return
  }
}
