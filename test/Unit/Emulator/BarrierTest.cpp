//===- BarrierTest.cpp - bar, mbarrier ---------------------------*- C++
//-*-===//

#include "Harness.h"

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
const char shared[] = ".shared .align 8 .b8 s[4096];\n";

Outcome one(const std::string &body, uint32_t threads = 32,
            Options options = {}) {
  LaunchSetup setup;
  setup.block = {threads, 1, 1};
  setup.options = options;
  return run(kernel(prologue() + body, "sm_100a", shared), setup);
}

/// PTX ISA: a wait for the parity of the current phase is false, for that of
/// the phase before true; so on a fresh barrier parity 1 is true.
TEST(Mbarrier, ParityOfAFreshBarrier) {
  Outcome outcome = one(R"(
    mbarrier.init.shared.b64 [s], 1;
    mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
    mbarrier.test_wait.parity.shared.b64 %p2, [s], 1;
    selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 2, 0, %p2;
    mbarrier.arrive.shared.b64 _, [s];
    mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
    mbarrier.test_wait.parity.shared.b64 %p2, [s], 1;
    selp.b32 %r3, 4, 0, %p1; selp.b32 %r4, 8, 0, %p2;
    or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; or.b32 %r1, %r1, %r4;
    st.global.u32 [%out], %r1;
    mbarrier.inval.shared.b64 [s];
    ret;)",
                        1);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[0], 2u + 4u);
}

TEST(Mbarrier, StateTokens) {
  Outcome outcome = one(R"(
    .reg .b64 %s1, %s2;
    mbarrier.init.shared.b64 [s], 2;
    mbarrier.arrive.shared.b64 %s1, [s];
    mbarrier.test_wait.shared.b64 %p1, [s], %s1;
    mbarrier.arrive.shared.b64 %s2, [s];
    mbarrier.test_wait.shared.b64 %p2, [s], %s1;
    selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 2, 0, %p2;
    or.b32 %r1, %r1, %r2;
    st.global.u32 [%out], %r1;
    ret;)",
                        1);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[0], 2u);
}

/// A phase completes only with no arrival and no byte missing.
TEST(Mbarrier, TransactionBytes) {
  Outcome outcome = one(R"(
    mbarrier.init.shared.b64 [s], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [s], 64;
    mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
    selp.b32 %r1, 1, 0, %p1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [s], 48;
    mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
    selp.b32 %r2, 2, 0, %p1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [s], 16;
    mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
    selp.b32 %r3, 4, 0, %p1;
    or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3;
    st.global.u32 [%out], %r1;
    ret;)",
                        1);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[0], 4u);
}

TEST(Mbarrier, DropLowersTheNextPhase) {
  Outcome outcome = one(R"(
    mbarrier.init.shared.b64 [s], 2;
    mbarrier.arrive_drop.shared.b64 _, [s];
    mbarrier.arrive.shared.b64 _, [s];
    mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;
    mbarrier.arrive.shared.b64 _, [s];
    mbarrier.test_wait.parity.shared.b64 %p2, [s], 1;
    and.pred %p1, %p1, %p2;
    selp.b32 %r1, 1, 0, %p1;
    st.global.u32 [%out], %r1;
    ret;)",
                        1);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[0], 1u);
}

TEST(Mbarrier, Misuse) {
  EXPECT_TRUE(one("mbarrier.arrive.shared.b64 _, [s]; ret;", 1)
                  .has("mbarrier-uninitialised"));
  EXPECT_TRUE(one("mbarrier.init.shared.b64 [s+4], 1; ret;", 1)
                  .has("mbarrier-address"));
  EXPECT_TRUE(
      one("mbarrier.init.shared.b64 [s], 0; ret;", 1).has("mbarrier-count"));
  EXPECT_TRUE(one("mbarrier.init.shared.b64 [s], 1;"
                  "mbarrier.init.shared.b64 [s], 1; ret;",
                  1)
                  .has("mbarrier-initialised-twice"));
  EXPECT_TRUE(one("mbarrier.init.shared.b64 [s], 1;"
                  "mbarrier.arrive.shared.b64 _, [s], 2; ret;",
                  1)
                  .has("mbarrier-overflow"));
  // A phase that nobody observed.
  EXPECT_TRUE(one("mbarrier.init.shared.b64 [s], 1;"
                  "mbarrier.arrive.shared.b64 _, [s];"
                  "mbarrier.arrive.shared.b64 _, [s]; ret;",
                  1)
                  .has("mbarrier-phase-unobserved"));
  // Its memory used for data without an inval.
  EXPECT_TRUE(one("mbarrier.init.shared.b64 [s], 1;"
                  "st.shared.u32 [s+4], 0; ret;",
                  1)
                  .has("mbarrier-overwritten"));
}

