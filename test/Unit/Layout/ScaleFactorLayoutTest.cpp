//===- ScaleFactorLayoutTest.cpp ------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/Obligation.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Layout/TensorMemory.h"

#include <limits>
#include <set>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

static constexpr int64_t int64Max = std::numeric_limits<int64_t>::max();

TEST(ScaleFactorLayout, Tile) {
  std::set<int64_t> places;
  for (int64_t m = 0; m < 128; ++m)
    for (int64_t g = 0; g < 4; ++g) {
      int64_t expected = (m % 32) * 16 + (m / 32 % 4) * 4 + g % 4;
      EXPECT_EQ(get(scaleTile().apply({{"m", m}, {"group", g}})),
                (Coordinates{{"offset", expected}}));
      EXPECT_EQ(blockedScaleOffset(m, g, 4), expected);
      places.insert(expected);
    }
  EXPECT_EQ(places.size(), 512u);
  EXPECT_TRUE(scaleTile().isSurjective());
  EXPECT_EQ(scaleTile().str(),
            "(group:2, m:7) -> (offset:9) group=[1, 2] m=[16, 32, 64, 128, "
            "256, 4, 8]");
}

TEST(ScaleFactorLayout, BlockedTensorsOfEverySize) {
  for (int64_t rows : {1, 16, 127, 128, 129, 255, 300, 384})
    for (int64_t groups = 1; groups <= 9; ++groups) {
      int64_t rowTiles = (rows + 127) / 128, groupTiles = (groups + 3) / 4;
      int64_t bytes = rowTiles * groupTiles * 512;
      EXPECT_EQ(blockedScaleBytes(rows, groups), bytes);
      TiledLayout layout = get(blockedScaleLayout(rows, groups, 2));
      EXPECT_EQ(layout.extent("m"), rowTiles * 128);
      EXPECT_EQ(layout.extent("group"), groupTiles * 4);
      EXPECT_EQ(layout.outputExtent("offset"), 2 * bytes);
      EXPECT_TRUE(get(layout.isInjective()));
      std::set<int64_t> places;
      for (int64_t m = 0; m < rowTiles * 128; ++m)
        for (int64_t g = 0; g < groupTiles * 4; ++g) {
          int64_t tile = (m / 128) * groupTiles + g / 4;
          int64_t expected =
              tile * 512 + (m % 32) * 16 + (m / 32 % 4) * 4 + g % 4;
          ASSERT_EQ(blockedScaleOffset(m, g, groups), expected);
          ASSERT_EQ(blockedScaleOffset(1, m, g, rows, groups),
                    expected + bytes);
          if (m % 7 == 0) {
            ASSERT_EQ(get(layout.apply(
                          {{"m", m}, {"group", g}, {"batch", 1}}))["offset"],
                      expected + bytes);
          }
          places.insert(expected);
        }
      EXPECT_EQ(int64_t(places.size()), bytes);
      EXPECT_EQ(*places.rbegin(), bytes - 1);
    }
}

TEST(ScaleFactorLayout, SizesAndOffsetsInSixtyFourBits) {
  EXPECT_EQ(blockedScaleBytes(0, 5), 0);
  EXPECT_EQ(blockedScaleBytes(5, 0), 0);
  EXPECT_EQ(blockedScaleBytes(-1, 4), -1);
  EXPECT_EQ(blockedScaleBytes(4, -1), -1);
  EXPECT_EQ(blockedScaleBytes(int64Max, 1), -1);
  EXPECT_EQ(blockedScaleBytes(int64Max, int64Max), -1);
  // 2^24 rows by 2^16 groups: 2^40 bytes, beyond 32 bits.
  EXPECT_EQ(blockedScaleBytes(1 << 24, 1 << 16), int64_t(1) << 40);
  EXPECT_EQ(blockedScaleOffset((1 << 24) - 1, (1 << 16) - 1, 1 << 16),
            (int64_t(1) << 40) - 1);
  EXPECT_EQ(blockedScaleOffset(-1, 0, 4), -1);
  EXPECT_EQ(blockedScaleOffset(0, -2, 4), -1);
  EXPECT_EQ(blockedScaleOffset(0, 0, -4), -1);
  EXPECT_EQ(blockedScaleOffset(0, 0, 0), -1);
  EXPECT_EQ(blockedScaleOffset(0, 7, 5), 512 + 3);
  EXPECT_EQ(blockedScaleOffset(0, 8, 5), -1);
  EXPECT_EQ(blockedScaleOffset(int64Max, 0, int64Max), -1);
  EXPECT_EQ(blockedScaleOffset(-1, 0, 0, 128, 4), -1);
  EXPECT_EQ(blockedScaleOffset(0, 128, 0, 128, 4), -1);
  EXPECT_EQ(blockedScaleOffset(int64Max, 0, 0, 128, 4), -1);
  expectError(blockedScaleLayout(0, 4), "at least one row, group and batch");
  expectError(blockedScaleLayout(128, 4, 0), "at least one row");
  expectError(blockedScaleLayout(int64Max, int64Max), "exceed 64-bit");
  expectError(blockedScaleLayout(int64Max, 1), "exceed 64-bit");
  expectError(blockedScaleLayout(128, 4, int64Max), "2^62");
}

