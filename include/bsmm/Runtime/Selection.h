//===- Selection.h - which kernel of a family for which sizes ---*- C++ -*-===//
//
// Kernels of one family compute the same thing in different tiles. Which one is
// fastest depends on the sizes; a model of their cycles, the same for all
// sizes, decides. docs/selection.md derives it and says where it ends.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_SELECTION_H
#define BSMM_RUNTIME_SELECTION_H

#include "bsmm/Runtime/LaunchDescription.h"

namespace bsmm::runtime {

/// What an SM does in a clock cycle, and what a tile costs beside its steps.
struct SelectionRates {
  /// Multiplications and additions of 8-bit operands; half as many of 16-bit
  /// ones.
  double macs8;
  /// Bytes of operands that arrive from the L2 cache while every SM loads.
  double l2Bytes;
  /// Cycles from asking for a slot of operands to having it.
  double loadLatency;
  /// Cycles between two tiles of a warpgroup beside storing.
  double tileStart;
  /// The same where another warpgroup multiplies meanwhile (ping-pong).
  double turn;
  /// Bytes of the result that one consumer warpgroup converts and stores.
  double storeBytes;
  /// Bytes of f32 sums that one consumer warpgroup sends to other CTAs.
  double reduceBytes;
  /// What a step takes with loads that the CTAs of a cluster share, as a
  /// multiple of the same step alone: they wait for each other.
  double clusterStep;
  /// Cycles by which a step is longer that adds its sum to f32 registers, which
  /// nobody multiplies into meanwhile.
  double promotion;
  /// The same for each part of a step, where one part is added while the next
  /// one is multiplied.
  double promotionPart;
  /// The same for each trip of several steps, whose sums take turns.
  double promotionTrip;
  /// Cycles of a launch beside its tiles.
  double launch;
  /// The clock is proportional to the power to minus this. A tensor core that
  /// multiplies all the time has a power of 1.
  double power;
  /// The same for kernels that promote, whose additions draw power as well.
  double promotedPower;
  /// The power below which the clock rises no more.
  double leastPower;
  /// Of a byte of operands that is loaded in each cycle.
  double powerOfByte;
};

/// The rates of a target; null when the model does not cover it.
const SelectionRates *selectionRates(std::string_view target);

/// What the model says of one launch.
struct PredictedCost {
  /// False: the model does not cover the kernel, and all else is zero.
  bool isKnown = false;
  double waves = 0;        ///< tiles that the busiest SM computes
  double stepsOfTile = 0;  ///< steps along K of one tile
  double cyclesOfStep = 0; ///< the largest of its three limits
  double cyclesOfTile = 0; ///< beside the steps: filling, reduction, storing
  /// Of a clock that a tensor core without a pause has: there are fewer of them
  /// where it pauses, and the clock is faster.
  double cyclesOfLaunch = 0;
};

/// The cost of the sizes of `request`, whether the kernel takes them or not.
/// With smCount 0, on the target's typical product.
PredictedCost predictCost(const KernelManifest &manifest,
                          const LaunchRequest &request);

/// Whether one kernel may stand for another: the same target, and a result that
/// is defined by the same numerics, in particular no float atomics where there
/// were none. One that stores element by element, which takes outputs that TMA
/// does not, never stands for one that stores through a tensor map.
bool mayReplace(const KernelManifest &manifest, const KernelManifest &by);

/// Whether a kernel's sums over any K are those of f32. wgmma keeps 13 bits of
/// the sums of 8-bit products (docs/hopper.md): a kernel must promote them to
/// registers now and then.
bool hasPreciseSums(const KernelManifest &manifest);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_SELECTION_H
