//===- Parser.cpp - PTX module reader ---------------------------*- C++ -*-===//
//
// Recursive descent over the tokens (PTX ISA, "Syntax", "Directives"). Every
// limit below exists so that a damaged file ends in an error and never in a
// huge allocation or a deep recursion.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"

#include <cstring>

namespace bsmm::emulator::ptx {

namespace {
constexpr uint64_t kMaxRegisters = 1u << 20;
constexpr uint64_t kMaxVariableBytes = 1ull << 28;
constexpr uint32_t kMaxDepth = 64;
constexpr uint32_t kMaxScopes = 1u << 18;

class Parser {
public:
  Parser(Module &module, SourceError &error) : module(module), error(error) {}

  bool run() {
    if (!tokenize(module.text, tokens, error))
      return false;
    while (!at(TokenKind::End))
      if (!topLevel())
        return false;
    if (module.version.empty())
      return fail("expected a .version directive, got none");
    if (module.target.empty())
      return fail("expected a .target directive, got none");
    return true;
  }

private:
  //===--------------------------------------------------------------------===//
  // Tokens
  //===--------------------------------------------------------------------===//

  const Token &token(size_t ahead = 0) const {
    size_t index = position + ahead;
    return index < tokens.size() ? tokens[index] : tokens.back();
  }
  bool at(TokenKind kind) const { return token().kind == kind; }
  bool at(char punctuation, size_t ahead = 0) const {
    return token(ahead).kind == TokenKind::Punctuation &&
           token(ahead).punctuation == punctuation;
  }
  bool atDirective(std::string_view text) const {
    return token().kind == TokenKind::Directive && token().text == text;
  }
  void advance() {
    if (position + 1 < tokens.size())
      ++position;
  }
  bool accept(char punctuation) {
    if (!at(punctuation))
      return false;
    advance();
    return true;
  }
  std::string shown() const {
    if (at(TokenKind::End))
      return "the end of the file";
    return "'" + std::string(token().text.substr(0, 40)) + "'";
  }
  bool fail(const std::string &message) {
    error.line = token().line;
    error.message = message;
    return false;
  }
  bool expect(char punctuation) {
    if (accept(punctuation))
      return true;
    return fail(std::string("expected '") + punctuation + "', got " + shown());
  }
  bool expectName(std::string_view &name) {
    if (!at(TokenKind::Identifier))
      return fail("expected a name, got " + shown());
    name = token().text;
    advance();
    return true;
  }
  bool expectInteger(uint64_t &value) {
    if (!at(TokenKind::Integer))
      return fail("expected an integer, got " + shown());
    value = token().value;
    advance();
    return true;
  }

  /// Skips a section body or another { } block that has no meaning here.
  bool skipBlock() {
    if (!expect('{'))
      return false;
    uint64_t depth = 1;
    while (depth != 0) {
      if (at(TokenKind::End))
        return fail("expected '}', got the end of the file");
      if (at('{'))
        ++depth;
      if (at('}'))
        --depth;
      advance();
    }
    return true;
  }

  bool skipLine() {
    uint32_t line = token().line;
    while (!at(TokenKind::End) && token().line == line)
      advance();
    return true;
  }

  bool skipStatement() {
    while (!at(TokenKind::End) && !at(';'))
      advance();
    return expect(';');
  }

  //===--------------------------------------------------------------------===//
  // Module scope
  //===--------------------------------------------------------------------===//

