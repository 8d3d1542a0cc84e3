//===- HopperResultsTest.cpp - What a Hopper GPU computed -----------------===//
//
// Inputs/hopper_mma.bin holds operands, accumulators and results of single
// tensor-core instructions as an H200 (driver 580) executed them: for each
// instruction nine 16 x 8 tiles (of wgmma the first 16 of 64 rows) with
// full-range codes, NaN and infinities, values near one, half zeros, mostly
// zeros with tiny C, C = 0, tiny products, wide C, and A = 0 with C = +-0.
//
// The file is a sequence of records, little endian: name (32 bytes), m, n, k
// and the number of tiles (uint32), then for each tile A (m x k), B (n x k), C
// and D (m x n uint32; f16 in the low half).
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

NumberFormat formatOf(const std::string &word) {
  if (word == "e4m3")
    return NumberFormat::E4M3;
  if (word == "e5m2")
    return NumberFormat::E5M2;
  if (word == "bf16")
    return NumberFormat::BF16;
  if (word == "tf32")
    return NumberFormat::TF32;
  return NumberFormat::F16;
}

/// "wgmma f32 e4m3 e5m2": instruction, D format, A and B formats (one word for
/// both when they agree).
MmaSpec specOf(const std::string &name) {
  std::vector<std::string> words;
  for (size_t start = 0; start < name.size();) {
    size_t end = std::min(name.find(' ', start), name.size());
    words.push_back(name.substr(start, end - start));
    start = end + 1;
  }
  MmaSpec spec;
  if (words[1] == "s32") {
    spec.rule = AccumulationRule::Integer;
    spec.aInteger = IntegerFormat::S8;
    spec.bInteger = IntegerFormat::U8;
    spec.accumulator = AccumulatorFormat::S32;
    spec.saturate = words.back() == "sat";
    return spec;
  }
  spec.accumulator =
      words[1] == "f16" ? AccumulatorFormat::F16 : AccumulatorFormat::F32;
  spec.aFormat = formatOf(words[2]);
  spec.bFormat = words.size() > 3 && words[3][0] == 'e' ? formatOf(words[3])
                                                        : spec.aFormat;
  spec.rule =
      accumulationRule(words[0] == "wgmma" ? TensorInstruction::Wgmma
                                           : TensorInstruction::MmaSyncSm90,
                       spec.aFormat, false);
  return spec;
}

TEST(HopperResults, EveryBit) {
  std::ifstream file(BSMM_UNITS_INPUTS "/hopper_mma.bin", std::ios::binary);
  ASSERT_TRUE(file.good());
  std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(file), {});
  size_t position = 0, records = 0, outputs = 0;
  auto take = [&](void *destination, size_t count) {
    ASSERT_LE(position + count, bytes.size());
    std::memcpy(destination, &bytes[position], count);
    position += count;
  };
  while (position < bytes.size()) {
    char name[33] = {};
    uint32_t header[4];
    take(name, 32);
    take(header, sizeof(header));
    MmaSpec spec = specOf(name);
    spec.m = header[0];
    spec.n = header[1];
    spec.k = header[2];
    size_t elementBytes =
        spec.rule == AccumulationRule::Integer ? 1 : codeBytes(spec.aFormat);
    for (uint32_t tile = 0; tile < header[3]; ++tile) {
      std::vector<uint8_t> a(spec.m * spec.k * elementBytes);
      std::vector<uint8_t> b(spec.n * spec.k * elementBytes);
      std::vector<uint32_t> d(spec.m * spec.n), want(d.size());
      take(a.data(), a.size());
      take(b.data(), b.size());
      take(d.data(), 4 * d.size());
      take(want.data(), 4 * want.size());
      ASSERT_EQ(
          mmaTile(spec, a.data(), b.data(), nullptr, nullptr, d.data(), true),
          "");
      EXPECT_EQ(d, want) << name << " tile " << tile;
      outputs += d.size();
    }
    ++records;
  }
  EXPECT_EQ(records, 20u);
  EXPECT_EQ(outputs, 20u * 9 * 128);
}

} // namespace
