//===- Random.h - seeded codes over the full range --------------*- C++ -*-===//
//
// Test data that hides nothing: every code of a type may occur, rows differ,
// and what lies outside the tensor is poison. The streams are fixed by this
// file, not by the standard library, so that a seed means the same everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_RANDOM_H
#define BSMM_RUNTIME_RANDOM_H

#include "bsmm/Runtime/NumberFormats.h"
#include <cstdint>
#include <vector>

namespace bsmm::runtime {

/// xoshiro256** of Blackman and Vigna, seeded by splitmix64 (both are in the
/// public domain, prng.di.unimi.it).
class Random {
public:
  explicit Random(uint64_t seed) {
    for (uint64_t &word : state) {
      seed += 0x9E3779B97F4A7C15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }

  uint64_t next() {
    uint64_t result = rotate(state[1] * 5, 7) * 9;
    uint64_t t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate(state[3], 45);
    return result;
  }

  /// Uniform in [0, bound), without bias; 0 for bound 0.
  uint64_t below(uint64_t bound) {
    if (bound < 2)
      return 0;
    uint64_t reject = (0 - bound) % bound;
    uint64_t value;
    do
      value = next();
    while (value < reject);
    return value % bound;
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  static uint64_t rotate(uint64_t value, unsigned count) {
    return (value << count) | (value >> (64 - count));
  }
  uint64_t state[4];
};

/// Which codes may occur.
struct CodeRange {
  bool nan = false;
  bool infinity = false;
  // Bounds of |value|; codes outside do not occur. A zero stays allowed unless
  // `zero` is false.
  double minMagnitude = 0;
  double maxMagnitude = 0x1p1023;
  bool zero = true;
};

/// All codes of a type of at most 16 bits inside the range.
std::vector<uint32_t> codesIn(target::ElementType type, const CodeRange &range);

/// Shape of packed rows. Pitch and batch stride in elements, whole bytes.
struct RowsShape {
  target::ElementType type = target::ElementType::U8;
  int64_t rows = 0, columns = 0, pitch = 0;
  int64_t batches = 1, batchStride = 0;
};

/// Bytes of the shape, the padding of the last row included.
int64_t bytesOf(const RowsShape &shape);

/// Random codes in the rows, `poison` everywhere else. Empty when the shape is
/// illegal or no code is in the range.
std::vector<uint8_t> randomRows(Random &random, const RowsShape &shape,
                                const CodeRange &range = {},
                                uint8_t poison = 0xFF);

/// Random blocked_128x4 scales of `batches` batches; the padding rows and
/// groups of the last tiles hold `poison`.
std::vector<uint8_t> randomScaleTiles(Random &random, target::ElementType type,
                                      int64_t rows, int64_t groups,
                                      int64_t batches,
                                      const CodeRange &range = {},
                                      uint8_t poison = 0xFF);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_RANDOM_H
