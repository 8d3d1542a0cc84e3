//===- ClusterTest.cpp - Clusters and distributed shared memory -*- C++ -*-===//

#include "Harness.h"

#include <numeric>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
const char shared[] = ".shared .align 1024 .b8 s[8192];\n";

LaunchSetup pair(const Options &options, uint32_t ctas = 2) {
  LaunchSetup setup;
  setup.options = options;
  setup.grid = {ctas, 1, 1};
  setup.cluster = {ctas, 1, 1};
  return setup;
}

TEST(Cluster, DistributedSharedMemory) {
  for (const Options &options : allModes()) {
    Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 100, %t;
    shl.b32 %r4, %t, 2;
    mov.u32 %r5, s; add.u32 %r5, %r5, %r4;
    st.shared.u32 [%r5], %r3;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    xor.b32 %r6, %r1, 1;
    mapa.shared::cluster.u32 %r7, %r5, %r6;
    ld.shared::cluster.u32 %r8, [%r7];
    cvt.u64.u32 %rd1, %r5; cvta.shared.u64 %rd1, %rd1;
    mapa.u64 %rd2, %rd1, %r6;
    ld.u32 %r9, [%rd2];
    getctarank.u64 %r10, %rd2;
    sub.u32 %r9, %r9, %r8; add.u32 %r8, %r8, %r9;
    mad.lo.u32 %r8, %r10, 1000, %r8;
    mul.wide.u32 %rd3, %r2, 128; add.u64 %rd3, %rd3, %outt;
    st.global.u32 [%rd3], %r8;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;)",
                                 "sm_90a", shared),
                          pair(options));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 32; ++k) {
      EXPECT_EQ(outcome.out[k], 1000 + 100 + k);
      EXPECT_EQ(outcome.out[32 + k], k);
    }
  }
}

TEST(Cluster, RemoteArrival) {
  for (const Options &options : allModes()) {
    // CTA 1 tells CTA 0's mbarrier that its data is in CTA 0's memory.
    Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    setp.eq.u32 %p2, %r1, 0;
    mov.u32 %r5, s;
    @%p1 mbarrier.init.shared.b64 [%r5], 32;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p2 bra LEADER;
    mov.u32 %r2, 0;
    mapa.shared::cluster.u32 %r3, %r5, %r2;
    shl.b32 %r4, %t, 2; add.u32 %r6, %r3, %r4;
    st.shared::cluster.u32 [%r6+256], %t;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
    bra END;
  LEADER:
  W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r5], 0;
    @!%p3 bra W;
    shl.b32 %r4, %t, 2; add.u32 %r6, %r5, %r4;
    ld.shared.u32 %r7, [%r6+256];
    st.global.u32 [%outt], %r7;
  END:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;)",
                                 "sm_90a", shared),
                          pair(options));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 32; ++k)
      EXPECT_EQ(outcome.out[k], k);
  }
}

TEST(Cluster, MulticastReachesEveryBarrier) {
  for (const Options &options : allModes()) {
    LaunchSetup setup = pair(options, 4);
    std::iota(setup.in.begin(), setup.in.end(), 0u);
    // Each CTA waits for 512 bytes; CTA 0 sends them to CTAs 0, 1 and 3.
    Outcome outcome = run(kernel(prologue() + R"(
    .reg .b16 %m;
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r5, s;
    setp.eq.u32 %p2, %r1, 2;
    @%p1 mbarrier.init.shared.b64 [%r5], 1;
    setp.ne.and.u32 %p5, %r1, 2, %p1; // CTA 2 gets nothing
    @%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 512;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    setp.eq.and.u32 %p3, %r1, 0, %p1;
    mov.u16 %m, 11;
    @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5+128], [%in], 512, [%r5], %m;
    @%p2 bra END;
  W: mbarrier.try_wait.parity.shared.b64 %p4, [%r5], 0;
    @!%p4 bra W;
    shl.b32 %r4, %t, 2; add.u32 %r6, %r5, %r4;
    ld.shared.u32 %r7, [%r6+384];
    mul.wide.u32 %rd3, %r1, 128; add.u64 %rd3, %rd3, %outt;
    st.global.u32 [%rd3], %r7;
  END:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;)",
                                 "sm_90a", shared),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t rank : {0u, 1u, 3u})
      for (uint32_t k = 0; k < 32; ++k)
        EXPECT_EQ(outcome.out[32 * rank + k], 64 + k);
    EXPECT_EQ(outcome.out[64], 0xCDCDCDCDu);
  }
}

