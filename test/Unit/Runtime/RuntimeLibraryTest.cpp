//===- RuntimeLibraryTest.cpp - launches through the C ABI ----------------===//

#include "RuntimeTestKernels.h"
#include "bsmm/Runtime/HostGemm.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::test;

namespace {
double half(uint16_t code) { return decode(target::ElementType::F16, code); }

/// Random finite f16 codes.
std::vector<uint16_t> halves(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<uint16_t> values(count);
  for (uint16_t &value : values)
    do
      value = static_cast<uint16_t>(random.next());
    while (!std::isfinite(half(value)));
  return values;
}

/// The error of a call, whose status must be `status`.
std::string errorOf(bsmm_status got, bsmm_status status) {
  EXPECT_EQ(got, status) << bsmm_status_name(got) << ": " << bsmm_last_error();
  return got == BSMM_OK ? "" : bsmm_last_error();
}

/// Memory at an address that is `shift` bytes beyond a multiple of 1024.
class ShiftedMemory {
public:
  ShiftedMemory(size_t bytes, size_t shift, uint8_t fill)
      : storage(bytes + shift + 2048, fill) {
    auto base = reinterpret_cast<uintptr_t>(storage.data());
    begin = storage.data() + ((base + 1023) / 1024 * 1024 - base) + shift;
  }
  template <typename T> T *as() { return reinterpret_cast<T *>(begin); }

private:
  std::vector<uint8_t> storage;
  uint8_t *begin;
};
} // namespace

/// D = alpha * A over shapes whose tiles are partly outside, with pitches and
/// batches; nothing else changes.
TEST(RuntimeLibrary, ScalesThroughTensorMaps) {
  Handles handles;
  handles.loadInEmulator("scale_tma");
  struct Case {
    int64_t m, n, l, pitchA, pitchD;
  };
  for (Case test : {Case{32, 64, 1, 0, 0}, Case{1, 8, 1, 16, 24},
                    Case{33, 72, 2, 80, 88}, Case{100, 200, 3, 208, 0}}) {
    int64_t pitchA = test.pitchA ? test.pitchA : test.n;
    int64_t pitchD = test.pitchD ? test.pitchD : test.n;
    std::vector<uint16_t> a = halves(7, size_t(test.l * test.m * pitchA));
    std::vector<uint16_t> d(size_t(test.l * test.m * pitchD), 0x7E5A);
    bsmm_operand operands[] = {operand(BSMM_ROLE_A, a.data(), test.pitchA),
                               operand(BSMM_ROLE_D, d.data(), test.pitchD)};
    operands[0].bytes = a.size() * 2;
    operands[1].bytes = d.size() * 2;
    bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
    arguments.m = test.m;
    arguments.n = arguments.k = test.n;
    arguments.l = test.l;
    arguments.alpha = 0.5f;
    arguments.operands = operands;
    arguments.operand_count = 2;
    // Twice: the second launch finds what the first one has prepared.
    for (int launch = 0; launch < 2; ++launch) {
      ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
                BSMM_OK)
          << bsmm_last_error();
      for (int64_t row = 0; row < test.l * test.m; ++row)
        for (int64_t column = 0; column < pitchD; ++column) {
          uint16_t got = d[size_t(row * pitchD + column)];
          if (column >= test.n) {
            ASSERT_EQ(got, 0x7E5A) << row << " " << column;
            continue;
          }
          double exact = half(a[size_t(row * pitchA + column)]) * 0.5;
          ASSERT_EQ(got,
                    encode(target::ElementType::F16, exact, Overflow::Infinity))
              << row << " " << column;
        }
    }
  }
}

