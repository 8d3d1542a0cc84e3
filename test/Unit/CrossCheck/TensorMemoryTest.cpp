//===- TensorMemoryTest.cpp - tensor memory shapes ------------------------===//
//
// tcgen05.ld, .st, .cp and the accumulators as layouts and as the emulator's
// formulas (PTX ISA, "Tensor Memory", data movement shapes, data path layouts).
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include "bsmm/Emulator/Units/TensorMemoryShapes.h"

using namespace bsmm;
using namespace bsmm::crosscheck;
using layout::Coordinates;
namespace units = bsmm::emulator::units;

namespace {

struct TransferPair {
  layout::TransferShape layout;
  units::LoadStoreShape unit;
};
constexpr TransferPair transferPairs[] = {
    {layout::TransferShape::Lanes32Bits32, units::LoadStoreShape::S32x32b},
    {layout::TransferShape::Lanes16Bits64, units::LoadStoreShape::S16x64b},
    {layout::TransferShape::Lanes16Bits128, units::LoadStoreShape::S16x128b},
    {layout::TransferShape::Lanes16Bits256, units::LoadStoreShape::S16x256b},
    {layout::TransferShape::Lanes16Bits32x2, units::LoadStoreShape::S16x32bx2}};

void checkTransfer(const TransferPair &pair, int64_t repeat,
                   int64_t halfSplit) {
  layout::LinearLayout map =
      get(layout::transferLayout(pair.layout, repeat, halfSplit));
  uint32_t registers = units::loadStoreRegisters(pair.unit, uint32_t(repeat));
  ASSERT_EQ(registers, repeat * layout::transferRegisters(pair.layout));
  ASSERT_EQ(uint64_t(32) * registers, uint64_t(1) << map.inputBits());
  ASSERT_EQ(units::loadStoreColumns(pair.unit, uint32_t(repeat), false),
            repeat * layout::transferColumns(pair.layout));
  ASSERT_EQ(units::loadStoreLanes(pair.unit), 1u << map.outputBits("lane"));
  for (uint32_t thread = 0; thread < 32; ++thread)
    for (uint32_t i = 0; i < registers; ++i) {
      Coordinates place = get(map.apply({{"thread", thread}, {"register", i}}));
      units::TensorMemoryCell cell =
          units::loadStoreCell(pair.unit, thread, i, uint32_t(halfSplit));
      ASSERT_EQ(place.at("lane"), cell.lane);
      ASSERT_EQ(place.count("column") ? place.at("column") : 0, cell.column);
    }
}

TEST(CrossCheckTensorMemory, LoadAndStore) {
  for (const TransferPair &pair : transferPairs)
    for (int64_t repeat = 1; repeat <= 256; ++repeat) {
      SCOPED_TRACE(std::string(layout::transferShapeName(pair.layout)) + ".x" +
                   std::to_string(repeat));
      bool split = pair.layout == layout::TransferShape::Lanes16Bits32x2;
      bool exists = units::loadStoreRegisters(pair.unit, uint32_t(repeat)) != 0;
      ASSERT_EQ(exists, bool(layout::transferLayout(pair.layout, repeat,
                                                    split ? repeat : 0)));
      if (!exists)
        continue;
      if (!split) {
        checkTransfer(pair, repeat, 0);
        continue;
      }
      for (int64_t halfSplit = repeat; halfSplit + repeat <= 512;
           halfSplit += repeat * (repeat < 8 ? 5 : 1)) {
        checkTransfer(pair, repeat, halfSplit);
        if (HasFatalFailure())
          return;
      }
    }
}

TEST(CrossCheckTensorMemory, Copy) {
  struct Pair {
    layout::CopyShape layout;
    units::CopyShape unit;
  };
  const Pair pairs[] = {
      {layout::CopyShape::Rows128Bits256, units::CopyShape::S128x256b},
      {layout::CopyShape::Rows128Bits128, units::CopyShape::S128x128b},
      {layout::CopyShape::Rows4Bits256, units::CopyShape::S4x256b},
      {layout::CopyShape::Rows64Bits128Pairs02_13,
       units::CopyShape::S64x128bWarpx2_02_13},
      {layout::CopyShape::Rows64Bits128Pairs01_23,
       units::CopyShape::S64x128bWarpx2_01_23},
      {layout::CopyShape::Rows32Bits128, units::CopyShape::S32x128bWarpx4}};
  for (const Pair &pair : pairs) {
    SCOPED_TRACE(layout::copyShapeName(pair.layout));
    const layout::LinearLayout &map = layout::copyLayout(pair.layout);
    units::CopyShapeInfo info = units::copyShapeInfo(pair.unit);
    ASSERT_EQ(info.rows, 1u << map.inputBits("row"));
    ASSERT_EQ(info.rowBytes, 1u << map.inputBits("byte"));
    ASSERT_EQ(info.copies, 1u << map.inputBits("replica"));
    ASSERT_EQ(info.columns, 1u << map.outputBits("column"));
    for (uint32_t row = 0; row < info.rows; ++row)
      for (uint32_t byte = 0; byte < info.rowBytes; ++byte)
        for (uint32_t copy = 0; copy < info.copies; ++copy) {
          Coordinates place =
              get(map.apply({{"row", row}, {"byte", byte}, {"replica", copy}}));
          ASSERT_EQ(place.at("lane"), units::copyLane(pair.unit, row, copy));
          ASSERT_EQ(place.at("column"), byte / 4);
          ASSERT_EQ(place.at("byte"), byte % 4);
        }
  }
}

TEST(CrossCheckTensorMemory, Accumulators) {
  struct Pair {
    layout::AccumulatorLayout layout;
    units::AccumulatorLayout unit;
    uint32_t ctaGroup, m;
  };
  const Pair pairs[] = {
      {layout::AccumulatorLayout::A, units::AccumulatorLayout::A, 2, 256},
      {layout::AccumulatorLayout::B, units::AccumulatorLayout::B, 2, 128},
      {layout::AccumulatorLayout::D, units::AccumulatorLayout::D, 1, 128},
      {layout::AccumulatorLayout::F, units::AccumulatorLayout::F, 1, 64}};
  for (const Pair &pair : pairs) {
    units::AccumulatorLayout chosen;
    ASSERT_EQ(
        units::accumulatorLayout(pair.ctaGroup, pair.m, false, false, chosen),
        "");
    ASSERT_EQ(chosen, pair.unit);
    // PTX ISA, tcgen05 "Matrix shape": N in steps of 8, of 16 for a pair.
    int64_t step = pair.ctaGroup == 2 ? 16 : 8;
    for (int64_t n = 1; n <= 264; ++n) {
      SCOPED_TRACE("M " + std::to_string(pair.m) + " N " + std::to_string(n));
      auto tile = layout::accumulatorLayout(pair.layout, n);
      bool legal = n % step == 0 && n <= 256;
      ASSERT_EQ(bool(tile), legal);
      if (!legal)
        continue;
      ASSERT_EQ(tile->extent("m"), pair.m);
      ASSERT_EQ(tile->extent("n"), n);
      ASSERT_EQ(tile->outputExtent("column"),
                units::accumulatorColumns(pair.unit, uint32_t(n)));
      for (uint32_t m = 0; m < pair.m; ++m)
        for (uint32_t column = 0; column < n; ++column) {
          Coordinates place = get(tile->apply({{"m", m}, {"n", column}}));
          units::AccumulatorCell cell =
              units::accumulatorCell(pair.unit, m, column, uint32_t(n));
          ASSERT_EQ(place.at("lane"), cell.lane);
          ASSERT_EQ(place.at("column"), cell.column);
          ASSERT_EQ(place.count("cta") ? place.at("cta") : 0, cell.cta);
        }
    }
  }
}

/// The epilogue of M = 128 reads the row of its lane: 32x32b at lane 32 w, and
/// register i is column i.
TEST(CrossCheckTensorMemory, EpilogueReadsWhatTheMmaWrote) {
  for (uint32_t warp = 0; warp < 4; ++warp)
    for (uint32_t thread = 0; thread < 32; ++thread)
      for (uint32_t i = 0; i < 128; ++i) {
        units::TensorMemoryCell cell =
            units::loadStoreCell(units::LoadStoreShape::S32x32b, thread, i);
        Coordinates place =
            get(get(layout::accumulatorLayout(layout::AccumulatorLayout::D, 8))
                    .apply({{"m", 32 * warp + thread}, {"n", i % 8}}));
        ASSERT_EQ(place.at("lane"), 32 * warp + cell.lane);
        ASSERT_EQ(place.at("column") + i / 8 * 8, cell.column);
      }
}

} // namespace
