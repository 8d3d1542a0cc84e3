//===- HostGemmTest.cpp - the float64 reference ---------------------------===//

#include "bsmm/Runtime/HostGemm.h"
#include "TestFiles.h"
#include "bsmm/Runtime/ErrorMetrics.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

namespace {

constexpr double quietNaN = std::numeric_limits<double>::quiet_NaN();

HostBytes bytesOfVector(const std::vector<uint8_t> &data) {
  return {data.data(), data.size()};
}

struct Operands {
  std::vector<uint8_t> a, b, sfa, sfb, c;
  HostGemm gemm;
};

/// A random problem with pitches, gaps between batches and poisoned padding.
Operands makeProblem(uint64_t seed, ElementType a, ElementType b,
                     ElementType scale, int64_t vector, ScaleLayout layout,
                     int64_t m, int64_t n, int64_t k, int64_t l) {
  Random random(seed);
  Operands problem;
  HostGemm &gemm = problem.gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.l = l;
  auto rows = [&](ElementType type, int64_t count, HostMatrix &matrix) {
    RowsShape shape;
    shape.type = type;
    shape.rows = count;
    shape.columns = k;
    shape.pitch = (k + 63) / 64 * 64;
    shape.batches = l;
    shape.batchStride = count * shape.pitch + 64;
    matrix.type = type;
    matrix.pitch = shape.pitch;
    matrix.batchStride = shape.batchStride;
    return randomRows(random, shape);
  };
  problem.a = rows(a, m, gemm.a);
  problem.b = rows(b, n, gemm.b);
  gemm.a.memory = bytesOfVector(problem.a);
  gemm.b.memory = bytesOfVector(problem.b);
  if (scale == ElementType::None)
    return problem;
  CodeRange range;
  range.minMagnitude = 0x1p-12;
  range.maxMagnitude = 0x1p12;
  int64_t groups = (k + vector - 1) / vector;
  auto scales = [&](int64_t count, HostScales &out) {
    out.type = scale;
    out.vector = vector;
    out.layout = layout;
    if (layout == ScaleLayout::Blocked128x4)
      return randomScaleTiles(random, scale, count, groups, l, range);
    RowsShape shape;
    shape.type = scale;
    shape.rows = count;
    shape.columns = groups;
    shape.pitch = groups + 3;
    shape.batches = l;
    shape.batchStride = count * shape.pitch + 5;
    out.pitch = shape.pitch;
    out.batchStride = shape.batchStride;
    return randomRows(random, shape, range);
  };
  problem.sfa = scales(m, gemm.sfa);
  problem.sfb = scales(n, gemm.sfb);
  gemm.sfa.memory = bytesOfVector(problem.sfa);
  gemm.sfb.memory = bytesOfVector(problem.sfb);
  return problem;
}

double valueAt(const HostMatrix &matrix, int64_t batch, int64_t row,
               int64_t column) {
  // Bit by bit, as the definition of the packing says it.
  unsigned width = target::bitWidth(matrix.type);
  uint64_t first =
      uint64_t(batch * matrix.batchStride + row * matrix.pitch + column) *
      width;
  uint64_t code = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    uint64_t at = first + bit;
    code |= uint64_t((matrix.memory.data[at / 8] >> (at % 8)) & 1) << bit;
  }
  return decode(matrix.type, code);
}

double scaleAt(const HostScales &scales, int64_t rows, int64_t k, int64_t batch,
               int64_t row, int64_t column) {
  if (scales.type == ElementType::None)
    return 1;
  int64_t group = column / scales.vector;
  int64_t groups = (k + scales.vector - 1) / scales.vector;
  if (scales.layout == ScaleLayout::Linear)
    return decode(scales.type, scales.memory.data[batch * scales.batchStride +
                                                  row * scales.pitch + group]);
  // The 6-d view [L, rows/128, groups/4, 32, 4, 4] of the tensor.
  int64_t rowTiles = (rows + 127) / 128, groupTiles = (groups + 3) / 4;
  int64_t index = batch;
  index = index * rowTiles + row / 128;
  index = index * groupTiles + group / 4;
  index = index * 32 + row % 32;
  index = index * 4 + row % 128 / 32;
  index = index * 4 + group % 4;
  return decode(scales.type, scales.memory.data[index]);
}

