//===- Operators.cpp - All mutants of a case --------------------*- C++ -*-===//

#include "Builder.h"

#include <algorithm>

namespace bsmm::emulator::mutation {

const std::vector<OperatorInfo> &operators() {
  static const std::vector<OperatorInfo> list = {
      {"delete-barrier", "bar.sync, bar.arrive, bar.red, barrier"},
      {"delete-warp-barrier", "bar.warp.sync"},
      {"delete-cluster-barrier", "barrier.cluster.arrive or .wait"},
      {"relax-cluster-barrier", "barrier.cluster.arrive becomes .relaxed"},
      {"barrier-id", "bar with a thread count: barrier 0, or 1 instead of 0"},
      {"barrier-count", "32 threads more or fewer"},
      {"delete-fence", "fence, membar, tcgen05.fence, wgmma.fence"},
      {"delete-wait", "mbarrier waits succeed at once; wait_group, "
                      "tcgen05.wait, griddepcontrol.wait vanish"},
      {"wait-count", "wait_group leaves one group more"},
      {"wait-read-only", "a bulk wait_group becomes .read"},
      {"flip-parity", "an mbarrier wait asks for the other parity"},
      {"hold-parity", "... for parity 0 always"},
      {"relax-wait", "an mbarrier wait becomes .relaxed"},
      {"relax-arrive", "an mbarrier arrival becomes .relaxed"},
      {"barrier-address", "an mbarrier operand plus 8 bytes"},
      {"delete-arrive", "mbarrier.arrive, cp.async.mbarrier.arrive"},
      {"arrive-count", "one arrival more"},
      {"drop-bytes", "an arrival without its expect_tx"},
      {"bytes", "expect_tx of 16 bytes more or fewer"},
      {"delete-init", "mbarrier.init"},
      {"init-count", "one expected arrival more or fewer"},
      {"delete-inval", "mbarrier.inval"},
      {"delete-commit", "tcgen05.commit, commit_group"},
      {"delete-allocation", "tcgen05.alloc, .dealloc, "
                            ".relinquish_alloc_permit"},
      {"allocation-columns", "half the columns of tcgen05.alloc"},
      {"delete-copy", "bulk copies, cp.async, tcgen05.cp"},
      {"delete-tensor-access", "tcgen05.ld, .st, .shift"},
      {"drop-predicate", "all lanes execute it; not for waits and fences"},
      {"negate-predicate", "the other lanes execute it"},
      {"elect-all", "elect.sync elects every lane"},
      {"elect-none", "elect.sync elects no lane"},
      {"descriptor-start", "matrix descriptor: start plus 32 bytes"},
      {"descriptor-stride", "... stride offset plus 128 bytes"},
      {"descriptor-leading", "... leading offset plus 16 bytes, where read"},
      {"descriptor-swizzle", "... each bit of the swizzle mode"},
      {"descriptor-base", "... base offset"},
      {"descriptor-constant", "... the constant in bits 46-48"},
      {"instruction-descriptor", "each field of it, scale ids included"},
      {"exchange-operands", "the descriptors of A and B change places"},
      {"exchange-scales", "the scales of A and B change places"},
      {"accumulate", "the accumulator is read or not: the contrary"},
      {"negate-operand", "wgmma's A or B is negated"},
      {"accumulator-column", "the accumulator one column further"},
      {"scale-column", "the scales one column further"},
      {"tensor-column", "tcgen05.ld, .st, .cp one column further"},
      {"tensor-lane", "tcgen05.ld, .st, .cp 32 lanes further"},
      {"scale-byte", "mma.sync: another byte of the scale register"},
      {"scale-thread", "mma.sync: another thread's scale register"},
      {"coordinate", "each coordinate of a tensor copy: 32 elements further "
                     "(dimension 0) or 1"},
      {"exchange-coordinates", "two neighbouring coordinates change places, "
                               "where they differ"},
      {"copy-address", "a copy's shared memory address plus 1024 bytes"},
      {"copy-bytes", "a plain bulk copy of 16 bytes less"},
      {"multicast-mask", "each of the mask's low two bits"},
      {"matrix-address", "ldmatrix, stmatrix 16 bytes further"},
      {"shared-address", "ld.shared, st.shared 16 bytes further"},
      {"cluster-rank", "mapa of the neighbour"},
      {"map-swizzle", "tensor map: each other swizzle mode"},
      {"map-box", "tensor map: half the box along a dimension"},
      {"map-dim", "tensor map: half the extent of a dimension"},
      {"map-stride", "tensor map: a stride plus 16 bytes"},
      {"map-element-stride", "tensor map: every other element of a dimension"},
  };
  return list;
}

//===----------------------------------------------------------------------===//
// Builder
//===----------------------------------------------------------------------===//

void Builder::add(const char *operatorName, const std::string &detail,
                  const std::string &replacement,
                  std::vector<std::string> conditions) {
  const Statement &s = *statement;
  Mutant m;
  m.operatorName = operatorName;
  m.id = m.operatorName + ":" + std::to_string(s.line);
  if (s.onLine != 0)
    m.id += "#" + std::to_string(s.onLine);
  if (!detail.empty())
    m.id += ":" + detail;
  m.line = s.line;
  m.before = s.text();
  m.after = replacement;
  m.begin = s.begin;
  m.end = s.end;
  m.replacement = replacement;
  m.conditions = std::move(conditions);
  m.predicate = s.predicate;
  mutants.push_back(std::move(m));
}

std::string Builder::withChanged(size_t index, const char *type,
                                 const char *operation, int64_t value) const {
  const std::string &old = statement->operands[index];
  int64_t literal;
  std::string name = operation;
  if (isInteger(old, literal)) {
    if (name.compare(0, 3, "add") == 0)
      return statement->withOperand(index, std::to_string(literal + value));
    if (name.compare(0, 3, "xor") == 0)
      return statement->withOperand(index, std::to_string(literal ^ value));
  }
  return statement->withSetUp(std::string(".reg .") + type + " %bsmm_m; " +
                                  operation + " %bsmm_m, " + old + ", " +
                                  std::to_string(value) + ";",
                              statement->withOperand(index, "%bsmm_m"));
}

std::string Builder::trapWhere(const std::string &setUp,
                               const std::string &compare,
                               const std::string &operands) const {
  return statement->withSetUp(".reg .pred %bsmm_q; " + setUp +
                                  " setp.ne.b32 %bsmm_q, 0, 0; " +
                                  statement->predicate + compare +
                                  " %bsmm_q, " + operands + "; @%bsmm_q trap;",
                              statement->text());
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

std::vector<Mutant> enumerate(const LaunchFile &file, const Program &program) {
  std::vector<Mutant> mutants;
  std::vector<Statement> statements = collectStatements(file.ptx, program);
  std::stable_sort(
      statements.begin(), statements.end(),
      [](const Statement &a, const Statement &b) { return a.begin < b.begin; });
  Builder builder(mutants);
  for (const Statement &statement : statements) {
    builder.statement = &statement;
    addSynchronisationMutants(builder);
    addPredicateMutants(builder);
    addLayoutMutants(builder);
  }
  addMapMutants(mutants, file.launch);
  return mutants;
}

std::string mutatedText(const std::string &ptx, const Mutant &mutant) {
  if (mutant.map.field != MapChange::Field::None)
    return ptx;
  std::string text = ptx;
  text.replace(mutant.begin, mutant.end - mutant.begin, mutant.replacement);
  return text;
}

static bool matchesOne(const char *pattern, const char *text) {
  for (; *pattern != '\0'; ++pattern, ++text) {
    if (*pattern == '*') {
      while (*pattern == '*')
        ++pattern;
      if (*pattern == '\0')
        return true;
      for (; *text != '\0'; ++text)
        if (matchesOne(pattern, text))
          return true;
      return false;
    }
    if (*pattern != *text)
      return false;
  }
  return *text == '\0';
}

bool matches(const std::string &patterns, const std::string &text) {
  size_t from = 0;
  while (from <= patterns.size()) {
    size_t comma = std::min(patterns.find(',', from), patterns.size());
    if (matchesOne(patterns.substr(from, comma - from).c_str(), text.c_str()))
      return true;
    from = comma + 1;
  }
  return false;
}

} // namespace bsmm::emulator::mutation