  bool topLevel() {
    if (accept(';'))
      return true;
    if (!at(TokenKind::Directive))
      return fail("expected a directive, got " + shown());
    std::string_view name = token().text;
    if (name == ".version") {
      uint32_t line = token().line;
      advance();
      if (!at(TokenKind::Float) && !at(TokenKind::Integer))
        return fail("expected a version number, got " + shown());
      module.version = std::string(token().text);
      (void)line;
      advance();
      return true;
    }
    if (name == ".target") {
      advance();
      std::string_view target;
      if (!expectName(target))
        return false;
      module.target = std::string(target);
      while (accept(','))
        if (!expectName(target))
          return false;
      return true;
    }
    if (name == ".address_size") {
      advance();
      uint64_t bits;
      if (!expectInteger(bits))
        return false;
      if (bits != 64)
        return fail("expected .address_size 64, got " + std::to_string(bits));
      return true;
    }
    if (name == ".file" || name == ".loc" || name == ".alias")
      return skipLine();
    if (name == ".pragma") {
      advance();
      return skipStatement();
    }
    if (name == ".section") {
      advance();
      while (!at('{') && !at(TokenKind::End))
        advance();
      return skipBlock();
    }
    bool isExternal = false;
    while (atDirective(".visible") || atDirective(".extern") ||
           atDirective(".weak") || atDirective(".common")) {
      isExternal |= atDirective(".extern");
      advance();
    }
    if (atDirective(".entry") || atDirective(".func"))
      return function();
    StateSpace space = StateSpace::None;
    if (atDirective(".global"))
      space = StateSpace::Global;
    else if (atDirective(".const"))
      space = StateSpace::Const;
    else if (atDirective(".shared"))
      space = StateSpace::Shared;
    else
      return fail("unknown directive " + shown());
    advance();
    std::vector<Variable> read;
    if (!variables(space, isExternal, read))
      return false;
    for (Variable &variable : read)
      if (!addModuleVariable(std::move(variable)))
        return false;
    return true;
  }

  bool addModuleVariable(Variable variable) {
    auto found = module.variableIndex.find(variable.name);
    if (found != module.variableIndex.end()) {
      Variable &old = module.variables[found->second];
      if (old.isExternal || variable.isExternal) {
        if (old.isExternal && !variable.isExternal)
          old = std::move(variable);
        return true;
      }
      error.line = variable.line;
      error.message = "variable '" + variable.name + "' is defined twice";
      return false;
    }
    module.variableIndex.emplace(variable.name, module.variables.size());
    module.variables.push_back(std::move(variable));
    return true;
  }

  /// What follows the state space: alignment, type, names and initialisers.
  bool variables(StateSpace space, bool isExternal,
                 std::vector<Variable> &result) {
    uint32_t alignment = 0;
    uint32_t vector = 1;
    uint32_t bits = 0;
    while (at(TokenKind::Directive)) {
      std::string_view text = token().text;
      if (text == ".align") {
        advance();
        uint64_t value;
        if (!expectInteger(value))
          return false;
        if (value == 0 || (value & (value - 1)) != 0 || value > 4096)
          return fail("expected an alignment that is a power of two up to "
                      "4096, got " +
                      std::to_string(value));
        alignment = static_cast<uint32_t>(value);
        continue;
      }
      if (text == ".v2" || text == ".v4" || text == ".v8") {
        vector = static_cast<uint32_t>(text[2] - '0');
      } else if (text == ".ptr") {
        // `.ptr .global .align 16` describes the pointee: only a hint.
        advance();
        while (at(TokenKind::Directive)) {
          bool isAlign = atDirective(".align");
          advance();
          if (isAlign) {
            uint64_t value;
            if (!expectInteger(value))
              return false;
          }
        }
        break;
      } else if (text == ".attribute" || text == ".managed") {
        advance();
        if (accept('('))
          while (!accept(')')) {
            if (at(TokenKind::End))
              return fail("expected ')', got the end of the file");
            advance();
          }
        continue;
      } else if (text == ".surfref" || text == ".texref" ||
                 text == ".samplerref") {
        bits = 64;
      } else if (uint32_t found = typeBits(text.substr(1))) {
        bits = found;
      } else {
        return fail("expected a type, got " + shown());
      }
      advance();
    }
    if (bits == 0)
      return fail("expected a type, got " + shown());
    do {
      Variable variable;
      variable.line = token().line;
      variable.space = space;
      variable.isExternal = isExternal;
      std::string_view name;
      if (!expectName(name))
        return false;
      variable.name = std::string(name);
      uint32_t element = bits <= 8 ? 1 : bits / 8;
      variable.elementBytes = static_cast<uint8_t>(element);
      uint64_t count = vector;
      while (accept('[')) {
        if (accept(']')) {
          variable.isUnsized = true;
          continue;
        }
        uint64_t extent;
        if (!expectInteger(extent))
          return false;
        if (extent > kMaxVariableBytes || count * extent > kMaxVariableBytes)
          return fail("variable '" + variable.name + "' is too large");
        count *= extent;
        if (!expect(']'))
          return false;
      }
      variable.alignment = alignment ? alignment : element * vector;
      variable.bytes = variable.isUnsized ? 0 : count * element;
      if (variable.bytes > kMaxVariableBytes)
        return fail("variable '" + variable.name + "' is too large");
      if (accept('=')) {
        if (!initialiser(variable, 0))
          return false;
        if (variable.isUnsized) {
          variable.isUnsized = false;
          variable.bytes = variable.initial.size();
        }
        if (variable.initial.size() > variable.bytes)
          return fail("initialiser of '" + variable.name +
                      "' has more bytes than the variable");
      }
      // `.ptr` may also follow in a parameter: handled above.
      result.push_back(std::move(variable));
    } while (space != StateSpace::Param && accept(','));
    if (space == StateSpace::Param)
      return true;
    return expect(';');
  }

