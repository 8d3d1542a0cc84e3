//===- CInterface.cpp - The C interface of the emulator ---------*- C++ -*-===//

#include "bsmm/Emulator/bsmm_emulator.h"

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/LaunchFile.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

using namespace bsmm::emulator;

struct bsmm_emu_program {
  std::shared_ptr<const Program> program;
  std::vector<std::string> entries;
};

struct bsmm_emu_launch {
  std::shared_ptr<const Program> program;
  LaunchFile file; ///< without a launch file only its `launch` is used
  bool isFile = false;
  std::vector<Comparison> comparisons;
};

struct bsmm_emu_report {
  Report report;
  std::string json;
};

namespace {
thread_local std::string lastError;

bsmm_emu_status fail(bsmm_emu_status status, std::string message) {
  lastError = std::move(message);
  return status;
}

bsmm_emu_status nullArgument(const char *name) {
  return fail(BSMM_EMU_INVALID_ARGUMENT,
              std::string("expected a value for '") + name + "', got null");
}

/// Nothing of C++ leaves through C.
template <typename Body> bsmm_emu_status guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(BSMM_EMU_OUT_OF_MEMORY, "out of memory");
  }
}

/// The caller's structure, possibly of another version; false when its size
/// cannot be one.
template <typename T> bool take(const T *given, T &all) {
  if (given->struct_size < sizeof(size_t))
    return false;
  std::memset(&all, 0, sizeof(T));
  std::memcpy(&all, given, std::min(given->struct_size, sizeof(T)));
  return true;
}

template <typename T> bool give(T &all, T *to) {
  if (to->struct_size < sizeof(size_t))
    return false;
  all.struct_size = to->struct_size;
  std::memcpy(to, &all, std::min(to->struct_size, sizeof(T)));
  return true;
}

bsmm_emu_status badSize() {
  return fail(BSMM_EMU_INVALID_ARGUMENT,
              "expected 'struct_size' to be the size of the structure");
}

bsmm_emu_status setExtents(bsmm_emu_launch *launch, const uint32_t *extents,
                           Dim3 Launch::*which) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (extents == nullptr)
    return nullArgument("extents");
  launch->file.launch.*which = {extents[0], extents[1], extents[2]};
  return BSMM_EMU_OK;
}

bsmm_emu_status convertMap(const bsmm_emu_launch *launch, size_t buffer,
                           const bsmm_emu_tensor_map *given,
                           units::TensorMap &map) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (given == nullptr)
    return nullArgument("map");
  if (buffer >= launch->file.launch.buffers.size())
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "there is no buffer " + std::to_string(buffer));
  bsmm_emu_tensor_map all;
  if (!take(given, all))
    return badSize();
  if (all.rank < 1 || all.rank > 5)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "expected a rank from 1 to 5, got " + std::to_string(all.rank));
  if (all.element > 15 || all.interleave > 2 || all.swizzle > 6 || all.fill > 1)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "expected enumerators of CUtensorMap, got element " +
                    std::to_string(all.element) + ", interleave " +
                    std::to_string(all.interleave) + ", swizzle " +
                    std::to_string(all.swizzle) + " and fill " +
                    std::to_string(all.fill));
  map.element = static_cast<units::TensorMapElement>(all.element);
  map.interleave = static_cast<units::TensorMapInterleave>(all.interleave);
  map.swizzle = static_cast<units::TensorMapSwizzle>(all.swizzle);
  map.fill = static_cast<units::TensorMapFill>(all.fill);
  map.rank = all.rank;
  for (uint32_t k = 0; k < all.rank; ++k) {
    map.dims[k] = all.dims[k];
    map.box[k] = all.box[k];
    if (k != 0)
      map.strides[k] = all.strides_bytes[k - 1];
    if (all.element_strides[k] != 0)
      map.elementStrides[k] = all.element_strides[k];
  }
  // The address is checked when the launch runs.
  map.globalAddress = 1024;
  std::string wrong = units::checkTensorMap(map);
  if (!wrong.empty())
    return fail(BSMM_EMU_INVALID_ARGUMENT, wrong);
  return BSMM_EMU_OK;
}

