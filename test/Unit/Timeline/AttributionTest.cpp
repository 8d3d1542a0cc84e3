//===- AttributionTest.cpp - Every cycle has one cause --------------------===//

#include "Recordings.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace bsmm::timeline;
using Kind = Step::Kind;
using OpKind = Operation::Kind;

/// Spans of every SM must follow each other without a gap or overlap.
static Attribution checked(const Recording &recording,
                           const SimulationResult &result) {
  EXPECT_EQ(result.error, "");
  for (uint32_t sm = 0; sm < result.smCount; ++sm) {
    double time = 0;
    for (const Span &span : attributeSm(recording, result, sm)) {
      EXPECT_NEAR(span.begin, time, 1e-3);
      EXPECT_GE(span.end, span.begin);
      time = span.end;
    }
    EXPECT_NEAR(time, result.end, 1e-3);
  }
  Attribution sum = attribute(recording, result);
  double atLines = 0;
  for (const LineCycles &at : sum.lines)
    atLines += at.cycles;
  EXPECT_NEAR(atLines,
              sum.steady - sum.cycles[static_cast<size_t>(Cause::Multiply)],
              1e-6 * sum.total + 1e-3);
  EXPECT_NEAR(std::accumulate(sum.cycles.begin(), sum.cycles.end(), 0.0),
              sum.total, 1e-6 * sum.total + 1e-3);
  return sum;
}

static double cycles(const Attribution &sum, Cause cause) {
  return sum.cycles[static_cast<size_t>(cause)];
}

/// A producer, a warp that multiplies and an epilogue, with a ring of `slots`
/// and one accumulator.
static Build pipeline(uint32_t tiles, uint32_t steps, uint32_t slots,
                      uint32_t mmaCycles, uint32_t bytes, uint32_t drain,
                      uint32_t late = 0, bool reuse = false) {
  Build build(1, 3);
  std::vector<uint32_t> full, empty, ready, drained;
  for (uint32_t k = 0; k < tiles * steps; ++k) {
    full.push_back(build.moment());
    empty.push_back(build.moment());
  }
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    ready.push_back(build.moment());
    drained.push_back(build.moment());
  }
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    for (uint32_t s = 0; s < steps; ++s) {
      uint32_t k = tile * steps + s;
      if (k >= slots)
        build.step(0, 0, Kind::Wait, empty[k - slots]);
      build.step(0, 0, Kind::Start,
                 build.operation(OpKind::Load, bytes, {full[k]},
                                 reuse ? 0 : uint64_t(k) * bytes));
      if (s == 0 && tile != 0)
        build.step(0, 1, Kind::Wait, drained[tile - 1]);
      build.step(0, 1, Kind::Wait, full[k]);
      if (late != 0)
        build.step(0, 1, Kind::Work, late);
      build.step(0, 1, Kind::Start, build.mma(1000 * mmaCycles));
      build.step(0, 1, Kind::Start,
                 build.operation(OpKind::Commit, 0, {empty[k]}));
    }
    build.step(0, 1, Kind::Start,
               build.operation(OpKind::Commit, 0, {ready[tile]}));
    build.step(0, 2, Kind::Wait, ready[tile]);
    build.step(0, 2, Kind::TensorLoad, 100);
    build.step(0, 2, Kind::Use, tile);
    build.step(0, 2, Kind::Work, drain);
    build.step(0, 2, Kind::Signal, drained[tile]);
  }
  return build;
}

TEST(Attribution, ABusyTensorCore) {
  Build build = pipeline(1, 50, 10, 200, 3200, 100);
  SimulationResult result = simulate(build.recording, plainRates());
  Attribution sum = checked(build.recording, result);
  EXPECT_DOUBLE_EQ(cycles(sum, Cause::Multiply), 50 * 200);
  EXPECT_DOUBLE_EQ(sum.steady, 50 * 200);
  EXPECT_DOUBLE_EQ(sum.ownSchedule(), 0);
  // 3200 bytes at 50 a cycle and DRAM's latency.
  EXPECT_NEAR(cycles(sum, Cause::Fill), 64 + 300, 5);
  EXPECT_GT(cycles(sum, Cause::Drain), 100);
}

