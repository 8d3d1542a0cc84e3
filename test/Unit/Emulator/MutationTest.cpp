//===- MutationTest.cpp - Mutants and their verdicts ------------*- C++ -*-===//

#include "bsmm/Emulator/Mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

using namespace bsmm::emulator;
using namespace bsmm::emulator::mutation;

namespace {

/// Two warps hand words to each other through shared memory. Line 18 is a
/// barrier that orders them, line 19 a second one that adds nothing, line 20
/// one that never runs.
const char exchange[] = R"(.version 8.6
.target sm_100a
.address_size 64
.shared .align 16 .b8 words[256];
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, words;
  add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  xor.b32 %r5, %r2, 128;
  add.s32 %r6, %r3, %r5;
  setp.gt.u32 %p1, %r1, 63;
  bar.sync 0;
  bar.sync 0;
  @%p1 bar.sync 0;
  ld.shared.u32 %r7, [%r6];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

/// Line 15 waits for stores when there are none yet, line 21 for one.
const char store[] = R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 16 .b8 words[256];
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, words;
  add.s32 %r4, %r3, %r2;
  setp.eq.u32 %p1, %r1, 0;
  cp.async.bulk.wait_group.read 0;
  st.shared.u32 [%r4], %r1;
  fence.proxy.async.shared::cta;
  bar.sync 1, 64;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256;
  @%p1 cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  ret;
}
)";

class Mutation : public ::testing::Test {
protected:
  void SetUp() override { start(exchange); }

  void start(const char *ptx) {
    file = LaunchFile();
    file.ptx = ptx;
    file.launch.entry = "k";
    file.launch.block = {64, 1, 1};
    file.storage.push_back(std::make_unique<std::vector<uint8_t>>(256, 0xFF));
    file.launch.buffers.push_back({"out", file.storage[0]->data(), 256, false});
    file.launch.parameters.push_back(Parameter::pointer(0));
    file.initial.push_back(*file.storage[0]);
    LoadResult loaded = loadProgram(file.ptx);
    ASSERT_TRUE(loaded.program);
    all = enumerate(file, *loaded.program);
    judge = std::make_unique<Judge>(file, false);
    std::string error;
    ASSERT_TRUE(judge->baseline(error)) << error;
  }

  const Mutant &find(const std::string &id) {
    for (const Mutant &mutant : all)
      if (mutant.id == id)
        return mutant;
    ADD_FAILURE() << "no mutant " << id;
    return all.front();
  }

  ReasonCheck claim(const std::string &id, const std::string &kind,
                    std::vector<uint32_t> lines = {},
                    const std::string &ids = "") {
    Reason reason;
    reason.ids = ids.empty() ? id : ids;
    reason.kind = kind;
    reason.why = "because";
    reason.lines = std::move(lines);
    std::vector<Reason> reasons = {reason};
    std::vector<const Mutant *> survivors;
    for (const Mutant &mutant : all)
      if (survived.count(mutant.id) != 0)
        survivors.push_back(&mutant);
    return Reasons(reasons, file.ptx, all, survivors, *judge).check(find(id));
  }

  LaunchFile file;
  std::vector<Mutant> all;
  std::set<std::string> survived = {"delete-barrier:18", "delete-barrier:19",
                                    "delete-barrier:20"};
  std::unique_ptr<Judge> judge;
};

TEST_F(Mutation, IdsAreDistinctAndOperatorsDocumented) {
  std::set<std::string> ids, names;
  for (const OperatorInfo &info : operators())
    names.insert(info.name);
  EXPECT_EQ(names.size(), operators().size());
  for (const Mutant &mutant : all) {
    EXPECT_TRUE(ids.insert(mutant.id).second) << mutant.id;
    EXPECT_TRUE(names.count(mutant.operatorName)) << mutant.operatorName;
    EXPECT_NE(mutant.before, mutant.after);
  }
  std::set<std::string> wanted = {"delete-barrier:18",   "delete-barrier:19",
                                  "delete-barrier:20",   "drop-predicate:20",
                                  "negate-predicate:20", "shared-address:14",
                                  "shared-address:21"};
  EXPECT_EQ(ids, wanted);
}

