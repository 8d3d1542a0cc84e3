//===- EmulatorDevice.cpp - kernels without a GPU -------------------------===//

#include "Device.h"
#include "bsmm/Emulator/Emulator.h"
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;

Device::~Device() = default;
LoadedKernel::~LoadedKernel() = default;
PreparedLaunch::~PreparedLaunch() = default;

namespace {
class EmulatorKernel;

/// What emulator devices have given out and not taken back. The memory is the
/// process's: any of them takes it back, as a GPU does that is open twice.
class HostMemory {
public:
  static HostMemory &get() {
    // Never destroyed: programs may give memory back while they end.
    static HostMemory &memory = *new HostMemory;
    return memory;
  }
  /// Null when there is not so much. `bytes` is a multiple of 256.
  void *allocate(uint64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    void *data = std::aligned_alloc(256, bytes);
    if (data)
      given.insert(data);
    return data;
  }
  /// Whether `data` was given out.
  bool free(void *data) {
    std::lock_guard<std::mutex> lock(mutex);
    if (given.erase(data) == 0)
      return false;
    std::free(data);
    return true;
  }

private:
  std::mutex mutex;
  std::unordered_set<void *> given;
};

class EmulatorDevice : public Device {
public:
  EmulatorDevice(const bsmm_emulator_options &given,
                 const emulator::Options &options)
      : target(given.target ? given.target : ""), sms(given.sm_count),
        options(options) {}

  bsmm_device_info info() const override {
    bsmm_device_info info{};
    info.backend = BSMM_BACKEND_EMULATOR;
    info.ordinal = -1;
    info.name = "emulator";
    info.target = target.c_str();
    info.sm_count = static_cast<int32_t>(sms);
    return info;
  }
  int64_t smCount() const override { return sms; }
  std::string whyNotTarget(const std::string &wanted) const override {
    if (target.empty() || target == wanted)
      return "";
    return "the emulated target is " + target;
  }
  bsmm_status load(const ArtifactKernel &kernel,
                   std::unique_ptr<LoadedKernel> &loaded) override;

  bsmm_status allocate(uint64_t bytes, void *&data) override {
    // At least what cuMemAlloc aligns to.
    uint64_t rounded = (bytes + 255) / 256 * 256;
    if (rounded < bytes || bytes == 0)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected 1 to 2^64 - 256 bytes, got " +
                      std::to_string(bytes));
    data = HostMemory::get().allocate(rounded);
    if (!data)
      return fail(BSMM_OUT_OF_MEMORY, "out of host memory, " +
                                          std::to_string(bytes) +
                                          " bytes were asked for");
    return BSMM_OK;
  }
  bsmm_status free(void *data) override {
    if (HostMemory::get().free(data))
      return BSMM_OK;
    return fail(BSMM_INVALID_ARGUMENT,
                "data: expected memory of bsmm_device_allocate that is not "
                "freed yet, got another address");
  }
  bsmm_status write(void *to, const void *host, uint64_t bytes,
                    void *) override {
    std::memcpy(to, host, bytes);
    return BSMM_OK;
  }
  bsmm_status read(void *host, const void *from, uint64_t bytes,
                   void *) override {
    std::memcpy(host, from, bytes);
    return BSMM_OK;
  }
  bsmm_status fill(void *to, uint8_t value, uint64_t bytes, void *) override {
    std::memset(to, value, bytes);
    return BSMM_OK;
  }
  bsmm_status synchronize(void *) override { return BSMM_OK; }
  bsmm_status allocateTemporary(uint64_t bytes, void *, void *&data) override {
    return allocate(bytes, data);
  }
  void freeTemporary(void *data, void *) override {
    HostMemory::get().free(data);
  }
  bsmm_status fillRows(void *to, uint64_t pitch, uint8_t value, uint64_t width,
                       uint64_t rows, void *) override {
    for (uint64_t row = 0; row < rows; ++row)
      std::memset(static_cast<uint8_t *>(to) + row * pitch, value, width);
    return BSMM_OK;
  }
  bsmm_status copyRows(void *to, uint64_t toPitch, const void *from,
                       uint64_t fromPitch, uint64_t width, uint64_t rows,
                       void *) override {
    for (uint64_t row = 0; row < rows; ++row)
      std::memcpy(static_cast<uint8_t *>(to) + row * toPitch,
                  static_cast<const uint8_t *>(from) + row * fromPitch, width);
    return BSMM_OK;
  }
  bsmm_status checkMemory(const OperandMemory &) override { return BSMM_OK; }
  bsmm_status encodeTensorMap(const TensorMap &map, int l2Promotion,
                              const std::string &name, void *bytes) override;
  bsmm_status measure(const std::function<bsmm_status()> &launch,
                      const bsmm_measure_options &options, void *stream,
                      double *milliseconds, int32_t &measured) override;

private:
  friend class EmulatorKernel;
  std::string target; // empty: every one
  int64_t sms;
  emulator::Options options;
};

