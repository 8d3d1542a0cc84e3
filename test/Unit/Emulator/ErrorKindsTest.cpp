//===- ErrorKindsTest.cpp - Illegal values and what they are called -------===//
//
// Each test runs a right program and the same one with one illegal value or
// order: the first must be clean, the second must end in the error of that
// kind. HazardTest.cpp has those of missing synchronisation.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
const char shared[] = ".shared .align 1024 .b8 s[16384];\n";

/// Of every `[[right||wrong]]` one half.
std::string variant(std::string body, bool right) {
  for (size_t begin; (begin = body.find("[[")) != std::string::npos;) {
    size_t middle = body.find("||", begin), end = body.find("]]", middle);
    while (body.compare(end, 3, "]]]") == 0)
      ++end; // the first bracket is the text's
    body.replace(begin, end + 2 - begin,
                 right ? body.substr(begin + 2, middle - begin - 2)
                       : body.substr(middle + 2, end - middle - 2));
  }
  return body;
}

struct Setting {
  uint32_t threads = 32;
  uint32_t ctas = 1; ///< of the only cluster
  const char *target = "sm_100a";
  Severity severity = Severity::Error;
  /// Operations that are done at their issue are over before the fault.
  bool needsDelay = false;
};

void expectKind(const std::string &kind, const std::string &body,
                Setting setting = {}) {
  for (Options options : allModes()) {
    LaunchSetup setup;
    setup.block = {setting.threads, 1, 1};
    setup.grid = setup.cluster = {setting.ctas, 1, 1};
    options.strict = setting.severity == Severity::Strict;
    setup.options = options;
    auto outcomeOf = [&](bool right) {
      return run(
          kernel(prologue() + variant(body, right), setting.target, shared),
          setup);
    };
    Outcome right = outcomeOf(true);
    EXPECT_TRUE(right.clean()) << kind << ", right:\n" << right.text();
    EXPECT_FALSE(right.has(kind, setting.severity)) << right.text();
    Outcome wrong = outcomeOf(false);
    ASSERT_TRUE(wrong.loaded.program) << wrong.text();
    if (setting.needsDelay && options.mode == AsyncMode::Eager)
      continue;
    if (setting.needsDelay && options.mode == AsyncMode::Random)
      continue; // either may come first
    EXPECT_TRUE(wrong.has(kind, setting.severity)) << kind << ", wrong:\n"
                                                   << wrong.text();
  }
}

const char oneBarrier[] = R"(
    setp.eq.u32 %p1, %t, 0; mov.u32 %r4, s;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    bar.sync 0;
)";
const char waitOne[] = R"(
  W: mbarrier.try_wait.parity.shared.b64 %p9, [%r4], 0; @!%p9 bra W;
)";

//===----------------------------------------------------------------------===//
// mbarriers and bulk copies
//===----------------------------------------------------------------------===//

TEST(ErrorKinds, ExpectedBytesAreFewerThanDelivered) {
  const std::string body = std::string(oneBarrier) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], [[256||128]];
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 128, [%r4];
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4+2048], [%in], 128, [%r4];
)" + waitOne + "ret;";
  // The second copy was issued before the first one completed the phase.
  expectKind("transaction-phase", body,
             {32, 1, "sm_100a", Severity::Error, true});
  // In every mode its bytes are left over.
  expectKind("mbarrier-transactions", body);
}

// Nobody waits for the phase, which would never complete.
TEST(ErrorKinds, BytesToComeAtExit) {
  expectKind("mbarrier-transactions", std::string(oneBarrier) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 128;
    [[@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 128, [%r4];
    W: mbarrier.try_wait.parity.shared.b64 %p9, [%r4], 0; @!%p9 bra W;||]]
    ret;)");
}

TEST(ErrorKinds, ExpectedBytesAreMoreThanDelivered) {
  expectKind("deadlock", std::string(oneBarrier) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], [[128||144]];
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 128, [%r4];
)" + waitOne + "ret;");
}

TEST(ErrorKinds, TransactionCountLeavesItsRange) {
  expectKind("mbarrier-transactions", std::string(oneBarrier) + R"(
    @%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r4], 1048575;
    @%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r4], [[0||1]];
    @%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], 1048575;
    @%p1 mbarrier.arrive.shared.b64 _, [%r4];
    [[||@%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], 1;]]
)" + waitOne + "ret;");
}

