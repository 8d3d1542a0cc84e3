// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

// Accumulators in registers on sm_90a.

!a = !bsmm.buffer<128x64xf8E4M3FN, shared, swizzle_64B>
!b = !bsmm.buffer<16x64xf8E5M2, shared, swizzle_64B>
!acc = !bsmm.accumulator<128x16xf32, warpgroups = 2>
!loads = !bsmm.channel<2, !bsmm.buffer<128x64xf8E4M3FN, shared, swizzle_64B>, !bsmm.buffer<16x64xf8E5M2, shared, swizzle_64B>>
!tall = !bsmm.buffer<256x128xf16, shared, swizzle_128B>
!short = !bsmm.buffer<8x128xf16, shared, swizzle_128B>
!tall_acc = !bsmm.accumulator<256x8xf32, warpgroups = 2>

gpu.module @registers attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  // The number of a thread's warp is plainly the same in a warp. One thread of
  // each consumer warp arrives at the empty barrier.
  // CHECK-LABEL: llvm.func @roles
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[NUMBER:.+]] = arith.shrui %[[THREAD]], %c5_i32
  // CHECK: %[[WARP:.+]] = nvvm.shfl.sync idx %c-1_i32, %[[NUMBER]], %c0_i32, %c31_i32 : i32 -> i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c8_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c8_i32

  // 384 threads start with 168 registers each: the last warpgroup gives, the
  // others take.
  // CHECK: %[[INDEX:.+]] = arith.subi %[[WARP]], %c8_i32
  // CHECK: %[[IS_LAST:.+]] = arith.cmpi ult, %[[INDEX]], %c4_i32
  // CHECK: scf.if %[[IS_LAST]] {
  // CHECK-NEXT: nvvm.setmaxregister decrease 40
  // CHECK: %[[IS_CONSUMER:.+]] = arith.cmpi ult, %[[WARP]], %c8_i32
  // CHECK: scf.if %[[IS_CONSUMER]] {
  // CHECK-NEXT: nvvm.setmaxregister increase 232

  // Each warpgroup multiplies its 64 rows of 64 bytes. The descriptors: K-major,
  // swizzle of 64 bytes (bits 62..63: 2), 512 bytes between groups of 8 rows
  // (bits 32..45 count 16 bytes: 32), and the start address.
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %[[GROUP:.+]] = arith.shrui %{{.*}}, %c2_i32
  // CHECK: %[[OFFSET:.+]] = arith.muli %[[GROUP]], %c4096_i32
  // CHECK: %[[ROWS:.+]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[ROWS]]
  // CHECK: %[[MASKED:.+]] = arith.andi %[[ADDRESS]], %c262143_i32
  // CHECK: %[[UNITS:.+]] = arith.shrui %[[MASKED]], %c4_i32
  // CHECK: %[[WIDE:.+]] = arith.extui %[[UNITS]] : i32 to i64
  // CHECK: %[[A:.+]] = arith.ori %[[WIDE]], %c-9223371899415822336_i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c-9223371899415822336_i64

  // The first operation overwrites; a step of K = 32 is 32 bytes, 2 units. One
  // fence before, one group for all.
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK: %[[S0:.+]] = nvvm.wgmma.mma_async %[[A]], %[[B]], %{{.*}}, <m = 64, n = 16, k = 32>, D[<f32>, <zero>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
  // CHECK: %[[B1:.+]] = arith.addi %[[B]], %c2_i64
  // CHECK: %[[A1:.+]] = arith.addi %[[A]], %c2_i64
  // CHECK: %[[S1:.+]] = nvvm.wgmma.mma_async %[[A1]], %[[B1]], %[[S0]], {{.*}}, D[<f32>, <one>]
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NOT: nvvm.wgmma.commit
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK: nvvm.wgmma.mma_async {{.*}}, D[<f32>, <one>]
  // CHECK: %[[S3:.+]] = nvvm.wgmma.mma_async {{.*}}, D[<f32>, <one>]
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned

  // A wait that leaves groups pending changes no value; the last one ties all
  // values of the sum, so that no use moves above it.
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK-NEXT: %[[FIRST:.+]] = llvm.extractvalue %[[S3]][0]
  // CHECK: %[[TIED:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7" %[[FIRST]],

  // CHECK: nvvm.bar.warp.sync %c-1_i32
  // CHECK-NEXT: %[[ELECTED:.+]] = nvvm.elect.sync
  // CHECK-NEXT: scf.if %[[ELECTED]] {
  // CHECK-NEXT: nvvm.mbarrier.arrive

  // Thread l of warp w begins at row 16 w + l / 4 of its warpgroup's 64, and
  // column 2 (l mod 4), computed in the drain; stmatrix takes row l mod 16 and
  // column 8 (l / 16) from lane l.
  // CHECK: %[[SELF:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0" %[[THREAD]]
  // CHECK: %[[LANE:.+]] = arith.andi %[[SELF]], %c31_i32
  // CHECK: %[[IN_GROUP:.+]] = arith.andi %[[WARP]], %c3_i32
  // CHECK: arith.shrui %[[LANE]], %c2_i32
  // CHECK: arith.muli %[[IN_GROUP]], %c16_i32
  // CHECK: arith.muli %[[GROUP]], %c64_i32
  // CHECK: %[[VALUE:.+]] = llvm.extractvalue %[[TIED]][0]
  // CHECK: %[[VALUES:.+]] = vector.from_elements %[[VALUE]],
  // CHECK: %[[HALF:.+]] = arith.truncf %[[VALUES]] : vector<8xf32> to vector<8xbf16>
  // CHECK: arith.andi %[[LANE]], %c15_i32
  // CHECK: arith.shrui %[[LANE]], %c4_i32
  // CHECK: vector.bitcast %[[HALF]] : vector<8xbf16> to vector<4xi32>
  // CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}

  // The barrier of the role's 256 threads.
  // CHECK: nvvm.fence.proxy
  // CHECK-NEXT: nvvm.barrier id = %c1_i32 number_of_threads = %c256_i32
  bsmm.kernel @roles(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                          block_size = 384 : i64} {
    %loads = bsmm.create_channel producer = <transaction>,
        consumer = <warps, count = 8> : !loads
    %staging = bsmm.alloc : !bsmm.buffer<128x16xbf16, shared, swizzle_32B>
    bsmm.warp_role 8 count 4 registers 40 {
    }
    bsmm.warp_role 0 count 8 registers 232 {
      %slot:2 = bsmm.wait %loads[%i] : !loads -> !a, !b
      %0 = bsmm.mma %slot#0, %slot#1 : !a, !b -> !acc
      %1 = bsmm.mma %slot#0, %slot#1 add %0 : !a, !b -> !acc
      %2 = bsmm.wait_mma %1 pending 1 : !acc
      %3 = bsmm.wait_mma %2 pending 0 : !acc
      bsmm.release %loads[%i] : !loads
      bsmm.drain %3 columns 16 {
      ^bb0(%row: i32, %column: i32, %values: vector<8xf32>):
        %half = arith.truncf %values : vector<8xf32> to vector<8xbf16>
        bsmm.write_shared %half, %staging[%row, %column]
            : vector<8xbf16>, !bsmm.buffer<128x16xbf16, shared, swizzle_32B>
      } : !acc
      bsmm.publish
    }
    bsmm.return
  }

  // Two blocks of 64 rows for each warpgroup: 64 rows of 128 bytes are 512 units
  // apart. A row of 256 bytes is two panels: after 64 elements of K the next
  // panel of A lies 256 rows of 128 bytes further (2048 units), that of B 8 rows
  // (64 units).
  // CHECK-LABEL: llvm.func @row_blocks
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c4611686293305294848_i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c4611686293305294848_i64
  // CHECK: nvvm.wgmma.mma_async %[[A]], %[[B]], %{{.*}}, <m = 64, n = 8, k = 16>, D[<f32>, <zero>], A[<f16>
  // CHECK: %[[LOWER:.+]] = arith.addi %[[A]], %c512_i64
  // CHECK: nvvm.wgmma.mma_async %[[LOWER]], %[[B]], {{.*}}, D[<f32>, <zero>]
  // CHECK: %[[B1:.+]] = arith.addi %[[B]], %c2_i64
  // CHECK: %[[A1:.+]] = arith.addi %[[A]], %c2_i64
  // CHECK: nvvm.wgmma.mma_async %[[A1]], %[[B1]], {{.*}}, D[<f32>, <one>]
  // CHECK: %[[B4:.+]] = arith.addi %[[B]], %c64_i64
  // CHECK: %[[A4:.+]] = arith.addi %[[A]], %c2048_i64
  // CHECK: nvvm.wgmma.mma_async %[[A4]], %[[B4]],
  // CHECK-COUNT-7: nvvm.wgmma.mma_async
  // CHECK-NOT: nvvm.wgmma.mma_async
  // CHECK: nvvm.wgmma.commit.group.sync.aligned

  // Sums are added value by value.
  // CHECK-COUNT-8: arith.addf %{{.*}}, %{{.*}} : f32

  // f32: two neighbouring columns at a time, 8 bytes. Row 8 and rows 64 and 72 of
  // 32 bytes lie at constant distances: all have one swizzled address.
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0"
  // CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [2], strides = [1]}
  // CHECK: arith.xori
  // CHECK: %[[PLACE:.+]] = llvm.getelementptr
  // CHECK-NEXT: llvm.store %{{.*}}, %[[PLACE]] {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
  // CHECK-NOT: arith.xori
  // CHECK: llvm.getelementptr %[[PLACE]][256]
  // CHECK-NEXT: llvm.store
  // CHECK-NOT: arith.xori
  // CHECK: llvm.getelementptr %[[PLACE]][2048]
  // CHECK-NEXT: llvm.store
  // CHECK-NOT: arith.xori
  // CHECK: llvm.getelementptr %[[PLACE]][2304]
  // CHECK-NEXT: llvm.store
  bsmm.kernel @row_blocks() attributes {level = #bsmm.level<pipeline>,
                                        block_size = 256 : i64} {
    %a = bsmm.alloc : !tall
    %b = bsmm.alloc : !short
    %staging = bsmm.alloc : !bsmm.buffer<256x8xf32, shared, swizzle_32B>
    %0 = bsmm.mma %a, %b : !tall, !short -> !tall_acc
    %1 = bsmm.wait_mma %0 pending 0 : !tall_acc
    %zero = bsmm.zero_accumulator : !tall_acc
    %2 = bsmm.add_accumulators %zero, %1 : !tall_acc
    bsmm.drain %2 columns 8 {
    ^bb0(%row: i32, %column: i32, %values: vector<4xf32>):
      bsmm.write_shared %values, %staging[%row, %column]
          : vector<4xf32>, !bsmm.buffer<256x8xf32, shared, swizzle_32B>
    } : !tall_acc
    bsmm.return
  }

  // What a drain reads: a vector's element once for the values that share it,
  // without tests when all lie inside; a matrix with a test for each value.
  // CHECK-LABEL: llvm.func @reads
  // CHECK-SAME: %[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[LIMIT:[a-z0-9]+]]: i32
  // CHECK-NOT: nvvm.bar.warp.sync
  // Rows 0 and 8 of the fragment.
  // CHECK: %[[NINTH:.+]] = arith.addi %{{.*}}, %c8_i32
  // CHECK: %[[IS_INSIDE:.+]] = arith.cmpi slt, %[[NINTH]], %[[LIMIT]]
  // CHECK: scf.if %[[IS_INSIDE]] -> (vector<4xf32>) {
  // CHECK: %[[R0:.+]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
  // CHECK: %[[P8:.+]] = llvm.getelementptr %{{.*}}[8]
  // CHECK: %[[R8:.+]] = llvm.load %[[P8]]
  // CHECK: vector.from_elements %[[R0]], %[[R0]], %[[R8]], %[[R8]]
  // CHECK: } else {
  // CHECK-COUNT-2: scf.if
  // Columns 0 and 1.
  // CHECK: scf.if %{{.*}} -> (vector<4xf32>) {
  // CHECK: %[[C0:.+]] = llvm.load
  // CHECK: %[[P1:.+]] = llvm.getelementptr %{{.*}}[1]
  // CHECK: %[[C1:.+]] = llvm.load %[[P1]]
  // CHECK: vector.from_elements %[[C0]], %[[C1]], %[[C0]], %[[C1]]
  // CHECK: } else {
  // CHECK-COUNT-2: scf.if
  // CHECK-COUNT-4: scf.if %{{.*}} -> (f16) {
  // CHECK: vector.from_elements
  // Each row is tested once, each of its columns on its own.
  // CHECK-COUNT-4: llvm.store {{.*}} : f16, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  bsmm.kernel @reads(%p: !llvm.ptr<1>, %limit: i32, %l: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %c0 = arith.constant 0 : i32
    %zero = bsmm.zero_accumulator : !bsmm.accumulator<64x8xf32>
    bsmm.drain %zero columns 8 {
    ^bb0(%row: i32, %column: i32, %values: vector<4xf32>):
      %rows = bsmm.read_vector %p[%row] offset %c0 limit %limit dimension 0
          : vector<4xf32>
      %columns = bsmm.read_vector %p[%column] offset %c0 limit %limit
          dimension 1 : vector<4xf32>
      %c = bsmm.read_global %p[%row, %column] base %l stride %l
          limits [%limit, %limit] : vector<4xf16>
      %0 = arith.mulf %rows, %columns : vector<4xf32>
      %1 = arith.truncf %0 : vector<4xf32> to vector<4xf16>
      %2 = arith.addf %1, %c : vector<4xf16>
      bsmm.write_global %2, %p[%row, %column] base %l stride %l
          limits [%limit, %limit] : vector<4xf16>
    } : !bsmm.accumulator<64x8xf32>
    bsmm.return
  }

  // Beside a large accumulator the warp meets before each piece of a matrix.
  // CHECK-LABEL: llvm.func @reads_with_few_registers
  // CHECK: %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK: nvvm.bar.warp.sync %[[ALL]]
  // CHECK: scf.if %{{.*}} -> (f16)
  // CHECK: nvvm.bar.warp.sync
  // CHECK: scf.if %{{.*}} -> (f16)
  // CHECK-NOT: nvvm.bar.warp.sync
  bsmm.kernel @reads_with_few_registers(%p: !llvm.ptr<1>, %limit: i32, %l: i64)
      attributes {level = #bsmm.level<pipeline>, block_size = 128 : i64} {
    %zero = bsmm.zero_accumulator : !bsmm.accumulator<128x128xf32>
    bsmm.drain %zero columns 32 extent 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<16xf32>):
      %c = bsmm.read_global %p[%row, %column] base %l stride %l
          limits [%limit, %limit] : vector<16xf16>
      bsmm.write_global %c, %p[%row, %column] base %l stride %l
          limits [%limit, %limit] : vector<16xf16>
    } : !bsmm.accumulator<128x128xf32>
    bsmm.return
  }
}