TEST(Attribution, TheAccumulatorIsHeld) {
  Build build = pipeline(4, 10, 20, 100, 320, 500);
  SimulationResult result = simulate(build.recording, plainRates());
  Attribution sum = checked(build.recording, result);
  EXPECT_DOUBLE_EQ(cycles(sum, Cause::Multiply), 40 * 100);
  // Three drains of 500 instructions, with the waits around them.
  EXPECT_GT(cycles(sum, Cause::Epilogue), 3 * 1000);
  EXPECT_LT(cycles(sum, Cause::Epilogue), 3 * 1100);
  EXPECT_NEAR(sum.steadyOf(Cause::Multiply) + sum.steadyOf(Cause::Epilogue) +
                  sum.steadyOf(Cause::Barrier) + sum.steadyOf(Cause::Issue),
              1, 1e-9);
}

TEST(Attribution, TheSmsLinkIsTheLimit) {
  // 5000 bytes take 100 cycles, a multiplication 20.
  Build build = pipeline(1, 100, 8, 20, 5000, 10);
  SimulationResult result = simulate(build.recording, plainRates());
  Attribution sum = checked(build.recording, result);
  EXPECT_NEAR(result.end, 100 * 100, 1000);
  EXPECT_NEAR(sum.steadyOf(Cause::L2), 0.8, 0.05);
  EXPECT_LT(sum.ownSchedule(), 0.05);
}

TEST(Attribution, DramIsTheLimit) {
  Rates rates = plainRates();
  rates[RateId::DramBandwidth] = 25; // 200 cycles for 5000 bytes
  Build build = pipeline(1, 100, 8, 20, 5000, 10);
  SimulationResult result = simulate(build.recording, rates);
  Attribution sum = checked(build.recording, result);
  EXPECT_NEAR(result.end, 100 * 200, 1500);
  EXPECT_NEAR(sum.steadyOf(Cause::Dram), 0.9, 0.02);
  EXPECT_LT(sum.ownSchedule(), 0.01);
}

TEST(Attribution, LatencyOfAShortRing) {
  // Two slots, 128 bytes each: the latency can't be hidden.
  Build build = pipeline(1, 100, 2, 20, 128, 10);
  SimulationResult result = simulate(build.recording, plainRates());
  Attribution sum = checked(build.recording, result);
  EXPECT_GT(sum.steadyOf(Cause::LoadLatency), 0.8);
  Build longer = pipeline(1, 100, 30, 20, 128, 10);
  Attribution hidden =
      checked(longer.recording, simulate(longer.recording, plainRates()));
  EXPECT_EQ(hidden.steadyOf(Cause::LoadLatency), 0);
}

TEST(Attribution, IssueOfCopies) {
  // Copies of 10 cycles with a wait of 3 before each, multiplications of 4.
  Build build = pipeline(1, 3000, 100, 4, 32, 10, 0, true);
  Attribution sum =
      checked(build.recording, simulate(build.recording, plainRates()));
  EXPECT_NEAR(sum.steadyOf(Cause::Multiply), 4 / 13.0, 0.01);
  EXPECT_NEAR(sum.steadyOf(Cause::CopyIssue), 9 / 13.0 * 10 / 13, 0.02);
  EXPECT_NEAR(sum.steadyOf(Cause::Issue), 9 / 13.0 * 3 / 13, 0.02);
}

TEST(Attribution, LateIssue) {
  // 50 instructions of 2 cycles before each multiplication of 60.
  Build build = pipeline(1, 50, 20, 60, 320, 10, 50);
  SimulationResult result = simulate(build.recording, plainRates());
  Attribution sum = checked(build.recording, result);
  EXPECT_NEAR(sum.steadyOf(Cause::Issue), 0.4, 0.05);
  EXPECT_NEAR(sum.ownSchedule(), 0.45, 0.06);
}

TEST(Attribution, SharedMemory) {
  Build build;
  uint32_t done = build.moment();
  for (int k = 0; k < 10; ++k)
    build.step(0, 0, Kind::Start, build.mma(20000, 3000));
  build.step(0, 0, Kind::Start, build.operation(OpKind::Commit, 0, {done}));
  build.step(0, 0, Kind::Wait, done);
  Attribution sum =
      checked(build.recording, simulate(build.recording, plainRates()));
  EXPECT_NEAR(sum.steadyOf(Cause::SharedMemory), 1 / 3.0, 1e-9);
  EXPECT_NEAR(sum.steadyOf(Cause::Multiply), 2 / 3.0, 1e-9);
}

