// The PTX of the NVFP4 example: the exact forms of its key instructions.

// RUN: bsmm-translate --bsmm-to-ptx %examples/nvfp4_gemm.mlir -o %t.100.ptx
// RUN: FileCheck %s --input-file=%t.100.ptx --check-prefixes=CHECK,SM100
// RUN: sed "s/sm_100a/sm_103a/" %examples/nvfp4_gemm.mlir > %t.103.mlir
// RUN: bsmm-translate --bsmm-to-ptx %t.103.mlir -o %t.103.ptx
// RUN: FileCheck %s --input-file=%t.103.ptx --check-prefixes=CHECK,SM103

// But for the name of the target the two are the same.
// RUN: sed "s/sm_103a/sm_100a/" %t.103.ptx | diff - %t.100.ptx

// PTX is text for people too: no diagnostic, no note, nothing on stderr.
// RUN: bsmm-translate --bsmm-to-ptx %examples/nvfp4_gemm.mlir 2>&1 >/dev/null | count 0

// CHECK: .version 8.8
// SM100: .target sm_100a
// SM103: .target sm_103a
// CHECK: .address_size 64
// CHECK: .extern .shared .align 1024 .b8 bsmm_dynamic_shared_memory[];

// Five tensor maps by value, then the four extents.
// CHECK: .visible .entry nvfp4_gemm(
// CHECK-COUNT-5: .param .align 128 .b8 nvfp4_gemm_param_{{[0-4]}}[128],
// CHECK-COUNT-3: .param .u32 nvfp4_gemm_param_{{[5-7]}},
// CHECK-NEXT: .param .u32 nvfp4_gemm_param_8
// CHECK-NEXT: )
// Four warps for the epilogue, one that loads and one that multiplies.
// CHECK-NEXT: .reqntid 192, 1, 1
// CHECK-NEXT: .minnctapersm 1

// One thread fetches the tensor maps.
// CHECK-COUNT-5: prefetch.param.tensormap [%rd{{[0-9]+}}];
// CHECK-NOT: prefetch
// The warp that loads initialises the barriers and goes on; the others meet when
// tensor memory is allocated.
// CHECK: mbarrier.init.shared.b64
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: bar.warp.sync {{.*}}-1;
// CHECK-NEXT: bar.arrive 15, 192;
// CHECK: bar.warp.sync {{.*}}-1;
// CHECK: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%rd{{[0-9]+}}],
// CHECK-NEXT: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
// CHECK: bar.sync 15, 192;
// CHECK-NEXT: tcgen05.fence::after_thread_sync;

// The loads: one thread announces 36864 bytes = 16384 + 2048 + 16384 + 2048 and
// issues one box for each operand.
// CHECK: elect.sync
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK: mov.b32 [[BYTES:%r[0-9]+]], 36864;
// CHECK-NEXT: mbarrier.arrive.expect_tx.shared.b64 %rd{{[0-9]+}}, [{{.*}}], [[BYTES]];
// CHECK: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%rd{{[0-9]+}}+18432], [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}], [%rd{{[0-9]+}}+{{[0-9]+}}];
// CHECK-NEXT: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%rd{{[0-9]+}}],
// CHECK-NEXT: cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%rd{{[0-9]+}}+34816],
// CHECK-NEXT: cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%rd{{[0-9]+}}+16384],

// The multiplications: eight copies of scale tiles (descriptor 0x400800000000),
// then four operations of 64 elements of K, 32 bytes apart in the 128-byte
// swizzle (descriptor 0x4000404000000000), all with the instruction descriptor
// 0x08200480. The first one overwrites the accumulator in the first step.
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK: tcgen05.fence::after_thread_sync;
// CHECK: fence.proxy.async.shared::cta;
// CHECK: or.b64 [[S:%rd[0-9]+]], %rd{{[0-9]+}}, 70403103916032;
// CHECK-NEXT: tcgen05.cp.cta_group::1.32x128b.warpx4 [%r{{[0-9]+}}], [[S]];
// CHECK-COUNT-7: tcgen05.cp.cta_group::1.32x128b.warpx4
// CHECK-NOT: tcgen05.cp
// CHECK: or.b64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 4611756662049472512;
// CHECK: or.b64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 4611756662049472512;
// CHECK: mov.b32 [[I:%r[0-9]+]], 136316032;
// CHECK-NEXT: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[I]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], [[FIRST:%p[0-9]+]];
// CHECK: 4611756662049472514;
// CHECK: mov.pred [[ALWAYS:%p[0-9]+]], -1;
// CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard {{.*}}, [[I]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], [[ALWAYS]];
// CHECK: 4611756662049472516;
// CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard {{.*}}, [[ALWAYS]];
// CHECK: 4611756662049472518;
// CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard {{.*}}, [[ALWAYS]];
// CHECK-NEXT: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd{{[0-9]+}}+{{[0-9]+}}];
// CHECK: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// CHECK-NOT: tcgen05.mma

// The epilogue: two pieces of 64 columns, each read by two loads that are waited
// for together, rounded to f16, stored in 16-byte units; one box for each. The
// accumulator is given back when the last load is there.
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK: bar.sync 1, 128;
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK: tcgen05.fence::after_thread_sync;
// CHECK: tcgen05.ld.sync.aligned.32x32b.x32.b32 {%r{{[0-9]+}}, {{.*}}}, [%r{{[0-9]+}}];
// CHECK: tcgen05.ld.sync.aligned.32x32b.x32.b32 {%r{{[0-9]+}}, {{.*}}}, [%r{{[0-9]+}}];
// CHECK: tcgen05.wait::ld.sync.aligned;
// CHECK: cvt.rn.f16x2.f32
// CHECK: st.shared.v4.b32 [%rd{{[0-9]+}}+147456]
// CHECK-COUNT-7: st.shared.v4.b32
// CHECK-NOT: st.shared
// CHECK-COUNT-2: tcgen05.ld.sync.aligned.32x32b.x32.b32
// CHECK: tcgen05.wait::ld.sync.aligned;
// CHECK-NOT: {{tcgen05.ld|cvt|st.shared}}
// CHECK: tcgen05.fence::before_thread_sync;
// CHECK-NEXT: mbarrier.arrive.shared.b64
// CHECK: st.shared.v4.b32 [%rd{{[0-9]+}}+163840]
// CHECK: fence.proxy.async.shared::cta;
// CHECK-NEXT: tcgen05.fence::before_thread_sync;
// CHECK-NEXT: bar.sync 1, 128;
// CHECK-NEXT: tcgen05.fence::after_thread_sync;
// CHECK: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}], [%rd{{[0-9]+}}];
// CHECK-NEXT: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}], [%rd{{[0-9]+}}];
// CHECK-NEXT: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.wait_group 0;
// CHECK: tcgen05.fence::before_thread_sync;
// CHECK-NEXT: bar.sync 0;
// CHECK-NEXT: tcgen05.fence::after_thread_sync;
// CHECK: tcgen05.dealloc.cta_group::1.sync.aligned.b32
// CHECK: ret;
// CHECK-NOT: .extern .func
// CHECK-NOT: .local
