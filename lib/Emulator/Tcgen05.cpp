//===- Tcgen05.cpp - Tensor memory and its movement -------------*- C++ -*-===//
//
// PTX ISA, "TensorCore 5th Generation Family Instructions": alloc, dealloc,
// relinquish_alloc_permit, ld, st, wait, cp, shift, commit, fence. The
// multiplication is in Tcgen05Mma.cpp.
//
//===----------------------------------------------------------------------===//

#include "Tcgen05.h"

#include "bsmm/Emulator/Units/SharedMemoryDescriptor.h"
#include "bsmm/Emulator/Units/TensorMemoryShapes.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

//===----------------------------------------------------------------------===//
// Common checks
//===----------------------------------------------------------------------===//

bool checkCtaGroup(Exec &x, const Inst &i, uint32_t group) {
  if (group == 2 && x.cluster->ctas.size() % 2 != 0) {
    x.error(i, "cta-group", ".cta_group::2 needs a cluster of CTA pairs");
    return false;
  }
  if (x.cta->ctaGroupUsed != 0 && x.cta->ctaGroupUsed != group)
    x.error(i, "cta-group",
            ".cta_group::" + std::to_string(group) +
                " in a kernel that also uses .cta_group::" +
                std::to_string(x.cta->ctaGroupUsed));
  x.cta->ctaGroupUsed = group;
  return true;
}

std::shared_ptr<AsyncOp> newTensorOperation(Exec &x, const Inst &i,
                                            uint32_t sequence, int lane) {
  auto op = newOperation(x, i, AsyncOp::Kind::Tensor, lane);
  op->sequence = sequence;
  op->pipe = &x.warp->tensorPipe[lane];
  return op;
}

std::vector<Cta *> ctasOfGroup(Exec &x, uint32_t group) {
  if (group == 1)
    return {x.cta};
  return {x.cluster->ctas[x.cta->rank & ~1u].get(),
          x.cluster->ctas[x.cta->rank | 1].get()};
}

bool checkTensorRange(Exec &x, const Inst &i, const Cta &cta, uint32_t address,
                      uint32_t columns, const char *what, int lane) {
  uint32_t column = address & 0xFFFF;
  uint32_t row = address >> 16;
  if (row >= 128 || column + columns > 512) {
    x.error(i, "tensor-memory-range",
            std::string(what) + " at lane " + std::to_string(row) +
                ", columns " + std::to_string(column) + " to " +
                std::to_string(column + columns - 1) +
                " leaves tensor memory (128 lanes x 512 columns)",
            lane);
    return false;
  }
  for (uint32_t k = column; k < column + columns; ++k)
    if (!cta.tensor || cta.tensor->owner[k] == 0) {
      x.error(i, "tensor-memory-unallocated",
              std::string(what) + " uses tensor memory column " +
                  std::to_string(k) + ", which is not allocated",
              lane);
      return false;
    }
  return true;
}

void beforeThreadSync(Exec &x, const Inst &i, const char *what) {
  if (!x.warp->needsBeforeFence)
    return;
  x.strict(i, "missing-before-thread-sync",
           "tcgen05.fence::before_thread_sync is recommended between "
           "tcgen05 operations and " +
               std::string(what) +
               " that orders them (PTX ISA, tcgen05.fence)");
  x.warp->needsBeforeFence = false;
}

