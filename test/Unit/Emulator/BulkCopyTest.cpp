//===- BulkCopyTest.cpp - cp.async.bulk and cp.async ------------*- C++ -*-===//

#include "Harness.h"

#include <numeric>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
const char shared[] = ".shared .align 1024 .b8 s[16384];\n";

std::string mapKernel(const std::string &body) {
  return ".version 8.8\n.target sm_100a\n.address_size 64\n" +
         std::string(shared) +
         ".visible .entry k(.param .u64 out, .param .u64 in, .param .align "
         "128 .b8 map[128], .param .align 128 .b8 store[128]) {\n" +
         prologue() + body + "\n}\n";
}

std::vector<uint32_t> iota() {
  std::vector<uint32_t> in(1024);
  std::iota(in.begin(), in.end(), 0u);
  return in;
}

const char waitZero[] =
    "W: mbarrier.try_wait.parity.shared.b64 %p9, [s], 0; @!%p9 bra W;\n";

TEST(BulkCopy, OneDimensionRoundTrip) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.in = iota();
    setup.options = options;
    Outcome outcome = run(kernel(prologue() + R"(
    mbarrier.init.shared.b64 [s], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 _, [s], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+128], [%in], 256, [s];
    )" + std::string(waitZero) + R"(
    ld.shared.u32 %r1, [s+132];
    add.u32 %r1, %r1, 1000;
    st.shared.u32 [s+132], %r1;
    fence.proxy.async.shared::cta;
    cp.async.bulk.global.shared::cta.bulk_group [%out], [s+128], 256;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    ret;)",
                                 "sm_90a", shared),
                          [&] {
                            setup.block = {1, 1, 1};
                            return setup;
                          }());
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    EXPECT_EQ(outcome.out[0], 0u);
    EXPECT_EQ(outcome.out[1], 1001u);
    EXPECT_EQ(outcome.out[63], 63u);
    EXPECT_EQ(outcome.out[64], 0xCDCDCDCDu);
  }
}

/// Bit k of the mask is for byte k of every 16.
TEST(BulkCopy, MaskedBytes) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.options = options;
    setup.block = {1, 1, 1};
    Outcome outcome = run(kernel(prologue() + R"(
    st.shared.v4.u32 [s], {0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C};
    st.shared.v4.u32 [s+16], {0x13121110, 0x17161514, 0x1B1A1918, 0x1F1E1D1C};
    fence.proxy.async.shared::cta;
    mov.b16 %h1, 0x8421;
    createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;
    cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%out], [s], 32, %rd1, %h1;
    cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out+32], [s], 16, 0xFFFF;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;)",
                                 "sm_100a", shared),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    EXPECT_EQ(outcome.out[0], 0xCDCDCD00u);
    EXPECT_EQ(outcome.out[1], 0xCDCD05CDu);
    EXPECT_EQ(outcome.out[2], 0xCD0ACDCDu);
    EXPECT_EQ(outcome.out[3], 0x0FCDCDCDu);
    EXPECT_EQ(outcome.out[4], 0xCDCDCD10u);
    EXPECT_EQ(outcome.out[7], 0x1FCDCDCDu);
    EXPECT_EQ(outcome.out[8], 0x03020100u);
    EXPECT_EQ(outcome.out[11], 0x0F0E0D0Cu);
    EXPECT_EQ(outcome.out[12], 0xCDCDCDCDu);
  }
  EXPECT_FALSE(
      loadProgram(kernel(prologue() + "cp.async.bulk.shared::cta.global."
                                      "mbarrier::complete_tx::bytes.cp_mask "
                                      "[s], [%in], 16, [s+16], %h1; ret;",
                         "sm_100a", shared))
          .program);
}

/// A tile is loaded with a 128-byte swizzle and stored back through the same:
/// what lies out of bounds is zero in shared memory and untouched in global.
TEST(BulkCopy, TensorTile) {
  units::TensorMap load;
  load.element = units::TensorMapElement::UInt32;
  load.rank = 2;
  load.dims[0] = 40; // elements
  load.dims[1] = 10;
  load.strides[1] = 160;
  load.box[0] = 32;
  load.box[1] = 8;
  load.swizzle = units::TensorMapSwizzle::Bytes128;
  units::TensorMap store = load;
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.in = iota();
    setup.options = options;
    setup.block = {32, 1, 1};
    setup.more = {Parameter::tensorMap(load, 1),
                  Parameter::tensorMap(store, 0)};
    // The box at (16, 4): columns 16..47 of which 40.. are outside, rows 4..11
    // of which 10.. are outside.
    Outcome outcome = run(mapKernel(R"(
    mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
    mov.b64 %rd2, store; cvta.param.u64 %rd2, %rd2;
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 1024;
    @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s+1024], [%rd1, {16, 4}], [s];
    )" + std::string(waitZero) + R"(
    // Row 1 of the box, element t: chunk t/4 XOR 1.
    shr.u32 %r1, %t, 2; xor.b32 %r1, %r1, 1; shl.b32 %r1, %r1, 4;
    and.b32 %r2, %t, 3; shl.b32 %r2, %r2, 2; add.u32 %r1, %r1, %r2;
    mov.u32 %r3, s; add.u32 %r3, %r3, %r1;
    ld.shared.u32 %r4, [%r3+1152];
    bar.sync 0;
    @%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {16, 4}], [s+1024];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    st.global.u32 [%outt+2048], %r4;
    ret;)"),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 32; ++k)
      EXPECT_EQ(outcome.out[512 + k], k + 16 < 40 ? 5 * 40 + 16 + k : 0u) << k;
    for (uint32_t row = 0; row < 12; ++row)
      for (uint32_t column = 0; column < 40; ++column) {
        bool inside = column >= 16 && row >= 4 && row < 10;
        EXPECT_EQ(outcome.out[row * 40 + column],
                  inside ? row * 40 + column : 0xCDCDCDCDu)
            << row << " " << column;
      }
  }
}

