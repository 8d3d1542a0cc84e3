//===- ArtifactTest.cpp - artifacts, whole and damaged --------------------===//

#include "bsmm/Runtime/Artifact.h"
#include "RuntimeTestKernels.h"
#include "bsmm/Runtime/Random.h"
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::test;

namespace {
KernelManifest manifestOf(const std::string &file) {
  Result<KernelManifest> manifest = parseManifest(readKernelFile(file));
  EXPECT_TRUE(bool(manifest)) << manifest.error();
  return *manifest;
}

/// A family of two and a kernel with a cubin alone; codes are short texts.
Artifact smallArtifact() {
  static const std::string ptx = "// PTX of two kernels", other = "// other";
  static const std::string cubin("\x7f"
                                 "ELF\0cubin",
                                 10);
  Artifact artifact;
  artifact.producer = "test";
  artifact.kernels = {{"gemm", manifestOf("gemm_fp8.json"), ptx, cubin},
                      {"gemm", manifestOf("gemm_fp8.json"), ptx, {}},
                      {"count", manifestOf("count_rows.json"), {}, cubin},
                      {"scale", manifestOf("scale_tma.json"), other, {}}};
  return artifact;
}

std::string smallFile() {
  Result<std::string> bytes = formatArtifact(smallArtifact());
  EXPECT_TRUE(bool(bytes)) << bytes.error();
  return *bytes;
}

void store(std::string &bytes, size_t offset, unsigned count, uint64_t value) {
  for (unsigned i = 0; i < count; ++i)
    bytes[offset + i] = static_cast<char>(value >> (8 * i));
}

/// Makes the checksums of a changed file right again, so that the checks behind
/// them are reached.
void sign(std::string &bytes) {
  std::string_view view = bytes;
  if (bytes.size() < 64)
    return;
  store(bytes, 32, 4, crc32(view.substr(64)));
  store(bytes, 60, 4, crc32(view.substr(0, 60)));
}

std::string errorOf(const std::string &bytes,
                    ArtifactFault expected = ArtifactFault::Damaged) {
  ArtifactFault fault = ArtifactFault::None;
  Result<Artifact> artifact = parseArtifact(bytes, &fault);
  EXPECT_EQ(int(fault), int(expected));
  return artifact ? "" : artifact.error();
}

/// A signed file with another index and one section of 64 bytes.
std::string withIndex(const std::string &index) {
  std::string file = smallFile().substr(0, 64) + index + std::string(64, 'x');
  store(file, 16, 8, file.size());
  store(file, 24, 8, index.size());
  sign(file);
  return file;
}
} // namespace

/// The check value of CRC-32/ISO-HDLC.
TEST(Artifact, Checksum) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xCBF43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(Artifact, RoundTrip) {
  std::string bytes = smallFile();
  ArtifactFault fault = ArtifactFault::Damaged;
  Result<Artifact> read = parseArtifact(bytes, &fault);
  ASSERT_TRUE(bool(read)) << read.error();
  EXPECT_EQ(int(fault), int(ArtifactFault::None));
  EXPECT_EQ(read->producer, "test");
  Artifact written = smallArtifact();
  ASSERT_EQ(read->kernels.size(), written.kernels.size());
  for (size_t i = 0; i < written.kernels.size(); ++i) {
    EXPECT_EQ(read->kernels[i].name, written.kernels[i].name);
    EXPECT_EQ(read->kernels[i].ptx, written.kernels[i].ptx);
    EXPECT_EQ(read->kernels[i].cubin, written.kernels[i].cubin);
    EXPECT_EQ(writeManifest(read->kernels[i].manifest),
              writeManifest(written.kernels[i].manifest));
  }
  // Equal codes are stored once: three sections of 64 bytes each.
  EXPECT_EQ(read->kernels[0].ptx.data(), read->kernels[1].ptx.data());
  EXPECT_EQ(read->kernels[0].cubin.data(), read->kernels[2].cubin.data());
  // Writing what was read gives the same bytes.
  Result<std::string> again = formatArtifact(*read);
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(*again, bytes);
  // Copies keep the bytes alive.
  Artifact copy = *read;
  *read = Artifact();
  EXPECT_EQ(copy.kernels[3].ptx, "// other");
  EXPECT_NE(describeArtifact(copy).find("\"crc32\": \"0x"), std::string::npos);
}

