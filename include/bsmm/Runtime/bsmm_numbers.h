/*===- bsmm_numbers.h - narrow numbers and block scales in C ------*- C -*-===*/
/*
 * What a caller of a block-scaled kernel needs on the host: codes of the
 * narrow floating-point types, their packing, quantisation of f32, f16 and
 * bf16 rows to NVFP4 and the MX formats, and the order of scale factors that
 * tensor cores read. Part of libbsmm_runtime.
 *
 * All functions may be called from any thread at any time. None of them
 * allocates memory, starts a thread or depends on the rounding mode, except
 * that bsmm_quantize_nvfp4 and bsmm_dequantize divide and multiply in f32 in
 * the current one. Rows are independent: to use several threads, call with
 * parts of the rows. Inputs and outputs must not overlap.
 *
 * Words: a *group* is the values of a row that share one block scale, 16 or
 * 32 of them (`vector`); a *pitch* is the distance of two rows and a *batch
 * stride* that of two batches, both in elements of the array that they
 * belong to: values, codes, or scales (one byte each).
 */

#ifndef BSMM_RUNTIME_BSMM_NUMBERS_H
#define BSMM_RUNTIME_BSMM_NUMBERS_H

#include "bsmm/Runtime/bsmm_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* Types: bsmm_element of bsmm_runtime.h. Codes as in OCP Microscaling Formats
 * v1.0 (5.3) and OCP 8-bit Floating Point v1.0; ue4m3 as in PTX ISA 5.2.3. */
/*===----------------------------------------------------------------------===*/

/* What happens above the largest finite value of a type, infinities included.
 *   SATURATE: the largest finite value, as PTX cvt.satfinite.
 *   INFINITY: infinity; NaN in e4m3; types with neither saturate. */
typedef int32_t bsmm_overflow;
enum { BSMM_OVERFLOW_SATURATE = 0, BSMM_OVERFLOW_INFINITY = 1 };

/* How the power of two of an MX block follows from the block's largest
 * magnitude `amax`; `max` is the largest finite value of the element type.
 *   FLOOR: floor(log2(amax)) - floor(log2(max)). OCP Microscaling Formats v1.0,
 *     6.3. Values between max and 2^(floor(log2(max)) + 1) times the scale
 *     saturate.
 *   ROUND_UP: the smallest power of two that is at least amax / max, so that
 *     nothing saturates. PTX ISA, cvt.rp.satfinite.ue8m0x2; cuBLAS
 *     documentation, "1D block scaling"; called RCEIL in torchao. */
typedef int32_t bsmm_exponent_rule;
enum { BSMM_EXPONENT_FLOOR = 0, BSMM_EXPONENT_ROUND_UP = 1 };

/* The type of a name of PTX or MLIR (f4E2M1FN); BSMM_ELEMENT_NONE for others.
 */
BSMM_API bsmm_element bsmm_element_from_name(const char *name);
/* Largest finite value; 0 for BSMM_ELEMENT_NONE. */
BSMM_API double bsmm_element_max(bsmm_element type);

/*===----------------------------------------------------------------------===*/
/* Sizes. All return -1 when an argument is negative, a type has no size, or the
 * result is not a 64-bit number. */
/*===----------------------------------------------------------------------===*/

/* Bytes of `count` packed codes, rounded up to whole bytes. */
BSMM_API int64_t bsmm_packed_bytes(bsmm_element type, int64_t count);
/* The smallest pitch, in codes, of rows of `columns` codes that a tensor map
 * takes: whole 16 bytes, for six-bit codes whole 128 codes or 96 bytes
 * (cuTensorMapEncodeTiled; padded sub-byte types). */
BSMM_API int64_t bsmm_padded_pitch(bsmm_element type, int64_t columns);
/* Groups of a row: ceil(columns / vector). */
BSMM_API int64_t bsmm_scale_groups(int64_t columns, int64_t vector);
/* Rows and groups of whole 128x4 tiles. */
BSMM_API int64_t bsmm_blocked_rows(int64_t rows);
BSMM_API int64_t bsmm_blocked_groups(int64_t groups);
/* Bytes of `batches` blocked scale tensors:
 * batches * ceil(rows / 128) * ceil(groups / 4) * 512. */
