//===- TensorMapTest.cpp - boxes and the limits of tensor maps ------------===//
//
// Where the emulator's tensor copies put the bytes of a box against the
// layouts that the compiler builds on them, and which tensor maps the runtime
// and the emulator take (PTX ISA, "Tensors"; CUDA driver API,
// cuTensorMapEncodeTiled).
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include "bsmm/Runtime/LaunchDescription.h"

#include <random>
#include <vector>

using namespace bsmm;
using namespace bsmm::crosscheck;
namespace units = bsmm::emulator::units;

namespace {

constexpr uint64_t globalBase = uint64_t(1) << 40;

/// For each byte of shared memory the offset in the tensor that a load brings
/// there; -1 for bytes that are not written, -2 for fill.
std::vector<int64_t> tracedLoad(const units::TensorMap &map,
                                std::vector<int32_t> coordinates,
                                uint32_t sharedAddress, size_t sharedBytes) {
  std::vector<int64_t> origin(sharedBytes, -1);
  EXPECT_EQ(units::checkTensorMap(map), "");
  EXPECT_EQ(units::checkTransfer(map, units::TransferDirection::Load,
                                 coordinates.data(), sharedAddress),
            "");
  units::BoxWalker walker(map, coordinates.data(), sharedAddress,
                          units::TransferDirection::Load);
  units::BoxPiece piece;
  while (walker.next(piece))
    for (uint32_t i = 0; i < piece.bytes; ++i) {
      EXPECT_EQ(origin.at(piece.sharedAddress + i), -1) << "written twice";
      bool valid = i >= piece.validBegin && i < piece.validEnd;
      origin.at(piece.sharedAddress + i) =
          valid ? int64_t(piece.globalAddress + i - map.globalAddress) : -2;
    }
  return origin;
}

//===----------------------------------------------------------------------===//
// Operand boxes
//===----------------------------------------------------------------------===//

/// A K-major tile is one box a panel, and the panels together are
/// kMajorOperand.
TEST(CrossCheckTensorMap, OperandPanels) {
  struct Element {
    units::TensorMapElement element;
    uint32_t bytes;
  };
  const Element elements[] = {{units::TensorMapElement::UInt8, 1},
                              {units::TensorMapElement::Float16, 2},
                              {units::TensorMapElement::BFloat16, 2},
                              {units::TensorMapElement::Float32, 4}};
  const int64_t pitch = 1040, tensorRows = 600;
  for (unsigned s = 0; s < numKMajorSwizzles; ++s)
    for (const Element &element : elements)
      for (int64_t rows : {8, 64, 96, 128, 256})
        for (int64_t rowBytes : {128, 256}) {
          const SwizzlePair &pair = swizzlePairs[s];
          int64_t width = layout::swizzleWidth(pair.layout);
          SCOPED_TRACE(std::string(layout::swizzleName(pair.layout)) + " " +
                       std::to_string(element.bytes) + " bytes, " +
                       std::to_string(rows) + " x " + std::to_string(rowBytes));
          units::TensorMap map;
          map.element = element.element;
          map.rank = 2;
          map.globalAddress = globalBase;
          map.dims[0] = 1024 / element.bytes;
          map.dims[1] = tensorRows;
          map.strides[1] = pitch;
          map.box[0] = uint32_t(width / element.bytes);
          map.box[1] = uint32_t(rows);
          map.swizzle = pair.map;
          layout::OperandStrides strides =
              layout::kMajorStrides(pair.layout, rows);
          layout::TiledLayout tile =
              get(layout::kMajorOperand(pair.layout, rows, rowBytes));
          int64_t start = 2 * layout::sharedTileAlignment(pair.layout);
          const int64_t firstByte = 256, firstRow = 40;
          ASSERT_EQ(units::boxTransactionBytes(map), uint64_t(strides.panel));
          ASSERT_EQ(units::boxSharedBytes(map), uint64_t(strides.panel));
          for (int64_t panel = 0; panel < rowBytes / width; ++panel) {
            std::vector<int64_t> origin = tracedLoad(
                map,
                {int32_t((firstByte + panel * width) / element.bytes),
                 int32_t(firstRow)},
                uint32_t(start + panel * strides.panel), 1 << 17);
            for (int64_t row = 0; row < rows; ++row)
              for (int64_t byte = 0; byte < width; ++byte) {
                int64_t inRow = panel * width + byte;
                int64_t expected = (firstRow + row) * pitch + firstByte + inRow;
                ASSERT_EQ(origin[start + layout::kMajorOffset(pair.layout, rows,
                                                              row, inRow)],
                          expected)
                    << "row " << row << " byte " << inRow;
                if (byte % 16 == 0) {
                  ASSERT_EQ(origin[start + get(tile.apply({{"row", row},
                                                           {"byte", inRow}}))
                                               .at("offset")],
                            expected);
                }
              }
          }
        }
}

/// 4- and 6-bit elements: the packed rows of ElementPacking, and the bytes that
/// a barrier is told of.
TEST(CrossCheckTensorMap, SubByteRows) {
  struct Case {
    layout::ElementPacking packing;
    units::TensorMapElement element;
    target::TensorMapElement table;
  };
  const Case cases[] = {{layout::ElementPacking::Packed4,
                         units::TensorMapElement::Packed16U4Align8B,
                         target::TensorMapElement::U4Align8B},
                        {layout::ElementPacking::Bytes,
                         units::TensorMapElement::UInt8,
                         target::TensorMapElement::U8},
                        {layout::ElementPacking::Padded4,
                         units::TensorMapElement::Packed16U4Align16B,
                         target::TensorMapElement::U4Align16B},
                        {layout::ElementPacking::Padded6,
                         units::TensorMapElement::Packed16U6Align16B,
                         target::TensorMapElement::U6Align16B}};
  for (const Case &test : cases)
    for (bool swizzled : {false, true}) {
      const int64_t rows = 24, elements = 128, pitch = 512;
      int64_t bits = layout::elementBits(test.packing);
      const target::TensorMapElementInfo &row = target::info(test.table);
      SCOPED_TRACE(std::string(row.name));
      ASSERT_EQ(int64_t(units::elementBits(test.element)), bits);
      ASSERT_EQ(row.globalBits, bits);
      int64_t shared = get(layout::sharedBytes(test.packing, elements));
      ASSERT_EQ(row.sharedBits * elements / 8, shared);
      units::TensorMap map;
      map.element = test.element;
      map.rank = 2;
      map.globalAddress = globalBase;
      map.dims[0] = 512;
      map.dims[1] = 64;
      map.strides[1] = pitch;
      map.box[0] = elements;
      map.box[1] = rows;
      layout::SwizzleMode mode = layout::SwizzleMode::None;
      if (swizzled) {
        map.swizzle = shared == 128 ? units::TensorMapSwizzle::Bytes128
                                    : units::TensorMapSwizzle::Bytes64;
        mode = shared == 128 ? layout::SwizzleMode::Bytes128
                             : layout::SwizzleMode::Bytes64;
      }
      ASSERT_EQ(
          units::boxTransactionBytes(map),
          uint64_t(rows * get(layout::packedBytes(test.packing, elements))));
      ASSERT_EQ(units::boxSharedBytes(map), uint64_t(rows * shared));
      layout::TiledLayout packed =
          get(layout::packedRow(test.packing, elements));
      std::vector<int64_t> origin = tracedLoad(map, {128, 5}, 2048, 1 << 16);
      int64_t written = 0;
      for (int64_t place : origin)
        written += place >= 0;
      ASSERT_EQ(written, rows * elements * bits / 8);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < elements; ++i) {
          int64_t low = get(packed.apply({{"k", i}})).at("bit");
          for (int64_t bit = low; bit < low + bits; ++bit) {
            int64_t at = origin[2048 + layout::swizzledOffset(
                                           mode, r * shared + bit / 8)];
            // The same bit of the packed row in global memory.
            int64_t global = (128 + i) * bits + bit - low;
            ASSERT_EQ(at, (5 + r) * pitch + global / 8);
            ASSERT_EQ(bit % 8, global % 8);
          }
        }
    }
}

