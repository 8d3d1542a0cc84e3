//===- Workers.cpp - Judges mutants in several processes --------*- C++ -*-===//

#include "Workers.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bsmm::emulator;
using namespace bsmm::emulator::mutation;
using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Journal
//===----------------------------------------------------------------------===//

static Json verdictToJson(const Verdict &verdict) {
  return {{"outcome", static_cast<int>(verdict.outcome)},
          {"mode", verdict.mode},
          {"kind", verdict.kind},
          {"message", verdict.message.substr(0, 600)},
          {"runs", verdict.runs}};
}

static Verdict verdictFromJson(const Json &json) {
  Verdict verdict;
  verdict.outcome = static_cast<Outcome>(json.value("outcome", 0) & 3);
  verdict.mode = json.value("mode", "");
  verdict.kind = json.value("kind", "");
  verdict.message = json.value("message", "");
  verdict.runs = json.value("runs", 0u);
  return verdict;
}

static std::string oneLine(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool Journal::open(const std::string &path) {
  if (path.empty())
    return true;
  if (std::FILE *old = std::fopen(path.c_str(), "rb")) {
    std::string line;
    for (int c = std::fgetc(old); c != EOF; c = std::fgetc(old)) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("key") && json["key"].is_string())
        known[json["key"].get<std::string>()] = verdictFromJson(json);
      line.clear();
    }
    std::fclose(old);
  }
  file = std::fopen(path.c_str(), "ab");
  return file != nullptr;
}

Journal::~Journal() {
  if (file != nullptr)
    std::fclose(file);
}

const Verdict *Journal::find(const std::string &key) const {
  auto found = known.find(key);
  return found == known.end() ? nullptr : &found->second;
}

