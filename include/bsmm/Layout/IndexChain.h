//===- IndexChain.h - load, reshape, transpose as one layout ----*- C++ -*-===//
//
// A copy without swizzle leaves a box in shared memory in row-major order. The
// reshapes and transposes that a program writes after it move no data: they
// only rename the places. An IndexChain folds them into one map from the
// coordinates of the result to the linear offset in the box, in elements (for
// scale factors an element is a byte).
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_INDEXCHAIN_H
#define BSMM_LAYOUT_INDEXCHAIN_H

#include "bsmm/Layout/TiledLayout.h"

#include <optional>

namespace bsmm::layout {

/// The first coordinate, in lexicographic order, at which two chains differ.
struct Mismatch {
  std::vector<int64_t> coordinate;
  int64_t expected;
  int64_t actual;
};

/// Part of a dimension: `extent` steps of `stride` elements.
struct IndexFactor {
  int64_t extent;
  int64_t stride;

  bool operator==(const IndexFactor &other) const {
    return extent == other.extent && stride == other.stride;
  }
};

/// A map from a coordinate to an offset in which each dimension is a list of
/// factors, slowest first: the coordinate 70 of a dimension with the factors
/// (4 * 4, 32 * 16) is 2 and 6, so it adds 2 * 4 + 6 * 16. Stored in normal
/// form (extent 1 dropped, factors that continue each other merged), which is
/// unique: operator== is equality of the maps.
class IndexChain {
public:
  /// The row-major tensor of this shape, last dimension fastest. Refused:
  /// extents below 1, more than 2^62 elements. The empty shape is a scalar.
  static Result<IndexChain> rowMajor(std::vector<int64_t> shape);

  /// A chain given by the factors of each dimension, slowest first. Refused:
  /// extents or strides below 1, offsets beyond 2^62.
  static Result<IndexChain>
  strided(const std::vector<std::vector<IndexFactor>> &dims);

  /// A tiled layout as a chain: dimension i is the input dims[i], the offset
  /// is the output `output`. Refused: inputs or outputs left out, an atom that
  /// is not strided (a swizzle).
  static Result<IndexChain> fromTiled(const TiledLayout &layout,
                                      const std::vector<std::string> &dims,
                                      const std::string &output);

  /// Keeps the row-major order of the elements. Refused: a different number
  /// of elements, or a dimension of the new shape that would cut a factor
  /// unevenly, which no strided map expresses.
  Result<IndexChain> reshape(std::vector<int64_t> shape) const;

  /// Dimension i of the result is dimension permutation[i] of this chain.
  /// Refused: anything but a permutation of 0 .. rank-1.
  Result<IndexChain> transpose(std::vector<int64_t> permutation) const;

  const std::vector<int64_t> &shape() const { return extents; }
  /// The factors of each dimension in normal form; empty for extent 1.
  const std::vector<std::vector<IndexFactor>> &factors() const { return parts; }
  int64_t elementCount() const;

  /// The offset of an element; -1 when the coordinate has the wrong rank or
  /// lies outside the shape.
  int64_t offset(const std::vector<int64_t> &coordinate) const;

  /// "(3,4,32)x(4,4) : (2048,4,16)x(512,1)", the factors of each dimension and
  /// their strides. Factors that continue each other are shown merged.
  std::string str() const;

  bool operator==(const IndexChain &other) const {
    return extents == other.extents && parts == other.parts;
  }
  bool operator!=(const IndexChain &other) const { return !(*this == other); }

  /// Where this chain first differs from `expected`, found from the factors
  /// without enumeration; nothing when they are equal. When the shapes differ
  /// there is no common coordinate: the coordinate is empty and the two
  /// numbers are the element counts, so compare shape() first.
  std::optional<Mismatch> firstMismatch(const IndexChain &expected) const;

  /// The text a verifier shows: both layouts and the first coordinate that
  /// differs, or the two shapes; empty when they are equal.
  std::string describeMismatch(const IndexChain &expected) const;

private:
  std::vector<int64_t> extents;
  std::vector<std::vector<IndexFactor>> parts;
};

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_INDEXCHAIN_H
