//===- BulkCopies.cpp - cp.async.bulk and tensor copies ---------*- C++ -*-===//
//
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous Copy",
// "cp.async.bulk", "cp.async.bulk.tensor", "cp.reduce.async.bulk".
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

using units::TensorMap;

//===----------------------------------------------------------------------===//
// Where copies end up
//===----------------------------------------------------------------------===//

bool Destinations::find(Exec &x, const Inst &i, int lane, uint32_t address,
                        uint32_t barrierAddress, bool multicast, uint32_t mask,
                        bool pair) {
  Machine &m = *x.machine;
  uint32_t barrierOffset;
  Cta *target = m.sharedTarget(*x.cta, address, offset);
  Cta *barrierCta = m.sharedTarget(*x.cta, barrierAddress, barrierOffset);
  if (target == nullptr || barrierCta == nullptr) {
    x.error(i, "shared-address",
            "a shared memory address of no CTA of the cluster", lane);
    return false;
  }
  if (barrierOffset % 8 != 0) {
    x.error(i, "mbarrier-address",
            "the mbarrier address " + hex(barrierAddress) +
                " is not aligned to 8 bytes",
            lane);
    return false;
  }
  auto add = [&](Cta *cta, Cta *barrier) {
    Mbarrier *object = m.findMbarrier(*barrier, barrierOffset);
    if (object == nullptr) {
      x.error(i, "mbarrier-uninitialised",
              "completes on " + hex(barrierOffset) +
                  ", where there is no initialised mbarrier",
              lane);
      return false;
    }
    if (!object->initFenced)
      x.strict(i, "missing-mbarrier-init-fence",
               "fence.mbarrier_init or fence.proxy.async is recommended "
               "between mbarrier.init and the async proxy's use of the "
               "mbarrier (PTX ISA, fence.mbarrier_init)",
               lane);
    Target to = {cta,
                 barrier,
                 barrierOffset,
                 object->agent,
                 object->clockBase + static_cast<Clock>(object->phase) + 1,
                 object->phase};
    targets.push_back(to);
    // Its own data may come late as well, when another CTA waits for them.
    for (Cta *visited : {cta, barrier})
      if ((cta != x.cta || barrier != x.cta) && m.options->checkHazards &&
          !m.visit(*visited, {&x.warp->knowledge, to.agent, to.clock, true,
                              i.line, x.warp, lane, "a bulk copy"}))
        return false;
    return true;
  };
  size_t ctas = x.cluster->ctas.size();
  if (!multicast) {
    if (barrierCta != target &&
        !(pair && (barrierCta->rank ^ 1) == target->rank)) {
      x.error(i, "mbarrier-remote",
              "the mbarrier is in another CTA than the data", lane);
      return false;
    }
    return add(target, barrierCta);
  }
  if (mask >> ctas != 0 || mask == 0) {
    x.error(i, "multicast-mask",
            "the multicast mask " + hex(mask) + " names CTAs outside the " +
                std::to_string(ctas) + " of the cluster",
            lane);
    return false;
  }
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    if (!(mask >> rank & 1))
      continue;
    uint32_t barrierRank = pair ? (rank & ~1u) | (barrierCta->rank & 1) : rank;
    if (barrierRank >= ctas)
      return false;
    if (!add(x.cluster->ctas[rank].get(), x.cluster->ctas[barrierRank].get()))
      return false;
  }
  return true;
}

