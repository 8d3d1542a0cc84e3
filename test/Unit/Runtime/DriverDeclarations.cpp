//===- DriverDeclarations.cpp - our part of cuda.h is cuda.h's ------------===//
//
// Compiled where CUDA headers are. Every enumerator, structure and entry point
// that lib/Runtime/Library/CudaDriver.h declares is compared with the original.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Library/CudaDriver.h"
#include "bsmm/Target/Target.h"
#include <cstddef>
#include <cuda.h>
#include <type_traits>

namespace ours = bsmm::runtime::library::cuda;
using bsmm::target::Swizzle;
using bsmm::target::TensorMapElement;

#define BSMM_SAME(a, b)                                                        \
  static_assert(static_cast<long long>(a) == static_cast<long long>(b))

BSMM_SAME(ours::success, CUDA_SUCCESS);
BSMM_SAME(ours::errorInvalidValue, CUDA_ERROR_INVALID_VALUE);
BSMM_SAME(ours::errorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
BSMM_SAME(ours::errorDeinitialized, CUDA_ERROR_DEINITIALIZED);
BSMM_SAME(ours::errorNoDevice, CUDA_ERROR_NO_DEVICE);
BSMM_SAME(ours::attributeMultiprocessorCount,
          CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
BSMM_SAME(ours::attributeL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
BSMM_SAME(ours::attributeComputeCapabilityMajor,
          CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
BSMM_SAME(ours::attributeComputeCapabilityMinor,
          CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
BSMM_SAME(ours::functionMaxThreadsPerBlock,
          CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
BSMM_SAME(ours::functionSharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
BSMM_SAME(ours::functionLocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
BSMM_SAME(ours::functionNumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
BSMM_SAME(ours::functionMaxDynamicSharedSizeBytes,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
BSMM_SAME(ours::functionNonPortableClusterSizeAllowed,
          CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
BSMM_SAME(ours::pointerMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
BSMM_SAME(ours::pointerDeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
BSMM_SAME(ours::pointerRangeStart, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
BSMM_SAME(ours::pointerRangeSize, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
BSMM_SAME(ours::memoryTypeHost, CU_MEMORYTYPE_HOST);
BSMM_SAME(ours::memoryTypeDevice, CU_MEMORYTYPE_DEVICE);
BSMM_SAME(ours::jitInfoLogBuffer, CU_JIT_INFO_LOG_BUFFER);
BSMM_SAME(ours::jitInfoLogBufferSize, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
BSMM_SAME(ours::jitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
BSMM_SAME(ours::jitErrorLogBufferSize, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
BSMM_SAME(ours::launchAttributeClusterDimension,
          CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
BSMM_SAME(ours::launchAttributeProgrammaticStreamSerialization,
          CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

// The enumerations of tensor maps, by value.
BSMM_SAME(TensorMapElement::U8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
BSMM_SAME(TensorMapElement::U16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
BSMM_SAME(TensorMapElement::U32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
BSMM_SAME(TensorMapElement::S32, CU_TENSOR_MAP_DATA_TYPE_INT32);
BSMM_SAME(TensorMapElement::U64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
BSMM_SAME(TensorMapElement::S64, CU_TENSOR_MAP_DATA_TYPE_INT64);
BSMM_SAME(TensorMapElement::F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
BSMM_SAME(TensorMapElement::F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
BSMM_SAME(TensorMapElement::F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
BSMM_SAME(TensorMapElement::BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
BSMM_SAME(TensorMapElement::F32Ftz, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
BSMM_SAME(TensorMapElement::TF32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
BSMM_SAME(TensorMapElement::TF32Ftz, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
BSMM_SAME(Swizzle::None, CU_TENSOR_MAP_SWIZZLE_NONE);
BSMM_SAME(Swizzle::B32, CU_TENSOR_MAP_SWIZZLE_32B);
BSMM_SAME(Swizzle::B64, CU_TENSOR_MAP_SWIZZLE_64B);
BSMM_SAME(Swizzle::B128, CU_TENSOR_MAP_SWIZZLE_128B);
BSMM_SAME(2, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
BSMM_SAME(1, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
#if CUDA_VERSION >= 12080
BSMM_SAME(TensorMapElement::U4Align8B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
BSMM_SAME(TensorMapElement::U4Align16B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
BSMM_SAME(TensorMapElement::U6Align16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
BSMM_SAME(Swizzle::B128Atom32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
BSMM_SAME(Swizzle::B128Atom32BFlip8B,
          CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
BSMM_SAME(Swizzle::B128Atom64B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
#endif
static_assert(sizeof(CUtensorMap) == 128);

static_assert(sizeof(ours::LaunchAttribute) == sizeof(CUlaunchAttribute));
BSMM_SAME(offsetof(ours::LaunchAttribute, id), offsetof(CUlaunchAttribute, id));
BSMM_SAME(offsetof(ours::LaunchAttribute, value),
          offsetof(CUlaunchAttribute, value));
static_assert(sizeof(ours::LaunchConfig) == sizeof(CUlaunchConfig));
BSMM_SAME(offsetof(ours::LaunchConfig, grid),
          offsetof(CUlaunchConfig, gridDimX));
BSMM_SAME(offsetof(ours::LaunchConfig, block),
          offsetof(CUlaunchConfig, blockDimX));
BSMM_SAME(offsetof(ours::LaunchConfig, sharedBytes),
          offsetof(CUlaunchConfig, sharedMemBytes));
BSMM_SAME(offsetof(ours::LaunchConfig, stream),
          offsetof(CUlaunchConfig, hStream));
BSMM_SAME(offsetof(ours::LaunchConfig, attributes),
          offsetof(CUlaunchConfig, attrs));
BSMM_SAME(offsetof(ours::LaunchConfig, numAttributes),
          offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(ours::Copy2D) == sizeof(CUDA_MEMCPY2D));
BSMM_SAME(offsetof(ours::Copy2D, sourceType),
          offsetof(CUDA_MEMCPY2D, srcMemoryType));
BSMM_SAME(offsetof(ours::Copy2D, sourceDevice),
          offsetof(CUDA_MEMCPY2D, srcDevice));
BSMM_SAME(offsetof(ours::Copy2D, sourcePitch),
          offsetof(CUDA_MEMCPY2D, srcPitch));
BSMM_SAME(offsetof(ours::Copy2D, destinationType),
          offsetof(CUDA_MEMCPY2D, dstMemoryType));
BSMM_SAME(offsetof(ours::Copy2D, destinationDevice),
          offsetof(CUDA_MEMCPY2D, dstDevice));
BSMM_SAME(offsetof(ours::Copy2D, destinationPitch),
          offsetof(CUDA_MEMCPY2D, dstPitch));
BSMM_SAME(offsetof(ours::Copy2D, widthBytes),
          offsetof(CUDA_MEMCPY2D, WidthInBytes));
BSMM_SAME(offsetof(ours::Copy2D, height), offsetof(CUDA_MEMCPY2D, Height));

namespace {
/// Whether two parameters are passed in the same way.
template <typename A, typename B>
constexpr bool isPassedAlike =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;

template <typename A, typename B> constexpr bool isCalledAlike = false;
template <typename R, typename... As, typename Q, typename... Bs>
constexpr bool isCalledAlike<R (*)(As...), Q (*)(Bs...)> = [] {
  if constexpr (sizeof...(As) == sizeof...(Bs))
    return sizeof(R) == sizeof(Q) && (isPassedAlike<As, Bs> && ...);
  else
    return false;
}();
} // namespace

#define BSMM_CHECK(symbol, name, parameters)                                   \
  static_assert(isCalledAlike<decltype(ours::Driver::name), decltype(&symbol)>);
BSMM_CUDA_DRIVER_FUNCTIONS(BSMM_CHECK)
