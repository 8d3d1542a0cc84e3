//===- Layouts.cpp - Mutants of descriptors and coordinates -----*- C++ -*-===//
//
// Bit numbers: PTX ISA, "Instruction descriptor" and "Shared memory descriptor"
// of tcgen05.mma, "Matrix Descriptor Format" of wgmma.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include <algorithm>

namespace bsmm::emulator::mutation {

/// Which of A and B a descriptor is for, for names.
static void addMatrixDescriptor(Builder &b, size_t operand,
                                const std::string &name, bool isWgmma,
                                bool readsLeading, bool hasConstant,
                                std::vector<std::string> leadingConditions) {
  auto flip = [&](const char *op, const std::string &detail, int64_t mask,
                  std::vector<std::string> conditions = {}) {
    b.add(op, detail, b.withChanged(operand, "b64", "xor.b64", mask),
          std::move(conditions));
  };
  flip("descriptor-start", name, 2);
  b.add("descriptor-stride", name,
        b.withChanged(operand, "b64", "add.s64", int64_t(8) << 32));
  if (readsLeading)
    b.add("descriptor-leading", name,
          b.withChanged(operand, "b64", "add.s64", int64_t(1) << 16),
          std::move(leadingConditions));
  for (int bit = isWgmma ? 62 : 61; bit < 64; ++bit)
    flip("descriptor-swizzle", name + "-bit" + std::to_string(bit),
         static_cast<int64_t>(uint64_t(1) << bit));
  // Without a swizzle there is no pattern whose start it could give.
  std::string swizzle = ".reg .b64 %bsmm_d; .reg .b32 %bsmm_i; shr.u64 "
                        "%bsmm_d, " +
                        b.statement->operands[operand] + ", " +
                        (isWgmma ? "62" : "61") +
                        "; cvt.u32.u64 %bsmm_i, %bsmm_d; ";
  flip("descriptor-base", name, int64_t(1) << 49,
       {b.trapWhere(swizzle, "setp.ne.b32", "%bsmm_i, 0")});
  if (hasConstant)
    flip("descriptor-constant", name, int64_t(1) << 46);
}

static void addPredicateOperand(Builder &b, const char *op, size_t index) {
  const Statement &s = *b.statement;
  const std::string &old = s.operands[index];
  int64_t literal;
  if (isInteger(old, literal))
    b.add(op, "", s.withOperand(index, literal != 0 ? "0" : "1"));
  else
    b.add(op, "",
          s.withSetUp(".reg .pred %bsmm_m; not.pred %bsmm_m, " + old + ";",
                      s.withOperand(index, "%bsmm_m")));
}

static void addAddressMutant(Builder &b, const char *op,
                             const std::string &detail, size_t index,
                             int64_t delta) {
  std::string moved = addToAddress(b.statement->operands[index], delta);
  if (!moved.empty())
    b.add(op, detail, b.statement->withOperand(index, moved));
}

struct Field {
  const char *name;
  unsigned bit;
  unsigned width; ///< bits that are flipped
};

static void addInstructionDescriptor(Builder &b, size_t index) {
  // The lowest bit of each field; M by both bits, from 128 to 256.
  static const Field plain[] = {
      {"sparse", 2, 1},    {"saturate", 3, 1},     {"d-format", 4, 1},
      {"a-format", 7, 1},  {"b-format", 10, 1},    {"negate-a", 13, 1},
      {"negate-b", 14, 1}, {"transpose-a", 15, 1}, {"transpose-b", 16, 1},
      {"n", 17, 1},        {"m", 24, 1},           {"max-shift", 30, 1}};
  static const Field scaled[] = {
      {"sparse", 2, 1},          {"scale-id-b", 4, 1},
      {"scale-id-b-high", 5, 1}, {"a-format", 7, 1},
      {"b-format", 10, 1},       {"negate-a", 13, 1},
      {"negate-b", 14, 1},       {"transpose-a", 15, 1},
      {"transpose-b", 16, 1},    {"n", 17, 1},
      {"scale-type", 23, 1},     {"m", 27, 2},
      {"scale-id-a", 29, 1},     {"scale-id-a-high", 30, 1},
      {"k-size", 31, 1}};
  auto addFields = [&](const Field *fields, size_t count) {
    for (size_t k = 0; k < count; ++k)
      b.add("instruction-descriptor", fields[k].name,
            b.withChanged(index, "b32", "xor.b32",
                          static_cast<int64_t>(((1u << fields[k].width) - 1)
                                               << fields[k].bit)));
  };
  if (b.statement->has("block_scale"))
    addFields(scaled, sizeof(scaled) / sizeof(scaled[0]));
  else
    addFields(plain, sizeof(plain) / sizeof(plain[0]));
}

/// The leading offset is read without a swizzle, and for transposed operands.
static std::string leadingIsRead(Builder &b, size_t operand, unsigned shift,
                                 const std::string &instruction,
                                 unsigned transposeBit) {
  const Statement &s = *b.statement;
  std::string setUp = ".reg .b64 %bsmm_d; .reg .b32 %bsmm_i; shr.u64 "
                      "%bsmm_d, " +
                      s.operands[operand] + ", " + std::to_string(shift) +
                      "; cvt.u32.u64 %bsmm_i, %bsmm_d; ";
  if (instruction.empty())
    return b.trapWhere(setUp, "setp.eq.b32", "%bsmm_i, 0");
  setUp += ".reg .b32 %bsmm_t; shr.u32 %bsmm_t, " + instruction + ", " +
           std::to_string(transposeBit) +
           "; and.b32 %bsmm_t, %bsmm_t, 1; .reg .pred %bsmm_r; "
           "setp.ne.b32 %bsmm_r, %bsmm_t, 0; selp.b32 %bsmm_i, 0, %bsmm_i, "
           "%bsmm_r; ";
  return b.trapWhere(setUp, "setp.eq.b32", "%bsmm_i, 0");
}

static void addTensorMma(Builder &b) {
  const Statement &s = *b.statement;
  if (s.operands.size() < 5)
    return;
  bool scaled = s.has("block_scale");
  addAddressMutant(b, "accumulator-column", "", 0, 1);
  for (size_t k = 1; k <= 2; ++k) {
    std::string name = k == 1 ? "a" : "b";
    if (s.operands[k].front() == '[') {
      addAddressMutant(b, "tensor-column", name, k, 1);
      continue;
    }
    addMatrixDescriptor(
        b, k, name, false, true, true,
        {leadingIsRead(b, k, 61, s.operands[3], k == 1 ? 15 : 16)});
  }
  if (s.operands[1].front() != '[') {
    Statement exchanged = s;
    std::swap(exchanged.operands[1], exchanged.operands[2]);
    b.add("exchange-operands", "", exchanged.text());
  }
  addInstructionDescriptor(b, 3);
  if (scaled && s.operands.size() >= 7) {
    addAddressMutant(b, "scale-column", "a", 4, 1);
    addAddressMutant(b, "scale-column", "b", 5, 1);
    Statement exchanged = s;
    std::swap(exchanged.operands[4], exchanged.operands[5]);
    b.add("exchange-scales", "", exchanged.text());
    addPredicateOperand(b, "accumulate", 6);
  } else {
    size_t enable = s.operands[4].front() == '{' ? 5 : 4;
    if (enable < s.operands.size())
      addPredicateOperand(b, "accumulate", enable);
  }
}

static void addWgmma(Builder &b) {
  const Statement &s = *b.statement;
  if (s.operands.size() < 6)
    return;
  for (size_t k = 1; k <= 2; ++k) {
    if (s.operands[k].front() == '{')
      continue;
    // 8-bit types are K-major always; others say so behind the signs.
    bool transposed = s.operands.size() > 5 + k && s.operands[5 + k] == "1";
    std::vector<std::string> conditions;
    if (!transposed)
      conditions.push_back(leadingIsRead(b, k, 62, "", 0));
    addMatrixDescriptor(b, k, k == 1 ? "a" : "b", true, true, true, conditions);
  }
  if (s.operands[1].front() != '{') {
    Statement exchanged = s;
    std::swap(exchanged.operands[1], exchanged.operands[2]);
    b.add("exchange-operands", "", exchanged.text());
  }
  addPredicateOperand(b, "accumulate", 3);
  for (size_t k = 4; k <= 5; ++k)
    b.add("negate-operand", k == 4 ? "a" : "b",
          s.withOperand(k, s.operands[k] == "1" ? "-1" : "1"));
}

static void addScaleSelector(Builder &b, size_t index, const char *name,
                             int threads) {
  const Statement &s = *b.statement;
  if (index >= s.operands.size() || s.operands[index].front() != '{')
    return;
  std::string inner = s.operands[index].substr(1, s.operands[index].size() - 2);
  size_t comma = inner.find(',');
  if (comma == std::string::npos)
    return;
  auto literal = [](std::string text, int64_t &value) {
    size_t from = text.find_first_not_of(" \t");
    size_t to = text.find_last_not_of(" \t");
    return from != std::string::npos &&
           isInteger(text.substr(from, to - from + 1), value);
  };
  int64_t byte, thread;
  if (!literal(inner.substr(0, comma), byte) ||
      !literal(inner.substr(comma + 1), thread))
    return;
  auto pair = [](int64_t first, int64_t second) {
    return "{" + std::to_string(first) + ", " + std::to_string(second) + "}";
  };
  bool two = s.has("scale_vec::2X"), four = s.has("scale_vec::4X");
  if (!four)
    b.add("scale-byte", name,
          s.withOperand(index, pair(two ? byte ^ 2 : (byte + 1) % 4, thread)));
  // Where the threads of the quad that may be meant hold different scales.
  const std::string &scale = s.operands[index - 1];
  std::string setUp = ".reg .b32 %bsmm_s, %bsmm_u; shfl.sync.bfly.b32 "
                      "%bsmm_s, " +
                      scale + ", 2, 31, -1; xor.b32 %bsmm_s, %bsmm_s, " +
                      scale + "; ";
  if (threads == 4)
    setUp += "shfl.sync.bfly.b32 %bsmm_u, " + scale +
             ", 1, 31, -1; xor.b32 %bsmm_u, %bsmm_u, " + scale +
             "; or.b32 %bsmm_s, %bsmm_s, %bsmm_u; ";
  b.add("scale-thread", name,
        s.withOperand(index, pair(byte, (thread + 1) % threads)),
        {b.trapWhere(setUp, "setp.ne.b32", "%bsmm_s, 0")});
}

static void addTensorCopy(Builder &b) {
  const Statement &s = *b.statement;
  bool isLoad = s.has("mbarrier::complete_tx::bytes");
  size_t map = isLoad ? 1 : 0, shared = isLoad ? 0 : 1;
  if (s.operands.size() < 2)
    return;
  const std::string &operand = s.operands[map];
  size_t open = operand.find('{'), close = operand.find('}');
  if (open != std::string::npos && close != std::string::npos) {
    std::vector<std::pair<size_t, size_t>> places; // begin, end
    size_t from = open + 1;
    while (from <= close) {
      size_t to = std::min(operand.find(',', from), close);
      places.push_back({from, to});
      from = to + 1;
    }
    for (size_t k = 0; k < places.size(); ++k) {
      std::string old =
          operand.substr(places[k].first, places[k].second - places[k].first);
      std::string changed = operand;
      changed.replace(places[k].first, places[k].second - places[k].first,
                      "%bsmm_m");
      b.add("coordinate", "dim" + std::to_string(k),
            s.withSetUp(".reg .b32 %bsmm_m; add.s32 %bsmm_m, " + old + ", " +
                            (k == 0 ? "32" : "1") + ";",
                        s.withOperand(map, changed)));
      if (k == 0)
        continue;
      std::string before = operand.substr(
          places[k - 1].first, places[k - 1].second - places[k - 1].first);
      std::string exchanged = operand;
      exchanged.replace(places[k].first, places[k].second - places[k].first,
                        before);
      exchanged.replace(places[k - 1].first,
                        places[k - 1].second - places[k - 1].first, old);
      b.add("exchange-coordinates",
            "dim" + std::to_string(k - 1) + "-dim" + std::to_string(k),
            s.withOperand(map, exchanged),
            {b.trapWhere("", "setp.ne.b32", before + ", " + old)});
    }
  }
  addAddressMutant(b, "copy-address", "", shared, 1024);
}

static void addMulticast(Builder &b, size_t index) {
  if (index >= b.statement->operands.size())
    return;
  for (int bit = 0; bit < 2; ++bit)
    b.add("multicast-mask", "bit" + std::to_string(bit),
          b.withChanged(index, "b16", "xor.b16", 1 << bit));
}

void addLayoutMutants(Builder &b) {
  const Statement &s = *b.statement;
  if (s.isA("tcgen05.mma")) {
    addTensorMma(b);
    return;
  }
  if (s.isA("wgmma.mma_async")) {
    addWgmma(b);
    return;
  }
  if (s.isA("tcgen05.cp") && s.operands.size() == 2) {
    addAddressMutant(b, "tensor-column", "", 0, 1);
    addAddressMutant(b, "tensor-lane", "", 0, 32 << 16);
    // Rows of 16 bytes are one core matrix wide: nothing leads anywhere.
    // Copies run with either value of the constant.
    addMatrixDescriptor(b, 1, "source", false,
                        s.has("128x256b") || s.has("4x256b"), false, {});
    return;
  }
  if (s.isA("tcgen05.ld") || s.isA("tcgen05.st")) {
    size_t address = s.isA("tcgen05.ld") ? 1 : 0;
    if (address < s.operands.size()) {
      addAddressMutant(b, "tensor-column", "", address, 1);
      addAddressMutant(b, "tensor-lane", "", address, 32 << 16);
    }
    return;
  }
  if (s.isA("tcgen05.commit") && s.has("multicast::cluster")) {
    addMulticast(b, 1);
    return;
  }
  if (s.isA("mma.sync") && s.has("block_scale")) {
    addScaleSelector(b, 5, "a", 2);
    addScaleSelector(b, 7, "b", 4);
    return;
  }
  if (s.isA("cp.async.bulk.tensor") || s.isA("cp.reduce.async.bulk.tensor")) {
    addTensorCopy(b);
    if (s.has("multicast::cluster"))
      addMulticast(b, 3);
    return;
  }
  if (s.isA("cp.async.bulk.commit_group") || s.isA("cp.async.bulk.wait_group"))
    return;
  if ((s.isA("cp.async.bulk") || s.isA("cp.reduce.async.bulk")) &&
      s.operands.size() >= 3 && !s.has("prefetch")) {
    b.add("copy-bytes", "", b.withChanged(2, "b32", "add.s32", -16));
    return;
  }
  if ((s.isA("ldmatrix") || s.isA("stmatrix")) && s.operands.size() == 2) {
    addAddressMutant(b, "matrix-address", "",
                     s.operands[0].front() == '[' ? 0 : 1, 16);
    return;
  }
  if ((s.isA("ld.shared") || s.isA("st.shared")) && s.operands.size() == 2) {
    addAddressMutant(b, "shared-address", "", s.isA("ld.shared") ? 1 : 0, 16);
    return;
  }
  if (s.isA("mapa") && s.operands.size() == 3)
    b.add("cluster-rank", "", b.withChanged(2, "b32", "xor.b32", 1));
}

//===----------------------------------------------------------------------===//
// Tensor maps of the launch
//===----------------------------------------------------------------------===//

void addMapMutants(std::vector<Mutant> &mutants, const Launch &launch) {
  static const struct {
    units::TensorMapSwizzle mode;
    const char *name;
  } modes[] = {{units::TensorMapSwizzle::None, "none"},
               {units::TensorMapSwizzle::Bytes32, "32B"},
               {units::TensorMapSwizzle::Bytes64, "64B"},
               {units::TensorMapSwizzle::Bytes128, "128B"}};
  for (size_t p = 0; p < launch.parameters.size(); ++p) {
    const Parameter &parameter = launch.parameters[p];
    for (size_t k = 0; k < parameter.placements.size(); ++k) {
      const Parameter::Placement &placement = parameter.placements[k];
      if (placement.kind != Parameter::Placement::Kind::TensorMap)
        continue;
      const units::TensorMap &map = placement.map;
      std::string where = "param" + std::to_string(p);
      if (k != 0)
        where += "." + std::to_string(k);
      auto add = [&](const char *op, const std::string &detail,
                     MapChange::Field field, unsigned dim, uint64_t before,
                     uint64_t after) {
        Mutant m;
        m.operatorName = op;
        m.id = m.operatorName + ":0:" + where + "-" + detail;
        m.before = std::to_string(before);
        m.after = std::to_string(after);
        m.map = {field, p, k, dim, after};
        mutants.push_back(std::move(m));
      };
      for (const auto &mode : modes)
        if (mode.mode != map.swizzle)
          add("map-swizzle", mode.name, MapChange::Field::Swizzle, 0,
              static_cast<uint64_t>(map.swizzle),
              static_cast<uint64_t>(mode.mode));
      for (unsigned d = 0; d < map.rank; ++d) {
        std::string dim = "dim" + std::to_string(d);
        if (map.box[d] > 1)
          add("map-box", dim, MapChange::Field::Box, d, map.box[d],
              map.box[d] / 2);
        if (map.dims[d] > 1)
          add("map-dim", dim, MapChange::Field::Dim, d, map.dims[d],
              map.dims[d] / 2);
        if (d != 0 && map.dims[d] > 1)
          add("map-stride", dim, MapChange::Field::Stride, d, map.strides[d],
              map.strides[d] + 16);
        if (d != 0 && map.box[d] > 1)
          add("map-element-stride", dim, MapChange::Field::ElementStride, d,
              map.elementStrides[d], map.elementStrides[d] + 1);
      }
    }
  }
}

} // namespace bsmm::emulator::mutation
