//===- ResolveTest.cpp - from a manifest to a launch ----------------------===//

#include "TestFiles.h"
#include "bsmm/Runtime/LaunchDescription.h"
#include "gtest/gtest.h"

using namespace bsmm;
using namespace bsmm::runtime;

namespace {

KernelManifest manifestOf(size_t example) {
  Result<KernelManifest> manifest =
      parseManifest(test::abiExamples().at(example));
  EXPECT_TRUE(manifest) << manifest.error();
  return *manifest;
}

LaunchRequest requestOf(int64_t m, int64_t n, int64_t k, int64_t l) {
  LaunchRequest request;
  request.m = m;
  request.n = n;
  request.k = k;
  request.l = l;
  for (Role role :
       {Role::A, Role::B, Role::SFA, Role::SFB, Role::D, Role::SA, Role::SB})
    request.operands[role].data.buffer = std::string(roleName(role)) + ".bin";
  return request;
}

using Numbers = std::vector<int64_t>;

// The concrete example of the documentation is the symbolic one at its sizes.
TEST(Resolve, TheTwoExamplesAgree) {
  LaunchRequest request = requestOf(256, 512, 1024, 1);
  request.operands[Role::D].data.buffer = "c";
  Result<Launch> launch = resolve(manifestOf(0), request);
  ASSERT_TRUE(launch) << launch.error();
  Result<Launch> expected = parseLaunch(test::abiExamples().at(2));
  ASSERT_TRUE(expected) << expected.error();
  launch->buffers = expected->buffers;
  launch->problemJson = expected->problemJson;
  EXPECT_EQ(writeLaunch(*launch), writeLaunch(*expected));
}

TEST(Resolve, RaggedShapesAndBatches) {
  LaunchRequest request = requestOf(130, 72, 1000, 3);
  Result<Launch> launch = resolve(manifestOf(0), request);
  ASSERT_TRUE(launch) << launch.error();
  const TensorMap &a = launch->params[0].map;
  EXPECT_EQ(a.dims, (Numbers{500, 130, 3}));
  // 500 bytes a row, rounded up to 16.
  EXPECT_EQ(a.stridesBytes, (Numbers{512, 512 * 130}));
  const TensorMap &sfa = launch->params[2].map;
  // ceil(1000 / 16) = 63 groups in 16 tiles; 130 rows in 2 tiles.
  EXPECT_EQ(sfa.dims, (Numbers{256, 2, 16, 2, 3}));
  EXPECT_EQ(sfa.stridesBytes, (Numbers{256, 512, 8192, 16384}));
  EXPECT_EQ(launch->params[3].map.dims, (Numbers{256, 2, 16, 1, 3}));
  const TensorMap &d = launch->params[4].map;
  EXPECT_EQ(d.dims, (Numbers{72, 130, 3}));
  EXPECT_EQ(d.stridesBytes, (Numbers{144, 144 * 130}));
  EXPECT_EQ(launch->params[9].integer, 72);        // pitch of D
  EXPECT_EQ(launch->params[10].integer, 72 * 130); // batch stride of D
  EXPECT_EQ(launch->grid, (Dim3{2 * 1 * 3, 1, 1}));
}

TEST(Resolve, StridesOfTheCaller) {
  LaunchRequest request = requestOf(128, 64, 256, 2);
  request.operands[Role::A].pitch = 288;
  request.operands[Role::A].batchStride = 128 * 288 + 32;
  request.operands[Role::D].pitch = 72;
  Result<Launch> launch = resolve(manifestOf(0), request);
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[0].map.stridesBytes,
            (Numbers{144, (128 * 288 + 32) / 2}));
  EXPECT_EQ(launch->params[9].integer, 72);
  Result<OperandShape> shape = operandShape(manifestOf(0), request, Role::A);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->bytes, ((128 * 288 + 32) + 127 * 288 + 256) / 2);

  auto error = [&]() {
    Result<Launch> launch = resolve(manifestOf(0), request);
    return launch ? "" : launch.error();
  };
  request.operands[Role::A].pitch = 250;
  EXPECT_EQ(error(), "a: expected a pitch of at least the 256 elements of a "
                     "row, got 250");
  request.operands[Role::A].pitch = 258;
  EXPECT_EQ(error(), "a.strides_bytes[0]: expected a multiple of 16 bytes for "
                     "u8, got 129; the next one is 144");
  request.operands[Role::A].pitch = 257;
  EXPECT_EQ(error(), "a: expected a pitch of whole bytes, got 257 elements of "
                     "4 bits");
  request.operands[Role::A] = {{"a.bin", 8, 0}, -1, -1};
  EXPECT_EQ(error(), "a.data: expected an address that is a multiple of 16 "
                     "bytes for u8, got 8");
  request.operands[Role::A] = {{"a.bin", 0, 0}, -1, 100};
  EXPECT_EQ(error(), "a: expected a batch stride of at least the 32768 "
                     "elements of a batch, got 100");
  request.operands.erase(Role::A);
  EXPECT_EQ(error(), "a: expected memory for this operand, got none");
}

