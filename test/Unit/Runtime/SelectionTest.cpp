//===- SelectionTest.cpp - the cost model and its choices -----------------===//

#include "bsmm/Runtime/Selection.h"
#include "bsmm/Target/BlockScaledCost.h"
#include "gtest/gtest.h"
#include <array>
#include <cmath>

using namespace bsmm;
using namespace bsmm::runtime;

namespace {

/// An FP8 kernel for sm_90a: one warpgroup loads, two compute.
KernelManifest kernelOf(int64_t n, int64_t stages, int64_t splitK = 1) {
  KernelManifest manifest;
  manifest.entry = "gemm";
  manifest.target = "sm_90a";
  manifest.grid.rule = splitK == 1 ? GridRule::Persistent : GridRule::Tile;
  manifest.grid.splitK = splitK;
  manifest.block = {384, 1, 1};
  manifest.cluster = {splitK, 1, 1};
  manifest.tile = {128, n, 128};
  manifest.configuration["stages"] = stages;
  manifest.problem.a = manifest.problem.b = target::ElementType::E4M3;
  manifest.problem.out = target::ElementType::BF16;
  return manifest;
}

LaunchRequest sizesOf(int64_t m, int64_t n, int64_t k, int64_t l = 1) {
  LaunchRequest request;
  request.m = m;
  request.n = n;
  request.k = k;
  request.l = l;
  return request;
}

KernelManifest pingPong(KernelManifest manifest) {
  manifest.configuration["ping_pong"] = int64_t(1);
  return manifest;
}

double cyclesOf(const KernelManifest &manifest, const LaunchRequest &request) {
  PredictedCost cost = predictCost(manifest, request);
  EXPECT_TRUE(cost.isKnown);
  return cost.cyclesOfLaunch;
}

/// The steps of the model by hand, for a tile of 128 x 128 of a cold start.
TEST(Selection, CostOfOneTile) {
  PredictedCost cost = predictCost(kernelOf(128, 6), sizesOf(128, 128, 1024));
  ASSERT_TRUE(cost.isKnown);
  EXPECT_EQ(cost.waves, 1);
  EXPECT_EQ(cost.stepsOfTile, 8);
  // The tensor core does 4096 products a clock; one SM has the L2 cache for
  // itself.
  double step = 128 * 128 * 128 / 4096;
  EXPECT_DOUBLE_EQ(cost.cyclesOfStep, step);
  // 32 KiB at 28 bytes a clock.
  EXPECT_DOUBLE_EQ(cost.cyclesOfTile, 100 + 32768 / 28.0);
  // One SM of 132 takes little power: the clock is at its limit.
  double cycles = 8 * step + 100 + 32768 / 28.0 + 3600;
  EXPECT_DOUBLE_EQ(cost.cyclesOfLaunch, cycles * std::pow(0.28, 0.27));
}

TEST(Selection, EachLimitOfAStep) {
  LaunchRequest full = sizesOf(8192, 8192, 8192);
  // The tensor core.
  EXPECT_DOUBLE_EQ(predictCost(kernelOf(224, 4), full).cyclesOfStep, 896);
  // Too few slots to hide a load.
  EXPECT_EQ(predictCost(kernelOf(128, 3), full).cyclesOfStep, 875);
  EXPECT_EQ(predictCost(kernelOf(128, 2), full).cyclesOfStep, 875);
  EXPECT_EQ(predictCost(kernelOf(128, 1), full).cyclesOfStep, 875);
  // The L2 cache, when all SMs load: 20 KiB at 67 bytes a clock.
  EXPECT_DOUBLE_EQ(predictCost(kernelOf(32, 8), full).cyclesOfStep,
                   20480 / 67.0);
  // Half as many values of 16 bits, a step of as many bytes.
  KernelManifest half = kernelOf(224, 4);
  half.tile.k = 64;
  half.problem.a = half.problem.b = target::ElementType::BF16;
  EXPECT_DOUBLE_EQ(predictCost(half, full).cyclesOfStep, 896);
}

/// One multiplies while the other one drains: a turn between tiles, and the
/// last tile is drained by one warpgroup with nothing beside it.
TEST(Selection, PingPong) {
  KernelManifest manifest = pingPong(kernelOf(128, 6));
  PredictedCost cost = predictCost(manifest, sizesOf(128, 128 * 264, 128));
  double step = 128 * 128 * 128 / 4096;
  EXPECT_EQ(cost.waves, 2);
  EXPECT_EQ(cost.cyclesOfTile, 200);
  // The clock falls with the power: two tiles of ten steps for each SM, whose
  // operands are 256 rows of 128 bytes.
  cost = predictCost(manifest, sizesOf(128, 128 * 264, 1280));
  double cycles = 2 * (10 * step + 200) + 100 + 32768 / 14.0 + 3600;
  double power = 2 * 10 * (step + 256 * 128 * 0.0035) / cycles;
  EXPECT_GT(power, 0.28);
  EXPECT_DOUBLE_EQ(cost.cyclesOfLaunch, cycles * std::pow(power, 0.27));
}

/// CTAs with tiles of their own load the columns once for two: 128 and 16 rows
/// of 128 bytes each. Three tile rows are two pairs.
TEST(Selection, LoadsOfACluster) {
  KernelManifest plain = kernelOf(32, 8), pairs = plain;
  pairs.cluster = {2, 1, 1};
  LaunchRequest full = sizesOf(8192, 8192, 8192);
  EXPECT_DOUBLE_EQ(predictCost(plain, full).cyclesOfStep,
                   (128 + 32) * 128 / 67.0);
  EXPECT_DOUBLE_EQ(predictCost(pairs, full).cyclesOfStep,
                   (128 + 16) * 128 / 67.0 * 1.02);
  LaunchRequest odd = sizesOf(128 * 3, 32 * 33, 128);
  EXPECT_EQ(predictCost(plain, odd).waves, 1);
  EXPECT_EQ(predictCost(pairs, odd).waves, 1);
  odd.n = 32 * 34;
  EXPECT_EQ(predictCost(plain, odd).waves, 1);
  EXPECT_EQ(predictCost(pairs, odd).waves, 2);
}

TEST(Selection, WavesOfTheGrid) {
  auto waves = [](const KernelManifest &manifest, int64_t m, int64_t n,
                  int64_t l, int64_t sms) {
    LaunchRequest request = sizesOf(m, n, 512, l);
    request.smCount = sms;
    return predictCost(manifest, request).waves;
  };
  KernelManifest plain = kernelOf(128, 6);
  EXPECT_EQ(waves(plain, 128 * 11, 128 * 12, 1, 0), 1); // 132 SMs of an H200
  EXPECT_EQ(waves(plain, 128 * 11 + 1, 128 * 12, 1, 0), 2);
  EXPECT_EQ(waves(plain, 128 * 11, 128 * 12, 3, 132), 3);
  EXPECT_EQ(waves(plain, 128 * 11, 128 * 12, 1, 131), 2);
  EXPECT_EQ(waves(plain, 128 * 11, 128 * 12, 1, 1), 132);
  // A cluster of two leaves the odd SM idle.
  EXPECT_EQ(waves(kernelOf(128, 6, 2), 128, 128 * 65, 1, 131), 1);
  EXPECT_EQ(waves(kernelOf(128, 6, 2), 128, 128 * 66, 1, 131), 2);
  // A cluster larger than the GPU still is one.
  EXPECT_EQ(waves(kernelOf(128, 6, 4), 128, 128, 1, 2), 1);
}

TEST(Selection, SplittingK) {
  LaunchRequest request = sizesOf(128, 128, 1024 + 128);
  PredictedCost whole = predictCost(kernelOf(128, 6), request);
  PredictedCost parts = predictCost(kernelOf(128, 6, 2), request);
  EXPECT_EQ(whole.stepsOfTile, 9);
  EXPECT_EQ(parts.stepsOfTile, 5);
  // Half of 64 KiB is sent.
  EXPECT_EQ(parts.cyclesOfTile, whole.cyclesOfTile + 32768 / 6.0);
  // A CTA of its own fills its pipeline, but in the first wave.
  request.m = 128 * 67;
  EXPECT_EQ(predictCost(kernelOf(128, 6, 2), request).cyclesOfTile,
            whole.cyclesOfTile + 875 / 2.0 + 32768 / 6.0);
  request.m = 128;
  // It pays for long K alone.
  EXPECT_GT(parts.cyclesOfLaunch, whole.cyclesOfLaunch);
  request.k = 16384;
  EXPECT_LT(cyclesOf(kernelOf(128, 6, 2), request),
            cyclesOf(kernelOf(128, 6), request));
}

TEST(Selection, OneConsumerStoresAtHalfTheRate) {
  KernelManifest two = kernelOf(128, 6), one = two;
  one.block = {256, 1, 1};
  LaunchRequest request = sizesOf(128, 128, 128);
  EXPECT_DOUBLE_EQ(predictCost(one, request).cyclesOfTile,
                   predictCost(two, request).cyclesOfTile + 32768 / 28.0);
}

TEST(Selection, WhatItDoesNotCover) {
  LaunchRequest request = sizesOf(512, 512, 512);
  EXPECT_TRUE(predictCost(kernelOf(128, 6), request).isKnown);
  auto known = [&](auto change) {
    KernelManifest manifest = kernelOf(128, 6);
    change(manifest);
    PredictedCost cost = predictCost(manifest, request);
    EXPECT_EQ(cost.isKnown, cost.cyclesOfLaunch > 0);
    return cost.isKnown;
  };
  EXPECT_FALSE(known([](KernelManifest &m) { m.target = "sm_100a"; }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.target = "sm_1"; }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.grid.rule = GridRule::Fixed; }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.tile.k = 0; }));
  EXPECT_FALSE(known(
      [](KernelManifest &m) { m.problem.a = target::ElementType::E2M1; }));
  EXPECT_FALSE(known(
      [](KernelManifest &m) { m.problem.b = target::ElementType::BF16; }));
  EXPECT_FALSE(known([](KernelManifest &m) {
    m.problem.scaleType = target::ElementType::UE8M0;
  }));
  // Without stages there is no statement about latency.
  EXPECT_TRUE(known([](KernelManifest &m) { m.configuration.clear(); }));
  EXPECT_TRUE(known([](KernelManifest &m) {
    m.configuration["stages"] = std::string("many");
  }));
}

