//===- PtxFuzzer.cpp - Any bytes as PTX -------------------------*- C++ -*-===//
//
// The reader ends in a program or in errors that say where and what.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "bsmm/Emulator/Emulator.h"

#include <cstdlib>
#include <string>

using namespace bsmm::emulator;

namespace bsmm::fuzz {

int readPtx(const uint8_t *data, size_t size) {
  LoadResult loaded =
      loadProgram(std::string(reinterpret_cast<const char *>(data), size));
  if (!loaded.program == loaded.errors.empty())
    std::abort();
  for (const SourceDiagnostic &error : loaded.errors)
    if (error.message.empty())
      std::abort();
  if (loaded.program)
    for (const std::string &entry : loaded.program->entries())
      loaded.program->parameterSizes(entry);
  return 0;
}

} // namespace bsmm::fuzz
