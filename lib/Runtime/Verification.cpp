//===- Verification.cpp - the output of a kernel and the reference --------===//

#include "bsmm/Runtime/HostGemm.h"
#include "bsmm/Runtime/KernelCheck.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

namespace {
/// Rows and columns of one batch that are judged, and what the reference needs
/// of them, without gaps.
class Sample {
public:
  Sample(const KernelManifest &manifest, const LaunchRequest &request,
         const TestOperands &operands)
      : manifest(manifest), request(request), operands(operands) {}

  void choose(Random &random, int64_t maxMultiplyAdds);
  std::string gather(int64_t batch);
  Result<HostGemmResult> compute(unsigned threads);
  /// A bound of what coarse sums lose of each output, when they do.
  std::vector<double> coarseLosses() const;
  /// Factor of the sum of a group of K, 1 without scales of sums.
  double scaleOfSum(int64_t row, int64_t column, int64_t group) const;

  std::vector<int64_t> rows, columns;
  HostGemm gemm;
  std::vector<float> sa, sb;
  std::vector<double> bias, c;            // values; c is [rows, columns]
  std::vector<double> largestA, largestB; // block scales of each row

private:
  Result<OperandShape> shapeOf(Role role) const {
    return operandShape(manifest, request, role);
  }
  const std::vector<uint8_t> *bytesOf(Role role) const {
    auto found = operands.find(role);
    return found == operands.end() ? nullptr : &found->second;
  }
  std::string gatherRows(Role role, const std::vector<int64_t> &chosen,
                         int64_t batch, std::vector<uint8_t> &out,
                         HostMatrix &matrix) const;
  std::string gatherScales(Role role, const std::vector<int64_t> &chosen,
                           int64_t batch, std::vector<uint8_t> &out,
                           HostScales &scales,
                           std::vector<double> &largest) const;
  std::string gatherVector(Role role, const std::vector<int64_t> &chosen,
                           int64_t batch, std::vector<double> &values) const;

  const KernelManifest &manifest;
  const LaunchRequest &request;
  const TestOperands &operands;
  std::vector<uint8_t> a, b, sfa, sfb, cBytes, biasBytes;
};
} // namespace

/// All indices below `extent`, or `count` of them: both ends and random ones.
static std::vector<int64_t> draw(Random &random, int64_t extent,
                                 int64_t count) {
  std::vector<int64_t> chosen;
  if (count >= extent) {
    for (int64_t i = 0; i < extent; ++i)
      chosen.push_back(i);
    return chosen;
  }
  std::set<int64_t> drawn = {0, extent - 1};
  while (static_cast<int64_t>(drawn.size()) < std::max<int64_t>(count, 2))
    drawn.insert(
        static_cast<int64_t>(random.below(static_cast<uint64_t>(extent))));
  return {drawn.begin(), drawn.end()};
}

void Sample::choose(Random &random, int64_t maxMultiplyAdds) {
  double perOutput = double(std::max<int64_t>(request.k, 1)) *
                     double(std::max<int64_t>(request.l, 1));
  double outputs = std::max(double(maxMultiplyAdds) / perOutput, 64.0);
  // Rows in full as long as there is room for 64 of them.
  double perRow = std::min(double(request.n), outputs / 64);
  int64_t columnCount = std::max<int64_t>(int64_t(perRow), 8);
  int64_t rowCount = std::max<int64_t>(
      int64_t(outputs / double(std::min(columnCount, request.n))), 8);
  rows = draw(random, request.m, rowCount);
  columns = draw(random, request.n, columnCount);
}

std::string Sample::gatherRows(Role role, const std::vector<int64_t> &chosen,
                               int64_t batch, std::vector<uint8_t> &out,
                               HostMatrix &matrix) const {
  Result<OperandShape> shape = shapeOf(role);
  const std::vector<uint8_t> *bytes = bytesOf(role);
  if (!shape || !bytes)
    return std::string(roleName(role)) + ": expected this operand" +
           (shape ? "" : ": " + shape.error());
  int64_t bits = target::bitWidth(shape->type);
  int64_t rowBytes = (shape->columns * bits + 7) / 8;
  // Rows begin at whole bytes.
  int64_t unit = bits == 4 ? 2 : bits == 6 ? 4 : 1;
  int64_t pitch = (shape->columns + unit - 1) / unit * unit;
  auto pitchBytes = static_cast<size_t>(pitch * bits / 8);
  // At least a byte, since no memory means no operand.
  out.assign(pitchBytes * chosen.size() + 1, 0);
  for (size_t i = 0; i < chosen.size(); ++i) {
    int64_t from =
        (batch * shape->batchStride + chosen[i] * shape->pitch) * bits / 8;
    if (from + rowBytes > static_cast<int64_t>(bytes->size()))
      return std::string(roleName(role)) + ": expected " +
             std::to_string(from + rowBytes) + " bytes, got " +
             std::to_string(bytes->size());
    std::memcpy(out.data() + pitchBytes * i, bytes->data() + from,
                static_cast<size_t>(rowBytes));
  }
  matrix = {{out.data(), out.size()}, shape->type, pitch, -1};
  return "";
}

