//===- Dominance.cpp - Claims about the way of a survivor -------*- C++ -*-===//
//
// Claims that look at what comes before or after an instruction on every path,
// and those that count what a run did before it came there.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Flow.h"

#include "bsmm/Emulator/Mutation.h"

namespace bsmm::emulator::mutation {

//===----------------------------------------------------------------------===//
// The same comes next
//===----------------------------------------------------------------------===//

static bool isGlobalWrite(const Statement &s) {
  if (s.isA("st"))
    return !s.isA("st.shared") && !s.isA("st.local") && !s.isA("st.param") &&
           !s.isA("st.async");
  return (s.isA("atom") || s.isA("red")) && !s.has("shared") &&
         !s.has("shared::cta") && !s.has("shared::cluster");
}

static bool isGlobalRead(const Statement &s) {
  return s.isA("ld") && !s.isA("ld.shared") && !s.isA("ld.local") &&
         !s.isA("ld.param") && !s.isA("ld.const");
}

/// tcgen05.alloc, .dealloc and .relinquish_alloc_permit are not asynchronous,
/// and what tcgen05.commit tracks comes before it.
static bool isTensorAccess(const Statement &s) {
  return s.isA("tcgen05.mma") || s.isA("tcgen05.cp") ||
         s.isA("tcgen05.shift") || s.isA("tcgen05.ld") || s.isA("tcgen05.st");
}

static bool isCommit(const Statement &s) {
  return s.isA("cp.async.bulk.commit_group") ||
         s.isA("cp.async.commit_group") || s.isA("wgmma.commit_group");
}

/// A wait of the same kind as a commit that leaves groups: it counts them, and
/// two groups are not the same to it as one.
static const Statement *
findCountingWait(const std::vector<Statement> &statements,
                 const Statement &commit) {
  std::string wait =
      commit.opcode.substr(0, commit.opcode.find("commit_group")) +
      "wait_group";
  int64_t left;
  for (const Statement &s : statements)
    if (s.isA(wait.c_str()) &&
        (s.operands.empty() || !isInteger(s.operands[0], left) || left != 0))
      return &s;
  return nullptr;
}

static std::string leavesGroups(const Statement &wait) {
  return wait.opcode + " of line " + std::to_string(wait.line) +
         " leaves groups";
}

/// Does `other` order at least what `s` orders, when both are executed?
static bool ordersAsMuch(const Statement &s, const Statement &other) {
  if (!other.predicate.empty() && other.predicate != s.predicate)
    return false;
  if (s.opcode == other.opcode && s.operands == other.operands)
    return true;
  // A barrier of the whole CTA is one of its warps as well.
  return s.isA("bar.warp.sync") && other.operands.size() == 1 &&
         (other.isA("bar.sync") || other.isA("barrier.sync") ||
          other.isA("barrier.cta.sync"));
}

/// The same synchronisation comes next on every path that does not end, or came
/// last on every path. Only accesses in between could miss it, and these are of
/// kinds whose order the emulator checks: it found none without one.
std::string Reasons::checkDominated(const Mutant &survivor,
                                    std::vector<uint32_t> &lines) const {
  const Statement *s = statementOf(survivor);
  if (s == nullptr || !isDeletion(survivor) || flow == nullptr)
    return "it deletes no instruction";
  bool before = s->opcode == "tcgen05.fence::before_thread_sync";
  bool after = !before && s->isA("tcgen05.fence");
  bool isBarrier = s->isA("bar") || s->isA("barrier");
  bool known = isBarrier || s->isA("fence") || s->isA("membar") ||
               s->isA("wgmma.fence") || s->isA("tcgen05.wait") || before ||
               after || s->isA("cp.async.bulk.wait_group") ||
               s->isA("cp.async.wait_group") || s->isA("wgmma.wait_group") ||
               isCommit(*s);
  if (!known || s->isA("barrier.cluster"))
    return "it is no barrier, fence, or wait for or commit of a group";
  if (isCommit(*s))
    if (const Statement *wait = findCountingWait(statements, *s))
      return leavesGroups(*wait);
  bool writesGlobal = false;
  for (const Statement &statement : statements)
    writesGlobal |= isGlobalWrite(statement);
  std::string failure;
  for (auto direction : {Flow::Direction::Forward, Flow::Direction::Backward}) {
    // What a fence is for lies on one side of it.
    if ((before && direction == Flow::Direction::Forward) ||
        ((after || isCommit(*s)) && direction == Flow::Direction::Backward))
      continue;
    FlowRegion region =
        flow->search(s->begin, direction, [&](const Statement &other) {
          return ordersAsMuch(*s, other);
        });
    std::string hindrance;
    for (const Statement *between : region.between) {
      bool hinders = between->isA("call");
      // The emulator doesn't check the order of accesses of global memory.
      if (isBarrier || s->isA("fence") || s->isA("membar"))
        hinders |=
            isGlobalWrite(*between) || (writesGlobal && isGlobalRead(*between));
      // tcgen05.commit is such a fence for what it tracks.
      if (before)
        hinders |= between->isA("tcgen05.ld") || between->isA("tcgen05.st");
      if (after)
        hinders |= isTensorAccess(*between);
      // One group or two is the same to what waits for all.
      if (isCommit(*s))
        hinders |= between->opcode.find("wait_") != std::string::npos;
      if (hinders)
        hindrance = between->opcode + " of line " +
                    std::to_string(between->line) + " lies in between";
    }
    if (hindrance.empty()) {
      lines.assign(region.stops.begin(), region.stops.end());
      return "";
    }
    failure = hindrance;
  }
  return failure;
}

//===----------------------------------------------------------------------===//
// Nothing is waited for
//===----------------------------------------------------------------------===//

/// No bulk store was issued before the wait for groups.
std::string Reasons::checkIdle(const Mutant &survivor) {
  const Statement *s = statementOf(survivor);
  if (s == nullptr || !s->isA("cp.async.bulk.wait_group"))
    return "it is no cp.async.bulk.wait_group";
  std::vector<Edit> edits = {
      {s->begin, s->end,
       "{ .reg .pred %bsmm_q; setp.ne.b32 %bsmm_q, %bsmm_stored, 0; "
       "@%bsmm_q trap; } " +
           s->text()}};
  for (const Statement &store : statements)
    if (store.has("bulk_group"))
      edits.push_back(
          {store.begin, store.end,
           store.text() + " " + store.predicate + "mov.b32 %bsmm_stored, 1;"});
  const Statement &first = statements.front();
  edits.push_back({first.begin, first.begin,
                   ".reg .b32 %bsmm_stored; mov.b32 %bsmm_stored, 0; "});
  return survives(edits) ? "" : "stores come before it";
}

/// The thread commits again before it waits or ends, and that takes the same
/// stores along. A wait for all groups then finds the same stores committed.
std::string Reasons::checkLaterCommit(const Mutant &survivor,
                                      std::vector<uint32_t> &lines) {
  const Statement *s = statementOf(survivor);
  if (s == nullptr || !isDeletion(survivor) || flow == nullptr ||
      !s->isA("cp.async.bulk.commit_group"))
    return "it deletes no cp.async.bulk.commit_group";
  if (const Statement *wait = findCountingWait(statements, *s))
    return leavesGroups(*wait);
  auto isEnd = [](const Statement &other) {
    return other.isA("ret") || other.isA("exit");
  };
  if (!isEnd(statements.back()) || !statements.back().predicate.empty())
    return "the text does not end with ret or exit";
  const std::string check = "{ .reg .pred %bsmm_q; "
                            "setp.ne.b32 %bsmm_q, %bsmm_open, 0; "
                            "@%bsmm_q trap; } ";
  std::vector<Edit> edits;
  for (const Statement &other : statements) {
    std::string text;
    if (&other == s)
      text = s->predicate + "mov.b32 %bsmm_open, 1;";
    else if (other.isA("cp.async.bulk.commit_group"))
      text = other.text() + " " + other.predicate + "mov.b32 %bsmm_open, 0;";
    else if (other.isA("cp.async.bulk.wait_group") || isEnd(other))
      text = check + other.text();
    else
      continue;
    edits.push_back({other.begin, other.end, std::move(text)});
  }
  // In another function the register has no name: the text is no PTX then.
  const Statement &first = statements.front();
  edits.push_back({first.begin, first.begin,
                   ".reg .b32 %bsmm_open; mov.b32 %bsmm_open, 0; "});
  if (!survives(edits))
    return "it waits or ends without another commit";
  // What takes them along is needed: a run notices when it is deleted too.
  FlowRegion region = flow->search(
      s->begin, Flow::Direction::Forward, [](const Statement &other) {
        return other.isA("cp.async.bulk.commit_group");
      });
  std::vector<Edit> all = {{survivor.begin, survivor.end, ""}};
  for (const Statement &other : statements)
    if (other.isA("cp.async.bulk.commit_group") &&
        region.stops.count(other.line) != 0)
      all.push_back({other.begin, other.end, ""});
  if (survives(all))
    return "without the next commits nothing is reported either";
  lines.assign(region.stops.begin(), region.stops.end());
  return "";
}

/// The accumulator of a wgmma.mma_async is zero before it.
std::string Reasons::checkZeros(const Mutant &survivor) {
  const Statement *s = statementOf(survivor);
  if (s == nullptr || !s->isA("wgmma.mma_async") ||
      survivor.operatorName != "accumulate" ||
      s->operands.front().front() != '{')
    return "it is no accumulator of wgmma.mma_async";
  std::string registers = s->operands.front();
  std::string check = "{ .reg .b32 %bsmm_m; .reg .pred %bsmm_q; "
                      "mov.b32 %bsmm_m, 0; ";
  for (size_t from = 1; from < registers.size();) {
    size_t to = registers.find_first_of(",}", from);
    check +=
        "or.b32 %bsmm_m, %bsmm_m, " + registers.substr(from, to - from) + "; ";
    from = to + 1;
  }
  check += "setp.ne.b32 %bsmm_q, %bsmm_m, 0; @%bsmm_q trap; } ";
  if (survives({{s->begin, s->end, check + s->text()}}))
    return "";
  return "the accumulator holds other values";
}

/// All threads of a named barrier execute this very instruction: any number
/// that is free does.
std::string Reasons::checkName(const Mutant &survivor) {
  const Statement *s = statementOf(survivor);
  if (s == nullptr || survivor.operatorName != "barrier-id")
    return "it is no number of a barrier";
  constexpr const char *Free = "15";
  std::vector<Edit> edits = {{s->begin, s->end, s->withOperand(0, Free)}};
  for (const Statement &other : statements) {
    if (&other == s || !(other.isA("bar") || other.isA("barrier")) ||
        other.operands.empty() || other.isA("bar.warp.sync") ||
        other.isA("barrier.cluster"))
      continue;
    int64_t number;
    if (!isInteger(other.operands[0], number))
      // A number in a register, perhaps one for each warpgroup.
      edits.push_back({other.begin, other.end,
                       "{ .reg .pred %bsmm_q; setp.eq.u32 %bsmm_q, " +
                           other.operands[0] + ", " + Free +
                           "; @%bsmm_q trap; } " + other.text()});
    else if (number == 15)
      return "barrier 15 is in use at line " + std::to_string(other.line);
  }
  if (survives(edits))
    return "";
  return "others take part by another instruction";
}

} // namespace bsmm::emulator::mutation
