//===- TensorMaps.cpp - Tensor maps in memory -------------------*- C++ -*-===//
//
// The emulator's own 128 bytes for a CUtensorMap, and the instructions that
// change one (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy").
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include <cstring>

namespace bsmm::emulator {

using units::TensorMap;

namespace {
constexpr char MapMagic[8] = {'b', 's', 'm', 'm', 'm', 'a', 'p', '1'};

struct MapImage {
  char magic[8];
  uint64_t address;
  uint32_t dims[5]; ///< minus one
  uint8_t element, rank, interleave, swizzle;
  uint64_t strides[4];
  uint16_t box[5];
  uint8_t elementStrides[5];
  uint8_t l2Promotion;
  uint8_t fill;
  uint8_t unused[39];
};
static_assert(sizeof(MapImage) == 128, "a tensor map has 128 bytes");
} // namespace

void encodeTensorMap(const TensorMap &map, uint8_t (&bytes)[128]) {
  MapImage image;
  std::memset(&image, 0, sizeof(image));
  std::memcpy(image.magic, MapMagic, 8);
  image.address = map.globalAddress;
  for (unsigned k = 0; k < 5; ++k) {
    image.dims[k] = static_cast<uint32_t>(map.dims[k] - 1);
    image.box[k] = static_cast<uint16_t>(map.box[k]);
    image.elementStrides[k] = static_cast<uint8_t>(map.elementStrides[k]);
  }
  for (unsigned k = 0; k < 4; ++k)
    image.strides[k] = map.strides[k + 1];
  image.element = static_cast<uint8_t>(map.element);
  image.rank = static_cast<uint8_t>(map.rank);
  image.interleave = static_cast<uint8_t>(map.interleave);
  image.swizzle = static_cast<uint8_t>(map.swizzle);
  image.l2Promotion = map.l2Promotion;
  image.fill = static_cast<uint8_t>(map.fill);
  std::memcpy(bytes, &image, 128);
}

static bool decodeTensorMap(const uint8_t *bytes, TensorMap &map,
                            std::string &error) {
  MapImage image;
  std::memcpy(&image, bytes, 128);
  if (std::memcmp(image.magic, MapMagic, 8) != 0) {
    error = "there is no tensor map";
    return false;
  }
  map.globalAddress = image.address;
  for (unsigned k = 0; k < 5; ++k) {
    map.dims[k] = uint64_t(image.dims[k]) + 1;
    map.box[k] = image.box[k];
    map.elementStrides[k] = image.elementStrides[k];
  }
  map.strides[0] = 0;
  for (unsigned k = 0; k < 4; ++k)
    map.strides[k + 1] = image.strides[k];
  map.element = static_cast<units::TensorMapElement>(image.element);
  map.rank = image.rank;
  map.interleave = static_cast<units::TensorMapInterleave>(image.interleave);
  map.swizzle = static_cast<units::TensorMapSwizzle>(image.swizzle);
  map.l2Promotion = image.l2Promotion;
  map.fill = static_cast<units::TensorMapFill>(image.fill);
  error = units::checkTensorMap(map);
  return error.empty();
}

/// Reads the map that an instruction names. False after an error.
bool readMap(Exec &x, const Inst &i, const AddressRef &ref, int lane,
             TensorMap &map) {
  uint64_t address = addressOf(x, ref, lane);
  std::string error;
  if (address % 64 != 0) {
    x.error(i, "tensor-map",
            "the tensor map's address " + hex(address) +
                " is not aligned to 64 bytes",
            lane);
    return false;
  }
  // Resolved in two pieces: resolve() checks alignment to its size.
  // Each is copied before the next is resolved.
  uint8_t bytes[128];
  bool shared = false, found = true;
  for (uint32_t half = 0; half < 2 && found; ++half) {
    Place place = resolve(x, Space::Generic, address + 64 * half, 64,
                          GlobalUse::Read, lane, error);
    shared |= place.shared != nullptr;
    found = place.pointer != nullptr;
    if (found)
      std::memcpy(bytes + 64 * half, place.pointer, 64);
  }
  if (!found || shared) {
    x.error(i, "tensor-map",
            "reads a tensor map: " +
                (error.empty() ? "in shared memory" : error),
            lane);
    return false;
  }
  if (!decodeTensorMap(bytes, map, error)) {
    x.error(i, "tensor-map",
            "invalid tensor map at " + hex(address) + ": " + error, lane);
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// tensormap.replace
//===----------------------------------------------------------------------===//

namespace {
enum Field : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  Swizzle,
  Fill
};

/// The image that an address names. Null after an error.
uint8_t *mapImage(Exec &x, const Inst &i, const AddressRef &ref, int lane,
                  GlobalUse use) {
  uint64_t address = addressOf(x, ref, lane);
  std::string error;
  if (address % 64 != 0)
    error = "address " + hex(address) + " is not aligned to 64 bytes";
  Place first, second;
  if (error.empty())
    first = resolve(x, ref.space, address, 64, use, lane, error);
  if (first.pointer != nullptr)
    second = resolve(x, ref.space, address + 64, 64, use, lane, error);
  // The second half may have moved the first one.
  if (second.pointer != nullptr)
    return second.pointer - 64;
  x.error(i, "tensor-map", "a tensor map: " + error, lane);
  return nullptr;
}

/// a: Field; o[0] value, imm: dimension.
Step execReplace(Exec &x, const Inst &i, uint32_t mask) {
  bool failed = false;
  forLanes(mask, [&](int lane) {
    uint8_t *bytes = mapImage(x, i, i.addr[0], lane, GlobalUse::Update);
    if (bytes == nullptr) {
      failed = true;
      return;
    }
    MapImage image;
    std::memcpy(&image, bytes, 128);
    if (std::memcmp(image.magic, MapMagic, 8) != 0) {
      x.error(i, "tensor-map", "there is no tensor map to change", lane);
      failed = true;
      return;
    }
    uint64_t value =
        i.b == 64 ? x.r<uint64_t>(i.o[0])[lane] : x.r<uint32_t>(i.o[0])[lane];
    size_t k = static_cast<size_t>(i.imm);
    // The codes of tensormap.replace are not those of cuda.h.
    static const uint8_t types[] = {0,  1, 2, 3,  4,  5,  6,  7,
                                    10, 8, 9, 11, 12, 13, 14, 15};
    switch (static_cast<Field>(i.a)) {
    case GlobalAddress:
      image.address = value;
      break;
    case Rank:
      image.rank = static_cast<uint8_t>(value + 1);
      break;
    case BoxDim:
      image.box[k] = static_cast<uint16_t>(value);
      break;
    case GlobalDim:
      image.dims[k] = static_cast<uint32_t>(value - 1);
      break;
    case GlobalStride:
      image.strides[k] = value;
      break;
    case ElementStride:
      image.elementStrides[k] = static_cast<uint8_t>(value);
      break;
    case ElementType:
      image.element = types[value & 15];
      break;
    case Interleave:
      image.interleave = static_cast<uint8_t>(value);
      break;
    case Swizzle:
      image.swizzle = static_cast<uint8_t>(value);
      break;
    case Fill:
      image.fill = static_cast<uint8_t>(value);
      break;
    }
    std::memcpy(bytes, &image, 128);
  });
  ++x.machine->changes;
  return failed ? Step::Failed : Step::Next;
}

bool decodeReplace(Decoder &d) {
  Inst &i = d.inst;
  d.take("tile");
  int field = d.takeOne({"global_address", "rank", "box_dim", "global_dim",
                         "global_stride", "element_stride", "elemtype",
                         "interleave_layout", "swizzle_mode", "fill_mode"});
  Space space = Space::Generic;
  takeSpace(d, space);
  d.take("b1024");
  Ty type = d.takeType();
  if (field < 0 || (type != Ty::B32 && type != Ty::B64))
    return d.fail("expected a field and .b32 or .b64");
  bool indexed = field >= BoxDim && field <= ElementStride;
  if (!d.count(indexed ? 3 : 2, indexed ? 3 : 2))
    return false;
  i.a = static_cast<uint8_t>(field);
  i.b = static_cast<uint8_t>(bitsOf(type));
  i.fn = execReplace;
  if (indexed) {
    if (!d.immediate(d.operand(1), i.imm))
      return false;
    if (i.imm < 0 || i.imm > (field == GlobalStride ? 3 : 4))
      return d.fail("the dimension is out of range");
  }
  i.o[0] = d.source(indexed ? 2 : 1, type);
  return !d.failed() && d.address(d.operand(0), space, i.addr[0]);
}

/// tensormap.cp_fenceproxy: 128 bytes from shared to global memory.
Step execCopyMap(Exec &x, const Inst &i, uint32_t mask) {
  int lane = __builtin_ctz(mask);
  uint8_t *to = mapImage(x, i, i.addr[0], lane, GlobalUse::Write);
  uint8_t *from = mapImage(x, i, i.addr[1], lane, GlobalUse::Read);
  if (to == nullptr || from == nullptr)
    return Step::Failed;
  std::memcpy(to, from, 128);
  ++x.machine->changes;
  return Step::Next;
}

bool decodeCopyMap(Decoder &d) {
  Inst &i = d.inst;
  d.take("global");
  d.take("shared::cta");
  d.takePrefix("tensormap::generic");
  d.take("release");
  d.takeOne({"cta", "cluster", "gpu", "sys"});
  if (!d.take("sync") || !d.take("aligned") || !d.count(3, 3))
    return d.fail("expected .sync.aligned [to], [from], 128");
  int64_t size;
  if (!d.immediate(d.operand(2), size) || size != 128)
    return d.fail("expected the size 128");
  i.together = Together::Aligned;
  i.fn = execCopyMap;
  return d.address(d.operand(0), Space::Generic, i.addr[0]) &&
         d.address(d.operand(1), Space::Shared, i.addr[1]);
}
} // namespace

void registerTensorMaps(OpTable &table) {
  table["tensormap.replace"] = decodeReplace;
  table["tensormap.cp_fenceproxy"] = decodeCopyMap;
}

} // namespace bsmm::emulator
