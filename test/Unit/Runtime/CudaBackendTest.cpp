//===- CudaBackendTest.cpp - the CUDA backend on a fake driver ------------===//

#include "FakeCudaDriver.h"
#include "RuntimeTestKernels.h"
#include "bsmm/Runtime/NumberFormats.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::test;

namespace {
/// Before the library looks for a driver.
const int chosen = setenv("BSMM_CUDA_DRIVER", BSMM_FAKE_DRIVER, 1);

/// What is alive before and after a test must agree.
class CudaBackend : public testing::Test {
protected:
  void SetUp() override { before = fakeDriverState(); }
  void TearDown() override {
    FakeDriverState after = fakeDriverState();
    EXPECT_EQ(after.contexts, before.contexts);
    EXPECT_EQ(after.pushed, before.pushed);
    EXPECT_EQ(after.modules, before.modules);
    EXPECT_EQ(after.events, before.events);
    EXPECT_EQ(after.allocations, before.allocations);
  }
  FakeDriverState before;
};

/// Memory of the device with the contents of a vector.
template <typename T> class DeviceVector {
public:
  DeviceVector(bsmm_device *device, std::vector<T> values)
      : device(device), values(std::move(values)) {
    EXPECT_EQ(bsmm_device_allocate(device, bytes(), &data), BSMM_OK)
        << bsmm_last_error();
    EXPECT_EQ(
        bsmm_device_write(device, data, this->values.data(), bytes(), nullptr),
        BSMM_OK);
  }
  ~DeviceVector() { EXPECT_EQ(bsmm_device_free(device, data), BSMM_OK); }
  DeviceVector(const DeviceVector &) = delete;
  DeviceVector &operator=(const DeviceVector &) = delete;
  const std::vector<T> &read() {
    EXPECT_EQ(bsmm_device_read(device, values.data(), data, bytes(), nullptr),
              BSMM_OK);
    return values;
  }
  uint64_t bytes() const { return values.size() * sizeof(T); }
  bsmm_device *device;
  std::vector<T> values;
  void *data = nullptr;
};

/// Opens GPU 0 and loads a kernel of the test artifact.
void load(Handles &handles, const char *name) {
  std::string bytes = testArtifact();
  ASSERT_EQ(
      bsmm_artifact_open_memory(bytes.data(), bytes.size(), &handles.artifact),
      BSMM_OK);
  ASSERT_EQ(bsmm_device_open_cuda(0, &handles.device), BSMM_OK)
      << bsmm_last_error();
  ASSERT_EQ(bsmm_kernel_load_best(handles.device, handles.artifact, name,
                                  nullptr, &handles.kernel),
            BSMM_OK)
      << bsmm_last_error();
}

/// A launch of count_rows with 16 rows.
struct Counting {
  explicit Counting(Handles &handles)
      : d(handles.device, std::vector<float>(16 * 16, -1)) {
    operands[0] = operand(BSMM_ROLE_D, d.data);
    arguments.m = arguments.n = 16;
    arguments.operands = operands;
    arguments.operand_count = 1;
  }
  DeviceVector<float> d;
  bsmm_operand operands[1];
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
};
} // namespace

TEST_F(CudaBackend, DescribesDevices) {
  ASSERT_EQ(chosen, 0);
  int32_t count = 0;
  ASSERT_EQ(bsmm_cuda_device_count(&count), BSMM_OK) << bsmm_last_error();
  EXPECT_EQ(count, 2);
  EXPECT_EQ(bsmm_cuda_device_count(nullptr), BSMM_INVALID_ARGUMENT);
  bsmm_device *device = nullptr;
  ASSERT_EQ(bsmm_device_open_cuda(-1, &device), BSMM_OK) << bsmm_last_error();
  bsmm_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(bsmm_device_info_get(device, &info), BSMM_OK);
  EXPECT_EQ(info.backend, BSMM_BACKEND_CUDA);
  EXPECT_EQ(info.ordinal, 0);
  EXPECT_STREQ(info.name, "Fake H200");
  EXPECT_STREQ(info.target, "sm_90a");
  EXPECT_EQ(info.sm_count, 4);
  EXPECT_EQ(info.driver_version, 13000);
  EXPECT_EQ(info.l2_bytes, 1 << 16);
  EXPECT_EQ(info.memory_bytes, int64_t(1) << 30);
  bsmm_device_close(device);
  EXPECT_EQ(bsmm_device_open_cuda(2, &device), BSMM_NO_DEVICE);
  EXPECT_EQ(std::string(bsmm_last_error()),
            "expected a GPU of the 2 that the driver shows, got number 2");
  EXPECT_EQ(bsmm_device_open_cuda(-2, &device), BSMM_NO_DEVICE);
}

