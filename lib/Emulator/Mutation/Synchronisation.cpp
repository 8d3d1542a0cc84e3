//===- Synchronisation.cpp - Mutants of waits, arrivals, fences -*- C++ -*-===//

#include "Builder.h"

namespace bsmm::emulator::mutation {

static bool isMbarrierWait(const Statement &s) {
  return (s.isA("mbarrier.try_wait") || s.isA("mbarrier.test_wait")) &&
         s.operands.size() >= 3;
}

static bool isArrive(const Statement &s) {
  return s.isA("mbarrier.arrive") || s.isA("mbarrier.arrive_drop");
}

static bool isBulkCopy(const Statement &s) {
  return (s.isA("cp.async.bulk") || s.isA("cp.reduce.async.bulk")) &&
         !s.isA("cp.async.bulk.commit_group") &&
         !s.isA("cp.async.bulk.wait_group") && !s.isA("cp.async.bulk.prefetch");
}

static bool isFence(const Statement &s) {
  return s.isA("fence") || s.isA("membar") || s.isA("tcgen05.fence") ||
         s.isA("wgmma.fence");
}

static bool isGroupWait(const Statement &s) {
  return s.isA("cp.async.bulk.wait_group") || s.isA("cp.async.wait_group") ||
         s.isA("wgmma.wait_group");
}

/// The index of the mbarrier operand, or -1.
static int mbarrierOperand(const Statement &s) {
  auto isAddress = [&](size_t k) {
    return k < s.operands.size() && s.operands[k].front() == '[';
  };
  int index = -1;
  if (isMbarrierWait(s))
    index = 1;
  else if (isArrive(s))
    index = isAddress(0) ? 0 : 1;
  else if (s.isA("mbarrier.expect_tx") || s.isA("tcgen05.commit") ||
           s.isA("cp.async.mbarrier.arrive"))
    index = 0;
  else if (isBulkCopy(s) && s.has("mbarrier::complete_tx::bytes"))
    index = s.isA("cp.async.bulk.tensor") ? 2 : 3;
  else if (s.isA("clusterlaunchcontrol.try_cancel"))
    index = 1;
  if (index < 0 || !isAddress(static_cast<size_t>(index)))
    return -1;
  return index;
}

static void addBarriers(Builder &b) {
  const Statement &s = *b.statement;
  if (s.isA("bar.warp.sync")) {
    b.add("delete-warp-barrier", "", "");
    return;
  }
  if (s.isA("barrier.cluster")) {
    b.add("delete-cluster-barrier", "", "");
    if (s.isA("barrier.cluster.arrive") && !s.has("relaxed")) {
      std::string opcode = s.opcode;
      if (size_t at = opcode.find(".release"); at != std::string::npos)
        opcode.replace(at, 8, ".relaxed");
      else
        opcode.insert(22, ".relaxed"); // behind "barrier.cluster.arrive"
      b.add("relax-cluster-barrier", "", s.withOpcode(opcode));
    }
    return;
  }
  if (!s.isA("bar") && !s.isA("barrier"))
    return;
  if (!s.has("red"))
    b.add("delete-barrier", "", "");
  if (s.operands.size() == 2) {
    // Another number matters where only some threads take part.
    int64_t value;
    if (isInteger(s.operands[0], value))
      b.add("barrier-id", "", s.withOperand(0, value == 0 ? "1" : "0"));
    b.add("barrier-count", "plus32", b.withChanged(1, "b32", "add.s32", 32));
    b.add("barrier-count", "minus32", b.withChanged(1, "b32", "add.s32", -32));
  }
}

static void addWaits(Builder &b) {
  const Statement &s = *b.statement;
  if (isMbarrierWait(s)) {
    b.add("delete-wait", "",
          s.predicate + "setp.eq.u32 " + s.operands[0] + ", 0, 0;");
    if (s.has("parity")) {
      b.add("flip-parity", "", b.withChanged(2, "b32", "xor.b32", 1));
      int64_t literal;
      if (!isInteger(s.operands[2], literal))
        b.add("hold-parity", "", s.withOperand(2, "0"),
              {b.trapWhere("", "setp.ne.b32", s.operands[2] + ", 0"),
               b.trapWhere("", "setp.eq.b32", s.operands[2] + ", 0")});
    }
    std::string opcode = s.opcode;
    if (size_t at = opcode.find(".acquire"); at != std::string::npos) {
      opcode.replace(at, 8, ".relaxed");
    } else if (s.has("relaxed")) {
      opcode.clear();
    } else {
      size_t behind = opcode.find("_wait") + 5;
      if (opcode.compare(behind, 7, ".parity") == 0)
        behind += 7;
      opcode.insert(behind, ".relaxed.cta");
    }
    if (!opcode.empty())
      b.add("relax-wait", "", s.withOpcode(opcode));
    return;
  }
  if (isGroupWait(s)) {
    b.add("delete-wait", "", "");
    b.add("wait-count", "", b.withChanged(0, "b32", "add.s32", 1));
    if (s.isA("cp.async.bulk.wait_group") && !s.has("read"))
      b.add("wait-read-only", "",
            s.withOpcode("cp.async.bulk.wait_group.read"));
    return;
  }
  if (s.isA("cp.async.wait_all") || s.isA("tcgen05.wait") ||
      s.isA("griddepcontrol.wait"))
    b.add("delete-wait", "", "");
}

static void addArrivals(Builder &b) {
  const Statement &s = *b.statement;
  if (isArrive(s)) {
    size_t address = s.operands[0].front() == '[' ? 0 : 1;
    bool hasState = address == 1 && s.operands[0] != "_";
    b.add("delete-arrive", "",
          hasState ? s.predicate + "mov.b64 " + s.operands[0] + ", 0;" : "");
    if (s.has("expect_tx")) {
      Statement plain = s;
      plain.opcode.erase(plain.opcode.find(".expect_tx"), 10);
      plain.operands.resize(address + 1);
      b.add("drop-bytes", "", plain.text());
      b.add("bytes", "plus16",
            b.withChanged(address + 1, "b32", "add.s32", 16));
      b.add("bytes", "minus16",
            b.withChanged(address + 1, "b32", "add.s32", -16));
      return;
    }
    if (s.operands.size() > address + 1) {
      b.add("arrive-count", "",
            b.withChanged(address + 1, "b32", "add.s32", 1));
    } else {
      Statement two = s;
      two.operands.push_back("2");
      b.add("arrive-count", "", two.text());
    }
    // The arrival of an expect_tx publishes nothing that its thread did.
    if (!s.has("relaxed")) {
      std::string opcode = s.opcode;
      if (size_t at = opcode.find(".release"); at != std::string::npos)
        opcode.replace(at, 8, ".relaxed");
      else
        opcode.insert(s.isA("mbarrier.arrive_drop") ? 20 : 15, ".relaxed.cta");
      b.add("relax-arrive", "", s.withOpcode(opcode));
    }
    return;
  }
  if (s.isA("mbarrier.expect_tx")) {
    b.add("drop-bytes", "", "");
    b.add("bytes", "plus16", b.withChanged(1, "b32", "add.s32", 16));
    b.add("bytes", "minus16", b.withChanged(1, "b32", "add.s32", -16));
    return;
  }
  if (s.isA("cp.async.mbarrier.arrive")) {
    b.add("delete-arrive", "", "");
    return;
  }
  if (s.isA("mbarrier.init")) {
    b.add("delete-init", "", "");
    b.add("init-count", "plus1", b.withChanged(1, "b32", "add.s32", 1));
    b.add("init-count", "minus1", b.withChanged(1, "b32", "add.s32", -1),
          {b.trapWhere("", "setp.gt.u32", s.operands[1] + ", 1")});
    return;
  }
  if (s.isA("mbarrier.inval")) {
    b.add("delete-inval", "", "");
    return;
  }
  if (s.isA("tcgen05.commit") || s.isA("wgmma.commit_group") ||
      s.isA("cp.async.bulk.commit_group") || s.isA("cp.async.commit_group"))
    b.add("delete-commit", "", "");
}

void addSynchronisationMutants(Builder &b) {
  const Statement &s = *b.statement;
  addBarriers(b);
  if (isFence(s))
    b.add("delete-fence", "", "");
  addWaits(b);
  addArrivals(b);
  if (int index = mbarrierOperand(s); index >= 0) {
    size_t operand = static_cast<size_t>(index);
    std::string next = addToAddress(s.operands[operand], 8);
    if (!next.empty())
      b.add("barrier-address", "", s.withOperand(operand, next));
  }
  if (s.isA("tcgen05.alloc") || s.isA("tcgen05.dealloc") ||
      s.isA("tcgen05.relinquish_alloc_permit"))
    b.add("delete-allocation", "", "");
  if (s.isA("tcgen05.alloc")) {
    int64_t columns;
    if (isInteger(s.operands[1], columns))
      b.add("allocation-columns", "",
            s.withOperand(1, std::to_string(columns / 2)));
    else
      b.add("allocation-columns", "", b.withChanged(1, "b32", "shr.u32", 1));
  }
  if (isBulkCopy(s) || s.isA("cp.async.ca") || s.isA("cp.async.cg") ||
      s.isA("tcgen05.cp"))
    b.add("delete-copy", "", "");
  if (s.isA("tcgen05.ld") || s.isA("tcgen05.st") || s.isA("tcgen05.shift"))
    b.add("delete-tensor-access", "", "");
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

void addPredicateMutants(Builder &b) {
  const Statement &s = *b.statement;
  if (s.isA("elect.sync") && !s.operands.empty()) {
    size_t bar = s.operands[0].find('|');
    if (bar != std::string::npos) {
      size_t from = s.operands[0].find_first_not_of(" \t", bar + 1);
      std::string elected = s.operands[0].substr(from);
      b.add("elect-all", "", s.text() + " setp.eq.u32 " + elected + ", 0, 0;");
      b.add("elect-none", "", s.text() + " setp.ne.u32 " + elected + ", 0, 0;");
    }
  }
  bool synchronises = s.isA("mbarrier") || s.isA("cp.async") ||
                      s.isA("cp.reduce") || s.isA("tcgen05") ||
                      s.isA("wgmma") || s.isA("bar") || s.isA("barrier") ||
                      isFence(s) || s.isA("clusterlaunchcontrol");
  if (!synchronises || s.predicate.empty())
    return;
  bool negated = s.predicate.compare(0, 2, "@!") == 0;
  std::string name = s.predicate.substr(negated ? 2 : 1);
  std::string contrary = (negated ? "@" : "@!") + name;
  // A fence or wait of more threads, or a group of those without copies, adds
  // nothing.
  bool harmless = isFence(s) || isGroupWait(s) || isMbarrierWait(s) ||
                  s.isA("tcgen05.wait") ||
                  s.isA("cp.async.bulk.commit_group") ||
                  s.isA("cp.async.commit_group");
  if (!harmless) {
    Statement all = s;
    all.predicate.clear();
    b.add("drop-predicate", "", all.text(), {contrary + "trap; " + s.text()});
  }
  Statement others = s;
  others.predicate = contrary;
  b.add("negate-predicate", "", others.text());
}

} // namespace bsmm::emulator::mutation
