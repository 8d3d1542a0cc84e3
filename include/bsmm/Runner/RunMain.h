//===- RunMain.h - the program bsmm-run -------------------------*- C++ -*-===//

#ifndef BSMM_RUNNER_RUNMAIN_H
#define BSMM_RUNNER_RUNMAIN_H

namespace bsmm::runner {

/// Parses the command line, runs one kernel and compares its output. Returns
/// the exit code: 0 when the output is right, 1 otherwise.
int runMain(int argc, char **argv);

} // namespace bsmm::runner

#endif // BSMM_RUNNER_RUNMAIN_H