/// A GPU without a target of bsmm runs nothing and says so.
TEST_F(CudaBackend, RefusesUnknownGpus) {
  Handles handles;
  std::string bytes = testArtifact();
  ASSERT_EQ(
      bsmm_artifact_open_memory(bytes.data(), bytes.size(), &handles.artifact),
      BSMM_OK);
  ASSERT_EQ(bsmm_device_open_cuda(1, &handles.device), BSMM_OK);
  EXPECT_EQ(bsmm_kernel_load_best(handles.device, handles.artifact, nullptr,
                                  nullptr, &handles.kernel),
            BSMM_NOT_FOUND);
  EXPECT_EQ(std::string(bsmm_last_error()),
            "Fake H200 runs kernels for compute capability 8.0, which bsmm "
            "does not know");
  EXPECT_EQ(
      bsmm_kernel_load(handles.device, handles.artifact, 0, &handles.kernel),
      BSMM_NOT_FOUND);
}

/// Tensor maps, sizes and scalars arrive in the kernel.
TEST_F(CudaBackend, LaunchesWithTensorMaps) {
  Handles handles;
  load(handles, "scale_tma");
  if (HasFatalFailure())
    return;
  bsmm_kernel_resources resources{};
  resources.struct_size = sizeof(resources);
  ASSERT_EQ(bsmm_kernel_resources_get(handles.kernel, &resources), BSMM_OK);
  EXPECT_EQ(resources.registers, 40);
  EXPECT_FALSE(resources.is_cubin);
  std::vector<uint16_t> codes(2 * 40 * 80);
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<uint16_t>(
        encode(target::ElementType::F16, double(i % 1024), Overflow::Infinity));
  DeviceVector<uint16_t> a(handles.device, codes);
  DeviceVector<uint16_t> d(handles.device, std::vector<uint16_t>(2 * 40 * 80));
  bsmm_operand operands[] = {operand(BSMM_ROLE_A, a.data),
                             operand(BSMM_ROLE_D, d.data)};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = 40;
  arguments.n = arguments.k = 80;
  arguments.l = 2;
  arguments.alpha = 2;
  arguments.operands = operands;
  arguments.operand_count = 2;
  int stream;
  ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, &stream), BSMM_OK)
      << bsmm_last_error();
  FakeDriverState state = fakeDriverState();
  EXPECT_EQ(state.launch.stream, &stream);
  EXPECT_EQ(state.launch.grid[0], 2u);
  EXPECT_EQ(state.launch.grid[1], 2u);
  EXPECT_EQ(state.launch.grid[2], 2u);
  EXPECT_EQ(state.launch.block[0], 128u);
  EXPECT_EQ(state.launch.sharedBytes, 4112u);
  EXPECT_EQ(state.launch.numAttributes, 0u);
  std::vector<uint16_t> got = d.read();
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(decode(target::ElementType::F16, got[i]), 2.0 * double(i % 1024));
}