/// st.async writes into the other CTA and completes its bytes there.
// A commit that has arrived in one CTA may still be under way to another one.
TEST(Cluster, CommitArrivesInEachCtaOnItsOwn) {
  unsigned early = 0, late = 0;
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.grid = setup.cluster = {2, 1, 1};
    setup.options = options;
    Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r4, s; mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 0, %p1;
    setp.eq.and.u32 %p3, %r1, 1, %p1;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    cvt.u64.u32 %rd1, %r4; mov.u16 %h1, 3;
    @%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1], %h1;
    @!%p2 bra MEET;
  OWN: mbarrier.try_wait.parity.shared.b64 %p4, [%r4], 0; @!%p4 bra OWN;
  MEET: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mbarrier.test_wait.parity.shared.b64 %p4, [%r4], 0;
    selp.u32 %r2, 1, 0, %p4;
    @%p3 st.global.u32 [%out], %r2;
  BOTH: mbarrier.try_wait.parity.shared.b64 %p4, [%r4], 0; @!%p4 bra BOTH;
    ret;)",
                                 "sm_100a", ".shared .align 8 .b8 s[8];\n"),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    ASSERT_LE(outcome.out[0], 1u);
    ++(outcome.out[0] == 1 ? early : late);
    if (options.mode == AsyncMode::Eager)
      EXPECT_EQ(outcome.out[0], 1u);
    if (options.mode == AsyncMode::Lazy)
      EXPECT_EQ(outcome.out[0], 0u);
  }
  EXPECT_GT(early, 0u);
  EXPECT_GT(late, 0u);
}

TEST(Cluster, StoreAsync) {
  for (const Options &options : allModes()) {
    Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r5, s;
    @%p1 mbarrier.init.shared.b64 [%r5], 1;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 896;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    xor.b32 %r2, %r1, 1;
    mapa.shared::cluster.u32 %r3, %r5, %r2;
    // 4, 8 and 16 bytes of each thread: 32 * 28 = 896.
    mad.lo.u32 %r6, %r1, 1000, %t;
    shl.b32 %r4, %t, 2; add.u32 %r7, %r3, %r4;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7+128], %r6, [%r3];
    shl.b32 %r4, %t, 3; add.u32 %r7, %r3, %r4;
    cvt.u64.u32 %rd4, %r6; shl.b64 %rd5, %rd4, 40; or.b64 %rd4, %rd4, %rd5;
    st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r7+256], %rd4, [%r3];
    shl.b32 %r4, %t, 4; add.u32 %r7, %r3, %r4;
    add.u32 %r8, %r6, 1; add.u32 %r9, %r6, 2; add.u32 %r10, %r6, 3;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r7+512], {%r6, %r8, %r9, %r10}, [%r3];
  W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r5], 0;
    @!%p3 bra W;
    shl.b32 %r4, %t, 2; add.u32 %r7, %r5, %r4;
    ld.shared.u32 %r11, [%r7+128];
    shl.b32 %r4, %t, 3; add.u32 %r7, %r5, %r4;
    ld.shared.v2.u32 {%r12, %r13}, [%r7+256];
    shl.b32 %r4, %t, 4; add.u32 %r7, %r5, %r4;
    ld.shared.u32 %r14, [%r7+524];
    mul.wide.u32 %rd3, %r1, 512; add.u64 %rd3, %rd3, %outt;
    st.global.u32 [%rd3], %r11;
    st.global.u32 [%rd3+128], %r12;
    st.global.u32 [%rd3+256], %r13;
    st.global.u32 [%rd3+384], %r14;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;)",
                                 "sm_90a", shared),
                          pair(options));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t rank = 0; rank < 2; ++rank)
      for (uint32_t t = 0; t < 32; ++t) {
        uint32_t value = (rank ^ 1) * 1000 + t;
        const uint32_t *words = &outcome.out[rank * 128 + t];
        EXPECT_EQ(words[0], value);
        EXPECT_EQ(words[32], value);
        EXPECT_EQ(words[64], value << 8);
        EXPECT_EQ(words[96], value + 3);
      }
  }
}

