//===- ScalarTest.cpp - Element-wise instructions ---------------*- C++ -*-===//

#include "Harness.h"

#include <cmath>
#include <random>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
/// Runs `body` over 32 lanes: %r1, %r2, %r3 are inputs (in[0..31], in[32..63],
/// in[64..95]), the result is %r0.
std::vector<uint32_t> lanes(const std::string &body,
                            const std::vector<uint32_t> &in) {
  LaunchSetup setup;
  std::copy(in.begin(), in.end(), setup.in.begin());
  Outcome outcome = run(kernel(prologue() + R"(
    ld.global.u32 %r1, [%int]; ld.global.u32 %r2, [%int+128];
    ld.global.u32 %r3, [%int+256];
    )" + body + " st.global.u32 [%outt], %r0; ret;"),
                        setup);
  EXPECT_TRUE(outcome.clean()) << outcome.text() << body;
  outcome.out.resize(32);
  return outcome.out;
}

std::vector<uint32_t> randomInputs(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> in(96);
  for (uint32_t &word : in)
    word = random() % 4 == 0 ? random() % 40 : random();
  return in;
}

template <typename F> void expectLanes(const std::string &body, F reference) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::vector<uint32_t> in = randomInputs(seed);
    std::vector<uint32_t> out = lanes(body, in);
    for (size_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(out[lane], reference(in[lane], in[lane + 32], in[lane + 64]))
          << body << " of " << std::hex << in[lane] << ", " << in[lane + 32]
          << ", " << in[lane + 64];
  }
}

using U = uint32_t;
using S = int32_t;

TEST(Scalar, Integers) {
  expectLanes("add.s32 %r0, %r1, %r2;", [](U a, U b, U) { return a + b; });
  expectLanes("sub.u32 %r0, %r1, %r2;", [](U a, U b, U) { return a - b; });
  expectLanes("mul.lo.s32 %r0, %r1, %r2;", [](U a, U b, U) { return a * b; });
  expectLanes("mul.hi.u32 %r0, %r1, %r2;",
              [](U a, U b, U) { return U(uint64_t(a) * b >> 32); });
  expectLanes("mul.hi.s32 %r0, %r1, %r2;",
              [](U a, U b, U) { return U(int64_t(S(a)) * S(b) >> 32); });
  expectLanes("mad.lo.u32 %r0, %r1, %r2, %r3;",
              [](U a, U b, U c) { return a * b + c; });
  expectLanes("div.u32 %r0, %r1, %r2;",
              [](U a, U b, U) { return b ? a / b : ~0u; });
  expectLanes("rem.u32 %r0, %r1, %r2;",
              [](U a, U b, U) { return b ? a % b : a; });
  expectLanes("min.s32 %r0, %r1, %r2;",
              [](U a, U b, U) { return U(std::min(S(a), S(b))); });
  expectLanes("max.u32 %r0, %r1, %r2;",
              [](U a, U b, U) { return std::max(a, b); });
  expectLanes("abs.s32 %r0, %r1;",
              [](U a, U, U) { return S(a) < 0 ? 0 - a : a; });
  expectLanes("shl.b32 %r0, %r1, %r2;",
              [](U a, U b, U) { return b < 32 ? a << b : 0; });
  expectLanes("shr.s32 %r0, %r1, %r2;",
              [](U a, U b, U) { return U(b < 32 ? S(a) >> b : S(a) >> 31); });
  expectLanes("shr.u32 %r0, %r1, %r2;",
              [](U a, U b, U) { return b < 32 ? a >> b : 0; });
  expectLanes("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", [](U a, U b, U c) {
    return U(((uint64_t(b) << 32 | a) << (c & 31)) >> 32);
  });
  expectLanes("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", [](U a, U b, U c) {
    return U((uint64_t(b) << 32 | a) >> std::min(c, 32u));
  });
  expectLanes("popc.b32 %r0, %r1;",
              [](U a, U, U) { return U(__builtin_popcount(a)); });
  expectLanes("clz.b32 %r0, %r1;",
              [](U a, U, U) { return a ? U(__builtin_clz(a)) : 32; });
  expectLanes("lop3.b32 %r0, %r1, %r2, %r3, 0xE8;", [](U a, U b, U c) {
    return (a & b) | (a & c) | (b & c); // majority
  });
  expectLanes("lop3.b32 %r0, %r1, %r2, %r3, 0x96;",
              [](U a, U b, U c) { return a ^ b ^ c; });
  expectLanes("brev.b32 %r0, %r1;", [](U a, U, U) {
    U result = 0;
    for (int k = 0; k < 32; ++k)
      result |= (a >> k & 1) << (31 - k);
    return result;
  });
}

