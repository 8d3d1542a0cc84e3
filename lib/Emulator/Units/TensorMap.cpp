//===- TensorMap.cpp - Tiled tensor maps and box transfers ----------------===//

#include "bsmm/Emulator/Units/TensorMap.h"

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bsmm::emulator::units {

namespace {

// What cuTensorMapEncodeTiled refuses beyond its documentation (driver 13.0 on
// an H200): addresses from 2^57 on, and boxes that count more bytes than an SM
// has shared memory.
constexpr uint64_t addressEnd = uint64_t(1) << 57;
constexpr uint64_t mostBoxBytes = 228 * 1024;

bool isAlign16B(TensorMapElement element) {
  return element == TensorMapElement::Packed16U4Align16B ||
         element == TensorMapElement::Packed16U6Align16B;
}

bool isFloat(TensorMapElement element) {
  switch (element) {
  case TensorMapElement::Float16:
  case TensorMapElement::Float32:
  case TensorMapElement::Float64:
  case TensorMapElement::BFloat16:
  case TensorMapElement::Float32Ftz:
  case TensorMapElement::TFloat32:
  case TensorMapElement::TFloat32Ftz:
    return true;
  default:
    return false;
  }
}

/// Data bytes of one row of the box.
uint32_t rowDataBytes(const TensorMap &map) {
  return map.box[0] * elementBits(map.element) / 8;
}

/// Bytes that one row of the box takes in shared memory, padding of the
/// ALIGN16B types included.
uint32_t rowSharedBytes(const TensorMap &map) {
  return isAlign16B(map.element) ? map.box[0] : rowDataBytes(map);
}

uint32_t swizzleSpan(TensorMapSwizzle swizzle) {
  switch (swizzle) {
  case TensorMapSwizzle::None:
    return 0;
  case TensorMapSwizzle::Bytes32:
    return 32;
  case TensorMapSwizzle::Bytes64:
    return 64;
  default:
    return 128;
  }
}

template <typename T> T readAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

uint32_t flushSubnormal(uint32_t bits) {
  return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

std::string expected(const std::string &what, const std::string &rule,
                     uint64_t got) {
  return "tensor map: expected " + what + " " + rule + ", got " +
         std::to_string(got);
}

std::string indexed(const char *what, uint32_t index) {
  return std::string(what) + "[" + std::to_string(index) + "]";
}

} // namespace

uint32_t elementBits(TensorMapElement element) {
  switch (element) {
  case TensorMapElement::Packed16U4Align8B:
  case TensorMapElement::Packed16U4Align16B:
    return 4;
  case TensorMapElement::Packed16U6Align16B:
    return 6;
  case TensorMapElement::UInt8:
    return 8;
  case TensorMapElement::UInt16:
  case TensorMapElement::Float16:
  case TensorMapElement::BFloat16:
    return 16;
  case TensorMapElement::UInt32:
  case TensorMapElement::Int32:
  case TensorMapElement::Float32:
  case TensorMapElement::Float32Ftz:
  case TensorMapElement::TFloat32:
  case TensorMapElement::TFloat32Ftz:
    return 32;
  case TensorMapElement::UInt64:
  case TensorMapElement::Int64:
  case TensorMapElement::Float64:
    return 64;
  }
  return 8;
}

namespace {

/// The size of a box as cuTensorMapEncodeTiled counts it, which is not what a
/// copy moves: whole steps of the element stride only, in dimension 0 as well.
/// A box may count 0 bytes and bring more than shared memory holds; such a copy
/// is refused by checkTransfer. Extents and steps must be in their ranges.
uint64_t countedBoxBytes(const TensorMap &map) {
  uint64_t bits = elementBits(map.element);
  for (uint32_t i = 0; i < map.rank; ++i)
    bits *= map.box[i] / map.elementStrides[i];
  return bits / 8;
}

} // namespace

std::string checkTensorMap(const TensorMap &map) {
  if (static_cast<unsigned>(map.element) > 15)
    return expected("an element type", "from 0 to 15",
                    static_cast<unsigned>(map.element));
  if (map.rank < 1 || map.rank > 5)
    return expected("a rank", "from 1 to 5", map.rank);
  if (map.interleave != TensorMapInterleave::None)
    return "tensor map: interleaved layouts are not supported by the emulator, "
           "expected interleave 0, got " +
           std::to_string(static_cast<unsigned>(map.interleave));
  switch (map.swizzle) {
  case TensorMapSwizzle::None:
  case TensorMapSwizzle::Bytes32:
  case TensorMapSwizzle::Bytes64:
  case TensorMapSwizzle::Bytes128:
  case TensorMapSwizzle::Bytes128Atom32B:
    break;
  case TensorMapSwizzle::Bytes128Atom32BFlip8B:
  case TensorMapSwizzle::Bytes128Atom64B:
    return "tensor map: the swizzle modes 128B_ATOM_32B_FLIP_8B and "
           "128B_ATOM_64B are not supported by the emulator, got mode " +
           std::to_string(static_cast<unsigned>(map.swizzle));
  default:
    return expected("a swizzle mode", "from 0 to 6",
                    static_cast<unsigned>(map.swizzle));
  }
  if (map.l2Promotion > 3)
    return expected("an L2 promotion", "from 0 to 3", map.l2Promotion);
  if (static_cast<unsigned>(map.fill) > 1)
    return expected("an out-of-bounds fill", "of 0 or 1",
                    static_cast<unsigned>(map.fill));
  if (map.fill == TensorMapFill::NaN && !isFloat(map.element))
    return "tensor map: expected a floating-point element type for the NaN "
           "fill, got type " +
           std::to_string(static_cast<unsigned>(map.element));

  bool align16B = isAlign16B(map.element);
  uint64_t alignment = align16B ? 32 : 16;
  if (map.globalAddress % alignment)
    return expected("a global address",
                    "aligned to " + std::to_string(alignment) + " bytes",
                    map.globalAddress);
  if (map.globalAddress >= addressEnd)
    return expected("a global address", "below 2^57", map.globalAddress);
  for (uint32_t i = 0; i < map.rank; ++i)
    if (map.dims[i] == 0 || map.dims[i] > uint64_t(1) << 32)
      return expected(indexed("dims", i), "from 1 to 2^32", map.dims[i]);
  if (align16B && map.dims[0] % 128)
    return expected("dims[0]", "to be a multiple of 128 for ALIGN16B types",
                    map.dims[0]);
  if (map.element == TensorMapElement::Packed16U4Align8B && map.dims[0] % 2)
    return expected("dims[0]", "to be even for 4-bit elements", map.dims[0]);
  for (uint32_t i = 1; i < map.rank; ++i) {
    if (map.strides[i] % alignment)
      return expected(indexed("strides", i),
                      "to be a multiple of " + std::to_string(alignment) +
                          " bytes",
                      map.strides[i]);
    if (map.strides[i] >= uint64_t(1) << 40)
      return expected(indexed("strides", i), "below 2^40 bytes",
                      map.strides[i]);
  }
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.box[i] < 1 || map.box[i] > 256)
      return expected(indexed("box", i), "from 1 to 256 elements", map.box[i]);
    if (map.elementStrides[i] < 1 || map.elementStrides[i] > 8)
      return expected(indexed("elementStrides", i), "from 1 to 8",
                      map.elementStrides[i]);
  }
  if (align16B) {
    if (map.box[0] != 128)
      return expected("box[0]", "of 128 elements for ALIGN16B types",
                      map.box[0]);
    if (map.swizzle == TensorMapSwizzle::Bytes32 ||
        map.swizzle == TensorMapSwizzle::Bytes64)
      return expected("swizzle mode",
                      "none, 128B or 128B_ATOM_32B for ALIGN16B types",
                      static_cast<unsigned>(map.swizzle));
  } else if (map.box[0] * elementBits(map.element) % 128) {
    return "tensor map: expected an inner box extent of a multiple of 16 "
           "bytes, got " +
           std::to_string(map.box[0]) + " elements of " +
           std::to_string(elementBits(map.element)) + " bits";
  }
  uint32_t span = swizzleSpan(map.swizzle);
  if (span && rowSharedBytes(map) > span)
    return expected("an inner box extent",
                    "of at most " + std::to_string(span) +
                        " bytes with this swizzle",
                    rowSharedBytes(map));
  if (countedBoxBytes(map) > mostBoxBytes)
    return expected("a box",
                    "of at most " + std::to_string(mostBoxBytes) + " bytes",
                    countedBoxBytes(map));
  return "";
}

