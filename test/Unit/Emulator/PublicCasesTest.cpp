//===- PublicCasesTest.cpp - Cases from public bug reports ------*- C++ -*-===//
//
// docs/public-cases.md names the reports. Here are those in which the faulty
// programs were of a form that bsmm does not generate: what the emulator says
// of right and wrong ones, written in PTX.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <random>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {

//===----------------------------------------------------------------------===//
// Scales of B in a CTA pair (facebookexperimental/triton #771)
//===----------------------------------------------------------------------===//

constexpr uint32_t PairN = 256;

/// mxf4nvf4 of a pair with M = 256 and N = 256: A and B hold ones, the scale of
/// row m of A is 2^(m % 4) (twice that in the second CTA), the scale of column
/// n is 1 + n % 8 / 8 (twice that from 128 on). `copyB` copies the scales of B.
std::string pairWithScales(const std::string &copyB) {
  std::string text = prologue() + R"(
    .reg .b32 %taddr, %c<8>; .reg .b64 %da, %db, %dc; .reg .b16 %m;
    mov.u32 %r4, s;
    mov.u32 %r20, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    setp.lt.u32 %p3, %t, 32;
    setp.eq.and.u32 %p5, %r20, 0, %p1;
    setp.eq.and.u32 %p6, %r20, 1, %p1;
    @%p3 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r4+64], 512;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    fence.mbarrier_init.release.cluster;
    // 128 rows of 32 bytes of A at 4096 and of B at 8192: e2m1 ones.
    shl.b32 %r6, %t, 5; add.u32 %r6, %r6, %r4;
    mov.u32 %c0, 0x22222222;
    st.shared.v4.u32 [%r6+4096], {%c0, %c0, %c0, %c0};
    st.shared.v4.u32 [%r6+4112], {%c0, %c0, %c0, %c0};
    st.shared.v4.u32 [%r6+8192], {%c0, %c0, %c0, %c0};
    st.shared.v4.u32 [%r6+8208], {%c0, %c0, %c0, %c0};
    // Row t of a scale tile: 4 bytes at t % 32 * 16 + t / 32 * 4.
    and.b32 %r8, %t, 31; shl.b32 %r8, %r8, 4; shr.u32 %r9, %t, 5;
    shl.b32 %r9, %r9, 2; add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r4;
    and.b32 %r7, %t, 3; add.u32 %r7, %r7, %r20; shl.b32 %r7, %r7, 3;
    add.u32 %r7, %r7, 0x38; mul.lo.u32 %r7, %r7, 0x01010101;
    st.shared.u32 [%r8+16384], %r7;
    and.b32 %r7, %t, 7; add.u32 %r7, %r7, 0x38;
    mul.lo.u32 %r9, %r7, 0x01010101;
    st.shared.u32 [%r8+16896], %r9;
    add.u32 %r7, %r7, 8; mul.lo.u32 %r9, %r7, 0x01010101;
    st.shared.u32 [%r8+17408], %r9;
    fence.proxy.async.shared::cta;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared.u32 %taddr, [%r4+64];
    and.b32 %r7, %r4, 0xFFFFFF; shr.u32 %r7, %r7, 4; cvt.u64.u32 %rd2, %r7;
    add.u64 %da, %rd2, 256; or.b64 %da, %da, 0x0000401000080000;
    add.u64 %db, %rd2, 512; or.b64 %db, %db, 0x0000401000080000;
    add.u64 %dc, %rd2, 1024; or.b64 %dc, %dc, 0x0000400800000000;
    add.u32 %r10, %taddr, 256; add.u32 %r11, %taddr, 260;
    add.u32 %r13, %taddr, 264;
    mov.u16 %m, 3; cvt.u64.u32 %rd1, %r4;
    @%p5 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r10], %dc;
)" + copyB + R"(
    mov.u32 %r12, 0x10400480; // M 256, N 256, e2m1, ue4m3
    @%p5 tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.block16 [%taddr], %da, %db, %r12, [%r10], [%r11], 0;
    @%p5 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1], %m;
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    tcgen05.fence::after_thread_sync;
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
    mad.lo.u32 %r9, %r20, 128, %t;
    mul.wide.u32 %rd3, %r9, 1024; add.u64 %rd3, %rd3, %out;
)";
  for (uint32_t column = 0; column < PairN; column += 4)
    text += "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%c0, %c1, %c2, %c3}, "
            "[%r5 + " +
            std::to_string(column) +
            "];\ntcgen05.wait::ld.sync.aligned;\nst.global.v4.u32 [%rd3+" +
            std::to_string(4 * column) + "], {%c0, %c1, %c2, %c3};\n";
  text += R"(
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p3 tcgen05.dealloc.cta_group::2.sync.aligned.b32 %taddr, 512;
    ret;)";
  return kernel(text, "sm_100a", ".shared .align 1024 .b8 s[20480];\n");
}

