//===- FakeCudaDriver.cpp - a CUDA driver whose GPU is the emulator -------===//
//
// A shared library with the driver's entry points that the runtime uses. Device
// memory is the host's, kernels run in the emulator. It keeps books on what is
// alive and can be told to fail, so that the CUDA backend is tested where no
// GPU is. Parameter lists are those of cuda.h.
//
//===----------------------------------------------------------------------===//

#include "FakeCudaDriver.h"
#include "bsmm/Emulator/Emulator.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace bsmm;

namespace {
struct Module {
  std::unique_ptr<emulator::Program> program;
  std::vector<std::string> entries;
};
struct Function {
  const Module *module;
  std::string entry;
  int dynamicShared = 0;
};
struct Event {
  double milliseconds = 0;
};

struct State {
  std::mutex mutex;
  FakeDriverState books{};
  std::map<uint64_t, size_t> allocations;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<emulator::units::TensorMap> maps;
  std::string failSymbol;
  int failCode = 0;
  int failAfter = 0;
  double clock = 0;
};
State state;

thread_local std::vector<void *> contexts;
int theContext;

/// Books a call; the result to return instead of doing it, or 0.
int enter(const char *symbol) {
  ++state.books.calls;
  if (state.failSymbol == symbol && state.failAfter-- == 0) {
    state.failSymbol.clear();
    return state.failCode;
  }
  return 0;
}

/// For calls that need a current context.
int enterWithContext(const char *symbol) {
  if (int error = enter(symbol))
    return error;
  return contexts.empty() ? 201 : 0; // CUDA_ERROR_INVALID_CONTEXT
}

constexpr int invalidValue = 1;
} // namespace

