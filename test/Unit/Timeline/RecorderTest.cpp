//===- RecorderTest.cpp - From PTX to steps -------------------------------===//

#include "bsmm/Timeline/Recording.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace bsmm::timeline;
using namespace bsmm::emulator;
using Kind = Step::Kind;

static std::unique_ptr<Program> load(const std::string &body,
                                     const std::string &target = "sm_100a") {
  LoadResult loaded =
      loadProgram(".version 8.8\n.target " + target +
                  "\n.address_size 64\n.shared .align 1024 .b8 s[16384];\n"
                  ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
                  ".reg .b32 %r<64>; .reg .b64 %rd<16>; .reg .pred %p<4>;"
                  ".reg .f32 %f<8>;\n" +
                  body + "\nret;\n}\n");
  for (const SourceDiagnostic &error : loaded.errors)
    ADD_FAILURE() << error.line << ": " << error.message;
  return std::move(loaded.program);
}

struct Recorded {
  std::vector<uint8_t> in = std::vector<uint8_t>(4096, 1),
                       out = std::vector<uint8_t>(4096, 2);
  RecordResult result;

  Recorded(const std::string &body, uint32_t grid, uint32_t threads,
           const std::string &target = "sm_100a") {
    std::unique_ptr<Program> program = load(body, target);
    if (!program)
      return;
    Launch launch;
    launch.grid = {grid, 1, 1};
    launch.block = {threads, 1, 1};
    launch.buffers = {{"out", out.data(), out.size(), false},
                      {"in", in.data(), in.size(), true}};
    launch.parameters = {Parameter::pointer(0), Parameter::pointer(1)};
    result = record(*program, launch);
    for (const Diagnostic &diagnostic : result.report.diagnostics)
      ADD_FAILURE() << formatDiagnostic(diagnostic);
  }
  const std::vector<Step> &steps(uint32_t cta, uint32_t warp) const {
    return result.recording.ctas[cta].warps[warp].steps;
  }
  /// Numbers of the steps of that kind.
  std::vector<uint32_t> arguments(uint32_t cta, uint32_t warp,
                                  Kind kind) const {
    std::vector<uint32_t> found;
    for (const Step &step : steps(cta, warp))
      if (step.kind == kind)
        found.push_back(step.a);
    return found;
  }
};

TEST(Recorder, MemoryAccessesAndTheirUses) {
  Recorded run("ld.param.u64 %rd1, [in];\n"
               "mov.u32 %r1, %tid.x;\n"
               "mad.wide.u32 %rd1, %r1, 4, %rd1;\n"
               "ld.global.u32 %r2, [%rd1];\n"
               "mov.u32 %r3, s;\n"
               "mad.lo.u32 %r3, %r1, 16, %r3;\n"
               "st.shared.v4.b32 [%r3], {%r1, %r2, %r1, %r1};\n"
               "ld.shared.b32 %r5, [%r3];\n"
               "add.u32 %r6, %r5, 1;\n",
               1, 48);
  ASSERT_EQ(run.result.recording.ctas.size(), 1u);
  ASSERT_EQ(run.result.recording.ctas[0].warps.size(), 2u);
  for (uint32_t warp = 0; warp < 2; ++warp) {
    uint32_t lanes = warp == 0 ? 32 : 16;
    std::vector<Kind> kinds;
    for (const Step &step : run.steps(0, warp))
      kinds.push_back(step.kind);
    EXPECT_EQ(kinds,
              (std::vector<Kind>{Kind::Work, Kind::GlobalLoad, Kind::Work,
                                 Kind::Use, Kind::SharedStore, Kind::SharedLoad,
                                 Kind::Use, Kind::Work}));
    EXPECT_EQ(run.arguments(0, warp, Kind::GlobalLoad)[0], 4 * lanes);
    EXPECT_EQ(run.arguments(0, warp, Kind::SharedStore)[0], 16 * lanes);
    EXPECT_EQ(run.arguments(0, warp, Kind::SharedLoad)[0], 4 * lanes);
    EXPECT_EQ(run.arguments(0, warp, Kind::Use), (std::vector<uint32_t>{0, 1}));
  }
}

TEST(Recorder, PairsOfRegistersCostNothing) {
  auto count = [](const std::string &body) {
    Recorded run("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 7;\n" + body, 1, 32);
    uint32_t instructions = 0;
    for (uint32_t some : run.arguments(0, 0, Kind::Work))
      instructions += some;
    return instructions;
  };
  uint32_t none = count("");
  EXPECT_EQ(count("mov.b64 %rd1, {%r1, %r2};\n"), none);
  EXPECT_EQ(count("mov.b64 %rd1, {%r1, %r2};\nmov.b64 {%r3, %r4}, %rd1;\n"),
            none);
  EXPECT_EQ(count("mov.b64 %rd1, 5;\nmov.b64 %rd2, %rd1;\n"), none + 2);
}

