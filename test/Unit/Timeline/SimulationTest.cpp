//===- SimulationTest.cpp - Small cases, computed by hand -----------------===//

#include "Recordings.h"

#include "gtest/gtest.h"

using namespace bsmm::timeline;
using Kind = Step::Kind;
using OpKind = Operation::Kind;
using BarrierKind = bsmm::emulator::ObservedBarrier::Kind;

static SimulationResult run(const Build &build, const Rates &rates,
                            uint32_t ctasPerSm = 1) {
  SimulationOptions options;
  options.ctasPerSm = ctasPerSm;
  return simulate(build.recording, rates, options);
}

TEST(Simulation, WorkOfOneWarp) {
  Build build;
  build.step(0, 0, Kind::Work, 100, 0);
  SimulationResult result = run(build, plainRates());
  EXPECT_EQ(result.error, "");
  EXPECT_DOUBLE_EQ(result.end, 200); // 2 cycles an instruction
}

TEST(Simulation, WarpsShareASubCore) {
  // Warps 0 and 4 share a sub-core that starts one instruction a cycle, or half
  // of one at half rate: 2 x 100 x 2 cycles. Warp 1 has its own.
  Build build(1, 5);
  build.step(0, 0, Kind::Work, 100, 100);
  build.step(0, 4, Kind::Work, 100, 100);
  build.step(0, 1, Kind::Work, 100, 100);
  SimulationResult result = run(build, plainRates());
  EXPECT_DOUBLE_EQ(result.end, 400);
  EXPECT_DOUBLE_EQ(result.warps[1].end, 200);
}

TEST(Simulation, LoadAndWait) {
  Build build;
  uint32_t full = build.moment();
  uint32_t load = build.operation(OpKind::Load, 1000, {full});
  build.step(0, 0, Kind::Start, load);
  build.step(0, 0, Kind::Wait, full);
  SimulationResult result = run(build, plainRates());
  // 1000 bytes at 50 a cycle, and the latency of DRAM, which ends when the
  // thread goes on.
  EXPECT_DOUBLE_EQ(result.end, 20 + 300);
  EXPECT_DOUBLE_EQ(result.operations[load].done, 20 + 300 - 5);
  EXPECT_EQ(result.dramBytes, 1024u); // whole sectors
  EXPECT_EQ(result.loadedBytes, 1000u);
  ASSERT_EQ(result.warps[0].waits.size(), 1u);
  EXPECT_DOUBLE_EQ(result.warps[0].waits[0].begin, 10); // the copy's issue
}

TEST(Simulation, SecondTouchComesFromL2) {
  Build build;
  uint32_t first = build.moment(), second = build.moment();
  build.step(0, 0, Kind::Start, build.operation(OpKind::Load, 1000, {first}));
  build.step(0, 0, Kind::Wait, first);
  build.step(0, 0, Kind::Start, build.operation(OpKind::Load, 1000, {second}));
  build.step(0, 0, Kind::Wait, second);
  SimulationResult result = run(build, plainRates());
  EXPECT_DOUBLE_EQ(result.end, 320 + 20 + 100);
  EXPECT_EQ(result.dramBytes, 1024u);
}

TEST(Simulation, DataOnItsWayComesWithTheFirstOne) {
  // Two SMs ask for the same bytes at the same time: DRAM is read once, and
  // the second one has them no earlier than the first.
  Build build(2);
  for (uint32_t cta = 0; cta < 2; ++cta) {
    uint32_t full = build.moment(cta);
    build.step(cta, 0, Kind::Start,
               build.operation(OpKind::Load, 1024, {full}));
    build.step(cta, 0, Kind::Wait, full);
  }
  SimulationResult result = run(build, plainRates(2));
  EXPECT_EQ(result.dramBytes, 1024u);
  EXPECT_NEAR(result.warps[0].end, result.warps[1].end, 0.01);
}

