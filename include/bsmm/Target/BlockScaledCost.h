//===- BlockScaledCost.h - cycles of block-scaled kernels -------*- C++ -*-===//
//
// A model of the cycles that a kernel with accumulators in tensor memory takes
// for given sizes, for choosing among configurations when a problem is compiled
// and among kernels when one is launched. docs/selection.md derives it; the
// rates are those of the timeline (docs/timeline.md, "The rates"). Plain C++,
// used by the compiler and by the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TARGET_BLOCKSCALEDCOST_H
#define BSMM_TARGET_BLOCKSCALEDCOST_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace bsmm::target {

/// What parts of an sm_100a GPU do in a clock cycle of 1.965 GHz.
struct BlockScaledRates {
  double tensorBytes = 8192; ///< rows x columns x bytes of K of an SM
  double sharedBytes = 128;  ///< shared memory of an SM
  double scaleBytes = 60;    ///< scale factors to tensor memory
  double portBytes = 126;    ///< L2 to one SM
  double l2Bytes = 10433;    ///< L2 to all SMs
  double dramBytes = 3613;
  /// How sharply the longer one decides of what goes on at once: the issue of
  /// copies and the L2 cache, and of all steps and memory.
  double loadSharpness = 12, sharpness = 20;
  /// The same of the steps of all tiles and of draining them.
  double tileSharpness = 3.25;
  double copyIssue = 48; ///< a TMA box
  /// What the warp that loads does in a step beside the boxes, and what it does
  /// more where CTAs load together; two warps share short steps of these.
  double loadStep = 30, sharedLoadStep = 50;
  /// Bytes of K of a short step.
  double shortStepBytes = 64;
  /// Copies of scale factors that wait for the last step's multiplications,
  /// where others run beside these.
  double scaleWait = 15;
  /// Columns of tensor memory, and those that two accumulators may share.
  double tensorColumns = 512, sharedColumns = 64;
  /// From the last multiplication of a tile until four warps have read the
  /// columns that the next one's accumulator shares, and eight.
  double sharedBorder = 585, sharedBorderOfEight = 330;
  /// From asking for a slot until it has been multiplied and is asked for
  /// again, beside the multiplication: data from DRAM, two barriers,
  /// completion.
  double roundTrip = 1120;
  /// From the launch until the first data is there, of a CTA that walks over
  /// tiles and of one with a tile of its own; and what a second warpgroup that
  /// drains takes from the warp that loads, of the latter and of the former.
  double launch = 3480, tileLaunch = 3340;
  double otherWarpgroup = 46, walkingWarpgroup = 160;
  /// A CTA after another one on its SM, until its first data is there.
  double ctaStart = 1900;
  /// From the last multiplication of a tile until its first column can be
  /// stored, and from the last store until the launch is over.
  double tileStart = 335, lastStore = 1000;
  /// Columns of all rows that four warps drain, convert and write, and eight
  /// in a kernel with one tile a CTA and in one that walks over tiles.
  double drainColumns = 0.117, drainColumnsOfEight = 0.14,
         walkingDrainOfEight = 0.154;
  /// Cycles more for each column beyond 64 where they are rows of the output
  /// tile, which is stored when all of it has been drained.
  double transposedColumn = 3.4;
  /// The same for each column in a kernel with one tile a CTA.
  double transposedColumnOfTile = 5;
  /// Cycles more for each column where the pieces of the output tile have 16
  /// columns, for odd multiples of 16: threads meet twice as often.
  double narrowPieces = 11;
  /// CTAs that share K: waiting for each other, what each of the others takes
  /// beside its columns, and how many columns of all rows are sent or added,
  /// by four warps or eight.
  double clusterBarrier = 85, exchangeStart = 196, exchangeColumns = 0.215;
  /// CTAs that load together: until their barriers are there, and what an
  /// arrival at another one's takes more.
  double clusterStart = 320, clusterArrival = 184;
};

