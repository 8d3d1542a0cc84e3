//===- Statements.h - Instructions as text ----------------------*- C++ -*-===//
//
// Where each instruction of a PTX text stands, cut into predicate, opcode and
// operands, so that one can be replaced without touching the rest.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_EMULATOR_MUTATION_STATEMENTS_H
#define BSMM_LIB_EMULATOR_MUTATION_STATEMENTS_H

#include "bsmm/Emulator/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bsmm::emulator::mutation {

struct Statement {
  uint32_t line = 0;
  unsigned onLine = 0; ///< how many instructions of its line come before it
  size_t begin = 0;    ///< in the text, predicate included
  size_t end = 0;      ///< behind the semicolon
  size_t predicateBytes = 0; ///< from `begin` to the opcode
  std::string predicate;     ///< "@%p1 ", or empty
  std::string opcode;
  std::vector<std::string> operands; ///< without blanks around them

  bool isA(const char *prefix) const;
  bool has(const char *modifier) const; ///< ".modifier" as a whole
  std::string text() const;
  /// The statement with one operand replaced.
  std::string withOperand(size_t index, const std::string &operand) const;
  std::string withOpcode(const std::string &opcode) const;
  /// ... and code before it, in a scope of its own.
  std::string withSetUp(const std::string &setUp,
                        const std::string &statement) const;
};

std::vector<Statement> collectStatements(const std::string &ptx,
                                         const Program &program);

/// "[base+4]" with `delta` added to the offset of its first element; empty when
/// the operand has no such form.
std::string addToAddress(const std::string &operand, int64_t delta);

/// An integer literal: decimal, hexadecimal, with or without U.
bool isInteger(const std::string &operand, int64_t &value);

} // namespace bsmm::emulator::mutation

#endif // BSMM_LIB_EMULATOR_MUTATION_STATEMENTS_H
