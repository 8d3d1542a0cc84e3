//===- LaunchFileTest.cpp - reading and writing launch files --------------===//

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

std::string example() { return test::abiExamples().at(2); }

/// The error after a change of the example; empty when it is accepted.
std::string after(const std::function<void(Json &)> &change) {
  Json json = Json::parse(example());
  change(json);
  Result<Launch> launch = parseLaunch(json.dump());
  return launch ? "" : launch.error();
}

TEST(LaunchFile, ExampleOfTheDocumentation) {
  Result<Launch> launch = parseLaunch(example());
  ASSERT_TRUE(launch) << launch.error();
  EXPECT_EQ(launch->entry, "nvfp4_gemm");
  EXPECT_EQ(launch->target, "sm_100a");
  EXPECT_EQ(launch->grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(launch->dynamicSharedMemory, 165936);
  ASSERT_EQ(launch->params.size(), 11u);
  EXPECT_EQ(launch->params[3].map.box, (std::vector<int64_t>{256, 2, 4, 2, 1}));
  EXPECT_EQ(launch->params[4].map.element, target::TensorMapElement::F16);
  EXPECT_EQ(launch->params[10].integer, 131072);
  const LaunchBuffer &c = launch->buffers.at("c");
  EXPECT_EQ(c.bytes, 262144);
  EXPECT_EQ(c.fill, 0xFF);
  EXPECT_EQ(c.element, target::ElementType::F16);
  EXPECT_EQ(c.compare, LaunchBuffer::Compare::Bound);
  EXPECT_EQ(c.boundFile, "c_bound.bin");
  // Five maps, four i32, two i64.
  std::vector<int64_t> offsets = parameterOffsets(launch->params);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 128, 256, 384, 512, 640, 644, 648,
                                           652, 656, 664, 672}));
}

TEST(LaunchFile, RoundTrip) {
  Json json = Json::parse(example());
  json["params"].push_back({{"f32", "0x7FC00001"}});
  json["params"].push_back({{"f32", 1.5}});
  json["params"].push_back({{"null", true}});
  json["params"].push_back({{"i32", 4294967295u}});
  json["params"].push_back({{"i32", -2147483648ll}});
  json["params"].push_back({{"pointer", {{"data", "c"}, {"offset", 16}}}});
  json["params"].push_back(Json::parse(
      R"({"struct": {"bytes": 24, "placements": [{"offset": 0, "pointer":
      "a.bin"}, {"offset": 8, "pointer": "c"}, {"offset": 16, "i32": 7}]}})"));
  json["params"].push_back(
      Json::parse(R"({"struct": {"bytes": 2, "align": 2, "hex": "0aFf"}})"));
  json["buffers"]["c"]["live"] = {
      {"rows", 200}, {"columns", 500}, {"pitch_bytes", 1024}};
  json["order_dependent"] = true;
  json["x-note"] = "free";
  Result<Launch> launch = parseLaunch(json.dump());
  ASSERT_TRUE(launch) << launch.error();
  std::string text = writeLaunch(*launch);
  Result<Launch> again = parseLaunch(text);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(writeLaunch(*again), text);
  EXPECT_EQ(launch->params[11].floatBits, 0x7FC00001u);
  EXPECT_EQ(launch->params[12].floatBits, 0x3FC00000u);
  EXPECT_EQ(launch->params[18].contents, (std::vector<uint8_t>{0x0A, 0xFF}));
  EXPECT_EQ(again->buffers.at("c").live.columns, 500);
  EXPECT_TRUE(again->orderDependent);
  EXPECT_EQ(Json::parse(again->problemJson), json["problem"]);
}