int takeReduction(Decoder &d) {
  return d.takeOne({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
}

void Destinations::track(Exec &x, const Inst &i, int lane, uint32_t at,
                         uint32_t bytes, const char *what, bool reduces) const {
  Machine &m = *x.machine;
  if (!m.options->checkHazards)
    return;
  for (const Target &target : targets) {
    Machine::Access access = {&x.warp->knowledge,
                              target.agent,
                              target.clock,
                              true,
                              i.line,
                              x.warp,
                              lane,
                              what};
    access.reduces = reduces;
    m.writeShared(*target.cta, at, bytes, access);
  }
}

void Destinations::attach(AsyncOp &op) const {
  for (const Target &target : targets)
    op.barriers.push_back({target.barrierCta, target.barrierOffset});
}

void Destinations::complete(Machine &m, uint32_t bytes, uint32_t line,
                            Warp *warp, int lane,
                            const Knowledge &knowledge) const {
  for (const Target &target : targets) {
    Mbarrier *barrier =
        m.findMbarrier(*target.barrierCta, target.barrierOffset);
    if (barrier != nullptr && barrier->phase != target.phase)
      m.diagnose(Severity::Error, "transaction-phase",
                 "the copy was issued in phase " +
                     std::to_string(target.phase) + " of the mbarrier at " +
                     hex(target.barrierOffset) + " but completes in phase " +
                     std::to_string(barrier->phase) +
                     ": the bytes expected differ from the bytes delivered",
                 line, target.cta, static_cast<int>(warp->index), lane);
    if (barrier != nullptr)
      barrier->current.join(knowledge);
    m.addTransactions(*target.barrierCta, target.barrierOffset,
                      -static_cast<int64_t>(bytes), line, warp, lane);
  }
}

/// The window of shared memory that [offset, offset + bytes) must be in.
static bool sharedRange(Exec &x, const Inst &i, int lane, uint32_t offset,
                        uint64_t bytes, const char *what) {
  if (offset >= SharedReserved && offset + bytes <= x.machine->sharedEnd)
    return true;
  x.error(i, what[0] == 'r' ? "invalid-read" : "invalid-write",
          std::string(what) + " " + std::to_string(bytes) +
              " bytes at shared memory address " + hex(offset) + ", outside [" +
              hex(SharedReserved) + ", " + hex(x.machine->sharedEnd) + ")",
          lane);
  return false;
}

static GroupQueue &bulkQueue(Exec &x, int lane) { return x.warp->bulk[lane]; }

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

static bool overlap(const std::vector<std::pair<uint64_t, uint64_t>> &a,
                    const std::vector<std::pair<uint64_t, uint64_t>> &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first < b[j].second && b[j].first < a[i].second)
      return true;
    if (a[i].second < b[j].second)
      ++i;
    else
      ++j;
  }
  return false;
}

/// Nothing orders two bulk stores of which none is complete (PTX ISA,
/// "cp.async.bulk"): together they may not write the same bytes. `.read` waits
/// complete nothing.
static void checkStores(Exec &x, const Inst &i, int lane, AsyncOp &op,
                        std::vector<std::pair<uint64_t, uint64_t>> ranges) {
  if (!x.machine->options->checkHazards)
    return;
  std::sort(ranges.begin(), ranges.end());
  for (auto &range : ranges) {
    if (!op.stores.empty() && op.stores.back().second >= range.first)
      op.stores.back().second = std::max(op.stores.back().second, range.second);
    else
      op.stores.push_back(range);
  }
  auto check = [&](const std::shared_ptr<AsyncOp> &other) {
    if ((op.reduces && other->reduces) || !overlap(op.stores, other->stores))
      return;
    x.error(i, "bulk-store-overlap",
            "writes global memory that the bulk store of line " +
                std::to_string(other->line) +
                " may still write: cp.async.bulk.wait_group without .read is "
                "missing between them",
            lane);
  };
  for (auto &warp : x.cta->warps)
    for (auto &[thread, queue] : warp->bulk) {
      for (auto &group : queue.closed)
        for (auto &other : group.ops)
          check(other);
      for (auto &other : queue.open)
        check(other);
    }
}

