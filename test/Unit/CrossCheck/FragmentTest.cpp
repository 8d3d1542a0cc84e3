//===- FragmentTest.cpp - register fragments ------------------------------===//
//
// The fragments of wgmma and mma.sync as layouts and as the emulator's index
// formulas (PTX ISA, wgmma "Register fragments", "Matrix fragments for
// mma.m16n8k*").
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include "bsmm/Emulator/Units/Fragments.h"

using namespace bsmm;
using namespace bsmm::crosscheck;
using layout::Coordinates;
namespace units = bsmm::emulator::units;

namespace {

TEST(CrossCheckFragment, WgmmaAccumulator) {
  for (int64_t n = 8; n <= 256; n += 8) {
    layout::TiledLayout fragment = get(layout::wgmmaAccumulatorFragment(n));
    ASSERT_EQ(fragment.extent("register"), n / 2);
    for (uint32_t thread = 0; thread < 128; ++thread)
      for (uint32_t i = 0; i < n / 2; ++i) {
        Coordinates place = get(fragment.apply(
            {{"thread", thread % 32}, {"warp", thread / 32}, {"register", i}}));
        units::MatrixElement element = units::wgmmaAccumulator(thread, i);
        ASSERT_EQ(place.at("row"), element.row);
        ASSERT_EQ(place.at("column"), element.column);
      }
  }
}

TEST(CrossCheckFragment, WgmmaOperand) {
  const layout::LinearLayout &fragment = layout::wgmmaOperandFragment8Bit();
  for (uint32_t thread = 0; thread < 128; ++thread)
    for (uint32_t i = 0; i < 16; ++i) {
      Coordinates place = get(fragment.apply({{"thread", thread % 32},
                                              {"warp", thread / 32},
                                              {"register", i / 4},
                                              {"byte", i % 4}}));
      units::MatrixElement element = units::wgmmaAFragment(thread, i, 8);
      ASSERT_EQ(place.at("row"), element.row);
      ASSERT_EQ(place.at("k"), element.column);
    }
}

TEST(CrossCheckFragment, MmaSync) {
  struct Case {
    const layout::LinearLayout &a, &b;
    uint32_t bits, k;
    const char *unit;
  };
  const Case cases[] = {{layout::mmaOperandAFragment4Bit(),
                         layout::mmaOperandBFragment4Bit(), 4, 64, "nibble"},
                        {layout::mmaOperandAFragment8Bit(),
                         layout::mmaOperandBFragment8Bit(), 8, 32, "byte"}};
  for (const Case &test : cases) {
    int64_t perRegister = 32 / test.bits;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t i = 0; i < units::mmaAElements(test.k); ++i) {
        Coordinates place = get(test.a.apply({{"thread", lane},
                                              {"register", i / perRegister},
                                              {test.unit, i % perRegister}}));
        units::MatrixElement element = units::mmaAFragment(lane, i, test.bits);
        ASSERT_EQ(place.at("row"), element.row);
        ASSERT_EQ(place.at("k"), element.column);
      }
      for (uint32_t i = 0; i < units::mmaBElements(test.k); ++i) {
        Coordinates place = get(test.b.apply({{"thread", lane},
                                              {"register", i / perRegister},
                                              {test.unit, i % perRegister}}));
        units::MatrixElement element = units::mmaBFragment(lane, i, test.bits);
        ASSERT_EQ(place.at("k"), element.row);
        ASSERT_EQ(place.at("column"), element.column);
      }
    }
    ASSERT_EQ(1u << test.a.inputBits(), 32 * units::mmaAElements(test.k));
    ASSERT_EQ(1u << test.b.inputBits(), 32 * units::mmaBElements(test.k));
  }
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      Coordinates place = get(layout::mmaAccumulatorFragment().apply(
          {{"thread", lane}, {"register", i}}));
      units::MatrixElement element = units::mmaAccumulator(lane, i);
      ASSERT_EQ(place.at("row"), element.row);
      ASSERT_EQ(place.at("column"), element.column);
    }
}

TEST(CrossCheckFragment, MmaSyncScales) {
  for (uint32_t perRow : {1u, 2u, 4u}) {
    layout::LinearLayout a = get(layout::mmaScaleA(perRow));
    layout::LinearLayout b = get(layout::mmaScaleB(perRow));
    unsigned selectors = 0;
    for (uint32_t byte = 0; byte < 4; ++byte)
      for (uint32_t thread = 0; thread < 4; ++thread) {
        bool validA = units::mmaScaleSelectorsValid(perRow, byte, thread, 0, 0);
        bool validB = units::mmaScaleSelectorsValid(perRow, 0, 0, byte, thread);
        // The layouts count byte selectors in units of whole scale groups.
        Coordinates common = {{"byteSelector", byte / perRow},
                              {"threadSelector", thread}};
        bool whole = byte % perRow == 0;
        ASSERT_EQ(validA, whole && bool(a.apply(common)));
        ASSERT_EQ(validB, whole && bool(b.apply(common)));
        selectors += validA;
        for (uint32_t group = 0; group < perRow; ++group) {
          common["group"] = group;
          for (uint32_t row = 0; row < 16 && validA; ++row) {
            Coordinates at = common;
            at["row"] = row;
            Coordinates place = get(a.apply(at));
            ASSERT_EQ(place.at("thread"), units::mmaScaleLaneA(row, thread));
            ASSERT_EQ(place.at("byte"), byte + group);
          }
          for (uint32_t column = 0; column < 8 && validB; ++column) {
            Coordinates at = common;
            at["column"] = column;
            Coordinates place = get(b.apply(at));
            ASSERT_EQ(place.at("thread"), units::mmaScaleLaneB(column, thread));
            ASSERT_EQ(place.at("byte"), byte + group);
          }
        }
      }
    ASSERT_EQ(selectors, 2 * (4 / perRow));
  }
}

} // namespace
