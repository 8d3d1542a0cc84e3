//===- bsmm-run.cpp - run a kernel on real data ---------------------------===//

#include "bsmm/Runner/RunMain.h"

int main(int argc, char **argv) { return bsmm::runner::runMain(argc, argv); }
