//===- LinearLayout.h - layouts that are linear over bits -------*- C++ -*-===//
//
// See Layout.h for the idea. This file has the two value types that the rest
// of the library is built on:
//
//   LinearMap     any map between named coordinates that is linear over GF(2):
//                 the image of x ^ y is the image of x ^ the image of y.
//   LinearLayout  a LinearMap that is injective, with the names of the inputs
//                 that count copies instead of elements.
//
// Both are stored in one normal form, so operator== is equality of layouts.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_LINEARLAYOUT_H
#define BSMM_LAYOUT_LINEARLAYOUT_H

#include "bsmm/Layout/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bsmm::layout {

/// Values of named dimensions. A dimension that is not mentioned is 0.
using Coordinates = std::map<std::string, int64_t>;

/// A named dimension with 2^bits values.
struct Dim {
  std::string name;
  unsigned bits;

  bool operator==(const Dim &other) const {
    return name == other.name && bits == other.bits;
  }
  bool operator!=(const Dim &other) const { return !(*this == other); }
};

/// A run of images in one output dimension, see InputDim.
struct ImageRun {
  std::string output;
  std::vector<int64_t> values;
};

/// An input dimension given by the images of its bits, lowest bit first. The
/// runs follow each other: {"m", {{"lane", {1, 2}}, {"column", {1}}}} is a
/// three-bit m whose bits 0, 1, 2 go to lane 1, lane 2, column 1.
struct InputDim {
  std::string name;
  std::vector<ImageRun> runs;
};

/// A map from named input coordinates to named output coordinates that is
/// linear over GF(2).
///
/// Normal form: dimensions sorted by name, dimensions of no bits left out, one
/// integer for each input bit (input dimensions in order, lowest bit first)
/// that holds the image of that bit with the output dimensions packed in
/// order, the first one lowest. At most 62 bits on either side.
class LinearMap {
public:
  /// Largest total number of input or output bits.
  static constexpr unsigned maxBits = 62;

  /// The map from nothing to nothing, neutral for product().
  LinearMap() = default;

  /// The map with the given images. Refused: a dimension given twice, an image
  /// outside its output dimension, more than maxBits bits on one side.
  static Result<LinearMap> get(const std::vector<InputDim> &inputs,
                               const std::vector<Dim> &outputs);

  /// The map that sends each dimension to the one of the same name.
  static Result<LinearMap> identity(const std::vector<Dim> &dims);

  const std::vector<Dim> &inputs() const { return inputDims; }
  const std::vector<Dim> &outputs() const { return outputDims; }
  /// Bits of one dimension, 0 when the map does not have it.
  unsigned inputBits(const std::string &name) const;
  unsigned outputBits(const std::string &name) const;
  unsigned inputBits() const { return basis.size(); }
  unsigned outputBits() const;
  /// The stored form: the packed image of each input bit.
  const std::vector<uint64_t> &images() const { return basis; }

  /// The image of `input`. Refused: a dimension the map does not have with a
  /// value other than 0, a value outside its dimension. The result mentions
  /// every output dimension.
  Result<Coordinates> apply(const Coordinates &input) const;

  /// The same on packed coordinates: bits beyond inputBits() are ignored.
  uint64_t applyPacked(uint64_t input) const;
  Result<uint64_t> packInput(const Coordinates &input) const;
  Result<uint64_t> packOutput(const Coordinates &output) const;
  Coordinates unpackInput(uint64_t input) const;
  Coordinates unpackOutput(uint64_t output) const;

  /// This map, then `next`. Each output dimension must be an input dimension
  /// of `next` with at least as many bits, and the other way round each input
  /// dimension of `next` must be produced: fix one with restrictTo, or carry it
  /// along with product(identity), so that no copy is dropped unnoticed.
  Result<LinearMap> compose(const LinearMap &next) const;

