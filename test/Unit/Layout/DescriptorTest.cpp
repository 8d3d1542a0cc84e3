//===- DescriptorTest.cpp -------------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/Descriptor.h"

using namespace bsmm::layout;
using namespace bsmm::layout::test;

static uint64_t bits(uint64_t word, unsigned low, unsigned high) {
  return (word >> low) & ((uint64_t(1) << (high - low + 1)) - 1);
}

//===----------------------------------------------------------------------===//
// Shared-memory matrix descriptor
//===----------------------------------------------------------------------===//

TEST(MatrixDescriptor, WorkedValues) {
  MatrixDescriptor desc;
  desc.startAddress = 0x400;
  desc.strideByteOffset = 1024;
  desc.swizzle = SwizzleMode::Bytes128;
  EXPECT_EQ(get(encodeMatrixDescriptorSm100(desc)), 0x4000404000000040u);
  EXPECT_EQ(get(encodeMatrixDescriptorSm90(desc)), 0x4000004000000040u);
}

TEST(MatrixDescriptor, EveryValueOfEveryField) {
  MatrixDescriptor base;
  base.startAddress = 0x2a550;
  base.leadingByteOffset = 0x15aa0;
  base.strideByteOffset = 0x3c3c0;
  base.baseOffset = 5;
  base.swizzle = SwizzleMode::Bytes64;
  auto check = [](const MatrixDescriptor &desc) {
    uint64_t word = get(encodeMatrixDescriptorSm100(desc));
    const uint64_t codes[] = {0, 6, 4, 2, 1};
    ASSERT_EQ(bits(word, 0, 13), uint64_t(desc.startAddress) >> 4);
    ASSERT_EQ(bits(word, 14, 15), 0u);
    ASSERT_EQ(bits(word, 16, 29), uint64_t(desc.leadingByteOffset) >> 4);
    ASSERT_EQ(bits(word, 30, 31), 0u);
    ASSERT_EQ(bits(word, 32, 45), uint64_t(desc.strideByteOffset) >> 4);
    ASSERT_EQ(bits(word, 46, 48), 1u);
    ASSERT_EQ(bits(word, 49, 51), uint64_t(desc.baseOffset));
    ASSERT_EQ(bits(word, 52, 60), 0u);
    ASSERT_EQ(bits(word, 61, 63), codes[int(desc.swizzle)]);
    ASSERT_EQ(get(decodeMatrixDescriptorSm100(word)), desc);
    if (desc.swizzle == SwizzleMode::Bytes128Atom32) {
      expectError(encodeMatrixDescriptorSm90(desc), "got 128B_atom_32B");
      return;
    }
    const uint64_t hopperCodes[] = {0, 3, 2, 1};
    uint64_t hopper = get(encodeMatrixDescriptorSm90(desc));
    ASSERT_EQ(bits(hopper, 62, 63), hopperCodes[int(desc.swizzle)]);
    ASSERT_EQ(hopper ^ word, uint64_t(1) << 46);
    ASSERT_EQ(get(decodeMatrixDescriptorSm90(hopper)), desc);
  };
  for (int64_t value = 0; value < 1 << 18; value += 16) {
    MatrixDescriptor desc = base;
    desc.startAddress = value;
    check(desc);
    desc = base;
    desc.leadingByteOffset = value;
    check(desc);
    desc = base;
    desc.strideByteOffset = value;
    check(desc);
  }
  for (SwizzleMode mode : allSwizzleModes)
    for (int64_t offset = 0; offset < 8; ++offset) {
      MatrixDescriptor desc = base;
      desc.swizzle = mode;
      desc.baseOffset = offset;
      check(desc);
    }
}

TEST(MatrixDescriptor, RefusesWhatDoesNotFit) {
  for (int64_t value :
       {int64_t(-16), int64_t(8), int64_t(1) << 18, int64_t(1) << 40}) {
    MatrixDescriptor desc;
    desc.startAddress = value;
    expectError(encodeMatrixDescriptorSm100(desc),
                "expected the start address of a matrix descriptor to be a "
                "multiple of 16 in 0..262128, got " +
                    std::to_string(value));
    expectError(encodeMatrixDescriptorSm90(desc), "start address");
    desc = {};
    desc.leadingByteOffset = value;
    expectError(encodeMatrixDescriptorSm100(desc), "leading byte offset");
    desc = {};
    desc.strideByteOffset = value;
    expectError(encodeMatrixDescriptorSm100(desc), "stride byte offset");
  }
  for (int64_t offset : {-1, 8}) {
    MatrixDescriptor desc;
    desc.baseOffset = offset;
    expectError(encodeMatrixDescriptorSm100(desc), "base offset");
  }
}

