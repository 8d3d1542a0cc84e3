//===- BsmmTypes.cpp - types of the bsmm dialect --------------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Layout/ScaleFactorLayout.h"
#include "bsmm/Layout/Swizzle.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace bsmm;

#define GET_TYPEDEF_CLASSES
#include "bsmm/Dialect/IR/BsmmTypes.cpp.inc"

void BsmmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "bsmm/Dialect/IR/BsmmTypes.cpp.inc"
      >();
}

/// More elements than any memory of a CTA holds; keeps products from
/// overflowing.
static constexpr int64_t maxTileElements = int64_t(1) << 24;

static LogicalResult
verifyTileShape(function_ref<InFlightDiagnostic()> emitError, StringRef what,
                ArrayRef<int64_t> shape, Type elementType) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return emitError() << "expected static positive extents in " << what
                         << ", got " << extent;
    if (extent > maxTileElements || count * extent > maxTileElements)
      return emitError() << "expected at most " << maxTileElements
                         << " elements in " << what << ", got more";
    count *= extent;
  }
  unsigned bits = getElementBits(elementType);
  if (bits != 4 && bits != 6 && bits != 8 && bits != 16 && bits != 32)
    return emitError() << "expected elements of 4, 6, 8, 16 or 32 bits in "
                       << what << ", got " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// TensorMapType
//===----------------------------------------------------------------------===//

Type TensorMapType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<TensorMapType>(loc, parser.getContext(), shape,
                                          elementType);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType() << ">";
}

LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || shape.size() > target::tma::maxRank)
    return emitError() << "expected a tensor map of rank 1.."
                       << target::tma::maxRank << ", got rank " << shape.size()
                       << "; view the tensor with fewer dimensions, e.g. "
                          "scales as [L, M/128, groups/4, 2, 256]";
  if (failed(verifyTileShape(emitError, "a tensor map", shape, elementType)))
    return failure();
  int64_t innerBits = shape.back() * getElementBits(elementType);
  if (innerBits % (8 * target::tma::boxInnerMultiple) != 0)
    return emitError() << "expected an inner extent of a multiple of "
                       << target::tma::boxInnerMultiple << " bytes, got "
                       << shape.back() << " elements of " << elementType << " ("
                       << innerBits << " bits)";
  return success();
}

//===----------------------------------------------------------------------===//
// BufferType
//===----------------------------------------------------------------------===//

layout::SwizzleMode bsmm::getSwizzleMode(BufferLayout layout) {
  switch (layout) {
  case BufferLayout::Swizzle32B:
    return layout::SwizzleMode::Bytes32;
  case BufferLayout::Swizzle64B:
    return layout::SwizzleMode::Bytes64;
  case BufferLayout::Swizzle128B:
    return layout::SwizzleMode::Bytes128;
  default:
    return layout::SwizzleMode::None;
  }
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  auto space = FieldParser<MemorySpace>::parse(parser);
  if (failed(space) || parser.parseComma())
    return {};
  auto layout = FieldParser<BufferLayout>::parse(parser);
  if (failed(layout) || parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), shape,
                                       elementType, *space, *layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType() << ", " << stringifyMemorySpace(getMemorySpace())
          << ", " << stringifyBufferLayout(getLayout()) << ">";
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 MemorySpace memorySpace, BufferLayout layout) {
  if (shape.size() != 2)
    return emitError() << "expected a buffer of rank 2, got rank "
                       << shape.size();
  if (failed(verifyTileShape(emitError, "a buffer", shape, elementType)))
    return failure();
  int64_t rows = shape[0], columns = shape[1];
  int64_t rowBits = columns * getElementBits(elementType);
  bool isTensorMemory = memorySpace == MemorySpace::TensorMemory;
  bool fitsTensorMemory =
      layout == BufferLayout::Accumulator || layout == BufferLayout::ScaleTiles;
  if (isTensorMemory && !fitsTensorMemory)
    return emitError() << "expected layout accumulator or scale_tiles in "
                          "tensor memory, got "
                       << stringifyBufferLayout(layout);
  if (!isTensorMemory && layout == BufferLayout::Accumulator)
    return emitError() << "expected an accumulator in tensor memory, got "
                       << stringifyMemorySpace(memorySpace);

  switch (layout) {
  case BufferLayout::RowMajor:
    if (rowBits % 128 != 0)
      return emitError() << "expected rows of a multiple of 16 bytes, got "
                         << rowBits << " bits";
    return success();
  case BufferLayout::Swizzle32B:
  case BufferLayout::Swizzle64B:
  case BufferLayout::Swizzle128B:
    break;
  case BufferLayout::ScaleTiles:
    if (getElementBits(elementType) != 8)
      return emitError() << "expected scales of 8 bits, got " << elementType;
    if (rows % layout::scaleTileRows != 0 ||
        columns % layout::scaleTileGroups != 0)
      return emitError() << "expected whole tiles of " << layout::scaleTileRows
                         << "x" << layout::scaleTileGroups << " scales, got "
                         << rows << "x" << columns;
    return success();
  case BufferLayout::Accumulator:
    if (!elementType.isF32())
      return emitError() << "expected an accumulator of f32, got "
                         << elementType;
    if (rows != 128 || columns % 8 != 0 || columns > 256)
      return emitError() << "expected an accumulator of 128 rows and 8 to 256 "
                            "columns in steps of 8, got "
                         << rows << "x" << columns;
    return success();
  }
  int64_t panel = layout::swizzleWidth(getSwizzleMode(layout));
  if (rows % 8 != 0 || rowBits % (8 * panel) != 0)
    return emitError() << "expected whole swizzle atoms of 8 rows by " << panel
                       << " bytes, got " << rows << " rows of " << rowBits
                       << " bits";
  return success();
}

