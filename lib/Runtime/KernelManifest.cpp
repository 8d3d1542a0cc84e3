//===- KernelManifest.cpp - symbolic launches: check, read, write ---------===//

#include "JsonReader.h"
#include "TensorMapChecks.h"

using namespace bsmm;
using namespace bsmm::runtime;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using target::ElementType;
using ParamKind = ManifestParam::Kind;
using ScalarName = ManifestParam::ScalarName;

static constexpr std::string_view roleNames[numRoles] = {
    "a", "b", "sfa", "sfb", "c", "d", "sa", "sb", "bias", "workspace"};
static constexpr std::string_view gridRuleNames[] = {"tile", "tile_grid",
                                                     "persistent", "fixed"};
static constexpr std::string_view viewNames[] = {"matrix", "scale_tiles",
                                                 "vector"};
static constexpr std::string_view scaleLayoutNames[] = {
    "blocked_128x4", "linear", "column_major"};
static constexpr std::string_view rowScaleNames[] = {"none", "f32", "tensor"};
static constexpr std::string_view activationNames[] = {"none", "relu", "silu",
                                                       "gelu_erf", "gelu_tanh"};
static constexpr std::string_view scalarNames[] = {"alpha", "beta",
                                                   "out_scale"};

template <size_t n, typename Enum>
static std::string_view nameOf(const std::string_view (&names)[n], Enum value) {
  auto index = static_cast<size_t>(value);
  return index < n ? names[index] : "unknown";
}

std::string_view runtime::gridRuleName(GridRule rule) {
  return nameOf(gridRuleNames, rule);
}

std::string_view runtime::viewName(View view) {
  return nameOf(viewNames, view);
}

std::string_view runtime::rowScalesName(RowScales scales) {
  return nameOf(rowScaleNames, scales);
}

std::string_view runtime::activationName(Activation activation) {
  return nameOf(activationNames, activation);
}

std::string_view runtime::roleName(Role role) {
  return roleNames[static_cast<unsigned>(role) % numRoles];
}

