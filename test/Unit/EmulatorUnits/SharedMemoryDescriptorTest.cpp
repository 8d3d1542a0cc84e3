//===- SharedMemoryDescriptorTest.cpp - Matrix descriptors ----------------===//

#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

using namespace bsmm::emulator::units;

namespace {

/// Fields as bytes, encoded independently of the decoder.
uint64_t encode(DescriptorForm form, uint32_t start, uint32_t lbo, uint32_t sbo,
                uint32_t baseOffset, unsigned swizzleField) {
  uint64_t bits = uint64_t(start / 16) + (uint64_t(lbo / 16) << 16) +
                  (uint64_t(sbo / 16) << 32) + (uint64_t(baseOffset) << 49);
  if (form == DescriptorForm::Sm100)
    return bits + (uint64_t(1) << 46) + (uint64_t(swizzleField) << 61);
  return bits + (uint64_t(swizzleField) << 62);
}

const MatrixSwizzle swizzles[] = {MatrixSwizzle::None, MatrixSwizzle::Bytes32,
                                  MatrixSwizzle::Bytes64,
                                  MatrixSwizzle::Bytes128};

TEST(SharedMemoryDescriptor, WorkedValues) {
  SharedMemoryDescriptor d;
  ASSERT_EQ(decodeSharedMemoryDescriptor(0x4000404000000040,
                                         DescriptorForm::Sm100, d),
            "");
  EXPECT_EQ(d.startAddress, 0x400u);
  EXPECT_EQ(d.strideByteOffset, 1024u);
  EXPECT_EQ(d.leadingByteOffset, 0u);
  EXPECT_EQ(d.swizzle, MatrixSwizzle::Bytes128);
  ASSERT_EQ(
      decodeSharedMemoryDescriptor(0x4000004000000040, DescriptorForm::Sm90, d),
      "");
  EXPECT_EQ(d.startAddress, 0x400u);
  EXPECT_EQ(d.strideByteOffset, 1024u);
  EXPECT_EQ(d.swizzle, MatrixSwizzle::Bytes128);
  // Each form refuses the other's constant.
  EXPECT_NE(
      decodeSharedMemoryDescriptor(0x4000404000000040, DescriptorForm::Sm90, d),
      "");
  EXPECT_NE(decodeSharedMemoryDescriptor(0x4000004000000040,
                                         DescriptorForm::Sm100, d),
            "");
  EXPECT_EQ(decodeSharedMemoryDescriptor(0x4000004000000040,
                                         DescriptorForm::Sm100, d, true),
            "");
}

TEST(SharedMemoryDescriptor, Fields) {
  const unsigned sm100[] = {0, 6, 4, 2}, sm90[] = {0, 3, 2, 1};
  for (DescriptorForm form : {DescriptorForm::Sm90, DescriptorForm::Sm100})
    for (unsigned mode = 0; mode < 4; ++mode)
      for (uint32_t field = 0; field < 1u << 14; field += 37) {
        uint32_t start = field * 16, lbo = (field * 5 % (1 << 14)) * 16;
        uint32_t sbo = (field * 11 % (1 << 14)) * 16;
        uint32_t base = mode ? field % 8 : 0;
        SharedMemoryDescriptor d;
        ASSERT_EQ(decodeSharedMemoryDescriptor(
                      encode(form, start, lbo, sbo, base,
                             form == DescriptorForm::Sm100 ? sm100[mode]
                                                           : sm90[mode]),
                      form, d),
                  "");
        EXPECT_EQ(d.startAddress, start);
        EXPECT_EQ(d.leadingByteOffset, lbo);
        EXPECT_EQ(d.strideByteOffset, sbo);
        EXPECT_EQ(d.baseOffset, base);
        EXPECT_EQ(d.swizzle, swizzles[mode]);
      }
}

TEST(SharedMemoryDescriptor, EveryReservedBit) {
  SharedMemoryDescriptor d;
  const uint64_t sm100 = encode(DescriptorForm::Sm100, 1024, 16, 1024, 0, 2);
  const uint64_t sm90 = encode(DescriptorForm::Sm90, 1024, 16, 1024, 0, 1);
  std::set<unsigned> reserved100 = {14, 15, 30, 31, 46, 47, 48, 52, 53,
                                    54, 55, 56, 57, 58, 59, 60, 61};
  std::set<unsigned> reserved90 = {14, 15, 30, 31, 46, 47, 48, 52, 53,
                                   54, 55, 56, 57, 58, 59, 60, 61};
  for (unsigned bit = 0; bit < 64; ++bit) {
    uint64_t flip = uint64_t(1) << bit;
    // Flipping bit 61 makes swizzle mode 2 into 3, which does not exist.
    EXPECT_EQ(
        decodeSharedMemoryDescriptor(sm100 ^ flip, DescriptorForm::Sm100, d)
            .empty(),
        !reserved100.count(bit))
        << bit;
    EXPECT_EQ(decodeSharedMemoryDescriptor(sm90 ^ flip, DescriptorForm::Sm90, d)
                  .empty(),
              !reserved90.count(bit))
        << bit;
  }
  for (unsigned mode : {3u, 5u, 7u})
    EXPECT_NE(decodeSharedMemoryDescriptor(
                  encode(DescriptorForm::Sm100, 0, 0, 0, 0, mode),
                  DescriptorForm::Sm100, d),
              "");
  EXPECT_NE(
      decodeSharedMemoryDescriptor(encode(DescriptorForm::Sm100, 0, 0, 0, 1, 0),
                                   DescriptorForm::Sm100, d),
      "");
}

// The exchange as the chunk tables of the TMA patterns state it (PTX ISA,
// "Swizzling modes"): chunk c of row r of the pattern.
TEST(SharedMemoryDescriptor, SwizzleTables) {
  for (uint32_t address = 0; address < 4096; ++address) {
    auto chunked = [&](uint32_t rowBytes, uint32_t rotate, uint32_t count) {
      uint32_t row = address / rowBytes, inRow = address % rowBytes;
      uint32_t chunk = inRow / 16;
      return row * rowBytes + (chunk ^ (row / rotate % count)) * 16 +
             address % 16;
    };
    EXPECT_EQ(swizzleAddress(MatrixSwizzle::None, address), address);
    EXPECT_EQ(swizzleAddress(MatrixSwizzle::Bytes32, address),
              chunked(32, 4, 2));
    EXPECT_EQ(swizzleAddress(MatrixSwizzle::Bytes64, address),
              chunked(64, 2, 4));
    EXPECT_EQ(swizzleAddress(MatrixSwizzle::Bytes128, address),
              chunked(128, 1, 8));
    uint32_t row = address / 128;
    EXPECT_EQ(swizzleAddress(MatrixSwizzle::Bytes128Atom32, address),
              row * 128 + (address % 128 / 32 ^ row % 4) * 32 + address % 32);
    // A base offset moves the start of the pattern.
    for (uint32_t base = 0; base < 8; ++base)
      for (MatrixSwizzle mode : swizzles)
        EXPECT_EQ(swizzleAddress(mode, address + 128 * base, base),
                  swizzleAddress(mode, address) + 128 * base);
  }
}

uint32_t rowBytes(MatrixSwizzle swizzle) {
  switch (swizzle) {
  case MatrixSwizzle::None:
    return 16;
  case MatrixSwizzle::Bytes32:
    return 32;
  case MatrixSwizzle::Bytes64:
    return 64;
  default:
    return 128;
  }
}

// ((8,m),(T,2k)) : ((rowBytes,SBO),(1,16 or LBO)), then the exchange.
TEST(SharedMemoryDescriptor, KMajorLayouts) {
  for (MatrixSwizzle swizzle : swizzles) {
    SharedMemoryDescriptor d;
    d.swizzle = swizzle;
    d.startAddress = 3072;
    d.strideByteOffset = 5 * 1024;
    d.leadingByteOffset = 2048;
    for (uint32_t m = 0; m < 4; ++m)
      for (uint32_t inner = 0; inner < 8; ++inner)
        for (uint32_t chunk = 0; chunk < 2; ++chunk)
          for (uint32_t byte = 0; byte < 16; ++byte) {
            uint32_t chunkStride =
                swizzle == MatrixSwizzle::None ? d.leadingByteOffset : 16;
            uint32_t flat = d.startAddress + m * d.strideByteOffset +
                            inner * rowBytes(swizzle) + chunk * chunkStride +
                            byte;
            EXPECT_EQ(kMajorAddress(d, 8 * m + inner, 16 * chunk + byte),
                      swizzleAddress(swizzle, flat));
          }
  }
}

// ((T,w,m),(8,k)) : ((1,T,LBO),(rowBytes,SBO)); without swizzle SBO and LBO
// change places.
TEST(SharedMemoryDescriptor, MnMajorLayouts) {
  for (MatrixSwizzle swizzle :
       {MatrixSwizzle::None, MatrixSwizzle::Bytes32, MatrixSwizzle::Bytes64,
        MatrixSwizzle::Bytes128, MatrixSwizzle::Bytes128Atom32}) {
    SharedMemoryDescriptor d;
    d.swizzle = swizzle;
    d.startAddress = 2048;
    d.strideByteOffset = 1024;
    d.leadingByteOffset = 8192;
    bool none = swizzle == MatrixSwizzle::None;
    uint32_t width = rowBytes(swizzle);
    uint32_t kRows = swizzle == MatrixSwizzle::Bytes128Atom32 ? 4 : 8;
    for (uint32_t m = 0; m < 3; ++m)
      for (uint32_t byte = 0; byte < width; ++byte)
        for (uint32_t kOuter = 0; kOuter < 3; ++kOuter)
          for (uint32_t kInner = 0; kInner < kRows; ++kInner) {
            uint32_t flat =
                d.startAddress + byte + kInner * width +
                m * (none ? d.strideByteOffset : d.leadingByteOffset) +
                kOuter * (none ? d.leadingByteOffset : d.strideByteOffset);
            EXPECT_EQ(
                mnMajorAddress(d, m * width + byte, kOuter * kRows + kInner),
                swizzleAddress(swizzle, flat));
          }
  }
}

// Adding 32 bytes a K step to the start address walks through a swizzle atom.
TEST(SharedMemoryDescriptor, StepsInsideAnAtom) {
  for (MatrixSwizzle swizzle :
       {MatrixSwizzle::Bytes64, MatrixSwizzle::Bytes128}) {
    SharedMemoryDescriptor d;
    d.swizzle = swizzle;
    d.startAddress = 1024;
    d.strideByteOffset = 8 * rowBytes(swizzle);
    for (uint32_t step = 0; step < rowBytes(swizzle) / 32; ++step) {
      SharedMemoryDescriptor moved = d;
      moved.startAddress += 32 * step;
      for (uint32_t row = 0; row < 64; ++row)
        for (uint32_t byte = 0; byte < 32; ++byte)
          EXPECT_EQ(kMajorAddress(moved, row, byte),
                    kMajorAddress(d, row, 32 * step + byte));
    }
  }
}

TEST(SharedMemoryDescriptor, Containers) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    uint8_t codes[16], container[16], got[16];
    for (NumberFormat format : {NumberFormat::E2M1, NumberFormat::E2M3,
                                NumberFormat::E3M2, NumberFormat::E4M3}) {
      unsigned width = formatTraits(format).storageBits;
      for (uint8_t &byte : container)
        byte = 0xAA;
      std::vector<bool> bits(128);
      for (unsigned i = 0; i < 16; ++i) {
        codes[i] = static_cast<uint8_t>(random() % (1u << width));
        for (unsigned b = 0; b < width; ++b)
          bits[i * width + b] = codes[i] >> b & 1;
      }
      for (unsigned b = 0; b < 16 * width; ++b) {
        container[b / 8] = static_cast<uint8_t>(
            (container[b / 8] & ~(1 << b % 8)) | bits[b] << b % 8);
      }
      EXPECT_EQ(containerDataBytes(format), 2 * width);
      unpackContainer(format, container, got);
      EXPECT_EQ(std::memcmp(codes, got, 16), 0);
    }
  }
}

