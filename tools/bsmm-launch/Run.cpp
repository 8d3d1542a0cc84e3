//===- Run.cpp - launch, verify and measure -------------------------------===//

#include "Commands.h"
#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/MeasurementReport.h"
#include "bsmm/Runtime/bsmm_runtime.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

using namespace bsmm;
using namespace bsmm::launch;
using namespace bsmm::runtime;

namespace {
struct RunOptions {
  std::string file, kernel, device, json, output;
  std::string mode = "eager", arithmetic = "hardware";
  int64_t index = -1;
  std::vector<Shape> shapes;
  Shape shape;
  double alpha = 1, beta = 0, outScale = 1;
  std::map<Role, int64_t> pitches;
  int64_t sms = 0, threads = 2, referenceWork = 1000;
  int64_t warmup = 10, repetitions = 100;
  TestDataOptions data;
  bool repack = false, verify = true, bench = false, flush = true;
  bool strict = false, quiet = false;
};

struct CloseArtifact {
  void operator()(bsmm_artifact *artifact) { bsmm_artifact_close(artifact); }
};
struct CloseDevice {
  void operator()(bsmm_device *device) { bsmm_device_close(device); }
};
struct CloseKernel {
  void operator()(bsmm_kernel *kernel) { bsmm_kernel_unload(kernel); }
};
using ArtifactHandle = std::unique_ptr<bsmm_artifact, CloseArtifact>;
using DeviceHandle = std::unique_ptr<bsmm_device, CloseDevice>;
using KernelHandle = std::unique_ptr<bsmm_kernel, CloseKernel>;

/// The memory of one operand, with a guard on both sides.
class GuardedMemory {
public:
  static constexpr size_t guard = 1024;
  static constexpr uint8_t guardByte = 0xC3;

  explicit GuardedMemory(bsmm_device *device) : device(device) {}
  GuardedMemory(GuardedMemory &&other) noexcept
      : device(other.device), base(other.base), bytes(other.bytes) {
    other.base = nullptr;
  }
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;
  ~GuardedMemory() {
    if (base)
      bsmm_device_free(device, base);
  }

  bool create(const std::vector<uint8_t> &contents) {
    bytes = contents.size();
    return bsmm_device_allocate(device, bytes + 2 * guard, &base) == BSMM_OK &&
           bsmm_device_fill(device, base, guardByte, bytes + 2 * guard,
                            nullptr) == BSMM_OK &&
           write(contents);
  }
  void *data() const { return static_cast<uint8_t *>(base) + guard; }
  bool write(const std::vector<uint8_t> &contents) {
    return bsmm_device_write(device, data(), contents.data(), bytes, nullptr) ==
           BSMM_OK;
  }
  bool read(std::vector<uint8_t> &contents) const {
    contents.resize(bytes);
    return bsmm_device_read(device, contents.data(), data(), bytes, nullptr) ==
           BSMM_OK;
  }
  /// Bytes of the guards that changed; -1 when they cannot be read.
  int64_t damage() const {
    uint8_t around[2][guard];
    if (bsmm_device_read(device, around[0], base, guard, nullptr) != BSMM_OK ||
        bsmm_device_read(device, around[1],
                         static_cast<uint8_t *>(data()) + bytes, guard,
                         nullptr) != BSMM_OK)
      return -1;
    int64_t changed = 0;
    for (const auto &side : around)
      changed += std::count_if(side, side + guard,
                               [](uint8_t byte) { return byte != guardByte; });
    return changed;
  }

private:
  bsmm_device *device;
  void *base = nullptr;
  size_t bytes = 0;
};

/// One problem on its way.
class ProblemRun {
public:
  ProblemRun(const RunOptions &options, bsmm_device *device,
             const bsmm_artifact *artifact, const Artifact &contents)
      : options(options), device(device), artifact(artifact),
        contents(contents) {}