  bool initialiser(Variable &variable, uint32_t depth) {
    if (depth > 16)
      return fail("initialiser is nested too deeply");
    if (accept('{')) {
      while (!accept('}')) {
        if (!initialiser(variable, depth + 1))
          return false;
        if (!accept(',') && !at('}'))
          return fail("expected ',' or '}', got " + shown());
      }
      return true;
    }
    if (variable.initial.size() > kMaxVariableBytes)
      return fail("initialiser is too long");
    bool negative = false;
    while (at('-') || at('+')) {
      negative ^= at('-');
      advance();
    }
    uint64_t bits = 0;
    if (at(TokenKind::Integer)) {
      bits = token().value;
      if (negative)
        bits = ~bits + 1;
      advance();
    } else if (at(TokenKind::Float)) {
      bits = floatBits(token(), variable.elementBytes * 8u, negative);
      advance();
    } else if (at(TokenKind::Identifier)) {
      Variable::Relocation relocation;
      relocation.offset = variable.initial.size();
      relocation.generic = false;
      relocation.addend = 0;
      if (token().text == "generic" && at('(', 1)) {
        relocation.generic = true;
        advance();
        advance();
      }
      std::string_view name;
      if (!expectName(name))
        return false;
      relocation.symbol = std::string(name);
      if (accept('+')) {
        uint64_t addend;
        if (!expectInteger(addend))
          return false;
        relocation.addend = static_cast<int64_t>(addend);
      }
      if (relocation.generic && !expect(')'))
        return false;
      variable.relocations.push_back(relocation);
    } else {
      return fail("expected an initial value, got " + shown());
    }
    for (uint32_t i = 0; i < variable.elementBytes; ++i)
      variable.initial.push_back(i < 8 ? static_cast<uint8_t>(bits >> (8 * i))
                                       : 0);
    return true;
  }

  static uint64_t floatBits(const Token &token, uint32_t bits, bool negative) {
    uint64_t value = token.value;
    if (bits == 32 && token.isDouble) {
      double number;
      std::memcpy(&number, &value, 8);
      float narrow = static_cast<float>(number);
      uint32_t narrowBits;
      std::memcpy(&narrowBits, &narrow, 4);
      value = narrowBits;
    } else if (bits == 64 && !token.isDouble) {
      uint32_t narrowBits = static_cast<uint32_t>(value);
      float narrow;
      std::memcpy(&narrow, &narrowBits, 4);
      double number = narrow;
      std::memcpy(&value, &number, 8);
    }
    if (negative)
      value ^= 1ull << (bits == 32 ? 31 : 63);
    return value;
  }

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  bool parameterList(std::vector<Variable> &list) {
    if (!expect('('))
      return false;
    if (accept(')'))
      return true;
    do {
      if (atDirective(".param")) {
        advance();
        if (!variables(StateSpace::Param, false, list))
          return false;
      } else if (atDirective(".reg")) {
        advance();
        if (!variables(StateSpace::Param, false, list))
          return false;
        list.back().space = StateSpace::Reg;
      } else {
        return fail("expected .param, got " + shown());
      }
      if (list.size() > 4096)
        return fail("too many parameters");
    } while (accept(','));
    return expect(')');
  }

