//===- Selection.cpp - which kernel of a family for which sizes -----------===//

#include "bsmm/Runtime/Selection.h"
#include "bsmm/Target/BlockScaledCost.h"
#include <algorithm>
#include <cmath>

using namespace bsmm;
using namespace bsmm::runtime;

const SelectionRates *runtime::selectionRates(std::string_view target) {
  // macs8: 1979 TFLOP/s of dense FP8 on 132 SMs at 1.83 GHz (NVIDIA H100 data
  // sheet) are 4096. The others were fitted to the times of the FP8 kernels in
  // docs/selection.md on one H200; none of them depends on sizes.
  static constexpr SelectionRates sm90 = {
      /*macs8=*/4096,
      /*l2Bytes=*/67,
      /*loadLatency=*/875,   /*tileStart=*/100,
      /*turn=*/200,
      /*storeBytes=*/14,     /*reduceBytes=*/3,
      /*clusterStep=*/1.02,
      /*promotion=*/95,      /*promotionPart=*/27,
      /*promotionTrip=*/60,
      /*launch=*/3600,
      /*power=*/0.27,        /*promotedPower=*/0.6,
      /*leastPower=*/0.28,
      /*powerOfByte=*/0.0035};
  return target == "sm_90a" ? &sm90 : nullptr;
}

// Sizes are 32-bit, but products of three need not fit 64 bits: doubles hold
// them without overflow, and exactly where the difference could matter.
static double ceilDiv(double a, double b) { return std::ceil(a / b); }

/// Warpgroups beside the one that loads.
static double consumerWarpgroups(const KernelManifest &manifest) {
  double threads = double(manifest.block[0]) * double(manifest.block[1]) *
                   double(manifest.block[2]);
  return std::max(1.0, std::floor(threads / 128) - 1);
}

/// A number of the manifest's configuration; 0 when it is not stated.
static double configured(const KernelManifest &manifest, const char *name) {
  auto found = manifest.configuration.find(name);
  if (found == manifest.configuration.end())
    return 0;
  const int64_t *number = std::get_if<int64_t>(&found->second);
  return number ? double(*number) : 0;
}

/// Kernels with block scales and accumulators in tensor memory.
static PredictedCost predictTensorMemory(const KernelManifest &manifest,
                                         const LaunchRequest &request,
                                         int64_t sms) {
  PredictedCost cost;
  const Tile &tile = manifest.tile;
  const ProblemTypes &problem = manifest.problem;
  double ctas = double(manifest.cluster[0]) * double(manifest.cluster[1]) *
                double(manifest.cluster[2]);
  // The multiplication has 128 rows: of A, or with swapped operands of B.
  bool isTransposed = tile.m != 128;
  target::BlockScaledKernel kernel;
  kernel.rows = isTransposed ? tile.n : tile.m;
  kernel.columns = isTransposed ? tile.m : tile.n;
  kernel.k = tile.k;
  kernel.stages = std::max<int64_t>(1, int64_t(configured(manifest, "stages")));
  kernel.split = manifest.grid.splitK;
  bool sharesA = configured(manifest, "multicast_a") != 0;
  bool sharesB = configured(manifest, "multicast_b") != 0;
  if (sharesA != sharesB)
    kernel.together = int64_t(ctas);
  kernel.sharesRows = isTransposed ? sharesB : sharesA;
  kernel.isPersistent = manifest.grid.rule == GridRule::Persistent;
  kernel.isTransposed = isTransposed;
  // Beside those that drain are at most three warps of others, or a warpgroup.
  kernel.epilogueWarps =
      manifest.block[0] >= (kernel.isPersistent ? 384 : 256) ? 8 : 4;
  double bitsA = target::bitWidth(problem.a),
         bitsB = target::bitWidth(problem.b);
  kernel.bitsRows = isTransposed ? bitsB : bitsA;
  kernel.bitsColumns = isTransposed ? bitsA : bitsB;
  kernel.vector = problem.scaleVector;
  kernel.bitsOut = target::bitWidth(problem.out);
  if (kernel.rows != 128 || kernel.columns < 1 || kernel.k < 1 ||
      kernel.vector < 1 || kernel.split < 1 ||
      ctas != double(kernel.split * kernel.together) ||
      manifest.grid.ctasPerTile != 1 || manifest.grid.rule == GridRule::Fixed)
    return cost;
  double m = double(request.m), n = double(request.n);
  target::BlockScaledCost predicted = target::predictBlockScaled(
      kernel, isTransposed ? n : m, isTransposed ? m : n, double(request.k),
      double(request.l), double(sms));
  cost.isKnown = true;
  cost.waves = predicted.waves;
  cost.stepsOfTile = predicted.steps;
  cost.cyclesOfStep = predicted.step;
  cost.cyclesOfTile = predicted.tile;
  cost.cyclesOfLaunch = predicted.launch;
  return cost;
}