class EmulatorKernel : public LoadedKernel {
public:
  EmulatorKernel(const EmulatorDevice &device,
                 std::unique_ptr<emulator::Program> program)
      : options(device.options), program(std::move(program)) {}

  bsmm_status
  prepare(const Launch &launch, const std::vector<OperandMemory> &memory,
          std::shared_ptr<const PreparedLaunch> &prepared) const override;
  bsmm_kernel_resources resources() const override {
    bsmm_kernel_resources resources{};
    resources.max_threads = target::threads::maxPerBlock;
    return resources;
  }

  const emulator::Options options;
  const std::unique_ptr<emulator::Program> program;
};

class EmulatorLaunch : public PreparedLaunch {
public:
  EmulatorLaunch(const EmulatorKernel &kernel, const Launch &launch,
                 const std::vector<OperandMemory> &memory)
      : kernel(kernel), launch(launch), memory(memory) {}
  bsmm_status submit(void *stream) const override;

private:
  const EmulatorKernel &kernel;
  const Launch launch;
  const std::vector<OperandMemory> memory;
};
} // namespace

static emulator::Dim3 toEmulator(const Dim3 &dim) {
  return {static_cast<uint32_t>(dim[0]), static_cast<uint32_t>(dim[1]),
          static_cast<uint32_t>(dim[2])};
}

/// The two descriptions of a tensor map are separate on purpose (the emulator
/// shares nothing with the compiler); their enumerations are cuda.h's.
static emulator::units::TensorMap toEmulator(const TensorMap &map) {
  namespace units = emulator::units;
  units::TensorMap result;
  result.element = units::TensorMapElement(uint8_t(map.element));
  result.swizzle = units::TensorMapSwizzle(uint8_t(map.swizzle));
  result.fill =
      map.nanFill ? units::TensorMapFill::NaN : units::TensorMapFill::Zero;
  result.rank = static_cast<uint32_t>(map.dims.size());
  for (size_t i = 0; i < map.dims.size(); ++i) {
    result.dims[i] = static_cast<uint64_t>(map.dims[i]);
    result.box[i] = static_cast<uint32_t>(map.box[i]);
    if (i != 0)
      result.strides[i] = static_cast<uint64_t>(map.stridesBytes[i - 1]);
    if (!map.elementStrides.empty())
      result.elementStrides[i] = static_cast<uint32_t>(map.elementStrides[i]);
  }
  return result;
}

bsmm_status EmulatorDevice::load(const ArtifactKernel &kernel,
                                 std::unique_ptr<LoadedKernel> &loaded) {
  if (kernel.ptx.empty())
    return fail(BSMM_NOT_FOUND, "kernel '" + kernel.name + "' for " +
                                    kernel.manifest.target +
                                    " has a cubin alone: the emulator needs "
                                    "PTX");
  emulator::LoadResult result = emulator::loadProgram(std::string(kernel.ptx));
  if (!result.program) {
    std::string text = "the emulator refuses the PTX of '" + kernel.name + "'";
    for (const emulator::SourceDiagnostic &error : result.errors)
      text += "\n  line " + std::to_string(error.line) + ": " + error.message;
    return fail(BSMM_INVALID_ARTIFACT, text);
  }
  // "sm_90" runs as sm_90a: it uses no feature of that architecture alone.
  std::string generic = kernel.manifest.target;
  generic.pop_back();
  if (result.program->target() != kernel.manifest.target &&
      result.program->target() != generic)
    return fail(BSMM_INVALID_ARTIFACT,
                "expected PTX for " + kernel.manifest.target +
                    ", as the manifest says, got PTX for " +
                    result.program->target());
  std::vector<std::string> entries = result.program->entries();
  if (std::find(entries.begin(), entries.end(), kernel.manifest.entry) ==
      entries.end())
    return fail(BSMM_INVALID_ARTIFACT,
                "the PTX has no entry '" + kernel.manifest.entry + "'");
  loaded = std::make_unique<EmulatorKernel>(*this, std::move(result.program));
  return BSMM_OK;
}

