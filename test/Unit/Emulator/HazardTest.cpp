//===- HazardTest.cpp - What the checks find --------------------*- C++ -*-===//
//
// Each test runs a right program and the same one without the instruction that
// makes it right: the first must be free of errors in every mode, the second
// must be reported in every mode.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <optional>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
const char shared[] = ".shared .align 1024 .b8 s[16384];\n";

/// Replaces the text between the marks `<!` and `!>`: kept in the right
/// program, left out in the wrong one.
std::string variant(std::string body, bool right) {
  while (true) {
    size_t begin = body.find("<!");
    if (begin == std::string::npos)
      return body;
    size_t end = body.find("!>", begin);
    std::string inner = body.substr(begin + 2, end - begin - 2);
    body.replace(begin, end + 2 - begin, right ? inner : "");
  }
}

void expectFound(const std::string &body, const std::string &kind,
                 uint32_t threads, const std::string &target = "sm_100a") {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.block = {threads, 1, 1};
    setup.options = options;
    Outcome good =
        run(kernel(prologue() + variant(body, true), target, shared), setup);
    EXPECT_TRUE(good.clean()) << good.text();
    Outcome bad =
        run(kernel(prologue() + variant(body, false), target, shared), setup);
    ASSERT_TRUE(bad.loaded.program) << bad.text();
    EXPECT_TRUE(bad.has(kind)) << kind << "\n" << bad.text();
  }
}

const char address[] = R"(
    shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    xor.b32 %r3, %r1, 128; mov.u32 %r4, s; add.u32 %r3, %r4, %r3;
)";

TEST(Hazard, BarrierBetweenWriteAndRead) {
  expectFound(std::string(address) + R"(
    st.shared.u32 [%r2], %t;
    <!bar.sync 0;!>
    ld.shared.u32 %r5, [%r3];
    ret;)",
              "shared-memory-race", 64);
}

TEST(Hazard, BarrierBetweenReadAndOverwrite) {
  expectFound(std::string(address) + R"(
    st.shared.u32 [%r2], %t;
    bar.sync 0;
    ld.shared.u32 %r5, [%r3];
    <!bar.sync 0;!>
    st.shared.u32 [%r2], %r5;
    ret;)",
              "shared-memory-race", 64);
}

/// Bytes of one word that different warps write are no race.
TEST(Hazard, NeighbouringBytes) {
  LaunchSetup setup;
  setup.block = {128, 1, 1};
  Outcome outcome = run(kernel(prologue() + R"(
    shr.u32 %r1, %t, 5; and.b32 %r2, %t, 31; shl.b32 %r2, %r2, 2;
    add.u32 %r1, %r1, %r2; mov.u32 %r3, s; add.u32 %r3, %r3, %r1;
    st.shared.u8 [%r3], %t;
    ld.shared.u8 %r4, [%r3];
    st.global.u32 [%outt], %r4;
    ret;)",
                               "sm_90a", shared),
                        setup);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[100], 100u);
}

const char tmaLoad[] = R"(
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r4, s;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 256, [%r4];
)";

TEST(Hazard, WaitForABulkLoad) {
  expectFound(std::string(tmaLoad) + R"(
    <!W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;!>
    shl.b32 %r1, %t, 2; add.u32 %r2, %r4, %r1;
    ld.shared.u32 %r5, [%r2+1024];
    ret;)",
              "shared-memory-race", 32);
}

/// The thread that waits is not the one that reads.
TEST(Hazard, WaitOfAnotherWarp) {
  expectFound(std::string(tmaLoad) + R"(
    setp.lt.u32 %p3, %t, 32;
    @!%p3 bra SKIP;
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    SKIP:
    <!bar.sync 0;!>
    shl.b32 %r1, %t, 2; add.u32 %r2, %r4, %r1;
    ld.shared.u32 %r5, [%r2+1024];
    ret;)",
              "shared-memory-race", 64);
}

TEST(Hazard, BulkLoadOverwritesWhatIsStillRead) {
  expectFound(R"(
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r4, s;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    shl.b32 %r1, %t, 2; add.u32 %r2, %r4, %r1;
    st.shared.u32 [%r2+1024], %t;
    bar.sync 0;
    xor.b32 %r1, %r1, 128; add.u32 %r2, %r4, %r1;
    ld.shared.u32 %r5, [%r2+1024];
    <!bar.sync 0;!>
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 256, [%r4];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    ret;)",
              "shared-memory-race", 64);
}

