//===- NumberFormats.h - narrow floating-point codes ------------*- C++ -*-===//
//
// Decoding and encoding of the element types by their arithmetic definitions,
// for the host reference and the packers. Sources: OCP Microscaling Formats
// v1.0, PTX ISA 5.2.3 (alternate floating point) and cvt for the special cases.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_NUMBERFORMATS_H
#define BSMM_RUNTIME_NUMBERFORMATS_H

#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Target/Target.h"
#include <cstdint>
#include <vector>

namespace bsmm::runtime {

/// Value of a code; only the low bits of `code` count. Integers decode too.
///   e4m3: 0x7F and 0xFF are NaN. ue4m3: the sign bit is ignored, so 0x7F and
///   0xFF are NaN. ue8m0: 2^(code - 127), 0xFF is NaN. e2m1, e2m3, e3m2: every
///   code is finite. f32, f64 and tf32 are IEEE patterns.
double decode(target::ElementType type, uint64_t code);

/// All codes of a type of at most 16 bits, decoded.
std::vector<double> decodeTable(target::ElementType type);

/// Nearest code, ties to even.
///   Overflow, infinities included: Saturate gives the largest finite value;
///   Infinity gives infinity, or NaN in e4m3; types with neither saturate.
///   NaN: the type's NaN (0x7F, 0x7FFF, 0x7FFFFFFF, 0xFF for ue8m0), +max in
///   types without one (PTX ISA, cvt).
///   Unsigned types take the magnitude; ue8m0 rounds up to a power of two and
///   saturates at 2^127 and 2^-127, as cvt.rp.satfinite.
uint64_t encode(target::ElementType type, double value, Overflow overflow);

/// ue8m0 rounded toward zero, as cvt.rz.satfinite.
uint8_t encodeUE8M0TowardZero(double value);

/// Code `index` of a packed little-endian row: bit i * width of the row is bit
/// 0 of code i. `width` is 4, 6, 8, 16, 32 or 64.
inline uint64_t loadCode(const uint8_t *row, int64_t index, unsigned width) {
  if (width == 8)
    return row[index];
  if (width == 4)
    return (row[index >> 1] >> (4 * (index & 1))) & 0xF;
  uint64_t bit = static_cast<uint64_t>(index) * width;
  uint64_t code = 0;
  for (unsigned done = 0; done < width;) {
    uint64_t at = bit + done;
    unsigned take = 8 - at % 8;
    if (take > width - done)
      take = width - done;
    uint64_t piece = (row[at / 8] >> (at % 8)) & ((1u << take) - 1);
    code |= piece << done;
    done += take;
  }
  return code;
}

/// The opposite of loadCode; neighbours keep their bits.
inline void storeCode(uint8_t *row, int64_t index, unsigned width,
                      uint64_t code) {
  uint64_t bit = static_cast<uint64_t>(index) * width;
  for (unsigned done = 0; done < width;) {
    uint64_t at = bit + done;
    unsigned take = 8 - at % 8;
    if (take > width - done)
      take = width - done;
    unsigned mask = ((1u << take) - 1) << (at % 8);
    unsigned piece = static_cast<unsigned>(code >> done) << (at % 8);
    row[at / 8] = static_cast<uint8_t>((row[at / 8] & ~mask) | (piece & mask));
    done += take;
  }
}

/// Byte of (row, group) of a blocked_128x4 scale tensor with `groups` valid
/// groups a row, inside one batch. CUTLASS,
/// cutlass/detail/sm100_blockscaled_layout.hpp.
inline int64_t scaleTileOffset(int64_t row, int64_t group, int64_t groups) {
  int64_t tile = (row / 128) * ((groups + 3) / 4) + group / 4;
  return tile * 512 + (row % 32) * 16 + (row / 32 % 4) * 4 + group % 4;
}

/// Bytes of one batch of a blocked_128x4 scale tensor.
inline int64_t scaleTileBytes(int64_t rows, int64_t groups) {
  return (rows + 127) / 128 * ((groups + 3) / 4) * 512;
}

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_NUMBERFORMATS_H