std::string Sample::gatherScales(Role role, const std::vector<int64_t> &chosen,
                                 int64_t batch, std::vector<uint8_t> &out,
                                 HostScales &scales,
                                 std::vector<double> &largest) const {
  Result<OperandShape> shape = shapeOf(role);
  const std::vector<uint8_t> *bytes = bytesOf(role);
  if (!shape || !bytes)
    return std::string(roleName(role)) + ": expected this operand";
  out.clear();
  largest.clear();
  int64_t groups = shape->isColumnMajor ? shape->rows : shape->columns;
  unsigned width = target::bitWidth(shape->type);
  int64_t rowsOfScale = role == Role::SFB ? manifest.problem.scaleRowsB : 1;
  for (int64_t row : chosen) {
    double most = 0;
    for (int64_t group = 0; group < groups; ++group) {
      int64_t scaleRow = row / rowsOfScale;
      int64_t at = shape->isScaleTiles    ? scaleTileOffset(row, group, groups)
                   : shape->isColumnMajor ? group * shape->pitch + scaleRow
                                          : scaleRow * shape->pitch + group;
      at += batch * shape->batchStride;
      if ((at + 1) * width > static_cast<int64_t>(bytes->size()) * 8)
        return std::string(roleName(role)) + ": expected more bytes";
      uint64_t code = loadCode(bytes->data(), at, width);
      out.resize(out.size() + width / 8);
      std::memcpy(out.data() + out.size() - width / 8, &code, width / 8);
      double scale = std::fabs(decode(shape->type, code));
      most = std::isnan(scale) ? most : std::max(most, scale);
    }
    largest.push_back(most);
  }
  scales.memory = {out.data(), out.size()};
  scales.type = shape->type;
  scales.vector = manifest.problem.scaleVector;
  scales.layout = ScaleLayout::Linear;
  scales.pitch = groups;
  return "";
}

std::string Sample::gatherVector(Role role, const std::vector<int64_t> &chosen,
                                 int64_t batch,
                                 std::vector<double> &values) const {
  values.clear();
  const std::vector<uint8_t> *bytes = bytesOf(role);
  if (!bytes)
    return "";
  Result<OperandShape> shape = shapeOf(role);
  if (!shape)
    return shape.error();
  unsigned width = target::bitWidth(shape->type);
  for (int64_t index : chosen) {
    int64_t at = shape->columns == 1 ? 0 : index;
    at += batch * shape->batchStride;
    if ((at + 1) * width > static_cast<int64_t>(bytes->size()) * 8)
      return std::string(roleName(role)) + ": expected more bytes";
    values.push_back(decode(shape->type, loadCode(bytes->data(), at, width)));
  }
  return "";
}

