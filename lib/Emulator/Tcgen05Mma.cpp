//===- Tcgen05Mma.cpp - tcgen05.mma -----------------------------*- C++ -*-===//
//
// PTX ISA, "tcgen05.mma", "tcgen05.mma.ws": operands from shared and tensor
// memory, accumulators and scale factors in tensor memory, one CTA or a pair.
//
//===----------------------------------------------------------------------===//

#include "Tcgen05.h"

#include "bsmm/Emulator/Units/InstructionDescriptor.h"
#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"
#include "bsmm/Emulator/Units/TensorMemoryShapes.h"

#include <cstring>

namespace bsmm::emulator {

using units::MmaKind;
using units::NumberFormat;

namespace {
/// A decoded tcgen05.mma with everything that its effect needs.
struct TensorMma {
  units::InstructionDescriptor idesc;
  units::MmaSpec spec; ///< of one CTA: m rows of it, all of N
  units::AccumulatorLayout layout;
  MmaKind kind;
  uint32_t scaleVector = 0;
  std::vector<Cta *> ctas; ///< 1, or the pair with the even one first
  uint32_t d = 0;          ///< tensor memory address
  bool aInTensor = false;
  uint32_t aTensor = 0;
  units::OperandTile a, b; ///< per CTA
  uint32_t sfa = 0, sfb = 0;
  bool accumulate = false;
  bool weightStationary = false;
  bool hasLaneMask = false;
  uint32_t disabledLanes[8] = {};
  uint32_t line = 0;
  uint32_t rows = 0; ///< of A in each CTA
};

uint32_t aTensorColumns(const TensorMma &mma) {
  uint32_t bytes = mma.spec.packedA
                       ? mma.spec.k / 2
                       : mma.spec.k * units::codeBytes(mma.spec.aFormat);
  return (bytes + 3) / 4;
}

/// SFB sides: a pair with M = 128 splits SFB.
units::ScaleSide sideB(const TensorMma &mma) {
  return mma.ctas.size() == 2 && mma.idesc.m == 128 ? units::ScaleSide::BSplit
                                                    : units::ScaleSide::B;
}

/// Gathers scale factors; false (with an error) when the copies differ.
bool gatherScales(Machine &m, const TensorMma &mma, Cta &cta,
                  units::ScaleSide side, uint32_t base, uint32_t count,
                  uint32_t id, std::vector<uint8_t> &result, Warp &warp) {
  result.resize(count * mma.scaleVector);
  uint32_t column = base & 0xFFFF;
  for (uint32_t index = 0; index < count; ++index)
    for (uint32_t k = 0; k < mma.scaleVector; ++k) {
      units::ScaleFactorCell cell =
          units::scaleFactorCell(side, index, k, id, mma.idesc.n);
      uint8_t value = 0;
      for (uint32_t copy = 0; copy < cell.copies; ++copy) {
        uint32_t lane = cell.lane + copy * cell.laneStride;
        uint32_t word = cta.tensor->cell(lane % 128, column + cell.column);
        uint8_t byte = static_cast<uint8_t>(word >> (8 * cell.byte));
        if (copy == 0)
          value = byte;
        else if (byte != value) {
          m.diagnose(
              Severity::Error, "scale-copies",
              "the copies of scale factor " + std::to_string(k) + " of row " +
                  std::to_string(index) + " in tensor memory differ: lane " +
                  std::to_string(cell.lane) + " has " + hex(value) + ", lane " +
                  std::to_string(lane) + " has " + hex(byte) + " (column " +
                  std::to_string(column + cell.column) + ")",
              mma.line, &cta, static_cast<int>(warp.index), -1);
          return false;
        }
      }
      result[index * mma.scaleVector + k] = value;
    }
  return true;
}

/// A from tensor memory: lane = row, the row's bytes along the columns.
void gatherTensorA(const TensorMma &mma, Cta &cta,
                   std::vector<uint8_t> &codes) {
  uint32_t bytes = mma.spec.packedA
                       ? mma.spec.k / 2
                       : mma.spec.k * units::codeBytes(mma.spec.aFormat);
  uint32_t shift = units::tensorMemoryContainerShift(
      units::formatTraits(mma.spec.aFormat).storageBits);
  bool container = !mma.spec.packedA &&
                   units::formatTraits(mma.spec.aFormat).storageBits < 8;
  for (uint32_t row = 0; row < mma.rows; ++row) {
    uint32_t lane = (mma.aTensor >> 16) + row;
    if (mma.ctas.size() == 1 && mma.idesc.m == 64 && !mma.weightStationary)
      lane = (mma.aTensor >> 16) + row % 16 + 32 * (row / 16);
    for (uint32_t byte = 0; byte < bytes; ++byte) {
      uint32_t word = cta.tensor->cell(
          lane % 128, ((mma.aTensor & 0xFFFF) + byte / 4) % 512);
      uint8_t value = static_cast<uint8_t>(word >> (8 * (byte % 4)));
      codes[row * bytes + byte] =
          container ? static_cast<uint8_t>(value >> shift) : value;
    }
  }
}

void applyMma(Machine &m, const TensorMma &mma, Warp &warp) {
  auto fail = [&](const std::string &message, const char *kind) {
    m.diagnose(Severity::Error, kind, "tcgen05.mma: " + message, mma.line,
               mma.ctas[0], static_cast<int>(warp.index), -1);
  };
  auto tileBytes = [&](const units::OperandTile &tile, uint32_t rows) {
    return tile.packedFp4 ? rows * tile.k / 2
                          : rows * tile.k * units::codeBytes(tile.format);
  };
  // All of B: a pair's CTAs hold half of its rows each.
  std::vector<uint8_t> b(tileBytes(mma.b, mma.idesc.n));
  size_t at = 0;
  for (Cta *cta : mma.ctas) {
    std::string error = units::gatherOperand(mma.b, cta->shared.data(),
                                             m.sharedEnd, b.data() + at);
    if (!error.empty())
      return fail("B: " + error, "invalid-read");
    at += tileBytes(mma.b, mma.b.rows);
  }
  for (size_t rank = 0; rank < mma.ctas.size(); ++rank) {
    Cta &cta = *mma.ctas[rank];
    std::vector<uint8_t> a(mma.aInTensor ? mma.rows * aTensorColumns(mma) * 4
                                         : tileBytes(mma.a, mma.rows));
    if (mma.aInTensor) {
      gatherTensorA(mma, cta, a);
    } else {
      std::string error =
          units::gatherOperand(mma.a, cta.shared.data(), m.sharedEnd, a.data());
      if (!error.empty())
        return fail("A: " + error, "invalid-read");
    }
    std::vector<uint8_t> sfa, sfb;
    if (mma.scaleVector != 0 &&
        (!gatherScales(m, mma, cta, units::ScaleSide::A, mma.sfa, mma.rows,
                       mma.idesc.scaleIdA, sfa, warp) ||
         !gatherScales(m, mma, cta, sideB(mma), mma.sfb, mma.idesc.n,
                       mma.idesc.scaleIdB, sfb, warp)))
      return;
    uint32_t n = mma.idesc.n;
    uint32_t column = mma.d & 0xFFFF;
    uint32_t lane = mma.d >> 16;
    bool direct = (mma.layout == units::AccumulatorLayout::D ||
                   mma.layout == units::AccumulatorLayout::A) &&
                  !mma.hasLaneMask && lane == 0;
    if (direct) {
      std::string error =
          units::mmaTile(mma.spec, a.data(), b.data(), sfa.data(), sfb.data(),
                         &cta.tensor->cell(0, column), mma.accumulate, 512);
      if (!error.empty())
        return fail(error, "mma");
      continue;
    }
    std::vector<uint32_t> d(mma.rows * n);
    auto cellOf = [&](uint32_t row, uint32_t k) -> uint32_t & {
      units::AccumulatorCell cell = units::accumulatorCell(
          mma.layout, static_cast<uint32_t>(rank) * mma.rows + row, k, n);
      return cta.tensor->cell((lane + cell.lane) % 128, column + cell.column);
    };
    for (uint32_t row = 0; row < mma.rows; ++row)
      for (uint32_t k = 0; k < n; ++k)
        d[row * n + k] = cellOf(row, k);
    std::string error = units::mmaTile(mma.spec, a.data(), b.data(), sfa.data(),
                                       sfb.data(), d.data(), mma.accumulate);
    if (!error.empty())
      return fail(error, "mma");
    for (uint32_t row = 0; row < mma.rows; ++row)
      for (uint32_t k = 0; k < n; ++k) {
        units::AccumulatorCell cell = units::accumulatorCell(
            mma.layout, static_cast<uint32_t>(rank) * mma.rows + row, k, n);
        uint32_t to = (lane + cell.lane) % 128;
        uint32_t bit = static_cast<uint32_t>(rank) * 128 + to;
        if (mma.hasLaneMask && mma.disabledLanes[bit / 32] >> bit % 32 & 1)
          continue;
        cta.tensor->cell(to, column + cell.column) = d[row * n + k];
      }
  }
}

uint32_t scaleColumnsA(const TensorMma &mma) { return (mma.rows + 31) / 32; }

uint32_t scaleColumnsB(const TensorMma &mma) {
  uint32_t n = mma.idesc.n;
  return ((sideB(mma) == units::ScaleSide::BSplit ? n / 2 : n) + 31) / 32;
}

uint32_t storageBits(const units::OperandTile &tile) {
  return tile.packedFp4 ? 4 : units::codeBytes(tile.format) * 8;
}

void describe(Machine &m, const TensorMma &mma, AsyncOp &op) {
  uint64_t bytes = uint64_t(mma.b.rows) * mma.b.k * storageBits(mma.b) / 8;
  if (!mma.aInTensor)
    bytes += uint64_t(mma.rows) * mma.a.k * storageBits(mma.a) / 8;
  ObservedOperation *told =
      m.describeOperation(op, ObservedOperation::Kind::TensorMma, bytes);
  if (told == nullptr)
    return;
  told->m = mma.idesc.m;
  told->n = mma.idesc.n;
  told->k = mma.idesc.k;
  told->elementBits = storageBits(mma.b);
  told->ctas = static_cast<uint32_t>(mma.ctas.size());
  if (mma.scaleVector != 0) {
    told->scaleColumn[0] = mma.sfa & 0xFFFF;
    told->scaleColumn[1] = mma.sfb & 0xFFFF;
    told->scaleColumns[0] = scaleColumnsA(mma);
    told->scaleColumns[1] = scaleColumnsB(mma);
  }
}

enum Flag : uint8_t {
  WeightStationary = 1,
  ATensor = 2,
  LaneMask = 4,
  ScaleInputD = 8
};

/// a: kind, b: flags, c: scale vector, d: scale-input-d; imm: cta_group.
/// o: d, a, b, idesc, enable, sfa, sfb; immediates of the tensor addresses in
/// addr[0] (d), addr[1] (a), list2 (sfa, sfb). list: lane masks.
Step execMma(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  uint32_t group = static_cast<uint32_t>(i.imm);
  if (!checkCtaGroup(x, i, group))
    return Step::Failed;
  afterThreadSync(x, i);
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    failed = true;
    auto mma = std::make_shared<TensorMma>();
    mma->line = i.line;
    mma->kind = static_cast<MmaKind>(i.a);
    mma->weightStationary = i.b & WeightStationary;
    mma->scaleVector = i.c;
    mma->aInTensor = i.b & ATensor;
    units::MmaQualifiers qualifiers;
    qualifiers.kind = mma->kind;
    qualifiers.ctaGroup = group;
    qualifiers.weightStationary = mma->weightStationary;
    qualifiers.scaleVector = i.c;
    qualifiers.aInTensorMemory = mma->aInTensor;
    std::string wrong = units::decodeInstructionDescriptor(
        x.r<uint32_t>(i.o[3])[lane], qualifiers, mma->idesc);
    if (!wrong.empty()) {
      x.error(i, "instruction-descriptor",
              "instruction descriptor " + hex(x.r<uint32_t>(i.o[3])[lane]) +
                  ": " + wrong,
              lane);
      return;
    }
    wrong = units::accumulatorLayout(group, mma->idesc.m, mma->weightStationary,
                                     false, mma->layout);
    if (!wrong.empty()) {
      x.error(i, "instruction-descriptor", wrong, lane);
      return;
    }
    mma->ctas = ctasOfGroup(x, group);
    mma->rows = mma->idesc.m / group;
    mma->spec = units::mmaSpec(mma->idesc, mma->kind);
    mma->spec.m = mma->rows;
    mma->spec.scaleInputD = i.d;
    if (m.options->arithmetic == Arithmetic::Exact &&
        mma->spec.rule != units::AccumulationRule::Integer)
      mma->spec.rule = units::AccumulationRule::Exact;
    mma->d = x.r<uint32_t>(i.o[0])[lane] +
             static_cast<uint32_t>(i.addr[0].immediate);
    mma->accumulate = *x.r<uint32_t>(i.o[4]) >> lane & 1;
    auto tile = [&](uint64_t bits, bool transposed, NumberFormat format,
                    bool packed, uint32_t rows, units::OperandTile &result,
                    const char *name) {
      std::string error = units::decodeSharedMemoryDescriptor(
          withoutIdleBaseOffset(bits), units::DescriptorForm::Sm100,
          result.descriptor);
      result.major =
          transposed ? units::MatrixMajor::MN : units::MatrixMajor::K;
      result.format = format;
      result.packedFp4 = packed;
      result.rows = rows;
      result.k = mma->idesc.k;
      if (error.empty())
        error = units::checkOperandTile(result);
      if (error.empty())
        return true;
      x.error(i, "matrix-descriptor",
              std::string(name) + " descriptor " + hex(bits) + ": " + error,
              lane);
      return false;
    };
    if (mma->aInTensor) {
      mma->aTensor = x.r<uint32_t>(i.o[1])[lane] +
                     static_cast<uint32_t>(i.addr[1].immediate);
    } else if (!tile(x.r<uint64_t>(i.o[1])[lane], mma->idesc.transposeA,
                     mma->spec.aFormat, mma->spec.packedA, mma->rows, mma->a,
                     "A")) {
      return;
    }
    if (!tile(x.r<uint64_t>(i.o[2])[lane], mma->idesc.transposeB,
              mma->spec.bFormat, mma->spec.packedB, mma->idesc.n / group,
              mma->b, "B"))
      return;
    const uint32_t *list2 = i.list2Count ? &m.module->lists[i.list2] : nullptr;
    if (mma->scaleVector != 0) {
      mma->sfa = x.r<uint32_t>(i.o[5])[lane] + list2[0];
      mma->sfb = x.r<uint32_t>(i.o[6])[lane] + list2[1];
    }
    if (i.b & LaneMask) {
      mma->hasLaneMask = true;
      const uint32_t *list = &m.module->lists[i.list];
      for (uint32_t k = 0; k < i.listCount; ++k)
        mma->disabledLanes[k] = x.r<uint32_t>(list[k])[lane];
    }
    uint32_t dColumns = units::accumulatorColumns(mma->layout, mma->idesc.n);
    uint32_t sfaColumns = scaleColumnsA(*mma);
    uint32_t sfbColumns = scaleColumnsB(*mma);
    for (Cta *cta : mma->ctas) {
      if (!checkTensorRange(x, i, *cta, mma->d, dColumns,
                            "the accumulator of tcgen05.mma", lane))
        return;
      if (mma->aInTensor &&
          !checkTensorRange(x, i, *cta, mma->aTensor, aTensorColumns(*mma),
                            "A of tcgen05.mma", lane))
        return;
      if (mma->scaleVector != 0 &&
          (!checkTensorRange(x, i, *cta, mma->sfa, sfaColumns,
                             "scale-A of tcgen05.mma", lane) ||
           !checkTensorRange(x, i, *cta, mma->sfb, sfbColumns,
                             "scale-B of tcgen05.mma", lane)))
        return;
    }
    uint32_t dRow = mma->d >> 16;
    bool mayStartAt16 = mma->layout == units::AccumulatorLayout::F ||
                        mma->layout == units::AccumulatorLayout::C;
    if (dRow != 0 && !(dRow == 16 && mayStartAt16)) {
      x.error(i, "tensor-memory-lanes",
              "the accumulator must be at lane 0, got lane " +
                  std::to_string(dRow),
              lane);
      return;
    }
    failed = false;
    uint32_t sequence = ++x.warp->sequence[AgentTcgen05];
    x.warp->tensorIssued[static_cast<size_t>(lane)] = sequence;
    if (m.options->checkHazards) {
      Machine::Access access = Machine::pipeAccess(x, i, AgentTcgen05, sequence,
                                                   lane, "tcgen05.mma");
      for (Cta *cta : mma->ctas) {
        auto read = [&](uint32_t address, uint32_t bytes) {
          if (address + bytes <= m.sharedEnd)
            m.readShared(*cta, address, bytes, access);
        };
        if (!mma->aInTensor)
          units::forEachOperandPiece(mma->a, read);
        units::forEachOperandPiece(mma->b, read);
        for (uint32_t quarter = 0; quarter < 4; ++quarter) {
          if (mma->aInTensor)
            m.readTensor(*cta, quarter, mma->aTensor & 0xFFFF,
                         aTensorColumns(*mma), access);
          if (mma->scaleVector != 0) {
            m.readTensor(*cta, quarter, mma->sfa & 0xFFFF, sfaColumns, access);
            m.readTensor(*cta, quarter, mma->sfb & 0xFFFF, sfbColumns, access);
          }
          Machine::Access accumulator = access;
          accumulator.shape = mma->idesc.m << 16 | mma->idesc.n;
          if (mma->accumulate)
            m.readTensor(*cta, quarter, mma->d & 0xFFFF, dColumns, accumulator);
          m.writeTensor(*cta, quarter, mma->d & 0xFFFF, dColumns, accumulator);
        }
      }
    }
    auto op = newTensorOperation(x, i, sequence, lane);
    Machine *machine = &m;
    Warp *warp = x.warp;
    if (!m.options->skipData)
      op->apply = [=]() { applyMma(*machine, *mma, *warp); };
    describe(m, *mma, *op);
    ++m.report.statistics.tensorInstructions;
    m.report.statistics.multiplyAdds +=
        uint64_t(mma->idesc.m) * mma->idesc.n * mma->idesc.k;
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

bool decodeMma(Decoder &d, bool weightStationary) {
  Inst &i = d.inst;
  if (d.take("sp"))
    return d.fail("sparse tcgen05.mma is not supported");
  if (!takeCtaGroup(d))
    return false;
  std::string_view kind = d.takePrefix("kind::");
  static const std::pair<const char *, MmaKind> kinds[] = {
      {"kind::f16", MmaKind::F16},           {"kind::tf32", MmaKind::TF32},
      {"kind::f8f6f4", MmaKind::F8F6F4},     {"kind::i8", MmaKind::I8},
      {"kind::mxf8f6f4", MmaKind::MXF8F6F4}, {"kind::mxf4", MmaKind::MXF4},
      {"kind::mxf4nvf4", MmaKind::MXF4NVF4}};
  bool known = false;
  MmaKind chosen = MmaKind::F16;
  for (auto &[name, value] : kinds)
    if (kind == name) {
      chosen = value;
      known = true;
    }
  if (!known)
    return d.fail("expected a kind");
  bool blockScale = d.take("block_scale");
  std::string_view vector = d.takePrefix("scale_vec::");
  int block = d.takeOne({"block16", "block32"});
  while (!d.takePrefix("collector::").empty())
    ;
  if (d.take("ashift"))
    return d.fail(".ashift is not supported");
  bool scaled = chosen == MmaKind::MXF8F6F4 || chosen == MmaKind::MXF4 ||
                chosen == MmaKind::MXF4NVF4;
  if (scaled != blockScale)
    return d.fail(scaled ? "this kind needs .block_scale"
                         : "this kind has no .block_scale");
  if (scaled && weightStationary)
    return d.fail(".ws has no block scaling");
  if (scaled) {
    uint8_t fromVector = vector == "scale_vec::1X"   ? 1
                         : vector == "scale_vec::2X" ? 2
                         : vector == "scale_vec::4X" ? 4
                                                     : 0;
    uint8_t fromBlock = 0;
    if (block == 0)
      fromBlock = 4;
    if (block == 1)
      fromBlock = chosen == MmaKind::MXF8F6F4 ? 1 : 2;
    if (fromVector != 0 && fromBlock != 0)
      return d.fail("both .scale_vec and .block");
    i.c = fromVector ? fromVector : fromBlock;
    if (i.c == 0) {
      if (chosen == MmaKind::MXF4NVF4)
        return d.fail("kind::mxf4nvf4 needs .block16 or .block32");
      i.c = chosen == MmaKind::MXF8F6F4 ? 1 : 2;
    }
    bool legal = chosen == MmaKind::MXF8F6F4 ? i.c == 1
                 : chosen == MmaKind::MXF4   ? i.c == 2
                                             : i.c == 2 || i.c == 4;
    if (!legal)
      return d.fail("the kind has no such scale vector");
  }
  i.a = static_cast<uint8_t>(chosen);
  i.b = weightStationary ? WeightStationary : 0;
  i.fn = execMma;
  if (!d.count(scaled ? 7 : 5, 8))
    return false;
  int64_t immediate;
  if (!tensorOperand(d, d.operand(0), i.o[0], immediate))
    return false;
  i.addr[0].immediate = static_cast<int32_t>(immediate);
  if (d.operand(1).kind == ptx::Operand::Kind::Address) {
    i.b |= ATensor;
    if (!tensorOperand(d, d.operand(1), i.o[1], immediate))
      return false;
    i.addr[1].immediate = static_cast<int32_t>(immediate);
  } else {
    i.o[1] = d.source(1, Ty::B64);
  }
  i.o[2] = d.source(2, Ty::B64);
  i.o[3] = d.source(3, Ty::B32);
  size_t next = 4;
  if (scaled) {
    uint32_t immediates[2];
    for (unsigned side = 0; side < 2; ++side) {
      if (!tensorOperand(d, d.operand(next++), i.o[5 + side], immediate))
        return false;
      immediates[side] = static_cast<uint32_t>(immediate);
    }
    i.list2 = d.beginList();
    i.list2Count = 2;
    d.addToList(immediates[0]);
    d.addToList(immediates[1]);
  } else if (!weightStationary &&
             d.operand(next).kind == ptx::Operand::Kind::Vector) {
    i.b |= LaneMask;
    if (!registerList(d, d.operand(next++), i.imm == 2 ? 8 : 4, 32, false,
                      i.list, i.listCount))
      return false;
  }
  if (next >= d.operandCount())
    return d.fail("expected enable-input-d");
  i.o[4] = d.source(next++, Ty::Pred);
  if (next < d.operandCount()) {
    if (weightStationary)
      return d.fail("a zero-column mask is not supported");
    int64_t scale;
    if (scaled || !d.immediate(d.operand(next++), scale))
      return d.fail("unexpected operand");
    if (scale < 0 || scale > 15)
      return d.fail("scale-input-d must be 0 to 15");
    i.d = static_cast<uint8_t>(scale);
  }
  if (next != d.operandCount())
    return d.fail("too many operands");
  return !d.failed();
}
} // namespace

void registerTcgen05Mma(OpTable &table) {
  table["tcgen05.mma"] = [](Decoder &d) { return decodeMma(d, false); };
  table["tcgen05.mma.ws"] = [](Decoder &d) { return decodeMma(d, true); };
}

} // namespace bsmm::emulator
