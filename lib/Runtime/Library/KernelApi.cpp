//===- KernelApi.cpp - kernels through the C ABI --------------------------===//

#include "Handles.h"
#include <cstddef>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;

static bsmm_status noKernel() {
  return fail(BSMM_INVALID_ARGUMENT, "kernel: expected a kernel, got NULL");
}

//===----------------------------------------------------------------------===//
// Launches seen before
//===----------------------------------------------------------------------===//

/// FNV-1a.
static uint64_t hashOf(const std::string &key) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char byte : key)
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001B3;
  return hash;
}

std::shared_ptr<const PreparedLaunch>
LaunchCache::find(const std::string &key) {
  uint64_t hash = hashOf(key);
  std::lock_guard<std::mutex> lock(mutex);
  for (const CachedLaunch &entry : entries)
    if (entry.hash == hash && entry.key == key)
      return entry.launch;
  return nullptr;
}

void LaunchCache::insert(std::string key,
                         std::shared_ptr<const PreparedLaunch> launch) {
  CachedLaunch entry{hashOf(key), std::move(key), std::move(launch)};
  std::lock_guard<std::mutex> lock(mutex);
  if (entries.size() < capacity) {
    entries.push_back(std::move(entry));
    return;
  }
  std::swap(entries[next], entry);
  next = (next + 1) % capacity;
}