// Scatter random codes by the address formula, gather them back.
TEST(SharedMemoryDescriptor, GatherFindsEveryElement) {
  std::mt19937 random(5);
  struct Case {
    NumberFormat format;
    bool packed;
    uint32_t k;
  } cases[] = {{NumberFormat::E2M1, true, 64},  {NumberFormat::E2M1, false, 32},
               {NumberFormat::E3M2, false, 32}, {NumberFormat::E4M3, false, 32},
               {NumberFormat::F16, false, 16},  {NumberFormat::TF32, false, 8}};
  for (const Case &c : cases)
    for (MatrixMajor major : {MatrixMajor::K, MatrixMajor::MN})
      for (MatrixSwizzle swizzle : swizzles) {
        OperandTile tile;
        tile.major = major;
        tile.format = c.format;
        tile.packedFp4 = c.packed;
        tile.rows = 64;
        tile.k = c.k;
        tile.descriptor.swizzle = swizzle;
        tile.descriptor.startAddress = 1024;
        unsigned bits = formatTraits(c.format).storageBits;
        if (major == MatrixMajor::MN) {
          tile.descriptor.strideByteOffset = 16384;
          tile.descriptor.leadingByteOffset = 1024;
          if (swizzle == MatrixSwizzle::None)
            std::swap(tile.descriptor.strideByteOffset,
                      tile.descriptor.leadingByteOffset);
          if (bits < 8) {
            EXPECT_NE(checkOperandTile(tile), "");
            continue;
          }
        } else {
          tile.descriptor.strideByteOffset = 1024;
          tile.descriptor.leadingByteOffset = 16384;
        }
        ASSERT_EQ(checkOperandTile(tile), "");
        unsigned bytes = codeBytes(c.format);
        std::vector<uint8_t> shared(1 << 17, 0xEE), want, got;
        want.resize(tile.rows * tile.k * bytes / (c.packed ? 2 : 1));
        got.resize(want.size());
        for (size_t i = 0; i < want.size(); ++i)
          want[i] = static_cast<uint8_t>(
              bits < 8 && !c.packed ? random() % (1u << bits) : random());
        for (uint32_t row = 0; row < tile.rows; ++row) {
          if (major == MatrixMajor::MN) {
            for (uint32_t k = 0; k < tile.k; ++k)
              for (unsigned b = 0; b < bytes; ++b)
                shared[mnMajorAddress(tile.descriptor, row * bytes + b, k)] =
                    want[(row * tile.k + k) * bytes + b];
            continue;
          }
          if (bits < 8 && !c.packed) {
            for (uint32_t k = 0; k < tile.k; ++k)
              for (unsigned b = 0; b < bits; ++b) {
                uint32_t position = k % 16 * bits + b;
                uint32_t address = kMajorAddress(tile.descriptor, row,
                                                 k / 16 * 16 + position / 8);
                uint8_t bit = static_cast<uint8_t>(1 << position % 8);
                shared[address] = static_cast<uint8_t>(
                    want[row * tile.k + k] >> b & 1 ? shared[address] | bit
                                                    : shared[address] & ~bit);
              }
            continue;
          }
          uint32_t length = static_cast<uint32_t>(want.size()) / tile.rows;
          for (uint32_t byte = 0; byte < length; ++byte)
            shared[kMajorAddress(tile.descriptor, row, byte)] =
                want[row * length + byte];
        }
        ASSERT_EQ(gatherOperand(tile, shared.data(), shared.size(), got.data()),
                  "");
        EXPECT_EQ(got, want);
        // The pieces cover exactly the bytes that the gather depends on.
        size_t covered = 0;
        forEachOperandPiece(tile, [&](uint32_t address, uint32_t count) {
          covered += count;
          EXPECT_LE(address + count, shared.size());
        });
        EXPECT_EQ(covered * 8, size_t(tile.rows) * tile.k * bits);
        uint32_t last = 0;
        forEachOperandPiece(tile, [&](uint32_t address, uint32_t count) {
          last = std::max(last, address + count);
        });
        EXPECT_EQ(gatherOperand(tile, shared.data(), last, got.data()), "");
        EXPECT_NE(gatherOperand(tile, shared.data(), last - 1, got.data()), "");
      }
}

TEST(SharedMemoryDescriptor, RefusedTiles) {
  OperandTile tile;
  tile.rows = 64;
  tile.k = 32;
  EXPECT_EQ(checkOperandTile(tile), "");
  tile.packedFp4 = true;
  EXPECT_NE(checkOperandTile(tile), "");
  tile.packedFp4 = false;
  tile.k = 24;
  EXPECT_NE(checkOperandTile(tile), "");
  tile.k = 32;
  tile.descriptor.swizzle = MatrixSwizzle::Bytes128Atom32;
  EXPECT_NE(checkOperandTile(tile), "");
  tile.major = MatrixMajor::MN;
  EXPECT_NE(checkOperandTile(tile), "");
  tile.format = NumberFormat::TF32;
  EXPECT_EQ(checkOperandTile(tile), "");
}

} // namespace