TEST_F(Mutation, NeededBarrierIsMissed) {
  // One of the two is enough, so that neither is missed alone.
  EXPECT_EQ(judge->judge(find("delete-barrier:18")).outcome, Outcome::Survived);
  EXPECT_EQ(judge->judge(find("delete-barrier:19")).outcome, Outcome::Survived);
  std::string text = file.ptx;
  for (size_t at; (at = text.find("  bar.sync 0;")) != std::string::npos;)
    text.replace(at, 13, " ");
  Verdict verdict = judge->judgeText(text);
  EXPECT_EQ(verdict.outcome, Outcome::Killed);
  EXPECT_EQ(verdict.kind, "shared-memory-race");
  EXPECT_EQ(verdict.mode, "eager");
  EXPECT_EQ(verdict.runs, 1u);
}

TEST_F(Mutation, ReasonsAreChecked) {
  EXPECT_TRUE(claim("delete-barrier:20", "dead").explained);
  EXPECT_FALSE(claim("delete-barrier:18", "dead").explained);
  EXPECT_TRUE(claim("delete-barrier:18", "group", {19}).explained);
  EXPECT_TRUE(claim("delete-barrier:19", "group", {20, 18}).explained);
  // Line 20 doesn't hold anything together.
  EXPECT_FALSE(claim("delete-barrier:18", "group", {20}).explained);
  EXPECT_FALSE(claim("delete-barrier:18", "group", {19, 20}).explained);
  EXPECT_FALSE(claim("delete-barrier:18", "group", {18}).explained);
  EXPECT_FALSE(claim("delete-barrier:18", "group", {17, 99}).explained);
  // It is needed, but for something else.
  EXPECT_FALSE(claim("delete-barrier:18", "group", {14}).explained);
  EXPECT_FALSE(claim("delete-barrier:18", "group").explained);
  // Its survival alone is no reason.
  EXPECT_FALSE(claim("delete-barrier:18", "joint").explained);
  EXPECT_TRUE(claim("delete-barrier:18", "joint", {},
                    "delete-barrier:18,delete-barrier:20")
                  .explained);
  // All three together hold something.
  EXPECT_FALSE(claim("delete-barrier:18", "joint", {}, "delete-*").explained);
  EXPECT_FALSE(claim("delete-barrier:18", "observed").explained);
  EXPECT_FALSE(claim("delete-barrier:18", "dead-store").explained);
  EXPECT_FALSE(claim("delete-barrier:18", "exit").explained);
  ReasonCheck unknown = claim("delete-barrier:18", "obvious");
  EXPECT_FALSE(unknown.explained);
  EXPECT_EQ(unknown.failure, "unknown kind 'obvious'");
}

TEST_F(Mutation, WhatComesNextOrCameLast) {
  ReasonCheck first = claim("delete-barrier:18", "dominated");
  EXPECT_TRUE(first.explained) << first.failure;
  EXPECT_EQ(first.lines, std::vector<uint32_t>({19}));
  // No barrier comes behind the second one, but the store to global memory,
  // whose order nothing checks. The first one came last.
  ReasonCheck second = claim("delete-barrier:19", "dominated");
  EXPECT_TRUE(second.explained) << second.failure;
  EXPECT_EQ(second.lines, std::vector<uint32_t>({18}));
  EXPECT_FALSE(claim("shared-address:14", "dominated").explained);
  // A store to global memory on both sides.
  std::string both = exchange;
  size_t at = both.find("  bar.sync 0;");
  both.insert(both.find('\n', at) + 1, "  st.global.u32 [%rd1+252], 5;\n");
  start(both.c_str());
  EXPECT_EQ(claim("delete-barrier:20", "dominated").failure,
            "st.global.u32 of line 19 lies in between");
}

