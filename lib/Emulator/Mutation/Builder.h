//===- Builder.h - Collects the mutants of one statement --------*- C++ -*-===//

#ifndef BSMM_LIB_EMULATOR_MUTATION_BUILDER_H
#define BSMM_LIB_EMULATOR_MUTATION_BUILDER_H

#include "Statements.h"

#include "bsmm/Emulator/Mutation.h"

namespace bsmm::emulator::mutation {

/// Adds mutants of the current statement. Replacements that compute something
/// first do so in a scope of their own, with the names below.
class Builder {
public:
  explicit Builder(std::vector<Mutant> &mutants) : mutants(mutants) {}

  const Statement *statement = nullptr;

  void add(const char *operatorName, const std::string &detail,
           const std::string &replacement,
           std::vector<std::string> conditions = {});

  /// The statement with operand `index` replaced by `operation` of it and
  /// `value`: "add.s32", "xor.b64"... An integer literal is computed here when
  /// `operation` is add or xor.
  std::string withChanged(size_t index, const char *type, const char *operation,
                          int64_t value) const;

  /// A condition: the statement, with a trap before it where `compare` holds
  /// ("setp.ne.b32", operands "%r1, 0"), for the lanes that execute it.
  std::string trapWhere(const std::string &setUp, const std::string &compare,
                        const std::string &operands) const;

private:
  std::vector<Mutant> &mutants;
};

/// Does the mutant delete its instruction, or what a wait waits for?
bool isDeletion(const Mutant &mutant);

void addSynchronisationMutants(Builder &b);
void addPredicateMutants(Builder &b);
void addLayoutMutants(Builder &b);
void addMapMutants(std::vector<Mutant> &mutants, const Launch &launch);

} // namespace bsmm::emulator::mutation

#endif // BSMM_LIB_EMULATOR_MUTATION_BUILDER_H
