// RUN: bsmm-opt %s --bsmm-verify-channels --split-input-file --verify-diagnostics

// The protocol that the cases below break.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    // expected-error@below {{expected a bsmm.acquire of the channel}}
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    // expected-error@below {{expected a bsmm.wait of the channel}}
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-error@below {{expected a bsmm.commit after the acquire}}
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A slot that is never given back is never filled again.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        // expected-error@below {{expected a bsmm.release after the wait}}
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        // expected-error@below {{expected a bsmm.wait before the release}}
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        // expected-error@below {{expected after its wait, in the same block or in a bsmm.leader there}}
        bsmm.release %ch[%it] : !loads
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Not every trip gives the slot back.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        %p = arith.cmpi eq, %i, %n : i32
        scf.if %p {
          // expected-error@below {{expected after its wait, in the same block or in a bsmm.leader there}}
          bsmm.release %ch[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 64> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        // expected-error@below {{expected 64 threads to arrive, got 128}}
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// One arrival is counted, 128 threads arrive.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 1> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        // expected-error@below {{expected 1 threads to arrive, got 128}}
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.leader {
          // expected-error@below {{expected 128 threads to arrive, got 1}}
          bsmm.release %ch[%it] : !loads
        }
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        // expected-note@below {{given away here}}
        bsmm.release %ch[%it] : !loads
        // expected-error@below {{uses a buffer of a slot that has been given away}}
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// Bytes that are announced and never delivered: the consumer waits for ever.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-error@below {{expected a bsmm.load_async for buffer #1 of the slot, whose bytes are announced}}
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          // expected-error@below {{fills a buffer for the second time: its bytes were announced once}}
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          // expected-note@below {{filled here}}
          bsmm.load_async %b[%c0, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          // expected-error@below {{expected only bsmm.load_async to fill a slot by transactions}}
          bsmm.write_shared %v, %slot#0[%i, %c0] : vector<8xf16>, !first
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          // expected-error@below {{expected to signal the slot that it fills, in the block of its acquire}}
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%i]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          // expected-error@below {{expected the iteration of its acquire}}
          bsmm.commit %ch[%i] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        // expected-error@below {{expected the iteration of its wait}}
        bsmm.release %ch[%c0] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c1 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other bounds}}
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c1) -> (i32) : i32 {
        // expected-error@below {{expected the iterations of the producer, got other starts}}
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %i = arith.constant 0 : i32
      %it = arith.constant 0 : i32
        // expected-error@below {{expected the iterations of the producer, got other loops}}
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        // expected-error@below {{expected its iteration to be counted up by one in each trip of the loop around it}}
        %full:2 = bsmm.wait %ch[%it] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %n : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!second = !bsmm.buffer<16x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>, !bsmm.buffer<16x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %b: !bsmm.tensor_map<16x64xf16>,
                 %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<0.0> : vector<8xf16>
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot:2 = bsmm.acquire %ch[%it] : !loads -> !first, !second
          bsmm.load_async %a[%i, %i] to %slot#0 signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.load_async %b[%i, %i] to %slot#1 signals %ch[%it]
              : !bsmm.tensor_map<16x64xf16>, !second, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        // expected-error@below {{expected an iteration that the loop around it carries and counts}}
        %full:2 = bsmm.wait %ch[%c0] : !loads -> !first, !second
        bsmm.write_shared %v, %full#0[%i, %c0] : vector<8xf16>, !first
        bsmm.release %ch[%c0] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A fresh barrier lets iteration 0 through: from 1 on, both sides would wait for
// ever, or look at the wrong slot.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c1) -> (i32) : i32 {
          // expected-error@below {{expected its iterations to be counted from 0}}
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c1) -> (i32) : i32 {
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.return
  }
}

// -----

// Trips of an unsigned loop are others when a bound is negative.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 1 {
      bsmm.leader {
        %r = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-error@below {{expected only signed loops around it}}
          %full = bsmm.wait %ch[%it] : !loads -> !tile
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.return
  }
}

// -----

