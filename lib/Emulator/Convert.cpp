//===- Convert.cpp - mov, cvt, setp, selp -----------------------*- C++ -*-===//
//
// PTX ISA, "mov", "cvt", "cvt.pack", "Comparison and Selection Instructions".
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include <algorithm>
#include <cfenv>

namespace bsmm::emulator {

using units::NumberFormat;

//===----------------------------------------------------------------------===//
// mov
//===----------------------------------------------------------------------===//

namespace {
template <typename U> Step execMov(Exec &x, const Inst &i, uint32_t mask) {
  U *d = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  if (mask == ~0u) {
    std::memmove(d, a, 32 * sizeof(U));
    return Step::Next;
  }
  forLanes(mask, [&](int l) { d[l] = a[l]; });
  return Step::Next;
}

Step execMov128(Exec &x, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](int l) {
    std::memmove(x.regs + i.o[0] + 16 * l, x.regs + i.o[1] + 16 * l, 16);
  });
  return Step::Next;
}

Step execMovPredicate(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t &d = *x.r<uint32_t>(i.o[0]);
  d = (d & ~mask) | (*x.r<uint32_t>(i.o[1]) & mask);
  return Step::Next;
}

/// Between a wide value and its pieces. a: bits of the whole, b: of a piece.
/// The list holds the pieces, lowest first.
Step execPack(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *list = &x.machine->module->lists[i.list];
  forLanes(mask, [&](int l) {
    unsigned __int128 value = 0;
    for (uint32_t k = 0; k < i.listCount; ++k) {
      uint64_t piece =
          i.b == 64 ? x.r<uint64_t>(list[k])[l] : x.r<uint32_t>(list[k])[l];
      if (i.b < 64)
        piece &= (1ull << i.b) - 1;
      value |= static_cast<unsigned __int128>(piece) << (k * i.b);
    }
    if (i.a == 128)
      std::memcpy(x.regs + i.o[0] + 16 * l, &value, 16);
    else if (i.a == 64)
      x.r<uint64_t>(i.o[0])[l] = static_cast<uint64_t>(value);
    else
      x.r<uint32_t>(i.o[0])[l] = static_cast<uint32_t>(value);
  });
  return Step::Next;
}

Step execUnpack(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *list = &x.machine->module->lists[i.list];
  forLanes(mask, [&](int l) {
    unsigned __int128 value = 0;
    if (i.a == 128)
      std::memcpy(&value, x.regs + i.o[1] + 16 * l, 16);
    else if (i.a == 64)
      value = x.r<uint64_t>(i.o[1])[l];
    else
      value = x.r<uint32_t>(i.o[1])[l];
    for (uint32_t k = 0; k < i.listCount; ++k) {
      if (list[k] == NoOperand)
        continue;
      uint64_t piece = static_cast<uint64_t>(value >> (k * i.b));
      if (i.b < 64)
        piece &= (1ull << i.b) - 1;
      if (i.b == 64)
        x.r<uint64_t>(list[k])[l] = piece;
      else
        x.r<uint32_t>(list[k])[l] = static_cast<uint32_t>(piece);
    }
  });
  return Step::Next;
}

Ty bitType(uint32_t bits) {
  switch (bits) {
  case 8:
    return Ty::B8;
  case 16:
    return Ty::B16;
  case 32:
    return Ty::B32;
  case 64:
    return Ty::B64;
  default:
    return Ty::B128;
  }
}

