//===- LaunchFile.cpp - Launch descriptions in JSON -------------*- C++ -*-===//

#include "bsmm/Emulator/LaunchFile.h"

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <set>

namespace bsmm::emulator {

using Json = nlohmann::json;

namespace {
class Reader {
public:
  Reader(LaunchFile &file, std::string &error) : file(file), error(error) {}

  bool read(const std::string &name) {
    path = name;
    size_t slash = path.find_last_of('/');
    std::vector<uint8_t> bytes;
    if (!load(path, bytes))
      return false;
    return parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                 slash == std::string::npos ? "" : path.substr(0, slash + 1),
                 uint64_t(1) << 36);
  }

  bool parse(std::string_view source, const std::string &directory,
             uint64_t maximumBytes) {
    folder = directory;
    bytesLeft = maximumBytes;
    // The parser would take the last of several equal keys; a mistake then
    // goes unseen.
    std::vector<std::set<std::string>> keys;
    std::string repeated;
    auto visit = [&](int, Json::parse_event_t event, Json &value) {
      if (event == Json::parse_event_t::object_start)
        keys.emplace_back();
      else if (event == Json::parse_event_t::object_end)
        keys.pop_back();
      else if (event == Json::parse_event_t::key &&
               !keys.back().insert(value.get<std::string>()).second)
        repeated = value.get<std::string>();
      return true;
    };
    Json json = Json::parse(source.begin(), source.end(), visit, false);
    if (json.is_discarded() || !json.is_object())
      return fail((path.empty() ? "the launch file" : "'" + path + "'") +
                  " is not a JSON object");
    if (!repeated.empty())
      return fail("the key '" + repeated + "' occurs twice in one object");
    if (!known(json, "$",
               {"schema", "document", "ptx", "target", "entry", "grid", "block",
                "cluster", "dynamic_smem", "problem", "order_dependent",
                "params", "buffers"}))
      return false;
    std::string schema;
    if (json.contains("schema")) {
      if (!text(json, "schema", schema))
        return false;
      if (schema != "bsmm.launch/1")
        return fail("unsupported schema '" + schema +
                    "': expected 'bsmm.launch/1'");
    }
    if (json.contains("document")) {
      std::string document;
      if (!text(json, "document", document))
        return false;
      if (document != "launch")
        return fail("expected a document 'launch', got '" + document + "'");
    }
    std::string ptx;
    if (!text(json, "ptx", ptx) || !inFolder(ptx))
      return false;
    file.ptxPath = folder + ptx;
    std::vector<uint8_t> ptxBytes;
    if (!load(file.ptxPath, ptxBytes))
      return false;
    file.ptx.assign(ptxBytes.begin(), ptxBytes.end());
    if (json.contains("entry") && !text(json, "entry", file.launch.entry))
      return false;
    uint64_t dynamic = 0;
    if (!dim(json, "grid", file.launch.grid) ||
        !dim(json, "block", file.launch.block) ||
        !dim(json, "cluster", file.launch.cluster) ||
        !integer(json, "dynamic_smem", dynamic, true))
      return false;
    if (dynamic > (1u << 24))
      return fail("dynamic_smem is too large");
    file.launch.dynamicSharedBytes = static_cast<uint32_t>(dynamic);
    // Buffers first: parameters name them.
    if (json.contains("buffers")) {
      if (!json["buffers"].is_object())
        return fail("'buffers' must be an object");
      for (auto &[name, entry] : json["buffers"].items())
        if (!buffer(name, entry))
          return false;
    }
    if (json.contains("params")) {
      if (!json["params"].is_array())
        return fail("'params' must be a list");
      for (const Json &entry : json["params"])
        if (!parameter(entry))
          return false;
    }
    for (size_t k = 0; k < file.storage.size(); ++k) {
      file.launch.buffers[k].data = file.storage[k]->data();
      file.launch.buffers[k].bytes = file.storage[k]->size();
      file.initial.push_back(*file.storage[k]);
    }
    return true;
  }

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }

  bool load(const std::string &path, std::vector<uint8_t> &bytes) {
    std::FILE *input = std::fopen(path.c_str(), "rb");
    if (input == nullptr)
      return fail("cannot open '" + path + "'");
    uint8_t chunk[65536];
    size_t got;
    bool fits = true;
    while (fits && (got = std::fread(chunk, 1, sizeof(chunk), input)) != 0) {
      bytes.insert(bytes.end(), chunk, chunk + got);
      fits = bytes.size() <= bytesLeft;
    }
    bool good = std::ferror(input) == 0;
    std::fclose(input);
    if (!fits)
      return fail("'" + path + "' is larger than the " +
                  std::to_string(bytesLeft) + " bytes that are left");
    return good || fail("cannot read '" + path + "'");
  }

  /// Refuses keys that this version doesn't have; "x-..." is free.
  bool known(const Json &json, const std::string &where,
             std::initializer_list<const char *> keys) {
    for (auto &[name, value] : json.items()) {
      bool found = name.compare(0, 2, "x-") == 0;
      for (const char *key : keys)
        found |= name == key;
      if (!found)
        return fail(where + ": unknown key '" + name + "'");
    }
    return true;
  }

  /// File names may not leave the launch file's folder.
  bool inFolder(const std::string &name) {
    bool leaves = name.empty() || name[0] == '/';
    for (size_t at = 0; at <= name.size() && !leaves;) {
      size_t end = name.find('/', at);
      if (end == std::string::npos)
        end = name.size();
      leaves = name.compare(at, end - at, "..") == 0;
      at = end + 1;
    }
    return !leaves || fail("file name '" + name +
                           "' leaves the folder of the launch file");
  }

  bool loadNamed(const std::string &name, std::vector<uint8_t> &bytes) {
    return inFolder(name) && load(folder + name, bytes);
  }

  bool text(const Json &json, const char *key, std::string &value) {
    if (!json.contains(key) || !json[key].is_string())
      return fail(std::string("expected a string '") + key + "'");
    value = json[key].get<std::string>();
    return true;
  }

  bool integer(const Json &json, const char *key, uint64_t &value,
               bool optional) {
    if (!json.contains(key))
      return optional || fail(std::string("expected '") + key + "'");
    if (!json[key].is_number_integer() || json[key] < 0)
      return fail(std::string("'") + key + "' must be an integer");
    value = json[key].get<uint64_t>();
    return true;
  }

  bool dim(const Json &json, const char *key, Dim3 &value) {
    if (!json.contains(key))
      return true;
    const Json &list = json[key];
    if (!list.is_array() || list.empty() || list.size() > 3)
      return fail(std::string("'") + key + "' must be a list of up to three");
    uint32_t *parts[3] = {&value.x, &value.y, &value.z};
    for (size_t k = 0; k < list.size(); ++k) {
      if (!list[k].is_number_unsigned() || list[k] > UINT32_MAX)
        return fail(std::string("'") + key + "' must hold integers");
      *parts[k] = list[k].get<uint32_t>();
    }
    return true;
  }

  bool integers(const Json &json, const char *key, size_t least, size_t most,
                std::vector<uint64_t> &values) {
    if (!json.contains(key) || !json[key].is_array())
      return fail(std::string("expected a list '") + key + "'");
    for (const Json &entry : json[key]) {
      if (!entry.is_number_unsigned())
        return fail(std::string("'") + key +
                    "' must hold non-negative integers");
      values.push_back(entry.get<uint64_t>());
    }
    if (values.size() < least || values.size() > most)
      return fail(std::string("'") + key + "' has " +
                  std::to_string(values.size()) + " entries, expected " +
                  std::to_string(least) +
                  (least == most ? "" : " to " + std::to_string(most)));
    return true;
  }

  size_t addStorage(const std::string &name, std::vector<uint8_t> bytes) {
    size_t index = file.storage.size();
    bytesLeft -= bytes.size();
    file.storage.push_back(
        std::make_unique<std::vector<uint8_t>>(std::move(bytes)));
    Buffer entry;
    entry.name = name;
    file.launch.buffers.push_back(entry);
    names[name] = index;
    return index;
  }

