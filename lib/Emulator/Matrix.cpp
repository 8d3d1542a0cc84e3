//===- Matrix.cpp - ldmatrix, stmatrix, mma.sync ----------------*- C++ -*-===//
//
// PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "TensorSupport.h"

#include "bsmm/Emulator/Units/Fragments.h"
#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"

#include <cstring>

namespace bsmm::emulator {

using units::MatrixShape;
using units::NumberFormat;

namespace {
//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// a: shape, b: matrices, c: transposed. The list holds the registers.
Step execLdmatrix(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  MatrixShape shape = static_cast<MatrixShape>(i.a);
  const uint32_t *list = &m.module->lists[i.list];
  uint32_t rows = units::matrixRows(shape);
  uint32_t perMatrix = units::matrixRegisters(shape);
  uint8_t data[4][16][16];
  Machine::Access access = m.threadAccess(*x.warp, 0, i, "ldmatrix");
  for (uint32_t matrix = 0; matrix < i.b; ++matrix)
    for (uint32_t row = 0; row < rows; ++row) {
      int lane = static_cast<int>(units::matrixAddressLane(shape, matrix, row));
      std::string error;
      Place place = resolve(x, i.addr[0].space, addressOf(x, i.addr[0], lane),
                            16, GlobalUse::Read, lane, error);
      if (place.pointer == nullptr || place.shared == nullptr) {
        x.error(i, "invalid-read",
                "reads " +
                    (error.empty() ? "memory that is not shared" : error),
                lane);
        return Step::Failed;
      }
      if (m.options->checkHazards) {
        access.lane = lane;
        m.readShared(*place.shared, place.offset, 16, access);
      }
      uint8_t *to = data[matrix][row];
      if (shape == MatrixShape::M8N16B4x16P64 ||
          shape == MatrixShape::M16N16B4x16P64)
        units::unpackContainer(NumberFormat::E2M1, place.pointer, to);
      else if (shape == MatrixShape::M8N16B6x16P32 ||
               shape == MatrixShape::M16N16B6x16P32)
        units::unpackContainer(NumberFormat::E2M3, place.pointer, to);
      else
        std::memcpy(to, place.pointer, 16);
    }
  forLanes(mask, [&](int lane) {
    for (uint32_t matrix = 0; matrix < i.b; ++matrix)
      for (uint32_t reg = 0; reg < perMatrix; ++reg) {
        uint32_t value = 0;
        if (shape == MatrixShape::M8N8B16) {
          for (uint32_t e = 0; e < 2; ++e) {
            units::MatrixElement at = units::matrixFragment(
                shape, i.c, static_cast<uint32_t>(lane), reg, e);
            uint16_t half;
            std::memcpy(&half, &data[matrix][at.row][2 * at.column], 2);
            value |= uint32_t(half) << (16 * e);
          }
        } else {
          for (uint32_t e = 0; e < 4; ++e) {
            units::MatrixElement at = units::matrixFragment(
                shape, i.c, static_cast<uint32_t>(lane), reg, e);
            value |= uint32_t(data[matrix][at.row][at.column]) << (8 * e);
          }
        }
        x.r<uint32_t>(list[matrix * perMatrix + reg])[lane] = value;
      }
  });
  return Step::Next;
}

Step execStmatrix(Exec &x, const Inst &i, uint32_t mask) {
  (void)mask;
  Machine &m = *x.machine;
  MatrixShape shape = static_cast<MatrixShape>(i.a);
  const uint32_t *list = &m.module->lists[i.list];
  uint32_t rows = units::matrixRows(shape);
  uint32_t perMatrix = units::matrixRegisters(shape);
  uint32_t bytes = units::MatrixRowBytes;
  uint8_t data[4][16][16] = {};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t matrix = 0; matrix < i.b; ++matrix)
      for (uint32_t reg = 0; reg < perMatrix; ++reg) {
        uint32_t value = x.r<uint32_t>(list[matrix * perMatrix + reg])[lane];
        if (shape == MatrixShape::M8N8B16) {
          for (uint32_t e = 0; e < 2; ++e) {
            units::MatrixElement at =
                units::matrixFragment(shape, i.c, lane, reg, e);
            uint16_t half = static_cast<uint16_t>(value >> (16 * e));
            std::memcpy(&data[matrix][at.row][2 * at.column], &half, 2);
          }
        } else {
          for (uint32_t e = 0; e < 4; ++e) {
            units::MatrixElement at =
                units::matrixFragment(shape, i.c, lane, reg, e);
            data[matrix][at.row][at.column] =
                static_cast<uint8_t>(value >> (8 * e));
          }
        }
      }
  Machine::Access access = m.threadAccess(*x.warp, 0, i, "stmatrix");
  for (uint32_t matrix = 0; matrix < i.b; ++matrix)
    for (uint32_t row = 0; row < rows; ++row) {
      int lane = static_cast<int>(units::matrixAddressLane(shape, matrix, row));
      std::string error;
      Place place = resolve(x, i.addr[0].space, addressOf(x, i.addr[0], lane),
                            bytes, GlobalUse::Write, lane, error);
      if (place.pointer == nullptr || place.shared == nullptr) {
        x.error(i, "invalid-write",
                "writes " +
                    (error.empty() ? "memory that is not shared" : error),
                lane);
        return Step::Failed;
      }
      if (m.options->checkHazards) {
        access.lane = lane;
        m.writeShared(*place.shared, place.offset, bytes, access);
      }
      std::memcpy(place.pointer, data[matrix][row], bytes);
    }
  ++m.changes;
  return Step::Next;
}

bool decodeMatrixMove(Decoder &d, bool load) {
  Inst &i = d.inst;
  d.take("sync");
  d.take("aligned");
  int shape = d.takeOne({"m8n8", "m16n16", "m8n16", "m16n8"});
  int number = d.takeOne({"x1", "x2", "x4"});
  bool transposed = d.take("trans");
  Space space = Space::Generic;
  takeSpace(d, space);
  int unpacked = d.takeOne({"b6x16_p32", "b4x16_p64"});
  bool expanded = d.take("b8x16");
  Ty type = expanded ? Ty::B8 : d.takeType();
  if (number < 0 || shape < 0)
    return d.fail("expected a shape and .x1, .x2 or .x4");
  MatrixShape chosen;
  if (shape == 0 && type == Ty::B16)
    chosen = MatrixShape::M8N8B16;
  else if (shape == 1 && load && transposed && type == Ty::B8)
    chosen = unpacked == 0   ? MatrixShape::M16N16B6x16P32
             : unpacked == 1 ? MatrixShape::M16N16B4x16P64
                             : MatrixShape::M16N16B8;
  else if (shape == 2 && load && expanded && unpacked >= 0)
    chosen =
        unpacked == 0 ? MatrixShape::M8N16B6x16P32 : MatrixShape::M8N16B4x16P64;
  else if (shape == 3 && !load && transposed && type == Ty::B8)
    chosen = MatrixShape::M16N8B8;
  else
    return d.fail("this shape and type do not exist");
  i.a = static_cast<uint8_t>(chosen);
  i.b = static_cast<uint8_t>(1u << number);
  i.c = transposed;
  if (shape == 1 && number == 2)
    return d.fail(".m16n16 has only .x1 and .x2");
  i.together = Together::Aligned;
  i.fn = load ? execLdmatrix : execStmatrix;
  if (!d.count(2, 2))
    return false;
  uint32_t registers = i.b * units::matrixRegisters(chosen);
  return d.address(d.operand(load ? 1 : 0), space, i.addr[0]) &&
         registerList(d, d.operand(load ? 0 : 1), registers, 32, load, i.list,
                      i.listCount);
}

/// movmatrix.sync.aligned.m8n8.trans.b16.
Step execMovmatrix(Exec &x, const Inst &i, uint32_t) {
  uint32_t a[32];
  std::memcpy(a, x.r<uint32_t>(i.o[1]), sizeof(a));
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t value = 0;
    for (uint32_t e = 0; e < 2; ++e) {
      // Element (row, column) of the result is (column, row) of the source.
      uint32_t row = 2 * (lane % 4) + e;
      uint32_t column = lane / 4;
      uint32_t half = a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xFFFF;
      value |= half << (16 * e);
    }
    d[lane] = value;
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// extra: layout; list: d, a, b, c registers; list2: sfa, byteA, threadA, sfb,
/// byteB, threadB.
Step execMma(Exec &x, const Inst &i, uint32_t) {
  const MmaLayout &layout = x.machine->module->mmaLayouts[i.extra];
  const uint32_t *list = &x.machine->module->lists[i.list];
  units::MmaSpec spec = layout.spec;
  if (x.machine->options->arithmetic == Arithmetic::Exact &&
      spec.rule != units::AccumulationRule::Integer)
    spec.rule = units::AccumulationRule::Exact;
  const uint32_t *dRegs = list;
  const uint32_t *aRegs = dRegs + layout.cRegisters;
  const uint32_t *bRegs = aRegs + layout.aRegisters;
  const uint32_t *cRegs = bRegs + layout.bRegisters;
  uint32_t k = spec.k;
  // Rows of K are 16 or 32 bytes, and a register holds four of them in order.
  uint8_t a[16 * 32], b[8 * 32], sfa[16 * 4], sfb[8 * 4];
  uint32_t d[16 * 8];
  auto gather = [&x, k](const uint32_t *regs, uint32_t count, uint32_t bits,
                        uint32_t shift, bool isA, uint8_t *to) {
    uint32_t mask = shift ? (0xFFu >> shift) * 0x01010101u : 0xFFFFFFFFu;
    for (uint32_t reg = 0; reg < count; ++reg) {
      const uint32_t *values = x.r<uint32_t>(regs[reg]);
      uint32_t element = reg * 32 / bits;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        units::MatrixElement at =
            isA ? units::mmaAFragment(lane, element, bits)
                : units::mmaBFragment(lane, element, bits);
        uint32_t index = isA ? at.row * k + at.column : at.column * k + at.row;
        uint32_t value = values[lane] >> shift & mask;
        std::memcpy(to + index * bits / 8, &value, 4);
      }
    }
  };
  gather(aRegs, layout.aRegisters, layout.aBits, layout.aShift, true, a);
  gather(bRegs, layout.bRegisters, layout.bBits, layout.bShift, false, b);
  bool half = spec.accumulator == units::AccumulatorFormat::F16;
  for (uint32_t e = 0; e < 4; ++e) {
    const uint32_t *values = x.r<uint32_t>(cRegs[half ? e / 2 : e]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      units::MatrixElement at = units::mmaAccumulator(lane, e);
      d[at.row * 8 + at.column] =
          half ? values[lane] >> (16 * (e % 2)) & 0xFFFF : values[lane];
    }
  }
  if (layout.scaleVector != 0) {
    const uint32_t *scale = &x.machine->module->lists[i.list2];
    uint32_t byteA = x.r<uint32_t>(scale[1])[0] & 0xFFFF;
    uint32_t threadA = x.r<uint32_t>(scale[2])[0] & 0xFFFF;
    uint32_t byteB = x.r<uint32_t>(scale[4])[0] & 0xFFFF;
    uint32_t threadB = x.r<uint32_t>(scale[5])[0] & 0xFFFF;
    if (!units::mmaScaleSelectorsValid(layout.scaleVector, byteA, threadA,
                                       byteB, threadB))
      return x.fatal(i, "mma-selector",
                     "scale selectors {" + std::to_string(byteA) + ", " +
                         std::to_string(threadA) + "}, {" +
                         std::to_string(byteB) + ", " +
                         std::to_string(threadB) + "} are out of range");
    uint32_t v = layout.scaleVector;
    const uint32_t *factorsA = x.r<uint32_t>(scale[0]);
    const uint32_t *factorsB = x.r<uint32_t>(scale[3]);
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t j = 0; j < v; ++j)
        sfa[row * v + j] = static_cast<uint8_t>(
            factorsA[units::mmaScaleLaneA(row, threadA)] >> (8 * (byteA + j)));
    for (uint32_t column = 0; column < 8; ++column)
      for (uint32_t j = 0; j < v; ++j)
        sfb[column * v + j] = static_cast<uint8_t>(
            factorsB[units::mmaScaleLaneB(column, threadB)] >>
            (8 * (byteB + j)));
  }
  std::string wrong = units::mmaTile(spec, a, b, sfa, sfb, d, true);
  if (!wrong.empty())
    return x.fatal(i, "mma", wrong);
  for (uint32_t e = 0; e < 4; ++e) {
    uint32_t *to = x.r<uint32_t>(dRegs[half ? e / 2 : e]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      units::MatrixElement at = units::mmaAccumulator(lane, e);
      uint32_t value = d[at.row * 8 + at.column];
      if (half)
        to[lane] = e % 2 ? (to[lane] & 0xFFFF) | value << 16 : value & 0xFFFF;
      else
        to[lane] = value;
    }
  }
  ++x.machine->report.statistics.tensorInstructions;
  x.machine->report.statistics.multiplyAdds += uint64_t(16) * 8 * k;
  return Step::Next;
}