int64_t BufferType::getSharedBytes() const {
  if (getMemorySpace() != MemorySpace::Shared)
    return 0;
  return getShape()[0] * getPackedBytes(getElementType(), getShape()[1]);
}

int64_t BufferType::getSharedAlignment() const {
  layout::SwizzleMode mode = getSwizzleMode(getLayout());
  return mode == layout::SwizzleMode::None ? target::tma::sharedAlignment
                                           : layout::sharedTileAlignment(mode);
}

int64_t BufferType::getTensorMemoryColumns() const {
  if (getMemorySpace() != MemorySpace::TensorMemory)
    return 0;
  if (getLayout() == BufferLayout::Accumulator)
    return getShape()[1];
  return getShape()[0] / layout::scaleTileRows *
         (getShape()[1] / layout::scaleTileGroups) * layout::scaleTileColumns;
}

//===----------------------------------------------------------------------===//
// AccumulatorType
//===----------------------------------------------------------------------===//

Type AccumulatorType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t warpgroups = 1;
  bool byColumns = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("warpgroups") || parser.parseEqual() ||
        parser.parseInteger(warpgroups))
      return {};
    byColumns = succeeded(parser.parseOptionalKeyword("by_columns"));
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<AccumulatorType>(loc, parser.getContext(), shape,
                                            elementType, warpgroups, byColumns);
}

void AccumulatorType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType();
  if (getWarpgroups() != 1 || getByColumns())
    printer << ", warpgroups = " << getWarpgroups();
  if (getByColumns())
    printer << " by_columns";
  printer << ">";
}

LogicalResult
AccumulatorType::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<int64_t> shape, Type elementType,
                        int64_t warpgroups, bool byColumns) {
  constexpr int64_t maxWarpgroups =
      target::threads::maxPerBlock / target::threads::perWarpgroup;
  if (!elementType.isF32())
    return emitError() << "expected an accumulator of f32, got " << elementType;
  if (warpgroups < 1 || warpgroups > maxWarpgroups)
    return emitError() << "expected 1 to " << maxWarpgroups
                       << " warpgroups, got " << warpgroups;
  // wgmma multiplies 64 rows by 8 to 256 columns (PTX ISA 9.7.16.2).
  int64_t rows = byColumns ? 64 : 64 * warpgroups;
  int64_t columns = byColumns ? 8 * warpgroups : 8;
  if (shape.size() != 2 || shape[0] < rows || shape[0] > 1024 ||
      shape[0] % rows != 0 || shape[1] < columns || shape[1] > 256 ||
      shape[1] % columns != 0)
    return emitError() << "expected an accumulator of a multiple of " << rows
                       << " rows up to 1024 and of " << columns
                       << " to 256 columns in steps of " << columns
                       << " (64 rows and 8 columns for each warpgroup), got ["
                       << shape << "]";
  return success();
}

int64_t AccumulatorType::getWarpgroupRows() const {
  return getByColumns() ? getShape()[0] : getShape()[0] / getWarpgroups();
}

int64_t AccumulatorType::getWarpgroupColumns() const {
  return getByColumns() ? getShape()[1] / getWarpgroups() : getShape()[1];
}

//===----------------------------------------------------------------------===//
// ChannelType
//===----------------------------------------------------------------------===//

MemorySpace ChannelType::getMemorySpace() const {
  return getBuffers().empty() ? MemorySpace::Shared
                              : getBuffers().front().getMemorySpace();
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t slots, ArrayRef<BufferType> buffers) {
  if (slots < 1 || slots > 64)
    return emitError() << "expected 1 to 64 slots in a channel, got " << slots;
  for (BufferType buffer : buffers)
    if (buffer.getMemorySpace() != buffers.front().getMemorySpace())
      return emitError() << "expected the buffers of a slot in one memory, got "
                         << stringifyMemorySpace(
                                buffers.front().getMemorySpace())
                         << " and "
                         << stringifyMemorySpace(buffer.getMemorySpace());
  return success();
}
