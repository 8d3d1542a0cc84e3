//===- Device.h - where kernels run -----------------------------*- C++ -*-===//
//
// The seam between the C ABI and its backends. Functions return a status whose
// text has been kept by fail().
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_DEVICE_H
#define BSMM_LIB_RUNTIME_LIBRARY_DEVICE_H

#include "Status.h"
#include "bsmm/Runtime/Artifact.h"
#include <functional>
#include <memory>

namespace bsmm::runtime::library {

/// Memory that a launch uses. Addresses are those of the device: host addresses
/// in the emulator.
struct OperandMemory {
  Role role = Role::A;
  uint64_t address = 0;
  int64_t bytes = 0;
  bool isOutput = false;
};

/// A launch with all its parameters. Immutable: several threads may submit it.
class PreparedLaunch {
public:
  virtual ~PreparedLaunch();
  virtual bsmm_status submit(void *stream) const = 0;
};

/// A kernel on a device.
class LoadedKernel {
public:
  virtual ~LoadedKernel();
  /// Prepares a legal launch that is not empty and whose references are
  /// addresses. The kernel must outlive it.
  virtual bsmm_status
  prepare(const Launch &launch, const std::vector<OperandMemory> &memory,
          std::shared_ptr<const PreparedLaunch> &prepared) const = 0;
  virtual bsmm_kernel_resources resources() const = 0;
};

class Device {
public:
  virtual ~Device();
  virtual bsmm_device_info info() const = 0;
  /// SMs to plan persistent kernels with; 0: those of the target's product.
  virtual int64_t smCount() const = 0;
  /// Why the device cannot run kernels of a target; empty when it can.
  virtual std::string whyNotTarget(const std::string &target) const = 0;

  virtual bsmm_status load(const ArtifactKernel &kernel,
                           std::unique_ptr<LoadedKernel> &loaded) = 0;

  virtual bsmm_status allocate(uint64_t bytes, void *&data) = 0;
  virtual bsmm_status free(void *data) = 0;
  virtual bsmm_status write(void *to, const void *host, uint64_t bytes,
                            void *stream) = 0;
  virtual bsmm_status read(void *host, const void *from, uint64_t bytes,
                           void *stream) = 0;
  virtual bsmm_status fill(void *to, uint8_t value, uint64_t bytes,
                           void *stream) = 0;
  virtual bsmm_status synchronize(void *stream) = 0;

  /// Memory for one launch, taken and given back in the order of a stream.
  virtual bsmm_status allocateTemporary(uint64_t bytes, void *stream,
                                        void *&data) = 0;
  virtual void freeTemporary(void *data, void *stream) = 0;
  /// Copies rows within the device, in the order of a stream.
  virtual bsmm_status copyRows(void *to, uint64_t toPitch, const void *from,
                               uint64_t fromPitch, uint64_t width,
                               uint64_t rows, void *stream) = 0;
  /// Fills rows with a byte, in the order of a stream.
  virtual bsmm_status fillRows(void *to, uint64_t pitch, uint8_t value,
                               uint64_t width, uint64_t rows, void *stream) = 0;
  /// Whether `bytes` at an address can be read by the device.
  virtual bsmm_status checkMemory(const OperandMemory &memory) = 0;

  virtual bsmm_status encodeTensorMap(const TensorMap &map, int l2Promotion,
                                      const std::string &name, void *bytes) = 0;

  /// Times `launch`, see bsmm_kernel_measure.
  virtual bsmm_status measure(const std::function<bsmm_status()> &launch,
                              const bsmm_measure_options &options, void *stream,
                              double *milliseconds, int32_t &measured) = 0;
};

/// An address for operands without memory (K = 0) is this many bytes long.
inline constexpr int64_t emptyOperandBytes = 1024;

bsmm_status openCudaDevice(int32_t ordinal, std::shared_ptr<Device> &device);
bsmm_status openEmulatorDevice(const bsmm_emulator_options &options,
                               std::shared_ptr<Device> &device);

} // namespace bsmm::runtime::library

/// The handle of the C ABI.
struct bsmm_device {
  std::shared_ptr<bsmm::runtime::library::Device> device;
};

#endif // BSMM_LIB_RUNTIME_LIBRARY_DEVICE_H