TEST(Attribution, WavesAndEmptySms) {
  // Three CTAs on two SMs, and a third SM that gets one: one round, no fourth.
  Build build(3);
  for (uint32_t cta = 0; cta < 3; ++cta) {
    uint32_t done = build.moment(cta);
    build.step(cta, 0, Kind::Start, build.mma(100000, 0, {done}));
    build.step(cta, 0, Kind::Wait, done);
  }
  SimulationResult result = simulate(build.recording, plainRates(2));
  Attribution sum = checked(build.recording, result);
  // SM 1 has nothing in the second round.
  EXPECT_GT(cycles(sum, Cause::NoTile), 100);
  EXPECT_DOUBLE_EQ(cycles(sum, Cause::Multiply), 300);
  EXPECT_GT(cycles(sum, Cause::CtaChange), 0);
  SimulationResult wide = simulate(build.recording, plainRates(5));
  Attribution idle = checked(build.recording, wide);
  EXPECT_GT(cycles(idle, Cause::NoTile), 2 * wide.end - 1);
}

TEST(Attribution, RandomPipelines) {
  std::mt19937 random(7);
  auto pick = [&](uint32_t low, uint32_t high) {
    return low + static_cast<uint32_t>(random() % (high - low + 1));
  };
  for (int round = 0; round < 200; ++round) {
    Build build =
        pipeline(pick(1, 5), pick(1, 12), pick(1, 6), pick(1, 300),
                 pick(16, 8000), pick(1, 400), pick(0, 60), pick(0, 1) == 1);
    Rates rates = plainRates(pick(1, 3));
    rates[RateId::DramBandwidth] = pick(10, 500);
    rates[RateId::L2Bandwidth] = pick(20, 500);
    rates[RateId::Launch] = pick(0, 500);
    SimulationResult result = simulate(build.recording, rates);
    checked(build.recording, result);
    if (HasFailure())
      FAIL() << "round " << round;
  }
}

TEST(Attribution, Streaming) {
  // One load after the other, all from DRAM at its full rate.
  Rates rates = plainRates();
  rates[RateId::DramBandwidth] = 25;
  rates[RateId::Launch] = 1000;
  Build build = pipeline(1, 100, 20, 20, 5120, 10);
  SimulationResult result = simulate(build.recording, rates);
  Streaming flow = streaming(result, rates);
  EXPECT_NEAR(flow.before, 1000 + 5120 / 25.0 + 300, 10);
  EXPECT_NEAR(flow.during, 99 * 5120 / 25.0, 10);
  EXPECT_NEAR(flow.before + flow.during + flow.after, result.end, 1e-6);
  EXPECT_NEAR(flow.shareOfDram, 1, 1e-3);
  // As many as there are slots; with a slot for each all of them.
  EXPECT_DOUBLE_EQ(flow.shareAskedEarly, 0.2);
  flow = streaming(simulate(pipeline(1, 20, 20, 20, 5120, 10).recording, rates),
                   rates);
  EXPECT_DOUBLE_EQ(flow.shareAskedEarly, 1);
  Build none;
  none.step(0, 0, Kind::Work, 5);
  flow = streaming(simulate(none.recording, rates), rates);
  EXPECT_DOUBLE_EQ(flow.before, 1010);
  EXPECT_EQ(flow.during, 0);
}

TEST(Attribution, ReportsSayTheSame) {
  Timeline timeline;
  timeline.name = "k";
  timeline.rates = plainRates();
  Build build = pipeline(2, 10, 4, 100, 3200, 50);
  timeline.recording = build.recording;
  timeline.result = simulate(timeline.recording, timeline.rates);
  timeline.attribution = attribute(timeline.recording, timeline.result);
  std::string text = formatReport(timeline), json = timelineToJson(timeline);
  EXPECT_NE(text.find("k for sm_100a: 1 CTAs on 1 SMs at 1 GHz"),
            std::string::npos);
  EXPECT_NE(text.find("own schedule"), std::string::npos);
  EXPECT_NE(text.find("\n      line 1 "), std::string::npos) << text;
  EXPECT_NE(json.find("\"schema\": \"bsmm.timeline/1\""), std::string::npos);
  std::string trace = timelineToTrace(timeline, {0, 9});
  for (const char *part : {"tensor core idles", "\"TMA\"", "(epilogue)",
                           "(loads)", "(multiplies)", "mbarrier at"})
    EXPECT_NE(trace.find(part), std::string::npos) << part;
}
