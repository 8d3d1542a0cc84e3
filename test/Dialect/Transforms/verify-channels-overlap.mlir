// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics

// Slots that share 64 columns: those are drained before the release, the others
// before the next wait.
!acc = !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
!results = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k(%n: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !results
    bsmm.warp_role 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %ch[%it] : !results -> !acc
        bsmm.leader {
          bsmm.commit %ch[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.wait %ch[%it] : !results -> !acc
        %a = bsmm.slot_column %ch[%it] first 0 columns 64 : !results
        bsmm.drain %acc at %a columns 32 extent 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        bsmm.release %ch[%it] : !results
        %b = bsmm.slot_column %ch[%it] first 64 columns 192 : !results
        bsmm.drain %acc at %b columns 32 extent 192 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!acc = !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
!results = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k(%n: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !results
    bsmm.warp_role 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %ch[%it] : !results -> !acc
        bsmm.leader {
          bsmm.commit %ch[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.wait %ch[%it] : !results -> !acc
        %a = bsmm.slot_column %ch[%it] first 0 columns 64 : !results
        bsmm.drain %acc at %a columns 32 extent 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        // expected-note@below {{given away here}}
        bsmm.release %ch[%it] : !results
        %b = bsmm.slot_column %ch[%it] first 32 columns 192 : !results
        // expected-error@below {{uses a buffer of a slot that has been given away}}
        bsmm.drain %acc at %b columns 32 extent 192 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!acc = !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
!results = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k(%n: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !results
    bsmm.warp_role 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %ch[%it] : !results -> !acc
        bsmm.leader {
          bsmm.commit %ch[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.wait %ch[%it] : !results -> !acc
        %a = bsmm.slot_column %ch[%it] first 0 columns 64 : !results
        bsmm.drain %acc at %a columns 32 extent 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        // expected-note@below {{given away here}}
        bsmm.release %ch[%it] : !results
        %b = bsmm.slot_column %ch[%it] first 64 columns 160 : !results
        // expected-error@below {{uses a buffer of a slot that has been given away}}
        bsmm.drain %acc at %b columns 32 extent 192 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!acc = !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
!results = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k(%n: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !results
    bsmm.warp_role 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %ch[%it] : !results -> !acc
        bsmm.leader {
          bsmm.commit %ch[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.wait %ch[%it] : !results -> !acc
        %a = bsmm.slot_column %ch[%it] first 0 columns 64 : !results
        bsmm.drain %acc at %a columns 32 extent 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        // expected-note@below {{given away here}}
        bsmm.release %ch[%it] : !results
        %b = bsmm.slot_column %ch[%other] first 64 columns 192 : !results
        // expected-error@below {{uses a buffer of a slot that has been given away}}
        bsmm.drain %acc at %b columns 32 extent 192 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!acc = !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
!results = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k(%n: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !results
    bsmm.warp_role 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %ch[%it] : !results -> !acc
        bsmm.leader {
          bsmm.commit %ch[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.wait %ch[%it] : !results -> !acc
        %a = bsmm.slot_column %ch[%it] first 0 columns 64 : !results
        bsmm.drain %acc at %a columns 32 extent 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        // expected-note@below {{given away here}}
        bsmm.release %ch[%it] : !results
        // expected-error@below {{uses a buffer of a slot that has been given away}}
        bsmm.drain %acc at %other columns 32 extent 192 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!acc = !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
!results = !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
gpu.module @m {
  bsmm.kernel @k(%n: i32, %other: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 160 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> overlap 64 : !results
    bsmm.warp_role 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %ch[%it] : !results -> !acc
        bsmm.leader {
          bsmm.commit %ch[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.wait %ch[%it] : !results -> !acc
        %a = bsmm.slot_column %ch[%it] first 0 columns 64 : !results
        bsmm.drain %acc at %a columns 32 extent 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        // expected-note@below {{given away here}}
        bsmm.release %ch[%it] : !results
        // expected-error@below {{uses a buffer of a slot that has been given away}}
        bsmm.drain %acc columns 32 first 64 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        } : !acc
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}
