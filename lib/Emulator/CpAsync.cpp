//===- CpAsync.cpp - Non-bulk asynchronous copies ---------------*- C++ -*-===//
//
// PTX ISA, "cp.async", "cp.async.commit_group", "cp.async.wait_group",
// "cp.async.mbarrier.arrive", "st.async", "red.async".
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include <cstring>

namespace bsmm::emulator {

namespace {
/// a: bytes. o[0]: source bytes or none. addr: destination, source.
Step execCpAsync(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  struct Move {
    uint8_t *to;
    uint64_t from;
    uint32_t bytes;
  };
  auto moves = std::make_shared<std::vector<Move>>();
  uint32_t sequence = ++x.warp->sequence[AgentCpAsync];
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    std::string error;
    uint32_t bytes = i.a;
    if (i.o[0] != NoOperand)
      bytes = std::min(bytes, x.r<uint32_t>(i.o[0])[lane]);
    Place to = resolve(x, Space::Shared, addressOf(x, i.addr[0], lane), i.a,
                       GlobalUse::Write, lane, error);
    if (to.pointer == nullptr) {
      x.error(i, "invalid-write", "writes " + error, lane);
      failed = true;
      return;
    }
    uint64_t address = 0;
    if (bytes != 0) {
      address = addressOf(x, i.addr[1], lane);
      x.touchGlobal(lane);
      if (m.globalPointer(address, bytes, GlobalUse::CheckRead, error) ==
              nullptr ||
          address % i.a != 0) {
        x.error(i, "invalid-read",
                "reads " + (error.empty() ? "misaligned address " + hex(address)
                                          : error),
                lane);
        failed = true;
        return;
      }
    }
    if (m.options->checkHazards)
      m.writeShared(
          *to.shared, to.offset, i.a,
          Machine::pipeAccess(x, i, AgentCpAsync, sequence, lane, "cp.async"));
    moves->push_back({to.pointer, address, bytes});
  });
  if (failed)
    return Step::Failed;
  auto op = newOperation(x, i, AsyncOp::Kind::CpAsync, 0);
  op->sequence = sequence;
  uint32_t size = i.a;
  Machine *machine = &m;
  op->apply = [=]() {
    std::string none;
    for (const Move &move : *moves) {
      const uint8_t *from = move.bytes == 0
                                ? nullptr
                                : machine->globalPointer(move.from, move.bytes,
                                                         GlobalUse::Read, none);
      if (from != nullptr)
        std::memcpy(move.to, from, move.bytes);
      std::memset(move.to + move.bytes, 0, size - move.bytes);
    }
  };
  uint64_t moved = 0;
  for (const Move &move : *moves)
    moved += move.bytes;
  if (ObservedOperation *told =
          m.describeOperation(*op, ObservedOperation::Kind::CpAsync, moved))
    for (const Move &move : *moves)
      if (move.bytes != 0)
        told->rows.push_back({move.from, 0, move.bytes, 1});
  x.warp->cpAsync.open.push_back(op);
  m.issue(*x.cluster, op);
  return Step::Next;
}

void finishGroup(Exec &x, uint32_t mask,
                 std::vector<std::shared_ptr<AsyncOp>> &ops) {
  for (auto &op : ops) {
    x.machine->force(*x.cluster, op);
    x.machine->observeFinished(*x.warp, *op, false);
    x.machine->learnClock(*x.warp, mask, x.warp->firstAgent + AgentCpAsync,
                          op->sequence);
  }
}

/// imm: groups that may stay pending; a: wait_all.
Step execWait(Exec &x, const Inst &i, uint32_t mask) {
  GroupQueue &queue = x.warp->cpAsync;
  size_t keep = i.a ? 0 : static_cast<size_t>(i.imm);
  while (queue.closed.size() > keep) {
    finishGroup(x, mask, queue.closed.front().ops);
    queue.closed.pop_front();
  }
  if (i.a) {
    finishGroup(x, mask, queue.open);
    queue.open.clear();
  }
  return Step::Next;
}

