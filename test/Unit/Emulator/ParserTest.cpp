//===- ParserTest.cpp - What the PTX reader takes and refuses ---*- C++ -*-===//

#include "Harness.h"

#include <set>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
/// The first error, as "line: text".
std::string firstError(const std::string &ptx) {
  LoadResult loaded = loadProgram(ptx);
  if (loaded.program)
    return "accepted";
  if (loaded.errors.empty())
    return "no message";
  return std::to_string(loaded.errors[0].line) + ": " +
         loaded.errors[0].message;
}

TEST(Parser, NeedsVersionAndTarget) {
  EXPECT_EQ(firstError(""), "1: expected a .version directive, got none");
  EXPECT_EQ(firstError(".version 8.8\n"),
            "2: expected a .target directive, got none");
  EXPECT_EQ(firstError(".version 8.8\n.target sm_90a\n.address_size 32\n"),
            "4: expected .address_size 64, got 32");
}

TEST(Parser, UnknownInstructionNamesItAndItsLine) {
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<2>;\nfrobnicate.u32 %r0, %r1;")),
            "7: unknown instruction 'frobnicate.u32'");
  // A known instruction with a modifier that doesn't exist.
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<3>;\nadd.warp.u32 %r0, %r1, %r2;")),
            "7: unknown instruction 'add.warp.u32': modifier '.warp' is not "
            "supported here");
}

TEST(Parser, ListsEveryUnknownInstructionOnce) {
  LoadResult loaded = loadProgram(kernel(
      ".reg .b32 %r<3>;\nfoo.u32 %r0;\nbar.baz %r0;\nfoo.u32 %r1;\nqux;"));
  ASSERT_FALSE(loaded.program);
  ASSERT_EQ(loaded.errors.size(), 3u);
  EXPECT_EQ(loaded.errors[0].line, 7u);
  EXPECT_EQ(loaded.errors[1].line, 8u);
  EXPECT_EQ(loaded.errors[2].line, 10u);
}

TEST(Parser, RegisterWidths) {
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                              "add.u32 %r0, %rd0, %r1;")),
            "7: operand '%rd0' has 64 bits, expected 32");
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                              "add.u64 %r0, %rd0, %rd1;")),
            "7: destination '%r0' has 32 bits, expected 64");
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<2>;\nadd.u32 %r0, %r1;")),
            "7: expected 3 operands, got 2");
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<2>;\nmov.u32 %r0, %r2;")),
            "7: undeclared register '%r2'");
}

TEST(Parser, SyntaxErrors) {
  EXPECT_EQ(firstError(kernel("ret")), "7: expected an operand, got '}'");
  EXPECT_EQ(firstError(kernel("bra nowhere;")), "6: undefined label 'nowhere'");
  EXPECT_EQ(firstError(kernel("/* open")), "6: comment is never closed");
  EXPECT_EQ(firstError(kernel("L: ret;\nL: ret;")),
            "7: label 'L' is defined twice");
  EXPECT_EQ(firstError(kernel(".reg .b32 x; .reg .b32 x;")),
            "6: register 'x' is declared twice");
  EXPECT_EQ(firstError(kernel("{ { ret; }")),
            "8: expected '}', got the end of the file");
  EXPECT_EQ(firstError(kernel("mov.u32 %r0, 99999999999999999999999;")),
            "6: integer constant exceeds 64 bits");
  EXPECT_EQ(firstError(kernel("mov.u32 %r0, 0f12;")),
            "6: expected 8 hexadecimal digits in a float constant");
}

TEST(Parser, HugeDeclarationsAreErrorsNotAllocations) {
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<4000000000>;")),
            "6: too many registers");
  EXPECT_EQ(firstError(kernel("", "sm_90a", ".global .b8 big[99999999999];")),
            "4: variable 'big' is too large");
  std::string deep;
  for (int k = 0; k < 10000; ++k)
    deep += "{";
  EXPECT_EQ(firstError(kernel(deep)), "6: blocks are nested too deeply");
  std::string nested = "mov.b32 %r0, ";
  for (int k = 0; k < 10000; ++k)
    nested += "{";
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<1>; " + nested + ";")),
            "6: operands are nested too deeply");
  std::string negations = "mov.b32 %r0, " + std::string(100000, '!');
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<1>; " + negations + "%r0;")),
            "6: operands are nested too deeply");
  EXPECT_EQ(firstError(kernel(".local .b8 l[600000]; ret;")),
            "5: local memory exceeds the limit of 512 KiB a thread");
  EXPECT_EQ(firstError(kernel("ret;", "sm_90a",
                              ".func f(.param .b8 a[600000]) { ret; }")),
            "0: local memory exceeds the limit of 512 KiB a thread");
  EXPECT_EQ(firstError(".version 8.8\n.target sm_90a\n.address_size 64\n"
                       ".entry k(.param .b8 a[32765]) { ret; }"),
            "4: the parameters of entry 'k' take 32765 bytes: expected at most "
            "32764");
}

