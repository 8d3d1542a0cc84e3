//===- TensorMapTest.cpp - every limit of a tensor map --------------------===//

#include "bsmm/Runtime/LaunchDescription.h"
#include "gtest/gtest.h"
#include <functional>

using namespace bsmm;
using namespace bsmm::runtime;
using target::Swizzle;
using Element = target::TensorMapElement;

namespace {

TensorMap matrix() {
  TensorMap map;
  map.data.buffer = "a";
  map.element = Element::U8;
  map.dims = {512, 256, 3};
  map.stridesBytes = {512, 131072};
  map.box = {128, 128, 1};
  map.swizzle = Swizzle::B128;
  return map;
}

std::string check(const std::function<void(TensorMap &)> &change,
                  const char *gpu = "sm_100a") {
  TensorMap map = matrix();
  change(map);
  return validateTensorMap(map, "map", gpu ? target::findGpu(gpu) : nullptr);
}

TEST(TensorMap, LegalOnesAreAccepted) {
  EXPECT_EQ(check([](TensorMap &) {}), "");
  EXPECT_EQ(check([](TensorMap &map) { map.stridesBytes = {0, 0}; }), "");
  EXPECT_EQ(check([](TensorMap &map) { map.box = {16, 256, 57}; }), "");
  EXPECT_EQ(check([](TensorMap &map) {
              map.stridesBytes[1] = (int64_t(1) << 40) - 16;
              map.dims = {int64_t(1) << 32, 1, 1};
            }),
            "");
  EXPECT_EQ(check([](TensorMap &map) {
              map.swizzle = Swizzle::None;
              map.box[0] = 256;
            }),
            "");
  EXPECT_EQ(check([](TensorMap &map) { map.elementStrides = {1, 8, 1}; }), "");
  EXPECT_EQ(check([](TensorMap &map) { // address of a device
              map.data.buffer.clear();
              map.data.address = 0x7f0000000010;
            }),
            "");
  EXPECT_EQ(check([](TensorMap &map) { // the last legal address
              map.data.buffer.clear();
              map.data.address = (uint64_t(1) << 57) - 16;
            }),
            "");
}

TEST(TensorMap, EveryLimitIsNamed) {
  struct Case {
    std::function<void(TensorMap &)> change;
    const char *text;
  };
  const Case cases[] = {
      {[](TensorMap &map) { map.dims.clear(); },
       "map.dims: expected 1 to 5 dimensions, got 0"},
      {[](TensorMap &map) { map.dims.assign(6, 16); },
       "map.dims: expected 1 to 5 dimensions, got 6"},
      {[](TensorMap &map) { map.box.pop_back(); },
       "map.box: expected 3 entries, one a dimension, got 2"},
      {[](TensorMap &map) { map.stridesBytes.push_back(16); },
       "map.strides_bytes: expected 2 entries, one a dimension but the "
       "innermost, got 3"},
      {[](TensorMap &map) { map.elementStrides = {1}; },
       "map.element_strides: expected 3 entries, one a dimension, got 1"},
      {[](TensorMap &map) {
         map.elementStrides = {1, 9, 1};
       },
       "map.element_strides[1]: expected 1 to 8, got 9"},
      {[](TensorMap &map) {
         map.elementStrides = {1, 0, 1};
       },
       "map.element_strides[1]: expected 1 to 8, got 0"},
      {[](TensorMap &map) { map.data.offset = 8; },
       "map.data: expected an address that is a multiple of 16 bytes for u8, "
       "got 8"},
      {[](TensorMap &map) { map.data.offset = -16; },
       "map.offset: expected 0 or more bytes, got -16"},
      {[](TensorMap &map) {
         map.data.buffer.clear();
         map.data.address = 100;
       },
       "map.data: expected an address that is a multiple of 16 bytes for u8, "
       "got 100"},
      {[](TensorMap &map) {
         map.data.buffer.clear();
         map.data.address = uint64_t(1) << 57;
       },
       "map.data: expected an address below 2^57, got 144115188075855872"},
      {[](TensorMap &map) {
         map.data.buffer.clear();
         map.data.address = (uint64_t(1) << 57) - 16;
         map.data.offset = 16;
       },
       "map.data: expected an address below 2^57, got 144115188075855872"},
      {[](TensorMap &map) { // the sum wraps around to 0
         map.data.buffer.clear();
         map.data.address = ~uint64_t(15);
         map.data.offset = 16;
       },
       "map.data: expected an address below 2^57, got 18446744073709551600"},
      {[](TensorMap &map) { map.dims[1] = 0; },
       "map.dims[1]: expected 1 to 2^32 elements, got 0"},
      {[](TensorMap &map) { map.dims[0] = (int64_t(1) << 32) + 1; },
       "map.dims[0]: expected 1 to 2^32 elements, got 4294967297"},
      {[](TensorMap &map) { map.stridesBytes[0] = 520; },
       "map.strides_bytes[0]: expected a multiple of 16 bytes for u8, got "
       "520; the next one is 528"},
      {[](TensorMap &map) { map.stridesBytes[1] = int64_t(1) << 40; },
       "map.strides_bytes[1]: expected 0 to 2^40 - 1 bytes, got "
       "1099511627776"},
      {[](TensorMap &map) { map.stridesBytes[1] = -16; },
       "map.strides_bytes[1]: expected 0 to 2^40 - 1 bytes, got -16"},
      {[](TensorMap &map) { map.box[1] = 257; },
       "map.box[1]: expected 1 to 256 elements, got 257; use several boxes"},
      {[](TensorMap &map) { map.box[2] = 0; },
       "map.box[2]: expected 1 to 256 elements, got 0"},
      {[](TensorMap &map) { map.box[0] = 100; },
       "map.box[0]: expected an inner extent of a multiple of 16 bytes (16 "
       "elements of u8), got 100 elements"},
      {[](TensorMap &map) { map.box[0] = 144; },
       "map.box[0]: expected at most 128 bytes (128 elements of u8) with "
       "swizzle 128B, got 144 bytes; use several boxes"},
      {[](TensorMap &map) {
         map.element = Element::F16;
         map.swizzle = Swizzle::B64;
         map.box[0] = 64;
       },
       "map.box[0]: expected at most 64 bytes (32 elements of f16) with "
       "swizzle 64B, got 128 bytes; use several boxes"},
      {[](TensorMap &map) { map.swizzle = Swizzle::B32; },
       "map.box[0]: expected at most 32 bytes (32 elements of u8) with swizzle "
       "32B, got 128 bytes; use several boxes"},
      {[](TensorMap &map) { map.nanFill = true; },
       "map.fill: expected zero for u8, which is no floating-point type, got "
       "nan"},
  };
  for (const Case &each : cases)
    EXPECT_EQ(check(each.change), each.text);
}

// A box counts at most the shared memory of an SM. Every extent is divided by
// its element stride and rounded down.
TEST(TensorMap, BytesOfABox) {
  auto box = [](std::vector<int64_t> extents, std::vector<int64_t> strides,
                const char *gpu) {
    return check(
        [&](TensorMap &map) {
          map.box = std::move(extents);
          map.elementStrides = std::move(strides);
        },
        gpu);
  };
  const char *most = "map.box: expected at most 233472 bytes, the shared "
                     "memory of an SM, got 237568; use several boxes";
  for (const char *gpu : {"sm_90a", "sm_100a", static_cast<const char *>(0)}) {
    EXPECT_EQ(box({16, 256, 57}, {}, gpu), "");
    EXPECT_EQ(box({16, 256, 58}, {}, gpu), most);
    EXPECT_EQ(box({16, 256, 114}, {1, 1, 2}, gpu), "");
    EXPECT_EQ(box({16, 256, 115}, {1, 1, 2}, gpu), "");
    EXPECT_EQ(box({16, 256, 116}, {1, 1, 2}, gpu), most);
    // The stride of the innermost dimension counts here, though it changes no
    // copy: 16 / 3 = 5 and 16 / 4 = 4 elements.
    EXPECT_EQ(box({16, 256, 182}, {3, 1, 1}, gpu), "");
    EXPECT_EQ(box({16, 256, 183}, {3, 1, 1}, gpu),
              "map.box: expected at most 233472 bytes, the shared memory of an "
              "SM, got 234240; use several boxes");
    EXPECT_EQ(box({16, 256, 228}, {4, 1, 1}, gpu), "");
    EXPECT_EQ(box({16, 256, 229}, {4, 1, 1}, gpu),
              "map.box: expected at most 233472 bytes, the shared memory of an "
              "SM, got 234496; use several boxes");
  }
  EXPECT_EQ(box({16, 256, 25}, {}, "sm_120a"), "");
  EXPECT_EQ(box({16, 256, 26}, {}, "sm_120a"),
            "map.box: expected at most 102400 bytes, the shared memory of an "
            "SM, got 106496; use several boxes");
  EXPECT_EQ(check([](TensorMap &map) {
              map.dims.assign(5, 256);
              map.stridesBytes.assign(4, 4096);
              map.box = {16, 256, 256, 256, 256};
            }),
            "map.box: expected at most 233472 bytes, the shared memory of an "
            "SM, got 68719476736; use several boxes");
}

// Three boxes that the driver of an H200 takes, and what is beyond the limit.
TEST(TensorMap, BytesOfABoxWithElementStrides) {
  TensorMap map;
  map.element = Element::F32;
  auto box = [&](std::vector<int64_t> extents, std::vector<int64_t> strides) {
    map.dims.assign(extents.size(), 100);
    map.stridesBytes.assign(extents.size() - 1, 400);
    map.box = std::move(extents);
    map.elementStrides = std::move(strides);
    return validateTensorMap(map, "map", target::findGpu("sm_90a"));
  };
  // 1 * 128 * 14 * 30 * 4 = 215040 bytes count, and 888832 would arrive.
  EXPECT_EQ(box({4, 256, 14, 184}, {3, 2, 1, 6}), "");
  EXPECT_EQ(boxBytes(map), 888832);
  EXPECT_EQ(warnOfTensorMap(map, "map"),
            "map.box: a copy brings 888832 bytes, more than the 233472 of the "
            "shared memory of an SM: no copy with this map is legal");
  EXPECT_EQ(box({4, 256, 15, 184}, {3, 2, 1, 6}), ""); // 230400
  EXPECT_EQ(box({4, 256, 15, 185}, {3, 2, 1, 6}), "");
  EXPECT_EQ(box({4, 256, 15, 186}, {3, 2, 1, 6}),
            "map.box: expected at most 233472 bytes, the shared memory of an "
            "SM, got 238080; use several boxes");
  EXPECT_EQ(box({8, 256, 14, 184}, {3, 2, 1, 6}),
            "map.box: expected at most 233472 bytes, the shared memory of an "
            "SM, got 430080; use several boxes");
  // Rounded down to nothing.
  EXPECT_EQ(box({4, 256, 7, 256, 256}, {5, 1, 3, 7, 3}), "");
  EXPECT_EQ(boxBytes(map), 39100416);
  EXPECT_EQ(box({4, 256, 256, 256, 105}, {7, 2, 6, 4, 1}), "");
  EXPECT_EQ(box({4, 256, 256, 256, 105}, {4, 2, 6, 4, 1}),
            "map.box: expected at most 233472 bytes, the shared memory of an "
            "SM, got 144506880; use several boxes");
  EXPECT_EQ(box({4, 256, 57}, {1, 1, 1}), "");
  EXPECT_EQ(warnOfTensorMap(map, "map").substr(0, 12), "map.strides_");
}

TEST(TensorMap, SubByteElements) {
  auto padded = [](TensorMap &map) {
    map.element = Element::U4Align16B;
    map.dims[0] = 1024;
  };
  EXPECT_EQ(check(padded), "");
  EXPECT_EQ(check(padded, nullptr), "");
  EXPECT_EQ(check(padded, "sm_90a"),
            "map.element: expected an element type of 8 bits or more, since "
            "sm_90a has no sub-byte tensor maps, got u4_align16B; use u8 with "
            "packed bytes");
  EXPECT_NE(check(padded, "sm_120a"), "");
  EXPECT_EQ(check([](TensorMap &map) {
              map.element = Element::U4Align8B;
              map.box[0] = 256;
            }),
            "");
  auto with = [&](const std::function<void(TensorMap &)> &change) {
    return check([&](TensorMap &map) {
      padded(map);
      change(map);
    });
  };
  EXPECT_EQ(with([](TensorMap &map) { map.data.offset = 16; }),
            "map.data: expected an address that is a multiple of 32 bytes for "
            "u4_align16B, got 16");
  EXPECT_EQ(with([](TensorMap &map) { map.dims[0] = 1000; }),
            "map.dims[0]: expected a multiple of 128 for u4_align16B, got "
            "1000");
  EXPECT_EQ(with([](TensorMap &map) { map.stridesBytes[0] = 528; }),
            "map.strides_bytes[0]: expected a multiple of 32 bytes for "
            "u4_align16B, got 528; the next one is 544");
  EXPECT_EQ(with([](TensorMap &map) { map.box[0] = 64; }),
            "map.box[0]: expected 128 elements for u4_align16B, got 64");
  EXPECT_EQ(with([](TensorMap &map) { map.swizzle = Swizzle::B64; }),
            "map.swizzle: expected none, 128B or 128B_atom32B for "
            "u4_align16B, got 64B");
  EXPECT_EQ(check([](TensorMap &map) {
              map.element = Element::U4Align8B;
              map.dims[0] = 511;
            }),
            "map.dims[0]: expected an even number of elements for u4_align8B, "
            "got 511");
  EXPECT_EQ(check([](TensorMap &map) { map.swizzle = Swizzle::B128Atom32B; },
                  "sm_120a"),
            "map.swizzle: expected none, 32B, 64B or 128B, since sm_120a has "
            "no swizzle atom modes, got 128B_atom32B");
}

TEST(TensorMap, Sizes) {
  TensorMap map = matrix();
  EXPECT_EQ(footprintBytes(map), 2 * 131072 + 255 * 512 + 512);
  EXPECT_EQ(boxBytes(map), 128 * 128);
  map.element = Element::U4Align16B; // the packed size counts
  EXPECT_EQ(boxBytes(map), 128 * 128 / 2);
  map.dims = {int64_t(1) << 32, int64_t(1) << 32, int64_t(1) << 32};
  map.stridesBytes = {(int64_t(1) << 40) - 32, (int64_t(1) << 40) - 32};
  EXPECT_EQ(footprintBytes(map), -1);
  map.box = {INT64_MAX, 2, 2};
  EXPECT_EQ(boxBytes(map), -1);
}

} // namespace