namespace {
bool coordinatesOf(Exec &x, const Inst &i, int lane, const TensorMap &map,
                   int32_t (&coordinates)[5]) {
  const uint32_t *list = &x.machine->module->lists[i.list];
  if (map.rank != i.listCount) {
    x.error(i, "tensor-map",
            "a copy of " + std::to_string(i.listCount) +
                " dimensions with a tensor map of rank " +
                std::to_string(map.rank),
            lane);
    return false;
  }
  for (uint32_t k = 0; k < i.listCount; ++k)
    coordinates[k] = x.r<int32_t>(list[k])[lane];
  return true;
}

/// Pieces of a box, checked against global memory. False after an error.
bool walkBox(Exec &x, const Inst &i, int lane, const TensorMap &map,
             const int32_t *coordinates, uint32_t offset, bool store,
             std::vector<units::BoxPiece> &pieces) {
  units::BoxWalker walker(map, coordinates, offset,
                          store ? units::TransferDirection::Store
                                : units::TransferDirection::Load);
  units::BoxPiece piece;
  std::string error;
  x.touchGlobal(lane);
  while (walker.next(piece)) {
    if (piece.validEnd > piece.validBegin &&
        x.machine->globalPointer(piece.globalAddress + piece.validBegin,
                                 piece.validEnd - piece.validBegin,
                                 store ? GlobalUse::CheckWrite
                                       : GlobalUse::CheckRead,
                                 error) == nullptr) {
      x.error(i, store ? "invalid-write" : "invalid-read",
              std::string(store ? "writes " : "reads ") + error +
                  " (the tensor map's extents leave its buffer)",
              lane);
      return false;
    }
    pieces.push_back(piece);
  }
  return true;
}

/// a: multicast, b: cta_group (0, 1, 2). addr: map, shared memory, mbarrier.
/// o[0]: multicast mask.
Step execTensorLoad(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    failed = true;
    TensorMap map;
    int32_t coordinates[5] = {};
    uint32_t address, barrier;
    if (!readMap(x, i, i.addr[0], lane, map) ||
        !coordinatesOf(x, i, lane, map, coordinates))
      return;
    if (!sharedAddressOf(x, i.addr[1], lane, address) ||
        !sharedAddressOf(x, i.addr[2], lane, barrier)) {
      x.error(i, "shared-address",
              "expected shared memory addresses of data and mbarrier", lane);
      return;
    }
    Destinations to;
    uint32_t ctaMask = i.a ? x.r<uint32_t>(i.o[0])[lane] & 0xFFFF : 0;
    if (!to.find(x, i, lane, address, barrier, i.a, ctaMask, i.b == 2))
      return;
    std::string wrong = units::checkTransfer(
        map, units::TransferDirection::Load, coordinates, to.offset);
    if (!wrong.empty()) {
      x.error(i, "tensor-copy", wrong, lane);
      return;
    }
    if (!sharedRange(x, i, lane, to.offset, units::boxSharedBytes(map),
                     "writes"))
      return;
    auto pieces = std::make_shared<std::vector<units::BoxPiece>>();
    if (!walkBox(x, i, lane, map, coordinates, to.offset, false, *pieces))
      return;
    failed = false;
    for (const units::BoxPiece &piece : *pieces)
      to.track(x, i, lane, piece.sharedAddress, piece.bytes,
               "cp.async.bulk.tensor");
    uint32_t bytes = static_cast<uint32_t>(units::boxTransactionBytes(map));
    bool converts = map.element == units::TensorMapElement::TFloat32 ||
                    map.element == units::TensorMapElement::TFloat32Ftz;
    auto op = newOperation(x, i, AsyncOp::Kind::BulkLoad, lane);
    to.attach(*op);
    Machine *machine = &m;
    Warp *warp = x.warp;
    uint32_t line = i.line;
    Knowledge knowledge = knownTo(*x.warp, lane);
    if (ObservedOperation *told =
            m.describeOperation(*op, ObservedOperation::Kind::Load, bytes)) {
      told->destinations = static_cast<uint32_t>(to.targets.size());
      describeRows(*pieces, told->rows);
    }
    if (m.options->skipData)
      pieces->clear();
    op->apply = [=]() {
      std::string none;
      uint8_t filled[256 * 8];
      for (const units::BoxPiece &piece : *pieces) {
        const uint8_t *from = nullptr;
        uint32_t valid = piece.validEnd - piece.validBegin;
        if (valid != 0)
          from = machine->globalPointer(piece.globalAddress + piece.validBegin,
                                        valid, GlobalUse::Read, none);
        if (valid != 0 && from == nullptr)
          return;
        const uint8_t *data = from;
        if (valid != piece.bytes) {
          units::fillOutOfBounds(map, filled, piece.bytes);
          if (valid != 0) {
            std::memcpy(filled + piece.validBegin, from, valid);
            units::convertLoaded(map, filled + piece.validBegin, valid);
          }
          data = filled;
        } else if (converts) {
          std::memcpy(filled, from, valid);
          units::convertLoaded(map, filled, valid);
          data = filled;
        }
        for (const Destinations::Target &target : to.targets)
          std::memcpy(target.cta->shared.data() + piece.sharedAddress, data,
                      piece.bytes);
      }
      to.complete(*machine, bytes, line, warp, lane, knowledge);
    };
    ++m.report.statistics.bulkCopies;
    m.report.statistics.bulkBytes += bytes;
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

/// Copies from shared to global memory. a: reduction + 1, or 0.
Step execTensorStore(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    failed = true;
    TensorMap map;
    int32_t coordinates[5] = {};
    uint32_t address, offset;
    if (!readMap(x, i, i.addr[0], lane, map) ||
        !coordinatesOf(x, i, lane, map, coordinates))
      return;
    if (!sharedAddressOf(x, i.addr[1], lane, address) ||
        m.sharedTarget(*x.cta, address, offset) != x.cta) {
      x.error(i, "shared-address",
              "expected an address in the CTA's own shared memory", lane);
      return;
    }
    std::string wrong = units::checkTransfer(
        map, units::TransferDirection::Store, coordinates, offset);
    if (wrong.empty() && i.a)
      wrong = units::checkReduction(
          map.element, static_cast<units::ReductionOperation>(i.a - 1));
    if (!wrong.empty()) {
      x.error(i, "tensor-copy", wrong, lane);
      return;
    }
    if (!sharedRange(x, i, lane, offset, units::boxSharedBytes(map), "reads"))
      return;
    auto pieces = std::make_shared<std::vector<units::BoxPiece>>();
    if (!walkBox(x, i, lane, map, coordinates, offset, true, *pieces))
      return;
    failed = false;
    uint32_t sequence = ++x.warp->sequence[AgentBulkRead];
    if (m.options->checkHazards) {
      Machine::Access access = Machine::pipeAccess(
          x, i, AgentBulkRead, sequence, lane, "cp.async.bulk.tensor");
      for (const units::BoxPiece &piece : *pieces)
        if (piece.validEnd > piece.validBegin)
          m.readShared(*x.cta, piece.sharedAddress + piece.validBegin,
                       piece.validEnd - piece.validBegin, access);
    }
    auto op = newOperation(x, i, AsyncOp::Kind::BulkStore, lane);
    op->sequence = sequence;
    auto data = std::make_shared<std::vector<uint8_t>>();
    Machine *machine = &m;
    Cta *cta = x.cta;
    uint8_t reduction = i.a;
    if (ObservedOperation *told =
            m.describeOperation(*op, ObservedOperation::Kind::Store,
                                units::boxTransactionBytes(map)))
      describeRows(*pieces, told->rows);
    op->readStage = [=]() {
      for (const units::BoxPiece &piece : *pieces)
        data->insert(data->end(), cta->shared.data() + piece.sharedAddress,
                     cta->shared.data() + piece.sharedAddress + piece.bytes);
    };
    op->apply = [=]() {
      size_t at = 0;
      std::string none;
      for (const units::BoxPiece &piece : *pieces) {
        uint32_t valid = piece.validEnd - piece.validBegin;
        if (valid != 0) {
          uint8_t *to = machine->globalPointer(
              piece.globalAddress + piece.validBegin, valid,
              reduction ? GlobalUse::Update : GlobalUse::Write, none);
          const uint8_t *from = data->data() + at + piece.validBegin;
          if (to == nullptr)
            return;
          if (reduction)
            units::reduceElements(
                map.element,
                static_cast<units::ReductionOperation>(reduction - 1), to, from,
                valid);
          else
            std::memcpy(to, from, valid);
        }
        at += piece.bytes;
      }
    };
    ++m.report.statistics.bulkCopies;
    m.report.statistics.bulkBytes += units::boxTransactionBytes(map);
    x.warp->lastBulkStore = i.line;
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const units::BoxPiece &piece : *pieces)
      if (piece.validEnd > piece.validBegin)
        ranges.push_back({piece.globalAddress + piece.validBegin,
                          piece.globalAddress + piece.validEnd});
    op->reduces = i.a != 0;
    checkStores(x, i, lane, *op, std::move(ranges));
    if (m.options->skipData)
      pieces->clear();
    bulkQueue(x, lane).open.push_back(op);
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

Step execTensorPrefetch(Exec &x, const Inst &i, uint32_t mask) {
  bool failed = false;
  forLanes(mask, [&](int lane) {
    TensorMap map;
    int32_t coordinates[5];
    failed |= !readMap(x, i, i.addr[0], lane, map) ||
              !coordinatesOf(x, i, lane, map, coordinates);
  });
  return failed ? Step::Failed : Step::Next;
}

//===----------------------------------------------------------------------===//
// 1-D copies
//===----------------------------------------------------------------------===//

enum Route : uint8_t { GlobalToShared, SharedToGlobal, SharedToShared };

/// a: route, b: multicast, c: reduction + 1, d: element type of it. addr:
/// destination, source, mbarrier; o[0] size, o[1] mask.
Step execBulk(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    failed = true;
    uint32_t size = x.r<uint32_t>(i.o[0])[lane];
    if (size % 16 != 0) {
      x.error(i, "bulk-copy",
              "a bulk copy moves a multiple of 16 bytes, got " +
                  std::to_string(size),
              lane);
      return;
    }
    auto globalSide = [&](const AddressRef &ref, bool write) -> uint64_t {
      uint64_t address = addressOf(x, ref, lane);
      std::string error;
      if (address % 16 != 0) {
        x.error(i, "bulk-copy",
                "the address " + hex(address) + " is not aligned to 16 bytes",
                lane);
        return 0;
      }
      x.touchGlobal(lane);
      if (m.globalPointer(address, size,
                          write ? GlobalUse::CheckWrite : GlobalUse::CheckRead,
                          error) == nullptr) {
        x.error(i, write ? "invalid-write" : "invalid-read",
                (write ? "writes " : "reads ") + error, lane);
        return 0;
      }
      return address;
    };
    auto sharedSide = [&](const AddressRef &ref, uint32_t &address) {
      if (!sharedAddressOf(x, ref, lane, address)) {
        x.error(i, "shared-address", "expected a shared memory address", lane);
        return false;
      }
      if (address % 16 != 0) {
        x.error(i, "bulk-copy",
                "the shared memory address " + hex(address) +
                    " is not aligned to 16 bytes",
                lane);
        return false;
      }
      return true;
    };
    auto op = newOperation(x, i, AsyncOp::Kind::BulkLoad, lane);
    Machine *machine = &m;
    Warp *warp = x.warp;
    Cta *cta = x.cta;
    uint32_t line = i.line;
    uint8_t reduction = i.c;
    units::TensorMapElement element = static_cast<units::TensorMapElement>(i.d);
    auto move = [reduction, element](uint8_t *to, const uint8_t *from,
                                     uint32_t bytes) {
      if (reduction)
        units::reduceElements(
            element, static_cast<units::ReductionOperation>(reduction - 1), to,
            from, bytes);
      else
        std::memmove(to, from, bytes);
    };
    if (i.a == SharedToGlobal) {
      uint64_t global = globalSide(i.addr[0], true);
      uint32_t address, offset;
      if (global == 0 || !sharedSide(i.addr[1], address))
        return;
      if (m.sharedTarget(*x.cta, address, offset) != x.cta) {
        x.error(i, "shared-address",
                "expected an address in the CTA's own shared memory", lane);
        return;
      }
      if (!sharedRange(x, i, lane, offset, size, "reads"))
        return;
      failed = false;
      op->kind = AsyncOp::Kind::BulkStore;
      op->sequence = ++x.warp->sequence[AgentBulkRead];
      if (m.options->checkHazards)
        m.readShared(*x.cta, offset, size,
                     Machine::pipeAccess(x, i, AgentBulkRead, op->sequence,
                                         lane, "cp.async.bulk"));
      auto data = std::make_shared<std::vector<uint8_t>>();
      op->readStage = [=]() {
        data->assign(cta->shared.data() + offset,
                     cta->shared.data() + offset + size);
      };
      // .cp_mask: bit k is for byte k of every 16 bytes.
      uint32_t byteMask =
          i.o[1] == NoOperand ? 0xFFFF : x.r<uint32_t>(i.o[1])[lane] & 0xFFFF;
      bool updates = reduction != 0 || byteMask != 0xFFFF;
      op->apply = [=]() {
        std::string none;
        uint8_t *to = machine->globalPointer(
            global, size, updates ? GlobalUse::Update : GlobalUse::Write, none);
        if (to == nullptr || machine->options->skipData)
          return;
        if (byteMask == 0xFFFF)
          return move(to, data->data(), size);
        for (uint32_t k = 0; k < size; ++k)
          if (byteMask >> (k % 16) & 1)
            to[k] = (*data)[k];
      };
      x.warp->lastBulkStore = i.line;
      if (ObservedOperation *told =
              m.describeOperation(*op, ObservedOperation::Kind::Store, size))
        told->rows.push_back({global, 0, size, 1});
      op->reduces = reduction != 0;
      checkStores(x, i, lane, *op, {{global, global + size}});
      bulkQueue(x, lane).open.push_back(op);
    } else {
      uint32_t address, barrier;
      if (!sharedSide(i.addr[0], address))
        return;
      if (!sharedAddressOf(x, i.addr[2], lane, barrier)) {
        x.error(i, "shared-address", "expected an mbarrier in shared memory",
                lane);
        return;
      }
      Destinations to;
      uint32_t ctaMask = i.b ? x.r<uint32_t>(i.o[1])[lane] & 0xFFFF : 0;
      if (!to.find(x, i, lane, address, barrier, i.b, ctaMask, false) ||
          !sharedRange(x, i, lane, to.offset, size, "writes"))
        return;
      Knowledge knowledge = knownTo(*x.warp, lane);
      to.attach(*op);
      if (i.a == GlobalToShared) {
        uint64_t global = globalSide(i.addr[1], false);
        if (global == 0)
          return;
        if (ObservedOperation *told =
                m.describeOperation(*op, ObservedOperation::Kind::Load, size)) {
          told->destinations = static_cast<uint32_t>(to.targets.size());
          told->rows.push_back({global, 0, size, 1});
        }
        op->apply = [=]() {
          std::string none;
          const uint8_t *from =
              machine->globalPointer(global, size, GlobalUse::Read, none);
          if (from == nullptr)
            return;
          if (machine->options->skipData)
            return to.complete(*machine, size, line, warp, lane, knowledge);
          for (const Destinations::Target &target : to.targets)
            std::memcpy(target.cta->shared.data() + to.offset, from, size);
          to.complete(*machine, size, line, warp, lane, knowledge);
        };
      } else {
        uint32_t source, sourceOffset;
        if (!sharedSide(i.addr[1], source))
          return;
        if (m.sharedTarget(*x.cta, source, sourceOffset) != x.cta) {
          x.error(i, "shared-address",
                  "expected a source in the CTA's own shared memory", lane);
          return;
        }
        if (!sharedRange(x, i, lane, sourceOffset, size, "reads"))
          return;
        op->kind = AsyncOp::Kind::BulkShared;
        m.describeOperation(*op, ObservedOperation::Kind::SharedCopy, size);
        // The source is free again when the copy has completed on the
        // mbarrier of the destination.
        if (m.options->checkHazards)
          m.readShared(*x.cta, sourceOffset, size,
                       {&x.warp->knowledge, to.targets[0].agent,
                        to.targets[0].clock, true, i.line, x.warp, lane,
                        "cp.async.bulk"});
        op->apply = [=]() {
          for (const Destinations::Target &target : to.targets)
            move(target.cta->shared.data() + to.offset,
                 cta->shared.data() + sourceOffset, size);
          to.complete(*machine, size, line, warp, lane, knowledge);
        };
      }
      failed = false;
      to.track(x, i, lane, to.offset, size, "cp.async.bulk", reduction != 0);
    }
    ++m.report.statistics.bulkCopies;
    m.report.statistics.bulkBytes += size;
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Step execCommitGroup(Exec &x, const Inst &, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    GroupQueue &queue = bulkQueue(x, lane);
    queue.closed.push_back({std::move(queue.open)});
    queue.open.clear();
  });
  return Step::Next;
}

/// a: .read; imm: groups that may stay pending.
Step execWaitGroup(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  forLanes(mask, [&](int lane) {
    auto found = x.warp->bulk.find(lane);
    if (found == x.warp->bulk.end())
      return; // it has issued nothing
    GroupQueue &queue = found->second;
    size_t pending = queue.closed.size();
    size_t keep = static_cast<size_t>(i.imm);
    for (size_t k = 0; k + keep < pending; ++k)
      for (auto &op : queue.closed[k].ops) {
        if (i.a)
          m.forceRead(*x.cluster, op);
        else
          m.force(*x.cluster, op);
        m.learnClock(*x.warp, 1u << lane, x.warp->firstAgent + AgentBulkRead,
                     op->sequence);
        m.observeFinished(*x.warp, *op, i.a);
      }
    if (!i.a && keep == 0 && queue.open.empty())
      m.learnClock(*x.warp, 1u << lane, x.warp->firstAgent + AgentBulkWrite,
                   x.warp->sequence[AgentBulkRead]);
    // Groups that have fully completed need no more thought.
    while (!queue.closed.empty() && queue.closed.size() > keep) {
      bool done = true;
      for (auto &op : queue.closed.front().ops)
        done &= op->done;
      if (!done)
        break;
      queue.closed.pop_front();
    }
  });
  return Step::Next;
}

bool tensorDimensions(Decoder &d, uint32_t &rank) {
  int dims = d.takeOne({"1d", "2d", "3d", "4d", "5d"});
  if (dims < 0)
    return d.fail("expected .1d to .5d");
  rank = static_cast<uint32_t>(dims) + 1;
  return true;
}

/// [map, {coordinates}].
bool tensorOperand(Decoder &d, const ptx::Operand &operand, uint32_t rank) {
  Inst &i = d.inst;
  if (operand.kind != ptx::Operand::Kind::Address ||
      operand.elements.size() != 2 ||
      operand.elements[1].kind != ptx::Operand::Kind::Vector)
    return d.fail("expected [tensor-map, {coordinates}]");
  const ptx::Operand &vector = operand.elements[1];
  if (vector.elements.size() != rank)
    return d.fail("expected " + std::to_string(rank) + " coordinates, got " +
                  std::to_string(vector.elements.size()));
  std::vector<uint32_t> offsets;
  for (const ptx::Operand &coordinate : vector.elements)
    offsets.push_back(d.source(coordinate, Ty::S32));
  i.list = d.beginList();
  i.listCount = rank;
  for (uint32_t offset : offsets)
    d.addToList(offset);
  return !d.failed() && d.address(operand, Space::Generic, i.addr[0]);
}

bool decodeTensorCopy(Decoder &d, bool reduce) {
  Inst &i = d.inst;
  uint32_t rank;
  if (!tensorDimensions(d, rank))
    return false;
  d.take("tile");
  if (!d.takePrefix("im2col").empty() || !d.takePrefix("tile::").empty())
    return d.fail("im2col, gather4 and scatter4 are not supported");
  bool toGlobal = false;
  // The first state space is the destination.
  bool shared = d.take("shared::cta");
  bool cluster = d.take("shared::cluster");
  bool global = d.take("global");
  if (!global || shared == cluster)
    return d.fail("expected a copy between global and shared memory");
  toGlobal = d.take("bulk_group");
  bool mbarrier = d.take("mbarrier::complete_tx::bytes");
  if (toGlobal == mbarrier)
    return d.fail("expected one completion mechanism");
  bool multicast = d.take("multicast::cluster");
  int group = d.takeOne({"cta_group::1", "cta_group::2"});
  bool hint = d.take("L2::cache_hint");
  i.b = static_cast<uint8_t>(group + 1);
  if (toGlobal) {
    if (cluster || multicast || group >= 0)
      return d.fail("unsupported modifiers of a store");
    if (reduce) {
      int op = takeReduction(d);
      if (op < 0)
        return d.fail("expected a reduction");
      i.a = static_cast<uint8_t>(op + 1);
    }
    i.fn = execTensorStore;
    if (!d.count(hint ? 3 : 2, hint ? 3 : 2))
      return false;
    if (hint)
      d.source(2, Ty::B64);
    return tensorOperand(d, d.operand(0), rank) &&
           d.address(d.operand(1), Space::Shared, i.addr[1]);
  }
  if (reduce)
    return d.fail("a reduction goes to global memory");
  i.fn = execTensorLoad;
  i.a = multicast;
  size_t operands = 3u + multicast + hint;
  if (!d.count(operands, operands))
    return false;
  if (multicast)
    i.o[0] = d.source(3, Ty::U16);
  if (hint)
    d.source(operands - 1, Ty::B64);
  return tensorOperand(d, d.operand(1), rank) &&
         d.address(d.operand(0), Space::SharedCluster, i.addr[1]) &&
         d.address(d.operand(2), Space::SharedCluster, i.addr[2]);
}

bool decodeBulk(Decoder &d, bool reduce) {
  Inst &i = d.inst;
  bool cta = d.take("shared::cta");
  bool cluster = d.take("shared::cluster");
  bool global = d.take("global");
  bool group = d.take("bulk_group");
  bool mbarrier = d.take("mbarrier::complete_tx::bytes");
  bool multicast = d.take("multicast::cluster");
  bool hint = d.take("L2::cache_hint");
  bool byteMask = d.take("cp_mask");
  if (group == mbarrier)
    return d.fail("expected one completion mechanism");
  if (byteMask && (!group || reduce))
    return d.fail(".cp_mask is for cp.async.bulk to global memory");
  if (group && (!global || !cta))
    return d.fail("expected .global.shared::cta");
  i.a = group ? SharedToGlobal : global ? GlobalToShared : SharedToShared;
  i.b = multicast;
  if (i.a == SharedToShared && (!cta || !cluster))
    return d.fail("expected .shared::cluster.shared::cta");
  if (reduce) {
    d.take("noftz");
    int op = takeReduction(d);
    Ty type = d.takeType();
    if (op < 0)
      return d.fail("expected a reduction");
    using E = units::TensorMapElement;
    static const std::pair<Ty, E> elements[] = {
        {Ty::F16, E::Float16}, {Ty::BF16, E::BFloat16}, {Ty::B32, E::UInt32},
        {Ty::U32, E::UInt32},  {Ty::S32, E::Int32},     {Ty::B64, E::UInt64},
        {Ty::U64, E::UInt64},  {Ty::S64, E::Int64},     {Ty::F32, E::Float32},
        {Ty::F64, E::Float64}};
    const auto *element =
        std::find_if(std::begin(elements), std::end(elements),
                     [&](const auto &entry) { return entry.first == type; });
    if (element == std::end(elements))
      return d.fail("unsupported type");
    i.c = static_cast<uint8_t>(op + 1);
    i.d = static_cast<uint8_t>(element->second);
  }
  i.fn = execBulk;
  size_t operands = (group ? 3u : 4u) + multicast + hint + byteMask;
  if (!d.count(operands, operands))
    return false;
  i.o[0] = d.source(2, Ty::U32);
  if (multicast)
    i.o[1] = d.source(4, Ty::U16);
  if (byteMask)
    i.o[1] = d.source(operands - 1, Ty::B16);
  if (hint)
    d.source(operands - 1 - byteMask, Ty::B64);
  if (!group && !d.address(d.operand(3), Space::SharedCluster, i.addr[2]))
    return false;
  return d.address(d.operand(0), Space::Generic, i.addr[0]) &&
         d.address(d.operand(1), Space::Generic, i.addr[1]);
}
} // namespace

