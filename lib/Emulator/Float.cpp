//===- Float.cpp - Floating-point arithmetic --------------------*- C++ -*-===//
//
// PTX ISA, "Floating Point Instructions", "Half Precision Floating Point
// Instructions". Add, subtract, multiply, fused multiply-add, divide and square
// root are correctly rounded. The .approx functions are computed in double
// precision and rounded once, where a GPU has an error of a few units in the
// last place.
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include <algorithm>
#include <cfenv>
#include <limits>

namespace bsmm::emulator {

using units::NumberFormat;

double floatOf(Ty type, uint64_t bits) {
  switch (type) {
  case Ty::F64:
    return fromBits<double>(bits);
  case Ty::F32:
    return fromBits<float>(static_cast<uint32_t>(bits));
  case Ty::F16:
    return units::decodeToFloat(NumberFormat::F16,
                                static_cast<uint32_t>(bits & 0xFFFF));
  case Ty::BF16:
    return units::decodeToFloat(NumberFormat::BF16,
                                static_cast<uint32_t>(bits & 0xFFFF));
  default:
    return 0;
  }
}

namespace {
enum Flag : uint8_t {
  Ftz = 1,
  Sat = 2,
  Relu = 4,
  NaN = 8,
  XorSign = 16,
  Magnitude = 32, ///< .abs of min and max with three operands
};

/// Rounding of f32 and f64 arithmetic: 0 rn, 1 rz, 2 rm, 3 rp.
class HostRounding {
public:
  explicit HostRounding(uint8_t mode) : changed(mode != 0) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                FE_UPWARD};
    if (changed)
      std::fesetround(modes[mode & 3]);
  }
  ~HostRounding() {
    if (changed)
      std::fesetround(FE_TONEAREST);
  }

private:
  bool changed;
};

float finish(float value, uint8_t flags) {
  if (flags & Ftz)
    value = flush(value);
  if (flags & Sat)
    value = value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; // NaN gives 0
  if ((flags & Relu) && (value < 0 || toBits(value) == 0x80000000u))
    value = 0;
  return canonical(value);
}

