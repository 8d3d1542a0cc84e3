//===- Workers.h - Judges mutants in several processes ----------*- C++ -*-===//

#ifndef BSMM_TOOLS_MUTATE_WORKERS_H
#define BSMM_TOOLS_MUTATE_WORKERS_H

#include "bsmm/Emulator/Mutation.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

/// What earlier runs found out, a line of JSON each, so that a long scoring can
/// be stopped and go on.
class Journal {
public:
  /// An empty path: no journal. False when the file can't be written.
  bool open(const std::string &path);
  ~Journal();
  /// `key` names the case's text, the checks and the mutant.
  const bsmm::emulator::mutation::Verdict *find(const std::string &key) const;
  void add(const std::string &key,
           const bsmm::emulator::mutation::Verdict &verdict);

private:
  std::FILE *file = nullptr;
  std::map<std::string, bsmm::emulator::mutation::Verdict> known;
};

struct CaseTask {
  bsmm::emulator::LaunchFile *file;
  bsmm::emulator::mutation::Judge *judge; ///< its baseline was run
  const std::vector<bsmm::emulator::mutation::Mutant> *all;
  std::vector<size_t> chosen; ///< indices into `all`
  std::vector<bsmm::emulator::mutation::Reason> reasons;
  std::string key; ///< for the journal
};

/// Judges the chosen mutants in `jobs` processes, then checks the reasons of
/// the survivors, and fills the score's entries. Mutants whose conditions don't
/// hold are left out. A process that breaks down counts as a crash of its
/// mutant and is replaced.
void judgeAll(const CaseTask &task, unsigned jobs, bool quiet, Journal &journal,
              bsmm::emulator::mutation::Score &score);

#endif // BSMM_TOOLS_MUTATE_WORKERS_H
