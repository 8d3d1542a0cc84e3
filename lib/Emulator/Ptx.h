//===- Ptx.h - PTX text as a syntax tree ------------------------*- C++ -*-===//
//
// The reader's result: one node per directive and instruction, names resolved
// to registers, symbols and labels, nothing interpreted yet (PTX ISA, "Syntax"
// and "State Spaces, Types, and Variables").
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_EMULATOR_PTX_H
#define BSMM_LIB_EMULATOR_PTX_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bsmm::emulator::ptx {

struct SourceError {
  uint32_t line = 0;
  std::string message;
};

enum class TokenKind : uint8_t {
  Identifier,
  Directive,
  Integer,
  Float,
  String,
  Punctuation,
  End
};

struct Token {
  TokenKind kind = TokenKind::End;
  char punctuation = 0;
  bool isDouble = true; ///< of a float: 0d... and decimal, not 0f...
  uint32_t line = 0;
  uint64_t value = 0; ///< integer value or the bits of the float
  std::string_view text;
};

/// Splits `text`; comments and blanks vanish. False on a character that PTX
/// doesn't know, with the error set. The tokens point into `text`.
bool tokenize(std::string_view text, std::vector<Token> &tokens,
              SourceError &error);

enum class StateSpace : uint8_t {
  None,
  Reg,
  Param,
  Local,
  Shared,
  Global,
  Const
};

/// A register: `bits` is 1 (predicate), 8, 16, 32, 64 or 128.
struct Register {
  uint8_t bits = 32;
  std::string name;
};

struct Variable {
  std::string name;
  StateSpace space = StateSpace::None;
  uint32_t alignment = 1;
  uint64_t bytes = 0;
  uint8_t elementBytes = 1;
  bool isExternal = false;
  bool isUnsized = false; ///< name[]: dynamic shared memory
  uint32_t line = 0;
  /// Initial contents; missing bytes are zero. `relocations` are places that
  /// take the generic address of another variable.
  std::vector<uint8_t> initial;
  struct Relocation {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
    bool generic;
    int target = -1; ///< index into the module's variables; -1: by name
  };
  std::vector<Relocation> relocations;
};

/// What the name of a variable stands for where it is used.
struct Reference {
  enum class Kind : uint8_t {
    ByName,    ///< a function
    Module,    ///< Module::variables
    Local,     ///< Function::locals
    Parameter, ///< Function::parameters
    Result     ///< Function::results
  };
  Kind kind = Kind::ByName;
  uint32_t index = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    None,
    Register, ///< index
    Integer,  ///< value
    Float,    ///< value holds the bits, isDouble says of which width
    Symbol,   ///< a variable or function: reference; value is an addend
    Special,  ///< text: %tid.x ...
    Sink,     ///< _
    Vector,   ///< elements
    Address,  ///< elements[0] the base, value the offset, further elements
    Pair,     ///< a|b: elements
    Label,    ///< text
    Arguments ///< ( ... ) of call: elements
  };
  Kind kind = Kind::None;
  bool isNegated = false; ///< !p
  bool isDouble = true;
  uint32_t index = 0;
  int64_t value = 0;
  std::string_view text;
  Reference reference;
  std::vector<Operand> elements;
};

struct Instruction {
  uint32_t line = 0;
  std::string_view opcode;
  bool isPredicated = false;
  bool predicateNegated = false;
  uint32_t predicate = 0; ///< register index
  uint32_t scope = 0;     ///< for labels
  std::vector<Operand> operands;
};

struct Scope {
  uint32_t parent = 0;
  std::unordered_map<std::string_view, uint32_t> labels; ///< to instruction
  std::unordered_map<std::string_view, std::vector<std::string_view>> targets;
  std::unordered_map<std::string_view, uint32_t> registers;
  struct Range {
    std::string_view prefix;
    uint32_t first;
    uint32_t count;
  };
  std::vector<Range> ranges;
  std::unordered_map<std::string_view, Reference> variables;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  uint32_t line = 0;
  std::vector<Variable> parameters;
  std::vector<Variable> results;
  std::vector<Register> registers;
  std::vector<Variable> locals; ///< .local and call .param of the body
  std::vector<Instruction> instructions;
  std::vector<Scope> scopes;
  uint32_t maxThreads[3] = {0, 0, 0};
  uint32_t requiredThreads[3] = {0, 0, 0};
  uint32_t requiredCluster[3] = {0, 0, 0};
  bool explicitCluster = false;
  uint32_t minCtas = 0;
  uint32_t maxRegisters = 0;
};

struct Module {
  std::string text; ///< owns what the views point to
  std::string version;
  std::string target;
  uint32_t addressSize = 64;
  /// Those of module scope, and .shared, .global and .const of bodies.
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;

  const Function *findFunction(std::string_view name) const;
  /// Index into `variables` of one of module scope, or -1.
  int findVariable(std::string_view name) const;
  std::unordered_map<std::string, uint32_t> variableIndex;
  std::vector<std::unique_ptr<std::string>> names; ///< kept for the views
};

/// Reads `text`. Null and `error` when it isn't PTX.
std::unique_ptr<Module> parseModule(std::string text, SourceError &error);

/// Bits of a fundamental type written as `.b32`, `.f16x2`, `.pred`...; 0 for
/// anything else.
uint32_t typeBits(std::string_view type);

} // namespace bsmm::emulator::ptx

#endif // BSMM_LIB_EMULATOR_PTX_H
