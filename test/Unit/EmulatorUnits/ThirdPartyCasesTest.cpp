//===- ThirdPartyCasesTest.cpp - Whole products of foreign cases ----------===//
//
// Multiplies the operands of launch cases that another compiler made and
// compares with their expected outputs. The folder comes from the environment
// variable BSMM_THIRD_PARTY_CASES; without it the tests are skipped.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Units/NumberFormats.h"
#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

using Bytes = std::vector<uint8_t>;

class ThirdPartyCases : public ::testing::Test {
protected:
  void SetUp() override {
    const char *value = std::getenv("BSMM_THIRD_PARTY_CASES");
    if (!value || !*value)
      GTEST_SKIP() << "BSMM_THIRD_PARTY_CASES is not set";
    folder = value;
  }

  Bytes read(const std::string &name) {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    EXPECT_TRUE(file.good()) << name;
    return Bytes(std::istreambuf_iterator<char>(file), {});
  }

  std::string folder;
};

/// Scale byte of (row, group) in 512-byte tiles of 128 rows x 4 groups.
uint8_t tiledScale(const Bytes &scales, uint32_t row, uint32_t group,
                   uint32_t groups) {
  size_t tile = size_t(row / 128) * ((groups + 3) / 4) + group / 4;
  return scales[tile * 512 + row % 32 * 16 + row / 32 % 4 * 4 + group % 4];
}

struct Problem {
  uint32_t m, n, k;
  NumberFormat a, b;
  ScaleFormat scaleFormat;
  uint32_t scaleBlock;
};

/// acc[m][n] as f32 bits, one MMA after the other along K.
std::vector<uint32_t> multiply(const Problem &problem, AccumulationRule rule,
                               uint32_t instructionK, const Bytes &a,
                               const Bytes &b, const Bytes &sfa,
                               const Bytes &sfb) {
  bool packedA = problem.a == NumberFormat::E2M1;
  bool packedB = problem.b == NumberFormat::E2M1;
  std::vector<uint32_t> d(size_t(problem.m) * problem.n);
  MmaSpec spec;
  spec.rule = rule;
  spec.aFormat = problem.a;
  spec.bFormat = problem.b;
  spec.m = 64;
  spec.n = 128;
  spec.k = instructionK;
  spec.packedA = packedA;
  spec.packedB = packedB;
  spec.scaleFormat = problem.scaleFormat;
  spec.scaleBlock = problem.scaleBlock;
  uint32_t totalGroups =
      problem.scaleBlock ? problem.k / problem.scaleBlock : 0;
  uint32_t groups = problem.scaleBlock ? instructionK / problem.scaleBlock : 0;
  auto slice = [&](const Bytes &codes, bool packed, uint32_t row, uint32_t rows,
                   uint32_t k) {
    Bytes tile;
    uint32_t divisor = packed ? 2 : 1;
    for (uint32_t r = row; r < row + rows; ++r) {
      auto start = codes.begin() + (size_t(r) * problem.k + k) / divisor;
      tile.insert(tile.end(), start, start + instructionK / divisor);
    }
    return tile;
  };
  auto sliceScales = [&](const Bytes &scales, uint32_t row, uint32_t rows,
                         uint32_t k) {
    Bytes tile;
    for (uint32_t r = row; r < row + rows; ++r)
      for (uint32_t g = 0; g < groups; ++g)
        tile.push_back(
            tiledScale(scales, r, k / problem.scaleBlock + g, totalGroups));
    return tile;
  };
  for (uint32_t row = 0; row < problem.m; row += spec.m)
    for (uint32_t column = 0; column < problem.n; column += spec.n)
      for (uint32_t k = 0; k < problem.k; k += instructionK) {
        Bytes x = slice(a, packedA, row, spec.m, k);
        Bytes y = slice(b, packedB, column, spec.n, k);
        Bytes sx = sliceScales(sfa, row, spec.m, k);
        Bytes sy = sliceScales(sfb, column, spec.n, k);
        EXPECT_EQ(mmaTile(spec, x.data(), y.data(), sx.data(), sy.data(),
                          &d[size_t(row) * problem.n + column], k != 0,
                          problem.n),
                  "");
      }
  return d;
}

float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint16_t halfAt(const Bytes &bytes, size_t index) {
  return static_cast<uint16_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
}

class NvFp4Cases : public ThirdPartyCases,
                   public ::testing::WithParamInterface<const char *> {};