  /// Empty on success; an error ends everything.
  std::string run(const Shape &shape, Measurement &result);

private:
  std::string select();
  std::string allocate();
  std::string launchTwice(Measurement &result);
  std::string measure(Measurement &result);

  const RunOptions &options;
  bsmm_device *device;
  const bsmm_artifact *artifact;
  const Artifact &contents;
  const KernelManifest *manifest = nullptr;
  KernelHandle kernel;
  LaunchRequest request;
  TestOperands operands;
  std::map<Role, GuardedMemory> memory;
  std::vector<bsmm_operand> given;
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
};
} // namespace

static const char *distributionName(Distribution distribution) {
  switch (distribution) {
  case Distribution::Moderate:
    return "moderate";
  case Distribution::Full:
    return "full";
  case Distribution::Exact:
    return "exact";
  }
  return "unknown";
}

static std::string lastError() { return bsmm_last_error(); }

static bool parseShape(const std::string &text, Shape &shape) {
  int64_t sizes[4] = {0, 0, 0, 1};
  size_t count = 0;
  const char *at = text.c_str();
  while (count < 4) {
    char *end = nullptr;
    if (*at < '0' || *at > '9')
      return false;
    long long size = std::strtoll(at, &end, 10);
    if (size > INT32_MAX)
      return false;
    sizes[count++] = size;
    at = end;
    if (*at == '\0')
      break;
    if (*at != 'x')
      return false;
    ++at;
  }
  shape = {sizes[0], sizes[1], sizes[2], sizes[3]};
  return count >= 3 && *at == '\0';
}

static void readOptions(OptionReader &reader, RunOptions &options) {
  constexpr int64_t most = INT32_MAX;
  while (reader.next()) {
    if (reader.isPositional()) {
      if (!options.file.empty())
        reader.fail("expected one artifact, got also '" + reader.word() + "'");
      options.file = reader.word();
    } else if (reader.is("kernel")) {
      options.kernel = reader.value();
    } else if (reader.is("index")) {
      options.index = reader.integer(0, most);
    } else if (reader.is("device") || reader.is("backend")) {
      options.device = reader.value();
    } else if (reader.is("M")) {
      options.shape.m = reader.integer(0, most);
    } else if (reader.is("N")) {
      options.shape.n = reader.integer(0, most);
    } else if (reader.is("K")) {
      options.shape.k = reader.integer(0, most);
    } else if (reader.is("L")) {
      options.shape.l = reader.integer(0, most);
    } else if (reader.is("shapes")) {
      std::string list = reader.value();
      for (size_t begin = 0; begin <= list.size();) {
        size_t end = std::min(list.find(',', begin), list.size());
        Shape shape;
        if (!parseShape(list.substr(begin, end - begin), shape))
          reader.fail("--shapes: expected MxNxK or MxNxKxL, got '" +
                      list.substr(begin, end - begin) + "'");
        options.shapes.push_back(shape);
        begin = end + 1;
      }
    } else if (reader.is("alpha")) {
      options.alpha = reader.number();
    } else if (reader.is("beta")) {
      options.beta = reader.number();
    } else if (reader.is("out-scale")) {
      options.outScale = reader.number();
    } else if (reader.is("pitch-a")) {
      options.pitches[Role::A] = reader.integer(1, int64_t(1) << 40);
    } else if (reader.is("pitch-b")) {
      options.pitches[Role::B] = reader.integer(1, int64_t(1) << 40);
    } else if (reader.is("pitch-c")) {
      options.pitches[Role::C] = reader.integer(1, int64_t(1) << 40);
    } else if (reader.is("pitch-d")) {
      options.pitches[Role::D] = reader.integer(1, int64_t(1) << 40);
    } else if (reader.is("sms")) {
      options.sms = reader.integer(0, 65536);
    } else if (reader.is("repack")) {
      reader.noValue();
      options.repack = true;
    } else if (reader.is("seed")) {
      options.data.seed = static_cast<uint64_t>(reader.integer(0, INT64_MAX));
    } else if (reader.is("distribution")) {
      std::string name = reader.value();
      if (name == "moderate")
        options.data.distribution = Distribution::Moderate;
      else if (name == "full")
        options.data.distribution = Distribution::Full;
      else if (name == "exact")
        options.data.distribution = Distribution::Exact;
      else
        reader.fail("--distribution: expected moderate, full or exact, got '" +
                    name + "'");
    } else if (reader.is("verify")) {
      reader.noValue();
      options.verify = true;
    } else if (reader.is("no-verify")) {
      reader.noValue();
      options.verify = false;
    } else if (reader.is("threads")) {
      options.threads = reader.integer(1, 256);
    } else if (reader.is("reference-work")) {
      options.referenceWork = reader.integer(1, int64_t(1) << 30);
    } else if (reader.is("bench")) {
      reader.noValue();
      options.bench = true;
    } else if (reader.is("warmup")) {
      options.warmup = reader.integer(0, 1000000);
    } else if (reader.is("repetitions")) {
      options.repetitions = reader.integer(1, 1000000);
    } else if (reader.is("no-flush")) {
      reader.noValue();
      options.flush = false;
    } else if (reader.is("json")) {
      options.json = reader.value();
    } else if (reader.is("output")) {
      options.output = reader.value();
    } else if (reader.is("mode")) {
      options.mode = reader.value();
    } else if (reader.is("arithmetic")) {
      options.arithmetic = reader.value();
    } else if (reader.is("strict")) {
      reader.noValue();
      options.strict = true;
    } else if (reader.is("quiet")) {
      reader.noValue();
      options.quiet = true;
    } else {
      reader.fail("unknown option '" + reader.word() + "'");
    }
  }
}