#define FAKE_ENTER(symbol)                                                     \
  std::lock_guard<std::mutex> lock(state.mutex);                               \
  if (int error = enter(#symbol))                                              \
  return error
#define FAKE_ENTER_WITH_CONTEXT(symbol)                                        \
  std::lock_guard<std::mutex> lock(state.mutex);                               \
  if (int error = enterWithContext(#symbol))                                   \
  return error

extern "C" {

FakeDriverState fakeDriverState() {
  std::lock_guard<std::mutex> lock(state.mutex);
  state.books.allocations = int(state.allocations.size());
  return state.books;
}

void fakeDriverFail(const char *symbol, int code, int after) {
  std::lock_guard<std::mutex> lock(state.mutex);
  state.failSymbol = symbol;
  state.failCode = code;
  state.failAfter = after;
}

int cuInit(unsigned) {
  FAKE_ENTER(cuInit);
  return 0;
}

int cuDriverGetVersion(int *version) {
  FAKE_ENTER(cuDriverGetVersion);
  *version = 13000;
  return 0;
}

int cuGetErrorName(int error, const char **text) {
  switch (error) {
  case 1:
    *text = "CUDA_ERROR_INVALID_VALUE";
    return 0;
  case 2:
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return 0;
  case 201:
    *text = "CUDA_ERROR_INVALID_CONTEXT";
    return 0;
  case 700:
    *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return 0;
  default:
    return invalidValue;
  }
}

int cuGetErrorString(int error, const char **text) {
  if (error == 1)
    *text = "invalid argument";
  else if (error == 2)
    *text = "out of memory";
  else
    return invalidValue;
  return 0;
}

int cuDeviceGetCount(int *count) {
  FAKE_ENTER(cuDeviceGetCount);
  *count = 2;
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  FAKE_ENTER(cuDeviceGet);
  if (ordinal < 0 || ordinal > 1)
    return 101;
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int length, int) {
  FAKE_ENTER(cuDeviceGetName);
  std::strncpy(name, "Fake H200", static_cast<size_t>(length));
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  FAKE_ENTER(cuDeviceGetAttribute);
  switch (attribute) {
  case 16:
    *value = 4;
    return 0;
  case 38:
    *value = 1 << 16;
    return 0;
  case 75:
    // The second GPU is one that bsmm has no target for.
    *value = device == 0 ? 9 : 8;
    return 0;
  case 76:
    *value = 0;
    return 0;
  default:
    return invalidValue;
  }
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
  FAKE_ENTER(cuDeviceTotalMem_v2);
  *bytes = size_t(1) << 30;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  FAKE_ENTER(cuDevicePrimaryCtxRetain);
  ++state.books.contexts;
  *context = &theContext;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  FAKE_ENTER(cuDevicePrimaryCtxRelease_v2);
  --state.books.contexts;
  return 0;
}

int cuCtxPushCurrent_v2(void *context) {
  FAKE_ENTER(cuCtxPushCurrent_v2);
  contexts.push_back(context);
  ++state.books.pushed;
  return 0;
}

int cuCtxPopCurrent_v2(void **context) {
  FAKE_ENTER(cuCtxPopCurrent_v2);
  if (contexts.empty())
    return 201;
  *context = contexts.back();
  contexts.pop_back();
  --state.books.pushed;
  return 0;
}

int cuCtxGetDevice(int *device) {
  FAKE_ENTER_WITH_CONTEXT(cuCtxGetDevice);
  *device = 0;
  return 0;
}

int cuModuleLoadDataEx(void **out, const void *image, unsigned count,
                       int *options, void **values) {
  FAKE_ENTER_WITH_CONTEXT(cuModuleLoadDataEx);
  auto loaded = emulator::loadProgram(static_cast<const char *>(image));
  if (!loaded.program) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas fatal: no PTX");
    return 218; // CUDA_ERROR_INVALID_PTX
  }
  auto *module = new Module{std::move(loaded.program), {}};
  module->entries = module->program->entries();
  ++state.books.modules;
  *out = module;
  return 0;
}

int cuModuleUnload(void *module) {
  FAKE_ENTER_WITH_CONTEXT(cuModuleUnload);
  delete static_cast<Module *>(module);
  --state.books.modules;
  return 0;
}

int cuModuleGetFunction(void **function, void *given, const char *name) {
  FAKE_ENTER_WITH_CONTEXT(cuModuleGetFunction);
  auto *module = static_cast<Module *>(given);
  for (const std::string &entry : module->entries)
    if (entry == name) {
      state.functions.push_back(
          std::make_unique<Function>(Function{module, entry}));
      *function = state.functions.back().get();
      return 0;
    }
  return 500; // CUDA_ERROR_NOT_FOUND
}

int cuFuncGetAttribute(int *value, int attribute, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuFuncGetAttribute);
  *value = attribute == 0 ? 512 : attribute == 4 ? 40 : 0;
  return 0;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  FAKE_ENTER_WITH_CONTEXT(cuFuncSetAttribute);
  if (attribute == 8)
    static_cast<Function *>(function)->dynamicShared = value;
  return 0;
}

int cuLaunchKernelEx(const FakeLaunchConfig *config, void *given,
                     void **parameters, void **extra) {
  FAKE_ENTER_WITH_CONTEXT(cuLaunchKernelEx);
  auto *function = static_cast<Function *>(given);
  if (extra || int(config->sharedBytes) > function->dynamicShared)
    return invalidValue;
  state.books.launch = *config;
  state.books.cluster[0] = state.books.cluster[1] = state.books.cluster[2] = 1;
  state.books.isDependent = false;
  for (unsigned i = 0; i < config->numAttributes; ++i) {
    if (config->attributes[i].id == 4)
      std::memcpy(state.books.cluster, config->attributes[i].value, 12);
    int value = 0;
    std::memcpy(&value, config->attributes[i].value, sizeof(value));
    if (config->attributes[i].id == 6)
      state.books.isDependent = value == 1;
  }
  ++state.books.launches;

  emulator::Launch launch;
  launch.entry = function->entry;
  launch.grid = {config->grid[0], config->grid[1], config->grid[2]};
  launch.block = {config->block[0], config->block[1], config->block[2]};
  launch.cluster = {state.books.cluster[0], state.books.cluster[1],
                    state.books.cluster[2]};
  launch.dynamicSharedBytes = config->sharedBytes;
  std::vector<uint64_t> begins;
  for (auto [begin, bytes] : state.allocations) {
    launch.buffers.push_back(
        {"allocation", reinterpret_cast<uint8_t *>(begin), bytes, false});
    begins.push_back(begin);
  }
  // Index of the allocation that holds an address, or -1.
  auto find = [&](uint64_t address) {
    for (size_t i = 0; i < begins.size(); ++i)
      if (address >= begins[i] && address - begins[i] < launch.buffers[i].bytes)
        return int(i);
    return -1;
  };
  size_t index = 0;
  for (uint64_t bytes :
       function->module->program->parameterSizes(function->entry)) {
    const void *value = parameters[index++];
    if (bytes == 128) {
      // A tensor map that is less aligned would be read wrongly.
      if (reinterpret_cast<uintptr_t>(value) % 128 != 0)
        return invalidValue;
      uint64_t number;
      std::memcpy(&number, value, 8);
      const emulator::units::TensorMap &map = state.maps.at(number);
      int buffer = find(map.globalAddress);
      if (buffer < 0)
        return 700;
      launch.parameters.push_back(emulator::Parameter::tensorMap(
          map, size_t(buffer), map.globalAddress - begins[size_t(buffer)]));
      continue;
    }
    emulator::Parameter parameter;
    if (bytes == 8) {
      uint64_t address;
      std::memcpy(&address, value, 8);
      if (int buffer = find(address); buffer >= 0) {
        launch.parameters.push_back(emulator::Parameter::pointer(
            size_t(buffer), address - begins[size_t(buffer)]));
        continue;
      }
    }
    const auto *raw = static_cast<const uint8_t *>(value);
    parameter.bytes.assign(raw, raw + bytes);
    launch.parameters.push_back(parameter);
  }
  emulator::Report report =
      emulator::run(*function->module->program, launch, {});
  state.clock += 1.5;
  return report.completed && report.diagnostics.empty() ? 0 : 700;
}

int cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address,
                           const uint64_t *dims, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *elementStrides,
                           int interleave, int swizzle, int l2Promotion,
                           int fill) {
  FAKE_ENTER(cuTensorMapEncodeTiled);
  namespace units = emulator::units;
  if (reinterpret_cast<uintptr_t>(out) % 64 != 0 || rank < 1 || rank > 5)
    return invalidValue;
  // An H200 has neither sub-byte types nor 128-byte swizzles of larger atoms.
  if (type > 12 || swizzle > 3)
    return invalidValue;
  units::TensorMap map;
  map.element = units::TensorMapElement(type);
  map.rank = rank;
  map.globalAddress = reinterpret_cast<uintptr_t>(address);
  for (uint32_t i = 0; i < rank; ++i) {
    map.dims[i] = dims[i];
    map.box[i] = box[i];
    map.elementStrides[i] = elementStrides[i];
    if (i + 1 < rank)
      map.strides[i + 1] = strides[i];
  }
  map.interleave = units::TensorMapInterleave(interleave);
  map.swizzle = units::TensorMapSwizzle(swizzle);
  map.l2Promotion = uint8_t(l2Promotion);
  map.fill = units::TensorMapFill(fill);
  if (!units::checkTensorMap(map).empty())
    return invalidValue;
  uint64_t number = state.maps.size();
  state.maps.push_back(map);
  std::memset(out, 0, 128);
  std::memcpy(out, &number, 8);
  return 0;
}

int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  FAKE_ENTER_WITH_CONTEXT(cuPointerGetAttribute);
  for (auto [begin, bytes] : state.allocations) {
    if (pointer < begin || pointer - begin >= bytes)
      continue;
    switch (attribute) {
    case 2:
      *static_cast<unsigned *>(value) = 2;
      return 0;
    case 9:
      *static_cast<int *>(value) = state.books.pointerOrdinal;
      return 0;
    case 11:
      *static_cast<uint64_t *>(value) = begin;
      return 0;
    case 12:
      *static_cast<size_t *>(value) = bytes;
      return 0;
    default:
      return invalidValue;
    }
  }
  return invalidValue;
}

void fakeDriverSetPointerOrdinal(int ordinal) {
  std::lock_guard<std::mutex> lock(state.mutex);
  state.books.pointerOrdinal = ordinal;
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  FAKE_ENTER_WITH_CONTEXT(cuMemAlloc_v2);
  void *data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!data)
    return 2;
  *pointer = reinterpret_cast<uintptr_t>(data);
  state.allocations[*pointer] = bytes;
  return 0;
}

