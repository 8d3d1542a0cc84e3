//===- CudaDriver.cpp - the CUDA driver, opened at run time ---------------===//

#include "CudaDriver.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace bsmm::runtime::library;
using namespace bsmm::runtime::library::cuda;

std::string Driver::describe(Result error) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(error, &name) != success || !name)
    return "CUDA error " + std::to_string(error);
  std::string description = name;
  if (getErrorString(error, &text) == success && text)
    description += std::string(" (") + text + ")";
  return description;
}

/// Opens the library and finds the entry points.
static std::string open(Driver &driver) {
  const char *named = std::getenv("BSMM_CUDA_DRIVER");
  bool isNamed = named && *named;
  void *library = nullptr;
  std::string reason;
  for (const char *name :
       {isNamed ? named : "libcuda.so.1", isNamed ? nullptr : "libcuda.so"}) {
    if (!name || library)
      continue;
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library && reason.empty())
      if (const char *text = dlerror())
        reason = text;
  }
  if (!library)
    return "no CUDA driver: " + reason;
  std::string missing;
#define BSMM_CUDA_FIND(symbol, name, parameters)                               \
  driver.name =                                                                \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, #symbol));        \
  if (!driver.name && missing.empty())                                         \
    missing = #symbol;
  BSMM_CUDA_DRIVER_FUNCTIONS(BSMM_CUDA_FIND)
#undef BSMM_CUDA_FIND
  if (!missing.empty())
    return "expected a CUDA driver of 12.0 or newer: this one has no " +
           missing;
  Result error = driver.init(0);
  if (error != success)
    return "the CUDA driver cannot be initialised: " + driver.describe(error);
  return "";
}

const Driver *cuda::findDriver(std::string &whyNot) {
  struct Opened {
    Driver driver;
    std::string whyNot;
    Opened() : whyNot(open(driver)) {}
  };
  // Never destroyed: kernels may be unloaded by static objects' destructors.
  static const Opened *opened = new Opened;
  whyNot = opened->whyNot;
  return whyNot.empty() ? &opened->driver : nullptr;
}
