// scale.cpp - D = 0.5 * A with a kernel from an artifact.
//
//   scale kernels.bsmm emulator|cuda
#include "bsmm/Runtime/Runtime.h"
#include <cstdio>
#include <cstdlib>

/// The value of an outcome; ends the program without one.
template <typename T> static T take(bsmm::Outcome<T> outcome) {
  if (outcome.ok())
    return std::move(*outcome);
  std::fprintf(stderr, "%s\n", outcome.text().c_str());
  std::exit(1);
}

static void check(const bsmm::Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "%s\n", status.text().c_str());
  std::exit(1);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  constexpr int64_t rows = 100, columns = 200;
  std::vector<uint16_t> a(rows * columns), d(a.size()); // f16 codes
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<uint16_t>(0x6400 + i % 1024); // 1024 + i

  bsmm::Artifact artifact = take(bsmm::Artifact::open(argv[1]));
  bsmm::Device device =
      take(std::string(argv[2]) == "cuda" ? bsmm::Device::cuda()
                                          : bsmm::Device::emulator());
  bsmm::DeviceMemory deviceA = take(device.allocate(2 * a.size()));
  bsmm::DeviceMemory deviceD = take(device.allocate(2 * d.size()));
  check(deviceA.write(a.data()));

  bsmm::Arguments arguments(rows, columns, columns);
  arguments.alpha(0.5f)
      .operand(BSMM_ROLE_A, deviceA)
      .operand(BSMM_ROLE_D, deviceD);
  bsmm::Kernel kernel =
      take(bsmm::Kernel::loadBest(device, artifact, "scale_tma", arguments));
  check(kernel.launch(arguments));
  check(deviceD.read(d.data()));

  int wrong = 0;
  for (size_t i = 0; i < d.size(); ++i)
    wrong += d[i] != 0x6000 + i % 1024; // an exponent one less
  std::printf("%d of %zu values are wrong\n", wrong, d.size());
  return wrong != 0;
}