static const char copies[] =
    "ld.param.u64 %rd2, [in];\n"
    "mov.u32 %r1, %tid.x;\n"
    "mov.u32 %r9, %ctaid.x;\n"
    "mad.wide.u32 %rd2, %r9, 512, %rd2;\n"
    "setp.eq.u32 %p1, %r1, 0;\n"
    "@%p1 mbarrier.init.shared.b64 [s], 1;\n"
    "@%p1 fence.mbarrier_init.release.cluster;\n"
    "bar.sync 0;\n"
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 768;\n"
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[s+1024], [%rd2], 512, [s];\n"
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[s+2048], [%rd2+1024], 256, [s];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;\n"
    "@!%p2 bra WAIT;\n"
    "ld.shared.u32 %r3, [s+1024];\n"
    "setp.ne.u32 %p3, %r3, 0x01010101;\n"
    "@%p3 trap;\n";

TEST(Recorder, LanesOfAnStAsyncStoreTogether) {
  Recorded run("mov.u32 %r1, %tid.x;\n"
               "setp.eq.u32 %p1, %r1, 0;\n"
               "mov.u32 %r3, s;\n"
               "mad.lo.u32 %r3, %r1, 16, %r3;\n"
               "@%p1 mbarrier.init.shared.b64 [s], 1;\n"
               "@%p1 fence.mbarrier_init.release.cluster;\n"
               "bar.sync 0;\n"
               "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 1536;\n"
               "mov.u32 %r4, s;\n"
               "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4"
               ".b32 [%r3+1024], {%r1, %r1, %r1, %r1}, [%r4];\n"
               "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4"
               ".b32 [%r3+4096], {%r1, %r1, %r1, %r1}, [%r4];\n"
               "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;\n"
               "@!%p2 bra WAIT;\n",
               1, 48);
  const Recording &recording = run.result.recording;
  // Each instruction of each warp is one operation, which signals once.
  ASSERT_EQ(recording.operations.size(), 4u);
  for (uint32_t warp = 0; warp < 2; ++warp) {
    std::vector<uint32_t> started = run.arguments(0, warp, Kind::Start);
    ASSERT_EQ(started.size(), 2u);
    std::vector<uint32_t> waits = run.arguments(0, warp, Kind::Wait);
    for (uint32_t number : started) {
      const Operation &op = recording.operations[number];
      EXPECT_EQ(op.kind, Operation::Kind::StAsync);
      EXPECT_EQ(op.bytes, warp == 0 ? 512u : 256u);
      ASSERT_EQ(op.momentCount, 1u);
      EXPECT_EQ(recording.signals[op.firstMoment], waits.back());
    }
    // One arrival and four operations.
    EXPECT_EQ(recording.moments[waits.back()].contributions, 5u);
  }
}

TEST(Recorder, CopiesSignalTheirMbarrier) {
  std::string withoutCheck = copies;
  withoutCheck.resize(withoutCheck.find("ld.shared"));
  Recorded run(withoutCheck, 2, 64);
  const Recording &recording = run.result.recording;
  ASSERT_EQ(recording.operations.size(), 4u);
  for (uint32_t cta = 0; cta < 2; ++cta) {
    std::vector<uint32_t> started = run.arguments(cta, 0, Kind::Start);
    ASSERT_EQ(started.size(), 2u);
    const Operation &first = recording.operations[started[0]];
    EXPECT_EQ(first.kind, Operation::Kind::Load);
    EXPECT_EQ(first.bytes, 512u);
    ASSERT_EQ(first.momentCount, 1u);
    uint32_t moment = recording.signals[first.firstMoment];
    // One arrival and two copies.
    EXPECT_EQ(recording.moments[moment].contributions, 3u);
    EXPECT_EQ(recording.moments[moment].owner, cta);
    ASSERT_EQ(first.rowCount, 1u);
    const ObservedRows &rows = recording.rows[first.firstRow];
    const ObservedRows &other =
        recording.rows[recording.operations[started[1]].firstRow];
    EXPECT_EQ(rows.bytes, 512u);
    EXPECT_EQ(other.address - rows.address, 1024u);
    // All warps wait for the data, and at bar.sync before it.
    for (uint32_t warp = 0; warp < 2; ++warp) {
      std::vector<uint32_t> waits = run.arguments(cta, warp, Kind::Wait);
      ASSERT_EQ(waits.size(), 2u);
      EXPECT_EQ(recording.moments[waits[0]].kind, ObservedBarrier::Kind::Named);
      EXPECT_EQ(recording.moments[waits[0]].contributions, 2u);
      EXPECT_EQ(waits[1], moment);
    }
    EXPECT_TRUE(run.arguments(cta, 1, Kind::Start).empty());
  }
  // The CTAs read neighbouring memory.
  EXPECT_EQ(recording.rows[recording.operations[2].firstRow].address -
                recording.rows[recording.operations[0].firstRow].address,
            512u);
}