  /// A buffer of the `buffers` list, or an operand file (read-only).
  bool find(const std::string &name, size_t &index) {
    auto found = names.find(name);
    if (found != names.end()) {
      index = found->second;
      return true;
    }
    std::vector<uint8_t> bytes;
    if (!loadNamed(name, bytes))
      return false;
    index = addStorage(name, std::move(bytes));
    file.launch.buffers[index].readOnly = true;
    return true;
  }

  bool buffer(const std::string &name, const Json &json) {
    if (!json.is_object())
      return fail("buffer '" + name + "' must be an object");
    if (!known(json, "buffer '" + name + "'",
               {"bytes", "file", "fill", "element", "expected", "compare",
                "live"}))
      return false;
    std::vector<uint8_t> contents;
    if (json.contains("file")) {
      std::string from;
      if (!text(json, "file", from) || !loadNamed(from, contents))
        return false;
    }
    uint64_t bytes = contents.size();
    if (!integer(json, "bytes", bytes, json.contains("file")))
      return false;
    if (bytes > bytesLeft)
      return fail("buffer '" + name + "' is too large: expected at most " +
                  std::to_string(bytesLeft) + " bytes, got " +
                  std::to_string(bytes));
    if (contents.size() > bytes)
      return fail("the file of buffer '" + name + "' is longer than its " +
                  std::to_string(bytes) + " bytes");
    uint64_t fill = 0xFF;
    if (json.contains("fill")) {
      const Json &value = json["fill"];
      if (value.is_string()) {
        std::string digits = value.get<std::string>();
        char *end = nullptr;
        fill = std::strtoull(digits.c_str(), &end, 0);
        if (digits.empty() || *end != '\0')
          return fail("'fill' of buffer '" + name + "' must be a byte");
      } else if (value.is_number_unsigned()) {
        fill = value.get<uint64_t>();
      } else {
        fill = 256;
      }
      if (fill > 255)
        return fail("'fill' of buffer '" + name + "' must be a byte");
    }
    contents.resize(bytes, static_cast<uint8_t>(fill));
    size_t index = addStorage(name, std::move(contents));
    Expectation expectation;
    expectation.buffer = index;
    bool any = false;
    if (json.contains("element") && !text(json, "element", expectation.element))
      return false;
    if (json.contains("expected")) {
      std::string expected;
      if (!text(json, "expected", expected) ||
          !loadNamed(expected, expectation.expected))
        return false;
      if (expectation.expected.size() != bytes)
        return fail("'" + expected + "' has " +
                    std::to_string(expectation.expected.size()) +
                    " bytes, the buffer " + std::to_string(bytes));
      any = true;
    }
    if (json.contains("compare")) {
      const Json &compare = json["compare"];
      std::string rule;
      if (!compare.is_object() || !text(compare, "rule", rule))
        return fail("'compare' needs a 'rule'");
      if (rule == "bound") {
        std::string exactName, boundName;
        std::vector<uint8_t> exact, bound;
        if (!text(compare, "exact", exactName) ||
            !text(compare, "bound", boundName) ||
            !loadNamed(exactName, exact) || !loadNamed(boundName, bound))
          return false;
        if (exact.size() % 8 != 0 || exact.size() / 8 * 4 != bound.size())
          return fail("'exact' (f64) and 'bound' (f32) differ in length");
        expectation.isBound = true;
        expectation.exact.resize(exact.size() / 8);
        std::memcpy(expectation.exact.data(), exact.data(), exact.size());
        expectation.bound.resize(bound.size() / 4);
        std::memcpy(expectation.bound.data(), bound.data(), bound.size());
        any = true;
      } else if (rule != "exact") {
        return fail("unknown comparison rule '" + rule + "'");
      }
    }
    if (json.contains("live")) {
      const Json &live = json["live"];
      LiveRegion &region = expectation.live;
      if (!live.is_object() ||
          !known(
              live, "live",
              {"rows", "columns", "pitch_bytes", "batches", "batch_bytes"}) ||
          !integer(live, "rows", region.rows, false) ||
          !integer(live, "columns", region.columns, false) ||
          !integer(live, "pitch_bytes", region.pitchBytes, false) ||
          !integer(live, "batches", region.batches, true) ||
          !integer(live, "batch_bytes", region.batchBytes, true))
        return fail("'live' of buffer '" + name + "': " + error);
      expectation.hasLive = true;
    }
    if (any)
      file.expectations.push_back(std::move(expectation));
    return true;
  }