static std::string number(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

namespace {
constexpr target::TypeSet operandTypes =
    target::float8Float6Float4Types | ElementType::F16 | ElementType::BF16;
constexpr target::TypeSet outTypes = operandTypes | ElementType::F32;
constexpr target::TypeSet biasTypes =
    ElementType::F32 | ElementType::F16 | ElementType::BF16;

/// Position of a parameter in the order of docs/abi.md, 4.5.
int orderOf(const ManifestParam &param) {
  int role = static_cast<int>(param.role);
  switch (param.kind) {
  case ParamKind::TensorMap:
    return role;
  case ParamKind::Pointer:
    return 100 + role;
  case ParamKind::Size:
    return 200 + static_cast<int>(param.size);
  case ParamKind::Pitch:
    return 300 + 2 * role;
  case ParamKind::BatchStride:
    return 301 + 2 * role;
  case ParamKind::Scalar:
    return 400 + static_cast<int>(param.scalar);
  }
  return 500;
}

std::string checkType(std::string_view key, ElementType type,
                      target::TypeSet allowed) {
  if (allowed.contains(type))
    return "";
  return "$.problem." + std::string(key) + ": expected one of " +
         target::typeNames(allowed) + ", got " +
         std::string(target::name(type));
}

/// Scales of f32, which multiply the sums of 128 values of K: 1x128 of A,
/// 128x128 of B.
std::string checkBlockScales(const ProblemTypes &problem) {
  constexpr int64_t block = 128;
  if (problem.scaleVector != block)
    return "$.problem.scale_vector: expected 128 for scales of f32, got " +
           number(problem.scaleVector);
  if (problem.scaleRowsB != block)
    return "$.problem.scale_rows_b: expected 128 for scales of f32, got " +
           number(problem.scaleRowsB);
  for (ScaleLayout layout : {problem.scaleLayout, problem.getScaleLayoutB()})
    if (layout == ScaleLayout::Blocked128x4)
      return "$.problem.scale_layout: expected linear or column_major for "
             "scales of f32, got blocked_128x4";
  return "";
}

std::string checkProblem(const ProblemTypes &problem) {
  std::string text = checkType("a", problem.a, operandTypes);
  if (text.empty())
    text = checkType("b", problem.b, operandTypes);
  if (text.empty())
    text = checkType("out", problem.out, outTypes);
  if (text.empty() && problem.c != ElementType::None)
    text = checkType("c", problem.c, outTypes);
  if (text.empty() && problem.bias != ElementType::None)
    text = checkType("bias", problem.bias, biasTypes);
  if (!text.empty())
    return text;
  if (problem.scaleType == ElementType::None) {
    if (problem.scaleVector != 0)
      return "$.problem.scale_vector: expected none without scale_type, got " +
             number(problem.scaleVector);
    return "";
  }
  text = checkType("scale_type", problem.scaleType,
                   ElementType::UE8M0 | ElementType::UE4M3 | ElementType::F32);
  if (!text.empty())
    return text;
  if (problem.scaleType == ElementType::F32)
    return checkBlockScales(problem);
  if (problem.scaleLayout == ScaleLayout::ColumnMajor ||
      problem.getScaleLayoutB() != problem.scaleLayout ||
      problem.scaleRowsB != 1)
    return "$.problem: expected one scale_layout, blocked_128x4 or linear, and "
           "scale_rows_b 1 for scales of 8 bits";
  if (problem.scaleVector != 16 && problem.scaleVector != 32)
    return "$.problem.scale_vector: expected 16 or 32, got " +
           number(problem.scaleVector);
  return "";
}

/// Whether the problem has the operand at all.
std::string checkRole(const KernelManifest &manifest, Role role,
                      const std::string &path) {
  const ProblemTypes &problem = manifest.problem;
  auto absent = [&](std::string_view key) {
    return path + ": expected '" + std::string(key) +
           "' in $.problem for the operand " + std::string(roleName(role));
  };
  switch (role) {
  case Role::SFA:
  case Role::SFB:
    return problem.scaleType == ElementType::None ? absent("scale_type") : "";
  case Role::C:
    return problem.c == ElementType::None ? absent("c") : "";
  case Role::SA:
  case Role::SB:
    return problem.rowScales == RowScales::None ? absent("row_scales") : "";
  case Role::Bias:
    return problem.bias == ElementType::None ? absent("bias") : "";
  default:
    return "";
  }
}

ElementType typeOf(const ProblemTypes &problem, Role role) {
  switch (role) {
  case Role::A:
    return problem.a;
  case Role::B:
    return problem.b;
  case Role::SFA:
  case Role::SFB:
    return problem.scaleType;
  case Role::C:
    return problem.c;
  case Role::D:
    return problem.out;
  case Role::SA:
  case Role::SB:
    return ElementType::F32;
  case Role::Bias:
    return problem.bias;
  case Role::Workspace:
    return ElementType::U8;
  }
  return ElementType::None;
}

/// Map elements that may carry an operand's type without changing its bits.
bool carries(target::TensorMapElement element, ElementType type) {
  using Element = target::TensorMapElement;
  switch (type) {
  case ElementType::E2M1:
    return element == Element::U8 || element == Element::U4Align8B ||
           element == Element::U4Align16B;
  case ElementType::E2M3:
  case ElementType::E3M2:
    return element == Element::U6Align16B;
  case ElementType::F16:
    return element == Element::F16 || element == Element::U16;
  case ElementType::BF16:
    return element == Element::BF16 || element == Element::U16;
  case ElementType::F32:
    return element == Element::F32 || element == Element::U32;
  default:
    return element == Element::U8;
  }
}

std::string checkMap(const KernelManifest &manifest, const target::Gpu &gpu,
                     const ManifestParam &param, const std::string &path) {
  const ProblemTypes &problem = manifest.problem;
  bool isScale = param.role == Role::SFA || param.role == Role::SFB;
  bool isVector = param.role == Role::SA || param.role == Role::SB ||
                  param.role == Role::Bias;
  if (param.role == Role::Workspace)
    return path + ".role: expected an operand, got workspace";
  size_t rankMin = 2, rankMax = 3;
  switch (param.view) {
  case View::Matrix:
    if (isScale && problem.scaleType == ElementType::F32)
      return path + ".role: expected a pointer for scales of f32, got a tensor "
                    "map";
    if (isVector || (isScale && problem.scaleLayout != ScaleLayout::Linear))
      return path + ".view: expected " +
             (isVector ? "vector"
                       : "scale_tiles, since the scales are "
                         "blocked_128x4,") +
             " for " + std::string(roleName(param.role)) + ", got matrix";
    break;
  case View::ScaleTiles:
    if (!isScale || problem.scaleLayout != ScaleLayout::Blocked128x4)
      return path +
             ".view: expected scale_tiles only for blocked_128x4 "
             "scales, got it for " +
             std::string(roleName(param.role));
    if (param.element == target::TensorMapElement::U16)
      rankMin = rankMax = 4;
    else
      rankMin = rankMax = 5;
    break;
  case View::Vector:
    if (!isVector)
      return path +
             ".view: expected vector only for sa, sb and bias, got it "
             "for " +
             std::string(roleName(param.role));
    rankMin = 1;
    rankMax = 2;
    break;
  }
  if (param.role == Role::SA || param.role == Role::SB) {
    if (problem.rowScales == RowScales::Tensor)
      return path + ".role: expected a pointer for a scale of the whole "
                    "tensor, got a tensor map";
  }
  ElementType type = typeOf(problem, param.role);
  bool wideScaleTile = param.view == View::ScaleTiles &&
                       param.element == target::TensorMapElement::U16;
  if (!carries(param.element, type) && !wideScaleTile)
    return path + ".element: expected an element that carries " +
           std::string(target::name(type)) + ", got " +
           std::string(target::info(param.element).name);
  if (param.box.size() < rankMin || param.box.size() > rankMax)
    return path + ".box: expected " + number(rankMin) +
           (rankMin == rankMax ? "" : " or " + number(rankMax)) +
           " entries, got " + number(param.box.size());
  // A map without a batch dimension only sees the first batch.
  bool hasBatch = param.box.size() == rankMax;
  if (!hasBatch && manifest.fixed[3] != 1 && manifest.shapes[3].max != 1)
    return path + ".box: expected an entry for L, which is not fixed to 1";
  return validateTensorMapBox(param.element, param.swizzle, param.box, {},
                              param.nanFill, path, &gpu);
}
} // namespace

std::string runtime::validateManifest(const KernelManifest &manifest) {
  if (manifest.entry.empty())
    return "$.entry: expected the name of the PTX entry, got ''";
  if (!staysInFolder(manifest.ptx) ||
      (!manifest.cubin.empty() && !staysInFolder(manifest.cubin)))
    return "$.ptx: expected a file in the folder of this description, got '" +
           JsonReader::shorten(manifest.ptx) + "'";
  std::string text =
      validateLaunchShape(manifest.target, nullptr, manifest.block,
                          manifest.cluster, manifest.dynamicSharedMemory);
  if (!text.empty())
    return text;
  const target::Gpu &gpu = *target::findGpu(manifest.target);
  int64_t threads = manifest.block[0] * manifest.block[1] * manifest.block[2];
  if (threads % target::threads::perWarp != 0)
    return "$.block: expected a multiple of 32 threads, got " + number(threads);
  const GridDescription &grid = manifest.grid;
  int64_t ctas =
      manifest.cluster[0] * manifest.cluster[1] * manifest.cluster[2];
  if (grid.ctasPerTile < 1 || ctas % grid.ctasPerTile != 0)
    return "$.grid.ctas_per_tile: expected a divisor of the cluster's " +
           number(ctas) + " CTAs, got " + number(grid.ctasPerTile);
  if (grid.splitK < 1 || grid.splitK > target::threads::maxGridYZ)
    return "$.grid.split_k: expected 1 to 65535, got " + number(grid.splitK);
  if (grid.ctasPerSM < 1 || grid.ctasPerSM > gpu.maxBlocksPerSM)
    return "$.grid.ctas_per_sm: expected 1 to " + number(gpu.maxBlocksPerSM) +
           ", got " + number(grid.ctasPerSM);
  if (ctas % (grid.togetherM * grid.togetherN) != 0)
    return "$.grid.tiles_together: expected a divisor of the cluster's " +
           number(ctas) + " CTAs, got " + number(grid.togetherM) + " x " +
           number(grid.togetherN) + " tiles";
  if (grid.rule == GridRule::Persistent &&
      grid.ctasPerSM * (manifest.dynamicSharedMemory +
                        target::reservedSharedMemoryPerBlock) >
          gpu.sharedMemoryPerSM)
    return "$.grid.ctas_per_sm: expected CTAs that fit the " +
           number(gpu.sharedMemoryPerSM) +
           " bytes of shared memory of an "
           "SM, got " +
           number(grid.ctasPerSM) + " of " +
           number(manifest.dynamicSharedMemory) +
           " bytes and 1024 reserved "
           "bytes each";
  if (grid.rule == GridRule::Fixed) {
    text = validateLaunchShape(manifest.target, &grid.size, manifest.block,
                               manifest.cluster, manifest.dynamicSharedMemory);
    if (!text.empty())
      return text;
  }
  for (int64_t extent : {manifest.tile.m, manifest.tile.n, manifest.tile.k})
    if (extent < 1 || extent > INT32_MAX)
      return "$.tile: expected positive m, n and k, got " + number(extent);
  text = checkProblem(manifest.problem);
  if (!text.empty())
    return text;
  if (manifest.numerics.accumulate != ElementType::F32 &&
      manifest.numerics.accumulate != ElementType::F16)
    return "$.numerics.accumulate: expected f32 or f16, got " +
           std::string(target::name(manifest.numerics.accumulate));
  if (manifest.numerics.promoteEvery < 0)
    return "$.numerics.promote_every: expected 0 or more, got " +
           number(manifest.numerics.promoteEvery);
  for (unsigned i = 0; i < 4; ++i) {
    const SizeRange &range = manifest.shapes[i];
    std::string path = "$.shapes." + std::string(1, sizeNames[i]);
    if (range.min < 0 || range.max > INT32_MAX || range.min > range.max)
      return path + ": expected 0 <= min <= max <= 2147483647, got " +
             number(range.min) + " and " + number(range.max);
    if (range.multipleOf < 1)
      return path + ".multiple_of: expected 1 or more, got " +
             number(range.multipleOf);
    if (manifest.fixed[i] < -1 || manifest.fixed[i] > INT32_MAX)
      return "$.configuration.fixed." + std::string(1, sizeNames[i]) +
             ": expected 0 to 2147483647, got " + number(manifest.fixed[i]);
  }
  if (manifest.addsToOutput && target::bitWidth(manifest.problem.out) < 16)
    return "$.adds_to_output: expected an output of 16 bits or more, got " +
           std::string(target::name(manifest.problem.out));
  const Workspace &workspace = manifest.workspace;
  if (workspace.bytes < 0 || workspace.bytesPerTile < 0)
    return "$.workspace: expected 0 or more bytes";
  int last = -1;
  for (size_t i = 0; i < manifest.params.size(); ++i) {
    const ManifestParam &param = manifest.params[i];
    std::string path = "$.params[" + std::to_string(i) + "]";
    int order = orderOf(param);
    if (order == last)
      return path + ": expected each parameter once";
    if (order < last)
      return path + ": expected tensor maps, pointers, sizes, strides and "
                    "scalars in this order, and inside each the order of the "
                    "ABI (a, b, sfa, sfb, c, d; M, N, K, L)";
    last = order;
    if (param.kind == ParamKind::Size || param.kind == ParamKind::Scalar)
      continue;
    bool isStride =
        param.kind == ParamKind::Pitch || param.kind == ParamKind::BatchStride;
    if (isStride && static_cast<int>(param.role) > static_cast<int>(Role::D))
      return path + ": expected the stride of a, b, sfa, sfb, c or d, got " +
             std::string(roleName(param.role));
    if (param.role == Role::Workspace && workspace.bytes == 0 &&
        workspace.bytesPerTile == 0)
      return path + ": expected the size of the workspace in $.workspace";
    std::string rolePath =
        param.kind == ParamKind::TensorMap ? path + ".tensor_map.role" : path;
    text = checkRole(manifest, param.role, rolePath);
    if (text.empty() && param.kind == ParamKind::TensorMap)
      text = checkMap(manifest, gpu, param, path + ".tensor_map");
    if (!text.empty())
      return text;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The index of a text in a table of names; the error lists them.
template <size_t n>
static unsigned readName(const JsonReader &reader,
                         const std::string_view (&names)[n]) {
  std::string text = reader.string();
  std::string list;
  for (unsigned i = 0; i < n; ++i) {
    if (names[i] == text)
      return i;
    list += (list.empty() ? "" : ", ") + std::string(names[i]);
  }
  reader.fail("expected one of " + list + ", got '" +
              JsonReader::shorten(text) + "'");
  return 0;
}

static ElementType readType(const JsonReader &reader, bool mayBeNone) {
  std::string text = reader.string();
  if (mayBeNone && text == "none")
    return ElementType::None;
  ElementType type = target::elementTypeFromName(text);
  if (type == ElementType::None)
    reader.fail("expected an element type such as e2m1, e4m3, ue8m0, f16 or "
                "f32, got '" +
                JsonReader::shorten(text) + "'");
  return type;
}

static Dim3 readDim3(const JsonReader &reader) {
  std::vector<int64_t> numbers = reader.integers(3, 3, 1, INT32_MAX);
  return numbers.size() == 3 ? Dim3{numbers[0], numbers[1], numbers[2]}
                             : Dim3{1, 1, 1};
}

static void readGrid(const JsonReader &reader, GridDescription &grid) {
  if (!reader.object({"rule", "ctas_per_tile", "split_k", "ctas_per_sm", "size",
                      "tiles_together"}))
    return;
  grid.rule =
      static_cast<GridRule>(readName(reader.member("rule"), gridRuleNames));
  grid.ctasPerTile = reader.integerOr("ctas_per_tile", 1, 1, 16);
  grid.splitK = reader.integerOr("split_k", 1, 1, 65535);
  grid.ctasPerSM = reader.integerOr("ctas_per_sm", 1, 1, 64);
  if (grid.rule == GridRule::Fixed)
    grid.size = readDim3(reader.member("size"));
  else if (reader.has("size"))
    reader.member("size").fail("expected a size only with the rule fixed");
  if (reader.has("tiles_together")) {
    JsonReader together = reader.member("tiles_together");
    if (grid.rule != GridRule::Tile && grid.rule != GridRule::Persistent)
      together.fail("expected tiles_together only with the rules tile and "
                    "persistent");
    std::vector<int64_t> numbers = together.integers(2, 2, 1, 16);
    if (numbers.size() == 2) {
      grid.togetherM = numbers[0];
      grid.togetherN = numbers[1];
    }
  }
  if (grid.rule != GridRule::Persistent && reader.has("ctas_per_sm"))
    reader.member("ctas_per_sm")
        .fail("expected ctas_per_sm only with the rule persistent");
}

static void readProblem(const JsonReader &reader, ProblemTypes &problem) {
  if (!reader.object({"a", "b", "out", "c", "scale_type", "scale_vector",
                      "scale_layout", "scale_layout_b", "scale_rows_b",
                      "row_scales", "bias", "activation"}))
    return;
  problem.a = readType(reader.member("a"), false);
  problem.b = readType(reader.member("b"), false);
  problem.out = readType(reader.member("out"), false);
  if (reader.has("c"))
    problem.c = readType(reader.member("c"), true);
  if (reader.has("scale_type"))
    problem.scaleType = readType(reader.member("scale_type"), true);
  if (problem.scaleType != ElementType::None)
    problem.scaleVector = reader.member("scale_vector").integer(1, 1024);
  else if (reader.has("scale_vector"))
    reader.member("scale_vector").fail("expected none without scale_type");
  if (reader.has("scale_layout"))
    problem.scaleLayout = static_cast<ScaleLayout>(
        readName(reader.member("scale_layout"), scaleLayoutNames));
  if (reader.has("scale_layout_b"))
    problem.scaleLayoutB = static_cast<ScaleLayout>(
        readName(reader.member("scale_layout_b"), scaleLayoutNames));
  problem.scaleRowsB = reader.integerOr("scale_rows_b", 1, 1, 65536);
  if (reader.has("row_scales"))
    problem.rowScales = static_cast<RowScales>(
        readName(reader.member("row_scales"), rowScaleNames));
  if (reader.has("bias"))
    problem.bias = readType(reader.member("bias"), true);
  if (reader.has("activation"))
    problem.activation = static_cast<Activation>(
        readName(reader.member("activation"), activationNames));
}

/// Outputs of less than 16 bits saturate.
static Overflow defaultOverflow(ElementType out) {
  return target::bitWidth(out) < 16 ? Overflow::Saturate : Overflow::Infinity;
}

static void readNumerics(const JsonReader &reader, Numerics &numerics) {
  if (!reader.object({"accumulate", "promote_every", "contract", "overflow",
                      "order_dependent"}))
    return;
  if (reader.has("accumulate"))
    numerics.accumulate = readType(reader.member("accumulate"), false);
  numerics.promoteEvery = reader.integerOr("promote_every", 0, 0, INT32_MAX);
  numerics.contract = reader.booleanOr("contract", false);
  numerics.orderDependent = reader.booleanOr("order_dependent", false);
  if (reader.has("overflow"))
    numerics.overflow =
        reader.member("overflow")
            .oneOf<Overflow>({{"infinity", Overflow::Infinity},
                              {"saturate", Overflow::Saturate}});
}

static void readConfiguration(const JsonReader &reader,
                              KernelManifest &manifest) {
  for (const auto &[name, entry] : reader.members()) {
    if (name == "fixed") {
      if (!entry.object({"M", "N", "K", "L"}))
        return;
      for (unsigned i = 0; i < 4; ++i)
        manifest.fixed[i] =
            entry.integerOr(sizeNames.substr(i, 1), -1, 0, INT32_MAX);
    } else if (entry.json().is_boolean()) {
      manifest.configuration[name] = entry.boolean();
    } else if (entry.json().is_string()) {
      manifest.configuration[name] = entry.string();
    } else if (entry.json().is_number_integer()) {
      manifest.configuration[name] = entry.integer();
    } else {
      entry.fail("expected an integer, a boolean or a string");
    }
  }
}

static ManifestParam readMap(const JsonReader &reader) {
  ManifestParam param;
  param.kind = ParamKind::TensorMap;
  if (!reader.object({"role", "view", "element", "box", "swizzle", "fill"}))
    return param;
  param.role = static_cast<Role>(readName(reader.member("role"), roleNames));
  param.view = static_cast<View>(readName(reader.member("view"), viewNames));
  JsonReader element = reader.member("element");
  std::string text = element.string();
  if (const auto *row = target::findTensorMapElement(text))
    param.element = row->element;
  else
    element.fail("expected a tensor map element such as u8, f16, bf16, f32 or "
                 "u4_align16B, got '" +
                 JsonReader::shorten(text) + "'");
  JsonReader swizzle = reader.member("swizzle");
  text = swizzle.string();
  if (const auto *row = target::findSwizzle(text))
    param.swizzle = row->swizzle;
  else
    swizzle.fail("expected a swizzle such as none, 32B, 64B or 128B, got '" +
                 JsonReader::shorten(text) + "'");
  param.box = reader.member("box").integers(1, 64, INT64_MIN, INT64_MAX);
  if (reader.has("fill"))
    param.nanFill =
        reader.member("fill").oneOf<bool>({{"zero", false}, {"nan", true}});
  return param;
}

static ManifestParam readParam(const JsonReader &reader) {
  ManifestParam param;
  if (!reader.object({"tensor_map", "pointer", "i32", "i64", "f32"}))
    return param;
  unsigned kinds = 0;
  for (std::string_view key : {"tensor_map", "pointer", "i32", "i64", "f32"})
    kinds += reader.has(key);
  if (kinds != 1) {
    reader.fail("expected exactly one of tensor_map, pointer, i32, i64, f32");
    return param;
  }
  if (reader.has("tensor_map"))
    return readMap(reader.member("tensor_map"));
  if (reader.has("pointer")) {
    param.kind = ParamKind::Pointer;
    param.role =
        static_cast<Role>(readName(reader.member("pointer"), roleNames));
  } else if (reader.has("i32")) {
    static constexpr std::string_view names[] = {"M", "N", "K", "L"};
    param.kind = ParamKind::Size;
    param.size = readName(reader.member("i32"), names);
  } else if (reader.has("f32")) {
    param.kind = ParamKind::Scalar;
    param.scalar =
        static_cast<ScalarName>(readName(reader.member("f32"), scalarNames));
  } else {
    JsonReader stride = reader.member("i64");
    if (!stride.object({"pitch", "batch_stride"}))
      return param;
    if (stride.has("pitch") == stride.has("batch_stride")) {
      stride.fail("expected either pitch or batch_stride");
      return param;
    }
    bool isPitch = stride.has("pitch");
    param.kind = isPitch ? ParamKind::Pitch : ParamKind::BatchStride;
    param.role = static_cast<Role>(
        readName(stride.member(isPitch ? "pitch" : "batch_stride"), roleNames));
  }
  return param;
}

Result<KernelManifest> runtime::parseManifest(std::string_view text) {
  Result<Json> json = parseJson(text);
  if (!json)
    return Error{json.error()};
  std::string error;
  JsonReader reader(*json, error);
  std::string version = reader.member("schema").string();
  if (error.empty() && version != schemaVersion)
    return Error{"$.schema: unsupported schema '" +
                 JsonReader::shorten(version) + "': expected '" +
                 std::string(schemaVersion) + "'"};
  std::string document = reader.member("document").string();
  if (error.empty() && document != "kernel")
    return Error{"$.document: expected 'kernel', got '" +
                 JsonReader::shorten(document) + "'"};
  reader.object({"schema", "document", "entry", "ptx", "cubin", "target",
                 "grid", "block", "cluster", "dynamic_smem", "tile",
                 "configuration", "problem", "numerics", "shapes", "workspace",
                 "adds_to_output", "dependent_launch", "params"});
  KernelManifest manifest;
  manifest.entry = reader.member("entry").string();
  manifest.ptx = reader.member("ptx").fileName();
  if (reader.has("cubin"))
    manifest.cubin = reader.member("cubin").fileName();
  manifest.target = reader.member("target").string();
  readGrid(reader.member("grid"), manifest.grid);
  manifest.block = readDim3(reader.member("block"));
  manifest.cluster = readDim3(reader.member("cluster"));
  manifest.dynamicSharedMemory =
      reader.member("dynamic_smem").integer(0, INT32_MAX);
  JsonReader tile = reader.member("tile");
  if (tile.object({"m", "n", "k"})) {
    manifest.tile.m = tile.member("m").integer(1, INT32_MAX);
    manifest.tile.n = tile.member("n").integer(1, INT32_MAX);
    manifest.tile.k = tile.member("k").integer(1, INT32_MAX);
  }
  if (reader.has("configuration"))
    readConfiguration(reader.member("configuration"), manifest);
  readProblem(reader.member("problem"), manifest.problem);
  manifest.numerics.overflow = defaultOverflow(manifest.problem.out);
  readNumerics(reader.member("numerics"), manifest.numerics);
  if (reader.has("shapes")) {
    JsonReader shapes = reader.member("shapes");
    if (shapes.object({"M", "N", "K", "L"}))
      for (unsigned i = 0; i < 4; ++i) {
        if (!shapes.has(sizeNames.substr(i, 1)))
          continue;
        JsonReader range = shapes.member(sizeNames.substr(i, 1));
        if (!range.object({"min", "max", "multiple_of"}))
          break;
        manifest.shapes[i].min = range.integerOr("min", 0, 0, INT32_MAX);
        manifest.shapes[i].max =
            range.integerOr("max", INT32_MAX, 0, INT32_MAX);
        manifest.shapes[i].multipleOf =
            range.integerOr("multiple_of", 1, 1, INT32_MAX);
      }
  }
  manifest.addsToOutput = reader.booleanOr("adds_to_output", false);
  manifest.dependentLaunch = reader.booleanOr("dependent_launch", false);
  if (reader.has("workspace")) {
    JsonReader workspace = reader.member("workspace");
    if (workspace.object({"bytes", "bytes_per_tile"})) {
      manifest.workspace.bytes = workspace.integerOr("bytes", 0, 0, INT64_MAX);
      manifest.workspace.bytesPerTile =
          workspace.integerOr("bytes_per_tile", 0, 0, INT64_MAX);
    }
  }
  for (const JsonReader &entry : reader.member("params").array(0, 256))
    manifest.params.push_back(readParam(entry));
  if (error.empty())
    error = validateManifest(manifest);
  if (!error.empty())
    return Error{error};
  return manifest;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static OrderedJson writeParam(const ManifestParam &param) {
  OrderedJson out;
  std::string role(roleName(param.role));
  switch (param.kind) {
  case ParamKind::TensorMap: {
    OrderedJson &map = out["tensor_map"];
    map["role"] = role;
    map["view"] = std::string(nameOf(viewNames, param.view));
    map["element"] = std::string(target::info(param.element).name);
    map["box"] = param.box;
    map["swizzle"] = std::string(target::info(param.swizzle).name);
    if (param.nanFill)
      map["fill"] = "nan";
    break;
  }
  case ParamKind::Pointer:
    out["pointer"] = role;
    break;
  case ParamKind::Size:
    out["i32"] = std::string(sizeNames.substr(param.size % 4, 1));
    break;
  case ParamKind::Pitch:
    out["i64"] = OrderedJson{{"pitch", role}};
    break;
  case ParamKind::BatchStride:
    out["i64"] = OrderedJson{{"batch_stride", role}};
    break;
  case ParamKind::Scalar:
    out["f32"] = std::string(nameOf(scalarNames, param.scalar));
    break;
  }
  return out;
}

std::string runtime::writeManifest(const KernelManifest &manifest) {
  OrderedJson out;
  out["schema"] = std::string(schemaVersion);
  out["document"] = "kernel";
  out["entry"] = manifest.entry;
  out["ptx"] = manifest.ptx;
  if (!manifest.cubin.empty())
    out["cubin"] = manifest.cubin;
  out["target"] = manifest.target;
  OrderedJson &grid = out["grid"];
  grid["rule"] = std::string(nameOf(gridRuleNames, manifest.grid.rule));
  grid["ctas_per_tile"] = manifest.grid.ctasPerTile;
  grid["split_k"] = manifest.grid.splitK;
  if (manifest.grid.rule == GridRule::Persistent)
    grid["ctas_per_sm"] = manifest.grid.ctasPerSM;
  if (manifest.grid.rule == GridRule::Fixed)
    grid["size"] = manifest.grid.size;
  if (manifest.grid.togetherM != 1 || manifest.grid.togetherN != 1)
    grid["tiles_together"] = {manifest.grid.togetherM, manifest.grid.togetherN};
  out["block"] = manifest.block;
  out["cluster"] = manifest.cluster;
  out["dynamic_smem"] = manifest.dynamicSharedMemory;
  out["tile"] = OrderedJson{
      {"m", manifest.tile.m}, {"n", manifest.tile.n}, {"k", manifest.tile.k}};
  OrderedJson configuration = OrderedJson::object();
  for (const auto &[name, value] : manifest.configuration)
    std::visit(
        [&, &key = name](const auto &each) { configuration[key] = each; },
        value);
  for (unsigned i = 0; i < 4; ++i)
    if (manifest.fixed[i] >= 0)
      configuration["fixed"][std::string(sizeNames.substr(i, 1))] =
          manifest.fixed[i];
  out["configuration"] = configuration;
  const ProblemTypes &types = manifest.problem;
  OrderedJson &problem = out["problem"];
  problem["a"] = std::string(target::name(types.a));
  problem["b"] = std::string(target::name(types.b));
  problem["out"] = std::string(target::name(types.out));
  if (types.c != ElementType::None)
    problem["c"] = std::string(target::name(types.c));
  if (types.scaleType != ElementType::None) {
    problem["scale_type"] = std::string(target::name(types.scaleType));
    problem["scale_vector"] = types.scaleVector;
    problem["scale_layout"] =
        std::string(nameOf(scaleLayoutNames, types.scaleLayout));
    if (types.getScaleLayoutB() != types.scaleLayout)
      problem["scale_layout_b"] =
          std::string(nameOf(scaleLayoutNames, types.getScaleLayoutB()));
    if (types.scaleRowsB != 1)
      problem["scale_rows_b"] = types.scaleRowsB;
  }
  if (types.rowScales != RowScales::None)
    problem["row_scales"] = std::string(nameOf(rowScaleNames, types.rowScales));
  if (types.bias != ElementType::None)
    problem["bias"] = std::string(target::name(types.bias));
  if (types.activation != Activation::None)
    problem["activation"] =
        std::string(nameOf(activationNames, types.activation));
  out["numerics"] = OrderedJson{
      {"accumulate", std::string(target::name(manifest.numerics.accumulate))},
      {"promote_every", manifest.numerics.promoteEvery},
      {"contract", manifest.numerics.contract},
      {"overflow", manifest.numerics.overflow == Overflow::Infinity
                       ? "infinity"
                       : "saturate"},
      {"order_dependent", manifest.numerics.orderDependent}};
  OrderedJson &shapes = out["shapes"];
  for (unsigned i = 0; i < 4; ++i)
    shapes[std::string(sizeNames.substr(i, 1))] =
        OrderedJson{{"min", manifest.shapes[i].min},
                    {"max", manifest.shapes[i].max},
                    {"multiple_of", manifest.shapes[i].multipleOf}};
  if (manifest.workspace.bytes || manifest.workspace.bytesPerTile)
    out["workspace"] =
        OrderedJson{{"bytes", manifest.workspace.bytes},
                    {"bytes_per_tile", manifest.workspace.bytesPerTile}};
  if (manifest.addsToOutput)
    out["adds_to_output"] = true;
  if (manifest.dependentLaunch)
    out["dependent_launch"] = true;
  out["params"] = OrderedJson::array();
  for (const ManifestParam &param : manifest.params)
    out["params"].push_back(writeParam(param));
  return out.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}