BSMM_API int64_t bsmm_blocked_bytes(int64_t rows, int64_t groups,
                                    int64_t batches);
/* Byte of the scale of (row, group) in one blocked tensor with `groups` groups
 * a row: ((row / 128) * ceil(groups / 4) + group / 4) * 512
 *        + (row % 32) * 16 + (row / 32 % 4) * 4 + group % 4.
 * PTX ISA 9.7.17.10.7; cuBLAS documentation, "1D block scaling factors layout";
 * CUTLASS, cutlass/detail/sm100_blockscaled_layout.hpp. */
BSMM_API int64_t bsmm_blocked_offset(int64_t row, int64_t group,
                                     int64_t groups);

/*===----------------------------------------------------------------------===*/
/* Codes
 *
 * Packed codes lie little end first: bit i * width of the array is bit 0 of
 * code i, so the low nibble of a byte is the earlier e2m1 code, and four 6-bit
 * codes take three bytes. Unused bits of the last byte are written as zero. */
/*===----------------------------------------------------------------------===*/

/* Nearest codes of f32, f16, bf16 or f64 values, ties to even.
 *   NaN: 0x7F (e4m3, e5m2, ue4m3), 0xFF (ue8m0), 0x7FFF (f16, bf16); +max in
 *   types without one (PTX ISA, cvt). The sign of zero is kept.
 *   ue4m3 takes the magnitude. ue8m0 takes the magnitude, rounds up to a power
 *   of two and saturates at 2^-127 and 2^127 (cvt.rp.satfinite).
 * `type` is any floating-point type of at most 16 bits. */
BSMM_API bsmm_status bsmm_encode(bsmm_element type, bsmm_overflow overflow,
                                 bsmm_element value_type, const void *values,
                                 int64_t count, void *packed);

/* Values of packed codes of a floating-point type of at most 16 bits, or f32.
 * Every such value is exact in f32. */
BSMM_API bsmm_status bsmm_decode(bsmm_element type, const void *packed,
                                 int64_t count, float *values);

/* Between one code a byte (in the low bits; the high ones are ignored) and
 * packed codes of 4 or 6 bits. */
BSMM_API bsmm_status bsmm_pack(int bits, const uint8_t *codes, int64_t count,
                               uint8_t *packed);
BSMM_API bsmm_status bsmm_unpack(int bits, const uint8_t *packed, int64_t count,
                                 uint8_t *codes);

/*===----------------------------------------------------------------------===*/
/* Arrays. A pitch or batch stride of 0 means without gaps; rows of packed codes
 * begin at whole bytes, so pitch * bits must be a multiple of 8. Unlike those
 * of bsmm_runtime.h, these structures never grow. */
/*===----------------------------------------------------------------------===*/

/* Values to quantise: [batches, rows, columns]. */
typedef struct bsmm_values {
  bsmm_element type; /* f32, f16, bf16 */
  const void *data;
  int64_t batches, rows, columns;
  int64_t pitch, batch_stride;
} bsmm_values;

/* Packed codes of the same shape. Bytes between two rows are left alone. */
typedef struct bsmm_codes {
  bsmm_element type; /* e2m1, e2m3, e3m2, e4m3, e5m2 */
  void *data;
  int64_t pitch, batch_stride;
} bsmm_codes;

/* Block scales, one byte each, for ceil(columns / vector) groups a row.
 * BSMM_LAYOUT_ROWS: bytes between two rows are left alone.
 * BSMM_LAYOUT_BLOCKED_128X4: tiles as in bsmm_blocked_offset; `pitch` is not
 * used; the batch stride's default is the tensor's bytes; rows and groups of
 * padding are written as `padding`, which should be a finite code. */
typedef struct bsmm_block_scales {
  bsmm_layout layout;
  uint8_t *data;
  int64_t pitch, batch_stride;
  uint8_t padding;
} bsmm_block_scales;

