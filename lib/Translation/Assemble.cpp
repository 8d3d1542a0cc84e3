//===- Assemble.cpp - PTX to cubin with ptxas -----------------------------===//

#include "bsmm/Translation/ToPTX.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace bsmm;

std::string bsmm::findPtxas() {
  SmallVector<std::string> folders;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    folders.push_back(*home);
  folders.push_back("/usr/local/cuda");
  for (StringRef folder : folders) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, "bin", "ptxas");
    if (llvm::sys::fs::can_execute(path))
      return std::string(path);
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  return "";
}

namespace {
/// A temporary file that is removed at the end of its scope.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    valid = !llvm::sys::fs::createTemporaryFile("bsmm", suffix, path);
  }
  ~TemporaryFile() {
    if (valid)
      llvm::sys::fs::remove(path);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  LogicalResult write(StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return failure();
    os << text;
    os.close();
    return failure(os.has_error());
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  bool valid;
  SmallString<128> path;
};
} // namespace

FailureOr<AssembledKernel> bsmm::assemble(Location loc, StringRef ptx,
                                          StringRef chip) {
  std::string ptxas = findPtxas();
  if (ptxas.empty()) {
    emitError(loc, "expected ptxas in CUDA_HOME, /usr/local/cuda or PATH; "
                   "PTX alone needs no CUDA toolkit (--bsmm-to-ptx)");
    return failure();
  }
  TemporaryFile source("ptx"), object("cubin"), log("log");
  if (!source.valid || !object.valid || !log.valid ||
      failed(source.write(ptx))) {
    emitError(loc, "cannot write temporary files");
    return failure();
  }
  std::string architecture = ("-arch=" + chip).str();
  SmallVector<StringRef> arguments = {ptxas,       architecture, "-v",
                                      source.path, "-o",         object.path};
  std::optional<StringRef> redirects[] = {StringRef(""), log.path.str(),
                                          log.path.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  AssembledKernel result{object.read(), log.read()};
  if (status != 0) {
    emitError(loc, "ptxas refused the kernel: ") << message << result.log;
    return failure();
  }
  return result;
}