LaunchSetup pairSetup(const Options &options) {
  LaunchSetup setup;
  setup.block = {128, 1, 1};
  setup.grid = setup.cluster = {2, 1, 1};
  setup.options = options;
  setup.outWords = 256 * PairN;
  return setup;
}

TEST(PublicCases, PairHoldsAllScalesOfB) {
  // One copy each for columns 0 to 127 and 128 to 255, to both CTAs.
  std::string ptx = pairWithScales(R"(
    add.s64 %dc, %dc, 32;
    @%p5 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r11], %dc;
    add.s64 %dc, %dc, 32;
    @%p5 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r13], %dc;
)");
  for (const Options &options : allModes()) {
    Outcome outcome = run(ptx, pairSetup(options));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t m = 0; m < 256; ++m)
      for (uint32_t n = 0; n < PairN; ++n) {
        float got;
        std::memcpy(&got, &outcome.out[m * PairN + n], 4);
        float a = static_cast<float>(1 << (m % 4 + m / 128));
        float b = (1 + static_cast<float>(n % 8) / 8) *
                  static_cast<float>(1 + n / 128);
        ASSERT_EQ(got, 64 * a * b) << m << " " << n;
      }
  }
}

TEST(PublicCases, PairWithScalesOfBSplitBetweenCtas) {
  // Half of the scales are in neither CTA's tensor memory.
  std::string ptx = pairWithScales(R"(
    add.s64 %dc, %dc, 32;
    @%p5 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r11], %dc;
)");
  for (const Options &options : allModes()) {
    Outcome outcome = run(ptx, pairSetup(options));
    EXPECT_TRUE(outcome.has("tensor-memory-uninitialised")) << outcome.text();
  }
}

//===----------------------------------------------------------------------===//
// wgmma with N = 8 mod 16 (tilelang #2593)
//===----------------------------------------------------------------------===//

TEST(PublicCases, WgmmaWithOddMultiplesOfEight) {
  for (uint32_t n : {8u, 24u, 40u, 56u, 72u}) {
    SCOPED_TRACE("N = " + std::to_string(n));
    // Random small integers, K-major without swizzle: 16-byte rows of core
    // matrices, 128 bytes along K and 256 along rows.
    std::mt19937 random(n);
    auto matrix = [&](uint32_t rows, std::vector<int> &values,
                      std::vector<uint8_t> &bytes) {
      static const uint8_t codes[] = {0xC4, 0xC0, 0xB8, 0, 0x38, 0x40, 0x44};
      size_t start = bytes.size();
      bytes.resize(start + rows * 32);
      for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t k = 0; k < 32; ++k) {
          values.push_back(static_cast<int>(random() % 7) - 3);
          bytes[start + row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16] =
              codes[values.back() + 3];
        }
    };
    std::vector<int> a, b;
    std::vector<uint8_t> bytes;
    matrix(64, a, bytes);
    matrix(n, b, bytes);
    LaunchSetup setup;
    setup.block = {128, 1, 1};
    setup.in.resize(2048);
    std::memcpy(setup.in.data(), bytes.data(), bytes.size());
    setup.outWords = 64 * n;
    std::string registers, stores;
    for (uint32_t e = 0; e < n / 2; ++e) {
      registers += (e ? ", %d" : "%d") + std::to_string(e);
      stores += "st.global.f32 [%rd3+" + std::to_string(512 * e) + "], %d" +
                std::to_string(e) + ";\n";
    }
    std::string ptx =
        kernel(prologue() + R"(
    .reg .f32 %d<40>; .reg .b64 %da, %db;
    setp.ne.u32 %p1, %t, %t; // D is not read
    mov.u32 %r4, s;
    shl.b32 %r1, %t, 4; add.u32 %r5, %r4, %r1;
    mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %rd1, %in;
    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1];
    st.shared.v4.u32 [%r5], {%r6, %r7, %r8, %r9};
    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+2048];
    st.shared.v4.u32 [%r5+2048], {%r6, %r7, %r8, %r9};
    setp.lt.u32 %p2, %t, 32;
    @%p2 ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+4096];
    @%p2 st.shared.v4.u32 [%r5+4096], {%r6, %r7, %r8, %r9};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    shr.u32 %r7, %r4, 4; cvt.u64.u32 %da, %r7;
    or.b64 %da, %da, 0x0000001000080000;
    add.s64 %db, %da, 128;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n)" +
                   std::to_string(n) + "k32.f32.e4m3.e4m3 {" + registers +
                   R"(}, %da, %db, %p1, 1, 1;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    mov.u64 %rd3, %outt;
)" + stores + "ret;",
               "sm_90a", ".shared .align 1024 .b8 s[8192];\n");
    for (const Options &options : allModes()) {
      setup.options = options;
      Outcome outcome = run(ptx, setup);
      ASSERT_TRUE(outcome.clean()) << outcome.text();
      // PTX ISA, "Register fragments for wgmma.mma_async", D.
      for (uint32_t thread = 0; thread < 128; ++thread)
        for (uint32_t e = 0; e < n / 2; ++e) {
          uint32_t row = thread / 32 * 16 + thread % 32 / 4 + e / 2 % 2 * 8;
          uint32_t column = e / 4 * 8 + thread % 4 * 2 + e % 2;
          int sum = 0;
          for (uint32_t k = 0; k < 32; ++k)
            sum += a[row * 32 + k] * b[column * 32 + k];
          float got;
          std::memcpy(&got, &outcome.out[e * 128 + thread], 4);
          ASSERT_EQ(got, static_cast<float>(sum)) << row << " " << column;
        }
    }
  }
}