!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-error@below {{expected only signed loops around it}}
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
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
          bsmm.release %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.return
  }
}

// -----

// All warps wait, the loading one after all its loads: the third one waits for
// the release of the first.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 64> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          // expected-note@below {{the producer acquires here}}
          %slot = bsmm.acquire %ch[%it] : !loads -> !tile
          bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !tile, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
      // expected-error@below {{expected other warps than the producer's, got all warps for one of them; a warp that has both sides needs both sides in the same loops}}
      %full = bsmm.wait %ch[%it] : !loads -> !tile
      bsmm.release %ch[%it] : !loads
      %next = arith.addi %it, %c1 : i32
      scf.yield %next : i32
    }
    bsmm.return
  }
}

// -----

// One slot that a warp has filled before all warps wait for it.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 64> : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        %slot = bsmm.acquire %ch[%c0] : !loads -> !tile
        bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%c0]
            : !bsmm.tensor_map<8x64xf16>, !tile, !loads
        bsmm.commit %ch[%c0] : !loads
      }
    }
    %full = bsmm.wait %ch[%c0] : !loads -> !tile
    bsmm.release %ch[%c0] : !loads
    bsmm.return
  }
}

// -----

// All warps wait for what one of them has not issued yet.
!tile = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>)
      attributes {level = #bsmm.level<pipeline>, block_size = 64 : i64} {
    %c0 = arith.constant 0 : i32
    %ch = bsmm.create_channel producer = <transaction>, consumer = <threads, count = 64> : !loads
    // expected-error@below {{expected other warps than the producer's, got all warps for one of them; a warp that has both sides needs the slot that it fills after it has released one to be 1 to 2 iterations ahead of the one that it waits for, with 2 slots, got 0}}
    %full = bsmm.wait %ch[%c0] : !loads -> !tile
    bsmm.release %ch[%c0] : !loads
    bsmm.warp_role 0 {
      bsmm.leader {
        // expected-note@below {{the producer acquires here}}
        %slot = bsmm.acquire %ch[%c0] : !loads -> !tile
        bsmm.load_async %a[%c0, %c0] to %slot signals %ch[%c0]
            : !bsmm.tensor_map<8x64xf16>, !tile, !loads
        bsmm.commit %ch[%c0] : !loads
      }
    }
    bsmm.return
  }
}

// -----

// A copy to a buffer that no slot has: bytes that are announced nowhere.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %other = bsmm.alloc : !first
    %ch = bsmm.create_channel producer = <transaction>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !first
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          // expected-error@below {{expected to signal a channel whose slots it fills by transactions: other bytes are not announced}}
          bsmm.load_async %a[%i, %i] to %other signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}

// -----

// A copy to a slot whose producer arrives by threads, which announce nothing.
!first = !bsmm.buffer<8x64xf16, shared, swizzle_128B>
!loads = !bsmm.channel<2, !bsmm.buffer<8x64xf16, shared, swizzle_128B>>
gpu.module @m {
  bsmm.kernel @k(%a: !bsmm.tensor_map<8x64xf16>, %n: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 192 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ch = bsmm.create_channel producer = <threads>,
        consumer = <threads, count = 128> : !loads
    bsmm.warp_role 4 {
      bsmm.leader {
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
          %slot = bsmm.acquire %ch[%it] : !loads -> !first
          // expected-error@below {{expected to signal a channel whose slots it fills by transactions: other bytes are not announced}}
          bsmm.load_async %a[%i, %i] to %slot signals %ch[%it]
              : !bsmm.tensor_map<8x64xf16>, !first, !loads
          bsmm.commit %ch[%it] : !loads
          %next = arith.addi %it, %c1 : i32
          scf.yield %next : i32
        }
      }
    }
    bsmm.warp_role 0 count 4 {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %c0) -> (i32) : i32 {
        %full = bsmm.wait %ch[%it] : !loads -> !first
        bsmm.release %ch[%it] : !loads
        %next = arith.addi %it, %c1 : i32
        scf.yield %next : i32
      }
    }
    bsmm.return
  }
}
