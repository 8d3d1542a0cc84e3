//===- arithmetic.cpp - Speed of the emulated tensor cores ------*- C++ -*-===//
//
// Multiply-adds per second of CPU time on one core, on full-range random codes:
// of units::mmaTile for the instruction forms that matter, and of whole
// mma.sync instructions that a warp runs from PTX, where the emulator's work on
// registers counts too. A benchmark, never a test.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

using namespace bsmm::emulator;
using namespace bsmm::emulator::units;

namespace {
struct Form {
  const char *name;
  MmaSpec spec;
};

MmaSpec spec(AccumulationRule rule, NumberFormat format, uint32_t m, uint32_t n,
             uint32_t k) {
  MmaSpec result;
  result.rule = rule;
  result.aFormat = result.bFormat = format;
  result.m = m;
  result.n = n;
  result.k = k;
  return result;
}

std::vector<Form> forms() {
  std::vector<Form> result;
  MmaSpec nvfp4 = spec(AccumulationRule::GroupedFraction35, NumberFormat::E2M1,
                       128, 256, 64);
  nvfp4.packedA = nvfp4.packedB = true;
  nvfp4.scaleFormat = ScaleFormat::UE4M3;
  nvfp4.scaleBlock = 16;
  result.push_back({"tcgen05 mxf4nvf4, ue4m3 for 16", nvfp4});
  MmaSpec mxfp4 = nvfp4;
  mxfp4.scaleFormat = ScaleFormat::UE8M0;
  mxfp4.scaleBlock = 32;
  result.push_back({"tcgen05 mxf4, ue8m0 for 32", mxfp4});
  MmaSpec mxfp8 =
      spec(AccumulationRule::Fraction25, NumberFormat::E4M3, 128, 256, 32);
  mxfp8.scaleFormat = ScaleFormat::UE8M0;
  mxfp8.scaleBlock = 32;
  result.push_back({"tcgen05 mxf8f6f4, e4m3", mxfp8});
  result.push_back({"wgmma e4m3", spec(AccumulationRule::Fraction13,
                                       NumberFormat::E4M3, 16, 256, 32)});
  result.push_back({"wgmma e5m2", spec(AccumulationRule::Fraction13,
                                       NumberFormat::E5M2, 16, 256, 32)});
  result.push_back({"wgmma f16", spec(AccumulationRule::Fraction25,
                                      NumberFormat::F16, 16, 256, 16)});
  result.push_back({"wgmma bf16", spec(AccumulationRule::Fraction25,
                                       NumberFormat::BF16, 16, 256, 16)});
  result.push_back(
      {"mma.sync m16n8k32 e4m3, sm_90",
       spec(AccumulationRule::SplitFraction25, NumberFormat::E4M3, 16, 8, 32)});
  MmaSpec smallFp8 = mxfp8;
  smallFp8.m = 16;
  smallFp8.n = 8;
  result.push_back({"mma.sync m16n8k32 mxf8f6f4, e4m3", smallFp8});
  smallFp8.scaleFormat = ScaleFormat::None;
  smallFp8.scaleBlock = 0;
  result.push_back({"mma.sync m16n8k32 f8f6f4, e4m3", smallFp8});
  MmaSpec small = nvfp4;
  small.m = 16;
  small.n = 8;
  result.push_back({"mma.sync m16n8k64 mxf4nvf4", small});
  return result;
}

/// Codes without NaN and infinity: special rows take another path.
std::vector<uint8_t> randomCodes(std::mt19937_64 &random, NumberFormat format,
                                 size_t bytes) {
  std::vector<uint8_t> codes(bytes);
  for (uint8_t &code : codes)
    code = static_cast<uint8_t>(random());
  if (format == NumberFormat::F16 || format == NumberFormat::BF16)
    for (size_t k = 1; k < bytes; k += 2)
      codes[k] &= 0xBB; // the largest exponents away
  if (format == NumberFormat::E4M3 || format == NumberFormat::E5M2)
    for (uint8_t &code : codes)
      code = (code & 0x7F) >= 0x7C ? code ^ 0x40 : code;
  return codes;
}

/// CPU time, so that a busy machine doesn't count.
double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

double measure(const MmaSpec &spec, double seconds) {
  std::mt19937_64 random(1);
  uint32_t bytes = codeBytes(spec.aFormat);
  std::vector<uint8_t> a =
      randomCodes(random, spec.aFormat, size_t(spec.m) * spec.k * bytes);
  std::vector<uint8_t> b =
      randomCodes(random, spec.bFormat, size_t(spec.n) * spec.k * bytes);
  uint32_t groups = spec.scaleBlock ? spec.k / spec.scaleBlock : 0;
  std::vector<uint8_t> sfa(size_t(spec.m) * groups),
      sfb(size_t(spec.n) * groups);
  for (auto *scales : {&sfa, &sfb})
    for (uint8_t &scale : *scales)
      scale = spec.scaleFormat == ScaleFormat::UE8M0
                  ? static_cast<uint8_t>(120 + random() % 16)
                  : static_cast<uint8_t>(random() % 0x7F);
  std::vector<uint32_t> d(size_t(spec.m) * spec.n, 0);
  std::vector<double> rates;
  uint64_t each = 1;
  double spent = 0;
  while (spent < seconds || rates.size() < 5) {
    double begin = cpuSeconds();
    for (uint64_t k = 0; k < each; ++k) {
      std::string wrong = mmaTile(spec, a.data(), b.data(), sfa.data(),
                                  sfb.data(), d.data(), k != 0);
      if (!wrong.empty()) {
        std::fprintf(stderr, "error: %s\n", wrong.c_str());
        std::exit(1);
      }
    }
    double took = cpuSeconds() - begin;
    spent += took;
    if (took < 0.02) {
      each *= 2;
      continue;
    }
    rates.push_back(double(each) * spec.m * spec.n * spec.k / took);
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}
//===-- Whole mma.sync instructions ---------------------------------------===//

struct Instruction {
  const char *name;
  const char *target;
  const char *opcode; ///< after "mma.sync.aligned."
  uint32_t k;
  bool scaled;
  bool fp4;
};

const Instruction instructions[] = {
    {"PTX mma.sync mxf4nvf4, 4X ue4m3", "sm_120a",
     "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
     ".f32.e2m1.e2m1.f32.ue4m3",
     64, true, true},
    {"PTX mma.sync mxf4, 2X ue8m0", "sm_120a",
     "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X"
     ".f32.e2m1.e2m1.f32.ue8m0",
     64, true, true},
    {"PTX mma.sync mxf8f6f4, e4m3", "sm_120a",
     "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
     ".f32.e4m3.e4m3.f32.ue8m0",
     32, true, false},
    {"PTX mma.sync e4m3, sm_120a", "sm_120a",
     "m16n8k32.row.col.f32.e4m3.e4m3.f32", 32, false, false},
    {"PTX mma.sync e4m3, sm_90a", "sm_90a",
     "m16n8k32.row.col.f32.e4m3.e4m3.f32", 32, false, false},
};

/// One warp that loops over eight instructions with accumulators of their own.
/// Registers hold hashes of the lane: e2m1 codes of all kinds, e4m3 codes below
/// the NaN.
std::string kernel(const Instruction &instruction) {
  std::string text = std::string(".version 8.8\n.target ") +
                     instruction.target +
                     "\n.address_size 64\n"
                     ".visible .entry k(.param .u64 out, .param .u32 count) {\n"
                     ".reg .pred %p;\n.reg .b32 %n, %lane, %sa, %sb, %a<4>, "
                     "%b<2>, %d<32>;\n.reg .b64 %out;\n"
                     "ld.param.u32 %n, [count];\nld.param.u64 %out, [out];\n"
                     "mov.u32 %lane, %tid.x;\n";
  auto operand = [&](const std::string &name, uint32_t seed) {
    text += "mad.lo.u32 " + name + ", %lane, " + std::to_string(2654435761u) +
            ", " + std::to_string(seed * 2246822519u) + ";\n";
    if (!instruction.fp4) // exponent fields below the largest
      text += "and.b32 " + name + ", " + name + ", 0xBFBFBFBF;\n";
  };
  for (uint32_t k = 0; k < 4; ++k)
    operand("%a" + std::to_string(k), k + 1);
  for (uint32_t k = 0; k < 2; ++k)
    operand("%b" + std::to_string(k), k + 11);
  for (uint32_t k = 0; k < 32; ++k)
    text += "mov.b32 %d" + std::to_string(k) + ", 0;\n";
  // Scales near 1.
  text += std::strstr(instruction.opcode, "ue8m0")
              ? "mov.b32 %sa, 0x7E7F8081;\nmov.b32 %sb, 0x807F7E7F;\n"
              : "mov.b32 %sa, 0x38394041;\nmov.b32 %sb, 0x40383739;\n";
  text += "LOOP:\n";
  for (uint32_t k = 0; k < 8; ++k) {
    std::string d = "{";
    for (uint32_t e = 0; e < 4; ++e)
      d += (e ? ", %d" : "%d") + std::to_string(4 * k + e);
    d += "}";
    text += std::string("mma.sync.aligned.") + instruction.opcode + " " + d +
            ", {%a0, %a1, %a2, %a3}, {%b0, %b1}, " + d;
    if (instruction.scaled)
      text += ", %sa, {0, 0}, %sb, {0, 0}";
    text += ";\n";
  }
  text += "sub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\n";
  for (uint32_t k = 1; k < 32; ++k)
    text += "xor.b32 %d0, %d0, %d" + std::to_string(k) + ";\n";
  text += "mad.wide.u32 %out, %lane, 4, %out;\nst.global.b32 [%out], %d0;\n"
          "ret;\n}\n";
  return text;
}

double measureInstruction(const Instruction &instruction, double seconds) {
  LoadResult loaded = loadProgram(kernel(instruction));
  if (!loaded.program) {
    for (const SourceDiagnostic &error : loaded.errors)
      std::fprintf(stderr, "error: line %u: %s\n", error.line,
                   error.message.c_str());
    std::exit(1);
  }
  std::vector<uint8_t> out(32 * 4);
  std::vector<double> rates;
  uint32_t loops = 16;
  double spent = 0;
  while (spent < seconds || rates.size() < 5) {
    Launch launch;
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.buffers = {{"out", out.data(), out.size(), false}};
    launch.parameters = {Parameter::pointer(0),
                         Parameter::i32(static_cast<int32_t>(loops))};
    Options options;
    options.threads = 1;
    double begin = cpuSeconds();
    Report report = run(*loaded.program, launch, options);
    double took = cpuSeconds() - begin;
    if (report.hasErrors() || !report.completed) {
      for (const Diagnostic &diagnostic : report.diagnostics)
        std::fprintf(stderr, "%s\n", formatDiagnostic(diagnostic).c_str());
      std::exit(1);
    }
    spent += took;
    if (took < 0.02) {
      loops *= 2;
      continue;
    }
    rates.push_back(double(report.statistics.multiplyAdds) / took);
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}
} // namespace

int main(int argc, char **argv) {
  double seconds = 0.5;
  std::string json;
  for (int k = 1; k < argc; ++k) {
    if (std::strncmp(argv[k], "--seconds=", 10) == 0)
      seconds = std::atof(argv[k] + 10);
    else if (std::strncmp(argv[k], "--json=", 7) == 0)
      json = argv[k] + 7;
    else {
      std::fprintf(stderr, "usage: %s [--seconds=S] [--json=FILE]\n", argv[0]);
      return 2;
    }
  }
  std::printf("%-34s %14s\n", "form", "G multiply-adds/s");
  std::string text = "{\"schema\": \"bsmm.benchmark.emulator/1\", \"forms\": [";
  bool first = true;
  auto line = [&](const char *name, uint32_t m, uint32_t n, uint32_t k,
                  double rate) {
    std::printf("%-34s %14.3f\n", name, rate);
    std::fflush(stdout);
    char entry[256];
    std::snprintf(entry, sizeof(entry),
                  "%s{\"name\": \"%s\", \"m\": %u, \"n\": %u, \"k\": %u, "
                  "\"giga_multiply_adds_per_second\": %.4f}",
                  first ? "" : ", ", name, m, n, k, rate);
    text += entry;
    first = false;
  };
  for (const Form &form : forms())
    line(form.name, form.spec.m, form.spec.n, form.spec.k,
         measure(form.spec, seconds) / 1e9);
  for (const Instruction &instruction : instructions)
    line(instruction.name, 16, 8, instruction.k,
         measureInstruction(instruction, seconds) / 1e9);
  text += "]}\n";
  if (!json.empty()) {
    std::FILE *file = std::fopen(json.c_str(), "wb");
    if (file == nullptr ||
        std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
        std::fclose(file) != 0) {
      std::fprintf(stderr, "error: cannot write '%s'\n", json.c_str());
      return 1;
    }
  }
  return 0;
}
