//===- Observe.cpp - Telling an observer ------------------------*- C++ -*-===//

#include "BulkCopies.h"

namespace bsmm::emulator {

static ObservedWarp name(const Machine &m, const Warp &warp) {
  return {m.ctaNumber(*warp.cta), warp.index};
}

void Machine::observeCta(const Cta &cta) {
  if (options->observer == nullptr)
    return;
  ObservedCta told;
  told.cta = ctaNumber(cta);
  told.cluster = cta.cluster->index;
  told.clusterCtas = clusterDim.x * clusterDim.y * clusterDim.z;
  told.warps = static_cast<uint32_t>(cta.warps.size());
  options->observer->beginCta(told);
}

void Machine::observeInstruction(const Warp &warp, uint32_t pc, uint32_t mask) {
  const Inst &inst = module->code[pc];
  ObservedInstruction told;
  told.pc = pc;
  told.line = inst.line;
  told.opcode = inst.opcode;
  told.lanes = mask;
  told.reads = module->lists.data() + inst.uses;
  told.readCount = inst.usesCount;
  told.writes = module->lists.data() + inst.defs;
  told.writeCount = inst.defsCount;
  told.vector = inst.listCount;
  options->observer->instruction(name(*this, warp), told);
}

ObservedOperation *Machine::describeOperation(AsyncOp &op,
                                              ObservedOperation::Kind kind,
                                              uint64_t bytes) {
  if (options->observer == nullptr)
    return nullptr;
  op.observed = std::make_unique<ObservedOperation>();
  op.observed->kind = kind;
  op.observed->bytes = bytes;
  op.observed->line = op.line;
  return op.observed.get();
}

void Machine::observeOperation(const AsyncOp &op) {
  if (options->observer == nullptr || !op.observed)
    return;
  op.observed->id = op.issue;
  options->observer->operation(name(*this, *op.warp), *op.observed);
}

/// Phases of mbarriers that were at the same place before count, too.
static ObservedBarrier phaseOf(uint64_t cta, uint32_t offset,
                               const Mbarrier &barrier) {
  ObservedBarrier result;
  result.owner = cta;
  result.number = offset;
  result.phase = barrier.clockBase + barrier.phase;
  return result;
}

void Machine::observeArrival(const Cta &cta, uint32_t offset,
                             const Mbarrier &barrier, const Warp *warp) {
  if (options->observer == nullptr || warp == nullptr)
    return;
  options->observer->arrival(name(*this, *warp),
                             phaseOf(ctaNumber(cta), offset, barrier),
                             completing != nullptr ? completing->issue : 0);
}

void Machine::observeWait(const Warp &warp, const Cta &cta, uint32_t offset,
                          const Mbarrier &barrier) {
  // A fresh mbarrier counts as one whose phase before the first is complete.
  if (options->observer == nullptr || barrier.phase == 0)
    return;
  ObservedBarrier before = phaseOf(ctaNumber(cta), offset, barrier);
  --before.phase;
  options->observer->observed(name(*this, warp), before);
}

void Machine::observeNamed(const Warp &warp, uint32_t id, uint64_t use,
                           bool arrives) {
  if (options->observer == nullptr)
    return;
  ObservedBarrier barrier;
  barrier.kind = ObservedBarrier::Kind::Named;
  barrier.owner = ctaNumber(*warp.cta);
  barrier.number = id;
  barrier.phase = use;
  if (arrives)
    options->observer->arrival(name(*this, warp), barrier, 0);
  else
    options->observer->observed(name(*this, warp), barrier);
}

void Machine::observeCluster(const Warp &warp, uint64_t phase, bool arrives) {
  if (options->observer == nullptr)
    return;
  ObservedBarrier barrier;
  barrier.kind = ObservedBarrier::Kind::Cluster;
  barrier.owner = warp.cta->cluster->index;
  barrier.phase = phase;
  if (arrives)
    options->observer->arrival(name(*this, warp), barrier, 0);
  else
    options->observer->observed(name(*this, warp), barrier);
}

void Machine::observeFinished(const Warp &warp, const AsyncOp &op,
                              bool readOnly) {
  if (options->observer != nullptr && op.observed)
    options->observer->finished(name(*this, warp), op.issue, readOnly);
}

/// Consecutive pieces that touch are one row; rows of equal length and distance
/// are one entry.
void describeRows(const std::vector<units::BoxPiece> &pieces,
                  std::vector<ObservedRows> &rows) {
  uint64_t begin = 0, end = 0;
  auto close = [&] {
    if (end == begin)
      return;
    uint32_t bytes = static_cast<uint32_t>(end - begin);
    if (!rows.empty() && rows.back().bytes == bytes) {
      ObservedRows &last = rows.back();
      uint64_t stride = begin - (last.address + (last.count - 1) * last.stride);
      if (last.count == 1 || stride == last.stride) {
        last.stride = stride;
        ++last.count;
        return;
      }
    }
    rows.push_back({begin, 0, bytes, 1});
  };
  for (const units::BoxPiece &piece : pieces) {
    if (piece.validEnd == piece.validBegin)
      continue;
    uint64_t from = piece.globalAddress + piece.validBegin;
    if (from != end) {
      close();
      begin = from;
    }
    end = piece.globalAddress + piece.validEnd;
  }
  close();
}

} // namespace bsmm::emulator
