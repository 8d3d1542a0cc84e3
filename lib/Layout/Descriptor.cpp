//===- Descriptor.cpp - matrix and instruction descriptors ----------------===//

#include "bsmm/Layout/Descriptor.h"

#include <optional>

using namespace bsmm::layout;

//===----------------------------------------------------------------------===//
// Shared-memory matrix descriptor
//===----------------------------------------------------------------------===//

// Fields of 14 bits in units of 16 bytes (PTX ISA, matrix descriptor format).
static constexpr int64_t fieldBytes = int64_t(1) << 18;
static constexpr unsigned leadingBit = 16, strideBit = 32, versionBit = 46;
static constexpr unsigned baseOffsetBit = 49, swizzleBit = 61;

static Status checkBytes(const char *name, int64_t bytes) {
  if (bytes < 0 || bytes >= fieldBytes || bytes % 16 != 0)
    return makeError("expected the ", name,
                     " of a matrix descriptor to be a multiple of 16 in 0..",
                     fieldBytes - 16, ", got ", bytes);
  return Status::success();
}

/// The fields that both generations share.
static Result<uint64_t> encodeCommon(const MatrixDescriptor &desc) {
  if (auto ok = checkBytes("start address", desc.startAddress); !ok)
    return Error{ok.error()};
  if (auto ok = checkBytes("leading byte offset", desc.leadingByteOffset); !ok)
    return Error{ok.error()};
  if (auto ok = checkBytes("stride byte offset", desc.strideByteOffset); !ok)
    return Error{ok.error()};
  if (desc.baseOffset < 0 || desc.baseOffset > 7)
    return makeError("expected the base offset of a matrix descriptor in 0..7, "
                     "got ",
                     desc.baseOffset);
  return uint64_t(desc.startAddress >> 4) |
         uint64_t(desc.leadingByteOffset >> 4) << leadingBit |
         uint64_t(desc.strideByteOffset >> 4) << strideBit |
         uint64_t(desc.baseOffset) << baseOffsetBit;
}

/// Bits 61-63. sm_90 has two bits from 62 on whose values are half of these.
static uint64_t swizzleCode(SwizzleMode mode) {
  switch (mode) {
  case SwizzleMode::None:
    return 0;
  case SwizzleMode::Bytes128Atom32:
    return 1;
  case SwizzleMode::Bytes128:
    return 2;
  case SwizzleMode::Bytes64:
    return 4;
  case SwizzleMode::Bytes32:
    return 6;
  }
  return 0;
}

Result<uint64_t>
bsmm::layout::encodeMatrixDescriptorSm100(const MatrixDescriptor &desc) {
  auto common = encodeCommon(desc);
  if (!common)
    return common;
  return *common | uint64_t(1) << versionBit |
         swizzleCode(desc.swizzle) << swizzleBit;
}

Result<uint64_t>
bsmm::layout::encodeMatrixDescriptorSm90(const MatrixDescriptor &desc) {
  if (desc.swizzle == SwizzleMode::Bytes128Atom32)
    return makeError("expected swizzle none, 32B, 64B or 128B for a wgmma "
                     "matrix descriptor, got 128B_atom_32B");
  auto common = encodeCommon(desc);
  if (!common)
    return common;
  return *common | swizzleCode(desc.swizzle) << swizzleBit;
}

static Result<MatrixDescriptor> decode(uint64_t bits, bool isSm100) {
  uint64_t version = (bits >> versionBit) & 7;
  if (version != (isSm100 ? 1 : 0))
    return makeError("expected bits 46-48 of a matrix descriptor to be ",
                     isSm100 ? 1 : 0, ", got ", version);
  // Bits 14-15, 30-31 and 52-60 are reserved or a mode no target here has.
  constexpr uint64_t reserved =
      uint64_t(3) << 14 | uint64_t(3) << 30 | uint64_t(0x1ff) << 52;
  if (bits & reserved)
    return makeError("expected reserved bits of a matrix descriptor to be 0, "
                     "got ",
                     bits & reserved);
  MatrixDescriptor desc;
  desc.startAddress = int64_t(bits & 0x3fff) << 4;
  desc.leadingByteOffset = int64_t((bits >> leadingBit) & 0x3fff) << 4;
  desc.strideByteOffset = int64_t((bits >> strideBit) & 0x3fff) << 4;
  desc.baseOffset = int64_t((bits >> baseOffsetBit) & 7);
  uint64_t code = bits >> swizzleBit;
  for (SwizzleMode mode : allSwizzleModes) {
    if (swizzleCode(mode) != code ||
        (!isSm100 && mode == SwizzleMode::Bytes128Atom32))
      continue;
    desc.swizzle = mode;
    return desc;
  }
  return makeError("expected a swizzle code of a matrix descriptor, got ", code,
                   " in bits 61-63");
}