TEST(ErrorKinds, InvalidatedInUse) {
  expectKind("mbarrier-in-use", std::string(oneBarrier) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 128;
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 128, [%r4];
    [[W: mbarrier.try_wait.parity.shared.b64 %p9, [%r4], 0; @!%p9 bra W;||]]
    bar.sync 0;
    @%p1 mbarrier.inval.shared.b64 [%r4];
    ret;)",
             {32, 1, "sm_100a", Severity::Error, true});
}

const char clusterStart[] = R"(
    setp.eq.u32 %p1, %t, 0; mov.u32 %r4, s;
    mov.u32 %r2, %cluster_ctarank;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
)";
const char clusterEnd[] = R"(
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;)";

TEST(ErrorKinds, MbarrierOfAnotherCta) {
  expectKind("mbarrier-remote", std::string(clusterStart) + R"(
    [[||xor.b32 %r2, %r2, 1;]]
    mapa.shared::cluster.u32 %r3, %r4, %r2;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 128;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], 128, [%r3];
)" + waitOne + clusterEnd,
             {32, 2});
}

TEST(ErrorKinds, MulticastOutsideOfTheCluster) {
  expectKind("multicast-mask", std::string(clusterStart) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 128;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mov.u16 %h1, [[3||7]];
    setp.eq.and.u32 %p2, %r2, 0, %p1;
    @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4+1024], [%in], 128, [%r4], %h1;
)" + waitOne + clusterEnd,
             {32, 2});
}

TEST(ErrorKinds, SharedAddressOfNoCta) {
  expectKind("shared-address", std::string(clusterStart) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 128;
    mov.u32 %r3, %r4;
    [[||add.u32 %r3, %r3, 0x5000000;]]
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+1024], [%in], 128, [%r4];
)" + waitOne + clusterEnd,
             {32, 2});
}

TEST(ErrorKinds, SizeAndAlignmentOfABulkCopy) {
  expectKind("bulk-copy", std::string(oneBarrier) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], [[32||24]];
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4+1024], [%in], [[32||24]], [%r4];
)" + waitOne + "ret;");
  for (const char *wrong : {"[%r4+1032], [%in]", "[%r4+1024], [%in+8]"})
    expectKind("bulk-copy",
               std::string(oneBarrier) +
                   "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 32;"
                   "@%p1 cp.async.bulk.shared::cta.global.mbarrier::"
                   "complete_tx::bytes [[[%r4+1024], [%in]||" +
                   wrong + "]], 32, [%r4];" + waitOne + "ret;");
}

//===----------------------------------------------------------------------===//
// Warps and clusters
//===----------------------------------------------------------------------===//

TEST(ErrorKinds, ValueOfALaneThatTakesNoPart) {
  expectKind("shuffle-inactive-lane", R"(
    setp.lt.u32 %p1, %t, 16;
    @%p1 shfl.sync.bfly.b32 %r1, %t, [[8||16]], 31, 0xFFFF;
    @%p1 st.global.u32 [%outt], %r1;
    ret;)");
}

TEST(ErrorKinds, ArrivesTwiceAtTheClusterBarrier) {
  expectKind("cluster-barrier", R"(
    barrier.cluster.arrive.aligned;
    [[barrier.cluster.wait.aligned;||]]
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;)",
             {32, 2});
}

TEST(ErrorKinds, ArrivesTwiceWhenTheFirstPhaseIsComplete) {
  // The only warp of the cluster completes a phase by each arrival.
  expectKind("cluster-barrier", R"(
    barrier.cluster.arrive.aligned;
    [[barrier.cluster.wait.aligned;||]]
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;)",
             {32, 1});
}

TEST(ErrorKinds, WaitsAtTheClusterBarrierWithoutArriving) {
  // The first use completes a phase, which is not the one that is waited for.
  expectKind("cluster-barrier", R"(
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    [[barrier.cluster.arrive.aligned;||]]
    barrier.cluster.wait.aligned; ret;)",
             {32, 2});
}

