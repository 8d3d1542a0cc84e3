//===- KernelManifestTest.cpp - reading and writing manifests -------------===//

#include "TestFiles.h"
#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Runtime/Random.h"
#include "gtest/gtest.h"
#include <functional>
#include <nlohmann/json.hpp>

using namespace bsmm;
using namespace bsmm::runtime;
using Json = nlohmann::json;

namespace {

std::string after(size_t example, const std::function<void(Json &)> &change) {
  Json json = Json::parse(test::abiExamples().at(example));
  change(json);
  Result<KernelManifest> manifest = parseManifest(json.dump());
  return manifest ? "" : manifest.error();
}

TEST(KernelManifest, ExamplesOfTheDocumentation) {
  std::vector<std::string> examples = test::abiExamples();
  ASSERT_EQ(examples.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {
    Result<KernelManifest> manifest = parseManifest(examples[i]);
    ASSERT_TRUE(manifest) << manifest.error();
    std::string text = writeManifest(*manifest);
    Result<KernelManifest> again = parseManifest(text);
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(writeManifest(*again), text);
  }
  Result<KernelManifest> nvfp4 = parseManifest(examples[0]);
  EXPECT_EQ(nvfp4->grid.rule, GridRule::Persistent);
  EXPECT_EQ(nvfp4->problem.scaleType, target::ElementType::UE4M3);
  EXPECT_EQ(nvfp4->shapes[2].multipleOf, 2);
  EXPECT_EQ(std::get<int64_t>(nvfp4->configuration.at("stages")), 3);
  EXPECT_EQ(std::get<std::string>(nvfp4->configuration.at("warp_specialize")),
            "inner");
  Result<KernelManifest> fp8 = parseManifest(examples[1]);
  EXPECT_EQ(fp8->fixed[3], 1);
  EXPECT_EQ(fp8->fixed[0], -1);
  EXPECT_EQ(fp8->problem.rowScales, RowScales::F32);
  EXPECT_EQ(fp8->numerics.overflow, Overflow::Infinity);
}

TEST(KernelManifest, OverflowFollowsTheOutput) {
  Json json = Json::parse(test::abiExamples().at(1));
  json["problem"]["out"] = "e4m3";
  json["numerics"].erase("overflow");
  Result<KernelManifest> manifest = parseManifest(json.dump());
  ASSERT_TRUE(manifest) << manifest.error();
  EXPECT_EQ(manifest->numerics.overflow, Overflow::Saturate);
}

/// The FP8 example with block scales of f32.
static Json blockScales() {
  Json json = Json::parse(test::abiExamples().at(1));
  json["problem"].erase("row_scales");
  json["problem"]["scale_type"] = "f32";
  json["problem"]["scale_vector"] = 128;
  json["problem"]["scale_layout"] = "column_major";
  json["problem"]["scale_layout_b"] = "linear";
  json["problem"]["scale_rows_b"] = 128;
  json["params"][3] = {{"pointer", "sfa"}};
  json["params"][4] = {{"pointer", "sfb"}};
  std::swap(json["params"][2], json["params"][3]);
  std::swap(json["params"][3], json["params"][4]);
  json["params"][9] = {{"i64", {{"pitch", "sfa"}}}};
  json["params"][10] = {{"i64", {{"pitch", "sfb"}}}};
  json["params"].push_back({{"i64", {{"pitch", "d"}}}});
  return json;
}

TEST(KernelManifest, BlockScales) {
  Result<KernelManifest> manifest = parseManifest(blockScales().dump());
  ASSERT_TRUE(manifest) << manifest.error();
  EXPECT_EQ(manifest->problem.scaleType, target::ElementType::F32);
  EXPECT_EQ(manifest->problem.scaleLayout, ScaleLayout::ColumnMajor);
  EXPECT_EQ(manifest->problem.getScaleLayoutB(), ScaleLayout::Linear);
  EXPECT_EQ(manifest->problem.scaleRowsB, 128);
  Result<KernelManifest> again = parseManifest(writeManifest(*manifest));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(writeManifest(*again), writeManifest(*manifest));

  // One row of M for each group; a row of groups for every 128 of N.
  LaunchRequest request;
  request.m = 130;
  request.n = 264;
  request.k = 300;
  Result<OperandShape> a = operandShape(*manifest, request, Role::SFA);
  ASSERT_TRUE(a) << a.error();
  EXPECT_TRUE(a->isColumnMajor);
  EXPECT_EQ(a->rows, 3);
  EXPECT_EQ(a->columns, 130);
  EXPECT_EQ(a->pitch, 132);
  EXPECT_EQ(a->bytes, (2 * 132 + 130) * 4);
  Result<OperandShape> b = operandShape(*manifest, request, Role::SFB);
  ASSERT_TRUE(b) << b.error();
  EXPECT_FALSE(b->isColumnMajor);
  EXPECT_EQ(b->rows, 3);
  EXPECT_EQ(b->columns, 3);
  EXPECT_EQ(b->pitch, 4);

  auto wrong = [](const std::function<void(Json &)> &change) {
    Json json = blockScales();
    change(json);
    Result<KernelManifest> result = parseManifest(json.dump());
    return result ? std::string() : result.error();
  };
  EXPECT_EQ(wrong([](Json &json) { json["problem"]["scale_vector"] = 64; }),
            "$.problem.scale_vector: expected 128 for scales of f32, got 64");
  EXPECT_EQ(wrong([](Json &json) { json["problem"].erase("scale_rows_b"); }),
            "$.problem.scale_rows_b: expected 128 for scales of f32, got 1");
  EXPECT_EQ(wrong([](Json &json) { json["problem"].erase("scale_layout"); }),
            "$.problem.scale_layout: expected linear or column_major for "
            "scales of f32, got blocked_128x4");
  EXPECT_EQ(wrong([](Json &json) {
              json["problem"]["scale_type"] = "ue8m0";
              json["problem"]["scale_vector"] = 32;
            }),
            "$.problem: expected one scale_layout, blocked_128x4 or linear, "
            "and scale_rows_b 1 for scales of 8 bits");
}

TEST(KernelManifest, AddsToOutput) {
  Json json = Json::parse(test::abiExamples().at(1));
  EXPECT_FALSE(parseManifest(json.dump())->addsToOutput);
  json["adds_to_output"] = true;
  Result<KernelManifest> manifest = parseManifest(json.dump());
  ASSERT_TRUE(manifest) << manifest.error();
  EXPECT_TRUE(manifest->addsToOutput);
  Result<KernelManifest> again = parseManifest(writeManifest(*manifest));
  ASSERT_TRUE(again) << again.error();
  EXPECT_TRUE(again->addsToOutput);
  json["problem"]["out"] = "e4m3";
  Result<KernelManifest> narrow = parseManifest(json.dump());
  ASSERT_FALSE(narrow);
  EXPECT_EQ(narrow.error(), "$.adds_to_output: expected an output of 16 bits "
                            "or more, got e4m3");
}

TEST(KernelManifest, DependentLaunch) {
  Json json = Json::parse(test::abiExamples().at(1));
  EXPECT_FALSE(parseManifest(json.dump())->dependentLaunch);
  json["dependent_launch"] = true;
  Result<KernelManifest> manifest = parseManifest(json.dump());
  ASSERT_TRUE(manifest) << manifest.error();
  EXPECT_TRUE(manifest->dependentLaunch);
  Result<KernelManifest> again = parseManifest(writeManifest(*manifest));
  ASSERT_TRUE(again) << again.error();
  EXPECT_TRUE(again->dependentLaunch);
  json["dependent_launch"] = 1;
  EXPECT_FALSE(parseManifest(json.dump()));
}

TEST(KernelManifest, ErrorsNameThePath) {
  struct Case {
    size_t example;
    std::function<void(Json &)> change;
    const char *text;
  };
  const Case cases[] = {
      {0, [](Json &json) { json.erase("schema"); }, "$: missing key 'schema'"},
      {0, [](Json &json) { json["schema"] = "bsmm.launch/9"; },
       "$.schema: unsupported schema 'bsmm.launch/9': expected "
       "'bsmm.launch/1'"},
      {0, [](Json &json) { json["document"] = "launch"; },
       "$.document: expected 'kernel', got 'launch'"},
      {0,
       [](Json &json) {
         json["block"] = {100, 1, 1};
       },
       "$.block: expected a multiple of 32 threads, got 100"},
      {0,
       [](Json &json) {
         json["cluster"] = {32, 1, 1};
       },
       "$.cluster[0]: expected 1 to 16 CTAs on sm_100a, got 32"},
      {0, [](Json &json) { json["grid"]["rule"] = "tiles"; },
       "$.grid.rule: expected one of tile, tile_grid, persistent, fixed, got "
       "'tiles'"},
      {0, [](Json &json) { json["grid"]["ctas_per_tile"] = 2; },
       "$.grid.ctas_per_tile: expected a divisor of the cluster's 1 CTAs, got "
       "2"},
      {0, [](Json &json) { json["grid"]["ctas_per_sm"] = 2; },
       "$.grid.ctas_per_sm: expected CTAs that fit the 233472 bytes of shared "
       "memory of an SM, got 2 of 165936 bytes and 1024 reserved bytes each"},
      {1, [](Json &json) { json["grid"]["ctas_per_sm"] = 1; },
       "$.grid.ctas_per_sm: expected ctas_per_sm only with the rule "
       "persistent"},
      {1,
       [](Json &json) {
         json["grid"]["size"] = {1, 1, 1};
       },
       "$.grid.size: expected a size only with the rule fixed"},
      {0,
       [](Json &json) {
         json["cluster"] = {4, 1, 1};
         json["grid"]["tiles_together"] = {1, 3};
       },
       "$.grid.tiles_together: expected a divisor of the cluster's 4 CTAs, got "
       "1 x 3 tiles"},
      {0,
       [](Json &json) {
         json["grid"] = {{"rule", "tile_grid"}, {"tiles_together", {1, 1}}};
       },
       "$.grid.tiles_together: expected tiles_together only with the rules "
       "tile and persistent"},
      {0, [](Json &json) { json["tile"]["m"] = 0; },
       "$.tile.m: expected an integer from 1 to 2147483647, got 0"},
      {0, [](Json &json) { json["problem"]["a"] = "f4"; },
       "$.problem.a: expected an element type such as e2m1, e4m3, ue8m0, f16 "
       "or f32, got 'f4'"},
      {0, [](Json &json) { json["problem"]["a"] = "s8"; },
       "$.problem.a: expected one of e2m1, e2m3, e3m2, e4m3, e5m2, f16, bf16, "
       "got s8"},
      {0, [](Json &json) { json["problem"]["scale_vector"] = 64; },
       "$.problem.scale_vector: expected 16 or 32, got 64"},
      {0, [](Json &json) { json["problem"]["scale_type"] = "e4m3"; },
       "$.problem.scale_type: expected one of ue8m0, ue4m3, f32, got e4m3"},
      {0, [](Json &json) { json["problem"].erase("scale_type"); },
       "$.problem.scale_vector: expected none without scale_type"},
      {0, [](Json &json) { json["numerics"]["accumulate"] = "bf16"; },
       "$.numerics.accumulate: expected f32 or f16, got bf16"},
      {0,
       [](Json &json) {
         json["shapes"]["M"] = {{"min", 5}, {"max", 4}};
       },
       "$.shapes.M: expected 0 <= min <= max <= 2147483647, got 5 and 4"},
      {0, [](Json &json) { std::swap(json["params"][0], json["params"][1]); },
       "$.params[1]: expected tensor maps, pointers, sizes, strides and "
       "scalars in this order, and inside each the order of the ABI (a, b, "
       "sfa, sfb, c, d; M, N, K, L)"},
      {0, [](Json &json) { json["params"][1] = json["params"][0]; },
       "$.params[1]: expected each parameter once"},
      {0, [](Json &json) { json["params"][4]["tensor_map"]["role"] = "c"; },
       "$.params[4].tensor_map.role: expected 'c' in $.problem for the operand "
       "c"},
      {0,
       [](Json &json) { json["params"][2]["tensor_map"]["view"] = "matrix"; },
       "$.params[2].tensor_map.view: expected scale_tiles, since the scales "
       "are blocked_128x4, for sfa, got matrix"},
      {0,
       [](Json &json) {
         json["params"][0]["tensor_map"]["view"] = "scale_tiles";
       },
       "$.params[0].tensor_map.view: expected scale_tiles only for "
       "blocked_128x4 scales, got it for a"},
      {0,
       [](Json &json) {
         json["params"][2]["tensor_map"]["box"] = {256, 2, 4, 1};
       },
       "$.params[2].tensor_map.box: expected 5 entries, got 4"},
      {0,
       [](Json &json) {
         json["params"][0]["tensor_map"]["box"] = {128, 128};
       },
       "$.params[0].tensor_map.box: expected an entry for L, which is not "
       "fixed to 1"},
      {0,
       [](Json &json) { json["params"][0]["tensor_map"]["element"] = "f16"; },
       "$.params[0].tensor_map.element: expected an element that carries e2m1, "
       "got f16"},
      {0, [](Json &json) { json["params"][0]["tensor_map"]["box"][0] = 256; },
       "$.params[0].tensor_map.box[0]: expected at most 128 bytes (128 "
       "elements of u8) with swizzle 128B, got 256 bytes; use several boxes"},
      {1, [](Json &json) { json["problem"].erase("row_scales"); },
       "$.params[3]: expected 'row_scales' in $.problem for the operand sa"},
      {1,
       [](Json &json) {
         json["params"][9]["i64"] = {{"pitch", "sa"}};
       },
       "$.params[9]: expected the stride of a, b, sfa, sfb, c or d, got sa"},
      {1,
       [](Json &json) {
         json["params"][9]["i64"] = {{"pitch", "d"}, {"batch_stride", "d"}};
       },
       "$.params[9].i64: expected either pitch or batch_stride"},
      {1, [](Json &json) { json["configuration"]["stages"] = 1.5; },
       "$.configuration.stages: expected an integer, a boolean or a string"},
  };
  for (const Case &each : cases)
    EXPECT_EQ(after(each.example, each.change), each.text);
}

TEST(KernelManifest, DamageNeverCrashes) {
  std::string text = test::abiExamples().at(0);
  size_t end = text.find_last_of('}') + 1;
  for (size_t size = 0; size < end; ++size)
    ASSERT_FALSE(parseManifest(std::string_view(text).substr(0, size))) << size;
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (uint64_t i = 0; i <= random.below(3); ++i)
      damaged[random.below(damaged.size())] =
          static_cast<char>(random.below(256));
    Result<KernelManifest> manifest = parseManifest(damaged);
    if (!manifest) {
      ASSERT_FALSE(manifest.error().empty());
      continue;
    }
    // Any launch of an accepted manifest has an answer too.
    LaunchRequest request;
    request.m = request.n = request.k = 64;
    for (unsigned role = 0; role < numRoles; ++role)
      request.operands[static_cast<Role>(role)].data.buffer = "x";
    Result<Launch> launch = resolve(*manifest, request);
    if (!launch) {
      ASSERT_FALSE(launch.error().empty());
    }
  }
}

} // namespace
