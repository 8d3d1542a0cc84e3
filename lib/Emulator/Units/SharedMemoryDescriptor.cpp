//===- SharedMemoryDescriptor.cpp - Matrix descriptors --------------------===//

#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"

#include <cstdio>
#include <cstring>

namespace bsmm::emulator::units {

namespace {

uint32_t field(uint64_t bits, unsigned low, unsigned width) {
  return static_cast<uint32_t>(bits >> low & ((uint64_t(1) << width) - 1));
}

std::string hex(uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%016llx",
                static_cast<unsigned long long>(bits));
  return text;
}

std::string wrongField(uint64_t bits, const char *what, uint32_t expected,
                       uint32_t got) {
  return "matrix descriptor " + hex(bits) + ": expected " + what + " " +
         std::to_string(expected) + ", got " + std::to_string(got);
}

} // namespace

std::string decodeSharedMemoryDescriptor(uint64_t bits, DescriptorForm form,
                                         SharedMemoryDescriptor &descriptor,
                                         bool lenientVersion) {
  struct Reserved {
    unsigned low, width;
    const char *name;
  };
  static const Reserved common[] = {{14, 2, "bits 14-15"},
                                    {30, 2, "bits 30-31"}};
  static const Reserved sm90[] = {{46, 3, "bits 46-48"},
                                  {52, 10, "bits 52-61"}};
  static const Reserved sm100[] = {{53, 8, "bits 53-60"}};
  for (const Reserved &reserved : common)
    if (uint32_t got = field(bits, reserved.low, reserved.width))
      return wrongField(bits, reserved.name, 0, got);

  SharedMemoryDescriptor d;
  if (form == DescriptorForm::Sm90) {
    for (const Reserved &reserved : sm90)
      if (uint32_t got = field(bits, reserved.low, reserved.width))
        return wrongField(bits, reserved.name, 0, got);
    static const MatrixSwizzle modes[] = {
        MatrixSwizzle::None, MatrixSwizzle::Bytes128, MatrixSwizzle::Bytes64,
        MatrixSwizzle::Bytes32};
    d.swizzle = modes[field(bits, 62, 2)];
  } else {
    for (const Reserved &reserved : sm100)
      if (uint32_t got = field(bits, reserved.low, reserved.width))
        return wrongField(bits, reserved.name, 0, got);
    uint32_t version = field(bits, 46, 3);
    if (version != 1 && !(lenientVersion && version == 0))
      return wrongField(bits, "the constant in bits 46-48", 1, version);
    if (field(bits, 52, 1))
      return wrongField(bits,
                        "relative leading dimension offsets (bit 52; the "
                        "absolute mode exists on sm_103a only)",
                        0, 1);
    switch (field(bits, 61, 3)) {
    case 0:
      d.swizzle = MatrixSwizzle::None;
      break;
    case 1:
      d.swizzle = MatrixSwizzle::Bytes128Atom32;
      break;
    case 2:
      d.swizzle = MatrixSwizzle::Bytes128;
      break;
    case 4:
      d.swizzle = MatrixSwizzle::Bytes64;
      break;
    case 6:
      d.swizzle = MatrixSwizzle::Bytes32;
      break;
    default:
      return "matrix descriptor " + hex(bits) +
             ": expected swizzle mode 0, 1, 2, 4 or 6 in bits 61-63, got " +
             std::to_string(field(bits, 61, 3));
    }
  }
  d.startAddress = field(bits, 0, 14) << 4;
  d.leadingByteOffset = field(bits, 16, 14) << 4;
  d.strideByteOffset = field(bits, 32, 14) << 4;
  d.baseOffset = static_cast<uint8_t>(field(bits, 49, 3));
  if (d.swizzle == MatrixSwizzle::None && d.baseOffset)
    return wrongField(bits, "base offset without swizzle", 0, d.baseOffset);
  descriptor = d;
  return "";
}