/// "cuda", "cuda:1", "emulator"; nothing: a GPU when there is one.
static std::string openDevice(const RunOptions &options, DeviceHandle &device) {
  std::string name = options.device;
  bsmm_device *opened = nullptr;
  if (name.empty()) {
    int32_t count = 0;
    bsmm_status status = bsmm_cuda_device_count(&count);
    name = status == BSMM_OK && count > 0 ? "cuda" : "emulator";
  }
  bsmm_status status;
  if (name == "emulator") {
    bsmm_emulator_options emulator = BSMM_EMULATOR_OPTIONS_INIT;
    emulator.mode = options.mode.c_str();
    emulator.arithmetic = options.arithmetic.c_str();
    emulator.strict = options.strict;
    status = bsmm_device_open_emulator(&emulator, &opened);
  } else if (name.compare(0, 4, "cuda") == 0 &&
             (name.size() == 4 ||
              (name[4] == ':' && name.size() > 5 && name.size() < 9 &&
               name.find_first_not_of("0123456789", 5) == std::string::npos))) {
    int32_t ordinal = name.size() == 4 ? 0 : std::stoi(name.substr(5));
    status = bsmm_device_open_cuda(ordinal, &opened);
  } else {
    return "--device: expected cuda, cuda:N or emulator, got '" + name + "'";
  }
  if (status != BSMM_OK)
    return lastError();
  device.reset(opened);
  return "";
}

std::string ProblemRun::select() {
  size_t index = static_cast<size_t>(options.index);
  bsmm_device_info info{};
  info.struct_size = sizeof(info);
  bsmm_device_info_get(device, &info);
  bsmm_arguments here = arguments;
  if (here.sm_count == 0)
    here.sm_count = info.sm_count;
  if (options.index < 0 &&
      bsmm_artifact_select(
          artifact, options.kernel.empty() ? nullptr : options.kernel.c_str(),
          info.target, &here, &index) != BSMM_OK)
    return lastError();
  bsmm_kernel *loaded = nullptr;
  if (bsmm_kernel_load(device, artifact, index, &loaded) != BSMM_OK)
    return lastError();
  kernel.reset(loaded);
  manifest = &contents.kernels[index].manifest;
  return "";
}

