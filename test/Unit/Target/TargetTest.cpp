//===- TargetTest.cpp - the target table ----------------------------------===//

#include "bsmm/Target/Target.h"
#include "TargetDocs.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

using namespace bsmm::target;

namespace {

// The lookups work at compile time.
static_assert(findGpu("sm_100a") != nullptr);
static_assert(findGpu("sm_100") == nullptr);
static_assert(elementTypeFromName("f4E2M1FN") == ElementType::E2M1);
static_assert(elementTypeFromName("ue4m3") == ElementType::UE4M3);
static_assert(elementTypeFromName("none") == ElementType::None);
static_assert(nearestLegalN(*findForm("wgmma.f8"), 20) == 24);
static_assert(tensor_memory::allocationColumns(33) == 64);
static_assert(tensor_memory::allocationColumns(513) == 0);

TEST(Target, PageIsCurrent) {
  std::ifstream file(BSMM_TARGETS_PAGE, std::ios::binary);
  ASSERT_TRUE(file.good()) << "cannot read " << BSMM_TARGETS_PAGE;
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), renderDocs())
      << "make it with: bsmm-target-gen --docs > docs/targets.md";
}

TEST(Target, ListNamesEveryGpuAndOnlyAvailableForms) {
  std::string list = renderList();
  for (const Gpu &gpu : gpus)
    EXPECT_NE(list.find("gpu " + std::string(gpu.name) + "\n"),
              std::string::npos);
  EXPECT_NE(list.find("form wgmma.f8 on sm_90a\n"), std::string::npos);
  EXPECT_EQ(list.find("form wgmma.f8 on sm_100a\n"), std::string::npos);
  // PTX 9.1 is needed and 8.8 is emitted.
  EXPECT_EQ(list.find("form mma_sync.mxf4nvf4.block16.ue8m0 on"),
            std::string::npos);
}

TEST(Target, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Gpu &gpu : gpus)
    EXPECT_TRUE(names.insert(gpu.name).second) << gpu.name;
  for (const Product &product : products) {
    EXPECT_TRUE(names.insert(product.name).second) << product.name;
    EXPECT_NE(findGpu(product.gpu), nullptr) << product.name;
  }
  for (const InstructionForm &form : instructionForms)
    EXPECT_TRUE(names.insert(form.name).second) << form.name;
}

TEST(Target, FormNamesSayWhatTheyAre) {
  for (const InstructionForm &form : instructionForms) {
    std::string text(form.name);
    std::string family(name(form.family));
    EXPECT_EQ(text.rfind(family + ".", 0), 0u) << text;
    bool pair = text.size() > 5 && text.substr(text.size() - 5) == ".pair";
    EXPECT_EQ(pair, form.ctaGroup == 2) << text;
    if (form.isBlockScaled()) {
      EXPECT_NE(text.find("." + std::string(name(form.kind)) + ".block" +
                          std::to_string(form.scaleVector) + "." +
                          std::string(name(form.scaleType))),
                std::string::npos)
          << text;
    }
  }
}

TEST(Target, ElementRowsFollowTheFormats) {
  for (const ElementInfo &row : elementInfos) {
    if (row.type == ElementType::None)
      continue;
    EXPECT_EQ(elementTypeFromName(row.name), row.type);
    if (!row.isFloat) {
      // The largest magnitude: 2^(bits-1) of the lowest value, or 2^bits - 1.
      EXPECT_EQ(row.maxFinite, row.isSigned ? std::ldexp(1.0, row.bits - 1)
                                            : std::ldexp(1.0, row.bits) - 1);
      continue;
    }
    // bias = 2^(e-1) - 1 in all these formats.
    EXPECT_EQ(row.bias, (1 << (row.exponentBits - 1)) - 1) << row.name;
    // Largest finite value from the format: all-ones exponents belong to NaN
    // and infinity when there is an infinity; only the top code is NaN in e4m3.
    int topExponent = (1 << row.exponentBits) - 1 - row.bias;
    double topFraction = 2 - std::ldexp(1.0, -row.mantissaBits);
    if (row.hasInfinity || row.type == ElementType::UE8M0)
      topExponent -= 1;
    else if (row.hasNaN)
      topFraction -= std::ldexp(1.0, -row.mantissaBits);
    EXPECT_EQ(row.maxFinite, std::ldexp(topFraction, topExponent)) << row.name;
  }
}