  bool function() {
    auto created = std::make_unique<Function>();
    function_ = created.get();
    Function &f = *created;
    f.isEntry = atDirective(".entry");
    f.line = token().line;
    advance();
    if (atDirective(".attribute")) {
      advance();
      while (!at(TokenKind::End) && !accept(')'))
        advance();
    }
    if (!f.isEntry && at('(') && !parameterList(f.results))
      return false;
    std::string_view name;
    if (!expectName(name))
      return false;
    f.name = std::string(name);
    if (at('(') && !parameterList(f.parameters))
      return false;
    while (at(TokenKind::Directive))
      if (!functionDirective(f))
        return false;
    if (!accept(';')) {
      if (!at('{'))
        return fail("expected '{', got " + shown());
      f.hasBody = true;
      f.scopes.emplace_back();
      for (std::vector<Variable> *list : {&f.results, &f.parameters})
        for (const Variable &variable : *list)
          if (variable.space == StateSpace::Reg &&
              !addRegister(0, variable.name,
                           static_cast<uint32_t>(variable.bytes * 8)))
            return false;
      if (!block(0, 0))
        return false;
    }
    for (auto &old : module.functions)
      if (old->name == f.name) {
        if (old->hasBody && f.hasBody) {
          error.line = f.line;
          error.message = "function '" + f.name + "' is defined twice";
          return false;
        }
        if (f.hasBody)
          old = std::move(created);
        return true;
      }
    module.functions.push_back(std::move(created));
    return true;
  }

  bool threeIntegers(uint32_t (&values)[3]) {
    advance();
    for (unsigned i = 0; i < 3; ++i) {
      uint64_t value;
      if (!expectInteger(value))
        return false;
      if (value == 0 || value > (1u << 30))
        return fail("extent out of range");
      values[i] = static_cast<uint32_t>(value);
      if (!accept(',')) {
        for (unsigned j = i + 1; j < 3; ++j)
          values[j] = 1;
        return true;
      }
    }
    return true;
  }

  bool functionDirective(Function &f) {
    std::string_view name = token().text;
    if (name == ".maxntid")
      return threeIntegers(f.maxThreads);
    if (name == ".reqntid")
      return threeIntegers(f.requiredThreads);
    if (name == ".reqnctapercluster")
      return threeIntegers(f.requiredCluster);
    if (name == ".explicitcluster") {
      f.explicitCluster = true;
      advance();
      return true;
    }
    if (name == ".minnctapersm" || name == ".maxnctapersm" ||
        name == ".maxnreg" || name == ".maxclusterrank" ||
        name == ".abi_preserve" || name == ".abi_preserve_control") {
      advance();
      uint64_t value;
      if (!expectInteger(value))
        return false;
      if (name == ".minnctapersm")
        f.minCtas = static_cast<uint32_t>(value);
      if (name == ".maxnreg")
        f.maxRegisters = static_cast<uint32_t>(value);
      return true;
    }
    if (name == ".noreturn" || name == ".blocksareclusters" ||
        name == ".unique") {
      advance();
      return true;
    }
    if (name == ".pragma") {
      advance();
      return skipStatement();
    }
    return fail("unknown function directive " + shown());
  }

  //===--------------------------------------------------------------------===//
  // Bodies
  //===--------------------------------------------------------------------===//

  bool block(uint32_t scope, uint32_t depth) {
    if (depth > kMaxDepth)
      return fail("blocks are nested too deeply");
    if (!expect('{'))
      return false;
    while (!accept('}')) {
      if (at(TokenKind::End))
        return fail("expected '}', got the end of the file");
      if (at('{')) {
        if (function_->scopes.size() >= kMaxScopes)
          return fail("too many blocks");
        uint32_t inner = static_cast<uint32_t>(function_->scopes.size());
        function_->scopes.emplace_back();
        function_->scopes.back().parent = scope;
        if (!block(inner, depth + 1))
          return false;
        continue;
      }
      if (!statement(scope))
        return false;
    }
    return true;
  }

  bool addRegister(uint32_t scope, std::string_view name, uint32_t bits) {
    Function &f = *function_;
    if (f.registers.size() >= kMaxRegisters)
      return fail("too many registers");
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64 &&
        bits != 128)
      return fail("unsupported register width");
    auto inserted = f.scopes[scope].registers.emplace(
        stored(name), static_cast<uint32_t>(f.registers.size()));
    if (!inserted.second || f.scopes[scope].variables.count(name))
      return fail("register '" + std::string(name) + "' is declared twice");
    Register reg;
    reg.bits = static_cast<uint8_t>(bits);
    reg.name = std::string(name);
    f.registers.push_back(std::move(reg));
    return true;
  }

  /// Names of register parameters don't come from the module's text.
  std::string_view stored(std::string_view name) {
    const char *begin = module.text.data();
    if (name.data() >= begin && name.data() < begin + module.text.size())
      return name;
    module.names.push_back(std::make_unique<std::string>(name));
    return *module.names.back();
  }

