//===- KernelCheckTest.cpp - the verdict on a kernel's output -------------===//

#include "bsmm/Runtime/KernelCheck.h"
#include "bsmm/Runtime/HostGemm.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

namespace {
KernelManifest manifestOf(const std::string &problem, const std::string &params,
                          const std::string &target = "sm_100a") {
  Result<KernelManifest> manifest = parseManifest(
      R"({"schema": "bsmm.launch/1", "document": "kernel", "entry": "k",
          "ptx": "k.ptx", "target": ")" +
      target + R"(", "grid": {"rule": "tile"}, "block": [128, 1, 1],
          "cluster": [1, 1, 1], "dynamic_smem": 0,
          "tile": {"m": 128, "n": 128, "k": 64}, "numerics": {},
          "problem": {)" +
      problem + R"(}, "params": [)" + params + "]}");
  EXPECT_TRUE(bool(manifest)) << manifest.error();
  return *manifest;
}

KernelManifest nvfp4(const std::string &out = "f16") {
  return manifestOf(
      R"("a": "e2m1", "b": "e2m1", "scale_type": "ue4m3", "scale_vector": 16,
         "out": ")" +
          out + "\"",
      R"({"pointer": "a"}, {"pointer": "b"}, {"pointer": "sfa"},
         {"pointer": "sfb"}, {"pointer": "d"}, {"i64": {"pitch": "a"}},
         {"i64": {"batch_stride": "a"}}, {"i64": {"pitch": "b"}},
         {"i64": {"pitch": "d"}}, {"i64": {"batch_stride": "d"}},
         {"f32": "alpha"})");
}

KernelManifest fp8(const std::string &target) {
  return manifestOf(
      R"("a": "e4m3", "b": "e5m2", "out": "bf16", "c": "bf16", "bias": "f32",
         "row_scales": "f32", "activation": "relu")",
      R"({"pointer": "a"}, {"pointer": "b"}, {"pointer": "c"}, {"pointer": "d"},
         {"pointer": "sa"}, {"pointer": "sb"}, {"pointer": "bias"},
         {"i64": {"pitch": "d"}}, {"f32": "alpha"}, {"f32": "beta"})",
      target);
}

/// What a right kernel would write, by a reference that is written anew: each
/// output on its own, decoded where it lies.
void computeOutput(const KernelManifest &manifest, const LaunchRequest &request,
                   TestOperands &operands) {
  auto shape = [&](Role role) {
    return *operandShape(manifest, request, role);
  };
  auto value = [&](Role role, int64_t batch, int64_t row, int64_t column) {
    OperandShape at = shape(role);
    const std::vector<uint8_t> &bytes = operands.at(role);
    if (at.isScaleTiles)
      return decode(at.type,
                    bytes[size_t(batch * at.batchStride +
                                 scaleTileOffset(row, column, at.columns))]);
    return decode(at.type,
                  loadCode(bytes.data(),
                           batch * at.batchStride + row * at.pitch + column,
                           target::bitWidth(at.type)));
  };
  const ProblemTypes &problem = manifest.problem;
  OperandShape d = shape(Role::D);
  for (int64_t batch = 0; batch < request.l; ++batch)
    for (int64_t row = 0; row < request.m; ++row)
      for (int64_t column = 0; column < request.n; ++column) {
        double sum = 0;
        for (int64_t k = 0; k < request.k; ++k) {
          double term =
              value(Role::A, batch, row, k) * value(Role::B, batch, column, k);
          if (problem.scaleVector)
            term *= value(Role::SFA, batch, row, k / problem.scaleVector) *
                    value(Role::SFB, batch, column, k / problem.scaleVector);
          sum += term;
        }
        if (problem.rowScales != RowScales::None)
          sum *= value(Role::SA, 0, 0, row) * value(Role::SB, 0, 0, column);
        sum *= request.alpha;
        if (problem.c != ElementType::None && request.beta != 0)
          sum += request.beta * value(Role::C, batch, row, column);
        if (problem.bias != ElementType::None)
          sum += value(Role::Bias, 0, 0, column);
        if (problem.activation == Activation::Relu && sum < 0)
          sum = 0;
        storeCode(operands[Role::D].data(),
                  batch * d.batchStride + row * d.pitch + column,
                  target::bitWidth(d.type),
                  encode(d.type, sum, manifest.numerics.overflow));
      }
}

Verification verdictOf(const KernelManifest &manifest,
                       const LaunchRequest &request,
                       const TestOperands &operands,
                       VerificationOptions options = {}) {
  Result<Verification> verdict =
      verifyOutput(manifest, request, operands, options);
  EXPECT_TRUE(bool(verdict)) << verdict.error();
  return verdict ? *verdict : Verification();
}
} // namespace

