//===- TensorMapTest.cpp - Tensor maps and box transfers ------------------===//

#include "bsmm/Emulator/Units/TensorMap.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

using Bytes = std::vector<uint8_t>;

TensorMap matrix(TensorMapElement element, uint64_t columns, uint64_t rows,
                 uint64_t pitch, uint32_t boxColumns, uint32_t boxRows,
                 TensorMapSwizzle swizzle) {
  TensorMap map;
  map.element = element;
  map.rank = 2;
  map.dims[0] = columns;
  map.dims[1] = rows;
  map.strides[1] = pitch;
  map.box[0] = boxColumns;
  map.box[1] = boxRows;
  map.swizzle = swizzle;
  return map;
}

//===-- Limits ------------------------------------------------------------===//

TEST(TensorMap, Limits) {
  const TensorMap good = matrix(TensorMapElement::UInt8, 512, 256, 512, 128,
                                128, TensorMapSwizzle::Bytes128);
  EXPECT_EQ(checkTensorMap(good), "");
  auto accepted = [&](auto change) {
    TensorMap map = good;
    change(map);
    return checkTensorMap(map).empty();
  };
  using M = TensorMap;
  EXPECT_FALSE(accepted([](M &m) { m.rank = 0; }));
  EXPECT_FALSE(accepted([](M &m) { m.rank = 6; }));
  EXPECT_FALSE(accepted([](M &m) { m.globalAddress = 8; }));
  EXPECT_TRUE(accepted([](M &m) { m.globalAddress = 16; }));
  EXPECT_TRUE(
      accepted([](M &m) { m.globalAddress = (uint64_t(1) << 57) - 16; }));
  EXPECT_FALSE(accepted([](M &m) { m.globalAddress = uint64_t(1) << 57; }));
  EXPECT_FALSE(accepted([](M &m) { m.dims[1] = 0; }));
  EXPECT_TRUE(accepted([](M &m) { m.dims[1] = uint64_t(1) << 32; }));
  EXPECT_FALSE(accepted([](M &m) { m.dims[1] = (uint64_t(1) << 32) + 1; }));
  EXPECT_FALSE(accepted([](M &m) { m.strides[1] = 520; }));
  EXPECT_TRUE(accepted([](M &m) { m.strides[1] = 0; }));
  EXPECT_FALSE(accepted([](M &m) { m.strides[1] = uint64_t(1) << 40; }));
  EXPECT_TRUE(accepted([](M &m) { m.strides[1] = (uint64_t(1) << 40) - 16; }));
  EXPECT_FALSE(accepted([](M &m) { m.box[1] = 0; }));
  EXPECT_FALSE(accepted([](M &m) { m.box[1] = 257; }));
  EXPECT_TRUE(accepted([](M &m) { m.box[1] = 256; }));
  EXPECT_FALSE(accepted([](M &m) { m.box[0] = 100; }));
  EXPECT_TRUE(accepted([](M &m) { m.box[0] = 112; }));
  EXPECT_FALSE(accepted([](M &m) { m.box[0] = 144; })) << "wider than 128B";
  EXPECT_FALSE(accepted([](M &m) { m.swizzle = TensorMapSwizzle::Bytes64; }));
  EXPECT_FALSE(accepted([](M &m) { m.swizzle = TensorMapSwizzle::Bytes32; }));
  EXPECT_TRUE(accepted([](M &m) {
    m.swizzle = TensorMapSwizzle::None;
    m.box[0] = 256;
  }));
  EXPECT_FALSE(accepted([](M &m) { m.elementStrides[1] = 0; }));
  EXPECT_FALSE(accepted([](M &m) { m.elementStrides[1] = 9; }));
  EXPECT_TRUE(accepted([](M &m) { m.elementStrides[1] = 8; }));
  EXPECT_FALSE(
      accepted([](M &m) { m.interleave = TensorMapInterleave::Bytes32; }));
  EXPECT_FALSE(accepted([](M &m) { m.fill = TensorMapFill::NaN; }));
  EXPECT_FALSE(accepted(
      [](M &m) { m.swizzle = TensorMapSwizzle::Bytes128Atom32BFlip8B; }));
  EXPECT_FALSE(accepted([](M &m) { m.l2Promotion = 4; }));
  EXPECT_TRUE(accepted([](M &m) {
    m.element = TensorMapElement::BFloat16;
    m.box[0] = 64;
    m.fill = TensorMapFill::NaN;
  }));
  // Boxes of 233472 bytes, and of the next larger count.
  auto large = [&](uint32_t columns, uint32_t rows, uint32_t depth,
                   uint32_t step) {
    return accepted([&](M &m) {
      m.rank = 3;
      m.dims[2] = 1000;
      m.strides[2] = 512 * 256;
      m.box[0] = columns;
      m.box[1] = rows;
      m.box[2] = depth;
      m.elementStrides[2] = step;
    });
  };
  EXPECT_TRUE(large(16, 256, 57, 1));
  EXPECT_FALSE(large(16, 256, 58, 1));
  EXPECT_TRUE(large(16, 256, 114, 2));
  EXPECT_TRUE(large(16, 256, 115, 2)) << "steps are rounded down";
  EXPECT_FALSE(large(16, 256, 116, 2));
  EXPECT_TRUE(large(128, 8, 228, 1));
  EXPECT_FALSE(large(128, 8, 229, 1));
  // Sub-byte types.
  auto align16B = [](M &m) {
    m.element = TensorMapElement::Packed16U4Align16B;
    m.box[0] = 128;
    m.strides[1] = 256;
  };
  EXPECT_TRUE(accepted(align16B));
  EXPECT_FALSE(accepted([&](M &m) {
    align16B(m);
    m.box[0] = 64;
  }));
  EXPECT_FALSE(accepted([&](M &m) {
    align16B(m);
    m.dims[0] = 192;
  }));
  EXPECT_FALSE(accepted([&](M &m) {
    align16B(m);
    m.strides[1] = 272;
  }));
  EXPECT_FALSE(accepted([&](M &m) {
    align16B(m);
    m.globalAddress = 16;
  }));
  EXPECT_FALSE(accepted([&](M &m) {
    align16B(m);
    m.swizzle = TensorMapSwizzle::Bytes64;
  }));
  auto align8B = [](M &m) {
    m.element = TensorMapElement::Packed16U4Align8B;
    m.box[0] = 256;
  };
  EXPECT_TRUE(accepted(align8B));
  EXPECT_FALSE(accepted([&](M &m) {
    align8B(m);
    m.dims[0] = 511;
  }));
  EXPECT_FALSE(accepted([&](M &m) {
    align8B(m);
    m.box[0] = 16;
  }));
}

