//===- CNumbersTest.cpp - codes, packing and sizes of the C ABI -----------===//
//
// Expected values come from the definitions of the formats, computed here in
// float64, never from the library.
//
//===----------------------------------------------------------------------===//

#include "CNumbers.h"
#include "gtest/gtest.h"
#include <thread>

using namespace cnumbers;

namespace {

std::vector<bsmm_element> narrowTypes() {
  return {BSMM_E2M1,  BSMM_E2M3,  BSMM_E3M2, BSMM_E4M3, BSMM_E5M2,
          BSMM_UE8M0, BSMM_UE4M3, BSMM_F16,  BSMM_BF16};
}

uint32_t encodeOne(bsmm_element type, float value,
                   bsmm_overflow overflow = BSMM_OVERFLOW_SATURATE) {
  uint8_t packed[4] = {0xAA, 0xAA, 0xAA, 0xAA};
  EXPECT_EQ(bsmm_encode(type, overflow, BSMM_F32, &value, 1, packed), BSMM_OK);
  // Nothing behind the code is written.
  int bytes = int(bsmm_element_bits(type) + 7) / 8;
  for (int i = bytes; i < 4; ++i)
    EXPECT_EQ(packed[i], 0xAA);
  return bytes == 2 ? packed[0] | packed[1] << 8 : packed[0];
}

float decodeOne(bsmm_element type, uint32_t code) {
  uint8_t packed[2] = {uint8_t(code), uint8_t(code >> 8)};
  float value = 0;
  EXPECT_EQ(bsmm_decode(type, packed, 1, &value), BSMM_OK);
  return value;
}

TEST(CNumbers, NamesAndWidths) {
  struct {
    bsmm_element type;
    const char *name, *mlirName;
    uint32_t bits;
    double max;
  } rows[] = {{BSMM_E2M1, "e2m1", "f4E2M1FN", 4, 6},
              {BSMM_E2M3, "e2m3", "f6E2M3FN", 6, 7.5},
              {BSMM_E3M2, "e3m2", "f6E3M2FN", 6, 28},
              {BSMM_E4M3, "e4m3", "f8E4M3FN", 8, 448},
              {BSMM_E5M2, "e5m2", "f8E5M2", 8, 57344},
              {BSMM_UE8M0, "ue8m0", "f8E8M0FNU", 8, 0x1p127},
              {BSMM_F16, "f16", "f16", 16, 65504},
              {BSMM_F32, "f32", "f32", 32, FLT_MAX}};
  for (auto &row : rows) {
    EXPECT_STREQ(bsmm_element_name(row.type), row.name);
    EXPECT_EQ(bsmm_element_from_name(row.name), row.type);
    EXPECT_EQ(bsmm_element_from_name(row.mlirName), row.type);
    EXPECT_EQ(bsmm_element_bits(row.type), row.bits);
    EXPECT_EQ(bsmm_element_max(row.type), row.max);
  }
  EXPECT_EQ(bsmm_element_from_name("ue4m3"), BSMM_UE4M3);
  for (const char *name : {"", "none", "e2m1 ", "fp4"})
    EXPECT_EQ(bsmm_element_from_name(name), BSMM_ELEMENT_NONE) << name;
  EXPECT_EQ(bsmm_element_from_name(nullptr), BSMM_ELEMENT_NONE);
  for (int number : {-1, 0, 16, 1000}) {
    EXPECT_STREQ(bsmm_element_name(bsmm_element(number)), "none");
    EXPECT_EQ(bsmm_element_bits(bsmm_element(number)), 0u);
  }
}

TEST(CNumbers, DecodesEveryCode) {
  for (bsmm_element type : narrowTypes()) {
    Format format = formatOf(type);
    for (uint32_t code = 0; code < 1u << format.bits(); ++code) {
      double expected = valueOf(format, code);
      float got = decodeOne(type, code);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got)) << format.name << " " << code;
        continue;
      }
      EXPECT_EQ(got, expected) << format.name << " " << code;
      EXPECT_EQ(std::signbit(got), std::signbit(expected))
          << format.name << " " << code;
    }
  }
}