TEST(HostGemm, AgreesWithTheDefinition) {
  struct Case {
    ElementType a, b, scale;
    int64_t vector;
    ScaleLayout layout;
    int64_t m, n, k, l;
  };
  const Case cases[] = {
      {ElementType::E2M1, ElementType::E2M1, ElementType::UE4M3, 16,
       ScaleLayout::Blocked128x4, 130, 70, 200, 2},
      {ElementType::E2M1, ElementType::E2M1, ElementType::UE4M3, 16,
       ScaleLayout::Linear, 33, 65, 80, 3},
      {ElementType::E2M1, ElementType::E2M1, ElementType::UE8M0, 32,
       ScaleLayout::Blocked128x4, 5, 129, 96, 1},
      {ElementType::E3M2, ElementType::E2M3, ElementType::UE8M0, 32,
       ScaleLayout::Blocked128x4, 17, 31, 100, 2},
      {ElementType::E4M3, ElementType::E2M1, ElementType::UE8M0, 32,
       ScaleLayout::Linear, 9, 40, 70, 2},
      {ElementType::E4M3, ElementType::E5M2, ElementType::None, 0,
       ScaleLayout::Linear, 20, 33, 65, 2},
      {ElementType::F16, ElementType::BF16, ElementType::None, 0,
       ScaleLayout::Linear, 3, 5, 7, 1},
      {ElementType::E2M1, ElementType::E2M1, ElementType::UE4M3, 16,
       ScaleLayout::Blocked128x4, 1, 1, 1, 1},
  };
  uint64_t seed = 10;
  for (const Case &each : cases) {
    Operands problem =
        makeProblem(seed++, each.a, each.b, each.scale, each.vector,
                    each.layout, each.m, each.n, each.k, each.l);
    HostGemmOptions options;
    options.magnitudes = true;
    Result<HostGemmResult> result = computeHostGemm(problem.gemm, options);
    ASSERT_TRUE(result) << result.error();
    size_t at = 0;
    for (int64_t batch = 0; batch < each.l; ++batch)
      for (int64_t row = 0; row < each.m; ++row)
        for (int64_t column = 0; column < each.n; ++column, ++at) {
          double sum = 0, magnitudes = 0, largest = 0;
          for (int64_t k = 0; k < each.k; ++k) {
            double left =
                valueAt(problem.gemm.a, batch, row, k) *
                scaleAt(problem.gemm.sfa, each.m, each.k, batch, row, k);
            double right =
                valueAt(problem.gemm.b, batch, column, k) *
                scaleAt(problem.gemm.sfb, each.n, each.k, batch, column, k);
            sum += left * right;
            magnitudes += std::fabs(left * right);
            largest = std::fmax(largest, std::fabs(left * right));
          }
          ASSERT_EQ(result->acc[at], sum);
          ASSERT_EQ(result->exact[at], sum);
          ASSERT_EQ(result->sumOfMagnitudes[at], magnitudes);
          ASSERT_EQ(result->largestTerm[at], largest);
        }
  }
}

TEST(HostGemm, ThreadsDoNotMatter) {
  Operands problem =
      makeProblem(30, ElementType::E4M3, ElementType::E5M2, ElementType::UE8M0,
                  32, ScaleLayout::Blocked128x4, 37, 200, 300, 2);
  Result<HostGemmResult> two = computeHostGemm(problem.gemm);
  for (unsigned threads : {0u, 1u, 5u}) {
    problem.gemm.threads = threads;
    Result<HostGemmResult> other = computeHostGemm(problem.gemm);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->acc, two->acc);
    EXPECT_EQ(other->out, two->out);
  }
}

