//===- DivergenceTest.cpp - Lanes that go different ways --------*- C++ -*-===//

#include "Harness.h"

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
Outcome inEveryMode(const std::string &body, LaunchSetup setup = {},
                    const std::string &before = "") {
  Outcome last;
  for (const Options &options : allModes()) {
    setup.options = options;
    last = run(kernel(prologue() + body, "sm_100a", before), setup);
    EXPECT_TRUE(last.clean()) << last.text();
  }
  return last;
}

TEST(Divergence, LanesMeetBehindAnIf) {
  // The vote needs all lanes: they must have met again.
  Outcome outcome = inEveryMode(R"(
    setp.lt.u32 %p1, %t, 10;
    mov.u32 %r1, 0;
    @%p1 bra THEN;
    add.u32 %r1, %r1, 1;
    bra.uni JOIN;
  THEN:
    add.u32 %r1, %r1, 2;
  JOIN:
    setp.eq.u32 %p2, %r1, 2;
    vote.sync.ballot.b32 %r2, %p2, -1;
    activemask.b32 %r3;
    add.u32 %r2, %r2, %r3;
    st.global.u32 [%outt], %r2;
    ret;)");
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], 0x3FFu - 1);
}

TEST(Divergence, LoopsOfDifferentLength) {
  Outcome outcome = inEveryMode(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    add.u32 %r1, %r1, %r2;
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p1, %r2, %t;
    @%p1 bra LOOP;
    activemask.b32 %r3;
    setp.eq.u32 %p2, %r3, -1;
    selp.b32 %r1, %r1, 12345, %p2;
    st.global.u32 [%outt], %r1;
    ret;)");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], lane * (lane + 1) / 2);
}

TEST(Divergence, NestedBranchesAndEarlyExit) {
  Outcome outcome = inEveryMode(R"(
    and.b32 %r1, %t, 3;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 exit;
    setp.eq.u32 %p2, %r1, 0;
    mov.u32 %r2, 1;
    @%p2 bra ZERO;
    setp.eq.u32 %p3, %r1, 1;
    @%p3 bra ONE;
    mov.u32 %r2, 30;
    bra JOIN;
  ONE:
    mov.u32 %r2, 20;
    bra JOIN;
  ZERO:
    mov.u32 %r2, 10;
  JOIN:
    bar.sync 0;
    activemask.b32 %r3;
    and.b32 %r3, %r3, 15;
    add.u32 %r2, %r2, %r3;
    st.global.u32 [%outt], %r2;
    ret;)");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t k = lane & 3;
    EXPECT_EQ(outcome.out[lane], k == 3 ? 0xCDCDCDCDu : 10 * (k + 1) + 7);
  }
}

/// Lane 0 spins until lane 1 has written: a warp without independent progress
/// of its lanes would hang.
TEST(Divergence, SpinningLaneDoesNotStopOthers) {
  Outcome outcome = inEveryMode(R"(
    setp.eq.u32 %p1, %t, 0;
    @%p1 bra SPIN;
    setp.eq.u32 %p2, %t, 1;
    @!%p2 bra DONE;
    st.volatile.global.u32 [%out+512], 7;
    bra DONE;
  SPIN:
    ld.volatile.global.u32 %r1, [%out+512];
    setp.ne.u32 %p3, %r1, 7;
    @%p3 bra SPIN;
    st.global.u32 [%out], 1;
  DONE:
    ret;)");
  EXPECT_EQ(outcome.out[0], 1u);
}

/// The classic lock: each lane takes it in turn.
TEST(Divergence, SpinLockWithinAWarp) {
  LaunchSetup setup;
  setup.block = {64, 1, 1};
  Outcome outcome = inEveryMode(R"(
    mov.u64 %rd1, lock;
  AGAIN:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 3;
    st.volatile.global.u32 [%rd1+4], %r2;
    atom.global.exch.b32 %r3, [%rd1], 0;
    bar.sync 0;
    ld.volatile.global.u32 %r2, [%rd1+4];
    st.global.u32 [%outt], %r2;
    ret;)",
                                setup, ".global .u32 lock[2];");
  for (int thread = 0; thread < 64; ++thread)
    EXPECT_EQ(outcome.out[thread], 3u * 64);
}

TEST(Divergence, BranchTable) {
  Outcome outcome = inEveryMode(R"(
    and.b32 %r1, %t, 3;
    T: .branchtargets A, B, C, B;
    brx.idx %r1, T;
  A: mov.u32 %r2, 1; bra JOIN;
  B: mov.u32 %r2, 2; bra JOIN;
  C: mov.u32 %r2, 3;
  JOIN:
    activemask.b32 %r3;
    setp.eq.u32 %p1, %r3, -1;
    selp.b32 %r2, %r2, 0, %p1;
    st.global.u32 [%outt], %r2;
    ret;)");
  const uint32_t expected[] = {1, 2, 3, 2};
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], expected[lane & 3]);
}

TEST(Divergence, BranchTableIndexOutOfRange) {
  Outcome outcome = run(kernel(prologue() + R"(
    T: .branchtargets A;
    brx.idx %t, T;
  A: ret;)"));
  EXPECT_TRUE(outcome.has("branch-index")) << outcome.text();
}

TEST(Divergence, Calls) {
  // A divergent call of a function that diverges again.
  Outcome outcome = inEveryMode(R"(
    setp.gt.u32 %p1, %t, 5;
    mov.u32 %r2, 1000;
    @!%p1 bra SKIP;
    {
      .param .b32 p0; .param .b32 ret0;
      st.param.b32 [p0], %t;
      call.uni (ret0), f, (p0);
      ld.param.b32 %r2, [ret0];
    }
  SKIP:
    activemask.b32 %r3;
    setp.eq.u32 %p2, %r3, -1;
    selp.b32 %r2, %r2, 0, %p2;
    st.global.u32 [%outt], %r2;
    ret;)",
                                {}, R"(
.func (.param .b32 r) f(.param .b32 a) {
  .reg .b32 %x<4>; .reg .pred %q;
  ld.param.b32 %x0, [a];
  setp.lt.u32 %q, %x0, 20;
  @%q bra SMALL;
  mul.lo.u32 %x1, %x0, 2;
  st.param.b32 [r], %x1;
  ret;
SMALL:
  add.u32 %x1, %x0, 100;
  st.param.b32 [r], %x1;
  ret;
})");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], lane <= 5   ? 1000u
                                 : lane < 20 ? lane + 100
                                             : 2 * lane);
}

TEST(Divergence, LocalMemoryIsEachThreadsOwn) {
  Outcome outcome = inEveryMode(R"(
    .local .align 8 .b8 depot[64];
    .reg .b64 %SP, %SPL;
    mov.b64 %SPL, depot;
    cvta.local.u64 %SP, %SPL;
    st.u32 [%SP+8], %t;
    ld.local.u32 %r1, [%SPL+8];
    add.u32 %r1, %r1, 1;
    st.local.u32 [depot+12], %r1;
    ld.u32 %r2, [%SP+12];
    st.global.u32 [%outt], %r2;
    ret;)");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], lane + 1);
}

/// An aligned instruction that only part of a warp reaches is an error.
TEST(Divergence, AlignedInstructionInDivergedCode) {
  Outcome outcome = run(kernel(prologue() + R"(
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra HALF;
    bra END;
  HALF:
    bar.sync 0;
    activemask.b32 %r1;
    shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;
  END:
    shfl.sync.idx.b32 %r1, %t, 0, 31, -1;
    ret;)"));
  EXPECT_TRUE(outcome.report.hasErrors());
}
} // namespace