/// Boxes that cuTensorMapEncodeTiled counts as small and that no shared memory
/// holds: the map is legal, its copies are not.
TEST(TensorMap, BoxesCountedByWholeSteps) {
  struct Case {
    uint32_t rank, box[5], steps[5];
    bool legal;
    uint64_t bytes; // that a copy brings
  };
  const Case cases[] = {
      {4, {4, 256, 14, 184}, {3, 2, 1, 6}, true, 888832},
      {4, {4, 256, 15, 185}, {3, 2, 1, 6}, true, 952320},
      {4, {4, 256, 15, 186}, {3, 2, 1, 6}, false, 952320},
      {4, {8, 256, 14, 184}, {3, 2, 1, 6}, false, 1777664},
      {5, {4, 256, 7, 256, 256}, {5, 1, 3, 7, 3}, true, 39100416},
      {5, {4, 256, 256, 256, 105}, {7, 2, 6, 4, 1}, true, 591790080},
      {5, {4, 256, 256, 256, 105}, {4, 2, 6, 4, 1}, false, 591790080},
      // As many bytes count as an SM has, and the next larger number.
      {3, {16, 128, 228}, {8, 1, 1}, true, 1867776},
      {3, {16, 128, 229}, {8, 1, 1}, false, 1875968},
  };
  for (const Case &each : cases) {
    TensorMap map;
    map.element = TensorMapElement::Float32;
    map.rank = each.rank;
    for (uint32_t i = 0; i < each.rank; ++i) {
      map.dims[i] = 100;
      map.strides[i] = i ? 400 : 0;
      map.box[i] = each.box[i];
      map.elementStrides[i] = each.steps[i];
    }
    EXPECT_EQ(checkTensorMap(map).empty(), each.legal) << each.bytes;
    EXPECT_EQ(boxTransactionBytes(map), each.bytes);
    const int32_t coordinates[5] = {};
    for (auto direction : {TransferDirection::Load, TransferDirection::Store})
      EXPECT_EQ(checkTransfer(map, direction, coordinates, 1024),
                "bulk tensor copy: expected a box that fits into shared "
                "memory, got " +
                    std::to_string(each.bytes) + " bytes at address 1024");
  }
}

