//===- HostGemm.cpp - float64 reference of the scaled product -------------===//

#include "bsmm/Runtime/HostGemm.h"
#include "bsmm/Runtime/NumberFormats.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

static std::string number(int64_t value) { return std::to_string(value); }

namespace {
/// Strides of packed rows with the defaults filled in, checked against memory.
struct Rows {
  int64_t pitch = 0, batchStride = 0; // elements
};

constexpr int64_t maxExtent = INT32_MAX;

std::string checkRows(const char *name, const HostMatrix &matrix, int64_t rows,
                      int64_t columns, int64_t batches, Rows &strides) {
  int64_t bits = target::bitWidth(matrix.type);
  std::string prefix = std::string(name) + ": ";
  if (!matrix.memory.data && rows > 0 && columns > 0)
    return prefix + "expected memory, got none";
  if (bits == 0 || !target::info(matrix.type).isFloat)
    return prefix + "expected a floating-point type, got " +
           std::string(target::name(matrix.type));
  int64_t unit = bits >= 8 ? 1 : bits == 4 ? 2 : 4;
  strides.pitch =
      matrix.pitch >= 0 ? matrix.pitch : (columns + unit - 1) / unit * unit;
  if (strides.pitch < columns || strides.pitch > (int64_t(1) << 40))
    return prefix + "expected a pitch of " + number(columns) +
           " to 2^40 elements, got " + number(strides.pitch);
  if (strides.pitch % unit != 0)
    return prefix + "expected a pitch of whole bytes, got " +
           number(strides.pitch) + " elements of " + number(bits) + " bits";
  int64_t used, batchReach, elements, allBits;
  if (__builtin_mul_overflow(std::max<int64_t>(rows - 1, 0), strides.pitch,
                             &used) ||
      __builtin_add_overflow(used, columns, &used) ||
      __builtin_mul_overflow(rows, strides.pitch, &batchReach))
    return prefix + "expected less than 2^63 elements";
  strides.batchStride =
      matrix.batchStride >= 0 ? matrix.batchStride : batchReach;
  if (strides.batchStride % unit != 0)
    return prefix + "expected a batch stride of whole bytes, got " +
           number(strides.batchStride) + " elements of " + number(bits) +
           " bits";
  if (rows == 0 || columns == 0 || batches == 0)
    return "";
  if (__builtin_mul_overflow(batches - 1, strides.batchStride, &elements) ||
      __builtin_add_overflow(elements, used, &elements) ||
      __builtin_mul_overflow(elements, bits, &allBits) ||
      allBits > INT64_MAX - 7)
    return prefix + "expected less than 2^63 bits";
  uint64_t bytes = static_cast<uint64_t>((allBits + 7) / 8);
  if (bytes > matrix.memory.bytes)
    return prefix + "expected at least " + std::to_string(bytes) +
           " bytes, got " + std::to_string(matrix.memory.bytes);
  return "";
}

struct Scales {
  int64_t groups = 0;
  int64_t pitch = 0, batchStride = 0; // elements
};

std::string checkScales(const char *name, const HostScales &scales,
                        int64_t rows, int64_t k, int64_t batches,
                        Scales &strides) {
  std::string prefix = std::string(name) + ": ";
  if (scales.type == ElementType::None) {
    if (scales.memory.data)
      return prefix + "expected a scale type";
    return "";
  }
  bool isWide = scales.type == ElementType::F32;
  if (scales.type != ElementType::UE8M0 && scales.type != ElementType::UE4M3 &&
      !(isWide && scales.layout != ScaleLayout::Blocked128x4))
    return prefix + "expected ue8m0 or ue4m3, or f32 in rows, got " +
           std::string(target::name(scales.type));
  if (scales.vector < 1 || scales.rows < 1)
    return prefix + "expected a vector size of 1 or more, got " +
           number(scales.vector);
  rows = (rows + scales.rows - 1) / scales.rows;
  strides.groups = (k + scales.vector - 1) / scales.vector;
  if (!scales.memory.data && rows > 0 && k > 0)
    return prefix + "expected memory, got none";
  int64_t used = 0;
  if (scales.layout != ScaleLayout::Blocked128x4) {
    bool isColumnMajor = scales.layout == ScaleLayout::ColumnMajor;
    int64_t lines = isColumnMajor ? strides.groups : rows;
    int64_t width = isColumnMajor ? rows : strides.groups;
    strides.pitch = scales.pitch >= 0 ? scales.pitch : width;
    if (strides.pitch < width || strides.pitch > (int64_t(1) << 40))
      return prefix + "expected a pitch of " + number(width) +
             " to 2^40 elements, got " + number(strides.pitch);
    if (__builtin_mul_overflow(std::max<int64_t>(lines - 1, 0), strides.pitch,
                               &used) ||
        __builtin_add_overflow(used, width, &used))
      return prefix + "expected less than 2^63 bytes";
    strides.batchStride =
        scales.batchStride >= 0 ? scales.batchStride : lines * strides.pitch;
  } else {
    if (scales.pitch >= 0)
      return prefix + "expected no pitch for blocked_128x4 scales, got " +
             number(scales.pitch);
    used = scaleTileBytes(rows, strides.groups);
    strides.batchStride = scales.batchStride >= 0 ? scales.batchStride : used;
  }
  if (rows == 0 || k == 0 || batches == 0)
    return "";
  int64_t bytes;
  if (__builtin_mul_overflow(batches - 1, strides.batchStride, &bytes) ||
      __builtin_add_overflow(bytes, used, &bytes) ||
      __builtin_mul_overflow(bytes, isWide ? 4 : 1, &bytes))
    return prefix + "expected less than 2^63 bytes";
  if (static_cast<uint64_t>(bytes) > scales.memory.bytes)
    return prefix + "expected at least " + number(bytes) + " bytes, got " +
           std::to_string(scales.memory.bytes);
  return "";
}

/// Calls body(begin, end) for parts of [0, count) on several threads.
template <typename Body>
void parallelFor(int64_t count, unsigned threads, const Body &body) {
  int64_t parts = std::max<int64_t>(
      1, std::min<int64_t>(std::min<unsigned>(threads, 64), count));
  std::vector<std::thread> others;
  auto run = [&](int64_t part) {
    body(count * part / parts, count * (part + 1) / parts);
  };
  for (int64_t part = 1; part < parts; ++part) {
    try {
      others.emplace_back(run, part);
    } catch (const std::system_error &) {
      run(part); // no thread to be had
    }
  }
  run(0);
  for (std::thread &thread : others)
    thread.join();
}

/// One operand with its block scales multiplied in: rows x K values.
void decodeOperand(const HostMatrix &matrix, const Rows &strides,
                   const HostScales &scales, const Scales &scaleStrides,
                   int64_t batch, int64_t rows, int64_t k, unsigned threads,
                   std::vector<double> &values) {
  unsigned bits = target::bitWidth(matrix.type);
  std::vector<double> table = decodeTable(matrix.type);
  std::vector<double> scaleTable = decodeTable(scales.type);
  unsigned scaleBits = target::bitWidth(scales.type);
  values.resize(static_cast<size_t>(rows * k));
  parallelFor(rows, threads, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const uint8_t *codes =
          matrix.memory.data +
          (batch * strides.batchStride + row * strides.pitch) / 8 * bits +
          (batch * strides.batchStride + row * strides.pitch) % 8 * bits / 8;
      double *out = values.data() + row * k;
      for (int64_t i = 0; i < k; ++i) {
        uint64_t code = loadCode(codes, i, bits);
        out[i] = table.empty() ? decode(matrix.type, code) : table[code];
      }
      if (scales.type == ElementType::None)
        continue;
      for (int64_t group = 0; group < scaleStrides.groups; ++group) {
        int64_t scaleRow = row / scales.rows;
        int64_t offset = batch * scaleStrides.batchStride;
        if (scales.layout == ScaleLayout::Linear)
          offset += scaleRow * scaleStrides.pitch + group;
        else if (scales.layout == ScaleLayout::ColumnMajor)
          offset += group * scaleStrides.pitch + scaleRow;
        else
          offset += scaleTileOffset(row, group, scaleStrides.groups);
        uint64_t code = loadCode(scales.memory.data, offset, scaleBits);
        double scale =
            scaleTable.empty() ? decode(scales.type, code) : scaleTable[code];
        int64_t last = std::min(k, (group + 1) * scales.vector);
        for (int64_t i = group * scales.vector; i < last; ++i)
          out[i] *= scale;
      }
    }
  });
}

