//===- FuzzCorpusTest.cpp - What the fuzzers have found ---------*- C++ -*-===//
//
// test/Fuzz/corpus holds inputs that libFuzzer made or found: a small cover of
// the code of the readers and of the emulator, and what once broke them. Every
// one must end in a result or an error. corpus/NAME is for bsmm-fuzz-NAME.
//
//===----------------------------------------------------------------------===//

#include "../../Fuzz/Fuzz.h"

#include <gtest/gtest.h>

#include <dirent.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace bsmm::fuzz;

namespace {
void replay(const std::string &name, size_t atLeast,
            int (*function)(const uint8_t *, size_t)) {
  std::string folder = std::string(BSMM_FUZZ_CORPUS "/") + name;
  DIR *directory = opendir(folder.c_str());
  ASSERT_NE(directory, nullptr) << folder;
  size_t count = 0;
  while (dirent *entry = readdir(directory)) {
    std::string path = folder + "/" + entry->d_name;
    if (entry->d_name[0] == '.')
      continue;
    SCOPED_TRACE(path);
    std::ifstream file(path, std::ios::binary);
    std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_TRUE(file.good() || file.eof());
    EXPECT_EQ(function(bytes.data(), bytes.size()), 0);
    ++count;
  }
  closedir(directory);
  EXPECT_GE(count, atLeast);
}

TEST(FuzzCorpus, Ptx) { replay("ptx", 90, readPtx); }
TEST(FuzzCorpus, Run) { replay("run", 90, runPtx); }
TEST(FuzzCorpus, Launch) { replay("launch", 80, readLaunch); }
} // namespace