  bool registers(uint32_t scope) {
    advance();
    uint32_t bits = 0;
    while (at(TokenKind::Directive)) {
      std::string_view text = token().text;
      if (text == ".v2" || text == ".v4")
        return fail("vector registers are not supported");
      if (text == ".align") {
        advance();
      } else if (uint32_t found = typeBits(text.substr(1))) {
        bits = found;
      } else {
        return fail("expected a type, got " + shown());
      }
      advance();
    }
    if (bits == 0)
      return fail("expected a type, got " + shown());
    do {
      std::string_view name;
      if (!expectName(name))
        return false;
      if (accept('<')) {
        uint64_t count;
        if (!expectInteger(count) || !expect('>'))
          return false;
        Function &f = *function_;
        if (count > kMaxRegisters || f.registers.size() + count > kMaxRegisters)
          return fail("too many registers");
        f.scopes[scope].ranges.push_back(
            {name, static_cast<uint32_t>(f.registers.size()),
             static_cast<uint32_t>(count)});
        for (uint64_t i = 0; i < count; ++i) {
          Register reg;
          reg.bits = static_cast<uint8_t>(bits);
          reg.name = std::string(name) + std::to_string(i);
          f.registers.push_back(std::move(reg));
        }
      } else if (!addRegister(scope, name, bits)) {
        return false;
      }
    } while (accept(','));
    return expect(';');
  }

  /// A variable is known from its declaration to the end of its block, and
  /// hides others of its name there: two functions may each have a .shared
  /// variable of one name (PTX ISA, "Variable Declarations").
  bool addBodyVariable(uint32_t scope, Variable variable) {
    Function &f = *function_;
    auto fails = [&](const std::string &message) {
      error.line = variable.line;
      error.message = message;
      return false;
    };
    bool isLocal = variable.space == StateSpace::Local ||
                   variable.space == StateSpace::Param;
    Reference reference;
    reference.kind = isLocal ? Reference::Kind::Local : Reference::Kind::Module;
    size_t count = isLocal ? f.locals.size() : module.variables.size();
    if (count >= kMaxRegisters)
      return fails("too many variables");
    reference.index = static_cast<uint32_t>(count);
    // Parameters are names of the function's own block.
    bool isNew = f.scopes[scope].registers.count(variable.name) == 0 &&
                 !(scope == 0 && findParameter(variable.name).kind !=
                                     Reference::Kind::ByName) &&
                 f.scopes[scope]
                     .variables.emplace(stored(variable.name), reference)
                     .second;
    if (!isNew)
      return fails("variable '" + variable.name + "' is defined twice");
    for (Variable::Relocation &relocation : variable.relocations) {
      Reference target;
      if (!findVariable(scope, relocation.symbol, target))
        continue; // a name that comes later, or none: the launch looks for it
      if (target.kind != Reference::Kind::Module)
        return fails("initialiser of '" + variable.name + "' names '" +
                     relocation.symbol +
                     "', expected a variable that the module or this block "
                     "keeps in memory");
      relocation.target = static_cast<int>(target.index);
    }
    (isLocal ? f.locals : module.variables).push_back(std::move(variable));
    return true;
  }

  bool statement(uint32_t scope) {
    Function &f = *function_;
    if (accept(';'))
      return true;
    if (at(TokenKind::Directive)) {
      std::string_view name = token().text;
      if (name == ".reg")
        return registers(scope);
      if (name == ".loc" || name == ".file")
        return skipLine();
      if (name == ".pragma" || name == ".callprototype") {
        advance();
        return skipStatement();
      }
      StateSpace space = name == ".local"    ? StateSpace::Local
                         : name == ".param"  ? StateSpace::Param
                         : name == ".shared" ? StateSpace::Shared
                         : name == ".global" ? StateSpace::Global
                         : name == ".const"  ? StateSpace::Const
                                             : StateSpace::None;
      if (space == StateSpace::None)
        return fail("unknown directive " + shown());
      advance();
      std::vector<Variable> read;
      if (!variables(space, false, read))
        return false;
      if (space == StateSpace::Param && !expect(';'))
        return false;
      for (Variable &variable : read)
        if (!addBodyVariable(scope, std::move(variable)))
          return false;
      return true;
    }
    // A label, or a label with a list of call or branch targets.
    if (at(TokenKind::Identifier) && at(':', 1)) {
      std::string_view name = token().text;
      advance();
      advance();
      if (atDirective(".branchtargets") || atDirective(".calltargets")) {
        advance();
        std::vector<std::string_view> targets;
        do {
          std::string_view target;
          if (!expectName(target))
            return false;
          targets.push_back(target);
          if (targets.size() > kMaxRegisters)
            return fail("too many branch targets");
        } while (accept(','));
        f.scopes[scope].targets[name] = std::move(targets);
        return expect(';');
      }
      if (atDirective(".callprototype")) {
        advance();
        return skipStatement();
      }
      auto inserted = f.scopes[scope].labels.emplace(
          name, static_cast<uint32_t>(f.instructions.size()));
      if (!inserted.second)
        return fail("label '" + std::string(name) + "' is defined twice");
      return true;
    }
    return instruction(scope);
  }