PredictedCost runtime::predictCost(const KernelManifest &manifest,
                                   const LaunchRequest &request) {
  PredictedCost cost;
  if (const target::Gpu *gpu = target::findGpu(manifest.target);
      gpu && target::hasBlockScaledRates(manifest.target) &&
      manifest.problem.scaleType != target::ElementType::None)
    return predictTensorMemory(manifest, request,
                               request.smCount > 0
                                   ? request.smCount
                                   : target::typicalProduct(*gpu).sms);
  const SelectionRates *rates = selectionRates(manifest.target);
  const GridDescription &grid = manifest.grid;
  double m = double(manifest.tile.m), n = double(manifest.tile.n),
         k = double(manifest.tile.k);
  int64_t bitsA = target::bitWidth(manifest.problem.a);
  int64_t bitsB = target::bitWidth(manifest.problem.b);
  // Narrower operands, block scales and sums that are added in the output take
  // other paths on these targets.
  if (!rates || grid.rule == GridRule::Fixed || m < 1 || n < 1 || k < 1 ||
      bitsA != bitsB || (bitsA != 8 && bitsA != 16) ||
      manifest.problem.scaleType != target::ElementType::None ||
      manifest.addsToOutput)
    return cost;
  int64_t sms = request.smCount;
  if (sms <= 0)
    sms = target::typicalProduct(*target::findGpu(manifest.target)).sms;

  // Units of work: what one CTA does for a tile. A cluster runs as a whole, so
  // that SMs which do not fill one stay idle.
  double cluster = double(manifest.cluster[0]) * double(manifest.cluster[1]) *
                   double(manifest.cluster[2]);
  double places = std::max(1.0, std::floor(double(sms) / cluster)) * cluster;
  double split = double(grid.splitK);
  double ctasPerTile = double(grid.ctasPerTile);
  // Tiles of their own below each other, for which the CTAs of a cluster load
  // the columns together.
  bool isShared = cluster > 1 && split == 1 && ctasPerTile == 1;
  double together = isShared ? cluster : 1;
  double units = ceilDiv(double(request.m), m * together) * together *
                 ceilDiv(double(request.n), n) * double(request.l) * split *
                 ctasPerTile;
  double busy = std::min(1.0, units / places);
  cost.isKnown = true;
  cost.waves = ceilDiv(units, places);
  cost.stepsOfTile = ceilDiv(ceilDiv(double(request.k), k), split);

  // One step. The operands come through the L2 cache while the last steps are
  // multiplied.
  double consumers = consumerWarpgroups(manifest);
  bool isPingPong = configured(manifest, "ping_pong") != 0;
  double bytes = double(bitsA) / 8;
  double mine = 1 / ctasPerTile; // part of the tile
  double operands = (m * mine + n / together) * k * bytes;
  double math = m * mine * n * k * bytes / rates->macs8;
  double l2 = operands / rates->l2Bytes * busy;
  // A slot is read by one step and released during the next, because the tensor
  // core always has one more to do: two slots are never being filled.
  double stages = configured(manifest, "stages");
  double latency =
      stages > 0 ? rates->loadLatency / std::max(1.0, stages - 2) : 0;
  double promotion = 0;
  if (manifest.numerics.promoteEvery > 0) {
    double parts = configured(manifest, "promotion_parts");
    double steps = std::max(1.0, configured(manifest, "promotion_steps"));
    promotion = parts <= 1  ? rates->promotion
                : steps > 1 ? rates->promotionTrip / steps
                            : rates->promotionPart * parts;
  }
  cost.cyclesOfStep =
      std::max({math, l2, latency}) * (isShared ? rates->clusterStep : 1) +
      promotion;

  // Draining a tile while the producer already loads the next one, and storing.
  // With ping-pong another warpgroup multiplies meanwhile, except after the
  // last tile. CTAs that share K send each other their parts of the partial
  // sums first.
  double values = m * mine * n;
  double outBytes = double(target::bitWidth(manifest.problem.out)) / 8;
  double drainers = isPingPong ? 1 : consumers;
  double drain =
      rates->tileStart + values * outBytes / (rates->storeBytes * drainers);
  cost.cyclesOfTile = isPingPong ? rates->turn : drain;
  // A CTA that begins waits for its first operands. What the launch begins with
  // is in its own cycles.
  if (grid.rule != GridRule::Persistent && cost.waves > 0)
    cost.cyclesOfTile += rates->loadLatency * (cost.waves - 1) / cost.waves;
  if (split > 1)
    cost.cyclesOfTile +=
        values * 4 * (split - 1) / split / (rates->reduceBytes * consumers);
  double cycles =
      cost.waves * (cost.stepsOfTile * cost.cyclesOfStep + cost.cyclesOfTile) +
      (isPingPong ? drain : 0) + rates->launch;

  // The clock falls with the power: idle cycles are partly given back.
  double work = units / places * cost.stepsOfTile *
                (math + operands * rates->powerOfByte);
  double exponent =
      manifest.numerics.promoteEvery > 0 ? rates->promotedPower : rates->power;
  cost.cyclesOfLaunch =
      cycles * std::pow(std::max(rates->leastPower, work / cycles), exponent);
  return cost;
}

static bool storesThroughTensorMap(const KernelManifest &manifest) {
  for (const ManifestParam &param : manifest.params)
    if (param.kind == ManifestParam::Kind::TensorMap && param.role == Role::D)
      return true;
  return false;
}

bool runtime::mayReplace(const KernelManifest &manifest,
                         const KernelManifest &by) {
  const Numerics &a = manifest.numerics, &b = by.numerics;
  return manifest.target == by.target && a.accumulate == b.accumulate &&
         a.promoteEvery == b.promoteEvery && a.contract == b.contract &&
         a.overflow == b.overflow && (a.orderDependent || !b.orderDependent) &&
         (!storesThroughTensorMap(manifest) || storesThroughTensorMap(by));
}

bool runtime::hasPreciseSums(const KernelManifest &manifest) {
  const target::Gpu *gpu = target::findGpu(manifest.target);
  bool hasCoarseSums = gpu && gpu->hasWgmma &&
                       target::bitWidth(manifest.problem.a) == 8 &&
                       target::bitWidth(manifest.problem.b) == 8;
  // Block scales of 8 bits: operands are decoded to 16 bits.
  hasCoarseSums &= manifest.problem.scaleType == target::ElementType::None ||
                   manifest.problem.scaleType == target::ElementType::F32;
  return !hasCoarseSums || manifest.numerics.promoteEvery > 0;
}
