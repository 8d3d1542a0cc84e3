//===- Decoder.cpp - Operands and instruction names -------------*- C++ -*-===//

#include "Code.h"
#include "Machine.h"

#include <algorithm>
#include <cstring>

namespace bsmm::emulator {

using ptx::Operand;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Ty parseType(std::string_view text) {
  static const std::unordered_map<std::string_view, Ty> types = {
      {"pred", Ty::Pred},     {"b8", Ty::B8},         {"u8", Ty::U8},
      {"s8", Ty::S8},         {"b16", Ty::B16},       {"u16", Ty::U16},
      {"s16", Ty::S16},       {"f16", Ty::F16},       {"bf16", Ty::BF16},
      {"b32", Ty::B32},       {"u32", Ty::U32},       {"s32", Ty::S32},
      {"f32", Ty::F32},       {"f16x2", Ty::F16x2},   {"bf16x2", Ty::BF16x2},
      {"tf32", Ty::TF32},     {"u16x2", Ty::U16x2},   {"s16x2", Ty::S16x2},
      {"b64", Ty::B64},       {"u64", Ty::U64},       {"s64", Ty::S64},
      {"f64", Ty::F64},       {"f32x2", Ty::F32x2},   {"b128", Ty::B128},
      {"e4m3x2", Ty::E4M3x2}, {"e5m2x2", Ty::E5M2x2}, {"e2m1x2", Ty::E2M1x2},
      {"e2m3x2", Ty::E2M3x2}, {"e3m2x2", Ty::E3M2x2}, {"ue8m0x2", Ty::UE8M0x2},
      {"e4m3x4", Ty::E4M3x4}, {"e5m2x4", Ty::E5M2x4}, {"e2m1x4", Ty::E2M1x4},
      {"e2m3x4", Ty::E2M3x4}, {"e3m2x4", Ty::E3M2x4}, {"e4m3", Ty::E4M3},
      {"e5m2", Ty::E5M2},     {"e2m1", Ty::E2M1},     {"e2m3", Ty::E2M3},
      {"e3m2", Ty::E3M2},     {"ue8m0", Ty::UE8M0},   {"ue4m3", Ty::UE4M3},
      {"s4", Ty::S4},         {"u4", Ty::U4},         {"b1", Ty::B1}};
  auto found = types.find(text);
  return found == types.end() ? Ty::None : found->second;
}

uint32_t bitsOf(Ty type) {
  switch (type) {
  case Ty::None:
    return 0;
  case Ty::Pred:
  case Ty::B1:
    return 1;
  case Ty::S4:
  case Ty::U4:
  case Ty::E2M1:
    return 4;
  case Ty::E2M3:
  case Ty::E3M2:
    return 6;
  case Ty::B8:
  case Ty::U8:
  case Ty::S8:
  case Ty::E2M1x2:
  case Ty::E4M3:
  case Ty::E5M2:
  case Ty::UE8M0:
  case Ty::UE4M3:
    return 8;
  case Ty::B16:
  case Ty::U16:
  case Ty::S16:
  case Ty::F16:
  case Ty::BF16:
  case Ty::E4M3x2:
  case Ty::E5M2x2:
  case Ty::E2M3x2:
  case Ty::E3M2x2:
  case Ty::UE8M0x2:
  case Ty::E2M1x4:
    return 16;
  case Ty::B64:
  case Ty::U64:
  case Ty::S64:
  case Ty::F64:
  case Ty::F32x2:
    return 64;
  case Ty::B128:
    return 128;
  default:
    return 32;
  }
}

bool isSignedInteger(Ty type) {
  return type == Ty::S8 || type == Ty::S16 || type == Ty::S32 ||
         type == Ty::S64 || type == Ty::S16x2 || type == Ty::S4;
}

bool isFloat(Ty type) {
  switch (type) {
  case Ty::F16:
  case Ty::BF16:
  case Ty::F32:
  case Ty::TF32:
  case Ty::F64:
  case Ty::F16x2:
  case Ty::BF16x2:
  case Ty::F32x2:
    return true;
  default:
    return false;
  }
}

std::string CompiledModule::registerName(uint32_t offset) const {
  auto found = registerNames.find(offset);
  return found == registerNames.end() ? "register" : found->second;
}

uint32_t CompiledModule::allocate(uint32_t bits) {
  if (bits == 1) {
    if (predicateBytesLeft == 0) {
      predicateBase = registerFileBytes;
      predicateBytesLeft = 128;
      registerFileBytes += 128;
    }
    uint32_t offset = predicateBase + (128 - predicateBytesLeft);
    predicateBytesLeft -= 4;
    return offset;
  }
  uint32_t offset = registerFileBytes;
  registerFileBytes += bits <= 32 ? 128 : bits == 64 ? 256 : 512;
  return offset;
}

const OpTable &opTable() {
  static const OpTable table = [] {
    OpTable built;
    registerInteger(built);
    registerFloat(built);
    registerConvert(built);
    registerMemory(built);
    registerWarp(built);
    registerBarriers(built);
    registerBulkCopies(built);
    registerMatrix(built);
    registerWgmma(built);
    registerTcgen05(built);
    return built;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

Decoder::Decoder(CompiledModule &module, uint32_t index, std::string &error)
    : module(module), function(module.functions[index]),
      body(*module.source->functions[index]), error(error) {
  function.source = &body;
  offsets.reserve(body.registers.size());
  for (const ptx::Register &reg : body.registers) {
    offsets.push_back(module.allocate(reg.bits));
    module.registerNames.emplace(offsets.back(), reg.name);
  }
  for (const ptx::Variable &variable : body.locals)
    localOffsets.push_back(allocateLocal(variable.bytes, variable.alignment));
}

uint32_t Decoder::allocateLocal(uint64_t bytes, uint32_t alignment) {
  uint32_t align = std::max(alignment, 1u);
  uint64_t offset = (module.localBytes + align - 1) & ~uint64_t(align - 1);
  if (offset + bytes > MaximumLocalBytes) {
    if (error.empty())
      error = "local memory exceeds the limit of 512 KiB a thread";
    return 0;
  }
  module.localBytes = offset + bytes;
  return static_cast<uint32_t>(offset);
}

bool Decoder::fail(const std::string &message) {
  if (error.empty())
    error = message;
  return false;
}

const Operand &Decoder::operand(size_t index) const {
  static const Operand none;
  return index < current->operands.size() ? current->operands[index] : none;
}

bool Decoder::count(size_t least, size_t most) {
  size_t got = current->operands.size();
  if (got >= least && got <= most)
    return true;
  std::string expected = std::to_string(least);
  if (most != least)
    expected += " to " + std::to_string(most);
  return fail("expected " + expected + " operands, got " + std::to_string(got));
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool Decoder::take(std::string_view text) {
  auto found = std::find(mods.begin(), mods.end(), text);
  if (found == mods.end())
    return false;
  mods.erase(found);
  return true;
}

std::string_view Decoder::takePrefix(std::string_view prefix) {
  for (auto it = mods.begin(); it != mods.end(); ++it)
    if (it->substr(0, prefix.size()) == prefix) {
      std::string_view text = *it;
      mods.erase(it);
      return text;
    }
  return {};
}

int Decoder::takeOne(std::initializer_list<std::string_view> texts) {
  for (auto it = mods.begin(); it != mods.end(); ++it) {
    int index = 0;
    for (std::string_view text : texts) {
      if (*it == text) {
        mods.erase(it);
        return index;
      }
      ++index;
    }
  }
  return -1;
}

Ty Decoder::takeType() {
  for (auto it = mods.begin(); it != mods.end(); ++it) {
    Ty type = parseType(*it);
    if (type != Ty::None) {
      mods.erase(it);
      return type;
    }
  }
  return Ty::None;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

uint32_t Decoder::beginList() const {
  return static_cast<uint32_t>(module.lists.size());
}

void Decoder::addToList(uint32_t value) { module.lists.push_back(value); }

uint32_t Decoder::constant(uint64_t value, uint32_t bits) {
  uint32_t width = bits == 1 ? 1 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
  if (width == 32)
    value &= 0xFFFFFFFFu;
  auto key = std::make_pair(width, value);
  auto found = module.constantOffsets.find(key);
  if (found != module.constantOffsets.end())
    return found->second;
  ConstantSlot slot;
  slot.bits = static_cast<uint8_t>(width);
  slot.offset = module.allocate(width);
  slot.value = value;
  module.constants.push_back(slot);
  module.constantOffsets.emplace(key, slot.offset);
  return slot.offset;
}

uint32_t Decoder::temporary(uint32_t bits) { return module.allocate(bits); }

uint32_t Decoder::special(std::string_view name, uint32_t bits) {
  int id = specialRegisterId(name);
  if (id < 0) {
    fail("unknown special register '" + std::string(name) + "'");
    return NoOperand;
  }
  uint32_t own = specialRegisterBits(id);
  // %tid and its like may be read as 16 bits (PTX 1.x code).
  if (bits != own && !(own == 32 && bits == 16) && !(own == 32 && bits == 64)) {
    fail("special register '" + std::string(name) + "' has " +
         std::to_string(own) + " bits, expected " + std::to_string(bits));
    return NoOperand;
  }
  Inst read;
  read.fn = execSpecial;
  read.line = current->line;
  read.extra = static_cast<uint32_t>(id);
  read.a = static_cast<uint8_t>(bits);
  read.o[0] = temporary(bits);
  read.opcode = "mov";
  module.code.push_back(read);
  return read.o[0];
}

static std::string operandText(const Operand &operand) {
  if (!operand.text.empty())
    return "'" + std::string(operand.text.substr(0, 60)) + "'";
  switch (operand.kind) {
  case Operand::Kind::Integer:
    return std::to_string(operand.value);
  case Operand::Kind::Vector:
    return "a vector";
  case Operand::Kind::Address:
    return "an address";
  case Operand::Kind::None:
    return "none";
  default:
    return "another kind of operand";
  }
}

/// Where a variable of the function lies: in local memory, or, of an entry's
/// parameter, among the kernel's parameters.
bool Decoder::findLocal(const Operand &operand, uint32_t &offset,
                        bool &isKernelParameter, uint64_t *bytes) {
  uint32_t index = operand.reference.index;
  const ptx::Variable *variable = nullptr;
  isKernelParameter = false;
  switch (operand.reference.kind) {
  case ptx::Reference::Kind::Local:
    variable = &body.locals[index];
    offset = localOffsets[index];
    break;
  case ptx::Reference::Kind::Parameter:
    variable = &body.parameters[index];
    offset = function.parameterOffsets[index];
    isKernelParameter = body.isEntry;
    break;
  case ptx::Reference::Kind::Result:
    variable = &body.results[index];
    offset = function.resultOffsets[index];
    break;
  case ptx::Reference::Kind::Module:
  case ptx::Reference::Kind::ByName:
    return false;
  }
  if (bytes != nullptr)
    *bytes = variable->bytes;
  return true;
}

uint32_t Decoder::symbolSource(const Operand &operand, uint32_t bits) {
  if (bits != 32 && bits != 64) {
    fail("the address of " + operandText(operand) +
         " needs a 32- or 64-bit register");
    return NoOperand;
  }
  ConstantSlot slot;
  slot.bits = static_cast<uint8_t>(bits);
  slot.value = static_cast<uint64_t>(operand.value);
  uint32_t local;
  bool isKernelParameter;
  if (findLocal(operand, local, isKernelParameter)) {
    if (!isKernelParameter)
      return constant(local + slot.value, bits);
    slot.kind = ConstantSlot::Kind::KernelParameter;
    slot.value += local;
  } else {
    if (operand.reference.kind == ptx::Reference::Kind::Module) {
      slot.symbol = operand.reference.index;
      const ptx::Variable &variable = module.source->variables[slot.symbol];
      switch (variable.space) {
      case ptx::StateSpace::Shared:
        slot.kind = ConstantSlot::Kind::SharedVariable;
        function.sharedVariables.push_back(slot.symbol);
        break;
      case ptx::StateSpace::Const:
        slot.kind = ConstantSlot::Kind::ConstVariable;
        break;
      default:
        slot.kind = ConstantSlot::Kind::GlobalVariable;
        break;
      }
    } else {
      size_t number = 0;
      for (; number < module.source->functions.size(); ++number)
        if (module.source->functions[number]->name == operand.text)
          break;
      if (number == module.source->functions.size()) {
        fail("undeclared name " + operandText(operand));
        return NoOperand;
      }
      slot.kind = ConstantSlot::Kind::Function;
      slot.symbol = static_cast<uint32_t>(number);
    }
  }
  slot.offset = module.allocate(bits);
  module.constants.push_back(slot);
  return slot.offset;
}

static uint64_t floatImmediate(const Operand &operand, uint32_t bits) {
  uint64_t value = static_cast<uint64_t>(operand.value);
  if (bits == 32 && operand.isDouble) {
    double number;
    std::memcpy(&number, &value, 8);
    float narrow = static_cast<float>(number);
    uint32_t narrowBits;
    std::memcpy(&narrowBits, &narrow, 4);
    return narrowBits;
  }
  if (bits == 64 && !operand.isDouble) {
    uint32_t narrowBits = static_cast<uint32_t>(value);
    float narrow;
    std::memcpy(&narrow, &narrowBits, 4);
    double number = narrow;
    std::memcpy(&value, &number, 8);
  }
  return value;
}

uint32_t Decoder::wideSource(const Operand &operand, Ty type, uint32_t &bits) {
  uint32_t wanted = bitsOf(type);
  switch (operand.kind) {
  case Operand::Kind::Register: {
    bits = body.registers[operand.index].bits;
    uint32_t offset = offsets[operand.index];
    pendingUses.push_back(offset);
    if (operand.isNegated) {
      if (type != Ty::Pred) {
        fail("'!' needs a predicate");
        return NoOperand;
      }
      Inst invert;
      invert.fn = [](Exec &x, const Inst &i, uint32_t) {
        *x.r<uint32_t>(i.o[0]) = ~*x.r<uint32_t>(i.o[1]);
        return Step::Next;
      };
      invert.line = current->line;
      invert.opcode = "not.pred";
      invert.o[0] = temporary(1);
      invert.o[1] = offset;
      module.code.push_back(invert);
      return invert.o[0];
    }
    return offset;
  }
  case Operand::Kind::Integer:
    bits = wanted;
    if (type == Ty::Pred)
      return constant(operand.value != 0 ? ~0u : 0, 1);
    return constant(static_cast<uint64_t>(operand.value), wanted);
  case Operand::Kind::Float:
    bits = wanted;
    if (wanted != 32 && wanted != 64) {
      fail("a float constant needs a 32- or 64-bit operand");
      return NoOperand;
    }
    return constant(floatImmediate(operand, wanted), wanted);
  case Operand::Kind::Special:
    bits = wanted;
    return special(operand.text, wanted);
  case Operand::Kind::Symbol:
    bits = wanted;
    return symbolSource(operand, wanted);
  case Operand::Kind::Label:
    fail("undeclared name " + operandText(operand));
    return NoOperand;
  default:
    fail("expected a register or constant, got " + operandText(operand));
    return NoOperand;
  }
}

uint32_t Decoder::source(const Operand &operand, Ty type) {
  uint32_t bits = 0;
  uint32_t offset = wideSource(operand, type, bits);
  if (offset != NoOperand && operand.kind == Operand::Kind::Register &&
      bits != bitsOf(type)) {
    fail("operand " + operandText(operand) + " has " + std::to_string(bits) +
         " bits, expected " + std::to_string(bitsOf(type)));
    return NoOperand;
  }
  return offset;
}

uint32_t Decoder::wideDestination(const Operand &operand, Ty type,
                                  uint32_t &bits) {
  if (operand.kind == Operand::Kind::Sink) {
    bits = bitsOf(type);
    return temporary(bits < 16 && bits != 1 ? 32 : bits);
  }
  if (operand.kind != Operand::Kind::Register || operand.isNegated) {
    fail("expected a destination register, got " + operandText(operand));
    return NoOperand;
  }
  bits = body.registers[operand.index].bits;
  pendingDefs.push_back(offsets[operand.index]);
  return offsets[operand.index];
}

uint32_t Decoder::destination(const Operand &operand, Ty type) {
  uint32_t bits = 0;
  uint32_t offset = wideDestination(operand, type, bits);
  if (offset != NoOperand && bits != bitsOf(type)) {
    fail("destination " + operandText(operand) + " has " +
         std::to_string(bits) + " bits, expected " +
         std::to_string(bitsOf(type)));
    return NoOperand;
  }
  return offset;
}

bool Decoder::immediate(const Operand &operand, int64_t &value) {
  if (operand.kind != Operand::Kind::Integer)
    return fail("expected an integer constant, got " + operandText(operand));
  value = operand.value;
  return true;
}

bool Decoder::address(const Operand &operand, Space space, AddressRef &result) {
  if (operand.kind != Operand::Kind::Address)
    return fail("expected an address in brackets, got " + operandText(operand));
  const Operand &base = operand.elements[0];
  if (operand.value < INT32_MIN || operand.value > INT32_MAX)
    return fail("address offset out of range");
  result.immediate = static_cast<int32_t>(operand.value);
  result.space = space;
  switch (base.kind) {
  case Operand::Kind::Register: {
    uint32_t bits = body.registers[base.index].bits;
    if (bits != 32 && bits != 64)
      return fail("an address needs a 32- or 64-bit register, got " +
                  std::to_string(bits) + " bits");
    result.wide = bits == 64;
    result.offset = offsets[base.index];
    pendingUses.push_back(result.offset);
    return true;
  }
  case Operand::Kind::Integer:
    result.wide = true;
    result.offset = constant(static_cast<uint64_t>(base.value), 64);
    return true;
  case Operand::Kind::Symbol: {
    uint32_t local;
    bool isKernelParameter;
    if (findLocal(base, local, isKernelParameter) && !isKernelParameter)
      result.space = Space::Local;
    result.wide = true;
    result.offset = symbolSource(base, 64);
    return result.offset != NoOperand;
  }
  default:
    return fail("expected an address, got " + operandText(base));
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool Decoder::resolveLabel(const ptx::Instruction &instruction,
                           std::string_view label, uint32_t &target) {
  uint32_t scope = instruction.scope;
  while (true) {
    const ptx::Scope &here = body.scopes[scope];
    auto found = here.labels.find(label);
    if (found != here.labels.end()) {
      target = firstCode[found->second];
      return true;
    }
    if (scope == 0)
      return false;
    scope = here.parent;
  }
}

bool Decoder::decodeControl(std::string_view base) {
  take("uni");
  inst.isBranch = true;
  if (base == "bra") {
    if (!count(1, 1))
      return false;
    inst.fn = execBranch;
    fixups.push_back({static_cast<uint32_t>(module.code.size()), current,
                      operand(0).text, NoOperand});
    return true;
  }
  if (base == "brx.idx") {
    if (!count(2, 2))
      return false;
    inst.fn = execBranchIndexed;
    inst.o[0] = source(0, Ty::U32);
    if (failed())
      return false;
    const std::vector<std::string_view> *targets = nullptr;
    uint32_t scope = current->scope;
    while (targets == nullptr) {
      const ptx::Scope &here = body.scopes[scope];
      auto found = here.targets.find(operand(1).text);
      if (found != here.targets.end())
        targets = &found->second;
      if (scope == 0)
        break;
      scope = here.parent;
    }
    if (targets == nullptr)
      return fail("expected a list of branch targets");
    inst.list = beginList();
    inst.listCount = static_cast<uint32_t>(targets->size());
    for (std::string_view target : *targets) {
      fixups.push_back({static_cast<uint32_t>(module.code.size()), current,
                        target, beginList()});
      addToList(0);
    }
    return true;
  }
  if (base == "call") {
    inst.fn = execCall;
    size_t index = 0;
    const Operand *results = nullptr;
    const Operand *arguments = nullptr;
    if (operand(0).kind == Operand::Kind::Arguments)
      results = &operand(index++);
    const Operand &callee = operand(index++);
    if (operand(index).kind == Operand::Kind::Arguments)
      arguments = &operand(index++);
    if (callee.kind != Operand::Kind::Symbol)
      return fail("indirect calls are not supported");
    size_t number = 0;
    for (; number < module.source->functions.size(); ++number)
      if (module.source->functions[number]->name == callee.text)
        break;
    if (number == module.source->functions.size())
      return fail("expected a function, got " + operandText(callee));
    const ptx::Function &target = *module.source->functions[number];
    if (!target.hasBody)
      return fail("function '" + target.name + "' has no body in this module");
    if (target.isEntry)
      return fail("an entry cannot be called");
    function.callees.push_back(static_cast<uint32_t>(number));
    inst.extra = static_cast<uint32_t>(number);
    // Copies of call parameters: (destination, source, bytes) triples.
    auto copies = [&](const Operand *list, const std::vector<ptx::Variable> &to,
                      const std::vector<uint32_t> &toOffsets, bool isResult,
                      uint32_t &begin, uint32_t &entries) {
      size_t given = list == nullptr ? 0 : list->elements.size();
      if (given != to.size())
        return fail("call of '" + target.name + "' expected " +
                    std::to_string(to.size()) +
                    (isResult ? " results, got " : " arguments, got ") +
                    std::to_string(given));
      begin = beginList();
      entries = static_cast<uint32_t>(given);
      for (size_t i = 0; i < given; ++i) {
        uint32_t own;
        uint64_t bytes = 0;
        bool isKernelParameter;
        const Operand &element = list->elements[i];
        if (element.kind != Operand::Kind::Symbol ||
            !findLocal(element, own, isKernelParameter, &bytes) ||
            isKernelParameter || to[i].space == ptx::StateSpace::Reg)
          return fail("call arguments and results must be .param variables");
        if (bytes != to[i].bytes)
          return fail("call of '" + target.name +
                      "': " + (isResult ? "result '" : "argument '") +
                      std::string(element.text) + "' has " +
                      std::to_string(bytes) + " bytes, expected " +
                      std::to_string(to[i].bytes));
        addToList(isResult ? own : toOffsets[i]);
        addToList(isResult ? toOffsets[i] : own);
        addToList(static_cast<uint32_t>(to[i].bytes));
      }
      return true;
    };
    const CompiledFunction &compiled = module.functions[number];
    return copies(arguments, target.parameters, compiled.parameterOffsets,
                  false, inst.list, inst.listCount) &&
           copies(results, target.results, compiled.resultOffsets, true,
                  inst.list2, inst.list2Count);
  }
  if (base == "ret" || base == "exit") {
    inst.fn = base == "ret" && !body.isEntry ? execReturn : execExit;
    return count(0, 0);
  }
  inst.isBranch = false;
  if (base == "trap") {
    inst.fn = execTrap;
    return count(0, 0);
  }
  inst.fn = execNothing; // brkpt, pmevent
  return true;
}

bool Decoder::decodeOne(const ptx::Instruction &instruction) {
  current = &instruction;
  inst = Inst();
  inst.line = instruction.line;
  inst.opcode = instruction.opcode;
  pendingDefs.clear();
  pendingUses.clear();
  // The pieces between the dots.
  std::vector<std::string_view> parts;
  std::string_view rest = instruction.opcode;
  while (true) {
    size_t dot = rest.find('.');
    parts.push_back(rest.substr(0, dot));
    if (dot == std::string_view::npos)
      break;
    rest = rest.substr(dot + 1);
  }
  auto predicate = [&] {
    if (instruction.isPredicated) {
      inst.pred = offsets[instruction.predicate];
      inst.predNegated = instruction.predicateNegated;
    }
  };
  predicate();
  bool known = false;
  static const std::string_view control[] = {
      "bra", "brx.idx", "call", "ret", "exit", "trap", "brkpt", "pmevent"};
  size_t length = 0;
  for (size_t used = std::min<size_t>(parts.size(), 5); used > 0 && !known;
       --used) {
    length = 0;
    for (size_t i = 0; i < used; ++i)
      length += parts[i].size() + (i != 0);
    std::string_view base = instruction.opcode.substr(0, length);
    mods.assign(parts.begin() + static_cast<long>(used), parts.end());
    for (std::string_view name : control)
      if (base == name) {
        known = true;
        if (!decodeControl(base))
          return false;
      }
    if (known)
      break;
    auto found = opTable().find(base);
    if (found == opTable().end())
      continue;
    known = true;
    if (!found->second(*this))
      return fail("malformed instruction");
  }
  if (!known)
    return fail("unknown instruction '" + std::string(instruction.opcode) +
                "'");
  if (failed())
    return false;
  if (!mods.empty())
    return fail("unknown instruction '" + std::string(instruction.opcode) +
                "': modifier '." + std::string(mods.front()) +
                "' is not supported here");
  inst.defs = beginList();
  inst.defsCount = static_cast<uint32_t>(pendingDefs.size());
  for (uint32_t offset : pendingDefs)
    addToList(offset);
  inst.uses = beginList();
  inst.usesCount = static_cast<uint32_t>(pendingUses.size());
  for (uint32_t offset : pendingUses)
    addToList(offset);
  module.code.push_back(inst);
  return true;
}

void Decoder::run(std::vector<ptx::SourceError> &errors) {
  function.entryPc = static_cast<uint32_t>(module.code.size());
  if (!error.empty()) {
    errors.push_back({body.line, error});
    error.clear();
  }
  for (const ptx::Instruction &instruction : body.instructions) {
    firstCode.push_back(static_cast<uint32_t>(module.code.size()));
    if (!decodeOne(instruction)) {
      std::string message = error;
      error.clear();
      bool repeated = false;
      for (const ptx::SourceError &old : errors)
        repeated |= old.message == message;
      if (!repeated)
        errors.push_back({instruction.line, message});
    }
  }
  firstCode.push_back(static_cast<uint32_t>(module.code.size()));
  // Falling off the end returns.
  Inst end;
  end.fn = body.isEntry ? execExit : execReturn;
  end.isBranch = true;
  end.line =
      body.instructions.empty() ? body.line : body.instructions.back().line;
  end.opcode = "ret";
  module.code.push_back(end);
  function.endPc = static_cast<uint32_t>(module.code.size());
  if (!errors.empty())
    return;
  for (const BranchFixup &fixup : fixups) {
    uint32_t target;
    if (!resolveLabel(*fixup.instruction, fixup.label, target)) {
      errors.push_back({fixup.instruction->line,
                        "undefined label '" + std::string(fixup.label) + "'"});
      continue;
    }
    if (fixup.listEntry == NoOperand)
      module.code[fixup.pc].target = target;
    else
      module.lists[fixup.listEntry] = target;
  }
  if (errors.empty())
    buildControlFlow();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Gives each branch the first instruction of its immediate post-dominator:
/// where diverged lanes meet again (Cooper, Harvey, Kennedy, "A Simple, Fast
/// Dominance Algorithm", on the reversed graph).
void Decoder::buildControlFlow() {
  uint32_t begin = function.entryPc;
  uint32_t size = function.endPc - begin;
  auto successors = [&](uint32_t index, std::vector<uint32_t> &result) {
    const Inst &i = module.code[begin + index];
    result.clear();
    bool falls = true;
    if (i.fn == execBranch) {
      result.push_back(i.target - begin);
      falls = i.pred != NoOperand;
    } else if (i.fn == execBranchIndexed) {
      for (uint32_t k = 0; k < i.listCount; ++k)
        result.push_back(module.lists[i.list + k] - begin);
      falls = i.pred != NoOperand;
    } else if (i.fn == execReturn || i.fn == execExit || i.fn == execTrap) {
      result.push_back(size);
      falls = i.pred != NoOperand;
    }
    if (falls)
      result.push_back(index + 1 < size ? index + 1 : size);
  };
  // Blocks.
  std::vector<uint8_t> leader(size + 1, 0);
  leader[0] = 1;
  std::vector<uint32_t> next;
  for (uint32_t i = 0; i < size; ++i) {
    const Inst &code = module.code[begin + i];
    if (!code.isBranch)
      continue;
    successors(i, next);
    for (uint32_t s : next)
      leader[s] = 1;
    if (i + 1 <= size)
      leader[i + 1] = 1;
  }
  std::vector<uint32_t> blockOf(size + 1), first;
  for (uint32_t i = 0; i < size; ++i) {
    if (leader[i])
      first.push_back(i);
    blockOf[i] = static_cast<uint32_t>(first.size() - 1);
  }
  uint32_t exitBlock = static_cast<uint32_t>(first.size());
  blockOf[size] = exitBlock;
  uint32_t blocks = exitBlock + 1;
  std::vector<std::vector<uint32_t>> forward(blocks), backward(blocks);
  for (uint32_t b = 0; b < exitBlock; ++b) {
    uint32_t last = (b + 1 < exitBlock ? first[b + 1] : size) - 1;
    successors(last, next);
    for (uint32_t s : next) {
      forward[b].push_back(blockOf[s]);
      backward[blockOf[s]].push_back(b);
    }
  }
  // Postorder of the reversed graph from the exit.
  std::vector<uint32_t> order(blocks, NoOperand), sequence;
  std::vector<std::pair<uint32_t, size_t>> stack{{exitBlock, 0}};
  std::vector<uint8_t> visited(blocks, 0);
  visited[exitBlock] = 1;
  while (!stack.empty()) {
    auto &[block, at] = stack.back();
    if (at < backward[block].size()) {
      uint32_t s = backward[block][at++];
      if (!visited[s]) {
        visited[s] = 1;
        stack.push_back({s, 0});
      }
    } else {
      order[block] = static_cast<uint32_t>(sequence.size());
      sequence.push_back(block);
      stack.pop_back();
    }
  }
  std::vector<uint32_t> postDominator(blocks, NoOperand);
  postDominator[exitBlock] = exitBlock;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t k = sequence.size(); k-- > 0;) {
      uint32_t block = sequence[k];
      if (block == exitBlock)
        continue;
      uint32_t chosen = NoOperand;
      for (uint32_t s : forward[block]) {
        if (order[s] == NoOperand || postDominator[s] == NoOperand)
          continue;
        if (chosen == NoOperand) {
          chosen = s;
          continue;
        }
        uint32_t a = s, b = chosen;
        while (a != b) {
          while (order[a] < order[b])
            a = postDominator[a];
          while (order[b] < order[a])
            b = postDominator[b];
        }
        chosen = a;
      }
      if (postDominator[block] != chosen) {
        postDominator[block] = chosen;
        changed = true;
      }
    }
  }
  for (uint32_t i = 0; i < size; ++i) {
    Inst &code = module.code[begin + i];
    if (!code.isBranch)
      continue;
    uint32_t target = postDominator[blockOf[i]];
    if (target != NoOperand && target < exitBlock)
      code.reconverge = begin + first[target];
  }
}

} // namespace bsmm::emulator
