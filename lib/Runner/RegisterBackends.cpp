//===- RegisterBackends.cpp - the backends of this build ------------------===//

#include "EmulatorBackend.h"
#include "ReferenceBackend.h"

void bsmm::runner::registerBackends() {
  if (!getBackends().empty())
    return;
  getBackends().push_back(std::make_unique<EmulatorBackend>());
  getBackends().push_back(std::make_unique<ReferenceBackend>());
}