/// An NVFP4 kernel for sm_100a.
KernelManifest scaledKernelOf(int64_t n, int64_t k, int64_t stages,
                              int64_t splitK = 1) {
  KernelManifest manifest;
  manifest.entry = "gemm";
  manifest.target = "sm_100a";
  manifest.grid.rule = splitK == 1 ? GridRule::Persistent : GridRule::Tile;
  manifest.grid.splitK = splitK;
  manifest.block = {splitK == 1 ? 192 : 128, 1, 1};
  manifest.cluster = {splitK, 1, 1};
  manifest.tile = {128, n, k};
  manifest.configuration["stages"] = stages;
  manifest.problem.a = manifest.problem.b = target::ElementType::E2M1;
  manifest.problem.out = target::ElementType::F16;
  manifest.problem.scaleType = target::ElementType::UE4M3;
  manifest.problem.scaleVector = 16;
  return manifest;
}

/// The longer one of what goes on at once, and a little more.
static double blend(double a, double b, double sharpness) {
  return std::pow(std::pow(a, sharpness) + std::pow(b, sharpness),
                  1 / sharpness);
}

/// Four copies of a step, and the instructions around them.
static const double issueOfFour = 4 * 48 + 30;

/// The steps of the model by hand: one tile of 128 x 128, four steps.
TEST(Selection, BlockScaledTile) {
  PredictedCost cost =
      predictCost(scaledKernelOf(128, 256, 5), sizesOf(128, 128, 1024));
  ASSERT_TRUE(cost.isKnown);
  EXPECT_EQ(cost.waves, 1);
  EXPECT_EQ(cost.stepsOfTile, 4);
  // 128 x 128 x 128 bytes of K at 8192, beside which the next step's scales are
  // copied. An SM has its link to the L2 cache for itself: 36 KiB at 126 bytes
  // a clock.
  double tensor = 256 + 15, l2 = 36864 / 126.0;
  // Five slots for a round trip, which takes longer than the multiplication.
  double latency = (1120 + l2 + tensor) / 5;
  EXPECT_GT(latency, tensor);
  EXPECT_DOUBLE_EQ(cost.cyclesOfStep, latency);
  EXPECT_DOUBLE_EQ(cost.cyclesOfTile, 335 + 128 / 0.117);
  // Memory has little to do meanwhile; the last step is multiplied then.
  EXPECT_NEAR(cost.cyclesOfLaunch,
              3480 + 4 * latency + tensor + 335 + 128 / 0.117 + 1000, 1e-6);
  // A CTA with one tile begins sooner; two warpgroups drain it faster, but take
  // time from the warp that loads.
  KernelManifest one = scaledKernelOf(128, 256, 5);
  one.grid = GridDescription();
  EXPECT_NEAR(cyclesOf(one, sizesOf(128, 128, 1024)),
              3340 + 4 * latency + tensor + 335 + 128 / 0.117 + 1000, 1e-6);
  one.block = {256, 1, 1};
  EXPECT_NEAR(cyclesOf(one, sizesOf(128, 128, 1024)),
              3340 + 46 + 4 * latency + tensor + 335 + 128 / 0.14 + 1000, 1e-6);
}