TEST(Resolve, ShapePredicates) {
  auto error = [](const LaunchRequest &request, size_t example = 0) {
    Result<Launch> launch = resolve(manifestOf(example), request);
    return launch ? "" : launch.error();
  };
  EXPECT_EQ(error(requestOf(128, 65, 256, 1)),
            "N: expected a multiple of 8, got 65; the next one is 72");
  EXPECT_EQ(error(requestOf(0, 64, 256, 1)),
            "M: expected 1 to 2147483647, got 0");
  EXPECT_EQ(error(requestOf(-5, 64, 256, 1)),
            "M: expected 1 to 2147483647, got -5");
  EXPECT_EQ(error(requestOf(int64_t(1) << 31, 64, 256, 1)),
            "M: expected 1 to 2147483647, got 2147483648");
  EXPECT_EQ(error(requestOf(128, 64, 256, 2), 1),
            "L: expected 1, which this kernel is compiled for, got 2");
  KernelManifest odd = manifestOf(0);
  odd.shapes[2] = SizeRange();
  Result<Launch> launch = resolve(odd, requestOf(128, 64, 255, 1));
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error(),
            "a: expected a row of whole u8 elements, got 255 values of 4 bits; "
            "run it with the next even K and a zeroed last value");
}

TEST(Resolve, Grids) {
  KernelManifest manifest = manifestOf(1);
  auto gridOf = [&](const LaunchRequest &request) {
    Result<Launch> launch = resolve(manifest, request);
    EXPECT_TRUE(launch) << launch.error();
    return launch ? launch->grid : Dim3{0, 0, 0};
  };
  EXPECT_EQ(gridOf(requestOf(129, 257, 64, 1)), (Dim3{6, 1, 1}));
  manifest.grid.splitK = 4;
  EXPECT_EQ(gridOf(requestOf(129, 257, 64, 1)), (Dim3{24, 1, 1}));
  manifest.cluster = {2, 1, 1};
  manifest.grid = GridDescription();
  // 2 x 3 tiles, already a multiple of the cluster; 1 x 3 is rounded up.
  EXPECT_EQ(gridOf(requestOf(129, 257, 64, 1)), (Dim3{6, 1, 1}));
  EXPECT_EQ(gridOf(requestOf(128, 257, 64, 1)), (Dim3{4, 1, 1}));
  manifest.grid.ctasPerTile = 2;
  EXPECT_EQ(gridOf(requestOf(128, 257, 64, 1)), (Dim3{6, 1, 1}));
  manifest.grid.rule = GridRule::TileGrid;
  EXPECT_EQ(gridOf(requestOf(129, 257, 64, 1)), (Dim3{4, 3, 1}));
  manifest.grid = GridDescription();
  manifest.grid.rule = GridRule::Persistent;
  LaunchRequest large = requestOf(4608, 12288, 3072, 1);
  EXPECT_EQ(gridOf(large), (Dim3{132, 1, 1}));
  large.smCount = 7; // an odd number of SMs: whole clusters only
  EXPECT_EQ(gridOf(large), (Dim3{6, 1, 1}));
  large.smCount = 1;
  EXPECT_EQ(gridOf(large), (Dim3{2, 1, 1}));
  EXPECT_EQ(gridOf(requestOf(1, 1, 64, 1)), (Dim3{2, 1, 1}));
  // 3 x 3 tiles, of which those of a cluster lie below or beside each other.
  EXPECT_EQ(gridOf(requestOf(384, 257, 64, 1)), (Dim3{10, 1, 1}));
  manifest.grid.togetherM = 2;
  EXPECT_EQ(gridOf(requestOf(384, 257, 64, 1)), (Dim3{12, 1, 1}));
  EXPECT_EQ(gridOf(large), (Dim3{2, 1, 1})); // on one SM
  manifest.grid.rule = GridRule::Tile;
  EXPECT_EQ(gridOf(requestOf(384, 257, 64, 1)), (Dim3{12, 1, 1}));
  manifest.grid.togetherM = 1;
  manifest.grid.togetherN = 2;
  EXPECT_EQ(gridOf(requestOf(129, 257, 64, 1)), (Dim3{8, 1, 1}));
  EXPECT_EQ(gridOf(requestOf(1, 1, 64, 1)), (Dim3{2, 1, 1}));
  manifest.grid.rule = GridRule::Fixed;
  manifest.grid.size = {4, 5, 6};
  EXPECT_EQ(gridOf(large), (Dim3{4, 5, 6}));
  manifest.grid = GridDescription();
  manifest.tile = {1, 1, 1};
  Result<Launch> launch =
      resolve(manifest, requestOf(INT32_MAX, INT32_MAX, 64, 1));
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error(),
            "$.grid[0]: expected at most 2147483647 CTAs, got "
            "4611686014132420610; use larger tiles or a persistent kernel");
}

