// Warps that have both sides of a channel, and producers that run ahead over the
// end of a trip.

// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics

// One warp waits for a slot, releases it and fills it again.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c2 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// It fills one slot, then waits for the other one.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c1 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %is_loaded = arith.cmpi sge, %t, %c1 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c1 : i32
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A bound may be on the other side, and one smaller.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sgt, %t, %c1 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi sgt, %n, %t : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Two steps ahead, before it has released one of two slots.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %is_loaded = arith.cmpi sge, %t, %c2 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          // expected-error@below {{expected other warps than the producer's, got warp 0 for both; a warp that has both sides needs the slot that it fills before it waits to be 0 to 1 iterations ahead of the one that it waits for, with 2 slots, got 2}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Three steps ahead with two slots.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c3 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c3 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c3 : i32
          // expected-error@below {{expected other warps than the producer's, got warp 0 for both; a warp that has both sides needs the slot that it fills after it has released one to be 1 to 2 iterations ahead of the one that it waits for, with 2 slots, got 3}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// No step ahead: it would wait for what it fills only afterwards.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c0 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c0 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c0 : i32
          // expected-error@below {{expected other warps than the producer's, got warp 0 for both; a warp that has both sides needs the slot that it fills after it has released one to be 1 to 2 iterations ahead of the one that it waits for, with 2 slots, got 0}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// One trip fewer at the end than has been loaded.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c1 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c2 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          // expected-error@below {{expected the iterations of the producer, got other bounds}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// One trip more left out than it is behind.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c3 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          // expected-error@below {{expected an iteration that is as many trips behind the count of the loop around it as a branch leaves out first, got 2 behind and 3 left out}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A condition that leaves out a trip in the middle.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi ne, %t, %c2 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          // expected-error@below {{expected branches around it that leave out first or last trips of the loop around them, by a comparison of its counter with a bound that is some steps away from the loop's}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A bound that has nothing to do with the loop's.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %n : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          // expected-error@below {{expected branches around it that leave out first or last trips of the loop around them, by a comparison of its counter with a bound that is some steps away from the loop's}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// The producer goes on after the end of the loop.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    %beyond = arith.addi %end, %c1 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c2 : i32
        scf.if %is_loaded {
          %behind = arith.subi %i, %c2 : i32
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        %is_more = arith.cmpi slt, %t, %beyond : i32
        scf.if %is_more {
          bsmm.leader {
            // expected-error@below {{expected branches around it that leave out first or last trips of the loop around them, by a comparison of its counter with a bound that is some steps away from the loop's}}
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Two of the conditions are one too many.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %end = arith.addi %n, %c2 : i32
    bsmm.warp_role 0 {
      %r = scf.for %t = %c0 to %end step %c1 iter_args(%i = %c0) -> (i32) : i32 {
        %is_loaded = arith.cmpi sge, %t, %c2 : i32
        %also = arith.cmpi sge, %t, %c1 : i32
        scf.if %is_loaded {
        scf.if %also {
          %behind = arith.subi %i, %c2 : i32
          // expected-error@below {{expected branches around it that leave out first or last trips of the loop around them, by a comparison of its counter with a bound that is some steps away from the loop's}}
          %full = bsmm.wait %ch[%behind] : !loads -> !tile
          bsmm.release %ch[%behind] : !loads
        }
        }
        %is_more = arith.cmpi slt, %t, %n : i32
        scf.if %is_more {
          bsmm.leader {
            %slot = bsmm.acquire %ch[%i] : !loads -> !tile
            bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%i]
                : !bsmm.tensor_map<8x64xf16>, !tile, !loads
            bsmm.commit %ch[%i] : !loads
          }
        }
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// The iterations of all tiles as one sequence, by one warp.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// By two, of which the consumer has a loop of its own.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      bsmm.warp_role 1 {
        %r2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %base) -> (i32) : i32 {
          %full = bsmm.wait %ch[%i] : !loads -> !tile
          bsmm.release %ch[%i] : !loads
          %more = arith.addi %i, %c1 : i32
          scf.yield %more : i32
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// Ahead by more than there are slots: the next trip's consumer would have to
// release them.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c3 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected at most 2 iterations ahead of the consumer at the end of a trip, one for each slot, got 3}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      bsmm.warp_role 1 {
        %r2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %base) -> (i32) : i32 {
          %full = bsmm.wait %ch[%i] : !loads -> !tile
          bsmm.release %ch[%i] : !loads
          %more = arith.addi %i, %c1 : i32
          scf.yield %more : i32
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// The first trip does not begin at 0.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c1) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected its iterations to be counted from 0}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// The consumer is less behind than the end of a trip is ahead.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c1 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c1 : i32
            // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not run from iteration 0 to the last one of the last trip}}
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// One more left out than it is behind.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c3 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not run from iteration 0 to the last one of the last trip}}
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// Not all that the trips have in all.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %n : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not run from iteration 0 to the last one of the last trip}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// What the loop around it counts does not begin at 0.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c1, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not end a constant number of iterations after what the loop around it has counted from 0, trip by trip}}
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not end a constant number of iterations after what the loop around it has counted from 0, trip by trip}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// A trip does not begin where the last one has ended.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not begin in steps of one where the loop around it carries the end of the trip before}}
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: it does not begin in steps of one where the loop around it carries the end of the trip before}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %after : i32, i32
    }
    bsmm.return
  }
}

