//===- LaunchDescription.h - manifests and launch files ---------*- C++ -*-===//
//
// The schema `bsmm.launch/1` of docs/abi.md: the manifest of a kernel, which is
// symbolic, and the launch file, which holds concrete numbers. `resolve` makes
// the second out of the first.
//
// Nothing here throws. Every function that reads text returns a Result whose
// error begins with the JSON path of the offending value.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_LAUNCHDESCRIPTION_H
#define BSMM_RUNTIME_LAUNCHDESCRIPTION_H

#include "bsmm/Runtime/Result.h"
#include "bsmm/Target/Target.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bsmm::runtime {

inline constexpr std::string_view schemaVersion = "bsmm.launch/1";

using Dim3 = std::array<int64_t, 3>;

//===----------------------------------------------------------------------===//
// Concrete launches
//===----------------------------------------------------------------------===//

/// Memory that a parameter points to: a named buffer, or an address when the
/// name is empty. `offset` is in bytes.
struct BufferReference {
  std::string buffer;
  int64_t offset = 0;
  uint64_t address = 0;
};

/// A tiled tensor map without interleave. All lists are innermost first.
struct TensorMap {
  BufferReference data;
  target::TensorMapElement element = target::TensorMapElement::U8;
  std::vector<int64_t> dims;           // elements
  std::vector<int64_t> stridesBytes;   // of dims 1 and up
  std::vector<int64_t> box;            // elements
  std::vector<int64_t> elementStrides; // empty: all 1
  target::Swizzle swizzle = target::Swizzle::None;
  bool nanFill = false; // out-of-bounds elements read as NaN, not as zero
};

struct Placement;

/// One kernel parameter.
struct LaunchParam {
  enum class Kind { TensorMap, I32, I64, F32, Pointer, Null, Struct };
  Kind kind = Kind::Null;
  TensorMap map;                     // TensorMap
  int64_t integer = 0;               // I32, I64
  uint32_t floatBits = 0;            // F32
  BufferReference pointer;           // Pointer
  int64_t structBytes = 0;           // Struct
  int64_t structAlign = 8;           // Struct
  std::vector<uint8_t> contents;     // Struct; empty: zeros
  std::vector<Placement> placements; // Struct; never nested
};

/// A value at a byte offset of a struct parameter.
struct Placement {
  int64_t offset = 0;
  LaunchParam value;
};

/// Size and alignment of a parameter in bytes, as the PTX entry declares it.
int64_t parameterBytes(const LaunchParam &param);
int64_t parameterAlignment(const LaunchParam &param);

/// Byte offset of each parameter in the parameter space, and the total size in
/// the last entry.
std::vector<int64_t> parameterOffsets(const std::vector<LaunchParam> &params);

/// The part of an output that is compared. Zero rows: the whole buffer.
struct LiveRegion {
  int64_t rows = 0;
  int64_t columns = 0;    // elements
  int64_t pitchBytes = 0; // distance of two rows
  int64_t batches = 1;
  int64_t batchBytes = 0; // distance of two batches
};

struct LaunchBuffer {
  enum class Compare { Exact, Bound };
  int64_t bytes = -1; // -1: the size of `file`
  std::string file;   // first contents; empty: only `fill`
  uint8_t fill = 0xFF;
  target::ElementType element = target::ElementType::U8;
  std::string expected; // empty: not compared
  Compare compare = Compare::Exact;
  std::string exactFile; // float64, one an element of the live region
  std::string boundFile; // float32, likewise
  LiveRegion live;
};

struct Launch {
  std::string ptx;
  std::string target;
  std::string entry;
  Dim3 grid = {1, 1, 1};
  Dim3 block = {1, 1, 1};
  Dim3 cluster = {1, 1, 1};
  int64_t dynamicSharedMemory = 0; // bytes
  bool orderDependent = false;
  std::string problemJson = "{}"; // informative, any JSON object
  std::vector<LaunchParam> params;
  std::map<std::string, LaunchBuffer> buffers;

  /// Nothing to do: M, N or L is zero. `params` is empty then.
  bool isEmpty() const { return grid[0] == 0; }
};

/// Why a tensor map is illegal, by the rules of cuTensorMapEncodeTiled; empty
/// when it is legal. `path` begins the text, e.g. "$.params[0].tensor_map". An
/// address of a named buffer counts as aligned to 256 bytes plus its offset.
/// With `gpu`, element types and swizzles that the target lacks are refused.
std::string validateTensorMap(const TensorMap &map, std::string_view path,
                              const target::Gpu *gpu = nullptr);

