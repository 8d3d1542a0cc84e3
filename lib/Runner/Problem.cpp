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

/// The argument of the kernel that an epilogue's tile comes from: a splat of a
/// scalar, a vector or the matrix C.
static BlockArgument findSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::SplatOp, BroadcastOp, VectorLoadOp, PredicatedLoadOp,
            ReshapeOp, arith::ExtFOp>(op))
      value = op->getOperand(0);
    else
      return {};
  }
  return dyn_cast<BlockArgument>(value);
}

/// A tile-level epilogue is free code. The float64 computation knows
/// act(alpha * (acc * sa * sb) + beta * C + bias) * out_scale with the
/// activation relu, and the cast.
static void describeEpilogue(KernelOp kernel, Problem &problem) {
  auto isFrom = [&](Value value, ArrayRef<ArgumentRole> roles) {
    BlockArgument source = findSource(value);
    return source && llvm::any_of(roles, [&](ArgumentRole role) {
             return source == kernel.findArgument(role);
           });
  };
  auto isFactor = [&](Value value) {
    return isFrom(value, {ArgumentRole::Alpha, ArgumentRole::Beta,
                          ArgumentRole::OutScale, ArgumentRole::RowScaleA,
                          ArgumentRole::RowScaleB});
  };
  auto isAddend = [&](Value value) {
    if (isFrom(value, {ArgumentRole::Bias}))
      return true;
    auto product = value.getDefiningOp<arith::MulFOp>();
    return product && ((isFrom(product.getLhs(), {ArgumentRole::Beta}) &&
                        isFrom(product.getRhs(), {ArgumentRole::C})) ||
                       (isFrom(product.getRhs(), {ArgumentRole::Beta}) &&
                        isFrom(product.getLhs(), {ArgumentRole::C})));
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
    if (isa<arith::TruncFOp>(op) ||
        (isa<arith::ExtFOp>(op) && isFrom(op->getResult(0), {ArgumentRole::C})))
      return;
    if (isa<arith::MulFOp>(op) &&
        (isFactor(op->getOperand(0)) || isFactor(op->getOperand(1))))
      return;
    if (isa<arith::AddFOp>(op) &&
        (isAddend(op->getOperand(0)) || isAddend(op->getOperand(1))))
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
  // What the epilogue reads from memory.
  kernel.walk([&](VectorLoadOp load) {
    BlockArgument source = findSource(load.getResult());
    if (source && source == kernel.findArgument(ArgumentRole::RowScaleA))
      problem.types.rowScales = load.getType().getNumElements() == 1
                                    ? runtime::RowScales::Tensor
                                    : runtime::RowScales::F32;
    if (source && source == kernel.findArgument(ArgumentRole::Bias))
      problem.types.bias =
          getOperandElementType(load.getType().getElementType());
  });
  kernel.walk([&](PredicatedLoadOp load) {
    problem.types.c = getOperandElementType(load.getType().getElementType());
  });
}

static std::string describeTileKernel(KernelOp kernel, Problem &problem) {
  if (kernel.getLevel() != Level::Tile)
    return "expected a kernel at the tile level, got " +
           stringifyLevel(kernel.getLevel()).str();
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  SmallVector<ArgumentRole> required = {ArgumentRole::A, ArgumentRole::B,
                                        ArgumentRole::D};
  Operation *dot = nullptr;
  kernel.walk([&](ScaledDotOp op) {
    dot = op;
    problem.types.a = getOperandElementType(elementOf(op.getA()));
    problem.types.b = getOperandElementType(elementOf(op.getB()));
    problem.types.scaleType = getScaleElementType(elementOf(op.getScaleA()));
    problem.types.scaleVector = op.getScaleVectorSize();
    required.append({ArgumentRole::ScaleA, ArgumentRole::ScaleB});
  });
  kernel.walk([&](DotOp op) {
    dot = op;
    problem.types.a = getOperandElementType(elementOf(op.getA()));
    problem.types.b = getOperandElementType(elementOf(op.getB()));
  });
  if (!dot)
    return "expected a kernel with a bsmm.scaled_dot or bsmm.dot";
  Type out;
  kernel.walk([&](TmaStoreOp op) { out = elementOf(op.getTile()); });
  kernel.walk([&](PredicatedStoreOp op) {
    out = elementOf(op.getTile());
    problem.storesWithoutTma = true;
  });
  if (!out)
    return "expected a kernel that stores its result";
  problem.types.out = getOperandElementType(out);
  for (ArgumentRole role : required)
    if (!kernel.findArgument(role))
      return "expected a kernel argument with role '" +
             stringifyArgumentRole(role).str() + "'";
  problem.hasAlpha = bool(kernel.findArgument(ArgumentRole::Alpha));
  problem.hasBeta = bool(kernel.findArgument(ArgumentRole::Beta));
  problem.hasOutScale = bool(kernel.findArgument(ArgumentRole::OutScale));
  describeEpilogue(kernel, problem);
  return "";
}

static std::string describeMatmul(ScaledMatmulOp op, Problem &problem) {
  problem.isProblemLevel = true;
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  problem.types.a = getOperandElementType(elementOf(op.getA()));
  problem.types.b = getOperandElementType(elementOf(op.getB()));
  problem.types.out = getOperandElementType(elementOf(op.getInit()));
  if (op.isBlockScaled()) {
    problem.types.scaleType = getScaleElementType(elementOf(op.getScaleA()));
    problem.types.scaleVector = op.getScaleVectorSize();
    for (Value scales : {op.getScaleA(), op.getScaleB()})
      if (cast<ScalesAttr>(
              cast<RankedTensorType>(scales.getType()).getEncoding())
              .getOrder() != ScaleOrder::Blocked128x4)
        return "expected scales in order blocked_128x4 to run";
  }
  if (op.getRowScaleA() || op.getRowScaleB()) {
    auto isWhole = [](Value vector) {
      return vector &&
             cast<RankedTensorType>(vector.getType()).getDimSize(0) == 1;
    };
    if (!op.getRowScaleA() || !op.getRowScaleB() ||
        isWhole(op.getRowScaleA()) != isWhole(op.getRowScaleB()))
      return "expected row scales of both operands, both of one value or both "
             "of one for each row, to run";
    problem.types.rowScales = isWhole(op.getRowScaleA())
                                  ? runtime::RowScales::Tensor
                                  : runtime::RowScales::F32;
  }
  if (op.getBeta())
    problem.types.c = problem.types.out;
  if (op.getBias())
    problem.types.bias = getOperandElementType(elementOf(op.getBias()));
  auto extentOf = [](Value value, unsigned fromEnd) -> int64_t {
    if (!value)
      return 0;
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
  problem.hasBeta = bool(op.getBeta());
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
  if (problem.pitchC < 0)
    problem.pitchC = problem.n;
  for (auto [name, pitch, extent] :
       {std::tuple{"A", problem.pitchA, problem.k},
        std::tuple{"B", problem.pitchB, problem.k},
        std::tuple{"C", problem.pitchC, problem.n},
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
  if (problem.types.c != target::ElementType::None)
    bytes += double(problem.m) * problem.pitchC *
             target::bitWidth(problem.types.c) / 8;
  if (problem.types.scaleVector != 0) {
    double scales = double(problem.k) / problem.types.scaleVector + 4;
    bytes += scales * (double(problem.m) + problem.n + 256);
  }
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
  if (int64_t vec = problem.types.scaleVector) {
    int64_t groups = (problem.k + vec - 1) / vec;
    operands.sfa =
        runtime::randomScaleTiles(random, problem.types.scaleType, problem.m,
                                  groups, problem.l, scales, problem.poison);
    operands.sfb =
        runtime::randomScaleTiles(random, problem.types.scaleType, problem.n,
                                  groups, problem.l, scales, problem.poison);
  }
  // Vectors of f32: signs, and some octaves around one.
  auto vector = [&](int64_t count) {
    std::vector<float> values(count);
    for (float &value : values)
      value = std::ldexp(1 + float(random.next() % 1024) / 1024,
                         int(random.next() % 5) - 2) *
              (random.next() % 2 ? 1 : -1);
    std::vector<uint8_t> bytes(count * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  };
  if (problem.types.rowScales != runtime::RowScales::None) {
    bool isWhole = problem.types.rowScales == runtime::RowScales::Tensor;
    operands.sa = vector(isWhole ? 1 : problem.m);
    operands.sb = vector(isWhole ? 1 : problem.n);
  }
  if (problem.types.bias != target::ElementType::None)
    operands.bias = vector(problem.n);
  if (problem.types.c != target::ElementType::None) {
    runtime::CodeRange moderate;
    moderate.maxMagnitude = 1024;
    runtime::RowsShape shape;
    shape.type = problem.types.c;
    shape.rows = problem.m;
    shape.columns = problem.n;
    shape.pitch = problem.pitchC;
    shape.batches = problem.l;
    shape.batchStride = problem.m * problem.pitchC;
    operands.c = runtime::randomRows(random, shape, moderate, problem.poison);
  }
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
  if (vec == 0)
    return std::vector<double>(problem.l * rows, 1);
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
  if (problem.types.scaleVector != 0) {
    gemm.sfa.memory = bytes(operands.sfa);
    gemm.sfb.memory = bytes(operands.sfb);
    for (runtime::HostScales *scales : {&gemm.sfa, &gemm.sfb}) {
      scales->type = problem.types.scaleType;
      scales->vector = problem.types.scaleVector;
    }
  }
  auto floats = [](const std::vector<uint8_t> &data) {
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
    return values;
  };
  std::vector<float> sa = floats(operands.sa), sb = floats(operands.sb);
  if (!sa.empty()) {
    gemm.sa = sa.data();
    gemm.saCount = sa.size();
    gemm.sb = sb.data();
    gemm.sbCount = sb.size();
  }
  if (!operands.c.empty()) {
    gemm.beta = problem.beta;
    gemm.c = {bytes(operands.c), problem.types.c, problem.pitchC,
              problem.m * problem.pitchC};
  }
  if (!operands.bias.empty()) {
    gemm.bias = bytes(operands.bias);
    gemm.biasType = problem.types.bias;
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
  double common = std::fabs(double(problem.alpha) * double(problem.outScale));
  auto scaleOf = [](const std::vector<float> &scales, int64_t index) -> double {
    if (scales.empty())
      return 1;
    return std::fabs(scales[scales.size() == 1 ? 0 : index]);
  };
  double largestBias = 0;
  for (float value : floats(operands.bias))
    largestBias = std::fmax(largestBias, std::fabs(value));
  for (int64_t row = 0; row < problem.l * problem.m; ++row) {
    for (int64_t column = 0; column < problem.n; ++column) {
      int64_t index = row * problem.n + column;
      int64_t place = row * problem.pitchD + column;
      got[index] = decodeOutput(type, operands.d.data(), place);
      uint32_t bits = 0;
      std::memcpy(&bits, operands.d.data() + place * elementBytes,
                  elementBytes);
      double exact = result->exact[index];
      double factor =
          common * scaleOf(sa, row % problem.m) * scaleOf(sb, column);
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
      // Below the normal numbers of f32 each step may lose a subnormal. Coarse
      // sums cut each of the 32 products and the old sum to 13 bits below the
      // largest of them, and the new sum likewise.
      double loss = problem.hasCoarseSums
                        ? 34 * std::ldexp(result->sumOfMagnitudes[index], -13)
                        : std::ldexp(result->sumOfMagnitudes[index], -22);
      double slack = steps * (loss + std::ldexp(1.0, -149)) * factor;
      // Each step of the epilogue rounds to f32; sums may cancel.
      bool hasAddends = !operands.c.empty() || !operands.bias.empty();
      if (hasAddends || !sa.empty()) {
        double largest = result->sumOfMagnitudes[index] * factor;
        if (!operands.bias.empty())
          largest += largestBias;
        if (!operands.c.empty())
          largest += std::fabs(problem.beta) * 1024;
        slack += 6 * std::ldexp(largest, -24);
      }
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
          !problem.hasCoarseSums && !hasAddends &&
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