bsmm_emu_status placePointer(bsmm_emu_launch *launch, size_t parameter,
                             size_t offset,
                             const Parameter::Placement &placement) {
  Launch &l = launch->file.launch;
  size_t bytes =
      placement.kind == Parameter::Placement::Kind::TensorMap ? 128 : 8;
  if (parameter >= l.parameters.size())
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "there is no parameter " + std::to_string(parameter));
  size_t size = l.parameters[parameter].bytes.size();
  if (size < bytes || offset > size - bytes)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                std::to_string(bytes) + " bytes at offset " +
                    std::to_string(offset) + " leave parameter " +
                    std::to_string(parameter) + " of " + std::to_string(size) +
                    " bytes");
  return guarded([&] {
    l.parameters[parameter].placements.push_back(placement);
    return BSMM_EMU_OK;
  });
}

bsmm_emu_status addParameter(bsmm_emu_launch *launch, Parameter parameter) {
  launch->file.launch.parameters.push_back(std::move(parameter));
  return BSMM_EMU_OK;
}

bsmm_emu_status loadProgramText(std::string text,
                                std::shared_ptr<const Program> &program) {
  LoadResult loaded = loadProgram(std::move(text));
  if (!loaded.program) {
    std::string message;
    for (const SourceDiagnostic &error : loaded.errors)
      message += (message.empty() ? "" : "\n") +
                 (error.line ? "line " + std::to_string(error.line) + ": "
                             : std::string()) +
                 error.message;
    return fail(BSMM_EMU_INVALID_PTX, message);
  }
  program = std::move(loaded.program);
  return BSMM_EMU_OK;
}
} // namespace

