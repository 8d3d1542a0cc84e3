//===- Integer.cpp - Integer and logic instructions -------------*- C++ -*-===//
//
// PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer
// Arithmetic Instructions", "Logic and Shift Instructions".
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include <algorithm>

namespace bsmm::emulator {

namespace {
template <typename T> using Wide = std::make_unsigned_t<T>;

struct AddOp {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
  }
};
struct SubOp {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
  }
};
struct MulLoOp {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct MulHiOp {
  template <typename T> static T apply(T a, T b) {
    using Product =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Product>(a) * static_cast<Product>(b)) >>
                          (sizeof(T) * 8));
  }
};
struct MadLoOp {
  template <typename T> static T apply(T a, T b, T c) {
    return AddOp::apply(MulLoOp::apply(a, b), c);
  }
};
struct MadHiOp {
  template <typename T> static T apply(T a, T b, T c) {
    return AddOp::apply(MulHiOp::apply(a, b), c);
  }
};
/// Division by zero gives all ones, as on NVIDIA GPUs; PTX leaves it open.
struct DivOp {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~T(0));
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return SubOp::apply(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct RemOp {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return 0;
    return static_cast<T>(a % b);
  }
};
struct MinOp {
  template <typename T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct MaxOp {
  template <typename T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct AbsOp {
  template <typename T> static T apply(T a) {
    return a < 0 ? SubOp::apply(T(0), a) : a;
  }
};
struct NegOp {
  template <typename T> static T apply(T a) { return SubOp::apply(T(0), a); }
};
struct AndOp {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct OrOp {
  template <typename T> static T apply(T a, T b) { return a | b; }
};
struct XorOp {
  template <typename T> static T apply(T a, T b) { return a ^ b; }
};
struct NotOp {
  template <typename T> static T apply(T a) { return static_cast<T>(~a); }
};
struct CnotOp {
  template <typename T> static T apply(T a) { return a == 0; }
};
struct BrevOp {
  template <typename T> static T apply(T a) {
    T result = 0;
    for (unsigned k = 0; k < sizeof(T) * 8; ++k)
      result = static_cast<T>(result << 1 | (a >> k & 1));
    return result;
  }
};
struct SadOp {
  template <typename T> static T apply(T a, T b, T c) {
    return AddOp::apply(c, a < b ? SubOp::apply(b, a) : SubOp::apply(a, b));
  }
};
struct AddSatOp {
  template <typename T> static T apply(T a, T b) {
    int64_t sum = static_cast<int64_t>(a) + static_cast<int64_t>(b);
    return static_cast<T>(
        std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
  }
};
struct SubSatOp {
  template <typename T> static T apply(T a, T b) {
    int64_t sum = static_cast<int64_t>(a) - static_cast<int64_t>(b);
    return static_cast<T>(
        std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
  }
};
/// Relu of two 16-bit halves or of 32 bits: negative results are zero.
template <typename Op> struct ReluOp {
  template <typename T> static T apply(T a, T b) {
    return std::max<T>(Op::apply(a, b), 0);
  }
};
/// The low 32 bits of the 48-bit product of 24-bit numbers, or its high ones.
template <bool High> struct Mul24Op {
  template <typename T> static T apply(T a, T b) {
    int64_t product;
    if constexpr (std::is_signed_v<T>)
      product = int64_t(lowSigned(a)) * lowSigned(b);
    else
      product = int64_t(uint64_t(a & 0xFFFFFF) * (b & 0xFFFFFF));
    return static_cast<T>(High ? product >> 16 : product);
  }
  static int32_t lowSigned(int32_t value) {
    return static_cast<int32_t>(static_cast<uint32_t>(value) << 8) >> 8;
  }
};
/// Op::apply(a, b) + c.
template <typename Op, typename Sum> struct ThenAddOp {
  template <typename T> static T apply(T a, T b, T c) {
    return Sum::apply(Op::apply(a, b), c);
  }
};

/// Two 16-bit halves.
template <typename T, typename Op> struct HalvesShape {
  static Step run(Exec &x, const Inst &i, uint32_t mask) {
    uint32_t *d = x.r<uint32_t>(i.o[0]);
    const uint32_t *a = x.r<uint32_t>(i.o[1]);
    const uint32_t *b = x.r<uint32_t>(i.o[2]);
    forLanes(mask, [&](int l) {
      uint16_t low = static_cast<uint16_t>(
          Op::apply(static_cast<T>(a[l]), static_cast<T>(b[l])));
      uint16_t high = static_cast<uint16_t>(
          Op::apply(static_cast<T>(a[l] >> 16), static_cast<T>(b[l] >> 16)));
      d[l] = uint32_t(high) << 16 | low;
    });
    return Step::Next;
  }
};

template <typename Op> StepFn pickHalves(Ty type) {
  return type == Ty::S16x2 ? HalvesShape<int16_t, Op>::run
                           : HalvesShape<uint16_t, Op>::run;
}

bool isPackedInteger(Ty type) { return type == Ty::U16x2 || type == Ty::S16x2; }

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

/// a: 0 add, 1 sub; b: carry in, c: carry out. The carry is a mask of the
/// warp.
template <typename T> Step execCarry(Exec &x, const Inst &i, uint32_t mask) {
  T *d = x.r<T>(i.o[0]);
  const T *a = x.r<T>(i.o[1]);
  const T *b = x.r<T>(i.o[2]);
  uint32_t carry = x.warp->carry;
  forLanes(mask, [&](int l) {
    unsigned __int128 in = i.b ? carry >> l & 1 : 0;
    unsigned __int128 wide =
        i.a ? static_cast<unsigned __int128>(a[l]) - b[l] - in
            : static_cast<unsigned __int128>(a[l]) + b[l] + in;
    d[l] = static_cast<T>(wide);
    uint32_t out = static_cast<uint32_t>(wide >> (sizeof(T) * 8)) & 1;
    if (i.c)
      carry = (carry & ~(1u << l)) | out << l;
  });
  x.warp->carry = carry;
  return Step::Next;
}

/// mad.lo/hi with carries. a: hi, b: carry in, c: carry out.
template <typename T> Step execMadCarry(Exec &x, const Inst &i, uint32_t mask) {
  using U = std::make_unsigned_t<T>;
  U *d = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  const U *b = x.r<U>(i.o[2]);
  const U *c = x.r<U>(i.o[3]);
  uint32_t carry = x.warp->carry;
  forLanes(mask, [&](int l) {
    U product = i.a ? static_cast<U>(MulHiOp::apply(static_cast<T>(a[l]),
                                                    static_cast<T>(b[l])))
                    : static_cast<U>(a[l] * b[l]);
    unsigned __int128 in = i.b ? carry >> l & 1 : 0;
    unsigned __int128 wide =
        static_cast<unsigned __int128>(product) + c[l] + in;
    d[l] = static_cast<U>(wide);
    uint32_t out = static_cast<uint32_t>(wide >> (sizeof(U) * 8)) & 1;
    if (i.c)
      carry = (carry & ~(1u << l)) | out << l;
  });
  x.warp->carry = carry;
  return Step::Next;
}

bool decodeCarry(Decoder &d, bool subtract, bool in, Ty type) {
  Inst &i = d.inst;
  i.a = subtract;
  i.b = in;
  if (type == Ty::U32 || type == Ty::S32)
    i.fn = execCarry<uint32_t>;
  else if (type == Ty::U64 || type == Ty::S64)
    i.fn = execCarry<uint64_t>;
  else
    return d.fail("expected .u32, .s32, .u64 or .s64");
  return plainOperands(d, type, 2);
}

bool decodeAddSub(Decoder &d, bool subtract, bool in) {
  Inst &i = d.inst;
  bool out = d.take("cc");
  Ty type = d.takeType();
  if (in || out) {
    i.c = out;
    return decodeCarry(d, subtract, in, type);
  }
  if (isFloat(type))
    return decodeFloat(d, subtract ? FloatOp::Sub : FloatOp::Add, type);
  if (isPackedInteger(type)) {
    i.fn = subtract ? pickHalves<SubOp>(type) : pickHalves<AddOp>(type);
    return plainOperands(d, type, 2);
  }
  if (d.take("sat")) {
    if (type != Ty::S32)
      return d.fail(".sat needs .s32");
    i.fn = subtract ? binary<int32_t, SubSatOp> : binary<int32_t, AddSatOp>;
    return plainOperands(d, type, 2);
  }
  i.fn = subtract ? pickInteger<SubOp, BinaryShape>(type)
                  : pickInteger<AddOp, BinaryShape>(type);
  if (i.fn == nullptr || type == Ty::B32)
    return d.fail("unsupported type");
  return plainOperands(d, type, 2);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// mul.wide and mad.wide: a has a third operand.
template <typename T, typename W>
Step execWide(Exec &x, const Inst &i, uint32_t mask) {
  Slot<W> *d = x.r<Slot<W>>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const Slot<W> *c = i.a ? x.r<Slot<W>>(i.o[3]) : nullptr;
  forLanes(mask, [&](int l) {
    W product = static_cast<W>(static_cast<W>(static_cast<T>(a[l])) *
                               static_cast<W>(static_cast<T>(b[l])));
    if (c != nullptr)
      product = AddOp::apply(product, unpack<W>(c[l]));
    d[l] = pack<W>(product);
  });
  return Step::Next;
}

bool decodeProduct(Decoder &d, bool accumulate, bool in) {
  Inst &i = d.inst;
  int part = d.takeOne({"lo", "hi", "wide"});
  bool out = d.take("cc");
  Ty type = d.takeType();
  if (isFloat(type) && part < 0)
    return decodeFloat(d, accumulate ? FloatOp::Fma : FloatOp::Mul, type);
  if (in || out) {
    i.a = part == 1;
    i.b = in;
    i.c = out;
    switch (type) {
    case Ty::U32:
      i.fn = execMadCarry<uint32_t>;
      break;
    case Ty::S32:
      i.fn = execMadCarry<int32_t>;
      break;
    case Ty::U64:
      i.fn = execMadCarry<uint64_t>;
      break;
    case Ty::S64:
      i.fn = execMadCarry<int64_t>;
      break;
    default:
      return d.fail("unsupported type");
    }
    return plainOperands(d, type, 3);
  }
  if (part == 2) {
    Ty wide;
    switch (type) {
    case Ty::U16:
      i.fn = execWide<uint16_t, uint32_t>;
      wide = Ty::U32;
      break;
    case Ty::S16:
      i.fn = execWide<int16_t, int32_t>;
      wide = Ty::S32;
      break;
    case Ty::U32:
      i.fn = execWide<uint32_t, uint64_t>;
      wide = Ty::U64;
      break;
    case Ty::S32:
      i.fn = execWide<int32_t, int64_t>;
      wide = Ty::S64;
      break;
    default:
      return d.fail(".wide needs a 16- or 32-bit integer type");
    }
    unsigned sources = accumulate ? 3 : 2;
    if (!d.count(sources + 1, sources + 1))
      return false;
    i.a = accumulate;
    i.o[0] = d.destination(0, wide);
    i.o[1] = d.source(1, type);
    i.o[2] = d.source(2, type);
    if (accumulate)
      i.o[3] = d.source(3, wide);
    return !d.failed();
  }
  if (part < 0)
    return d.fail("expected .lo, .hi or .wide");
  if (d.take("sat")) {
    if (!accumulate || part != 1 || type != Ty::S32)
      return d.fail(".sat needs mad.hi.sat.s32");
    i.fn = ternary<int32_t, ThenAddOp<MulHiOp, AddSatOp>>;
    return plainOperands(d, type, 3);
  }
  if (accumulate)
    i.fn = part == 1 ? pickInteger<MadHiOp, TernaryShape>(type)
                     : pickInteger<MadLoOp, TernaryShape>(type);
  else
    i.fn = part == 1 ? pickInteger<MulHiOp, BinaryShape>(type)
                     : pickInteger<MulLoOp, BinaryShape>(type);
  if (i.fn == nullptr)
    return d.fail("unsupported type");
  return plainOperands(d, type, accumulate ? 3 : 2);
}

template <bool High> StepFn pickMul24(bool isSigned, bool accumulate) {
  using Op = Mul24Op<High>;
  if (accumulate)
    return isSigned ? ternary<int32_t, ThenAddOp<Op, AddOp>>
                    : ternary<uint32_t, ThenAddOp<Op, AddOp>>;
  return isSigned ? binary<int32_t, Op> : binary<uint32_t, Op>;
}

/// mul24 and mad24.
template <bool Accumulate> bool decodeMul24(Decoder &d) {
  int part = d.takeOne({"lo", "hi"});
  bool saturate = d.take("sat");
  Ty type = d.takeType();
  if (part < 0)
    return d.fail("expected .lo or .hi");
  if (type != Ty::S32 && type != Ty::U32)
    return d.fail("expected .u32 or .s32");
  bool isSigned = type == Ty::S32;
  if (saturate && (!Accumulate || part != 1 || !isSigned))
    return d.fail(".sat needs mad24.hi.sat.s32");
  if (saturate)
    d.inst.fn = ternary<int32_t, ThenAddOp<Mul24Op<true>, AddSatOp>>;
  else
    d.inst.fn = part == 1 ? pickMul24<true>(isSigned, Accumulate)
                          : pickMul24<false>(isSigned, Accumulate);
  return plainOperands(d, type, Accumulate ? 3 : 2);
}

template <typename Op, FloatOp Float, bool HasFloat>
bool decodeBinary(Decoder &d) {
  d.take("full");
  Ty type = d.takeType();
  if (HasFloat && isFloat(type))
    return decodeFloat(d, Float, type);
  bool isExtreme = Float == FloatOp::Min || Float == FloatOp::Max;
  if (isExtreme && d.take("relu")) {
    if (type != Ty::S32 && type != Ty::S16x2)
      return d.fail(".relu needs .s32 or .s16x2");
    d.inst.fn = type == Ty::S32 ? binary<int32_t, ReluOp<Op>>
                                : HalvesShape<int16_t, ReluOp<Op>>::run;
    return plainOperands(d, type, 2);
  }
  if (isPackedInteger(type)) {
    if (!isExtreme)
      return d.fail("unsupported type");
    d.inst.fn = pickHalves<Op>(type);
    return plainOperands(d, type, 2);
  }
  d.inst.fn = pickInteger<Op, BinaryShape>(type);
  if (d.inst.fn == nullptr)
    return d.fail("unsupported type");
  return plainOperands(d, type, 2);
}

template <typename Op, FloatOp Float> bool decodeUnary(Decoder &d) {
  Ty type = d.takeType();
  if (isFloat(type))
    return decodeFloat(d, Float, type);
  d.inst.fn = pickInteger<Op, UnaryShape>(type);
  if (d.inst.fn == nullptr)
    return d.fail("unsupported type");
  return plainOperands(d, type, 1);
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

template <typename Op>
Step predicateBinary(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t &d = *x.r<uint32_t>(i.o[0]);
  uint32_t value = Op::apply(*x.r<uint32_t>(i.o[1]), *x.r<uint32_t>(i.o[2]));
  d = (d & ~mask) | (value & mask);
  return Step::Next;
}

Step predicateNot(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t &d = *x.r<uint32_t>(i.o[0]);
  d = (d & ~mask) | (~*x.r<uint32_t>(i.o[1]) & mask);
  return Step::Next;
}

template <typename Op> bool decodeLogic(Decoder &d) {
  Ty type = d.takeType();
  if (type == Ty::Pred) {
    d.inst.fn = predicateBinary<Op>;
    return plainOperands(d, type, 2);
  }
  switch (type) {
  case Ty::B16:
    d.inst.fn = binary<uint16_t, Op>;
    break;
  case Ty::B32:
    d.inst.fn = binary<uint32_t, Op>;
    break;
  case Ty::B64:
    d.inst.fn = binary<uint64_t, Op>;
    break;
  default:
    return d.fail("expected .pred, .b16, .b32 or .b64");
  }
  return plainOperands(d, type, 2);
}

bool decodeNot(Decoder &d) {
  Ty type = d.takeType();
  if (type == Ty::Pred) {
    d.inst.fn = predicateNot;
    return plainOperands(d, type, 1);
  }
  d.inst.fn = pickInteger<NotOp, UnaryShape>(type);
  return d.inst.fn ? plainOperands(d, type, 1) : d.fail("unsupported type");
}

/// Shifts: the amount is 32 bits and clamps. a: arithmetic.
template <typename T, bool Left>
Step execShift(Exec &x, const Inst &i, uint32_t mask) {
  constexpr uint32_t bits = sizeof(T) * 8;
  Slot<T> *d = x.r<Slot<T>>(i.o[0]);
  const Slot<T> *a = x.r<Slot<T>>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  forLanes(mask, [&](int l) {
    T value = unpack<T>(a[l]);
    uint32_t amount = b[l];
    if (amount >= bits)
      value =
          std::is_signed_v<T> && !Left && value < 0 ? static_cast<T>(-1) : T(0);
    else if (Left)
      value = static_cast<T>(static_cast<Wide<T>>(value) << amount);
    else
      value = static_cast<T>(value >> amount);
    d[l] = pack<T>(value);
  });
  return Step::Next;
}

bool decodeShift(Decoder &d, bool left) {
  Inst &i = d.inst;
  Ty type = d.takeType();
  switch (type) {
  case Ty::B16:
  case Ty::U16:
    i.fn = left ? execShift<uint16_t, true> : execShift<uint16_t, false>;
    break;
  case Ty::B32:
  case Ty::U32:
    i.fn = left ? execShift<uint32_t, true> : execShift<uint32_t, false>;
    break;
  case Ty::B64:
  case Ty::U64:
    i.fn = left ? execShift<uint64_t, true> : execShift<uint64_t, false>;
    break;
  case Ty::S16:
    i.fn = execShift<int16_t, false>;
    break;
  case Ty::S32:
    i.fn = execShift<int32_t, false>;
    break;
  case Ty::S64:
    i.fn = execShift<int64_t, false>;
    break;
  default:
    return d.fail("unsupported type");
  }
  if (left && isSignedInteger(type))
    return d.fail("shl takes .b16, .b32 or .b64");
  if (!d.count(3, 3))
    return false;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  i.o[2] = d.source(2, Ty::U32);
  return !d.failed();
}

/// shf.l/.r with .clamp/.wrap.
Step execFunnel(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *low = x.r<uint32_t>(i.o[1]);
  const uint32_t *high = x.r<uint32_t>(i.o[2]);
  const uint32_t *amount = x.r<uint32_t>(i.o[3]);
  forLanes(mask, [&](int l) {
    uint32_t n = i.b ? amount[l] & 31 : std::min(amount[l], 32u);
    uint64_t value = uint64_t(high[l]) << 32 | low[l];
    d[l] = i.a ? static_cast<uint32_t>((value << n) >> 32)
               : static_cast<uint32_t>(value >> n);
    if (i.a && n == 32)
      d[l] = low[l];
  });
  return Step::Next;
}

bool decodeFunnel(Decoder &d) {
  int direction = d.takeOne({"r", "l"});
  int mode = d.takeOne({"clamp", "wrap"});
  if (direction < 0 || mode < 0 || d.takeType() != Ty::B32)
    return d.fail("expected shf.{l,r}.{clamp,wrap}.b32");
  d.inst.a = static_cast<uint8_t>(direction);
  d.inst.b = static_cast<uint8_t>(mode);
  d.inst.fn = execFunnel;
  return plainOperands(d, Ty::B32, 3);
}

Step execLop3(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  uint32_t table = static_cast<uint32_t>(i.imm);
  uint32_t any = 0;
  forLanes(mask, [&](int l) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k)
      if (table >> k & 1)
        result |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) &
                  (k & 1 ? c[l] : ~c[l]);
    d[l] = result;
    any |= static_cast<uint32_t>(result != 0) << l;
  });
  if (i.a) {
    uint32_t q = *x.r<uint32_t>(i.o[5]);
    uint32_t &p = *x.r<uint32_t>(i.o[4]);
    uint32_t value = i.a == 1 ? any | q : any & q;
    p = (p & ~mask) | (value & mask);
  }
  return Step::Next;
}

bool decodeLop3(Decoder &d) {
  Inst &i = d.inst;
  int op = d.takeOne({"or", "and"});
  if (d.takeType() != Ty::B32)
    return d.fail("expected .b32");
  bool predicate = op >= 0;
  if (!d.count(predicate ? 6 : 5, predicate ? 6 : 5))
    return false;
  i.fn = execLop3;
  const ptx::Operand &result = d.operand(0);
  if (predicate) {
    if (result.kind != ptx::Operand::Kind::Pair || result.elements.size() != 2)
      return d.fail("expected d|p");
    i.a = static_cast<uint8_t>(op + 1);
    i.o[0] = d.destination(result.elements[0], Ty::B32);
    i.o[4] = d.destination(result.elements[1], Ty::Pred);
    i.o[5] = d.source(5, Ty::Pred);
  } else {
    i.o[0] = d.destination(0, Ty::B32);
  }
  for (unsigned k = 1; k < 4; ++k)
    i.o[k] = d.source(k, Ty::B32);
  return !d.failed() && d.immediate(d.operand(4), i.imm);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// a: 0 popc, 1 clz, 2 bfind, 3 bfind.shiftamt; b: signed.
template <typename T> Step execCount(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const T *a = x.r<T>(i.o[1]);
  constexpr uint32_t bits = sizeof(T) * 8;
  forLanes(mask, [&](int l) {
    uint64_t value = a[l];
    uint32_t zeros =
        value == 0
            ? bits
            : static_cast<uint32_t>(__builtin_clzll(value)) - (64 - bits);
    switch (i.a) {
    case 0:
      d[l] = static_cast<uint32_t>(__builtin_popcountll(value));
      break;
    case 1:
      d[l] = zeros;
      break;
    default: {
      if (i.b && (value >> (bits - 1) & 1)) {
        value = ~value & (bits == 64 ? ~0ull : 0xFFFFFFFFull);
        zeros = value == 0 ? bits
                           : static_cast<uint32_t>(__builtin_clzll(value)) -
                                 (64 - bits);
      }
      if (zeros == bits)
        d[l] = ~0u;
      else
        d[l] = i.a == 3 ? zeros : bits - 1 - zeros;
      break;
    }
    }
  });
  return Step::Next;
}

bool decodeCount(Decoder &d, unsigned op) {
  Inst &i = d.inst;
  if (op == 2 && d.take("shiftamt"))
    op = 3;
  Ty type = d.takeType();
  i.a = static_cast<uint8_t>(op);
  i.b = isSignedInteger(type);
  if (bitsOf(type) != 32 && bitsOf(type) != 64)
    return d.fail("expected a 32- or 64-bit type");
  i.fn = bitsOf(type) == 32 ? execCount<uint32_t> : execCount<uint64_t>;
  if (!d.count(2, 2))
    return false;
  i.o[0] = d.destination(0, Ty::U32);
  i.o[1] = d.source(1, type);
  return !d.failed();
}

template <typename T> Step execBfe(Exec &x, const Inst &i, uint32_t mask) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t bits = sizeof(T) * 8;
  U *d = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  forLanes(mask, [&](int l) {
    uint32_t pos = b[l] & 0xFF;
    uint32_t len = c[l] & 0xFF;
    U value = pos >= bits ? 0 : a[l] >> pos;
    U fill = 0;
    if (std::is_signed_v<T> && len != 0)
      fill = a[l] >> std::min(pos + len - 1, bits - 1) & 1 ? ~U(0) : U(0);
    if (std::is_signed_v<T> && pos >= bits)
      value = fill;
    if (len >= bits - std::min(pos, bits)) {
      // The field ends at or above the top: signed values are extended.
      if (std::is_signed_v<T> && pos != 0 && pos < bits)
        value |= fill << (bits - pos);
    }
    if (len < bits) {
      U keep = (U(1) << len) - 1;
      value = (value & keep) | (fill & ~keep);
    }
    d[l] = len == 0 ? 0 : value;
  });
  return Step::Next;
}

bool decodeBfe(Decoder &d) {
  Inst &i = d.inst;
  Ty type = d.takeType();
  switch (type) {
  case Ty::U32:
    i.fn = execBfe<uint32_t>;
    break;
  case Ty::S32:
    i.fn = execBfe<int32_t>;
    break;
  case Ty::U64:
    i.fn = execBfe<uint64_t>;
    break;
  case Ty::S64:
    i.fn = execBfe<int64_t>;
    break;
  default:
    return d.fail("unsupported type");
  }
  if (!d.count(4, 4))
    return false;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  i.o[2] = d.source(2, Ty::U32);
  i.o[3] = d.source(3, Ty::U32);
  return !d.failed();
}

template <typename U> Step execBfi(Exec &x, const Inst &i, uint32_t mask) {
  constexpr uint32_t bits = sizeof(U) * 8;
  U *f = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  const U *b = x.r<U>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  const uint32_t *d = x.r<uint32_t>(i.o[4]);
  forLanes(mask, [&](int l) {
    uint32_t pos = c[l] & 0xFF;
    uint32_t len = d[l] & 0xFF;
    U field = 0;
    if (pos < bits) {
      field = len >= bits ? ~U(0) : (U(1) << len) - 1;
      field <<= pos;
    }
    f[l] = (b[l] & ~field) | (pos < bits ? (a[l] << pos) & field : 0);
  });
  return Step::Next;
}

bool decodeBfi(Decoder &d) {
  Inst &i = d.inst;
  Ty type = d.takeType();
  if (type != Ty::B32 && type != Ty::B64)
    return d.fail("expected .b32 or .b64");
  i.fn = type == Ty::B32 ? execBfi<uint32_t> : execBfi<uint64_t>;
  if (!d.count(5, 5))
    return false;
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  i.o[2] = d.source(2, type);
  i.o[3] = d.source(3, Ty::U32);
  i.o[4] = d.source(4, Ty::U32);
  return !d.failed();
}

/// bmsk: a has .clamp.
Step execBmsk(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  forLanes(mask, [&](int l) {
    uint32_t pos = i.a ? a[l] : a[l] & 31;
    uint32_t len = i.a ? b[l] : b[l] & 31;
    uint64_t ones = len >= 32 ? 0xFFFFFFFFull : (1ull << len) - 1;
    d[l] = pos >= 32 ? 0 : static_cast<uint32_t>(ones << pos);
  });
  return Step::Next;
}

/// szext: sign- or zero-extends the low bits. a: clamp, b: signed.
Step execSzext(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  forLanes(mask, [&](int l) {
    uint32_t n = i.a ? b[l] : b[l] & 31;
    if (n >= 32)
      d[l] = a[l];
    else if (n == 0)
      d[l] = 0;
    else if (i.b)
      d[l] = static_cast<uint32_t>(static_cast<int32_t>(a[l] << (32 - n)) >>
                                   (32 - n));
    else
      d[l] = a[l] & ((1u << n) - 1);
  });
  return Step::Next;
}

/// prmt modes: 0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
Step execPrmt(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  forLanes(mask, [&](int l) {
    uint64_t bytes = uint64_t(b[l]) << 32 | a[l];
    uint32_t n = c[l] & 3;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      uint32_t select;
      bool sign = false;
      switch (i.a) {
      case 0:
        select = c[l] >> (4 * k) & 7;
        sign = c[l] >> (4 * k + 3) & 1;
        break;
      case 1:
        select = (n + k) & 7;
        break;
      case 2:
        select = (n - k) & 7;
        break;
      case 3:
        select = n;
        break;
      case 4:
        select = std::max(k, n);
        break;
      case 5:
        select = std::min(k, n);
        break;
      default:
        select = (k & 1) + (n & 1) * 2;
        break;
      }
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * select)) & 0xFF;
      if (sign)
        byte = byte & 0x80 ? 0xFF : 0;
      result |= byte << (8 * k);
    }
    d[l] = result;
  });
  return Step::Next;
}

bool decodePrmt(Decoder &d) {
  if (d.takeType() != Ty::B32)
    return d.fail("expected .b32");
  int mode = d.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  d.inst.a = static_cast<uint8_t>(mode + 1);
  d.inst.fn = execPrmt;
  return plainOperands(d, Ty::B32, 3);
}

/// dp4a and dp2a: a, b say which are signed; c: 0 dp4a, 1 dp2a.lo, 2 dp2a.hi.
Step execDotProduct(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  forLanes(mask, [&](int l) {
    int64_t sum = 0;
    for (uint32_t k = 0; k < (i.c == 0 ? 4u : 2u); ++k) {
      int64_t p, q;
      if (i.c == 0) {
        uint8_t byte = static_cast<uint8_t>(a[l] >> (8 * k));
        p = i.a ? static_cast<int8_t>(byte) : byte;
      } else {
        uint16_t half = static_cast<uint16_t>(a[l] >> (16 * k));
        p = i.a ? static_cast<int16_t>(half) : half;
      }
      uint32_t at = i.c == 2 ? k + 2 : k;
      uint8_t byte = static_cast<uint8_t>(b[l] >> (8 * at));
      q = i.b ? static_cast<int8_t>(byte) : byte;
      sum += p * q;
    }
    d[l] = static_cast<uint32_t>(static_cast<uint64_t>(sum) + c[l]);
  });
  return Step::Next;
}

bool decodeDotProduct(Decoder &d, bool four) {
  Inst &i = d.inst;
  int half = four ? 0 : d.takeOne({"lo", "hi"}) + 1;
  i.c = static_cast<uint8_t>(half);
  Ty first = d.takeType();
  Ty second = d.takeType();
  i.a = isSignedInteger(first);
  i.b = isSignedInteger(second);
  i.fn = execDotProduct;
  return plainOperands(d, Ty::B32, 3);
}
} // namespace

