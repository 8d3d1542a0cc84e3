// fp8_gemm.cpp - D = (A B^T) * sa * sb, e4m3 to bf16, with a kernel that was
// compiled from examples/fp8_gemm.mlir.
//
//   fp8_gemm kernels.bsmm emulator|cuda
#include "bsmm/Runtime/Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>

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
  constexpr int64_t m = 200, n = 264, k = 512;
  // e4m3 codes of -1, 0 and 1. A row of A has a 1 in every 64th place.
  constexpr uint8_t codes[] = {0xB8, 0x00, 0x38};
  std::vector<uint8_t> a(m * k), b(n * k);
  std::vector<float> sa(m), sb(n);
  std::vector<uint16_t> d(m * n); // bf16: the upper half of an f32
  for (int64_t i = 0; i < m; ++i) {
    sa[i] = static_cast<float>(1 << i % 4);
    for (int64_t at = i % 64; at < k; at += 64)
      a[i * k + at] = 0x38;
  }
  for (int64_t j = 0; j < n; ++j) {
    sb[j] = 1.0f / static_cast<float>(1 << j % 5);
    for (int64_t at = 0; at < k; ++at)
      b[j * k + at] = codes[(at % 64 + j) % 3];
  }

  bsmm::Artifact artifact = take(bsmm::Artifact::open(argv[1]));
  bsmm::Device device =
      take(std::string(argv[2]) == "cuda" ? bsmm::Device::cuda()
                                          : bsmm::Device::emulator());
  std::list<bsmm::DeviceMemory> memory;
  auto upload = [&](const auto &values) -> bsmm::DeviceMemory & {
    memory.push_back(take(device.allocate(values.size() * sizeof(values[0]))));
    check(memory.back().write(values.data()));
    return memory.back();
  };
  bsmm::Arguments arguments(m, n, k);
  arguments.operand(BSMM_ROLE_A, upload(a))
      .operand(BSMM_ROLE_B, upload(b))
      .operand(BSMM_ROLE_SA, upload(sa))
      .operand(BSMM_ROLE_SB, upload(sb))
      .operand(BSMM_ROLE_D, upload(d));

  // Of several configurations the one that suits the sizes best.
  bsmm::Kernel kernel =
      take(bsmm::Kernel::loadBest(device, artifact, "fp8_gemm", arguments));
  check(kernel.launch(arguments));
  check(memory.back().read(d.data()));

  int wrong = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      auto sum = static_cast<float>(8 * ((i % 64 + j) % 3 - 1));
      float exact = sum * sa[i] * sb[j];
      uint32_t bits;
      std::memcpy(&bits, &exact, sizeof(bits));
      wrong += d[i * n + j] != bits >> 16;
    }
  std::printf("%d of %zu values are wrong\n", wrong, d.size());
  return wrong != 0;
}
