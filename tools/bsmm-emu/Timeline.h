//===- Timeline.h - bsmm-emu timeline ---------------------------*- C++ -*-===//

#ifndef BSMM_TOOLS_EMU_TIMELINE_H
#define BSMM_TOOLS_EMU_TIMELINE_H

#include <string>

/// `bsmm-emu timeline`, with the words behind it; returns the exit code.
int timelineCommand(int argc, char **argv);
/// `bsmm-emu rates`.
int ratesCommand();
/// `bsmm-emu code FILE.cubin`.
int codeCommand(const std::string &path);

#endif // BSMM_TOOLS_EMU_TIMELINE_H
