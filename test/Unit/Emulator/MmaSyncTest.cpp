//===- MmaSyncTest.cpp - mma.sync of 8-bit and smaller types ----*- C++ -*-===//
//
// Random registers through mma.sync of sm_120a, against units::mmaTile on
// operands that the test lays out itself, one code a byte, by the formulas of
// PTX ISA, "Matrix Fragments for mma.m16n8k32", "... mma.m16n8k64" and "Block
// Scaling for mma.sync". The sums themselves are the units' tests.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include <random>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;
using units::AccumulationRule;
using units::NumberFormat;
using units::ScaleFormat;

namespace {
struct Form {
  const char *opcode; ///< after mma.sync.aligned.
  NumberFormat a, b;
  ScaleFormat scale;
  uint32_t scaleVector; ///< 0: no scales
  uint32_t byteA, threadA, byteB, threadB;
};

constexpr uint32_t RegisterA = 0, RegisterB = 4, RegisterC = 6,
                   RegisterScaleA = 10, RegisterScaleB = 11, Registers = 12;

/// `element` of a register file [register][lane] whose elements have `bits`.
uint32_t element(const std::vector<uint32_t> &in, uint32_t first, uint32_t lane,
                 uint32_t index, uint32_t bits) {
  uint32_t word = in[(first + index * bits / 32) * 32 + lane];
  return word >> (index * bits % 32) & ((1u << bits) - 1);
}

/// The code inside an 8-bit container: e2m1 lies in bits 2 to 5.
uint8_t contained(uint32_t byte, NumberFormat format) {
  return static_cast<uint8_t>(format == NumberFormat::E2M1 ? byte >> 2 & 15
                                                           : byte);
}

void check(const Form &form, uint64_t seed) {
  SCOPED_TRACE(form.opcode);
  std::mt19937_64 random(seed);
  bool packed = form.scaleVector > 1;
  uint32_t bits = packed ? 4 : 8, k = packed ? 64 : 32;
  LaunchSetup setup;
  setup.in.assign(Registers * 32, 0);
  for (uint32_t &word : setup.in)
    word = static_cast<uint32_t>(random());
  if (!packed) // container bits outside the code are zero
    for (uint32_t lane = 0; lane < 6 * 32; ++lane) {
      NumberFormat format = lane < RegisterB * 32 ? form.a : form.b;
      if (format == NumberFormat::E2M1)
        setup.in[lane] &= 0x3C3C3C3C;
      else if (units::formatTraits(format).storageBits == 6)
        setup.in[lane] &= 0x3F3F3F3F;
    }
  for (uint32_t lane = 0; lane < 4 * 32; ++lane) { // C near the products
    float value = static_cast<float>(static_cast<int>(random() % 4001) - 2000);
    std::memcpy(&setup.in[RegisterC * 32 + lane], &value, 4);
  }
  if (form.scale == ScaleFormat::UE8M0)
    for (uint32_t lane = 0; lane < 2 * 32; ++lane)
      setup.in[RegisterScaleA * 32 + lane] =
          (setup.in[RegisterScaleA * 32 + lane] & 0x07070707) + 0x7C7C7C7C;

  std::string body = prologue();
  for (uint32_t reg = 0; reg < Registers; ++reg)
    body += "ld.global.b32 %r" + std::to_string(reg) + ", [%int+" +
            std::to_string(128 * reg) + "];\n";
  body += std::string("mma.sync.aligned.") + form.opcode +
          " {%r20, %r21, %r22, %r23}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
          "{%r6, %r7, %r8, %r9}";
  if (form.scaleVector)
    body += ", %r10, {" + std::to_string(form.byteA) + ", " +
            std::to_string(form.threadA) + "}, %r11, {" +
            std::to_string(form.byteB) + ", " + std::to_string(form.threadB) +
            "}";
  body += ";\n";
  for (uint32_t reg = 0; reg < 4; ++reg)
    body += "st.global.b32 [%outt+" + std::to_string(128 * reg) + "], %r" +
            std::to_string(20 + reg) + ";\n";
  body += "ret;";
  Outcome outcome = run(kernel(body, "sm_120a"), setup);
  ASSERT_TRUE(outcome.clean()) << outcome.text();

  const std::vector<uint32_t> &in = setup.in;
  uint32_t run = 32 / bits; // elements in a register, consecutive in K
  std::vector<uint8_t> a(16 * k), b(8 * k), sfa, sfb;
  std::vector<uint32_t> d(16 * 8);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t group = lane / 4, inGroup = lane % 4;
    for (uint32_t i = 0; i < 4 * run; ++i) {
      bool upper = i / run % 2 == 1;
      uint32_t row = group + (upper ? 8 : 0);
      uint32_t column = inGroup * run + i % run + (i >= 2 * run ? k / 2 : 0);
      uint32_t code = element(in, RegisterA, lane, i, bits);
      a[row * k + column] =
          packed ? static_cast<uint8_t>(code) : contained(code, form.a);
    }
    for (uint32_t i = 0; i < 2 * run; ++i) {
      uint32_t row = inGroup * run + i % run + (i >= run ? k / 2 : 0);
      uint32_t code = element(in, RegisterB, lane, i, bits);
      b[group * k + row] =
          packed ? static_cast<uint8_t>(code) : contained(code, form.b);
    }
    for (uint32_t i = 0; i < 4; ++i)
      d[(group + (i < 2 ? 0 : 8)) * 8 + inGroup * 2 + (i & 1)] =
          in[(RegisterC + i) * 32 + lane];
  }
  units::MmaSpec spec;
  spec.rule = packed ? AccumulationRule::GroupedFraction35
                     : AccumulationRule::Fraction25;
  spec.aFormat = form.a;
  spec.bFormat = form.b;
  spec.m = 16;
  spec.n = 8;
  spec.k = k;
  if (form.scaleVector) {
    spec.scaleFormat = form.scale;
    spec.scaleBlock = k / form.scaleVector;
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t j = 0; j < form.scaleVector; ++j) {
        // Threads 0 and 1 of a quad, or 2 and 3: rows r and r + 8.
        uint32_t lane = row % 8 * 4 + form.threadA * 2 + (row >= 8 ? 1 : 0);
        sfa.push_back(static_cast<uint8_t>(in[RegisterScaleA * 32 + lane] >>
                                           8 * (form.byteA + j)));
      }
    for (uint32_t column = 0; column < 8; ++column)
      for (uint32_t j = 0; j < form.scaleVector; ++j)
        sfb.push_back(static_cast<uint8_t>(
            in[RegisterScaleB * 32 + column * 4 + form.threadB] >>
            8 * (form.byteB + j)));
  }
  ASSERT_EQ(units::mmaTile(spec, a.data(), b.data(), sfa.data(), sfb.data(),
                           d.data(), true),
            "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(outcome.out[32 * i + lane],
                d[(lane / 4 + (i < 2 ? 0 : 8)) * 8 + lane % 4 * 2 + (i & 1)])
          << "lane " << lane << " register " << i;
}