TEST(MatrixDescriptor, DecodeRefusesReservedBits) {
  uint64_t valid = uint64_t(1) << 46;
  for (unsigned bit = 0; bit < 64; ++bit) {
    bool field = bit < 14 || (bit >= 16 && bit < 30) ||
                 (bit >= 32 && bit < 46) || (bit >= 49 && bit < 52) ||
                 bit >= 61;
    EXPECT_EQ(bool(decodeMatrixDescriptorSm100(valid ^ uint64_t(1) << bit)),
              field)
        << bit;
    EXPECT_EQ(bool(decodeMatrixDescriptorSm90(uint64_t(1) << bit)),
              field && bit != 61)
        << bit;
  }
  for (uint64_t code : {3, 5, 7})
    expectError(decodeMatrixDescriptorSm100(valid | code << 61),
                "expected a swizzle code");
}

TEST(MatrixDescriptor, Advance) {
  MatrixDescriptor desc =
      get(kMajorDescriptor(SwizzleMode::Bytes128, 128, 2048));
  uint64_t word = get(encodeMatrixDescriptorSm100(desc));
  for (int64_t step = 0; step < 4; ++step) {
    MatrixDescriptor moved = desc;
    moved.startAddress += 32 * step;
    uint64_t advanced = get(advanceMatrixDescriptor(word, 32 * step));
    EXPECT_EQ(advanced, get(encodeMatrixDescriptorSm100(moved)));
    EXPECT_EQ(advanced - word, uint64_t(2 * step));
  }
  EXPECT_EQ(get(advanceMatrixDescriptor(word, -2048)) & 0x3fff, 0u);
  expectError(advanceMatrixDescriptor(word, 8), "multiple of 16 bytes, got 8");
  expectError(advanceMatrixDescriptor(word, -2064), "leaves its 18-bit start");
  EXPECT_TRUE(bool(advanceMatrixDescriptor(word, (1 << 18) - 2048 - 16)));
  expectError(advanceMatrixDescriptor(word, (1 << 18) - 2048),
              "leaves its 18-bit start");
  expectError(advanceMatrixDescriptor(word, int64_t(1) << 62), "leaves");
}

TEST(MatrixDescriptor, DescribesOperandTiles) {
  for (SwizzleMode mode : {SwizzleMode::None, SwizzleMode::Bytes32,
                           SwizzleMode::Bytes64, SwizzleMode::Bytes128})
    for (int64_t rows : {8, 24, 128, 192, 256}) {
      MatrixDescriptor desc = get(kMajorDescriptor(mode, rows, 8192));
      int64_t width = swizzleWidth(mode);
      EXPECT_EQ(get(describedOperand(desc, rows, width)),
                get(kMajorOperand(mode, rows, width)));
    }
  MatrixDescriptor plain = get(kMajorDescriptor(SwizzleMode::None, 64, 128));
  EXPECT_EQ(get(describedOperand(plain, 64, 96)),
            get(kMajorOperand(SwizzleMode::None, 64, 96)));
  expectError(kMajorDescriptor(SwizzleMode::Bytes128, 128, 512),
              "to start at a multiple of 1024, got 512");
  expectError(kMajorDescriptor(SwizzleMode::Bytes64, 100, 512),
              "expected whole atoms of 8 rows, got 100 rows");
  expectError(kMajorDescriptor(SwizzleMode::Bytes64, 128, 1 << 20),
              "start address");
  MatrixDescriptor desc = get(kMajorDescriptor(SwizzleMode::Bytes64, 128, 512));
  expectError(describedOperand(desc, 128, 128),
              "expected rows of 64 bytes for the 64B swizzle, got 128");
  expectError(describedOperand(desc, 12, 64), "whole atoms of 8 rows");
  desc.baseOffset = 1;
  expectError(describedOperand(desc, 128, 64), "base offset 0");
}

TEST(MatrixDescriptor, ScaleCopy) {
  EXPECT_EQ(get(encodeMatrixDescriptorSm100(get(scaleCopyDescriptor(0x1200)))),
            uint64_t(1) << 46 | uint64_t(8) << 32 | 0x120);
  expectError(scaleCopyDescriptor(8), "multiple of 16");
}

