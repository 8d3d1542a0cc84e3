//===- LaunchFileTest.cpp - Reading launch.json -----------------*- C++ -*-===//

#include "Harness.h"

#include "bsmm/Emulator/LaunchFile.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace bsmm::emulator;
using namespace bsmm::emulator::test;

namespace {
class LaunchFiles : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "bsmm-launch-XXXXXX";
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = std::string(name.data()) + "/";
  }
  void TearDown() override {
    for (const std::string &file : files)
      std::remove((folder + file).c_str());
    rmdir(folder.c_str());
  }
  void write(const std::string &name, const std::string &contents) {
    std::ofstream(folder + name, std::ios::binary) << contents;
    files.push_back(name);
  }
  std::string errorOf(const std::string &json) {
    write("launch.json", json);
    LaunchFile file;
    std::string error;
    if (readLaunchFile(folder + "launch.json", file, error))
      return "accepted";
    return error;
  }
  std::string folder;
  std::vector<std::string> files;
};

const char ptx[] = R"(
.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .align 8 .b8 p[32], .param .f32 f) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [p+8];
  ld.param.u32 %r1, [p+16];
  ld.param.u32 %r2, [f];
  ld.global.u32 %r3, [%rd1];
  add.u32 %r1, %r1, %r3;
  st.global.u32 [%rd2], %r1;
  st.global.u32 [%rd2+4], %r2;
  ret;
}
)";

TEST_F(LaunchFiles, StructuresAndLiveRegions) {
  write("k.ptx", ptx);
  write("a.bin", std::string("\0\0\0\0\5\0\0\0", 8));
  write("expected.bin", std::string("\xff\xff\xff\xff\x0c\0\0\0\0\0\xc0\x3f"
                                    "\xff\xff\xff\xff",
                                    16));
  const std::string head =
      R"({"schema": "bsmm.launch/1", "document": "launch", "ptx": "k.ptx",
      "target": "sm_100a", "entry": "k", "grid": [1, 1, 1],
      "block": [1, 1, 1], "x-note": 5, "params": [
      {"struct": {"bytes": 32, "placements": [
        {"offset": 0, "pointer": {"data": "a.bin", "offset": 4}},
        {"offset": 8, "pointer": {"data": "out", "offset": 4}},
        {"offset": 16, "i32": 7}]}},
      {"f32": "0x3FC00000"}], "buffers": {"out": {"bytes": 16)";
  write("launch.json", head + R"(, "element": "f32",
      "expected": "expected.bin",
      "live": {"rows": 1, "columns": 2, "pitch_bytes": 8}}}})");
  LaunchFile file;
  std::string error;
  ASSERT_TRUE(readLaunchFile(folder + "launch.json", file, error)) << error;
  LoadResult loaded = loadProgram(file.ptx);
  ASSERT_TRUE(loaded.program);
  Report report = bsmm::emulator::run(*loaded.program, file.launch, {});
  EXPECT_TRUE(report.completed);
  EXPECT_FALSE(report.hasErrors());
  // The live region says the first two words, of which the kernel wrote one.
  std::vector<Comparison> comparisons = compareOutputs(file);
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_EQ(comparisons[0].elements, 2u);
  EXPECT_EQ(comparisons[0].equal, 2u);
  // Bytes 8 to 11 changed, outside of it.
  EXPECT_EQ(comparisons[0].outside, 4u);
  file.reset();
  file.expectations[0].hasLive = false;
  report = bsmm::emulator::run(*loaded.program, file.launch, {});
  comparisons = compareOutputs(file);
  EXPECT_EQ(comparisons[0].equal, 4u);
  EXPECT_EQ(comparisons[0].outside, 0u);
}

