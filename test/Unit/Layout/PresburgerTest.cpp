//===- PresburgerTest.cpp - layouts against integer relations -------------===//
//
// An oracle that shares nothing with the layout library: the same places as
// relations over the integers, with floor divisions instead of bits, composed
// and compared by MLIR's Presburger library. The formulas are those of the PTX
// ISA (tcgen05.cp, tcgen05 block scaling, swizzling modes) and of CUTLASS
// (cutlass/detail/sm100_blockscaled_layout.hpp).
//
//===----------------------------------------------------------------------===//

#include "bsmm/Layout/Layout.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace bsmm::layout;
using mlir::presburger::IntegerRelation;
using mlir::presburger::PresburgerRelation;
using mlir::presburger::VarKind;

namespace {

struct Variable {
  std::string name;
  int64_t extent;
};
using Variables = std::vector<Variable>;

std::string number(int64_t value) { return std::to_string(value); }

/// A dimension that is a list of factors, slowest first.
std::string linearized(const Variables &variables) {
  std::string text = "0";
  int64_t stride = 1;
  for (size_t i = variables.size(); i-- > 0;) {
    text += " + " + variables[i].name + " * " + number(stride);
    stride *= variables[i].extent;
  }
  return text;
}

class CrossCheckPresburger : public ::testing::Test {
protected:
  /// The relation domain -> range of all points within the extents for which
  /// each equation "a == b" holds.
  IntegerRelation relation(const Variables &domain, const Variables &range,
                           const std::vector<std::string> &equations) {
    std::string names, constraints;
    auto add = [](std::string &list, const std::string &item) {
      list += (list.empty() ? "" : ", ") + item;
    };
    for (const Variables *side : {&domain, &range})
      for (const Variable &variable : *side) {
        add(names, variable.name);
        add(constraints, variable.name + " >= 0");
        add(constraints,
            number(variable.extent - 1) + " - " + variable.name + " >= 0");
      }
    for (const std::string &equation : equations)
      add(constraints, equation);
    std::string text = "(" + names + ") : (" + constraints + ")";
    mlir::IntegerSet set = mlir::parseIntegerSet(text, &context);
    if (!set) {
      ADD_FAILURE() << "cannot parse " << text;
      std::abort();
    }
    // All variables of a set are range variables: without the conversion
    // compose() would take the whole tuple for the range and answer wrongly,
    // without a diagnostic.
    IntegerRelation result = mlir::FlatLinearValueConstraints(set);
    result.resetIds();
    result.convertVarKind(VarKind::SetDim, 0, domain.size(), VarKind::Domain,
                          0);
    EXPECT_EQ(result.getNumDomainVars(), domain.size());
    EXPECT_EQ(result.getNumRangeVars(), range.size());
    return result;
  }

  /// first, then second.
  static IntegerRelation then(const IntegerRelation &first,
                              const IntegerRelation &second) {
    IntegerRelation result = first;
    result.compose(second);
    return result;
  }

  /// Every point of `a` is one of `b`, whose variables must all be given by
  /// divisions; those of `a` need not be.
  static bool contained(const IntegerRelation &a, const IntegerRelation &b) {
    PresburgerRelation outer(b);
    EXPECT_TRUE(outer.hasOnlyDivLocals());
    return PresburgerRelation(a).isSubsetOf(outer);
  }

  static bool equal(const IntegerRelation &a, const IntegerRelation &b) {
    return contained(a, b) && contained(b, a);
  }