//===----------------------------------------------------------------------===//
// Bytes of padded fp4 (tilelang #2324)
//===----------------------------------------------------------------------===//

/// 8 rows of 128 4-bit elements: 64 bytes a row in global memory, 128 in shared
/// memory. The mbarrier counts those of global memory.
Outcome paddedFp4(uint32_t expectedBytes, const Options &options) {
  units::TensorMap map;
  map.element = units::TensorMapElement::Packed16U4Align16B;
  map.rank = 2;
  map.dims[0] = 128;
  map.dims[1] = 8;
  map.strides[1] = 64;
  map.box[0] = 128;
  map.box[1] = 8;
  map.swizzle = units::TensorMapSwizzle::Bytes128;
  LaunchSetup setup;
  setup.options = options;
  for (uint32_t k = 0; k < 128; ++k)
    setup.in[k] = k * 0x01234567u;
  setup.more = {Parameter::tensorMap(map, 1)};
  std::string ptx = ".version 8.8\n.target sm_100a\n.address_size 64\n"
                    ".shared .align 1024 .b8 s[4096];\n"
                    ".visible .entry k(.param .u64 out, .param .u64 in, "
                    ".param .align 128 .b8 map[128]) {\n" +
                    prologue() + R"(
    mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], )" +
                    std::to_string(expectedBytes) + R"(;
    @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s+1024], [%rd1, {0, 0}], [s];
    W: mbarrier.try_wait.parity.shared.b64 %p9, [s], 0; @!%p9 bra W;
    // 8 bytes of data and 8 of padding: thread t takes chunk t % 8 of row
    // t / 8, at chunk XOR row.
    shr.u32 %r1, %t, 3; and.b32 %r2, %t, 7; xor.b32 %r2, %r2, %r1;
    shl.b32 %r1, %r1, 7; shl.b32 %r2, %r2, 4; add.u32 %r1, %r1, %r2;
    mov.u32 %r3, s; add.u32 %r3, %r3, %r1;
    ld.shared.v2.u32 {%r4, %r5}, [%r3+1024];
    mul.wide.u32 %rd2, %t, 8; add.u64 %rd2, %rd2, %out;
    st.global.v2.u32 [%rd2], {%r4, %r5};
    ret;)" + "\n}\n";
  return run(ptx, setup);
}

TEST(PublicCases, PaddedFp4CountsPackedBytes) {
  for (const Options &options : allModes()) {
    Outcome outcome = paddedFp4(512, options);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    // Rows 0 to 3, as they are in global memory.
    for (uint32_t k = 0; k < 64; ++k)
      ASSERT_EQ(outcome.out[k], k * 0x01234567u) << k;
    // Counting the padded bytes waits for ever.
    EXPECT_TRUE(paddedFp4(1024, options).has("deadlock"));
    EXPECT_TRUE(paddedFp4(256, options).report.hasErrors());
  }
}
} // namespace