TEST(KernelCheck, RightOutputsAreRight) {
  for (Distribution distribution :
       {Distribution::Moderate, Distribution::Full, Distribution::Exact})
    for (const KernelManifest &manifest :
         {nvfp4(), nvfp4("f32"), fp8("sm_90a"), fp8("sm_100a")}) {
      LaunchRequest request;
      request.m = 37;
      request.n = 29;
      request.k = 176;
      request.l = 2;
      request.alpha = 0.5f;
      if (manifest.problem.c != ElementType::None)
        request.beta = -2;
      request.operands[Role::A].pitch = 192;
      request.operands[Role::D].pitch = 40;
      TestDataOptions data;
      data.seed = 11;
      data.distribution = distribution;
      Result<TestOperands> operands = makeTestOperands(manifest, request, data);
      ASSERT_TRUE(bool(operands)) << operands.error();
      computeOutput(manifest, request, *operands);
      VerificationOptions options;
      options.hasExactSums = distribution == Distribution::Exact;
      Verification verdict = verdictOf(manifest, request, *operands, options);
      EXPECT_TRUE(verdict.isGood()) << verdict.firstFault;
      EXPECT_EQ(verdict.judged, 2 * 37 * 29);
      EXPECT_EQ(verdict.judged, verdict.outputs);
      EXPECT_GT(verdict.equal, verdict.judged * 9 / 10);
    }
}

/// The same operands and sizes for the tests of wrong outputs.
namespace {
class WrongOutput : public testing::Test {
protected:
  void SetUp() override {
    manifest = nvfp4();
    request.m = 50;
    request.n = 40;
    request.k = 128;
    request.l = 2;
    request.operands[Role::D].pitch = 48;
    prepare(Distribution::Moderate);
  }
  void prepare(Distribution distribution) {
    TestDataOptions data;
    data.distribution = distribution;
    Result<TestOperands> made = makeTestOperands(manifest, request, data);
    ASSERT_TRUE(bool(made)) << made.error();
    operands = *made;
    computeOutput(manifest, request, operands);
    ASSERT_TRUE(verdictOf(manifest, request, operands).isGood());
  }
  uint16_t &output(int64_t batch, int64_t row, int64_t column) {
    auto *d = reinterpret_cast<uint16_t *>(operands[Role::D].data());
    return d[batch * 50 * 48 + row * 48 + column];
  }
  KernelManifest manifest;
  LaunchRequest request;
  TestOperands operands;
};
} // namespace

TEST_F(WrongOutput, OneWrongElement) {
  output(1, 49, 39) = 0x7BFF;
  Verification verdict = verdictOf(manifest, request, operands);
  EXPECT_EQ(verdict.outside, 1);
  EXPECT_FALSE(verdict.isGood());
  EXPECT_EQ(verdict.firstFault.find("batch 1 row 49 column 39: got 65504"), 0u)
      << verdict.firstFault;
}

TEST_F(WrongOutput, UnwrittenAndNaN) {
  output(0, 3, 4) = 0xFFFF;
  EXPECT_EQ(verdictOf(manifest, request, operands).outside, 1);
  output(0, 3, 4) = 0x7C00;
  EXPECT_EQ(verdictOf(manifest, request, operands).outside, 1);
}

TEST_F(WrongOutput, BytesBetweenRowsAndBatches) {
  output(0, 7, 41) = 0;
  Verification verdict = verdictOf(manifest, request, operands);
  EXPECT_EQ(verdict.damaged, 2);
  EXPECT_EQ(verdict.outside, 0);
  EXPECT_FALSE(verdict.isGood());
}

/// Faults that kernels really have: rows of scales swapped, nibbles swapped, a
/// group's scale taken for its neighbour's, the last step left out.
TEST_F(WrongOutput, SwappedOperands) {
  TestOperands right = operands;
  auto isFound = [&] {
    return !verdictOf(manifest, request, operands).isGood();
  };
  std::vector<uint8_t> &scales = operands[Role::SFA];
  for (size_t row = 0; row < 4; ++row)
    std::swap(scales[row * 16], scales[row * 16 + 1]);
  EXPECT_TRUE(isFound());
  operands = right;
  for (uint8_t &byte : operands[Role::B])
    byte = static_cast<uint8_t>(byte << 4 | byte >> 4);
  EXPECT_TRUE(isFound());
  operands = right;
  LaunchRequest shorter = request;
  shorter.k = 112;
  shorter.operands[Role::A].pitch = shorter.operands[Role::B].pitch = 128;
  computeOutput(manifest, shorter, operands);
  EXPECT_TRUE(isFound());
}

/// With exact operands one unit in the last place is a fault.
TEST_F(WrongOutput, OneUnitInTheLastPlace) {
  manifest = nvfp4("f32");
  prepare(Distribution::Exact);
  VerificationOptions options;
  options.hasExactSums = true;
  ASSERT_TRUE(verdictOf(manifest, request, operands, options).isGood());
  auto *d = reinterpret_cast<uint32_t *>(operands[Role::D].data());
  d[5] ^= 1;
  Verification verdict = verdictOf(manifest, request, operands, options);
  EXPECT_EQ(verdict.inexact, 1);
  EXPECT_EQ(verdict.firstFault.find("batch 0 row 0 column 5"), 0u);
}