/*===----------------------------------------------------------------------===*/
/* Quantisation
 *
 * A row whose length is not a multiple of the vector ends with a shorter group.
 * A group with an infinity or a NaN gets the scale NaN (0x7F or 0xFF) and codes
 * 0, so that whatever is computed from it is NaN and nothing else is. */
/*===----------------------------------------------------------------------===*/

/* The largest finite magnitude; 0 when there is none. */
BSMM_API bsmm_status bsmm_largest_magnitude(const bsmm_values *values,
                                            float *amax);

/* The global scale of NVFP4 for a tensor whose largest magnitude is `amax`:
 * amax / (448 * 6), so that the largest block scale is e4m3's largest value;
 * 1 when amax is 0, and at least 2^-126. NVIDIA Transformer Engine, NVFP4
 * recipe; torchao, mx_formats/nvfp4_tensor.py. NaN for an amax that is negative
 * or not finite. */
BSMM_API float bsmm_nvfp4_global_scale(float amax);

/* NVFP4, two levels: value = code (e2m1) * block scale (ue4m3, one for 16
 * values) * global scale (f32, one for all). In f32, each operation rounded to
 * nearest even, with g the global scale and amax a group's largest magnitude:
 *   s = e4m3(min(max((amax / 6) / g, min_scale), 448))
 *   code = e2m1(value / (g * s)), saturating; (signed) zero when g * s is 0
 * as torchao does. `min_scale` is 2^-9 (e4m3's smallest value), 2^-6 (its
 * smallest normal value: torchao) or 0 (NVIDIA Transformer Engine: scales may
 * become 0). The product of two quantised operands is to be multiplied by both
 * global scales: `alpha` of the kernel. */
BSMM_API bsmm_status bsmm_quantize_nvfp4(const bsmm_values *values,
                                         float global_scale, float min_scale,
                                         const bsmm_codes *codes,
                                         const bsmm_block_scales *scales);

/* The MX formats: value = code * 2^(scale - 127), one ue8m0 scale for
 * 32 values, or 16 where the instruction allows that (mxf4nvf4 of e2m1).
 * Exponents outside of -127..127 are clamped; a group of zeros gets 2^-127.
 * code = value / scale, nearest, ties to even, saturating (also for e5m2). */
BSMM_API bsmm_status bsmm_quantize_mx(const bsmm_values *values,
                                      bsmm_exponent_rule rule, int64_t vector,
                                      const bsmm_codes *codes,
                                      const bsmm_block_scales *scales);

/* (code * block scale) * global scale in f32, rounded after each product.
 * `values` describes where f32 results go: type f32, and data is written.
 * `scale_type` is ue8m0 or ue4m3. */
BSMM_API bsmm_status bsmm_dequantize(const bsmm_codes *codes,
                                     const bsmm_block_scales *scales,
                                     bsmm_element scale_type, int64_t vector,
                                     float global_scale,
                                     const bsmm_values *values);

/*===----------------------------------------------------------------------===*/
/* Order of scales */
/*===----------------------------------------------------------------------===*/

/* [batches, rows, groups] with a pitch and a batch stride (0: without gaps) to
 * bsmm_blocked_bytes(rows, groups, batches) bytes; `padding` fills the rest of
 * the tiles. */
BSMM_API bsmm_status bsmm_scales_to_blocked(const uint8_t *linear,
                                            int64_t batches, int64_t rows,
                                            int64_t groups, int64_t pitch,
                                            int64_t batch_stride,
                                            uint8_t padding, uint8_t *blocked);

/* The opposite; the padding is dropped. */
BSMM_API bsmm_status bsmm_scales_from_blocked(const uint8_t *blocked,
                                              int64_t batches, int64_t rows,
                                              int64_t groups, int64_t pitch,
                                              int64_t batch_stride,
                                              uint8_t *linear);

#ifdef __cplusplus
}
#endif

#endif /* BSMM_RUNTIME_BSMM_NUMBERS_H */