TEST(LaunchFile, ErrorsNameThePath) {
  struct Case {
    std::function<void(Json &)> change;
    const char *text;
  };
  const Case cases[] = {
      {[](Json &json) { json["schema"] = "bsmm.launch/2"; },
       "$.schema: unsupported schema 'bsmm.launch/2': expected "
       "'bsmm.launch/1'"},
      {[](Json &json) { json["document"] = "kernel"; },
       "$.document: expected 'launch', got 'kernel'"},
      {[](Json &json) { json["gird"] = 1; },
       "$: unknown key 'gird': expected schema, document, ptx, target, entry, "
       "grid, block, cluster, dynamic_smem, order_dependent, problem, params, "
       "buffers"},
      {[](Json &json) { json.erase("grid"); }, "$: missing key 'grid'"},
      {[](Json &json) {
         json["grid"] = {1, 2};
       },
       "$.grid: expected 3 entries, got 2"},
      {[](Json &json) {
         json["grid"] = {1, 0, 1};
       },
       "$.grid[1]: expected an integer from 1 to 2147483647, got 0"},
      {[](Json &json) {
         json["grid"] = {1, 70000, 1};
       },
       "$.grid[1]: expected 1 to 65535 CTAs, got 70000"},
      {[](Json &json) {
         json["cluster"] = {3, 1, 1};
       },
       "$.grid[0]: expected a multiple of the cluster's 3, got 4"},
      {[](Json &json) {
         json["cluster"] = {17, 1, 1};
       },
       "$.cluster[0]: expected 1 to 16 CTAs on sm_100a, got 17"},
      {[](Json &json) {
         json["cluster"] = {4, 8, 1};
       },
       "$.cluster: expected at most 16 CTAs in all on sm_100a, got 32"},
      {[](Json &json) {
         json["block"] = {512, 4, 1};
       },
       "$.block: expected at most 1024 threads in all, got 2048"},
      {[](Json &json) {
         json["block"] = {1, 1, 65};
       },
       "$.block[2]: expected 1 to 64 threads, got 65"},
      {[](Json &json) { json["dynamic_smem"] = 232449; },
       "$.dynamic_smem: expected 0 to 232448 bytes on sm_100a, got 232449"},
      {[](Json &json) { json["dynamic_smem"] = 1.5; },
       "$.dynamic_smem: expected an integer from 0 to 2147483647, got 1.5"},
      {[](Json &json) { json["dynamic_smem"] = 18446744073709551615u; },
       "$.dynamic_smem: expected an integer from 0 to 2147483647, got "
       "18446744073709551615"},
      {[](Json &json) { json["target"] = "sm_100"; },
       "$.target: unknown target 'sm_100': expected one of sm_90a, sm_100a, "
       "sm_103a, sm_110a, sm_120a, sm_121a; use sm_100a, matrix instructions "
       "need the architecture-specific target"},
      {[](Json &json) { json["entry"] = ""; },
       "$.entry: expected the name of the PTX entry, got ''"},
      {[](Json &json) { json["ptx"] = "../kernel.ptx"; },
       "$.ptx: expected the name of a file in the folder of this description, "
       "got '../kernel.ptx'"},
      {[](Json &json) { json["ptx"] = "/kernel.ptx"; },
       "$.ptx: expected the name of a file in the folder of this description, "
       "got '/kernel.ptx'"},
      {[](Json &json) { json["params"][5] = Json::object(); },
       "$.params[5]: expected one of tensor_map, i32, i64, f32, pointer, null, "
       "struct"},
      {[](Json &json) { json["params"][5]["i64"] = 1; },
       "$.params[5]: expected one kind of parameter, got i32 and i64"},
      {[](Json &json) { json["params"][5]["i32"] = 4294967296; },
       "$.params[5].i32: expected an integer from -2147483648 to 4294967295, "
       "got 4294967296"},
      {[](Json &json) { json["params"][0]["tensor_map"]["box"][0] = 100; },
       "$.params[0].tensor_map.box[0]: expected an inner extent of a multiple "
       "of 16 bytes (16 elements of u8), got 100 elements"},
      {[](Json &json) { json["params"][0]["tensor_map"]["swizzle"] = "256B"; },
       "$.params[0].tensor_map.swizzle: expected one of none, 32B, 64B, 128B, "
       "128B_atom32B, 128B_atom32B_flip8B, 128B_atom64B, got '256B'"},
      {[](Json &json) { json["params"][4]["tensor_map"]["dims"][1] = 257; },
       "$.params[4].tensor_map.data: expected at most the 262144 bytes of "
       "buffer 'c', got 263168 bytes from offset 0"},
      {[](Json &json) { json["params"][0]["tensor_map"]["data"] = "../a"; },
       "$.params[0].tensor_map.data: expected a name in $.buffers or a file in "
       "the folder of this description, got '../a'"},
      {[](Json &json) {
         json["params"][5] = {{"f32", "0x"}};
       },
       "$.params[5].f32: expected a text of 0x and up to 8 hexadecimal digits, "
       "got '0x'"},
      {[](Json &json) {
         json["params"][5] = {{"null", false}};
       },
       "$.params[5].null: expected true"},
      {[](Json &json) {
         json["params"][5] = {{"pointer", {{"data", "c"}, {"offset", 262145}}}};
       },
       "$.params[5].pointer: expected at most the 262144 bytes of buffer 'c', "
       "got 0 bytes from offset 262145"},
      {[](Json &json) {
         json["params"][5] = Json::parse(
             R"({"struct": {"bytes": 8, "placements": [
             {"offset": 0, "i32": 1}, {"offset": 3, "i32": 1}]}})");
       },
       "$.params[5].struct.placements[1].offset: expected no overlap, but "
       "bytes 0 to 3 are taken"},
      {[](Json &json) {
         json["params"][5] = Json::parse(
             R"({"struct": {"bytes": 8, "placements": [
             {"offset": 4, "i64": 1}]}})");
       },
       "$.params[5].struct.placements[0].offset: expected 8 bytes inside the "
       "struct of 8, got offset 4"},
      {[](Json &json) {
         json["params"][5] =
             Json::parse(R"({"struct": {"bytes": 2, "hex": "00f"}})");
       },
       "$.params[5].struct.hex: expected 4 hexadecimal digits, got 3"},
      {[](Json &json) {
         json["params"][5] = Json::parse(R"({"struct": {"bytes": 40000}})");
       },
       "$.params[5].struct.bytes: expected an integer from 1 to 32764, got "
       "40000"},
      {[](Json &json) {
         for (int i = 0; i < 300; ++i)
           json["params"].push_back(json["params"][0]);
       },
       "$.params: expected at most 32764 bytes of parameters, got 39168"},
      {[](Json &json) { json["buffers"]["c"].erase("bytes"); },
       "$.buffers.c: expected 'bytes' or 'file'"},
      {[](Json &json) { json["buffers"]["c"]["fill"] = "255"; },
       "$.buffers.c.fill: expected a text of 0x and up to 2 hexadecimal "
       "digits, got '255'"},
      {[](Json &json) { json["buffers"]["c"]["element"] = "half"; },
       "$.buffers.c.element: expected an element type such as f16, bf16, f32 "
       "or e4m3, got 'half'"},
      {[](Json &json) { json["buffers"]["c"]["compare"].erase("bound"); },
       "$.buffers.c.compare: expected 'exact' and 'bound' files with the rule "
       "bound"},
      {[](Json &json) { json["buffers"]["c"]["compare"]["rule"] = "near"; },
       "$.buffers.c.compare.rule: expected one of exact, bound, got 'near'"},
      {[](Json &json) {
         json["buffers"]["c"]["live"] = {
             {"rows", 257}, {"columns", 512}, {"pitch_bytes", 1024}};
       },
       "$.buffers.c.live: expected a region inside the 262144 bytes of the "
       "buffer, got 263168"},
      {[](Json &json) {
         json["buffers"]["c"]["live"] = {
             {"rows", 2}, {"columns", 513}, {"pitch_bytes", 1024}};
       },
       "$.buffers.c.live.pitch_bytes: expected at least the 1026 bytes of a "
       "row, got 1024"},
  };
  for (const Case &each : cases)
    EXPECT_EQ(after(each.change), each.text);
}

