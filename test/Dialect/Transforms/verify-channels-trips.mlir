// Consumers that release late, with two steps in each trip of a loop and the
// rest of the steps one by one: what is accepted, and what each change of it
// breaks. The steps are those from %lower to %upper, which may be none.

// DEFINE: %{verify} = bsmm-opt --bsmm-verify-channels -o %t.out
// RUN: %{verify} %s

// The last release of a trip, before its first wait or after the next product.
// RUN: sed -e '/AFTER/d' -e 's#// BEFORE: ##' %s > %t.before.mlir
// RUN: %{verify} %t.before.mlir

// A slot that multiplications may still read is given away.
// RUN: sed -e '/release %%loads\[%%it\]/d' -e 's/^ *%%d_done = /bsmm.release %%loads[%%it] : !loads\n&/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: sed -e '/release %%loads\[%%first\]/d' -e 's/^ *%%a_done = /bsmm.release %%loads[%%first] : !loads\n&/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'bsmm.release' op expected a bsmm.wait_mma before it, with at most 1 pending groups: earlier ones still read the slot
// RUN: sed -e '/release %%loads\[%%previous\]/d' -e 's/^ *%%old_done = /bsmm.release %%loads[%%previous] : !loads\n&/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: sed -e '/release %%loads\[%%last\]/d' -e 's/^ *%%e_done = /bsmm.release %%loads[%%last] : !loads\n&/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: sed -e '/release %%loads\[%%r\]/d' -e 's/^ *%%g_done = /bsmm.release %%loads[%%r] : !loads\n&/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: 'bsmm.release' op expected a bsmm.wait_mma before it, with at most 0 pending groups: earlier ones still read the slot

// RUN: sed 's/<3, /<1, /' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: error: 'bsmm.wait' op expected a channel of at least 2 slots, got 1: the consumer waits for the next slot before it releases the last one

// RUN: sed 's/mma %%s3, %%s3/mma %%s2, %%s3/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=USE
// RUN: sed 's/mma %%s1, %%s1/mma %%s0, %%s1/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=USE
// USE: error: 'bsmm.mma' op uses a buffer of a slot that has been given away
// USE: note: given away here

// RUN: sed 's/wait %%loads\[%%it1\]/wait %%loads[%%it]/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: sed 's/wait %%loads\[%%second\]/wait %%loads[%%first]/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=NEXT
// NEXT: error: 'bsmm.wait' op {{.*}}: it does not wait for the next slot in the same trip

// RUN: sed 's/release %%loads\[%%it\]/release %%loads[%%it1]/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=BEFORE-LAST
// RUN: sed 's/release %%loads\[%%first\]/release %%loads[%%second]/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=BEFORE-LAST
// BEFORE-LAST: error: 'bsmm.release' op {{.*}}: it does not release the slot of the wait before the last one, in the same trip

// RUN: sed 's/release %%loads\[%%previous\]/release %%loads[%%it]/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: 'bsmm.release' op {{.*}}: it does not release the last step's slot in each trip

// RUN: sed 's/release %%loads\[%%last\]/release %%loads[%%end#0]/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=END
// END: error: 'bsmm.release' op {{.*}}: it does not release the loop's last slot after the loop

// RUN: sed 's/%%next2 = arith.addi %%it, %%c2/%%next2 = arith.addi %%it, %%c1/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 'bsmm.wait' op {{.*}}: its iteration is not counted up by the number of waits in each trip of the loop around it

// RUN: sed 's/%%third = arith.addi %%first, %%c2/%%third = arith.addi %%first, %%c1/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=FOLLOW
// FOLLOW: error: 'bsmm.wait' op {{.*}}: its iteration does not follow the first one

// RUN: sed 's/cmpi slt, %%lower, %%split/cmpi sle, %%lower, %%split/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: sed 's/addi %%lower, %%c2/addi %%lower, %%c1/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: 'bsmm.wait' op {{.*}}: it is not in a branch taken when lower < upper, with a loop from lower + step to upper

// What is left over begins where the trips end, and is what fills none.
// RUN: sed 's/remui %%steps, %%c2/remui %%steps, %%c3/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/subi %%steps, %%left/subi %%steps, %%c1/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/maxsi %%distance, %%c0/maxsi %%distance, %%c1/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/addi %%first, %%in_trips/addi %%first, %%steps/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/%%split to %%upper/%%split to %%other/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: 'bsmm.wait' op {{.*}}: the loop with several waits does not end after as many whole trips as there are, i.e. after s - s % 2 steps of s = max(upper - lower, 0) / step, rounded up

