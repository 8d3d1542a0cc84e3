//===- CInterfaceTest.cpp - The emulator, from C ----------------*- C++ -*-===//
//
// CInterface.c is compiled as C and does the work.
//
//===----------------------------------------------------------------------===//

#include "CInterface.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {
TEST(CInterface, Run) {
  EXPECT_EQ(testRunFromC(), 0) << "line of CInterface.c";
}

TEST(CInterface, Errors) {
  EXPECT_EQ(testErrorsFromC(), 0) << "line of CInterface.c";
}

TEST(CInterface, LaunchFile) {
  char name[] = "/tmp/bsmm-c-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  std::string folder = std::string(name) + "/";
  EXPECT_EQ(testLaunchFileFromC(folder.c_str()), 0) << "line of CInterface.c";
  for (const char *file : {"k.ptx", "in.bin", "expected.bin", "launch.json"})
    std::remove((folder + file).c_str());
  rmdir(name);
}
} // namespace
