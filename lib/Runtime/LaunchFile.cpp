//===- LaunchFile.cpp - concrete launches: check, read, write -------------===//

#include "JsonReader.h"
#include "TensorMapChecks.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace bsmm;
using namespace bsmm::runtime;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using Kind = LaunchParam::Kind;

static std::string number(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t runtime::parameterBytes(const LaunchParam &param) {
  switch (param.kind) {
  case Kind::TensorMap:
    return target::tma::descriptorBytes;
  case Kind::I32:
  case Kind::F32:
    return 4;
  case Kind::I64:
  case Kind::Pointer:
  case Kind::Null:
    return 8;
  case Kind::Struct:
    return param.structBytes;
  }
  return 0;
}

int64_t runtime::parameterAlignment(const LaunchParam &param) {
  if (param.kind == Kind::TensorMap)
    return target::tma::descriptorAlignment;
  if (param.kind == Kind::Struct)
    return param.structAlign;
  return parameterBytes(param);
}

std::vector<int64_t>
runtime::parameterOffsets(const std::vector<LaunchParam> &params) {
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const LaunchParam &param : params) {
    int64_t alignment = std::max<int64_t>(parameterAlignment(param), 1);
    end = (end + alignment - 1) / alignment * alignment;
    offsets.push_back(end);
    end += parameterBytes(param);
  }
  offsets.push_back(end);
  return offsets;
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

std::string runtime::validateLaunchShape(std::string_view targetName,
                                         const Dim3 *grid, const Dim3 &block,
                                         const Dim3 &cluster,
                                         int64_t dynamicSharedMemory) {
  std::string unknown = target::whyNotGpu(targetName);
  if (!unknown.empty())
    return "$.target: " + unknown;
  const target::Gpu &gpu = *target::findGpu(targetName);
  const int64_t blockMax[3] = {target::threads::maxBlockXY,
                               target::threads::maxBlockXY,
                               target::threads::maxBlockZ};
  const int64_t gridMax[3] = {target::threads::maxGridX,
                              target::threads::maxGridYZ,
                              target::threads::maxGridYZ};
  auto entry = [](std::string_view key, int axis) {
    return "$." + std::string(key) + "[" + std::to_string(axis) + "]: ";
  };
  for (int axis = 0; axis < 3; ++axis) {
    if (block[axis] < 1 || block[axis] > blockMax[axis])
      return entry("block", axis) + "expected 1 to " + number(blockMax[axis]) +
             " threads, got " + number(block[axis]);
    if (cluster[axis] < 1 || cluster[axis] > gpu.maxClusterNonPortable)
      return entry("cluster", axis) + "expected 1 to " +
             number(gpu.maxClusterNonPortable) + " CTAs on " +
             std::string(gpu.name) + ", got " + number(cluster[axis]);
  }
  int64_t blockThreads = block[0] * block[1] * block[2];
  if (blockThreads > gpu.maxThreadsPerBlock)
    return "$.block: expected at most " + number(gpu.maxThreadsPerBlock) +
           " threads in all, got " + number(blockThreads);
  int64_t clusterCtas = cluster[0] * cluster[1] * cluster[2];
  if (clusterCtas > gpu.maxClusterNonPortable)
    return "$.cluster: expected at most " + number(gpu.maxClusterNonPortable) +
           " CTAs in all on " + std::string(gpu.name) + ", got " +
           number(clusterCtas);
  if (dynamicSharedMemory < 0 || dynamicSharedMemory > gpu.sharedMemoryPerBlock)
    return "$.dynamic_smem: expected 0 to " + number(gpu.sharedMemoryPerBlock) +
           " bytes on " + std::string(gpu.name) + ", got " +
           number(dynamicSharedMemory);
  if (!grid)
    return "";
  for (int axis = 0; axis < 3; ++axis) {
    if ((*grid)[axis] < 1 || (*grid)[axis] > gridMax[axis])
      return entry("grid", axis) + "expected 1 to " + number(gridMax[axis]) +
             " CTAs, got " + number((*grid)[axis]);
    if ((*grid)[axis] % cluster[axis] != 0)
      return entry("grid", axis) + "expected a multiple of the cluster's " +
             number(cluster[axis]) + ", got " + number((*grid)[axis]);
  }
  return "";
}

/// `bytes` are used from the reference on; -1: unknown.
static std::string checkReference(const Launch &launch,
                                  const BufferReference &reference,
                                  int64_t bytes, const std::string &path) {
  if (reference.offset < 0)
    return path + ".offset: expected 0 or more bytes, got " +
           number(reference.offset);
  if (reference.buffer.empty())
    return "";
  auto found = launch.buffers.find(reference.buffer);
  if (found == launch.buffers.end()) {
    if (staysInFolder(reference.buffer))
      return "";
    return path + ": expected a name in $.buffers or a file in the folder of " +
           "this description, got '" + JsonReader::shorten(reference.buffer) +
           "'";
  }
  int64_t size = found->second.bytes;
  if (size < 0)
    return "";
  int64_t end = 0;
  if (__builtin_add_overflow(reference.offset, std::max<int64_t>(bytes, 0),
                             &end) ||
      end > size)
    return path + ": expected at most the " + number(size) +
           " bytes of buffer '" + JsonReader::shorten(reference.buffer) +
           "', got " + number(bytes) + " bytes from offset " +
           number(reference.offset);
  return "";
}

static std::string checkParam(const Launch &launch, const target::Gpu &gpu,
                              const LaunchParam &param,
                              const std::string &path) {
  switch (param.kind) {
  case Kind::TensorMap: {
    std::string mapPath = path + ".tensor_map";
    std::string text = validateTensorMap(param.map, mapPath, &gpu);
    if (!text.empty())
      return text;
    int64_t bytes = footprintBytes(param.map);
    if (bytes < 0)
      return mapPath + ".dims: expected a tensor of less than 2^63 bytes";
    return checkReference(launch, param.map.data, bytes, mapPath + ".data");
  }
  case Kind::I32:
    if (param.integer < INT32_MIN || param.integer > int64_t(UINT32_MAX))
      return path + ".i32: expected -2^31 to 2^32 - 1, got " +
             number(param.integer);
    return "";
  case Kind::Pointer:
    return checkReference(launch, param.pointer, 0, path + ".pointer");
  case Kind::Struct:
    break;
  case Kind::I64:
  case Kind::F32:
  case Kind::Null:
    return "";
  }
  std::string structPath = path + ".struct";
  if (param.structBytes < 1 || param.structBytes > target::maxParameterBytes)
    return structPath + ".bytes: expected 1 to " +
           number(target::maxParameterBytes) + ", got " +
           number(param.structBytes);
  int64_t align = param.structAlign;
  if (align < 1 || align > 128 || (align & (align - 1)) != 0)
    return structPath + ".align: expected a power of two up to 128, got " +
           number(align);
  if (!param.contents.empty() &&
      int64_t(param.contents.size()) != param.structBytes)
    return structPath + ".hex: expected " + number(param.structBytes) +
           " bytes, got " + number(param.contents.size());
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < param.placements.size(); ++i) {
    const Placement &placement = param.placements[i];
    std::string where = structPath + ".placements[" + std::to_string(i) + "]";
    if (placement.value.kind == Kind::Struct)
      return where + ": expected a value that is no struct";
    int64_t bytes = parameterBytes(placement.value);
    if (placement.offset < 0 || placement.offset > param.structBytes - bytes)
      return where + ".offset: expected " + number(bytes) +
             " bytes inside the struct of " + number(param.structBytes) +
             ", got offset " + number(placement.offset);
    for (auto [begin, end] : taken)
      if (placement.offset < end && begin < placement.offset + bytes)
        return where + ".offset: expected no overlap, but bytes " +
               number(begin) + " to " + number(end - 1) + " are taken";
    taken.emplace_back(placement.offset, placement.offset + bytes);
    std::string text = checkParam(launch, gpu, placement.value, where);
    if (!text.empty())
      return text;
  }
  return "";
}

