//===- arithmetic.cpp - Speed of the emulated tensor cores ------*- C++ -*-===//
//
// Multiply-adds per second of units::mmaTile on one core, for the instruction
// forms that matter, on full-range random codes. A benchmark, never a test.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

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
    auto begin = std::chrono::steady_clock::now();
    for (uint64_t k = 0; k < each; ++k) {
      std::string wrong = mmaTile(spec, a.data(), b.data(), sfa.data(),
                                  sfb.data(), d.data(), k != 0);
      if (!wrong.empty()) {
        std::fprintf(stderr, "error: %s\n", wrong.c_str());
        std::exit(1);
      }
    }
    double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
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
  for (const Form &form : forms()) {
    double rate = measure(form.spec, seconds) / 1e9;
    std::printf("%-34s %14.3f\n", form.name, rate);
    std::fflush(stdout);
    char entry[256];
    std::snprintf(entry, sizeof(entry),
                  "%s{\"name\": \"%s\", \"m\": %u, \"n\": %u, \"k\": %u, "
                  "\"giga_multiply_adds_per_second\": %.4f}",
                  first ? "" : ", ", form.name, form.spec.m, form.spec.n,
                  form.spec.k, rate);
    text += entry;
    first = false;
  }
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
