//===- Mutation.h - Mutants of a launch case --------------------*- C++ -*-===//
//
// Measures how good the emulator's checks are: changes one synchronising or
// layout-bearing place of a correct kernel at a time and asks whether a run
// notices. docs/mutation-testing.md defines the operators and what counts.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_EMULATOR_MUTATION_H
#define BSMM_EMULATOR_MUTATION_H

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/LaunchFile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace bsmm::emulator::mutation {

class Flow;
struct Statement;

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

/// A change of one tensor map of the launch file.
struct MapChange {
  enum class Field : uint8_t { None, Swizzle, Box, Dim, Stride, ElementStride };
  Field field = Field::None;
  size_t parameter = 0;
  size_t placement = 0;
  unsigned dim = 0;
  uint64_t value = 0; ///< the new one
};

/// One changed place. Either `replacement` takes the place of the bytes
/// [begin, end) of the PTX text, or `map` changes the launch.
struct Mutant {
  std::string id; ///< operator:line[#n][:detail], stable for a given case
  std::string operatorName;
  uint32_t line = 0;  ///< of the PTX text; 0 for the launch file
  std::string before; ///< the statement, or the field
  std::string after;
  size_t begin = 0;
  size_t end = 0;
  std::string replacement;
  MapChange map;
  /// Replacements of the same bytes by which the unmutated kernel must execute
  /// a trap, one each: the mutant exists only where they do. They leave out
  /// changes that change nothing, such as a parity that is always 0 held at 0.
  std::vector<std::string> conditions;
  /// The statement's predicate, as written ("@%p1 ", or empty).
  std::string predicate;
};

/// Names of all operators with what they do, in the order of the documents.
struct OperatorInfo {
  const char *name;
  const char *summary;
};
const std::vector<OperatorInfo> &operators();

/// All mutants of a case, in the order of the text, before their conditions are
/// asked. `program` was loaded from `file.ptx`.
std::vector<Mutant> enumerate(const LaunchFile &file, const Program &program);

/// The PTX text of a mutant.
std::string mutatedText(const std::string &ptx, const Mutant &mutant);

/// Does `pattern` match all of `text`? '*' stands for any characters; several
/// patterns are separated by commas.
bool matches(const std::string &pattern, const std::string &text);

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

enum class Outcome : uint8_t {
  Survived,
  Killed,
  Refused, ///< the text is no PTX any more: says nothing about the emulator
  Crashed  ///< the emulator itself broke down
};

struct Verdict {
  Outcome outcome = Outcome::Survived;
  std::string mode; ///< the mode that killed it
  /// "result", "mode-difference", "time-out", or the kind of the diagnostic.
  std::string kind;
  std::string message;
  unsigned runs = 0;
};

/// Runs a case and its mutants. Not for several threads at once.
class Judge {
public:
  /// `file` is kept. With `strict`, missing recommended fences kill as well.
  Judge(LaunchFile &file, bool strict);

  /// Runs the unmutated kernel in all modes. False and `error` when it isn't
  /// clean: then nothing can be said about its mutants.
  bool baseline(std::string &error);

  /// Modes are tried in turn until one kills.
  Verdict judge(const Mutant &mutant);
  Verdict judgeText(const std::string &ptx);

  /// What some modes report: kinds, lines and the lines they name, all that a
  /// run goes on after.
  std::set<std::string> faults(const std::string &ptx);

  /// Does the text execute a trap in the first mode?
  bool traps(const std::string &ptx);
  /// ... in any of the modes? What else happens plays no role.
  bool trapsInSomeMode(const std::string &ptx);

  static size_t modeCount();
  static std::string modeName(size_t mode);

private:
  Verdict runModes(const Program &program);
  Report runOnce(const Program &program, size_t mode, uint64_t limit,
                 uint32_t maxDiagnostics = 1);
  std::vector<uint8_t> outputs() const;

  LaunchFile &file;
  bool strict;
  std::vector<uint64_t> instructions; ///< of the unmutated runs, by mode
  std::vector<uint8_t> expected; ///< for a case that expects nothing itself
};

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

/// Why a mutant computes the same: a claim that the tool checks.
struct Reason {
  std::string ids; ///< pattern
  std::string kind;
  std::string why;             ///< one line for people
  std::vector<uint32_t> lines; ///< the claim's other places
  std::string path;            ///< of its file
  bool namesOne = false;       ///< `ids` is no pattern and must exist
};

/// Reads the reasons for a case from all files of a folder that are for it
/// (docs/mutation-testing.md).
bool readReasons(const std::string &folder, const std::string &caseName,
                 std::vector<Reason> &reasons, std::string &error);

struct ReasonCheck {
  bool explained = false;
  std::string kind;
  std::string why;
  std::string failure;         ///< why the claim doesn't hold
  std::vector<uint32_t> lines; ///< that do the same
};

/// The reasons of one case and what their claims are about.
class Reasons {
public:
  /// `all` are the mutants of the case, `survivors` those that survived.
  Reasons(const std::vector<Reason> &reasons, const std::string &ptx,
          const std::vector<Mutant> &all, std::vector<const Mutant *> survivors,
          Judge &judge);
  ~Reasons();

  /// Finds the reason for a survivor and checks its claim by more runs.
  ReasonCheck check(const Mutant &survivor);

private:
  struct Edit {
    size_t begin;
    size_t end;
    std::string text;
  };
  std::string textWith(std::vector<Edit> edits) const;
  bool survives(const std::vector<Edit> &edits);
  bool addsFaults(const std::vector<Edit> &edits, const Edit &more);
  bool deletionAt(uint32_t line, Edit &edit) const;
  std::string checkClaim(const Reason &reason, const Mutant &survivor,
                         std::vector<uint32_t> &lines);
  std::string checkGroup(const std::vector<uint32_t> &lines,
                         const Mutant &survivor);
  const Statement *statementOf(const Mutant &mutant) const;
  std::string checkDominated(const Mutant &survivor,
                             std::vector<uint32_t> &lines) const;
  std::string checkIdle(const Mutant &survivor);
  std::string checkLaterCommit(const Mutant &survivor,
                               std::vector<uint32_t> &lines);
  std::string checkZeros(const Mutant &survivor);
  std::string checkName(const Mutant &survivor);
  std::string checkJoint(const Reason &reason, const Mutant &survivor);
  std::string checkTurn(const Reason &reason, const Mutant &survivor);
  std::string checkObserved(const Reason &reason, const Mutant &survivor);
  std::string checkDeadStore(const Mutant &survivor);
  std::string checkExit(const Mutant &survivor);

  const std::vector<Reason> &reasons;
  const std::string &ptx;
  const std::vector<Mutant> &all;
  std::vector<const Mutant *> survivors;
  Judge &judge;
  std::vector<Statement> statements;
  std::unique_ptr<Flow> flow;
  std::map<std::string, bool> known; ///< texts that were judged
  std::map<std::string, std::set<std::string>> knownFaults;
};

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

struct Entry {
  Mutant mutant;
  Verdict verdict;
  ReasonCheck reason;
};

struct Score {
  std::string name; ///< of the case
  bool strict = false;
  std::vector<Entry> entries;
  std::vector<std::string> problems; ///< of the case as a whole
  size_t leftOut = 0;                ///< mutants whose conditions don't hold
  double seconds = 0;

  size_t count(Outcome outcome) const;
  size_t equivalents() const;
  size_t unexplained() const;
  size_t mutants() const { return entries.size() - count(Outcome::Refused); }
};

/// A table of all cases, then what survived.
std::string formatScores(const std::vector<Score> &scores);
/// schema bsmm.mutation.report/1
std::string scoresToJson(const std::vector<Score> &scores);

} // namespace bsmm::emulator::mutation

#endif // BSMM_EMULATOR_MUTATION_H