//===----------------------------------------------------------------------===//
// Instruction descriptor
//===----------------------------------------------------------------------===//

TEST(InstructionDescriptor, WorkedValues) {
  EXPECT_EQ(get(encodeInstruction(DenseInstruction())), 0x08200010u);
  MxF8F6F4Instruction mx;
  EXPECT_EQ(get(encodeInstruction(mx)), 0x08A00000u);
  for (int64_t id = 0; id < 4; ++id) {
    mx.scaleIdA = mx.scaleIdB = id;
    EXPECT_EQ(get(encodeInstruction(mx)),
              0x08A00000u | uint32_t(id) << 4 | uint32_t(id) << 29);
  }
  Fp4Instruction fp4;
  fp4.kind = Fp4Kind::MxF4;
  fp4.scalesPerRow = 2;
  fp4.scaleType = ScaleType::UE8M0;
  EXPECT_EQ(get(encodeInstruction(fp4)), 0x08A00480u);
  fp4.scaleIdA = fp4.scaleIdB = 2;
  EXPECT_EQ(get(encodeInstruction(fp4)), 0x48A004A0u);
  Fp4Instruction nvfp4;
  nvfp4.n = 256;
  EXPECT_EQ(get(encodeInstruction(nvfp4)), 0x08400480u);
  nvfp4.m = 256;
  EXPECT_EQ(get(encodeInstruction(nvfp4)), 0x10400480u);
}

namespace {
struct TypeCode {
  OperandType type;
  uint32_t code;
};
const TypeCode f8f6f4Codes[] = {{OperandType::E4M3, 0},
                                {OperandType::E5M2, 1},
                                {OperandType::E2M3, 3},
                                {OperandType::E3M2, 4},
                                {OperandType::E2M1, 5}};
const OperandType allTypes[] = {
    OperandType::F16,  OperandType::BF16, OperandType::TF32, OperandType::E4M3,
    OperandType::E5M2, OperandType::E2M3, OperandType::E3M2, OperandType::E2M1,
    OperandType::U8,   OperandType::S8};
bool isEightBit(OperandType type) {
  return type == OperandType::E4M3 || type == OperandType::E5M2;
}
} // namespace

TEST(InstructionDescriptor, DenseF8F6F4Exhaustive) {
  for (TypeCode a : f8f6f4Codes)
    for (TypeCode b : f8f6f4Codes)
      for (int64_t m : {64, 128, 256})
        for (int64_t n = 8; n <= 256; n += 8)
          for (unsigned flags = 0; flags < 32; ++flags) {
            DenseInstruction instruction;
            instruction.a = a.type;
            instruction.b = b.type;
            instruction.m = m;
            instruction.n = n;
            instruction.d =
                flags & 1 ? AccumulatorType::F16 : AccumulatorType::F32;
            instruction.negateA = flags & 2;
            instruction.negateB = flags & 4;
            instruction.transposeA = flags & 8;
            instruction.transposeB = flags & 16;
            auto word = encodeInstruction(instruction);
            bool legal = (!(flags & 8) || isEightBit(a.type)) &&
                         (!(flags & 16) || isEightBit(b.type));
            ASSERT_EQ(bool(word), legal);
            if (!legal)
              continue;
            uint32_t w = *word;
            ASSERT_EQ(bits(w, 0, 3), 0u);
            ASSERT_EQ(bits(w, 4, 5), flags & 1 ? 0u : 1u);
            ASSERT_EQ(bits(w, 6, 6), 0u);
            ASSERT_EQ(bits(w, 7, 9), a.code);
            ASSERT_EQ(bits(w, 10, 12), b.code);
            ASSERT_EQ(bits(w, 13, 16), flags >> 1);
            ASSERT_EQ(bits(w, 17, 22), uint64_t(n / 8));
            ASSERT_EQ(bits(w, 23, 23), 0u);
            ASSERT_EQ(bits(w, 24, 28), uint64_t(m / 16));
            ASSERT_EQ(bits(w, 29, 31), 0u);
          }
}

