//===- ErrorMetrics.cpp - how far two results are apart -------------------===//

#include "bsmm/Runtime/ErrorMetrics.h"
#include <cmath>
#include <cstdio>

using namespace bsmm::runtime;

ErrorMetrics bsmm::runtime::compareValues(const double *got,
                                          const double *expected, size_t count,
                                          const double *bound) {
  ErrorMetrics metrics;
  metrics.count = count;
  size_t numeric = 0;
  double sumAbs = 0, sumSquares = 0, dot = 0, gotSquares = 0,
         expectedSquares = 0;
  for (size_t i = 0; i < count; ++i) {
    double a = got[i], b = expected[i];
    bool differs = !(a == b);
    if (std::isnan(a) || std::isnan(b)) {
      differs = std::isnan(a) != std::isnan(b);
      metrics.nanMismatches += differs;
      metrics.outOfBound += differs;
    } else {
      // inf - inf is NaN: equal values have no error.
      double error = differs ? std::fabs(a - b) : 0;
      ++numeric;
      sumAbs += error;
      sumSquares += error * error;
      if (error > metrics.absMax) {
        metrics.absMax = error;
        metrics.worst = i;
      }
      if (bound)
        metrics.outOfBound += !(error <= bound[i]);
      if (std::isfinite(a) && std::isfinite(b)) {
        dot += a * b;
        gotSquares += a * a;
        expectedSquares += b * b;
      }
    }
    if (differs && metrics.mismatches++ == 0)
      metrics.first = i;
  }
  if (numeric) {
    metrics.meanAbs = sumAbs / static_cast<double>(numeric);
    metrics.meanSquared = sumSquares / static_cast<double>(numeric);
  }
  if (gotSquares > 0 && expectedSquares > 0)
    metrics.cosineSimilarity =
        dot / (std::sqrt(gotSquares) * std::sqrt(expectedSquares));
  else
    metrics.cosineSimilarity = gotSquares == expectedSquares ? 1 : 0;
  return metrics;
}

std::string ErrorMetrics::toString() const {
  char text[320];
  std::snprintf(text, sizeof(text),
                "%zu of %zu values differ (first %zu, NaN on one side %zu); "
                "error: largest %.6g at %zu, mean %.6g, mean square %.6g; "
                "cosine similarity %.9f",
                mismatches, count, first, nanMismatches, absMax, worst, meanAbs,
                meanSquared, cosineSimilarity);
  return text;
}

BitMismatches bsmm::runtime::compareBits(const void *got, const void *expected,
                                         size_t bytes) {
  const uint8_t *a = static_cast<const uint8_t *>(got);
  const uint8_t *b = static_cast<const uint8_t *>(expected);
  BitMismatches result;
  for (size_t i = 0; i < bytes; ++i) {
    unsigned difference = a[i] ^ b[i];
    if (!difference)
      continue;
    if (result.bytes++ == 0)
      result.first = i;
    for (; difference; difference &= difference - 1)
      ++result.bits;
  }
  return result;
}