TEST(Target, BlockScaleMatrix) {
  // PTX 9.7.17.10.7: scales of a row an instruction uses.
  auto scales = [](const char *form) {
    return findForm(form)->scalesPerInstruction();
  };
  EXPECT_EQ(scales("tcgen05.mxf8f6f4.block32.ue8m0"), 1u);
  EXPECT_EQ(scales("tcgen05.mxf4.block32.ue8m0"), 2u);
  EXPECT_EQ(scales("tcgen05.mxf4nvf4.block32.ue8m0"), 2u);
  EXPECT_EQ(scales("tcgen05.mxf4nvf4.block16.ue4m3"), 4u);
  EXPECT_EQ(scales("mma_sync.mxf4nvf4.block16.ue4m3"), 4u);
  EXPECT_EQ(scales("wgmma.f8"), 0u);
  for (const InstructionForm &form : instructionForms)
    if (form.isBlockScaled()) {
      EXPECT_TRUE(form.accumulators == TypeSet(ElementType::F32)) << form.name;
    }
}

MmaQuery nvfp4() {
  MmaQuery query;
  query.hasKind = true;
  query.kind = Kind::MXF4NVF4;
  query.a = query.b = ElementType::E2M1;
  query.hasScale = true;
  query.scaleType = ElementType::UE4M3;
  query.scaleVector = 16;
  query.accumulator = ElementType::F32;
  return query;
}

TEST(Target, SelectsForms) {
  MmaQuery query = nvfp4();
  query.m = 128;
  query.n = 256;
  query.k = 64;
  const InstructionForm *form = selectForm(*findGpu("sm_100a"), query);
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(form->name, "tcgen05.mxf4nvf4.block16.ue4m3");
  query.m = 256;
  EXPECT_EQ(selectForm(*findGpu("sm_103a"), query)->name,
            "tcgen05.mxf4nvf4.block16.ue4m3.pair");
  query.m = 16;
  query.n = 8;
  EXPECT_EQ(selectForm(*findGpu("sm_120a"), query)->name,
            "mma_sync.mxf4nvf4.block16.ue4m3");
  EXPECT_EQ(selectForm(*findGpu("sm_90a"), query), nullptr);
  EXPECT_FALSE(forms(*findGpu("sm_90a")).empty());
  for (const Gpu &gpu : gpus)
    for (const InstructionForm *each : forms(gpu))
      EXPECT_TRUE(isAvailable(gpu, *each));
}

