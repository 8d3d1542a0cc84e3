//===- ReferenceBackend.cpp - the meaning on the CPU ----------------------===//

#include "ReferenceBackend.h"
#include "bsmm/Runner/CpuExecution.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace bsmm;
using namespace bsmm::runner;

std::string ReferenceBackend::run(ModuleOp module, const Problem &problem,
                                  Operands &operands, const RunOptions &options,
                                  raw_ostream &log) {
  CpuGemm gemm;
  gemm.m = problem.m;
  gemm.n = problem.n;
  gemm.k = problem.k;
  gemm.l = problem.l;
  gemm.a = {operands.a, problem.pitchA, problem.m * problem.pitchA};
  gemm.b = {operands.b, problem.pitchB, problem.n * problem.pitchB};
  gemm.scaleA.bytes = operands.sfa;
  gemm.scaleB.bytes = operands.sfb;
  if (problem.types.scaleType == target::ElementType::F32) {
    gemm.scaleA.pitch = getSumScales(problem, false).pitch;
    gemm.scaleB.pitch = getSumScales(problem, true).pitch;
  }
  gemm.c = {operands.c, problem.pitchC, problem.m * problem.pitchC};
  gemm.rowScaleA.bytes = operands.sa;
  gemm.rowScaleB.bytes = operands.sb;
  gemm.bias.bytes = operands.bias;
  gemm.d = {operands.d, problem.pitchD, problem.m * problem.pitchD};
  gemm.alpha = problem.alpha;
  gemm.beta = problem.beta;
  gemm.outScale = problem.outScale;
  CpuExecutionOptions execution;
  execution.accumulateF64 = options.accumulate == "f64";
  if (options.smCount > 0)
    execution.persistentCtas = options.smCount;
  std::string reason =
      executeGemmOnCpu(module, problem.kernel, gemm, execution);
  if (reason.empty())
    log << "reference: the "
        << (problem.isProblemLevel ? "problem level" : "tile level")
        << " on the CPU, sums in " << options.accumulate << "\n";
  return reason;
}