TEST(MmaSync, SmallTypesOfSm120a) {
  const Form forms[] = {
      {"m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
       ".f32.e2m1.e2m1.f32.ue4m3",
       NumberFormat::E2M1, NumberFormat::E2M1, ScaleFormat::UE4M3, 4, 0, 1, 0,
       3},
      {"m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X"
       ".f32.e2m1.e2m1.f32.ue8m0",
       NumberFormat::E2M1, NumberFormat::E2M1, ScaleFormat::UE8M0, 2, 2, 0, 0,
       2},
      {"m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X"
       ".f32.e2m1.e2m1.f32.ue8m0",
       NumberFormat::E2M1, NumberFormat::E2M1, ScaleFormat::UE8M0, 2, 0, 1, 2,
       1},
      {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
       ".f32.e4m3.e2m1.f32.ue8m0",
       NumberFormat::E4M3, NumberFormat::E2M1, ScaleFormat::UE8M0, 1, 3, 1, 1,
       2},
      {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
       ".f32.e2m3.e5m2.f32.ue8m0",
       NumberFormat::E2M3, NumberFormat::E5M2, ScaleFormat::UE8M0, 1, 1, 0, 2,
       0},
      {"m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", NumberFormat::E2M1,
       NumberFormat::E3M2, ScaleFormat::None, 0, 0, 0, 0, 0},
      {"m16n8k32.row.col.f32.e4m3.e5m2.f32", NumberFormat::E4M3,
       NumberFormat::E5M2, ScaleFormat::None, 0, 0, 0, 0, 0},
  };
  for (const Form &form : forms)
    for (uint64_t seed = 1; seed <= 8; ++seed)
      check(form, seed);
}
} // namespace