  /// A linear map over bits as a relation: each output bit is the parity of
  /// the input bits that reach it. The named dimensions become the variables,
  /// in this order.
  IntegerRelation linear(const LinearMap &map,
                         const std::vector<std::string> &inputs,
                         const std::vector<std::string> &outputs) {
    // The input bits that reach each output bit, as (variable, bit).
    using Source = std::pair<std::string, unsigned>;
    std::map<std::string, std::vector<std::vector<Source>>> sources;
    Variables domain, range;
    for (const std::string &output : outputs) {
      range.push_back({"o_" + output, int64_t(1) << map.outputBits(output)});
      sources[output].resize(map.outputBits(output));
    }
    for (const std::string &input : inputs) {
      domain.push_back({"i_" + input, int64_t(1) << map.inputBits(input)});
      for (unsigned bit = 0; bit < map.inputBits(input); ++bit) {
        auto image = map.apply({{input, int64_t(1) << bit}});
        EXPECT_TRUE(bool(image)) << image.error();
        for (auto &[output, value] : *image)
          for (unsigned to = 0; to < map.outputBits(output); ++to)
            if (value >> to & 1)
              sources[output][to].push_back({"i_" + input, bit});
      }
    }
    auto shifted = [](const std::string &variable, unsigned bit) {
      return bit == 0 ? variable
                      : "(" + variable + " floordiv " +
                            number(int64_t(1) << bit) + ")";
    };
    std::vector<std::string> equations;
    for (const std::string &output : outputs) {
      std::string sum = "0";
      const std::vector<std::vector<Source>> &bits = sources[output];
      for (unsigned to = 0; to < bits.size();) {
        // Bits that move together are one division and one modulus.
        unsigned run = 1;
        if (bits[to].size() == 1) {
          Source first = bits[to][0];
          while (to + run < bits.size() && bits[to + run].size() == 1 &&
                 bits[to + run][0] == Source(first.first, first.second + run))
            ++run;
        }
        std::string parity = "0";
        for (const Source &source : bits[to])
          parity += " + " + shifted(source.first, source.second);
        if (!bits[to].empty())
          sum += " + ((" + parity + ") mod " + number(int64_t(1) << run) +
                 ") * " + number(int64_t(1) << to);
        to += run;
      }
      equations.push_back("o_" + output + " == " + sum);
    }
    return relation(domain, range, equations);
  }

  /// A chain of factors as a relation coordinates -> offset.
  IntegerRelation chain(const IndexChain &map, int64_t offsets) {
    Variables domain;
    std::string sum = "0";
    for (size_t d = 0; d < map.shape().size(); ++d) {
      std::string name = "c" + number(int64_t(d));
      domain.push_back({name, map.shape()[d]});
      int64_t below = 1;
      const std::vector<IndexFactor> &factors = map.factors()[d];
      for (size_t f = factors.size(); f-- > 0;) {
        sum += " + ((" + name + " floordiv " + number(below) + ") mod " +
               number(factors[f].extent) + ") * " + number(factors[f].stride);
        below *= factors[f].extent;
      }
    }
    return relation(domain, {{"offset", offsets}}, {"offset == " + sum});
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};

