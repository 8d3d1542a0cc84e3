//===- Code.cpp - bsmm-emu code: what is in a cubin ---------------*- C++
//-*-===//
//
// Registers, stack and the mix of SASS instructions, through cuobjdump.
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace {
/// SASS opcodes by what they use (CUDA Binary Utilities, "Instruction Set
/// Reference"); the first prefix that fits.
struct OpcodeClass {
  const char *prefix;
  const char *name;
};
const OpcodeClass opcodeClasses[] = {
    {"LDL", "spill"},
    {"STL", "spill"},
    {"UTCBAR", "barrier"},
    {"UTCCP", "tensor memory"},
    {"UTCATOMSWS", "tensor memory"},
    {"UTC", "tensor core"},
    {"QGMMA", "tensor core"},
    {"HGMMA", "tensor core"},
    {"IGMMA", "tensor core"},
    {"QMMA", "tensor core"},
    {"OMMA", "tensor core"},
    {"HMMA", "tensor core"},
    {"IMMA", "tensor core"},
    {"WARPGROUP", "barrier"},
    {"LDTM", "tensor memory"},
    {"STTM", "tensor memory"},
    {"UTMA", "TMA"},
    {"UBLKCP", "TMA"},
    {"UBLKRED", "TMA"},
    {"SYNCS", "barrier"},
    {"BAR", "barrier"},
    {"UCGABAR", "barrier"},
    {"WARPSYNC", "barrier"},
    {"FENCE", "barrier"},
    {"MEMBAR", "barrier"},
    {"DEPBAR", "barrier"},
    {"ERRBAR", "barrier"},
    {"LDS", "shared memory"},
    {"STS", "shared memory"},
    {"LDSM", "shared memory"},
    {"STSM", "shared memory"},
    {"ATOMS", "shared memory"},
    {"LDG", "global memory"},
    {"STG", "global memory"},
    {"LDGSTS", "global memory"},
    {"REDUX", "control"},
    {"RED", "global memory"},
    {"ATOM", "global memory"},
    {"LDC", "constants"},
    {"ULDC", "constants"},
    {"LDCU", "constants"},
    {"F2F", "conversion"},
    {"F2I", "conversion"},
    {"I2F", "conversion"},
    {"MUFU", "conversion"},
    {"FADD", "float"},
    {"FMUL", "float"},
    {"FFMA", "float"},
    {"FSETP", "float"},
    {"FSEL", "float"},
    {"FMNMX", "float"},
    {"HADD", "float"},
    {"HMUL", "float"},
    {"HFMA", "float"},
    {"BRA", "control"},
    {"EXIT", "control"},
    {"BSSY", "control"},
    {"BSYNC", "control"},
    {"BREAK", "control"},
    {"CALL", "control"},
    {"RET", "control"},
    {"NANOSLEEP", "control"},
    {"ELECT", "control"},
    {"VOTE", "control"},
    {"NOP", "padding"},
};

const char *classOf(const std::string &opcode) {
  const char *found = "integer and moves";
  size_t length = 0;
  for (const OpcodeClass &known : opcodeClasses) {
    std::string prefix = known.prefix;
    if (prefix.size() > length &&
        opcode.compare(0, prefix.size(), prefix) == 0) {
      found = known.name;
      length = prefix.size();
    }
  }
  return found;
}

std::string findTool() {
  std::vector<std::string> folders;
  if (const char *home = std::getenv("CUDA_HOME"))
    folders.push_back(std::string(home) + "/bin");
  if (const char *path = std::getenv("PATH")) {
    std::string all = path;
    for (size_t at = 0; at <= all.size();) {
      size_t colon = std::min(all.find(':', at), all.size());
      folders.push_back(all.substr(at, colon - at));
      at = colon + 1;
    }
  }
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (access((folder + "/cuobjdump").c_str(), X_OK) == 0)
      return folder + "/cuobjdump";
  return "";
}

std::string quoted(const std::string &text) {
  std::string result = "'";
  for (char c : text)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

/// What the command prints; false when it fails.
bool output(const std::string &command, std::string &text) {
  std::FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr)
    return false;
  char chunk[65536];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof(chunk), pipe)) != 0)
    text.append(chunk, got);
  return pclose(pipe) == 0;
}

