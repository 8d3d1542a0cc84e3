//===- Runtime.h - the C ABI for C++ ----------------------------*- C++ -*-===//
//
// Owning handles and results over bsmm_runtime.h, in this header alone. No
// exceptions: a call gives an Outcome, which holds a value or an error.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_RUNTIME_H
#define BSMM_RUNTIME_RUNTIME_H

#include "bsmm/Runtime/bsmm_runtime.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bsmm {

/// Whether a call succeeded, and why not.
class [[nodiscard]] Status {
public:
  Status() = default;
  /// Keeps the text of a call that has just failed in this thread.
  explicit Status(bsmm_status code) : status(code) {
    if (code != BSMM_OK)
      message = bsmm_last_error();
  }
  bool ok() const { return status == BSMM_OK; }
  bsmm_status code() const { return status; }
  const std::string &text() const { return message; }

private:
  bsmm_status status = BSMM_OK;
  std::string message;
};

/// A value, or the status that says why there is none.
template <typename T> class [[nodiscard]] Outcome {
public:
  Outcome(T value) : held(std::move(value)) {}
  Outcome(Status status) : reason(std::move(status)) {
    assert(!reason.ok() && "expected a value of a call that succeeded");
  }
  bool ok() const { return held.has_value(); }
  const Status &status() const { return reason; }
  const std::string &text() const { return reason.text(); }
  T &operator*() {
    assert(held && "no value: look at status()");
    return *held;
  }
  T *operator->() { return &**this; }

private:
  std::optional<T> held;
  Status reason;
};

namespace detail {
struct Closer {
  void operator()(bsmm_artifact *handle) const { bsmm_artifact_close(handle); }
  void operator()(bsmm_device *handle) const { bsmm_device_close(handle); }
  void operator()(bsmm_kernel *handle) const { bsmm_kernel_unload(handle); }
};
template <typename T> using Handle = std::unique_ptr<T, Closer>;
} // namespace detail

class Device;

/// Memory of a device, given back at the end of its life. It must not outlive
/// its device.
class DeviceMemory {
public:
  void *data() const { return address.get(); }
  uint64_t bytes() const { return size; }
  /// Copies all bytes to the device.
  Status write(const void *host, void *stream = nullptr) {
    return Status(bsmm_device_write(device, data(), host, size, stream));
  }
  /// Copies all bytes to the host.
  Status read(void *host, void *stream = nullptr) const {
    return Status(bsmm_device_read(device, host, data(), size, stream));
  }
  Status fill(uint8_t value, void *stream = nullptr) {
    return Status(bsmm_device_fill(device, data(), value, size, stream));
  }

private:
  friend class Device;
  struct Free {
    bsmm_device *device;
    void operator()(void *data) const { bsmm_device_free(device, data); }
  };
  DeviceMemory(bsmm_device *device, void *data, uint64_t bytes)
      : device(device), address(data, Free{device}), size(bytes) {}
  bsmm_device *device;
  std::unique_ptr<void, Free> address;
  uint64_t size;
};

/// A GPU or the emulator.
class Device {
public:
  /// -1: the GPU of the thread's current context, or the first.
  static Outcome<Device> cuda(int32_t ordinal = -1) {
    bsmm_device *opened = nullptr;
    if (bsmm_status status = bsmm_device_open_cuda(ordinal, &opened))
      return Status(status);
    return Device(opened);
  }
  static Outcome<Device>
  emulator(const bsmm_emulator_options &options = BSMM_EMULATOR_OPTIONS_INIT) {
    bsmm_device *opened = nullptr;
    if (bsmm_status status = bsmm_device_open_emulator(&options, &opened))
      return Status(status);
    return Device(opened);
  }
  /// Texts in it live as long as the device.
  bsmm_device_info info() const {
    bsmm_device_info info{};
    info.struct_size = sizeof(info);
    (void)bsmm_device_info_get(get(), &info);
    return info;
  }
  Outcome<DeviceMemory> allocate(uint64_t bytes) {
    void *data = nullptr;
    if (bsmm_status status = bsmm_device_allocate(get(), bytes, &data))
      return Status(status);
    return DeviceMemory(get(), data, bytes);
  }
  Status synchronize(void *stream = nullptr) {
    return Status(bsmm_device_synchronize(get(), stream));
  }
  bsmm_device *get() const { return handle.get(); }

private:
  explicit Device(bsmm_device *opened) : handle(opened) {}
  detail::Handle<bsmm_device> handle;
};

/// Sizes, scalars and operands of a launch.
class Arguments {
public:
  Arguments(int64_t m, int64_t n, int64_t k, int64_t l = 1) {
    values.m = m;
    values.n = n;
    values.k = k;
    values.l = l;
  }
  Arguments &alpha(float value) {
    values.alpha = value;
    return *this;
  }
  Arguments &beta(float value) {
    values.beta = value;
    return *this;
  }
  Arguments &outScale(float value) {
    values.out_scale = value;
    return *this;
  }
  /// CTAs of persistent kernels; 0: the device's SMs.
  Arguments &smCount(int32_t value) {
    values.sm_count = value;
    return *this;
  }
  Arguments &flags(bsmm_launch_flags value) {
    values.flags = value;
    return *this;
  }
  /// Adds an operand; pitch and batch stride of 0 are the defaults.
  Arguments &operand(bsmm_role role, const void *data, int64_t pitch = 0,
                     int64_t batchStride = 0) {
    bsmm_operand operand{};
    operand.role = role;
    operand.data = const_cast<void *>(data);
    operand.pitch = pitch;
    operand.batch_stride = batchStride;
    return add(operand);
  }
  Arguments &operand(bsmm_role role, const DeviceMemory &memory,
                     int64_t pitch = 0, int64_t batchStride = 0) {
    operand(role, memory.data(), pitch, batchStride);
    operands.back().bytes = memory.bytes();
    return *this;
  }
  /// Adds an operand with everything that is known of it.
  Arguments &add(const bsmm_operand &operand) {
    operands.push_back(operand);
    return *this;
  }
  /// Valid until this object changes.
  const bsmm_arguments *get() const {
    values.operands = operands.data();
    values.operand_count = operands.size();
    return &values;
  }

private:
  mutable bsmm_arguments values = BSMM_ARGUMENTS_INIT;
  std::vector<bsmm_operand> operands;
};