TEST(Parser, CallsPassWhatTheFunctionTakes) {
  const std::string function = ".func (.param .b32 r) f(.param .b64 a) "
                               "{ ret; }";
  EXPECT_EQ(firstError(kernel("{ .param .b32 a; .param .b32 r;\n"
                              "call.uni (r), f, (a); }",
                              "sm_90a", function)),
            "7: call of 'f': argument 'a' has 4 bytes, expected 8");
  EXPECT_EQ(firstError(kernel("{ .param .b64 a; .param .b64 r;\n"
                              "call.uni (r), f, (a); }",
                              "sm_90a", function)),
            "7: call of 'f': result 'r' has 8 bytes, expected 4");
  EXPECT_EQ(firstError(kernel("{ .param .b64 a; call.uni f, (a); }", "sm_90a",
                              function)),
            "6: call of 'f' expected 1 results, got 0");
}

TEST(Parser, RecursionIsRefused) {
  EXPECT_EQ(
      firstError(kernel("ret;", "sm_90a", ".func f() { call.uni f; ret; }")),
      "0: recursive calls are not supported");
}

TEST(Parser, TakesEverythingAroundInstructions) {
  std::string ptx = R"(// comment
.version 8.8
.target sm_100a, debug
.address_size 64
.file 1 "a.cu"
.extern .shared .align 16 .b8 dynamic[];
.const .align 4 .u32 table[3] = {7, 0x8, 9};
.global .align 8 .u64 pointer = table;
.global .f32 floats[2] = {1.5, 0f40000000};
.visible .entry k(
	.param .u64 .ptr .global .align 16 out,
	.param .u64 in,
	.param .align 128 .b8 map[128]
)
.maxntid 128, 1, 1
.minnctapersm 1
.maxnreg 128
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<5>;
	.reg .f32 	%f<3>;
	.loc	1 4 0
	.pragma "nounroll";
$L__BB0_0: // label
	ld.param.u64 	%rd1, [out];
	/* block
	   comment */ mov.u64 %rd2, pointer;
	ld.const.u32 %r1, [table+8];
	st.global.u32 [%rd1], %r1;
	mov.u64 %rd3, floats;
	ld.global.f32 %f1, [%rd3+4];
	st.global.f32 [%rd1+4], %f1;
	{
		.reg .b32 %r<2>;
		mov.u32 %r1, 11;
		st.global.u32 [%rd1+8], %r1;
	}
	st.global.u32 [%rd1+12], %r1;
	ld.global.u64 %rd4, [%rd2];
	ld.u32 %r2, [%rd4+4];
	st.global.u32 [%rd1+16], %r2;
	ret;
}
	.section	.debug_abbrev
	{
.b8 1
.b32 .debug_info
	}
	.section .debug_macinfo { }
)";
  LaunchSetup setup;
  setup.more = {Parameter()};
  setup.more[0].bytes.resize(128);
  Outcome outcome = run(ptx, setup);
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[0], 9u);
  EXPECT_EQ(outcome.out[1], 0x40000000u);
  EXPECT_EQ(outcome.out[2], 11u); // the inner %r1
  EXPECT_EQ(outcome.out[3], 9u);  // the outer one is untouched
  EXPECT_EQ(outcome.out[4], 8u);
}

