/*===- CNumbersHeader.c - the C headers from C ----------------------------===*/

#include "bsmm/Runtime/bsmm_numbers.h"

/* NVFP4 of one row of 20 values, as a C program writes it. Returns the status
 * of the first call that fails. */
bsmm_status quantizeRowInC(const float *row, uint8_t *packed, uint8_t *scales,
                           float *global_scale) {
  bsmm_values values = {BSMM_F32, 0, 1, 1, 20, 0, 0};
  bsmm_codes codes = {BSMM_E2M1, 0, 0, 0};
  bsmm_block_scales block_scales = {BSMM_LAYOUT_ROWS, 0, 0, 0, 0};
  float amax;
  bsmm_status status;
  values.data = row;
  codes.data = packed;
  block_scales.data = scales;
  status = bsmm_largest_magnitude(&values, &amax);
  if (status != BSMM_OK)
    return status;
  *global_scale = bsmm_nvfp4_global_scale(amax);
  return bsmm_quantize_nvfp4(&values, *global_scale, 0x1p-9f, &codes,
                             &block_scales);
}
