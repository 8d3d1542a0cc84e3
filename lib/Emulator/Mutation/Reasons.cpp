//===- Reasons.cpp - Why a survivor computes the same -----------*- C++ -*-===//
//
// Every kind of reason is a claim about the kernel that more runs can refute.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Mutation.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace bsmm::emulator::mutation {

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

bool readReasons(const std::string &path, ReasonFile &reasons,
                 std::string &error) {
  reasons.path = path;
  reasons.reasons.clear();
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (file == nullptr)
    return true;
  std::string text;
  char chunk[4096];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof(chunk), file)) != 0)
    text.append(chunk, got);
  std::fclose(file);
  auto fail = [&](const std::string &message) {
    error = path + ": " + message;
    return false;
  };
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() ||
      json.value("schema", "") != "bsmm.mutation.reasons/1")
    return fail("expected an object with schema 'bsmm.mutation.reasons/1'");
  if (!json.contains("reasons") || !json["reasons"].is_array())
    return fail("expected a list 'reasons'");
  for (const nlohmann::json &entry : json["reasons"]) {
    Reason reason;
    auto take = [&](const char *key, std::string &value) {
      if (!entry.is_object() || !entry.contains(key) || !entry[key].is_string())
        return false;
      value = entry[key].get<std::string>();
      return !value.empty();
    };
    if (!take("ids", reason.ids) || !take("kind", reason.kind) ||
        !take("why", reason.why))
      return fail("a reason needs 'ids', 'kind' and 'why'");
    if (entry.contains("lines")) {
      if (!entry["lines"].is_array())
        return fail("'lines' of " + reason.ids + " must be a list of lines");
      for (const nlohmann::json &line : entry["lines"]) {
        if (!line.is_number_unsigned())
          return fail("'lines' of " + reason.ids + " must be a list of lines");
        reason.lines.push_back(line.get<uint32_t>());
      }
    }
    reasons.reasons.push_back(std::move(reason));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

namespace {
struct Edit {
  size_t begin;
  size_t end;
  std::string text;
};
} // namespace

static std::string applyEdits(const std::string &ptx, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit &a, const Edit &b) { return a.begin > b.begin; });
  std::string text = ptx;
  size_t last = std::string::npos;
  for (const Edit &edit : edits) {
    if (edit.begin == last)
      continue; // the same place twice
    last = edit.begin;
    text.replace(edit.begin, edit.end - edit.begin, edit.text);
  }
  return text;
}

static Edit replaceMutant(const Mutant &mutant, const std::string &text) {
  return {mutant.begin, mutant.end, text};
}

/// The deletion of the instruction at `line`.
static const Mutant *deletionAt(const std::vector<Mutant> &all, uint32_t line) {
  for (const Mutant &mutant : all)
    if (mutant.line == line &&
        mutant.operatorName.compare(0, 7, "delete-") == 0)
      return &mutant;
  return nullptr;
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

static std::string checkClaim(const Reason &reason, const Mutant &survivor,
                              const std::vector<Mutant> &all,
                              const std::string &ptx, Judge &judge) {
  auto survives = [&](const std::vector<Edit> &edits) {
    return judge.judgeText(applyEdits(ptx, edits)).outcome == Outcome::Survived;
  };
  if (survivor.map.field != MapChange::Field::None)
    return "no claim can be checked for the launch file";

  if (reason.kind == "dead") {
    if (survives({replaceMutant(survivor, survivor.predicate + "trap;")}))
      return "";
    return "the instruction is executed";
  }

  if (reason.kind == "group") {
    // All of `lines` but the last can go with it, and then the last can't.
    if (reason.lines.empty())
      return "a group needs 'lines', the last of which is kept";
    std::vector<Edit> edits = {replaceMutant(survivor, survivor.replacement)};
    const Mutant *kept = nullptr;
    for (uint32_t line : reason.lines) {
      const Mutant *deletion = deletionAt(all, line);
      if (deletion == nullptr)
        return "nothing can be deleted at line " + std::to_string(line);
      if (line == reason.lines.back())
        kept = deletion;
      else
        edits.push_back(replaceMutant(*deletion, deletion->replacement));
    }
    if (kept->begin == survivor.begin)
      return "the kept line is its own";
    if (!survives(edits))
      return "the group can't go even with line " +
             std::to_string(reason.lines.back()) + " kept";
    edits.push_back(replaceMutant(*kept, kept->replacement));
    if (survives(edits))
      return "the whole group can go, line " +
             std::to_string(reason.lines.back()) + " too";
    return "";
  }

  if (reason.kind == "observed") {
    // The phase is complete whenever the wait is reached: the mutant's own, or
    // the one of `lines`, which is the only one for its barrier.
    const Mutant *wait = &survivor;
    if (!reason.lines.empty())
      wait = deletionAt(all, reason.lines.front());
    if (wait == nullptr || wait->before.find("_wait") == std::string::npos)
      return "there is no mbarrier wait";
    std::string test = wait->before;
    if (size_t at = test.find("try_wait"); at != std::string::npos)
      test.replace(at, 8, "test_wait");
    size_t from = test.find_first_of(" \t", test.find("_wait"));
    size_t comma = test.find(',');
    std::string predicate = test.substr(from + 1, comma - from - 1);
    if (survives({replaceMutant(*wait,
                                "{ " + test + " @!" + predicate + " trap; }")}))
      return "";
    return "the wait is reached before the phase is complete";
  }

  if (reason.kind == "dead-store") {
    // Whatever is stored, the result is the same.
    size_t open = survivor.before.find('{'), close = survivor.before.find('}');
    if (survivor.before.find("tcgen05.st") == std::string::npos ||
        open == std::string::npos || close == std::string::npos)
      return "it is no tcgen05.st";
    std::string poisoned = survivor.before;
    std::string values;
    for (size_t k = open; k < close; ++k)
      if (k == open || survivor.before[k] == ',')
        values += std::string(k == open ? "" : ", ") + "%bsmm_m";
    poisoned.replace(open + 1, close - open - 1, values);
    if (survives({replaceMutant(
            survivor, "{ .reg .b32 %bsmm_m; mov.b32 %bsmm_m, 0x7FC12345; " +
                          poisoned + " }")}))
      return "";
    return "what it stores reaches the output";
  }

  if (reason.kind == "exit") {
    // Ends what the CTA's exit would end a moment later.
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
  return "unknown kind '" + reason.kind + "'";
}

ReasonCheck checkReason(const ReasonFile &reasons, const Mutant &survivor,
                        const std::vector<Mutant> &all, const std::string &ptx,
                        Judge &judge) {
  ReasonCheck check;
  for (const Reason &reason : reasons.reasons) {
    if (!matches(reason.ids, survivor.id))
      continue;
    reason.used = true;
    check.kind = reason.kind;
    check.why = reason.why;
    check.failure = checkClaim(reason, survivor, all, ptx, judge);
    check.explained = check.failure.empty();
    if (check.explained)
      return check;
  }
  return check;
}

} // namespace bsmm::emulator::mutation