  /// The direct sum: both maps side by side. Where both have a dimension of
  /// the same name, the bits of `high` come above those of this map.
  Result<LinearMap> product(const LinearMap &high) const;

  /// The map H with low.product(H) == *this.
  Result<LinearMap> divideLeft(const LinearMap &low) const;
  /// The map L with L.product(high) == *this.
  Result<LinearMap> divideRight(const LinearMap &high) const;

  /// The map on the named inputs, all others fixed at 0.
  Result<LinearMap> restrictTo(const std::vector<std::string> &names) const;
  /// The named outputs alone.
  Result<LinearMap> projectTo(const std::vector<std::string> &names) const;
  Result<LinearMap> renameInput(const std::string &from,
                                const std::string &to) const;
  Result<LinearMap> renameOutput(const std::string &from,
                                 const std::string &to) const;

  /// Number of independent images.
  unsigned rank() const;
  bool isInjective() const { return rank() == inputBits(); }
  bool isSurjective() const { return rank() == outputBits(); }
  /// Number of output bits that no input reaches: one place in 2^holeBits()
  /// is used.
  unsigned holeBits() const { return outputBits() - rank(); }
  /// Is this packed output the image of some input?
  bool isImage(uint64_t output) const;

  /// A map from outputs back to inputs which undoes this one; refused when
  /// this map is not injective. On places that nothing maps to its value has
  /// no meaning: ask isImage first. Among the possible inverses it is the one
  /// that ignores every output bit it does not need, lowest bits needed first.
  Result<LinearMap> leftInverse() const;

  /// One line, stable:
  /// "(group:2, m:7) -> (offset:9) group=[1, 2] m=[16, 32, 64, 128, 256, 4, 8]"
  /// with "lane 1" for 1 where there are several outputs and "lane 1 + column
  /// 2" for an image with several parts.
  std::string str() const;

  bool operator==(const LinearMap &other) const {
    return inputDims == other.inputDims && outputDims == other.outputDims &&
           basis == other.basis;
  }
  bool operator!=(const LinearMap &other) const { return !(*this == other); }

protected:
  std::vector<Dim> inputDims, outputDims;
  std::vector<uint64_t> basis;
};

/// An injective LinearMap from a logical (or issuing) side to a hardware side.
/// Copies are explicit: an input that counts copies of the same element, such
/// as the four lane copies of scale factors in tensor memory, is an ordinary
/// input whose name is in replication(). Holes are explicit as well: they are
/// the outputs that are no image.
class LinearLayout : public LinearMap {
public:
  LinearLayout() = default;

  /// Refused: a map that is not injective, a replication name that is no
  /// input.
  static Result<LinearLayout> get(LinearMap map,
                                  std::vector<std::string> replication = {});
  static Result<LinearLayout> get(const std::vector<InputDim> &inputs,
                                  const std::vector<Dim> &outputs,
                                  std::vector<std::string> replication = {});

  /// The inputs that count copies, sorted.
  const std::vector<std::string> &replication() const { return copies; }
  /// log2 of the number of copies of each element.
  unsigned replicationBits() const;

  std::string str() const;

  bool operator==(const LinearLayout &other) const {
    return LinearMap::operator==(other) && copies == other.copies;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

private:
  std::vector<std::string> copies;
};

/// What picture() draws.
struct PictureOptions {
  /// The output dimensions that run down and across.
  std::string rows, columns;
  /// Values of the other output dimensions (0 when not given).
  Coordinates fixed;
  /// The corner that is drawn; 0 draws all.
  int64_t rowCount = 0, columnCount = 0;
};

/// A text grid of which input sits at each output place, as in
///
///           column 0  column 1
///   lane 0  m=0       m=32
///   lane 1  m=1       m=33
///
/// Copies show the element without the copy's number; "." is a hole. Refused:
/// unknown dimensions, a picture of more than 65536 places.
Result<std::string> picture(const LinearLayout &layout,
                            const PictureOptions &options);

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_LINEARLAYOUT_H
