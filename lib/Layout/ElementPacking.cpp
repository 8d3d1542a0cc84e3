//===- ElementPacking.cpp - sub-byte elements in memory -------------------===//

#include "bsmm/Layout/ElementPacking.h"

using namespace bsmm::layout;

static bool isPadded(ElementPacking packing) {
  return packing == ElementPacking::Padded4 ||
         packing == ElementPacking::Padded6;
}

int64_t bsmm::layout::elementBits(ElementPacking packing) {
  switch (packing) {
  case ElementPacking::Packed4:
  case ElementPacking::Padded4:
    return 4;
  case ElementPacking::Padded6:
    return 6;
  case ElementPacking::Bytes:
    break;
  }
  return 8;
}

int64_t bsmm::layout::elementGranule(ElementPacking packing) {
  if (isPadded(packing))
    return 16;
  return packing == ElementPacking::Packed4 ? 2 : 1;
}

Result<int64_t> bsmm::layout::packedBytes(ElementPacking packing,
                                          int64_t elements) {
  int64_t granule = elementGranule(packing);
  if (elements < 0 || elements > (int64_t(1) << 48) || elements % granule != 0)
    return makeError("expected a multiple of ", granule,
                     " elements in 0..2^48, got ", elements);
  return elements * elementBits(packing) / 8;
}

Result<int64_t> bsmm::layout::sharedBytes(ElementPacking packing,
                                          int64_t elements) {
  auto packed = packedBytes(packing, elements);
  if (!packed || !isPadded(packing))
    return packed;
  return elements;
}

Result<TiledLayout> bsmm::layout::packedRow(ElementPacking packing,
                                            int64_t elements) {
  if (auto bytes = packedBytes(packing, elements); !bytes)
    return Error{bytes.error()};
  int64_t bits = elementBits(packing);
  // Six bits are no power of two, so the elements are strides, not an atom.
  if (isPadded(packing))
    return TiledLayout::get(
        {}, {{"k", 16, {{"bit", bits}}}, {"k", elements / 16, {{"bit", 128}}}});
  return TiledLayout::get({}, {{"k", elements, {{"bit", bits}}}});
}
