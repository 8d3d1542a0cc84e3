//===- TiledLayout.cpp - strided maps of linear atoms ---------------------===//

#include "bsmm/Layout/TiledLayout.h"

#include <algorithm>
#include <set>

using namespace bsmm::layout;

/// Sizes and offsets stay below 2^62 so that sums of two never overflow.
static constexpr int64_t maxSize = int64_t(1) << LinearMap::maxBits;

/// a * b in `result`; false when it exceeds maxSize.
static bool multiply(int64_t a, int64_t b, int64_t &result) {
  return !__builtin_mul_overflow(a, b, &result) && result <= maxSize;
}

static std::string strideText(const Coordinates &stride) {
  std::string text = "{";
  for (const auto &entry : stride) {
    if (text.size() > 1)
      text += ", ";
    text += entry.first + " " + std::to_string(entry.second);
  }
  return text + "}";
}

Result<TiledLayout> TiledLayout::get(LinearLayout atom,
                                     std::vector<TileFactor> factors) {
  TiledLayout layout;
  layout.atomLayout = std::move(atom);
  std::stable_sort(
      factors.begin(), factors.end(),
      [](const TileFactor &a, const TileFactor &b) { return a.dim < b.dim; });
  for (TileFactor &factor : factors) {
    if (factor.extent < 1)
      return makeError("expected a positive extent along '", factor.dim,
                       "', got ", factor.extent);
    if (factor.extent == 1)
      continue;
    for (auto it = factor.stride.begin(); it != factor.stride.end();) {
      if (it->second < 0)
        return makeError("expected a stride along '", factor.dim,
                         "' that is not negative, got ", it->second);
      it = it->second == 0 ? factor.stride.erase(it) : std::next(it);
    }
    if (factor.stride.empty())
      return makeError("expected a stride along '", factor.dim,
                       "', got none: its ", factor.extent,
                       " atoms would share their places");
    if (!layout.outer.empty() && layout.outer.back().dim == factor.dim) {
      TileFactor &last = layout.outer.back();
      // The factor continues the one before when its stride is where that one
      // would go next.
      bool continues = last.stride.size() == factor.stride.size();
      for (const auto &entry : last.stride) {
        int64_t next = 0;
        auto it = factor.stride.find(entry.first);
        continues &= it != factor.stride.end() &&
                     multiply(entry.second, last.extent, next) &&
                     it->second == next;
      }
      if (continues) {
        if (!multiply(last.extent, factor.extent, last.extent))
          return makeError("too many atoms along '", factor.dim, "'");
        continue;
      }
    }
    layout.outer.push_back(factor);
  }

  // Check the sizes once, so that nothing below can overflow.
  int64_t elements = int64_t(1) << layout.atomLayout.inputBits();
  Coordinates last;
  for (const Dim &dim : layout.atomLayout.outputs())
    last[dim.name] = (int64_t(1) << dim.bits) - 1;
  for (const TileFactor &factor : layout.outer) {
    if (!multiply(elements, factor.extent, elements))
      return makeError("a layout of more than 2^", LinearMap::maxBits,
                       " elements");
    for (const auto &entry : factor.stride) {
      int64_t reach = 0;
      int64_t &total = last[entry.first];
      if (!multiply(factor.extent - 1, entry.second, reach) ||
          (total += reach) >= maxSize)
        return makeError("output '", entry.first, "' goes beyond 2^",
                         LinearMap::maxBits);
    }
  }
  return layout;
}

Result<TiledLayout> TiledLayout::dense(LinearLayout atom,
                                       const Coordinates &shape,
                                       const std::vector<std::string> &order,
                                       const std::string &output) {
  Coordinates counts;
  for (const auto &entry : shape) {
    int64_t size = int64_t(1) << atom.inputBits(entry.first);
    if (entry.second < 1 || entry.second % size != 0)
      return makeError("expected '", entry.first,
                       "' to be whole atoms, a positive multiple of ", size,
                       ", got ", entry.second);
    counts[entry.first] = entry.second / size;
  }
  std::vector<TileFactor> factors;
  int64_t stride = int64_t(1) << atom.outputBits(output);
  for (const std::string &name : order) {
    auto it = counts.find(name);
    if (it == counts.end())
      continue;
    factors.push_back({name, it->second, {{output, stride}}});
    if (!multiply(stride, it->second, stride))
      return makeError("output '", output, "' goes beyond 2^",
                       LinearMap::maxBits);
    counts.erase(it);
  }
  for (const auto &entry : counts)
    if (entry.second != 1)
      return makeError("expected '", entry.first,
                       "' in the order of the tiles: it has ", entry.second,
                       " atoms");
  return get(std::move(atom), std::move(factors));
}

int64_t TiledLayout::extent(const std::string &dim) const {
  int64_t result = int64_t(1) << atomLayout.inputBits(dim);
  for (const TileFactor &factor : outer)
    if (factor.dim == dim)
      result *= factor.extent;
  return result;
}

int64_t TiledLayout::outputExtent(const std::string &dim) const {
  int64_t result = int64_t(1) << atomLayout.outputBits(dim);
  for (const TileFactor &factor : outer) {
    auto it = factor.stride.find(dim);
    if (it != factor.stride.end())
      result += (factor.extent - 1) * it->second;
  }
  return result;
}