/// The arrival happens when the thread's earlier copies have completed.
/// a: noinc.
Step execArrive(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  GroupQueue &queue = x.warp->cpAsync;
  auto before = std::make_shared<std::vector<std::shared_ptr<AsyncOp>>>();
  for (auto &group : queue.closed)
    before->insert(before->end(), group.ops.begin(), group.ops.end());
  before->insert(before->end(), queue.open.begin(), queue.open.end());
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    uint32_t address, offset;
    Cta *cta = nullptr;
    if (sharedAddressOf(x, i.addr[0], lane, address))
      cta = m.sharedTarget(*x.cta, address, offset);
    Mbarrier *barrier = cta == x.cta ? m.findMbarrier(*cta, offset) : nullptr;
    if (barrier == nullptr) {
      x.error(i, "mbarrier-uninitialised",
              "expected an initialised mbarrier of the own CTA", lane);
      failed = true;
      return;
    }
    if (!i.a)
      ++barrier->pending;
    auto op = newOperation(x, i, AsyncOp::Kind::Commit, lane);
    op->barriers.push_back({cta, offset});
    Machine *machine = &m;
    Warp *warp = x.warp;
    Cluster *cluster = x.cluster;
    Knowledge knowledge = knownTo(*x.warp, lane);
    knowledge.all.raise(warp->firstAgent + AgentCpAsync,
                        warp->sequence[AgentCpAsync]);
    uint32_t line = i.line;
    m.describeOperation(*op, ObservedOperation::Kind::Commit, 0);
    op->apply = [=]() {
      for (auto &earlier : *before)
        machine->force(*cluster, earlier);
      machine->arriveMbarrier(*cta, offset, 1, &knowledge, line, warp, lane);
    };
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

bool decodeCpAsync(Decoder &d) {
  Inst &i = d.inst;
  int cache = d.takeOne({"ca", "cg"});
  d.takeOne({"shared", "shared::cta"});
  d.take("global");
  bool hint = d.take("L2::cache_hint");
  d.takePrefix("L2::");
  int64_t size;
  if (cache < 0 || !d.count(3, 5) || !d.immediate(d.operand(2), size))
    return d.fail("expected cp.async.{ca,cg}.shared.global [d], [s], bytes");
  if ((size != 4 && size != 8 && size != 16) || (cache == 1 && size != 16))
    return d.fail("cp.async copies 4, 8 or 16 bytes (.cg 16), got " +
                  std::to_string(size));
  i.a = static_cast<uint8_t>(size);
  size_t rest = d.operandCount() - 3 - (hint ? 1 : 0);
  if (rest == 1)
    i.o[0] = d.source(3, Ty::U32);
  else if (rest != 0)
    return d.fail("unexpected operands");
  if (hint)
    d.source(d.operandCount() - 1, Ty::B64);
  i.fn = execCpAsync;
  return d.address(d.operand(0), Space::Shared, i.addr[0]) &&
         d.address(d.operand(1), Space::Global, i.addr[1]);
}

/// st.async and red.async: a store to, or reduction in, a CTA of the cluster
/// that completes bytes on an mbarrier there. a: element bytes, b: elements, c:
/// 1 + reduction, d: its TensorMapElement.
Step execStAsync(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  const uint32_t *list = &m.module->lists[i.list];
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    failed = true;
    uint32_t address, barrier;
    if (!sharedAddressOf(x, i.addr[0], lane, address) ||
        !sharedAddressOf(x, i.addr[1], lane, barrier)) {
      x.error(i, "shared-address", "expected shared memory addresses", lane);
      return;
    }
    Destinations to;
    if (!to.find(x, i, lane, address, barrier, false, 0, false))
      return;
    uint32_t bytes = uint32_t(i.a) * i.b;
    if (to.offset % bytes != 0 || to.offset < SharedReserved ||
        to.offset + bytes > m.sharedEnd) {
      x.error(i, "invalid-write",
              "writes shared memory " + hex(to.offset) +
                  ", which is misaligned or out of range",
              lane);
      return;
    }
    failed = false;
    uint8_t reduction = i.c;
    auto element = static_cast<units::TensorMapElement>(i.d);
    to.track(x, i, lane, to.offset, bytes, reduction ? "red.async" : "st.async",
             reduction != 0);
    std::array<uint8_t, 32> data = {};
    for (uint32_t k = 0; k < i.b; ++k)
      std::memcpy(data.data() + k * i.a,
                  x.regs + list[k] + (i.a == 8 ? 8 : 4) * lane, i.a);
    auto op = newOperation(x, i, AsyncOp::Kind::BulkShared, lane);
    to.attach(*op);
    Machine *machine = &m;
    Warp *warp = x.warp;
    uint32_t line = i.line;
    Knowledge knowledge = knownTo(*x.warp, lane);
    m.describeOperation(*op, ObservedOperation::Kind::StAsync, bytes);
    op->apply = [=]() {
      for (const Destinations::Target &target : to.targets) {
        uint8_t *at = target.cta->shared.data() + to.offset;
        if (reduction != 0)
          units::reduceElements(
              element, static_cast<units::ReductionOperation>(reduction - 1),
              at, data.data(), bytes);
        else
          std::memcpy(at, data.data(), bytes);
      }
      to.complete(*machine, bytes, line, warp, lane, knowledge);
    };
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

bool decodeRedAsync(Decoder &d) {
  Inst &i = d.inst;
  d.take("relaxed");
  d.take("cluster");
  d.take("shared::cluster");
  if (!d.take("mbarrier::complete_tx::bytes"))
    return d.fail("expected .mbarrier::complete_tx::bytes");
  int op = takeReduction(d);
  Ty type = d.takeType();
  using Op = units::ReductionOperation;
  using Element = units::TensorMapElement;
  Op reduction = static_cast<Op>(op);
  bool legal = false;
  switch (type) {
  case Ty::U32:
    legal = reduction <= Op::Dec;
    i.d = static_cast<uint8_t>(Element::UInt32);
    break;
  case Ty::S32:
    legal = reduction <= Op::Max;
    i.d = static_cast<uint8_t>(Element::Int32);
    break;
  case Ty::U64:
    legal = reduction == Op::Add;
    i.d = static_cast<uint8_t>(Element::UInt64);
    break;
  case Ty::B32:
    legal = reduction >= Op::And;
    i.d = static_cast<uint8_t>(Element::UInt32);
    break;
  default:
    break;
  }
  if (op < 0 || !legal)
    return d.fail("expected .add, .min, .max, .inc, .dec of .u32, the first "
                  "three of .s32, .add of .u64, or .and, .or, .xor of .b32");
  i.a = static_cast<uint8_t>(bitsOf(type) / 8);
  i.b = 1;
  i.c = static_cast<uint8_t>(op + 1);
  if (!d.count(3, 3))
    return false;
  uint32_t value = d.source(1, type);
  i.list = d.beginList();
  d.addToList(value);
  i.fn = execStAsync;
  return d.address(d.operand(0), Space::SharedCluster, i.addr[0]) &&
         d.address(d.operand(2), Space::SharedCluster, i.addr[1]);
}

bool decodeStAsync(Decoder &d) {
  Inst &i = d.inst;
  d.take("weak");
  d.take("mbarrier::complete_tx::bytes");
  d.take("shared::cluster");
  int vector = d.takeOne({"v2", "v4"});
  i.b = static_cast<uint8_t>(vector < 0 ? 1 : 2 << vector);
  Ty type = d.takeType();
  if ((bitsOf(type) != 32 && bitsOf(type) != 64) || !d.count(3, 3))
    return d.fail("expected st.async with a 32- or 64-bit type");
  i.a = static_cast<uint8_t>(bitsOf(type) / 8);
  std::vector<uint32_t> offsets;
  const ptx::Operand &value = d.operand(1);
  if (value.kind == ptx::Operand::Kind::Vector) {
    if (value.elements.size() != i.b)
      return d.fail("vector of the wrong length");
    for (const ptx::Operand &element : value.elements)
      offsets.push_back(d.source(element, type));
  } else {
    if (i.b != 1)
      return d.fail("expected a vector");
    offsets.push_back(d.source(value, type));
  }
  i.list = d.beginList();
  for (uint32_t offset : offsets)
    d.addToList(offset);
  i.fn = execStAsync;
  return d.address(d.operand(0), Space::SharedCluster, i.addr[0]) &&
         d.address(d.operand(2), Space::SharedCluster, i.addr[1]);
}
} // namespace

void registerCpAsync(OpTable &table) {
  table["cp.async"] = decodeCpAsync;
  table["st.async"] = decodeStAsync;
  table["red.async"] = decodeRedAsync;
  table["cp.async.commit_group"] = [](Decoder &d) {
    d.inst.fn = [](Exec &x, const Inst &, uint32_t) {
      GroupQueue &queue = x.warp->cpAsync;
      queue.closed.push_back({std::move(queue.open)});
      queue.open.clear();
      return Step::Next;
    };
    return d.count(0, 0);
  };
  table["cp.async.wait_group"] = [](Decoder &d) {
    d.inst.fn = execWait;
    if (!d.count(1, 1) || !d.immediate(d.operand(0), d.inst.imm))
      return false;
    return d.inst.imm >= 0 || d.fail("expected a group count");
  };
  table["cp.async.wait_all"] = [](Decoder &d) {
    d.inst.a = 1;
    d.inst.fn = execWait;
    return d.count(0, 0);
  };
  table["cp.async.mbarrier.arrive"] = [](Decoder &d) {
    d.inst.a = d.take("noinc");
    d.takeOne({"shared", "shared::cta"});
    d.take("b64");
    d.inst.fn = execArrive;
    return d.count(1, 1) &&
           d.address(d.operand(0), Space::Generic, d.inst.addr[0]);
  };
}

} // namespace bsmm::emulator