TEST(ErrorKinds, VisitsACtaThatMayHaveExited) {
  // The first CTA does something in the memory of the second one, which waits
  // for it at a barrier of the cluster. A relaxed flag alone orders nothing, but
  // here the second CTA never is the faster one.
  for (const char *access :
       {"mbarrier.arrive.shared::cluster.b64 _, [%r5];",
        "ld.shared::cluster.u32 %r6, [%r5+8];",
        "st.shared::cluster.u32 [%r5+8], %t;",
        "atom.shared::cluster.add.u32 %r6, [%r5+8], 1;"})
    expectKind("cluster-exit", std::string(R"(
    mov.u32 %r4, s; mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 0, %p1;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 st.shared.u32 [%r4+8], 0;
    @%p1 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %r5, %r4, 1;
    @%p2 )") + access + R"(
    @%p2 st.relaxed.gpu.global.u32 [%out], 7;
POLL:
    ld.relaxed.gpu.global.u32 %r7, [%out];
    setp.ne.u32 %p3, %r7, 7;
    @%p3 bra POLL;
    [[barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;||]]
    ret;)",
               {32, 2});
  // One that waits for the arrival itself may exit then.
  expectKind("cluster-exit", R"(
    mov.u32 %r4, s; mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 0, %p1;
    setp.eq.u32 %p3, %r1, [[1||2]];
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %r5, %r4, 1;
    @%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
    @!%p3 bra END;
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, [%r4], 0;
    @!%p1 bra WAIT;
END:
    ret;)",
             {32, 2});
  // Commits track operations, and not each other: each arrival is waited for.
  expectKind("cluster-exit", R"(
    mov.u32 %r4, s; mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 0, %p1;
    setp.eq.u32 %p3, %r1, 1;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 mbarrier.init.shared.b64 [%r4+8], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    cvt.u64.u32 %rd1, %r4; mov.u16 %h1, 2;
    @%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1], %h1;
    @%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1+8], %h1;
    @!%p3 bra END;
    [[FIRST: mbarrier.try_wait.parity.shared.b64 %p1, [%r4], 0; @!%p1 bra FIRST;||]]
SECOND: mbarrier.try_wait.parity.shared.b64 %p1, [%r4+8], 0; @!%p1 bra SECOND;
END:
    ret;)",
             {32, 2});
}

TEST(ErrorKinds, SelectorsOfScales) {
  expectKind("mma-selector", R"(
    mov.u16 %h1, 0; mov.u16 %h2, [[1||2]];
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}, %r7, {%h1, %h2}, %r8, {%h1, %h1};
    ret;)",
             {32, 1, "sm_120a"});
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

const char tensorStart[] = R"(
    .reg .b32 %taddr, %c<4>; .reg .b64 %da, %db;
    mov.u32 %r4, s; setp.eq.u32 %p1, %t, 0; setp.lt.u32 %p3, %t, 32;
    @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4+64], 64;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    ld.shared.u32 %taddr, [%r4+64];
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
)";
const char tensorEnd[] = R"(
    bar.sync 0;
    @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, 64;
    ret;)";

/// Zero operands and an f8f6f4 multiplication of 128 x 16 x 32.
const char tensorMma[] = R"(
    shl.b32 %r6, %t, 5; add.u32 %r6, %r6, %r4;
    st.shared.v4.u32 [%r6+4096], {0, 0, 0, 0};
    st.shared.v4.u32 [%r6+4112], {0, 0, 0, 0};
    st.shared.v4.u32 [%r6+8192], {0, 0, 0, 0};
    st.shared.v4.u32 [%r6+8208], {0, 0, 0, 0};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    add.u32 %r7, %r4, 4096; shr.u32 %r7, %r7, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, [[0x0000401000080000||DESCRIPTOR]];
    add.u32 %r7, %r4, 8192; shr.u32 %r7, %r7, 4; cvt.u64.u32 %db, %r7;
    or.b64 %db, %db, 0x0000401000080000;
    mov.u32 %r8, [[0x08040010||INSTRUCTION]]; // e4m3, f32, M 128, N 16
    @%p1 tcgen05.mma.cta_group::1.kind::f8f6f4 [%taddr], %da, %db, %r8, 0;
    cvt.u64.u32 %rd1, %r4;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];
)";
std::string multiply(const std::string &descriptor,
                     const std::string &instruction) {
  std::string text = tensorMma;
  text.replace(text.find("DESCRIPTOR"), 10, descriptor);
  text.replace(text.find("INSTRUCTION"), 11, instruction);
  return text;
}
const char *const goodDescriptor = "0x0000401000080000";
const char *const goodInstruction = "0x08040010";