/// The kernels of a file.
class Artifact {
public:
  static Outcome<Artifact> open(const std::string &path) {
    bsmm_artifact *opened = nullptr;
    if (bsmm_status status = bsmm_artifact_open(path.c_str(), &opened))
      return Status(status);
    return Artifact(opened);
  }
  static Outcome<Artifact> openMemory(const void *data, size_t bytes) {
    bsmm_artifact *opened = nullptr;
    if (bsmm_status status = bsmm_artifact_open_memory(data, bytes, &opened))
      return Status(status);
    return Artifact(opened);
  }
  size_t size() const { return bsmm_artifact_kernel_count(get()); }
  /// Texts in it live as long as the artifact.
  Outcome<bsmm_kernel_info> info(size_t kernel) const {
    bsmm_kernel_info info{};
    info.struct_size = sizeof(info);
    if (bsmm_status status = bsmm_artifact_kernel_info(get(), kernel, &info))
      return Status(status);
    return info;
  }
  Outcome<bsmm_operand_info> operandInfo(size_t kernel, bsmm_role role) const {
    bsmm_operand_info info{};
    info.struct_size = sizeof(info);
    if (bsmm_status status =
            bsmm_artifact_operand_info(get(), kernel, role, &info))
      return Status(status);
    return info;
  }
  Outcome<bsmm_operand_shape> operandShape(size_t kernel,
                                           const Arguments &arguments,
                                           bsmm_role role) const {
    bsmm_operand_shape shape{};
    shape.struct_size = sizeof(shape);
    if (bsmm_status status = bsmm_artifact_operand_shape(
            get(), kernel, arguments.get(), role, &shape))
      return Status(status);
    return shape;
  }
  Outcome<bsmm_launch_shape> launchShape(size_t kernel,
                                         const Arguments &arguments) const {
    bsmm_launch_shape shape{};
    shape.struct_size = sizeof(shape);
    if (bsmm_status status =
            bsmm_artifact_launch_shape(get(), kernel, arguments.get(), &shape))
      return Status(status);
    return shape;
  }
  /// JSON of everything in the artifact.
  std::string describe() const { return bsmm_artifact_describe(get()); }
  bsmm_artifact *get() const { return handle.get(); }

private:
  explicit Artifact(bsmm_artifact *opened) : handle(opened) {}
  detail::Handle<bsmm_artifact> handle;
};

/// A kernel on a device. It keeps its device and its code.
class Kernel {
public:
  static Outcome<Kernel> load(const Device &device, const Artifact &artifact,
                              size_t index) {
    bsmm_kernel *loaded = nullptr;
    if (bsmm_status status =
            bsmm_kernel_load(device.get(), artifact.get(), index, &loaded))
      return Status(status);
    return Kernel(loaded);
  }
  /// What bsmm_artifact_select finds for the device and the arguments. Empty
  /// name: of any family.
  static Outcome<Kernel> loadBest(const Device &device,
                                  const Artifact &artifact,
                                  const std::string &name,
                                  const Arguments &arguments) {
    bsmm_kernel *loaded = nullptr;
    if (bsmm_status status = bsmm_kernel_load_best(
            device.get(), artifact.get(), name.empty() ? nullptr : name.c_str(),
            arguments.get(), &loaded))
      return Status(status);
    return Kernel(loaded);
  }
  size_t index() const { return bsmm_kernel_index(get()); }
  Status launch(const Arguments &arguments, void *stream = nullptr) {
    return Status(bsmm_kernel_launch(get(), arguments.get(), stream));
  }
  bsmm_kernel_resources resources() const {
    bsmm_kernel_resources resources{};
    resources.struct_size = sizeof(resources);
    (void)bsmm_kernel_resources_get(get(), &resources);
    return resources;
  }
  /// Milliseconds of each launch.
  Outcome<std::vector<double>>
  measure(const Arguments &arguments,
          const bsmm_measure_options &options = BSMM_MEASURE_OPTIONS_INIT,
          void *stream = nullptr) {
    std::vector<double> times(
        options.repetitions > 0 ? static_cast<size_t>(options.repetitions) : 1);
    int32_t measured = 0;
    if (bsmm_status status = bsmm_kernel_measure(
            get(), arguments.get(), &options, stream, times.data(), &measured))
      return Status(status);
    times.resize(static_cast<size_t>(measured));
    return times;
  }
  bsmm_kernel *get() const { return handle.get(); }

private:
  explicit Kernel(bsmm_kernel *loaded) : handle(loaded) {}
  detail::Handle<bsmm_kernel> handle;
};

} // namespace bsmm

#endif // BSMM_RUNTIME_RUNTIME_H