TEST_F(Mutation, WaitsForNothing) {
  start(store);
  EXPECT_TRUE(claim("delete-wait:15", "idle").explained);
  EXPECT_TRUE(claim("wait-count:15", "idle").explained);
  EXPECT_EQ(claim("delete-wait:21", "idle").failure, "stores come before it");
  EXPECT_FALSE(claim("delete-barrier:18", "idle").explained);
}

/// Thread 32 arrives twice (lines 19 and 27) for thread 0, which waits once
/// (line 23) and then lets it go on: nothing else is common to them.
const char turns[] = R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 16 .b8 words[256];
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, words;
  setp.eq.u32 %p1, %r1, 0;
  setp.eq.u32 %p2, %r1, 32;
  @%p1 mbarrier.init.shared.b64 [%r3], 1;
  @%p1 mbarrier.init.shared.b64 [%r3+8], 1;
  bar.sync 0;
  @%p1 bra FIRST;
  @!%p2 bra END;
  mbarrier.arrive.shared.b64 _, [%r3];
  bra SECOND;
FIRST:
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;
  @!%p3 bra WAIT;
  bra END;
SECOND:
  mbarrier.arrive.shared.b64 _, [%r3+8];
END:
  mad.wide.u32 %rd1, %r1, 4, %rd1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

TEST_F(Mutation, TurnsWithoutData) {
  start(turns);
  survived = {"relax-wait:23", "relax-arrive:19"};
  EXPECT_EQ(judge->judge(find("relax-wait:23")).outcome, Outcome::Survived);
  EXPECT_TRUE(claim("relax-wait:23", "turn", {}, "relax-*").explained);
  EXPECT_TRUE(claim("relax-arrive:19", "turn", {}, "relax-*").explained);
  // Both ends belong to it.
  EXPECT_EQ(claim("relax-wait:23", "turn").failure,
            "no wait and arrival are relaxed together");
  EXPECT_EQ(claim("delete-arrive:19", "turn", {}, "*:19").failure,
            "it relaxes no wait or arrival");
  survived.insert("delete-wait:23");
  EXPECT_EQ(claim("relax-wait:23", "turn", {}, "relax-*").failure,
            "the wait of line 23 is not needed");
  // A word is handed over.
  std::string text = turns;
  for (auto [before, after] :
       {std::pair{"\n  mbarrier.arrive.shared.b64 _, [%r3];",
                  " st.shared.u32 [%r3+16], %r1;"},
        std::pair{"  bra END;", "  ld.shared.u32 %r5, [%r3+16]; "}})
    text.insert(text.find(before), after);
  start(text.c_str());
  EXPECT_EQ(judge->judge(find("relax-wait:23")).outcome, Outcome::Killed);
  survived = {"relax-wait:23", "relax-arrive:19"};
  EXPECT_EQ(claim("relax-wait:23", "turn", {}, "relax-*").failure,
            "data are handed over");
}

/// Thread 0 stores the halves of 64 words, each as a group (lines 20 and 22),
/// and waits for both in line 23.
const char halves[] = R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 16 .b8 words[256];
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, words;
  add.s32 %r4, %r3, %r2;
  setp.eq.u32 %p1, %r1, 0;
  setp.eq.u32 %p2, %r1, 1;
  st.shared.u32 [%r4], %r1;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 128;
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+128], [%r3+128], 128;
  @%p1 cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  bar.sync 0;
  st.shared.u32 [%r4], %r3;
  ret;
}
)";

