// RUN: bsmm-opt %s --allow-unregistered-dialect --bsmm-carry-remainders --split-input-file | FileCheck %s

// Counters instead of remainders and quotients.

// Both of one counter: a comparison decides whether the remainder starts over
// and the quotient goes on.
// CHECK-LABEL: func.func @both
// CHECK-SAME: %[[LOWER:.+]]: i32, %[[UPPER:.+]]: i32, %[[INIT:.+]]: i32
// CHECK-DAG: %[[R0:.+]] = arith.remui %[[INIT]], %[[FIVE:.+]] : i32
// CHECK-DAG: %[[Q0:.+]] = arith.divui %[[INIT]], %[[FIVE]] : i32
// CHECK: %[[LOOP:.+]]:3 = scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]] step %{{.*}} iter_args(%[[IT:.+]] = %[[INIT]], %[[R:.+]] = %[[R0]], %[[Q:.+]] = %[[Q0]]) -> (i32, i32, i32)
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.divui
// CHECK: "use"(%[[R]], %[[Q]])
// CHECK: %[[NEXT:.+]] = arith.addi %[[IT]], %{{.*}}
// CHECK: %[[MORE:.+]] = arith.addi %[[R]], %[[ONE:.+]] : i32
// CHECK-NEXT: %[[WRAPS:.+]] = arith.cmpi eq, %[[MORE]], %{{.*}} : i32
// CHECK-NEXT: %[[ROUND:.+]] = arith.addi %[[Q]], %[[ONE]]
// CHECK-NEXT: %[[NEXTR:.+]] = arith.select %[[WRAPS]], %{{.*}}, %[[MORE]]
// CHECK-NEXT: %[[NEXTQ:.+]] = arith.select %[[WRAPS]], %[[ROUND]], %[[Q]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[NEXTR]], %[[NEXTQ]]
// CHECK: return %[[LOOP]]#0
func.func @both(%lower: i32, %upper: i32, %init: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %end = scf.for %i = %lower to %upper step %c1 iter_args(%it = %init) -> (i32) : i32 {
    %slot = arith.remui %it, %c5 : i32
    %round = arith.divui %it, %c5 : i32
    "use"(%slot, %round) : (i32, i32) -> ()
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return %end : i32
}

// -----

// The remainder of the value before is the last trip's.
// CHECK-LABEL: func.func @previous
// CHECK-SAME: %[[N:.+]]: i32, %[[INIT:.+]]: i32
// CHECK: %[[BEFORE:.+]] = arith.subi %[[INIT]], %{{.*}} : i32
// CHECK-NEXT: %[[P0:.+]] = arith.remui %[[BEFORE]],
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]], %[[R:.+]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[P:.+]] = %[[P0]])
// CHECK-NOT: arith.remui
// CHECK: "use"(%[[R]], %[[P]], %[[P]])
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[R]] : i32, i32, i32, i32
func.func @previous(%n: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %c3 = arith.constant 3 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (i32) : i32 {
    %slot = arith.remui %it, %c3 : i32
    %before = arith.subi %it, %c1 : i32
    %last = arith.remui %before, %c3 : i32
    %again = arith.addi %it, %minus : i32
    %last_again = arith.remui %again, %c3 : i32
    "use"(%slot, %last, %last_again) : (i32, i32, i32) -> ()
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Its quotient stays: it is none that a channel needs.
// CHECK-LABEL: func.func @previous_quotient
// CHECK: scf.for
// CHECK: arith.divui
// CHECK: "use"
func.func @previous_quotient(%n: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (i32) : i32 {
    %before = arith.subi %it, %c1 : i32
    %round = arith.divui %before, %c3 : i32
    "use"(%round) : (i32) -> ()
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Two divisors of one counter, and two counters: each has values of its own.
// CHECK-LABEL: func.func @several
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i32, i32, i32, i32, i32)
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.divui
// CHECK: "use"(%[[A:[a-z0-9_]+]], %[[B:[a-z0-9_]+]], %[[C:[a-z0-9_]+]])
// CHECK: scf.yield
func.func @several(%n: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init, %other = %c0) -> (i32, i32) : i32 {
    %a = arith.remui %it, %c3 : i32
    %b = arith.remui %it, %c7 : i32
    %c = arith.remui %other, %c7 : i32
    "use"(%a, %b, %c) : (i32, i32, i32) -> ()
    %next = arith.addi %it, %c1 : i32
    %next_other = arith.addi %other, %c1 : i32
    scf.yield %next, %next_other : i32, i32
  }
  return
}

// -----

// Nested loops: the inner one's counter starts at the outer one's, which counts
// by more than one and keeps its value.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for {{.*}} iter_args(%[[BASE:.+]] = %{{.*}}) -> (i32)
// CHECK: %[[R0:.+]] = arith.remui %[[BASE]], %{{.*}} : i32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[BASE]], %[[R:.+]] = %[[R0]], %{{.*}} = %{{.*}}) -> (i32, i32, i32)
// CHECK-NEXT: "use"(%[[R]])
func.func @nested(%n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%base = %c0) -> (i32) : i32 {
    %inner = scf.for %j = %c0 to %m step %c1 iter_args(%it = %base) -> (i32) : i32 {
      %slot = arith.remui %it, %c6 : i32
      "use"(%slot) : (i32) -> ()
      %next = arith.addi %it, %c1 : i32
      scf.yield %next : i32
    }
    %next_base = arith.addi %base, %m : i32
    scf.yield %next_base : i32
  }
  return
}

// -----

// The inner loop divides the outer one's counter: that is a use in its body.
// CHECK-LABEL: func.func @used_inside
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[R:.+]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i32, i32)
// CHECK-NEXT: scf.for
// CHECK-NEXT: "use"(%[[R]])
func.func @used_inside(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %slot = arith.remui %it, %c6 : i32
      "use"(%slot) : (i32) -> ()
    }
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Masks and shifts are cheap, and so is 1.
// CHECK-LABEL: func.func @powers_of_two
// CHECK: scf.for {{.*}} -> (i32)
// CHECK-NEXT: arith.remui
// CHECK-NEXT: arith.divui
// CHECK-NEXT: arith.remui
// CHECK-NEXT: "use"
func.func @powers_of_two(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
    %a = arith.remui %it, %c4 : i32
    %b = arith.divui %it, %c4 : i32
    %c = arith.remui %it, %c1 : i32
    "use"(%a, %b, %c) : (i32, i32, i32) -> ()
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Counters by more than they are divided by, by a value, downwards, and values
// that are no counters;
// signed remainders, a remainder by a value, and one of a counter that may begin
// below 0.
// CHECK-LABEL: func.func @others
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i32, i32)
// CHECK-COUNT-7: arith.rem{{[us]}}i
// CHECK: "use"
func.func @others(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %end:5 = scf.for %i = %n to %c3 step %c1 iter_args(%four = %c0, %any = %c0, %down = %c0, %kept = %c0, %it = %c0) -> (i32, i32, i32, i32, i32) : i32 {
    %a = arith.remui %four, %c3 : i32
    %b = arith.remui %any, %c3 : i32
    %c = arith.remui %down, %c3 : i32
    %d = arith.remui %kept, %c3 : i32
    %e = arith.remsi %it, %c3 : i32
    %f = arith.remui %it, %n : i32
    %g = arith.remui %i, %c3 : i32
    "use"(%a, %b, %c, %d, %e, %f, %g) : (i32, i32, i32, i32, i32, i32, i32) -> ()
    %next_four = arith.addi %four, %c4 : i32
    %next_any = arith.addi %any, %n : i32
    %next_down = arith.subi %down, %c1 : i32
    %next = arith.addi %it, %c1 : i32
    scf.yield %next_four, %next_any, %next_down, %kept, %next : i32, i32, i32, i32, i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @wide
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[R:.+]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, i64, i64)
// CHECK-NEXT: "use"(%[[R]]) : (i64)
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
func.func @wide(%n: index, %init: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (i64) {
    %a = arith.remui %it, %c3 : i64
    "use"(%a) : (i64) -> ()
    %next = arith.addi %it, %one : i64
    scf.yield %next : i64
  }
  return
}

// -----

// A value two trips before, in a branch from two trips on: of this round, or of
// the one before.
// CHECK-LABEL: func.func @behind
// CHECK: scf.for %[[I:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[IT:.+]] = %{{.*}}, %[[R:.+]] = %{{.*}}, %[[Q:.+]] = %{{.*}}) -> (i32, i32, i32)
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.divui
// CHECK: scf.if
// CHECK: %[[SAME:.+]] = arith.cmpi uge, %[[R]], %c2_i32{{.*}} : i32
// CHECK: %[[LESS:.+]] = arith.subi %[[R]], %c2_i32
// CHECK: %[[MORE:.+]] = arith.addi %[[R]], %{{.*}}
// CHECK-NEXT: %[[SLOT:.+]] = arith.select %[[SAME]], %[[LESS]], %[[MORE]]
// CHECK: %[[SAMEQ:.+]] = arith.cmpi uge, %[[R]],
// CHECK: %[[BEFORE:.+]] = arith.subi %[[Q]], %{{.*}}
// CHECK-NEXT: %[[ROUND:.+]] = arith.select %[[SAMEQ]], %[[Q]], %[[BEFORE]]
// CHECK: "use"(%[[SLOT]], %[[ROUND]])
// CHECK: "use"(%[[R]])
func.func @behind(%n: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (i32) : i32 {
    %is_loaded = arith.cmpi sge, %i, %c2 : i32
    scf.if %is_loaded {
      %behind = arith.subi %it, %c2 : i32
      %slot = arith.remui %behind, %c3 : i32
      %round = arith.divui %behind, %c3 : i32
      "use"(%slot, %round) : (i32, i32) -> ()
    }
    %other = arith.remui %it, %c3 : i32
    "use"(%other) : (i32) -> ()
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Not in a branch, one trip too early, and further away than the divisor.
// CHECK-LABEL: func.func @not_behind
// CHECK-NOT: iter_args({{.*}},
// CHECK-COUNT-3: arith.divui
func.func @not_behind(%n: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (i32) : i32 {
    %behind = arith.subi %it, %c2 : i32
    %first = arith.divui %behind, %c3 : i32
    "use"(%first) : (i32) -> ()
    %is_early = arith.cmpi sge, %i, %c1 : i32
    scf.if %is_early {
      %second = arith.divui %behind, %c3 : i32
      %far = arith.subi %it, %c3 : i32
      %third = arith.divui %far, %c3 : i32
      "use"(%second, %third) : (i32, i32) -> ()
    }
    %next = arith.addi %it, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// The counter itself, where it begins at 0 or more: here at what the loop around
// carries.
// CHECK-LABEL: func.func @counter
// CHECK: scf.for
// CHECK: %[[R0:.+]] = arith.remui %{{.+}}, %{{.+}} : i32
// CHECK: scf.for {{.*}} iter_args(%[[R:.+]] = %[[R0]], %{{.*}} = %{{.*}})
// CHECK-NOT: arith.remui
// CHECK: "use"(%[[R]])
func.func @counter(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %steps = arith.maxsi %n, %c0 : i32
  %end = scf.for %t = %c0 to %n step %c1 iter_args(%flat = %c0) -> (i32) : i32 {
    %next = arith.addi %flat, %steps : i32
    scf.for %j = %flat to %next step %c1 : i32 {
      %slot = arith.remui %j, %c3 : i32
      "use"(%slot) : (i32) -> ()
    }
    scf.yield %next : i32
  }
  return
}

// -----

// A counter that may begin below 0, whose remainders jump there.
// CHECK-LABEL: func.func @signed_counter
// CHECK: scf.for %[[J:.+]] =
// CHECK-NEXT: arith.remui %[[J]],
func.func @signed_counter(%n: i32) {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  scf.for %j = %n to %c3 step %c1 : i32 {
    %slot = arith.remui %j, %c3 : i32
    "use"(%slot) : (i32) -> ()
  }
  return
}

// -----

// A counter by two: the remainder wraps around to 0 or 1. A value one ahead is
// of this round, or of the next one; one that was the last trip's second value
// is carried.
// CHECK-LABEL: func.func @by_two
// CHECK: scf.for {{.*}} iter_args(%[[IT:.+]] = %{{.*}}, %[[R:.+]] = %{{.*}}, %[[Q:.+]] = %{{.*}}, %[[P:.+]] = %{{.*}}) -> (i32, i32, i32, i32)
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.divui
// CHECK: %[[SAME:.+]] = arith.cmpi ult, %[[R]], %c4_i32{{.*}} : i32
// CHECK: %[[MORE:.+]] = arith.addi %[[R]], %c1_i32
// CHECK: %[[LESS:.+]] = arith.subi %[[R]], %c4_i32
// CHECK-NEXT: %[[SLOT:.+]] = arith.select %[[SAME]], %[[MORE]], %[[LESS]]
// CHECK: %[[NEXTQ:.+]] = arith.addi %[[Q]], %c1_i32
// CHECK-NEXT: %[[ROUND:.+]] = arith.select %{{.*}}, %[[Q]], %[[NEXTQ]]
// CHECK: "use"(%[[R]], %[[SLOT]], %[[ROUND]], %[[P]])
// CHECK: %[[TWO:.+]] = arith.addi %[[R]], %c2_i32
// CHECK-NEXT: %[[WRAPS:.+]] = arith.cmpi uge, %[[TWO]], %[[FIVE:.+]] : i32
// CHECK-NEXT: %[[WRAPPED:.+]] = arith.subi %[[TWO]], %[[FIVE]]
// CHECK: arith.select %[[WRAPS]], %[[WRAPPED]], %[[TWO]]
func.func @by_two(%n: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %end = scf.for %i = %c0 to %n step %c2 iter_args(%it = %init) -> (i32) : i32 {
    %a = arith.remui %it, %c5 : i32
    %second = arith.addi %it, %c1 : i32
    %b = arith.remui %second, %c5 : i32
    %round = arith.divui %second, %c5 : i32
    %before = arith.subi %it, %c1 : i32
    %c = arith.remui %before, %c5 : i32
    "use"(%a, %b, %round, %c) : (i32, i32, i32, i32) -> ()
    %next = arith.addi %it, %c2 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Constants beyond 32 bits, of any width, are left alone.

// CHECK-LABEL: func.func @wide
// CHECK: arith.remui
// CHECK: arith.divui
func.func @wide(%n: i128, %init: i128) {
  %c0 = arith.constant 0 : i128
  %c1 = arith.constant 1 : i128
  %far = arith.constant 1180591620717411303425 : i128
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%it = %init) -> (i128) : i128 {
    %a = arith.remui %it, %far : i128
    %b = arith.divui %it, %far : i128
    "use"(%a, %b) : (i128, i128) -> ()
    %next = arith.addi %it, %far : i128
    scf.yield %next : i128
  }
  return
}
