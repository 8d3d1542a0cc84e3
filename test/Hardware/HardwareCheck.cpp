//===- HardwareCheck.cpp - the runtime's assumptions on a real GPU --------===//
//
//   hardware-check maps COUNT SEED OUT.json
//     Random tensor maps, legal ones and ones with faults, given to
//     cuTensorMapEncodeTiled and to our validator: both must accept the same.
//   hardware-check boxes COUNT SEED OUT.json KERNELS.ptx
//     Random legal maps, loaded from and stored to by TMA: the same bytes as
//     the emulator's model.
//   hardware-check lifetime COUNT ARTIFACT OUT.json
//     Opens, loads, launches and closes again and again: no memory is lost.
//
// Exit code 0: as expected. 1: differences, which the JSON lists. 2: no GPU or
// a bad command line.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/Library/CudaDriver.h"
#include "bsmm/Emulator/Units/TensorMap.h"
#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Runtime/Random.h"
#include "bsmm/Runtime/bsmm_runtime.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

using namespace bsmm;
using namespace bsmm::runtime;
using library::cuda::DevicePointer;
using library::cuda::Driver;
using Json = nlohmann::ordered_json;
namespace units = bsmm::emulator::units;

static const Driver *driver;
static const target::Gpu *gpu;

[[noreturn]] static void stop(const std::string &text) {
  std::fprintf(stderr, "hardware-check: %s\n", text.c_str());
  std::exit(2);
}

static void check(library::cuda::Result result, const char *what) {
  if (result != library::cuda::success)
    stop(std::string(what) + ": " + driver->describe(result));
}

/// The driver and the primary context of GPU 0.
static void openGpu() {
  std::string whyNot;
  driver = library::cuda::findDriver(whyNot);
  if (!driver)
    stop(whyNot);
  library::cuda::DeviceId id;
  library::cuda::Context context;
  check(driver->deviceGet(&id, 0), "cuDeviceGet");
  check(driver->primaryContextRetain(&context, id), "cuDevicePrimaryCtxRetain");
  check(driver->contextPush(context), "cuCtxPushCurrent");
  int major = 0, minor = 0;
  check(driver->deviceGetAttribute(
            &major, library::cuda::attributeComputeCapabilityMajor, id),
        "cuDeviceGetAttribute");
  check(driver->deviceGetAttribute(
            &minor, library::cuda::attributeComputeCapabilityMinor, id),
        "cuDeviceGetAttribute");
  for (const target::Gpu &known : target::gpus)
    if (known.computeMajor == major && known.computeMinor == minor)
      gpu = &known;
  if (!gpu)
    stop("expected a GPU that bsmm knows, got compute capability " +
         std::to_string(major) + "." + std::to_string(minor));
}

static void writeJson(const std::string &path, const Json &json) {
  std::string text = writeFileInOneStep(path, json.dump(1) + "\n");
  if (!text.empty())
    stop(text);
}

static Json describe(const TensorMap &map) {
  Json json;
  json["element"] = target::info(map.element).name;
  json["swizzle"] = target::info(map.swizzle).name;
  json["address"] = map.data.address;
  json["dims"] = map.dims;
  json["strides_bytes"] = map.stridesBytes;
  json["box"] = map.box;
  json["element_strides"] = map.elementStrides;
  json["nan_fill"] = map.nanFill;
  return json;
}

static library::cuda::Result encode(const TensorMap &map, void *out,
                                    int l2Promotion = 0) {
  uint64_t dims[5] = {}, strides[5] = {};
  uint32_t box[5] = {}, elementStrides[5] = {};
  size_t rank = map.dims.size();
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = static_cast<uint64_t>(map.dims[i]);
    box[i] = static_cast<uint32_t>(map.box[i]);
    elementStrides[i] = map.elementStrides.empty()
                            ? 1
                            : static_cast<uint32_t>(map.elementStrides[i]);
    if (i + 1 < rank)
      strides[i] = static_cast<uint64_t>(map.stridesBytes[i]);
  }
  return driver->tensorMapEncodeTiled(
      out, static_cast<int>(map.element), static_cast<uint32_t>(rank),
      reinterpret_cast<void *>(map.data.address), dims, strides, box,
      elementStrides, 0, static_cast<int>(map.swizzle), l2Promotion,
      map.nanFill);
}