TEST(Target, SaysWhyNot) {
  const Gpu &blackwell = *findGpu("sm_100a");
  const Gpu &hopper = *findGpu("sm_90a");
  EXPECT_EQ(whyNotSupported(blackwell, nvfp4()), "");
  EXPECT_EQ(whyNotSupported(hopper, nvfp4()),
            "sm_90a: expected kind f16, tf32, f8 or i8, got mxf4nvf4, which "
            "needs sm_100a, sm_103a, sm_110a, sm_120a, sm_121a");
  MmaQuery query = nvfp4();
  query.hasFamily = true;
  query.family = Family::Wgmma;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a: expected instruction family tcgen05 or mma_sync, got "
            "wgmma, which needs sm_90a");
  EXPECT_EQ(whyNotSupported(hopper, query),
            "sm_90a wgmma: expected kind f16, tf32, f8 or i8, got mxf4nvf4, "
            "which wgmma has on no target");
  query = nvfp4();
  query.a = ElementType::E4M3;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected an A element type of e2m1, got "
            "e4m3");
  query = nvfp4();
  query.scaleVector = 32;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected with ue4m3 scales a scale vector "
            "size of 16, got 32");
  query = nvfp4();
  query.accumulator = ElementType::F16;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected an accumulator type of f32, got "
            "f16");
  query = nvfp4();
  query.m = 64;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected M of 128 or 256, got 64");
  query = nvfp4();
  query.n = 72;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected N of 16 to 256 in steps of 16, "
            "got 72; the nearest legal N is 80");
  query = nvfp4();
  query.bIsKMajor = false;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected a K-major B operand for e2m1, got "
            "MN-major");
  query = nvfp4();
  query.k = 32;
  EXPECT_EQ(whyNotSupported(blackwell, query),
            "sm_100a kind mxf4nvf4: expected K per instruction of 64, got 32");
  query = nvfp4();
  query.scaleType = ElementType::UE8M0;
  EXPECT_EQ(whyNotSupported(blackwell, query), "");
  EXPECT_EQ(whyNotSupported(*findGpu("sm_120a"), query),
            "sm_120a kind mxf4nvf4: the form needs PTX 9.1, but PTX 8.8 is "
            "emitted for this target");
  query = MmaQuery();
  query.a = ElementType::F16;
  query.b = ElementType::BF16;
  EXPECT_EQ(whyNotSupported(hopper, query),
            "sm_90a: expected with A f16 a B element type of f16, got bf16");
}

// Every query either selects a form or has a reason, and never both.
TEST(Target, EveryQueryIsAnswered) {
  const ElementType types[] = {
      ElementType::E2M1, ElementType::E3M2, ElementType::E4M3, ElementType::F16,
      ElementType::BF16, ElementType::S8,   ElementType::S32};
  const ElementType scales[] = {ElementType::None, ElementType::UE8M0,
                                ElementType::UE4M3};
  const int64_t extents[] = {-8, 0, 1, 8, 16, 64, 72, 128, 256, 1000};
  for (const Gpu &gpu : gpus)
    for (unsigned kind = 0; kind < numKinds; ++kind)
      for (ElementType a : types)
        for (ElementType b : types)
          for (ElementType scale : scales)
            for (int64_t vector : {0, 16, 32})
              for (int64_t extent : extents) {
                MmaQuery query;
                query.hasKind = true;
                query.kind = static_cast<Kind>(kind);
                query.a = a;
                query.b = b;
                query.hasScale = true;
                query.scaleType = scale;
                query.scaleVector = vector;
                query.n = extent;
                query.bIsKMajor = extent != 64;
                const InstructionForm *form = selectForm(gpu, query);
                ASSERT_EQ(form == nullptr,
                          !whyNotSupported(gpu, query).empty());
                if (form && extent > 0) {
                  ASSERT_TRUE(form->acceptsN(extent, query.bIsKMajor));
                }
              }
}

TEST(Target, NearestLegalNIsLegalAndNearest) {
  for (const InstructionForm &form : instructionForms)
    for (bool kMajor : {true, false})
      for (int64_t n = -3; n <= 300; ++n) {
        int64_t nearest = nearestLegalN(form, n, kMajor);
        ASSERT_TRUE(form.acceptsN(nearest, kMajor)) << form.name << " " << n;
        for (int64_t other = 1; other <= 256; ++other)
          if (form.acceptsN(other, kMajor)) {
            ASSERT_LE(std::abs(nearest - n), std::abs(other - n));
          }
      }
}

TEST(Target, UnknownNames) {
  EXPECT_EQ(whyNotGpu("sm_100a"), "");
  EXPECT_EQ(whyNotGpu("sm_80"),
            "unknown target 'sm_80': expected one of sm_90a, sm_100a, sm_103a, "
            "sm_110a, sm_120a, sm_121a");
  EXPECT_NE(whyNotGpu("sm_100").find("use sm_100a"), std::string::npos);
  EXPECT_NE(whyNotGpu("sm_120f").find("use sm_120a"), std::string::npos);
  EXPECT_NE(whyNotGpu("sm_101a").find("renamed to sm_110a"), std::string::npos);
  EXPECT_NE(whyNotGpu(""), "");
}

} // namespace