extern "C" {

const char *bsmm_emu_last_error(void) { return lastError.c_str(); }

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

bsmm_emu_status bsmm_emu_program_load(const char *ptx, size_t bytes,
                                      bsmm_emu_program **program) {
  if (ptx == nullptr)
    return nullArgument("ptx");
  if (program == nullptr)
    return nullArgument("program");
  return guarded([&] {
    auto result = std::make_unique<bsmm_emu_program>();
    bsmm_emu_status status =
        loadProgramText(std::string(ptx, bytes), result->program);
    if (status != BSMM_EMU_OK)
      return status;
    result->entries = result->program->entries();
    *program = result.release();
    return status;
  });
}

void bsmm_emu_program_close(bsmm_emu_program *program) { delete program; }

const char *bsmm_emu_program_target(const bsmm_emu_program *program) {
  return program ? program->program->target().c_str() : "";
}

size_t bsmm_emu_program_entry_count(const bsmm_emu_program *program) {
  return program ? program->entries.size() : 0;
}

const char *bsmm_emu_program_entry(const bsmm_emu_program *program,
                                   size_t index) {
  return program && index < program->entries.size()
             ? program->entries[index].c_str()
             : nullptr;
}

size_t bsmm_emu_program_parameter_count(const bsmm_emu_program *program,
                                        const char *entry) {
  return program && entry ? program->program->parameterSizes(entry).size() : 0;
}

uint64_t bsmm_emu_program_parameter_bytes(const bsmm_emu_program *program,
                                          const char *entry, size_t index) {
  if (!program || !entry)
    return 0;
  std::vector<uint64_t> sizes = program->program->parameterSizes(entry);
  return index < sizes.size() ? sizes[index] : 0;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bsmm_emu_status bsmm_emu_launch_create(const bsmm_emu_program *program,
                                       const char *entry,
                                       bsmm_emu_launch **launch) {
  if (program == nullptr)
    return nullArgument("program");
  if (launch == nullptr)
    return nullArgument("launch");
  return guarded([&] {
    const std::vector<std::string> &entries = program->entries;
    if (entry == nullptr && entries.size() != 1)
      return fail(BSMM_EMU_INVALID_ARGUMENT,
                  "the program has " + std::to_string(entries.size()) +
                      " entries: name one");
    if (entry != nullptr &&
        std::find(entries.begin(), entries.end(), entry) == entries.end())
      return fail(BSMM_EMU_INVALID_ARGUMENT,
                  std::string("the program has no entry '") + entry + "'");
    auto result = std::make_unique<bsmm_emu_launch>();
    result->program = program->program;
    result->file.launch.entry = entry ? entry : entries[0];
    *launch = result.release();
    return static_cast<bsmm_emu_status>(BSMM_EMU_OK);
  });
}

bsmm_emu_status bsmm_emu_launch_open(const char *path,
                                     bsmm_emu_launch **launch) {
  if (path == nullptr)
    return nullArgument("path");
  if (launch == nullptr)
    return nullArgument("launch");
  return guarded([&] {
    auto result = std::make_unique<bsmm_emu_launch>();
    std::string error;
    if (!readLaunchFile(path, result->file, error))
      return fail(BSMM_EMU_INVALID_LAUNCH, error);
    result->isFile = true;
    bsmm_emu_status status = loadProgramText(result->file.ptx, result->program);
    if (status == BSMM_EMU_OK)
      *launch = result.release();
    return status;
  });
}

void bsmm_emu_launch_close(bsmm_emu_launch *launch) { delete launch; }

bsmm_emu_status bsmm_emu_launch_set_grid(bsmm_emu_launch *launch,
                                         const uint32_t extents[3]) {
  return setExtents(launch, extents, &Launch::grid);
}

bsmm_emu_status bsmm_emu_launch_set_block(bsmm_emu_launch *launch,
                                          const uint32_t extents[3]) {
  return setExtents(launch, extents, &Launch::block);
}

bsmm_emu_status bsmm_emu_launch_set_cluster(bsmm_emu_launch *launch,
                                            const uint32_t extents[3]) {
  return setExtents(launch, extents, &Launch::cluster);
}

bsmm_emu_status bsmm_emu_launch_set_dynamic_shared(bsmm_emu_launch *launch,
                                                   uint32_t bytes) {
  if (launch == nullptr)
    return nullArgument("launch");
  launch->file.launch.dynamicSharedBytes = bytes;
  return BSMM_EMU_OK;
}

bsmm_emu_status bsmm_emu_launch_add_buffer(bsmm_emu_launch *launch,
                                           const char *name, void *data,
                                           size_t bytes, int read_only,
                                           size_t *index) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (name == nullptr)
    return nullArgument("name");
  if (data == nullptr && bytes != 0)
    return nullArgument("data");
  return guarded([&] {
    std::vector<Buffer> &buffers = launch->file.launch.buffers;
    buffers.push_back(
        {name, static_cast<uint8_t *>(data), bytes, read_only != 0});
    if (index != nullptr)
      *index = buffers.size() - 1;
    return static_cast<bsmm_emu_status>(BSMM_EMU_OK);
  });
}

bsmm_emu_status bsmm_emu_launch_add_parameter(bsmm_emu_launch *launch,
                                              const void *data, size_t bytes) {
  if (launch == nullptr)
    return nullArgument("launch");
  return guarded([&] {
    Parameter parameter;
    parameter.bytes.resize(bytes);
    if (data != nullptr && bytes != 0)
      std::memcpy(parameter.bytes.data(), data, bytes);
    return addParameter(launch, std::move(parameter));
  });
}

bsmm_emu_status bsmm_emu_launch_add_pointer(bsmm_emu_launch *launch,
                                            size_t buffer,
                                            uint64_t byte_offset) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (buffer >= launch->file.launch.buffers.size())
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "there is no buffer " + std::to_string(buffer));
  return guarded([&] {
    return addParameter(launch, Parameter::pointer(buffer, byte_offset));
  });
}

bsmm_emu_status bsmm_emu_launch_add_tensor_map(bsmm_emu_launch *launch,
                                               size_t buffer,
                                               uint64_t byte_offset,
                                               const bsmm_emu_tensor_map *map) {
  units::TensorMap converted;
  bsmm_emu_status status = convertMap(launch, buffer, map, converted);
  if (status != BSMM_EMU_OK)
    return status;
  return guarded([&] {
    return addParameter(launch,
                        Parameter::tensorMap(converted, buffer, byte_offset));
  });
}

