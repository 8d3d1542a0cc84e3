//===- HardwareTest.cpp - Results of an H200 --------------------*- C++ -*-===//
//
// The kernels of Kernels/ ran on an H200 (sm_90a, driver 580, PTX assembled by
// ptxas 13.0) with Kernels/input.bin; the table holds hashes (64-bit FNV-1a) of
// all bytes they wrote. The emulator must write the same bytes.
//
// families_sm90a.ptx comes from families.cu; approximate functions, whose last
// bits PTX leaves open, are not in it. The hashes of async_sm90a.ptx were the
// emulator's before an H200 wrote the same bytes.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <fstream>
#include <iterator>

using namespace bsmm::emulator;

namespace {
struct Known {
  const char *entry;
  uint64_t hash;
  uint32_t cluster = 1; ///< CTAs
};

const Known families[] = {{"k_int", 0xef708614d0481801ull},
                          {"k_float", 0x34bdacc1a0a23ec6ull},
                          {"k_half", 0x8d6579788af80575ull},
                          {"k_control", 0x3a5c73d24b767d54ull},
                          {"k_memory", 0x6e262da4d3c67905ull}};

const Known matrices[] = {{"w_e4m3_e4m3_f32_n8_s0", 0xe1c1026d00c5b6bfull},
                          {"w_e4m3_e4m3_f32_n64_s32", 0xdb02c1816713cf69ull},
                          {"w_e4m3_e4m3_f32_regs", 0xb89d54c48d8de075ull},
                          {"w_e5m2_e4m3_f32_n8_s0", 0x510d3ef79d86bdadull},
                          {"w_e5m2_e4m3_f32_n96_s64", 0x21bdd6a0e15f3bd5ull},
                          {"w_e5m2_e4m3_f32_regs", 0xd61730e0a71b8ee5ull},
                          {"w_e5m2_e5m2_f32_n8_s0", 0x577e1b779980c943ull},
                          {"w_e5m2_e5m2_f32_regs", 0x68e098a201cede04ull},
                          {"w_e4m3_e4m3_f16_n8_s0", 0x43087c8334f21960ull},
                          {"w_e4m3_e4m3_f16_regs", 0x49ed9fffd78dcf25ull},
                          {"w_e5m2_e5m2_f16_n8_s0", 0x87b8f82eda4ec2baull},
                          {"w_e5m2_e5m2_f16_regs", 0x7e030716805ed7b2ull},
                          {"w_f16_f16_f32_n8_s0", 0x32cb71be4fb6d99cull},
                          {"w_f16_f16_f32_regs", 0x4e20b77bb42c255full},
                          {"w_f16_f16_f16_n8_s0", 0xa6ea3c2675dfc828ull},
                          {"w_f16_f16_f16_n128_s128", 0x77455dac7b35cc10ull},
                          {"w_f16_f16_f16_regs", 0x4090b17d9df3a1b0ull},
                          {"w_bf16_bf16_f32_n8_s0", 0xa18d34907160a188ull},
                          {"w_bf16_bf16_f32_regs", 0xc9556c8c0aebbfd0ull},
                          {"w_tf32_tf32_f32_n8_s0", 0xa0d515fdbacb6c31ull},
                          {"w_tf32_tf32_f32_regs", 0xcabc4ff870570c5aull},
                          {"w_s8_u8_s32_n8_s0", 0xa3c4d9ed3c63ce28ull},
                          {"w_s8_u8_s32_regs", 0x8945e9b707277ed5ull},
                          {"w_u8_u8_s32_n8_s0", 0x200175f4ed953b12ull},
                          {"w_u8_u8_s32_regs", 0x0e956fe0e4aef89eull},
                          {"w_f16_f32_t10_s32", 0xba3866dfc96a0eb8ull},
                          {"w_f16_f32_t01_s32", 0x98cb622064ab3f5dull},
                          {"w_f16_f32_t11_s32", 0xec9aee514a41ab3dull},
                          {"m_f16_f16_f32_k16", 0xffdf5cb91db00500ull},
                          {"m_f16_f16_f16_k16", 0x35d014d7bc8cee5full},
                          {"m_bf16_bf16_f32_k16", 0x5f0c04bae054f873ull},
                          {"m_f16_f16_f32_k8", 0x8a693f9da381c9cfull},
                          {"m_bf16_bf16_f32_k8", 0xc673b142c062aedcull},
                          {"m_tf32_tf32_f32_k8", 0xfa2bc11818c734f8ull},
                          {"m_tf32_tf32_f32_k4", 0x0caa415518d3d202ull},
                          {"m_s8_s8_s32_k32", 0xff9fc21e98026198ull},
                          {"m_u8_s8_s32_k32", 0xdcaa99c3a4b5f475ull},
                          {"m_s8_s8_s32_k16", 0x4523dc1b280adb2dull},
                          {"ld_x1", 0x334eef6789c4cd55ull},
                          {"st_x1", 0x428679dcdce851f7ull},
                          {"ld_x2", 0xca9a715e2e6e83c5ull},
                          {"st_x2", 0xa7c286562f7594fcull},
                          {"ld_x4", 0x2fd56e396ecaf735ull},
                          {"st_x4", 0xa2856ce61752a9b3ull},
                          {"ld_x1trans", 0x99561aa6cfafe3b5ull},
                          {"st_x1trans", 0x628caffc133cc45bull},
                          {"ld_x2trans", 0xf38880d4d6bcd655ull},
                          {"st_x2trans", 0xa9d60a95e6cf7794ull},
                          {"ld_x4trans", 0x437d2ddcbfa0ead5ull},
                          {"st_x4trans", 0x16380773feeb6087ull},
                          {"movm", 0x453b228c52b6ad7dull}};

const Known asynchronous[] = {{"a_multicast", 0xdab18bced09e94d2ull, 2},
                              {"a_phases", 0xbf3d92c45be5820bull},
                              {"a_remote", 0xca3dcc9eb86e89e8ull, 2},
                              {"a_reduce", 0xe8af0d3aad956e03ull},
                              {"a_states", 0x9da5ecc7d9d8cec5ull}};

std::string readAll(const std::string &name) {
  std::ifstream file(std::string(BSMM_EMULATOR_KERNELS "/") + name,
                     std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

uint64_t fnv(const std::vector<uint8_t> &bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (uint8_t byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3ull;
  return hash;
}

template <size_t N>
void expectSame(const char *file, const Known (&known)[N], Dim3 grid,
                Dim3 block, size_t bytes) {
  LoadResult loaded = loadProgram(readAll(file));
  for (const SourceDiagnostic &error : loaded.errors)
    ADD_FAILURE() << error.line << ": " << error.message;
  ASSERT_TRUE(loaded.program);
  std::string input = readAll("input.bin");
  ASSERT_EQ(input.size(), 12288u);
  for (const Known &entry : known) {
    SCOPED_TRACE(entry.entry);
    for (AsyncMode mode :
         {AsyncMode::Eager, AsyncMode::Lazy, AsyncMode::Random}) {
      std::vector<uint8_t> out(bytes, 0);
      Launch launch;
      launch.entry = entry.entry;
      launch.grid = grid;
      launch.block = block;
      launch.cluster = {entry.cluster, 1, 1};
      launch.buffers.push_back({"out", out.data(), out.size(), false});
      launch.buffers.push_back(
          {"in", reinterpret_cast<uint8_t *>(&input[0]), input.size(), true});
      launch.parameters = {Parameter::pointer(0), Parameter::pointer(1)};
      Options options;
      options.mode = mode;
      options.seed = 11;
      Report report = run(*loaded.program, launch, options);
      EXPECT_TRUE(report.completed);
      for (const Diagnostic &diagnostic : report.diagnostics)
        ADD_FAILURE() << formatDiagnostic(diagnostic);
      EXPECT_EQ(fnv(out), entry.hash);
    }
  }
}

TEST(Hardware, InstructionFamilies) {
  expectSame("families_sm90a.ptx", families, {4, 1, 1}, {256, 1, 1}, 262400);
}

TEST(Hardware, Matrices) {
  expectSame("matrix_sm90a.ptx", matrices, {1, 1, 1}, {128, 1, 1}, 65536);
}

TEST(Hardware, Asynchronous) {
  expectSame("async_sm90a.ptx", asynchronous, {4, 1, 1}, {128, 1, 1}, 32768);
}
} // namespace
