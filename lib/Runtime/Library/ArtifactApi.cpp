//===- ArtifactApi.cpp - artifacts through the C ABI ----------------------===//

#include "Handles.h"
#include "bsmm/Runtime/Selection.h"

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;
using target::ElementType;

static std::string number(uint64_t value) { return std::to_string(value); }

static bsmm_status statusOf(ArtifactFault fault) {
  switch (fault) {
  case ArtifactFault::CannotRead:
    return BSMM_IO_ERROR;
  case ArtifactFault::Version:
    return BSMM_UNSUPPORTED_VERSION;
  default:
    return BSMM_INVALID_ARTIFACT;
  }
}

/// Gives out a handle for what was read.
static bsmm_status publish(Result<Artifact> artifact, ArtifactFault fault,
                           bsmm_artifact **out) {
  if (!artifact)
    return fail(statusOf(fault), artifact.error());
  auto data = std::make_shared<ArtifactData>();
  data->artifact = std::move(*artifact);
  for (const ArtifactKernel &kernel : data->artifact.kernels)
    data->manifests.push_back(writeManifest(kernel.manifest));
  data->description = describeArtifact(data->artifact);
  *out = new bsmm_artifact{std::move(data)};
  return BSMM_OK;
}

/// The kernel of an index, or null after fail().
static const ArtifactKernel *kernelAt(const bsmm_artifact *artifact,
                                      size_t kernel, bsmm_status &status) {
  if (!artifact) {
    status =
        fail(BSMM_INVALID_ARGUMENT, "artifact: expected an artifact, got NULL");
    return nullptr;
  }
  const std::vector<ArtifactKernel> &kernels = artifact->data->artifact.kernels;
  if (kernel >= kernels.size()) {
    status =
        fail(BSMM_INVALID_ARGUMENT,
             "kernel: expected an index below the " + number(kernels.size()) +
                 " kernels of the artifact, got " + number(kernel));
    return nullptr;
  }
  return &kernels[kernel];
}

static bsmm_status roleAt(bsmm_role given, Role &role) {
  if (given < 0 || given >= BSMM_ROLE_COUNT)
    return fail(BSMM_INVALID_ARGUMENT,
                "role: expected a role, got " + std::to_string(given));
  role = static_cast<Role>(given);
  return BSMM_OK;
}

