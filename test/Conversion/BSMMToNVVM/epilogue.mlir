// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

!acc = !bsmm.buffer<128x64xf32, tensor_memory, accumulator>

gpu.module @epilogue attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // Warp w reads lanes 32w to 32w + 31: the lane lies in bits 16 and up of the
  // address, so w << 21. Both pieces are waited for before their values are used.
  // CHECK-LABEL: llvm.func @drain
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[WARP:.+]] = arith.shrui %[[THREAD]], %c5_i32
  // CHECK: %[[BASE:.+]] = llvm.load
  // CHECK-DAG: %[[QUARTER:.+]] = arith.andi %[[WARP]], %c3_i32
  // CHECK-DAG: %[[ROW:.+]] = arith.andi %[[THREAD]], %c127_i32
  // CHECK-DAG: %[[LANE:.+]] = arith.shli %[[QUARTER]], %c21_i32
  // CHECK: %[[ADDRESS:.+]] = arith.addi %[[BASE]], %[[LANE]]
  // CHECK: %[[P0:.+]] = llvm.inttoptr %[[ADDRESS]]
  // CHECK: %[[V0:.+]] = nvvm.tcgen05.ld %[[P0]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  // CHECK: %[[A1:.+]] = arith.addi %[[ADDRESS]], %c32_i32
  // CHECK: %[[P1:.+]] = llvm.inttoptr %[[A1]]
  // CHECK: %[[V1:.+]] = nvvm.tcgen05.ld %[[P1]]
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK: vector.bitcast %[[V0]] : vector<32xi32> to vector<32xf32>
  // CHECK: vector.bitcast %[[V1]] : vector<32xi32> to vector<32xf32>
  // CHECK-NOT: nvvm.tcgen05.ld
  // CHECK: llvm.return
  bsmm.kernel @drain(%p: !llvm.ptr<1>, %n: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.alloc : !acc
    bsmm.drain %0 columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      bsmm.write_global %values, %p[%row, %column] base %s stride %s
          limits [%n, %n] : vector<32xf32>
    } : !acc
    bsmm.return
  }

  // A sum of no terms has not been written, and is not read.
  // CHECK-LABEL: llvm.func @drain_when
  // CHECK: %[[ANY:.+]] = arith.cmpi slt
  // CHECK: %[[V:.+]]:2 = scf.if %[[ANY]] -> (vector<32xi32>, vector<32xi32>) {
  // CHECK: %[[V0:.+]] = nvvm.tcgen05.ld
  // CHECK: %[[V1:.+]] = nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NEXT: scf.yield %[[V0]], %[[V1]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0" %c0_i32
  // CHECK-NEXT: %[[ZEROS:.+]] = vector.broadcast %[[ZERO]] : i32 to vector<32xi32>
  // CHECK-NEXT: scf.yield %[[ZEROS]], %[[ZEROS]]
  // CHECK: vector.bitcast %[[V]]#0 : vector<32xi32> to vector<32xf32>
  // CHECK: vector.bitcast %[[V]]#1 : vector<32xi32> to vector<32xf32>
  // CHECK-NOT: nvvm.tcgen05.ld
  // CHECK: llvm.return
  bsmm.kernel @drain_when(%steps: i32, %p: !llvm.ptr<1>, %n: i32, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %any = arith.cmpi slt, %n, %steps : i32
    %0 = bsmm.alloc : !acc
    bsmm.drain %0 when %any columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
      bsmm.write_global %values, %p[%row, %column] base %s stride %s
          limits [%n, %n] : vector<32xf32>
    } : !acc
    bsmm.return
  }

  // The slot behind a drain is released when its columns are in registers, not
  // when what is done with them is done: here before they are written.
  // CHECK-LABEL: llvm.func @release_early
  // CHECK-COUNT-2: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NOT: nvvm.mbarrier.arrive
  // CHECK: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NEXT: %[[EMPTY:.+]] = llvm.getelementptr
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]]
  // CHECK: llvm.store
  // CHECK-NOT: nvvm.mbarrier.arrive
  // CHECK: llvm.return
  bsmm.kernel @release_early(%p: !llvm.ptr<1>, %n: i32, %s: i64, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128>
        : !bsmm.channel<1, !bsmm.buffer<128x96xf32, tensor_memory, accumulator>>
    bsmm.warp_role 0 count 4 {
      %1 = bsmm.wait %0[%i]
          : !bsmm.channel<1, !bsmm.buffer<128x96xf32, tensor_memory, accumulator>>
          -> !bsmm.buffer<128x96xf32, tensor_memory, accumulator>
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.write_global %values, %p[%row, %column] base %s stride %s
            limits [%n, %n] : vector<32xf32>
      } : !bsmm.buffer<128x96xf32, tensor_memory, accumulator>
      bsmm.release %0[%i]
          : !bsmm.channel<1, !bsmm.buffer<128x96xf32, tensor_memory, accumulator>>
    }
    bsmm.return
  }

  // Of another channel, or behind something else, a release stays where it is.
  // CHECK-LABEL: llvm.func @release_in_order
  // CHECK-COUNT-2: nvvm.tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NOT: nvvm.mbarrier.arrive
  // CHECK: llvm.store
  // CHECK: nvvm.mbarrier.arrive
  // CHECK: nvvm.mbarrier.arrive
  // CHECK: llvm.return
  bsmm.kernel @release_in_order(%p: !llvm.ptr<1>, %n: i32, %s: i64, %i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.create_channel producer = <mma_commit>,
        consumer = <threads, count = 128> : !bsmm.channel<1, !acc>
    %turn = bsmm.create_channel producer = <warps, count = 4>,
        consumer = <threads, count = 128> : !bsmm.channel<1>
    bsmm.warp_role 0 count 4 {
      %1 = bsmm.wait %0[%i] : !bsmm.channel<1, !acc> -> !acc
      bsmm.drain %1 columns 32 {
      ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
        bsmm.write_global %values, %p[%row, %column] base %s stride %s
            limits [%n, %n] : vector<32xf32>
      } : !acc
      bsmm.release %turn[%i] : !bsmm.channel<1>
      bsmm.release %0[%i] : !bsmm.channel<1, !acc>
    }
    bsmm.return
  }

  // Rows of a 64-column f16 tile are 128 bytes. Its units of 16 bytes are
  // exchanged by the low bits of the row: byte offset bits 4-6 ^= bits 7-9.
  // CHECK-LABEL: llvm.func @write_shared
  // CHECK: %[[ROW:.+]] = arith.andi %{{.*}}, %c127_i32
  // CHECK: %[[OFFSET:.+]] = arith.muli %[[ROW]], %c128_i32
  // CHECK: %[[HIGH:.+]] = arith.shrui %[[OFFSET]], %c3_i32
  // CHECK: %[[BITS:.+]] = arith.andi %[[HIGH]], %c112_i32
  // CHECK: %[[PLACE:.+]] = arith.xori %[[OFFSET]], %[[BITS]]
  // CHECK: %[[UNIT:.+]] = llvm.getelementptr %{{.*}}[%[[PLACE]]]
  // CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
  // CHECK: llvm.store %{{.*}}, %[[UNIT]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: %[[NEXT:.+]] = arith.addi %[[OFFSET]], %c16_i32
  bsmm.kernel @write_shared() attributes {level = #bsmm.level<pipeline>,
                                          block_size = 128 : i64} {
    %0 = bsmm.alloc : !acc
    %1 = bsmm.alloc : !bsmm.buffer<128x64xf16, shared, swizzle_128B>
    bsmm.drain %0 columns 16 {
    ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
      %half = arith.truncf %values : vector<16xf32> to vector<16xf16>
      bsmm.write_shared %half, %1[%row, %column]
          : vector<16xf16>, !bsmm.buffer<128x64xf16, shared, swizzle_128B>
    } : !acc
    bsmm.return
  }

  // Without a swizzle a unit is where the row says.
  // CHECK-LABEL: llvm.func @write_shared_rows
  // CHECK: %[[OFFSET:.+]] = arith.muli %{{.*}}, %c48_i32
  // CHECK-NOT: arith.xori
  // CHECK: llvm.getelementptr %{{.*}}[%[[OFFSET]]]
  // CHECK-COUNT-3: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  bsmm.kernel @write_shared_rows(%i: i32)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %0 = bsmm.alloc : !bsmm.buffer<128x24xf16, shared, row_major>
    %v = arith.constant dense<1.0> : vector<24xf16>
    %c0 = arith.constant 0 : i32
    bsmm.write_shared %v, %0[%i, %c0]
        : vector<24xf16>, !bsmm.buffer<128x24xf16, shared, row_major>
    bsmm.return
  }

  // Rows and columns beyond the limits are not written, offsets are 64-bit.
  // CHECK-LABEL: llvm.func @write_global
  // CHECK-SAME: %[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[R:[a-z0-9]+]]: i32, %[[C:[a-z0-9]+]]: i32, %[[M:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i64, %[[S:[a-z0-9]+]]: i64)
  // CHECK: %[[IN_ROW:.+]] = arith.cmpi slt, %[[R]], %[[M]] : i32
  // CHECK: scf.if %[[IN_ROW]] {
  // CHECK: %[[R64:.+]] = arith.extsi %[[R]] : i32 to i64
  // CHECK: %[[O1:.+]] = arith.muli %[[R64]], %[[S]] : i64
  // CHECK: %[[O2:.+]] = arith.addi %[[O1]], %[[B]] : i64
  // CHECK: %[[C64:.+]] = arith.extsi %[[C]] : i32 to i64
  // CHECK: %[[O3:.+]] = arith.addi %[[O2]], %[[C64]] : i64
  // CHECK: %[[START:.+]] = llvm.getelementptr %[[P]][%[[O3]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
  // CHECK: %[[IN0:.+]] = arith.cmpi slt, %[[C]], %[[N]] : i32
  // CHECK: scf.if %[[IN0]] {
  // CHECK: llvm.store %{{.*}}, %[[START]] : f16, !llvm.ptr<1>
  // CHECK: %[[C1:.+]] = arith.addi %[[C]], %c1_i32
  // CHECK: %[[IN1:.+]] = arith.cmpi slt, %[[C1]], %[[N]] : i32
  // CHECK: scf.if %[[IN1]] {
  // CHECK: %[[NEXT:.+]] = llvm.getelementptr %[[START]][1]
  // CHECK: llvm.store %{{.*}}, %[[NEXT]] : f16, !llvm.ptr<1>
  bsmm.kernel @write_global(%p: !llvm.ptr<1>, %r: i32, %c: i32, %m: i32,
                            %n: i32, %b: i64, %s: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %v = arith.constant dense<[1.0, 2.0]> : vector<2xf16>
    bsmm.write_global %v, %p[%r, %c] base %b stride %s limits [%m, %n]
        : vector<2xf16>
    bsmm.return
  }
}
