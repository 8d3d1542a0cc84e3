//===- Fragment.cpp - register fragments of wgmma and mma.sync ------------===//

#include "bsmm/Layout/Fragment.h"

using namespace bsmm::layout;

Result<TiledLayout> bsmm::layout::wgmmaAccumulatorFragment(int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return makeError("expected N of wgmma to be 8 to 256 in steps of 8, got ",
                     n);
  auto atom =
      LinearLayout::get({{"thread", {{"column", {2, 4}}, {"row", {1, 2, 4}}}},
                         {"warp", {{"row", {16, 32}}}},
                         {"register", {{"column", {1}}, {"row", {8}}}}},
                        {{"row", 6}, {"column", 3}});
  if (!atom)
    return Error{atom.error()};
  return TiledLayout::get(*atom, {{"register", n / 8, {{"column", 8}}}});
}

const LinearLayout &bsmm::layout::wgmmaOperandFragment8Bit() {
  static const LinearLayout layout =
      *LinearLayout::get({{"thread", {{"k", {4, 8}}, {"row", {1, 2, 4}}}},
                          {"warp", {{"row", {16, 32}}}},
                          {"register", {{"row", {8}}, {"k", {16}}}},
                          {"byte", {{"k", {1, 2}}}}},
                         {{"row", 6}, {"k", 5}});
  return layout;
}

const LinearLayout &bsmm::layout::mmaOperandAFragment4Bit() {
  static const LinearLayout layout =
      *LinearLayout::get({{"thread", {{"k", {8, 16}}, {"row", {1, 2, 4}}}},
                          {"register", {{"row", {8}}, {"k", {32}}}},
                          {"nibble", {{"k", {1, 2, 4}}}}},
                         {{"row", 4}, {"k", 6}});
  return layout;
}

const LinearLayout &bsmm::layout::mmaOperandBFragment4Bit() {
  static const LinearLayout layout =
      *LinearLayout::get({{"thread", {{"k", {8, 16}}, {"column", {1, 2, 4}}}},
                          {"register", {{"k", {32}}}},
                          {"nibble", {{"k", {1, 2, 4}}}}},
                         {{"k", 6}, {"column", 3}});
  return layout;
}

const LinearLayout &bsmm::layout::mmaOperandAFragment8Bit() {
  static const LinearLayout layout =
      *LinearLayout::get({{"thread", {{"k", {4, 8}}, {"row", {1, 2, 4}}}},
                          {"register", {{"row", {8}}, {"k", {16}}}},
                          {"byte", {{"k", {1, 2}}}}},
                         {{"row", 4}, {"k", 5}});
  return layout;
}

const LinearLayout &bsmm::layout::mmaOperandBFragment8Bit() {
  static const LinearLayout layout =
      *LinearLayout::get({{"thread", {{"k", {4, 8}}, {"column", {1, 2, 4}}}},
                          {"register", {{"k", {16}}}},
                          {"byte", {{"k", {1, 2}}}}},
                         {{"k", 5}, {"column", 3}});
  return layout;
}

const LinearLayout &bsmm::layout::mmaAccumulatorFragment() {
  static const LinearLayout layout =
      *LinearLayout::get({{"thread", {{"column", {2, 4}}, {"row", {1, 2, 4}}}},
                          {"register", {{"column", {1}}, {"row", {8}}}}},
                         {{"row", 4}, {"column", 3}});
  return layout;
}

/// The inputs that both operands share: which byte of the register.
static Result<LinearLayout> makeScaleLayout(int64_t scalesPerRow,
                                            InputDim element,
                                            InputDim threadSelector) {
  std::vector<int64_t> groups, selected;
  switch (scalesPerRow) {
  case 1:
    selected = {1, 2};
    break;
  case 2:
    groups = {1};
    selected = {2};
    break;
  case 4:
    groups = {1, 2};
    break;
  default:
    return makeError("expected 1, 2 or 4 scales a row, got ", scalesPerRow);
  }
  return LinearLayout::get({std::move(element),
                            std::move(threadSelector),
                            {"group", {{"byte", groups}}},
                            {"byteSelector", {{"byte", selected}}}},
                           {{"thread", 5}, {"byte", 2}});
}

Result<LinearLayout> bsmm::layout::mmaScaleA(int64_t scalesPerRow) {
  return makeScaleLayout(scalesPerRow, {"row", {{"thread", {4, 8, 16, 1}}}},
                         {"threadSelector", {{"thread", {2}}}});
}

Result<LinearLayout> bsmm::layout::mmaScaleB(int64_t scalesPerRow) {
  return makeScaleLayout(scalesPerRow, {"column", {{"thread", {4, 8, 16}}}},
                         {"threadSelector", {{"thread", {1, 2}}}});
}