namespace {
struct GemmCase {
  int64_t m, n, k, l;
  int64_t pitchA = 0, pitchB = 0, pitchD = 0;
  size_t shiftD = 0;
  bsmm_launch_flags flags = 0;
};

/// Runs gemm_fp8 on random codes and compares every output with the float64
/// reference.
void runGemm(bsmm_kernel *kernel, const GemmCase &test, uint64_t seed) {
  SCOPED_TRACE("M " + std::to_string(test.m) + " N " + std::to_string(test.n) +
               " K " + std::to_string(test.k) + " L " + std::to_string(test.l));
  int64_t pitchA = test.pitchA ? test.pitchA : (test.k + 15) / 16 * 16;
  int64_t pitchB = test.pitchB ? test.pitchB : (test.k + 15) / 16 * 16;
  int64_t pitchD = test.pitchD ? test.pitchD : (test.n + 7) / 8 * 8;
  Random random(seed);
  auto codes = [&](int64_t rows, int64_t pitch) {
    RowsShape shape;
    shape.type = target::ElementType::E4M3;
    shape.rows = rows;
    shape.columns = test.k;
    shape.pitch = pitch;
    shape.batches = test.l;
    shape.batchStride = rows * pitch;
    return randomRows(random, shape);
  };
  std::vector<uint8_t> a = codes(test.m, pitchA), b = codes(test.n, pitchB);
  auto floats = [&](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      value = std::ldexp(static_cast<float>(random.below(2001)) - 1000, -10);
    return values;
  };
  std::vector<float> sa = floats(test.m), sb = floats(test.n);
  std::vector<float> bias = floats(test.n);
  size_t outputs = size_t(test.l * test.m * pitchD);
  ShiftedMemory memory(outputs * 2, test.shiftD, 0x5A);
  auto *d = memory.as<uint16_t>();

  bsmm_operand operands[] = {operand(BSMM_ROLE_A, a.data(), test.pitchA),
                             operand(BSMM_ROLE_B, b.data(), test.pitchB),
                             operand(BSMM_ROLE_D, d, test.pitchD),
                             operand(BSMM_ROLE_SA, sa.data()),
                             operand(BSMM_ROLE_SB, sb.data()),
                             operand(BSMM_ROLE_BIAS, bias.data())};
  operands[0].element = operands[1].element = BSMM_E4M3;
  operands[2].element = BSMM_BF16;
  for (int i = 3; i < 6; ++i)
    operands[i].element = BSMM_F32;
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = test.m;
  arguments.n = test.n;
  arguments.k = test.k;
  arguments.l = test.l;
  arguments.alpha = 0.75f;
  arguments.operands = operands;
  arguments.operand_count = 6;
  arguments.flags = test.flags;
  ASSERT_EQ(bsmm_kernel_launch(kernel, &arguments, nullptr), BSMM_OK)
      << bsmm_last_error();

  HostGemm gemm;
  gemm.m = test.m;
  gemm.n = test.n;
  gemm.k = test.k;
  gemm.l = test.l;
  gemm.a = {
      {a.data(), a.size()}, target::ElementType::E4M3, pitchA, test.m * pitchA};
  gemm.b = {
      {b.data(), b.size()}, target::ElementType::E4M3, pitchB, test.n * pitchB};
  gemm.sa = sa.data();
  gemm.saCount = test.m;
  gemm.sb = sb.data();
  gemm.sbCount = test.n;
  gemm.alpha = 0.75f;
  gemm.bias = {reinterpret_cast<const uint8_t *>(bias.data()), bias.size() * 4};
  gemm.biasType = target::ElementType::F32;
  gemm.outType = target::ElementType::BF16;
  HostGemmOptions options;
  options.magnitudes = true;
  Result<HostGemmResult> expected = computeHostGemm(gemm, options);
  ASSERT_TRUE(bool(expected)) << expected.error();
  for (int64_t row = 0; row < test.l * test.m; ++row)
    for (int64_t column = 0; column < pitchD; ++column) {
      uint16_t code = d[row * pitchD + column];
      if (column >= test.n) {
        ASSERT_EQ(code, 0x5A5A) << row << " " << column;
        continue;
      }
      size_t index = size_t(row * test.n + column);
      double got = decode(target::ElementType::BF16, code);
      double exact = expected->exact[index];
      // K fused steps of f32, four more roundings, then one to bf16.
      double factor =
          std::fabs(0.75 * sa[size_t(row % test.m)] * sb[size_t(column)]);
      double slack = double(test.k + 4) * 0x1p-24 *
                     (expected->sumOfMagnitudes[index] * factor +
                      std::fabs(bias[size_t(column)]));
      ASSERT_LE(std::fabs(got - exact), slack + 0x1.01p-8 * std::fabs(exact))
          << row << " " << column << ": got " << got << ", expected " << exact;
    }
}
} // namespace

TEST(RuntimeLibrary, MultipliesWithPointersAndScales) {
  for (const char *mode : {"eager", "lazy", "random:5"}) {
    bsmm_emulator_options options = BSMM_EMULATOR_OPTIONS_INIT;
    options.mode = mode;
    Handles handles;
    handles.loadInEmulator("gemm_fp8", &options);
    runGemm(handles.kernel, {32, 32, 64, 1}, 1);
    runGemm(handles.kernel, {1, 1, 16, 1}, 2);
    runGemm(handles.kernel, {33, 70, 144, 2, 160, 0, 71}, 3);
    // Rows and base of D are only element-aligned.
    runGemm(handles.kernel, {5, 7, 48, 3, 0, 64, 7, 6}, 4);
    // No values along K: D is the bias.
    runGemm(handles.kernel, {9, 9, 0, 1}, 5);
  }
}

/// Operands that TMA cannot read are refused, or copied when that is allowed.
TEST(RuntimeLibrary, RepacksWhatTmaCannotRead) {
  Handles handles;
  handles.loadInEmulator("gemm_fp8");
  std::vector<std::string> texts;
  bsmm_set_log(
      [](void *user, bsmm_log_level, const char *text) {
        static_cast<std::vector<std::string> *>(user)->push_back(text);
      },
      &texts);
  runGemm(handles.kernel, {10, 12, 51, 1, 51, 53, 0, 0, BSMM_REPACK}, 6);
  runGemm(handles.kernel, {10, 12, 51, 3, 51, 0, 13, 2, BSMM_REPACK}, 7);
  bsmm_set_log(nullptr, nullptr);
  size_t repacked = 0;
  for (const std::string &text : texts)
    repacked += text.find("repacked") != std::string::npos;
  EXPECT_EQ(repacked, 3u);
}

TEST(RuntimeLibrary, WorkspaceIsZeroedBeforeEachLaunch) {
  Handles handles;
  handles.loadInEmulator("count_rows");
  std::vector<float> d(37 * 204, -1);
  std::vector<uint32_t> workspace(37, 0xFFFFFFFF);
  bsmm_operand operands[] = {operand(BSMM_ROLE_D, d.data()),
                             operand(BSMM_ROLE_WORKSPACE, workspace.data())};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = 37;
  arguments.n = 201;
  arguments.operands = operands;
  bsmm_launch_shape shape{};
  shape.struct_size = sizeof(shape);
  ASSERT_EQ(bsmm_artifact_launch_shape(handles.artifact, 2, &arguments, &shape),
            BSMM_OK)
      << bsmm_last_error();
  EXPECT_EQ(shape.workspace_bytes, 37 * 4);
  EXPECT_EQ(shape.grid[0], 37u);
  for (size_t count : {size_t(1), size_t(2), size_t(2)}) {
    std::fill(d.begin(), d.end(), -1.0f);
    arguments.operand_count = count;
    ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr), BSMM_OK)
        << bsmm_last_error();
    for (int64_t row = 0; row < 37; ++row)
      for (int64_t column = 0; column < 204; ++column)
        ASSERT_EQ(d[size_t(row * 204 + column)], column < 201 ? 0.0f : -1.0f);
  }
  EXPECT_EQ(workspace[36], 1u);
}