/// Exponent of the lowest set bit of all finite non-zero values of a row;
/// INT_MAX when there is none.
int lowestBit(const double *values, int64_t count) {
  int lowest = std::numeric_limits<int>::max();
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] == 0 || !std::isfinite(values[i]))
      continue;
    int exponent;
    double fraction = std::frexp(std::fabs(values[i]), &exponent);
    uint64_t bits = static_cast<uint64_t>(std::ldexp(fraction, 53));
    lowest = std::min(lowest, exponent - 53 + __builtin_ctzll(bits));
  }
  return lowest;
}

double activate(Activation activation, double x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return x > 0 || std::isnan(x) ? x : 0;
  case Activation::Silu:
    return x / (1 + std::exp(-x));
  case Activation::GeluErf:
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  case Activation::GeluTanh: {
    double inner =
        std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
    return x / 2 * (1 + std::tanh(inner));
  }
  }
  return x;
}
} // namespace

static Result<HostGemmResult> compute(const HostGemm &gemm,
                                      const HostGemmOptions &options) {
  const int64_t m = gemm.m, n = gemm.n, k = gemm.k, l = gemm.l;
  for (int64_t size : {m, n, k, l})
    if (size < 0 || size > maxExtent)
      return Error{"expected sizes of 0 to 2147483647, got " + number(size)};
  int64_t outputs, workA, workB;
  if (__builtin_mul_overflow(m, n, &outputs) ||
      __builtin_mul_overflow(outputs, l, &outputs) ||
      __builtin_mul_overflow(m, k, &workA) ||
      __builtin_mul_overflow(n, k, &workB) ||
      std::max({outputs, workA, workB}) > (int64_t(1) << 36))
    return Error{"expected at most 2^36 values in an operand"};
  Rows aStrides, bStrides, cStrides;
  Scales sfaStrides, sfbStrides;
  std::string error = checkRows("A", gemm.a, m, k, l, aStrides);
  if (error.empty())
    error = checkRows("B", gemm.b, n, k, l, bStrides);
  if (error.empty())
    error = checkScales("SFA", gemm.sfa, m, k, l, sfaStrides);
  if (error.empty())
    error = checkScales("SFB", gemm.sfb, n, k, l, sfbStrides);
  if (error.empty() && gemm.beta != 0)
    error = checkRows("C", gemm.c, m, n, l, cStrides);
  if (error.empty() && gemm.sa && gemm.saCount != 1 && gemm.saCount < m)
    error = "sa: expected 1 or " + number(m) + " values, got " +
            number(gemm.saCount);
  if (error.empty() && gemm.sb && gemm.sbCount != 1 && gemm.sbCount < n)
    error = "sb: expected 1 or " + number(n) + " values, got " +
            number(gemm.sbCount);
  Rows biasStrides;
  if (error.empty() && gemm.bias.data) {
    HostMatrix bias;
    bias.memory = gemm.bias;
    bias.type = gemm.biasType;
    error = checkRows("bias", bias, 1, n, 1, biasStrides);
  }
  unsigned outBits = target::bitWidth(gemm.outType);
  if (error.empty() && outBits == 0)
    error = "out: expected an element type";
  if (!error.empty())
    return Error{error};

  HostGemmResult result;
  size_t count = static_cast<size_t>(outputs);
  result.acc.assign(count, 0);
  result.exact.assign(count, 0);
  result.out.assign(count, 0);
  if (options.magnitudes) {
    result.sumOfMagnitudes.assign(count, 0);
    result.largestTerm.assign(count, 0);
    result.exactInFloat32.assign(count, 0);
  }

  std::vector<double> a, b;
  for (int64_t batch = 0; batch < l; ++batch) {
    if (k > 0) {
      decodeOperand(gemm.a, aStrides, gemm.sfa, sfaStrides, batch, m, k,
                    gemm.threads, a);
      decodeOperand(gemm.b, bStrides, gemm.sfb, sfbStrides, batch, n, k,
                    gemm.threads, b);
    }
    std::vector<int> lowA, lowB;
    if (options.magnitudes) {
      for (int64_t row = 0; row < m; ++row)
        lowA.push_back(lowestBit(a.data() + row * k, k));
      for (int64_t row = 0; row < n; ++row)
        lowB.push_back(lowestBit(b.data() + row * k, k));
    }
    // Panels of B, transposed, so that the inner loop runs over columns and
    // each sum keeps the ascending order of k.
    constexpr int64_t width = 32;
    int64_t panels = (n + width - 1) / width;
    parallelFor(panels, gemm.threads, [&](int64_t begin, int64_t end) {
      std::vector<double> panel(static_cast<size_t>(k * width));
      for (int64_t index = begin; index < end; ++index) {
        int64_t n0 = index * width;
        int64_t columns = std::min(width, n - n0);
        std::fill(panel.begin(), panel.end(), 0);
        for (int64_t column = 0; column < columns; ++column)
          for (int64_t i = 0; i < k; ++i)
            panel[i * width + column] = b[(n0 + column) * k + i];
        for (int64_t row = 0; row < m; ++row) {
          double sums[width] = {};
          const double *left = a.data() + row * k;
          for (int64_t i = 0; i < k; ++i)
            for (int64_t column = 0; column < width; ++column)
              sums[column] += left[i] * panel[i * width + column];
          size_t at = static_cast<size_t>((batch * m + row) * n + n0);
          for (int64_t column = 0; column < columns; ++column)
            result.acc[at + column] = sums[column];
          if (!options.magnitudes)
            continue;
          for (int64_t column = 0; column < columns; ++column) {
            double sum = 0, largest = 0;
            for (int64_t i = 0; i < k; ++i) {
              double term = std::fabs(left[i] * panel[i * width + column]);
              sum += term;
              if (!(term <= largest)) // keeps a NaN
                largest = term;
            }
            result.sumOfMagnitudes[at + column] = sum;
            result.largestTerm[at + column] = largest;
            // Every term is a multiple of 2^unit: all partial sums fit into 24
            // bits when the sum of magnitudes does, and are no f32 subnormals
            // that lose bits when 2^unit is one.
            int64_t low = int64_t(lowA[row]) + lowB[n0 + column];
            bool exact = sum == 0;
            if (!exact && std::isfinite(sum) && low >= -149 && low < 128)
              exact = sum <= std::ldexp(1.0, static_cast<int>(low) + 24) &&
                      sum <= 0x1.fffffep127;
            result.exactInFloat32[at + column] = exact;
          }
        }
      }
    });

    parallelFor(m, gemm.threads, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t column = 0; column < n; ++column) {
          size_t at = static_cast<size_t>((batch * m + row) * n + column);
          double c = 0, bias = 0;
          if (gemm.beta != 0) {
            int64_t first = batch * cStrides.batchStride + row * cStrides.pitch;
            unsigned bits = target::bitWidth(gemm.c.type);
            c = decode(gemm.c.type,
                       loadCode(gemm.c.memory.data, first + column, bits));
          }
          if (gemm.bias.data)
            bias = decode(gemm.biasType,
                          loadCode(gemm.bias.data, column,
                                   target::bitWidth(gemm.biasType)));
          // The same steps in float64 and, rounded after each, in float32.
          auto epilogue = [&](auto value) {
            using Float = decltype(value);
            if (gemm.sa)
              value = value * Float(gemm.sa[gemm.saCount == 1 ? 0 : row]);
            if (gemm.sb)
              value = value * Float(gemm.sb[gemm.sbCount == 1 ? 0 : column]);
            value = Float(gemm.alpha) * value;
            if (gemm.beta != 0) {
              Float scaled = Float(gemm.beta) * Float(c);
              value = value + scaled;
            }
            if (gemm.bias.data)
              value = value + Float(bias);
            value = Float(activate(gemm.activation, value));
            return Float(value * Float(gemm.outScale));
          };
          double exact = epilogue(result.acc[at]);
          result.exact[at] = exact;
          if (options.epilogue == HostGemmOptions::Epilogue::Float32) {
            // Rounded here, since a cast follows the thread's rounding mode.
            float acc = static_cast<float>(decode(
                ElementType::F32,
                encode(ElementType::F32, result.acc[at], Overflow::Infinity)));
            exact = epilogue(acc);
          }
          result.out[at] = encode(gemm.outType, exact, gemm.overflow);
        }
    });
  }
  return result;
}