TEST(TensorMap, TransferRules) {
  TensorMap map = matrix(TensorMapElement::Float16, 100, 64, 256, 64, 32,
                         TensorMapSwizzle::Bytes128);
  auto check = [&](TransferDirection direction, int32_t c0, int32_t c1,
                   uint32_t address) {
    int32_t coordinates[] = {c0, c1};
    return checkTransfer(map, direction, coordinates, address).empty();
  };
  const auto load = TransferDirection::Load, store = TransferDirection::Store;
  EXPECT_TRUE(check(load, 0, 0, 1024));
  EXPECT_TRUE(check(load, -64, -5, 128));
  EXPECT_TRUE(check(load, 1000, 1000, 128));
  EXPECT_FALSE(check(load, 0, 0, 1040));
  // The first coordinate counts in units of 16 bytes.
  for (int32_t c0 = -32; c0 < 32; ++c0)
    EXPECT_EQ(check(load, c0, 0, 0), c0 % 8 == 0);
  EXPECT_FALSE(check(store, -8, 0, 0));
  EXPECT_FALSE(check(store, 0, -1, 0));
  EXPECT_TRUE(check(store, 8, 1000, 0));
  EXPECT_FALSE(check(load, 0, 0, (1 << 18) - 128));

  map.element = TensorMapElement::Packed16U4Align16B;
  map.box[0] = 128;
  EXPECT_TRUE(check(load, 128, 3, 0));
  EXPECT_FALSE(check(load, 64, 3, 0));
  EXPECT_FALSE(check(store, 0, 0, 0));
  map.element = TensorMapElement::Packed16U6Align16B;
  EXPECT_TRUE(check(store, 0, 0, 0));
  // A box larger than any shared memory, and than 32 bits.
  map.element = TensorMapElement::UInt8;
  map.rank = 5;
  map.swizzle = TensorMapSwizzle::None;
  for (uint32_t &extent : map.box)
    extent = 256;
  int32_t zeros[5] = {};
  EXPECT_NE(checkTransfer(map, load, zeros, 0), "");
  EXPECT_EQ(boxTransactionBytes(map), uint64_t(1) << 40);
}

//===-- Transfers against one element at a time ---------------------------===//

/// Row r, byte b of a box image whose base is aligned to the pattern, from the
/// chunk tables of PTX's swizzling modes.
uint32_t imageOffset(TensorMapSwizzle swizzle, uint32_t rowBytes, uint32_t row,
                     uint32_t byte) {
  uint32_t chunk = byte / 16, rest = byte % 16;
  switch (swizzle) {
  case TensorMapSwizzle::Bytes32:
    return row * 32 + (chunk ^ (row / 4 % 2)) * 16 + rest;
  case TensorMapSwizzle::Bytes64:
    return row * 64 + (chunk ^ (row / 2 % 4)) * 16 + rest;
  case TensorMapSwizzle::Bytes128:
    return row * 128 + (chunk ^ (row % 8)) * 16 + rest;
  case TensorMapSwizzle::Bytes128Atom32B:
    return row * 128 + (byte / 32 ^ (row % 4)) * 32 + byte % 32;
  default:
    return row * rowBytes + byte;
  }
}

struct RandomTransfer {
  TensorMap map;
  int32_t coordinates[5];
};

RandomTransfer randomTransfer(std::mt19937 &random, bool store) {
  for (;;) {
    RandomTransfer t;
    TensorMap &m = t.map;
    m.rank = 1 + random() % 5;
    m.element = static_cast<TensorMapElement>(random() % 14);
    uint32_t bits = elementBits(m.element);
    m.swizzle = static_cast<TensorMapSwizzle>(random() % 5);
    uint32_t span = m.swizzle == TensorMapSwizzle::None      ? 128
                    : m.swizzle == TensorMapSwizzle::Bytes32 ? 32
                    : m.swizzle == TensorMapSwizzle::Bytes64 ? 64
                                                             : 128;
    uint32_t rowBytes = 16 * (1 + random() % (span / 16));
    m.box[0] = rowBytes * 8 / bits;
    m.dims[0] = 1 + random() % (2 * m.box[0]);
    if (bits == 4)
      m.dims[0] += m.dims[0] % 2;
    uint64_t stride =
        (m.dims[0] * bits / 8 + 15) / 16 * 16 + 16 * (random() % 3);
    uint32_t left = 48;
    for (uint32_t i = 1; i < m.rank; ++i) {
      m.box[i] = 1 + random() % std::min(left, 9u);
      left = std::max(1u, left / m.box[i]);
      m.dims[i] = 1 + random() % 8;
      m.strides[i] = stride;
      stride *= m.dims[i];
      if (random() % 3 == 0)
        m.elementStrides[i] = 1 + random() % 8;
    }
    m.elementStrides[0] = 1 + random() % 8; // ignored
    if (stride > 1 << 14)
      continue;
    uint32_t unit = 128 / bits;
    for (uint32_t i = 0; i < m.rank; ++i) {
      int low = store ? 0 : -static_cast<int>(m.box[i]) - 1;
      int high = static_cast<int>(m.dims[i]) + 1;
      t.coordinates[i] = low + static_cast<int>(random() % (high - low + 1));
    }
    t.coordinates[0] =
        t.coordinates[0] / static_cast<int>(unit) * static_cast<int>(unit);
    return t;
  }
}