/// Everything that a launch depends on.
static std::string keyOf(const Arguments &arguments) {
  std::string key;
  auto add = [&](auto value) {
    key.append(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  const LaunchRequest &request = arguments.request;
  for (int64_t size :
       {request.m, request.n, request.k, request.l, request.smCount})
    add(size);
  for (float scalar : {request.alpha, request.beta, request.outScale})
    add(scalar);
  for (const auto &[role, binding] : request.operands) {
    add(static_cast<int32_t>(role));
    add(binding.data.address);
    add(binding.pitch);
    add(binding.batchStride);
  }
  // Sizes of memory are checked, too.
  for (const OperandMemory &memory : arguments.memory)
    add(memory.bytes);
  return key;
}

//===----------------------------------------------------------------------===//
// Temporary memory of one launch
//===----------------------------------------------------------------------===//

namespace {
/// Given back in the order of the stream when the launch has been submitted.
class TemporaryMemory {
public:
  TemporaryMemory(Device &device, void *stream)
      : device(device), stream(stream) {}
  ~TemporaryMemory() {
    for (void *data : owned)
      device.freeTemporary(data, stream);
  }
  TemporaryMemory(const TemporaryMemory &) = delete;
  TemporaryMemory &operator=(const TemporaryMemory &) = delete;

  bool isEmpty() const { return owned.empty(); }
  bsmm_status allocate(int64_t bytes, void *&data) {
    owned.reserve(owned.size() + 1);
    if (bsmm_status status = device.allocateTemporary(
            static_cast<uint64_t>(bytes), stream, data))
      return status;
    owned.push_back(data);
    return BSMM_OK;
  }

private:
  Device &device;
  void *stream;
  std::vector<void *> owned;
};

/// One launch on its way to the device.
class LaunchRun {
public:
  LaunchRun(bsmm_kernel &kernel, void *stream)
      : kernel(kernel), device(*kernel.device), stream(stream),
        temporaries(device, stream) {}

  bsmm_status run(const bsmm_arguments *given);

private:
  OperandMemory *memoryOf(Role role);
  bsmm_status prepareWorkspace();
  bsmm_status prepareOutput();
  bsmm_status repack(Role role);
  bsmm_status fillEmptyOperands();
  bsmm_status prepare(std::shared_ptr<const PreparedLaunch> &prepared);

  bsmm_kernel &kernel;
  Device &device;
  void *stream;
  Arguments arguments;
  TemporaryMemory temporaries;
};
} // namespace

OperandMemory *LaunchRun::memoryOf(Role role) {
  for (OperandMemory &memory : arguments.memory)
    if (memory.role == role)
      return &memory;
  return nullptr;
}

/// Zeroes the workspace, after taking one when none was given.
bsmm_status LaunchRun::prepareWorkspace() {
  if (!operandRules(kernel.manifest(), Role::Workspace))
    return BSMM_OK;
  Result<int64_t> bytes = workspaceBytes(kernel.manifest(), arguments.request);
  if (!bytes)
    return fail(BSMM_UNSUPPORTED_PROBLEM, bytes.error());
  OperandMemory *memory = memoryOf(Role::Workspace);
  if (!memory && *bytes != 0) {
    void *data = nullptr;
    if (bsmm_status status = temporaries.allocate(*bytes, data))
      return status;
    auto address = reinterpret_cast<uintptr_t>(data);
    arguments.memory.push_back({Role::Workspace, address, *bytes, true});
    arguments.request.operands[Role::Workspace].data.address = address;
    memory = &arguments.memory.back();
  }
  if (*bytes == 0)
    return BSMM_OK;
  return device.fill(reinterpret_cast<void *>(memory->address), 0,
                     static_cast<uint64_t>(*bytes), stream);
}

/// Zeroes the rows and columns of an output that the kernel adds to; what lies
/// between them stays.
bsmm_status LaunchRun::prepareOutput() {
  const OperandMemory *memory = memoryOf(Role::D);
  if (!kernel.manifest().addsToOutput || !memory)
    return BSMM_OK;
  Result<OperandShape> shape =
      operandShape(kernel.manifest(), arguments.request, Role::D);
  if (!shape)
    return fail(BSMM_UNSUPPORTED_PROBLEM, shape.error());
  uint64_t bytes = target::bitWidth(shape->type) / 8;
  auto count = [&](int64_t elements) {
    return static_cast<uint64_t>(elements) * bytes;
  };
  for (int64_t batch = 0; batch < arguments.request.l; ++batch)
    if (bsmm_status status =
            device.fillRows(reinterpret_cast<uint8_t *>(memory->address) +
                                count(batch * shape->batchStride),
                            count(shape->pitch), 0, count(shape->columns),
                            static_cast<uint64_t>(shape->rows), stream))
      return status;
  return BSMM_OK;
}

/// Copies an operand that TMA cannot read as it lies.
bsmm_status LaunchRun::repack(Role role) {
  const KernelManifest &manifest = kernel.manifest();
  Result<OperandRules> rules = operandRules(manifest, role);
  OperandMemory *memory = memoryOf(role);
  if (!rules || !rules->usesTensorMap || !memory)
    return BSMM_OK;
  Result<OperandShape> from = operandShape(manifest, arguments.request, role);
  if (!from)
    return fail(BSMM_UNSUPPORTED_PROBLEM, from.error());
  if (!needsRepack(*rules, *from, memory->address, arguments.request.l))
    return BSMM_OK;

  LaunchRequest packed = arguments.request;
  packed.operands[role].pitch = packed.operands[role].batchStride = -1;
  Result<OperandShape> to = operandShape(manifest, packed, role);
  if (!to)
    return fail(BSMM_UNSUPPORTED_PROBLEM, to.error());
  void *data = nullptr;
  if (bsmm_status status = temporaries.allocate(to->bytes, data))
    return status;
  int64_t bits = target::bitWidth(from->type);
  int64_t fromPitch = from->pitch * bits / 8, toPitch = to->pitch * bits / 8;
  int64_t width = (from->columns * bits + 7) / 8, rows = from->rows;
  int64_t fromBatch = from->batchStride * bits / 8;
  int64_t toBatch = to->batchStride * bits / 8;
  if (rules->isScaleTiles || rules->isVector) {
    // A batch is one row.
    width = rules->isScaleTiles
                ? (from->bytes - (arguments.request.l - 1) * from->batchStride)
                : from->columns * bits / 8;
    rows = 1;
    fromPitch = toPitch = width;
  }
  int64_t batches = toBatch == 0 ? 1 : arguments.request.l;
  for (int64_t batch = 0; batch < batches; ++batch)
    if (bsmm_status status = device.copyRows(
            static_cast<uint8_t *>(data) + batch * toBatch,
            static_cast<uint64_t>(toPitch),
            reinterpret_cast<const uint8_t *>(memory->address) +
                batch * fromBatch,
            static_cast<uint64_t>(fromPitch), static_cast<uint64_t>(width),
            static_cast<uint64_t>(rows), stream))
      return status;
  log(BSMM_LOG_INFO, std::string(roleName(role)) + ": repacked " +
                         std::to_string(to->bytes) +
                         " bytes, since TMA cannot read the given address or "
                         "pitch");
  memory->address = reinterpret_cast<uintptr_t>(data);
  memory->bytes = to->bytes;
  OperandBinding &binding = arguments.request.operands[role];
  binding = packed.operands[role];
  binding.data.address = memory->address;
  return BSMM_OK;
}

/// Operands of no bytes (K = 0) still have an address in their tensor map.
bsmm_status LaunchRun::fillEmptyOperands() {
  void *data = nullptr;
  for (auto &[role, binding] : arguments.request.operands) {
    OperandMemory *memory = memoryOf(role);
    if (memory && memory->bytes != 0)
      continue;
    if (!data)
      if (bsmm_status status = temporaries.allocate(emptyOperandBytes, data))
        return status;
    auto address = reinterpret_cast<uintptr_t>(data);
    binding.data.address = address;
    if (memory)
      *memory = {role, address, emptyOperandBytes, memory->isOutput};
    else
      arguments.memory.push_back({role, address, emptyOperandBytes, false});
  }
  return BSMM_OK;
}

bsmm_status
LaunchRun::prepare(std::shared_ptr<const PreparedLaunch> &prepared) {
  std::string key = keyOf(arguments);
  prepared = kernel.launches.find(key);
  if (prepared)
    return BSMM_OK;
  for (const OperandMemory &memory : arguments.memory)
    if (memory.bytes != 0)
      if (bsmm_status status = device.checkMemory(memory))
        return status;
  Result<Launch> launch = resolve(kernel.manifest(), arguments.request);
  if (!launch)
    return fail(BSMM_UNSUPPORTED_PROBLEM, launch.error());
  if (launch->isEmpty())
    return BSMM_OK;
  if (isLogging())
    for (const LaunchParam &param : launch->params)
      if (param.kind == LaunchParam::Kind::TensorMap)
        if (std::string warning = warnOfTensorMap(param.map, launch->entry);
            !warning.empty())
          log(BSMM_LOG_WARNING, warning);
  if (bsmm_status status =
          kernel.loaded->prepare(*launch, arguments.memory, prepared))
    return status;
  kernel.launches.insert(std::move(key), prepared);
  return BSMM_OK;
}

/// The caller's arguments as they are; empty when they have an unusual form.
static std::string plainKeyOf(const bsmm_arguments *given) {
  if (!given || given->struct_size != sizeof(bsmm_arguments) ||
      given->operand_count > BSMM_ROLE_COUNT || !given->operands)
    return "";
  std::string key(reinterpret_cast<const char *>(given),
                  offsetof(bsmm_arguments, operands));
  key.append(reinterpret_cast<const char *>(&given->flags),
             sizeof(given->flags));
  key.append(reinterpret_cast<const char *>(given->operands),
             given->operand_count * sizeof(bsmm_operand));
  return key;
}

bsmm_status LaunchRun::run(const bsmm_arguments *given) {
  std::string plainKey = plainKeyOf(given);
  if (!plainKey.empty())
    if (auto known = kernel.plainLaunches.find(plainKey))
      return known->submit(stream);
  if (bsmm_status status = readArguments(kernel.manifest(), given,
                                         /*needsData=*/true, arguments))
    return status;
  LaunchRequest &request = arguments.request;
  if (request.smCount == 0)
    request.smCount = device.smCount();
  if (request.m == 0 || request.n == 0 || request.l == 0)
    return BSMM_OK;
  if (arguments.mayRepack)
    for (Role role : {Role::A, Role::B, Role::SFA, Role::SFB, Role::C, Role::SA,
                      Role::SB, Role::Bias})
      if (bsmm_status status = repack(role))
        return status;
  if (bsmm_status status = prepareWorkspace())
    return status;
  if (bsmm_status status = fillEmptyOperands())
    return status;
  std::shared_ptr<const PreparedLaunch> prepared;
  if (bsmm_status status = prepare(prepared))
    return status;
  if (!prepared)
    return BSMM_OK;
  if (bsmm_status status = prepareOutput())
    return status;
  bool isPlain = temporaries.isEmpty() && !kernel.manifest().addsToOutput &&
                 !operandRules(kernel.manifest(), Role::Workspace);
  if (isPlain && !plainKey.empty())
    kernel.plainLaunches.insert(std::move(plainKey), prepared);
  return prepared->submit(stream);
}

//===----------------------------------------------------------------------===//
// The C functions
//===----------------------------------------------------------------------===//

extern "C" {

bsmm_status bsmm_kernel_load(bsmm_device *device, const bsmm_artifact *artifact,
                             size_t index, bsmm_kernel **loaded) {
  return guarded([&]() -> bsmm_status {
    if (!device || !artifact || !loaded)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected a device, an artifact and a place for the kernel, "
                  "got NULL");
    const std::vector<ArtifactKernel> &kernels =
        artifact->data->artifact.kernels;
    if (index >= kernels.size())
      return fail(BSMM_INVALID_ARGUMENT,
                  "kernel: expected an index below the " +
                      std::to_string(kernels.size()) +
                      " kernels of the artifact, got " + std::to_string(index));
    const ArtifactKernel &code = kernels[index];
    std::string whyNot = device->device->whyNotTarget(code.manifest.target);
    if (!whyNot.empty())
      return fail(BSMM_NOT_FOUND, "kernel '" + code.name + "' is made for " +
                                      code.manifest.target + ", but " + whyNot);
    auto kernel = std::make_unique<bsmm_kernel>();
    kernel->data = artifact->data;
    kernel->device = device->device;
    kernel->index = index;
    if (bsmm_status status = device->device->load(code, kernel->loaded))
      return status;
    *loaded = kernel.release();
    return BSMM_OK;
  });
}

bsmm_status bsmm_kernel_load_best(bsmm_device *device,
                                  const bsmm_artifact *artifact,
                                  const char *name,
                                  const bsmm_arguments *arguments,
                                  bsmm_kernel **loaded) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return fail(BSMM_INVALID_ARGUMENT, "device: expected a device, got NULL");
    bsmm_device_info info = device->device->info();
    if (info.backend == BSMM_BACKEND_CUDA && !*info.target)
      return fail(BSMM_NOT_FOUND, device->device->whyNotTarget(""));
    // The cost model counts the SMs of this device. A structure of another
    // version is left to the selection, which says what is wrong with it.
    bsmm_arguments here{};
    if (arguments && arguments->struct_size == sizeof(here) &&
        arguments->sm_count == 0) {
      here = *arguments;
      here.sm_count = static_cast<int32_t>(device->device->smCount());
      arguments = &here;
    }
    size_t index = 0;
    if (bsmm_status status = bsmm_artifact_select(artifact, name, info.target,
                                                  arguments, &index))
      return status;
    return bsmm_kernel_load(device, artifact, index, loaded);
  });
}

