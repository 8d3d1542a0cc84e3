//===- CudaDriver.h - the CUDA driver, opened at run time -------*- C++ -*-===//
//
// The part of cuda.h that the runtime uses, declared here so that building
// needs no CUDA toolkit: CUDA driver API 12.0 and newer, whose ABI is stable.
// test/Unit/Runtime/DriverDeclarations.cpp compares every value and layout with
// a real cuda.h.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_CUDADRIVER_H
#define BSMM_LIB_RUNTIME_LIBRARY_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace bsmm::runtime::library::cuda {

using Result = int; // CUresult
inline constexpr Result success = 0;
inline constexpr Result errorInvalidValue = 1;
inline constexpr Result errorOutOfMemory = 2;
inline constexpr Result errorDeinitialized = 4;
inline constexpr Result errorNoDevice = 100;

using DeviceId = int;           // CUdevice
using DevicePointer = uint64_t; // CUdeviceptr
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;

// CUdevice_attribute
inline constexpr int attributeMultiprocessorCount = 16;
inline constexpr int attributeL2CacheSize = 38;
inline constexpr int attributeComputeCapabilityMajor = 75;
inline constexpr int attributeComputeCapabilityMinor = 76;

// CUfunction_attribute
inline constexpr int functionMaxThreadsPerBlock = 0;
inline constexpr int functionSharedSizeBytes = 1;
inline constexpr int functionLocalSizeBytes = 3;
inline constexpr int functionNumRegs = 4;
inline constexpr int functionMaxDynamicSharedSizeBytes = 8;
inline constexpr int functionNonPortableClusterSizeAllowed = 14;

// CUpointer_attribute
inline constexpr int pointerMemoryType = 2;
inline constexpr int pointerDeviceOrdinal = 9;
inline constexpr int pointerRangeStart = 11;
inline constexpr int pointerRangeSize = 12;
// CUmemorytype
inline constexpr unsigned memoryTypeHost = 1;
inline constexpr unsigned memoryTypeDevice = 2;

// CUjit_option
inline constexpr int jitInfoLogBuffer = 3;
inline constexpr int jitInfoLogBufferSize = 4;
inline constexpr int jitErrorLogBuffer = 5;
inline constexpr int jitErrorLogBufferSize = 6;

// CUlaunchAttributeID
inline constexpr int launchAttributeClusterDimension = 4;
inline constexpr int launchAttributeProgrammaticStreamSerialization = 6;

/// CUlaunchAttribute: an id, padding to 8 bytes, a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    unsigned cluster[3];
    int programmaticStreamSerialization;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56);

/// CUDA_MEMCPY2D.
struct Copy2D {
  size_t sourceXBytes, sourceY;
  unsigned sourceType;
  const void *sourceHost;
  DevicePointer sourceDevice;
  void *sourceArray;
  size_t sourcePitch;
  size_t destinationXBytes, destinationY;
  unsigned destinationType;
  void *destinationHost;
  DevicePointer destinationDevice;
  void *destinationArray;
  size_t destinationPitch;
  size_t widthBytes, height;
};
static_assert(sizeof(Copy2D) == 128);

