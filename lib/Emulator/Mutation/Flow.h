//===- Flow.h - What comes next on every path -------------------*- C++ -*-===//
//
// The control flow of a PTX function, for claims about what lies between two
// instructions.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_EMULATOR_MUTATION_FLOW_H
#define BSMM_LIB_EMULATOR_MUTATION_FLOW_H

#include "Statements.h"

#include <functional>
#include <set>

namespace bsmm::emulator::mutation {

/// The instructions from a place to the first ones on each path that stop the
/// search.
struct FlowRegion {
  std::set<uint32_t> stops; ///< lines
  bool reachesEnd = false;  ///< the end of the thread, or its begin
  std::vector<const Statement *> between;
};

class Flow {
public:
  /// Both are kept.
  Flow(const Program &program, const std::vector<Statement> &statements);

  enum class Direction { Forward, Backward };

  /// The place itself counts as deleted: paths go through it.
  FlowRegion search(size_t begin, Direction direction,
                    const std::function<bool(const Statement &)> &stops) const;

private:
  std::vector<std::vector<uint32_t>> successors; ///< by pc
  std::vector<std::vector<uint32_t>> predecessors;
  std::vector<const Statement *>
      statementAt;             ///< by pc; null: no text of its own
  std::vector<uint8_t> ends;   ///< a path ends here
  std::vector<uint8_t> begins; ///< ... or begins here
};

} // namespace bsmm::emulator::mutation

#endif // BSMM_LIB_EMULATOR_MUTATION_FLOW_H