  bool tensorMap(const Json &json, units::TensorMap &map, size_t &index,
                 size_t &byteOffset) {
    if (!json.is_object())
      return fail("'tensor_map' must be an object");
    if (!known(json, "tensor_map",
               {"data", "offset", "element", "dims", "strides_bytes", "box",
                "swizzle", "fill", "element_strides"}))
      return false;
    std::string data, element, swizzle = "none";
    std::vector<uint64_t> dims, strides, box, elementStrides;
    if (!text(json, "data", data) || !find(data, index) ||
        !text(json, "element", element) ||
        !integers(json, "dims", 1, 5, dims) ||
        !integers(json, "strides_bytes", dims.size() - 1, dims.size() - 1,
                  strides) ||
        !integers(json, "box", dims.size(), dims.size(), box))
      return false;
    if (json.contains("swizzle") && !text(json, "swizzle", swizzle))
      return false;
    uint64_t offset = 0;
    if (!integer(json, "offset", offset, true))
      return false;
    byteOffset = offset;
    using E = units::TensorMapElement;
    static const std::map<std::string, E> elements = {
        {"u8", E::UInt8},
        {"u16", E::UInt16},
        {"u32", E::UInt32},
        {"i32", E::Int32},
        {"u64", E::UInt64},
        {"i64", E::Int64},
        {"f16", E::Float16},
        {"f32", E::Float32},
        {"f64", E::Float64},
        {"bf16", E::BFloat16},
        {"tf32", E::TFloat32},
        {"u4_align8B", E::Packed16U4Align8B},
        {"u4_align16B", E::Packed16U4Align16B},
        {"u6_align16B", E::Packed16U6Align16B}};
    auto found = elements.find(element);
    if (found == elements.end())
      return fail("unknown tensor map element '" + element + "'");
    map.element = found->second;
    using S = units::TensorMapSwizzle;
    static const std::map<std::string, S> swizzles = {
        {"none", S::None},
        {"32B", S::Bytes32},
        {"64B", S::Bytes64},
        {"128B", S::Bytes128},
        {"128B_atom32B", S::Bytes128Atom32B},
        {"128B_atom32B_flip8B", S::Bytes128Atom32BFlip8B},
        {"128B_atom64B", S::Bytes128Atom64B}};
    auto mode = swizzles.find(swizzle);
    if (mode == swizzles.end())
      return fail("unknown swizzle '" + swizzle + "'");
    map.swizzle = mode->second;
    map.rank = static_cast<uint32_t>(dims.size());
    if (json.contains("element_strides")) {
      if (!integers(json, "element_strides", dims.size(), dims.size(),
                    elementStrides))
        return false;
    }
    for (size_t k = 0; k < dims.size(); ++k) {
      map.dims[k] = dims[k];
      map.box[k] = static_cast<uint32_t>(std::min<uint64_t>(box[k], 1u << 20));
      if (k != 0)
        map.strides[k] = strides[k - 1];
      if (!elementStrides.empty())
        map.elementStrides[k] =
            static_cast<uint32_t>(std::min<uint64_t>(elementStrides[k], 100));
    }
    if (json.contains("fill")) {
      std::string fill;
      if (!text(json, "fill", fill))
        return false;
      if (fill != "zero" && fill != "nan")
        return fail("'fill' of a tensor map is \"zero\" or \"nan\"");
      map.fill = fill == "nan" ? units::TensorMapFill::NaN
                               : units::TensorMapFill::Zero;
    }
    return true;
  }

