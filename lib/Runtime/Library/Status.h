//===- Status.h - errors and structures of the C ABI ------------*- C++ -*-===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_STATUS_H
#define BSMM_LIB_RUNTIME_LIBRARY_STATUS_H

#include "bsmm/Runtime/bsmm_runtime.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace bsmm::runtime::library {

/// Keeps the text for bsmm_last_error and returns the status.
[[nodiscard]] bsmm_status fail(bsmm_status status, const std::string &text);

/// Reports to the callback of bsmm_set_log, if there is one.
void log(bsmm_log_level level, const std::string &text);
/// Whether anybody listens; texts that cost time are made only then.
bool isLogging();

/// Runs the body of a C function: no exception may leave it.
template <typename Body> bsmm_status guarded(const Body &body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(BSMM_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return fail(BSMM_INTERNAL_ERROR,
                std::string("unexpected internal error: ") + error.what());
  }
}

/// Reads a structure of any version: members that the caller does not know are
/// zero; members that this library does not know must be zero.
template <typename T>
[[nodiscard]] bsmm_status readStructure(const T *given, T &value,
                                        const char *name) {
  constexpr size_t largest = 4096;
  if (!given)
    return fail(BSMM_INVALID_ARGUMENT,
                std::string(name) + ": expected a structure, got NULL");
  size_t size = given->struct_size;
  // Version 1 of the ABI is the smallest.
  if (size < sizeof(T) || size > largest)
    return fail(BSMM_UNSUPPORTED_VERSION,
                std::string(name) + ".struct_size: expected " +
                    std::to_string(sizeof(T)) + " or a little more, got " +
                    std::to_string(size) + "; set it to the structure's size");
  const auto *bytes = reinterpret_cast<const unsigned char *>(given);
  if (std::any_of(bytes + sizeof(T), bytes + size,
                  [](unsigned char byte) { return byte != 0; }))
    return fail(BSMM_UNSUPPORTED_VERSION,
                std::string(name) +
                    ": expected zero in the members that this runtime does "
                    "not know; use a newer runtime");
  std::memcpy(&value, given, sizeof(T));
  value.struct_size = sizeof(T);
  return BSMM_OK;
}

/// Checks the size of a structure to fill.
template <typename T>
[[nodiscard]] bsmm_status checkStructure(const T *out, const char *name) {
  if (!out)
    return fail(BSMM_INVALID_ARGUMENT,
                std::string(name) + ": expected a structure, got NULL");
  if (out->struct_size < sizeof(T))
    return fail(BSMM_UNSUPPORTED_VERSION,
                std::string(name) + ".struct_size: expected at least " +
                    std::to_string(sizeof(T)) + ", got " +
                    std::to_string(out->struct_size) +
                    "; set it to the structure's size");
  return BSMM_OK;
}

/// Fills a structure that checkStructure has seen; later members stay as they
/// are.
template <typename T> void writeStructure(T *out, T value) {
  value.struct_size = out->struct_size;
  std::memcpy(out, &value, sizeof(T));
}

} // namespace bsmm::runtime::library

#endif // BSMM_LIB_RUNTIME_LIBRARY_STATUS_H
