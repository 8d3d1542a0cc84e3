//===- LaunchFile.cpp - Launch descriptions in JSON -------------*- C++ -*-===//

#include "bsmm/Emulator/LaunchFile.h"

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

namespace bsmm::emulator {

using Json = nlohmann::json;

namespace {
class Reader {
public:
  Reader(LaunchFile &file, std::string &error) : file(file), error(error) {}

  bool read(const std::string &path) {
    size_t slash = path.find_last_of('/');
    folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    std::vector<uint8_t> bytes;
    if (!load(path, bytes))
      return false;
    Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (json.is_discarded() || !json.is_object())
      return fail("'" + path + "' is not a JSON object");
    std::string ptx;
    if (!text(json, "ptx", ptx))
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
    while ((got = std::fread(chunk, 1, sizeof(chunk), input)) != 0)
      bytes.insert(bytes.end(), chunk, chunk + got);
    bool good = std::ferror(input) == 0;
    std::fclose(input);
    return good || fail("cannot read '" + path + "'");
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
                  std::to_string(least) + " to " + std::to_string(most));
    return true;
  }

  size_t addStorage(const std::string &name, std::vector<uint8_t> bytes) {
    size_t index = file.storage.size();
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
    if (!load(folder + name, bytes))
      return false;
    index = addStorage(name, std::move(bytes));
    file.launch.buffers[index].readOnly = true;
    return true;
  }

  bool buffer(const std::string &name, const Json &json) {
    if (!json.is_object())
      return fail("buffer '" + name + "' must be an object");
    uint64_t bytes;
    if (!integer(json, "bytes", bytes, false))
      return false;
    if (bytes > (1ull << 36))
      return fail("buffer '" + name + "' is too large");
    uint64_t fill = 0;
    if (json.contains("fill")) {
      const Json &value = json["fill"];
      if (value.is_string())
        fill = std::strtoull(value.get<std::string>().c_str(), nullptr, 0);
      else if (value.is_number_unsigned())
        fill = value.get<uint64_t>();
      if (fill > 255)
        return fail("'fill' must be a byte");
    }
    std::vector<uint8_t> contents(bytes, static_cast<uint8_t>(fill));
    if (json.contains("data")) {
      std::string data;
      if (!text(json, "data", data))
        return false;
      contents.clear();
      if (!load(folder + data, contents))
        return false;
      contents.resize(bytes, static_cast<uint8_t>(fill));
    }
    size_t index = addStorage(name, std::move(contents));
    Expectation expectation;
    expectation.buffer = index;
    bool any = false;
    if (json.contains("element") &&
        !text(json, "element", expectation.element))
      return false;
    if (json.contains("expected")) {
      std::string expected;
      if (!text(json, "expected", expected) ||
          !load(folder + expected, expectation.expected))
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
            !load(folder + exactName, exact) ||
            !load(folder + boundName, bound))
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
    if (any)
      file.expectations.push_back(std::move(expectation));
    return true;
  }

  bool tensorMap(const Json &json, units::TensorMap &map, size_t &index,
                 size_t &byteOffset) {
    if (!json.is_object())
      return fail("'tensor_map' must be an object");
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
        {"u8", E::UInt8},     {"u16", E::UInt16},
        {"u32", E::UInt32},   {"i32", E::Int32},
        {"u64", E::UInt64},   {"i64", E::Int64},
        {"f16", E::Float16},  {"f32", E::Float32},
        {"f64", E::Float64},  {"bf16", E::BFloat16},
        {"tf32", E::TFloat32}, {"u4_align8B", E::Packed16U4Align8B},
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
        {"128B_atom_32B", S::Bytes128Atom32B},
        {"128B_atom_32B_flip_8B", S::Bytes128Atom32BFlip8B},
        {"128B_atom_64B", S::Bytes128Atom64B}};
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

  template <typename T> static void append(Parameter &parameter, T value) {
    size_t at = parameter.bytes.size();
    parameter.bytes.resize(at + sizeof(T));
    std::memcpy(parameter.bytes.data() + at, &value, sizeof(T));
  }