std::string ProblemRun::allocate() {
  Result<TestOperands> made =
      makeTestOperands(*manifest, request, options.data);
  if (!made)
    return made.error();
  operands = std::move(*made);
  given.clear();
  for (const auto &[role, bytes] : operands) {
    auto &place = memory.try_emplace(role, device).first->second;
    if (!place.create(bytes))
      return lastError();
    bsmm_operand operand{};
    operand.role = static_cast<bsmm_role>(role);
    operand.data = place.data();
    operand.bytes = bytes.size();
    auto pitch = options.pitches.find(role);
    if (pitch != options.pitches.end())
      operand.pitch = pitch->second;
    given.push_back(operand);
  }
  arguments.operands = given.data();
  arguments.operand_count = given.size();
  return "";
}

/// Both launches must give the same bytes, and nothing else may change.
std::string ProblemRun::launchTwice(Measurement &result) {
  GuardedMemory &d = memory.at(Role::D);
  std::vector<uint8_t> poisoned = operands[Role::D];
  std::vector<uint8_t> first;
  for (int launch = 0; launch < 2; ++launch) {
    if (!d.write(poisoned) ||
        bsmm_kernel_launch(kernel.get(), &arguments, nullptr) != BSMM_OK ||
        bsmm_device_synchronize(device, nullptr) != BSMM_OK ||
        !d.read(operands[Role::D]))
      return lastError();
    if (launch == 0)
      first = operands[Role::D];
  }
  result.isRepeatable = first == operands[Role::D];
  std::vector<uint8_t> now;
  for (const auto &[role, place] : memory) {
    int64_t damage = place.damage();
    if (damage < 0)
      return lastError();
    result.damagedGuards += damage;
    if (role == Role::D)
      continue;
    if (!place.read(now))
      return lastError();
    if (now != operands[role])
      result.changedInputs += (result.changedInputs.empty() ? "" : ", ") +
                              std::string(roleName(role));
  }
  return "";
}

namespace {
/// A line that is written over, for people at a terminal.
struct Progress {
  bool isOn = false;
  static int32_t step(void *user, int32_t done, int32_t repetitions) {
    auto *progress = static_cast<Progress *>(user);
    if (progress->isOn && (done % 8 == 0 || done == repetitions))
      std::fprintf(stderr, "\rmeasuring %d of %d%s", done, repetitions,
                   done == repetitions ? "\r\033[K" : "");
    return 0;
  }
};
} // namespace

std::string ProblemRun::measure(Measurement &result) {
  bsmm_measure_options how = BSMM_MEASURE_OPTIONS_INIT;
  how.warmup = static_cast<int32_t>(options.warmup);
  how.repetitions = static_cast<int32_t>(options.repetitions);
  how.flush_l2 = options.flush;
  Progress progress{!options.quiet && isatty(2) != 0};
  how.progress = Progress::step;
  how.user = &progress;
  result.milliseconds.resize(static_cast<size_t>(options.repetitions));
  // Every launch would say the same again.
  bsmm_set_log(nullptr, nullptr);
  int32_t measured = 0;
  if (bsmm_kernel_measure(kernel.get(), &arguments, &how, nullptr,
                          result.milliseconds.data(), &measured) != BSMM_OK)
    return lastError();
  result.milliseconds.resize(static_cast<size_t>(measured));
  return "";
}

static void printLog(void *, bsmm_log_level level, const char *text) {
  std::fprintf(stderr, "%s%s\n", level == BSMM_LOG_WARNING ? "warning: " : "",
               text);
}