/// Whether the rates are those of a target.
inline bool hasBlockScaledRates(std::string_view target) {
  std::string_view family = target.substr(0, 6);
  return family == "sm_100" || family == "sm_103";
}

/// The configuration of a kernel, and what its operands are.
struct BlockScaledKernel {
  /// Rows of the multiplication (M, or N with swapped operands), its columns
  /// and elements of K of a step.
  int64_t rows = 128, columns = 128, k = 256;
  int64_t stages = 4;
  int64_t split = 1; ///< CTAs of a cluster that share K
  /// CTAs of a cluster with tiles of their own that load together what is the
  /// same for all: the operand of the columns, or that of the rows.
  int64_t together = 1;
  bool sharesRows = false;
  bool isPersistent = true;
  bool isTransposed = false; ///< whether columns are rows of the output
  /// Warps that drain.
  int64_t epilogueWarps = 4;
  double bitsRows = 4, bitsColumns = 4; ///< of an element of the operands
  int64_t vector = 16; ///< elements that share a scale of 8 bits
  double bitsOut = 16;
};

/// What the model says of one launch; all in cycles but the first two.
struct BlockScaledCost {
  double waves = 0, steps = 0;
  double step = 0, tile = 0, launch = 0;
};

/// Columns that are multiplied and loaded for a tile: from a multiple of 32 on,
/// so that tiles of odd multiples of 16 have 16 more (docs/layouts.md).
inline int64_t multipliedColumns(int64_t columns) {
  return (columns + 31) / 32 * 32;
}

/// Rows of scales that are loaded for a tile of so many rows, in tiles of 128
/// rows: as many as it may touch where it reaches furthest into the next one.
inline double scaleRows(int64_t rows) {
  int64_t multiplied = multipliedColumns(rows), step = 32;
  while (step < 128 && multiplied == rows && rows % (2 * step) == 0)
    step *= 2;
  return double((128 - step + multiplied + 127) / 128 * 128);
}

/// The time of what goes on at once: the longest of the times, and a little
/// more where others are nearly as long.
inline double blend(std::initializer_list<double> times, double sharpness) {
  double longest = std::max(times), sum = 0;
  // Nothing takes any time: no rows, columns or elements of K.
  if (longest <= 0)
    return 0;
  for (double time : times)
    sum += std::pow(time / longest, sharpness);
  return longest * std::pow(sum, 1 / sharpness);
}

