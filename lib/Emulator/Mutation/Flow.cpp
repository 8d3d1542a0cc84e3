//===- Flow.cpp - What comes next on every path -----------------*- C++ -*-===//

#include "Flow.h"

#include "../Code.h"

#include <unordered_map>

namespace bsmm::emulator::mutation {

Flow::Flow(const Program &program, const std::vector<Statement> &statements) {
  const CompiledModule &module = program.compiled();
  const char *text = module.source->text.data();
  size_t count = module.code.size();
  successors.resize(count);
  predecessors.resize(count);
  statementAt.resize(count, nullptr);
  ends.resize(count, 0);
  begins.resize(count, 0);
  // The opcode's place names a statement; what an instruction was broken up
  // into shares it.
  std::unordered_map<size_t, const Statement *> byOpcode;
  for (const Statement &statement : statements)
    byOpcode[statement.begin + statement.predicateBytes] = &statement;
  for (const CompiledFunction &function : module.functions) {
    if (function.entryPc < function.endPc)
      begins[function.entryPc] = 1;
    for (uint32_t pc = function.entryPc; pc < function.endPc; ++pc) {
      const Inst &inst = module.code[pc];
      auto found =
          byOpcode.find(static_cast<size_t>(inst.opcode.data() - text));
      if (found != byOpcode.end())
        statementAt[pc] = found->second;
      bool goesOn = true;
      if (inst.fn == execBranch) {
        successors[pc].push_back(inst.target);
        goesOn = inst.pred != NoOperand;
      } else if (inst.fn == execBranchIndexed) {
        for (uint32_t k = 0; k < inst.listCount; ++k)
          successors[pc].push_back(module.lists[inst.list + k]);
        goesOn = inst.pred != NoOperand;
      } else if (inst.fn == execReturn || inst.fn == execExit ||
                 inst.fn == execTrap) {
        ends[pc] = 1;
        goesOn = inst.pred != NoOperand;
      }
      if (goesOn && pc + 1 < function.endPc)
        successors[pc].push_back(pc + 1);
      else if (goesOn)
        ends[pc] = 1;
    }
  }
  for (uint32_t pc = 0; pc < count; ++pc)
    for (uint32_t next : successors[pc])
      if (next < count)
        predecessors[next].push_back(pc);
}

FlowRegion
Flow::search(size_t begin, Direction direction,
             const std::function<bool(const Statement &)> &stops) const {
  FlowRegion region;
  bool forward = direction == Direction::Forward;
  const auto &next = forward ? successors : predecessors;
  std::vector<uint8_t> seen(next.size(), 0);
  std::vector<uint32_t> work;
  auto goOnFrom = [&](uint32_t pc) {
    region.reachesEnd |= (forward ? ends[pc] : begins[pc]) != 0;
    for (uint32_t to : next[pc])
      if (to < seen.size() && !seen[to]) {
        seen[to] = 1;
        work.push_back(to);
      }
  };
  for (uint32_t pc = 0; pc < statementAt.size(); ++pc)
    if (statementAt[pc] != nullptr && statementAt[pc]->begin == begin)
      goOnFrom(pc);
  std::set<const Statement *> between;
  while (!work.empty()) {
    uint32_t pc = work.back();
    work.pop_back();
    const Statement *statement = statementAt[pc];
    if (statement != nullptr && statement->begin != begin) {
      if (stops(*statement)) {
        region.stops.insert(statement->line);
        continue;
      }
      between.insert(statement);
    }
    goOnFrom(pc);
  }
  region.between.assign(between.begin(), between.end());
  return region;
}

} // namespace bsmm::emulator::mutation