TEST(ErrorKinds, DescriptorsOfAMultiplication) {
  for (const char *instruction :
       {"0x08000010",  // N = 0
        "0x10040010",  // M = 256 with one CTA
        "0x08040020"}) // an accumulator format that does not exist
    expectKind("instruction-descriptor",
               tensorStart + multiply(goodDescriptor, instruction) + waitOne +
                   tensorEnd,
               {128});
  for (const char *descriptor :
       {"0x0000001000080000",  // bits 46 to 48 are not 001
        "0x2000401000080000"}) // a swizzle mode that does not exist
    expectKind("matrix-descriptor",
               tensorStart + multiply(descriptor, goodInstruction) + waitOne +
                   tensorEnd,
               {128});
}

TEST(ErrorKinds, DeallocatedInUse) {
  // While a multiplication writes it.
  expectKind("tensor-memory-in-use",
             tensorStart + multiply(goodDescriptor, goodInstruction) +
                 "[[W: mbarrier.try_wait.parity.shared.b64 %p9, [%r4], 0; "
                 "@!%p9 bra W;||]]" +
                 tensorEnd,
             {128, 1, "sm_100a", Severity::Error, true});
  // While a load reads it.
  expectKind("tensor-memory-race", std::string(tensorStart) + R"(
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%t};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    [[tcgen05.wait::ld.sync.aligned;||]]
)" + tensorEnd,
             {128});
}

TEST(ErrorKinds, AddressesOfTensorMemory) {
  // Lanes of one warp differ.
  expectKind("tensor-memory-address", std::string(tensorStart) + R"(
    [[||and.b32 %r6, %t, 1; add.u32 %r5, %r5, %r6;]]
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%t};
    tcgen05.wait::st.sync.aligned;
)" + tensorEnd,
             {128});
  // Beyond column 511.
  expectKind("tensor-memory-range", std::string(tensorStart) + R"(
    [[||or.b32 %r5, %r5, 511;]]
    tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], {%t, %t};
    tcgen05.wait::st.sync.aligned;
)" + tensorEnd,
             {128});
}

TEST(ErrorKinds, GroupsOfCtasMixed) {
  // A single CTA has no partner.
  expectKind("cta-group", std::string(tensorStart) + R"(
    @%p3 tcgen05.relinquish_alloc_permit.cta_group::[[1||2]].sync.aligned;
)" + tensorEnd,
             {128});
  // One kernel, one group.
  expectKind("cta-group", std::string(tensorStart) + R"(
    @%p3 tcgen05.relinquish_alloc_permit.cta_group::[[1||2]].sync.aligned;
)" + tensorEnd,
             {128, 2});
}

TEST(ErrorKinds, LaterAllocationsAreNotLarger) {
  expectKind("tensor-memory-order", std::string(tensorStart) + R"(
    @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4+68], [[32||128]];
    bar.sync 0;
    ld.shared.u32 %c0, [%r4+68];
    @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %c0, [[32||128]];
    @%p3 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
)" + tensorEnd,
             {128, 1, "sm_100a", Severity::Strict});
}

TEST(ErrorKinds, FenceBeforeABarrier) {
  // tensorEnd begins with a barrier; an arrival does as well, and a barrier of
  // the cluster.
  for (const char *order : {"", "mbarrier.arrive.shared.b64 _, [%r4+8];",
                            "barrier.cluster.arrive; barrier.cluster.wait;"})
    expectKind("missing-before-thread-sync", std::string(tensorStart) + R"(
    @%p1 mbarrier.init.shared.b64 [%r4+8], 128;
    bar.sync 0;
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%t};
    tcgen05.wait::st.sync.aligned;
    [[tcgen05.fence::before_thread_sync;||]]
)" + order + tensorEnd,
               {128, 1, "sm_100a", Severity::Strict});
}
} // namespace
