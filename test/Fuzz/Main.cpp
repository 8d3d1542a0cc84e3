//===- Main.cpp - libFuzzer's entry -----------------------------*- C++ -*-===//

#include "Fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return bsmm::fuzz::BSMM_FUZZ_FUNCTION(data, size);
}
