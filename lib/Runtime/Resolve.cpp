//===- Resolve.cpp - a manifest and a problem make a launch ---------------===//

#include "TensorMapChecks.h"
#include <algorithm>
#include <cstring>

using namespace bsmm;
using namespace bsmm::runtime;
using target::ElementType;
using ParamKind = ManifestParam::Kind;

static std::string number(int64_t value) { return std::to_string(value); }

static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

namespace {
/// 64-bit products of factors that come from a caller.
class Checked {
public:
  int64_t multiply(int64_t a, int64_t b) {
    int64_t product = 0;
    overflow |= __builtin_mul_overflow(a, b, &product);
    return product;
  }
  int64_t add(int64_t a, int64_t b) {
    int64_t sum = 0;
    overflow |= __builtin_add_overflow(a, b, &sum);
    return sum;
  }
  bool overflow = false;
};
} // namespace

static std::array<int64_t, 4> sizesOf(const LaunchRequest &request) {
  return {request.m, request.n, request.k, request.l};
}

std::string runtime::whyNotSizes(const KernelManifest &manifest,
                                 const LaunchRequest &request) {
  std::array<int64_t, 4> sizes = sizesOf(request);
  for (unsigned i = 0; i < 4; ++i) {
    std::string name(1, sizeNames[i]);
    const SizeRange &range = manifest.shapes[i];
    int64_t size = sizes[i];
    if (manifest.fixed[i] >= 0 && size != manifest.fixed[i])
      return name + ": expected " + number(manifest.fixed[i]) +
             ", which this kernel is compiled for, got " + number(size);
    if (size < range.min || size > range.max)
      return name + ": expected " + number(range.min) + " to " +
             number(range.max) + ", got " + number(size);
    if (size % range.multipleOf != 0)
      return name + ": expected a multiple of " + number(range.multipleOf) +
             ", got " + number(size) + "; the next one is " +
             number(roundUp(size, range.multipleOf));
  }
  return "";
}

/// The default pitch of an operand is its columns rounded up to this many
/// elements.
static int64_t pitchUnit(const KernelManifest &manifest, Role role,
                         int64_t bits, bool isVector) {
  if (isVector)
    return 1;
  // 16 bytes of e2m1 are 32 codes. A pitch of 6-bit codes in whole 16-byte
  // units is a multiple of 64 codes (48 bytes).
  int64_t unit = bits == 6 ? 64 : 128 / bits;
  // Padded sub-byte maps need strides of whole 32 bytes.
  for (const ManifestParam &param : manifest.params)
    if (param.kind == ParamKind::TensorMap && param.role == role &&
        target::info(param.element).padded)
      return 2 * unit;
  return unit;
}

Result<OperandRules> runtime::operandRules(const KernelManifest &manifest,
                                           Role role) {
  OperandRules rules;
  const target::TensorMapElementInfo *element = nullptr;
  for (const ManifestParam &param : manifest.params) {
    if (param.role != role)
      continue;
    if (param.kind == ParamKind::TensorMap) {
      rules.usesTensorMap = true;
      element = &target::info(param.element);
    }
    rules.usesPointer |= param.kind == ParamKind::Pointer;
    rules.takesPitch |= param.kind == ParamKind::Pitch;
    rules.takesBatchStride |= param.kind == ParamKind::BatchStride;
  }
  if (!rules.usesTensorMap && !rules.usesPointer)
    return Error{std::string(roleName(role)) +
                 ": expected an operand of this kernel, which takes none of "
                 "this role"};
  if (role == Role::Workspace) {
    // The address of an allocation; kernels may keep f64 or 16-byte vectors.
    rules.addressMultiple = target::tma::addressAlignment;
    return rules;
  }
  LaunchRequest unit;
  Result<OperandShape> shape = operandShape(manifest, unit, role);
  if (!shape)
    return Error{shape.error()};
  rules.type = shape->type;
  rules.isScaleTiles = shape->isScaleTiles;
  rules.isColumnMajor = shape->isColumnMajor;
  rules.isVector = shape->isVector;
  int64_t bits = target::bitWidth(shape->type);
  if (rules.usesPointer)
    rules.addressMultiple = std::max<int64_t>(1, bits / 8);
  if (rules.usesTensorMap)
    rules.addressMultiple = element->padded ? target::tma::addressAlignmentWide
                                            : target::tma::addressAlignment;
  if (shape->isScaleTiles || shape->isVector)
    return rules;
  if (rules.usesTensorMap) {
    rules.pitchMultiple = pitchUnit(manifest, role, bits, false);
    // The smallest count of values that fills whole map elements.
    for (int64_t bytes = element->globalBits;
         rules.columnMultiple * bits % bytes;)
      ++rules.columnMultiple;
  } else {
    // Rows begin at whole bytes.
    rules.pitchMultiple = bits == 4 ? 2 : bits == 6 ? 4 : 1;
  }
  return rules;
}