TEST(Selection, EachLimitOfABlockScaledStep) {
  auto step = [](int64_t n, int64_t k, int64_t stages, LaunchRequest request,
                 int64_t splitK = 1) {
    return predictCost(scaledKernelOf(n, k, stages, splitK), request)
        .cyclesOfStep;
  };
  LaunchRequest full = sizesOf(8192, 8192, 8192);
  // All 148 SMs: 10433 bytes a clock from the L2 cache.
  EXPECT_DOUBLE_EQ(step(128, 256, 5, full),
                   blend(36864 * 148 / 10433.0, issueOfFour, 12));
  // Half as wide, as many bytes of scales.
  EXPECT_DOUBLE_EQ(step(64, 256, 8, full),
                   blend(28672 * 148 / 10433.0, issueOfFour, 12));
  // The tensor core and its scales, of 128 and 256 rows: two places beside
  // accumulators that share columns, or one where these would share too many.
  LaunchRequest one = sizesOf(128, 256, 8192);
  EXPECT_DOUBLE_EQ(step(256, 128, 8, one), 256 + 15);
  EXPECT_DOUBLE_EQ(step(256, 256, 8, one), 512 + 256 * 24 / 60.0);
  // The copies, of which an SM gets 7168 bytes through its link.
  EXPECT_DOUBLE_EQ(step(64, 64, 8, sizesOf(128, 64, 8192), 2),
                   blend(7168 / 126.0, issueOfFour, 12));
  // Rows that are not there are not loaded; those of scale tiles are.
  EXPECT_DOUBLE_EQ(step(64, 256, 64, sizesOf(16, 64 * 148, 8192)),
                   blend((16 * 128 + 2048 + 64 * 128 + 2048) * 148 / 10433.0,
                         issueOfFour, 12));
}