TEST(HostGemm, EpilogueInItsOrder) {
  Operands problem =
      makeProblem(40, ElementType::E4M3, ElementType::E4M3, ElementType::None,
                  0, ScaleLayout::Linear, 6, 10, 64, 2);
  HostGemm &gemm = problem.gemm;
  Random random(41);
  std::vector<float> sa(6), sb(10);
  for (float &value : sa)
    value = static_cast<float>(random.uniform());
  for (float &value : sb)
    value = static_cast<float>(random.uniform() + 0.1);
  RowsShape cShape;
  cShape.type = ElementType::BF16;
  cShape.rows = 6;
  cShape.columns = 10;
  cShape.pitch = 16;
  cShape.batches = 2;
  cShape.batchStride = 96;
  CodeRange near;
  near.minMagnitude = 0.01;
  near.maxMagnitude = 1000;
  problem.c = randomRows(random, cShape, near);
  std::vector<float> bias(10);
  for (float &value : bias)
    value = static_cast<float>(random.uniform() * 10 - 5);
  gemm.sa = sa.data();
  gemm.saCount = 6;
  gemm.sb = sb.data();
  gemm.sbCount = 10;
  gemm.alpha = 0.3f;
  gemm.beta = -1.7f;
  gemm.c.memory = bytesOfVector(problem.c);
  gemm.c.type = ElementType::BF16;
  gemm.c.pitch = 16;
  gemm.c.batchStride = 96;
  gemm.bias = {reinterpret_cast<const uint8_t *>(bias.data()),
               bias.size() * sizeof(float)};
  gemm.biasType = ElementType::F32;
  gemm.activation = Activation::Relu;
  gemm.outScale = 0.7f;
  gemm.outType = ElementType::F16;
  HostGemmOptions options;
  options.epilogue = HostGemmOptions::Epilogue::Float32;
  Result<HostGemmResult> result = computeHostGemm(gemm, options);
  ASSERT_TRUE(result) << result.error();
  size_t at = 0;
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t row = 0; row < 6; ++row)
      for (int64_t column = 0; column < 10; ++column, ++at) {
        // volatile: one rounding to f32 after each operation.
        volatile float value = static_cast<float>(result->acc[at]);
        value = value * sa[row];
        value = value * sb[column];
        value = 0.3f * value;
        volatile float scaled =
            -1.7f * static_cast<float>(valueAt(gemm.c, batch, row, column));
        value = value + scaled;
        value = value + bias[column];
        value = value > 0 ? value : 0;
        value = value * 0.7f;
        ASSERT_EQ(result->out[at],
                  encode(ElementType::F16, value, Overflow::Infinity));
      }
}

TEST(HostGemm, BetaZeroDoesNotReadC) {
  Operands problem =
      makeProblem(50, ElementType::E4M3, ElementType::E4M3, ElementType::None,
                  0, ScaleLayout::Linear, 4, 4, 16, 1);
  problem.gemm.c.type = ElementType::F16; // no memory at all
  Result<HostGemmResult> result = computeHostGemm(problem.gemm);
  ASSERT_TRUE(result) << result.error();
  problem.gemm.beta = 1;
  result = computeHostGemm(problem.gemm);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "C: expected memory, got none");
}

TEST(HostGemm, EmptySizes) {
  HostGemm gemm;
  gemm.m = 2;
  gemm.n = 3;
  gemm.k = 0;
  gemm.a.type = gemm.b.type = ElementType::E2M1;
  std::vector<float> bias = {1, 2, 3};
  gemm.bias = {reinterpret_cast<const uint8_t *>(bias.data()), 12};
  gemm.biasType = ElementType::F32;
  Result<HostGemmResult> result = computeHostGemm(gemm);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->exact, (std::vector<double>{1, 2, 3, 1, 2, 3}));
  gemm.m = 0;
  result = computeHostGemm(gemm);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->out.empty());
}

TEST(HostGemm, NaNScalesReachTheirRowsOnly) {
  Operands problem =
      makeProblem(60, ElementType::E2M1, ElementType::E2M1, ElementType::UE4M3,
                  16, ScaleLayout::Blocked128x4, 8, 8, 64, 1);
  // A NaN scale counts also when the values under it are zero.
  problem.sfa[scaleTileOffset(3, 2, 4)] = 0x7F;
  for (int64_t k = 32; k < 48; ++k)
    storeCode(problem.a.data(), 3 * problem.gemm.a.pitch + k, 4, 0);
  Result<HostGemmResult> result = computeHostGemm(problem.gemm);
  ASSERT_TRUE(result);
  for (int64_t row = 0; row < 8; ++row)
    for (int64_t column = 0; column < 8; ++column)
      EXPECT_EQ(std::isnan(result->acc[row * 8 + column]), row == 3);
}