// Every code that is not NaN comes back, with its sign of zero.
TEST(CNumbers, EncodesEveryValueExactly) {
  for (bsmm_element type : narrowTypes()) {
    Format format = formatOf(type);
    for (uint32_t code = 0; code < 1u << format.bits(); ++code) {
      double value = valueOf(format, code);
      uint32_t expected = code;
      if (std::isnan(value))
        expected = format.nanCode;
      else if (type == BSMM_UE4M3)
        expected = code & 0x7F;
      EXPECT_EQ(encodeOne(type, float(value), BSMM_OVERFLOW_INFINITY), expected)
          << format.name << " " << code;
    }
  }
}

// Half-way between two neighbours, and one f32 to either side.
TEST(CNumbers, TiesGoToTheEvenCode) {
  for (bsmm_element type : narrowTypes()) {
    Format format = formatOf(type);
    if (type == BSMM_UE8M0)
      continue; // rounds up, below
    for (uint32_t code = 0; code < format.largest; ++code) {
      double low = valueOf(format, code), high = valueOf(format, code + 1);
      double tie = (low + high) / 2;
      float middle = float(tie);
      ASSERT_EQ(double(middle), tie) << "the middle is an f32";
      uint32_t even = code % 2 == 0 ? code : code + 1;
      EXPECT_EQ(encodeOne(type, middle), even) << format.name << " " << tie;
      EXPECT_EQ(encodeOne(type, std::nextafter(middle, 0.0f)), code)
          << format.name << " " << tie;
      EXPECT_EQ(encodeOne(type, std::nextafter(middle, INFINITY)), code + 1)
          << format.name << " " << tie;
      uint32_t sign = format.isSigned ? format.largestMagnitudeCode() + 1 : 0;
      EXPECT_EQ(encodeOne(type, -middle), even | sign)
          << format.name << " " << -tie;
    }
  }
}

TEST(CNumbers, OverflowNaNAndZero) {
  for (bsmm_element type : narrowTypes()) {
    Format format = formatOf(type);
    uint32_t sign = format.isSigned ? format.largestMagnitudeCode() + 1 : 0;
    double max = valueOf(format, format.largest);
    uint32_t beyond = format.hasInfinity ? format.largest + 1
                      : type == BSMM_UE8M0 || !format.hasNaN ? format.largest
                                                             : format.nanCode;
    std::vector<float> tooLarge = {INFINITY};
    if (max < 1e38)
      tooLarge.insert(tooLarge.end(), {float(2 * max), 3e38f});
    for (float value : tooLarge)
      for (float signedValue : {value, -value}) {
        uint32_t signBit = signedValue < 0 ? sign : 0;
        EXPECT_EQ(encodeOne(type, signedValue), format.largest | signBit)
            << format.name << " " << signedValue;
        EXPECT_EQ(encodeOne(type, signedValue, BSMM_OVERFLOW_INFINITY),
                  beyond | signBit)
            << format.name << " " << signedValue;
      }
    EXPECT_EQ(encodeOne(type, NAN), format.nanCode) << format.name;
    EXPECT_EQ(encodeOne(type, -NAN), format.nanCode) << format.name;
    EXPECT_EQ(encodeOne(type, 0.0f), 0u) << format.name;
    EXPECT_EQ(encodeOne(type, -0.0f), sign) << format.name;
    EXPECT_EQ(encodeOne(type, -1e-45f), sign) << format.name;
  }
  // 464 is half-way between 448 and the NaN's place: it ties to 448.
  EXPECT_EQ(encodeOne(BSMM_E4M3, 464, BSMM_OVERFLOW_INFINITY), 0x7Eu);
  EXPECT_EQ(encodeOne(BSMM_E4M3, 464.0001f, BSMM_OVERFLOW_INFINITY), 0x7Fu);
  EXPECT_EQ(encodeOne(BSMM_E5M2, 61440, BSMM_OVERFLOW_INFINITY), 0x7Cu);
  EXPECT_EQ(encodeOne(BSMM_E5M2, 61439.99f, BSMM_OVERFLOW_INFINITY), 0x7Bu);
}