/// Nothing to do takes the launch, and not an undefined time.
TEST(Selection, BlockScaledWithoutSteps) {
  for (bool isPersistent : {true, false}) {
    KernelManifest manifest = scaledKernelOf(128, 256, 5);
    if (!isPersistent)
      manifest.grid = GridDescription();
    for (auto [m, n, k] :
         {std::array<int64_t, 3>{128, 128, 0}, {0, 128, 256}, {128, 0, 256}}) {
      double cycles = cyclesOf(manifest, sizesOf(m, n, k));
      EXPECT_TRUE(std::isfinite(cycles) && cycles > 0)
          << m << " " << n << " " << k;
    }
  }
}

/// Memory gives what it gives: halving the tiles of few rows does not help.
TEST(Selection, BlockScaledRowsAreBoundByMemory) {
  LaunchRequest request = sizesOf(128, 64 * 148, 16384);
  double bytes = (128 + 64.0 * 148) * 16384 * 9 / 16;
  double cycles = cyclesOf(scaledKernelOf(64, 256, 7), request);
  EXPECT_GE(cycles, bytes / 3613 + 3480 + 1000);
}

/// With few tiles CTAs that share K are faster, with many they are not.
TEST(Selection, BlockScaledSplit) {
  auto prefers = [](int64_t m, int64_t n, int64_t k) {
    int64_t best = 1;
    for (int64_t split : {2, 4, 8})
      if (cyclesOf(scaledKernelOf(64, 256, 7, split), sizesOf(m, n, k)) <
          cyclesOf(scaledKernelOf(64, 256, 7, best), sizesOf(m, n, k)))
        best = split;
    return best;
  };
  EXPECT_EQ(prefers(128, 7168, 16384), 1);
  EXPECT_EQ(prefers(128, 4096, 7168), 2);
  EXPECT_EQ(prefers(128, 1536, 7168), 4);
  EXPECT_EQ(prefers(128, 256, 256), 1);
  EXPECT_EQ(prefers(4096, 4096, 4096), 1);
}

/// Swapped operands: the 128 rows of the multiplication are columns of D.
TEST(Selection, BlockScaledSwapped) {
  KernelManifest plain = scaledKernelOf(64, 256, 7), swapped = plain;
  swapped.tile = {64, 128, 256};
  LaunchRequest request = sizesOf(64, 128 * 148, 4096);
  EXPECT_EQ(predictCost(plain, request).waves, 2);
  EXPECT_EQ(predictCost(swapped, request).waves, 1);
  EXPECT_LE(cyclesOf(swapped, request), cyclesOf(plain, request));
}