/// A launch seen before asks the driver for one thing: the launch.
TEST_F(CudaBackend, RepeatedLaunchesAreCheap) {
  Handles handles;
  load(handles, "scale_tma");
  if (HasFatalFailure())
    return;
  DeviceVector<uint16_t> a(handles.device, std::vector<uint16_t>(32 * 64, 1));
  DeviceVector<uint16_t> d(handles.device, std::vector<uint16_t>(32 * 64));
  bsmm_operand operands[] = {operand(BSMM_ROLE_A, a.data),
                             operand(BSMM_ROLE_D, d.data)};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = 32;
  arguments.n = arguments.k = 64;
  arguments.operands = operands;
  arguments.operand_count = 2;
  auto callsOfALaunch = [&] {
    int calls = fakeDriverState().calls;
    EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr), BSMM_OK)
        << bsmm_last_error();
    return fakeDriverState().calls - calls;
  };
  EXPECT_GT(callsOfALaunch(), 3);
  // Push, launch, pop.
  EXPECT_EQ(callsOfALaunch(), 3);
  arguments.alpha = 3;
  EXPECT_GT(callsOfALaunch(), 3);
  EXPECT_EQ(callsOfALaunch(), 3);
  arguments.alpha = 1;
  EXPECT_EQ(callsOfALaunch(), 3);
  // More arguments than are kept, then the first again.
  for (int i = 0; i < 100; ++i) {
    arguments.alpha = float(i + 10);
    callsOfALaunch();
  }
  arguments.alpha = 1;
  EXPECT_GT(callsOfALaunch(), 3);
}

TEST_F(CudaBackend, PersistentGridsUseTheDevicesSMs) {
  std::string manifest = readKernelFile("count_rows.json");
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  std::string rule = "\"rule\": \"tile\"";
  manifest.replace(manifest.find(rule), rule.size(),
                   "\"rule\": \"persistent\"");
  std::string cluster = "\"cluster\": [1, 1, 1]";
  manifest.replace(manifest.find(cluster), cluster.size(),
                   "\"cluster\": [2, 1, 1]");
  bsmm_artifact_entry entry = {nullptr, manifest.c_str(), ptx.c_str(), nullptr,
                               0};
  Handles handles;
  handles.openWritten(&entry, 1);
  ASSERT_EQ(bsmm_device_open_cuda(0, &handles.device), BSMM_OK);
  ASSERT_EQ(
      bsmm_kernel_load(handles.device, handles.artifact, 0, &handles.kernel),
      BSMM_OK)
      << bsmm_last_error();
  Counting counting(handles);
  ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
            BSMM_OK)
      << bsmm_last_error();
  FakeDriverState state = fakeDriverState();
  EXPECT_EQ(state.launch.grid[0], 4u);
  EXPECT_EQ(state.launch.numAttributes, 1u);
  EXPECT_EQ(state.cluster[0], 2u);
  EXPECT_FALSE(state.isDependent);
  counting.arguments.sm_count = 2;
  ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
            BSMM_OK);
  EXPECT_EQ(fakeDriverState().launch.grid[0], 2u);
}

/// A kernel that waits for the launch before it itself is launched so, with a
/// cluster and without.
TEST_F(CudaBackend, DependentLaunches) {
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  for (bool hasCluster : {false, true}) {
    std::string manifest = readKernelFile("count_rows.json");
    manifest.replace(manifest.find("\"params\""), 0,
                     "\"dependent_launch\": true, ");
    std::string cluster = "\"cluster\": [1, 1, 1]";
    if (hasCluster)
      manifest.replace(manifest.find(cluster), cluster.size(),
                       "\"cluster\": [2, 1, 1]");
    bsmm_artifact_entry entry = {nullptr, manifest.c_str(), ptx.c_str(),
                                 nullptr, 0};
    Handles handles;
    handles.openWritten(&entry, 1);
    ASSERT_EQ(bsmm_device_open_cuda(0, &handles.device), BSMM_OK);
    ASSERT_EQ(
        bsmm_kernel_load(handles.device, handles.artifact, 0, &handles.kernel),
        BSMM_OK)
        << bsmm_last_error();
    Counting counting(handles);
    ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
              BSMM_OK)
        << bsmm_last_error();
    FakeDriverState state = fakeDriverState();
    EXPECT_EQ(state.launch.numAttributes, hasCluster ? 2u : 1u);
    EXPECT_EQ(state.cluster[0], hasCluster ? 2u : 1u);
    EXPECT_TRUE(state.isDependent);
  }
}