/// `rows` and `columns` are the problem's along the kernel's rows and columns.
inline BlockScaledCost predictBlockScaled(const BlockScaledKernel &kernel,
                                          double rows, double columns, double k,
                                          double batch, double sms,
                                          const BlockScaledRates &rates = {}) {
  auto ceilDiv = [](double a, double b) { return std::ceil(a / b); };
  BlockScaledCost cost;
  double split = double(kernel.split);
  double tileRows = double(kernel.rows), tileColumns = double(kernel.columns);
  double multiplied = double(multipliedColumns(kernel.columns));
  // What CTAs share has tiles of all of them along the other operand.
  double partsOfRows = kernel.sharesRows ? double(kernel.together) : 1;
  double partsOfColumns = double(kernel.together) / partsOfRows;
  double tiles = ceilDiv(rows, tileRows * partsOfColumns) * partsOfColumns *
                 ceilDiv(columns, tileColumns * partsOfRows) * partsOfRows *
                 batch;
  double cluster = split * double(kernel.together);
  double places = std::max(1.0, std::floor(sms / cluster)) * cluster;
  double units = tiles * split;
  cost.waves = ceilDiv(units, places);
  double busy = std::min(units, places);
  cost.steps = ceilDiv(ceilDiv(k, double(kernel.k)), split);

  // One step: the slowest of what goes on at once.
  double stepK = double(kernel.k);
  double operands =
      (tileRows * kernel.bitsRows + multiplied * kernel.bitsColumns) * stepK /
      8;
  double scalesOfRows = scaleRows(kernel.rows) * stepK / double(kernel.vector);
  double scalesOfColumns =
      scaleRows(kernel.columns) * stepK / double(kernel.vector);
  double scales = scalesOfRows + scalesOfColumns;
  // Operands of different widths are multiplied as the wider one.
  double width = std::max(kernel.bitsRows, kernel.bitsColumns);
  double multiply =
      tileRows * multiplied * stepK * width / 8 / rates.tensorBytes;
  // Scales of a step are copied while the last one multiplies, where tensor
  // memory has a second place for them.
  double accumulators =
      multiplied * (kernel.isPersistent && multiplied == tileColumns ? 2 : 1);
  double scaleColumns = scales / 128;
  bool hasTwoPlaces =
      accumulators + 2 * scaleColumns <=
      rates.tensorColumns + (kernel.isPersistent && !kernel.isTransposed
                                 ? rates.sharedColumns
                                 : 0);
  double tensor =
      std::max(multiply, operands / rates.sharedBytes) +
      (hasTwoPlaces ? std::min(rates.scaleWait, scales / rates.scaleBytes)
                    : scales / rates.scaleBytes);
  // Rows beyond the matrix are not loaded. What CTAs share leaves the L2 cache
  // once, and comes to each.
  double loadedRows =
      std::min(tileRows, rows) * kernel.bitsRows * stepK / 8 + scalesOfRows;
  double loadedColumns =
      std::min(multiplied, columns) * kernel.bitsColumns * stepK / 8 +
      scalesOfColumns;
  double l2 =
      std::max((loadedRows + loadedColumns) / rates.portBytes,
               (loadedRows / partsOfRows + loadedColumns / partsOfColumns) *
                   busy / rates.l2Bytes);
  // Boxes are at most 128 bytes wide and 256 long.
  double boxes = ceilDiv(stepK * kernel.bitsRows / 8, 128) +
                 ceilDiv(stepK * kernel.bitsColumns / 8, 128) + 2;
  double roundTrip =
      rates.roundTrip + (kernel.together > 1 ? rates.clusterArrival : 0);
  double latency =
      (roundTrip + l2 + tensor) / std::max(1.0, double(kernel.stages));
  double issue = boxes * rates.copyIssue + rates.loadStep;
  bool isShort = stepK * kernel.bitsRows / 8 <= rates.shortStepBytes;
  // Only roles that walk over tiles have two warps that load.
  if (kernel.together > 1 && !(isShort && kernel.isPersistent))
    issue += rates.sharedLoadStep;
  cost.step =
      std::max({tensor, blend({l2, issue}, rates.loadSharpness), latency});

  // Between tiles.
  double warpgroups = double(kernel.epilogueWarps) / 4;
  double stored = tileColumns / split;
  double drainRate = warpgroups == 1       ? rates.drainColumns
                     : kernel.isPersistent ? rates.walkingDrainOfEight
                                           : rates.drainColumnsOfEight;
  double drain =
      rates.tileStart + stored * std::max(1.0, kernel.bitsOut / 16) / drainRate;
  if (!kernel.isTransposed && kernel.split == 1 && kernel.bitsOut >= 16 &&
      stored > 16 && std::fmod(stored, 32) == 16)
    drain += stored * rates.narrowPieces;
  if (kernel.isTransposed)
    drain += kernel.isPersistent
                 ? std::max(0.0, stored - 64) * rates.transposedColumn
                 : stored * rates.transposedColumnOfTile;
  double reduction = 0;
  if (kernel.split > 1)
    reduction = rates.clusterBarrier + (split - 1) * rates.exchangeStart +
                2 * (tileColumns - stored) / rates.exchangeColumns;
  double steps = cost.steps * cost.step;
  cost.tile = drain + reduction;

  // Nothing streams faster than memory gives it, however it is cut; the last
  // step is multiplied then.
  double unique = batch * k *
                  (rows * kernel.bitsRows + columns * kernel.bitsColumns +
                   8 * (rows + columns) / double(kernel.vector)) /
                  8;
  double work = cost.waves * steps;
  if (kernel.isPersistent) {
    // The next tile is multiplied while one is drained; first it waits for the
    // columns that two accumulators share.
    double border = 0;
    if (accumulators > multiplied && !kernel.isTransposed &&
        accumulators + (hasTwoPlaces ? 2 : 1) * scaleColumns >
            rates.tensorColumns)
      border = warpgroups > 1 ? rates.sharedBorderOfEight : rates.sharedBorder;
    work = steps + std::max(0.0, cost.waves - 1) *
                       blend({steps + border, cost.tile}, rates.tileSharpness);
  }
  // Memory and the steps do not wait for each other all the time, but more so
  // the less one of them is ahead.
  double memory = unique / rates.dramBytes;
  work = blend({work, memory}, rates.sharpness);
  work += tensor + cost.tile;
  if (!kernel.isPersistent)
    work += std::max(0.0, cost.waves - 1) * (cost.tile + rates.ctaStart);
  double start = kernel.isPersistent ? rates.launch : rates.tileLaunch;
  if (warpgroups > 1)
    start +=
        kernel.isPersistent ? rates.walkingWarpgroup : rates.otherWarpgroup;
  cost.launch = start + work + rates.lastStore +
                (kernel.together > 1 ? rates.clusterStart : 0);
  return cost;
}

