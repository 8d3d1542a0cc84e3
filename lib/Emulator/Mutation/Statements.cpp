//===- Statements.cpp - Instructions as text --------------------*- C++ -*-===//

#include "Statements.h"

#include "../Code.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace bsmm::emulator::mutation {

static bool isBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

static std::string trim(const std::string &text) {
  size_t begin = 0, end = text.size();
  while (begin < end && isBlank(text[begin]))
    ++begin;
  while (end > begin && isBlank(text[end - 1]))
    --end;
  return text.substr(begin, end - begin);
}

bool Statement::isA(const char *prefix) const {
  size_t length = std::strlen(prefix);
  return opcode.compare(0, length, prefix) == 0 &&
         (opcode.size() == length || opcode[length] == '.' ||
          opcode[length] == ':');
}

bool Statement::has(const char *modifier) const {
  std::string wanted = std::string(".") + modifier;
  for (size_t at = opcode.find(wanted); at != std::string::npos;
       at = opcode.find(wanted, at + 1)) {
    size_t end = at + wanted.size();
    if (end == opcode.size() || opcode[end] == '.')
      return true;
  }
  return false;
}

static std::string join(const std::string &predicate, const std::string &opcode,
                        const std::vector<std::string> &operands) {
  std::string text = predicate + opcode;
  for (size_t k = 0; k < operands.size(); ++k)
    text += (k == 0 ? " " : ", ") + operands[k];
  return text + ";";
}

std::string Statement::text() const {
  return join(predicate, opcode, operands);
}

std::string Statement::withOperand(size_t index,
                                   const std::string &operand) const {
  std::vector<std::string> changed = operands;
  changed[index] = operand;
  return join(predicate, opcode, changed);
}

std::string Statement::withOpcode(const std::string &changed) const {
  return join(predicate, changed, operands);
}

std::string Statement::withSetUp(const std::string &setUp,
                                 const std::string &statement) const {
  return "{ " + setUp + " " + statement + " }";
}

std::vector<Statement> collectStatements(const std::string &ptx,
                                         const Program &program) {
  std::vector<Statement> statements;
  const ptx::Module &module = *program.compiled().source;
  const char *base = module.text.data();
  for (const auto &function : module.functions) {
    for (const ptx::Instruction &instruction : function->instructions) {
      const char *at = instruction.opcode.data();
      if (at < base || at >= base + module.text.size() ||
          module.text.size() != ptx.size())
        continue;
      Statement s;
      s.line = instruction.line;
      s.begin = static_cast<size_t>(at - base);
      s.opcode = std::string(instruction.opcode);
      if (instruction.isPredicated) {
        size_t sign = ptx.rfind('@', s.begin);
        if (sign == std::string::npos)
          continue;
        s.predicate = trim(ptx.substr(sign, s.begin - sign)) + " ";
        s.predicateBytes = s.begin - sign;
        s.begin = sign;
      }
      size_t from = static_cast<size_t>(at - base) + s.opcode.size();
      size_t semicolon = ptx.find(';', from);
      if (semicolon == std::string::npos)
        continue;
      s.end = semicolon + 1;
      int depth = 0;
      std::string operand;
      for (size_t k = from; k < semicolon; ++k) {
        char c = ptx[k];
        if (c == ',' && depth == 0) {
          s.operands.push_back(trim(operand));
          operand.clear();
          continue;
        }
        depth += c == '{' || c == '[' || c == '(';
        depth -= c == '}' || c == ']' || c == ')';
        operand += c;
      }
      if (!trim(operand).empty())
        s.operands.push_back(trim(operand));
      if (!statements.empty() && statements.back().line == s.line)
        s.onLine = statements.back().onLine + 1;
      statements.push_back(std::move(s));
    }
  }
  return statements;
}

bool isInteger(const std::string &operand, int64_t &value) {
  if (operand.empty())
    return false;
  char *end = nullptr;
  value = static_cast<int64_t>(std::strtoull(operand.c_str(), &end, 0));
  if (end == operand.c_str())
    return false;
  if (*end == 'U')
    ++end;
  return *end == '\0';
}

std::string addToAddress(const std::string &operand, int64_t delta) {
  if (operand.size() < 3 || operand.front() != '[' || operand.back() != ']')
    return "";
  std::string inner = operand.substr(1, operand.size() - 2);
  std::string rest;
  if (size_t comma = inner.find(','); comma != std::string::npos) {
    rest = inner.substr(comma);
    inner = inner.substr(0, comma);
  }
  inner = trim(inner);
  int64_t offset = 0;
  if (size_t plus = inner.rfind('+'); plus != std::string::npos) {
    if (!isInteger(trim(inner.substr(plus + 1)), offset))
      return "";
    inner = trim(inner.substr(0, plus));
  }
  offset += delta;
  return "[" + inner + "+" + std::to_string(offset) + rest + "]";
}

} // namespace bsmm::emulator::mutation