// -----

// A number of iterations that may be negative.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %n : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %n : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: the loop around it does not count the same number, at least 0, in every trip}}
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: the loop around it does not count the same number, at least 0, in every trip}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// Another number in each trip.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %some = arith.maxsi %tile, %c0 : i32
      %after = arith.addi %base, %some : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_loaded = arith.cmpi sge, %j, %c2 : i32
          scf.if %is_loaded {
            %behind = arith.subi %j, %c2 : i32
            // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: the loop around it does not count the same number, at least 0, in every trip}}
            %full = bsmm.wait %ch[%behind] : !loads -> !tile
            bsmm.release %ch[%behind] : !loads
          }
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              // expected-error@below {{expected the counter of a loop as its iteration only where that loop has a part of the iterations of all trips of another one: the loop around it does not count the same number, at least 0, in every trip}}
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}

// -----

// The consumer has another loop in each trip.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 32> : !loads
    %rounded = arith.maxsi %n, %c0 : i32
    %total = arith.muli %rounded, %rounded : i32
    %r:2 = scf.for %tile = %c0 to %n step %c1 iter_args(%base = %c0, %flat = %c0) -> (i32, i32) : i32 {
      %after = arith.addi %base, %rounded : i32
      %next = arith.addi %after, %c2 : i32
      bsmm.warp_role 0 {
        scf.for %j = %flat to %next step %c1 : i32 {
          %is_more = arith.cmpi slt, %j, %total : i32
          scf.if %is_more {
            bsmm.leader {
              %slot = bsmm.acquire %ch[%j] : !loads -> !tile
              bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%j]
                  : !bsmm.tensor_map<8x64xf16>, !tile, !loads
              bsmm.commit %ch[%j] : !loads
            }
          }
        }
      }
      bsmm.warp_role 1 {
        %r2 = scf.for %k = %c1 to %n step %c1 iter_args(%i = %base) -> (i32) : i32 {
          // expected-error@below {{expected the loops around it to count what the loop inside has counted: max(upper - lower, 0), divided by the step and rounded up}}
          %full = bsmm.wait %ch[%i] : !loads -> !tile
          bsmm.release %ch[%i] : !loads
          %more = arith.addi %i, %c1 : i32
          scf.yield %more : i32
        }
      }
      scf.yield %after, %next : i32, i32
    }
    bsmm.return
  }
}