std::vector<std::string> TiledLayout::inputNames() const {
  std::set<std::string> names;
  for (const Dim &dim : atomLayout.inputs())
    names.insert(dim.name);
  for (const TileFactor &factor : outer)
    names.insert(factor.dim);
  return {names.begin(), names.end()};
}

std::vector<std::string> TiledLayout::outputNames() const {
  std::set<std::string> names;
  for (const Dim &dim : atomLayout.outputs())
    names.insert(dim.name);
  for (const TileFactor &factor : outer)
    for (const auto &entry : factor.stride)
      names.insert(entry.first);
  return {names.begin(), names.end()};
}

Result<Coordinates> TiledLayout::apply(const Coordinates &input) const {
  Coordinates inside, index;
  for (const auto &entry : input) {
    int64_t size = extent(entry.first);
    if (entry.second < 0 || entry.second >= size)
      return makeError("expected '", entry.first, "' in 0..", size - 1,
                       ", got ", entry.second);
    unsigned bits = atomLayout.inputBits(entry.first);
    inside[entry.first] = entry.second & ((int64_t(1) << bits) - 1);
    index[entry.first] = entry.second >> bits;
  }
  auto place = atomLayout.apply(inside);
  if (!place)
    return Error{place.error()};
  Coordinates result = *place;
  for (const TileFactor &factor : outer) {
    int64_t &rest = index[factor.dim];
    for (const auto &entry : factor.stride)
      result[entry.first] += rest % factor.extent * entry.second;
    rest /= factor.extent;
  }
  return result;
}

/// Tries to show from the strides alone that places can be told apart: in each
/// output, sorted by stride, every step must exceed all smaller ones together.
static bool stridesNest(const TiledLayout &layout) {
  struct Step {
    int64_t stride, extent;
  };
  std::map<std::string, std::vector<Step>> steps;
  const LinearLayout &atom = layout.atom();

  // Images that share no bit add up instead of XORing, which keeps the holes
  // of the atom usable; else the atom counts as filling all of its outputs.
  uint64_t seen = 0;
  bool disjoint = true;
  std::map<std::string, std::vector<Step>> bits;
  for (uint64_t image : atom.images()) {
    disjoint &= (seen & image) == 0;
    seen |= image;
    unsigned parts = 0;
    for (const auto &entry : atom.unpackOutput(image))
      if (entry.second) {
        bits[entry.first].push_back({entry.second, 2});
        ++parts;
      }
    disjoint &= parts == 1;
  }
  if (disjoint)
    steps = bits;
  else
    for (const Dim &dim : atom.outputs())
      steps[dim.name].push_back({1, int64_t(1) << dim.bits});

  for (const TileFactor &factor : layout.factors()) {
    if (factor.stride.size() != 1)
      return false;
    const auto &entry = *factor.stride.begin();
    steps[entry.first].push_back({entry.second, factor.extent});
  }
  for (auto &entry : steps) {
    std::sort(entry.second.begin(), entry.second.end(),
              [](const Step &a, const Step &b) { return a.stride < b.stride; });
    int64_t reach = 0;
    for (const Step &step : entry.second) {
      if (step.stride <= reach)
        return false;
      reach += (step.extent - 1) * step.stride;
    }
  }
  return true;
}

Result<bool> TiledLayout::isInjective() const {
  if (stridesNest(*this))
    return true;
  constexpr int64_t maxPlaces = int64_t(1) << 22;
  int64_t elements = int64_t(1) << atomLayout.inputBits();
  for (const TileFactor &factor : outer)
    if (!multiply(elements, factor.extent, elements))
      elements = maxSize;
  if (elements > maxPlaces)
    return makeError("cannot decide whether ", elements,
                     " places are distinct: the strides do not nest and only ",
                     maxPlaces,
                     " places are enumerated; order the strides so "
                     "that each exceeds the reach of the smaller "
                     "ones");

  std::vector<std::string> names = outputNames();
  std::vector<std::vector<int64_t>> places;
  places.reserve(elements);
  for (uint64_t x = 0, end = uint64_t(1) << atomLayout.inputBits(); x < end;
       ++x) {
    Coordinates atomPlace = atomLayout.unpackOutput(atomLayout.applyPacked(x));
    std::vector<int64_t> base;
    for (const std::string &name : names)
      base.push_back(atomPlace[name]);
    int64_t tiles = elements >> atomLayout.inputBits();
    for (int64_t tile = 0; tile < tiles; ++tile) {
      std::vector<int64_t> place = base;
      int64_t rest = tile;
      for (const TileFactor &factor : outer) {
        int64_t index = rest % factor.extent;
        rest /= factor.extent;
        for (size_t i = 0; i < names.size(); ++i) {
          auto it = factor.stride.find(names[i]);
          if (it != factor.stride.end())
            place[i] += index * it->second;
        }
      }
      places.push_back(std::move(place));
    }
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) == places.end();
}

std::string TiledLayout::str() const {
  std::string text = "{" + atomLayout.str() + "}";
  for (size_t i = 0; i < outer.size(); ++i)
    text += (i ? ", " : " tiled ") + outer[i].dim + " " +
            std::to_string(outer[i].extent) + " x " +
            strideText(outer[i].stride);
  return text;
}
