// RUN: mlir-opt %s --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s
// RUN: bsmm-opt %s --bsmm-carry-remainders --cse -o %t.mlir
// RUN: FileCheck %s --check-prefix=CARRIED --input-file=%t.mlir
// RUN: mlir-opt %t.mlir --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s

// The same values with and without counters, in loops of 0 to 40 trips from 0 to
// 40 on: a checksum of all remainders and quotients, with those of the value
// before, in the order of the program. It has been computed in Python.

// CARRIED-LABEL: func.func @count
// CARRIED: scf.for
// CARRIED-NOT: arith.remui
// CARRIED-NOT: arith.divui
// CARRIED: scf.yield

// CHECK: {{^}}1295118930{{$}}
func.func @mix(%sum: i32, %value: i32) -> i32 {
  %factor = arith.constant 1000003 : i32
  %product = arith.muli %sum, %factor : i32
  %mixed = arith.xori %product, %value : i32
  return %mixed : i32
}

func.func @count(%sum0: i32, %init: i32, %trips: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %end:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%it = %init, %sum = %sum0) -> (i32, i32) : i32 {
    %r3 = arith.remui %it, %c3 : i32
    %q3 = arith.divui %it, %c3 : i32
    %r7 = arith.remui %it, %c7 : i32
    %q7 = arith.divui %it, %c7 : i32
    %before = arith.subi %it, %c1 : i32
    %p3 = arith.remui %before, %c3 : i32
    %p7 = arith.remui %before, %c7 : i32
    %s0 = func.call @mix(%sum, %r3) : (i32, i32) -> i32
    %s1 = func.call @mix(%s0, %q3) : (i32, i32) -> i32
    %s2 = func.call @mix(%s1, %r7) : (i32, i32) -> i32
    %s3 = func.call @mix(%s2, %q7) : (i32, i32) -> i32
    %s4 = func.call @mix(%s3, %p3) : (i32, i32) -> i32
    %s5 = func.call @mix(%s4, %p7) : (i32, i32) -> i32
    %next = arith.addi %it, %c1 : i32
    scf.yield %next, %s5 : i32, i32
  }
  %last = func.call @mix(%end#1, %end#0) : (i32, i32) -> i32
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
