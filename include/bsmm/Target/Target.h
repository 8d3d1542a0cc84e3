//===- Target.h - GPUs, instruction forms and limits as rows ----*- C++ -*-===//
//
// The one table of targets. Verifiers, error texts, the documentation page and
// the test list are all made from these rows, so that they cannot disagree.
// Plain C++17 and the standard library only.
//
// Sources. Section numbers are those of the PTX ISA 9.3 text:
//   instruction forms   9.7.17.2.1 (tcgen05), 9.7.16.2 (wgmma), 9.7.15 (mma)
//   block scale         9.7.17.10.7 (tcgen05), 9.7.15.3 (mma)
//   target versions     PTX ISA release notes; CUDA 13.0 ptxas
//   tensor maps         CUDA 13.0 driver API, cuTensorMapEncodeTiled
//   mbarrier            9.7.14.16
// Where PTX and CUTLASS or DeepGEMM disagree the stricter rule is used, and the
// row says so.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_TARGET_TARGET_H
#define BSMM_TARGET_TARGET_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bsmm::target {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

enum class ElementType : uint8_t {
  None, // "no such operand", e.g. the scale of an unscaled form
  E2M1,
  E2M3,
  E3M2,
  E4M3,
  E5M2,
  UE8M0,
  UE4M3,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S32,
};
inline constexpr unsigned numElementTypes = 16;

struct ElementInfo {
  ElementType type;
  std::string_view name;     // PTX's name without the dot
  std::string_view mlirName; // builtin type in MLIR
  uint8_t bits;              // bits of one value when packed
  uint8_t exponentBits;      // 0 for integers
  uint8_t mantissaBits;      // stored fraction bits
  int16_t bias;              // exponent bias
  bool isSigned;
  bool isFloat;
  bool hasNaN;
  bool hasInfinity;
  double maxFinite; // largest finite magnitude
};

// ue4m3 has no type of its own in MLIR: an f8E4M3FN whose sign is ignored.
inline constexpr ElementInfo elementInfos[numElementTypes] = {
    {ElementType::None, "none", "none", 0, 0, 0, 0, false, false, false, false,
     0},
    {ElementType::E2M1, "e2m1", "f4E2M1FN", 4, 2, 1, 1, true, true, false,
     false, 6},
    {ElementType::E2M3, "e2m3", "f6E2M3FN", 6, 2, 3, 1, true, true, false,
     false, 7.5},
    {ElementType::E3M2, "e3m2", "f6E3M2FN", 6, 3, 2, 3, true, true, false,
     false, 28},
    {ElementType::E4M3, "e4m3", "f8E4M3FN", 8, 4, 3, 7, true, true, true, false,
     448},
    {ElementType::E5M2, "e5m2", "f8E5M2", 8, 5, 2, 15, true, true, true, true,
     57344},
    {ElementType::UE8M0, "ue8m0", "f8E8M0FNU", 8, 8, 0, 127, false, true, true,
     false, 0x1p127},
    {ElementType::UE4M3, "ue4m3", "f8E4M3FN", 8, 4, 3, 7, false, true, true,
     false, 448},
    {ElementType::F16, "f16", "f16", 16, 5, 10, 15, true, true, true, true,
     65504},
    {ElementType::BF16, "bf16", "bf16", 16, 8, 7, 127, true, true, true, true,
     0x1.fep127},
    {ElementType::TF32, "tf32", "tf32", 32, 8, 10, 127, true, true, true, true,
     0x1.ffcp127},
    {ElementType::F32, "f32", "f32", 32, 8, 23, 127, true, true, true, true,
     0x1.fffffep127},
    {ElementType::F64, "f64", "f64", 64, 11, 52, 1023, true, true, true, true,
     0x1.fffffffffffffp1023},
    {ElementType::S8, "s8", "i8", 8, 0, 0, 0, true, false, false, false, 128},
    {ElementType::U8, "u8", "ui8", 8, 0, 0, 0, false, false, false, false, 255},
    {ElementType::S32, "s32", "i32", 32, 0, 0, 0, true, false, false, false,
     2147483648.0},
};

constexpr const ElementInfo &info(ElementType type) {
  return elementInfos[static_cast<unsigned>(type) % numElementTypes];
}
constexpr unsigned bitWidth(ElementType type) { return info(type).bits; }
constexpr bool isSubByte(ElementType type) {
  return info(type).bits != 0 && info(type).bits < 8;
}
constexpr std::string_view name(ElementType type) { return info(type).name; }

/// Element type of a PTX or MLIR name; None when there is none. f8E4M3FN gives
/// e4m3: whether it acts as ue4m3 depends on the operand, not on the type.
constexpr ElementType elementTypeFromName(std::string_view text) {
  for (const ElementInfo &row : elementInfos)
    if (row.type != ElementType::None &&
        (row.name == text || row.mlirName == text))
      return row.type;
  return ElementType::None;
}

/// A set of element types, one bit each.
struct TypeSet {
  uint32_t bits = 0;
  constexpr TypeSet() = default;
  constexpr TypeSet(ElementType type)
      : bits(uint32_t(1) << static_cast<unsigned>(type)) {}
  constexpr bool contains(ElementType type) const {
    return (bits >> static_cast<unsigned>(type)) & 1;
  }
  constexpr bool empty() const { return bits == 0; }
  constexpr TypeSet &operator|=(TypeSet other) {
    bits |= other.bits;
    return *this;
  }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) {
    a.bits |= b.bits;
    return a;
  }
  friend constexpr bool operator==(TypeSet a, TypeSet b) {
    return a.bits == b.bits;
  }
};
constexpr TypeSet operator|(ElementType a, ElementType b) {
  return TypeSet(a) | TypeSet(b);
}

inline constexpr TypeSet float8Types = ElementType::E4M3 | ElementType::E5M2;
inline constexpr TypeSet float8Float6Float4Types =
    float8Types | ElementType::E2M3 | ElementType::E3M2 | ElementType::E2M1;

//===----------------------------------------------------------------------===//
// GPU targets
//===----------------------------------------------------------------------===//

/// A PTX ISA or CUDA version, ordered.
struct Version {
  uint8_t major = 0;
  uint8_t minor = 0;
  constexpr int number() const { return major * 10 + minor; }
  friend constexpr bool operator==(Version a, Version b) {
    return a.number() == b.number();
  }
  friend constexpr bool operator<(Version a, Version b) {
    return a.number() < b.number();
  }
  friend constexpr bool operator>=(Version a, Version b) { return !(a < b); }
};