Result<MatrixDescriptor>
bsmm::layout::decodeMatrixDescriptorSm100(uint64_t bits) {
  return decode(bits, /*isSm100=*/true);
}

Result<MatrixDescriptor>
bsmm::layout::decodeMatrixDescriptorSm90(uint64_t bits) {
  return decode(bits, /*isSm100=*/false);
}

Result<uint64_t> bsmm::layout::advanceMatrixDescriptor(uint64_t bits,
                                                       int64_t byteOffset) {
  if (byteOffset % 16 != 0)
    return makeError("expected to advance a matrix descriptor by a multiple of "
                     "16 bytes, got ",
                     byteOffset);
  int64_t start = int64_t(bits & 0x3fff);
  int64_t units = byteOffset / 16;
  if (units < -start || units > 0x3fff - start)
    return makeError("advancing a matrix descriptor at ", start << 4, " by ",
                     byteOffset, " bytes leaves its 18-bit start address");
  return (bits & ~uint64_t(0x3fff)) | uint64_t(start + units);
}

Result<MatrixDescriptor> bsmm::layout::kMajorDescriptor(SwizzleMode mode,
                                                        int64_t rows,
                                                        int64_t startAddress) {
  // Builds the tile only to learn whether rows and mode are legal.
  auto tile = kMajorOperand(mode, rows, swizzleWidth(mode));
  if (!tile)
    return Error{tile.error()};
  if (startAddress % sharedTileAlignment(mode) != 0)
    return makeError("expected a tile with the ", swizzleName(mode),
                     " swizzle to start at a multiple of ",
                     sharedTileAlignment(mode), ", got ", startAddress);
  OperandStrides strides = kMajorStrides(mode, rows);
  MatrixDescriptor desc;
  desc.startAddress = startAddress;
  desc.leadingByteOffset = strides.leading;
  desc.strideByteOffset = strides.stride;
  desc.swizzle = mode;
  auto bits = encodeMatrixDescriptorSm100(desc);
  if (!bits)
    return Error{bits.error()};
  return desc;
}

Result<MatrixDescriptor>
bsmm::layout::scaleCopyDescriptor(int64_t startAddress) {
  // Core matrices of 8 rows of 16 bytes, one after the other: the leading
  // offset is not used for rows of 16 bytes.
  MatrixDescriptor desc;
  desc.startAddress = startAddress;
  desc.strideByteOffset = 128;
  auto bits = encodeMatrixDescriptorSm100(desc);
  if (!bits)
    return Error{bits.error()};
  return desc;
}

Result<TiledLayout> bsmm::layout::describedOperand(const MatrixDescriptor &desc,
                                                   int64_t rows,
                                                   int64_t rowBytes) {
  auto atom = operandAtom(desc.swizzle);
  if (!atom)
    return Error{atom.error()};
  if (auto bits = encodeMatrixDescriptorSm100(desc); !bits)
    return Error{bits.error()};
  if (desc.baseOffset != 0 ||
      desc.startAddress % swizzlePatternBytes(desc.swizzle) != 0)
    return makeError("expected a descriptor that starts at a multiple of ",
                     swizzlePatternBytes(desc.swizzle),
                     " with base offset 0, got start ", desc.startAddress,
                     " and base offset ", desc.baseOffset);
  int64_t width = swizzleWidth(desc.swizzle);
  bool plain = desc.swizzle == SwizzleMode::None;
  // The hardware permutes the final address: groups of rows that do not start
  // at the pattern are permuted otherwise than the atom says.
  if (!plain &&
      desc.strideByteOffset % swizzlePatternBytes(desc.swizzle) != 0)
    return makeError("expected groups of 8 rows at multiples of ",
                     swizzlePatternBytes(desc.swizzle), " bytes, got ",
                     desc.strideByteOffset);
  if (rows < 8 || rows % 8 != 0)
    return makeError("expected whole atoms of 8 rows, got ", rows, " rows");
  if (rowBytes < width || rowBytes % width != 0 || (!plain && rowBytes > width))
    return makeError("expected rows of ", plain ? "a multiple of " : "", width,
                     " bytes for the ", swizzleName(desc.swizzle),
                     " swizzle, got ", rowBytes);
  return TiledLayout::get(
      *atom,
      {{"row", rows / 8, {{"offset", desc.strideByteOffset}}},
       {"byte", rowBytes / width, {{"offset", desc.leadingByteOffset}}}});
}

//===----------------------------------------------------------------------===//
// tcgen05.mma instruction descriptor
//===----------------------------------------------------------------------===//

