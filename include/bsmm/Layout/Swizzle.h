//===- Swizzle.h - shared-memory swizzles and operand tiles -----*- C++ -*-===//
//
// TMA and the matrix units permute 16-byte (or 32-byte) units of shared memory
// so that a column of a tile does not fall into one bank. The permutation XORs
// address bits with higher address bits: bits 4.. with bits 7.. (PTX ISA,
// "Swizzling modes"; CUTLASS cute/swizzle.hpp, Swizzle<B, 4, 3>). It acts on
// the shared-memory address, so offsets here count from a place aligned to
// swizzlePatternBytes.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_SWIZZLE_H
#define BSMM_LAYOUT_SWIZZLE_H

#include "bsmm/Layout/TiledLayout.h"

namespace bsmm::layout {

enum class SwizzleMode {
  None,
  /// Rows of 32, 64, 128 bytes, permuted in units of 16 bytes.
  Bytes32,
  Bytes64,
  Bytes128,
  /// Rows of 128 bytes permuted in units of 32 bytes ("128B base32B").
  Bytes128Atom32,
};

/// Every mode, for loops over all of them.
inline constexpr SwizzleMode allSwizzleModes[] = {
    SwizzleMode::None, SwizzleMode::Bytes32, SwizzleMode::Bytes64,
    SwizzleMode::Bytes128, SwizzleMode::Bytes128Atom32};

/// "none", "32B", "64B", "128B", "128B_atom_32B".
const char *swizzleName(SwizzleMode mode);

/// Bytes of a row of the swizzle atom: 16 (none: one core-matrix row), 32, 64,
/// 128, 128.
int64_t swizzleWidth(SwizzleMode mode);

/// Bytes after which the permutation repeats: 16 (none), 256, 512, 1024, and
/// 512 for the 32-byte units.
int64_t swizzlePatternBytes(SwizzleMode mode);

/// Alignment in bytes a tile needs so that the base-offset field of its
/// descriptor is 0 and TMA accepts it: 128, 256, 512, 1024, 1024.
int64_t sharedTileAlignment(SwizzleMode mode);

/// Where the byte at `byteOffset` of the unswizzled order is stored. The map is
/// its own inverse.
uint64_t swizzledOffset(SwizzleMode mode, uint64_t byteOffset);

/// The same as a layout "offset" -> "offset" of that many bits. Refused: fewer
/// bits than the pattern has, more than LinearMap::maxBits.
Result<LinearLayout> swizzleLayout(SwizzleMode mode, unsigned addressBits);

/// The atom of a K-major operand: 8 rows of swizzleWidth bytes, "row" (3 bits),
/// "byte" -> "offset" (bytes). For None it is the 8 x 16 byte core matrix.
/// Refused: Bytes128Atom32, which is for MN-major operands only (PTX ISA,
/// tcgen05 canonical layouts).
Result<LinearLayout> operandAtom(SwizzleMode mode);

/// A K-major operand tile of `rows` rows of `rowBytes` bytes along K: panels of
/// swizzleWidth bytes, each with all the rows, one after the other. This is
/// what TMA writes when each panel is a box of [rows, swizzleWidth bytes].
/// Refused: rows not a multiple of 8, bytes not a multiple of the width.
Result<TiledLayout> kMajorOperand(SwizzleMode mode, int64_t rows,
                                  int64_t rowBytes);

/// The matching strides of the shared-memory matrix descriptor, in bytes.
struct OperandStrides {
  /// Leading dimension byte offset (LBO): between core matrices along K, used
  /// without swizzle only, else 0.
  int64_t leading;
  /// Stride dimension byte offset (SBO): between groups of 8 rows.
  int64_t stride;
  /// Between panels; one descriptor never crosses from one to the next with
  /// swizzle, so a new start address is needed there.
  int64_t panel;
};
OperandStrides kMajorStrides(SwizzleMode mode, int64_t rows);

/// Offset in bytes of (row, byte) in kMajorOperand(mode, rows, any).
int64_t kMajorOffset(SwizzleMode mode, int64_t rows, int64_t row, int64_t byte);

/// Offset to add to the start of a K-major tile for the K step that begins at
/// `byte` of each row (a multiple of 32 bytes for the MMAs). Inside an atom the
/// start address moves by whole bytes although the data is swizzled: the
/// hardware XORs the final address (CUTLASS mma_traits_sm100.hpp,
/// DescriptorIterator).
int64_t kMajorStepOffset(SwizzleMode mode, int64_t rows, int64_t byte);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_SWIZZLE_H