bsmm_emu_status bsmm_emu_launch_place_pointer(bsmm_emu_launch *launch,
                                              size_t parameter, size_t offset,
                                              size_t buffer,
                                              uint64_t byte_offset) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (buffer >= launch->file.launch.buffers.size())
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "there is no buffer " + std::to_string(buffer));
  Parameter::Placement placement;
  placement.offset = offset;
  placement.buffer = buffer;
  placement.byteOffset = byte_offset;
  return placePointer(launch, parameter, offset, placement);
}

bsmm_emu_status bsmm_emu_launch_place_tensor_map(
    bsmm_emu_launch *launch, size_t parameter, size_t offset, size_t buffer,
    uint64_t byte_offset, const bsmm_emu_tensor_map *map) {
  Parameter::Placement placement;
  bsmm_emu_status status = convertMap(launch, buffer, map, placement.map);
  if (status != BSMM_EMU_OK)
    return status;
  placement.kind = Parameter::Placement::Kind::TensorMap;
  placement.offset = offset;
  placement.buffer = buffer;
  placement.byteOffset = byte_offset;
  return placePointer(launch, parameter, offset, placement);
}

bsmm_emu_status bsmm_emu_launch_buffer(const bsmm_emu_launch *launch,
                                       const char *name, void **data,
                                       size_t *bytes) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (name == nullptr)
    return nullArgument("name");
  if (data == nullptr)
    return nullArgument("data");
  for (const Buffer &buffer : launch->file.launch.buffers)
    if (buffer.name == name) {
      *data = buffer.data;
      if (bytes != nullptr)
        *bytes = buffer.bytes;
      return BSMM_EMU_OK;
    }
  return fail(BSMM_EMU_INVALID_ARGUMENT,
              std::string("there is no buffer '") + name + "'");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

bsmm_emu_status bsmm_emu_run(const bsmm_emu_launch *launch,
                             const bsmm_emu_options *options,
                             bsmm_emu_report **report) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (report == nullptr)
    return nullArgument("report");
  bsmm_emu_options all = BSMM_EMU_OPTIONS_INIT;
  if (options != nullptr && !take(options, all))
    return badSize();
  if (all.mode < BSMM_EMU_EAGER || all.mode > BSMM_EMU_RANDOM)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "unknown mode " + std::to_string(all.mode));
  if (all.cta_order < BSMM_EMU_ORDER_ASCENDING ||
      all.cta_order > BSMM_EMU_ORDER_SHUFFLED)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "unknown order of CTAs " + std::to_string(all.cta_order));
  return guarded([&] {
    Options o;
    o.mode = static_cast<AsyncMode>(all.mode);
    o.seed = all.seed;
    o.strict = all.strict != 0;
    o.checkHazards = all.no_hazards == 0;
    o.arithmetic =
        all.exact_arithmetic ? Arithmetic::Exact : Arithmetic::Hardware;
    o.ctaOrder = static_cast<CtaOrder>(all.cta_order);
    o.threads = all.threads;
    o.maxInstructions = all.max_instructions;
    if (all.max_resident_clusters != 0)
      o.maxResidentClusters = all.max_resident_clusters;
    if (all.max_diagnostics != 0)
      o.maxDiagnostics = all.max_diagnostics;
    if (all.trace_file != nullptr)
      o.traceFile = all.trace_file;
    if (all.progress != nullptr)
      o.progress = [&all](uint64_t finished, uint64_t ctas,
                          uint64_t instructions) {
        return all.progress(all.progress_user, finished, ctas, instructions) !=
               0;
      };
    auto result = std::make_unique<bsmm_emu_report>();
    result->report = run(*launch->program, launch->file.launch, o);
    result->json = reportToJson(result->report);
    *report = result.release();
    return static_cast<bsmm_emu_status>(BSMM_EMU_OK);
  });
}

void bsmm_emu_report_close(bsmm_emu_report *report) { delete report; }