// RUN: sed 's/%%k = %%split to/%%k = %%lower to/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=GOES-ON
// RUN: sed 's/to %%split step %%c2/to %%split step %%c3/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=THREE
// GOES-ON: error: 'bsmm.wait' op {{.*}}: its loop does not go on where the one with several waits ends, in steps of one of its waits
// THREE: error: 'bsmm.wait' op {{.*}}: it is not in a branch taken when lower < upper

// RUN: sed 's/%%more = arith.addi %%r, %%c1/%%more = arith.addi %%r, %%c2/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: 'bsmm.wait' op {{.*}}: its iteration is not counted up by one in each trip of the loop around it

// RUN: sed 's/%%step = %%lower to %%upper/%%step = %%lower to %%other/' %s > %t.mlir
// RUN: not %{verify} %t.mlir 2>&1 | FileCheck %s --check-prefix=PRODUCER
// PRODUCER: error: 'bsmm.wait' op expected the iterations of the producer, got other bounds

!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %lower: i32, %upper: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %lower to %upper step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %first = arith.constant 0 : i32
      %second = arith.addi %first, %c1 : i32
      %third = arith.addi %first, %c2 : i32
      %distance = arith.subi %upper, %lower : i32
      %steps = arith.maxsi %distance, %c0 : i32
      %left = arith.remui %steps, %c2 : i32
      %in_trips = arith.subi %steps, %left : i32
      %split = arith.addi %lower, %in_trips : i32
      %start = arith.addi %lower, %c2 : i32
      %zero = bsmm.zero_accumulator : !acc
      %has_trips = arith.cmpi slt, %lower, %split : i32
      %sum = scf.if %has_trips -> (!acc) {
        %s0 = bsmm.wait %loads[%first] : !loads -> !operand
        %a = bsmm.mma %s0, %s0 : !operand, !operand -> !acc
        %s1 = bsmm.wait %loads[%second] : !loads -> !operand
        %b = bsmm.mma %s1, %s1 : !operand, !operand -> !acc
        %a_done = bsmm.wait_mma %a pending 1 complete : !acc
        bsmm.release %loads[%first] : !loads
        %sum0 = bsmm.add_accumulators %zero, %a_done : !acc
        %end:3 = scf.for %k = %start to %split step %c2 iter_args(%it = %third, %old = %b, %sum1 = %sum0) -> (i32, !acc, !acc) : i32 {
          %previous = arith.subi %it, %c1 : i32
          %it1 = arith.addi %it, %c1 : i32
          // BEFORE: %old_done = bsmm.wait_mma %old pending 0 : !acc
          // BEFORE: bsmm.release %loads[%previous] : !loads
          %s2 = bsmm.wait %loads[%it] : !loads -> !operand
          %old_done = bsmm.wait_mma %old pending 0 : !acc // AFTER
          %d = bsmm.mma %s2, %s2 : !operand, !operand -> !acc
          bsmm.release %loads[%previous] : !loads // AFTER
          %sum2 = bsmm.add_accumulators %sum1, %old_done : !acc
          %s3 = bsmm.wait %loads[%it1] : !loads -> !operand
          %e = bsmm.mma %s3, %s3 : !operand, !operand -> !acc
          %d_done = bsmm.wait_mma %d pending 1 complete : !acc
          bsmm.release %loads[%it] : !loads
          %sum3 = bsmm.add_accumulators %sum2, %d_done : !acc
          %next2 = arith.addi %it, %c2 : i32
          scf.yield %next2, %e, %sum3 : i32, !acc, !acc
        }
        %last = arith.subi %end#0, %c1 : i32
        %e_done = bsmm.wait_mma %end#1 pending 0 : !acc
        bsmm.release %loads[%last] : !loads
        %sum4 = bsmm.add_accumulators %end#2, %e_done : !acc
        scf.yield %sum4 : !acc
      } else {
        scf.yield %zero : !acc
      }
      %rest_first = arith.addi %first, %in_trips : i32
      %rest:2 = scf.for %k = %split to %upper step %c1 iter_args(%r = %rest_first, %sum5 = %sum) -> (i32, !acc) : i32 {
        %s4 = bsmm.wait %loads[%r] : !loads -> !operand
        %g = bsmm.mma %s4, %s4 : !operand, !operand -> !acc
        %g_done = bsmm.wait_mma %g pending 0 : !acc
        bsmm.release %loads[%r] : !loads
        %sum6 = bsmm.add_accumulators %sum5, %g_done : !acc
        %more = arith.addi %r, %c1 : i32
        scf.yield %more, %sum6 : i32, !acc
      }
    }
    bsmm.return
  }
}
