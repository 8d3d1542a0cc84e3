//===- ThirdPartyTest.cpp - Kernels of another compiler ---------*- C++ -*-===//
//
// BSMM_THIRD_PARTY_CASES names a folder of cases (a launch.json each): they
// must run without an error and give the expected bits in every mode. The slow
// tier (BSMM_SLOW=1) tries 20 random seeds.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/LaunchFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <string>
#include <vector>

using namespace bsmm::emulator;

namespace {
std::vector<std::string> casesIn(const std::string &folder) {
  std::vector<std::string> cases;
  DIR *directory = opendir(folder.c_str());
  if (directory == nullptr)
    return cases;
  while (dirent *entry = readdir(directory)) {
    std::string path = folder + "/" + entry->d_name + "/launch.json";
    if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
      std::fclose(file);
      cases.push_back(path);
    }
  }
  closedir(directory);
  std::sort(cases.begin(), cases.end());
  return cases;
}

TEST(ThirdParty, Cases) {
  const char *folder = std::getenv("BSMM_THIRD_PARTY_CASES");
  if (folder == nullptr || *folder == '\0')
    GTEST_SKIP() << "BSMM_THIRD_PARTY_CASES is not set";
  std::vector<std::string> cases = casesIn(folder);
  ASSERT_FALSE(cases.empty()) << "BSMM_THIRD_PARTY_CASES is set to '" << folder
                              << "', but there is no case in it";
  const char *slow = std::getenv("BSMM_SLOW");
  const int seeds = slow != nullptr && std::string(slow) == "1" ? 20 : 6;
  unsigned ran = 0;
  for (const std::string &path : cases) {
    SCOPED_TRACE(path);
    LaunchFile file;
    std::string error;
    ASSERT_TRUE(readLaunchFile(path, file, error)) << error;
    LoadResult loaded = loadProgram(file.ptx);
    for (const SourceDiagnostic &diagnostic : loaded.errors)
      ADD_FAILURE() << "line " << diagnostic.line << ": " << diagnostic.message;
    ASSERT_TRUE(loaded.program);
    std::vector<std::vector<uint8_t>> first;
    for (int mode = -2; mode < seeds; ++mode) {
      SCOPED_TRACE(mode == -2   ? "eager"
                   : mode == -1 ? "lazy"
                                : "random:" + std::to_string(mode));
      Options options;
      options.mode = mode == -2   ? AsyncMode::Eager
                     : mode == -1 ? AsyncMode::Lazy
                                  : AsyncMode::Random;
      options.seed = static_cast<uint64_t>(std::max(mode, 0));
      if (mode == 3)
        options.ctaOrder = CtaOrder::Descending;
      if (mode == 4)
        options.ctaOrder = CtaOrder::Shuffled;
      file.reset();
      Report report = run(*loaded.program, file.launch, options);
      EXPECT_TRUE(report.completed);
      for (const Diagnostic &diagnostic : report.diagnostics)
        ADD_FAILURE() << formatDiagnostic(diagnostic);
      std::vector<Comparison> comparisons = compareOutputs(file);
      ASSERT_FALSE(comparisons.empty());
      for (const Comparison &comparison : comparisons)
        EXPECT_EQ(comparison.outside, 0u) << comparison.firstOutside;
      // The bound of these cases is for other sums than the tensor core's.
      bool isExact = path.find("nvfp4_") != std::string::npos;
      for (const Comparison &comparison : comparisons) {
        EXPECT_TRUE(!isExact || comparison.equal == comparison.elements);
      }
      // The same bits in every mode.
      if (first.empty())
        for (auto &buffer : file.storage)
          first.push_back(*buffer);
      for (size_t k = 0; k < first.size(); ++k)
        EXPECT_TRUE(first[k] == *file.storage[k]);
    }
    ++ran;
  }
  std::printf("third-party cases: %u ran, %d random seeds each\n", ran, seeds);
  RecordProperty("cases", static_cast<int>(ran));
}
} // namespace
