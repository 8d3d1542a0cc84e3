//===- bsmm-target-gen.cpp - print the target table -----------------------===//

#include "TargetDocs.h"
#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  std::string text;
  if (argc == 2 && std::strcmp(argv[1], "--docs") == 0) {
    text = bsmm::target::renderDocs();
  } else if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    text = bsmm::target::renderList();
  } else {
    std::fprintf(stderr, "usage: bsmm-target-gen --docs | --list\n"
                         "  --docs  docs/targets.md\n"
                         "  --list  targets and the forms they have\n");
    return 2;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0) {
    std::fprintf(stderr, "error: cannot write the standard output\n");
    return 1;
  }
  return 0;
}
