//===- HostGemm.h - float64 reference of the scaled product -----*- C++ -*-===//
//
//   out = cast(act(alpha * (acc * sa_m * sb_n) + beta * C + bias_n)
//              * out_scale),  acc = sum over k of A * SFA * B * SFB
//
// from packed operand bytes, decoded once by NumberFormats.h. The sum over k
// runs in ascending order in float64, so results do not depend on the number of
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_HOSTGEMM_H
#define BSMM_RUNTIME_HOSTGEMM_H

#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Runtime/Result.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bsmm::runtime {

/// Memory of the host. Null: the operand is absent.
struct HostBytes {
  const uint8_t *data = nullptr;
  size_t bytes = 0;
};

/// Rows of packed values. Strides in elements; -1: rows without gaps (rounded
/// up to whole bytes), batches without gaps.
struct HostMatrix {
  HostBytes memory;
  target::ElementType type = target::ElementType::None;
  int64_t pitch = -1;
  int64_t batchStride = -1;
};

/// Block scales: ue8m0 or ue4m3, or f32 that are linear or column-major.
/// Strides in elements; -1: without gaps.
struct HostScales {
  HostBytes memory;
  target::ElementType type = target::ElementType::None;
  int64_t vector = 0; // values of K a scale
  int64_t rows = 1;   // rows of the operand a scale
  ScaleLayout layout = ScaleLayout::Blocked128x4;
  int64_t pitch = -1; // not of blocked_128x4
  int64_t batchStride = -1;
};

struct HostGemm {
  int64_t m = 0, n = 0, k = 0, l = 1;
  HostMatrix a, b;     // [L, M, K] and [L, N, K]
  HostScales sfa, sfb; // absent: all 1
  // Scales of rows: `count` is 1 or M (N), the same for all batches.
  const float *sa = nullptr;
  int64_t saCount = 0;
  const float *sb = nullptr;
  int64_t sbCount = 0;
  float alpha = 1;
  float beta = 0; // 0: C is not read
  HostMatrix c;   // [L, M, N]
  HostBytes bias; // N values of biasType
  target::ElementType biasType = target::ElementType::None;
  Activation activation = Activation::None;
  float outScale = 1;
  target::ElementType outType = target::ElementType::F32;
  Overflow overflow = Overflow::Infinity;
  unsigned threads = 2;
};

struct HostGemmOptions {
  // How the bits of `out` are made. RoundedOnce: everything in float64, one
  // rounding to the output type. Float32: acc is rounded to f32, then each step
  // of the epilogue is (activations in float64, rounded to f32).
  enum class Epilogue { RoundedOnce, Float32 };
  Epilogue epilogue = Epilogue::RoundedOnce;
  // Also fill `sumOfMagnitudes`, `largestTerm` and `exactInFloat32`.
  bool magnitudes = false;
};

/// All arrays are dense [L, M, N].
struct HostGemmResult {
  std::vector<double> acc;   // the sum alone
  std::vector<double> exact; // after the epilogue, in float64, before the cast
  std::vector<uint64_t> out; // codes of the output type
  std::vector<double> sumOfMagnitudes; // sum of |A SFA B SFB|
  std::vector<double> largestTerm;     // largest |A SFA B SFB|
  // 1 where every partial sum, in any order, is exact in f32.
  std::vector<uint8_t> exactInFloat32;
};

/// Computes the reference; errors name the operand whose memory is too small or
/// whose type or stride is illegal.
Result<HostGemmResult> computeHostGemm(const HostGemm &gemm,
                                       const HostGemmOptions &options = {});

/// Writes the codes into a packed output with a pitch; bytes outside the rows
/// keep their values. Empty on success.
std::string storeHostOutput(const HostGemm &gemm, const HostGemmResult &result,
                            int64_t pitch, int64_t batchStride, uint8_t *data,
                            size_t bytes);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_HOSTGEMM_H
