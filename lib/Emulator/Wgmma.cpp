//===- Wgmma.cpp - Warpgroup matrix multiply (sm_90a) -----------*- C++ -*-===//
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions". Each warp of
// the warpgroup computes its 16 rows of the 64-row tile, so the four warps'
// instructions are independent operations.
//
//===----------------------------------------------------------------------===//

#include "TensorSupport.h"

#include "bsmm/Emulator/Units/Fragments.h"
#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

using units::NumberFormat;

bool registerVector(Decoder &d, const ptx::Operand &operand, uint32_t count,
                    uint32_t bits, bool isDestination,
                    std::vector<uint32_t> &offsets) {
  Ty type = bits == 32 ? Ty::B32 : bits == 64 ? Ty::B64 : Ty::B16;
  auto add = [&](const ptx::Operand &element) {
    uint32_t offset =
        isDestination ? d.destination(element, type) : d.source(element, type);
    offsets.push_back(offset);
    return offset != NoOperand;
  };
  if (operand.kind != ptx::Operand::Kind::Vector) {
    if (count != 1)
      return d.fail("expected a vector of " + std::to_string(count) +
                    " registers");
    return add(operand);
  }
  if (operand.elements.size() != count)
    return d.fail("expected a vector of " + std::to_string(count) +
                  " registers, got " + std::to_string(operand.elements.size()));
  for (const ptx::Operand &element : operand.elements)
    if (!add(element))
      return false;
  return true;
}

bool registerList(Decoder &d, const ptx::Operand &operand, uint32_t count,
                  uint32_t bits, bool isDestination, uint32_t &list,
                  uint32_t &listCount) {
  std::vector<uint32_t> offsets;
  if (!registerVector(d, operand, count, bits, isDestination, offsets))
    return false;
  list = d.beginList();
  listCount = count;
  for (uint32_t offset : offsets)
    d.addToList(offset);
  return true;
}