/// Infinities are right only where the exact result is beyond the largest
/// value.
TEST(KernelCheck, Overflow) {
  KernelManifest manifest = nvfp4();
  LaunchRequest request;
  request.m = request.n = 16;
  request.k = 64;
  request.alpha = 4096;
  Result<TestOperands> operands = makeTestOperands(manifest, request, {});
  ASSERT_TRUE(bool(operands));
  computeOutput(manifest, request, *operands);
  auto *d = reinterpret_cast<uint16_t *>((*operands)[Role::D].data());
  int64_t infinities = 0;
  for (int i = 0; i < 256; ++i)
    infinities += (d[i] & 0x7FFF) == 0x7C00;
  EXPECT_GT(infinities, 0);
  EXPECT_LT(infinities, 256);
  Verification verdict = verdictOf(manifest, request, *operands);
  EXPECT_TRUE(verdict.isGood()) << verdict.firstFault;
  for (int i = 0; i < 256; ++i)
    if ((d[i] & 0x7FFF) == 0x7C00) {
      d[i] ^= 0x8000;
      break;
    }
  EXPECT_EQ(verdictOf(manifest, request, *operands).outside, 1);
}

/// Large problems are judged at some places, the corners among them.
TEST(KernelCheck, Samples) {
  KernelManifest manifest = fp8("sm_100a");
  LaunchRequest request;
  request.m = 300;
  request.n = 260;
  request.k = 64;
  Result<TestOperands> operands = makeTestOperands(manifest, request, {});
  ASSERT_TRUE(bool(operands));
  computeOutput(manifest, request, *operands);
  VerificationOptions options;
  options.maxMultiplyAdds = 64 * 2000;
  Verification verdict = verdictOf(manifest, request, *operands, options);
  EXPECT_TRUE(verdict.isGood()) << verdict.firstFault;
  EXPECT_EQ(verdict.outputs, 300 * 260);
  EXPECT_GE(verdict.judged, 1000);
  EXPECT_LE(verdict.judged, 4000);
  OperandShape d = *operandShape(manifest, request, Role::D);
  auto *codes = reinterpret_cast<uint16_t *>((*operands)[Role::D].data());
  codes[299 * d.pitch + 259] = 0x7F80;
  EXPECT_EQ(verdictOf(manifest, request, *operands, options).outside, 1);
}

/// The same seed gives the same operands; another one others. Padding is
/// poison.
TEST(KernelCheck, Operands) {
  KernelManifest manifest = nvfp4();
  LaunchRequest request;
  request.m = 5;
  request.n = 6;
  request.k = 48;
  request.operands[Role::A].pitch = 64;
  TestDataOptions data;
  data.seed = 5;
  TestOperands first = *makeTestOperands(manifest, request, data);
  EXPECT_EQ(first, *makeTestOperands(manifest, request, data));
  EXPECT_EQ(first.size(), 5u);
  EXPECT_EQ(first[Role::A][24], 0xFF);
  EXPECT_EQ(first[Role::SFA].size(), 512u);
  // Row 5 and group 3 are padding.
  EXPECT_EQ(first[Role::SFA][size_t(scaleTileOffset(5, 0, 3))], 0xFF);
  EXPECT_EQ(first[Role::SFA][size_t(scaleTileOffset(0, 3, 3))], 0xFF);
  EXPECT_NE(first[Role::SFA][size_t(scaleTileOffset(4, 2, 3))], 0xFF);
  data.seed = 6;
  EXPECT_NE(first, *makeTestOperands(manifest, request, data));
  data.distribution = Distribution::Exact;
  TestOperands exact = *makeTestOperands(manifest, request, data);
  for (uint8_t byte : exact[Role::B])
    for (int code : {byte & 15, byte >> 4}) {
      double value = std::fabs(decode(ElementType::E2M1, uint64_t(code)));
      EXPECT_TRUE(value == 0 || value == 1 || byte == 0xFF);
    }
  EXPECT_EQ(trafficBytes(manifest, request),
            5 * 24 + 6 * 24 + 2 * 512 + 5 * 6 * 2);
  request.m = -1;
  EXPECT_FALSE(bool(makeTestOperands(manifest, request, data)));
  request.m = request.n = INT32_MAX;
  EXPECT_EQ(makeTestOperands(manifest, request, data).error(),
            "expected operands of at most 16 GiB, got more with a of "
            "68719476696 bytes");
}

TEST(KernelCheck, KernelsThatAreNoProducts) {
  KernelManifest manifest =
      manifestOf(R"("a": "f16", "b": "f16", "out": "f16")",
                 R"({"pointer": "a"}, {"pointer": "d"})");
  LaunchRequest request;
  request.m = request.n = request.k = 8;
  TestOperands operands = *makeTestOperands(manifest, request, {});
  EXPECT_EQ(verifyOutput(manifest, request, operands).error(),
            "expected a kernel that takes a, b and d to compare it with a "
            "product, got one without b");
}