  /// One of the plain forms, put at `offset` of the parameter.
  bool value(const Json &json, Parameter &parameter, size_t offset,
             size_t &size) {
    using Kind = Parameter::Placement::Kind;
    auto put = [&](const void *data, size_t bytes) {
      size = bytes;
      if (offset + bytes > parameter.bytes.size())
        parameter.bytes.resize(offset + bytes);
      std::memcpy(parameter.bytes.data() + offset, data, bytes);
    };
    auto place = [&](Kind kind, size_t index, size_t byteOffset,
                     const units::TensorMap &map) {
      Parameter::Placement placement;
      placement.kind = kind;
      placement.offset = offset;
      placement.buffer = index;
      placement.byteOffset = byteOffset;
      placement.map = map;
      parameter.placements.push_back(placement);
    };
    const uint64_t zeros[16] = {};
    if (json.contains("tensor_map")) {
      units::TensorMap map;
      size_t index, byteOffset;
      if (!tensorMap(json["tensor_map"], map, index, byteOffset))
        return false;
      put(zeros, 128);
      place(Kind::TensorMap, index, byteOffset, map);
      return true;
    }
    if (json.contains("i32") || json.contains("i64")) {
      bool narrow = json.contains("i32");
      const Json &number = json[narrow ? "i32" : "i64"];
      if (!number.is_number_integer())
        return fail("expected an integer");
      bool isUnsigned = number.is_number_unsigned();
      int64_t integer = isUnsigned
                            ? static_cast<int64_t>(number.get<uint64_t>())
                            : number.get<int64_t>();
      if (narrow && (isUnsigned ? number.get<uint64_t>() > UINT32_MAX
                                : integer < INT32_MIN))
        return fail("an i32 takes -2^31 to 2^32 - 1");
      put(&integer, narrow ? 4 : 8);
      return true;
    }
    if (json.contains("f32")) {
      const Json &number = json["f32"];
      uint32_t bits = 0;
      if (number.is_string()) {
        std::string digits = number.get<std::string>();
        char *end = nullptr;
        unsigned long long parsed = std::strtoull(digits.c_str(), &end, 16);
        if (digits.compare(0, 2, "0x") != 0 || *end != '\0' ||
            parsed > UINT32_MAX)
          return fail("expected the bits of an f32, e.g. \"0x3FC00000\"");
        bits = static_cast<uint32_t>(parsed);
      } else if (number.is_number()) {
        float single = number.get<float>();
        std::memcpy(&bits, &single, 4);
      } else {
        return fail("expected a number");
      }
      put(&bits, 4);
      return true;
    }
    if (json.contains("null")) {
      put(zeros, 8);
      return true;
    }
    if (json.contains("pointer")) {
      const Json &target = json["pointer"];
      std::string name;
      size_t index;
      uint64_t byteOffset = 0;
      if (target.is_object()) {
        if (!known(target, "pointer", {"data", "offset"}) ||
            !text(target, "data", name) ||
            !integer(target, "offset", byteOffset, true))
          return false;
      } else if (!text(json, "pointer", name)) {
        return false;
      }
      if (!find(name, index))
        return false;
      put(zeros, 8);
      place(Kind::Pointer, index, byteOffset, {});
      return true;
    }
    return fail("expected one of tensor_map, i32, i64, f32, pointer, null, "
                "struct");
  }

  bool structure(const Json &json, Parameter &parameter) {
    uint64_t bytes, align = 8;
    if (!json.is_object() ||
        !known(json, "struct", {"bytes", "align", "hex", "placements"}) ||
        !integer(json, "bytes", bytes, false) ||
        !integer(json, "align", align, true))
      return false;
    if (bytes > 65536)
      return fail("a struct has at most 65536 bytes");
    parameter.bytes.assign(bytes, 0);
    if (json.contains("hex")) {
      std::string digits;
      if (!text(json, "hex", digits))
        return false;
      if (digits.size() != 2 * bytes ||
          digits.find_first_not_of("0123456789abcdefABCDEF") !=
              std::string::npos)
        return fail("'hex' must hold exactly the bytes of the struct");
      for (uint64_t k = 0; k < bytes; ++k)
        parameter.bytes[k] = static_cast<uint8_t>(
            std::stoul(digits.substr(2 * k, 2), nullptr, 16));
    }
    if (!json.contains("placements"))
      return true;
    if (!json["placements"].is_array())
      return fail("'placements' must be a list");
    std::vector<uint8_t> taken(bytes, 0);
    for (const Json &entry : json["placements"]) {
      uint64_t offset;
      if (!entry.is_object() || !integer(entry, "offset", offset, false))
        return fail("a placement needs an 'offset'");
      Json form = entry;
      form.erase("offset");
      size_t size = 0;
      if (form.size() != 1)
        return fail("a placement has one form besides its 'offset'");
      if (offset > bytes || !value(form, parameter, offset, size))
        return offset > bytes ? fail("a placement lies outside the struct")
                              : false;
      if (parameter.bytes.size() != bytes)
        return fail("a placement lies outside the struct");
      for (uint64_t k = offset; k < offset + size; ++k)
        if (taken[k]++)
          return fail("placements overlap");
    }
    return true;
  }