/// The threads of both CTAs reduce the same words of both.
TEST(Cluster, ReduceAsync) {
  for (Options options : allModes()) {
    options.strict = true;
    std::string body = prologue() + R"(
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r5, s;
    @%p1 mbarrier.init.shared.b64 [%r5], 1;
    @%p1 st.shared.v4.u32 [%r5+128], {100, -1, 0, 0};
    @%p1 st.shared.v4.u32 [%r5+144], {5, 0, 0, 0};
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 1536;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.u32 %r2, 0;
  L:
    mapa.shared::cluster.u32 %r3, %r5, %r2;
    mad.lo.u32 %r6, %r1, 1000, %t;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3+128], %r6, [%r3];
    not.b32 %r7, %r6;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%r3+132], %r7, [%r3];
    shl.b32 %r8, 1, %t;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r3+136], %r8, [%r3];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r3+140], 9, [%r3];
    cvt.u64.u32 %rd4, %r6; shl.b64 %rd4, %rd4, 32;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r3+144], %rd4, [%r3];
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 2;
    @%p2 bra L;
    WAIT
    mul.wide.u32 %rd3, %r1, 32; add.u64 %rd3, %rd3, %out;
    ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r5+128];
    ld.shared.v2.u32 {%r15, %r16}, [%r5+144];
    @%p1 st.global.v4.u32 [%rd3], {%r11, %r12, %r13, %r14};
    @%p1 st.global.v2.u32 [%rd3+16], {%r15, %r16};
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;)";
    std::string waits = body;
    waits.replace(
        waits.find("WAIT"), 4,
        "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, "
        "[%r5], 0; @!%p3 bra W;");
    Outcome outcome = run(kernel(waits, "sm_90a", shared), pair(options));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    ASSERT_TRUE(outcome.report.diagnostics.empty()) << outcome.text();
    for (uint32_t rank = 0; rank < 2; ++rank) {
      const uint32_t *words = &outcome.out[rank * 8];
      uint32_t sum = 2 * (31 * 32 / 2) + 32 * 1000;
      EXPECT_EQ(words[0], 100 + sum);
      EXPECT_EQ(words[1], ~1031u);
      EXPECT_EQ(words[2], 0u); // both CTAs flip each bit
      EXPECT_EQ(words[3], 64u % 10);
      EXPECT_EQ(words[4], 5u);
      EXPECT_EQ(words[5], sum);
    }
    // Nobody waits for the sums; nothing is there to add to.
    body.erase(body.find("WAIT"), 4);
    EXPECT_TRUE(run(kernel(body, "sm_90a", shared), pair(options))
                    .has("shared-memory-race"));
    std::string empty = waits;
    empty.erase(empty.find("@%p1 st.shared.v4.u32 [%r5+128]"),
                std::strlen("@%p1 st.shared.v4.u32 [%r5+128], {100, -1, 0, "
                            "0};"));
    EXPECT_TRUE(run(kernel(empty, "sm_90a", shared), pair(options))
                    .has("shared-memory-uninitialised", Severity::Strict));
  }
  for (const char *wrong : {"add.s64", "inc.s32", "and.u32", "exch.b32"})
    EXPECT_FALSE(
        loadProgram(kernel(prologue() +
                               "red.async.relaxed.cluster.shared::cluster."
                               "mbarrier::complete_tx::bytes." +
                               wrong + " [%r1], %r2, [%r3]; ret;",
                           "sm_90a"))
            .program)
        << wrong;
}

TEST(Cluster, Errors) {
  // A rank that the cluster doesn't have.
  EXPECT_TRUE(run(kernel(prologue() + "mov.u32 %r1, s; mapa.shared::cluster."
                                      "u32 %r2, %r1, 5; ret;",
                         "sm_90a", shared),
                  pair({}))
                  .has("cluster-rank"));
  // Another CTA's memory through .shared::cta.
  EXPECT_TRUE(
      run(kernel(prologue() + "mov.u32 %r1, s; xor.b32 %r1, %r1, 0x1000000; "
                              "ld.shared.u32 %r2, [%r1]; ret;",
                 "sm_90a", shared),
          pair({}))
          .has("invalid-read"));
  // A CTA that leaves while its memory is read: one mode shows it.
  LaunchSetup setup = pair({});
  setup.grid = {3, 1, 1};
  EXPECT_TRUE(run(kernel("ret;"), setup).has("launch"));
}

