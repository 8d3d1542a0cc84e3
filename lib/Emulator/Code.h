//===- Code.h - Decoded PTX -------------------------------------*- C++ -*-===//
//
// Each PTX instruction becomes one Inst with a handler. Operands are byte
// offsets into the warp's register file, in which constants have slots too, so
// that handlers never ask what an operand is.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_EMULATOR_CODE_H
#define BSMM_LIB_EMULATOR_CODE_H

#include "Ptx.h"

#include "bsmm/Emulator/Units/TensorArithmetic.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace bsmm::emulator {

struct Exec;
struct Inst;

/// What the interpreter does after a handler.
enum class Step : uint8_t {
  Next,    ///< go on behind the instruction
  Jumped,  ///< the handler changed the split's pc or the set of splits
  Blocked, ///< the split waits; it runs this pc again when woken
  Waiting, ///< the split waits; it goes on behind the instruction when woken
  Exited,  ///< the split is gone
  Failed   ///< a fatal error: the run stops
};

using StepFn = Step (*)(Exec &, const Inst &, uint32_t mask);

/// Which lanes must execute an instruction together.
enum class Together : uint8_t {
  Alone,
  Aligned,   ///< every lane of the warp that has not exited
  MemberMask ///< those of the member mask operand
};

constexpr uint32_t NoOperand = ~0u;

enum class Space : uint8_t {
  Generic,
  Global,
  Shared,        ///< shared::cta
  SharedCluster, ///< shared::cluster
  Param,         ///< kernel parameters
  Local,         ///< .local and call parameters
  Const
};

/// [base + immediate]: a 32- or 64-bit register or constant.
struct AddressRef {
  uint32_t offset = NoOperand;
  bool wide = true;
  Space space = Space::Generic;
  int32_t immediate = 0;
};

struct Inst {
  StepFn fn = nullptr;
  uint32_t line = 0;
  uint32_t pred = NoOperand; ///< offset of a predicate
  bool predNegated = false;
  Together together = Together::Alone;
  bool isBranch = false;
  bool isTensor = false;    ///< does its own register checks
  bool writesWgmma = false; ///< an operand of wgmma, behind its back
  bool traced = false;      ///< worth an event in a trace
  /// Registers: meaning is the handler's.
  uint32_t o[12] = {NoOperand, NoOperand, NoOperand, NoOperand,
                    NoOperand, NoOperand, NoOperand, NoOperand,
                    NoOperand, NoOperand, NoOperand, NoOperand};
  uint32_t memberMask = NoOperand;
  AddressRef addr[3];
  int64_t imm = 0;
  uint32_t target = 0;
  uint32_t reconverge = NoOperand; ///< pc, or none inside the function
  uint32_t list = 0;               ///< into CompiledModule::lists
  uint32_t listCount = 0;
  uint32_t list2 = 0;
  uint32_t list2Count = 0;
  uint8_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0; ///< the handler's
  uint32_t extra = 0;
  uint32_t defs = 0, defsCount = 0; ///< into lists: registers written
  uint32_t uses = 0, usesCount = 0; ///< into lists: registers read
  std::string_view opcode;
};

/// Where mma.sync finds its operands.
struct MmaLayout {
  units::MmaSpec spec;
  uint32_t aBits = 8; ///< of an element in its register
  uint32_t bBits = 8;
  uint32_t aShift = 0;
  uint32_t bShift = 0;
  uint32_t aRegisters = 4;
  uint32_t bRegisters = 2;
  uint32_t cRegisters = 4;
  uint32_t scaleVector = 0;
};

/// A constant slot of the register file, given its value at launch.
struct ConstantSlot {
  enum class Kind : uint8_t {
    Value,
    SharedVariable, ///< address in shared::cta, the CTA's rank included
    GlobalVariable,
    ConstVariable,
    KernelParameter, ///< address in the parameter space
    Function         ///< its index, for indirect calls
  };
  Kind kind = Kind::Value;
  uint8_t bits = 32;
  uint32_t offset = 0; ///< in the register file
  uint64_t value = 0;  ///< or an addend
  uint32_t symbol = 0; ///< variable index
};