uint32_t boxExtent(const TensorMap &map, uint32_t dim) {
  if (dim == 0)
    return map.box[0];
  return (map.box[dim] + map.elementStrides[dim] - 1) / map.elementStrides[dim];
}

namespace {

uint64_t boxRows(const TensorMap &map) {
  uint64_t rows = 1;
  for (uint32_t i = 1; i < map.rank; ++i)
    rows *= boxExtent(map, i);
  return rows;
}

} // namespace

uint64_t boxTransactionBytes(const TensorMap &map) {
  return boxRows(map) * rowDataBytes(map);
}

uint32_t boxRowPitch(const TensorMap &map) {
  uint32_t bytes = rowSharedBytes(map);
  uint32_t span = swizzleSpan(map.swizzle);
  return std::max(bytes, span);
}

uint64_t boxSharedBytes(const TensorMap &map) {
  return boxRows(map) * boxRowPitch(map);
}

std::string checkTransfer(const TensorMap &map, TransferDirection direction,
                          const int32_t *coordinates, uint32_t sharedAddress) {
  if (sharedAddress % 128)
    return "bulk tensor copy: expected a shared memory address aligned to 128 "
           "bytes, got " +
           std::to_string(sharedAddress);
  // Shared memory addresses have 18 bits in every target.
  if (boxSharedBytes(map) > (1u << 18) - sharedAddress % (1u << 18))
    return "bulk tensor copy: expected a box that fits into shared memory, "
           "got " +
           std::to_string(boxSharedBytes(map)) + " bytes at address " +
           std::to_string(sharedAddress);
  int64_t bits = elementBits(map.element);
  if (isAlign16B(map.element)) {
    if (coordinates[0] % 128)
      return "bulk tensor copy: expected a first coordinate that is a multiple "
             "of 128 for ALIGN16B types, got " +
             std::to_string(coordinates[0]);
  } else if (coordinates[0] * bits % 128) {
    return "bulk tensor copy: expected a first coordinate that is a multiple "
           "of 16 bytes, got " +
           std::to_string(coordinates[0]) + " elements of " +
           std::to_string(bits) + " bits";
  }
  if (direction == TransferDirection::Store)
    for (uint32_t i = 0; i < map.rank; ++i)
      if (coordinates[i] < 0)
        return "bulk tensor copy: expected non-negative coordinates for a "
               "store or reduction, got " +
               std::to_string(coordinates[i]) + " in dimension " +
               std::to_string(i);
  if (direction == TransferDirection::Store &&
      map.element == TensorMapElement::Packed16U4Align16B)
    return "bulk tensor copy: 16U4_ALIGN16B tensor maps can be loaded only, "
           "expected 16U4_ALIGN8B for a store";
  return "";
}