Result<OperandShape> runtime::operandShape(const KernelManifest &manifest,
                                           const LaunchRequest &request,
                                           Role role) {
  const ProblemTypes &problem = manifest.problem;
  std::string roleText(roleName(role));
  for (int64_t size : sizesOf(request))
    if (size < 0 || size > INT32_MAX)
      return Error{roleText + ": expected sizes of 0 to 2147483647, got " +
                   number(size)};
  OperandShape shape;
  int64_t groups =
      problem.scaleVector > 0 ? ceilDiv(request.k, problem.scaleVector) : 0;
  switch (role) {
  case Role::A:
    shape.type = problem.a;
    shape.rows = request.m;
    shape.columns = request.k;
    break;
  case Role::B:
    shape.type = problem.b;
    shape.rows = request.n;
    shape.columns = request.k;
    break;
  case Role::C:
  case Role::D:
    shape.type = role == Role::C ? problem.c : problem.out;
    shape.rows = request.m;
    shape.columns = request.n;
    break;
  case Role::SFA:
  case Role::SFB:
    shape.type = problem.scaleType;
    shape.isScaleTiles = problem.scaleLayout == ScaleLayout::Blocked128x4;
    shape.rows =
        role == Role::SFA ? request.m : ceilDiv(request.n, problem.scaleRowsB);
    shape.columns = groups;
    shape.isColumnMajor =
        (role == Role::SFA ? problem.scaleLayout : problem.getScaleLayoutB()) ==
        ScaleLayout::ColumnMajor;
    if (shape.isColumnMajor)
      std::swap(shape.rows, shape.columns);
    break;
  case Role::SA:
  case Role::SB:
  case Role::Bias:
    shape.isVector = true;
    shape.rows = 1;
    shape.columns = role == Role::SA ? request.m : request.n;
    shape.type = role == Role::Bias ? problem.bias : ElementType::F32;
    if (role != Role::Bias) {
      if (problem.rowScales == RowScales::None)
        shape.type = ElementType::None;
      if (problem.rowScales == RowScales::Tensor)
        shape.columns = 1;
    }
    break;
  case Role::Workspace:
    return Error{"workspace: expected an operand with a shape"};
  }
  if (shape.type == ElementType::None)
    return Error{roleText + ": expected an operand of the problem, but this "
                            "kernel has none"};

  OperandBinding binding;
  auto found = request.operands.find(role);
  if (found != request.operands.end())
    binding = found->second;
  Checked math;
  int64_t bits = target::bitWidth(shape.type);
  if (shape.isScaleTiles) {
    if (binding.pitch >= 0)
      return Error{roleText +
                   ": expected no pitch for blocked_128x4 scales, "
                   "got " +
                   number(binding.pitch)};
    int64_t tiles =
        math.multiply(ceilDiv(shape.columns, target::scale_tile::groups),
                      ceilDiv(shape.rows, target::scale_tile::rows));
    int64_t batchBytes = math.multiply(tiles, target::scale_tile::bytes);
    shape.batchStride =
        binding.batchStride >= 0 ? binding.batchStride : batchBytes;
    if (request.l > 1 && shape.batchStride < batchBytes)
      return Error{roleText + ": expected a batch stride of at least the " +
                   number(batchBytes) + " bytes of a batch, got " +
                   number(shape.batchStride)};
    shape.bytes = math.add(
        math.multiply(std::max<int64_t>(request.l - 1, 0), shape.batchStride),
        batchBytes);
    if (request.l == 0)
      shape.bytes = 0;
  } else {
    int64_t unit = pitchUnit(manifest, role, bits, shape.isVector);
    shape.pitch =
        binding.pitch >= 0 ? binding.pitch : roundUp(shape.columns, unit);
    if (shape.pitch < shape.columns)
      return Error{roleText + ": expected a pitch of at least the " +
                   number(shape.columns) + " elements of a row, got " +
                   number(shape.pitch)};
    if (math.multiply(shape.pitch, bits) % 8 != 0)
      return Error{roleText + ": expected a pitch of whole bytes, got " +
                   number(shape.pitch) + " elements of " + number(bits) +
                   " bits"};
    int64_t rowSpan =
        math.multiply(std::max<int64_t>(shape.rows - 1, 0), shape.pitch);
    int64_t used = math.add(rowSpan, shape.columns);
    int64_t defaultBatch = math.multiply(shape.rows, shape.pitch);
    shape.batchStride =
        binding.batchStride >= 0 ? binding.batchStride : defaultBatch;
    if (shape.isVector && binding.batchStride < 0)
      shape.batchStride = 0; // one vector for all batches
    bool sharesBatches = shape.isVector && shape.batchStride == 0;
    if (request.l > 1 && shape.batchStride < used && !sharesBatches)
      return Error{roleText + ": expected a batch stride of at least the " +
                   number(used) + " elements of a batch, got " +
                   number(shape.batchStride)};
    if (math.multiply(shape.batchStride, bits) % 8 != 0)
      return Error{roleText + ": expected a batch stride of whole bytes, got " +
                   number(shape.batchStride) + " elements of " + number(bits) +
                   " bits"};
    int64_t elements = math.add(
        math.multiply(std::max<int64_t>(request.l - 1, 0), shape.batchStride),
        used);
    if (shape.rows == 0 || shape.columns == 0 || request.l == 0)
      elements = 0;
    shape.bytes = ceilDiv(math.multiply(elements, bits), 8);
  }
  if (math.overflow)
    return Error{roleText + ": expected an operand of less than 2^63 bits"};
  return shape;
}

