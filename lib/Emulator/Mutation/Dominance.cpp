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
  for (const Statement &other : statements)
    if ((other.isA("bar") || other.isA("barrier")) && !other.operands.empty()) {
      int64_t number;
      if (other.isA("bar.warp.sync") || other.isA("barrier.cluster"))
        continue;
      if (!isInteger(other.operands[0], number) || number == 15)
        return "barrier 15 may be in use at line " + std::to_string(other.line);
    }
  if (survives({{s->begin, s->end, s->withOperand(0, Free)}}))
    return "";
  return "others take part by another instruction";
}

} // namespace bsmm::emulator::mutation