const char *bsmm::layout::operandTypeName(OperandType type) {
  switch (type) {
  case OperandType::F16:
    return "f16";
  case OperandType::BF16:
    return "bf16";
  case OperandType::TF32:
    return "tf32";
  case OperandType::E4M3:
    return "e4m3";
  case OperandType::E5M2:
    return "e5m2";
  case OperandType::E2M3:
    return "e2m3";
  case OperandType::E3M2:
    return "e3m2";
  case OperandType::E2M1:
    return "e2m1";
  case OperandType::U8:
    return "u8";
  case OperandType::S8:
    return "s8";
  }
  return "unknown";
}

/// The code of a type in the format fields, for the kinds that take it (PTX
/// ISA, tcgen05 instruction descriptor).
static std::optional<uint32_t> formatCode(DenseKind kind, OperandType type) {
  switch (kind) {
  case DenseKind::F16:
    if (type == OperandType::F16)
      return 0;
    if (type == OperandType::BF16)
      return 1;
    break;
  case DenseKind::TF32:
    if (type == OperandType::TF32)
      return 2;
    break;
  case DenseKind::F8F6F4:
    switch (type) {
    case OperandType::E4M3:
      return 0;
    case OperandType::E5M2:
      return 1;
    case OperandType::E2M3:
      return 3;
    case OperandType::E3M2:
      return 4;
    case OperandType::E2M1:
      return 5;
    default:
      break;
    }
    break;
  case DenseKind::I8:
    if (type == OperandType::U8)
      return 0;
    if (type == OperandType::S8)
      return 1;
    break;
  }
  return std::nullopt;
}

static const char *kindName(DenseKind kind) {
  switch (kind) {
  case DenseKind::F16:
    return "f16";
  case DenseKind::TF32:
    return "tf32";
  case DenseKind::F8F6F4:
    return "f8f6f4";
  case DenseKind::I8:
    return "i8";
  }
  return "unknown";
}

static const char *expectedTypes(DenseKind kind) {
  switch (kind) {
  case DenseKind::F16:
    return "f16 or bf16";
  case DenseKind::TF32:
    return "tf32";
  case DenseKind::F8F6F4:
    return "e4m3, e5m2, e2m3, e3m2 or e2m1";
  case DenseKind::I8:
    return "u8 or s8";
  }
  return "";
}

static bool isNarrow(OperandType type) {
  return type == OperandType::E2M3 || type == OperandType::E3M2 ||
         type == OperandType::E2M1;
}

static Status checkTranspose(OperandType type, bool transpose) {
  // PTX ISA, tcgen05 canonical layouts: MN-major needs elements of 8 bits or
  // more.
  if (transpose && isNarrow(type))
    return makeError("expected a K-major operand for ", operandTypeName(type),
                     ", got MN-major");
  return Status::success();
}

static Status checkN(int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return makeError("expected N of an instruction to be 8 to 256 in steps of "
                     "8, got ",
                     n);
  return Status::success();
}

static Status checkScaledM(int64_t m) {
  if (m != 128 && m != 256)
    return makeError("expected M of a block-scaled instruction to be 128 or "
                     "256, got ",
                     m);
  return Status::success();
}

Result<uint32_t>
bsmm::layout::encodeInstruction(const DenseInstruction &instruction) {
  DenseKind kind = instruction.kind;
  auto a = formatCode(kind, instruction.a);
  auto b = formatCode(kind, instruction.b);
  for (OperandType type : {instruction.a, instruction.b})
    if (!formatCode(kind, type))
      return makeError("expected operands of kind::", kindName(kind), " to be ",
                       expectedTypes(kind), ", got ", operandTypeName(type));
  if (kind == DenseKind::F16 && instruction.a != instruction.b)
    return makeError("expected operands of kind::f16 to have one type, got ",
                     operandTypeName(instruction.a), " and ",
                     operandTypeName(instruction.b));
  uint32_t d = 0;
  switch (instruction.d) {
  case AccumulatorType::F16:
    if (kind != DenseKind::F8F6F4 &&
        !(kind == DenseKind::F16 && instruction.a == OperandType::F16))
      return makeError("expected an f32 or s32 accumulator, got f16 for kind::",
                       kindName(kind), " of ", operandTypeName(instruction.a));
    d = 0;
    break;
  case AccumulatorType::F32:
    if (kind == DenseKind::I8)
      return makeError("expected an s32 accumulator for kind::i8, got f32");
    d = 1;
    break;
  case AccumulatorType::S32:
    if (kind != DenseKind::I8)
      return makeError("expected a floating accumulator for kind::",
                       kindName(kind), ", got s32");
    d = 2;
    break;
  }
  int64_t m = instruction.m;
  if (m != 64 && m != 128 && m != 256)
    return makeError("expected M of an instruction to be 64, 128 or 256, got ",
                     m);
  if (auto ok = checkN(instruction.n); !ok)
    return Error{ok.error()};
  if (auto ok = checkTranspose(instruction.a, instruction.transposeA); !ok)
    return Error{ok.error()};
  if (auto ok = checkTranspose(instruction.b, instruction.transposeB); !ok)
    return Error{ok.error()};
  if (instruction.saturate && kind != DenseKind::I8)
    return makeError("expected saturate with kind::i8 only, got kind::",
                     kindName(kind));
  if ((instruction.negateA || instruction.negateB) && kind == DenseKind::I8)
    return makeError("expected no negated operand for kind::i8");
  return uint32_t(instruction.saturate) << 3 | d << 4 | *a << 7 | *b << 10 |
         uint32_t(instruction.negateA) << 13 |
         uint32_t(instruction.negateB) << 14 |
         uint32_t(instruction.transposeA) << 15 |
         uint32_t(instruction.transposeB) << 16 |
         uint32_t(instruction.n >> 3) << 17 | uint32_t(m >> 4) << 24;
}