TEST_F(LaunchFiles, Errors) {
  write("k.ptx", ptx);
  write("a.bin", "12345678");
  EXPECT_EQ(errorOf("[]"), "'" + folder + "launch.json' is not a JSON object");
  EXPECT_EQ(errorOf("{\"ptx\": 5}"), "expected a string 'ptx'");
  EXPECT_EQ(errorOf("{\"ptx\": \"../k.ptx\"}"),
            "file name '../k.ptx' leaves the folder of the launch file");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"gird\": [1]}"),
            "$: unknown key 'gird'");
  EXPECT_EQ(errorOf("{\"schema\": \"bsmm.launch/2\", \"ptx\": \"k.ptx\"}"),
            "unsupported schema 'bsmm.launch/2': expected 'bsmm.launch/1'");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"grid\": [1, -1]}"),
            "'grid' must hold integers");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"params\": [{\"i32\": 1.5}]}"),
            "parameter 0: expected an integer");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"params\": [{\"pointer\": "
                    "\"no.bin\"}]}"),
            "parameter 0: cannot open '" + folder + "no.bin'");
  EXPECT_EQ(
      errorOf("{\"ptx\": \"k.ptx\", \"params\": [{\"struct\": {\"bytes\": 8, "
              "\"placements\": [{\"offset\": 4, \"null\": true}]}}]}"),
      "parameter 0: a placement lies outside the struct");
  EXPECT_EQ(
      errorOf("{\"ptx\": \"k.ptx\", \"params\": [{\"struct\": {\"bytes\": 16, "
              "\"placements\": [{\"offset\": 4, \"null\": true}, "
              "{\"offset\": 8, \"i32\": 1}]}}]}"),
      "parameter 0: placements overlap");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"params\": [{\"tensor_map\": "
                    "{\"data\": \"a.bin\", \"element\": \"u9\", \"dims\": "
                    "[8], \"strides_bytes\": [], \"box\": [8]}}]}"),
            "parameter 0: unknown tensor map element 'u9'");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"buffers\": {\"c\": {\"bytes\": 4, "
                    "\"bytes\": 8}}}"),
            "the key 'bytes' occurs twice in one object");
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"buffers\": {\"c\": {\"bytes\": 4, "
                    "\"compare\": {\"rule\": \"bound\", \"exact\": "
                    "\"/etc/hostname\", \"bound\": \"a.bin\"}}}}"),
            "file name '/etc/hostname' leaves the folder of the launch file");
  // Together the buffers may have 2^36 bytes; the text of the PTX is not one.
  EXPECT_EQ(errorOf("{\"ptx\": \"k.ptx\", \"buffers\": {\"c\": {\"file\": "
                    "\"a.bin\"}, \"d\": {\"bytes\": 68719476736}}}"),
            "buffer 'd' is too large: expected at most 68719476728 bytes, got "
            "68719476736");
}

TEST_F(LaunchFiles, LiveRegionsOutsideTheBuffer) {
  write("k.ptx", ptx);
  write("e.bin", std::string(64, '\0'));
  auto outcome = [&](const std::string &live) {
    LaunchFile file;
    std::string error;
    std::string text = R"({"ptx": "k.ptx", "buffers": {"c": {"bytes": 64,
        "fill": "0x00", "element": "f16", "expected": "e.bin", "live": )" +
                       live + "}}}";
    EXPECT_TRUE(parseLaunchFile(text, folder, file, error)) << error;
    Comparison comparison = compareOutputs(file).at(0);
    return comparison.passed() ? std::to_string(comparison.equal)
                               : comparison.firstOutside;
  };
  EXPECT_EQ(outcome(R"({"rows": 2, "columns": 8, "pitch_bytes": 16,
                        "batches": 2, "batch_bytes": 32})"),
            "32");
  EXPECT_EQ(outcome(R"({"rows": 0, "columns": 8, "pitch_bytes": 16})"), "0");
  const std::string wrong =
      "the rows of the live region overlap or leave the buffer";
  EXPECT_EQ(outcome(R"({"rows": 1, "columns": 33, "pitch_bytes": 0})"),
            "the live region leaves the buffer");
  EXPECT_EQ(outcome(R"({"rows": 2, "columns": 8, "pitch_bytes": 14})"), wrong);
  EXPECT_EQ(outcome(R"({"rows": 5, "columns": 8, "pitch_bytes": 16})"), wrong);
  EXPECT_EQ(outcome(R"({"rows": 2, "columns": 8, "pitch_bytes": 16,
                        "batches": 2, "batch_bytes": 30})"),
            wrong);
  // Products that overflow 64 bits.
  EXPECT_EQ(outcome(R"({"rows": 4294967297, "columns": 1,
                        "pitch_bytes": 4294967296})"),
            wrong);
  EXPECT_EQ(outcome(R"({"rows": 1, "columns": 2305843009213693953,
                        "pitch_bytes": 0})"),
            "the live region leaves the buffer");
}
} // namespace
