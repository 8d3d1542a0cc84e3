//===- NumberArguments.h - checks of what C callers pass --------*- C++ -*-===//

#ifndef BSMM_LIB_RUNTIME_LIBRARY_NUMBERARGUMENTS_H
#define BSMM_LIB_RUNTIME_LIBRARY_NUMBERARGUMENTS_H

#include "Status.h"
#include "bsmm/Runtime/bsmm_numbers.h"
#include "bsmm/Target/Target.h"
#include <cstdint>
#include <string>

namespace bsmm::runtime::library {

inline bsmm_status invalidArgument(const std::string &text) {
  return fail(BSMM_INVALID_ARGUMENT, text);
}

/// None for numbers that are no type.
inline target::ElementType elementType(bsmm_element type) {
  auto number = static_cast<unsigned>(type);
  return number < target::numElementTypes
             ? static_cast<target::ElementType>(number)
             : target::ElementType::None;
}

/// a * b + c, or -1 when that is no 64-bit number or one of them is negative.
inline int64_t multiplyAdd(int64_t a, int64_t b, int64_t c = 0) {
  int64_t result;
  if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(a, b, &result) ||
      __builtin_add_overflow(result, c, &result))
    return -1;
  return result;
}

/// An array [batches, rows, columns] with strides in elements, 0 filled in.
struct Extents {
  int64_t batches = 0, rows = 0, columns = 0;
  int64_t pitch = 0, batchStride = 0;

  bool isEmpty() const { return batches == 0 || rows == 0 || columns == 0; }
};

/// Fills in the strides and checks that rows and batches do not overlap, that
/// rows begin at whole bytes and that all offsets are 64-bit numbers. `name`
/// begins the error; empty when all is well.
std::string checkExtents(const char *name, unsigned bits, Extents &extents);

/// Bytes of the scales that a layout needs for one batch; -1 on overflow.
int64_t blockedBytes(int64_t rows, int64_t groups);

} // namespace bsmm::runtime::library

#endif // BSMM_LIB_RUNTIME_LIBRARY_NUMBERARGUMENTS_H