/// Slots of the load channel that shared memory holds beside pieces of the
/// output tile and what CTAs send each other; 0 when not even one fits. A CTA
/// with one tile stages it where the operands were.
inline int64_t countBlockScaledStages(const BlockScaledKernel &kernel,
                                      int64_t sharedBytes) {
  auto align = [](double bytes) { return std::ceil(bytes / 1024) * 1024; };
  double stepK = double(kernel.k);
  double slot = align(double(kernel.rows) * stepK * kernel.bitsRows / 8) +
                align(double(multipliedColumns(kernel.columns)) * stepK *
                      kernel.bitsColumns / 8) +
                (scaleRows(kernel.rows) + scaleRows(kernel.columns)) * stepK /
                    double(kernel.vector);
  double stored = double(kernel.columns) / double(kernel.split);
  double rowBytes = stored * kernel.bitsOut / 8;
  // Two pieces of 128 bytes a row, or the only one, of each warpgroup's
  // columns.
  double warpgroups = double(kernel.epilogueWarps) / 4;
  double staging = double(kernel.rows) *
                   (kernel.isTransposed
                        ? rowBytes
                        : warpgroups * std::min(256.0, rowBytes / warpgroups));
  double exchange = double(kernel.rows) * (double(kernel.columns) - stored) * 4;
  double left = double(sharedBytes) - exchange - 1024;
  auto countSlots = [&](double bytes) {
    return bytes < slot
               ? int64_t(0)
               : int64_t(std::min(8.0, std::floor(bytes / align(slot))));
  };
  if (int64_t slots = countSlots(left);
      !kernel.isPersistent &&
      double(slots) * slot >= double(kernel.rows) * rowBytes)
    return slots;
  return countSlots(left - staging);
}

/// A product with block scales: extents, and bits of elements.
struct BlockScaledProblem {
  double m = 1, n = 1, k = 1, batch = 1;
  double bitsA = 4, bitsB = 4, bitsOut = 16;
  int64_t vector = 16;
};

struct BlockScaledChoice {
  BlockScaledKernel kernel; ///< isTransposed: with swapped operands
  double cycles = 0;        ///< 0 when no configuration fits
};

/// Whether CTAs can load an operand together: rows of at most a swizzle's
/// width, as many for each, in whole patterns of 8.
inline bool canShare(int64_t rows, double bits, int64_t stepK,
                     int64_t together) {
  return rows % (8 * together) == 0 && double(stepK) * bits / 8 <= 128;
}