namespace {
/// Memory as the emulator sees it.
struct HostRange {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  std::string name;
  bool isOutput = false;
  std::vector<uint8_t> staging; // empty: the memory itself
  uint64_t shift = 0;           // of `begin` in the staging
};

/// Operands that share an address become one buffer.
std::vector<HostRange> collect(const std::vector<OperandMemory> &memory) {
  std::vector<HostRange> ranges;
  for (const OperandMemory &operand : memory) {
    auto found =
        std::find_if(ranges.begin(), ranges.end(), [&](const HostRange &range) {
          return range.begin == operand.address;
        });
    if (found == ranges.end())
      found = ranges.insert(ranges.end(), HostRange());
    found->begin = operand.address;
    found->bytes =
        std::max<uint64_t>(found->bytes, static_cast<uint64_t>(operand.bytes));
    found->isOutput |= operand.isOutput;
    found->name +=
        (found->name.empty() ? "" : ", ") + std::string(roleName(operand.role));
  }
  // The emulator places buffers at multiples of 1024. Memory that is less
  // aligned than the widest access must not get better by that.
  constexpr uint64_t widest = 128;
  for (HostRange &range : ranges)
    range.shift = range.begin % widest;
  return ranges;
}
} // namespace

bsmm_status
EmulatorKernel::prepare(const Launch &launch,
                        const std::vector<OperandMemory> &memory,
                        std::shared_ptr<const PreparedLaunch> &prepared) const {
  prepared = std::make_shared<EmulatorLaunch>(*this, launch, memory);
  return BSMM_OK;
}

bsmm_status EmulatorLaunch::submit(void *) const {
  emulator::Launch emulated;
  emulated.entry = launch.entry;
  emulated.grid = toEmulator(launch.grid);
  emulated.block = toEmulator(launch.block);
  emulated.cluster = toEmulator(launch.cluster);
  emulated.dynamicSharedBytes =
      static_cast<uint32_t>(launch.dynamicSharedMemory);

  std::vector<HostRange> ranges = collect(memory);
  for (HostRange &range : ranges) {
    auto *data = reinterpret_cast<uint8_t *>(range.begin);
    if (range.shift != 0) {
      range.staging.resize(range.shift + range.bytes);
      std::memcpy(range.staging.data() + range.shift, data, range.bytes);
      data = range.staging.data();
    }
    emulated.buffers.push_back(
        {range.name, data, range.shift + range.bytes, !range.isOutput});
  }
  auto indexOf = [&](uint64_t address) {
    size_t index = 0;
    while (index < ranges.size() && ranges[index].begin != address)
      ++index;
    return index;
  };
  for (const LaunchParam &param : launch.params) {
    using Kind = LaunchParam::Kind;
    switch (param.kind) {
    case Kind::TensorMap: {
      size_t index = indexOf(param.map.data.address);
      if (index == ranges.size())
        return fail(BSMM_INTERNAL_ERROR, "a tensor map of unknown memory");
      emulated.parameters.push_back(emulator::Parameter::tensorMap(
          toEmulator(param.map), index, ranges[index].shift));
      break;
    }
    case Kind::Pointer: {
      size_t index = indexOf(param.pointer.address);
      if (index == ranges.size())
        return fail(BSMM_INTERNAL_ERROR, "a pointer to unknown memory");
      emulated.parameters.push_back(
          emulator::Parameter::pointer(index, ranges[index].shift));
      break;
    }
    case Kind::I32:
      emulated.parameters.push_back(
          emulator::Parameter::i32(static_cast<int32_t>(param.integer)));
      break;
    case Kind::I64:
      emulated.parameters.push_back(emulator::Parameter::i64(param.integer));
      break;
    case Kind::F32: {
      float value;
      std::memcpy(&value, &param.floatBits, sizeof(value));
      emulated.parameters.push_back(emulator::Parameter::f32(value));
      break;
    }
    case Kind::Null:
      emulated.parameters.push_back(emulator::Parameter::null());
      break;
    case Kind::Struct:
      return fail(BSMM_INTERNAL_ERROR, "a parameter by structure");
    }
  }

  emulator::Report report =
      emulator::run(*kernel.program, emulated, kernel.options);
  for (const HostRange &range : ranges)
    if (range.isOutput && range.shift != 0)
      std::memcpy(reinterpret_cast<uint8_t *>(range.begin),
                  range.staging.data() + range.shift, range.bytes);
  if (!report.diagnostics.empty() || !report.completed) {
    std::string text =
        report.completed || !report.diagnostics.empty()
            ? "the emulator found faults in '" + launch.entry + "'"
            : "the emulator did not run '" + launch.entry + "' to its end";
    for (const emulator::Diagnostic &diagnostic : report.diagnostics)
      text += "\n  " + emulator::formatDiagnostic(diagnostic);
    return fail(BSMM_KERNEL_FAULT, text);
  }
  if (isLogging()) {
    const emulator::Statistics &statistics = report.statistics;
    log(BSMM_LOG_INFO,
        "emulator: " + launch.entry + ": " + std::to_string(statistics.ctas) +
            " CTAs, " + std::to_string(statistics.warpInstructions) +
            " warp instructions, " +
            std::to_string(statistics.tensorInstructions) +
            " tensor instructions, " + std::to_string(statistics.bulkCopies) +
            " bulk copies");
  }
  return BSMM_OK;
}