/// Every refusal names the operand and says what to do.
TEST(RuntimeLibrary, RefusesWithTheReason) {
  Handles handles;
  handles.loadInEmulator("gemm_fp8");
  std::vector<uint8_t> a(64 * 64), b(64 * 64);
  std::vector<float> vector(64);
  ShiftedMemory out(64 * 64 * 2, 0, 0);
  std::vector<bsmm_operand> operands;
  bsmm_arguments arguments;
  auto reset = [&] {
    auto *aligned = reinterpret_cast<uint8_t *>(
        (reinterpret_cast<uintptr_t>(a.data()) + 15) / 16 * 16);
    operands = {operand(BSMM_ROLE_A, aligned),
                operand(BSMM_ROLE_B, aligned),
                operand(BSMM_ROLE_D, out.as<void>()),
                operand(BSMM_ROLE_SA, vector.data()),
                operand(BSMM_ROLE_SB, vector.data()),
                operand(BSMM_ROLE_BIAS, vector.data())};
    arguments = BSMM_ARGUMENTS_INIT;
    arguments.m = arguments.n = arguments.k = 32;
    arguments.operands = operands.data();
    arguments.operand_count = operands.size();
  };
  auto launch = [&](bsmm_status status) {
    return errorOf(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
                   status);
  };
  reset();
  launch(BSMM_OK);
  reset();
  arguments.m = 0;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "M: expected 1 to 2147483647, got 0");
  reset();
  arguments.k = -1;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "K: expected 0 to 2147483647, got -1");
  reset();
  arguments.beta = 1;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "beta: expected 0, since this kernel takes no beta, got 1.000000");
  reset();
  operands[0].element = BSMM_BF16;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "a: expected e4m3, which the kernel reads, got bf16; convert the "
            "operand first, its bits are not reinterpreted");
  reset();
  operands[0].element = BSMM_E5M2;
  EXPECT_NE(launch(BSMM_UNSUPPORTED_PROBLEM), "");
  reset();
  operands[2].element = BSMM_F16;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "d: expected bf16, which the kernel reads, got f16; choose a "
            "kernel with that type");
  reset();
  operands[3].layout = BSMM_LAYOUT_ROWS;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "sa: expected layout vector, got rows (linear)");
  reset();
  operands[0].pitch = 24;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "a: expected a pitch of at least the 32 elements of a row, got 24");
  reset();
  operands[0].pitch = 40;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "a.strides_bytes[0]: expected a multiple of 16 bytes for u8, got "
            "40; the next one is 48");
  reset();
  operands[0].data = static_cast<uint8_t *>(operands[0].data) + 8;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "a: expected an address that is a multiple of 16 bytes, as TMA "
            "needs, got 8 bytes more; give aligned memory, or set BSMM_REPACK "
            "for a copy");
  reset();
  operands[2].data = static_cast<uint8_t *>(operands[2].data) + 1;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "d: expected an address that is a multiple of 2 bytes, got 1 "
            "bytes more");
  reset();
  operands[1].bytes = 1023;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "b: expected at least 1024 bytes for these sizes and strides, got "
            "1023");
  reset();
  operands[1].data = nullptr;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM), "b: expected memory, got NULL");
  reset();
  --arguments.operand_count;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "bias: expected this operand, got none");
  reset();
  operands[5].role = BSMM_ROLE_SFA;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "sfa: expected an operand of this kernel, which takes none of this "
            "role");
  reset();
  operands[5].role = BSMM_ROLE_A;
  EXPECT_EQ(launch(BSMM_INVALID_ARGUMENT),
            "a: expected each operand once, got it twice");
  reset();
  operands[5].role = 99;
  EXPECT_EQ(launch(BSMM_INVALID_ARGUMENT),
            "arguments.operands[5].role: expected a role, got 99");
  reset();
  operands[0].element = 77;
  EXPECT_EQ(launch(BSMM_INVALID_ARGUMENT),
            "a: expected an element type, got 77");
  reset();
  operands[0].pitch = -4;
  EXPECT_EQ(launch(BSMM_INVALID_ARGUMENT),
            "a: expected a pitch and a batch stride of 0 (the default) or "
            "more, got -4 and 0");
  reset();
  operands[0].pitch = INT64_MAX;
  EXPECT_NE(launch(BSMM_UNSUPPORTED_PROBLEM), "");
  reset();
  arguments.m = arguments.n = arguments.k = INT32_MAX;
  arguments.l = 65535;
  EXPECT_NE(launch(BSMM_UNSUPPORTED_PROBLEM), "");
  reset();
  arguments.operands = nullptr;
  EXPECT_EQ(launch(BSMM_INVALID_ARGUMENT),
            "arguments.operands: expected an array, got NULL");
  reset();
  arguments.flags = 64;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_VERSION),
            "arguments.flags: expected flags of this runtime, got 64");
  reset();
  arguments.flags = BSMM_PRECISE_SUMS;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "numerics.promote_every: expected 1 or more for the precise sums "
            "that were asked for, got 0");
  // An output that is an input: from its beginning, from its middle, and its
  // last value alone.
  uint8_t *first = static_cast<uint8_t *>(operands[0].data);
  for (int64_t offset : {0, 512, 1022}) {
    reset();
    operands[2].data = first + offset;
    EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
              "d: expected memory apart from that of a, which the kernel reads "
              "while it writes, got some that both have")
        << offset;
  }
  reset();
  operands[4].data = out.as<uint8_t>() + 64;
  EXPECT_EQ(launch(BSMM_UNSUPPORTED_PROBLEM),
            "d: expected memory apart from that of sb, which the kernel reads "
            "while it writes, got some that both have");
  // Between the rows of the output.
  reset();
  operands[2].pitch = 128;
  operands[4].data = out.as<uint8_t>() + 64;
  launch(BSMM_OK);
  reset();
  arguments.struct_size = 8;
  EXPECT_NE(launch(BSMM_UNSUPPORTED_VERSION).find("arguments.struct_size"),
            std::string::npos);
  EXPECT_NE(errorOf(bsmm_kernel_launch(nullptr, &arguments, nullptr),
                    BSMM_INVALID_ARGUMENT),
            "");
  EXPECT_NE(errorOf(bsmm_kernel_launch(handles.kernel, nullptr, nullptr),
                    BSMM_INVALID_ARGUMENT),
            "");
}