TEST(HostGemm, BlockScalesOfFloat) {
  // Row r of A is r + 1, row c of B is 1: sums count elements of groups.
  constexpr int64_t m = 3, n = 130, k = 130;
  std::vector<float> a(m * k), b(n * k, 1), sfa(2 * 4, NAN), sfb(2 * 2);
  for (int64_t row = 0; row < m; ++row)
    std::fill_n(a.begin() + row * k, k, float(row + 1));
  // Column-major with a pitch of 4: group 0 of rows 0, 1, 2, then group 1.
  for (int64_t row = 0; row < m; ++row) {
    sfa[row] = float(1 << row);
    sfa[4 + row] = -float(1 << row);
  }
  sfb = {0.5f, 3, 0.25f, 5}; // [2 blocks of 128 rows, 2 groups]
  auto bytes = [](const std::vector<float> &values) {
    return HostBytes{reinterpret_cast<const uint8_t *>(values.data()),
                     values.size() * sizeof(float)};
  };
  HostGemm gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.a = {bytes(a), ElementType::F32, -1, -1};
  gemm.b = {bytes(b), ElementType::F32, -1, -1};
  gemm.sfa = {bytes(sfa), ElementType::F32, 128, 1, ScaleLayout::ColumnMajor, 4,
              -1};
  gemm.sfb = {bytes(sfb), ElementType::F32, 128, 128, ScaleLayout::Linear, 2,
              -1};
  Result<HostGemmResult> result = computeHostGemm(gemm, {});
  ASSERT_TRUE(result) << result.error();
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      double first = column < 128 ? 0.5 : 0.25, second = column < 128 ? 3 : 5;
      EXPECT_EQ(result->acc[row * n + column],
                double(row + 1) * (1 << row) * (128 * first - 2 * second));
    }
  gemm.sfa.pitch = 2;
  EXPECT_EQ(computeHostGemm(gemm, {}).error(),
            "SFA: expected a pitch of 3 to 2^40 elements, got 2");
  gemm.sfa.pitch = 6;
  EXPECT_EQ(computeHostGemm(gemm, {}).error(),
            "SFA: expected at least 36 bytes, got 32");
}

TEST(HostGemm, PaddingIsNotRead) {
  for (ScaleLayout layout : {ScaleLayout::Blocked128x4, ScaleLayout::Linear}) {
    Operands problem = makeProblem(70, ElementType::E4M3, ElementType::E4M3,
                                   ElementType::UE8M0, 32, layout, 3, 5, 70, 2);
    // Padding is 0xFF: NaN in e4m3 and in ue8m0.
    Result<HostGemmResult> result = computeHostGemm(problem.gemm);
    ASSERT_TRUE(result) << result.error();
    for (double value : result->acc)
      EXPECT_FALSE(std::isnan(value));
  }
}

TEST(HostGemm, ExactInFloat32IsRight) {
  Operands problem =
      makeProblem(80, ElementType::E4M3, ElementType::E4M3, ElementType::None,
                  0, ScaleLayout::Linear, 24, 24, 40, 1);
  // Small integers in the upper rows: exact; full-range codes below: mostly
  // not.
  CodeRange small;
  small.minMagnitude = 1;
  small.maxMagnitude = 8;
  std::vector<uint32_t> codes = codesIn(ElementType::E4M3, small);
  Random random(81);
  for (int64_t row = 0; row < 12; ++row)
    for (int64_t k = 0; k < 40; ++k) {
      storeCode(problem.a.data(), row * 64 + k, 8,
                codes[random.below(codes.size())]);
      storeCode(problem.b.data(), row * 64 + k, 8,
                codes[random.below(codes.size())]);
    }
  HostGemmOptions options;
  options.magnitudes = true;
  Result<HostGemmResult> result = computeHostGemm(problem.gemm, options);
  ASSERT_TRUE(result);
  size_t exact = 0;
  for (int64_t row = 0; row < 24; ++row)
    for (int64_t column = 0; column < 24; ++column) {
      size_t at = static_cast<size_t>(row * 24 + column);
      if (row < 12 && column < 12) {
        EXPECT_TRUE(result->exactInFloat32[at]);
      }
      exact += result->exactInFloat32[at];
      if (!result->exactInFloat32[at])
        continue;
      // Exact in any order: forwards and backwards in f32 give the sum.
      float forwards = 0, backwards = 0;
      for (int64_t k = 0; k < 40; ++k) {
        forwards += static_cast<float>(valueAt(problem.gemm.a, 0, row, k) *
                                       valueAt(problem.gemm.b, 0, column, k));
        backwards +=
            static_cast<float>(valueAt(problem.gemm.a, 0, row, 39 - k) *
                               valueAt(problem.gemm.b, 0, column, 39 - k));
      }
      EXPECT_EQ(forwards, result->acc[at]);
      EXPECT_EQ(backwards, result->acc[at]);
    }
  EXPECT_LT(exact, 24u * 24u);
}

