//===- bsmm-emu.cpp - Run PTX without a GPU ---------------------*- C++ -*-===//

#include "Timeline.h"

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/LaunchFile.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace bsmm::emulator;

static const char help[] =
    R"(usage: bsmm-emu run LAUNCH.json [options]
       bsmm-emu timeline LAUNCH.json [options]
       bsmm-emu rates
       bsmm-emu code FILE.cubin
       bsmm-emu check-syntax FILE.ptx
       bsmm-emu --help

Executes PTX (sm_90a, sm_100a and its family, sm_120a) without a GPU, checks
its synchronisation, and compares the result with what the launch file expects.

run: executes the launch that LAUNCH.json describes.
  --mode=eager        asynchronous operations take effect at their issue (default)
  --mode=lazy         ... only when something must observe them
  --mode=random:SEED  ... at random times; warps run in random order
                      A correct kernel gives the same bits in every mode.
  --check             compare the output buffers by the launch file's rules and
                      print how many elements are equal, within the bound,
                      and outside
  --strict            also report recommended fences that are missing
  --arithmetic=hardware  sum and round as tensor cores do (default)
  --arithmetic=exact     exact sums, rounded once
  --order=ascending|descending|shuffled
                      in which order CTAs start
  --resident=N        clusters that may be resident at once (default 148);
                      more than one start only when the first can't go on alone
  --threads=N         host threads (default 0: all cores); the result, the report
                      and the trace are the same with any number
  --no-hazards        leave the happens-before checks out (faster)
  --max-instructions=N   stop after N warp instructions
  --repeat=N          launch N times, with fresh buffers (default 1)
  --trace=FILE        write a Chrome trace (chrome://tracing, Perfetto)
  --json=FILE         write the report as JSON
  --output=BUFFER:FILE   write a buffer's contents after the run
  --quiet             print errors only

timeline: predicts how long the launch takes on a GPU (sm_90a, sm_100a, sm_103a)
and says where the cycles of the tensor cores go. Computes nothing.
  --trace=FILE        write a Chrome trace in cycles, of the SMs --trace-sms=0,1,...
                      (default 0)
  --json=FILE         write the report as JSON (schema bsmm.timeline/1)
  --sms=N --clock=GHZ the GPU, where it differs from the table of rates
  --rate=NAME=VALUE   another value for a rate of the table
  --ctas-per-sm=N     CTAs that an SM holds (default: by shared memory and threads)
  --max-instructions=N   stop after N warp instructions

rates: prints the table of rates, with how each is known.

code: prints registers, stack and the mix of SASS instructions of each kernel;
needs cuobjdump of the CUDA toolkit.

check-syntax: lists syntax errors and unknown instructions with their lines.

The exit code is 0 when there is no error (and --check finds nothing outside),
1 otherwise, 2 for a bad command line.
)";

static bool startsWith(const std::string &text, const char *prefix,
                       std::string &rest) {
  size_t length = std::strlen(prefix);
  if (text.compare(0, length, prefix) != 0)
    return false;
  rest = text.substr(length);
  return true;
}

static bool parseNumber(const std::string &text, uint64_t &value) {
  if (text.empty())
    return false;
  char *end = nullptr;
  value = std::strtoull(text.c_str(), &end, 0);
  return *end == '\0' && text[0] != '-';
}

static int usageError(const std::string &message) {
  std::fprintf(stderr, "bsmm-emu: %s\nTry 'bsmm-emu --help'.\n",
               message.c_str());
  return 2;
}

static bool readFile(const std::string &path, std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (file == nullptr)
    return false;
  char chunk[65536];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof(chunk), file)) != 0)
    text.append(chunk, got);
  bool good = std::ferror(file) == 0;
  std::fclose(file);
  return good;
}

static bool writeFile(const std::string &path, const void *data, size_t bytes) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (file == nullptr)
    return false;
  bool good = std::fwrite(data, 1, bytes, file) == bytes;
  return std::fclose(file) == 0 && good;
}

static void printErrors(const std::string &path, const LoadResult &loaded) {
  for (const SourceDiagnostic &error : loaded.errors)
    std::fprintf(stderr, "%s:%u: error: %s\n", path.c_str(), error.line,
                 error.message.c_str());
}

