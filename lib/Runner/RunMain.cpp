//===- RunMain.cpp - the program bsmm-run ---------------------------------===//

#include "bsmm/Runner/RunMain.h"
#include "bsmm/Dialect/IR/Bsmm.h"
#include "bsmm/Dialect/Transforms/Passes.h"
#include "bsmm/Registration/Registration.h"
#include "bsmm/Runner/Backend.h"
#include "bsmm/Runtime/Artifact.h"
#include "bsmm/Runtime/NumpyFile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

namespace cl = llvm::cl;

namespace {
/// The command line. A local object: importing libraries have no use for it.
struct CommandLine {
  cl::OptionCategory problems{"Problem"}, operands{"Operands"}, runs{"Running"};

  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.mlir"),
                             cl::init("-"), cl::cat(problems)};
  cl::opt<std::string> kernel{
      "kernel", cl::desc("Name of the kernel, when the file has several"),
      cl::cat(problems)};
  cl::opt<int64_t> m{"M", cl::desc("Rows of A and D (default 128)"),
                     cl::init(128), cl::cat(problems)};
  cl::opt<int64_t> n{"N", cl::desc("Rows of B, columns of D (default 128)"),
                     cl::init(128), cl::cat(problems)};
  cl::opt<int64_t> k{"K", cl::desc("Elements summed (default 256)"),
                     cl::init(256), cl::cat(problems)};
  cl::opt<int64_t> l{"L", cl::desc("Batch (default 1)"), cl::init(1),
                     cl::cat(problems)};
  cl::opt<int64_t> pitchA{"pitch-a",
                          cl::desc("Distance of two rows of A, in elements "
                                   "(default: K rounded up to 16 bytes)"),
                          cl::init(-1), cl::cat(problems)};
  cl::opt<int64_t> pitchB{"pitch-b", cl::desc("The same for B"), cl::init(-1),
                          cl::cat(problems)};
  cl::opt<int64_t> pitchC{"pitch-c",
                          cl::desc("The same for C and N (default: N)"),
                          cl::init(-1), cl::cat(problems)};
  cl::opt<int64_t> pitchD{"pitch-d", cl::desc("The same for D and N"),
                          cl::init(-1), cl::cat(problems)};
  cl::opt<double> alpha{"alpha",
                        cl::desc("Factor of the sum, for kernels that take it "
                                 "(default 1)"),
                        cl::init(1), cl::cat(problems)};
  cl::opt<double> beta{"beta",
                       cl::desc("Factor of C, for kernels that take it "
                                "(default 1)"),
                       cl::init(1), cl::cat(problems)};
  cl::opt<double> outScale{"out-scale",
                           cl::desc("Factor of the output, for kernels that "
                                    "take it (default 1)"),
                           cl::init(1), cl::cat(problems)};