void registerInteger(OpTable &table) {
  table["add"] = [](Decoder &d) { return decodeAddSub(d, false, false); };
  table["sub"] = [](Decoder &d) { return decodeAddSub(d, true, false); };
  table["addc"] = [](Decoder &d) { return decodeAddSub(d, false, true); };
  table["subc"] = [](Decoder &d) { return decodeAddSub(d, true, true); };
  table["mul"] = [](Decoder &d) { return decodeProduct(d, false, false); };
  table["mad"] = [](Decoder &d) { return decodeProduct(d, true, false); };
  table["madc"] = [](Decoder &d) { return decodeProduct(d, true, true); };
  table["mul24"] = decodeMul24<false>;
  table["mad24"] = decodeMul24<true>;
  table["div"] = decodeBinary<DivOp, FloatOp::Div, true>;
  table["rem"] = decodeBinary<RemOp, FloatOp::Div, false>;
  table["min"] = decodeBinary<MinOp, FloatOp::Min, true>;
  table["max"] = decodeBinary<MaxOp, FloatOp::Max, true>;
  table["abs"] = decodeUnary<AbsOp, FloatOp::Abs>;
  table["neg"] = decodeUnary<NegOp, FloatOp::Neg>;
  table["sad"] = [](Decoder &d) {
    Ty type = d.takeType();
    d.inst.fn = pickInteger<SadOp, TernaryShape>(type);
    return d.inst.fn ? plainOperands(d, type, 3) : d.fail("unsupported type");
  };
  table["and"] = decodeLogic<AndOp>;
  table["or"] = decodeLogic<OrOp>;
  table["xor"] = decodeLogic<XorOp>;
  table["not"] = decodeNot;
  table["cnot"] = [](Decoder &d) {
    Ty type = d.takeType();
    d.inst.fn = pickInteger<CnotOp, UnaryShape>(type);
    return d.inst.fn ? plainOperands(d, type, 1) : d.fail("unsupported type");
  };
  table["shl"] = [](Decoder &d) { return decodeShift(d, true); };
  table["shr"] = [](Decoder &d) { return decodeShift(d, false); };
  table["shf"] = decodeFunnel;
  table["lop3"] = decodeLop3;
  table["popc"] = [](Decoder &d) { return decodeCount(d, 0); };
  table["clz"] = [](Decoder &d) { return decodeCount(d, 1); };
  table["bfind"] = [](Decoder &d) { return decodeCount(d, 2); };
  table["brev"] = [](Decoder &d) {
    Ty type = d.takeType();
    if (type == Ty::B32)
      d.inst.fn = unary<uint32_t, BrevOp>;
    else if (type == Ty::B64)
      d.inst.fn = unary<uint64_t, BrevOp>;
    else
      return d.fail("expected .b32 or .b64");
    return plainOperands(d, type, 1);
  };
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["bmsk"] = [](Decoder &d) {
    int mode = d.takeOne({"wrap", "clamp"});
    d.inst.a = mode == 1;
    d.inst.fn = execBmsk;
    return d.takeType() == Ty::B32 && plainOperands(d, Ty::B32, 2);
  };
  table["szext"] = [](Decoder &d) {
    int mode = d.takeOne({"wrap", "clamp"});
    Ty type = d.takeType();
    d.inst.a = mode == 1;
    d.inst.b = type == Ty::S32;
    d.inst.fn = execSzext;
    return plainOperands(d, Ty::B32, 2);
  };
  table["prmt"] = decodePrmt;
  table["dp4a"] = [](Decoder &d) { return decodeDotProduct(d, true); };
  table["dp2a"] = [](Decoder &d) { return decodeDotProduct(d, false); };
}

} // namespace bsmm::emulator