/// The configuration of the fewest predicted cycles, but for clusters of four,
/// which have to be 1 % better than what was found before; of equal ones the
/// first: with at most 64 rows of A one of swapped operands, which multiplies
/// fewer rows that are not there.
inline BlockScaledChoice chooseBlockScaled(const BlockScaledProblem &problem,
                                           double sms, int64_t sharedBytes) {
  BlockScaledChoice best;
  bool isNarrow = problem.m <= 64;
  BlockScaledKernel kernel;
  auto consider = [&](bool isPersistent, int64_t epilogueWarps = 4) {
    kernel.isPersistent = isPersistent;
    kernel.epilogueWarps = epilogueWarps;
    // A TMA store takes rows of whole 16 bytes.
    double stored = double(kernel.columns / kernel.split) * 4 /
                    double(epilogueWarps) * problem.bitsOut / 8;
    if (!kernel.isTransposed && std::fmod(stored, 16) != 0)
      return;
    kernel.stages = countBlockScaledStages(kernel, sharedBytes);
    // Two slots at least: one is filled while the other one is read.
    if (kernel.stages < 2)
      return;
    bool isSwapped = kernel.isTransposed;
    double cycles =
        predictBlockScaled(kernel, isSwapped ? problem.n : problem.m,
                           isSwapped ? problem.m : problem.n, problem.k,
                           problem.batch, sms)
            .launch;
    // Clusters of four have fewer places on a GPU than those of two, and have
    // to be worth it.
    bool isLarger =
        best.kernel.together > 1 && kernel.together > best.kernel.together;
    if (best.cycles != 0 && cycles >= best.cycles * (isLarger ? 0.99 : 1))
      return;
    best.kernel = kernel;
    best.cycles = cycles;
  };
  kernel.vector = problem.vector;
  kernel.bitsOut = problem.bitsOut;
  for (bool isSwapped : {isNarrow, !isNarrow})
    for (int64_t columns : {128, 64, 192, 256, 32, 96, 160, 224, 16, 48, 80,
                            112, 144, 176, 208, 240})
      for (int64_t stepK : {256, 128, 512}) {
        if (stepK % (4 * problem.vector) != 0)
          continue;
        kernel.columns = columns;
        kernel.k = stepK;
        kernel.isTransposed = isSwapped;
        kernel.bitsRows = isSwapped ? problem.bitsB : problem.bitsA;
        kernel.bitsColumns = isSwapped ? problem.bitsA : problem.bitsB;
        kernel.together = 1;
        // Walking over tiles, or one for each CTA, which two warpgroups may
        // drain: each half of the columns.
        auto considerForms = [&] {
          for (bool isPersistent : {true, false}) {
            consider(isPersistent);
            if (!isSwapped)
              consider(isPersistent, /*epilogueWarps=*/8);
          }
        };
        considerForms();
        for (int64_t split : {2, 4, 8}) {
          // The share of a CTA is whole vectors of eight columns, and so is
          // that of a warpgroup.
          kernel.split = split;
          if (columns % (8 * split) == 0)
            consider(/*isPersistent=*/false);
          if (columns % (16 * split) == 0 && !isSwapped)
            consider(/*isPersistent=*/false, /*epilogueWarps=*/8);
        }
        kernel.split = 1;
        for (bool sharesRows : {false, true})
          for (int64_t together : {2, 4}) {
            kernel.together = together;
            kernel.sharesRows = sharesRows;
            if (sharesRows
                    ? canShare(kernel.rows, kernel.bitsRows, stepK, together)
                    : canShare(multipliedColumns(columns), kernel.bitsColumns,
                               stepK, together))
              considerForms();
          }
        kernel.sharesRows = false;
      }
  return best;
}

} // namespace bsmm::target

#endif // BSMM_TARGET_BLOCKSCALEDCOST_H