bool decodeMov(Decoder &d) {
  Inst &i = d.inst;
  Ty type = d.takeType();
  if (!d.count(2, 2))
    return false;
  uint32_t bits = bitsOf(type);
  const ptx::Operand &to = d.operand(0);
  const ptx::Operand &from = d.operand(1);
  using Kind = ptx::Operand::Kind;
  if (to.kind == Kind::Vector || from.kind == Kind::Vector) {
    bool packs = from.kind == Kind::Vector;
    const ptx::Operand &vector = packs ? from : to;
    size_t pieces = vector.elements.size();
    if (to.kind == from.kind || (pieces != 2 && pieces != 4) ||
        bits / pieces < 8 || bits < 16)
      return d.fail("expected a vector of two or four pieces");
    uint32_t piece = static_cast<uint32_t>(bits / pieces);
    i.a = static_cast<uint8_t>(bits);
    i.b = static_cast<uint8_t>(piece);
    std::vector<uint32_t> entries;
    for (const ptx::Operand &element : vector.elements) {
      if (!packs && element.kind == Kind::Sink) {
        entries.push_back(NoOperand);
        continue;
      }
      uint32_t width = 0;
      uint32_t offset = packs
                            ? d.wideSource(element, bitType(piece), width)
                            : d.wideDestination(element, bitType(piece), width);
      if (offset == NoOperand)
        return false;
      if (width != piece && !(piece == 8 && width == 16))
        return d.fail("pieces of " + std::to_string(piece) +
                      " bits expected, got a register of " +
                      std::to_string(width));
      entries.push_back(offset);
    }
    if (packs)
      i.o[0] = d.destination(0, type);
    else
      i.o[1] = d.source(1, type);
    i.list = d.beginList();
    i.listCount = static_cast<uint32_t>(entries.size());
    for (uint32_t entry : entries)
      d.addToList(entry);
    i.fn = packs ? execPack : execUnpack;
    return !d.failed();
  }
  if (type == Ty::Pred) {
    i.fn = execMovPredicate;
    return plainOperands(d, type, 1);
  }
  switch (bits) {
  case 16:
  case 32:
    i.fn = execMov<uint32_t>;
    break;
  case 64:
    i.fn = execMov<uint64_t>;
    break;
  case 128:
    i.fn = execMov128;
    break;
  default:
    return d.fail("unsupported type");
  }
  return plainOperands(d, type, 1);
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

/// Integer widening and narrowing. a: source bits, b: source signed, c:
/// destination type bits, d: destination register bits, e: sat to signed/un-
/// signed (0 none, 1 unsigned, 2 signed), f: source register bits.
Step execCvtInteger(Exec &x, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](int l) {
    uint64_t raw =
        i.f == 64 ? x.r<uint64_t>(i.o[1])[l] : x.r<uint32_t>(i.o[1])[l];
    __int128 value;
    unsigned shift = 64u - i.a;
    if (i.b)
      value = static_cast<int64_t>(raw << shift) >> shift;
    else
      value = static_cast<__int128>(raw << shift >> shift);
    if (i.e) {
      __int128 low = i.e == 2 ? -(static_cast<__int128>(1) << (i.c - 1)) : 0;
      __int128 high = i.e == 2 ? (static_cast<__int128>(1) << (i.c - 1)) - 1
                               : (static_cast<__int128>(1) << i.c) - 1;
      value = std::min(std::max(value, low), high);
    }
    uint64_t result = static_cast<uint64_t>(value);
    if (i.c < 64) {
      // To the width of the type, then to that of the register.
      unsigned cut = 64u - i.c;
      bool isSigned = i.extra != 0;
      result = isSigned ? static_cast<uint64_t>(
                              static_cast<int64_t>(result << cut) >> cut)
                        : result << cut >> cut;
    }
    if (i.d == 64)
      x.r<uint64_t>(i.o[0])[l] = result;
    else if (i.d == 32)
      x.r<uint32_t>(i.o[0])[l] = static_cast<uint32_t>(result);
    else
      x.r<uint32_t>(i.o[0])[l] = static_cast<uint16_t>(result);
  });
  return Step::Next;
}

/// The most frequent one.
Step execCvtU64U32(Exec &x, const Inst &i, uint32_t mask) {
  uint64_t *d = x.r<uint64_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  forLanes(mask, [&](int l) { d[l] = a[l]; });
  return Step::Next;
}

units::RoundingMode roundingOf(uint8_t code) {
  switch (code) {
  case 1:
    return units::RoundingMode::TowardZero;
  case 2:
    return units::RoundingMode::TowardNegative;
  case 3:
    return units::RoundingMode::TowardPositive;
  case 4:
    return units::RoundingMode::NearestAway;
  default:
    return units::RoundingMode::NearestEven;
  }
}