  bool parameter(const Json &json) {
    std::string where =
        "parameter " + std::to_string(file.launch.parameters.size());
    if (!json.is_object() || json.empty())
      return fail(where + " must be an object");
    Parameter parameter;
    auto place = [&](Parameter::Placement::Kind kind, size_t offset,
                     size_t index, size_t byteOffset,
                     const units::TensorMap &map) {
      Parameter::Placement placement;
      placement.kind = kind;
      placement.offset = offset;
      placement.buffer = index;
      placement.byteOffset = byteOffset;
      placement.map = map;
      parameter.placements.push_back(placement);
    };
    using Kind = Parameter::Placement::Kind;
    if (json.contains("tensor_map")) {
      units::TensorMap map;
      size_t index, byteOffset;
      if (!tensorMap(json["tensor_map"], map, index, byteOffset))
        return fail(where + ": " + error);
      parameter.bytes.resize(128);
      place(Kind::TensorMap, 0, index, byteOffset, map);
    } else if (json.contains("i32") || json.contains("i64")) {
      const char *key = json.contains("i32") ? "i32" : "i64";
      if (!json[key].is_number_integer())
        return fail(where + ": expected an integer");
      int64_t value = json[key].is_number_unsigned()
                          ? static_cast<int64_t>(json[key].get<uint64_t>())
                          : json[key].get<int64_t>();
      if (key[1] == '3')
        append(parameter, static_cast<int32_t>(value));
      else
        append(parameter, value);
    } else if (json.contains("f32")) {
      if (!json["f32"].is_number())
        return fail(where + ": expected a number");
      append(parameter, json["f32"].get<float>());
    } else if (json.contains("null")) {
      append(parameter, uint64_t(0));
    } else if (json.contains("pointer")) {
      std::string name;
      size_t index;
      uint64_t offset = 0;
      if (!text(json, "pointer", name) || !find(name, index) ||
          !integer(json, "offset", offset, true))
        return fail(where + ": " + error);
      append(parameter, uint64_t(0));
      place(Kind::Pointer, 0, index, offset, {});
    } else if (json.contains("bytes")) {
      // A structure by value: bytes, and addresses and maps at offsets.
      const Json &bytes = json["bytes"];
      if (bytes.is_number_unsigned() && bytes <= 1u << 20) {
        parameter.bytes.resize(bytes.get<size_t>());
      } else if (bytes.is_string()) {
        if (!load(folder + bytes.get<std::string>(), parameter.bytes))
          return fail(where + ": " + error);
      } else if (bytes.is_array()) {
        for (const Json &byte : bytes) {
          if (!byte.is_number_unsigned() || byte > 255)
            return fail(where + ": expected bytes");
          parameter.bytes.push_back(byte.get<uint8_t>());
        }
      } else {
        return fail(where + ": 'bytes' is a size, a file or a list");
      }
      if (json.contains("place")) {
        if (!json["place"].is_array())
          return fail(where + ": 'place' must be a list");
        for (const Json &entry : json["place"]) {
          uint64_t at, offset = 0;
          if (!entry.is_object() || !integer(entry, "at", at, false))
            return fail(where + ": " + error);
          if (at > parameter.bytes.size())
            return fail(where + ": placed outside the bytes");
          size_t index, byteOffset;
          if (entry.contains("tensor_map")) {
            units::TensorMap map;
            if (!tensorMap(entry["tensor_map"], map, index, byteOffset))
              return fail(where + ": " + error);
            place(Kind::TensorMap, at, index, byteOffset, map);
          } else if (entry.contains("pointer")) {
            std::string name;
            if (!text(entry, "pointer", name) || !find(name, index) ||
                !integer(entry, "offset", offset, true))
              return fail(where + ": " + error);
            place(Kind::Pointer, at, index, offset, {});
          } else if (entry.contains("i32") || entry.contains("i64")) {
            const char *key = entry.contains("i32") ? "i32" : "i64";
            size_t size = key[1] == '3' ? 4 : 8;
            if (!entry[key].is_number_integer() ||
                at + size > parameter.bytes.size())
              return fail(where + ": bad integer");
            int64_t value = entry[key].get<int64_t>();
            std::memcpy(parameter.bytes.data() + at, &value, size);
          } else {
            return fail(where + ": expected tensor_map, pointer, i32 or i64");
          }
        }
      }
    } else {
      return fail(where + " has an unknown kind");
    }
    file.launch.parameters.push_back(std::move(parameter));
    return true;
  }