TEST(HostGemm, StoresOnlyLiveBytes) {
  Operands problem =
      makeProblem(90, ElementType::E2M1, ElementType::E2M1, ElementType::UE8M0,
                  32, ScaleLayout::Blocked128x4, 3, 5, 32, 2);
  problem.gemm.outType = ElementType::E2M1;
  problem.gemm.overflow = Overflow::Saturate;
  Result<HostGemmResult> result = computeHostGemm(problem.gemm);
  ASSERT_TRUE(result);
  std::vector<uint8_t> out(2 * 3 * 16 / 2, 0xA5);
  ASSERT_EQ(
      storeHostOutput(problem.gemm, *result, 16, 48, out.data(), out.size()),
      "");
  for (int64_t i = 0; i < 96; ++i) {
    int64_t row = i / 16, column = i % 16;
    uint64_t code = loadCode(out.data(), i, 4);
    if (column < 5)
      EXPECT_EQ(code, result->out[row * 5 + column]);
    else
      EXPECT_EQ(code, i % 2 ? 0xAu : 0x5u);
  }
  EXPECT_EQ(storeHostOutput(problem.gemm, *result, 16, 48, out.data(), 40),
            "out: expected at least 43 bytes, got 40");
}

TEST(HostGemm, ErrorsNameTheOperand) {
  auto fresh = [] {
    return makeProblem(100, ElementType::E2M1, ElementType::E2M1,
                       ElementType::UE4M3, 16, ScaleLayout::Blocked128x4, 8, 8,
                       64, 1);
  };
  auto error = [](const Operands &problem) {
    Result<HostGemmResult> result = computeHostGemm(problem.gemm);
    return result ? "" : result.error();
  };
  Operands problem = fresh();
  EXPECT_EQ(error(problem), "");
  problem.gemm.a.memory.bytes = 255;
  EXPECT_EQ(error(problem), "A: expected at least 256 bytes, got 255");
  problem = fresh();
  problem.gemm.b.pitch = 65;
  EXPECT_EQ(error(problem),
            "B: expected a pitch of whole bytes, got 65 elements of 4 bits");
  problem.gemm.b.pitch = 62;
  EXPECT_EQ(error(problem),
            "B: expected a pitch of 64 to 2^40 elements, got 62");
  problem = fresh();
  problem.gemm.sfa.memory.bytes = 511;
  EXPECT_EQ(error(problem), "SFA: expected at least 512 bytes, got 511");
  problem.gemm.sfa.type = ElementType::F16;
  EXPECT_EQ(error(problem),
            "SFA: expected ue8m0 or ue4m3, or f32 in rows, got f16");
  problem = fresh();
  problem.gemm.sfb.vector = 0;
  EXPECT_EQ(error(problem), "SFB: expected a vector size of 1 or more, got 0");
  problem = fresh();
  problem.gemm.m = -1;
  EXPECT_EQ(error(problem), "expected sizes of 0 to 2147483647, got -1");
  problem.gemm.m = problem.gemm.n = INT32_MAX;
  EXPECT_EQ(error(problem), "expected at most 2^36 values in an operand");
  problem = fresh();
  problem.gemm.a.batchStride = INT64_MAX - 1;
  problem.gemm.l = 3;
  EXPECT_EQ(error(problem), "A: expected less than 2^63 bits");
  float one = 1;
  problem = fresh();
  problem.gemm.sa = &one;
  problem.gemm.saCount = 2;
  EXPECT_EQ(error(problem), "sa: expected 1 or 8 values, got 2");
  problem.gemm.saCount = 1;
  EXPECT_EQ(error(problem), "");
}

std::vector<uint8_t> readBytes(const std::string &name) {
  std::string text = test::readFile(name);
  return std::vector<uint8_t>(text.begin(), text.end());
}

