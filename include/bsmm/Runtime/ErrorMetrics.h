//===- ErrorMetrics.h - how far two results are apart -----------*- C++ -*-===//

#ifndef BSMM_RUNTIME_ERRORMETRICS_H
#define BSMM_RUNTIME_ERRORMETRICS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace bsmm::runtime {

/// Differences of `got` to `expected`. Two NaNs agree, whatever their bits; a
/// NaN on one side only is a mismatch and takes no part in the numeric fields.
/// Equal infinities agree; an infinity against anything else makes the error
/// infinite.
struct ErrorMetrics {
  size_t count = 0;
  size_t mismatches = 0;    // values that differ; 0 and -0 do not
  size_t nanMismatches = 0; // NaN on one side only, part of `mismatches`
  size_t outOfBound = 0;    // with a bound: values outside, NaNs included
  double absMax = 0;
  double meanAbs = 0;
  double meanSquared = 0;
  double cosineSimilarity = 1; // 1 when both are zero, 0 when one is
  size_t worst = 0;            // index of absMax
  size_t first = 0;            // index of the first mismatch

  std::string toString() const;
};

/// Compares values. `bound`, when given, holds the allowed |got - expected| of
/// each value.
ErrorMetrics compareValues(const double *got, const double *expected,
                           size_t count, const double *bound = nullptr);

/// Bytes that differ.
struct BitMismatches {
  size_t bytes = 0;
  size_t bits = 0;
  size_t first = 0; // byte
};
BitMismatches compareBits(const void *got, const void *expected, size_t bytes);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_ERRORMETRICS_H