//===----------------------------------------------------------------------===//
// Random tensor maps
//===----------------------------------------------------------------------===//

namespace {
class MapMaker {
public:
  explicit MapMaker(uint64_t seed) : random(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(
                     random.below(static_cast<uint64_t>(high - low + 1)));
  }
  template <typename T> T oneOf(std::initializer_list<T> values) {
    return values.begin()[random.below(values.size())];
  }
  bool chance(unsigned percent) { return random.below(100) < percent; }

  /// A legal map of a type and swizzle for a tensor of at most `limit` bytes.
  TensorMap legal(target::TensorMapElement element, target::Swizzle swizzle,
                  int64_t limit);
  /// Changes one thing, to something at or beyond a limit; its name.
  std::string change(TensorMap &map);

  Random random;
};
} // namespace

TensorMap MapMaker::legal(target::TensorMapElement element,
                          target::Swizzle swizzle, int64_t limit) {
  const target::TensorMapElementInfo &type = target::info(element);
  const target::SwizzleInfo &mode = target::info(swizzle);
  int64_t bits = type.globalBits, unit = type.padded ? 32 : 16;
  TensorMap map;
  map.element = element;
  map.swizzle = swizzle;
  map.nanFill = type.isFloat && chance(30);
  size_t rank = static_cast<size_t>(between(1, 5));
  // The box first: an inner extent of whole 16 bytes inside of the swizzle.
  int64_t innerStep = std::max<int64_t>(128 / bits, 1);
  int64_t innerMost = std::min<int64_t>(
      256, mode.innerBytes ? mode.innerBytes * 8 / bits : 256);
  if (type.padded)
    map.box.push_back(128);
  else
    map.box.push_back(between(1, innerMost / innerStep) * innerStep);
  int64_t boxLeft = 32768 * 8 / (map.box[0] * std::max<int64_t>(bits, 8));
  for (size_t i = 1; i < rank; ++i) {
    int64_t extent =
        between(1, std::min<int64_t>({256, std::max<int64_t>(boxLeft, 1),
                                      chance(60) ? 16 : 256}));
    boxLeft /= extent;
    map.box.push_back(extent);
  }
  // Then a tensor, often smaller than the box in some dimension.
  int64_t inner = type.padded ? 128 * between(1, 3)
                  : element == target::TensorMapElement::U4Align8B
                      ? 2 * between(1, 200)
                      : between(1, chance(50) ? 2 * map.box[0] : 600);
  map.dims.push_back(inner);
  int64_t bytes = (inner * bits + 7) / 8;
  for (size_t i = 1; i < rank; ++i) {
    int64_t stride = (bytes + unit - 1) / unit * unit +
                     (chance(40) ? unit * between(1, 9) : 0);
    int64_t most = std::max<int64_t>(
        1, std::min<int64_t>(chance(70) ? 20 : 300, limit / 2 / stride));
    map.stridesBytes.push_back(stride);
    map.dims.push_back(between(1, most));
    bytes = stride * (map.dims.back() - 1) + bytes;
  }
  if (chance(20)) {
    map.elementStrides.assign(rank, 1);
    for (int64_t &stride : map.elementStrides)
      stride = between(1, 8);
  }
  map.data.address = static_cast<uint64_t>(0x7F0000000000) +
                     static_cast<uint64_t>(unit * between(0, 1 << 20));
  return map;
}

