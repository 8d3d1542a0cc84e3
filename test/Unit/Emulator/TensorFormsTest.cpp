//===- TensorFormsTest.cpp - Rarer forms of tcgen05 -------------*- C++ -*-===//
//
// CTA pairs with M = 128, .ws, tcgen05.shift. Operands are random small
// integers, so that every sum is exact; where each element of D must lie comes
// from PTX ISA, "Data Path Layout Organization".
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <random>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
constexpr uint32_t K = 32; // of one instruction with 8-bit operands
constexpr uint32_t Columns = 64;

/// e4m3 codes of -3..3.
uint8_t code(int value) {
  static const uint8_t magnitudes[] = {0x00, 0x38, 0x40, 0x44};
  return static_cast<uint8_t>(magnitudes[std::abs(value)] |
                              (value < 0 ? 0x80 : 0));
}

struct Operands {
  std::vector<int> a, b; ///< rows of K
  std::vector<uint32_t> words;

  Operands(uint32_t m, uint32_t n, uint64_t seed) : a(m * K), b(n * K) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> codes;
    for (std::vector<int> *matrix : {&a, &b})
      for (int &value : *matrix) {
        value = static_cast<int>(random() % 7) - 3;
        codes.push_back(code(value));
      }
    words.resize(codes.size() / 4);
    std::memcpy(words.data(), codes.data(), codes.size());
  }

  float product(uint32_t m, uint32_t n) const {
    int sum = 0;
    for (uint32_t k = 0; k < K; ++k)
      sum += a[m * K + k] * b[n * K + k];
    return static_cast<float>(sum);
  }
};

const char shared[] = ".shared .align 1024 .b8 s[65536];\n";

/// Copies a K-major row of 32 bytes from row `source` of `in` to row `row` of a
/// shared-memory tile at `tile`: core matrices of 8 rows x 16 bytes, 128 bytes
/// to the next along K, 256 to the next along the rows (PTX ISA, "Shared memory
/// matrix layout", no swizzle).
std::string copyRow(const std::string &row, const std::string &source,
                    uint32_t tile, const std::string &when) {
  std::string t = std::to_string(tile);
  return "mul.wide.u32 %rd1, " + source + ", 32; add.u64 %rd1, %rd1, %in;\n" +
         "@" + when + " ld.global.v4.u32 {%c0, %c1, %c2, %c3}, [%rd1];\n" +
         "@" + when + " ld.global.v4.u32 {%c4, %c5, %c6, %c7}, [%rd1+16];\n" +
         "shr.u32 %r7, " + row + ", 3; shl.b32 %r7, %r7, 8;\n" +
         "and.b32 %r8, " + row + ", 7; shl.b32 %r8, %r8, 4;\n" +
         "add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r4;\n" + "@" + when +
         " st.shared.v4.u32 [%r7+" + t + "], {%c0, %c1, %c2, %c3};\n" + "@" +
         when + " st.shared.v4.u32 [%r7+" + std::to_string(tile + 128) +
         "], {%c4, %c5, %c6, %c7};\n";
}

/// Writes tensor memory (128 lanes x 64 columns) of the CTA to `out`, 32-bit
/// words in the order CTA, lane, column.
std::string dump() {
  std::string text = R"(
    mul.lo.u32 %r9, %r20, 128; add.u32 %r9, %r9, %t;
    mul.wide.u32 %rd3, %r9, 256; add.u64 %rd3, %rd3, %out;
)";
  for (uint32_t column = 0; column < Columns; column += 8) {
    std::string c = std::to_string(column);
    text += "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%c0, %c1, %c2, %c3, %c4, "
            "%c5, %c6, %c7}, [%r5 + " +
            c + "];\ntcgen05.wait::ld.sync.aligned;\n";
    for (uint32_t k = 0; k < 8; k += 4)
      text += "st.global.v4.u32 [%rd3+" + std::to_string(4 * (column + k)) +
              "], {%c" + std::to_string(k) + ", %c" + std::to_string(k + 1) +
              ", %c" + std::to_string(k + 2) + ", %c" + std::to_string(k + 3) +
              "};\n";
  }
  return text;
}

