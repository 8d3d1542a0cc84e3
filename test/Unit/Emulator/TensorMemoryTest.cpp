//===- TensorMemoryTest.cpp - tcgen05 ---------------------------*- C++ -*-===//

#include "Harness.h"

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
const char shared[] = ".shared .align 1024 .b8 s[32768];\n";

const char begin[] = R"(
    .reg .b32 %taddr, %c<40>; .reg .b64 %da, %db, %dc;
    mov.u32 %r4, s;
    setp.eq.u32 %p1, %t, 0;
    setp.lt.u32 %p3, %t, 32;
    @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4+64], 128;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    bar.sync 0;
    ld.shared.u32 %taddr, [%r4+64];
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
)";
const char end[] = R"(
    bar.sync 0;
    @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, 128;
    ret;)";

Outcome tensor(const std::string &body, Options options = {}) {
  LaunchSetup setup;
  setup.block = {128, 1, 1};
  setup.options = options;
  return run(kernel(prologue() + begin + body + end, "sm_100a", shared), setup);
}

TEST(TensorMemory, StoreAndLoadThroughDifferentShapes) {
  for (const Options &options : allModes()) {
    // 32x32b: lane = thread, columns 0..3. Then 16x64b reads lanes 0..15 of
    // the quarter: thread t, register i: lane t/4 + 8*(t%2), column
    // (t/2)%2 + 2i.
    Outcome outcome = tensor(R"(
    mul.lo.u32 %c0, %t, 10; add.u32 %c1, %c0, 1; add.u32 %c2, %c0, 2;
    add.u32 %c3, %c0, 3;
    tcgen05.st.sync.aligned.32x32b.x4.b32 [%r5], {%c0, %c1, %c2, %c3};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.16x64b.x2.b32 {%c4, %c5}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%outt], %c4;
    st.global.u32 [%outt+512], %c5;
)",
                             options);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t thread = 0; thread < 128; ++thread) {
      uint32_t t = thread % 32;
      uint32_t lane = 32 * (thread / 32) + t / 4 + 8 * (t % 2);
      EXPECT_EQ(outcome.out[thread], 10 * lane + t / 2 % 2);
      EXPECT_EQ(outcome.out[128 + thread], 10 * lane + t / 2 % 2 + 2);
    }
  }
}

