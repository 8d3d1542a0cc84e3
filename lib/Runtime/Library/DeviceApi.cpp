//===- DeviceApi.cpp - devices and tensor maps through the C ABI ----------===//

#include "Device.h"
#include "bsmm/Runtime/LaunchDescription.h"

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;

static bsmm_status noDevice() {
  return fail(BSMM_INVALID_ARGUMENT, "device: expected a device, got NULL");
}

/// Pointers that must be there unless nothing is moved.
static bsmm_status checkPointers(const void *a, const void *b, uint64_t bytes) {
  if (bytes != 0 && (!a || !b))
    return fail(BSMM_INVALID_ARGUMENT, "expected memory, got NULL");
  return BSMM_OK;
}

/// A tensor map of the ABI as the runtime's own.
static bsmm_status readTensorMap(const bsmm_tensor_map *given, TensorMap &map,
                                 int &l2Promotion) {
  bsmm_tensor_map read{};
  if (bsmm_status status = readStructure(given, read, "map"))
    return status;
  auto outside = [](const char *what, int64_t low, int64_t high, int64_t got) {
    return fail(BSMM_INVALID_ARGUMENT, std::string("map.") + what +
                                           ": expected " + std::to_string(low) +
                                           " to " + std::to_string(high) +
                                           ", got " + std::to_string(got));
  };
  if (read.element < 0 || read.element >= int(target::numTensorMapElements))
    return outside("element", 0, target::numTensorMapElements - 1,
                   read.element);
  if (read.swizzle < 0 || read.swizzle >= int(target::numSwizzles))
    return outside("swizzle", 0, target::numSwizzles - 1, read.swizzle);
  if (read.rank < 1 || read.rank > target::tma::maxRank)
    return outside("rank", 1, target::tma::maxRank, read.rank);
  if (read.l2_promotion < 0 || read.l2_promotion > 3)
    return outside("l2_promotion", 0, 3, read.l2_promotion);
  map.data.address = read.address;
  map.element = static_cast<target::TensorMapElement>(read.element);
  map.swizzle = static_cast<target::Swizzle>(read.swizzle);
  map.nanFill = read.nan_fill != 0;
  size_t rank = static_cast<size_t>(read.rank);
  map.dims.assign(read.dims, read.dims + rank);
  map.stridesBytes.assign(read.strides_bytes, read.strides_bytes + rank - 1);
  map.box.assign(read.box, read.box + rank);
  if (std::any_of(read.element_strides, read.element_strides + 5,
                  [](int64_t stride) { return stride != 0; }))
    map.elementStrides.assign(read.element_strides,
                              read.element_strides + rank);
  l2Promotion = read.l2_promotion;
  return BSMM_OK;
}

/// The rules, with their doubtful cases in the log.
static bsmm_status checkTensorMap(const TensorMap &map, const char *target,
                                  const std::string &name) {
  const target::Gpu *gpu = nullptr;
  if (target && *target) {
    std::string unknown = target::whyNotGpu(target);
    if (!unknown.empty())
      return fail(BSMM_INVALID_ARGUMENT, "target: " + unknown);
    gpu = target::findGpu(target);
  }
  std::string text = validateTensorMap(map, name, gpu);
  if (!text.empty())
    return fail(BSMM_UNSUPPORTED_PROBLEM, text);
  if (isLogging())
    if (std::string warning = warnOfTensorMap(map, name); !warning.empty())
      log(BSMM_LOG_WARNING, warning);
  return BSMM_OK;
}

extern "C" {

bsmm_status bsmm_device_open_cuda(int32_t ordinal, bsmm_device **device) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    std::shared_ptr<Device> opened;
    if (bsmm_status status = openCudaDevice(ordinal, opened))
      return status;
    *device = new bsmm_device{std::move(opened)};
    return BSMM_OK;
  });
}

bsmm_status bsmm_device_open_emulator(const bsmm_emulator_options *options,
                                      bsmm_device **device) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    bsmm_emulator_options read = BSMM_EMULATOR_OPTIONS_INIT;
    if (options)
      if (bsmm_status status = readStructure(options, read, "options"))
        return status;
    std::shared_ptr<Device> opened;
    if (bsmm_status status = openEmulatorDevice(read, opened))
      return status;
    *device = new bsmm_device{std::move(opened)};
    return BSMM_OK;
  });
}

void bsmm_device_close(bsmm_device *device) { delete device; }

bsmm_status bsmm_device_info_get(const bsmm_device *device,
                                 bsmm_device_info *info) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    if (bsmm_status status = checkStructure(info, "info"))
      return status;
    writeStructure(info, device->device->info());
    return BSMM_OK;
  });
}

bsmm_status bsmm_device_allocate(bsmm_device *device, uint64_t bytes,
                                 void **data) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    if (!data)
      return fail(BSMM_INVALID_ARGUMENT,
                  "data: expected a place for the address, got NULL");
    void *allocated = nullptr;
    if (bsmm_status status = device->device->allocate(bytes, allocated))
      return status;
    *data = allocated;
    return BSMM_OK;
  });
}

bsmm_status bsmm_device_free(bsmm_device *device, void *data) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    return data ? device->device->free(data) : BSMM_OK;
  });
}

bsmm_status bsmm_device_write(bsmm_device *device, void *to, const void *host,
                              uint64_t bytes, void *stream) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    if (bsmm_status status = checkPointers(to, host, bytes))
      return status;
    return bytes ? device->device->write(to, host, bytes, stream) : BSMM_OK;
  });
}

bsmm_status bsmm_device_read(bsmm_device *device, void *host, const void *from,
                             uint64_t bytes, void *stream) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    if (bsmm_status status = checkPointers(host, from, bytes))
      return status;
    return bytes ? device->device->read(host, from, bytes, stream) : BSMM_OK;
  });
}

bsmm_status bsmm_device_fill(bsmm_device *device, void *to, uint8_t value,
                             uint64_t bytes, void *stream) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    if (bsmm_status status = checkPointers(to, to, bytes))
      return status;
    return bytes ? device->device->fill(to, value, bytes, stream) : BSMM_OK;
  });
}

bsmm_status bsmm_device_synchronize(bsmm_device *device, void *stream) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    return device->device->synchronize(stream);
  });
}

bsmm_status bsmm_tensor_map_check(const bsmm_tensor_map *map,
                                  const char *target, const char *name) {
  return guarded([&]() -> bsmm_status {
    TensorMap read;
    int l2Promotion = 0;
    if (bsmm_status status = readTensorMap(map, read, l2Promotion))
      return status;
    return checkTensorMap(read, target, name ? name : "map");
  });
}

bsmm_status bsmm_tensor_map_encode(bsmm_device *device,
                                   const bsmm_tensor_map *map, const char *name,
                                   void *bytes) {
  return guarded([&]() -> bsmm_status {
    if (!device)
      return noDevice();
    if (!bytes || reinterpret_cast<uintptr_t>(bytes) % 64 != 0)
      return fail(BSMM_INVALID_ARGUMENT,
                  "bytes: expected 128 bytes at a multiple of 64");
    TensorMap read;
    int l2Promotion = 0;
    if (bsmm_status status = readTensorMap(map, read, l2Promotion))
      return status;
    std::string text = name ? name : "map";
    if (bsmm_status status =
            checkTensorMap(read, device->device->info().target, text))
      return status;
    return device->device->encodeTensorMap(read, l2Promotion, text, bytes);
  });
}

} // extern "C"
