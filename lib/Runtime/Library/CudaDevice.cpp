//===- CudaDevice.cpp - kernels on a GPU ----------------------------------===//
//
// CUDA driver API 12.0 and newer. All work happens in the primary context of
// the device, which the CUDA runtime and torch use too, and in the stream of
// the caller.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "Device.h"

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;
using cuda::DevicePointer;
using cuda::Driver;

static bsmm_status driverError(const Driver &driver, cuda::Result error,
                               const std::string &what) {
  bsmm_status status =
      error == cuda::errorOutOfMemory ? BSMM_OUT_OF_MEMORY : BSMM_DRIVER_ERROR;
  return fail(status, what + ": " + driver.describe(error));
}

/// CU_TENSOR_MAP_L2_PROMOTION_L2_128B: fetches of 128 bytes, a sector pair; it
/// changes no result.
static constexpr int l2Promotion128B = 2;

static cuda::Stream toStream(void *stream) {
  return reinterpret_cast<cuda::Stream>(stream);
}
static DevicePointer toPointer(const void *data) {
  return reinterpret_cast<uintptr_t>(data);
}

namespace {
/// The primary context of a device, kept for as long as anything uses it.
class PrimaryContext {
public:
  PrimaryContext(const Driver &driver, cuda::DeviceId id, cuda::Context context)
      : driver(driver), id(id), context(context) {}
  ~PrimaryContext() { driver.primaryContextRelease(id); }
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;

  const Driver &driver;
  const cuda::DeviceId id;
  const cuda::Context context;
};

/// Makes the context current for a scope.
class Current {
public:
  explicit Current(const PrimaryContext &primary) : driver(primary.driver) {
    result = driver.contextPush(primary.context);
  }
  ~Current() {
    cuda::Context previous;
    if (result == cuda::success)
      driver.contextPop(&previous);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  bsmm_status status() const {
    if (result == cuda::success)
      return BSMM_OK;
    return driverError(driver, result, "cuCtxPushCurrent");
  }

private:
  const Driver &driver;
  cuda::Result result;
};

class CudaDevice : public Device {
public:
  CudaDevice(std::shared_ptr<PrimaryContext> primary, int32_t ordinal)
      : primary(std::move(primary)), driver(this->primary->driver),
        ordinal(ordinal) {}
  ~CudaDevice() override;

  /// Asks the driver what the device is.
  bsmm_status query();

  bsmm_device_info info() const override;
  int64_t smCount() const override { return sms; }
  std::string whyNotTarget(const std::string &wanted) const override {
    if (!target.empty() && target == wanted)
      return "";
    return name + " runs kernels for " +
           (target.empty() ? "compute capability " + capability +
                                 ", which bsmm does not know"
                           : target);
  }
  bsmm_status load(const ArtifactKernel &kernel,
                   std::unique_ptr<LoadedKernel> &loaded) override;
  bsmm_status allocate(uint64_t bytes, void *&data) override;
  bsmm_status free(void *data) override;
  bsmm_status write(void *to, const void *host, uint64_t bytes,
                    void *stream) override;
  bsmm_status read(void *host, const void *from, uint64_t bytes,
                   void *stream) override;
  bsmm_status fill(void *to, uint8_t value, uint64_t bytes,
                   void *stream) override;
  bsmm_status synchronize(void *stream) override;
  bsmm_status allocateTemporary(uint64_t bytes, void *stream,
                                void *&data) override;
  void freeTemporary(void *data, void *stream) override;
  bsmm_status fillRows(void *to, uint64_t pitch, uint8_t value, uint64_t width,
                       uint64_t rows, void *stream) override;
  bsmm_status copyRows(void *to, uint64_t toPitch, const void *from,
                       uint64_t fromPitch, uint64_t width, uint64_t rows,
                       void *stream) override;
  bsmm_status checkMemory(const OperandMemory &memory) override;
  bsmm_status encodeTensorMap(const TensorMap &map, int l2Promotion,
                              const std::string &name, void *bytes) override;
  bsmm_status measure(const std::function<bsmm_status()> &launch,
                      const bsmm_measure_options &options, void *stream,
                      double *milliseconds, int32_t &measured) override;

private:
  /// Runs driver calls in the context; `call` returns a driver's result.
  template <typename Call>
  bsmm_status inContext(const char *what, const Call &call) {
    Current current(*primary);
    if (bsmm_status status = current.status())
      return status;
    cuda::Result result = call();
    return result == cuda::success ? BSMM_OK
                                   : driverError(driver, result, what);
  }

