//===- TestUtils.h - helpers of the layout tests ----------------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_LAYOUT_TESTUTILS_H
#define BSMM_TEST_UNIT_LAYOUT_TESTUTILS_H

#include "bsmm/Layout/LinearLayout.h"

#include <gtest/gtest.h>

#include <random>

namespace bsmm::layout::test {

/// The value of a result; a fatal error of the test program when it has none.
template <typename T> T get(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error();
    std::abort();
  }
  return *std::move(result);
}

/// A refused result must carry this text.
template <typename T>
void expectError(const T &result, const std::string &text) {
  EXPECT_FALSE(bool(result));
  EXPECT_NE(result.error().find(text), std::string::npos) << result.error();
}

/// A random map of random named dimensions with at most 12 bits a side.
inline LinearMap randomMap(std::mt19937_64 &random,
                           const std::vector<Dim> &inputs,
                           const std::vector<Dim> &outputs) {
  // Random images that use all outputs at once come from summing maps with one
  // output each: compose through an unnamed middle of all bits.
  unsigned inBits = 0, outBits = 0;
  for (const Dim &dim : inputs)
    inBits += dim.bits;
  for (const Dim &dim : outputs)
    outBits += dim.bits;
  std::vector<InputDim> first;
  int64_t next = 1;
  for (const Dim &dim : inputs) {
    std::vector<int64_t> images;
    for (unsigned i = 0; i < dim.bits; ++i, next *= 2)
      images.push_back(next);
    first.push_back({dim.name, {{"middle", images}}});
  }
  std::vector<int64_t> mixed;
  for (unsigned i = 0; i < inBits; ++i)
    mixed.push_back(int64_t(random() & ((uint64_t(1) << outBits) - 1)));
  std::vector<ImageRun> split;
  for (const Dim &dim : outputs) {
    ImageRun run = {dim.name, {}};
    for (unsigned i = 0; i < dim.bits; ++i)
      run.values.push_back(int64_t(1) << i);
    split.push_back(run);
  }
  LinearMap a = get(LinearMap::get(first, {{"middle", inBits}}));
  LinearMap b = get(
      LinearMap::get({{"middle", {{"middle", mixed}}}}, {{"middle", outBits}}));
  LinearMap c = get(LinearMap::get({{"middle", split}}, outputs));
  return get(get(a.compose(b)).compose(c));
}

/// Calls `body` with every packed input of the map.
template <typename Body> void forEachInput(const LinearMap &map, Body body) {
  for (uint64_t x = 0; x < uint64_t(1) << map.inputBits(); ++x)
    body(x);
}

} // namespace bsmm::layout::test

#endif // BSMM_TEST_UNIT_LAYOUT_TESTUTILS_H
