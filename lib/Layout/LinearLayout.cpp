//===- LinearLayout.cpp - layouts that are linear over bits ---------------===//

#include "bsmm/Layout/LinearLayout.h"

#include <algorithm>

using namespace bsmm::layout;

static uint64_t lowMask(unsigned bits) { return (uint64_t(1) << bits) - 1; }

static unsigned totalBits(const std::vector<Dim> &dims) {
  unsigned total = 0;
  for (const Dim &dim : dims)
    total += dim.bits;
  return total;
}

static unsigned bitsOf(const std::vector<Dim> &dims, const std::string &name) {
  for (const Dim &dim : dims)
    if (dim.name == name)
      return dim.bits;
  return 0;
}

static std::string dimList(const std::vector<Dim> &dims) {
  std::string text = "(";
  for (const Dim &dim : dims) {
    if (text.size() > 1)
      text += ", ";
    text += dim.name + ":" + std::to_string(dim.bits);
  }
  return text + ")";
}

/// Brings dimensions into normal form. Sizes are summed in 64 bits: the bits
/// of a single dimension come from the caller.
static Result<std::vector<Dim>> normalizeDims(std::vector<Dim> dims,
                                              const char *side) {
  std::sort(dims.begin(), dims.end(),
            [](const Dim &a, const Dim &b) { return a.name < b.name; });
  uint64_t total = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].name.empty())
      return makeError("expected a name for every ", side, " dimension");
    if (i && dims[i].name == dims[i - 1].name)
      return makeError(side, " dimension '", dims[i].name,
                       "' is given more than once");
    total += dims[i].bits;
  }
  if (total > LinearMap::maxBits)
    return makeError("expected at most ", LinearMap::maxBits, " ", side,
                     " bits, got ", total);
  dims.erase(std::remove_if(dims.begin(), dims.end(),
                            [](const Dim &dim) { return dim.bits == 0; }),
             dims.end());
  return dims;
}

static Result<uint64_t> pack(const std::vector<Dim> &dims,
                             const Coordinates &coordinates) {
  uint64_t packed = 0;
  size_t known = 0;
  unsigned position = 0;
  for (const Dim &dim : dims) {
    auto it = coordinates.find(dim.name);
    if (it != coordinates.end()) {
      ++known;
      if (it->second < 0 || uint64_t(it->second) > lowMask(dim.bits))
        return makeError("expected '", dim.name, "' in 0..", lowMask(dim.bits),
                         ", got ", it->second);
      packed |= uint64_t(it->second) << position;
    }
    position += dim.bits;
  }
  if (known != coordinates.size())
    for (const auto &entry : coordinates)
      if (entry.second != 0 && bitsOf(dims, entry.first) == 0)
        return makeError("expected one of ", dimList(dims), ", got '",
                         entry.first, "'");
  return packed;
}

static Coordinates unpack(const std::vector<Dim> &dims, uint64_t packed) {
  Coordinates coordinates;
  for (const Dim &dim : dims) {
    coordinates[dim.name] = int64_t(packed & lowMask(dim.bits));
    packed >>= dim.bits;
  }
  return coordinates;
}

/// Moves packed coordinates from one list of dimensions to another. Each
/// dimension is shifted up by the bits that `below` gives it; its value must
/// fit.
static uint64_t repack(uint64_t packed, const std::vector<Dim> &from,
                       const std::vector<Dim> &to,
                       const std::vector<Dim> &below = {}) {
  uint64_t result = 0;
  for (const Dim &dim : from) {
    uint64_t value = packed & lowMask(dim.bits);
    packed >>= dim.bits;
    unsigned position = 0;
    for (const Dim &target : to) {
      if (target.name == dim.name) {
        result |= (value << bitsOf(below, dim.name)) << position;
        break;
      }
      position += target.bits;
    }
  }
  return result;
}

