//===- FatalErrors.cpp - a message instead of an abort --------------------===//

#include "bsmm/Registration/Registration.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

static void reportAndExit(void *, const char *reason, bool) {
  llvm::errs() << "error: the code generator refused the kernel: " << reason
               << "\nThis is a fault of bsmm: it should have been refused "
                  "before code generation.\n";
  std::exit(1);
}

void bsmm::installFatalErrorHandler() {
  llvm::install_fatal_error_handler(reportAndExit);
}