/// Float to integer. a: source type, b: rounding 0..3, c: destination type
/// bits, d: destination register bits, e: destination signed, f: ftz.
Step execCvtToInteger(Exec &x, const Inst &i, uint32_t mask) {
  Ty type = static_cast<Ty>(i.a);
  forLanes(mask, [&](int l) {
    uint64_t raw = bitsOf(type) == 64 ? x.r<uint64_t>(i.o[1])[l]
                                      : x.r<uint32_t>(i.o[1])[l];
    double value = floatOf(type, raw);
    if (i.f && type == Ty::F32)
      value = flush(static_cast<float>(value));
    switch (i.b) {
    case 1:
      value = std::trunc(value);
      break;
    case 2:
      value = std::floor(value);
      break;
    case 3:
      value = std::ceil(value);
      break;
    default:
      value = std::nearbyint(value);
      break;
    }
    unsigned bits = i.c;
    uint64_t result;
    if (std::isnan(value)) {
      // Seen on an H200: f16, bf16 and f32 give 0 in integers of up to 32
      // bits; f64 sources and 64-bit results give the top bit alone.
      if (bits == 64)
        result = 1ull << 63;
      else
        result = type == Ty::F64 && bits == 32 ? 0x80000000u : 0;
    } else if (i.e) {
      double high = std::ldexp(1.0, static_cast<int>(bits) - 1);
      if (value >= high)
        result = (1ull << (bits - 1)) - 1;
      else if (value < -high)
        result = ~0ull << (bits - 1);
      else
        result = static_cast<uint64_t>(static_cast<int64_t>(value));
    } else {
      double high = std::ldexp(1.0, static_cast<int>(bits));
      if (value <= 0)
        result = 0;
      else if (value >= high)
        result = bits == 64 ? ~0ull : (1ull << bits) - 1;
      else
        result = static_cast<uint64_t>(value);
    }
    if (i.d == 64)
      x.r<uint64_t>(i.o[0])[l] =
          bits < 64 && !i.e ? result & ((1ull << bits) - 1) : result;
    else if (i.d == 32)
      x.r<uint32_t>(i.o[0])[l] = static_cast<uint32_t>(result);
    else
      x.r<uint32_t>(i.o[0])[l] = static_cast<uint16_t>(result);
  });
  return Step::Next;
}

/// Integer or float to float. a: source type, b: rounding (0..4), c:
/// destination type, d: flags (1 ftz, 2 sat, 4 relu, 8 satfinite, 16 round to
/// integral), e: source register bits.
Step execCvtToFloat(Exec &x, const Inst &i, uint32_t mask) {
  Ty from = static_cast<Ty>(i.a);
  Ty to = static_cast<Ty>(i.c);
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  forLanes(mask, [&](int l) {
    uint64_t raw =
        i.e == 64 ? x.r<uint64_t>(i.o[1])[l] : x.r<uint32_t>(i.o[1])[l];
    double value;
    bool wideInteger = false;
    if (isFloat(from)) {
      value = floatOf(from, raw);
      if ((i.d & 1) && from == Ty::F32)
        value = flush(static_cast<float>(value));
      if (i.d & 16) {
        int old = std::fegetround();
        std::fesetround(modes[i.b & 3]);
        volatile double v = value;
        value = std::nearbyint(v);
        std::fesetround(old);
      }
    } else {
      unsigned shift = 64u - bitsOf(from);
      if (isSignedInteger(from))
        raw =
            static_cast<uint64_t>(static_cast<int64_t>(raw << shift) >> shift);
      else
        raw = raw << shift >> shift;
      wideInteger = bitsOf(from) == 64;
      value = isSignedInteger(from)
                  ? static_cast<double>(static_cast<int64_t>(raw))
                  : static_cast<double>(raw);
    }
    if (wideInteger || to == Ty::F64) {
      // 64-bit integers and doubles: the host rounds once, in the mode.
      int old = std::fegetround();
      if (i.b < 4)
        std::fesetround(modes[i.b]);
      volatile int64_t s = static_cast<int64_t>(raw);
      volatile uint64_t u = raw;
      if (to == Ty::F64) {
        if (wideInteger) {
          volatile double r = isSignedInteger(from) ? static_cast<double>(s)
                                                    : static_cast<double>(u);
          value = r;
        }
      } else if (to == Ty::F32) {
        volatile float r = isSignedInteger(from) ? static_cast<float>(s)
                                                 : static_cast<float>(u);
        value = r;
      }
      std::fesetround(old);
    }
    if (i.d & 2)
      value = value > 0 ? std::min(value, 1.0) : 0.0;
    if (to == Ty::F64) {
      x.r<uint64_t>(i.o[0])[l] = toBits(value);
      return;
    }
    if (to == Ty::F32 && std::isnan(value) &&
        (from == Ty::F64 || from == Ty::BF16)) {
      // The payload is kept, as far as it fits (seen on an H200).
      if (from == Ty::BF16)
        x.r<uint32_t>(i.o[0])[l] = static_cast<uint32_t>(raw << 16);
      else
        x.r<uint32_t>(i.o[0])[l] = static_cast<uint32_t>(
            raw >> 63 << 31 | 0x7FC00000u | (raw >> 29 & 0x3FFFFF));
      return;
    }
    NumberFormat format = to == Ty::F32    ? NumberFormat::F32
                          : to == Ty::F16  ? NumberFormat::F16
                          : to == Ty::BF16 ? NumberFormat::BF16
                                           : NumberFormat::TF32;
    units::ConversionOptions options;
    options.rounding = roundingOf(i.b);
    options.relu = i.d & 4;
    options.saturateFinite = i.d & 8;
    uint32_t code;
    if (to == Ty::F32 && from == Ty::F32)
      code = toBits(canonical(static_cast<float>(value)));
    else
      code = units::encodeFromDouble(format, value, options);
    if ((i.d & 1) && to == Ty::F32)
      code = toBits(flush(fromBits<float>(code)));
    x.r<uint32_t>(i.o[0])[l] = code;
  });
  return Step::Next;
}