TEST_F(CudaBackend, TemporaryWorkspace) {
  Handles handles;
  load(handles, "count_rows");
  if (HasFatalFailure())
    return;
  Counting counting(handles);
  int allocations = fakeDriverState().allocations;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
              BSMM_OK)
        << bsmm_last_error();
    for (float value : counting.d.read())
      ASSERT_EQ(value, 0);
    EXPECT_EQ(fakeDriverState().allocations, allocations);
  }
  fakeDriverFail("cuMemAllocAsync", 2, 0);
  EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
            BSMM_OUT_OF_MEMORY);
  EXPECT_EQ(std::string(bsmm_last_error()),
            "cuMemAllocAsync: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(CudaBackend, RepacksOnTheDevice) {
  Handles handles;
  load(handles, "gemm_fp8");
  if (HasFatalFailure())
    return;
  // Row r of A has the value 1 in its column r alone; B counts. Rows are 40
  // bytes apart, which TMA cannot read.
  const int64_t size = 24, pitch = 40;
  std::vector<uint8_t> codesA(size_t(size * pitch), 0xFF),
      codesB(size_t(size * pitch), 0xFF);
  for (int64_t row = 0; row < size; ++row)
    for (int64_t k = 0; k < size; ++k) {
      codesA[size_t(row * pitch + k)] = row == k ? 0x38 : 0;
      codesB[size_t(row * pitch + k)] = static_cast<uint8_t>(
          encode(target::ElementType::E4M3, double((row + 3 * k) % 16),
                 Overflow::Saturate));
    }
  DeviceVector<uint8_t> a(handles.device, codesA), b(handles.device, codesB);
  DeviceVector<float> ones(handles.device, std::vector<float>(size, 1));
  DeviceVector<float> zeros(handles.device, std::vector<float>(size, 0));
  DeviceVector<uint16_t> d(handles.device, std::vector<uint16_t>(size * size));
  bsmm_operand operands[] = {
      operand(BSMM_ROLE_A, a.data, pitch), operand(BSMM_ROLE_B, b.data, pitch),
      operand(BSMM_ROLE_D, d.data),        operand(BSMM_ROLE_SA, ones.data),
      operand(BSMM_ROLE_SB, ones.data),    operand(BSMM_ROLE_BIAS, zeros.data)};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = arguments.n = arguments.k = size;
  arguments.operands = operands;
  arguments.operand_count = 6;
  EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
            BSMM_UNSUPPORTED_PROBLEM);
  arguments.flags = BSMM_REPACK;
  ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr), BSMM_OK)
      << bsmm_last_error();
  std::vector<uint16_t> got = d.read();
  for (int64_t row = 0; row < size; ++row)
    for (int64_t column = 0; column < size; ++column)
      ASSERT_EQ(
          decode(target::ElementType::BF16, got[size_t(row * size + column)]),
          double((column + 3 * row) % 16));
}

/// Wrong pointers are found before the GPU finds them.
TEST_F(CudaBackend, ChecksMemory) {
  Handles handles;
  load(handles, "count_rows");
  if (HasFatalFailure())
    return;
  Counting counting(handles);
  auto launch = [&] {
    EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
              BSMM_INVALID_ARGUMENT);
    return std::string(bsmm_last_error());
  };
  alignas(16) float host[256];
  counting.operands[0].data = host;
  EXPECT_EQ(launch(),
            "d: expected memory of the GPU, got an address that the CUDA "
            "driver does not know; copy the operand to the GPU first");
  counting.operands[0].data = static_cast<float *>(counting.d.data) + 16;
  EXPECT_EQ(launch(),
            "d: expected 1024 bytes for these sizes and strides, got an "
            "address with 960 bytes up to the end of its allocation");
  counting.operands[0].data = counting.d.data;
  fakeDriverSetPointerOrdinal(1);
  EXPECT_EQ(launch(), "d: expected memory of GPU 0, where the kernel runs, got "
                      "memory of GPU 1");
  fakeDriverSetPointerOrdinal(0);
}