uint32_t swizzleRowBytes(MatrixSwizzle swizzle) {
  switch (swizzle) {
  case MatrixSwizzle::None:
    return 16;
  case MatrixSwizzle::Bytes32:
    return 32;
  case MatrixSwizzle::Bytes64:
    return 64;
  case MatrixSwizzle::Bytes128:
  case MatrixSwizzle::Bytes128Atom32:
    return 128;
  }
  return 16;
}

uint32_t swizzleAddress(MatrixSwizzle swizzle, uint32_t address,
                        uint32_t baseOffset) {
  // Row of 128 bytes, counted from the start of the repeating pattern. That a
  // base offset shifts this count is the only reading of PTX's definition of
  // the field ("(pattern start >> 7) & 7") under which the pattern starts
  // there.
  uint32_t row = (address >> 7) - baseOffset;
  switch (swizzle) {
  case MatrixSwizzle::None:
    return address;
  case MatrixSwizzle::Bytes32:
    return address ^ (row & 1) << 4;
  case MatrixSwizzle::Bytes64:
    return address ^ (row & 3) << 4;
  case MatrixSwizzle::Bytes128:
    return address ^ (row & 7) << 4;
  case MatrixSwizzle::Bytes128Atom32:
    return address ^ (row & 3) << 5;
  }
  return address;
}

uint32_t kMajorAddress(const SharedMemoryDescriptor &descriptor, uint32_t row,
                       uint32_t kByte) {
  uint32_t groups = row / 8 * descriptor.strideByteOffset;
  // The core matrix without swizzle is 8 rows of 16 bytes; further ones along
  // K are LBO apart. Swizzled rows are contiguous along K and ignore LBO.
  if (descriptor.swizzle == MatrixSwizzle::None)
    return descriptor.startAddress + groups + row % 8 * 16 +
           kByte / 16 * descriptor.leadingByteOffset + kByte % 16;
  uint32_t address = descriptor.startAddress + groups +
                     row % 8 * swizzleRowBytes(descriptor.swizzle) + kByte;
  return swizzleAddress(descriptor.swizzle, address, descriptor.baseOffset);
}

uint32_t mnMajorAddress(const SharedMemoryDescriptor &descriptor,
                        uint32_t mnByte, uint32_t k) {
  uint32_t width = swizzleRowBytes(descriptor.swizzle);
  if (descriptor.swizzle == MatrixSwizzle::None)
    // Here SBO steps along MN and LBO along K, unlike the swizzled layouts.
    return descriptor.startAddress + mnByte / 16 * descriptor.strideByteOffset +
           mnByte % 16 + k / 8 * descriptor.leadingByteOffset + k % 8 * 16;
  uint32_t rows = descriptor.swizzle == MatrixSwizzle::Bytes128Atom32 ? 4 : 8;
  uint32_t address = descriptor.startAddress +
                     mnByte / width * descriptor.leadingByteOffset +
                     mnByte % width + k / rows * descriptor.strideByteOffset +
                     k % rows * width;
  return swizzleAddress(descriptor.swizzle, address, descriptor.baseOffset);
}

uint32_t containerDataBytes(NumberFormat format) {
  switch (formatTraits(format).storageBits) {
  case 4:
    return 8;
  case 6:
    return 12;
  default:
    return 16;
  }
}

std::string checkOperandTile(const OperandTile &tile) {
  const FormatTraits &traits = formatTraits(tile.format);
  if (tile.packedFp4 && tile.format != NumberFormat::E2M1)
    return std::string("packed 4-bit operand: expected e2m1, got ") +
           traits.name;
  bool atom32 = tile.descriptor.swizzle == MatrixSwizzle::Bytes128Atom32;
  if (tile.major == MatrixMajor::MN) {
    if (traits.storageBits < 8 || tile.packedFp4)
      return std::string("MN-major operand: expected elements of 8 bits or "
                         "more, got ") +
             traits.name;
    if (atom32 && tile.format != NumberFormat::TF32)
      return std::string("swizzle 128B with 32-byte atoms: expected tf32, "
                         "got ") +
             traits.name;
    return "";
  }
  if (atom32)
    return "swizzle 128B with 32-byte atoms: expected an MN-major operand, "
           "got K-major";
  uint32_t rowBytes =
      tile.packedFp4 ? tile.k / 2 : tile.k * codeBytes(tile.format);
  if (rowBytes % 16 != 0)
    return "K-major operand: expected a multiple of 16 bytes along K, got " +
           std::to_string(rowBytes);
  return "";
}