/// What is doubtful in a legal tensor map; empty when nothing is. Drivers take
/// strides of 0 and rows that overlap, which the documentation neither promises
/// nor forbids: loads repeat data then, and stores race.
std::string warnOfTensorMap(const TensorMap &map, std::string_view path);

/// Bytes from the base address to one past the last byte of the tensor; -1 when
/// that is not a 64-bit number.
int64_t footprintBytes(const TensorMap &map);

/// Bytes that one load of the full box delivers to an mbarrier, which is the
/// packed size also for padded sub-byte elements and for boxes that are partly
/// out of bounds; -1 when that is not a 64-bit number.
int64_t boxBytes(const TensorMap &map);

/// Why a launch is illegal; empty when it is legal.
std::string validateLaunch(const Launch &launch);

Result<Launch> parseLaunch(std::string_view json);
/// JSON of a legal launch whose references are all to named buffers; addresses
/// have no place in a file.
std::string writeLaunch(const Launch &launch);

//===----------------------------------------------------------------------===//
// Kernel manifests
//===----------------------------------------------------------------------===//

enum class Role { A, B, SFA, SFB, C, D, SA, SB, Bias, Workspace };
inline constexpr unsigned numRoles = 10;
std::string_view roleName(Role role);

enum class GridRule { Tile, TileGrid, Persistent, Fixed };
enum class View { Matrix, ScaleTiles, Vector };
enum class ScaleLayout { Blocked128x4, Linear, ColumnMajor };
enum class RowScales { None, F32, Tensor };
enum class Activation { None, Relu, Silu, GeluErf, GeluTanh };
enum class Overflow { Infinity, Saturate };

/// Names of the schema (docs/abi.md), literals that end with a zero byte.
std::string_view gridRuleName(GridRule rule);
std::string_view viewName(View view);
std::string_view rowScalesName(RowScales scales);
std::string_view activationName(Activation activation);

struct GridDescription {
  GridRule rule = GridRule::Tile;
  int64_t ctasPerTile = 1;
  int64_t splitK = 1;
  int64_t ctasPerSM = 1; // Persistent
  /// Tiles below and beside each other that belong to the CTAs of a cluster.
  int64_t togetherM = 1, togetherN = 1; // Tile, Persistent
  Dim3 size = {1, 1, 1};                // Fixed
};

struct Tile {
  int64_t m = 0, n = 0, k = 0;
};

struct ProblemTypes {
  target::ElementType a = target::ElementType::None;
  target::ElementType b = target::ElementType::None;
  target::ElementType out = target::ElementType::None;
  target::ElementType c = target::ElementType::None; // None: C is not used
  target::ElementType scaleType = target::ElementType::None;
  int64_t scaleVector = 0;
  ScaleLayout scaleLayout = ScaleLayout::Blocked128x4;
  /// Of the scales of B, where they differ from those of A, and the rows of B
  /// that share a scale.
  std::optional<ScaleLayout> scaleLayoutB;
  int64_t scaleRowsB = 1;
  ScaleLayout getScaleLayoutB() const {
    return scaleLayoutB.value_or(scaleLayout);
  }
  RowScales rowScales = RowScales::None;
  target::ElementType bias = target::ElementType::None;
  Activation activation = Activation::None;
};

struct Numerics {
  target::ElementType accumulate = target::ElementType::F32;
  int64_t promoteEvery = 0; // values of K; 0: never
  bool contract = false;
  Overflow overflow = Overflow::Infinity;
  bool orderDependent = false;
};

struct SizeRange {
  int64_t min = 0;
  int64_t max = 2147483647;
  int64_t multipleOf = 1;
};

/// Memory of the role `workspace`, zeroed before each launch.
struct Workspace {
  int64_t bytes = 0;        // always
  int64_t bytesPerTile = 0; // for each tile of D
};

/// M, N, K, L in this order wherever four of something are kept.
inline constexpr std::string_view sizeNames = "MNKL";

