//===- Obligation.cpp - what must hold between layouts --------------------===//

#include "bsmm/Layout/Obligation.h"

#include <algorithm>

using namespace bsmm::layout;

static std::string text(const Coordinates &coordinates) {
  std::string result = "(";
  for (const auto &entry : coordinates) {
    if (result.size() > 1)
      result += ", ";
    result += entry.first + " " + std::to_string(entry.second);
  }
  return result + ")";
}

Status bsmm::layout::checkInjective(const LinearMap &map) {
  // Gauss elimination that remembers which inputs were combined: the first
  // image that vanishes names an input that shares its place with input 0.
  struct Row {
    uint64_t image, input;
  };
  std::vector<Row> rows;
  for (unsigned bit = 0; bit < map.inputBits(); ++bit) {
    Row row = {map.images()[bit], uint64_t(1) << bit};
    for (const Row &other : rows)
      if ((row.image ^ other.image) < row.image) {
        row.image ^= other.image;
        row.input ^= other.input;
      }
    if (row.image == 0)
      return makeError("expected every element to have its own place, but ",
                       text(map.unpackInput(0)), " and ",
                       text(map.unpackInput(row.input)), " share one in ",
                       map.str());
    rows.push_back(row);
    std::sort(rows.begin(), rows.end(),
              [](const Row &a, const Row &b) { return a.image > b.image; });
  }
  return Status::success();
}

Status bsmm::layout::checkEqual(const LinearMap &actual,
                                const LinearMap &expected) {
  if (actual == expected)
    return Status::success();
  Error base =
      makeError("expected layout ", expected.str(), ", got ", actual.str());
  if (actual.inputs() != expected.inputs() ||
      actual.outputs() != expected.outputs())
    return base;
  // Maps that differ, differ on a single bit.
  for (unsigned bit = 0; bit < actual.inputBits(); ++bit) {
    uint64_t input = uint64_t(1) << bit;
    if (actual.applyPacked(input) == expected.applyPacked(input))
      continue;
    return makeError(
        base.message, "; ", text(actual.unpackInput(input)), " belongs at ",
        text(expected.unpackOutput(expected.applyPacked(input))),
        " but sits at ", text(actual.unpackOutput(actual.applyPacked(input))));
  }
  return base;
}

Status bsmm::layout::checkCopy(const LinearMap &source, const LinearMap &copy,
                               const LinearMap &destination) {
  std::vector<Dim> carried;
  for (const Dim &dim : copy.inputs())
    if (source.outputBits(dim.name) == 0)
      carried.push_back(dim);
  auto identity = LinearMap::identity(carried);
  if (!identity)
    return Error{identity.error()};
  auto extended = source.product(*identity);
  if (!extended)
    return Error{extended.error()};
  auto copied = extended->compose(copy);
  if (!copied)
    return Error{copied.error()};
  return checkEqual(*copied, destination);
}

Status bsmm::layout::checkDivides(const LinearLayout &atom,
                                  const TiledLayout &tile) {
  auto rest = tile.atom().divideLeft(atom);
  if (!rest)
    return makeError("expected a tile made of the atom ", atom.str(), ", got ",
                     tile.str(), ": ", rest.error());
  return Status::success();
}

Status bsmm::layout::checkDescriptor(const MatrixDescriptor &desc,
                                     const TiledLayout &operand) {
  for (const std::string &name : operand.inputNames())
    if (name != "row" && name != "byte")
      return makeError("expected an operand of 'row' and 'byte', got '", name,
                       "' as well");
  auto atom = operandAtom(desc.swizzle);
  if (!atom)
    return Error{atom.error()};
  if (auto ok = checkDivides(*atom, operand); !ok)
    return ok;

  // With swizzle a descriptor serves one panel; the panels are reached by
  // other start addresses.
  int64_t rowBytes = operand.extent("byte");
  std::vector<TileFactor> factors = operand.factors();
  if (desc.swizzle != SwizzleMode::None) {
    rowBytes = int64_t(1) << operand.atom().inputBits("byte");
    factors.erase(std::remove_if(factors.begin(), factors.end(),
                                 [](const TileFactor &factor) {
                                   return factor.dim == "byte";
                                 }),
                  factors.end());
  }
  auto panel = TiledLayout::get(operand.atom(), factors);
  if (!panel)
    return Error{panel.error()};
  auto described = describedOperand(desc, operand.extent("row"), rowBytes);
  if (!described)
    return Error{described.error()};
  if (*panel != *described)
    return makeError("the descriptor reads ", described->str(),
                     ", the operand is ", panel->str());
  return Status::success();
}

static unsigned rankOf(const std::vector<uint64_t> &values) {
  std::vector<int64_t> images(values.begin(), values.end());
  auto map = LinearMap::get({{"in", {{"out", images}}}},
                            {{"out", LinearMap::maxBits}});
  return map ? map->rank() : 0;
}

Result<int64_t> bsmm::layout::bankConflictDegree(const LinearMap &access,
                                                 int64_t accessBytes) {
  if (accessBytes != 4 && accessBytes != 8 && accessBytes != 16)
    return makeError("expected an access of 4, 8 or 16 bytes a thread, got ",
                     accessBytes);
  const std::vector<Dim> &outputs = access.outputs();
  if (access.inputBits() != access.inputBits("thread") ||
      access.inputBits() > 5 || outputs.size() != 1 ||
      outputs[0].name != "offset")
    return makeError("expected a map from at most 5 bits of 'thread' to "
                     "'offset', got ",
                     access.str());
  // Wider accesses are served a half or a quarter of the warp at a time.
  unsigned parts = accessBytes == 4 ? 0 : accessBytes == 8 ? 1 : 2;
  std::vector<uint64_t> words, banks;
  for (unsigned bit = 0; bit < access.inputBits(); ++bit) {
    uint64_t image = access.images()[bit];
    if (image % uint64_t(accessBytes) != 0)
      return makeError("expected offsets that are multiples of ", accessBytes,
                       " bytes, got ", image, " for thread ",
                       uint64_t(1) << bit);
    if (bit >= 5 - parts)
      continue;
    words.push_back(image / uint64_t(accessBytes));
    // 128 bytes of banks, in units of the access.
    banks.push_back(image % 128 / uint64_t(accessBytes));
  }
  return int64_t(1) << (rankOf(words) - rankOf(banks));
}

Status bsmm::layout::checkBankConflictFree(const LinearMap &access,
                                           int64_t accessBytes) {
  auto degree = bankConflictDegree(access, accessBytes);
  if (!degree)
    return Error{degree.error()};
  if (*degree != 1)
    return makeError("expected shared-memory accesses free of bank conflicts, "
                     "got ",
                     *degree, " accesses to one bank for ", access.str());
  return Status::success();
}