TEST(Recorder, AnMbarrierInThePlaceOfAnother) {
  // Phase 0 of the second one is another moment.
  std::string use = "@%p1 mbarrier.init.shared.b64 [s], 1;\n"
                    "bar.sync 0;\n"
                    "@%p1 mbarrier.arrive.shared.b64 _, [s];\n"
                    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;\n"
                    "@!%p2 bra WAIT;\n"
                    "bar.sync 0;\n"
                    "@%p1 mbarrier.inval.shared.b64 [s];\n";
  std::string again = use;
  for (size_t at; (at = again.find("WAIT")) != std::string::npos;)
    again.replace(at, 4, "MORE");
  Recorded run("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n" + use + again,
               1, 64);
  std::vector<uint32_t> moments;
  for (uint32_t number : run.arguments(0, 1, Kind::Wait))
    if (run.result.recording.moments[number].kind ==
        ObservedBarrier::Kind::Mbarrier)
      moments.push_back(number);
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_NE(moments[0], moments[1]);
  for (uint32_t number : moments)
    EXPECT_EQ(run.result.recording.moments[number].contributions, 1u);
}

TEST(Recorder, DataIsNotMoved) {
  std::unique_ptr<Program> program = load(copies);
  ASSERT_TRUE(program);
  std::vector<uint8_t> in(4096, 1), out(4096, 2);
  Launch launch;
  launch.block = {64, 1, 1};
  launch.buffers = {{"out", out.data(), out.size(), false},
                    {"in", in.data(), in.size(), true}};
  launch.parameters = {Parameter::pointer(0), Parameter::pointer(1)};
  // The kernel traps when the data is not there: it is with a plain run.
  EXPECT_FALSE(run(*program, launch, Options()).hasErrors());
  RecordResult result = record(*program, launch);
  EXPECT_TRUE(result.report.hasErrors());
  EXPECT_FALSE(result.report.completed);
}

TEST(Recorder, HugeRunsAreRefused) {
  std::unique_ptr<Program> program = load("bar.sync 0;\nbar.sync 0;\n");
  ASSERT_TRUE(program);
  std::vector<uint8_t> memory(64);
  Launch launch;
  launch.block = {64, 1, 1};
  launch.grid = {100, 1, 1};
  launch.buffers = {{"memory", memory.data(), memory.size(), false}};
  launch.parameters = {Parameter::pointer(0), Parameter::pointer(0)};
  EXPECT_EQ(record(*program, launch).error, "");
  // Five steps for each of the 200 warps.
  EXPECT_EQ(record(*program, launch, 0, 1000).error, "");
  EXPECT_EQ(record(*program, launch, 0, 500).error,
            "the run has more than 500 steps to record: take fewer CTAs or "
            "fewer steps of K");
}

TEST(Recorder, WarpgroupMultiplications) {
  std::string registers;
  for (int k = 0; k < 4; ++k)
    registers += (k ? ", %f" : "%f") + std::to_string(k);
  std::string multiply =
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {" +
      registers +
      "}, %rd3, %rd4, 1, 1, 1;\n"
      "wgmma.commit_group.sync.aligned;\n";
  Recorded run("mov.u32 %r1, s;\nshr.u32 %r1, %r1, 4;\n"
               "cvt.u64.u32 %rd3, %r1;\n"
               "or.b64 %rd3, %rd3, 0x4000004000010000;\n"
               "add.u64 %rd4, %rd3, 512;\n"
               "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0;\n"
               "mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n" +
                   multiply + multiply + "wgmma.wait_group.sync.aligned 0;\n",
               1, 256, "sm_90a");
  const Recording &recording = run.result.recording;
  // Two a warpgroup, each of four warps together.
  ASSERT_EQ(recording.operations.size(), 4u);
  for (const Operation &op : recording.operations) {
    EXPECT_EQ(op.kind, Operation::Kind::Mma);
    EXPECT_EQ(op.issuers, 4);
    EXPECT_EQ(op.product, 64u * 8 * 32);
    EXPECT_EQ(op.bytes, (64u + 8) * 32);
  }
  for (uint32_t warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(run.arguments(0, warp, Kind::Start),
              run.arguments(0, warp / 4 * 4, Kind::Start));
    EXPECT_EQ(run.arguments(0, warp, Kind::Finish),
              run.arguments(0, warp, Kind::Start));
  }
  EXPECT_NE(run.arguments(0, 0, Kind::Start), run.arguments(0, 4, Kind::Start));
}
