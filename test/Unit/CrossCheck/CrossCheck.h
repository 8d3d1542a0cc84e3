//===- CrossCheck.h - helpers of the cross-checks ---------------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_CROSSCHECK_CROSSCHECK_H
#define BSMM_TEST_UNIT_CROSSCHECK_CROSSCHECK_H

#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"
#include "bsmm/Emulator/Units/TensorMap.h"
#include "bsmm/Layout/Layout.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bsmm::crosscheck {

/// The value of a result; ends the test program when it has none.
template <typename T> T get(layout::Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error();
    std::abort();
  }
  return *std::move(result);
}

/// One swizzle in the words of each side.
struct SwizzlePair {
  layout::SwizzleMode layout;
  emulator::units::MatrixSwizzle matrix;
  emulator::units::TensorMapSwizzle map;
};
inline constexpr SwizzlePair swizzlePairs[] = {
    {layout::SwizzleMode::None, emulator::units::MatrixSwizzle::None,
     emulator::units::TensorMapSwizzle::None},
    {layout::SwizzleMode::Bytes32, emulator::units::MatrixSwizzle::Bytes32,
     emulator::units::TensorMapSwizzle::Bytes32},
    {layout::SwizzleMode::Bytes64, emulator::units::MatrixSwizzle::Bytes64,
     emulator::units::TensorMapSwizzle::Bytes64},
    {layout::SwizzleMode::Bytes128, emulator::units::MatrixSwizzle::Bytes128,
     emulator::units::TensorMapSwizzle::Bytes128},
    {layout::SwizzleMode::Bytes128Atom32,
     emulator::units::MatrixSwizzle::Bytes128Atom32,
     emulator::units::TensorMapSwizzle::Bytes128Atom32B}};
/// The first four are those of K-major operands.
inline constexpr unsigned numKMajorSwizzles = 4;

} // namespace bsmm::crosscheck

#endif // BSMM_TEST_UNIT_CROSSCHECK_CROSSCHECK_H