TEST(Mbarrier, DeadlockSaysWhoWaitsForWhat) {
  for (const Options &options : allModes()) {
    Outcome outcome = one(R"(
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 2;
    bar.sync 0;
    @%p1 mbarrier.arrive.shared.b64 _, [s];
  W: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;
    @!%p2 bra W;
    ret;)",
                          64, options);
    ASSERT_TRUE(outcome.has("deadlock")) << outcome.text();
    EXPECT_NE(outcome.text().find("1 of 2 arrivals"), std::string::npos)
        << outcome.text();
  }
}

/// test_wait never suspends: a loop around it must neither hang nor be taken
/// for a deadlock.
TEST(Mbarrier, PollingLoops) {
  for (const Options &options : allModes()) {
    Outcome outcome = one(R"(
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 32;
    bar.sync 0;
    setp.lt.u32 %p2, %t, 32;
    @%p2 bra WAIT;
    mov.u32 %r1, 0;
  DELAY: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 30000; @%p3 bra DELAY;
    st.shared.u32 [s+16], 5;
    mbarrier.arrive.shared.b64 _, [s];
    bra END;
  WAIT: mbarrier.test_wait.parity.shared.b64 %p4, [s], 0;
    @!%p4 bra WAIT;
    ld.shared.u32 %r2, [s+16];
    st.global.u32 [%outt], %r2;
  END: ret;)",
                          64, options);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    EXPECT_EQ(outcome.out[31], 5u);
  }
}

TEST(NamedBarrier, ProducerAndConsumer) {
  for (const Options &options : allModes()) {
    // Warp 1 arrives at barrier 3 without waiting; warp 0 waits for it.
    Outcome outcome = one(R"(
    setp.lt.u32 %p1, %t, 32;
    @%p1 bra CONSUMER;
    shl.b32 %r1, %t, 2;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    st.shared.u32 [%r2], %t;
    bar.arrive 3, 64;
    ret;
  CONSUMER:
    bar.sync 3, 64;
    shl.b32 %r1, %t, 2;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    ld.shared.u32 %r3, [%r2+128];
    st.global.u32 [%outt], %r3;
    ret;)",
                          64, options);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(outcome.out[lane], lane + 32);
  }
}

TEST(NamedBarrier, Reductions) {
  Outcome outcome = one(R"(
    setp.lt.u32 %p1, %t, 40;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, %p1;
    selp.b32 %r2, 1000, 0, %p2; selp.b32 %r3, 2000, 0, %p3;
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
    st.global.u32 [%outt], %r1;
    ret;)",
                        96);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  for (int thread = 0; thread < 96; ++thread)
    EXPECT_EQ(outcome.out[thread], 2040u);
}

TEST(NamedBarrier, ExitedThreadsDoNotCount) {
  Outcome outcome = one(R"(
    setp.ge.u32 %p1, %t, 64;
    @%p1 exit;
    bar.sync 0;
    st.global.u32 [%outt], 1;
    ret;)",
                        128);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[63], 1u);
  EXPECT_EQ(outcome.out[64], 0xCDCDCDCDu);
}

TEST(NamedBarrier, Misuse) {
  EXPECT_TRUE(one("bar.sync 16; ret;").has("barrier-id"));
  EXPECT_TRUE(one("bar.sync 1, 48; ret;", 64).has("barrier-count"));
  // Warp 1 never comes.
  EXPECT_TRUE(one("setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1, 64; "
                  "@!%p1 bar.sync 2, 64; ret;",
                  64)
                  .has("deadlock"));
}

TEST(Registers, PoolOfSetmaxnreg) {
  // 384 threads at 168 registers take 64512 of the 65536: an increase waits
  // until the producer has given its registers back.
  std::string body = prologue() + R"(
    setp.lt.u32 %p1, %t, 128;
    @%p1 bra PRODUCER;
    setmaxnreg.inc.sync.aligned.u32 240;
    st.global.u32 [%outt], 2;
    ret;
  PRODUCER:
    setmaxnreg.dec.sync.aligned.u32 24;
    st.global.u32 [%outt], 1;
    ret;)";
  LaunchSetup setup;
  setup.block = {384, 1, 1};
  Outcome outcome = run(kernel(body), setup);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[128], 2u);
  // Without the decrease nobody can have more.
  body = prologue() + "setmaxnreg.inc.sync.aligned.u32 240; ret;";
  EXPECT_TRUE(run(kernel(body), setup).has("deadlock"));
}
} // namespace
