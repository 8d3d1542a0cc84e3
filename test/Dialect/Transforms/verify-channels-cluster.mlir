// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics -o %t

// Channels of a cluster, whose slots are filled by the loads of all of its CTAs.

// The protocol that the cases below break: tiles of the cluster's number, of which
// each CTA brings half the rows to both.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// A channel of a cluster needs no multicast: slots are given back by all CTAs.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            bsmm.load_async %a[%tile, %c0] to %slot#0 signals %ch[%it]
                : !bsmm.tensor_map<16x64xf16>, !shared, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Four CTAs with a quarter each; loops over the number of a group of clusters are
// the same in a cluster, too, and so is what depends on y and z of the CTA.
!shared = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<32x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %c16 = arith.constant 16 : i32
    %group = arith.divui %block, %c16 : i32
    %idy = gpu.block_id y
    %y = arith.index_cast %idy : index to i32
    %first = arith.addi %group, %y : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %first to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %first to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%c8] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Twice the rows from one share to the next: rank 1 writes below the buffer.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %two = arith.constant 16 : i32
            %row = arith.muli %rank, %two : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// The number in the grid is not the rank.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %row = arith.muli %block, %c8 : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Shares from the other end.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %other = arith.subi %c1, %rank : i32
            %row = arith.muli %other, %c8 : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Two shares of a quarter leave half of the buffer empty.
!shared = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<32x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Two shares of a half in a cluster of four: each is written twice.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// All rows from each CTA.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%c0] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<16x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// A share for its own CTA only.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Two loads of one share.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            // expected-error@below {{expected the share of the CTA's rank, with one multicast load of it}}
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Two slices with the same share.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            %again = bsmm.slice_rows %slot#0[%row] : !shared to !share
            // expected-error@below {{fills a buffer for the second time: its bytes were announced once}}
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            // expected-note@below {{filled here}}
            bsmm.load_async %a[%tile, %c0] to %again signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// More to all CTAs, into a buffer that no slot has: its bytes are announced nowhere.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %other = bsmm.alloc : !share
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%tile, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            // expected-error@below {{expected to signal a channel whose slots it fills by transactions: other bytes are not announced}}
            bsmm.load_async %a[%tile, %c0] to %other signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Each CTA sends all rows to all.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
              %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            // expected-error@below {{expected a share of the buffer by a bsmm.slice_rows or bsmm.slice_scales for a multicast load}}
            bsmm.load_async %a[%tile, %c0] to %slot#0 signals %ch[%it] multicast
                : !bsmm.tensor_map<16x64xf16>, !shared, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Loops from the number of the CTA: one CTA of a cluster may have a trip more.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %block to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the same trips in all 2 CTAs of the cluster, which fill the slots of the channel together}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %block to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Loops to a bound that differs.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %rank0 = bsmm.cluster_rank
    %upper = arith.addi %n, %rank0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %upper step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the same trips in all 2 CTAs of the cluster, which fill the slots of the channel together}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %upper step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Steps that differ.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %rank0 = bsmm.cluster_rank
    %step = arith.addi %rank0, %c1 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %step iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the same trips in all 2 CTAs of the cluster, which fill the slots of the channel together}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %step iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// A loop over K that differs.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %rank0 = bsmm.cluster_rank
    %mine = arith.addi %steps, %rank0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %mine step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the same trips in all 2 CTAs of the cluster, which fill the slots of the channel together}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %mine step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// Slots left out by some.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %rank0 = bsmm.cluster_rank
    %skip = arith.addi %steps, %rank0 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the same trips in all 2 CTAs of the cluster, which fill the slots of the channel together}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %skip : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %next = arith.addi %base, %skip : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Pairs of CTAs are not the cluster of four.
!shared = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<32x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the same trips in all 4 CTAs of the cluster, which fill the slots of the channel together}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %c0) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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

// The same trips, but from another slot on: CTA 0 would fill slot 0 of CTA 1,
// which waits for slot 1.
!shared = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!alone = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!share = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<8x64xf16>,
                 %n: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64, cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %number = arith.divui %block, %c2 : i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    %clusters = arith.divui %ctas, %c2 : i32
    %first = bsmm.cluster_rank
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128>, cluster : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %first) -> (i32) : i32 {
          %made = arith.maxsi %steps, %c0 : i32
          %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected its iterations to be counted from 0}}
            %slot:2 = bsmm.acquire %ch[%it] : !loads -> !shared, !alone
            %rank = bsmm.cluster_rank
            %row = arith.muli %rank, %c8 : i32
            %place = arith.addi %tile, %row : i32
            %part = bsmm.slice_rows %slot#0[%row] : !shared to !share
            bsmm.load_async %a[%place, %c0] to %part signals %ch[%it] multicast
                : !bsmm.tensor_map<8x64xf16>, !share, !loads
            bsmm.load_async %b[%i, %c0] to %slot#1 signals %ch[%it]
                : !bsmm.tensor_map<8x64xf16>, !alone, !loads
            bsmm.commit %ch[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %next = arith.addi %base, %made : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %tile = %number to %n step %clusters iter_args(%base = %first) -> (i32) : i32 {
        %made = arith.maxsi %steps, %c0 : i32
        %count = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %full:2 = bsmm.wait %ch[%it] : !loads -> !shared, !alone
          bsmm.write_shared %v, %full#1[%i, %c0] : vector<8xf16>, !alone
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
