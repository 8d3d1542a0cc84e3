//===- RuntimePublicCasesTest.cpp - public bug reports, the runtime's part ===//
//
// Faults that users of other stacks reported in launching and packing
// (docs/public-cases.md). Each test stands for a kind of fault.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestKernels.h"
#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/bsmm_numbers.h"
#include <cstring>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::test;

namespace {
/// An NVFP4 kernel that is described, not run.
const char nvfp4[] = R"({
  "schema": "bsmm.launch/1", "document": "kernel", "entry": "nvfp4",
  "ptx": "k.ptx", "target": "sm_100a", "grid": {"rule": "tile"},
  "block": [192, 1, 1], "cluster": [1, 1, 1], "dynamic_smem": 65536,
  "tile": {"m": 128, "n": 128, "k": 256},
  "problem": {"a": "e2m1", "b": "e2m1", "out": "bf16", "scale_type": "ue4m3",
              "scale_vector": 16},
  "numerics": {},
  "params": [
    {"tensor_map": {"role": "a", "view": "matrix", "element": "u8",
                    "box": [128, 128, 1], "swizzle": "128B"}},
    {"tensor_map": {"role": "b", "view": "matrix", "element": "u8",
                    "box": [128, 128, 1], "swizzle": "128B"}},
    {"tensor_map": {"role": "sfa", "view": "scale_tiles", "element": "u8",
                    "box": [256, 2, 4, 1, 1], "swizzle": "none"}},
    {"tensor_map": {"role": "sfb", "view": "scale_tiles", "element": "u8",
                    "box": [256, 2, 4, 1, 1], "swizzle": "none"}},
    {"tensor_map": {"role": "d", "view": "matrix", "element": "bf16",
                    "box": [64, 128, 1], "swizzle": "128B"}},
    {"i32": "M"}, {"i32": "N"}, {"i32": "K"}]})";

class RuntimePublicCases : public testing::Test {
protected:
  void SetUp() override {
    bsmm_artifact_entry entry = {nullptr, nvfp4, "// not run", nullptr, 0};
    handles.openWritten(&entry, 1);
    artifact = handles.artifact;
    arguments.m = arguments.n = 256;
    arguments.k = 512;
  }

  /// The error of the launch with one operand said in advance.
  std::string errorWith(bsmm_operand operand) {
    arguments.operands = &operand;
    arguments.operand_count = 1;
    bsmm_launch_shape shape{};
    shape.struct_size = sizeof(shape);
    bsmm_status status =
        bsmm_artifact_launch_shape(artifact, 0, &arguments, &shape);
    return status == BSMM_OK ? "" : bsmm_last_error();
  }
  int64_t bytesOf(bsmm_role role) {
    bsmm_operand_shape shape{};
    shape.struct_size = sizeof(shape);
    EXPECT_EQ(
        bsmm_artifact_operand_shape(artifact, 0, &arguments, role, &shape),
        BSMM_OK)
        << bsmm_last_error();
    return shape.bytes;
  }

  Handles handles;
  bsmm_artifact *artifact = nullptr; // of the handles
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
};
} // namespace

/// llvm #75838: strides past the second dimension were wrong.
TEST_F(RuntimePublicCases, StridesOfEveryDimension) {
  Result<KernelManifest> scale =
      parseManifest(readKernelFile("scale_tma.json"));
  ASSERT_TRUE(bool(scale)) << scale.error();
  LaunchRequest request;
  request.l = 4;
  request.m = request.n = request.k = 64;
  request.operands[Role::A].data.buffer = "a";
  request.operands[Role::D].data.buffer = "d";
  Result<Launch> launch = resolve(*scale, request);
  ASSERT_TRUE(bool(launch)) << launch.error();
  EXPECT_EQ(launch->params[0].map.stridesBytes,
            (std::vector<int64_t>{64 * 2, 64 * 64 * 2}));
  Result<KernelManifest> blocked = parseManifest(nvfp4);
  ASSERT_TRUE(bool(blocked));
  request.m = 300;
  request.n = 256;
  request.k = 528;
  for (Role role : {Role::B, Role::SFA, Role::SFB})
    request.operands[role].data.buffer = roleName(role);
  launch = resolve(*blocked, request);
  ASSERT_TRUE(bool(launch)) << launch.error();
  // 33 groups are nine tiles of four, 300 rows three of 128.
  EXPECT_EQ(launch->params[2].map.stridesBytes,
            (std::vector<int64_t>{256, 512, 9 * 512, 3 * 9 * 512}));
  EXPECT_EQ(launch->params[2].map.dims,
            (std::vector<int64_t>{256, 2, 9, 3, 4}));
}