TEST(Cluster, LaunchLimits) {
  auto errorOf = [](const std::string &target, Dim3 grid, Dim3 block,
                    Dim3 cluster) {
    LaunchSetup setup;
    setup.grid = grid;
    setup.block = block;
    setup.cluster = cluster;
    Outcome outcome = run(kernel("ret;", target), setup);
    return outcome.report.diagnostics.empty()
               ? std::string()
               : outcome.report.diagnostics[0].message;
  };
  const Dim3 one;
  EXPECT_EQ(errorOf("sm_90a", {1, 65536, 1}, one, one),
            "the grid has 65536 in y: expected 1 to 65535");
  EXPECT_EQ(errorOf("sm_90a", {1, 1, 65536}, one, one),
            "the grid has 65536 in z: expected 1 to 65535");
  EXPECT_EQ(errorOf("sm_90a", {0x80000000u, 1, 1}, one, one),
            "the grid has 2147483648 in x: expected 1 to 2147483647");
  EXPECT_EQ(errorOf("sm_90a", {1, 0, 1}, one, one),
            "the grid has 0 in y: expected 1 to 65535");
  EXPECT_EQ(errorOf("sm_90a", one, {1, 1, 65}, one),
            "the block has 65 in z: expected 1 to 64");
  EXPECT_EQ(errorOf("sm_90a", one, {1025, 1, 1}, one),
            "the block has 1025 in x: expected 1 to 1024");
  EXPECT_EQ(errorOf("sm_90a", one, {64, 17, 1}, one),
            "the block has a size of 1088: expected at most 1024");
  EXPECT_EQ(errorOf("sm_100a", {16, 2, 1}, {32, 1, 1}, {16, 1, 1}), "");
  EXPECT_EQ(errorOf("sm_100a", {16, 2, 1}, {32, 1, 1}, {16, 2, 1}),
            "the cluster has a size of 32: expected at most 16");
  EXPECT_EQ(errorOf("sm_100a", {17, 1, 1}, {32, 1, 1}, {17, 1, 1}),
            "the cluster has 17 in x: expected 1 to 16");
  EXPECT_EQ(errorOf("sm_110a", {16, 1, 1}, {32, 1, 1}, {16, 1, 1}),
            "the cluster has 16 in x: expected 1 to 8");
  EXPECT_EQ(errorOf("sm_80", {2, 1, 1}, {32, 1, 1}, {2, 1, 1}),
            "the cluster has 2 in x: expected 1 to 1");
}

/// Persistent CTAs that take over the work of clusters that have not started.
TEST(Grid, ClusterLaunchControl) {
  const std::string body = prologue() + R"(
    .reg .b128 %answer;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;
    mov.u32 %r8, 0; // phase
    mov.u32 %r20, 0; // units done
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
  NEXT:
    // Count this unit and say who did it.
    mad.lo.u32 %r3, %r2, 6, %r1;
    mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %out;
    @%p1 atom.global.add.u32 %r4, [%rd1], 1;
    add.u32 %r20, %r20, 1;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;
    @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s+16], [s];
  W: mbarrier.try_wait.parity.shared.b64 %p2, [s], %r8;
    @!%p2 bra W;
    xor.b32 %r8, %r8, 1;
    ld.shared.b128 %answer, [s+16];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %answer;
    @!%p3 bra DONE;
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r5, _}, %answer;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r6, %answer;
    sub.u32 %r6, %r6, %r2; add.u32 %r2, %r2, %r6;
    // The answer has been read before the next one may be written.
    fence.proxy.async.shared::cta;
    bar.sync 0;
    bra NEXT;
  DONE:
    @%p1 red.global.add.u32 [%out+256], %r20;
    @%p1 red.global.max.u32 [%out+260], %r20;
    ret;)";
  for (Options options : allModes())
    for (uint32_t threads : {1u, 3u}) {
      options.threads = threads;
      LaunchSetup setup;
      setup.options = options;
      setup.grid = {6, 4, 1};
      Outcome outcome = run(kernel(body, "sm_100a", shared), setup);
      ASSERT_TRUE(outcome.clean()) << outcome.text();
      for (uint32_t k = 0; k < 24; ++k)
        EXPECT_EQ(outcome.out[k], 0xCDCDCDCDu + 1) << k;
      EXPECT_EQ(outcome.out[64], 0xCDCDCDCDu + 24);
      // With clusters one by one, the first takes all.
      if (options.mode == AsyncMode::Eager) {
        EXPECT_EQ(outcome.report.statistics.ctas, 1u);
      }
    }
}

/// CTAs of a grid wait for each other through global memory.
TEST(Grid, WaitsBetweenCtas) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.options = options;
    setup.grid = {5, 1, 1};
    // CTA k waits for CTA k + 1.
    Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 4;
    mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out;
    mov.u32 %r3, 0;
    @%p1 bra READY;
  W: ld.acquire.gpu.global.u32 %r2, [%rd1+4];
    setp.eq.u32 %p2, %r2, 0xCDCDCDCD;
    @%p2 bra W;
    add.u32 %r3, %r2, 1;
  READY:
    setp.eq.u32 %p3, %t, 0;
    @%p3 st.release.gpu.global.u32 [%rd1], %r3;
    ret;)"),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 5; ++k)
      EXPECT_EQ(outcome.out[k], 4 - k);
  }
}

TEST(Grid, OrderOfCtas) {
  for (CtaOrder order :
       {CtaOrder::Ascending, CtaOrder::Descending, CtaOrder::Shuffled}) {
    LaunchSetup setup;
    setup.options.ctaOrder = order;
    setup.grid = {4, 3, 2};
    Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
    mad.lo.u32 %r4, %r3, 3, %r2; mad.lo.u32 %r4, %r4, 4, %r1;
    mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd1, %out;
    st.global.u32 [%rd1], %r4; ret;)"),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 24; ++k)
      EXPECT_EQ(outcome.out[k], k);
  }
}
} // namespace