void Journal::add(const std::string &key, const Verdict &verdict) {
  if (file == nullptr || find(key) != nullptr)
    return;
  Json json = verdictToJson(verdict);
  json["key"] = key;
  std::string line = oneLine(json);
  std::fwrite(line.data(), 1, line.size(), file);
  std::fflush(file);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

namespace {
/// Shared by the processes: who takes what.
struct Board {
  std::atomic<size_t> next;
  std::atomic<size_t> current[1]; ///< by worker; the count of chosen: none
};

struct Worker {
  pid_t process = -1;
  int from = -1; ///< read end of its pipe
  std::string line;
};
} // namespace

/// Answers with a line for each mutant until none is left.
static void work(const CaseTask &task, unsigned index, Board &board, int to,
                 const Journal &journal) {
  const std::vector<Mutant> &all = *task.all;
  size_t count = task.chosen.size();
  for (size_t k = board.next++; k < count; k = board.next++) {
    board.current[index] = k;
    const Mutant &mutant = all[task.chosen[k]];
    Json answer;
    bool exists = true;
    const Verdict *known = journal.find(task.key + mutant.id);
    if (known == nullptr)
      for (const std::string &condition : mutant.conditions) {
        Mutant probe = mutant;
        probe.replacement = condition;
        exists =
            exists && task.judge->traps(mutatedText(task.file->ptx, probe));
      }
    if (exists) {
      Verdict verdict = known ? *known : task.judge->judge(mutant);
      answer = verdictToJson(verdict);
      if (verdict.outcome == Outcome::Survived) {
        ReasonCheck check = checkReason(*task.reasons, mutant, all,
                                        task.file->ptx, *task.judge);
        answer["reason"] = {{"explained", check.explained},
                            {"kind", check.kind},
                            {"why", check.why},
                            {"failure", check.failure}};
      }
    }
    answer["index"] = k;
    answer["exists"] = exists;
    std::string line = oneLine(answer);
    for (size_t sent = 0; sent < line.size();) {
      ssize_t wrote = write(to, line.data() + sent, line.size() - sent);
      if (wrote <= 0)
        _exit(3);
      sent += static_cast<size_t>(wrote);
    }
    board.current[index] = count;
  }
  _exit(0);
}

void judgeAll(const CaseTask &task, unsigned jobs, bool quiet, Journal &journal,
              Score &score) {
  const std::vector<Mutant> &all = *task.all;
  size_t count = task.chosen.size();
  size_t boardBytes = sizeof(Board) + jobs * sizeof(std::atomic<size_t>);
  void *memory = mmap(nullptr, boardBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    score.problems.push_back("no shared memory for the workers");
    return;
  }
  Board &board = *new (memory) Board;
  board.next = 0;
  std::vector<Worker> workers(jobs);
  std::vector<uint8_t> answered(count, 0);
  std::vector<Entry> entries(count);
  size_t done = 0, survived = 0, leftOut = 0;
  auto begin = std::chrono::steady_clock::now();
  double shown = 0;

  auto start = [&](unsigned index) {
    int ends[2];
    if (pipe(ends) != 0)
      return false;
    new (&board.current[index]) std::atomic<size_t>(count);
    std::fflush(nullptr);
    pid_t process = fork();
    if (process < 0) {
      close(ends[0]);
      close(ends[1]);
      return false;
    }
    if (process == 0) {
      close(ends[0]);
      work(task, index, board, ends[1], journal);
    }
    close(ends[1]);
    workers[index] = {process, ends[0], ""};
    return true;
  };
  auto take = [&](const std::string &line) {
    Json json = Json::parse(line, nullptr, false);
    size_t k = json.is_object() ? json.value("index", count) : count;
    if (k >= count || answered[k])
      return;
    ++done;
    answered[k] = 1;
    if (!json.value("exists", false)) {
      answered[k] = 2;
      ++leftOut;
      return;
    }
    Entry &entry = entries[k];
    entry.mutant = all[task.chosen[k]];
    entry.verdict = verdictFromJson(json);
    journal.add(task.key + entry.mutant.id, entry.verdict);
    if (json.contains("reason")) {
      const Json &reason = json["reason"];
      entry.reason.explained = reason.value("explained", false);
      entry.reason.kind = reason.value("kind", "");
      entry.reason.why = reason.value("why", "");
      entry.reason.failure = reason.value("failure", "");
    }
    survived += entry.verdict.outcome == Outcome::Survived;
  };

  for (unsigned index = 0; index < jobs && index < count; ++index)
    if (!start(index))
      score.problems.push_back("cannot start a worker");
  for (;;) {
    std::vector<pollfd> polled;
    std::vector<unsigned> who;
    for (unsigned index = 0; index < jobs; ++index)
      if (workers[index].process > 0) {
        polled.push_back({workers[index].from, POLLIN, 0});
        who.push_back(index);
      }
    if (polled.empty())
      break;
    poll(polled.data(), polled.size(), 1000);
    for (size_t p = 0; p < polled.size(); ++p) {
      if (polled[p].revents == 0)
        continue;
      Worker &worker = workers[who[p]];
      char chunk[65536];
      ssize_t got = read(worker.from, chunk, sizeof(chunk));
      for (ssize_t c = 0; c < got; ++c) {
        if (chunk[c] != '\n') {
          worker.line += chunk[c];
          continue;
        }
        take(worker.line);
        worker.line.clear();
      }
      if (got > 0)
        continue;
      close(worker.from);
      int status = 0;
      waitpid(worker.process, &status, 0);
      worker.process = -1;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        continue;
      // Broke down in the middle of a mutant: count it, and replace the worker.
      size_t k = board.current[who[p]];
      if (k < count && !answered[k]) {
        answered[k] = 1;
        ++done;
        entries[k].mutant = all[task.chosen[k]];
        entries[k].verdict.outcome = Outcome::Crashed;
        entries[k].verdict.kind = "crash";
        entries[k].verdict.message =
            WIFSIGNALED(status)
                ? "signal " + std::to_string(WTERMSIG(status))
                : "exit code " + std::to_string(WEXITSTATUS(status));
      }
      if (!start(who[p]))
        score.problems.push_back("cannot start a worker");
    }
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    if (!quiet && seconds - shown > 5) {
      shown = seconds;
      std::fprintf(stderr, "%s: %zu of %zu mutants, %zu survived, %.0f s\n",
                   score.name.c_str(), done, count, survived, seconds);
    }
  }
  munmap(memory, boardBytes);
  for (size_t k = 0; k < count; ++k) {
    if (answered[k] == 1)
      score.entries.push_back(std::move(entries[k]));
    else if (answered[k] == 0)
      score.problems.push_back("no verdict about " + all[task.chosen[k]].id);
  }
  score.leftOut += leftOut;
  score.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
}
