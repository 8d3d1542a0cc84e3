//===- Workers.cpp - Judges mutants in several processes --------*- C++ -*-===//

#include "Workers.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
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
  std::atomic<size_t> current[1]; ///< by worker; the number of tasks: none
};

struct Worker {
  pid_t process = -1;
  int from = -1; ///< read end of its pipe
  std::string line;
};

/// Runs tasks 0..count-1 in child processes.
struct Pool {
  unsigned jobs;
  size_t count;
  std::function<Json(size_t)> work;               ///< in a child
  std::function<void(size_t, const Json &)> take; ///< in the parent
  std::function<void(size_t, const std::string &)> crashed;
  std::function<void()> tick; ///< about once a second
  std::string error;

  void run();

private:
  void serve(unsigned index, int to);
  bool start(unsigned index);
  void finish(unsigned index);

  Board *board = nullptr;
  std::vector<Worker> workers;
  std::vector<uint8_t> answered;
};
} // namespace

/// Answers with a line for each task until none is left.
void Pool::serve(unsigned index, int to) {
  for (size_t k = board->next++; k < count; k = board->next++) {
    board->current[index] = k;
    Json answer = work(k);
    answer["index"] = k;
    std::string line = oneLine(answer);
    for (size_t sent = 0; sent < line.size();) {
      ssize_t wrote = write(to, line.data() + sent, line.size() - sent);
      if (wrote <= 0)
        _exit(3);
      sent += static_cast<size_t>(wrote);
    }
    board->current[index] = count;
  }
  _exit(0);
}

bool Pool::start(unsigned index) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  new (&board->current[index]) std::atomic<size_t>(count);
  std::fflush(nullptr);
  pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (process == 0) {
    close(ends[0]);
    serve(index, ends[1]);
  }
  close(ends[1]);
  workers[index] = {process, ends[0], ""};
  return true;
}

/// The worker closed its pipe. When it broke down in the middle of a task, that
/// task counts as a crash and another worker takes its place.
void Pool::finish(unsigned index) {
  Worker &worker = workers[index];
  close(worker.from);
  int status = 0;
  waitpid(worker.process, &status, 0);
  worker.process = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return;
  size_t k = board->current[index];
  if (k < count && !answered[k]) {
    answered[k] = 1;
    crashed(k, WIFSIGNALED(status)
                   ? "signal " + std::to_string(WTERMSIG(status))
                   : "exit code " + std::to_string(WEXITSTATUS(status)));
  }
  if (!start(index))
    error = "cannot start a worker";
}

void Pool::run() {
  size_t bytes = sizeof(Board) + jobs * sizeof(std::atomic<size_t>);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    error = "no shared memory for the workers";
    return;
  }
  board = new (memory) Board;
  board->next = 0;
  workers.resize(jobs);
  answered.assign(count, 0);
  for (unsigned index = 0; index < jobs && index < count; ++index)
    if (!start(index))
      error = "cannot start a worker";
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
        Json json = Json::parse(worker.line, nullptr, false);
        worker.line.clear();
        size_t k = json.is_object() ? json.value("index", count) : count;
        if (k >= count || answered[k])
          continue;
        answered[k] = 1;
        take(k, json);
      }
      if (got <= 0)
        finish(who[p]);
    }
    tick();
  }
  munmap(memory, bytes);
  for (size_t k = 0; k < count; ++k)
    if (!answered[k])
      error = "not all mutants were judged";
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

void judgeAll(const CaseTask &task, unsigned jobs, bool quiet, Journal &journal,
              Score &score) {
  const std::vector<Mutant> &all = *task.all;
  size_t count = task.chosen.size();
  std::vector<Entry> entries(count);
  std::vector<uint8_t> exists(count, 0);
  size_t done = 0, survived = 0;
  auto begin = std::chrono::steady_clock::now();
  double shown = 0;
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  };
  auto show = [&](const char *what, size_t of) {
    if (quiet || seconds() - shown < 5)
      return;
    shown = seconds();
    std::fprintf(stderr, "%s: %zu of %zu %s, %zu survived, %.0f s\n",
                 score.name.c_str(), done, of, what, survived, shown);
  };

  Pool judging;
  judging.jobs = jobs;
  judging.count = count;
  judging.work = [&](size_t k) {
    const Mutant &mutant = all[task.chosen[k]];
    if (const Verdict *known = journal.find(task.key + mutant.id))
      return verdictToJson(*known);
    for (const std::string &condition : mutant.conditions) {
      Mutant probe = mutant;
      probe.replacement = condition;
      if (!task.judge->traps(mutatedText(task.file->ptx, probe)))
        return Json{{"absent", true}};
    }
    return verdictToJson(task.judge->judge(mutant));
  };
  judging.take = [&](size_t k, const Json &json) {
    ++done;
    if (json.value("absent", false)) {
      ++score.leftOut;
      return;
    }
    exists[k] = 1;
    entries[k].mutant = all[task.chosen[k]];
    entries[k].verdict = verdictFromJson(json);
    journal.add(task.key + entries[k].mutant.id, entries[k].verdict);
    survived += entries[k].verdict.outcome == Outcome::Survived;
  };
  judging.crashed = [&](size_t k, const std::string &how) {
    ++done;
    exists[k] = 1;
    entries[k].mutant = all[task.chosen[k]];
    entries[k].verdict.outcome = Outcome::Crashed;
    entries[k].verdict.kind = "crash";
    entries[k].verdict.message = how;
  };
  judging.tick = [&] { show("mutants", count); };
  judging.run();

  for (size_t k = 0; k < count; ++k)
    if (exists[k])
      score.entries.push_back(std::move(entries[k]));

  std::vector<size_t> alive;
  std::vector<const Mutant *> survivors;
  for (size_t k = 0; k < score.entries.size(); ++k)
    if (score.entries[k].verdict.outcome == Outcome::Survived) {
      alive.push_back(k);
      survivors.push_back(&score.entries[k].mutant);
    }
  Reasons reasons(task.reasons, task.file->ptx, all, survivors, *task.judge);
  done = 0;
  Pool checking;
  checking.jobs = jobs;
  checking.count = task.reasons.empty() ? 0 : alive.size();
  checking.work = [&](size_t k) {
    ReasonCheck check = reasons.check(*survivors[k]);
    return Json{{"explained", check.explained},
                {"kind", check.kind},
                {"why", check.why},
                {"failure", check.failure},
                {"lines", check.lines}};
  };
  checking.take = [&](size_t k, const Json &json) {
    ++done;
    ReasonCheck &check = score.entries[alive[k]].reason;
    check.explained = json.value("explained", false);
    check.kind = json.value("kind", "");
    check.why = json.value("why", "");
    check.failure = json.value("failure", "");
    check.lines = json.value("lines", std::vector<uint32_t>());
  };
  checking.crashed = [&](size_t k, const std::string &how) {
    score.entries[alive[k]].reason.failure = how;
  };
  checking.tick = [&] { show("reasons", checking.count); };
  if (checking.count != 0)
    checking.run();
  for (const std::string &error : {judging.error, checking.error})
    if (!error.empty())
      score.problems.push_back(error);
  score.seconds += seconds();
}
