//===- Reasons.cpp - Why a survivor computes the same -----------*- C++ -*-===//
//
// Every kind of reason is a claim about the kernel that more runs can refute.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Flow.h"

#include "bsmm/Emulator/Mutation.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace bsmm::emulator::mutation {

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool readReasonFile(const std::string &path, const std::string &caseName,
                           std::vector<Reason> &reasons, std::string &error) {
  auto fail = [&](const std::string &message) {
    error = path + ": " + message;
    return false;
  };
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (file == nullptr)
    return fail("cannot be read");
  std::string text;
  char chunk[4096];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof(chunk), file)) != 0)
    text.append(chunk, got);
  std::fclose(file);
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  auto take = [](const nlohmann::json &from, const char *key,
                 std::string &value) {
    if (!from.is_object() || !from.contains(key) || !from[key].is_string())
      return false;
    value = from[key].get<std::string>();
    return !value.empty();
  };
  std::string schema, cases;
  if (!take(json, "schema", schema) || schema != "bsmm.mutation.reasons/1")
    return fail("expected an object with schema 'bsmm.mutation.reasons/1'");
  if (!take(json, "cases", cases))
    return fail("expected a pattern 'cases'");
  if (!json.contains("reasons") || !json["reasons"].is_array())
    return fail("expected a list 'reasons'");
  if (!matches(cases, caseName))
    return true;
  for (const nlohmann::json &entry : json["reasons"]) {
    Reason reason;
    reason.path = path;
    if (!take(entry, "ids", reason.ids) || !take(entry, "kind", reason.kind) ||
        !take(entry, "why", reason.why))
      return fail("a reason needs 'ids', 'kind' and 'why'");
    reason.namesOne = reason.ids.find_first_of("*,") == std::string::npos &&
                      cases.find_first_of("*,") == std::string::npos;
    if (entry.contains("lines")) {
      if (!entry["lines"].is_array())
        return fail("'lines' of " + reason.ids + " must be a list of lines");
      for (const nlohmann::json &line : entry["lines"]) {
        if (!line.is_number_unsigned())
          return fail("'lines' of " + reason.ids + " must be a list of lines");
        reason.lines.push_back(line.get<uint32_t>());
      }
    }
    reasons.push_back(std::move(reason));
  }
  return true;
}