static std::string checkBuffer(const LaunchBuffer &buffer,
                               const std::string &path) {
  if (buffer.bytes < 0 && buffer.file.empty())
    return path + ": expected 'bytes' or 'file'";
  for (const auto *name :
       {&buffer.file, &buffer.expected, &buffer.exactFile, &buffer.boundFile})
    if (!name->empty() && !staysInFolder(*name))
      return path +
             ": expected files in the folder of this description, got "
             "'" +
             JsonReader::shorten(*name) + "'";
  if (buffer.compare == LaunchBuffer::Compare::Bound &&
      (buffer.exactFile.empty() || buffer.boundFile.empty()))
    return path + ".compare: expected 'exact' and 'bound' files with the rule "
                  "bound";
  unsigned bits = target::bitWidth(buffer.element);
  if (bits == 0)
    return path + ".element: expected an element type";
  if (buffer.compare == LaunchBuffer::Compare::Bound && bits % 8 != 0)
    return path + ".compare: expected the rule exact for packed elements of " +
           number(bits) + " bits";
  const LiveRegion &live = buffer.live;
  if (live.rows == 0)
    return "";
  if (live.rows < 0 || live.columns < 1 || live.pitchBytes < 0 ||
      live.batches < 1 || live.batchBytes < 0)
    return path + ".live: expected positive numbers";
  int64_t rowBits, rowsBytes, batchReach, end;
  if (__builtin_mul_overflow(live.columns, int64_t(bits), &rowBits) ||
      rowBits > INT64_MAX - 7)
    return path + ".live.columns: expected fewer columns";
  int64_t rowBytes = (rowBits + 7) / 8;
  if (live.rows > 1 && live.pitchBytes < rowBytes)
    return path + ".live.pitch_bytes: expected at least the " +
           number(rowBytes) + " bytes of a row, got " + number(live.pitchBytes);
  if (__builtin_mul_overflow(live.rows - 1, live.pitchBytes, &rowsBytes) ||
      __builtin_add_overflow(rowsBytes, rowBytes, &rowsBytes) ||
      __builtin_mul_overflow(live.batches - 1, live.batchBytes, &batchReach) ||
      __builtin_add_overflow(batchReach, rowsBytes, &end))
    return path + ".live: expected a region of less than 2^63 bytes";
  if (live.batches > 1 && live.batchBytes < rowsBytes)
    return path + ".live.batch_bytes: expected at least the " +
           number(rowsBytes) + " bytes of a batch, got " +
           number(live.batchBytes);
  if (buffer.bytes >= 0 && end > buffer.bytes)
    return path + ".live: expected a region inside the " +
           number(buffer.bytes) + " bytes of the buffer, got " + number(end);
  return "";
}

