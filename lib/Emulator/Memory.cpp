//===- Memory.cpp - State spaces, loads and stores --------------*- C++ -*-===//
//
// PTX ISA, "State Spaces", "Data Movement and Conversion Instructions: ld, st,
// cvta, isspacep, mapa, getctarank, prefetch".
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

Region *Machine::findRegion(uint64_t address, uint64_t bytes) {
  auto contains = [&](const Region &region) {
    return address >= region.address && bytes <= region.bytes &&
           address - region.address <= region.bytes - bytes;
  };
  if (lastRegion < regions.size() && contains(regions[lastRegion]))
    return &regions[lastRegion];
  auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](uint64_t a, const Region &region) { return a < region.address; });
  if (after == regions.begin())
    return nullptr;
  Region &region = *(after - 1);
  if (!contains(region))
    return nullptr;
  lastRegion = static_cast<size_t>(&region - regions.data());
  return &region;
}

std::string Machine::describeAddress(uint64_t address) const {
  const Region *nearest = nullptr;
  for (const Region &region : regions)
    if (region.address <= address + 4096)
      nearest = &region;
  if (nearest == nullptr)
    return hex(address) + ", which is in no buffer";
  if (address < nearest->address)
    return hex(address) + ", " + std::to_string(nearest->address - address) +
           " bytes before buffer '" + nearest->name + "'";
  uint64_t offset = address - nearest->address;
  if (offset < nearest->bytes)
    return hex(address) + ", byte " + std::to_string(offset) + " of the " +
           std::to_string(nearest->bytes) + " of buffer '" + nearest->name +
           "'";
  return hex(address) + ", " + std::to_string(offset - nearest->bytes) +
         " bytes behind the end of buffer '" + nearest->name + "'";
}

uint8_t *Machine::globalPointer(uint64_t address, uint64_t bytes, GlobalUse use,
                                std::string &error) {
  Region *region = findRegion(address, bytes);
  if (region == nullptr) {
    error = std::to_string(bytes) + " bytes at global address " +
            describeAddress(address);
    return nullptr;
  }
  if (writes(use) && region->readOnly) {
    error = "writes read-only buffer '" + region->name + "'";
    return nullptr;
  }
  uint64_t offset = address - region->address;
  if (overlay == nullptr)
    return region->data + offset;
  uint8_t *pointer = overlay->access(
      static_cast<size_t>(region - regions.data()), offset, bytes, use);
  if (pointer == nullptr) {
    error = "the host has no memory to run ahead";
    abandon();
  }
  return pointer;
}

Cta *Machine::sharedTarget(Cta &cta, uint32_t address, uint32_t &offset) {
  uint32_t rank = address >> SharedRankShift;
  offset = address & SharedOffsetMask;
  if (rank >= cta.cluster->ctas.size())
    return nullptr;
  return cta.cluster->ctas[rank].get();
}

