//===- bsmm-launch.cpp - run artifacts on a GPU or in the emulator --------===//
//
// Made of the runtime alone, so that it is there where the compiler is not.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace bsmm::launch;

static const char help[] =
    R"(usage: bsmm-launch run FILE.bsmm [options]
       bsmm-launch inspect FILE.bsmm
       bsmm-launch export FILE.bsmm -o FOLDER [options]
       bsmm-launch pack -o FILE.bsmm MANIFEST.json...
       bsmm-launch devices
       bsmm-launch --help

Runs kernels of an artifact on seeded random operands, compares the output with
a float64 computation, and measures. Needs no compiler.

run: launches a kernel, twice on the same memory.
  --kernel=NAME       family of kernels to choose from (default: any)
  --index=N           this very kernel of the artifact
  --device=cuda[:N]   a GPU (default: cuda when there is one, else emulator)
  --device=emulator   no GPU
  -M N -N N -K N -L N sizes (default 128, 128, 256, 1)
  --shapes=LIST       several problems, e.g. 512x12288x3072,512x3072x12288x2
                      (MxNxK or MxNxKxL)
  --alpha=X --beta=X --out-scale=X
  --pitch-a=N         elements from row to row of A; also -b, -c, -d
  --sms=N             CTAs of persistent kernels (default: the device's SMs)
  --repack            copy operands that TMA cannot read
  --seed=N            of the operands (default 0)
  --distribution=moderate   every code of A and B, scales up to 2 (default)
                 full       block scales of every code
                 exact      -1, 0 and 1: every output has one right value
  --verify            compare with float64 (default; --no-verify leaves it out)
  --threads=N         of the float64 computation (default 2)
  --reference-work=N  multiply-adds of it, in millions (default 1000); of larger
                      problems random rows and columns are compared
  --bench             measure: --warmup=N (10), --repetitions=N (100),
                      --no-flush leaves data in the L2 cache
  --json=FILE         write everything as JSON (schema bsmm.measurement/1)
  --output=FILE       write D as it lies in memory
  --mode=eager|lazy|random:SEED, --arithmetic=hardware|exact, --strict
                      of the emulator
  --quiet             no progress, no log

inspect: prints the kernels of an artifact with their manifests, as JSON.

export: writes the PTX of a kernel and the launch file of a problem, with buffers
of zeros, for bsmm-emu. FOLDER is made where it is missing. Takes sizes, pitches,
--kernel, --index, --sms as run does; without --index the first kernel of the
family that takes the sizes.

pack: makes an artifact of manifests (docs/abi.md) and the files that they name
      beside them. --name=NAME before manifests puts them into one family, the
      better choice first.

devices: lists the GPUs.

The exit code is 0 when everything is right, 1 otherwise, 2 for a bad command
line.
)";

bool OptionReader::next() {
  if (!error.empty() || position == words.size())
    return false;
  current = words[position++];
  isOption = current.size() > 1 && current[0] == '-';
  hasGiven = false;
  name.clear();
  if (!isOption)
    return true;
  size_t dashes = current[1] == '-' ? 2 : 1;
  size_t equals = current.find('=');
  name = current.substr(dashes,
                        equals == std::string::npos ? equals : equals - dashes);
  if (equals != std::string::npos) {
    given = current.substr(equals + 1);
    hasGiven = true;
  }
  return true;
}

std::string OptionReader::value() {
  if (hasGiven)
    return given;
  if (position == words.size()) {
    fail(current + ": expected a value");
    return "";
  }
  return words[position++];
}

void OptionReader::noValue() {
  if (hasGiven)
    fail(current + ": expected no value");
}

int64_t OptionReader::integer(int64_t low, int64_t high) {
  std::string text = value();
  char *end = nullptr;
  errno = 0;
  long long number = std::strtoll(text.c_str(), &end, 10);
  if (error.empty() && (errno != 0 || text.empty() || *end != '\0' ||
                        number < low || number > high))
    fail(current + ": expected a number of " + std::to_string(low) + " to " +
         std::to_string(high) + ", got '" + text + "'");
  return number;
}

double OptionReader::number() {
  std::string text = value();
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  if (error.empty() && (text.empty() || *end != '\0'))
    fail(current + ": expected a number, got '" + text + "'");
  // Infinity is a number, but what was written as a finite one must be one.
  else if (error.empty() && text.find_first_of("iInN") == std::string::npos &&
           !std::isfinite(static_cast<float>(number)))
    fail(current + ": expected a number that f32 holds, got '" + text + "'");
  return number;
}

int bsmm::launch::fail(const std::string &text) {
  std::fflush(stdout);
  std::fprintf(stderr, "bsmm-launch: error: %s\n", text.c_str());
  return 1;
}

int bsmm::launch::usageError(const std::string &text) {
  std::fprintf(stderr, "bsmm-launch: %s\nTry 'bsmm-launch --help'.\n",
               text.c_str());
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return usageError("expected a command");
  std::string command = argv[1];
  if (command == "--help" || command == "-h" || command == "help") {
    std::fputs(help, stdout);
    return 0;
  }
  struct {
    const char *name;
    int (*run)(int, char **);
  } const commands[] = {{"run", runCommand},
                        {"inspect", inspectCommand},
                        {"export", exportCommand},
                        {"pack", packCommand},
                        {"devices", devicesCommand}};
  for (const auto &known : commands)
    if (command == known.name)
      return known.run(argc - 2, argv + 2);
  return usageError("unknown command '" + command + "'");
}