bool readReasons(const std::string &folder, const std::string &caseName,
                 std::vector<Reason> &reasons, std::string &error) {
  std::vector<std::string> paths;
  std::error_code code;
  for (std::filesystem::directory_iterator it(folder, code), end;
       !code && it != end; it.increment(code))
    if (it->path().extension() == ".json")
      paths.push_back(it->path().string());
  if (code) {
    error = folder + ": " + code.message();
    return false;
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    if (!readReasonFile(path, caseName, reasons, error))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

Reasons::Reasons(const std::vector<Reason> &reasons, const std::string &ptx,
                 const std::vector<Mutant> &all,
                 std::vector<const Mutant *> survivors, Judge &judge)
    : reasons(reasons), ptx(ptx), all(all), survivors(std::move(survivors)),
      judge(judge) {
  if (LoadResult loaded = loadProgram(ptx); loaded.program) {
    statements = collectStatements(ptx, *loaded.program);
    flow = std::make_unique<Flow>(*loaded.program, statements);
  }
}

Reasons::~Reasons() = default;

bool isDeletion(const Mutant &mutant) {
  return mutant.operatorName.compare(0, 7, "delete-") == 0;
}

const Statement *Reasons::statementOf(const Mutant &mutant) const {
  for (const Statement &statement : statements)
    if (statement.begin == mutant.begin)
      return &statement;
  return nullptr;
}

std::string Reasons::textWith(std::vector<Edit> edits) const {
  std::stable_sort(
      edits.begin(), edits.end(),
      [](const Edit &a, const Edit &b) { return a.begin > b.begin; });
  std::string text = ptx;
  size_t last = std::string::npos;
  for (const Edit &edit : edits) {
    if (edit.begin == last)
      continue; // the first change of a place counts
    last = edit.begin;
    text.replace(edit.begin, edit.end - edit.begin, edit.text);
  }
  return text;
}

bool Reasons::survives(const std::vector<Edit> &edits) {
  std::string text = textWith(edits);
  auto found = known.find(text);
  if (found == known.end())
    found =
        known.emplace(text, judge.judgeText(text).outcome == Outcome::Survived)
            .first;
  return found->second;
}

/// Does a run with `edits` and `more` report something that none with `edits`
/// alone reports?
bool Reasons::addsFaults(const std::vector<Edit> &edits, const Edit &more) {
  auto faultsOf = [&](const std::vector<Edit> &of) -> const auto & {
    std::string text = textWith(of);
    auto found = knownFaults.find(text);
    if (found == knownFaults.end())
      found = knownFaults.emplace(text, judge.faults(text)).first;
    return found->second;
  };
  std::vector<Edit> both = {more};
  both.insert(both.end(), edits.begin(), edits.end());
  const std::set<std::string> &with = faultsOf(both);
  const std::set<std::string> &without = faultsOf(edits);
  return !std::includes(without.begin(), without.end(), with.begin(),
                        with.end());
}

/// What deletes the instruction at `line`: a mutant, or else nothing in its
/// place.
bool Reasons::deletionAt(uint32_t line, Edit &edit) const {
  for (const Mutant &mutant : all)
    if (mutant.line == line && isDeletion(mutant)) {
      edit = {mutant.begin, mutant.end, mutant.replacement};
      return true;
    }
  for (const Statement &statement : statements)
    if (statement.line == line) {
      edit = {statement.begin, statement.end, ""};
      return true;
    }
  return false;
}

/// All of `lines` but the last can go with it. When the last goes as well, a
/// run reports what it doesn't as long as the mutant's place is unchanged: the
/// last one alone prevents what both prevent.
std::string Reasons::checkGroup(const std::vector<uint32_t> &lines,
                                const Mutant &survivor) {
  if (lines.empty())
    return "a group needs 'lines', the last of which is kept";
  Edit own = {survivor.begin, survivor.end, survivor.replacement};
  std::vector<Edit> edits;
  for (uint32_t line : lines) {
    Edit edit;
    if (!deletionAt(line, edit))
      return "there is no instruction at line " + std::to_string(line);
    edits.push_back(edit);
  }
  if (edits.back().begin == survivor.begin)
    return "the kept line is its own";
  std::string last = std::to_string(lines.back());
  std::vector<Edit> others = edits;
  others.back() = own;
  if (edits.size() > 1 && !survives(others))
    return "the group can't go even with line " + last + " kept";
  if (!addsFaults(edits, own))
    return "without line " + last + " nothing more is reported";
  return "";
}

/// All deletions among the survivors of these ids can go with it.
std::string Reasons::checkJoint(const Reason &reason, const Mutant &survivor) {
  std::vector<Edit> edits = {
      {survivor.begin, survivor.end, survivor.replacement}};
  for (const Mutant *other : survivors)
    if (isDeletion(*other) && matches(reason.ids, other->id) &&
        other->begin != survivor.begin)
      edits.push_back({other->begin, other->end, other->replacement});
  if (edits.size() == 1)
    return "no other survivor has these ids";
  return survives(edits) ? "" : "they can't all go together";
}

/// The mbarrier says when, and hands over no data: with all survivors of these
/// ids its waits and arrivals are relaxed at once, so that nothing is ordered by
/// way of it. Its waits are needed all the same.
std::string Reasons::checkTurn(const Reason &reason, const Mutant &survivor) {
  auto isRelaxed = [](const Mutant &mutant) {
    return mutant.operatorName == "relax-wait" ||
           mutant.operatorName == "relax-arrive";
  };
  if (!isRelaxed(survivor))
    return "it relaxes no wait or arrival";
  std::vector<Edit> edits;
  std::set<std::string> operators;
  std::set<size_t> places;
  for (const Mutant *other : survivors)
    if (isRelaxed(*other) && matches(reason.ids, other->id)) {
      edits.push_back({other->begin, other->end, other->replacement});
      operators.insert(other->operatorName);
      places.insert(other->begin);
    }
  if (operators.size() != 2 || places.count(survivor.begin) == 0)
    return "no wait and arrival are relaxed together";
  for (const Mutant *other : survivors)
    if (other->operatorName == "delete-wait" &&
        places.count(other->begin) != 0)
      return "the wait of line " + std::to_string(other->line) +
             " is not needed";
  return survives(edits) ? "" : "data are handed over";
}

/// The phase is complete whenever the wait is reached: the mutant's own, or the
/// one of `lines`, which is the only one for its mbarrier.
std::string Reasons::checkObserved(const Reason &reason,
                                   const Mutant &survivor) {
  const Mutant *wait = &survivor;
  if (!reason.lines.empty()) {
    auto found =
        std::find_if(all.begin(), all.end(), [&](const Mutant &mutant) {
          return mutant.line == reason.lines.front() && isDeletion(mutant);
        });
    wait = found == all.end() ? nullptr : &*found;
  }
  if (wait == nullptr || wait->before.find("_wait") == std::string::npos)
    return "there is no mbarrier wait";
  std::string test = wait->before;
  if (size_t at = test.find("try_wait"); at != std::string::npos)
    test.replace(at, 8, "test_wait");
  size_t from = test.find_first_of(" \t", test.find("_wait"));
  size_t comma = test.find(',');
  if (from == std::string::npos || comma == std::string::npos || comma < from)
    return "there is no mbarrier wait";
  std::string predicate = test.substr(from + 1, comma - from - 1);
  // A time limit is for try_wait only.
  size_t close = test.find(']');
  size_t parity = test.find(',', close);
  if (parity != std::string::npos)
    if (size_t limit = test.find(',', parity + 1); limit != std::string::npos)
      test = test.substr(0, limit) + ";";
  if (survives({{wait->begin, wait->end,
                 "{ " + test + " @!" + predicate + " trap; }"}}))
    return "";
  return "the wait is reached before the phase is complete";
}

/// Whatever is stored, the result is the same.
std::string Reasons::checkDeadStore(const Mutant &survivor) {
  std::string poisoned = survivor.before;
  size_t open = poisoned.find('{'), close = poisoned.find('}');
  if (poisoned.find("tcgen05.st") == std::string::npos ||
      open == std::string::npos || close == std::string::npos)
    return "it is no tcgen05.st";
  std::string values;
  for (size_t k = open; k < close; ++k)
    if (k == open || survivor.before[k] == ',')
      values += std::string(k == open ? "" : ", ") + "%bsmm_m";
  poisoned.replace(open + 1, close - open - 1, values);
  if (survives({{survivor.begin, survivor.end,
                 "{ .reg .b32 %bsmm_m; mov.b32 %bsmm_m, 0x7FC12345; " +
                     poisoned + " }"}}))
    return "";
  return "what it stores reaches the output";
}

/// Is there a branch behind `from` to a label before it?
static bool isInLoop(const std::string &ptx, size_t from) {
  for (size_t at = ptx.find("bra", from); at != std::string::npos;
       at = ptx.find("bra", at + 1)) {
    size_t end = ptx.find(';', at);
    size_t begin = ptx.find_last_of(" \t", end);
    if (end == std::string::npos || begin == std::string::npos || begin < at)
      continue;
    std::string label = ptx.substr(begin + 1, end - begin - 1) + ":";
    size_t defined = ptx.find(label);
    // Labels of inline blocks repeat: the last one before the branch counts.
    for (size_t next = defined; next != std::string::npos && next < at;
         next = ptx.find(label, next + 1))
      defined = next;
    if (defined < from)
      return true;
  }
  return false;
}

/// The CTA's exit does the same a moment later.
std::string Reasons::checkExit(const Mutant &survivor) {
  auto isOf = [&](const char *opcode) {
    return survivor.before.find(opcode) != std::string::npos;
  };
  // What must not come after it.
  std::vector<const char *> later;
  if (isOf("mbarrier.inval"))
    later = {"mbarrier.init"};
  else if (isOf("relinquish"))
    later = {"tcgen05.alloc"};
  else if (survivor.operatorName == "wait-read-only")
    later = {"ld.global", "cp.async.bulk.tensor", "cp.async.bulk.shared",
             "griddepcontrol"};
  else
    return "the CTA's exit does not do the same";
  for (const char *opcode : later)
    if (ptx.find(opcode, survivor.end) != std::string::npos)
      return std::string(opcode) + " follows";
  return isInLoop(ptx, survivor.end) ? "it is in a loop" : "";
}

std::string Reasons::checkClaim(const Reason &reason, const Mutant &survivor,
                                std::vector<uint32_t> &lines) {
  if (survivor.map.field != MapChange::Field::None)
    return "no claim can be checked for the launch file";
  if (reason.kind == "dead")
    return survives(
               {{survivor.begin, survivor.end, survivor.predicate + "trap;"}})
               ? ""
               : "the instruction is executed";
  if (reason.kind == "group") {
    lines = reason.lines;
    return checkGroup(lines, survivor);
  }
  if (reason.kind == "dominated")
    return checkDominated(survivor, lines);
  if (reason.kind == "idle")
    return checkIdle(survivor);
  if (reason.kind == "later-commit")
    return checkLaterCommit(survivor, lines);
  if (reason.kind == "zeros")
    return checkZeros(survivor);
  if (reason.kind == "name")
    return checkName(survivor);
  if (reason.kind == "joint")
    return checkJoint(reason, survivor);
  if (reason.kind == "turn")
    return checkTurn(reason, survivor);
  if (reason.kind == "observed")
    return checkObserved(reason, survivor);
  if (reason.kind == "dead-store")
    return checkDeadStore(survivor);
  if (reason.kind == "exit")
    return checkExit(survivor);
  return "unknown kind '" + reason.kind + "'";
}

ReasonCheck Reasons::check(const Mutant &survivor) {
  ReasonCheck check;
  for (const Reason &reason : reasons) {
    if (!matches(reason.ids, survivor.id))
      continue;
    check.kind = reason.kind;
    check.why = reason.why;
    check.lines.clear();
    check.failure = checkClaim(reason, survivor, check.lines);
    check.explained = check.failure.empty();
    if (check.explained)
      break;
  }
  return check;
}

} // namespace bsmm::emulator::mutation
