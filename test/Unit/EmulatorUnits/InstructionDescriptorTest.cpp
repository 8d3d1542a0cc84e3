//===- InstructionDescriptorTest.cpp - tcgen05.mma's idesc ----------------===//

#include "bsmm/Emulator/Units/InstructionDescriptor.h"

#include "gtest/gtest.h"

#include <set>

using namespace bsmm::emulator::units;

namespace {

MmaQualifiers qualifiers(MmaKind kind, uint32_t group = 1,
                         uint32_t vector = 0) {
  MmaQualifiers q;
  q.kind = kind;
  q.ctaGroup = group;
  q.scaleVector = vector;
  return q;
}

bool accepts(uint32_t bits, const MmaQualifiers &q) {
  InstructionDescriptor d;
  return decodeInstructionDescriptor(bits, q, d).empty();
}

TEST(InstructionDescriptor, WorkedValues) {
  InstructionDescriptor d;
  ASSERT_EQ(
      decodeInstructionDescriptor(0x08200010, qualifiers(MmaKind::F8F6F4), d),
      "");
  EXPECT_EQ(d.m, 128u);
  EXPECT_EQ(d.n, 128u);
  EXPECT_EQ(d.k, 32u);
  EXPECT_EQ(d.aFormat, NumberFormat::E4M3);
  EXPECT_EQ(d.bFormat, NumberFormat::E4M3);
  EXPECT_EQ(d.accumulator, AccumulatorFormat::F32);
  EXPECT_FALSE(d.transposeA || d.transposeB || d.negateA || d.negateB);

  for (uint32_t id = 0; id < 4; ++id) {
    ASSERT_EQ(decodeInstructionDescriptor(0x08A00000 | id << 4 | id << 29,
                                          qualifiers(MmaKind::MXF8F6F4, 1, 1),
                                          d),
              "");
    EXPECT_EQ(d.scaleIdA, id);
    EXPECT_EQ(d.scaleIdB, id);
    EXPECT_EQ(d.scaleFormat, ScaleFormat::UE8M0);
    EXPECT_EQ(d.scaleBlock, 32u);
    EXPECT_EQ(d.m, 128u);
    EXPECT_EQ(d.n, 128u);
  }
  for (uint32_t bits : {0x08A00480u, 0x48A004A0u}) {
    ASSERT_EQ(
        decodeInstructionDescriptor(bits, qualifiers(MmaKind::MXF4, 1, 2), d),
        "");
    EXPECT_EQ(d.k, 64u);
    EXPECT_EQ(d.aFormat, NumberFormat::E2M1);
    EXPECT_EQ(d.scaleIdA, bits >> 30 & 1 ? 2 : 0);
    EXPECT_EQ(d.scaleIdB, d.scaleIdA);
  }
  ASSERT_EQ(decodeInstructionDescriptor(0x08400480,
                                        qualifiers(MmaKind::MXF4NVF4, 1, 4), d),
            "");
  EXPECT_EQ(d.n, 256u);
  EXPECT_EQ(d.scaleFormat, ScaleFormat::UE4M3);
  EXPECT_EQ(d.scaleBlock, 16u);
  ASSERT_EQ(decodeInstructionDescriptor(0x10400480,
                                        qualifiers(MmaKind::MXF4NVF4, 2, 4), d),
            "");
  EXPECT_EQ(d.m, 256u);
  EXPECT_EQ(d.n, 256u);
  // The same descriptor belongs to the pair only.
  EXPECT_FALSE(accepts(0x10400480, qualifiers(MmaKind::MXF4NVF4, 1, 4)));
}

// Every bit that is not a field must be 0.
TEST(InstructionDescriptor, ReservedBits) {
  struct Case {
    MmaQualifiers q;
    uint32_t bits, reserved;
  } cases[] = {
      {qualifiers(MmaKind::F8F6F4), 0x08200010, 1u << 6 | 1u << 23 | 1u << 29},
      {qualifiers(MmaKind::MXF8F6F4, 1, 1), 0x08A00000,
       3u | 1u << 3 | 1u << 6 | 7u << 24 | 1u << 31},
      {qualifiers(MmaKind::MXF4, 1, 2), 0x08A00480,
       3u | 1u << 3 | 1u << 6 | 1u << 12 | 7u << 24},
      {qualifiers(MmaKind::MXF4NVF4, 1, 4), 0x08400480,
       3u | 1u << 3 | 1u << 6 | 1u << 12 | 7u << 24},
  };
  for (const Case &c : cases) {
    EXPECT_TRUE(accepts(c.bits, c.q));
    for (unsigned bit = 0; bit < 32; ++bit)
      if (c.reserved >> bit & 1) {
        EXPECT_FALSE(accepts(c.bits | 1u << bit, c.q)) << bit;
      }
    EXPECT_FALSE(accepts(c.bits | 1u << 2, c.q)) << "sparse";
  }
  // Saturation and the shift belong to kind::i8 and .ws.
  EXPECT_FALSE(accepts(0x08200010 | 1u << 3, qualifiers(MmaKind::F8F6F4)));
  EXPECT_FALSE(accepts(0x08200010 | 1u << 30, qualifiers(MmaKind::F8F6F4)));
  EXPECT_FALSE(accepts(0x88A00480, qualifiers(MmaKind::MXF4, 1, 2))) << "K96";
}

TEST(InstructionDescriptor, Formats) {
  const struct {
    uint32_t code;
    NumberFormat format;
  } small[] = {{0, NumberFormat::E4M3},
               {1, NumberFormat::E5M2},
               {3, NumberFormat::E2M3},
               {4, NumberFormat::E3M2},
               {5, NumberFormat::E2M1}};
  for (MmaKind kind : {MmaKind::F8F6F4, MmaKind::MXF8F6F4}) {
    bool scaled = kind == MmaKind::MXF8F6F4;
    uint32_t base = scaled ? 0x08A00000 : 0x08200010;
    MmaQualifiers q = qualifiers(kind, 1, scaled ? 1 : 0);
    for (const auto &a : small)
      for (const auto &b : small) {
        InstructionDescriptor d;
        ASSERT_EQ(decodeInstructionDescriptor(base | a.code << 7 | b.code << 10,
                                              q, d),
                  "");
        EXPECT_EQ(d.aFormat, a.format);
        EXPECT_EQ(d.bFormat, b.format);
      }
    for (uint32_t code : {2u, 6u, 7u}) {
      EXPECT_FALSE(accepts(base | code << 7, q));
      EXPECT_FALSE(accepts(base | code << 10, q));
    }
    // MN-major needs 8 bits.
    EXPECT_TRUE(accepts(base | 1u << 15, q));
    EXPECT_TRUE(accepts(base | 1u << 16, q));
    EXPECT_FALSE(accepts(base | 5u << 7 | 1u << 15, q));
    EXPECT_FALSE(accepts(base | 3u << 10 | 1u << 16, q));
  }
  // 2 is tf32 and nothing else in its kind; 1 is e2m1 in the 4-bit kinds.
  for (uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(
        accepts(0x08200010 | code << 7 | 2u << 10, qualifiers(MmaKind::TF32)),
        code == 2);
    EXPECT_EQ(
        accepts(0x08200010 | code << 7 | code << 10, qualifiers(MmaKind::F16)),
        code <= 1);
    EXPECT_EQ(accepts(0x08A00400 | code << 7, qualifiers(MmaKind::MXF4, 1, 2)),
              code == 1);
  }
  for (uint32_t code = 0; code < 4; ++code)
    EXPECT_EQ(accepts(0x08A00080 | code << 10, qualifiers(MmaKind::MXF4, 1, 2)),
              code == 1);
  // D formats.
  for (uint32_t dFormat = 0; dFormat < 4; ++dFormat) {
    uint32_t bits = 0x08200000 | dFormat << 4;
    EXPECT_EQ(accepts(bits, qualifiers(MmaKind::F8F6F4)), dFormat <= 1);
    EXPECT_EQ(accepts(bits, qualifiers(MmaKind::F16)), dFormat <= 1);
    EXPECT_EQ(accepts(bits | 1u << 7 | 1u << 10, qualifiers(MmaKind::F16)),
              dFormat == 1)
        << "bf16";
    EXPECT_EQ(accepts(bits | 2u << 7 | 2u << 10, qualifiers(MmaKind::TF32)),
              dFormat == 1);
    EXPECT_EQ(accepts(bits | 1u << 7 | 1u << 3, qualifiers(MmaKind::I8)),
              dFormat == 2);
  }
  EXPECT_FALSE(accepts(0x08200020 | 1u << 13, qualifiers(MmaKind::I8)));
}

// M and N of every kind against the shape table written as sets.
TEST(InstructionDescriptor, Shapes) {
  struct Kind {
    MmaKind kind;
    uint32_t bits;
    uint32_t vector;
  } kinds[] = {{MmaKind::F16, 0x10, 0},
               {MmaKind::TF32, 0x10 | 2u << 7 | 2u << 10, 0},
               {MmaKind::F8F6F4, 0x10, 0},
               {MmaKind::I8, 0x20, 0},
               {MmaKind::MXF8F6F4, 1u << 23, 1},
               {MmaKind::MXF4, 0x480 | 1u << 23, 2},
               {MmaKind::MXF4NVF4, 0x480, 4}};
  for (const Kind &k : kinds) {
    bool scaled = k.vector != 0;
    for (uint32_t group : {1u, 2u})
      for (uint32_t m = 0; m < (scaled ? 4u * 128 : 512u);
           m += scaled ? 128 : 16)
        for (uint32_t n = 0; n < 512; n += 8) {
          std::set<uint32_t> legalM;
          if (scaled)
            legalM = group == 1 ? std::set<uint32_t>{128}
                                : std::set<uint32_t>{128, 256};
          else
            legalM = group == 1 ? std::set<uint32_t>{64, 128}
                                : std::set<uint32_t>{128, 256};
          bool legalN;
          if (k.kind == MmaKind::I8)
            legalN =
                group == 2 ? n % 32 == 0 : n % 16 == 0 || n == 8 || n == 24;
          else
            legalN = n % (group == 1 ? 8 : 16) == 0;
          legalN = legalN && n >= 8 && n <= 256;
          uint32_t bits = k.bits | (n / 8) << 17;
          bits |= scaled ? m / 128 << 27 : m / 16 << 24;
          EXPECT_EQ(accepts(bits, qualifiers(k.kind, group, k.vector)),
                    legalM.count(m) && legalN)
              << int(k.kind) << " group " << group << " M " << m << " N " << n;
        }
  }
  // A transposed 8-bit B doubles the step of N.
  EXPECT_TRUE(accepts(0x10 | 8u << 24 | 2u << 17 | 1u << 16,
                      qualifiers(MmaKind::F8F6F4)));
  EXPECT_FALSE(accepts(0x10 | 8u << 24 | 1u << 17 | 1u << 16,
                       qualifiers(MmaKind::F8F6F4)));
  // Weight stationary.
  MmaQualifiers ws = qualifiers(MmaKind::F16);
  ws.weightStationary = true;
  for (uint32_t m : {16u, 32u, 64u, 128u, 256u})
    for (uint32_t n : {32u, 64u, 128u, 192u, 256u})
      EXPECT_EQ(accepts(0x10 | m / 16 << 24 | n / 8 << 17 | 1u << 30, ws),
                (m == 32 || m == 64 || m == 128) &&
                    (n == 64 || n == 128 || n == 256));
  for (uint32_t shift = 0; shift < 4; ++shift) {
    InstructionDescriptor d;
    ASSERT_EQ(decodeInstructionDescriptor(
                  0x10 | 4u << 24 | 8u << 17 | shift << 30, ws, d),
              "");
    EXPECT_EQ(d.maxShift, shift ? 4u << shift : 0u);
  }
  ws.ctaGroup = 2;
  EXPECT_FALSE(accepts(0x10 | 4u << 24 | 8u << 17, ws));
}

TEST(InstructionDescriptor, ScaleFactorIds) {
  for (uint32_t a = 0; a < 4; ++a)
    for (uint32_t b = 0; b < 4; ++b) {
      uint32_t ids = a << 29 | b << 4;
      EXPECT_TRUE(
          accepts(0x08A00000 | ids, qualifiers(MmaKind::MXF8F6F4, 1, 1)));
      EXPECT_EQ(accepts(0x08A00480 | ids, qualifiers(MmaKind::MXF4, 1, 2)),
                a % 2 == 0 && b % 2 == 0);
      EXPECT_EQ(accepts(0x08A00480 | ids, qualifiers(MmaKind::MXF4NVF4, 1, 2)),
                a % 2 == 0 && b % 2 == 0);
      EXPECT_EQ(accepts(0x08400480 | ids, qualifiers(MmaKind::MXF4NVF4, 1, 4)),
                a == 0 && b == 0);
    }
  // ue4m3 needs 4X, mxf8f6f4 and mxf4 need ue8m0, vectors belong to kinds.
  EXPECT_FALSE(accepts(0x08200480, qualifiers(MmaKind::MXF4, 1, 2)));
  EXPECT_FALSE(accepts(0x08200480, qualifiers(MmaKind::MXF4NVF4, 1, 2)));
  EXPECT_FALSE(accepts(0x08200000, qualifiers(MmaKind::MXF8F6F4, 1, 1)));
  EXPECT_TRUE(accepts(0x08A00480, qualifiers(MmaKind::MXF4NVF4, 1, 4)));
  EXPECT_FALSE(accepts(0x08A00000, qualifiers(MmaKind::MXF8F6F4, 1, 2)));
  EXPECT_FALSE(accepts(0x08A00480, qualifiers(MmaKind::MXF4, 1, 4)));
  EXPECT_FALSE(accepts(0x08A00480 | 1u << 16, qualifiers(MmaKind::MXF4, 1, 2)));
}

TEST(InstructionDescriptor, SpecOfADescriptor) {
  InstructionDescriptor d;
  ASSERT_EQ(decodeInstructionDescriptor(0x08400480 | 1u << 14,
                                        qualifiers(MmaKind::MXF4NVF4, 1, 4), d),
            "");
  MmaSpec spec = mmaSpec(d, MmaKind::MXF4NVF4);
  EXPECT_EQ(checkMmaSpec(spec), "");
  EXPECT_EQ(spec.rule, AccumulationRule::GroupedFraction35);
  EXPECT_TRUE(spec.packedA && spec.packedB && spec.negateB);
  EXPECT_EQ(spec.k, 64u);
  ASSERT_EQ(decodeInstructionDescriptor(0x08200028 | 1u << 7,
                                        qualifiers(MmaKind::I8), d),
            "");
  spec = mmaSpec(d, MmaKind::I8);
  EXPECT_EQ(checkMmaSpec(spec), "");
  EXPECT_EQ(spec.rule, AccumulationRule::Integer);
  EXPECT_EQ(spec.aInteger, IntegerFormat::S8);
  EXPECT_EQ(spec.bInteger, IntegerFormat::U8);
  EXPECT_TRUE(spec.saturate);
}

// No 32-bit pattern may crash or decode to a shape that mmaTile refuses.
TEST(InstructionDescriptor, AnyBits) {
  uint32_t state = 1;
  for (int i = 0; i < 2000000; ++i) {
    state = state * 1664525 + 1013904223;
    MmaKind kind = static_cast<MmaKind>(i % 7);
    uint32_t vector = kind == MmaKind::MXF8F6F4                ? 1
                      : kind == MmaKind::MXF4                  ? 2
                      : kind == MmaKind::MXF4NVF4 && i / 7 % 2 ? 4
                      : kind == MmaKind::MXF4NVF4              ? 2
                                                               : 0;
    InstructionDescriptor d;
    uint32_t bits = state & (i % 3 ? 0xFFFFFFFF : 0x78FE67BA);
    if (decodeInstructionDescriptor(bits,
                                    qualifiers(kind, 1 + i / 14 % 2, vector), d)
            .empty()) {
      EXPECT_EQ(checkMmaSpec(mmaSpec(d, kind)), "") << std::hex << bits;
    }
  }
}

} // namespace
