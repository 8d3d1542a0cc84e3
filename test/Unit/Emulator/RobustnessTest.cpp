//===- RobustnessTest.cpp - Damaged PTX -------------------------*- C++ -*-===//
//
// The reader must end in a program or an error for any bytes, and a program
// that loads must end in a report.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <random>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
std::string sample() {
  return kernel(prologue() + R"(
    .reg .b32 %taddr, %c<40>;
    setp.lt.u32 %p1, %t, 10;
    @%p1 bra A;
    add.s32 %r1, %t, 5;
    mov.b64 %rd1, {%r1, %t};
    bra.uni B;
  A: mul.wide.u32 %rd1, %t, 3;
  B: mov.b64 {%r2, %r3}, %rd1;
    st.shared.v4.b32 [s+16], {%r1, %r2, %r3, %t};
    mbarrier.init.shared::cta.b64 [s], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+32], [%in], 16, [s];
  W: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;
    @!%p2 bra W;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s+8], 32;
    ld.shared.b32 %taddr, [s+8];
    tcgen05.ld.sync.aligned.32x32b.x2.b32 {%c0, %c1}, [%taddr + 0];
    tcgen05.wait::ld.sync.aligned;
    shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;
    cvt.rn.f16x2.f32 %r5, %f1, %f2;
    bar.sync 0;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, 32;
    st.global.b32 [%outt], %r4;
    ret;)",
                "sm_100a", ".shared .align 128 .b8 s[256];");
}

void runAnything(const std::string &ptx) {
  LaunchSetup setup;
  setup.block = {32, 1, 1};
  setup.options.maxInstructions = 20000;
  Outcome outcome = run(ptx, setup);
  EXPECT_TRUE(outcome.loaded.program || !outcome.loaded.errors.empty());
}

TEST(Robustness, EveryPrefix) {
  std::string text = sample();
  for (size_t length = 0; length <= text.size(); ++length) {
    LoadResult loaded = loadProgram(text.substr(0, length));
    EXPECT_TRUE(loaded.program || !loaded.errors.empty());
  }
}

TEST(Robustness, RandomBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 200, '\0');
    for (char &c : text)
      c = static_cast<char>(random());
    EXPECT_FALSE(loadProgram(text).program);
  }
}

TEST(Robustness, ChangedCharacters) {
  std::mt19937 random(2);
  const std::string text = sample();
  const char alphabet[] = "0123456789abcdefx%{}[]().,;:@!+-_ \n";
  for (int round = 0; round < 1500; ++round) {
    std::string changed = text;
    for (unsigned k = 0; k < 1 + random() % 3; ++k)
      changed[random() % changed.size()] =
          alphabet[random() % (sizeof(alphabet) - 1)];
    runAnything(changed);
  }
}

TEST(Robustness, ChangedTokens) {
  std::mt19937 random(3);
  const std::string text = sample();
  std::vector<std::pair<size_t, size_t>> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find_first_of(" \n,;[]{}", at + 1);
    if (end == std::string::npos)
      end = text.size();
    tokens.push_back({at, end - at});
    at = end;
  }
  for (int round = 0; round < 1500; ++round) {
    std::string changed = text;
    auto from = tokens[random() % tokens.size()];
    auto to = tokens[random() % tokens.size()];
    std::string piece = text.substr(from.first, from.second);
    if (random() % 3 == 0)
      piece = "";
    if (random() % 5 == 0)
      piece = " " + std::to_string(static_cast<int>(random()));
    changed.replace(to.first, to.second, piece);
    runAnything(changed);
  }
}
} // namespace