uint32_t swizzleBoxAddress(TensorMapSwizzle swizzle, uint32_t address) {
  switch (swizzle) {
  case TensorMapSwizzle::Bytes32:
    return address ^ (address >> 3 & 0x10);
  case TensorMapSwizzle::Bytes64:
    return address ^ (address >> 3 & 0x30);
  case TensorMapSwizzle::Bytes128:
    return address ^ (address >> 3 & 0x70);
  case TensorMapSwizzle::Bytes128Atom32B:
    return address ^ (address >> 2 & 0x60);
  default:
    return address;
  }
}

//===-- Walking a box -----------------------------------------------------===//

BoxWalker::BoxWalker(const TensorMap &map, const int32_t *coordinates,
                     uint32_t sharedAddress, TransferDirection direction)
    : map(map), direction(direction), rowSharedAddress(sharedAddress),
      rowPitch(boxRowPitch(map)) {
  for (uint32_t i = 0; i < 5; ++i)
    origin[i] = i < map.rank ? coordinates[i] : 0;
  uint32_t bytes = rowDataBytes(map);
  bool whole =
      map.swizzle == TensorMapSwizzle::None && !isAlign16B(map.element);
  pieceSharedBytes = whole ? bytes : 16;
  // 16 elements of the padded types, 16 bytes otherwise.
  pieceBytes = whole                     ? bytes
               : isAlign16B(map.element) ? 2 * elementBits(map.element)
                                         : 16;
  piecesPerRow = bytes / pieceBytes;
  enterRow();
}