/// Zeroes the 64 columns, so that everything may be read back.
std::string clear() {
  std::string text = "mov.u32 %c0, 0;\n";
  for (uint32_t column = 0; column < Columns; column += 4)
    text += "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r5 + " +
            std::to_string(column) + "], {%c0, %c0, %c0, %c0};\n";
  return text + "tcgen05.wait::st.sync.aligned;\n"
                "tcgen05.fence::before_thread_sync;\n";
}

std::string program(const std::string &group, const std::string &loads,
                    const std::string &issue) {
  return kernel(prologue() + R"(
    .reg .b32 %taddr, %c<40>; .reg .b64 %da, %db; .reg .b16 %m;
    mov.u32 %r4, s;
    mov.u32 %r20, %cluster_ctarank;
    setp.eq.u32 %p1, %t, 0;
    setp.lt.u32 %p3, %t, 32;
    setp.eq.and.u32 %p5, %r20, 0, %p1;
    @%p3 tcgen05.alloc.)" +
                    group + R"(.sync.aligned.shared::cta.b32 [%r4+64], 64;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
    ld.shared.u32 %taddr, [%r4+64];
    shr.u32 %r1, %t, 5; shl.b32 %r1, %r1, 21; add.u32 %r5, %taddr, %r1;
)" + clear() + loads +
                    R"(
    fence.proxy.async.shared::cta;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    tcgen05.fence::after_thread_sync;
    // Both operands without swizzle, 128 bytes along K and 256 along rows.
    add.u32 %r7, %r4, 4096; and.b32 %r7, %r7, 0x3FFFF; shr.u32 %r7, %r7, 4;
    cvt.u64.u32 %da, %r7; or.b64 %da, %da, 0x0000401000080000;
    add.u32 %r7, %r4, 32768; and.b32 %r7, %r7, 0x3FFFF; shr.u32 %r7, %r7, 4;
    cvt.u64.u32 %db, %r7; or.b64 %db, %db, 0x0000401000080000;
    mov.u16 %m, 3; cvt.u64.u32 %rd1, %r4;
)" + issue + R"(
    W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;
    tcgen05.fence::after_thread_sync;
)" + dump() +
                    R"(
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p3 tcgen05.dealloc.)" +
                    group + R"(.sync.aligned.b32 %taddr, 64;
    ret;)",
                "sm_100a", shared);
}

float at(const Outcome &outcome, uint32_t cta, uint32_t lane, uint32_t column) {
  float value;
  std::memcpy(&value, &outcome.out[(cta * 128 + lane) * Columns + column], 4);
  return value;
}

LaunchSetup setUp(const Options &options, uint32_t ctas,
                  const Operands &operands) {
  LaunchSetup setup;
  setup.block = {128, 1, 1};
  setup.grid = setup.cluster = {ctas, 1, 1};
  setup.options = options;
  setup.outWords = ctas * 128 * Columns;
  setup.in = operands.words;
  return setup;
}

/// Layout B: CTA m / 64, lane m % 64 + 64 * (n >= N / 2), column n % (N / 2).
TEST(TensorForms, PairOfCtasWithM128) {
  for (const Options &options : allModes()) {
    constexpr uint32_t M = 128, N = 64;
    Operands operands(M, N, options.seed);
    // Each CTA holds 64 rows of A and half of the rows of B.
    std::string loads =
        "setp.lt.u32 %p6, %t, 64; setp.lt.u32 %p7, %t, 32;\n"
        "mad.lo.u32 %r10, %r20, 64, %t;\n" +
        copyRow("%t", "%r10", 4096, "%p6") +
        "mad.lo.u32 %r10, %r20, 32, %t; add.u32 %r10, %r10, 128;\n" +
        copyRow("%t", "%r10", 32768, "%p7");
    Outcome outcome = run(program("cta_group::2", loads, R"(
    mov.u32 %r8, 0x08100010; // e4m3, f32, M 128, N 64
    @%p5 tcgen05.mma.cta_group::2.kind::f8f6f4 [%taddr], %da, %db, %r8, 0;
    @%p5 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1], %m;
)"),
                          setUp(options, 2, operands));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t m = 0; m < M; ++m)
      for (uint32_t n = 0; n < N; ++n)
        ASSERT_EQ(at(outcome, m / 64, m % 64 + (n >= N / 2 ? 64 : 0), n % 32),
                  operands.product(m, n))
            << m << " " << n;
    // Nothing else has changed.
    for (uint32_t lane = 0; lane < 128; ++lane)
      ASSERT_EQ(at(outcome, 0, lane, 32), 0.0f);
  }
}

