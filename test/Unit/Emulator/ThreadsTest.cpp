//===- ThreadsTest.cpp - The same run on any number of threads --*- C++ -*-===//
//
// Memory, report and trace must not depend on Options::threads, whatever CTAs
// tell each other through global memory.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <unistd.h>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Ran {
  std::vector<uint32_t> out;
  std::string report;
  std::string trace;
  bool clean;
  std::string text;
};

class Threads : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/bsmm-threads-XXXXXX";
    int file = mkstemp(name);
    ASSERT_GE(file, 0);
    close(file);
    trace = name;
  }
  void TearDown() override { std::remove(trace.c_str()); }

  Ran once(const std::string &ptx, LaunchSetup setup, uint32_t threads) {
    setup.options.threads = threads;
    setup.options.traceFile = trace;
    Outcome outcome = run(ptx, setup);
    outcome.report.statistics.seconds = 0;
    return {outcome.out, reportToJson(outcome.report), contents(trace),
            outcome.clean(), outcome.text()};
  }

  /// Runs in all modes and orders; all thread counts must agree with one
  /// thread. Returns the eager run.
  Ran same(const std::string &ptx, LaunchSetup setup,
           const std::vector<uint32_t> &counts = {2, 3, 8}, size_t most = 5) {
    Ran result;
    std::vector<Options> modes = allModes();
    modes.resize(5);
    modes[1].ctaOrder = CtaOrder::Descending;
    modes[3].ctaOrder = CtaOrder::Shuffled;
    modes[4].ctaOrder = CtaOrder::Descending;
    for (size_t k = 0; k < most; ++k) {
      SCOPED_TRACE("mode " + std::to_string(k));
      modes[k].strict = setup.options.strict;
      modes[k].maxInstructions = setup.options.maxInstructions;
      modes[k].maxDiagnostics = setup.options.maxDiagnostics;
      setup.options = modes[k];
      Ran one = once(ptx, setup, 1);
      EXPECT_FALSE(one.trace.empty());
      if (k == 0)
        result = one;
      for (uint32_t threads : counts) {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        Ran other = once(ptx, setup, threads);
        EXPECT_EQ(one.out, other.out);
        EXPECT_EQ(one.report, other.report);
        EXPECT_TRUE(one.trace == other.trace);
      }
    }
    return result;
  }

  std::string trace;
};

/// %r1 is the CTA, %outt and %int count in 32 words a CTA.
std::string body(const std::string &text) {
  return prologue() + R"(
    mov.u32 %r1, %ctaid.x;
    mad.wide.u32 %outt, %r1, 128, %outt;
    mad.wide.u32 %int, %r1, 128, %int;
  )" + text;
}

LaunchSetup grid(uint32_t ctas) {
  LaunchSetup setup;
  setup.grid = {ctas, 1, 1};
  setup.outWords = 32 * ctas;
  setup.in.resize(32 * ctas);
  for (size_t k = 0; k < setup.in.size(); ++k)
    setup.in[k] = static_cast<uint32_t>(k * 2654435761u);
  return setup;
}