/// The layout of the file, as docs/runtime.md gives it.
TEST(Artifact, Layout) {
  std::string bytes = smallFile();
  EXPECT_EQ(bytes.substr(0, 8), "\x89"
                                "BSMM\r\n\x1a");
  auto number = [&](size_t offset, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = count; i-- > 0;)
      value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
    return value;
  };
  EXPECT_EQ(number(8, 4), 1u);
  EXPECT_EQ(number(12, 4), 64u);
  EXPECT_EQ(number(16, 8), bytes.size());
  uint64_t index = number(24, 8);
  EXPECT_EQ(bytes[64], '{');
  EXPECT_EQ(bytes.compare(64 + index, 21, "// PTX of two kernels"), 0);
  EXPECT_EQ(number(32, 4), crc32(std::string_view(bytes).substr(64)));
  EXPECT_EQ(bytes.size() % 64, 0u);
}

/// Every shorter file is refused.
TEST(Artifact, TruncatedAtEveryByte) {
  std::string bytes = smallFile();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(errorOf(bytes.substr(0, size)), "") << size;
  // Also when the header was made to agree, unless only the zeros behind the
  // last section are gone.
  size_t end = bytes.find_last_not_of('\0') + 1;
  for (size_t size = 64; size < end; ++size) {
    std::string cut = bytes.substr(0, size);
    store(cut, 16, 8, cut.size());
    sign(cut);
    ASSERT_NE(errorOf(cut), "") << size;
  }
  EXPECT_EQ(errorOf(bytes + '\0'),
            "expected a file of " + std::to_string(bytes.size()) +
                " bytes, got " + std::to_string(bytes.size() + 1) +
                "; something was appended");
}

/// Every change of a byte is noticed, whatever the change is.
TEST(Artifact, FlippedBytes) {
  std::string bytes = smallFile();
  Random random(3);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^
                                    static_cast<char>(1 + random.below(255)));
    ArtifactFault fault = ArtifactFault::None;
    Result<Artifact> artifact = parseArtifact(flipped, &fault);
    ASSERT_FALSE(bool(artifact)) << at;
    // The version is not covered by a checksum that is known.
    bool isVersion = at >= 8 && at < 12;
    ASSERT_EQ(int(fault),
              int(isVersion ? ArtifactFault::Version : ArtifactFault::Damaged))
        << at;
  }
}

/// Changes behind a right checksum must not crash either: what is read is
/// legal or refused.
TEST(Artifact, FlippedAndSigned) {
  std::string bytes = smallFile();
  Random random(4);
  size_t accepted = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string flipped = bytes;
    for (uint64_t changes = 1 + random.below(3); changes-- > 0;)
      flipped[12 + random.below(flipped.size() - 12)] =
          static_cast<char>(random.below(256));
    sign(flipped);
    Result<Artifact> artifact = parseArtifact(flipped);
    if (!artifact)
      continue;
    ++accepted;
    for (const ArtifactKernel &kernel : artifact->kernels) {
      ASSERT_EQ(validateManifest(kernel.manifest), "");
      ASSERT_TRUE(!kernel.ptx.empty() || !kernel.cubin.empty());
      // Reads every byte: the sanitizer sees what is outside.
      crc32(kernel.ptx, crc32(kernel.cubin));
    }
  }
  EXPECT_GT(accepted, 0u);
}

TEST(Artifact, LengthsThatLie) {
  std::string bytes = smallFile();
  for (uint64_t length :
       {uint64_t(0), uint64_t(1), bytes.size() - 63, bytes.size(),
        uint64_t(1) << 31, uint64_t(1) << 32, uint64_t(1) << 63, UINT64_MAX}) {
    std::string changed = bytes;
    store(changed, 24, 8, length);
    sign(changed);
    EXPECT_NE(errorOf(changed), "") << length;
    changed = bytes;
    if (length == bytes.size())
      continue;
    store(changed, 16, 8, length);
    sign(changed);
    EXPECT_NE(errorOf(changed), "") << length;
  }
  std::string changed = bytes;
  store(changed, 12, 4, 128);
  sign(changed);
  EXPECT_EQ(errorOf(changed),
            "damaged header: expected 64 bytes of header, got 128");
  changed = bytes;
  changed[40] = 1;
  sign(changed);
  EXPECT_EQ(errorOf(changed), "damaged header: expected zero at byte 40");
}