/// The scale box [1, rows, groups, 2, 256] brings what scaleTileChain says, at
/// any tile of a blocked tensor.
TEST(CrossCheckTensorMap, ScaleBox) {
  const int64_t rows = 640, groups = 24, batches = 2;
  const int64_t rowTiles = rows / 128, groupTiles = groups / 4;
  for (int64_t restM : {1, 2, 3})
    for (int64_t restK : {1, 2, 5}) {
      units::TensorMap map;
      map.rank = 5;
      map.globalAddress = globalBase;
      const int64_t dims[5] = {256, 2, groupTiles, rowTiles, batches};
      const int64_t box[5] = {256, 2, restK, restM, 1};
      int64_t stride = 256;
      for (int i = 0; i < 5; ++i) {
        map.dims[i] = uint64_t(dims[i]);
        map.box[i] = uint32_t(box[i]);
        if (i)
          map.strides[i] = uint64_t(stride);
        if (i)
          stride *= dims[i];
      }
      layout::IndexChain chain = get(layout::scaleTileChain(restM, restK));
      layout::IndexChain written = get(
          get(get(get(layout::IndexChain::rowMajor({1, restM, restK, 2, 256}))
                      .reshape({restM, restK, 32, 4, 4}))
                  .transpose({0, 3, 2, 1, 4}))
              .reshape({restM * 128, restK * 4}));
      ASSERT_EQ(chain, written);
      const int64_t firstM = 1, firstK = 1, batch = 1, start = 1024;
      std::vector<int64_t> origin = tracedLoad(
          map, {0, 0, int32_t(firstK), int32_t(firstM), int32_t(batch)},
          uint32_t(start), 1 << 17);
      ASSERT_EQ(units::boxTransactionBytes(map), uint64_t(restM * restK * 512));
      for (int64_t m = 0; m < restM * 128; ++m)
        for (int64_t g = 0; g < restK * 4; ++g)
          ASSERT_EQ(origin[start + chain.offset({m, g})],
                    layout::blockedScaleOffset(batch, firstM * 128 + m,
                                               firstK * 4 + g, rows, groups));
    }
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

runtime::TensorMap toRuntime(const units::TensorMap &map) {
  runtime::TensorMap result;
  result.data.address = map.globalAddress;
  result.element = static_cast<target::TensorMapElement>(map.element);
  for (uint32_t i = 0; i < map.rank && i < 5; ++i) {
    result.dims.push_back(int64_t(map.dims[i]));
    if (i)
      result.stridesBytes.push_back(int64_t(map.strides[i]));
    result.box.push_back(map.box[i]);
    result.elementStrides.push_back(map.elementStrides[i]);
  }
  result.swizzle = static_cast<target::Swizzle>(map.swizzle);
  result.nanFill = map.fill == units::TensorMapFill::NaN;
  return result;
}

/// A map that is mostly legal, with up to three fields spoiled.
units::TensorMap randomMap(std::mt19937_64 &random) {
  auto pick = [&](std::initializer_list<uint64_t> values) {
    return values.begin()[random() % values.size()];
  };
  units::TensorMap map;
  map.element = static_cast<units::TensorMapElement>(random() % 16);
  uint32_t bits = units::elementBits(map.element);
  bool padded = map.element >= units::TensorMapElement::Packed16U4Align16B;
  map.rank = 1 + uint32_t(random() % 5);
  map.globalAddress = random() % (uint64_t(1) << 47) / 32 * 32;
  map.swizzle = static_cast<units::TensorMapSwizzle>(random() % 7);
  uint32_t span = map.swizzle == units::TensorMapSwizzle::None      ? 256
                  : map.swizzle == units::TensorMapSwizzle::Bytes32 ? 32
                  : map.swizzle == units::TensorMapSwizzle::Bytes64 ? 64
                                                                    : 128;
  for (uint32_t i = 0; i < map.rank; ++i) {
    map.dims[i] = pick({1, 2, 128, 256, 640, 4096, uint64_t(1) << 31,
                        (uint64_t(1) << 32) - 128, uint64_t(1) << 32});
    map.strides[i] =
        i ? random() % (uint64_t(1) << (5 + random() % 35)) / 32 * 32 : 0;
    // Most boxes of five dimensions are too large unless some are thin.
    map.box[i] = 1 + uint32_t(random() % (random() % 3 ? 6 : 256));
    map.elementStrides[i] = random() % 4 ? 1 : 1 + uint32_t(random() % 8);
  }
  if (padded) {
    map.dims[0] = 128 * (1 + random() % 100);
    map.box[0] = 128;
  } else {
    uint32_t steps = span / 16;
    map.box[0] = 128 / bits * (1 + uint32_t(random() % steps));
    if (map.element == units::TensorMapElement::Packed16U4Align8B)
      map.dims[0] += map.dims[0] % 2;
  }
  if (random() % 4 == 0)
    map.fill = units::TensorMapFill::NaN;
  for (uint64_t spoil = random() % 4; spoil > 1; --spoil) {
    uint32_t i = uint32_t(random() % map.rank);
    switch (random() % 9) {
    case 0:
      map.globalAddress += pick({1, 8, 16, 32, uint64_t(1) << 56,
                                 uint64_t(1) << 57, uint64_t(1) << 63});
      break;
    case 1:
      map.dims[i] = pick({0, 1, 3, 127, (uint64_t(1) << 32) + 1,
                          uint64_t(1) << 33, uint64_t(1) << 62});
      break;
    case 2:
      map.strides[i] = i ? pick({0, 8, 16, 48, (uint64_t(1) << 40) - 16,
                                 (uint64_t(1) << 40) - 32, uint64_t(1) << 40,
                                 uint64_t(1) << 41, uint64_t(1) << 62})
                         : 0;
      break;
    case 3:
      map.box[i] = uint32_t(
          pick({0, 1, 7, 8, 15, 17, 127, 255, 256, 257, 1024, 0x7fffffff}));
      break;
    case 4:
      map.elementStrides[i] = uint32_t(pick({0, 8, 9, 255}));
      break;
    case 5:
      map.element = static_cast<units::TensorMapElement>(random() % 16);
      break;
    case 6:
      map.swizzle = static_cast<units::TensorMapSwizzle>(random() % 7);
      break;
    case 7:
      map.fill = units::TensorMapFill::NaN;
      break;
    case 8:
      map.box[0] = uint32_t(1 + random() % 256);
      break;
    }
  }
  return map;
}

TEST(CrossCheckTensorMap, Legality) {
  std::mt19937_64 random(6);
  unsigned legal = 0, illegal = 0, unsupported = 0;
  for (int i = 0; i < 200000; ++i) {
    units::TensorMap map = randomMap(random);
    std::string theirs = units::checkTensorMap(map);
    std::string ours = runtime::validateTensorMap(toRuntime(map), "map");
    // The one difference: the emulator does not model two swizzle modes that
    // cuTensorMapEncodeTiled takes.
    if (map.swizzle == units::TensorMapSwizzle::Bytes128Atom32BFlip8B ||
        map.swizzle == units::TensorMapSwizzle::Bytes128Atom64B) {
      ASSERT_NE(theirs, "");
      ++unsupported;
      continue;
    }
    ASSERT_EQ(ours.empty(), theirs.empty())
        << "runtime: " << ours << "\nemulator: " << theirs;
    ++(ours.empty() ? legal : illegal);
    // Named buffers are aligned to 256 bytes: only the offset counts.
    if (map.globalAddress < uint64_t(1) << 62) {
      runtime::TensorMap named = toRuntime(map);
      named.data.buffer = "a";
      named.data.offset = int64_t(map.globalAddress);
      ASSERT_EQ(runtime::validateTensorMap(named, "map"), ours);
    }
  }
  EXPECT_GT(legal, 20000u);
  EXPECT_GT(illegal, 20000u);
  EXPECT_GT(unsupported, 20000u);
}

/// What a barrier is told of one load. cuTensorMapEncodeTiled: with an element
/// stride s a box of n elements brings ceil(n / s); dimension 0 has no stride
/// without interleave.
TEST(CrossCheckTensorMap, TransactionBytes) {
  std::mt19937_64 random(7);
  unsigned compared = 0;
  for (int i = 0; i < 100000; ++i) {
    units::TensorMap map = randomMap(random);
    if (!units::checkTensorMap(map).empty())
      continue;
    ++compared;
    std::string strides;
    for (uint32_t d = 0; d < map.rank; ++d)
      strides += std::to_string(map.box[d]) + "/" +
                 std::to_string(map.elementStrides[d]) + " ";
    ASSERT_EQ(runtime::boxBytes(toRuntime(map)),
              int64_t(units::boxTransactionBytes(map)))
        << "box / element strides: " << strides;
  }
  EXPECT_GT(compared, 10000u);
}

TEST(CrossCheckTensorMap, SameElementsAndSwizzles) {
  for (unsigned i = 0; i < target::numTensorMapElements; ++i) {
    auto element = static_cast<units::TensorMapElement>(i);
    const target::TensorMapElementInfo &row = target::tensorMapElements[i];
    EXPECT_EQ(row.globalBits, units::elementBits(element)) << row.name;
    // The NaN fill exists for floating-point types only.
    units::TensorMap map;
    map.element = element;
    map.dims[0] = 128;
    map.box[0] = 128;
    map.fill = units::TensorMapFill::NaN;
    EXPECT_EQ(units::checkTensorMap(map).empty(), row.isFloat) << row.name;
  }
}

} // namespace
