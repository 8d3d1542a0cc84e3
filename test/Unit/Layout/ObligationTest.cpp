//===- ObligationTest.cpp -------------------------------------------------===//

#include "TestUtils.h"

#include "bsmm/Layout/Obligation.h"
#include "bsmm/Layout/TensorMemory.h"

#include <map>
#include <set>

using namespace bsmm::layout;
using namespace bsmm::layout::test;

TEST(Obligation, InjectiveAgainstEnumeration) {
  std::mt19937_64 random(31);
  unsigned failures = 0;
  for (int round = 0; round < 300; ++round) {
    LinearMap map =
        randomMap(random, {{"x", 3}, {"y", 2}}, {{"p", 3}, {"q", 3}});
    std::set<uint64_t> places;
    forEachInput(map, [&](uint64_t x) { places.insert(map.applyPacked(x)); });
    Status status = checkInjective(map);
    EXPECT_EQ(bool(status), places.size() == 32);
    failures += !status;
  }
  EXPECT_GT(failures, 20u);
  EXPECT_LT(failures, 280u);
  LinearMap map = get(LinearMap::get({{"x", {{"p", {2, 1, 3}}}}}, {{"p", 2}}));
  expectError(checkInjective(map), "(x 0) and (x 7) share one in (x:3)");
}

TEST(Obligation, Equal) {
  LinearMap a = get(LinearMap::get({{"x", {{"p", {1, 2}}}}}, {{"p", 2}}));
  LinearMap b = get(LinearMap::get({{"x", {{"p", {1, 3}}}}}, {{"p", 2}}));
  EXPECT_TRUE(bool(checkEqual(a, a)));
  expectError(checkEqual(b, a),
              "expected layout (x:2) -> (p:2) x=[1, 2], got (x:2) -> (p:2) "
              "x=[1, 3]; (x 2) belongs at (p 2) but sits at (p 3)");
  LinearMap c = get(LinearMap::get({{"x", {{"p", {2, 3}}}}}, {{"p", 2}}));
  expectError(checkEqual(c, a), "(x 1) belongs at (p 1) but sits at (p 2)");
  expectError(checkEqual(get(a.renameInput("x", "y")), a), "got (y:2)");
}

TEST(Obligation, Copy) {
  // Rows of 16 bytes into lanes: the right destination passes, a wrong source
  // order is refused, so is a source the copy does not understand.
  const LinearLayout &copy = copyLayout(CopyShape::Rows128Bits128);
  LinearMap source = get(LinearMap::identity({{"row", 7}, {"byte", 4}}));
  EXPECT_TRUE(bool(checkCopy(source, copy, copy)));
  LinearMap turned =
      get(LinearMap::get({{"row", {{"row", {64, 32, 16, 8, 4, 2, 1}}}},
                          {"byte", {{"byte", {1, 2, 4, 8}}}}},
                         {{"row", 7}, {"byte", 4}}));
  expectError(checkCopy(turned, copy, copy),
              "(byte 0, row 1) belongs at (byte 0, column 0, lane 1) but sits "
              "at (byte 0, column 0, lane 64)");
  expectError(checkCopy(get(LinearMap::identity({{"offset", 11}})), copy, copy),
              "cannot compose");
}

TEST(Obligation, Divides) {
  LinearLayout atom = get(operandAtom(SwizzleMode::Bytes128));
  EXPECT_TRUE(bool(
      checkDivides(atom, get(kMajorOperand(SwizzleMode::Bytes128, 192, 256)))));
  expectError(
      checkDivides(atom, get(kMajorOperand(SwizzleMode::Bytes64, 192, 256))),
      "expected a tile made of the atom");
  // A larger atom that consists of whole atoms: 16 rows.
  LinearLayout two = get(LinearLayout::get(get(atom.product(
      get(LinearMap::get({{"row", {{"offset", {1}}}}}, {{"offset", 1}}))))));
  EXPECT_TRUE(bool(checkDivides(atom, get(TiledLayout::get(two, {})))));
  EXPECT_FALSE(bool(checkDivides(two, get(TiledLayout::get(atom, {})))));
}

TEST(Obligation, DescriptorReadsTheOperand) {
  const SwizzleMode modes[] = {SwizzleMode::None, SwizzleMode::Bytes32,
                               SwizzleMode::Bytes64, SwizzleMode::Bytes128};
  for (SwizzleMode mode : modes)
    for (SwizzleMode other : modes)
      for (int64_t rows : {8, 64, 192}) {
        TiledLayout operand = get(kMajorOperand(mode, rows, 384));
        MatrixDescriptor desc = get(kMajorDescriptor(other, rows, 4096));
        EXPECT_EQ(bool(checkDescriptor(desc, operand)), mode == other)
            << swizzleName(mode) << " " << swizzleName(other);
        if (mode != other || rows == 8)
          continue;
        MatrixDescriptor bad = desc;
        // Swizzled groups of rows start at the pattern; without swizzle any
        // other distance is another layout.
        bad.strideByteOffset += 16;
        expectError(checkDescriptor(bad, operand),
                    mode == SwizzleMode::None ? "the descriptor reads"
                                              : "groups of 8 rows at multiples");
        bad.strideByteOffset =
            desc.strideByteOffset + swizzlePatternBytes(mode);
        expectError(checkDescriptor(bad, operand), "the descriptor reads");
        bad.strideByteOffset = 0;
        expectError(checkDescriptor(bad, operand), "share their places");
        bad = desc;
        bad.leadingByteOffset += 16;
        EXPECT_EQ(bool(checkDescriptor(bad, operand)),
                  mode != SwizzleMode::None);
      }
  TiledLayout accumulator = get(TiledLayout::get(
      get(LinearLayout::get({{"m", {{"offset", {1}}}}}, {{"offset", 1}})), {}));
  expectError(checkDescriptor(MatrixDescriptor(), accumulator),
              "expected an operand of 'row' and 'byte', got 'm' as well");
  MatrixDescriptor base32;
  base32.swizzle = SwizzleMode::Bytes128Atom32;
  expectError(checkDescriptor(
                  base32, get(kMajorOperand(SwizzleMode::Bytes128, 8, 128))),
              "128B_atom_32B");
}