std::string Sample::gather(int64_t batch) {
  gemm = HostGemm();
  gemm.m = static_cast<int64_t>(rows.size());
  gemm.n = static_cast<int64_t>(columns.size());
  gemm.k = request.k;
  std::string text = gatherRows(Role::A, rows, batch, a, gemm.a);
  if (text.empty())
    text = gatherRows(Role::B, columns, batch, b, gemm.b);
  if (text.empty() && manifest.problem.scaleType != ElementType::None)
    text = gatherScales(Role::SFA, rows, batch, sfa, gemm.sfa, largestA);
  if (text.empty() && manifest.problem.scaleType != ElementType::None)
    text = gatherScales(Role::SFB, columns, batch, sfb, gemm.sfb, largestB);
  std::vector<double> scaleA, scaleB;
  if (text.empty())
    text = gatherVector(Role::SA, rows, batch, scaleA);
  if (text.empty())
    text = gatherVector(Role::SB, columns, batch, scaleB);
  if (text.empty())
    text = gatherVector(Role::Bias, columns, batch, bias);
  if (!text.empty())
    return text;
  sa.assign(scaleA.begin(), scaleA.end());
  sb.assign(scaleB.begin(), scaleB.end());
  if (!sa.empty()) {
    gemm.sa = sa.data();
    gemm.saCount = gemm.m;
  }
  if (!sb.empty()) {
    gemm.sb = sb.data();
    gemm.sbCount = gemm.n;
  }
  if (!bias.empty()) {
    ElementType type = manifest.problem.bias;
    unsigned width = target::bitWidth(type);
    biasBytes.assign(bias.size() * width / 8, 0);
    for (size_t i = 0; i < bias.size(); ++i)
      storeCode(biasBytes.data(), static_cast<int64_t>(i), width,
                encode(type, bias[i], Overflow::Infinity));
    gemm.bias = {biasBytes.data(), biasBytes.size()};
    gemm.biasType = type;
  }
  c.clear();
  if (bytesOf(Role::C) && request.beta != 0) {
    HostMatrix whole;
    std::vector<uint8_t> wholeRows;
    if (text = gatherRows(Role::C, rows, batch, wholeRows, whole);
        !text.empty())
      return text;
    unsigned width = target::bitWidth(whole.type);
    int64_t pitch = (gemm.n * width + 7) / 8 * 8 / width;
    cBytes.assign(static_cast<size_t>(gemm.m * pitch * width / 8 + 8), 0);
    for (int64_t row = 0; row < gemm.m; ++row)
      for (int64_t column = 0; column < gemm.n; ++column) {
        uint64_t code = loadCode(
            wholeRows.data(),
            row * whole.pitch + columns[static_cast<size_t>(column)], width);
        storeCode(cBytes.data(), row * pitch + column, width, code);
        c.push_back(decode(whole.type, code));
      }
    gemm.c = {{cBytes.data(), cBytes.size()}, whole.type, pitch, -1};
    gemm.beta = request.beta;
  }
  gemm.alpha = request.alpha;
  gemm.outScale = request.outScale;
  gemm.activation = manifest.problem.activation;
  gemm.outType = manifest.problem.out;
  gemm.overflow = manifest.numerics.overflow;
  return "";
}

Result<HostGemmResult> Sample::compute(unsigned threads) {
  gemm.threads = threads;
  HostGemmOptions options;
  options.magnitudes = true;
  return computeHostGemm(gemm, options);
}

double Sample::scaleOfSum(int64_t row, int64_t column, int64_t group) const {
  if (gemm.sfa.type != ElementType::F32)
    return 1;
  auto at = [&](const HostScales &scales, int64_t line) {
    return decode(ElementType::F32, loadCode(scales.memory.data,
                                             line * scales.pitch + group, 32));
  };
  return std::fabs(at(gemm.sfa, row) * at(gemm.sfb, column));
}

/// wgmma with 8-bit operands: the 32 products of an instruction and the old sum
/// are cut to 13 fraction bits below the largest of them, and the new sum
/// likewise: 34 times 2^-13 of the largest at most. The largest is a product or
/// the sum so far, which the reference knows; with promotion the sum begins
/// anew. Parts of a split sum are differences of two sums.
std::vector<double> Sample::coarseLosses() const {
  std::vector<double> losses;
  bool isEight = target::bitWidth(manifest.problem.a) == 8 &&
                 target::bitWidth(manifest.problem.b) == 8;
  // Operands with block scales of 8 bits are decoded to 16 bits first.
  isEight &= manifest.problem.scaleType == ElementType::None ||
             manifest.problem.scaleType == ElementType::F32;
  const target::Gpu *gpu = target::findGpu(manifest.target);
  if (!isEight || !gpu || !gpu->hasWgmma)
    return losses;
  std::vector<double> tableA = decodeTable(manifest.problem.a);
  std::vector<double> tableB = decodeTable(manifest.problem.b);
  constexpr int64_t step = 32;
  int64_t promote = manifest.numerics.promoteEvery;
  double parts = manifest.grid.splitK > 1 ? 2 : 1;
  for (int64_t row = 0; row < gemm.m; ++row)
    for (int64_t column = 0; column < gemm.n; ++column) {
      const uint8_t *left = a.data() + row * gemm.k;
      const uint8_t *right = b.data() + column * gemm.k;
      double sum = 0, loss = 0, total = 0;
      for (int64_t k = 0; k < gemm.k;) {
        double largest = std::fabs(sum) + loss;
        for (int64_t end = std::min(k + step, gemm.k); k < end; ++k) {
          double product = tableA[left[k]] * tableB[right[k]];
          sum += product;
          largest = std::max(largest, std::fabs(product));
        }
        largest = std::max(largest, std::fabs(sum) + loss);
        loss += std::ldexp(34 * parts * largest, -13);
        if (promote > 0 && (k % promote == 0 || k == gemm.k)) {
          total += loss * scaleOfSum(row, column, (k - 1) / promote);
          sum = loss = 0;
        }
      }
      losses.push_back(total + loss);
    }
  return losses;
}