TEST(InstructionDescriptor, DenseTypes) {
  auto code = [](DenseKind kind, OperandType type) -> int {
    switch (kind) {
    case DenseKind::F16:
      return type == OperandType::F16 ? 0 : type == OperandType::BF16 ? 1 : -1;
    case DenseKind::TF32:
      return type == OperandType::TF32 ? 2 : -1;
    case DenseKind::I8:
      return type == OperandType::U8 ? 0 : type == OperandType::S8 ? 1 : -1;
    case DenseKind::F8F6F4:
      for (TypeCode c : f8f6f4Codes)
        if (c.type == type)
          return int(c.code);
      return -1;
    }
    return -1;
  };
  for (DenseKind kind :
       {DenseKind::F16, DenseKind::TF32, DenseKind::F8F6F4, DenseKind::I8})
    for (OperandType a : allTypes)
      for (OperandType b : allTypes)
        for (AccumulatorType d : {AccumulatorType::F16, AccumulatorType::F32,
                                  AccumulatorType::S32}) {
          DenseInstruction instruction;
          instruction.kind = kind;
          instruction.a = a;
          instruction.b = b;
          instruction.d = d;
          bool types = code(kind, a) >= 0 && code(kind, b) >= 0 &&
                       (kind != DenseKind::F16 || a == b);
          bool accumulator =
              kind == DenseKind::I8 ? d == AccumulatorType::S32
              : d == AccumulatorType::F16
                  ? kind == DenseKind::F8F6F4 ||
                        (kind == DenseKind::F16 && a == OperandType::F16)
                  : d == AccumulatorType::F32;
          auto word = encodeInstruction(instruction);
          ASSERT_EQ(bool(word), types && accumulator) << word.error();
          if (!word)
            continue;
          EXPECT_EQ(bits(*word, 4, 5), uint64_t(d));
          EXPECT_EQ(bits(*word, 7, 9), uint64_t(code(kind, a)));
          EXPECT_EQ(bits(*word, 10, 12), uint64_t(code(kind, b)));
        }
}

TEST(InstructionDescriptor, DenseRefusals) {
  DenseInstruction base, bad;
  for (int64_t m = -16; m <= 512; ++m) {
    bad = base;
    bad.m = m;
    EXPECT_EQ(bool(encodeInstruction(bad)), m == 64 || m == 128 || m == 256);
  }
  for (int64_t n = -16; n <= 520; ++n) {
    bad = base;
    bad.n = n;
    EXPECT_EQ(bool(encodeInstruction(bad)), n > 0 && n <= 256 && n % 8 == 0);
  }
  bad = base;
  bad.saturate = true;
  expectError(encodeInstruction(bad), "saturate with kind::i8 only");
  bad.kind = DenseKind::I8;
  bad.a = bad.b = OperandType::S8;
  bad.d = AccumulatorType::S32;
  EXPECT_EQ(bits(get(encodeInstruction(bad)), 3, 3), 1u);
  bad.negateB = true;
  expectError(encodeInstruction(bad), "no negated operand for kind::i8");
  bad = base;
  bad.b = OperandType::BF16;
  expectError(encodeInstruction(bad),
              "expected operands of kind::f8f6f4 to be e4m3, e5m2, e2m3, e3m2 "
              "or e2m1, got bf16");
  bad = base;
  bad.a = OperandType::E2M1;
  bad.transposeA = true;
  expectError(encodeInstruction(bad),
              "expected a K-major operand for e2m1, got MN-major");
}

TEST(InstructionDescriptor, MxF8F6F4Exhaustive) {
  for (TypeCode a : f8f6f4Codes)
    for (TypeCode b : f8f6f4Codes)
      for (int64_t m : {128, 256})
        for (int64_t n = 8; n <= 256; n += 8)
          for (unsigned ids = 0; ids < 16; ++ids)
            for (unsigned flags = 0; flags < 16; ++flags) {
              MxF8F6F4Instruction instruction;
              instruction.a = a.type;
              instruction.b = b.type;
              instruction.m = m;
              instruction.n = n;
              instruction.scaleIdA = ids / 4;
              instruction.scaleIdB = ids % 4;
              instruction.negateA = flags & 1;
              instruction.negateB = flags & 2;
              instruction.transposeA = flags & 4;
              instruction.transposeB = flags & 8;
              auto word = encodeInstruction(instruction);
              bool legal = (!(flags & 4) || isEightBit(a.type)) &&
                           (!(flags & 8) || isEightBit(b.type));
              ASSERT_EQ(bool(word), legal);
              if (!legal)
                continue;
              uint32_t w = *word;
              ASSERT_EQ(bits(w, 0, 3), 0u);
              ASSERT_EQ(bits(w, 4, 5), ids % 4);
              ASSERT_EQ(bits(w, 6, 6), 0u);
              ASSERT_EQ(bits(w, 7, 9), a.code);
              ASSERT_EQ(bits(w, 10, 12), b.code);
              ASSERT_EQ(bits(w, 13, 16), flags);
              ASSERT_EQ(bits(w, 17, 22), uint64_t(n / 8));
              ASSERT_EQ(bits(w, 23, 23), 1u);
              ASSERT_EQ(bits(w, 24, 26), 0u);
              ASSERT_EQ(bits(w, 27, 28), uint64_t(m / 128));
              ASSERT_EQ(bits(w, 29, 30), ids / 4);
              ASSERT_EQ(bits(w, 31, 31), 0u);
            }
}

