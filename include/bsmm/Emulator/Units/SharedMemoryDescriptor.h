//===- SharedMemoryDescriptor.h - Matrix descriptors ------------*- C++ -*-===//
//
// The 64-bit matrix descriptors of wgmma (PTX ISA, "Matrix Descriptor Format")
// and tcgen05 ("Shared memory descriptor"), the canonical layouts they stand
// for, and the packing of 4- and 6-bit operands in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_SHAREDMEMORYDESCRIPTOR_H
#define BSMM_EMULATOR_UNITS_SHAREDMEMORYDESCRIPTOR_H

#include "bsmm/Emulator/Units/NumberFormats.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bsmm::emulator::units {

enum class DescriptorForm : uint8_t {
  Sm90, ///< wgmma
  Sm100 ///< tcgen05.mma and tcgen05.cp
};

enum class MatrixSwizzle : uint8_t {
  None,
  Bytes32,
  Bytes64,
  Bytes128,
  /// 128-byte rows, atoms of 32 bytes; tcgen05 MN-major tf32 only.
  Bytes128Atom32
};

/// Which dimension is contiguous in shared memory.
enum class MatrixMajor : uint8_t { K, MN };

/// A descriptor in bytes.
struct SharedMemoryDescriptor {
  uint32_t startAddress = 0;      ///< 18-bit shared memory address
  uint32_t leadingByteOffset = 0; ///< LBO
  uint32_t strideByteOffset = 0;  ///< SBO
  uint8_t baseOffset = 0;         ///< 0..7, in units of 128 bytes
  MatrixSwizzle swizzle = MatrixSwizzle::None;
};

/// Decodes and checks one. The absolute LBO mode (bit 52) exists on sm_103a
/// only and is refused. Returns an empty text, or the first field that no
/// instruction of this form accepts. `lenientVersion` accepts an Sm100
/// descriptor whose bits 46-48 are 0 instead of 1 (tcgen05.cp in the wild).
std::string decodeSharedMemoryDescriptor(uint64_t bits, DescriptorForm form,
                                         SharedMemoryDescriptor &descriptor,
                                         bool lenientVersion = false);

/// Bytes of one row of the swizzle pattern: 16, 32, 64, 128 or 128.
uint32_t swizzleRowBytes(MatrixSwizzle swizzle);

/// The address-bit exchange of a swizzle on a shared memory byte address.
/// `baseOffset` moves the start of the repeating pattern by that many units
/// of 128 bytes.
uint32_t swizzleAddress(MatrixSwizzle swizzle, uint32_t address,
                        uint32_t baseOffset = 0);

/// Byte address of byte `kByte` of row `row` (row = index along M or N) of a
/// K-major operand. `kByte` counts from the start address along the packed
/// row; one instruction reads 32 bytes of each row. Only 16-byte aligned
/// groups of kByte are contiguous.
uint32_t kMajorAddress(const SharedMemoryDescriptor &descriptor, uint32_t row,
                       uint32_t kByte);

/// Byte address of the byte `mnByte` (M or N index times element bytes, plus
/// byte in element) at K index `k` of an MN-major operand.
uint32_t mnMajorAddress(const SharedMemoryDescriptor &descriptor,
                        uint32_t mnByte, uint32_t k);

/// How an operand of an MMA sits in shared memory.
struct OperandTile {
  SharedMemoryDescriptor descriptor;
  MatrixMajor major = MatrixMajor::K;
  NumberFormat format = NumberFormat::E4M3;
  /// mxf4 and mxf4nvf4: two E2M1 a byte. Otherwise 4- and 6-bit elements come
  /// in 16-byte containers of 16 elements (8 bytes + 8 padding, 12 + 4).
  bool packedFp4 = false;
  uint32_t rows = 0; ///< extent along M or N
  uint32_t k = 0;    ///< elements along K
};

/// Empty when the tile can be read: MN-major needs an element of 8 bits or
/// more, the 32-byte-atom swizzle needs MN-major, 16-byte alignment holds.
std::string checkOperandTile(const OperandTile &tile);

/// Calls `visit(address, bytes)` for every 16-byte piece of shared memory that
/// the tile's data occupies (padding bytes left out: bytes is 8 or 12 for
/// padded 4- and 6-bit containers). Pieces may repeat only when the
/// descriptor's strides make rows overlap.
template <typename Visitor>
void forEachOperandPiece(const OperandTile &tile, Visitor visit);

/// Gathers the tile into an array of codes for mmaTile: rows x k elements of
/// codeBytes(format) bytes, or rows x k/2 bytes when packedFp4. `shared` is the
/// CTA's shared memory, addressed from 0. Returns an error when a piece lies
/// outside `sharedBytes`.
std::string gatherOperand(const OperandTile &tile, const uint8_t *shared,
                          size_t sharedBytes, uint8_t *codes);

/// Bytes of data in a 16-byte container of `format`: 8 for E2M1, 12 for E2M3
/// and E3M2, 16 otherwise.
uint32_t containerDataBytes(NumberFormat format);

/// Expands one 16-byte container (data first, padding last) to 16 codes, one a
/// byte in the low bits. Element i is bits [i*width, (i+1)*width) of the data.
void unpackContainer(NumberFormat format, const uint8_t *container,
                     uint8_t *codes);

/// Expands `count` (even) packed E2M1 elements, low nibble first.
void unpackFp4(const uint8_t *packed, uint32_t count, uint8_t *codes);

//===----------------------------------------------------------------------===//

template <typename Visitor>
void forEachOperandPiece(const OperandTile &tile, Visitor visit) {
  if (tile.major == MatrixMajor::K) {
    uint32_t bytes = tile.packedFp4 ? 16 : containerDataBytes(tile.format);
    uint32_t rowBytes =
        tile.packedFp4 ? tile.k / 2 : tile.k * codeBytes(tile.format);
    for (uint32_t row = 0; row < tile.rows; ++row)
      for (uint32_t byte = 0; byte < rowBytes; byte += 16)
        visit(kMajorAddress(tile.descriptor, row, byte), bytes);
    return;
  }
  uint32_t rowBytes = tile.rows * codeBytes(tile.format);
  for (uint32_t k = 0; k < tile.k; ++k)
    for (uint32_t byte = 0; byte < rowBytes; byte += 16)
      visit(mnMajorAddress(tile.descriptor, byte, k),
            rowBytes - byte < 16 ? rowBytes - byte : 16u);
}

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_SHAREDMEMORYDESCRIPTOR_H