/// Half a unit in the last place of `value` in a type.
static double halfUlp(ElementType type, double value) {
  const target::ElementInfo &info = target::info(type);
  int exponent = 0;
  std::frexp(value, &exponent);
  exponent = std::max(exponent, 2 - info.bias); // of the smallest normal
  return std::ldexp(0.5, exponent - 1 - int(info.mantissaBits));
}

namespace {
/// Judges the outputs of one batch.
class Judge {
public:
  Judge(const KernelManifest &manifest, const LaunchRequest &request,
        const OperandShape &d, const std::vector<uint8_t> &bytes,
        bool hasExactSums, Verification &verdict)
      : manifest(manifest), request(request), d(d), bytes(bytes),
        hasExactSums(hasExactSums), verdict(verdict) {}

  void judge(const Sample &sample, const HostGemmResult &result, int64_t batch);

private:
  /// Whether nothing but the last step rounds.
  bool hasOneResult(bool isExactSum, double magnitude, double factor,
                    double addends, bool isCoarse) const {
    bool isLinear = manifest.problem.activation == Activation::None ||
                    manifest.problem.activation == Activation::Relu;
    if (!isExactSum || !isLinear)
      return false;
    if (hasExactSums)
      return isPowerOfTwo(request.alpha) && isPowerOfTwo(request.outScale) &&
             isPowerOfTwo(request.beta) && (!isCoarse || magnitude <= 8192);
    return factor == 1 && request.outScale == 1 && addends == 0 && !isCoarse &&
           manifest.problem.scaleVector == 0;
  }
  static bool isPowerOfTwo(double value) {
    int exponent;
    return value == 0 || std::fabs(std::frexp(value, &exponent)) == 0.5;
  }

  void fault(int64_t batch, int64_t row, int64_t column, double got,
             double exact, double bound) {
    if (!verdict.firstFault.empty())
      return;
    char text[200];
    std::snprintf(text, sizeof(text),
                  "batch %lld row %lld column %lld: got %.9g, expected %.9g "
                  "within %.3g",
                  static_cast<long long>(batch), static_cast<long long>(row),
                  static_cast<long long>(column), got, exact, bound);
    verdict.firstFault = text;
  }

  const KernelManifest &manifest;
  const LaunchRequest &request;
  const OperandShape &d;
  const std::vector<uint8_t> &bytes;
  const bool hasExactSums;
  Verification &verdict;
};
} // namespace