TEST(Simulation, L2ForgetsWhatIsTooOld) {
  // 1 MB of cache: after 2 MB of other data the first line is gone.
  Build build;
  auto load = [&](uint32_t bytes, uint64_t address) {
    uint32_t full = build.moment();
    build.step(0, 0, Kind::Start,
               build.operation(OpKind::Load, bytes, {full}, address));
    build.step(0, 0, Kind::Wait, full);
  };
  load(128, 0);
  load(2000000, 1 << 20);
  load(128, 0);
  EXPECT_EQ(run(build, plainRates()).dramBytes, 128u + 2000000 + 128);
}

TEST(Simulation, SmsShareDram) {
  // Eight SMs, 5000 bytes each: 100 cycles on the own link, 80 for all on DRAM
  // at 500 a cycle; with DRAM at 200 a cycle 200, and so on.
  auto timeOf = [](double dram) {
    Build build(8);
    for (uint32_t cta = 0; cta < 8; ++cta) {
      uint32_t full = build.moment(cta);
      build.step(cta, 0, Kind::Start,
                 build.operation(OpKind::Load, 5120, {full}, cta * 8192));
      build.step(cta, 0, Kind::Wait, full);
    }
    Rates rates = plainRates(8);
    rates[RateId::DramBandwidth] = dram;
    return run(build, rates).end;
  };
  EXPECT_NEAR(timeOf(1000), 5120 / 50.0 + 300, 0.01);
  EXPECT_NEAR(timeOf(200), 8 * 5120 / 200.0 + 300, 0.01);
  EXPECT_NEAR(timeOf(100), 8 * 5120 / 100.0 + 300, 0.01);
}

TEST(Simulation, CopiesAreIssuedOneAfterTheOther) {
  Build build;
  uint32_t full = build.moment();
  for (uint64_t k = 0; k < 10; ++k)
    build.step(0, 0, Kind::Start,
               build.operation(OpKind::Load, 32, {full}, k * 128));
  build.step(0, 0, Kind::Wait, full);
  SimulationResult result = run(build, plainRates());
  // The tenth is taken after nine times 10 cycles.
  EXPECT_NEAR(result.end, 90 + 32 / 50.0 + 300, 0.01);
}

TEST(Simulation, MultiplicationsTakeTheirLongerLimit) {
  for (auto [product, bytes, cycles] :
       {std::tuple(20000u, 1000u, 20.0), std::tuple(20000u, 3000u, 30.0)}) {
    Build build;
    uint32_t done = build.moment();
    for (int k = 0; k < 5; ++k)
      build.step(0, 0, Kind::Start, build.mma(product, bytes));
    build.step(0, 0, Kind::Start, build.operation(OpKind::Commit, 0, {done}));
    build.step(0, 0, Kind::Wait, done);
    SimulationResult result = run(build, plainRates());
    // Issued at 0; completion 7 later, seen 5 after that.
    EXPECT_DOUBLE_EQ(result.end, 5 * cycles + 7 + 5);
    ASSERT_EQ(result.sms[0].runs.size(), 5u);
    EXPECT_DOUBLE_EQ(result.sms[0].runs[4].start, 4 * cycles);
  }
}

TEST(Simulation, WarpgroupsIssueTogether) {
  Build build(1, 4);
  uint32_t product = build.mma(10000);
  build.recording.operations[product].issuers = 4;
  for (uint32_t warp = 0; warp < 4; ++warp) {
    build.step(0, warp, Kind::Work, warp == 2 ? 50 : 1);
    build.step(0, warp, Kind::Start, product);
    build.step(0, warp, Kind::Finish, product);
  }
  SimulationResult result = run(build, plainRates());
  EXPECT_DOUBLE_EQ(result.sms[0].runs[0].start, 100);
  for (uint32_t warp = 0; warp < 4; ++warp)
    EXPECT_DOUBLE_EQ(result.warps[warp].end, 100 + 10 + 7);
}

