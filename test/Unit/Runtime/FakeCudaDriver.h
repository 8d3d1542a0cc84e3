//===- FakeCudaDriver.h - books of the fake CUDA driver ---------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_RUNTIME_FAKECUDADRIVER_H
#define BSMM_TEST_UNIT_RUNTIME_FAKECUDADRIVER_H

#include <cstddef>
#include <cstdint>

/// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct FakeLaunchAttribute {
  int id;
  char padding[4];
  char value[64];
};
struct FakeLaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  void *stream;
  FakeLaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CUDA_MEMCPY2D of cuda.h.
struct FakeCopy2D {
  size_t sourceXBytes, sourceY;
  unsigned sourceType;
  const void *sourceHost;
  uint64_t sourceDevice;
  void *sourceArray;
  size_t sourcePitch;
  size_t destinationXBytes, destinationY;
  unsigned destinationType;
  void *destinationHost;
  uint64_t destinationDevice;
  void *destinationArray;
  size_t destinationPitch;
  size_t widthBytes, height;
};

struct FakeDriverState {
  int calls;
  int contexts, pushed, modules, events, allocations; // alive
  int launches;
  int pointerOrdinal;      // of every allocation
  FakeLaunchConfig launch; // the last one
  unsigned cluster[3];
  /// Whether it may begin while the launch before it runs.
  bool isDependent;
};

extern "C" {
FakeDriverState fakeDriverState();
/// Makes the call after the next `after` calls of `symbol` return `code`.
void fakeDriverFail(const char *symbol, int code, int after);
void fakeDriverSetPointerOrdinal(int ordinal);
}

#endif // BSMM_TEST_UNIT_RUNTIME_FAKECUDADRIVER_H