void registerCpAsync(OpTable &table);
void registerTensorMaps(OpTable &table);
void registerClusterLaunch(OpTable &table);

void registerBulkCopies(OpTable &table) {
  table["cp.async.bulk.tensor"] = [](Decoder &d) {
    return decodeTensorCopy(d, false);
  };
  table["cp.reduce.async.bulk.tensor"] = [](Decoder &d) {
    return decodeTensorCopy(d, true);
  };
  table["cp.async.bulk"] = [](Decoder &d) { return decodeBulk(d, false); };
  table["cp.reduce.async.bulk"] = [](Decoder &d) {
    return decodeBulk(d, true);
  };
  table["cp.async.bulk.prefetch.tensor"] = [](Decoder &d) {
    uint32_t rank;
    if (!tensorDimensions(d, rank))
      return false;
    d.take("L2");
    d.take("global");
    d.take("tile");
    bool hint = d.take("L2::cache_hint");
    if (hint)
      d.source(1, Ty::B64);
    d.inst.fn = execTensorPrefetch;
    return tensorOperand(d, d.operand(0), rank);
  };
  table["cp.async.bulk.prefetch"] = [](Decoder &d) {
    d.take("L2");
    d.take("global");
    d.take("L2::cache_hint");
    d.inst.fn = execNothing;
    return d.address(d.operand(0), Space::Global, d.inst.addr[0]);
  };
  table["cp.async.bulk.commit_group"] = [](Decoder &d) {
    d.inst.fn = execCommitGroup;
    return d.count(0, 0);
  };
  table["cp.async.bulk.wait_group"] = [](Decoder &d) {
    d.inst.a = d.take("read");
    d.inst.fn = execWaitGroup;
    if (!d.count(1, 1) || !d.immediate(d.operand(0), d.inst.imm))
      return false;
    return d.inst.imm >= 0 || d.fail("expected a group count");
  };
  registerCpAsync(table);
  registerTensorMaps(table);
  registerClusterLaunch(table);
}

} // namespace bsmm::emulator
