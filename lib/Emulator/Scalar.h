//===- Scalar.h - Handlers of element-wise instructions ---------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_SCALAR_H
#define BSMM_LIB_EMULATOR_SCALAR_H

#include "Machine.h"
#include "Numeric.h"

#include <type_traits>

namespace bsmm::emulator {

/// How a value of type T sits in a register slot.
template <typename T>
using Slot = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> inline T unpack(Slot<T> slot) {
  if constexpr (std::is_floating_point_v<T>)
    return fromBits<T>(slot);
  else
    return static_cast<T>(slot);
}

template <typename T> inline Slot<T> pack(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return toBits(value);
  else
    return static_cast<Slot<T>>(static_cast<std::make_unsigned_t<T>>(value));
}

template <typename T, typename Op>
Step unary(Exec &x, const Inst &i, uint32_t mask) {
  Slot<T> *d = x.r<Slot<T>>(i.o[0]);
  const Slot<T> *a = x.r<Slot<T>>(i.o[1]);
  forLanes(mask, [&](int l) { d[l] = pack<T>(Op::apply(unpack<T>(a[l]))); });
  return Step::Next;
}

template <typename T, typename Op>
Step binary(Exec &x, const Inst &i, uint32_t mask) {
  Slot<T> *d = x.r<Slot<T>>(i.o[0]);
  const Slot<T> *a = x.r<Slot<T>>(i.o[1]);
  const Slot<T> *b = x.r<Slot<T>>(i.o[2]);
  forLanes(mask, [&](int l) {
    d[l] = pack<T>(Op::apply(unpack<T>(a[l]), unpack<T>(b[l])));
  });
  return Step::Next;
}

template <typename T, typename Op>
Step ternary(Exec &x, const Inst &i, uint32_t mask) {
  Slot<T> *d = x.r<Slot<T>>(i.o[0]);
  const Slot<T> *a = x.r<Slot<T>>(i.o[1]);
  const Slot<T> *b = x.r<Slot<T>>(i.o[2]);
  const Slot<T> *c = x.r<Slot<T>>(i.o[3]);
  forLanes(mask, [&](int l) {
    d[l] =
        pack<T>(Op::apply(unpack<T>(a[l]), unpack<T>(b[l]), unpack<T>(c[l])));
  });
  return Step::Next;
}

/// The handler of Op for an integer type; null for others.
template <typename Op, template <typename, typename> class Shape>
StepFn pickInteger(Ty type) {
  switch (type) {
  case Ty::U16:
  case Ty::B16:
    return Shape<uint16_t, Op>::run;
  case Ty::S16:
    return Shape<int16_t, Op>::run;
  case Ty::U32:
  case Ty::B32:
    return Shape<uint32_t, Op>::run;
  case Ty::S32:
    return Shape<int32_t, Op>::run;
  case Ty::U64:
  case Ty::B64:
    return Shape<uint64_t, Op>::run;
  case Ty::S64:
    return Shape<int64_t, Op>::run;
  default:
    return nullptr;
  }
}

template <typename T, typename Op> struct UnaryShape {
  static Step run(Exec &x, const Inst &i, uint32_t mask) {
    return unary<T, Op>(x, i, mask);
  }
};
template <typename T, typename Op> struct BinaryShape {
  static Step run(Exec &x, const Inst &i, uint32_t mask) {
    return binary<T, Op>(x, i, mask);
  }
};
template <typename T, typename Op> struct TernaryShape {
  static Step run(Exec &x, const Inst &i, uint32_t mask) {
    return ternary<T, Op>(x, i, mask);
  }
};

/// Operands d, a, b... all of `type`.
inline bool plainOperands(Decoder &d, Ty type, unsigned sources) {
  if (!d.count(sources + 1, sources + 1))
    return false;
  d.inst.o[0] = d.destination(0, type);
  for (unsigned k = 0; k < sources; ++k)
    d.inst.o[1 + k] = d.source(1 + k, type);
  return !d.failed();
}

// The floating-point parts of instructions that exist for integers too. `type`
// has been taken.
enum class FloatOp : uint8_t { Add, Sub, Mul, Fma, Min, Max, Abs, Neg, Div };
bool decodeFloat(Decoder &d, FloatOp op, Ty type);
/// Comparison of setp, set and slct: eq ... nan; -1 when unknown.
int takeComparison(Decoder &d);
bool compareFloat(int comparison, double a, double b);
double floatOf(Ty type, uint64_t bits);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_SCALAR_H