/// Calls visit(row, byteInRow, inBounds, globalOffset) for every byte.
template <typename Visitor>
void forEachByte(const RandomTransfer &t, bool store, Visitor visit) {
  const TensorMap &m = t.map;
  int64_t bits = elementBits(m.element);
  uint32_t extents[5] = {1, 1, 1, 1, 1};
  for (uint32_t i = 1; i < m.rank; ++i)
    while (extents[i] * m.elementStrides[i] < m.box[i])
      ++extents[i];
  uint32_t row = 0, index[5] = {};
  for (index[4] = 0; index[4] < extents[4]; ++index[4])
    for (index[3] = 0; index[3] < extents[3]; ++index[3])
      for (index[2] = 0; index[2] < extents[2]; ++index[2])
        for (index[1] = 0; index[1] < extents[1]; ++index[1], ++row) {
          bool inside = true;
          int64_t offset = 0;
          for (uint32_t i = 1; i < m.rank; ++i) {
            int64_t c =
                t.coordinates[i] + int64_t(index[i]) * m.elementStrides[i];
            inside = inside && c >= 0 && c < int64_t(m.dims[i]);
            offset += c * int64_t(m.strides[i]);
          }
          for (int64_t byte = 0; byte < m.box[0] * bits / 8; ++byte) {
            int64_t position = t.coordinates[0] * bits / 8 + byte;
            int64_t end = int64_t(m.dims[0]) * bits / 8;
            if (store) // written in whole pieces of 16 bytes
              end = (end + 15) / 16 * 16;
            visit(row, static_cast<uint32_t>(byte),
                  inside && position >= 0 && position < end, offset + position);
          }
        }
}

TEST(TensorMap, LoadsAndStoresOfRandomBoxes) {
  std::mt19937 random(21);
  const uint32_t base = 2048;
  for (int round = 0; round < 6000; ++round) {
    bool store = round % 2;
    RandomTransfer t = randomTransfer(random, store);
    const TensorMap &m = t.map;
    ASSERT_EQ(checkTensorMap(m), "");
    ASSERT_EQ(checkTransfer(
                  m, store ? TransferDirection::Store : TransferDirection::Load,
                  t.coordinates, base),
              "");
    bool rounds = m.element == TensorMapElement::TFloat32 ||
                  m.element == TensorMapElement::TFloat32Ftz;
    uint32_t rowBytes = m.box[0] * elementBits(m.element) / 8;
    Bytes global(1 << 15), shared(base + boxSharedBytes(m) + 256, 0xCD);
    for (uint8_t &byte : global)
      byte = static_cast<uint8_t>(random());
    if (rounds && !store) // values that tf32 keeps
      for (size_t i = 0; i < global.size(); i += 4) {
        global[i] = 0;
        global[i + 1] &= 0xE0;
        global[i + 3] &= 0xBF;
      }
    if (store)
      for (uint8_t &byte : shared)
        byte = static_cast<uint8_t>(random());
    Bytes wantShared = shared, wantGlobal = global;
    uint64_t bytes = 0;
    forEachByte(t, store,
                [&](uint32_t row, uint32_t byte, bool inside, int64_t offset) {
                  uint32_t address =
                      base + imageOffset(m.swizzle, rowBytes, row, byte);
                  ++bytes;
                  if (store && inside)
                    wantGlobal[offset] = shared[address];
                  if (!store)
                    wantShared[address] = inside ? global[offset] : 0;
                });
    EXPECT_EQ(boxTransactionBytes(m), bytes);
    if (store)
      storeBox(m, t.coordinates, base, global.data(), shared.data());
    else
      loadBox(m, t.coordinates, base, global.data(), shared.data());
    ASSERT_EQ(shared, wantShared) << round;
    ASSERT_EQ(global, wantGlobal) << round;
  }
}

