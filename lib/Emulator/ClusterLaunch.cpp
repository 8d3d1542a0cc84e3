//===- ClusterLaunch.cpp - Cluster launch control ---------------*- C++ -*-===//
//
// PTX ISA, "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.
// query_cancel": a running cluster takes over the work of one that has not
// started.
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include <cstring>

namespace bsmm::emulator {

namespace {
/// The 16 bytes of an answer.
struct Answer {
  uint32_t x, y, z;
  uint32_t canceled;
};

/// a: to every CTA of the cluster. addr: answer, mbarrier.
Step execTryCancel(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
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
    uint32_t all = (1u << x.cluster->ctas.size()) - 1;
    if (!to.find(x, i, lane, address, barrier, i.a, all, false))
      return;
    if (to.offset % 16 != 0 || to.offset < SharedReserved ||
        to.offset + 16 > m.sharedEnd) {
      x.error(i, "invalid-write",
              "the answer goes to shared memory " + hex(to.offset) +
                  ", which is misaligned or out of range",
              lane);
      return;
    }
    failed = false;
    to.track(x, i, lane, to.offset, 16, "clusterlaunchcontrol.try_cancel");
    auto op = newOperation(x, i, AsyncOp::Kind::BulkLoad, lane);
    to.attach(*op);
    Machine *machine = &m;
    Warp *warp = x.warp;
    uint32_t line = i.line;
    Knowledge knowledge = knownTo(*x.warp, lane);
    op->apply = [=]() {
      Answer answer = {0, 0, 0, 0};
      // Which clusters are left depends on those before.
      if (machine->overlay != nullptr)
        return machine->abandon();
      if (machine->nextCluster < machine->clusterCount) {
        Dim3 first =
            machine->firstCta(machine->clusterAt(machine->nextCluster++));
        answer = {first.x, first.y, first.z, 1};
        machine->finishedCtas += to.targets[0].cta->cluster->ctas.size();
      }
      for (const Destinations::Target &target : to.targets)
        std::memcpy(target.cta->shared.data() + to.offset, &answer, 16);
      to.complete(*machine, 16, line, warp, lane, knowledge);
    };
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

bool decodeTryCancel(Decoder &d) {
  Inst &i = d.inst;
  d.take("async");
  d.takeOne({"shared::cta", "shared"});
  if (!d.take("mbarrier::complete_tx::bytes"))
    return d.fail("expected .mbarrier::complete_tx::bytes");
  i.a = d.take("multicast::cluster::all");
  d.take("b128");
  i.fn = execTryCancel;
  return d.count(2, 2) && d.address(d.operand(0), Space::Generic, i.addr[0]) &&
         d.address(d.operand(1), Space::Generic, i.addr[1]);
}

Answer answerOf(Exec &x, const Inst &i, int lane) {
  Answer answer;
  std::memcpy(&answer, x.regs + i.o[4] + 16 * lane, 16);
  return answer;
}

/// a: 0 is_canceled, 1 get_first_ctaid of four, 2..4 one coordinate.
Step execQuery(Exec &x, const Inst &i, uint32_t mask) {
  if (i.a == 0) {
    uint32_t result = 0;
    forLanes(mask, [&](int lane) {
      result |= (answerOf(x, i, lane).canceled & 1) << lane;
    });
    uint32_t &p = *x.r<uint32_t>(i.o[0]);
    p = (p & ~mask) | result;
    return Step::Next;
  }
  forLanes(mask, [&](int lane) {
    Answer answer = answerOf(x, i, lane);
    const uint32_t parts[3] = {answer.x, answer.y, answer.z};
    if (i.a >= 2) {
      x.r<uint32_t>(i.o[0])[lane] = parts[i.a - 2];
      return;
    }
    for (unsigned k = 0; k < 3; ++k)
      if (i.o[k] != NoOperand)
        x.r<uint32_t>(i.o[k])[lane] = parts[k];
  });
  return Step::Next;
}

bool decodeQuery(Decoder &d) {
  Inst &i = d.inst;
  i.fn = execQuery;
  if (!d.count(2, 2))
    return false;
  i.o[4] = d.source(1, Ty::B128);
  if (d.take("is_canceled")) {
    d.take("pred");
    d.take("b128");
    i.o[0] = d.destination(0, Ty::Pred);
    return !d.failed();
  }
  int one = d.takeOne(
      {"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"});
  bool four = d.take("get_first_ctaid");
  d.take("v4");
  d.take("b32");
  d.take("b128");
  if (one >= 0) {
    i.a = static_cast<uint8_t>(2 + one);
    i.o[0] = d.destination(0, Ty::B32);
    return !d.failed();
  }
  const ptx::Operand &vector = d.operand(0);
  if (!four || vector.kind != ptx::Operand::Kind::Vector ||
      vector.elements.size() != 4)
    return d.fail("expected get_first_ctaid.v4.b32.b128 {x, y, z, _}");
  i.a = 1;
  for (unsigned k = 0; k < 3; ++k)
    if (vector.elements[k].kind != ptx::Operand::Kind::Sink)
      i.o[k] = d.destination(vector.elements[k], Ty::B32);
  return !d.failed();
}
} // namespace

void registerClusterLaunch(OpTable &table) {
  table["clusterlaunchcontrol.try_cancel"] = decodeTryCancel;
  table["clusterlaunchcontrol.query_cancel"] = decodeQuery;
}

} // namespace bsmm::emulator