/// The loops of the PTX ISA's description of bfe and bfi.
TEST(Scalar, BitFields) {
  auto bfe = [](U a, U b, U c, bool isSigned) {
    U pos = b & 0xFF, len = c & 0xFF;
    U sign = !isSigned || len == 0 ? 0 : a >> std::min(pos + len - 1, 31u) & 1;
    U d = 0;
    for (U i = 0; i <= 31; ++i)
      d |= (i < len && pos + i <= 31 ? a >> (pos + i) & 1 : sign) << i;
    return d;
  };
  expectLanes("bfe.u32 %r0, %r1, %r2, %r3;",
              [&](U a, U b, U c) { return bfe(a, b, c, false); });
  expectLanes("bfe.s32 %r0, %r1, %r2, %r3;",
              [&](U a, U b, U c) { return bfe(a, b, c, true); });
  expectLanes("bfi.b32 %r0, %r1, %r2, %r3, 5;", [](U a, U b, U c) {
    U pos = c & 0xFF, f = b;
    for (U i = 0; i < 5 && pos + i <= 31; ++i)
      f = (f & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
    return f;
  });
}

TEST(Scalar, Prmt) {
  expectLanes("prmt.b32 %r0, %r1, %r2, %r3;", [](U a, U b, U c) {
    uint8_t bytes[8];
    std::memcpy(bytes, &a, 4);
    std::memcpy(bytes + 4, &b, 4);
    U d = 0;
    for (int k = 0; k < 4; ++k) {
      U n = c >> (4 * k) & 15;
      U byte = bytes[n & 7];
      if (n & 8)
        byte = byte & 0x80 ? 0xFF : 0;
      d |= byte << (8 * k);
    }
    return d;
  });
  std::vector<uint32_t> in(96, 0);
  in[0] = 0x44332211;
  in[32] = 0x88776655;
  EXPECT_EQ(lanes("prmt.b32.f4e %r0, %r1, %r2, 1;", in)[0], 0x55443322u);
  EXPECT_EQ(lanes("prmt.b32.b4e %r0, %r1, %r2, 1;", in)[0], 0x77881122u);
  EXPECT_EQ(lanes("prmt.b32.rc8 %r0, %r1, %r2, 2;", in)[0], 0x33333333u);
  EXPECT_EQ(lanes("prmt.b32.rc16 %r0, %r1, %r2, 1;", in)[0], 0x44334433u);
}

TEST(Scalar, CarryChains) {
  expectLanes(
      "add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, 5;",
      [](U a, U b, U c) { return c + 5 + (uint64_t(a) + b > 0xFFFFFFFFu); });
  expectLanes("sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 7;",
              [](U a, U b, U c) { return c - 7 - (a < b); });
  expectLanes("mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, "
              "%r3;",
              [](U a, U b, U c) {
                uint64_t low = uint64_t(a * b) + c;
                return U(uint64_t(a) * b >> 32) + c + U(low >> 32);
              });
}

float asFloat(U bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
U asBits(float value) {
  if (value != value)
    return 0x7FFFFFFF;
  U bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

TEST(Scalar, Floats) {
  expectLanes("add.f32 %r0, %r1, %r2;",
              [](U a, U b, U) { return asBits(asFloat(a) + asFloat(b)); });
  expectLanes("mul.rn.f32 %r0, %r1, %r2;",
              [](U a, U b, U) { return asBits(asFloat(a) * asFloat(b)); });
  expectLanes("fma.rn.f32 %r0, %r1, %r2, %r3;", [](U a, U b, U c) {
    return asBits(std::fma(asFloat(a), asFloat(b), asFloat(c)));
  });
  expectLanes("div.rn.f32 %r0, %r1, %r2;",
              [](U a, U b, U) { return asBits(asFloat(a) / asFloat(b)); });
  std::vector<uint32_t> in(96, 0);
  in[0] = 0x3F800000;  // 1
  in[32] = 0x33800000; // 2^-24: half an ulp of 1
  EXPECT_EQ(lanes("add.rn.f32 %r0, %r1, %r2;", in)[0], 0x3F800000u);
  EXPECT_EQ(lanes("add.rp.f32 %r0, %r1, %r2;", in)[0], 0x3F800001u);
  EXPECT_EQ(lanes("sub.rm.f32 %r0, %r1, %r2;", in)[0], 0x3F7FFFFFu);
  in[0] = 0x00000001;
  in[32] = 0x3F800000;
  EXPECT_EQ(lanes("mul.ftz.f32 %r0, %r1, %r2;", in)[0], 0u);
  EXPECT_EQ(lanes("mul.f32 %r0, %r1, %r2;", in)[0], 1u);
  in[0] = 0x7FC00000;
  EXPECT_EQ(lanes("min.f32 %r0, %r1, %r2;", in)[0], 0x3F800000u);
  EXPECT_EQ(lanes("max.NaN.f32 %r0, %r1, %r2;", in)[0], 0x7FFFFFFFu);
  EXPECT_EQ(lanes("add.sat.f32 %r0, %r2, %r2;", in)[0], 0x3F800000u);
}

// 24-bit products: the low or the high 32 of 48 bits.
TEST(Scalar, NarrowProducts) {
  auto low = [](U a) { return int64_t(S(a << 8) >> 8); };
  auto product = [](U a, U b) {
    return uint64_t(a & 0xFFFFFF) * (b & 0xFFFFFF);
  };
  auto saturated = [](int64_t value) {
    return U(std::min<int64_t>(std::max<int64_t>(value, INT32_MIN), INT32_MAX));
  };
  expectLanes("mul24.lo.u32 %r0, %r1, %r2;",
              [&](U a, U b, U) { return U(product(a, b)); });
  expectLanes("mul24.hi.u32 %r0, %r1, %r2;",
              [&](U a, U b, U) { return U(product(a, b) >> 16); });
  expectLanes("mul24.lo.s32 %r0, %r1, %r2;",
              [&](U a, U b, U) { return U(low(a) * low(b)); });
  expectLanes("mul24.hi.s32 %r0, %r1, %r2;",
              [&](U a, U b, U) { return U(low(a) * low(b) >> 16); });
  expectLanes("mad24.lo.s32 %r0, %r1, %r2, %r3;",
              [&](U a, U b, U c) { return U(low(a) * low(b)) + c; });
  expectLanes("mad24.hi.u32 %r0, %r1, %r2, %r3;",
              [&](U a, U b, U c) { return U(product(a, b) >> 16) + c; });
  expectLanes("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", [&](U a, U b, U c) {
    return saturated((low(a) * low(b) >> 16) + S(c));
  });
  expectLanes("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", [&](U a, U b, U c) {
    return saturated((int64_t(S(a)) * S(b) >> 32) + S(c));
  });
}

TEST(Scalar, ReluOfIntegers) {
  expectLanes("min.relu.s32 %r0, %r1, %r2;",
              [](U a, U b, U) { return U(std::max(std::min(S(a), S(b)), 0)); });
  expectLanes("max.relu.s32 %r0, %r1, %r2;",
              [](U a, U b, U) { return U(std::max(std::max(S(a), S(b)), 0)); });
  auto half = [](U a, unsigned shift) { return int16_t(a >> shift); };
  expectLanes("min.s16x2.relu %r0, %r1, %r2;", [&](U a, U b, U) {
    U result = 0;
    for (unsigned k : {0u, 16u})
      result |= U(std::max<int>(std::min(half(a, k), half(b, k)), 0)) << k;
    return result;
  });
}

// PTX ISA, "min" and "max" with three inputs, "Mixed Precision Floating Point
// Instructions".
TEST(Scalar, ThreeOperandsAndMixedPrecision) {
  auto number = [](U bits) {
    float value = asFloat(bits);
    return value != value ? 0.25f : value;
  };
  auto clean = "setp.nan.f32 %p1, %r1, %r1; @%p1 mov.b32 %r1, 0f3E800000;"
               "setp.nan.f32 %p1, %r2, %r2; @%p1 mov.b32 %r2, 0f3E800000;"
               "setp.nan.f32 %p1, %r3, %r3; @%p1 mov.b32 %r3, 0f3E800000;";
  expectLanes(
      std::string(clean) + "min.f32 %r0, %r1, %r2, %r3;", [&](U a, U b, U c) {
        return asBits(std::fmin(std::fmin(number(a), number(b)), number(c)));
      });
  expectLanes(std::string(clean) + "max.abs.f32 %r0, %r1, %r2, %r3;",
              [&](U a, U b, U c) {
                return asBits(std::fmax(
                    std::fmax(std::fabs(number(a)), std::fabs(number(b))),
                    std::fabs(number(c))));
              });
  std::vector<uint32_t> in(96, 0);
  in[0] = 0x7FC00000; // NaN
  in[32] = 0xC0000000;
  in[64] = 0x3F800000;
  EXPECT_EQ(lanes("max.f32 %r0, %r2, %r3, %r1;", in)[0], 0x3F800000u);
  EXPECT_EQ(lanes("min.f32 %r0, %r1, %r1, %r2;", in)[0], 0xC0000000u);
  EXPECT_EQ(lanes("min.f32 %r0, %r1, %r1, %r1;", in)[0], 0x7FFFFFFFu);
  EXPECT_EQ(lanes("max.NaN.f32 %r0, %r2, %r1, %r3;", in)[0], 0x7FFFFFFFu);
  in[0] = 1; // flushed
  EXPECT_EQ(lanes("min.ftz.f32 %r0, %r1, %r1, %r3;", in)[0], 0u);

  const std::string split = "mov.b32 {%h1, %h2}, %r1;";
  in[0] = 0x3C003555;  // f16 1 and 0.33325195...
  in[32] = 0x33800000; // 2^-24
  EXPECT_EQ(lanes(split + "add.f32.f16 %r0, %h2, %r2;", in)[0], 0x3F800000u);
  EXPECT_EQ(lanes(split + "add.rp.f32.f16 %r0, %h2, %r2;", in)[0], 0x3F800001u);
  EXPECT_EQ(lanes(split + "sub.rz.f32.f16 %r0, %h2, %r2;", in)[0], 0x3F7FFFFFu);
  EXPECT_EQ(lanes(split + "sub.sat.f32.f16 %r0, %h1, %r3;", in)[0], 0u);
  EXPECT_EQ(lanes(split + "fma.rn.f32.f16 %r0, %h1, %h2, %r2;", in)[0],
            asBits(std::fma(0x1.554p-2f, 1.0f, 0x1p-24f)));
  in[0] = 0x3F804049; // bf16 1 and 3.140625
  EXPECT_EQ(lanes(split + "fma.rn.f32.bf16 %r0, %h1, %h1, %r3;", in)[0],
            asBits(3.140625f * 3.140625f + 1.0f));
  EXPECT_EQ(lanes(split + "sub.rn.f32.bf16 %r0, %h1, %r3;", in)[0],
            asBits(2.140625f));
  for (const char *wrong :
       {"mul.f32.f16 %r0, %h1, %r2;", "add.ftz.f32.f16 %r0, %h1, %r2;",
        "add.f64.f16 %fd0, %h1, %fd1;", "min.f16 %h0, %h1, %h2, %h3;",
        "max.xorsign.abs.f32 %r0, %r1, %r2, %r3;", "rem.u16x2 %r0, %r1, %r2;",
        "min.relu.u32 %r0, %r1, %r2;", "mad24.lo.sat.s32 %r0, %r1, %r2, %r3;",
        "mul.hi.sat.s32 %r0, %r1, %r2;"})
    EXPECT_FALSE(loadProgram(kernel(prologue() + wrong + " ret;")).program)
        << wrong;
}

TEST(Scalar, Conversions) {
  std::vector<uint32_t> in(96, 0);
  const float values[] = {1.5f, 2.5f, -2.5f, 3e9f, -3e9f, NAN, 0.49999997f};
  for (size_t k = 0; k < 7; ++k)
    std::memcpy(&in[k], &values[k], 4);
  std::vector<uint32_t> out = lanes("cvt.rni.s32.f32 %r0, %r1;", in);
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(out[1], 2u);
  EXPECT_EQ(out[2], uint32_t(-2));
  EXPECT_EQ(out[3], 0x7FFFFFFFu);
  EXPECT_EQ(out[4], 0x80000000u);
  EXPECT_EQ(out[5], 0u);
  out = lanes("cvt.rzi.u32.f32 %r0, %r1;", in);
  EXPECT_EQ(out[2], 0u);
  EXPECT_EQ(out[3], 3000000000u);
  // a is the upper half, b the lower.
  in[32] = 0x40000000;
  EXPECT_EQ(lanes("cvt.rn.f16x2.f32 %r0, %r1, %r2;", in)[0], 0x3E004000u);
  EXPECT_EQ(lanes("cvt.rn.bf16x2.f32 %r0, %r1, %r2;", in)[0], 0x3FC04000u);
  EXPECT_EQ(lanes("{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, %r1, %r2; "
                  "cvt.u32.u16 %r0, h; }",
                  in)[0],
            0x3C40u);
  EXPECT_EQ(lanes("{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %r1, %r2; "
                  "mov.b32 %r0, {b, b, b, b}; }",
                  in)[0],
            0x34343434u);
  expectLanes("cvt.s32.s8 %r0, %r1;",
              [](U a, U, U) { return U(S(int8_t(a))); });
}

/// The fast f32 to f16 and bf16 paths against arithmetic, over every
/// interesting exponent and rounding pattern.
TEST(Scalar, NarrowingToHalf) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> in(96, 0);
    for (int k = 0; k < 32; ++k) {
      uint32_t exponent = 90 + random() % 60;
      uint32_t mantissa = random() & 0x7FFFFF;
      if (random() % 2)
        mantissa = (mantissa & 0x7FE000) | (random() % 2 ? 0x1000 : 0xFFF);
      in[k] = (random() & 1) << 31 | exponent << 23 | mantissa;
    }
    std::vector<uint32_t> fast = lanes("cvt.rn.f16x2.f32 %r0, %r1, %r1;", in);
    std::vector<uint32_t> slow = lanes(
        "{ .reg .b16 h; cvt.rn.f16.f32 h, %r1; mov.b32 %r0, {h, h}; }", in);
    EXPECT_EQ(fast, slow);
    fast = lanes("cvt.rn.bf16x2.f32 %r0, %r1, %r1;", in);
    slow = lanes(
        "{ .reg .b16 h; cvt.rn.bf16.f32 h, %r1; mov.b32 %r0, {h, h}; }", in);
    EXPECT_EQ(fast, slow);
  }
}

TEST(Scalar, Predicates) {
  expectLanes("setp.lt.s32 %p1|%p2, %r1, %r2; selp.b32 %r4, 1, 0, %p1; "
              "selp.b32 %r5, 2, 0, %p2; or.b32 %r0, %r4, %r5;",
              [](U a, U b, U) { return S(a) < S(b) ? 1u : 2u; });
  expectLanes("setp.eq.u32 %p1, %r1, %r1; setp.lo.and.u32 %p2, %r1, %r2, "
              "!%p1; selp.b32 %r0, 1, 0, %p2;",
              [](U, U, U) { return 0u; });
  expectLanes("set.ge.u32.f32 %r0, %r1, %r2;", [](U a, U b, U) {
    return asFloat(a) >= asFloat(b) ? 0xFFFFFFFFu : 0u;
  });
  expectLanes("setp.ltu.f32 %p1, %r1, %r2; selp.b32 %r0, 1, 0, %p1;",
              [](U a, U b, U) { return U(!(asFloat(a) >= asFloat(b))); });
}

TEST(Scalar, WarpShuffles) {
  std::vector<uint32_t> in(96, 0);
  for (uint32_t k = 0; k < 32; ++k)
    in[k] = 100 + k;
  std::vector<uint32_t> out =
      lanes("shfl.sync.down.b32 %r0|%p1, %r1, 4, 31, -1;", in);
  for (uint32_t k = 0; k < 32; ++k)
    EXPECT_EQ(out[k], 100 + (k + 4 < 32 ? k + 4 : k));
  out = lanes("shfl.sync.up.b32 %r0, %r1, 3, 0, -1;", in);
  for (uint32_t k = 0; k < 32; ++k)
    EXPECT_EQ(out[k], 100 + (k >= 3 ? k - 3 : k));
  out = lanes("shfl.sync.bfly.b32 %r0, %r1, 5, 31, -1;", in);
  for (uint32_t k = 0; k < 32; ++k)
    EXPECT_EQ(out[k], 100 + (k ^ 5));
  // Width 8: segments.
  out = lanes("shfl.sync.idx.b32 %r0, %r1, 2, 0x181f, -1;", in);
  for (uint32_t k = 0; k < 32; ++k)
    EXPECT_EQ(out[k], 100 + (k & 24) + 2);
  out = lanes("setp.gt.u32 %p1, %r1, 115; vote.sync.ballot.b32 %r0, %p1, -1;",
              in);
  EXPECT_EQ(out[5], 0xFFFF0000u);
  out = lanes("redux.sync.add.s32 %r0, %r1, -1;", in);
  EXPECT_EQ(out[31], 32u * 100 + 31 * 16);
  out = lanes("and.b32 %r1, %r1, 3; match.any.sync.b32 %r0, %r1, -1;", in);
  EXPECT_EQ(out[1], 0x11111111u << 1);
  out =
      lanes("elect.sync %r4|%p1, 0xFFFFFF00; selp.b32 %r0, %r4, 99, %p1;", in);
  EXPECT_EQ(out[8], 8u);
  EXPECT_EQ(out[9], 99u);
}
} // namespace