/// A map of the launch, changed in shared memory, published in global memory
/// and used there (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy").
TEST(BulkCopy, ReplacedTensorMap) {
  units::TensorMap map;
  map.element = units::TensorMapElement::UInt8;
  map.rank = 3;
  map.dims[0] = map.box[0] = 16;
  map.dims[1] = map.box[1] = 1;
  map.dims[2] = map.box[2] = 1;
  map.strides[1] = map.strides[2] = 16;
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.in = iota();
    setup.options = options;
    setup.more = {Parameter::tensorMap(map, 1), Parameter::tensorMap(map, 0)};
    // u32, 2-D: 20 columns and 9 rows of 24 words from word 48 on, box 16 x 8,
    // 64-byte swizzle.
    Outcome outcome = run(mapKernel(R"(
    mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
    shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r3, %r2, %r1;
    cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd1;
    ld.b32 %r4, [%rd2];
    st.shared.b32 [%r3+128], %r4;
    bar.sync 0;
    @!%p1 bra REPLACED;
    add.u64 %rd3, %in, 192;
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s+128], %rd3;
    tensormap.replace.tile.rank.shared::cta.b1024.b32 [s+128], 1;
    tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [s+128], 2;
    mov.u32 %r5, 16;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s+128], 0, %r5;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s+128], 1, 8;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [s+128], 0, 20;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [s+128], 1, 9;
    mov.u64 %rd4, 96;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [s+128], 0, %rd4;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [s+128], 0, 1;
    tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [s+128], 0;
    tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [s+128], 2;
    tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [s+128], 0;
  REPLACED:
    bar.warp.sync 0xFFFFFFFF;
    add.u64 %rd5, %out, 3072;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd5], [s+128], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%rd5], 128;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 512;
    @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s+1024], [%rd5, {8, 3}], [s];
    )" + std::string(waitZero) + R"(
    // Rows of 64 bytes; 64-byte swizzle: chunk XOR row / 2 % 4. Thread t reads
    // element t % 16 of row 2 (t / 16).
    shr.u32 %r6, %t, 4; and.b32 %r7, %t, 15; shr.u32 %r8, %r7, 2;
    xor.b32 %r8, %r8, %r6; shl.b32 %r8, %r8, 4;
    and.b32 %r7, %r7, 3; shl.b32 %r7, %r7, 2; add.u32 %r8, %r8, %r7;
    shl.b32 %r6, %r6, 7; add.u32 %r8, %r8, %r6; add.u32 %r8, %r8, %r2;
    ld.shared.b32 %r9, [%r8+1024];
    st.global.b32 [%outt], %r9;
    ret;)"),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t t = 0; t < 32; ++t) {
      uint32_t column = 8 + t % 16, row = 3 + 2 * (t / 16);
      EXPECT_EQ(outcome.out[t], column < 20 ? 48 + row * 24 + column : 0) << t;
    }
  }
}

TEST(BulkCopy, TensorReduction) {
  units::TensorMap map;
  map.element = units::TensorMapElement::UInt32;
  map.rank = 1;
  map.dims[0] = 32;
  map.box[0] = 32;
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.options = options;
    setup.block = {32, 1, 1};
    setup.grid = {3, 1, 1};
    setup.more = {Parameter::tensorMap(map, 0), Parameter::tensorMap(map, 0)};
    Outcome outcome = run(mapKernel(R"(
    mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
    shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    st.shared.u32 [%r2], %t;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd1, {0}], [s];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    ret;)"),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 32; ++k)
      EXPECT_EQ(outcome.out[k], 0xCDCDCDCDu + 3 * k);
  }
}