struct WeightStationary {
  uint32_t m;
  uint32_t parts; ///< that the columns are split into, one above the other
};

/// .ws: M = 32 (layout G), 64 (E) and 128 (as without .ws). N = 64.
TEST(TensorForms, WeightStationary) {
  constexpr uint32_t N = 64;
  for (const WeightStationary &form :
       {WeightStationary{32, 4}, WeightStationary{64, 2},
        WeightStationary{128, 1}})
    for (const Options &options : allModes()) {
      SCOPED_TRACE("M = " + std::to_string(form.m));
      Operands operands(form.m, N, options.seed);
      std::string m = std::to_string(form.m);
      std::string loads =
          "setp.lt.u32 %p6, %t, " + m + "; setp.lt.u32 %p7, %t, 64;\n" +
          copyRow("%t", "%t", 4096, "%p6") + "add.u32 %r10, %t, " + m + ";\n" +
          copyRow("%t", "%r10", 32768, "%p7");
      std::string idesc =
          std::to_string(0x00100010u | (form.m >> 4) << 24); // N 64
      Outcome outcome =
          run(program("cta_group::1", loads, "mov.u32 %r8, " + idesc + R"(;
    @%p5 tcgen05.mma.ws.cta_group::1.kind::f8f6f4 [%taddr], %da, %db, %r8, 0;
    @%p5 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd1];
)"),
              setUp(options, 1, operands));
      ASSERT_TRUE(outcome.clean()) << outcome.text();
      uint32_t width = N / form.parts;
      for (uint32_t row = 0; row < form.m; ++row)
        for (uint32_t n = 0; n < N; ++n)
          ASSERT_EQ(at(outcome, 0, row + form.m * (n / width), n % width),
                    operands.product(row, n))
              << row << " " << n;
    }
}

/// The 32 lanes from 64 on move up by one in columns 8..15; lane 95 stays.
TEST(TensorForms, ShiftDown) {
  for (const Options &options : allModes()) {
    Operands operands(1, 1, 0);
    std::string fill;
    for (uint32_t column = 0; column < Columns; ++column)
      fill += "mad.lo.u32 %c0, %t, 1000, " + std::to_string(column) +
              ";\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r5 + " +
              std::to_string(column) + "], {%c0};\n";
    fill += "tcgen05.wait::st.sync.aligned;\n"
            "tcgen05.fence::before_thread_sync;\n";
    Outcome outcome = run(program("cta_group::1", fill, R"(
    add.u32 %r9, %taddr, 0x400008;
    @%p5 tcgen05.shift.cta_group::1.down [%r9];
    @%p5 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd1];
)"),
                          setUp(options, 1, operands));
    ASSERT_TRUE(outcome.clean()) << outcome.text();
    for (uint32_t lane = 0; lane < 128; ++lane)
      for (uint32_t column = 0; column < Columns; ++column) {
        bool moved = lane >= 64 && lane < 95 && column >= 8 && column < 16;
        ASSERT_EQ(outcome.out[lane * Columns + column],
                  (lane + (moved ? 1 : 0)) * 1000 + column);
      }
  }
}

TEST(TensorForms, ShiftOfUnalignedLanesIsAnError) {
  Operands operands(1, 1, 0);
  Outcome outcome = run(program("cta_group::1", "", R"(
    add.u32 %r9, %taddr, 0x410008;
    @%p5 tcgen05.shift.cta_group::1.down [%r9];
)"),
                        setUp({}, 1, operands));
  EXPECT_TRUE(outcome.has("tensor-memory-lanes")) << outcome.text();
}

/// What the shift moves is there when a commit has said so, not before.
TEST(TensorForms, ShiftWithoutCommitIsARace) {
  Operands operands(1, 1, 0);
  std::string body = program("cta_group::1", "", R"(
    @%p5 tcgen05.shift.cta_group::1.down [%taddr];
    @%p5 mbarrier.arrive.shared.b64 _, [%r4];
)");
  for (const Options &options : allModes()) {
    Outcome outcome = run(body, setUp(options, 1, operands));
    EXPECT_TRUE(outcome.has("tensor-memory-race")) << outcome.text();
  }
}
} // namespace
