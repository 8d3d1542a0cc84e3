//===- MatrixDescriptorTest.cpp - encoders against decoders ---------------===//
//
// The 64-bit matrix descriptors: the layout library encodes, the emulator
// decodes (PTX ISA, wgmma "Matrix descriptor format", tcgen05 "Shared memory
// descriptor").
//
//===----------------------------------------------------------------------===//

#include "CrossCheck.h"

#include <random>

using namespace bsmm;
using namespace bsmm::crosscheck;
namespace units = bsmm::emulator::units;

namespace {

constexpr units::DescriptorForm forms[] = {units::DescriptorForm::Sm90,
                                           units::DescriptorForm::Sm100};

layout::Result<uint64_t> encode(units::DescriptorForm form,
                                const layout::MatrixDescriptor &desc) {
  return form == units::DescriptorForm::Sm90
             ? layout::encodeMatrixDescriptorSm90(desc)
             : layout::encodeMatrixDescriptorSm100(desc);
}

layout::Result<layout::MatrixDescriptor> decode(units::DescriptorForm form,
                                                uint64_t bits) {
  return form == units::DescriptorForm::Sm90
             ? layout::decodeMatrixDescriptorSm90(bits)
             : layout::decodeMatrixDescriptorSm100(bits);
}

/// The emulator's swizzle of a layout mode.
units::MatrixSwizzle matrixSwizzle(layout::SwizzleMode mode) {
  for (const SwizzlePair &pair : swizzlePairs)
    if (pair.layout == mode)
      return pair.matrix;
  return units::MatrixSwizzle::None;
}

bool sameMeaning(const layout::MatrixDescriptor &a,
                 const units::SharedMemoryDescriptor &b) {
  return a.startAddress == int64_t(b.startAddress) &&
         a.leadingByteOffset == int64_t(b.leadingByteOffset) &&
         a.strideByteOffset == int64_t(b.strideByteOffset) &&
         a.baseOffset == b.baseOffset && matrixSwizzle(a.swizzle) == b.swizzle;
}

/// PTX ISA, matrix base offset: it is valid for all swizzle modes except none.
/// The one explained difference: the layout library may carry such a field, the
/// emulator's decoder refuses it.
bool hasIdleBaseOffset(const layout::MatrixDescriptor &desc) {
  return desc.swizzle == layout::SwizzleMode::None && desc.baseOffset != 0;
}

/// Encodes with the layout library and decodes with the emulator: both accept
/// with one meaning or both refuse.
void checkRoundTrip(const layout::MatrixDescriptor &desc) {
  for (units::DescriptorForm form : forms) {
    SCOPED_TRACE(form == units::DescriptorForm::Sm90 ? "sm_90" : "sm_100");
    auto bits = encode(form, desc);
    bool isAtom32 = desc.swizzle == layout::SwizzleMode::Bytes128Atom32;
    if (form == units::DescriptorForm::Sm90 && isAtom32) {
      EXPECT_FALSE(bool(bits));
      continue;
    }
    units::SharedMemoryDescriptor decoded;
    std::string error =
        bits ? units::decodeSharedMemoryDescriptor(*bits, form, decoded)
             : bits.error();
    if (hasIdleBaseOffset(desc)) {
      ASSERT_NE(error, "");
      continue;
    }
    ASSERT_EQ(error, "");
    ASSERT_TRUE(sameMeaning(desc, decoded)) << std::hex << *bits;
    ASSERT_EQ(get(decode(form, *bits)), desc);
  }
}

TEST(CrossCheckMatrixDescriptor, EveryFieldValue) {
  layout::MatrixDescriptor base;
  base.strideByteOffset = 1024;
  for (const SwizzlePair &pair : swizzlePairs) {
    SCOPED_TRACE(layout::swizzleName(pair.layout));
    base.swizzle = pair.layout;
    for (int64_t value = 0; value < int64_t(1) << 18; value += 16) {
      layout::MatrixDescriptor start = base, leading = base, stride = base;
      start.startAddress = value;
      leading.leadingByteOffset = value;
      stride.strideByteOffset = value;
      checkRoundTrip(start);
      checkRoundTrip(leading);
      checkRoundTrip(stride);
      if (HasFatalFailure())
        return;
    }
    for (int64_t value = 0; value < 8; ++value) {
      SCOPED_TRACE(value);
      layout::MatrixDescriptor offset = base;
      offset.baseOffset = value;
      checkRoundTrip(offset);
    }
  }
}

TEST(CrossCheckMatrixDescriptor, RandomCombinations) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000 && !HasFatalFailure(); ++i) {
    layout::MatrixDescriptor desc;
    desc.startAddress = int64_t(random() & 0x3fff) << 4;
    desc.leadingByteOffset = int64_t(random() & 0x3fff) << 4;
    desc.strideByteOffset = int64_t(random() & 0x3fff) << 4;
    desc.swizzle = swizzlePairs[random() % 5].layout;
    if (desc.swizzle != layout::SwizzleMode::None)
      desc.baseOffset = int64_t(random() & 7);
    checkRoundTrip(desc);
  }
}