void BoxWalker::enterRow() {
  int64_t bits = elementBits(map.element);
  // Unsigned, so that an out-of-bounds row far away wraps harmlessly.
  rowGlobal = map.globalAddress + static_cast<uint64_t>(origin[0] * bits / 8);
  bool inside = true;
  for (uint32_t i = 1; i < map.rank; ++i) {
    int64_t coordinate =
        origin[i] + int64_t(index[i]) * int64_t(map.elementStrides[i]);
    inside = inside && coordinate >= 0 &&
             coordinate < static_cast<int64_t>(map.dims[i]);
    rowGlobal += static_cast<uint64_t>(coordinate) * map.strides[i];
  }
  int64_t first = std::max<int64_t>(0, -origin[0]);
  int64_t last = std::min<int64_t>(
      map.box[0], static_cast<int64_t>(map.dims[0]) - origin[0]);
  if (!inside || last <= first)
    first = last = 0;
  rowValidBegin = first * bits / 8;
  rowValidEnd = last * bits / 8;
  if (direction == TransferDirection::Store)
    rowValidEnd = std::min<int64_t>((rowValidEnd + 15) / 16 * 16,
                                    piecesPerRow * pieceBytes);
}

bool BoxWalker::next(BoxPiece &piece) {
  if (finished)
    return false;
  uint32_t start = pieceInRow * pieceBytes;
  piece.sharedAddress = swizzleBoxAddress(
      map.swizzle, rowSharedAddress + pieceInRow * pieceSharedBytes);
  piece.bytes = pieceBytes;
  piece.globalAddress = rowGlobal + start;
  auto inPiece = [&](int64_t byte) {
    return static_cast<uint32_t>(
        std::clamp<int64_t>(byte - start, 0, pieceBytes));
  };
  piece.validBegin = inPiece(rowValidBegin);
  piece.validEnd = inPiece(rowValidEnd);

  if (++pieceInRow < piecesPerRow)
    return true;
  pieceInRow = 0;
  rowSharedAddress += rowPitch;
  uint32_t dim = 1;
  for (; dim < map.rank; ++dim) {
    if (++index[dim] < boxExtent(map, dim))
      break;
    index[dim] = 0;
  }
  if (dim >= map.rank)
    finished = true;
  else
    enterRow();
  return true;
}

uint32_t storeOverrunBytes(const TensorMap &map) {
  uint64_t bytes = map.dims[0] * elementBits(map.element) / 8;
  return static_cast<uint32_t>((16 - bytes % 16) % 16);
}

