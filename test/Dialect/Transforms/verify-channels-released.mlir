// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics -o %t

// Channels of a cluster whose slots the tensor core releases, in all CTAs: the
// producer waits for the last arrivals, and shares of scales are those of ranks.

// The protocol that the cases below break.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        bsmm.wait_released %ch[%total] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Without the wait a CTA ends while tensor cores of others arrive at its barriers.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected a bsmm.wait_released after the producer's last slot: the tensor cores of all CTAs of the cluster arrive at the barriers of each, which may not end before}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// The slots of the last iteration are not waited for.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %less = arith.subi %n, %c1 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected the number of iterations that the producer has had, which its outermost loop counts}}
        bsmm.wait_released %ch[%less] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Nor those of all iterations.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected the number of iterations that the producer has had, which its outermost loop counts}}
        bsmm.wait_released %ch[%c2] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Twice.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        // expected-note@below {{the other one is here}}
        bsmm.wait_released %ch[%total] : !loads
        // expected-error@below {{expected one bsmm.wait_released of a channel}}
        bsmm.wait_released %ch[%total] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Arrivals of threads are over when they are made.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 32>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Where it is not needed it is not wrong.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 32>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        bsmm.wait_released %ch[%total] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// But must wait for all.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 32>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            %part_of_scales = bsmm.slice_scales %slot#1[%share] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected the number of iterations that the producer has had, which its outermost loop counts}}
        bsmm.wait_released %ch[%c1] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// The share of one rank in all CTAs.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part_of_scales = bsmm.slice_scales %slot#1[%c2] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        bsmm.wait_released %ch[%total] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Four tiles from one share to the next: rank 1 writes behind the buffer.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %far = arith.muli %rank, %c4 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part_of_scales = bsmm.slice_scales %slot#1[%far] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        bsmm.wait_released %ch[%total] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A tile from one share to the next: nobody brings the last one.
!operand = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!half = !bsmm.buffer<64x256xf4E2M1FN, shared, swizzle_128B>
!scales = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!half_scales = !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
!map = !bsmm.tensor_map<64x256xf4E2M1FN>
!scale_map = !bsmm.tensor_map<2x512xf8E4M3FN>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
gpu.module @m {
  bsmm.kernel @k(%a: !map, %s: !scale_map, %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %made = arith.maxsi %steps, %c0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <mma_commit>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %rank = bsmm.cluster_rank
        %row = arith.muli %rank, %c64 : i32
        %share = arith.muli %rank, %c2 : i32
        %total = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !operand, !scales
            %part = bsmm.slice_rows %slot#0[%row] : !operand to !half
            bsmm.load_async %a[%row, %c0] to %part signals %ch[%it] multicast
                : !map, !half, !loads
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part_of_scales = bsmm.slice_scales %slot#1[%rank] : !scales to !half_scales
            bsmm.load_async %s[%share, %c0] to %part_of_scales signals %ch[%it] multicast
                : !scale_map, !half_scales, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
        bsmm.wait_released %ch[%total] : !loads
      }
    }
    bsmm.warp_role 5 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !operand, !scales
          bsmm.leader {
            bsmm.release %ch[%it] : !loads
          }
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %made : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}