// Results that other programs computed (and, for the row-scaled case, that an
// H200 returned).
TEST(HostGemm, ThirdPartyCases) {
  if (const char *cases = std::getenv("BSMM_THIRD_PARTY_CASES");
      !cases || !*cases)
    GTEST_SKIP() << "BSMM_THIRD_PARTY_CASES names no folder";
  std::vector<std::string> folders = test::thirdPartyCases();
  ASSERT_FALSE(folders.empty());
  size_t blockScaled = 0, rowScaled = 0;
  for (const std::string &folder : folders) {
    SCOPED_TRACE(folder);
    nlohmann::json json =
        nlohmann::json::parse(test::readFile(folder + "/launch.json"));
    const nlohmann::json &sizes = json["problem"];
    HostGemm gemm;
    gemm.m = sizes["M"];
    gemm.n = sizes["N"];
    gemm.k = sizes["K"];
    gemm.a.type = target::elementTypeFromName(sizes["a"].get<std::string>());
    gemm.b.type = target::elementTypeFromName(sizes["b"].get<std::string>());
    gemm.outType = target::elementTypeFromName(sizes["out"].get<std::string>());
    std::vector<uint8_t> a = readBytes(folder + "/a.bin");
    std::vector<uint8_t> b = readBytes(folder + "/b.bin");
    gemm.a.memory = bytesOfVector(a);
    gemm.b.memory = bytesOfVector(b);
    std::vector<uint8_t> expected = readBytes(folder + "/c_expected.bin");
    ASSERT_EQ(expected.size(), static_cast<size_t>(gemm.m * gemm.n * 2));
    HostGemmOptions options;
    options.magnitudes = true;
    if (sizes.contains("scale_vector")) {
      ++blockScaled;
      std::vector<uint8_t> sfa = readBytes(folder + "/sfa.bin");
      std::vector<uint8_t> sfb = readBytes(folder + "/sfb.bin");
      gemm.sfa.memory = bytesOfVector(sfa);
      gemm.sfb.memory = bytesOfVector(sfb);
      gemm.sfa.vector = gemm.sfb.vector = sizes["scale_vector"];
      gemm.sfa.type = gemm.sfb.type =
          gemm.sfa.vector == 16 ? ElementType::UE4M3 : ElementType::UE8M0;
      Result<HostGemmResult> result = computeHostGemm(gemm, options);
      ASSERT_TRUE(result) << result.error();
      std::vector<uint8_t> exact = readBytes(folder + "/c_exact.bin");
      ASSERT_EQ(exact.size(), result->exact.size() * 8);
      std::vector<double> theirs(result->exact.size());
      std::memcpy(theirs.data(), exact.data(), exact.size());
      // Products of these formats are exact in float64; the sums may differ by
      // the order of summation.
      for (size_t i = 0; i < theirs.size(); ++i)
        ASSERT_LE(std::fabs(theirs[i] - result->exact[i]),
                  2.0 * static_cast<double>(gemm.k) * 0x1p-53 *
                      result->sumOfMagnitudes[i]);
      std::vector<uint8_t> out(expected.size());
      ASSERT_EQ(storeHostOutput(gemm, *result, -1, -1, out.data(), out.size()),
                "");
      EXPECT_EQ(compareBits(out.data(), expected.data(), out.size()).bytes, 0u);
    } else {
      ++rowScaled;
      std::vector<uint8_t> saBytes = readBytes(folder + "/sa.bin");
      std::vector<uint8_t> sbBytes = readBytes(folder + "/sb.bin");
      std::vector<float> sa(saBytes.size() / 4), sb(sbBytes.size() / 4);
      std::memcpy(sa.data(), saBytes.data(), sa.size() * 4);
      std::memcpy(sb.data(), sbBytes.data(), sb.size() * 4);
      gemm.sa = sa.data();
      gemm.saCount = static_cast<int64_t>(sa.size());
      gemm.sb = sb.data();
      gemm.sbCount = static_cast<int64_t>(sb.size());
      Result<HostGemmResult> result = computeHostGemm(gemm, options);
      ASSERT_TRUE(result) << result.error();
      // wgmma with FP8 inputs cuts each of 33 terms to 13 fraction bits below
      // the largest of them, and the sum again, every 32 values of K. No term
      // and no partial sum is larger than the sum of all magnitudes.
      for (size_t i = 0; i < result->exact.size(); ++i) {
        double scale =
            double(sa[i / size_t(gemm.n)]) * double(sb[i % size_t(gemm.n)]);
        double steps = std::ceil(static_cast<double>(gemm.k) / 32);
        double bound = steps * 34 * 0x1p-13 * result->sumOfMagnitudes[i] *
                           std::fabs(scale) +
                       std::fabs(result->exact[i]) * 0x1p-8;
        double got = decode(ElementType::BF16,
                            loadCode(expected.data(), int64_t(i), 16));
        ASSERT_LE(std::fabs(got - result->exact[i]), bound) << i;
      }
    }
  }
  std::cout << "third-party results checked: " << blockScaled
            << " block-scaled, " << rowScaled << " row-scaled\n";
}

} // namespace
