//===- TargetDocs.cpp - texts made from the target table ------------------===//

#include "TargetDocs.h"
#include "bsmm/Target/Target.h"
#include <cstdio>

using namespace bsmm::target;

namespace {
std::string number(int64_t value) { return std::to_string(value); }
std::string yesNo(bool value) { return value ? "yes" : "-"; }

std::string shortDouble(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}

/// A markdown table row out of its cells.
template <typename... Cells> void row(std::string &out, const Cells &...cells) {
  out += "|";
  ((out += " ", out += cells, out += " |"), ...);
  out += "\n";
}

void rule(std::string &out, unsigned columns) {
  out += "|";
  for (unsigned i = 0; i < columns; ++i)
    out += "---|";
  out += "\n";
}

void renderGpus(std::string &out) {
  out += "## GPU targets\n\n";
  row(out, "target", "compute capability", "first PTX", "PTX emitted",
      "first CUDA", "shared memory per block", "shared memory per SM",
      "tensor memory columns", "cluster, portable / opt-in", "threads per SM",
      "CTAs per SM");
  rule(out, 11);
  for (const Gpu &gpu : gpus)
    row(out, std::string(gpu.name),
        number(gpu.computeMajor) + "." + number(gpu.computeMinor),
        toString(gpu.firstPtx), toString(gpu.emittedPtx),
        toString(gpu.firstCuda), number(gpu.sharedMemoryPerBlock),
        number(gpu.sharedMemoryPerSM), number(gpu.tensorMemoryColumns),
        number(gpu.maxClusterSize) + " / " + number(gpu.maxClusterNonPortable),
        number(gpu.maxThreadsPerSM), number(gpu.maxBlocksPerSM));
  out += "\nShared memory is in bytes. Every target has 65536 registers of 32 "
         "bits an SM, at most\n255 registers a thread and 1024 threads a "
         "CTA.\n\n";
  row(out, "target", "tcgen05", "wgmma", "mma.sync block scale", "TMA",
      "TMA multicast", "cta_group::2", "sub-byte tensor maps",
      "fp4/fp6/ue8m0 conversions");
  rule(out, 9);
  for (const Gpu &gpu : gpus)
    row(out, std::string(gpu.name), yesNo(gpu.hasTcgen05), yesNo(gpu.hasWgmma),
        yesNo(gpu.hasMmaBlockScale), yesNo(gpu.hasTma),
        yesNo(gpu.hasTmaMulticast), yesNo(gpu.hasCtaGroup2),
        yesNo(gpu.hasSubByteTma), yesNo(gpu.hasNarrowConversions));
  out += "\n## Products\n\nPlanning numbers from public pages and device "
         "queries; a launch asks the device.\n\n";
  row(out, "product", "target", "SMs", "L2 (MiB)", "memory (GB/s)");
  rule(out, 5);
  for (const Product &product : products)
    row(out, std::string(product.name), std::string(product.gpu),
        number(product.sms), number(product.l2Bytes >> 20),
        shortDouble(product.memoryBytesPerSecond / 1e9));
}

void renderForms(std::string &out) {
  out += "\n## Instruction forms\n\nDense forms, in the subset of shapes that "
         "bsmm uses. `pair` forms are cta_group::2: M\ncounts both CTAs. PTX "
         "is the first version of the spelling that bsmm emits. Types that\n"
         "are not named under MN-major must be K-major in shared memory.\n\n";
  row(out, "form", "A", "B", "accumulator", "scales", "M", "N", "K", "PTX",
      "MN-major", "targets");
  rule(out, 11);
  for (const InstructionForm &form : instructionForms) {
    std::string scales = "-";
    if (form.isBlockScaled())
      scales = std::string(name(form.scaleType)) + " per " +
               number(form.scaleVector);
    std::string bTypes = typeNames(form.bTypes);
    if (!(form.aTypes == form.bTypes) || form.mixedTypes)
      bTypes =
          form.mixedTypes && form.aTypes == form.bTypes ? "any of A's" : bTypes;
    else
      bTypes = "as A";
    std::string mnMajor =
        form.kMajorOnly() ? "-" : typeNames(form.mnMajorTypes);
    std::string n = nNames(form);
    if (!form.kMajorOnly() && form.nStepMNMajorB != form.nStep)
      n += " (B MN-major: " + nNames(form, false) + ")";
    row(out, std::string(form.name), typeNames(form.aTypes), bTypes,
        typeNames(form.accumulators), scales, mNames(form), n, number(form.k),
        toString(form.minPtx), mnMajor, gpuNames(form.targets));
  }
}

void renderTypes(std::string &out) {
  out += "\n## Element types\n\n";
  row(out, "PTX name", "MLIR type", "bits", "exponent / fraction bits", "bias",
      "largest finite", "NaN", "infinity");
  rule(out, 8);
  for (const ElementInfo &type : elementInfos) {
    if (type.type == ElementType::None)
      continue;
    row(out, std::string(type.name), std::string(type.mlirName),
        number(type.bits),
        type.isFloat
            ? number(type.exponentBits) + " / " + number(type.mantissaBits)
            : std::string("-"),
        type.isFloat ? number(type.bias) : std::string("-"),
        shortDouble(type.maxFinite), yesNo(type.hasNaN),
        yesNo(type.hasInfinity));
  }
  out += "\nue4m3 is stored as f8E4M3FN: the sign bit of a scale is ignored, "
         "0x7F and 0xFF are NaN.\n";
}

void renderLimits(std::string &out) {
  out += "\n## Tensor maps\n\n";
  row(out, "element", "bits in global memory", "bits in shared memory");
  rule(out, 3);
  for (const TensorMapElementInfo &element : tensorMapElements)
    row(out, std::string(element.name), number(element.globalBits),
        number(element.sharedBits));
  out += "\n";
  row(out, "swizzle", "inner box bytes at most", "pattern bytes");
  rule(out, 3);
  for (const SwizzleInfo &swizzle : swizzleInfos)
    row(out, std::string(swizzle.name),
        swizzle.innerBytes ? number(swizzle.innerBytes) : std::string("-"),
        number(swizzle.patternBytes));
  out += "\n";
  row(out, "limit", "value");
  rule(out, 2);
  row(out, "rank", "1 to " + number(tma::maxRank));
  row(out, "box dimension", "1 to " + number(tma::maxBoxDim) + " elements");
  row(out, "inner box extent",
      "multiple of " + number(tma::boxInnerMultiple) + " bytes");
  row(out, "global address",
      "multiple of " + number(tma::addressAlignment) + " bytes (" +
          number(tma::addressAlignmentWide) + " for padded sub-byte elements)");
  row(out, "dimension", "1 to 2^32 elements");
  row(out, "stride",
      "multiple of " + number(tma::strideMultiple) + " bytes (" +
          number(tma::strideMultipleWide) +
          " for padded sub-byte elements), below 2^40");
  row(out, "descriptor",
      number(tma::descriptorBytes) + " bytes, aligned to " +
          number(tma::descriptorAlignment));
  row(out, "shared-memory destination",
      "aligned to " + number(tma::sharedAlignment) +
          " bytes, to the swizzle's pattern for matrix operands");
  row(out, "bytes expected by an mbarrier phase",
      "at most " + number(mbarrier::maxTransactionBytes));
  row(out, "arrival count of an mbarrier",
      number(mbarrier::minCount) + " to " + number(mbarrier::maxCount));
  row(out, "setmaxnreg",
      number(registers::setMin) + " to " + number(registers::setMax) +
          " in steps of " + number(registers::setMultiple));
  row(out, "tensor memory allocation",
      "a power of two, " + number(tensor_memory::minAllocation) + " to " +
          number(tensor_memory::maxAllocation) + " columns");
}
} // namespace

std::string bsmm::target::renderDocs() {
  std::string out = "<!-- Made by bsmm-target-gen --docs. Do not edit. -->\n"
                    "# Targets\n\n"
                    "Everything on this page comes from the rows of "
                    "`include/bsmm/Target/Target.h`.\n\n";
  renderGpus(out);
  renderForms(out);
  renderTypes(out);
  renderLimits(out);
  return out;
}

std::string bsmm::target::renderList() {
  std::string out;
  for (const Gpu &gpu : gpus)
    out += "gpu " + std::string(gpu.name) + "\n";
  for (const Gpu &gpu : gpus)
    for (const InstructionForm &form : instructionForms)
      if (isAvailable(gpu, form))
        out += "form " + std::string(form.name) + " on " +
               std::string(gpu.name) + "\n";
  return out;
}