  bool findRegister(uint32_t scope, std::string_view name, uint32_t &index) {
    const Function &f = *function_;
    while (true) {
      const Scope &here = f.scopes[scope];
      auto found = here.registers.find(name);
      if (found != here.registers.end()) {
        index = found->second;
        return true;
      }
      for (const Scope::Range &range : here.ranges) {
        size_t length = range.prefix.size();
        if (name.size() <= length || name.size() > length + 7 ||
            name.compare(0, length, range.prefix) != 0)
          continue;
        uint32_t number = 0;
        bool valid = name.size() == length + 1 || name[length] != '0';
        for (size_t i = length; i < name.size() && valid; ++i) {
          valid = name[i] >= '0' && name[i] <= '9';
          number = number * 10 + static_cast<uint32_t>(name[i] - '0');
        }
        if (valid && number < range.count) {
          index = range.first + number;
          return true;
        }
      }
      // A variable of an inner block hides a register of an outer one.
      if (scope == 0 || here.variables.count(name))
        return false;
      scope = here.parent;
    }
  }

  /// The parameter or result of this name; ByName: there is none.
  Reference findParameter(std::string_view name) const {
    const Function &f = *function_;
    for (size_t k = 0; k < f.parameters.size(); ++k)
      if (f.parameters[k].name == name)
        return {Reference::Kind::Parameter, static_cast<uint32_t>(k)};
    for (size_t k = 0; k < f.results.size(); ++k)
      if (f.results[k].name == name)
        return {Reference::Kind::Result, static_cast<uint32_t>(k)};
    return {};
  }

  /// The variable of this name that is known here.
  bool findVariable(uint32_t scope, std::string_view name,
                    Reference &result) const {
    const Function &f = *function_;
    while (true) {
      const Scope &here = f.scopes[scope];
      auto found = here.variables.find(name);
      if (found != here.variables.end()) {
        result = found->second;
        return true;
      }
      if (scope == 0)
        break;
      scope = here.parent;
    }
    result = findParameter(name);
    if (result.kind != Reference::Kind::ByName)
      return true;
    int index = module.findVariable(name);
    if (index < 0)
      return false;
    result = {Reference::Kind::Module, static_cast<uint32_t>(index)};
    return true;
  }

  bool instruction(uint32_t scope) {
    Function &f = *function_;
    Instruction result;
    result.line = token().line;
    result.scope = scope;
    if (accept('@')) {
      result.isPredicated = true;
      result.predicateNegated = accept('!');
      std::string_view name;
      if (!expectName(name))
        return false;
      if (!findRegister(scope, name, result.predicate))
        return fail("undeclared predicate '" + std::string(name) + "'");
      if (f.registers[result.predicate].bits != 1)
        return fail("expected a predicate after '@', got '" +
                    std::string(name) + "'");
    }
    if (!at(TokenKind::Identifier))
      return fail("expected an instruction, got " + shown());
    result.line = token().line;
    result.opcode = token().text;
    advance();
    bool isBranch = result.opcode == "bra" || result.opcode == "bra.uni";
    while (!accept(';')) {
      if (at(TokenKind::End))
        return fail("expected ';', got the end of the file");
      Operand operand;
      if (isBranch) {
        operand.kind = Operand::Kind::Label;
        if (!expectName(operand.text))
          return false;
      } else if (!parseOperand(scope, operand, 0)) {
        return false;
      }
      result.operands.push_back(std::move(operand));
      if (result.operands.size() > 64)
        return fail("too many operands");
      if (!accept(',') && !at(';'))
        return fail("expected ',' or ';', got " + shown());
    }
    f.instructions.push_back(std::move(result));
    if (f.instructions.size() > (1u << 22))
      return fail("too many instructions");
    return true;
  }