/// llvm #85403: rows with a pitch were taken for contiguous ones.
TEST_F(RuntimePublicCases, RowsWithAPitch) {
  Handles handles;
  handles.loadInEmulator("scale_tma");
  if (HasFatalFailure())
    return;
  std::vector<uint16_t> a(64 * 128, 0x7E00), d(64 * 64, 0x5555);
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column)
      a[size_t(row * 128 + column)] = uint16_t(0x6400 + row * 8 + column % 8);
  bsmm_operand operands[] = {operand(BSMM_ROLE_A, a.data(), 128),
                             operand(BSMM_ROLE_D, d.data(), 64)};
  arguments.m = arguments.n = arguments.k = 64;
  arguments.operands = operands;
  arguments.operand_count = 2;
  ASSERT_EQ(bsmm_kernel_launch(handles.kernel, &arguments, nullptr), BSMM_OK)
      << bsmm_last_error();
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column)
      ASSERT_EQ(d[size_t(row * 64 + column)], a[size_t(row * 128 + column)]);
}

/// triton #10927: a pitch that is no multiple of 16 bytes was silently wrong.
TEST_F(RuntimePublicCases, PitchesThatTmaCannotRead) {
  EXPECT_EQ(errorWith(operand(BSMM_ROLE_D, nullptr, 511 + 256)),
            "d.strides_bytes[0]: expected a multiple of 16 bytes for bf16, got "
            "1534; the next one is 1536");
  EXPECT_EQ(errorWith(operand(BSMM_ROLE_A, nullptr, 514)),
            "a.strides_bytes[0]: expected a multiple of 16 bytes for u8, got "
            "257; the next one is 272");
  EXPECT_EQ(errorWith(operand(BSMM_ROLE_A, nullptr, 544)), "");
  // Copied when that is asked for.
  arguments.flags = BSMM_REPACK;
  EXPECT_EQ(errorWith(operand(BSMM_ROLE_A, nullptr, 514)), "");
  EXPECT_NE(errorWith(operand(BSMM_ROLE_D, nullptr, 511 + 256)), "");
}

/// triton #9439: a tensor map at an address that is a multiple of 64 only.
TEST_F(RuntimePublicCases, TensorMapsAtAnyPlace) {
  bsmm_device *device = nullptr;
  ASSERT_EQ(bsmm_device_open_emulator(nullptr, &device), BSMM_OK);
  bsmm_tensor_map map{};
  map.struct_size = sizeof(map);
  map.address = 1 << 20;
  map.rank = 1;
  map.dims[0] = map.box[0] = 256;
  alignas(128) unsigned char bytes[512];
  ASSERT_EQ(bsmm_tensor_map_encode(device, &map, "a", bytes), BSMM_OK)
      << bsmm_last_error();
  ASSERT_EQ(bsmm_tensor_map_encode(device, &map, "a", bytes + 192), BSMM_OK);
  EXPECT_EQ(std::memcmp(bytes, bytes + 192, 128), 0);
  EXPECT_EQ(bsmm_tensor_map_encode(device, &map, "a", bytes + 32),
            BSMM_INVALID_ARGUMENT);
  bsmm_device_close(device);
}