TEST(Hazard, ProxyFenceBeforeABulkStore) {
  const char body[] = R"(
    shl.b32 %r1, %t, 2; mov.u32 %r4, s; add.u32 %r2, %r4, %r1;
    st.shared.u32 [%r2], %t;
    <!fence.proxy.async.shared::cta;!>
    bar.sync 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r4], 256;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    ret;)";
  expectFound(body, "missing-proxy-fence", 64);
  // Before the write it is of no use.
  std::string early = body;
  size_t store = early.find("st.shared");
  early.insert(store, "fence.proxy.async;\n");
  LaunchSetup setup;
  setup.block = {64, 1, 1};
  EXPECT_TRUE(
      run(kernel(prologue() + variant(early, false), "sm_90a", shared), setup)
          .has("missing-proxy-fence"));
}

TEST(Hazard, SourceOfABulkStoreReused) {
  expectFound(R"(
    shl.b32 %r1, %t, 2; mov.u32 %r4, s; add.u32 %r2, %r4, %r1;
    st.shared.u32 [%r2], %t;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r4], 256;
    @%p1 cp.async.bulk.commit_group;
    <!@%p1 cp.async.bulk.wait_group.read 0;!>
    bar.sync 0;
    st.shared.u32 [%r2], 0;
    @%p1 cp.async.bulk.wait_group.read 0;
    ret;)",
              "shared-memory-race", 64);
}

TEST(Hazard, BulkStoreOutstandingAtExit) {
  expectFound(R"(
    shl.b32 %r1, %t, 2; mov.u32 %r4, s; add.u32 %r2, %r4, %r1;
    st.shared.u32 [%r2], %t;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r4], 256;
    @%p1 cp.async.bulk.commit_group;
    <!@%p1 cp.async.bulk.wait_group.read 0;!>
    ret;)",
              "copy-outstanding-at-exit", 64);
}

/// Reading the source suffices for shared memory, completion for the output.
TEST(Hazard, BulkStoreIncompleteAtExit) {
  auto strict = [&](const std::string &waits) {
    LaunchSetup setup;
    setup.block = {64, 1, 1};
    setup.options.strict = true;
    Outcome outcome = run(kernel(prologue() + R"(
    shl.b32 %r1, %t, 2; mov.u32 %r4, s; add.u32 %r2, %r4, %r1;
    st.shared.u32 [%r2], %t;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r4], 256;
    @%p1 cp.async.bulk.commit_group;
    )" + waits + " ret;",
                                 "sm_90a", shared),
                          setup);
    EXPECT_TRUE(outcome.clean()) << outcome.text();
    return outcome.has("bulk-store-incomplete", Severity::Strict);
  };
  EXPECT_TRUE(strict("cp.async.bulk.wait_group.read 0;"));
  EXPECT_FALSE(strict("cp.async.bulk.wait_group 0;"));
  EXPECT_FALSE(strict("@%p1 cp.async.bulk.wait_group 0;"));
  EXPECT_TRUE(strict("@%p1 cp.async.bulk.wait_group.read 0; "
                     "@!%p1 cp.async.bulk.wait_group 0;"));
  EXPECT_FALSE(
      strict("cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;"));
  EXPECT_TRUE(
      strict("cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 1;"));
}

TEST(Hazard, CpAsync) {
  expectFound(std::string(address) + R"(
    cp.async.ca.shared.global [%r2], [%int], 4;
    cp.async.commit_group;
    <!cp.async.wait_group 0;!>
    bar.sync 0;
    ld.shared.u32 %r5, [%r3];
    ret;)",
              "shared-memory-race", 64);
}

const char tensorAlloc[] = R"(
    .reg .b32 %taddr, %c<40>; .reg .b64 %da, %db;
    mov.u32 %r4, s;
    setp.eq.u32 %p1, %t, 0;
    setp.lt.u32 %p3, %t, 32;
    @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4+64], 64;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    bar.sync 0;
    ld.shared.u32 %taddr, [%r4+64];
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
)";
const char tensorEnd[] = R"(
    bar.sync 0;
    @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, 64;
    ret;)";