Place resolve(Exec &x, Space space, uint64_t address, uint32_t bytes,
              GlobalUse use, int lane, std::string &error) {
  bool write = writes(use);
  Machine &m = *x.machine;
  Place place;
  if (space == Space::Generic) {
    if (address - SharedWindow < SharedWindowBytes) {
      address -= SharedWindow;
      space = Space::SharedCluster;
    } else if (address - LocalWindow < LocalWindowBytes) {
      space = Space::Local;
    } else if (address - ParamWindow < m.parameters.size() + 4096) {
      space = Space::Param;
    } else if (address - ConstWindow < m.constMemory.size() + 4096) {
      space = Space::Const;
    } else {
      space = Space::Global;
    }
  }
  auto misaligned = [&](uint64_t at) {
    if ((at & (bytes - 1)) == 0)
      return false;
    error = "address " + hex(at) + " is not aligned to " +
            std::to_string(bytes) + " bytes";
    return true;
  };
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster: {
    if (address - SharedWindow < SharedWindowBytes) {
      error = "a generic address where one of shared memory is expected";
      return place;
    }
    if (address > UINT32_MAX) {
      error = "address " + hex(address) + " is outside shared memory";
      return place;
    }
    uint32_t offset;
    Cta *target =
        m.sharedTarget(*x.cta, static_cast<uint32_t>(address), offset);
    if (target == nullptr || (space == Space::Shared && target != x.cta)) {
      error =
          "address " + hex(address) +
          " is not in the shared memory of this CTA" +
          (target ? " but of the one with rank " + std::to_string(target->rank)
                  : "");
      return place;
    }
    if (misaligned(offset))
      return place;
    if (offset < SharedReserved || offset > m.sharedEnd ||
        bytes > m.sharedEnd - offset) {
      error = "shared memory address " + hex(address) +
              " is out of range: the CTA has [" + hex(SharedReserved) + ", " +
              hex(m.sharedEnd) + ")";
      return place;
    }
    if (target != x.cta && target->liveThreads == 0) {
      error =
          "shared memory of CTA " + m.describe(*target) + ", which has exited";
      return place;
    }
    place.pointer = target->shared.data() + offset;
    place.shared = target;
    place.offset = offset;
    return place;
  }
  case Space::Local: {
    if (address - LocalWindow < LocalWindowBytes)
      address -= LocalWindow;
    uint32_t size = m.module->localBytes;
    if (misaligned(address))
      return place;
    if (address > size || bytes > size - address) {
      error = "local memory address " + hex(address) + " is out of range";
      return place;
    }
    place.pointer = x.warp->local + static_cast<size_t>(lane) * size + address;
    return place;
  }
  case Space::Param: {
    uint64_t offset = address - ParamWindow;
    if (misaligned(address))
      return place;
    if (write) {
      error = "kernel parameters are read-only";
      return place;
    }
    if (offset > m.parameters.size() || bytes > m.parameters.size() - offset) {
      error = "parameter address " + hex(address) + " is out of range";
      return place;
    }
    place.pointer = m.parameters.data() + offset;
    return place;
  }
  case Space::Const: {
    uint64_t offset = address - ConstWindow;
    if (misaligned(address))
      return place;
    if (write) {
      error = "constant memory is read-only";
      return place;
    }
    if (offset > m.constMemory.size() ||
        bytes > m.constMemory.size() - offset) {
      error = "constant address " + hex(address) + " is out of range";
      return place;
    }
    place.pointer = m.constMemory.data() + offset;
    return place;
  }
  default:
    if (misaligned(address))
      return place;
    place.pointer = m.globalPointer(address, bytes, use, error);
    x.touchGlobal(lane);
    return place;
  }
}

//===----------------------------------------------------------------------===//
// ld and st
//===----------------------------------------------------------------------===//

bool takeSpace(Decoder &d, Space &space) {
  int which =
      d.takeOne({"global", "shared", "shared::cta", "shared::cluster", "param",
                 "param::entry", "param::func", "local", "const"});
  static const Space spaces[] = {
      Space::Global,        Space::Shared, Space::Shared,
      Space::SharedCluster, Space::Param,  Space::Param,
      Space::Local,         Space::Local,  Space::Const};
  if (which < 0)
    return false;
  space = spaces[which];
  return true;
}