TEST(CNumbers, PowersOfTwoRoundUp) {
  const bsmm_element type = BSMM_UE8M0;
  for (int exponent = -126; exponent < 128; ++exponent) {
    float power = std::ldexp(1.0f, exponent);
    EXPECT_EQ(encodeOne(type, power), uint32_t(exponent + 127));
    EXPECT_EQ(encodeOne(type, -power), uint32_t(exponent + 127));
    EXPECT_EQ(encodeOne(type, std::nextafter(power, 0.0f)),
              uint32_t(exponent + 127));
    EXPECT_EQ(encodeOne(type, std::nextafter(power, INFINITY)),
              exponent == 127 ? 0xFEu : uint32_t(exponent + 128));
  }
  EXPECT_EQ(encodeOne(type, 1e-45f), 0u);
  EXPECT_EQ(encodeOne(type, 0x1p-127f), 0u);
  EXPECT_EQ(encodeOne(type, 0x1.000004p-127f), 1u);
}

// All 65536 f16 and bf16 inputs, many f32 and f64, against the nearest value
// found by comparing distances.
TEST(CNumbers, EncodesAllHalfPrecisionInputs) {
  for (bsmm_element type : narrowTypes()) {
    Nearest nearest(formatOf(type));
    for (bsmm_element from : {BSMM_F16, BSMM_BF16}) {
      Format source = formatOf(from);
      std::vector<uint16_t> values(65536), got(65536);
      for (uint32_t code = 0; code < 65536; ++code)
        values[code] = uint16_t(code);
      std::vector<uint8_t> packed(65536 * 2);
      ASSERT_EQ(bsmm_encode(type, BSMM_OVERFLOW_SATURATE, from, values.data(),
                            65536, packed.data()),
                BSMM_OK);
      for (uint32_t code = 0; code < 65536; ++code)
        ASSERT_EQ(codeAt(packed.data(), code, bsmm_element_bits(type)),
                  nearest(valueOf(source, code)))
            << nearest.format.name << " of " << source.name << " " << code;
    }
  }
}

TEST(CNumbers, EncodesRandomValues) {
  std::mt19937_64 random(5);
  for (bsmm_element type : narrowTypes()) {
    Nearest nearest(formatOf(type));
    const int count = 20000;
    std::vector<float> singles(count);
    std::vector<double> doubles(count);
    for (int i = 0; i < count; ++i) {
      // Half of them are any bits, half lie in the range of the type.
      uint32_t bits = uint32_t(random());
      std::memcpy(&singles[i], &bits, 4);
      if (i % 2)
        singles[i] = float(nearest.random(random));
      // A double next to a tie: must not pass through f32.
      uint32_t code = uint32_t(random() % nearest.format.largest);
      double tie =
          (valueOf(nearest.format, code) + valueOf(nearest.format, code + 1)) /
          2;
      doubles[i] = i % 3 == 0   ? nearest.random(random)
                   : i % 3 == 1 ? std::nextafter(tie, 0.0)
                                : std::nextafter(tie, 1e300);
    }
    std::vector<uint8_t> packed(count * 2);
    ASSERT_EQ(bsmm_encode(type, BSMM_OVERFLOW_SATURATE, BSMM_F32,
                          singles.data(), count, packed.data()),
              BSMM_OK);
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(codeAt(packed.data(), i, bsmm_element_bits(type)),
                nearest(singles[i]))
          << nearest.format.name << " " << singles[i];
    ASSERT_EQ(bsmm_encode(type, BSMM_OVERFLOW_SATURATE, BSMM_F64,
                          doubles.data(), count, packed.data()),
              BSMM_OK);
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(codeAt(packed.data(), i, bsmm_element_bits(type)),
                nearest(doubles[i]))
          << nearest.format.name << " " << doubles[i];
  }
}