KernelManifest together(KernelManifest manifest, int64_t ctas, bool sharesA) {
  manifest.cluster = {ctas, 1, 1};
  manifest.configuration[sharesA ? "multicast_a" : "multicast_b"] = int64_t(1);
  return manifest;
}

/// CTAs that load together: what they share leaves the L2 cache once, and comes
/// to each. 128 rows of A and 256 of B, 128 elements of K.
TEST(Selection, BlockScaledClusters) {
  KernelManifest plain = scaledKernelOf(256, 128, 7);
  LaunchRequest full = sizesOf(8192, 8192, 8192);
  auto step = [&](int64_t ctas, bool sharesA) {
    return predictCost(together(plain, ctas, sharesA), full).cyclesOfStep;
  };
  double a = 128 * 72.0, b = 2 * a;
  EXPECT_DOUBLE_EQ(predictCost(plain, full).cyclesOfStep,
                   blend((a + b) * 148 / 10433, issueOfFour, 12));
  // Steps of 64 bytes of K: two warps share the copies.
  EXPECT_DOUBLE_EQ(step(2, true),
                   blend((a / 2 + b) * 148 / 10433, issueOfFour, 12));
  // Less is less than the tensor core with its scales takes.
  double tensor = 256 + 15;
  EXPECT_LT((a + b / 2) * 148 / 10433, tensor);
  EXPECT_DOUBLE_EQ(step(2, false), tensor);
  EXPECT_DOUBLE_EQ(step(4, false), tensor);

  // Tiles that nobody has: rows of five tiles are three pairs, columns of five.
  LaunchRequest odd = sizesOf(5 * 128, 256, 8192);
  odd.smCount = 4;
  EXPECT_EQ(predictCost(plain, odd).waves, 2);
  EXPECT_EQ(predictCost(together(plain, 2, false), odd).waves, 2);
  odd = sizesOf(128, 5 * 256, 8192);
  odd.smCount = 5;
  EXPECT_EQ(predictCost(plain, odd).waves, 1);
  // For nine tiles in three columns six pairs, each row of three takes two.
  odd = sizesOf(3 * 128, 3 * 256, 8192);
  odd.smCount = 148;
  EXPECT_EQ(predictCost(together(plain, 2, true), odd).waves, 1);
  EXPECT_EQ(predictCost(plain, odd).waves, 1);
  odd = sizesOf(128, 5 * 256, 8192);
  odd.smCount = 5;
  // Whole clusters: four of five SMs.
  EXPECT_EQ(predictCost(together(plain, 2, true), odd).waves, 2);
  // A cluster of 128 rows has the rows of both CTAs, of which one has none.
  EXPECT_EQ(predictCost(together(plain, 2, false), odd).waves, 3);
}

/// Together where the L2 cache is the limit, alone where it is not.
TEST(Selection, BlockScaledChoiceOfClusters) {
  auto choose = [](double m, double n, double k) {
    target::BlockScaledProblem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return target::chooseBlockScaled(problem, 148, 232448).kernel;
  };
  target::BlockScaledKernel large = choose(4096, 4096, 8192);
  EXPECT_EQ(large.together, 2);
  EXPECT_FALSE(large.sharesRows);
  EXPECT_EQ(large.split, 1);
  EXPECT_EQ(choose(128, 256, 256).together, 1);
  EXPECT_EQ(choose(128, 1536, 7168).together, 1);
  EXPECT_EQ(choose(128, 1536, 7168).split, 4);
  // Rows of more than 128 bytes have no shares.
  EXPECT_TRUE(target::canShare(128, 4, 256, 2));
  EXPECT_FALSE(target::canShare(128, 4, 512, 2));
  EXPECT_FALSE(target::canShare(128, 8, 256, 2));
  EXPECT_FALSE(target::canShare(64, 4, 256, 16));
}

TEST(Selection, BlockScaledKernelsThatAreNotCovered) {
  LaunchRequest request = sizesOf(512, 512, 512);
  auto known = [&](auto change) {
    KernelManifest manifest = scaledKernelOf(128, 256, 5);
    change(manifest);
    PredictedCost cost = predictCost(manifest, request);
    EXPECT_EQ(cost.isKnown, cost.cyclesOfLaunch > 0);
    return cost.isKnown;
  };
  EXPECT_TRUE(known([](KernelManifest &m) { m.target = "sm_103a"; }));
  EXPECT_TRUE(known([](KernelManifest &m) { m.configuration.clear(); }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.target = "sm_110a"; }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.tile.k = 0; }));
  EXPECT_FALSE(known([](KernelManifest &m) {
    m.tile.m = 64;
    m.tile.n = 64;
  }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.cluster = {2, 1, 1}; }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.problem.scaleVector = 0; }));
  EXPECT_FALSE(known([](KernelManifest &m) { m.grid.rule = GridRule::Fixed; }));
}