/// Zero operands in shared memory, an f8f6f4 MMA of 128 x 16 x 32.
const char tensorMma[] = R"(
    // 128 rows of 32 bytes for A at s + 4096, 16 for B at s + 8192.
    shl.b32 %r6, %t, 5; add.u32 %r6, %r6, %r4;
    st.shared.v4.u32 [%r6+4096], {0, 0, 0, 0};
    st.shared.v4.u32 [%r6+4112], {0, 0, 0, 0};
    setp.lt.u32 %p4, %t, 16;
    @%p4 st.shared.v4.u32 [%r6+8192], {0, 0, 0, 0};
    @%p4 st.shared.v4.u32 [%r6+8208], {0, 0, 0, 0};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    // No swizzle: 8 rows x 16 bytes; LBO 128, SBO 256.
    add.u32 %r7, %r4, 4096; shr.u32 %r7, %r7, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000401000080000;
    add.u32 %r7, %r4, 8192; shr.u32 %r7, %r7, 4; cvt.u64.u32 %db, %r7;
    or.b64 %db, %db, 0x0000401000080000;
    mov.u32 %r8, 0x08040010; // e4m3 x e4m3, f32, M 128, N 16
    @%p1 tcgen05.mma.cta_group::1.kind::f8f6f4 [%taddr], %da, %db, %r8, 0;
)";

TEST(Hazard, CommitAndWaitBeforeReadingTheAccumulator) {
  expectFound(std::string(tensorAlloc) + tensorMma + R"(
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    <!W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;!>
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    X: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra X;
)" + tensorEnd,
              "tensor-memory-race", 128);
}

TEST(Hazard, SharedOperandsOverwrittenDuringAnMma) {
  expectFound(std::string(tensorAlloc) + tensorMma + R"(
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    <!W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;!>
    st.shared.v4.u32 [%r6+4096], {1, 0, 0, 0};
    X: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra X;
)" + tensorEnd,
              "shared-memory-race", 128);
}

TEST(Hazard, WaitForTensorLoadsBeforeTheAccumulatorIsWrittenAgain) {
  expectFound(std::string(tensorAlloc) + tensorMma + R"(
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    <!tcgen05.wait::ld.sync.aligned;!>
    bar.sync 0;
    @%p1 tcgen05.mma.cta_group::1.kind::f8f6f4 [%taddr], %da, %db, %r8, 0;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    X: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 1; @!%p2 bra X;
)" + tensorEnd,
              "tensor-memory-race", 128);
}

TEST(Hazard, WaitForTensorStores) {
  expectFound(std::string(tensorAlloc) + R"(
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%t};
    <!tcgen05.wait::st.sync.aligned;!>
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.wait::st.sync.aligned;
)" + tensorEnd,
              "tensor-memory-race", 128);
}

/// Two stores to one column stay in no order of their own.
TEST(Hazard, TensorStoresOverlap) {
  expectFound(std::string(tensorAlloc) + R"(
    tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], {%t, %t};
    <!tcgen05.wait::st.sync.aligned;!>
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5+1], {%t};
    tcgen05.wait::st.sync.aligned;
)" + tensorEnd,
              "tensor-memory-race", 128);
}

/// Halves of the lanes of one column are two places.
TEST(Hazard, TensorStoresBesideEachOther) {
  LaunchSetup setup;
  setup.block = {128, 1, 1};
  Outcome outcome = run(kernel(prologue() + std::string(tensorAlloc) + R"(
    tcgen05.st.sync.aligned.16x64b.x1.b32 [%r5], {%t};
    add.u32 %r6, %r5, 0x100000;
    tcgen05.st.sync.aligned.16x64b.x1.b32 [%r6], {%t};
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5+8], {%t};
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5+9], {%t};
    tcgen05.wait::st.sync.aligned;
)" + tensorEnd,
                               "sm_100a", shared),
                        setup);
  EXPECT_TRUE(outcome.clean()) << outcome.text();
}

TEST(Hazard, RegistersOfATensorLoad) {
  expectFound(std::string(tensorAlloc) + R"(
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%t};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    <!tcgen05.wait::ld.sync.aligned;!>
    mov.u32 %c0, 5;
    tcgen05.wait::ld.sync.aligned;
)" + tensorEnd,
              "tcgen05-ld-register", 128);
}

TEST(Hazard, TensorMemoryLeft) {
  expectFound(R"(
    .reg .b32 %taddr;
    mov.u32 %r4, s;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4+64], 64;
    ld.shared.u32 %taddr, [%r4+64];
    <!tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, 64;!>
    ret;)",
              "tensor-memory-leak", 32);
}

TEST(Hazard, UninitialisedTensorMemory) {
  expectFound(std::string(tensorAlloc) + R"(
    <!tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%t};!>
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    tcgen05.wait::ld.sync.aligned;
)" + tensorEnd,
              "tensor-memory-uninitialised", 128);
}