TEST_F(CudaBackend, ReportsDriverErrors) {
  Handles handles;
  load(handles, "count_rows");
  if (HasFatalFailure())
    return;
  Counting counting(handles);
  auto launch = [&](bsmm_status status) {
    EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
              status);
    return std::string(bsmm_last_error());
  };
  fakeDriverFail("cuLaunchKernelEx", 1, 0);
  EXPECT_EQ(launch(BSMM_DRIVER_ERROR),
            "launching 'count_rows': cuLaunchKernelEx: "
            "CUDA_ERROR_INVALID_VALUE (invalid argument)");
  fakeDriverFail("cuCtxPushCurrent_v2", 201, 0);
  EXPECT_EQ(launch(BSMM_DRIVER_ERROR),
            "cuCtxPushCurrent: CUDA_ERROR_INVALID_CONTEXT");
  fakeDriverFail("cuStreamSynchronize", 700, 0);
  EXPECT_EQ(bsmm_device_synchronize(handles.device, nullptr),
            BSMM_DRIVER_ERROR);
  EXPECT_EQ(std::string(bsmm_last_error()),
            "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
  fakeDriverFail("cuStreamSynchronize", 12345, 0);
  EXPECT_EQ(bsmm_device_synchronize(handles.device, nullptr),
            BSMM_DRIVER_ERROR);
  EXPECT_EQ(std::string(bsmm_last_error()),
            "cuStreamSynchronize: CUDA error 12345");
}

/// Whatever fails while a device is opened or a kernel loaded, nothing stays.
TEST_F(CudaBackend, FailuresLeaveNothingBehind) {
  std::string bytes = testArtifact();
  for (const char *symbol :
       {"cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain",
        "cuDeviceGetAttribute", "cuDeviceGetName", "cuDeviceTotalMem_v2",
        "cuDriverGetVersion"}) {
    bsmm_device *device = nullptr;
    fakeDriverFail(symbol, 1, 0);
    EXPECT_EQ(bsmm_device_open_cuda(0, &device), BSMM_DRIVER_ERROR) << symbol;
    EXPECT_EQ(device, nullptr);
    EXPECT_EQ(fakeDriverState().contexts, before.contexts) << symbol;
  }
  Handles handles;
  ASSERT_EQ(
      bsmm_artifact_open_memory(bytes.data(), bytes.size(), &handles.artifact),
      BSMM_OK);
  ASSERT_EQ(bsmm_device_open_cuda(0, &handles.device), BSMM_OK);
  for (const char *symbol :
       {"cuCtxPushCurrent_v2", "cuModuleLoadDataEx", "cuModuleGetFunction",
        "cuFuncGetAttribute", "cuFuncSetAttribute"}) {
    fakeDriverFail(symbol, 1, 0);
    EXPECT_EQ(
        bsmm_kernel_load(handles.device, handles.artifact, 0, &handles.kernel),
        BSMM_DRIVER_ERROR)
        << symbol;
    EXPECT_EQ(fakeDriverState().modules, before.modules) << symbol;
    EXPECT_EQ(fakeDriverState().pushed, before.pushed) << symbol;
  }
}

