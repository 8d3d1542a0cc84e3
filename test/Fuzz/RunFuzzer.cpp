//===- RunFuzzer.cpp - Any PTX that loads is run ----------------*- C++ -*-===//
//
// A program that loads ends in a report, whatever it does: a thousand
// instructions of its first entry, with as many parameters as it declares. The
// first bytes choose the launch, so that the fuzzer can vary it. Several host
// threads must do what one does.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "bsmm/Emulator/Emulator.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace bsmm::emulator;

namespace bsmm::fuzz {

int runPtx(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  uint8_t how = data[0], shape = data[1];
  LoadResult loaded = loadProgram(
      std::string(reinterpret_cast<const char *>(data + 2), size - 2));
  if (!loaded.program)
    return 0;
  std::vector<std::string> entries = loaded.program->entries();
  if (entries.empty())
    return 0;
  std::vector<uint8_t> out(4096, 0xCD), in(4096, 1);
  Launch launch;
  launch.entry = entries[0];
  launch.grid = {1u << (shape & 3), 1, 1};
  launch.block = {32u << (shape >> 2 & 3), 1, 1};
  launch.cluster = {1u << (shape >> 4 & 1), 1, 1};
  launch.dynamicSharedBytes = shape & 0x80 ? 8192 : 0;
  launch.buffers = {{"out", out.data(), out.size(), false},
                    {"in", in.data(), in.size(), true}};
  size_t next = 0;
  for (uint64_t bytes : loaded.program->parameterSizes(launch.entry)) {
    // A huge parameter says nothing about the emulator.
    if (bytes > 65536)
      return 0;
    Parameter parameter;
    parameter.bytes.resize(bytes);
    Parameter::Placement placement;
    placement.buffer = next++ % 2;
    if (bytes == 8)
      parameter.placements.push_back(placement);
    if (bytes == 128) {
      placement.kind = Parameter::Placement::Kind::TensorMap;
      placement.map.rank = 2;
      placement.map.dims[0] = 64;
      placement.map.dims[1] = 16;
      placement.map.strides[1] = 64;
      placement.map.box[0] = 32;
      placement.map.box[1] = 8;
      parameter.placements.push_back(placement);
    }
    launch.parameters.push_back(parameter);
  }
  Options options;
  options.mode = how % 3 == 0   ? AsyncMode::Eager
                 : how % 3 == 1 ? AsyncMode::Lazy
                                : AsyncMode::Random;
  options.seed = how;
  options.strict = how & 0x40;
  options.checkHazards = (how & 0x80) == 0;
  // With sanitizers an MMA takes a tenth of a second.
  options.maxInstructions = 1000;
  options.threads = 1;
  std::vector<uint8_t> before = out;
  Report report = run(*loaded.program, launch, options);
  if (!report.completed && !report.hasErrors())
    std::abort();
  if (launch.grid.x == 1)
    return 0;
  std::vector<uint8_t> first = out;
  std::copy(before.begin(), before.end(), out.begin());
  options.threads = 3;
  Report other = run(*loaded.program, launch, options);
  report.statistics.seconds = other.statistics.seconds = 0;
  if (first != out || reportToJson(report) != reportToJson(other))
    std::abort();
  return 0;
}

} // namespace bsmm::fuzz