/// A commit tracks what its own thread issued, nothing of other lanes.
TEST(Hazard, CommitOfAnotherLane) {
  expectFound(std::string(tensorAlloc) + tensorMma + R"(
    cvt.u64.u32 %rd1, %r4;
    <!@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1]; bra W;!>
    setp.eq.u32 %p4, %t, 1;
    @%p4 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    tcgen05.wait::ld.sync.aligned;
)" + tensorEnd,
              "tensor-memory-race", 128);
}

/// Multiplications of one thread follow each other only with one accumulator
/// and shape (PTX ISA, "Pipelined tcgen05 Instructions").
TEST(Hazard, AccumulatorOfAnotherShape) {
  std::string body = std::string(tensorAlloc) + tensorMma + R"(
    mov.u32 %r8, SHAPE;
    @%p1 tcgen05.mma.cta_group::1.kind::f8f6f4 [%taddr], %da, %db, %r8, 1;
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
)" + tensorEnd;
  auto withShape = [&](const char *shape) {
    std::string text = body;
    text.replace(text.find("SHAPE"), 5, shape);
    LaunchSetup setup;
    setup.block = {128, 1, 1};
    return run(kernel(prologue() + text, "sm_100a", shared), setup);
  };
  Outcome same = withShape("0x08040010");
  EXPECT_TRUE(same.clean()) << same.text();
  Outcome other = withShape("0x08020010"); // N 8
  EXPECT_TRUE(other.has("tensor-memory-race")) << other.text();
}

//===----------------------------------------------------------------------===//
// Lanes of one warp are threads too
//===----------------------------------------------------------------------===//

const char laneAddress[] = R"(
    shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    xor.b32 %r3, %r1, 4; mov.u32 %r4, s; add.u32 %r3, %r4, %r3;
)";

TEST(Hazard, LanesWithoutABarrier) {
  for (const char *barrier : {"bar.warp.sync -1;", "bar.sync 0;"})
    expectFound(std::string(laneAddress) + R"(
    st.shared.u32 [%r2], %t;
    <!)" + barrier + R"(!>
    ld.shared.u32 %r5, [%r3];
    ret;)",
                "shared-memory-race", 32);
  expectFound(std::string(laneAddress) + R"(
    st.shared.u32 [%r2], %t;
    bar.warp.sync -1;
    ld.shared.u32 %r5, [%r3];
    <!bar.warp.sync -1;!>
    st.shared.u32 [%r2], %r5;
    ret;)",
              "shared-memory-race", 32);
}

TEST(Hazard, LanesThroughAnMbarrier) {
  expectFound(std::string(laneAddress) + R"(
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [%r4+1024], 32;
    bar.warp.sync -1;
    st.shared.u32 [%r2], %t;
    mbarrier.arrive.shared.b64 %rd1, [%r4+1024];
    <!W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4+1024], 0; @!%p2 bra W;!>
    ld.shared.u32 %r5, [%r3];
    ret;)",
              "shared-memory-race", 32);
}

/// One lane waits; the others know of it through bar.warp.sync only.
TEST(Hazard, WaitOfAnotherLane) {
  expectFound(std::string(tmaLoad) + R"(
    @!%p1 bra SKIP;
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    SKIP:
    <!bar.warp.sync -1;!>
    shl.b32 %r1, %t, 2; add.u32 %r2, %r4, %r1;
    ld.shared.u32 %r5, [%r2+1024];
    ret;)",
              "shared-memory-race", 32);
}

/// All lanes of an instruction may write one place.
TEST(Hazard, LanesWriteOnePlaceTogether) {
  LaunchSetup setup;
  Outcome outcome = run(kernel(prologue() + R"(
    mov.u32 %r4, s;
    st.shared.u32 [%r4], 7;
    bar.warp.sync -1;
    ld.shared.u32 %r5, [%r4];
    st.global.u32 [%outt], %r5;
    ret;)",
                               "sm_90a", shared),
                        setup);
  EXPECT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[31], 7u);
}

