//===- Scores.cpp - Tables of mutation scores -------------------*- C++ -*-===//

#include "bsmm/Emulator/Mutation.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace bsmm::emulator::mutation {

size_t Score::count(Outcome outcome) const {
  return static_cast<size_t>(
      std::count_if(entries.begin(), entries.end(), [&](const Entry &entry) {
        return entry.verdict.outcome == outcome;
      }));
}

size_t Score::equivalents() const {
  return static_cast<size_t>(
      std::count_if(entries.begin(), entries.end(), [](const Entry &entry) {
        return entry.verdict.outcome == Outcome::Survived &&
               entry.reason.explained;
      }));
}

size_t Score::unexplained() const {
  return count(Outcome::Survived) - equivalents();
}

static double percent(size_t part, size_t whole) {
  return whole == 0
             ? 100.0
             : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

static void append(std::string &text, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
}

static std::string shorten(std::string text, size_t most) {
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  if (text.size() > most)
    text = text.substr(0, most - 3) + "...";
  return text;
}

/// " 36, 40 (kept)": the group's, of which the last is enough.
static std::string linesOf(const ReasonCheck &reason) {
  std::string text;
  for (size_t k = 0; k < reason.lines.size(); ++k) {
    text += (k == 0 ? " " : ", ") + std::to_string(reason.lines[k]);
    if (k + 1 == reason.lines.size() && k != 0)
      text += " (kept)";
  }
  return text;
}

std::string formatScores(const std::vector<Score> &scores) {
  std::string text;
  append(text, "%-28s %-6s %7s %7s %8s %7s %8s %8s %8s\n", "case", "checks",
         "mutants", "killed", "survived", "raw", "equiv.", "adjusted",
         "seconds");
  size_t mutants = 0, killed = 0, survived = 0, equivalents = 0;
  double seconds = 0;
  auto row = [&](const std::string &name, const char *checks, size_t all,
                 size_t dead, size_t alive, size_t same, double time) {
    // Nothing to score is no score.
    auto share = [](size_t part, size_t whole) {
      std::string text;
      if (whole != 0)
        append(text, "%.2f%%", percent(part, whole));
      return whole == 0 ? "-" : text;
    };
    append(text, "%-28s %-6s %7zu %7zu %8zu %7s %8s %8s %8.0f\n", name.c_str(),
           checks, all, dead, alive, share(dead, all).c_str(),
           share(same, all).c_str(), share(dead, all - same).c_str(), time);
  };
  for (const Score &score : scores) {
    size_t dead = score.count(Outcome::Killed);
    row(score.name, score.strict ? "strict" : "errors", score.mutants(), dead,
        score.count(Outcome::Survived), score.equivalents(), score.seconds);
    mutants += score.mutants();
    killed += dead;
    survived += score.count(Outcome::Survived);
    equivalents += score.equivalents();
    seconds += score.seconds;
  }
  if (scores.size() > 1)
    row("all", "", mutants, killed, survived, equivalents, seconds);

  std::map<std::string, size_t> kinds;
  std::map<std::string, size_t> modes;
  for (const Score &score : scores)
    for (const Entry &entry : score.entries)
      if (entry.verdict.outcome == Outcome::Killed) {
        ++kinds[entry.verdict.kind];
        ++modes[entry.verdict.mode];
      }
  auto list = [&](const char *title, const std::map<std::string, size_t> &map) {
    std::vector<std::pair<size_t, std::string>> sorted;
    for (const auto &[name, number] : map)
      sorted.push_back({number, name});
    std::sort(sorted.rbegin(), sorted.rend());
    text += title;
    for (size_t k = 0; k < sorted.size(); ++k)
      append(text, "%s%s %zu", k == 0 ? " " : ", ", sorted[k].second.c_str(),
             sorted[k].first);
    text += "\n";
  };
  list("killed by:", kinds);
  list("in mode:", modes);

  for (const Score &score : scores) {
    for (const std::string &problem : score.problems)
      text += score.name + ": error: " + problem + "\n";
    for (const Entry &entry : score.entries) {
      const char *outcome = nullptr;
      if (entry.verdict.outcome == Outcome::Refused)
        outcome = "refused";
      else if (entry.verdict.outcome == Outcome::Crashed)
        outcome = "CRASHED";
      else if (entry.verdict.outcome == Outcome::Survived)
        outcome = entry.reason.explained ? "equivalent" : "SURVIVED";
      if (outcome == nullptr)
        continue;
      text += score.name + ": " + outcome + " " + entry.mutant.id + ": ";
      if (entry.verdict.outcome == Outcome::Survived && entry.reason.explained)
        text +=
            entry.reason.kind + linesOf(entry.reason) + ": " + entry.reason.why;
      else
        text += shorten(entry.mutant.before, 110);
      if (!entry.reason.failure.empty())
        text += " (reason " + entry.reason.kind +
                " fails: " + entry.reason.failure + ")";
      if (!entry.verdict.message.empty())
        text += " (" + shorten(entry.verdict.message, 160) + ")";
      text += "\n";
    }
  }
  return text;
}

std::string scoresToJson(const std::vector<Score> &scores) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["schema"] = "bsmm.mutation.report/1";
  json["modes"] = Json::array();
  for (size_t mode = 0; mode < Judge::modeCount(); ++mode)
    json["modes"].push_back(Judge::modeName(mode));
  json["cases"] = Json::array();
  for (const Score &score : scores) {
    Json entry;
    entry["case"] = score.name;
    entry["strict"] = score.strict;
    entry["mutants"] = score.mutants();
    entry["killed"] = score.count(Outcome::Killed);
    entry["survived"] = score.count(Outcome::Survived);
    entry["equivalent"] = score.equivalents();
    entry["unexplained"] = score.unexplained();
    entry["refused"] = score.count(Outcome::Refused);
    entry["crashed"] = score.count(Outcome::Crashed);
    entry["seconds"] = score.seconds;
    entry["problems"] = score.problems;
    std::map<std::string, std::pair<size_t, size_t>> byOperator;
    for (const Entry &e : score.entries) {
      auto &[all, alive] = byOperator[e.mutant.operatorName];
      ++all;
      alive += e.verdict.outcome == Outcome::Survived;
    }
    for (const auto &[name, numbers] : byOperator)
      entry["operators"][name] = {{"mutants", numbers.first},
                                  {"survived", numbers.second}};
    entry["results"] = Json::array();
    for (const Entry &e : score.entries) {
      Json result;
      result["id"] = e.mutant.id;
      static const char *const outcomes[] = {"survived", "killed", "refused",
                                             "crashed"};
      result["outcome"] = outcomes[static_cast<size_t>(e.verdict.outcome)];
      result["mode"] = e.verdict.mode;
      result["kind"] = e.verdict.kind;
      if (e.verdict.outcome != Outcome::Killed) {
        result["before"] = e.mutant.before;
        result["after"] = e.mutant.after;
        result["message"] = e.verdict.message;
      }
      if (!e.reason.kind.empty()) {
        result["reason"] = {{"kind", e.reason.kind},
                            {"why", e.reason.why},
                            {"holds", e.reason.explained},
                            {"failure", e.reason.failure},
                            {"lines", e.reason.lines}};
      }
      entry["results"].push_back(result);
    }
    json["cases"].push_back(entry);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

} // namespace bsmm::emulator::mutation
