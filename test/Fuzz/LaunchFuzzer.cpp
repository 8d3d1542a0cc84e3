//===- LaunchFuzzer.cpp - Any bytes as JSON descriptions --------*- C++ -*-===//
//
// Launch files and manifests: the emulator's own reader and the runtime's. All
// end in a description or in an error; what the runtime writes it reads again.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "bsmm/Emulator/LaunchFile.h"
#include "bsmm/Runtime/LaunchDescription.h"

#include <cstdlib>
#include <string>

namespace bsmm::fuzz {

int readLaunch(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  emulator::LaunchFile file;
  std::string error;
  // A folder that does not exist: only files without operands get far, unless
  // the working folder has them.
  if (emulator::parseLaunchFile(text, "", file, error, 1u << 20)) {
    emulator::compareOutputs(file);
    file.reset();
  } else if (error.empty()) {
    std::abort();
  }
  auto launch = runtime::parseLaunch(text);
  if (launch && !runtime::parseLaunch(runtime::writeLaunch(*launch)))
    std::abort();
  auto manifest = runtime::parseManifest(text);
  if (manifest && !runtime::parseManifest(runtime::writeManifest(*manifest)))
    std::abort();
  return 0;
}

} // namespace bsmm::fuzz
