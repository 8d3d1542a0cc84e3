//===- TargetDocs.h - texts made from the target table ----------*- C++ -*-===//

#ifndef BSMM_LIB_TARGET_TARGETDOCS_H
#define BSMM_LIB_TARGET_TARGETDOCS_H

#include <string>

namespace bsmm::target {

/// docs/targets.md, whole file.
std::string renderDocs();

/// One line a fact, for FileCheck: "gpu NAME", then "form NAME on GPU".
std::string renderList();

} // namespace bsmm::target

#endif // BSMM_LIB_TARGET_TARGETDOCS_H
