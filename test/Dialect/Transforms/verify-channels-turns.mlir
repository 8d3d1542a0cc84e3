// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics

// Two consumers of a channel, and order channels, which say whose turn it is.
// Cases without expectations are accepted.

// The protocol that the cases below break: two consumers with every other tile,
// one of which waits for slots while it is its turn.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Each slot is released one step late; the turn ends in both branches, once the
// last step has been issued.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Other forms of the same numbers: a sum instead of a product with 2 does not
// exist in the producer, but differences and factors in any order do.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %away = arith.subi %c0, %ctas : i32
      %second = arith.subi %first, %away : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Constant bounds.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c9 = arith.constant 9 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %c0 to %c9 step %c1 iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %c9 step %c2 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.constant 5 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %ten = arith.constant 10 : i32
      %end:2 = scf.for %tile = %c0 to %c9 step %c2 iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %c9 step %c2 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %next_base = arith.addi %base, %ten : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %five = arith.constant 5 : i32
      %ten = arith.constant 10 : i32
      %end:2 = scf.for %tile = %c1 to %c9 step %c2 iter_args(%base = %five, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %c9 step %c2 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next_base = arith.addi %base, %ten : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// No turns.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The turn of the first ends before its waits.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The turn of the second starts after its waits.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The turn ends before the first step's wait, in one branch.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          // expected-note@below {{the first consumer waits here}}
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The second consumer has the producer's end of the turns.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// A turn for each step instead of each tile.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn0 = %c0) -> (i32, i32) : i32 {
        %inner:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base, %turn = %turn0) -> (i32, i32) : i32 {
          bsmm.acquire %turns[%turn] : !bsmm.channel<1>
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %then = arith.addi %turn, %c1 : i32
          scf.yield %next, %then : i32, i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn0, %made : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn0 = %c0) -> (i32, i32) : i32 {
        %inner:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base, %turn = %turn0) -> (i32, i32) : i32 {
          bsmm.wait %turns[%turn] : !bsmm.channel<1>
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %then = arith.addi %turn, %c1 : i32
          scf.yield %next, %then : i32, i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn0, %made : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The first consumer has all tiles.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c1 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other bounds for consumer 0 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The second consumer starts with the first one's tile.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other bounds for consumer 1 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The second consumer has every third tile.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %c3 = arith.constant 3 : i32
      %two = arith.muli %ctas, %c3 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other bounds for consumer 1 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The second consumer ends elsewhere.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %steps step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other bounds for consumer 1 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The second consumer has other steps.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other bounds for consumer 1 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It does not count the first one's first tile.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other starts for consumer 1 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It does not count the first one's further tiles.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other counts for consumer 1 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %made : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Nor does the first one count the second one's.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other counts for consumer 0 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %made : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Three consumers.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 512 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 12 count 4 {
      %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected at most two consumers of a channel}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %next_base = arith.addi %base, %made : i32
        scf.yield %next_base : i32
      }
    }
    bsmm.return
  }
}

// -----

// An order channel has one consumer.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 512 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 12 count 4 {
      %end = scf.for %tile = %first to %tiles step %ctas iter_args(%turn = %c0) -> (i32) : i32 {
        // expected-error@below {{expected one consumer of an order channel}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_turn : i32
      }
    }
    bsmm.return
  }
}

// -----

// A third one that only releases.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 512 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    // expected-error@below {{expected at most two consumers}}
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 12 count 4 {
      bsmm.release %loads[%c0] : !loads
    }
    bsmm.return
  }
}

// -----