TEST_F(Threads, IndependentCtas) {
  LaunchSetup setup = grid(53);
  Ran ran = same(kernel(body(R"(
    ld.global.b32 %r2, [%int];
    add.s32 %r3, %r2, %r1;
    st.global.b32 [%outt], %r3;
    bar.sync 0;
    ld.global.b32 %r4, [%outt];
    add.s32 %r4, %r4, 1;
    st.global.b8 [%outt+1], %r4;
    ret;)")),
                 setup);
  EXPECT_TRUE(ran.clean) << ran.text;
  for (uint32_t k = 0; k < ran.out.size(); ++k) {
    uint32_t value = setup.in[k] + k / 32;
    EXPECT_EQ(ran.out[k], (value & 0xFFFF00FF) | ((value + 1) & 0xFF) << 8);
  }
}

TEST_F(Threads, BytesOfTheSameWordFromSeveralCtas) {
  // Each CTA writes one byte of a word: nothing of the others may be lost.
  LaunchSetup setup = grid(32);
  Ran ran = same(kernel(body(R"(
    cvt.u64.u32 %rd1, %r1;
    add.s64 %rd2, %out, %rd1;
    mad.wide.u32 %rd2, %t, 32, %rd2;
    add.s32 %r2, %r1, %t;
    st.global.b8 [%rd2], %r2;
    ret;)")),
                 setup);
  EXPECT_TRUE(ran.clean) << ran.text;
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(ran.out.data());
  for (uint32_t t = 0; t < 32; ++t)
    for (uint32_t cta = 0; cta < 32; ++cta)
      EXPECT_EQ(bytes[32 * t + cta], cta + t);
}

TEST_F(Threads, EachReadsWhatTheOneBeforeWrote) {
  // No CTA waits: what it finds depends on the order, and on nothing else.
  Ran ran = same(kernel(body(R"(
    mov.u32 %r3, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra FIRST;
    ld.global.b32 %r3, [%outt+-128];
  FIRST:
    mad.lo.s32 %r3, %r3, 3, %t;
    st.global.b32 [%outt], %r3;
    ret;)")),
                 grid(40));
  EXPECT_TRUE(ran.clean) << ran.text;
  std::vector<uint32_t> expected(ran.out.size());
  for (uint32_t k = 0; k < expected.size(); ++k)
    expected[k] = (k < 32 ? 1 : expected[k - 32]) * 3 + k % 32;
  EXPECT_EQ(ran.out, expected); // CTAs in ascending order
}

TEST_F(Threads, AtomicTicketsAndSumsThatRound) {
  // A ticket each, and float additions whose result depends on their order.
  Ran ran = same(kernel(body(R"(
    .reg .f32 %sum;
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra DONE;
    atom.global.add.u32 %r2, [%out], 1;
    sub.s32 %r2, %r2, 0xCDCDCDCD;
    mul.wide.u32 %rd1, %r2, 4;
    add.s64 %rd1, %rd1, %out;
    st.global.b32 [%rd1+256], %r1;
    cvt.rn.f32.u32 %sum, %r1;
    mul.f32 %sum, %sum, 0f4B800001;
    add.f32 %sum, %sum, 0f3F800000;
    red.global.add.f32 [%out+4], %sum;
  DONE:
    ret;)")),
                 grid(40));
  EXPECT_TRUE(ran.clean) << ran.text;
  EXPECT_EQ(ran.out[0], 0xCDCDCDCDu + 40);
}

TEST_F(Threads, WaitsForAnEarlierAndALaterCta) {
  // A chain of flags down from the last CTA, then up again.
  Ran ran = same(kernel(body(R"(
    .reg .b64 %flag;
    mov.u32 %r9, %nctaid.x;
    sub.s32 %r9, %r9, 1;
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra DONE;
    setp.eq.u32 %p2, %r1, %r9;
    @%p2 bra SIGNAL;
  WAIT:
    ld.acquire.gpu.global.b32 %r2, [%outt+128];
    setp.ne.u32 %p3, %r2, 7;
    @%p3 bra WAIT;
  SIGNAL:
    mov.u32 %r3, 7;
    st.release.gpu.global.b32 [%outt], %r3;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra UP;
  WAIT2:
    ld.acquire.gpu.global.b32 %r2, [%outt+-124];
    setp.ne.u32 %p3, %r2, 9;
    @%p3 bra WAIT2;
  UP:
    mov.u32 %r3, 9;
    st.release.gpu.global.b32 [%outt+4], %r3;
  DONE:
    ret;)")),
                 grid(5), {3}, 3); // threads that wait take long
  EXPECT_TRUE(ran.clean) << ran.text;
  for (uint32_t cta = 0; cta < 5; ++cta) {
    EXPECT_EQ(ran.out[32 * cta], 7u);
    EXPECT_EQ(ran.out[32 * cta + 1], 9u);
  }
}

TEST_F(Threads, ErrorsOfManyCtas) {
  // CTAs from 11 on store out of bounds: the first stops the run.
  LaunchSetup setup = grid(20);
  setup.outWords = 32 * 11;
  Ran ran = same(kernel(body("st.global.b32 [%outt], %r1; ret;")), setup);
  EXPECT_FALSE(ran.clean);
  for (uint32_t k = 0; k < ran.out.size(); ++k)
    EXPECT_EQ(ran.out[k], k / 32);
}

TEST_F(Threads, FindingsAreCountedOverAllCtas) {
  // A race in each CTA: one finding with a count, in the same words.
  LaunchSetup setup = grid(30);
  setup.block = {64, 1, 1};
  std::string ptx = kernel(body(R"(
    mov.u32 %r2, s;
    st.shared.b32 [%r2], %r1;
    ret;)"),
                           "sm_100a", ".shared .align 16 .b8 s[64];");
  Ran ran = same(ptx, setup);
  EXPECT_FALSE(ran.clean);
  EXPECT_NE(ran.text.find("30 times"), std::string::npos) << ran.text;
}

TEST_F(Threads, InstructionLimit) {
  LaunchSetup setup = grid(30);
  setup.options.maxInstructions = 200;
  Ran ran = same(kernel(body(R"(
    mov.u32 %r2, 0;
  AGAIN:
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 10;
    @%p1 bra AGAIN;
    st.global.b32 [%outt], %r2;
    ret;)")),
                 setup);
  EXPECT_FALSE(ran.clean);
  EXPECT_NE(ran.text.find("the limit of 200 warp instructions"),
            std::string::npos)
      << ran.text;
}

TEST_F(Threads, ClocksDoNotTellThreadsApart) {
  Ran ran = same(kernel(body(R"(
    mov.u64 %rd1, %clock64;
    mov.u64 %rd2, %globaltimer;
    mov.u64 %rd3, %clock64;
    sub.s64 %rd4, %rd3, %rd1;
    setp.gt.u64 %p1, %rd3, %rd1;
    selp.u32 %r4, 1, 0, %p1;
    cvt.u32.u64 %r5, %rd2;
    xor.b32 %r5, %r5, %r4;
    st.global.b32 [%outt], %r5;
    ret;)")),
                 grid(20));
  EXPECT_TRUE(ran.clean) << ran.text;
}

TEST_F(Threads, BuffersThatShareMemory) {
  // out and in are the same host memory: writes to one are writes to the other.
  LoadResult loaded = loadProgram(kernel(body(R"(
    ld.global.b32 %r2, [%in];
    add.s32 %r2, %r2, 1;
    setp.eq.u32 %p1, %t, 0;
    @%p1 st.global.b32 [%out], %r2;
    ret;)")));
  ASSERT_TRUE(loaded.program);
  std::vector<uint32_t> memory(64, 0);
  Launch launch;
  launch.grid = {50, 1, 1};
  launch.block = {32, 1, 1};
  uint8_t *data = reinterpret_cast<uint8_t *>(memory.data());
  launch.buffers = {{"out", data, 256, false}, {"in", data, 256, true}};
  launch.parameters = {Parameter::pointer(0), Parameter::pointer(1)};
  Options options;
  options.threads = 4;
  Report report = bsmm::emulator::run(*loaded.program, launch, options);
  EXPECT_TRUE(report.completed && !report.hasErrors());
  EXPECT_EQ(memory[0], 50u);
}

TEST_F(Threads, TheCallerCanStopARun) {
  // CTAs that never end, on threads of their own.
  LaunchSetup setup = grid(16);
  setup.options.threads = 4;
  setup.options.progressInterval = 1000;
  int calls = 0;
  setup.options.progress = [&](uint64_t, uint64_t ctas, uint64_t) {
    EXPECT_EQ(ctas, 16u);
    return ++calls < 3;
  };
  Outcome outcome = run(kernel(body(R"(
  AGAIN:
    atom.global.add.u32 %r2, [%outt], 1;
    bra AGAIN;)")),
                        setup);
  EXPECT_TRUE(outcome.has("stopped")) << outcome.text();
  EXPECT_FALSE(outcome.report.completed);
  EXPECT_EQ(calls, 3);
}
} // namespace