/// mxf4nvf4 with block 16: A[m][k] = 1, B[n][k] = 1 (e2m1 code 2), scales
/// SFA[m][g] = 2^(m % 4), SFB = 1: D[m][n] = 64 * 2^(m % 4). The scales go
/// from shared to tensor memory with tcgen05.cp.
TEST(TensorMemory, BlockScaledMultiply) {
  for (const Options &options : allModes()) {
    Outcome outcome = tensor(R"(
    // A: 128 rows x 32 bytes of 0x22, no swizzle, at 4096; B: 32 rows at 8192.
    shl.b32 %r6, %t, 5; add.u32 %r6, %r6, %r4;
    mov.u32 %c0, 0x22222222;
    st.shared.v4.u32 [%r6+4096], {%c0, %c0, %c0, %c0};
    st.shared.v4.u32 [%r6+4112], {%c0, %c0, %c0, %c0};
    setp.lt.u32 %p4, %t, 32;
    @%p4 st.shared.v4.u32 [%r6+8192], {%c0, %c0, %c0, %c0};
    @%p4 st.shared.v4.u32 [%r6+8208], {%c0, %c0, %c0, %c0};
    // Scales, e4m3: 2^k is 0x38 + 8k. Row t: byte (t%32)*16 + (t/32)*4 of the
    // 512 at 16384; SFB all ones at 16896.
    and.b32 %r7, %t, 3; shl.b32 %r7, %r7, 3; add.u32 %r7, %r7, 0x38;
    mul.lo.u32 %r7, %r7, 0x01010101;
    and.b32 %r8, %t, 31; shl.b32 %r8, %r8, 4; shr.u32 %r9, %t, 5;
    shl.b32 %r9, %r9, 2; add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r4;
    st.shared.u32 [%r8+16384], %r7;
    st.shared.u32 [%r8+16896], 0x38383838;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    add.u32 %r7, %r4, 4096; shr.u32 %r7, %r7, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000401000080000;
    add.u32 %r7, %r4, 8192; shr.u32 %r7, %r7, 4; cvt.u64.u32 %db, %r7;
    or.b64 %db, %db, 0x0000401000080000;
    add.u32 %r7, %r4, 16384; shr.u32 %r7, %r7, 4; cvt.u64.u32 %dc, %r7;
    or.b64 %dc, %dc, 0x0000400800000000;
    add.u32 %r10, %taddr, 64; add.u32 %r11, %taddr, 68;
    @%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r10], %dc;
    add.s64 %dc, %dc, 32;
    @%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r11], %dc;
    mov.u32 %r12, 0x08080480; // M 128, N 32, e2m1, ue4m3
    @%p1 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%taddr], %da, %db, %r12, [%r10], [%r11], 0;
    @%p1 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::lastuse [%taddr], %da, %db, %r12, [%r10], [%r11], 1;
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd1];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    tcgen05.fence::after_thread_sync;
    tcgen05.ld.sync.aligned.32x32b.x32.b32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15, %c16, %c17, %c18, %c19, %c20, %c21, %c22, %c23, %c24, %c25, %c26, %c27, %c28, %c29, %c30, %c31}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%outt], %c0;
    st.global.u32 [%outt+512], %c31;
)",
                             options);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t m = 0; m < 128; ++m) {
      float expected = 128.0f * static_cast<float>(1 << (m % 4));
      float got;
      std::memcpy(&got, &outcome.out[m], 4);
      EXPECT_EQ(got, expected) << m;
      std::memcpy(&got, &outcome.out[128 + m], 4);
      EXPECT_EQ(got, expected) << m;
    }
  }
}

const char pairBody[] = R"(
    .reg .b32 %taddr, %c<40>; .reg .b64 %da, %db; .reg .b16 %m;
    mov.u32 %r4, s;
    mov.u32 %r20, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    setp.lt.u32 %p3, %t, 32;
    setp.eq.and.u32 %p5, %r20, 0, %p1;
    @%p3 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r4+64], 32;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    fence.mbarrier_init.release.cluster;
    // A: 1 in CTA 0, 2 in CTA 1; B: 1 and 4.
    setp.eq.u32 %p6, %r20, 0;
    selp.b32 %c0, 0x38383838, 0x40404040, %p6;
    selp.b32 %c1, 0x38383838, 0x48484848, %p6;
    shl.b32 %r6, %t, 5; add.u32 %r6, %r6, %r4;
    st.shared.v4.u32 [%r6+4096], {%c0, %c0, %c0, %c0};
    st.shared.v4.u32 [%r6+4112], {%c0, %c0, %c0, %c0};
    setp.lt.u32 %p4, %t, 16;
    @%p4 st.shared.v4.u32 [%r6+8192], {%c1, %c1, %c1, %c1};
    @%p4 st.shared.v4.u32 [%r6+8208], {%c1, %c1, %c1, %c1};
    fence.proxy.async.shared::cta;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared.u32 %taddr, [%r4+64];
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
    shr.u32 %r7, %r4, 4; and.b32 %r7, %r7, 0x3FFF; add.u32 %r7, %r7, 256; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000401000080000;
    add.u64 %db, %da, 256;
    mov.u32 %r8, 0x10080010; // e4m3, f32, M 256, N 32
    mov.u16 %m, 3;
    @%p5 tcgen05.mma.cta_group::2.kind::f8f6f4 [%taddr], %da, %db, %r8, 0;
    cvt.u64.u32 %rd1, %r4;
    @%p5 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1], %m;
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    tcgen05.fence::after_thread_sync;
    tcgen05.ld.sync.aligned.32x32b.x32.b32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15, %c16, %c17, %c18, %c19, %c20, %c21, %c22, %c23, %c24, %c25, %c26, %c27, %c28, %c29, %c30, %c31}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    mul.wide.u32 %rd3, %r20, 1024; add.u64 %rd3, %rd3, %outt;
    st.global.u32 [%rd3], %c0;
    st.global.u32 [%rd3+512], %c31;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p3 tcgen05.dealloc.cta_group::2.sync.aligned.b32 %taddr, 32;
    ret;)";