/// A kernel without a pitch parameter is right for one pitch only.
TEST(RuntimeLibrary, RefusesPitchesThatAKernelDoesNotTake) {
  Handles handles;
  handles.loadInEmulator("count_rows");
  std::vector<float> d(64 * 64);
  bsmm_operand operands[] = {operand(BSMM_ROLE_D, d.data(), 64)};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = 8;
  arguments.n = 30;
  arguments.operands = operands;
  arguments.operand_count = 1;
  EXPECT_EQ(errorOf(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
                    BSMM_UNSUPPORTED_PROBLEM),
            "d: expected a pitch of 32 elements, since this kernel takes no "
            "pitch for it, got 64");
  arguments.k = 3;
  EXPECT_EQ(errorOf(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
                    BSMM_UNSUPPORTED_PROBLEM),
            "K: expected 0, which this kernel is compiled for, got 3");
}

/// Later versions of a structure are longer: zeros behind are accepted.
TEST(RuntimeLibrary, StructuresOfOtherVersions) {
  Handles handles;
  handles.loadInEmulator("count_rows");
  std::vector<float> d(64);
  struct {
    bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
    uint64_t later = 0;
  } longer;
  bsmm_operand operands[] = {operand(BSMM_ROLE_D, d.data())};
  longer.arguments.m = longer.arguments.n = 4;
  longer.arguments.operands = operands;
  longer.arguments.operand_count = 1;
  longer.arguments.struct_size = sizeof(longer);
  EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &longer.arguments, nullptr),
            BSMM_OK)
      << bsmm_last_error();
  longer.later = 1;
  EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &longer.arguments, nullptr),
            BSMM_UNSUPPORTED_VERSION);
  struct {
    bsmm_kernel_info info{};
    uint64_t later = 42;
  } info;
  info.info.struct_size = sizeof(info);
  ASSERT_EQ(bsmm_artifact_kernel_info(handles.artifact, 0, &info.info), BSMM_OK)
      << bsmm_last_error();
  EXPECT_EQ(info.later, 42u);
  EXPECT_EQ(info.info.struct_size, sizeof(info));
  info.info.struct_size = 16;
  EXPECT_EQ(bsmm_artifact_kernel_info(handles.artifact, 0, &info.info),
            BSMM_UNSUPPORTED_VERSION);
}