struct Gpu {
  std::string_view name;
  uint8_t computeMajor;
  uint8_t computeMinor;
  Version firstPtx;  // first PTX ISA that knows the target
  Version firstCuda; // first public toolkit that knows the target
  // The PTX version bsmm emits. 8.8 for the tcgen05 targets although sm_100a
  // exists since 8.6: LLVM 22 prints `.block_scale.blockNN`, an 8.8 spelling.
  Version emittedPtx;
  int32_t sharedMemoryPerBlock; // opt-in maximum, bytes
  int32_t sharedMemoryPerSM;    // bytes
  int32_t tensorMemoryColumns;  // of 128 lanes x 32 bit; 0 without
  bool hasWgmma;
  bool hasTcgen05;
  bool hasMmaBlockScale;
  bool hasTma;
  // ptxas accepts multicast on sm_120a, but PTX 9.7.9.26.5 warns of it there
  // and CUTLASS uses clusters of one CTA: false.
  bool hasTmaMulticast;
  bool hasCtaGroup2;
  // .b4x16 / .b6x16 tensor maps (PTX 5.5, tensor types).
  bool hasSubByteTma;
  // cvt to e2m1x2, e2m3x2, e3m2x2, ue8m0x2.
  bool hasNarrowConversions;
  bool hasSetMaxRegisters;
  int32_t maxClusterSize;        // CTAs, portable
  int32_t maxClusterNonPortable; // CTAs, with the opt-in attribute
  int32_t registersPerSM;        // 32-bit registers
  int32_t registersPerBlock;     // 32-bit registers
  int32_t maxRegistersPerThread; //
  int32_t maxThreadsPerBlock;    //
  int32_t maxThreadsPerSM;       //
  int32_t maxBlocksPerSM;        //
};

inline constexpr Gpu gpus[] = {
    // clang-format off
    // name     cc      first PTX CUDA     emitted  block   SM      columns wgmma  tcgen05 mmaBS TMA  multicast pair sub-byte cvt  setmaxnreg cluster
    {"sm_90a",  9,  0, {8, 0}, {12, 0}, {8, 0}, 232448, 233472, 0,   true,  false, false, true, true,  false, false, false, true, 8, 16, 65536, 65536, 255, 1024, 2048, 32},
    {"sm_100a", 10, 0, {8, 6}, {12, 8}, {8, 8}, 232448, 233472, 512, false, true,  false, true, true,  true,  true,  true,  true, 8, 16, 65536, 65536, 255, 1024, 2048, 32},
    {"sm_103a", 10, 3, {8, 8}, {12, 9}, {8, 8}, 232448, 233472, 512, false, true,  false, true, true,  true,  true,  true,  true, 8, 16, 65536, 65536, 255, 1024, 2048, 32},
    {"sm_110a", 11, 0, {9, 0}, {13, 0}, {9, 0}, 232448, 233472, 512, false, true,  false, true, true,  true,  true,  true,  true, 8, 8,  65536, 65536, 255, 1024, 1536, 24},
    {"sm_120a", 12, 0, {8, 7}, {12, 8}, {8, 8}, 101376, 102400, 0,   false, false, true,  true, false, false, false, true,  true, 1, 1,  65536, 65536, 255, 1024, 1536, 24},
    {"sm_121a", 12, 1, {8, 8}, {12, 9}, {8, 8}, 101376, 102400, 0,   false, false, true,  true, false, false, false, true,  true, 1, 1,  65536, 65536, 255, 1024, 1536, 24},
    // clang-format on
};
inline constexpr unsigned numGpus = sizeof(gpus) / sizeof(gpus[0]);

/// The row of a target, or nullptr.
constexpr const Gpu *findGpu(std::string_view text) {
  for (const Gpu &gpu : gpus)
    if (gpu.name == text)
      return &gpu;
  return nullptr;
}

/// One bit per row of gpus.
using GpuSet = uint8_t;
constexpr GpuSet gpuBit(std::string_view text) {
  for (unsigned i = 0; i < numGpus; ++i)
    if (gpus[i].name == text)
      return GpuSet(1u << i);
  return 0;
}
constexpr bool contains(GpuSet set, const Gpu &gpu) {
  return (set & gpuBit(gpu.name)) != 0;
}

/// A product that carries a target. SM counts and bandwidths come from public
/// device queries and vendor pages; plan with them, but query the device.
struct Product {
  std::string_view name;
  std::string_view gpu;
  int32_t sms;
  int64_t l2Bytes;
  double memoryBytesPerSecond;
};

// B300: 148 SMs measured on several boards, 160 in other sources.
inline constexpr Product products[] = {
    {"H100 SXM5", "sm_90a", 132, int64_t(50) << 20, 3.35e12},
    {"H100 PCIe", "sm_90a", 114, int64_t(50) << 20, 2.0e12},
    {"H200", "sm_90a", 132, int64_t(50) << 20, 4.8e12},
    {"B200", "sm_100a", 148, int64_t(126) << 20, 8.0e12},
    {"B300", "sm_103a", 148, int64_t(126) << 20, 8.0e12},
    {"Jetson Thor T5000", "sm_110a", 20, int64_t(32) << 20, 273e9},
    {"RTX 5090", "sm_120a", 170, int64_t(96) << 20, 1792e9},
    {"RTX PRO 6000", "sm_120a", 188, int64_t(128) << 20, 1792e9},
    {"GB10", "sm_121a", 48, int64_t(24) << 20, 273e9},
};

constexpr const Product *findProduct(std::string_view text) {
  for (const Product &product : products)
    if (product.name == text)
      return &product;
  return nullptr;
}

/// Index in products of the one that stands for a target when only the target
/// is known: the last of those with the most SMs. -1 without one.
constexpr int typicalProductIndex(const Gpu &gpu) {
  int found = -1;
  int32_t sms = 0;
  int index = 0;
  for (const Product &product : products) {
    if (product.gpu == gpu.name && product.sms >= sms) {
      found = index;
      sms = product.sms;
    }
    ++index;
  }
  return found;
}