bool decodeMma(Decoder &d) {
  Inst &i = d.inst;
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail("expected mma.sync.aligned");
  MmaLayout layout;
  units::MmaSpec &spec = layout.spec;
  std::string_view shape = d.takePrefix("m16n8k");
  if (shape.empty())
    return d.fail("this shape is not supported");
  uint32_t k = 0;
  for (char c : shape.substr(6))
    k = k * 10 + static_cast<uint32_t>(c - '0');
  if (!d.take("row") || !d.take("col"))
    return d.fail("expected .row.col");
  std::string_view kind = d.takePrefix("kind::");
  bool blockScale = d.take("block_scale");
  std::string_view vector = d.takePrefix("scale_vec::");
  spec.saturate = d.take("satfinite");
  Ty dType = d.takeType();
  Ty aType = d.takeType();
  Ty bType = d.takeType();
  Ty cType = d.takeType();
  Ty sType = blockScale ? d.takeType() : Ty::None;
  spec.m = 16;
  spec.n = 8;
  spec.k = k;
  if (dType != cType)
    return d.fail("C and D of different types are not supported");
  if (dType == Ty::F32)
    spec.accumulator = units::AccumulatorFormat::F32;
  else if (dType == Ty::F16)
    spec.accumulator = units::AccumulatorFormat::F16;
  else if (dType == Ty::S32)
    spec.accumulator = units::AccumulatorFormat::S32;
  else
    return d.fail("unsupported accumulator type");
  bool packed4 = kind == "kind::mxf4" || kind == "kind::mxf4nvf4";
  auto element = [&](Ty type, NumberFormat &format,
                     units::IntegerFormat &integer, uint32_t &bits,
                     uint32_t &shift) {
    bits = 8;
    shift = 0;
    switch (type) {
    case Ty::F16:
      format = NumberFormat::F16;
      bits = 16;
      return kind.empty();
    case Ty::BF16:
      format = NumberFormat::BF16;
      bits = 16;
      return kind.empty();
    case Ty::TF32:
      format = NumberFormat::TF32;
      bits = 32;
      return kind.empty();
    case Ty::E4M3:
      format = NumberFormat::E4M3;
      return !packed4;
    case Ty::E5M2:
      format = NumberFormat::E5M2;
      return !packed4;
    case Ty::E2M3:
      format = NumberFormat::E2M3;
      return !kind.empty() && !packed4;
    case Ty::E3M2:
      format = NumberFormat::E3M2;
      return !kind.empty() && !packed4;
    case Ty::E2M1:
      format = NumberFormat::E2M1;
      if (packed4)
        bits = 4;
      else
        shift = units::mmaContainerShift(4);
      return !kind.empty();
    case Ty::U8:
      integer = units::IntegerFormat::U8;
      return kind.empty();
    case Ty::S8:
      integer = units::IntegerFormat::S8;
      return kind.empty();
    default:
      return false;
    }
  };
  if (!element(aType, spec.aFormat, spec.aInteger, layout.aBits,
               layout.aShift) ||
      !element(bType, spec.bFormat, spec.bInteger, layout.bBits,
               layout.bShift) ||
      layout.aBits != layout.bBits)
    return d.fail("this combination of types does not exist");
  bool isInteger = spec.aInteger != units::IntegerFormat::None;
  if (isInteger != (spec.bInteger != units::IntegerFormat::None) ||
      isInteger != (dType == Ty::S32))
    return d.fail("this combination of types does not exist");
  // Shapes: PTX ISA, mma table of shapes.
  uint32_t row = layout.aBits * k;
  if (row != 128 && row != 256)
    return d.fail("this shape does not exist for the type");
  layout.aRegisters = 16 * k * layout.aBits / 32 / 32;
  layout.bRegisters = 8 * k * layout.bBits / 32 / 32;
  layout.cRegisters = spec.accumulator == units::AccumulatorFormat::F16 ? 2 : 4;
  if (blockScale) {
    if (kind == "kind::mxf8f6f4") {
      layout.scaleVector = 1;
      if (!vector.empty() && vector != "scale_vec::1X")
        return d.fail("kind::mxf8f6f4 needs .scale_vec::1X");
    } else if (packed4) {
      layout.scaleVector = 2;
      if (vector == "scale_vec::4X" && kind == "kind::mxf4nvf4")
        layout.scaleVector = 4;
      else if (!vector.empty() && vector != "scale_vec::2X")
        return d.fail("unsupported scale vector");
      else if (vector.empty() && kind == "kind::mxf4nvf4")
        return d.fail("kind::mxf4nvf4 needs .scale_vec");
    } else {
      return d.fail("block scaling needs an mx kind");
    }
    if (sType == Ty::UE8M0)
      spec.scaleFormat = units::ScaleFormat::UE8M0;
    else if (sType == Ty::UE4M3 && kind == "kind::mxf4nvf4" &&
             layout.scaleVector == 4)
      spec.scaleFormat = units::ScaleFormat::UE4M3;
    else
      return d.fail("unsupported scale type");
    spec.scaleBlock = k / layout.scaleVector;
    if (dType != Ty::F32)
      return d.fail("block scaling needs an f32 accumulator");
  } else if (packed4 || kind == "kind::mxf8f6f4") {
    return d.fail("this kind needs .block_scale");
  }
  if (!kind.empty() && kind != "kind::f8f6f4" && kind != "kind::mxf8f6f4" &&
      !packed4)
    return d.fail("unknown kind");
  // fp8 on sm_90 is summed otherwise than on later targets (measured).
  units::TensorInstruction instruction =
      d.targetNumber() < 100 ? units::TensorInstruction::MmaSyncSm90
                             : units::TensorInstruction::MmaSync;
  spec.rule = isInteger
                  ? units::AccumulationRule::Integer
                  : units::accumulationRule(instruction, spec.aFormat, packed4);
  size_t operands = blockScale ? 8 : 4;
  if (!d.count(operands, operands))
    return false;
  i.fn = execMma;
  i.together = Together::Aligned;
  std::vector<uint32_t> entries;
  const uint32_t counts[4] = {layout.cRegisters, layout.aRegisters,
                              layout.bRegisters, layout.cRegisters};
  for (unsigned k2 = 0; k2 < 4; ++k2)
    if (!registerVector(d, d.operand(k2), counts[k2], 32, k2 == 0, entries))
      return false;
  i.list = d.beginList();
  for (uint32_t entry : entries)
    d.addToList(entry);
  i.listCount = static_cast<uint32_t>(entries.size());
  if (blockScale) {
    std::vector<uint32_t> scales;
    for (unsigned side = 0; side < 2; ++side) {
      const ptx::Operand &factor = d.operand(4 + 2 * side);
      const ptx::Operand &selector = d.operand(5 + 2 * side);
      if (!registerVector(d, factor, 1, 32, false, scales))
        return false;
      if (selector.kind != ptx::Operand::Kind::Vector ||
          selector.elements.size() != 2)
        return d.fail("expected {byte-id, thread-id}");
      for (const ptx::Operand &part : selector.elements)
        scales.push_back(d.source(part, Ty::U16));
    }
    i.list2 = d.beginList();
    for (uint32_t entry : scales)
      d.addToList(entry);
    i.list2Count = static_cast<uint32_t>(scales.size());
  }
  // The gather keeps 4-bit operands packed.
  spec.packedA = spec.packedB = layout.aBits == 4;
  std::string wrong = units::checkMmaSpec(spec);
  if (!wrong.empty())
    return d.fail(wrong);
  i.extra = static_cast<uint32_t>(d.module.mmaLayouts.size());
  d.module.mmaLayouts.push_back(layout);
  return !d.failed();
}
} // namespace

void registerMatrix(OpTable &table) {
  table["ldmatrix"] = [](Decoder &d) { return decodeMatrixMove(d, true); };
  table["stmatrix"] = [](Decoder &d) { return decodeMatrixMove(d, false); };
  table["movmatrix"] = [](Decoder &d) {
    d.take("sync");
    d.take("aligned");
    d.take("m8n8");
    d.take("trans");
    if (d.takeType() != Ty::B16 || !d.count(2, 2))
      return d.fail("expected movmatrix.sync.aligned.m8n8.trans.b16");
    d.inst.fn = execMovmatrix;
    d.inst.together = Together::Aligned;
    d.inst.o[0] = d.destination(0, Ty::B32);
    d.inst.o[1] = d.source(1, Ty::B32);
    return !d.failed();
  };
  table["mma"] = decodeMma;
}

} // namespace bsmm::emulator