TEST_F(Mutation, LaterCommits) {
  start(halves);
  EXPECT_EQ(judge->judge(find("delete-commit:20")).outcome, Outcome::Survived);
  EXPECT_EQ(judge->judge(find("delete-commit:22")).outcome, Outcome::Killed);
  ReasonCheck first = claim("delete-commit:20", "later-commit");
  EXPECT_TRUE(first.explained) << first.failure;
  EXPECT_EQ(first.lines, std::vector<uint32_t>({22}));
  EXPECT_EQ(claim("delete-commit:22", "later-commit").failure,
            "it waits or ends without another commit");
  EXPECT_EQ(claim("delete-wait:23", "later-commit").failure,
            "it deletes no cp.async.bulk.commit_group");

  auto with = [&](const std::string &from, const std::string &to) {
    std::string text = halves;
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    start(text.replace(at, from.size(), to).c_str());
  };
  // A wait comes first.
  with("commit_group;\n", "commit_group; cp.async.bulk.wait_group.read 0;\n");
  EXPECT_EQ(claim("delete-commit:20", "later-commit").failure,
            "it waits or ends without another commit");
  // Another thread commits: its groups are its own.
  with("@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+128], "
       "[%r3+128], 128;\n  @%p1",
       "@%p2 cp.async.bulk.global.shared::cta.bulk_group [%rd1+128], "
       "[%r3+128], 128;\n  @%p2");
  EXPECT_EQ(claim("delete-commit:20", "later-commit").failure,
            "it waits or ends without another commit");
  // A wait counts groups.
  with("wait_group 0;", "wait_group 1;\n  cp.async.bulk.wait_group 0;");
  EXPECT_EQ(claim("delete-commit:20", "later-commit").failure,
            "cp.async.bulk.wait_group of line 23 leaves groups");
  EXPECT_EQ(claim("delete-commit:20", "dominated").failure,
            "cp.async.bulk.wait_group of line 23 leaves groups");
  // Nothing is in the groups.
  with("wait_group 0;\n", "wait_group 0;\n  @%p1 cp.async.bulk.commit_group; "
                          "@%p1 cp.async.bulk.commit_group;\n");
  EXPECT_EQ(claim("delete-commit:24", "later-commit").failure,
            "without the next commits nothing is reported either");
  // The thread ends.
  EXPECT_EQ(claim("delete-commit:24#1", "later-commit").failure,
            "it waits or ends without another commit");
}

TEST_F(Mutation, NamesOfBarriers) {
  start(store);
  EXPECT_TRUE(claim("barrier-id:18", "name").explained);
  EXPECT_FALSE(claim("delete-barrier:18", "name").explained);
  EXPECT_FALSE(claim("delete-barrier:18", "zeros").explained);
  // An arrival elsewhere means this number.
  std::string two = store;
  two.replace(two.find("bar.sync 1, 64;"), 15,
              "setp.gt.u32 %p2, %r1, 31; @!%p2 bar.sync 1, 64; "
              "@%p2 bar.arrive 1, 64;");
  start(two.c_str());
  EXPECT_FALSE(claim("barrier-id:18#1", "name").explained);
  // Another barrier has its number in a register: one of each warp, which may
  // be 15 and may not.
  for (int first : {13, 14}) {
    std::string own = store;
    own.replace(own.find("bar.sync 1, 64;"), 15,
                "bar.sync 1, 64; shr.u32 %r5, %r1, 5; add.s32 %r5, %r5, " +
                    std::to_string(first) + "; bar.sync %r5, 32;");
    start(own.c_str());
    ReasonCheck check = claim("barrier-id:18", "name");
    EXPECT_EQ(check.explained, first == 13) << first << check.failure;
  }
}

TEST_F(Mutation, EveryWayOfKilling) {
  auto kindOf = [&](const std::string &from, const std::string &to) {
    std::string text = file.ptx;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    return judge->judgeText(text).kind;
  };
  EXPECT_EQ(kindOf("xor.b32 %r5, %r2, 128", "xor.b32 %r5, %r2, 64"), "result");
  EXPECT_EQ(kindOf("bar.sync 0;", "L: bra L;"), "time-out");
  EXPECT_EQ(kindOf("bar.sync 0;", "bar.sync 0, 96;"), "barrier-count");
  EXPECT_EQ(kindOf("@%p1 bar", "@!%p1 trap; @%p1 bar"), "trap");
  EXPECT_EQ(kindOf("bar.sync 0;", "bar.sync 0, 64 64;"), "refused");
}

