//===- Fuzz.h - What the fuzzers call ---------------------------*- C++ -*-===//
//
// Each function takes any bytes and must return 0; a crash, a leak, a hang or
// an abort is a fault. The unit tests run them over the corpora, the fuzzers
// (BSMM_ENABLE_FUZZERS) over what libFuzzer makes of those.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TEST_FUZZ_FUZZ_H
#define BSMM_TEST_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>

namespace bsmm::fuzz {

int readPtx(const uint8_t *data, size_t size);
int runPtx(const uint8_t *data, size_t size);
int readLaunch(const uint8_t *data, size_t size);

} // namespace bsmm::fuzz

#endif // BSMM_TEST_FUZZ_FUZZ_H