// 4- and 6-bit elements spread to 16-byte containers.
TEST(TensorMap, PaddedSubByteLoads) {
  std::mt19937 random(22);
  for (TensorMapElement element : {TensorMapElement::Packed16U4Align16B,
                                   TensorMapElement::Packed16U6Align16B})
    for (TensorMapSwizzle swizzle :
         {TensorMapSwizzle::None, TensorMapSwizzle::Bytes128,
          TensorMapSwizzle::Bytes128Atom32B})
      for (int32_t c0 : {-128, 0, 128, 256})
        for (int32_t c1 : {-3, 0, 7}) {
          uint32_t group = 2 * elementBits(element); // bytes of 16 elements
          TensorMap map = matrix(element, 256, 12, 192, 128, 8, swizzle);
          ASSERT_EQ(checkTensorMap(map), "");
          EXPECT_EQ(boxTransactionBytes(map), 8u * 8 * group);
          EXPECT_EQ(boxSharedBytes(map), 8u * 128);
          Bytes global(12 * 192), shared(4096, 0xCD);
          for (uint8_t &byte : global)
            byte = static_cast<uint8_t>(random());
          Bytes want = shared;
          for (uint32_t row = 0; row < 8; ++row)
            for (uint32_t g = 0; g < 8; ++g)
              for (uint32_t byte = 0; byte < group; ++byte) {
                int64_t y = c1 + int64_t(row);
                int64_t x = c0 + 16 * int64_t(g);
                bool inside = y >= 0 && y < 12 && x >= 0 && x < 256;
                want[1024 + imageOffset(swizzle, 128, row, 16 * g + byte)] =
                    inside ? global[y * 192 + x / 16 * group + byte] : 0;
              }
          int32_t coordinates[] = {c0, c1};
          loadBox(map, coordinates, 1024, global.data(), shared.data());
          EXPECT_EQ(shared, want);
        }
}

TEST(TensorMap, RowPitchOfANarrowBox) {
  // A swizzled row takes the whole width of its mode.
  TensorMap map = matrix(TensorMapElement::UInt8, 512, 64, 512, 48, 16,
                         TensorMapSwizzle::Bytes128);
  EXPECT_EQ(boxRowPitch(map), 128u);
  EXPECT_EQ(boxSharedBytes(map), 16u * 128);
  EXPECT_EQ(boxTransactionBytes(map), 16u * 48);
  map.swizzle = TensorMapSwizzle::None;
  EXPECT_EQ(boxRowPitch(map), 48u);
}

TEST(TensorMap, NaNFill) {
  TensorMap map;
  map.fill = TensorMapFill::NaN;
  Bytes bytes(16, 0);
  for (TensorMapElement element :
       {TensorMapElement::Float16, TensorMapElement::BFloat16,
        TensorMapElement::Float32, TensorMapElement::Float64}) {
    map.element = element;
    fillOutOfBounds(map, bytes.data(), bytes.size());
    for (size_t i = 0; i < bytes.size(); i += 2)
      EXPECT_EQ(bytes[i] | bytes[i + 1] << 8, 0x7FF7);
  }
  float single;
  double twice;
  std::memcpy(&single, bytes.data(), 4);
  std::memcpy(&twice, bytes.data(), 8);
  EXPECT_TRUE(std::isnan(single) && std::isnan(twice));
}

// Seen on an H200.
TEST(TensorMap, LoadsRoundTf32) {
  const uint32_t pairs[][2] = {
      {0x1AE038FA, 0x1AE04000}, {0x7D7042D1, 0x7D704000},
      {0x35FFF45A, 0x36000000}, {0x3F801000, 0x3F800000},
      {0x3F803000, 0x3F804000}, {0xBF803000, 0xBF804000},
      {0x7F7FFFFF, 0x7F800000}, {0x7FC00001, 0x7FFFE000},
      {0xFF800001, 0x7FFFE000}, {0x80003000, 0x80004000},
      {0x007FFFFF, 0x00800000}, {0x007FE000, 0x007FE000}};
  TensorMap map;
  for (auto element :
       {TensorMapElement::TFloat32, TensorMapElement::TFloat32Ftz,
        TensorMapElement::Float32, TensorMapElement::Float32Ftz})
    for (const auto &pair : pairs) {
      map.element = element;
      uint8_t bytes[4];
      std::memcpy(bytes, &pair[0], 4);
      convertLoaded(map, bytes, 4);
      uint32_t got;
      std::memcpy(&got, bytes, 4);
      bool tf32 = element == TensorMapElement::TFloat32 ||
                  element == TensorMapElement::TFloat32Ftz;
      EXPECT_EQ(got, tf32 ? pair[1] : pair[0]);
    }
}

