// RUN: mlir-opt %s --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s
// RUN: bsmm-opt %s --bsmm-carry-remainders --cse -o %t.mlir
// RUN: FileCheck %s --check-prefix=CARRIED --input-file=%t.mlir
// RUN: mlir-opt %t.mlir --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s

// Counters that a trip moves by two, by as much as the divisor, and by four of
// seven, with values ahead of them and the value before: the same as without
// carrying them. The checksum of loops of 0 to 40 trips from 1 to 40 on has been
// computed in Python.

// CARRIED-LABEL: func.func @count
// CARRIED-COUNT-3: scf.for
// CARRIED-NOT: arith.remui
// CARRIED-NOT: arith.divui
// CARRIED: scf.yield %{{.*}}, %{{.*}}, %{{.*}}

// CHECK: {{^}}1148793037{{$}}
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
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %two:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%it = %init, %sum = %sum0) -> (i32, i32) : i32 {
    %r = arith.remui %it, %c5 : i32
    %s0 = func.call @mix(%sum, %r) : (i32, i32) -> i32
    %ahead = arith.addi %it, %c1 : i32
    %ra = arith.remui %ahead, %c5 : i32
    %s1 = func.call @mix(%s0, %ra) : (i32, i32) -> i32
    %qa = arith.divui %ahead, %c5 : i32
    %s2 = func.call @mix(%s1, %qa) : (i32, i32) -> i32
    %before = arith.subi %it, %c1 : i32
    %rb = arith.remui %before, %c5 : i32
    %s3 = func.call @mix(%s2, %rb) : (i32, i32) -> i32
    %next = arith.addi %it, %c2 : i32
    scf.yield %next, %s3 : i32, i32
  }
  %three:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%it = %init, %sum = %two#1) -> (i32, i32) : i32 {
    %r = arith.remui %it, %c3 : i32
    %s0 = func.call @mix(%sum, %r) : (i32, i32) -> i32
    %q = arith.divui %it, %c3 : i32
    %s1 = func.call @mix(%s0, %q) : (i32, i32) -> i32
    %ahead = arith.addi %it, %c2 : i32
    %ra = arith.remui %ahead, %c3 : i32
    %s2 = func.call @mix(%s1, %ra) : (i32, i32) -> i32
    %next = arith.addi %it, %c3 : i32
    scf.yield %next, %s2 : i32, i32
  }
  %four:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%it = %init, %sum = %three#1) -> (i32, i32) : i32 {
    %ahead = arith.addi %it, %c6 : i32
    %ra = arith.remui %ahead, %c7 : i32
    %s0 = func.call @mix(%sum, %ra) : (i32, i32) -> i32
    %qa = arith.divui %ahead, %c7 : i32
    %s1 = func.call @mix(%s0, %qa) : (i32, i32) -> i32
    %q = arith.divui %it, %c7 : i32
    %s2 = func.call @mix(%s1, %q) : (i32, i32) -> i32
    %next = arith.addi %it, %c4 : i32
    scf.yield %next, %s2 : i32, i32
  }
  %last = func.call @mix(%four#1, %four#0) : (i32, i32) -> i32
  return %last : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c41 = arith.constant 41 : i32
  %sum = scf.for %init = %c1 to %c41 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %inner = scf.for %trips = %c0 to %c41 step %c1 iter_args(%b = %a) -> (i32) : i32 {
      %next = func.call @count(%b, %init, %trips) : (i32, i32, i32) -> i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  return %sum : i32
}