/// dims, strides and the rest of one tensor map.
static Result<TensorMap> resolveMap(const KernelManifest &manifest,
                                    const LaunchRequest &request,
                                    const ManifestParam &param) {
  std::string roleText(roleName(param.role));
  Result<OperandShape> found = operandShape(manifest, request, param.role);
  if (!found)
    return Error{found.error()};
  const OperandShape &shape = *found;
  // An inner dimension of at least one element, in the element's own steps.
  int64_t innerMin = 1;
  if (target::info(param.element).padded)
    innerMin = target::tma::paddedInnerDimMultiple;
  else if (param.element == target::TensorMapElement::U4Align8B)
    innerMin = 2;
  TensorMap map;
  map.element = param.element;
  map.swizzle = param.swizzle;
  map.box = param.box;
  map.nanFill = param.nanFill;
  auto operand = request.operands.find(param.role);
  if (operand == request.operands.end()) {
    // C is not read when beta is zero: any legal map will do.
    operand = request.operands.find(Role::D);
    if (param.role != Role::C || request.beta != 0 ||
        operand == request.operands.end())
      return Error{roleText + ": expected memory for this operand, got none"};
    map.data = operand->second.data;
    map.dims.assign(param.box.size(), 1);
    map.dims[0] = innerMin;
    map.stridesBytes.assign(param.box.size() - 1, 0);
    return map;
  }
  map.data = operand->second.data;
  auto atLeastOne = [](int64_t extent) { return std::max<int64_t>(extent, 1); };
  int64_t typeBits = target::bitWidth(shape.type);
  int64_t elementBits = target::info(param.element).globalBits;
  switch (param.view) {
  case View::ScaleTiles: {
    int64_t groupTiles =
        atLeastOne(ceilDiv(shape.columns, target::scale_tile::groups));
    int64_t rowTiles =
        atLeastOne(ceilDiv(shape.rows, target::scale_tile::rows));
    int64_t batch = shape.batchStride;
    // L = 1 uses no batch stride; keep the map legal.
    if (request.l == 1)
      batch = roundUp(batch, target::tma::strideMultiple);
    if (param.element == target::TensorMapElement::U16) {
      map.dims = {256, groupTiles, rowTiles, request.l};
      map.stridesBytes = {512, 512 * groupTiles, batch};
    } else {
      map.dims = {256, 2, groupTiles, rowTiles, request.l};
      map.stridesBytes = {256, 512, 512 * groupTiles, batch};
    }
    break;
  }
  case View::Matrix:
  case View::Vector: {
    int64_t columnBits = shape.columns * typeBits;
    if (columnBits % elementBits != 0)
      return Error{roleText + ": expected a row of whole " +
                   std::string(target::info(param.element).name) +
                   " elements, got " + number(shape.columns) + " values of " +
                   number(typeBits) +
                   " bits; run it with the next even K "
                   "and a zeroed last value"};
    map.dims.push_back(columnBits ? columnBits / elementBits : innerMin);
    int64_t multiple = target::info(param.element).padded
                           ? target::tma::strideMultipleWide
                           : target::tma::strideMultiple;
    // Rows of no columns have no pitch; a stride of 0 is not promised to work.
    int64_t strideMin = columnBits == 0 ? multiple : 0;
    size_t rank = 1;
    if (param.view == View::Matrix) {
      map.dims.push_back(atLeastOne(shape.rows));
      map.stridesBytes.push_back(
          std::max(shape.pitch * typeBits / 8, strideMin));
      ++rank;
    }
    if (param.box.size() > rank) {
      map.dims.push_back(request.l);
      int64_t stride = std::max(shape.batchStride * typeBits / 8, strideMin);
      map.stridesBytes.push_back(request.l == 1 ? roundUp(stride, multiple)
                                                : stride);
    }
    break;
  }
  }
  return map;
}

