//===- Backend.cpp - the registry of backends -----------------------------===//

#include "bsmm/Runner/Backend.h"

using namespace bsmm::runner;

Backend::~Backend() = default;

std::vector<std::unique_ptr<Backend>> &bsmm::runner::getBackends() {
  static std::vector<std::unique_ptr<Backend>> backends;
  return backends;
}

Backend *bsmm::runner::findBackend(const std::string &name) {
  for (std::unique_ptr<Backend> &backend : getBackends())
    if (backend->getName() == name)
      return backend.get();
  return nullptr;
}