  cl::opt<uint64_t> seed{"seed",
                         cl::desc("Seed of the random operands (default 0): "
                                  "every code of the operand types, NaN codes "
                                  "in all padding"),
                         cl::init(0), cl::cat(operands)};
  cl::opt<bool> fullRange{
      "full-range",
      cl::desc("Random operands and scales of every finite code; by default "
               "scales up to 2, and operands up to 8 where sums would overflow "
               "otherwise, so that outputs stay finite"),
      cl::cat(operands)};
  cl::opt<unsigned> poison{
      "poison",
      cl::desc("Byte that fills the padding of random operands (default 255, "
               "a NaN scale)"),
      cl::init(0xFF), cl::cat(operands)};
  cl::opt<std::string> fileA{
      "a", cl::desc("A as .npy of bytes: L*M rows of pitch-a elements"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileB{
      "b", cl::desc("B as .npy of bytes: L*N rows of pitch-b elements"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileScaleA{
      "sfa", cl::desc("Scales of A as .npy of bytes: 512-byte tiles of 128x4"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileScaleB{
      "sfb", cl::desc("Scales of B as .npy of bytes: 512-byte tiles of 128x4"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileC{
      "c",
      cl::desc("C as .npy [L, M, pitch-c] of the output's type (f16, f32; bf16 "
               "as u2)"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileRowScaleA{
      "sa", cl::desc("Row scales of A as .npy of f32: M values, or one"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileRowScaleB{
      "sb", cl::desc("Row scales of B as .npy of f32: N values, or one"),
      cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> fileBias{"bias",
                                cl::desc("Bias as .npy of f32: N values"),
                                cl::value_desc("file.npy"), cl::cat(operands)};
  cl::opt<std::string> output{
      "output", cl::desc("Write D [L, M, pitch-d] (f16, f32; bf16 as u2)"),
      cl::value_desc("file.npy"), cl::cat(operands)};

  cl::opt<std::string> backend{
      "backend", cl::desc("emulator (default), reference or cuda"),
      cl::init("emulator"), cl::cat(runs)};
  cl::opt<std::string> chip{
      "chip", cl::desc("Target of a file that states none (default sm_100a)"),
      cl::init("sm_100a"), cl::cat(runs)};
  cl::opt<std::string> tile{
      "tile",
      cl::desc("Options of bsmm-problem-to-tile for a problem-level function, "
               "e.g. \"block-n=256 persistent=false\""),
      cl::cat(runs)};
  cl::opt<std::string> mode{
      "mode",
      cl::desc("Emulator: when asynchronous operations take effect: eager "
               "(default), lazy or random:SEED"),
      cl::init("eager"), cl::cat(runs)};
  cl::opt<std::string> arithmetic{
      "arithmetic",
      cl::desc("Emulator: hardware (default) sums as tensor cores do, exact "
               "sums exactly"),
      cl::init("hardware"), cl::cat(runs)};
  cl::opt<bool> strict{
      "strict",
      cl::desc("Emulator: missing recommended fences are faults (default)"),
      cl::init(true), cl::cat(runs)};
  cl::opt<std::string> accumulate{"accumulate",
                                  cl::desc("Reference: f64 (default) or f32"),
                                  cl::init("f64"), cl::cat(runs)};
  cl::opt<int64_t> smCount{
      "sms",
      cl::desc("Streaming multiprocessors, for persistent kernels (default: "
               "those of the target's usual product)"),
      cl::init(0), cl::cat(runs)};
  cl::opt<bool> verify{
      "verify",
      cl::desc("Compare the output with float64 (default); --verify=false "
               "leaves it out"),
      cl::init(true), cl::cat(runs)};
  cl::opt<bool> bench{
      "bench",
      cl::desc("GPU: measure and print a table with the median, the quantiles, "
               "TFLOP/s and bytes per second"),
      cl::cat(runs)};
  cl::opt<int64_t> repetitions{"repetitions",
                               cl::desc("Launches that --bench measures "
                                        "(default 100)"),
                               cl::init(100), cl::cat(runs)};
  cl::opt<int64_t> warmup{"warmup",
                          cl::desc("Launches before the measured ones "
                                   "(default 10)"),
                          cl::init(10), cl::cat(runs)};
  cl::opt<bool> flush{"flush",
                      cl::desc("Overwrite the L2 cache before each measured "
                               "launch (default); --flush=false leaves it "
                               "warm"),
                      cl::init(true), cl::cat(runs)};
  cl::opt<std::string> json{
      "json", cl::desc("Write what --bench measured as JSON, with every time"),
      cl::value_desc("file.json"), cl::cat(runs)};
  cl::opt<std::string> inspect{
      "inspect",
      cl::desc("Print the kernels of an artifact with their manifests"),
      cl::value_desc("file.bsmm"), cl::cat(runs)};
  cl::opt<int64_t> launches{
      "launches",
      cl::desc("Launches on the same memory, which must agree "
               "(default 2)"),
      cl::init(2), cl::cat(runs)};
};
} // namespace

static int fail(const llvm::Twine &reason) {
  llvm::errs() << "bsmm-run: error: " << reason << "\n";
  return 1;
}

/// The type in .npy files of elements that numpy knows; bf16 are their codes,
/// and narrow types bytes.
static runtime::NumpyType numpyTypeOf(target::ElementType type) {
  switch (type) {
  case target::ElementType::F16:
    return runtime::NumpyType::F2;
  case target::ElementType::BF16:
    return runtime::NumpyType::U2;
  case target::ElementType::F32:
    return runtime::NumpyType::F4;
  default:
    return runtime::NumpyType::U1;
  }
}

/// Replaces an operand's bytes by those of a file. `bytes` is empty for an
/// operand that the run does not have.
static std::string loadOperand(const std::string &option,
                               const std::string &file,
                               target::ElementType type,
                               std::vector<uint8_t> &bytes) {
  if (file.empty())
    return "";
  if (bytes.empty())
    return "--" + option + ": the kernel takes no such operand" +
           (option == "c" ? ", or beta is 0" : "");
  runtime::Result<runtime::NumpyArray> array = runtime::readNumpyFile(file);
  if (!array)
    return array.error();
  runtime::NumpyType expected = numpyTypeOf(type);
  bool isBytes = array->type == runtime::NumpyType::U1 ||
                 array->type == runtime::NumpyType::I1;
  if (array->type != expected && !isBytes)
    return file + ": expected " +
           (expected == runtime::NumpyType::U1
                ? std::string()
                : std::string(runtime::numpyTypeName(expected)) + " or ") +
           "bytes (u1), got " +
           std::string(runtime::numpyTypeName(array->type));
  if (array->data.size() != bytes.size())
    return file + ": expected " + std::to_string(bytes.size()) +
           " bytes for this problem, got " + std::to_string(array->data.size());
  bytes = array->data;
  return "";
}

static std::string writeOutput(const std::string &file, const Problem &problem,
                               const Operands &operands) {
  if (file.empty())
    return "";
  runtime::NumpyArray array;
  array.type = numpyTypeOf(problem.types.out);
  array.shape = {problem.l, problem.m, problem.pitchD};
  array.data = operands.d;
  return runtime::writeNumpyFile(file, array);
}

/// A comparison in the words of reports.
static runtime::Verification verdictOf(const Problem &problem,
                                       const Comparison &comparison) {
  runtime::Verification verdict;
  verdict.outputs = verdict.judged = problem.m * problem.n * problem.l;
  verdict.equal = comparison.equal;
  verdict.withinBound = comparison.withinBound;
  verdict.outside = comparison.outside;
  verdict.inexact = comparison.inexact;
  verdict.overflowed = comparison.overflowed;
  verdict.damaged = comparison.damaged;
  verdict.largestError = comparison.largestError;
  verdict.largestFraction = comparison.largestFraction;
  verdict.firstFault = comparison.firstFault;
  return verdict;
}

int bsmm::runner::runMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installFatalErrorHandler();
  registerBackends();
  CommandLine options;
  cl::HideUnrelatedOptions(
      {&options.problems, &options.operands, &options.runs});
  cl::ParseCommandLineOptions(
      argc, argv,
      "bsmm-run: run a kernel on real data and compare the result\n\n"
      "  Takes a kernel or a problem-level function, runs it on "
      "seeded random\n  operands or on .npy files, and prints how far the "
      "output is from an independent\n  float64 computation. The exit code is "
      "0 when every element is right: equal where\n  all partial sums are "
      "exact in f32, within the bound of f32 accumulation elsewhere.\n\n"
      "  bsmm-run examples/nvfp4_gemm.mlir -M 128 -N 512 -K 1024\n");

  if (!options.inspect.empty()) {
    runtime::Result<runtime::Artifact> artifact =
        runtime::readArtifactFile(options.inspect);
    if (!artifact)
      return fail(artifact.error());
    llvm::outs() << runtime::describeArtifact(*artifact) << "\n";
    return 0;
  }
  Backend *backend = findBackend(options.backend);
  if (!backend) {
    std::string names;
    for (const std::unique_ptr<Backend> &known : getBackends())
      names += (names.empty() ? "" : ", ") + known->getName();
    return fail("unknown backend '" + options.backend + "'; expected one of " +
                names);
  }
  if (options.bench && options.backend != "cuda")
    return fail("--bench: expected --backend=cuda, got " + options.backend +
                "; the times of other backends mean nothing");
  if (!options.json.empty() && !options.bench)
    return fail("--json: expected --bench, whose times are written there");
  if (options.warmup < 0 || options.warmup > 1000000)
    return fail("expected 0 to 1000000 launches to warm up, got " +
                llvm::Twine(options.warmup.getValue()));
  if (options.smCount < 0 || options.smCount > 65536)
    return fail("--sms: expected 0 to 65536, got " +
                llvm::Twine(options.smCount.getValue()));
  if (options.repetitions < 1 || options.repetitions > 1000000)
    return fail("expected 1 to 1000000 repetitions, got " +
                llvm::Twine(options.repetitions.getValue()));
  if (options.launches < 1 || options.launches > 1000)
    return fail("expected 1 to 1000 launches, got " +
                llvm::Twine(options.launches.getValue()));
  if (options.accumulate != "f64" && options.accumulate != "f32")
    return fail("expected accumulate f64 or f32, got '" + options.accumulate +
                "'");

  for (const cl::opt<int64_t> *pitch :
       {&options.pitchA, &options.pitchB, &options.pitchC, &options.pitchD})
    if (pitch->getNumOccurrences() && *pitch < 1)
      return fail("--" + pitch->ArgStr + ": expected 1 element or more, got " +
                  llvm::Twine(pitch->getValue()));
  if (StringRef(options.input).ends_with(".bsmm"))
    return fail(options.input + ": expected IR, got an artifact by its name; "
                                "bsmm-launch run takes those");

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.input, sources, &context);
  if (!module)
    return 1;

  Problem problem;
  problem.pitchA = options.pitchA;
  problem.pitchB = options.pitchB;
  problem.pitchC = options.pitchC;
  problem.pitchD = options.pitchD;
  problem.alpha = options.alpha;
  problem.outScale = options.outScale;
  problem.seed = options.seed;
  problem.fullRange = options.fullRange;
  if (options.poison > 0xFF)
    return fail("expected a byte to fill padding with, got " +
                llvm::Twine(options.poison.getValue()));
  problem.poison = options.poison;
  if (std::string reason = describeKernel(*module, options.kernel, problem);
      !reason.empty())
    return fail(options.input + ": " + reason);
  // Extents that the types fix are those of the problem.
  for (auto [name, option, extent] :
       {std::tuple{"M", &options.m, &problem.m},
        std::tuple{"N", &options.n, &problem.n},
        std::tuple{"K", &options.k, &problem.k},
        std::tuple{"L", &options.l, &problem.l}}) {
    if (*extent == 0) {
      *extent = *option;
    } else if (option->getNumOccurrences() != 0 && *option != *extent) {
      return fail(llvm::Twine(name) + ": the types of '" + problem.kernel +
                  "' fix " + llvm::Twine(*extent) + ", got " +
                  llvm::Twine(option->getValue()));
    }
  }
  bool isLowered = problem.isProblemLevel && backend->runsKernels();
  if (!options.tile.empty() && !isLowered)
    return fail("--tile: expected a problem-level function and a backend that "
                "runs kernels");
  Attribute stated = (*module)->getAttr(BsmmDialect::getTargetAttrName());
  (*module).walk([&](KernelOp kernel) {
    if (TargetAttr target = kernel.resolveTarget())
      stated = target;
  });
  if (auto target = dyn_cast_or_null<TargetAttr>(stated);
      target && options.chip.getNumOccurrences() != 0 &&
      target.getChip() != StringRef(options.chip))
    return fail("--chip=" + options.chip + " conflicts with " +
                target.getChip() + " of the file");
  for (auto [name, option, isTaken] :
       {std::tuple{"alpha", &options.alpha, problem.hasAlpha},
        std::tuple{"beta", &options.beta, problem.hasBeta},
        std::tuple{"out-scale", &options.outScale, problem.hasOutScale}})
    if (option->getNumOccurrences() != 0 && *option != 1 && !isTaken)
      return fail("the kernel takes no " + llvm::Twine(name));
  if (problem.hasBeta)
    problem.beta = options.beta;
  // wgmma with 8-bit operands; those with other block scales are decoded first.
  TargetAttr chosen = dyn_cast_or_null<TargetAttr>(stated);
  const target::Gpu *gpu = target::findGpu(
      std::string_view(chosen ? chosen.getChip() : StringRef(options.chip)));
  problem.hasCoarseSums =
      gpu && gpu->hasWgmma && backend->runsKernels() &&
      target::bitWidth(problem.types.a) == 8 &&
      (problem.types.scaleType == target::ElementType::None ||
       problem.types.scaleType == target::ElementType::F32);

  // A problem-level function becomes a kernel for backends that run kernels.
  if (isLowered) {
    PassManager manager(&context);
    std::unique_ptr<Pass> pass = createBsmmProblemToTile();
    bool hasTarget = (*module)->hasAttr(BsmmDialect::getTargetAttrName());
    std::string text = options.tile;
    if (!hasTarget)
      text += " chip=" + options.chip;
    // The TMA unit clips rows of D at 16 bytes only.
    int64_t bytes = problem.n * target::bitWidth(problem.types.out) / 8;
    if (bytes % target::tma::addressAlignment != 0 &&
        !StringRef(options.tile).contains("predicated-store"))
      text += " predicated-store=true";
    if (failed(pass->initializeOptions(text, [](const llvm::Twine &reason) {
          llvm::errs() << "bsmm-run: error: --tile: " << reason << "\n";
          return failure();
        })))
      return 1;
    manager.addPass(std::move(pass));
    if (failed(manager.run(*module)))
      return 1;
    Problem described = problem;
    if (std::string reason = describeKernel(*module, problem.kernel, described);
        !reason.empty())
      return fail(reason);
    problem.isProblemLevel = false;
    problem.storesWithoutTma = described.storesWithoutTma;
  }
  if (std::string reason = checkSizes(problem); !reason.empty())
    return fail(reason);

  Operands operands = makeOperands(problem);
  struct OperandFile {
    const cl::opt<std::string> *option;
    target::ElementType type;
    std::vector<uint8_t> *bytes;
  };
  for (const OperandFile &each :
       {OperandFile{&options.fileA, problem.types.a, &operands.a},
        OperandFile{&options.fileB, problem.types.b, &operands.b},
        OperandFile{&options.fileScaleA, problem.types.scaleType,
                    &operands.sfa},
        OperandFile{&options.fileScaleB, problem.types.scaleType,
                    &operands.sfb},
        OperandFile{&options.fileC, problem.types.c, &operands.c},
        OperandFile{&options.fileRowScaleA, target::ElementType::F32,
                    &operands.sa},
        OperandFile{&options.fileRowScaleB, target::ElementType::F32,
                    &operands.sb},
        OperandFile{&options.fileBias, problem.types.bias, &operands.bias}})
    if (std::string reason = loadOperand(each.option->ArgStr.str(),
                                         *each.option, each.type, *each.bytes);
        !reason.empty())
      return fail(reason);

  RunOptions runOptions;
  runOptions.mode = options.mode;
  runOptions.arithmetic = options.arithmetic;
  runOptions.strict = options.strict;
  runOptions.accumulate = options.accumulate;
  runOptions.smCount = options.smCount;
  runOptions.launches = options.launches;
  runOptions.repetitions = options.repetitions;
  runOptions.warmup = options.warmup;
  runOptions.flush = options.flush;
  runtime::Measurement measurement;
  runtime::MeasurementSetting setting;
  if (options.bench) {
    runOptions.measurement = &measurement;
    runOptions.setting = &setting;
  }
  std::string scales;
  if (problem.types.scaleVector != 0)
    scales = " with " + std::string(target::name(problem.types.scaleType)) +
             " for every " + std::to_string(problem.types.scaleVector);
  llvm::outs() << "kernel " << problem.kernel << ": M " << problem.m << ", N "
               << problem.n << ", K " << problem.k << ", L " << problem.l
               << ", " << target::name(problem.types.a) << " x "
               << target::name(problem.types.b) << scales << ", output "
               << target::name(problem.types.out) << ", seed " << problem.seed
               << "\n";
  if (std::string reason =
          backend->run(*module, problem, operands, runOptions, llvm::outs());
      !reason.empty())
    return fail(reason);
  if (std::string reason = writeOutput(options.output, problem, operands);
      !reason.empty())
    return fail(reason);

  Comparison comparison;
  bool isCompared = options.verify && problem.knowsEpilogue;
  if (isCompared)
    if (std::string reason = compareOutput(problem, operands, comparison);
        !reason.empty())
      return fail(reason);
  if (options.bench) {
    if (isCompared) {
      measurement.isVerified = true;
      measurement.verdict = verdictOf(problem, comparison);
    }
    measurement.shape = {problem.m, problem.n, problem.k, problem.l};
    setting.seed = problem.seed;
    setting.distribution = problem.fullRange ? "full" : "moderate";
    setting.warmup = options.warmup;
    setting.flush = options.flush;
    runtime::MeasurementReport report(setting);
    llvm::outs() << report.add(measurement);
    if (!options.json.empty())
      if (std::string reason = report.write(options.json); !reason.empty())
        return fail(reason);
  }
  if (!options.verify)
    return 0;
  if (!problem.knowsEpilogue) {
    llvm::outs() << "the epilogue of this kernel is none that the float64 "
                    "computation knows: no verdict\n";
    Operands meaning = operands;
    meaning.d.assign(meaning.d.size(), 0xFF);
    Backend *reference = findBackend("reference");
    if (backend == reference || problem.isPipelineLevel)
      return 0;
    if (std::string reason =
            reference->run(*module, problem, meaning, runOptions, llvm::outs());
        !reason.empty())
      return fail(reason);
    llvm::outs() << "against the reference conversion: "
                 << compareOutputs(problem, operands.d, meaning.d) << "\n";
    return 0;
  }

  llvm::outs() << "against float64: " << comparison.metrics << "\n"
               << comparison.equal << " equal, " << comparison.withinBound
               << " within the bound, " << comparison.outside << " outside, "
               << comparison.inexact << " inexact, " << comparison.damaged
               << " bytes changed outside of the output\n";
  if (comparison.overflowed != 0)
    llvm::outs() << comparison.overflowed
                 << " not judged: their partial sums may overflow f32\n";
  if (!comparison.isGood())
    return fail("the output is wrong: " + comparison.firstFault);
  return 0;
}