/// Scale tiles that columns touch where they start worst: what the layout
/// library computes.
TEST(Selection, ScaleRows) {
  const int64_t expected[] = {128, 128, 256, 128, 256, 256, 256, 128,
                              256, 256, 384, 256, 384, 384, 384, 256};
  for (int64_t columns = 16; columns <= 256; columns += 16) {
    EXPECT_EQ(target::scaleRows(columns), expected[columns / 16 - 1])
        << columns;
    EXPECT_EQ(target::multipliedColumns(columns), (columns + 31) / 32 * 32);
  }
}

/// What the compiler chooses, for 148 SMs.
TEST(Selection, BlockScaledChoice) {
  auto choose = [](double m, double n, double k) {
    target::BlockScaledProblem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return target::chooseBlockScaled(problem, 148, 232448);
  };
  auto large = choose(4096, 4096, 8192);
  EXPECT_EQ(large.kernel.columns, 256);
  EXPECT_EQ(large.kernel.k, 128);
  EXPECT_TRUE(large.kernel.isPersistent);
  auto few = choose(128, 1536, 7168);
  EXPECT_EQ(few.kernel.columns, 64);
  EXPECT_EQ(few.kernel.split, 4);
  EXPECT_FALSE(few.kernel.isPersistent || few.kernel.isTransposed);
  auto narrow = choose(16, 4096, 7168);
  EXPECT_TRUE(narrow.kernel.isTransposed);
  EXPECT_EQ(narrow.kernel.columns, 16);
  EXPECT_EQ(narrow.kernel.split, 2);
  // All of K would take an SM's link too long.
  auto small = choose(128, 3072, 1536);
  EXPECT_EQ(small.kernel.columns, 64);
  EXPECT_EQ(small.kernel.split, 2);
  EXPECT_EQ(small.kernel.epilogueWarps, 4);
  // Eight warps drain wide shares of the columns.
  auto wide = choose(512, 1536, 7168);
  EXPECT_EQ(wide.kernel.epilogueWarps, 8);
  EXPECT_EQ(wide.kernel.split, 2);
  // And where tiles have few steps.
  auto shallow = choose(4096, 4096, 512);
  EXPECT_TRUE(shallow.kernel.isPersistent);
  EXPECT_EQ(shallow.kernel.epilogueWarps, 8);
  // Rows of 8-bit outputs are whole 16 bytes.
  for (double n : {512, 2048, 4096, 8192})
    for (double k : {512, 2048, 7168})
      for (double m : {128, 768, 1024}) {
        target::BlockScaledProblem narrowOut;
        narrowOut.m = m;
        narrowOut.n = n;
        narrowOut.k = k;
        narrowOut.bitsOut = 8;
        auto kernel = target::chooseBlockScaled(narrowOut, 148, 232448).kernel;
        EXPECT_TRUE(kernel.isTransposed || kernel.columns / kernel.split * 4 /
                                                   kernel.epilogueWarps % 16 ==
                                               0)
            << m << " " << n << " " << k;
      }
  // Nothing fits: no choice.
  target::BlockScaledProblem problem;
  EXPECT_EQ(target::chooseBlockScaled(problem, 148, 4096).cycles, 0);
}

TEST(Selection, ExtremeSizesStayFinite) {
  int64_t most = 2147483647;
  KernelManifest tiny = kernelOf(8, 6);
  tiny.tile = {1, 1, 1};
  double cycles = cyclesOf(tiny, sizesOf(most, most, most, most));
  EXPECT_TRUE(std::isfinite(cycles));
  EXPECT_GT(cycles, 1e36);
  EXPECT_DOUBLE_EQ(cyclesOf(kernelOf(128, 6), sizesOf(0, 0, 0, 0)),
                   3600 * std::pow(0.28, 0.27));
  EXPECT_EQ(predictCost(kernelOf(128, 6), sizesOf(1, 1, 0)).stepsOfTile, 0);
}