// Entry points: the name as exported by the library, the name here, and the
// parameters. The names with _v2 are what cuda.h's macros stand for.
// clang-format off
#define BSMM_CUDA_DRIVER_FUNCTIONS(X)                                          \
  X(cuInit, init, (unsigned flags))                                            \
  X(cuDriverGetVersion, driverGetVersion, (int *version))                      \
  X(cuGetErrorName, getErrorName, (Result error, const char **text))           \
  X(cuGetErrorString, getErrorString, (Result error, const char **text))       \
  X(cuDeviceGetCount, deviceGetCount, (int *count))                            \
  X(cuDeviceGet, deviceGet, (DeviceId *device, int ordinal))                   \
  X(cuDeviceGetName, deviceGetName, (char *name, int length, DeviceId device)) \
  X(cuDeviceGetAttribute, deviceGetAttribute,                                  \
    (int *value, int attribute, DeviceId device))                              \
  X(cuDeviceTotalMem_v2, deviceTotalMem, (size_t *bytes, DeviceId device))     \
  X(cuDevicePrimaryCtxRetain, primaryContextRetain,                            \
    (Context *context, DeviceId device))                                       \
  X(cuDevicePrimaryCtxRelease_v2, primaryContextRelease, (DeviceId device))    \
  X(cuCtxPushCurrent_v2, contextPush, (Context context))                       \
  X(cuCtxPopCurrent_v2, contextPop, (Context *context))                        \
  X(cuCtxGetDevice, contextGetDevice, (DeviceId *device))                      \
  X(cuModuleLoadDataEx, moduleLoadData,                                        \
    (Module *module, const void *image, unsigned numOptions, int *options,     \
     void **values))                                                           \
  X(cuModuleUnload, moduleUnload, (Module module))                             \
  X(cuModuleGetFunction, moduleGetFunction,                                    \
    (Function *function, Module module, const char *name))                     \
  X(cuFuncGetAttribute, functionGetAttribute,                                  \
    (int *value, int attribute, Function function))                            \
  X(cuFuncSetAttribute, functionSetAttribute,                                  \
    (Function function, int attribute, int value))                             \
  X(cuLaunchKernelEx, launchKernel,                                            \
    (const LaunchConfig *config, Function function, void **parameters,         \
     void **extra))                                                            \
  X(cuTensorMapEncodeTiled, tensorMapEncodeTiled,                              \
    (void *map, int type, uint32_t rank, void *address, const uint64_t *dims,  \
     const uint64_t *strides, const uint32_t *box,                             \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int fill))                                               \
  X(cuPointerGetAttribute, pointerGetAttribute,                                \
    (void *value, int attribute, DevicePointer pointer))                       \
  X(cuMemAlloc_v2, memoryAllocate, (DevicePointer *pointer, size_t bytes))     \
  X(cuMemFree_v2, memoryFree, (DevicePointer pointer))                         \
  X(cuMemAllocAsync, memoryAllocateAsync,                                      \
    (DevicePointer *pointer, size_t bytes, Stream stream))                     \
  X(cuMemFreeAsync, memoryFreeAsync, (DevicePointer pointer, Stream stream))   \
  X(cuMemcpyHtoDAsync_v2, copyToDevice,                                        \
    (DevicePointer to, const void *from, size_t bytes, Stream stream))         \
  X(cuMemcpyDtoHAsync_v2, copyToHost,                                          \
    (void *to, DevicePointer from, size_t bytes, Stream stream))               \
  X(cuMemcpy2DAsync_v2, copy2D, (const Copy2D *copy, Stream stream))           \
  X(cuMemsetD8Async, fillBytes,                                                \
    (DevicePointer to, unsigned char value, size_t count, Stream stream))      \
  X(cuMemsetD2D8Async, fillRows,                                               \
    (DevicePointer to, size_t pitch, unsigned char value, size_t width,        \
     size_t height, Stream stream))                                            \
  X(cuStreamSynchronize, streamSynchronize, (Stream stream))                   \
  X(cuEventCreate, eventCreate, (Event *event, unsigned flags))                \
  X(cuEventDestroy_v2, eventDestroy, (Event event))                            \
  X(cuEventRecord, eventRecord, (Event event, Stream stream))                  \
  X(cuEventSynchronize, eventSynchronize, (Event event))                       \
  X(cuEventElapsedTime, eventElapsedTime,                                      \
    (float *milliseconds, Event start, Event end))
// clang-format on

/// The entry points; all are there when a Driver exists.
struct Driver {
#define BSMM_CUDA_DECLARE(symbol, name, parameters)                            \
  Result(*name) parameters = nullptr;
  BSMM_CUDA_DRIVER_FUNCTIONS(BSMM_CUDA_DECLARE)
#undef BSMM_CUDA_DECLARE

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)".
  std::string describe(Result error) const;
};

/// The driver, opened and initialised on the first call; null with the reason
/// when there is none. The environment variable BSMM_CUDA_DRIVER names another
/// library than libcuda.so.1. Never closed.
const Driver *findDriver(std::string &whyNot);

} // namespace bsmm::runtime::library::cuda

#endif // BSMM_LIB_RUNTIME_LIBRARY_CUDADRIVER_H