std::string MapMaker::change(TensorMap &map) {
  size_t rank = map.dims.size();
  size_t at = static_cast<size_t>(between(0, int64_t(rank) - 1));
  switch (between(0, 11)) {
  case 0:
    map.data.address += oneOf<uint64_t>({1, 2, 4, 8, 16});
    return "address";
  case 1:
    map.dims[at] =
        oneOf<int64_t>({0, -1, int64_t(1) << 32, (int64_t(1) << 32) + 1,
                        int64_t(1) << 33, 1, 2, 3, 127, 128, 255});
    return "dims";
  case 2:
    if (rank == 1)
      return "";
    at = static_cast<size_t>(between(0, int64_t(rank) - 2));
    map.stridesBytes[at] = oneOf<int64_t>(
        {0, 8, 16, 24, 32, 48, (int64_t(1) << 40) - 16, int64_t(1) << 40,
         (int64_t(1) << 40) - 8, int64_t(1) << 41, -16});
    return "stride";
  case 3:
    if (rank == 1)
      return "";
    at = static_cast<size_t>(between(0, int64_t(rank) - 2));
    map.stridesBytes[at] += oneOf<int64_t>({1, 2, 4, 8, 12, 16});
    return "stride step";
  case 4:
    map.box[at] = oneOf<int64_t>({0, 1, 2, 255, 256, 257, 512, 1024});
    return "box";
  case 5:
    map.box[0] += oneOf<int64_t>({-1, 1, 2, 4, 8, 16});
    return "inner box step";
  case 6:
    map.box[0] = between(1, 256);
    return "inner box";
  case 7:
    map.elementStrides.assign(rank, 1);
    map.elementStrides[at] = oneOf<int64_t>({0, 2, 8, 9, 16, 255});
    return "element stride";
  case 8:
    map.nanFill = true;
    return "nan fill";
  case 9:
    map.data.address = oneOf<uint64_t>(
        {0, 16, 32, uint64_t(1) << 47, uint64_t(1) << 57, ~uint64_t(15)});
    return "far address";
  case 10:
    // Boxes of about as many bytes as shared memory has, and of more.
    for (size_t i = 0; i < rank; ++i)
      if (i != 0 || chance(50))
        map.box[i] = chance(30) ? 256 : between(1, 256);
    return "large box";
  default:
    if (rank < 2)
      return "";
    // Rows that overlap.
    map.stridesBytes[0] = 16;
    return "overlap";
  }
}

//===----------------------------------------------------------------------===//
// Who accepts what
//===----------------------------------------------------------------------===//

namespace {
struct Tally {
  int64_t bothAccept = 0, bothRefuse = 0, driverLaxer = 0, driverStricter = 0;
};
} // namespace

static int compareMaps(int64_t count, uint64_t seed, const std::string &path) {
  MapMaker maker(seed);
  std::map<std::string, Tally> byMode, byChange;
  std::map<std::string, int> shown;
  Json examples = Json::array(), laxKinds = Json::object();
  int64_t stricter = 0, laxer = 0;
  alignas(128) unsigned char encoded[128];
  for (int64_t i = 0; i < count; ++i) {
    // Every type and mode in turn.
    auto element =
        static_cast<target::TensorMapElement>(i % target::numTensorMapElements);
    auto swizzle = static_cast<target::Swizzle>(
        i / target::numTensorMapElements % target::numSwizzles);
    TensorMap map = maker.legal(element, swizzle, int64_t(1) << 30);
    std::string changed;
    for (int64_t changes = maker.between(0, 2); changes > 0; --changes) {
      std::string what = maker.change(map);
      if (!what.empty())
        changed += (changed.empty() ? "" : " + ") + what;
    }
    if (changed.empty())
      changed = "nothing";
    std::string ours = validateTensorMap(map, "map", gpu);
    int promotion = static_cast<int>(maker.between(0, 3));
    bool driverAccepts =
        encode(map, encoded, promotion) == library::cuda::success;
    std::string mode = std::string(target::info(element).name) + " " +
                       std::string(target::info(swizzle).name);
    for (Tally *tally : {&byMode[mode], &byChange[changed]}) {
      if (driverAccepts)
        ++(ours.empty() ? tally->bothAccept : tally->driverLaxer);
      else
        ++(ours.empty() ? tally->driverStricter : tally->bothRefuse);
    }
    if (driverAccepts == ours.empty())
      continue;
    // What kind of difference: our rule, or "driver refuses" with the change.
    std::string kind;
    if (driverAccepts) {
      ++laxer;
      kind = ours.substr(0, ours.find(", got"));
      // Indices and numbers of the rule stay, those of the map are cut.
      laxKinds[kind] = laxKinds.value(kind, 0) + 1;
    } else {
      ++stricter;
      kind = "driver refuses: " + changed + " of " + mode;
    }
    if (shown[kind]++ < 3 && examples.size() < 200) {
      Json example = describe(map);
      example["driver"] = driverAccepts ? "accepts" : "refuses";
      example["ours"] = ours.empty() ? "accepts" : ours;
      example["changed"] = changed;
      example["l2_promotion"] = promotion;
      examples.push_back(example);
    }
  }
  Json json;
  json["check"] = "maps";
  json["target"] = gpu->name;
  json["seed"] = seed;
  json["maps"] = count;
  json["driver_laxer"] = laxer;
  json["driver_stricter"] = stricter;
  json["laxer_rules"] = laxKinds;
  auto add = [&](const char *key, const std::map<std::string, Tally> &tallies) {
    Json table = Json::object();
    for (const auto &[name, tally] : tallies)
      table[name] = {{"both_accept", tally.bothAccept},
                     {"both_refuse", tally.bothRefuse},
                     {"driver_laxer", tally.driverLaxer},
                     {"driver_stricter", tally.driverStricter}};
    json[key] = table;
  };
  add("by_type_and_swizzle", byMode);
  add("by_change", byChange);
  json["examples"] = examples;
  writeJson(path, json);
  std::printf("maps: %lld random maps, driver laxer in %lld, stricter in "
              "%lld\n",
              static_cast<long long>(count), static_cast<long long>(laxer),
              static_cast<long long>(stricter));
  return stricter != 0 || laxer != 0;
}