/// pytorch/ao #4929: linear scales where blocked ones are needed, and only a
/// shape error said so. DeepGEMM #112: f32 scales where ue8m0 is needed.
TEST_F(RuntimePublicCases, ScalesOfAnotherForm) {
  bsmm_operand scales = operand(BSMM_ROLE_SFA, nullptr);
  scales.layout = BSMM_LAYOUT_ROWS;
  EXPECT_EQ(errorWith(scales),
            "sfa: expected layout blocked_128x4, got rows (linear); rearrange "
            "them with bsmm_scales_to_blocked");
  scales.layout = BSMM_LAYOUT_BLOCKED_128X4;
  EXPECT_EQ(errorWith(scales), "");
  for (bsmm_element element : {BSMM_F32, BSMM_UE8M0}) {
    scales.element = element;
    EXPECT_EQ(errorWith(scales),
              std::string("sfa: expected ue4m3, which the kernel reads, got ") +
                  bsmm_element_name(element) +
                  "; convert the operand first, its bits are not "
                  "reinterpreted");
  }
  scales.element = BSMM_E4M3;
  EXPECT_EQ(errorWith(scales), "");
}

/// nvFuser #4745: the 32 rows and 4 groups of a tile exchanged. The byte that
/// the packer writes is the one that the schema names.
TEST_F(RuntimePublicCases, PlaceOfEveryScale) {
  const int64_t rows = 160, groups = 6;
  std::vector<uint8_t> linear(size_t(rows * groups));
  for (size_t i = 0; i < linear.size(); ++i)
    linear[i] = uint8_t(i * 7 + i / 256);
  std::vector<uint8_t> blocked(size_t(bsmm_blocked_bytes(rows, groups, 1)));
  ASSERT_EQ(blocked.size(), size_t(2 * 2 * 512));
  ASSERT_EQ(bsmm_scales_to_blocked(linear.data(), 1, rows, groups, 0, 0, 0,
                                   blocked.data()),
            BSMM_OK)
      << bsmm_last_error();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < groups; ++group) {
      int64_t tile = row / 128 * 2 + group / 4;
      int64_t place = tile * 512 + row % 32 * 16 + row / 32 % 4 * 4 + group % 4;
      ASSERT_EQ(blocked[size_t(place)], linear[size_t(row * groups + group)])
          << row << " " << group;
    }
}

/// vllm #35497, TransformerEngine #3070: padded and unpadded sizes mixed.
/// TransformerEngine #3048: floor instead of ceil of M / 128.
TEST_F(RuntimePublicCases, PaddedSizes) {
  for (int64_t m : {16, 48, 112, 128, 144, 2880, 5760}) {
    arguments.m = m;
    arguments.k = 2880;
    EXPECT_EQ(bytesOf(BSMM_ROLE_SFA), (m + 127) / 128 * 45 * 512) << m;
    // 2880 codes are 1440 bytes, whole 16: no gap; the last row ends there.
    EXPECT_EQ(bytesOf(BSMM_ROLE_A), m * 1440) << m;
    EXPECT_EQ(bytesOf(BSMM_ROLE_D), m * 256 * 2) << m;
  }
  // Scales of too few rows are refused.
  arguments.m = 144;
  std::vector<uint8_t> scales(45 * 512 + 16);
  auto *aligned = reinterpret_cast<uint8_t *>(
      (reinterpret_cast<uintptr_t>(scales.data()) + 15) / 16 * 16);
  bsmm_operand few = operand(BSMM_ROLE_SFA, aligned);
  few.bytes = 45 * 512;
  EXPECT_EQ(errorWith(few),
            "sfa: expected at least 46080 bytes for these sizes and strides, "
            "got 23040");
}

/// vllm #45741, #48898, flashinfer #2861: stale scales in the padding. The
/// packer writes every byte of the padding.
TEST_F(RuntimePublicCases, PaddingScalesAreWritten) {
  for (int64_t rows : {1, 3, 31, 32})
    for (int64_t groups : {1, 3, 5}) {
      std::vector<uint8_t> linear(size_t(rows * groups), 0x38);
      std::vector<uint8_t> blocked(size_t(bsmm_blocked_bytes(rows, groups, 1)),
                                   0x7F);
      ASSERT_EQ(bsmm_scales_to_blocked(linear.data(), 1, rows, groups, 0, 0, 0,
                                       blocked.data()),
                BSMM_OK);
      size_t live = 0;
      for (uint8_t scale : blocked) {
        ASSERT_TRUE(scale == 0x38 || scale == 0);
        live += scale == 0x38;
      }
      EXPECT_EQ(live, size_t(rows * groups));
    }
}