TEST(LaunchFile, TextThatIsNotOneJsonValue) {
  auto error = [](const std::string &text) {
    Result<Launch> launch = parseLaunch(text);
    return launch ? "" : launch.error();
  };
  EXPECT_EQ(error(""), "$: not valid JSON, error at byte 1 of 0");
  EXPECT_EQ(error("{\"grid\": [1,"),
            "$: not valid JSON, error at byte 13 of 12");
  EXPECT_EQ(error("{} {}"), "$: not valid JSON, error at byte 4 of 5");
  EXPECT_EQ(error("[]"), "$: expected an object, got an array");
  EXPECT_EQ(error("{\"ptx\": 1e999}").rfind("$: not valid JSON", 0), 0u);
  EXPECT_EQ(error("{\"ptx\": \"\xff\"}").rfind("$: not valid JSON", 0), 0u);
  EXPECT_EQ(error("{\"ptx\": \"a\", \"ptx\": \"b\"}"),
            "$: expected each key once, got 'ptx' twice in one object");
  EXPECT_EQ(error(std::string(100000, '[')),
            "$: expected at most 64 levels of nesting, got 100000");
  EXPECT_EQ(error(std::string(size_t(9) << 20, ' ')),
            "$: expected at most 8 MiB of JSON, got 9437184 bytes");
}