void takeCacheHints(Decoder &d) {
  while (!d.takePrefix("L1::").empty())
    ;
  while (!d.takePrefix("L2::").empty())
    ;
  d.takeOne({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
}

/// Memory ordering modifiers: bit 0 acquires, bit 1 releases, bit 2 is a
/// synchronising access of any kind, bit 3 is relaxed.
uint8_t takeOrder(Decoder &d) {
  uint8_t order = 0;
  if (d.take("weak"))
    order = 0;
  if (d.take("acquire"))
    order = 5;
  if (d.take("release"))
    order = 6;
  if (d.take("acq_rel"))
    order = 7;
  if (d.take("relaxed"))
    order = 12;
  if (d.take("volatile") || d.take("mmio"))
    order |= 12;
  d.takeOne({"cta", "cluster", "gpu", "sys"});
  return order;
}

/// Inter-thread communication through shared memory with atomics, volatile or
/// ordered accesses orders everything around it: fences are not tracked by
/// address, and a missing one is not what this finds.
void synchronise(Exec &x, const Inst &i, const Place &place, int lane) {
  if (place.shared == nullptr || !x.machine->options->checkHazards)
    return;
  if (place.shared != x.cta)
    x.machine->visit(*place.shared, x.machine->threadAccess(*x.warp, lane, i,
                                                            "an access"));
  Knowledge &point = place.shared->syncPoints[place.offset];
  x.machine->learn(*x.warp, 1u << lane, point);
  point.join(knownTo(*x.warp, lane));
  point.all.raise(x.warp->firstAgent, x.warp->sequence[AgentThreads]);
  x.machine->release(*x.warp);
}

template <typename T> static inline uint64_t widen(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

/// a: element bytes, b: elements, c: signed, d: order, list: (offset, bits)
/// pairs.
static Step execLoad(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *list = &x.machine->module->lists[i.list];
  uint32_t element = i.a;
  uint32_t bytes = element * i.b;
  bool hazards = x.machine->options->checkHazards && (i.d & 4) == 0;
  Machine::Access access = x.machine->threadAccess(*x.warp, 0, i, "ld.shared");
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    std::string error;
    uint64_t address = addressOf(x, i.addr[0], lane);
    Place place = resolve(x, i.addr[0].space, address, bytes, GlobalUse::Read,
                          lane, error);
    if (place.pointer == nullptr) {
      x.error(i, "invalid-read", "reads " + error, lane);
      failed = true;
      return;
    }
    if (place.shared != nullptr) {
      if (hazards) {
        access.lane = lane;
        x.machine->readShared(*place.shared, place.offset, bytes, access);
      } else if (i.d & 4) {
        synchronise(x, i, place, lane);
      }
    }
    for (uint32_t k = 0; k < i.b; ++k) {
      const uint8_t *from = place.pointer + k * element;
      uint32_t offset = list[2 * k];
      if (offset == NoOperand)
        continue;
      uint64_t value;
      switch (element) {
      case 1:
        value = i.c ? widen<int8_t>(from) : widen<uint8_t>(from);
        break;
      case 2:
        value = i.c ? widen<int16_t>(from) : widen<uint16_t>(from);
        break;
      case 4:
        value = i.c ? widen<int32_t>(from) : widen<uint32_t>(from);
        break;
      case 8:
        value = widen<uint64_t>(from);
        break;
      default:
        std::memcpy(x.regs + offset + 16 * lane, from, 16);
        continue;
      }
      uint32_t bits = list[2 * k + 1];
      if (bits == 64)
        x.r<uint64_t>(offset)[lane] = value;
      else if (bits == 32)
        x.r<uint32_t>(offset)[lane] = static_cast<uint32_t>(value);
      else
        x.r<uint32_t>(offset)[lane] = static_cast<uint16_t>(value);
    }
  });
  return failed ? Step::Failed : Step::Next;
}

static Step execStore(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *list = &x.machine->module->lists[i.list];
  uint32_t element = i.a;
  uint32_t bytes = element * i.b;
  bool hazards = x.machine->options->checkHazards && (i.d & 4) == 0;
  Machine::Access access = x.machine->threadAccess(*x.warp, 0, i, "st.shared");
  bool failed = false;
  bool visible = false;
  forLanes(mask, [&](int lane) {
    if (failed)
      return;
    std::string error;
    uint64_t address = addressOf(x, i.addr[0], lane);
    Place place = resolve(x, i.addr[0].space, address, bytes, GlobalUse::Write,
                          lane, error);
    if (place.pointer == nullptr) {
      x.error(i, "invalid-write", "writes " + error, lane);
      failed = true;
      return;
    }
    if (place.shared != nullptr) {
      visible = true;
      if (hazards) {
        access.lane = lane;
        x.machine->writeShared(*place.shared, place.offset, bytes, access);
      } else if (i.d & 4) {
        synchronise(x, i, place, lane);
      }
    } else if (i.addr[0].space != Space::Local) {
      visible = true;
    }
    for (uint32_t k = 0; k < i.b; ++k) {
      uint8_t *to = place.pointer + k * element;
      uint32_t offset = list[2 * k];
      if (element == 16)
        std::memcpy(to, x.regs + offset + 16 * lane, 16);
      else if (list[2 * k + 1] == 64)
        std::memcpy(to, x.regs + offset + 8 * lane, element);
      else
        std::memcpy(to, x.regs + offset + 4 * lane, element);
    }
  });
  if (visible)
    ++x.machine->changes;
  return failed ? Step::Failed : Step::Next;
}

static bool vectorElements(Decoder &d, const ptx::Operand &operand,
                           uint32_t count, Ty type, bool isLoad) {
  std::vector<uint32_t> entries;
  auto add = [&](const ptx::Operand &element) {
    uint32_t bits = 0;
    uint32_t offset;
    if (isLoad && element.kind == ptx::Operand::Kind::Sink) {
      offset = NoOperand;
      bits = bitsOf(type);
    } else {
      offset = isLoad ? d.wideDestination(element, type, bits)
                      : d.wideSource(element, type, bits);
      if (offset == NoOperand)
        return false;
    }
    if (bits < bitsOf(type))
      return d.fail("a register of " + std::to_string(bits) +
                    " bits for elements of " + std::to_string(bitsOf(type)));
    if (bitsOf(type) == 128 && bits != 128)
      return d.fail("expected a 128-bit register");
    entries.push_back(offset);
    entries.push_back(std::max(bits, 16u));
    return true;
  };
  if (operand.kind == ptx::Operand::Kind::Vector) {
    if (operand.elements.size() != count)
      return d.fail("expected " + std::to_string(count) + " elements, got " +
                    std::to_string(operand.elements.size()));
    for (const ptx::Operand &element : operand.elements)
      if (!add(element))
        return false;
  } else {
    if (count != 1)
      return d.fail("expected a vector of " + std::to_string(count) +
                    " elements");
    if (!add(operand))
      return false;
  }
  d.inst.list = d.beginList();
  d.inst.listCount = static_cast<uint32_t>(entries.size());
  for (uint32_t entry : entries)
    d.addToList(entry);
  return true;
}

static bool decodeLoadStore(Decoder &d, bool isLoad) {
  Inst &i = d.inst;
  Space space = Space::Generic;
  takeSpace(d, space);
  i.d = takeOrder(d);
  d.take("nc");
  takeCacheHints(d);
  uint32_t elements = 1;
  int vector = d.takeOne({"v2", "v4", "v8"});
  if (vector >= 0)
    elements = 2u << vector;
  Ty type = d.takeType();
  if (type == Ty::None || type == Ty::Pred || bitsOf(type) < 8)
    return d.fail("expected a type of 8 to 128 bits");
  if (!d.count(2, 3))
    return false;
  i.a = static_cast<uint8_t>(bitsOf(type) / 8);
  i.b = static_cast<uint8_t>(elements);
  i.c = isSignedInteger(type);
  i.fn = isLoad ? execLoad : execStore;
  if (i.a * elements > 32)
    return d.fail("an access may have at most 32 bytes");
  if (d.operandCount() == 3)
    d.source(2, Ty::B64); // cache policy
  return d.address(d.operand(isLoad ? 1 : 0), space, i.addr[0]) &&
         vectorElements(d, d.operand(isLoad ? 0 : 1), elements, type, isLoad);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// a: 0 identity, 1 add the shared window, 2 subtract it, 3 add the local
/// window, 4 subtract it. b: bits.
static Step execCvta(Exec &x, const Inst &i, uint32_t mask) {
  uint64_t add = i.a == 1   ? SharedWindow
                 : i.a == 2 ? ~SharedWindow + 1
                 : i.a == 3 ? LocalWindow
                 : i.a == 4 ? ~LocalWindow + 1
                            : 0;
  forLanes(mask, [&](int lane) {
    if (i.b == 64)
      x.r<uint64_t>(i.o[0])[lane] = x.r<uint64_t>(i.o[1])[lane] + add;
    else
      x.r<uint32_t>(i.o[0])[lane] =
          x.r<uint32_t>(i.o[1])[lane] + static_cast<uint32_t>(add);
  });
  return Step::Next;
}

static bool decodeCvta(Decoder &d) {
  Inst &i = d.inst;
  bool to = d.take("to");
  Space space = Space::Generic;
  if (!takeSpace(d, space))
    return d.fail("expected a state space");
  Ty type = d.takeType();
  if (bitsOf(type) != 64 && bitsOf(type) != 32)
    return d.fail("expected .u32 or .u64");
  if (!d.count(2, 2))
    return false;
  i.b = static_cast<uint8_t>(bitsOf(type));
  i.a = 0;
  if (space == Space::Shared || space == Space::SharedCluster)
    i.a = to ? 2 : 1;
  if (space == Space::Local)
    i.a = to ? 4 : 3;
  i.fn = execCvta;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  return !d.failed();
}

static Step execIsspacep(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t result = *x.r<uint32_t>(i.o[0]) & ~mask;
  Machine &m = *x.machine;
  forLanes(mask, [&](int lane) {
    uint64_t a = x.r<uint64_t>(i.o[1])[lane];
    bool shared = a - SharedWindow < SharedWindowBytes;
    bool local = a - LocalWindow < LocalWindowBytes;
    bool param = a - ParamWindow < m.parameters.size();
    bool isConst = a - ConstWindow < m.constMemory.size();
    bool is = false;
    switch (static_cast<Space>(i.a)) {
    case Space::Shared:
      is = shared && (a - SharedWindow) >> SharedRankShift == x.cta->rank;
      break;
    case Space::SharedCluster:
      is = shared;
      break;
    case Space::Local:
      is = local;
      break;
    case Space::Param:
      is = param;
      break;
    case Space::Const:
      is = isConst;
      break;
    default:
      is = !shared && !local && !isConst && !param;
      break;
    }
    result |= static_cast<uint32_t>(is) << lane;
  });
  *x.r<uint32_t>(i.o[0]) = result;
  return Step::Next;
}

static bool decodeIsspacep(Decoder &d) {
  Inst &i = d.inst;
  Space space = Space::Generic;
  if (!takeSpace(d, space) || !d.count(2, 2))
    return d.fail("expected a state space");
  i.a = static_cast<uint8_t>(space);
  i.fn = execIsspacep;
  i.o[0] = d.destination(0, Ty::Pred);
  i.o[1] = d.source(1, Ty::B64);
  return !d.failed();
}

/// mapa: the address of the same shared variable in another CTA. a: generic.
static Step execMapa(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *rank = x.r<uint32_t>(i.o[2]);
  size_t ctas = x.cluster->ctas.size();
  bool failed = false;
  forLanes(mask, [&](int lane) {
    if (rank[lane] >= ctas) {
      if (!failed)
        x.error(i, "cluster-rank",
                "CTA rank " + std::to_string(rank[lane]) +
                    " is not in the cluster of " + std::to_string(ctas),
                lane);
      failed = true;
      return;
    }
    uint64_t address =
        i.b == 64 ? x.r<uint64_t>(i.o[1])[lane] : x.r<uint32_t>(i.o[1])[lane];
    uint64_t base = 0;
    if (i.a) {
      base = SharedWindow;
      address -= SharedWindow;
    }
    address = base + ((address & SharedOffsetMask) |
                      (uint64_t(rank[lane]) << SharedRankShift));
    if (i.b == 64)
      x.r<uint64_t>(i.o[0])[lane] = address;
    else
      x.r<uint32_t>(i.o[0])[lane] = static_cast<uint32_t>(address);
  });
  return failed ? Step::Failed : Step::Next;
}

static bool decodeMapa(Decoder &d) {
  Inst &i = d.inst;
  i.a = d.takeOne({"shared::cluster"}) < 0;
  Ty type = d.takeType();
  if (!d.count(3, 3))
    return false;
  i.b = static_cast<uint8_t>(bitsOf(type));
  if (i.b != 64 && i.b != 32)
    return d.fail("expected .u32 or .u64");
  i.fn = execMapa;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  i.o[2] = d.source(2, Ty::U32);
  return !d.failed();
}

static Step execGetctarank(Exec &x, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    uint64_t address =
        i.b == 64 ? x.r<uint64_t>(i.o[1])[lane] : x.r<uint32_t>(i.o[1])[lane];
    if (i.a)
      address -= SharedWindow;
    x.r<uint32_t>(i.o[0])[lane] =
        static_cast<uint32_t>(address >> SharedRankShift);
  });
  return Step::Next;
}

