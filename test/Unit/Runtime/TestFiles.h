//===- TestFiles.h - files that runtime tests read --------------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_RUNTIME_TESTFILES_H
#define BSMM_TEST_UNIT_RUNTIME_TESTFILES_H

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bsmm::test {

inline std::string readFile(const std::string &name) {
  std::ifstream file(name, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

/// The JSON blocks of docs/abi.md, in order.
inline std::vector<std::string> abiExamples() {
  std::string page = readFile(BSMM_ABI_PAGE);
  std::vector<std::string> blocks;
  for (size_t at = page.find("```json\n"); at != std::string::npos;
       at = page.find("```json\n", at)) {
    at += 8;
    size_t end = page.find("```", at);
    if (end == std::string::npos)
      break;
    blocks.push_back(page.substr(at, end - at));
    at = end;
  }
  return blocks;
}

/// Folders of launch cases made by other compilers; empty without the
/// environment variable BSMM_THIRD_PARTY_CASES.
inline std::vector<std::string> thirdPartyCases() {
  std::vector<std::string> folders;
  const char *root = std::getenv("BSMM_THIRD_PARTY_CASES");
  if (!root)
    return folders;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(root, error))
    if (std::filesystem::exists(entry.path() / "launch.json", error))
      folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

} // namespace bsmm::test

#endif // BSMM_TEST_UNIT_RUNTIME_TESTFILES_H