void bsmm_kernel_unload(bsmm_kernel *kernel) { delete kernel; }

size_t bsmm_kernel_index(const bsmm_kernel *kernel) {
  return kernel ? kernel->index : 0;
}

bsmm_status bsmm_kernel_resources_get(const bsmm_kernel *kernel,
                                      bsmm_kernel_resources *resources) {
  return guarded([&]() -> bsmm_status {
    if (!kernel)
      return noKernel();
    if (bsmm_status status = checkStructure(resources, "resources"))
      return status;
    writeStructure(resources, kernel->loaded->resources());
    return BSMM_OK;
  });
}

bsmm_status bsmm_kernel_launch(bsmm_kernel *kernel,
                               const bsmm_arguments *arguments, void *stream) {
  return guarded([&]() -> bsmm_status {
    if (!kernel)
      return noKernel();
    return LaunchRun(*kernel, stream).run(arguments);
  });
}

bsmm_status bsmm_kernel_measure(bsmm_kernel *kernel,
                                const bsmm_arguments *arguments,
                                const bsmm_measure_options *options,
                                void *stream, double *milliseconds,
                                int32_t *measured) {
  return guarded([&]() -> bsmm_status {
    if (!kernel)
      return noKernel();
    bsmm_measure_options read = BSMM_MEASURE_OPTIONS_INIT;
    if (options)
      if (bsmm_status status = readStructure(options, read, "options"))
        return status;
    if (!milliseconds || !measured)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected places for times and their number, got NULL");
    if (read.warmup < 0 || read.repetitions < 1)
      return fail(BSMM_INVALID_ARGUMENT,
                  "options: expected 0 or more launches to warm up and 1 or "
                  "more to measure, got " +
                      std::to_string(read.warmup) + " and " +
                      std::to_string(read.repetitions));
    auto launch = [&] { return LaunchRun(*kernel, stream).run(arguments); };
    return kernel->device->measure(launch, read, stream, milliseconds,
                                   *measured);
  });
}

} // extern "C"