/// "        /*01f0*/              @!P0 LDC.64 R2, c[0x0][0x37c] ;" gives LDC.
std::string opcodeOf(const std::string &line) {
  size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos || line.compare(at, 2, "/*") != 0)
    return "";
  at = line.find("*/", at);
  if (at == std::string::npos || line.find(';') == std::string::npos)
    return "";
  at = line.find_first_not_of(' ', at + 2);
  if (at != std::string::npos && line[at] == '@') {
    at = line.find(' ', at);
    at = at == std::string::npos ? at : line.find_first_not_of(' ', at);
  }
  if (at == std::string::npos ||
      !std::isupper(static_cast<unsigned char>(line[at])))
    return "";
  size_t end = at;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end]))))
    ++end;
  return line.substr(at, end - at);
}

/// The number behind `name`, or -1.
long field(const std::string &line, const char *name) {
  size_t at = line.find(name);
  return at == std::string::npos
             ? -1
             : std::strtol(line.c_str() + at + std::string(name).size(),
                           nullptr, 10);
}
} // namespace

int codeCommand(const std::string &path) {
  if (access(path.c_str(), R_OK) != 0) {
    std::fprintf(stderr, "bsmm-emu: error: cannot read '%s'\n", path.c_str());
    return 1;
  }
  std::string tool = findTool();
  if (tool.empty()) {
    std::fprintf(stderr, "bsmm-emu: error: expected cuobjdump of the CUDA "
                         "toolkit in $CUDA_HOME/bin or PATH, found none\n");
    return 1;
  }
  std::string usage, sass;
  if (!output(quoted(tool) + " -res-usage " + quoted(path), usage) ||
      !output(quoted(tool) + " -sass " + quoted(path), sass)) {
    std::fprintf(stderr, "bsmm-emu: error: cuobjdump takes no '%s': %s",
                 path.c_str(), (usage + sass).c_str());
    return 1;
  }
  auto lines = [](const std::string &text, auto body) {
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      body(text.substr(at, end - at));
      at = end + 1;
    }
  };
  struct Kernel {
    long registers = -1, stack = -1, shared = -1;
    long instructions = 0;
    std::map<std::string, std::pair<long, std::map<std::string, long>>> mix;
  };
  std::map<std::string, Kernel> kernels;
  std::string name;
  lines(usage, [&](const std::string &line) {
    size_t at = line.find("Function ");
    if (at != std::string::npos) {
      name = line.substr(at + 9, line.find(':', at) - at - 9);
    } else if (field(line, "REG:") >= 0) {
      Kernel &kernel = kernels[name];
      kernel.registers = field(line, "REG:");
      kernel.stack = field(line, "STACK:");
      kernel.shared = field(line, "SHARED:");
    }
  });
  lines(sass, [&](const std::string &line) {
    size_t at = line.find("Function : ");
    if (at != std::string::npos) {
      name = line.substr(at + 11);
      return;
    }
    std::string opcode = opcodeOf(line);
    if (opcode.empty())
      return;
    Kernel &kernel = kernels[name];
    auto &entry = kernel.mix[classOf(opcode)];
    ++entry.first;
    ++entry.second[opcode];
    ++kernel.instructions;
  });
  if (kernels.empty()) {
    std::fprintf(stderr, "bsmm-emu: error: '%s' holds no code\n", path.c_str());
    return 1;
  }
  for (auto &[kernelName, kernel] : kernels) {
    std::printf("%s: %ld registers, %ld bytes of stack, %ld bytes of static "
                "shared memory, %ld instructions\n",
                kernelName.c_str(), kernel.registers, kernel.stack,
                kernel.shared, kernel.instructions);
    std::vector<std::pair<long, std::string>> order;
    for (auto &[className, entry] : kernel.mix)
      order.push_back({-entry.first, className});
    std::sort(order.begin(), order.end());
    for (auto &[count, className] : order) {
      std::printf("  %5ld %-18s", -count, className.c_str());
      std::vector<std::pair<long, std::string>> opcodes;
      for (auto &[opcode, times] : kernel.mix[className].second)
        opcodes.push_back({-times, opcode});
      std::sort(opcodes.begin(), opcodes.end());
      for (size_t k = 0; k < opcodes.size() && k < 8; ++k)
        std::printf(" %s %ld", opcodes[k].second.c_str(), -opcodes[k].first);
      std::printf("%s\n", opcodes.size() > 8 ? " ..." : "");
    }
    if (!kernel.mix.count("spill"))
      std::printf("      0 spill\n");
  }
  return 0;
}