TEST(ScaleFactorLayout, ChainOfTheLoadedBox) {
  for (int64_t restM = 1; restM <= 5; ++restM)
    for (int64_t restK = 1; restK <= 5; ++restK) {
      IndexChain expected = get(scaleTileChain(restM, restK));
      ASSERT_EQ(expected.shape(),
                (std::vector<int64_t>{restM * 128, restK * 4}));
      for (int64_t m = 0; m < restM * 128; ++m)
        for (int64_t g = 0; g < restK * 4; ++g)
          ASSERT_EQ(expected.offset({m, g}),
                    blockedScaleOffset(m, g, restK * 4));
      // The chain that programs write after the load of the box.
      IndexChain box = get(IndexChain::rowMajor({1, restM, restK, 2, 256}));
      IndexChain chain = get(get(get(box.reshape({restM, restK, 32, 4, 4}))
                                     .transpose({0, 3, 2, 1, 4}))
                                 .reshape({restM * 128, restK * 4}));
      EXPECT_EQ(chain, expected);
      EXPECT_EQ(chain.describeMismatch(expected), "");
      // With a transpose that exchanges 32 and 4 it is refused.
      IndexChain wrong = get(get(get(box.reshape({restM, restK, 32, 4, 4}))
                                     .transpose({0, 2, 3, 1, 4}))
                                 .reshape({restM * 128, restK * 4}));
      auto mismatch = wrong.firstMismatch(expected);
      ASSERT_TRUE(mismatch);
      EXPECT_EQ(mismatch->coordinate, (std::vector<int64_t>{1, 0}));
      EXPECT_EQ(mismatch->expected, 16);
      EXPECT_EQ(mismatch->actual, 4);
      // Without a transpose the factors do not even come out as rows.
      EXPECT_NE(get(box.reshape({restM * 128, restK * 4})), expected);
    }
  expectError(scaleTileChain(0, 1), "got 0 x 1");
  expectError(scaleTileChain(1, -1), "got 1 x -1");
  expectError(scaleTileChain(int64Max, 1), "expected 1 to 2^40");
  expectError(scaleTileChain(int64_t(1) << 40, int64_t(1) << 40),
              "exceed 64-bit");
}

TEST(ScaleFactorLayout, SixDimensionalViewIsTheSamePhysicalOrder) {
  // The user's view [32, 4, rest_m, 4, rest_k, L] has the physical order
  // L, rest_m, rest_k, 32, 4, 4.
  int64_t restM = 3, restK = 2, batches = 2;
  IndexChain view =
      get(get(IndexChain::rowMajor({batches, restM, restK, 32, 4, 4}))
              .transpose({3, 4, 1, 5, 2, 0}));
  for (int64_t l = 0; l < batches; ++l)
    for (int64_t m = 0; m < restM * 128; ++m)
      for (int64_t g = 0; g < restK * 4; ++g)
        ASSERT_EQ(view.offset({m % 32, m / 32 % 4, m / 128, g % 4, g / 4, l}),
                  blockedScaleOffset(l, m, g, restM * 128, restK * 4));
}

TEST(ScaleFactorLayout, TensorMemory) {
  const LinearLayout &layout = scaleTensorMemory();
  for (int64_t m = 0; m < 128; ++m)
    for (int64_t g = 0; g < 4; ++g)
      for (int64_t w = 0; w < 4; ++w)
        EXPECT_EQ(get(layout.apply({{"m", m}, {"group", g}, {"replica", w}})),
                  (Coordinates{{"lane", m % 32 + 32 * w},
                               {"column", m / 32},
                               {"byte", g}}));
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.replicationBits(), 2u);
}

TEST(ScaleFactorLayout, CopyPutsScalesWhereTheMmaReads) {
  for (int64_t offset = 0; offset < 512; ++offset)
    EXPECT_EQ(get(scaleCopySource().apply({{"offset", offset}})),
              (Coordinates{{"row", offset / 16}, {"byte", offset % 16}}));
  EXPECT_TRUE(bool(checkScaleCopy())) << checkScaleCopy().error();
  LinearMap source = get(scaleTile().compose(scaleCopySource()));
  LinearMap copied =
      get(get(source.product(get(LinearMap::identity({{"replica", 2}}))))
              .compose(copyLayout(CopyShape::Rows32Bits128)));
  EXPECT_EQ(copied, static_cast<const LinearMap &>(scaleTensorMemory()));
  // A tile in plain row-major order, (4 groups) x 128 rows, is told apart.
  LinearMap linear =
      get(LinearMap::get({{"m", {{"offset", {4, 8, 16, 32, 64, 128, 256}}}},
                          {"group", {{"offset", {1, 2}}}}},
                         {{"offset", 9}}));
  auto status =
      checkCopy(get(linear.compose(scaleCopySource())),
                copyLayout(CopyShape::Rows32Bits128), scaleTensorMemory());
  expectError(status, "(group 0, m 1, replica 0) belongs at (byte 0, column 0, "
                      "lane 1) but sits at (byte 0, column 1, lane 0)");
}