// Every bit: the expected values are float64 results rounded once. (Exact sums
// rounded to f32 after each instruction need not match them: f32 to nearest,
// then f16 to nearest, is a double rounding.)
TEST_P(NvFp4Cases, MatchesEveryBit) {
  std::string name = GetParam();
  Problem problem{256,
                  512,
                  1024,
                  NumberFormat::E2M1,
                  NumberFormat::E2M1,
                  ScaleFormat::UE4M3,
                  16};
  Bytes expected = read(name + "/c_expected.bin");
  std::vector<uint32_t> d = multiply(
      problem, AccumulationRule::GroupedFraction35, 64, read(name + "/a.bin"),
      read(name + "/b.bin"), read(name + "/sfa.bin"), read(name + "/sfb.bin"));
  size_t different = 0;
  for (size_t i = 0; i < d.size(); ++i)
    different += encodeFromFloat(NumberFormat::F16, asFloat(d[i])) !=
                 halfAt(expected, i);
  EXPECT_EQ(different, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, NvFp4Cases,
                         ::testing::Values("nvfp4_128x256x256",
                                           "seed_nvfp4_plain"));

struct MxCase {
  const char *name;
  NumberFormat b;
};
class MxCases : public ThirdPartyCases,
                public ::testing::WithParamInterface<MxCase> {};

// The bound of these cases is derived from the same rule, so each element must
// stay within it.
TEST_P(MxCases, StaysWithinItsBound) {
  std::string name = GetParam().name;
  Problem problem{
      256, 512, 1024, NumberFormat::E4M3, GetParam().b, ScaleFormat::UE8M0, 32};
  Bytes exact = read(name + "/c_exact.bin"),
        bound = read(name + "/c_bound.bin");
  std::vector<uint32_t> d = multiply(
      problem, AccumulationRule::Fraction25, 32, read(name + "/a.bin"),
      read(name + "/b.bin"), read(name + "/sfa.bin"), read(name + "/sfb.bin"));
  size_t outside = 0, finite = 0;
  for (size_t i = 0; i < d.size(); ++i) {
    double want;
    float limit;
    std::memcpy(&want, &exact[8 * i], 8);
    std::memcpy(&limit, &bound[4 * i], 4);
    double got = decodeToDouble(
        NumberFormat::F16, encodeFromFloat(NumberFormat::F16, asFloat(d[i])));
    finite += std::isfinite(want) && std::isfinite(got);
    if (got != want && !(std::fabs(got - want) <= limit))
      ++outside;
  }
  EXPECT_EQ(outside, 0u);
  EXPECT_EQ(finite, d.size());
}

INSTANTIATE_TEST_SUITE_P(
    All, MxCases,
    ::testing::Values(MxCase{"mxfp8_128x128x128", NumberFormat::E4M3},
                      MxCase{"mxfp8_128x128x128_sm120", NumberFormat::E4M3},
                      MxCase{"mixed_fp8xfp4_128x256x128", NumberFormat::E2M1}));

// What a Hopper GPU returned: k = 32 steps of wgmma chained through one
// accumulator, then the row and the column scale in f32 and a bf16 result.
TEST_F(ThirdPartyCases, HopperFp8MatchesEveryBit) {
  std::string name = "fp8_row_128x128x128_sm90";
  Problem problem{
      256, 256, 512, NumberFormat::E4M3, NumberFormat::E4M3, ScaleFormat::None,
      0};
  Bytes sa = read(name + "/sa.bin"), sb = read(name + "/sb.bin");
  Bytes expected = read(name + "/c_expected.bin");
  std::vector<uint32_t> d =
      multiply(problem, AccumulationRule::Fraction13, 32, read(name + "/a.bin"),
               read(name + "/b.bin"), {}, {});
  size_t different = 0;
  for (uint32_t row = 0; row < problem.m; ++row)
    for (uint32_t column = 0; column < problem.n; ++column) {
      size_t i = size_t(row) * problem.n + column;
      float rowScale, columnScale;
      std::memcpy(&rowScale, &sa[4 * row], 4);
      std::memcpy(&columnScale, &sb[4 * column], 4);
      volatile float scaled = asFloat(d[i]) * rowScale;
      volatile float result = scaled * columnScale;
      different +=
          encodeFromFloat(NumberFormat::BF16, result) != halfAt(expected, i);
    }
  EXPECT_EQ(different, 0u);
}

} // namespace