/// One symbolic parameter.
struct ManifestParam {
  enum class Kind { TensorMap, Pointer, Size, Pitch, BatchStride, Scalar };
  enum class ScalarName { Alpha, Beta, OutScale };
  Kind kind = Kind::Pointer;
  Role role = Role::A; // TensorMap, Pointer, Pitch, BatchStride
  unsigned size = 0;   // Size: index in sizeNames
  ScalarName scalar = ScalarName::Alpha;
  View view = View::Matrix;
  target::TensorMapElement element = target::TensorMapElement::U8;
  std::vector<int64_t> box; // elements, innermost first
  target::Swizzle swizzle = target::Swizzle::None;
  bool nanFill = false;
};

using ConfigurationValue = std::variant<bool, int64_t, std::string>;

struct KernelManifest {
  std::string entry;
  std::string ptx;
  std::string cubin; // empty: none
  std::string target;
  GridDescription grid;
  Dim3 block = {0, 0, 0};
  Dim3 cluster = {1, 1, 1};
  int64_t dynamicSharedMemory = 0; // bytes
  Tile tile;
  std::map<std::string, ConfigurationValue> configuration;
  std::array<int64_t, 4> fixed = {-1, -1, -1, -1}; // -1: a run-time size
  ProblemTypes problem;
  Numerics numerics;
  std::array<SizeRange, 4> shapes;
  Workspace workspace;
  /// The kernel adds to the output, whose rows and columns (not the padding)
  /// are zeroed before each launch.
  bool addsToOutput = false;
  /// The kernel waits for the launch before it in the stream before it reads or
  /// writes global memory, so that a launch may begin earlier.
  bool dependentLaunch = false;
  std::vector<ManifestParam> params;
};

/// Why a manifest is illegal; empty when it is legal.
std::string validateManifest(const KernelManifest &manifest);

Result<KernelManifest> parseManifest(std::string_view json);
std::string writeManifest(const KernelManifest &manifest);

//===----------------------------------------------------------------------===//
// From a manifest to a launch
//===----------------------------------------------------------------------===//

/// An operand of one launch. Pitch and batch stride are in elements of the
/// operand (bytes for scale tiles); -1 takes the default of docs/abi.md.
struct OperandBinding {
  BufferReference data;
  int64_t pitch = -1;
  int64_t batchStride = -1;
};

struct LaunchRequest {
  int64_t m = 0, n = 0, k = 0, l = 1;
  std::map<Role, OperandBinding> operands;
  float alpha = 1, beta = 0, outScale = 1;
  int64_t smCount = 0; // 0: of the target's typical product
};

/// Why a kernel does not take the sizes of a request; empty when it does. Names
/// the next legal size.
std::string whyNotSizes(const KernelManifest &manifest,
                        const LaunchRequest &request);

/// Rows, columns and strides of one operand of a problem.
struct OperandShape {
  target::ElementType type = target::ElementType::None;
  bool isScaleTiles = false;
  bool isColumnMajor = false; // scales: a row for each group of K
  bool isVector = false;
  int64_t rows = 0;        // 1 for vectors
  int64_t columns = 0;     // elements; groups of K for scales, or their rows
                           // where they are column-major
  int64_t pitch = 0;       // elements
  int64_t batchStride = 0; // elements
  int64_t bytes = 0;       // of all batches, to the end of the last row
};

/// The shape of an operand with the request's strides or the defaults.
Result<OperandShape> operandShape(const KernelManifest &manifest,
                                  const LaunchRequest &request, Role role);

/// What a kernel demands of an operand, whatever the sizes are.
struct OperandRules {
  target::ElementType type = target::ElementType::None;
  bool isScaleTiles = false;
  bool isColumnMajor = false; // scales: a row for each group of K
  bool isVector = false;
  bool usesTensorMap = false; // read or written by TMA
  bool usesPointer = false;
  // A kernel that takes no pitch or batch stride of a pointer is compiled for
  // the defaults.
  bool takesPitch = false;
  bool takesBatchStride = false;
  int64_t addressMultiple = 1; // bytes
  int64_t pitchMultiple = 0;   // elements; 0: there is no pitch
  int64_t columnMultiple = 1;  // elements: rows are whole map elements
};

/// An error when the kernel does not use the operand. The workspace has no
/// type.
Result<OperandRules> operandRules(const KernelManifest &manifest, Role role);

/// Bytes of the workspace that a launch needs.
Result<int64_t> workspaceBytes(const KernelManifest &manifest,
                               const LaunchRequest &request);

/// The concrete launch, with every tensor map checked. `buffers` stays empty:
/// the caller knows what is in them.
Result<Launch> resolve(const KernelManifest &manifest,
                       const LaunchRequest &request);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_LAUNCHDESCRIPTION_H