  LaunchFile &file;
  std::string &error;
  std::string folder;
  std::map<std::string, size_t> names;
};

/// Bytes of an element and how to read one.
bool elementOf(const std::string &name, size_t &bytes,
               units::NumberFormat &format) {
  static const std::map<std::string, units::NumberFormat> formats = {
      {"f16", units::NumberFormat::F16},   {"bf16", units::NumberFormat::BF16},
      {"f32", units::NumberFormat::F32},   {"e4m3", units::NumberFormat::E4M3},
      {"e5m2", units::NumberFormat::E5M2}};
  auto found = formats.find(name);
  if (found == formats.end())
    return false;
  format = found->second;
  bytes = units::codeBytes(format);
  return true;
}
} // namespace

bool readLaunchFile(const std::string &path, LaunchFile &file,
                    std::string &error) {
  return Reader(file, error).read(path);
}

void LaunchFile::reset() {
  for (size_t k = 0; k < storage.size(); ++k)
    *storage[k] = initial[k];
  for (size_t k = 0; k < storage.size(); ++k)
    launch.buffers[k].data = storage[k]->data();
}

std::vector<Comparison> compareOutputs(const LaunchFile &file) {
  std::vector<Comparison> results;
  for (const Expectation &expectation : file.expectations) {
    const std::vector<uint8_t> &got = *file.storage[expectation.buffer];
    Comparison result;
    result.buffer = file.launch.buffers[expectation.buffer].name;
    size_t bytes = 1;
    units::NumberFormat format = units::NumberFormat::F32;
    bool known = elementOf(expectation.element, bytes, format);
    if (expectation.isBound && !known) {
      result.outside = 1;
      result.firstOutside =
          "unknown element type '" + expectation.element + "'";
      results.push_back(result);
      continue;
    }
    result.elements = got.size() / bytes;
    if (expectation.isBound && expectation.exact.size() != result.elements) {
      result.outside = result.elements;
      result.firstOutside = "the buffer has " +
                            std::to_string(result.elements) +
                            " elements, the exact result " +
                            std::to_string(expectation.exact.size());
      results.push_back(result);
      continue;
    }
    for (uint64_t k = 0; k < result.elements; ++k) {
      const uint8_t *at = got.data() + k * bytes;
      bool same = !expectation.expected.empty() &&
                  std::memcmp(at, expectation.expected.data() + k * bytes,
                              bytes) == 0;
      if (same) {
        ++result.equal;
        if (!expectation.isBound)
          continue;
      }
      uint32_t code = 0;
      std::memcpy(&code, at, bytes);
      double value = known ? units::decodeToDouble(format, code) : code;
      if (expectation.isBound) {
        double exact = expectation.exact[k];
        if (std::fabs(value - exact) <= expectation.bound[k] ||
            value == exact) {
          result.withinBound += !same;
          continue;
        }
        result.equal -= same;
      }
      if (result.outside++ == 0) {
        char text[200];
        double wanted = 0;
        if (expectation.isBound) {
          wanted = expectation.exact[k];
        } else {
          uint32_t expectedCode = 0;
          std::memcpy(&expectedCode, expectation.expected.data() + k * bytes,
                      bytes);
          wanted = known ? units::decodeToDouble(format, expectedCode)
                         : expectedCode;
        }
        std::snprintf(text, sizeof(text),
                      "element %llu: got %.9g (0x%x), expected %.9g",
                      static_cast<unsigned long long>(k), value, code,
                      wanted);
        result.firstOutside = text;
        if (expectation.isBound) {
          std::snprintf(text, sizeof(text), " within %.3g",
                        static_cast<double>(expectation.bound[k]));
          result.firstOutside += text;
        }
      }
    }
    results.push_back(result);
  }
  return results;
}

} // namespace bsmm::emulator
