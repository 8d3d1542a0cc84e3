// RUN: mlir-opt %s --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s
// RUN: bsmm-opt %s --bsmm-carry-remainders --cse -o %t.mlir
// RUN: FileCheck %s --check-prefix=CARRIED --input-file=%t.mlir
// RUN: mlir-opt %t.mlir --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s

// Remainders and quotients of values some trips before, in branches from as many
// trips on, and of the counter itself: the same as without carrying them. The
// checksum of loops of 0 to 40 trips from 0 to 40 on has been computed in Python.

// CARRIED-LABEL: func.func @count
// CARRIED: scf.for
// CARRIED-NOT: arith.remui
// CARRIED-NOT: arith.divui
// CARRIED: scf.yield %{{.*}}, %{{.*}}, %{{.*}}

// CHECK: {{^}}-1660853604{{$}}
func.func @mix(%sum: i32, %value: i32) -> i32 {
  %factor = arith.constant 1000003 : i32
  %product = arith.muli %sum, %factor : i32
  %mixed = arith.xori %product, %value : i32
  return %mixed : i32
}

func.func @count(%sum0: i32, %init: i32, %trips: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %end:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%it = %init, %sum = %sum0) -> (i32, i32) : i32 {
    %is2 = arith.cmpi sge, %i, %c2 : i32
    %s0 = scf.if %is2 -> (i32) {
      %behind = arith.subi %it, %c2 : i32
      %r = arith.remui %behind, %c3 : i32
      %q = arith.divui %behind, %c3 : i32
      %a = func.call @mix(%sum, %r) : (i32, i32) -> i32
      %b = func.call @mix(%a, %q) : (i32, i32) -> i32
      scf.yield %b : i32
    } else {
      scf.yield %sum : i32
    }
    %is4 = arith.cmpi sge, %i, %c4 : i32
    %s1 = scf.if %is4 -> (i32) {
      %behind = arith.subi %it, %c4 : i32
      %r = arith.remui %behind, %c5 : i32
      %q = arith.divui %behind, %c5 : i32
      %a = func.call @mix(%s0, %r) : (i32, i32) -> i32
      %b = func.call @mix(%a, %q) : (i32, i32) -> i32
      scf.yield %b : i32
    } else {
      scf.yield %s0 : i32
    }
    %is1 = arith.cmpi sge, %i, %c1 : i32
    %s2 = scf.if %is1 -> (i32) {
      %behind = arith.subi %it, %c1 : i32
      %r = arith.remui %behind, %c7 : i32
      %q = arith.divui %behind, %c7 : i32
      %a = func.call @mix(%s1, %r) : (i32, i32) -> i32
      %b = func.call @mix(%a, %q) : (i32, i32) -> i32
      scf.yield %b : i32
    } else {
      scf.yield %s1 : i32
    }
    %next = arith.addi %it, %c1 : i32
    scf.yield %next, %s2 : i32, i32
  }
  %lower = arith.maxsi %init, %c0 : i32
  %upper = arith.addi %lower, %trips : i32
  %other = scf.for %j = %lower to %upper step %c1 iter_args(%sum = %end#1) -> (i32) : i32 {
    %r5 = arith.remui %j, %c5 : i32
    %t0 = func.call @mix(%sum, %r5) : (i32, i32) -> i32
    %is3 = arith.cmpi sgt, %j, %c2 : i32
    %t1 = scf.if %is3 -> (i32) {
      %behind = arith.subi %j, %c3 : i32
      %r = arith.remui %behind, %c5 : i32
      %q = arith.divui %behind, %c5 : i32
      %a = func.call @mix(%t0, %r) : (i32, i32) -> i32
      %b = func.call @mix(%a, %q) : (i32, i32) -> i32
      scf.yield %b : i32
    } else {
      scf.yield %t0 : i32
    }
    scf.yield %t1 : i32
  }
  %last = func.call @mix(%other, %end#0) : (i32, i32) -> i32
  return %last : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c41 = arith.constant 41 : i32
  %sum = scf.for %init = %c0 to %c41 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %inner = scf.for %trips = %c0 to %c41 step %c1 iter_args(%b = %a) -> (i32) : i32 {
      %next = func.call @count(%b, %init, %trips) : (i32, i32, i32) -> i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  return %sum : i32
}