void fillOutOfBounds(const TensorMap &map, uint8_t *destination, size_t bytes) {
  if (map.fill == TensorMapFill::Zero) {
    std::memset(destination, 0, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; ++i)
    destination[i] = i % 2 ? 0x7F : 0xF7;
}

void convertLoaded(const TensorMap &map, uint8_t *destination, size_t bytes) {
  if (map.element != TensorMapElement::TFloat32 &&
      map.element != TensorMapElement::TFloat32Ftz)
    return;
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t bits = readAs<uint32_t>(destination + i);
    bits = encodeFromDouble(NumberFormat::TF32,
                            decodeToDouble(NumberFormat::F32, bits));
    std::memcpy(destination + i, &bits, 4);
  }
}

void loadBox(const TensorMap &map, const int32_t *coordinates,
             uint32_t sharedAddress, const uint8_t *globalBase,
             uint8_t *shared) {
  BoxWalker walker(map, coordinates, sharedAddress, TransferDirection::Load);
  BoxPiece piece;
  while (walker.next(piece)) {
    uint8_t *destination = shared + piece.sharedAddress;
    if (piece.validBegin == piece.validEnd) {
      fillOutOfBounds(map, destination, piece.bytes);
      continue;
    }
    int64_t offset =
        static_cast<int64_t>(piece.globalAddress - map.globalAddress);
    fillOutOfBounds(map, destination, piece.validBegin);
    std::memcpy(destination + piece.validBegin,
                globalBase + offset + piece.validBegin,
                piece.validEnd - piece.validBegin);
    convertLoaded(map, destination + piece.validBegin,
                  piece.validEnd - piece.validBegin);
    fillOutOfBounds(map, destination + piece.validEnd,
                    piece.bytes - piece.validEnd);
  }
}

void storeBox(const TensorMap &map, const int32_t *coordinates,
              uint32_t sharedAddress, uint8_t *globalBase,
              const uint8_t *shared) {
  BoxWalker walker(map, coordinates, sharedAddress, TransferDirection::Store);
  BoxPiece piece;
  while (walker.next(piece)) {
    if (piece.validBegin == piece.validEnd)
      continue;
    int64_t offset =
        static_cast<int64_t>(piece.globalAddress - map.globalAddress);
    std::memcpy(globalBase + offset + piece.validBegin,
                shared + piece.sharedAddress + piece.validBegin,
                piece.validEnd - piece.validBegin);
  }
}

//===-- Reductions --------------------------------------------------------===//

namespace {

template <typename T> T reduceInteger(ReductionOperation op, T old, T value) {
  switch (op) {
  case ReductionOperation::Add:
    // Unsigned arithmetic wraps without undefined behaviour.
    return static_cast<T>(static_cast<uint64_t>(old) +
                          static_cast<uint64_t>(value));
  case ReductionOperation::Min:
    return std::min(old, value);
  case ReductionOperation::Max:
    return std::max(old, value);
  case ReductionOperation::Inc:
    return old >= value ? T(0) : static_cast<T>(old + 1);
  case ReductionOperation::Dec:
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  case ReductionOperation::And:
    return static_cast<T>(old & value);
  case ReductionOperation::Or:
    return static_cast<T>(old | value);
  case ReductionOperation::Xor:
    return static_cast<T>(old ^ value);
  }
  return old;
}

template <typename T>
void reduceIntegers(ReductionOperation op, uint8_t *destination,
                    const uint8_t *source, size_t bytes) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T result =
        reduceInteger<T>(op, readAs<T>(destination + i), readAs<T>(source + i));
    std::memcpy(destination + i, &result, sizeof(T));
  }
}

/// min and max return the operand that is a number, and order -0 below +0.
bool firstIsLess(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

/// One element of a type that `format` describes.
uint32_t reduceFloat(NumberFormat format, ReductionOperation op, uint32_t old,
                     uint32_t value) {
  double a = decodeToDouble(format, old), b = decodeToDouble(format, value);
  // Rounding through double gives the correctly rounded sum for p <= 24 bits,
  // since 53 >= 2 * p + 2.
  if (op == ReductionOperation::Add)
    return encodeFromDouble(format, a + b);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? encodeFromDouble(format, a)
           : std::isnan(a)                ? value
                                          : old;
  bool takeOld =
      op == ReductionOperation::Min ? !firstIsLess(b, a) : !firstIsLess(a, b);
  return takeOld ? old : value;
}

} // namespace