struct CompiledFunction {
  const ptx::Function *source = nullptr;
  uint32_t entryPc = 0;
  uint32_t endPc = 0;
  /// Byte offsets of the parameters: in the kernel parameter block, or for
  /// device functions in each thread's local memory.
  std::vector<uint32_t> parameterOffsets;
  std::vector<uint32_t> resultOffsets;
  uint64_t parameterBytes = 0;
  std::vector<uint32_t> callees;
  std::vector<uint32_t> sharedVariables; ///< that it names
  bool controlsGrids = false;            ///< has griddepcontrol
};

/// CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability": local memory of a thread.
constexpr uint64_t MaximumLocalBytes = 512 * 1024;

struct CompiledModule {
  std::unique_ptr<ptx::Module> source;
  std::vector<Inst> code;
  std::vector<uint32_t> lists;
  std::vector<ConstantSlot> constants;
  std::vector<CompiledFunction> functions; ///< same order as the source
  uint32_t registerFileBytes = 0;
  uint32_t predicateBase = 0; ///< the open block of predicates
  uint32_t predicateBytesLeft = 0;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constantOffsets;
  uint64_t localBytes = 0;   ///< of each thread, at most MaximumLocalBytes
  uint32_t targetNumber = 0; ///< 90, 100, 103, 120...
  /// A new slot of the register file.
  uint32_t allocate(uint32_t bits);
  /// Name of the register at an offset, for messages.
  std::string registerName(uint32_t offset) const;
  std::map<uint32_t, std::string> registerNames;
  std::unordered_set<uint32_t> wgmmaRegisters;
  std::vector<MmaLayout> mmaLayouts;
};

enum class Ty : uint8_t {
  None,
  Pred,
  B8,
  U8,
  S8,
  B16,
  U16,
  S16,
  F16,
  BF16,
  B32,
  U32,
  S32,
  F32,
  F16x2,
  BF16x2,
  TF32,
  U16x2,
  S16x2,
  B64,
  U64,
  S64,
  F64,
  F32x2,
  B128,
  E4M3x2,
  E5M2x2,
  E2M1x2,
  E2M3x2,
  E3M2x2,
  UE8M0x2,
  E4M3x4,
  E5M2x4,
  E2M1x4,
  E2M3x4,
  E3M2x4,
  E4M3,
  E5M2,
  E2M1,
  E2M3,
  E3M2,
  UE8M0,
  UE4M3,
  S4,
  U4,
  B1
};

Ty parseType(std::string_view text);
uint32_t bitsOf(Ty type);
bool isSignedInteger(Ty type);
bool isFloat(Ty type);

/// Decodes one function's instructions. Handlers of instruction families get
/// it and fill `inst`.
class Decoder {
public:
  Decoder(CompiledModule &module, uint32_t function, std::string &error);

  /// Decodes the whole function, appending to the module's code. Errors are
  /// collected, one a line of PTX.
  void run(std::vector<ptx::SourceError> &errors);

  /// 90, 100, 103, 120 and so on.
  uint32_t targetNumber() const { return module.targetNumber; }

  // The current instruction, for the families.
  const ptx::Instruction &source() const { return *current; }
  size_t operandCount() const { return current->operands.size(); }
  const ptx::Operand &operand(size_t index) const;

  /// Removes modifier `text` if it is there.
  bool take(std::string_view text);
  /// Removes the first modifier that starts with `prefix` and returns it.
  std::string_view takePrefix(std::string_view prefix);
  /// Removes the first modifier that is one of a list; returns its index or -1.
  int takeOne(std::initializer_list<std::string_view> texts);
  /// Removes the first modifier that is a type.
  Ty takeType();
  const std::vector<std::string_view> &modifiers() const { return mods; }

  bool fail(const std::string &message);
  bool failed() const { return !error.empty(); }