TEST_F(CudaBackend, RefusesCodeThatDoesNotFit) {
  std::string manifest = readKernelFile("count_rows.json");
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  auto with = [&](const std::string &from, const std::string &to) {
    std::string text = manifest;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  // The fake's kernels allow 512 threads.
  std::string wide = with("\"block\": [256, 1, 1]", "\"block\": [1024, 1, 1]");
  std::string renamed = with("\"count_rows\"", "\"count\"");
  bsmm_artifact_entry entries[] = {
      {nullptr, wide.c_str(), ptx.c_str(), nullptr, 0},
      {nullptr, renamed.c_str(), ptx.c_str(), nullptr, 0},
      {nullptr, manifest.c_str(), "no PTX", nullptr, 0}};
  Handles handles;
  handles.openWritten(entries, 3);
  ASSERT_EQ(bsmm_device_open_cuda(0, &handles.device), BSMM_OK);
  auto load = [&](size_t index) {
    EXPECT_EQ(bsmm_kernel_load(handles.device, handles.artifact, index,
                               &handles.kernel),
              BSMM_DRIVER_ERROR);
    return std::string(bsmm_last_error());
  };
  EXPECT_EQ(load(0).find("count_rows: expected code for the manifest's 1024 "
                         "threads, got code whose registers allow 512"),
            0u)
      << bsmm_last_error();
  EXPECT_EQ(load(1).find("count: the code has no entry 'count'"), 0u)
      << bsmm_last_error();
  EXPECT_NE(load(2).find("ptxas fatal: no PTX"), std::string::npos)
      << bsmm_last_error();
}

TEST_F(CudaBackend, MeasuresWithEvents) {
  Handles handles;
  load(handles, "count_rows");
  if (HasFatalFailure())
    return;
  Counting counting(handles);
  bsmm_measure_options options = BSMM_MEASURE_OPTIONS_INIT;
  options.warmup = 2;
  options.repetitions = 4;
  double times[4] = {};
  int32_t measured = 0;
  int launches = fakeDriverState().launches;
  ASSERT_EQ(bsmm_kernel_measure(handles.kernel, &counting.arguments, &options,
                                nullptr, times, &measured),
            BSMM_OK)
      << bsmm_last_error();
  EXPECT_EQ(measured, 4);
  EXPECT_EQ(fakeDriverState().launches - launches, 6);
  // The fake's clock.
  for (double time : times)
    EXPECT_EQ(time, 1.5);
  for (const char *symbol :
       {"cuEventCreate", "cuMemAlloc_v2", "cuEventRecord", "cuLaunchKernelEx",
        "cuEventSynchronize", "cuEventElapsedTime", "cuMemsetD8Async"}) {
    fakeDriverFail(symbol, 700, 0);
    EXPECT_EQ(bsmm_kernel_measure(handles.kernel, &counting.arguments, &options,
                                  nullptr, times, &measured),
              BSMM_DRIVER_ERROR)
        << symbol;
    EXPECT_EQ(fakeDriverState().events, before.events) << symbol;
  }
}

TEST_F(CudaBackend, ThreadsShareAKernel) {
  Handles handles;
  load(handles, "count_rows");
  if (HasFatalFailure())
    return;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Counting counting(handles);
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(
            bsmm_kernel_launch(handles.kernel, &counting.arguments, nullptr),
            BSMM_OK)
            << bsmm_last_error();
        EXPECT_EQ(counting.d.read()[17], 0);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CudaBackend, EncodesTensorMaps) {
  Handles handles;
  ASSERT_EQ(bsmm_device_open_cuda(0, &handles.device), BSMM_OK);
  bsmm_tensor_map map{};
  map.struct_size = sizeof(map);
  map.address = 4096;
  map.rank = 2;
  map.dims[0] = map.dims[1] = 64;
  map.strides_bytes[0] = 64;
  map.box[0] = map.box[1] = 32;
  alignas(64) unsigned char bytes[128];
  EXPECT_EQ(bsmm_tensor_map_encode(handles.device, &map, "a", bytes), BSMM_OK)
      << bsmm_last_error();
  // sm_90a has no 4-bit maps.
  map.element = 13;
  EXPECT_EQ(bsmm_tensor_map_encode(handles.device, &map, "a", bytes),
            BSMM_UNSUPPORTED_PROBLEM);
  EXPECT_EQ(std::string(bsmm_last_error()).find("a.element: expected"), 0u);
  map.element = 0;
  fakeDriverFail("cuTensorMapEncodeTiled", 1, 0);
  EXPECT_EQ(bsmm_tensor_map_encode(handles.device, &map, "a", bytes),
            BSMM_DRIVER_ERROR);
  EXPECT_EQ(bsmm_tensor_map_encode(handles.device, &map, "a", bytes + 1),
            BSMM_INVALID_ARGUMENT);
}