int bsmm_emu_report_clean(const bsmm_emu_report *report) {
  return report && report->report.completed && !report->report.hasErrors();
}

int bsmm_emu_report_completed(const bsmm_emu_report *report) {
  return report && report->report.completed;
}

size_t bsmm_emu_report_diagnostic_count(const bsmm_emu_report *report) {
  return report ? report->report.diagnostics.size() : 0;
}

bsmm_emu_status bsmm_emu_report_diagnostic(const bsmm_emu_report *report,
                                           size_t index,
                                           bsmm_emu_diagnostic *diagnostic) {
  if (report == nullptr)
    return nullArgument("report");
  if (diagnostic == nullptr)
    return nullArgument("diagnostic");
  if (index >= report->report.diagnostics.size())
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "there is no diagnostic " + std::to_string(index));
  const Diagnostic &from = report->report.diagnostics[index];
  bsmm_emu_diagnostic all = BSMM_EMU_DIAGNOSTIC_INIT;
  all.severity =
      from.severity == Severity::Error ? BSMM_EMU_ERROR : BSMM_EMU_STRICT;
  all.kind = from.kind.c_str();
  all.message = from.message.c_str();
  all.line = from.line;
  all.cta[0] = from.cta.x;
  all.cta[1] = from.cta.y;
  all.cta[2] = from.cta.z;
  all.warp = from.warp;
  all.lane = from.lane;
  all.count = from.count;
  return give(all, diagnostic) ? BSMM_EMU_OK : badSize();
}

bsmm_emu_status bsmm_emu_report_statistics(const bsmm_emu_report *report,
                                           bsmm_emu_statistics *statistics) {
  if (report == nullptr)
    return nullArgument("report");
  if (statistics == nullptr)
    return nullArgument("statistics");
  const Statistics &from = report->report.statistics;
  bsmm_emu_statistics all = BSMM_EMU_STATISTICS_INIT;
  all.warp_instructions = from.warpInstructions;
  all.thread_instructions = from.threadInstructions;
  all.tensor_instructions = from.tensorInstructions;
  all.multiply_adds = from.multiplyAdds;
  all.bulk_copies = from.bulkCopies;
  all.bulk_bytes = from.bulkBytes;
  all.ctas = from.ctas;
  all.seconds = from.seconds;
  return give(all, statistics) ? BSMM_EMU_OK : badSize();
}

const char *bsmm_emu_report_json(const bsmm_emu_report *report) {
  return report ? report->json.c_str() : "";
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

bsmm_emu_status bsmm_emu_compare(bsmm_emu_launch *launch, size_t *count) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (count == nullptr)
    return nullArgument("count");
  if (!launch->isFile)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "only a launch of a launch file says what is expected");
  return guarded([&] {
    launch->comparisons = compareOutputs(launch->file);
    *count = launch->comparisons.size();
    return static_cast<bsmm_emu_status>(BSMM_EMU_OK);
  });
}

bsmm_emu_status bsmm_emu_comparison_get(const bsmm_emu_launch *launch,
                                        size_t index,
                                        bsmm_emu_comparison *comparison) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (comparison == nullptr)
    return nullArgument("comparison");
  if (index >= launch->comparisons.size())
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "there is no comparison " + std::to_string(index));
  const Comparison &from = launch->comparisons[index];
  bsmm_emu_comparison all = BSMM_EMU_COMPARISON_INIT;
  all.buffer = from.buffer.c_str();
  all.elements = from.elements;
  all.equal = from.equal;
  all.within_bound = from.withinBound;
  all.outside = from.outside;
  all.first_outside = from.firstOutside.c_str();
  return give(all, comparison) ? BSMM_EMU_OK : badSize();
}

bsmm_emu_status bsmm_emu_launch_reset(bsmm_emu_launch *launch) {
  if (launch == nullptr)
    return nullArgument("launch");
  if (!launch->isFile)
    return fail(BSMM_EMU_INVALID_ARGUMENT,
                "the buffers belong to the caller, who alone knows what was in "
                "them");
  launch->file.reset();
  return BSMM_EMU_OK;
}

} // extern "C"
