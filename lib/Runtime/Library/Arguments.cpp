//===- Arguments.cpp - arguments of the C ABI, checked --------------------===//

#include "Arguments.h"
#include "bsmm/Runtime/Selection.h"

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;
using target::ElementType;
using ParamKind = ManifestParam::Kind;

static std::string number(int64_t value) { return std::to_string(value); }

static bsmm_status unsupported(const std::string &text) {
  return fail(BSMM_UNSUPPORTED_PROBLEM, text);
}

static std::string layoutName(bsmm_layout layout) {
  switch (layout) {
  case BSMM_LAYOUT_ROWS:
    return "rows (linear)";
  case BSMM_LAYOUT_BLOCKED_128X4:
    return "blocked_128x4";
  case BSMM_LAYOUT_VECTOR:
    return "vector";
  case BSMM_LAYOUT_BYTES:
    return "bytes";
  case BSMM_LAYOUT_COLUMN_MAJOR:
    return "column_major";
  default:
    return "layout " + number(layout);
  }
}

static bsmm_layout layoutOf(const OperandRules &rules, Role role) {
  if (role == Role::Workspace)
    return BSMM_LAYOUT_BYTES;
  if (rules.isVector)
    return BSMM_LAYOUT_VECTOR;
  if (rules.isColumnMajor)
    return BSMM_LAYOUT_COLUMN_MAJOR;
  return rules.isScaleTiles ? BSMM_LAYOUT_BLOCKED_128X4 : BSMM_LAYOUT_ROWS;
}

/// Whether data of the caller's type may be read as the kernel's type.
static bool mayStandFor(bsmm_element given, ElementType expected) {
  if (given == BSMM_ELEMENT_NONE || given == bsmm_element(expected))
    return true;
  if (given == BSMM_U8)
    return target::bitWidth(expected) <= 8;
  // The sign of a scale is ignored, see docs/abi.md.
  return given == BSMM_E4M3 && expected == ElementType::UE4M3;
}

/// Type, layout and strides of one operand.
static bsmm_status checkForm(const bsmm_operand &operand, Role role,
                             const OperandRules &rules) {
  std::string name(roleName(role));
  if (operand.element < 0 || operand.element >= int(target::numElementTypes))
    return fail(BSMM_INVALID_ARGUMENT, name +
                                           ": expected an element type, got " +
                                           number(operand.element));
  if (operand.layout < BSMM_LAYOUT_UNSPECIFIED ||
      operand.layout > BSMM_LAYOUT_COLUMN_MAJOR)
    return fail(BSMM_INVALID_ARGUMENT,
                name + ": expected a layout, got " + number(operand.layout));
  if (operand.reserved != 0)
    return fail(BSMM_UNSUPPORTED_VERSION,
                name + ": expected 0 in the reserved member, got " +
                    number(operand.reserved));
  if (operand.pitch < 0 || operand.batch_stride < 0)
    return fail(BSMM_INVALID_ARGUMENT,
                name +
                    ": expected a pitch and a batch stride of 0 (the "
                    "default) or more, got " +
                    number(operand.pitch) + " and " +
                    number(operand.batch_stride));
  if (role == Role::Workspace) {
    if (operand.pitch != 0 || operand.batch_stride != 0)
      return fail(BSMM_INVALID_ARGUMENT,
                  name + ": expected no pitch and no batch stride");
    return BSMM_OK;
  }
  if (!mayStandFor(operand.element, rules.type)) {
    std::string text =
        name + ": expected " + std::string(target::name(rules.type)) +
        ", which the kernel reads, got " + bsmm_element_name(operand.element);
    if (role == Role::D || role == Role::C)
      text += "; choose a kernel with that type";
    else
      text += "; convert the operand first, its bits are not reinterpreted";
    return unsupported(text);
  }
  bsmm_layout expected = layoutOf(rules, role);
  if (operand.layout != BSMM_LAYOUT_UNSPECIFIED && operand.layout != expected) {
    std::string text = name + ": expected layout " + layoutName(expected) +
                       ", got " + layoutName(operand.layout);
    if ((role == Role::SFA || role == Role::SFB) &&
        rules.type != ElementType::F32)
      text += expected == BSMM_LAYOUT_BLOCKED_128X4
                  ? "; rearrange them with bsmm_scales_to_blocked"
                  : "; rearrange them with bsmm_scales_from_blocked";
    return unsupported(text);
  }
  if ((rules.isVector || rules.isScaleTiles) && operand.pitch != 0)
    return unsupported(name + ": expected no pitch for layout " +
                       layoutName(expected) + ", got " + number(operand.pitch));
  return BSMM_OK;
}

