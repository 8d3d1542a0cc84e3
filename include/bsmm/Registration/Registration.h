//===- Registration.h - everything bsmm adds to MLIR ------------*- C++ -*-===//
//
// The one place that knows all dialects, passes, pipelines and translations.
// Every tool, the plugin and other compilers call these functions.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_REGISTRATION_REGISTRATION_H
#define BSMM_REGISTRATION_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace bsmm {

/// Registers the bsmm dialect, the upstream dialects that its conversions
/// produce, and the interfaces that they need (bufferization, conversion to
/// LLVM, translation to LLVM IR).
void registerDialects(mlir::DialectRegistry &registry);

/// Registers bsmm's passes and pipelines, and upstream's canonicalizer, CSE and
/// symbol passes.
void registerPasses();

/// For main programs: what LLVM can only answer with a fatal error ends the
/// program with a message and exit code 1 instead of an abort.
void installFatalErrorHandler();

/// For main programs, before they register anything: --help leaves the options
/// out that LLVM's libraries bring along, some hundreds; --help-hidden shows
/// them, and they work as before.
void hideLibraryOptions();

/// Registers the translations of bsmm-translate.
void registerTranslations();

} // namespace bsmm

#endif // BSMM_REGISTRATION_REGISTRATION_H