static Result<Dim3> resolveGrid(const KernelManifest &manifest,
                                const LaunchRequest &request) {
  const GridDescription &grid = manifest.grid;
  const Dim3 &cluster = manifest.cluster;
  int64_t clusterCtas = cluster[0] * cluster[1] * cluster[2];
  int64_t tilesM = ceilDiv(request.m, manifest.tile.m);
  int64_t tilesN = ceilDiv(request.n, manifest.tile.n);
  if (grid.rule == GridRule::Fixed)
    return grid.size;
  if (grid.rule == GridRule::TileGrid) {
    Dim3 size = {roundUp(tilesM * grid.ctasPerTile, cluster[0]),
                 roundUp(tilesN, cluster[1]),
                 roundUp(request.l * grid.splitK, cluster[2])};
    return size;
  }
  Checked math;
  // The tiles of a cluster may lie partly beyond the matrix.
  tilesM = roundUp(tilesM, grid.togetherM);
  tilesN = roundUp(tilesN, grid.togetherN);
  int64_t tiles = math.multiply(math.multiply(tilesM, tilesN),
                                math.multiply(request.l, grid.splitK));
  int64_t ctas = math.multiply(tiles, grid.ctasPerTile);
  // Rounding up to the cluster may not overflow either.
  ctas = math.add(ctas, clusterCtas - 1) / clusterCtas * clusterCtas;
  if (math.overflow)
    return Error{"$.grid: expected less than 2^63 CTAs"};
  if (grid.rule == GridRule::Persistent) {
    int64_t sms = request.smCount;
    if (sms == 0)
      sms = target::typicalProduct(*target::findGpu(manifest.target)).sms;
    if (sms < 1 || sms > 65536)
      return Error{"SM count: expected 1 to 65536, got " + number(sms)};
    int64_t resident = sms * grid.ctasPerSM / clusterCtas * clusterCtas;
    ctas = std::min(ctas, std::max(resident, clusterCtas));
  }
  if (ctas > target::threads::maxGridX)
    return Error{"$.grid[0]: expected at most 2147483647 CTAs, got " +
                 number(ctas) + "; use larger tiles or a persistent kernel"};
  return Dim3{ctas, 1, 1};
}

Result<int64_t> runtime::workspaceBytes(const KernelManifest &manifest,
                                        const LaunchRequest &request) {
  std::string text = validateManifest(manifest);
  if (text.empty())
    text = whyNotSizes(manifest, request);
  if (!text.empty())
    return Error{text};
  Checked math;
  int64_t tiles =
      math.multiply(math.multiply(ceilDiv(request.m, manifest.tile.m),
                                  ceilDiv(request.n, manifest.tile.n)),
                    request.l);
  int64_t bytes =
      math.add(manifest.workspace.bytes,
               math.multiply(manifest.workspace.bytesPerTile, tiles));
  if (math.overflow)
    return Error{"workspace: expected less than 2^63 bytes"};
  return bytes;
}

