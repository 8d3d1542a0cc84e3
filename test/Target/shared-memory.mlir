// RUN: bsmm-opt %s --split-input-file --verify-diagnostics

// One barrier word more than each target has.

gpu.module @m {
  // expected-error@below {{expected at most 232448 bytes of shared memory on sm_90a, got 232456}}
  bsmm.kernel @k() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_90a">,
      dynamic_shared_memory = 232456 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected at most 232448 bytes of shared memory on sm_103a, got 232456}}
  bsmm.kernel @k() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_103a">,
      dynamic_shared_memory = 232456 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected at most 232448 bytes of shared memory on sm_110a, got 232456}}
  bsmm.kernel @k() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_110a">,
      dynamic_shared_memory = 232456 : i64} {
    bsmm.return
  }
}

// -----

gpu.module @m {
  // expected-error@below {{expected at most 101376 bytes of shared memory on sm_121a, got 101384}}
  bsmm.kernel @k() attributes {
      level = #bsmm.level<tile>, target = #bsmm.target<"sm_121a">,
      dynamic_shared_memory = 101384 : i64} {
    bsmm.return
  }
}
