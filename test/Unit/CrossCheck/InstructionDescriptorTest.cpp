//===- InstructionDescriptorTest.cpp - tcgen05 instruction descriptors ----===//
//
// The three forms of the 32-bit descriptor: the layout library encodes, the
// emulator decodes, and the target table says which combinations exist (PTX
// ISA, tcgen05 "Instruction descriptor" and "Matrix shape").
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include "bsmm/Emulator/Units/InstructionDescriptor.h"
#include "bsmm/Target/Target.h"

#include <random>

using namespace bsmm;
using namespace bsmm::crosscheck;
using layout::AccumulatorType;
using layout::OperandType;
using layout::ScaleType;
using target::ElementType;
namespace units = bsmm::emulator::units;

namespace {

constexpr OperandType operandTypes[] = {
    OperandType::F16,  OperandType::BF16, OperandType::TF32, OperandType::E4M3,
    OperandType::E5M2, OperandType::E2M3, OperandType::E3M2, OperandType::E2M1,
    OperandType::U8,   OperandType::S8};

/// The type in the target table's words.
ElementType elementType(OperandType type) {
  return target::elementTypeFromName(layout::operandTypeName(type));
}

/// The type that the emulator decoded, in the layout library's words.
OperandType decodedType(units::NumberFormat format,
                        units::IntegerFormat integer) {
  if (integer == units::IntegerFormat::U8)
    return OperandType::U8;
  if (integer == units::IntegerFormat::S8)
    return OperandType::S8;
  switch (format) {
  case units::NumberFormat::F16:
    return OperandType::F16;
  case units::NumberFormat::BF16:
    return OperandType::BF16;
  case units::NumberFormat::TF32:
    return OperandType::TF32;
  case units::NumberFormat::E4M3:
    return OperandType::E4M3;
  case units::NumberFormat::E5M2:
    return OperandType::E5M2;
  case units::NumberFormat::E2M3:
    return OperandType::E2M3;
  case units::NumberFormat::E3M2:
    return OperandType::E3M2;
  case units::NumberFormat::E2M1:
    return OperandType::E2M1;
  default:
    ADD_FAILURE() << "a format that no operand has";
    return OperandType::F16;
  }
}

AccumulatorType decodedAccumulator(units::AccumulatorFormat format) {
  switch (format) {
  case units::AccumulatorFormat::F16:
    return AccumulatorType::F16;
  case units::AccumulatorFormat::F32:
    return AccumulatorType::F32;
  case units::AccumulatorFormat::S32:
    return AccumulatorType::S32;
  }
  return AccumulatorType::F32;
}

struct DenseKinds {
  layout::DenseKind layout;
  units::MmaKind unit;
  target::Kind target;
};
constexpr DenseKinds denseKinds[] = {
    {layout::DenseKind::F16, units::MmaKind::F16, target::Kind::F16},
    {layout::DenseKind::TF32, units::MmaKind::TF32, target::Kind::TF32},
    {layout::DenseKind::F8F6F4, units::MmaKind::F8F6F4, target::Kind::F8F6F4},
    {layout::DenseKind::I8, units::MmaKind::I8, target::Kind::I8}};

bool targetHas(const target::MmaQuery &query) {
  return target::selectForm(*target::findGpu("sm_100a"), query) != nullptr;
}

target::MmaQuery queryOf(target::Kind kind, OperandType a, OperandType b,
                         int64_t m, int64_t n, uint32_t ctaGroup,
                         bool transposeA, bool transposeB) {
  target::MmaQuery query;
  query.hasFamily = query.hasKind = query.hasScale = true;
  query.family = target::Family::Tcgen05;
  query.kind = kind;
  query.a = elementType(a);
  query.b = elementType(b);
  query.ctaGroup = ctaGroup;
  query.m = m;
  query.n = n;
  query.aIsKMajor = !transposeA;
  query.bIsKMajor = !transposeB;
  return query;
}

/// What PTX allows and bsmm's table leaves out on purpose; the rule is named
/// beside the table. Empty when there is no such reason.
std::string whyNarrower(target::Kind kind, int64_t m, int64_t n,
                        uint32_t ctaGroup, bool transposeB) {
  bool scaled = target::isBlockScaled(kind);
  if (n % 16 != 0)
    return "N in steps of 8 at one CTA: DeepGEMM requires 16";
  if (scaled && ctaGroup == 2 && m == 128)
    return "block scales with a pair of M = 128: CUTLASS asserts M = 256";
  if (kind == target::Kind::MXF8F6F4 && ctaGroup == 2 && transposeB &&
      n % 32 != 0)
    return "MN-major B of a pair in steps of 32, as in kind::f8f6f4";
  return "";
}

/// Target table => both sides; emulator => layout library; and whatever the
/// emulator takes beyond the table has a reason.
#define CHECK_LEGALITY(inTarget, encoded, error, why)                          \
  do {                                                                         \
    if (inTarget) {                                                            \
      ASSERT_TRUE(bool(encoded)) << encoded.error();                           \
      ASSERT_EQ(error, "");                                                    \
    } else if (encoded && error.empty()) {                                     \
      ASSERT_NE(why, "") << "accepted by both, missing in the target table";   \
    }                                                                          \
  } while (false)

//===----------------------------------------------------------------------===//
// Dense kinds
//===----------------------------------------------------------------------===//

void checkDense(const layout::DenseInstruction &instruction,
                const DenseKinds &kinds, uint32_t ctaGroup, unsigned &legal) {
  auto bits = layout::encodeInstruction(instruction);
  units::MmaQualifiers qualifiers;
  qualifiers.kind = kinds.unit;
  qualifiers.ctaGroup = ctaGroup;
  units::InstructionDescriptor d;
  std::string error = "not encoded";
  if (bits)
    error = units::decodeInstructionDescriptor(*bits, qualifiers, d);
  target::MmaQuery query = queryOf(
      kinds.target, instruction.a, instruction.b, instruction.m, instruction.n,
      ctaGroup, instruction.transposeA, instruction.transposeB);
  query.accumulator = instruction.d == AccumulatorType::F16 ? ElementType::F16
                      : instruction.d == AccumulatorType::F32
                          ? ElementType::F32
                          : ElementType::S32;
  // The table knows shapes and types, not the modifiers.
  bool isInteger = kinds.unit == units::MmaKind::I8;
  bool modifiers = isInteger ? !instruction.negateA && !instruction.negateB
                             : !instruction.saturate;
  bool inTarget = modifiers && targetHas(query);
  CHECK_LEGALITY(inTarget, bits, error,
                 whyNarrower(kinds.target, instruction.m, instruction.n,
                             ctaGroup, instruction.transposeB));
  if (!error.empty())
    return;
  ++legal;
  ASSERT_EQ(d.m, instruction.m);
  ASSERT_EQ(d.n, instruction.n);
  ASSERT_EQ(decodedType(d.aFormat, d.aInteger), instruction.a);
  ASSERT_EQ(decodedType(d.bFormat, d.bInteger), instruction.b);
  ASSERT_EQ(decodedAccumulator(d.accumulator), instruction.d);
  ASSERT_EQ(d.saturate, instruction.saturate);
  ASSERT_EQ(d.negateA, instruction.negateA);
  ASSERT_EQ(d.negateB, instruction.negateB);
  ASSERT_EQ(d.transposeA, instruction.transposeA);
  ASSERT_EQ(d.transposeB, instruction.transposeB);
  ASSERT_EQ(d.scaleFormat, units::ScaleFormat::None);
  ASSERT_FALSE(d.sparse);
  ASSERT_EQ(d.maxShift, 0);
  if (inTarget) {
    ASSERT_EQ(d.k, target::selectForm(*target::findGpu("sm_100a"), query)->k);
  }
}

TEST(CrossCheckInstructionDescriptor, Dense) {
  for (const DenseKinds &kinds : denseKinds) {
    unsigned legal = 0;
    for (OperandType a : operandTypes)
      for (OperandType b : operandTypes)
        for (AccumulatorType d :
             {AccumulatorType::F16, AccumulatorType::F32, AccumulatorType::S32})
          for (int64_t m : {64, 128, 256})
            for (int64_t n = 8; n <= 256; n += 8) {
              layout::DenseInstruction instruction;
              instruction.kind = kinds.layout;
              instruction.a = a;
              instruction.b = b;
              instruction.d = d;
              instruction.m = m;
              instruction.n = n;
              // Types of other kinds are refused whatever the rest says.
              auto plain = layout::encodeInstruction(instruction);
              unsigned last = plain ? 31 : 0;
              for (unsigned flags = 0; flags <= last; ++flags) {
                instruction.negateA = flags & 1;
                instruction.negateB = flags & 2;
                instruction.transposeA = flags & 4;
                instruction.transposeB = flags & 8;
                instruction.saturate = flags & 16;
                for (uint32_t ctaGroup : {1u, 2u}) {
                  checkDense(instruction, kinds, ctaGroup, legal);
                  if (HasFatalFailure()) {
                    ADD_FAILURE()
                        << layout::operandTypeName(a) << " x "
                        << layout::operandTypeName(b) << " M " << m << " N "
                        << n << " flags " << flags << " cta_group " << ctaGroup;
                    return;
                  }
                }
              }
            }
    EXPECT_GT(legal, 100u);
  }
}

//===----------------------------------------------------------------------===//
// Block-scaled kinds
//===----------------------------------------------------------------------===//

TEST(CrossCheckInstructionDescriptor, MxF8F6F4) {
  unsigned legal = 0;
  for (OperandType a : operandTypes)
    for (OperandType b : operandTypes)
      for (int64_t m : {64, 128, 256})
        for (int64_t n = 8; n <= 256; n += 8)
          for (unsigned flags = 0; flags < 256; ++flags) {
            layout::MxF8F6F4Instruction instruction;
            instruction.a = a;
            instruction.b = b;
            instruction.m = m;
            instruction.n = n;
            instruction.negateA = flags & 1;
            instruction.negateB = flags & 2;
            instruction.transposeA = flags & 4;
            instruction.transposeB = flags & 8;
            instruction.scaleIdA = flags >> 4 & 3;
            instruction.scaleIdB = flags >> 6 & 3;
            auto bits = layout::encodeInstruction(instruction);
            if (!bits && flags == 0) {
              // Not a type or a shape of this kind at all.
              for (uint32_t ctaGroup : {1u, 2u}) {
                target::MmaQuery query = queryOf(target::Kind::MXF8F6F4, a, b,
                                                 m, n, ctaGroup, false, false);
                query.scaleType = ElementType::UE8M0;
                query.scaleVector = 32;
                ASSERT_FALSE(targetHas(query));
              }
              break;
            }
            for (uint32_t ctaGroup : {1u, 2u}) {
              units::MmaQualifiers qualifiers;
              qualifiers.kind = units::MmaKind::MXF8F6F4;
              qualifiers.ctaGroup = ctaGroup;
              qualifiers.scaleVector = 1;
              units::InstructionDescriptor d;
              std::string error = "not encoded";
              if (bits)
                error =
                    units::decodeInstructionDescriptor(*bits, qualifiers, d);
              target::MmaQuery query =
                  queryOf(target::Kind::MXF8F6F4, a, b, m, n, ctaGroup,
                          instruction.transposeA, instruction.transposeB);
              query.scaleType = ElementType::UE8M0;
              query.scaleVector = 32;
              query.accumulator = ElementType::F32;
              bool inTarget = targetHas(query);
              CHECK_LEGALITY(inTarget, bits, error,
                             whyNarrower(target::Kind::MXF8F6F4, m, n, ctaGroup,
                                         instruction.transposeB));
              if (!error.empty())
                continue;
              ++legal;
              ASSERT_EQ(d.m, m);
              ASSERT_EQ(d.n, n);
              ASSERT_EQ(d.k, 32u);
              ASSERT_EQ(decodedType(d.aFormat, d.aInteger), a);
              ASSERT_EQ(decodedType(d.bFormat, d.bInteger), b);
              ASSERT_EQ(d.accumulator, units::AccumulatorFormat::F32);
              ASSERT_EQ(d.scaleFormat, units::ScaleFormat::UE8M0);
              ASSERT_EQ(d.scaleBlock, 32u);
              ASSERT_EQ(d.scaleIdA, instruction.scaleIdA);
              ASSERT_EQ(d.scaleIdB, instruction.scaleIdB);
              ASSERT_EQ(d.negateA, instruction.negateA);
              ASSERT_EQ(d.negateB, instruction.negateB);
              ASSERT_EQ(d.transposeA, instruction.transposeA);
              ASSERT_EQ(d.transposeB, instruction.transposeB);
            }
          }
  EXPECT_GT(legal, 100000u);
}

TEST(CrossCheckInstructionDescriptor, Fp4) {
  unsigned legal = 0;
  for (layout::Fp4Kind kind :
       {layout::Fp4Kind::MxF4, layout::Fp4Kind::MxF4NvF4})
    for (int64_t perRow : {1, 2, 4})
      for (ScaleType scale : {ScaleType::UE4M3, ScaleType::UE8M0})
        for (int64_t m : {64, 128, 256})
          for (int64_t n = 8; n <= 256; n += 8)
            for (unsigned flags = 0; flags < 64; ++flags) {
              layout::Fp4Instruction instruction;
              instruction.kind = kind;
              instruction.scalesPerRow = perRow;
              instruction.scaleType = scale;
              instruction.m = m;
              instruction.n = n;
              instruction.negateA = flags & 1;
              instruction.negateB = flags & 2;
              instruction.scaleIdA = flags >> 2 & 3;
              instruction.scaleIdB = flags >> 4 & 3;
              auto bits = layout::encodeInstruction(instruction);
              bool isMx = kind == layout::Fp4Kind::MxF4;
              for (uint32_t ctaGroup : {1u, 2u}) {
                units::MmaQualifiers qualifiers;
                qualifiers.kind =
                    isMx ? units::MmaKind::MXF4 : units::MmaKind::MXF4NVF4;
                qualifiers.ctaGroup = ctaGroup;
                qualifiers.scaleVector = uint32_t(perRow);
                units::InstructionDescriptor d;
                std::string error = "not encoded";
                if (bits)
                  error =
                      units::decodeInstructionDescriptor(*bits, qualifiers, d);
                target::Kind targetKind =
                    isMx ? target::Kind::MXF4 : target::Kind::MXF4NVF4;
                target::MmaQuery query =
                    queryOf(targetKind, OperandType::E2M1, OperandType::E2M1, m,
                            n, ctaGroup, false, false);
                query.scaleType = scale == ScaleType::UE4M3
                                      ? ElementType::UE4M3
                                      : ElementType::UE8M0;
                query.scaleVector = 64 / perRow;
                // Ids are no part of the table: the scales of an instruction
                // lie in one 32-bit word.
                bool ids = instruction.scaleIdA % perRow == 0 &&
                           instruction.scaleIdB % perRow == 0;
                bool inTarget = ids && targetHas(query);
                CHECK_LEGALITY(inTarget, bits, error,
                               whyNarrower(targetKind, m, n, ctaGroup, false));
                if (!error.empty())
                  continue;
                ++legal;
                ASSERT_EQ(d.m, m);
                ASSERT_EQ(d.n, n);
                ASSERT_EQ(d.k, 64u);
                ASSERT_EQ(d.aFormat, units::NumberFormat::E2M1);
                ASSERT_EQ(d.bFormat, units::NumberFormat::E2M1);
                ASSERT_EQ(d.accumulator, units::AccumulatorFormat::F32);
                ASSERT_EQ(d.scaleFormat, scale == ScaleType::UE4M3
                                             ? units::ScaleFormat::UE4M3
                                             : units::ScaleFormat::UE8M0);
                ASSERT_EQ(int64_t(d.scaleBlock), 64 / perRow);
                ASSERT_EQ(d.scaleIdA, instruction.scaleIdA);
                ASSERT_EQ(d.scaleIdB, instruction.scaleIdB);
                ASSERT_EQ(d.negateA, instruction.negateA);
                ASSERT_EQ(d.negateB, instruction.negateB);
                ASSERT_FALSE(d.transposeA || d.transposeB);
              }
            }
  EXPECT_GT(legal, 1000u);
}

//===----------------------------------------------------------------------===//
// Any bits
//===----------------------------------------------------------------------===//

/// What the emulator accepts, the layout library encodes to the same bits. The
/// exception is a mix of f16 and bf16, which it refuses.
TEST(CrossCheckInstructionDescriptor, EveryAcceptedPatternReencodes) {
  std::mt19937 random(5);
  struct Form {
    units::MmaKind kind;
    uint32_t scaleVector;
    uint32_t mask; ///< bits that random values may have
  };
  const uint32_t dense = 0x1F7FFFB8, mx = 0x78FFFFB4, fp4 = 0xF8FFEFB4;
  const Form forms[] = {
      {units::MmaKind::F16, 0, dense},    {units::MmaKind::TF32, 0, dense},
      {units::MmaKind::F8F6F4, 0, dense}, {units::MmaKind::I8, 0, dense},
      {units::MmaKind::MXF8F6F4, 1, mx},  {units::MmaKind::MXF4, 2, fp4},
      {units::MmaKind::MXF4NVF4, 2, fp4}, {units::MmaKind::MXF4NVF4, 4, fp4}};
  for (const Form &form : forms) {
    unsigned accepted = 0;
    for (int i = 0; i < 1000000; ++i) {
      uint32_t bits = random() & form.mask;
      // Make the rare fields likely: M, the fp4 format codes.
      bool isDense = form.scaleVector == 0;
      if (i % 4)
        bits = isDense ? (bits & ~(31u << 24)) | (4u << (i % 3)) << 24
                       : (bits & ~(3u << 27)) | (1u + i % 2) << 27;
      if (form.scaleVector >= 2 && i % 4)
        bits = (bits & ~(31u << 7)) | 1u << 7 | 1u << 10;
      units::MmaQualifiers qualifiers;
      qualifiers.kind = form.kind;
      qualifiers.ctaGroup = 1 + (random() & 1);
      qualifiers.scaleVector = form.scaleVector;
      units::InstructionDescriptor d;
      if (!units::decodeInstructionDescriptor(bits, qualifiers, d).empty())
        continue;
      ++accepted;
      OperandType a = decodedType(d.aFormat, d.aInteger);
      OperandType b = decodedType(d.bFormat, d.bInteger);
      layout::Result<uint32_t> again = layout::makeError("unset");
      if (isDense) {
        layout::DenseInstruction instruction;
        for (const DenseKinds &kinds : denseKinds)
          if (kinds.unit == form.kind)
            instruction.kind = kinds.layout;
        instruction.a = a;
        instruction.b = b;
        instruction.d = decodedAccumulator(d.accumulator);
        instruction.m = d.m;
        instruction.n = d.n;
        instruction.negateA = d.negateA;
        instruction.negateB = d.negateB;
        instruction.transposeA = d.transposeA;
        instruction.transposeB = d.transposeB;
        instruction.saturate = d.saturate;
        again = layout::encodeInstruction(instruction);
        if (form.kind == units::MmaKind::F16 && a != b) {
          ASSERT_FALSE(bool(again));
          continue;
        }
      } else if (form.kind == units::MmaKind::MXF8F6F4) {
        layout::MxF8F6F4Instruction instruction;
        instruction.a = a;
        instruction.b = b;
        instruction.m = d.m;
        instruction.n = d.n;
        instruction.scaleIdA = d.scaleIdA;
        instruction.scaleIdB = d.scaleIdB;
        instruction.negateA = d.negateA;
        instruction.negateB = d.negateB;
        instruction.transposeA = d.transposeA;
        instruction.transposeB = d.transposeB;
        again = layout::encodeInstruction(instruction);
      } else {
        layout::Fp4Instruction instruction;
        instruction.kind = form.kind == units::MmaKind::MXF4
                               ? layout::Fp4Kind::MxF4
                               : layout::Fp4Kind::MxF4NvF4;
        instruction.scalesPerRow = form.scaleVector;
        instruction.scaleType = d.scaleFormat == units::ScaleFormat::UE4M3
                                    ? ScaleType::UE4M3
                                    : ScaleType::UE8M0;
        instruction.m = d.m;
        instruction.n = d.n;
        instruction.scaleIdA = d.scaleIdA;
        instruction.scaleIdB = d.scaleIdB;
        instruction.negateA = d.negateA;
        instruction.negateB = d.negateB;
        again = layout::encodeInstruction(instruction);
      }
      ASSERT_TRUE(bool(again)) << again.error() << std::hex << " " << bits;
      ASSERT_EQ(*again, bits) << std::hex << bits;
    }
    EXPECT_GT(accepted, 100u) << int(form.kind);
  }
}

} // namespace