/// Counts, for each part of the warp, the largest number of different words
/// in one bank.
static int64_t enumerateConflicts(const LinearMap &access, int64_t bytes) {
  int64_t threads = int64_t(1) << access.inputBits();
  int64_t perPart = std::min<int64_t>(threads, 128 / bytes);
  int64_t worst = 0;
  for (int64_t part = 0; part < threads; part += perPart) {
    std::map<uint64_t, std::set<uint64_t>> words;
    for (int64_t t = part; t < part + perPart; ++t)
      for (int64_t b = 0; b < bytes; b += 4) {
        uint64_t word = (access.applyPacked(uint64_t(t)) + uint64_t(b)) / 4;
        words[word % 32].insert(word);
      }
    for (const auto &bank : words)
      worst = std::max(worst, int64_t(bank.second.size()));
  }
  return worst;
}

TEST(Obligation, BankConflictsAgainstEnumeration) {
  std::mt19937_64 random(32);
  std::map<int64_t, int> seen;
  for (int64_t bytes : {4, 8, 16})
    for (int round = 0; round < 500; ++round) {
      std::vector<int64_t> images;
      for (int bit = 0; bit < 5; ++bit)
        images.push_back(int64_t(random() % (4096 / bytes)) * bytes);
      LinearMap access = get(
          LinearMap::get({{"thread", {{"offset", images}}}}, {{"offset", 12}}));
      int64_t degree = get(bankConflictDegree(access, bytes));
      EXPECT_EQ(degree, enumerateConflicts(access, bytes)) << access.str();
      EXPECT_EQ(bool(checkBankConflictFree(access, bytes)), degree == 1);
      ++seen[degree];
    }
  EXPECT_GT(seen[1], 100);
  EXPECT_GT(seen[2], 100);
}

TEST(Obligation, SwizzlesRemoveBankConflicts) {
  // Thread t writes 16 bytes of row t of a 128-byte wide tile: eight rows meet
  // in one bank group without swizzle, in none with it.
  LinearMap rows = get(
      LinearMap::get({{"thread", {{"offset", {128, 256, 512, 1024, 2048}}}}},
                     {{"offset", 12}}));
  EXPECT_EQ(get(bankConflictDegree(rows, 16)), 8);
  EXPECT_EQ(get(bankConflictDegree(rows, 4)), 32);
  LinearMap swizzled =
      get(rows.compose(get(swizzleLayout(SwizzleMode::Bytes128, 12))));
  EXPECT_EQ(get(bankConflictDegree(swizzled, 16)), 1);
  EXPECT_TRUE(bool(checkBankConflictFree(swizzled, 16)));
  expectError(checkBankConflictFree(rows, 16), "got 8 accesses to one bank");
  // All threads on one word share it.
  LinearMap same = get(LinearMap::get(
      {{"thread", {{"offset", {0, 0, 0, 0, 0}}}}}, {{"offset", 12}}));
  EXPECT_EQ(get(bankConflictDegree(same, 4)), 1);
}

TEST(Obligation, BankConflictRefusals) {
  LinearMap access = get(LinearMap::get(
      {{"thread", {{"offset", {4, 8, 16, 32, 64}}}}}, {{"offset", 7}}));
  EXPECT_EQ(get(bankConflictDegree(access, 4)), 1);
  expectError(bankConflictDegree(access, 8),
              "multiples of 8 bytes, got 4 for thread 1");
  expectError(bankConflictDegree(access, 2), "4, 8 or 16 bytes");
  expectError(bankConflictDegree(get(access.renameInput("thread", "row")), 4),
              "expected a map from at most 5 bits of 'thread' to 'offset'");
  LinearMap two = get(LinearMap::get({{"thread", {{"lane", {1}}}}},
                                     {{"lane", 1}, {"offset", 4}}));
  expectError(bankConflictDegree(two, 4), "to 'offset'");
  LinearMap six = get(LinearMap::get(
      {{"thread", {{"offset", {4, 8, 16, 32, 64, 128}}}}}, {{"offset", 8}}));
  expectError(bankConflictDegree(six, 4), "at most 5 bits of 'thread'");
  expectError(bankConflictDegree(get(access.renameOutput("offset", "lane")), 4),
              "to 'offset'");
}