  bool parseOperand(uint32_t scope, Operand &operand, uint32_t depth) {
    if (!primary(scope, operand, depth))
      return false;
    if (at('|')) {
      Operand pair;
      pair.kind = Operand::Kind::Pair;
      pair.elements.push_back(std::move(operand));
      while (accept('|')) {
        pair.elements.emplace_back();
        if (!primary(scope, pair.elements.back(), depth + 1))
          return false;
      }
      operand = std::move(pair);
    }
    return true;
  }

  bool signedInteger(int64_t &value) {
    bool negative = false;
    while (at('+') || at('-')) {
      negative ^= at('-');
      advance();
    }
    uint64_t magnitude;
    if (!expectInteger(magnitude))
      return false;
    value = static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude);
    return true;
  }

  bool elementsUntil(uint32_t scope, Operand &operand, char close,
                     uint32_t depth) {
    if (accept(close))
      return true;
    while (true) {
      operand.elements.emplace_back();
      if (!parseOperand(scope, operand.elements.back(), depth + 1))
        return false;
      if (operand.elements.size() > 1024)
        return fail("too many elements");
      if (accept(close))
        return true;
      if (!expect(','))
        return false;
    }
  }

  bool primary(uint32_t scope, Operand &operand, uint32_t depth) {
    if (depth > 8)
      return fail("operands are nested too deeply");
    if (accept('{')) {
      operand.kind = Operand::Kind::Vector;
      return elementsUntil(scope, operand, '}', depth);
    }
    if (accept('(')) {
      operand.kind = Operand::Kind::Arguments;
      return elementsUntil(scope, operand, ')', depth);
    }
    if (accept('[')) {
      operand.kind = Operand::Kind::Address;
      operand.elements.emplace_back();
      if (!parseOperand(scope, operand.elements.back(), depth + 1))
        return false;
      while (at('+') || at('-')) {
        int64_t offset;
        if (!signedInteger(offset))
          return false;
        operand.value =
            static_cast<int64_t>(static_cast<uint64_t>(operand.value) +
                                 static_cast<uint64_t>(offset));
      }
      while (accept(',')) {
        operand.elements.emplace_back();
        if (!parseOperand(scope, operand.elements.back(), depth + 1))
          return false;
        if (operand.elements.size() > 16)
          return fail("too many address parts");
      }
      return expect(']');
    }
    if (accept('!')) {
      if (!primary(scope, operand, depth + 1))
        return false;
      if (operand.kind != Operand::Kind::Register ||
          function_->registers[operand.index].bits != 1)
        return fail("expected a predicate after '!'");
      operand.isNegated = !operand.isNegated;
      return true;
    }
    if (at('-') || at('+') || at('~')) {
      bool negative = false;
      bool inverted = false;
      while (at('-') || at('+') || at('~')) {
        if (at('~') || inverted) {
          if (!at('~') || inverted || negative)
            return fail("unsupported constant expression");
          inverted = true;
        } else {
          negative ^= at('-');
        }
        advance();
      }
      if (at(TokenKind::Integer)) {
        operand.kind = Operand::Kind::Integer;
        uint64_t value = token().value;
        if (negative)
          value = ~value + 1;
        if (inverted)
          value = ~value;
        operand.value = static_cast<int64_t>(value);
        advance();
        return true;
      }
      if (at(TokenKind::Float) && !inverted) {
        operand.kind = Operand::Kind::Float;
        operand.isDouble = token().isDouble;
        operand.value = static_cast<int64_t>(
            token().value ^
            (negative ? (token().isDouble ? 1ull << 63 : 1ull << 31) : 0));
        advance();
        return true;
      }
      return fail("expected a number, got " + shown());
    }
    if (at(TokenKind::Integer)) {
      operand.kind = Operand::Kind::Integer;
      operand.value = static_cast<int64_t>(token().value);
      advance();
      return true;
    }
    if (at(TokenKind::Float)) {
      operand.kind = Operand::Kind::Float;
      operand.isDouble = token().isDouble;
      operand.value = static_cast<int64_t>(token().value);
      advance();
      return true;
    }
    if (!at(TokenKind::Identifier))
      return fail("expected an operand, got " + shown());
    std::string_view name = token().text;
    operand.text = name;
    if (name == "_") {
      operand.kind = Operand::Kind::Sink;
      advance();
      return true;
    }
    if (findRegister(scope, name, operand.index)) {
      operand.kind = Operand::Kind::Register;
      advance();
      return true;
    }
    bool isVariable = findVariable(scope, name, operand.reference);
    if (name == "WARP_SZ") {
      operand.kind = Operand::Kind::Integer;
      operand.value = 32;
      advance();
      return true;
    }
    if (name[0] == '%' && !isVariable) {
      operand.kind = Operand::Kind::Special;
      if (!isSpecial(name))
        return fail("undeclared register '" + std::string(name) + "'");
      advance();
      return true;
    }
    if (isVariable || module.findFunction(name) != nullptr ||
        name == function_->name) {
      operand.kind = Operand::Kind::Symbol;
      advance();
      // Inside brackets the offset belongs to the address.
      if (depth == 0)
        while (at('+') || at('-')) {
          int64_t offset;
          if (!signedInteger(offset))
            return false;
          operand.value =
              static_cast<int64_t>(static_cast<uint64_t>(operand.value) +
                                   static_cast<uint64_t>(offset));
        }
      return true;
    }
    // Branch and call targets are resolved when the body is complete.
    operand.kind = Operand::Kind::Label;
    advance();
    return true;
  }