void afterThreadSync(Exec &x, const Inst &i) {
  if (!x.warp->needsTensorFence)
    return;
  x.strict(i, "missing-after-thread-sync",
           "tcgen05.fence::after_thread_sync is recommended between a wait "
           "and tcgen05 operations that depend on it (PTX ISA, "
           "tcgen05.fence)");
  x.warp->needsTensorFence = false;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

namespace {
/// imm: cta_group. o[0]: columns.
Step execAlloc(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  int lane = __builtin_ctz(mask);
  uint32_t columns = x.r<uint32_t>(i.o[0])[lane];
  if (!checkCtaGroup(x, i, static_cast<uint32_t>(i.imm)))
    return Step::Failed;
  if (columns < 32 || columns > 512 || (columns & (columns - 1)) != 0)
    return x.fatal(i, "tensor-memory-allocation",
                   "expected a power of two from 32 to 512 columns, got " +
                       std::to_string(columns),
                   lane);
  uint32_t address, offset;
  Cta *target = nullptr;
  if (sharedAddressOf(x, i.addr[0], lane, address))
    target = m.sharedTarget(*x.cta, address, offset);
  if (target != x.cta || offset % 4 != 0 || offset < SharedReserved ||
      offset + 4 > m.sharedEnd)
    return x.fatal(i, "invalid-write",
                   "the address of the allocation must go to the CTA's own "
                   "shared memory, aligned to 4 bytes",
                   lane);
  if (!x.cta->tensor)
    x.cta->tensor = std::make_unique<TensorMemory>();
  TensorMemory &tensor = *x.cta->tensor;
  if (tensor.relinquished)
    return x.fatal(i, "tensor-memory-allocation",
                   "allocates after relinquish_alloc_permit", lane);
  uint32_t base = 512;
  for (uint32_t at = 0; at + columns <= 512; at += 32) {
    bool isFree = true;
    for (uint32_t k = at; k < at + columns && isFree; ++k)
      isFree = tensor.owner[k] == 0;
    if (isFree) {
      base = at;
      break;
    }
  }
  if (base == 512) {
    x.current().wait = WaitKind::TensorAllocation;
    return Step::Blocked;
  }
  if (tensor.lastColumns != 0 && columns > tensor.lastColumns)
    x.strict(i, "tensor-memory-order",
             "allocates " + std::to_string(columns) +
                 " columns after an allocation of " +
                 std::to_string(tensor.lastColumns) +
                 ": later allocations must not be larger (PTX ISA, "
                 "tcgen05.alloc)");
  tensor.lastColumns = columns;
  tensor.lastAllocation = i.line;
  uint16_t owner = tensor.nextOwner++;
  std::fill_n(tensor.owner + base, columns, owner);
  uint32_t held = 512 - static_cast<uint32_t>(std::count(
                            tensor.owner, tensor.owner + 512, uint16_t(0)));
  m.report.statistics.tensorColumns =
      std::max(m.report.statistics.tensorColumns, held);
  // What is in fresh tensor memory is unknown.
  for (uint32_t row = 0; row < 128; ++row)
    std::fill_n(&tensor.cell(row, base), columns, 0xFFFFFFFFu);
  for (uint32_t quarter = 0; quarter < 4; ++quarter)
    for (uint32_t k = base; k < base + columns; ++k)
      tensor.shadow[quarter * 512 + k] = TensorCell();
  if (m.options->checkHazards)
    m.writeShared(*x.cta, offset, 4,
                  m.threadAccess(*x.warp, SharedCell::AnyLane, i,
                                 "tcgen05.alloc")); // of the warp as one
  std::memcpy(x.cta->shared.data() + offset, &base, 4);
  ++m.changes;
  return Step::Next;
}

Step execDealloc(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  int lane = __builtin_ctz(mask);
  uint32_t address = x.r<uint32_t>(i.o[0])[lane];
  uint32_t columns = x.r<uint32_t>(i.o[1])[lane];
  if (!checkCtaGroup(x, i, static_cast<uint32_t>(i.imm)))
    return Step::Failed;
  uint32_t base = address & 0xFFFF;
  TensorMemory *tensor = x.cta->tensor.get();
  bool valid = tensor != nullptr && columns != 0 && base + columns <= 512 &&
               address >> 16 == 0;
  uint16_t owner = valid ? tensor->owner[base] : 0;
  for (uint32_t k = base; valid && k < base + columns; ++k)
    valid = tensor->owner[k] == owner && owner != 0;
  // The whole allocation and nothing else.
  if (valid &&
      ((base != 0 && tensor->owner[base - 1] == owner) ||
       (base + columns < 512 && tensor->owner[base + columns] == owner)))
    valid = false;
  if (!valid)
    return x.fatal(i, "tensor-memory-allocation",
                   "deallocates " + std::to_string(columns) + " columns at " +
                       hex(address) + ", which is no allocation",
                   lane);
  for (auto &op : x.cluster->pending)
    if (!op->done && op->kind == AsyncOp::Kind::Tensor &&
        op->warp->cta == x.cta)
      x.error(i, "tensor-memory-in-use",
              "deallocates tensor memory while the tcgen05 operation of line " +
                  std::to_string(op->line) + " may still be running");
  Machine::Access access = m.threadAccess(*x.warp, lane, i, "tcgen05.dealloc");
  for (uint32_t quarter = 0; quarter < 4; ++quarter)
    m.writeTensor(*x.cta, quarter, base, columns, access);
  std::fill_n(tensor->owner + base, columns, uint16_t(0));
  ++m.changes;
  m.wake(*x.cluster, WaitKind::TensorAllocation, 0, 0);
  return Step::Next;
}

Step execRelinquish(Exec &x, const Inst &i, uint32_t) {
  if (!checkCtaGroup(x, i, static_cast<uint32_t>(i.imm)))
    return Step::Failed;
  if (x.cta->tensor)
    x.cta->tensor->relinquished = true;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// ld and st
//===----------------------------------------------------------------------===//

/// The address, the same in all lanes, checked. False after an error.
bool tensorAddress(Exec &x, const Inst &i, uint32_t mask,
                   units::LoadStoreShape shape, uint32_t columns,
                   uint32_t &address, const char *what) {
  int lane = __builtin_ctz(mask);
  const uint32_t *values = x.r<uint32_t>(i.o[0]);
  address = values[lane] + static_cast<uint32_t>(i.imm);
  bool same = true;
  forLanes(mask, [&](int l) { same &= values[l] == values[lane]; });
  if (!same) {
    x.error(i, "tensor-memory-address",
            "the lanes of a warp give different tensor memory addresses", lane);
    return false;
  }
  uint32_t row = address >> 16;
  uint32_t quarter = x.warp->index % 4;
  uint32_t lanes = units::loadStoreLanes(shape);
  if (row / 32 != quarter || row % 32 + lanes > 32 || row % lanes != 0) {
    x.error(i, "tensor-memory-lanes",
            std::string(what) + " of warp " + std::to_string(x.warp->index) +
                " at lane " + std::to_string(row) +
                ": the warp may touch lanes " + std::to_string(32 * quarter) +
                " to " + std::to_string(32 * quarter + 31) + " only",
            lane);
    return false;
  }
  return checkTensorRange(x, i, *x.cta, address, columns, what, lane);
}

/// A tcgen05.ld or .st and what both do before any data moves. a: shape, b:
/// packed 16 bits, c: log2 of num; extra: half split offset. The list holds the
/// registers. o[0]: address.
struct TensorMove {
  units::LoadStoreShape shape;
  uint32_t row = 0;
  uint32_t column = 0;
  uint32_t sequence = 0;

  /// False after an error.
  bool begin(Exec &x, const Inst &i, uint32_t mask, AgentKind kind,
             const char *what) {
    Machine &m = *x.machine;
    shape = static_cast<units::LoadStoreShape>(i.a);
    uint32_t columns = units::loadStoreColumns(shape, 1u << i.c, i.b);
    bool split = shape == units::LoadStoreShape::S16x32bx2;
    uint32_t address;
    if (!tensorAddress(x, i, mask, shape, split ? i.extra + columns : columns,
                       address, what))
      return false;
    afterThreadSync(x, i);
    x.warp->needsBeforeFence = true;
    row = address >> 16;
    column = address & 0xFFFF;
    sequence = ++x.warp->sequence[kind];
    Machine::Access access =
        Machine::pipeAccess(x, i, kind, sequence, __builtin_ctz(mask), what);
    // Stores are not among the pairs that stay in order (PTX ISA, "Pipelined
    // tcgen05 Instructions"). Cells know no lanes: those of all are looked at.
    if (kind == AgentTensorStore && units::loadStoreLanes(shape) == 32)
      access.shape = 1u << 31 | sequence;
    for (uint32_t half = 0; half < (split ? 2u : 1u); ++half)
      if (kind == AgentTensorLoad)
        m.readTensor(*x.cta, row / 32, column + half * i.extra, columns,
                     access);
      else
        m.writeTensor(*x.cta, row / 32, column + half * i.extra, columns,
                      access);
    return true;
  }

  /// The cell of register `r` of a thread; with packed 16 bits also the next.
  uint32_t &cell(Exec &x, const Inst &i, uint32_t lane, uint32_t r,
                 uint32_t next = 0) const {
    units::TensorMemoryCell at =
        units::loadStoreCell(shape, lane, r, i.extra, i.b);
    return x.cta->tensor->cell(row + at.lane, column + at.column + next);
  }
};

Step execLoad(Exec &x, const Inst &i, uint32_t mask) {
  TensorMove move;
  if (!move.begin(x, i, mask, AgentTensorLoad, "tcgen05.ld"))
    return Step::Failed;
  const uint32_t *list = &x.machine->module->lists[i.list];
  for (uint32_t r = 0; r < i.listCount; ++r) {
    uint32_t *to = x.r<uint32_t>(list[r]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t value = move.cell(x, i, lane, r);
      if (i.b)
        value = (value & 0xFFFF) | move.cell(x, i, lane, r, 1) << 16;
      to[lane] = value;
    }
    if (x.machine->options->checkHazards)
      x.warp->hazards.emplace(
          list[r], RegisterHazard{move.sequence, false, false, i.line});
  }
  return Step::Next;
}

Step execStore(Exec &x, const Inst &i, uint32_t mask) {
  TensorMove move;
  if (!move.begin(x, i, mask, AgentTensorStore, "tcgen05.st"))
    return Step::Failed;
  const uint32_t *list = &x.machine->module->lists[i.list];
  for (uint32_t r = 0; r < i.listCount; ++r) {
    const uint32_t *from = x.r<uint32_t>(list[r]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      move.cell(x, i, lane, r) = i.b ? from[lane] & 0xFFFF : from[lane];
      if (i.b)
        move.cell(x, i, lane, r, 1) = from[lane] >> 16;
    }
  }
  ++x.machine->changes;
  return Step::Next;
}

Step execWaitLoad(Exec &x, const Inst &, uint32_t) {
  Warp &warp = *x.warp;
  x.machine->learnClock(warp, ~0u, warp.firstAgent + AgentTensorLoad,
                        warp.sequence[AgentTensorLoad]);
  for (auto it = warp.hazards.begin(); it != warp.hazards.end();)
    it = it->second.fromWgmma ? std::next(it) : warp.hazards.erase(it);
  return Step::Next;
}

Step execWaitStore(Exec &x, const Inst &, uint32_t) {
  Warp &warp = *x.warp;
  x.machine->learnClock(warp, ~0u, warp.firstAgent + AgentTensorStore,
                        warp.sequence[AgentTensorStore]);
  return Step::Next;
}

Step execFenceBefore(Exec &x, const Inst &, uint32_t) {
  x.warp->needsBeforeFence = false;
  return Step::Next;
}

Step execFenceAfter(Exec &x, const Inst &, uint32_t) {
  x.warp->needsTensorFence = false;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// cp and shift
//===----------------------------------------------------------------------===//

/// a: shape, b: decompression; imm: cta_group; o[0] address, o[1] descriptor.
Step execCopy(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  auto shape = static_cast<units::CopyShape>(i.a);
  auto decompression = static_cast<units::CopyDecompression>(i.b);
  units::CopyShapeInfo info = units::copyShapeInfo(shape);
  uint32_t group = static_cast<uint32_t>(i.imm);
  if (!checkCtaGroup(x, i, group))
    return Step::Failed;
  afterThreadSync(x, i);
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    failed = true;
    uint32_t address = x.r<uint32_t>(i.o[0])[lane] +
                       static_cast<uint32_t>(i.addr[0].immediate);
    units::SharedMemoryDescriptor descriptor;
    std::string wrong = units::decodeSharedMemoryDescriptor(
        withoutIdleBaseOffset(x.r<uint64_t>(i.o[1])[lane]),
        units::DescriptorForm::Sm100, descriptor, true);
    if (!wrong.empty()) {
      x.error(i, "matrix-descriptor", wrong, lane);
      return;
    }
    std::vector<Cta *> ctas = ctasOfGroup(x, group);
    uint32_t base = address & 0xFFFF;
    uint32_t row = address >> 16;
    for (Cta *cta : ctas)
      if (!checkTensorRange(x, i, *cta, address, info.columns, "tcgen05.cp",
                            lane))
        return;
    if (row != 0 && !(shape == units::CopyShape::S4x256b && row < 32)) {
      x.error(i, "tensor-memory-lanes",
              "the tensor memory address of tcgen05.cp must be at lane 0, got "
              "lane " +
                  std::to_string(row),
              lane);
      return;
    }
    // Rows are stored decompressed: 16 bytes of tensor memory come from 16
    // bytes of shared memory in every form.
    uint32_t chunks = info.rowBytes / 16;
    for (uint32_t r = 0; r < info.rows; ++r)
      for (uint32_t c = 0; c < chunks; ++c) {
        uint32_t from = units::kMajorAddress(descriptor, r, 16 * c);
        if (from < SharedReserved || from + 16 > m.sharedEnd) {
          x.error(i, "invalid-read",
                  "tcgen05.cp reads shared memory address " + hex(from) +
                      ", which is out of range",
                  lane);
          return;
        }
      }
    failed = false;
    uint32_t sequence = ++x.warp->sequence[AgentTcgen05];
    x.warp->tensorIssued[static_cast<size_t>(lane)] = sequence;
    if (m.options->checkHazards) {
      Machine::Access access =
          Machine::pipeAccess(x, i, AgentTcgen05, sequence, lane, "tcgen05.cp");
      for (Cta *cta : ctas) {
        for (uint32_t r = 0; r < info.rows; ++r)
          for (uint32_t c = 0; c < chunks; ++c)
            m.readShared(*cta, units::kMajorAddress(descriptor, r, 16 * c), 16,
                         access);
        uint32_t quarters = 0;
        for (uint32_t r = 0; r < info.rows; ++r)
          for (uint32_t c = 0; c < info.copies; ++c)
            quarters |= 1u << (units::copyLane(shape, r, c) / 32);
        for (uint32_t quarter = 0; quarter < 4; ++quarter)
          if (quarters >> quarter & 1)
            m.writeTensor(*cta, quarter, base, info.columns, access);
      }
    }
    auto op = newTensorOperation(x, i, sequence, lane);
    if (ObservedOperation *told =
            m.describeOperation(*op, ObservedOperation::Kind::TensorCopy,
                                uint64_t(info.rows) * info.rowBytes)) {
      told->ctas = group;
      told->scaleColumn[0] = base;
      told->scaleColumns[0] = info.columns;
    }
    op->apply = [=]() {
      for (Cta *cta : ctas)
        for (uint32_t r = 0; r < info.rows; ++r)
          for (uint32_t c = 0; c < chunks; ++c) {
            const uint8_t *from = cta->shared.data() +
                                  units::kMajorAddress(descriptor, r, 16 * c);
            uint8_t bytes[16];
            if (decompression == units::CopyDecompression::None)
              std::memcpy(bytes, from, 16);
            else
              units::decompressContainer(decompression, from, bytes);
            for (uint32_t copy = 0; copy < info.copies; ++copy)
              std::memcpy(&cta->tensor->cell(
                              (row + units::copyLane(shape, r, copy)) % 128,
                              base + 4 * c),
                          bytes, 16);
          }
    };
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

/// tcgen05.shift.down: in the 32 lanes of a warp and 8 columns, each row but
/// the last takes what is in the next one (PTX ISA, "tcgen05.shift"; the shape
/// is the implicit .31x256b of "Data Movement Shape"). The last row keeps what
/// it has; tcgen05.cp.4x256b may replace it.
Step execShift(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  uint32_t group = static_cast<uint32_t>(i.imm);
  if (!checkCtaGroup(x, i, group))
    return Step::Failed;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    uint32_t address = x.r<uint32_t>(i.o[0])[lane] +
                       static_cast<uint32_t>(i.addr[0].immediate);
    std::vector<Cta *> ctas = ctasOfGroup(x, group);
    for (Cta *cta : ctas)
      failed |=
          !checkTensorRange(x, i, *cta, address, 8, "tcgen05.shift", lane);
    uint32_t row = address >> 16;
    if (row % 32 != 0) {
      x.error(i, "tensor-memory-lanes",
              "the lane of tcgen05.shift must be a multiple of 32", lane);
      failed = true;
    }
    if (failed)
      return;
    uint32_t base = address & 0xFFFF;
    uint32_t sequence = ++x.warp->sequence[AgentTcgen05];
    x.warp->tensorIssued[static_cast<size_t>(lane)] = sequence;
    Machine::Access access = Machine::pipeAccess(x, i, AgentTcgen05, sequence,
                                                 lane, "tcgen05.shift");
    for (Cta *cta : ctas) {
      m.readTensor(*cta, row / 32, base, 8, access);
      m.writeTensor(*cta, row / 32, base, 8, access);
    }
    auto op = newTensorOperation(x, i, sequence, lane);
    m.describeOperation(*op, ObservedOperation::Kind::TensorCopy, 0);
    op->apply = [=]() {
      for (Cta *cta : ctas)
        for (uint32_t r = row; r < row + 31; ++r)
          for (uint32_t k = 0; k < 8; ++k)
            cta->tensor->cell(r, base + k) = cta->tensor->cell(r + 1, base + k);
    };
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

//===----------------------------------------------------------------------===//
// commit
//===----------------------------------------------------------------------===//

/// A commit that is complete arrives in each other CTA at a time of its own.
void arriveLater(Machine &m, const AsyncOp &commit, Cta &cta, uint32_t offset,
                 const Knowledge &knowledge) {
  auto op = std::make_shared<AsyncOp>();
  op->kind = AsyncOp::Kind::Commit;
  op->warp = commit.warp;
  op->lane = commit.lane;
  op->line = commit.line;
  op->issue = commit.issue;
  op->begin = commit.begin;
  op->barriers.push_back({&cta, offset});
  Machine *machine = &m;
  Cta *target = &cta;
  AsyncOp *self = op.get();
  op->apply = [=]() {
    machine->arriveMbarrier(*target, offset, 1, &knowledge, self->line,
                            self->warp, self->lane);
  };
  cta.cluster->pending.push_back(std::move(op));
}

/// a: multicast; imm: cta_group; o[0]: mask.
Step execCommit(Exec &x, const Inst &i, uint32_t mask) {
  Machine &m = *x.machine;
  if (!checkCtaGroup(x, i, static_cast<uint32_t>(i.imm)))
    return Step::Failed;
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    uint32_t address, offset = 0;
    Cta *target = nullptr;
    if (sharedAddressOf(x, i.addr[0], lane, address))
      target = m.sharedTarget(*x.cta, address, offset);
    if (target == nullptr || offset % 8 != 0) {
      x.error(i, "mbarrier-address",
              "tcgen05.commit needs an mbarrier in shared memory, aligned to "
              "8 bytes",
              lane);
      failed = true;
      return;
    }
    auto op = newOperation(x, i, AsyncOp::Kind::Commit, lane);
    if (i.a) {
      uint32_t ctas = x.r<uint32_t>(i.o[0])[lane] & 0xFFFF;
      if (ctas == 0 || ctas >> x.cluster->ctas.size() != 0) {
        x.error(i, "multicast-mask",
                "the multicast mask " + hex(ctas) +
                    " names CTAs outside the cluster",
                lane);
        failed = true;
        return;
      }
      for (uint32_t rank = 0; rank < x.cluster->ctas.size(); ++rank)
        if (ctas >> rank & 1)
          op->barriers.push_back({x.cluster->ctas[rank].get(), offset});
    } else {
      op->barriers.push_back({target, offset});
    }
    for (auto &[cta, at] : op->barriers) {
      const Mbarrier *barrier = m.findMbarrier(*cta, at);
      if (barrier == nullptr) {
        x.error(i, "mbarrier-uninitialised",
                "tcgen05.commit to " + hex(at) +
                    ", where there is no initialised mbarrier",
                lane);
        failed = true;
        return;
      }
      // Commits track operations, and not each other: that a later one has
      // arrived, or this one in another CTA, says nothing of this arrival. Who
      // sees its phase has observed it.
      if (cta != x.cta &&
          !m.visit(*cta,
                   {&x.warp->knowledge, barrier->agent,
                    barrier->clockBase + static_cast<Clock>(barrier->phase) + 1,
                    true, i.line, x.warp, lane, "tcgen05.commit"})) {
        failed = true;
        return;
      }
    }
    op->pipe = &x.warp->tensorPipe[lane];
    // What the operations depended on comes before their completion.
    Knowledge knowledge = knownTo(*x.warp, lane);
    // It tracks what its own thread issued.
    knowledge.all.raise(x.warp->firstAgent + AgentTcgen05,
                        x.warp->tensorIssued[static_cast<size_t>(lane)]);
    Machine *machine = &m;
    AsyncOp *self = op.get();
    Cta *own = x.cta;
    op->apply = [=]() {
      for (auto &[cta, at] : self->barriers) {
        if (cta == own || machine->options->mode == AsyncMode::Eager)
          machine->arriveMbarrier(*cta, at, 1, &knowledge, self->line,
                                  self->warp, self->lane);
        else
          arriveLater(*machine, *self, *cta, at, knowledge);
      }
    };
    m.release(*x.warp);
    m.describeOperation(*op, ObservedOperation::Kind::Commit, 0);
    m.issue(*x.cluster, op);
  });
  return failed ? Step::Failed : Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

bool warpWide(Decoder &d) {
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail("expected .sync.aligned");
  d.inst.together = Together::Aligned;
  return true;
}

bool decodeAlloc(Decoder &d) {
  Inst &i = d.inst;
  if (!takeCtaGroup(d) || !warpWide(d))
    return false;
  d.take("shared::cta");
  d.take("b32");
  if (!d.count(2, 2))
    return false;
  i.fn = execAlloc;
  i.o[0] = d.source(1, Ty::U32);
  return d.address(d.operand(0), Space::Generic, i.addr[0]);
}

bool decodeDealloc(Decoder &d) {
  Inst &i = d.inst;
  if (!takeCtaGroup(d) || !warpWide(d))
    return false;
  d.take("b32");
  if (!d.count(2, 2))
    return false;
  i.fn = execDealloc;
  i.o[0] = d.source(0, Ty::B32);
  i.o[1] = d.source(1, Ty::U32);
  return !d.failed();
}

bool decodeMove(Decoder &d, bool load) {
  Inst &i = d.inst;
  if (!warpWide(d))
    return false;
  int shape = d.takeOne({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  int number = d.takeOne({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  bool packed = d.take(load ? "pack::16b" : "unpack::16b");
  d.take("b32");
  if (shape < 0 || number < 0)
    return d.fail("expected a shape and a repeat count");
  auto chosen = static_cast<units::LoadStoreShape>(shape);
  uint32_t registers = units::loadStoreRegisters(chosen, 1u << number);
  if (registers == 0)
    return d.fail("the shape has no such repeat count");
  i.a = static_cast<uint8_t>(chosen);
  i.b = packed;
  i.c = static_cast<uint8_t>(number);
  bool split = chosen == units::LoadStoreShape::S16x32bx2;
  if (!d.count(split ? 3 : 2, split ? 3 : 2))
    return false;
  const ptx::Operand &address = d.operand(load ? 1 : 0);
  size_t data = load ? 0 : split ? 2 : 1;
  if (split) {
    int64_t offset;
    if (!d.immediate(d.operand(load ? 2 : 1), offset))
      return false;
    if (offset < 0 || offset > 512)
      return d.fail("half split offset out of range");
    i.extra = static_cast<uint32_t>(offset);
  }
  i.fn = load ? execLoad : execStore;
  if (!tensorOperand(d, address, i.o[0], i.imm))
    return false;
  return registerList(d, d.operand(data), registers, 32, load, i.list,
                      i.listCount);
}

bool decodeCopy(Decoder &d) {
  Inst &i = d.inst;
  if (!takeCtaGroup(d))
    return false;
  int shape =
      d.takeOne({"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"});
  int multicast = d.takeOne({"warpx2::02_13", "warpx2::01_23", "warpx4"});
  int source = d.takeOne({"b6x16_p32", "b4x16_p64"});
  bool expanded = d.take("b8x16");
  using units::CopyShape;
  CopyShape chosen;
  if (shape == 0 && multicast < 0)
    chosen = CopyShape::S128x256b;
  else if (shape == 1 && multicast < 0)
    chosen = CopyShape::S4x256b;
  else if (shape == 2 && multicast < 0)
    chosen = CopyShape::S128x128b;
  else if (shape == 3 && multicast == 0)
    chosen = CopyShape::S64x128bWarpx2_02_13;
  else if (shape == 3 && multicast == 1)
    chosen = CopyShape::S64x128bWarpx2_01_23;
  else if (shape == 4 && multicast == 2)
    chosen = CopyShape::S32x128bWarpx4;
  else
    return d.fail("this shape and multicast do not exist");
  if (expanded != (source >= 0))
    return d.fail("expected .b8x16 with its source format");
  i.a = static_cast<uint8_t>(chosen);
  i.b = static_cast<uint8_t>(source == 0   ? units::CopyDecompression::B6x16P32
                             : source == 1 ? units::CopyDecompression::B4x16P64
                                           : units::CopyDecompression::None);
  i.fn = execCopy;
  int64_t immediate;
  if (!d.count(2, 2) || !tensorOperand(d, d.operand(0), i.o[0], immediate))
    return false;
  i.addr[0].immediate = static_cast<int32_t>(immediate);
  i.o[1] = d.source(1, Ty::B64);
  return !d.failed();
}

bool decodeShift(Decoder &d) {
  Inst &i = d.inst;
  if (!takeCtaGroup(d))
    return false;
  d.take("down");
  i.fn = execShift;
  int64_t immediate;
  if (!d.count(1, 1) || !tensorOperand(d, d.operand(0), i.o[0], immediate))
    return false;
  i.addr[0].immediate = static_cast<int32_t>(immediate);
  return true;
}

bool decodeCommit(Decoder &d) {
  Inst &i = d.inst;
  if (!takeCtaGroup(d))
    return false;
  if (!d.take("mbarrier::arrive::one"))
    return d.fail("expected .mbarrier::arrive::one");
  d.take("shared::cluster");
  i.a = d.take("multicast::cluster");
  d.take("b64");
  if (!d.count(i.a ? 2 : 1, i.a ? 2 : 1))
    return false;
  i.fn = execCommit;
  if (i.a)
    i.o[0] = d.source(1, Ty::U16);
  return d.address(d.operand(0), Space::Generic, i.addr[0]);
}
} // namespace

bool takeCtaGroup(Decoder &d) {
  int group = d.takeOne({"cta_group::1", "cta_group::2"});
  if (group < 0)
    return d.fail("expected .cta_group::1 or .cta_group::2");
  d.inst.imm = group + 1;
  return true;
}

bool tensorOperand(Decoder &d, const ptx::Operand &operand, uint32_t &offset,
                   int64_t &immediate) {
  if (operand.kind != ptx::Operand::Kind::Address)
    return d.fail("expected a tensor memory address in brackets");
  offset = d.source(operand.elements[0], Ty::B32);
  immediate = operand.value;
  return offset != NoOperand;
}

void registerTcgen05(OpTable &table) {
  table["tcgen05.alloc"] = decodeAlloc;
  table["tcgen05.dealloc"] = decodeDealloc;
  table["tcgen05.relinquish_alloc_permit"] = [](Decoder &d) {
    d.inst.fn = execRelinquish;
    return takeCtaGroup(d) && warpWide(d) && d.count(0, 0);
  };
  table["tcgen05.ld"] = [](Decoder &d) { return decodeMove(d, true); };
  table["tcgen05.st"] = [](Decoder &d) { return decodeMove(d, false); };
  table["tcgen05.wait::ld"] = [](Decoder &d) {
    d.inst.fn = execWaitLoad;
    return warpWide(d) && d.count(0, 0);
  };
  table["tcgen05.wait::st"] = [](Decoder &d) {
    d.inst.fn = execWaitStore;
    return warpWide(d) && d.count(0, 0);
  };
  table["tcgen05.fence::before_thread_sync"] = [](Decoder &d) {
    d.inst.fn = execFenceBefore;
    return d.count(0, 0);
  };
  table["tcgen05.fence::after_thread_sync"] = [](Decoder &d) {
    d.inst.fn = execFenceAfter;
    return d.count(0, 0);
  };
  table["tcgen05.cp"] = decodeCopy;
  table["tcgen05.shift"] = decodeShift;
  table["tcgen05.commit"] = decodeCommit;
  registerTcgen05Mma(table);
}

} // namespace bsmm::emulator
