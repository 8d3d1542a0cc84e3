// RUN: bsmm-opt %s --allow-unregistered-dialect --bsmm-skip-divisions --split-input-file | FileCheck %s

// No division where the dividend is smaller. A quotient and a remainder of the
// same values are one division.
// CHECK-LABEL: func.func @both
// CHECK-SAME: %[[X:.+]]: i32, %[[Y:.+]]: i32
// CHECK-NEXT: %[[IS_LARGE:.+]] = arith.cmpi uge, %[[X]], %[[Y]] : i32
// CHECK-NEXT: %[[Q:.+]] = scf.if %[[IS_LARGE]] -> (i32) {
// CHECK-NEXT: %[[DIVIDED:.+]] = arith.divui %[[X]], %[[Y]] : i32
// CHECK-NEXT: scf.yield %[[DIVIDED]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-NEXT: scf.yield %[[ZERO]]
// CHECK: %[[PRODUCT:.+]] = arith.muli %[[Q]], %[[Y]]
// CHECK-NEXT: %[[R:.+]] = arith.subi %[[X]], %[[PRODUCT]]
// CHECK-NEXT: "use"(%[[Q]], %[[R]])
func.func @both(%x: i32, %y: i32) {
  %q = arith.divui %x, %y : i32
  %r = arith.remui %x, %y : i32
  "use"(%q, %r) : (i32, i32) -> ()
  return
}

// -----

// What one division gives the next one divides; the same in another block is
// divided there.
// CHECK-LABEL: func.func @chain
// CHECK: %[[Q:.+]] = scf.if
// CHECK: %[[R:.+]] = arith.subi
// CHECK: arith.cmpi uge, %[[R]], %{{.*}} : i64
// CHECK: scf.if
// CHECK: arith.divui %[[R]]
// CHECK: scf.if %{{.*}} {
// CHECK: arith.cmpi uge
// CHECK: arith.divui
func.func @chain(%x: i64, %y: i64, %z: i64, %c: i1) {
  %r = arith.remui %x, %y : i64
  %q = arith.divui %r, %z : i64
  scf.if %c {
    %again = arith.divui %x, %y : i64
    "use"(%again) : (i64) -> ()
  }
  "use"(%q) : (i64) -> ()
  return
}

// -----

// Divisions by constants are multiplications; signed ones and vectors stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.if
func.func @others(%x: i32, %y: i32, %v: vector<4xi32>) {
  %c7 = arith.constant 7 : i32
  %a = arith.divui %x, %c7 : i32
  %b = arith.remui %x, %c7 : i32
  %c = arith.divsi %x, %y : i32
  %d = arith.divui %v, %v : vector<4xi32>
  "use"(%a, %b, %c, %d) : (i32, i32, i32, vector<4xi32>) -> ()
  return
}