Result<HostGemmResult>
runtime::computeHostGemm(const HostGemm &gemm, const HostGemmOptions &options) {
  try {
    return compute(gemm, options);
  } catch (const std::bad_alloc &) {
    return Error{"expected a problem that fits the memory of the host"};
  } catch (const std::length_error &) {
    return Error{"expected a problem that fits the memory of the host"};
  }
}

std::string runtime::storeHostOutput(const HostGemm &gemm,
                                     const HostGemmResult &result,
                                     int64_t pitch, int64_t batchStride,
                                     uint8_t *data, size_t bytes) {
  HostMatrix out;
  out.memory = {data, bytes};
  out.type = gemm.outType;
  out.pitch = pitch;
  out.batchStride = batchStride;
  Rows strides;
  std::string error = checkRows("out", out, gemm.m, gemm.n, gemm.l, strides);
  if (!error.empty())
    return error;
  if (static_cast<uint64_t>(gemm.m) * gemm.n * gemm.l != result.out.size())
    return "out: expected a result of this problem";
  unsigned bits = target::bitWidth(gemm.outType);
  size_t at = 0;
  for (int64_t batch = 0; batch < gemm.l; ++batch)
    for (int64_t row = 0; row < gemm.m; ++row) {
      int64_t first = batch * strides.batchStride + row * strides.pitch;
      for (int64_t column = 0; column < gemm.n; ++column)
        storeCode(data, first + column, bits, result.out[at++]);
    }
  return "";
}