std::string runtime::validateLaunch(const Launch &launch) {
  if (launch.isEmpty())
    return "$.grid[0]: expected 1 to 2147483647 CTAs, got 0";
  if (launch.entry.empty())
    return "$.entry: expected the name of the PTX entry, got ''";
  if (!staysInFolder(launch.ptx))
    return "$.ptx: expected a file in the folder of this description, got '" +
           JsonReader::shorten(launch.ptx) + "'";
  std::string text =
      validateLaunchShape(launch.target, &launch.grid, launch.block,
                          launch.cluster, launch.dynamicSharedMemory);
  if (!text.empty())
    return text;
  for (const auto &[name, buffer] : launch.buffers) {
    text = checkBuffer(buffer, "$.buffers." + JsonReader::shorten(name));
    if (!text.empty())
      return text;
  }
  const target::Gpu &gpu = *target::findGpu(launch.target);
  for (size_t i = 0; i < launch.params.size(); ++i) {
    text = checkParam(launch, gpu, launch.params[i],
                      "$.params[" + std::to_string(i) + "]");
    if (!text.empty())
      return text;
  }
  int64_t bytes = parameterOffsets(launch.params).back();
  if (bytes > target::maxParameterBytes)
    return "$.params: expected at most " + number(target::maxParameterBytes) +
           " bytes of parameters, got " + number(bytes);
  return "";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// "0x" and up to `maxDigits` digits.
static uint32_t readHex(const JsonReader &reader, size_t maxDigits) {
  std::string text = reader.string();
  uint64_t value = 0;
  bool good = text.size() > 2 && text.size() <= 2 + maxDigits &&
              text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  for (size_t i = 2; good && i < text.size(); ++i) {
    good = std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    value =
        value * 16 + std::strtoul(std::string(1, text[i]).c_str(), nullptr, 16);
  }
  if (!good)
    reader.fail("expected a text of 0x and up to " + number(maxDigits) +
                " hexadecimal digits, got '" + JsonReader::shorten(text) + "'");
  return good ? static_cast<uint32_t>(value) : 0;
}

static BufferReference readReference(const JsonReader &reader) {
  BufferReference reference;
  if (reader.json().is_string()) {
    reference.buffer = reader.string();
  } else if (reader.object({"data", "offset"})) {
    reference.buffer = reader.member("data").string();
    reference.offset = reader.integerOr("offset", 0, 0, INT64_MAX);
  }
  if (reference.buffer.empty())
    reader.fail("expected the name of a buffer");
  return reference;
}

static TensorMap readTensorMap(const JsonReader &reader) {
  TensorMap map;
  if (!reader.object({"data", "offset", "element", "dims", "strides_bytes",
                      "box", "swizzle", "fill", "element_strides"}))
    return map;
  map.data.buffer = reader.member("data").string();
  if (map.data.buffer.empty())
    reader.member("data").fail("expected the name of a buffer");
  map.data.offset = reader.integerOr("offset", 0, 0, INT64_MAX);
  JsonReader element = reader.member("element");
  std::string elementName = element.string();
  if (const auto *row = target::findTensorMapElement(elementName)) {
    map.element = row->element;
  } else {
    std::string names;
    for (const auto &each : target::tensorMapElements)
      names += (names.empty() ? "" : ", ") + std::string(each.name);
    element.fail("expected one of " + names + ", got '" +
                 JsonReader::shorten(elementName) + "'");
  }
  JsonReader swizzle = reader.member("swizzle");
  std::string swizzleName = swizzle.string();
  if (const auto *row = target::findSwizzle(swizzleName)) {
    map.swizzle = row->swizzle;
  } else {
    std::string names;
    for (const auto &each : target::swizzleInfos)
      names += (names.empty() ? "" : ", ") + std::string(each.name);
    swizzle.fail("expected one of " + names + ", got '" +
                 JsonReader::shorten(swizzleName) + "'");
  }
  // Limits are those of validateTensorMap, which has the better texts.
  constexpr size_t many = 64;
  map.dims = reader.member("dims").integers(0, many, INT64_MIN, INT64_MAX);
  map.stridesBytes =
      reader.member("strides_bytes").integers(0, many, INT64_MIN, INT64_MAX);
  map.box = reader.member("box").integers(0, many, INT64_MIN, INT64_MAX);
  if (reader.has("element_strides")) {
    map.elementStrides = reader.member("element_strides")
                             .integers(1, many, INT64_MIN, INT64_MAX);
  }
  if (reader.has("fill"))
    map.nanFill =
        reader.member("fill").oneOf<bool>({{"zero", false}, {"nan", true}});
  return map;
}

static LaunchParam readParam(const JsonReader &reader, bool inStruct) {
  LaunchParam param;
  static const std::pair<std::string_view, Kind> kinds[] = {
      {"tensor_map", Kind::TensorMap},
      {"i32", Kind::I32},
      {"i64", Kind::I64},
      {"f32", Kind::F32},
      {"pointer", Kind::Pointer},
      {"null", Kind::Null},
      {"struct", Kind::Struct}};
  bool known = inStruct ? reader.object({"offset", "tensor_map", "i32", "i64",
                                         "f32", "pointer", "null"})
                        : reader.object({"tensor_map", "i32", "i64", "f32",
                                         "pointer", "null", "struct"});
  if (!known)
    return param;
  std::string_view key;
  for (const auto &[name, kind] : kinds)
    if (reader.has(name)) {
      if (!key.empty())
        reader.fail("expected one kind of parameter, got " + std::string(key) +
                    " and " + std::string(name));
      key = name;
      param.kind = kind;
    }
  if (key.empty()) {
    reader.fail("expected one of tensor_map, i32, i64, f32, pointer, null" +
                std::string(inStruct ? "" : ", struct"));
    return param;
  }
  JsonReader value = reader.member(key);
  switch (param.kind) {
  case Kind::TensorMap:
    param.map = readTensorMap(value);
    break;
  case Kind::I32:
    param.integer = value.integer(INT32_MIN, UINT32_MAX);
    break;
  case Kind::I64:
    param.integer = value.integer();
    break;
  case Kind::F32:
    if (value.json().is_string()) {
      param.floatBits = readHex(value, 8);
    } else if (value.json().is_number()) {
      float number = static_cast<float>(value.json().get<double>());
      std::memcpy(&param.floatBits, &number, sizeof(number));
    } else {
      value.fail("expected a number or its bits as a text like '0x3FC00000'");
    }
    break;
  case Kind::Pointer:
    param.pointer = readReference(value);
    break;
  case Kind::Null:
    if (!value.boolean())
      value.fail("expected true");
    break;
  case Kind::Struct: {
    if (!value.object({"bytes", "align", "hex", "placements"}))
      break;
    param.structBytes =
        value.member("bytes").integer(1, target::maxParameterBytes);
    param.structAlign = value.integerOr("align", 8, 1, 128);
    if (value.has("hex")) {
      JsonReader hex = value.member("hex");
      std::string text = hex.string();
      if (!hex.failed() && text.size() != size_t(param.structBytes) * 2)
        hex.fail("expected " + number(param.structBytes * 2) +
                 " hexadecimal digits, got " + number(text.size()));
      for (size_t i = 0; !hex.failed() && i + 1 < text.size(); i += 2) {
        if (!std::isxdigit(static_cast<unsigned char>(text[i])) ||
            !std::isxdigit(static_cast<unsigned char>(text[i + 1]))) {
          hex.fail("expected hexadecimal digits, got '" +
                   JsonReader::shorten(text.substr(i)) + "'");
          break;
        }
        param.contents.push_back(static_cast<uint8_t>(
            std::strtoul(text.substr(i, 2).c_str(), nullptr, 16)));
      }
    }
    if (value.has("placements"))
      for (const JsonReader &entry :
           value.member("placements").array(0, 4096)) {
        Placement placement;
        placement.value = readParam(entry, /*inStruct=*/true);
        placement.offset =
            entry.member("offset").integer(0, target::maxParameterBytes);
        param.placements.push_back(std::move(placement));
      }
    break;
  }
  }
  return param;
}

static LaunchBuffer readBuffer(const JsonReader &reader) {
  LaunchBuffer buffer;
  if (!reader.object(
          {"bytes", "file", "fill", "element", "expected", "compare", "live"}))
    return buffer;
  buffer.bytes = reader.integerOr("bytes", -1, 0, INT64_MAX);
  if (reader.has("file"))
    buffer.file = reader.member("file").fileName();
  if (reader.has("fill"))
    buffer.fill = static_cast<uint8_t>(readHex(reader.member("fill"), 2));
  if (reader.has("element")) {
    JsonReader element = reader.member("element");
    std::string text = element.string();
    buffer.element = target::elementTypeFromName(text);
    if (buffer.element == target::ElementType::None)
      element.fail("expected an element type such as f16, bf16, f32 or e4m3, "
                   "got '" +
                   JsonReader::shorten(text) + "'");
  }
  if (reader.has("expected"))
    buffer.expected = reader.member("expected").fileName();
  if (reader.has("compare")) {
    JsonReader compare = reader.member("compare");
    if (compare.object({"rule", "exact", "bound"})) {
      buffer.compare = compare.member("rule").oneOf<LaunchBuffer::Compare>(
          {{"exact", LaunchBuffer::Compare::Exact},
           {"bound", LaunchBuffer::Compare::Bound}});
      if (compare.has("exact"))
        buffer.exactFile = compare.member("exact").fileName();
      if (compare.has("bound"))
        buffer.boundFile = compare.member("bound").fileName();
    }
  }
  if (reader.has("live")) {
    JsonReader live = reader.member("live");
    if (live.object(
            {"rows", "columns", "pitch_bytes", "batches", "batch_bytes"})) {
      buffer.live.rows = live.member("rows").integer(1, INT64_MAX);
      buffer.live.columns = live.member("columns").integer(1, INT64_MAX);
      buffer.live.pitchBytes = live.member("pitch_bytes").integer(0, INT64_MAX);
      buffer.live.batches = live.integerOr("batches", 1, 1, INT64_MAX);
      buffer.live.batchBytes = live.integerOr("batch_bytes", 0, 0, INT64_MAX);
    }
  }
  return buffer;
}

static Dim3 readDim3(const JsonReader &reader) {
  std::vector<int64_t> numbers = reader.integers(3, 3, 1, INT32_MAX);
  return numbers.size() == 3 ? Dim3{numbers[0], numbers[1], numbers[2]}
                             : Dim3{1, 1, 1};
}

Result<Launch> runtime::parseLaunch(std::string_view text) {
  Result<Json> json = parseJson(text);
  if (!json)
    return Error{json.error()};
  std::string error;
  JsonReader reader(*json, error);
  Launch launch;
  // The version comes first: later versions may have other keys.
  if (reader.has("schema")) {
    std::string version = reader.member("schema").string();
    if (error.empty() && version != schemaVersion)
      return Error{"$.schema: unsupported schema '" +
                   JsonReader::shorten(version) + "': expected '" +
                   std::string(schemaVersion) + "'"};
  }
  if (reader.has("document")) {
    std::string document = reader.member("document").string();
    if (error.empty() && document != "launch")
      return Error{"$.document: expected 'launch', got '" +
                   JsonReader::shorten(document) + "'"};
  }
  reader.object({"schema", "document", "ptx", "target", "entry", "grid",
                 "block", "cluster", "dynamic_smem", "order_dependent",
                 "problem", "params", "buffers"});
  launch.ptx = reader.member("ptx").fileName();
  launch.target = reader.member("target").string();
  launch.entry = reader.member("entry").string();
  launch.grid = readDim3(reader.member("grid"));
  launch.block = readDim3(reader.member("block"));
  if (reader.has("cluster"))
    launch.cluster = readDim3(reader.member("cluster"));
  launch.dynamicSharedMemory =
      reader.integerOr("dynamic_smem", 0, 0, INT32_MAX);
  launch.orderDependent = reader.booleanOr("order_dependent", false);
  if (reader.has("problem")) {
    JsonReader problem = reader.member("problem");
    (void)problem.members(); // any object
    launch.problemJson =
        problem.json().dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  for (const JsonReader &entry : reader.member("params").array(0, 4096))
    launch.params.push_back(readParam(entry, /*inStruct=*/false));
  if (reader.has("buffers"))
    for (const auto &[name, entry] : reader.member("buffers").members())
      launch.buffers[name] = readBuffer(entry);
  if (error.empty())
    error = validateLaunch(launch);
  if (!error.empty())
    return Error{error};
  return launch;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string hex(uint32_t value, int digits) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%0*X", digits,
                static_cast<unsigned>(value));
  return text;
}

static OrderedJson writeParam(const LaunchParam &param) {
  OrderedJson out;
  switch (param.kind) {
  case Kind::TensorMap: {
    OrderedJson &map = out["tensor_map"];
    map["data"] = param.map.data.buffer;
    if (param.map.data.offset)
      map["offset"] = param.map.data.offset;
    map["element"] = std::string(target::info(param.map.element).name);
    map["dims"] = param.map.dims;
    map["strides_bytes"] = param.map.stridesBytes;
    map["box"] = param.map.box;
    map["swizzle"] = std::string(target::info(param.map.swizzle).name);
    if (param.map.nanFill)
      map["fill"] = "nan";
    if (!param.map.elementStrides.empty())
      map["element_strides"] = param.map.elementStrides;
    break;
  }
  case Kind::I32:
    out["i32"] = param.integer;
    break;
  case Kind::I64:
    out["i64"] = param.integer;
    break;
  case Kind::F32:
    // Bits, so that NaN and infinity survive too.
    out["f32"] = hex(param.floatBits, 8);
    break;
  case Kind::Pointer:
    if (param.pointer.offset)
      out["pointer"] = OrderedJson{{"data", param.pointer.buffer},
                                   {"offset", param.pointer.offset}};
    else
      out["pointer"] = param.pointer.buffer;
    break;
  case Kind::Null:
    out["null"] = true;
    break;
  case Kind::Struct: {
    OrderedJson &body = out["struct"];
    body["bytes"] = param.structBytes;
    body["align"] = param.structAlign;
    if (!param.contents.empty()) {
      std::string digits;
      for (uint8_t byte : param.contents)
        digits += hex(byte, 2).substr(2);
      body["hex"] = digits;
    }
    for (const Placement &placement : param.placements) {
      OrderedJson entry;
      entry["offset"] = placement.offset;
      if (placement.value.kind != Kind::Struct)
        entry.update(writeParam(placement.value));
      body["placements"].push_back(entry);
    }
    break;
  }
  }
  return out;
}

std::string runtime::writeLaunch(const Launch &launch) {
  OrderedJson out;
  out["schema"] = std::string(schemaVersion);
  out["document"] = "launch";
  out["ptx"] = launch.ptx;
  out["target"] = launch.target;
  out["entry"] = launch.entry;
  out["grid"] = launch.grid;
  out["block"] = launch.block;
  out["cluster"] = launch.cluster;
  out["dynamic_smem"] = launch.dynamicSharedMemory;
  if (launch.orderDependent)
    out["order_dependent"] = true;
  OrderedJson problem = OrderedJson::parse(launch.problemJson, nullptr, false);
  if (problem.is_object())
    out["problem"] = problem;
  out["params"] = OrderedJson::array();
  for (const LaunchParam &param : launch.params)
    out["params"].push_back(writeParam(param));
  out["buffers"] = OrderedJson::object();
  for (const auto &[name, buffer] : launch.buffers) {
    OrderedJson &entry = out["buffers"][name];
    if (buffer.bytes >= 0)
      entry["bytes"] = buffer.bytes;
    if (!buffer.file.empty())
      entry["file"] = buffer.file;
    entry["fill"] = hex(buffer.fill, 2);
    entry["element"] = std::string(target::name(buffer.element));
    if (!buffer.expected.empty())
      entry["expected"] = buffer.expected;
    OrderedJson &compare = entry["compare"];
    bool exact = buffer.compare == LaunchBuffer::Compare::Exact;
    compare["rule"] = exact ? "exact" : "bound";
    if (!buffer.exactFile.empty())
      compare["exact"] = buffer.exactFile;
    if (!buffer.boundFile.empty())
      compare["bound"] = buffer.boundFile;
    if (buffer.live.rows)
      entry["live"] = OrderedJson{{"rows", buffer.live.rows},
                                  {"columns", buffer.live.columns},
                                  {"pitch_bytes", buffer.live.pitchBytes},
                                  {"batches", buffer.live.batches},
                                  {"batch_bytes", buffer.live.batchBytes}};
  }
  return out.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}
