//===- RegisterBackends.cpp - the backends of this build ------------------===//

#include "CudaBackend.h"
#include "EmulatorBackend.h"
#include "ReferenceBackend.h"

void bsmm::runner::registerBackends() {
  if (!getBackends().empty())
    return;
  getBackends().push_back(std::make_unique<EmulatorBackend>());
  getBackends().push_back(std::make_unique<ReferenceBackend>());
  getBackends().push_back(std::make_unique<CudaBackend>());
}