/// What a kernel that takes no pitch or batch stride is compiled for.
static bsmm_status checkAssumedStrides(const KernelManifest &manifest,
                                       const LaunchRequest &request, Role role,
                                       const OperandRules &rules) {
  if (rules.usesTensorMap || rules.isVector || rules.isScaleTiles)
    return BSMM_OK;
  Result<OperandShape> given = operandShape(manifest, request, role);
  LaunchRequest plain = request;
  plain.operands.erase(role);
  Result<OperandShape> assumed = operandShape(manifest, plain, role);
  if (!given || !assumed)
    return unsupported(given ? assumed.error() : given.error());
  std::string name(roleName(role));
  if (!rules.takesPitch && given->rows > 1 && given->pitch != assumed->pitch)
    return unsupported(name + ": expected a pitch of " +
                       number(assumed->pitch) +
                       " elements, since this kernel takes no pitch for it, "
                       "got " +
                       number(given->pitch));
  if (!rules.takesBatchStride && request.l > 1 &&
      given->batchStride != assumed->batchStride)
    return unsupported(name + ": expected a batch stride of " +
                       number(assumed->batchStride) +
                       " elements, since this kernel takes none for it, got " +
                       number(given->batchStride));
  return BSMM_OK;
}

/// Size and alignment of an operand's memory.
static bsmm_status checkData(const KernelManifest &manifest,
                             const LaunchRequest &request,
                             const bsmm_operand &operand, Role role,
                             const OperandRules &rules, bool mayRepack,
                             int64_t &bytes) {
  std::string name(roleName(role));
  if (role == Role::Workspace) {
    Result<int64_t> needed = workspaceBytes(manifest, request);
    if (!needed)
      return unsupported(needed.error());
    bytes = *needed;
  } else {
    Result<OperandShape> shape = operandShape(manifest, request, role);
    if (!shape)
      return unsupported(shape.error());
    bytes = shape->bytes;
  }
  if (!operand.data)
    return BSMM_OK;
  if (operand.bytes != 0 && operand.bytes < static_cast<uint64_t>(bytes))
    return unsupported(name + ": expected at least " + number(bytes) +
                       " bytes for these sizes and strides, got " +
                       std::to_string(operand.bytes));
  auto address = reinterpret_cast<uintptr_t>(operand.data);
  if (bytes != 0 && address + static_cast<uint64_t>(bytes) - 1 < address)
    return fail(BSMM_INVALID_ARGUMENT,
                name + ": expected memory below the end of the address space");
  bool isMended = mayRepack && rules.usesTensorMap && role != Role::D;
  if (bytes != 0 && !isMended &&
      address % static_cast<uint64_t>(rules.addressMultiple) != 0)
    return unsupported(
        name + ": expected an address that is a multiple of " +
        number(rules.addressMultiple) + " bytes" +
        (rules.usesTensorMap ? ", as TMA needs" : "") + ", got " +
        number(static_cast<int64_t>(
            address % static_cast<uint64_t>(rules.addressMultiple))) +
        " bytes more" +
        (rules.usesTensorMap && role != Role::D
             ? "; give aligned memory, or set BSMM_REPACK for a copy"
             : ""));
  // More may be given, and an emulated kernel may then touch it.
  if (operand.bytes > static_cast<uint64_t>(bytes) &&
      operand.bytes <= static_cast<uint64_t>(INT64_MAX))
    bytes = static_cast<int64_t>(operand.bytes);
  return BSMM_OK;
}

