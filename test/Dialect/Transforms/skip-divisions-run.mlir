// RUN: mlir-opt %s --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s
// RUN: bsmm-opt %s --bsmm-skip-divisions -o %t.mlir
// RUN: mlir-opt %t.mlir --convert-scf-to-cf --convert-to-llvm | mlir-runner -e main --entry-point-result=i32 | FileCheck %s

// Quotients and remainders of small numbers and of numbers above 2^31: the same
// with branches. The checksum has been computed in Python.

// CHECK: {{^}}765540302{{$}}
func.func @mix(%sum: i32, %value: i32) -> i32 {
  %factor = arith.constant 1000003 : i32
  %product = arith.muli %sum, %factor : i32
  %mixed = arith.xori %product, %value : i32
  return %mixed : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c60 = arith.constant 60 : i32
  %large = arith.constant 71582789 : i32
  %sum = scf.for %i = %c0 to %c60 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %inner = scf.for %j = %c1 to %c60 step %c1 iter_args(%b = %a) -> (i32) : i32 {
      %q = arith.divui %i, %j : i32
      %r = arith.remui %i, %j : i32
      %s0 = func.call @mix(%b, %q) : (i32, i32) -> i32
      %s1 = func.call @mix(%s0, %r) : (i32, i32) -> i32
      %x = arith.muli %i, %large : i32
      %y = arith.muli %j, %large : i32
      %qx = arith.divui %x, %y : i32
      %rx = arith.remui %x, %j : i32
      %s2 = func.call @mix(%s1, %qx) : (i32, i32) -> i32
      %s3 = func.call @mix(%s2, %rx) : (i32, i32) -> i32
      scf.yield %s3 : i32
    }
    scf.yield %inner : i32
  }
  return %sum : i32
}