Result<uint32_t>
bsmm::layout::encodeInstruction(const MxF8F6F4Instruction &instruction) {
  for (OperandType type : {instruction.a, instruction.b})
    if (!formatCode(DenseKind::F8F6F4, type))
      return makeError("expected operands of kind::mxf8f6f4 to be ",
                       expectedTypes(DenseKind::F8F6F4), ", got ",
                       operandTypeName(type));
  if (auto ok = checkScaledM(instruction.m); !ok)
    return Error{ok.error()};
  if (auto ok = checkN(instruction.n); !ok)
    return Error{ok.error()};
  if (auto ok = checkTranspose(instruction.a, instruction.transposeA); !ok)
    return Error{ok.error()};
  if (auto ok = checkTranspose(instruction.b, instruction.transposeB); !ok)
    return Error{ok.error()};
  for (int64_t id : {instruction.scaleIdA, instruction.scaleIdB})
    if (id < 0 || id > 3)
      return makeError("expected a scale-factor id in 0..3, got ", id);
  constexpr uint32_t ue8m0 = 1;
  return uint32_t(instruction.scaleIdB) << 4 |
         *formatCode(DenseKind::F8F6F4, instruction.a) << 7 |
         *formatCode(DenseKind::F8F6F4, instruction.b) << 10 |
         uint32_t(instruction.negateA) << 13 |
         uint32_t(instruction.negateB) << 14 |
         uint32_t(instruction.transposeA) << 15 |
         uint32_t(instruction.transposeB) << 16 |
         uint32_t(instruction.n >> 3) << 17 | ue8m0 << 23 |
         uint32_t(instruction.m >> 7) << 27 |
         uint32_t(instruction.scaleIdA) << 29;
}

Result<uint32_t>
bsmm::layout::encodeInstruction(const Fp4Instruction &instruction) {
  bool isMx = instruction.kind == Fp4Kind::MxF4;
  int64_t perRow = instruction.scalesPerRow;
  if (perRow != 2 && (isMx || perRow != 4))
    return makeError("expected ", isMx ? "2" : "2 or 4",
                     " scales a row for kind::", isMx ? "mxf4" : "mxf4nvf4",
                     ", got ", perRow);
  // PTX ISA, tcgen05 block scaling: only blocks of 16 take ue4m3.
  if (instruction.scaleType == ScaleType::UE4M3 && perRow == 2)
    return makeError("expected ue8m0 scales with 2 scales a row, got ue4m3");
  if (auto ok = checkScaledM(instruction.m); !ok)
    return Error{ok.error()};
  if (auto ok = checkN(instruction.n); !ok)
    return Error{ok.error()};
  for (int64_t id : {instruction.scaleIdA, instruction.scaleIdB})
    if (id != 0 && (perRow != 2 || id != 2))
      return makeError("expected a scale-factor id of ",
                       perRow == 2 ? "0 or 2" : "0", " with ", perRow,
                       " scales a row, got ", id);
  // E2M1 has another code here than in the f8f6f4 kinds.
  constexpr uint32_t e2m1 = 1;
  return uint32_t(instruction.scaleIdB) << 4 | e2m1 << 7 | e2m1 << 10 |
         uint32_t(instruction.negateA) << 13 |
         uint32_t(instruction.negateB) << 14 |
         uint32_t(instruction.n >> 3) << 17 |
         uint32_t(instruction.scaleType == ScaleType::UE8M0) << 23 |
         uint32_t(instruction.m >> 7) << 27 |
         uint32_t(instruction.scaleIdA) << 29;
}