namespace {
/// extra: index of the MmaLayout that holds the spec (m = 16); a: A is in
/// registers, b/c: A/B are MN-major, d/e: 1 negates A/B. list: D registers,
/// list2: A registers. o[0] A descriptor, o[1] B descriptor, o[2] scale-d.
Step execMmaAsync(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  Warp &warp = *x.warp;
  const MmaLayout &layout = m.module->mmaLayouts[i.extra];
  units::MmaSpec spec = layout.spec;
  if (m.options->arithmetic == Arithmetic::Exact &&
      spec.rule != units::AccumulationRule::Integer)
    spec.rule = units::AccumulationRule::Exact;
  spec.negateA = i.d;
  spec.negateB = i.e;
  if (m.threadsPerCta < (warp.index / 4 + 1) * 128)
    return x.fatal(i, "wgmma", "wgmma needs a whole warpgroup of 128 threads");
  if (!warp.wgmmaFenced) {
    x.error(i, "wgmma-fence",
            "registers of the wgmma were written since the last "
            "wgmma.fence");
    warp.wgmmaFenced = true;
  }
  int lane = __builtin_ctz(mask);
  auto operandTile = [&](uint64_t bits, bool mnMajor, NumberFormat format,
                         uint32_t rows, units::OperandTile &tile) {
    std::string wrong = units::decodeSharedMemoryDescriptor(
        bits, units::DescriptorForm::Sm90, tile.descriptor);
    tile.major = mnMajor ? units::MatrixMajor::MN : units::MatrixMajor::K;
    tile.format = format;
    tile.rows = rows;
    tile.k = spec.k;
    if (wrong.empty())
      wrong = units::checkOperandTile(tile);
    return wrong;
  };
  units::OperandTile a, b;
  std::string wrong;
  if (!i.a)
    wrong = operandTile(x.r<uint64_t>(i.o[0])[lane], i.b, spec.aFormat, 64, a);
  if (wrong.empty())
    wrong =
        operandTile(x.r<uint64_t>(i.o[1])[lane], i.c, spec.bFormat, spec.n, b);
  if (!wrong.empty())
    return x.fatal(i, "matrix-descriptor", wrong, lane);
  const uint32_t *list = &m.module->lists[i.list];
  uint32_t sequence = ++warp.sequence[AgentWgmma];
  if (m.options->checkHazards) {
    Machine::Access access = Machine::pipeAccess(x, i, AgentWgmma, sequence,
                                                 lane, "wgmma.mma_async");
    auto read = [&](uint32_t address, uint32_t bytes) {
      if (address + bytes <= m.sharedEnd)
        m.readShared(*x.cta, address, bytes, access);
    };
    // Each warp reads its 16 rows of A and all of B.
    if (!i.a) {
      units::OperandTile own = a;
      if (a.major == units::MatrixMajor::K) {
        own.rows = 16;
        own.descriptor.startAddress =
            (a.descriptor.startAddress +
             warp.index % 4 * 2 * a.descriptor.strideByteOffset) &
            0x3FFFF;
      }
      units::forEachOperandPiece(own, read);
    }
    units::forEachOperandPiece(b, read);
    for (uint32_t k = 0; k < i.listCount; ++k)
      warp.hazards.emplace(list[k],
                           RegisterHazard{sequence, false, true, i.line});
    const uint32_t *aList = &m.module->lists[i.list2];
    for (uint32_t k = 0; k < i.list2Count; ++k)
      warp.hazards.emplace(aList[k],
                           RegisterHazard{sequence, true, true, i.line});
  }
  bool accumulate = *x.r<uint32_t>(i.o[2]) >> lane & 1;
  auto op = newOperation(x, i, AsyncOp::Kind::Wgmma, 0);
  op->sequence = sequence;
  op->pipe = &warp.wgmmaPipe;
  uint32_t kBytes = spec.k * units::codeBytes(spec.aFormat);
  if (ObservedOperation *told =
          m.describeOperation(*op, ObservedOperation::Kind::Wgmma,
                              (spec.n + (i.a ? 0 : 64)) * kBytes)) {
    told->m = 64;
    told->n = spec.n;
    told->k = spec.k;
    told->elementBits = units::codeBytes(spec.aFormat) * 8;
  }
  const Inst *inst = &i;
  Machine *machine = &m;
  Cta *cta = x.cta;
  Warp *owner = &warp;
  op->apply = [=]() {
    if (machine->options->skipData)
      return;
    const Inst &i = *inst;
    const uint32_t *list = &machine->module->lists[i.list];
    const uint32_t *aList = &machine->module->lists[i.list2];
    uint32_t elementBytes = units::codeBytes(spec.aFormat);
    uint32_t rowBytes = spec.k * elementBytes;
    std::vector<uint8_t> aCodes(64 * rowBytes), bCodes(spec.n * rowBytes);
    std::string error;
    uint32_t first = owner->index % 4 * 16;
    uint8_t *regs = owner->regs;
    auto reg = [&](uint32_t offset, uint32_t l) -> uint32_t & {
      return reinterpret_cast<uint32_t *>(regs + offset)[l];
    };
    if (i.a) {
      uint32_t bits = elementBytes * 8;
      for (uint32_t l = 0; l < 32; ++l)
        for (uint32_t e = 0; e < 16 * spec.k / 32; ++e) {
          units::MatrixElement at =
              units::wgmmaAFragment(owner->index % 4 * 32 + l, e, bits);
          uint32_t value = reg(aList[e * bits / 32], l) >> (e * bits % 32);
          std::memcpy(&aCodes[at.row * rowBytes + at.column * elementBytes],
                      &value, elementBytes);
        }
    } else {
      error = units::gatherOperand(a, cta->shared.data(), machine->sharedEnd,
                                   aCodes.data());
    }
    if (error.empty())
      error = units::gatherOperand(b, cta->shared.data(), machine->sharedEnd,
                                   bCodes.data());
    if (!error.empty()) {
      machine->diagnose(Severity::Error, "invalid-read",
                        "wgmma.mma_async: " + error, i.line, cta,
                        static_cast<int>(owner->index), -1);
      return;
    }
    bool half = spec.accumulator == units::AccumulatorFormat::F16;
    std::vector<uint32_t> d(16 * spec.n);
    for (uint32_t l = 0; l < 32; ++l)
      for (uint32_t e = 0; e < spec.n / 2; ++e) {
        units::MatrixElement at =
            units::wgmmaAccumulator(owner->index % 4 * 32 + l, e);
        d[(at.row - first) * spec.n + at.column] =
            half ? reg(list[e / 2], l) >> (16 * (e % 2)) & 0xFFFF
                 : reg(list[e], l);
      }
    error =
        units::mmaTile(spec, aCodes.data() + first * rowBytes, bCodes.data(),
                       nullptr, nullptr, d.data(), accumulate);
    if (!error.empty()) {
      machine->diagnose(Severity::Error, "wgmma", error, i.line, cta,
                        static_cast<int>(owner->index), -1);
      return;
    }
    for (uint32_t l = 0; l < 32; ++l)
      for (uint32_t e = 0; e < spec.n / 2; ++e) {
        units::MatrixElement at =
            units::wgmmaAccumulator(owner->index % 4 * 32 + l, e);
        uint32_t value = d[(at.row - first) * spec.n + at.column];
        if (half) {
          uint32_t &to = reg(list[e / 2], l);
          to = e % 2 ? (to & 0xFFFF) | value << 16
                     : (to & 0xFFFF0000u) | (value & 0xFFFF);
        } else {
          reg(list[e], l) = value;
        }
      }
  };
  warp.wgmma.open.push_back(op);
  if (warp.index % 4 == 0)
    ++m.report.statistics.tensorInstructions;
  m.report.statistics.multiplyAdds += uint64_t(16) * spec.n * spec.k;
  m.issue(*x.cluster, op);
  return Step::Next;
}

Step execFence(Exec &x, const Inst &, uint32_t) {
  x.warp->wgmmaFenced = true;
  return Step::Next;
}

Step execCommit(Exec &x, const Inst &, uint32_t) {
  GroupQueue &queue = x.warp->wgmma;
  queue.closed.push_back({std::move(queue.open)});
  queue.open.clear();
  return Step::Next;
}

Step execWait(Exec &x, const Inst &i, uint32_t) {
  Machine &m = *x.machine;
  Warp &warp = *x.warp;
  GroupQueue &queue = warp.wgmma;
  uint32_t observed = 0;
  while (queue.closed.size() > static_cast<size_t>(i.imm)) {
    for (auto &op : queue.closed.front().ops) {
      m.force(*x.cluster, op);
      m.observeFinished(warp, *op, false);
      observed = std::max(observed, op->sequence);
    }
    queue.closed.pop_front();
  }
  if (observed != 0) {
    m.learnClock(warp, ~0u, warp.firstAgent + AgentWgmma, observed);
    for (auto it = warp.hazards.begin(); it != warp.hazards.end();)
      it = it->second.fromWgmma && it->second.sequence <= observed
               ? warp.hazards.erase(it)
               : std::next(it);
  }
  return Step::Next;
}

bool decodeMmaAsync(Decoder &d) {
  Inst &i = d.inst;
  if (d.take("sp"))
    return d.fail("sparse wgmma is not supported");
  d.take("sync");
  d.take("aligned");
  MmaLayout layout;
  units::MmaSpec &spec = layout.spec;
  std::string_view shape = d.takePrefix("m64n");
  size_t at = shape.find('k');
  if (shape.empty() || at == std::string_view::npos)
    return d.fail("expected a shape m64nNkK");
  auto number = [](std::string_view text) {
    uint32_t value = 0;
    for (char c : text)
      value = c >= '0' && c <= '9' && value < 100000
                  ? value * 10 + static_cast<uint32_t>(c - '0')
                  : 1000000u;
    return value;
  };
  spec.m = 16;
  spec.n = number(shape.substr(4, at - 4));
  spec.k = number(shape.substr(at + 1));
  if (spec.n < 8 || spec.n > 256 || spec.n % 8 != 0)
    return d.fail("N must be a multiple of 8 from 8 to 256");
  spec.saturate = d.take("satfinite");
  Ty dType = d.takeType();
  Ty aType = d.takeType();
  Ty bType = d.takeType();
  uint32_t bits = 8;
  bool known = true;
  auto format = [&](Ty type, NumberFormat &result,
                    units::IntegerFormat &integer) {
    switch (type) {
    case Ty::F16:
      result = NumberFormat::F16;
      bits = 16;
      break;
    case Ty::BF16:
      result = NumberFormat::BF16;
      bits = 16;
      break;
    case Ty::TF32:
      result = NumberFormat::TF32;
      bits = 32;
      break;
    case Ty::E4M3:
      result = NumberFormat::E4M3;
      break;
    case Ty::E5M2:
      result = NumberFormat::E5M2;
      break;
    case Ty::U8:
      integer = units::IntegerFormat::U8;
      break;
    case Ty::S8:
      integer = units::IntegerFormat::S8;
      break;
    default:
      known = false;
    }
  };
  format(bType, spec.bFormat, spec.bInteger);
  uint32_t bBits = bits;
  bits = 8;
  format(aType, spec.aFormat, spec.aInteger);
  bool isInteger = spec.aInteger != units::IntegerFormat::None;
  if (!known || bits != bBits || spec.k * bits != 256 ||
      (bits >= 16 && aType != bType) ||
      isInteger != (spec.bInteger != units::IntegerFormat::None))
    return d.fail("this combination of types and shape does not exist");
  if (dType == Ty::F32 && !isInteger)
    spec.accumulator = units::AccumulatorFormat::F32;
  else if (dType == Ty::F16 && !isInteger && (bits == 8 || aType == Ty::F16))
    spec.accumulator = units::AccumulatorFormat::F16;
  else if (dType == Ty::S32 && isInteger)
    spec.accumulator = units::AccumulatorFormat::S32;
  else
    return d.fail("unsupported accumulator type");
  spec.rule = isInteger
                  ? units::AccumulationRule::Integer
                  : units::accumulationRule(units::TensorInstruction::Wgmma,
                                            spec.aFormat, false);
  bool transposable = bits == 16;
  bool aInRegisters = d.operand(1).kind == ptx::Operand::Kind::Vector;
  size_t operands = isInteger ? 4 : 6;
  if (transposable)
    operands += aInRegisters ? 1 : 2;
  if (!d.count(operands, operands))
    return false;
  i.a = aInRegisters;
  uint32_t dRegisters = spec.accumulator == units::AccumulatorFormat::F16
                            ? spec.n / 4
                            : spec.n / 2;
  if (!registerList(d, d.operand(0), dRegisters, 32, true, i.list, i.listCount))
    return false;
  if (aInRegisters) {
    if (!registerList(d, d.operand(1), 4, 32, false, i.list2, i.list2Count))
      return false;
  } else {
    i.o[0] = d.source(1, Ty::B64);
  }
  i.o[1] = d.source(2, Ty::B64);
  i.o[2] = d.source(3, Ty::Pred);
  auto sign = [&](size_t index, uint8_t &negates) {
    int64_t value;
    if (!d.immediate(d.operand(index), value))
      return false;
    if (value != 1 && value != -1)
      return d.fail("expected a scale of 1 or -1");
    negates = value == -1;
    return true;
  };
  auto transpose = [&](size_t index, uint8_t &result) {
    int64_t value;
    if (!d.immediate(d.operand(index), value))
      return false;
    if (value != 0 && value != 1)
      return d.fail("expected 0 or 1");
    result = static_cast<uint8_t>(value);
    return true;
  };
  if (!isInteger && (!sign(4, i.d) || !sign(5, i.e)))
    return false;
  if (transposable) {
    size_t next = 6;
    if (!aInRegisters && !transpose(next++, i.b))
      return false;
    if (!transpose(next, i.c))
      return false;
  }
  std::string wrong = units::checkMmaSpec(spec);
  if (!wrong.empty())
    return d.fail(wrong);
  for (uint32_t k = 0; k < i.listCount; ++k)
    d.module.wgmmaRegisters.insert(d.module.lists[i.list + k]);
  for (uint32_t k = 0; k < i.list2Count; ++k)
    d.module.wgmmaRegisters.insert(d.module.lists[i.list2 + k]);
  i.fn = execMmaAsync;
  i.together = Together::Aligned;
  i.isTensor = true;
  i.extra = static_cast<uint32_t>(d.module.mmaLayouts.size());
  d.module.mmaLayouts.push_back(layout);
  return !d.failed();
}
} // namespace

void registerWgmma(OpTable &table) {
  table["wgmma.mma_async"] = decodeMmaAsync;
  table["wgmma.fence"] = [](Decoder &d) {
    d.take("sync");
    d.take("aligned");
    d.inst.together = Together::Aligned;
    d.inst.isTensor = true;
    d.inst.fn = execFence;
    return d.count(0, 0);
  };
  table["wgmma.commit_group"] = [](Decoder &d) {
    d.take("sync");
    d.take("aligned");
    d.inst.together = Together::Aligned;
    d.inst.isTensor = true;
    d.inst.fn = execCommit;
    return d.count(0, 0);
  };
  table["wgmma.wait_group"] = [](Decoder &d) {
    d.take("sync");
    d.take("aligned");
    d.inst.together = Together::Aligned;
    d.inst.isTensor = true;
    d.inst.fn = execWait;
    if (!d.count(1, 1) || !d.immediate(d.operand(0), d.inst.imm))
      return false;
    return (d.inst.imm >= 0 && d.inst.imm <= 7) ||
           d.fail("expected 0 to 7 groups");
  };
}

} // namespace bsmm::emulator