  bool parameter(const Json &json) {
    std::string where =
        "parameter " + std::to_string(file.launch.parameters.size());
    if (!json.is_object() || json.size() != 1)
      return fail(where + " must be an object with one form");
    Parameter parameter;
    size_t size;
    bool good = json.contains("struct") ? structure(json["struct"], parameter)
                                        : value(json, parameter, 0, size);
    if (!good)
      return fail(where + ": " + error);
    file.launch.parameters.push_back(std::move(parameter));
    return true;
  }

  LaunchFile &file;
  std::string &error;
  std::string path; ///< empty for a text without one
  std::string folder;
  uint64_t bytesLeft = uint64_t(1) << 36; ///< for buffers and files
  std::map<std::string, size_t> names;
};

/// Buffers may need more memory than the host has.
template <typename Function>
bool withinMemory(std::string &error, Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    error = "the buffers need more memory than this host has";
    return false;
  }
}

/// Bits of an element and how to read one.
bool elementOf(const std::string &name, size_t &bits,
               units::NumberFormat &format) {
  using F = units::NumberFormat;
  static const std::map<std::string, F> formats = {
      {"f16", F::F16},   {"bf16", F::BF16}, {"f32", F::F32},
      {"e4m3", F::E4M3}, {"e5m2", F::E5M2}, {"e2m1", F::E2M1},
      {"e2m3", F::E2M3}, {"e3m2", F::E3M2}};
  auto found = formats.find(name);
  if (found == formats.end())
    return false;
  format = found->second;
  bits = units::formatTraits(format).storageBits;
  return true;
}

/// `bits` bits at bit `at` of `data`, little end first.
uint32_t bitsAt(const std::vector<uint8_t> &data, uint64_t at, size_t bits) {
  uint64_t value = 0;
  for (size_t byte = at / 8; byte <= (at + bits - 1) / 8; ++byte)
    value |= uint64_t(data[byte]) << (8 * (byte - at / 8));
  value >>= at % 8;
  return static_cast<uint32_t>(value & ((1ull << bits) - 1));
}
} // namespace

bool readLaunchFile(const std::string &path, LaunchFile &file,
                    std::string &error) {
  return withinMemory(error, [&] { return Reader(file, error).read(path); });
}

bool parseLaunchFile(std::string_view text, const std::string &folder,
                     LaunchFile &file, std::string &error,
                     uint64_t maximumBytes) {
  return withinMemory(error, [&] {
    return Reader(file, error).parse(text, folder, maximumBytes);
  });
}

void LaunchFile::reset() {
  for (size_t k = 0; k < storage.size(); ++k)
    *storage[k] = initial[k];
  for (size_t k = 0; k < storage.size(); ++k)
    launch.buffers[k].data = storage[k]->data();
}