template <typename T> T minimum(T a, T b, bool propagate) {
  if (a != a || b != b) {
    if (propagate || (a != a && b != b))
      return std::numeric_limits<T>::quiet_NaN();
    return a != a ? b : a;
  }
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename T> T maximum(T a, T b, bool propagate) {
  if (a != a || b != b) {
    if (propagate || (a != a && b != b))
      return std::numeric_limits<T>::quiet_NaN();
    return a != a ? b : a;
  }
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename T> T compute(FloatOp op, T a, T b, T c, uint8_t flags) {
  // The operands go through memory, so that no operation is done at compile
  // time or moved across a change of the rounding mode.
  volatile T p = a, q = b, r = c;
  switch (op) {
  case FloatOp::Add:
    return p + q;
  case FloatOp::Sub:
    return p - q;
  case FloatOp::Mul:
    return p * q;
  case FloatOp::Fma:
    return std::fma(static_cast<T>(p), static_cast<T>(q), static_cast<T>(r));
  case FloatOp::Div:
    return p / q;
  case FloatOp::Min:
  case FloatOp::Max: {
    T x = a, y = b;
    if (flags & XorSign) {
      bool negative = std::signbit(a) != std::signbit(b);
      x = std::fabs(a);
      y = std::fabs(b);
      T m = op == FloatOp::Min ? minimum(x, y, flags & NaN)
                               : maximum(x, y, flags & NaN);
      return negative ? -m : m;
    }
    return op == FloatOp::Min ? minimum(x, y, flags & NaN)
                              : maximum(x, y, flags & NaN);
  }
  default:
    return a;
  }
}

//===----------------------------------------------------------------------===//
// f32: the frequent ones without any modifier are loops of their own.
//===----------------------------------------------------------------------===//

template <int Op> Step plainF32(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = Op == 3 ? x.r<uint32_t>(i.o[3]) : nullptr;
  forLanes(mask, [&](int l) {
    float p = fromBits<float>(a[l]);
    float q = fromBits<float>(b[l]);
    float result;
    if (Op == 0)
      result = p + q;
    else if (Op == 1)
      result = p - q;
    else if (Op == 2)
      result = p * q;
    else
      result = std::fma(p, q, fromBits<float>(c[l]));
    d[l] = toBits(canonical(result));
  });
  return Step::Next;
}

/// a: FloatOp, b: flags, c: rounding.
Step generalF32(Exec &x, const Inst &i, uint32_t mask) {
  HostRounding rounding(i.c);
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  bool ftz = i.b & Ftz;
  forLanes(mask, [&](int l) {
    auto in = [&](uint32_t bits) {
      float value = fromBits<float>(bits);
      return ftz ? flush(value) : value;
    };
    d[l] = toBits(finish(compute<float>(static_cast<FloatOp>(i.a), in(a[l]),
                                        in(b[l]), in(c[l]), i.b),
                         i.b));
  });
  return Step::Next;
}

/// min and max of three operands; as generalF32.
Step extremeOfThree(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  FloatOp op = static_cast<FloatOp>(i.a);
  forLanes(mask, [&](int l) {
    auto in = [&](unsigned k) {
      float value = fromBits<float>(x.r<uint32_t>(i.o[k])[l]);
      value = i.b & Ftz ? flush(value) : value;
      return i.b & Magnitude ? std::fabs(value) : value;
    };
    float two = compute<float>(op, in(1), in(2), 0, i.b);
    d[l] = toBits(finish(compute<float>(op, two, in(3), 0, i.b), i.b));
  });
  return Step::Next;
}

/// add, sub and fma with f32 results: all operands but the last are f16 or
/// bf16. a: FloatOp, b: flags, c: rounding, d: NumberFormat.
Step mixedF32(Exec &x, const Inst &i, uint32_t mask) {
  HostRounding rounding(i.c);
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  FloatOp op = static_cast<FloatOp>(i.a);
  NumberFormat format = static_cast<NumberFormat>(i.d);
  forLanes(mask, [&](int l) {
    auto narrow = [&](unsigned k) {
      return units::decodeToFloat(format, x.r<uint32_t>(i.o[k])[l] & 0xFFFF);
    };
    auto wide = [&](unsigned k) {
      return fromBits<float>(x.r<uint32_t>(i.o[k])[l]);
    };
    float result = op == FloatOp::Fma
                       ? compute<float>(op, narrow(1), narrow(2), wide(3), 0)
                       : compute<float>(op, narrow(1), wide(2), 0, 0);
    d[l] = toBits(finish(result, i.b));
  });
  return Step::Next;
}

Step generalF64(Exec &x, const Inst &i, uint32_t mask) {
  HostRounding rounding(i.c);
  uint64_t *d = x.r<uint64_t>(i.o[0]);
  const uint64_t *a = x.r<uint64_t>(i.o[1]);
  const uint64_t *b = x.r<uint64_t>(i.o[2]);
  const uint64_t *c = x.r<uint64_t>(i.o[3]);
  forLanes(mask, [&](int l) {
    // NaN payloads of f64 are kept (seen on an H200), as the host does.
    d[l] = toBits(
        compute<double>(static_cast<FloatOp>(i.a), fromBits<double>(a[l]),
                        fromBits<double>(b[l]), fromBits<double>(c[l]), i.b));
  });
  return Step::Next;
}

/// f32x2: two f32 in 64 bits.
Step generalF32x2(Exec &x, const Inst &i, uint32_t mask) {
  HostRounding rounding(i.c);
  uint64_t *d = x.r<uint64_t>(i.o[0]);
  const uint64_t *a = x.r<uint64_t>(i.o[1]);
  const uint64_t *b = x.r<uint64_t>(i.o[2]);
  const uint64_t *c = x.r<uint64_t>(i.o[3]);
  bool ftz = i.b & Ftz;
  forLanes(mask, [&](int l) {
    uint64_t result = 0;
    for (unsigned k = 0; k < 64; k += 32) {
      auto in = [&](uint64_t bits) {
        float value = fromBits<float>(static_cast<uint32_t>(bits >> k));
        return ftz ? flush(value) : value;
      };
      float r = finish(compute<float>(static_cast<FloatOp>(i.a), in(a[l]),
                                      in(b[l]), in(c[l]), i.b),
                       i.b);
      result |= uint64_t(toBits(r)) << k;
    }
    d[l] = result;
  });
  return Step::Next;
}

/// p + c rounded to odd: rounding that to a narrower format once more gives
/// what one rounding would.
double addToOdd(double p, double c) {
  volatile double sum = p + c;
  double s = sum;
  if (!std::isfinite(s))
    return s;
  volatile double back = s - p;
  volatile double rest = s - back;
  volatile double e1 = p - rest;
  volatile double e2 = c - back;
  double error = e1 + e2;
  if (error != 0 && (toBits(s) & 1) == 0)
    s = std::nextafter(s, error > 0 ? std::numeric_limits<double>::infinity()
                                    : -std::numeric_limits<double>::infinity());
  return s;
}

uint32_t halfOp(FloatOp op, NumberFormat format, uint32_t a, uint32_t b,
                uint32_t c, uint8_t flags) {
  auto in = [&](uint32_t code) {
    float value = units::decodeToFloat(format, code);
    if ((flags & Ftz) && format == NumberFormat::F16 &&
        std::fabs(value) < 6.103515625e-05f)
      value = std::copysign(0.0f, value);
    return static_cast<double>(value);
  };
  double p = in(a), q = in(b), r = in(c);
  double result;
  switch (op) {
  case FloatOp::Add:
    result = addToOdd(p, q);
    break;
  case FloatOp::Sub:
    result = addToOdd(p, -q);
    break;
  case FloatOp::Mul:
    result = p * q;
    break;
  case FloatOp::Fma:
    result = addToOdd(p * q, r);
    break;
  default:
    result = compute<double>(op, p, q, r, flags);
    break;
  }
  if (flags & Sat)
    result = result > 0 ? std::min(result, 1.0) : 0.0;
  units::ConversionOptions options;
  options.relu = flags & Relu;
  uint32_t code = units::encodeFromDouble(format, result, options);
  if ((flags & Ftz) && format == NumberFormat::F16 && (code & 0x7C00) == 0)
    code &= 0x8000;
  return code;
}

/// d: NumberFormat, e: packed.
Step generalHalf(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  FloatOp op = static_cast<FloatOp>(i.a);
  NumberFormat format = static_cast<NumberFormat>(i.d);
  forLanes(mask, [&](int l) {
    uint32_t result =
        halfOp(op, format, a[l] & 0xFFFF, b[l] & 0xFFFF, c[l] & 0xFFFF, i.b);
    if (i.e)
      result |= halfOp(op, format, a[l] >> 16, b[l] >> 16, c[l] >> 16, i.b)
                << 16;
    d[l] = result;
  });
  return Step::Next;
}

/// abs and neg only touch sign bits. a: FloatOp, b: flags, imm: sign bits, d:
/// 32 for f32, 10 for f16, 7 for bf16; e: packed.
template <typename U> Step signOp(Exec &x, const Inst &i, uint32_t mask) {
  U *d = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  U signs = static_cast<U>(i.imm);
  forLanes(mask, [&](int l) {
    U value = a[l];
    if ((i.b & Ftz) && sizeof(U) == 4)
      value = static_cast<U>(
          toBits(flush(fromBits<float>(static_cast<uint32_t>(value)))));
    value = static_cast<FloatOp>(i.a) == FloatOp::Abs ? value & ~signs
                                                      : value ^ signs;
    // Seen on an H200: NaN comes out as the canonical one.
    if (sizeof(U) == 4 && i.d == 32) {
      if ((value & 0x7FFFFFFFu) > 0x7F800000u)
        value = 0x7FFFFFFFu;
    } else if (sizeof(U) == 4) {
      U limit = i.d == 10 ? 0x7C00u : 0x7F80u;
      if ((value & 0x7FFF) > limit)
        value |= 0x7FFF, value &= ~U(0x8000);
      if ((value >> 16 & 0x7FFF) > limit && i.e)
        value = (value & 0xFFFF) | U(0x7FFF0000);
    }
    d[l] = value;
  });
  return Step::Next;
}
} // namespace

/// PTX ISA, "Mixed Precision Floating Point Instructions".
static bool decodeMixed(Decoder &d, FloatOp op, Ty type, Ty narrow) {
  Inst &i = d.inst;
  bool known = op == FloatOp::Add || op == FloatOp::Sub || op == FloatOp::Fma;
  if (!known || type != Ty::F32 || (narrow != Ty::F16 && narrow != Ty::BF16) ||
      (i.b & ~Sat) != 0)
    return d.fail("expected add, sub or fma of .f32 with .f16 or .bf16");
  i.d = static_cast<uint8_t>(narrow == Ty::F16 ? NumberFormat::F16
                                               : NumberFormat::BF16);
  i.fn = mixedF32;
  unsigned sources = op == FloatOp::Fma ? 3 : 2;
  if (!d.count(sources + 1, sources + 1))
    return false;
  i.o[0] = d.destination(0, Ty::F32);
  for (unsigned k = 1; k <= sources; ++k)
    i.o[k] = d.source(k, k == sources ? Ty::F32 : narrow);
  return !d.failed();
}

bool decodeFloat(Decoder &d, FloatOp op, Ty type) {
  Inst &i = d.inst;
  i.a = static_cast<uint8_t>(op);
  int rounding = d.takeOne({"rn", "rz", "rm", "rp"});
  i.c = rounding > 0 ? static_cast<uint8_t>(rounding) : 0;
  d.takeOne({"approx", "full"});
  i.b = static_cast<uint8_t>(
      (d.take("ftz") ? Ftz : 0) | (d.take("sat") ? Sat : 0) |
      (d.take("relu") ? Relu : 0) | (d.take("NaN") ? NaN : 0));
  if (d.take("xorsign")) {
    if (!d.take("abs"))
      return d.fail("expected .xorsign.abs");
    i.b |= XorSign;
  }
  unsigned sources = op == FloatOp::Fma                         ? 3
                     : op == FloatOp::Abs || op == FloatOp::Neg ? 1
                                                                : 2;
  if ((op == FloatOp::Min || op == FloatOp::Max) && d.operandCount() == 4) {
    if (type != Ty::F32 || (i.b & XorSign))
      return d.fail("min and max of three operands take .f32 and no .xorsign");
    if (d.take("abs"))
      i.b |= Magnitude;
    i.fn = extremeOfThree;
    return plainOperands(d, type, 3);
  }
  if (Ty narrow = d.takeType(); narrow != Ty::None)
    return decodeMixed(d, op, type, narrow);
  if (!plainOperands(d, type, sources))
    return false;
  for (unsigned k = sources + 1; k < 4; ++k)
    i.o[k] = i.o[sources];
  if (op == FloatOp::Abs || op == FloatOp::Neg) {
    switch (type) {
    case Ty::F32:
      i.imm = 0x80000000ll;
      i.d = 32;
      break;
    case Ty::F64:
      i.imm = INT64_MIN;
      i.fn = signOp<uint64_t>;
      return true;
    case Ty::F16:
    case Ty::BF16:
      i.imm = 0x8000;
      i.b = 0;
      i.d = type == Ty::F16 ? 10 : 7;
      break;
    case Ty::F16x2:
    case Ty::BF16x2:
      i.imm = 0x80008000ll;
      i.b = 0;
      i.d = type == Ty::F16x2 ? 10 : 7;
      i.e = 1;
      break;
    default:
      return d.fail("unsupported type");
    }
    i.fn = signOp<uint32_t>;
    return true;
  }
  switch (type) {
  case Ty::F32:
    i.fn = generalF32;
    if (i.b == 0 && i.c == 0) {
      if (op == FloatOp::Add)
        i.fn = plainF32<0>;
      if (op == FloatOp::Sub)
        i.fn = plainF32<1>;
      if (op == FloatOp::Mul)
        i.fn = plainF32<2>;
      if (op == FloatOp::Fma)
        i.fn = plainF32<3>;
    }
    return true;
  case Ty::F64:
    i.fn = generalF64;
    return true;
  case Ty::F32x2:
    i.fn = generalF32x2;
    return true;
  case Ty::F16:
  case Ty::BF16:
  case Ty::F16x2:
  case Ty::BF16x2:
    i.fn = generalHalf;
    i.d = static_cast<uint8_t>(type == Ty::F16 || type == Ty::F16x2
                                   ? NumberFormat::F16
                                   : NumberFormat::BF16);
    i.e = type == Ty::F16x2 || type == Ty::BF16x2;
    return true;
  default:
    return d.fail("unsupported type");
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
enum class Function : uint8_t { Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Cos, Tanh };

double evaluate(Function function, double a) {
  switch (function) {
  case Function::Rcp:
    return 1.0 / a;
  case Function::Sqrt:
    return std::sqrt(a);
  case Function::Rsqrt:
    return 1.0 / std::sqrt(a);
  case Function::Ex2:
    return std::exp2(a);
  case Function::Lg2:
    return std::log2(a);
  case Function::Sin:
    return std::sin(a);
  case Function::Cos:
    return std::cos(a);
  case Function::Tanh:
    return std::tanh(a);
  }
  return 0;
}

/// a: function, b: flags, c: rounding, d: type.
Step execFunction(Exec &x, const Inst &i, uint32_t mask) {
  Function function = static_cast<Function>(i.a);
  Ty type = static_cast<Ty>(i.d);
  HostRounding rounding(i.c);
  forLanes(mask, [&](int l) {
    if (type == Ty::F64) {
      x.r<uint64_t>(i.o[0])[l] = toBits(
          evaluate(function, fromBits<double>(x.r<uint64_t>(i.o[1])[l])));
      return;
    }
    uint32_t bits = x.r<uint32_t>(i.o[1])[l];
    uint32_t &result = x.r<uint32_t>(i.o[0])[l];
    if (type == Ty::F32) {
      float a = fromBits<float>(bits);
      if (i.b & Ftz)
        a = flush(a);
      float value;
      // rcp.rn and sqrt.rn are rounded once.
      if (function == Function::Rcp)
        value = 1.0f / a;
      else if (function == Function::Sqrt)
        value = std::sqrt(a);
      else
        value = static_cast<float>(evaluate(function, a));
      result = toBits(finish(value, i.b & Ftz));
      return;
    }
    bool isBf16 = type == Ty::BF16 || type == Ty::BF16x2;
    NumberFormat format = isBf16 ? NumberFormat::BF16 : NumberFormat::F16;
    uint32_t codes = units::encodeFromDouble(
        format,
        evaluate(function, units::decodeToDouble(format, bits & 0xFFFF)));
    if (type == Ty::F16x2 || type == Ty::BF16x2)
      codes |= units::encodeFromDouble(
                   format, evaluate(function,
                                    units::decodeToDouble(format, bits >> 16)))
               << 16;
    result = codes;
  });
  return Step::Next;
}

template <Function F> bool decodeFunction(Decoder &d) {
  Inst &i = d.inst;
  int rounding = d.takeOne({"rn", "rz", "rm", "rp"});
  d.take("approx");
  i.b = d.take("ftz") ? Ftz : 0;
  Ty type = d.takeType();
  if (!isFloat(type) || type == Ty::TF32 || type == Ty::F32x2)
    return d.fail("unsupported type");
  i.a = static_cast<uint8_t>(F);
  i.c = rounding > 0 ? static_cast<uint8_t>(rounding) : 0;
  i.d = static_cast<uint8_t>(type);
  i.fn = execFunction;
  return plainOperands(d, type, 1);
}

Step execCopysign(Exec &x, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](int l) {
    if (i.a == 64)
      x.r<uint64_t>(i.o[0])[l] = (x.r<uint64_t>(i.o[1])[l] & (1ull << 63)) |
                                 (x.r<uint64_t>(i.o[2])[l] & ~(1ull << 63));
    else
      x.r<uint32_t>(i.o[0])[l] = (x.r<uint32_t>(i.o[1])[l] & 0x80000000u) |
                                 (x.r<uint32_t>(i.o[2])[l] & 0x7FFFFFFFu);
  });
  return Step::Next;
}

bool decodeCopysign(Decoder &d) {
  Ty type = d.takeType();
  if (type != Ty::F32 && type != Ty::F64)
    return d.fail("expected .f32 or .f64");
  d.inst.a = static_cast<uint8_t>(bitsOf(type));
  d.inst.fn = execCopysign;
  return plainOperands(d, type, 2);
}

Step execTestp(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t result = 0;
  forLanes(mask, [&](int l) {
    double value;
    bool subnormal;
    if (i.b == 64) {
      value = fromBits<double>(x.r<uint64_t>(i.o[1])[l]);
      subnormal = std::fpclassify(value) == FP_SUBNORMAL;
    } else {
      float narrow = fromBits<float>(x.r<uint32_t>(i.o[1])[l]);
      subnormal = std::fpclassify(narrow) == FP_SUBNORMAL;
      value = narrow;
    }
    bool is = false;
    switch (i.a) {
    case 0:
      is = std::isfinite(value);
      break;
    case 1:
      is = std::isinf(value);
      break;
    case 2:
      is = !std::isnan(value);
      break;
    case 3:
      is = std::isnan(value);
      break;
    case 4:
      is = std::isfinite(value) && value != 0 && !subnormal;
      break;
    default:
      is = subnormal;
      break;
    }
    result |= static_cast<uint32_t>(is) << l;
  });
  uint32_t &p = *x.r<uint32_t>(i.o[0]);
  p = (p & ~mask) | result;
  return Step::Next;
}

bool decodeTestp(Decoder &d) {
  Inst &i = d.inst;
  int op = d.takeOne(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Ty type = d.takeType();
  if (op < 0 || (type != Ty::F32 && type != Ty::F64) || !d.count(2, 2))
    return d.fail("expected testp.<op>.{f32,f64}");
  i.a = static_cast<uint8_t>(op);
  i.b = static_cast<uint8_t>(bitsOf(type));
  i.fn = execTestp;
  i.o[0] = d.destination(0, Ty::Pred);
  i.o[1] = d.source(1, type);
  return !d.failed();
}
} // namespace

void registerFloat(OpTable &table) {
  table["fma"] = [](Decoder &d) {
    d.inst.c = 0;
    Ty type = d.takeType();
    if (!isFloat(type))
      return d.fail("unsupported type");
    return decodeFloat(d, FloatOp::Fma, type);
  };
  table["rcp"] = decodeFunction<Function::Rcp>;
  table["sqrt"] = decodeFunction<Function::Sqrt>;
  table["rsqrt"] = decodeFunction<Function::Rsqrt>;
  table["ex2"] = decodeFunction<Function::Ex2>;
  table["lg2"] = decodeFunction<Function::Lg2>;
  table["sin"] = decodeFunction<Function::Sin>;
  table["cos"] = decodeFunction<Function::Cos>;
  table["tanh"] = decodeFunction<Function::Tanh>;
  table["copysign"] = decodeCopysign;
  table["testp"] = decodeTestp;
}

} // namespace bsmm::emulator