TEST(Resolve, Workspace) {
  KernelManifest manifest = manifestOf(1);
  ManifestParam pointer;
  pointer.kind = ManifestParam::Kind::Pointer;
  pointer.role = Role::Workspace;
  manifest.params.insert(manifest.params.begin() + 5, pointer);
  EXPECT_EQ(validateManifest(manifest),
            "$.params[5]: expected the size of the workspace in $.workspace");
  manifest.workspace.bytes = 256;
  manifest.workspace.bytesPerTile = 4;
  Result<KernelManifest> again = parseManifest(writeManifest(manifest));
  ASSERT_TRUE(again) << again.error();
  LaunchRequest request = requestOf(129, 257, 64, 1);
  Result<int64_t> bytes = workspaceBytes(*again, request);
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(*bytes, 256 + 4 * 6);
  request.operands[Role::Workspace].data.buffer = "workspace";
  Result<Launch> launch = resolve(*again, request);
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[5].pointer.buffer, "workspace");
  manifest.workspace.bytesPerTile = INT64_MAX;
  EXPECT_FALSE(workspaceBytes(manifest, request));
}

TEST(Resolve, EmptyProblems) {
  KernelManifest manifest = manifestOf(1);
  Result<Launch> launch = resolve(manifest, requestOf(0, 64, 64, 1));
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_TRUE(launch->isEmpty());
  // K = 0 is launched: the result is beta * C + bias.
  launch = resolve(manifest, requestOf(64, 64, 0, 1));
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_FALSE(launch->isEmpty());
  EXPECT_EQ(launch->params[0].map.dims, (Numbers{1, 64}));
  EXPECT_EQ(launch->params[7].integer, 0);
  EXPECT_EQ(launch->params[10].floatBits, 0x3F800000u); // alpha = 1
}

TEST(Resolve, PaddedElements) {
  KernelManifest manifest = manifestOf(0);
  manifest.problem.a = target::ElementType::E4M3;
  manifest.problem.scaleType = target::ElementType::UE8M0;
  manifest.problem.scaleVector = 32;
  manifest.params[1].element = target::TensorMapElement::U4Align16B;
  Result<Launch> launch = resolve(manifest, requestOf(130, 72, 1152, 2));
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[0].map.dims, (Numbers{1152, 130, 2}));
  EXPECT_EQ(launch->params[1].map.dims, (Numbers{1152, 72, 2}));
  // 576 bytes are whole 32-byte units.
  EXPECT_EQ(launch->params[1].map.stridesBytes, (Numbers{576, 576 * 72}));
  launch = resolve(manifest, requestOf(130, 72, 1000, 2));
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error(),
            "b.dims[0]: expected a multiple of 128 for u4_align16B, got 1000");
  manifest.shapes[2].min = 0;
  launch = resolve(manifest, requestOf(130, 72, 0, 2));
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[1].map.dims, (Numbers{128, 72, 2}));
}

TEST(Resolve, WideScaleElements) {
  KernelManifest manifest = manifestOf(0);
  manifest.params[2].element = target::TensorMapElement::U16;
  manifest.params[2].box = {256, 4, 1, 1};
  Result<Launch> launch = resolve(manifest, requestOf(130, 72, 1000, 3));
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[2].map.dims, (Numbers{256, 16, 2, 3}));
  EXPECT_EQ(launch->params[2].map.stridesBytes, (Numbers{512, 8192, 16384}));
}

TEST(Resolve, LinearScalesAndVectors) {
  KernelManifest manifest = manifestOf(0);
  manifest.problem.scaleLayout = ScaleLayout::Linear;
  for (int i : {2, 3}) {
    manifest.params[i].view = View::Matrix;
    manifest.params[i].box = {16, 128, 1};
  }
  LaunchRequest request = requestOf(130, 72, 1000, 3);
  Result<Launch> launch = resolve(manifest, request);
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[2].map.dims, (Numbers{63, 130, 3}));
  EXPECT_EQ(launch->params[2].map.stridesBytes, (Numbers{64, 64 * 130}));
  request.operands[Role::SFA].pitch = 63;
  launch = resolve(manifest, request);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error(), "sfa.strides_bytes[0]: expected a multiple of 16 "
                            "bytes for u8, got 63; the next one is 64");
}

TEST(Resolve, CAsTensorMapWithoutBeta) {
  KernelManifest manifest = manifestOf(0);
  manifest.problem.c = target::ElementType::F16;
  ManifestParam c = manifest.params[4];
  c.role = Role::C;
  manifest.params.insert(manifest.params.begin() + 4, c);
  LaunchRequest request = requestOf(128, 64, 256, 1);
  Result<Launch> launch = resolve(manifest, request);
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[4].map.dims, (Numbers{1, 1, 1}));
  request.beta = 2;
  launch = resolve(manifest, request);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error(), "c: expected memory for this operand, got none");
}

TEST(Resolve, CWithoutBeta) {
  KernelManifest manifest = manifestOf(1);
  manifest.problem.c = target::ElementType::BF16;
  ManifestParam c;
  c.kind = ManifestParam::Kind::Pointer;
  c.role = Role::C;
  manifest.params.insert(manifest.params.begin() + 2, c);
  LaunchRequest request = requestOf(64, 64, 64, 1);
  Result<Launch> launch = resolve(manifest, request);
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->params[2].kind, LaunchParam::Kind::Null);
  request.beta = 1;
  launch = resolve(manifest, request);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error(), "c: expected memory for this operand, got none");
}

} // namespace