void Judge::judge(const Sample &sample, const HostGemmResult &result,
                  int64_t batch) {
  ElementType type = d.type;
  unsigned width = target::bitWidth(type);
  std::vector<double> coarse = sample.coarseLosses();
  double largestFinite = target::info(type).maxFinite;
  for (size_t i = 0; i < sample.rows.size(); ++i)
    for (size_t j = 0; j < sample.columns.size(); ++j) {
      size_t index = i * sample.columns.size() + j;
      int64_t row = sample.rows[i], column = sample.columns[j];
      uint64_t code = loadCode(
          bytes.data(), batch * d.batchStride + row * d.pitch + column, width);
      double got = decode(type, code);
      double rounded = decode(type, result.out[index]);
      double exact = result.exact[index];
      ++verdict.judged;
      if (code == result.out[index] || got == rounded ||
          (std::isnan(got) && std::isnan(rounded))) {
        ++verdict.equal;
        continue;
      }
      double sa = sample.sa.empty() ? 1 : sample.sa[i];
      double sb = sample.sb.empty() ? 1 : sample.sb[j];
      double factor = std::fabs(double(request.alpha) * sa * sb);
      double magnitude = result.sumOfMagnitudes[index];
      double addends = 0;
      if (!sample.bias.empty())
        addends += std::fabs(sample.bias[j]);
      if (!sample.c.empty())
        addends += std::fabs(request.beta * sample.c[index]);
      if (magnitude * std::max(1.0, factor) + addends >=
          double(std::numeric_limits<float>::max())) {
        ++verdict.overflowed;
        continue;
      }
      // A sum of K terms in f32, one by one in any order, is off by K roundings
      // of at most the sum of the magnitudes; tensor cores cut toward zero, but
      // once for 16 terms or more. Below the normal numbers of f32 each step
      // may lose a subnormal.
      double steps = double(request.k) + 8;
      double loss = steps * (std::ldexp(magnitude, -24) + 0x1p-149);
      if (!coarse.empty())
        loss += coarse[index];
      // The fp4 kinds align sums of groups on their scales alone, groups whose
      // sum is zero included, and keep 35 bits below the largest (MMA-Sim,
      // arXiv 2511.10909).
      if (manifest.problem.scaleVector != 0 &&
          manifest.problem.scaleType != ElementType::F32)
        loss += steps / 8 *
                std::ldexp(sample.largestA[i] * sample.largestB[j], -33);
      // Six roundings of the epilogue; activations are steeper than 1 by less
      // than a fifth.
      double slack =
          (loss * factor + 6 * std::ldexp(magnitude * factor + addends, -24)) *
          std::fabs(double(request.outScale)) * 1.2;
      double bound = slack + 1.001 * halfUlp(type, std::fabs(exact) + slack);
      // An infinite or largest output stands for every value beyond.
      double error = std::fabs(got - exact);
      bool isBeyond = std::fabs(exact) + bound >= largestFinite &&
                      std::signbit(got) == std::signbit(exact);
      if (std::isinf(got) || (isBeyond && std::fabs(got) == largestFinite))
        error = isBeyond ? 0 : std::numeric_limits<double>::infinity();
      if (error <= bound) {
        verdict.largestError = std::max(verdict.largestError, error);
        verdict.largestFraction =
            std::max(verdict.largestFraction, error / bound);
        if (hasOneResult(result.exactInFloat32[index], magnitude, factor,
                         addends, !coarse.empty())) {
          ++verdict.inexact;
          fault(batch, row, column, got, exact, 0);
        } else {
          ++verdict.withinBound;
        }
        continue;
      }
      // A NaN on one side ends here as well.
      ++verdict.outside;
      fault(batch, row, column, got, exact, bound);
    }
}

/// Bytes of D outside of its rows that are not poison any more.
static int64_t countDamage(const OperandShape &d, int64_t batches,
                           const std::vector<uint8_t> &bytes, uint8_t poison) {
  int64_t bits = target::bitWidth(d.type);
  int64_t rowBytes = (d.columns * bits + 7) / 8, damaged = 0, next = 0;
  auto countTo = [&](int64_t end) {
    for (; next < end; ++next)
      damaged += bytes[static_cast<size_t>(next)] != poison;
  };
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < d.rows; ++row) {
      int64_t begin = (batch * d.batchStride + row * d.pitch) * bits / 8;
      countTo(begin);
      next = begin + rowBytes;
    }
  countTo(static_cast<int64_t>(bytes.size()));
  return damaged;
}

Result<Verification> runtime::verifyOutput(const KernelManifest &manifest,
                                           const LaunchRequest &request,
                                           const TestOperands &operands,
                                           const VerificationOptions &options) {
  for (Role role : {Role::A, Role::B, Role::D})
    if (!operandRules(manifest, role))
      return Error{"expected a kernel that takes a, b and d to compare it with "
                   "a product, got one without " +
                   std::string(roleName(role))};
  Result<OperandShape> d = operandShape(manifest, request, Role::D);
  if (!d)
    return Error{d.error()};
  auto found = operands.find(Role::D);
  if (found == operands.end() ||
      static_cast<int64_t>(found->second.size()) < d->bytes)
    return Error{"d: expected " + std::to_string(d->bytes) + " bytes"};
  Verification verdict;
  verdict.outputs = request.m * request.n * request.l;
  verdict.damaged = countDamage(*d, request.l, found->second, options.poison);
  if (verdict.outputs == 0)
    return verdict;
  Random random(options.seed);
  Sample sample(manifest, request, operands);
  sample.choose(random, options.maxMultiplyAdds);
  Judge judge(manifest, request, *d, found->second, options.hasExactSums,
              verdict);
  for (int64_t batch = 0; batch < request.l; ++batch) {
    if (std::string text = sample.gather(batch); !text.empty())
      return Error{text};
    Result<HostGemmResult> result = sample.compute(options.threads);
    if (!result)
      return Error{result.error()};
    judge.judge(sample, *result, batch);
  }
  if (verdict.damaged != 0 && verdict.firstFault.empty())
    verdict.firstFault = std::to_string(verdict.damaged) +
                         " bytes outside of the rows of D changed";
  return verdict;
}
