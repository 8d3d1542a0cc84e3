/* fp8_gemm.c - D = (A B^T) * sa * sb, e4m3 to bf16, with a kernel that was
 * compiled from examples/fp8_gemm.mlir.
 *
 *   fp8_gemm kernels.bsmm emulator|cuda
 */
#include "bsmm/Runtime/bsmm_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 200, N = 264, K = 512 };

static uint8_t a[M][K], b[N][K]; /* e4m3: 0x38 is 1, 0xB8 is -1 */
static float sa[M], sb[N];
static uint16_t d[M][N]; /* bf16: the upper half of an f32 */

static void check(bsmm_status status) {
  if (status == BSMM_OK)
    return;
  fprintf(stderr, "%s: %s\n", bsmm_status_name(status), bsmm_last_error());
  exit(1);
}

/* Memory of the device with a copy of an operand. */
static bsmm_operand upload(bsmm_device *device, bsmm_role role,
                           const void *data, size_t bytes) {
  bsmm_operand operand;
  memset(&operand, 0, sizeof(operand));
  operand.role = role;
  operand.bytes = bytes;
  check(bsmm_device_allocate(device, bytes, &operand.data));
  check(bsmm_device_write(device, operand.data, data, bytes, NULL));
  return operand;
}

/* Every 64th product is not 0, and eight of them are equal. */
static int sum(int i, int j) { return 8 * ((i % 64 + j) % 3 - 1); }

int main(int argc, char **argv) {
  static const uint8_t codes[3] = {0xB8, 0x00, 0x38}; /* -1, 0, 1 */
  bsmm_artifact *artifact = NULL;
  bsmm_device *device = NULL;
  bsmm_kernel *kernel = NULL;
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  bsmm_operand operands[5];
  int i, j, k, wrong = 0;
  if (argc != 3)
    return 2;

  for (i = 0; i < M; ++i) {
    sa[i] = (float)(1 << i % 4);
    for (k = i % 64; k < K; k += 64)
      a[i][k] = 0x38;
  }
  for (j = 0; j < N; ++j) {
    sb[j] = 1.0f / (float)(1 << j % 5);
    for (k = 0; k < K; ++k)
      b[j][k] = codes[(k % 64 + j) % 3];
  }

  check(bsmm_artifact_open(argv[1], &artifact));
  if (strcmp(argv[2], "cuda") == 0)
    check(bsmm_device_open_cuda(-1, &device));
  else
    check(bsmm_device_open_emulator(NULL, &device));
  operands[0] = upload(device, BSMM_ROLE_A, a, sizeof(a));
  operands[1] = upload(device, BSMM_ROLE_B, b, sizeof(b));
  operands[2] = upload(device, BSMM_ROLE_SA, sa, sizeof(sa));
  operands[3] = upload(device, BSMM_ROLE_SB, sb, sizeof(sb));
  operands[4] = upload(device, BSMM_ROLE_D, d, sizeof(d));
  arguments.m = M;
  arguments.n = N;
  arguments.k = K;
  arguments.operands = operands;
  arguments.operand_count = 5;

  /* Of several configurations the one that suits the sizes best. */
  check(
      bsmm_kernel_load_best(device, artifact, "fp8_gemm", &arguments, &kernel));
  check(bsmm_kernel_launch(kernel, &arguments, NULL));
  check(bsmm_device_read(device, d, operands[4].data, sizeof(d), NULL));

  for (i = 0; i < M; ++i)
    for (j = 0; j < N; ++j) {
      float exact = (float)sum(i, j) * sa[i] * sb[j];
      uint32_t bits;
      memcpy(&bits, &exact, sizeof(bits));
      wrong += d[i][j] != bits >> 16;
    }
  printf("%d of %d values are wrong\n", wrong, M * N);

  for (i = 0; i < 5; ++i)
    check(bsmm_device_free(device, operands[i].data));
  bsmm_kernel_unload(kernel);
  bsmm_device_close(device);
  bsmm_artifact_close(artifact);
  return wrong != 0;
}