static bsmm_layout layoutOfScales(ScaleLayout layout) {
  switch (layout) {
  case ScaleLayout::Blocked128x4:
    return BSMM_LAYOUT_BLOCKED_128X4;
  case ScaleLayout::Linear:
    return BSMM_LAYOUT_ROWS;
  case ScaleLayout::ColumnMajor:
    return BSMM_LAYOUT_COLUMN_MAJOR;
  }
  return BSMM_LAYOUT_UNSPECIFIED;
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

/// The parameters as a launch has them, for their places.
static std::vector<LaunchParam> shapesOf(const KernelManifest &manifest) {
  using Kind = ManifestParam::Kind;
  std::vector<LaunchParam> params;
  for (const ManifestParam &param : manifest.params) {
    LaunchParam out;
    switch (param.kind) {
    case Kind::TensorMap:
      out.kind = LaunchParam::Kind::TensorMap;
      break;
    case Kind::Pointer:
      out.kind = LaunchParam::Kind::Pointer;
      break;
    case Kind::Size:
      out.kind = LaunchParam::Kind::I32;
      break;
    case Kind::Pitch:
    case Kind::BatchStride:
      out.kind = LaunchParam::Kind::I64;
      break;
    case Kind::Scalar:
      out.kind = LaunchParam::Kind::F32;
      break;
    }
    params.push_back(std::move(out));
  }
  return params;
}

static void copy(const Dim3 &from, uint32_t (&to)[3]) {
  for (unsigned i = 0; i < 3; ++i)
    to[i] = static_cast<uint32_t>(from[i]);
}

/// Arguments to a launch that has no memory yet.
static bsmm_status resolveWithoutMemory(const KernelManifest &manifest,
                                        const bsmm_arguments *given,
                                        Arguments &arguments, Launch &launch) {
  if (bsmm_status status =
          readArguments(manifest, given, /*needsData=*/false, arguments))
    return status;
  LaunchRequest &request = arguments.request;
  if (arguments.mayRepack)
    for (auto &[role, binding] : request.operands) {
      Result<OperandRules> rules = operandRules(manifest, role);
      Result<OperandShape> shape = operandShape(manifest, request, role);
      if (rules && shape && role != Role::D &&
          needsRepack(*rules, *shape, binding.data.address, request.l))
        binding = OperandBinding();
    }
  addMissingOperands(manifest, request);
  Result<Launch> resolved = resolve(manifest, arguments.request);
  if (!resolved)
    return fail(BSMM_UNSUPPORTED_PROBLEM, resolved.error());
  launch = std::move(*resolved);
  return BSMM_OK;
}

extern "C" {

bsmm_status bsmm_artifact_open(const char *path, bsmm_artifact **artifact) {
  return guarded([&]() -> bsmm_status {
    if (!path || !artifact)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected a path and a place for the artifact, got NULL");
    ArtifactFault fault = ArtifactFault::Damaged;
    Result<Artifact> read = readArtifactFile(path, &fault);
    return publish(std::move(read), fault, artifact);
  });
}

bsmm_status bsmm_artifact_open_memory(const void *data, size_t bytes,
                                      bsmm_artifact **artifact) {
  return guarded([&]() -> bsmm_status {
    if (!data || !artifact)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected data and a place for the artifact, got NULL");
    ArtifactFault fault = ArtifactFault::Damaged;
    Result<Artifact> read = parseArtifact(
        std::string(static_cast<const char *>(data), bytes), &fault);
    return publish(std::move(read), fault, artifact);
  });
}

void bsmm_artifact_close(bsmm_artifact *artifact) { delete artifact; }

bsmm_status bsmm_artifact_write(const char *path,
                                const bsmm_artifact_entry *entries,
                                size_t count) {
  return guarded([&]() -> bsmm_status {
    if (!path || !entries)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected a path and entries, got NULL");
    Artifact artifact;
    artifact.producer = "bsmm runtime";
    for (size_t i = 0; i < count; ++i) {
      const bsmm_artifact_entry &entry = entries[i];
      std::string where = "entries[" + number(i) + "]";
      if (!entry.manifest)
        return fail(BSMM_INVALID_ARGUMENT,
                    where + ".manifest: expected a text, got NULL");
      if (!entry.cubin && entry.cubin_bytes != 0)
        return fail(BSMM_INVALID_ARGUMENT, where + ".cubin: expected " +
                                               number(entry.cubin_bytes) +
                                               " bytes, got NULL");
      Result<KernelManifest> manifest = parseManifest(entry.manifest);
      if (!manifest)
        return fail(BSMM_INVALID_ARTIFACT,
                    where + ".manifest: " + manifest.error());
      ArtifactKernel kernel;
      kernel.name = entry.name ? entry.name : manifest->entry.c_str();
      kernel.manifest = std::move(*manifest);
      if (entry.ptx)
        kernel.ptx = entry.ptx;
      if (entry.cubin)
        kernel.cubin = {static_cast<const char *>(entry.cubin),
                        entry.cubin_bytes};
      artifact.kernels.push_back(std::move(kernel));
    }
    Result<std::string> bytes = formatArtifact(artifact);
    if (!bytes)
      return fail(BSMM_INVALID_ARTIFACT, bytes.error());
    std::string text = writeFileInOneStep(path, *bytes);
    return text.empty() ? BSMM_OK : fail(BSMM_IO_ERROR, text);
  });
}

size_t bsmm_artifact_kernel_count(const bsmm_artifact *artifact) {
  return artifact ? artifact->data->artifact.kernels.size() : 0;
}

bsmm_status bsmm_artifact_kernel_info(const bsmm_artifact *artifact,
                                      size_t kernel, bsmm_kernel_info *info) {
  return guarded([&]() -> bsmm_status {
    bsmm_status status = checkStructure(info, "info");
    if (status)
      return status;
    const ArtifactKernel *found = kernelAt(artifact, kernel, status);
    if (!found)
      return status;
    const KernelManifest &manifest = found->manifest;
    const ProblemTypes &problem = manifest.problem;
    bsmm_kernel_info out{};
    out.name = found->name.c_str();
    out.entry = manifest.entry.c_str();
    out.target = manifest.target.c_str();
    out.manifest = artifact->data->manifests[kernel].c_str();
    out.ptx_bytes = found->ptx.size();
    out.cubin_bytes = found->cubin.size();
    copy(manifest.block, out.block);
    copy(manifest.cluster, out.cluster);
    out.dynamic_shared_bytes =
        static_cast<uint32_t>(manifest.dynamicSharedMemory);
    out.parameter_count = static_cast<uint32_t>(manifest.params.size());
    out.tile[0] = manifest.tile.m;
    out.tile[1] = manifest.tile.n;
    out.tile[2] = manifest.tile.k;
    for (unsigned i = 0; i < 4; ++i) {
      const SizeRange &range = manifest.shapes[i];
      out.sizes[i] = {range.min, range.max, range.multipleOf};
      if (manifest.fixed[i] >= 0)
        out.sizes[i].min = out.sizes[i].max = manifest.fixed[i];
    }
    out.a = bsmm_element(problem.a);
    out.b = bsmm_element(problem.b);
    out.out = bsmm_element(problem.out);
    out.c = bsmm_element(problem.c);
    out.scale_type = bsmm_element(problem.scaleType);
    out.scale_vector = static_cast<int32_t>(problem.scaleVector);
    if (problem.scaleType != ElementType::None) {
      out.scale_layout = layoutOfScales(problem.scaleLayout);
      out.scale_layout_b = layoutOfScales(problem.getScaleLayoutB());
      out.scale_rows_b = static_cast<int32_t>(problem.scaleRowsB);
    }
    out.bias = bsmm_element(problem.bias);
    out.row_scales = rowScalesName(problem.rowScales).data();
    out.activation = activationName(problem.activation).data();
    out.grid_rule = gridRuleName(manifest.grid.rule).data();
    out.order_dependent = manifest.numerics.orderDependent;
    out.workspace_bytes = manifest.workspace.bytes;
    out.workspace_tile_bytes = manifest.workspace.bytesPerTile;
    out.has_precise_sums = hasPreciseSums(manifest);
    writeStructure(info, out);
    return BSMM_OK;
  });
}

bsmm_status bsmm_artifact_parameter_info(const bsmm_artifact *artifact,
                                         size_t kernel, size_t parameter,
                                         bsmm_parameter_info *info) {
  return guarded([&]() -> bsmm_status {
    bsmm_status status = checkStructure(info, "info");
    if (status)
      return status;
    const ArtifactKernel *found = kernelAt(artifact, kernel, status);
    if (!found)
      return status;
    const std::vector<ManifestParam> &params = found->manifest.params;
    if (parameter >= params.size())
      return fail(BSMM_INVALID_ARGUMENT,
                  "parameter: expected an index below the " +
                      number(params.size()) +
                      " parameters of the kernel, got " + number(parameter));
    const ManifestParam &param = params[parameter];
    using Kind = ManifestParam::Kind;
    static const char *const sizes[] = {"M", "N", "K", "L"};
    static const char *const scalars[] = {"alpha", "beta", "out_scale"};
    bsmm_parameter_info out{};
    out.kind = bsmm_parameter_kind(param.kind);
    static_assert(BSMM_PARAMETER_TENSOR_MAP == int(Kind::TensorMap) &&
                  BSMM_PARAMETER_POINTER == int(Kind::Pointer) &&
                  BSMM_PARAMETER_SIZE == int(Kind::Size) &&
                  BSMM_PARAMETER_PITCH == int(Kind::Pitch) &&
                  BSMM_PARAMETER_BATCH_STRIDE == int(Kind::BatchStride) &&
                  BSMM_PARAMETER_SCALAR == int(Kind::Scalar));
    out.role = bsmm_role(param.role);
    out.name = roleName(param.role).data();
    if (param.kind == Kind::Size || param.kind == Kind::Scalar) {
      out.role = -1;
      out.name = param.kind == Kind::Size
                     ? sizes[param.size % 4]
                     : scalars[static_cast<unsigned>(param.scalar) % 3];
    }
    std::vector<LaunchParam> launch = shapesOf(found->manifest);
    out.bytes = static_cast<uint32_t>(parameterBytes(launch[parameter]));
    out.offset = static_cast<uint32_t>(parameterOffsets(launch)[parameter]);
    if (param.kind == Kind::TensorMap) {
      out.view = viewName(param.view).data();
      out.element = target::info(param.element).name.data();
      out.swizzle = target::info(param.swizzle).name.data();
      out.rank = static_cast<uint32_t>(param.box.size());
      for (size_t i = 0; i < param.box.size() && i < 5; ++i)
        out.box[i] = param.box[i];
    }
    writeStructure(info, out);
    return BSMM_OK;
  });
}

bsmm_status bsmm_artifact_operand_info(const bsmm_artifact *artifact,
                                       size_t kernel, bsmm_role role,
                                       bsmm_operand_info *info) {
  return guarded([&]() -> bsmm_status {
    bsmm_status status = checkStructure(info, "info");
    if (status)
      return status;
    const ArtifactKernel *found = kernelAt(artifact, kernel, status);
    if (!found)
      return status;
    Role which;
    if ((status = roleAt(role, which)))
      return status;
    Result<OperandRules> rules = operandRules(found->manifest, which);
    if (!rules)
      return fail(BSMM_NOT_FOUND, rules.error());
    bsmm_operand_info out{};
    out.element = bsmm_element(rules->type);
    out.layout = layoutOf(*rules, which);
    out.is_output = which == Role::D || which == Role::Workspace;
    out.is_tensor_map = rules->usesTensorMap;
    out.address_multiple = static_cast<uint32_t>(rules->addressMultiple);
    out.pitch_multiple = rules->pitchMultiple;
    out.inner_multiple = rules->columnMultiple;
    switch (which) {
    case Role::A:
    case Role::B:
      out.row_size = which == Role::A ? 'M' : 'N';
      out.column_size = 'K';
      break;
    case Role::SFA:
    case Role::SFB:
      out.row_size = which == Role::SFA ? 'M' : 'N';
      out.column_size = 'G';
      if (rules->isColumnMajor)
        std::swap(out.row_size, out.column_size);
      break;
    case Role::C:
    case Role::D:
      out.row_size = 'M';
      out.column_size = 'N';
      break;
    case Role::SA:
      out.row_size = 'M';
      break;
    case Role::SB:
    case Role::Bias:
      out.row_size = 'N';
      break;
    case Role::Workspace:
      break;
    }
    // One scale for the whole tensor.
    if ((which == Role::SA || which == Role::SB) &&
        found->manifest.problem.rowScales == RowScales::Tensor)
      out.row_size = '1';
    writeStructure(info, out);
    return BSMM_OK;
  });
}

const char *bsmm_artifact_describe(const bsmm_artifact *artifact) {
  return artifact ? artifact->data->description.c_str() : nullptr;
}

bsmm_status bsmm_artifact_operand_shape(const bsmm_artifact *artifact,
                                        size_t kernel,
                                        const bsmm_arguments *given,
                                        bsmm_role role,
                                        bsmm_operand_shape *shape) {
  return guarded([&]() -> bsmm_status {
    bsmm_status status = checkStructure(shape, "shape");
    if (status)
      return status;
    const ArtifactKernel *found = kernelAt(artifact, kernel, status);
    if (!found)
      return status;
    Role which;
    if ((status = roleAt(role, which)))
      return status;
    Result<OperandRules> rules = operandRules(found->manifest, which);
    if (!rules)
      return fail(BSMM_NOT_FOUND, rules.error());
    Arguments arguments;
    if ((status = readArguments(found->manifest, given, /*needsData=*/false,
                                arguments)))
      return status;
    bsmm_operand_shape out{};
    out.layout = layoutOf(*rules, which);
    if (which == Role::Workspace) {
      Result<int64_t> bytes =
          workspaceBytes(found->manifest, arguments.request);
      if (!bytes)
        return fail(BSMM_UNSUPPORTED_PROBLEM, bytes.error());
      out.element = BSMM_U8;
      out.rows = 1;
      out.columns = out.bytes = *bytes;
    } else {
      Result<OperandShape> found2 =
          operandShape(found->manifest, arguments.request, which);
      if (!found2)
        return fail(BSMM_UNSUPPORTED_PROBLEM, found2.error());
      out.element = bsmm_element(found2->type);
      out.rows = found2->rows;
      out.columns = found2->columns;
      out.pitch = found2->pitch;
      out.batch_stride = found2->batchStride;
      out.bytes = found2->bytes;
    }
    writeStructure(shape, out);
    return BSMM_OK;
  });
}

bsmm_status bsmm_artifact_launch_shape(const bsmm_artifact *artifact,
                                       size_t kernel,
                                       const bsmm_arguments *given,
                                       bsmm_launch_shape *shape) {
  return guarded([&]() -> bsmm_status {
    bsmm_status status = checkStructure(shape, "shape");
    if (status)
      return status;
    const ArtifactKernel *found = kernelAt(artifact, kernel, status);
    if (!found)
      return status;
    Arguments arguments;
    Launch launch;
    if ((status =
             resolveWithoutMemory(found->manifest, given, arguments, launch)))
      return status;
    Result<int64_t> workspace =
        workspaceBytes(found->manifest, arguments.request);
    if (!workspace)
      return fail(BSMM_UNSUPPORTED_PROBLEM, workspace.error());
    bsmm_launch_shape out{};
    copy(launch.grid, out.grid);
    copy(launch.block, out.block);
    copy(launch.cluster, out.cluster);
    out.dynamic_shared_bytes =
        static_cast<uint32_t>(launch.dynamicSharedMemory);
    out.workspace_bytes = *workspace;
    writeStructure(shape, out);
    return BSMM_OK;
  });
}

bsmm_status bsmm_artifact_predict(const bsmm_artifact *artifact, size_t kernel,
                                  const bsmm_arguments *arguments,
                                  bsmm_prediction *prediction) {
  return guarded([&]() -> bsmm_status {
    bsmm_status status = checkStructure(prediction, "prediction");
    if (status)
      return status;
    const ArtifactKernel *found = kernelAt(artifact, kernel, status);
    if (!found)
      return status;
    Arguments read;
    Launch launch;
    if ((status =
             resolveWithoutMemory(found->manifest, arguments, read, launch)))
      return status;
    PredictedCost cost = predictCost(found->manifest, read.request);
    bsmm_prediction out{};
    out.is_known = cost.isKnown;
    out.waves = cost.waves;
    out.steps_of_tile = cost.stepsOfTile;
    out.cycles_of_step = cost.cyclesOfStep;
    out.cycles_of_tile = cost.cyclesOfTile;
    out.cycles = cost.cyclesOfLaunch;
    writeStructure(prediction, out);
    return BSMM_OK;
  });
}

bsmm_status bsmm_artifact_select(const bsmm_artifact *artifact,
                                 const char *name, const char *target,
                                 const bsmm_arguments *arguments,
                                 size_t *kernel) {
  return guarded([&]() -> bsmm_status {
    if (!artifact || !kernel)
      return fail(BSMM_INVALID_ARGUMENT,
                  "expected an artifact and a place for the index, got NULL");
    std::string wanted = target ? target : "";
    std::string there, refusals;
    size_t candidates = 0;
    bsmm_status status = BSMM_NOT_FOUND;
    const std::vector<ArtifactKernel> &kernels =
        artifact->data->artifact.kernels;
    const ArtifactKernel *first = nullptr; // that fits
    PredictedCost least;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const ArtifactKernel &candidate = kernels[i];
      if (first && (candidate.name != first->name ||
                    !mayReplace(first->manifest, candidate.manifest)))
        continue;
      std::string text = candidate.name + " for " + candidate.manifest.target;
      if (there.find(text) == std::string::npos && there.size() < 400)
        there += (there.empty() ? "" : ", ") + text;
      if ((name && candidate.name != name) ||
          (!wanted.empty() && candidate.manifest.target != wanted))
        continue;
      ++candidates;
      Arguments read;
      Launch launch;
      bsmm_status refused = arguments
                                ? resolveWithoutMemory(candidate.manifest,
                                                       arguments, read, launch)
                                : BSMM_OK;
      if (refused == BSMM_OK) {
        PredictedCost cost;
        if (arguments)
          cost = predictCost(candidate.manifest, read.request);
        bool isBetter = cost.isKnown && least.isKnown &&
                        cost.cyclesOfLaunch < least.cyclesOfLaunch;
        if (!first || isBetter) {
          *kernel = i;
          least = cost;
        }
        if (!first)
          first = &candidate;
        if (!arguments)
          break;
        continue;
      }
      if (first)
        continue;
      // Wrong arguments are wrong for every kernel.
      if (refused != BSMM_UNSUPPORTED_PROBLEM)
        return refused;
      status = refused;
      if (candidates <= 8)
        refusals += "\n  " + text + ": " + bsmm_last_error();
    }
    if (first)
      return BSMM_OK;
    if (status == BSMM_NOT_FOUND) {
      std::string text = "expected a kernel";
      if (name)
        text += std::string(" '") + name + "'";
      if (!wanted.empty())
        text += " for " + wanted;
      return fail(status, text + ", got an artifact with " + there);
    }
    if (candidates > 8)
      refusals += "\n  and " + number(candidates - 8) + " more";
    return fail(status, "no kernel takes this problem:" + refusals);
  });
}

} // extern "C"