TEST(TensorMap, StoreOverrun) {
  TensorMap map;
  map.element = TensorMapElement::Float16;
  for (uint64_t columns = 1; columns < 40; ++columns) {
    map.dims[0] = columns;
    EXPECT_EQ((columns * 2 + storeOverrunBytes(map)) % 16, 0u);
    EXPECT_LT(storeOverrunBytes(map), 16u);
  }
}

//===-- Reductions --------------------------------------------------------===//

template <typename T>
T reduceOne(TensorMapElement element, ReductionOperation op, T old, T value) {
  uint8_t a[8], b[8];
  std::memcpy(a, &old, sizeof(T));
  std::memcpy(b, &value, sizeof(T));
  reduceElements(element, op, a, b, sizeof(T));
  std::memcpy(&old, a, sizeof(T));
  return old;
}

TEST(TensorMap, Reductions) {
  using E = TensorMapElement;
  using O = ReductionOperation;
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Add, 0xFFFFFFFF, 3), 2u);
  EXPECT_EQ(reduceOne<int32_t>(E::Int32, O::Min, -5, 3), -5);
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Min, uint32_t(-5), 3), 3u);
  EXPECT_EQ(reduceOne<int64_t>(E::Int64, O::Max, -5, 3), 3);
  EXPECT_EQ(reduceOne<uint64_t>(E::UInt64, O::Xor, 0xF0, 0xFF), 0x0Fu);
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Inc, 7, 7), 0u);
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Inc, 6, 7), 7u);
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Dec, 0, 7), 7u);
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Dec, 9, 7), 7u);
  EXPECT_EQ(reduceOne<uint32_t>(E::UInt32, O::Dec, 5, 7), 4u);
  EXPECT_EQ(reduceOne<float>(E::Float32, O::Add, 1.5f, 0.25f), 1.75f);
  EXPECT_EQ(reduceOne<double>(E::Float64, O::Add, 1.5, 0.25), 1.75);
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(reduceOne<float>(E::Float32, O::Add, tiny, tiny), 2 * tiny);
  EXPECT_EQ(reduceOne<float>(E::Float32Ftz, O::Add, tiny, tiny), 0.0f);
  // f16: 1 + 2^-11 is a tie to even; min and max prefer numbers over NaN.
  EXPECT_EQ(reduceOne<uint16_t>(E::Float16, O::Add, 0x3C00, 0x1000), 0x3C00);
  EXPECT_EQ(reduceOne<uint16_t>(E::Float16, O::Add, 0x3C01, 0x1000), 0x3C02);
  EXPECT_EQ(reduceOne<uint16_t>(E::Float16, O::Min, 0x7FFF, 0xBC00), 0xBC00);
  EXPECT_EQ(reduceOne<uint16_t>(E::Float16, O::Max, 0x8000, 0x0000), 0x0000);
  EXPECT_EQ(reduceOne<uint16_t>(E::Float16, O::Min, 0x0000, 0x8000), 0x8000);
  EXPECT_EQ(reduceOne<uint16_t>(E::BFloat16, O::Add, 0x3F80, 0x3F80), 0x4000);

  // The table that an H200 accepts, by element type: add, min, max, inc, dec,
  // and, or, xor.
  const char *table[] = {"........", "........", "XXXXXXXX", "XXX..XXX",
                         "XXX..XXX", ".XX.....", "XXX.....", "X.......",
                         "X.......", "XXX.....", "X.......", "X.......",
                         "X.......", "........", "........", "........"};
  for (uint32_t element = 0; element < 16; ++element)
    for (uint32_t op = 0; op < 8; ++op)
      EXPECT_EQ(
          checkReduction(static_cast<E>(element), static_cast<O>(op)).empty(),
          table[element][op] == 'X')
          << element << " " << op;
}

} // namespace