TEST(Simulation, ScaleFactorsComeBeforeTheirMultiplication) {
  // A copy of 200 bytes takes 20 cycles. The second one writes the columns that
  // the first multiplication reads, or others.
  auto timeOf = [](uint16_t column) {
    Build build;
    for (int k = 0; k < 2; ++k) {
      uint32_t copy = build.operation(OpKind::TensorCopy, 200);
      build.recording.operations[copy].scaleColumn[0] = k == 0 ? 0 : column;
      build.recording.operations[copy].scaleColumns[0] = 4;
      build.step(0, 0, Kind::Start, copy);
      uint32_t mma = build.mma(100000);
      build.recording.operations[mma].scaleColumn[0] = k == 0 ? 0 : column;
      build.recording.operations[mma].scaleColumns[0] = 4;
      build.step(0, 0, Kind::Start, mma);
    }
    SimulationResult result = run(build, plainRates());
    return result.sms[0].runs[1].start;
  };
  // The second copy runs beside the first multiplication ...
  EXPECT_DOUBLE_EQ(timeOf(4), 20 + 100);
  // ... unless that reads what the copy overwrites.
  EXPECT_DOUBLE_EQ(timeOf(0), 20 + 100 + 20);
}

TEST(Simulation, SharedMemoryTakesTurns) {
  // 400 bytes take 4 cycles, an instruction 2: the stores of four warps take
  // turns.
  Build build(1, 4);
  for (uint32_t warp = 0; warp < 4; ++warp)
    for (int k = 0; k < 10; ++k)
      build.step(0, warp, Kind::SharedStore, 400);
  SimulationResult result = run(build, plainRates());
  EXPECT_GE(result.end, 39 * 4);
  EXPECT_LE(result.end, 40 * 4 + 2);
}

TEST(Simulation, FillsMayTakeTurnsToo) {
  // 50000 bytes arrive in 1000 cycles and take 500 of shared memory; stores of
  // 90000 bytes take 900 at the same time, the last of which is not waited for.
  auto timesOf = [](double share) {
    Build build(1, 2);
    uint32_t full = build.moment();
    build.step(0, 0, Kind::Start, build.operation(OpKind::Load, 50000, {full}));
    build.step(0, 0, Kind::Wait, full);
    build.step(0, 1, Kind::Work, 150); // until the data arrives
    for (int k = 0; k < 225; ++k)
      build.step(0, 1, Kind::SharedStore, 400);
    Rates rates = plainRates();
    rates[RateId::FillShare] = share;
    SimulationResult result = run(build, rates);
    return std::pair(result.warps[0].end, result.warps[1].end);
  };
  auto [alone, stores] = timesOf(0);
  EXPECT_DOUBLE_EQ(alone, 1000 + 300);
  EXPECT_DOUBLE_EQ(stores, 300 + 900 - 4);
  auto [half, someStores] = timesOf(0.5);
  auto [whole, lateStores] = timesOf(1);
  // The stores wait for what arrives; that waits for one store at a time.
  EXPECT_NEAR(someStores, 300 + 900 + 250, 15);
  EXPECT_NEAR(lateStores, 300 + 900 + 500, 15);
  EXPECT_NEAR(half, 1300, 25);
  EXPECT_NEAR(whole, 1300, 25);
}

TEST(Simulation, LoadsAreWaitedForAtTheirUse) {
  Build build;
  build.step(0, 0, Kind::SharedLoad, 100); // 1 cycle, 9 of latency
  build.step(0, 0, Kind::GlobalLoad, 100); // 200 of latency
  build.step(0, 0, Kind::Use, 0);
  build.step(0, 0, Kind::Work, 1);
  Rates rates = plainRates();
  EXPECT_DOUBLE_EQ(run(build, rates).end, 1 + 9 + 2);
  build.step(0, 0, Kind::Use, 1);
  EXPECT_NEAR(run(build, rates).end, 2 + 0.1 + 200, 0.01);
}

TEST(Simulation, TensorMemoryLoads) {
  // A quarter of 400 bytes a cycle for each warp: 1000 bytes take 10 cycles.
  Build build(1, 4);
  for (uint32_t warp = 0; warp < 4; ++warp) {
    for (int k = 0; k < 3; ++k)
      build.step(0, warp, Kind::TensorLoad, 1000);
    build.step(0, warp, Kind::Use, 2);
  }
  EXPECT_DOUBLE_EQ(run(build, plainRates()).end, 3 * 10 + 20);
}

