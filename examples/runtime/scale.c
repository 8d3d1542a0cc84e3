/* scale.c - D = 0.5 * A with a kernel from an artifact.
 *
 *   scale kernels.bsmm emulator|cuda
 */
#include "bsmm/Runtime/bsmm_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 100, columns = 200 };

static void check(bsmm_status status) {
  if (status == BSMM_OK)
    return;
  fprintf(stderr, "%s: %s\n", bsmm_status_name(status), bsmm_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  static uint16_t a[rows][columns], d[rows][columns]; /* f16 codes */
  bsmm_artifact *artifact = NULL;
  bsmm_device *device = NULL;
  bsmm_kernel *kernel = NULL;
  bsmm_arguments arguments = BSMM_ARGUMENTS_INIT;
  bsmm_operand operands[2];
  void *deviceA = NULL, *deviceD = NULL;
  int i, wrong = 0;
  if (argc != 3)
    return 2;

  check(bsmm_artifact_open(argv[1], &artifact));
  if (strcmp(argv[2], "cuda") == 0)
    check(bsmm_device_open_cuda(-1, &device));
  else
    check(bsmm_device_open_emulator(NULL, &device));

  /* 0x6400 + i is the f16 code of 1024 + i. */
  for (i = 0; i < rows * columns; ++i)
    a[i / columns][i % columns] = (uint16_t)(0x6400 + i % 1024);
  check(bsmm_device_allocate(device, sizeof(a), &deviceA));
  check(bsmm_device_allocate(device, sizeof(d), &deviceD));
  check(bsmm_device_write(device, deviceA, a, sizeof(a), NULL));

  memset(operands, 0, sizeof(operands));
  operands[0].role = BSMM_ROLE_A;
  operands[0].data = deviceA;
  operands[0].bytes = sizeof(a);
  operands[0].element = BSMM_F16;
  operands[1].role = BSMM_ROLE_D;
  operands[1].data = deviceD;
  operands[1].bytes = sizeof(d);
  operands[1].element = BSMM_F16;
  arguments.m = rows;
  arguments.n = arguments.k = columns;
  arguments.alpha = 0.5f;
  arguments.operands = operands;
  arguments.operand_count = 2;

  check(bsmm_kernel_load_best(device, artifact, "scale_tma", &arguments,
                              &kernel));
  check(bsmm_kernel_launch(kernel, &arguments, NULL));
  check(bsmm_device_read(device, d, deviceD, sizeof(d), NULL));

  /* Half of it has the same fraction and an exponent one less. */
  for (i = 0; i < rows * columns; ++i)
    wrong += d[i / columns][i % columns] != 0x6000 + i % 1024;
  printf("%d of %d values are wrong\n", wrong, rows * columns);

  check(bsmm_device_free(device, deviceA));
  check(bsmm_device_free(device, deviceD));
  bsmm_kernel_unload(kernel);
  bsmm_device_close(device);
  bsmm_artifact_close(artifact);
  return wrong != 0;
}
