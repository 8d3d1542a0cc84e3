//===- TraceTest.cpp - Traces that viewers can read -------------*- C++ -*-===//

#include "Harness.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <unistd.h>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;
using Json = nlohmann::json;

namespace {
class Traces : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/bsmm-trace-XXXXXX";
    int file = mkstemp(name);
    ASSERT_GE(file, 0);
    close(file);
    path = name;
  }
  void TearDown() override { std::remove(path.c_str()); }

  Json trace(const std::string &ptx, LaunchSetup setup) {
    setup.options.traceFile = path;
    Outcome outcome = run(ptx, setup);
    EXPECT_TRUE(outcome.clean()) << outcome.text();
    instructions = outcome.report.statistics.warpInstructions;
    std::ifstream file(path);
    Json json = Json::parse(file, nullptr, false);
    EXPECT_FALSE(json.is_discarded());
    return json;
  }

  std::string path;
  uint64_t instructions = 0;
};

/// The producer warp loads a box and multiplies it; the others wait.
const char body[] = R"(
    .reg .b32 %taddr, %c<4>; .reg .b64 %da;
    mov.u32 %r4, s;
    setp.eq.u32 %p1, %t, 0;
    setp.lt.u32 %p3, %t, 32;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    @%p1 mbarrier.init.shared.b64 [%r4+8], 1;
    fence.mbarrier_init.release.cluster;
    @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4+64], 32;
    bar.sync 0;
    ld.shared.u32 %taddr, [%r4+64];
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 8192;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+4096], [%in], 4096, [%r4];
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+8192], [%in], 4096, [%r4];
    @!%p3 bra WAIT;
  L: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra L;
    add.u32 %r7, %r4, 4096; shr.u32 %r7, %r7, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000401000080000;
    mov.u32 %r8, 0x08080010; // e4m3, f32, M 128, N 32
    @%p1 tcgen05.mma.cta_group::1.kind::f8f6f4 [%taddr], %da, %da, %r8, 0;
    cvt.u64.u32 %rd1, %r4; add.u64 %rd1, %rd1, 8;
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd1];
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r4+8], 0; @!%p2 bra WAIT;
    tcgen05.fence::after_thread_sync;
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%c0}, [%r5];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%outt], %c0;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, 32;
    ret;)";

TEST_F(Traces, TracksOfWarpsCopiesAndTensorCore) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.options = options;
    setup.block = {128, 1, 1};
    setup.grid = {2, 3, 1};
    Json json = trace(kernel(prologue() + body, "sm_100a",
                             ".shared .align 1024 .b8 s[16384];\n"),
                      setup);
    ASSERT_TRUE(json["traceEvents"].is_array());
    EXPECT_EQ(json["otherData"]["entry"], "k");
    EXPECT_EQ(json["otherData"]["truncated"], false);
    std::map<std::pair<uint64_t, uint64_t>, std::string> names;
    std::map<uint64_t, std::string> processes;
    for (const Json &event : json["traceEvents"])
      if (event["ph"] == "M" && event["name"] == "thread_name")
        names[{event["pid"], event["tid"]}] = event["args"]["name"];
      else if (event["ph"] == "M" && event["name"] == "process_name")
        processes[event["pid"]] = event["args"]["name"];
    ASSERT_EQ(processes.size(), 6u);
    EXPECT_EQ(processes[0], "CTA (0,0,0)");
    EXPECT_EQ(processes[3], "CTA (1,1,0)");
    // Every event has a named track, and the next one of the track begins when
    // it has ended.
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> ends;
    std::map<std::string, unsigned> count; // by track and name
    std::map<std::string, std::set<std::string>> reasons;
    for (const Json &event : json["traceEvents"]) {
      if (event["ph"] == "M")
        continue;
      ASSERT_EQ(event["ph"], "X");
      std::pair<uint64_t, uint64_t> track{event["pid"], event["tid"]};
      ASSERT_TRUE(names.count(track)) << event;
      uint64_t begin = event["ts"], duration = event["dur"];
      EXPECT_GE(duration, 1u);
      EXPECT_GE(begin, ends[track]) << event;
      ends[track] = begin + duration;
      EXPECT_LE(begin + duration, instructions + 2);
      EXPECT_GT(event["args"]["line"], 0u);
      std::string name = event["name"];
      if (event["cat"] == "wait") {
        EXPECT_EQ(name.compare(0, 6, "wait: "), 0) << name;
        reasons[names[track]].insert(event["args"]["for"]);
      } else {
        ++count[names[track] + " " + name.substr(0, name.find('.'))];
      }
    }
    EXPECT_EQ(count["TMA load"], 2 * 6u);
    EXPECT_EQ(count["tensor core tensor operation"], 6u);
    for (int warp = 0; warp < 4; ++warp)
      EXPECT_GE(count["warp " + std::to_string(warp) + " tcgen05"], 6u);
    // Who comes early waits; eager copies and multiplications let nobody.
    if (options.mode != AsyncMode::Random) {
      EXPECT_TRUE(reasons["warp 0"].count("barrier 0"));
    }
    if (options.mode == AsyncMode::Lazy) {
      EXPECT_TRUE(reasons["warp 0"].count("phase 0 of the mbarrier at 0x400"));
      EXPECT_TRUE(reasons["warp 1"].count("phase 0 of the mbarrier at 0x408"));
    }
  }
}

TEST_F(Traces, AFileThatCannotBeWrittenIsAnError) {
  LaunchSetup setup;
  setup.options.traceFile = "/no/such/folder/trace.json";
  Outcome outcome = run(kernel("ret;"), setup);
  EXPECT_TRUE(outcome.has("launch"));
}
} // namespace