// Two consumers of the same warps.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected other warps than the producer's, got warp 0 for both}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected other warps than the consumer's, got warp 0 for both}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The turn ends with another iteration.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected the iteration of its acquire}}
        bsmm.commit %turns[%base] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It is released with another iteration.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected the iteration of its wait}}
        bsmm.release %turns[%base] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The turn ends in one branch only.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          // expected-error@below {{expected after its acquire, in the same block or in both branches of an scf.if there}}
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The same on the other side.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          // expected-error@below {{expected after its wait, in the same block or in both branches of an scf.if there}}
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// The turn ends before it starts.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected after its acquire, in the same block or in both branches of an scf.if there}}
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It ends twice.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        // expected-note@below {{the other one is here}}
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        // expected-error@below {{expected one commit of a channel}}
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It starts twice.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-note@below {{the other one is here}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        // expected-error@below {{expected one wait of a channel}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It never ends.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected a bsmm.commit after the acquire}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It never starts.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-note@below {{the first consumer waits here}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected an order channel (without buffers) around the waits of two consumers, acquired and committed by the first, waited for and released by the second: without turns a wait may see the phase before the last}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected a bsmm.wait before the release}}
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// As many warps arrive as the channel says.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 8>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected 8 warps to arrive, got 4}}
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// In each branch.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 8> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.commit %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %has_steps = arith.cmpi slt, %c0, %steps : i32
        %sum = scf.if %has_steps -> (!acc) {
          %slot0 = bsmm.wait %loads[%base] : !loads -> !operand
          %start = bsmm.mma %slot0, %slot0 : !operand, !operand -> !acc
          %second_it = arith.addi %base, %c1 : i32
          %loop:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %second_it, %s = %start) -> (i32, !acc) : i32 {
            %slot = bsmm.wait %loads[%it] : !loads -> !operand
            %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
            %u = bsmm.wait_mma %t pending 1 : !acc
            %previous = arith.subi %it, %c1 : i32
            bsmm.release %loads[%previous] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next, %u : i32, !acc
          }
          // expected-error@below {{expected 8 warps to arrive, got 4}}
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %done = bsmm.wait_mma %loop#1 pending 0 : !acc
          %last = arith.subi %loop#0, %c1 : i32
          bsmm.release %loads[%last] : !loads
          scf.yield %done : !acc
        } else {
          bsmm.release %turns[%turn] : !bsmm.channel<1>
          %zero = bsmm.zero_accumulator : !acc
          scf.yield %zero : !acc
        }
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Turns are counted one by one.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        // expected-error@below {{expected its iteration to be counted up by one in each trip of the loop around it}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c2 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// A step that the loop over tiles counts twice leaves out an iteration on both
// sides: what waits for it waits for ever.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the loops around it to count what the loop inside has counted: max(upper - lower, 0), divided by the step and rounded up}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %some = arith.maxsi %steps, %c0 : i32
          %made = arith.addi %some, %c1 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %some = arith.maxsi %steps, %c0 : i32
        %made = arith.addi %some, %c1 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %some_steps = arith.maxsi %steps, %c0 : i32
      %skipped = arith.addi %some_steps, %c1 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %some = arith.maxsi %steps, %c0 : i32
        %made = arith.addi %some, %c1 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// A negative number of steps would be counted backwards.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-error@below {{expected the loops around it to count what the loop inside has counted}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %steps : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %steps, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %steps, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %steps, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// Half a step is not what half of 2^32 makes of it.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c9 = arith.constant 9 : i32
    %low = arith.constant -2147483647 : i32
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      %end = scf.for %trip = %c0 to %c9 step %c2 iter_args(%turn = %c0) -> (i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %next = arith.addi %turn, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %end = scf.for %trip = %low to %c9 step %c2 iter_args(%turn = %c0) -> (i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next = arith.addi %turn, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// The other trips of 9, in turns alone.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c9 = arith.constant 9 : i32
    %low = arith.constant 1 : i32
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      %end = scf.for %trip = %c0 to %c9 step %c2 iter_args(%turn = %c0) -> (i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %next = arith.addi %turn, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %end = scf.for %trip = %low to %c9 step %c2 iter_args(%turn = %c0) -> (i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next = arith.addi %turn, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Half of three is no trip.
gpu.module @m {
  bsmm.kernel @k() attributes {level = #bsmm.level<pipeline>, block_size = 256 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %low = arith.constant 1 : i32
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      %end = scf.for %trip = %c0 to %c9 step %c2 iter_args(%turn = %c0) -> (i32) : i32 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %next = arith.addi %turn, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %end = scf.for %trip = %low to %c9 step %c2 iter_args(%turn = %c0) -> (i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next = arith.addi %turn, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Loops over i64 are not computed with: here one wraps around at 2^32, which i32
// would not see.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i64, %tiles: i64, %ctas: i64, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %two = arith.constant 2 : i64
    %wrap = arith.constant 4294967296 : i64
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i64 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%step, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %twice = arith.muli %ctas, %two : i64
      %end:2 = scf.for %tile = %first to %tiles step %twice iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i64 {
        // expected-note@below {{the producer acquires here}}
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other bounds for consumer 0 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %one = arith.addi %first, %ctas : i64
      %second = arith.addi %one, %wrap : i64
      %twice = arith.muli %ctas, %two : i64
      %end:2 = scf.for %tile = %second to %tiles step %twice iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i64 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// One step a tile, without a loop over steps: each consumer counts the other's.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%base] : !loads -> !operand
          bsmm.load_async %map[%tile, %c0] to %slot signals %loads[%base] : !map, !operand, !loads
          bsmm.commit %loads[%base] : !loads
          %next_base = arith.addi %base, %c1 : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %slot = bsmm.wait %loads[%base] : !loads -> !operand
        bsmm.release %loads[%base] : !loads
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %next_base = arith.addi %base, %c2 : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %c1, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %slot = bsmm.wait %loads[%base] : !loads -> !operand
        bsmm.release %loads[%base] : !loads
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next_base = arith.addi %base, %c2 : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// It counts its own alone.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot = bsmm.acquire %loads[%base] : !loads -> !operand
          bsmm.load_async %map[%tile, %c0] to %slot signals %loads[%base] : !map, !operand, !loads
          bsmm.commit %loads[%base] : !loads
          %next_base = arith.addi %base, %c1 : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %slot = bsmm.wait %loads[%base] : !loads -> !operand
        bsmm.release %loads[%base] : !loads
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %next_base = arith.addi %base, %c2 : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %c1, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        // expected-error@below {{expected the iterations of the producer, got other counts for consumer 1 of 2 that take turns with the trips of the outermost loop}}
        %slot = bsmm.wait %loads[%base] : !loads -> !operand
        bsmm.release %loads[%base] : !loads
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %next_base = arith.addi %base, %c1 : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}

// -----

// A step counted twice inside of a tile.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            // expected-note@below {{the producer acquires here}}
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          // expected-error@below {{expected the iterations of the producer, got other counts for consumer 0 of 2 that take turns with the trips of the outermost loop}}
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c2 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.return
  }
}