//===----------------------------------------------------------------------===//
// The bytes of boxes
//===----------------------------------------------------------------------===//

namespace {
/// A kernel of the PTX with its most shared memory.
class BoxKernel {
public:
  BoxKernel(library::cuda::Module module, const char *name) {
    check(driver->moduleGetFunction(&function, module, name),
          "cuModuleGetFunction");
    check(driver->functionSetAttribute(
              function, library::cuda::functionMaxDynamicSharedSizeBytes,
              maxImage),
          "cuFuncSetAttribute");
  }
  void launch(uint32_t imageBytes, void **parameters) {
    library::cuda::LaunchConfig config{};
    for (unsigned i = 0; i < 3; ++i)
      config.grid[i] = config.block[i] = 1;
    config.block[0] = 128;
    config.sharedBytes = imageBytes;
    check(driver->launchKernel(&config, function, parameters, nullptr),
          "cuLaunchKernelEx");
  }
  static constexpr int maxImage = 131072;

private:
  library::cuda::Function function = nullptr;
};

/// A buffer of the GPU.
class GpuBytes {
public:
  explicit GpuBytes(size_t bytes) : bytes(bytes) {
    check(driver->memoryAllocate(&address, bytes), "cuMemAlloc");
  }
  ~GpuBytes() { driver->memoryFree(address); }
  GpuBytes(const GpuBytes &) = delete;
  GpuBytes &operator=(const GpuBytes &) = delete;
  void write(const std::vector<uint8_t> &values) {
    check(driver->copyToDevice(address, values.data(), values.size(), nullptr),
          "cuMemcpyHtoD");
    check(driver->streamSynchronize(nullptr), "cuStreamSynchronize");
  }
  void read(std::vector<uint8_t> &values) {
    values.resize(bytes);
    check(driver->copyToHost(values.data(), address, bytes, nullptr),
          "cuMemcpyDtoH");
    check(driver->streamSynchronize(nullptr), "running the kernels");
  }
  size_t bytes;
  DevicePointer address = 0;
};

class BoxCheck {
public:
  BoxCheck(uint64_t seed, const std::string &ptx)
      : maker(seed), tensor(tensorBytes), images(batch * BoxKernel::maxImage),
        states(batch * 4), module(loadModule(ptx)), load(module, "load_box"),
        store(module, "store_box") {
    host.resize(tensorBytes);
    for (uint8_t &byte : host)
      byte = static_cast<uint8_t>(maker.random.next());
  }
  ~BoxCheck() { driver->moduleUnload(module); }

  int run(int64_t count, const std::string &path);

private:
  struct Case {
    TensorMap map;
    units::TensorMap model;
    int32_t coordinates[5] = {};
    uint32_t imageBytes = 0;
    uint64_t offset = 0; // of the tensor
  };
  static library::cuda::Module loadModule(const std::string &ptx) {
    library::cuda::Module module = nullptr;
    check(driver->moduleLoadData(&module, ptx.c_str(), 0, nullptr, nullptr),
          "cuModuleLoadDataEx");
    return module;
  }
  bool makeCase(units::TransferDirection direction, Case &made);
  void loadBatch(int64_t count);
  void storeOne();
  void fault(const Case &made, const std::string &text);