static Comparison compareOne(const LaunchFile &file,
                             const Expectation &expectation) {
  const std::vector<uint8_t> &got = *file.storage[expectation.buffer];
  const std::vector<uint8_t> &before = file.initial[expectation.buffer];
  Comparison result;
  result.buffer = file.launch.buffers[expectation.buffer].name;
  auto wrong = [&](const std::string &message) {
    result.outside = std::max<uint64_t>(result.elements, 1);
    result.firstOutside = message;
    return result;
  };
  size_t bits = 8;
  units::NumberFormat format = units::NumberFormat::F32;
  bool known = elementOf(expectation.element, bits, format);
  if (expectation.isBound && !known)
    return wrong("unknown element type '" + expectation.element + "'");
  LiveRegion live = expectation.live;
  if (!expectation.hasLive) {
    live.rows = 1;
    live.columns = got.size() * 8 / bits;
    live.pitchBytes = got.size();
  }
  if (live.rows == 0 || live.batches == 0 || live.columns == 0)
    live.rows = live.batches = live.columns = 0;
  // Compared by division: products of numbers from a file may overflow.
  uint64_t size = got.size();
  if (live.columns > 8 * size / bits)
    return wrong("the live region leaves the buffer");
  uint64_t rowBits = live.columns * bits;
  uint64_t rowBytes = (rowBits + 7) / 8;
  auto extent = [&](uint64_t count, uint64_t distance, uint64_t inner) {
    if (count <= 1)
      return inner;
    if (distance < inner)
      return UINT64_MAX; // one would lie on the other
    return count - 1 > size / distance ? UINT64_MAX
                                       : (count - 1) * distance + inner;
  };
  uint64_t batchBytes = extent(live.rows, live.pitchBytes, rowBytes);
  if (batchBytes > size ||
      extent(live.batches, live.batchBytes, batchBytes) > size)
    return wrong("the rows of the live region overlap or leave the buffer");
  result.elements = live.rows * live.columns * live.batches;
  if (expectation.isBound && expectation.exact.size() != result.elements)
    return wrong("the buffer has " + std::to_string(result.elements) +
                 " live elements, the exact result " +
                 std::to_string(expectation.exact.size()));
  std::vector<uint8_t> isLive(expectation.hasLive ? got.size() : 0, 0);
  uint64_t index = 0;
  for (uint64_t batch = 0; batch < live.batches; ++batch)
    for (uint64_t row = 0; row < live.rows; ++row) {
      uint64_t start = 8 * (batch * live.batchBytes + row * live.pitchBytes);
      if (expectation.hasLive)
        for (uint64_t byte = start / 8; byte < (start + rowBits + 7) / 8;
             ++byte)
          isLive[byte] = 1;
      for (uint64_t column = 0; column < live.columns; ++column, ++index) {
        uint64_t at = start + column * bits;
        uint32_t code = bitsAt(got, at, bits);
        bool same = !expectation.expected.empty() &&
                    code == bitsAt(expectation.expected, at, bits);
        double value = known ? units::decodeToDouble(format, code) : code;
        double wanted = 0;
        bool inside = same;
        if (expectation.isBound) {
          wanted = expectation.exact[index];
          inside = std::fabs(value - wanted) <= expectation.bound[index] ||
                   value == wanted || (std::isnan(value) && std::isnan(wanted));
        } else if (!same) {
          uint32_t expected = bitsAt(expectation.expected, at, bits);
          wanted = known ? units::decodeToDouble(format, expected) : expected;
        }
        if (inside && same)
          ++result.equal;
        else if (inside)
          ++result.withinBound;
        else if (result.outside++ == 0) {
          char text[200];
          std::snprintf(text, sizeof(text),
                        "element %llu (row %llu, column %llu): got %.9g "
                        "(0x%x), expected %.9g",
                        static_cast<unsigned long long>(index),
                        static_cast<unsigned long long>(row),
                        static_cast<unsigned long long>(column), value, code,
                        wanted);
          result.firstOutside = text;
          if (expectation.isBound) {
            std::snprintf(text, sizeof(text), " within %.3g",
                          static_cast<double>(expectation.bound[index]));
            result.firstOutside += text;
          }
        }
      }
    }
  // Nothing beyond the live region may change.
  for (size_t byte = 0; byte < isLive.size(); ++byte)
    if (!isLive[byte] && got[byte] != before[byte]) {
      if (result.outside++ == 0)
        result.firstOutside = "byte " + std::to_string(byte) +
                              " lies outside the live region and changed";
    }
  return result;
}

std::vector<Comparison> compareOutputs(const LaunchFile &file) {
  std::vector<Comparison> results;
  for (const Expectation &expectation : file.expectations)
    results.push_back(compareOne(file, expectation));
  return results;
}

} // namespace bsmm::emulator
