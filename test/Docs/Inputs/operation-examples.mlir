// What the examples of operations in docs/dialect.md stand in, so that each one
// is a module; see scripts/check_doc_examples.py --operations.

// OPERATIONS: bsmm.scaled_matmul
func.func @example(
    %a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
    %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
    %c: tensor<128x512xf16>, %f: tensor<128x1024xf8E4M3FN>,
    %g: tensor<512x1024xf8E4M3FN>, %h: tensor<128x512xbf16>,
    %ra: tensor<128xf32>, %rb: tensor<1xf32>) {
  %EXAMPLE%
  return
}

// OPERATIONS: bsmm.pack_scales
func.func @example(
    %0: tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>) {
  %EXAMPLE%
  return
}

// OPERATIONS: bsmm.unpack_scales
func.func @example(
    %0: tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>) {
  %EXAMPLE%
  return
}

// OPERATIONS: bsmm.view_scales
func.func @example(%0: tensor<32x4x2x4x16x1xf8E4M3FN>) {
  %EXAMPLE%
  return
}

// OPERATIONS: bsmm.tma_load
gpu.module @kernels {
  bsmm.kernel @example(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                       %l: i32, %m: i32, %k: i32)
      attributes {level = #bsmm.level<tile>} {
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.tma_store
gpu.module @kernels {
  bsmm.kernel @example(%d: !bsmm.tensor_map<1x128x128xf16>,
                       %l: i32, %m: i32, %n: i32)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x128x128xf16>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.predicated_store
gpu.module @kernels {
  bsmm.kernel @example(%d: !llvm.ptr<1>, %l: i32, %m: i32, %n: i32,
                       %M: i32, %N: i32, %sl: i64, %sm: i64)
      attributes {level = #bsmm.level<tile>} {
    %t = arith.constant dense<0.0> : tensor<1x128x128xf16>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.reshape
gpu.module @kernels {
  bsmm.kernel @example()
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<1x1x4x2x256xf8E4M3FN>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.trans
gpu.module @kernels {
  bsmm.kernel @example()
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<1x4x32x4x4xf8E4M3FN>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.extract_rows
gpu.module @kernels {
  bsmm.kernel @example(%half: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<256x16xf8E4M3FN>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.extract_columns
gpu.module @kernels {
  bsmm.kernel @example(%first: i32)
      attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<0.0> : tensor<128x64xf32>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.scaled_dot
gpu.module @kernels {
  bsmm.kernel @example()
      attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<0.0> : tensor<128x256xf4E2M1FN>
    %sa = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %b = arith.constant dense<0.0> : tensor<256x128xf4E2M1FN>
    %sb = arith.constant dense<0.0> : tensor<128x16xf8E4M3FN>
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.grouped_order
gpu.module @kernels {
  bsmm.kernel @example(%tile: i32, %tiles_m: i32, %tiles_n: i32)
      attributes {level = #bsmm.level<tile>} {
    %fits = arith.cmpi ult, %tiles_m, %tiles_n : i32
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.alloc bsmm.create_channel bsmm.warp_role
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.acquire bsmm.wait bsmm.commit bsmm.release bsmm.wait_released
gpu.module @kernels {
  bsmm.kernel @example(%it: i32) attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        %EXAMPLE%
      }
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.slot_column
gpu.module @kernels {
  bsmm.kernel @example(%it: i32) attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.load_async
gpu.module @kernels {
  bsmm.kernel @example(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN>, %l: i32,
                       %m: i32, %k: i32, %it: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %ch = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    bsmm.warp_role 0 {
      bsmm.leader {
        %buf = bsmm.acquire %ch[%it] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
            -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
        %EXAMPLE%
      }
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.mask_scales
gpu.module @kernels {
  bsmm.kernel @example(%valid: i32) attributes {level = #bsmm.level<pipeline>} {
    %buf = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 1 {
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.copy_scales
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %s = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    %t = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    bsmm.warp_role 1 {
      bsmm.leader {
        %EXAMPLE%
      }
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.scaled_mma
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %p = arith.constant true
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %sa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %sb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.warp_role 1 {
      bsmm.leader {
        %EXAMPLE%
      }
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.leader
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 {
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.drain
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.write_shared
gpu.module @kernels {
  bsmm.kernel @example(%row: i32, %column: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %buf = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    %v = arith.constant dense<0.0> : vector<32xf16>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.write_global
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %row: i32, %column: i32, %o: i64,
                       %s: i64, %M: i32, %N: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %v = arith.constant dense<0.0> : vector<32xf16>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.store_async
gpu.module @kernels {
  bsmm.kernel @example(%d: !bsmm.tensor_map<1x128x128xf16>, %l: i32, %m: i32,
                       %n: i32) attributes {level = #bsmm.level<pipeline>} {
    %buf = bsmm.alloc : !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    bsmm.warp_role 0 {
      bsmm.leader {
        %EXAMPLE%
      }
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.predicated_load
gpu.module @kernels {
  bsmm.kernel @example(%c: !llvm.ptr<1>, %l: i32, %m: i32, %n: i32, %M: i32,
                       %N: i32, %sl: i64, %sm: i64)
      attributes {level = #bsmm.level<tile>} {
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.vector_load
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %n: i32, %N: i32)
      attributes {level = #bsmm.level<tile>} {
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.broadcast
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<1.0> : tensor<256xf32>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.dot
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<tile>} {
    %a = arith.constant dense<1.0> : tensor<128x128xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<128x256xf8E4M3FN>
    %acc = arith.constant dense<0.0> : tensor<128x256xf32>
    %sa = arith.constant dense<1.0> : tensor<128xf32>
    %sb = arith.constant dense<1.0> : tensor<256xf32>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.slice_rows
gpu.module @kernels {
  bsmm.kernel @example(%row: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.select_buffer
gpu.module @kernels {
  bsmm.kernel @example(%it: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %1 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.slice_scales
gpu.module @kernels {
  bsmm.kernel @example(%tile: i32) attributes {level = #bsmm.level<pipeline>} {
    %0 = bsmm.alloc : !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.reduce_cluster
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>,
                                     cluster_size = 2 : i64} {
    %buffer = bsmm.alloc : !bsmm.buffer<128x96xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %sum = bsmm.zero_accumulator : !bsmm.accumulator<128x192xf32, warpgroups = 2>
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.send_partial bsmm.add_partials
gpu.module @kernels {
  bsmm.kernel @example(%rank: i32)
      attributes {level = #bsmm.level<pipeline>, cluster_size = 2 : i64,
                  block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    %exchange = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    bsmm.drain %acc columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %v: vector<32xf32>):
      %EXAMPLE%
    } : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// OPERATIONS: bsmm.wait_partials
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>,
                                     cluster_size = 2 : i64,
                                     block_size = 128 : i64} {
    %exchange = bsmm.alloc : !bsmm.buffer<128x32xf32, shared, row_major>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.synchronize_cluster
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>,
                                     cluster_size = 2 : i64} {
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.zero_accumulator
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.mma
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.join_accumulators
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %left = bsmm.zero_accumulator : !bsmm.accumulator<128x96xf32, warpgroups = 2>
      %right = bsmm.zero_accumulator : !bsmm.accumulator<128x96xf32, warpgroups = 2>
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.wait_mma
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %a = bsmm.alloc : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %sum = bsmm.zero_accumulator : !bsmm.accumulator<128x256xf32, warpgroups = 2>
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.add_accumulators
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.zero_accumulator : !bsmm.accumulator<128x128xf32>
      %partial = bsmm.zero_accumulator : !bsmm.accumulator<128x128xf32>
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.read_vector
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %n: i32, %N: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %EXAMPLE%
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// OPERATIONS: bsmm.stage_vector
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %n: i32, %N: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %buf = bsmm.alloc : !bsmm.buffer<2x256xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.read_staged
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %buf = bsmm.alloc : !bsmm.buffer<2x256xf32, shared, row_major>
    bsmm.warp_role 0 count 8 {
      %acc = bsmm.zero_accumulator : !bsmm.accumulator<128x256xf32, warpgroups = 2>
      bsmm.drain %acc columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
        %EXAMPLE%
      } : !bsmm.accumulator<128x256xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.read_global
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %o: i64, %s: i64, %M: i32, %N: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      %EXAMPLE%
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    bsmm.return
  }
}

// OPERATIONS: bsmm.kernel
%EXAMPLE%

// OPERATIONS: bsmm.saturating_cast
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<tile>} {
    %0 = arith.constant dense<1.0> : tensor<128x256xf32>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.scale_load
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %l: i32, %n: i32, %g: i32, %N: i32,
                       %groups: i32, %sl: i64, %sr: i64, %one: i64)
      attributes {level = #bsmm.level<tile>} {
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.add_scaled
gpu.module @kernels {
  bsmm.kernel @example(%n: i32) attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.zero_accumulator : !bsmm.accumulator<64x128xf32>
      %partial = bsmm.zero_accumulator : !bsmm.accumulator<64x128xf32>
      %sa = arith.constant dense<1.0> : vector<2xf32>
      %sb = arith.constant dense<1.0> : vector<1xf32>
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.convert_values
gpu.module @kernels {
  bsmm.kernel @example() attributes {level = #bsmm.level<pipeline>} {
    %0 = arith.constant dense<1.0> : vector<16xf32>
    %EXAMPLE%
    bsmm.return
  }
}

// OPERATIONS: bsmm.decode_operand
gpu.module @kernels {
  bsmm.kernel @example(%c0: i32, %groups: i32)
      attributes {level = #bsmm.level<pipeline>} {
    %codes = bsmm.alloc : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %scales = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    %values = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    bsmm.warp_role 0 count 8 {
      %EXAMPLE%
    }
    bsmm.return
  }
}

// OPERATIONS: bsmm.read_scales
gpu.module @kernels {
  bsmm.kernel @example(%p: !llvm.ptr<1>, %m: i32, %M: i32, %g: i32,
                       %groups: i32, %o: i64, %one: i64, %s: i64)
      attributes {level = #bsmm.level<pipeline>} {
    bsmm.warp_role 0 count 8 {
      %EXAMPLE%
    }
    bsmm.return
  }
}