  static constexpr int64_t tensorBytes = 4 << 20;
  static constexpr size_t batch = 128;
  MapMaker maker;
  GpuBytes tensor, images, states;
  library::cuda::Module module;
  BoxKernel load, store;
  std::vector<uint8_t> host;
  int64_t loads = 0, stores = 0, faults = 0, skipped = 0;
  std::map<std::string, int64_t> byMode;
  Json examples = Json::array();
};
} // namespace

bool BoxCheck::makeCase(units::TransferDirection direction, Case &made) {
  target::TensorMapElement element;
  target::Swizzle swizzle;
  // What the target has.
  do {
    element = static_cast<target::TensorMapElement>(
        maker.random.below(target::numTensorMapElements));
    swizzle =
        static_cast<target::Swizzle>(maker.random.below(target::numSwizzles));
    made.map = maker.legal(element, swizzle, tensorBytes / 4);
  } while (!validateTensorMap(made.map, "map", gpu).empty());
  // Room on both sides, which nothing may touch.
  int64_t room = tensorBytes / 4;
  int64_t footprint = footprintBytes(made.map);
  if (footprint < 0 || footprint > tensorBytes - 2 * room)
    return false;
  made.offset = static_cast<uint64_t>(room + 32 * maker.between(0, 8));
  made.map.data.address = tensor.address + made.offset;
  units::TensorMap &model = made.model;
  model = units::TensorMap();
  model.element = units::TensorMapElement(uint8_t(element));
  model.swizzle = units::TensorMapSwizzle(uint8_t(swizzle));
  model.fill =
      made.map.nanFill ? units::TensorMapFill::NaN : units::TensorMapFill::Zero;
  model.rank = static_cast<uint32_t>(made.map.dims.size());
  model.globalAddress = made.map.data.address;
  for (uint32_t i = 0; i < model.rank; ++i) {
    model.dims[i] = static_cast<uint64_t>(made.map.dims[i]);
    model.box[i] = static_cast<uint32_t>(made.map.box[i]);
    if (i)
      model.strides[i] = static_cast<uint64_t>(made.map.stridesBytes[i - 1]);
    if (!made.map.elementStrides.empty())
      model.elementStrides[i] =
          static_cast<uint32_t>(made.map.elementStrides[i]);
    // Inside, across the edges and outside of the tensor.
    int64_t dim = made.map.dims[i], box = made.map.box[i];
    int64_t low = direction == units::TransferDirection::Load ? -box : 0;
    int64_t at = maker.between(low, dim + (maker.chance(20) ? box : 0));
    if (i == 0) {
      int64_t step =
          std::max<int64_t>(128 / target::info(element).globalBits, 1);
      if (target::info(element).padded)
        step = 128;
      at = at / step * step;
    }
    made.coordinates[i] = static_cast<int32_t>(at);
  }
  made.imageBytes =
      static_cast<uint32_t>((units::boxSharedBytes(model) + 127) / 128 * 128);
  return units::checkTensorMap(model).empty() &&
         units::checkTransfer(model, direction, made.coordinates, 0).empty() &&
         made.imageBytes <= BoxKernel::maxImage;
}

void BoxCheck::fault(const Case &made, const std::string &text) {
  ++faults;
  if (examples.size() >= 40)
    return;
  Json example = describe(made.map);
  example["coordinates"] = std::vector<int32_t>(
      made.coordinates, made.coordinates + made.model.rank);
  example["fault"] = text;
  examples.push_back(example);
}

/// Where two byte strings differ first, in words.
static std::string difference(const uint8_t *got, const uint8_t *expected,
                              size_t bytes) {
  size_t count = 0, first = bytes;
  for (size_t i = 0; i < bytes; ++i)
    if (got[i] != expected[i]) {
      first = std::min(first, i);
      ++count;
    }
  if (count == 0)
    return "";
  char text[120];
  std::snprintf(text, sizeof(text),
                "%zu of %zu bytes differ, first at %zu: got %02x, expected "
                "%02x",
                count, bytes, first, got[first], expected[first]);
  return text;
}