constexpr const Product &typicalProduct(const Gpu &gpu) {
  return products[typicalProductIndex(gpu)];
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Tensor maps: CUDA driver API, cuTensorMapEncodeTiled; swizzles: PTX 5.5.7.
namespace tma {
inline constexpr int maxRank = 5;
inline constexpr int maxBoxDim = 256;           // elements, every dimension
inline constexpr int boxInnerMultiple = 16;     // bytes
inline constexpr int addressAlignment = 16;     // bytes, global address
inline constexpr int addressAlignmentWide = 32; // padded sub-byte types
inline constexpr int strideMultiple = 16;       // bytes
inline constexpr int strideMultipleWide = 32;   // padded sub-byte types
inline constexpr int64_t maxStride = int64_t(1) << 40; // bytes, exclusive
inline constexpr int64_t maxDim = int64_t(1) << 32;    // elements, inclusive
inline constexpr int maxElementStride = 8;
// Padded sub-byte types (16U4_ALIGN16B, 16U6_ALIGN16B): elements.
inline constexpr int paddedInnerDimMultiple = 128;
inline constexpr int paddedInnerBox = 128;
inline constexpr int descriptorBytes = 128;
// cuda.h declares alignas(128), a comment there asks for 64: use 128.
inline constexpr int descriptorAlignment = 128;
// Shared-memory destination: CUDA programming guide, TMA alignment table.
inline constexpr int sharedAlignment = 128;
// First PTX with .shared::cta as destination of a copy from global memory (PTX
// ISA 9.7.9.26, cp.async.bulk.tensor).
inline constexpr Version sharedCtaDestinationPtx = {8, 6};
} // namespace tma

enum class Swizzle : uint8_t {
  None = 0,
  B32 = 1,
  B64 = 2,
  B128 = 3,
  B128Atom32B = 4,
  B128Atom32BFlip8B = 5,
  B128Atom64B = 6,
};
inline constexpr unsigned numSwizzles = 7;

struct SwizzleInfo {
  Swizzle swizzle; // value of CUtensorMapSwizzle
  std::string_view name;
  int32_t innerBytes;   // limit of the inner box extent; 0: none
  int32_t patternBytes; // period of the pattern = base alignment it needs
};
inline constexpr SwizzleInfo swizzleInfos[numSwizzles] = {
    {Swizzle::None, "none", 0, 128},
    {Swizzle::B32, "32B", 32, 256},
    {Swizzle::B64, "64B", 64, 512},
    {Swizzle::B128, "128B", 128, 1024},
    {Swizzle::B128Atom32B, "128B_atom32B", 128, 1024},
    {Swizzle::B128Atom32BFlip8B, "128B_atom32B_flip8B", 128, 1024},
    {Swizzle::B128Atom64B, "128B_atom64B", 128, 1024},
};
constexpr const SwizzleInfo &info(Swizzle swizzle) {
  return swizzleInfos[static_cast<unsigned>(swizzle) % numSwizzles];
}
constexpr const SwizzleInfo *findSwizzle(std::string_view text) {
  for (const SwizzleInfo &row : swizzleInfos)
    if (row.name == text)
      return &row;
  return nullptr;
}

/// Element type of a tensor map; values are those of CUtensorMapDataType.
enum class TensorMapElement : uint8_t {
  U8 = 0,
  U16 = 1,
  U32 = 2,
  S32 = 3,
  U64 = 4,
  S64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  BF16 = 9,
  F32Ftz = 10,
  TF32 = 11,
  TF32Ftz = 12,
  U4Align8B = 13,
  U4Align16B = 14,
  U6Align16B = 15,
};
inline constexpr unsigned numTensorMapElements = 16;

struct TensorMapElementInfo {
  TensorMapElement element;
  std::string_view name;
  uint8_t globalBits; // bits of one element in global memory
  uint8_t sharedBits; // bits of one element in shared memory, with padding
  bool padded;        // 16 elements take 16 bytes of shared memory
  bool isSubByte;     //
  bool isFloat;       // may use the NaN fill
};
inline constexpr TensorMapElementInfo tensorMapElements[numTensorMapElements] =
    {
        {TensorMapElement::U8, "u8", 8, 8, false, false, false},
        {TensorMapElement::U16, "u16", 16, 16, false, false, false},
        {TensorMapElement::U32, "u32", 32, 32, false, false, false},
        {TensorMapElement::S32, "s32", 32, 32, false, false, false},
        {TensorMapElement::U64, "u64", 64, 64, false, false, false},
        {TensorMapElement::S64, "s64", 64, 64, false, false, false},
        {TensorMapElement::F16, "f16", 16, 16, false, false, true},
        {TensorMapElement::F32, "f32", 32, 32, false, false, true},
        {TensorMapElement::F64, "f64", 64, 64, false, false, true},
        {TensorMapElement::BF16, "bf16", 16, 16, false, false, true},
        {TensorMapElement::F32Ftz, "f32_ftz", 32, 32, false, false, true},
        {TensorMapElement::TF32, "tf32", 32, 32, false, false, true},
        {TensorMapElement::TF32Ftz, "tf32_ftz", 32, 32, false, false, true},
        {TensorMapElement::U4Align8B, "u4_align8B", 4, 4, false, true, false},
        {TensorMapElement::U4Align16B, "u4_align16B", 4, 8, true, true, false},
        {TensorMapElement::U6Align16B, "u6_align16B", 6, 8, true, true, false},
};
constexpr const TensorMapElementInfo &info(TensorMapElement element) {
  return tensorMapElements[static_cast<unsigned>(element) %
                           numTensorMapElements];
}
constexpr const TensorMapElementInfo *
findTensorMapElement(std::string_view text) {
  for (const TensorMapElementInfo &row : tensorMapElements)
    if (row.name == text)
      return &row;
  return nullptr;
}

/// mbarrier objects: PTX 9.7.14.16.
namespace mbarrier {
inline constexpr int bytes = 8;
inline constexpr int alignment = 8;
inline constexpr int32_t minCount = 1;
inline constexpr int32_t maxCount = (1 << 20) - 1;
// Bytes one phase may expect.
inline constexpr int32_t maxTransactionBytes = (1 << 20) - 1;
} // namespace mbarrier

/// Tensor memory: PTX 9.7.17, tensor memory addressing and tcgen05.alloc.
namespace tensor_memory {
inline constexpr int lanes = 128;
inline constexpr int columns = 512;
inline constexpr int columnBytes = 4; // a cell of one lane
inline constexpr int minAllocation = 32;
inline constexpr int maxAllocation = 512;
/// Columns to allocate for a need: a power of two in 32..512; 0 when too many.
constexpr int allocationColumns(int needed) {
  if (needed > maxAllocation || needed < 0)
    return 0;
  int columns = minAllocation;
  while (columns < needed)
    columns *= 2;
  return columns;
}
} // namespace tensor_memory

/// Scale factors in the hardware's order: PTX 9.7.17.10.7; CUTLASS
/// cutlass/detail/sm100_blockscaled_layout.hpp.
namespace scale_tile {
inline constexpr int rows = 128;
inline constexpr int groups = 4;
inline constexpr int bytes = 512;
inline constexpr int tensorMemoryColumns = 4;
} // namespace scale_tile

/// setmaxnreg: PTX 9.7.20, setmaxnreg.
namespace registers {
inline constexpr int perThreadMax = 255;
inline constexpr int setMin = 24;
inline constexpr int setMax = 256;
inline constexpr int setMultiple = 8;
constexpr bool isLegalSetMaxRegisters(int count) {
  return count >= setMin && count <= setMax && count % setMultiple == 0;
}
} // namespace registers

namespace threads {
inline constexpr int perWarp = 32;
inline constexpr int warpsPerWarpgroup = 4;
inline constexpr int perWarpgroup = 128;
inline constexpr int maxPerBlock = 1024;
inline constexpr int64_t maxGridX = 2147483647;
inline constexpr int64_t maxGridYZ = 65535;
inline constexpr int maxBlockXY = 1024;
inline constexpr int maxBlockZ = 64;
inline constexpr int namedBarriers = 16;
} // namespace threads

namespace cluster {
inline constexpr int maxPortable = 8;
inline constexpr int maxNonPortable = 16;
} // namespace cluster

// Kept by the system for each CTA out of the SM's shared memory.
inline constexpr int32_t reservedSharedMemoryPerBlock = 1024;

// cuLaunchKernel: bytes of kernel parameters. 4,096 before sm_70 or CUDA 12.1.
inline constexpr int32_t maxParameterBytes = 32764;

//===----------------------------------------------------------------------===//
// Instruction forms
//===----------------------------------------------------------------------===//

enum class Family : uint8_t { Tcgen05, Wgmma, MmaSync };
inline constexpr std::string_view familyNames[] = {"tcgen05", "wgmma",
                                                   "mma_sync"};
constexpr std::string_view name(Family family) {
  return familyNames[static_cast<unsigned>(family) % 3];
}

enum class Kind : uint8_t {
  F16, // f16 and bf16
  TF32,
  F8, // e4m3 and e5m2 only (wgmma)
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4,
};
inline constexpr unsigned numKinds = 8;
inline constexpr std::string_view kindNames[numKinds] = {
    "f16", "tf32", "f8", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
constexpr std::string_view name(Kind kind) {
  return kindNames[static_cast<unsigned>(kind) % numKinds];
}
constexpr bool isBlockScaled(Kind kind) {
  return kind == Kind::MXF8F6F4 || kind == Kind::MXF4 || kind == Kind::MXF4NVF4;
}
/// Families and kinds by name; false when the name is unknown.
constexpr bool familyFromName(std::string_view text, Family &family) {
  for (unsigned i = 0; i < 3; ++i)
    if (familyNames[i] == text) {
      family = static_cast<Family>(i);
      return true;
    }
  return false;
}
constexpr bool kindFromName(std::string_view text, Kind &kind) {
  for (unsigned i = 0; i < numKinds; ++i)
    if (kindNames[i] == text) {
      kind = static_cast<Kind>(i);
      return true;
    }
  return false;
}

/// One row an instruction form: dense, and with the safe subset of the shapes.
struct InstructionForm {
  std::string_view name; // unique
  Family family;
  Kind kind;
  TypeSet aTypes;
  TypeSet bTypes;
  bool mixedTypes; // A and B may differ
  TypeSet accumulators;
  ElementType scaleType; // None without block scales
  uint8_t scaleVector;   // values of K a scale; 0 without
  uint8_t ctaGroup;      // CTAs that work on one instruction: 1 or 2
  // M of the whole instruction (both CTAs of a pair together).
  uint16_t mValues[2];
  uint8_t numMValues;
  uint16_t nMin, nMax, nStep;
  uint16_t nStepMNMajorB; // when B is not K-major
  uint16_t k;             // elements of K an instruction
  // First PTX version of the spelling bsmm emits.
  Version minPtx;
  GpuSet targets;
  // Element types that may be MN-major in shared memory; all others must be
  // K-major.
  TypeSet mnMajorTypes;
  // 4-bit elements packed two a byte in shared memory; false: every element of
  // 4, 6 or 8 bits takes one byte there (16 elements in 16 bytes).
  bool packedSubByte;

  constexpr bool isBlockScaled() const {
    return scaleType != ElementType::None;
  }
  constexpr bool kMajorOnly() const { return mnMajorTypes.empty(); }
  /// Scales of a row that one instruction uses.
  constexpr unsigned scalesPerInstruction() const {
    return scaleVector ? k / scaleVector : 0;
  }
  constexpr bool acceptsM(int64_t m) const {
    for (unsigned i = 0; i < numMValues; ++i)
      if (mValues[i] == m)
        return true;
    return false;
  }
  constexpr bool acceptsN(int64_t n, bool bIsKMajor = true) const {
    return n >= nMin && n <= nMax &&
           n % (bIsKMajor ? nStep : nStepMNMajorB) == 0;
  }
  /// Bits one element takes in shared memory.
  constexpr unsigned sharedBits(ElementType type) const {
    return isSubByte(type) && !packedSubByte ? 8 : bitWidth(type);
  }
};

namespace detail {
inline constexpr GpuSet tcgen05Gpus =
    gpuBit("sm_100a") | gpuBit("sm_103a") | gpuBit("sm_110a");
inline constexpr GpuSet tcgen05IntegerGpus =
    gpuBit("sm_100a") | gpuBit("sm_110a");
inline constexpr GpuSet hopperGpus = gpuBit("sm_90a");
inline constexpr GpuSet sm120Gpus = gpuBit("sm_120a") | gpuBit("sm_121a");
inline constexpr GpuSet allGpus = GpuSet((1u << numGpus) - 1);
inline constexpr TypeSet noTypes = TypeSet();
inline constexpr TypeSet f32Only = TypeSet(ElementType::F32);
inline constexpr TypeSet f32OrF16 = ElementType::F32 | ElementType::F16;
inline constexpr TypeSet integer8 = ElementType::S8 | ElementType::U8;
} // namespace detail

// tcgen05: N in steps of 16 everywhere. PTX allows 8 with one CTA, DeepGEMM
// requires 16 at M = 128. Pairs use M = 256 with block scales: CUTLASS asserts
// it for mxf8f6f4. MN-major is kept to types of 8 bits and more: PTX Table 57
// lists only K-major for 4- and 6-bit elements. K = 96 (sm_103a) is left out.
inline constexpr InstructionForm instructionForms[] = {
    // clang-format off
    // name, family, kind, A, B, mixed, accumulators, scale, vector, CTAs, M values, count, N min/max/step/step MN-major B, K, PTX, targets, MN-major types, packed
    {"tcgen05.f16", Family::Tcgen05, Kind::F16, ElementType::F16, ElementType::F16, false, detail::f32OrF16, ElementType::None, 0, 1, {64, 128}, 2, 16, 256, 16, 16, 16, {8, 6}, detail::tcgen05Gpus, ElementType::F16, false},
    {"tcgen05.f16.pair", Family::Tcgen05, Kind::F16, ElementType::F16, ElementType::F16, false, detail::f32OrF16, ElementType::None, 0, 2, {128, 256}, 2, 16, 256, 16, 16, 16, {8, 6}, detail::tcgen05Gpus, ElementType::F16, false},
    {"tcgen05.bf16", Family::Tcgen05, Kind::F16, ElementType::BF16, ElementType::BF16, false, detail::f32Only, ElementType::None, 0, 1, {64, 128}, 2, 16, 256, 16, 16, 16, {8, 6}, detail::tcgen05Gpus, ElementType::BF16, false},
    {"tcgen05.bf16.pair", Family::Tcgen05, Kind::F16, ElementType::BF16, ElementType::BF16, false, detail::f32Only, ElementType::None, 0, 2, {128, 256}, 2, 16, 256, 16, 16, 16, {8, 6}, detail::tcgen05Gpus, ElementType::BF16, false},
    {"tcgen05.tf32", Family::Tcgen05, Kind::TF32, ElementType::TF32, ElementType::TF32, false, detail::f32Only, ElementType::None, 0, 1, {64, 128}, 2, 16, 256, 16, 16, 8, {8, 6}, detail::tcgen05Gpus, ElementType::TF32, false},
    {"tcgen05.tf32.pair", Family::Tcgen05, Kind::TF32, ElementType::TF32, ElementType::TF32, false, detail::f32Only, ElementType::None, 0, 2, {128, 256}, 2, 16, 256, 16, 16, 8, {8, 6}, detail::tcgen05Gpus, ElementType::TF32, false},
    {"tcgen05.f8f6f4", Family::Tcgen05, Kind::F8F6F4, float8Float6Float4Types, float8Float6Float4Types, true, detail::f32OrF16, ElementType::None, 0, 1, {64, 128}, 2, 16, 256, 16, 16, 32, {8, 6}, detail::tcgen05Gpus, float8Types, false},
    {"tcgen05.f8f6f4.pair", Family::Tcgen05, Kind::F8F6F4, float8Float6Float4Types, float8Float6Float4Types, true, detail::f32OrF16, ElementType::None, 0, 2, {128, 256}, 2, 16, 256, 16, 32, 32, {8, 6}, detail::tcgen05Gpus, float8Types, false},
    {"tcgen05.i8", Family::Tcgen05, Kind::I8, detail::integer8, detail::integer8, true, ElementType::S32, ElementType::None, 0, 1, {64, 128}, 2, 16, 256, 16, 16, 32, {8, 6}, detail::tcgen05IntegerGpus, detail::integer8, false},
    {"tcgen05.i8.pair", Family::Tcgen05, Kind::I8, detail::integer8, detail::integer8, true, ElementType::S32, ElementType::None, 0, 2, {128, 256}, 2, 32, 256, 32, 32, 32, {8, 6}, detail::tcgen05IntegerGpus, detail::integer8, false},
    {"tcgen05.mxf8f6f4.block32.ue8m0", Family::Tcgen05, Kind::MXF8F6F4, float8Float6Float4Types, float8Float6Float4Types, true, detail::f32Only, ElementType::UE8M0, 32, 1, {128, 0}, 1, 16, 256, 16, 16, 32, {8, 8}, detail::tcgen05Gpus, float8Types, false},
    {"tcgen05.mxf8f6f4.block32.ue8m0.pair", Family::Tcgen05, Kind::MXF8F6F4, float8Float6Float4Types, float8Float6Float4Types, true, detail::f32Only, ElementType::UE8M0, 32, 2, {256, 0}, 1, 16, 256, 16, 32, 32, {8, 8}, detail::tcgen05Gpus, float8Types, false},
    {"tcgen05.mxf4.block32.ue8m0", Family::Tcgen05, Kind::MXF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 32, 1, {128, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4.block32.ue8m0.pair", Family::Tcgen05, Kind::MXF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 32, 2, {256, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4nvf4.block16.ue4m3", Family::Tcgen05, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE4M3, 16, 1, {128, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4nvf4.block16.ue4m3.pair", Family::Tcgen05, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE4M3, 16, 2, {256, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4nvf4.block16.ue8m0", Family::Tcgen05, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 16, 1, {128, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4nvf4.block16.ue8m0.pair", Family::Tcgen05, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 16, 2, {256, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4nvf4.block32.ue8m0", Family::Tcgen05, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 32, 1, {128, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    {"tcgen05.mxf4nvf4.block32.ue8m0.pair", Family::Tcgen05, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 32, 2, {256, 0}, 1, 16, 256, 16, 16, 64, {8, 8}, detail::tcgen05Gpus, detail::noTypes, true},
    // wgmma: only 16-bit operands have transpose immediates (PTX 9.7.16.5).
    {"wgmma.f16", Family::Wgmma, Kind::F16, ElementType::F16, ElementType::F16, false, detail::f32OrF16, ElementType::None, 0, 1, {64, 0}, 1, 8, 256, 8, 8, 16, {8, 0}, detail::hopperGpus, ElementType::F16, false},
    {"wgmma.bf16", Family::Wgmma, Kind::F16, ElementType::BF16, ElementType::BF16, false, detail::f32Only, ElementType::None, 0, 1, {64, 0}, 1, 8, 256, 8, 8, 16, {8, 0}, detail::hopperGpus, ElementType::BF16, false},
    {"wgmma.tf32", Family::Wgmma, Kind::TF32, ElementType::TF32, ElementType::TF32, false, detail::f32Only, ElementType::None, 0, 1, {64, 0}, 1, 8, 256, 8, 8, 8, {8, 0}, detail::hopperGpus, detail::noTypes, false},
    {"wgmma.f8", Family::Wgmma, Kind::F8, float8Types, float8Types, true, detail::f32OrF16, ElementType::None, 0, 1, {64, 0}, 1, 8, 256, 8, 8, 32, {8, 0}, detail::hopperGpus, detail::noTypes, false},
    // PTX also has N = 8 and 24 for integers; only the regular part is listed.
    {"wgmma.i8", Family::Wgmma, Kind::I8, detail::integer8, detail::integer8, true, ElementType::S32, ElementType::None, 0, 1, {64, 0}, 1, 16, 256, 16, 16, 32, {8, 0}, detail::hopperGpus, detail::noTypes, false},
    // mma.sync: row.col only, i.e. both operands K-major.
    {"mma_sync.f16", Family::MmaSync, Kind::F16, ElementType::F16, ElementType::F16, false, detail::f32OrF16, ElementType::None, 0, 1, {16, 0}, 1, 8, 8, 8, 8, 16, {7, 0}, detail::allGpus, detail::noTypes, false},
    {"mma_sync.bf16", Family::MmaSync, Kind::F16, ElementType::BF16, ElementType::BF16, false, detail::f32Only, ElementType::None, 0, 1, {16, 0}, 1, 8, 8, 8, 8, 16, {7, 0}, detail::allGpus, detail::noTypes, false},
    {"mma_sync.tf32", Family::MmaSync, Kind::TF32, ElementType::TF32, ElementType::TF32, false, detail::f32Only, ElementType::None, 0, 1, {16, 0}, 1, 8, 8, 8, 8, 8, {7, 0}, detail::allGpus, detail::noTypes, false},
    {"mma_sync.f8", Family::MmaSync, Kind::F8, float8Types, float8Types, true, detail::f32Only, ElementType::None, 0, 1, {16, 0}, 1, 8, 8, 8, 8, 32, {8, 4}, detail::allGpus, detail::noTypes, false},
    {"mma_sync.i8", Family::MmaSync, Kind::I8, detail::integer8, detail::integer8, true, ElementType::S32, ElementType::None, 0, 1, {16, 0}, 1, 8, 8, 8, 8, 32, {7, 0}, detail::allGpus, detail::noTypes, false},
    {"mma_sync.f8f6f4", Family::MmaSync, Kind::F8F6F4, float8Float6Float4Types, float8Float6Float4Types, true, detail::f32Only, ElementType::None, 0, 1, {16, 0}, 1, 8, 8, 8, 8, 32, {8, 7}, detail::sm120Gpus, detail::noTypes, false},
    {"mma_sync.mxf8f6f4.block32.ue8m0", Family::MmaSync, Kind::MXF8F6F4, float8Float6Float4Types, float8Float6Float4Types, true, detail::f32Only, ElementType::UE8M0, 32, 1, {16, 0}, 1, 8, 8, 8, 8, 32, {8, 7}, detail::sm120Gpus, detail::noTypes, false},
    {"mma_sync.mxf4.block32.ue8m0", Family::MmaSync, Kind::MXF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 32, 1, {16, 0}, 1, 8, 8, 8, 8, 64, {8, 7}, detail::sm120Gpus, detail::noTypes, true},
    {"mma_sync.mxf4nvf4.block32.ue8m0", Family::MmaSync, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 32, 1, {16, 0}, 1, 8, 8, 8, 8, 64, {8, 7}, detail::sm120Gpus, detail::noTypes, true},
    {"mma_sync.mxf4nvf4.block16.ue4m3", Family::MmaSync, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE4M3, 16, 1, {16, 0}, 1, 8, 8, 8, 8, 64, {8, 7}, detail::sm120Gpus, detail::noTypes, true},
    // In PTX since 9.1, refused by CUDA 13.0's ptxas.
    {"mma_sync.mxf4nvf4.block16.ue8m0", Family::MmaSync, Kind::MXF4NVF4, ElementType::E2M1, ElementType::E2M1, false, detail::f32Only, ElementType::UE8M0, 16, 1, {16, 0}, 1, 8, 8, 8, 8, 64, {9, 1}, detail::sm120Gpus, detail::noTypes, true},
    // clang-format on
};
inline constexpr unsigned numInstructionForms =
    sizeof(instructionForms) / sizeof(instructionForms[0]);

/// Index of a form by its name; -1 when there is none.
constexpr int formIndex(std::string_view text) {
  for (unsigned i = 0; i < numInstructionForms; ++i)
    if (instructionForms[i].name == text)
      return static_cast<int>(i);
  return -1;
}
constexpr const InstructionForm *findForm(std::string_view text) {
  for (const InstructionForm &form : instructionForms)
    if (form.name == text)
      return &form;
  return nullptr;
}

/// A form can be used on a target when the target has it and the PTX version
/// that bsmm emits for the target knows it.
constexpr bool isAvailable(const Gpu &gpu, const InstructionForm &form) {
  return contains(form.targets, gpu) && gpu.emittedPtx >= form.minPtx;
}

/// The legal N nearest to `n`; of two equally near ones the larger.
constexpr int64_t nearestLegalN(const InstructionForm &form, int64_t n,
                                bool bIsKMajor = true) {
  int64_t step = bIsKMajor ? form.nStep : form.nStepMNMajorB;
  int64_t low = ((form.nMin + step - 1) / step) * step;
  int64_t high = (form.nMax / step) * step;
  if (n <= low)
    return low;
  if (n >= high)
    return high;
  int64_t down = n / step * step;
  return n - down < step - (n - down) ? down : down + step;
}

/// What is asked of a matrix instruction. Fields left at their default are not
/// constrained: `has...` for enums, None for types, 0 for numbers.
struct MmaQuery {
  bool hasFamily = false;
  Family family = Family::Tcgen05;
  bool hasKind = false;
  Kind kind = Kind::F16;
  ElementType a = ElementType::None;
  ElementType b = ElementType::None;
  // True: `scaleType` and `scaleVector` are asked for exactly, so that None and
  // 0 mean "without block scales".
  bool hasScale = false;
  ElementType scaleType = ElementType::None;
  int64_t scaleVector = 0;
  ElementType accumulator = ElementType::None;
  int64_t ctaGroup = 0;
  int64_t m = 0, n = 0, k = 0;
  bool aIsKMajor = true;
  bool bIsKMajor = true;
};

namespace detail {
/// The checks of a query in the order in which they are reported.
enum class MmaCheck : uint8_t {
  Target,
  Family,
  Kind,
  AType,
  BType,
  SameType,
  ScaleType,
  ScaleVector,
  Accumulator,
  CtaGroup,
  AMajor,
  BMajor,
  M,
  K,
  N,
  Ptx,
  Count
};

constexpr bool passes(const Gpu &gpu, const InstructionForm &form,
                      const MmaQuery &query, MmaCheck check) {
  switch (check) {
  case MmaCheck::Target:
    return contains(form.targets, gpu);
  case MmaCheck::Family:
    return !query.hasFamily || form.family == query.family;
  case MmaCheck::Kind:
    return !query.hasKind || form.kind == query.kind;
  case MmaCheck::AType:
    return query.a == ElementType::None || form.aTypes.contains(query.a);
  case MmaCheck::BType:
    return query.b == ElementType::None || form.bTypes.contains(query.b);
  case MmaCheck::SameType:
    return form.mixedTypes || query.a == ElementType::None ||
           query.b == ElementType::None || query.a == query.b;
  case MmaCheck::ScaleType:
    return !query.hasScale || form.scaleType == query.scaleType;
  case MmaCheck::ScaleVector:
    return !query.hasScale || form.scaleVector == query.scaleVector;
  case MmaCheck::Accumulator:
    return query.accumulator == ElementType::None ||
           form.accumulators.contains(query.accumulator);
  case MmaCheck::CtaGroup:
    return query.ctaGroup == 0 || form.ctaGroup == query.ctaGroup;
  case MmaCheck::AMajor:
    return query.aIsKMajor ||
           (query.a == ElementType::None ? !form.kMajorOnly()
                                         : form.mnMajorTypes.contains(query.a));
  case MmaCheck::BMajor:
    return query.bIsKMajor ||
           (query.b == ElementType::None ? !form.kMajorOnly()
                                         : form.mnMajorTypes.contains(query.b));
  case MmaCheck::M:
    return query.m == 0 || form.acceptsM(query.m);
  case MmaCheck::K:
    return query.k == 0 || form.k == query.k;
  case MmaCheck::N:
    return query.n == 0 || form.acceptsN(query.n, query.bIsKMajor);
  case MmaCheck::Ptx:
    return gpu.emittedPtx >= form.minPtx;
  case MmaCheck::Count:
    break;
  }
  return true;
}

/// All checks before `end` hold.
constexpr bool passesUpTo(const Gpu &gpu, const InstructionForm &form,
                          const MmaQuery &query, MmaCheck end) {
  for (unsigned i = 0; i < static_cast<unsigned>(end); ++i)
    if (!passes(gpu, form, query, static_cast<MmaCheck>(i)))
      return false;
  return true;
}
} // namespace detail

/// The first form that serves the query on the target, or nullptr; then
/// whyNotSupported says why.
constexpr const InstructionForm *selectForm(const Gpu &gpu,
                                            const MmaQuery &query) {
  for (const InstructionForm &form : instructionForms)
    if (detail::passesUpTo(gpu, form, query, detail::MmaCheck::Count))
      return &form;
  return nullptr;
}

/// All forms that serve the query on the target, in table order.
inline std::vector<const InstructionForm *> forms(const Gpu &gpu,
                                                  const MmaQuery &query = {}) {
  std::vector<const InstructionForm *> found;
  for (const InstructionForm &form : instructionForms)
    if (detail::passesUpTo(gpu, form, query, detail::MmaCheck::Count))
      found.push_back(&form);
  return found;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

inline std::string toString(Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

namespace detail {
inline void appendName(std::string &list, std::string_view item) {
  // Lists are short: look for the item between separators.
  std::string padded = ", " + list + ", ";
  if (padded.find(", " + std::string(item) + ", ") != std::string::npos)
    return;
  if (!list.empty())
    list += ", ";
  list.append(item.data(), item.size());
}
} // namespace detail

/// "sm_90a, sm_100a, ..." of a set; of all targets by default.
inline std::string gpuNames(GpuSet set = detail::allGpus) {
  std::string list;
  for (const Gpu &gpu : gpus)
    if (contains(set, gpu))
      detail::appendName(list, gpu.name);
  return list;
}

/// "e4m3, e5m2" of a set.
inline std::string typeNames(TypeSet set) {
  std::string list;
  for (const ElementInfo &row : elementInfos)
    if (set.contains(row.type))
      detail::appendName(list, row.name);
  return list;
}

/// Text for a target name that is not in the table; empty when it is.
inline std::string whyNotGpu(std::string_view text) {
  if (findGpu(text))
    return "";
  // Names come from files: quote no more than a name could be.
  std::string message = "unknown target '" + std::string(text.substr(0, 40)) +
                        (text.size() > 40 ? "...'" : "'") +
                        ": expected one of " + gpuNames();
  if (text == "sm_101a" || text == "sm_101")
    return message + "; sm_101a was renamed to sm_110a";
  std::string stem(text);
  if (!stem.empty() && (stem.back() == 'f' || stem.back() == 'a'))
    stem.pop_back();
  for (const Gpu &gpu : gpus)
    if (stem + "a" == gpu.name)
      return message + "; use " + std::string(gpu.name) +
             ", matrix instructions need the architecture-specific target";
  return message;
}

/// Legal M, e.g. "64, 128".
inline std::string mNames(const InstructionForm &form) {
  std::string list;
  for (unsigned i = 0; i < form.numMValues; ++i)
    detail::appendName(list, std::to_string(form.mValues[i]));
  return list;
}

/// Legal N, e.g. "16 to 256 in steps of 16".
inline std::string nNames(const InstructionForm &form, bool bIsKMajor = true) {
  if (form.nMin == form.nMax)
    return std::to_string(form.nMin);
  unsigned step = bIsKMajor ? form.nStep : form.nStepMNMajorB;
  return std::to_string(nearestLegalN(form, 0, bIsKMajor)) + " to " +
         std::to_string(form.nMax) + " in steps of " + std::to_string(step);
}

/// Why the target has no instruction for the query: names the rule that fails
/// first and the legal choices. Empty when it has one.
inline std::string whyNotSupported(const Gpu &gpu, const MmaQuery &query) {
  using detail::MmaCheck;
  if (selectForm(gpu, query))
    return "";
  // The first check after which no form is left.
  unsigned failing = 0;
  std::vector<const InstructionForm *> left;
  for (; failing < static_cast<unsigned>(MmaCheck::Count); ++failing) {
    std::vector<const InstructionForm *> before;
    bool any = false;
    for (const InstructionForm &form : instructionForms) {
      MmaCheck check = static_cast<MmaCheck>(failing);
      if (!detail::passesUpTo(gpu, form, query, check))
        continue;
      before.push_back(&form);
      any |= detail::passes(gpu, form, query, check);
    }
    if (!any) {
      left = before;
      break;
    }
  }
  std::string what(gpu.name);
  if (failing > static_cast<unsigned>(MmaCheck::Family) && query.hasFamily)
    what += " " + std::string(name(query.family));
  if (failing > static_cast<unsigned>(MmaCheck::Kind) && query.hasKind)
    what += " kind " + std::string(name(query.kind));
  std::string list;
  auto collect = [&](auto text) {
    for (const InstructionForm *form : left)
      detail::appendName(list, text(*form));
  };
  auto offers = [&](std::string_view subject, std::string_view got) {
    size_t last = list.rfind(", ");
    if (last != std::string::npos)
      list.replace(last, 2, " or ");
    return what + ": expected " + std::string(subject) + " " + list + ", got " +
           std::string(got);
  };
  auto addTypes = [&](TypeSet InstructionForm::*member) {
    TypeSet all;
    for (const InstructionForm *form : left)
      all |= form->*member;
    list = typeNames(all);
  };
  auto targetsWith = [&](auto predicate) {
    GpuSet set = 0;
    for (const InstructionForm &form : instructionForms)
      if (predicate(form))
        set |= form.targets;
    return gpuNames(set);
  };
  auto noOrNumber = [](int64_t value) {
    return value ? std::to_string(value) : std::string("none");
  };
  switch (static_cast<MmaCheck>(failing)) {
  case MmaCheck::Target:
    return what + " has no matrix instruction";
  case MmaCheck::Family:
    collect([](const InstructionForm &form) { return name(form.family); });
    return offers("instruction family", name(query.family)) + ", which needs " +
           targetsWith([&](const InstructionForm &form) {
             return form.family == query.family;
           });
  case MmaCheck::Kind: {
    collect([](const InstructionForm &form) { return name(form.kind); });
    std::string others = targetsWith([&](const InstructionForm &form) {
      return form.kind == query.kind &&
             (!query.hasFamily || form.family == query.family);
    });
    std::string text = offers("kind", name(query.kind));
    if (!others.empty())
      return text + ", which needs " + others;
    return text + ", which " + std::string(name(query.family)) +
           " has on no target";
  }
  case MmaCheck::AType:
    addTypes(&InstructionForm::aTypes);
    return offers("an A element type of", name(query.a));
  case MmaCheck::BType:
    addTypes(&InstructionForm::bTypes);
    return offers("with A " + std::string(name(query.a)) +
                      " a B element type of",
                  name(query.b));
  case MmaCheck::SameType:
    return what + ": expected A and B of one element type, got " +
           std::string(name(query.a)) + " and " + std::string(name(query.b));
  case MmaCheck::ScaleType:
    collect([](const InstructionForm &form) { return name(form.scaleType); });
    return offers("a scale type of", name(query.scaleType));
  case MmaCheck::ScaleVector:
    collect([&](const InstructionForm &form) {
      return noOrNumber(form.scaleVector);
    });
    return offers("with " + std::string(name(query.scaleType)) +
                      " scales a scale vector size of",
                  noOrNumber(query.scaleVector));
  case MmaCheck::Accumulator:
    addTypes(&InstructionForm::accumulators);
    return offers("an accumulator type of", name(query.accumulator));
  case MmaCheck::CtaGroup:
    collect([](const InstructionForm &form) {
      return std::to_string(form.ctaGroup);
    });
    return offers("cta_group", std::to_string(query.ctaGroup));
  case MmaCheck::AMajor:
    return what + ": expected a K-major A operand" +
           (query.a == ElementType::None
                ? std::string()
                : " for " + std::string(name(query.a))) +
           ", got MN-major";
  case MmaCheck::BMajor:
    return what + ": expected a K-major B operand" +
           (query.b == ElementType::None
                ? std::string()
                : " for " + std::string(name(query.b))) +
           ", got MN-major";
  case MmaCheck::M:
    collect([](const InstructionForm &form) { return mNames(form); });
    return offers("M of", std::to_string(query.m));
  case MmaCheck::K:
    collect([](const InstructionForm &form) { return std::to_string(form.k); });
    return offers("K per instruction of", std::to_string(query.k));
  case MmaCheck::N: {
    collect([&](const InstructionForm &form) {
      return nNames(form, query.bIsKMajor);
    });
    int64_t nearest = nearestLegalN(*left.front(), query.n, query.bIsKMajor);
    for (const InstructionForm *form : left) {
      int64_t other = nearestLegalN(*form, query.n, query.bIsKMajor);
      auto distance = [&](int64_t n) {
        return n < query.n ? query.n - n : n - query.n;
      };
      if (distance(other) < distance(nearest))
        nearest = other;
    }
    return offers("N of", std::to_string(query.n)) +
           "; the nearest legal N is " + std::to_string(nearest);
  }
  case MmaCheck::Ptx:
    collect([](const InstructionForm &form) { return toString(form.minPtx); });
    return what + ": the form needs PTX " + list + ", but PTX " +
           toString(gpu.emittedPtx) + " is emitted for this target";
  case MmaCheck::Count:
    break;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Invariants
//===----------------------------------------------------------------------===//

namespace detail {
constexpr bool elementRowsInOrder() {
  for (unsigned i = 0; i < numElementTypes; ++i)
    if (static_cast<unsigned>(elementInfos[i].type) != i)
      return false;
  for (unsigned i = 0; i < numSwizzles; ++i)
    if (static_cast<unsigned>(swizzleInfos[i].swizzle) != i)
      return false;
  for (unsigned i = 0; i < numTensorMapElements; ++i)
    if (static_cast<unsigned>(tensorMapElements[i].element) != i)
      return false;
  return true;
}
static_assert(elementRowsInOrder(), "rows are indexed by their enum");

constexpr bool gpuRowsConsistent() {
  for (const Gpu &gpu : gpus) {
    // The system keeps 1 KiB of shared memory for every CTA.
    if (gpu.sharedMemoryPerBlock + reservedSharedMemoryPerBlock !=
        gpu.sharedMemoryPerSM)
      return false;
    if (gpu.emittedPtx < gpu.firstPtx)
      return false;
    if (gpu.hasTcgen05 != (gpu.tensorMemoryColumns == tensor_memory::columns))
      return false;
    if (gpu.hasCtaGroup2 && (!gpu.hasTcgen05 || gpu.maxClusterSize < 2))
      return false;
    if (gpu.hasTmaMulticast && gpu.maxClusterSize < 2)
      return false;
    if (gpu.maxClusterSize > gpu.maxClusterNonPortable)
      return false;
    if (typicalProductIndex(gpu) < 0)
      return false;
  }
  return true;
}
static_assert(gpuRowsConsistent(), "a GPU row contradicts itself");

constexpr bool formRowsConsistent() {
  for (unsigned i = 0; i < numInstructionForms; ++i) {
    const InstructionForm &form = instructionForms[i];
    if (formIndex(form.name) != static_cast<int>(i) || form.targets == 0)
      return false;
    if (form.isBlockScaled() != bsmm::target::isBlockScaled(form.kind) ||
        form.isBlockScaled() != (form.scaleVector != 0))
      return false;
    if (form.isBlockScaled() && form.k % form.scaleVector != 0)
      return false;
    if (form.numMValues == 0 || form.nMin % form.nStep != 0 ||
        form.nMax % form.nStep != 0 || form.nMax % form.nStepMNMajorB != 0)
      return false;
    if (form.ctaGroup == 2 && form.family != Family::Tcgen05)
      return false;
    for (const Gpu &gpu : gpus) {
      if (!contains(form.targets, gpu))
        continue;
      if (form.family == Family::Tcgen05 && !gpu.hasTcgen05)
        return false;
      if (form.family == Family::Wgmma && !gpu.hasWgmma)
        return false;
      if (form.ctaGroup == 2 && !gpu.hasCtaGroup2)
        return false;
      if (form.family == Family::MmaSync && form.isBlockScaled() &&
          !gpu.hasMmaBlockScale)
        return false;
    }
    // One tcgen05 or wgmma instruction reads 32 bytes of each operand row.
    if (form.family != Family::MmaSync)
      for (const ElementInfo &row : elementInfos)
        if (form.aTypes.contains(row.type) &&
            form.k * form.sharedBits(row.type) != 256)
          return false;
  }
  return true;
}
static_assert(formRowsConsistent(), "an instruction form contradicts itself");
} // namespace detail

} // namespace bsmm::target

#endif // BSMM_TARGET_TARGET_H
