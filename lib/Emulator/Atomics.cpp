//===- Atomics.cpp - atom and red -------------------------------*- C++ -*-===//
//
// PTX ISA, "atom", "red". Lanes of a warp act one after the other.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Numeric.h"

#include <cstring>

namespace bsmm::emulator {

namespace {
enum class AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  Exch,
  Cas,
  And,
  Or,
  Xor
};

template <typename T> T combine(AtomicOp op, T old, T value, T swap) {
  switch (op) {
  case AtomicOp::Add:
    return static_cast<T>(old + value);
  case AtomicOp::Min:
    return old < value ? old : value;
  case AtomicOp::Max:
    return old > value ? old : value;
  case AtomicOp::Inc:
    return old >= value ? 0 : static_cast<T>(old + 1);
  case AtomicOp::Dec:
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  case AtomicOp::Exch:
    return value;
  case AtomicOp::Cas:
    return old == value ? swap : old;
  case AtomicOp::And:
    return old & value;
  case AtomicOp::Or:
    return old | value;
  case AtomicOp::Xor:
    return old ^ value;
  }
  return old;
}

uint64_t combineFloat(AtomicOp op, Ty type, uint64_t old, uint64_t value) {
  auto half = [&](uint32_t a, uint32_t b, bool isBf16) -> uint32_t {
    auto format = isBf16 ? units::NumberFormat::BF16 : units::NumberFormat::F16;
    float x = units::decodeToFloat(format, a);
    float y = units::decodeToFloat(format, b);
    if (op == AtomicOp::Add)
      return units::encodeFromDouble(format, static_cast<double>(x) +
                                                 static_cast<double>(y));
    bool takeFirst = op == AtomicOp::Min ? x <= y : x >= y;
    if (x != x)
      return b;
    if (y != y)
      return a;
    return takeFirst ? a : b;
  };
  switch (type) {
  case Ty::F32: {
    float result = fromBits<float>(static_cast<uint32_t>(old)) +
                   fromBits<float>(static_cast<uint32_t>(value));
    return toBits(canonical(result));
  }
  case Ty::F64:
    return toBits(fromBits<double>(old) + fromBits<double>(value));
  case Ty::F16:
  case Ty::BF16:
    return half(old & 0xFFFF, value & 0xFFFF, type == Ty::BF16);
  default: {
    bool isBf16 = type == Ty::BF16x2;
    return half(old & 0xFFFF, value & 0xFFFF, isBf16) |
           static_cast<uint64_t>(
               half(old >> 16 & 0xFFFF, value >> 16 & 0xFFFF, isBf16))
               << 16;
  }
  }
}
} // namespace

/// a: operation, b: type, c: elements, d: has a result. list: (result, value)
/// offsets; o[0]: swap value of cas.
static Step execAtomic(Exec &x, const Inst &i, uint32_t mask) {
  AtomicOp op = static_cast<AtomicOp>(i.a);
  Ty type = static_cast<Ty>(i.b);
  uint32_t element = bitsOf(type) / 8;
  const uint32_t *list = &x.machine->module->lists[i.list];
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    std::string error;
    Place place = resolve(x, i.addr[0].space, addressOf(x, i.addr[0], lane),
                          element * i.c, GlobalUse::Update, lane, error);
    if (place.pointer == nullptr) {
      x.error(i, "invalid-write", "updates " + error, lane);
      failed = true;
      return;
    }
    synchronise(x, i, place, lane);
    for (uint32_t k = 0; k < i.c; ++k) {
      uint8_t *at = place.pointer + k * element;
      uint64_t old = 0;
      std::memcpy(&old, at, std::min(element, 8u));
      uint32_t from = list[2 * k + 1];
      uint64_t value =
          element == 8 ? x.r<uint64_t>(from)[lane] : x.r<uint32_t>(from)[lane];
      uint64_t swap = 0;
      if (op == AtomicOp::Cas)
        swap = element == 8 ? x.r<uint64_t>(i.o[0])[lane]
                            : x.r<uint32_t>(i.o[0])[lane];
      uint64_t result;
      if (isFloat(type) && op != AtomicOp::Exch && op != AtomicOp::Cas)
        result = combineFloat(op, type, old, value);
      else if (type == Ty::S32)
        result = static_cast<uint32_t>(combine<int32_t>(
            op, static_cast<int32_t>(old), static_cast<int32_t>(value),
            static_cast<int32_t>(swap)));
      else if (type == Ty::S64)
        result = static_cast<uint64_t>(combine<int64_t>(
            op, static_cast<int64_t>(old), static_cast<int64_t>(value),
            static_cast<int64_t>(swap)));
      else if (element == 2)
        result = combine<uint16_t>(op, static_cast<uint16_t>(old),
                                   static_cast<uint16_t>(value),
                                   static_cast<uint16_t>(swap));
      else if (element == 4)
        result = combine<uint32_t>(op, static_cast<uint32_t>(old),
                                   static_cast<uint32_t>(value),
                                   static_cast<uint32_t>(swap));
      else
        result = combine<uint64_t>(op, old, value, swap);
      // A compare-and-swap that fails must not look like progress, or threads
      // that spin on a lock would never be found stuck.
      if (result != old)
        ++x.machine->changes;
      std::memcpy(at, &result, std::min(element, 8u));
      uint32_t to = list[2 * k];
      if (to == NoOperand)
        continue;
      if (element == 8)
        x.r<uint64_t>(to)[lane] = old;
      else
        x.r<uint32_t>(to)[lane] = static_cast<uint32_t>(old);
    }
  });
  return failed ? Step::Failed : Step::Next;
}