TEST(RuntimeLibrary, DescribesKernels) {
  Handles handles;
  handles.loadInEmulator("gemm_fp8");
  EXPECT_EQ(bsmm_artifact_kernel_count(handles.artifact), 3u);
  EXPECT_EQ(bsmm_kernel_index(handles.kernel), 1u);
  bsmm_kernel_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(bsmm_artifact_kernel_info(handles.artifact, 1, &info), BSMM_OK);
  EXPECT_STREQ(info.name, "gemm_fp8");
  EXPECT_STREQ(info.target, "sm_90a");
  EXPECT_EQ(info.a, BSMM_E4M3);
  EXPECT_EQ(info.out, BSMM_BF16);
  EXPECT_EQ(info.bias, BSMM_F32);
  EXPECT_STREQ(info.row_scales, "f32");
  EXPECT_STREQ(info.grid_rule, "tile");
  EXPECT_EQ(info.parameter_count, 13u);
  EXPECT_EQ(info.sizes[3].max, 65535);
  EXPECT_GT(info.ptx_bytes, 1000u);
  EXPECT_EQ(info.cubin_bytes, 0u);
  EXPECT_EQ(info.has_precise_sums, 0);
  EXPECT_NE(std::string(info.manifest).find("bsmm.launch/1"),
            std::string::npos);

  struct Expected {
    bsmm_parameter_kind kind;
    const char *name;
    uint32_t offset, bytes;
  };
  const Expected expected[] = {{BSMM_PARAMETER_TENSOR_MAP, "a", 0, 128},
                               {BSMM_PARAMETER_TENSOR_MAP, "b", 128, 128},
                               {BSMM_PARAMETER_POINTER, "d", 256, 8},
                               {BSMM_PARAMETER_POINTER, "sa", 264, 8},
                               {BSMM_PARAMETER_POINTER, "sb", 272, 8},
                               {BSMM_PARAMETER_POINTER, "bias", 280, 8},
                               {BSMM_PARAMETER_SIZE, "M", 288, 4},
                               {BSMM_PARAMETER_SIZE, "N", 292, 4},
                               {BSMM_PARAMETER_SIZE, "K", 296, 4},
                               {BSMM_PARAMETER_SIZE, "L", 300, 4},
                               {BSMM_PARAMETER_PITCH, "d", 304, 8},
                               {BSMM_PARAMETER_BATCH_STRIDE, "d", 312, 8},
                               {BSMM_PARAMETER_SCALAR, "alpha", 320, 4}};
  for (size_t i = 0; i < 13; ++i) {
    bsmm_parameter_info parameter{};
    parameter.struct_size = sizeof(parameter);
    ASSERT_EQ(bsmm_artifact_parameter_info(handles.artifact, 1, i, &parameter),
              BSMM_OK);
    EXPECT_EQ(parameter.kind, expected[i].kind) << i;
    EXPECT_STREQ(parameter.name, expected[i].name) << i;
    EXPECT_EQ(parameter.offset, expected[i].offset) << i;
    EXPECT_EQ(parameter.bytes, expected[i].bytes) << i;
  }
  bsmm_parameter_info parameter{};
  parameter.struct_size = sizeof(parameter);
  ASSERT_EQ(bsmm_artifact_parameter_info(handles.artifact, 1, 0, &parameter),
            BSMM_OK);
  EXPECT_STREQ(parameter.view, "matrix");
  EXPECT_STREQ(parameter.element, "u8");
  EXPECT_STREQ(parameter.swizzle, "none");
  EXPECT_EQ(parameter.rank, 3u);
  EXPECT_EQ(parameter.box[1], 32);
  EXPECT_EQ(bsmm_artifact_parameter_info(handles.artifact, 1, 13, &parameter),
            BSMM_INVALID_ARGUMENT);

  bsmm_operand_info operandInfo{};
  operandInfo.struct_size = sizeof(operandInfo);
  ASSERT_EQ(bsmm_artifact_operand_info(handles.artifact, 1, BSMM_ROLE_A,
                                       &operandInfo),
            BSMM_OK);
  EXPECT_EQ(operandInfo.address_multiple, 16u);
  EXPECT_EQ(operandInfo.pitch_multiple, 16);
  EXPECT_EQ(operandInfo.row_size, 'M');
  EXPECT_EQ(operandInfo.column_size, 'K');
  EXPECT_TRUE(operandInfo.is_tensor_map);
  ASSERT_EQ(bsmm_artifact_operand_info(handles.artifact, 1, BSMM_ROLE_D,
                                       &operandInfo),
            BSMM_OK);
  EXPECT_EQ(operandInfo.address_multiple, 2u);
  EXPECT_EQ(operandInfo.pitch_multiple, 1);
  EXPECT_TRUE(operandInfo.is_output);
  ASSERT_EQ(bsmm_artifact_operand_info(handles.artifact, 1, BSMM_ROLE_SB,
                                       &operandInfo),
            BSMM_OK);
  EXPECT_EQ(operandInfo.layout, BSMM_LAYOUT_VECTOR);
  EXPECT_EQ(operandInfo.row_size, 'N');
  EXPECT_EQ(bsmm_artifact_operand_info(handles.artifact, 1, BSMM_ROLE_C,
                                       &operandInfo),
            BSMM_NOT_FOUND);

  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = 10;
  arguments.n = 20;
  arguments.k = 30;
  arguments.l = 2;
  bsmm_operand_shape shape{};
  shape.struct_size = sizeof(shape);
  ASSERT_EQ(bsmm_artifact_operand_shape(handles.artifact, 1, &arguments,
                                        BSMM_ROLE_B, &shape),
            BSMM_OK);
  EXPECT_EQ(shape.rows, 20);
  EXPECT_EQ(shape.columns, 30);
  EXPECT_EQ(shape.pitch, 32);
  EXPECT_EQ(shape.batch_stride, 20 * 32);
  EXPECT_EQ(shape.bytes, 20 * 32 + 19 * 32 + 30);
}