TEST(Selection, NumericsAreNotTraded) {
  KernelManifest first = kernelOf(128, 6), other = kernelOf(192, 4);
  EXPECT_TRUE(mayReplace(first, other));
  other.numerics.promoteEvery = 128;
  EXPECT_FALSE(mayReplace(first, other));
  EXPECT_FALSE(mayReplace(other, first));
  other = kernelOf(192, 4);
  other.numerics.orderDependent = true;
  EXPECT_FALSE(mayReplace(first, other));
  EXPECT_TRUE(mayReplace(other, first));
  other = kernelOf(192, 4);
  other.target = "sm_100a";
  EXPECT_FALSE(mayReplace(first, other));
  // Nor are stores through tensor maps given up.
  other = kernelOf(192, 4);
  ManifestParam d;
  d.role = Role::D;
  first.params = {d};
  EXPECT_TRUE(mayReplace(first, other));
  d.kind = ManifestParam::Kind::TensorMap;
  first.params = {d};
  EXPECT_FALSE(mayReplace(first, other));
  EXPECT_TRUE(mayReplace(other, first));
  other.params = {d};
  EXPECT_TRUE(mayReplace(first, other));
}

TEST(Selection, PreciseSums) {
  using target::ElementType;
  KernelManifest manifest = kernelOf(128, 6);
  EXPECT_FALSE(hasPreciseSums(manifest));
  manifest.problem.a = ElementType::E5M2;
  EXPECT_FALSE(hasPreciseSums(manifest));
  manifest.numerics.promoteEvery = 128;
  EXPECT_TRUE(hasPreciseSums(manifest));
  // 16-bit operands, and other targets, have sums of f32 by themselves.
  manifest.numerics.promoteEvery = 0;
  manifest.problem.a = manifest.problem.b = ElementType::BF16;
  EXPECT_TRUE(hasPreciseSums(manifest));
  manifest.problem.a = manifest.problem.b = ElementType::E4M3;
  for (const char *target : {"sm_100a", "sm_120a"}) {
    manifest.target = target;
    EXPECT_TRUE(hasPreciseSums(manifest)) << target;
  }
}

/// Measured on one H200, TFLOP/s of FP8 with row scales and bf16 results, of
/// the kernels of the tests below. docs/selection.md has the same tables.
template <size_t Kernels> struct Measured {
  int64_t m, k, n;
  double teraflops[Kernels];
};
constexpr Measured<16> fast[] = {
    {512,
     3072,
     12288,
     {940, 989, 1135, 1157, 1139, 1076, 1132, 1180, 1106, 1028, 957, 1164, 1084,
      1003, 768, 888}},
    {512,
     12288,
     3072,
     {1213, 680, 1174, 1037, 756, 687, 1165, 1035, 959, 885, 820, 761, 940, 863,
      1044, 552}},
    {1152,
     3072,
     12288,
     {1006, 1203, 1289, 1278, 1227, 1321, 1295, 1377, 1416, 1311, 1401, 1305,
      1099, 1258, 870, 1372}},
    {1152,
     12288,
     3072,
     {1031, 1419, 1021, 1244, 877, 1432, 1000, 1267, 1135, 1040, 953, 887, 982,
      1005, 953, 1209}},
    {2304,
     3072,
     12288,
     {1022, 1211, 1161, 1273, 1340, 1291, 1172, 1346, 1388, 1381, 1369, 1417,
      1383, 1364, 882, 1376}},
    {2304,
     12288,
     3072,
     {1174, 1377, 1223, 1198, 1114, 1411, 1212, 1221, 1384, 1315, 1216, 1141,
      1396, 1292, 1120, 1142}},
    {4608,
     3072,
     12288,
     {1053, 1191, 1196, 1272, 1306, 1319, 1176, 1348, 1337, 1402, 1350, 1365,
      1342, 1394, 844, 1357}},
    {4608,
     12288,
     3072,
     {1174, 1245, 1271, 1247, 1254, 1358, 1302, 1276, 1327, 1238, 1364, 1251,
      1326, 1233, 1149, 1408}},
    {8192,
     8192,
     8192,
     {1076, 1272, 1160, 1296, 1316, 1300, 1070, 1266, 1285, 1272, 1298, 1303,
      1325, 1326, 1055, 1300}},
};