/// Any 64 bits: both decoders accept with one meaning, or both refuse.
TEST(CrossCheckMatrixDescriptor, RandomBits) {
  std::mt19937_64 random(2);
  unsigned accepted = 0;
  for (int i = 0; i < 100000 && !HasFatalFailure(); ++i) {
    uint64_t bits = random();
    // Mostly legal: clear the reserved bits but for a few.
    if (i % 4 != 0) {
      bits &= ~(uint64_t(3) << 14 | uint64_t(3) << 30 | uint64_t(7) << 46 |
                uint64_t(0x1ff) << 52);
      if (i % 2)
        bits |= uint64_t(1) << 46;
      if (i % 8 == 7)
        bits ^= uint64_t(1) << (random() % 64);
    }
    for (units::DescriptorForm form : forms) {
      auto ours = decode(form, bits);
      units::SharedMemoryDescriptor theirs;
      std::string error =
          units::decodeSharedMemoryDescriptor(bits, form, theirs);
      if (ours && hasIdleBaseOffset(*ours)) {
        ASSERT_NE(error, "");
        continue;
      }
      ASSERT_EQ(bool(ours), error.empty())
          << std::hex << bits << " " << ours.error() << " " << error;
      if (!ours)
        continue;
      ++accepted;
      ASSERT_TRUE(sameMeaning(*ours, theirs)) << std::hex << bits;
      // Nothing is lost on the way.
      ASSERT_EQ(get(encode(form, *ours)), bits);
    }
  }
  EXPECT_GT(accepted, 10000u);
}

TEST(CrossCheckMatrixDescriptor, Advance) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000 && !HasFatalFailure(); ++i) {
    layout::MatrixDescriptor desc;
    desc.startAddress = int64_t(random() & 0x3fff) << 4;
    desc.leadingByteOffset = int64_t(random() & 0x3fff) << 4;
    desc.strideByteOffset = int64_t(random() & 0x3fff) << 4;
    desc.swizzle = swizzlePairs[random() % 5].layout;
    int64_t advance = (int64_t(random() & 0x7fff) - 0x4000) * 16;
    uint64_t bits = get(layout::encodeMatrixDescriptorSm100(desc));
    auto moved = layout::advanceMatrixDescriptor(bits, advance);
    int64_t address = desc.startAddress + advance;
    ASSERT_EQ(bool(moved), address >= 0 && address < int64_t(1) << 18);
    if (!moved)
      continue;
    desc.startAddress = address;
    units::SharedMemoryDescriptor decoded;
    ASSERT_EQ(units::decodeSharedMemoryDescriptor(
                  *moved, units::DescriptorForm::Sm100, decoded),
              "");
    ASSERT_TRUE(sameMeaning(desc, decoded));
  }
}

} // namespace