TEST(BulkCopy, Errors) {
  auto with = [](const std::string &body, units::TensorMap map) {
    LaunchSetup setup;
    setup.block = {1, 1, 1};
    setup.more = {Parameter::tensorMap(map, 1), Parameter::tensorMap(map, 0)};
    return run(mapKernel("mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;\n"
                         "mbarrier.init.shared.b64 [s], 1;\n" +
                         body + " ret;"),
               setup);
  };
  units::TensorMap map;
  map.element = units::TensorMapElement::UInt32;
  map.rank = 1;
  map.dims[0] = 1024;
  map.box[0] = 32;
  const std::string load =
      "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [s+1024], [%rd1, {0}], [s];";
  // Bytes that nobody expects.
  Outcome outcome =
      with("mbarrier.arrive.expect_tx.shared.b64 _, [s], 64;" + load + waitZero,
           map);
  EXPECT_TRUE(outcome.report.hasErrors()) << outcome.text();
  // A map of another rank.
  outcome = with("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [s+1024], [%rd1, {0, 0}], [s];",
                 map);
  EXPECT_TRUE(outcome.has("tensor-map")) << outcome.text();
  // Shared memory that isn't aligned.
  outcome = with("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [s+1040], [%rd1, {0}], [s];",
                 map);
  EXPECT_TRUE(outcome.has("tensor-copy")) << outcome.text();
  // Extents that leave the buffer.
  units::TensorMap big = map;
  big.dims[0] = 4096;
  outcome = with("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [s+1024], [%rd1, {2048}], [s];",
                 big);
  EXPECT_TRUE(outcome.has("invalid-read")) << outcome.text();
  // No mbarrier there.
  outcome = with("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [s+1024], [%rd1, {0}], [s+8];",
                 map);
  EXPECT_TRUE(outcome.has("mbarrier-uninitialised")) << outcome.text();
  // Legal maps whose boxes bring more than shared memory has: no target's
  // (888832 bytes), and this launch's.
  units::TensorMap past;
  past.element = units::TensorMapElement::Float32;
  past.rank = 4;
  const uint32_t extents[] = {4, 256, 14, 184}, steps[] = {3, 2, 1, 6};
  for (uint32_t k = 0; k < 4; ++k) {
    past.dims[k] = 4;
    past.strides[k] = k ? 16 : 0;
    past.box[k] = extents[k];
    past.elementStrides[k] = steps[k];
  }
  const std::string loadFour =
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [s+1024], [%rd1, {0, 0, 0, 0}], [s];";
  const std::string storeFour =
      "mov.b64 %rd1, store; cvta.param.u64 %rd1, %rd1;\n"
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
      "[%rd1, {0, 0, 0, 0}], [s+1024];";
  for (const std::string &copy : {loadFour, storeFour}) {
    outcome = with(copy, past);
    EXPECT_TRUE(outcome.has("tensor-copy")) << outcome.text();
    EXPECT_NE(outcome.text().find("got 888832 bytes"), std::string::npos)
        << outcome.text();
  }
  past.box[2] = 1;
  past.box[3] = 2 * 6 * 6; // 12 steps: 24576 bytes
  outcome = with(loadFour, past);
  EXPECT_TRUE(outcome.has("invalid-write")) << outcome.text();
  outcome = with(storeFour, past);
  EXPECT_TRUE(outcome.has("invalid-read")) << outcome.text();
  // An invalid map is found before anything runs.
  units::TensorMap invalid = map;
  invalid.box[0] = 3;
  outcome = with(load, invalid);
  EXPECT_TRUE(outcome.has("launch")) << outcome.text();
}

TEST(CpAsync, GroupsAndZeroFill) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.in = iota();
    setup.options = options;
    Outcome outcome = run(kernel(prologue() + R"(
    shl.b32 %r1, %t, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %rd1, %in;
    cp.async.cg.shared.global [%r2], [%rd1], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+1024], [%rd1], 8, 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    ld.shared.u32 %r3, [%r2+8];
    cp.async.wait_group 0;
    ld.shared.v2.u32 {%r4, %r5}, [%r2+1024];
    add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;
    st.global.u32 [%outt], %r3;
    ret;)",
                                 "sm_90a", shared),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 32; ++k)
      EXPECT_EQ(outcome.out[k], (4 * k + 2) + 4 * k + 0);
  }
}

TEST(CpAsync, ArrivesOnAnMbarrier) {
  for (const Options &options : allModes()) {
    LaunchSetup setup;
    setup.in = iota();
    setup.options = options;
    Outcome outcome = run(kernel(prologue() + R"(
    setp.eq.u32 %p1, %t, 0;
    @%p1 mbarrier.init.shared.b64 [s], 32;
    bar.sync 0;
    shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    cp.async.ca.shared.global [%r2+128], [%int], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [s];
    )" + std::string(waitZero) + R"(
    xor.b32 %r1, %r1, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    ld.shared.u32 %r3, [%r2+128];
    st.global.u32 [%outt], %r3;
    ret;)",
                                 "sm_90a", shared),
                          setup);
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t k = 0; k < 32; ++k)
      EXPECT_EQ(outcome.out[k], k ^ 1);
  }
}
} // namespace
