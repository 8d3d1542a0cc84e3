//===- WarpOps.cpp - shfl, vote, match, redux, elect ------------*- C++ -*-===//
//
// PTX ISA, "Data Movement and Conversion Instructions: shfl.sync", "Parallel
// Synchronization and Communication Instructions: vote.sync, match.sync,
// activemask, redux.sync, elect.sync".
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include <algorithm>

namespace bsmm::emulator {

namespace {
void setPredicate(Exec &x, uint32_t offset, uint32_t mask, uint32_t value) {
  uint32_t &p = *x.r<uint32_t>(offset);
  p = (p & ~mask) | (value & mask);
}

/// a: 0 up, 1 down, 2 bfly, 3 idx; b: has a predicate.
Step execShuffle(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  uint32_t a[32];
  std::memcpy(a, x.r<uint32_t>(i.o[1]), sizeof(a));
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  uint32_t valid = 0;
  forLanes(mask, [&](int l) {
    uint32_t lane = static_cast<uint32_t>(l);
    uint32_t by = b[l] & 31;
    uint32_t clamp = c[l] & 31;
    uint32_t segment = c[l] >> 8 & 31;
    uint32_t maxLane = (lane & segment) | (clamp & ~segment & 31);
    uint32_t minLane = lane & segment;
    int from;
    bool in;
    switch (i.a) {
    case 0:
      from = l - static_cast<int>(by);
      in = from >= static_cast<int>(maxLane);
      break;
    case 1:
      from = l + static_cast<int>(by);
      in = from <= static_cast<int>(maxLane);
      break;
    case 2:
      from = l ^ static_cast<int>(by);
      in = from <= static_cast<int>(maxLane);
      break;
    default:
      from = static_cast<int>(minLane | (by & ~segment & 31));
      in = from <= static_cast<int>(maxLane);
      break;
    }
    if (!in)
      from = l;
    if (!(mask >> from & 1))
      x.error(i, "shuffle-inactive-lane",
              "lane " + std::to_string(l) + " takes a value from lane " +
                  std::to_string(from) +
                  ", which does not take part in the instruction",
              l);
    d[l] = a[from];
    valid |= static_cast<uint32_t>(in) << l;
  });
  if (i.b)
    setPredicate(x, i.o[4], mask, valid);
  return Step::Next;
}

bool memberMask(Decoder &d, size_t operand) {
  d.inst.together = Together::MemberMask;
  d.inst.memberMask = d.source(operand, Ty::B32);
  return !d.failed();
}

bool decodeShuffle(Decoder &d) {
  Inst &i = d.inst;
  if (!d.take("sync"))
    return d.fail("shfl without .sync is not supported");
  int mode = d.takeOne({"up", "down", "bfly", "idx"});
  if (mode < 0 || d.takeType() != Ty::B32 || !d.count(5, 5))
    return d.fail("expected shfl.sync.{up,down,bfly,idx}.b32");
  i.a = static_cast<uint8_t>(mode);
  i.fn = execShuffle;
  const ptx::Operand &result = d.operand(0);
  if (result.kind == ptx::Operand::Kind::Pair) {
    i.b = 1;
    i.o[0] = d.destination(result.elements[0], Ty::B32);
    i.o[4] = d.destination(result.elements[1], Ty::Pred);
  } else {
    i.o[0] = d.destination(0, Ty::B32);
  }
  for (unsigned k = 1; k < 4; ++k)
    i.o[k] = d.source(k, Ty::B32);
  return memberMask(d, 4);
}

/// a: 0 all, 1 any, 2 uni, 3 ballot.
Step execVote(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t votes = *x.r<uint32_t>(i.o[1]) & mask;
  if (i.a == 3) {
    forLanes(mask, [&](int l) { x.r<uint32_t>(i.o[0])[l] = votes; });
    return Step::Next;
  }
  bool value = i.a == 0   ? votes == mask
               : i.a == 1 ? votes != 0
                          : votes == mask || votes == 0;
  setPredicate(x, i.o[0], mask, value ? ~0u : 0);
  return Step::Next;
}

bool decodeVote(Decoder &d) {
  Inst &i = d.inst;
  bool sync = d.take("sync");
  int op = d.takeOne({"all", "any", "uni", "ballot"});
  Ty type = d.takeType();
  if (!sync || op < 0 || !d.count(3, 3))
    return d.fail("expected vote.sync.{all,any,uni,ballot}");
  if (type != (op == 3 ? Ty::B32 : Ty::Pred))
    return d.fail("unsupported type");
  i.a = static_cast<uint8_t>(op);
  i.fn = execVote;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, Ty::Pred);
  return memberMask(d, 2);
}

/// a: 0 any, 1 all; b: bits; c: has a predicate.
Step execMatch(Exec &x, const Inst &i, uint32_t mask) {
  auto value = [&](int l) -> uint64_t {
    return i.b == 64 ? x.r<uint64_t>(i.o[1])[l] : x.r<uint32_t>(i.o[1])[l];
  };
  if (i.a == 0) {
    uint32_t result[32] = {};
    forLanes(mask, [&](int l) {
      forLanes(mask, [&](int k) {
        if (value(l) == value(k))
          result[l] |= 1u << k;
      });
    });
    forLanes(mask, [&](int l) { x.r<uint32_t>(i.o[0])[l] = result[l]; });
    return Step::Next;
  }
  bool same = true;
  uint64_t first = value(__builtin_ctz(mask));
  forLanes(mask, [&](int l) { same &= value(l) == first; });
  forLanes(mask, [&](int l) { x.r<uint32_t>(i.o[0])[l] = same ? mask : 0; });
  if (i.c)
    setPredicate(x, i.o[2], mask, same ? ~0u : 0);
  return Step::Next;
}

bool decodeMatch(Decoder &d) {
  Inst &i = d.inst;
  int op = d.takeOne({"any", "all"});
  bool sync = d.take("sync");
  Ty type = d.takeType();
  if (op < 0 || !sync || !d.count(3, 3))
    return d.fail("expected match.{any,all}.sync");
  i.a = static_cast<uint8_t>(op);
  i.b = static_cast<uint8_t>(bitsOf(type));
  i.fn = execMatch;
  const ptx::Operand &result = d.operand(0);
  if (result.kind == ptx::Operand::Kind::Pair) {
    i.c = 1;
    i.o[0] = d.destination(result.elements[0], Ty::B32);
    i.o[2] = d.destination(result.elements[1], Ty::Pred);
  } else {
    i.o[0] = d.destination(0, Ty::B32);
  }
  i.o[1] = d.source(1, type);
  return memberMask(d, 2);
}

/// a: 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor; b: type; c: abs, d: NaN.
Step execRedux(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  Ty type = static_cast<Ty>(i.b);
  uint32_t result = 0;
  bool first = true;
  if (type == Ty::F32) {
    bool sawNaN = false, any = false;
    float best = 0;
    forLanes(mask, [&](int l) {
      float value = fromBits<float>(i.c ? a[l] & 0x7FFFFFFFu : a[l]);
      if (value != value) {
        sawNaN = true;
        return;
      }
      if (!any || (i.a == 1 ? value < best : value > best))
        best = value;
      any = true;
    });
    result = !any || (sawNaN && i.d) ? 0x7FFFFFFFu : toBits(best);
  } else {
    forLanes(mask, [&](int l) {
      uint32_t value = a[l];
      if (first) {
        result = value;
        first = false;
        return;
      }
      bool less = type == Ty::S32 ? static_cast<int32_t>(value) <
                                        static_cast<int32_t>(result)
                                  : value < result;
      switch (i.a) {
      case 0:
        result += value;
        break;
      case 1:
        result = less ? value : result;
        break;
      case 2:
        result = less ? result : value;
        break;
      case 3:
        result &= value;
        break;
      case 4:
        result |= value;
        break;
      default:
        result ^= value;
        break;
      }
    });
  }
  forLanes(mask, [&](int l) { x.r<uint32_t>(i.o[0])[l] = result; });
  return Step::Next;
}

bool decodeRedux(Decoder &d) {
  Inst &i = d.inst;
  bool sync = d.take("sync");
  int op = d.takeOne({"add", "min", "max", "and", "or", "xor"});
  i.c = d.take("abs");
  i.d = d.take("NaN");
  Ty type = d.takeType();
  if (!sync || op < 0 || bitsOf(type) != 32 || !d.count(3, 3))
    return d.fail("expected redux.sync.<op>.<32-bit type>");
  if (type == Ty::F32 && op != 1 && op != 2)
    return d.fail("redux of .f32 has only min and max");
  i.a = static_cast<uint8_t>(op);
  i.b = static_cast<uint8_t>(type);
  i.fn = execRedux;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  return memberMask(d, 2);
}

/// The same lane leads for the same members always, as PTX demands, but which
/// one is the hardware's choice: the lowest one, or in random modes another.
Step execElect(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t members = x.r<uint32_t>(i.memberMask)[__builtin_ctz(mask)] & mask;
  if (members == 0)
    members = mask;
  uint32_t skip = 0;
  const Options &options = *x.machine->options;
  if (options.mode == AsyncMode::Random)
    skip = static_cast<uint32_t>(
        (options.seed * 0x9E3779B97F4A7C15ull >> 32) %
        static_cast<uint32_t>(__builtin_popcount(members)));
  uint32_t others = members;
  while (skip-- != 0)
    others &= others - 1;
  uint32_t leader = static_cast<uint32_t>(__builtin_ctz(others));
  if (i.o[0] != NoOperand)
    forLanes(mask, [&](int l) { x.r<uint32_t>(i.o[0])[l] = leader; });
  setPredicate(x, i.o[1], mask, 1u << leader);
  return Step::Next;
}

bool decodeElect(Decoder &d) {
  Inst &i = d.inst;
  const ptx::Operand &result = d.operand(0);
  if (!d.take("sync") || !d.count(2, 2) ||
      result.kind != ptx::Operand::Kind::Pair)
    return d.fail("expected elect.sync d|p, membermask");
  i.fn = execElect;
  if (result.elements[0].kind != ptx::Operand::Kind::Sink)
    i.o[0] = d.destination(result.elements[0], Ty::B32);
  i.o[1] = d.destination(result.elements[1], Ty::Pred);
  return memberMask(d, 1);
}

bool decodeActivemask(Decoder &d) {
  if (d.takeType() != Ty::B32 || !d.count(1, 1))
    return d.fail("expected activemask.b32");
  d.inst.o[0] = d.destination(0, Ty::B32);
  d.inst.fn = [](Exec &x, const Inst &i, uint32_t mask) {
    forLanes(mask, [&](int l) { x.r<uint32_t>(i.o[0])[l] = mask; });
    return Step::Next;
  };
  return !d.failed();
}
} // namespace

void registerWarp(OpTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeRedux;
  table["elect"] = decodeElect;
  table["activemask"] = decodeActivemask;
}

} // namespace bsmm::emulator