static bool decodeGetctarank(Decoder &d) {
  Inst &i = d.inst;
  i.a = d.takeOne({"shared::cluster"}) < 0;
  Ty type = d.takeType();
  if (!d.count(2, 2))
    return false;
  i.b = static_cast<uint8_t>(bitsOf(type));
  i.fn = execGetctarank;
  i.o[0] = d.destination(0, Ty::U32);
  i.o[1] = d.source(1, type);
  return !d.failed();
}

/// prefetch, discard and the like have no effect on values.
static bool decodeHint(Decoder &d) {
  Inst &i = d.inst;
  Space space = Space::Generic;
  takeSpace(d, space);
  takeCacheHints(d);
  d.take("tensormap");
  d.takeOne({"L1", "L2"});
  i.fn = execNothing;
  return d.address(d.operand(0), space, i.addr[0]);
}

static bool decodeCreatepolicy(Decoder &d) {
  Inst &i = d.inst;
  d.takeOne({"fractional", "range", "cvt"});
  d.take("global");
  d.take("L2");
  takeCacheHints(d);
  d.takeType();
  i.o[0] = d.destination(0, Ty::B64);
  i.fn = [](Exec &x, const Inst &inst, uint32_t mask) {
    forLanes(mask, [&](int lane) { x.r<uint64_t>(inst.o[0])[lane] = 1; });
    return Step::Next;
  };
  for (size_t k = 1; k < d.operandCount(); ++k)
    if (d.operand(k).kind == ptx::Operand::Kind::Address)
      d.address(d.operand(k), Space::Generic, i.addr[0]);
  return !d.failed();
}

void registerMemory(OpTable &table) {
  table["ld"] = [](Decoder &d) { return decodeLoadStore(d, true); };
  table["ldu"] = table["ld"];
  table["st"] = [](Decoder &d) { return decodeLoadStore(d, false); };
  table["cvta"] = decodeCvta;
  table["isspacep"] = decodeIsspacep;
  table["mapa"] = decodeMapa;
  table["getctarank"] = decodeGetctarank;
  table["prefetch"] = decodeHint;
  table["prefetchu"] = decodeHint;
  table["discard"] = [](Decoder &d) {
    d.inst.fn = execNothing;
    Space space = Space::Generic;
    takeSpace(d, space);
    takeCacheHints(d);
    d.take("L2");
    return d.address(d.operand(0), space, d.inst.addr[0]);
  };
  table["applypriority"] = table["discard"];
  table["createpolicy"] = decodeCreatepolicy;
  registerAtomics(table);
}

} // namespace bsmm::emulator
