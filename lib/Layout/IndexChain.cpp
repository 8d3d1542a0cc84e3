//===- IndexChain.cpp - load, reshape, transpose as one layout ------------===//

#include "bsmm/Layout/IndexChain.h"

#include <algorithm>

using namespace bsmm::layout;

static constexpr int64_t maxSize = int64_t(1) << 62;

static bool multiply(int64_t a, int64_t b, int64_t &result) {
  return !__builtin_mul_overflow(a, b, &result) && result <= maxSize;
}

static std::string listText(const std::vector<int64_t> &values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

/// Appends a faster factor to a list in normal form. Dropping extent 1 and
/// merging neighbours makes the list unique: its fastest factor ends exactly
/// where the map first leaves the line through its first two points.
static void append(std::vector<IndexFactor> &list, IndexFactor factor) {
  if (factor.extent == 1)
    return;
  if (!list.empty()) {
    int64_t next = 0;
    if (multiply(factor.extent, factor.stride, next) &&
        list.back().stride == next) {
      list.back() = {list.back().extent * factor.extent, factor.stride};
      return;
    }
  }
  list.push_back(factor);
}

/// The number of elements of a shape. `maximum` is 2^62.
static Result<int64_t> countElements(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return makeError("expected positive extents, got shape ",
                       listText(shape));
    if (!multiply(count, extent, count))
      return makeError("shape ", listText(shape),
                       " has more than 2^62 elements");
  }
  return count;
}

Result<IndexChain> IndexChain::rowMajor(std::vector<int64_t> shape) {
  auto count = countElements(shape);
  if (!count)
    return Error{count.error()};
  IndexChain chain;
  int64_t stride = *count;
  for (int64_t extent : shape) {
    stride /= extent;
    chain.parts.emplace_back();
    append(chain.parts.back(), {extent, stride});
  }
  chain.extents = std::move(shape);
  return chain;
}

Result<IndexChain>
IndexChain::strided(const std::vector<std::vector<IndexFactor>> &dims) {
  IndexChain chain;
  int64_t count = 1, last = 0;
  for (const auto &dim : dims) {
    int64_t extent = 1;
    chain.parts.emplace_back();
    for (const IndexFactor &factor : dim) {
      if (factor.extent < 1 || factor.stride < 1)
        return makeError("expected positive extents and strides, got ",
                         factor.extent, " by ", factor.stride);
      int64_t reach = 0;
      if (!multiply(count, factor.extent, count) ||
          !multiply(factor.extent - 1, factor.stride, reach) ||
          reach > maxSize - last)
        return makeError("the layout has an offset or size beyond 2^62");
      last += reach;
      extent *= factor.extent;
      append(chain.parts.back(), factor);
    }
    chain.extents.push_back(extent);
  }
  return chain;
}

Result<IndexChain> IndexChain::fromTiled(const TiledLayout &layout,
                                         const std::vector<std::string> &dims,
                                         const std::string &output) {
  std::vector<std::string> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return makeError("expected every input once, got one of them twice");
  for (const std::string &name : layout.inputNames())
    if (!std::binary_search(sorted.begin(), sorted.end(), name))
      return makeError("expected every input of the layout, '", name,
                       "' is missing");
  for (const std::string &name : layout.outputNames())
    if (name != output)
      return makeError("expected '", output, "' to be the only output, got '",
                       name, "' as well");

  // Images without a common bit add up, so the atom is strided.
  const LinearLayout &atom = layout.atom();
  uint64_t seen = 0;
  for (uint64_t image : atom.images()) {
    if (seen & image)
      return makeError("expected a strided atom, got one that combines bits: ",
                       atom.str());
    seen |= image;
  }

  std::vector<std::vector<IndexFactor>> parts;
  for (const std::string &name : dims) {
    std::vector<IndexFactor> list;
    const auto &factors = layout.factors();
    for (auto it = factors.rbegin(); it != factors.rend(); ++it)
      if (it->dim == name)
        list.push_back({it->extent, it->stride.begin()->second});
    size_t first = 0;
    for (const Dim &dim : atom.inputs()) {
      if (dim.name == name)
        for (unsigned bit = dim.bits; bit-- > 0;)
          list.push_back({2, int64_t(atom.images()[first + bit])});
      first += dim.bits;
    }
    parts.push_back(std::move(list));
  }
  return strided(parts);
}

