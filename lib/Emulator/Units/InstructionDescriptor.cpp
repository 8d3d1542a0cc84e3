//===- InstructionDescriptor.cpp - tcgen05.mma's idesc --------------------===//

#include "bsmm/Emulator/Units/InstructionDescriptor.h"

#include <cstdio>
#include <utility>

namespace bsmm::emulator::units {

namespace {

uint32_t field(uint32_t bits, unsigned low, unsigned width) {
  return bits >> low & ((1u << width) - 1);
}

std::string hex(uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", static_cast<unsigned>(bits));
  return text;
}

std::string describe(const char *what, uint32_t expectedLow,
                     uint32_t expectedHigh, uint32_t got) {
  std::string text = std::string("instruction descriptor: expected ") + what +
                     " " + std::to_string(expectedLow);
  if (expectedHigh != expectedLow)
    text += " or " + std::to_string(expectedHigh);
  return text + ", got " + std::to_string(got);
}

bool isBlockScaled(MmaKind kind) {
  return kind == MmaKind::MXF8F6F4 || kind == MmaKind::MXF4 ||
         kind == MmaKind::MXF4NVF4;
}

const char *kindName(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return "f16";
  case MmaKind::TF32:
    return "tf32";
  case MmaKind::F8F6F4:
    return "f8f6f4";
  case MmaKind::I8:
    return "i8";
  case MmaKind::MXF8F6F4:
    return "mxf8f6f4";
  case MmaKind::MXF4:
    return "mxf4";
  case MmaKind::MXF4NVF4:
    return "mxf4nvf4";
  }
  return "";
}

/// The format field of A or B. False when the code means nothing in `kind`.
bool decodeFormat(MmaKind kind, uint32_t code, NumberFormat &format,
                  IntegerFormat &integer) {
  integer = IntegerFormat::None;
  switch (kind) {
  case MmaKind::F16:
    format = code == 1 ? NumberFormat::BF16 : NumberFormat::F16;
    return code <= 1;
  case MmaKind::TF32:
    format = NumberFormat::TF32;
    return code == 2;
  case MmaKind::I8:
    format = NumberFormat::E4M3; // not used when `integer` is set
    integer = code == 1 ? IntegerFormat::S8 : IntegerFormat::U8;
    return code <= 1;
  case MmaKind::MXF4:
  case MmaKind::MXF4NVF4:
    // The one code of E2M1 that differs between the kinds.
    format = NumberFormat::E2M1;
    return code == 1;
  case MmaKind::F8F6F4:
  case MmaKind::MXF8F6F4:
    switch (code) {
    case 0:
      format = NumberFormat::E4M3;
      return true;
    case 1:
      format = NumberFormat::E5M2;
      return true;
    case 3:
      format = NumberFormat::E2M3;
      return true;
    case 4:
      format = NumberFormat::E3M2;
      return true;
    case 5:
      format = NumberFormat::E2M1;
      return true;
    default:
      return false;
    }
  }
  return false;
}

/// M and N against the shape table of the kind (PTX ISA, tcgen05 "Matrix
/// shape").
std::string checkShape(const MmaQualifiers &qualifiers,
                       const InstructionDescriptor &d) {
  MmaKind kind = qualifiers.kind;
  uint32_t m = d.m, n = d.n;
  auto wrongM = [&](const char *allowed) {
    return std::string("instruction descriptor: expected M ") + allowed +
           " for kind::" + kindName(kind) +
           " with cta_group::" + std::to_string(qualifiers.ctaGroup) +
           (qualifiers.weightStationary ? ".ws" : "") + ", got " +
           std::to_string(m);
  };
  auto wrongN = [&](uint32_t low, uint32_t step) {
    return "instruction descriptor: expected N from " + std::to_string(low) +
           " to 256 in steps of " + std::to_string(step) +
           " for kind::" + kindName(kind) + " with M = " + std::to_string(m) +
           " and cta_group::" + std::to_string(qualifiers.ctaGroup) + ", got " +
           std::to_string(n);
  };
  if (qualifiers.weightStationary) {
    if (m != 32 && m != 64 && m != 128)
      return wrongM("32, 64 or 128");
    if (n != 64 && n != 128 && n != 256)
      return "instruction descriptor: expected N 64, 128 or 256 for .ws, got " +
             std::to_string(n);
    return "";
  }
  bool pair = qualifiers.ctaGroup == 2;
  if (isBlockScaled(kind)) {
    if (pair ? m != 128 && m != 256 : m != 128)
      return wrongM(pair ? "128 or 256" : "128");
  } else if (pair ? m != 128 && m != 256 : m != 64 && m != 128) {
    return wrongM(pair ? "128 or 256" : "64 or 128");
  }
  uint32_t low = pair ? 16 : 8, step = low;
  if (kind == MmaKind::I8) {
    if (pair)
      low = step = 32;
    else if (n <= 32)
      step = 8;
    else
      step = 16;
  } else if (kind == MmaKind::F8F6F4 && d.transposeB) {
    low = step = pair ? 32 : 16;
  }
  if (n < low || n > 256 || n % step != 0)
    return wrongN(low, step);
  return "";
}

} // namespace

