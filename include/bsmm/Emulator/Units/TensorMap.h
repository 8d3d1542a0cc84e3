//===- TensorMap.h - Tiled tensor maps and box transfers --------*- C++ -*-===//
//
// What a tiled CUtensorMap says (cuda.h, cuTensorMapEncodeTiled) and which
// bytes a bulk tensor copy moves (PTX ISA, "Tensors" and
// "cp.async.bulk.tensor"). Dimension 0 is the contiguous one. The im2col modes
// are not modelled.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_UNITS_TENSORMAP_H
#define BSMM_EMULATOR_UNITS_TENSORMAP_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace bsmm::emulator::units {

/// CUtensorMapDataType, same values.
enum class TensorMapElement : uint8_t {
  UInt8 = 0,
  UInt16 = 1,
  UInt32 = 2,
  Int32 = 3,
  UInt64 = 4,
  Int64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  BFloat16 = 9,
  Float32Ftz = 10,
  TFloat32 = 11,
  TFloat32Ftz = 12,
  Packed16U4Align8B = 13,  ///< b4x16: 4-bit, packed in shared memory too
  Packed16U4Align16B = 14, ///< b4x16_p64: 8 bytes of data + 8 of padding
  Packed16U6Align16B = 15  ///< b6x16_p32: 12 bytes of data + 4 of padding
};

/// CUtensorMapInterleave, same values.
enum class TensorMapInterleave : uint8_t { None = 0, Bytes16 = 1, Bytes32 = 2 };

/// CUtensorMapSwizzle, same values.
enum class TensorMapSwizzle : uint8_t {
  None = 0,
  Bytes32 = 1,
  Bytes64 = 2,
  Bytes128 = 3,
  Bytes128Atom32B = 4,
  Bytes128Atom32BFlip8B = 5,
  Bytes128Atom64B = 6
};

/// CUtensorMapFloatOOBfill, same values.
enum class TensorMapFill : uint8_t { Zero = 0, NaN = 1 };

/// A tiled tensor map.
struct TensorMap {
  TensorMapElement element = TensorMapElement::UInt8;
  uint32_t rank = 1;                     ///< 1..5
  uint64_t globalAddress = 0;            ///< bytes
  uint64_t dims[5] = {1, 1, 1, 1, 1};    ///< elements, innermost first
  uint64_t strides[5] = {0, 0, 0, 0, 0}; ///< bytes of dims 1..4; [0] unused
  uint32_t box[5] = {1, 1, 1, 1, 1};     ///< elements
  uint32_t elementStrides[5] = {1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  uint8_t l2Promotion = 0; ///< 0..3; no effect on results
  TensorMapFill fill = TensorMapFill::Zero;
};

/// Bits of one element in global memory: 4, 6, 8, 16, 32 or 64.
uint32_t elementBits(TensorMapElement element);

/// Empty, or the first limit of cuTensorMapEncodeTiled that the map breaks.
/// Interleaved maps are refused as not supported.
std::string checkTensorMap(const TensorMap &map);

enum class TransferDirection : uint8_t { Load, Store };

/// Empty, or why a copy of this valid map at these coordinates and this shared
/// memory address is illegal. Coordinates are elements, innermost first,
/// `map.rank` of them. Loads take negative and past-the-end ones, stores and
/// reductions only past-the-end ones. The first coordinate must be a multiple
/// of 16 bytes (seen on an H200: anything else raises an illegal instruction),
/// of 128 elements for ALIGN16B types. The address must be aligned to 128
/// bytes and leave room for the box.
std::string checkTransfer(const TensorMap &map, TransferDirection direction,
                          const int32_t *coordinates, uint32_t sharedAddress);

/// Elements of the box along `dim` that are really moved:
/// ceil(box / elementStride), except dimension 0, whose stride is ignored.
uint32_t boxExtent(const TensorMap &map, uint32_t dim);

/// Bytes that the mbarrier of a load is told of: the full box, out-of-bounds
/// part included, counting the packed data of 4- and 6-bit types.
uint64_t boxTransactionBytes(const TensorMap &map);

/// Bytes from the shared memory address to the end of the box's image: rows are
/// the inner box extent apart (rounded up to the swizzle's row when one is
/// set), 4- and 6-bit ALIGN16B types 128 bytes.
uint64_t boxSharedBytes(const TensorMap &map);

/// Distance of two consecutive box rows in shared memory, in bytes.
uint32_t boxRowPitch(const TensorMap &map);

/// A piece of a box that is contiguous in global and in shared memory. Without
/// swizzle and padding it is a whole row of the box, otherwise at most 16
/// bytes of data.
struct BoxPiece {
  uint32_t sharedAddress; ///< byte address, swizzle applied
  uint32_t bytes;         ///< data bytes of the piece, in and out of bounds
  uint64_t globalAddress; ///< of byte 0 of the piece; meaningless bytes
                          ///< outside [validBegin, validEnd)
  uint32_t validBegin;    ///< bytes [validBegin, validEnd) are in bounds;
  uint32_t validEnd;      ///< equal when the whole piece is out of bounds
};

/// Walks the pieces of one box. Usage:
///   BoxWalker walker(map, coordinates, sharedAddress, direction);
///   BoxPiece piece;
///   while (walker.next(piece)) ...
/// The map must have passed checkTensorMap and the transfer checkTransfer.
/// Loads fill the out-of-bounds bytes (fillOutOfBounds) and then convert the
/// row (convertLoaded); stores and reductions skip them. A store's inner bound
/// is rounded up to 16 bytes, as seen on an H200: when dims[0] is not a
/// multiple of 16 bytes, storeOverrunBytes(map) bytes behind each row are
/// written too.
class BoxWalker {
public:
  BoxWalker(const TensorMap &map, const int32_t *coordinates,
            uint32_t sharedAddress, TransferDirection direction);
  bool next(BoxPiece &piece);

private:
  void enterRow();