TEST(RuntimeLibrary, SelectsByNameTargetAndShape) {
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  std::string manifest = readKernelFile("gemm_fp8.json");
  auto with = [&](const std::string &from, const std::string &to) {
    std::string text = manifest;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  // A family: wide K first, then any K, then another target.
  std::string wide = with("\"M\": {\"min\": 1}", "\"M\": {\"min\": 1}, \"K\": "
                                                 "{\"multiple_of\": 128}");
  std::string other = with("\"sm_90a\"", "\"sm_100a\"");
  bsmm_artifact_entry entries[] = {
      {"gemm", wide.c_str(), ptx.c_str(), nullptr, 0},
      {"gemm", manifest.c_str(), ptx.c_str(), nullptr, 0},
      {"gemm", other.c_str(), ptx.c_str(), nullptr, 0}};
  Handles handles;
  handles.openWritten(entries, 3);
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = arguments.n = 32;
  arguments.k = 256;
  size_t index = 99;
  auto select = [&](const char *name, const char *target,
                    const bsmm_arguments *given) {
    return bsmm_artifact_select(handles.artifact, name, target, given, &index);
  };
  ASSERT_EQ(select("gemm", "sm_90a", &arguments), BSMM_OK);
  EXPECT_EQ(index, 0u);
  arguments.k = 64;
  ASSERT_EQ(select(nullptr, "sm_90a", &arguments), BSMM_OK);
  EXPECT_EQ(index, 1u);
  ASSERT_EQ(select("gemm", "sm_100a", &arguments), BSMM_OK);
  EXPECT_EQ(index, 2u);
  EXPECT_EQ(errorOf(select("gemm", "sm_120a", nullptr), BSMM_NOT_FOUND),
            "expected a kernel 'gemm' for sm_120a, got an artifact with gemm "
            "for sm_90a, gemm for sm_100a");
  EXPECT_EQ(errorOf(select("other", nullptr, nullptr), BSMM_NOT_FOUND),
            "expected a kernel 'other', got an artifact with gemm for sm_90a, "
            "gemm for sm_100a");
  arguments.m = 0;
  EXPECT_EQ(
      errorOf(select("gemm", "sm_90a", &arguments), BSMM_UNSUPPORTED_PROBLEM),
      "no kernel takes this problem:\n"
      "  gemm for sm_90a: M: expected 1 to 2147483647, got 0\n"
      "  gemm for sm_90a: M: expected 1 to 2147483647, got 0");
  EXPECT_EQ(index, 2u);

  // The emulator of one target takes no other.
  bsmm_emulator_options options = BSMM_EMULATOR_OPTIONS_INIT;
  options.target = "sm_90a";
  ASSERT_EQ(bsmm_device_open_emulator(&options, &handles.device), BSMM_OK);
  EXPECT_EQ(errorOf(bsmm_kernel_load(handles.device, handles.artifact, 2,
                                     &handles.kernel),
                    BSMM_NOT_FOUND),
            "kernel 'gemm' is made for sm_100a, but the emulated target is "
            "sm_90a");
  // What the PTX says must be what the manifest says.
  bsmm_device *any = nullptr;
  ASSERT_EQ(bsmm_device_open_emulator(nullptr, &any), BSMM_OK);
  EXPECT_EQ(errorOf(bsmm_kernel_load(any, handles.artifact, 2, &handles.kernel),
                    BSMM_INVALID_ARTIFACT),
            "expected PTX for sm_100a, as the manifest says, got PTX for "
            "sm_90a");
  bsmm_device_close(any);
}

/// The second of three does the same in fewer steps; the third promotes.
TEST(RuntimeLibrary, SelectsByPrediction) {
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  std::string manifest = readKernelFile("gemm_fp8.json");
  auto with = [](std::string text, const std::string &from,
                 const std::string &to) {
    return text.replace(text.find(from), from.size(), to);
  };
  std::string tile = "\"tile\": {\"m\": 32, \"n\": 32, \"k\": ";
  // Twice the tiles, each with the same start and end.
  std::string slow =
      with(manifest, "\"tile\": {\"m\": 32", "\"tile\": {\"m\": 16");
  std::string other =
      with(with(manifest, tile + "64", tile + "128"), "\"accumulate\": \"f32\"",
           "\"accumulate\": \"f32\", \"promote_every\": 128");
  bsmm_artifact_entry entries[] = {
      {"gemm", slow.c_str(), ptx.c_str(), nullptr, 0},
      {"gemm", manifest.c_str(), ptx.c_str(), nullptr, 0},
      {"gemm", other.c_str(), ptx.c_str(), nullptr, 0}};
  Handles handles;
  handles.openWritten(entries, 3);
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = arguments.n = 100;
  arguments.k = 256;
  arguments.sm_count = 3;
  size_t index = 99;
  ASSERT_EQ(bsmm_artifact_select(handles.artifact, "gemm", nullptr, &arguments,
                                 &index),
            BSMM_OK);
  EXPECT_EQ(index, 1u);
  // Sums of f32 are the third one's alone.
  arguments.flags = BSMM_PRECISE_SUMS;
  ASSERT_EQ(bsmm_artifact_select(handles.artifact, "gemm", nullptr, &arguments,
                                 &index),
            BSMM_OK);
  EXPECT_EQ(index, 2u);
  arguments.flags = 0;
  // Without sizes nothing can be predicted.
  ASSERT_EQ(
      bsmm_artifact_select(handles.artifact, nullptr, nullptr, nullptr, &index),
      BSMM_OK);
  EXPECT_EQ(index, 0u);

  bsmm_prediction prediction{};
  EXPECT_EQ(bsmm_artifact_predict(handles.artifact, 0, &arguments, &prediction),
            BSMM_UNSUPPORTED_VERSION); // no size of the structure
  prediction.struct_size = sizeof(prediction);
  EXPECT_EQ(bsmm_artifact_predict(handles.artifact, 3, &arguments, &prediction),
            BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_artifact_predict(handles.artifact, 0, nullptr, &prediction),
            BSMM_INVALID_ARGUMENT);
  ASSERT_EQ(bsmm_artifact_predict(handles.artifact, 0, &arguments, &prediction),
            BSMM_OK);
  EXPECT_EQ(prediction.is_known, 1);
  EXPECT_EQ(prediction.waves, 10); // 7 x 4 tiles on 3 SMs
  EXPECT_EQ(prediction.steps_of_tile, 4);
  double slower = prediction.cycles;
  ASSERT_EQ(bsmm_artifact_predict(handles.artifact, 1, &arguments, &prediction),
            BSMM_OK);
  EXPECT_EQ(prediction.steps_of_tile, 4);
  EXPECT_LT(prediction.cycles, slower);
  arguments.m = 0;
  EXPECT_EQ(errorOf(bsmm_artifact_predict(handles.artifact, 0, &arguments,
                                          &prediction),
                    BSMM_UNSUPPORTED_PROBLEM),
            "M: expected 1 to 2147483647, got 0");
  EXPECT_EQ(prediction.steps_of_tile, 4);
}

/// A kernel keeps what it needs: its device and artifact may be closed first.
TEST(RuntimeLibrary, ObjectsOutliveTheirHandles) {
  bsmm_artifact *artifact = nullptr;
  bsmm_device *device = nullptr;
  bsmm_kernel *kernel = nullptr;
  {
    std::string bytes = testArtifact();
    ASSERT_EQ(bsmm_artifact_open_memory(bytes.data(), bytes.size(), &artifact),
              BSMM_OK);
  }
  ASSERT_EQ(bsmm_device_open_emulator(nullptr, &device), BSMM_OK);
  ASSERT_EQ(bsmm_kernel_load(device, artifact, 1, &kernel), BSMM_OK)
      << bsmm_last_error();
  bsmm_artifact_close(artifact);
  bsmm_device_close(device);
  runGemm(kernel, {8, 8, 32, 1}, 11);
  bsmm_kernel_unload(kernel);
  bsmm_kernel_unload(nullptr);
  bsmm_device_close(nullptr);
  bsmm_artifact_close(nullptr);
}

/// One kernel, many threads, each with its own sizes and errors.
TEST(RuntimeLibrary, ThreadsShareAKernel) {
  Handles handles;
  handles.loadInEmulator("gemm_fp8");
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (int round = 0; round < 3; ++round) {
        runGemm(handles.kernel, {8 + number, 16, 16 * (round + 1), 1},
                uint64_t(number));
        bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
        arguments.m = -number - 1;
        EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
                  BSMM_UNSUPPORTED_PROBLEM);
        EXPECT_EQ(std::string(bsmm_last_error()),
                  "M: expected 1 to 2147483647, got " +
                      std::to_string(-number - 1));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Everything at once, from opening the file to the error of an encoding.
TEST(RuntimeLibrary, ThreadsOpenLoadEncodeAndLaunch) {
  const std::string bytes = testArtifact();
  bsmm_device *shared = nullptr;
  ASSERT_EQ(bsmm_device_open_emulator(nullptr, &shared), BSMM_OK);
  std::vector<std::thread> threads;
  for (uint64_t number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (uint64_t round = 0; round < 3; ++round) {
        Handles handles;
        ASSERT_EQ(bsmm_artifact_open_memory(bytes.data(), bytes.size(),
                                            &handles.artifact),
                  BSMM_OK);
        ASSERT_EQ(bsmm_device_open_emulator(nullptr, &handles.device), BSMM_OK);
        // Devices of their own, and one for all.
        ASSERT_EQ(bsmm_kernel_load_best(number % 2 ? shared : handles.device,
                                        handles.artifact, "gemm_fp8", nullptr,
                                        &handles.kernel),
                  BSMM_OK)
            << bsmm_last_error();
        runGemm(handles.kernel, {4, 8, 32, 1}, number);
        bsmm_tensor_map map{};
        map.struct_size = sizeof(map);
        map.rank = 2;
        map.dims[0] = map.dims[1] = 64;
        map.strides_bytes[0] = 64;
        map.box[0] = 64;
        map.box[1] = 8;
        map.address = 4096 + number;
        alignas(64) unsigned char encoded[128];
        bsmm_status status =
            bsmm_tensor_map_encode(shared, &map, nullptr, encoded);
        EXPECT_EQ(status, number ? BSMM_UNSUPPORTED_PROBLEM : BSMM_OK);
        if (number) {
          EXPECT_EQ(bsmm_last_error(),
                    "map.data: expected an address that is a multiple of 16 "
                    "bytes for u8, got " +
                        std::to_string(map.address));
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  bsmm_device_close(shared);
}

TEST(RuntimeLibrary, EmulatorFaultsAreErrors) {
  // 32 bytes of shared memory too few.
  std::string manifest = readKernelFile("scale_tma.json");
  std::string ptx = readKernelFile("runtime_kernels_sm90a.ptx");
  size_t at = manifest.find("4112");
  manifest.replace(at, 4, "4080");
  bsmm_artifact_entry entry = {nullptr, manifest.c_str(), ptx.c_str(), nullptr,
                               0};
  Handles handles;
  handles.openWritten(&entry, 1);
  ASSERT_EQ(bsmm_device_open_emulator(nullptr, &handles.device), BSMM_OK);
  ASSERT_EQ(
      bsmm_kernel_load(handles.device, handles.artifact, 0, &handles.kernel),
      BSMM_OK);
  ShiftedMemory a(4096, 0, 0), d(4096, 0, 0);
  bsmm_operand operands[] = {operand(BSMM_ROLE_A, a.as<void>()),
                             operand(BSMM_ROLE_D, d.as<void>())};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = 32;
  arguments.n = arguments.k = 64;
  arguments.operands = operands;
  arguments.operand_count = 2;
  std::string text =
      errorOf(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
              BSMM_KERNEL_FAULT);
  EXPECT_NE(text.find("the emulator found faults in 'scale_tma'"),
            std::string::npos)
      << text;
}

/// A pointer that is less aligned than a kernel's access must fail here, too.
TEST(RuntimeLibrary, EmulatorKeepsAlignment) {
  Handles handles;
  handles.loadInEmulator("count_rows");
  // A workspace must be aligned to 16 bytes.
  ShiftedMemory d(4096, 4, 0), workspace(4096, 4, 0);
  bsmm_operand operands[] = {
      operand(BSMM_ROLE_D, d.as<void>()),
      operand(BSMM_ROLE_WORKSPACE, workspace.as<void>())};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = arguments.n = 16;
  arguments.operands = operands;
  arguments.operand_count = 2;
  EXPECT_EQ(errorOf(bsmm_kernel_launch(handles.kernel, &arguments, nullptr),
                    BSMM_UNSUPPORTED_PROBLEM),
            "workspace: expected an address that is a multiple of 16 bytes, "
            "got 4 bytes more");
  arguments.operand_count = 1;
  d.as<float>()[5] = 7;
  EXPECT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr), BSMM_OK)
      << bsmm_last_error();
  EXPECT_EQ(d.as<float>()[5], 0);
}

TEST(RuntimeLibrary, DevicesAndMemory) {
  bsmm_emulator_options options = BSMM_EMULATOR_OPTIONS_INIT;
  bsmm_device *device = nullptr;
  auto open = [&] { return bsmm_device_open_emulator(&options, &device); };
  options.mode = "sometimes";
  EXPECT_EQ(errorOf(open(), BSMM_INVALID_ARGUMENT),
            "mode: expected eager, lazy or random:SEED, got 'sometimes'");
  for (const char *mode : {"random:", "random:-1", "random:x", "random:1x",
                           "random: 1", "random:99999999999999999999"}) {
    options.mode = mode;
    EXPECT_NE(errorOf(open(), BSMM_INVALID_ARGUMENT), "") << mode;
  }
  options.mode = "random:18446744073709551615";
  options.arithmetic = "wrong";
  EXPECT_EQ(errorOf(open(), BSMM_INVALID_ARGUMENT),
            "arithmetic: expected hardware or exact, got 'wrong'");
  options.arithmetic = "exact";
  options.target = "sm_75";
  EXPECT_NE(errorOf(open(), BSMM_INVALID_ARGUMENT), "");
  options.target = "sm_90a";
  options.sm_count = -2;
  EXPECT_NE(errorOf(open(), BSMM_INVALID_ARGUMENT), "");
  options.sm_count = 5;
  ASSERT_EQ(open(), BSMM_OK) << bsmm_last_error();
  bsmm_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(bsmm_device_info_get(device, &info), BSMM_OK);
  EXPECT_EQ(info.backend, BSMM_BACKEND_EMULATOR);
  EXPECT_STREQ(info.target, "sm_90a");
  EXPECT_EQ(info.sm_count, 5);

  void *data = nullptr;
  EXPECT_EQ(bsmm_device_allocate(device, 0, &data), BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_device_allocate(device, UINT64_MAX, &data),
            BSMM_INVALID_ARGUMENT);
  ASSERT_EQ(bsmm_device_allocate(device, 100, &data), BSMM_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 256, 0u);
  const char text[] = "operands";
  char back[sizeof(text)] = {};
  EXPECT_EQ(bsmm_device_fill(device, data, 0x41, 100, nullptr), BSMM_OK);
  EXPECT_EQ(bsmm_device_write(device, data, text, sizeof(text), nullptr),
            BSMM_OK);
  EXPECT_EQ(bsmm_device_read(device, back, data, sizeof(text), nullptr),
            BSMM_OK);
  EXPECT_STREQ(back, text);
  EXPECT_EQ(static_cast<char *>(data)[99], 'A');
  EXPECT_EQ(bsmm_device_write(device, nullptr, text, 4, nullptr),
            BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_device_synchronize(device, nullptr), BSMM_OK);
  EXPECT_EQ(bsmm_device_free(device, data), BSMM_OK);
  EXPECT_EQ(bsmm_device_free(device, nullptr), BSMM_OK);
  // Twice, and what was never given out.
  EXPECT_EQ(bsmm_device_free(device, data), BSMM_INVALID_ARGUMENT);
  EXPECT_EQ(bsmm_device_free(device, back), BSMM_INVALID_ARGUMENT);
  bsmm_device_close(device);
}

TEST(RuntimeLibrary, Measures) {
  Handles handles;
  handles.loadInEmulator("count_rows");
  std::vector<float> d(4 * 4);
  bsmm_operand operands[] = {operand(BSMM_ROLE_D, d.data())};
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = arguments.n = 4;
  arguments.operands = operands;
  arguments.operand_count = 1;
  bsmm_measure_options options = BSMM_MEASURE_OPTIONS_INIT;
  options.warmup = 1;
  options.repetitions = 5;
  options.user = &options;
  options.progress = [](void *, int32_t done, int32_t repetitions) -> int32_t {
    return done == 3 && repetitions == 5;
  };
  double times[5] = {-1, -1, -1, -1, -1};
  int32_t measured = 0;
  ASSERT_EQ(bsmm_kernel_measure(handles.kernel, &arguments, &options, nullptr,
                                times, &measured),
            BSMM_OK)
      << bsmm_last_error();
  EXPECT_EQ(measured, 3);
  EXPECT_GE(times[2], 0);
  EXPECT_EQ(times[3], -1);
  options.repetitions = 0;
  EXPECT_EQ(bsmm_kernel_measure(handles.kernel, &arguments, &options, nullptr,
                                times, &measured),
            BSMM_INVALID_ARGUMENT);
}

TEST(RuntimeLibrary, NamesAndVersion) {
  EXPECT_EQ(bsmm_runtime_version(), uint32_t(BSMM_RUNTIME_VERSION));
  EXPECT_STREQ(bsmm_status_name(BSMM_KERNEL_FAULT), "BSMM_KERNEL_FAULT");
  EXPECT_STREQ(bsmm_status_name(-1), "unknown status");
  EXPECT_STREQ(bsmm_status_name(1000), "unknown status");
  EXPECT_STREQ(bsmm_element_name(BSMM_UE8M0), "ue8m0");
  EXPECT_STREQ(bsmm_element_name(-5), "none");
  EXPECT_EQ(bsmm_element_bits(BSMM_E3M2), 6u);
  EXPECT_EQ(bsmm_element_bits(77), 0u);
  EXPECT_STREQ(bsmm_role_name(BSMM_ROLE_WORKSPACE), "workspace");
  EXPECT_STREQ(bsmm_role_name(BSMM_ROLE_COUNT), "unknown");
}