/// With promotion every 128 values of K.
constexpr Measured<13> promoted[] = {
    {512,
     3072,
     12288,
     {930, 936, 909, 1114, 995, 1147, 1045, 976, 1125, 1010, 847, 1002, 676}},
    {512,
     12288,
     3072,
     {1195, 623, 692, 1162, 1109, 1027, 974, 866, 737, 640, 737, 683, 823}},
    {1152,
     3072,
     12288,
     {981, 1088, 1102, 1234, 1176, 1239, 1240, 1167, 1189, 1187, 1178, 1213,
      740}},
    {1152,
     12288,
     3072,
     {1007, 1256, 1354, 1026, 1330, 1223, 1100, 988, 858, 1297, 848, 1354,
      950}},
    {2304,
     3072,
     12288,
     {999, 1085, 1118, 1119, 1192, 1205, 1193, 1242, 1288, 1171, 1275, 1216,
      769}},
    {2304,
     12288,
     3072,
     {1127, 1213, 1311, 1150, 1229, 1129, 1319, 1199, 1061, 1258, 1043, 1348,
      1070}},
    {4608,
     3072,
     12288,
     {998, 1085, 1029, 1161, 1148, 1205, 1135, 1247, 1240, 1179, 1248, 1205,
      768}},
    {4608,
     12288,
     3072,
     {1143, 1128, 1212, 1209, 1164, 1202, 1255, 1145, 1201, 1167, 1179, 1290,
      1056}},
    {8192,
     8192,
     8192,
     {1013, 1129, 1176, 1026, 1123, 1223, 1214, 1189, 1244, 1138, 1217, 1217,
      993}},
};

KernelManifest withOneTile(KernelManifest manifest) {
  manifest.grid.rule = GridRule::Tile;
  return manifest;
}

/// A tile of 192 rows.
KernelManifest tall(KernelManifest manifest) {
  manifest.tile.m = 192;
  return manifest;
}

KernelManifest inPairs(KernelManifest manifest) {
  manifest.cluster = {2, 1, 1};
  return manifest;
}

/// In so many parts of the steps of a trip.
KernelManifest promoting(KernelManifest manifest, int64_t parts,
                         int64_t steps = 1) {
  manifest.numerics.promoteEvery = 128;
  manifest.configuration["promotion_parts"] = parts;
  manifest.configuration["promotion_steps"] = steps;
  return manifest;
}

/// The choice is the fastest kernel, or one with at least `share` of its speed.
template <size_t Kernels, size_t Rows>
void checkChoices(const KernelManifest (&kernels)[Kernels],
                  const Measured<Kernels> (&table)[Rows], double share) {
  for (const Measured<Kernels> &row : table) {
    size_t best = 0, chosen = 0;
    double least = INFINITY;
    for (size_t i = 0; i < Kernels; ++i) {
      if (row.teraflops[i] > row.teraflops[best])
        best = i;
      double cycles = cyclesOf(kernels[i], sizesOf(row.m, row.n, row.k));
      if (cycles < least) {
        least = cycles;
        chosen = i;
      }
    }
    EXPECT_GE(row.teraflops[chosen], share * row.teraflops[best])
        << row.m << "x" << row.k << "x" << row.n << ": kernel " << chosen;
  }
}

TEST(Selection, OrderOfTheMeasuredKernels) {
  const KernelManifest kernels[] = {withOneTile(kernelOf(96, 8)),
                                    withOneTile(kernelOf(224, 5)),
                                    kernelOf(96, 7),
                                    kernelOf(128, 6),
                                    kernelOf(192, 4),
                                    kernelOf(224, 4),
                                    pingPong(kernelOf(96, 7)),
                                    pingPong(kernelOf(128, 6)),
                                    pingPong(kernelOf(144, 6)),
                                    pingPong(kernelOf(160, 5)),
                                    pingPong(kernelOf(176, 5)),
                                    pingPong(kernelOf(192, 5)),
                                    inPairs(pingPong(kernelOf(144, 6))),
                                    inPairs(pingPong(kernelOf(160, 5))),
                                    kernelOf(192, 3, 2),
                                    tall(kernelOf(192, 4))};
  checkChoices(kernels, fast, 0.98);
}

TEST(Selection, OrderOfTheKernelsThatPromote) {
  const KernelManifest kernels[] = {
      withOneTile(promoting(kernelOf(96, 8), 2, 2)),
      withOneTile(promoting(kernelOf(224, 5), 4)),
      withOneTile(tall(promoting(kernelOf(144, 5), 3))),
      promoting(kernelOf(96, 7), 2, 2),
      promoting(kernelOf(112, 7), 2, 2),
      promoting(kernelOf(128, 6), 2, 2),
      promoting(kernelOf(144, 6), 2, 2),
      promoting(kernelOf(160, 5), 2),
      promoting(kernelOf(192, 4), 2),
      promoting(kernelOf(224, 4), 4),
      tall(promoting(kernelOf(128, 4), 3)),
      tall(promoting(kernelOf(144, 4), 3)),
      promoting(kernelOf(128, 6, 2), 2, 2)};
  checkChoices(kernels, promoted, 0.975);
}

} // namespace