/// The output's memory must be apart from that of the inputs, which other CTAs
/// read while it is written. C may be the output: each CTA reads its part
/// first. Ranges with gaps may lie in each other's gaps: only a byte that both
/// surely have counts.
static bsmm_status checkOutputApart(const KernelManifest &manifest,
                                    const LaunchRequest &request) {
  struct Place {
    OperandShape shape;
    uint64_t first = 0, last = 0;
    bool isDense = false;
    bool has(uint64_t byte) const {
      return byte == first || byte == last ||
             (isDense && byte > first && byte < last);
    }
  };
  auto find = [&](Role role, Place &place) {
    auto binding = request.operands.find(role);
    if (binding == request.operands.end() || !binding->second.data.address)
      return false;
    Result<OperandShape> shape = operandShape(manifest, request, role);
    if (!shape || shape->bytes == 0)
      return false;
    place.shape = *shape;
    place.first = binding->second.data.address;
    place.last = place.first + static_cast<uint64_t>(shape->bytes) - 1;
    // Blocked scales have a pitch of their own.
    bool isWhole = shape->isScaleTiles || shape->isVector || shape->rows == 1 ||
                   shape->pitch == shape->columns;
    place.isDense =
        isWhole &&
        (request.l == 1 || shape->batchStride == shape->rows * shape->pitch);
    return true;
  };
  Place output;
  if (!find(Role::D, output))
    return BSMM_OK;
  for (Role role : {Role::A, Role::B, Role::SFA, Role::SFB, Role::C, Role::SA,
                    Role::SB, Role::Bias}) {
    Place input;
    if (!find(role, input))
      continue;
    const OperandShape &shape = input.shape;
    if (role == Role::C && input.first == output.first &&
        shape.type == output.shape.type && shape.pitch == output.shape.pitch &&
        shape.batchStride == output.shape.batchStride)
      continue;
    if (output.has(input.first) || output.has(input.last) ||
        input.has(output.first) || input.has(output.last))
      return unsupported("d: expected memory apart from that of " +
                         std::string(roleName(role)) +
                         ", which the kernel reads while it writes, got some "
                         "that both have");
  }
  return BSMM_OK;
}

/// Scalars that the kernel does not take must be what it computes without.
static bsmm_status checkScalars(const KernelManifest &manifest,
                                const bsmm_arguments &given) {
  using Name = ManifestParam::ScalarName;
  auto takes = [&](Name name) {
    for (const ManifestParam &param : manifest.params)
      if (param.kind == ParamKind::Scalar && param.scalar == name)
        return true;
    return false;
  };
  auto refuse = [](const char *name, float expected, float got) {
    return unsupported(std::string(name) + ": expected " +
                       number(int64_t(expected)) +
                       ", since this kernel takes no " + name + ", got " +
                       std::to_string(got));
  };
  if (given.alpha != 1 && !takes(Name::Alpha))
    return refuse("alpha", 1, given.alpha);
  if (given.beta != 0 && !takes(Name::Beta))
    return refuse("beta", 0, given.beta);
  if (given.out_scale != 1 && !takes(Name::OutScale))
    return refuse("out_scale", 1, given.out_scale);
  return BSMM_OK;
}