TEST(ScaleFactorLayout, ColumnsAndSteps) {
  EXPECT_EQ(scaleColumn(0, 0, 1), 0);
  EXPECT_EQ(scaleColumn(1, 0, 2), 4);
  EXPECT_EQ(scaleColumn(0, 1, 2), 8);
  EXPECT_EQ(scaleColumn(1, 3, 2), 28);
  // The scales of step j start at group j * scalesPerRow: the step's column and
  // id must be that group's column and byte.
  for (int64_t perRow : {1, 2, 4})
    for (int64_t blocks : {1, 2, 3})
      for (int64_t step = 0; step < 16; ++step) {
        ScaleStep found = get(scaleStep(perRow, step, blocks));
        int64_t group = step * perRow;
        EXPECT_EQ(found.column, scaleColumn(0, group / 4, blocks));
        EXPECT_EQ(found.id, group % 4);
        EXPECT_LE(found.id + perRow, 4);
      }
  EXPECT_EQ(get(scaleStep(1, 5, 2)).column, 8);
  EXPECT_EQ(get(scaleStep(1, 5, 2)).id, 1);
  EXPECT_EQ(get(scaleStep(2, 3, 1)).column, 4);
  EXPECT_EQ(get(scaleStep(2, 3, 1)).id, 2);
  EXPECT_EQ(get(scaleStep(4, 3, 1)).column, 12);
  EXPECT_EQ(get(scaleStep(4, 3, 1)).id, 0);
  expectError(scaleStep(3, 0, 1), "expected 1, 2 or 4 scales a row, got 3");
  expectError(scaleStep(4, -1, 1), "got -1");
  expectError(scaleStep(4, 0, 0), "got 0 and 0");
  expectError(scaleStep(4, int64Max, int64Max), "expected a step");
}

TEST(ScaleFactorLayout, CoverageOfTiles) {
  for (int64_t extent = 8; extent <= 256; extent += 8)
    for (int64_t start = 0; start <= 1024; ++start) {
      auto found = scaleCoverage(start, extent);
      EXPECT_EQ(bool(found), start % 32 == 0);
      if (!found)
        continue;
      std::set<int64_t> tiles;
      for (int64_t n = start; n < start + extent; ++n)
        tiles.insert(n / 128);
      EXPECT_EQ(found->firstTile, *tiles.begin());
      EXPECT_EQ(found->tiles, int64_t(tiles.size()));
      EXPECT_EQ(found->column, start % 128 / 32);
      // Column (n relative to the tile) / 32 counted from there must be the
      // column where the scales of n were copied to.
      for (int64_t n = start; n < start + extent; ++n) {
        int64_t copied =
            scaleColumn(n / 128 - found->firstTile, 0, found->tiles) +
            n % 128 / 32;
        EXPECT_EQ(found->column + (n - start) / 32, copied);
      }
    }
  EXPECT_EQ(get(maxScaleTiles(32, 32)), 1);
  EXPECT_EQ(get(maxScaleTiles(64, 64)), 1);
  EXPECT_EQ(get(maxScaleTiles(96, 96)), 2);
  EXPECT_EQ(get(maxScaleTiles(128, 128)), 1);
  EXPECT_EQ(get(maxScaleTiles(192, 192)), 2);
  EXPECT_EQ(get(maxScaleTiles(224, 224)), 3);
  EXPECT_EQ(get(maxScaleTiles(256, 256)), 2);
  for (int64_t extent = 16; extent <= 256; extent += 16)
    for (int64_t step = 32; step <= 256; step += 32) {
      int64_t most = 0;
      for (int64_t start = 0; start < 16 * step; start += step)
        most = std::max(most, get(scaleCoverage(start, extent)).tiles);
      EXPECT_EQ(get(maxScaleTiles(extent, step)), most);
    }
  expectError(maxScaleTiles(48, 48), "multiples of 32 columns, got multiples "
                                     "of 48");
  expectError(maxScaleTiles(32, 0), "got multiples of 0");
  expectError(maxScaleTiles(0, 32), "expected a positive tile extent, got 0");
  expectError(scaleCoverage(48, 96), "starts at a multiple of 32");
  expectError(scaleCoverage(-64, 64), "got -64");
  expectError(scaleCoverage(0, 0), "expected a positive tile extent, got 0");
  expectError(scaleCoverage(0, int64Max), "expected a positive tile extent");
}