/// What is accessed before the grids before are known to be done.
TEST(Hazard, GridWait) {
  auto strict = [&](const std::string &body) {
    std::optional<bool> found;
    for (const Options &options : allModes()) {
      LaunchSetup setup;
      setup.block = {64, 1, 1};
      setup.options = options;
      setup.options.strict = true;
      Outcome outcome = run(kernel(prologue() + R"(
    setp.lt.u32 %p1, %t, 32; setp.eq.u32 %p3, %t, 0;
    mov.u32 %r4, s;
    )" + body + " ret;",
                                   "sm_90a", shared),
                            setup);
      EXPECT_TRUE(outcome.clean()) << outcome.text();
      bool has = outcome.has("missing-grid-wait", Severity::Strict);
      EXPECT_EQ(found.value_or(has), has);
      found = has;
    }
    return *found;
  };
  const std::string load = "ld.global.u32 %r5, [%in];",
                    store = "st.global.u32 [%outt], %t;",
                    wait = "griddepcontrol.wait;",
                    launch = "griddepcontrol.launch_dependents;", bulk = R"(
    @%p3 mbarrier.init.shared.b64 [%r4], 1;
    @%p3 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;
    @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 256, [%r4];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
)";
  // Nothing is asked of kernels that know nothing of it.
  EXPECT_FALSE(strict(load + store + bulk));
  EXPECT_FALSE(strict(wait + load + store + bulk));
  EXPECT_FALSE(strict(wait + launch + load + store));
  EXPECT_TRUE(strict(load + wait));
  EXPECT_TRUE(strict(store + wait));
  EXPECT_TRUE(strict(bulk + wait));
  EXPECT_TRUE(strict("red.global.add.u32 [%out], 1;" + wait));
  EXPECT_TRUE(strict(launch + load));
  // Shared memory and parameters are the launch's own.
  EXPECT_FALSE(
      strict("@%p3 st.shared.u32 [%r4], 1; bar.sync 0;" + wait + load));
  // One warp waits: the other one must hear of it.
  EXPECT_TRUE(strict("@%p1 " + wait + store));
  EXPECT_FALSE(strict("@%p1 " + wait + "bar.sync 0;" + store));
  EXPECT_TRUE(strict("@!%p1 " + wait + load));
  EXPECT_FALSE(strict("@!%p1 " + wait + bulk));
}

/// A fence is for what its own lane initialised, or has learnt of.
TEST(Hazard, InitFenceOfAnotherLane) {
  auto strict = [&](const std::string &fence) {
    LaunchSetup setup;
    setup.options.strict = true;
    Outcome outcome = run(kernel(prologue() + R"(
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r4, s;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    )" + fence + R"(
    bar.warp.sync -1;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 256, [%r4];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    ret;)",
                                 "sm_90a", shared),
                          setup);
    EXPECT_TRUE(outcome.clean()) << outcome.text();
    return outcome.has("missing-mbarrier-init-fence", Severity::Strict);
  };
  EXPECT_FALSE(strict("fence.mbarrier_init.release.cluster;"));
  EXPECT_FALSE(strict("@%p1 fence.mbarrier_init.release.cluster;"));
  EXPECT_TRUE(strict("@!%p1 fence.mbarrier_init.release.cluster;"));
  EXPECT_FALSE(
      strict("bar.warp.sync -1; @!%p1 fence.mbarrier_init.release.cluster;"));
}

/// Warps 0 and 1 use barrier 1, then warps 2 and 3: they must know that the
/// first use is over, or they may be counted for it.
TEST(Hazard, NamedBarrierOfOthers) {
  expectFound(R"(
    setp.lt.u32 %p1, %t, 64;
    @!%p1 bra OTHERS;
    bar.sync 1, 64;
    <!bar.arrive 2, 128;!>
    ret;
    OTHERS:
    <!bar.sync 2, 128;!>
    bar.sync 1, 64;
    ret;)",
              "barrier-reuse", 128);
}

/// Which lane elect.sync elects is not said; it is the same one each time.
TEST(Hazard, ElectedLane) {
  uint32_t seen = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    LaunchSetup setup;
    setup.options.mode = AsyncMode::Random;
    setup.options.seed = seed;
    Outcome outcome = run(kernel(prologue() + R"(
    elect.sync %r1|%p1, -1;
    elect.sync %r2|%p2, -1;
    selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 1, 0, %p2;
    shl.b32 %r4, %r4, 1; or.b32 %r3, %r3, %r4;
    st.global.u32 [%outt], %r3;
    ret;)",
                                 "sm_90a", shared),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    uint32_t elected = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      ASSERT_TRUE(outcome.out[lane] == 0 || outcome.out[lane] == 3);
      elected |= (outcome.out[lane] & 1) << lane;
    }
    EXPECT_EQ(__builtin_popcount(elected), 1);
    seen |= elected;
  }
  EXPECT_GT(__builtin_popcount(seen), 4);
}