TEST(InstructionDescriptor, MxF8F6F4Refusals) {
  for (int64_t m = -128; m <= 1024; m += 64) {
    MxF8F6F4Instruction bad;
    bad.m = m;
    EXPECT_EQ(bool(encodeInstruction(bad)), m == 128 || m == 256);
  }
  for (int64_t id : {-1, 4}) {
    MxF8F6F4Instruction bad;
    bad.scaleIdA = id;
    expectError(encodeInstruction(bad), "scale-factor id in 0..3, got");
    bad = {};
    bad.scaleIdB = id;
    expectError(encodeInstruction(bad), "scale-factor id in 0..3, got");
  }
  MxF8F6F4Instruction bad;
  bad.n = 12;
  expectError(encodeInstruction(bad), "steps of 8, got 12");
  bad = {};
  bad.a = OperandType::F16;
  expectError(encodeInstruction(bad), "kind::mxf8f6f4 to be");
}

TEST(InstructionDescriptor, Fp4Exhaustive) {
  for (Fp4Kind kind : {Fp4Kind::MxF4, Fp4Kind::MxF4NvF4})
    for (int64_t perRow = 0; perRow <= 5; ++perRow)
      for (ScaleType type : {ScaleType::UE4M3, ScaleType::UE8M0})
        for (int64_t m : {64, 128, 256})
          for (int64_t n = 0; n <= 264; n += 4)
            for (int64_t ids = 0; ids < 25; ++ids)
              for (unsigned flags = 0; flags < 4; ++flags) {
                Fp4Instruction instruction;
                instruction.kind = kind;
                instruction.scalesPerRow = perRow;
                instruction.scaleType = type;
                instruction.m = m;
                instruction.n = n;
                instruction.scaleIdA = ids / 5;
                instruction.scaleIdB = ids % 5;
                instruction.negateA = flags & 1;
                instruction.negateB = flags & 2;
                auto idLegal = [&](int64_t id) {
                  return id == 0 || (perRow == 2 && id == 2);
                };
                bool legal = (perRow == 2 ||
                              (perRow == 4 && kind == Fp4Kind::MxF4NvF4)) &&
                             (type == ScaleType::UE8M0 || perRow == 4) &&
                             m != 64 && n > 0 && n <= 256 && n % 8 == 0 &&
                             idLegal(ids / 5) && idLegal(ids % 5);
                auto word = encodeInstruction(instruction);
                ASSERT_EQ(bool(word), legal) << word.error();
                if (!legal)
                  continue;
                uint32_t w = *word;
                ASSERT_EQ(bits(w, 0, 3), 0u);
                ASSERT_EQ(bits(w, 4, 5), uint64_t(ids % 5));
                ASSERT_EQ(bits(w, 6, 6), 0u);
                ASSERT_EQ(bits(w, 7, 9), 1u);
                ASSERT_EQ(bits(w, 10, 12), 1u);
                ASSERT_EQ(bits(w, 13, 14), flags);
                ASSERT_EQ(bits(w, 15, 16), 0u);
                ASSERT_EQ(bits(w, 17, 22), uint64_t(n / 8));
                ASSERT_EQ(bits(w, 23, 23), type == ScaleType::UE8M0);
                ASSERT_EQ(bits(w, 24, 26), 0u);
                ASSERT_EQ(bits(w, 27, 28), uint64_t(m / 128));
                ASSERT_EQ(bits(w, 29, 30), uint64_t(ids / 5));
                ASSERT_EQ(bits(w, 31, 31), 0u);
              }
}