std::string gatherOperand(const OperandTile &tile, const uint8_t *shared,
                          size_t sharedBytes, uint8_t *codes) {
  std::string error = checkOperandTile(tile);
  if (!error.empty())
    return error;
  bool outside = false;
  uint32_t outsideAddress = 0;
  auto fits = [&](uint32_t address, uint32_t bytes) {
    if (size_t(address) + bytes <= sharedBytes)
      return true;
    outside = true;
    outsideAddress = address;
    return false;
  };

  uint32_t bytesPerCode = codeBytes(tile.format);
  if (tile.major == MatrixMajor::K) {
    bool containers =
        !tile.packedFp4 && formatTraits(tile.format).storageBits < 8;
    uint32_t pieceBytes = tile.packedFp4 ? 16 : containerDataBytes(tile.format);
    uint32_t rowBytes = tile.packedFp4 ? tile.k / 2 : tile.k * bytesPerCode;
    for (uint32_t row = 0; row < tile.rows && !outside; ++row)
      for (uint32_t byte = 0; byte < rowBytes; byte += 16) {
        uint32_t address = kMajorAddress(tile.descriptor, row, byte);
        if (!fits(address, pieceBytes))
          break;
        uint8_t *destination = codes + size_t(row) * rowBytes + byte;
        if (containers)
          unpackContainer(tile.format, shared + address, destination);
        else
          std::memcpy(destination, shared + address, 16);
      }
  } else {
    uint32_t mnBytes = tile.rows * bytesPerCode;
    for (uint32_t k = 0; k < tile.k && !outside; ++k)
      for (uint32_t byte = 0; byte < mnBytes; byte += 16) {
        uint32_t address = mnMajorAddress(tile.descriptor, byte, k);
        uint32_t bytes = mnBytes - byte < 16 ? mnBytes - byte : 16;
        if (!fits(address, bytes))
          break;
        for (uint32_t i = 0; i < bytes; i += bytesPerCode) {
          size_t row = (byte + i) / bytesPerCode;
          std::memcpy(codes + (row * tile.k + k) * bytesPerCode,
                      shared + address + i, bytesPerCode);
        }
      }
  }
  if (outside)
    return "matrix descriptor: expected operand addresses below the " +
           std::to_string(sharedBytes) +
           " bytes of shared memory, got address " +
           std::to_string(outsideAddress);
  return "";
}

void unpackContainer(NumberFormat format, const uint8_t *container,
                     uint8_t *codes) {
  switch (formatTraits(format).storageBits) {
  case 4:
    unpackFp4(container, 16, codes);
    break;
  case 6:
    // Three bytes hold four elements.
    for (unsigned group = 0; group < 4; ++group) {
      const uint8_t *bytes = container + 3 * group;
      uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
      for (unsigned i = 0; i < 4; ++i)
        codes[4 * group + i] = word >> 6 * i & 0x3F;
    }
    break;
  default:
    std::memcpy(codes, container, 16);
    break;
  }
}

void unpackFp4(const uint8_t *packed, uint32_t count, uint8_t *codes) {
  for (uint32_t i = 0; i < count / 2; ++i) {
    codes[2 * i] = packed[i] & 0xF;
    codes[2 * i + 1] = packed[i] >> 4;
  }
}

} // namespace bsmm::emulator::units
