// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics

// Buffers that lie over the slots of a channel, and what their proof rests on:
// that a released slot has been read. Cases without expectations are accepted.

// The form that most cases below break: all consumers meet after their last
// release. Users may stand in loops, branches and leaders behind that.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %d: !bsmm.tensor_map<32x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
      scf.for %i = %c0 to %n step %c1 : i32 {
        bsmm.write_shared %v, %out[%i, %c0] : vector<8xf16>, !rows
      }
      %is_first = arith.cmpi eq, %n, %c1 : i32
      scf.if %is_first {
        bsmm.write_shared %v, %out[%c1, %c0] : vector<8xf16>, !rows
      }
      bsmm.publish
      bsmm.leader {
        bsmm.store_async %out, %d[%c0, %c0] : !rows, !bsmm.tensor_map<32x64xf16>
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// The barrier may stand in a branch that all threads take alike, with the users.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      %is_first = arith.cmpi eq, %n, %c1 : i32
      scf.if %is_first {
        bsmm.synchronize
        bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
      }
    }
    bsmm.return
  }
}

// -----

// What gives a part of a buffer, or one of two, may stand anywhere: it uses no
// memory.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    %out = bsmm.alloc : !rows over %ch : !loads
    %other = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %turn = bsmm.select_buffer %n of %out, %other : !rows
      %part = bsmm.slice_rows %turn[%c0] : !rows to !half
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
      bsmm.write_shared %v, %part[%c0, %c0] : vector<8xf16>, !half
    }
    bsmm.return
  }
}

// -----

// A channel that is not used has nothing to wait for.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    bsmm.return
  }
}

// -----

// Consumers without a role: all threads meet, and a role behind that may have the
// users.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    %out = bsmm.alloc : !rows over %ch : !loads
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
      bsmm.warp_role 0 {
        bsmm.leader {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
        }
      }
      %full = bsmm.wait %ch[%it] : !loads -> !tile
      bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
      bsmm.release %ch[%it] : !loads
      %next = arith.addi %it, %c1 : i32
      scf.yield %next : i32
    }
    bsmm.synchronize
    bsmm.warp_role 0 count 4 {
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// No barrier: the last slot may still be read by the others.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The warpgroups meet on their own.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize each_warpgroup
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The barrier comes before the last release.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      bsmm.synchronize
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The barrier comes in each trip.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        bsmm.synchronize
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// The barrier comes in each trip, the use after the last one: without trips there
// is none.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        bsmm.synchronize
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The barrier is of another role.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.synchronize
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The use is in another role, which does not meet the consumers.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
    }
    bsmm.warp_role 0 count 4 {
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The thread that loads does not know either, even after its last load.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %d: !bsmm.tensor_map<32x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.store_async %out, %d[%c0, %c0] : !rows, !bsmm.tensor_map<32x64xf16>
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
    }
    bsmm.return
  }
}

// -----

// The use comes before the barrier.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
      bsmm.synchronize
    }
    bsmm.return
  }
}

// -----

// One use is right, one comes before the slots are read.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The use comes before all loads.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
    }
    bsmm.return
  }
}

// -----

// The barrier is there in one branch, the use in both.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      %is_first = arith.cmpi eq, %n, %c1 : i32
      scf.if %is_first {
        bsmm.synchronize
      }
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// The use is in the branch without the barrier.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      %is_first = arith.cmpi eq, %n, %c1 : i32
      scf.if %is_first {
        bsmm.synchronize
      } else {
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
      }
    }
    bsmm.return
  }
}

// -----

// A part of the buffer is used too early.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %part = bsmm.slice_rows %out[%c0] : !rows to !half
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %part[%c0, %c0] : vector<8xf16>, !half
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
    }
    bsmm.return
  }
}

// -----

// One of two buffers is used too early.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    %other = bsmm.alloc : !rows
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %turn = bsmm.select_buffer %n of %other, %out : !rows
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %turn[%c0, %c0] : vector<8xf16>, !rows
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
    }
    bsmm.return
  }
}

// -----

// Scale tiles of the buffer are used too early.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !bsmm.buffer<256x4xf8E4M3FN, shared, scale_tiles>
        over %ch : !loads
    %part = bsmm.slice_scales %out[%c0]
        : !bsmm.buffer<256x4xf8E4M3FN, shared, scale_tiles>
        to !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 9 {
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.mask_scales %part from %c0
          : !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
    }
    bsmm.return
  }
}