TEST(CNumbers, DecodesF32Unchanged) {
  const float values[] = {0.0f, -0.0f, 1e-45f, INFINITY, 3.5f};
  float got[5];
  ASSERT_EQ(bsmm_decode(BSMM_F32, values, 5, got), BSMM_OK);
  EXPECT_EQ(std::memcmp(values, got, sizeof(got)), 0);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

// PTX: the low nibble is the earlier value; OCP: six bits, little end first.
TEST(CNumbers, PacksTheEarlierCodeLow) {
  const uint8_t four[] = {0x1, 0x2, 0xF};
  uint8_t packed[4] = {0xAA, 0xAA, 0xAA, 0xAA};
  ASSERT_EQ(bsmm_pack(4, four, 3, packed), BSMM_OK);
  EXPECT_EQ(packed[0], 0x21);
  EXPECT_EQ(packed[1], 0x0F); // the unused nibble is zero
  EXPECT_EQ(packed[2], 0xAA);
  const uint8_t six[] = {0x3F, 0x00, 0x21, 0x15, 0x2A};
  ASSERT_EQ(bsmm_pack(6, six, 5, packed), BSMM_OK);
  uint32_t word = 0x3F | 0x00 << 6 | 0x21 << 12 | 0x15 << 18;
  EXPECT_EQ(packed[0], word & 0xFF);
  EXPECT_EQ(packed[1], word >> 8 & 0xFF);
  EXPECT_EQ(packed[2], word >> 16);
  EXPECT_EQ(packed[3], 0x2A);
}

TEST(CNumbers, PacksEveryCodeInEveryPlace) {
  std::mt19937 random(1);
  for (int bits : {4, 6})
    for (int count = 0; count <= 9; ++count)
      for (int round = 0; round < 200; ++round) {
        uint8_t codes[10], back[10], packed[16];
        std::memset(packed, 0xAA, sizeof(packed));
        std::memset(back, 0xAA, sizeof(back));
        for (uint8_t &code : codes)
          code = uint8_t(random());
        ASSERT_EQ(bsmm_pack(bits, codes, count, packed), BSMM_OK);
        int bytes = (count * bits + 7) / 8;
        for (int i = bytes; i < 16; ++i)
          ASSERT_EQ(packed[i], 0xAA);
        for (int bit = 0; bit < bytes * 8; ++bit) {
          int index = bit / bits;
          int expected = index < count ? codes[index] >> (bit % bits) & 1 : 0;
          ASSERT_EQ(packed[bit / 8] >> (bit % 8) & 1, expected);
        }
        ASSERT_EQ(bsmm_unpack(bits, packed, count, back), BSMM_OK);
        for (int i = 0; i < 10; ++i)
          ASSERT_EQ(back[i], i < count ? codes[i] & ((1 << bits) - 1) : 0xAA);
      }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

TEST(CNumbers, Sizes) {
  EXPECT_EQ(bsmm_packed_bytes(BSMM_E2M1, 0), 0);
  EXPECT_EQ(bsmm_packed_bytes(BSMM_E2M1, 7), 4);
  EXPECT_EQ(bsmm_packed_bytes(BSMM_E3M2, 5), 4);
  EXPECT_EQ(bsmm_packed_bytes(BSMM_BF16, 3), 6);
  EXPECT_EQ(bsmm_packed_bytes(BSMM_ELEMENT_NONE, 3), -1);
  EXPECT_EQ(bsmm_packed_bytes(BSMM_E2M1, -1), -1);
  EXPECT_EQ(bsmm_packed_bytes(BSMM_F32, INT64_MAX), -1);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_E2M1, 1), 32);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_E2M1, 2880), 2880);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_E4M3, 17), 32);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_E2M3, 129), 256);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_F16, 511), 512);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_E2M1, INT64_MAX), -1);
  EXPECT_EQ(bsmm_padded_pitch(BSMM_ELEMENT_NONE, 1), -1);
  EXPECT_EQ(bsmm_scale_groups(33, 32), 2);
  EXPECT_EQ(bsmm_scale_groups(0, 16), 0);
  EXPECT_EQ(bsmm_scale_groups(5, 0), -1);
  EXPECT_EQ(bsmm_scale_groups(-5, 16), -1);
  EXPECT_EQ(bsmm_blocked_rows(0), 0);
  EXPECT_EQ(bsmm_blocked_groups(5), 8);
  EXPECT_EQ(bsmm_blocked_bytes(130, 5, 3), 2 * 2 * 512 * 3);
  EXPECT_EQ(bsmm_blocked_bytes(0, 5, 3), 0);
  EXPECT_EQ(bsmm_blocked_bytes(-1, 5, 3), -1);
  EXPECT_EQ(bsmm_blocked_bytes(INT64_MAX, INT64_MAX, 1), -1);
  EXPECT_EQ(bsmm_blocked_offset(0, 4, 4), -1);
  EXPECT_EQ(bsmm_blocked_offset(-1, 0, 4), -1);
  EXPECT_EQ(bsmm_blocked_offset(INT64_MAX, 0, 4), -1);
  // Rows of 16 x odd: the last tile is partly used, never dropped.
  for (int64_t odd = 1; odd < 64; odd += 2)
    EXPECT_EQ(bsmm_blocked_rows(16 * odd), (16 * odd + 127) / 128 * 128);
}

