//===- consumer.cpp - layouts, formats and the emulator without MLIR ------===//

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Layout/Swizzle.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/bsmm_runtime.h"
#include "bsmm/Target/Target.h"
#include "bsmm/Timeline/Rates.h"

#include <cstdio>

/// The C ABI, from the shared library.
static bool opensEmulator() {
  bsmm_device *device = nullptr;
  if (bsmm_runtime_version() != BSMM_RUNTIME_VERSION ||
      bsmm_device_open_emulator(nullptr, &device) != BSMM_OK)
    return false;
  bsmm_device_close(device);
  return true;
}

int main() {
  using namespace bsmm;
  auto offset = [](uint64_t at) {
    return static_cast<unsigned>(
        layout::swizzledOffset(layout::SwizzleMode::Bytes32, at));
  };
  std::printf("32-byte swizzle: 16 -> %u, 128 -> %u\n", offset(16),
              offset(128));
  if (!opensEmulator() || runtime::decode(target::ElementType::E2M1, 7) != 6)
    return 1;
  timeline::Rates rates;
  std::string error;
  if (!target::findGpu("sm_90a") ||
      !timeline::ratesFor("sm_90a", rates, error))
    return 1;
  auto loaded = emulator::loadProgram(".version 8.6\n.target sm_100a\n"
                                      ".address_size 64\n"
                                      ".visible .entry nothing() { ret; }\n");
  return loaded.program ? 0 : 1;
}