TEST(Artifact, IndexThatLies) {
  KernelManifest manifest = manifestOf("count_rows.json");
  std::string text = writeManifest(manifest);
  auto index = [&](const std::string &section) {
    return "{\"schema\": \"bsmm.artifact/1\", \"kernels\": [{\"name\": \"k\", "
           "\"manifest\": " +
           text + ", " + section + "}]}";
  };
  // Room for every number below, so that the section stays where it is.
  std::string probe = index("\"ptx\": {\"offset\": 9223372036854775807, "
                            "\"bytes\": 9223372036854775807}");
  uint64_t begin = 64 + probe.size();
  auto section = [&](const std::string &offset, const std::string &length) {
    std::string made = index("\"ptx\": {\"offset\": " + offset +
                             ", \"bytes\": " + length + "}");
    made.resize(probe.size(), ' ');
    return withIndex(made);
  };
  std::string at = std::to_string(begin);
  EXPECT_EQ(errorOf(section(at, "64"), ArtifactFault::None), "");
  EXPECT_EQ(
      errorOf(section(std::to_string(begin + 63), "1"), ArtifactFault::None),
      "");
  EXPECT_NE(errorOf(section(at, "65")), "");
  EXPECT_NE(errorOf(section(at, "0")), "");
  EXPECT_NE(errorOf(section("64", "8")), "");
  EXPECT_NE(errorOf(section("0", "8")), "");
  EXPECT_NE(errorOf(section("-1", "8")), "");
  EXPECT_NE(errorOf(section(at, "-8")), "");
  EXPECT_NE(errorOf(section(at, "9223372036854775807")), "");
  EXPECT_NE(errorOf(section("9223372036854775807", "2")), "");
  EXPECT_NE(errorOf(section(at, "1e1")), "");
  EXPECT_NE(errorOf(section(std::to_string(begin + 64), "1")), "");
  EXPECT_NE(errorOf(withIndex("")), "");
  EXPECT_NE(errorOf(withIndex("{}")), "");
  EXPECT_NE(errorOf(withIndex("[]")), "");
  EXPECT_NE(errorOf(withIndex("{\"schema\": \"bsmm.artifact/1\", \"kernels\": "
                              "[]}")),
            "");
  EXPECT_NE(errorOf(withIndex(std::string(100, '['))), "");
  EXPECT_EQ(errorOf(withIndex("{\"schema\": \"bsmm.artifact/2\", \"kernels\": "
                              "[]}"),
                    ArtifactFault::Version),
            "index: $.schema: unsupported schema 'bsmm.artifact/2': expected "
            "'bsmm.artifact/1'");
}

/// A manifest of another version has an error of its own kind.
TEST(Artifact, ManifestOfAnotherVersion) {
  std::string bytes = smallFile();
  size_t at = bytes.find("bsmm.launch/1");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 12] = '7';
  sign(bytes);
  EXPECT_EQ(errorOf(bytes, ArtifactFault::Version),
            "index: $.kernels[0].manifest.schema: unsupported schema "
            "'bsmm.launch/7': expected 'bsmm.launch/1'");
}

TEST(Artifact, OtherFiles) {
  EXPECT_EQ(errorOf("// PTX"),
            "expected a bsmm artifact, which begins with 89 'BSMM'");
  EXPECT_EQ(errorOf("\x09"
                    "BSMM\n\x1a and more"),
            "expected a bsmm artifact, which begins with 89 'BSMM'; the file "
            "seems to have gone through a text conversion");
  std::string bytes = smallFile();
  store(bytes, 8, 4, 2);
  EXPECT_EQ(errorOf(bytes, ArtifactFault::Version),
            "unsupported artifact version 2: expected version 1; make the "
            "artifact with the bsmm of this runtime");
  ArtifactFault fault = ArtifactFault::None;
  Result<Artifact> artifact = readArtifactFile("/no/such/file", &fault);
  EXPECT_EQ(int(fault), int(ArtifactFault::CannotRead));
  EXPECT_EQ(artifact.error(),
            "/no/such/file: cannot be opened: No such file or directory");
  artifact = readArtifactFile(testing::TempDir(), &fault);
  EXPECT_EQ(int(fault), int(ArtifactFault::CannotRead));
  // A large file that is no artifact is not read to its end.
  artifact = readArtifactFile("/dev/zero", &fault);
  EXPECT_EQ(artifact.error(), "/dev/zero: expected a regular file");
}