//===----------------------------------------------------------------------===//
// Order of scales
//===----------------------------------------------------------------------===//

// The physical tensor [L, rest_m, rest_k, 32, 4 (m / 32), 4 (k)] of the tensor
// cores, walked in its own order.
TEST(CNumbers, BlockedOrder) {
  for (int64_t rows : {1, 31, 32, 33, 127, 128, 129, 300})
    for (int64_t groups : {1, 3, 4, 5, 8, 11}) {
      const int64_t batches = 2, pitch = groups + 3;
      const int64_t stride = rows * pitch + 5;
      std::vector<uint8_t> linear(batches * stride, 0xEE);
      std::mt19937 random(unsigned(rows * 100 + groups));
      for (int64_t l = 0; l < batches; ++l)
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t group = 0; group < groups; ++group)
            linear[l * stride + row * pitch + group] = uint8_t(random());
      int64_t bytes = bsmm_blocked_bytes(rows, groups, batches);
      std::vector<uint8_t> blocked(bytes + 1, 0xCC);
      ASSERT_EQ(bsmm_scales_to_blocked(linear.data(), batches, rows, groups,
                                       pitch, stride, 0x5A, blocked.data()),
                BSMM_OK);
      int64_t at = 0;
      for (int64_t l = 0; l < batches; ++l)
        for (int64_t tileM = 0; tileM < (rows + 127) / 128; ++tileM)
          for (int64_t tileK = 0; tileK < (groups + 3) / 4; ++tileK)
            for (int64_t m0 = 0; m0 < 32; ++m0)
              for (int64_t m1 = 0; m1 < 4; ++m1)
                for (int64_t k = 0; k < 4; ++k, ++at) {
                  int64_t row = tileM * 128 + m1 * 32 + m0;
                  int64_t group = tileK * 4 + k;
                  bool isLive = row < rows && group < groups;
                  ASSERT_EQ(blocked[at],
                            isLive ? linear[l * stride + row * pitch + group]
                                   : 0x5A);
                  if (isLive && l == 0) {
                    ASSERT_EQ(bsmm_blocked_offset(row, group, groups), at);
                  }
                }
      ASSERT_EQ(at, bytes);
      EXPECT_EQ(blocked[bytes], 0xCC);
      std::vector<uint8_t> back(linear.size(), 0xEE);
      ASSERT_EQ(bsmm_scales_from_blocked(blocked.data(), batches, rows, groups,
                                         pitch, stride, back.data()),
                BSMM_OK);
      EXPECT_EQ(back, linear);
    }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

#define EXPECT_ERROR(call, text)                                               \
  do {                                                                         \
    EXPECT_EQ(call, BSMM_INVALID_ARGUMENT);                                    \
    EXPECT_STREQ(bsmm_last_error(), text);                                     \
  } while (false)

