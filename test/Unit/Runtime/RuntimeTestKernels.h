//===- RuntimeTestKernels.h - an artifact of small kernels ------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_RUNTIME_RUNTIMETESTKERNELS_H
#define BSMM_TEST_UNIT_RUNTIME_RUNTIMETESTKERNELS_H

#include "bsmm/Runtime/bsmm_runtime.h"
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace bsmm::runtime::test {

inline std::string readKernelFile(const std::string &name) {
  std::ifstream file(std::string(BSMM_RUNTIME_KERNELS "/") + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

inline std::string temporaryFile(const std::string &name) {
  return testing::TempDir() + "/bsmm-" +
         testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
         name;
}

/// Bytes of an artifact with these kernels, through a file that is gone then.
inline std::string writtenArtifact(const bsmm_artifact_entry *entries,
                                   size_t count) {
  std::string path = temporaryFile("kernels.bsmm");
  EXPECT_EQ(bsmm_artifact_write(path.c_str(), entries, count), BSMM_OK)
      << bsmm_last_error();
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file),
                    std::istreambuf_iterator<char>()};
  std::remove(path.c_str());
  return bytes;
}

/// The same with the kernels scale_tma, gemm_fp8 and count_rows.
inline std::string testArtifact() {
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  std::vector<std::string> manifests;
  for (const char *name :
       {"scale_tma.json", "gemm_fp8.json", "count_rows.json"})
    manifests.push_back(readKernelFile(name));
  std::vector<bsmm_artifact_entry> entries;
  for (const std::string &manifest : manifests)
    entries.push_back({nullptr, manifest.c_str(), ptx.c_str(), nullptr, 0});
  return writtenArtifact(entries.data(), entries.size());
}

/// Closes what a test opens.
struct Handles {
  bsmm_artifact *artifact = nullptr;
  bsmm_device *device = nullptr;
  bsmm_kernel *kernel = nullptr;
  Handles() = default;
  Handles(const Handles &) = delete;
  Handles &operator=(const Handles &) = delete;
  ~Handles() {
    bsmm_kernel_unload(kernel);
    bsmm_device_close(device);
    bsmm_artifact_close(artifact);
  }

  void open(const std::string &bytes) {
    ASSERT_EQ(bsmm_artifact_open_memory(bytes.data(), bytes.size(), &artifact),
              BSMM_OK)
        << bsmm_last_error();
  }
  void openWritten(const bsmm_artifact_entry *entries, size_t count) {
    open(writtenArtifact(entries, count));
  }
  /// The test artifact and one kernel of it in the emulator.
  void loadInEmulator(const char *name,
                      const bsmm_emulator_options *options = nullptr) {
    open(testArtifact());
    ASSERT_EQ(bsmm_device_open_emulator(options, &device), BSMM_OK)
        << bsmm_last_error();
    ASSERT_EQ(bsmm_kernel_load_best(device, artifact, name, nullptr, &kernel),
              BSMM_OK)
        << bsmm_last_error();
  }
};

inline bsmm_operand operand(bsmm_role role, const void *data, int64_t pitch = 0,
                            int64_t batchStride = 0) {
  bsmm_operand result{};
  result.role = role;
  result.data = const_cast<void *>(data);
  result.pitch = pitch;
  result.batch_stride = batchStride;
  return result;
}

} // namespace bsmm::runtime::test

#endif // BSMM_TEST_UNIT_RUNTIME_RUNTIMETESTKERNELS_H