static bool decodeAtomic(Decoder &d, bool hasResult) {
  Inst &i = d.inst;
  Space space = Space::Generic;
  takeSpace(d, space);
  takeOrder(d);
  takeCacheHints(d);
  d.take("noftz");
  uint32_t elements = 1;
  int vector = d.takeOne({"v2", "v4", "v8"});
  if (vector >= 0)
    elements = 2u << vector;
  int op = d.takeOne(
      {"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"});
  Ty type = d.takeType();
  if (op < 0)
    return d.fail("expected an operation");
  uint32_t bits = bitsOf(type);
  if (bits != 16 && bits != 32 && bits != 64)
    return d.fail("expected a type of 16, 32 or 64 bits");
  AtomicOp operation = static_cast<AtomicOp>(op);
  bool legal = true;
  switch (operation) {
  case AtomicOp::Add:
    legal = bits != 16 || isFloat(type);
    break;
  case AtomicOp::Min:
  case AtomicOp::Max:
    legal =
        !isFloat(type) || bits == 16 || type == Ty::F16x2 || type == Ty::BF16x2;
    break;
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    legal = type == Ty::U32;
    break;
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    legal = !isFloat(type) && bits >= 32;
    break;
  default:
    break;
  }
  if (!legal)
    return d.fail("the operation does not exist for this type");
  size_t first = hasResult ? 1 : 0;
  size_t values = operation == AtomicOp::Cas ? 2 : 1;
  if (!d.count(first + 1 + values, first + 2 + values))
    return false;
  i.fn = execAtomic;
  i.a = static_cast<uint8_t>(op);
  i.b = static_cast<uint8_t>(type);
  i.c = static_cast<uint8_t>(elements);
  if (!d.address(d.operand(first), space, i.addr[0]))
    return false;
  auto element = [&](const ptx::Operand &operand,
                     uint32_t k) -> const ptx::Operand & {
    if (operand.kind == ptx::Operand::Kind::Vector &&
        operand.elements.size() == elements)
      return operand.elements[k];
    if (elements != 1)
      d.fail("expected a vector of " + std::to_string(elements));
    return operand;
  };
  std::vector<uint32_t> entries;
  for (uint32_t k = 0; k < elements; ++k) {
    uint32_t to = NoOperand;
    if (hasResult) {
      const ptx::Operand &result = element(d.operand(0), k);
      if (result.kind != ptx::Operand::Kind::Sink)
        to = d.destination(result, type);
    }
    entries.push_back(to);
    entries.push_back(d.source(element(d.operand(first + 1), k), type));
  }
  if (operation == AtomicOp::Cas)
    i.o[0] = d.source(first + 2, type);
  if (d.operandCount() == first + 2 + values)
    d.source(first + 1 + values, Ty::B64); // cache policy
  i.list = d.beginList();
  i.listCount = static_cast<uint32_t>(entries.size());
  for (uint32_t entry : entries)
    d.addToList(entry);
  return !d.failed();
}

void registerAtomics(OpTable &table) {
  table["atom"] = [](Decoder &d) { return decodeAtomic(d, true); };
  table["red"] = [](Decoder &d) { return decodeAtomic(d, false); };
}

} // namespace bsmm::emulator