/// Pairs from two f32. a: format, b: rounding, d: flags as above, e: result is
/// 8 bits in a 16-bit register.
Step execCvtPair(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  units::ConversionOptions options;
  options.rounding = roundingOf(i.b);
  options.relu = i.d & 4;
  options.saturateFinite = i.d & 8;
  NumberFormat format = static_cast<NumberFormat>(i.a);
  forLanes(mask, [&](int l) {
    d[l] = units::convertPairFromFloat(format, fromBits<float>(a[l]),
                                       fromBits<float>(b[l]), options);
  });
  return Step::Next;
}

/// f32 to bf16 by rounding to nearest even.
inline uint32_t toBf16(uint32_t bits) {
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return 0x7FFF;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

/// f32 to f16 by rounding to nearest even.
inline uint32_t toF16(uint32_t bits) {
  uint32_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return 0x7FFF;
  if (magnitude >= 0x477FF000) // rounds to 65536 or more
    return sign | 0x7C00;
  if (magnitude >= 0x38800000) {
    uint32_t shifted = magnitude - 0x38000000;
    return sign | (shifted + 0xFFF + (shifted >> 13 & 1)) >> 13;
  }
  // Subnormal: adding 0.5 leaves the rounded value in the low bits.
  float value = fromBits<float>(magnitude) + 0.5f;
  return sign | (toBits(value) - 0x3F000000);
}

template <bool IsBf16>
Step execCvtHalves(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  const uint32_t *b = x.r<uint32_t>(i.o[2]);
  forLanes(mask, [&](int l) {
    d[l] = IsBf16 ? toBf16(a[l]) << 16 | toBf16(b[l])
                  : toF16(a[l]) << 16 | toF16(b[l]);
  });
  return Step::Next;
}

/// Pairs from packed pairs. a: to, c: from.
Step execCvtPacked(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const uint32_t *a = x.r<uint32_t>(i.o[1]);
  units::ConversionOptions options;
  options.rounding = roundingOf(i.b);
  options.relu = i.d & 4;
  options.saturateFinite = i.d & 8;
  forLanes(mask, [&](int l) {
    d[l] = units::convertPair(static_cast<NumberFormat>(i.a),
                              static_cast<NumberFormat>(i.c), a[l], options);
  });
  return Step::Next;
}

bool pairFormat(Ty type, NumberFormat &format) {
  static const std::pair<Ty, NumberFormat> formats[] = {
      {Ty::F16x2, NumberFormat::F16},   {Ty::BF16x2, NumberFormat::BF16},
      {Ty::E4M3x2, NumberFormat::E4M3}, {Ty::E5M2x2, NumberFormat::E5M2},
      {Ty::E2M1x2, NumberFormat::E2M1}, {Ty::E2M3x2, NumberFormat::E2M3},
      {Ty::E3M2x2, NumberFormat::E3M2}, {Ty::UE8M0x2, NumberFormat::UE8M0}};
  for (const auto &[pair, element] : formats)
    if (pair == type) {
      format = element;
      return true;
    }
  return false;
}

/// A source or destination for `bits` of a packed format; 8-bit pairs live in
/// .b8 or wider registers.
uint32_t packedOperand(Decoder &d, size_t index, uint32_t bits, bool isSource) {
  uint32_t width = 0;
  Ty type = bitType(bits);
  uint32_t offset = isSource ? d.wideSource(d.operand(index), type, width)
                             : d.wideDestination(d.operand(index), type, width);
  if (offset != NoOperand &&
      (width < bits || (bits > 8 && width != bits) || width > 32))
    d.fail("expected a register of " + std::to_string(bits) + " bits");
  return offset;
}

bool decodeCvt(Decoder &d) {
  Inst &i = d.inst;
  int rounding = d.takeOne({"rn", "rz", "rm", "rp", "rna"});
  int integral = d.takeOne({"rni", "rzi", "rmi", "rpi"});
  if (d.take("rs"))
    return d.fail("stochastic rounding is not supported");
  bool ftz = d.take("ftz");
  bool satfinite = d.take("satfinite");
  bool sat = d.take("sat");
  bool relu = d.take("relu");
  if (!d.takePrefix("scaled::").empty())
    return d.fail("scaled conversions are not supported");
  Ty to = d.takeType();
  Ty from = d.takeType();
  if (to == Ty::None || from == Ty::None)
    return d.fail("expected two types");
  i.b = rounding > 0 ? static_cast<uint8_t>(rounding) : 0;
  i.d = static_cast<uint8_t>((ftz ? 1 : 0) | (sat ? 2 : 0) | (relu ? 4 : 0) |
                             (satfinite ? 8 : 0));
  NumberFormat format;
  if (pairFormat(to, format)) {
    i.a = static_cast<uint8_t>(format);
    i.o[0] = packedOperand(d, 0, bitsOf(to), false);
    NumberFormat source;
    if (from == Ty::F32) {
      if (!d.count(3, 3))
        return false;
      i.o[1] = d.source(1, Ty::F32);
      i.o[2] = d.source(2, Ty::F32);
      i.fn = execCvtPair;
      if (to == Ty::F16x2 && i.b == 0 && (i.d & ~1) == 0)
        i.fn = execCvtHalves<false>;
      if (to == Ty::BF16x2 && i.b == 0 && (i.d & ~1) == 0)
        i.fn = execCvtHalves<true>;
      return !d.failed();
    }
    if (!pairFormat(from, source))
      return d.fail("unsupported conversion");
    if (!d.count(2, 2))
      return false;
    i.c = static_cast<uint8_t>(source);
    i.o[1] = packedOperand(d, 1, bitsOf(from), true);
    i.fn = execCvtPacked;
    return !d.failed();
  }
  if (!d.count(2, 2))
    return false;
  uint32_t toBitsWidth = 0, fromBitsWidth = 0;
  bool toFloat = isFloat(to);
  bool fromFloat = isFloat(from);
  if (toFloat || fromFloat) {
    Ty bad = bitsOf(to) == 0 || bitsOf(from) == 0 ? Ty::None : to;
    if (bad == Ty::None || to == Ty::F32x2 || from == Ty::F32x2 ||
        from == Ty::TF32 || from == Ty::F16x2 || from == Ty::BF16x2)
      return d.fail("unsupported conversion");
  }
  i.o[0] = d.wideDestination(d.operand(0), to, toBitsWidth);
  i.o[1] = d.wideSource(d.operand(1), from, fromBitsWidth);
  if (d.failed())
    return false;
  if (toBitsWidth < bitsOf(to) || fromBitsWidth < bitsOf(from) ||
      (toFloat && toBitsWidth != bitsOf(to)) ||
      (fromFloat && fromBitsWidth != bitsOf(from)))
    return d.fail("a register's width does not fit the conversion");
  if (!toFloat && !fromFloat) {
    i.a = static_cast<uint8_t>(bitsOf(from));
    i.b = isSignedInteger(from);
    i.c = static_cast<uint8_t>(bitsOf(to));
    i.extra = isSignedInteger(to);
    i.d = static_cast<uint8_t>(toBitsWidth);
    i.e = sat ? (isSignedInteger(to) ? 2 : 1) : 0;
    i.f = static_cast<uint8_t>(fromBitsWidth);
    i.fn = execCvtInteger;
    if (to == Ty::U64 && from == Ty::U32 && fromBitsWidth == 32)
      i.fn = execCvtU64U32;
    return true;
  }
  if (!toFloat) {
    if (integral < 0)
      return d.fail("a float to integer conversion needs .rni, .rzi, .rmi or "
                    ".rpi");
    i.a = static_cast<uint8_t>(from);
    i.b = static_cast<uint8_t>(integral);
    i.c = static_cast<uint8_t>(bitsOf(to));
    i.d = static_cast<uint8_t>(toBitsWidth);
    i.e = isSignedInteger(to);
    i.f = ftz;
    i.fn = execCvtToInteger;
    return true;
  }
  if (integral >= 0) {
    i.d |= 16;
    i.b = static_cast<uint8_t>(integral);
  }
  i.a = static_cast<uint8_t>(from);
  i.c = static_cast<uint8_t>(to);
  i.e = static_cast<uint8_t>(fromBitsWidth);
  i.fn = execCvtToFloat;
  return true;
}

/// cvt.pack.sat: d = c's low bits << .. | sat(a) | sat(b). a: bits of an
/// element (16, 8), b: signed, c: has a third operand.
Step execCvtPack(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t *d = x.r<uint32_t>(i.o[0]);
  const int32_t *a = x.r<int32_t>(i.o[1]);
  const int32_t *b = x.r<int32_t>(i.o[2]);
  const uint32_t *c = i.c ? x.r<uint32_t>(i.o[3]) : nullptr;
  uint32_t bits = i.a;
  int64_t low = i.b ? -(1ll << (bits - 1)) : 0;
  int64_t high = i.b ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
  uint32_t field = (1u << bits) - 1;
  forLanes(mask, [&](int l) {
    auto saturate = [&](int32_t value) {
      return static_cast<uint32_t>(
                 std::min<int64_t>(std::max<int64_t>(value, low), high)) &
             field;
    };
    uint32_t pair = saturate(a[l]) << bits | saturate(b[l]);
    d[l] = c ? c[l] << (2 * bits) | pair : pair;
  });
  return Step::Next;
}

bool decodeCvtPack(Decoder &d) {
  Inst &i = d.inst;
  d.take("sat");
  int type = d.takeOne({"u16", "s16", "u8", "s8"});
  d.take("s32");
  d.take("b32");
  if (type < 0 || !d.count(3, 4))
    return d.fail("expected .u16, .s16, .u8 or .s8");
  i.a = type < 2 ? 16 : 8;
  i.b = type & 1;
  i.c = d.operandCount() == 4;
  i.fn = execCvtPack;
  i.o[0] = d.destination(0, Ty::B32);
  for (unsigned k = 1; k < d.operandCount(); ++k)
    i.o[k] = d.source(k, Ty::B32);
  return !d.failed();
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

enum Comparison {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  IsNan
};

template <typename T> bool compareInteger(int comparison, T a, T b) {
  switch (comparison) {
  case Eq:
    return a == b;
  case Ne:
    return a != b;
  case Lt:
  case Lo:
    return a < b;
  case Le:
  case Ls:
    return a <= b;
  case Gt:
  case Hi:
    return a > b;
  default:
    return a >= b;
  }
}

template <typename T>
uint32_t compareLanes(Exec &x, const Inst &i, uint32_t mask) {
  const Slot<T> *a = x.r<Slot<T>>(i.o[2]);
  const Slot<T> *b = x.r<Slot<T>>(i.o[3]);
  uint32_t result = 0;
  forLanes(mask, [&](int l) {
    result |= static_cast<uint32_t>(
                  compareInteger<T>(i.a, unpack<T>(a[l]), unpack<T>(b[l])))
              << l;
  });
  return result;
}

/// Lanes for which the comparison holds. `half` selects the upper f16.
uint32_t compareMask(Exec &x, const Inst &i, uint32_t mask, bool half) {
  Ty type = static_cast<Ty>(i.b);
  switch (type) {
  case Ty::U16:
  case Ty::B16:
    return compareLanes<uint16_t>(x, i, mask);
  case Ty::S16:
    return compareLanes<int16_t>(x, i, mask);
  case Ty::U32:
  case Ty::B32:
    return compareLanes<uint32_t>(x, i, mask);
  case Ty::S32:
    return compareLanes<int32_t>(x, i, mask);
  case Ty::U64:
  case Ty::B64:
    return compareLanes<uint64_t>(x, i, mask);
  case Ty::S64:
    return compareLanes<int64_t>(x, i, mask);
  default:
    break;
  }
  uint32_t result = 0;
  Ty element = type == Ty::F16x2    ? Ty::F16
               : type == Ty::BF16x2 ? Ty::BF16
                                    : type;
  forLanes(mask, [&](int l) {
    uint64_t a =
        type == Ty::F64 ? x.r<uint64_t>(i.o[2])[l] : x.r<uint32_t>(i.o[2])[l];
    uint64_t b =
        type == Ty::F64 ? x.r<uint64_t>(i.o[3])[l] : x.r<uint32_t>(i.o[3])[l];
    if (half) {
      a >>= 16;
      b >>= 16;
    }
    double p = floatOf(element, a), q = floatOf(element, b);
    if (i.e && type == Ty::F32) {
      p = flush(static_cast<float>(p));
      q = flush(static_cast<float>(q));
    }
    result |= static_cast<uint32_t>(compareFloat(i.a, p, q)) << l;
  });
  return result;
}

/// a: comparison, b: type, c: 0 none, 1 and, 2 or, 3 xor, d: second result,
/// e: ftz. o: p, q, a, b, c.
Step execSetp(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t holds = compareMask(x, i, mask, false);
  uint32_t other = ~holds;
  bool packed =
      static_cast<Ty>(i.b) == Ty::F16x2 || static_cast<Ty>(i.b) == Ty::BF16x2;
  if (packed)
    other = compareMask(x, i, mask, true);
  if (i.c) {
    uint32_t c = *x.r<uint32_t>(i.o[4]);
    auto combine = [&](uint32_t value) {
      return i.c == 1 ? value & c : i.c == 2 ? value | c : value ^ c;
    };
    holds = combine(holds);
    other = combine(other);
  }
  uint32_t &p = *x.r<uint32_t>(i.o[0]);
  p = (p & ~mask) | (holds & mask);
  if (i.d) {
    uint32_t &q = *x.r<uint32_t>(i.o[1]);
    q = (q & ~mask) | (other & mask);
  }
  return Step::Next;
}

bool comparableType(Ty type) {
  switch (type) {
  case Ty::B16:
  case Ty::U16:
  case Ty::S16:
  case Ty::B32:
  case Ty::U32:
  case Ty::S32:
  case Ty::B64:
  case Ty::U64:
  case Ty::S64:
  case Ty::F16:
  case Ty::BF16:
  case Ty::F16x2:
  case Ty::BF16x2:
  case Ty::F32:
  case Ty::F64:
    return true;
  default:
    return false;
  }
}

bool decodeSetp(Decoder &d) {
  Inst &i = d.inst;
  int comparison = takeComparison(d);
  int combine = d.takeOne({"and", "or", "xor"});
  i.e = d.take("ftz");
  Ty type = d.takeType();
  if (comparison < 0)
    return d.fail("expected a comparison");
  if (!comparableType(type))
    return d.fail("unsupported type");
  if (!isFloat(type) && comparison > Hs)
    return d.fail("this comparison is for floats");
  size_t operands = combine >= 0 ? 4 : 3;
  if (!d.count(operands, operands))
    return false;
  // eq and ne of .b types; lo, ls, hi, hs compare unsigned.
  i.a = static_cast<uint8_t>(comparison);
  i.b = static_cast<uint8_t>(type);
  i.c = static_cast<uint8_t>(combine + 1);
  const ptx::Operand &result = d.operand(0);
  if (result.kind == ptx::Operand::Kind::Pair) {
    if (result.elements.size() != 2)
      return d.fail("expected p|q");
    i.d = 1;
    i.o[0] = d.destination(result.elements[0], Ty::Pred);
    i.o[1] = d.destination(result.elements[1], Ty::Pred);
  } else {
    i.o[0] = d.destination(0, Ty::Pred);
  }
  i.o[2] = d.source(1, type);
  i.o[3] = d.source(2, type);
  if (combine >= 0)
    i.o[4] = d.source(3, Ty::Pred);
  i.fn = execSetp;
  return !d.failed();
}

/// set: as setp, into a register. f: destination type.
Step execSet(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t holds = compareMask(x, i, mask, false);
  if (i.c) {
    uint32_t c = *x.r<uint32_t>(i.o[4]);
    holds = i.c == 1 ? holds & c : i.c == 2 ? holds | c : holds ^ c;
  }
  Ty type = static_cast<Ty>(i.f);
  uint32_t one = type == Ty::F32    ? 0x3F800000u
                 : type == Ty::F16  ? 0x3C00u
                 : type == Ty::BF16 ? 0x3F80u
                                    : ~0u;
  if (bitsOf(type) == 16)
    one &= 0xFFFF;
  Ty compared = static_cast<Ty>(i.b);
  bool packed = compared == Ty::F16x2 || compared == Ty::BF16x2;
  uint32_t upper = packed ? compareMask(x, i, mask, true) : 0;
  forLanes(mask, [&](int l) {
    uint32_t value = holds >> l & 1 ? one : 0;
    if (packed) {
      uint32_t unit = type == Ty::F16x2    ? 0x3C00u
                      : type == Ty::BF16x2 ? 0x3F80u
                                           : 0xFFFFu;
      value = (holds >> l & 1 ? unit : 0) | (upper >> l & 1 ? unit << 16 : 0);
    }
    x.r<uint32_t>(i.o[0])[l] = value;
  });
  return Step::Next;
}

bool decodeSet(Decoder &d) {
  Inst &i = d.inst;
  int comparison = takeComparison(d);
  int combine = d.takeOne({"and", "or", "xor"});
  i.e = d.take("ftz");
  Ty to = d.takeType();
  Ty type = d.takeType();
  if (comparison < 0 || !comparableType(type) || bitsOf(to) > 32)
    return d.fail("unsupported comparison");
  size_t operands = combine >= 0 ? 4 : 3;
  if (!d.count(operands, operands))
    return false;
  i.a = static_cast<uint8_t>(comparison);
  i.b = static_cast<uint8_t>(type);
  i.c = static_cast<uint8_t>(combine + 1);
  i.f = static_cast<uint8_t>(to);
  i.o[0] = d.destination(0, to);
  i.o[2] = d.source(1, type);
  i.o[3] = d.source(2, type);
  if (combine >= 0)
    i.o[4] = d.source(3, Ty::Pred);
  i.fn = execSet;
  return !d.failed();
}

template <typename U> Step execSelp(Exec &x, const Inst &i, uint32_t mask) {
  U *d = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  const U *b = x.r<U>(i.o[2]);
  uint32_t p = *x.r<uint32_t>(i.o[3]);
  forLanes(mask, [&](int l) { d[l] = p >> l & 1 ? a[l] : b[l]; });
  return Step::Next;
}

bool decodeSelp(Decoder &d) {
  Inst &i = d.inst;
  Ty type = d.takeType();
  if (!d.count(4, 4))
    return false;
  if (bitsOf(type) == 64)
    i.fn = execSelp<uint64_t>;
  else if (bitsOf(type) == 32 || bitsOf(type) == 16)
    i.fn = execSelp<uint32_t>;
  else
    return d.fail("unsupported type");
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  i.o[2] = d.source(2, type);
  i.o[3] = d.source(3, Ty::Pred);
  return !d.failed();
}

/// slct: a if c >= 0 else b. a: c is f32.
template <typename U> Step execSlct(Exec &x, const Inst &i, uint32_t mask) {
  U *d = x.r<U>(i.o[0]);
  const U *a = x.r<U>(i.o[1]);
  const U *b = x.r<U>(i.o[2]);
  const uint32_t *c = x.r<uint32_t>(i.o[3]);
  forLanes(mask, [&](int l) {
    bool first =
        i.a ? fromBits<float>(c[l]) >= 0 : static_cast<int32_t>(c[l]) >= 0;
    d[l] = first ? a[l] : b[l];
  });
  return Step::Next;
}

bool decodeSlct(Decoder &d) {
  Inst &i = d.inst;
  d.take("ftz");
  Ty type = d.takeType();
  Ty selector = d.takeType();
  if (!d.count(4, 4))
    return false;
  if (selector != Ty::S32 && selector != Ty::F32)
    return d.fail("expected .s32 or .f32");
  i.a = selector == Ty::F32;
  if (bitsOf(type) == 64)
    i.fn = execSlct<uint64_t>;
  else if (bitsOf(type) == 32 || bitsOf(type) == 16)
    i.fn = execSlct<uint32_t>;
  else
    return d.fail("unsupported type");
  i.o[0] = d.destination(0, type);
  i.o[1] = d.source(1, type);
  i.o[2] = d.source(2, type);
  i.o[3] = d.source(3, selector);
  return !d.failed();
}
} // namespace

int takeComparison(Decoder &d) {
  return d.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
                    "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
}

bool compareFloat(int comparison, double a, double b) {
  bool unordered = a != a || b != b;
  switch (comparison) {
  case Eq:
    return a == b;
  case Ne:
    return !unordered && a != b;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Equ:
    return unordered || a == b;
  case Neu:
    return unordered || a != b;
  case Ltu:
    return unordered || a < b;
  case Leu:
    return unordered || a <= b;
  case Gtu:
    return unordered || a > b;
  case Geu:
    return unordered || a >= b;
  case Num:
    return !unordered;
  default:
    return unordered;
  }
}

void registerConvert(OpTable &table) {
  table["mov"] = decodeMov;
  table["cvt"] = decodeCvt;
  table["cvt.pack"] = decodeCvtPack;
  table["setp"] = decodeSetp;
  table["set"] = decodeSet;
  table["selp"] = decodeSelp;
  table["slct"] = decodeSlct;
}

} // namespace bsmm::emulator
