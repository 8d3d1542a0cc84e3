//===- Options.cpp - the options that --help shows ------------------------===//

#include "bsmm/Registration/Registration.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

void bsmm::hideLibraryOptions() {
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option &option = *entry.second;
    if (option.getOptionHiddenFlag() != cl::NotHidden)
      continue;
    // --help and --version are in "Generic Options", which has no accessor.
    StringRef category = option.Categories.front()->getName();
    if (category != "Generic Options" && category != "Color Options")
      option.setHiddenFlag(cl::Hidden);
  }
}