  /// Operand offsets. On failure they set the error and return NoOperand.
  /// Registers must be `bits` wide; immediates are converted to `type`.
  uint32_t source(const ptx::Operand &operand, Ty type);
  uint32_t source(size_t index, Ty type) {
    return source(operand(index), type);
  }
  uint32_t destination(const ptx::Operand &operand, Ty type);
  uint32_t destination(size_t index, Ty type) {
    return destination(operand(index), type);
  }
  /// As source/destination, but wider registers are allowed (ld, st, cvt);
  /// the register's width goes to `bits`.
  uint32_t wideSource(const ptx::Operand &operand, Ty type, uint32_t &bits);
  uint32_t wideDestination(const ptx::Operand &operand, Ty type,
                           uint32_t &bits);
  uint32_t constant(uint64_t value, uint32_t bits);
  bool immediate(const ptx::Operand &operand, int64_t &value);
  /// [base + offset] as seen by an instruction of state space `space`; .param
  /// of device functions becomes Local.
  bool address(const ptx::Operand &operand, Space space, AddressRef &result);
  bool count(size_t least, size_t most);
  /// Appends to the module's lists.
  uint32_t beginList() const;
  void addToList(uint32_t value);

  CompiledModule &module;
  CompiledFunction &function;
  Inst inst;

  /// A hidden register that holds a special register's value.
  uint32_t special(std::string_view name, uint32_t bits);
  uint32_t temporary(uint32_t bits);
  uint32_t registerOffset(uint32_t index) const { return offsets[index]; }

private:
  bool decodeOne(const ptx::Instruction &instruction);
  bool decodeControl(std::string_view base);
  bool resolveLabel(const ptx::Instruction &instruction, std::string_view label,
                    uint32_t &target);
  bool findLocal(const ptx::Operand &operand, uint32_t &offset,
                 bool &isKernelParameter, uint64_t *bytes = nullptr);
  uint32_t symbolSource(const ptx::Operand &operand, uint32_t bits);
  void buildControlFlow();
  uint32_t allocateLocal(uint64_t bytes, uint32_t alignment);

  const ptx::Function &body;
  std::string &error;
  const ptx::Instruction *current = nullptr;
  std::vector<std::string_view> mods;
  std::vector<uint32_t> offsets; ///< of the function's registers
  std::vector<uint32_t> localOffsets;
  std::vector<uint32_t> firstCode; ///< source instruction to pc
  std::vector<uint32_t> pendingDefs, pendingUses;
  struct BranchFixup {
    uint32_t pc;
    const ptx::Instruction *instruction;
    std::string_view label;
    uint32_t listEntry; ///< NoOperand: the inst's target
  };
  std::vector<BranchFixup> fixups;
  std::vector<std::pair<std::string_view, uint32_t>> specials;
};

/// Decodes the rest of an instruction whose name (up to some dots) it was
/// registered for.
using DecodeFn = bool (*)(Decoder &);
using OpTable = std::unordered_map<std::string_view, DecodeFn>;

void registerInteger(OpTable &table);
void registerFloat(OpTable &table);
void registerConvert(OpTable &table);
void registerMemory(OpTable &table);
void registerWarp(OpTable &table);
void registerBarriers(OpTable &table);
void registerBulkCopies(OpTable &table);
void registerMatrix(OpTable &table);
void registerWgmma(OpTable &table);
void registerTcgen05(OpTable &table);
const OpTable &opTable();

/// Reads the special register `id` (see Decoder::special).
Step execSpecial(Exec &exec, const Inst &inst, uint32_t mask);
int specialRegisterId(std::string_view name);
uint32_t specialRegisterBits(int id);
Step execBranch(Exec &exec, const Inst &inst, uint32_t mask);
Step execBranchIndexed(Exec &exec, const Inst &inst, uint32_t mask);
Step execCall(Exec &exec, const Inst &inst, uint32_t mask);
Step execReturn(Exec &exec, const Inst &inst, uint32_t mask);
Step execExit(Exec &exec, const Inst &inst, uint32_t mask);
Step execTrap(Exec &exec, const Inst &inst, uint32_t mask);
Step execNothing(Exec &exec, const Inst &inst, uint32_t mask);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_CODE_H