Result<IndexChain> IndexChain::reshape(std::vector<int64_t> shape) const {
  auto count = countElements(shape);
  if (!count)
    return Error{count.error()};
  if (*count != elementCount())
    return makeError("cannot reshape ", listText(extents), " to ",
                     listText(shape), ": expected ", elementCount(),
                     " elements, got ", *count);

  // All factors in the order of the elements, slowest first.
  std::vector<IndexFactor> flat;
  for (const auto &dim : parts)
    for (const IndexFactor &factor : dim)
      append(flat, factor);

  // Deal them out to the new dimensions from the fastest on.
  IndexChain chain;
  chain.parts.resize(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    std::vector<IndexFactor> fastestFirst;
    int64_t rest = shape[i];
    while (rest > 1) {
      IndexFactor &factor = flat.back();
      if (rest % factor.extent == 0) {
        fastestFirst.push_back(factor);
        rest /= factor.extent;
        flat.pop_back();
      } else if (factor.extent % rest == 0) {
        fastestFirst.push_back({rest, factor.stride});
        factor = {factor.extent / rest, factor.stride * rest};
        rest = 1;
      } else {
        return makeError("cannot reshape ", listText(extents), " to ",
                         listText(shape), " without moving data: dimension ", i,
                         " of extent ", shape[i], " would cut a run of ",
                         factor.extent, " elements with stride ", factor.stride,
                         " unevenly in ", str());
      }
    }
    for (auto it = fastestFirst.rbegin(); it != fastestFirst.rend(); ++it)
      append(chain.parts[i], *it);
  }
  chain.extents = std::move(shape);
  return chain;
}

Result<IndexChain>
IndexChain::transpose(std::vector<int64_t> permutation) const {
  std::vector<int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  bool valid = sorted.size() == extents.size();
  for (size_t i = 0; valid && i < sorted.size(); ++i)
    valid = sorted[i] == int64_t(i);
  if (!valid)
    return makeError("expected a permutation of the ", extents.size(),
                     " dimensions of ", listText(extents), ", got ",
                     listText(permutation));
  IndexChain chain;
  for (int64_t source : permutation) {
    chain.extents.push_back(extents[source]);
    chain.parts.push_back(parts[source]);
  }
  return chain;
}

int64_t IndexChain::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t IndexChain::offset(const std::vector<int64_t> &coordinate) const {
  if (coordinate.size() != extents.size())
    return -1;
  int64_t result = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    int64_t rest = coordinate[i];
    if (rest < 0 || rest >= extents[i])
      return -1;
    for (auto it = parts[i].rbegin(); it != parts[i].rend(); ++it) {
      result += rest % it->extent * it->stride;
      rest /= it->extent;
    }
  }
  return result;
}

std::string IndexChain::str() const {
  if (extents.empty())
    return "() : ()";
  std::string shapes, strides;
  for (size_t i = 0; i < parts.size(); ++i) {
    shapes += i ? "x(" : "(";
    strides += i ? "x(" : "(";
    if (parts[i].empty()) {
      shapes += "1";
      strides += "0";
    }
    for (size_t j = 0; j < parts[i].size(); ++j) {
      shapes += (j ? "," : "") + std::to_string(parts[i][j].extent);
      strides += (j ? "," : "") + std::to_string(parts[i][j].stride);
    }
    shapes += ")";
    strides += ")";
  }
  return shapes + " : " + strides;
}

/// The smallest value of a dimension at which two lists of factors, in normal
/// form and of the same extent, give different offsets; 0 when there is none.
static int64_t firstDifference(const std::vector<IndexFactor> &a,
                               const std::vector<IndexFactor> &b) {
  int64_t position = 1;
  for (size_t i = 1;; ++i) {
    if (i > a.size() || i > b.size())
      return 0;
    const IndexFactor &x = a[a.size() - i], &y = b[b.size() - i];
    if (x.stride != y.stride)
      return position;
    // The shorter run ends here; being in normal form it does not go on with
    // the same step, while the longer one does.
    if (x.extent != y.extent)
      return position * std::min(x.extent, y.extent);
    position *= x.extent;
  }
}

std::optional<Mismatch>
IndexChain::firstMismatch(const IndexChain &expected) const {
  if (extents != expected.extents)
    return Mismatch{{}, expected.elementCount(), elementCount()};
  // The offset is a sum over the dimensions and 0 at the origin, so the first
  // coordinate in lexicographic order varies the last dimension that differs
  // and no other.
  for (size_t i = extents.size(); i-- > 0;) {
    int64_t value = firstDifference(parts[i], expected.parts[i]);
    if (value == 0)
      continue;
    std::vector<int64_t> coordinate(extents.size(), 0);
    coordinate[i] = value;
    int64_t expectedOffset = expected.offset(coordinate);
    int64_t actualOffset = offset(coordinate);
    return Mismatch{std::move(coordinate), expectedOffset, actualOffset};
  }
  return std::nullopt;
}

std::string IndexChain::describeMismatch(const IndexChain &expected) const {
  auto mismatch = firstMismatch(expected);
  if (!mismatch)
    return "";
  if (extents != expected.extents)
    return "expected shape " + listText(expected.extents) + ", got " +
           listText(extents);
  return "expected layout " + expected.str() + ", got " + str() +
         "; first difference at " + listText(mismatch->coordinate) +
         ": expected offset " + std::to_string(mismatch->expected) + ", got " +
         std::to_string(mismatch->actual);
}