TEST_F(Mutation, Conditions) {
  // The predicate of line 20 is false everywhere: all lanes executing it is a
  // change.
  const Mutant &dropped = find("drop-predicate:20");
  ASSERT_EQ(dropped.conditions.size(), 1u);
  Mutant condition = dropped;
  condition.replacement = dropped.conditions[0];
  EXPECT_TRUE(judge->traps(mutatedText(file.ptx, condition)));
  EXPECT_FALSE(judge->traps(file.ptx));
}

TEST(MutationPatterns, Stars) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("delete-*:8*", "delete-wait:84"));
  EXPECT_FALSE(matches("delete-*:8", "delete-wait:84"));
  EXPECT_TRUE(matches("a,b:*,c", "b:1"));
  EXPECT_FALSE(matches("a,b:*,c", "d"));
  EXPECT_TRUE(matches("**a*", "bab"));
}

/// What stands in the PTX of a whole kernel: every operator of the list has a
/// place here, and all mutants are still PTX.
TEST(MutationOperators, AllHaveMutantsThatLoad) {
  LaunchFile file;
  file.ptx = R"(.version 8.8
.target sm_100a
.address_size 64
.shared .align 1024 .b8 s[4096];
.visible .entry k(.param .align 128 .b8 map[128]) {
  .reg .pred %p<5>; .reg .b16 %h<3>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
  bar.warp.sync -1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  bar.sync 1, 64;
  fence.proxy.async;
  elect.sync %r1|%p1, -1;
  mbarrier.init.shared::cta.b64 [s], 2;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 512;
  mbarrier.arrive.shared::cta.b64 %rd1, [s+8];
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [s], %r2;
  mbarrier.inval.shared::cta.b64 [s];
  mapa.shared::cluster.u32 %r3, %r4, 1;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd2, {%r6, %r7}], [%r8], %h1;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd2], 512, [%r8];
  cp.async.bulk.wait_group 0;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 64;
  tcgen05.cp.cta_group::1.128x256b [%r9], %rd3;
  tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r9], %rd4, %rd5, %r10, [%r11], [%r12], %p3;
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd6];
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r13}, [%r9];
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r14}, [%r15];
  st.shared.u32 [s], %r14;
  ret;
}
.visible .entry w() {
  ret;
}
)";
  LaunchFile warps;
  warps.ptx = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry k() {
  .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<5>;
  wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, 1, 1;
  ret;
}
)";
  LaunchFile selectors;
  selectors.ptx = R"(.version 8.8
.target sm_120a
.address_size 64
.visible .entry k() {
  .reg .b32 %r<30>;
  mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4}, %r11, {0, 0}, %r12, {0, 0};
  ret;
}
)";
  units::TensorMap map;
  map.rank = 2;
  map.dims[0] = map.dims[1] = 256;
  map.strides[1] = 256;
  map.box[0] = 128;
  map.box[1] = 64;
  file.launch.parameters.push_back(Parameter::tensorMap(map, 0));

  std::set<std::string> seen;
  for (LaunchFile *one : {&file, &warps, &selectors}) {
    LoadResult loaded = loadProgram(one->ptx);
    ASSERT_TRUE(loaded.program) << loaded.errors.front().message;
    for (const Mutant &mutant : enumerate(*one, *loaded.program)) {
      seen.insert(mutant.operatorName);
      LoadResult mutated = loadProgram(mutatedText(one->ptx, mutant));
      EXPECT_TRUE(mutated.program)
          << mutant.id << ": " << mutant.after << ": "
          << (mutated.errors.empty() ? "" : mutated.errors.front().message);
      for (const std::string &condition : mutant.conditions) {
        Mutant probe = mutant;
        probe.replacement = condition;
        LoadResult probed = loadProgram(mutatedText(one->ptx, probe));
        EXPECT_TRUE(probed.program)
            << mutant.id << ": " << condition << ": "
            << (probed.errors.empty() ? "" : probed.errors.front().message);
      }
    }
  }
  for (const OperatorInfo &info : operators())
    EXPECT_TRUE(seen.count(info.name)) << info.name;
}

} // namespace