// -----

// The wait for another channel says nothing of this one, and what that waits for
// neither: its buffer lies elsewhere.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    %more = bsmm.create_channel producer = <threads, count = 32>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      %more_full = bsmm.wait %more[%c0] : !loads -> !tile
      bsmm.release %more[%c0] : !loads
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.warp_role 9 {
      %slot = bsmm.acquire %more[%c0] : !loads -> !tile
      bsmm.commit %more[%c0] : !loads
    }
    bsmm.return
  }
}

// -----

// Two channels: the barrier comes after the last release of the other one.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    %more = bsmm.create_channel producer = <threads, count = 32>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %more_full = bsmm.wait %more[%c0] : !loads -> !tile
      bsmm.release %more[%c0] : !loads
      bsmm.synchronize
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.warp_role 9 {
      %slot = bsmm.acquire %more[%c0] : !loads -> !tile
      bsmm.commit %more[%c0] : !loads
    }
    bsmm.return
  }
}

// -----

// publish is a barrier too, but what it is for comes after the use.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !rows over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.publish
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<8xf16>, !rows
    }
    bsmm.return
  }
}

// -----

// Other CTAs of the cluster do not know when this one has read its slots.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<4, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
!rows = !bsmm.buffer<32x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64,
                  cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 256> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !bsmm.buffer<128x80xf32, shared, row_major> over %ch : !loads
    bsmm.warp_role 8 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !tile
        bsmm.write_shared %v, %full[%i, %c0] : vector<8xf16>, !tile
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.synchronize
      %zero = bsmm.zero_accumulator : !bsmm.accumulator<128x160xf32, warpgroups = 2>
      // expected-error@below {{expected a buffer that lies over no channel: other CTAs write to it, which do not know when the slots of this one have been read}}
      %total = bsmm.reduce_cluster %zero through %out
          : !bsmm.accumulator<128x160xf32, warpgroups = 2>,
            !bsmm.buffer<128x80xf32, shared, row_major>
          -> !bsmm.accumulator<128x80xf32, warpgroups = 2>
    }
    bsmm.return
  }
}

// -----

// Accumulators in registers as the pass makes them: each slot is released one step
// late, then all warpgroups meet.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
!rows = !bsmm.buffer<64x32xf32, shared, swizzle_128B>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
!store = !bsmm.tensor_map<64x32xf32>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %d: !store, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    %out = bsmm.alloc : !out over %loads : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
      bsmm.synchronize
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
        bsmm.write_shared %values, %out[%row, %column] : vector<16xf32>, !out
      } : !acc
      bsmm.publish each_warpgroup
      %group = bsmm.warpgroup_index
      %row = arith.muli %group, %c64 : i32
      bsmm.leader each_warpgroup {
        %rows = bsmm.slice_rows %out[%row] : !out to !rows
        bsmm.store_async %rows, %d[%row, %c0] : !rows, !store
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// Without the barrier a warpgroup writes where the other one may still multiply.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
!rows = !bsmm.buffer<64x32xf32, shared, swizzle_128B>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
!store = !bsmm.tensor_map<64x32xf32>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %d: !store, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.write_shared %values, %out[%row, %column] : vector<16xf32>, !out
      } : !acc
    }
    bsmm.return
  }
}

// -----

// The barrier comes after the last multiplication and before the last release.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
!rows = !bsmm.buffer<64x32xf32, shared, swizzle_128B>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
!store = !bsmm.tensor_map<64x32xf32>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %d: !store, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        bsmm.synchronize
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.write_shared %values, %out[%row, %column] : vector<16xf32>, !out
      } : !acc
    }
    bsmm.return
  }
}

// -----

// The barrier is there only when there are steps.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
!rows = !bsmm.buffer<64x32xf32, shared, swizzle_128B>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
!store = !bsmm.tensor_map<64x32xf32>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %d: !store, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        bsmm.synchronize
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.synchronize of its consumers, all together, that follows their last bsmm.release, outside of loops}}
        bsmm.write_shared %values, %out[%row, %column] : vector<16xf32>, !out
      } : !acc
    }
    bsmm.return
  }
}

// -----

