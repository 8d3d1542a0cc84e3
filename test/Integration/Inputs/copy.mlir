// A kernel without matrix operations.
gpu.module @kernels attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  bsmm.kernel @copy() attributes {level = #bsmm.level<pipeline>,
                                  block_size = 32 : i64} {
    bsmm.return
  }
}
