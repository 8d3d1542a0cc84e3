//===- CQuantizeTest.cpp - NVFP4 and MX quantisation of the C ABI ---------===//
//
// Expected codes and scales are computed here in float64 from the definitions
// in bsmm_numbers.h; where these say f32, each float64 result is rounded to
// f32, which gives the f32 operation's result (53 >= 2 * 24 + 2 bits).
//
//===----------------------------------------------------------------------===//

#include "CNumbers.h"
#include "gtest/gtest.h"
#include <thread>

using namespace cnumbers;

extern "C" bsmm_status quantizeRowInC(const float *row, uint8_t *packed,
                                      uint8_t *scales, float *global_scale);

namespace {

constexpr uint8_t poison = 0xA5;

/// What a test quantises: values in float64, stored in their type with strides.
struct Source {
  bsmm_element type;
  int64_t batches, rows, columns, pitch, stride;
  std::vector<uint8_t> bytes;

  int64_t width() const { return type == BSMM_F32 ? 4 : 2; }

  Source(bsmm_element type, int64_t batches, int64_t rows, int64_t columns,
         int64_t pitch, int64_t stride)
      : type(type), batches(batches), rows(rows), columns(columns),
        pitch(pitch), stride(stride),
        // NaNs in the gaps: reading one would show.
        bytes(size_t(batches * stride * width()), 0xFF) {}

  void set(int64_t batch, int64_t row, int64_t column, double value) {
    uint8_t *at =
        bytes.data() + (batch * stride + row * pitch + column) * width();
    if (type == BSMM_F32) {
      float single = float(value);
      std::memcpy(at, &single, 4);
      return;
    }
    uint32_t code = 0x7FFF;
    Format format = formatOf(type);
    if (std::isinf(value))
      code = (format.largest + 1) | (value < 0 ? 0x8000 : 0);
    else if (!std::isnan(value)) {
      static const Nearest f16(formatOf(BSMM_F16));
      static const Nearest bf16(formatOf(BSMM_BF16));
      code = type == BSMM_F16 ? f16(value) : bf16(value);
    }
    at[0] = uint8_t(code);
    at[1] = uint8_t(code >> 8);
  }

  double get(int64_t batch, int64_t row, int64_t column) const {
    const uint8_t *at =
        bytes.data() + (batch * stride + row * pitch + column) * width();
    if (type == BSMM_F32) {
      float single;
      std::memcpy(&single, at, 4);
      return single;
    }
    return valueOf(formatOf(type), at[0] | at[1] << 8);
  }

  bsmm_values view() const {
    return {type, bytes.data(), batches, rows, columns, pitch, stride};
  }
};

/// Codes and scales with gaps, all poison before the call.
struct Target {
  bsmm_element type;
  bsmm_layout layout;
  int64_t pitch, stride, groups, scalePitch, scaleStride, vector;
  std::vector<uint8_t> codes, scales;

  Target(const Source &source, bsmm_element type, int64_t vector,
         bsmm_layout layout)
      : type(type), layout(layout), vector(vector) {
    pitch = (source.columns + 7) / 4 * 4;
    stride = source.rows * pitch + 8;
    groups = (source.columns + vector - 1) / vector;
    scalePitch = groups + 2;
    int64_t tiles = (source.rows + 127) / 128 * ((groups + 3) / 4);
    scaleStride = layout == BSMM_LAYOUT_ROWS ? source.rows * scalePitch + 3
                                             : tiles * 512 + 16;
    codes.assign(size_t(source.batches * stride * bsmm_element_bits(type) / 8),
                 poison);
    scales.assign(size_t(source.batches * scaleStride), poison);
  }

  bsmm_codes codeView() { return {type, codes.data(), pitch, stride}; }
  bsmm_block_scales scaleView(uint8_t padding = 0x11) {
    return {layout, scales.data(), scalePitch, scaleStride, padding};
  }