/// A pair of CTAs: each holds half of the rows of A and of B; D of M = 256 has
/// its rows in the CTA that holds them of A.
TEST(TensorMemory, PairOfCtas) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.block = {128, 1, 1};
    setup.grid = setup.cluster = {2, 1, 1};
    setup.options = options;
    Outcome outcome =
        run(kernel(prologue() + pairBody, "sm_100a", shared), setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t m = 0; m < 256; ++m) {
      float first, last;
      const uint32_t *words = outcome.out.data() + m / 128 * 256 + m % 128;
      std::memcpy(&first, words, 4);
      std::memcpy(&last, words + 128, 4);
      float a = m < 128 ? 1.0f : 2.0f;
      EXPECT_EQ(first, 32 * a) << m;
      EXPECT_EQ(last, 128 * a) << m;
    }
  }
}

/// The pair's MMA is issued before the peer's operands are known to be there.
TEST(TensorMemory, PairWithoutWaitingForThePeer) {
  std::string body = pairBody;
  size_t at = body.find("barrier.cluster.arrive.aligned");
  // Only the own CTA's threads are waited for.
  body.replace(at,
               std::string("barrier.cluster.arrive.aligned;\n    "
                           "barrier.cluster.wait.aligned;")
                   .size(),
               "bar.sync 0;");
  unsigned found = 0;
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.block = {128, 1, 1};
    setup.grid = setup.cluster = {2, 1, 1};
    setup.options = options;
    found += run(kernel(prologue() + body, "sm_100a", shared), setup)
                 .report.hasErrors();
  }
  EXPECT_EQ(found, allModes().size());
}

TEST(TensorMemory, Errors) {
  // Lanes of another warp.
  EXPECT_TRUE(tensor("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%taddr];")
                  .has("tensor-memory-lanes"));
  // Columns that aren't allocated.
  EXPECT_TRUE(
      tensor("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5 + 128];")
          .has("tensor-memory-unallocated"));
  // A size that doesn't exist.
  EXPECT_TRUE(tensor("@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::"
                     "cta.b32 [%r4+68], 48;")
                  .has("tensor-memory-allocation"));
  // Both groups in one kernel.
  EXPECT_TRUE(tensor("@%p3 tcgen05.relinquish_alloc_permit.cta_group::2.sync."
                     "aligned;")
                  .report.hasErrors());
  // More columns than there are: nobody can give any back.
  EXPECT_TRUE(tensor("@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::"
                     "cta.b32 [%r4+68], 512;")
                  .has("deadlock"));
  // Scale copies that differ between the warps' lanes.
  Outcome outcome = tensor(R"(
    mov.u32 %c0, 0x7f7f7f7f;
    setp.ge.u32 %p5, %t, 32;
    selp.b32 %c0, 0x7e7e7e7e, %c0, %p5;
    add.u32 %r10, %r5, 64;
    tcgen05.st.sync.aligned.32x32b.x8.b32 [%r10], {%c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0};
    tcgen05.wait::st.sync.aligned;
    shl.b32 %r6, %t, 5; add.u32 %r6, %r6, %r4;
    st.shared.v4.u32 [%r6+4096], {0, 0, 0, 0};
    st.shared.v4.u32 [%r6+4112], {0, 0, 0, 0};
    fence.proxy.async;
    bar.sync 0;
    add.u32 %r7, %r4, 4096; shr.u32 %r7, %r7, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000401000080000;
    add.u32 %r10, %taddr, 64; add.u32 %r11, %taddr, 68;
    mov.u32 %r12, 0x08840000; // mxf8f6f4, M 128, N 16
    @%p1 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%taddr], %da, %da, %r12, [%r10], [%r11], 0;
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
)");
  EXPECT_TRUE(outcome.has("scale-copies")) << outcome.text();
}
} // namespace