std::string decodeInstructionDescriptor(uint32_t bits,
                                        const MmaQualifiers &qualifiers,
                                        InstructionDescriptor &descriptor) {
  MmaKind kind = qualifiers.kind;
  InstructionDescriptor d;
  if (qualifiers.ctaGroup != 1 && qualifiers.ctaGroup != 2)
    return "expected cta_group 1 or 2, got " +
           std::to_string(qualifiers.ctaGroup);
  bool scaled = isBlockScaled(kind);
  if (qualifiers.weightStationary && (scaled || qualifiers.ctaGroup == 2))
    return std::string("expected no .ws for kind::") + kindName(kind) +
           " with cta_group::" + std::to_string(qualifiers.ctaGroup) +
           ", which .ws does not exist for";

  uint32_t reserved = 0;
  switch (kind) {
  case MmaKind::F16:
  case MmaKind::TF32:
  case MmaKind::F8F6F4:
  case MmaKind::I8:
    reserved = 1u << 6 | 1u << 23 | 1u << 29;
    break;
  case MmaKind::MXF8F6F4:
    reserved = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 6 | 7u << 24 | 1u << 31;
    break;
  case MmaKind::MXF4:
  case MmaKind::MXF4NVF4:
    reserved = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 6 | 1u << 12 | 7u << 24;
    break;
  }
  if (bits & reserved)
    return std::string("instruction descriptor ") + hex(bits) +
           ": expected 0 in the reserved bits " + hex(reserved) +
           " of kind::" + kindName(kind) + ", got " + hex(bits & reserved);

  d.sparse = field(bits, 2, 1);
  if (d.sparse != qualifiers.sparse)
    return describe("sparsity flag (bit 2)", qualifiers.sparse,
                    qualifiers.sparse, d.sparse);
  if (d.sparse)
    return "sparse MMA is not supported by the emulator";

  uint32_t aCode = field(bits, 7, 3);
  bool fp4 = kind == MmaKind::MXF4 || kind == MmaKind::MXF4NVF4;
  uint32_t bCode = field(bits, 10, fp4 ? 2 : 3);
  if (!decodeFormat(kind, aCode, d.aFormat, d.aInteger))
    return "instruction descriptor: expected a format of A that kind::" +
           std::string(kindName(kind)) + " has, got code " +
           std::to_string(aCode);
  if (!decodeFormat(kind, bCode, d.bFormat, d.bInteger))
    return "instruction descriptor: expected a format of B that kind::" +
           std::string(kindName(kind)) + " has, got code " +
           std::to_string(bCode);
  d.negateA = field(bits, 13, 1);
  d.negateB = field(bits, 14, 1);
  d.transposeA = field(bits, 15, 1);
  d.transposeB = field(bits, 16, 1);
  d.n = field(bits, 17, 6) << 3;
  d.k = 32;
  if (kind == MmaKind::F16)
    d.k = 16;
  else if (kind == MmaKind::TF32)
    d.k = 8;
  else if (fp4)
    d.k = 64;

  if (!scaled) {
    d.sparsitySelector = field(bits, 0, 2);
    if (d.sparsitySelector)
      return describe("sparsity selector of a dense MMA", 0, 0,
                      d.sparsitySelector);
    d.saturate = field(bits, 3, 1);
    uint32_t dFormat = field(bits, 4, 2);
    if (kind == MmaKind::I8) {
      if (dFormat != 2)
        return describe("D format of kind::i8", 2, 2, dFormat);
      d.accumulator = AccumulatorFormat::S32;
      if (d.negateA || d.negateB)
        return "instruction descriptor: expected no negation for kind::i8, "
               "got bits 13-14 = " +
               std::to_string(field(bits, 13, 2));
    } else {
      if (d.saturate)
        return describe("saturate (only kind::i8 has it)", 0, 0, 1);
      if (dFormat > 1)
        return describe("D format", 0, 1, dFormat);
      d.accumulator =
          dFormat == 1 ? AccumulatorFormat::F32 : AccumulatorFormat::F16;
      bool f16Allowed =
          kind == MmaKind::F8F6F4 ||
          (kind == MmaKind::F16 && d.aFormat == NumberFormat::F16 &&
           d.bFormat == NumberFormat::F16);
      if (dFormat == 0 && !f16Allowed)
        return describe("D format (f16 needs kind::f8f6f4 or f16 inputs)", 1, 1,
                        dFormat);
    }
    d.m = field(bits, 24, 5) << 4;
    uint32_t shift = field(bits, 30, 2);
    if (shift && !qualifiers.weightStationary)
      return describe("maximum shift (only .ws has it)", 0, 0, shift);
    d.maxShift = shift ? static_cast<uint8_t>(4u << shift) : 0;
  } else {
    d.accumulator = AccumulatorFormat::F32;
    d.scaleIdB = field(bits, 4, 2);
    d.scaleIdA = field(bits, 29, 2);
    d.m = field(bits, 27, 2) << 7;
    bool ue8m0 = field(bits, 23, 1);
    d.scaleFormat = ue8m0 ? ScaleFormat::UE8M0 : ScaleFormat::UE4M3;
    uint32_t vector = qualifiers.scaleVector;
    bool vectorValid = kind == MmaKind::MXF8F6F4 ? vector == 1
                       : kind == MmaKind::MXF4   ? vector == 2
                                                 : vector == 2 || vector == 4;
    if (!vectorValid)
      return std::string("expected .scale_vec::") +
             (kind == MmaKind::MXF8F6F4 ? "1X"
              : kind == MmaKind::MXF4   ? "2X"
                                        : "2X or 4X") +
             " for kind::" + kindName(kind) + ", got " +
             std::to_string(vector) + "X";
    if (!ue8m0 && vector != 4)
      return std::string("instruction descriptor: expected scale type ue8m0 "
                         "(bit 23 = 1) for kind::") +
             kindName(kind) + " with .scale_vec::" + std::to_string(vector) +
             "X, got ue4m3";
    d.scaleBlock = vector == 4 ? 16 : 32;
    // The scale factors of one instruction must lie inside one 32-bit word.
    for (auto [name, id] : {std::pair<const char *, uint8_t>{"SFA", d.scaleIdA},
                            {"SFB", d.scaleIdB}}) {
      if (vector == 2 && id % 2 != 0)
        return describe((std::string(name) + " id with .scale_vec::2X").c_str(),
                        0, 2, id);
      if (vector == 4 && id != 0)
        return describe((std::string(name) + " id with .scale_vec::4X").c_str(),
                        0, 0, id);
    }
    if (fp4 && field(bits, 31, 1))
      return "instruction descriptor: K = 96 (bit 31) exists on sm_103a only "
             "and is not supported by the emulator";
  }

  if (fp4 && (d.transposeA || d.transposeB))
    return std::string("instruction descriptor: expected K-major operands for "
                       "kind::") +
           kindName(kind) + ", got transpose bits " +
           std::to_string(field(bits, 15, 2));
  // Only elements of 8 bits and more have MN-major layouts.
  if ((d.transposeA && formatTraits(d.aFormat).storageBits < 8) ||
      (d.transposeB && formatTraits(d.bFormat).storageBits < 8))
    return "instruction descriptor: expected K-major layout for 4- and 6-bit "
           "elements, got transpose bits " +
           std::to_string(field(bits, 15, 2));
  if (d.transposeA && qualifiers.aInTensorMemory)
    return "instruction descriptor: expected K-major A when A is in tensor "
           "memory, got the transpose bit";

  std::string shapeError = checkShape(qualifiers, d);
  if (!shapeError.empty())
    return shapeError;
  descriptor = d;
  return "";
}

MmaSpec mmaSpec(const InstructionDescriptor &descriptor, MmaKind kind) {
  MmaSpec spec;
  bool fp4 = kind == MmaKind::MXF4 || kind == MmaKind::MXF4NVF4;
  spec.rule = descriptor.aInteger != IntegerFormat::None
                  ? AccumulationRule::Integer
                  : accumulationRule(TensorInstruction::Tcgen05,
                                     descriptor.aFormat, fp4);
  spec.aFormat = descriptor.aFormat;
  spec.bFormat = descriptor.bFormat;
  spec.aInteger = descriptor.aInteger;
  spec.bInteger = descriptor.bInteger;
  spec.accumulator = descriptor.accumulator;
  spec.m = descriptor.m;
  spec.n = descriptor.n;
  spec.k = descriptor.k;
  spec.packedA = fp4;
  spec.packedB = fp4;
  spec.negateA = descriptor.negateA;
  spec.negateB = descriptor.negateB;
  spec.scaleFormat = descriptor.scaleFormat;
  spec.scaleBlock = descriptor.scaleBlock;
  spec.saturate = descriptor.saturate;
  return spec;
}

} // namespace bsmm::emulator::units
