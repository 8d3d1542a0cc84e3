//===- Problem.cpp - a matrix multiplication to run -----------------------===//

#include "bsmm/Runner/Problem.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/Epilogue.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Runtime/ErrorMetrics.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// Outputs that saturate.
static bool isNarrowOutput(target::ElementType type) {
  return type == target::ElementType::E4M3 || type == target::ElementType::E5M2;
}

/// Scales of f32, whose strides say their order: those of one dimension follow
/// each other.
static void describeSumScales(Value strideRow, int64_t block, bool isB,
                              Problem &problem) {
  runtime::ScaleLayout layout = matchPattern(strideRow, m_One())
                                    ? runtime::ScaleLayout::ColumnMajor
                                    : runtime::ScaleLayout::Linear;
  problem.types.scaleType = target::ElementType::F32;
  problem.types.scaleVector = blockScaleElements;
  if (!isB) {
    problem.types.scaleLayout = layout;
    return;
  }
  problem.types.scaleLayoutB = layout;
  problem.types.scaleRowsB = block;
}

/// A kernel at the tile or the pipeline level.
static std::string describeKernelOp(KernelOp kernel, Problem &problem) {
  auto elementOf = [](Value value) {
    if (auto buffer = dyn_cast<BufferType>(value.getType()))
      return buffer.getElementType();
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  SmallVector<ArgumentRole> required = {ArgumentRole::A, ArgumentRole::B,
                                        ArgumentRole::D};
  Operation *dot = nullptr;
  auto describeOperands = [&](auto op) {
    dot = op;
    problem.types.a = getOperandElementType(elementOf(op.getA()));
    problem.types.b = getOperandElementType(elementOf(op.getB()));
  };
  auto describeScales = [&](auto op, int64_t vectorSize) {
    describeOperands(op);
    problem.types.scaleType = getScaleElementType(elementOf(op.getScaleA()));
    problem.types.scaleVector = vectorSize;
    required.append({ArgumentRole::ScaleA, ArgumentRole::ScaleB});
  };
  kernel.walk(
      [&](ScaledDotOp op) { describeScales(op, op.getScaleVectorSize()); });
  kernel.walk([&](DotOp op) {
    describeOperands(op);
    problem.promoteEvery = op.getPromoteEvery().value_or(0);
    for (auto [number, scales] : llvm::enumerate(op.getScales()))
      if (auto load = scales.getDefiningOp<ScaleLoadOp>())
        describeSumScales(load.getStrideRow(), load.getBlock(), number == 1,
                          problem);
  });
  kernel.walk([&](ReadScalesOp op) {
    problem.promoteEvery = blockScaleElements;
    describeSumScales(op.getStride(), op.getBlock(), op.getDimension() == 1,
                      problem);
  });
  kernel.walk([&](ScaledMmaOp op) {
    describeScales(op, op.getA().getType().getShape()[1] /
                           op.getScaleA().getType().getShape()[1]);
  });
  kernel.walk([&](MmaOp op) { describeOperands(op); });
  // Block-scaled operands that were decoded for it.
  kernel.walk([&](DecodeOperandOp op) {
    BufferType source = op.getSource().getType();
    bool isA =
        llvm::any_of(op.getDestination().getUsers(), [&](Operation *user) {
          auto mma = dyn_cast<MmaOp>(user);
          return mma && mma.getA() == op.getDestination();
        });
    (isA ? problem.types.a : problem.types.b) =
        getOperandElementType(source.getElementType());
    problem.types.scaleType = getScaleElementType(elementOf(op.getScales()));
    problem.types.scaleVector =
        source.getShape()[1] / op.getScales().getType().getShape()[1];
  });
  if (!dot)
    return "expected a kernel with matrix operations: bsmm.scaled_dot or "
           "bsmm.dot at the tile level, bsmm.scaled_mma or bsmm.mma at the "
           "pipeline level";
  Epilogue epilogue = readEpilogue(kernel);
  if (!epilogue.out)
    return "expected a kernel that stores its result";
  problem.types.out = getOperandElementType(epilogue.out);
  problem.storesWithoutTma = epilogue.storesPredicated;
  for (ArgumentRole role : required)
    if (!kernel.findArgument(role))
      return "expected a kernel argument with role '" +
             stringifyArgumentRole(role).str() + "'";
  problem.isPipelineLevel = kernel.getLevel() == Level::Pipeline;
  problem.knowsEpilogue = epilogue.isKnown;
  problem.hasAlpha = epilogue.hasAlpha;
  problem.hasBeta = epilogue.hasBeta;
  problem.hasOutScale = epilogue.hasOutScale;
  if (epilogue.activation == Activation::Relu)
    problem.types.activation = runtime::Activation::Relu;
  if (epilogue.activation == Activation::Silu)
    problem.types.activation = runtime::Activation::Silu;
  if (epilogue.c)
    problem.types.c = getOperandElementType(epilogue.c);
  if (epilogue.bias)
    problem.types.bias = getOperandElementType(epilogue.bias);
  switch (epilogue.rowScales) {
  case RowScaleExtent::None:
    break;
  case RowScaleExtent::Tensor:
    problem.types.rowScales = runtime::RowScales::Tensor;
    break;
  case RowScaleExtent::Rows:
    problem.types.rowScales = runtime::RowScales::F32;
    break;
  }
  for (auto [type, role] : {std::pair{problem.types.c, "c"},
                            {problem.types.bias, "bias"},
                            {problem.types.out, "d"}})
    if (type != target::ElementType::None &&
        !(StringRef(role) == "d" && isNarrowOutput(type)) &&
        !llvm::is_contained({target::ElementType::F16,
                             target::ElementType::BF16,
                             target::ElementType::F32},
                            type))
      return std::string(role) + ": expected f16, bf16 or f32, got " +
             std::string(target::name(type));
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
    for (Value scales : {op.getScaleA(), op.getScaleB()}) {
      auto encoding = cast<ScalesAttr>(
          cast<RankedTensorType>(scales.getType()).getEncoding());
      bool isB = scales == op.getScaleB();
      if (op.scalesSums()) {
        auto layout = encoding.getOrder() == ScaleOrder::Linear
                          ? runtime::ScaleLayout::Linear
                          : runtime::ScaleLayout::ColumnMajor;
        problem.promoteEvery = blockScaleElements;
        if (isB) {
          problem.types.scaleLayoutB = layout;
          problem.types.scaleRowsB = encoding.getRows();
        } else {
          problem.types.scaleLayout = layout;
        }
      } else if (encoding.getOrder() != ScaleOrder::Blocked128x4) {
        return "expected scales in order blocked_128x4 to run";
      }
    }
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
  if (NumericsAttr numerics = op.getNumericsAttr())
    if (!op.scalesSums())
      problem.promoteEvery = numerics.getPromoteEvery();
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
  problem.n = firstOf({extentOf(op.getB(), 2),
                       op.scalesSums() ? 0 : extentOf(op.getScaleB(), 2),
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
  std::string names;
  for (auto &[known, op] : found)
    names += (names.empty() ? " (" : ", ") + known;
  if (!names.empty())
    names += ")";
  if (!name.empty()) {
    llvm::erase_if(found, [&](auto &entry) { return entry.first != name; });
    if (found.size() != 1)
      return "expected one kernel called '" + name + "', got " +
             std::to_string(found.size()) + "; the file has " +
             (names.empty() ? "none" : "these:" + names);
  }
  if (found.empty())
    return "expected a kernel, got none: neither a bsmm.kernel nor a function "
           "with a bsmm.scaled_matmul";
  if (found.size() != 1)
    return "expected one kernel, got " + std::to_string(found.size()) + names +
           "; choose one with --kernel";
  problem.kernel = found.front().first;
  if (auto kernel = dyn_cast<KernelOp>(found.front().second))
    return describeKernelOp(kernel, problem);
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

SumScales bsmm::runner::getSumScales(const Problem &problem, bool isB) {
  int64_t rows = isB ? llvm::divideCeil(uint64_t(problem.n),
                                        uint64_t(problem.types.scaleRowsB))
                     : problem.m;
  int64_t groups = llvm::divideCeil(uint64_t(problem.k),
                                    uint64_t(problem.types.scaleVector));
  if ((isB ? problem.types.getScaleLayoutB() : problem.types.scaleLayout) ==
      runtime::ScaleLayout::ColumnMajor)
    std::swap(rows, groups);
  return {rows, groups, alignedPitch(target::ElementType::F32, groups)};
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
      return std::string("expected a pitch of ") + name + " of " +
             (pitch < extent ? "at least " + std::to_string(extent)
                             : "at most 2^40") +
             " elements, got " + std::to_string(pitch);
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
  // Products of wide types overflow f16, and those of 16 bits f32: the default
  // keeps to magnitudes whose sums stay finite.
  auto rangeOf = [&](target::ElementType type) {
    runtime::CodeRange range;
    bool isWide = target::bitWidth(type) == 16;
    if (!problem.fullRange &&
        (isWide || (target::bitWidth(type) == 8 &&
                    problem.types.out == target::ElementType::F16))) {
      range.maxMagnitude = 8;
      range.minMagnitude = isWide ? 0x1p-8 : 0;
    }
    return range;
  };
  auto rows = [&](target::ElementType type, int64_t count, int64_t extent,
                  int64_t pitch) {
    runtime::RowsShape shape;
    shape.type = type;
    shape.rows = count;
    shape.columns = extent;
    shape.pitch = pitch;
    shape.batches = problem.l;
    shape.batchStride = count * pitch;
    return runtime::randomRows(random, shape, rangeOf(type), problem.poison);
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
  if (int64_t vec = problem.types.scaleVector;
      vec != 0 && problem.types.scaleType != target::ElementType::F32) {
    int64_t groups = (problem.k + vec - 1) / vec;
    operands.sfa =
        runtime::randomScaleTiles(random, problem.types.scaleType, problem.m,
                                  groups, problem.l, scales, problem.poison);
    operands.sfb =
        runtime::randomScaleTiles(random, problem.types.scaleType, problem.n,
                                  groups, problem.l, scales, problem.poison);
  }
  // Scales of f32: all bits of the fraction.
  if (problem.types.scaleType == target::ElementType::F32)
    for (bool isB : {false, true}) {
      SumScales shape = getSumScales(problem, isB);
      std::vector<uint8_t> &bytes = isB ? operands.sfb : operands.sfa;
      bytes.assign(problem.l * shape.rows * shape.pitch * sizeof(float),
                   problem.poison);
      for (int64_t row = 0; row < problem.l * shape.rows; ++row)
        for (int64_t column = 0; column < shape.columns; ++column) {
          float value =
              float(std::ldexp(1 + std::ldexp(double(random.next() >> 41), -23),
                               int(random.next() % 5) - 2) *
                    (random.next() % 2 ? 1 : -1));
          std::memcpy(bytes.data() +
                          (row * shape.pitch + column) * sizeof(float),
                      &value, sizeof(float));
        }
    }
  // Rows of numbers: signs, and some octaves around one.
  auto numbers = [&](target::ElementType type, int64_t count, int64_t columns,
                     int64_t pitch) {
    int64_t bytes = target::bitWidth(type) / 8;
    std::vector<uint8_t> codes(count * pitch * bytes, problem.poison);
    for (int64_t row = 0; row < count; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        double value = std::ldexp(1 + double(random.next() % 1024) / 1024,
                                  int(random.next() % 5) - 2) *
                       (random.next() % 2 ? 1 : -1);
        uint64_t code =
            runtime::encode(type, value, runtime::Overflow::Infinity);
        std::memcpy(codes.data() + (row * pitch + column) * bytes, &code,
                    bytes);
      }
    return codes;
  };
  auto vector = [&](int64_t count,
                    target::ElementType type = target::ElementType::F32) {
    return numbers(type, 1, count, count);
  };
  if (problem.types.rowScales != runtime::RowScales::None) {
    bool isWhole = problem.types.rowScales == runtime::RowScales::Tensor;
    operands.sa = vector(isWhole ? 1 : problem.m);
    operands.sb = vector(isWhole ? 1 : problem.n);
  }
  if (problem.types.bias != target::ElementType::None)
    operands.bias = vector(problem.n, problem.types.bias);
  // Without beta there need be no C.
  if (problem.types.c != target::ElementType::None && problem.beta != 0) {
    // All codes of 16 bits; f32 has too many.
    runtime::CodeRange moderate;
    moderate.maxMagnitude = 1024;
    runtime::RowsShape shape;
    shape.type = problem.types.c;
    shape.rows = problem.m;
    shape.columns = problem.n;
    shape.pitch = problem.pitchC;
    shape.batches = problem.l;
    shape.batchStride = problem.m * problem.pitchC;
    operands.c =
        problem.types.c == target::ElementType::F32
            ? numbers(problem.types.c, problem.l * problem.m, problem.n,
                      problem.pitchC)
            : runtime::randomRows(random, shape, moderate, problem.poison);
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
  if (vec == 0 || problem.types.scaleType == target::ElementType::F32)
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
      if (problem.types.scaleType != target::ElementType::F32)
        continue;
      bool isB = scales == &gemm.sfb;
      SumScales shape = getSumScales(problem, isB);
      scales->layout =
          isB ? problem.types.getScaleLayoutB() : problem.types.scaleLayout;
      scales->rows = isB ? problem.types.scaleRowsB : 1;
      scales->pitch = shape.pitch;
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
  if (isNarrowOutput(problem.types.out))
    gemm.overflow = runtime::Overflow::Saturate;
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
  // Sums of so many elements are added in f32; their number is bounded by
  // `steps`.
  double coarseSteps = steps;
  if (problem.promoteEvery != 0)
    coarseSteps = std::fmin(steps, double(problem.promoteEvery / 32) + 1);
  double common = std::fabs(double(problem.alpha) * double(problem.outScale));
  auto scaleOf = [](const std::vector<float> &scales, int64_t index) -> double {
    if (scales.empty())
      return 1;
    return std::fabs(scales[scales.size() == 1 ? 0 : index]);
  };
  auto largestOf = [](const std::vector<uint8_t> &codes,
                      target::ElementType codeType) {
    double largest = 0;
    int64_t bytes = target::bitWidth(codeType) / 8;
    for (size_t at = 0; bytes != 0 && at + bytes <= codes.size(); at += bytes) {
      double value = decodeOutput(codeType, codes.data() + at, 0);
      if (std::isfinite(value))
        largest = std::fmax(largest, std::fabs(value));
    }
    return largest;
  };
  // What is added to a sum, at most; padding of C that is finite counts, too.
  double largestAddend = largestOf(operands.bias, problem.types.bias);
  if (!operands.c.empty())
    largestAddend += std::fabs(double(problem.beta)) *
                     largestOf(operands.c, problem.types.c);
  largestAddend *= std::fabs(double(problem.outScale));
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
      double magnitude = result->sumOfMagnitudes[index];
      double loss = steps * std::ldexp(magnitude, -22);
      if (problem.hasCoarseSums)
        loss += coarseSteps * 34 * std::ldexp(magnitude, -13);
      double slack = (loss + steps * std::ldexp(1.0, -149)) * factor;
      // Each step of the epilogue rounds to f32; sums may cancel.
      bool hasAddends = !operands.c.empty() || !operands.bias.empty();
      if (hasAddends || !sa.empty()) {
        double largest =
            result->sumOfMagnitudes[index] * factor + largestAddend;
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
      // The slope of silu is at most 1.1; its steps round to f32, the
      // exponential within one unit in the last place.
      bool hasSilu = problem.types.activation == runtime::Activation::Silu;
      if (hasSilu)
        slack = 1.1 * slack + std::ldexp(std::fabs(exact), -20) +
                std::ldexp(std::fabs(double(problem.outScale)), -148);
      double bound = slack + 1.001 * halfUlp(type, std::fabs(exact) + slack);
      if (problem.types.out == target::ElementType::F32)
        bound = slack + 4 * halfUlp(type, std::fabs(exact) + slack);
      // An infinite output stands for every sum beyond the largest one, and so
      // does the largest value of 8 bits.
      double value = got[index];
      if (std::isinf(value))
        value = std::copysign(target::info(type).maxFinite, value);
      bool isLargest = std::isinf(got[index]) ||
                       (isNarrowOutput(type) &&
                        std::fabs(value) == target::info(type).maxFinite);
      bool isWithin =
          isLargest ? (value > 0 ? exact : -exact) + bound >= std::fabs(value)
                    : std::fabs(value - exact) <= bound;
      double error = std::fabs(value - exact);
      if (std::isfinite(error) && bound > 0) {
        comparison.largestError = std::max(comparison.largestError, error);
        comparison.largestFraction =
            std::max(comparison.largestFraction, error / bound);
      }
      // What alignment may cut is lost although every sum fits f32.
      if (isWithin && result->exactInFloat32[index] && factor == 1 &&
          problem.types.scaleType != target::ElementType::F32 &&
          !problem.hasCoarseSums && !hasAddends && !hasSilu &&
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
  // An output that overflows is infinite, or the largest value of 8 bits, on
  // both sides: no error.
  for (int64_t index = 0; index < count; ++index)
    if ((std::isinf(got[index]) ||
         (isNarrowOutput(type) &&
          std::fabs(got[index]) == target::info(type).maxFinite)) &&
        got[index] == runtime::decode(type, result->out[index]))
      got[index] = result->exact[index];
  runtime::ErrorMetrics metrics =
      runtime::compareValues(got.data(), result->exact.data(), count);
  comparison.metrics = describeMetrics(metrics);
  return "";
}