std::string checkReduction(TensorMapElement element, ReductionOperation op) {
  bool add = op == ReductionOperation::Add;
  bool minMax = op == ReductionOperation::Min || op == ReductionOperation::Max;
  bool increment =
      op == ReductionOperation::Inc || op == ReductionOperation::Dec;
  bool valid = false;
  switch (element) {
  case TensorMapElement::UInt32:
    valid = true;
    break;
  case TensorMapElement::Int32:
    valid = !increment;
    break;
  case TensorMapElement::UInt64:
    valid = !increment;
    break;
  case TensorMapElement::Int64:
    valid = minMax;
    break;
  case TensorMapElement::Float16:
  case TensorMapElement::BFloat16:
    valid = add || minMax;
    break;
  case TensorMapElement::Float32:
  case TensorMapElement::Float32Ftz:
  case TensorMapElement::TFloat32:
  case TensorMapElement::TFloat32Ftz:
  case TensorMapElement::Float64:
    valid = add;
    break;
  default:
    break;
  }
  if (valid)
    return "";
  return "bulk tensor reduction: expected an operation that element type " +
         std::to_string(static_cast<unsigned>(element)) +
         " has, got operation " + std::to_string(static_cast<unsigned>(op));
}

void reduceElements(TensorMapElement element, ReductionOperation op,
                    uint8_t *destination, const uint8_t *source, size_t bytes) {
  switch (element) {
  case TensorMapElement::UInt32:
    reduceIntegers<uint32_t>(op, destination, source, bytes);
    return;
  case TensorMapElement::Int32:
    reduceIntegers<int32_t>(op, destination, source, bytes);
    return;
  case TensorMapElement::UInt64:
    reduceIntegers<uint64_t>(op, destination, source, bytes);
    return;
  case TensorMapElement::Int64:
    reduceIntegers<int64_t>(op, destination, source, bytes);
    return;
  case TensorMapElement::Float16:
  case TensorMapElement::BFloat16: {
    NumberFormat format = element == TensorMapElement::Float16
                              ? NumberFormat::F16
                              : NumberFormat::BF16;
    for (size_t i = 0; i + 2 <= bytes; i += 2) {
      uint16_t result = static_cast<uint16_t>(
          reduceFloat(format, op, readAs<uint16_t>(destination + i),
                      readAs<uint16_t>(source + i)));
      std::memcpy(destination + i, &result, 2);
    }
    return;
  }
  case TensorMapElement::Float32:
  case TensorMapElement::Float32Ftz:
  case TensorMapElement::TFloat32:
  case TensorMapElement::TFloat32Ftz: {
    bool flush = element == TensorMapElement::Float32Ftz ||
                 element == TensorMapElement::TFloat32Ftz;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
      uint32_t old = readAs<uint32_t>(destination + i);
      uint32_t value = readAs<uint32_t>(source + i);
      if (flush) {
        old = flushSubnormal(old);
        value = flushSubnormal(value);
      }
      uint32_t result = reduceFloat(NumberFormat::F32, op, old, value);
      if (flush)
        result = flushSubnormal(result);
      std::memcpy(destination + i, &result, 4);
    }
    return;
  }
  case TensorMapElement::Float64:
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
      double result =
          readAs<double>(destination + i) + readAs<double>(source + i);
      if (std::isnan(result)) {
        const uint64_t canonical = 0x7FFFFFFFFFFFFFFF;
        std::memcpy(&result, &canonical, 8);
      }
      std::memcpy(destination + i, &result, 8);
    }
    return;
  default:
    return;
  }
}

} // namespace bsmm::emulator::units
