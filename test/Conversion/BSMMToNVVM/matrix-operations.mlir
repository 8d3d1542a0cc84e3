// RUN: bsmm-opt %s --pass-pipeline='builtin.module(bsmm-assign-memory,gpu.module(convert-bsmm-to-nvvm,canonicalize,cse))' | FileCheck %s

gpu.module @matrix_operations attributes {bsmm.target = #bsmm.target<"sm_100a">} {
  // K-major, 128B swizzle, stride of 8 rows 1024, version 1: 0x4000404000000000.
  // One operation takes 64 elements, 32 bytes of each row: two units of 16 bytes.
  // Instruction descriptor: e2m1 1, N 128 >> 3, ue4m3 0, M 128 >> 7: 0x08200480.
  // CHECK-LABEL: llvm.func @nvfp4
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c136316032_i32, %{{.*}}, %{{.*}}, %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4nvf4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c2_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c2_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c136316032_i32, %true
  // CHECK-DAG: %[[A2:.+]] = arith.addi %[[A]], %c4_i64 : i64
  // CHECK-DAG: %[[B2:.+]] = arith.addi %[[B]], %c4_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A2]], %[[B2]], %c136316032_i32, %true
  // CHECK-DAG: %[[A3:.+]] = arith.addi %[[A]], %c6_i64 : i64
  // CHECK-DAG: %[[B3:.+]] = arith.addi %[[B]], %c6_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A3]], %[[B3]], %c136316032_i32, %true
  bsmm.kernel @nvfp4(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // N = 256: 0x08400480.
  // CHECK-LABEL: llvm.func @nvfp4_n256
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %c138413184_i32
  bsmm.kernel @nvfp4_n256(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<256x16xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<256x256xf4E2M1FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<256x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<256x16xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // Two scales of 32 elements an operation: the scale-factor ids are 0 and 2, the
  // column of tensor memory moves on every second operation. ue8m0 1 in bit 23.
  // CHECK-LABEL: llvm.func @mxf4
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c144704640_i32, {{.*}}kind = #nvvm.block_scale_kind<mxf4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c2_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c2_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c1218446496_i32, %true
  // CHECK-DAG: %[[A2:.+]] = arith.addi %[[A]], %c4_i64 : i64
  // CHECK-DAG: %[[B2:.+]] = arith.addi %[[B]], %c4_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A2]], %[[B2]], %c144704640_i32, %true
  // CHECK-DAG: %[[A3:.+]] = arith.addi %[[A]], %c6_i64 : i64
  // CHECK-DAG: %[[B3:.+]] = arith.addi %[[B]], %c6_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A3]], %[[B3]], %c1218446496_i32, %true
  bsmm.kernel @mxf4(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x8xf8E8M0FNU, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x8xf8E8M0FNU, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x8xf8E8M0FNU, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x8xf8E8M0FNU, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // ue8m0 scales for every 16 elements.
  // CHECK-LABEL: llvm.func @mxf4nvf4_ue8m0
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c144704640_i32, %{{.*}}, %{{.*}}, %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4nvf4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c2_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c2_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c144704640_i32, %true
  // CHECK-DAG: %[[A2:.+]] = arith.addi %[[A]], %c4_i64 : i64
  // CHECK-DAG: %[[B2:.+]] = arith.addi %[[B]], %c4_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A2]], %[[B2]], %c144704640_i32, %true
  // CHECK-DAG: %[[A3:.+]] = arith.addi %[[A]], %c6_i64 : i64
  // CHECK-DAG: %[[B3:.+]] = arith.addi %[[B]], %c6_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A3]], %[[B3]], %c144704640_i32, %true
  bsmm.kernel @mxf4nvf4_ue8m0(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x16xf8E8M0FNU, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // MXFP8: one scale of 32 elements an operation, ids 0 to 3 in one column.
  // CHECK-LABEL: llvm.func @mxf8
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c144703488_i32, {{.*}}kind = #nvvm.block_scale_kind<mxf8f6f4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c2_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c2_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c681574416_i32, %true
  // CHECK-DAG: %[[A2:.+]] = arith.addi %[[A]], %c4_i64 : i64
  // CHECK-DAG: %[[B2:.+]] = arith.addi %[[B]], %c4_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A2]], %[[B2]], %c1218445344_i32, %true
  // CHECK-DAG: %[[A3:.+]] = arith.addi %[[A]], %c6_i64 : i64
  // CHECK-DAG: %[[B3:.+]] = arith.addi %[[B]], %c6_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A3]], %[[B3]], %c1755316272_i32, %true
  bsmm.kernel @mxf8(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>, !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>, !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // B of e5m2: code 1 in bits 10-12.
  // CHECK-LABEL: llvm.func @mxf8_e4m3_e5m2
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %c144704512_i32
  bsmm.kernel @mxf8_e4m3_e5m2(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf8E5M2, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>, !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf8E5M2, shared, swizzle_128B>, !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // A of e5m2: code 1 in bits 7-9.
  // CHECK-LABEL: llvm.func @mxf8_e5m2_e4m3
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %c144703616_i32
  bsmm.kernel @mxf8_e5m2_e4m3(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x128xf8E5M2, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x128xf8E5M2, shared, swizzle_128B>, !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>, !bsmm.buffer<128x4xf8E8M0FNU, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // 512 elements of K are two panels of 128 bytes and 128 rows: the fifth operation
  // starts 128 * 128 / 16 = 1024 units later.
  // CHECK-LABEL: llvm.func @two_panels
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c4611756662049472512_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c136316032_i32, %{{.*}}, %{{.*}}, %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4nvf4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c2_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c2_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c136316032_i32, %true
  // CHECK-DAG: %[[A2:.+]] = arith.addi %[[A]], %c4_i64 : i64
  // CHECK-DAG: %[[B2:.+]] = arith.addi %[[B]], %c4_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A2]], %[[B2]], %c136316032_i32, %true
  // CHECK-DAG: %[[A3:.+]] = arith.addi %[[A]], %c6_i64 : i64
  // CHECK-DAG: %[[B3:.+]] = arith.addi %[[B]], %c6_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A3]], %[[B3]], %c136316032_i32, %true
  // CHECK-DAG: %[[A4:.+]] = arith.addi %[[A]], %c1024_i64 : i64
  // CHECK-DAG: %[[B4:.+]] = arith.addi %[[B]], %c1024_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A4]], %[[B4]], %c136316032_i32, %true
  // CHECK-DAG: %[[A5:.+]] = arith.addi %[[A]], %c1026_i64 : i64
  // CHECK-DAG: %[[B5:.+]] = arith.addi %[[B]], %c1026_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A5]], %[[B5]], %c136316032_i32, %true
  // CHECK-DAG: %[[A6:.+]] = arith.addi %[[A]], %c1028_i64 : i64
  // CHECK-DAG: %[[B6:.+]] = arith.addi %[[B]], %c1028_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A6]], %[[B6]], %c136316032_i32, %true
  // CHECK-DAG: %[[A7:.+]] = arith.addi %[[A]], %c1030_i64 : i64
  // CHECK-DAG: %[[B7:.+]] = arith.addi %[[B]], %c1030_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A7]], %[[B7]], %c136316032_i32, %true
  bsmm.kernel @two_panels(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x32xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x32xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>
    %b = bsmm.alloc : !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x32xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x512xf4E2M1FN, shared, swizzle_128B>, !bsmm.buffer<128x32xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // 64B swizzle: mode 4, stride of 8 rows 512.
  // CHECK-LABEL: llvm.func @swizzle_64B
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c-9223301530671644672_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c-9223301530671644672_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c136316032_i32, %{{.*}}, %{{.*}}, %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4nvf4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c2_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c2_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c136316032_i32, %true
  bsmm.kernel @swizzle_64B(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_64B>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_64B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_64B>, !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_64B>, !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // 32B swizzle: mode 6, stride of 8 rows 256; each operation has a panel of its own,
  // 128 * 32 / 16 = 256 units apart.
  // CHECK-LABEL: llvm.func @swizzle_32B
  // CHECK: %[[A:.+]] = arith.ori %{{.*}}, %c-4611615580963733504_i64 : i64
  // CHECK: %[[B:.+]] = arith.ori %{{.*}}, %c-4611615580963733504_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A]], %[[B]], %c136316032_i32, %{{.*}}, %{{.*}}, %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4nvf4>}
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[A]], %c256_i64 : i64
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[B]], %c256_i64 : i64
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %[[A1]], %[[B1]], %c136316032_i32, %true
  bsmm.kernel @swizzle_32B(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_32B>
    %b = bsmm.alloc : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_32B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_32B>, !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_32B>, !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // 64 columns: row 64 of the scales of B is column 2 of their tensor memory.
  // CHECK-LABEL: llvm.func @half_tile
  // CHECK-SAME: (%[[OFFSET:[a-z0-9]+]]: i32)
  // CHECK: %[[COLUMNS:.+]] = arith.shrui %[[OFFSET]], %c5_i32
  // CHECK: %[[SFB:.+]] = arith.addi %{{.*}}, %[[COLUMNS]]
  // CHECK: %[[ADDRESS:.+]] = llvm.inttoptr %[[SFB]]
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %c135267456_i32, %{{.*}}, %{{.*}}, %[[ADDRESS]] 
  bsmm.kernel @half_tile(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>
    %b = bsmm.alloc : !bsmm.buffer<64x64xf4E2M1FN, shared, swizzle_32B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb offset(%i), %acc
            accumulate %p : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>, !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<64x64xf4E2M1FN, shared, swizzle_32B>, !bsmm.buffer<128x4xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x64xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }

  // Scales of later groups lie in later columns, tiles of rows first: four
  // columns a group for 128 rows of A, eight for 256 rows of B.
  // CHECK-LABEL: llvm.func @scale_columns
  // CHECK: %[[BASE:.+]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-DAG: %[[B0:.+]] = arith.addi %[[BASE]], %c264_i32
  // CHECK-DAG: %[[A0:.+]] = arith.addi %[[BASE]], %c256_i32
  // CHECK-DAG: %[[A0P:.+]] = llvm.inttoptr %[[A0]]
  // CHECK-DAG: %[[B0P:.+]] = llvm.inttoptr %[[B0]]
  // CHECK: nvvm.tcgen05.mma.block_scale {{.*}}, %[[A0P]], %[[B0P]] {
  // CHECK-DAG: %[[A1:.+]] = arith.addi %[[BASE]], %c260_i32
  // CHECK-DAG: %[[B1:.+]] = arith.addi %[[BASE]], %c272_i32
  // CHECK-DAG: %[[A1P:.+]] = llvm.inttoptr %[[A1]]
  // CHECK-DAG: %[[B1P:.+]] = llvm.inttoptr %[[B1]]
  // CHECK: nvvm.tcgen05.mma.block_scale {{.*}}, %[[A1P]], %[[B1P]] {
  bsmm.kernel @scale_columns(%i: i32) attributes {level = #bsmm.level<pipeline>,
                                   block_size = 128 : i64} {
    %acc = bsmm.alloc : !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
    %sfa = bsmm.alloc : !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>
    %sfb = bsmm.alloc : !bsmm.buffer<256x8xf8E4M3FN, tensor_memory, scale_tiles>
    %a = bsmm.alloc : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_64B>
    %b = bsmm.alloc : !bsmm.buffer<256x128xf4E2M1FN, shared, swizzle_64B>
    %p = arith.cmpi ne, %i, %i : i32
    bsmm.warp_role 1 {
      bsmm.leader {
        bsmm.scaled_mma %a scales %sfa, %b scales %sfb, %acc
            accumulate %p : !bsmm.buffer<128x128xf4E2M1FN, shared, swizzle_64B>, !bsmm.buffer<128x8xf8E4M3FN, tensor_memory, scale_tiles>,
            !bsmm.buffer<256x128xf4E2M1FN, shared, swizzle_64B>, !bsmm.buffer<256x8xf8E4M3FN, tensor_memory, scale_tiles>, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>
      }
    }
    bsmm.return
  }
}
