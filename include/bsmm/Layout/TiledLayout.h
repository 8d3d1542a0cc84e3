//===- TiledLayout.h - strided maps of linear atoms -------------*- C++ -*-===//
//
// Atoms are powers of two, tiles are not: N = 192 is 24 atoms of 8 rows. A
// TiledLayout keeps the two apart: where an element sits inside its atom is
// linear over bits, where the atom sits is an ordinary sum of index * stride.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_TILEDLAYOUT_H
#define BSMM_LAYOUT_TILEDLAYOUT_H

#include "bsmm/Layout/LinearLayout.h"

namespace bsmm::layout {

/// One loop of the outer map: `extent` atoms along the input dimension `dim`,
/// each `stride` further (in the units of the output dimensions).
struct TileFactor {
  std::string dim;
  int64_t extent;
  Coordinates stride;

  bool operator==(const TileFactor &other) const {
    return dim == other.dim && extent == other.extent && stride == other.stride;
  }
};

/// A strided map of atoms. An input coordinate x of a dimension whose atom has
/// 2^b values splits into x % 2^b inside the atom and the atom's index x >> b;
/// the index splits further over the factors of that dimension, the first
/// factor being the fastest. The place is the atom's image plus the sum of
/// index * stride.
///
/// Two tiled layouts are equal when their atoms are equal and their factors
/// are equal in normal form: sorted by dimension, extent 1 dropped, factors
/// that continue each other merged.
class TiledLayout {
public:
  TiledLayout() = default;

  /// Refused: extents below 1, strides that are negative or all zero, sizes
  /// beyond 62 bits.
  static Result<TiledLayout> get(LinearLayout atom,
                                 std::vector<TileFactor> factors);

  /// A tile of the given shape (in elements, for each input dimension; a
  /// dimension left out has the atom's extent), with the atoms packed densely
  /// along the output `output`, in the given order of dimensions, fastest
  /// first. Refused with the reason: a shape that is not whole atoms.
  static Result<TiledLayout> dense(LinearLayout atom, const Coordinates &shape,
                                   const std::vector<std::string> &order,
                                   const std::string &output);

  const LinearLayout &atom() const { return atomLayout; }
  /// The outer map in normal form.
  const std::vector<TileFactor> &factors() const { return outer; }

  /// Number of values of an input dimension, atom included; 1 when unknown.
  int64_t extent(const std::string &dim) const;
  /// One past the largest value of an output dimension.
  int64_t outputExtent(const std::string &dim) const;
  /// Names of the input and output dimensions, sorted.
  std::vector<std::string> inputNames() const;
  std::vector<std::string> outputNames() const;

  /// The place of an element. Refused: values outside their dimension.
  Result<Coordinates> apply(const Coordinates &input) const;

  /// True when no two inputs share a place. Decided from the strides when they
  /// nest; else by enumeration, and refused above 2^22 places.
  Result<bool> isInjective() const;

  /// "{atom} tiled row:24*{offset 1024} ...".
  std::string str() const;

  bool operator==(const TiledLayout &other) const {
    return atomLayout == other.atomLayout && outer == other.outer;
  }
  bool operator!=(const TiledLayout &other) const { return !(*this == other); }

private:
  LinearLayout atomLayout;
  std::vector<TileFactor> outer;
};

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_TILEDLAYOUT_H