bsmm_status library::readArguments(const KernelManifest &manifest,
                                   const bsmm_arguments *given, bool needsData,
                                   Arguments &arguments) {
  bsmm_arguments read{};
  if (bsmm_status status = readStructure(given, read, "arguments"))
    return status;
  if (read.operand_count > BSMM_ROLE_COUNT)
    return fail(BSMM_INVALID_ARGUMENT,
                "arguments.operand_count: expected at most " +
                    number(BSMM_ROLE_COUNT) + ", got " +
                    std::to_string(read.operand_count));
  if (read.operand_count != 0 && !read.operands)
    return fail(BSMM_INVALID_ARGUMENT,
                "arguments.operands: expected an array, got NULL");
  if (read.flags & ~bsmm_launch_flags(BSMM_REPACK | BSMM_PRECISE_SUMS))
    return fail(BSMM_UNSUPPORTED_VERSION,
                "arguments.flags: expected flags of this runtime, got " +
                    std::to_string(read.flags));
  if (read.sm_count < 0)
    return fail(BSMM_INVALID_ARGUMENT,
                "arguments.sm_count: expected 0 or more, got " +
                    number(read.sm_count));
  LaunchRequest &request = arguments.request;
  request.m = read.m;
  request.n = read.n;
  request.k = read.k;
  request.l = read.l;
  request.alpha = read.alpha;
  request.beta = read.beta;
  request.outScale = read.out_scale;
  request.smCount = read.sm_count;
  arguments.mayRepack = (read.flags & BSMM_REPACK) != 0;
  if ((read.flags & BSMM_PRECISE_SUMS) && !hasPreciseSums(manifest))
    return unsupported("numerics.promote_every: expected 1 or more for the "
                       "precise sums that were asked for, got 0");
  if (std::string text = whyNotSizes(manifest, request); !text.empty())
    return unsupported(text);
  if (bsmm_status status = checkScalars(manifest, read))
    return status;

  // First all strides, since shapes are computed from the whole request.
  OperandRules rulesOf[numRoles];
  const bsmm_operand *operandOf[numRoles] = {};
  for (size_t i = 0; i < read.operand_count; ++i) {
    const bsmm_operand &operand = read.operands[i];
    if (operand.role < 0 || operand.role >= BSMM_ROLE_COUNT)
      return fail(BSMM_INVALID_ARGUMENT,
                  "arguments.operands[" + std::to_string(i) +
                      "].role: expected a role, got " + number(operand.role));
    Role role = static_cast<Role>(operand.role);
    if (operandOf[operand.role])
      return fail(BSMM_INVALID_ARGUMENT,
                  std::string(roleName(role)) +
                      ": expected each operand once, got it twice");
    operandOf[operand.role] = &operand;
    Result<OperandRules> rules = operandRules(manifest, role);
    if (!rules)
      return unsupported(rules.error());
    rulesOf[operand.role] = *rules;
    if (bsmm_status status = checkForm(operand, role, *rules))
      return status;
    OperandBinding binding;
    binding.data.address = reinterpret_cast<uintptr_t>(operand.data);
    if (operand.pitch > 0)
      binding.pitch = operand.pitch;
    if (operand.batch_stride > 0)
      binding.batchStride = operand.batch_stride;
    request.operands[role] = binding;
  }
  for (unsigned index = 0; index < numRoles; ++index) {
    Role role = static_cast<Role>(index);
    const bsmm_operand *operand = operandOf[index];
    if (!operand) {
      if (!needsData || role == Role::Workspace ||
          !operandRules(manifest, role))
        continue;
      if (role == Role::C && request.beta == 0)
        continue;
      return unsupported(std::string(roleName(role)) +
                         ": expected this operand, got none");
    }
    if (role != Role::Workspace)
      if (bsmm_status status =
              checkAssumedStrides(manifest, request, role, rulesOf[index]))
        return status;
    int64_t bytes = 0;
    if (bsmm_status status =
            checkData(manifest, request, *operand, role, rulesOf[index],
                      arguments.mayRepack, bytes))
      return status;
    if (!operand->data) {
      if (needsData && role == Role::C && request.beta == 0)
        request.operands.erase(role);
      else if (needsData && (bytes != 0 || role == Role::Workspace))
        return unsupported(std::string(roleName(role)) +
                           ": expected memory, got NULL");
      continue;
    }
    arguments.memory.push_back(
        {role, reinterpret_cast<uintptr_t>(operand->data), bytes,
         role == Role::D || role == Role::Workspace});
  }
  return checkOutputApart(manifest, request);
}

bool library::needsRepack(const OperandRules &rules, const OperandShape &shape,
                          uint64_t address, int64_t batches) {
  if (!rules.usesTensorMap || shape.bytes == 0)
    return false;
  int64_t bits = target::bitWidth(shape.type);
  bool hasRows = !rules.isScaleTiles && !rules.isVector;
  bool isMisplaced =
      address % static_cast<uint64_t>(rules.addressMultiple) != 0;
  bool hasBadPitch =
      hasRows && shape.rows > 1 && shape.pitch % rules.pitchMultiple != 0;
  bool hasBadBatch =
      batches > 1 &&
      shape.batchStride * bits % (8 * rules.addressMultiple) != 0;
  return isMisplaced || hasBadPitch || hasBadBatch;
}

void library::addMissingOperands(const KernelManifest &manifest,
                                 LaunchRequest &request) {
  for (unsigned index = 0; index < numRoles; ++index) {
    Role role = static_cast<Role>(index);
    if (!operandRules(manifest, role))
      continue;
    OperandBinding &binding = request.operands[role];
    // A named buffer counts as aligned.
    if (binding.data.address == 0)
      binding.data.buffer = roleName(role);
  }
}