static int checkSyntax(const std::string &path) {
  std::string text;
  if (!readFile(path, text)) {
    std::fprintf(stderr, "bsmm-emu: cannot read '%s'\n", path.c_str());
    return 1;
  }
  LoadResult loaded = loadProgram(std::move(text));
  printErrors(path, loaded);
  if (!loaded.program)
    return 1;
  std::printf("%s: ok, target %s, entries:", path.c_str(),
              loaded.program->target().c_str());
  for (const std::string &entry : loaded.program->entries())
    std::printf(" %s", entry.c_str());
  std::printf("\n");
  return 0;
}

static int runLaunch(int argc, char **argv) {
  std::string path, jsonPath, rest;
  std::vector<std::pair<std::string, std::string>> outputs;
  Options options;
  bool check = false, quiet = false;
  uint64_t repeat = 1;
  for (int k = 2; k < argc; ++k) {
    std::string argument = argv[k];
    auto valueOf = [&](const char *name) {
      std::string option = name;
      if (startsWith(argument, (option + "=").c_str(), rest))
        return true;
      if (argument == option && k + 1 < argc) {
        rest = argv[++k];
        return true;
      }
      return false;
    };
    uint64_t number = 0;
    if (argument == "--check") {
      check = true;
    } else if (argument == "--strict") {
      options.strict = true;
    } else if (argument == "--quiet") {
      quiet = true;
    } else if (argument == "--no-hazards") {
      options.checkHazards = false;
    } else if (argument == "--help") {
      std::fputs(help, stdout);
      return 0;
    } else if (valueOf("--mode")) {
      std::string seed;
      if (rest == "eager")
        options.mode = AsyncMode::Eager;
      else if (rest == "lazy")
        options.mode = AsyncMode::Lazy;
      else if (startsWith(rest, "random:", seed) && parseNumber(seed, number)) {
        options.mode = AsyncMode::Random;
        options.seed = number;
      } else
        return usageError("expected --mode=eager, lazy or random:SEED, got '" +
                          rest + "'");
    } else if (valueOf("--arithmetic")) {
      if (rest == "hardware")
        options.arithmetic = Arithmetic::Hardware;
      else if (rest == "exact")
        options.arithmetic = Arithmetic::Exact;
      else
        return usageError("expected --arithmetic=hardware or exact, got '" +
                          rest + "'");
    } else if (valueOf("--order")) {
      if (rest == "ascending")
        options.ctaOrder = CtaOrder::Ascending;
      else if (rest == "descending")
        options.ctaOrder = CtaOrder::Descending;
      else if (rest == "shuffled")
        options.ctaOrder = CtaOrder::Shuffled;
      else
        return usageError("unknown CTA order '" + rest + "'");
    } else if (valueOf("--resident")) {
      if (!parseNumber(rest, number) || number == 0 || number > 1000000)
        return usageError("expected a positive number of clusters");
      options.maxResidentClusters = static_cast<uint32_t>(number);
    } else if (valueOf("--threads")) {
      if (!parseNumber(rest, number) || number > 4096)
        return usageError("expected --threads=0 to 4096, got '" + rest + "'");
      options.threads = static_cast<uint32_t>(number);
    } else if (valueOf("--max-instructions")) {
      if (!parseNumber(rest, options.maxInstructions))
        return usageError("expected a number of instructions");
    } else if (valueOf("--repeat")) {
      if (!parseNumber(rest, repeat) || repeat == 0)
        return usageError("expected a positive number of launches");
    } else if (valueOf("--trace")) {
      options.traceFile = rest;
    } else if (valueOf("--json")) {
      jsonPath = rest;
    } else if (valueOf("--output")) {
      size_t colon = rest.find(':');
      if (colon == std::string::npos)
        return usageError("expected --output=BUFFER:FILE");
      outputs.push_back({rest.substr(0, colon), rest.substr(colon + 1)});
    } else if (argument[0] == '-') {
      return usageError("unknown option '" + argument + "'");
    } else if (path.empty()) {
      path = argument;
    } else {
      return usageError("more than one launch file");
    }
  }
  if (path.empty())
    return usageError("expected a launch file");

  LaunchFile file;
  std::string error;
  if (!readLaunchFile(path, file, error)) {
    std::fprintf(stderr, "%s: error: %s\n", path.c_str(), error.c_str());
    return 1;
  }
  LoadResult loaded = loadProgram(file.ptx);
  if (!loaded.program) {
    printErrors(file.ptxPath, loaded);
    return 1;
  }
  auto begin = std::chrono::steady_clock::now();
  double shown = 0;
  options.progress = [&](uint64_t done, uint64_t ctas, uint64_t instructions) {
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    if (!quiet && seconds - shown > 2) {
      shown = seconds;
      std::fprintf(stderr,
                   "%.0f s: %llu of %llu CTAs done, %.1f million warp "
                   "instructions\n",
                   seconds, static_cast<unsigned long long>(done),
                   static_cast<unsigned long long>(ctas),
                   static_cast<double>(instructions) / 1e6);
    }
    return true;
  };

  bool failed = false;
  for (uint64_t launch = 0; launch < repeat; ++launch) {
    if (launch != 0)
      file.reset();
    Report report = run(*loaded.program, file.launch, options);
    for (const Diagnostic &diagnostic : report.diagnostics)
      std::fprintf(stderr, "%s: %s\n", file.ptxPath.c_str(),
                   formatDiagnostic(diagnostic).c_str());
    failed |= report.hasErrors() || !report.completed;
    const Statistics &s = report.statistics;
    if (!quiet)
      std::printf("%llu CTAs, %llu warp instructions, %llu tensor "
                  "instructions (%.3f G multiply-adds), %llu bulk copies, "
                  "%.2f s; %zu errors, %zu strict findings\n",
                  static_cast<unsigned long long>(s.ctas),
                  static_cast<unsigned long long>(s.warpInstructions),
                  static_cast<unsigned long long>(s.tensorInstructions),
                  static_cast<double>(s.multiplyAdds) / 1e9,
                  static_cast<unsigned long long>(s.bulkCopies), s.seconds,
                  report.count(Severity::Error),
                  report.count(Severity::Strict));
    if (check) {
      std::vector<Comparison> comparisons = compareOutputs(file);
      if (comparisons.empty()) {
        std::fprintf(stderr, "%s: error: --check, but nothing is expected\n",
                     path.c_str());
        failed = true;
      }
      for (const Comparison &comparison : comparisons) {
        if (!quiet || !comparison.passed())
          std::printf("buffer %s: %llu elements, %llu equal, %llu within "
                      "bound, %llu outside%s%s\n",
                      comparison.buffer.c_str(),
                      static_cast<unsigned long long>(comparison.elements),
                      static_cast<unsigned long long>(comparison.equal),
                      static_cast<unsigned long long>(comparison.withinBound),
                      static_cast<unsigned long long>(comparison.outside),
                      comparison.outside ? "; " : "",
                      comparison.firstOutside.c_str());
        failed |= !comparison.passed();
      }
    }
    if (!jsonPath.empty()) {
      std::string json = reportToJson(report);
      if (!writeFile(jsonPath, json.data(), json.size())) {
        std::fprintf(stderr, "bsmm-emu: cannot write '%s'\n", jsonPath.c_str());
        failed = true;
      }
    }
  }
  for (auto &[name, to] : outputs) {
    bool found = false;
    for (const Buffer &buffer : file.launch.buffers)
      if (buffer.name == name) {
        found = true;
        if (!writeFile(to, buffer.data, buffer.bytes)) {
          std::fprintf(stderr, "bsmm-emu: cannot write '%s'\n", to.c_str());
          failed = true;
        }
      }
    if (!found) {
      std::fprintf(stderr, "bsmm-emu: there is no buffer '%s'\n", name.c_str());
      failed = true;
    }
  }
  return failed ? 1 : 0;
}

int main(int argc, char **argv) {
  std::string command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "-h" || command == "help") {
    std::fputs(help, stdout);
    return 0;
  }
  if (command == "run")
    return runLaunch(argc, argv);
  if (command == "timeline")
    return timelineCommand(argc - 2, argv + 2);
  if (command == "code")
    return argc == 3 ? codeCommand(argv[2]) : usageError("code takes one file");
  if (command == "rates")
    return argc == 2 ? ratesCommand() : usageError("rates takes no arguments");
  if (command == "check-syntax") {
    if (argc != 3)
      return usageError("check-syntax takes one file");
    return checkSyntax(argv[2]);
  }
  return usageError(command.empty() ? "expected a command"
                                    : "unknown command '" + command + "'");
}