TEST(Artifact, WritingRefusesAndReplaces) {
  Artifact artifact;
  EXPECT_EQ(formatArtifact(artifact).error(),
            "expected 1 to 65536 kernels, got 0");
  artifact = smallArtifact();
  artifact.kernels[1].ptx = {};
  artifact.kernels[1].cubin = {};
  EXPECT_EQ(formatArtifact(artifact).error(),
            "$.kernels[1]: expected PTX or a cubin, got neither");
  artifact = smallArtifact();
  artifact.kernels[0].name.clear();
  EXPECT_EQ(formatArtifact(artifact).error(),
            "$.kernels[0].name: expected 1 to 256 bytes, got 0");
  artifact = smallArtifact();
  artifact.kernels[0].ptx = std::string_view("a\0b", 3);
  EXPECT_EQ(formatArtifact(artifact).error(),
            "$.kernels[0].ptx: expected text, got a zero byte");
  artifact = smallArtifact();
  artifact.kernels[2].manifest.block = {33, 1, 1};
  EXPECT_EQ(formatArtifact(artifact).error(),
            "$.kernels[2].manifest.block: expected a multiple of 32 threads, "
            "got 33");

  std::string path = temporaryFile("replaced");
  ASSERT_EQ(writeFileInOneStep(path, "old"), "");
  ASSERT_EQ(writeArtifactFile(path, smallArtifact()), "");
  Result<Artifact> read = readArtifactFile(path);
  ASSERT_TRUE(bool(read)) << read.error();
  EXPECT_EQ(read->kernels.size(), 4u);
  std::remove(path.c_str());
  std::string error =
      writeArtifactFile("/no/such/folder/file", smallArtifact());
  EXPECT_EQ(error, "/no/such/folder/file: cannot be written: No such file or "
                   "directory");
}

/// The C ABI gives the same errors a status each.
TEST(Artifact, StatusOfTheCAbi) {
  bsmm_artifact *artifact = nullptr;
  std::string bytes = smallFile();
  auto open = [&](const std::string &given) {
    return bsmm_artifact_open_memory(given.data(), given.size(), &artifact);
  };
  ASSERT_EQ(open(bytes), BSMM_OK) << bsmm_last_error();
  EXPECT_NE(std::string(bsmm_artifact_describe(artifact)).find("count_rows"),
            std::string::npos);
  bsmm_artifact_close(artifact);
  artifact = nullptr;
  EXPECT_EQ(open(bytes.substr(0, 200)), BSMM_INVALID_ARTIFACT);
  EXPECT_EQ(artifact, nullptr);
  std::string later = bytes;
  later[8] = 9;
  EXPECT_EQ(open(later), BSMM_UNSUPPORTED_VERSION);
  EXPECT_EQ(bsmm_artifact_open("/no/such/file", &artifact), BSMM_IO_ERROR);
  EXPECT_EQ(bsmm_artifact_open(nullptr, &artifact), BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_artifact_open_memory(bytes.data(), bytes.size(), nullptr),
            BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_artifact_kernel_count(nullptr), 0u);
  EXPECT_EQ(bsmm_artifact_describe(nullptr), nullptr);

  bsmm_artifact_entry entry = {nullptr, "{}", "// PTX", nullptr, 0};
  EXPECT_EQ(bsmm_artifact_write("/tmp/none", &entry, 1), BSMM_INVALID_ARTIFACT);
  entry.manifest = nullptr;
  EXPECT_EQ(bsmm_artifact_write("/tmp/none", &entry, 1), BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_artifact_write("/tmp/none", &entry, 0), BSMM_INVALID_ARTIFACT);
  EXPECT_EQ(bsmm_artifact_write(nullptr, &entry, 0), BSMM_INVALID_ARGUMENT);
  std::string manifest = readKernelFile("count_rows.json");
  entry = {nullptr, manifest.c_str(), nullptr, nullptr, 5};
  EXPECT_EQ(bsmm_artifact_write("/tmp/none", &entry, 1), BSMM_INVALID_ARGUMENT);
}

/// Nothing that parses may be unloadable in a harmful way: cubins without PTX
/// and PTX that is none are refused when they are loaded.
TEST(Artifact, CodeThatCannotRun) {
  Handles handles;
  std::string bytes = smallFile();
  ASSERT_EQ(
      bsmm_artifact_open_memory(bytes.data(), bytes.size(), &handles.artifact),
      BSMM_OK);
  ASSERT_EQ(bsmm_device_open_emulator(nullptr, &handles.device), BSMM_OK);
  auto load = [&](size_t index) {
    return bsmm_kernel_load(handles.device, handles.artifact, index,
                            &handles.kernel);
  };
  EXPECT_EQ(load(0), BSMM_INVALID_ARTIFACT);
  EXPECT_EQ(load(2), BSMM_NOT_FOUND);
  EXPECT_EQ(std::string(bsmm_last_error()),
            "kernel 'count' for sm_90a has a cubin alone: the emulator needs "
            "PTX");
  EXPECT_EQ(load(4), BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(handles.kernel, nullptr);
}