// Where nothing is loaded there is nothing to wait for.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
!rows = !bsmm.buffer<64x32xf32, shared, swizzle_128B>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
!store = !bsmm.tensor_map<64x32xf32>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %d: !store, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    %out = bsmm.alloc : !out over %loads : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        bsmm.synchronize
        bsmm.drain %zero columns 32 extent 32 {
        ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
          bsmm.write_shared %values, %out[%row, %column] : vector<16xf32>, !out
        } : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// Two consumers that take turns: neither knows when the other one has read its
// last slot.
!operand = !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<64x64xf32>
!map = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %first: i32, %tiles: i32, %ctas: i32, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    // expected-note@below {{the channel is here}}
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 4> : !loads
    %turns = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4> : !bsmm.channel<1>
    // expected-error@below {{expected to lie over a channel with one consumer, got 2}}
    %out = bsmm.alloc : !operand over %loads : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (i32) : i32 {
          %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
            %slot = bsmm.acquire %loads[%it] : !loads -> !operand
            bsmm.load_async %map[%tile, %step] to %slot signals %loads[%it] : !map, !operand, !loads
            bsmm.commit %loads[%it] : !loads
            %next = arith.addi %it, %c1 : i32
            scf.yield %next : i32
          }
          %made = arith.maxsi %steps, %c0 : i32
          %next_base = arith.addi %base, %made : i32
          scf.yield %next_base : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %first to %tiles step %two iter_args(%base = %c0, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.acquire %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.commit %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
    }
    bsmm.warp_role 4 count 4 {
      %skipped = arith.maxsi %steps, %c0 : i32
      %second = arith.addi %first, %ctas : i32
      %two = arith.muli %ctas, %c2 : i32
      %end:2 = scf.for %tile = %second to %tiles step %two iter_args(%base = %skipped, %turn = %c0) -> (i32, i32) : i32 {
        bsmm.wait %turns[%turn] : !bsmm.channel<1>
        %inner = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %base) -> (i32) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          bsmm.release %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.release %turns[%turn] : !bsmm.channel<1>
        %made = arith.maxsi %steps, %c0 : i32
        %both = arith.muli %made, %c2 : i32
        %next_base = arith.addi %base, %both : i32
        %next_turn = arith.addi %turn, %c1 : i32
        scf.yield %next_base, %next_turn : i32, i32
      }
      bsmm.synchronize
      bsmm.leader {
        bsmm.store_async %out, %map[%c0, %c0] : !operand, !map
      }
    }
    bsmm.return
  }
}

// -----