// PTX ISA, "Variable Declarations": known from the declaration to the end of
// the block.
TEST(Parser, BodiesKeepTheirOwnVariables) {
  const std::string functions = R"(
.shared .align 4 .b8 word[4];
.global .align 4 .u32 number = 1;
.func (.param .b32 result) f(.param .b32 value) {
  .reg .b32 %r<3>;
  .shared .align 4 .b8 word[4];
  .global .align 4 .u32 number = 2;
  ld.param.b32 %r0, [value];
  st.shared.b32 [word], %r0;
  ld.global.b32 %r1, [number];
  ld.shared.b32 %r2, [word];
  mad.lo.u32 %r2, %r1, 256, %r2;
  st.param.b32 [result], %r2;
  ret;
}
.func (.param .b32 result) g(.param .b32 value) {
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [value];
  st.shared.b32 [word], %r0;
  ld.global.b32 %r1, [number];
  st.param.b32 [result], %r1;
  ret;
}
)";
  Outcome outcome = run(kernel(prologue() + R"(
  mov.u32 %r20, word;  // the module's: its own is declared below
  .shared .align 4 .b8 word[8];
  .global .align 4 .u32 number = 3;
  .global .align 8 .u64 place = number;
  setp.ne.u32 %p1, %t, 0;
  @%p1 ret;
  mov.u32 %r0, 100;
  st.shared.b32 [word], %r0;
  mov.u32 %r1, 7;
  { .param .b32 value; .param .b32 result;
    st.param.b32 [value], %r1;
    call.uni (result), f, (value);
    ld.param.b32 %r2, [result]; }
  mov.u32 %r1, 8;
  { .param .b32 value; .param .b32 result;
    st.param.b32 [value], %r1;
    call.uni (result), g, (value);
    ld.param.b32 %r3, [result]; }
  ld.shared.b32 %r4, [word];
  ld.global.u64 %rd1, [place];
  ld.u32 %r5, [%rd1];
  ld.shared.b32 %r6, [%r20];
  mov.u32 %r7, word;
  { .shared .align 4 .b8 word[4]; .shared .align 4 .b8 %r0[4];
    mov.u32 %r8, word;
    mov.u32 %r9, %r0; } // hides the register
  mov.u32 %r10, word;
  { .reg .b32 word; mov.u32 word, 55; mov.u32 %r11, word; }
  st.global.v4.b32 [%out], {%r2, %r3, %r4, %r5};
  st.global.v4.b32 [%out+16], {%r6, %r7, %r8, %r9};
  st.global.v4.b32 [%out+32], {%r10, %r11, %r0, %r20};
  ret;
)",
                               "sm_90a", functions));
  ASSERT_TRUE(outcome.clean()) << outcome.text();
  EXPECT_EQ(outcome.out[0], 2u * 256 + 7);
  EXPECT_EQ(outcome.out[1], 1u);
  EXPECT_EQ(outcome.out[2], 100u);
  EXPECT_EQ(outcome.out[3], 3u);
  EXPECT_EQ(outcome.out[4], 8u);
  // Four places of their own.
  std::set<uint32_t> places = {outcome.out[5], outcome.out[6], outcome.out[7],
                               outcome.out[11]};
  EXPECT_EQ(places.size(), 4u);
  EXPECT_EQ(outcome.out[8], outcome.out[5]);
  EXPECT_EQ(outcome.out[9], 55u);
  EXPECT_EQ(outcome.out[10], 100u);
}

TEST(Parser, NamesOfABlockAreUnique) {
  EXPECT_EQ(firstError(kernel(".shared .b32 x;\n.shared .b32 x;")),
            "7: variable 'x' is defined twice");
  EXPECT_EQ(firstError(kernel(".shared .b32 x;\n.local .b32 x;")),
            "7: variable 'x' is defined twice");
  EXPECT_EQ(firstError(kernel("{ .param .b32 x;\n.param .b32 x; }")),
            "7: variable 'x' is defined twice");
  EXPECT_EQ(firstError(kernel(".reg .b32 x;\n.shared .b32 x;")),
            "7: variable 'x' is defined twice");
  EXPECT_EQ(firstError(kernel(".shared .b32 x;\n.reg .b32 x;")),
            "7: register 'x' is declared twice");
  EXPECT_EQ(firstError(kernel(".shared .b32 out;")),
            "6: variable 'out' is defined twice");
  EXPECT_EQ(firstError(kernel("{ .shared .b32 x; } .shared .b32 x;\n"
                              "{ .shared .b32 x; .shared .b32 out; } ret;")),
            "accepted");
  EXPECT_EQ(firstError(kernel(".reg .b32 %r<2>; { .shared .b32 x; }\n"
                              "mov.u32 %r0, x;")),
            "7: undeclared name 'x'");
  EXPECT_EQ(firstError(kernel(".local .b32 x;\n.global .u64 place = x;")),
            "7: initialiser of 'place' names 'x', expected a variable that the "
            "module or this block keeps in memory");
}

TEST(Parser, LaunchErrors) {
  std::string ptx = kernel("ret;");
  LoadResult loaded = loadProgram(ptx);
  ASSERT_TRUE(loaded.program);
  Launch launch;
  launch.entry = "other";
  Report report = bsmm::emulator::run(*loaded.program, launch, Options());
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].message, "the module has no entry 'other'");
  launch.entry = "k";
  report = bsmm::emulator::run(*loaded.program, launch, Options());
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].message,
            "entry 'k' has 2 parameters, the launch gives 0");
  launch.parameters = {Parameter::i32(1), Parameter::null()};
  report = bsmm::emulator::run(*loaded.program, launch, Options());
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].message,
            "parameter 0 of 'k' has 8 bytes, the launch gives 4");
  launch.parameters = {Parameter::null(), Parameter::null()};
  launch.dynamicSharedBytes = 300000;
  report = bsmm::emulator::run(*loaded.program, launch, Options());
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].message,
            "the kernel needs 300000 bytes of shared memory, more than the "
            "232448 of sm_100a");
  launch.dynamicSharedBytes = 232448;
  report = bsmm::emulator::run(*loaded.program, launch, Options());
  EXPECT_TRUE(report.completed);
}
} // namespace