  static bool isSpecial(std::string_view name) {
    std::string_view base = name.substr(0, name.find('.'));
    static const char *const names[] = {"%tid",
                                        "%ntid",
                                        "%ctaid",
                                        "%nctaid",
                                        "%laneid",
                                        "%warpid",
                                        "%nwarpid",
                                        "%smid",
                                        "%nsmid",
                                        "%gridid",
                                        "%clock",
                                        "%clock64",
                                        "%clock_hi",
                                        "%lanemask_eq",
                                        "%lanemask_le",
                                        "%lanemask_lt",
                                        "%lanemask_ge",
                                        "%lanemask_gt",
                                        "%clusterid",
                                        "%nclusterid",
                                        "%cluster_ctaid",
                                        "%cluster_nctaid",
                                        "%cluster_ctarank",
                                        "%cluster_nctarank",
                                        "%is_explicit_cluster",
                                        "%globaltimer",
                                        "%globaltimer_lo",
                                        "%globaltimer_hi",
                                        "%dynamic_smem_size",
                                        "%total_smem_size",
                                        "%aggr_smem_size",
                                        "%reserved_smem_offset_begin",
                                        "%reserved_smem_offset_end",
                                        "%reserved_smem_offset_cap",
                                        "%current_graph_exec",
                                        "%pm0"};
    for (const char *known : names)
      if (base == known)
        return true;
    return false;
  }

  Module &module;
  SourceError &error;
  std::vector<Token> tokens;
  size_t position = 0;
  Function *function_ = nullptr;
};
} // namespace

uint32_t typeBits(std::string_view type) {
  static const std::unordered_map<std::string_view, uint32_t> bits = {
      {"pred", 1},   {"b8", 8},     {"u8", 8},      {"s8", 8},
      {"b16", 16},   {"u16", 16},   {"s16", 16},    {"f16", 16},
      {"bf16", 16},  {"b32", 32},   {"u32", 32},    {"s32", 32},
      {"f32", 32},   {"f16x2", 32}, {"bf16x2", 32}, {"tf32", 32},
      {"b64", 64},   {"u64", 64},   {"s64", 64},    {"f64", 64},
      {"b128", 128}, {"u16x2", 32}, {"s16x2", 32},  {"f32x2", 64}};
  auto found = bits.find(type);
  return found == bits.end() ? 0 : found->second;
}

const Function *Module::findFunction(std::string_view name) const {
  for (const auto &function : functions)
    if (function->name == name)
      return function.get();
  return nullptr;
}

int Module::findVariable(std::string_view name) const {
  auto found = variableIndex.find(std::string(name));
  return found == variableIndex.end() ? -1 : static_cast<int>(found->second);
}

std::unique_ptr<Module> parseModule(std::string text, SourceError &error) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  if (!Parser(*module, error).run())
    return nullptr;
  return module;
}

} // namespace bsmm::emulator::ptx