std::string ProblemRun::run(const Shape &shape, Measurement &result) {
  if (!options.quiet)
    bsmm_set_log(printLog, nullptr);
  arguments.m = request.m = shape.m;
  arguments.n = request.n = shape.n;
  arguments.k = request.k = shape.k;
  arguments.l = request.l = shape.l;
  arguments.alpha = request.alpha = static_cast<float>(options.alpha);
  arguments.beta = request.beta = static_cast<float>(options.beta);
  arguments.out_scale = request.outScale = static_cast<float>(options.outScale);
  arguments.sm_count = static_cast<int32_t>(options.sms);
  arguments.flags = options.repack ? bsmm_launch_flags(BSMM_REPACK) : 0;
  for (auto [role, pitch] : options.pitches) {
    request.operands[role].pitch = pitch;
    bsmm_operand operand{};
    operand.role = static_cast<bsmm_role>(role);
    operand.pitch = pitch;
    given.push_back(operand);
  }
  arguments.operands = given.data();
  arguments.operand_count = given.size();
  std::string text = select();
  if (text.empty())
    text = allocate();
  if (!text.empty())
    return text;
  result.shape = shape;
  result.index = bsmm_kernel_index(kernel.get());
  result.name = contents.kernels[result.index].name;
  result.manifest = *manifest;
  result.resources.struct_size = sizeof(result.resources);
  bsmm_kernel_resources_get(kernel.get(), &result.resources);
  result.traffic = trafficBytes(*manifest, request);
  if (text = launchTwice(result); !text.empty())
    return text;
  if (options.verify) {
    VerificationOptions how;
    how.poison = options.data.poison;
    how.seed = options.data.seed;
    how.threads = static_cast<unsigned>(options.threads);
    how.maxMultiplyAdds = options.referenceWork * 1000000;
    how.hasExactSums = options.data.distribution == Distribution::Exact;
    Result<Verification> verdict =
        verifyOutput(*manifest, request, operands, how);
    if (!verdict)
      return verdict.error();
    result.verdict = *verdict;
    result.isVerified = true;
  }
  if (!options.output.empty()) {
    const std::vector<uint8_t> &d = operands[Role::D];
    text = writeFileInOneStep(
        options.output, {reinterpret_cast<const char *>(d.data()), d.size()});
    if (!text.empty())
      return text;
  }
  return options.bench ? measure(result) : "";
}

int launch::runCommand(int count, char **words) {
  OptionReader reader(count, words);
  RunOptions options;
  readOptions(reader, options);
  if (!reader.error.empty())
    return usageError(reader.error);
  if (options.file.empty())
    return usageError("run: expected an artifact");
  if (options.shapes.empty())
    options.shapes.push_back(options.shape);
  Result<Artifact> contents = readArtifactFile(options.file);
  if (!contents)
    return fail(contents.error());
  bsmm_artifact *opened = nullptr;
  if (bsmm_artifact_open_memory(contents->file->data(), contents->file->size(),
                                &opened) != BSMM_OK)
    return fail(lastError());
  ArtifactHandle artifact(opened);
  DeviceHandle device;
  if (std::string text = openDevice(options, device); !text.empty())
    return fail(text);

  bsmm_device_info info{};
  info.struct_size = sizeof(info);
  bsmm_device_info_get(device.get(), &info);

  MeasurementReport report({info.name, info.target, info.sm_count,
                            info.driver_version, options.data.seed,
                            distributionName(options.data.distribution),
                            options.warmup, options.flush});
  bool isGood = true;
  for (const Shape &shape : options.shapes) {
    Measurement result;
    ProblemRun run(options, device.get(), artifact.get(), *contents);
    if (std::string text = run.run(shape, result); !text.empty()) {
      // What was measured before stays.
      if (!options.json.empty())
        report.write(options.json);
      return fail(text);
    }
    isGood &= result.isGood();
    std::fputs(report.add(result).c_str(), stdout);
    std::fflush(stdout);
  }
  if (!options.json.empty())
    if (std::string text = report.write(options.json); !text.empty())
      return fail(text);
  return isGood ? 0 : 1;
}