TEST(Simulation, Barriers) {
  Build build(1, 3);
  uint32_t named = build.moment(0, BarrierKind::Named);
  for (uint32_t warp = 0; warp < 3; ++warp) {
    build.step(0, warp, Kind::Work, 10 * (warp + 1));
    build.step(0, warp, Kind::Signal, named);
    build.step(0, warp, Kind::Wait, named);
  }
  // The last one comes after 60 cycles and the instruction's 2.
  EXPECT_DOUBLE_EQ(run(build, plainRates()).end, 60 + 2 + 11 + 3);
}

TEST(Simulation, ArrivalsAtAnotherCtaTakeLonger) {
  for (uint32_t owner : {0u, 1u}) {
    Build build(2, 1, 2);
    uint32_t barrier = build.moment(owner);
    build.step(0, 0, Kind::Signal, barrier);
    build.step(owner, 0, Kind::Wait, barrier);
    SimulationResult result = run(build, plainRates(2));
    EXPECT_DOUBLE_EQ(result.end, 3 + (owner ? 40 : 0) + 5);
  }
}

TEST(Simulation, StoresToAnotherCtaArriveLater) {
  // Two stores of 500 bytes take shared memory for 5 cycles each, and arrive 30
  // later; who waits sees that after 5 more. The TMA unit has no part in it.
  Build build(2, 1, 2);
  uint32_t moment = build.moment(1);
  for (int k = 0; k < 2; ++k) {
    uint32_t store = build.operation(Operation::Kind::StAsync, 500, {moment});
    build.step(0, 0, Kind::Start, store);
  }
  build.step(1, 0, Kind::Wait, moment);
  SimulationResult result = run(build, plainRates(2));
  EXPECT_DOUBLE_EQ(result.warps[0].end, 5);
  EXPECT_DOUBLE_EQ(result.warps[1].end, 5 + 5 + 30 + 5);
}

TEST(Simulation, StoresReadSharedMemoryFirst) {
  Build build;
  uint32_t store = build.operation(OpKind::Store, 1000);
  build.step(0, 0, Kind::Start, store);
  build.step(0, 0, Kind::Finish, store, 1);
  build.step(0, 0, Kind::Work, 1);
  SimulationResult result = run(build, plainRates());
  EXPECT_DOUBLE_EQ(result.warps[0].end, 10 + 5 + 2);
  EXPECT_DOUBLE_EQ(result.end, 10 + 1 + 100); // L2 has it all
  EXPECT_EQ(result.storedBytes, 1000u);
}

TEST(Simulation, CtasWaitForRoom) {
  for (uint32_t perSm : {1u, 2u, 4u}) {
    Build build(4);
    for (uint32_t cta = 0; cta < 4; ++cta)
      build.step(cta, 0, Kind::GlobalLoad, 0);
    for (uint32_t cta = 0; cta < 4; ++cta)
      build.step(cta, 0, Kind::Use, 0);
    SimulationResult result = run(build, plainRates(1), perSm);
    double rounds = 4 / perSm;
    EXPECT_DOUBLE_EQ(result.end, rounds * 200 + (rounds - 1) * 50);
  }
}

TEST(Simulation, ClustersNeedTheirSms) {
  // Three SMs hold one cluster of two at a time.
  Build build(4, 1, 2);
  for (uint32_t cta = 0; cta < 4; ++cta)
    build.step(cta, 0, Kind::Work, 50);
  EXPECT_DOUBLE_EQ(run(build, plainRates(3)).end, 100 + 50 + 100);
  SimulationResult none = run(build, plainRates(1));
  EXPECT_EQ(none.error, "a cluster of 2 CTAs does not fit on 1 SMs");
}

TEST(Simulation, WhatNeverComesIsAnError) {
  Build build;
  uint32_t never = build.moment();
  build.step(0, 0, Kind::Wait, never);
  build.step(0, 0, Kind::Signal, never);
  SimulationResult result = run(build, plainRates());
  EXPECT_NE(result.error.find("cannot be replayed"), std::string::npos);
  EXPECT_NE(result.error.find("CTA 0 warp 0"), std::string::npos);
}

TEST(Simulation, NothingToDo) {
  Build build(0);
  SimulationResult result = run(build, plainRates());
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.end, 0);
}
