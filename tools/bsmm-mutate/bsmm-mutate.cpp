//===- bsmm-mutate.cpp - Mutation score of the emulator ---------*- C++ -*-===//

#include "Workers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace bsmm::emulator;
using namespace bsmm::emulator::mutation;

static const char help[] =
    R"(usage: bsmm-mutate [options] CASE...
       bsmm-mutate --operators
       bsmm-mutate --help

Scores the emulator's checks: changes one synchronising or layout-bearing place
of a correct kernel at a time, and counts how many changes a run notices: by an
error, a result outside of what the case expects, different bits in different
modes, or never ending. CASE is a folder with launch.json and its files, as
'bsmm-emu run' takes them. docs/mutation-testing.md explains operators and
reasons.

  --strict[=NAMES]   missing recommended fences count as noticed, in all cases
                     or in those whose folder's name matches (own-*,other-*)
  --reasons=FOLDER   claims why survivors compute the same, in FOLDER/*.json;
                     they are checked
  --filter=IDS       only mutants whose id matches, e.g. 'delete-*:84,bytes:*'
  --shard=I/N        only every N-th mutant, from the I-th on (0 <= I < N)
  --jobs=N           processes (default: one for each core)
  --json=FILE        write all verdicts as JSON
  --journal=FILE     note verdicts there, and take those that are there already:
                     a run that was stopped goes on
  --max-equivalent=PERCENT  more equivalent mutants than that are an error
  --list             print the mutants' ids and changes; runs nothing
  --show=ID          print the PTX of a mutant of the only case
  --operators        print all operators
  --quiet            no progress

The exit code is 0 when every survivor has a reason that holds, 1 otherwise,
2 for a bad command line.
)";

static int usageError(const std::string &message) {
  std::fprintf(stderr, "bsmm-mutate: %s\nTry 'bsmm-mutate --help'.\n",
               message.c_str());
  return 2;
}

static std::string baseName(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

static uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

namespace {
struct Arguments {
  std::vector<std::string> cases;
  std::string strict;
  std::string reasons;
  std::string filter = "*";
  std::string json;
  std::string journal;
  std::string show;
  unsigned long shard = 0, shards = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  double maxEquivalent = 100;
  bool list = false;
  bool quiet = false;
};
} // namespace

static int parseArguments(int argc, char **argv, Arguments &a) {
  for (int k = 1; k < argc; ++k) {
    std::string argument = argv[k], value;
    auto valueOf = [&](const char *name) {
      std::string prefix = std::string(name) + "=";
      if (argument.compare(0, prefix.size(), prefix) == 0) {
        value = argument.substr(prefix.size());
        return true;
      }
      if (argument == name && k + 1 < argc) {
        value = argv[++k];
        return true;
      }
      return false;
    };
    char *end = nullptr;
    if (argument == "--strict") {
      a.strict = "*";
    } else if (argument.compare(0, 9, "--strict=") == 0) {
      a.strict = argument.substr(9);
    } else if (argument == "--list") {
      a.list = true;
    } else if (argument == "--quiet") {
      a.quiet = true;
    } else if (valueOf("--reasons")) {
      a.reasons = value;
    } else if (valueOf("--filter")) {
      a.filter = value;
    } else if (valueOf("--json")) {
      a.json = value;
    } else if (valueOf("--journal")) {
      a.journal = value;
    } else if (valueOf("--show")) {
      a.show = value;
    } else if (valueOf("--shard")) {
      a.shard = std::strtoul(value.c_str(), &end, 10);
      if (*end == '/')
        a.shards = std::strtoul(end + 1, &end, 10);
      if (*end != '\0' || a.shards == 0 || a.shard >= a.shards)
        return usageError("expected --shard=I/N with 0 <= I < N, got '" +
                          value + "'");
    } else if (valueOf("--jobs")) {
      unsigned long jobs = std::strtoul(value.c_str(), &end, 10);
      if (*end != '\0' || jobs == 0 || jobs > 1024)
        return usageError("expected 1 to 1024 jobs, got '" + value + "'");
      a.jobs = static_cast<unsigned>(jobs);
    } else if (valueOf("--max-equivalent")) {
      a.maxEquivalent = std::strtod(value.c_str(), &end);
      if (*end != '\0' || value.empty())
        return usageError("expected a percentage, got '" + value + "'");
    } else if (argument[0] == '-') {
      return usageError("unknown option '" + argument + "'");
    } else {
      a.cases.push_back(argument);
    }
  }
  if (a.cases.empty())
    return usageError("expected a folder with a case");
  if (!a.show.empty() && a.cases.size() != 1)
    return usageError("--show takes one case");
  return 0;
}

/// Adds the mutants that the filter takes to `matching`. False when the command
/// must stop with exit code 1.
static bool scoreCase(const std::string &folder, const Arguments &a,
                      Journal &journal, std::vector<Score> &scores,
                      size_t &matching) {
  Score score;
  score.name = baseName(folder);
  score.strict = !a.strict.empty() && matches(a.strict, score.name);
  auto give = [&](const std::string &problem) {
    score.problems.push_back(problem);
    scores.push_back(std::move(score));
    return true;
  };
  LaunchFile file;
  std::string error;
  if (!readLaunchFile(folder + "/launch.json", file, error))
    return give(error);
  LoadResult loaded = loadProgram(file.ptx);
  if (!loaded.program)
    return give(file.ptxPath + ": " +
                (loaded.errors.empty() ? "cannot be loaded"
                                       : loaded.errors.front().message));
  std::vector<Mutant> all = enumerate(file, *loaded.program);
  CaseTask task;
  size_t number = 0;
  for (size_t k = 0; k < all.size(); ++k)
    if (matches(a.filter, all[k].id) && number++ % a.shards == a.shard)
      task.chosen.push_back(k);
  matching += number;
  if (!a.show.empty()) {
    for (const Mutant &mutant : all)
      if (mutant.id == a.show) {
        std::string text = mutatedText(file.ptx, mutant);
        std::fwrite(text.data(), 1, text.size(), stdout);
        return true;
      }
    return give("there is no mutant '" + a.show + "'");
  }
  if (a.list) {
    for (size_t k : task.chosen)
      std::printf("%s\n  - %s\n  + %s\n", all[k].id.c_str(),
                  all[k].before.c_str(), all[k].after.c_str());
    return true;
  }
  if (!a.reasons.empty() &&
      !readReasons(a.reasons, score.name, task.reasons, error))
    return give(error);
  Judge judge(file, score.strict);
  if (!judge.baseline(error))
    return give(error);
  task.file = &file;
  task.judge = &judge;
  task.all = &all;
  char hash[24];
  std::snprintf(hash, sizeof(hash), "%016llx",
                static_cast<unsigned long long>(hashOf(file.ptx)));
  task.key = score.name + "/" + hash + (score.strict ? "/strict/" : "/errors/");
  judgeAll(task, a.jobs, a.quiet, journal, score);
  // A reason for a mutant that there is not is out of date.
  for (const Reason &reason : task.reasons)
    if (reason.namesOne &&
        std::none_of(all.begin(), all.end(), [&](const Mutant &mutant) {
          return mutant.id == reason.ids;
        }))
      score.problems.push_back(reason.path + ": no mutant has the id " +
                               reason.ids);
  scores.push_back(std::move(score));
  return true;
}

int main(int argc, char **argv) {
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 ||
                    std::strcmp(argv[1], "-h") == 0)) {
    std::fputs(help, stdout);
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--operators") == 0) {
    for (const OperatorInfo &info : operators())
      std::printf("%-24s %s\n", info.name, info.summary);
    return 0;
  }
  Arguments arguments;
  if (int code = parseArguments(argc, argv, arguments))
    return code;
  Journal journal;
  if (!journal.open(arguments.journal)) {
    std::fprintf(stderr, "bsmm-mutate: cannot write '%s'\n",
                 arguments.journal.c_str());
    return 1;
  }
  std::vector<Score> scores;
  size_t matching = 0;
  for (const std::string &folder : arguments.cases)
    scoreCase(folder, arguments, journal, scores, matching);
  bool bad = false;
  size_t mutants = 0, equivalents = 0;
  for (const Score &score : scores) {
    bad |= !score.problems.empty() || score.unexplained() != 0 ||
           score.count(Outcome::Refused) != 0 ||
           score.count(Outcome::Crashed) != 0;
    mutants += score.mutants();
    equivalents += score.equivalents();
  }
  if (!scores.empty())
    std::fputs(formatScores(scores).c_str(), stdout);
  if (static_cast<double>(equivalents) * 100 >
      arguments.maxEquivalent * static_cast<double>(mutants)) {
    std::printf("error: more than %g %% of the mutants are equivalent\n",
                arguments.maxEquivalent);
    bad = true;
  }
  // A filter that went out of date must not look like a perfect score.
  if (!bad && matching == 0 && arguments.show.empty()) {
    std::printf("error: no mutant has an id that matches '%s'; --list prints "
                "the ids\n",
                arguments.filter.c_str());
    bad = true;
  }
  if (!arguments.json.empty()) {
    std::string json = scoresToJson(scores);
    std::FILE *file = std::fopen(arguments.json.c_str(), "wb");
    bool written = file != nullptr && std::fwrite(json.data(), 1, json.size(),
                                                  file) == json.size();
    if (file != nullptr)
      written &= std::fclose(file) == 0;
    if (!written) {
      std::fprintf(stderr, "bsmm-mutate: cannot write '%s'\n",
                   arguments.json.c_str());
      bad = true;
    }
  }
  return bad ? 1 : 0;
}