int cuMemFree_v2(uint64_t pointer) {
  FAKE_ENTER_WITH_CONTEXT(cuMemFree_v2);
  if (state.allocations.erase(pointer) == 0)
    return invalidValue;
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}

int cuMemAllocAsync(uint64_t *pointer, size_t bytes, void *) {
  { FAKE_ENTER_WITH_CONTEXT(cuMemAllocAsync); }
  return cuMemAlloc_v2(pointer, bytes);
}

int cuMemFreeAsync(uint64_t pointer, void *) { return cuMemFree_v2(pointer); }

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuMemcpyHtoDAsync_v2);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuMemcpyDtoHAsync_v2);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}

int cuMemcpy2DAsync_v2(const FakeCopy2D *copy, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuMemcpy2DAsync_v2);
  if (copy->sourceType != 2 || copy->destinationType != 2 ||
      copy->widthBytes > copy->sourcePitch ||
      copy->widthBytes > copy->destinationPitch)
    return invalidValue;
  for (size_t row = 0; row < copy->height; ++row)
    std::memcpy(
        reinterpret_cast<void *>(copy->destinationDevice +
                                 row * copy->destinationPitch),
        reinterpret_cast<void *>(copy->sourceDevice + row * copy->sourcePitch),
        copy->widthBytes);
  return 0;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuMemsetD8Async);
  std::memset(reinterpret_cast<void *>(to), value, count);
  return 0;
}

int cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char value,
                      size_t width, size_t height, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuMemsetD2D8Async);
  if (height > 1 && pitch < width)
    return invalidValue;
  for (size_t row = 0; row < height; ++row)
    std::memset(reinterpret_cast<uint8_t *>(to) + row * pitch, value, width);
  return 0;
}

int cuStreamSynchronize(void *) {
  FAKE_ENTER_WITH_CONTEXT(cuStreamSynchronize);
  return 0;
}

int cuEventCreate(void **event, unsigned) {
  FAKE_ENTER_WITH_CONTEXT(cuEventCreate);
  *event = new Event;
  ++state.books.events;
  return 0;
}

int cuEventDestroy_v2(void *event) {
  FAKE_ENTER_WITH_CONTEXT(cuEventDestroy_v2);
  delete static_cast<Event *>(event);
  --state.books.events;
  return 0;
}

int cuEventRecord(void *event, void *) {
  FAKE_ENTER_WITH_CONTEXT(cuEventRecord);
  static_cast<Event *>(event)->milliseconds = state.clock;
  return 0;
}

int cuEventSynchronize(void *) {
  FAKE_ENTER_WITH_CONTEXT(cuEventSynchronize);
  return 0;
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  FAKE_ENTER_WITH_CONTEXT(cuEventElapsedTime);
  *milliseconds = float(static_cast<Event *>(end)->milliseconds -
                        static_cast<Event *>(start)->milliseconds);
  return 0;
}

} // extern "C"