TEST(LaunchFile, EveryTruncationIsAnError) {
  std::string text = example();
  size_t end = text.find_last_of('}') + 1;
  for (size_t size = 0; size < end; ++size) {
    Result<Launch> launch = parseLaunch(std::string_view(text).substr(0, size));
    ASSERT_FALSE(launch) << size;
    ASSERT_FALSE(launch.error().empty());
  }
}

/// Calls visit(pointer) for every value below a node.
void forEachValue(
    const Json &node, const Json::json_pointer &at,
    const std::function<void(const Json::json_pointer &)> &visit) {
  visit(at);
  if (node.is_object())
    for (auto it = node.begin(); it != node.end(); ++it)
      forEachValue(it.value(), at / it.key(), visit);
  if (node.is_array())
    for (size_t i = 0; i < node.size(); ++i)
      forEachValue(node[i], at / i, visit);
}

// Whatever is put in the place of any value: an error with a path, or a launch
// that survives writing and reading.
TEST(LaunchFile, WrongValuesEverywhere) {
  Json json = Json::parse(example());
  const Json values[] = {nullptr,
                         true,
                         -1,
                         0,
                         1.5,
                         1e300,
                         INT64_MAX,
                         INT64_MIN,
                         UINT64_MAX,
                         "",
                         "text",
                         std::string(10000, 'x'),
                         Json::array(),
                         Json::array({1, 2, 3}),
                         Json::object(),
                         Json::object({{"tensor_map", 1}})};
  forEachValue(json, Json::json_pointer(), [&](const auto &pointer) {
    for (const Json &value : values) {
      Json changed = json;
      changed[pointer] = value;
      Result<Launch> launch = parseLaunch(changed.dump());
      if (!launch) {
        ASSERT_EQ(launch.error().rfind("$", 0), 0u) << launch.error();
        ASSERT_LT(launch.error().size(), 500u) << launch.error();
        continue;
      }
      std::string text = writeLaunch(*launch);
      Result<Launch> again = parseLaunch(text);
      ASSERT_TRUE(again) << again.error();
      ASSERT_EQ(writeLaunch(*again), text);
    }
  });
}

TEST(LaunchFile, DamagedBytesNeverCrash) {
  std::string text = example();
  Random random(1);
  size_t accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (uint64_t i = 0; i <= random.below(3); ++i)
      damaged[random.below(damaged.size())] =
          static_cast<char>(random.below(256));
    Result<Launch> launch = parseLaunch(damaged);
    accepted += bool(launch);
    if (!launch) {
      ASSERT_FALSE(launch.error().empty());
    }
  }
  EXPECT_LT(accepted, 3000u);
}

TEST(LaunchFile, ThirdPartyCases) {
  if (const char *cases = std::getenv("BSMM_THIRD_PARTY_CASES");
      !cases || !*cases)
    GTEST_SKIP() << "BSMM_THIRD_PARTY_CASES names no folder";
  std::vector<std::string> folders = test::thirdPartyCases();
  ASSERT_FALSE(folders.empty());
  for (const std::string &folder : folders) {
    Result<Launch> launch =
        parseLaunch(test::readFile(folder + "/launch.json"));
    ASSERT_TRUE(launch) << folder << ": " << launch.error();
    std::string text = writeLaunch(*launch);
    Result<Launch> again = parseLaunch(text);
    ASSERT_TRUE(again) << folder << ": " << again.error();
    EXPECT_EQ(writeLaunch(*again), text);
    // Nothing is lost: the same JSON but for the keys that have defaults.
    Json before = Json::parse(test::readFile(folder + "/launch.json"));
    Json after = Json::parse(text);
    for (auto it = before.begin(); it != before.end(); ++it)
      EXPECT_EQ(after[it.key()], it.value()) << folder << " " << it.key();
  }
  std::cout << "third-party launch files read: " << folders.size() << "\n";
}

} // namespace