Result<Launch> runtime::resolve(const KernelManifest &manifest,
                                const LaunchRequest &request) {
  std::string text = validateManifest(manifest);
  if (text.empty())
    text = whyNotSizes(manifest, request);
  if (!text.empty())
    return Error{text};
  Launch launch;
  launch.ptx = manifest.ptx;
  launch.target = manifest.target;
  launch.entry = manifest.entry;
  launch.block = manifest.block;
  launch.cluster = manifest.cluster;
  launch.dynamicSharedMemory = manifest.dynamicSharedMemory;
  launch.orderDependent = manifest.numerics.orderDependent;
  const ProblemTypes &types = manifest.problem;
  auto quoted = [](std::string_view key, std::string_view value) {
    return ",\"" + std::string(key) + "\":\"" + std::string(value) + "\"";
  };
  launch.problemJson =
      "{\"M\":" + number(request.m) + ",\"N\":" + number(request.n) +
      ",\"K\":" + number(request.k) + ",\"L\":" + number(request.l) +
      quoted("a", target::name(types.a)) + quoted("b", target::name(types.b)) +
      quoted("out", target::name(types.out));
  if (types.scaleType != ElementType::None)
    launch.problemJson += quoted("scale_type", target::name(types.scaleType)) +
                          ",\"scale_vector\":" + number(types.scaleVector);
  launch.problemJson += "}";
  if (request.m == 0 || request.n == 0 || request.l == 0) {
    launch.grid = {0, 1, 1};
    return launch;
  }
  Result<Dim3> grid = resolveGrid(manifest, request);
  if (!grid)
    return Error{grid.error()};
  launch.grid = *grid;

  std::array<int64_t, 4> sizes = sizesOf(request);
  for (size_t i = 0; i < manifest.params.size(); ++i) {
    const ManifestParam &param = manifest.params[i];
    std::string roleText(roleName(param.role));
    LaunchParam out;
    switch (param.kind) {
    case ParamKind::TensorMap: {
      Result<TensorMap> map = resolveMap(manifest, request, param);
      if (!map)
        return Error{map.error()};
      out.kind = LaunchParam::Kind::TensorMap;
      out.map = std::move(*map);
      text = validateTensorMap(out.map, roleText,
                               target::findGpu(manifest.target));
      if (!text.empty())
        return Error{text};
      break;
    }
    case ParamKind::Pointer: {
      auto operand = request.operands.find(param.role);
      if (operand == request.operands.end()) {
        // C is not read when beta is zero.
        if (param.role != Role::C || request.beta != 0)
          return Error{roleText +
                       ": expected memory for this operand, got none"};
        out.kind = LaunchParam::Kind::Null;
        break;
      }
      if (param.role != Role::Workspace) {
        Result<OperandShape> shape =
            operandShape(manifest, request, param.role);
        if (!shape)
          return Error{shape.error()};
      }
      out.kind = LaunchParam::Kind::Pointer;
      out.pointer = operand->second.data;
      break;
    }
    case ParamKind::Size:
      out.kind = LaunchParam::Kind::I32;
      out.integer = sizes[param.size % 4];
      break;
    case ParamKind::Pitch:
    case ParamKind::BatchStride: {
      Result<OperandShape> shape = operandShape(manifest, request, param.role);
      if (!shape)
        return Error{shape.error()};
      out.kind = LaunchParam::Kind::I64;
      out.integer =
          param.kind == ParamKind::Pitch ? shape->pitch : shape->batchStride;
      break;
    }
    case ParamKind::Scalar: {
      float value = request.alpha;
      if (param.scalar == ManifestParam::ScalarName::Beta)
        value = request.beta;
      if (param.scalar == ManifestParam::ScalarName::OutScale)
        value = request.outScale;
      out.kind = LaunchParam::Kind::F32;
      std::memcpy(&out.floatBits, &value, sizeof(value));
      break;
    }
    }
    launch.params.push_back(std::move(out));
  }
  text = validateLaunch(launch);
  if (!text.empty())
    return Error{text};
  return launch;
}
