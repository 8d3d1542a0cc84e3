//===- Problem.cpp - a matrix multiplication to run -----------------------===//

#include "bsmm/Runner/Problem.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Runtime/ErrorMetrics.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

//===----------------------------------------------------------------------===//
// Describing a kernel
//===----------------------------------------------------------------------===//

/// A tile-level epilogue is free code. The float64 computation knows products
/// by alpha and out_scale, relu and the cast.
static void describeEpilogue(KernelOp kernel, Problem &problem) {
  auto isFactor = [&](Value value) {
    auto splat = value.getDefiningOp<tensor::SplatOp>();
    return splat &&
           (splat.getInput() == kernel.findArgument(ArgumentRole::Alpha) ||
            splat.getInput() == kernel.findArgument(ArgumentRole::OutScale));
  };
  auto isZero = [](Value value) {
    return matchPattern(value, m_AnyZeroFloat()) ||
           matchPattern(value, m_PosZeroFloat());
  };
  kernel.walk([&](Operation *op) {
    if (!isa<arith::ArithDialect>(op->getDialect()) ||
        op->hasTrait<OpTrait::ConstantLike>() || op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    if (isa<arith::TruncFOp>(op))
      return;
    if (isa<arith::MulFOp>(op) &&
        (isFactor(op->getOperand(0)) || isFactor(op->getOperand(1))))
      return;
    if (auto compare = dyn_cast<arith::CmpFOp>(op);
        compare && compare.getPredicate() == arith::CmpFPredicate::UGT &&
        isZero(compare.getRhs()))
      return;
    auto select = dyn_cast<arith::SelectOp>(op);
    auto compare =
        select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
    if (compare && select.getTrueValue() == compare.getLhs() &&
        isZero(select.getFalseValue())) {
      problem.types.activation = runtime::Activation::Relu;
      return;
    }
    problem.knowsEpilogue = false;
  });
}

static std::string describeTileKernel(KernelOp kernel, Problem &problem) {
  if (kernel.getLevel() != Level::Tile)
    return "expected a kernel at the tile level, got " +
           stringifyLevel(kernel.getLevel()).str();
  ScaledDotOp dot;
  kernel.walk([&](ScaledDotOp op) { dot = op; });
  if (!dot)
    return "expected a kernel with a bsmm.scaled_dot";
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  problem.types.a = getOperandElementType(elementOf(dot.getA()));
  problem.types.b = getOperandElementType(elementOf(dot.getB()));
  problem.types.scaleType = getScaleElementType(elementOf(dot.getScaleA()));
  problem.types.scaleVector = dot.getScaleVectorSize();
  Type out;
  kernel.walk([&](TmaStoreOp op) { out = elementOf(op.getTile()); });
  kernel.walk([&](PredicatedStoreOp op) {
    out = elementOf(op.getTile());
    problem.storesWithoutTma = true;
  });
  if (!out)
    return "expected a kernel that stores its result";
  problem.types.out = getOperandElementType(out);
  for (ArgumentRole role :
       {ArgumentRole::A, ArgumentRole::B, ArgumentRole::ScaleA,
        ArgumentRole::ScaleB, ArgumentRole::D})
    if (!kernel.findArgument(role))
      return "expected a kernel argument with role '" +
             stringifyArgumentRole(role).str() + "'";
  problem.hasAlpha = bool(kernel.findArgument(ArgumentRole::Alpha));
  problem.hasOutScale = bool(kernel.findArgument(ArgumentRole::OutScale));
  describeEpilogue(kernel, problem);
  return "";
}

static std::string describeMatmul(ScaledMatmulOp op, Problem &problem) {
  problem.isProblemLevel = true;
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  auto order = [](Value scales) {
    return cast<ScalesAttr>(
               cast<RankedTensorType>(scales.getType()).getEncoding())
        .getOrder();
  };
  problem.types.a = getOperandElementType(elementOf(op.getA()));
  problem.types.b = getOperandElementType(elementOf(op.getB()));
  problem.types.scaleType = getScaleElementType(elementOf(op.getScaleA()));
  problem.types.scaleVector = op.getScaleVectorSize();
  problem.types.out = getOperandElementType(elementOf(op.getInit()));
  if (order(op.getScaleA()) != ScaleOrder::Blocked128x4 ||
      order(op.getScaleB()) != ScaleOrder::Blocked128x4)
    return "expected scales in order blocked_128x4 to run";
  if (op.getBeta() || op.getBias())
    return "expected a multiplication without beta and bias to run";
  auto extentOf = [](Value value, unsigned fromEnd) -> int64_t {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t extent = type.getDimSize(type.getRank() - fromEnd);
    return ShapedType::isDynamic(extent) ? 0 : extent;
  };
  auto firstOf = [](std::initializer_list<int64_t> extents) {
    for (int64_t extent : extents)
      if (extent != 0)
        return extent;
    return int64_t(0);
  };
  problem.m = firstOf({extentOf(op.getA(), 2), extentOf(op.getScaleA(), 2),
                       extentOf(op.getInit(), 2)});
  problem.n = firstOf({extentOf(op.getB(), 2), extentOf(op.getScaleB(), 2),
                       extentOf(op.getInit(), 1)});
  problem.k = firstOf({extentOf(op.getA(), 1), extentOf(op.getB(), 1)});
  if (cast<RankedTensorType>(op.getA().getType()).getRank() == 2)
    problem.l = 1;
  else
    problem.l = firstOf({extentOf(op.getA(), 3), extentOf(op.getB(), 3),
                         extentOf(op.getInit(), 3)});
  problem.hasAlpha = bool(op.getAlpha());
  problem.hasOutScale = bool(op.getOutScale());
  switch (op.getActivation()) {
  case Activation::None:
    break;
  case Activation::Relu:
    problem.types.activation = runtime::Activation::Relu;
    break;
  case Activation::Silu:
    problem.types.activation = runtime::Activation::Silu;
    break;
  }
  return "";
}

std::string bsmm::runner::describeKernel(ModuleOp module,
                                         const std::string &name,
                                         Problem &problem) {
  SmallVector<std::pair<std::string, Operation *>> found;
  module.walk([&](KernelOp op) {
    found.push_back({op.getSymName().str(), op});
  });
  for (auto function : module.getOps<func::FuncOp>())
    for (auto op : function.getOps<ScaledMatmulOp>())
      found.push_back({function.getSymName().str(), op});
  if (!name.empty())
    llvm::erase_if(found, [&](auto &entry) { return entry.first != name; });
  if (found.size() != 1) {
    std::string text = "expected one kernel";
    if (!name.empty())
      text += " called '" + name + "'";
    text += ", got " + std::to_string(found.size());
    if (found.size() > 1)
      text += "; choose one with --kernel";
    return text;
  }
  problem.kernel = found.front().first;
  if (auto kernel = dyn_cast<KernelOp>(found.front().second))
    return describeTileKernel(kernel, problem);
  return describeMatmul(cast<ScaledMatmulOp>(found.front().second), problem);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static int64_t rowBytes(target::ElementType type, int64_t elements) {
  return (elements * target::bitWidth(type) + 7) / 8;
}

/// The pitch of a row of `extent` elements rounded up to 16 bytes.
static int64_t alignedPitch(target::ElementType type, int64_t extent) {
  int64_t perUnit = 128 / target::bitWidth(type);
  return (extent + perUnit - 1) / perUnit * perUnit;
}

std::string bsmm::runner::checkSizes(Problem &problem) {
  // What a run on a CPU finishes with: operands and float64 results.
  constexpr int64_t maxBytes = int64_t(1) << 33;
  for (auto [name, value] :
       {std::pair{"M", problem.m}, std::pair{"N", problem.n},
        std::pair{"K", problem.k}, std::pair{"L", problem.l}})
    if (value < 1 || value > 2147483647)
      return std::string("expected ") + name + " in 1..2147483647, got " +
             std::to_string(value);
  for (auto type : {problem.types.a, problem.types.b})
    if (problem.k * target::bitWidth(type) % 8 != 0)
      return "expected rows of whole bytes, got K = " +
             std::to_string(problem.k) + " elements of " +
             std::string(target::name(type)) +
             "; pad K with zeros to a multiple of 2";
  if (problem.pitchA < 0)
    problem.pitchA = alignedPitch(problem.types.a, problem.k);
  if (problem.pitchB < 0)
    problem.pitchB = alignedPitch(problem.types.b, problem.k);
  if (problem.pitchD < 0)
    problem.pitchD = problem.storesWithoutTma
                         ? problem.n
                         : alignedPitch(problem.types.out, problem.n);
  for (auto [name, pitch, extent] :
       {std::tuple{"A", problem.pitchA, problem.k},
        std::tuple{"B", problem.pitchB, problem.k},
        std::tuple{"D", problem.pitchD, problem.n}})
    if (pitch < extent || pitch > (int64_t(1) << 40))
      return std::string("expected a pitch of ") + name + " of at least " +
             std::to_string(extent) + " elements, got " + std::to_string(pitch);
  double bytes = 0;
  for (auto [type, rows, pitch] :
       {std::tuple{problem.types.a, problem.m, problem.pitchA},
        std::tuple{problem.types.b, problem.n, problem.pitchB},
        std::tuple{problem.types.out, problem.m, problem.pitchD}})
    bytes += double(rows) * pitch * target::bitWidth(type) / 8;
  double scales = double(problem.k) / problem.types.scaleVector + 4;
  bytes += scales * (double(problem.m) + problem.n + 256);
  // Decoded operands, and five numbers of float64 for every output.
  bytes += 8.0 * problem.k * (double(problem.m) + problem.n);
  bytes += 40.0 * problem.m * problem.n;
  if (bytes * problem.l > double(maxBytes))
    return "expected a problem of less than 8 GiB with its float64 results, "
           "got "
           "more; choose smaller sizes";
  return "";
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operands bsmm::runner::makeOperands(const Problem &problem) {
  runtime::Random random(problem.seed);
  Operands operands;
  runtime::CodeRange finite;
  auto rows = [&](target::ElementType type, int64_t count, int64_t extent,
                  int64_t pitch) {
    runtime::RowsShape shape;
    shape.type = type;
    shape.rows = count;
    shape.columns = extent;
    shape.pitch = pitch;
    shape.batches = problem.l;
    shape.batchStride = count * pitch;
    return runtime::randomRows(random, shape, finite, problem.poison);
  };
  operands.a = rows(problem.types.a, problem.m, problem.k, problem.pitchA);
  operands.b = rows(problem.types.b, problem.n, problem.k, problem.pitchB);
  // Scales up to 448 overflow most f16 outputs: the default keeps to codes
  // whose products stay finite. `fullRange` takes all codes, of e8m0 those up
  // to 2^40: larger ones overflow f32 in every sum.
  runtime::CodeRange scales;
  if (!problem.fullRange)
    scales.maxMagnitude = 2;
  if (problem.types.scaleType == target::ElementType::UE8M0) {
    scales.minMagnitude = problem.fullRange ? 0 : 0x1p-10;
    scales.maxMagnitude = problem.fullRange ? 0x1p40 : 2;
  }
  int64_t groups =
      (problem.k + problem.types.scaleVector - 1) / problem.types.scaleVector;
  operands.sfa =
      runtime::randomScaleTiles(random, problem.types.scaleType, problem.m,
                                groups, problem.l, scales, problem.poison);
  operands.sfb =
      runtime::randomScaleTiles(random, problem.types.scaleType, problem.n,
                                groups, problem.l, scales, problem.poison);
  operands.d.assign(
      rowBytes(problem.types.out, problem.l * problem.m * problem.pitchD),
      0xFF);
  return operands;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static double decodeOutput(target::ElementType type, const uint8_t *data,
                           int64_t index) {
  uint32_t bits = 0;
  int64_t bytes = target::bitWidth(type) / 8;
  std::memcpy(&bits, data + index * bytes, bytes);
  return runtime::decode(type, bits);
}

/// Half a unit in the last place of `value` in the output type.
static double halfUlp(target::ElementType type, double value) {
  const target::ElementInfo &info = target::info(type);
  int exponent = 0;
  std::frexp(value, &exponent);
  int lowest = 2 - info.bias; // of the smallest normal, as frexp counts
  exponent = std::max(exponent, lowest);
  return std::ldexp(0.5, exponent - 1 - int(info.mantissaBits));
}

static std::string describeMetrics(const runtime::ErrorMetrics &metrics) {
  char text[160];
  std::snprintf(text, sizeof(text),
                "absmax %.6g, mean absolute error %.6g, mean squared error "
                "%.6g, cosine similarity %.9f",
                metrics.absMax, metrics.meanAbs, metrics.meanSquared,
                metrics.cosineSimilarity);
  std::string result = text;
  if (metrics.nanMismatches != 0)
    result += ", without " + std::to_string(metrics.nanMismatches) +
              " values that are NaN on one side";
  return result;
}

std::string bsmm::runner::compareOutputs(const Problem &problem,
                                         const std::vector<uint8_t> &got,
                                         const std::vector<uint8_t> &expected) {
  std::vector<double> values[2];
  for (int64_t row = 0; row < problem.l * problem.m; ++row)
    for (int64_t column = 0; column < problem.n; ++column) {
      int64_t place = row * problem.pitchD + column;
      values[0].push_back(decodeOutput(problem.types.out, got.data(), place));
      values[1].push_back(
          decodeOutput(problem.types.out, expected.data(), place));
    }
  return describeMetrics(runtime::compareValues(
      values[0].data(), values[1].data(), values[0].size()));
}

/// The largest scale of every row of a blocked scale tensor.
static std::vector<double> largestScales(const Problem &problem,
                                         const std::vector<uint8_t> &scales,
                                         int64_t rows) {
  int64_t vec = problem.types.scaleVector;
  int64_t groups = (problem.k + vec - 1) / vec;
  std::vector<double> largest;
  for (int64_t batch = 0; batch < problem.l; ++batch)
    for (int64_t row = 0; row < rows; ++row) {
      double most = 0;
      for (int64_t group = 0; group < groups; ++group) {
        double scale = runtime::decode(problem.types.scaleType,
                                       scales[layout::blockedScaleOffset(
                                           batch, row, group, rows, groups)]);
        if (!std::isnan(scale))
          most = std::fmax(most, std::fabs(scale));
      }
      largest.push_back(most);
    }
  return largest;
}

std::string bsmm::runner::compareOutput(const Problem &problem,
                                        const Operands &operands,
                                        Comparison &comparison) {
  runtime::HostGemm gemm;
  gemm.m = problem.m;
  gemm.n = problem.n;
  gemm.k = problem.k;
  gemm.l = problem.l;
  auto bytes = [](const std::vector<uint8_t> &data) {
    return runtime::HostBytes{data.data(), data.size()};
  };
  gemm.a = {bytes(operands.a), problem.types.a, problem.pitchA,
            problem.m * problem.pitchA};
  gemm.b = {bytes(operands.b), problem.types.b, problem.pitchB,
            problem.n * problem.pitchB};
  gemm.sfa.memory = bytes(operands.sfa);
  gemm.sfb.memory = bytes(operands.sfb);
  for (runtime::HostScales *scales : {&gemm.sfa, &gemm.sfb}) {
    scales->type = problem.types.scaleType;
    scales->vector = problem.types.scaleVector;
  }
  gemm.alpha = problem.alpha;
  gemm.outScale = problem.outScale;
  gemm.activation = problem.types.activation;
  gemm.outType = problem.types.out;
  runtime::HostGemmOptions options;
  options.epilogue = runtime::HostGemmOptions::Epilogue::Float32;
  options.magnitudes = true;
  runtime::Result<runtime::HostGemmResult> result =
      runtime::computeHostGemm(gemm, options);
  if (!result)
    return result.error();

  std::vector<double> largestA =
      largestScales(problem, operands.sfa, problem.m);
  std::vector<double> largestB =
      largestScales(problem, operands.sfb, problem.n);
  target::ElementType type = problem.types.out;
  int64_t elementBytes = target::bitWidth(type) / 8;
  int64_t count = problem.l * problem.m * problem.n;
  std::vector<double> got(count);
  // Tensor cores cut each instruction's sum toward zero to f32, so every 32
  // elements of K may lose a unit in the last place of a partial sum, which is
  // at most the sum of the magnitudes.
  double steps = double((problem.k + 31) / 32) + 1;
  double factor = std::fabs(double(problem.alpha) * double(problem.outScale));
  for (int64_t row = 0; row < problem.l * problem.m; ++row) {
    for (int64_t column = 0; column < problem.n; ++column) {
      int64_t index = row * problem.n + column;
      int64_t place = row * problem.pitchD + column;
      got[index] = decodeOutput(type, operands.d.data(), place);
      uint32_t bits = 0;
      std::memcpy(&bits, operands.d.data() + place * elementBytes,
                  elementBytes);
      double exact = result->exact[index];
      bool isSame =
          bits == result->out[index] ||
          (std::isnan(got[index]) && std::isnan(exact)) ||
          (got[index] == 0 && runtime::decode(type, result->out[index]) == 0);
      if (isSame) {
        ++comparison.equal;
        continue;
      }
      // Where a partial sum may leave the range of f32 nothing is promised.
      if (result->sumOfMagnitudes[index] * std::fmax(factor, 1.0) >=
          std::numeric_limits<float>::max()) {
        ++comparison.overflowed;
        continue;
      }
      // Below the normal numbers of f32 each step may lose a subnormal.
      double slack = steps *
                     (std::ldexp(result->sumOfMagnitudes[index], -22) +
                      std::ldexp(1.0, -149)) *
                     factor;
      // The fp4 kinds align the sums of groups on their scales alone, groups
      // whose sum is zero included, and keep 35 bits below the largest.
      int64_t batch = row / problem.m;
      double alignment = 0;
      if (problem.types.a == target::ElementType::E2M1 &&
          problem.types.b == target::ElementType::E2M1)
        alignment =
            steps * 4 * factor *
            std::ldexp(largestA[row] * largestB[batch * problem.n + column],
                       -35) *
            (64 / problem.types.scaleVector + 1);
      slack += alignment;
      double bound = slack + 1.001 * halfUlp(type, std::fabs(exact) + slack);
      if (problem.types.out == target::ElementType::F32)
        bound = slack + 4 * halfUlp(type, std::fabs(exact) + slack);
      // An infinite output stands for every sum beyond the largest one.
      double value = got[index];
      if (std::isinf(value))
        value = std::copysign(target::info(type).maxFinite, value);
      bool isWithin =
          std::isinf(got[index])
              ? (value > 0 ? exact : -exact) + bound >= std::fabs(value)
              : std::fabs(value - exact) <= bound;
      // What alignment may cut is lost although every sum fits f32.
      if (isWithin && result->exactInFloat32[index] && factor == 1 &&
          alignment <= halfUlp(type, std::fabs(exact))) {
        ++comparison.inexact;
        isWithin = false;
      } else if (isWithin) {
        ++comparison.withinBound;
        continue;
      } else {
        ++comparison.outside;
      }
      if (comparison.firstFault.empty()) {
        char text[200];
        std::snprintf(text, sizeof(text),
                      "batch %lld row %lld column %lld: got %.9g, expected "
                      "%.9g within %.3g",
                      static_cast<long long>(row / problem.m),
                      static_cast<long long>(row % problem.m),
                      static_cast<long long>(column), got[index], exact, bound);
        comparison.firstFault = text;
      }
    }
    // Nothing between the last column and the pitch may change.
    const uint8_t *end =
        operands.d.data() + (row + 1) * problem.pitchD * elementBytes;
    for (const uint8_t *byte =
             end - (problem.pitchD - problem.n) * elementBytes;
         byte != end; ++byte)
      comparison.damaged += *byte != 0xFF;
  }
  // An output that overflows is infinite on both sides: no error.
  for (int64_t index = 0; index < count; ++index)
    if (std::isinf(got[index]) &&
        got[index] == runtime::decode(type, result->out[index]))
      got[index] = result->exact[index];
  runtime::ErrorMetrics metrics =
      runtime::compareValues(got.data(), result->exact.data(), count);
  comparison.metrics = describeMetrics(metrics);
  return "";
}