/// Nothing orders two bulk stores to one place but completion in between.
TEST(Hazard, BulkStoresOverlap) {
  auto found = [&](const std::string &between, AsyncMode mode) {
    LaunchSetup setup;
    setup.block = {64, 1, 1};
    setup.options.mode = mode;
    Outcome outcome = run(kernel(prologue() + R"(
    shl.b32 %r1, %t, 2; mov.u32 %r4, s; add.u32 %r2, %r4, %r1;
    st.shared.u32 [%r2], %t;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r4], 256;
    @%p1 cp.async.bulk.commit_group;
    )" + between + R"(
    add.s64 %rd1, %out, 240;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 16;
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group.read 0;
    ret;)",
                                 "sm_90a", shared),
                          setup);
    EXPECT_TRUE(outcome.loaded.program) << outcome.text();
    return outcome.has("bulk-store-overlap");
  };
  EXPECT_FALSE(found("@%p1 cp.async.bulk.wait_group 0;", AsyncMode::Eager));
  EXPECT_FALSE(found("@%p1 cp.async.bulk.wait_group 0;", AsyncMode::Lazy));
  EXPECT_TRUE(found("", AsyncMode::Eager));
  EXPECT_TRUE(found("", AsyncMode::Lazy));
  EXPECT_TRUE(found("@%p1 cp.async.bulk.wait_group.read 0;", AsyncMode::Lazy));
}

/// Zero operands, a wgmma of 64 x 8 x 32.
const char wgmma[] = R"(
    .reg .f32 %d<4>; .reg .b64 %da, %db;
    mov.u32 %r4, s;
    shl.b32 %r6, %t, 4; add.u32 %r6, %r6, %r4;
    st.shared.v4.u32 [%r6], {0, 0, 0, 0};
    st.shared.v4.u32 [%r6+4096], {0, 0, 0, 0};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    shr.u32 %r7, %r4, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000001000080000;
    add.u32 %r7, %r4, 4096; shr.u32 %r7, %r7, 4; cvt.u64.u32 %db, %r7;
    or.b64 %db, %db, 0x0000001000080000;
    mov.f32 %d0, 0f3F800000; mov.f32 %d1, %d0; mov.f32 %d2, %d0;
    mov.f32 %d3, %d0;
    setp.eq.u32 %p1, %t, %t;
)";

TEST(Hazard, WgmmaRegisters) {
  expectFound(std::string(wgmma) + R"(
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%d0, %d1, %d2, %d3}, %da, %db, %p1, 1, 1;
    wgmma.commit_group.sync.aligned;
    <!wgmma.wait_group.sync.aligned 0;!>
    add.f32 %f1, %d0, %d1;
    wgmma.wait_group.sync.aligned 0;
    st.global.f32 [%outt], %f1;
    ret;)",
              "wgmma-register", 128, "sm_90a");
}

TEST(Hazard, WgmmaFence) {
  expectFound(std::string(wgmma) + R"(
    <!wgmma.fence.sync.aligned;!>
    wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%d0, %d1, %d2, %d3}, %da, %db, %p1, 1, 1;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;)",
              "wgmma-fence", 128, "sm_90a");
}

TEST(Hazard, WgmmaOperandsOverwritten) {
  expectFound(std::string(wgmma) + R"(
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%d0, %d1, %d2, %d3}, %da, %db, %p1, 1, 1;
    wgmma.commit_group.sync.aligned;
    <!wgmma.wait_group.sync.aligned 0;!>
    bar.sync 0;
    st.shared.v4.u32 [%r6], {0, 0, 0, 0};
    wgmma.wait_group.sync.aligned 0;
    ret;)",
              "shared-memory-race", 128, "sm_90a");
}

TEST(Hazard, StrictFindings) {
  LaunchSetup setup;
  setup.block = {128, 1, 1};
  std::string body = std::string(tensorAlloc) + tensorMma + R"(
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    <!tcgen05.fence::after_thread_sync;!>
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.fence::before_thread_sync;
)" + tensorEnd;
  // Not asked for, not told.
  Outcome outcome =
      run(kernel(prologue() + variant(body, false), "sm_100a", shared), setup);
  EXPECT_TRUE(outcome.report.diagnostics.empty()) << outcome.text();
  setup.options.strict = true;
  outcome =
      run(kernel(prologue() + variant(body, false), "sm_100a", shared), setup);
  EXPECT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_TRUE(outcome.has("missing-after-thread-sync", Severity::Strict))
      << outcome.text();
}
} // namespace