  // The scale tile: (row, group) -> byte.
  const Variables tile = {{"m", 128}, {"g", 4}};
  const Variables bytes = {{"offset", 512}};
  const std::string tileFormula =
      "offset == (m mod 32) * 16 + (m floordiv 32) * 4 + g";
};

//===----------------------------------------------------------------------===//
// Scale tile
//===----------------------------------------------------------------------===//

TEST_F(CrossCheckPresburger, ScaleTile) {
  IntegerRelation formula = relation(tile, bytes, {tileFormula});
  EXPECT_TRUE(equal(formula, linear(scaleTile(), {"m", "group"}, {"offset"})));
  // Wrong tiles are told apart: rows of 64, words and groups exchanged.
  EXPECT_FALSE(equal(
      formula, relation(tile, bytes,
                        {"offset == (m mod 64) * 8 + (m floordiv 64) * 4 + "
                         "g"})));
  EXPECT_FALSE(
      equal(formula, relation(tile, bytes,
                              {"offset == (m mod 32) * 16 + g * 4 + m floordiv "
                               "32"})));
}

/// The tile, copied by tcgen05.cp.32x128b.warpx4, is what the MMA reads.
TEST_F(CrossCheckPresburger, ScaleCopy) {
  const Variables copy = {{"w", 4}};
  const Variables place = {{"lane", 128}, {"column", 4}, {"byte", 4}};
  Variables tiles = tile, sources = bytes;
  tiles.push_back(copy[0]);
  sources.push_back({"v", 4});
  IntegerRelation toBytes = relation(tiles, sources, {tileFormula, "v == w"});
  IntegerRelation copied = relation({{"offset", 512}, {"w", 4}}, place,
                                    {"lane == offset floordiv 16 + w * 32",
                                     "column == (offset mod 16) floordiv 4",
                                     "byte == offset mod 4"});
  IntegerRelation read = relation(
      tiles, place,
      {"lane == m mod 32 + w * 32", "column == m floordiv 32", "byte == g"});
  EXPECT_TRUE(equal(then(toBytes, copied), read));

  // The layout library's objects are the same relations.
  EXPECT_TRUE(equal(read, linear(scaleTensorMemory(), {"m", "group", "replica"},
                                 {"lane", "column", "byte"})));
  auto source =
      scaleCopySource().product(*LinearMap::identity({{"replica", 2}}));
  ASSERT_TRUE(bool(source)) << source.error();
  auto whole = source->compose(copyLayout(CopyShape::Rows32Bits128));
  ASSERT_TRUE(bool(whole)) << whole.error();
  EXPECT_TRUE(equal(copied, linear(*whole, {"offset", "replica"},
                                   {"lane", "column", "byte"})));

  // A copy that takes words of a row for rows is found.
  IntegerRelation wrong = relation({{"offset", 512}, {"w", 4}}, place,
                                   {"lane == offset mod 32 + w * 32",
                                    "column == (offset floordiv 32) floordiv 4",
                                    "byte == (offset floordiv 32) mod 4"});
  EXPECT_FALSE(equal(then(toBytes, wrong), read));
}

//===----------------------------------------------------------------------===//
// load -> reshape -> trans -> reshape
//===----------------------------------------------------------------------===//

class ScaleChain : public CrossCheckPresburger {
protected:
  const int64_t restM = 2, restK = 3;
  const Variables scales = {{"m", restM * 128}, {"g", restK * 4}};
  const Variables box = {
      {"b0", 1}, {"b1", restM}, {"b2", restK}, {"b3", 2}, {"b4", 256}};
  const Variables tiles = {
      {"t0", restM}, {"t1", restK}, {"t2", 32}, {"t3", 4}, {"t4", 4}};
  const int64_t offsets = restM * restK * 512;

  /// From the coordinate of the result back to the offset in the box: the
  /// steps of the program in reverse. A reshape is the equation of the two
  /// row-major numbers.
  IntegerRelation program(const std::vector<int64_t> &permutation) {
    Variables transposed;
    std::vector<std::string> renames;
    for (size_t i = 0; i < permutation.size(); ++i) {
      const Variable &from = tiles[size_t(permutation[i])];
      transposed.push_back({"x" + number(int64_t(i)), from.extent});
      renames.push_back("x" + number(int64_t(i)) + " == " + from.name);
    }
    IntegerRelation last =
        relation(scales, transposed,
                 {linearized(scales) + " == " + linearized(transposed)});
    IntegerRelation trans = relation(transposed, tiles, renames);
    IntegerRelation first =
        relation(tiles, box, {linearized(tiles) + " == " + linearized(box)});
    IntegerRelation load =
        relation(box, {{"offset", offsets}}, {"offset == " + linearized(box)});
    return then(then(then(last, trans), first), load);
  }

