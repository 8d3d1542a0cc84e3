//===- TestData.cpp - random operands for a kernel ------------------------===//

#include "bsmm/Runtime/KernelCheck.h"
#include "bsmm/Runtime/NumberFormats.h"
#include "bsmm/Runtime/Random.h"
#include <cmath>
#include <cstring>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;

namespace {
/// Random codes of a type inside the batches, rows and columns of an operand.
class OperandWriter {
public:
  OperandWriter(Random &random, const OperandShape &shape, int64_t batches,
                uint8_t poison)
      : random(random), shape(shape), batches(batches), poison(poison) {}

  std::vector<uint8_t> rows(const CodeRange &range) const {
    RowsShape rows;
    rows.type = shape.type;
    rows.rows = shape.rows;
    rows.columns = shape.columns;
    rows.pitch = shape.pitch;
    rows.batches = batches;
    rows.batchStride = shape.batchStride;
    return randomRows(random, rows, range, poison);
  }

  std::vector<uint8_t> scaleTiles(const CodeRange &range) const {
    int64_t dense = scaleTileBytes(shape.rows, shape.columns);
    std::vector<uint8_t> bytes(static_cast<size_t>(shape.bytes), poison);
    for (int64_t batch = 0; batch < batches; ++batch) {
      std::vector<uint8_t> tiles = randomScaleTiles(
          random, shape.type, shape.rows, shape.columns, 1, range, poison);
      std::memcpy(bytes.data() + batch * shape.batchStride, tiles.data(),
                  static_cast<size_t>(dense));
    }
    return bytes;
  }

  /// Values of a vector or of rows: signs, and some octaves around one.
  std::vector<uint8_t> numbers(bool isExact) const {
    std::vector<uint8_t> bytes(static_cast<size_t>(shape.bytes), poison);
    unsigned width = target::bitWidth(shape.type);
    int64_t vectors = shape.batchStride == 0 ? 1 : batches;
    for (int64_t batch = 0; batch < vectors; ++batch)
      for (int64_t row = 0; row < shape.rows; ++row)
        for (int64_t i = 0; i < shape.columns; ++i) {
          double value = std::ldexp(1.0, int(random.below(5)) - 2);
          if (!isExact)
            value *= 1 + double(random.below(1024)) / 1024;
          if (random.below(2))
            value = -value;
          storeCode(bytes.data(),
                    batch * shape.batchStride + row * shape.pitch + i, width,
                    encode(shape.type, value, Overflow::Infinity));
        }
    return bytes;
  }

private:
  Random &random;
  const OperandShape &shape;
  int64_t batches;
  uint8_t poison;
};
} // namespace

/// Codes of A, B and C.
static CodeRange matrixRange(Role role, Distribution distribution) {
  CodeRange range;
  if (distribution == Distribution::Exact)
    range.minMagnitude = range.maxMagnitude = 1;
  else if (role == Role::C)
    range.maxMagnitude = 1024;
  return range;
}

/// Scales up to 448 overflow most f16 outputs, and large e8m0 scales overflow
/// f32 in every sum.
static CodeRange scaleRange(ElementType type, Distribution distribution) {
  CodeRange range;
  switch (distribution) {
  case Distribution::Exact:
    range.minMagnitude = range.maxMagnitude = 1;
    range.zero = false;
    break;
  case Distribution::Moderate:
    range.maxMagnitude = 2;
    if (type == ElementType::UE8M0)
      range.minMagnitude = 0x1p-10;
    break;
  case Distribution::Full:
    if (type == ElementType::UE8M0)
      range.maxMagnitude = 0x1p40;
    break;
  }
  return range;
}

/// Operands are in the memory of the host.
static std::string whyTooLarge(const KernelManifest &manifest,
                               const LaunchRequest &request) {
  constexpr int64_t most = int64_t(16) << 30;
  int64_t left = most;
  for (unsigned index = 0; index < numRoles; ++index) {
    Role role = static_cast<Role>(index);
    if (role == Role::Workspace || !operandRules(manifest, role))
      continue;
    Result<OperandShape> shape = operandShape(manifest, request, role);
    if (!shape)
      return shape.error();
    if (shape->bytes > left)
      return "expected operands of at most 16 GiB, got more with " +
             std::string(roleName(role)) + " of " +
             std::to_string(shape->bytes) + " bytes";
    left -= shape->bytes;
  }
  return "";
}

Result<TestOperands> runtime::makeTestOperands(const KernelManifest &manifest,
                                               const LaunchRequest &request,
                                               const TestDataOptions &options) {
  std::string text = whyNotSizes(manifest, request);
  if (!text.empty())
    return Error{text};
  if (text = whyTooLarge(manifest, request); !text.empty())
    return Error{text};
  Random random(options.seed);
  TestOperands operands;
  for (unsigned index = 0; index < numRoles; ++index) {
    Role role = static_cast<Role>(index);
    if (role == Role::Workspace || !operandRules(manifest, role))
      continue;
    Result<OperandShape> shape = operandShape(manifest, request, role);
    if (!shape)
      return Error{shape.error()};
    OperandWriter writer(random, *shape, request.l, options.poison);
    std::vector<uint8_t> &bytes = operands[role];
    if (shape->bytes == 0)
      continue;
    if (role == Role::D)
      bytes.assign(static_cast<size_t>(shape->bytes), options.poison);
    else if (shape->isVector || shape->type == ElementType::F32)
      bytes = writer.numbers(options.distribution == Distribution::Exact);
    else if (shape->isScaleTiles)
      bytes = writer.scaleTiles(scaleRange(shape->type, options.distribution));
    else if (role == Role::SFA || role == Role::SFB)
      bytes = writer.rows(scaleRange(shape->type, options.distribution));
    else if (target::bitWidth(shape->type) > 16)
      return Error{std::string(roleName(role)) +
                   ": expected an operand of at most 16 bits a value"};
    else
      bytes = writer.rows(matrixRange(role, options.distribution));
    if (bytes.empty())
      return Error{std::string(roleName(role)) +
                   ": expected a shape that can be filled"};
  }
  return operands;
}

int64_t runtime::trafficBytes(const KernelManifest &manifest,
                              const LaunchRequest &request) {
  int64_t total = 0;
  for (unsigned index = 0; index < numRoles; ++index) {
    Role role = static_cast<Role>(index);
    if (role == Role::Workspace || !operandRules(manifest, role))
      continue;
    if (role == Role::C && request.beta == 0)
      continue;
    Result<OperandShape> shape = operandShape(manifest, request, role);
    if (!shape)
      continue;
    int64_t batches =
        shape->isVector && shape->batchStride == 0 ? 1 : request.l;
    int64_t batch =
        shape->isScaleTiles
            ? scaleTileBytes(shape->rows, shape->columns)
            : shape->rows *
                  ((shape->columns * target::bitWidth(shape->type) + 7) / 8);
    total += batches * batch;
  }
  return total;
}