/// Removes from `value` what the echelon basis can express; adds the rest to
/// the basis when asked. Returns the rest.
static uint64_t reduce(std::vector<uint64_t> &echelon, uint64_t value,
                       bool extend) {
  // Every member has a leading bit that no other member has as its leading
  // bit, so the smaller of value and value ^ member has that bit cleared.
  for (uint64_t member : echelon)
    value = std::min(value, value ^ member);
  if (value && extend) {
    echelon.push_back(value);
    std::sort(echelon.rbegin(), echelon.rend());
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Result<LinearMap> LinearMap::get(const std::vector<InputDim> &inputs,
                                 const std::vector<Dim> &outputs) {
  LinearMap map;
  auto outDims = normalizeDims(outputs, "output");
  if (!outDims)
    return Error{outDims.error()};
  map.outputDims = *outDims;

  std::vector<Dim> dims;
  for (const InputDim &input : inputs) {
    size_t bits = 0;
    for (const ImageRun &run : input.runs)
      bits += run.values.size();
    if (bits > maxBits)
      return makeError("expected at most ", maxBits, " input bits, got ", bits,
                       " for '", input.name, "'");
    dims.push_back({input.name, unsigned(bits)});
  }
  auto inDims = normalizeDims(std::move(dims), "input");
  if (!inDims)
    return Error{inDims.error()};
  map.inputDims = *inDims;

  for (const Dim &dim : map.inputDims) {
    auto input =
        std::find_if(inputs.begin(), inputs.end(),
                     [&](const InputDim &i) { return i.name == dim.name; });
    for (const ImageRun &run : input->runs)
      for (int64_t value : run.values) {
        auto image = pack(map.outputDims, {{run.output, value}});
        if (!image)
          return makeError("image of '", dim.name, "': ", image.error());
        map.basis.push_back(*image);
      }
  }
  return map;
}

Result<LinearMap> LinearMap::identity(const std::vector<Dim> &dims) {
  LinearMap map;
  auto normal = normalizeDims(dims, "input");
  if (!normal)
    return Error{normal.error()};
  map.inputDims = map.outputDims = *normal;
  for (unsigned bit = 0, end = totalBits(*normal); bit < end; ++bit)
    map.basis.push_back(uint64_t(1) << bit);
  return map;
}

//===----------------------------------------------------------------------===//
// Looking at a map
//===----------------------------------------------------------------------===//

unsigned LinearMap::inputBits(const std::string &name) const {
  return bitsOf(inputDims, name);
}

unsigned LinearMap::outputBits(const std::string &name) const {
  return bitsOf(outputDims, name);
}

unsigned LinearMap::outputBits() const { return totalBits(outputDims); }

uint64_t LinearMap::applyPacked(uint64_t input) const {
  uint64_t output = 0;
  for (uint64_t image : basis) {
    if (input & 1)
      output ^= image;
    input >>= 1;
  }
  return output;
}

Result<uint64_t> LinearMap::packInput(const Coordinates &input) const {
  return pack(inputDims, input);
}

Result<uint64_t> LinearMap::packOutput(const Coordinates &output) const {
  return pack(outputDims, output);
}

Coordinates LinearMap::unpackInput(uint64_t input) const {
  return unpack(inputDims, input);
}

Coordinates LinearMap::unpackOutput(uint64_t output) const {
  return unpack(outputDims, output);
}

Result<Coordinates> LinearMap::apply(const Coordinates &input) const {
  auto packed = packInput(input);
  if (!packed)
    return Error{packed.error()};
  return unpackOutput(applyPacked(*packed));
}

unsigned LinearMap::rank() const {
  std::vector<uint64_t> echelon;
  for (uint64_t image : basis)
    reduce(echelon, image, /*extend=*/true);
  return echelon.size();
}

bool LinearMap::isImage(uint64_t output) const {
  std::vector<uint64_t> echelon;
  for (uint64_t image : basis)
    reduce(echelon, image, /*extend=*/true);
  return reduce(echelon, output, /*extend=*/false) == 0;
}

std::string LinearMap::str() const {
  std::string text = dimList(inputDims) + " -> " + dimList(outputDims);
  size_t bit = 0;
  for (const Dim &dim : inputDims) {
    text += " " + dim.name + "=[";
    for (unsigned i = 0; i < dim.bits; ++i, ++bit) {
      if (i)
        text += ", ";
      std::string image;
      for (const auto &entry : unpackOutput(basis[bit])) {
        if (entry.second == 0)
          continue;
        if (!image.empty())
          image += " + ";
        if (outputDims.size() > 1)
          image += entry.first + " ";
        image += std::to_string(entry.second);
      }
      text += image.empty() ? "0" : image;
    }
    text += "]";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

Result<LinearMap> LinearMap::compose(const LinearMap &next) const {
  for (const Dim &dim : outputDims) {
    unsigned bits = next.inputBits(dim.name);
    if (bits < dim.bits)
      return makeError("cannot compose: '", dim.name, "' has ", dim.bits,
                       " bits but the next map ", dimList(next.inputDims),
                       " takes ", bits);
  }
  for (const Dim &dim : next.inputDims)
    if (outputBits(dim.name) == 0)
      return makeError("cannot compose: the next map takes '", dim.name,
                       "', which ", dimList(outputDims), " does not produce");
  LinearMap map;
  map.inputDims = inputDims;
  map.outputDims = next.outputDims;
  for (uint64_t image : basis)
    map.basis.push_back(
        next.applyPacked(repack(image, outputDims, next.inputDims)));
  return map;
}

/// The dimensions of both lists, bits added where the names agree.
static std::vector<Dim> addDims(std::vector<Dim> low,
                                const std::vector<Dim> &high) {
  for (const Dim &dim : high) {
    auto it = std::find_if(low.begin(), low.end(),
                           [&](const Dim &d) { return d.name == dim.name; });
    if (it == low.end())
      low.push_back(dim);
    else
      it->bits += dim.bits;
  }
  return low;
}

/// The other direction: bits of `low` taken off; refused when there are not
/// enough.
static Result<std::vector<Dim>> subtractDims(std::vector<Dim> dims,
                                             const std::vector<Dim> &part,
                                             const char *side) {
  for (const Dim &dim : part) {
    auto it = std::find_if(dims.begin(), dims.end(),
                           [&](const Dim &d) { return d.name == dim.name; });
    if (it == dims.end() || it->bits < dim.bits)
      return makeError("the divisor has ", dim.bits, " bits of ", side, " '",
                       dim.name, "', the layout has ",
                       it == dims.end() ? 0 : it->bits);
    it->bits -= dim.bits;
  }
  return normalizeDims(std::move(dims), side);
}

Result<LinearMap> LinearMap::product(const LinearMap &high) const {
  auto inDims = normalizeDims(addDims(inputDims, high.inputDims), "input");
  if (!inDims)
    return Error{inDims.error()};
  auto outDims = normalizeDims(addDims(outputDims, high.outputDims), "output");
  if (!outDims)
    return Error{outDims.error()};

  LinearMap map;
  map.inputDims = *inDims;
  map.outputDims = *outDims;
  // Both bases are listed in the order of their sorted dimensions, so two
  // cursors that only move forward find the images.
  size_t lowBit = 0, highBit = 0;
  for (const Dim &dim : map.inputDims) {
    for (unsigned i = 0, end = inputBits(dim.name); i < end; ++i)
      map.basis.push_back(repack(basis[lowBit++], outputDims, map.outputDims));
    for (unsigned i = 0, end = high.inputBits(dim.name); i < end; ++i)
      map.basis.push_back(repack(high.basis[highBit++], high.outputDims,
                                 map.outputDims, outputDims));
  }
  return map;
}

Result<LinearMap> LinearMap::divideLeft(const LinearMap &low) const {
  auto inDims = subtractDims(inputDims, low.inputDims, "input");
  if (!inDims)
    return Error{inDims.error()};
  auto outDims = subtractDims(outputDims, low.outputDims, "output");
  if (!outDims)
    return Error{outDims.error()};

  LinearMap map;
  map.inputDims = *inDims;
  map.outputDims = *outDims;
  size_t bit = 0, lowBit = 0;
  for (const Dim &dim : inputDims) {
    unsigned lowBits = low.inputBits(dim.name);
    for (unsigned i = 0; i < dim.bits; ++i, ++bit) {
      if (i < lowBits) {
        if (basis[bit] !=
            repack(low.basis[lowBit++], low.outputDims, outputDims))
          return makeError("bit ", i, " of '", dim.name,
                           "' is placed differently by the divisor");
        continue;
      }
      uint64_t image = basis[bit], rest = 0;
      unsigned position = 0;
      for (const Dim &out : outputDims) {
        unsigned lowOut = low.outputBits(out.name);
        uint64_t value = image & lowMask(out.bits);
        image >>= out.bits;
        if (value & lowMask(lowOut))
          return makeError("bit ", i, " of '", dim.name,
                           "' reaches into the part of '", out.name,
                           "' that the divisor fills");
        rest |= (value >> lowOut) << position;
        position += out.bits - lowOut;
      }
      map.basis.push_back(rest);
    }
  }
  return map;
}

Result<LinearMap> LinearMap::divideRight(const LinearMap &high) const {
  auto inDims = subtractDims(inputDims, high.inputDims, "input");
  if (!inDims)
    return Error{inDims.error()};
  auto outDims = subtractDims(outputDims, high.outputDims, "output");
  if (!outDims)
    return Error{outDims.error()};

  LinearMap map;
  map.inputDims = *inDims;
  map.outputDims = *outDims;
  size_t bit = 0, highBit = 0;
  for (const Dim &dim : inputDims) {
    unsigned lowBits = dim.bits - high.inputBits(dim.name);
    for (unsigned i = 0; i < dim.bits; ++i, ++bit) {
      if (i >= lowBits) {
        if (basis[bit] != repack(high.basis[highBit++], high.outputDims,
                                 outputDims, map.outputDims))
          return makeError("bit ", i, " of '", dim.name,
                           "' is placed differently by the divisor");
        continue;
      }
      uint64_t image = basis[bit], rest = 0;
      unsigned position = 0;
      for (const Dim &out : outputDims) {
        unsigned lowOut = out.bits - high.outputBits(out.name);
        uint64_t value = image & lowMask(out.bits);
        image >>= out.bits;
        if (value >> lowOut)
          return makeError("bit ", i, " of '", dim.name,
                           "' reaches into the part of '", out.name,
                           "' that the divisor fills");
        rest |= value << position;
        position += lowOut;
      }
      map.basis.push_back(rest);
    }
  }
  return map;
}

Result<LinearMap>
LinearMap::restrictTo(const std::vector<std::string> &names) const {
  for (const std::string &name : names)
    if (inputBits(name) == 0)
      return makeError("expected inputs out of ", dimList(inputDims), ", got '",
                       name, "'");
  LinearMap map;
  map.outputDims = outputDims;
  size_t bit = 0;
  for (const Dim &dim : inputDims) {
    if (std::find(names.begin(), names.end(), dim.name) != names.end()) {
      map.inputDims.push_back(dim);
      map.basis.insert(map.basis.end(), basis.begin() + bit,
                       basis.begin() + bit + dim.bits);
    }
    bit += dim.bits;
  }
  return map;
}

Result<LinearMap>
LinearMap::projectTo(const std::vector<std::string> &names) const {
  for (const std::string &name : names)
    if (outputBits(name) == 0)
      return makeError("expected outputs out of ", dimList(outputDims),
                       ", got '", name, "'");
  LinearMap map;
  map.inputDims = inputDims;
  for (const Dim &dim : outputDims)
    if (std::find(names.begin(), names.end(), dim.name) != names.end())
      map.outputDims.push_back(dim);
  for (uint64_t image : basis)
    map.basis.push_back(repack(image, outputDims, map.outputDims));
  return map;
}

Result<LinearMap> LinearMap::renameInput(const std::string &from,
                                         const std::string &to) const {
  if (inputBits(from) == 0)
    return makeError("expected an input out of ", dimList(inputDims), ", got '",
                     from, "'");
  std::vector<Dim> dims = inputDims;
  for (Dim &dim : dims)
    if (dim.name == from)
      dim.name = to;
  auto normal = normalizeDims(dims, "input");
  if (!normal)
    return Error{normal.error()};
  LinearMap map;
  map.inputDims = *normal;
  map.outputDims = outputDims;
  for (const Dim &dim : map.inputDims) {
    const std::string &old = dim.name == to ? from : dim.name;
    size_t bit = 0;
    for (const Dim &source : inputDims) {
      if (source.name == old)
        map.basis.insert(map.basis.end(), basis.begin() + bit,
                         basis.begin() + bit + dim.bits);
      bit += source.bits;
    }
  }
  return map;
}

Result<LinearMap> LinearMap::renameOutput(const std::string &from,
                                          const std::string &to) const {
  if (outputBits(from) == 0)
    return makeError("expected an output out of ", dimList(outputDims),
                     ", got '", from, "'");
  std::vector<Dim> renamed = outputDims;
  for (Dim &dim : renamed)
    if (dim.name == from)
      dim.name = to;
  auto normal = normalizeDims(renamed, "output");
  if (!normal)
    return Error{normal.error()};
  LinearMap map;
  map.inputDims = inputDims;
  map.outputDims = *normal;
  for (uint64_t image : basis)
    map.basis.push_back(repack(image, renamed, map.outputDims));
  return map;
}

Result<LinearMap> LinearMap::leftInverse() const {
  if (!isInjective())
    return makeError("a map of rank ", rank(), " on ", inputBits(),
                     " bits has no left inverse");
  unsigned bits = inputBits();
  // Each output bit is a parity of input bits. Take the lowest output bits
  // whose parities are independent; `row` is such a parity and `sum` the output
  // bits it was combined from.
  struct Parity {
    uint64_t row, sum;
  };
  std::vector<Parity> solved;
  for (unsigned out = 0, end = outputBits(); out < end; ++out) {
    Parity parity = {0, uint64_t(1) << out};
    for (unsigned in = 0; in < bits; ++in)
      parity.row |= ((basis[in] >> out) & 1) << in;
    for (const Parity &other : solved) {
      uint64_t leading = other.row & -other.row;
      if (parity.row & leading) {
        parity.row ^= other.row;
        parity.sum ^= other.sum;
      }
    }
    if (!parity.row)
      continue;
    // Keep every row free of the lowest bits of the others: at the end each
    // row is a single input bit.
    uint64_t leading = parity.row & -parity.row;
    for (Parity &other : solved)
      if (other.row & leading) {
        other.row ^= parity.row;
        other.sum ^= parity.sum;
      }
    solved.push_back(parity);
  }

  LinearMap map;
  map.inputDims = outputDims;
  map.outputDims = inputDims;
  map.basis.assign(outputBits(), 0);
  for (const Parity &parity : solved)
    for (unsigned out = 0; out < map.basis.size(); ++out)
      if ((parity.sum >> out) & 1)
        map.basis[out] |= parity.row;
  return map;
}

//===----------------------------------------------------------------------===//
// LinearLayout
//===----------------------------------------------------------------------===//

Result<LinearLayout> LinearLayout::get(LinearMap map,
                                       std::vector<std::string> replication) {
  if (!map.isInjective())
    return makeError("expected an injective map, got rank ", map.rank(), " on ",
                     map.inputBits(), " input bits: ", map.str());
  std::sort(replication.begin(), replication.end());
  replication.erase(std::unique(replication.begin(), replication.end()),
                    replication.end());
  for (const std::string &name : replication)
    if (map.inputBits(name) == 0)
      return makeError("expected replication inputs out of ",
                       dimList(map.inputs()), ", got '", name, "'");
  LinearLayout layout;
  static_cast<LinearMap &>(layout) = std::move(map);
  layout.copies = std::move(replication);
  return layout;
}

Result<LinearLayout> LinearLayout::get(const std::vector<InputDim> &inputs,
                                       const std::vector<Dim> &outputs,
                                       std::vector<std::string> replication) {
  auto map = LinearMap::get(inputs, outputs);
  if (!map)
    return Error{map.error()};
  return get(*map, std::move(replication));
}

unsigned LinearLayout::replicationBits() const {
  unsigned bits = 0;
  for (const std::string &name : copies)
    bits += inputBits(name);
  return bits;
}

std::string LinearLayout::str() const {
  std::string text = LinearMap::str();
  for (size_t i = 0; i < copies.size(); ++i)
    text += (i ? ", " : " copies ") + copies[i];
  return text;
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

Result<std::string> bsmm::layout::picture(const LinearLayout &layout,
                                          const PictureOptions &options) {
  constexpr int64_t maxPlaces = 65536;
  if (options.rows == options.columns)
    return makeError("expected two different outputs for rows and columns, "
                     "got '",
                     options.rows, "' twice");
  int64_t counts[2];
  const std::string *names[2] = {&options.rows, &options.columns};
  int64_t wanted[2] = {options.rowCount, options.columnCount};
  for (int i = 0; i < 2; ++i) {
    unsigned bits = layout.outputBits(*names[i]);
    if (bits == 0)
      return makeError("expected an output out of ", dimList(layout.outputs()),
                       ", got '", *names[i], "'");
    counts[i] = int64_t(1) << bits;
    if (wanted[i] > 0)
      counts[i] = std::min(counts[i], wanted[i]);
  }
  if (counts[0] > maxPlaces / counts[1])
    return makeError("a picture of ", counts[0], " x ", counts[1],
                     " places is too large; draw at most ", maxPlaces);
  if (auto valid = layout.packOutput(options.fixed); !valid)
    return Error{valid.error()};
  auto inverse = layout.leftInverse();
  if (!inverse)
    return Error{inverse.error()};

  std::vector<std::vector<std::string>> cells;
  cells.emplace_back(1);
  for (int64_t column = 0; column < counts[1]; ++column)
    cells[0].push_back(options.columns + " " + std::to_string(column));
  for (int64_t row = 0; row < counts[0]; ++row) {
    cells.push_back({options.rows + " " + std::to_string(row)});
    for (int64_t column = 0; column < counts[1]; ++column) {
      Coordinates place = options.fixed;
      place[options.rows] = row;
      place[options.columns] = column;
      uint64_t packed = *layout.packOutput(place);
      uint64_t element = inverse->applyPacked(packed);
      std::string text;
      if (layout.applyPacked(element) != packed) {
        text = ".";
      } else {
        for (const auto &entry : layout.unpackInput(element)) {
          const auto &copies = layout.replication();
          if (std::find(copies.begin(), copies.end(), entry.first) !=
              copies.end())
            continue;
          if (!text.empty())
            text += ",";
          text += entry.first + "=" + std::to_string(entry.second);
        }
      }
      cells.back().push_back(text);
    }
  }

  std::vector<size_t> widths(counts[1] + 1, 0);
  for (const auto &line : cells)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto &line : cells) {
    std::string padded;
    for (size_t i = 0; i < line.size(); ++i) {
      padded += line[i];
      padded.append(widths[i] - line[i].size() + 2, ' ');
    }
    padded.erase(padded.find_last_not_of(' ') + 1);
    text += padded + "\n";
  }
  return text;
}