  const TensorMap &map;
  TransferDirection direction;
  int64_t origin[5];
  uint32_t index[5] = {0, 0, 0, 0, 0};
  uint32_t rowSharedAddress;
  uint32_t pieceInRow = 0;
  uint32_t pieceBytes;
  uint32_t pieceSharedBytes;
  uint32_t piecesPerRow;
  uint32_t rowPitch;
  uint64_t rowGlobal = 0;
  int64_t rowValidBegin = 0;
  int64_t rowValidEnd = 0;
  bool finished = false;
};

/// Bytes behind dims[0] that a store or reduction whose box reaches that far
/// writes: up to the next multiple of 16 bytes.
uint32_t storeOverrunBytes(const TensorMap &map);

/// Writes the out-of-bounds value of the map over `bytes` bytes: zeros, or the
/// 16-bit pattern 0x7FF7 again and again, a NaN in every floating-point type
/// (seen on an H200). `destination` must start at an element boundary.
void fillOutOfBounds(const TensorMap &map, uint8_t *destination, size_t bytes);

/// What a load does to in-bounds elements on their way, in place: the TFloat32
/// types round f32 to tf32, nearest even. A no-op for all other types, the Ftz
/// ones included (seen on an H200). `destination` must start at an element
/// boundary.
void convertLoaded(const TensorMap &map, uint8_t *destination, size_t bytes);

/// The shared memory address exchange of a tensor map's swizzle.
uint32_t swizzleBoxAddress(TensorMapSwizzle swizzle, uint32_t address);

/// A full transfer between flat memories, for tests and simple callers:
/// `shared` is shared memory from address 0. Loads write data and fill;
/// stores write in-bounds bytes only. `globalBase` points at the byte of
/// address map.globalAddress.
void loadBox(const TensorMap &map, const int32_t *coordinates,
             uint32_t sharedAddress, const uint8_t *globalBase,
             uint8_t *shared);
void storeBox(const TensorMap &map, const int32_t *coordinates,
              uint32_t sharedAddress, uint8_t *globalBase,
              const uint8_t *shared);

/// `.add` ... of cp.reduce.async.bulk(.tensor).
enum class ReductionOperation : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor
};

/// Empty, or why the tensor reduction does not exist for the element type: .add
/// of u32, s32, u64 and all floating-point types; .min and .max of 32- and
/// 64-bit integers, f16 and bf16; .inc and .dec of u32; .and, .or and .xor of
/// u32, s32 and u64 (seen on an H200; PTX ISA, cp.reduce.async.bulk.tensor).
std::string checkReduction(TensorMapElement element, ReductionOperation op);

/// destination[i] = op(destination[i], source[i]) for the elements in `bytes`
/// bytes. Floating-point additions round to nearest even, those of the TFloat32
/// types to f32; the Ftz types flush subnormals.
void reduceElements(TensorMapElement element, ReductionOperation op,
                    uint8_t *destination, const uint8_t *source, size_t bytes);

} // namespace bsmm::emulator::units

#endif // BSMM_EMULATOR_UNITS_TENSORMAP_H