  int64_t scaleIndex(int64_t batch, int64_t row, int64_t group) const {
    if (layout == BSMM_LAYOUT_ROWS)
      return batch * scaleStride + row * scalePitch + group;
    int64_t tile = row / 128 * ((groups + 3) / 4) + group / 4;
    return batch * scaleStride + tile * 512 + row % 32 * 16 + row / 32 % 4 * 4 +
           group % 4;
  }
  uint8_t scale(int64_t batch, int64_t row, int64_t group) const {
    return scales[size_t(scaleIndex(batch, row, group))];
  }
  uint32_t code(int64_t batch, int64_t row, int64_t column) const {
    int bits = int(bsmm_element_bits(type));
    const uint8_t *at =
        codes.data() + (batch * stride + row * pitch) * bits / 8;
    return codeAt(at, column, bits);
  }
};

/// Largest magnitude of a group; NaN when a value is not finite.
double largestOf(const Source &source, int64_t batch, int64_t row,
                 int64_t begin, int64_t end) {
  double largest = 0;
  for (int64_t column = begin; column < end; ++column) {
    double value = source.get(batch, row, column);
    if (!std::isfinite(value))
      return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

/// Calls check(batch, row, group, begin, end) for every group.
template <typename Check>
void forEachGroup(const Source &source, int64_t vector, Check check) {
  for (int64_t batch = 0; batch < source.batches; ++batch)
    for (int64_t row = 0; row < source.rows; ++row)
      for (int64_t begin = 0; begin < source.columns; begin += vector)
        check(batch, row, begin / vector, begin,
              std::min(begin + vector, source.columns));
}

/// Rows of very different size, with zeros, special groups and signed zeros.
Source randomSource(bsmm_element type, unsigned seed, int64_t batches,
                    int64_t rows, int64_t columns, bool special) {
  Source source(type, batches, rows, columns, columns + 3,
                rows * (columns + 3) + 7);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t begin = 0; begin < columns; begin += 16) {
        // bf16 and f32 reach far, f16 does not.
        int reach = type == BSMM_F16 ? 12 : 60;
        double size = std::ldexp(1.0, int(random() % (2 * reach)) - reach);
        bool isZero = random() % 8 == 0;
        for (int64_t column = begin; column < begin + 16 && column < columns;
             ++column) {
          double value = isZero ? 0 : unit(random) * size;
          if (random() % 16 == 0)
            value = random() % 2 ? 0.0 : -0.0;
          if (special && random() % 200 == 0)
            value = random() % 2 ? NAN : INFINITY;
          source.set(batch, row, column, value);
        }
      }
  return source;
}

/// Bytes that no code and no scale uses keep their poison.
void expectGapsUntouched(const Source &source, const Target &target) {
  int bits = int(bsmm_element_bits(target.type));
  std::vector<bool> used(target.codes.size(), false);
  std::vector<bool> usedScales(target.scales.size(), false);
  int64_t tileBytes = target.scaleStride - 16;
  for (int64_t batch = 0; batch < source.batches; ++batch) {
    for (int64_t row = 0; row < source.rows; ++row) {
      int64_t first = (batch * target.stride + row * target.pitch) * bits / 8;
      for (int64_t byte = 0; byte < (source.columns * bits + 7) / 8; ++byte)
        used[size_t(first + byte)] = true;
      for (int64_t group = 0; group < target.groups; ++group)
        usedScales[size_t(target.scaleIndex(batch, row, group))] = true;
    }
    // The rest of the tiles is padding.
    if (target.layout == BSMM_LAYOUT_BLOCKED_128X4)
      for (int64_t byte = 0; byte < tileBytes; ++byte) {
        size_t at = size_t(batch * target.scaleStride + byte);
        if (!usedScales[at]) {
          ASSERT_EQ(target.scales[at], 0x11) << "padding";
        }
        usedScales[at] = true;
      }
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) {
      ASSERT_EQ(target.codes[i], poison) << "code byte " << i;
    }
  for (size_t i = 0; i < usedScales.size(); ++i)
    if (!usedScales[i]) {
      ASSERT_EQ(target.scales[i], poison) << "scale byte " << i;
    }
}

//===----------------------------------------------------------------------===//
// NVFP4
//===----------------------------------------------------------------------===//

void checkNVFP4(const Source &source, float globalScale, float minScale,
                bsmm_layout layout) {
  Target target(source, BSMM_E2M1, 16, layout);
  bsmm_values values = source.view();
  bsmm_codes codes = target.codeView();
  bsmm_block_scales scales = target.scaleView();
  ASSERT_EQ(
      bsmm_quantize_nvfp4(&values, globalScale, minScale, &codes, &scales),
      BSMM_OK)
      << bsmm_last_error();
  Nearest e2m1(formatOf(BSMM_E2M1)), ue4m3(formatOf(BSMM_UE4M3));
  int special = 0, zero = 0;
  forEachGroup(source, 16,
               [&](int64_t batch, int64_t row, int64_t group, int64_t begin,
                   int64_t end) {
                 double largest = largestOf(source, batch, row, begin, end);
                 uint8_t scale = target.scale(batch, row, group);
                 if (std::isnan(largest)) {
                   ++special;
                   ASSERT_EQ(scale, 0x7F);
                   for (int64_t column = begin; column < end; ++column)
                     ASSERT_EQ(target.code(batch, row, column), 0u);
                   return;
                 }
                 double wanted = float(float(largest / 6) / globalScale);
                 wanted = std::max(wanted, double(minScale));
                 uint32_t scaleCode = ue4m3(wanted);
                 ASSERT_EQ(scale, scaleCode) << largest;
                 float total =
                     float(globalScale * valueOf(ue4m3.format, scaleCode));
                 for (int64_t column = begin; column < end; ++column) {
                   double value = source.get(batch, row, column);
                   uint32_t expected;
                   if (total == 0) {
                     ++zero;
                     expected = std::signbit(value) ? 8 : 0;
                   } else {
                     expected = e2m1(float(value / total));
                   }
                   ASSERT_EQ(target.code(batch, row, column), expected)
                       << value << " / " << total;
                 }
               });
  expectGapsUntouched(source, target);
}

TEST(CQuantize, NVFP4AgainstFloat64) {
  unsigned seed = 0;
  for (bsmm_element type : {BSMM_F32, BSMM_F16, BSMM_BF16})
    for (bsmm_layout layout : {BSMM_LAYOUT_ROWS, BSMM_LAYOUT_BLOCKED_128X4})
      for (int64_t columns : {1, 15, 16, 17, 64, 199})
        for (float minScale : {0x1p-9f, 0x1p-6f, 0.0f}) {
          ++seed;
          Source source =
              randomSource(type, seed, 2, 37, columns, seed % 2 == 0);
          bsmm_values values = source.view();
          float amax;
          ASSERT_EQ(bsmm_largest_magnitude(&values, &amax), BSMM_OK);
          double expected = 0;
          for (int64_t l = 0; l < 2; ++l)
            for (int64_t row = 0; row < 37; ++row)
              for (int64_t column = 0; column < columns; ++column) {
                double value = std::fabs(source.get(l, row, column));
                if (std::isfinite(value))
                  expected = std::max(expected, value);
              }
          ASSERT_EQ(amax, expected);
          checkNVFP4(source, bsmm_nvfp4_global_scale(amax), minScale, layout);
          // Scales of other tensors: block scales saturate or vanish.
          checkNVFP4(source, 1.0f, minScale, layout);
          checkNVFP4(source, 1e-30f, minScale, layout);
          checkNVFP4(source, 3e30f, minScale, layout);
        }
}

TEST(CQuantize, GlobalScale) {
  EXPECT_EQ(bsmm_nvfp4_global_scale(2688), 1.0f);
  EXPECT_EQ(bsmm_nvfp4_global_scale(1), float(1.0 / 2688));
  EXPECT_EQ(bsmm_nvfp4_global_scale(0), 1.0f);
  EXPECT_EQ(bsmm_nvfp4_global_scale(-0.0f), 1.0f);
  EXPECT_EQ(bsmm_nvfp4_global_scale(1e-44f), 0x1p-126f);
  EXPECT_TRUE(std::isnan(bsmm_nvfp4_global_scale(-1)));
  EXPECT_TRUE(std::isnan(bsmm_nvfp4_global_scale(NAN)));
  EXPECT_TRUE(std::isnan(bsmm_nvfp4_global_scale(INFINITY)));
  EXPECT_FALSE(std::isinf(bsmm_nvfp4_global_scale(FLT_MAX)));
}

// The largest group of a tensor gets e4m3's largest scale, and its largest
// value the code of 6.
TEST(CQuantize, LargestValueUsesTheWholeRange) {
  for (float amax : {1.0f, 3.14159f, 1e-20f, 65504.0f, 3e38f}) {
    Source source(BSMM_F32, 1, 1, 16, 16, 16);
    for (int i = 0; i < 16; ++i)
      source.set(0, 0, i, i == 3 ? -amax : amax / 20);
    Target target(source, BSMM_E2M1, 16, BSMM_LAYOUT_ROWS);
    bsmm_values values = source.view();
    bsmm_codes codes = target.codeView();
    bsmm_block_scales scales = target.scaleView();
    ASSERT_EQ(bsmm_quantize_nvfp4(&values, bsmm_nvfp4_global_scale(amax),
                                  0x1p-9f, &codes, &scales),
              BSMM_OK);
    EXPECT_EQ(target.scale(0, 0, 0), 0x7E) << amax;
    EXPECT_EQ(target.code(0, 0, 3), 0xFu) << amax;
    EXPECT_EQ(target.code(0, 0, 2), 1u) << amax; // 6 / 20 is nearest to 0.5
  }
}

TEST(CQuantize, FromC) {
  float row[20];
  for (int i = 0; i < 20; ++i)
    row[i] = i == 19 ? 2688.0f : float(i);
  uint8_t packed[10], scales[2];
  float globalScale = 0;
  ASSERT_EQ(quantizeRowInC(row, packed, scales, &globalScale), BSMM_OK);
  EXPECT_EQ(globalScale, 1.0f);
  // 15 / 6 = 2.5 is an e4m3 value; 15 / 2.5 is 6, 1 / 2.5 = 0.4 gives 0.5.
  EXPECT_EQ(decltype(scales[0] + 0)(scales[0]), 0x42);
  EXPECT_EQ(packed[0], 0x10); // 0, 0.5
  EXPECT_EQ(packed[7] >> 4, 7);
  EXPECT_EQ(scales[1], 0x7E); // 448
  EXPECT_EQ(packed[9], 0x70); // 18 / 448 is 0; 2688 / 448 is 6
}

//===----------------------------------------------------------------------===//
// MX
//===----------------------------------------------------------------------===//

const bsmm_element mxTypes[] = {BSMM_E2M1, BSMM_E2M3, BSMM_E3M2, BSMM_E4M3,
                                BSMM_E5M2};

/// OCP 6.3 with float64: powers of two and their products are exact.
int expectedExponent(double largest, bsmm_exponent_rule rule, double max) {
  if (largest == 0)
    return -127;
  int exponent = 0;
  if (rule == BSMM_EXPONENT_FLOOR) {
    int floorLog = std::ilogb(largest), floorMax = std::ilogb(max);
    exponent = floorLog - floorMax;
  } else {
    exponent = -300;
    while (std::ldexp(max, exponent) < largest)
      ++exponent;
  }
  return std::min(std::max(exponent, -127), 127);
}

TEST(CQuantize, MXAgainstFloat64) {
  unsigned seed = 1000;
  for (bsmm_element type : {BSMM_F32, BSMM_F16, BSMM_BF16})
    for (bsmm_element codeType : mxTypes)
      for (bsmm_exponent_rule rule :
           {BSMM_EXPONENT_FLOOR, BSMM_EXPONENT_ROUND_UP})
        for (int64_t columns : {1, 31, 32, 33, 131})
          for (int64_t vector : {16, 32}) {
            if (vector == 16 && codeType != BSMM_E2M1)
              continue;
            ++seed;
            Source source =
                randomSource(type, seed, 2, 35, columns, seed % 2 == 0);
            bsmm_layout layout =
                seed % 3 ? BSMM_LAYOUT_ROWS : BSMM_LAYOUT_BLOCKED_128X4;
            Target target(source, codeType, vector, layout);
            bsmm_values values = source.view();
            bsmm_codes codes = target.codeView();
            bsmm_block_scales scales = target.scaleView();
            ASSERT_EQ(bsmm_quantize_mx(&values, rule, vector, &codes, &scales),
                      BSMM_OK)
                << bsmm_last_error();
            Nearest nearest(formatOf(codeType));
            double max = nearest.values.back();
            forEachGroup(
                source, vector,
                [&](int64_t batch, int64_t row, int64_t group, int64_t begin,
                    int64_t end) {
                  double largest = largestOf(source, batch, row, begin, end);
                  uint8_t scale = target.scale(batch, row, group);
                  if (std::isnan(largest)) {
                    ASSERT_EQ(scale, 0xFF);
                    for (int64_t column = begin; column < end; ++column)
                      ASSERT_EQ(target.code(batch, row, column), 0u);
                    return;
                  }
                  int exponent = expectedExponent(largest, rule, max);
                  ASSERT_EQ(scale, exponent + 127) << largest;
                  if (rule == BSMM_EXPONENT_ROUND_UP) {
                    ASSERT_LE(largest, std::ldexp(max, exponent));
                  }
                  for (int64_t column = begin; column < end; ++column) {
                    double value = source.get(batch, row, column);
                    ASSERT_EQ(target.code(batch, row, column),
                              nearest(std::ldexp(value, -exponent)))
                        << value << " with 2^" << exponent;
                  }
                });
            expectGapsUntouched(source, target);
          }
}

// Amax at every power of two of f32, at max * 2^e, and beside them.
TEST(CQuantize, MXExponentsOverTheWholeRange) {
  for (bsmm_element codeType : mxTypes) {
    Nearest nearest(formatOf(codeType));
    double max = nearest.values.back();
    for (bsmm_exponent_rule rule :
         {BSMM_EXPONENT_FLOOR, BSMM_EXPONENT_ROUND_UP}) {
      std::vector<float> largest = {0, 1e-45f, FLT_MAX, FLT_MIN};
      for (int exponent = -149; exponent < 128; ++exponent)
        for (double fraction : {1.0, max / std::exp2(std::ilogb(max))}) {
          float value = float(std::ldexp(fraction, exponent));
          for (float beside : {value, std::nextafter(value, 0.0f),
                               std::nextafter(value, FLT_MAX)})
            largest.push_back(beside);
        }
      int64_t rows = int64_t(largest.size());
      Source source(BSMM_F32, 1, rows, 2, 2, 2 * rows);
      for (int64_t row = 0; row < rows; ++row) {
        source.set(0, row, 0, largest[size_t(row)]);
        source.set(0, row, 1, -largest[size_t(row)] / 3);
      }
      Target target(source, codeType, 32, BSMM_LAYOUT_ROWS);
      bsmm_values values = source.view();
      bsmm_codes codes = target.codeView();
      bsmm_block_scales scales = target.scaleView();
      ASSERT_EQ(bsmm_quantize_mx(&values, rule, 32, &codes, &scales), BSMM_OK);
      for (int64_t row = 0; row < rows; ++row) {
        double amax = largest[size_t(row)];
        int exponent = expectedExponent(amax, rule, max);
        ASSERT_EQ(target.scale(0, row, 0), exponent + 127) << amax;
        for (int64_t column = 0; column < 2; ++column)
          ASSERT_EQ(target.code(0, row, column),
                    nearest(std::ldexp(source.get(0, row, column), -exponent)));
      }
    }
  }
}

// OCP 6.3: values up to almost 2^(emax + 1) occur and saturate; rounding up
// avoids it.
TEST(CQuantize, FloorSaturatesAndRoundUpDoesNot) {
  Source source(BSMM_F32, 1, 1, 1, 1, 1);
  source.set(0, 0, 0, 7);
  bsmm_values values = source.view();
  for (bsmm_exponent_rule rule :
       {BSMM_EXPONENT_FLOOR, BSMM_EXPONENT_ROUND_UP}) {
    Target target(source, BSMM_E2M1, 32, BSMM_LAYOUT_ROWS);
    bsmm_codes codes = target.codeView();
    bsmm_block_scales scales = target.scaleView();
    ASSERT_EQ(bsmm_quantize_mx(&values, rule, 32, &codes, &scales), BSMM_OK);
    bool isFloor = rule == BSMM_EXPONENT_FLOOR;
    EXPECT_EQ(target.scale(0, 0, 0), isFloor ? 127 : 128);
    EXPECT_EQ(target.code(0, 0, 0), isFloor ? 7u : 6u); // 6, or 4 * 2
  }
}

//===----------------------------------------------------------------------===//
// Back
//===----------------------------------------------------------------------===//

TEST(CQuantize, Dequantize) {
  std::mt19937 random(3);
  for (bsmm_element codeType : mxTypes)
    for (bsmm_element scaleType : {BSMM_UE8M0, BSMM_UE4M3})
      for (bsmm_layout layout : {BSMM_LAYOUT_ROWS, BSMM_LAYOUT_BLOCKED_128X4})
        for (int64_t vector : {16, 32}) {
          Source shape(BSMM_F32, 2, 33, 71, 71, 33 * 71);
          Target target(shape, codeType, vector, layout);
          for (uint8_t &byte : target.codes)
            byte = uint8_t(random());
          for (uint8_t &byte : target.scales)
            byte = uint8_t(random());
          std::vector<float> out(2 * 33 * 75, -1.0f);
          bsmm_values values = {BSMM_F32, out.data(), 2, 33, 71, 75, 0};
          bsmm_codes codes = target.codeView();
          bsmm_block_scales scales = target.scaleView();
          const float globalScale = 0.37f;
          ASSERT_EQ(bsmm_dequantize(&codes, &scales, scaleType, vector,
                                    globalScale, &values),
                    BSMM_OK)
              << bsmm_last_error();
          Format format = formatOf(codeType), scaleFormat = formatOf(scaleType);
          for (int64_t batch = 0; batch < 2; ++batch)
            for (int64_t row = 0; row < 33; ++row)
              for (int64_t column = 0; column < 75; ++column) {
                float got = out[size_t((batch * 33 + row) * 75 + column)];
                if (column >= 71) {
                  ASSERT_EQ(got, -1.0f) << "a gap";
                  continue;
                }
                float scaled =
                    float(valueOf(format, target.code(batch, row, column)) *
                          valueOf(scaleFormat,
                                  target.scale(batch, row, column / vector)));
                float expected = float(double(scaled) * globalScale);
                if (std::isnan(expected)) {
                  ASSERT_TRUE(std::isnan(got));
                } else {
                  ASSERT_EQ(got, expected);
                }
              }
        }
}

TEST(CQuantize, RowsInSeveralThreads) {
  Source source = randomSource(BSMM_F32, 77, 1, 64, 256, false);
  Target alone(source, BSMM_E2M1, 16, BSMM_LAYOUT_ROWS);
  Target shared(source, BSMM_E2M1, 16, BSMM_LAYOUT_ROWS);
  bsmm_values values = source.view();
  bsmm_codes codes = alone.codeView();
  bsmm_block_scales scales = alone.scaleView();
  ASSERT_EQ(bsmm_quantize_nvfp4(&values, 0.5f, 0x1p-9f, &codes, &scales),
            BSMM_OK);
  std::vector<std::thread> threads;
  for (int part = 0; part < 4; ++part)
    threads.emplace_back([&, part] {
      bsmm_values rows = source.view();
      rows.data = source.bytes.data() + 16 * part * source.pitch * 4;
      rows.rows = 16;
      bsmm_codes to = shared.codeView();
      to.data = shared.codes.data() + 16 * part * shared.pitch / 2;
      bsmm_block_scales scalesTo = shared.scaleView();
      scalesTo.data += 16 * part * shared.scalePitch;
      bsmm_quantize_nvfp4(&rows, 0.5f, 0x1p-9f, &to, &scalesTo);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(shared.codes, alone.codes);
  EXPECT_EQ(shared.scales, alone.scales);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

#define EXPECT_ERROR(call, text)                                               \
  do {                                                                         \
    EXPECT_EQ(call, BSMM_INVALID_ARGUMENT);                                    \
    EXPECT_STREQ(bsmm_last_error(), text);                                     \
  } while (false)

TEST(CQuantize, RefusesWrongArguments) {
  float data[64] = {};
  uint8_t bytes[64];
  const bsmm_values values = {BSMM_F32, data, 1, 2, 32, 0, 0};
  const bsmm_codes codes = {BSMM_E2M1, bytes, 0, 0};
  const bsmm_block_scales scales = {BSMM_LAYOUT_ROWS, bytes + 32, 0, 0, 0};
  auto nvfp4 = [&](bsmm_values values, bsmm_codes codes,
                   bsmm_block_scales scales, float global = 1,
                   float smallest = 0) {
    return bsmm_quantize_nvfp4(&values, global, smallest, &codes, &scales);
  };
  auto mx = [&](bsmm_values values, bsmm_codes codes, bsmm_block_scales scales,
                int64_t vector = 32, int rule = 0) {
    return bsmm_quantize_mx(&values, bsmm_exponent_rule(rule), vector, &codes,
                            &scales);
  };
  EXPECT_EQ(nvfp4(values, codes, scales), BSMM_OK);
  EXPECT_EQ(mx(values, codes, scales), BSMM_OK);
  EXPECT_ERROR(bsmm_quantize_nvfp4(nullptr, 1, 0, &codes, &scales),
               "values: expected an address, got null");
  EXPECT_ERROR(bsmm_quantize_nvfp4(&values, 1, 0, nullptr, &scales),
               "codes: expected an address, got null");
  EXPECT_ERROR(
      bsmm_quantize_mx(&values, BSMM_EXPONENT_FLOOR, 32, &codes, nullptr),
      "scales: expected an address, got null");
  bsmm_values wrong = values;
  wrong.type = BSMM_F64;
  EXPECT_ERROR(nvfp4(wrong, codes, scales),
               "values: type: expected f32, f16 or bf16, got f64");
  wrong = values;
  wrong.data = nullptr;
  EXPECT_ERROR(nvfp4(wrong, codes, scales),
               "values: data: expected an address, got null");
  wrong = values;
  wrong.rows = -1;
  EXPECT_ERROR(nvfp4(wrong, codes, scales),
               "values: rows: expected at least 0, got -1");
  wrong = values;
  wrong.pitch = 31;
  EXPECT_ERROR(nvfp4(wrong, codes, scales),
               "values: pitch: expected at least the 32 columns, got 31");
  wrong = values;
  wrong.columns = INT64_MAX;
  EXPECT_ERROR(nvfp4(wrong, codes, scales), "values: the array is too large");
  bsmm_codes wrongCodes = codes;
  wrongCodes.type = BSMM_E4M3;
  EXPECT_ERROR(nvfp4(values, wrongCodes, scales),
               "codes: type: expected e2m1, got e4m3");
  wrongCodes.type = BSMM_F16;
  EXPECT_ERROR(mx(values, wrongCodes, scales),
               "codes: type: expected e2m1, e2m3, e3m2, e4m3 or e5m2, got f16");
  wrongCodes = codes;
  wrongCodes.pitch = 33;
  EXPECT_ERROR(mx(values, wrongCodes, scales),
               "codes: pitch: expected whole bytes, a multiple of 2 codes, got "
               "33");
  wrongCodes = codes;
  wrongCodes.data = nullptr;
  EXPECT_ERROR(mx(values, wrongCodes, scales),
               "codes: data: expected an address, got null");
  bsmm_block_scales wrongScales = scales;
  wrongScales.layout = bsmm_layout(5);
  EXPECT_ERROR(mx(values, codes, wrongScales),
               "scales: layout: expected BSMM_LAYOUT_ROWS or "
               "BSMM_LAYOUT_BLOCKED_128X4, got 5");
  wrongScales = scales;
  wrongScales.pitch = 1;
  EXPECT_ERROR(nvfp4(values, codes, wrongScales),
               "scales: pitch: expected at least the 2 columns, got 1");
  wrongScales = {BSMM_LAYOUT_BLOCKED_128X4, bytes, 0, 511, 0};
  wrong = values;
  wrong.batches = 2;
  wrong.rows = 1;
  EXPECT_ERROR(nvfp4(wrong, codes, wrongScales),
               "scales: batch stride: expected at least the 512 bytes of the "
               "tiles, got 511");
  EXPECT_ERROR(nvfp4(values, codes, scales, 0),
               "global_scale: expected a positive finite number, got 0.000000");
  EXPECT_ERROR(nvfp4(values, codes, scales, NAN),
               "global_scale: expected a positive finite number, got nan");
  EXPECT_ERROR(nvfp4(values, codes, scales, 1, 449),
               "min_scale: expected a number from 0 to 448, got 449.000000");
  EXPECT_ERROR(mx(values, codes, scales, 64),
               "vector: expected 16 or 32, got 64");
  EXPECT_ERROR(mx(values, codes, scales, 32, 9),
               "rule: expected BSMM_EXPONENT_FLOOR or BSMM_EXPONENT_ROUND_UP, "
               "got 9");
  wrongCodes = codes;
  wrongCodes.type = BSMM_E4M3;
  EXPECT_ERROR(mx(values, wrongCodes, scales, 16),
               "vector: expected 32 for e4m3, got 16, which only e2m1 has");
  float amax;
  EXPECT_ERROR(bsmm_largest_magnitude(&values, nullptr),
               "amax: expected an address, got null");
  EXPECT_ERROR(bsmm_largest_magnitude(nullptr, &amax),
               "values: expected an address, got null");
  EXPECT_ERROR(bsmm_dequantize(&codes, &scales, BSMM_E4M3, 16, 1, &values),
               "scale_type: expected ue8m0 or ue4m3, got e4m3");
  wrong = values;
  wrong.type = BSMM_F16;
  EXPECT_ERROR(bsmm_dequantize(&codes, &scales, BSMM_UE8M0, 16, 1, &wrong),
               "values: type: expected f32, got f16");
  // Nothing to do needs no memory.
  wrong = {BSMM_F32, nullptr, 1, 0, 32, 0, 0};
  wrongCodes = {BSMM_E2M1, nullptr, 0, 0};
  wrongScales = {BSMM_LAYOUT_ROWS, nullptr, 0, 0, 0};
  EXPECT_EQ(nvfp4(wrong, wrongCodes, wrongScales), BSMM_OK);
  EXPECT_EQ(mx(wrong, wrongCodes, wrongScales), BSMM_OK);
}

} // namespace
