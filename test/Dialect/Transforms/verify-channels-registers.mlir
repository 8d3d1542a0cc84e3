// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics

// Consumers that multiply into registers: a slot may be given away when the
// multiplications that read it have been waited for. Cases without expectations
// are accepted.

// A consumer that releases each slot one step late, as the pass makes it.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Canonical forms: the condition the other way round, subtraction by adding.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %minus = arith.constant -1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi sgt, %steps, %c0 : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.addi %it, %minus : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.addi %end#0, %minus : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Two groups a step, both may run when the last slot is released.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %t2 = bsmm.mma %slot, %slot add %t : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t2 pending 2 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// All are waited for before this step is issued: only it runs at the release.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %w = bsmm.wait_mma %s pending 0 : !acc
          %t = bsmm.mma %slot, %slot add %w : !operand, !operand -> !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %t : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The second wait comes before any loop.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: the second wait is not in a loop after the first}}
        %again = bsmm.wait %loads[%c1] : !loads -> !operand
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %t = bsmm.mma %again, %again add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Counted by two.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: its iteration is not counted up by one in each trip of the loop around it}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c2 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The loop starts over with the first slot.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c0, %s = %start) -> (i32, !acc) : i32 {
          // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: its iteration does not follow the first one}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The slot at hand is released instead of the last one.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: it does not release the last step's slot in each trip}}
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The last slot is released before the wait for this one, and its
// multiplications have not been waited for.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected a bsmm.wait_mma before it, with at most 0 pending groups: earlier ones still read the slot}}
          bsmm.release %loads[%previous] : !loads
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// One slot is enough where it is released before the next wait.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<1, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %ready = bsmm.wait_mma %s pending 0 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %u = bsmm.mma %slot, %slot add %ready : !operand, !operand -> !acc
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// After the loop the next slot is released, which nobody has waited for.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: it does not release the loop's last slot after the loop}}
        bsmm.release %loads[%end#0] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The branch is taken when there may be no step.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi sle, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: it is not in a branch taken when lower < upper, with a loop from lower + step to upper}}
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The branch asks for another bound.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %other : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: it is not in a branch taken when lower < upper, with a loop from lower + step to upper}}
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The loop repeats the first step.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-error@below {{expected one wait and one release of a channel, or a first step before a loop that releases each slot one step late: it is not in a branch taken when lower < upper, with a loop from lower + step to upper}}
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Two groups may run: that of the last step still reads the slot.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 2 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected a bsmm.wait_mma before it, with at most 1 pending groups: earlier ones still read the slot}}
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Nothing is waited for in the loop.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected a bsmm.wait_mma before it, with at most 1 pending groups: earlier ones still read the slot}}
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %t : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The second group of a step is issued after the release: the wait before it
// leaves that of the last step running.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 2 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected a bsmm.wait_mma before it, with at most 1 pending groups: earlier ones still read the slot}}
          bsmm.release %loads[%previous] : !loads
          %t2 = bsmm.mma %slot, %slot add %u : !operand, !operand -> !acc
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %t2 : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Groups that may be there or not do not count.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %p = arith.cmpi slt, %c1, %other : i32
          %t = scf.if %p -> (!acc) {
            %t2 = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            scf.yield %t2 : !acc
          } else {
            scf.yield %s : !acc
          }
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected a bsmm.wait_mma before it, with at most 0 pending groups: earlier ones still read the slot}}
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The last step is released while it runs.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 1 : !acc
        %last = arith.subi %end#0, %c1 : i32
        // expected-error@below {{expected a bsmm.wait_mma before it, with at most 0 pending groups: earlier ones still read the slot}}
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The first slot's buffer is read by later steps, when it has been given away.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          // expected-error@below {{uses a buffer of a slot that has been given away}}
          %t = bsmm.mma %first, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-note@below {{given away here}}
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Four warps are said to arrive, eight do.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-error@below {{expected 4 warps to arrive, got 8}}
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// More steps than the producer makes.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %other : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %other step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The count starts at one.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-error@below {{expected the iterations of the producer, got other starts}}
        %first = bsmm.wait %loads[%c1] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c2, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Two waits, one release.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-note@below {{the other one is here}}
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          // expected-error@below {{expected one wait of a channel}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// With one slot nobody could go on: the next slot is the last one.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<1, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          // expected-error@below {{expected a channel of at least 2 slots, got 1: the consumer waits for the next slot before it releases the last one}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// The producer's warp waits, too.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 4 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        // expected-error@below {{expected other warps than the producer's, got warp 8 for both}}
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Partial sums: each step is waited for before its slot is released.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %zero = bsmm.zero_accumulator : !acc
      %end:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0, %s = %zero) -> (i32, !acc) : i32 {
        %slot = bsmm.wait %loads[%it] : !loads -> !operand
        %t = bsmm.mma %slot, %slot : !operand, !operand -> !acc
        %u = bsmm.wait_mma %t pending 0 : !acc
        bsmm.release %loads[%it] : !loads
        %v = bsmm.add_accumulators %s, %u : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next, %v : i32, !acc
      }
    }
    bsmm.return
  }
}

// -----

// It is released while it is read.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %zero = bsmm.zero_accumulator : !acc
      %end:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0, %s = %zero) -> (i32, !acc) : i32 {
        %slot = bsmm.wait %loads[%it] : !loads -> !operand
        %t = bsmm.mma %slot, %slot : !operand, !operand -> !acc
        // expected-error@below {{expected a bsmm.wait_mma before it, with at most 0 pending groups: earlier ones still read the slot}}
        bsmm.release %loads[%it] : !loads
        %u = bsmm.wait_mma %t pending 0 : !acc
        %v = bsmm.add_accumulators %s, %u : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next, %v : i32, !acc
      }
    }
    bsmm.return
  }
}

// -----

// The wait comes before the multiplication.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %zero = bsmm.zero_accumulator : !acc
      %end:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0, %s = %zero) -> (i32, !acc) : i32 {
        %slot = bsmm.wait %loads[%it] : !loads -> !operand
        %w = bsmm.wait_mma %s pending 0 : !acc
        %t = bsmm.mma %slot, %slot : !operand, !operand -> !acc
        // expected-error@below {{expected a bsmm.wait_mma before it, with at most 0 pending groups: earlier ones still read the slot}}
        bsmm.release %loads[%it] : !loads
        %u = bsmm.wait_mma %t pending 0 : !acc
        %v = bsmm.add_accumulators %w, %u : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next, %v : i32, !acc
      }
    }
    bsmm.return
  }
}

// -----

// The comparison that guards the first step is signed, so is the loop.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %steps: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for unsigned %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          // expected-error@below {{expected only signed loops around it}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}