  /// What the MMA expects, tile by tile.
  IntegerRelation expected() {
    return relation(scales, {{"offset", offsets}},
                    {"offset == ((m floordiv 128) * " + number(restK) +
                     " + g floordiv 4) * 512 + (m mod 32) * 16 + "
                     "((m floordiv 32) mod 4) * 4 + g mod 4"});
  }
};

TEST_F(ScaleChain, IsTheBlockedOrder) {
  IntegerRelation mma = expected();
  // A program is a bijection and so is the other side, with as many points:
  // containment is equality.
  IntegerRelation steps = program({0, 3, 2, 1, 4});
  EXPECT_TRUE(contained(steps, mma));
  // The empty relation would be contained as well.
  for (int64_t m : {0, 1, 31, 32, 127, 128, 255})
    for (int64_t g : {0, 3, 4, 11}) {
      int64_t offset = blockedScaleOffset(m, g, restK * 4);
      EXPECT_TRUE(steps.containsPointNoLocal({m, g, offset}).has_value());
      EXPECT_FALSE(steps.containsPointNoLocal({m, g, offset ^ 1}).has_value());
    }

  auto library = scaleTileChain(restM, restK);
  ASSERT_TRUE(bool(library)) << library.error();
  EXPECT_TRUE(equal(chain(*library, offsets), mma));

  auto folded = IndexChain::rowMajor({1, restM, restK, 2, 256});
  ASSERT_TRUE(bool(folded));
  folded = folded->reshape({restM, restK, 32, 4, 4});
  ASSERT_TRUE(bool(folded)) << folded.error();
  folded = folded->transpose({0, 3, 2, 1, 4});
  ASSERT_TRUE(bool(folded)) << folded.error();
  folded = folded->reshape({restM * 128, restK * 4});
  ASSERT_TRUE(bool(folded)) << folded.error();
  EXPECT_TRUE(equal(chain(*folded, offsets), mma));
}

/// Every other order of the three middle dimensions is found wrong, by both.
TEST_F(ScaleChain, WrongPermutations) {
  IntegerRelation mma = expected();
  auto library = scaleTileChain(restM, restK);
  ASSERT_TRUE(bool(library));
  for (std::vector<int64_t> permutation : {std::vector<int64_t>{0, 1, 2, 3, 4},
                                           {0, 2, 3, 1, 4},
                                           {0, 3, 1, 2, 4},
                                           {0, 2, 1, 3, 4},
                                           {0, 1, 3, 2, 4}}) {
    EXPECT_FALSE(contained(program(permutation), mma));
    auto folded = IndexChain::rowMajor({restM, restK, 32, 4, 4});
    ASSERT_TRUE(bool(folded));
    folded = folded->transpose(permutation);
    ASSERT_TRUE(bool(folded)) << folded.error();
    // Some of these cannot even be reshaped into the scale matrix.
    auto reshaped = folded->reshape({restM * 128, restK * 4});
    if (reshaped) {
      EXPECT_FALSE(*reshaped == *library);
    }
  }
}

//===----------------------------------------------------------------------===//
// Swizzles
//===----------------------------------------------------------------------===//

class Swizzles : public CrossCheckPresburger {
protected:
  /// PTX ISA, "Swizzling modes": chunk c of 16 bytes of row r of a tile with
  /// rows of `width` bytes is stored as chunk c ^ ((r / divisor) % chunks).
  /// XOR written out bit by bit.
  IntegerRelation atom(int64_t width, int64_t divisor) {
    std::string chunk = "0";
    for (int64_t bit = 1; bit < width / 16; bit *= 2)
      chunk += " + ((byte floordiv " + number(16 * bit) + " + (row floordiv " +
               number(divisor) + ") floordiv " + number(bit) + ") mod 2) * " +
               number(bit);
    return relation({{"row", 8}, {"byte", width}}, {{"offset", 8 * width}},
                    {"offset == row * " + number(width) + " + (" + chunk +
                     ") * 16 + byte mod 16"});
  }

  void check(SwizzleMode mode, int64_t divisor) {
    auto library = operandAtom(mode);
    ASSERT_TRUE(bool(library)) << library.error();
    IntegerRelation ours = linear(*library, {"row", "byte"}, {"offset"});
    EXPECT_TRUE(equal(atom(swizzleWidth(mode), divisor), ours));
    EXPECT_FALSE(equal(atom(swizzleWidth(mode), divisor * 2), ours));
  }
};

TEST_F(Swizzles, Bytes32) {
  check(SwizzleMode::Bytes32, 4);
  // Its own inverse.
  auto library = swizzleLayout(SwizzleMode::Bytes32, 8);
  ASSERT_TRUE(bool(library)) << library.error();
  IntegerRelation swizzle = linear(*library, {"offset"}, {"offset"});
  EXPECT_TRUE(equal(then(swizzle, swizzle),
                    relation({{"a", 256}}, {{"b", 256}}, {"a == b"})));
  EXPECT_FALSE(
      equal(swizzle, relation({{"a", 256}}, {{"b", 256}}, {"a == b"})));
}

TEST_F(Swizzles, Bytes64) { check(SwizzleMode::Bytes64, 2); }

TEST_F(Swizzles, Bytes128) { check(SwizzleMode::Bytes128, 1); }

} // namespace