  std::shared_ptr<PrimaryContext> primary;
  const Driver &driver;
  int32_t ordinal;
  std::string name, target, capability;
  int sms = 0, l2Bytes = 0, driverVersion = 0;
  size_t memoryBytes = 0;
};

class CudaKernel : public LoadedKernel {
public:
  CudaKernel(std::shared_ptr<PrimaryContext> primary, cuda::Module module,
             cuda::Function function, const bsmm_kernel_resources &known,
             bool dependentLaunch)
      : primary(std::move(primary)), module(module), function(function),
        known(known), dependentLaunch(dependentLaunch) {}
  ~CudaKernel() override {
    Current current(*primary);
    // A driver that is shutting down has unloaded it already.
    primary->driver.moduleUnload(module);
  }

  bsmm_status
  prepare(const Launch &launch, const std::vector<OperandMemory> &memory,
          std::shared_ptr<const PreparedLaunch> &prepared) const override;
  bsmm_kernel_resources resources() const override { return known; }

  const std::shared_ptr<PrimaryContext> primary;
  const cuda::Module module;
  const cuda::Function function;
  const bsmm_kernel_resources known;
  const bool dependentLaunch;
};

/// Values of the parameters and pointers to them, as cuLaunchKernelEx takes
/// them, with the encoded tensor maps.
class CudaLaunch : public PreparedLaunch {
public:
  CudaLaunch(const CudaKernel &kernel, const Launch &launch)
      : kernel(kernel), entry(launch.entry), slots(launch.params.size()),
        pointers(launch.params.size()) {
    for (size_t i = 0; i < slots.size(); ++i)
      pointers[i] = &slots[i];
    for (unsigned i = 0; i < 3; ++i) {
      config.grid[i] = static_cast<unsigned>(launch.grid[i]);
      config.block[i] = static_cast<unsigned>(launch.block[i]);
      cluster[i] = static_cast<unsigned>(launch.cluster[i]);
    }
    config.sharedBytes = static_cast<unsigned>(launch.dynamicSharedMemory);
  }
  bsmm_status setParameters(const Launch &launch);
  bsmm_status submit(void *stream) const override;

private:
  const CudaKernel &kernel;
  const std::string entry;
  cuda::LaunchConfig config{};
  unsigned cluster[3];
  struct alignas(128) Slot {
    unsigned char bytes[128];
  };
  std::vector<Slot> slots;
  std::vector<void *> pointers;
};
} // namespace

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

CudaDevice::~CudaDevice() = default;

bsmm_status CudaDevice::query() {
  char text[256] = {};
  cuda::DeviceId id = primary->id;
  int major = 0, minor = 0;
  struct {
    int *value;
    int attribute;
  } attributes[] = {
      {&major, cuda::attributeComputeCapabilityMajor},
      {&minor, cuda::attributeComputeCapabilityMinor},
      {&sms, cuda::attributeMultiprocessorCount},
      {&l2Bytes, cuda::attributeL2CacheSize},
  };
  for (auto [value, attribute] : attributes)
    if (cuda::Result error = driver.deviceGetAttribute(value, attribute, id))
      return driverError(driver, error, "cuDeviceGetAttribute");
  if (cuda::Result error = driver.deviceGetName(text, sizeof(text) - 1, id))
    return driverError(driver, error, "cuDeviceGetName");
  if (cuda::Result error = driver.deviceTotalMem(&memoryBytes, id))
    return driverError(driver, error, "cuDeviceTotalMem");
  if (cuda::Result error = driver.driverGetVersion(&driverVersion))
    return driverError(driver, error, "cuDriverGetVersion");
  name = text;
  capability = std::to_string(major) + "." + std::to_string(minor);
  for (const target::Gpu &gpu : target::gpus)
    if (gpu.computeMajor == major && gpu.computeMinor == minor)
      target = gpu.name;
  return BSMM_OK;
}

bsmm_device_info CudaDevice::info() const {
  bsmm_device_info info{};
  info.backend = BSMM_BACKEND_CUDA;
  info.ordinal = ordinal;
  info.name = name.c_str();
  info.target = target.c_str();
  info.sm_count = sms;
  info.driver_version = driverVersion;
  info.l2_bytes = l2Bytes;
  info.memory_bytes = static_cast<int64_t>(memoryBytes);
  return info;
}

bsmm_status CudaDevice::allocate(uint64_t bytes, void *&data) {
  if (bytes == 0)
    return fail(BSMM_INVALID_ARGUMENT, "expected 1 byte or more, got 0");
  DevicePointer pointer = 0;
  bsmm_status status = inContext(
      "cuMemAlloc", [&] { return driver.memoryAllocate(&pointer, bytes); });
  if (status == BSMM_OK)
    data = reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
  return status;
}

bsmm_status CudaDevice::free(void *data) {
  return inContext("cuMemFree",
                   [&] { return driver.memoryFree(toPointer(data)); });
}

bsmm_status CudaDevice::write(void *to, const void *host, uint64_t bytes,
                              void *stream) {
  return inContext("copying to the GPU", [&] {
    cuda::Result error =
        driver.copyToDevice(toPointer(to), host, bytes, toStream(stream));
    return error ? error : driver.streamSynchronize(toStream(stream));
  });
}

bsmm_status CudaDevice::read(void *host, const void *from, uint64_t bytes,
                             void *stream) {
  return inContext("copying from the GPU", [&] {
    cuda::Result error =
        driver.copyToHost(host, toPointer(from), bytes, toStream(stream));
    return error ? error : driver.streamSynchronize(toStream(stream));
  });
}

bsmm_status CudaDevice::fill(void *to, uint8_t value, uint64_t bytes,
                             void *stream) {
  return inContext("cuMemsetD8Async", [&] {
    return driver.fillBytes(toPointer(to), value, bytes, toStream(stream));
  });
}

bsmm_status CudaDevice::synchronize(void *stream) {
  return inContext("cuStreamSynchronize",
                   [&] { return driver.streamSynchronize(toStream(stream)); });
}

bsmm_status CudaDevice::allocateTemporary(uint64_t bytes, void *stream,
                                          void *&data) {
  DevicePointer pointer = 0;
  bsmm_status status = inContext("cuMemAllocAsync", [&] {
    return driver.memoryAllocateAsync(&pointer, bytes, toStream(stream));
  });
  if (status == BSMM_OK)
    data = reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
  return status;
}

void CudaDevice::freeTemporary(void *data, void *stream) {
  Current current(*primary);
  driver.memoryFreeAsync(toPointer(data), toStream(stream));
}

bsmm_status CudaDevice::fillRows(void *to, uint64_t pitch, uint8_t value,
                                 uint64_t width, uint64_t rows, void *stream) {
  return inContext("cuMemsetD2D8Async", [&] {
    return driver.fillRows(toPointer(to), pitch, value, width, rows,
                           toStream(stream));
  });
}

bsmm_status CudaDevice::copyRows(void *to, uint64_t toPitch, const void *from,
                                 uint64_t fromPitch, uint64_t width,
                                 uint64_t rows, void *stream) {
  cuda::Copy2D copy{};
  copy.sourceType = copy.destinationType = cuda::memoryTypeDevice;
  copy.sourceDevice = toPointer(from);
  copy.sourcePitch = fromPitch;
  copy.destinationDevice = toPointer(to);
  copy.destinationPitch = toPitch;
  copy.widthBytes = width;
  copy.height = rows;
  return inContext("cuMemcpy2DAsync",
                   [&] { return driver.copy2D(&copy, toStream(stream)); });
}

bsmm_status CudaDevice::checkMemory(const OperandMemory &memory) {
  Current current(*primary);
  if (bsmm_status status = current.status())
    return status;
  std::string role(roleName(memory.role));
  unsigned type = 0;
  // Memory that CUDA does not know is the host's. On systems where the GPU
  // reads all of the host's memory this refuses more than it must.
  if (driver.pointerGetAttribute(&type, cuda::pointerMemoryType,
                                 memory.address) != cuda::success)
    return fail(BSMM_INVALID_ARGUMENT,
                role + ": expected memory of the GPU, got an address that the "
                       "CUDA driver does not know; copy the operand to the "
                       "GPU first");
  int where = ordinal;
  if (type == cuda::memoryTypeDevice &&
      driver.pointerGetAttribute(&where, cuda::pointerDeviceOrdinal,
                                 memory.address) == cuda::success &&
      where != ordinal)
    return fail(BSMM_INVALID_ARGUMENT,
                role + ": expected memory of GPU " + std::to_string(ordinal) +
                    ", where the kernel runs, got memory of GPU " +
                    std::to_string(where));
  DevicePointer begin = 0;
  size_t size = 0;
  if (driver.pointerGetAttribute(&begin, cuda::pointerRangeStart,
                                 memory.address) == cuda::success &&
      driver.pointerGetAttribute(&size, cuda::pointerRangeSize,
                                 memory.address) == cuda::success &&
      memory.address >= begin && memory.address - begin <= size &&
      static_cast<uint64_t>(memory.bytes) > size - (memory.address - begin))
    return fail(BSMM_INVALID_ARGUMENT,
                role + ": expected " + std::to_string(memory.bytes) +
                    " bytes for these sizes and strides, got an address with " +
                    std::to_string(size - (memory.address - begin)) +
                    " bytes up to the end of its allocation");
  return BSMM_OK;
}

static bsmm_status encode(const Driver &driver, const TensorMap &map,
                          int l2Promotion, const std::string &name,
                          void *bytes) {
  uint32_t rank = static_cast<uint32_t>(map.dims.size());
  uint64_t dims[5], strides[5] = {};
  uint32_t box[5], elementStrides[5];
  for (uint32_t i = 0; i < rank; ++i) {
    dims[i] = static_cast<uint64_t>(map.dims[i]);
    box[i] = static_cast<uint32_t>(map.box[i]);
    elementStrides[i] = map.elementStrides.empty()
                            ? 1
                            : static_cast<uint32_t>(map.elementStrides[i]);
    if (i + 1 < rank)
      strides[i] = static_cast<uint64_t>(map.stridesBytes[i]);
  }
  // The driver wants 64 bytes of alignment at least, kernels 128.
  alignas(128) unsigned char encoded[128];
  void *address = reinterpret_cast<void *>(
      map.data.address + static_cast<uint64_t>(map.data.offset));
  cuda::Result error = driver.tensorMapEncodeTiled(
      encoded, static_cast<int>(map.element), rank, address, dims, strides, box,
      elementStrides, /*interleave=*/0, static_cast<int>(map.swizzle),
      l2Promotion, map.nanFill ? 1 : 0);
  if (error != cuda::success)
    return driverError(driver, error,
                       name + ": the driver refuses a tensor map that the "
                              "rules allow: cuTensorMapEncodeTiled");
  std::memcpy(bytes, encoded, sizeof(encoded));
  return BSMM_OK;
}

bsmm_status CudaDevice::encodeTensorMap(const TensorMap &map, int l2Promotion,
                                        const std::string &name, void *bytes) {
  Current current(*primary);
  if (bsmm_status status = current.status())
    return status;
  return encode(driver, map, l2Promotion, name, bytes);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bsmm_status CudaDevice::load(const ArtifactKernel &kernel,
                             std::unique_ptr<LoadedKernel> &loaded) {
  Current current(*primary);
  if (bsmm_status status = current.status())
    return status;
  bool isCubin = !kernel.cubin.empty();
  // A copy: PTX must end in a zero byte, and a cubin should be aligned.
  std::string image(isCubin ? kernel.cubin : kernel.ptx);
  char errors[8192] = {}, infos[8192] = {};
  int options[] = {cuda::jitErrorLogBuffer, cuda::jitErrorLogBufferSize,
                   cuda::jitInfoLogBuffer, cuda::jitInfoLogBufferSize};
  auto asValue = [](size_t value) { return reinterpret_cast<void *>(value); };
  void *values[] = {errors, asValue(sizeof(errors)), infos,
                    asValue(sizeof(infos))};
  cuda::Module module = nullptr;
  cuda::Result error =
      driver.moduleLoadData(&module, image.c_str(), 4, options, values);
  errors[sizeof(errors) - 1] = infos[sizeof(infos) - 1] = '\0';
  if (error != cuda::success) {
    std::string what = std::string("loading the ") +
                       (isCubin ? "cubin" : "PTX") + " of '" + kernel.name +
                       "'";
    bsmm_status status = driverError(driver, error, what);
    if (errors[0])
      status = fail(status, std::string(bsmm_last_error()) + "\n" + errors);
    return status;
  }
  if (infos[0])
    log(BSMM_LOG_INFO, kernel.name + ": " + infos);
  auto give = [&](cuda::Result error, const std::string &what) {
    bsmm_status status = driverError(driver, error, kernel.name + ": " + what);
    driver.moduleUnload(module);
    return status;
  };
  cuda::Function function = nullptr;
  if ((error = driver.moduleGetFunction(&function, module,
                                        kernel.manifest.entry.c_str())))
    return give(error, "the code has no entry '" + kernel.manifest.entry + "'");

  bsmm_kernel_resources known{};
  known.is_cubin = isCubin;
  struct {
    int32_t *value;
    int attribute;
  } attributes[] = {
      {&known.registers, cuda::functionNumRegs},
      {&known.local_bytes, cuda::functionLocalSizeBytes},
      {&known.static_shared_bytes, cuda::functionSharedSizeBytes},
      {&known.max_threads, cuda::functionMaxThreadsPerBlock},
  };
  for (auto [value, attribute] : attributes)
    if ((error = driver.functionGetAttribute(value, attribute, function)))
      return give(error, "cuFuncGetAttribute");
  const KernelManifest &manifest = kernel.manifest;
  int64_t threads = manifest.block[0] * manifest.block[1] * manifest.block[2];
  if (threads > known.max_threads)
    return give(cuda::errorInvalidValue,
                "expected code for the manifest's " + std::to_string(threads) +
                    " threads, got code whose registers allow " +
                    std::to_string(known.max_threads));
  if ((error = driver.functionSetAttribute(
           function, cuda::functionMaxDynamicSharedSizeBytes,
           static_cast<int>(manifest.dynamicSharedMemory))))
    return give(error, std::to_string(manifest.dynamicSharedMemory) +
                           " bytes of dynamic shared memory beside " +
                           std::to_string(known.static_shared_bytes) +
                           " static bytes: cuFuncSetAttribute");
  if (manifest.cluster[0] * manifest.cluster[1] * manifest.cluster[2] >
      target::cluster::maxPortable)
    if ((error = driver.functionSetAttribute(
             function, cuda::functionNonPortableClusterSizeAllowed, 1)))
      return give(error, "a cluster of more than 8 CTAs: cuFuncSetAttribute");
  loaded = std::make_unique<CudaKernel>(primary, module, function, known,
                                        manifest.dependentLaunch);
  return BSMM_OK;
}

bsmm_status
CudaKernel::prepare(const Launch &launch, const std::vector<OperandMemory> &,
                    std::shared_ptr<const PreparedLaunch> &prepared) const {
  Current current(*primary);
  if (bsmm_status status = current.status())
    return status;
  auto made = std::make_shared<CudaLaunch>(*this, launch);
  if (bsmm_status status = made->setParameters(launch))
    return status;
  prepared = std::move(made);
  return BSMM_OK;
}

bsmm_status CudaLaunch::setParameters(const Launch &launch) {
  for (size_t i = 0; i < launch.params.size(); ++i) {
    const LaunchParam &param = launch.params[i];
    auto set = [&](auto value) {
      std::memcpy(slots[i].bytes, &value, sizeof(value));
    };
    using Kind = LaunchParam::Kind;
    switch (param.kind) {
    case Kind::TensorMap:
      if (bsmm_status status = encode(
              kernel.primary->driver, param.map, l2Promotion128B,
              entry + ", parameter " + std::to_string(i), slots[i].bytes))
        return status;
      break;
    case Kind::I32:
      set(static_cast<int32_t>(param.integer));
      break;
    case Kind::I64:
      set(param.integer);
      break;
    case Kind::F32:
      set(param.floatBits);
      break;
    case Kind::Pointer:
      set(param.pointer.address + static_cast<uint64_t>(param.pointer.offset));
      break;
    case Kind::Null:
      set(uint64_t(0));
      break;
    case Kind::Struct:
      return fail(BSMM_INTERNAL_ERROR, "a parameter by structure");
    }
  }
  return BSMM_OK;
}

bsmm_status CudaLaunch::submit(void *stream) const {
  const Driver &driver = kernel.primary->driver;
  Current current(*kernel.primary);
  if (bsmm_status status = current.status())
    return status;
  cuda::LaunchConfig launch = config;
  launch.stream = toStream(stream);
  cuda::LaunchAttribute attributes[2]{};
  launch.attributes = attributes;
  if (cluster[0] * cluster[1] * cluster[2] != 1) {
    cuda::LaunchAttribute &attribute = attributes[launch.numAttributes++];
    attribute.id = cuda::launchAttributeClusterDimension;
    std::memcpy(attribute.value.cluster, cluster, sizeof(cluster));
  }
  if (kernel.dependentLaunch) {
    cuda::LaunchAttribute &attribute = attributes[launch.numAttributes++];
    attribute.id = cuda::launchAttributeProgrammaticStreamSerialization;
    attribute.value.programmaticStreamSerialization = 1;
  }
  // The driver copies the parameters and does not write to them.
  auto **parameters = const_cast<void **>(pointers.data());
  if (cuda::Result error =
          driver.launchKernel(&launch, kernel.function, parameters, nullptr))
    return driverError(driver, error,
                       "launching '" + entry + "': cuLaunchKernelEx");
  return BSMM_OK;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {
/// Events and a buffer that live for one measurement, in the context that is
/// current.
class Measurement {
public:
  explicit Measurement(const Driver &driver) : driver(driver) {}
  ~Measurement() {
    for (cuda::Event event : events)
      driver.eventDestroy(event);
    if (flush)
      driver.memoryFree(flush);
  }
  Measurement(const Measurement &) = delete;
  Measurement &operator=(const Measurement &) = delete;

  bsmm_status create(size_t numEvents, size_t flushBytes) {
    for (size_t i = 0; i < numEvents; ++i) {
      cuda::Event event = nullptr;
      if (cuda::Result error = driver.eventCreate(&event, 0))
        return driverError(driver, error, "cuEventCreate");
      events.push_back(event);
    }
    if (flushBytes)
      if (cuda::Result error = driver.memoryAllocate(&flush, flushBytes))
        return driverError(driver, error, "cuMemAlloc");
    return BSMM_OK;
  }

  const Driver &driver;
  std::vector<cuda::Event> events;
  DevicePointer flush = 0;
};
} // namespace

bsmm_status CudaDevice::measure(const std::function<bsmm_status()> &launch,
                                const bsmm_measure_options &options,
                                void *stream, double *milliseconds,
                                int32_t &measured) {
  Current current(*primary);
  if (bsmm_status status = current.status())
    return status;
  // What a GPU has cached is overwritten by twice as much.
  size_t flushBytes = options.flush_l2 ? 2 * static_cast<size_t>(l2Bytes) : 0;
  Measurement measurement(driver);
  if (bsmm_status status = measurement.create(2, flushBytes))
    return status;
  cuda::Stream queue = toStream(stream);
  for (int32_t i = 0; i < options.warmup; ++i)
    if (bsmm_status status = launch())
      return status;
  measured = 0;
  while (measured < options.repetitions) {
    // The flush also keeps the GPU busy while the host prepares the launch, so
    // that the time between the events is the kernel's.
    if (flushBytes)
      if (cuda::Result error = driver.fillBytes(
              measurement.flush, static_cast<unsigned char>(measured),
              flushBytes, queue))
        return driverError(driver, error, "cuMemsetD8Async");
    if (cuda::Result error = driver.eventRecord(measurement.events[0], queue))
      return driverError(driver, error, "cuEventRecord");
    if (bsmm_status status = launch())
      return status;
    if (cuda::Result error = driver.eventRecord(measurement.events[1], queue))
      return driverError(driver, error, "cuEventRecord");
    if (cuda::Result error = driver.eventSynchronize(measurement.events[1]))
      return driverError(driver, error, "running the kernel");
    float elapsed = 0;
    if (cuda::Result error = driver.eventElapsedTime(
            &elapsed, measurement.events[0], measurement.events[1]))
      return driverError(driver, error, "cuEventElapsedTime");
    milliseconds[measured++] = elapsed;
    if (options.progress &&
        options.progress(options.user, measured, options.repetitions))
      break;
  }
  return BSMM_OK;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

extern "C" bsmm_status bsmm_cuda_device_count(int32_t *count) {
  return guarded([&]() -> bsmm_status {
    if (!count)
      return fail(BSMM_INVALID_ARGUMENT, "count: expected a place, got NULL");
    std::string whyNot;
    const Driver *driver = cuda::findDriver(whyNot);
    int found = 0;
    if (!driver)
      log(BSMM_LOG_INFO, whyNot);
    else if (cuda::Result error = driver->deviceGetCount(&found))
      return driverError(*driver, error, "cuDeviceGetCount");
    *count = found;
    return BSMM_OK;
  });
}

bsmm_status library::openCudaDevice(int32_t ordinal,
                                    std::shared_ptr<Device> &device) {
  std::string whyNot;
  const Driver *driver = cuda::findDriver(whyNot);
  if (!driver)
    return fail(BSMM_NO_DEVICE, whyNot);
  int count = 0;
  if (cuda::Result error = driver->deviceGetCount(&count))
    return driverError(*driver, error, "cuDeviceGetCount");
  cuda::DeviceId id = 0;
  if (ordinal == -1) {
    // Fails without a current context.
    ordinal = 0;
    if (driver->contextGetDevice(&id) == cuda::success)
      for (int i = 0; i < count; ++i) {
        cuda::DeviceId candidate = 0;
        if (driver->deviceGet(&candidate, i) == cuda::success &&
            candidate == id)
          ordinal = i;
      }
  }
  if (ordinal < 0 || ordinal >= count)
    return fail(BSMM_NO_DEVICE, "expected a GPU of the " +
                                    std::to_string(count) +
                                    " that the driver shows, got number " +
                                    std::to_string(ordinal));
  if (cuda::Result error = driver->deviceGet(&id, ordinal))
    return driverError(*driver, error, "cuDeviceGet");
  cuda::Context context = nullptr;
  if (cuda::Result error = driver->primaryContextRetain(&context, id))
    return driverError(*driver, error, "cuDevicePrimaryCtxRetain");
  auto opened = std::make_shared<CudaDevice>(
      std::make_shared<PrimaryContext>(*driver, id, context), ordinal);
  if (bsmm_status status = opened->query())
    return status;
  device = std::move(opened);
  return BSMM_OK;
}