// Accumulators in tensor memory: the tensor core is done with all slots when the
// result is there.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
      bsmm.publish
      bsmm.leader {
        bsmm.store_async %out, %d[%c0, %c0] : !out, !bsmm.tensor_map<128x32xf32>
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// A use before the result is there.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %v = arith.constant dense<0.0> : vector<4xf32>
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<4xf32>, !out
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// The role that multiplies does not wait for the result.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
      bsmm.leader {
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
        bsmm.store_async %out, %d[%c0, %c0] : !out, !bsmm.tensor_map<128x32xf32>
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// A barrier of those who drain says nothing of the tensor core.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      bsmm.synchronize
      %v = arith.constant dense<0.0> : vector<4xf32>
      // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
      bsmm.write_shared %v, %out[%c0, %c0] : vector<4xf32>, !out
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// The result is committed before the last slot is released.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    %acc = bsmm.alloc : !acc
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %first = bsmm.acquire %results[%c0] : !results -> !acc
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// The result is committed by another role, whose thread has not issued what reads
// the slots.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    %acc = bsmm.alloc : !acc
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 5 {
      %first = bsmm.acquire %results[%c0] : !results -> !acc
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// Threads commit the result: the tensor core may still read.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <threads, count = 1>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    %acc = bsmm.alloc : !acc
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %first = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
        bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// A result for each trip of a loop: others follow.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %tiles: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !out over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %tile = %c0 to %tiles step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %tile] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %tile, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %end = scf.for %tile = %c0 to %tiles step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %acc = bsmm.acquire %results[%it] : !results -> !acc
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.constant false
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
          bsmm.commit %results[%it] : !results
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.warp_role 0 count 4 {
      %end = scf.for %tile = %c0 to %tiles step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %sum = bsmm.wait %results[%it] : !results -> !acc
        bsmm.drain %sum columns 32 extent 32 {
        ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
          // expected-error@below {{expected a buffer over the slots of a channel after a bsmm.wait for results that were committed after the last bsmm.release of the slots, outside of loops}}
          bsmm.write_shared %values, %out[%row, %column] : vector<32xf32>, !out
        } : !acc
        bsmm.release %results[%it] : !results
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// What this CTA knows of its slots it does not know of another one's.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!exchange = !bsmm.buffer<128x64xf32, shared, row_major>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64,
                  cluster_size = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    // expected-note@below {{the buffer is here}}
    %out = bsmm.alloc : !exchange over %loads : !loads
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.drain %sum columns 32 extent 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        // expected-error@below {{expected a buffer that lies over no channel: other CTAs write to it, which do not know when the slots of this one have been read}}
        bsmm.send_partial %values, %out[%row, %column] to %c1
            : vector<32xf32>, !exchange
      } : !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// What the tensor core reads is released when it is done.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 1> : !loads
    %results = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128> : !results
    %sfa = bsmm.alloc : !sf_tm
    %other = bsmm.alloc : !a
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          // expected-error@below {{expected a slot that is given away by mma_commit, got threads: the tensor core reads and writes it later}}
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          bsmm.scaled_mma %other scales %sfa, %other scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          // expected-note@below {{given away here}}
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// What it writes is committed when it is done.
!a = !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
!sf = !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
!sf_tm = !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
!acc = !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
!loads = !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>>
!results = !bsmm.channel<1, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
gpu.module @m {
  bsmm.kernel @k(%map: !bsmm.tensor_map<1x128x256xf4E2M1FN>,
                 %scales: !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>,
                 %d: !bsmm.tensor_map<128x32xf32>, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <mma_commit> : !loads
    %results = bsmm.create_channel producer = <threads, count = 1>, consumer = <threads, count = 128> : !results
    %sfa = bsmm.alloc : !sf_tm
    bsmm.warp_role 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %loads[%it] : !loads -> !a, !sf
          bsmm.load_async %map[%c0, %c0, %step] to %slot#0 signals %loads[%it] : !bsmm.tensor_map<1x128x256xf4E2M1FN>, !a, !loads
          bsmm.load_async %scales[%c0, %c0, %step, %c0, %c0] to %slot#1 signals %loads[%it] : !bsmm.tensor_map<1x1x4x2x256xf8E4M3FN>, !sf, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 5 {
      %acc = bsmm.acquire %results[%c0] : !results -> !acc
      %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %slot:2 = bsmm.wait %loads[%it] : !loads -> !a, !sf
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : !sf to !sf_tm
          %more = arith.cmpi ne, %step, %c0 : i32
          // expected-error@below {{expected a slot that is given away by mma_commit, got threads: the tensor core reads and writes it later}}
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#0 scales %sfa, %acc accumulate %more
              : !a, !sf_tm, !a, !sf_tm, !acc
          bsmm.release %loads[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
      bsmm.leader {
        // expected-note@below {{given away here}}
        bsmm.commit %results[%c0] : !results
      }
    }
    bsmm.warp_role 0 count 4 {
      %sum = bsmm.wait %results[%c0] : !results -> !acc
      bsmm.release %results[%c0] : !results
    }
    bsmm.return
  }
}

// -----

// A store has read its slot when it has been waited for, here the first of two by
// the wait that leaves one.
!tile = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %d: !bsmm.tensor_map<8x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          %top = bsmm.slice_rows %full[%c0] : !tile to !half
          bsmm.store_async %top, %d[%i, %c0] : !half, !bsmm.tensor_map<8x64xf16>
          %bottom = bsmm.slice_rows %full[%c8] : !tile to !half
          bsmm.store_async %bottom, %d[%i, %c8] : !half, !bsmm.tensor_map<8x64xf16>
          bsmm.wait_stores read pending 1
          bsmm.wait_stores read
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// Nobody waits before the release.
!tile = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %d: !bsmm.tensor_map<8x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          %top = bsmm.slice_rows %full[%c0] : !tile to !half
          // expected-error@below {{expected a bsmm.wait_stores behind it in the same block, before the slot that it reads is given away}}
          bsmm.store_async %top, %d[%i, %c0] : !half, !bsmm.tensor_map<8x64xf16>
          // expected-note@below {{given away here}}
          bsmm.release %ch[%it] : !loads
          bsmm.wait_stores read
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// The second store may still read.
!tile = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %d: !bsmm.tensor_map<8x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          %top = bsmm.slice_rows %full[%c0] : !tile to !half
          bsmm.store_async %top, %d[%i, %c0] : !half, !bsmm.tensor_map<8x64xf16>
          %bottom = bsmm.slice_rows %full[%c8] : !tile to !half
          // expected-error@below {{expected a bsmm.wait_stores behind it in the same block, before the slot that it reads is given away}}
          bsmm.store_async %bottom, %d[%i, %c8] : !half, !bsmm.tensor_map<8x64xf16>
          bsmm.wait_stores read pending 1
          // expected-note@below {{given away here}}
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// A part of a slot is used after the slot has been given away.
!tile = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %d: !bsmm.tensor_map<8x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          %top = bsmm.slice_rows %full[%c0] : !tile to !half
          // expected-note@below {{given away here}}
          bsmm.release %ch[%it] : !loads
          // expected-error@below {{uses a buffer of a slot that has been given away}}
          bsmm.store_async %top, %d[%i, %c0] : !half, !bsmm.tensor_map<8x64xf16>
          bsmm.wait_stores read
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}

// -----

// A part of a slot is multiplied after the next one has been waited for.
!operand = !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
!loads = !bsmm.channel<3, !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>>
!acc = !bsmm.accumulator<128x128xf32, warpgroups = 2>
!out = !bsmm.buffer<128x32xf32, shared, swizzle_128B>
!rows = !bsmm.buffer<64x32xf32, shared, swizzle_128B>
!map = !bsmm.tensor_map<128x128xf8E4M3FN>
!store = !bsmm.tensor_map<64x128xf8E4M3FN>
gpu.module @m {
  bsmm.kernel @k(%map: !map, %d: !store, %steps: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 384 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %loads = bsmm.create_channel producer = <transaction>, consumer = <warps, count = 8> : !loads
    bsmm.warp_role 8 count 4 {
      bsmm.leader {
        %end = scf.for %step = %c0 to %steps step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %loads[%it] : !loads -> !operand
          bsmm.load_async %map[%c0, %step] to %slot signals %loads[%it] : !map, !operand, !loads
          bsmm.commit %loads[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 8 {
      %has_steps = arith.cmpi slt, %c0, %steps : i32
      %sum = scf.if %has_steps -> (!acc) {
        %first = bsmm.wait %loads[%c0] : !loads -> !operand
        %part = bsmm.slice_rows %first[%c0] : !operand to !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>
        %start = bsmm.mma %first, %first : !operand, !operand -> !acc
        %end:2 = scf.for %step = %c1 to %steps step %c1 iter_args(%it = %c1, %s = %start) -> (i32, !acc) : i32 {
          %slot = bsmm.wait %loads[%it] : !loads -> !operand
          %t = bsmm.mma %slot, %slot add %s : !operand, !operand -> !acc
          %u = bsmm.wait_mma %t pending 1 : !acc
          %previous = arith.subi %it, %c1 : i32
          // expected-note@below {{given away here}}
          bsmm.release %loads[%previous] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next, %u : i32, !acc
        }
        %done = bsmm.wait_mma %end#1 pending 0 : !acc
        bsmm.leader {
          // expected-error@below {{uses a buffer of a slot that has been given away}}
          bsmm.store_async %part, %d[%c0, %c0] : !bsmm.buffer<64x128xf8E4M3FN, shared, swizzle_128B>, !store
          bsmm.wait_stores read
        }
        %last = arith.subi %end#0, %c1 : i32
        bsmm.release %loads[%last] : !loads
        scf.yield %done : !acc
      } else {
        %zero = bsmm.zero_accumulator : !acc
        scf.yield %zero : !acc
      }
    }
    bsmm.return
  }
}

// -----

// A loop carries a slot's buffer on to where it is not the role's any more.
!tile = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!half = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<16x64xf16>, %d: !bsmm.tensor_map<8x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%i, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          // expected-error@below {{expected the buffers of a slot to be used where they are acquired or waited for, not carried by loops and branches}}
          %carried = scf.for %j = %c0 to %n step %c1 iter_args(%b = %full) -> (!tile) : i32 {
            bsmm.wait_stores
            scf.yield %b : !tile
          }
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
        bsmm.wait_stores
      }
    }
    bsmm.return
  }
}