TEST(CNumbers, RefusesWrongArguments) {
  float value = 1;
  uint8_t byte[8] = {};
  const bsmm_overflow saturate = BSMM_OVERFLOW_SATURATE;
  EXPECT_ERROR(
      bsmm_encode(BSMM_F32, saturate, BSMM_F32, &value, 1, byte),
      "type: expected a floating-point type of at most 16 bits, got f32");
  EXPECT_ERROR(
      bsmm_encode(bsmm_element(99), saturate, BSMM_F32, &value, 1, byte),
      "type: expected a floating-point type of at most 16 bits, got type "
      "number 99");
  EXPECT_ERROR(
      bsmm_encode(BSMM_S8, saturate, BSMM_F32, &value, 1, byte),
      "type: expected a floating-point type of at most 16 bits, got s8");
  EXPECT_ERROR(
      bsmm_encode(BSMM_E2M1, bsmm_overflow(7), BSMM_F32, &value, 1, byte),
      "overflow: expected BSMM_OVERFLOW_SATURATE or BSMM_OVERFLOW_INFINITY, "
      "got 7");
  EXPECT_ERROR(bsmm_encode(BSMM_E2M1, saturate, BSMM_S8, &value, 1, byte),
               "value_type: expected f32, f16, bf16 or f64, got s8");
  EXPECT_ERROR(bsmm_encode(BSMM_E2M1, saturate, BSMM_F32, nullptr, 1, byte),
               "values: expected an address, got null");
  EXPECT_ERROR(bsmm_encode(BSMM_E2M1, saturate, BSMM_F32, &value, -1, byte),
               "count: expected at least 0, got -1");
  EXPECT_ERROR(
      bsmm_encode(BSMM_E2M1, saturate, BSMM_F32, &value, INT64_MAX, byte),
      "count: the array is too large");
  EXPECT_ERROR(
      bsmm_decode(BSMM_F64, byte, 1, &value),
      "type: expected f32 or a floating-point type of at most 16 bits, got "
      "f64");
  EXPECT_ERROR(bsmm_pack(5, byte, 1, byte + 4), "bits: expected 4 or 6, got 5");
  EXPECT_ERROR(bsmm_unpack(4, byte, 1, nullptr),
               "codes: expected an address, got null");
  EXPECT_ERROR(bsmm_scales_to_blocked(byte, 1, 2, 4, 3, 0, 0, byte),
               "linear: pitch: expected at least the 4 columns, got 3");
  EXPECT_ERROR(bsmm_scales_to_blocked(byte, 2, 2, 4, 4, 7, 0, byte),
               "linear: batch stride: expected at least 8, got 7");
  EXPECT_ERROR(bsmm_scales_to_blocked(byte, -2, 2, 4, 4, 8, 0, byte),
               "linear: batches: expected at least 0, got -2");
  EXPECT_ERROR(bsmm_scales_to_blocked(nullptr, 1, 2, 4, 0, 0, 0, byte),
               "linear: expected an address, got null");
  EXPECT_ERROR(bsmm_scales_from_blocked(byte, 1, INT64_MAX, 4, 0, 0, byte),
               "linear: the array is too large");
  EXPECT_ERROR(bsmm_scales_from_blocked(byte, 1, 1, INT64_MAX - 3, 0, 0, byte),
               "linear: the array is too large");
  // Empty arrays need no memory.
  EXPECT_EQ(bsmm_encode(BSMM_E2M1, saturate, BSMM_F32, nullptr, 0, nullptr),
            BSMM_OK);
  EXPECT_EQ(bsmm_scales_to_blocked(nullptr, 0, 2, 4, 0, 0, 0, nullptr),
            BSMM_OK);
}

TEST(CNumbers, EachThreadHasItsErrorText) {
  EXPECT_EQ(bsmm_pack(5, nullptr, 0, nullptr), BSMM_INVALID_ARGUMENT);
  std::string inThread = "unset", afterwards;
  std::thread other([&] {
    inThread = bsmm_last_error();
    bsmm_pack(7, nullptr, 0, nullptr);
    afterwards = bsmm_last_error();
  });
  other.join();
  EXPECT_EQ(inThread, "");
  EXPECT_EQ(afterwards, "bits: expected 4 or 6, got 7");
  EXPECT_STREQ(bsmm_last_error(), "bits: expected 4 or 6, got 5");
}

} // namespace