void BoxCheck::loadBatch(int64_t count) {
  std::vector<Case> cases;
  while (static_cast<int64_t>(cases.size()) < count) {
    Case made;
    if (makeCase(units::TransferDirection::Load, made))
      cases.push_back(made);
    else
      ++skipped;
  }
  tensor.write(host);
  check(driver->fillBytes(states.address, 0, states.bytes, nullptr),
        "cuMemsetD8Async");
  for (size_t i = 0; i < cases.size(); ++i) {
    Case &made = cases[i];
    alignas(128) unsigned char map[128];
    library::cuda::Result result = encode(made.map, map);
    if (result != library::cuda::success) {
      fault(made, "the driver refuses it");
      continue;
    }
    DevicePointer out = images.address + i * BoxKernel::maxImage;
    DevicePointer state = states.address + i * 4;
    int rank = static_cast<int>(made.model.rank);
    auto transaction =
        static_cast<uint32_t>(units::boxTransactionBytes(made.model));
    void *parameters[] = {map,
                          &out,
                          &state,
                          &rank,
                          &made.coordinates[0],
                          &made.coordinates[1],
                          &made.coordinates[2],
                          &made.coordinates[3],
                          &made.coordinates[4],
                          &transaction,
                          &made.imageBytes};
    load.launch(made.imageBytes, parameters);
  }
  std::vector<uint8_t> got, flags;
  images.read(got);
  states.read(flags);
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case &made = cases[i];
    ++loads;
    ++byMode["load " + std::string(target::info(made.map.element).name) + " " +
             std::string(target::info(made.map.swizzle).name)];
    uint32_t flag;
    std::memcpy(&flag, &flags[i * 4], 4);
    if (flag != 1) {
      if (flag == 2)
        fault(made, "the expected count of bytes did not arrive");
      continue;
    }
    std::vector<uint8_t> expected(made.imageBytes, 0xA5);
    units::loadBox(made.model, made.coordinates, 0, &host[made.offset],
                   expected.data());
    std::string text = difference(&got[i * BoxKernel::maxImage],
                                  expected.data(), expected.size());
    if (!text.empty())
      fault(made, text);
  }
}

void BoxCheck::storeOne() {
  Case made;
  while (!makeCase(units::TransferDirection::Store, made))
    ++skipped;
  std::vector<uint8_t> image(made.imageBytes);
  for (uint8_t &byte : image)
    byte = static_cast<uint8_t>(maker.random.next());
  std::vector<uint8_t> expected(tensorBytes, 0x5C);
  check(driver->fillBytes(tensor.address, 0x5C, tensor.bytes, nullptr),
        "cuMemsetD8Async");
  check(
      driver->copyToDevice(images.address, image.data(), image.size(), nullptr),
      "cuMemcpyHtoD");
  alignas(128) unsigned char map[128];
  if (encode(made.map, map) != library::cuda::success) {
    fault(made, "the driver refuses it");
    return;
  }
  DevicePointer in = images.address, state = states.address;
  int rank = static_cast<int>(made.model.rank);
  void *parameters[] = {map,
                        &in,
                        &state,
                        &rank,
                        &made.coordinates[0],
                        &made.coordinates[1],
                        &made.coordinates[2],
                        &made.coordinates[3],
                        &made.coordinates[4],
                        &made.imageBytes};
  store.launch(made.imageBytes, parameters);
  std::vector<uint8_t> got;
  tensor.read(got);
  units::storeBox(made.model, made.coordinates, 0, &expected[made.offset],
                  image.data());
  ++stores;
  ++byMode["store " + std::string(target::info(made.map.element).name) + " " +
           std::string(target::info(made.map.swizzle).name)];
  std::string text = difference(got.data(), expected.data(), expected.size());
  if (!text.empty())
    fault(made, text);
}

int BoxCheck::run(int64_t count, const std::string &path) {
  for (int64_t done = 0; done < count; done += batch)
    loadBatch(std::min<int64_t>(batch, count - done));
  for (int64_t done = 0; done < count / 16; ++done)
    storeOne();
  Json json;
  json["check"] = "boxes";
  json["target"] = gpu->name;
  json["loads"] = loads;
  json["stores"] = stores;
  json["faults"] = faults;
  json["by_mode"] = byMode;
  json["examples"] = examples;
  writeJson(path, json);
  std::printf("boxes: %lld loads and %lld stores, %lld differ from the "
              "emulator\n",
              static_cast<long long>(loads), static_cast<long long>(stores),
              static_cast<long long>(faults));
  return faults != 0;
}