bsmm_status EmulatorDevice::encodeTensorMap(const TensorMap &map, int,
                                            const std::string &name,
                                            void *bytes) {
  emulator::units::TensorMap converted = toEmulator(map);
  converted.globalAddress = map.data.address;
  std::string text = emulator::units::checkTensorMap(converted);
  if (!text.empty())
    return fail(BSMM_UNSUPPORTED_PROBLEM, name + ": " + text);
  uint8_t encoded[128];
  emulator::encodeTensorMap(converted, encoded);
  std::memcpy(bytes, encoded, sizeof(encoded));
  return BSMM_OK;
}

bsmm_status EmulatorDevice::measure(const std::function<bsmm_status()> &launch,
                                    const bsmm_measure_options &options, void *,
                                    double *milliseconds, int32_t &measured) {
  using Clock = std::chrono::steady_clock;
  for (int32_t i = 0; i < options.warmup; ++i)
    if (bsmm_status status = launch())
      return status;
  measured = 0;
  while (measured < options.repetitions) {
    Clock::time_point start = Clock::now();
    if (bsmm_status status = launch())
      return status;
    milliseconds[measured++] =
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (options.progress &&
        options.progress(options.user, measured, options.repetitions))
      break;
  }
  return BSMM_OK;
}

bsmm_status library::openEmulatorDevice(const bsmm_emulator_options &given,
                                        std::shared_ptr<Device> &device) {
  emulator::Options options;
  std::string mode = given.mode ? given.mode : "eager";
  if (mode == "lazy") {
    options.mode = emulator::AsyncMode::Lazy;
  } else if (mode.compare(0, 7, "random:") == 0) {
    options.mode = emulator::AsyncMode::Random;
    char *end = nullptr;
    errno = 0;
    options.seed = std::strtoull(mode.c_str() + 7, &end, 10);
    if (errno != 0 || end == mode.c_str() + 7 || *end != '\0' ||
        mode[7] == '-' || mode[7] == '+' || mode[7] == ' ')
      return fail(BSMM_INVALID_ARGUMENT,
                  "mode: expected random:SEED with a number, got '" + mode +
                      "'");
  } else if (mode != "eager") {
    return fail(BSMM_INVALID_ARGUMENT,
                "mode: expected eager, lazy or random:SEED, got '" + mode +
                    "'");
  }
  std::string arithmetic = given.arithmetic ? given.arithmetic : "hardware";
  if (arithmetic == "exact")
    options.arithmetic = emulator::Arithmetic::Exact;
  else if (arithmetic != "hardware")
    return fail(BSMM_INVALID_ARGUMENT,
                "arithmetic: expected hardware or exact, got '" + arithmetic +
                    "'");
  if (given.target && *given.target) {
    std::string unknown = target::whyNotGpu(given.target);
    if (!unknown.empty())
      return fail(BSMM_INVALID_ARGUMENT, "target: " + unknown);
  }
  if (given.sm_count < 0 || given.sm_count > 65536)
    return fail(BSMM_INVALID_ARGUMENT, "sm_count: expected 0 to 65536, got " +
                                           std::to_string(given.sm_count));
  options.strict = given.strict != 0;
  options.maxInstructions = given.max_instructions;
  device = std::make_shared<EmulatorDevice>(given, options);
  return BSMM_OK;
}
