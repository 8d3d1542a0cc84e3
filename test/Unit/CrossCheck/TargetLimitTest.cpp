//===- TargetLimitTest.cpp - limits of targets ----------------------------===//
//
// The target table against what the emulator lets a launch have.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/Units/TensorMemoryShapes.h"
#include "bsmm/Layout/Layout.h"
#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Target/Target.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace bsmm;
namespace units = bsmm::emulator::units;

namespace {

/// A kernel that returns at once.
std::string emptyKernel(const target::Gpu &gpu) {
  return ".version " + target::toString(gpu.emittedPtx) + "\n.target " +
         std::string(gpu.name) +
         "\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n";
}

bool emulatorRuns(const std::string &ptx, const emulator::Launch &launch,
                  std::string &why) {
  emulator::LoadResult loaded = emulator::loadProgram(ptx);
  why.clear();
  for (const emulator::SourceDiagnostic &error : loaded.errors)
    why += error.message;
  if (!loaded.program)
    return false;
  emulator::Report report = emulator::run(*loaded.program, launch, {});
  for (const emulator::Diagnostic &diagnostic : report.diagnostics)
    why += emulator::formatDiagnostic(diagnostic);
  return report.completed && !report.hasErrors();
}

runtime::Launch runtimeLaunch(const target::Gpu &gpu,
                              const emulator::Launch &launch) {
  runtime::Launch result;
  result.ptx = "k.ptx";
  result.target = std::string(gpu.name);
  result.entry = "k";
  result.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  result.block = {launch.block.x, launch.block.y, launch.block.z};
  result.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  result.dynamicSharedMemory = launch.dynamicSharedBytes;
  return result;
}

TEST(CrossCheckTarget, SharedMemory) {
  for (const target::Gpu &gpu : target::gpus) {
    SCOPED_TRACE(std::string(gpu.name));
    uint32_t limit = static_cast<uint32_t>(gpu.sharedMemoryPerBlock);
    for (uint32_t bytes : {0u, 49152u, limit - 1, limit, limit + 1, 262144u}) {
      emulator::Launch launch;
      launch.block.x = 32;
      launch.dynamicSharedBytes = bytes;
      std::string why;
      bool runs = emulatorRuns(emptyKernel(gpu), launch, why);
      EXPECT_EQ(runs, bytes <= limit) << bytes << ": " << why;
      EXPECT_EQ(runtime::validateLaunch(runtimeLaunch(gpu, launch)).empty(),
                bytes <= limit)
          << bytes;
    }
  }
}

TEST(CrossCheckTarget, Blocks) {
  const emulator::Dim3 blocks[] = {{1, 1, 1},   {1024, 1, 1}, {1025, 1, 1},
                                   {32, 32, 1}, {32, 33, 1},  {1, 1024, 1},
                                   {16, 1, 64}, {2, 8, 64},   {2, 9, 64},
                                   {0, 1, 1},   {1, 0, 1}};
  for (const target::Gpu &gpu : target::gpus)
    for (const emulator::Dim3 &block : blocks) {
      SCOPED_TRACE(std::string(gpu.name) + " " + std::to_string(block.x) +
                   " x " + std::to_string(block.y) + " x " +
                   std::to_string(block.z));
      emulator::Launch launch;
      launch.block = block;
      std::string why;
      bool runs = emulatorRuns(emptyKernel(gpu), launch, why);
      EXPECT_EQ(runs,
                runtime::validateLaunch(runtimeLaunch(gpu, launch)).empty())
          << why;
    }
}

/// What the table allows the emulator runs. The other way round it is more
/// lenient on purpose on sm_120a and sm_121a, where ptxas assembles clusters of
/// up to 8 CTAs (CUTLASS uses clusters of one, and that is the table's rule).
TEST(CrossCheckTarget, Clusters) {
  for (const target::Gpu &gpu : target::gpus)
    for (uint32_t size = 1; size <= 32; ++size) {
      SCOPED_TRACE(std::string(gpu.name) + " " + std::to_string(size));
      emulator::Launch launch;
      launch.block.x = 32;
      launch.cluster.x = size;
      launch.grid.x = 2 * size;
      std::string why;
      bool runs = emulatorRuns(emptyKernel(gpu), launch, why);
      bool allowed =
          runtime::validateLaunch(runtimeLaunch(gpu, launch)).empty();
      EXPECT_EQ(allowed, size <= uint32_t(gpu.maxClusterNonPortable));
      if (allowed) {
        EXPECT_TRUE(runs) << why;
      }
      EXPECT_EQ(runs, size <= uint32_t(std::max(int(gpu.maxClusterNonPortable),
                                                target::cluster::maxPortable)))
          << why;
      // A grid that is no whole number of clusters is refused by both.
      if (size == 1)
        continue;
      launch.grid.x = 2 * size - 1;
      EXPECT_FALSE(emulatorRuns(emptyKernel(gpu), launch, why));
      EXPECT_FALSE(runtime::validateLaunch(runtimeLaunch(gpu, launch)).empty());
    }
}

TEST(CrossCheckTarget, TensorMemory) {
  EXPECT_EQ(target::tensor_memory::lanes, int(units::TensorMemoryLanes));
  EXPECT_EQ(target::tensor_memory::columns, int(units::TensorMemoryColumns));
  EXPECT_EQ(target::tensor_memory::lanes, layout::tensorMemoryLanes);
  EXPECT_EQ(target::tensor_memory::columns, layout::tensorMemoryColumns);
  EXPECT_EQ(target::scale_tile::rows, layout::scaleTileRows);
  EXPECT_EQ(target::scale_tile::groups, layout::scaleTileGroups);
  EXPECT_EQ(target::scale_tile::bytes, layout::scaleTileBytes);
  EXPECT_EQ(target::scale_tile::tensorMemoryColumns, layout::scaleTileColumns);
}

/// tcgen05.alloc takes exactly the column counts that the table's rule makes.
TEST(CrossCheckTarget, TensorMemoryAllocation) {
  const target::Gpu &gpu = *target::findGpu("sm_100a");
  for (int columns = 0; columns <= 1024; columns += 16) {
    std::string count = std::to_string(columns);
    std::string ptx =
        ".version 8.8\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k() {\n"
        "  .shared .align 8 .b32 place;\n  .reg .b32 %r<4>;\n"
        "  mov.b32 %r1, place;\n"
        "  mov.b32 %r3, " +
        count +
        ";\n"
        "  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], "
        "%r3;\n"
        "  bar.sync 0;\n"
        "  ld.shared.b32 %r2, [place];\n"
        "  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, %r3;\n"
        "  ret;\n}\n";
    emulator::Launch launch;
    launch.block.x = 32;
    std::string why;
    bool legal = columns > 0 && columns <= gpu.tensorMemoryColumns &&
                 target::tensor_memory::allocationColumns(columns) == columns;
    EXPECT_EQ(emulatorRuns(ptx, launch, why), legal) << count << ": " << why;
  }
}

} // namespace