//===----------------------------------------------------------------------===//
// Lifetime
//===----------------------------------------------------------------------===//

static void expectOk(bsmm_status status) {
  if (status != BSMM_OK)
    stop(std::string(bsmm_status_name(status)) + ": " + bsmm_last_error());
}

/// Free memory of the GPU; cuMemGetInfo is of no use to the runtime itself.
static int64_t freeBytes() {
  using GetInfo = library::cuda::Result (*)(size_t *, size_t *);
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  auto getInfo =
      library ? reinterpret_cast<GetInfo>(dlsym(library, "cuMemGetInfo_v2"))
              : nullptr;
  size_t available = 0, total = 0;
  if (!getInfo || getInfo(&available, &total) != library::cuda::success)
    return -1;
  return static_cast<int64_t>(available);
}

/// One round: everything is opened and closed.
static void liveOnce(const std::string &artifactPath) {
  bsmm_artifact *artifact = nullptr;
  bsmm_device *device = nullptr;
  bsmm_kernel *kernel = nullptr;
  expectOk(bsmm_artifact_open(artifactPath.c_str(), &artifact));
  expectOk(bsmm_device_open_cuda(0, &device));
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  arguments.m = arguments.n = arguments.k = 256;
  expectOk(bsmm_kernel_load_best(device, artifact, "scale_tma", &arguments,
                                 &kernel));
  void *a = nullptr, *d = nullptr;
  expectOk(bsmm_device_allocate(device, 256 * 256 * 2, &a));
  expectOk(bsmm_device_allocate(device, 256 * 256 * 2, &d));
  bsmm_operand operands[2] = {};
  operands[0].role = BSMM_ROLE_A;
  operands[0].data = a;
  operands[1].role = BSMM_ROLE_D;
  operands[1].data = d;
  arguments.operands = operands;
  arguments.operand_count = 2;
  for (int launch = 0; launch < 3; ++launch)
    expectOk(bsmm_kernel_launch(kernel, &arguments, nullptr));
  expectOk(bsmm_device_synchronize(device, nullptr));
  expectOk(bsmm_device_free(device, a));
  expectOk(bsmm_device_free(device, d));
  bsmm_artifact_close(artifact);
  bsmm_device_close(device);
  bsmm_kernel_unload(kernel);
}

static int checkLifetime(int64_t count, const std::string &artifact,
                         const std::string &path) {
  // The first rounds fill the driver's pools.
  for (int round = 0; round < 5; ++round)
    liveOnce(artifact);
  int64_t before = freeBytes();
  for (int64_t round = 0; round < count; ++round)
    liveOnce(artifact);
  int64_t lost = before - freeBytes();
  Json json;
  json["check"] = "lifetime";
  json["rounds"] = count;
  json["free_bytes_before"] = before;
  json["lost_bytes"] = lost;
  writeJson(path, json);
  std::printf("lifetime: %lld rounds, %lld bytes lost\n",
              static_cast<long long>(count), static_cast<long long>(lost));
  return lost > (1 << 20);
}

int main(int argc, char **argv) {
  std::string command = argc > 1 ? argv[1] : "";
  bool isGood = (command == "maps" && argc == 5) ||
                (command == "boxes" && argc == 6) ||
                (command == "lifetime" && argc == 5);
  if (!isGood)
    stop("expected maps COUNT SEED OUT, boxes COUNT SEED OUT PTX or lifetime "
         "COUNT ARTIFACT OUT");
  int64_t count = std::atoll(argv[2]);
  if (count < 1)
    stop("expected a count of 1 or more");
  openGpu();
  if (command == "lifetime")
    return checkLifetime(count, argv[3], argv[4]);
  uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  if (command == "maps")
    return compareMaps(count, seed, argv[4]);
  std::ifstream file(argv[5], std::ios::binary);
  std::string ptx{std::istreambuf_iterator<char>(file),
                  std::istreambuf_iterator<char>()};
  if (ptx.empty())
    stop(std::string(argv[5]) + ": cannot be read");
  return BoxCheck(seed, ptx).run(count, argv[4]);
}
