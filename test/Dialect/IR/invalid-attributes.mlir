// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{unknown target 'sm_75': expected one of sm_90a, sm_100a, sm_103a, sm_110a, sm_120a, sm_121a}}
module attributes {x = #bsmm.target<"sm_75">} {}

// -----

// expected-error@below {{use sm_100a, matrix instructions need the architecture-specific target}}
module attributes {x = #bsmm.target<"sm_100">} {}

// -----

// expected-error@below {{use sm_100a, matrix instructions need the architecture-specific target}}
module attributes {x = #bsmm.target<"sm_100f">} {}

// -----

// expected-error@below {{sm_101a was renamed to sm_110a}}
module attributes {x = #bsmm.target<"sm_101a">} {}

// -----

// expected-error@below {{unknown target ''}}
module attributes {x = #bsmm.target<"">} {}

// -----

// expected-error@below {{expected string}}
// expected-error@below {{failed to parse Bsmm_TargetAttr parameter 'chip'}}
module attributes {x = #bsmm.target<sm_100a>} {}

// -----

// expected-error@below {{expected a scale vector of 16, 32 or 128 elements, got 17}}
module attributes {x = #bsmm.scales<linear, vec = 17>} {}

// -----

// expected-error@below {{expected a scale vector of 16, 32 or 128 elements, got -16}}
module attributes {x = #bsmm.scales<linear, vec = -16>} {}

// -----

// expected-error@below {{expected ::bsmm::ScaleOrder to be one of: linear, blocked_128x4}}
// expected-error@below {{failed to parse Bsmm_ScalesAttr parameter 'order'}}
module attributes {x = #bsmm.scales<blocked, vec = 16>} {}

// -----

// expected-error@below {{expected a scale tensor [rows, groups] or [batch, rows, groups], got rank 1}}
func.func private @f(tensor<128xf8E4M3FN, #bsmm.scales<linear, vec = 16>>)

// -----

// expected-error@below {{expected a scale tensor [rows, groups] or [batch, rows, groups], got rank 6}}
func.func private @f(tensor<32x4x1x4x1x1xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>)

// -----

// A scale is a number format that hardware reads: f32 scales are not rounded
// silently.
// expected-error@below {{expected scales of f8E4M3FN or f8E8M0FNU, got 'f32'}}
func.func private @f(tensor<128x4xf32, #bsmm.scales<linear, vec = 16>>)

// -----

// expected-error@below {{expected accumulation in f32, or f64 for the reference, got 'f16'}}
module attributes {x = #bsmm.numerics<accumulate = f16>} {}

// -----

// expected-error@below {{expected 'promote_every' to be 0 or a multiple of 32, got 33}}
module attributes {x = #bsmm.numerics<accumulate = f32, promote_every = 33>} {}

// -----

// expected-error@below {{expected 'promote_every' to be 0 or a multiple of 32, got -32}}
module attributes {x = #bsmm.numerics<accumulate = f32, promote_every = -32>} {}

// -----

// expected-error@below {{expected one of [infinity, saturate]}}
// expected-error@below {{failed to parse Bsmm_NumericsAttr parameter 'overflow'}}
module attributes {x = #bsmm.numerics<accumulate = f32, overflow = wrap>} {}

// -----

// expected-error@below {{expected tile extent m in 1..65536, got 0}}
module attributes {x = #bsmm.tile<m = 0, n = 1, k = 1>} {}

// -----

// expected-error@below {{expected tile extent n in 1..65536, got 2147483648}}
module attributes {x = #bsmm.tile<m = 1, n = 2147483648, k = 1>} {}

// -----

// expected-error@below {{expected tile extent k in 1..65536, got -1}}
module attributes {x = #bsmm.tile<m = 1, n = 1, k = -1>} {}

// -----

// expected-error@below {{integer value too large}}
// expected-error@below {{failed to parse Bsmm_TileAttr parameter 'm'}}
module attributes {x = #bsmm.tile<m = 99999999999999999999, n = 1, k = 1>} {}

// -----

// expected-error@below {{duplicate or unknown struct parameter name: m}}
module attributes {x = #bsmm.tile<m = 1, m = 1, k = 1>} {}

// -----

// expected-error@below {{expected an arrival count in 1..1048575, got 0}}
module attributes {x = #bsmm.arrival<threads, count = 0>} {}

// -----

// expected-error@below {{expected an arrival count in 1..1048575, got 1048576}}
module attributes {x = #bsmm.arrival<threads, count = 1048576>} {}

// -----

// expected-error@below {{expected a count of 1 for 'transaction', where one thread arrives, got 2}}
module attributes {x = #bsmm.arrival<transaction, count = 2>} {}

// -----

// expected-error@below {{expected a count of 1 for 'mma_commit', where one thread arrives, got 128}}
module attributes {x = #bsmm.arrival<mma_commit, count = 128>} {}

// -----

// expected-error@below {{expected 'bsmm.target' on a module or a gpu.module; a bsmm.kernel has its own 'target'}}
func.func private @f() attributes {bsmm.target = #bsmm.target<"sm_100a">}

// -----

// expected-error@below {{expected 'bsmm.target' to be a target such as #bsmm.target<"sm_100a">, got "sm_100a"}}
module attributes {bsmm.target = "sm_100a"} {}

// -----

// expected-error@below {{expected 'bsmm.target' to be a target such as}}
gpu.module @m attributes {bsmm.target = 100 : i32} {}

// -----

// expected-error@below {{unknown bsmm attribute 'bsmm.stage'; known are 'bsmm.target' on modules and 'bsmm.stages', 'bsmm.split', 'bsmm.warp_specialize', 'bsmm.flatten', 'bsmm.ping_pong' and 'bsmm.epilogue_warps' on loops}}
module attributes {bsmm.stage = 4} {}

// -----

// expected-error@below {{unknown attribute `foo` in dialect `bsmm`}}
module attributes {x = #bsmm.foo} {}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 0 : i64}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = 0 : i64}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got -3 : i64}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = -3 : i64}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got "many"}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = "many"}
  return
}

// -----

// expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 4 : i64}}
module attributes {bsmm.stages = 4 : i64} {}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 65 : i64}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = 65 : i64}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 1099511627776 : i64}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = 1099511627776 : i64}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 4 : i32}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = 4 : i32}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 4 : ui8}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = 4 : ui8}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got 18446744073709551617 : i128}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = 18446744073709551617 : i128}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.stages' to be an i64 in 1..64 on an scf.for, got true}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.stages = true}
  return
}

// -----

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // expected-error@below {{target #bsmm.target<"sm_103a"> conflicts with #bsmm.target<"sm_100a"> of the enclosing module; remove one of them}}
  gpu.module @m attributes {bsmm.target = #bsmm.target<"sm_103a">} {
  }
}

// -----

// expected-error@below {{argument #0: expected 'bsmm.role' on arguments of a bsmm.kernel only}}
func.func private @f(i32 {bsmm.role = #bsmm.role<m>})

// -----

gpu.module @m {
  // expected-error@below {{argument #1: unknown bsmm attribute 'bsmm.rule'; known is 'bsmm.role' on arguments of a bsmm.kernel}}
  bsmm.kernel @k(%x: i32, %m: i32 {bsmm.rule = #bsmm.role<m>})
      attributes {level = #bsmm.level<tile>} {
    bsmm.return
  }
}

// -----

// expected-error@below {{expected an arrival count in 1..1048575, got 0}}
module attributes {x = #bsmm.arrival<warps, count = 0>} {}

// -----

// expected-error@below {{expected 'promote_every' to be 0 or a multiple of 32, got 48}}
module attributes {x = #bsmm.numerics<accumulate = f32, promote_every = 48>} {}

// -----

func.func @f(%c0: index, %c1: index) {
  // expected-error@below {{expected 'bsmm.split' to be an i64 in 1..8 on an scf.for, got 9 : i64}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {bsmm.split = 9 : i64}
  return
}

// -----

// expected-error@below {{expected 'bsmm.split' to be an i64 in 1..8 on an scf.for, got 2 : i64}}
func.func private @f() attributes {bsmm.split = 2 : i64}

// -----

// expected-error@below {{expected 'bsmm.ping_pong' to be a unit attribute on an scf.for, got unit}}
module attributes {bsmm.ping_pong} {}

// -----

// expected-error@below {{expected 'bsmm.ping_pong' to be a unit attribute on an scf.for, got unit}}
func.func private @f() attributes {bsmm.ping_pong}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.ping_pong' to be a unit attribute on an scf.for, got true}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.ping_pong = true}
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.ping_pong' to be a unit attribute on an scf.for, got 2 : i64}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.ping_pong = 2 : i64}
  return
}

// -----

func.func @f(%c0: index, %c1: index) {
  // expected-error@below {{expected 'bsmm.epilogue_warps' to be an i64 of 4 or 8 on an scf.for, got 6 : i64}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {bsmm.epilogue_warps = 6 : i64}
  return
}

// -----

// expected-error@below {{expected 'bsmm.epilogue_warps' to be an i64 of 4 or 8 on an scf.for, got 8 : i64}}
func.func private @f() attributes {bsmm.epilogue_warps = 8 : i64}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.warp_specialize' to be a bool on an scf.for, got "none"}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.warp_specialize = "none"}
  return
}

// -----

// expected-error@below {{expected 'bsmm.warp_specialize' to be a bool on an scf.for, got true}}
module attributes {bsmm.warp_specialize = true} {}

// -----

func.func @f(%i: i32) {
  // expected-error@below {{expected 'bsmm.flatten' to be a unit attribute on an scf.for, got true}}
  scf.for %j = %i to %i step %i : i32 {
  } {bsmm.flatten = true}
  return
}
